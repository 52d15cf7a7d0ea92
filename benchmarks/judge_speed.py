"""Speed of the local judges: python benchmarks/judge_speed.py

Prints how many summary sentences a second each judge reads against a document of 1,000 tokens, cutting the document
into sentences included; a summary has four sentences, and each summary has a document of its own, new in every run,
since vectors of sentences are remembered. The encoder is compared with what it would take to read every piece of the
document beside every sentence.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from fallax.core.texts import sentence_spans
from fallax.faithfulness.systems import AlwaysFaithful, LexicalOverlap
from fallax.faithfulness.systems.evidence import cut_pieces
from fallax.faithfulness.systems.local import EncoderJudge, embedding_similarity, load_encoder_judge, pair_ids

WORDS = re.findall(
    r"\w+",
    "the council board harbour ferry road budget vote hearing motion chair member public comment staff report fee fund"
    " year contract school water bridge permit plan park city housing street cost rate tax service agreement",
)
N_SUMMARIES, N_SENTENCES, N_TOKENS = 5, 4, 1000


def texts(judge: EncoderJudge, seed: str) -> tuple[str, list[str]]:
    """A document of about 1,000 tokens, and sentences that share words with it."""
    rng = random.Random(seed)

    def sentence() -> str:
        words = [rng.choice(WORDS) for _ in range(rng.randint(12, 26))]
        return f"{words[0].capitalize()} {' '.join(words[1:])} {rng.randint(2, 900)}."

    document: list[str] = []
    while sum(map(len, judge.pieces(document))) < N_TOKENS:
        document.append(sentence())
    return " ".join(document), [sentence() for _ in range(N_SENTENCES)]


def best_of(runs: list[Callable[[], Any]]) -> tuple[float, float]:
    """Wall and processor seconds of the quickest run: what else the machine did only ever adds."""
    found = []
    for run in runs:
        wall, processor = time.perf_counter(), time.process_time()
        run()
        found.append((time.perf_counter() - wall, time.process_time() - processor))
    return min(found)


def whole_document(judge: EncoderJudge, document: str, sentences: list[str]) -> None:
    """Every stretch of the document beside every sentence."""
    pieces = cut_pieces(judge.pieces([document[a:b] for a, b in sentence_spans(document)]))
    tokens = [t for piece in pieces for t in piece]
    size = judge.about["evidence_tokens"]
    for sentence in judge.pieces(sentences):
        for start in range(0, len(tokens), size):
            judge.logit(sentence, pair_ids(sentence, [tokens[start : start + size]], size))


def _all_of(run: Callable[[str, list[str]], Any], made: list[tuple[str, list[str]]]) -> None:
    for document, sentences in made:
        run(document, sentences)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    judge = load_encoder_judge()
    n = N_SUMMARIES * N_SENTENCES
    ways: dict[str, Callable[[str, list[str]], Any]] = {
        "always-faithful": AlwaysFaithful().score,
        "lexical-overlap": LexicalOverlap().score,
        "embedding-similarity": embedding_similarity().score,
        "encoder": judge.score,
        "encoder, whole document": lambda document, sentences: whole_document(judge, document, sentences),
    }
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {n} sentences, documents of {N_TOKENS:,} tokens")
    for name, run in ways.items():
        made = [[texts(judge, f"{name} {i} {k}") for k in range(N_SUMMARIES)] for i in range(args.runs)]
        wall, processor = best_of([partial(_all_of, run, each) for each in made])
        print(f"{name:26} {n / wall:10.1f} sentences a second; {1000 * processor / n:8.2f} ms of processor each")


if __name__ == "__main__":
    main()
