"""``fallax build methods``: compares three generation methods; another model rates their sentences."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from fallax.cli._console import Console
from fallax.cli._models import KeptCachePath, MaxCost
from fallax.cli._out import check_out, write_out
from fallax.cli._terminal import tell
from fallax.errors import InputError

__all__ = ["methods"]


def methods(
    model: Annotated[str, typer.Option("--model", metavar="PROVIDER/MODEL", help="The model that writes.")],
    rater_model: Annotated[
        str, typer.Option(metavar="PROVIDER/MODEL", help="The model that rates; must differ from --model.")
    ],
    out: Annotated[Path, typer.Option("--output", "-o", help="JSONL of rated sentences to write.")],
    fallacy: Annotated[
        str,
        typer.Option(
            "--fallacy", help="Types by name or two-letter code, such as FS,IE (see `fallax oracle rules`); or all."
        ),
    ] = "all",
    n: Annotated[int, typer.Option("-n", "--number", min=1, help="Sentences of each fallacy and method.")] = 20,
    method: Annotated[
        str, typer.Option("--method", help="Methods to compare, separated by commas.")
    ] = "direct,prolog,smartypat",
    runs: Annotated[int, typer.Option("--runs", min=1, help="Ratings of each sentence.")] = 3,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 0,
    model_option: Annotated[
        list[str] | None,
        typer.Option("-M", "--model-option", metavar="KEY=VALUE", help="An option of the writer; repeatable."),
    ] = None,
    cache: KeptCachePath = None,
    max_cost: MaxCost = None,
) -> None:
    """Generate with each method, rate every sentence from 0 to 3, and compare the means (table 11, figure 1).

    `fallax reproduce smartypat --ratings FILE` shows the result beside the paper's numbers. A scripted model
    (`scripted:FILE`) replays recorded replies instead of making calls.
    """
    from fallax.generation.benchmarks.smartypat_figures import METHODS, quality_table, rated_of
    from fallax.models import Budget, Cache, Limits, default_cache_path, load_model, parse_options

    check_out(out)
    chosen = tuple(dict.fromkeys(m.strip() for m in method.split(",") if m.strip()))
    unknown = [m for m in chosen if m not in METHODS]
    if unknown or not chosen:
        raise InputError(f"--method: must be of {', '.join(METHODS)}, got {', '.join(unknown) or 'none'}")
    if model == rater_model:
        raise InputError(f"--rater-model: must be another model than writes, got {rater_model!r} for both")
    shared: dict[str, Any] = {
        "cache": Cache(cache or default_cache_path()), "limits": Limits(), "budget": Budget(max_cost=max_cost)
    }  # fmt: skip
    writer = load_model(model, options=parse_options(model_option or ()), **shared)
    rater = load_model(rater_model, **shared)
    rows = asyncio.run(_all(chosen, fallacy, n, seed, runs, writer, rater))
    write_out(out, "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows if r["scores"]))
    unrated = sum(not r["scores"] for r in rows)
    tell(f"{out}: {len(rows) - unrated} sentences rated, {unrated} without a rating that could be read")
    table = Table(show_edge=False, header_style="bold")
    for place, head in enumerate(("fallacy", *chosen, "better by %")):
        table.add_column(head, justify="right" if place else "left", overflow="fold")
    for row in quality_table([rated_of(r) for r in rows if r["scores"]]):
        if any(row[m] is not None for m in chosen):
            table.add_row(row["fallacy"], *(_shown(row[m]) for m in chosen), _shown(row["enhancement"]))
    Console().print(table)


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


async def _all(
    chosen: tuple[str, ...], fallacy: str, n: int, seed: int, runs: int, writer: Any, rater: Any
) -> list[dict[str, Any]]:
    """Every sentence of every method with its ratings; () if none could be read."""
    from fallax.generation.generators import agenerate
    from fallax.generation.protocols import QualityProtocol, rate_with_model

    found: list[dict[str, Any]] = []
    for name in chosen:
        made = await agenerate(fallacy, n=n, model=writer, method=name, seed=seed, twins=False)
        records = [item.to_record() for item in made]
        ratings = await rate_with_model(QualityProtocol(n_runs=runs), records, rater, same_model=False)
        for item, rating in zip(made, ratings, strict=True):
            scores = [s for s in rating.scores if s is not None]
            found.append(
                {
                    "id": item.id,
                    "fallacy": item.labels[0],
                    "method": name,
                    "text": item.text,
                    "scores": scores,
                    "rater": rater.name,
                }
            )
    return found
