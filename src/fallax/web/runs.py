"""Serves the run folders of a directory: list, reports, records side by side, progress of unfinished runs."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fallax.core.types import View
from fallax.errors import FallaxError, InputError, one_line

__all__ = ["Runs"]

_DEPTH = 4
_MOST = 2000
_LIVE_SECONDS = 120
_RESAMPLES = 1000
_SHOWN_REPLY = 20_000


class Runs:
    """The run folders of a directory, named by their relative path.

    Parameters
    ----------
    root : the directory, or None: then there are none.
    """

    def __init__(self, root: Path | None) -> None:
        self._root = None if root is None else root.resolve()
        self._lines: dict[Path, tuple[float, int, int]] = {}

    def _folders(self) -> Iterator[Path]:
        """Folders with a run.json, a few levels deep; symbolic links are not followed."""
        if self._root is None:
            return
        n = 0
        for at, names, files in os.walk(self._root):
            here = Path(at)
            depth = len(here.relative_to(self._root).parts)
            names[:] = sorted(x for x in names if not x.startswith(".")) if depth < _DEPTH else []
            if "run.json" in files:
                names[:] = []
                yield here
                n += 1
                if n >= _MOST:
                    return

    def path_of(self, name: str) -> Path:
        """The folder for a name.

        Raises
        ------
        InputError
            If there is no run folder of that name inside the directory.
        """
        if self._root is not None and "\0" not in name and len(name) < 1000:
            path = (self._root / name).resolve()
            if path.is_relative_to(self._root) and (path / "run.json").is_file():
                return path
        raise InputError(f"run {one_line(name, 80)!r}: must be one of this server's run folders, found none")

    def list(self) -> dict[str, Any]:
        """One line per run; an unreadable run says why."""
        found = [self._line(path) for path in self._folders()]
        return {"runs": found, "root": "" if self._root is None else self._root.name}

    def _line(self, path: Path) -> dict[str, Any]:
        from fallax.runs.compare import system_label
        from fallax.runs.folder import read_run

        name = str(path.relative_to(self._root or path).as_posix()) or "."
        try:
            run = read_run(path)
            n_expected = int(run["data"]["n_samples"]) * int(run["epochs"])
            n_rows, touched = self._rows(path)
            done = (path / "scores.json").is_file()
            return {
                "id": name,
                "benchmark": str(run["benchmark"]),
                "system": system_label(run),
                "signature": str(run["signature"]),
                "n_rows": min(n_rows, n_expected),
                "n_expected": n_expected,
                "status": "done" if done else "live" if time.time() - touched < _LIVE_SECONDS else "stopped",
                "changed": touched,
                **self._scores(path),
            }
        except (FallaxError, KeyError, TypeError, ValueError, OSError) as error:
            return {"id": name, "problem": one_line(error, 200)}

    def _rows(self, path: Path) -> tuple[int, float]:
        """The number of records and their last change; counted again only if the file changed."""
        file = path / "records.jsonl"
        if not file.is_file():
            return 0, (path / "run.json").stat().st_mtime
        stat = file.stat()
        known = self._lines.get(path)
        if known is None or known[:2] != (stat.st_mtime, stat.st_size):
            with file.open("rb") as data:
                n = sum(chunk.count(b"\n") for chunk in iter(lambda: data.read(1 << 20), b""))
            known = self._lines[path] = (stat.st_mtime, stat.st_size, n)
        return known[2], stat.st_mtime

    def _scores(self, path: Path) -> dict[str, Any]:
        from fallax.runs.folder import read_scores

        found = read_scores(path)
        if found is None:
            return {"scores": {}, "unscored": None, "cost": None, "calls": None}
        usage = found["rows"]["usage"]
        scores = {
            name: {k: v for k, v in score.items() if isinstance(v, float | int) and not k.startswith("n_")}
            for name, score in found["scores"].items()
        }
        rows = found["rows"]
        return {
            "scores": scores,
            "unscored": rows["unreadable"] + rows.get("not_asked", 0) + rows["error"],
            "cost": usage["cost"],
            "calls": usage["calls"],
        }

    def report(self, names: Sequence[str]) -> dict[str, Any]:
        """The tables of one run, or of several with paired tests against the first."""
        from fallax.runs.report import build_report

        paths = [self.path_of(name) for name in names]
        built = build_report(paths, n_resamples=_RESAMPLES, max_records=0)
        tables = [{**t.to_dict(), "heat": t.heat} for t in built.tables]
        return {**built.to_dict(), "tables": tables, "runs": list(names)}

    def records(
        self, names: Sequence[str], *, offset: int, limit: int, only: str = "all", find: str = "", id: str = ""
    ) -> dict[str, Any]:
        """Records with gold, and the answer of each run.

        Parameters
        ----------
        names : of the runs.
        offset, limit : which of those that are left are shown.
        only : "all", "differs" (a prediction is not the gold), "unreadable" or "error".
        find : words that must occur in the record or a reply.
        id : of one record.
        """
        from fallax.runs.compare import system_label
        from fallax.runs.folder import read_rows, read_run
        from fallax.runs.scoring import benchmark_of

        paths = [self.path_of(name) for name in names]
        runs = [read_run(path) for path in paths]
        benchmark = benchmark_of(runs[0])
        known: dict[str, dict[str, Any]] = {}
        for number, (path, run) in enumerate(zip(paths, runs, strict=True)):
            if run["benchmark"] != runs[0]["benchmark"]:
                raise InputError("runs that are shown together must be of one benchmark")
            for row in read_rows(path, epoch=0):
                if id and row.id != id:
                    continue
                view = benchmark.view(row)
                record = known.setdefault(row.id, {"id": row.id, "answers": [None] * len(paths)})
                if "fields" not in record:
                    record |= _gold(view)
                record["answers"][number] = {
                    "run": names[number],
                    "system": system_label(run),
                    "status": row.status,
                    "reason": row.reason,
                    **_said(view),
                    "replies": [_reply(r) for r in row.replies],
                }
        wanted = [r for r in known.values() if _matches(r, only, find.casefold())]
        return {"n": len(wanted), "offset": offset, "records": wanted[offset : offset + limit]}


def _gold(view: View) -> dict[str, Any]:
    return {
        "fields": [list(f) for f in view.fields],
        "gold": None if view.gold is None else [g.to_dict() for g in view.gold],
        "gold_label": view.gold_label,
        "taxonomy": view.taxonomy,
    }


def _said(view: View) -> dict[str, Any]:
    return {
        "predicted": None if view.predicted is None else [s.to_dict() for s in view.predicted],
        "predicted_label": view.predicted_label,
        "details": [list(d) for d in view.details],
    }


def _reply(reply: Any) -> dict[str, str]:
    return {k: str(reply.get(k) or "")[:_SHOWN_REPLY] for k in ("where", "reasoning", "text")}


def _differs(record: dict[str, Any], answer: dict[str, Any]) -> bool:
    if record["gold"] is not None and answer["predicted"] is not None:
        gold = {(g["start"], g["end"], label) for g in record["gold"] for label in g["labels"]}
        said = {(s["start"], s["end"], s["label"]) for s in answer["predicted"]}
        must = [g for g in record["gold"] if "no fallacy" not in g["labels"]]
        missed = any(not any((g["start"], g["end"], x) in said for x in g["labels"]) for g in must)
        return missed or bool(said - gold)
    return bool(record["gold_label"]) and record["gold_label"] != answer["predicted_label"]


def _matches(record: dict[str, Any], only: str, find: str) -> bool:
    answers = [a for a in record["answers"] if a is not None]
    if only in ("unreadable", "error") and not any(a["status"] == only for a in answers):
        return False
    if only == "differs" and not any(a["status"] == "ok" and _differs(record, a) for a in answers):
        return False
    if not find:
        return True
    texts = [record["id"], *(f[1] for f in record["fields"]), *(r["text"] for a in answers for r in a["replies"])]
    return any(find in text.casefold() for text in texts)
