"""Makes gold from several annotators: all answers as alternatives, a majority, or an adjudicator's decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fallax.annotation.reading import Annotations, differing
from fallax.core.types import NO_FALLACY, GoldSpan, Record
from fallax.errors import InputError, UnknownNameError, one_line
from fallax.metrics.agreement import AnnotatedUnit, Continuum, best_alignments
from fallax.metrics.agreement.gamma import layout_of

__all__ = ["RULES", "Merged", "merge_annotations"]

#: name -> what it does.
RULES = {
    "union": "every label that somebody gave is an alternative, and no fallacy where somebody marked nothing (MAFALDA)",
    "majority": "a passage and a label that more than half of the annotators gave",
    "adjudicated": "the records of an adjudicator's file",
}


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged gold, and what the rule discarded.

    Parameters
    ----------
    records : with alternatives; annotated by at least one.
    ratings : item -> value, where items were rated.
    losses : kind -> how often: what somebody said and the gold does not.
    rule : a key of :data:`RULES`.
    """

    records: tuple[Record, ...]
    ratings: Mapping[str, Any]
    losses: Mapping[str, int]
    rule: str


def merge_annotations(
    annotations: Annotations, rule: str, *, adjudicated: Sequence[Record] | Mapping[str, Any] | None = None
) -> Merged:
    """Merge annotations into gold.

    Parameters
    ----------
    annotations : of one or more annotators.
    rule : a key of :data:`RULES`.
    adjudicated : for that rule, the decided records (or item -> value for ratings).

    Returns
    -------
    Merged
        Spans of different annotators are one passage if the best alignment (as of gamma) puts them together and they
        overlap; the passage is the one that most of them marked, the longest where several are as frequent. Ids, texts
        and sources are kept.

    Examples
    --------
    >>> text = "You lie, so no."
    >>> ann = [Record("1", text, (GoldSpan(0, 8, ("ad hominem",)),))]
    >>> bob = [Record("1", text, (GoldSpan(0, 7, ("straw man",)),))]
    >>> merge_annotations(Annotations({"ann": ann, "bob": bob}), "union").records[0].gold
    (GoldSpan(start=0, end=8, labels=('ad hominem', 'straw man')),)
    """
    if rule not in RULES:
        raise UnknownNameError("merge rule", rule, RULES)
    if rule == "adjudicated" and adjudicated is None:
        raise InputError("merge rule 'adjudicated': the decided file must be given, got none; use adjudicated=FILE")
    losses: Counter[str] = Counter()
    if annotations.kind == "ratings":
        decided = dict(adjudicated) if isinstance(adjudicated, Mapping) else None
        return Merged((), _ratings(annotations, rule, decided, losses), dict(losses), rule)
    if isinstance(adjudicated, Mapping):
        raise InputError("merge rule 'adjudicated': spans need a file of annotated texts, got ratings")
    people: dict[str, dict[str, Record]] = {}
    for name, rows in annotations.records.items():
        for r in rows:
            if r.gold is not None:
                people.setdefault(r.id, {})[name] = r
    decided_records = {r.id: r for r in adjudicated or ()}
    records = []
    for i, own in people.items():
        if rule == "adjudicated":
            if i not in decided_records:
                losses["texts that nobody adjudicated"] += 1
                continue
            record = decided_records[i]
            _check_texts(own, record.text, "the adjudicated file")
        else:
            record = _merged(own, rule, losses)
        _count_losses(record, own, losses)
        records.append(record)
    return Merged(tuple(records), {}, dict(sorted(losses.items())), rule)


def _merged(own: Mapping[str, Record], rule: str, losses: Counter[str]) -> Record:
    first = next(iter(own.values()))
    _check_texts(own, first.text, repr(one_line(next(iter(own)), 40)))
    gold: dict[tuple[int, int], set[str]] = {}
    for group in _groups(own):
        labels = _labels_of(group, len(own), rule, losses)
        if labels:
            ends = Counter((g.start, g.end) for g in group.values())
            place = max(ends, key=lambda p: (ends[p], p[1] - p[0], -p[0]))
            gold.setdefault(place, set()).update(labels)
    spans = tuple(GoldSpan(s, e, tuple(labels)) for (s, e), labels in sorted(gold.items()))
    return Record(first.id, first.text, spans, first.source, first.title, _meta(first))


