"""Shows detections on a terminal and as a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from fallax._version import __version__
from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import Detection, Explanation, Span
from fallax.render.html import environment, group_of
from fallax.render.labels import said_label
from fallax.render.segments import segments
from fallax.render.terminal import safe

__all__ = ["STYLES", "detection_text", "detections_page", "spans_table"]

#: group of level 1 -> style of its passages; other taxonomies take the first.
STYLES = {
    "logic": "black on bright_yellow",
    "emotion": "black on bright_magenta",
    "credibility": "black on bright_cyan",
}
#: A word that changes the probability by less tells a reader nothing.
_MOVES = 0.02
#: Columns of a line about a passage, and of what stands before its further lines.
_WIDTH, _INDENT = 80, 4
#: Characters of a passage in a table: three lines of a terminal of 80 columns.
_CUT = 84
_PLAIN = "black on bright_yellow"


def _style(taxonomy: str, label: str) -> str:
    found = load_taxonomy(taxonomy)
    groups = found[label].groups if label in found else (label,)
    return next((STYLES[g] for g in (*groups, label) if g in STYLES), _PLAIN)


def _sure(probability: float | None) -> str:
    return "–" if probability is None else f"{100 * probability:.0f} %"


def _percent(span: Span) -> str:
    """The probability that the passage is part of a fallacy, and, if known, that of the label given that."""
    if span.confidence is None or span.label_confidence is None:
        return _sure(span.confidence)
    return f"{_sure(span.confidence)}, label {_sure(span.label_confidence)}"


def _said(span: Span) -> str:
    return said_label(span.label, span.label_confidence)


def detection_text(found: Detection, *, title: str = "", brackets: bool = False) -> RenderableType:
    """A text with its passages highlighted, each numbered, and a list of what they are.

    Parameters
    ----------
    found : the text and its spans.
    title : printed above; by default the record's.
    brackets : also put each passage between ⟦ and ⟧, for where colours cannot be seen.
    """
    text = Text()
    covered: tuple[int, ...] = ()
    for piece in segments(found.record.text, found.spans):
        style = _style(found.taxonomy, found.spans[piece.covered_by[-1]].label) if piece.covered_by else ""
        if brackets:
            text.append("⟦" * len(set(piece.covered_by) - set(covered)))
            covered = piece.covered_by
        text.append(safe(piece.text), style=style)
        for i in piece.ends:
            text.append(f"⟧[{i + 1}]" if brackets else f"[{i + 1}]", style="bold")
    parts: list[RenderableType] = []
    if title or found.record.title:
        parts.append(Rule(safe(title or found.record.title), align="left", style="dim"))
    text.rstrip()
    parts.append(text)
    if not found.spans and not found.notes and not found.prediction.unscored:
        read = " in what could be read" if found.prediction.unreadable else ""
        parts.append(Text(f"\nNothing found{read}.", style="dim"))
    for i, span in enumerate(found.spans):
        parts.append(_listed(found, i, span))
    if found.notes:
        parts.append(Text("\n" + safe("\n".join(found.notes)), style="dim"))
    n_bad = len(found.prediction.unreadable)
    if n_bad:
        parts.append(Text(f"\n{n_bad} of {found.prediction.n_replies} replies or parts of them could not be read."))
    if found.prediction.unscored:
        parts.append(Text(f"\nNot examined: {safe(found.prediction.unscored)}", style="bold"))
    return Group(*parts)


def _listed(found: Detection, i: int, span: Span) -> RenderableType:
    taxonomy = load_taxonomy(found.taxonomy)
    head = Text(f"\n[{i + 1}] ", style="bold")
    head.append(f" {_said(span)} ", style=_style(found.taxonomy, span.label))
    groups = taxonomy[span.label].groups if span.label in taxonomy and found.level > 1 else ()
    width = len(head.plain) - 1
    for part in (
        " › ".join(groups),
        "reported: somebody else's words" if span.reported else "",
        f"confidence {_percent(span)}",
        f"characters {span.start}–{span.end}",
    ):
        if part and width + len(part) + 2 > _WIDTH:
            head.append(f"\n{' ' * _INDENT}{part}", style="dim")
            width = _INDENT + len(part)
        elif part:
            head.append(f"  {part}", style="dim")
            width += len(part) + 2
    if not found.explanations:
        return head
    return Group(head, Padding(_explained(found.explanations[i]), (0, 0, 0, _INDENT)))


def _moved(explanation: Explanation) -> str:
    """The words without which the probability falls by at least :data:`_MOVES`, and by how much."""
    moved = [(words, effect) for words, effect in explanation.evidence if round(effect, 2) >= _MOVES]
    return ", ".join(f"“{words}” ({effect:+.2f})" for words, effect in moved)


def _filled(explanation: Explanation) -> str:
    """The slots of the form and the words of the text that fill them."""
    return "; ".join(f"{name.replace('_', ' ')}: {said}" for name, said in explanation.slots.items() if said)


def _explained(explanation: Explanation) -> RenderableType:
    grid = Table.grid(padding=(0, 1))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    rows = [
        ("what it is", explanation.definition),
        ("its form", explanation.template),
        ("in the text", _filled(explanation)),
        ("sound when", explanation.sound_when),
        ("moved by", _moved(explanation)),
    ]
    for name, value in rows:
        if value:
            grid.add_row(name, Text(safe(value)))
    return grid


def _passages(found: Detection) -> dict[tuple[int, int], list[Span]]:
    """Place -> the spans there, one for each label."""
    places: dict[tuple[int, int], list[Span]] = {}
    for span in found.spans:
        places.setdefault((span.start, span.end), []).append(span)
    return places


def spans_table(found: Iterable[Detection]) -> Table:
    """One row per passage with all its labels; with several texts, the first column names the text, too.

    The column "fallacy" has the probability that the passage is part of a fallacy; that of a label stands before it.
    """
    found = list(found)
    several = len({d.record.id for d in found}) > 1
    table = Table(show_edge=False, header_style="bold", pad_edge=False)
    table.add_column("text" if several else "characters", overflow="fold", max_width=14)
    table.add_column("fallacy", justify="right", no_wrap=True)
    table.add_column("label", max_width=20 if several else 24)
    table.add_column("passage", overflow="fold", min_width=30)
    for detection in found:
        for (start, end), spans in _passages(detection).items():
            passage = " ".join(safe(detection.text_of(spans[0])).split())
            if len(passage) > _CUT:
                passage = passage[: _CUT - 1].rsplit(" ", 1)[0] + " …"
            name = f"{safe(detection.record.id)}\n" if several else ""
            table.add_row(
                Text(f"{name}{start}–{end}"),
                "\n".join(dict.fromkeys(_sure(span.confidence) for span in spans)),
                Text("\n".join(f"{_sure(s.label_confidence)} {_said(s)}".removeprefix("– ") for s in spans)),
                Text(passage),
            )
    return table


def _card(found: Detection) -> dict[str, Any]:
    taxonomy = load_taxonomy(found.taxonomy)
    pieces = [
        {
            "text": piece.text,
            "group": group_of(found.taxonomy, found.spans[piece.covered_by[-1]].label) if piece.covered_by else "",
            "labels": "; ".join(_said(found.spans[i]) for i in piece.covered_by),
            "ends": [i + 1 for i in piece.ends],
        }
        for piece in segments(found.record.text, found.spans)
    ]
    spans = [
        {
            "number": i + 1,
            "span": span,
            "said": _said(span),
            "group": group_of(found.taxonomy, span.label),
            "groups": " › ".join(taxonomy[span.label].groups) if span.label in taxonomy else "",
            "text": found.text_of(span),
            "explanation": found.explanations[i] if found.explanations else None,
            "filled": _filled(found.explanations[i]) if found.explanations else "",
            "moved": _moved(found.explanations[i]) if found.explanations else "",
        }
        for i, span in enumerate(found.spans)
    ]
    return {"id": found.record.id, "title": found.record.title, "pieces": pieces, "spans": spans, "found": found}


def detections_page(found: Sequence[Detection], *, title: str = "fallax: what was found") -> str:
    """An HTML page.

    Parameters
    ----------
    found : one entry per text.
    title : the page's heading.

    Returns
    -------
    str
        HTML with its style inside, without script, and with a content security policy that forbids both script and
        network. Texts and labels are escaped.

    Examples
    --------
    >>> from fallax.core.types import Prediction, Record
    >>> page = detections_page([Detection(Record("r", "<script>x</script>"), Prediction("r"), "demo")])
    >>> "<script>" in page, "&lt;script&gt;" in page
    (False, True)
    """
    template = environment().get_template("detections.html")
    systems = sorted({d.system for d in found})
    return template.render(
        title=title, cards=[_card(d) for d in found], systems=systems, version=__version__, n=len(found)
    )
