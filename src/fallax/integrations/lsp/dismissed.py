"""Findings that a reader dismissed, in a JSON Lines file beside the texts."""

from __future__ import annotations

import json
import os
from pathlib import Path

from fallax.core.whole import lines_of, read_whole
from fallax.errors import FormatError, one_line
from fallax.render.sarif import finding_hash

__all__ = ["DISMISSED", "Dismissed"]

#: Name of the file, in the folder that the editor has open.
DISMISSED = ".fallax-dismissed.jsonl"


class Dismissed:
    """Dismissed findings, recognised by label and words wherever they are.

    Parameters
    ----------
    path : where they are kept; None keeps them until the server ends.

    Raises
    ------
    FormatError
        If the file holds a line that is no dismissal.

    Examples
    --------
    >>> dismissed = Dismissed(None)
    >>> dismissed.add("ad hominem", "You lie.", file="a.md")
    >>> dismissed.has("ad hominem", "You  lie."), dismissed.has("ad populum", "You lie.")
    (True, False)
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._known: set[str] = set()
        if path is None or not path.is_file():
            return
        for number, line in enumerate(lines_of(read_whole(path)), start=1):
            if not line.strip():
                continue
            try:
                self._known.add(str(json.loads(line)["finding"]))
            except (ValueError, RecursionError, KeyError, TypeError):
                raise FormatError(
                    f"each line must be an object with a finding, got {one_line(line, 60)!r}; remove the line",
                    path=path,
                    line=number,
                ) from None

    def has(self, label: str, passage: str) -> bool:
        """Whether a finding was dismissed."""
        return finding_hash(label, passage) in self._known

    def add(self, label: str, passage: str, *, file: str) -> None:
        """Dismiss a finding and append it to the file."""
        found = finding_hash(label, passage)
        if found in self._known:
            return
        self._known.add(found)
        if self.path is not None:
            row = {"finding": found, "label": label, "text": " ".join(passage.split()), "file": file}
            with self.path.open("a+b") as f:
                f.seek(max(0, f.seek(0, os.SEEK_END) - 1))
                cut = f.read(1) not in (b"", b"\n")  # by an editor that leaves the end of the last line out
                f.write(b"\n" * cut + json.dumps(row, ensure_ascii=False).encode("utf-8") + b"\n")
