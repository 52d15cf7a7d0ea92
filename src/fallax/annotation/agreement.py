"""Agreement reports for spans or ratings, with the items in dispute."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fallax.annotation.reading import Annotations, continua
from fallax.annotation.values import missing_note, ratings_of
from fallax.core.json_value import JsonValue
from fallax.core.types import Record
from fallax.errors import InputError, UnknownNameError
from fallax.metrics.agreement import (
    LEVELS,
    AnnotatedUnit,
    Coefficient,
    Continuum,
    Level,
    PairAgreement,
    RatingTable,
    TableRow,
    UnitizingAlpha,
    agreement_of,
    distance_matrix,
    gamma,
    label_confusion,
    mafalda_table,
    name_of,
    pair_agreement,
    unitizing_alpha,
)

__all__ = ["AgreementReport", "Dispute", "SpanReport", "agreement_report"]


@dataclass(frozen=True, slots=True)
class Dispute(JsonValue):
    """An item, or a passage of a text, on which annotators disagree.

    Parameters
    ----------
    item : the text or item.
    passage : the words in question, where spans are compared.
    said : annotator -> what he or she said there; "(nothing)" for nothing.
    disagreement : share of pairs of annotators who differ there (mean distance for ratings with a distance).
    start, end : the passage's offsets, where there is one.
    """

    item: str
    passage: str
    said: Mapping[str, str]
    disagreement: float
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class SpanReport(JsonValue):
    """Agreement on spans.

    Parameters
    ----------
    coefficients : gamma, gamma_position (labels ignored), gamma_cat and alpha_u; an interval resamples documents.
    gamma_k, alpha_u_by_label : label -> its own.
    pairs : F1 of each pair of annotators.
    by_document : document -> gamma.
    confusion : (label, label) -> how often two annotators meant a passage so.
    n_spans : annotator -> spans.
    details : how gamma was computed: samples, error of sampling, exact alignments.
    table2 : the measures of MAFALDA's table 2, if asked for.
    """

    coefficients: Mapping[str, Coefficient]
    gamma_k: Mapping[str, float | None]
    alpha_u_by_label: Mapping[str, float | None]
    pairs: Sequence[PairAgreement]
    by_document: Mapping[str, float]
    confusion: Mapping[tuple[str, str], int]
    n_spans: Mapping[str, int]
    details: Mapping[str, Any]
    table2: tuple[TableRow, ...] = ()

    json_pairs = (("confusion", "labels", "n"),)


@dataclass(frozen=True, slots=True)
class AgreementReport(JsonValue):
    """The report on agreement.

    Parameters
    ----------
    kind : "spans" or "ratings". With spans, ``labels`` compares the sets of labels of whole texts.
    annotators, n_items : who, and how many items at least two of them saw.
    level : of the labels: how two values are compared.
    labels : coefficient name -> coefficient.
    by_label : label -> Krippendorff's alpha of having it.
    pairs : (annotator, annotator) -> coefficient name -> value.
    base_rates, rates_by_annotator : share of each value.
    confusion : (value, value) -> pairs of ratings.
    disputed : most disputed first.
    spans : what only spans have.
    seed, n_resamples : of the intervals.
    """

    kind: str
    annotators: tuple[str, ...]
    n_items: int
    level: str
    labels: Mapping[str, Coefficient]
    by_label: Mapping[str, Coefficient]
    pairs: Mapping[tuple[str, str], Mapping[str, float | None]]
    base_rates: Mapping[str, float]
    rates_by_annotator: Mapping[str, Mapping[str, float]]
    confusion: Mapping[tuple[str, str], int]
    disputed: Sequence[Dispute]
    spans: SpanReport | None
    seed: int
    n_resamples: int
    problems: tuple[str, ...] = ()

    json_pairs = (("pairs", "annotators", "value"), ("confusion", "values", "n"))


def agreement_report(
    annotations: Annotations,
    *,
    level: Level | None = None,
    samples: int = 30,
    precision: float | None = 0.02,
    n_resamples: int = 1_000,
    seed: int = 0,
    table2: bool = False,
    with_gamma: bool = True,
) -> AgreementReport:
    """Measure inter-annotator agreement.

    Parameters
    ----------
    annotations : of at least two annotators.
    level : of labels; by default "masi" for sets (and for the labels of texts), "interval" for numbers, else "nominal".
    samples, precision : of gamma's baseline, see :func:`fallax.metrics.agreement.gamma`.
    n_resamples : for intervals; documents or items are drawn.
    seed : of samples and intervals.
    table2 : also the measures of MAFALDA's table 2 (the same annotators must have seen every text).
    with_gamma : leave it out where many annotators saw each text and there is no time.

    Raises
    ------
    InputError
        If there are fewer than two annotators, no item that two of them saw, a rating that is a number of 1e150 or
        more, or an option out of its range; an UnknownNameError for a level that does not exist.

    Examples
    --------
    >>> ratings = {"ann": {"1": "yes", "2": "no"}, "bob": {"1": "yes", "2": "yes"}}
    >>> report = agreement_report(Annotations(ratings=ratings), n_resamples=0)
    >>> report.labels["percent"].value, [d.item for d in report.disputed]
    (0.5, ['2'])
    """
    if level is not None and level not in LEVELS:
        raise UnknownNameError("level", level, LEVELS)
    problems = list(annotations.problems)
    if annotations.kind == "spans":
        documents = continua(annotations.records)
        problems += _alone(annotations.records)
        ratings: Mapping[str, Mapping[str, Any]] = _text_labels(documents)
    else:
        ratings, n_missing = ratings_of(annotations.ratings)
        if n_missing:
            problems.append(missing_note(n_missing, n_missing + sum(map(len, ratings.values()))))
    table = RatingTable.of(ratings)
    if not (table.counts().sum(axis=1) > 1).any():
        raise InputError("agreement needs items that at least two annotators rated, got none; are the ids the same?")
    level = level or _level_of(table)
    labels = agreement_of(table, level=level, n_resamples=n_resamples, seed=seed)
    sets = any(isinstance(v, frozenset) for v in table.values)
    names = sorted({x for v in table.values for x in (v if isinstance(v, frozenset) else [name_of(v)])})
    problems += _alike(names)
    by_label = {
        name: agreement_of(_of_label(table, name), names=["krippendorff_alpha"], n_resamples=n_resamples, seed=seed)[
            "krippendorff_alpha"
        ]
        for name in (names if sets or level == "nominal" else ())
    }
    pairs = {
        (a, b): {
            k: c.value
            for k, c in agreement_of(table.pair(a, b), level=level, n_resamples=0).items()
            if k != "fleiss_kappa"
        }
        for a, b in itertools.combinations(table.annotators, 2)
        if ((table.pair(a, b).codes >= 0).all(axis=0)).any()
    }
    spans = None
    if annotations.kind == "spans":
        spans = _span_report(
            annotations, documents, samples, precision, n_resamples, seed, table2=table2, with_gamma=with_gamma
        )
        disputed = disputed_passages(documents, {r.id: r for rows in annotations.records.values() for r in rows})
    else:
        disputed = _disputed_ratings(table, ratings, level, annotations.texts)
    return AgreementReport(
        annotations.kind,
        table.annotators,
        int((table.counts().sum(axis=1) > 1).sum()),
        level,
        labels,
        by_label,
        pairs,
        table.base_rates(),
        table.rates_by_annotator(),
        table.confusion(),
        disputed,
        spans,
        seed,
        n_resamples,
        tuple(problems),
    )


def _alone(records: Mapping[str, Sequence[Record]]) -> list[str]:
    """A note on the texts that one person alone annotated; none where there are none."""
    seen = Counter(i for rows in records.values() for i in {r.id for r in rows if r.gold is not None})
    n = sum(times == 1 for times in seen.values())
    return [f"{n:,} of {len(seen):,} texts were annotated by one person alone and do not count"] if n else []


def _alike(names: Sequence[str]) -> list[str]:
    """A note on each group of labels that differ only in case, white space or underscores."""
    spelt: dict[str, list[str]] = {}
    for name in names:
        spelt.setdefault(" ".join(name.casefold().replace("_", " ").split()), []).append(name)
    return [
        f"labels that differ only in spelling count as different: {', '.join(map(repr, group))}; use one spelling"
        for group in spelt.values()
        if len(group) > 1
    ]


def _text_labels(documents: Sequence[Continuum]) -> dict[str, dict[str, frozenset[str]]]:
    found: dict[str, dict[str, frozenset[str]]] = {}
    for d in documents:
        for name, units in d.units.items():
            found.setdefault(name, {})[d.id] = frozenset(x for u in units for x in u.labels)
    return found


def _level_of(table: RatingTable) -> Level:
    if any(isinstance(v, frozenset) for v in table.values):
        return "masi"
    return "interval" if all(isinstance(v, float) for v in table.values) else "nominal"


def _of_label(table: RatingTable, name: str) -> RatingTable:
    value = next((v for v in table.values if not isinstance(v, frozenset) and name_of(v) == name), name)
    return table.only(value)


def _disputed_ratings(
    table: RatingTable, ratings: Mapping[str, Mapping[str, Any]], level: Level, texts: Mapping[str, str]
) -> list[Dispute]:
    distance = distance_matrix(table.values, level, table.counts().sum(axis=0))
    return [
        Dispute(
            item,
            texts.get(item, ""),
            {name: name_of(own[item]) for name, own in ratings.items() if own.get(item) is not None},
            apart,
        )
        for item, apart in table.disputed(distance)
        if apart > 0
    ]


def _span_report(
    annotations: Annotations,
    documents: list[Continuum],
    samples: int,
    precision: float | None,
    n_resamples: int,
    seed: int,
    *,
    table2: bool,
    with_gamma: bool,
) -> SpanReport:
    found = gamma(documents, samples=samples, precision=precision, seed=seed) if with_gamma else None
    coefficients = {}
    if found is not None:
        position = gamma(documents, samples=samples, precision=precision, seed=seed, beta=0.0)
        share = np.full(len(documents), 1 / len(documents))
        weights = np.random.default_rng(seed).multinomial(len(documents), share, size=n_resamples).astype(np.float64)
        for name, one in (("gamma", found), ("gamma_position", position)):
            low, high = np.quantile(one.resampled(weights), (0.025, 0.975)).tolist() if n_resamples else (None, None)
            coefficients[name] = Coefficient(name, one.value, low, high, len(documents))
        coefficients["gamma_cat"] = Coefficient("gamma_cat", found.cat(), n_items=len(documents))
    unitizing = _unitizing(documents)
    if unitizing is not None:
        coefficients["alpha_u"] = Coefficient("alpha_u", unitizing.value, n_items=len(documents))
    labels = sorted({x for d in documents for units in d.units.values() for u in units for x in u.labels})
    return SpanReport(
        coefficients,
        {label: found.cat(label=label) for label in labels} if found is not None else {},
        unitizing.by_label if unitizing else {},
        pair_agreement(documents),
        found.by_document if found is not None else {},
        label_confusion(documents),
        dict(Counter({name: sum(len(d.units.get(name, ())) for d in documents) for name in annotations.records})),
        {k: v for k, v in found.to_dict().items() if k not in ("by_document", "value")} if found is not None else {},
        tuple(mafalda_table(documents, seed=seed, samples=samples)) if table2 else (),
    )


def _unitizing(documents: Sequence[Continuum]) -> UnitizingAlpha | None:
    """Krippendorff's alpha for unitizing; None if the annotators are not the same for all documents."""
    if len({tuple(sorted(d.units)) for d in documents}) > 1:
        return None
    return unitizing_alpha(documents)


