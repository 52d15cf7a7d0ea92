"""Examples with whole documents, from sets of summaries and claims whose terms allow training a shipped model."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.encoders import shared_words
from fallax.entailment.passages import Passages
from fallax.entailment.training.corpus import sentences_of
from fallax.entailment.training.pairs import Example
from fallax.entailment.training.sets import changed_spans, rows_of

__all__ = ["HELD_OUT_DOMAIN", "Trimmer", "Uncut", "document_examples", "for_calibration"]

#: The domain of SummEdits that is never used for training.
HELD_OUT_DOMAIN = "scitldr"
_DOMAINS = ("news", "sales_call", "sales_email", "samsum")


def for_calibration(group: str) -> bool:
    """Whether a group of documents is kept out of training and used for calibration; true for one in ten."""
    return hashlib.sha256(group.encode()).digest()[0] % 10 == 0


@dataclass(frozen=True, slots=True)
class Uncut(Example):
    """An example whose passage :meth:`Trimmer.cut` has yet to cut.

    Parameters
    ----------
    budget : most tokens of the passage.
    bearing : see :meth:`fallax.entailment.Passages.choose`.
    """

    budget: int = 0
    bearing: float = 0.0


class Trimmer:
    """Shortens passages by the same choice of sentences that the model uses at run time.

    A call only notes how to cut an example; :meth:`cut` does it, because a stage uses few of the examples it notes.

    Parameters
    ----------
    tokenizer : tokenizer of the base model, without truncation or padding.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._words = shared_words()
        self.tokens = lru_cache(50_000)(lambda text: tuple(tokenizer.encode(text, add_special_tokens=False).ids))
        # several statements in a row are about one passage
        self._passages = lru_cache(4)(self._prepared)

    def _prepared(self, sentences: tuple[str, ...]) -> Passages:
        spans, at = [], 0
        for s in sentences:
            spans.append((at, at + len(s)))
            at += len(s) + 1
        return Passages(self, "\n".join(sentences), spans)  # type: ignore[arg-type]

    def vectors(self, tokens: Iterable[int]) -> npt.NDArray[np.float32]:
        """The same as :meth:`fallax.entailment.EntailmentModel.vectors`."""
        found = self._words.of(np.asarray(list(tokens), dtype=np.int64))
        scaled: npt.NDArray[np.float32] = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)
        return scaled

    def __call__(self, example: Example, budget: int, *, bearing: float = 0.0) -> Uncut:
        """The example, to be cut to ``budget`` tokens of passage, with only the sentences relevant to the statement."""
        return Uncut(**_values(example), budget=budget, bearing=bearing)

    def cut(self, noted: Example) -> Example:
        """The example, cut as noted; indexes of evidence are adjusted."""
        if not isinstance(noted, Uncut):
            return noted
        example = Example(**_values(noted))
        budget, least = noted.budget, noted.bearing
        if not least and sum(len(self.tokens(s)) for s in example.passage) <= budget:
            return example
        chosen, _, _ = self._passages(example.passage).choose(example.statement, budget=budget, bearing=least)
        evidence = example.evidence
        if evidence is not None:
            evidence = tuple(chosen.index(i) for i in evidence if i in chosen) or None
        return replace(example, passage=tuple(example.passage[i] for i in chosen), evidence=evidence)


def _values(example: Example) -> dict[str, Any]:
    return {f.name: getattr(example, f.name) for f in fields(Example)}


def document_examples(root: Path, seed: int) -> Iterator[tuple[str, Example]]:
    """Examples from SummEdits (without the held-out domain), WiCE and FIB, each with its group of documents."""
    yield from _summedits(root / "summedits")
    yield from _wice(root / "wice")
    yield from _fib(root / "fib", seed)


def _summedits(root: Path) -> Iterator[tuple[str, Example]]:
    for domain in _DOMAINS:
        documents = {r["doc_key"]: sentences_of(r["doc"]) for r in rows_of(root / f"{domain}.docs.jsonl")}
        seen: set[str] = set()
        for row in rows_of(root / f"{domain}.items.jsonl"):
            document, key, source = documents[row["doc_key"]], row["doc_key"], "docs/summedits"
            originals = sentences_of(row["original_summary"])
            if row["original_summary"] not in seen:
                seen.add(row["original_summary"])
                for sentence in originals:
                    yield key, Example(document, sentence, "entailed", source, ())
            for sentence in sentences_of(row["summary"]):
                if sentence in originals:
                    continue
                nearest = max(originals, key=lambda o: len(set(o.split()) & set(sentence.split())))
                wrong = () if row["label"] == 1 else changed_spans(sentence, nearest)
                yield (
                    key,
                    Example(document, sentence, "entailed" if row["label"] == 1 else "not_entailed", source, wrong),
                )


def _wice(root: Path) -> Iterator[tuple[str, Example]]:
    marked = set()
    for name in ("non_supported_tokens_train", "non_supported_tokens_dev"):
        for row in rows_of(root / f"{name}.jsonl"):
            if not any(row["non_supported_spans"]):
                continue
            claim, wrong = "", []
            for token, odd in zip(row["claim_tokens"], row["non_supported_spans"], strict=True):
                gap = "" if not claim or re.fullmatch(r"[,.;:!?%)'’]|n't|'s|’s", token) else " "
                start = len(claim) + len(gap)
                claim += gap + token
                if odd:
                    wrong.append((start, len(claim)))
            marked.add(row["claim"])
            document = tuple(s for s in row["evidence"] if s.strip())
            group = row["meta"].get("claim_title", row["claim"])
            yield group, Example(document, claim, "not_entailed", "docs/wice", tuple(wrong))
    for row in rows_of(root / "claim_dev.jsonl"):
        document = tuple(s for s in row["evidence"] if s.strip())
        group = row["meta"].get("claim_title", row["claim"])
        if row["label"] == "supported":
            yield group, Example(document, row["claim"], "entailed", "docs/wice", ())
            yield group, Example(document, row["claim"], "entailed", "docs/wice", ())
        elif row["claim"] not in marked:
            yield group, Example(document, row["claim"], "not_entailed", "docs/wice")


def _fib(root: Path, seed: int) -> Iterator[tuple[str, Example]]:
    from fallax.data import load_faithfulness

    rng = random.Random(seed)
    groups: dict[str, list[Any]] = {}
    for record in load_faithfulness("fib", root=root.parent):
        groups.setdefault(record.group, []).append(record)
    for group, records in groups.items():
        document = sentences_of(records[0].document)
        good = [r for r in records if r.label == "faithful"]
        bad = [r for r in records if r.label != "faithful"]
        for record in [*good, *rng.sample(bad, min(len(bad), len(good)))]:
            for sentence in sentences_of(record.summary)[:1]:
                said = record.label == "faithful"
                yield (
                    group,
                    Example(
                        document, sentence, "entailed" if said else "not_entailed", "docs/fib", () if said else None
                    ),
                )
