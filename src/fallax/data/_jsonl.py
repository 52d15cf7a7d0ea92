"""The JSONL of fallax: one record or prediction per line, as ``to_dict`` gives it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fallax.core.sink import dump_json, open_out
from fallax.data._options import Options
from fallax.data._rows import Loss, Mark, RawRecord
from fallax.data._source import Source, parse_json
from fallax.errors import FormatError, one_line

__all__ = ["json_lines", "read_rows", "write_rows"]

RECORD_FIELDS = ("id", "text", "gold", "source", "title", "meta")
PREDICTION_FIELDS = ("id", "text", "spans", "labels", "unreadable", "n_replies", "unscored", "variant")
SPAN_FIELDS = ("start", "end", "label", "confidence", "label_confidence", "reported")


def json_lines(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and object of each line that is not blank."""
    for number, text, ended in source.lines():
        if not text.strip():
            continue
        value = parse_json(text, name=source.name, line=number, ended=ended)
        if not isinstance(value, dict):
            raise FormatError(
                f"each line must be one JSON object, got {one_line(text, 40)!r}; put one record on each line",
                path=source.name,
                line=number,
            )
        yield number, value


def read_rows(source: Source, options: Options) -> Iterator[RawRecord]:
    """Rows of a file of records, or of predictions where ``options.predictions`` is set."""
    fields = PREDICTION_FIELDS if options.predictions else RECORD_FIELDS
    for number, value in json_lines(source):
        row = _Line(source.name, number, _prediction_in(value) if options.predictions else value)
        row.only(fields, predictions=options.predictions)
        yield row.prediction() if options.predictions else row.record()


def _prediction_in(value: dict[str, Any]) -> dict[str, Any]:
    """The prediction, with its text, in a line that ``fallax detect --format jsonl`` wrote; other lines as they are."""
    record, said = value.get("record"), value.get("prediction")
    if not isinstance(record, dict) or not isinstance(said, dict):
        return value
    found = {**said, "text": record.get("text")}
    if isinstance(spans := said.get("spans"), list):
        found["spans"] = [
            {k: v for k, v in s.items() if k not in ("text", "explanation")} if isinstance(s, dict) else s
            for s in spans
        ]
    return found


