"""Files of generated sets: items line by line, a record of the run for resuming, and the dataset card."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fallax._version import __version__
from fallax.core.journal import cut_torn_line
from fallax.core.run_record import read_record, write_record
from fallax.core.types import GeneratedItem
from fallax.core.whole import lines_of
from fallax.errors import FormatError, RunError, one_line
from fallax.generation.generators.card import dataset_card

__all__ = ["SetFile", "card_path", "read_items", "run_path"]


def card_path(path: Path) -> Path:
    """The path of a set's dataset card: ``set.jsonl`` has ``set.md``."""
    return path.with_suffix(".md")


def run_path(path: Path) -> Path:
    """The path of a set's run record: ``set.jsonl`` has ``set.run.json``."""
    return path.with_suffix(".run.json")


def _line(item: GeneratedItem) -> str:
    return json.dumps(item.to_dict(), ensure_ascii=False) + "\n"


def iter_items(path: str | Path) -> Iterator[GeneratedItem]:
    """The items of a set, line by line; see :func:`read_items`."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                yield GeneratedItem.from_dict(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise FormatError(
                    f"must be an item of a generated set, found {one_line(line, 40)!r} ({one_line(error, 60)})",
                    path=path,
                    line=number,
                ) from None


def read_items(path: str | Path) -> tuple[GeneratedItem, ...]:
    """Read a generated set.

    Raises
    ------
    FormatError
        If a line is no item; the message names it.
    """
    return tuple(iter_items(path))


class SetFile:
    """A generated set being written; each item is in the file as soon as it is added.

    An interrupted run is resumed by generating again: items that are in the file are compared and
    skipped, the rest is added. With the model's answers in a cache, no call is made twice.

    Parameters
    ----------
    path : the JSONL file; the card and the record of the run are written beside it.
    settings : all that decides what is generated. A file of other settings is not touched.
    overwrite : start again, whatever is there.

    Raises
    ------
    RunError
        If the file is there and holds something else.
    """

    def __init__(self, path: str | Path, settings: Mapping[str, Any], *, overwrite: bool = False) -> None:
        self.path = Path(path)
        self.settings = {"fallax": __version__, **settings}
        self.known: list[str] = []
        self.finished = False
        self.items: list[GeneratedItem] = []
        if self.path.suffix != ".jsonl":
            raise RunError(f"{self.path}: a generated set must be written to a file .jsonl")
        if self.path.exists() and not overwrite:
            self._take_up()
        else:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text("", encoding="utf-8")
            self._record({})

    def _take_up(self) -> None:
        instead = "name another file or write with --overwrite"
        said = read_record(self.path, run_path(self.path), self.settings, instead=instead)
        self.finished = bool(said.get("finished"))
        cut_torn_line(self.path)
        try:
            self.known = [f"{line}\n" for line in lines_of(self.path.read_bytes().decode("utf-8"))]
        except UnicodeDecodeError as error:
            raise FormatError(
                f"must be UTF-8, got byte 0x{error.object[error.start]:02x} at byte {error.start}; write with"
                " --overwrite to begin anew",
                path=self.path,
            ) from error

    def _record(self, counts: Mapping[str, Mapping[str, int]], *, finished: bool = False) -> None:
        write_record(run_path(self.path), {"settings": self.settings, "finished": finished, "counts": counts})

    def add(self, item: GeneratedItem) -> None:
        """Write an item; on resume, compare it with the one in the file.

        Raises
        ------
        RunError
            If another one is there: what is generated now differs from what was generated before.
        """
        line = _line(item)
        place = len(self.items)
        self.items.append(item)
        if place >= len(self.known):
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(line)
        elif self.known[place] != line:
            raise RunError(
                f"{self.path}, line {place + 1}: differs from what is generated now; a model's answers must be in the"
                " cache of the first run to resume it, else write with --overwrite"
            )

    def finish(self, counts: Mapping[str, Mapping[str, int]], *, command: str = "") -> None:
        """Write the card and mark the set as complete."""
        if len(self.known) > len(self.items):
            raise RunError(
                f"{self.path}: holds {len(self.known)} items, and only {len(self.items)} are generated now; write with"
                " --overwrite to start again"
            )
        card = dataset_card(self.items, self.settings, counts, name=self.path.stem, command=command)
        card_path(self.path).write_text(card, encoding="utf-8")
        self._record(counts, finished=True)

    def remove(self) -> None:
        """Delete a set without items, so that a failed start leaves no files."""
        if not self.known and not self.items:
            for path in (self.path, run_path(self.path)):
                with contextlib.suppress(FileNotFoundError):
                    path.unlink()
