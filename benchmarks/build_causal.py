"""A data set of SUP, REF and NEI claims built from WikiWhy, killed on the way and continued; how it comes out.

FALLAX_DATA=... python benchmarks/build_causal.py [--pairs 100] [--kills 3]

The writer is a stub behind a local endpoint that makes its replies of the words of each question: what is measured is
the build, not the claims.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fallax.causality.building.checks import same_text
from fallax.data import read_claims
from tests.support.building import Build, asked_twice, reply_to
from tests.support.stub_endpoint import Answer, StubEndpoint, completion


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--kills", type=int, default=3)
    args = parser.parse_args()
    words = ("--limit", str(args.pairs))

    def script(body: dict, number: int) -> Answer:  # type: ignore[type-arg]
        return Answer(completion(reply_to(body["messages"][-1]["content"])))

    with tempfile.TemporaryDirectory() as folder, StubEndpoint(script=script, latency=0.01) as stub:
        whole = Build(stub, "wikiwhy", Path(folder, "whole"), *words)
        began = time.perf_counter()
        numbers = whole.finish()
        print(f"{time.perf_counter() - began:.1f} s for {numbers['claims']['n']} claims without a kill")
        print(numbers)
        stub.seen.clear()
        torn = Build(stub, "wikiwhy", Path(folder, "torn"), *words)
        for _ in range(args.kills):
            torn.kill_after(args.pairs * 6 // (args.kills + 2))
        numbers = torn.finish()
        same = torn.content() == whole.content()
        print(
            f"{args.kills} kills: the same bytes: {same}; steps taken over from before the last kill:", numbers["steps"]
        )
        print(f"questions asked again: {asked_twice(stub.seen)} of {len(stub.seen)}")
        claims = read_claims(torn.out / "claims.jsonl").claims
        own: dict[str, set[str]] = {}
        for c in claims:
            own.setdefault(c.group, set()).update(same_text(e.text) for e in c.evidence if e.useful is not False)
        wrong = sum(same_text(e.text) in own[c.group] for c in claims for e in c.distractors)
        print(f"verdicts: {dict(Counter(c.label for c in claims))}; distractors that are the pair's own: {wrong}")
        if not same or wrong or len(claims) != 3 * args.pairs:
            sys.exit(1)


if __name__ == "__main__":
    main()
