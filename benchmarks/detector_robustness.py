"""Do marks and layout change what is found: python benchmarks/detector_robustness.py [--texts N] [--json]

Writes MAFALDA's development texts, all in one paragraph, in other ways that say the same: all capitals, no capitals,
curly quotes, a line each without final punctuation, one typo in every twelfth word, one sentence a paragraph or a line.
Prints for each the share of texts whose set of labels stays the same, the share of sentences whose flag stays the same,
and the share flagged. ``--json`` prints the rows as a card can have them, under "robustness".
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Sequence

from fallax.core.types import Record
from fallax.data import load_dataset
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


def robustness(detector: Detector, records: Sequence[Record]) -> list[dict[str, float | str]]:
    """One row for each way of writing."""
    texts = []
    for record in records:
        parts = parts_of(record)
        sentences = [
            " ".join(record.text[a:b].split()) for i, (a, b) in enumerate(parts.places) if i not in parts.silent
        ]
        if sentences:
            texts.append((parts.title, sentences))
    rows: list[dict[str, float | str]] = []
    first: list[tuple[set[str], list[bool]]] = []
    for name, (change, between) in VARIANTS.items():
        found = [found_in(detector, title, *rewritten(s, change, between)) for title, s in texts]
        first = first or found
        pairs = [(a, b) for (_, x), (_, y) in zip(first, found, strict=True) for a, b in zip(x, y, strict=True)]
        rows.append(
            {
                "written": name,
                "same_labels": round(sum(a == b for (a, _), (b, _) in zip(first, found, strict=True)) / len(found), 3),
                "same_flag": round(sum(a == b for a, b in pairs) / len(pairs), 3),
                "flagged": round(sum(b for _, b in pairs) / len(pairs), 3),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--detector", default="encoder")
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    detector = load_detector(args.detector)
    rows = robustness(detector, list(load_dataset("mafalda", taxonomy="mafalda"))[: args.texts])
    if args.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{detector.name}\n| written | same labels | same flag, sentences | sentences flagged |\n|---|---|---|---|")
    for row in rows:
        print(f"| {row['written']} | {row['same_labels']:.3f} | {row['same_flag']:.3f} | {row['flagged']:.3f} |")


if __name__ == "__main__":
    main()
