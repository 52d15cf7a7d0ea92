import asyncio
import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types.messages import ChatModel, Message, Reply, Request, Usage
from fallax.errors import (
    BudgetError,
    EndpointError,
    FormatError,
    InputError,
    ModelError,
    ModelTimeoutError,
    RateLimitError,
)
from fallax.models import (
    AdaptiveGate,
    Budget,
    Cache,
    DryRunModel,
    GatedModel,
    Limits,
    MeteredModel,
    Price,
    Prices,
    RetryingModel,
    ScriptedModel,
    TimedModel,
    estimate_requests,
    estimate_tokens,
    load_prices,
    with_limits,
)
from fallax.models.estimate import example_of
from tests.support import virtual_time

QUICK = Limits(backoff=0.001, max_backoff=0.01)


def request(text: str = "12345678", **fields: Any) -> Request:
    return Request((Message("user", text),), **fields)


def ask(model: ChatModel, text: str = "12345678", **fields: Any) -> Reply:
    return asyncio.run(model.generate(request(text, **fields)))


class Server:
    """A model that refuses more calls at a time than it can bear."""

    name = "scripted:server"

    def __init__(self, capacity: int, latency: float = 0.01, retry_after: float | None = None) -> None:
        self.capacity, self.latency, self.retry_after = capacity, latency, retry_after
        self.in_flight = self.peak = self.n_answered = self.n_refused = 0

    async def generate(self, request: Request) -> Reply:
        if self.in_flight >= self.capacity:
            self.n_refused += 1
            raise RateLimitError("too many", retry_after=self.retry_after)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            await asyncio.sleep(self.latency)
        finally:
            self.in_flight -= 1
        self.n_answered += 1
        return Reply(request.messages[0].content)


async def answers(model: ChatModel, n: int) -> list[str]:
    replies = await asyncio.gather(*(model.generate(request(str(i))) for i in range(n)))
    return [r.text for r in replies]


def gather(model: ChatModel, n: int) -> list[str]:
    return asyncio.run(answers(model, n))


def test_gate_lets_through_no_more_than_its_maximum() -> None:
    server = Server(1000)
    gate = AdaptiveGate(maximum=7)
    assert gather(GatedModel(server, gate), 100) == [str(i) for i in range(100)]
    assert server.peak == 7
    assert gate.in_flight == 0


def test_gate_grows_to_its_maximum_within_a_few_rounds() -> None:
    server = Server(1000)
    gate = AdaptiveGate(maximum=64, start=4)
    gather(GatedModel(server, gate), 300)
    assert gate.limit == server.peak == 64


@pytest.mark.parametrize("capacity", [1, 5, 20, 50])
def test_gate_settles_at_the_capacity_and_loses_nothing(capacity: int) -> None:
    server = Server(capacity)
    gate = AdaptiveGate(maximum=200, start=16)
    model = RetryingModel(GatedModel(server, gate), Limits(backoff=0.005, max_backoff=0.05, max_retries=20))
    n = capacity * 60
    assert virtual_time.run(answers(model, n)) == [str(i) for i in range(n)]
    assert server.n_answered == n
    assert 0.9 * capacity - 1 <= gate.limit <= 1.1 * capacity + 1
    assert server.n_refused < 0.15 * n + 20


def test_gate_shrinks_when_the_capacity_does_and_grows_again() -> None:
    server = Server(40, latency=0.005)
    gate = AdaptiveGate(maximum=60, start=16)
    model = RetryingModel(GatedModel(server, gate), Limits(backoff=0.005, max_backoff=0.02, max_retries=30))
    virtual_time.run(answers(model, 1500))
    before = gate.limit
    server.capacity = 4
    virtual_time.run(answers(model, 150))
    assert gate.limit <= 5
    server.capacity = 40
    virtual_time.run(answers(model, 6000))
    assert before >= 34
    assert gate.limit >= 30


def test_gate_counts_the_refusals_of_one_round_as_one() -> None:
    gate = AdaptiveGate(maximum=40)

    async def scene() -> None:
        tickets = [await gate.acquire() for _ in range(40)]
        for ticket in tickets:
            gate.refused(ticket)
            gate.release()

    asyncio.run(scene())
    assert gate.limit == 20


