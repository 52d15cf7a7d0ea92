"""Reads a whole file within a size limit, as UTF-8; every error names the file."""

from __future__ import annotations

import codecs
import json
import sys
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from fallax.errors import FormatError, one_line

__all__ = [
    "INSTALL_AGAIN",
    "MAX_WHOLE_BYTES",
    "decode_whole",
    "lines_of",
    "packaged_path",
    "packaged_toml",
    "parse_whole_json",
    "parse_whole_toml",
    "read_whole",
    "read_whole_bytes",
    "read_whole_json",
    "read_whole_toml",
    "shown_name",
]

#: What to do where a file that ships is at fault.
INSTALL_AGAIN = "this file ships with fallax, so install fallax again"
#: The longest file that is read as one (64 MiB). Files of lines have no such limit.
MAX_WHOLE_BYTES = 64 << 20


def shown_name(path: str | Path) -> str:
    """The name of an input in messages; standard input (``-``) is ``<stdin>``."""
    return "<stdin>" if str(path) == "-" else str(path)


def read_whole_bytes(path: str | Path, *, most: int = MAX_WHOLE_BYTES) -> bytes:
    """The bytes of a file or of standard input (``-``); an endless device is reported as too long.

    Raises
    ------
    FormatError
        If it cannot be read or is longer than ``most``.
    """
    name = shown_name(path)
    try:
        if name == "<stdin>":
            found = sys.stdin.buffer.read(most + 1)
        else:
            with Path(path).open("rb") as file:
                found = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or one_line(error)
        raise FormatError(f"must be a readable file, got {reason}", path=name) from error
    if len(found) > most:
        raise FormatError(f"must be at most {most >> 20} MiB long, got more; give its parts one by one", path=name)
    return found


def lines_of(text: str) -> list[str]:
    r"""Split a text at line feeds only, because JSON texts may contain other line ends.

    Examples
    --------
    >>> lines_of("one\u2028still one\ntwo\n"), lines_of("")
    (['one\u2028still one', 'two'], [])
    """
    return text.removesuffix("\n").split("\n") if text else []


def read_whole(path: str | Path, *, most: int = MAX_WHOLE_BYTES) -> str:
    r"""The text of a file, without a byte order mark, with ``\n`` line ends.

    Raises
    ------
    FormatError
        If it cannot be read, is longer than ``most`` or no UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.txt")
    ...     _ = path.write_bytes(b"One.\r\nTwo.")
    ...     read_whole(path)
    'One.\nTwo.'
    """
    text = decode_whole(read_whole_bytes(path, most=most), path)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decode_whole(raw: bytes, path: str | Path) -> str:
    """The text of a file's bytes, without a byte order mark.

    Raises
    ------
    FormatError
        If they are no UTF-8, with the first byte that is wrong.
    """
    mark = len(codecs.BOM_UTF8) if raw.startswith(codecs.BOM_UTF8) else 0
    try:
        return raw[mark:].decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start + mark
        raise FormatError(
            f"must be UTF-8, got byte 0x{raw[at]:02x} at byte {at} of the file; save it as UTF-8",
            path=shown_name(path),
            line=raw.count(b"\n", 0, at) + 1,
        ) from error


def parse_whole_json(text: str, path: str | Path) -> Any:
    """Parse the JSON text of a file.

    Raises
    ------
    FormatError
        If it is no JSON, or nested too deep.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(
            f"must be JSON, got {one_line(text[error.pos :], 40)!r} ({error.msg.lower()})",
            path=shown_name(path),
            line=error.lineno,
            column=error.colno,
        ) from error
    except (RecursionError, ValueError) as error:
        said = "JSON nested too deep" if isinstance(error, RecursionError) else one_line(error)
        raise FormatError(f"must be JSON that fits here, got {said}", path=shown_name(path)) from error


def read_whole_json(path: str | Path) -> Any:
    """Read a JSON file; errors as in :func:`read_whole` and :func:`parse_whole_json`."""
    return parse_whole_json(read_whole(path), path)


def packaged_path(package: str, *parts: str) -> str:
    """Where a file that ships in a package is."""
    return str(resources.files(package).joinpath(*parts))


def packaged_toml(package: str, *parts: str) -> dict[str, Any]:
    """Read a TOML file that ships in a package.

    Parameters
    ----------
    package : such as ``fallax.models``.
    parts : folders below it, and the name of the file.

    Raises
    ------
    FormatError
        If it is missing or is not TOML; the line says where it is, and to install the package again.

    Examples
    --------
    >>> "models" in packaged_toml("fallax.models", "prices.toml")
    True
    """
    path = packaged_path(package, *parts)
    try:
        text = resources.files(package).joinpath(*parts).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(
            f"must be UTF-8 text, got an error ({one_line(error)}); {INSTALL_AGAIN}", path=path
        ) from error
    return _parse_toml(text, path, f"; {INSTALL_AGAIN}")


def read_whole_toml(path: str | Path) -> dict[str, Any]:
    """Read a TOML file; errors as in :func:`read_whole` and :func:`parse_whole_toml`."""
    return parse_whole_toml(read_whole(path), path)


def parse_whole_toml(text: str, path: str | Path) -> dict[str, Any]:
    """Parse the TOML text of a file.

    Raises
    ------
    FormatError
        If it is not TOML, or nested too deep.
    """
    return _parse_toml(text, path)


def _parse_toml(text: str, path: str | Path, advice: str = "") -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        said = "tables nested too deep" if isinstance(error, RecursionError) else one_line(error)
        raise FormatError(f"must be TOML, got {said}{advice}", path=shown_name(path)) from error
