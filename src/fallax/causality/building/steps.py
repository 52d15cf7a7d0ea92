"""Records every step of a build, so that a resumed build asks nothing twice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from fallax.core.closing import Closing
from fallax.core.journal import append_line, cut_torn_line, differences, locked, write_whole
from fallax.core.types.messages import Reply
from fallax.core.whole import read_whole_json
from fallax.errors import FormatError, InputError, RunError, one_line
from fallax.runs.folder import is_sound, with_checksum

__all__ = ["StepLog"]


def _fits(step: str, value: Any) -> bool:
    """Whether a value has the type that the step stores."""
    if step in ("claim", "opposite"):
        return isinstance(value, str)
    if step.startswith("structure"):
        return isinstance(value, dict)
    return isinstance(value, list) and all(
        isinstance(one, dict) and all(isinstance(text, str) for text in one.values()) for one in value
    )


class StepLog(Closing):
    """The folder of a build: ``build.json`` (its settings) and ``steps.jsonl`` (one line for each reply).

    Parameters
    ----------
    folder : made where it is not there; with a build in it, that build is continued.
    settings : all that can change a step, as JSON values.

    Raises
    ------
    RunError
        If the folder holds a build with other settings, or another process writes to it.
    FormatError
        If a line that is complete is no step.

    Notes
    -----
    A line is handed to the system before the next is written, so a killed process loses at most the replies it was
    waiting for. A torn last line is cut off when the build is resumed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with StepLog(folder, {"seed": 1}) as log:
    ...         log.add("p1", "claim", Reply("Claim: ..."), value="...")
    ...     with StepLog(folder, {"seed": 1}) as log:
    ...         log.value("p1", "claim")
    '...'
    """

    def __init__(self, folder: str | Path, settings: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        self.path = self.folder / "steps.jsonl"
        self._values: dict[tuple[str, str], Any] = {}
        self._failed: dict[tuple[str, str], list[str]] = {}
        self.n_read = self.n_added = 0
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file: BinaryIO = open(self.path, "ab")  # noqa: SIM115 -- closed by close
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be written: {error.strerror or error}") from None
        try:
            if not locked(self._file):
                raise RunError(f"{self.folder}: another process builds there; wait for it, or take another folder")
            self._settings(json.loads(json.dumps(settings)))
            self._read()
        except BaseException:
            self._file.close()
            raise

    def _settings(self, given: dict[str, Any]) -> None:
        path = self.folder / "build.json"
        if not path.exists():
            write_whole(path, [json.dumps(given, ensure_ascii=False, indent=1).encode("utf-8") + b"\n"])
            return
        there = read_whole_json(path)
        if not isinstance(there, dict):
            raise RunError(f"{path}: must hold the settings of a build, got {type(there).__name__}")
        for name in differences(there, given):
            raise RunError(
                f"{self.folder}: holds a build with {name} = {one_line(json.dumps(there.get(name)), 60)}, asked for"
                f" {one_line(json.dumps(given.get(name)), 60)}; give the same, or another folder"
            )

    def _read(self) -> None:
        cut_torn_line(self.path)
        for number, line in enumerate(self.path.read_bytes().splitlines(), start=1):
            try:
                if not is_sound(line + b"\n", needs_checksum=False):  # earlier releases wrote none
                    raise ValueError("its checksum does not match: the line was edited or damaged; remove it")
                step = json.loads(line)
                if step["status"] == "ok" and not _fits(step["step"], step["value"]):
                    raise ValueError(f"the value of {step['step']!r} is a {type(step['value']).__name__}")
                self._keep(step["pair"], step["step"], step["status"], step["reason"], step["value"])
            except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
                raise FormatError(
                    f"each line must be a step of a build, got an error ({one_line(error)})",
                    path=self.path,
                    line=number,
                ) from None
            self.n_read += 1

    def _keep(self, pair: str, step: str, status: str, reason: str, value: Any) -> None:
        if status == "ok":
            self._values[pair, step] = value
        else:
            self._failed.setdefault((pair, step), []).append(reason)

    def value(self, pair: str, step: str) -> Any:
        """The stored result of a step, or None."""
        return self._values.get((pair, step))

    def failures(self, pair: str, step: str) -> tuple[str, ...]:
        """Why each unreadable reply of a step could not be read."""
        return tuple(self._failed.get((pair, step), ()))

    def add(self, pair: str, step: str, reply: Reply, *, value: Any = None, reason: str = "") -> None:
        """Record a step: its value, or why its reply could not be read."""
        status = "unreadable" if reason else "ok"
        row = {
            "pair": pair,
            "step": step,
            "attempt": len(self.failures(pair, step)) + 1,
            "status": status,
            "reason": reason,
            "value": value,
            "reply": reply.text,
            "model": reply.model,
            "usage": reply.usage.to_dict(),
        }
        line = json.dumps(row, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        try:
            append_line(self._file.fileno(), with_checksum(line))
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror or error}") from None
        self._keep(pair, step, status, reason, value)
        self.n_added += 1

    def close(self) -> None:
        """Release the folder."""
        self._file.close()
