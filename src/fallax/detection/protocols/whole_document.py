"""Protocol: one question about the whole document; quotes are located in the text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fallax.core.prompts import hash_of, read_prompt
from fallax.core.replies import extract_json
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import fence, locate_quote
from fallax.core.types import Message, Prediction, Record, Reply, Request, Span, Taxonomy, Unreadable
from fallax.errors import UnknownNameError

__all__ = ["WholeDocumentProtocol"]

_SCHEMA = {
    "type": "object",
    "properties": {
        "fallacies": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "quote": {"type": "string"},
                    "label": {"type": "string"},
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                    "reason": {"type": "string"},
                },
                "required": ["quote", "label"],
            },
        }
    },
    "required": ["fallacies"],
}


class WholeDocumentProtocol:
    """Asks once about a whole text; every passage is quoted and located.

    A quote is looked for exactly, then with normalised characters, then approximately (0.9); one that cannot be
    located, and one with a label outside the taxonomy, is reported as unreadable and predicts nothing.

    Parameters
    ----------
    taxonomy : the labels offered, with their definitions.
    max_tokens : the longest reply.

    Examples
    --------
    >>> protocol = WholeDocumentProtocol()
    >>> record = Record("r", "He lies. So he is wrong. Bye.")
    >>> reply = '{"fallacies": [{"quote": "he lies. so he is wrong.", "label": "Ad hominem", "confidence": 0.7}]}'
    >>> protocol.read(record, [Reply(reply)]).spans
    (Span(start=0, end=24, label='ad hominem', confidence=0.7),)
    """

    def __init__(self, taxonomy: Taxonomy | str = "mafalda", *, max_tokens: int = 2048) -> None:
        self.taxonomy = load_taxonomy(taxonomy) if isinstance(taxonomy, str) else taxonomy
        self.max_tokens = max_tokens
        labels = "\n".join(f"- {label.name}: {label.definition}" for label in self.taxonomy.labels)
        self._prompt = (
            read_prompt("fallax.detection.protocols", "whole_document.v1")
            .replace("{{", "{")
            .replace("}}", "}")
            .replace("{labels}", labels)
        )

    @property
    def name(self) -> str:
        """``whole-document.v1``."""
        return "whole-document.v1"

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt with its labels and definitions."""
        return hash_of(self._prompt)

    def requests(self, record: Record) -> tuple[Request, ...]:
        """One request; none for a blank text."""
        if not record.text.strip():
            return ()
        before, after = self._prompt.split("{text}")
        content = before + fence(record.text, "text") + after
        return (Request((Message("user", content),), temperature=0.0, max_tokens=self.max_tokens, json_schema=_SCHEMA),)

    def read(self, record: Record, replies: Sequence[Reply]) -> Prediction:
        """Read the reply and locate its quotes."""
        spans: dict[tuple[int, int, str], Span] = {}
        unreadable: list[Unreadable] = []
        for reply in replies:
            try:
                items = self._items(reply.text)
            except ValueError as error:
                unreadable.append(Unreadable(f"{error}{reply.cut_note}", reply.text))
                continue
            position = 0
            for item in items:
                found = self._span(record.text, item, position)
                if isinstance(found, Unreadable):
                    unreadable.append(found)
                else:
                    spans.setdefault((found.start, found.end, found.label), found)
                    position = found.start
        return Prediction(
            record.id, tuple(sorted(spans.values())), unreadable=tuple(unreadable), n_replies=len(replies)
        )

    @staticmethod
    def _items(reply: str) -> list[Any]:
        value = extract_json(reply)
        items = value.get("fallacies") if isinstance(value, Mapping) else value
        if not isinstance(items, list):
            raise ValueError("the JSON must hold a list named 'fallacies'")
        return items

    def _span(self, text: str, item: Any, position: int) -> Span | Unreadable:
        raw = json.dumps(item, ensure_ascii=False)
        if not isinstance(item, Mapping) or not all(isinstance(item.get(k), str) for k in ("quote", "label")):
            return Unreadable("an item must hold the texts 'quote' and 'label'", raw)
        try:
            label = self.taxonomy.resolve(item["label"])
        except UnknownNameError:
            return Unreadable(f"the label is not in taxonomy {self.taxonomy.name!r}", raw, item["quote"])
        place = locate_quote(text, item["quote"], near=position)
        if place is None:
            return Unreadable("the quote is not in the text", raw, item["quote"])
        confidence = item.get("confidence")
        usable = isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0 <= confidence <= 1
        return Span(place.start, place.end, label, float(confidence) if usable else None)  # type: ignore[arg-type]
