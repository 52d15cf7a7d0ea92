"""``fallax build judge-sheet``, ``judge-model``, ``judge-scores``: people and models judge structures of a run."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from fallax.causality.protocols import StructureJudgeProtocol
from fallax.causality.structure_judging import comparisons_of_run, summarize_judgements
from fallax.causality.structure_review import read_structure_review, write_structure_review
from fallax.cli._console import Console
from fallax.cli._models import CONNECTIONS, CachePath, MaxConnections, MaxCost, ModelOptions, open_models
from fallax.cli._out import check_out, write_out
from fallax.cli._tables import print_table
from fallax.cli._terminal import tell_numbers
from fallax.core.types import ChatModel, StructureComparison, StructureJudgement
from fallax.core.whole import lines_of, read_whole
from fallax.errors import FormatError, InputError, ModelError, one_line
from fallax.metrics import label_agreement

__all__ = ["judge_model", "judge_scores", "judge_sheet"]

RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run of `fallax bench run causal`.")]
N = Annotated[int | None, typer.Option("--n", "-n", help="Random sample of N structures [all].")]
Seed = Annotated[int, typer.Option("--seed", help="Random seed of the sample and of which side is the reference.")]


def judge_sheet(
    run: RunFolder,
    out: Annotated[Path, typer.Option("--output", "-o", help="Review file to write.")],
    n: N = None,
    seed: Seed = 0,
) -> None:
    """Write a file for people to judge a run's structures against references, without knowing which is which."""
    check_out(out)
    written = write_structure_review(out, comparisons_of_run(run, n=n, seed=seed), seed=seed)
    tell_numbers({"n_written": written, "seed": seed})


def judge_model(
    run: RunFolder,
    out: Annotated[Path, typer.Option("--output", "-o", help="JSONL file of judgements to write.")],
    model: Annotated[str, typer.Option("--model", metavar="PROVIDER/MODEL", help="The model that judges.")],
    model_option: ModelOptions = None,
    n: N = None,
    seed: Seed = 0,
    cache: CachePath = None,
    max_connections: MaxConnections = CONNECTIONS,
    max_cost: MaxCost = None,
) -> None:
    """Let a model judge the structures of judge-sheet, in the same order."""
    check_out(out)
    with open_models(model_option, cache=cache, max_connections=max_connections, max_cost=max_cost) as load:
        items = comparisons_of_run(run, n=n, seed=seed)
        found = asyncio.run(_judged(items, load(model), StructureJudgeProtocol(seed=seed)))
    lines = [json.dumps(j.to_dict(), ensure_ascii=False) + "\n" for j in found if isinstance(j, StructureJudgement)]
    write_out(out, "".join(lines))
    failed = [j for j in found if isinstance(j, ModelError)]
    unread = sum(isinstance(j, StructureJudgement) and bool(j.unscored) for j in found)
    tell_numbers({"n_judged": len(lines), "n_unscored": unread, "n_failed": len(failed)})
    for one in failed:
        typer.echo(f"fallax: error: {one}", err=True)
    if failed:
        raise typer.Exit(ModelError.exit_code)


async def _judged(
    items: list[StructureComparison], model: ChatModel, protocol: StructureJudgeProtocol
) -> list[StructureJudgement | BaseException]:
    found = await asyncio.gather(*(protocol.judge(item, model) for item in items), return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException) and not isinstance(one, ModelError):
            raise one
    return list(found)


def judge_scores(
    run: RunFolder,
    reviews: Annotated[
        list[Path] | None, typer.Option("--review", help="A review file of `judge-sheet`; repeatable.")
    ] = None,
    judged: Annotated[
        list[Path] | None, typer.Option("--judged", help="Judgements of `judge-model`; repeatable.")
    ] = None,
    n: N = None,
    seed: Seed = 0,
) -> None:
    """Compare the judgements of people and models: valid, win, tie, lose, kinds of steps, agreement."""
    items = comparisons_of_run(run, n=n, seed=seed)
    said: dict[str, tuple[StructureJudgement, ...]] = {}
    for path in reviews or ():
        said[str(path)] = read_structure_review(path, items, seed=seed)
    for path in judged or ():
        said[str(path)] = _read_judged(path)
    if not said:
        raise InputError("--review or --judged: must be given, got neither")
    summary: dict[str, Any] = {name: summarize_judgements(found) for name, found in said.items()}
    if len(said) > 1:
        summary["agreement"] = {
            "preference": _agreement(said, lambda j: j.preference),
            "valid": _agreement(said, lambda j: None if j.valid is None else str(j.valid)),
        }
    if sys.stdout.isatty():
        _print_summary(summary)
    else:
        typer.echo(json.dumps(summary, ensure_ascii=False, indent=1))


def _print_summary(summary: dict[str, Any]) -> None:
    """A column for each file, and below it how far they agree."""
    columns = [dict(_flat(found)) for name, found in summary.items() if name != "agreement"]
    names = [name for name in summary if name != "agreement"]
    rows = [(measure, *(column[measure] for column in columns)) for measure in columns[0]]
    console = Console()
    print_table(console, "Judgements", ("measure", *names), rows, range(1, len(names) + 1))
    if "agreement" in summary:
        print_table(console, "Agreement", ("measure", "value"), list(_flat(summary["agreement"])), (1,))


def _flat(found: dict[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in found.items():
        shown = f"{before}{name.replace('_', ' ')}"
        if isinstance(value, dict):
            yield from _flat(value, f"{shown}: ")
        elif isinstance(value, float):
            yield shown, f"{value:.3f}"
        else:
            yield shown, "undefined" if value is None else str(value)


def _agreement(said: dict[str, tuple[StructureJudgement, ...]], part: Any) -> dict[str, float | None]:
    found = label_agreement(
        {
            name: {j.id: None if (value := part(j)) is None else frozenset({value}) for j in listed}
            for name, listed in said.items()
        }
    )
    return {"percent": found.percent.value, "krippendorff_alpha": found.alpha.value}


def _read_judged(path: Path) -> tuple[StructureJudgement, ...]:
    found = []
    for number, line in enumerate(lines_of(read_whole(path)), start=1):
        try:
            found.append(StructureJudgement.from_dict(json.loads(line)))
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
            raise FormatError(
                f"each line must be a judgement, got an error ({one_line(error)})", path=path, line=number
            ) from None
    return tuple(found)
