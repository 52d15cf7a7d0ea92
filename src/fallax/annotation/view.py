"""Agreement reports as tables, for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fallax.annotation.agreement import AgreementReport
from fallax.metrics.agreement import COEFFICIENTS, Coefficient

__all__ = ["Section", "agreement_sections", "markdown", "percent", "shown"]

_SPAN_NAMES = {
    "gamma": "position and labels, beyond chance (Mathet et al. 2015)",
    "gamma_position": "position alone, beyond chance",
    "gamma_cat": "labels where positions are aligned, beyond chance",
    "alpha_u": "Krippendorff's alpha of unitizing",
}


@dataclass(frozen=True, slots=True)
class Section:
    """One table with a title and an optional note."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def shown(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """A value with three digits and its interval.

    Examples
    --------
    >>> shown(0.5), shown(0.5, 0.25, 0.75), shown(None)
    ('0.500', '0.500 [0.250, 0.750]', 'undefined')
    """
    if value is None:
        return "undefined"
    return f"{value:.3f}" + ("" if low is None or high is None else f" [{low:.3f}, {high:.3f}]")


def percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.1f} %"


def _coefficient(c: Coefficient) -> str:
    return shown(c.value, c.low, c.high)


def agreement_sections(report: AgreementReport, *, n_disputed: int = 10) -> list[Section]:
    """The tables of a report, with up to ``n_disputed`` disputed passages."""
    found: list[Section] = []
    spans = report.spans
    if spans is not None:
        rows = [(k, _coefficient(c), _SPAN_NAMES[k]) for k, c in spans.coefficients.items()]
        if rows:
            found.append(Section("Spans", ("measure", "value", "of what"), tuple(rows), _how(report)))
        found.append(
            Section(
                "Pairs of annotators, F1 of spans",
                ("annotators", "equal ends", "ends only", "overlap", "overlap only", "spans", "texts"),
                tuple(
                    (
                        " and ".join(p.annotators),
                        *(f"{v:.3f}" for v in (p.exact, p.exact_position, p.overlap, p.overlap_position)),
                        str(p.n_units),
                        str(p.n_documents),
                    )
                    for p in spans.pairs
                ),
                "With a common label, then whatever the labels.",
            )
        )
        if spans.table2:
            found.append(
                Section(
                    "The measures of MAFALDA's table 2, over pairs of annotators",
                    ("measure", "min", "max", "mean"),
                    tuple((r.measure, f"{r.least:.2f}", f"{r.most:.2f}", f"{r.mean:.2f}") for r in spans.table2),
                )
            )
    what = "Labels of whole texts" if spans is not None else "Labels"
    found.append(
        Section(
            f"{what} ({report.level})",
            ("measure", "value", "of what"),
            tuple((k, _coefficient(c), COEFFICIENTS[k][0]) for k, c in report.labels.items()),
            f"{report.n_items} items that at least two annotators saw; intervals of 95 % resample them.",
        )
    )
    found.append(
        Section(
            "Base rates",
            ("value", "all", *report.annotators),
            tuple(
                (
                    value,
                    percent(rate),
                    *(percent(report.rates_by_annotator[a].get(value, 0.0)) for a in report.annotators),
                )
                for value, rate in sorted(report.base_rates.items(), key=lambda x: -x[1])
            ),
        )
    )
    if report.by_label:
        gamma_k = spans.gamma_k if spans is not None else {}
        found.append(
            Section(
                "By label",
                ("label", "alpha", *(("gamma-k",) if gamma_k else ())),
                tuple(
                    (label, _coefficient(c), *((shown(gamma_k.get(label)),) if gamma_k else ()))
                    for label, c in report.by_label.items()
                ),
            )
        )
    if report.pairs and len(report.annotators) > 2:
        measures = list(next(iter(report.pairs.values())))
        found.append(
            Section(
                "Pairs of annotators, labels",
                ("annotators", *measures),
                tuple((" and ".join(p), *(shown(v[m]) for m in measures)) for p, v in report.pairs.items()),
            )
        )
    confusion = spans.confusion if spans is not None else report.confusion
    mixed = [(a, b, n) for (a, b), n in confusion.items() if a != b][:n_disputed]
    if mixed:
        found.append(
            Section("What is taken for what", ("one", "the other", "times"), tuple((a, b, str(n)) for a, b, n in mixed))
        )
    if report.disputed and n_disputed:
        rows2 = tuple(
            (d.item, _short(d.passage), "; ".join(f"{a}: {v}" for a, v in d.said.items()), f"{d.disagreement:.2f}")
            for d in report.disputed[:n_disputed]
        )
        note = f"{len(report.disputed)} in all." if len(report.disputed) > n_disputed else ""
        found.append(Section("Most disputed", ("item", "passage", "said", "disagreement"), rows2, note))
    return found


def _how(report: AgreementReport) -> str:
    d = report.spans.details if report.spans is not None else {}
    if not d:
        return ""
    exact = (
        "all alignments proved best"
        if d["n_exact"] == d["n_alignments"]
        else f"{d['n_exact']} of {d['n_alignments']} alignments proved best; gamma is in"
        f" [{d['least']:.3f}, {d['most']:.3f}]"
    )
    few = (
        " With fewer than two spans per text, gamma and gamma_cat are low wherever one person differs, since chance is"
        " drawn within a text; the coefficients of labels below compare texts."
        if report.spans is not None
        and sum(report.spans.n_spans.values()) < 2 * report.n_items * len(report.spans.n_spans)
        else ""
    )
    return (
        f"{report.n_items} texts; {d['n_samples']} samples of chance per text, which leave a standard error of"
        f" {d['standard_error']:.4f}; mean of the texts' own gammas {d['mean']:.3f}; {exact}.{few}"
    )


def _short(text: str, limit: int = 120) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def markdown(sections: Sequence[Section], title: str) -> str:
    """The tables as Markdown, for a paper's appendix."""
    lines = [f"# {title}", ""]
    for s in sections:
        lines += [f"## {s.title}", ""]
        lines += ["| " + " | ".join(map(_cell, s.header)) + " |", "|" + " --- |" * len(s.header)]
        lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in s.rows]
        lines += ["", *([_cell(s.note), ""] if s.note else [])]
    return "\n".join(lines)


def _cell(text: str) -> str:
    flat = " ".join(text.split())
    for c in "\\|<>`*_[]":
        flat = flat.replace(c, "\\" + c) if c not in "_" else flat
    return flat
