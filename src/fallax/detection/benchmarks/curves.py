"""Calibration curves: stated confidence against how often it was right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from fallax.core.types import NO_FALLACY, Prediction, Record, Table
from fallax.metrics.calibration import calibration_error_by_chance

__all__ = ["calibration_table", "passage_tables"]

_BINS = 10


def calibration_table(title: str, unit: str, pairs: Iterable[tuple[float, bool]]) -> Table | None:
    """The curve of some confidences, in ten equal bins; None without confidences.

    Parameters
    ----------
    title : what the confidence is of.
    unit : what is counted: "texts".
    pairs : each confidence, in [0, 1], with whether it was so.

    Returns
    -------
    Table or None
        Its note has the expected calibration error: the mean distance of what was said from how often it was so, bins
        weighing as many as they hold (Naeini et al. 2015), and beside it the error by chance: what as many confidences
        have on average if each is exactly right (:func:`~fallax.metrics.calibration.calibration_error_by_chance`). Its
        figures are ``expected_calibration_error``, ``error_by_chance`` (to six decimals), ``n`` and ``bins``, a list
        with ``low`` (in the bin) and ``high`` (in the last bin alone), ``n``, and ``said`` and ``right``, the mean
        confidence and the share that was so. All others are unrounded.

    Examples
    --------
    >>> table = calibration_table("label", "texts", [(0.92, True), (0.98, False), (0.3, False)])
    >>> table.rows
    (('0.3 to 0.4', 1, 0.3, 0.0), ('0.9 to 1.0', 2, 0.95, 0.5))
    >>> table.note
    'expected calibration error 0.400 over 3 texts; 0.204 by chance, if every confidence were exactly right'
    >>> table.figures["bins"][0]
    {'low': 0.3, 'high': 0.4, 'n': 1, 'said': 0.3, 'right': 0.0}
    """
    every = list(pairs)
    n = len(every)
    if not n:
        return None
    bins: dict[int, list[tuple[float, bool]]] = {}
    for said, so in every:
        bins.setdefault(min(_BINS - 1, int(said * _BINS)), []).append((said, so))
    rows = []
    figures = []
    error = 0.0
    for number, found in sorted(bins.items()):
        mean, share = (math.fsum(float(pair[k]) for pair in found) / len(found) for k in (0, 1))
        error += len(found) / n * abs(mean - share)
        low, high = number / _BINS, (number + 1) / _BINS
        rows.append((f"{low:.1f} to {high:.1f}", len(found), round(mean, 3), round(share, 3)))
        figures.append({"low": low, "high": high, "n": len(found), "said": mean, "right": share})
    chance = calibration_error_by_chance(np.array([said for said, _ in every]))
    note = (
        f"expected calibration error {error:.3f} over {n} {unit}; "
        f"{chance:.3f} by chance, if every confidence were exactly right"
    )
    columns = ("said", unit, "said on average", "was so")
    more = {"expected_calibration_error": error, "error_by_chance": chance, "n": n, "bins": figures}
    return Table(f"Calibration: {title}", columns, tuple(rows), note, figures=more)


def passage_tables(pred: Sequence[Prediction], gold: Sequence[Record]) -> tuple[Table, ...]:
    """The curves of the passages that were found, for predictions with confidences: part of a fallacy, and its label.

    A passage is part of a fallacy where a gold span that names one shares a character with it; its label is right where
    such a span allows it, and is asked only there. Passages in texts that nobody annotated are left out.
    """
    anything: list[tuple[float, bool]] = []
    labels: list[tuple[float, bool]] = []
    for said, record in zip(pred, gold, strict=True):
        if record.gold is None:
            continue
        for span in said.spans:
            there = [g for g in record.gold if g.start < span.end and g.end > span.start and g.labels != (NO_FALLACY,)]
            if span.confidence is not None:
                anything.append((span.confidence, bool(there)))
            if span.label_confidence is not None and there:
                labels.append((span.label_confidence, any(span.label in g.labels for g in there)))
    found = (
        calibration_table("a passage that was found is part of a fallacy", "passages", anything),
        calibration_table("the label of a passage that is part of a fallacy", "passages", labels),
    )
    return tuple(table for table in found if table is not None)
