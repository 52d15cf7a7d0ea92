"""Record the replies of a local model over a whole set of summaries; killed at any moment, the same command resumes.

Zero-shot, chain of thought, debates with and without stances, self-consistency at the tokens of the debate, and
the detectors of ambiguity. Each is a run folder of ``fallax bench``, to be scored again without a model:

    python scripts/record_local_replies.py --out runs/local --model local/qwen2.5-1.5b-instruct
    fallax bench compare runs/local/* --score all

``SHA256SUMS`` in the folder has the checksum of every ``records.jsonl`` that is finished.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
from pathlib import Path

#: folder -> protocol and its options; ``like`` names the folder whose tokens a run is to take.
RUNS: dict[str, tuple[str, dict[str, str]]] = {
    "zero-shot": ("zero-shot", {"ambiguity": "taxonomy"}),
    "chain-of-thought": ("chain-of-thought", {}),
    "debate": ("madisse", {"ambiguity": "arguments"}),
    "debate-no-stances": ("madisse", {"stances": "none", "ambiguity": "disagreement"}),
    "self-consistency": ("self-consistency", {"like": "debate", "ambiguity": "variation"}),
}


def command(name: str, out: Path, model: str, data: str | None, more: list[str]) -> list[str]:
    """The command of one run."""
    protocol, options = RUNS[name]
    line = [sys.executable, "-m", "fallax", "bench", "run", "faithfulness", "--model", model, "--protocol", protocol]
    line += ["--out", str(out / name), *(["--data", data] if data else []), *more]
    for key, value in options.items():
        line += ["-P", f"{key}={out / value if key == 'like' else value}"]
    return line


def main() -> int:
    """Run what is not finished, one after another, and write the checksums."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", required=True, help="such as local/NAME; see: fallax models list")
    parser.add_argument("--data", help="folder or file with the data [$FALLAX_DATA]")
    parser.add_argument("--only", action="append", choices=RUNS, help="only these runs; repeatable")
    parser.add_argument("more", nargs="*", help="further options of fallax bench run, after --")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.only or RUNS:
        done = subprocess.run(command(name, given.out, given.model, given.data, given.more), check=False)
        if done.returncode not in (0, 3):  # 3: some rows failed; the next start asks them again
            return done.returncode
    records = sorted(given.out.glob("*/records.jsonl"))
    sums = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.relative_to(given.out)}\n" for p in records]
    (given.out / "SHA256SUMS").write_text("".join(sums))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
