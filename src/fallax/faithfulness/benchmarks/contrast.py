"""A benchmark of minimal pairs: does a judge notice negation, roles, numbers and causes?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any, ClassVar

from fallax.core.types import FaithfulnessRecord, Score
from fallax.errors import InputError
from fallax.faithfulness.benchmarks.faithfulness import Faithfulness, cost_score, sample_of, verdict_score
from fallax.metrics import TwoClass
from fallax.runs.base import PublishedValue, Row, Sample

__all__ = ["Contrast", "contrast_records"]

#: What was measured once for systems that do not ship: name -> source, and score -> balanced accuracy.
_RECORDED = "contrast.recorded.json"


def contrast_records() -> Iterable[FaithfulnessRecord]:
    """The statements with their passages; ``source`` is the phenomenon, ``group`` the passage."""
    text = (resources.files("fallax.faithfulness.benchmarks") / "contrast.jsonl").read_text(encoding="utf-8")
    for line in text.splitlines():
        row = json.loads(line)
        for i, (label, kind, statement) in enumerate(row["statements"]):
            yield FaithfulnessRecord(
                f"{row['id']}-{i}", row["passage"], statement, "faithful" if label == "entailed" else "unfaithful",
                group=row["id"], source=kind, meta={"register": row["register"], "label": label},
            )  # fmt: skip


class Contrast(Faithfulness):
    """Is a statement entailed by a passage of three to ten sentences? The positive class is "not entailed".

    Scores: ``verdict`` on all statements, and ``verdict-PHENOMENON`` on those of each phenomenon that has both kinds of
    statement. The passages are in none of the sets that anything here was trained on.
    """

    name: ClassVar[str] = "contrast"
    about: ClassVar[str] = "does a passage entail a statement, in minimal pairs by phenomenon"
    options: ClassVar[Mapping[str, str]] = {}
    file_option: ClassVar[str] = ""
    drawn: ClassVar[str] = "passages"

    def settings(self) -> dict[str, Any]:
        """None."""
        return {}

    def samples(self) -> Iterable[Sample]:
        """The statements in the order of the passages.

        Raises
        ------
        InputError
            If data are given, which are not read.
        """
        if self.data is not None:
            raise InputError(
                f"data: must be left out, since benchmark 'contrast' has statements of its own, got {self.data}; for"
                " data of your own, use benchmark faithfulness"
            )
        return (sample_of(r) for r in contrast_records())

    def stratum(self, sample: Sample) -> str:
        """Phenomenon and label."""
        return f"{sample.input['source']} {sample.gold['label']}"

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        """See the class."""
        found = list(rows)
        verdict = TwoClass()
        scores = {"verdict": verdict_score(found, verdict)}
        for kind in sorted({r.input["source"] for r in found}):
            own = [r for r in found if r.input["source"] == kind]
            if len({r.gold["label"] for r in own}) == 2:
                scores[f"verdict-{kind}"] = verdict_score(own, verdict)
        scores["cost"] = cost_score(found)
        return scores

    def published(self) -> tuple[PublishedValue, ...]:
        """Values measured for systems that no longer ship, or do not ship with this package."""
        path = resources.files("fallax.faithfulness.benchmarks") / _RECORDED
        recorded = json.loads(path.read_text(encoding="utf-8"))
        return tuple(
            PublishedValue(system, name, "balanced_accuracy", value, about["source"], "")
            for system, about in recorded.items()
            for name, value in about["values"].items()
        )
