"""Compares detectors with simple systems and recorded models on one gold standard, with paired tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import Prediction, Record, Score, Span
from fallax.detection.benchmarks.annotated import SYSTEMS, prediction_of
from fallax.detection.benchmarks.mafalda_tables import read_recorded
from fallax.detection.systems import Detector, load_detector, predict_with
from fallax.detection.systems.base import parts_of
from fallax.detection.systems.passages import read_passages
from fallax.encoders import load_mean_embedder
from fallax.errors import InputError, MissingExtraError
from fallax.metrics import SoftSpan, bootstrap_interval, paired_test
from fallax.runs.folder import read_rows, read_run

__all__ = [
    "ComparisonRow",
    "compare",
    "definition_predictions",
    "recorded_predictions",
    "run_predictions",
    "share_flagged",
    "tfidf_predictions",
]

_UNITS: tuple[Literal["span", "text"], ...] = ("span", "text")


@dataclass(frozen=True)
class ComparisonRow:
    """One system: its F1 with an interval for each unit and level, and the test of the detector against it.

    Parameters
    ----------
    f1 : (unit, level) -> value, low, high.
    test : (unit, level) -> detector minus system, p-value; empty for the detector itself.
    """

    system: str
    f1: dict[tuple[str, int], tuple[float, float, float]]
    test: dict[tuple[str, int], tuple[float, float]]

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON values."""
        cells = []
        for (unit, level), (value, low, high) in self.f1.items():
            cell: dict[str, Any] = {"unit": unit, "level": level, "f1": value, "low": low, "high": high}
            if (unit, level) in self.test:
                cell["difference"], cell["p_value"] = self.test[unit, level]
            cells.append(cell)
        return {"system": self.system, "cells": cells}


def tfidf_predictions(gold: Sequence[Record], passages: Path) -> tuple[Prediction, ...]:
    """TF-IDF of words and word pairs with logistic regression, trained on the sentences of passages."""
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise MissingExtraError("scikit-learn", extra="train") from error
    sentences, labels = [], []
    for passage in read_passages(passages):
        record = passage.record
        for a, b in parts_of(record).places:
            span = next((g for g in record.gold or () if 2 * (min(b, g.end) - max(a, g.start)) > b - a), None)
            sentences.append(record.text[a:b])
            labels.append(span.labels[0] if span else "")
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    model = LogisticRegression(C=10.0, max_iter=200).fit(words.fit_transform(sentences), labels)
    found = []
    for record in gold:
        places = parts_of(record).places
        said = model.predict(words.transform([record.text[a:b] for a, b in places])) if places else ()
        spans = [Span(a, b, str(label)) for (a, b), label in zip(places, said, strict=True) if label]
        found.append(Prediction(record.id, tuple(spans)))
    return tuple(found)


def definition_predictions(gold: Sequence[Record]) -> tuple[Prediction, ...]:
    """Each sentence gets the label with the nearest definition by embedding; none below the median similarity."""
    embed = load_mean_embedder()

    def embedded(text: str) -> npt.NDArray[np.float64]:
        mean = embed([text])[0]
        return np.asarray(mean / np.linalg.norm(mean))

    labels = load_taxonomy("mafalda").labels
    definitions = np.array([embedded(f"{x.name}: {x.definition}") for x in labels])
    likeness = [[embedded(r.text[a:b]) @ definitions.T for a, b in parts_of(r).places] for r in gold]
    highest = [float(row.max()) for rows in likeness for row in rows]
    middle = float(np.median(highest)) if highest else 0.0
    found = []
    for record, rows in zip(gold, likeness, strict=True):
        places = parts_of(record).places
        spans = [
            Span(a, b, labels[int(row.argmax())].name)
            for (a, b), row in zip(places, rows, strict=True)
            if row.max() > middle
        ]
        found.append(Prediction(record.id, tuple(spans)))
    return tuple(found)


