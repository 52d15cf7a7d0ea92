"""Record the replies of a local model over a whole set of summaries; killed at any moment, the same command resumes.

Zero-shot, chain of thought, debates with and without stances, self-consistency at the tokens of the debate, and the
four detectors of ambiguity. Each is a run folder of ``fallax bench``, to be scored again without a model:

    python scripts/record_local_replies.py --output runs/local --model local/qwen2.5-coder-1.5b
    fallax data stats runs/local
    fallax bench compare runs/local/*/ --score all

Runs share ``cache.sqlite``, so a debate is held once for the detectors that look at it. ``SHA256SUMS`` in the folder
has the checksum of every ``records.jsonl``; ``fallax data stats`` compares them. ``scripts/serve_batched.py`` serves
the same model faster, to be asked with ``--max-connections`` and a model of ``llamacpp/``.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
from pathlib import Path

DEBATE = {"agents": "2", "rounds": "2", "adjudicators": "1", "max_tokens": "400"}
#: folder -> protocol and its options; ``like`` names the folder whose tokens a run is to take.
RUNS: dict[str, tuple[str, dict[str, str]]] = {
    "zero-shot": ("zero-shot", {"ambiguity": "taxonomy", "max_tokens": "300"}),
    "chain-of-thought": ("chain-of-thought", {"max_tokens": "600"}),
    "debate": ("madisse", {**DEBATE, "ambiguity": "disagreement"}),
    "debate-arguments": ("madisse", {**DEBATE, "ambiguity": "arguments"}),
    "debate-no-stances": ("madisse", {**DEBATE, "stances": "none"}),
    "self-consistency": (
        "self-consistency",
        {"like": "debate", "think": "true", "ambiguity": "variation", "max_tokens": "400"},
    ),
}


def command(name: str, out: Path, model: str, data: str | None, at_once: int, more: list[str]) -> list[str]:
    """The command of one run."""
    protocol, options = RUNS[name]
    line = [sys.executable, "-m", "fallax", "bench", "run", "faithfulness", "--model", model, "--protocol", protocol]
    line += ["--output", str(out / name), "--cache", str(out / "cache.sqlite"), "--max-connections", str(at_once)]
    line += ["-M", "context=8192"] if model.startswith("local/") else []
    line += [*(["--data", data] if data else []), *more]
    for key, value in options.items():
        line += ["-P", f"{key}={out / value if key == 'like' else value}"]
    return line


def main() -> int:
    """Run what is not finished, one after another, and write the checksums."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--model", required=True, help="such as local/NAME; see: fallax models list")
    parser.add_argument("--data", help="folder or file with the data [$FALLAX_DATA]")
    parser.add_argument("--max-connections", type=int, default=1, help="calls at a time [1]")
    parser.add_argument("--only", action="append", choices=RUNS, help="only these runs; repeatable")
    parser.add_argument("more", nargs="*", help="further options of fallax bench run, after --")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    for name in given.only or RUNS:
        done = subprocess.run(
            command(name, given.output, given.model, given.data, given.max_connections, given.more), check=False
        )
        if done.returncode not in (0, 3):  # 3: some rows failed; the next start asks them again
            return done.returncode
    records = sorted(given.output.glob("*/records.jsonl"))
    sums = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.relative_to(given.output)}\n" for p in records]
    (given.output / "SHA256SUMS").write_text("".join(sums))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
