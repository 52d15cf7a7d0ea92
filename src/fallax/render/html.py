"""Detections as one self-contained HTML page: no script, no network, every text escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from fallax._version import __version__
from fallax.render.segments import segments
from fallax.taxonomies import load_taxonomy
from fallax.types import Detection

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["detections_page", "environment", "group_of"]


#: Control characters but tab and line ends, and halves of surrogate pairs: HTML has none of them.
_NO_HTML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def _printable(value: object) -> object:
    """What a template shows, with U+FFFD for characters that have no place in a page."""
    if not isinstance(value, str):
        return value
    return type(value)(_NO_HTML.sub("\ufffd", value))  # text that is escaped already stays what it is


@cache
def environment() -> Environment:
    """The template environment of every page; autoescape is always on, and control characters become U+FFFD."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("fallax.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=_printable,
    )


def group_of(taxonomy: str, label: str) -> str:
    """The class that colours a label: its group in MAFALDA's level 1, else "other"."""
    if not taxonomy:
        return "other"
    found = load_taxonomy(taxonomy)
    groups = (*found[label].groups, label) if label in found else (label,)
    return next((g for g in groups if g in ("logic", "emotion", "credibility")), "other")


def _card(found: Detection) -> dict[str, Any]:
    taxonomy = load_taxonomy(found.taxonomy)
    pieces = [
        {
            "text": piece.text,
            "group": group_of(found.taxonomy, found.spans[piece.covered_by[-1]].label) if piece.covered_by else "",
            "labels": "; ".join(found.spans[i].label for i in piece.covered_by),
            "ends": [i + 1 for i in piece.ends],
        }
        for piece in segments(found.record.text, found.spans)
    ]
    spans = [
        {
            "number": i + 1,
            "span": span,
            "group": group_of(found.taxonomy, span.label),
            "groups": " › ".join(taxonomy[span.label].groups) if span.label in taxonomy else "",
            "text": found.text_of(span),
            "explanation": found.explanations[i] if found.explanations else None,
        }
        for i, span in enumerate(found.spans)
    ]
    return {"id": found.record.id, "title": found.record.title, "pieces": pieces, "spans": spans, "found": found}


def detections_page(found: Sequence[Detection], *, title: str = "fallax: what was found") -> str:
    """A whole page.

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
    >>> from fallax.types import Prediction, Record
    >>> page = detections_page([Detection(Record("r", "<script>x</script>"), Prediction("r"), "demo")])
    >>> "<script>" in page, "&lt;script&gt;" in page
    (False, True)
    """
    template = environment().get_template("detections.html")
    systems = sorted({d.system for d in found})
    return template.render(
        title=title, cards=[_card(d) for d in found], systems=systems, version=__version__, n=len(found)
    )
