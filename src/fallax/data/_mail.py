"""Reads the text of a mail."""

from __future__ import annotations

from email import policy
from email.parser import BytesParser
from typing import Any

from fallax.data._html import page_blocks

__all__ = ["mail_text"]


def mail_text(raw: bytes) -> tuple[str, dict[str, Any], str]:
    r"""The decoded text of a mail (``.eml``): its plain part, else its page; headers and attachments are left out.

    Returns
    -------
    tuple
        The text, "" if there is none; its form and blocks where it is a page, and ``notes`` of what is not read; the
        subject.

    Examples
    --------
    >>> head = b"Subject: Tea\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n"
    >>> mail_text(head + b"\nA caf=C3=A9 and no=\nthing more.")
    ('A café and nothing more.', {}, 'Tea')
    """
    message = BytesParser(policy=policy.default).parsebytes(raw)
    body = message.get_body(preferencelist=("plain", "html"))
    meta: dict[str, Any] = {}
    attached = list(message.iter_attachments()) if message.is_multipart() else []
    if attached:
        names = ", ".join(part.get_filename() or part.get_content_type() for part in attached[:3])
        more = " ..." if len(attached) > 3 else ""
        meta["notes"] = [f"attachments of the mail are not read: {names}{more}"]
    text = "" if body is None else _decoded(body.get_payload(decode=True), body.get_content_charset("utf-8"))
    if body is not None and body.get_content_subtype() == "html":
        text, meta["blocks"] = page_blocks(text)
        meta["form"] = "html"
    return text, meta, str(message.get("subject") or "")


def _decoded(data: Any, charset: str) -> str:
    raw = data if isinstance(data, bytes) else b""
    try:
        return raw.decode("utf-8" if charset in ("us-ascii", "ascii") else charset, "replace")
    except LookupError:  # a charset that nobody knows
        return raw.decode("utf-8", "replace")
