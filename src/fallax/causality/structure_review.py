"""The review file in which people judge structures against references whose place they cannot tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from fallax.causality.protocols.structure_judging import judgement_of_sides, numbered, sides_of
from fallax.core.types import REASONING_TYPES, StructureComparison, StructureJudgement
from fallax.data._source import read_text_file
from fallax.data.review import ReviewProblem, quoted, unquoted
from fallax.errors import FormatError, InputError, UnknownNameError, one_line

__all__ = ["check_structure_review", "read_structure_review", "write_structure_review"]

_HEADER = "# fallax structure review 1"
_LINE = re.compile(
    r"\s*(?:(?P<key>valid|step)\s+(?P<side>[AB])(?P<number>\d*)|(?P<plain>better|note))\s*:(?P<value>.*)"
)
_ALLOWED = {"better": ("A", "B", "tie"), "valid": ("yes", "no"), "step": tuple(REASONING_TYPES)}


def write_structure_review(path: str | Path, items: Iterable[StructureComparison], *, seed: int) -> int:
    """Write a block for each structure, its reference beside it; how many were written.

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
        raise InputError(f"{path}: is there already, and people may have written into it; name another file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    return n


def _read(
    path: str | Path, items: Mapping[str, StructureComparison], seed: int
) -> tuple[list[StructureJudgement], list[ReviewProblem]]:
    problems: list[ReviewProblem] = []
    found: dict[str, dict[str, tuple[int, str]]] = {}
    notes: dict[str, list[str]] = {}

    def fault(line: int, message: str) -> None:
        problems.append(ReviewProblem(str(path), line, message))

    lines = read_text_file(Path(path)).removeprefix("\ufeff").split("\n")
    if lines[0].strip() != _HEADER:
        raise FormatError(f"must begin with {_HEADER!r}, got {one_line(lines[0], 40)!r}", path=path, line=1)
    at = ""
    for number, raw in enumerate(lines, start=1):
        line = raw.removesuffix("\r")
        if not line.strip() or line.startswith("#"):
            continue
        try:
            if line.startswith("=="):
                at = unquoted(line[2:])
                if at not in items:
                    fault(number, f"{one_line(at, 40)!r} is none of the claims")
                elif at in found:
                    fault(number, f"each claim must have one block, {one_line(at, 40)!r} has another")
                found.setdefault(at, {})
                continue
            match = _LINE.fullmatch(line)
            if match is None or not at:
                fault(number, f"must be 'valid A:', 'step A1:', 'better:' or 'note:', got {one_line(line, 40)!r}")
                continue
            value = unquoted(match["value"])
        except ValueError as error:
            fault(number, f"a text in quotation marks must be complete JSON: {one_line(error)}")
            continue
        if match["plain"] == "note":
            notes.setdefault(at, []).append(value)
        elif value:
            key = match["plain"] or f"{match['key']} {match['side']}{match['number']}"
            allowed = (
                ("A", "B", "tie") if key == "better" else ("yes", "no") if match["key"] == "valid" else REASONING_TYPES
            )
            if value not in allowed:
                fault(number, str(UnknownNameError(f"value of {key!r}", value, allowed)))
            elif key in found[at]:
                fault(number, f"{key!r} must stand once in a block, it stands in line {found[at][key][0]} too")
            else:
                found[at][key] = number, value
    judged = []
    for id_, values in found.items():
        if id_ not in items:
            continue
        sides = sides_of(items[id_], seed=seed)
        known = {"better"} if len(sides) > 1 else set()
        known |= {f"valid {s}" for s in sides}
        known |= {f"step {s}{i}" for s, (_, x) in sides.items() for i in range(1, x.n_steps + 1)}
        for key, (number, _) in values.items():
            if key not in known:
                fault(number, f"{key!r} is nothing that this block asks for")
        said = {key: value for key, (_, value) in values.items()}
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
    problems.sort(key=lambda p: p.line)
    return judged, problems


def check_structure_review(
    path: str | Path, items: Iterable[StructureComparison], *, seed: int
) -> tuple[ReviewProblem, ...]:
    """Everything that is wrong in a review file of structures, by line."""
    return tuple(_read(path, {i.id: i for i in items}, seed)[1])


def read_structure_review(
    path: str | Path, items: Iterable[StructureComparison], *, seed: int
) -> tuple[StructureJudgement, ...]:
    """Read judgements back.

    Parameters
    ----------
    items, seed : what the file was written for; the seed tells which side is the reference.

    Raises
    ------
    FormatError
        At the first problem, with path and line, and how many there are.
    """
    judged, problems = _read(path, {i.id: i for i in items}, seed)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise FormatError(problems[0].message + more, path=problems[0].path, line=problems[0].line)
    return tuple(judged)
