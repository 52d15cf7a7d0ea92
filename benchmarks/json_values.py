"""What a value costs to write and to read: by hand, as ``JsonValue`` does it, and by pydantic alone.

    python benchmarks/json_values.py

Microseconds of processor time a call, best of five times 20,000 calls, of a turn of a debate with its usage.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter

from fallax.core.types.debates import Turn
from fallax.core.types.messages import Usage

TURN = Turn(1, "faithful", "because " * 20, "raw " * 50, usage=Usage(100, 20, 0, 0, 1, None), quotes=("a", "b"))


def write_by_hand(turn: Turn) -> dict[str, Any]:
    found: dict[str, Any] = {"agent": turn.agent, "label": turn.label}
    for name in ("explanation", "raw", "unreadable", "carried", "model"):
        if getattr(turn, name):
            found[name] = getattr(turn, name)
    if turn.n_asked != 1:
        found["n_asked"] = turn.n_asked
    for name in ("quotes", "guidelines", "order"):
        if getattr(turn, name):
            found[name] = list(getattr(turn, name))
    found["usage"] = {name: getattr(turn.usage, name) for name in Usage.__dataclass_fields__}
    return found


def read_by_hand(value: dict[str, Any]) -> Turn:
    return Turn(
        value["agent"],
        value["label"],
        value.get("explanation", ""),
        value.get("raw", ""),
        value.get("unreadable", ""),
        value.get("carried", False),
        value.get("n_asked", 1),
        tuple(value.get("quotes", ())),
        tuple(value.get("guidelines", ())),
        tuple(value.get("order", ())),
        value.get("model", ""),
        Usage(**value.get("usage", {})),
    )


def microseconds(call: Callable[[], object], n: int = 20_000) -> float:
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        for _ in range(n):
            call()
        best = min(best, (time.process_time() - start) / n)
    return best * 1e6


def main() -> None:
    value, adapter = TURN.to_dict(), TypeAdapter(Turn)
    assert write_by_hand(TURN) == value
    assert read_by_hand(value) == Turn.from_dict(value) == TURN
    print(f"{'':6} {'by hand':>8} {'JsonValue':>10} {'pydantic':>9}")
    dump = microseconds(lambda: adapter.dump_python(TURN, mode="json"))
    write = (microseconds(lambda: write_by_hand(TURN)), microseconds(TURN.to_dict), dump)
    print(f"write  {write[0]:8.1f} {write[1]:10.1f} {write[2]:9.1f}   (pydantic: nothing is left out)")
    read = (microseconds(lambda: read_by_hand(value)), microseconds(lambda: Turn.from_dict(value)))
    print(f"read   {read[0]:8.1f} {read[1]:10.1f}")


if __name__ == "__main__":
    main()
