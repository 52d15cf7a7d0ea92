"""The verifier on claims about causes, beside simple baselines: python benchmarks/causal_sets.py

Scenes: claims held out here, three verdicts. e-CARE: of two causes (or effects) the likelier, by the probability that
the claim is supported, with the conceptual explanation as evidence. WikiWhy: is the explanation among the evidence, or
only sentences of others? ExplaGraphs: does the argument support the belief or counter it? EntailmentBank: leaves of the
chain against those of the tree, F1. Of e-CARE and WikiWhy, what training leaves aside. Intervals resample groups.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import Callable, Sequence
from importlib import resources

import numpy as np

from fallax.causality.benchmarks.claims import claim_of, sample_of, stand_ins
from fallax.causality.systems import load_baseline
from fallax.causality.systems.entailed import EntailmentVerifier
from fallax.core.texts import content_words, cosines
from fallax.core.texts.ranking import load_embedder
from fallax.core.types import CausalClaim, Evidence
from fallax.data import load_claims
from fallax.entailment.training.corpus import part_of

VERDICTS = ("supports", "refutes", "nei")
#: Group and how well it was answered, in [0, 1].
Answers = list[tuple[str, float]]
Supported = Callable[[str, Sequence[str]], float]


def overlap(claim: str, evidence: Sequence[str]) -> float:
    """The share of the claim's words that the evidence has."""
    wanted = set(content_words(claim))
    return len(wanted & {w for e in evidence for w in content_words(e)}) / max(1, len(wanted))


def similarity(claim: str, evidence: Sequence[str]) -> float:
    """The cosine with the nearest piece, by the embedder that ships."""
    return float(cosines([*evidence, claim], load_embedder("minilm"))[-1, :-1].max())


def verified(name: str) -> Callable[[str, Sequence[str]], float]:
    """The probability that a claim is supported, by a verifier with an entailment model."""
    verifier = load_baseline(name)
    assert isinstance(verifier, EntailmentVerifier)
    return lambda claim, evidence: verifier.probabilities(claim, list(evidence))[0]


def shown(name: str, system: str, answers: Answers, seed: int) -> None:
    members: dict[str, list[float]] = {}
    for group, value in answers:
        members.setdefault(group, []).append(value)
    draw, groups = random.Random(seed), sorted(members)
    means = [np.mean([v for g in draw.choices(groups, k=len(groups)) for v in members[g]]) for _ in range(300)]
    low, high = np.percentile(means, [2.5, 97.5])
    mean = np.mean([v for _, v in answers])
    print(f"{name:28} {system:18} {len(answers):5} {mean:.3f} [{low:.3f}, {high:.3f}]", flush=True)


def scenes(n: int, seed: int, own: str) -> None:
    text = (resources.files("fallax.causality.benchmarks") / "scenes.jsonl").read_text(encoding="utf-8")
    labels = {"supports": "supports", "refutes": "refutes", "not_enough_info": "nei"}
    flat = [(s, *c[:3]) for s in map(json.loads, text.splitlines()) for c in s["claims"]]
    chosen = random.Random(seed).sample(flat, min(n, len(flat)))
    verdicts = [labels[c[1]] for c in chosen]
    most = max(VERDICTS, key=verdicts.count)
    shown("scenes", "majority", [(c[0]["id"], float(v == most)) for c, v in zip(chosen, verdicts, strict=True)], seed)
    for system in ("lexical-overlap", "similarity-chain", own):
        verifier, answers, kinds = load_baseline(system, classes=3), [], {}
        for (scene, _, kind, claim), gold in zip(chosen, verdicts, strict=True):
            evidence = tuple(Evidence(f"E{i}", e) for i, e in enumerate(scene["evidence"], start=1))
            right = float(asyncio.run(verifier.verify(CausalClaim("c", claim, evidence))).label == gold)
            answers.append((scene["id"], right))
            kinds.setdefault(kind, []).append(right)
        shown("scenes", system, answers, seed)
    print("  " + ", ".join(f"{k} {np.mean(v):.2f} ({len(v)})" for k, v in sorted(kinds.items())))


def because(claim: CausalClaim) -> str:
    effect, cause = claim.effect.strip().rstrip("."), claim.cause.strip().rstrip(".")
    return f"{effect} because {cause if cause.startswith('I ') else cause[:1].lower() + cause[1:]}."


