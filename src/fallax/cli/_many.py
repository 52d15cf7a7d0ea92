"""Processes JSON Lines: one line in, one line out, in order; resumes an interrupted run."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from fallax.cli._out import check_out
from fallax.cli._terminal import live, note
from fallax.core.journal import cut_torn_line
from fallax.core.whole import lines_of
from fallax.data._jsonl import json_lines
from fallax.data._source import Source
from fallax.errors import FormatError, InputError, one_line

__all__ = ["answer_lines", "short_line"]

#: Labels of JSON lines as people read them.
_WORDS = {"not_enough_info": "not enough information", "cannot_tell": "cannot tell"}
Check = Callable[[Mapping[str, Any]], str]


def short_line(said: Mapping[str, Any]) -> str:
    r"""An answer on one line for people: id, label in words and, if known, the probability, separated by tabs.

    Examples
    --------
    >>> short_line({"id": "a", "label": "faithful", "probability": 0.912}).split("\t")
    ['a', 'faithful', '0.91']
    >>> short_line({"id": "b", "label": "not_enough_info", "probability": None}).split("\t")[1]
    'not enough information'
    """
    sure = "" if said["probability"] is None else f"{said['probability']:.2f}"
    return f"{one_line(said['id'], 1000)}\t{_WORDS.get(said['label'], said['label'])}\t{sure}"


def answer_lines(
    path: Path,
    answer: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    *,
    check: Check,
    out: Path | None,
    as_text: Callable[[Mapping[str, Any]], str] | None = None,
) -> int:
    """Answer each line of a file in order; returns the number answered now.

    Parameters
    ----------
    path : JSON Lines; each object has an ``id``. All lines are checked before the first is answered.
    answer : from an object to its answer, which gets the ``id``.
    check : what is wrong with an object, else "".
    out : where answers go, standard output where there is none. Lines that the file holds already are kept and not
        answered again; they must be the first of ``path``. A line that was cut off is answered again.
    as_text : how an answer is shown on standard output; by default as JSON. Files are JSON Lines, which can be resumed.

    Raises
    ------
    FormatError
        If a line cannot be read, or ``out`` holds answers to other lines.
    """
    rows = _checked(path, check)
    out = check_out(out)
    done = 0 if out is None else _kept(out, rows)
    show = as_text if out is None and as_text else (lambda said: json.dumps(said, ensure_ascii=False))
    with ExitStack() as stack:
        file = sys.stdout if out is None else stack.enter_context(out.open("a", encoding="utf-8"))
        for number, row in enumerate(_counted(rows, done), start=1):
            file.write(show({"id": row["id"], **answer(row)}) + "\n")
            if out is not None or number % 20 == 0:
                file.flush()
    return len(rows) - done


def _checked(path: Path, check: Check) -> list[dict[str, Any]]:
    source = Source(path)
    rows: list[dict[str, Any]] = []
    seen: dict[str | int, int] = {}
    for number, row in json_lines(source):
        named = isinstance(row.get("id"), str | int) and not isinstance(row["id"], bool)
        problem = "" if named else "must have an 'id', a text or a whole number"
        problem = problem or check(row)
        if not problem and row["id"] in seen:
            problem = f"each line must have its own id, got {row['id']!r} of line {seen[row['id']]} again"
        if problem:
            raise FormatError(problem, path=source.name, line=number)
        seen[row["id"]] = number
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: must hold at least one line, got none")
    return rows


def _kept(out: Path, rows: list[dict[str, Any]]) -> int:
    """The number of lines that an existing output answers; an incomplete last line is removed."""
    if not out.is_file():
        return 0
    content = out.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    ids = []
    for number, line in enumerate(lines_of(whole.decode("utf-8", "replace")), start=1):
        try:
            ids.append(json.loads(line)["id"])
        except (ValueError, KeyError, TypeError):
            raise FormatError("must be an answer with an 'id'; name another file", path=str(out), line=number) from None
    if ids != [row["id"] for row in rows[: len(ids)]]:
        raise FormatError(
            "must hold answers to the first lines of the input, got others; name another file", path=str(out)
        )
    cut_torn_line(out)
    return len(ids)


def _counted(rows: list[dict[str, Any]], done: int) -> Iterator[dict[str, Any]]:
    """Iterate over the remaining rows, with progress: a bar on a terminal, else a line every ten seconds."""
    shown = time.monotonic()
    shown_live = live()
    if done:
        note(f"resumed; {done} of {len(rows)} were answered before")
    for number, row in enumerate(rows[done:], start=done + 1):
        yield row
        now = time.monotonic()
        if now - shown >= (0.2 if shown_live else 10.0):
            shown = now
            sys.stderr.write(f"\r{number} of {len(rows)}" if shown_live else f"{number} of {len(rows)}\n")
            sys.stderr.flush()
    if shown_live:
        sys.stderr.write(f"\r{len(rows)} of {len(rows)}\n")