def _check_texts(own: Mapping[str, Record], text: str, of: str) -> None:
    """Raise InputError if somebody annotated another text than that of ``of``."""
    for name, r in own.items():
        if r.text != text:
            raise InputError(
                f"record {one_line(r.id, 60)!r}: all files must have the same text, that of {one_line(name, 40)!r}"
                f" differs from that of {of}, {differing(text, r.text)}; leave out or annotate again what was edited"
            )


def _meta(record: Record) -> dict[str, Any]:
    """The metadata of a record without the names of annotators."""
    return {k: v for k, v in record.meta.items() if k not in ("annotator", "annotator_id", "user", "username")}


def _labels_of(group: Mapping[str, GoldSpan], n_annotators: int, rule: str, losses: Counter[str]) -> set[str]:
    votes = Counter(label for g in group.values() for label in g.labels)
    if rule == "union":
        labels = set(votes)
        if len(group) < n_annotators:
            labels.add(NO_FALLACY)
        return labels if labels != {NO_FALLACY} else set()
    if len(group) * 2 <= n_annotators:
        losses["passages that no majority marked"] += 1
        return set()
    winners = {label for label, n in votes.items() if n * 2 > n_annotators}
    if not winners - {NO_FALLACY}:
        losses["passages without a label of the majority"] += 1
        return set()
    return winners


def _groups(own: Mapping[str, Record]) -> list[dict[str, GoldSpan]]:
    """Groups of overlapping, aligned spans of different annotators that mark the same passage."""
    names = list(own)
    spans = {n: sorted(own[n].gold or ()) for n in names}
    if len(names) == 1:
        return [{names[0]: g} for g in spans[names[0]]]
    units = {n: [AnnotatedUnit(g.start, g.end, g.labels) for g in spans[n]] for n in names}
    if not any(units.values()):
        return []
    layout, _, distance = layout_of(Continuum(units))
    found: list[dict[str, GoldSpan]] = []
    for row in best_alignments([(layout, distance)])[0][0].groups:
        together: list[dict[str, GoldSpan]] = []
        for name, place in zip(names, row, strict=True):
            if place < 0:
                continue
            g = spans[name][place]
            for part in together:
                if any(g.start < o.end and o.start < g.end for o in part.values()):
                    part[name] = g
                    break
            else:
                together.append({name: g})
        found.extend(together)
    return found


def _count_losses(gold: Record, own: Mapping[str, Record], losses: Counter[str]) -> None:
    """The answers of each annotator that the gold does not allow."""
    for record in own.values():
        for span in record.gold or ():
            near = [g for g in gold.gold or () if g.start < span.end and span.start < g.end]
            for label in span.labels:
                if label != NO_FALLACY and not any(label in g.labels for g in near):
                    losses["labels that the gold does not have there"] += 1
            if near and all((g.start, g.end) != (span.start, span.end) for g in near):
                losses["spans whose ends were moved"] += 1
    for g in gold.gold or ():
        silent = [r for r in own.values() if not any(s.start < g.end and g.start < s.end for s in r.gold or ())]
        if silent and not g.is_optional:
            losses["annotators who marked nothing where the gold demands a fallacy"] += len(silent)


def _ratings(
    annotations: Annotations, rule: str, decided: Mapping[str, Any] | None, losses: Counter[str]
) -> dict[str, Any]:
    votes: dict[str, Counter[Any]] = {}
    for own in annotations.ratings.values():
        for item, value in own.items():
            votes.setdefault(item, Counter()).update(value if isinstance(value, frozenset) else [value])
    n_said = {i: sum(own.get(i) is not None for own in annotations.ratings.values()) for i in votes}
    found: dict[str, Any] = {}
    for item, own_votes in votes.items():
        if rule == "adjudicated":
            if decided is None or item not in decided:
                losses["items that nobody adjudicated"] += 1
                continue
            kept = decided[item] if isinstance(decided[item], frozenset) else frozenset([decided[item]])
        elif rule == "union":
            kept = frozenset(own_votes)
        else:
            kept = frozenset(v for v, n in own_votes.items() if n * 2 > n_said[item])
            if not kept:
                losses["items without a majority"] += 1
                continue
        if other := sum(n for v, n in own_votes.items() if v not in kept):
            losses["ratings that the gold does not have"] += other
        found[item] = next(iter(kept)) if len(kept) == 1 else kept
    return found
