"""Turns a trained network into a detector folder: calibration, quantisation, threshold, card."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize, minimize_scalar

from fallax.detection.systems.base import RememberingScorer, SentenceDetector
from fallax.detection.systems.decoding import Decoding
from fallax.detection.systems.encoder import load_encoder
from fallax.detection.training.examples import SentenceExample
from fallax.detection.training.loop import Network, logits_of
from fallax.encoders import CARD
from fallax.encoders.training.base import Base
from fallax.encoders.training.export import hashes_of, write_model
from fallax.errors import InputError

__all__ = ["Scorer", "calibrate", "choose_threshold", "sigmoid", "write_card", "write_folder"]

_Floats = npt.NDArray[np.float64]
#: The thresholds that are tried.
THRESHOLDS = tuple(step / 50 for step in range(5, 49))
#: What a threshold is judged by: higher is better.
Scorer = Callable[[SentenceDetector], float]


def sigmoid(x: _Floats) -> _Floats:
    """The logistic function; beyond 40 it stays, so that nothing overflows."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -40, 40))))


def _log_softmax(x: _Floats) -> _Floats:
    x = x - x.max(axis=1, keepdims=True)
    return np.asarray(x - np.log(np.exp(x).sum(axis=1, keepdims=True)))


def calibrate(
    network: Network, base: Base, examples: Sequence[SentenceExample]
) -> tuple[float, float, float, dict[str, Any]]:
    """Fit slope and offset of "any fallacy" and the temperature of labels on held-out texts.

    Returns
    -------
    (float, float, float, dict)
        Logits of "any fallacy" are multiplied by the first and moved by the second, those of labels multiplied by the
        third; (1, 0, 1) without examples. The dict says how well calibrated and how good that is on these texts.
    """
    if not examples:
        return 1.0, 0.0, 1.0, {}
    logits = logits_of(network, base.tokenizer, examples)
    anything = np.concatenate([x[:, 0] for x in logits])
    which = np.concatenate([x[:, 1:] for x in logits])
    flagged = np.concatenate([e.flagged for e in examples])
    weights = np.concatenate([e.weights for e in examples])
    candidates = [c for e in examples for c in e.candidates]

    def loss(parameters: _Floats) -> float:
        p = np.clip(sigmoid(parameters[0] * anything + parameters[1]), 1e-9, 1 - 1e-9)
        return float(-(weights * (flagged * np.log(p) + (1 - flagged) * np.log(1 - p))).sum() / weights.sum())

    slope, offset = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    known = [i for i, c in enumerate(candidates) if c]

    def label_loss(scale: float) -> float:
        likely = _log_softmax(which[known] * scale)
        right = [np.log(np.exp(row[list(candidates[i])]).sum()) for i, row in zip(known, likely, strict=True)]
        return -float(np.sum(right))

    scale = float(minimize_scalar(label_loss, bounds=(0.2, 3.0), method="bounded").x) if known else 1.0
    p = sigmoid(slope * anything + offset)
    bins = np.clip((p * 10).astype(int), 0, 9)
    report = {
        "texts": len(examples),
        "sentences": len(p),
        "label_right_of_fallacious_sentences": round(
            float(np.mean([which[i].argmax() in candidates[i] for i in known])) if known else 0.0, 4
        ),
        "calibration_of_being_flagged": [
            {
                "predicted": round(float(p[bins == b].mean()), 3),
                "observed": round(float(flagged[bins == b].mean()), 3),
                "n": int((bins == b).sum()),
            }
            for b in range(10)
            if (bins == b).any()
        ],
    }
    return float(slope), float(offset), scale, report


def write_folder(
    network: Network,
    base: Base,
    folder: Path,
    *,
    about: Mapping[str, Any],
    decoding: Decoding,
    calibration: tuple[float, float, float] = (1.0, 0.0, 1.0),
) -> None:
    """Write a folder for :func:`fallax.detection.systems.encoder.load_encoder`.

    Parameters
    ----------
    about : the card; name, version, taxonomy and labels at least.
    calibration : slope and offset of "any fallacy", scale of the labels.
    """
    slope, offset, scale = calibration
    weight = network.head.weight.detach().numpy().T.astype(np.float64)
    bias = network.head.bias.detach().numpy().astype(np.float64)
    by = np.array([slope] + [scale] * (len(bias) - 1))
    weight, bias = weight * by, bias * by
    bias[0] += offset
    write_model(network.bert, {"weight": weight, "bias": bias}, base.tokenizer_json, folder)
    write_card(folder, about, decoding)


def write_card(folder: Path, about: Mapping[str, Any], decoding: Decoding) -> None:
    """Write the card, with the hashes of the files."""
    card = {**about, "decoding": decoding.to_dict(), "files": hashes_of(folder)}
    (folder / CARD).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    load_encoder.cache_clear()


def choose_threshold(
    folder: Path, judged: Scorer, *, thresholds: Sequence[float] = THRESHOLDS, alone: Sequence[float] = (0.0,)
) -> tuple[float, float]:
    """Choose the threshold with the best score and write it into the card of a folder.

    Parameters
    ----------
    alone : what to try as threshold of texts of one sentence, see :class:`~fallax.detection.systems.decoding.Decoding`.

    Returns
    -------
    (float, float)
        The threshold and its score; of equally good ones the highest.

    Raises
    ------
    InputError
        If there is no threshold to choose from.
    """
    if not thresholds or not alone:
        raise InputError("thresholds: must hold at least one, got none")
    load_encoder.cache_clear()
    detector = load_encoder(str(folder))
    detector = replace(detector, scorer=RememberingScorer(detector.scorer))
    tried = [replace(detector.decoding, threshold=t, threshold_alone=a) for t in thresholds for a in alone]
    score, threshold, single = max(
        (judged(replace(detector, decoding=d)), d.threshold, d.threshold_alone) for d in tried
    )
    about = {k: v for k, v in detector.about.items() if k not in ("decoding", "files")}
    write_card(folder, about, replace(detector.decoding, threshold=threshold, threshold_alone=single))
    return threshold, score
