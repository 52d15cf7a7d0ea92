"""Propaganda techniques: fragments in news articles and in memes, scored as at the shared tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from fallax.core.types import Score
from fallax.data import DATASETS, Corpus, load_dataset
from fallax.detection.benchmarks.annotated import (
    OWN_DATA,
    TextBenchmark,
    detection_scores,
    prediction_of,
    read_records,
    record_of,
)
from fallax.detection.benchmarks.printed import printed_for
from fallax.errors import UnknownNameError
from fallax.metrics import FLC
from fallax.runs.base import PublishedValue, Row

__all__ = ["Propaganda"]

_SETS = ("ptc_nlp4if2019", "ptc_semeval2020", "semeval2021_task6")


class Propaganda(TextBenchmark):
    """Da San Martino et al. 2019. Scores are ``flc`` (as defined) and ``flc-official`` (the organisers' scorer).

    ``sentence-detection`` is the sentence-level task (SLC): each line of an article is a sentence. ``text-detection``
    asks whether an article has any technique.
    """

    name: ClassVar[str] = "propaganda"
    about: ClassVar[str] = "propaganda techniques in articles and memes, fragment by fragment and sentence by sentence"
    options: ClassVar[Mapping[str, str]] = {
        "set": "ptc_nlp4if2019 (18 techniques, the default), ptc_semeval2020 (14), or semeval2021_task6 (20, memes)",
        "split": "dev (the default); of semeval2021_task6 also train, and test where its file is there",
        **OWN_DATA,
    }
    primary: ClassVar[tuple[str, str]] = ("flc", "f1")

    def settings(self) -> dict[str, Any]:
        """The data set, whose taxonomy is used for your own ``data`` too; and the others where they were given."""
        found = self.given.get("set", _SETS[0])
        if found not in _SETS:
            raise UnknownNameError("set", found, _SETS, where=f"benchmark {self.name!r}")
        split = self.given.get("split", "dev")
        if split not in DATASETS[found].readable:
            raise UnknownNameError("split", str(split), DATASETS[found].readable, where=f"set {found!r}")
        own = {name: self.given[name] for name in OWN_DATA if name in self.given}
        return {"set": found, **({} if split == "dev" else {"split": split}), **own}

    @property
    def taxonomy(self) -> str:
        """``propaganda18``, ``propaganda14`` or ``semeval2021_task6``."""
        return DATASETS[self.settings()["set"]].taxonomy

    def records(self) -> Corpus:
        """The texts, from ``data`` (a folder with articles/ beside labels-FLC/ or labels/, or one of data sets)."""
        files = ("labels-FLC", "labels")
        found = read_records(self.data, files=files, format="propaganda", taxonomy=self.taxonomy, given=self.given)
        if found is None:
            settings = self.settings()
            split = settings.get("split", "dev")
            return load_dataset(settings["set"], split=split, root=self.data, taxonomy=self.taxonomy)
        return found

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        """Both variants, the organisers' with overlapping predictions of one technique merged; and detection."""
        found = list(rows)
        pred = [prediction_of(row) for row in found]
        gold = [record_of(row, gold=True) for row in found]
        return {
            "flc": FLC(taxonomy=self.taxonomy).corpus_score(pred=pred, gold=gold),
            "flc-official": FLC(taxonomy=self.taxonomy, variant="official", merge_overlaps=True).corpus_score(
                pred=pred, gold=gold
            ),
            **detection_scores(pred, gold, unit="line"),
        }

    def published(self) -> tuple[PublishedValue, ...]:
        """The first places of the shared tasks, on their test splits."""
        return printed_for(self.settings()["set"])
