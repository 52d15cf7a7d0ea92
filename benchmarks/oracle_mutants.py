"""Mutants of the strict rule file: how many the oracle's own tests tell from the right one.

    python benchmarks/oracle_mutants.py [-n 40] [--seed 0]

Each mutant drops a condition, swaps two slots, lists facts in another order or turns the search round. It is killed
when
the rules then derive something else than the second evaluator from the instances of ``tests/unit/oracle``. Survivors
are
printed; the exit code is their number.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.unit.oracle.second_opinion import disagreements, mutants  # noqa: E402


def main() -> int:
    """Try the mutants."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    survived = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "changed.pl")
        for fallacy, what, rules in mutants(args.n, args.seed):
            path.write_text(rules, encoding="utf-8")
            tried += 1
            if not disagreements(fallacy, str(path)):
                survived += 1
                print(f"survived: {fallacy}: {what}", flush=True)
    print(f"{tried - survived} of {tried} mutants killed")
    return survived


if __name__ == "__main__":
    sys.exit(main())
