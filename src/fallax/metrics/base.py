"""Shared code of metrics over predictions and records: alignment, sums, parts and the signature.

A metric says what one pair of prediction and record adds up to (:class:`Counts`); everything else happens here, once.
"""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, NamedTuple, cast

from fallax._version import __version__
from fallax.core.types import NO_FALLACY, Prediction, Record, Score, Signature, Span, Taxonomy, data_hash
from fallax.errors import FallaxError, InputError, MetricError, UnknownNameError, one_line

__all__ = [
    "NO_PREDICTION",
    "Aligned",
    "Counts",
    "Measure",
    "Metric",
    "Missing",
    "PredGold",
    "SpanMetric",
    "Sums",
    "add_up",
    "align",
    "build_score",
    "check_choice",
    "check_flag",
    "check_same_ids",
    "format_value",
    "keyed_by_label",
    "number_groups",
    "some_ids",
    "taxonomy_of",
]

#: Name -> sum. A formula of :data:`fallax.core.types.FORMULAS` divides them.
Sums = Mapping[str, float]

#: What to do about a record without a prediction.
Missing = Literal["error", "unscored"]

#: Why a record without a prediction is unscored.
NO_PREDICTION = "no prediction"

_SHOWN = 5


class Measure(NamedTuple):
    """The meaning of one value of a metric.

    Parameters
    ----------
    meaning : in words.
    low, high : its range; ``high`` is None where it has no bound.
    higher_is_better : False for error rates.
    """

    meaning: str
    low: float = 0.0
    high: float | None = 1.0
    higher_is_better: bool = True


class PredGold(NamedTuple):
    """A record with its prediction."""

    pred: Prediction
    gold: Record


class Counts(NamedTuple):
    """The contribution of one record: its sums, and those of each of its labels."""

    sums: Sums
    by_label: Mapping[str, Sums] = {}


class Aligned(NamedTuple):
    """Predictions paired with their records.

    ``pairs`` are scored; ``unscored`` says for each other record why not; ``replies`` gives (read or tried,
    unreadable) for every record with a prediction; ``reading`` is the variant all predictions share; ``unreadable``
    are the annotated records whose reply could not be read.
    """

    pairs: list[PredGold]
    unscored: dict[str, str]
    replies: dict[str, tuple[int, int]]
    reading: str
    unreadable: tuple[Record, ...] = ()


def check_same_ids(
    pred: Mapping[str, object], gold: Mapping[str, object], what: str, missing: Missing = "error"
) -> None:
    """Raise InputError unless predictions and gold have the same ids; ``what`` names one of gold: "label".

    With ``missing="unscored"`` gold may have more.
    """
    check_choice("corpus_score", "missing", missing, ("error", "unscored"))
    if extra := [i for i in pred if i not in gold]:
        raise InputError(f"pred: every prediction must have a gold {what}, without one: {some_ids(extra)}")
    absent = [i for i in gold if i not in pred]
    if absent and missing == "error":
        raise InputError(
            f"pred: every record must have a prediction, without one: {some_ids(absent)};"
            " give one without an answer where there was none, or missing='unscored' to leave them out"
        )


def some_ids(ids: Sequence[str]) -> str:
    """The first few ids and the number of others, for messages."""
    shown = ", ".join(repr(one_line(i, 60)) for i in ids[:_SHOWN])
    return f"{shown} and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else shown


def _twice(ids: Iterable[str]) -> list[str]:
    return [i for i, n in Counter(ids).items() if n > 1]


def _check_sequence(values: object, kind: type, name: str) -> None:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise InputError(f"{name}: must be a sequence of {kind.__name__}, got {type(values).__name__}")


def is_unreadable(pred: Prediction) -> bool:
    """Whether a record is unscored because its reply could not be read, not because there was none."""
    return bool(pred.unscored and pred.unreadable)


