"""Train an entailment model: python scripts/train_entailment.py BASE [--model NAME] [--work FOLDER] [--out FOLDER]

BASE is a folder with config.json, model.safetensors and tokenizer.json: of all-MiniLM-L6-v2, or of all-mpnet-base-v2
with --model entailment-large. Sets are read from FALLAX_DATA, the corpora written for this project from data/. The
stages are those of entailment_stages.py; each is resumed where it was interrupted. Then the calibration, on passages
and documents that were held out. Same seed, same machine, same number of threads: same bytes.

--limit N tries the whole of it within minutes: all stages on N examples each, the files, the calibration on N
statements of each source. It needs --out, and its weights are good for nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from entailment_stages import PASSAGES, PROSE, RECIPES, SCENES, SMALL, Recipe

from fallax.data.datasets import data_root
from fallax.encoders import CARD
from fallax.encoders.training.base import Base, load_base
from fallax.entailment.training.documents import HELD_OUT_DOMAIN, Trimmer
from fallax.entailment.training.finish import write_card, write_entailment
from fallax.entailment.training.loop import EntailmentNetwork, fit_stage
from fallax.entailment.training.pairs import encode

ROOT = Path(__file__).parents[1]
#: Where the weights of each model ship.
SHIPPED = {
    "entailment": ROOT / "src" / "fallax" / "entailment" / "weights",
    "entailment-large": ROOT / "packages" / "large" / "src" / "fallax_large" / "weights",
}


def mean_of(
    network: EntailmentNetwork, ends: Sequence[dict[str, torch.Tensor]], weights: Mapping[int, float]
) -> dict[str, torch.Tensor]:
    """The weighted mean of the ends of some stages, counted from 0.

    What was not trained stays as it is to the last bit, so that the words are still those that all encoders share.
    """
    total = sum(weights.values())
    trained = [k for k, v in network.named_parameters() if v.requires_grad]
    means = {k: sum(ends[i][k] * (w / total) for i, w in weights.items()) for k in trained}
    return {**ends[-1], **means}  # type: ignore[dict-item]


def train(recipe: Recipe, base: Base, work: Path, limit: int | None) -> tuple[EntailmentNetwork, list[dict[str, Any]]]:
    """All stages, on so many examples each at most, and what each was trained on."""
    root = data_root(None)
    trim = Trimmer(base.tokenizer)
    torch.manual_seed(7)
    network = EntailmentNetwork(base)
    ends: list[dict[str, torch.Tensor]] = []
    report = []
    for stage, most, build in recipe.stages:
        noted = build(root, trim)
        if limit is not None:
            noted = random.Random(stage.seed).sample(noted, min(limit, len(noted)))
        examples = [trim.cut(e) for e in noted]
        print(f"{stage.name}: {len(examples)} examples", flush=True)
        report.append(
            {"stage": stage.name, "settings": asdict(stage), "examples": dict(Counter(e.source for e in examples))}
        )

        def progress(done: int, n: int, said: str, name: str = stage.name) -> None:
            print(f"{name} {done}/{n} {said}", flush=True)

        if stage.name in recipe.starts:
            network.load_state_dict(mean_of(network, ends, recipe.starts[stage.name]))
        ends.append(fit_stage(network, encode(base.tokenizer, examples, most=most), stage, work, progress=progress))
    network.load_state_dict(mean_of(network, ends, recipe.ships or {len(ends) - 1: 1.0}))
    return network.eval(), report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("--model", choices=RECIPES, default=SMALL.name)
    parser.add_argument("--work", type=Path, default=Path("build/entailment"), help="for checkpoints")
    parser.add_argument("--out", type=Path, help="where the files go; default: where the model ships")
    parser.add_argument("--threads", type=int, default=1, help="processor threads; other numbers give other bytes")
    parser.add_argument("--calibrate-only", action="store_true", help="calibrate and write the card again")
    parser.add_argument("--limit", type=int, metavar="N", help="try it: examples of each stage; needs --out")
    args = parser.parse_args()
    recipe: Recipe = RECIPES[args.model]
    out: Path = args.out or SHIPPED[recipe.name]
    if args.threads < 1:
        parser.error(f"--threads must be at least 1, got {args.threads}")
    if args.limit is not None:
        if args.limit < 1 or args.calibrate_only:
            parser.error(f"--limit must be at least 1 and come without --calibrate-only, got {args.limit}")
        if out.resolve() == SHIPPED[recipe.name].resolve():
            parser.error("--limit needs --out with another folder than that of the weights that ship")
    torch.set_num_threads(args.threads)
    os.environ.setdefault("OMP_NUM_THREADS", str(args.threads))
    if args.calibrate_only:
        about = json.loads((out / CARD).read_text(encoding="utf-8"))
    else:
        base = load_base(args.base)
        if args.limit is None:
            network, report = train(recipe, base, args.work / recipe.name, None)
        else:
            with tempfile.TemporaryDirectory() as work:
                network, report = train(recipe, base, Path(work), args.limit)
        about = {
            "name": recipe.name if args.limit is None else f"{recipe.name}-trial",
            "version": recipe.version,
            "base": {"name": recipe.base, "licence": "Apache-2.0", "sha256": base.sha256},
            "licence": "Apache-2.0; see the licences of what it was trained on in docs/judge.md",
            "trained_on": report,
            "never_seen": [f"summedits/{HELD_OUT_DOMAIN}", "madisse_tofueval_meetingbank", "frank"],
            "weak_at": recipe.weak_at,
        }
        write_entailment(network, base, out, about=about)
    from fallax.causality.training import calibrate_causality
    from fallax.faithfulness.training import calibrate_faithfulness

    about["calibration"] = {
        "faithfulness": calibrate_faithfulness(out, PASSAGES, PROSE, data_root(None), most=args.limit),
        "causality": calibrate_causality(out, SCENES, most=args.limit),
    }
    write_card(out, about)
    print(json.dumps(about["calibration"], indent=2))


if __name__ == "__main__":
    main()
