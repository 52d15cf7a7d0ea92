"""MAFALDA's tables 9 to 14 recomputed from recorded replies, with the printed values."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

from fallax.core.json_value import JsonValue
from fallax.core.types import Prediction, Record
from fallax.core.whole import read_whole_bytes
from fallax.data import read_corpus
from fallax.detection.protocols import SentenceReply, predict_from_replies
from fallax.errors import FormatError, InputError, UnknownNameError, one_line
from fallax.metrics import Interval, SoftSpan, bootstrap_interval
from fallax.runs.base import check_options, choose_recorded

__all__ = [
    "TABLES",
    "Cell",
    "RecordedRuns",
    "Variant",
    "find_recording",
    "published_tables",
    "read_outputs",
    "read_recorded",
    "reproduce",
]

Variant: TypeAlias = Literal["definition", "published"]
_SUFFIX = "_level_2_results.jsonl"
#: The number of each table -> its unit and level.
TABLES: Mapping[str, tuple[Literal["span", "text"], Literal[0, 1, 2]]] = {
    "9": ("span", 0), "10": ("span", 1), "11": ("span", 2), "12": ("text", 0), "13": ("text", 1), "14": ("text", 2),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RecordedRuns:
    """The gold of a folder with every model's predictions under one reading."""

    gold: tuple[Record, ...]
    predictions: dict[str, tuple[Prediction, ...]]


