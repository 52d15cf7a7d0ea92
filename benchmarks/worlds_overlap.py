"""What two fresh sets of different seeds have in common, and how many different instances a type has.

    python benchmarks/worlds_overlap.py [-n 200] [--distinct 6000]

Two seeds, n worlds of each of 14 types: texts that are equal, instances (all facts of a world, with the words of its
atoms) that are equal, and cores that are equal (an instance without its people, places, numbers; two sets share cores
where a type is bounded by the words that the grammar knows). Then, over --distinct draws of one seed, the different
instances and cores of each type.
"""

from __future__ import annotations

import argparse

from fallax.generation.worlds.make import GRAMMARS, make_world
from fallax.generation.worlds.world import World


def instance(world: World) -> str:
    """All facts of a world, under one id."""
    return "\n".join(sorted(str(f).replace(f"({world.id},", "(") for f in world.facts["fallacy"]))


def text(world: World) -> str:
    """Premises and conclusion."""
    return " ".join((*(s.text for s in world.premises["fallacy"]), world.conclusions["fallacy"]))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=200)
    parser.add_argument("--distinct", type=int, default=6000)
    args = parser.parse_args()
    same = [0, 0, 0]
    for fallacy in GRAMMARS:
        one, two = ([make_world(fallacy, seed, i) for i in range(args.n)] for seed in ("one", "two"))
        for place, key in enumerate((text, instance, lambda w: w.core)):
            known = {key(w) for w in one}
            same[place] += sum(key(w) in known for w in two)
    total = args.n * len(GRAMMARS)
    for what, n in zip(("texts", "instances", "cores"), same, strict=True):
        print(f"{what:10} in common: {n} of {total} ({1000 * n / total:.2f} in 1,000)")
    for fallacy in GRAMMARS:
        worlds = [make_world(fallacy, "distinct", i) for i in range(args.distinct)]
        n = len({instance(w) for w in worlds}), len({w.core for w in worlds})
        print(f"{fallacy:36} {n[0]} different instances, {n[1]} cores, of {args.distinct} drawn", flush=True)


if __name__ == "__main__":
    main()
