"""Do marks and layout change what is found: python benchmarks/detector_robustness.py [--texts N] [--write]

Writes MAFALDA's development texts, all in one paragraph, in other ways that say the same: all capitals, no capitals,
curly quotes, a line each without final punctuation, one typo in every twelfth word, one sentence a paragraph or a line.
Prints for each the share of texts whose set of labels stays the same, the share of sentences whose flag stays the same,
and the share flagged. ``--write`` makes them rows of the detector's card.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

from _measured import command_of, parser_of, told

from fallax.core.types import Record
from fallax.data import load_dataset
from fallax.detection.measured import Measured
from fallax.detection.systems import Detector, load_detector
from fallax.detection.systems.base import parts_of

_WORD = re.compile(r"[^\W\d_]{4,}")


def curly(text: str) -> str:
    """Typographic quotes for straight ones."""
    text = re.sub(r'"(?=\w)', "“", text).replace('"', "”")
    return re.sub(r"(?<=\w)'(?=\w)", "’", text)


def with_typos(text: str) -> str:
    """Two letters inside every twelfth word of four letters or more change places."""
    draw = random.Random(text)
    number = draw.randrange(12)

    def changed(found: re.Match[str]) -> str:
        nonlocal number
        number += 1
        word = found[0]
        if number % 12:
            return word
        i = draw.randrange(1, len(word) - 2)
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]

    return _WORD.sub(changed, text)


#: What is done to each sentence, and what stands between sentences.
VARIANTS: dict[str, tuple[Callable[[str], str], str]] = {
    "as it is": (lambda x: x, " "),
    "all capitals": (str.upper, " "),
    "no capitals": (str.lower, " "),
    "curly quotes": (curly, " "),
    "a line each, no final punctuation": (lambda x: x.rstrip(".!?"), "\n"),
    "typos": (with_typos, " "),
    "a paragraph each": (lambda x: x, "\n\n"),
    "a line each": (lambda x: x, "\n"),
}


def rewritten(
    sentences: Sequence[str], change: Callable[[str], str], between: str
) -> tuple[str, list[tuple[int, int]]]:
    """The text and where each sentence stands in it."""
    text, places = "", []
    for sentence in sentences:
        said = change(sentence)
        text += between if text else ""
        places.append((len(text), len(text) + len(said)))
        text += said
    return text, places


def found_in(
    detector: Detector, title: str, text: str, places: Sequence[tuple[int, int]]
) -> tuple[set[str], list[bool]]:
    spans = detector.detect(Record("text", text, title=title)).spans
    return {s.label for s in spans}, [any(s.start < b and s.end > a for s in spans) for a, b in places]


def robustness(detector: Detector, records: Sequence[Record], command: str) -> Measured:
    """One row for each way of writing."""
    texts = []
    for record in records:
        parts = parts_of(record)
        sentences = [
            " ".join(record.text[a:b].split()) for i, (a, b) in enumerate(parts.places) if i not in parts.silent
        ]
        if sentences:
            texts.append((parts.title, sentences))
    rows = []
    first: list[tuple[set[str], list[bool]]] = []
    for name, (change, between) in VARIANTS.items():
        found = [found_in(detector, title, *rewritten(s, change, between)) for title, s in texts]
        first = first or found
        pairs = [(a, b) for (_, x), (_, y) in zip(first, found, strict=True) for a, b in zip(x, y, strict=True)]
        same = sum(a == b for (a, _), (b, _) in zip(first, found, strict=True)) / len(found)
        flag, flagged = (sum(map(of, pairs)) / len(pairs) for of in (lambda p: p[0] == p[1], lambda p: p[1]))
        rows.append((name, f"{same:.2f}", f"{flag:.2f}", f"{flagged:.2f}"))
    columns = ("written", "same labels, texts", "same flag, sentences", "sentences flagged")
    return Measured("robustness", detector.name, command, columns, tuple(rows), f"{len(texts)} texts of MAFALDA.")


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--texts", type=int, default=100)
    args = parser.parse_args(argv)
    records = list(load_dataset("mafalda", taxonomy="mafalda"))[: args.texts]
    told([robustness(load_detector(args.system), records, command_of(__file__, argv))], args.write)


if __name__ == "__main__":
    main()
