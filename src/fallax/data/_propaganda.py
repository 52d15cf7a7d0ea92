"""Propaganda fragments: tab-separated article id, technique, begin, end; each article in its own file.

Read are one file for many articles, a folder with one file per article (``article<ID>.task-FLC.labels``, and
SemEval-2020's ``task2-TC``), and SemEval-2020's span identification, which has no technique (``task1-SI``: the label is
then ``propaganda``).

References
----------
Da San Martino et al. 2019 (NLP4IF shared task) and 2020 (SemEval-2020 task 11).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from fallax.core.sink import encode, open_folder, open_out
from fallax.core.types import NO_FALLACY
from fallax.data._options import Options
from fallax.data._rows import Loss, Mark, RawRecord
from fallax.data._source import Source, read_text_file
from fallax.errors import FormatError, InputError, one_line

__all__ = ["SAME_SPAN", "SI_LABEL", "label_files", "read_rows", "write_rows"]

#: The label of a fragment whose technique the file does not say.
SI_LABEL = "propaganda"
#: In these files, several techniques on one fragment hold all together; they are no alternatives.
SAME_SPAN = {"same_span": "all"}
_TASKS = ("task-FLC", "task-flc-tc", "task2-TC", "task1-SI", "")
_NAME = re.compile(r"(?:article)?(?P<id>.+?)(?:\.task[^.]*)?\.(?:labels|tsv|txt)$")


def _id_of(path: Path) -> str:
    match = _NAME.match(path.name)
    return match["id"] if match else path.stem


def label_files(folder: Path) -> list[Path]:
    """The label files of a folder; of several tasks, the most detailed (technique before span only)."""
    files = sorted(p for p in folder.iterdir() if p.suffix in (".labels", ".tsv") and not p.name.startswith("."))
    for task in _TASKS:
        found = [p for p in files if task.lower() in p.name.lower()]
        if found:
            return found
    return []


def _find_articles(source: Source, given: Path | None) -> tuple[Path, dict[str, Path]]:
    if given is not None:
        folders = [given]
        if not given.is_dir():
            raise InputError(f"{given}: articles must be a folder of article files, got {_what(given)}")
    elif source.is_stdin:
        folders = []
    else:
        base = source.path if source.is_dir else source.path.parent
        folders = [base / "articles", base.parent / "articles", base]
    for folder in folders:
        if folder.is_dir():
            texts = sorted(folder.glob("*.txt"))
            named = [p for p in texts if re.match(r"article.|\d+\.txt$", p.name)]
            found = {_id_of(p): p for p in named or (texts if given else [])}
            if found:
                return folder, found
    raise InputError(
        f"{source.name}: the articles' texts must be in a folder beside the labels, got none; name it with articles="
        " (--articles), files article<ID>.txt"
    )


def _what(path: Path) -> str:
    return "a file" if path.exists() else "nothing there"


def _marks(source: Source) -> Iterator[tuple[str, Mark]]:
    for number, text, _ in source.lines():
        if not text.strip():
            continue
        cells = text.split("\t")
        if len(cells) not in (3, 4):
            raise FormatError(
                f"each line must be article id, technique, begin and end with tabs between, got {len(cells)} columns"
                f" in {one_line(text, 60)!r}; put single tabs between the columns",
                path=source.name,
                line=number,
            )
        numbers: list[int] = []
        for cell in cells[-2:]:
            if not re.fullmatch(r"\s*-?\d{1,18}\s*", cell, re.ASCII):
                raise FormatError(
                    f"begin and end must be whole numbers, got {one_line(cell, 40)!r}; give character offsets",
                    path=source.name,
                    line=number,
                )
            numbers.append(int(cell))
        id_ = cells[0].strip()
        if not id_:
            raise FormatError("the article id must not be empty, got ''; add it", path=source.name, line=number)
        label = cells[1].strip() if len(cells) == 4 else SI_LABEL
        yield id_, Mark(numbers[0], numbers[1], label, line=number, path=source.name)


def _all_marks(source: Source, options: Options) -> tuple[dict[str, list[Mark]], set[str]]:
    """Marks by article, and the articles that have a file."""
    found: dict[str, list[Mark]] = {}
    own: set[str] = set()
    if not source.is_dir:
        for id_, mark in _marks(source):
            found.setdefault(id_, []).append(mark)
        return found, own
    files = label_files(source.path)
    if not files:
        raise FormatError("must hold label files (*.labels or *.tsv), got none; name their folder", path=source.name)
    for path in files:
        if len(files) > 1:
            own.add(_id_of(path))
        for id_, mark in _marks(Source(path, max_line_bytes=options.max_line_bytes)):
            found.setdefault(id_, []).append(mark)
    return found, own


def read_rows(source: Source, options: Options) -> Iterator[RawRecord]:
    """Rows by article.

    In one file for many articles, an article of the folder without a line has no propaganda. In a folder with a file
    per article, an article without a file is not annotated.
    """
    found, own = _all_marks(source, options)
    if options.predictions:
        ids: Iterable[str] = (
            found if options.ids is None else [*options.ids, *(i for i in found if i not in options.ids)]
        )
        for id_ in ids:
            marks = found.get(id_, [])
            yield RawRecord(id_, None, marks, _line(marks))
        return
    folder, articles = _find_articles(source, options.articles)
    for id_ in [*articles, *(i for i in found if i not in articles)]:
        here = found.get(id_)
        if id_ not in articles:
            mark = here[0] if here else None
            raise FormatError(
                f"article {one_line(id_, 40)!r} must have its text as article{one_line(id_, 40)}.txt in {folder}, got"
                " none; add it or name another folder with articles=",
                path=mark.path if mark else source.name,
                line=mark.line if mark else None,
            )
        if here is None and (id_ in own or not own):
            here = []
        yield RawRecord(id_, read_text_file(articles[id_]), here, _line(here or []), meta=SAME_SPAN)


def _line(marks: Sequence[Mark]) -> int | None:
    return marks[0].line if marks else None


def write_rows(rows: Iterable[RawRecord], path: str | Path, options: Options, losses: list[Loss]) -> None:
    """Write one line per fragment; texts go to ``options.articles`` if given."""
    with ExitStack() as stack:
        folder = None if options.articles is None else stack.enter_context(open_folder(options.articles))
        write = stack.enter_context(open_out(path))
        for row in rows:
            _write_article(row, folder, losses)
            together = row.meta.get("same_span") == "all"
            counts: dict[tuple[int, int], int] = {}
            for m in row.marks or ():
                if m.label == NO_FALLACY:
                    losses.append(Loss(row.id, "no-fallacy", f"the alternative 'no fallacy' at {m.start}..{m.end}"))
                    continue
                if m.label != m.label.strip() or re.search(r"[\t\r\n]", m.label):
                    losses.append(
                        Loss(row.id, "label", f"the label {m.label!r}: it holds a tab, a newline or outer space")
                    )
                    continue
                counts[m.start, m.end] = counts.get((m.start, m.end), 0) + 1
                if m.confidence is not None:
                    losses.append(Loss(row.id, "confidence", f"the confidence of {m.start}..{m.end}"))
                write(f"{row.id}\t{m.label}\t{m.start}\t{m.end}\n")
            if not together and not options.predictions:
                losses.extend(
                    Loss(
                        row.id,
                        "alternatives",
                        f"that {n} labels at {s}..{e} are alternatives; they will all be asked for",
                    )
                    for (s, e), n in counts.items()
                    if n > 1
                )


def _write_article(row: RawRecord, folder: Path | None, losses: list[Loss]) -> None:
    if re.search(r"[\t\r\n]", row.id) or row.id != row.id.strip():
        raise InputError(f"record {row.id!r}: an article id must hold no tab or newline and no outer space; rename it")
    if folder is None:
        if isinstance(row.text, str) and row.origin is not None:
            losses.append(Loss(row.id, "text", "the text; name a folder with articles="))
    elif isinstance(row.text, str):
        if "/" in row.id or "\\" in row.id or "\0" in row.id:
            raise InputError(f"record {row.id!r}: an article id becomes a file name and must hold no slash; rename it")
        path = folder / f"article{row.id}.txt"
        if (found := _id_of(path)) != row.id:
            raise InputError(
                f"record {row.id!r}: an article id must not end like a file of labels, its article would be read as"
                f" {found!r}; rename it"
            )
        path.write_bytes(encode(row.text, f"record {row.id!r}"))
    if row.marks is None:
        losses.append(
            Loss(row.id, "not-annotated", "that the text is not annotated; it will count as without propaganda")
        )
    losses.extend(
        Loss(row.id, name, f"the {name} {one_line(getattr(row, name), 40)!r}")
        for name in ("source", "title")
        if getattr(row, name)
    )
    losses.extend(Loss(row.id, "meta", f"meta {k!r}") for k in row.meta if k != "same_span")
