"""``fallax structure FILE``: checks, converts or draws an argument structure."""

from __future__ import annotations

import io
import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fallax.cli._out import check_out, write_out
from fallax.cli._terminal import note
from fallax.core.types import StructureReading
from fallax.core.whole import shown_name
from fallax.errors import FormatError, InputError
from fallax.structures import STRUCTURE_FORMATS, format_structure, read_structure

__all__ = ["app"]

app = typer.Typer(name="structure", pretty_exceptions_enable=False, add_completion=False)


class Drawing(StrEnum):
    """Output styles of a structure."""

    TERMINAL = "terminal"
    SVG = "svg"


_NAMES = ", ".join(STRUCTURE_FORMATS)


@app.command()
def structure(
    file: Annotated[str, typer.Argument(help="A file with one structure, or - for standard input.")],
    format: Annotated[str | None, typer.Option("--from", help=f"Format of FILE: {_NAMES} [detected].")] = None,
    to: Annotated[
        str | None,
        typer.Option("--to", help="Convert to this format, one of those of --from; losses go to standard error."),
    ] = None,
    draw: Annotated[Drawing | None, typer.Option("--draw", help="Draw it: terminal or svg.")] = None,
    out: Annotated[Path | None, typer.Option("--output", "-o", help="Write here [standard output].")] = None,
    line: Annotated[
        int | None, typer.Option("--line", help="Read only line N of a file with one structure per line.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if anything is lost, or the structure has a problem.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was read as JSON.")] = False,
) -> None:
    """Check an argument structure, convert it, or draw it.

    Without --to or --draw, shows its size, its steps and every problem.
    """
    if to is not None and draw is not None:
        raise InputError("--to and --draw: must be given one at a time, got both")
    out = check_out(out, [file])
    read = read_structure(file, format=format, line=line)
    if read.structure is None:
        if as_json:
            typer.echo(json.dumps(read.to_dict(), ensure_ascii=False))
            raise typer.Exit(2)
        raise FormatError(f"must hold an argument structure, got none: {read.reason}", path=shown_name(file))
    for said in read.notes:
        note(said)
    losses: tuple[str, ...] = ()
    if to is not None:
        written = format_structure(read.structure, format=to, unused=read.unused, label=read.label)
        losses = written.losses
        write_out(out, written.text)
    elif draw is not None:
        _draw(read, draw, out)
    elif as_json:
        write_out(out, json.dumps(read.to_dict(), ensure_ascii=False) + "\n")
    else:
        write_out(out, _summary(read))
    for loss in losses:
        typer.echo(f"lost: {loss}", err=True)
    if to is not None or draw is not None:
        for problem in read.structure.problems:
            typer.echo(f"problem: {problem}", err=True)
    if strict and (losses or read.structure.problems):
        raise typer.Exit(1)


def _draw(read: StructureReading, draw: Drawing, out: Path | None) -> None:
    from fallax.render.structure import structure_svg, structure_tree  # rich is slow to import

    if read.structure is None:
        return
    if draw is Drawing.SVG:
        write_out(out, structure_svg(read.structure, unused=read.unused))
        return
    from fallax.cli._console import Console

    tree = structure_tree(read.structure, unused=read.unused)
    if out is None:
        Console().print(tree)
        return
    drawn = io.StringIO()
    Console(file=drawn, width=100, no_color=True).print(tree)
    write_out(out, drawn.getvalue())


def _summary(read: StructureReading) -> str:
    from fallax.render.terminal import safe

    found = read.structure
    if found is None:
        return ""
    rows = [
        ("claim", "none" if found.claim is None else found.claim.shown),
        ("verdict", read.label or "none"),
        (
            "evidence",
            f"{len(found.leaves)} leaves, {len(found.intermediates)} intermediates, {len(read.unused)} unused",
        ),
        ("steps", str(found.n_steps)),
        (
            "depth",
            "none (there is a cycle)" if any("back to itself" in p for p in found.problems) else str(found.depth),
        ),
        *(("step", str(s)) for s in found.steps),
        *((link.role, str(link)) for link in found.links if link.role != "supports"),
        *(("problem", p) for p in found.problems),
    ]
    return "".join(f"{name}\t{' '.join(safe(value).split())}\n" for name, value in rows)
