"""A run that is killed again and again ends with the same bytes, and asks nothing twice that had been answered.

    python benchmarks/kills.py                        # 50 kills over 500 records, about four minutes
    python benchmarks/kills.py --kills 5 --records 60

``fallax bench run`` asks a stub in this process about made-up texts, two questions each, and is killed with SIGKILL at
random moments: some while it starts, most while it asks. Then it is run to its end, and once more elsewhere without
interruption. run.json, records.jsonl and scores.json must be equal byte for byte. A question may reach the stub again
only if its answer was not there yet when the process was killed: the stub had not sent it, or had sent it so shortly
before that it was not stored yet (--slack seconds; an answer is stored before it is used).
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("OPENAI_API_KEY", "unused")

from tests.support.killing import FILES, Job, asked_again, script, sent_before_kill, write_texts
from tests.support.stub_endpoint import StubEndpoint


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--records", type=int, default=500)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--longest", type=float, default=1.0, help="seconds from the first question to the kill")
    parser.add_argument("--slack", type=float, default=0.25)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, StubEndpoint(latency=given.latency, script=script) as stub:
        folder = Path(name)
        texts = folder / "texts.jsonl"
        write_texts(texts, given.records)
        (folder / "killed").mkdir()
        (folder / "whole").mkdir()
        job = Job(stub, texts, folder / "killed", connections=given.connections)
        done = job.kill(given.kills, given.seed, given.longest)
        rows = job.run / "records.jsonl"
        n_rows = rows.read_bytes().count(b"\n") if rows.exists() else 0
        job.finish()
        seen = list(stub.seen)
        in_spite = job.asked_in_spite_of_the_cache()
        whole = Job(stub, texts, folder / "whole", connections=given.connections)
        whole.finish()
        same = {name: job.content()[name] == whole.content()[name] for name in FILES}
    again = [sent_before_kill(one, done.kills) for one in asked_again(seen)]
    sent = sorted(gap for gap in again if gap is not None)
    print(f"{len(done.kills)} kills over {given.records} records, {n_rows} rows were there after the last")
    print(f"  {len(seen)} calls reached the stub for {2 * given.records} questions: {len(again)} came again,")
    print(f"  {len(again) - len(sent)} of them unanswered when the process was killed, {len(sent)} sent just before")
    if sent:
        median = 1000 * statistics.median(sent)
        print(f"  (median {median:.0f}, at most {1000 * max(sent):.0f} ms; {1000 * given.slack:.0f} allowed)")
    print(f"  {len(in_spite)} of them after their answer was stored")
    print("  " + ", ".join(f"{name} {'the same' if ok else 'DIFFERS'}" for name, ok in same.items()))
    within = len(done.kills) == given.kills and all(gap <= given.slack for gap in sent)
    return 0 if all(same.values()) and within and not in_spite else 1


if __name__ == "__main__":
    raise SystemExit(main())
