"""What asking why costs: python benchmarks/detector_explain.py [--times N] [--write]

Examines the demo texts with and without ``explain=True``, as ``fallax detect --explain`` does, and prints the seconds
of a processor of each (the least of N turns), how many passages have a formal template of which at least half of the
slots are filled, how many have none, and how many of the words that moved the score are content words.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from _measured import ROOT, command_of, least_seconds, parser_of, told

import fallax as fx
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import content_words
from fallax.detection.measured import Measured
from fallax.detection.systems import load_detector

TEXTS = ("editorial.txt", "plain.txt", "review.txt", "minutes.txt", "structure.txt")


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--times", type=int, default=5)
    args = parser.parse_args(argv)
    texts = [(ROOT / "examples" / name).read_text(encoding="utf-8") for name in TEXTS]
    detector = load_detector(args.system)

    def examined(explain: bool) -> list[Any]:
        return [fx.detect(text, system=detector, explain=explain) for text in texts]

    explained = [pair for found in examined(True) for pair in zip(found.spans, found.explanations, strict=True)]
    alone, both = (
        least_seconds(args.times, partial(examined, explain), time.process_time) for explain in (False, True)
    )
    taxonomy = load_taxonomy(detector.taxonomy)
    templates = [(taxonomy[s.label].template, e) for s, e in explained if e.template]
    half = sum(t is not None and 2 * len(e.slots) >= len(t.slots) for t, e in templates)
    words = [word for _, e in explained for word, _ in e.evidence]
    rows = (
        ("seconds of a processor to detect", f"{alone:.3f}"),
        ("to detect and explain", f"{both:.3f}"),
        ("times as much", f"{both / alone:.2f}"),
        ("passages explained", str(len(explained))),
        ("with a template, half or more of its slots filled", f"{half} of {len(templates)}"),
        ("without a template, since less could be filled", str(len(explained) - len(templates))),
        ("words named that are content words", f"{sum(bool(content_words(w)) for w in words)} of {len(words)}"),
    )
    note = f"The demo texts {', '.join(TEXTS)}."
    told([Measured("explaining", detector.name, command_of(__file__, argv), ("what", ""), rows, note)], args.write)


if __name__ == "__main__":
    main()
