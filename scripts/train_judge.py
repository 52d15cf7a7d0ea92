"""Train the judge that ships."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fallax.corpora import load_faithfulness
from fallax.corpora.datasets import data_root
from fallax.judges.training.examples import Example, pair_examples, words_in
from fallax.texts import sentence_spans
from fallax.types import FAITHFUL

HELD_OUT_DOMAIN = "scitldr"
SUMMEDITS_SHARE, MADE_PER_DOCUMENT = 0.6, 3
DOMAINS = ("news", "sales_call", "sales_email", "samsum")


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def sentences_of(text: str) -> tuple[str, ...]:
    return tuple(" ".join(text[a:b].split()) for a, b in sentence_spans(text))


def summedits(root: Path) -> Iterator[Example]:
    for domain in DOMAINS:
        documents = {r["doc_key"]: sentences_of(r["doc"]) for r in _lines(root / f"{domain}.docs.jsonl")}
        seen = set()
        for row in _lines(root / f"{domain}.items.jsonl"):
            document, faithful = documents[row["doc_key"]], row["label"] == 1
            if row["original_summary"] not in seen:
                seen.add(row["original_summary"])
                for sentence in sentences_of(row["original_summary"]):
                    words = words_in(sentence)
                    yield Example(words, document, True, (False,) * len(words), row["doc_key"], f"summedits/{domain}")
            yield from pair_examples(
                row["summary"], row["original_summary"], document,
                faithful=faithful, group=row["doc_key"], source=f"summedits/{domain}",
            )  # fmt: skip


def wice(root: Path) -> Iterator[Example]:
    seen = set()
    for name in ("non_supported_tokens_train", "non_supported_tokens_dev"):
        for row in _lines(root / f"{name}.jsonl"):
            document = tuple(s for s in row["evidence"] if s.strip())
            words, wrong = tuple(row["claim_tokens"]), tuple(map(bool, row["non_supported_spans"]))
            if any(wrong):
                seen.add(row["claim"])
                yield Example(words, document, False, wrong, row["meta"].get("claim_title", row["claim"]), "wice")
    for row in _lines(root / "claim_dev.jsonl"):
        document = tuple(s for s in row["evidence"] if s.strip())
        words = words_in(row["claim"])
        group = row["meta"].get("claim_title", row["claim"])
        if row["label"] == "supported":
            yield Example(words, document, True, (False,) * len(words), group, "wice", 2.0)
        elif row["claim"] not in seen:
            yield Example(words, document, False, None, group, "wice")


def fib(root: Path, seed: int) -> Iterator[Example]:
    rng = random.Random(seed)
    by_document: dict[str, list[Any]] = {}
    for record in load_faithfulness("fib", root=root.parent):
        by_document.setdefault(record.group, []).append(record)
    for group, records in by_document.items():
        document = sentences_of(records[0].document)
        good = [r for r in records if r.label == FAITHFUL]
        bad = [r for r in records if r.label != FAITHFUL]
        rng.shuffle(bad)
        for record in good:
            for sentence in sentences_of(record.summary):
                words = words_in(sentence)
                yield Example(words, document, True, (False,) * len(words), group, "fib", 2.0)
        for record in bad[: 3 * len(good)]:
            sentences = sentences_of(record.summary)
            if len(sentences) == 1 and 6 <= len(sentences[0].split()) <= 45:
                edited = record.meta.get("distractor_from") == "fir:non_factual_gold"
                wrong = None
                words = words_in(sentences[0])
                if edited and good:

                    wrong = tuple(changed_words(words, words_in(good[0].summary)))
                yield Example(words, document, False, wrong, group, "fib", 1.0)


def examples(seed: int) -> tuple[list[Example], list[Example]]:
    """What is trained on, and what is held out of it for calibration: one group in ten."""
    root = data_root(None)
    real = [*summedits(root / "summedits"), *wice(root / "wice"), *fib(root / "fib", seed)]
    kept = [e for e in real if not held_out(e.group)]
    rest = [e for e in real if held_out(e.group)]
    rng = random.Random(seed)
    drawn = [e for e in kept if not e.source.startswith("summedits") or rng.random() < SUMMEDITS_SHARE]
    texts = {e.document: e.group for e in kept}
    made = made_examples([(g, d) for d, g in texts.items()], per_document=MADE_PER_DOCUMENT, seed=seed)
    return [*drawn, *made], rest


def held_out(group: str) -> bool:
    return hashlib.sha256(group.encode()).digest()[0] % 10 == 0
