"""Prompts of ambiguity detectors, and reading of their replies.

Source: Koupaee et al. 2025, tables 31 and 32, reworded; the kinds are those of the taxonomy ``ambiguity``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fallax.core.prompts import read_prompt
from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import Ambiguity, Faithfulness, Reading, Reply, Session, Taxonomy
from fallax.errors import UnknownNameError
from fallax.faithfulness.protocols.faithfulness import fill, head_of, history_of
from fallax.faithfulness.protocols.guidelines import Guidelines
from fallax.faithfulness.protocols.labels import explanation_of, read_between, read_binary, without_thinking
from fallax.faithfulness.protocols.wording import ModeWords

__all__ = ["AMBIGUITY", "ambiguity_prompt", "read_ambiguity"]

AMBIGUITY = ModeWords(
    one=frozenset(("1", "1.0", "ambiguous", "yes", "true")),
    zero=frozenset(("0", "0.0", "unambiguous", "not ambiguous", "non-ambiguous", "nonambiguous", "no", "false")),
    statement=("ambiguous",),
    prefixes=("un", "non-", "non ", "non"),
)
_SIDE = re.compile(
    r"^\W*(?:factually\s+)?(in|un|not\s+)?(?:factually\s+)?(?:consistent|faithful)\W*(?::|\s[-–—])\W*", re.IGNORECASE
)
_TYPE_LINE = re.compile(r"^\W*types?\W*:\s*(.+)$", re.IGNORECASE | re.MULTILINE)


def _kinds(taxonomy: Taxonomy) -> str:
    return "\n".join(f"{i}. {x.name}: {x.definition}" for i, x in enumerate(taxonomy.labels, start=1))


def ambiguity_prompt(
    document: str,
    summary: str,
    *,
    sessions: Sequence[Session] = (),
    guidelines: Guidelines | None = None,
    taxonomy: Taxonomy | None = None,
) -> str:
    """The zero-shot prompt with the taxonomy (table 31), or with ``sessions`` the one with their arguments (table 32).

    Of each session every round is shown. The head is that of the debate, so that it is a prefix of earlier prompts.
    """
    kinds = _kinds(taxonomy or load_taxonomy("ambiguity"))
    head = head_of(document, summary, guidelines=guidelines)
    answer = read_prompt("fallax.faithfulness.protocols", "ambiguity_answer.v1")
    if not sessions:
        return fill(
            read_prompt("fallax.faithfulness.protocols", "ambiguity_taxonomy.v1"),
            head=head,
            taxonomy=kinds,
            answer=answer,
        )
    arguments = "\n\n".join(history_of(s.rounds, tag="arguments") for s in sessions)
    return fill(
        read_prompt("fallax.faithfulness.protocols", "ambiguity_arguments.v1"),
        head=head,
        taxonomy=kinds,
        arguments=arguments,
        answer=answer,
    )


def read_ambiguity(reply: Reply, *, detector: str, taxonomy: Taxonomy | None = None) -> Ambiguity:
    """Read whether a summary is ambiguous, of which kind, and its readings.

    The label is looked for as in :func:`fallax.faithfulness.protocols.labels.read_binary`. A kind that the
    taxonomy does not know is left out and named in ``unreadable``; the answer still counts. Where the answer is
    no, kinds and readings are left out.

    Examples
    --------
    >>> text = "<label>1</label><type>vague</type><reading>consistent: some rain</reading><reading>a flood</reading>"
    >>> found = read_ambiguity(Reply(text), detector="taxonomy")
    >>> found.is_ambiguous, found.types, found.readings
    (True, ('Vagueness',), (Reading(text='some rain', label='faithful'), Reading(text='a flood', label=None)))
    """
    known = taxonomy or load_taxonomy("ambiguity")
    cut = reply.stop_reason == "length"
    if reply.stop_reason == "content_filter":
        return Ambiguity(None, detector, unreadable="the endpoint withheld the reply", usage=reply.usage)
    value, reason = read_binary(reply.text, AMBIGUITY, cut=cut)
    answer = without_thinking(reply.text, cut=cut)
    types: list[str] = []
    if value == 1:
        for name in read_between(answer, "type") or _TYPE_LINE.findall(answer):
            for part in _parts(name, known):
                try:
                    label = known.resolve(part)
                except UnknownNameError:
                    reason = reason or f"the kind {part[:60]!r} is not in the taxonomy"
                    continue
                if label not in types:
                    types.append(label)
    readings = tuple(_reading(t) for t in read_between(answer, "reading")) if value == 1 else ()
    return Ambiguity(
        None if value is None else value == 1,
        detector,
        tuple(types),
        readings,
        explanation_of(answer),
        reason,
        reply.text,
        reply.usage,
    )


def _parts(name: str, known: Taxonomy) -> list[str]:
    """The name of a kind without its number; a compound that is no name is split."""
    name = re.sub(r"^\W*\d+[.)]\s*|\s*\(\d+\)\s*$", "", name).strip().strip('*_`"').strip()
    for whole in (name, re.split(r":|\s[-–—]\s", name, maxsplit=1)[0].strip()):
        try:
            known.resolve(whole)
        except UnknownNameError:
            continue
        return [whole]
    return [p.strip() for p in re.split(r"[,;/&\n]|\band\b", name) if p.strip()]


def _reading(text: str) -> Reading:
    side = _SIDE.match(text)
    if side is None:
        return Reading(text)
    label: Faithfulness = "unfaithful" if side[1] else "faithful"
    return Reading(text[side.end() :].strip() or text, label)
