"""MAFALDA: labelled spans with alternatives, at three levels, as defined and as published."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from fallax.core.types import Prediction, Record, Score
from fallax.data import Corpus, load_dataset
from fallax.detection.benchmarks.annotated import (
    OWN_DATA,
    TextBenchmark,
    detection_scores,
    prediction_of,
    read_records,
    record_of,
)
from fallax.detection.benchmarks.mafalda_tables import find_recording, published_tables, read_outputs
from fallax.detection.protocols import SentenceReply, predict_from_replies
from fallax.errors import ModelError, UnknownNameError
from fallax.metrics import SoftSpan
from fallax.runs.base import Answer, PublishedValue, Row, Sample, System

__all__ = ["Mafalda"]

_LEVELS = (0, 1, 2)
_UNITS = ("span", "text")


class _Recording:
    """Replays raw outputs published with the paper: a reply for each sentence of a text."""

    prompts: ClassVar[Mapping[str, str]] = {}
    concurrency: ClassVar[int] = 1

    def __init__(self, path: Path) -> None:
        self._path = path
        self._replies = read_outputs(path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        self.identity = {"recording": path.name, "hash": digest}

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """The recorded replies about a text, read by the definition."""
        text = sample.input["text"]
        if text not in self._replies:
            raise ModelError(f"nothing recorded about the text of {sample.id!r}", provider=str(self._path))
        replies = self._replies[text]
        said = predict_from_replies(sample.id, text, replies).to_dict()
        del said["id"]
        return Answer(said, replies=tuple({"where": r.sentence, "text": r.reply} for r in replies))


class Mafalda(TextBenchmark):
    """Helwe et al. 2024. Scores are named ``UNIT-LEVEL`` (by the definition) and ``UNIT-LEVEL-published``.

    ``sentence-detection`` and ``text-detection`` ask only whether a sentence is part of a fallacy, and a text has one.
    """

    name: ClassVar[str] = "mafalda"
    about: ClassVar[str] = "labelled passages with alternatives, levels 0-2, in spans and in texts (Helwe et al. 2024)"
    options: ClassVar[Mapping[str, str]] = {"split": "dev (the default), or user_study", **OWN_DATA}
    primary: ClassVar[tuple[str, str]] = ("span-2", "f1")

    def settings(self) -> dict[str, Any]:
        """The split, and how data of the user's are read where it was given."""
        return {"split": "dev", **self.given}

    @property
    def taxonomy(self) -> str:
        """``mafalda``."""
        return "mafalda"

    def records(self) -> Corpus:
        """The texts, from ``data`` (a file, a folder with gold.jsonl, or a folder of data sets)."""
        split = self.settings()["split"]
        if split not in ("dev", "user_study"):
            raise UnknownNameError("split", split, ("dev", "user_study"), where="benchmark 'mafalda'")
        files = ("gold.jsonl",) if split == "dev" else ("user_study/examples_with_labels.jsonl",)
        found = read_records(self.data, files=files, format="mafalda", taxonomy="mafalda", given=self.given)
        return load_dataset("mafalda", split=split, root=self.data, taxonomy="mafalda") if found is None else found

    def with_recording(self, path: Path, *, options: Mapping[str, Any]) -> System | None:
        """A file of raw outputs, or a folder of them with ``-M model=NAME``."""
        found = find_recording(path, options)
        return None if found is None else _Recording(found)

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        """Both units at all levels; the variant ``published`` where the replies are about sentences."""
        found = list(rows)
        readings = {"definition": [prediction_of(row) for row in found]}
        replies = [reply for row in found for reply in row.replies]
        if replies and all("where" in reply for reply in replies):
            readings["published"] = [_published(row) for row in found]
        gold = [record_of(row, gold=True) for row in found]
        return {**dict(_scores(gold, readings)), **detection_scores(readings["definition"], gold)}

    def published(self) -> tuple[PublishedValue, ...]:
        """Tables 9 to 14."""
        found = []
        for (model, unit, level), cells in published_tables().items():
            table = 9 + level + 3 * (unit == "text")
            for measure, value in cells.items():
                for name, note in (
                    (f"{unit}-{level}", "all 200 texts, computed as the variant 'published'"),
                    (f"{unit}-{level}-published", "all 200 texts"),
                ):
                    source = f"Helwe et al. 2024, table {table}"
                    found.append(PublishedValue(model, name, measure, value, source, note))
        return tuple(found)


def _scores(gold: list[Record], readings: Mapping[str, list[Prediction]]) -> Iterator[tuple[str, Score]]:
    for variant, pred in readings.items():
        for unit in _UNITS:
            for level in _LEVELS:
                metric = SoftSpan(level=level, unit=unit, variant=variant)  # type: ignore[arg-type]
                suffix = "" if variant == "definition" else f"-{variant}"
                yield f"{unit}-{level}{suffix}", metric.corpus_score(pred=pred, gold=gold)


def _published(row: Row) -> Prediction:
    """The replies about sentences, read as the paper's tables did."""
    if row.status != "ok" and row.prediction is None:
        return Prediction(
            row.id, unscored=row.reason, unreadable=row.unreadable, n_replies=row.n_replies, variant="published"
        )
    asked = [SentenceReply(r["where"], r["text"]) for r in row.replies]
    return predict_from_replies(row.id, row.input["text"], asked, variant="published")