def align(
    *, pred: Iterable[Prediction], gold: Iterable[Record], missing: Missing = "error"
) -> tuple[Aligned, list[Record]]:
    """Pair each prediction with its record, by id.

    Parameters
    ----------
    pred : at most one per record, in any order.
    gold : ids unique.
    missing : "error", or "unscored" to leave records without a prediction out of the score, with that reason.

    Returns
    -------
    (Aligned, list of Record)
        The pairs stand in the order of ``gold``; the list holds all records.

    Raises
    ------
    InputError
        If an id occurs twice, a prediction has no record, a record has no prediction (unless ``missing`` says
        otherwise), or the predictions come from different readings of the replies.
    """
    check_choice("align", "missing", missing, ("error", "unscored"))
    _check_sequence(pred, Prediction, "pred")
    _check_sequence(gold, Record, "gold")
    preds, records = list(pred), list(gold)
    for name, values, kind in (("pred", preds, Prediction), ("gold", records, Record)):
        for i, value in enumerate(cast("list[Any]", values)):
            if not isinstance(value, kind):
                raise InputError(f"{name}, entry {i + 1}: must be a {kind.__name__}, got {type(value).__name__}")
        if twice := _twice(v.id for v in cast("list[Any]", values)):
            raise InputError(f"{name}: ids must be unique, found twice: {some_ids(twice)}")
    by_id = {p.id: p for p in preds}
    known = {r.id for r in records}
    if extra := [p.id for p in preds if p.id not in known]:
        raise InputError(
            f"pred: every prediction must have a record, {len(extra)} of {len(preds)} have none: {some_ids(extra)};"
            " score them against the gold they were made for"
        )
    absent = [r.id for r in records if r.id not in by_id]
    if absent and missing == "error":
        raise InputError(
            f"pred: every record must have a prediction, {len(absent)} of {len(records)} have none: {some_ids(absent)};"
            " give an empty prediction where nothing was found, or missing='unscored' to leave them out"
        )
    readings = sorted({p.variant for p in preds}) or ["definition"]
    if len(readings) > 1:
        raise InputError(f"pred: all predictions must come from one reading, got {', '.join(readings)}")
    pairs: list[PredGold] = []
    unscored: dict[str, str] = {}
    for record in records:
        found = by_id.get(record.id)
        if found is None:
            unscored[record.id] = NO_PREDICTION
        elif record.gold is None:
            unscored[record.id] = "not annotated"
        elif found.unscored:
            unscored[record.id] = found.unscored
        else:
            pairs.append(PredGold(found, record))
    replies = {p.id: (p.n_replies, len(p.unreadable)) for p in preds}
    lost = tuple(r for r in records if r.id in by_id and r.gold is not None and is_unreadable(by_id[r.id]))
    return Aligned(pairs, unscored, replies, readings[0], lost), records


def add_up(parts: Iterable[Sums]) -> dict[str, float]:
    """Add sums key by key with exact rounding, so that the order of records cannot matter.

    Examples
    --------
    >>> add_up([{"n": 1, "x": 0.1}, {"n": 1, "x": 0.2}, {"x": 0.3}])
    {'n': 2.0, 'x': 0.6}
    """
    columns: dict[str, list[float]] = {}
    for sums in parts:
        for key, value in sums.items():
            columns.setdefault(key, []).append(value)
    return {key: math.fsum(values) for key, values in columns.items()}


def keyed_by_label(by_label: Mapping[str, Sums]) -> Sums:
    """The sums of each label under separate keys, for the formula ``macro_matches``.

    Examples
    --------
    >>> keyed_by_label({"A": {"hits": 1}, "B": {"hits": 2}})
    {'hits:A': 1, 'hits:B': 2}
    """
    return {f"{name}:{label}": value for label, sums in by_label.items() for name, value in sums.items()}


def number_groups(numbers: Mapping[str, int], *, top: int | None = None) -> dict[str, str]:
    """Group records by a number, such as reasoning steps or distractors, for a breakdown.

    Parameters
    ----------
    numbers : record id -> number.
    top : this number and all above it are one group.

    Examples
    --------
    >>> number_groups({"a": 1, "b": 6, "c": 9}, top=6)
    {'a': '1', 'b': '6+', 'c': '6+'}
    """
    return {i: str(n) if top is None or n < top else f"{top}+" for i, n in numbers.items()}


