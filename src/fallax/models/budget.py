"""Prices of calls, and limits on spending."""

from __future__ import annotations

import asyncio
import fnmatch
import math
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fallax.core.types.messages import ChatModel, Reply, Request, Usage
from fallax.core.whole import INSTALL_AGAIN, packaged_path, packaged_toml, read_whole_toml
from fallax.errors import BudgetError, FormatError, InputError, ModelTimeoutError
from fallax.models.layers import Layer
from fallax.models.tokens import estimate_prompt_tokens

__all__ = ["Budget", "MeteredModel", "Price", "Prices", "load_prices"]

LEAST_EXPECTED_COMPLETION = 1024


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a model, in US dollars per million tokens.

    Examples
    --------
    >>> Price(input=2.0, output=8.0, cached_input=0.5).cost(Usage(prompt_tokens=1_000_000, cached_tokens=500_000))
    1.25
    """

    input: float
    output: float
    cached_input: float | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "cached_input"):
            value = getattr(self, name)
            if value is None and name == "cached_input":
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
                raise InputError(f"{name} must be a price of 0 or more dollars per million tokens, got {value!r}")

    def cost(self, usage: Usage) -> float:
        """The cost in dollars; reasoning tokens count as completion tokens."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        cached_price = self.input if self.cached_input is None else self.cached_input
        fresh = (usage.prompt_tokens - cached) * self.input
        return (fresh + cached * cached_price + usage.completion_tokens * self.output) / 1_000_000


class Prices:
    """Prices by pattern of model name; the longest matching pattern applies.

    Examples
    --------
    >>> prices = Prices({"a/*": Price(1, 2), "a/small": Price(0.1, 0.2)})
    >>> prices.find("a/small").input, prices.find("a/large").input, prices.find("b/large")
    (0.1, 1, None)
    """

    def __init__(self, *tables: Mapping[str, Price]) -> None:
        self.tables = tables

    def find(self, model: str) -> Price | None:
        """The price of a model, or None if it is unknown. Earlier tables take precedence."""
        for table in self.tables:
            fitting = [pattern for pattern in table if pattern == model or fnmatch.fnmatchcase(model, pattern)]
            if fitting:
                return table[max(fitting, key=lambda pattern: (pattern == model, len(pattern)))]
        return None


def _prices_of(table: Mapping[str, Any], path: str | Path, advice: str = "") -> dict[str, Price]:
    try:
        return {str(name): Price(**entry) for name, entry in table.get("models", {}).items()}
    except (TypeError, AttributeError, InputError) as error:
        raise FormatError(
            f'prices must be [models] "name" = {{ input = 1.0, output = 2.0 }}: {error}{advice}', path=str(path)
        ) from error


def load_prices(path: str | Path | None = None) -> Prices:
    """The shipped prices, after those of the user if there are any.

    Parameters
    ----------
    path : the user's file; by default ``$FALLAX_PRICES``, else ``fallax/prices.toml`` in the configuration folder.

    Raises
    ------
    FormatError
        If the named file is missing or is not a price list, or the shipped list is damaged.
    """
    named = path or os.environ.get("FALLAX_PRICES")
    config = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    user = Path(named) if named else Path(config) / "fallax" / "prices.toml"
    shipped = "fallax.models", "prices.toml"
    tables = [_prices_of(packaged_toml(*shipped), packaged_path(*shipped), f"; {INSTALL_AGAIN}")]
    if named or user.exists():
        tables.insert(0, _prices_of(read_whole_toml(user), user))
    return Prices(*tables)


