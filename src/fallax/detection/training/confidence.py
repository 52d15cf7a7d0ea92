"""Calibrates confidences by kind of text, on held-out texts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize, minimize_scalar

from fallax.detection.systems.base import RememberingScorer, SentenceDetector
from fallax.detection.systems.encoder import EncoderScorer, load_encoder
from fallax.detection.systems.shown import PassageScale
from fallax.detection.training.examples import SentenceExample, is_held_out
from fallax.detection.training.finish import sigmoid, write_card
from fallax.detection.training.passages import passage_rows
from fallax.errors import InputError
from fallax.metrics.calibration import calibration_error

__all__ = ["KINDS", "HeldOutTexts", "bins_of", "calibrated", "calibration_rows", "fit_passages", "held_out_of"]

_Floats = npt.NDArray[np.float64]
#: Kinds of text, by the most sentences of each; the last has no bound.
KINDS = (1, 5, None)
#: At most so many texts of a source are looked at.
_MOST = 70
#: Passages are looked at from this probability on, so that some are wrong.
_LEAST = 0.5


@dataclass(frozen=True)
class HeldOutTexts:
    """Held-out examples by source.

    Parameters
    ----------
    sources : name -> examples.
    """

    sources: Mapping[str, Sequence[SentenceExample]]

    def weighted(self) -> list[tuple[SentenceExample, float]]:
        """Each example with its weight.

        In each kind of text, fallacious and ordinary texts have the same total weight, and so have their sources.
        """
        groups: dict[tuple[int, bool], dict[str, list[SentenceExample]]] = {}
        for name, examples in self.sources.items():
            for e in examples:
                key = kind_of(len(e.sentences)), max(e.flagged) > 0.5
                groups.setdefault(key, {}).setdefault(name, []).append(e)
        return [
            (e, 1.0 / (len(by_source) * len(examples) * len(e.sentences)))
            for by_source in groups.values()
            for examples in by_source.values()
            for e in examples
        ]


def held_out_of(found: Mapping[str, Sequence[SentenceExample]], one_in: int, *, seed: int = 0) -> HeldOutTexts:
    """The examples held out by training with ``one_in``, at most 70 texts per source of either sort."""
    rng = random.Random(seed)
    kept: dict[str, Sequence[SentenceExample]] = {}
    for name, examples in found.items():
        held = [e for e in examples if is_held_out(e, one_in)]
        sorts = [[e for e in held if (max(e.flagged) > 0.5) == sort] for sort in (True, False)]
        kept[name] = [e for these in sorts for e in rng.sample(these, min(_MOST, len(these)))]
    return HeldOutTexts({name: examples for name, examples in kept.items() if examples})


def kind_of(n_sentences: int) -> int:
    """The index of a text's kind in :data:`KINDS`."""
    return next(i for i, most in enumerate(KINDS) if most is None or n_sentences <= most)


def calibrated(
    folder: Path, held: HeldOutTexts, *, unseen: Sequence[Sequence[SentenceExample]] | None = None
) -> SentenceDetector:
    """Fit the calibration of a detector on held-out texts and write it into the card of its folder.

    Parameters
    ----------
    folder : of the detector.
    held : texts kept out of training.
    unseen : labelled texts of sets that training saw nothing of, set by set; each set counts the same. Where given, the
        confidence of labels is fitted on these alone, since labels of held-out texts of a set one has trained on are
        right far more often. None: it is fitted on the held-out texts, and is not scaled where none of them has a
        label.

    Raises
    ------
    InputError
        If the folder holds another kind of detector, or ``unseen`` is given and no sentence of it has a label.

    Notes
    -----
    Platt scaling of "any fallacy" for each kind of text (Platt 1999), at even odds that a text holds a fallacy. One
    temperature for the labels (Guo et al. 2017), fitted to what is shown: how often the likeliest label is right.
    """
    if unseen is not None and not (unseen and all(any(c for e in texts for c in e.candidates) for texts in unseen)):
        raise InputError(
            f"unseen must hold sets with at least one labelled sentence each, got {len(unseen)} sets of"
            f" {sum(map(len, unseen))} texts; leave it out to fit the confidence of labels on the held-out texts"
        )
    load_encoder.cache_clear()
    detector = load_encoder(str(folder))
    scorer = detector.scorer
    if not isinstance(scorer, EncoderScorer):
        raise InputError(f"{folder}: must hold an encoder detector, got {detector.name}")
    rows: list[tuple[int, float, float, float]] = []
    labelled: list[tuple[_Floats, tuple[int, ...], float]] = []
    for e, weight in held.weighted():
        logits = scorer.logits(list(e.sentences), title=e.title)
        for i, row in enumerate(logits):
            rows.append((kind_of(len(e.sentences)), float(row[0]), e.flagged[i], weight * e.weights[i]))
            if e.candidates[i] and unseen is None:
                labelled.append((row[1:], e.candidates[i], weight))
    for texts in unseen or ():
        for e in texts:
            logits = scorer.logits(list(e.sentences), title=e.title)
            weight = 1.0 / (len(texts) * len(logits))
            labelled += [(row[1:], c, weight) for row, c in zip(logits, e.candidates, strict=True) if c]
    table = np.array(rows).reshape(-1, 4)
    calibration: list[dict[str, float | int | None]] = []
    for k, most in enumerate(KINDS):
        slope, offset = _platt(*table[table[:, 0] == k, 1:].T)
        calibration.append({"sentences": most, "slope": slope, "offset": offset})
    about = {k: v for k, v in detector.about.items() if k not in ("decoding", "files")}
    about["confidence"] = {"any": calibration, "label_scale": _temperature(labelled)}
    write_card(folder, about, detector.decoding)
    load_encoder.cache_clear()
    again = load_encoder(str(folder))
    return replace(again, scorer=RememberingScorer(again.scorer))


