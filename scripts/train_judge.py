"""Train the judge that ships: python scripts/train_judge.py BASE [--weights FOLDER] [--out FOLDER] [--calibrate-only]

BASE is a folder with config.json, model.safetensors and tokenizer.json of all-MiniLM-L6-v2. Only SummEdits (without
its domain scitldr), WiCE and FIB are trained on, read from FALLAX_DATA, and sentences made of their documents. One
group of documents in ten is held out; what of them is of WiCE and FIB gives the calibration. Same seed, same machine,
one thread: same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from fallax.core.texts import sentence_spans
from fallax.core.types import FAITHFUL
from fallax.data import load_faithfulness
from fallax.data.datasets import data_root
from fallax.encoders import CARD
from fallax.encoders.training.base import load_base
from fallax.faithfulness.systems.local import Factors, load_encoder_judge
from fallax.faithfulness.training.calibration import calibrate
from fallax.faithfulness.training.examples import Example, changed_words, made_examples, pair_examples, words_in
from fallax.faithfulness.training.finish import evidence_on, write_card, write_judge
from fallax.faithfulness.training.loop import Pair, Settings, fit, pairs_of

ROOT = Path(__file__).parents[1]
SHIPPED = ROOT / "src" / "fallax" / "judges" / "weights"
HELD_OUT_DOMAIN = "scitldr"
DOMAINS = ("news", "sales_call", "sales_email", "samsum")
#: The part of SummEdits that is trained on, and the sentences that are made of each document.
SUMMEDITS_SHARE, MADE_PER_DOCUMENT = 0.6, 3
READINGS = 2
VERSION = 2
#: What gives the calibration. In SummEdits only sentences that were edited are judged, and these share nearly all of
#: their words with the document whether they are faithful or not: there the share of words says the wrong thing.
NATURAL = ("fib", "wice")
#: Before there is a calibration: the encoder alone.
PLAIN = Factors(1.0, 0.0, 0.0, 0.0)
LICENCES = {"summedits": "Apache-2.0", "wice": "ODC-BY; Wikipedia CC BY-SA", "fib": "CC BY 4.0"}
WEAK_AT = (
    "What has to be inferred, added up or known; who said or did what among several; small shifts of meaning. It was"
    " trained on a few thousand English sentences. It judges sentence by sentence: pronouns that point out of it are"
    " not followed. A sentence that joins facts from far apart places may be called unfaithful. Its probabilities"
    " are calibrated on the documents held out of its training sets; elsewhere they are a ranking."
)


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file, one a line."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text, each on one line."""
    return tuple(" ".join(text[start:end].split()) for start, end in sentence_spans(text))


def summedits(root: Path) -> Iterator[Example]:
    """Summaries edited by a language model: their changed sentences, and the unchanged originals."""
    for domain in DOMAINS:
        documents = {r["doc_key"]: sentences_of(r["doc"]) for r in lines_of(root / f"{domain}.docs.jsonl")}
        seen = set()
        for row in lines_of(root / f"{domain}.items.jsonl"):
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
    """Claims with their web pages, for part of them which words are not supported."""
    seen = set()
    for name in ("non_supported_tokens_train", "non_supported_tokens_dev"):
        for row in lines_of(root / f"{name}.jsonl"):
            document = tuple(s for s in row["evidence"] if s.strip())
            words, wrong = tuple(row["claim_tokens"]), tuple(map(bool, row["non_supported_spans"]))
            if any(wrong):
                seen.add(row["claim"])
                yield Example(words, document, False, wrong, row["meta"].get("claim_title", row["claim"]), "wice")
    for row in lines_of(root / "claim_dev.jsonl"):
        document = tuple(s for s in row["evidence"] if s.strip())
        words = words_in(row["claim"])
        group = row["meta"].get("claim_title", row["claim"])
        if row["label"] == "supported":
            yield Example(words, document, True, (False,) * len(words), group, "wice", 2.0)
        elif row["claim"] not in seen:
            yield Example(words, document, False, None, group, "wice")


def fib(root: Path, seed: int) -> Iterator[Example]:
    """Consistent summaries, and at most three inconsistent ones for each of them."""
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
    """Whether a group of documents is kept out of training."""
    return hashlib.sha256(group.encode()).digest()[0] % 10 == 0


def finish(folder: Path, about: dict[str, Any], rest: list[Example]) -> None:
    """Calibrate on what was held out, and write the card."""
    write_card(folder, about, PLAIN)
    evidence = evidence_on(load_encoder_judge(str(folder)), rest)
    sources = [e.source for e in rest]
    natural = [i for i, source in enumerate(sources) if source in NATURAL]
    faithful = [rest[i].faithful for i in natural]
    factors = calibrate(evidence[natural], faithful, [sources[i] for i in natural])
    called = [factors.wrong(*row) > 0 for row in evidence.tolist()]
    report = {}
    for source in sorted(set(sources)):
        rates = []
        for faithful in (True, False):
            chosen = [
                wrong != faithful
                for wrong, e in zip(called, rest, strict=True)
                if e.source == source and e.faithful == faithful
            ]
            rates.append(sum(chosen) / max(1, len(chosen)))
        report[source] = {"sentences": sources.count(source), "balanced_accuracy": round(sum(rates) / 2, 3)}
    write_card(folder, {**about, "held_out": report}, factors)
    print(json.dumps(report, indent=2))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--weights", type=Path, default=Path("build/judge"), help="for the weights after each epoch")
    parser.add_argument("--calibrate-only", action="store_true", help="calibrate and write the card again")
    args = parser.parse_args()
    torch.set_num_threads(1)
    settings = Settings(seed=args.seed)
    rest = examples(args.seed)[1]
    if args.calibrate_only:
        about = json.loads((args.out / CARD).read_text(encoding="utf-8"))
        finish(args.out, {**about, "version": VERSION, "readings": READINGS, "weak_at": WEAK_AT}, rest)
        return
    drawn = [examples(args.seed + epoch)[0] for epoch in range(settings.epochs)]
    found = [e for each in drawn for e in each]
    base = load_base(args.base)
    about = {
        "name": "encoder",
        "version": VERSION,
        "base": {"name": "all-MiniLM-L6-v2", "licence": "Apache-2.0", "sha256": base.sha256},
        "licence": "Apache-2.0; see the licences of what it was trained on",
        "trained_on": [
            {
                "name": source,
                "licence": LICENCES.get(source.split("/")[0], "those of the sets whose documents they are made of"),
                "sentences": n,
                "faithful": sum(e.faithful for e in found if e.source == source),
            }
            for source, n in sorted(Counter(e.source for e in found).items())
        ],
        "never_seen": [f"summedits/{HELD_OUT_DOMAIN}", "madisse_tofueval_meetingbank", "frank"],
        "settings": asdict(settings),
        "evidence_tokens": settings.evidence_tokens,
        "readings": READINGS,
        "weak_at": WEAK_AT,
    }  # fmt: skip

    def pairs(epoch: int) -> list[Pair]:
        return pairs_of(base.tokenizer, drawn[epoch], budget=settings.evidence_tokens)

    def progress(done: int, total: int, said: str) -> None:
        if done % 20 == 0:
            print(f"{done}/{total} {said}", flush=True)

    network = fit(base, pairs, settings=settings, folder=args.weights, progress=progress)
    write_judge(network, base, args.out, about=about, calibration=PLAIN)
    finish(args.out, about, rest)


if __name__ == "__main__":
    main()
