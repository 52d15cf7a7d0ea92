"""Reports of runs as one self-contained HTML page, as Markdown and as JSON values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from fallax._version import __version__
from fallax.core.types import ArgumentStructure, GoldSpan, Report, ReportRecord, Span, Table, View
from fallax.errors import printable
from fallax.render.html import environment, group_of
from fallax.render.labels import said_label
from fallax.render.segments import segments

__all__ = ["report_markdown", "report_page"]


def _cell(value: str | int | float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else printable(value)


def _shade(table: Table, value: Any) -> str:
    """The opacity (percent) of the accent colour for a cell of a heat map; "" for none."""
    if not table.heat or isinstance(value, str | bool) or value is None:
        return ""
    return f"{100 * min(max(float(value), 0.0), 1.0):.0f}"


def _shown_table(table: Table) -> dict[str, Any]:
    rows = [
        [{"text": _cell(v), "shade": _shade(table, v), "number": not isinstance(v, str)} for v in row]
        for row in table.rows
    ]
    return {"table": table, "rows": rows}


def _marked(text: str, spans: Sequence[Span | GoldSpan], taxonomy: str) -> list[dict[str, str]]:
    def named(span: Span | GoldSpan) -> str:
        if isinstance(span, GoldSpan):
            return " or ".join(span.labels)
        sure = "" if span.confidence is None else f" {100 * span.confidence:.0f} %"
        return f"{said_label(span.label, span.label_confidence)}{sure}"

    def group(span: Span | GoldSpan) -> str:
        return group_of(taxonomy, span.labels[0] if isinstance(span, GoldSpan) else span.label)

    return [
        {
            "text": piece.text,
            "group": group(spans[piece.covered_by[-1]]) if piece.covered_by else "",
            "labels": "; ".join(named(spans[i]) for i in piece.covered_by),
            "ends": "; ".join(named(spans[i]) for i in piece.ends),
        }
        for piece in segments(text, spans)
    ]


def _shown_record(record: ReportRecord) -> dict[str, Any]:
    first = record.answers[0].view
    text = first.fields[0][1] if first.fields else ""
    spanned = _has_passages(record)
    alone = record.answers[0].view.predicted_structure if len(record.answers) == 1 else None
    return {
        "id": record.id,
        "fields": first.fields[1:] if spanned else first.fields,
        "gold": _marked(text, first.gold or (), first.taxonomy) if spanned else None,
        "gold_label": first.gold_label,
        "gold_drawing": _drawing(first.gold_structure, alone),
        "answers": [
            {
                "answer": answer,
                "marked": _marked(text, answer.view.predicted or (), answer.view.taxonomy) if spanned else None,
                "agrees": _agrees(answer.view) if answer.status == "ok" else None,
                "drawing": _drawing(answer.view.predicted_structure, first.gold_structure),
                "differences": _differences(answer.view),
            }
            for answer in record.answers
        ],
    }


def _drawing(structure: ArgumentStructure | None, other: ArgumentStructure | None) -> Markup | None:
    """A structure as an SVG image, with differences from another one marked; all text is escaped."""
    if structure is None or not structure.nodes:
        return None
    from fallax.render.structure import structure_svg  # slow to import

    return Markup(structure_svg(structure, other=other, columns=3))  # every text in it is escaped


def _differences(view: View) -> list[tuple[str, tuple[str, ...]]]:
    """What only one of two structures has, under a heading."""
    gold, pred = view.gold_structure, view.predicted_structure
    if gold is None or pred is None:
        return []
    from fallax.render.structure import structure_difference  # slow to import

    said = (("in gold alone", structure_difference(gold, pred)), ("predicted alone", structure_difference(pred, gold)))
    return [(title, arrows) for title, arrows in said if arrows] or [("same arrows as gold", ())]


def _has_passages(record: ReportRecord) -> bool:
    return record.answers[0].view.gold is not None or any(a.view.predicted is not None for a in record.answers)


def _agrees(view: View) -> bool | None:
    if not view.gold_label and not view.predicted_label:
        return None
    return view.gold_label == view.predicted_label


def report_page(report: Report) -> str:
    """A report as an HTML page: no script, no network, all text escaped.

    Examples
    --------
    >>> page = report_page(Report("demo <b>", "a report", ("sig",), (Table("t", ("a",), ((0.5,),)),)))
    >>> "demo &lt;b&gt;" in page, "0.500" in page, "<script" in page
    (True, True, False)
    """
    return (
        environment()
        .get_template("report.html")
        .render(
            report=report,
            tables=[_shown_table(t) for t in report.tables],
            records=(_shown_record(r) for r in report.records),
            legend=any(map(_has_passages, report.records)),
            version=__version__,
        )
    )


def report_markdown(report: Report) -> str:
    r"""A report as Markdown: heading, signatures and tables, without the records.

    Examples
    --------
    >>> print(report_markdown(Report("demo", "about", ("sig",), (Table("t", ("a|b", "c"), ((0.5, None),)),))))
    # demo
    <BLANKLINE>
    about
    <BLANKLINE>
    - `sig`
    <BLANKLINE>
    ## t
    <BLANKLINE>
    | a\|b | c |
    |---|---|
    | 0.500 | – |
    <BLANKLINE>
    """

    def row(cells: Sequence[str]) -> str:
        return "| " + " | ".join(" ".join(c.replace("\\", "\\\\").replace("|", "\\|").split()) for c in cells) + " |"

    lines = [f"# {report.title}", "", report.about, "", *(f"- `{s}`" for s in report.signatures), ""]
    for table in report.tables:
        lines += [f"## {table.title}", "", row(table.columns), "|" + "---|" * len(table.columns)]
        lines += [row([_cell(v) for v in cells]) for cells in table.rows]
        lines += ["", *([table.note, ""] if table.note else [])]
    return "\n".join(lines)