def fit_passages(folder: Path, sets: Mapping[str, Sequence[SentenceExample]]) -> SentenceDetector:
    """Fit the confidence that is shown with passages, and write it into the card of an encoder detector's folder.

    Parameters
    ----------
    sets : as :func:`~fallax.detection.training.passages.passage_rows` takes them.
    """
    load_encoder.cache_clear()
    detector = load_encoder(str(folder))
    p, right, weights = np.array(passage_rows(detector, sets, _LEAST)).reshape(-1, 3).T
    p = np.clip(p, 1e-9, 1.0 - 1e-9)
    scale = PassageScale(*_platt(np.log(p) - np.log1p(-p), right, weights))
    about = {k: v for k, v in detector.about.items() if k not in ("decoding", "files")}
    about["confidence"] = {**about["confidence"], "passages": {"slope": scale.slope, "offset": scale.offset}}
    write_card(folder, about, detector.decoding)
    return replace(detector, scale=scale, about=about)


def _platt(logits: _Floats, flagged: _Floats, weights: _Floats) -> tuple[float, float]:
    if not len(logits) or flagged.min() == flagged.max():
        return 1.0, 0.0

    def loss(x: _Floats) -> float:
        p = np.clip(sigmoid(x[0] * logits + x[1]), 1e-9, 1 - 1e-9)
        return float(-(weights * (flagged * np.log(p) + (1 - flagged) * np.log(1 - p))).sum() / weights.sum())

    slope, offset = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    return round(float(slope), 4), round(float(offset), 4)


def _temperature(labelled: Sequence[tuple[_Floats, tuple[int, ...], float]]) -> float:
    """What the logits of labels are multiplied by, so that the share of the likeliest is how often it is right."""
    if not labelled:
        return 1.0
    logits = np.array([row - row.max() for row, _, _ in labelled])
    right = np.array([int(row.argmax()) in candidates for row, candidates, _ in labelled], dtype=np.float64)
    weights = np.array([w for _, _, w in labelled])

    def loss(scale: float) -> float:
        p = np.clip(1.0 / np.exp(scale * logits).sum(axis=1), 1e-9, 1 - 1e-9)
        return -float((weights * (right * np.log(p) + (1.0 - right) * np.log(1.0 - p))).sum())

    return round(float(minimize_scalar(loss, bounds=(0.1, 3.0), method="bounded").x), 4)


def calibration_rows(detector: SentenceDetector, held: HeldOutTexts) -> dict[str, Any]:
    """The calibration on held-out texts: expected calibration error, and ten bins of each confidence."""
    said: list[tuple[float, float, float]] = []
    labels: list[tuple[float, float, float]] = []
    for e, weight in held.weighted():
        p = detector.scorer.probabilities(list(e.sentences), title=e.title)
        for i, row in enumerate(p):
            whole = float(row.sum())
            said.append((whole, e.flagged[i], weight * e.weights[i]))
            if e.candidates[i]:
                labels.append(
                    (float(row.max()) / max(whole, 1e-12), float(int(row.argmax()) in e.candidates[i]), weight)
                )
    return {"part_of_a_fallacy": bins_of(said), "label": bins_of(labels)}


def bins_of(rows: Sequence[tuple[float, float, float]]) -> dict[str, Any]:
    """The expected calibration error of rows (said, right, weight) and ten bins of what was said."""
    said, right, weights = np.array(rows).reshape(-1, 3).T
    at = np.clip((said * 10).astype(int), 0, 9)
    return {
        "expected_calibration_error": round(calibration_error(said, right, weights), 3),
        "sentences": len(said),
        "bins": [
            {
                "said": round(float(np.average(said[at == b], weights=weights[at == b])), 3),
                "right": round(float(np.average(right[at == b], weights=weights[at == b])), 3),
                "n": int((at == b).sum()),
            }
            for b in range(10)
            if weights[at == b].sum() > 0
        ],
    }
