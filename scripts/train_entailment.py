"""Train an entailment model: python scripts/train_entailment.py BASE [--model NAME] [--work FOLDER] [--out FOLDER]

BASE is a folder with config.json, model.safetensors and tokenizer.json: of all-MiniLM-L6-v2, or of all-mpnet-base-v2
with --model entailment-large. With --model entailment-causes training goes on from the model that ships. Sets are read
from FALLAX_DATA, the corpora written for this project from data/. The stages are those of entailment_stages.py; each is
resumed where it was interrupted. Then the calibration, on passages and documents that were held out. Same seed, same
machine, same number of threads: same bytes.

--further goes on from the weights in a folder (--start; for version 6 those of version 5), as their 8-bit file says,
with the stages named for that; --back says how far the mean goes back towards them.

Of the larger model, and of the one for claims about causes, small matrices are trained beside those it began with,
which stay as they are. The finished model is written into the folder for checkpoints, and what training added into the
folder that ships.

--limit N tries the whole of it within minutes: all stages on N examples each, the files, the calibration on N
statements of each source. It needs --out, and its weights are good for nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from entailment_stages import CLAIMS, PASSAGES, PROSE, RECIPES, REPORTS, SCENES, SMALL, Recipe

from fallax.core.download import file_sha256
from fallax.data.datasets import data_root
from fallax.encoders import CARD, FILES
from fallax.encoders.added import ADDED, GRAPH
from fallax.encoders.training.adapters import adapt, pack
from fallax.encoders.training.base import Base, load_base
from fallax.entailment import load_causes, load_entailment, load_for_claims
from fallax.entailment.training.documents import HELD_OUT_DOMAIN, Trimmer
from fallax.entailment.training.finish import read_adapted, read_causes, read_entailment, write_card, write_entailment
from fallax.entailment.training.loop import EntailmentNetwork, Stage, fit_stage
from fallax.entailment.training.pairs import Batchable, Example, encode
from fallax.models.larger import ENTAILMENT_LARGE

ROOT = Path(__file__).parents[1]
#: Where the weights of each model ship.
SHIPPED = {
    "entailment": ROOT / "src" / "fallax" / "entailment" / "weights",
    "entailment-large": ROOT / "src" / "fallax" / "entailment" / "large",
    "entailment-causes": ROOT / "src" / "fallax" / "entailment" / "causes",
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


def examples_of(
    stage: Stage, most: int, build: Callable[[Path, Trimmer], list[Example]], base: Base, trim: Trimmer,
    limit: int | None,
) -> tuple[Batchable, dict[str, Any]]:  # fmt: skip
    """What a stage is trained on, at most so many examples, and what the card says of it."""
    noted = build(data_root(None), trim)
    if limit is not None:
        noted = random.Random(stage.seed).sample(noted, min(limit, len(noted)))
    examples = [trim.cut(e) for e in noted]
    print(f"{stage.name}: {len(examples)} examples", flush=True)
    said = {"stage": stage.name, "settings": asdict(stage), "examples": dict(Counter(e.source for e in examples))}
    return encode(base.tokenizer, examples, most=most), said


def printed(name: str) -> Callable[[int, int, str], None]:
    """Prints the progress of a stage."""
    return lambda done, n, said: print(f"{name} {done}/{n} {said}", flush=True)


def train(recipe: Recipe, base: Base, work: Path, limit: int | None) -> tuple[EntailmentNetwork, list[dict[str, Any]]]:
    """All stages, on so many examples each at most, and what each was trained on."""
    trim = Trimmer(base.tokenizer)
    torch.manual_seed(7)
    if recipe.causes:
        network = read_entailment(SHIPPED[SMALL.name], base)
        adapt(network.bert, recipe.rank)
    else:
        network = EntailmentNetwork(base, recipe.rank)
    ends: list[dict[str, torch.Tensor]] = []
    report = []
    for stage, most, build in recipe.stages:
        data, said = examples_of(stage, most, build, base, trim, limit)
        report.append(said)
        if stage.name in recipe.starts:
            network.load_state_dict(mean_of(network, ends, recipe.starts[stage.name]))
        ends.append(fit_stage(network, data, stage, work, progress=printed(stage.name)))
    network.load_state_dict(mean_of(network, ends, recipe.ships or {len(ends) - 1: 1.0}))
    return network.eval(), report


def train_further(
    recipe: Recipe, base: Base, work: Path, limit: int | None, *, start: Path, back: float
) -> tuple[EntailmentNetwork, list[dict[str, Any]]]:
    """The stages that go on from the weights in a folder, and the mean of their end with these weights.

    Of a model with adapters these come from the folder, and all else from the finished model that was fetched.
    """
    if recipe.causes:
        network = read_causes(SHIPPED[SMALL.name], base, recipe.rank)
    elif recipe.rank:
        network = read_adapted(start / ADDED, ENTAILMENT_LARGE.folder(), base, recipe.rank)
    else:
        network = read_entailment(start, base)
    before = {k: v.clone() for k, v in network.state_dict().items()}
    trim = Trimmer(base.tokenizer)
    end = before
    report = []
    for stage, most, build in recipe.further:
        data, said = examples_of(stage, most, build, base, trim, limit)
        report.append(said)
        end = fit_stage(network, data, stage, work, progress=printed(stage.name))
    network.load_state_dict(mean_of(network, [before, end], {0: back, 1: 1.0 - back}))
    return network.eval(), report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("--model", choices=RECIPES, default=SMALL.name)
    parser.add_argument("--work", type=Path, default=Path("build/entailment"), help="for checkpoints")
    parser.add_argument("--out", type=Path, help="where the files go; default: where the model ships")
    parser.add_argument("--threads", type=int, default=1, help="processor threads; other numbers give other bytes")
    parser.add_argument("--calibrate-only", action="store_true", help="calibrate and write the card again")
    parser.add_argument("--further", action="store_true", help="go on from the weights of --start")
    parser.add_argument("--start", type=Path, help="folder of these weights; default: where the model ships")
    parser.add_argument("--back", type=float, metavar="SHARE", help="of the weights of --start [0.5; adapters: 0]")
    parser.add_argument("--limit", type=int, metavar="N", help="try it: examples of each stage; needs --out")
    args = parser.parse_args()
    recipe: Recipe = RECIPES[args.model]
    shipped = SHIPPED[recipe.name]
    out: Path = args.out or (args.work / recipe.name / "finished" if recipe.rank else shipped)
    if args.threads < 1:
        parser.error(f"--threads must be at least 1, got {args.threads}")
    if args.further and args.calibrate_only:
        parser.error("--further trains, --calibrate-only does not; give one of them")
    if args.further and not recipe.further:
        parser.error(f"--further: {recipe.name} has no stages that go on from weights")
    if recipe.rank and args.start:
        parser.error(f"--start: {recipe.name} goes on from what ships; omit it")
    if args.back is None:
        args.back = 0.0 if recipe.rank else 0.5
    if not 0.0 <= args.back <= 1.0:
        parser.error(f"--back must be in [0, 1], got {args.back}")
    if args.limit is not None:
        if args.limit < 1 or args.calibrate_only:
            parser.error(f"--limit must be at least 1 and come without --calibrate-only, got {args.limit}")
        if args.out is None or out.resolve() == shipped.resolve():
            parser.error("--limit needs --out with another folder than that of the weights that ship")
    torch.set_num_threads(args.threads)
    os.environ.setdefault("OMP_NUM_THREADS", str(args.threads))
    if args.calibrate_only:
        about = json.loads((out / CARD).read_text(encoding="utf-8"))
    else:
        base = load_base(args.base)
        with tempfile.TemporaryDirectory() as trial:
            work = args.work / recipe.name if args.limit is None else Path(trial)
            version, started = recipe.version, {}
            if args.further:
                start = args.start or shipped
                earlier = json.loads((start / CARD).read_text(encoding="utf-8"))
                network, report = train_further(recipe, base, work, args.limit, start=start, back=args.back)
                # it has learnt from what its start was trained on, too
                report = [*earlier["trained_on"], *report]
                version = int(earlier["version"]) + 1
                started = {"started_from": f"{earlier['name']}@{earlier['version']}", "share_of_start": args.back}
            else:
                network, report = train(recipe, base, work, args.limit)
        about = {
            "name": recipe.name if args.limit is None else f"{recipe.name}-trial",
            "version": version,
            **started,
            "base": {"name": recipe.base, "licence": "Apache-2.0", "sha256": base.sha256},
            "licence": "Apache-2.0; see the licences of what it was trained on in docs/judge.md",
            "trained_on": report,
            "never_seen": [f"summedits/{HELD_OUT_DOMAIN}", "madisse_tofueval_meetingbank", "frank"],
            "weak_at": recipe.weak_at,
        }
        before = None
        if recipe.causes:
            before = SHIPPED[SMALL.name] / FILES[0]
            about["base"] = {"name": load_entailment().name, "sha256": file_sha256(before)}
        elif recipe.rank:  # it is read, and calibrated, together with the model that ships
            about |= {"beside": load_entailment().name, "beside_of_claims": load_causes().name, "share": recipe.share}
        write_entailment(network.merged(base) if recipe.rank else network, base, out, about=about)
        if recipe.rank:
            pack(network.bert, out / FILES[0], shipped if args.out is None else out / "added", before=before)
    from fallax.causality.training import calibrate_causality
    from fallax.faithfulness.training import calibrate_faithfulness

    most = recipe.calibrated_on if args.limit is None else args.limit
    about["calibration"] = {
        "causality": calibrate_causality(load_for_claims(str(out)), SCENES, REPORTS, CLAIMS, most=most)
    }
    if not recipe.causes:
        about["calibration"]["faithfulness"] = calibrate_faithfulness(out, PASSAGES, PROSE, data_root(None), most=most)
    write_card(out, about)
    if recipe.rank and args.out is None:
        shutil.copyfile(out / FILES[1], shipped / FILES[1])
        card = json.loads((out / CARD).read_text(encoding="utf-8"))
        if recipe.causes:  # what it is made of is checked where it is read
            card["files"] |= {name: file_sha256(shipped / name) for name in (ADDED, GRAPH)}
        (shipped / CARD).write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(about["calibration"], indent=2))


if __name__ == "__main__":
    main()
