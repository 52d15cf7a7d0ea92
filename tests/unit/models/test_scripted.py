import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types.messages import ChatModel, Message, Reply, Request, TokenLogprob, Usage
from fallax.errors import FormatError, InputError, ModelError, ModelTimeoutError, RateLimitError, UnknownNameError
from fallax.models import Rule, ScriptedModel, read_rules


def ask(model: ChatModel, *texts: str, epoch: int = 0) -> Reply:
    return asyncio.run(model.generate(Request(tuple(Message("user", t) for t in texts), epoch=epoch)))


def test_scripted_model_is_a_chat_model() -> None:
    assert isinstance(ScriptedModel([{"reply": "x"}]), ChatModel)


@pytest.mark.parametrize(
    ("rule", "texts", "expected"),
    [
        ({"match": "b.c"}, ("a b.c d",), True),
        ({"match": "b.c"}, ("a bxc d",), False),
        ({"regex": "b.c"}, ("a bxc d",), True),
        ({"regex": "^a.*d$"}, ("a\nd",), True),
        ({"match": "first"}, ("first", "second"), False),
        ({"match": "first", "where": "any"}, ("first", "second"), True),
        ({"match": "a", "regex": "b"}, ("a",), False),
        ({"match": "a", "regex": "b"}, ("ab",), True),
        ({}, ("anything",), True),
    ],
)
def test_rule_matches(rule: dict[str, Any], texts: tuple[str, ...], expected: bool) -> None:
    request = Request(tuple(Message("user", t) for t in texts))
    assert Rule.from_dict({**rule, "reply": "x"}).matches(request) is expected


def test_scripted_model_takes_the_first_rule_that_matches() -> None:
    model = ScriptedModel([{"match": "a", "reply": "1"}, {"match": "ab", "reply": "2"}, {"match": "b", "reply": "3"}])
    assert [ask(model, t).text for t in ("ab", "b")] == ["1", "3"]
    with pytest.raises(ModelError, match="none of 3 rules matches the request whose last message begins 'c'"):
        ask(model, "c")


@pytest.mark.parametrize(("then", "fourth"), [("repeat", "c"), ("cycle", "a")])
def test_scripted_model_sequences(then: str, fourth: str) -> None:
    model = ScriptedModel([{"replies": ["a", "b", "c"], "then": then}])
    assert [ask(model, "?").text for _ in range(4)] == ["a", "b", "c", fourth]


def test_scripted_model_sequence_may_end() -> None:
    model = ScriptedModel([{"replies": ["a"], "then": "error"}])
    assert ask(model, "?").text == "a"
    with pytest.raises(ModelError, match="has 1 replies and was asked for number 2"):
        ask(model, "?")


def test_scripted_model_sequence_by_epoch_does_not_depend_on_order() -> None:
    model = ScriptedModel([{"replies": ["a", "b"], "by": "epoch", "then": "cycle"}])
    assert [ask(model, "?", epoch=e).text for e in (1, 0, 1, 2)] == ["b", "a", "b", "a"]


def test_scripted_model_errors_come_in_turn() -> None:
    model = ScriptedModel([{"replies": [{"error": "rate_limit", "retry_after": 2.5}, {"error": "timeout"}, "fine"]}])
    with pytest.raises(RateLimitError) as caught:
        ask(model, "?")
    assert caught.value.retry_after == 2.5
    with pytest.raises(ModelTimeoutError):
        ask(model, "?")
    assert ask(model, "?").text == "fine"


def test_scripted_model_waits() -> None:
    start = time.perf_counter()
    ask(ScriptedModel([{"reply": "x", "latency": 0.05}]), "?")
    assert time.perf_counter() - start >= 0.05


def test_scripted_model_says_all_of_a_reply() -> None:
    rule = {
        "reply": "yes",
        "reasoning": "since",
        "stop_reason": "length",
        "usage": {"prompt_tokens": 7, "cost": 0.5},
        "logprobs": [{"token": "yes", "logprob": -0.1, "top": {"no": -2.3}}],
    }
    assert ask(ScriptedModel([rule], name="scripted:x"), "?") == Reply(
        "yes",
        "scripted:x",
        "since",
        "length",
        Usage(prompt_tokens=7, calls=1, cost=0.5),
        (TokenLogprob("yes", -0.1, {"no": -2.3}),),
    )


def test_scripted_model_estimates_usage() -> None:
    # 8 characters: 2 tokens, 4 for the message, 3 for the request; the reply has 4 characters: 1 token
    assert ask(ScriptedModel([{"reply": "four"}]), "12345678").usage == Usage(9, 1, calls=1)


def test_scripted_model_takes_functions() -> None:
    async def later(request: Request) -> Reply:
        await asyncio.sleep(0)
        return Reply("later")

    def fail(request: Request) -> ModelError:
        return ModelTimeoutError("too late")

    assert ask(ScriptedModel(lambda r: r.messages[0].content * 2), "ab").text == "abab"
    assert ask(ScriptedModel(later), "?").text == "later"
    with pytest.raises(ModelTimeoutError, match="too late"):
        ask(ScriptedModel(fail), "?")


