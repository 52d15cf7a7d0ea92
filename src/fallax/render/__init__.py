"""Values shown to people: terminal, HTML, tables. Text is always escaped; nothing is computed here."""

from fallax.render.debate import verdict_page, verdict_text
from fallax.render.html import detections_page
from fallax.render.segments import Segment, segments
from fallax.render.terminal import detection_text, safe, spans_table

__all__ = [
    "Segment",
    "detection_text",
    "detections_page",
    "safe",
    "segments",
    "spans_table",
    "verdict_page",
    "verdict_text",
]