def chosen_causes(n: int, seed: int, own: str) -> None:
    """e-CARE."""
    items: dict[str, list[CausalClaim]] = {}
    for claim in load_claims("e_care"):
        if part_of(claim.group) == "test":
            items.setdefault(claim.group, []).append(claim)
    groups = random.Random(seed).sample(sorted(items), min(n, len(items)))
    for asked in ("cause", "effect"):
        of_kind = [g for g in groups if items[g][0].meta["asked"] == asked]
        for system, supported in (("lexical-overlap", overlap), ("similarity", similarity), (own, verified(own))):
            answers = []
            for group in of_kind:
                right, wrong = sorted(items[group], key=lambda c: c.label != "supports")
                a, b = (supported(because(c), [e.text for e in c.evidence]) for c in (right, wrong))
                answers.append((group, 1.0 if a > b else 0.5 if a == b else 0.0))
            if answers:
                shown(f"e-CARE, choice of {asked}", system, answers, seed)


def explained(n: int, seed: int, own: str) -> None:
    """WikiWhy: how often the claim is likelier beside its own explanation than beside those of others."""
    pairs = [c for c in load_claims("wikiwhy") if part_of(f"wikiwhy-{c.id}") == "test"]
    claims = [c for c in stand_ins(pairs, n_distractors=4, seed=0) if c.evidence]
    groups = sorted({c.group for c in claims})
    kept = set(random.Random(seed).sample(groups, min(n, len(groups))))
    claims = [c for c in claims if c.group in kept]
    for system, supported in (("lexical-overlap", overlap), ("similarity", similarity), (own, verified(own))):
        by_pair: dict[str, dict[str, float]] = {}
        for claim in claims:
            score = supported(claim.claim, [e.text for e in claim.evidence])
            by_pair.setdefault(claim.group, {})[str(claim.label)] = score
        answers = [(g, 1.0 if s["supports"] > s["nei"] else 0.5 if s["supports"] == s["nei"] else 0.0)
                   for g, s in by_pair.items()]  # fmt: skip
        shown("WikiWhy, own before others'", system, answers, seed)


def argued(n: int, seed: int, own: str) -> None:
    """ExplaGraphs."""
    claims = [c for c in load_claims("explagraphs") if c.label in ("supports", "refutes")]
    claims = random.Random(seed).sample(claims, min(n, len(claims)))
    labels = [str(c.label) for c in claims]
    most = max(VERDICTS, key=labels.count)
    shown("ExplaGraphs", "majority", [(c.group, float(c.label == most)) for c in claims], seed)
    for system in ("lexical-overlap", "similarity-chain", own):
        verifier = load_baseline(system, classes=2)
        answers = [
            (c.group, float(asyncio.run(verifier.verify(claim_of(sample_of(c)))).label == c.label)) for c in claims
        ]
        shown("ExplaGraphs", system, answers, seed)


def leaves(n: int, seed: int, own: str) -> None:
    """EntailmentBank."""
    claims = [c for c in load_claims("entailment_bank", split="task_2_dev") if c.structure is not None]
    claims = random.Random(seed).sample(claims, min(n, len(claims)))
    for system in ("lexical-overlap", "similarity-chain", own):
        verifier, answers = load_baseline(system, classes=2), []
        for claim in claims:
            gold = {e.id for e in claim.leaf_evidence if e.useful}
            given = tuple(e for e in claim.evidence if e.leaf)
            found = asyncio.run(verifier.verify(CausalClaim(claim.id, claim.claim, given)))
            used = set() if found.structure is None else {s.id for s in found.structure.evidence}
            answers.append((claim.id, 2 * len(used & gold) / max(1, len(used) + len(gold))))
        shown("EntailmentBank, leaves F1", system, answers, seed)


PARTS = {"scenes": scenes, "e_care": chosen_causes, "wikiwhy": explained, "explagraphs": argued,
         "entailment_bank": leaves}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=300, help="items of each set")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--sets", nargs="*", choices=PARTS, default=list(PARTS), help="only these")
    parser.add_argument("--system", choices=("entailment", "entailment-large"), default="entailment")
    args = parser.parse_args()
    for name in args.sets:
        PARTS[name](args.n, args.seed, args.system)


if __name__ == "__main__":
    main()