class Budget:
    """A spending limit that many models and threads can share.

    A call is let through only if what was spent, what calls in flight may still cost, and what it may cost itself stay
    within every limit; while only calls in flight stand in its way it waits for them. What a call may cost is its
    prompt (estimated, see :mod:`fallax.models.tokens`) and ``max_tokens`` of its request; where that is open, the
    longest answer so far, at least 1,024 tokens. So with ``max_tokens`` set the limits can be passed only by the error
    of the estimate, without it also by the excess of the answers in flight.

    Parameters
    ----------
    max_calls, max_tokens : limits on answered calls and on tokens of prompts and answers; None: none.
    max_cost : US dollars; a model whose price is not known is then refused. None: no limit.

    Examples
    --------
    >>> budget = Budget(max_calls=1)
    >>> claim = budget.claim(Usage(calls=1))
    >>> budget.settle(claim, Usage(calls=1))
    >>> budget.claim(Usage(calls=1))
    Traceback (most recent call last):
    fallax.errors.BudgetError: the budget of 1 calls does not cover the next call: spent 1, it may take 1; \
raise max_calls or ask less
    """

    def __init__(
        self, *, max_calls: int | None = None, max_tokens: int | None = None, max_cost: float | None = None
    ) -> None:
        for name, value in (("max_calls", max_calls), ("max_tokens", max_tokens), ("max_cost", max_cost)):
            if value is not None and not 0 <= value < math.inf:
                raise InputError(f"{name} must be 0 or more, got {value!r}")
        self.max_calls = max_calls
        self.max_tokens = max_tokens
        self.max_cost = max_cost
        self.spent = Usage()
        self._claimed: dict[int, Usage] = {}
        self._n_claims = 0
        self._longest = LEAST_EXPECTED_COMPLETION
        self._lock = threading.Lock()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []

    def __repr__(self) -> str:
        limits = f"max_calls={self.max_calls}, max_tokens={self.max_tokens}, max_cost={self.max_cost}"
        return f"Budget({limits}, spent={self.spent})"

    def expected(self, request: Request, price: Price | None) -> Usage:
        """The maximum cost of a call, as far as it is known before sending."""
        completion = self._longest if request.max_tokens is None else request.max_tokens
        usage = Usage(prompt_tokens=estimate_prompt_tokens(request), completion_tokens=completion, calls=1)
        return usage if price is None else replace(usage, cost=price.cost(usage))

    def claim(self, expected: Usage) -> int | None:
        """Reserve the maximum cost of a call; None if calls in flight must finish first.

        Returns
        -------
        int : the number of the claim, for :meth:`settle`.

        Raises
        ------
        BudgetError : the call does not fit any more, whatever comes back.
        """
        with self._lock:
            claimed = list(self._claimed.values())
            wait = False
            for option, unit, limit, amount in self._limits():
                own, spent = amount(expected), amount(self.spent)
                if spent + own > limit:
                    raise BudgetError(
                        f"the budget of {limit:g} {unit} does not cover the next call: spent {spent:g}, "
                        f"it may take {own:g}",
                        hint=f"raise {option} or ask less",
                    )
                wait = wait or spent + own + sum(amount(c) for c in claimed) > limit
            if wait:
                return None
            self._n_claims += 1
            self._claimed[self._n_claims] = expected
            return self._n_claims

    def _limits(self) -> list[tuple[str, str, float, Any]]:
        rows: list[tuple[str, str, float | None, Any]] = [
            ("max_calls", "calls", self.max_calls, lambda u: u.calls),
            ("max_tokens", "tokens", self.max_tokens, lambda u: u.prompt_tokens + u.completion_tokens),
            ("max_cost", "US dollars", self.max_cost, lambda u: u.cost or 0.0),
        ]
        return [(option, unit, limit, amount) for option, unit, limit, amount in rows if limit is not None]

    def settle(self, claim: int, usage: Usage | None) -> None:
        """Release a reservation and record the real cost; None if nothing was spent."""
        with self._lock:
            del self._claimed[claim]
            if usage is not None:
                self.spent = self.spent + usage
                self._longest = max(self._longest, usage.completion_tokens)
            waiting, self._waiting = self._waiting, []
        for loop, future in waiting:
            try:
                loop.call_soon_threadsafe(_wake, future)
            except RuntimeError:
                continue  # that event loop has ended, and its caller with it

    async def claim_in_turn(self, expected: Usage) -> int:
        """Like :meth:`claim`, waiting for calls in flight if necessary."""
        while True:
            loop = asyncio.get_running_loop()
            future: asyncio.Future[None] = loop.create_future()
            with self._lock:
                self._waiting.append((loop, future))
            try:
                claim = self.claim(expected)
                if claim is not None:
                    return claim
                await future
            finally:
                with self._lock:
                    if (loop, future) in self._waiting:
                        self._waiting.remove((loop, future))


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class MeteredModel(Layer):
    """A model that prices its answers and stops at the budget.

    A call that ran out of time is counted as if its prompt had been paid for; other failures cost nothing.

    Parameters
    ----------
    inner : who is asked.
    budget : where what is spent is counted.
    price : what the model costs; None: not known, and usage has no cost unless the endpoint says it.
    """

    def __init__(self, inner: ChatModel, budget: Budget, price: Price | None) -> None:
        super().__init__(inner)
        self.budget = budget
        self.price = price

    async def generate(self, request: Request) -> Reply:
        """Call the model within the budget.

        Raises
        ------
        BudgetError : the call could exceed the budget, or the budget is in money and the price is not known.
        """
        if self.price is None and self.budget.max_cost is not None:
            raise BudgetError(
                f"no price is known for {self.name}, so max_cost cannot be kept",
                provider=self.name,
                hint="add it to your price list ($FALLAX_PRICES) or limit calls or tokens instead",
            )
        expected = self.budget.expected(request, self.price)
        claim = await self.budget.claim_in_turn(expected)
        spent: Usage | None = None
        try:
            reply = await self.inner.generate(request)
            if reply.usage.cost is None and self.price is not None:
                reply = replace(reply, usage=replace(reply.usage, cost=self.price.cost(reply.usage)))
            spent = reply.usage
            return reply
        except ModelTimeoutError:
            prompt = replace(expected, completion_tokens=0, cost=None)
            spent = prompt if self.price is None else replace(prompt, cost=self.price.cost(prompt))
            raise
        finally:
            self.budget.settle(claim, spent)
