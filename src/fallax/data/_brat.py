"""brat stand-off: ``name.txt`` with the text and ``name.ann`` with lines such as ``T1<TAB>Label 0 5<TAB>words``.

A label that brat cannot write (spaces, brackets) gets underscores and a note with the real name, which is read back.
Notes, attributes, relations and events are kept in ``meta["brat"]`` and written again. Discontinuous passages cannot be
said here, except where only line breaks divide the pieces, which is how brat itself writes a passage over two lines.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from fallax.core.sink import encode, open_folder
from fallax.core.types import NO_FALLACY
from fallax.data._options import Options
from fallax.data._rows import Loss, Mark, RawRecord, is_no_fallacy
from fallax.data._source import Source, read_text_file
from fallax.errors import FormatError, InputError, one_line

__all__ = ["read_rows", "write_rows"]

_T = re.compile(r"(T\d+)\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t(.*))?")
_OTHER = re.compile(r"(?:[READMN]\d+|#\d*|\*)\t")
_NOTE = re.compile(r"#\d*\tAnnotatorNotes (T\d+)\tfallax label: (\".*\")")
_BREAKS = re.compile(r"[\r\n]")


def read_rows(source: Source, options: Options) -> Iterator[RawRecord]:
    """Rows of a folder (with its sub-folders), or of one ``.ann`` or ``.txt``."""
    if source.is_stdin:
        raise InputError("<stdin>: brat needs two files, got a pipe; name the folder or the .ann file")
    if source.is_dir:
        root = source.path
        stems = sorted({p.with_suffix("") for p in root.rglob("*") if p.suffix in (".ann", ".txt") and p.is_file()})
    else:
        root = source.path.parent
        stems = [source.path.with_suffix("")]
    if not stems:
        raise FormatError("must hold .txt and .ann files, got none; name their folder", path=source.name)
    for stem in stems:
        yield _read(stem, unquote(stem.relative_to(root).as_posix()), options)


def _read(stem: Path, id_: str, options: Options) -> RawRecord:
    ann, txt = Path(f"{stem}.ann"), Path(f"{stem}.txt")
    if not txt.is_file():
        raise FormatError(f"needs its text beside it, found no {txt.name}; add it", path=ann)
    text = read_text_file(txt)
    if not ann.is_file():
        return RawRecord(id_, text, None, path=str(txt))
    marks: dict[str, Mark] = {}
    others: list[str] = []
    row = RawRecord(id_, text, [], path=str(ann))
    for number, line, _ in Source(ann, max_line_bytes=options.max_line_bytes).lines():
        if not line.strip():
            continue
        if (match := _T.fullmatch(line)) is not None:
            if match[1] in marks:
                raise FormatError(f"each id must be given once, got {match[1]} again", path=ann, line=number)
            mark = _mark(match, text, number, row)
            if mark is not None:
                marks[match[1]] = mark
        elif (note := _NOTE.fullmatch(line)) is not None and note[1] in marks and _is_name(note[2], marks[note[1]]):
            marks[note[1]].label = json.loads(note[2])
        elif _OTHER.match(line):
            others.append(line)
        else:
            raise FormatError(
                f"each line must be brat stand-off, such as T1 TAB Label 0 5 TAB words, got {one_line(line, 60)!r}",
                path=ann,
                line=number,
            )
    row.marks = list(marks.values())
    if others:
        row.meta = {"brat": {"spans": {t: [m.start, m.end, m.label] for t, m in marks.items()}, "lines": others}}
    return row


def _is_name(shown: str, mark: Mark) -> bool:
    with suppress(ValueError):
        label = json.loads(shown)
        return isinstance(label, str) and _name(label) == mark.label
    return False


def _mark(match: re.Match[str], text: str, line: int, row: RawRecord) -> Mark | None:
    pieces = [(int(a), int(b)) for a, b in (p.split(" ") for p in match[3].split(";"))]
    for (_, end), (start, _) in itertools.pairwise(pieces):
        gap = text[end:start]
        if not gap or gap.strip("\r\n"):
            row.unsupported.append(
                (
                    True,
                    line,
                    f"{match[1]}: a passage must be in one piece, got {match[3]!r}; make one passage for each piece",
                )
            )
            return None
    start, end = pieces[0][0], pieces[-1][1]
    shown = match[4]
    if shown is not None:
        found = [_BREAKS.sub(" ", " ".join(text[a:b] for a, b in pieces)), _BREAKS.sub(" ", text[start:end])]
        if shown in found or shown.rstrip() in (f.rstrip() for f in found):
            shown = None
    return Mark(start, end, match[2], line=line, shown=shown)


def _name(label: str) -> str:
    return re.sub(r"[^\w-]+", "_", label).strip("_") or "label"


def write_rows(rows: Iterable[RawRecord], path: str | Path, options: Options, losses: list[Loss]) -> None:
    """Write a folder with two files per record, named by id; characters not allowed in names become %XX."""
    if str(path) == "-":
        raise InputError("<stdout>: brat needs two files per text, got a pipe; name a folder")
    with open_folder(path) as folder:
        for row in rows:
            name = quote(row.id, safe=" ()+,=@~", errors="surrogatepass")
            name = f"%2E{name[1:]}" if name.startswith(".") else name
            where = f"record {row.id!r}"
            try:
                (folder / f"{name}.txt").write_bytes(encode(row.text, where))
                if row.marks is not None:
                    (folder / f"{name}.ann").write_bytes(encode(_ann(row, losses), where))
            except OSError as error:
                raise InputError(
                    f"{where}: its id must make a file name, got {error.strerror or error}; shorten it"
                ) from error
            losses.extend(
                Loss(row.id, n, f"the {n} {one_line(getattr(row, n), 40)!r}")
                for n in ("source", "title")
                if getattr(row, n)
            )
            losses.extend(Loss(row.id, "meta", f"meta {k!r}") for k in row.meta if k != "brat")


def _ann(row: RawRecord, losses: list[Loss]) -> str:
    kept = row.meta.get("brat")
    before: dict[str, Any] = kept["spans"] if isinstance(kept, dict) and "spans" in kept else {}
    lines_before: list[str] = kept.get("lines", []) if isinstance(kept, dict) else []
    old = {(s, e, _name(label)): t for t, (s, e, label) in before.items()}
    used = {int(t[1:]) for t in old.values()}
    notes_used = {int(x[1:].split("\t")[0]) for x in lines_before if re.match(r"#\d+\t", x)}
    lines, notes, written = [], [], set()
    for m in row.marks or ():
        if m.label != NO_FALLACY and is_no_fallacy(m.label):
            losses.append(Loss(row.id, "label", f"the label {m.label!r} means something else in this format"))
            continue
        name = _name(m.label)
        t = old.pop((m.start, m.end, name), None)
        if t is None:
            number = next(n for n in range(1, len(used) + 2) if n not in used)
            used.add(number)
            t = f"T{number}"
        written.add(t)
        lines.append(f"{t}\t{name} {m.start} {m.end}\t{_BREAKS.sub(' ', row.text[m.start : m.end])}\n")
        if name != m.label:
            number = next(n for n in range(1, len(notes_used) + 2) if n not in notes_used)
            notes_used.add(number)
            notes.append(f"#{number}\tAnnotatorNotes {t}\tfallax label: {json.dumps(m.label)}\n")
        if m.confidence is not None:
            losses.append(Loss(row.id, "confidence", f"the confidence of {m.start}..{m.end}"))
    for line in lines_before:
        if set(re.findall(r"\bT\d+\b", line.split("\t")[1] if "\t" in line else "")) <= written:
            notes.append(f"{line}\n")
        else:
            losses.append(Loss(row.id, "brat", f"the line {one_line(line, 60)!r}: its passage is gone"))
    return "".join([*lines, *notes])
