"""``fallax agree``: measures inter-annotator agreement, and merges annotations into gold."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from fallax.annotation import RULES, Annotations, agreement_report, merge_annotations, read_annotations
from fallax.annotation.reading import SET_SEPARATOR, Columns, read_ratings
from fallax.annotation.view import Section, agreement_sections, markdown
from fallax.cli._console import Console
from fallax.cli._given import typed
from fallax.cli._out import check_out, write_out
from fallax.cli._tables import print_table
from fallax.cli._terminal import note, tell
from fallax.core.sink import refuse_inputs
from fallax.core.taxonomies import label_set
from fallax.data import read_corpus, write_corpus
from fallax.errors import InputError, UnknownNameError, one_line
from fallax.metrics.agreement import LEVELS, name_of
from fallax.render.terminal import safe

__all__ = ["app", "print_sections"]

app = typer.Typer(name="agree", pretty_exceptions_enable=False, add_completion=False)

_OUTPUTS = ("table", "markdown")


@app.command()
def agree(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(help="A file for each annotator, or files that name the annotator.")],
    level: Annotated[
        str | None,
        typer.Option(
            "--level",
            help=f"How labels compare: {', '.join(LEVELS)} [masi for sets, interval for numbers, else nominal].",
        ),
    ] = None,
    item: Annotated[str, typer.Option("--item", help="Column of the item in tables of ratings [item, id, ...].")] = "",
    annotator: Annotated[
        str, typer.Option("--annotator", help="Column of the annotator in tables of ratings [annotator, rater, ...].")
    ] = "",
    label: Annotated[
        str, typer.Option("--label", help="Column of the label in tables of ratings [label, rating, ...].")
    ] = "",
    source: Annotated[str | None, typer.Option("--from", help="Format of the files [detected].")] = None,
    taxonomy: Annotated[
        str | None,
        typer.Option(
            "--taxonomy",
            callback=label_set,
            help="Labels must be of this set, by name or as a TOML or JSON file [any].",
        ),
    ] = None,
    on_bad_span: Annotated[
        str, typer.Option("--on-bad-span", help="raise, or report and leave out spans that cannot be used.")
    ] = "raise",
    samples: Annotated[
        int, typer.Option("--samples", help="Random samples per text for the chance level of gamma.")
    ] = 30,
    precision: Annotated[
        float,
        typer.Option("--precision", help="Add samples until this relative error of the chance level; 0: add none."),
    ] = 0.02,
    table2: Annotated[bool, typer.Option("--table2", help="Show the measures of MAFALDA's table 2 too.")] = False,
    disputed: Annotated[int, typer.Option("--disputed", min=0, help="How many disputed passages to show.")] = 10,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Random seed of chance agreement and intervals.")] = 0,
    resamples: Annotated[int, typer.Option("--resamples", min=0, help="Bootstrap resamples; 0: no intervals.")] = 1_000,
    merge: Annotated[
        str | None, typer.Option("--merge", help="Make gold, not a report: union, majority, or adjudicated=FILE.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", help="Format of the gold [fallax].")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File (for brat a folder) of the gold or report [standard output]."),
    ] = None,
    format: Annotated[str, typer.Option("--format", help="table or markdown.")] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure agreement of annotators, list disputed items, and merge annotations into gold."""
    for name, value, known in (
        ("--level", level, LEVELS),
        ("--format", format, _OUTPUTS),
        ("--on-bad-span", on_bad_span, ("raise", "report")),
    ):
        if value is not None and value not in known:
            raise UnknownNameError(f"value of {name}", value, known)
    if as_json and typed(context, ["format"]):
        raise InputError("--format: has no use with --json; leave one of them out")
    if to is not None and merge is None:
        raise InputError("--to needs --merge")
    if output is not None:
        refuse_inputs(output, [*files, (merge or "").partition("=")[2]])
    found = read_annotations(
        files,
        format=source,
        taxonomy=taxonomy,
        on_bad_span=on_bad_span,  # type: ignore[arg-type]
        columns=Columns(item, annotator, label),
    )
    if merge is not None:
        _notes(() if as_json else found.problems)
        _merge(found, merge, to or "fallax", output, as_json)
        return
    target = check_out(output)
    report = agreement_report(
        found,
        level=level,  # type: ignore[arg-type]
        samples=samples,
        precision=precision or None,
        n_resamples=resamples,
        seed=seed,
        table2=table2,
    )
    sections = agreement_sections(report, n_disputed=disputed)
    _notes(() if as_json else report.problems)
    if as_json:
        text = json.dumps(report.to_dict(), ensure_ascii=False)
    elif format == "markdown" or target is not None:
        text = markdown(sections, f"Agreement of {', '.join(report.annotators)}")
    else:
        print_sections(sections)
        return
    write_out(target, text + "\n")


def _notes(problems: Iterable[str]) -> None:
    for problem in problems:
        note(problem)


def print_sections(sections: list[Section]) -> None:
    """Print tables to standard output, without control characters."""
    console = Console(highlight=False, markup=False)
    for s in sections:
        numbers = [i for i in range(1, len(s.header)) if _numeric(s, i)]
        rows = [tuple(map(safe, row)) for row in s.rows]
        print_table(console, safe(s.title), tuple(map(safe, s.header)), rows, numbers)
        if s.note:
            console.print(safe(s.note))
        console.print()


def _numeric(section: Section, column: int) -> bool:
    return all(row[column][:1] in "0123456789-+" or row[column] == "undefined" for row in section.rows)


def _merge(found: Annotations, merge: str, to: str, out: Path | None, as_json: bool) -> None:
    rule, _, name = merge.partition("=")
    if rule not in RULES:
        raise UnknownNameError("value of --merge", rule, RULES)
    if name and rule != "adjudicated":
        raise InputError(
            f"--merge {rule}: takes no file, got {one_line(name, 60)!r}; leave it out, or use adjudicated=FILE"
        )
    decided: Any = None
    if rule == "adjudicated":
        if not name:
            raise InputError("--merge adjudicated: must name the adjudicator's file, got none; use adjudicated=FILE")
        decided = read_corpus(name).records if found.kind == "spans" else {r.item: r.value for r in read_ratings(name)}
    merged = merge_annotations(found, rule, adjudicated=decided)
    n = len(merged.records or merged.ratings)
    losses = dict(merged.losses)
    if found.kind == "spans":
        for loss in write_corpus(merged.records, out or "-", format=to):
            losses[f"not sayable in {to}: {loss.kind}"] = losses.get(f"not sayable in {to}: {loss.kind}", 0) + 1
    else:
        write_out(check_out(out), _ratings_csv(merged.ratings))
    if as_json:
        typer.echo(json.dumps({"rule": rule, "n": n, "losses": losses}), err=out is None)
        return
    tell(f"{n} {'texts' if found.kind == 'spans' else 'items'} by the rule {rule}")
    for kind, count in losses.items():
        typer.echo(f"lost: {count} {kind}", err=True)


def _ratings_csv(ratings: Any) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["item", "annotator", "label"])
    for item, value in ratings.items():
        label = SET_SEPARATOR.join(sorted(map(name_of, value))) if isinstance(value, frozenset) else name_of(value)
        writer.writerow([item, "gold", label])
    return text.getvalue()
