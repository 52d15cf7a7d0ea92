"""Exports detections: as a page, or as a Word document with comments."""

from __future__ import annotations

import io
from typing import Any

from fallax.core.types import Detection
from fallax.errors import InputError, MissingExtraError, SpanError
from fallax.render import segments
from fallax.render.labels import said_label

__all__ = ["detection_docx", "detection_html", "read_detection"]


def read_detection(value: dict[str, Any]) -> Detection:
    """Read a detection that the API returned.

    Raises
    ------
    InputError
        If it is none.
    """
    try:
        return Detection.from_dict(value)
    except SpanError:
        raise InputError("detection: a passage must lie inside its text") from None
    except InputError as error:
        raise InputError(f"detection: must be what /v1/detect gives, got another ({error})") from None


def detection_html(found: Detection) -> str:
    """The page of ``fallax detect --format html``."""
    from fallax.detection.view import detections_page

    return detections_page([found])


def detection_docx(found: Detection) -> bytes:
    """A Word document of the text with each finding marked and commented.

    Raises
    ------
    MissingExtraError
        If python-docx is not installed.
    """
    try:
        import docx
        from docx.enum.text import WD_COLOR_INDEX
    except ImportError:
        raise MissingExtraError("python-docx", extra="read") from None
    document = docx.Document()
    if found.record.title:
        document.add_heading(_clean(found.record.title), 1)
    runs: dict[int, list[Any]] = {}
    first: Any = None
    paragraph = document.add_paragraph()
    for piece in segments(found.record.text, found.spans):
        for i, line in enumerate(_clean(piece.text).split("\n")):
            if i:
                paragraph = document.add_paragraph()
            if not line:
                continue
            run = paragraph.add_run(line)
            first = first or run
            if piece.covered_by:
                run.font.highlight_color = WD_COLOR_INDEX.YELLOW
            for number in piece.covered_by:
                runs.setdefault(number, []).append(run)
    if (about := _about(found)) and first is not None:
        document.add_comment(runs=first, text=_clean("\n".join(about)), author="fallax", initials="fx")
    for number, span in enumerate(found.spans):
        if number not in runs:
            continue
        known = (("confidence", span.confidence), ("label", span.label_confidence))
        sure = [f"{name} {100 * value:.0f} %" for name, value in known if value is not None]
        said = [", ".join([said_label(span.label, span.label_confidence), *sure])]
        if span.reported:
            said.append("Reported: somebody else says so.")
        if found.explanations:
            why = found.explanations[number]
            said += [why.definition, f"Form: {why.template}" if why.template else "", f"Sound when: {why.sound_when}"]
        document.add_comment(
            runs=[runs[number][0], runs[number][-1]],
            text=_clean("\n".join(line for line in said if line)),
            author="fallax",
            initials="fx",
        )
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _about(found: Detection) -> list[str]:
    """What must be known of the whole text: what was not examined or read, and notes."""
    prediction = found.prediction
    said = [f"Not examined: {prediction.unscored}"] if prediction.unscored else []
    if prediction.unreadable:
        n_bad = len(prediction.unreadable)
        said.append(f"{n_bad} of {prediction.n_replies} replies or parts of them could not be read.")
    return [*said, *found.notes]


def _clean(text: str) -> str:
    """A text without the characters that XML forbids."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(
        c if (c >= " " or c in "\n\t") and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff" else "\ufffd"
        for c in text
    )
