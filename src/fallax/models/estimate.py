"""Estimates the cost of a job before anything is sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fallax.core.json_value import JsonValue
from fallax.core.types.messages import ChatModel, Reply, Request, TokenLogprob, Usage
from fallax.models.budget import Price, Prices, load_prices
from fallax.models.cache import Cache
from fallax.models.keys import call_key, identity_of, request_key
from fallax.models.layers import asked_in_the_end
from fallax.models.tokens import estimate_prompt_tokens, estimate_tokens

__all__ = ["DryRunModel", "Estimate", "estimate_requests", "example_of"]

EXPECTED_COMPLETION = 256


@dataclass(frozen=True, slots=True)
class Estimate(JsonValue):
    """The estimated cost of calls.

    Parameters
    ----------
    model : who would be asked.
    n_calls : calls to be made.
    n_cached : calls that a cache answers.
    prompt_tokens, completion_tokens : of the calls to be made; see :mod:`fallax.models.tokens`.
    cost : US dollars; None where the price is not known.

    Examples
    --------
    >>> print(Estimate("openai/gpt-4o", 2, 1, 3000, 500, 0.0125))
    openai/gpt-4o: 2 calls (1 more cached), about 3,000 prompt and 500 completion tokens, about 0.01 US dollars
    """

    model: str
    n_calls: int = 0
    n_cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None

    def __str__(self) -> str:
        cost = "price not known" if self.cost is None else f"about {self.cost:.2f} US dollars"
        return (
            f"{self.model}: {self.n_calls:,} calls ({self.n_cached:,} more cached), about {self.prompt_tokens:,} "
            f"prompt and {self.completion_tokens:,} completion tokens, {cost}"
        )


def estimate_requests(
    model: ChatModel,
    requests: Iterable[Request],
    *,
    prices: Prices | None = None,
    cache: Cache | None = None,
    completion_tokens: int = EXPECTED_COMPLETION,
) -> Estimate:
    """Estimate the cost of requests; sends nothing.

    Parameters
    ----------
    model : who would be asked. requests : what. Of requests that are alike only one would be made.
    prices : by default :func:`fallax.models.budget.load_prices`.
    cache : calls that it answers cost nothing.
    completion_tokens : how long an answer is expected to be, at most ``max_tokens`` of its request.

    Examples
    --------
    >>> from fallax.models import ScriptedModel
    >>> from fallax.core.types.messages import Message
    >>> estimate = estimate_requests(ScriptedModel([{"reply": "x"}]), [Request((Message("user", "12345678"),))] * 2)
    >>> estimate.n_calls, estimate.prompt_tokens, estimate.completion_tokens, estimate.cost
    (1, 9, 256, 0.0)
    """
    identity = identity_of(model)
    price = (prices or load_prices()).find(model.name)
    seen: set[str] = set()
    n_cached = 0
    total = Usage()
    for given in requests:
        request = asked_in_the_end(model, given)
        key = call_key(identity, request)
        if key in seen:
            continue
        seen.add(key)
        if cache is not None and cache.get(key) is not None:
            n_cached += 1
        else:
            total = total + _expected(request, completion_tokens)
    return _estimate(model.name, total, n_cached, price)


def _expected(request: Request, completion_tokens: int) -> Usage:
    most = completion_tokens if request.max_tokens is None else min(completion_tokens, request.max_tokens)
    return Usage(estimate_prompt_tokens(request), most, calls=1)


def _estimate(model: str, total: Usage, n_cached: int, price: Price | None) -> Estimate:
    cost = None if price is None else price.cost(total)
    return Estimate(model, total.calls, n_cached, total.prompt_tokens, total.completion_tokens, cost)


class DryRunModel:
    """A stand-in for a model that sends nothing and counts the calls.

    For jobs whose later questions depend on earlier answers: it answers each request with a text that fits (an instance
    of its schema, where it has one), with a log-probability where one is asked for, so that the job goes on, and adds
    the call up. How many rounds follow may differ from a real run where answers decide it.

    Parameters
    ----------
    model : the model it stands in for; its name and, for the cache, its identity are used.
    answer : a text for a request; by default :func:`example_of` its schema, else :attr:`text`.
    prices, cache, completion_tokens : as for :func:`estimate_requests`.

    Examples
    --------
    >>> import asyncio
    >>> from fallax.models import ScriptedModel
    >>> from fallax.core.types.messages import Message
    >>> dry = DryRunModel(ScriptedModel([{"reply": "x"}], name="openai/gpt-4o"))
    >>> _ = asyncio.run(dry.generate(Request((Message("user", "12345678"),), max_tokens=10)))
    >>> dry.estimate.n_calls, dry.estimate.prompt_tokens, dry.estimate.completion_tokens
    (1, 9, 10)
    """

    #: The answer to a request without a schema.
    text = "yes"

    def __init__(
        self,
        model: ChatModel,
        *,
        answer: Callable[[Request], str] | None = None,
        prices: Prices | None = None,
        cache: Cache | None = None,
        completion_tokens: int = EXPECTED_COMPLETION,
    ) -> None:
        self._model = model
        self._name = model.name
        self.identity = identity_of(model)
        self._answer = answer or self._any_answer
        self._price = (prices or load_prices()).find(model.name)
        self._cache = cache
        self._completion_tokens = completion_tokens
        self._total = Usage()
        self._n_cached = 0
        self._seen: set[str] = set()

    @property
    def name(self) -> str:
        """The name of the model it stands in for."""
        return self._name

    @property
    def estimate(self) -> Estimate:
        """The estimate so far."""
        return _estimate(self._name, self._total, self._n_cached, self._price)

    async def generate(self, request: Request) -> Reply:
        """The cached answer if there is one; otherwise count the call and return a fitting dummy answer."""
        request = asked_in_the_end(self._model, request)
        key = request_key(request)
        stored = self._cache.get(call_key(self.identity, request)) if self._cache is not None else None
        if key not in self._seen:
            self._seen.add(key)
            if stored is not None:
                self._n_cached += 1
            else:
                self._total = self._total + _expected(request, self._completion_tokens)
        if stored is not None:
            return stored
        text = self._answer(request)
        logprobs = None if request.logprobs is None else (TokenLogprob(text, 0.0),)
        usage = Usage(estimate_prompt_tokens(request), estimate_tokens(text), calls=1)
        return Reply(text, self._name, usage=usage, logprobs=logprobs)

    def _any_answer(self, request: Request) -> str:
        return self.text if request.json_schema is None else json.dumps(example_of(request.json_schema))


def example_of(schema: Mapping[str, Any], *, definitions: Mapping[str, Any] | None = None, depth: int = 0) -> Any:
    """A minimal value for a JSON schema: first choices, required fields only.

    Reads ``$ref`` into ``$defs``, ``const``, ``enum``, ``default``, ``anyOf``/``oneOf``/``allOf``, types, and least
    lengths and numbers; patterns and formats are not looked at.

    Examples
    --------
    >>> example_of({"type": "object", "properties": {"a": {"enum": ["x", "y"]}, "b": {}}, "required": ["a"]})
    {'a': 'x'}
    """
    known = definitions if definitions is not None else schema.get("$defs", schema.get("definitions", {}))
    if depth > 32:
        return None
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    if schema.get("enum"):
        return schema["enum"][0]
    if "$ref" in schema:
        return example_of(known.get(str(schema["$ref"]).rsplit("/", 1)[-1], {}), definitions=known, depth=depth + 1)
    for name in ("anyOf", "oneOf", "allOf"):
        if schema.get(name):
            return example_of(schema[name][0], definitions=known, depth=depth + 1)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        return {
            name: example_of(properties.get(name, {}), definitions=known, depth=depth + 1)
            for name in schema.get("required", ())
        }
    if kind == "array":
        item = schema.get("items", {})
        return [example_of(item, definitions=known, depth=depth + 1) for _ in range(schema.get("minItems", 0))]
    if kind == "string":
        return "x" * schema.get("minLength", 1)
    if kind in ("integer", "number"):
        return max(0, schema.get("minimum", 0), schema.get("exclusiveMinimum", -1) + 1)
    return {"boolean": True, "null": None}.get(str(kind), "x")
