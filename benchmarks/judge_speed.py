"""Sentences a second of the local judges, cold start and memory: python benchmarks/judge_speed.py

Against documents of 1,500 words that differ for each summary of four sentences; then the same model through torch,
with its matrices in 8 and in 32 bits.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.core.types import Judge
from fallax.encoders import open_model, read_card
from fallax.entailment import EntailmentModel, shipped_entailment
from fallax.faithfulness.systems import load_local_judge
from fallax.faithfulness.systems.entailed import EntailmentJudge
from fallax.models.larger import ENTAILMENT_LARGE

WORDS = re.findall(
    r"\w+",
    "council budget harbour winter report union roof engineer valley school minister bridge "
    "river factory market teacher harvest clinic museum railway storm contract garden council "
    "voted raised opened closed repaired paid signed near",
)
DOCUMENT_SENTENCES, SUMMARY_SENTENCES = 88, 4
SUMMARY = "The council met in March. Nobody opened the bridge."
_USED = """
import asyncio, pathlib, random, resource, re, sys
sys.path.insert(0, {here!r})
from judge_speed import pair
from fallax.faithfulness.systems import load_local_judge
judge, draw = load_local_judge("entailment"), random.Random(7)
for _ in range({n}):
    asyncio.run(judge.judge(*pair(draw)))
# Linux counts the memory of the process that started this one into ru_maxrss, and not into VmHWM
status = pathlib.Path("/proc/self/status")
own = re.search(r"VmHWM:\\s+(\\d+)", status.read_text()) if status.exists() else None
print(own[1] if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def sentence(draw: random.Random) -> str:
    return f"The {' '.join(draw.choices(WORDS, k=draw.randint(10, 22)))}."


def pair(draw: random.Random) -> tuple[str, str]:
    """A document of about 1,500 words and a summary of four sentences."""
    document, summary = ([sentence(draw) for _ in range(n)] for n in (DOCUMENT_SENTENCES, SUMMARY_SENTENCES))
    return " ".join(document), " ".join(summary)


class TorchSession:
    """The encoder of a folder in torch, in place of the onnxruntime session; its matrices in 8 or in 32 bits."""

    def __init__(self, *, bits: int) -> None:
        import onnx
        import torch

        from fallax.encoders.training.base import Base
        from fallax.encoders.training.bert import Bert
        from fallax.encoders.training.reopen import exported_state

        with resources.as_file(shipped_entailment() / "encoder.onnx") as path:
            shapes = {t.name: list(t.dims) for t in onnx.load(str(path)).graph.initializer}
            layers = {name.split(".")[2] for name in shapes if name.startswith("bert.layers.")}
            config = {
                "hidden_size": shapes["bert.norm.weight"][0],
                "num_attention_heads": 12,
                "num_hidden_layers": len(layers),
                "intermediate_size": shapes["bert.layers.0.up.bias"][0],
                "max_position_embeddings": shapes["bert.positions.weight"][0],
                "type_vocab_size": 2,
                "vocab_size": 1,  # word vectors come from outside
            }
            bert = Bert(config, 0.0, paired=True)
            bert.load_state_dict(exported_state(path, Base(config, bert.state_dict(), None, b"", "")))
        self._torch = torch
        self._bert = bert.eval()
        if bits == 8:
            torch.backends.quantized.engine = (
                "x86" if "x86" in torch.backends.quantized.supported_engines else "qnnpack"
            )
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore"
                )  # eager quantisation is called deprecated; nothing else needs no package
                self._bert = torch.ao.quantization.quantize_dynamic(self._bert, {torch.nn.Linear}, dtype=torch.qint8)

    def run(self, _: None, given: Mapping[str, Any]) -> list[npt.NDArray[np.float32]]:
        with self._torch.inference_mode():
            vectors, ids = (self._torch.from_numpy(given[n])[None] for n in ("vectors", "ids"))
            return [self._bert.of_vectors(ids, vectors, None)[0].numpy()]


def through_torch(bits: int) -> EntailmentJudge:
    """The same judge, its encoder in torch."""
    base = shipped_entailment()
    about = read_card(base, what="an entailment model")
    model = replace(open_model(base, about, what="an entailment model"), session=TorchSession(bits=bits))
    return EntailmentJudge(EntailmentModel(model, name=f"torch-{bits}-bit", about=about))


def measure(name: str, judge: Judge, n_pairs: int) -> None:
    draw = random.Random(7)
    asyncio.run(judge.judge("The council met.", SUMMARY))  # what is made once is made here
    begin, busy = time.perf_counter(), time.process_time()
    for _ in range(n_pairs):
        asyncio.run(judge.judge(*pair(draw)))
    n = n_pairs * SUMMARY_SENTENCES
    spent, used = time.perf_counter() - begin, time.process_time() - busy
    print(f"{name:28} {n / spent:8.1f} sentences a second; {1000 * used / n:8.2f} ms of processor each", flush=True)


def cold(times: int) -> tuple[float, float]:
    """Seconds of the clock and of the processor from the shell's call to its verdict; the best of some."""
    found = []
    for _ in range(times):
        with TemporaryDirectory() as folder:
            document, summary = Path(folder, "document.txt"), Path(folder, "summary.txt")
            document.write_text("The council met in March. The bridge was opened by the mayor.", encoding="utf-8")
            summary.write_text(SUMMARY, encoding="utf-8")
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "fallax", "debate", "--quick", "--document", str(document), "--summary",
                 str(summary)],
                check=False, capture_output=True,
            )  # fmt: skip
            spent, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            found.append((spent, used))
    return min(s for s, _ in found), min(u for _, u in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=8, help="documents")
    parser.add_argument("--no-torch", action="store_true", help="leave torch out")
    args = parser.parse_args()
    larger = (ENTAILMENT_LARGE.name,) if ENTAILMENT_LARGE.is_here() else ()  # it has to be fetched
    for name in ("lexical-overlap", "embedding-similarity", "entailment", *larger):
        measure(name, load_local_judge(name), args.n)
    if not args.no_torch:
        for bits in (8, 32):
            measure(f"entailment, torch {bits} bit", through_torch(bits), args.n)
    spent, used = cold(3)
    print(f"cold fallax debate --quick: {spent:.2f} s, {used:.2f} s of processor")
    code = _USED.format(here=str(Path(__file__).parent), n=args.n)
    peak = int(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    print(f"peak memory of a process that judges {args.n} documents: {peak / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
