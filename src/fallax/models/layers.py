"""The shape of everything that wraps a model: same port outside and inside, so that wrappers compose."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from fallax.core.types.messages import ChatModel, Reply, Request
from fallax.models.keys import identity_of

__all__ = ["Layer", "asked_in_the_end", "layers", "release"]


class Layer:
    """A model around another model; answers what the inner one answers unless a subclass does more.

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
        """The name of the model inside."""
        return self.inner.name

    @property
    def identity(self) -> dict[str, Any]:
        """What can change an answer, as :func:`fallax.models.keys.identity_of` gives it for the model inside."""
        return identity_of(self.inner)

    def asked(self, request: Request) -> Request:
        """What becomes of a request on its way in; most layers leave it as it is."""
        return request

    async def generate(self, request: Request) -> Reply:
        """Ask the model inside."""
        return await self.inner.generate(request)

    async def aclose(self) -> None:
        """Give back the connections of this event loop; the model can still be used afterwards."""
        await release(self.inner)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def layers(model: ChatModel) -> Iterator[ChatModel]:
    """The model and everything inside it, outermost first."""
    current: ChatModel | None = model
    while current is not None:
        yield current
        current = current.inner if isinstance(current, Layer) else None


def asked_in_the_end(model: ChatModel, request: Request) -> Request:
    """What the innermost model is asked when the outermost is asked ``request``."""
    for layer in layers(model):
        if isinstance(layer, Layer):
            request = layer.asked(request)
    return request


async def release(model: ChatModel) -> None:
    """Close what a model holds open in this event loop, where it holds anything."""
    close = getattr(model, "aclose", None)
    if close is not None:
        await close()
