"""From a trained network to a judge's folder: quantisation, calibration, card."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from fallax.encoders import CARD
from fallax.encoders.training.base import Base
from fallax.encoders.training.export import hashes_of, write_model
from fallax.judges.local import EncoderJudge, load_encoder_judge
from fallax.judges.training.examples import Example
from fallax.judges.training.loop import JudgeNetwork

__all__ = ["calibrate", "evidence_on", "write_card", "write_judge"]

_Floats = npt.NDArray[np.float64]


def evidence_on(judge: EncoderJudge, examples: Sequence[Example]) -> _Floats:
    """What the judge finds for each example, see :meth:`EncoderJudge.evidence`; shape (n, 2)."""
    sentences = [_text(e.words) for e in examples]
    by_document: dict[tuple[str, ...], list[int]] = {}
    for i, example in enumerate(examples):
        by_document.setdefault(example.document, []).append(i)
    found = np.zeros((len(examples), 2))
    for document, numbers in by_document.items():
        found[numbers] = judge.evidence("\n".join(document), [sentences[i] for i in numbers])
    return found


def _text(words: Sequence[str]) -> str:
    return " ".join(words)


def calibrate(evidence: _Floats, faithful: Sequence[bool], sources: Sequence[str]) -> tuple[float, float, float]:
    """Factors and offset that make logits of "not carried", for sources and labels that all count alike.

    Parameters
    ----------
    evidence : of each sentence, shape (n, 2).
    faithful, sources : of each.
    """
    wrong = np.array([not f for f in faithful])
    weights = np.zeros(len(wrong))
    for source in sorted(set(sources)):
        here = np.array([s == source for s in sources])
        for label in (True, False):
            chosen = here & (wrong == label)
            if chosen.any():
                weights[chosen] = 1.0 / chosen.sum()

    def loss(parameters: _Floats) -> float:
        p = 1.0 / (1.0 + np.exp(-np.clip(evidence @ parameters[:2] + parameters[2], -40, 40)))
        p = np.clip(np.where(wrong, p, 1 - p), 1e-9, None)
        return float(-(weights * np.log(p)).sum() / weights.sum())

    scale, overlap, offset = minimize(loss, np.array([1.0, 0.0, 0.0]), method="Nelder-Mead").x
    return float(scale), float(overlap), float(offset)


def write_judge(
    network: JudgeNetwork,
    base: Base,
    folder: Path,
    *,
    about: Mapping[str, Any],
    calibration: tuple[float, float, float],
) -> None:
    """Write what :func:`fallax.judges.local.load_encoder_judge` reads.

    Parameters
    ----------
    about : the card; name, version, evidence_tokens and readings at least.
    calibration : see :class:`EncoderJudge`.
    """
    heads = {
        name: np.concatenate([head.weight.detach().numpy()[0], head.bias.detach().numpy()])
        for name, head in (("token", network.token_head), ("sentence", network.head))
    }
    write_model(network.bert, heads, base.tokenizer_json, folder)
    write_card(folder, about, calibration)


def write_card(folder: Path, about: Mapping[str, Any], calibration: tuple[float, float, float]) -> None:
    """Write the card, with the hashes of the files that are there."""
    named = dict(zip(("scale", "overlap", "offset"), (round(x, 6) for x in calibration), strict=True))
    card = {**about, "calibration": named, "files": hashes_of(folder)}
    (folder / CARD).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    load_encoder_judge.cache_clear()
