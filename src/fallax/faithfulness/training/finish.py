"""From a trained network to a judge's folder: quantisation, evidence, card."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.encoders import CARD
from fallax.encoders.training.base import Base
from fallax.encoders.training.export import hashes_of, write_model
from fallax.faithfulness.systems.local import EncoderJudge, Factors, load_encoder_judge
from fallax.faithfulness.training.examples import Example
from fallax.faithfulness.training.loop import JudgeNetwork

__all__ = ["evidence_on", "write_card", "write_judge"]

_Floats = npt.NDArray[np.float64]


def evidence_on(judge: EncoderJudge, examples: Sequence[Example]) -> _Floats:
    """What the judge finds for each example, see :meth:`EncoderJudge.evidence`; shape (n, 3)."""
    sentences = [_text(e.words) for e in examples]
    by_document: dict[tuple[str, ...], list[int]] = {}
    for i, example in enumerate(examples):
        by_document.setdefault(example.document, []).append(i)
    found = np.zeros((len(examples), 3))
    for document, numbers in by_document.items():
        found[numbers] = judge.evidence("\n".join(document), [sentences[i] for i in numbers])
    return found


def _text(words: Sequence[str]) -> str:
    return " ".join(words)


def write_judge(
    network: JudgeNetwork,
    base: Base,
    folder: Path,
    *,
    about: Mapping[str, Any],
    calibration: Factors,
) -> None:
    """Write what :func:`fallax.faithfulness.systems.local.load_encoder_judge` reads.

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


def write_card(folder: Path, about: Mapping[str, Any], calibration: Factors) -> None:
    """Write the card, with the hashes of the files that are there."""
    named = {name: round(x, 6) for name, x in asdict(calibration).items()}
    card = {**about, "calibration": named, "files": hashes_of(folder)}
    (folder / CARD).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    load_encoder_judge.cache_clear()
