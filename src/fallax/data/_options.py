"""Options of readers, and the definition of a format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fallax.core.types import Taxonomy
from fallax.data._rows import Loss, Offsets, OnBadSpan, RawRecord
from fallax.data._source import MAX_LINE_BYTES, Source

__all__ = ["Format", "Options"]


@dataclass(frozen=True, slots=True)
class Options:
    """All options that change how a file is read or written; see :func:`fallax.data.read_corpus`."""

    taxonomy: Taxonomy | None = None
    articles: Path | None = None
    field: str | None = None
    on_bad_span: OnBadSpan = "raise"
    max_line_bytes: int = MAX_LINE_BYTES
    annotation: int | None = None
    offsets: Offsets = "code-point"
    predictions: bool = False
    ids: tuple[str, ...] | None = None
    encoding: str | None = None


Reader = Callable[[Source, Options], Iterator[RawRecord]]
Writer = Callable[[Iterable[RawRecord], "str | Path", Options, list[Loss]], None]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    Parameters
    ----------
    name : as ``format=`` takes it.
    title : for people.
    rows : reads a source row by row, unchecked.
    write : writes rows and appends what it cannot say to the list of losses; None where the format is only read.
    folder : True where the format is (or may be) a folder.
    not_labels : names that stand where labels stand but are none.
    own : True for fallax's own format.
    repeats : True where a row that is given twice does no harm and is only listed.
    """

    name: str
    title: str
    rows: Reader
    write: Writer | None = None
    folder: bool = False
    not_labels: frozenset[str] = field(default=frozenset())
    own: bool = False
    repeats: bool = False