class _Line:
    def __init__(self, name: str, line: int, value: dict[str, Any]) -> None:
        self.name, self.line, self.value = name, line, value

    def fail(self, message: str) -> FormatError:
        return FormatError(message, path=self.name, line=self.line)

    def only(self, fields: tuple[str, ...], *, predictions: bool) -> None:
        odd = [k for k in self.value if k not in fields]
        what = "prediction" if predictions else "record"
        if not predictions and {"record", "prediction"} <= {*self.value}:
            raise self.fail("must be a record, got what fallax detect wrote; pass it as predictions")
        if "id" not in self.value:
            raise self.fail(f"a {what} must have an 'id', got {self._keys()}; add one")
        if predictions and "text" in self.value and not {*PREDICTION_FIELDS[2:]} & {*self.value}:
            raise self.fail("must be a prediction, got a record (it has a 'text'); pass the file of predictions")
        if not predictions and "spans" in self.value and "text" not in self.value:
            raise self.fail(
                "must be a record, got a prediction (it has 'spans'); pass the file of records, or convert predictions"
                " with fallax data convert --predictions"
            )
        if odd:
            raise self.fail(
                f"a {what} may have {', '.join(fields)}; got {one_line(odd[0], 40)!r}"
                + ("; move it into 'meta'" if not predictions else "; remove it")
            )
        if not predictions and "text" not in self.value:
            raise self.fail(f"a record must have a 'text', got {self._keys()}; add it")

    def _keys(self) -> str:
        return ", ".join(one_line(repr(k), 40) for k in self.value) or "no field"

    def list_of_objects(self, key: str, needs: tuple[str, ...]) -> list[dict[str, Any]]:
        found = self.value.get(key, [])
        if not isinstance(found, list) or not all(isinstance(x, dict) for x in found):
            raise self.fail(f"{key!r} must be a list of objects, got {one_line(repr(found), 40)}")
        for i, x in enumerate(found, start=1):
            for k in needs:
                if k not in x:
                    raise self.fail(f"{key!r}, item {i}: must have {k!r}, got {', '.join(map(repr, x)) or 'nothing'}")
        return found

    def record(self) -> RawRecord:
        v = self.value
        marks: list[Mark] | None = None
        if v.get("gold") is not None:
            marks = []
            places: set[tuple[Any, Any]] = set()
            for i, span in enumerate(self.list_of_objects("gold", ("start", "end", "labels")), start=1):
                odd = [k for k in span if k not in ("start", "end", "labels")]
                labels = span["labels"]
                if odd:
                    raise self.fail(f"gold span {i}: may have start, end, labels; got {one_line(odd[0], 40)!r}")
                if not isinstance(labels, list) or not labels:
                    raise self.fail(
                        f"gold span {i}: labels must be a list of at least one label, got {one_line(repr(labels), 40)}"
                    )
                place = (repr(span["start"]), repr(span["end"]))
                if place in places:
                    raise self.fail(
                        f"gold span {i}: each passage must be given once with all its alternatives, got"
                        f" {place[0]}..{place[1]} again; put the labels into one list"
                    )
                places.add(place)
                marks.extend(Mark(span["start"], span["end"], label) for label in labels)
        meta = v.get("meta", {})
        if not isinstance(meta, dict):
            raise self.fail(f"'meta' must be an object, got {one_line(repr(meta), 40)}")
        return RawRecord(v["id"], v["text"], marks, self.line, v.get("source", ""), v.get("title", ""), meta)

    def prediction(self) -> RawRecord:
        v = self.value
        marks = []
        for i, span in enumerate(self.list_of_objects("spans", ("start", "end", "label")), start=1):
            odd = [k for k in span if k not in SPAN_FIELDS]
            if odd:
                raise self.fail(f"span {i}: may have {', '.join(SPAN_FIELDS)}; got {one_line(odd[0], 40)!r}")
            more = {k: span[k] for k in SPAN_FIELDS[4:] if span.get(k) is not None}
            sure = more.get("label_confidence", 0)
            if type(sure) not in (int, float) or not 0 <= sure <= 1:
                raise self.fail(f"span {i}: label_confidence must be in [0, 1], got {one_line(repr(sure), 40)}")
            if type(told := more.get("reported", False)) is not bool:
                raise self.fail(f"span {i}: reported must be true or false, got {one_line(repr(told), 40)}")
            marks.append(Mark(span["start"], span["end"], span["label"], span.get("confidence"), more=more))
        extra = {k: v[k] for k in PREDICTION_FIELDS[3:] if v.get(k) is not None}
        self.list_of_objects("unreadable", ("reason",))
        for key, kind in (("labels", list), ("n_replies", int), ("unscored", str), ("variant", str)):
            if key in extra and type(extra[key]) is not kind:
                raise self.fail(f"{key!r} must be of JSON type {kind.__name__}, got {one_line(repr(extra[key]), 40)}")
        return RawRecord(v["id"], self._text(), marks, self.line, extra=extra)

    def _text(self) -> str | None:
        """The text that a prediction repeats, None where it repeats none."""
        found = self.value.get("text")
        if found is not None and not isinstance(found, str):
            raise self.fail(f"'text' must be a text, got {one_line(repr(found), 40)}")
        return found


def write_rows(rows: Iterable[RawRecord], path: str | Path, options: Options, losses: list[Loss]) -> None:
    """Write one line per record, without loss."""
    with open_out(path) as write:
        for row in rows:
            if row.origin is not None:
                write(dump_json(row.origin.to_dict(), f"record {row.id!r}") + "\n")
