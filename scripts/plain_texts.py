"""Ordinary texts for training, one a line, from open sets: python scripts/plain_texts.py OUT.txt [--seed 1]

Claims of WiCE (Wikipedia, CC BY-SA), documents of SummEdits (Apache-2.0), causes and effects of WikiWhy (MIT), right
pairs of e-CARE (MIT), inferences of EntailmentBank (Apache-2.0). The sets are read from FALLAX_DATA. Same seed, same
bytes.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fallax.core.texts import sentence_spans
from fallax.data import data_root


def objects(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def finished(text: str) -> str:
    text = " ".join(text.split())
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def wice(root: Path, rng: random.Random) -> Iterator[str]:
    names = ("claim_dev", "non_supported_tokens_dev", "non_supported_tokens_train")
    claims = sorted({row["claim"] for name in names for row in objects(root / "wice" / f"{name}.jsonl")})
    rng.shuffle(claims)
    while claims:
        n = rng.choice([1, 1, 2, 3])
        yield " ".join(claims[:n])
        del claims[:n]


def summedits(root: Path, rng: random.Random) -> Iterator[str]:
    for domain in ("news", "sales_call", "sales_email", "samsum", "scitldr"):
        for row in objects(root / "summedits" / f"{domain}.docs.jsonl"):
            places = sentence_spans(row["doc"])[:30]
            while places:
                n = min(rng.choice([1, 2, 3, 5, 6]), len(places))
                yield row["doc"][places[0][0] : places[n - 1][1]]
                places = places[n:]


def wikiwhy(root: Path, rng: random.Random) -> Iterator[str]:
    cause = json.loads((root / "wikiwhy" / "cause.json").read_text(encoding="utf-8"))["cause"]
    effect = json.loads((root / "wikiwhy" / "effect.json").read_text(encoding="utf-8"))["effect"]
    for key in rng.sample(sorted(cause), 1500):
        yield finished(effect[key]) + (" " + finished(cause[key]) if rng.random() < 0.5 else "")


def e_care(root: Path, rng: random.Random) -> Iterator[str]:
    for row in rng.sample(objects(root / "e_care" / "train.jsonl"), 1200):
        right = row["hypothesis1"] if row["label"] == 0 else row["hypothesis2"]
        first, second = (right, row["premise"]) if row["ask-for"] == "cause" else (row["premise"], right)
        alone = row["conceptual_explanation"] if rng.random() < 0.5 else row["premise"]
        yield finished(alone) if rng.random() < 0.5 else f"{finished(first)} {finished(second)}"


def entailment_bank(root: Path, rng: random.Random) -> Iterator[str]:
    lines = (root / "entailment_bank" / "task_1_train.tsv").read_text(encoding="utf-8").splitlines()
    for line in rng.sample(lines, 400):
        found = re.search(r"\$hypothesis\$ = (.*?) ; \$context\$ = (.*)", line.split("\t")[0])
        if found:
            facts = [x.strip() for x in re.split(r"sent\d+:", found[2]) if x.strip()]
            said = ". ".join(finished(f).rstrip(".") for f in facts[:2]) + f", so {found[1]}"
            yield finished(said if rng.random() < 0.5 else found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng, root = random.Random(args.seed), data_root()
    texts = [" ".join(t.split()) for f in (wice, summedits, wikiwhy, e_care, entailment_bank) for t in f(root, rng)]
    args.out.write_text("".join(t + "\n" for t in texts if t), encoding="utf-8")
    print(f"{len(texts)} texts")


if __name__ == "__main__":
    main()
