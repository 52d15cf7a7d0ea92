"""From an edit to its diagnostics, in milliseconds: python benchmarks/lsp_latency.py [--edits 30]

A Markdown file of 2,000 words is open in `fallax lsp`; one word is typed into a paragraph drawn at random, and the time
until the diagnostics of that version arrive is taken. The delay after an edit, 20 ms by default, is part of it. Then it
prints how often the findings, paragraph by paragraph, are those of the whole text read at once.
"""

import argparse
import os
import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fallax.core.texts import prose_of
from fallax.core.types import Record
from fallax.detection.systems import load_detector
from fallax.detection.systems.passages import read_passages
from fallax.integrations.lsp.paragraphs import ParagraphReader
from tests.support.language_client import LanguageClient

ROOT = Path(__file__).parents[1]
WORDS = 2000
LIMIT = 300


def paragraphs(draw: random.Random) -> list[str]:
    """Paragraphs of the pages, and every fifth a passage of the training corpus, most of which hold a fallacy."""
    prose = "\n\n".join(
        prose_of(p.read_text(encoding="utf-8"), "markdown") for p in sorted((ROOT / "docs").glob("*.md"))
    )
    pages = [p for p in (" ".join(p.split()) for p in prose.split("\n\n")) if 30 <= len(p.split()) <= 120]
    passages = [" ".join(p.record.text.split()) for p in read_passages(ROOT / "data" / "passages")]
    found: list[str] = []
    while sum(len(p.split()) for p in found) < WORDS:
        found.append(draw.choice(passages if len(found) % 5 == 4 else pages))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=30)
    n_edits = parser.parse_args().edits
    draw = random.Random(7)
    text = paragraphs(draw)
    client, uri = LanguageClient(), "file:///latency.md"
    begin = time.perf_counter()
    client.open(uri, "markdown", "\n\n".join(text))
    client.diagnostics(1)
    print(f"{sum(len(p.split()) for p in text)} words in {len(text)} paragraphs, {n_edits} edits")
    print(f"opened, the detector loaded: {1000 * (time.perf_counter() - begin):6.0f} ms")
    took = []
    for version in range(2, n_edits + 2):
        i = draw.randrange(len(text))
        words = text[i].split()
        words.insert(draw.randrange(len(words)), f"also{version}")
        text[i] = " ".join(words)
        begin = time.perf_counter()
        client.change(uri, version, "\n\n".join(text))
        client.diagnostics(version)
        took.append(1000 * (time.perf_counter() - begin))
        time.sleep(0.2)
    client.end()
    print(f"edit to diagnostics: median {statistics.median(took):6.0f} ms, slowest {max(took):6.0f} ms")
    n_within = sum(t <= LIMIT for t in took)
    print(f"within {LIMIT} ms: {n_within} of {n_edits}; load of the machine {os.getloadavg()[0]:.1f}")
    detector = load_detector()
    whole, reader = "\n\n".join(text), ParagraphReader(detector)
    begin = time.process_time()
    all_at_once = detector.detect(Record("r", whole)).spans
    print(f"processor time, the whole text at once: {1000 * (time.process_time() - begin):6.0f} ms")
    in_parts = reader.read(whole) or ()
    begin, before = time.process_time(), reader.n_read
    for i in range(n_edits):
        text[i] += " Again."
        reader.read("\n\n".join(text))
    spent, n_read = 1000 * (time.process_time() - begin) / n_edits, (reader.n_read - before) / n_edits
    print(f"processor time, after an edit:          {spent:6.0f} ms, {n_read:.1f} paragraphs read")
    one, other = ({(s.start, s.end) for s in spans} for spans in (all_at_once, in_parts))
    print(f"findings: {len(one)} at once, {len(other)} by paragraph, {len(one & other)} of the same place")


if __name__ == "__main__":
    main()
