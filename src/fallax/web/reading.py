"""Reads text from files and web pages; fetches only public addresses."""

from __future__ import annotations

import http.client
import io
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

from fallax.data._extract import DOCUMENTS, extracted
from fallax.errors import InputError, one_line

__all__ = ["fetch_page", "is_public", "read_file"]

#: Suffix -> what it is read as.
SUFFIXES = {
    ".txt": "text", ".text": "text", ".md": "text", ".markdown": "text", ".html": "html", ".htm": "html",
    **DOCUMENTS,
}  # fmt: skip
_TYPES = {
    "text/html": "page",
    "application/xhtml+xml": "page",
    "text/plain": "text",
    "text/markdown": "text",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
}
_SECONDS = 20
_PAGE_BYTES = 5_000_000
_REDIRECTS = 5


def read_file(name: str, data: bytes, *, most: int) -> dict[str, Any]:
    """The text of a file.

    Parameters
    ----------
    name : of the file; its suffix says what it is.
    data : its bytes.
    most : characters that its text may have.

    Returns
    -------
    dict
        ``text``, ``title`` and ``notes``.

    Raises
    ------
    InputError
        If it is of no known kind, holds no text, or cannot be read in time.
    MissingExtraError
        If the package that reads it is not installed.
    """
    suffix = Path(name.lower()).suffix
    if suffix not in SUFFIXES:
        raise InputError(f"file {one_line(name, 60)!r}: must be one of {', '.join(SUFFIXES)}")
    return _parsed(SUFFIXES[suffix], data, one_line(name, 60), most)


def _parsed(kind: str, data: bytes, name: str, most: int) -> dict[str, Any]:
    found = extracted(kind, data, name)
    if len(found["text"]) > most:
        raise InputError(f"{name}: must have at most {most:,} characters, got {len(found['text']):,}")
    return found


def is_public(address: str) -> bool:
    """True for a public internet address: not this machine or local network, nor a tunnel to them.

    Examples
    --------
    >>> [is_public(a) for a in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "::ffff:127.0.0.1", "64:ff9b::7f00:1")]
    [False, False, False, False, False]
    >>> is_public("93.184.215.14")
    True
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped or found.sixtofour or found.teredo:
            return False  # these carry another address inside
        if found in ipaddress.ip_network("64:ff9b::/96") or found in ipaddress.ip_network("::/96"):
            return False
    return found.is_global and not found.is_multicast


class _Incoming(io.RawIOBase):
    """What a socket receives; a read after ``until``, or one that lasts so long, raises TimeoutError."""

    def __init__(self, sock: socket.socket, until: float) -> None:
        self._sock = sock
        self._until = until

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        self._sock.settimeout(_left(self._until))
        return self._sock.recv_into(into)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """What an HTTP response reads a socket by."""
        return io.BufferedReader(self)


def _left(until: float) -> float:
    """The seconds until a moment; TimeoutError after it."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def fetch_page(url: str, *, most: int, allowed: Callable[[str], bool] = is_public) -> dict[str, Any]:
    """The text of a page on the public web.

    Parameters
    ----------
    url : http or https, on the usual port.
    most : characters that the text may have.
    allowed : which IP addresses may be asked.

    Notes
    -----
    A name is resolved once, every address it has must be allowed, and the connection is made to the address that was
    checked, so that a name cannot point elsewhere in between. Redirects are followed at most five times, each checked
    like the first. No proxy, no cookie, no key. All of it, redirects included, must be done in 20 seconds; only a name
    server that does not answer is waited for longer.
    """
    until = time.monotonic() + _SECONDS
    for _ in range(_REDIRECTS + 1):
        target, kind, data = _get(url, allowed, until)
        if target is None:
            return {**_parsed(kind, data, one_line(url, 100), most), "url": url}
        url = urljoin(url, target)
    raise InputError(f"address: must lead to a page within {_REDIRECTS} redirects")


def _checked(url: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and path of an allowed address."""
    shown = one_line(url, 100)
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise InputError(f"address {shown!r}: must be http://... or https://...") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"address {shown!r}: must be http://... or https://...")
    if parts.username is not None or parts.password is not None:
        raise InputError(f"address {shown!r}: must hold no name or password")
    usual = 443 if parts.scheme == "https" else 80
    if port not in (None, usual):
        raise InputError(f"address {shown!r}: must use the usual port, {usual}")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not path.isascii() or any(c <= " " for c in path):
        from urllib.parse import quote

        path = quote(path, safe="/?&=%:@+,;~!$'()*-._")
    return parts.scheme, parts.hostname, usual, path


def _get(url: str, allowed: Callable[[str], bool], until: float) -> tuple[str | None, str, bytes]:
    """(redirect target, kind, bytes) of one request."""
    scheme, host, port, path = _checked(url)
    shown = one_line(host, 100)
    try:
        ascii_host = host.encode("idna").decode("ascii") if not host.isascii() else host
        found = socket.getaddrinfo(ascii_host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise InputError(f"address: {shown!r} must be a known host, this one was not found") from None
    if not found or not all(allowed(str(entry[4][0])) for entry in found):
        raise InputError(f"address: {shown!r} must be on the public web, got an address on this machine or network")
    family, kind, number, _, where = found[0]
    sock = socket.socket(family, kind, number)
    try:
        sock.settimeout(_left(until))
        sock.connect(where)
        sock.settimeout(_left(until))
        if scheme == "https":
            sock = ssl.create_default_context().wrap_socket(sock, server_hostname=ascii_host)
        connection = http.client.HTTPConnection(ascii_host, port)
        connection.sock = sock
        headers = {
            "User-Agent": "fallax",
            "Accept": "text/html,text/plain;q=0.9,*/*;q=0.1",
            "Accept-Encoding": "identity",
        }
        sock.settimeout(_left(until))
        connection.request("GET", path, headers=headers)
        response = http.client.HTTPResponse(cast("socket.socket", _Incoming(sock, until)), method="GET")
        response.begin()
        return _answered(response, shown)
    except TimeoutError:
        raise InputError(f"address: {shown!r} must answer within {_SECONDS} seconds") from None
    except (OSError, http.client.HTTPException) as error:
        raise InputError(f"address: {shown!r} cannot be read: {one_line(error, 120)}") from None
    finally:
        sock.close()


def _answered(response: http.client.HTTPResponse, shown: str) -> tuple[str | None, str, bytes]:
    if response.status in (301, 302, 303, 307, 308) and (target := response.getheader("location")):
        return target, "", b""
    if response.status != 200:
        raise InputError(f"address: {shown!r} must answer with a page, got status {response.status}")
    media = (response.getheader("content-type") or "text/html").partition(";")[0].strip().lower()
    if media not in _TYPES:
        raise InputError(f"address: {shown!r} must give a text, a page, PDF or DOCX, got {one_line(media, 60)!r}")
    data = bytearray()
    while chunk := response.read(65536):
        data += chunk
        if len(data) > _PAGE_BYTES:
            raise InputError(f"address: {shown!r} must give at most {_PAGE_BYTES:,} bytes")
    return None, _TYPES[media], bytes(data)
