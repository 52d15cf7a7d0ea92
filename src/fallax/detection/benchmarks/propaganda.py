"""Propaganda techniques: fragments in news articles, scored as at the shared tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from fallax.core.types import Record, Score
from fallax.data import DATASETS, load_dataset
from fallax.detection.benchmarks.annotated import TextBenchmark, prediction_of, read_records, record_of
from fallax.errors import UnknownNameError
from fallax.metrics import FLC
from fallax.runs.base import Row

__all__ = ["Propaganda"]

_SETS = ("ptc_nlp4if2019", "ptc_semeval2020")


class Propaganda(TextBenchmark):
    """Da San Martino et al. 2019. Scores: ``flc`` (as defined) and ``flc-official`` (the organisers' scorer)."""

    name: ClassVar[str] = "propaganda"
    about: ClassVar[str] = "propaganda techniques in news articles, fragment by fragment (Da San Martino et al. 2019)"
    options: ClassVar[Mapping[str, str]] = {
        "set": "ptc_nlp4if2019 (18 techniques, the default), or ptc_semeval2020 (14)"
    }
    primary: ClassVar[tuple[str, str]] = ("flc", "f1")

    def settings(self) -> dict[str, Any]:
        """The data set; its taxonomy also applies to your own ``data``."""
        found = self.given.get("set", _SETS[0])
        if found not in _SETS:
            raise UnknownNameError("set", found, _SETS, where=f"benchmark {self.name!r}")
        return {"set": found}

    @property
    def taxonomy(self) -> str:
        """``propaganda18`` or ``propaganda14``."""
        return DATASETS[self.settings()["set"]].taxonomy

    def records(self) -> Iterable[Record]:
        """The articles, from ``data`` (a folder with articles/ beside labels-FLC/ or labels/, or one of data sets)."""
        files = ("labels-FLC", "labels")
        found = read_records(self.data, files=files, format="propaganda", taxonomy=self.taxonomy)
        if found is None:
            return load_dataset(self.settings()["set"], root=self.data, taxonomy=self.taxonomy)
        return found

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        """Both variants; the organisers' variant merges overlapping predictions of one technique."""
        found = list(rows)
        pred = [prediction_of(row) for row in found]
        gold = [record_of(row, gold=True) for row in found]
        return {
            "flc": FLC(taxonomy=self.taxonomy).corpus_score(pred=pred, gold=gold),
            "flc-official": FLC(taxonomy=self.taxonomy, variant="official", merge_overlaps=True).corpus_score(
                pred=pred, gold=gold
            ),
        }
