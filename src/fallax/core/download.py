"""Downloads files with resume and checksums; a file gets its name only when it is complete and correct."""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO

from fallax._version import __version__
from fallax.errors import DownloadError, one_line

__all__ = ["MAX_UNKNOWN", "copy_hashed", "download", "file_sha256"]

_BLOCK = 1 << 20
#: An interrupted transfer is resumed this often, as long as each attempt adds bytes.
_TRIES = 5
#: What comes at most where nobody knows the size beforehand: such files are annotations of some thousand texts.
MAX_UNKNOWN = 16 << 20


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copy_hashed(source: IO[bytes], out: IO[bytes], most: int | None = None) -> str:
    """Copy a stream, or its first N bytes, and return the SHA-256 of the copy.

    Examples
    --------
    >>> import io
    >>> copy_hashed(io.BytesIO(b"abc"), io.BytesIO())[:8]
    'ba7816bf'
    """
    digest = hashlib.sha256()
    left = most
    while (left is None or left > 0) and (block := source.read(_BLOCK if left is None else min(_BLOCK, left))):
        digest.update(block)
        out.write(block)
        left = None if left is None else left - len(block)
    return digest.hexdigest()


def download(
    url: str,
    target: str | Path,
    *,
    sha256: str | None = None,
    most: int = MAX_UNKNOWN,
    progress: Callable[[int, int | None], None] | None = None,
    timeout: float = 30.0,
) -> str:
    """Download a file; it appears only when it is complete and its checksum is right.

    What a broken transfer brought stays beside it (``.partial``), and the next call resumes there where the server can
    do that and says that the file is still the same.

    Parameters
    ----------
    url : http or https.
    target : the file to write; its folder is made.
    sha256 : what the file must have; None: any, and the caller keeps what it has.
    most : bytes; a transfer that brings more is stopped and not kept.
    progress : told how many bytes are here, of how many where the server says so.
    timeout : seconds without a byte.

    Returns
    -------
    str : the SHA-256 of the file.

    Raises
    ------
    DownloadError
        If it cannot be downloaded, breaks off, cannot be written, or has another checksum; then nothing of it is kept.
    """
    target = Path(target)
    partial = target.with_name(target.name + ".partial")
    validator = target.with_name(target.name + ".partial.etag")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for _ in range(_TRIES):
            before = _size(partial)
            whole, reason = _transfer(url, partial, validator, progress, timeout, most)
            if whole or _size(partial) <= before:
                break
        here = _size(partial)
        if here > most:
            partial.unlink()
            validator.unlink(missing_ok=True)
            raise DownloadError(
                f"{url}: must have at most {most:,} bytes, got more: not the expected file; nothing was kept"
            )
        if not whole:
            raise DownloadError(f"{url}: {reason}; {here:,} bytes are kept, the same command resumes there")
        found = file_sha256(partial)
        if sha256 is not None and found != sha256:
            partial.unlink()
            validator.unlink(missing_ok=True)
            raise DownloadError(
                f"{url}: must have SHA-256 {sha256}, found {found}: not the expected file; nothing was kept"
            )
        partial.replace(target)
        validator.unlink(missing_ok=True)
    except OSError as error:
        raise DownloadError(f"{target}: cannot be written: {error.strerror or one_line(error)}") from error
    return found


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _open(url: str, at: int, etag: str, timeout: float) -> http.client.HTTPResponse:
    headers = {"User-Agent": f"fallax/{__version__}"}
    if at:
        headers |= {"Range": f"bytes={at}-", "If-Range": etag}
    if not url.startswith(("http://", "https://")):
        raise DownloadError(f"{one_line(url)}: must be an http or https address")
    try:
        found: http.client.HTTPResponse = urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=timeout
        )
        return found
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416 and at:
            return _open(url, 0, "", timeout)
        raise DownloadError(f"{url}: the server answered {error.code} {one_line(error.reason, 60)}") from None
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        reason = getattr(error, "reason", error)
        raise DownloadError(
            f"{url}: cannot be reached ({one_line(reason, 100)}); check the network, or copy the file here"
        ) from None


def _transfer(
    url: str,
    partial: Path,
    validator: Path,
    progress: Callable[[int, int | None], None] | None,
    timeout: float,
    most: int,
) -> tuple[bool, str]:
    """Download the missing part, or all; returns whether the file is complete, and if not why."""
    etag = validator.read_text("ascii", "replace") if validator.exists() else ""
    at = _size(partial) if etag else 0
    with _open(url, at, etag, timeout) as response:
        if response.status != 206 or not (response.headers.get("Content-Range") or "").startswith(f"bytes {at}-"):
            if response.status == 206:
                raise DownloadError(f"{url}: the server sent another part than requested; try again")
            at = 0
        length = response.headers.get("Content-Length")
        total = at + int(length) if length is not None and length.isdecimal() else None
        _remember(validator, response.headers.get("ETag"))
        reason = "the connection broke off"
        with partial.open("ab" if at else "wb") as out:
            if progress is not None:
                progress(at, total)
            while True:
                try:
                    block = response.read(min(_BLOCK, 1 << 16))
                except (http.client.HTTPException, OSError) as error:
                    return False, f"{reason} ({one_line(error, 60)})"
                if not block:
                    break
                out.write(block)
                at += len(block)
                if progress is not None:
                    progress(at, total)
                if at > most:
                    return True, ""
            out.flush()
            os.fsync(out.fileno())
    return (total is None or at == total), f"{reason} at byte {at:,} of {total or at:,}"


def _remember(validator: Path, etag: str | None) -> None:
    """Store the validator (ETag) of this version; a weak one is not stored, so nothing is resumed."""
    if etag and not etag.startswith("W/") and etag.isascii() and etag.isprintable():
        validator.write_text(etag, "ascii")
    else:
        validator.unlink(missing_ok=True)
