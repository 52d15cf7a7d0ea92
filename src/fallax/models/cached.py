"""A model that asks each question once, across calls, threads and processes."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future

from fallax.core.types.messages import ChatModel, Reply, Request
from fallax.models.cache import Cache, read_reply
from fallax.models.calls import Call
from fallax.models.keys import call_key
from fallax.models.layers import Layer

__all__ = ["CachedModel"]

#: Seconds between two looks for the answer to what another process asks.
_FIRST_WAIT, _LONGEST_WAIT = 0.02, 1.0


class CachedModel(Layer):
    """A model with a cache; identical questions at the same time are asked once.

    Calls that are alike and run at once, in any thread or process on this machine, share one question. A reply from the
    cache is the stored one, its usage included: what was paid for it once.

    Parameters
    ----------
    inner : who is asked what the cache does not know.
    cache : where answers are kept; many models may share one.
    """

    def __init__(self, inner: ChatModel, cache: Cache) -> None:
        super().__init__(inner)
        self.cache = cache
        self._identity = super().identity

    async def generate(self, request: Request) -> Reply:
        """The stored answer; otherwise the model's answer, stored before it is returned."""
        cache = self.cache
        key = call_key(self._identity, request)
        while True:
            with cache.lock:
                shared = cache.in_flight.get(key)
                if shared is None:
                    stored = cache.get(key)  # inside the lock: what was in flight a moment ago is stored by now
                    if stored is not None:
                        cache.n_hits += 1
                        return stored
                    own: Future[Reply | None] = Future()
                    cache.in_flight[key] = own
                    cache.n_misses += 1
            if shared is None:
                return await self._ask(key, request, own)
            reply = await _shared(shared)
            if reply is not None:  # None: the one who asked was cancelled; look again, and ask
                cache.n_hits += 1
                return reply

    async def _ask(self, key: str, request: Request, own: Future[Reply | None]) -> Reply:
        try:
            if (answered := await self._elsewhere(key)) is not None:
                self._leave(key)
                own.set_result(answered)
                return answered
            reply = await self.inner.generate(request)
            call = Call(key, request, reply, self.name, self._identity)

            def stored(kept: str | None, failure: BaseException | None) -> None:
                """Notify waiting callers from the writer's thread, even if the first caller was cancelled."""
                self._leave(key)
                try:
                    if failure is not None:
                        raise failure
                    own.set_result(reply if kept is None else read_reply(kept, self.cache.path, key))
                except Exception as error:
                    own.set_exception(error)

            self.cache.submit(call, stored)
        except Exception as error:
            self._leave(key)
            own.set_exception(error)
            raise
        except BaseException:
            self._leave(key)
            own.set_result(None)
            raise
        answer = await _shared(own)
        return reply if answer is None else answer

    async def _elsewhere(self, key: str) -> Reply | None:
        """The answer that another process received meanwhile; None once this process may ask."""
        wait = _FIRST_WAIT
        while True:
            free = self.cache.asking.claim(key)
            stored = self.cache.get(key)
            if stored is not None:
                self.cache.n_hits, self.cache.n_misses = self.cache.n_hits + 1, self.cache.n_misses - 1
                return stored
            if free:
                return None
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    def _leave(self, key: str) -> None:
        with self.cache.lock:
            self.cache.asking.release(key)
            self.cache.in_flight.pop(key, None)


async def _shared(future: Future[Reply | None]) -> Reply | None:
    """Wait for a shared result; cancelling one caller does not cancel it for others."""
    waiter = asyncio.wrap_future(future)
    waiter.add_done_callback(lambda done: done.cancelled() or done.exception())  # looked at, even if nobody waits
    return await asyncio.shield(waiter)
