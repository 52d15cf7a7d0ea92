"""Label Studio's JSON: tasks with annotations and predictions; offsets in ``value.start`` and ``value.end``.

Several labels of one region, and regions with equal offsets, are alternatives. A task without annotation is not
annotated. Results that are no labelled passage (choices, relations, text areas) are listed as problems.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fallax.core.sink import dump_json, open_out
from fallax.core.types import NO_FALLACY
from fallax.data._json_items import json_items
from fallax.data._options import Options
from fallax.data._rows import Loss, Mark, RawRecord, is_no_fallacy, put_about
from fallax.data._source import Source
from fallax.errors import FormatError, one_line

__all__ = ["read_rows", "write_rows"]

_RESERVED = ("id", "text", "source", "title")


def read_rows(source: Source, options: Options) -> Iterator[RawRecord]:
    """Rows of a JSON export (a list of tasks), or of tasks line by line."""
    for n, (line, task) in enumerate(json_items(source), start=1):
        yield _Task(source.name, line, n, task, options).row()


class _Task:
    def __init__(self, name: str, line: int, number: int, task: object, options: Options) -> None:
        self.name, self.line, self.number, self.options = name, line, number, options
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            got = ", ".join(map(repr, task)) if isinstance(task, dict) else one_line(repr(task), 40)
            raise self.fail(f"each task must be an object with 'data', got {one_line(got, 80)}; export as JSON")
        self.task: dict[str, Any] = task
        self.data: dict[str, Any] = task["data"]
        self.unsupported: list[tuple[bool, int | None, str]] = []

    def fail(self, message: str) -> FormatError:
        return FormatError(f"task {self.number}: {message}", path=self.name, line=self.line)

    def row(self) -> RawRecord:
        key = self._text_key()
        text = self.data[key]
        id_ = next((x for x in (self.data.get("id"), self.task.get("id")) if x is not None), self.number)
        marks = self._marks()
        row = RawRecord(
            str(id_) if isinstance(id_, int) else id_,
            text,
            marks,
            self.line,
            self.data.get("source") or "",
            self.data.get("title") or "",
            {k: v for k, v in self.data.items() if k not in (key, *_RESERVED)},
        )
        row.unsupported = self.unsupported
        return row

    def _text_key(self) -> str:
        if "text" in self.data:
            return "text"
        texts = [k for k, v in self.data.items() if isinstance(v, str) and k not in _RESERVED]
        if len(texts) != 1:
            raise self.fail(f"data must have one 'text', got {', '.join(map(repr, self.data)) or 'nothing'}")
        return texts[0]

    def _marks(self) -> list[Mark] | None:
        kinds = ("predictions", "annotations") if self.options.predictions else ("annotations", "completions")
        for kind in kinds:
            found = self.task.get(kind) or []
            if not isinstance(found, list) or not all(isinstance(a, dict) for a in found):
                raise self.fail(f"{kind!r} must be a list of objects, got {one_line(repr(found), 40)}")
            found = [a for a in found if not a.get("was_cancelled")]
            if found:
                return self._results(self._one(found, kind))
        # a task as it is imported says with an empty list that nothing was predicted; an export has that for all
        is_import = not {"annotations", "completions"} & self.task.keys()
        return [] if self.options.predictions and is_import and self.task.get("predictions") == [] else None

    def _one(self, found: list[dict[str, Any]], kind: str) -> dict[str, Any]:
        if self.options.annotation is not None:
            if not 1 <= self.options.annotation <= len(found):
                raise self.fail(f"annotation must be 1 to {len(found)}, got {self.options.annotation}")
            return found[self.options.annotation - 1]
        truth = [a for a in found if a.get("ground_truth")]
        if len(found) == 1 or len(truth) == 1:
            return (truth or found)[0]
        of_all = ", or make gold of all with fallax agree --merge" if kind == "annotations" else ""
        raise self.fail(
            f"must have one of its {kind}, or one that is marked as ground truth, got {len(found)}; choose one with"
            f" annotation=1 (2, ...) in Python{of_all}"
        )

    def _results(self, annotation: Mapping[str, Any]) -> list[Mark]:
        results = annotation.get("result", [])
        if not isinstance(results, list):
            raise self.fail(f"'result' must be a list, got {one_line(repr(results), 40)}")
        marks: list[Mark] = []
        for i, item in enumerate(results, start=1):
            value = item.get("value") if isinstance(item, dict) else None
            if not isinstance(value, dict) or "start" not in value:
                what = item.get("type", "?") if isinstance(item, dict) else "?"
                self.unsupported.append(
                    (
                        False,
                        None,
                        f"task {self.number}, result {i}: must be a labelled passage, got {one_line(what, 30)!r}",
                    )
                )
                continue
            labels = next((value[k] for k in ("labels", "hypertextlabels", "paragraphlabels") if k in value), None)
            if not isinstance(labels, list) or not labels:
                labels = [None]
            shown = value.get("text") if isinstance(value.get("text"), str) else None
            place = (value["start"], value.get("end"))
            marks.extend(Mark(*place, label, item.get("score"), shown=shown) for label in labels)
        return marks


def write_rows(rows: Iterable[RawRecord], path: str | Path, options: Options, losses: list[Loss]) -> None:
    """A list of tasks as the import takes it: gold as an annotation, predictions as pre-annotations."""
    with open_out(path) as write:
        lead = "[\n"
        for row in rows:
            write(lead + dump_json(_task(row, options.predictions, losses), f"record {row.id!r}"))
            lead = ",\n"
        write("\n]\n" if lead != "[\n" else "[]\n")


def _task(row: RawRecord, predictions: bool, losses: list[Loss]) -> dict[str, Any]:
    data: dict[str, Any] = {"id": row.id, "text": row.text}
    put_about(row, data, _RESERVED, losses)
    task: dict[str, Any] = {"data": data}
    if row.marks is None:
        return task
    results: list[dict[str, Any]] = []
    marks = []
    for m in row.marks:
        if m.label != NO_FALLACY and is_no_fallacy(m.label):
            losses.append(Loss(row.id, "label", f"the label {m.label!r} means something else in this format"))
        else:
            marks.append(m)
    for (start, end, score), group in itertools.groupby(marks, key=lambda m: (m.start, m.end, m.confidence)):
        value = {"start": start, "end": end, "text": row.text[start:end], "labels": [m.label for m in group]}
        item = {"id": f"r{len(results) + 1}", "from_name": "label", "to_name": "text", "type": "labels", "value": value}
        results.append(item if score is None else {**item, "score": score})
    task["predictions" if predictions else "annotations"] = [{"result": results}]
    return task
