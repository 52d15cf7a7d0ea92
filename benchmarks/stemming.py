"""Would a published stemmer find more evidence than ours? BM25 over a set of claims, with both.

    pip install snowballstemmer
    python benchmarks/stemming.py                    # EntailmentBank, task 1, development

For each claim the sentences of all claims are ranked; counted is the share of its leaves among the first ten.
"""

from __future__ import annotations

import argparse
import functools
import importlib

from fallax.core.texts import ranking
from fallax.data import load_claims


def measure(claims: list[tuple[str, set[int]]], sentences: list[str], n: int) -> tuple[float, list[set[int]]]:
    """The share of leaves found, and what was found for each claim."""
    index = ranking.Bm25(sentences)
    found = [set(index.nearest(text, n)) for text, _ in claims]
    hits = sum(len(leaves & near) for (_, leaves), near in zip(claims, found, strict=True))
    return hits / sum(len(leaves) for _, leaves in claims), found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="entailment_bank")
    parser.add_argument("--split", default="task_1_dev")
    parser.add_argument("-n", type=int, default=10)
    given = parser.parse_args()
    read = list(load_claims(given.set, split=given.split))
    sentences = list(dict.fromkeys(e.text for claim in read for e in claim.evidence))
    places = {text: i for i, text in enumerate(sentences)}
    claims = [(c.claim, {places[e.text] for e in c.evidence if e.leaf}) for c in read]
    ours, found = measure(claims, sentences, given.n)
    snowballstemmer = importlib.import_module("snowballstemmer")  # it has no types
    setattr(ranking, "_stem", functools.cache(snowballstemmer.stemmer("english").stemWord))  # noqa: B010
    theirs, other = measure(claims, sentences, given.n)
    differ = sum(a != b for a, b in zip(found, other, strict=True))
    print(f"{len(claims)} claims, {len(sentences)} sentences; leaves among the first {given.n}:")
    print(f"ours {ours:.3f}, Snowball {theirs:.3f}; the lists of {differ} claims differ")


if __name__ == "__main__":
    main()
