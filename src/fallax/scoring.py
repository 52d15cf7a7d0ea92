"""Scores of predictions, from files or from values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fallax.core.checked import checked, instances_of
from fallax.core.given import given, refuse_unread
from fallax.core.types import NO_FALLACY, ArgumentStructure, Prediction, Record, Score, Taxonomy
from fallax.core.types.taxonomy import label_key
from fallax.errors import FormatError, InputError, UnknownNameError, one_line

if TYPE_CHECKING:
    from fallax.data._rows import OnBadSpan
    from fallax.metrics.base import Metric, Missing
    from fallax.metrics.structure import StructureMetric

__all__ = ["gold_groups", "labels_of", "odd_labels", "score"]

#: Fields of gold that name what records have in common, the first that a record has.
_GROUP_FIELDS = ("group", "document")


@checked("pred", "gold", "metric")
def score(
    *,
    pred: str | Path | Iterable[Prediction] | Mapping[str, ArgumentStructure],
    gold: str | Path | Iterable[Record] | Mapping[str, ArgumentStructure],
    metric: str | Metric = "soft_span",
    pred_format: str | None = None,
    gold_format: str | None = None,
    articles: str | Path | None = None,
    on_bad_span: OnBadSpan = "raise",
    missing: Missing = "error",
) -> Score:
    """Score predictions against gold.

    Parameters
    ----------
    pred : a file of predictions, or predictions; for a metric over structures, id -> structure.
    gold : a file or folder of annotated texts, or annotated records; for a metric over structures, id -> structure.
    metric : over spans, labels of texts or structures: a name or a spec as :func:`fallax.metrics.parse_metric` takes
        it, or a metric.
    pred_format, gold_format : of the files; by default detected.
    articles : propaganda: folder of the article texts; by default beside the file of gold.
    on_bad_span : "raise", or "report" to go on where spans of files cannot be used: predicted ones count as wrong (of
        metrics that ignore positions their labels count), as in ``fallax score``. So do those of predictions that
        :func:`fallax.data.read_predictions` read with "report".
    missing : "error", or "unscored" to leave records without a prediction out of the score, with that reason.

    Returns
    -------
    Score
        With ``values`` by measure, ``parts`` by label and source, counts and a ``signature``.

    Raises
    ------
    InputError, UnknownNameError
        A file is not in its format, ids do not fit together, a label or the metric does not exist, an option that
        nothing would read, or a label that gold spells otherwise where the metric has no taxonomy. Where it has one,
        labels are found in it as in files: case, underscores, hyphens and aliases are accepted.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan, Span
    >>> gold = [Record("a", "You lie.", (GoldSpan(0, 8, ("ad hominem",)),))]
    >>> found = score(pred=[Prediction("a", (Span(0, 4, "ad hominem"),))], gold=gold)
    >>> found["precision"], found["recall"]
    (1.0, 0.5)
    """
    from fallax.metrics import parse_metric
    from fallax.metrics.base import Metric, SpanMetric, taxonomy_of
    from fallax.metrics.structure import StructureMetric

    if not isinstance(metric, str | Metric):
        raise InputError(f"metric: must be a text or a metric, got {one_line(repr(metric), 40)}")
    used = metric if isinstance(metric, Metric) else parse_metric(metric)
    pred_read, gold_read = isinstance(pred, str | Path), isinstance(gold, str | Path)
    unread = {} if pred_read else given(pred_format=pred_format)
    unread |= {} if gold_read else given(gold_format=gold_format, articles=articles)
    refuse_unread(unread, "needs a file")
    if on_bad_span not in ("raise", "report"):
        raise UnknownNameError("on_bad_span", on_bad_span, ("raise", "report"))
    if isinstance(used, StructureMetric):
        refuse_unread(given(articles=articles), "is not read with structures")
        return _structures_scored(used, pred, gold, pred_format, gold_format, missing)
    if not isinstance(used, SpanMetric):
        raise InputError(
            f"{used.name}: must be a metric over spans, labels of texts or structures; call its corpus_score"
        )
    from fallax.data import Predictions, read_corpus, read_predictions

    shared: dict[str, Any] = {"taxonomy": used.taxonomy, "on_bad_span": on_bad_span}
    records: Sequence[Record] = (
        read_corpus(gold, format=gold_format, articles=articles, **shared).records
        if isinstance(gold, str | Path)
        else instances_of(gold, Record, "gold: must be a file or annotated records")
    )
    found: Iterable[Prediction] = (
        read_predictions(pred, format=pred_format, records=records, missing=missing, **shared)
        if isinstance(pred, str | Path)
        else pred
        if isinstance(pred, Predictions)
        else instances_of(pred, Prediction, "pred: must be a file or predictions (of a Detection its .prediction)")
    )
    kept_out = found.kept_out if isinstance(found, Predictions) else None
    labels = taxonomy_of(used.taxonomy)
    if labels is not None:
        found, records = [_spelt(p, labels) for p in found], [_spelt_gold(r, labels) for r in records]
    elif not used.ignores_labels:
        found = list(found)
        for label, known in odd_labels(labels_of(found), labels_of(records)).items():
            if known is not None:
                raise InputError(
                    f"pred: labels must be spelt as in gold, got {one_line(repr(label), 60)} for"
                    f" {one_line(repr(known), 60)}; correct them, or give the metric their label set, as in"
                    f" {used.name}(taxonomy=mafalda)"
                )
    return used.corpus_score(pred=found, gold=records, missing=missing, kept_out=kept_out)


def gold_groups(gold: str | Path | Iterable[Record], *, group: str | None = None) -> tuple[str, dict[str, str]]:
    """What intervals and tests should draw: the document of each record, say, as gold names it.

    Parameters
    ----------
    gold : a file with one record, label or structure a row, or records.
    group : field of a row or of its ``meta``; by default "group" or "document", where a row has one.

    Returns
    -------
    tuple
        The field ("" without one) and record -> group, for ``groups`` of :func:`fallax.metrics.bootstrap_interval` and
        :func:`fallax.metrics.paired_test`. A record without the field is not in it, and is drawn alone.

    Raises
    ------
    InputError, UnknownNameError
        If no record has the field, or it holds neither a text nor a whole number.

    Examples
    --------
    >>> gold_groups([Record(i, "You lie.", (), meta={"document": "a"}) for i in ("a1", "a2")])
    ('document', {'a1': 'a', 'a2': 'a'})
    """
    used = ""
    known: dict[str, None] = {}
    found: dict[str, str] = {}
    for id_, fields in _fields_of(gold):
        known |= dict.fromkeys(fields)
        name = group or next((n for n in _GROUP_FIELDS if fields.get(n) not in (None, "")), "")
        value = fields.get(name)
        if not name or value is None or value == "":
            continue
        if type(value) not in (str, int):
            where = f"record {one_line(repr(id_), 60)}"
            raise InputError(f"{where}: {name!r} must be a text or a whole number, got {one_line(repr(value), 40)}")
        used = used or name
        found[id_] = str(value)
    if group is not None and not found:
        raise UnknownNameError("field of gold", group, known)
    return used, found


def _fields_of(gold: str | Path | Iterable[Record]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The id and all fields of each row, with those of its ``meta``; nothing of a file without rows."""
    from fallax.data._file_rows import file_rows

    if not isinstance(gold, str | Path):
        for record in gold:
            yield record.id, {**record.meta, "source": record.source, "title": record.title}
        return
    if not Path(gold).is_file():
        return  # a folder, or a pipe that is read once
    try:
        for _, row in file_rows(Path(gold)):
            meta = row.get("meta")
            yield str(row.get("id")), {**(meta if isinstance(meta, Mapping) else {}), **row}
    except FormatError:
        return  # a format of structures that is no JSON, which names no documents


