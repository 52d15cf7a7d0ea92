"""Verifiers trained on claims, beside majority, shared words and the shipped one: counterpart of fine-tuned rows.

Prints, for claims that trained nothing, the share of right verdicts with its 95 % interval (pairs, questions and
beliefs drawn anew), and for EntailmentBank the F1 of leaves, steps and intermediates and the similarity of structures
(claims drawn anew). Trains on the training part of each set, evaluates on its development part: that of EntailmentBank,
and a fifth of the others by a hash of the pair, question or belief. "claim alone" is trained without any evidence: what
the wording of the claims gives away.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from causal_sets import shown

from fallax.causality.systems import Majority, TrainedVerifier, Verifier, load_baseline
from fallax.causality.training.claims import chosen_groups, held_out_claims, needs_of, training_claims
from fallax.causality.training.train import TrainingSettings, train_verifier, with_retrieved
from fallax.core.types import ArgumentStructure, CausalClaim, Record, Unreadable
from fallax.metrics import EntailmentTree, StructureSimilarity

#: Pieces of evidence that are retrieved for a claim of e-CARE, from the explanations of all others.
RETRIEVED = 4


def trained(claims: Sequence[CausalClaim], settings: TrainingSettings) -> TrainedVerifier:
    with tempfile.TemporaryDirectory() as folder:
        return train_verifier(claims, Path(folder), settings, name="trained")


def told(name: str, system: str, verifier: Verifier, claims: Iterable[CausalClaim], seed: int) -> None:
    """The share of right verdicts."""
    answers = [(c.group, float(asyncio.run(verifier.verify(c)).label == c.label)) for c in claims]
    shown(name, system, answers, seed)


def baselines(name: str, train: Sequence[CausalClaim], dev: Sequence[CausalClaim], classes: int, seed: int) -> None:
    told(name, "majority", Majority.of(c.label for c in train if c.label), dev, seed)
    for system in ("lexical-overlap", "entailment"):
        told(name, system, load_baseline(system, classes=classes), dev, seed)


def parts(name: str, args: argparse.Namespace, task: int = 1) -> tuple[list[CausalClaim], list[CausalClaim]]:
    train = chosen_groups(needs_of(task, training_claims([name])), args.train, args.seed)
    return train, chosen_groups(needs_of(task, held_out_claims(name)), args.n, args.seed)


def alone(claims: Iterable[CausalClaim]) -> list[CausalClaim]:
    return [replace(c, evidence=(), structure=None) for c in claims]


def wikiwhy(args: argparse.Namespace) -> None:
    """Supports, refutes, not enough info."""
    train, dev = parts("wikiwhy", args)
    baselines("WikiWhy", train, dev, 3, args.seed)
    told("WikiWhy", "claim alone", trained(alone(train), TrainingSettings()), alone(dev), args.seed)
    told("WikiWhy", "trained, task 1", trained(train, TrainingSettings()), dev, args.seed)
    told("WikiWhy", "trained, fused", trained(train, TrainingSettings(fused=True)), dev, args.seed)


def e_care(args: argparse.Namespace) -> None:
    """Each claim alone, and which of the two claims of a question is the likelier."""
    train, dev = parts("e_care", args)
    baselines("e-CARE", train, dev, 2, args.seed)

    def pool(claims: Iterable[CausalClaim]) -> list[Record]:
        texts = dict.fromkeys(e.text for c in claims for e in c.evidence)
        return [Record(f"d{i}", text) for i, text in enumerate(texts)]

    found = [with_retrieved(claims, pool(claims), RETRIEVED) for claims in (train, dev)]
    fused = TrainingSettings(fused=True, n_evidence=RETRIEVED)
    for system, verifier, given in (
        ("claim alone", trained(alone(train), TrainingSettings()), alone(dev)),
        ("trained, task 1", trained(train, TrainingSettings()), dev),
        ("trained, retrieved", trained(found[0], fused), found[1]),
    ):
        told("e-CARE", system, verifier, given, args.seed)
        likely: dict[str, dict[str, float]] = {}
        for claim in given:
            likely.setdefault(claim.group, {})[str(claim.label)] = verifier.probabilities(claim)["supports"]
        pairs = [(g, p["supports"], p["refutes"]) for g, p in likely.items() if len(p) == 2]
        shown("e-CARE, choice", system, [(g, 1.0 if a > b else 0.5 * (a == b)) for g, a, b in pairs], args.seed)


def explagraphs(args: argparse.Namespace) -> None:
    """Support or counter, without and with the graph of concepts."""
    train, dev = parts("explagraphs", args, 2)
    baselines("ExplaGraphs", train, dev, 2, args.seed)
    told("ExplaGraphs", "claim alone", trained(alone(train), TrainingSettings()), alone(dev), args.seed)
    told("ExplaGraphs", "trained, task 1", trained(train, TrainingSettings()), dev, args.seed)
    told("ExplaGraphs", "trained, task 2", trained(train, TrainingSettings(2)), dev, args.seed)
    told("ExplaGraphs", "task 2, fused", trained(train, TrainingSettings(2, fused=True)), dev, args.seed)


def entailment_bank(args: argparse.Namespace) -> None:
    """Structures over the leaves that are used (task_1), and among distractors (task_2)."""
    for split in ("task_1", "task_2"):
        train = chosen_groups(needs_of(3, training_claims(["entailment_bank"], split=f"{split}_train")), args.train,
                              args.seed)  # fmt: skip
        dev = chosen_groups(needs_of(3, held_out_claims("entailment_bank", split=f"{split}_dev")), args.n, args.seed)
        systems: list[tuple[str, Verifier, bool]] = [
            (system, load_baseline(system, classes=2), False)
            for system in ("lexical-overlap", "similarity-chain", "entailment")
        ]
        systems += [(f"trained, task {t}", trained(train, TrainingSettings(t)), t == 3) for t in (3, 4)]
        for system, verifier, all_given in systems:
            drawn = []
            for claim in dev:
                given = claim if all_given else replace(claim, evidence=claim.leaf_evidence)
                drawn.append(asyncio.run(verifier.verify(replace(given, structure=None))).structure)
            structures(f"EntailmentBank {split}", system, dev, drawn, args.seed)


def structures(
    name: str, system: str, dev: Sequence[CausalClaim], drawn: Sequence[ArgumentStructure | None], seed: int
) -> None:
    metrics = {"definition": EntailmentTree(scorer="token_f1"),
               "official": EntailmentTree(scorer="token_f1", variant="official")}  # fmt: skip
    rows: list[tuple[str, str, str]] = [("leaves", "definition", "leaves_f1"), ("steps", "definition", "steps_f1"),
                                        ("intermediates", "definition", "intermediates_f1"),
                                        ("all correct", "definition", "all_correct"),
                                        ("official steps", "official", "steps_f1"),
                                        ("official all correct", "official", "all_correct")]  # fmt: skip
    pairs = [(c, c.structure or ArgumentStructure(None), s) for c, s in zip(dev, drawn, strict=True)]
    for title, variant, measure in rows:
        answers = []
        for claim, gold, said in pairs:
            pred = said or Unreadable("no structure")
            score = metrics[variant].record_score(pred=pred, gold=gold)
            answers.append((claim.id, float(score[measure] or 0.0) if said else 0.0))
        shown(f"{name}, {title}", system, answers, seed)
    similarity = StructureSimilarity(scorer="token_f1")
    answers = [
        (c.id, float(similarity.record_score(pred=s, gold=gold)["f1"] or 0.0) if s else 0.0) for c, gold, s in pairs
    ]
    shown(f"{name}, similarity", system, answers, seed)


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "entailment_bank": entailment_bank, "e_care": e_care, "wikiwhy": wikiwhy, "explagraphs": explagraphs,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=210, help="claims of each development part")
    parser.add_argument("--train", type=int, default=390, help="claims that are trained on")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--sets", nargs="*", choices=PARTS, default=list(PARTS), help="only these")
    args = parser.parse_args()
    for name in args.sets:
        PARTS[name](args)


if __name__ == "__main__":
    main()
