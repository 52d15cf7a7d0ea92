"""Crosswalks: how the labels of one taxonomy map to those of another.

The relation says what the *target* covers: ``exact`` the same, ``broader`` more (every passage of the source label
is one of the target), ``narrower`` less (every passage of the target is one of the source label), ``none``.

Every fallacy and propaganda set has one file that relates it to the hub, mafalda. Closely related sets also have a
file of their own (propaganda18 and propaganda14). Everything else is derived:

- the other direction: exact stays, broader and narrower change places;
- two sets without a file: through the hub, and only where the two steps allow a conclusion:

  ======== ======== ========
  to hub   from hub result
  ======== ======== ========
  exact    r        r
  r        exact    r
  broader  broader  broader
  narrower narrower narrower
  broader  narrower nothing
  narrower broader  nothing
  ======== ======== ========

  If one path gives broader and another narrower for the same pair, each covers the other, so the two are exact.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any, get_args

from fallax.core.taxonomies._load import list_taxonomies, load_taxonomy
from fallax.core.types.spans import NO_FALLACY, Span
from fallax.core.types.taxonomy import Mapped, Relation
from fallax.errors import InputError, UnknownNameError

__all__ = ["HUB", "carry_spans", "crosswalk", "map_label"]

#: The taxonomy that every other one is related to.
HUB = "mafalda"

_INVERSE: dict[Relation, Relation] = {
    "exact": "exact",
    "broader": "narrower",
    "narrower": "broader",
    "none": "none",
}
_NOTHING_FOLLOWS = f"nothing follows from how the two sets relate to {HUB}"


@cache
def _rows(stem: str) -> tuple[Mapped, ...] | None:
    """The rows of a crosswalk file, or None if there is no such file."""
    file = resources.files("fallax.core.taxonomies") / "data" / "crosswalks" / f"{stem}.json"
    if not file.is_file():
        return None
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return tuple(Mapped(**row) for row in content["rows"])


def _written(source: str, target: str) -> tuple[Mapped, ...] | None:
    return _rows(source if target == HUB else f"{source}--{target}")


def _totalled(rows: Iterable[Mapped], source: str, why: str = "") -> tuple[Mapped, ...]:
    """The rows in the order of the source's labels, with a "none" row for each label that has no other."""
    by_label: dict[str, list[Mapped]] = {}
    for row in rows:
        by_label.setdefault(row.label, []).append(row)
    return tuple(
        row for name in load_taxonomy(source).names for row in by_label.get(name, [Mapped(name, None, "none", why)])
    )


def _inverted(rows: Iterable[Mapped], source: str) -> tuple[Mapped, ...]:
    return _totalled(
        (Mapped(row.target, row.label, _INVERSE[row.relation], row.note) for row in rows if row.target is not None),
        source,
    )


def _then(first: Relation, second: Relation) -> Relation | None:
    """The combination of two crosswalk steps; None if nothing follows."""
    if first == "exact" or first == second:
        return second
    return first if second == "exact" else None


def _through_hub(source: str, target: str) -> tuple[Mapped, ...]:
    onward: dict[str, list[Mapped]] = {}
    for row in crosswalk(HUB, target):
        if row.target is not None:
            onward.setdefault(row.label, []).append(row)
    found: dict[tuple[str, str], set[Relation]] = {}
    via: dict[tuple[str, str], list[str]] = {}
    related = set()
    for first in crosswalk(source, HUB):
        if first.target is None:
            continue
        related.add(first.label)
        for second in onward.get(first.target, ()):
            relation = _then(first.relation, second.relation)
            if relation is not None and second.target is not None:
                pair = (first.label, second.target)
                found.setdefault(pair, set()).add(relation)
                via.setdefault(pair, []).append(first.target)
    rows = [
        Mapped(label, end, relations.pop() if len(relations) == 1 else "exact", f"through {', '.join(via[label, end])}")
        for (label, end), relations in found.items()
    ]
    done = {row.label for row in rows}
    rows += [Mapped(label, None, "none", _NOTHING_FOLLOWS) for label in related - done]
    return _totalled(rows, source, f"no counterpart in {HUB}")