def check_choice(metric: str, name: str, value: object, allowed: Iterable[str]) -> None:
    """Raise UnknownNameError unless a setting has an allowed value."""
    known = tuple(allowed)
    if value not in known:
        raise UnknownNameError(name, value, known, where=metric)


def check_flag(metric: str, name: str, value: object) -> None:
    """Raise InputError unless a setting is True or False."""
    if not isinstance(value, bool):
        raise InputError(f"{metric}: {name} must be true or false, got {value!r}")


def taxonomy_of(value: Taxonomy | str | None) -> Taxonomy | None:
    """The taxonomy itself, loaded if a name is given."""
    if not isinstance(value, str):
        return value
    from fallax.core.taxonomies import load_taxonomy

    return load_taxonomy(value)


class _AnyLabel(frozenset[str]):
    """A label set that contains every label, for metrics without a taxonomy."""

    def __contains__(self, _: object) -> bool:
        return True


_ANY = _AnyLabel()


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """A configured metric: ``str`` prints its spec, and :func:`fallax.metrics.parse_metric` reads it back."""

    #: As registered.
    name: ClassVar[str]
    #: Every number the metric can give, by name.
    measures: ClassVar[Mapping[str, Measure]]

    def __str__(self) -> str:
        shown = []
        for f in fields(self):
            value = getattr(self, f.name)
            if value != f.default:
                shown.append(f"{f.name}={format_value(value)}")
        return f"{self.name}({', '.join(shown)})" if shown else self.name

    def settings(self) -> dict[str, str]:
        """The settings of the metric, defaults included, as the signature prints them."""
        found = {"metric": self.name, "version": __version__}
        for f in fields(self):
            value = getattr(self, f.name)
            found[f.name] = format_value(value)
        return found


def _past_the_end(pair: PredGold, labels: Sequence[str]) -> PredGold:
    """The pair with a predicted span behind the text for each label: it shares no character with gold."""
    if not labels:
        return pair
    end = max((len(pair.gold.text), *(s.end for s in pair.pred.spans)))
    more = (Span(end + i, end + i + 1, label) for i, label in enumerate(labels))
    return PredGold(replace(pair.pred, spans=(*pair.pred.spans, *more)), pair.gold)


def format_value(value: object) -> str:
    """One setting in a spec: a plain word bare, everything else as JSON.

    Examples
    --------
    >>> format_value("official"), format_value(True), format_value(("a b", "c")), format_value("true")
    ('official', 'true', '["a b", "c"]', '"true"')
    """
    if isinstance(value, Taxonomy):
        value = value.name
    if (
        isinstance(value, str)
        and re.fullmatch(r"[A-Za-z_][\w.+-]*", value, re.ASCII)
        and value not in ("true", "false", "null", "NaN", "Infinity")
    ):
        return value
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def _by_number(group: tuple[str, object]) -> tuple[float, str]:
    """Groups in alphabetical order, those that begin with a number by that number."""
    number = re.match(r"\d+", group[0])
    return (int(number[0]) if number else -1, group[0])