def disputed_passages(documents: Sequence[Continuum], records: Mapping[str, Record]) -> list[Dispute]:
    """Passages that somebody marked, with the labels of each annotator; most disputed first.

    A passage is a chain of spans that overlap, and two annotators differ there unless spans of both share a label.
    """
    found = []
    for d in documents:
        for start, end, said in passages(d):
            names = list(d.units)
            pairs = list(itertools.combinations(names, 2))
            apart = sum(_differ(said.get(a, set()), said.get(b, set())) for a, b in pairs) / len(pairs)
            if apart:
                words = {n: " or ".join(sorted(said[n])) if said.get(n) else "(nothing)" for n in names}
                found.append(Dispute(d.id, records[d.id].text[start:end], words, apart, start, end))
    return sorted(found, key=lambda x: (-x.disagreement, x.item, x.start))


def _differ(a: set[str], b: set[str]) -> bool:
    return bool(a or b) and a.isdisjoint(b)


def passages(document: Continuum) -> list[tuple[int, int, dict[str, set[str]]]]:
    """Start, end, and the labels of each annotator, of each chain of overlapping spans."""
    units: list[tuple[AnnotatedUnit, str]] = sorted((u, name) for name, own in document.units.items() for u in own)
    found: list[tuple[int, int, dict[str, set[str]]]] = []
    for unit, name in units:
        start, end = int(unit.start), int(unit.end)
        if found and start < found[-1][1]:
            first, last, said = found[-1]
            said.setdefault(name, set()).update(unit.labels)
            found[-1] = (first, max(last, end), said)
        else:
            found.append((start, end, {name: set(unit.labels)}))
    return found
