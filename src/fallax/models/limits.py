"""Limits on model calls: concurrency, timeouts and retries."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import threading
import time
from collections import deque
from dataclasses import dataclass

from fallax.core.types.messages import ChatModel, Reply, Request
from fallax.errors import FallaxError, InputError, ModelError, ModelTimeoutError, RateLimitError, one_line
from fallax.models.keys import request_key
from fallax.models.layers import Layer

__all__ = ["AdaptiveGate", "GatedModel", "Limits", "RetryingModel", "TimedModel"]

_log = logging.getLogger(__name__)

SLOW_PROBE_WINDOWS = 5
CLOCK_SLACK = 0.01  # an event loop may call a little early; then nobody would be let in and nobody would look again


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on model calls. None of them changes an answer.

    Parameters
    ----------
    max_connections : calls in flight at most, 1 or more.
    start_connections : calls in flight at the beginning; doubles with every round of answers until the endpoint
        refuses, or ``max_connections`` is reached.
    timeout : seconds for one try, from sending to the end of the answer.
    max_retries : tries after the first, 0 or more. The default outlasts an endpoint that counts calls per minute.
    backoff : seconds before the second try; doubles with every further one, each drawn between half and all of it.
    max_backoff : seconds at most between tries that the endpoint has not asked for.
    max_retry_after : seconds that an endpoint may ask to wait (``Retry-After``); when it asks for more, the call fails.
    seed : of the draws.

    Raises
    ------
    InputError : a bound out of its range.
    """

    max_connections: int = 64
    start_connections: int = 32
    timeout: float = 600.0
    max_retries: int = 8
    backoff: float = 0.5
    max_backoff: float = 60.0
    max_retry_after: float = 600.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("max_connections", 1), ("start_connections", 1), ("max_retries", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(f"{name} must be a whole number of {least} or more, got {value!r}")
        for name in ("timeout", "backoff", "max_backoff", "max_retry_after"):
            value = getattr(self, name)
            if not value >= 0 or (name == "timeout" and value == 0):
                raise InputError(f"{name} must be a number of seconds above 0, got {value!r}")


_Waiter = tuple[asyncio.AbstractEventLoop, "asyncio.Future[int]"]


class AdaptiveGate:
    """Adapts the number of concurrent calls to what the endpoint accepts.

    Additive increase, multiplicative decrease: the number allowed doubles per round of answers until the first
    refusal, which halves it; after that it grows by one per round of answers and shrinks by a twentieth at a refusal,
    by more when the next round is refused again. Refusals of calls that were under way before a cut do not cut again.
    The number at which calls were refused is remembered, and tried again only every fifth round, so that few calls
    are refused once the capacity is known. Calls of several threads and event loops share one gate.

    Parameters
    ----------
    maximum : never more than this.
    start : the number allowed at the beginning.
    """

    def __init__(self, *, maximum: int, start: int | None = None) -> None:
        self.maximum = maximum
        self.limit = min(maximum, start or maximum)
        self.in_flight = 0
        self.n_refused = 0
        self._generation = 0
        self._slow_start = True
        self._ceiling = math.inf
        self._peak = 0
        self._successes = 0
        self._strikes = 0
        self._paused_until = 0.0
        self._waiters: deque[_Waiter] = deque()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"AdaptiveGate(limit={self.limit}, in_flight={self.in_flight}, maximum={self.maximum})"

    async def acquire(self) -> int:
        """Wait for a slot; returns a ticket for :meth:`refused` and :meth:`succeeded`. Then call :meth:`release`."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if not self._waiters and self._open():
                return self._enter()
            future: asyncio.Future[int] = loop.create_future()
            waiter = (loop, future)
            self._waiters.append(waiter)
            pause = self._paused_until - time.monotonic()
            if pause > 0:
                loop.call_later(pause + CLOCK_SLACK, self._admit)
        try:
            return await future
        except asyncio.CancelledError:
            with self._lock:
                queued = waiter in self._waiters
                if queued:
                    self._waiters.remove(waiter)
            if not queued and future.done() and not future.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Free the slot."""
        with self._lock:
            self.in_flight -= 1
        self._admit()

    def succeeded(self, ticket: int) -> None:
        """Record a successful call; the limit may grow."""
        with self._lock:
            busy = bool(self._waiters) or self.in_flight >= self.limit
            if ticket != self._generation or not busy or self.limit >= self.maximum:
                return
            self._successes += 1
            if self._slow_start:
                self.limit += 1
            else:
                rounds = 1 if self.limit + 1 < self._ceiling else SLOW_PROBE_WINDOWS
                if self._successes < rounds * self.limit:
                    return
                if self.limit >= self._ceiling:
                    self._ceiling = math.inf  # what was refused once has been borne for long: the capacity has grown
                self._successes = 0
                self._strikes = 0
                self.limit += 1
        self._admit()

    def refused(self, ticket: int, retry_after: float | None = None) -> None:
        """Record a rate-limit error: lower the limit; if that was not enough before, pause as the endpoint asks."""
        with self._lock:
            self.n_refused += 1
            if ticket == self._generation:
                self._strikes += 1
                factor = 0.5 if self._slow_start else max(0.5, 0.95 - 0.15 * (self._strikes - 1))
                reached = min(self.limit, max(self._peak, 1))
                self._ceiling = reached
                self.limit = max(1, min(int(reached * factor), reached - 1))
                self._slow_start = False
                self._successes = 0
                self._generation += 1
                self._peak = self.in_flight
                if self._strikes > 1 and retry_after:
                    self._pause(retry_after)

    def quota(self, *, remaining: int | None, reset: float | None) -> None:
        """Apply rate-limit headers: with nothing remaining, send no call before the reset (in seconds)."""
        if remaining is not None and remaining <= 0 and reset is not None and reset > 0:
            with self._lock:
                self._pause(reset)

    def _pause(self, seconds: float) -> None:
        self._paused_until = max(self._paused_until, time.monotonic() + seconds)
        delay = self._paused_until - time.monotonic() + CLOCK_SLACK
        for loop in {loop for loop, _ in self._waiters}:
            try:
                loop.call_soon_threadsafe(loop.call_later, delay, self._admit)
            except RuntimeError:
                continue  # that event loop has ended

    def _open(self) -> bool:
        return self.in_flight < self.limit and time.monotonic() >= self._paused_until

    def _enter(self) -> int:
        self.in_flight += 1
        self._peak = max(self._peak, self.in_flight)
        return self._generation

    def _admit(self) -> None:
        with self._lock:
            while self._waiters and self._open():
                loop, future = self._waiters.popleft()
                ticket = self._enter()
                try:
                    loop.call_soon_threadsafe(self._give, future, ticket)
                except RuntimeError:
                    self.in_flight -= 1

    def _give(self, future: asyncio.Future[int], ticket: int) -> None:
        if future.cancelled():
            self.release()
        else:
            future.set_result(ticket)


class GatedModel(Layer):
    """A model whose concurrent calls are limited by a gate."""

    def __init__(self, inner: ChatModel, gate: AdaptiveGate) -> None:
        super().__init__(inner)
        self.gate = gate

    async def generate(self, request: Request) -> Reply:
        """Wait for a slot, then call the model."""
        gate = self.gate
        ticket = await gate.acquire()
        try:
            reply = await self.inner.generate(request)
        except RateLimitError as error:
            gate.refused(ticket, error.retry_after)
            raise
        else:
            gate.succeeded(ticket)
            return reply
        finally:
            gate.release()


class TimedModel(Layer):
    """A model with a timeout; whatever it raises, or gives in place of a reply, becomes an error of the call."""

    def __init__(self, inner: ChatModel, timeout: float) -> None:
        super().__init__(inner)
        self.timeout = timeout

    async def generate(self, request: Request) -> Reply:
        """Ask.

        Raises
        ------
        ModelTimeoutError : no complete answer within the time, or the model raised a TimeoutError of its own.
        ModelError : the model raised an exception that is none of fallax, or gave something that is no reply.
        """
        try:
            async with asyncio.timeout(self.timeout) as timer:
                reply: object = await self.inner.generate(request)
        except (FallaxError, MemoryError):
            raise
        except TimeoutError as error:
            if not timer.expired():
                raise ModelTimeoutError(self._failed(error), provider=self.name) from error
            raise ModelTimeoutError(
                f"no answer within {self.timeout:g} s",
                provider=self.name,
                hint="allow more time, ask for fewer tokens, or ask fewer at a time",
            ) from None
        except Exception as error:
            raise ModelError(self._failed(error), provider=self.name) from error
        if not isinstance(reply, Reply) or not isinstance(reply.text, str):
            raise ModelError(
                f"generate must give a Reply with a text, got {one_line(repr(reply), 60)}", provider=self.name
            )
        return reply

    def _failed(self, error: Exception) -> str:
        return f"the call failed: {one_line(f'{type(error).__name__}: {error}', 300)}"


class RetryingModel(Layer):
    """A model that retries calls that may succeed later.

    The waits are drawn from the seed, the request and the number of the try, so they do not depend on what else runs.
    ``Retry-After`` is always waited for, and never shortened.
    """

    def __init__(self, inner: ChatModel, limits: Limits) -> None:
        super().__init__(inner)
        self.limits = limits

    async def generate(self, request: Request) -> Reply:
        """Call the model, with retries.

        Raises
        ------
        ModelError : what the last try said.
        """
        n_tries = 0
        while True:
            try:
                return await self.inner.generate(request)
            except ModelError as error:
                n_tries += 1
                asked = error.retry_after if isinstance(error, RateLimitError) else None
                if not error.retryable or n_tries > self.limits.max_retries:
                    raise
                if asked is not None and asked > self.limits.max_retry_after:
                    error.add_note(f"the endpoint asks to wait {asked:g} s, more than max_retry_after allows")
                    raise
                wait = self._wait(request, n_tries, asked)
                _log.info("%s; try %d follows in %.1f s", error, n_tries + 1, wait)
            await asyncio.sleep(wait)

    def _wait(self, request: Request, n_tries: int, asked: float | None) -> float:
        limits = self.limits
        draw = random.Random(f"{limits.seed}:{n_tries}:{request_key(request)}").uniform(0.5, 1.0)
        own = draw * min(limits.max_backoff, limits.backoff * 2.0 ** (n_tries - 1))
        return own if asked is None else max(own, asked + (draw - 0.5) * limits.backoff)
