"""Do fallacies of a paragraph rub off on one another: python benchmarks/detector_long_texts.py [--texts N] [--write]

Joins passages of this project's corpus that were held out of training (one story in 12) at random into paragraphs of
two, three and four, each with another label, with an ordinary sentence between. Prints the share of passages of which
a sentence has the right label, by number of passages and with a paragraph for each; and the share of the ordinary
sentences between that are flagged.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from _measured import command_of, parser_of, told

from fallax.core.types import Record
from fallax.detection.measured import Measured
from fallax.detection.systems import SentenceDetector, load_detector
from fallax.detection.systems.passages import read_passages
from fallax.detection.training.examples import SentenceExample, example_of, is_held_out
from fallax.detection.training.prose import written_examples

ROOT = Path(__file__).parents[1]
FOLDERS = ("passages", "passages_topics", "passages_posts")
#: Ordinary sentences that stand between.
NEUTRAL = (
    "The meeting starts at seven.", "The minutes are on the website.", "We will take questions afterwards.",
    "The hall holds two hundred people.", "The report has forty pages.", "Parking is behind the library.",
    "It rained most of last week.", "The vote is on Thursday.", "Copies are at the front desk.",
    "The survey closed in March.", "Two of the members sent apologies.", "The next item is the budget.",
)  # fmt: skip


def held_out(one_in: int) -> list[tuple[str, tuple[int, ...]]]:
    """The fallacious sentences of passages kept out of training, and the labels that are right."""
    texts: list[SentenceExample] = written_examples(ROOT / "data" / "passages_prose")
    for folder in FOLDERS:
        made = (example_of(p.record, taxonomy="mafalda") for p in read_passages(ROOT / "data" / folder))
        texts += [e for e in made if e is not None]
    found = []
    for e in texts:
        labels = {c for c in e.candidates if c}
        if len(labels) == 1 and is_held_out(e, one_in):
            marked = [i for i, f in enumerate(e.flagged) if f > 0.5]
            found.append((" ".join(e.sentences[marked[0] : marked[-1] + 1]), labels.pop()))
    return found


def joined(parts: Sequence[tuple[str, tuple[int, ...]]], rng: random.Random, between: str) -> tuple[str, list[str]]:
    """A text of passages with an ordinary sentence after each but the last, and these sentences."""
    neutral = rng.sample(NEUTRAL, len(parts) - 1)
    pieces = [piece for (text, _), n in zip(parts, [*neutral, ""], strict=True) for piece in (text, n) if piece]
    return between.join(pieces), neutral


def joined_rows(detector: SentenceDetector, one_in: int, texts: int, seed: int) -> Iterator[tuple[str, ...]]:
    labels = detector.scorer.labels
    passages = held_out(one_in)
    for n in (1, 2, 3, 4):
        for between in (" ", "\n\n") if n > 1 else (" ",):
            rng = random.Random(seed)
            right = total = flagged = neutral_total = 0
            for i in range(texts):
                parts: list[tuple[str, tuple[int, ...]]] = []
                while len(parts) < n:
                    drawn = rng.choice(passages)
                    if all(not set(drawn[1]) & set(p[1]) for p in parts):
                        parts.append(drawn)
                text, neutral = joined(parts, rng, between)
                spans = detector.detect(Record(str(i), text)).spans
                for passage, candidates in parts:
                    start = text.index(passage)
                    end = start + len(passage)
                    total += 1
                    right += any(labels.index(s.label) in candidates for s in spans if s.start < end and s.end > start)
                for sentence in neutral:
                    start = text.index(sentence)
                    end = start + len(sentence)
                    neutral_total += 1
                    flagged += any(s.start < end and s.end > start for s in spans)
            where = "alone" if n == 1 else "one paragraph" if between == " " else "a paragraph each"
            ordinary = f"{flagged / neutral_total:.2f}" if neutral_total else ""
            yield str(n), where, str(total), f"{right / total:.2f}", ordinary


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--one-in", type=int, default=12, help="as the training held out")
    parser.add_argument("--texts", type=int, default=60, help="of each length")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    detector = load_detector(args.system)
    assert isinstance(detector, SentenceDetector)
    columns = ("passages", "written", "in all", "right label", "ordinary sentence flagged")
    rows = tuple(joined_rows(detector, args.one_in, args.texts, args.seed))
    note = f"Of {len(held_out(args.one_in))} held-out passages with a fallacy, {args.texts} texts of each length."
    told([Measured("joined", detector.name, command_of(__file__, argv), columns, rows, note)], args.write)


if __name__ == "__main__":
    main()