def build_score(
    *,
    metric: str,
    formula: str,
    zero: Sums,
    settings: Mapping[str, str],
    counts: Mapping[str, Counts],
    hashes: Mapping[str, str],
    sources: Mapping[str, str],
    replies: Mapping[str, tuple[int, int]],
    unscored: Mapping[str, str],
    label_formula: str | None = None,
    label_order: Sequence[str] = (),
    groups: Mapping[str, Mapping[str, str]] | None = None,
    wrong: Mapping[str, Sums] | None = None,
) -> Score:
    """A Score with its parts, from the contributions of records.

    Parameters
    ----------
    metric, formula, label_formula : spec and formulas of the whole and (default: the same) of one label.
    zero : the sums of nothing, so that the formula finds its keys where no record was scored.
    settings : for the signature.
    counts : record id -> what it adds; its keys are the records that were scored.
    hashes : record id -> data hash of the record.
    sources : record id -> source, "" for none; records that were not scored included.
    replies, unscored : as :class:`Aligned` gives them.
    label_order : labels in the order their parts shall stand; others follow in alphabetical order.
    groups : kind of part -> record id -> the group it is in, for breakdowns of other kinds; numbers stand in order.
    wrong : id of each record with an unreadable reply -> what it adds where that counts as wrong.
    """
    lost = wrong or {}

    def part(what: Mapping[str, str], formula: str, records: Mapping[str, Sums], members: Iterable[str]) -> Score:
        about = [m for m in members if m in replies]
        total = sum(int(hashes[i], 16) for i in records) % 2**64
        return Score(
            metric,
            formula,
            add_up((zero, *records.values())),
            Signature({**settings, **what}, len(records), f"{total:016x}"),
            records,
            {},
            sum(replies[i][0] for i in about),
            sum(replies[i][1] for i in about),
            {i: unscored[i] for i in sorted(members) if i in unscored},
            add_up(lost[i] for i in members if i in lost),
            sum(i in lost for i in members),
            {i: lost[i] for i in members if i in lost},
        )

    by_label: dict[str, dict[str, Sums]] = {}
    for record, found in counts.items():
        for label, sums in found.by_label.items():
            by_label.setdefault(label, {})[record] = sums
    ranked = {label: i for i, label in enumerate(label_order)}
    labels = sorted(by_label, key=lambda x: (ranked.get(x, len(ranked)), x))
    parts = {"label": {x: part({"label": x}, label_formula or formula, by_label[x], ()) for x in labels}}
    for kind, grouped in {**(groups or {}), "source": sources}.items():
        members: dict[str, list[str]] = {}
        for record in sources:
            if grouped.get(record):
                members.setdefault(grouped[record], []).append(record)
        parts[kind] = {
            name: part({kind: name}, formula, {i: counts[i].sums for i in ids if i in counts}, ids)
            for name, ids in sorted(members.items(), key=_by_number)
        }
    whole = part({}, formula, {i: c.sums for i, c in counts.items()}, sources)
    return Score(
        whole.metric,
        whole.formula,
        whole.sums,
        whole.signature,
        whole.records,
        {kind: found for kind, found in parts.items() if found},
        whole.n_replies,
        whole.n_unreadable,
        whole.unscored,
        whole.wrong,
        whole.n_wrong,
        whole.wrong_records,
    )


