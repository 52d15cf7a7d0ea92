"""``fallax oracle``: derives conclusions with proofs from facts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from fallax.cli._terminal import tell
from fallax.core.types.logic import Derivation, FactReading
from fallax.core.whole import read_whole_bytes
from fallax.errors import UnknownNameError, one_line
from fallax.oracle import Oracle, RuleBase, audit, check_by_joins, load_rule_base, read_facts

__all__ = ["app"]

app = typer.Typer(
    name="oracle",
    help="Derive fallacies and sound arguments from facts, with proofs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

File = Annotated[str, typer.Argument(metavar="FILE", help="Facts; - for standard input.")]
Rules = Annotated[
    str,
    typer.Option(
        "--rules", help="strict: conditions that exclude sound cases; paper: the schemas as SmartyPat printed them."
    ),
]
Evaluator = Annotated[
    str, typer.Option("--evaluator", help="What evaluates the rules: swipl (SWI-Prolog) or joins (Python, small sets).")
]
Fallacy = Annotated[str | None, typer.Option("--fallacy", help="One type only.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

#: The exit code where a fact was refused.
_REFUSED = 1


def _read(file: str, base: RuleBase) -> FactReading:
    return read_facts(read_whole_bytes(file), rule_base=base)


def _derive(reading: FactReading, base: RuleBase, fallacy: str | None, evaluator: str) -> tuple[Derivation, ...]:
    if evaluator not in ("swipl", "joins"):
        raise UnknownNameError("evaluator", evaluator, ("swipl", "joins"))
    if not reading.facts:
        return ()
    if evaluator == "joins":
        return check_by_joins(reading.facts, fallacy, rule_base=base.name)
    return Oracle(base.name).check(reading.facts, fallacy)


def _tell_refused(file: str, reading: FactReading) -> None:
    for refusal in reading.refused:
        typer.echo(f"{file}: {refusal}", err=True)
    more = reading.n_refused - len(reading.refused)
    if more:
        typer.echo(f"{file}: {more} more refused", err=True)


def _end(file: str, reading: FactReading, n: int) -> None:
    """Print one line to standard error and set the exit code."""
    tell(f"{file}: {len(reading.facts)} facts read, {reading.n_refused} refused; {n} conclusions")
    if reading.n_refused:
        raise typer.Exit(_REFUSED)


@app.command()
def check(
    file: File,
    rules: Rules = "strict",
    fallacy: Fallacy = None,
    evaluator: Evaluator = "swipl",
    as_json: AsJson = False,
) -> None:
    """Derive all conclusions of some facts, with proofs.

    Refused facts are reported with line, column and reason; the other facts are used, and the exit code is 1.
    """
    base = load_rule_base(rules)
    reading = _read(file, base)
    _tell_refused(file, reading)
    found = _derive(reading, base, fallacy, evaluator)
    if as_json:
        typer.echo(json.dumps({**_refusals(reading), "derivations": [d.to_dict() for d in found]}, ensure_ascii=False))
    else:
        for d in found:
            typer.echo(d.to_text() + "\n")
    _end(file, reading, len(found))


@app.command()
def explain(file: File, rules: Rules = "strict", evaluator: Evaluator = "swipl", as_json: AsJson = False) -> None:
    """Explain each conclusion step by step, and what is missing in an instance for a fallacy and its sound twin."""
    base = load_rule_base(rules)
    reading = _read(file, base)
    _tell_refused(file, reading)
    found = _derive(reading, base, None, evaluator)
    lacking = _lacking(reading, base, found, evaluator)
    if as_json:
        rows = [{"instance": d.instance, "kind": d.kind, "words": _words(d, base)} for d in found]
        typer.echo(json.dumps({**_refusals(reading), "explained": rows, "lacking": lacking}, ensure_ascii=False))
    else:
        for d in found:
            typer.echo("\n".join(_words(d, base)) + "\n")
        for line in lacking:
            typer.echo(line)
    _end(file, reading, len(found))


def _refusals(reading: FactReading) -> dict[str, Any]:
    return {
        "facts": len(reading.facts),
        "refused": [r.to_dict() for r in reading.refused],
        "n_refused": reading.n_refused,
    }


def _words(d: Derivation, base: RuleBase) -> list[str]:
    kind = "a fallacy" if d.kind == "fallacy" else "sound"
    name = d.fallacy.replace("_", " ")
    lines = [f"{d.instance}: {d.conclusion_reading or d.conclusion} ({kind}: {name}, rule {d.rule})"]
    lines += [f"  since {reading}" for reading in d.readings] or [f"  since {fact}" for fact in d.facts]
    schema = base.schemas[d.fallacy]
    return [*lines, f"  {schema.meaning if d.kind == 'fallacy' else schema.twin or 'the rule is sound'}"]


def _lacking(reading: FactReading, base: RuleBase, found: Iterable[Derivation], evaluator: str) -> list[str]:
    """The audit of instances, if there are any and SWI-Prolog was used."""
    if not base.instances or not reading.facts:
        return []
    if evaluator == "swipl":
        return list(audit(reading.facts))
    kinds = {(d.instance, d.kind) for d in found}
    names = [str(f.args[0]) for f in reading.facts if f.predicate == "instance"]
    words = {"fallacy": "a fallacy", "sound": "a sound twin"}
    return [f"{n}: must yield {w}, found none" for n in names for k, w in words.items() if (n, k) not in kinds]


@app.command()
def rules(
    what: Annotated[
        str | None, typer.Argument(metavar="[FILE|TYPE]", help="The types of a file of facts, or one type [all].")
    ] = None,
    rule_base: Annotated[
        str,
        typer.Option(
            "--rules", help="strict: conditions that exclude sound cases; paper: the schemas as SmartyPat printed them."
        ),
    ] = "strict",
    as_json: AsJson = False,
) -> None:
    """Show the predicates of a fallacy type and the rules that use them."""
    base = load_rule_base(rule_base)
    reading = None
    if what is None:
        names: tuple[str, ...] = base.fallacies
    elif what == "-" or Path(what).is_file():
        reading = _read(what, base)
        _tell_refused(what, reading)
        used = {str(f.args[1]) for f in reading.facts if f.predicate == "instance"}
        predicates = {f.predicate for f in reading.facts}
        names = tuple(n for n in base.fallacies if n in used or (not base.instances and _holds(n, base, predicates)))
    else:
        names = (base.resolve(what),)
    shown = {name: _shown(name, base) for name in names}
    typer.echo(json.dumps(shown, ensure_ascii=False) if as_json else "\n\n".join(map(_page, shown.values())))
    if reading is not None and reading.n_refused:
        raise typer.Exit(_REFUSED)


def _holds(name: str, base: RuleBase, predicates: set[str]) -> bool:
    """Whether some facts use a predicate of a fallacy."""
    return any(p.name in predicates for p in base.schemas[name].predicates)


def _shown(name: str, base: RuleBase) -> dict[str, Any]:
    schema = base.schemas[name]
    pattern = rf"^argue\({name}, .*?\.$" if base.instances else rf"^\S*{name}\S*.*?\.$"
    return {
        "fallacy": name,
        "abbreviation": schema.abbreviation,
        "meaning": schema.meaning,
        "twin": schema.twin,
        "statements": {str(p): one_line(p.meaning, 200) for p in schema.predicates},
        "rules": re.findall(pattern, base.rules, re.MULTILINE | re.DOTALL),
    }


def _page(row: dict[str, Any]) -> str:
    lines = [f"{row['fallacy']} ({row['abbreviation']}): {row['meaning']}"]
    lines += [f"  twin: {row['twin']}"] if row["twin"] else []
    lines += [f"  {statement}: {meaning}" for statement, meaning in row["statements"].items()]
    return "\n".join([*lines, *("\n".join("  " + line for line in rule.splitlines()) for rule in row["rules"])])
