"""Speed and memory of the embedded detector: python benchmarks/detector_speed.py [--base FOLDER] [--write]

Prints sentences per second of whole texts and of single sentences (splitting included), the time of a cold
``fallax detect`` as a process of its own, and the peak memory. With ``--base FOLDER`` (an encoder's config.json,
model.safetensors, tokenizer.json) and torch it runs as many encoders of that kind unquantised beside it: window by
window, and in padded batches of 32 sentences as sentence-transformers does; sentence-transformers itself where it is
installed.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from _measured import ROOT, command_of, least_seconds, parser_of, told

from fallax.core.types import Record
from fallax.detection.measured import Measured
from fallax.detection.systems import load_detector
from fallax.detection.systems.base import parts_of
from fallax.detection.systems.encoder import JoinedStates
from fallax.detection.systems.passages import read_passages


def cold_start() -> float:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("You are a fool, so you are wrong. The kettle is on the stove.")
        file.flush()
        words = [sys.executable, "-m", "fallax", "detect", "--json", file.name]
        return least_seconds(3, lambda: subprocess.run(words, check=True, capture_output=True))


def beside(base: Path, sentences: list[str], texts: list[list[str]], times: int, encoders: int) -> dict[str, float]:
    """Seconds of so many encoders in torch."""
    import torch

    from fallax.detection.training.batches import collate, tokens_of
    from fallax.detection.training.examples import SentenceExample
    from fallax.encoders.training.base import load_base
    from fallax.encoders.training.bert import Bert

    torch.set_num_threads(2)
    read = load_base(base)
    encoder = Bert(read.config, 0.0).eval()
    encoder.load_state_dict(read.state)

    def run(groups: list[list[list[str]]]) -> None:
        for group in groups:
            n = [(0.0,) * len(t) for t in group]
            found = [SentenceExample("", "", tuple(t), z, z, ((),) * len(t)) for t, z in zip(group, n, strict=True)]
            batch = collate(tokens_of(read.tokenizer, found))
            with torch.no_grad():
                for _ in range(encoders):
                    encoder(batch.ids, batch.attention)

    by_length = sorted(sentences, key=len)
    batches = [[[s] for s in by_length[i : i + 32]] for i in range(0, len(by_length), 32)]
    found = {
        "torch fp32, a text at a time": least_seconds(times, lambda: run([[t] for t in texts])),
        "torch fp32, batches of 32 sentences": least_seconds(times, lambda: run(batches)),
    }
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        return found
    model = SentenceTransformer(str(base), device="cpu")
    found["sentence-transformers"] = least_seconds(
        times, lambda: [model.encode(sentences, batch_size=32) for _ in range(encoders)]
    )
    return found


def main(argv: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--base", type=Path)
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--times", type=int, default=3)
    args = parser.parse_args(argv)
    records = [p.record for p in read_passages(ROOT / "data" / "passages")][:: 3250 // args.texts][: args.texts]
    split = [[r.text[a:b] for a, b in parts_of(r).places] for r in records]
    sentences = [s for text in split for s in text]
    start = time.perf_counter()
    detector = load_detector(args.system)
    loading = time.perf_counter() - start
    whole = least_seconds(args.times, lambda: [detector.detect(r) for r in records])
    busy = least_seconds(1, lambda: [detector.detect(r) for r in records], time.process_time)
    alone = [Record(str(i), s) for i, s in enumerate(sentences)]
    single = least_seconds(args.times, lambda: [detector.detect(r) for r in alone])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rows = [
        ("sentences a second, whole texts", f"{len(sentences) / whole:.0f}"),
        ("the same, a second of one processor", f"{len(sentences) / busy:.0f}"),
        ("sentences a second, single sentences", f"{len(sentences) / single:.0f}"),
        ("seconds to load", f"{loading:.2f}"),
        ("seconds of a cold `fallax detect`", f"{cold_start():.1f}"),
        ("peak of memory, MB", f"{peak:.0f}"),
    ]
    if args.base:
        scorer: Any = getattr(detector, "scorer", None)
        encoders = 2 if isinstance(getattr(scorer, "model", None), JoinedStates) else 1
        for name, seconds in beside(args.base, sentences, split, args.times, encoders).items():
            rows.append((f"times as fast as {name}", f"{seconds / whole:.1f}"))
    note = f"{len(records)} texts, {len(sentences)} sentences; splitting into sentences included."
    told([Measured("speed", detector.name, command_of(__file__, argv), ("what", ""), tuple(rows), note)], args.write)


if __name__ == "__main__":
    main()
