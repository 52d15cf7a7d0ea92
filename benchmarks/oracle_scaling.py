"""How the strict rules scale, and what one check costs.

    python benchmarks/oracle_scaling.py [--sizes 1000,10000,100000] [--fallacy false_cause] [--json]

Each instance is a copy of a shipped one under another id. Times are processor seconds of the query inside SWI-Prolog;
the ratio divides the time per instance by that at the smallest size (1 is linear). Budget: 100,000 instances of any
fallacy in under 2 s; one instance, process start included, in under 50 ms.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time

from fallax.core.types.logic import Fact
from fallax.oracle import Oracle, OracleLimits, load_rule_base, seed_facts
from fallax.oracle._oracle import statements
from fallax.oracle._process import ask

LIMITS = OracleLimits(wall_seconds=300, cpu_seconds=300, memory_mb=8192, stack_mb=2048, max_input_bytes=2_000_000_000)


def copies(fallacy: str, n: int) -> list[Fact]:
    """The statements of n instances of a fallacy."""
    groups: dict[str, list[Fact]] = {}
    for fact in statements(seed_facts(fallacy), load_rule_base("strict")):
        groups.setdefault(str(fact.args[0]), []).append(fact)
    patterns = list(groups.values())
    found = []
    for i in range(n):
        found += [Fact(f.predicate, (f"i{i}", *f.args[1:])) for f in patterns[i % len(patterns)]]
    return found


def query_seconds(fallacy: str, n: int) -> tuple[float, int, float]:
    """Processor seconds of the query, solutions, inferences per fact."""
    base = load_rule_base("strict")
    facts = copies(fallacy, n)
    answer = ask(base, facts, fallacy=fallacy, limit=10**9, limits=LIMITS, output="count")
    return answer.milliseconds / 1000, answer.n_found, answer.inferences / len(facts)


def latency(fallacy: str, repeats: int = 15) -> float:
    """Median wall seconds of one check of one instance, its facts read already."""
    facts = seed_facts(fallacy)
    first = [f for f in facts if f.args[0] == facts[0].args[0]]
    oracle = Oracle()
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        oracle.check(first)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main() -> int:
    """Print the table; status 1 if a budget is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--fallacy", help="one type only")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    sizes = [int(s) for s in args.sizes.split(",")]
    names = [load_rule_base("strict").resolve(args.fallacy)] if args.fallacy else load_rule_base("strict").fallacies
    rows = []
    for name in names:
        row: dict[str, object] = {"fallacy": name, "one_check_ms": round(latency(name) * 1000, 1)}
        first = 0.0
        for n in sizes:
            seconds, found, steps = query_seconds(name, n)
            first = first or seconds / n
            row[f"{n}_s"], row[f"{n}_ratio"] = round(seconds, 3), round(seconds / n / first, 2)
            row["solutions_per_instance"], row["inferences_per_fact"] = found / n, round(steps, 1)
        rows.append(row)
        if not args.json:
            shown = "  ".join(f"{n:>7}: {row[f'{n}_s']:>6} s (x{row[f'{n}_ratio']})" for n in sizes)
            print(f"{name:36} {row['one_check_ms']:>6} ms  {shown}  {row['inferences_per_fact']} inf/fact", flush=True)
    if args.json:
        print(json.dumps(rows, indent=1))
    slow = [r for r in rows if float(str(r["one_check_ms"])) > 50 or float(str(r.get("100000_s", 0))) > 2]
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
