"""Base class of model wrappers: they implement the same port as the model inside, so that they compose."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from fallax.core.types.messages import ChatModel, Reply, Request
from fallax.models.keys import identity_of

__all__ = ["Layer", "asked_in_the_end", "layers", "release"]


class Layer:
    """A wrapper around a model; passes calls through unless a subclass does more.

    Parameters
    ----------
    inner : the model that is asked. Name and identity are its own.

    Examples
    --------
    >>> import asyncio
    >>> from fallax.models import ScriptedModel
    >>> from fallax.core.types.messages import Message
    >>> model = Layer(ScriptedModel(lambda request: "yes"))
    >>> asyncio.run(model.generate(Request((Message("user", "?"),)))).text
    'yes'
    """

    def __init__(self, inner: ChatModel) -> None:
        self.inner = inner

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.inner!r})"

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self.inner.name

    @property
    def identity(self) -> dict[str, Any]:
        """The identity of the wrapped model, see :func:`fallax.models.keys.identity_of`."""
        return identity_of(self.inner)

    def asked(self, request: Request) -> Request:
        """The request as this layer passes it on; unchanged by default."""
        return request

    async def generate(self, request: Request) -> Reply:
        """Call the wrapped model."""
        return await self.inner.generate(request)

    async def aclose(self) -> None:
        """Close the connections of this event loop; the model can be used again afterwards."""
        await release(self.inner)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def layers(model: ChatModel) -> Iterator[ChatModel]:
    """The model and all models inside it, outermost first."""
    current: ChatModel | None = model
    while current is not None:
        yield current
        current = current.inner if isinstance(current, Layer) else None


def asked_in_the_end(model: ChatModel, request: Request) -> Request:
    """The request that the innermost model receives when the outermost one is given ``request``."""
    for layer in layers(model):
        if isinstance(layer, Layer):
            request = layer.asked(request)
    return request


async def release(model: ChatModel) -> None:
    """Close the connections that a model holds in this event loop, if any."""
    close = getattr(model, "aclose", None)
    if close is not None:
        await close()
