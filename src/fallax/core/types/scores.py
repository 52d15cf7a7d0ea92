"""Scores keep counts and divide only when they are read.

A :class:`Score` keeps the sums it came from. ``a + b`` adds them, and each formula below runs on read, so merging can
never change a value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fallax.core.json_value import JsonValue
from fallax.core.registry import registry
from fallax.core.types.shown import Shown
from fallax.errors import FallaxError, InputError, MetricError, UnknownNameError, one_line

__all__ = ["FORMULAS", "Score", "Signature"]


def harmonic(p: float | None, r: float | None) -> float | None:
    """F1 of precision and recall: 0 where both are 0, None where either is undefined."""
    if p is None or r is None:
        return None
    return 2 * p * r / (p + r) if p + r else 0.0


def _ratio(a: float, b: float, undefined: float | None = None) -> float | None:
    return a / b if b else undefined


def _mean(s: Mapping[str, float]) -> dict[str, float | None]:
    """Means over records: each sum divided by the number of records ``n``."""
    return {name: _ratio(value, s["n"]) for name, value in s.items() if name != "n"}


def _fraction(s: Mapping[str, float]) -> dict[str, float | None]:
    """Sums over spans: P = precision_sum / n_pred (0 without predictions), R = recall_sum / n_gold (0 without gold).

    Where the sums count records in ``n`` and there is none, nothing was measured and all are None.
    """
    empty = None if s.get("n") == 0 else 0.0
    p = _ratio(s["precision_sum"], s["n_pred"], empty)
    r = _ratio(s["recall_sum"], s["n_gold"], empty)
    return {"precision": p, "recall": r, "f1": harmonic(p, r)}


def _fraction_empty_is_one(s: Mapping[str, float]) -> dict[str, float | None]:
    """As ``fraction``, but F1 = 1 where there is neither gold nor prediction (the organisers' FLC scorer)."""
    found = _fraction(s)
    if not s["n_pred"] and not s["n_gold"] and s.get("n") != 0:
        found["f1"] = 1.0
    return found


def _fraction_one_sum(s: Mapping[str, float]) -> dict[str, float | None]:
    """As ``fraction_empty_is_one``, but R = precision_sum / n_gold (one technique in the organisers' FLC scorer)."""
    return _fraction_empty_is_one({**s, "recall_sum": s["precision_sum"]})


def _matches(s: Mapping[str, float]) -> dict[str, float | None]:
    """One-to-one matches: P = hits / n_pred, R = hits / n_gold, F1 = 2 hits / (n_pred + n_gold); x/0 is None."""
    return {
        "precision": _ratio(s["hits"], s["n_pred"]),
        "recall": _ratio(s["hits"], s["n_gold"]),
        "f1": _ratio(2 * s["hits"], s["n_pred"] + s["n_gold"]),
    }


def _macro_matches(s: Mapping[str, float]) -> dict[str, float | None]:
    """Mean over labels of ``matches``, from keys such as ``hits:straw man``.

    The mean runs over every label with n_pred + n_gold > 0; one that is never predicted adds 0 to precision, one that
    is never gold adds 0 to recall, so that the three means are over the same labels. Without any label all are None.
    """
    by_label: dict[str, dict[str, float]] = {}
    for key, value in s.items():
        name, _, label = key.partition(":")
        by_label.setdefault(label, {})[name] = value
    found = [_matches(sums) for sums in by_label.values() if sums.get("n_pred", 0) + sums.get("n_gold", 0)]
    return {
        name: _ratio(math.fsum(values[name] or 0.0 for values in found), len(found))
        for name in ("precision", "recall", "f1")
    }


def _multiclass(s: Mapping[str, float]) -> dict[str, float | None]:
    """One label each, from confusion counts with keys ``gold<tab>predicted``.

    Accuracy; balanced accuracy (mean recall over the labels in gold); macro means over the labels in gold or
    predictions, where a label never predicted adds 0 to precision and a label never in gold adds 0 to recall. A
    predicted label "" is an unreadable reply that counts as wrong.
    """
    macro: dict[str, float] = {}
    right = total = 0.0
    for key, value in s.items():
        gold, _, pred = key.partition("\t")
        total += value
        right += value if gold == pred else 0.0
        for name, label in (("n_gold", gold), *((("n_pred", pred),) if pred else ())):
            macro[f"{name}:{label}"] = macro.get(f"{name}:{label}", 0.0) + value
            macro.setdefault(f"hits:{label}", 0.0)
            macro.setdefault(f"{'n_pred' if name == 'n_gold' else 'n_gold'}:{label}", 0.0)
        if gold == pred:
            macro[f"hits:{gold}"] += value
    recalls = [macro[f"hits:{k[7:]}"] / v for k, v in macro.items() if k.startswith("n_gold:") and v]
    means = _macro_matches(macro)
    return {
        "accuracy": _ratio(right, total),
        "balanced_accuracy": _ratio(math.fsum(recalls), len(recalls)),
        "macro_precision": means["precision"],
        "macro_recall": means["recall"],
        "macro_f1": means["f1"],
    }


def _confusion(s: Mapping[str, float]) -> dict[str, float | None]:
    """Two classes from tp, fp, fn, tn. A rate with a zero denominator is None."""
    tp, fp, fn, tn = s["tp"], s["fp"], s["fn"], s["tn"]
    fpr, fnr = _ratio(fp, fp + tn), _ratio(fn, fn + tp)
    bacc = None if fpr is None or fnr is None else 1 - (fpr + fnr) / 2
    p, r = _ratio(tp, tp + fp), _ratio(tp, tp + fn)
    return {
        "accuracy": _ratio(tp + tn, tp + fp + fn + tn),
        "balanced_accuracy": bacc,
        "precision": p,
        "recall": r,
        "f1": _ratio(2 * tp, 2 * tp + fp + fn),
        "fpr": fpr,
        "fnr": fnr,
    }


def _ranked(s: Mapping[str, float]) -> dict[str, float | None]:
    """Ranked labels: sum and mean of the sentences' scores, and shares of sentences, gold labels and labels."""
    return {
        "score": s["score"] if s["n"] else None,
        "mean_score": _ratio(s["score"], s["n"]),
        "accuracy": _ratio(s["hits"], s["n_gold"]),
        "top_1": _ratio(s["first"], s["n"]),
        "label_count": s["n_labels"] if s["n"] else None,
        "outside": _ratio(s["n_outside"], s["n_labels"]),
    }


def _twins(s: Mapping[str, float]) -> dict[str, float | None]:
    """Pairs of a fallacy and its sound twin: shares with both right, both wrong, both fallacious, both sound.

    ``informedness`` is the share of fallacies rejected plus the share of twins accepted, minus 1.
    """
    n = s["n"]
    return {
        "discrimination": _ratio(s["both_right"], n),
        "fallacies_rejected": _ratio(s["both_right"] + s["all_fallacious"], n),
        "twins_accepted": _ratio(s["both_right"] + s["all_sound"], n),
        "informedness": _ratio(s["both_right"] - s["both_wrong"], n),
    }


def _ratings(s: Mapping[str, float]) -> dict[str, float | None]:
    """Ratings from 0 to 3: mean over sentences, share of each rating, share of sentences rated alike in every run."""
    total = sum(s[f"rated_{k}"] for k in range(4))
    return {
        "mean": _ratio(s["rating"], s["n"]),
        **{f"share_{k}": _ratio(s[f"rated_{k}"], total) for k in range(4)},
        "stable": _ratio(s["stable"], s["n"]),
    }


def _two_class(s: Mapping[str, float]) -> dict[str, float | None]:
    """As ``confusion``, with Krippendorff's nominal alpha of the two raters; None if all their labels are the same."""
    wrong, n = s["fp"] + s["fn"], s["tp"] + s["fp"] + s["fn"] + s["tn"]
    n_pos = 2 * s["tp"] + wrong
    chance = _ratio((2 * n - 1) * wrong, n_pos * (2 * n - n_pos))
    return {**_confusion(s), "krippendorff_alpha": None if chance is None else 1 - chance}


#: name -> (sums -> measures). A metric names one of these; no other module divides.
FORMULAS: dict[str, Callable[[Mapping[str, float]], dict[str, float | None]]] = {
    "mean": _mean,
    "fraction": _fraction,
    "fraction_empty_is_one": _fraction_empty_is_one,
    "fraction_one_sum": _fraction_one_sum,
    "matches": _matches,
    "macro_matches": _macro_matches,
    "multiclass": _multiclass,
    "confusion": _confusion,
    "two_class": _two_class,
    "ranked": _ranked,
    "ratings": _ratings,
    "twins": _twins,
}


@dataclass(frozen=True)
class Signature(JsonValue):
    """The settings and data that a number depends on, printed beside it.

    ``n`` (records) and ``data`` (a hash of texts and gold that adds up, see :func:`fallax.core.types.spans.data_hash`)
    are added when scores are merged; every other field must be equal.

    Examples
    --------
    >>> str(Signature({"metric": "flc", "variant": "definition"}, n=2, data="000000000000000a"))
    'metric:flc|variant:definition|n:2|data:000000000000000a'
    """

    settings: Mapping[str, str]
    n: int = 0
    data: str = "0" * 16

    def __add__(self, other: Signature) -> Signature:
        if dict(self.settings) != dict(other.settings):
            odd = sorted(k for k in {*self.settings, *other.settings} if self.settings.get(k) != other.settings.get(k))
            raise InputError(f"scores can be merged only with equal settings, they differ in: {', '.join(odd)}")
        total = (int(self.data, 16) + int(other.data, 16)) % 2**64
        return Signature(self.settings, self.n + other.n, f"{total:016x}")

    def __str__(self) -> str:
        fields = {**self.settings, "n": str(self.n), "data": self.data}
        return "|".join(f"{k}:{v}" for k, v in fields.items())


@dataclass(frozen=True)
class Score(JsonValue, Shown):
    """The result of one metric over some records.

    Parameters
    ----------
    metric : the metric as its ``str`` prints it; ``fallax.metrics.parse_metric`` reads it back.
    formula : a key of :data:`FORMULAS`.
    sums : what the formula divides.
    signature : settings, number of records, data hash.
    records : record id -> its own sums, for intervals and paired tests; may be empty.
    parts : "label" / "source" / ... -> name -> Score.
    n_replies, n_unreadable : replies read or tried, and those that could not be read (they predict nothing).
    unscored : record id -> why it was not scored at all.
    wrong : what the unreadable replies among ``unscored`` (and ``unscored_answers``) would add to ``sums`` if they
        counted as wrong.
    n_wrong : how many of the records in ``unscored`` those are.
    wrong_records : record id -> its own part of ``wrong``, as ``records`` is of ``sums``.
    unscored_answers : of records that were asked in several epochs: "id (epoch 2)" -> why this answer was not scored. A
        record is in ``unscored`` only if none of its answers was scored.

    Notes
    -----
    ``score["f1"]`` and ``score.values`` divide on read; an undefined measure is None, never 0 quietly. A formula that
    raises an exception gives :class:`~fallax.errors.MetricError`.

    Examples
    --------
    >>> a = Score("m", "fraction", {"precision_sum": 1, "n_pred": 2, "recall_sum": 1, "n_gold": 1}, Signature({}, n=1))
    >>> (a + a)["precision"], a["recall"]
    (0.5, 1.0)
    """

    metric: str
    formula: str
    sums: Mapping[str, float]
    signature: Signature
    records: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    parts: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)
    n_replies: int = 0
    n_unreadable: int = 0
    unscored: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, float] = field(default_factory=dict)
    n_wrong: int = 0
    wrong_records: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    unscored_answers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.formula not in FORMULAS:  # a stored score of a metric that has not been imported yet
            registry("metric").get(self.metric.partition("(")[0])
        if self.formula not in FORMULAS:
            raise UnknownNameError("formula", self.formula, FORMULAS)

    @property
    def values(self) -> dict[str, float | None]:
        """Measure -> value, or None if it is undefined."""
        return self._divided(self.sums)

    @property
    def values_with_unreadable(self) -> dict[str, float | None]:
        """Like :attr:`values`, with every unreadable reply counted as wrong; systems are ranked by these."""
        return self._divided(_add(self.sums, self.wrong)) if self.wrong else self.values

    def _divided(self, sums: Mapping[str, float]) -> dict[str, float | None]:
        try:
            return FORMULAS[self.formula](sums)
        except (FallaxError, MemoryError):
            raise
        except Exception as error:
            raise MetricError(self.metric, f"in formula {self.formula!r}", error) from error

    def with_unreadable(self) -> Score:
        """The score with every unreadable reply counted as wrong, and its records, for intervals and tests.

        It has no parts, and its signature no hash of the data.

        Examples
        --------
        >>> one = Score("m", "mean", {"x": 1, "n": 1}, Signature({}, 1), {"a": {"x": 1, "n": 1}},
        ...             wrong={"n": 1}, n_wrong=1, wrong_records={"b": {"n": 1}})
        >>> one["x"], one.with_unreadable()["x"], one.with_unreadable().n_scored
        (1.0, 0.5, 2)
        """
        records = {**self.records, **{i: _add(self.records.get(i, {}), x) for i, x in self.wrong_records.items()}}
        signature = Signature({**self.signature.settings, "unreadable": "wrong"}, len(records))
        return replace(
            self, sums=_add(self.sums, self.wrong), signature=signature, records=records, parts={},
            unscored={i: why for i, why in self.unscored.items() if i not in records},
            wrong={}, n_wrong=0, wrong_records={}, unscored_answers={},
        )  # fmt: skip

    def __getitem__(self, measure: str) -> float | None:
        found = self.values
        if measure not in found:
            raise UnknownNameError("measure", measure, found)
        return found[measure]

    @property
    def unreadable(self) -> str:
        """Counts of unreadable replies, of all replies, and of records that are unscored because of them."""
        lost = f", {self.n_wrong} unscored" if self.n_wrong else ""
        return f"{self.n_unreadable}/{self.n_replies}{lost}"

    @property
    def n_scored(self) -> int:
        """The number of scored records."""
        return self.signature.n

    @property
    def n_unscored(self) -> int:
        """The number of unscored records."""
        return len(self.unscored)

    @property
    def n_unscored_answers(self) -> int:
        """The number of unscored answers; of records that were asked once, that of unscored records."""
        return len(self.unscored_answers or self.unscored)

    def __add__(self, other: Score) -> Score:
        if (self.metric, self.formula) != (other.metric, other.formula):
            raise InputError(f"only scores of one metric can be merged, got {self.metric} and {other.metric}")
        twice = sorted(set(self.records) & set(other.records))
        if twice:
            raise InputError(f"scores to be merged must cover different records, both have {twice[0]!r}")
        parts = {}
        for kind in {**self.parts, **other.parts}:
            a, b = self.parts.get(kind, {}), other.parts.get(kind, {})
            parts[kind] = {k: a[k] + b[k] if k in a and k in b else a.get(k, b.get(k)) for k in {**a, **b}}
        return Score(
            self.metric,
            self.formula,
            _add(self.sums, other.sums),
            self.signature + other.signature,
            {**self.records, **other.records},
            parts,  # type: ignore[arg-type]
            self.n_replies + other.n_replies,
            self.n_unreadable + other.n_unreadable,
            {**self.unscored, **other.unscored},
            _add(self.wrong, other.wrong),
            self.n_wrong + other.n_wrong,
            {**self.wrong_records, **other.wrong_records},
            {**self.unscored_answers, **other.unscored_answers},
        )

    def __str__(self) -> str:
        shown = " ".join(f"{k}={'undefined' if v is None else format(v, '.3f')}" for k, v in self.values.items())
        return f"{self.metric}: {shown}"

    def to_dict(self, *, records: bool = False) -> dict[str, Any]:
        """The score as JSON values: measures first, then the counts they came from."""
        found: dict[str, Any] = {
            "metric": self.metric,
            **self.values,
            "formula": self.formula,
            "sums": dict(self.sums),
            "n_scored": self.n_scored,
            "n_unscored": self.n_unscored,
            "n_unscored_answers": self.n_unscored_answers,
            "n_replies": self.n_replies,
            "n_unreadable": self.n_unreadable,
            "unscored": dict(self.unscored),
            **({"unscored_answers": dict(self.unscored_answers)} if self.unscored_answers else {}),
            "with_unreadable_as_wrong": self.values_with_unreadable,
            "wrong": dict(self.wrong),
            "n_wrong": self.n_wrong,
            "parts": {
                kind: {name: part.to_dict(records=records) for name, part in parts.items()}
                for kind, parts in self.parts.items()
            },
            "signature": str(self.signature),
            "settings": self.signature.to_dict(),
        }
        if records:
            found["records"] = {k: dict(v) for k, v in self.records.items()}
            found["wrong_records"] = {k: dict(v) for k, v in self.wrong_records.items()}
        return found

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Score:
        """Read what :meth:`to_dict` gives (with ``records=True``, nothing is lost).

        Raises
        ------
        InputError
            If it is none.
        """
        try:
            return cls._read(value)
        except (KeyError, TypeError, AttributeError) as error:
            why = one_line(f"{type(error).__name__}: {error}", 60)
            raise InputError(f"Score: must be as to_dict gives it, got {one_line(repr(value), 60)} ({why})") from None

    @classmethod
    def _read(cls, value: Mapping[str, Any]) -> Score:
        return cls(
            value["metric"],
            value["formula"],
            dict(value["sums"]),
            Signature.from_dict(value["settings"]),
            {k: dict(v) for k, v in value.get("records", {}).items()},
            {
                kind: {name: cls._read(part) for name, part in parts.items()}
                for kind, parts in value.get("parts", {}).items()
            },
            value.get("n_replies", 0),
            value.get("n_unreadable", 0),
            dict(value.get("unscored", {})),
            dict(value.get("wrong", {})),
            value.get("n_wrong", 0),
            {k: dict(v) for k, v in value.get("wrong_records", {}).items()},
            dict(value.get("unscored_answers", {})),
        )


def _add(a: Mapping[str, float], b: Mapping[str, float]) -> dict[str, float]:
    return {k: math.fsum((a.get(k, 0), b.get(k, 0))) for k in {**a, **b}}
