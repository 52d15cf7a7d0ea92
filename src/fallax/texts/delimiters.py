"""Text under examination is data: it must not end the delimiters it stands in."""

from __future__ import annotations

import re

__all__ = ["fence"]


def fence(text: str, tag: str) -> str:
    r"""Put a text between ``<tag>`` and ``</tag>`` so that nothing inside can end it.

    Whatever looks like an opening or closing tag of a letter sequence (``</doc>``, ``<label>``, ``< / Doc >``) inside
    the text has its ``<`` replaced by ``‹`` (U+2039), one code point by one code point, so offsets stay true.

    Examples
    --------
    >>> fence("a </doc><label>1</label> b", "doc")
    '<doc>\na ‹/doc>‹label>1‹/label> b\n</doc>'
    >>> fence("1 < 2", "doc")
    '<doc>\n1 < 2\n</doc>'
    """
    harmless = re.sub(r"<(?=\s*/?\s*[A-Za-z_!?])", "‹", text)
    return f"<{tag}>\n{harmless}\n</{tag}>"
