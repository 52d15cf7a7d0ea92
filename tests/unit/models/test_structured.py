import asyncio
from typing import Any, Literal

import pydantic
import pytest

from fallax.core.types.messages import Message, Request
from fallax.errors import ModelError, ReplyError
from fallax.models import ScriptedModel, generate_structured, parse_structured


class Verdict(pydantic.BaseModel):
    label: Literal["faithful", "unfaithful"]
    score: float = 0.0


QUESTION = Request((Message("user", "Faithful?"),))


@pytest.mark.parametrize(
    "text",
    [
        '{"label": "faithful"}',
        '  {"label": "faithful"}\n',
        '```json\n{"label": "faithful"}\n```',
        'Sure:\n```\n{"label": "faithful"}\n```\nDone.',
        'I think {"label": "faithful"} is right',
        'Of {these} it is {"label": "faithful"}',
        'First {"a": 1}, then {"label": "faithful"}',
    ],
)
def test_parse_structured_finds_the_value(text: str) -> None:
    assert parse_structured(text, Verdict) == Verdict(label="faithful")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("It is faithful.", "no JSON value in it"),
        ("", "no JSON value in it"),
        ('{"label": "faithful"', "no JSON value in it"),
        ('{"label": "true"}', "label: Input should be 'faithful' or 'unfaithful'"),
        ('{"score": 1}', "label: Field required"),
        ("[1]", "the value: "),
        ("[" * 100_000, "no JSON value in it"),
        ("{" * 3000, "no JSON value in it"),
        ('{"a":' * 20_000, "no JSON value in it"),
    ],
)
def test_parse_structured_says_why_not(text: str, match: str) -> None:
    with pytest.raises(ReplyError, match=match) as caught:
        parse_structured(text, Verdict)
    assert caught.value.raw == text


def generate(model: ScriptedModel, request: Request = QUESTION, **options: Any) -> Any:
    return asyncio.run(generate_structured(model, request, Verdict, **options))


def test_generate_structured_sends_the_schema() -> None:
    model = ScriptedModel([{"reply": '{"label": "faithful", "score": 0.5}'}])
    found = generate(model)
    assert found.value == Verdict(label="faithful", score=0.5)
    assert len(found.replies) == 1
    assert model.requests[0].json_schema == Verdict.model_json_schema()
    assert model.requests[0].messages == QUESTION.messages


def test_generate_structured_asks_once_more_with_the_reason() -> None:
    model = ScriptedModel([{"replies": ['{"label": "maybe"}', '{"label": "unfaithful"}']}])
    found = generate(model)
    assert found.value.label == "unfaithful"
    assert found.usage.calls == 2
    question, first, correction = model.requests[1].messages
    assert question == QUESTION.messages[0]
    assert (first.role, first.content) == ("assistant", '{"label": "maybe"}')
    assert correction.role == "user"
    assert "label: Input should be 'faithful' or 'unfaithful'" in correction.content


@pytest.mark.parametrize(("repairs", "n_calls"), [(0, 1), (1, 2), (3, 4)])
def test_generate_structured_gives_up(repairs: int, n_calls: int) -> None:
    model = ScriptedModel([{"reply": "no idea"}])
    with pytest.raises(ReplyError, match="no JSON value in it; the reply begins 'no idea'"):
        generate(model, repairs=repairs)
    assert len(model.requests) == n_calls


def test_generate_structured_says_that_a_reply_was_cut_off() -> None:
    model = ScriptedModel([{"reply": '{"label": "fai', "stop_reason": "length"}])
    with pytest.raises(ReplyError, match="cut off at max_tokens; no JSON value"):
        generate(model)


def test_generate_structured_passes_model_errors_on() -> None:
    with pytest.raises(ModelError, match="scripted error"):
        generate(ScriptedModel([{"error": "endpoint"}]))


def test_generate_structured_keeps_a_schema_of_the_request() -> None:
    model = ScriptedModel([{"reply": '{"label": "faithful"}'}])
    generate(model, Request(QUESTION.messages, json_schema={"type": "object"}))
    generate(model, Request(QUESTION.messages, grammar="g"))
    assert [(r.json_schema, r.grammar) for r in model.requests] == [({"type": "object"}, None), (None, "g")]
