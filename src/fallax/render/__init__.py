"""Values shown to people: terminal, HTML, tables. Text is always escaped; nothing is computed here."""

from fallax.render.debate import verdict_page, verdict_text
from fallax.render.html import detections_page
from fallax.render.report import report_markdown, report_page
from fallax.render.segments import Segment, segments
from fallax.render.structure import structure_svg, structure_tree
from fallax.render.terminal import detection_text, safe, spans_table
from fallax.render.verification import verification_text

__all__ = [
    "Segment",
    "detection_text",
    "detections_page",
    "report_markdown",
    "report_page",
    "safe",
    "segments",
    "spans_table",
    "structure_svg",
    "structure_tree",
    "verdict_page",
    "verdict_text",
    "verification_text",
]
