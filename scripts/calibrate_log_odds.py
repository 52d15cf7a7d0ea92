"""Fit the calibration of a model's log-odds on labelled summaries, and write it where the package finds it.

    python scripts/calibrate_log_odds.py --model local/qwen2.5-coder-1.5b --set summedits --n 60

Only sets that may be trained on are taken. Answers are kept in the cache (--cache).
"""

import argparse
import asyncio
import json
import random
import sys
from pathlib import Path

from fallax.core.types import FaithfulnessRecord
from fallax.data import FAITHFULNESS_SETS, load_faithfulness
from fallax.faithfulness.systems.odds import Calibration, LogOddsJudge, fit_calibration
from fallax.models import Cache, load_model

HERE = Path(__file__).parents[1] / "src" / "fallax" / "faithfulness" / "calibrations"


def chosen(names: list[str], n: int, most_characters: int, seed: int) -> list[FaithfulnessRecord]:
    """As many of each label and of each set, drawn with the seed, of short documents."""
    found = []
    for name in names:
        info = FAITHFULNESS_SETS[name]
        if info.may_train != "shipped":
            raise SystemExit(f"{name} must not be fitted on: {info.licence}")
        short = [r for r in load_faithfulness(name, split="all") if len(r.document) <= most_characters]
        draw = random.Random(f"{seed}|{name}")
        for label in ("faithful", "unfaithful"):
            found += draw.sample([r for r in short if r.label == label], n // (2 * len(names)))
    return found


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--set", dest="sets", action="append", required=True)
    parser.add_argument("--n", type=int, default=60)
    parser.add_argument("--most-characters", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache", default="calibration.sqlite")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    records = chosen(given.sets, given.n, given.most_characters, given.seed)
    with Cache(given.cache) as cache:
        judge = LogOddsJudge(load_model(given.model, cache=cache), calibration=Calibration())
        odds, labels = [], []
        for i, record in enumerate(records, start=1):
            value, _ = await judge.odds(record.document, record.summary)
            if value is not None and record.label is not None:
                odds.append(value)
                labels.append(record.label)
            print(f"\r{i} of {len(records)}", end="", file=sys.stderr)
    fitted = fit_calibration(odds, labels, model=given.model, examples="+".join(given.sets))
    out = given.out or HERE / f"{given.model.replace('/', '--')}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(fitted.to_dict(), indent=2) + "\n", encoding="utf-8")
    pairs = [(a, b) for a, la in zip(odds, labels, strict=True) for b, lb in zip(odds, labels, strict=True) if la > lb]
    auc = sum((b > a) + 0.5 * (a == b) for a, b in pairs) / len(pairs)
    print(f"\n{out}: scale {fitted.scale:.3f}, offset {fitted.offset:.3f}, {fitted.n} examples, AUC on them {auc:.3f}")


if __name__ == "__main__":
    asyncio.run(main())
