"""Scores of predictions, from files or from values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fallax.core.checked import checked, instances_of
from fallax.core.given import given, refuse_unread
from fallax.core.types import ArgumentStructure, Prediction, Record, Score
from fallax.errors import InputError, UnknownNameError, one_line

if TYPE_CHECKING:
    from fallax.data._rows import OnBadSpan
    from fallax.metrics.base import Metric
    from fallax.metrics.structure import StructureMetric

__all__ = ["score"]


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

    Returns
    -------
    Score
        With ``values`` by measure, ``parts`` by label and source, counts and a ``signature``.

    Raises
    ------
    InputError, UnknownNameError
        A file is not in its format, ids do not fit together, a label or the metric does not exist, or an option that
        nothing would read.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan, Span
    >>> gold = [Record("a", "You lie.", (GoldSpan(0, 8, ("ad hominem",)),))]
    >>> found = score(pred=[Prediction("a", (Span(0, 4, "ad hominem"),))], gold=gold)
    >>> found["precision"], found["recall"]
    (1.0, 0.5)
    """
    from fallax.metrics import parse_metric
    from fallax.metrics.base import Metric, SpanMetric
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
        return _structures_scored(used, pred, gold, pred_format, gold_format)
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
        read_predictions(pred, format=pred_format, records=records, **shared)
        if isinstance(pred, str | Path)
        else pred
        if isinstance(pred, Predictions)
        else instances_of(pred, Prediction, "pred: must be a file or predictions")
    )
    if isinstance(found, Predictions) and found.kept_out:
        return used.corpus_score(pred=found, gold=records, kept_out=found.kept_out)
    return used.corpus_score(pred=found, gold=records)


def _structures_scored(
    metric: StructureMetric, pred: Any, gold: Any, pred_format: str | None, gold_format: str | None
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
    return metric.corpus_score(pred=pred, gold=gold)
