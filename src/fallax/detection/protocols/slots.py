"""Asks a model to fill the template of a fallacy with words of the text; other words are rejected."""

from __future__ import annotations

from collections.abc import Mapping

from fallax.core.prompts import read_prompt
from fallax.core.replies import extract_json
from fallax.core.texts import fence, locate_quote
from fallax.core.types import Label, Message, Record, Reply, Request, Span

__all__ = ["read_slots", "slots_request"]


def slots_request(record: Record, span: Span, label: Label, *, max_tokens: int = 400) -> Request | None:
    """Ask for the words that fill the slots of a label's template; None if the label has no template."""
    if label.template is None:
        return None
    prompt = read_prompt("fallax.detection.protocols", "slots.v1")
    before, rest = prompt.split("{text}")
    between, after = rest.split("{passage}")
    head = (
        before.replace("{label}", label.name)
        .replace("{definition}", label.definition)
        .replace("{form}", label.template.fill({name: f"{{{name}}}" for name in label.template.slots}))
        .replace("{slots}", "\n".join(f"- {name}: {meaning}" for name, meaning in label.template.slots.items()))
    )
    content = head + fence(record.text, "text") + between + fence(record.text[span.start : span.end], "passage") + after
    schema = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in label.template.slots},
        "required": list(label.template.slots),
        "additionalProperties": False,
    }
    return Request((Message("user", content),), temperature=0.0, max_tokens=max_tokens, json_schema=schema)


def read_slots(record: Record, label: Label, reply: Reply) -> dict[str, str]:
    """The slots whose words occur in the text, in the text's spelling; an unreadable reply fills none.

    Examples
    --------
    >>> from fallax.core.taxonomies import load_taxonomy
    >>> label = load_taxonomy("mafalda")["ad hominem"]
    >>> record = Record("r", "Ann says tea is warm. She is a fool.")
    >>> read_slots(record, label, Reply('{"entity": "ann", "claim": "tea is warm", "attack": "she stinks"}'))
    {'entity': 'Ann', 'claim': 'tea is warm'}
    """
    if label.template is None:
        return {}
    try:
        said = extract_json(reply.text)
    except ValueError:
        return {}
    if not isinstance(said, Mapping):
        return {}
    found = {}
    for name in label.template.slots:
        words = said.get(name)
        place = locate_quote(record.text, words) if isinstance(words, str) and words.strip() else None
        if place is not None:
            found[name] = record.text[place.start : place.end]
    return found
