"""The characters that XML 1.0 has."""

from __future__ import annotations

import re

__all__ = ["NO_XML", "xml_characters"]

NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_characters(text: str) -> str:
    r"""A text with U+FFFD for each character that XML does not have.

    Examples
    --------
    >>> xml_characters("a\x00b")
    'a�b'
    """
    return NO_XML.sub("\ufffd", text)
