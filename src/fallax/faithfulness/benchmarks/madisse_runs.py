"""Selects recorded runs for MADISSE's tables: by data set, level and method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fallax.core.types import Score
from fallax.errors import InputError
from fallax.faithfulness.benchmarks.faithfulness import Faithfulness
from fallax.faithfulness.systems import METHODS
from fallax.metrics import Interval, bootstrap_interval
from fallax.runs.base import Row
from fallax.runs.compare import system_label
from fallax.runs.folder import read_rows, read_run
from fallax.runs.scoring import expected_rows, score_epochs

__all__ = ["RecordedRun", "RecordedValue", "read_runs"]

#: The four data sets of the paper -> how a source or the name of a file calls them.
_SETS = {"MeetingBank": "meetb meetingbank", "MediaSum": "medias mediasum", "CNN": "cnn", "XSum": "xsum"}


@dataclass(frozen=True, slots=True)
class RecordedValue:
    """A measure of a recorded run.

    Parameters
    ----------
    run : number of the run, from 1.
    value, strict : over the records that have a verdict, and with unreadable replies as wrong; None where undefined.
    low, high : 95 % interval of ``value``; documents are drawn, not sentences of one document.
    n, n_unscored, n_documents : records scored, records without a verdict, documents.
    """

    run: int
    value: float | None
    strict: float | None
    low: float | None
    high: float | None
    n: int
    n_unscored: int
    n_documents: int


@dataclass(frozen=True)
class RecordedRun:
    """A run of the benchmark ``faithfulness``, restricted to the paper's data sets.

    Parameters
    ----------
    number : from 1, in the order of the folders' names.
    path : its folder.
    method : how a model was asked (a key of ``METHODS``), or the name of a judge that asks none.
    model : its name; "" where none was asked.
    options : of the protocol, as given.
    scores : (data set, level) -> the scores of the benchmark.
    rows : (data set, level) -> the rows of the first epoch.
    groups : record -> document.
    n_rows, n_expected : rows there are, and rows of the finished run.
    """

    number: int
    path: Path
    method: str
    model: str
    options: Mapping[str, Any]
    scores: Mapping[tuple[str, str], Mapping[str, Score]]
    rows: Mapping[tuple[str, str], Sequence[Row]]
    groups: Mapping[str, str]
    n_rows: int
    n_expected: int
    _intervals: dict[tuple[str, str, str, str], RecordedValue] = field(default_factory=dict, repr=False)

    @property
    def unfinished(self) -> str:
        """``N of M rows`` of a run that is not finished, else ""."""
        return "" if self.n_rows >= self.n_expected else f"{self.n_rows} of {self.n_expected} rows"

    @property
    def n_documents(self) -> int:
        """The number of documents, which is what intervals draw."""
        return len(set(self.groups.values()))

    @property
    def stances(self) -> str:
        """The stances if they are uneven, as in table 34; else ""."""
        given = str(self.options.get("stances") or "uniform").replace(" ", "")
        half = int(self.options.get("agents", 4)) // 2
        return "" if given in ("uniform", "none", f"{half}+/{half}-") else given

    def value(
        self, set_: str, level: str, score: str, measure: str, *, n_resamples: int = 10_000
    ) -> RecordedValue | None:
        """A measure with its interval by document; None if the run has no such score."""
        found = self.scores.get((set_, level), {}).get(score)
        if found is None or measure not in found.values or not (found.n_scored or found.n_wrong):
            return None
        key = (set_, level, score, measure)
        if key not in self._intervals:
            interval = Interval(measure, None, None, None, 0.95, 0, n_resamples, 0, 0)
            if found.records:
                interval = bootstrap_interval(found, measure, n_resamples=n_resamples, groups=self.groups)
            strict = found.values_with_unreadable[measure] if found.n_wrong else interval.value
            self._intervals[key] = RecordedValue(
                self.number, interval.value, strict, interval.low, interval.high, found.n_scored, found.n_unscored,
                interval.n_records,
            )  # fmt: skip
        return self._intervals[key]

    def to_dict(self) -> dict[str, Any]:
        """The properties that identify the run, its rows and documents, and its records per data set."""
        return {
            "run": self.number,
            "folder": str(self.path),
            "method": self.method,
            "model": self.model,
            "options": dict(self.options),
            "documents": self.n_documents,
            "rows": self.n_rows,
            "rows_expected": self.n_expected,
            "records": {f"{s}, {level}": len(rows) for (s, level), rows in self.rows.items()},
        }


def read_runs(folder: str | Path) -> tuple[tuple[RecordedRun, ...], tuple[str, ...]]:
    """The runs of the benchmark ``faithfulness`` below a folder, and why others are left out.

    Raises
    ------
    InputError
        If there is no such folder, or no run folder in it.
    """
    base = Path(folder)
    places = sorted(p.parent for p in base.rglob("run.json")) if base.is_dir() else []
    if not places:
        what = "a folder without one" if base.is_dir() else "nothing there"
        raise InputError(f"{base}: must be a folder with runs of `fallax bench run faithfulness`, got {what}")
    runs: list[RecordedRun] = []
    left_out: list[str] = []
    for place in places:
        run = read_run(place)
        if run["benchmark"] != Faithfulness.name:
            left_out.append(f"{place}: a run of {run['benchmark']}, not of {Faithfulness.name}")
            continue
        found = _read(place, run, len(runs) + 1)
        if found.rows:
            runs.append(found)
        else:
            why = f"its records are of none of {', '.join(_SETS)}" if found.n_rows else "it has no rows yet"
            left_out.append(f"{place}: {why}")
    return tuple(runs), tuple(left_out)


def _read(place: Path, run: Mapping[str, Any], number: int) -> RecordedRun:
    epochs = [_by_set(run, read_rows(place, epoch=e)) for e in range(run["epochs"])]
    n_rows = sum(1 for _ in read_rows(place))
    bench = Faithfulness()
    system = run["system"]
    asked = system["protocol"] in METHODS
    rows = epochs[0]
    return RecordedRun(
        number,
        place,
        system["protocol"] if asked else system_label(run),
        system_label(run) if asked else "",
        dict(system["protocol_options"]),
        {key: score_epochs(bench, [e.get(key, []) for e in epochs]) for key in rows},
        rows,
        {row.id: bench.group(row) for found in rows.values() for row in found},
        n_rows,
        expected_rows(run),
    )


def _by_set(run: Mapping[str, Any], rows: Iterator[Row]) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = {}
    options = run["options"]
    for row in rows:
        name = _set_of(
            str(options.get("set") or ""), str(row.input.get("source") or ""), str(options.get("file") or "")
        )
        if name:
            level = str(options.get("level") or ("summary" if name in ("CNN", "XSum") else "sentence"))
            found.setdefault((name, level), []).append(row)
    return found


def _set_of(named: str, source: str, file: str) -> str:
    for text in (named, source, Path(file).name):
        for name, spellings in _SETS.items():
            if any(s in text.lower() for s in spellings.split()):
                return name
        if text and text == named:
            return ""  # a set of another name
    return ""
