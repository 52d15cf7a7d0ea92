"""Samples of the benchmark of why-claims, and the values printed for CheckWhy."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from fallax.core.texts import sentence_spans
from fallax.core.types.causal import CausalClaim, Evidence
from fallax.core.types.structure import ArgumentStructure
from fallax.runs.base import PublishedValue, Sample

__all__ = ["claim_of", "published_values", "sample_of", "stand_ins", "with_fewer_distractors"]


def sample_of(claim: CausalClaim, *, shuffled: bool = True) -> Sample:
    """A claim as a sample.

    What a system sees of the evidence is id, text and whether it is an intermediate; with ``shuffled`` in an order that
    depends on the ids alone, as data sets list the useful evidence first.
    """
    listed = list(claim.evidence)
    if shuffled:
        listed.sort(key=lambda e: _drawn(claim.id, e.id, e.text))
    given = {e.id for e in claim.leaf_evidence}
    seen = [{"id": e.id, "text": e.text, "leaf": e.id in given} for e in listed]
    gold = {
        "label": claim.label,
        "structure": None if claim.structure is None else claim.structure.to_dict(),
        "steps": claim.n_steps,
        "distractors": claim.n_distractors,
        **({"group": claim.group} if claim.group != claim.id else {}),
    }
    return Sample(claim.id, {"claim": claim.claim, "evidence": seen, "source": claim.source}, gold)


def claim_of(sample: Sample, *, structure: bool = False) -> CausalClaim:
    """The claim shown to a system: without label, and with its structure only if the task gives it."""
    given = sample.gold["structure"] if structure else None
    evidence = tuple(Evidence(e["id"], e["text"], None, e["leaf"]) for e in sample.input["evidence"])
    drawn = None if given is None else ArgumentStructure.from_dict(given)
    return CausalClaim(sample.id, sample.input["claim"], evidence, None, drawn)


def with_fewer_distractors(claim: CausalClaim, most: int) -> CausalClaim:
    """The claim with at most so many of its distractors, always the same ones; fewer are among more.

    Examples
    --------
    >>> frost, plums = Evidence("A", "It froze.", True), (Evidence(f"D{i}", "Plums.", False) for i in "12345")
    >>> claim = CausalClaim("ferry", "It stopped because it froze.", (frost, *plums))
    >>> [e.id for e in with_fewer_distractors(claim, 2).evidence]
    ['A', 'D1', 'D3']
    """
    kept = {e.id for e in sorted(claim.distractors, key=lambda e: _drawn(claim.id, e.id, e.text))[:most]}
    gone = {e.id for e in claim.distractors} - kept
    return replace(claim, evidence=tuple(e for e in claim.evidence if e.id not in gone))


def _drawn(claim: str, evidence: str, text: str) -> bytes:
    return sha256(f"{claim}\0{evidence}\0{text}".encode("utf-8", "surrogatepass")).digest()


def stand_ins(pairs: Sequence[CausalClaim], *, n_distractors: int, seed: int) -> Iterator[CausalClaim]:
    """Claims from pairs of cause and effect with an explanation, without a model (WikiWhy as published).

    Each pair gives two claims in the same words, "EFFECT. This is because: CAUSE.": one whose evidence is the pair's
    explanation and sentences of other explanations ("supports"), and one with as many sentences of others alone
    ("nei"). The right evidence is known; no structure is, and nothing is refuted.
    """
    explained = [(p, _sentences(str(p.meta.get("explanation", "")))) for p in pairs]
    explained = [(p, said) for p, said in explained if said and p.cause.strip() and p.effect.strip()]
    for at, (pair, own) in enumerate(explained):
        draw = random.Random(f"{seed}:{pair.id}")
        others: list[str] = []
        needed = 2 * n_distractors + len(own)
        for _ in range(20 * needed):
            if len(others) == needed or len(explained) < 2:
                break
            other = draw.randrange(len(explained) - 1)
            said = draw.choice(explained[other + (other >= at)][1])
            if said not in others and said not in own:
                others.append(said)
        effect, cause = pair.effect.strip(), pair.cause.strip()
        said_so = f"{effect}{'' if effect[-1] in '.!?' else '.'} This is because: {cause}"
        useful = [Evidence(f"E{i}", t, True, True) for i, t in enumerate(own, start=1)]
        wrong = [Evidence(f"D{i}", t, False, True) for i, t in enumerate(others, start=1)]
        for label, evidence in (
            ("supports", (*useful, *wrong[:n_distractors])),
            ("nei", tuple(wrong[n_distractors:])),
        ):
            yield CausalClaim(
                f"{pair.id}-{label}", said_so, evidence, label,  # type: ignore[arg-type]
                cause=pair.cause, effect=pair.effect, group=pair.id, source="wikiwhy",
            )  # fmt: skip


def _sentences(text: str) -> list[str]:
    return list(dict.fromkeys(text[a:b] for a, b in sentence_spans(text)))


_TABLE_3: Mapping[str, tuple[float, ...]] = {
    "BERT (FT)": (73.3, 72.9, 76.9, 76.9, 88.0, 88.0),
    "Transformer-XH (FT)": (63.2, 62.2, 78.9, 78.9, 90.4, 90.4),
    "UniXcoder (FT)": (70.1, 69.5, 77.2, 77.2, 83.4, 83.4),
    "CodeT5 (FT)": (72.3, 72.0, 71.6, 71.6, 78.0, 78.0),
    "CodeT5+ (FT)": (72.8, 72.5, 65.6, 65.4, 79.3, 79.3),
    "ChatGPT (CoT)": (37.8, 31.1, 60.6, 60.7, 64.4, 60.7),
    "GPT-4 (CoT)": (49.6, 41.0, 62.5, 62.3, 72.8, 71.0),
}
#: (task, model) -> structure similarity, exact match, accuracy, F1.
_TABLE_4: Mapping[tuple[str, str], tuple[float, ...]] = {
    ("task-3", "CodeT5 (FT)"): (87.4, 48.4, 83.7, 83.5),
    ("task-3", "CodeT5+ (FT)"): (88.8, 53.4, 86.6, 86.6),
    ("task-3", "ChatGPT (CoT)"): (69.5, 26.4, 63.4, 58.5),
    ("task-3", "GPT-4 (CoT)"): (77.7, 34.2, 72.5, 70.9),
    ("task-4", "CodeT5 (FT)"): (72.8, 1.1, 68.9, 67.9),
    ("task-4", "CodeT5+ (FT)"): (75.7, 2.5, 72.6, 72.6),
    ("task-4", "ChatGPT (CoT)"): (60.9, 1.8, 53.9, 44.7),
    ("task-4", "GPT-4 (CoT)"): (66.7, 1.4, 57.0, 47.8),
}
#: accuracy, F1, structure similarity, exact match.
_TABLE_7: Mapping[str, tuple[float, ...]] = {
    "CodeT5 (FT)": (71.1, 70.7, 72.9, 1.4),
    "CodeT5+ (FT)": (75.9, 76.1, 76.3, 2.6),
}
#: (task, model) -> F1 and AllCorrect of leaves, steps, intermediates.
_TABLE_8: Mapping[tuple[str, str], tuple[float, ...]] = {
    ("task-3", "CodeT5 (FT)"): (85.6, 60.8, 20.7, 3.4, 36.1, 4.4),
    ("task-3", "CodeT5+ (FT)"): (84.4, 59.3, 20.5, 3.4, 36.6, 6.3),
    ("task-3", "GPT-4 (CoT)"): (51.2, 12.4, 9.1, 0.2, 14.2, 1.42),
    ("task-3", "ChatGPT (CoT)"): (43.2, 16.4, 10.0, 0.0, 14.0, 0.6),
    ("task-4", "CodeT5 (FT)"): (81.1, 46.3, 9.2, 0.06, 12.2, 0.06),
    ("task-4", "CodeT5+ (FT)"): (77.8, 42.6, 15.4, 8.7, 9.4, 0.06),
    ("task-4", "GPT-4 (CoT)"): (79.7, 53.4, 16.4, 7.2, 8.16, 0.2),
    ("task-4", "ChatGPT (CoT)"): (61.3, 32.7, 15.5, 3.7, 7.6, 0.4),
}
_VERDICT = (("verdict", "accuracy"), ("verdict", "macro_f1"))
_STRUCTURE = (("structure", "f1"), ("structure-exact", "f1"))
_TREE = tuple(
    ("tree", f"{part}_{kind}") for part in ("leaves", "steps", "intermediates") for kind in ("f1", "all_correct")
)
_BERTSCORE = "by BERTScore over DeBERTa-large; ours is by {}"
_MODIFIED = "EntailmentBank's metrics with slight modifications that are not described"


def published_values(classes: int, *, similarity: str = "token-f1") -> tuple[PublishedValue, ...]:
    """Tables 3, 4, 7 and 8 of Si et al. 2024, on the test files; those of 3 verdicts, or those of 2."""
    rows: list[tuple[str, tuple[tuple[str, str], ...], Sequence[float], int, Mapping[str, str]]] = []
    for model, values in _TABLE_3.items():
        if classes == 3:
            rows.append((f"{model}, task-1", _VERDICT, values[:2], 3, {}))
        else:
            rows.append((f"{model}, task-1", _VERDICT, values[2:4], 3, {}))
            rows.append((f"{model}, task-2", _VERDICT, values[4:], 3, {}))
    if classes == 2:
        own = "the words of the edges" if similarity == "token-f1" else similarity
        similar = {"structure": _BERTSCORE.format(own)}
        for (task, model), values in _TABLE_4.items():
            rows.append((f"{model}, {task}", (*_STRUCTURE, *_VERDICT), values, 4, similar))
        for model, values in _TABLE_7.items():
            rows.append((f"{model}, pipeline-4", (*_VERDICT, *_STRUCTURE), values, 7, similar))
        for (task, model), values in _TABLE_8.items():
            rows.append((f"{model}, {task}", _TREE, values, 8, {"tree": _MODIFIED}))
    return tuple(
        PublishedValue(
            system, score, measure, round(value / 100, 5), f"Si et al. 2024, table {table}",
            "; ".join(filter(None, ("the test files", notes.get(score, "")))),
        )
        for system, measures, values, table, notes in rows
        for (score, measure), value in zip(measures, values, strict=True)
    )  # fmt: skip
