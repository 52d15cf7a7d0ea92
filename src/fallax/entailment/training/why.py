"""Claims about causes, from sets of causes and effects whose terms allow training a shipped model."""

from __future__ import annotations

import json
import random
from pathlib import Path

from fallax.entailment.training.corpus import part_of, sentences_of
from fallax.entailment.training.pairs import Example
from fallax.entailment.training.sets import rows_of

__all__ = ["cause_claims"]


def _because(effect: str, cause: str, rng: random.Random) -> str:
    effect, cause = effect.strip().rstrip("."), cause.strip().rstrip(".")
    inner = cause if cause.split()[0] in ("I",) or cause[1:2].isupper() else cause[:1].lower() + cause[1:]
    return rng.choice(
        (
            f"{effect} because {inner}.",
            f"{effect}. This is because: {cause}.",
            f"Because {inner}, {effect[:1].lower() + effect[1:]}.",
        )
    )


def cause_claims(root: Path, seed: int, *, n_choices: int, n_explained: int) -> list[Example]:
    """Claims from e-CARE's choices and WikiWhy's explanations, each with a wrong twin.

    Items in the test split of :func:`~fallax.entailment.training.corpus.part_of` are left out.

    Parameters
    ----------
    n_choices : number of e-CARE questions. The passage is the explanation or the premise, each half of the time.
    n_explained : number of WikiWhy pairs. The passage is the explanation, shuffled with unrelated sentences.
    """
    rng = random.Random(seed)
    found: list[Example] = []
    rows = [r for r in rows_of(root / "e_care" / "train.jsonl") if part_of(r["index"]) != "test"]
    for row in rng.sample(rows, min(n_choices, len(rows))):
        right = row["hypothesis1"] if row["label"] == 0 else row["hypothesis2"]
        wrong = row["hypothesis2"] if row["label"] == 0 else row["hypothesis1"]
        state = rng.getstate()
        for hypothesis, said in ((right, "entailed"), (wrong, "neither")):
            rng.setstate(state)
            effect, cause = (row["premise"], hypothesis) if row["ask-for"] == "cause" else (hypothesis, row["premise"])
            explained = rng.random() < 0.5
            claim = _because(effect, cause, rng)
            passage = (row["conceptual_explanation"],) if explained else (row["premise"],)
            found.append(Example(passage, claim, said, "why/e_care"))  # type: ignore[arg-type]
    columns = {
        n: json.loads((root / "wikiwhy" / f"{n}.json").read_text(encoding="utf-8"))
        for n in ("cause", "effect", "explanation")
    }
    if set(columns["cause"]) == {"cause"}:
        columns = {n: next(iter(c.values())) for n, c in columns.items()}
    ids = sorted(set(columns["cause"]) & set(columns["effect"]) & set(columns["explanation"]))
    told = {i: sentences_of(str(columns["explanation"][i])) for i in ids}
    ids = [i for i in ids if told[i] and part_of(f"wikiwhy-{i}") != "test"]
    for i in rng.sample(ids, min(n_explained, len(ids))):
        others = [s for j in rng.sample(ids, 4) if j != i for s in told[j][:1]]
        cause, effect = str(columns["cause"][i]), str(columns["effect"][i])
        if not cause.strip() or not effect.strip():
            continue
        own = [*told[i], *others[:2]]
        rng.shuffle(own)
        state = rng.getstate()
        found.append(
            Example(
                tuple(own),
                _because(effect, cause, rng),
                "entailed",
                "why/wikiwhy",
                (),
                tuple(own.index(s) for s in told[i]),
            )
        )
        rng.setstate(state)
        found.append(Example(tuple(others), _because(effect, cause, rng), "neither", "why/wikiwhy"))
        if rng.random() < 0.4:
            found.append(Example(tuple(own), _because(cause, effect, rng), "not_entailed", "why/wikiwhy"))
    return found
