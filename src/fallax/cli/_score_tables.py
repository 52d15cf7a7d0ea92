"""What ``fallax score`` prints: tables, JSON, intervals and tests, and what a reader must know of the numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import typer

from fallax.cli._console import Console
from fallax.cli._scored import Scored
from fallax.cli._tables import limits_of, print_table
from fallax.core.types import Score
from fallax.errors import one_line, printable
from fallax.metrics import bootstrap_interval, paired_test

__all__ = ["LEAST_RESAMPLES", "Drawn", "json_of", "print_scored", "uncertainty"]

#: Fewer resamples than this have no 2.5 % at either end.
LEAST_RESAMPLES = 40
#: How many reasons are printed before the rest is only counted.
_REASONS = 5
#: Part (None for the whole) -> "intervals" or "against_first" -> measure -> its interval or test.
Uncertain: TypeAlias = Mapping[str | None, Mapping[str, Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Which intervals and tests are wanted, and how records are drawn for them.

    Parameters
    ----------
    group, groups : the field of gold that names what is drawn as one, and record -> its value; "" where records are
        drawn.
    """

    ci: bool = False
    compare: bool = False
    seed: int = 0
    n_resamples: int = 0
    group: str = ""
    groups: Mapping[str, str] = field(default_factory=dict)

    def signed(self, score: Score) -> Score:
        """The score with what is drawn in its signature."""
        if not self.group:
            return score
        settings = {**score.signature.settings, "group": self.group}
        return replace(score, signature=replace(score.signature, settings=settings))

    def notes(self, scores: Sequence[Score]) -> Iterator[str]:
        """What intervals and tests draw, if not records, or if these are few."""
        from fallax.runs.drawing import drawn_note

        if self.ci or self.compare:
            what = f"{self.group}s" if self.group in ("document", "group") else f"groups ({printable(self.group)})"
            ids = frozenset().union(*(score.records for score in scores))
            groups = self.groups if self.group else None
            yield from filter(None, [drawn_note(what, groups, ids, tested=self.compare)])


def uncertainty(scores: Sequence[Score], by: str | None, drawn: Drawn) -> list[Uncertain]:
    """Intervals, and tests against the first score, of each score and of each of its parts."""
    found: list[Uncertain] = []
    for n, score in enumerate(scores):
        parts: list[tuple[str, str] | None] = [None, *((by, name) for name in score.parts.get(by or "", {}) if by)]
        first = scores[0] if drawn.compare and n else None
        found.append({part and part[1]: _of_part(score, first, part, drawn) for part in parts})
    return found


def _of_part(score: Score, first: Score | None, part: tuple[str, str] | None, drawn: Drawn) -> dict[str, Any]:
    own, other = _part(score, part), None if first is None else _part(first, part)
    defined = [m for m, value in own.values.items() if value is not None] if own is not None else []
    groups = drawn.groups if drawn.group else None
    how: dict[str, Any] = {"n_resamples": drawn.n_resamples, "seed": drawn.seed, "part": part, "groups": groups}
    found: dict[str, Any] = {}
    if drawn.ci:
        found["intervals"] = {m: bootstrap_interval(score, m, **how).to_dict() for m in defined}
    if first is not None:
        both = [m for m in defined if other is not None and other.values.get(m) is not None]
        found["against_first"] = {m: paired_test(score, first, m, **how).to_dict() for m in both}
    return found


def _part(score: Score, part: tuple[str, str] | None) -> Score | None:
    return score if part is None else score.parts.get(part[0], {}).get(part[1])


def json_of(one: Scored, uncertain: Uncertain, by: str | None) -> dict[str, Any]:
    """A score as JSON values, with its intervals and tests and with what was reported of the files."""
    score = one.score
    found = {**score.to_dict(), **uncertain[None]}
    for name, part in found["parts"].get(by, {}).items():
        part.update(uncertain[name])
    found["per_label"] = {name: part.values for name, part in score.parts.get("label", {}).items()}
    found["problems"] = [p.to_dict() for p in one.problems]
    found["bad_spans"] = {
        "as_wrong": one.n_as_wrong, "labels_only": one.n_labels_only, "left_out": one.n_left_out,
        "gold_records": one.n_gold_out,
    }  # fmt: skip
    found["labels_not_in_gold"] = dict(one.odd_labels)
    if one.never_predicted is not None:
        found["never_predicted"] = one.never_predicted.to_dict()
    if one.unanswered is not None:
        found["share_unanswered"] = one.unanswered
        found["other_gold"] = one.n_other_gold
    return found


