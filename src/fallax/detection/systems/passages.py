"""The training corpus of the project: passages with a marked span, and near misses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fallax.core.types import GoldSpan, Record
from fallax.core.whole import lines_of
from fallax.errors import FormatError

__all__ = ["TrainingPassage", "read_passages"]


@dataclass(frozen=True, slots=True)
class TrainingPassage:
    """A record and its story file (a label's passages and near misses are in one file)."""

    record: Record
    about: str


def read_passages(folder: str | Path) -> Iterator[TrainingPassage]:
    """Read all ``*.jsonl`` of a folder of passages; offsets refer to the text without marks.

    Raises
    ------
    FormatError
        If a line is no passage: its marks do not form one pair, or a near miss has any.
    """
    for path in sorted(Path(folder).glob("*.jsonl")):
        for number, line in enumerate(lines_of(path.read_text(encoding="utf-8")), start=1):
            row = json.loads(line)
            marked = row["text"]
            start, end = marked.find("⟦"), marked.find("⟧")
            if (row["kind"] == "fallacy") != (start >= 0) or marked.count("⟦") > 1 or (start < 0) != (end < 0):
                raise FormatError("a fallacy must have one pair of ⟦ ⟧, a near miss none", path=path, line=number)
            text = marked.replace("⟦", "").replace("⟧", "")
            gold: tuple[GoldSpan, ...] = ()
            if row["kind"] == "fallacy":
                labels = tuple({row["label"], *row.get("alternatives", ())})
                gold = (GoldSpan(start, end - 1, labels),)
            record = Record(row["id"], text, gold, source=row["style"], title=row.get("title") or "")
            yield TrainingPassage(record, row["label"] or "")
