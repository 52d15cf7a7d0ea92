"""Marked passages of debates and comments, each set with its own labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from fallax.core.types import Score
from fallax.data import DATASETS, Corpus, load_dataset
from fallax.detection.benchmarks.annotated import TextBenchmark, detection_scores, prediction_of, record_of
from fallax.errors import UnknownNameError
from fallax.metrics import SoftSpan
from fallax.runs.base import Row

__all__ = ["MarkedPassages"]

_SETS = ("elecdeb60to20_fallacy", "reddit_informal_fallacies")


class MarkedPassages(TextBenchmark):
    """Scores: ``span`` (MAFALDA's soft F1, the set's own labels), ``sentence-detection`` and ``text-detection``.

    Texts that nobody annotated are left out, as on Reddit the comments in which one named fallacy was not found.
    """

    name: ClassVar[str] = "passages"
    about: ClassVar[str] = "labelled passages of presidential debates and of Reddit, each with its own labels"
    options: ClassVar[Mapping[str, str]] = {
        "set": f"{_SETS[0]} (the default) or {_SETS[1]}",
        "split": "dev (the default), train, or test: the published one, where its file is there",
    }
    primary: ClassVar[tuple[str, str]] = ("span", "f1")

    def settings(self) -> dict[str, Any]:
        """The data set and the split."""
        found, split = self.given.get("set", _SETS[0]), self.given.get("split", "dev")
        if found not in _SETS:
            raise UnknownNameError("set", str(found), _SETS, where=f"benchmark {self.name!r}")
        if split not in ("dev", "train", "test"):
            raise UnknownNameError("split", str(split), ("dev", "train", "test"), where=f"benchmark {self.name!r}")
        return {"set": found, "split": split}

    @property
    def taxonomy(self) -> str:
        """``elecdeb`` or ``reddit``."""
        return DATASETS[self.settings()["set"]].taxonomy

    def records(self) -> Corpus:
        """The annotated texts, from ``data``, a folder of data sets."""
        self.refuse_file()
        settings = self.settings()
        found = load_dataset(settings["set"], split=settings["split"], root=self.data, taxonomy=self.taxonomy)
        return replace(found, records=tuple(record for record in found if record.gold is not None))

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        """Passages with their labels, and detection by sentence and by text."""
        found = list(rows)
        pred = [prediction_of(row) for row in found]
        gold = [record_of(row, gold=True) for row in found]
        span = SoftSpan(taxonomy=self.taxonomy, level=1)
        return {"span": span.corpus_score(pred=pred, gold=gold), **detection_scores(pred, gold)}
