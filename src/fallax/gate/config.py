"""Reads the checks of a gate from a TOML file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from fallax.core.given import present_names
from fallax.core.types import Record
from fallax.core.whole import read_whole, read_whole_toml
from fallax.data import read_texts
from fallax.data._jsonl import json_lines
from fallax.data._source import Source
from fallax.errors import FormatError, InputError, one_line
from fallax.gate.checks import CheckResult, Waiver, check_pairs, check_texts
from fallax.gate.runs import check_run

__all__ = ["GateConfig", "read_config"]

#: table -> its keys and their types.
_NUMBER = (int, float)
_KEYS: Mapping[str, Mapping[str, Any]] = {
    "run": {
        "path": str, "baseline": str, "score": str, "measure": str, "at_least": _NUMBER, "at_most": _NUMBER,
        "margin": _NUMBER, "repeats": int,
    },
    "texts": {
        "name": str, "paths": list, "field": str, "max_findings": int, "max_share": _NUMBER, "labels": list,
        "min_confidence": _NUMBER, "system": str,
    },
    "pairs": {"name": str, "path": str, "at_least": _NUMBER, "system": str},
    "waiver": {"finding": str, "until": date, "why": str},
}  # fmt: skip
#: table -> old key -> new key.
_RENAMED: Mapping[str, Mapping[str, str]] = {"texts": {"detector": "system"}, "pairs": {"judge": "system"}}
_NEEDED = {"run": ("path",), "texts": ("paths",), "pairs": ("path", "at_least"), "waiver": ("finding", "until", "why")}


@dataclass(frozen=True)
class GateConfig:
    """The checks of a gate.

    Parameters
    ----------
    tables : kind -> the tables of that kind as read and checked.
    folder : where relative paths begin.
    calibrated : the systems that passed a calibration.
    """

    tables: Mapping[str, tuple[Mapping[str, Any], ...]]
    folder: Path
    calibrated: frozenset[str] = frozenset()

    @property
    def waivers(self) -> tuple[Waiver, ...]:
        """The findings that are allowed."""
        return tuple(Waiver(t["finding"], t["until"], t["why"]) for t in self.tables["waiver"])

    def check(self, *, baseline: str | Path | None, today: date) -> list[CheckResult]:
        """Run every check; ``baseline`` applies where a run names none."""
        results: list[CheckResult] = []
        for number, table in enumerate(self.tables["run"], start=1):
            own = {k: v for k, v in table.items() if k not in ("path", "baseline")}
            against = self.folder / table["baseline"] if "baseline" in table else baseline
            try:
                results += check_run(self.folder / table["path"], baseline=against, **own)
            except InputError as error:
                raise InputError(f"[[run]] {number}: {error}") from None
        for number, table in enumerate(self.tables["texts"], start=1):
            own = {k: v for k, v in table.items() if k not in ("paths", "field", "name")}
            results.append(
                check_texts(
                    self._texts(table),
                    name=table.get("name", f"texts {number}"),
                    waivers=self.waivers,
                    today=today,
                    is_calibrated=str(table.get("system", "encoder")) in self.calibrated,
                    **own,
                )
            )
        for number, table in enumerate(self.tables["pairs"], start=1):
            results.append(
                check_pairs(
                    _pairs(self.folder / table["path"]),
                    name=table.get("name", f"pairs {number}"),
                    at_least=table["at_least"],
                    system=table.get("system"),
                    is_calibrated=str(table.get("system", "entailment")) in self.calibrated,
                )
            )
        return results

    def _texts(self, table: Mapping[str, Any]) -> Iterator[Record]:
        """The texts, by paths relative to the gate file."""
        paths: list[Path] = []
        for pattern in table["paths"]:
            try:
                found = (
                    sorted(self.folder.glob(pattern)) if any(c in pattern for c in "*?[") else [self.folder / pattern]
                )
            except (NotImplementedError, ValueError, OSError) as error:
                raise InputError(
                    f"paths: {one_line(pattern, 200)!r} must be a pattern that begins at the folder of the gate"
                    f" ({one_line(error)})"
                ) from None
            if not found:
                raise InputError(f"paths: {one_line(pattern)!r} must name files in {self.folder}, got none")
            paths += found
        for record in read_texts(paths, field=table.get("field")):
            path = Path(record.id)
            inside = path.is_relative_to(self.folder)
            yield (
                Record(path.relative_to(self.folder).as_posix(), record.text, None, meta=record.meta)
                if inside
                else record
            )


def _pairs(path: Path) -> Iterator[tuple[str, str]]:
    for line, row in json_lines(Source(path)):
        for name in ("document", "summary"):
            if not isinstance(row.get(name), str) or not row[name].strip():
                raise FormatError(f"must have a text {name!r}", path=path, line=line)
        yield row["document"], row["summary"]


def read_config(path: str | Path) -> GateConfig:
    """Read a gate file.

    Raises
    ------
    FormatError
        At TOML that cannot be read, a table or a key nobody reads, a value of another type, a missing key.
    """
    where = Path(path)
    said = read_whole_toml(where)
    fail: Callable[[str], FormatError] = lambda message: FormatError(message, path=where)  # noqa: E731
    calibration = said.pop("calibration", None)
    tables: dict[str, tuple[Mapping[str, Any], ...]] = {kind: () for kind in _KEYS}
    for kind, rows in said.items():
        if kind not in _KEYS:
            raise fail(f"may have [[{']], [['.join(_KEYS)}]] and calibration, got {one_line(kind, 40)!r}")
        if not isinstance(rows, list):
            raise fail(f"[[{kind}]] must be a list of tables, with two brackets on each side")
        tables[kind] = tuple(_checked(kind, row, fail) for row in rows)
    if not any(tables[kind] for kind in ("run", "texts", "pairs")):
        raise fail("must have at least one [[run]], [[texts]] or [[pairs]] to check, got none")
    return GateConfig(tables, where.parent, _passed(where.parent, calibration, fail))


def _checked(kind: str, row: Mapping[str, Any], fail: Callable[[str], FormatError]) -> Mapping[str, Any]:
    try:
        row = present_names(row, _RENAMED.get(kind, {}))
    except InputError as error:
        raise fail(f"[[{kind}]] {error}") from None
    for key, value in row.items():
        if key not in _KEYS[kind]:
            raise fail(f"[[{kind}]] may have {', '.join(_KEYS[kind])}, got {one_line(key, 40)!r}")
        if not isinstance(value, _KEYS[kind][key]) or isinstance(value, (bool, datetime)):
            raise fail(f"[[{kind}]] {key}: must be {_said(_KEYS[kind][key])}, got {one_line(repr(value), 40)}")
        if isinstance(value, list) and not (value and all(isinstance(v, str) for v in value)):
            raise fail(f"[[{kind}]] {key}: must be a list of texts, got {one_line(repr(value), 40)}")
    for key in _NEEDED[kind]:
        if key not in row or row[key] == "":
            raise fail(f"[[{kind}]] must have {key!r}")
    return row


def _said(kind: Any) -> str:
    return {str: "a text", int: "a whole number", list: "a list", date: "a date such as 2027-01-31"}.get(
        kind, "a number"
    )


def _passed(folder: Path, calibration: object, fail: Callable[[str], FormatError]) -> frozenset[str]:
    """The judges in a report of ``fallax calibrate --json`` that may replace a person."""
    if calibration is None:
        return frozenset()
    if not isinstance(calibration, str):
        raise fail("calibration: must be the path of what `fallax calibrate --json` printed")
    try:
        report = json.loads(read_whole(folder / calibration))
        tests = {str(j["name"]): j["alt_test"] or {} for j in report["judges"]}
        # a test over too few people or items says of itself that it means little
        return frozenset(name for name, test in tests.items() if test.get("passed") is True and not test.get("warning"))
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise fail(
            f"calibration: must be what `fallax calibrate --json` printed, got an error ({one_line(error)})"
        ) from None