@dataclass(frozen=True, kw_only=True)
class SpanMetric(Metric):
    """A metric that compares predictions with records.

    A subclass gives :meth:`_count`, :attr:`formula` and :attr:`zero`.

    Parameters
    ----------
    taxonomy : labels outside it are an error, and it stands in the signature with its version. A registered name, a
        Taxonomy, or None to take labels as they are.
    """

    #: Whether predicted spans that could not be used count; see :meth:`corpus_score`.
    counts_kept_out: ClassVar[bool] = False

    taxonomy: Taxonomy | str | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        if self.taxonomy is not None and not isinstance(self.taxonomy, (str, Taxonomy)):
            raise InputError(f"{self.name}: taxonomy must be a name or a Taxonomy, got {type(self.taxonomy).__name__}")

    @property
    def ignores_positions(self) -> bool:
        """Whether only the labels of spans count, not where they are."""
        return False

    @property
    def ignores_labels(self) -> bool:
        """Whether only the positions of spans count, or whether there are any, not their labels."""
        return False

    @property
    @abstractmethod
    def formula(self) -> str:
        """The formula of the whole score."""

    @property
    def label_formula(self) -> str:
        """The formula of one label's part."""
        return self.formula

    @property
    @abstractmethod
    def zero(self) -> Sums:
        """The sums at 0."""

    def settings(self) -> dict[str, str]:
        """The settings of the metric, with defaults and the version of the taxonomy."""
        found = super().settings()
        taxonomy = taxonomy_of(self.taxonomy)
        found["taxonomy"] = "none" if taxonomy is None else f"{taxonomy.name}@{taxonomy.version}"
        return found

    def _check(self, pair: PredGold, known: Collection[str]) -> None:
        """Raise an error if a prediction cannot belong to its record."""
        pair.pred.check(pair.gold, known)

    @abstractmethod
    def _count(self, pairs: Sequence[PredGold]) -> Iterable[Counts]:
        """The contribution of each pair, in order; labels and offsets are already checked."""

    def corpus_score(
        self,
        *,
        pred: Iterable[Prediction],
        gold: Iterable[Record],
        missing: Missing = "error",
        kept_out: Mapping[str, Sequence[str]] | None = None,
    ) -> Score:
        """Score predictions against records.

        Parameters
        ----------
        pred : one per record, in any order, found by id.
        gold : ids unique. A record without annotation (``gold is None``) is unscored, never counted as wrong.
        missing : "unscored" leaves records without a prediction out, with that reason; by default they are an error.
        kept_out : record id -> labels of predicted spans that are not in ``pred`` since they cannot be used: outside
            the text, without a known label (:func:`fallax.data.read_predictions` lists them). Where
            ``counts_kept_out`` is true they count as predictions that match no passage (of those with
            ``ignores_positions`` their labels count); other metrics leave them out.

        Returns
        -------
        Score
            With the sums of every record, parts by label and (where records name one) by source, and a signature.

        Raises
        ------
        InputError
            If ids occur twice or do not fit together, or predictions come from different readings of the replies.
        SpanError
            If a predicted span leaves its text.
        UnknownNameError
            If there is a taxonomy and a label is not in it.
        MetricError
            If the metric itself raises an exception.
        """
        found, records = align(pred=pred, gold=gold, missing=missing)
        taxonomy = taxonomy_of(self.taxonomy)
        known = _ANY if taxonomy is None else frozenset(taxonomy.names) | {NO_FALLACY}
        for pair in found.pairs:
            self._check(pair, known)
            if taxonomy is not None:
                pair.gold.check_labels(known)
        counted = found.pairs
        if self.counts_kept_out and kept_out:
            counted = [_past_the_end(pair, kept_out.get(pair.gold.id, ())) for pair in counted]
        counts = self._counted(counted)
        return build_score(
            metric=str(self),
            formula=self.formula,
            label_formula=self.label_formula,
            zero=self.zero,
            settings={**self.settings(), "reading": found.reading},
            counts={p.gold.id: c for p, c in zip(found.pairs, counts, strict=True)},
            hashes={p.gold.id: data_hash((p.gold,)) for p in found.pairs},
            sources={r.id: r.source for r in records},
            replies=found.replies,
            unscored=found.unscored,
            label_order=() if taxonomy is None else taxonomy.names,
            wrong={r.id: self._wrong(r) for r in found.unreadable},
        )

    def _wrong(self, record: Record) -> Sums:
        """The contribution of an unreadable reply that counts as wrong: a mean of 0, else that of no finding."""
        if self.formula == "mean":
            return {**self.zero, "n": 1}
        (found,) = self._counted([PredGold(Prediction(record.id, spans=()), record)])
        return found.sums

    def _counted(self, pairs: Sequence[PredGold]) -> list[Counts]:
        """The contribution of each pair, or MetricError."""
        where = f"on record {pairs[0].gold.id!r}" if len(pairs) == 1 else f"on {len(pairs)} records"
        try:
            found = list(self._count(pairs))
        except (FallaxError, MemoryError):
            raise
        except Exception as error:
            raise MetricError(str(self), where, error) from error
        if len(found) != len(pairs):
            raise MetricError(str(self), where, ValueError(f"it counted {len(found)} of them"))
        return found

    def record_score(self, *, pred: Prediction, gold: Record) -> Score:
        """Score one prediction; like :meth:`corpus_score` over that record alone."""
        return self.corpus_score(pred=(pred,), gold=(gold,))
