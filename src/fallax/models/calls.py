"""Files of recorded calls: JSON lines of ``{key, model, identity, request, reply}``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fallax.core.json_value import JsonValue
from fallax.core.sink import dump_json, open_out
from fallax.core.types.messages import Reply, Request
from fallax.errors import FormatError, InputError, one_line
from fallax.models.keys import call_key

__all__ = ["Call", "read_calls", "write_calls"]


@dataclass(frozen=True, slots=True)
class Call(JsonValue):
    """One answered call.

    Parameters
    ----------
    key : what :func:`fallax.models.keys.call_key` gives for ``identity`` and ``request``.
    request, reply : what was asked and what came.
    model : the name of the model that was asked; empty where nobody wrote it down.
    identity : who was asked, all that can change an answer; empty where nobody wrote it down.
    """

    key: str
    request: Request
    reply: Reply
    model: str = ""
    identity: Mapping[str, Any] = field(default_factory=dict)

    json_names = ("key", "model", "identity", "request", "reply")


def read_calls(path: str | Path) -> Iterator[Call]:
    """The calls of a JSONL file, or of all ``*.jsonl`` files of a folder in name order.

    Raises
    ------
    FormatError : no such file, or a line that is no call: with path and line. Where a line says whom it asked, its
        key is recomputed: a request or an identity that was edited afterwards is refused.
    """
    source = Path(path)
    files = sorted(source.glob("*.jsonl")) if source.is_dir() else [source]
    if not files:
        raise FormatError("a folder of recorded calls must hold *.jsonl files, found none", path=source)
    for file in files:
        try:
            with file.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    if line.strip():
                        yield _read_line(line, file, number)
        except (OSError, UnicodeDecodeError) as error:
            raise FormatError(f"recorded calls must be readable UTF-8 JSON lines: {error}", path=file) from error


def _read_line(line: str, file: Path, number: int) -> Call:
    try:
        call = Call.from_dict(json.loads(line))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        reason = error if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        raise FormatError(
            f"a line must be a call {{key, request, reply}}, got {one_line(line, 60)!r} ({one_line(reason, 80)})",
            path=file,
            line=number,
        ) from error
    if call.identity and call_key(call.identity, call.request) != call.key:
        raise FormatError(
            f"the key {one_line(call.key, 20)!r} is not the key of this request to this model: "
            "the line was edited or damaged; export it again",
            path=file,
            line=number,
        )
    return call


def write_calls(path: str | Path, calls: Iterable[Call]) -> int:
    """Write calls as JSON lines; the file appears whole or not at all.

    Returns
    -------
    int : how many were written.
    """
    target = Path(path)
    n_written = 0
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with open_out(target) as write:
            for call in calls:
                write(dump_json(call.to_dict(), str(target)) + "\n")
                n_written += 1
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from None
    return n_written
