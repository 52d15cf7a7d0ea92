"""The judge's checks of form on labelled pairs: python benchmarks/judge_rules.py [--each N] [--show CHECK]

For each check, on the pairs that train the entailment model and on the passages written for it: how many statements it
finds, and how many of these are labelled entailed. "altered" (with all of "amount, contradicted") makes a statement
unfaithful, "follows" and "amount, computed" make it faithful and "amount, supported" decides nothing; all others only
rule out "faithful". So an entailed statement among those found is an error of the first, right for the next two, and
a loss of the others. The model
reads nothing here: the nearest sentence is the one with most of a statement's words. --show prints what a check finds,
entailed statements first. The checks were written on these pairs, so the table says what they cost there, and not how
good they are elsewhere.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from fallax.core.texts import content_words
from fallax.data import data_root
from fallax.entailment.training.corpus import passage_examples
from fallax.entailment.training.documents import document_examples
from fallax.entailment.training.pairs import Example
from fallax.entailment.training.sets import general, verification
from fallax.faithfulness.systems.altered import altered_in, condition_left_out
from fallax.faithfulness.systems.amounts import Amount, amount_in
from fallax.faithfulness.systems.doubted import reported_in, taken_back_in
from fallax.faithfulness.systems.dropped import change_in
from fallax.faithfulness.systems.hedged import hedged_in
from fallax.faithfulness.systems.monotone import natural_logic
from fallax.faithfulness.systems.outlook import outlook_of
from fallax.faithfulness.systems.referents import named_later
from fallax.faithfulness.systems.turned import turned_in

PASSAGES = Path(__file__).parents[1] / "data" / "entailment"
Check = Callable[[str, tuple[str, ...], int], str]


def altered(claim: str, passage: tuple[str, ...], nearest: int) -> str:
    found = altered_in(claim, passage, range(len(passage)))
    return f"“{found.said}” → “{found.claimed}”" if found else ""


def expected(claim: str, passage: tuple[str, ...], nearest: int) -> str:
    found = outlook_of(claim, passage[nearest], others_of(passage, nearest))
    return found.said if found else ""


def follows(claim: str, passage: tuple[str, ...], nearest: int) -> str:
    found = natural_logic(claim, passage, range(len(passage)))
    return f"“{found[1].said}” → “{found[1].claimed}”" if found and found[1].entailed else ""


def says_more(claim: str, passage: tuple[str, ...], nearest: int) -> str:
    found = natural_logic(claim, passage, range(len(passage)))
    return found[1].reason if found else ""


@lru_cache(maxsize=1)
def _amount(claim: str, passage: tuple[str, ...]) -> Amount | None:
    return amount_in(claim, passage)


def amount(verdict: str) -> Check:
    """A check that finds what has this outcome; "computed" is what follows by arithmetic."""

    def check(claim: str, passage: tuple[str, ...], nearest: int) -> str:
        found = _amount(claim, passage)
        if found is None or verdict != (
            "computed" if found.computed and found.verdict == "supported" else found.verdict
        ):
            return ""
        return f"“{found.said}” → “{found.claimed}”"

    return check


def others_of(passage: tuple[str, ...], nearest: int) -> list[str]:
    return [s for i, s in enumerate(passage) if i != nearest]


def turned(claim: str, passage: tuple[str, ...], nearest: int) -> str:
    found = turned_in(claim, passage)
    return f"“{found[0]}” → “{found[1]}”" if found else ""


CHECKS: dict[str, Check] = {
    "altered": altered,
    "only expected": expected,
    "only reported": lambda claim, passage, i: reported_in(claim, passage[i]),
    "taken back": lambda claim, passage, i: taken_back_in(claim, passage[i], passage[i + 1 : i + 3]),
    "condition": lambda claim, passage, i: condition_left_out(claim, passage[i]),
    "named later": lambda claim, passage, i: named_later(claim, passage, i),
    "follows": follows,
    "says more": says_more,
    "amount, contradicted": amount("contradicted"),
    "amount, doubted": amount("doubted"),
    "amount, supported": amount("supported"),
    "amount, computed": amount("computed"),
    "hedged": lambda claim, passage, i: hedged_in(claim, passage[i], others_of(passage, i)),
    "turned": turned,
    "changed": lambda claim, passage, i: change_in(claim, passage[i], others_of(passage, i)),
}


def nearest_of(claim: str, passage: tuple[str, ...]) -> int:
    """The sentence with most of a statement's words; of equal ones the shortest."""
    wanted = set(content_words(claim))
    shares = [len(wanted & set(content_words(s))) for s in passage]
    return max(range(len(passage)), key=lambda i: (shares[i], -len(passage[i])))


def pairs(root: Path, each: int) -> Iterator[Example]:
    """At most so many pairs of each set."""
    found: dict[str, list[Example]] = defaultdict(list)
    for example in (
        *general(root, 0),
        *verification(root, 0),
        *(e for _, e in document_examples(root, 0)),
        *(e for _, _, e in passage_examples(PASSAGES, "passages-*.jsonl")),
    ):
        found[example.source].append(example)
    for source in sorted(found):
        rows = found[source]
        yield from rows if len(rows) <= each else random.Random(0).sample(rows, each)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=2000, metavar="N", help="pairs of each set [2000]")
    parser.add_argument("--show", choices=CHECKS, metavar="CHECK", help=f"print its findings: {', '.join(CHECKS)}")
    args = parser.parse_args(argv)
    wanted = {args.show: CHECKS[args.show]} if args.show else CHECKS
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    by_check: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    shown: list[tuple[bool, str]] = []
    n: dict[str, int] = defaultdict(int)
    for e in pairs(data_root(), args.each):
        n[e.source] += 1
        nearest = nearest_of(e.statement, e.passage)
        for name, check in wanted.items():
            if found := check(e.statement, e.passage, nearest):
                for count in (counts[f"{e.source} | {name}"], by_check[name]):
                    count[0] += 1
                    count[1] += e.label == "entailed"
                text = f"{e.label} [{e.source}] {found}\n  {e.passage[nearest]}\n  > {e.statement}"
                shown.append((e.label != "entailed", text))
    if args.show:
        print("\n".join(text for _, text in sorted(shown)), end="\n\n")
    print(f"{sum(n.values())} pairs of {len(n)} sets\n")
    for title, table in (("check", by_check), ("set | check", counts)):
        print(f"| {title} | found | of them entailed |\n|{'---|' * (title.count('|') + 3)}")
        for name, (found_, entailed) in sorted(table.items()):
            print(f"| {name} | {found_} | {entailed} |")
        print()


if __name__ == "__main__":
    main()
