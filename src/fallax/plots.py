"""Plots of calibration, confusion and agreement, with matplotlib (extra ``plot``). Each draws into axes.

Examples
--------
>>> reliability([0.1, 0.15, 0.9], [False, False, True], bins=2)
[(0.125, 0.0, 2), (0.9, 1.0, 1)]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fallax.core.types import Score
from fallax.errors import InputError, MissingExtraError
from fallax.metrics import confusion_counts

if TYPE_CHECKING:
    from fallax.annotation import AgreementReport

__all__ = ["plot_agreement", "plot_before_after", "plot_calibration", "plot_confusion", "reliability"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingExtraError("matplotlib", extra="plot") from None
    return pyplot.subplots()[1]


def reliability(
    confidences: Sequence[float], right: Sequence[bool], *, bins: int = 10
) -> list[tuple[float, float, int]]:
    """The share right by confidence, in bins of equal width.

    Parameters
    ----------
    confidences : length n, each in [0, 1].
    right : length n, whether each was right.
    bins : how many.

    Returns
    -------
    list of (float, float, int)
        Mean confidence, share that was right, and how many there are, of each bin that has any.

    Raises
    ------
    InputError
        If the two differ in length, or a confidence is out of range.
    """
    if len(confidences) != len(right):
        raise InputError(f"right: must have as many values as confidences, got {len(right)} and {len(confidences)}")
    if not all(0 <= c <= 1 for c in confidences):
        raise InputError("confidences: must be in [0, 1]")
    if bins < 1:
        raise InputError(f"bins: must be at least 1, got {bins}")
    found: list[list[tuple[float, bool]]] = [[] for _ in range(bins)]
    for c, hit in zip(confidences, right, strict=True):
        found[min(int(c * bins), bins - 1)].append((c, hit))
    return [(sum(c for c, _ in one) / len(one), sum(h for _, h in one) / len(one), len(one)) for one in found if one]


def plot_calibration(
    confidences: Sequence[float], right: Sequence[bool], *, bins: int = 10, label: str = "", ax: Any = None
) -> Any:
    """A reliability diagram: on the dashed line, confidence equals the share right.

    Parameters
    ----------
    confidences, right, bins : see :func:`reliability`. The area of a dot is the share of its bin.
    label : of the line.
    ax : axes to draw into; by default new ones, which are given back.
    """
    rows = reliability(confidences, right, bins=bins)
    ax = _axes(ax)
    ax.plot([0, 1], [0, 1], linestyle="--", color="grey", linewidth=1)
    ax.plot([c for c, _, _ in rows], [r for _, r, _ in rows], label=label or None)
    sizes = [20 + 400 * n / max(1, len(confidences)) for _, _, n in rows]
    ax.scatter([c for c, _, _ in rows], [r for _, r, _ in rows], s=sizes, alpha=0.6)
    ax.set(xlabel="confidence", ylabel="share that was right", xlim=(0, 1), ylim=(0, 1))
    if label:
        ax.legend()
    return ax


def plot_confusion(counts: Score | Mapping[tuple[str, str], int], *, ax: Any = None) -> Any:
    """A confusion matrix: rows are gold, columns predictions.

    Parameters
    ----------
    counts : a score of :class:`fallax.metrics.Classification`, or (gold, predicted) -> how many.
    ax : axes to draw into; by default new ones, which are given back.
    """
    known = confusion_counts(counts) if isinstance(counts, Score) else counts
    if not known:
        raise InputError("counts: must hold at least one pair of gold and predicted, got none")
    golds, preds = sorted({g for g, _ in known}), sorted({p for _, p in known})
    most = max(known.values())
    ax = _axes(ax)
    ax.imshow([[known.get((g, p), 0) for p in preds] for g in golds], cmap="Blues", vmin=0, vmax=most)
    for y, g in enumerate(golds):
        for x, p in enumerate(preds):
            n = known.get((g, p), 0)
            ax.text(x, y, str(n), ha="center", va="center", color="white" if 2 * n > most else "black")
    ax.set_xticks(range(len(preds)), preds, rotation=45, ha="right")
    ax.set_yticks(range(len(golds)), golds)
    ax.set(xlabel="predicted", ylabel="gold")
    return ax


def plot_agreement(report: AgreementReport, *, ax: Any = None) -> Any:
    """Agreement coefficients with intervals, labels below the overall values.

    Parameters
    ----------
    report : of :func:`fallax.agree`. What is undefined is left out.
    ax : axes to draw into; by default new ones, which are given back.
    """
    spans = {} if report.spans is None else report.spans.coefficients
    rows = [*report.labels.items(), *spans.items(), *report.by_label.items()]
    known = [(name, c) for name, c in rows if c.value is not None]
    ax = _axes(ax)
    for y, (_, c) in enumerate(known):
        value = float(c.value or 0.0)
        low = value if c.low is None else c.low
        high = value if c.high is None else c.high
        ax.plot([low, high], [y, y], color="grey", linewidth=2)
        ax.plot([value], [y], marker="o", color="black")
    ax.set_yticks(range(len(known)), [name for name, _ in known])
    ax.invert_yaxis()
    ax.axvline(0, color="grey", linewidth=1)
    ax.set(xlabel="agreement")
    return ax


def plot_before_after(rows: Sequence[Mapping[str, Any]], *, title: str = "") -> Any:
    """Values before (black) and after (teal) leaving out records, with intervals; one panel per measure.

    Hollow points count unreadable replies as wrong; unfinished runs have their rows beside their name.

    Parameters
    ----------
    rows : of one figure of :func:`fallax.faithfulness.benchmarks.madisse_tables.figures`: "method", "level",
        "measure", "unfinished" and "before" and "after" with "value", "strict", "low" and "high".
    title : above all.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If there is no row.
    MissingExtraError
        Without matplotlib (extra ``plot``).
    """
    if not rows:
        raise InputError("rows: must hold at least one value, got none")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", extra="plot") from None
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    most = max(sum(row["measure"] == m for row in rows) for m in measures)
    figure = Figure(figsize=(4.5 * len(measures) + 2, 1.5 + 0.45 * most))
    for ax, measure in zip(figure.subplots(1, len(measures), squeeze=False)[0], measures, strict=True):
        own = [row for row in rows if row["measure"] == measure]
        for y, row in enumerate(own):
            for shift, (side, colour) in zip((-0.12, 0.12), (("before", "black"), ("after", "teal")), strict=True):
                one = row[side]
                if one["value"] is None:
                    continue
                ends = [one["value"] if one[k] is None else one[k] for k in ("low", "high")]
                ax.plot(ends, [y + shift] * 2, color=colour, linewidth=1.5, alpha=0.5)
                ax.plot([one["value"]], [y + shift], "o", color=colour, label=side if y == 0 else None)
                if one["strict"] not in (None, one["value"]):
                    ax.plot([one["strict"]], [y + shift], "o", color=colour, fillstyle="none")
        names = [f"{row['method']} ({row['run']})" for row in own]
        unfinished = [f"\nunfinished: {row['unfinished']}" if row["unfinished"] else "" for row in own]
        ax.set_yticks(range(len(own)), [a + b for a, b in zip(names, unfinished, strict=True)])
        ax.set_ylim(len(own) - 0.5, -0.5)
        ax.set_xlabel(measure.replace("_", " "))
        ax.legend()
    figure.suptitle(title)
    figure.tight_layout()
    return figure