def _notes(one: Scored) -> Iterator[str]:
    """Lines below the table."""
    if one.n_as_wrong:
        yield f"predicted spans that cannot be used, counted as predictions that match nothing: {one.n_as_wrong}"
    if one.n_labels_only:
        yield f"predicted spans that cannot be used, of which only the labels count: {one.n_labels_only}"
    if one.n_left_out:
        yield f"predicted spans that cannot be used, left out of the score: {one.n_left_out}"
    if one.n_gold_out:
        yield (
            "records with gold spans that cannot be used, scored without these, so that right predictions may count"
            f" as wrong: {one.n_gold_out}"
        )
    never = one.never_predicted
    if never is not None and never.n_missed:
        yield (
            f"labels in gold that are never predicted: {never.shown}; {never.n_missed} of {never.n_gold} gold"
            f" {never.unit} have only such labels"
        )
    if one.n_other_gold:
        yield f"records left out, with another gold label than the two: {one.n_other_gold}"
    if one.unanswered:
        yield f"{one.unanswered:.1%} of the records with a gold label are unanswered"
    if one.score.n_unscored:
        reasons = Counter(one_line(why, 120) for why in one.score.unscored.values()).most_common()
        shown = ", ".join(f"{why} ({n})" for why, n in reasons[:_REASONS])
        more = f", and {len(reasons) - _REASONS} more reasons" * (len(reasons) > _REASONS)
        yield f"{one.score.n_unscored} unscored: {shown}{more}"


def _cell(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _rows(
    names: Sequence[str], scored: Sequence[Scored], uncertain: Sequence[Uncertain], by: str | None
) -> list[list[str]]:
    measures = list(scored[0].score.values)
    rows = [["system", *([by] if by else []), *measures, "n", "unscored", "unreadable"]]
    for name, one, more in zip(names, scored, uncertain, strict=True):
        score = one.score
        for part_name, part in ((None, score), *(score.parts.get(by, {}).items() if by else ())):
            shown = [printable(part_name or "all")] if by else []
            cells = []
            for m in measures:
                cell = _cell(part.values.get(m))
                if m in more[part_name].get("intervals", {}):
                    interval = more[part_name]["intervals"][m]
                    cell += limits_of(interval["low"], interval["high"])
                if m in more[part_name].get("against_first", {}):
                    p = more[part_name]["against_first"][m]["p_value"]
                    cell += " p=undefined" if p is None else f" p={p:.3g}"
                cells.append(cell)
            counts = [str(part.n_scored), str(part.n_unscored), part.unreadable]
            rows.append([name, *shown, *cells, *counts])
            if part.n_wrong:
                strict = [_cell(part.values_with_unreadable.get(m)) for m in measures]
                counts = [str(part.n_scored + part.n_wrong), str(part.n_unscored - part.n_wrong), "as wrong"]
                rows.append([f"{name}, unreadable as wrong", *shown, *strict, *counts])
    return rows


def print_scored(
    names: Sequence[str],
    scored: Sequence[Scored],
    uncertain: Sequence[Uncertain],
    by: str | None,
    output: str,
    notes: Sequence[str] = (),
) -> None:
    """Print a table, what is to know of its numbers, and the signatures.

    Parameters
    ----------
    output : "table", "markdown" or "latex".
    notes : about all scores together.
    """
    head, *rows = _rows(names, scored, uncertain, by)
    if output == "markdown":
        typer.echo("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
        for row in rows:
            typer.echo("| " + " | ".join(row) + " |")
    elif output == "latex":
        typer.echo("\\begin{tabular}{l" + "r" * (len(head) - 1) + "}\n" + " & ".join(head) + " \\\\ \\hline")
        for row in rows:
            typer.echo(" & ".join(c.replace("\\", "\\textbackslash{}").replace("_", "\\_") for c in row) + " \\\\")
        typer.echo("\\end{tabular}")
    else:
        print_table(Console(), "", head, rows, range(2 if by else 1, len(head)))
    for note in notes:
        typer.echo(note)
    for name, one in zip(names, scored, strict=True):
        for note in _notes(one):
            typer.echo(f"{name}: {note}")
    for one in scored:
        typer.echo(str(one.score.signature))
