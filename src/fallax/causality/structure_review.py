"""Review files in which people compare structures with references, in an order that hides which is which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from fallax.causality.protocols.structure_judging import judgement_of_sides, numbered, sides_of
from fallax.core.types import REASONING_TYPES, StructureComparison, StructureJudgement
from fallax.data.review_blocks import ReviewFile, ReviewProblem, quoted, raise_first
from fallax.errors import InputError, UnknownNameError, one_line

__all__ = ["check_structure_review", "read_structure_review", "write_structure_review"]

_HEADER = "# fallax structure review 1"
_LINE = re.compile(r"\s*(?P<name>(?:valid|step)\s+[AB]\d*|better|note)\s*:(?P<value>.*)")
_ALLOWED: Mapping[str, tuple[str, ...]] = {
    "better": ("A", "B", "tie"),
    "valid": ("yes", "no"),
    "step": tuple(REASONING_TYPES),
}


def write_structure_review(path: str | Path, items: Iterable[StructureComparison], *, seed: int) -> int:
    """Write a block per structure with its reference; returns the number of blocks.

    Raises
    ------
    InputError
        If there is something at the path already: people may have written into it.
    """
    kinds = "\n".join(f"#   {name}: {about}" for name, about in REASONING_TYPES.items())
    lines = [
        _HEADER,
        "# One block a claim. Write behind the colons; what you leave empty is not judged.",
        "# valid: yes or no, is the structure logically coherent? better: A, B or tie. step: its kind, of these:",
        kinds,
    ]
    n = 0
    for item in items:
        n += 1
        lines += ["", f"== {quoted(item.id)}", f"# claim: {quoted(item.claim)}", f"# verdict: {item.label or 'none'}"]
        for side, (_, structure) in sides_of(item, seed=seed).items():
            lines.append(f"# structure {side}")
            structure = numbered(structure, side)
            lines += [f"#   {quoted(e.id)}: {quoted(e.text)}" for e in structure.evidence]
            lines.append(f"valid {side}:")
            for i, step in enumerate(structure.steps, start=1):
                lines += [f"#   {one_line(step, 200)}", f"step {side}{i}:"]
        if item.gold is not None:
            lines.append("better:")
        lines.append("note:")
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as f:
            f.write("\n".join(lines) + "\n")
    except FileExistsError:
        raise InputError(f"{path}: exists already, and people may have written into it; name another file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    return n


def _read(
    path: str | Path, items: Mapping[str, StructureComparison], seed: int
) -> tuple[list[StructureJudgement], tuple[ReviewProblem, ...]]:
    file = ReviewFile(path, header=_HEADER, of="claim", line=_LINE, form="'valid A:', 'step A1:', 'better:' or 'note:'")
    if not file.is_review:
        raise_first(file.problems)
    notes: dict[str, list[str]] = {}
    for block in file.blocks:
        if block.id not in items:
            file.fault(block.line, f"{one_line(block.id, 40)!r} is none of the claims")
        for line in block.lines:
            key = " ".join(line.name.split())
            allowed = _ALLOWED.get(key.partition(" ")[0], ())
            if key == "note":
                notes.setdefault(block.id, []).append(line.value)
            elif line.value and line.value not in allowed:
                file.fault(line.number, str(UnknownNameError(f"value of {key!r}", line.value, allowed)))
            elif line.value:
                file.keep(block, key, line)
    judged = []
    for block in file.blocks:
        id_ = block.id
        if id_ not in items or file.places[id_] != block.line:
            continue
        sides = sides_of(items[id_], seed=seed)
        known = {"better"} if len(sides) > 1 else set()
        known |= {f"valid {s}" for s in sides}
        known |= {f"step {s}{i}" for s, (_, x) in sides.items() for i in range(1, x.n_steps + 1)}
        for key, (number, _) in block.values.items():
            if key not in known:
                file.fault(number, f"{key!r} is nothing that this block asks for")
        said = {key: value for key, (_, value) in block.values.items()}
        judged.append(
            judgement_of_sides(
                items[id_],
                seed=seed,
                valid={s: said[f"valid {s}"] == "yes" if f"valid {s}" in said else None for s in sides},
                prefer=said.get("better"),
                steps={
                    s: tuple(said.get(f"step {s}{i}", "") for i in range(1, x.n_steps + 1))
                    for s, (_, x) in sides.items()
                },
                note="\n".join(x for x in notes.get(id_, ()) if x),
            )
        )
    return judged, file.sorted_problems()


def check_structure_review(
    path: str | Path, items: Iterable[StructureComparison], *, seed: int
) -> tuple[ReviewProblem, ...]:
    """All problems of a review file of structures, by line."""
    return _read(path, {i.id: i for i in items}, seed)[1]


def read_structure_review(
    path: str | Path, items: Iterable[StructureComparison], *, seed: int
) -> tuple[StructureJudgement, ...]:
    """Read the judgements.

    Parameters
    ----------
    items, seed : what the file was written for; the seed tells which side is the reference.

    Raises
    ------
    FormatError
        At the first problem, with path and line, and how many there are.
    """
    judged, problems = _read(path, {i.id: i for i in items}, seed)
    raise_first(problems)
    return tuple(judged)