def crosswalk(source: str, target: str) -> tuple[Mapped, ...]:
    """The crosswalk from ``source`` to ``target``, one or more rows per label.

    Each label appears at least once, in the order of its taxonomy: once for each target it relates to, or once with
    the relation "none". A taxonomy related to itself gives exact rows.

    Raises
    ------
    UnknownNameError
        If there is no taxonomy of that name.
    InputError
        If the two do not speak of the same things (ambiguity against fallacies), or one is a label set of one's own.

    Notes
    -----
    Read from one file a pair where there is one, and derived otherwise; see the table at the top of this module. A
    row that was derived through mafalda says so in its note. "none" from such a derivation means that nothing
    follows, not that the labels have nothing in common.

    Examples
    --------
    >>> [(row.target, row.relation) for row in crosswalk("logic", "mafalda") if row.label == "faulty generalization"]
    [('hasty generalization', 'narrower'), ('slippery slope', 'narrower')]
    >>> [(row.target, row.relation) for row in crosswalk("mafalda", "logic") if row.label == "slippery slope"]
    [('faulty generalization', 'broader')]
    >>> [(row.target, row.relation) for row in crosswalk("smartypat", "logic") if row.label == "Wrong Direction"]
    [('false causality', 'broader')]
    """
    for name in (source, target):
        load_taxonomy(name)
        if name not in list_taxonomies() and source != target:
            raise InputError(f"crosswalk {source!r} to {target!r}: {name!r} is a label set of your own and has none")
    return _crosswalk(source, target)


@cache
def _crosswalk(source: str, target: str) -> tuple[Mapped, ...]:
    if source == target:
        return tuple(Mapped(name, name, "exact") for name in load_taxonomy(source).names)
    rows = _written(source, target)
    if rows is not None:
        return _totalled(rows, source)
    rows = _written(target, source)
    if rows is not None:
        return _inverted(rows, source)
    for name in (source, target):
        if name != HUB and _written(name, HUB) is None:
            raise InputError(f"crosswalk {source!r} to {target!r}: both must be sets of fallacies, {name!r} is not one")
    return _through_hub(source, target)


def map_label(
    label: str, source: str, target: str, *, allow: Collection[Relation] = ("exact", "broader")
) -> tuple[str, ...]:
    """The labels of ``target`` that a label of ``source`` may map to.

    With the default, what is true of the source label is true of each label returned: a passage that carries the
    one carries the other. Allow "narrower" to get the candidates of which one may hold.

    Parameters
    ----------
    label : in any spelling that the source taxonomy accepts; "no fallacy" stays "no fallacy" between any two sets.
    source, target : names of taxonomies.
    allow : the relations to accept.

    Returns
    -------
    tuple of str
        Canonical labels of the target, exact ones first; empty if none qualifies.

    Raises
    ------
    UnknownNameError
        If the label, a taxonomy or a relation is not known.
    InputError
        As for :func:`crosswalk`.

    Examples
    --------
    >>> map_label("Bandwagon", "propaganda18", "mafalda")
    ('ad populum',)
    >>> map_label("appeal to emotion", "logic", "mafalda")
    ()
    >>> map_label("appeal to emotion", "logic", "mafalda", allow=("narrower",))[:2]
    ('appeal to positive emotion', 'appeal to anger')
    """
    known = get_args(Relation)
    for relation in allow:
        if relation not in known:
            raise UnknownNameError("relation", relation, known)
    rows = crosswalk(source, target)
    if label == NO_FALLACY:
        return (NO_FALLACY,)
    name = load_taxonomy(source).resolve(label)
    fitting = [row for row in rows if row.label == name and row.relation in allow and row.target is not None]
    fitting.sort(key=lambda row: row.relation != "exact")
    return tuple(row.target for row in fitting if row.target is not None)


def carry_spans(spans: Iterable[Span], source: str, target: str) -> tuple[tuple[Span, ...], dict[str, int]]:
    """Map the labels of spans to another taxonomy; each label becomes at most one.

    Each label becomes the first of :func:`map_label`: an exact one where there is one, else a broader one. Spans that
    become equal are one span, with the highest confidence.

    Parameters
    ----------
    spans : with labels of ``source``.
    source, target : names of taxonomies.

    Returns
    -------
    spans : sorted; those whose label has no counterpart are left out.
    lost : label -> how many spans were left out.

    Raises
    ------
    UnknownNameError, InputError
        As for :func:`map_label`.

    Examples
    --------
    >>> carry_spans([Span(0, 8, "ad populum"), Span(0, 8, "equivocation")], "mafalda", "propaganda18")
    ((Span(start=0, end=8, label='Bandwagon', confidence=None),), {'equivocation': 1})
    """
    if source == target:
        return tuple(spans), {}
    found: dict[tuple[int, int, str], Span] = {}
    lost: dict[str, int] = {}
    for span in spans:
        labels = map_label(span.label, source, target)
        if not labels:
            lost[span.label] = lost.get(span.label, 0) + 1
            continue
        carried = replace(span, label=labels[0])
        same = found.setdefault((span.start, span.end, labels[0]), carried)
        if (same.confidence or 0.0) < (carried.confidence or 0.0):
            found[span.start, span.end, labels[0]] = carried
    return tuple(sorted(found.values(), key=lambda s: (s.start, s.end, s.label))), lost
