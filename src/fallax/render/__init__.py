"""Shared parts of all views: terminal, HTML, tables. Text is always escaped; nothing is computed here."""

from fallax.render.report import report_markdown, report_page
from fallax.render.segments import Segment, segments
from fallax.render.structure import structure_svg, structure_tree
from fallax.render.terminal import safe

__all__ = [
    "Segment",
    "report_markdown",
    "report_page",
    "safe",
    "segments",
    "structure_svg",
    "structure_tree",
]
