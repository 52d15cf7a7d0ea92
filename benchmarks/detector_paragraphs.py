"""Do paragraphs change what is found: python benchmarks/detector_paragraphs.py [--write]

Ten texts written for this, of four or five sentences with one to three fallacies, each written in six ways: as one
paragraph, one sentence a paragraph, one sentence a line, in two paragraphs, with the line ends of Windows, and as a
page of HTML with one sentence a ``<p>``. Prints for each way how many of the texts keep their labels, and how many
sentences keep theirs, beside one paragraph.
"""

from __future__ import annotations

import html
import tempfile
from collections.abc import Sequence
from pathlib import Path

from _measured import command_of, parser_of, told

from fallax.core.types import Record
from fallax.data import read_texts
from fallax.detection.measured import Measured
from fallax.detection.systems import Detector, load_detector

CASES = (
    ("The council wants to close the swimming pool on Mondays.", "If we allow that, next year it will be Tuesdays as"
     " well, and in five years there will be no pool at all.", "The pool was built in 1974.", "The manager, who sits"
     " behind his desk all day and has never swum a length in his life, calls it a saving."),
    ("My uncle ate bacon every morning and lived to ninety-four.", "So all this talk about fat and the heart is"
     " nonsense.", "The hospital published its leaflet in March.", "Either you enjoy your food or you live on"
     " carrots like a rabbit."),
    ("Everybody in our street has bought one of these heaters.", "They cannot all be wrong, so it must be the best.",
     "It weighs eleven kilograms.", "The shop delivers on Thursdays."),
    ("The minister says that the bridge is safe.", "He also said last year that taxes would fall, and he is divorced.",
     "Why would anybody believe a word of it?", "The inspection took two days."),
    ("People have used willow bark for three thousand years.", "A remedy that has been trusted for so long cannot be"
     " harmful.", "It is natural, after all, and nature knows best.", "The pharmacy sells it in boxes of twenty."),
    ("Nobody has ever proved that the old mill is not haunted.", "So there must be something to it.", "The mill closed"
     " in 1951.", "The roof was repaired twice.", "Think of the poor children who lie awake at night because you"
     " laughed at them."),
    ("She asks for more money for the library.", "So she wants to take it from the hospitals and let the sick die in"
     " the corridors.", "The library opens at ten.", "There are only two kinds of people here: those who read and"
     " those who work."),
    ("After the new mayor took office, the rain stopped.", "It is plain that she brought us the drought.", "The"
     " reservoir holds four million litres.", "The committee meets on Thursday.", "A famous singer said the same on"
     " television, so it is settled."),
    ("You complain about my driving?", "You had a parking fine only last month.", "The fine was twenty pounds.",
     "People are starving in the world, and you worry about a scratch on a door."),
    ("The book is true because it says so on its first page, and what is written there is true.", "It has three hundred"
     " pages.", "The same people who dislike it also disliked the railway.", "The print is small."),
)  # fmt: skip


def ways(sentences: Sequence[str]) -> dict[str, str]:
    """The text in each way of writing."""
    half = len(sentences) // 2
    return {
        "one paragraph": " ".join(sentences),
        "a paragraph each": "\n\n".join(sentences),
        "a line each": "\n".join(sentences),
        "two paragraphs": " ".join(sentences[:half]) + "\n\n" + " ".join(sentences[half:]),
        "a paragraph each, line ends of Windows": "\r\n\r\n".join(sentences),
        "a page of HTML": "".join(f"<p>{html.escape(s)}</p>\n" for s in sentences),
    }


def record_of(way: str, text: str) -> Record:
    if way != "a page of HTML":
        return Record("text", text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(text, encoding="utf-8")
        return next(iter(read_texts(path)))


def labels_of(detector: Detector, record: Record, sentences: Sequence[str]) -> list[frozenset[str]]:
    """The labels at each sentence."""
    spans, at, found = detector.detect(record).spans, 0, []
    for sentence in sentences:
        start = record.text.index(sentence, at)
        at = start + len(sentence)
        found.append(frozenset(s.label for s in spans if s.start < at and s.end > start))
    return found


def paragraphs(detector: Detector, cases: Sequence[Sequence[str]], command: str) -> Measured:
    """One row for each way of writing."""
    first: list[list[frozenset[str]]] = []
    rows = []
    for way in ways(cases[0]):
        found = [labels_of(detector, record_of(way, ways(case)[way]), case) for case in cases]
        first = first or found
        pairs = [(a, b) for x, y in zip(first, found, strict=True) for a, b in zip(x, y, strict=True)]
        texts = sum(x == y for x, y in zip(first, found, strict=True))
        flagged = sum(any(x) for x in found)
        rows.append((way, f"{texts} of {len(cases)}", f"{sum(a == b for a, b in pairs)} of {len(pairs)}", f"{flagged}"))
    columns = ("written", "same labels, texts", "same labels, sentences", "texts with a finding")
    return Measured("paragraphs", detector.name, command, columns, tuple(rows))


def main(argv: Sequence[str] | None = None) -> None:
    args = parser_of(__doc__).parse_args(argv)
    told([paragraphs(load_detector(args.system), CASES, command_of(__file__, argv))], args.write)


if __name__ == "__main__":
    main()
