"""The interface of detection protocols: requests out, replies in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from fallax.core.types import ChatModel, Prediction, Record, Reply, Request
from fallax.errors import ModelError

__all__ = ["DetectionProtocol", "detect_with_model"]


class DetectionProtocol(Protocol):
    """The port of a detection protocol: makes requests, and reads replies into a prediction.

    A protocol never sees a model: :meth:`requests` says what to ask, :meth:`read` reads what came back, in the same
    order. Replies from an endpoint, a recording or a script are all read by the same code.
    """

    @property
    def name(self) -> str:
        """The name in signatures, with the version of its prompt."""

    @property
    def prompt_hash(self) -> str:
        """A hash (twelve hex digits) of all fixed text."""

    def requests(self, record: Record) -> tuple[Request, ...]:
        """The requests about a record, independent of each other."""

    def read(self, record: Record, replies: Sequence[Reply]) -> Prediction:
        """Read the replies to :meth:`requests`."""


async def detect_with_model(protocol: DetectionProtocol, record: Record, model: ChatModel) -> Prediction:
    """Send all requests of a protocol about a record at once, and read the replies.

    Returns
    -------
    Prediction
        With ``unscored`` set to the reason if the model did not answer: that is no wrong answer.
    """
    import asyncio

    requests = protocol.requests(record)
    try:
        replies = await asyncio.gather(*(model.generate(r) for r in requests))
    except ModelError as error:
        return Prediction(record.id, unscored=str(error))
    return protocol.read(record, replies)
