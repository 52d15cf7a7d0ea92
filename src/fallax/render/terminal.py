"""Makes text safe for a terminal."""

from __future__ import annotations

import re

__all__ = ["safe"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def safe(text: str) -> str:
    r"""Replace control, bidirectional and invalid characters by U+FFFD.

    Line feeds and tabs stay; a carriage return before a line feed goes.

    Examples
    --------
    >>> safe("a\x1b[31mb\r\nc")
    'a�[31mb\nc'
    """
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n"))
