"""Inter-annotator agreement on labels and spans."""

from __future__ import annotations

import itertools
import json
import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from fallax.core.json_value import JsonValue
from fallax.core.types import NO_FALLACY, Prediction, Record, Span
from fallax.errors import InputError, MissingExtraError
from fallax.metrics.base import SpanMetric

__all__ = [
    "Agreement",
    "LabelAgreement",
    "SpanAgreement",
    "cohen_kappa",
    "fleiss_kappa",
    "krippendorff_alpha",
    "label_agreement",
    "percent_agreement",
    "span_agreement",
]

#: One row per annotator, one column per item; None where an annotator did not label an item.
Ratings: TypeAlias = Sequence[Sequence[str | None]]


@dataclass(frozen=True, slots=True)
class Agreement(JsonValue):
    """An agreement coefficient.

    Parameters
    ----------
    measure : "krippendorff_alpha", "cohen_kappa", "fleiss_kappa" or "percent_agreement".
    value : 1 is perfect; None where it is undefined.
    n_raters, n_items : as given.
    n_pairable : items that at least two annotators labelled; only these count.
    """

    measure: str
    value: float | None
    n_raters: int
    n_items: int
    n_pairable: int


@dataclass(frozen=True, slots=True)
class SpanAgreement:
    """Mean pairwise agreement on spans.

    Parameters
    ----------
    metric, measure : what compared two annotators.
    value : the mean over pairs of annotators; None if it is undefined for every pair.
    pairs : (annotator, annotator) -> the mean of both directions, or None where one is undefined.
    n_records : (annotator, annotator) -> records that both annotated.
    """

    metric: str
    measure: str
    value: float | None
    pairs: Mapping[tuple[str, str], float | None]
    n_records: Mapping[tuple[str, str], int]

    @property
    def n_undefined(self) -> int:
        """The number of pairs left out of the mean."""
        return sum(v is None for v in self.pairs.values())

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values; pairs as a list."""
        return {
            "metric": self.metric,
            "measure": self.measure,
            "value": self.value,
            "pairs": [
                {"annotators": list(pair), "value": value, "n_records": self.n_records[pair]}
                for pair, value in self.pairs.items()
            ],
        }


@dataclass(frozen=True, slots=True)
class LabelAgreement(JsonValue):
    """Agreement on sets of labels.

    Parameters
    ----------
    percent, alpha, fleiss : with a set of labels as one answer; ``fleiss`` is None unless all labelled everything.
    by_label : label -> alpha of having it or not.
    """

    percent: Agreement
    alpha: Agreement
    fleiss: Agreement | None
    by_label: Mapping[str, Agreement]


def percent_agreement(ratings: Ratings) -> Agreement:
    """The share of pairs of annotators with the same label for an item.

    In [0, 1], higher is better; pairs are pooled over items. Chance is not taken out.

    Parameters
    ----------
    ratings : rows of annotators over the same items; None where an item was not labelled.

    Returns
    -------
    Agreement
        None if no item has two labels.

    Examples
    --------
    >>> percent_agreement([["a", "b", None], ["a", "a", "b"]]).value
    0.5
    """
    columns, found = _read(ratings)
    same = sum(math.comb(n, 2) for column in columns for n in Counter(column).values())
    pairs = sum(math.comb(len(column), 2) for column in columns)
    return found("percent_agreement", same / pairs if pairs else None)


def krippendorff_alpha(ratings: Ratings) -> Agreement:
    """Krippendorff's alpha for nominal labels, computed by the ``krippendorff`` package.

    1 is perfect, 0 what chance gives, below 0 systematic disagreement; any number of annotators, missing labels
    allowed.

    Parameters
    ----------
    ratings : rows of annotators over the same items; None where an item was not labelled.

    Returns
    -------
    Agreement
        None if no item has two labels, or all labels that count are the same: then nothing could disagree.

    Raises
    ------
    MissingExtraError
        If the package is not installed (extra ``stats``).

    Notes
    -----
    alpha = 1 - D_o / D_e, with observed and expected disagreement over all pairable labels.

    References
    ----------
    Krippendorff (2011). Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> krippendorff_alpha([["a", "b", "a", "b"], ["a", "b", "a", "b"]]).value
    1.0
    """
    try:
        import krippendorff
    except ImportError:
        raise MissingExtraError("krippendorff", extra="stats") from None
    columns, found = _read(ratings)
    pairable = [Counter(column) for column in columns if len(column) > 1]
    labels = sorted({label for column in pairable for label in column})
    if len(labels) < 2:
        return found("krippendorff_alpha", None)
    counts = [[column[label] for label in labels] for column in pairable]
    value = krippendorff.alpha(value_counts=counts, level_of_measurement="nominal")
    return found("krippendorff_alpha", float(value))


def cohen_kappa(first: Sequence[str | None], second: Sequence[str | None]) -> Agreement:
    """Cohen's kappa of two annotators, computed by scikit-learn.

    1 is perfect, 0 what chance gives each annotator's own habits, below 0 worse than chance. Items that one of them
    did not label are left out.

    Returns
    -------
    Agreement
        None if no item has two labels, or both gave one and the same label throughout.

    Raises
    ------
    MissingExtraError
        If scikit-learn is not installed (extra ``stats``).

    References
    ----------
    Cohen (1960). A coefficient of agreement for nominal scales.

    Examples
    --------
    >>> cohen_kappa(["a", "a", "b", "b"], ["a", "a", "b", "a"]).value
    0.5
    """
    try:
        from sklearn.metrics import cohen_kappa_score
    except ImportError:
        raise MissingExtraError("scikit-learn", extra="stats") from None
    columns, found = _read((first, second))
    both = [column for column in columns if len(column) == 2]
    if len({label for column in both for label in column}) < 2:
        return found("cohen_kappa", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = cohen_kappa_score([a for a, _ in both], [b for _, b in both])
    return found("cohen_kappa", float(value))


def fleiss_kappa(ratings: Ratings) -> Agreement:
    """Fleiss' kappa of any number of annotators who all labelled every item.

    1 is perfect, 0 what chance gives the labels' overall shares, below 0 worse than chance.

    Parameters
    ----------
    ratings : rows of annotators over the same items, without gaps.

    Returns
    -------
    Agreement
        None without items, or if all labels are the same.

    Raises
    ------
    InputError
        If an item was not labelled by somebody; :func:`krippendorff_alpha` allows that.

    Notes
    -----
    (P - P_e) / (1 - P_e), with P the mean over items of the share of agreeing pairs of annotators, and P_e the sum of
    the squared shares of the labels.

    References
    ----------
    Fleiss (1971). Measuring nominal scale agreement among many raters.

    Examples
    --------
    >>> round(fleiss_kappa([["a", "a", "b"], ["a", "b", "b"], ["a", "a", "b"]]).value, 3)
    0.55
    """
    columns, found = _read(ratings)
    for i, column in enumerate(columns, start=1):
        if len(column) != len(ratings):
            raise InputError(
                f"fleiss kappa: everybody must label every item, item {i} has {len(column)} labels of {len(ratings)};"
                " use krippendorff alpha, which allows gaps"
            )
    totals = Counter(label for column in columns for label in column)
    if len(totals) < 2:
        return found("fleiss_kappa", None)
    pairs = math.comb(len(ratings), 2)
    agreeing = [sum(math.comb(n, 2) for n in Counter(column).values()) / pairs for column in columns]
    observed = math.fsum(agreeing) / len(columns)
    expected = math.fsum((n / totals.total()) ** 2 for n in totals.values())
    return found("fleiss_kappa", (observed - expected) / (1 - expected))


def label_agreement(annotations: Mapping[str, Mapping[str, frozenset[str] | None]]) -> LabelAgreement:
    """Agreement on labels where each item may have several.

    Parameters
    ----------
    annotations : annotator -> item -> its labels (empty: no fallacy), None where the item was not looked at. An item
        that an annotator does not have was not looked at either.

    Raises
    ------
    InputError
        If there are fewer than two annotators.
    MissingExtraError
        If the package ``krippendorff`` is not installed (extra ``stats``).

    Examples
    --------
    >>> ann = {"1": frozenset({"A"}), "2": frozenset({"A", "B"})}
    >>> bob = {"1": frozenset({"A"}), "2": frozenset({"B"})}
    >>> found = label_agreement({"ann": ann, "bob": bob})
    >>> found.percent.value, found.by_label["A"].value, found.by_label["B"].value
    (0.5, 0.0, 1.0)
    """
    items = sorted({item for one in annotations.values() for item in one})
    rows = [[one.get(item) for item in items] for one in annotations.values()]
    whole = [[None if found is None else json.dumps(sorted(found)) for found in row] for row in rows]
    complete = bool(rows) and all(found is not None for row in rows for found in row)
    labels = sorted({label for row in rows for found in row for label in found or ()})
    return LabelAgreement(
        percent_agreement(whole),
        krippendorff_alpha(whole),
        fleiss_kappa(whole) if complete else None,
        {
            label: krippendorff_alpha([[None if x is None else str(label in x) for x in row] for row in rows])
            for label in labels
        },
    )


def span_agreement(
    annotations: Mapping[str, Sequence[Record]], metric: SpanMetric, *, measure: str = "f1"
) -> SpanAgreement:
    """The mean of a metric over pairs of annotators, each taken as prediction and as gold in turn.

    Parameters
    ----------
    annotations : annotator -> annotated records. A pair is compared on the records that both annotated.
    metric : any metric over predictions and records.
    measure : a key of its scores.

    Returns
    -------
    SpanAgreement
        The value lies in the range of the measure. Pairs without a common record, or with an undefined measure, are
        left out of the mean and counted.

    Raises
    ------
    InputError
        If there are fewer than two annotators, or two of them annotated different texts under one id.

    Notes
    -----
    As prediction, an annotator's span with alternatives says all of them except "no fallacy".

    Examples
    --------
    >>> from fallax.metrics import SpanMatch
    >>> from fallax.core.types import GoldSpan
    >>> ann = Record("1", "x" * 20, (GoldSpan(0, 4, ("A",)), GoldSpan(5, 9, ("B",))))
    >>> bob = Record("1", "x" * 20, (GoldSpan(0, 4, ("A",)),))
    >>> span_agreement({"ann": [ann], "bob": [bob]}, SpanMatch(), measure="f1").value
    0.6666666666666666
    """
    if len(annotations) < 2:
        raise InputError(f"span agreement needs at least two annotators, got {len(annotations)}")
    by_id = {name: {r.id: r for r in records if r.gold is not None} for name, records in annotations.items()}
    pairs: dict[tuple[str, str], float | None] = {}
    n_records: dict[tuple[str, str], int] = {}
    for a, b in itertools.combinations(annotations, 2):
        common = [i for i in by_id[a] if i in by_id[b]]
        for i in common:
            if by_id[a][i].text != by_id[b][i].text:
                raise InputError(f"record {i!r}: annotators {a!r} and {b!r} must have annotated the same text")
        one, two = ([by_id[name][i] for i in common] for name in (a, b))
        n_records[a, b] = len(common)
        values = [
            metric.corpus_score(pred=[_as_prediction(r) for r in pred], gold=gold)[measure] if common else None
            for pred, gold in ((one, two), (two, one))
        ]
        defined = [v for v in values if v is not None]
        pairs[a, b] = math.fsum(defined) / 2 if len(defined) == 2 else None
    known = [v for v in pairs.values() if v is not None]
    return SpanAgreement(str(metric), measure, math.fsum(known) / len(known) if known else None, pairs, n_records)


def _as_prediction(record: Record) -> Prediction:
    return Prediction(
        record.id,
        tuple(Span(g.start, g.end, label) for g in record.gold or () for label in g.labels if label != NO_FALLACY),
    )


class _Found:
    def __init__(self, n_raters: int, n_items: int, n_pairable: int) -> None:
        self.n = (n_raters, n_items, n_pairable)

    def __call__(self, measure: str, value: float | None) -> Agreement:
        return Agreement(measure, value, *self.n)


def _read(ratings: Ratings) -> tuple[list[list[str]], _Found]:
    """The labels of each item, and what makes an Agreement of a value."""
    rows = [list(row) for row in ratings if not isinstance(row, str)]
    if len(rows) != len(ratings) or len(rows) < 2:
        raise InputError(
            f"agreement: at least two annotators must be given, each a sequence of labels, got {len(rows)}"
        )
    for i, row in enumerate(rows[1:], start=2):
        if len(row) != len(rows[0]):
            raise InputError(
                f"agreement: annotators must label the same items, annotator 1 has {len(rows[0])} and annotator {i}"
                f" has {len(row)}; give None where an item was not labelled"
            )
    columns = [[label for label in column if label is not None] for column in zip(*rows, strict=True)]
    return columns, _Found(len(rows), len(rows[0]), sum(len(c) > 1 for c in columns))