def test_gate_pauses_on_an_exhausted_quota() -> None:
    gate = AdaptiveGate(maximum=4)
    start = time.monotonic()
    gate.quota(remaining=3, reset=60.0)
    gate.quota(remaining=0, reset=0.15)
    gather(GatedModel(Server(100, latency=0.0), gate), 20)
    assert 0.15 <= time.monotonic() - start < 30  # not the 60 s that the first header asked for


def test_gate_pauses_while_callers_wait() -> None:
    gate = AdaptiveGate(maximum=1)

    async def scene() -> float:
        await gate.acquire()
        waiting = asyncio.create_task(gate.acquire())
        await asyncio.sleep(0)
        start = time.monotonic()
        gate.quota(remaining=0, reset=0.1)
        gate.release()
        await waiting
        gate.release()
        return time.monotonic() - start

    assert asyncio.run(scene()) >= 0.1


def test_gate_gives_the_place_of_a_cancelled_caller_to_the_next() -> None:
    gate = AdaptiveGate(maximum=1)

    async def scene() -> int:
        await gate.acquire()
        first = asyncio.create_task(gate.acquire())
        second = asyncio.create_task(gate.acquire())
        third = asyncio.create_task(gate.acquire())
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        gate.release()  # the place is on its way to the second, which does not want it any more
        second.cancel()
        await asyncio.wait_for(third, 60)
        gate.release()
        return gate.in_flight

    assert asyncio.run(scene()) == 0


def test_gate_survives_any_order_of_cancellations() -> None:
    gate = AdaptiveGate(maximum=3)
    rng = random.Random(7)

    async def one() -> None:
        ticket = await gate.acquire()
        try:
            await asyncio.sleep(rng.random() / 500)
            gate.succeeded(ticket)
        finally:
            gate.release()

    async def scene() -> None:
        tasks = [asyncio.create_task(one()) for _ in range(300)]
        for _ in range(100):
            await asyncio.sleep(rng.random() / 1000)
            rng.choice(tasks).cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 60)

    asyncio.run(scene())
    assert gate.in_flight == 0