def _spelling(where: str, taxonomy: Taxonomy) -> Callable[[str], str]:
    """From a label to its spelling in a taxonomy."""
    return lambda label: label if label == NO_FALLACY else taxonomy.resolve(label, where=where)


def _spelt(pred: Prediction, taxonomy: Taxonomy) -> Prediction:
    """A prediction whose labels are spelt as in a taxonomy."""
    where = f"record {pred.id!r}"
    spans = tuple(
        replace(s, label=_spelling(f"{where}, span {i}", taxonomy)(s.label)) for i, s in enumerate(pred.spans, start=1)
    )
    labels = None if pred.labels is None else frozenset(map(_spelling(where, taxonomy), pred.labels))
    return pred if (spans, labels) == (pred.spans, pred.labels) else replace(pred, spans=spans, labels=labels)


def _spelt_gold(record: Record, taxonomy: Taxonomy) -> Record:
    """A record whose labels are spelt as in a taxonomy."""
    gold = tuple(
        replace(g, labels=tuple(dict.fromkeys(map(_spelling(f"record {record.id!r}, span {i}", taxonomy), g.labels))))
        for i, g in enumerate(record.gold or (), start=1)
    )
    return record if gold == (record.gold or ()) else replace(record, gold=gold)


def labels_of(values: Iterable[Prediction] | Iterable[Record]) -> set[str]:
    """The labels of predictions that are scored, or of annotated records, but for "no fallacy".

    Examples
    --------
    >>> from fallax.core.types import Span
    >>> sorted(labels_of([Prediction("a", (Span(0, 4, "doubt"),)), Prediction("b", unscored="timeout")]))
    ['doubt']
    """
    found: set[str] = set()
    for one in values:
        if isinstance(one, Record):
            found.update(label for g in one.gold or () for label in g.labels)
        elif not one.unscored:
            found.update(one.text_labels, (s.label for s in one.spans))
    return found - {NO_FALLACY}


def odd_labels(pred: Iterable[str], gold: Iterable[str]) -> dict[str, str | None]:
    """Predicted labels that gold never has -> the gold label that differs in case, underscores or spaces alone.

    Examples
    --------
    >>> odd_labels({"Slippery_Slope", "doubt", "red herring"}, {"slippery slope", "doubt"})
    {'Slippery_Slope': 'slippery slope', 'red herring': None}
    """
    known = set(gold)
    by_key = {label_key(label): label for label in sorted(known)}
    return {label: by_key.get(label_key(label)) for label in sorted(set(pred) - known)}


def _structures_scored(
    metric: StructureMetric,
    pred: Any,
    gold: Any,
    pred_format: str | None,
    gold_format: str | None,
    missing: Missing,
) -> Score:
    from fallax.data import read_gold_structures, read_predicted_structures

    for name, said in (("pred", pred), ("gold", gold)):
        if not isinstance(said, str | Path | Mapping):
            raise InputError(f"{name}: must be a file, or id -> structure, got {one_line(repr(said), 40)}")
    if isinstance(pred, str | Path):
        if not isinstance(gold, str | Path):
            raise InputError(
                "gold: must be a file where pred is one, since a proof names its evidence; give both as one"
            )
        golds = read_gold_structures(gold, format=gold_format)
        pred = read_predicted_structures(pred, gold=golds, format=pred_format)
        gold = {i: g.structure for i, g in golds.items()}
    elif isinstance(gold, str | Path):
        gold = {i: g.structure for i, g in read_gold_structures(gold, format=gold_format).items()}
    return metric.corpus_score(pred=pred, gold=gold, missing=missing)