def test_read_rules_from_each_format(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    rules = [{"match": "a", "reply": "1"}, {"replies": ["2", {"error": "endpoint"}]}]
    (tmp_path / "list.json").write_text(json.dumps(rules))
    (tmp_path / "object.json").write_text(json.dumps({"rules": rules}))
    (tmp_path / "lines.jsonl").write_text("\n\n".join(json.dumps(r) for r in rules))
    (tmp_path / "script.yaml").write_text("- match: a\n  reply: '1'\n- replies:\n  - '2'\n  - error: endpoint\n")
    read = [read_rules(p) for p in sorted(tmp_path.iterdir())]
    assert len(read) == 4
    assert all(r == read[0] for r in read)
    assert ask(ScriptedModel(read[0]), "xax").text == "1"


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("a.json", "{", r"a\.json:1:2: must be JSON"),
        ("a.json", "[]", "at least one rule"),
        ("a.json", '{"rule": []}', "must be a list of rules"),
        ("a.json", '["x"]', r"rule 1: a rule must be a mapping"),
        ("a.json", '[{"reply": "x"}, {"match": "a"}]', "rule 2: a rule must have a reply"),
        ("a.json", '[{"replay": "x"}]', "did you mean 'reply'"),
        ("a.json", '[{"error": "timeot"}]', "did you mean 'timeout'"),
        ("a.json", '[{"reply": "x", "where": "first"}]', "unknown value of 'where' 'first'"),
        ("a.json", '[{"reply": "x", "regex": "("}]', "must be a regular expression"),
        ("a.json", '[{"reply": "x", "latency": -1}]', "latency must be 0 or more"),
        ("a.json", '[{"reply": "x", "usage": {"tokens": 1}}]', "must have the fields"),
        ("a.json", '[{"reply": "x", "replies": ["y"]}]', "not both"),
        ("a.jsonl", '{"reply": "x"}\n{', r"a\.jsonl:2: must be JSON"),
        ("a.jsonl", '{"reply": "x"}\n{"match": "a"}', r"a\.jsonl:2: a rule must have"),
        ("a.yaml", "a: [", "must be YAML"),
    ],
)
def test_read_rules_says_what_is_wrong(tmp_path: Path, name: str, text: str, match: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=match):
        read_rules(tmp_path / name)


def test_rules_in_code_are_checked_too() -> None:
    with pytest.raises(InputError):
        ScriptedModel([{"match": "a"}])
    with pytest.raises(UnknownNameError):
        ScriptedModel([{"reply": "x", "then": "stop"}])


@pytest.mark.parametrize(
    ("rule", "match"),
    [
        ({"reply": 5}, "'reply' of a scripted reply must be a text, got 5"),
        ({"reply": None}, "'reply' of a scripted reply must be a text, got None"),
        ({"replies": ["x", {"reasoning": 1}]}, "'reasoning' of a scripted reply must be a text, got 1"),
        ({"reply": "x", "latency": "1"}, "'latency' of a scripted reply must be a number, got '1'"),
        ({"reply": "x", "latency": True}, "'latency' of a scripted reply must be a number, got True"),
        ({"error": 5}, "'error' of a scripted reply must be a text, got 5"),
        ({"error": "rate_limit", "retry_after": "1"}, "'retry_after' of a scripted reply must be a number, got '1'"),
        ({"error": "timeout", "retryable": "no"}, "'retryable' of a scripted reply must be true or false, got 'no'"),
        ({"match": 5, "reply": "x"}, "'match' must be a text, got 5"),
        ({"regex": ["a"], "reply": "x"}, r"'regex' must be a text, got \['a'\]"),
        ({"where": ["last"], "reply": "x"}, r"unknown value of 'where'"),
        ({"reply": "x", "usage": 5}, "'usage' of a scripted reply must be an object, got 5"),
        ({"reply": "x", "usage": {"prompt_tokens": "x"}}, "'prompt_tokens' of usage must be a whole number, got 'x'"),
        ({"reply": "x", "usage": {"cost": "x"}}, "'cost' of usage must be a number, got 'x'"),
        ({"reply": "x", "logprobs": 5}, "'logprobs' of a scripted reply must be a list, got 5"),
        ({"reply": "x", "logprobs": [5]}, "'logprobs' of a scripted reply must be a list of objects, got 5"),
        ({"reply": "x", "logprobs": [{"token": 1, "logprob": -1}]}, "'token' of logprobs must be a text, got 1"),
        ({"reply": "x", "logprobs": [{"token": "a", "logprob": "b"}]}, "'logprob' of logprobs must be a number"),
        ({"reply": "x", "logprobs": [{"token": "a", "logprob": -1, "top": 1}]}, "'top' of logprobs must be an object"),
    ],
)
def test_values_of_the_wrong_kind_are_told_with_their_rule(tmp_path: Path, rule: dict[str, Any], match: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps([{"reply": "x"}, rule]), encoding="utf-8")
    with pytest.raises(FormatError, match=r"a\.json: rule 2: " + match):
        read_rules(tmp_path / "a.json")