def test_gate_is_shared_by_threads() -> None:
    lock, now, peak = threading.Lock(), [0], [0]

    async def answer(_: Request) -> str:
        with lock:
            now[0] += 1
            peak[0] = max(peak[0], now[0])
        await asyncio.sleep(0.005)
        with lock:
            now[0] -= 1
        return "x"

    model = GatedModel(ScriptedModel(answer), AdaptiveGate(maximum=5))
    threads = [threading.Thread(target=gather, args=(model, 30)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert peak[0] == 5


def test_retries_are_bounded() -> None:
    scripted = ScriptedModel([{"error": "rate_limit"}])
    with pytest.raises(RateLimitError):
        ask(RetryingModel(scripted, Limits(max_retries=3, backoff=0.001)))
    assert len(scripted.requests) == 4


@pytest.mark.parametrize(
    ("kind", "n_tries"),
    [("authentication", 1), ("context_length", 1), ("content_filter", 1), ("budget", 1), ("endpoint", 1)],
)
def test_what_would_fail_again_is_not_retried(kind: str, n_tries: int) -> None:
    scripted = ScriptedModel([{"error": kind}])
    with pytest.raises(ModelError):
        ask(RetryingModel(scripted, QUICK))
    assert len(scripted.requests) == n_tries


@pytest.mark.parametrize(
    "step", [{"error": "rate_limit"}, {"error": "timeout"}, {"error": "endpoint", "retryable": True}]
)
def test_what_may_succeed_later_is_retried(step: dict[str, Any]) -> None:
    assert ask(RetryingModel(ScriptedModel([{"replies": [step, step, "fine"]}]), QUICK)).text == "fine"


def test_retry_after_is_waited_for() -> None:
    scripted = ScriptedModel([{"replies": [{"error": "rate_limit", "retry_after": 0.2}, "fine"]}])
    start = time.monotonic()
    ask(RetryingModel(scripted, QUICK))
    assert 0.2 <= time.monotonic() - start < 30


def test_retry_after_beyond_patience_fails() -> None:
    scripted = ScriptedModel([{"replies": [{"error": "rate_limit", "retry_after": 86400}, "fine"]}])
    with pytest.raises(RateLimitError) as caught:
        ask(RetryingModel(scripted, QUICK))
    assert "more than max_retry_after" in caught.value.__notes__[0]


def test_waits_are_drawn_from_the_seed() -> None:
    def waits(seed: int, text: str = "q") -> list[float]:
        model = RetryingModel(ScriptedModel([{"reply": ""}]), Limits(seed=seed, backoff=1.0, max_backoff=5.0))
        return [model._wait(request(text), n, None) for n in range(1, 7)]

    assert waits(1) == waits(1)
    assert waits(1) != waits(2)
    assert waits(1) != waits(1, "other")
    for n, wait in enumerate(waits(1)):
        assert min(5.0, 2.0**n) / 2 <= wait <= min(5.0, 2.0**n)


def test_timeout() -> None:
    with pytest.raises(ModelTimeoutError, match=r"no answer within 0.02 s; allow more time"):
        ask(TimedModel(ScriptedModel([{"reply": "x", "latency": 5}]), 0.02))


class Wrong:
    """A model of somebody else's: it raises an exception, or gives what is told."""

    name = "mine/wrong"

    def __init__(self, said: Any) -> None:
        self.said = said

    async def generate(self, request: Request) -> Reply:
        if isinstance(self.said, BaseException):
            raise self.said
        found: Reply = self.said
        return found


@pytest.mark.parametrize(
    ("said", "error", "message"),
    [
        (KeyError("choices"), ModelError, "mine/wrong: the call failed: KeyError: 'choices'"),
        (TimeoutError("read"), ModelTimeoutError, "mine/wrong: the call failed: TimeoutError: read"),
        (None, ModelError, "mine/wrong: generate must give a Reply with a text, got None"),
        ("yes", ModelError, "mine/wrong: generate must give a Reply with a text, got 'yes'"),
        (Reply(None), ModelError, "mine/wrong: generate must give a Reply with a text, got Reply(text=None"),  # type: ignore[arg-type]
        (InputError("own words"), InputError, "own words"),
    ],
    ids=repr,
)
def test_what_a_model_of_a_plugin_does_wrong_is_an_error_of_the_call(
    said: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        ask(with_limits(Wrong(said), limits=Limits(max_retries=0)))
    assert type(caught.value) is error
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "bounds",
    [
        {"max_connections": 0},
        {"max_connections": True},
        {"start_connections": 1.5},
        {"max_retries": -1},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"backoff": -1},
    ],
)
def test_limits_are_checked(bounds: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(bounds))):
        Limits(**bounds)


def test_price_counts_cached_tokens_apart() -> None:
    # 600 fresh at 2.00, 400 cached at 0.50 and 1,000 answered at 8.00 dollars per million
    price = Price(input=2.0, output=8.0, cached_input=0.5)
    assert price.cost(Usage(1000, 1000, 500, 400, 1)) == pytest.approx((600 * 2 + 400 * 0.5 + 1000 * 8) / 1e6)
    assert Price(2.0, 8.0).cost(Usage(1000, 0, 0, 400, 1)) == pytest.approx(2000 / 1e6)


def test_metered_model_prices_answers() -> None:
    scripted = ScriptedModel([{"reply": "x", "usage": {"prompt_tokens": 1000, "completion_tokens": 500}}])
    budget = Budget()
    model = MeteredModel(scripted, budget, Price(1.0, 2.0))
    assert ask(model).usage.cost == pytest.approx(0.002)
    ask(model)
    assert (budget.spent.prompt_tokens, budget.spent.completion_tokens, budget.spent.calls) == (2000, 1000, 2)
    assert budget.spent.cost == pytest.approx(0.004)


def test_cost_that_the_endpoint_tells_is_kept() -> None:
    scripted = ScriptedModel([{"reply": "x", "usage": {"prompt_tokens": 1000, "cost": 0.5}}])
    assert ask(MeteredModel(scripted, Budget(), Price(1.0, 2.0))).usage.cost == 0.5


@pytest.mark.parametrize("n_at_once", [1, 8])
def test_budget_of_calls_is_kept(n_at_once: int) -> None:
    scripted = ScriptedModel([{"reply": "x", "latency": 0.002}])
    model = GatedModel(MeteredModel(scripted, Budget(max_calls=5), None), AdaptiveGate(maximum=n_at_once))

    async def run() -> list[Reply | BaseException]:
        calls = (model.generate(request(str(i))) for i in range(12))
        return list(await asyncio.gather(*calls, return_exceptions=True))

    results = asyncio.run(run())
    assert sum(isinstance(r, Reply) for r in results) == 5
    assert sum(isinstance(r, BudgetError) for r in results) == 7
    assert len(scripted.requests) == 5