def recorded_predictions(
    folder: str | Path, detectors: Sequence[str] = ("encoder", "linear"), *,
    passages: Path | None = None, runs: Sequence[Path] = (), seed: int = 0,
) -> tuple[tuple[Record, ...], dict[str, tuple[Prediction, ...]]]:  # fmt: skip
    """The gold of a folder of recordings, and the predictions of every system.

    Parameters
    ----------
    folder : as :func:`~fallax.detection.benchmarks.mafalda_tables.read_recorded` takes it.
    detectors : names or folders; the first is the one that others are compared with.
    passages : trains the TF-IDF baseline; left out without it.
    runs : folders of runs of the benchmark ``mafalda`` on the same texts, such as those of a local model.

    Raises
    ------
    InputError
        If a run has not answered each text, or is of a system that stands there already.
    """
    recorded = read_recorded(folder)
    found: dict[str, tuple[Prediction, ...]] = {}
    for name in detectors:
        detector: Detector = load_detector(name)
        found[detector.name] = tuple(predict_with(detector, r) for r in recorded.gold)
    for name in SYSTEMS:
        system = SYSTEMS[name]("mafalda", seed=seed)
        found[name] = tuple(system.find(r, 0) for r in recorded.gold)
    if passages is not None:
        found["TF-IDF + linear"] = tfidf_predictions(recorded.gold, passages)
    found["nearest definition"] = definition_predictions(recorded.gold)
    for path in runs:
        name = str(read_run(path)["system"]["name"])
        if name in found or name in recorded.predictions:
            raise InputError(f"{path}: each system must occur once, got {name!r} twice")
        found[name] = run_predictions(path, recorded.gold)
    return recorded.gold, found | dict(recorded.predictions)


def share_flagged(detector: Detector, records: Sequence[Record]) -> float:
    """The share of sentences inside a span, in [0, 1]; on texts without fallacies, the false alarm rate.

    Raises
    ------
    InputError
        If the records hold no sentence.
    """
    n = flagged = 0
    for record in records:
        spans = detector.detect(record).spans
        for start, end in parts_of(record).places:
            n += 1
            flagged += any(s.start < end and s.end > start for s in spans)
    if not n:
        raise InputError("records: must hold at least one sentence, got none")
    return flagged / n


def run_predictions(path: Path, gold: Sequence[Record]) -> tuple[Prediction, ...]:
    """The predictions of a ``mafalda`` run for each text of the gold.

    Raises
    ------
    InputError
        If the run has not answered all of them, or is of another benchmark.
    """
    benchmark = read_run(path)["benchmark"]
    if benchmark != "mafalda":
        raise InputError(f"{path}: must be a run of the benchmark mafalda, got one of {benchmark}")
    rows = {row.id: row for row in read_rows(path, epoch=0) if row.status != "error"}
    missing = [record.id for record in gold if record.id not in rows]
    if missing:
        raise InputError(
            f"{path}: must have answered all {len(gold)} texts, lacks {len(missing)}, {missing[0]!r} first"
        )
    return tuple(prediction_of(rows[record.id]) for record in gold)


def compare(
    gold: Sequence[Record],
    predictions: Mapping[str, Sequence[Prediction]],
    *,
    n_resamples: int = 10_000,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> tuple[ComparisonRow, ...]:
    """MAFALDA's F1 (variant "definition") of several systems, each tested against the first.

    Parameters
    ----------
    predictions : system -> one prediction per record of ``gold``; the first system is the one tested against others.

    Raises
    ------
    InputError
        If no system is given.
    """
    if not predictions:
        raise InputError("predictions: must hold at least one system, got none")
    rows: list[ComparisonRow] = []
    first: dict[tuple[str, int], Score] = {}
    for system, pred in predictions.items():
        f1: dict[tuple[str, int], tuple[float, float, float]] = {}
        test: dict[tuple[str, int], tuple[float, float]] = {}
        for unit in _UNITS:
            for level in (0, 1, 2):
                score = SoftSpan(level=level, unit=unit).corpus_score(pred=list(pred), gold=list(gold))
                found = bootstrap_interval(score, "f1", n_resamples=n_resamples, seed=seed)
                f1[unit, level] = (found.value or 0.0, found.low or 0.0, found.high or 0.0)
                if not rows:
                    first[unit, level] = score
                else:
                    tested = paired_test(first[unit, level], score, "f1", n_resamples=n_resamples, seed=seed)
                    test[unit, level] = (tested.difference or 0.0, 1.0 if tested.p_value is None else tested.p_value)
        rows.append(ComparisonRow(system, f1, test))
        if progress:
            progress(system)
    return tuple(rows)
