"""Train the default detector: python scripts/train_encoder_taught.py BASE [--threads N]

BASE is a folder with config.json, model.safetensors and tokenizer.json of all-MiniLM-L6-v2. An encoder of that size
learns from what the larger detector says of the texts that trained it, and from their labels. It is read beside the
small detector, and the label is what both say. The larger detector must be on this machine (fallax models fetch
encoder-large): its own logits are learnt, without those of the small one that it reads beside.

What the larger detector says is kept in the folder for checkpoints, chunk by chunk; training is resumed at the batch
where it stopped. Threshold and confidences are chosen as those of the small detector.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from train_encoder import DECODING, ROOT, SMALL, card_of, draws_of, measure, parser_of, read_options, shown_each

from fallax.core.taxonomies import load_taxonomy
from fallax.detection.systems.encoder import EncoderScorer, load_large_encoder, load_small_encoder
from fallax.detection.training.beside import joined_heads, own_heads
from fallax.detection.training.examples import SentenceExample
from fallax.detection.training.finish import write_card
from fallax.detection.training.stream import StreamSettings, fit_stream
from fallax.detection.training.taught import Taught
from fallax.encoders import FILES
from fallax.encoders.training.base import load_base
from fallax.encoders.training.export import write_model

SHIPPED = ROOT / "src" / "fallax" / "detection" / "weights" / "encoder"
VERSION = "16"
#: How much the taught encoder counts for the label; the small one counts the rest. "Any fallacy" is what the small one
#: says, so that what is flagged stays the same.
SHARE = 0.65
SETTINGS = StreamSettings(
    seed=31, tokens=5_500_000, learning_rate=2.5e-4, cooldown=0.5, dropout=0.05, heads=32.0, taught=0.8, chunks=22
)
#: What the card says of MAFALDA's development texts.
NOTE = (
    "These texts chose nothing of the taught encoder. The small one that it is read beside began as a version whose"
    " thresholds they chose. Results on them had been seen of three ways to count both when false alarms elsewhere"
    " chose the one that ships."
)


def teacher() -> Callable[[SentenceExample], npt.NDArray[np.float64]]:
    """The logits of the larger detector's own encoder."""
    large = load_large_encoder()
    scorer: Any = large.scorer
    model = scorer.model.second
    with np.load(SMALL / FILES[1]) as small:
        heads = own_heads(model.heads, small, float(large.about["share"]))
    own = EncoderScorer(scorer.labels, model, heads["weight"], heads["bias"])
    return lambda text: own.logits(text.sentences, title=text.title)


def shares(n_labels: int) -> npt.NDArray[np.float64]:
    """How much the taught encoder counts for "any fallacy" and for each label."""
    return np.array([0.0, *[SHARE] * n_labels])


def main() -> None:
    parser = parser_of(__doc__, SETTINGS, "detector-training-taught")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    args, settings, found = read_options(parser, SETTINGS)
    if not args.card_only:
        base = load_base(args.base)
        network = fit_stream(
            base, draws_of(found), n_labels=len(load_taxonomy("mafalda").names), settings=settings, folder=args.work,
            taught=Taught(teacher(), args.work), progress=shown_each(100_000, settings),
        )  # fmt: skip
        small = load_small_encoder()
        about = card_of(base, found, settings, "all-MiniLM-L6-v2")
        about |= {
            "name": "encoder", "version": VERSION, "beside": small.name, "share_of_labels": SHARE,
            "taught_by": load_large_encoder().name,
        }  # fmt: skip
        with np.load(SMALL / FILES[1]) as heads:
            joined = joined_heads(heads, network, shares(network.head.out_features - 1))
        write_model(network.bert, joined, base.tokenizer_json, args.out)
        write_card(args.out, about, DECODING)
    measure(args.out, found, version=VERSION, note=NOTE)


if __name__ == "__main__":
    main()
