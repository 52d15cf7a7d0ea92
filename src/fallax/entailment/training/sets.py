"""Examples from public sets of pairs whose terms allow training a shipped model, each in a folder of FALLAX_DATA."""

from __future__ import annotations

import difflib
import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fallax.entailment.training.pairs import Example, Label

__all__ = ["changed_spans", "general", "rows_of", "verification"]

_LABELS: dict[str, Label] = {
    "entailment": "entailed",
    "contradiction": "contradicted",
    "neutral": "neither",
    "not_entailment": "not_entailed",
}
_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, one per line, gzipped or not."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def changed_spans(text: str, original: str) -> tuple[tuple[int, int], ...]:
    """Spans of a text whose words differ from its original; where words were only deleted, the word before them.

    Examples
    --------
    >>> changed_spans("the cat sat there", "the dog sat there")
    ((4, 7),)
    """
    own = list(_WORD.finditer(text))
    words = [m.group().lower() for m in own]
    matcher = difflib.SequenceMatcher(None, [w.lower() for w in _WORD.findall(original)], words, autojunk=False)
    found = []
    for kind, _, _, start, end in matcher.get_opcodes():
        if kind == "delete" and own:
            found.append(own[max(0, start - 1)].span())
        elif kind != "equal":
            found += [m.span() for m in own[start:end]]
    return tuple(found)


def _pairs(root: Path, folder: str, name: str, *, most: int | None, rng: random.Random) -> list[Example]:
    found = []
    for row in rows_of(root / folder / name):
        passage = tuple(s for s in row["premise"].split("\n") if s.strip())
        if not passage or not row["hypothesis"].strip() or len(row["premise"]) > 3500:
            continue
        label = _LABELS[row["label"]]
        wrong = () if label == "entailed" else None
        found.append(Example(passage, row["hypothesis"].strip(), label, folder, wrong))
    if most is not None and len(found) > most:
        found = rng.sample(found, most)
    return found


def _balanced(examples: list[Example], most: int, rng: random.Random) -> list[Example]:
    """A random sample with as many entailed examples as others, at most ``most`` in all."""
    good = [e for e in examples if e.label == "entailed"]
    bad = [e for e in examples if e.label != "entailed"]
    n = min(len(good), len(bad), most // 2)
    return rng.sample(good, n) + rng.sample(bad, n)


def _cannot(root: Path, rng: random.Random, most: int) -> Iterator[Example]:
    rows = rows_of(root / "cannot_part" / "wikifactcheck_negated.jsonl.gz")
    for row in rng.sample(rows, most):
        a, b = row["premise"], row["hypothesis"]
        if rng.random() < 0.5:
            a, b = b, a
        yield Example((a,), b, "contradicted", "cannot_part", changed_spans(b, a))
    for row in rows_of(root / "cannot_part" / "sem_anto_neg.jsonl"):
        a, b = row["premise"], row["hypothesis"]
        if rng.random() < 0.5:
            a, b = b, a
        same = row["label"] == "same"
        yield Example((a,), b, "entailed" if same else "contradicted", "cannot_part", () if same else None)


def general(root: Path, seed: int) -> list[Example]:
    """Examples of general inference, with sets about negation, scope, conjunction and roles."""
    rng = random.Random(seed)
    found = [
        *_pairs(root, "multinli_part", "train.jsonl.gz", most=None, rng=rng),
        *_balanced(_pairs(root, "snli_part", "train.jsonl.gz", most=None, rng=rng), 14000, rng),
        *_pairs(root, "wanli_part", "train.jsonl.gz", most=None, rng=rng),
        *_pairs(root, "cad_snli", "train.jsonl.gz", most=None, rng=rng),
        *_pairs(root, "scone_nli", "train.jsonl", most=None, rng=rng),
        *_balanced(_pairs(root, "megaveridicality", "train.jsonl", most=None, rng=rng), 4000, rng),
        *_balanced(_pairs(root, "conjnli", "train.jsonl.gz", most=None, rng=rng), 7000, rng),
        *_pairs(root, "help_conj", "train.jsonl", most=3000, rng=rng),
        *_balanced(_pairs(root, "wikires_nli", "train.jsonl.gz", most=None, rng=rng), 4000, rng),
        *_cannot(root, rng, 4000),
    ]
    turned = [
        Example((e.statement,), e.passage[0], "contradicted", e.source)
        for e in found
        if e.label == "contradicted" and e.source in ("snli_part", "multinli_part", "wanli_part", "cad_snli")
    ]
    return [*found, *rng.sample(turned, min(5000, len(turned)))]


def verification(root: Path, seed: int) -> list[Example]:
    """Examples from fact verification: claims with evidence."""
    rng = random.Random(seed)
    return [
        *_pairs(root, "fever_dev_pairs", "train.jsonl.gz", most=None, rng=rng),
        *_pairs(root, "fever_symmetric", "dev.jsonl", most=None, rng=rng),
        *_pairs(root, "feverous_text", "train.jsonl", most=None, rng=rng),
        *_pairs(root, "fool_me_twice", "train.jsonl", most=None, rng=rng),
        *_balanced(_pairs(root, "citation_integrity", "train.jsonl.gz", most=None, rng=rng), 1500, rng),
    ]
