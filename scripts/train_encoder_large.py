"""Train the larger detector: python scripts/train_encoder_large.py BASE [--further] [--threads N]

BASE is a folder with config.json, model.safetensors and tokenizer.json of all-mpnet-base-v2. Small matrices are trained
beside its own, on what the detector that ships is trained on, and both are read together: the logits are a weighted
mean. What training added goes into the folder that ships, the finished model into the folder for checkpoints.
--further goes on from what ships; the finished model must be on this machine (fallax models fetch encoder-large).

Training is resumed at the batch where it stopped. Threshold and confidences are chosen as those of the detector that
ships. With glibc, GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=8000000000:\
glibc.malloc.trim_threshold=16000000000 makes batches quicker: memory is kept from one to the next.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from train_encoder import DECODING, SMALL, card_of, draws_of, measure, parser_of, read_options, shown_each

from fallax.core.taxonomies import load_taxonomy
from fallax.detection.systems.encoder import load_small_encoder
from fallax.detection.training.beside import joined_heads, own_heads, put_heads
from fallax.detection.training.finish import write_card
from fallax.detection.training.loop import Network
from fallax.detection.training.stream import StreamSettings, fit_stream
from fallax.encoders import CARD, FILES
from fallax.encoders.added import ADDED
from fallax.encoders.training.adapters import merged_state, pack, reopen
from fallax.encoders.training.base import Base, load_base
from fallax.encoders.training.export import write_model
from fallax.models.larger import ENCODER_LARGE

ROOT = Path(__file__).parents[1]
#: Where what training added ships.
ADDED_TO = ROOT / "src" / "fallax" / "detection" / "large"
VERSION = "1"
RANK = 16
#: How much the larger model counts; the one that ships counts the rest. Of .35, .5 and .65 the one that ranked and
#: named best on CoCoLoFa, LOGIC, LFUD and marked parts held out.
SHARE = 0.65
SETTINGS = StreamSettings(
    seed=21, tokens=2_500_000, budget=2048, learning_rate=5e-4, cooldown=0.5, dropout=0.0, rank=RANK, heads=20.0,
    float32=True,
)  # fmt: skip

#: What the card says of MAFALDA's development texts.
NOTE = (
    "These texts chose nothing of the larger model's weights. The detector that it reads beside began as a version"
    " whose thresholds they chose, and a result on them had been seen when the rule for the threshold was kept."
)


def reopened(base: Base, n_labels: int) -> Callable[[Network], None]:
    """Puts what ships into a network, to go on from there."""

    def start(network: Network) -> None:
        place = ENCODER_LARGE.folder()
        reopen(network.bert, ADDED_TO / ADDED, place / FILES[0], base)
        share = float(json.loads((place / CARD).read_text(encoding="utf-8"))["share"])
        with np.load(SMALL / FILES[1]) as small, np.load(place / FILES[1]) as both:
            put_heads(network, own_heads(both, small, share))

    return start


def finish(network: Network, base: Base, folder: Path, about: dict[str, Any]) -> None:
    """Write the finished model, and what training added to its base."""
    plain = Network(base, network.head.out_features - 1, 0.0)
    plain.bert.load_state_dict(merged_state(network.bert))
    plain.eval()
    with np.load(SMALL / FILES[1]) as small:
        heads = joined_heads(small, network, SHARE)
    write_model(plain.bert, heads, base.tokenizer_json, folder)
    write_card(folder, about, DECODING)
    pack(network.bert, folder / FILES[0], ADDED_TO)


def main() -> None:
    parser = parser_of(__doc__, SETTINGS, "detector-training-large")
    parser.add_argument("--further", action="store_true", help="go on from what ships")
    args, settings, found = read_options(parser, SETTINGS)
    out: Path = args.work / "finished"
    n_labels = len(load_taxonomy("mafalda").names)
    if not args.card_only:
        base = load_base(args.base)
        start = reopened(base, n_labels) if args.further else None
        network = fit_stream(
            base, draws_of(found), n_labels=n_labels, settings=settings, folder=args.work, start=start,
            progress=shown_each(50_000, settings),
        )  # fmt: skip
        about = card_of(base, found, settings, "all-mpnet-base-v2")
        about |= {
            "name": ENCODER_LARGE.name,
            "version": VERSION,
            "base": {"name": "all-mpnet-base-v2", "licence": "Apache-2.0", "sha256": base.sha256},
            "beside": load_small_encoder().name,
            "share": SHARE,
        }
        finish(network, base, out, about)
    measure(out, found, version=VERSION, note=NOTE)
    for name in (FILES[1], CARD):
        shutil.copyfile(out / name, ADDED_TO / name)


if __name__ == "__main__":
    main()