def test_budget_of_money_stops_before_it_is_passed() -> None:
    # prompt 9 tokens at 1,000 $/M = 0.009, answer at most 10 tokens at 1,000 $/M = 0.01: 0.019 expected, 0.012 real
    scripted = ScriptedModel([{"reply": "x", "usage": {"prompt_tokens": 9, "completion_tokens": 3}}])
    budget = Budget(max_cost=0.05)
    model = MeteredModel(scripted, budget, Price(1000.0, 1000.0))
    for _ in range(3):
        ask(model, max_tokens=10)
    with pytest.raises(BudgetError, match=r"of 0.05 US dollars .* spent 0.036, it may take 0.019; raise max_cost"):
        ask(model, max_tokens=10)
    assert budget.spent.cost == pytest.approx(0.036)


def test_budget_waits_for_calls_in_flight_rather_than_refusing() -> None:
    # each call may take 1,009 tokens and really takes 12: only by waiting can ten of them pass through 2,500
    rule = {"reply": "x", "latency": 0.002, "usage": {"prompt_tokens": 9, "completion_tokens": 3}}
    model = MeteredModel(ScriptedModel([rule]), Budget(max_tokens=2500), None)

    async def run() -> int:
        return len(await asyncio.gather(*(model.generate(request(max_tokens=1000, epoch=e)) for e in range(10))))

    assert asyncio.run(run()) == 10


def test_budget_in_money_needs_a_price() -> None:
    scripted = ScriptedModel([{"reply": "x"}], name="openai/unheard-of")
    with pytest.raises(BudgetError, match="no price is known for openai/unheard-of"):
        ask(with_limits(scripted, budget=Budget(max_cost=1.0)))
    assert not scripted.requests


def test_failed_calls_cost_nothing_and_timeouts_their_prompt() -> None:
    budget = Budget()
    with pytest.raises(EndpointError):
        ask(MeteredModel(ScriptedModel([{"error": "endpoint"}]), budget, Price(1.0, 1.0)))
    assert budget.spent == Usage()
    with pytest.raises(ModelTimeoutError):
        ask(MeteredModel(ScriptedModel([{"error": "timeout"}]), budget, Price(1000.0, 1.0)))
    assert (budget.spent.prompt_tokens, budget.spent.calls) == (9, 1)
    assert budget.spent.cost == pytest.approx(0.009)


@pytest.mark.parametrize("limit", [{"max_calls": -1}, {"max_tokens": float("nan")}, {"max_cost": float("inf")}])
def test_budget_is_checked(limit: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be 0 or more"):
        Budget(**limit)


def test_prices_that_come_with_the_package() -> None:
    prices = load_prices()
    small, large = prices.find("openai/gpt-4o-mini-2024-07-18"), prices.find("openai/gpt-4o")
    assert small is not None
    assert large is not None
    assert small.input < large.input
    assert prices.find("local/anything") == Price(0.0, 0.0)
    assert prices.find("openai/unheard-of") is None


def test_prices_of_the_user_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "prices.toml"
    own.write_text('[models]\n"openai/gpt-4o*" = { input = 7, output = 8 }\n')
    assert load_prices(own).find("openai/gpt-4o-mini") == Price(7, 8)
    monkeypatch.setenv("FALLAX_PRICES", str(own))
    assert load_prices().find("openai/gpt-4o") == Price(7, 8)
    monkeypatch.delenv("FALLAX_PRICES")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "fallax").mkdir()
    own.rename(tmp_path / "fallax" / "prices.toml")
    assert load_prices().find("openai/gpt-4o") == Price(7, 8)


@pytest.mark.parametrize(
    "text",
    ["models = 3", "[models]\na = 3", "[models]\na = {input = 1}", "[models]\na = {input = -1, output = 1}"],
)
def test_prices_are_checked(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(FormatError, match="prices must be"):
        load_prices(path)
    with pytest.raises(FormatError, match="readable"):
        load_prices(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "said"), [("[", "must be TOML, got"), ("a = " + "[" * 50_000, "must be TOML, got tables nested too deep")]
)
def test_a_price_list_that_is_no_toml_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(FormatError, match=said) as refused:
        load_prices(path)
    assert "\n" not in str(refused.value)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("content", ["[", "models = 3", "[models]\na = {input = -1, output = 1}", None, b"\xff"])
