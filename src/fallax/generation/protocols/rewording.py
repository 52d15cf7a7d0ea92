"""Protocol: rewords numbered sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fallax.core.prompts import hash_of, read_prompt
from fallax.core.texts import fence
from fallax.core.types import Message, Reply, Request
from fallax.generation.protocols.generation import NUMBERED_SCHEMA, numbered_sentences

__all__ = ["RewordProtocol"]


class RewordProtocol:
    """Asks to reword sentences while keeping names, numbers and logical words.

    Examples
    --------
    >>> protocol = RewordProtocol()
    >>> "1: It rains." in protocol.request(["It rains."]).messages[0].content
    True
    >>> protocol.read(Reply('{"sentences": [{"n": 1, "text": "Rain is falling."}]}'))
    {1: 'Rain is falling.'}
    """

    name = "generation-reword.v1"

    def __init__(self) -> None:
        self._prompt = read_prompt("fallax.generation.protocols", "generation_reword.v1")

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt."""
        return hash_of(self._prompt)

    def request(self, sentences: Sequence[str], *, seed: int | None = None) -> Request:
        """The request about some sentences, numbered from 1."""
        shown = fence("\n".join(f"{n}: {s}" for n, s in enumerate(sentences, start=1)), "sentences")
        content = self._prompt.replace("{sentences}", shown)
        return Request((Message("user", content),), temperature=0.7, seed=seed, json_schema=NUMBERED_SCHEMA)

    def read(self, reply: Reply) -> Mapping[int, str]:
        """Read the sentences by number.

        Raises
        ------
        ReplyError
            If there is no JSON of the asked shape in the reply.
        """
        return numbered_sentences(reply)