@dataclass(frozen=True, slots=True)
class Cell(JsonValue):
    """One cell of a table: the recomputed value, the printed one if there is one, and an interval if wanted."""

    model: str
    unit: Literal["span", "text"]
    level: int
    measure: Literal["precision", "recall", "f1"]
    variant: Variant
    value: float
    published: float | None
    interval: Interval | None = None
    json_names: ClassVar[tuple[str, ...]] = (
        "model", "unit", "level", "measure", "variant", "value", "published", "interval?",
    )  # fmt: skip


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(read_whole_bytes(path).split(b"\n"), start=1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise FormatError(
                    f"must be one JSON object a line: {one_line(error)}", path=path, line=number
                ) from error
            if not isinstance(value, dict) or not isinstance(value.get("prediction"), dict):
                raise FormatError(
                    "must hold 'text' and 'prediction' (sentence -> reply); is this a file of model outputs?",
                    path=path,
                    line=number,
                )
            yield number, value


def _replies(row: dict[str, Any], path: Path, number: int) -> tuple[SentenceReply, ...]:
    replies = []
    for sentence, reply in row["prediction"].items():
        if not isinstance(reply, str):
            raise FormatError(f"a reply must be a text, got {type(reply).__name__}", path=path, line=number)
        replies.append(SentenceReply(sentence, reply))
    return tuple(replies)


def find_recording(path: Path, options: Mapping[str, Any]) -> Path | None:
    """The raw output file for a path and ``-M model=NAME``; None if the path holds something else.

    Parameters
    ----------
    path : such a file, or a folder with ``model_outputs/<model>_level_2_results.jsonl``, or that folder itself.
    options : ``model`` chooses in a folder.

    Raises
    ------
    InputError, UnknownNameError, one_line
        If a folder holds several and none is chosen, or there is no such model.
    """
    if path.is_file():
        if not path.name.endswith(_SUFFIX):
            return None
        check_options(options, (), "option of recorded outputs:")
        return path
    found = sorted(p for folder in (path / "model_outputs", path) for p in folder.glob(f"*{_SUFFIX}"))
    files = {p.name.removesuffix(_SUFFIX): p for p in found}
    return choose_recorded(files, options, path, "outputs")


def read_outputs(path: str | Path) -> dict[str, tuple[SentenceReply, ...]]:
    """The replies of a file of raw outputs: text -> a reply for each of its sentences.

    Raises
    ------
    FormatError
        If a line is none, or one text has two different sets of replies.
    """
    path = Path(path)
    found: dict[str, tuple[SentenceReply, ...]] = {}
    for number, row in _lines(path):
        replies = _replies(row, path, number)
        if found.setdefault(str(row.get("text")), replies) != replies:
            raise FormatError("a text must have one set of replies, this one has another above", path=path, line=number)
    return found


def read_recorded(folder: str | Path, *, variant: Variant = "definition") -> RecordedRuns:
    """Read ``gold.jsonl`` and every ``model_outputs/<model>_level_2_results.jsonl`` of a folder.

    Parameters
    ----------
    folder : any number of texts; a model's lines stand in the order of the gold.
    variant : how replies become spans, see :func:`fallax.detection.protocols.predict_from_replies`.

    Raises
    ------
    InputError
        If the folder holds no such files, or a file of outputs does not fit the gold line by line.
    """
    root = Path(folder)
    gold_path = root / "gold.jsonl"
    if not gold_path.is_file():
        raise InputError(f"{root}: must hold gold.jsonl and model_outputs/<model>{_SUFFIX}, found no gold.jsonl")
    gold = tuple(read_corpus(gold_path, format="mafalda", taxonomy="mafalda"))
    files = sorted((root / "model_outputs").glob(f"*{_SUFFIX}"))
    if not files:
        raise InputError(f"{root / 'model_outputs'}: must hold files named <model>{_SUFFIX}, found none")
    predictions = {}
    for path in files:
        rows = list(_lines(path))
        if len(rows) != len(gold):
            raise InputError(f"{path}: must have one line per gold text ({len(gold)}), got {len(rows)}")
        found = []
        for (number, row), record in zip(rows, gold, strict=True):
            if row.get("text") != record.text:
                raise FormatError(f"must be about gold text {record.id!r}, got another text", path=path, line=number)
            replies = _replies(row, path, number)
            found.append(predict_from_replies(record.id, record.text, replies, variant=variant))
        predictions[path.name.removesuffix(_SUFFIX)] = tuple(found)
    return RecordedRuns(gold, predictions)


def published_tables() -> dict[tuple[str, str, int], dict[str, float]]:
    """(model, unit, level) -> the three printed numbers."""
    text = (resources.files("fallax.detection.benchmarks") / "published" / "mafalda.json").read_text(encoding="utf-8")
    return {
        (c["model"], c["unit"], c["level"]): {m: c[m] for m in ("precision", "recall", "f1")}
        for c in json.loads(text)["cells"]
    }


def reproduce(
    folder: str | Path, *, tables: Collection[str] = (), n_resamples: int = 0, seed: int = 0
) -> tuple[Cell, ...]:
    """Every cell of tables 9 to 14 that a folder's recordings give, in both variants.

    Parameters
    ----------
    folder : see :func:`read_recorded`.
    tables : numbers of tables, keys of :data:`TABLES`; all if there are none.
    n_resamples : how many times the texts are drawn for the 95 % interval of each cell; 0: no intervals.
    seed : of the intervals.

    Raises
    ------
    UnknownNameError
        If a table is none of 9 to 14.

    Examples
    --------
    >>> reproduce("/nowhere")
    Traceback (most recent call last):
    fallax.errors.InputError: /nowhere: must hold gold.jsonl and model_outputs/<model>_level_2_results.jsonl, \
found no gold.jsonl
    >>> reproduce("/nowhere", tables=("8",))
    Traceback (most recent call last):
    fallax.errors.UnknownNameError: unknown table '8'; known: 10, 11, 12, 13, 14, 9
    """
    for number in tables:
        if number not in TABLES:
            raise UnknownNameError("table", number, TABLES)
    printed = published_tables()
    cells = []
    variants: tuple[Variant, ...] = ("definition", "published")
    for variant in variants:
        runs = read_recorded(folder, variant=variant)
        for model, pred in runs.predictions.items():
            for number, (unit, level) in TABLES.items():
                if tables and number not in tables:
                    continue
                score = SoftSpan(level=level, unit=unit, variant=variant).corpus_score(pred=pred, gold=runs.gold)
                row = printed.get((model, unit, level), {})
                measures: tuple[Literal["precision", "recall", "f1"], ...] = ("precision", "recall", "f1")
                for measure in measures:
                    value = score[measure]
                    if value is not None:
                        drawn = (
                            bootstrap_interval(score, measure, n_resamples=n_resamples, seed=seed)
                            if n_resamples
                            else None
                        )
                        cells.append(Cell(model, unit, level, measure, variant, value, row.get(measure), drawn))
    return tuple(cells)
