"""Verdicts that change where nothing that matters does: python benchmarks/entailment_robustness.py

Statements of the contrast suite beside their passages, and causal claims beside their evidence, are judged once as
they stand and once after each change: upper case, lower case, other quotes and dashes, other spaces, and other
sentences of another passage around them in another order. Printed is the share of verdicts that differ, with
"cannot tell" as a verdict and without abstaining. Intervals resample passages.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
from collections.abc import Callable, Sequence
from importlib import resources

import numpy as np

from fallax.causality.systems import load_entailment_verifier
from fallax.causality.systems.entailed import large_verifier
from fallax.core.types import CausalClaim, Evidence
from fallax.faithfulness.benchmarks.contrast import contrast_records
from fallax.faithfulness.systems import load_local_judge

LARGE = "entailment-large"
#: How many unrelated sentences stand around a text.
FILLERS = 4
Change = Callable[[str], str]
#: Group, statement, pieces of the text, unrelated pieces.
Item = tuple[str, str, list[str], list[str]]


def curled(text: str) -> str:
    """Typographic quotes, apostrophes and dashes."""
    text = re.sub(r'"([^"]*)"', "“\\1”", text).replace("'", "’")
    return text.replace(" - ", " – ").replace(" -- ", " — ")


def straight(text: str) -> str:
    """The quotes and dashes of a typewriter."""
    return text.translate(str.maketrans("“”„‘’–—", '"""\'\'--'))


def spaced(text: str) -> str:
    """Two spaces behind a sentence, a line break here and there, a no-break space before a number."""
    text = re.sub(r"(?<=[.!?]) ", "  ", text)
    text = re.sub(r" (?=\d)", "\u00a0", text)
    return re.sub(r"(\S+ \S+ \S+ \S+ \S+ \S+ \S+) ", "\\1\n", text) + " \n"


CHANGES: dict[str, Change] = {
    "upper case": str.upper,
    "lower case": str.lower,
    "curled quotes": curled,
    "straight quotes": straight,
    "spaces": spaced,
}


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+(?=[A-Z“\"])", text)


def statements(n: int, draw: random.Random) -> list[Item]:
    records = list(contrast_records())
    passages = {str(r.group): sentences(r.document) for r in records}
    chosen = draw.sample(records, min(n, len(records)))
    return [(str(r.group), r.summary, passages[str(r.group)], _fillers(passages, str(r.group), draw)) for r in chosen]


def claims(n: int, draw: random.Random) -> list[Item]:
    text = (resources.files("fallax.causality.benchmarks") / "scenes.jsonl").read_text(encoding="utf-8")
    scenes = {s["id"]: s for s in map(json.loads, text.splitlines())}
    evidence = {name: s["evidence"] for name, s in scenes.items()}
    flat = [(name, c[2]) for name, s in scenes.items() for c in s["claims"]]
    chosen = draw.sample(flat, min(n, len(flat)))
    return [(name, claim, evidence[name], _fillers(evidence, name, draw)) for name, claim in chosen]


def _fillers(texts: dict[str, list[str]], group: str, draw: random.Random) -> list[str]:
    other = draw.choice(sorted(set(texts) - {group}))
    return draw.sample(texts[other], min(FILLERS, len(texts[other])))


def around(pieces: list[str], fillers: Sequence[str]) -> list[str]:
    """Half of the fillers before, half behind."""
    half = len(fillers) // 2
    return [*fillers[:half], *pieces, *fillers[half:]]


class Judging:
    """The judge of summaries, or the verifier, as one function from text and statement to a verdict."""

    def __init__(self, kind: str, system: str, *, abstain: bool) -> None:
        self.kind = kind
        self.judge = load_local_judge(system, abstain=abstain)
        of_claims = large_verifier if system == LARGE else load_entailment_verifier
        self.verifier = of_claims(abstain=abstain)

    def __call__(self, pieces: Sequence[str], statement: str) -> str:
        if self.kind == "debate":
            return str(asyncio.run(self.judge.judge(" ".join(pieces), statement)).label)
        evidence = tuple(Evidence(f"E{i}", p) for i, p in enumerate(pieces, start=1))
        return str(asyncio.run(self.verifier.verify(CausalClaim("claim", statement, evidence))).label)


def changed(judging: Judging, items: Sequence[Item], seed: int) -> dict[str, list[bool]]:
    """For each change which verdicts it changed."""
    found: dict[str, list[bool]] = {name: [] for name in (*CHANGES, "order of the irrelevant")}
    draw = random.Random(seed)
    for _, statement, pieces, fillers in items:
        plain = judging(pieces, statement)
        for name, change in CHANGES.items():
            differs = [change(p) for p in pieces] != pieces or change(statement) != statement
            found[name].append(differs and judging([change(p) for p in pieces], change(statement)) != plain)
        among = judging(around(pieces, fillers), statement)
        other = draw.sample(fillers, len(fillers))
        found["order of the irrelevant"].append(judging(around(pieces, other), statement) != among)
    return found


def interval(groups: Sequence[str], values: Sequence[bool], seed: int) -> tuple[float, float]:
    members: dict[str, list[bool]] = {}
    for group, value in zip(groups, values, strict=True):
        members.setdefault(group, []).append(value)
    draw, names = random.Random(seed), sorted(members)
    means = [np.mean([v for g in draw.choices(names, k=len(names)) for v in members[g]]) for _ in range(300)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=150, help="statements, and claims")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--system", choices=("entailment", LARGE), default="entailment")
    args = parser.parse_args()
    for kind, drawn in (("debate", statements), ("verify", claims)):
        items = drawn(args.n, random.Random(args.seed))
        groups = [i[0] for i in items]
        for abstain in (True, False):
            found = changed(Judging(kind, args.system, abstain=abstain), items, args.seed)
            print(f"{kind}, {'with' if abstain else 'without'} cannot tell: verdicts changed of {len(items)}")
            for name, values in found.items():
                low, high = interval(groups, values, args.seed)
                print(f"  {name:24} {100 * np.mean(values):5.1f} % [{100 * low:.1f}, {100 * high:.1f}]", flush=True)
            print(f"  {'mean':24} {100 * np.mean([v for each in found.values() for v in each]):5.1f} %")


if __name__ == "__main__":
    main()
