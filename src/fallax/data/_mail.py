"""Reads the text of a mail."""

from __future__ import annotations

import re
from email import policy
from email.parser import BytesParser
from typing import Any

from fallax.data._html import page_blocks

__all__ = ["is_mail", "mail_text"]

#: Lines of headers up to a blank line; a mailbox has a line "From ..." in front.
_HEAD = re.compile(rb"(?:From [^\n]*\n)?(?:[!-9;-~]+:[^\n]*\n(?:[ \t]+\S[^\n]*\n)*+)++(?=\r?\n)")
_NAME = re.compile(rb"^([!-9;-~]+):", re.MULTILINE)
#: Headers that programs write, and those that people write at the top of a text, too.
_OF_PROGRAMS = {b"mime-version", b"content-type", b"message-id", b"received"}
_OF_PEOPLE = {b"from", b"to", b"subject", b"date"}


def is_mail(raw: bytes) -> bool:
    r"""Whether bytes begin as a mail does: with two headers of mails, one of them such that a program wrote it.

    Examples
    --------
    >>> is_mail(b"Subject: Tea\nMIME-Version: 1.0\n\nAt four."), is_mail(b"From: Ann\nSubject: Tea\n\nAt four.")
    (True, False)
    """
    head = _HEAD.match(raw)
    names = {name.lower() for name in _NAME.findall(head[0])} if head else set()
    return bool(names & _OF_PROGRAMS) and len(names & (_OF_PROGRAMS | _OF_PEOPLE)) > 1


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