def test_a_damaged_list_that_ships_is_named_with_its_place_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | bytes | None
) -> None:
    path = tmp_path / "prices.toml"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.setattr("fallax.core.whole.resources.files", lambda _: tmp_path)
    with pytest.raises(FormatError, match=r"; this file ships with fallax, so install fallax again$") as refused:
        load_prices()
    assert str(refused.value).startswith(f"{path}: ")
    assert "\n" not in str(refused.value)


def test_prices_find_takes_the_longest_pattern_and_names_as_they_are() -> None:
    prices = Prices({"a/*": Price(1, 1), "a/b*": Price(2, 2), "a/[x]": Price(3, 3), "a/b": Price(4, 4)})
    found = [prices.find(name) for name in ("a/c", "a/bc", "a/[x]", "a/b", "c")]
    assert [None if p is None else p.input for p in found] == [1, 2, 3, 4, None]


def test_estimate_tokens_of_english_and_other_scripts() -> None:
    assert estimate_tokens("a" * 400) == 100
    assert estimate_tokens("é" + "a" * 4) == 2
    assert estimate_tokens("日本") == 2


def test_estimate_counts_what_would_be_asked(tmp_path: Path) -> None:
    scripted = ScriptedModel([{"reply": "x"}], name="openai/gpt-4o")
    requests = [request("12345678", max_tokens=100), request("12345678", max_tokens=100), request("1234")]
    with Cache(tmp_path / "calls.sqlite") as cache:
        prices = Prices({"openai/gpt-4o": Price(1.0, 2.0)})
        estimate = estimate_requests(scripted, requests, prices=prices, cache=cache, completion_tokens=200)
        # two different requests: 9 + 8 prompt tokens, 100 + 200 for the answers
        assert (estimate.n_calls, estimate.prompt_tokens, estimate.completion_tokens) == (2, 17, 300)
        assert estimate.cost == pytest.approx((17 * 1.0 + 300 * 2.0) / 1e6)
        ask(with_limits(scripted, cache=cache), "1234")
        scripted.requests.clear()
        later = estimate_requests(scripted, requests, prices=prices, cache=cache)
        assert (later.n_calls, later.n_cached) == (1, 1)
    assert not scripted.requests


def test_dry_run_answers_what_the_schema_asks_for() -> None:
    schema = {
        "type": "object",
        "required": ["label", "parts", "n", "note", "where"],
        "properties": {
            "label": {"$ref": "#/$defs/Label"},
            "parts": {"type": "array", "minItems": 2, "items": {"type": "string"}},
            "n": {"type": "integer", "minimum": 3},
            "note": {"anyOf": [{"type": "null"}, {"type": "string"}]},
            "where": {"const": "here"},
            "more": {"type": "string"},
        },
        "$defs": {"Label": {"enum": ["a", "b"]}},
    }
    assert example_of(schema) == {"label": "a", "parts": ["x", "x"], "n": 3, "note": None, "where": "here"}
    dry = DryRunModel(ScriptedModel([{"reply": "x"}], name="local/m"))
    assert ask(dry, json_schema={"type": "object"}).text == "{}"
    assert ask(dry).text == "yes"
    assert ask(dry).text == "yes"
    said = ask(dry, logprobs=20)
    assert [(t.token, t.logprob) for t in said.logprobs or ()] == [("yes", 0.0)]
    assert dry.name == "local/m"
    assert (dry.estimate.n_calls, dry.estimate.cost) == (3, 0.0)


def test_example_of_a_schema_that_holds_itself_ends() -> None:
    node = {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#/$defs/Node"}}}
    assert "next" in example_of({"$ref": "#/$defs/Node", "$defs": {"Node": node}})


def test_cached_answers_do_not_touch_the_budget(tmp_path: Path) -> None:
    budget = Budget(max_calls=1)
    with Cache(tmp_path / "calls.sqlite") as cache:
        model = with_limits(ScriptedModel([{"reply": "x"}]), budget=budget, cache=cache)
        assert ask(model) == ask(model)
    assert budget.spent.calls == 1
