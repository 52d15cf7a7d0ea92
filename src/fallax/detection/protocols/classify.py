"""Protocol: choose one label for a whole text from a list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fallax.core.prompts import hash_of, read_prompt
from fallax.core.replies import extract_json
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import fence
from fallax.core.types import NO_FALLACY, Message, Prediction, Record, Reply, Request, Taxonomy, Unreadable
from fallax.errors import UnknownNameError

__all__ = ["ClassifyProtocol"]


class ClassifyProtocol:
    """Asks for the one label of a taxonomy that fits a text.

    Parameters
    ----------
    taxonomy : the labels offered, with their definitions where they have one.
    or_none : offer "no fallacy" too, for corpora that have texts without one.
    max_tokens : the longest reply.

    Examples
    --------
    >>> protocol = ClassifyProtocol("logic", or_none=True)
    >>> record = Record("r", "Nobody complained, so it is fine.")
    >>> sorted(protocol.read(record, [Reply('{"label": "Ad Populum"}')]).text_labels)
    ['ad populum']
    >>> protocol.read(record, [Reply('{"label": "no fallacy"}')]).text_labels
    frozenset()
    """

    def __init__(self, taxonomy: Taxonomy | str = "mafalda", *, or_none: bool = False, max_tokens: int = 128) -> None:
        self.taxonomy = load_taxonomy(taxonomy) if isinstance(taxonomy, str) else taxonomy
        self.or_none = or_none
        self.max_tokens = max_tokens
        labels = "\n".join(f"- {x.name}: {x.definition}".removesuffix(": ") for x in self.taxonomy.labels)
        none = f' If it commits none of them, the label is "{NO_FALLACY}".' if or_none else ""
        filled = {"labels": labels, "none": none}
        prompt = read_prompt("fallax.detection.protocols", "classify.v1")
        self._before, self._after = (
            re.sub(r"\{(labels|none)\}", lambda m: filled[m[1]], part) for part in prompt.split("{text}")
        )
        names = [*self.taxonomy.names, *([NO_FALLACY] if or_none else [])]
        self._schema = {
            "type": "object",
            "properties": {"label": {"type": "string", "enum": names}},
            "required": ["label"],
            "additionalProperties": False,
        }

    @property
    def name(self) -> str:
        """``classify.v1``."""
        return "classify.v1"

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt with its labels and definitions."""
        return hash_of(self._before, self._after)

    def requests(self, record: Record) -> tuple[Request, ...]:
        """One request."""
        content = self._before + fence(record.text, "text") + self._after
        messages = (Message("user", content),)
        return (Request(messages, temperature=0.0, max_tokens=self.max_tokens, json_schema=self._schema),)

    def read(self, record: Record, replies: Sequence[Reply]) -> Prediction:
        """Read the label; a reply without an offered label is unreadable."""
        labels: set[str] = set()
        unreadable: list[Unreadable] = []
        for reply in replies:
            try:
                label = self._label(reply.text)
            except ValueError as error:
                unreadable.append(Unreadable(f"{error}{reply.cut_note}", reply.text))
                continue
            if label != NO_FALLACY:
                labels.add(label)
        return Prediction(record.id, labels=frozenset(labels), unreadable=tuple(unreadable), n_replies=len(replies))

    def _label(self, reply: str) -> str:
        value = extract_json(reply)
        label = value.get("label") if isinstance(value, Mapping) else value
        if not isinstance(label, str):
            raise ValueError("the JSON must hold a text named 'label'")
        if self.or_none and label.strip().lower() in (NO_FALLACY, "none"):
            return NO_FALLACY
        try:
            return self.taxonomy.resolve(label)
        except UnknownNameError:
            raise ValueError(f"the label is not in taxonomy {self.taxonomy.name!r}") from None
