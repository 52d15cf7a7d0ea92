"""Processes JSON Lines: one line in, one line out, in order; resumes an interrupted run."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from rich.cells import cell_len, set_cell_size

from fallax._version import __version__
from fallax.cli._out import check_out
from fallax.cli._progress import compute
from fallax.cli._terminal import live, note
from fallax.core.ahead import in_order
from fallax.core.journal import cut_torn_line
from fallax.core.run_record import read_record, write_record
from fallax.core.whole import lines_of
from fallax.data._jsonl import json_lines
from fallax.data._source import Source
from fallax.errors import (
    AuthenticationError,
    BudgetError,
    FormatError,
    InputError,
    JudgeError,
    ModelError,
    VerifierError,
    one_line,
)

__all__ = ["Short", "answer_lines", "settings_of"]

#: Labels of JSON lines as people read them.
_WORDS = {"not_enough_info": "not enough information", "cannot_tell": "cannot tell"}
#: The longest id and verdict that others are aligned with.
_WIDEST = (30, len(_WORDS["not_enough_info"]))
Check = Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True)
class Short:
    r"""How answers are shown to people: id, verdict in words, and what is known of its probability.

    Where nothing is known of it, the reason why there is no verdict stands there.

    Parameters
    ----------
    of : what the number is the probability of.
    sure : from an answer to the words about its probability; by default the number alone.

    Examples
    --------
    >>> Short("faithful").line({"id": "a", "label": "faithful", "probability": 0.912})
    'a\tfaithful\t0.91'
    >>> Short("it").aligned({"id": "b", "label": "not_enough_info", "probability": None}, 3)
    'b    not enough information'
    """

    of: str
    sure: Callable[[Mapping[str, Any]], str] | None = None

    def cells(self, said: Mapping[str, Any]) -> tuple[str, str, str]:
        """The columns."""
        sure = "" if said.get("probability") is None else f"{said['probability']:.2f}"
        sure = (
            (self.sure(said) if self.sure else "")
            or sure
            or one_line(said.get("reason") or said.get("unscored", ""), 1000)
        )
        label = "no answer" if said["label"] is None else said["label"]
        return one_line(said["id"], 1000), _WORDS.get(label, label), sure

    def line(self, said: Mapping[str, Any]) -> str:
        """The columns, divided by tabs."""
        return "\t".join(self.cells(said))

    def aligned(self, said: Mapping[str, Any], width: int) -> str:
        """The columns side by side, the first of this width."""
        return _side_by_side(self.cells(said), width)

    def head(self, width: int) -> str:
        """The headings of the columns."""
        return _side_by_side(("id", "verdict", f"probability of {self.of}"), width)


def _side_by_side(cells: Sequence[str], width: int) -> str:
    widths = (width, _WIDEST[1])
    *first, last = cells
    padded = [set_cell_size(c, max(w, cell_len(c))) for c, w in zip(first, widths, strict=True)]
    return "  ".join((*padded, last)).rstrip()


def settings_of(system: Any, **options: Any) -> dict[str, Any]:
    """All that decides how a line is answered: the judge or verifier, and the options of the command as JSON values."""
    from fallax.scan.jobs import card_hash

    return {"fallax": __version__, "system": system.name, "system_hash": card_hash(system.name, system), **options}


def answer_lines(
    path: Path,
    answer: Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]],
    *,
    check: Check,
    settings: Mapping[str, Any],
    out: Path | None,
    short: Short | None = None,
    ahead: int = 1,
) -> int:
    """Answer each line of a file in order; returns the number of lines that a model or system did not answer.

    Such a line has ``unscored``, with the reason, and no label. It is answered when the command is repeated.

    Parameters
    ----------
    path : JSON Lines; each object has an ``id``. All lines are checked before the first is answered.
    answer : from an object to its answer, which gets the ``id``.
    check : what is wrong with an object, else "".
    settings : all that decides the answers, see :func:`settings_of`.
    out : where answers go, standard output where there is none. Lines that the file holds already are kept and not
        answered again; they must be answers, with the same settings, to the first lines of ``path`` as they are. What
        was answered is in a record beside the file: ``out.jsonl`` has ``out.jsonl.run.json``. A line that was cut off
        is answered again.
    short : how an answer is shown on standard output, in columns below a heading on a terminal; by default as JSON.
        Files are JSON Lines, which can be resumed.
    ahead : how many lines are answered at a time.

    Raises
    ------
    FormatError
        If a line cannot be read, or ``out`` holds answers to other lines.
    RunError
        If ``out`` is there without its record, or was made with other settings.
    AuthenticationError, BudgetError
        If no further call can be answered.
    """
    out = check_out(out, [path])
    rows = _checked(path, check)
    kept = [] if out is None else _begun(out, rows, settings)
    begin = next((n for n, line in enumerate(kept) if _is_unanswered(line)), len(kept))
    if out is not None and begin < len(kept):
        os.truncate(out, sum(len(line) + 1 for line in out.read_bytes().split(b"\n")[:begin]))
    on_terminal = out is None and sys.stdout.isatty()
    show: Callable[[Mapping[str, Any]], str] | None = None
    if out is None and short is not None:
        show = short.line
        if on_terminal:
            width = min(_WIDEST[0], max(2, *(cell_len(one_line(row["id"], 1000)) for row in rows)))
            show = partial(short.aligned, width=width)
            sys.stdout.write(short.head(width) + "\n")
    n_failed = 0
    written = begin

    async def said_of(number: int) -> str:
        if number < len(kept) and not _is_unanswered(kept[number]):
            return kept[number]
        row = rows[number]
        try:
            said = await answer(row)
        except (AuthenticationError, BudgetError):
            raise
        except (JudgeError, ModelError, VerifierError) as error:
            said = {"label": None, "probability": None, "unscored": one_line(error, 300)}
        return json.dumps({"id": row["id"], **said}, ensure_ascii=False) + "\n"

    async def write_all(file: TextIO, told: Callable[[int], None]) -> None:
        nonlocal n_failed, written
        async for line in in_order(range(begin, len(rows)), said_of, ahead=ahead):
            said = json.loads(line)
            if "unscored" in said:
                n_failed += 1
                note(f"{one_line(said['id'], 60)}: not answered: {said['unscored']}")
            file.write(line if show is None else show(said) + "\n")
            written += 1
            if out is not None or written % 20 == 0:
                file.flush()
            told(written)

    with ExitStack() as stack:
        file = sys.stdout if out is None else stack.enter_context(out.open("a", encoding="utf-8"))
        n_before = sum(not _is_unanswered(line) for line in kept)
        with _counted(len(rows), n_before, shown_live=live() and not on_terminal) as told:
            try:
                (compute if ahead == 1 else asyncio.run)(write_all(file, told))
            finally:  # what was answered before is not lost where a line before it is interrupted
                file.writelines(kept[written:])
    return n_failed


def _is_unanswered(line: str) -> bool:
    """Whether a line says why a model did not answer."""
    return "unscored" in json.loads(line)


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


def _begun(out: Path, rows: list[dict[str, Any]], settings: Mapping[str, Any]) -> list[str]:
    """The lines of an existing output; the record beside the output is of these rows afterwards."""
    if out.exists() and not out.is_file():  # a device
        return []
    record = out.with_name(f"{out.name}.run.json")
    digests = [_digest(row) for row in rows]
    kept: list[str] = []
    if out.is_file() and out.stat().st_size:
        said = read_record(out, record, settings, instead="name another file")
        kept = _kept(out, rows, said.get("lines"), digests)
    write_record(record, {"settings": settings, "lines": digests})
    return kept


def _digest(row: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode("utf-8")).hexdigest()[:16]


def _kept(out: Path, rows: list[dict[str, Any]], asked: Any, digests: list[str]) -> list[str]:
    """The lines of an output with answers; an incomplete last line is removed.

    Parameters
    ----------
    asked, digests : of the lines that the output was begun with, and of the rows.
    """
    content = out.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    ids = []
    lines = [line + "\n" for line in lines_of(whole.decode("utf-8", "replace"))]
    for number, line in enumerate(lines, start=1):
        try:
            ids.append(json.loads(line)["id"])
        except (ValueError, KeyError, TypeError):
            raise FormatError("must be an answer with an 'id'; name another file", path=str(out), line=number) from None
    if ids != [row["id"] for row in rows[: len(ids)]]:
        raise FormatError(
            "must hold answers to the first lines of the input, got others; name another file", path=str(out)
        )
    before = asked if isinstance(asked, list) else []
    for number, (id_, digest) in enumerate(zip(ids, digests, strict=False), start=1):
        if before[number - 1 : number] != [digest]:
            raise FormatError(
                f"must be the answer to {one_line(repr(id_), 40)} as the input has it now, got that to another content;"
                " name another file",
                path=str(out),
                line=number,
            )
    cut_torn_line(out)
    return lines


@contextmanager
def _counted(n: int, n_before: int, *, shown_live: bool) -> Iterator[Callable[[int], None]]:
    """Takes how many lines are done, and shows it: a count that changes, else a line every ten seconds.

    There is none where both standard error and the answers go to a terminal.
    """
    shown = time.monotonic()
    told = shown_live or not sys.stderr.isatty()
    if n_before:
        note(f"resumed; {n_before} of {n} were answered before")

    def tell(done: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if told and now - shown >= (0.2 if shown_live else 10.0):
            shown = now
            sys.stderr.write(f"\r{done} of {n}" if shown_live else f"{done} of {n}\n")
            sys.stderr.flush()

    yield tell
    if shown_live:
        sys.stderr.write(f"\r{n} of {n}\n")
