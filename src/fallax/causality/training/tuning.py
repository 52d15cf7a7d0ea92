"""Fine-tunes an encoder on claims beside their evidence; needs torch."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fallax.core.types.causal import CausalClaim
from fallax.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from fallax.causality.training.train import FineTuning

__all__ = ["CHECKPOINTS", "fine_tune"]

#: Where an interrupted training resumes from, in the folder of the verifier.
CHECKPOINTS = "checkpoints"
_LABELS = {"supports": "entailed", "refutes": "contradicted", "nei": "neither"}
_MOST_TOKENS = 240


def fine_tune(
    rows: Sequence[tuple[tuple[str, ...], CausalClaim]], folder: Path, out: Path, tuning: FineTuning, *, seed: int,
    name: str, progress: Callable[[int, int, str], None] | None = None,
) -> None:  # fmt: skip
    """Fine-tune the base on (passage, claim) rows and write it as an entailment model's folder.

    Parameters
    ----------
    rows : the claims have verdicts.
    folder : of the model.
    out : ``checkpoints`` in it holds the state; the same call resumes there. Other rows or settings begin anew.

    Raises
    ------
    MissingExtraError
        If torch, onnx or safetensors are not installed.
    FormatError
        If the base is no BERT encoder.
    """
    try:
        import onnx  # noqa: F401
        import safetensors  # noqa: F401
        import torch
    except ImportError as error:
        raise MissingExtraError("fine-tuning (torch, safetensors, onnx)", extra="train") from error
    from fallax.encoders.training.base import load_base
    from fallax.entailment.training.finish import write_entailment
    from fallax.entailment.training.loop import EntailmentNetwork, Stage, fit_stage
    from fallax.entailment.training.pairs import Example, encode

    torch.set_num_threads(tuning.threads)
    torch.manual_seed(seed)
    base = load_base(tuning.base)
    examples = [
        Example(passage, claim.claim, _LABELS[claim.label], "claims")  # type: ignore[arg-type]
        for passage, claim in rows
        if claim.label is not None
    ]
    if not examples:
        raise InputError("--on: must hold claims with verdicts to fine-tune on, got none")
    data = encode(base.tokenizer, examples * tuning.epochs, most=_MOST_TOKENS)
    said = repr((base.sha256, tuning.learning_rate, tuning.epochs, seed, tuning.threads)).encode()
    key = hashlib.sha256(said + data.ids.tobytes() + data.labels.tobytes()).hexdigest()[:12]
    stage = Stage(f"tuning-{key}", seed=seed, rate=tuning.learning_rate, last=0.05, warm_up=20)
    network = EntailmentNetwork(base)
    mean = fit_stage(
        network, data, stage, out / CHECKPOINTS, save_every=tuning.save_every, progress=progress
    )  # fmt: skip
    network.load_state_dict(mean)
    write_entailment(network.eval(), base, folder, about={"name": name, "version": "1"})
