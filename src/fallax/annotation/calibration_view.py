"""Reports on judges as tables and as one HTML page with plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fallax.annotation.calibration import CalibrationReport, JudgeReport
from fallax.annotation.view import Section, percent, shown
from fallax.metrics.agreement import COEFFICIENTS
from fallax.metrics.calibration import CalibrationEstimate
from fallax.render.html import environment

__all__ = ["calibration_page", "calibration_sections"]

#: Geometry of a plot, in units of the SVG.
_LEFT, _RIGHT, _ROW = 230, 30, 26
_WIDTH = 640


@dataclass(frozen=True, slots=True)
class _Line:
    """One row of a plot: name, estimate and series."""

    name: str
    estimate: CalibrationEstimate
    series: str


def _of(e: CalibrationEstimate | None) -> str:
    return "none" if e is None else shown(e.value, e.low, e.high)


def calibration_sections(report: CalibrationReport) -> list[Section]:
    """The tables of a report."""
    judges = report.judges
    found = [
        Section(
            "Judges against the majority of the people",
            ("judge", "agreement", "with alternatives", "kappa", "alpha with all", "items", "unread"),
            tuple(
                (
                    j.name,
                    _of(j.accuracy),
                    _of(j.alternatives),
                    shown(j.kappa.value, j.kappa.low, j.kappa.high),
                    shown(j.alpha.value, j.alpha.low, j.alpha.high),
                    str(j.n_rated),
                    str(j.n_unread),
                )
                for j in judges
            ),
            f"{report.n_items} items of {report.n_groups} documents, rated by {', '.join(report.people)}; intervals of"
            " 95 % resample documents. With alternatives: a verdict that somebody gave is right, and so is"
            ' "ambiguous" where people differ.',
        ),
        _ceiling(report),
    ]
    if report.among_people is not None:
        found.append(
            Section(
                "Among people",
                ("measure", "value", "of what"),
                tuple((k, shown(c.value, c.low, c.high), COEFFICIENTS[k][0]) for k, c in report.among_people.items()),
            )
        )
    found.append(
        Section(
            "By how far people agree",
            ("judge", "items", "n", "agreement"),
            tuple((j.name, kind, str(e.n), _of(e)) for j in judges for kind, e in j.by_agreement.items()),
        )
    )
    found.append(_rates(report))
    found.append(
        Section(
            f"Ratings needed for an interval of ± {100 * report.half_width:g} points",
            ("judge", "label", "people alone", "people and judge", "weight of the judge"),
            tuple(
                (j.name, x.label, str(x.needed), _needed(x.needed_with_judge), f"{x.weight:.2f}")
                for j in judges
                for x in j.rates
            ),
            "Items that people must rate in all, if items are independent; where people rated everything that the judge"
            " judged, the judge cannot help.",
        )
    )
    tests = [j for j in judges if j.alt_test is not None]
    if tests:
        found.append(_alt_tests(tests))
    repeated = [j for j in judges if j.consistency is not None]
    if repeated:
        found.append(
            Section(
                "Asked again",
                ("judge", "equal pairs", "items"),
                tuple((j.name, _of(j.consistency), str(j.consistency.n)) for j in repeated if j.consistency),
            )
        )
    flips = tuple((j.name, a, b, _of(e), str(e.n)) for j in judges for (a, b), e in j.flips.items())
    if flips:
        found.append(Section("Flips", ("judge", "from", "to", "share that changes", "items"), flips))
    called = tuple((j.name, k, _of(e), str(e.n)) for j in judges for k, e in j.ambiguous.items())
    if called:
        found.append(
            Section('"Ambiguous" against items on which people differ', ("judge", "measure", "value", "n"), called)
        )
    confusion = tuple((j.name, a, b, str(n)) for j in judges for (a, b), n in j.confusion.items())
    found.append(Section("People's majority and the judge", ("judge", "people", "judge says", "items"), confusion))
    words = tuple((j.name, " ".join(j.words)) for j in judges)
    found.append(Section("In words", ("judge", "verdict"), words))
    return found


def _needed(n: int | None) -> str:
    return "more items must be judged first" if n is None else str(n)


def _ceiling(report: CalibrationReport) -> Section:
    if any(j.ceiling is not None for j in report.judges):
        return Section(
            "The ceiling: each person, and the judge in that place, against the others",
            ("judge", "a person", "the judge", "judge - person"),
            tuple((j.name, _of(j.ceiling), _of(j.leave_one_out), _of(j.difference)) for j in report.judges),
            "Leave one out: agreement with the majority of the other people, over all pairs of a person and an item.",
        )
    return Section(
        "The ceiling",
        ("bound", "value"),
        (("somebody who picks one of the allowed labels", _of(report.alternatives_ceiling)),),
        "There is one label for each item: one person's, or one that several agreed on and whose own labels are not"
        " here. So agreement among people cannot be measured; it can only be bounded. Where the label allows k answers,"
        " two people who each pick one agree in 1 of k cases: nobody can be expected above this bound, and people may"
        " lie well below it.",
    )


def _rates(report: CalibrationReport) -> Section:
    note = (
        "Rogan-Gladen corrects the judge's rate by its sensitivity and specificity; prediction-powered inference"
        " corrects it by its mean error on rated items. Both over all judged items."
    )
    if report.labelled is not None:
        note += (
            f" Only {report.labelled} ratings were used, drawn with seed {report.seed}, as if the rest were unknown."
        )
    return Section(
        "Rates, and rates corrected",
        ("judge", "label", "people", "judge", "bias", "Rogan-Gladen", "prediction-powered"),
        tuple(
            (
                j.name,
                x.label,
                _of(x.people),
                _of(x.judge),
                _of(x.bias),
                "not correctable" if x.rogan_gladen.value is None else _of(x.rogan_gladen),
                _of(x.prediction_powered),
            )
            for j in report.judges
            for x in j.rates
        ),
        note,
    )


def _alt_tests(judges: Sequence[JudgeReport]) -> Section:
    rows = []
    for j in judges:
        t = j.alt_test
        if t is None:
            continue
        people = ", ".join(f"{n}: p = {p:.3f}{' *' if t.rejected[n] else ''}" for n, p in t.p_values.items())
        rows.append(
            (j.name, percent(t.winning_rate), f"{t.advantage:.3f}", "yes" if t.passed else "no", people, t.warning)
        )
    return Section(
        "The alternative annotator test",
        ("judge", "may replace", "advantage", "passes", "people", "warning"),
        tuple(rows),
        "Calderon et al. (2025): a judge passes if it may replace at least half of the people. * rejected at a false"
        " discovery rate of .05 (Benjamini-Yekutieli).",
    )


def calibration_page(report: CalibrationReport, *, title: str = "Judges against people") -> str:
    """One HTML page with verdicts, plots and all tables; no script, no network."""
    plots = [_plot("Agreement with the majority of the people", _agreement_lines(report), (0.0, 1.0))]
    split = [
        _Line(f"{j.name}: {kind}", e, f"s{k % 6}")
        for k, j in enumerate(report.judges)
        for kind, e in j.by_agreement.items()
    ]
    if any(len(j.by_agreement) > 1 for j in report.judges):
        plots.append(_plot("By how far people agree", split, (0.0, 1.0)))
    if report.judges and report.judges[0].rates:
        label = report.judges[0].rates[-1].label
        plots.append(_plot(f"Rate of {label!r}", _rate_lines(report, label), (0.0, 1.0)))
    return (
        environment()
        .get_template("calibration.html")
        .render(
            title=title,
            about=f"{report.n_items} items of {report.n_groups} documents; people: {', '.join(report.people)};"
            f" seed {report.seed}, {report.n_resamples} resamples of documents.",
            judges=report.judges,
            plots=plots,
            sections=calibration_sections(report),
        )
    )


def _agreement_lines(report: CalibrationReport) -> list[_Line]:
    lines: list[_Line] = []
    ceiling = next((j.ceiling for j in report.judges if j.ceiling is not None), None)
    if ceiling is not None:
        lines.append(_Line("a person, against the others", ceiling, "people"))
    else:
        lines.append(_Line("bound from alternatives", report.alternatives_ceiling, "people"))
    lines += [
        _Line(j.name, j.leave_one_out if j.leave_one_out is not None else j.accuracy, f"s{k % 6}")
        for k, j in enumerate(report.judges)
    ]
    return lines


def _rate_lines(report: CalibrationReport, label: str) -> list[_Line]:
    lines: list[_Line] = []
    for k, j in enumerate(report.judges):
        for x in j.rates:
            if x.label != label:
                continue
            if not lines:
                lines.append(_Line("people", x.people, "people"))
            lines.append(_Line(f"{j.name}: as it says", x.judge, f"s{k % 6}"))
            if x.rogan_gladen.value is not None:
                lines.append(_Line(f"{j.name}: Rogan-Gladen", x.rogan_gladen, f"s{k % 6}"))
            lines.append(_Line(f"{j.name}: prediction-powered", x.prediction_powered, f"s{k % 6}"))
    return lines


def _plot(title: str, lines: Sequence[_Line], ends: tuple[float, float]) -> dict[str, Any]:
    """Points with intervals, one under another, as numbers for the template."""
    low, high = ends

    def x(value: float) -> float:
        return round(_LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT), 1)

    rows = []
    for i, line in enumerate(lines):
        e = line.estimate
        if e.value is None:
            continue
        rows.append(
            {
                "name": line.name if len(line.name) <= 34 else line.name[:33] + "…",
                "full": f"{line.name}: {_of(e)}",
                "y": 20 + i * _ROW,
                "x": x(min(max(e.value, low), high)),
                "from": x(max(low, e.low if e.low is not None else e.value)),
                "to": x(min(high, e.high if e.high is not None else e.value)),
                "series": line.series,
                "value": f"{e.value:.2f}",
            }
        )
    ticks = [{"x": x(low + (high - low) * t / 5), "text": f"{low + (high - low) * t / 5:.1f}"} for t in range(6)]
    bottom = 20 + len(lines) * _ROW
    return {"title": title, "rows": rows, "ticks": ticks, "width": _WIDTH, "bottom": bottom, "height": bottom + 26}
