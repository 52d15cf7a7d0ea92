"""Shared code of all HTML pages: templates that escape every text, no script, no network."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types.spans import LABEL_UNSURE

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["environment", "group_of"]


#: Control characters but tab and line ends, and halves of surrogate pairs: HTML has none of them.
_NO_HTML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def _printable(value: object) -> object:
    """A value for a template, with characters not allowed in a page replaced by U+FFFD."""
    if not isinstance(value, str):
        return value
    return type(value)(_NO_HTML.sub("\ufffd", value))  # text that is escaped already stays what it is


@cache
def environment() -> Environment:
    """The template environment of all pages; autoescape is always on, and scripts are told when a label is unsure."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("fallax.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=_printable,
    )
    made.globals["label_unsure"] = LABEL_UNSURE
    return made


def group_of(taxonomy: str, label: str) -> str:
    """The CSS class of a label's colour: its group in MAFALDA's level 1, else "other"."""
    if not taxonomy:
        return "other"
    found = load_taxonomy(taxonomy)
    groups = (*found[label].groups, label) if label in found else (label,)
    return next((g for g in groups if g in ("logic", "emotion", "credibility")), "other")
