"""``fallax generate``: fallacious arguments with known labels, each with its sound twin."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fallax.cli._given import given, typed
from fallax.cli._models import (
    CONNECTIONS,
    KeptCachePath,
    MaxConnections,
    MaxCost,
    ModelOptions,
    need_model,
    open_models,
    without_secrets,
)
from fallax.cli._out import check_out, open_lines
from fallax.cli._terminal import live, note, tell
from fallax.core.whole import read_whole_bytes, read_whole_json
from fallax.errors import FallaxError, FormatError, InputError, RunError, UnknownNameError, one_line

if TYPE_CHECKING:
    from fallax.core.types import ChatModel, GeneratedItem

__all__ = ["app"]

app = typer.Typer(name="generate", pretty_exceptions_enable=False, add_completion=False)

#: How the items are written; only the last one is for programs.
FORMATS = ("text", "markdown", "worksheet", "jsonl")
#: How many refused facts are shown.
_SHOWN = 20
#: The parameters that only a fresh set reads.
_OF_FRESH = ("register", "distance", "depth", "distractors", "explicitness", "points", "reword", "embedder")
#: The parameters that a fresh set does not read.
_NOT_OF_FRESH = (
    "facts", "method", "rules", "twins", "wordings", "confirm", "examples", "batch", "limit", "near", "read_back",
    "format",
)  # fmt: skip


@app.command()
def generate(
    context: typer.Context,
    fallacy: Annotated[
        str,
        typer.Option(
            "--fallacy", help="Types by name or two-letter code, such as FS,IE (see `fallax oracle rules`); or all."
        ),
    ] = "all",
    n: Annotated[int, typer.Option("-n", "--number", help="Items of each fallacy.")] = 20,
    method: Annotated[
        str | None,
        typer.Option("--method", help="template, smartypat, direct or prolog [smartypat with --model, else template]."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="PROVIDER/MODEL", help="The chat model that writes; see `fallax models list`."),
    ] = None,
    model_option: ModelOptions = None,
    seed: Annotated[str, typer.Option("--seed", help="Random seed: a number; with --fresh, any secret text.")] = "0",
    out: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="A .jsonl file, with its card beside it [standard output]; with --format, any file; with --fresh, a"
            " folder.",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option("--format", help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]} [text on a terminal, else jsonl]."),
    ] = None,
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Make a test set that nobody has seen, about small worlds invented from --seed."),
    ] = False,
    edition: Annotated[
        str | None, typer.Option("--edition", help="The public test set from a published seed: fallax-twins-2026.")
    ] = None,
    register: Annotated[
        str | None,
        typer.Option("--register", help="--fresh: comment, quiz, dialogue or editorial [drawn for each text]."),
    ] = None,
    distance: Annotated[
        int | None, typer.Option("--distance", help="--fresh: sentences between premises and conclusion [0 or 1].")
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth", help="--fresh: length of chains of reasons, 2 to 6 links, for BQ [2 to 4], IE and IT [no chain]."
        ),
    ] = None,
    distractors: Annotated[
        int | None,
        typer.Option("--distractors", help="--fresh: unrelated premises without a conclusion in each single text [0]."),
    ] = None,
    explicitness: Annotated[
        str | None,
        typer.Option(
            "--explicitness",
            help="--fresh: conclusions marked by a word, unmarked, or suggested by a question [by register].",
        ),
    ] = None,
    points: Annotated[
        int | None,
        typer.Option("--points", help="--fresh: arguments in a panel, of which one is the fallacy or its twin [9]."),
    ] = None,
    reword: Annotated[
        bool,
        typer.Option("--reword", help="--fresh: --model rewords the texts; --checker-model checks their conclusions."),
    ] = False,
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            help="--fresh: compare meanings with published sets too: minilm or MODULE:FUNCTION [words only].",
        ),
    ] = None,
    rules: Annotated[
        str,
        typer.Option(
            "--rules", help="strict; or paper: the schemas as SmartyPat printed them (method smartypat, no twins)."
        ),
    ] = "strict",
    facts: Annotated[
        Path | None, typer.Option("--facts", help="Your own facts [those that ship; with --model, those it proposes].")
    ] = None,
    style: Annotated[
        str | None,
        typer.Option(
            "--style",
            help="full: state every argument; bare: premises and conclusion only [full]."
            " --fresh: single, panel [both].",
        ),
    ] = None,
    twins: Annotated[
        bool | None, typer.Option("--twins/--no-twins", help="Make sound twins [if the method can].")
    ] = None,
    wordings: Annotated[int, typer.Option("--wordings", help="template: maximum wordings of one derivation.")] = 1,
    evaluator: Annotated[
        str,
        typer.Option("--evaluator", help="What evaluates the rules: swipl (SWI-Prolog) or joins (Python, small sets)."),
    ] = "swipl",
    confirm: Annotated[
        int,
        typer.Option(
            "--confirm",
            metavar="VOTES",
            help="Votes on each claim about the world, and as many on its denial; 0: none.",
        ),
    ] = 0,
    checker_model: Annotated[
        str | None,
        typer.Option(
            metavar="PROVIDER/MODEL",
            help="The model that votes (--confirm) and reads back (--reword) [that of --model].",
        ),
    ] = None,
    examples: Annotated[
        Path | None,
        typer.Option(
            "--examples", help="JSON of fallacy to example sentences, whose style a model follows [those that ship]."
        ),
    ] = None,
    batch: Annotated[int, typer.Option("--batch", help="Items asked for in one call.")] = 20,
    limit: Annotated[int, typer.Option("--limit", help="Maximum derivations from the facts of one call.")] = 200,
    near: Annotated[
        float, typer.Option("--near", help="Share of common words that makes a near-duplicate, in (0, 1].")
    ] = 0.8,
    read_back: Annotated[
        bool, typer.Option("--read-back/--no-read-back", help="Drop a model's texts that draw another conclusion.")
    ] = True,
    cache: KeptCachePath = None,
    max_connections: MaxConnections = CONNECTIONS,
    max_cost: MaxCost = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Overwrite the existing output.")] = False,
) -> None:
    """Generate fallacious arguments with known labels, each with a sound twin.

    To read or to teach: text, Markdown, or a worksheet with a key. For programs: JSONL, in a file with a dataset card.

    Without a model, arguments are derived from shipped facts and worded by frames. The same command resumes an
    interrupted run.
    """
    from fallax.generation.generators import make_plan
    from fallax.models import default_cache_path

    if fresh or edition is not None:
        from fallax.cli._fresh import write_set

        for option in typed(context, _NOT_OF_FRESH):
            raise InputError(f"{option} cannot be used with --fresh or --edition; leave it out")
        if model is None:
            need_model(context, ["checker_model"])
        if reword != (model is not None):
            raise InputError("--reword needs --model, and with --fresh --model needs --reword")
        with ExitStack() as stack:
            asking: dict[str, ChatModel] = {}
            if model is not None:
                load = stack.enter_context(
                    open_models(
                        model_option,
                        cache=cache or default_cache_path(),
                        max_connections=max_connections,
                        max_cost=max_cost,
                    )
                )
                asking = {"model": load(model), "reader": load(checker_model or model)}
            write_set(
                fallacy=fallacy, n=n, seed=seed, edition=edition, out=out, style=style, register=register,
                distance=distance, depth=depth, distractors=distractors, explicitness=explicitness, points=points,
                evaluator=evaluator, embedder=embedder, overwrite=overwrite, model=model or "", asking=asking,
            )  # fmt: skip
        return
    for option in typed(context, _OF_FRESH):
        raise InputError(f"{option} needs --fresh")
    form = format or ("text" if out is None and sys.stdout.isatty() else "jsonl")
    if form not in FORMATS:
        raise UnknownNameError("value of --format", form, FORMATS)
    if out is not None and format is None and out.suffix != ".jsonl":
        raise RunError(f"{out}: a set must be a file .jsonl; to write for people, give --format worksheet, say")
    if model is None and checker_model is None:
        need_model(context)
    if method == "template" and model is not None and not confirm:
        raise InputError("--model: the method template asks no model; leave it out, or vote with --confirm")
    for option in typed(context, ["overwrite"] if out is None or form != "jsonl" else []):
        raise InputError(f"{option} needs {'--output' if out is None else '--format jsonl'}")
    facts_given, digest = _facts(facts, rules)
    shown = None if examples is None else _examples(examples)
    with ExitStack() as stack:
        asked: dict[str, ChatModel] = {}
        if model is not None or checker_model is not None:
            kept_in = cache or default_cache_path()
            load = stack.enter_context(
                open_models(model_option, cache=kept_in, max_connections=max_connections, max_cost=max_cost)
            )
            named = {"model": model, "checker_model": checker_model}
            asked = {name: load(who) for name, who in named.items() if who is not None}
        plan = make_plan(
            fallacy,
            n=n,
            model=asked.get("model"),
            method=method,
            seed=_whole(seed),
            twins=twins,
            confirm=confirm,
            facts=facts is not None,
            checker_model=checker_model is not None,
            examples=examples is not None,
            **given(
                context,
                ("rules", "style", "wordings", "evaluator", "batch", "limit", "near", "read_back"),
            ),
        )
        settings = {
            **plan.to_dict(),
            "model": model or "",
            "model_options": without_secrets(model_option),
            "judge": checker_model or "",
            "facts": digest,
            "examples": "" if shown is None else _digest(json.dumps(shown, sort_keys=True).encode()),
        }
        asyncio.run(_run(plan, asked, facts_given, shown, settings, form, out, overwrite))


def _whole(seed: str) -> int:
    try:
        return int(seed)
    except ValueError:
        raise InputError(f"--seed: must be a whole number without --fresh, got {one_line(seed, 40)!r}") from None


def _digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()[:16]


def _facts(path: Path | None, rules: str) -> tuple[Any, str]:
    """The facts of a file; refused facts are reported, and the rest is used."""
    if path is None:
        return None, ""
    from fallax.oracle import read_facts

    try:
        content = read_whole_bytes(path)
        reading = read_facts(content.decode("utf-8"), rule_base=rules)
    except UnicodeDecodeError as error:
        raise FormatError(f"must be UTF-8, found byte {error.start} that is not", path=path) from None
    for refusal in reading.refused[:_SHOWN]:
        typer.echo(f"fallax: refused: {path}: {refusal}", err=True)
    if reading.n_refused > _SHOWN:
        typer.echo(f"fallax: refused: {path}: {reading.n_refused - _SHOWN} more", err=True)
    if not reading.facts:
        raise InputError(f"{path}: must hold at least one fact of rule base {rules!r}, found none")
    return reading.facts, _digest(content)


def _examples(path: Path) -> dict[str, list[str]]:
    from fallax.core.texts import whole_characters
    from fallax.generation.generators import resolve_fallacies

    value = read_whole_json(path)
    right = isinstance(value, dict) and all(
        isinstance(v, list) and v and all(isinstance(s, str) for s in v) for v in value.values()
    )
    if not right:
        raise FormatError("must be an object of fallacy -> list of sentences", path=path)
    return {resolve_fallacies(k)[0]: [whole_characters(s) for s in v] for k, v in value.items()}


async def _run(
    plan: Any,
    asked: Mapping[str, Any],
    facts: Any,
    examples: Mapping[str, Sequence[str]] | None,
    settings: Mapping[str, Any],
    form: str,
    out: Path | None,
    overwrite: bool,
) -> None:
    from fallax.generation.generators import SetFile, Tally, iter_generated

    try:
        file = None if out is None or form != "jsonl" else SetFile(out, settings, overwrite=overwrite)
    except OSError as error:
        raise InputError(f"{out}: must be a file that can be written, got {error.strerror or error}") from None
    if file is not None and file.finished:
        tell(f"{out}: is finished already, {len(file.known)} items")
        return
    tally = Tally()
    made = 0
    try:
        with ExitStack() as stack:
            advance = stack.enter_context(_progress(plan.n * len(plan.fallacies), shown=out is None))
            show = None if file is not None else stack.enter_context(_showing(form, check_out(out), plan.seed))
            running = iter_generated(
                plan,
                tally,
                model=asked.get("model"),
                checker_model=asked.get("checker_model"),
                facts=facts,
                examples=examples,
                on_item=lambda fallacy: advance(),
            )
            async for item in running:
                made += 1
                if file is not None:
                    file.add(item)
                elif show is not None:
                    show(item)
        if file is not None:
            file.finish(tally.to_dict(), command=_command())
    except (FallaxError, KeyboardInterrupt, asyncio.CancelledError):
        if file is not None:
            file.remove()
            if made:
                tell(f"{out}: {len(file.items)} items are kept; the same command resumes")
        raise
    _tell(plan, tally, made, out)


@contextmanager
def _showing(form: str, out: Path | None, seed: int) -> Iterator[Callable[[GeneratedItem], None]]:
    """A function that writes an item in a form; a worksheet is written at the end."""
    from fallax.cli._console import Console
    from fallax.generation.view import item_markdown, item_text, worksheet

    made: list[GeneratedItem] = []
    with open_lines(out) as write:

        def show(item: GeneratedItem) -> None:
            made.append(item)
            if form == "jsonl":
                write(json.dumps(item.to_dict(), ensure_ascii=False) + "\n")
            elif form == "markdown":
                write(item_markdown(item, len(made)) + "\n")
            elif form == "text":
                file = None if out is None else io.StringIO()
                Console(file=file).print(item_text(item, len(made)))
                write("" if file is None else file.getvalue())

        yield show
        if form == "worksheet" and made:
            write(worksheet(made, seed=seed))


def _command() -> str:
    words = ["fallax", *sys.argv[1:]] if sys.argv[1:2] == ["generate"] else []
    return shlex.join(words)


def _tell(plan: Any, tally: Any, made: int, out: Path | None) -> None:
    """Report on standard error what was made, what was not, and why."""
    wanted = plan.n * len(plan.fallacies)
    total = tally.total()
    dropped = ", ".join(f"{n} {what}" for what, n in sorted(total.items()) if what != "items")
    if out is not None or made < wanted:
        place = f"{out}: " if out is not None else "fallax: note: "
        tell(f"{place}{made} of {wanted} items" + (f"; {dropped}" if dropped else ""))
    if made < wanted and plan.method == "template":
        lacking = [name.replace("_", " ") for name in plan.fallacies if not tally.counts[name]["items"]]
        if lacking:
            note(f"the facts yield nothing of these types: {', '.join(lacking)}")
        if made:
            note("the facts yield no more; --wordings 4 words each derivation up to 4 times")
    if not made:
        raise typer.Exit(1)


@contextmanager
def _progress(total: int, *, shown: bool) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal; nothing in a pipe, and none where the items are shown as they are made."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from fallax.cli._console import Console

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    hidden = not live(console) or (shown and sys.stdout.isatty())
    with Progress(*columns, console=console, disable=hidden, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("items", total=total)
        yield lambda: bar.advance(task)
