"""Corpus statistics: the counts that data papers print.

References
----------
Helwe et al. 2024, MAFALDA: tables 3 to 6 and figure 2.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fallax.core.json_value import JsonValue
from fallax.core.types import NO_FALLACY, GoldSpan, Record, Table, Taxonomy
from fallax.errors import printable

__all__ = ["CorpusStats", "stats"]


@dataclass(frozen=True)
class CorpusStats(JsonValue):
    """Counts of a corpus.

    Parameters
    ----------
    n_texts, n_annotated, n_with_fallacy : texts; those with gold; those where some span has a fallacy among its labels.
    n_annotations, n_spans : labels on spans, and distinct spans ("unique spans").
    sources : source -> texts.
    spans_per_text, unique_spans_per_text : how many annotations (spans) a text has -> texts. Texts with gold only.
    levels : level -> label -> annotations, most frequent first; only the key "labels" without a taxonomy. The label
        "no fallacy" counts the spans that may be none; texts without any span are in ``spans_per_text[0]``.
    alternatives : how many labels a span has as alternatives -> spans.
    together : how many labels a span has that all hold -> spans (files whose labels are no alternatives).
    cooccurrence : label -> other label -> spans that have both.
    n_with_label : label -> spans that have it; what ``cooccurrence`` is divided by.
    lengths : "text" / "span" -> min, median, mean, max in characters; "words" likewise in words of a text.
    """

    n_texts: int
    n_annotated: int
    n_with_fallacy: int
    n_annotations: int
    n_spans: int
    sources: Mapping[str, int]
    spans_per_text: Mapping[int, int]
    unique_spans_per_text: Mapping[int, int]
    levels: Mapping[str, Mapping[str, int]]
    alternatives: Mapping[int, int]
    together: Mapping[int, int]
    cooccurrence: Mapping[str, Mapping[str, int]]
    n_with_label: Mapping[str, int]
    lengths: Mapping[str, Mapping[str, float]]

    json_names = (
        "n_texts", "n_annotated", "n_with_fallacy", "n_annotations", "n_spans", "sources", "spans_per_text",
        "unique_spans_per_text", "alternatives", "together", "levels", "cooccurrence", "n_with_label",
        "lengths",
    )  # fmt: skip

    def cooccurrence_rate(self, label: str, other: str) -> float | None:
        """The share of spans with ``label`` that also have ``other``; None if no span has ``label``."""
        n = self.n_with_label.get(label, 0)
        return self.cooccurrence.get(label, {}).get(other, 0) / n if n else None

    def tables(self) -> list[Table]:
        """The counts as tables, in the order of the paper."""
        summary = (
            ("texts", self.n_texts),
            ("annotated texts", self.n_annotated),
            ("texts with a fallacy", self.n_with_fallacy),
            ("annotations", self.n_annotations),
            ("distinct spans", self.n_spans),
        )
        per_text = sorted({*self.spans_per_text, *self.unique_spans_per_text})
        found = [
            Table("summary", ("what", "n"), summary),
            Table(
                "texts by source",
                ("source", "texts"),
                tuple((printable(k) or "(none)", v) for k, v in self.sources.items()),
            ),
            Table(
                "texts with N spans",
                ("N", "annotations", "distinct spans"),
                tuple((n, self.spans_per_text.get(n, 0), self.unique_spans_per_text.get(n, 0)) for n in per_text),
            ),
        ]
        for name, counts in self.levels.items():
            found.append(Table(f"annotations by {name}", ("label", "annotations"), tuple(counts.items())))
        for title, counts_of in (("alternatives", self.alternatives), ("labels together", self.together)):
            if counts_of:
                found.append(Table(f"spans with N {title}", ("N", "spans"), tuple(counts_of.items())))
        pairs = [
            (a, b, n, round(n / self.n_with_label[a], 3))
            for a, others in self.cooccurrence.items()
            for b, n in others.items()
        ]
        pairs.sort(key=lambda p: (-p[3], -p[2], p[0], p[1]))
        found.append(Table("labels on one span", ("label", "also", "spans", "share"), tuple(pairs)))
        found.append(
            Table(
                "lengths",
                ("of", "min", "median", "mean", "max"),
                tuple(
                    (k, *(round(v[m], 1) for m in ("min", "median", "mean", "max"))) for k, v in self.lengths.items()
                ),
            )
        )
        return [t for t in found if t.rows]


def stats(records: Iterable[Record], taxonomy: Taxonomy | None = None) -> CorpusStats:
    """Compute the statistics of a corpus; reads the records once.

    Parameters
    ----------
    records : with or without gold.
    taxonomy : gives the levels; labels must be in it. Without it labels are counted as they stand.

    Raises
    ------
    UnknownNameError
        If a label is not in the taxonomy.

    Notes
    -----
    A text without gold is not annotated and counts among the texts only.

    Examples
    --------
    >>> gold = (GoldSpan(0, 3, ("ad hominem", "straw man")), GoldSpan(4, 7, ("straw man",)))
    >>> s = stats([Record("a", "You lie.", gold), Record("b", "Fine.", ()), Record("c", "?")])
    >>> s.n_texts, s.n_annotated, s.n_with_fallacy, s.n_annotations, s.n_spans
    (3, 2, 1, 3, 2)
    >>> s.levels["labels"], s.alternatives, s.cooccurrence_rate("straw man", "ad hominem")
    ({'straw man': 2, 'ad hominem': 1}, {1: 1, 2: 1}, 0.5)
    """
    count = _Count(taxonomy)
    for record in records:
        count.add(record)
    return count.result()


class _Count:
    def __init__(self, taxonomy: Taxonomy | None) -> None:
        self.taxonomy = taxonomy
        self.n = Counter[str]()
        self.sources: Counter[str] = Counter()
        self.per_text: Counter[int] = Counter()
        self.unique: Counter[int] = Counter()
        self.alternatives: Counter[int] = Counter()
        self.together: Counter[int] = Counter()
        self.labels: Counter[str] = Counter()
        self.pairs: dict[str, Counter[str]] = {}
        self.lengths: dict[str, list[int]] = {"text": [], "words": [], "span": []}

    def add(self, record: Record) -> None:
        self.n["texts"] += 1
        self.sources[record.source] += 1
        self.lengths["text"].append(len(record.text))
        self.lengths["words"].append(len(record.text.split()))
        if record.gold is None:
            return
        if self.taxonomy is not None:
            record.check_labels(self.taxonomy.names)
        self.n["annotated"] += 1
        self.n["fallacious"] += any(set(g.labels) - {NO_FALLACY} for g in record.gold)
        self.per_text[sum(len(g.labels) for g in record.gold)] += 1
        self.unique[len(record.gold)] += 1
        for span in record.gold:
            self._span(span, all_hold=record.meta.get("same_span") == "all")

    def _span(self, span: GoldSpan, *, all_hold: bool) -> None:
        self.n["spans"] += 1
        (self.together if all_hold else self.alternatives)[len(span.labels)] += 1
        self.lengths["span"].append(span.end - span.start)
        self.labels.update(span.labels)
        for a in span.labels:
            self.pairs.setdefault(a, Counter()).update(b for b in span.labels if b != a)

    def result(self) -> CorpusStats:
        levels = {"labels": dict(self.labels.most_common())}
        if self.taxonomy is not None:
            levels = {}
            for level in range(self.taxonomy.finest, -1, -1):
                counts: Counter[str] = Counter()
                for label, n in self.labels.items():
                    counts[self.taxonomy.at_level(label, level)] += n
                levels[f"level {level}"] = dict(counts.most_common())
        return CorpusStats(
            self.n["texts"],
            self.n["annotated"],
            self.n["fallacious"],
            sum(self.labels.values()),
            self.n["spans"],
            dict(self.sources.most_common()),
            dict(sorted(self.per_text.items())),
            dict(sorted(self.unique.items())),
            levels,
            dict(sorted(self.alternatives.items())),
            dict(sorted(self.together.items())),
            {a: dict(others.most_common()) for a, others in self.pairs.items() if others},
            dict(self.labels.most_common()),
            {name: _summary(values) for name, values in self.lengths.items() if values},
        )


def _summary(values: list[int]) -> dict[str, float]:
    return {
        "min": min(values),
        "median": statistics.median(values),
        "mean": statistics.fmean(values),
        "max": max(values),
    }
