"""``fallax models``: providers, weights of local models, and the cache of answers."""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from fallax.cli._console import Console
from fallax.cli._models import CachePath, KeptCachePath, MaxCost, ModelOptions
from fallax.cli._terminal import live, note, tell
from fallax.core.types.messages import Message, Reply, Request
from fallax.errors import InputError, UnknownNameError
from fallax.models import (
    PROVIDERS,
    Budget,
    Cache,
    Limits,
    default_cache_path,
    fetch,
    known_weights,
    load_model,
    parse_options,
)
from fallax.models.cache import CacheCheck, repair_cache
from fallax.models.front import Front
from fallax.models.larger import LARGER, fetch_larger
from fallax.models.loading import MODEL_OPTIONS
from fallax.models.local import EngineOptions, start_server, weights_path
from fallax.models.weights import Download, WeightsProgress, find_weights, weights_folder
from fallax.render import safe

__all__ = ["app"]

# Pretty exceptions would print local variables, keys among them.
app = typer.Typer(
    name="models",
    help="List, fetch, serve and try models; look after the cache of answers.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
cache_app = typer.Typer(
    help="The cache of answers: statistics, check, repair, export and import.", no_args_is_help=True
)
app.add_typer(cache_app, name="cache")

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _found(name: str) -> Download:
    if name in LARGER:
        return LARGER[name].base
    short = name.removeprefix("local/")
    if short not in known_weights():
        raise UnknownNameError("local model", short, [*known_weights(), *LARGER])
    return find_weights(short)


def _is_here(weights: Download) -> bool:
    path = weights_folder() / weights.file
    return path.exists() and path.stat().st_size == weights.size


def _address(provider: str) -> str | None:
    """The default address of a provider's server; None if it has none."""
    return getattr(PROVIDERS[provider], "base_url", None)


@app.command("list")
def list_models(as_json: AsJson = False) -> None:
    """List the providers, and the local models with their files."""
    if as_json:
        local = [{"name": f"local/{w.name}", "title": w.title, "here": _is_here(w)} for w in known_weights().values()]
        servers = [
            {"name": f"{name}/MODEL", "about": PROVIDERS.about(name), "base_url": _address(name)} for name in PROVIDERS
        ]
        larger = [{"name": m.name, "title": m.base.title, "here": m.is_here()} for m in LARGER.values()]
        typer.echo(json.dumps({"local": local, "servers": servers, "encoders": larger}, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("model", "what", "where"):
        table.add_column(heading, overflow="fold")
    for weights in known_weights().values():
        where = "here" if _is_here(weights) else f"fallax models fetch {weights.name} ({weights.size / 1e6:,.0f} MB)"
        table.add_row(f"local/{weights.name}", weights.title, where)
    for model in LARGER.values():
        where = "here" if model.is_here() else f"fallax models fetch {model.name} ({model.base.size / 1e6:,.0f} MB)"
        table.add_row(f"--system {model.name}", f"{model.what}, for {model.commands}; no chat", where)
    table.add_row("local/PATH.gguf", "any GGUF file, in this process", "")
    for name in PROVIDERS:
        table.add_row(f"{name}/MODEL", PROVIDERS.about(name), _address(name) or "")
    table.add_row("inspect/PROVIDER/MODEL", "any provider of Inspect AI", "")
    table.add_row("recorded:PATH", "replies recorded before", "")
    table.add_row("scripted:PATH", "replies by rules", "")
    Console().print(table)


@app.command("options")
def list_options(as_json: AsJson = False) -> None:
    """List the options of models, which every command with --model takes as -M KEY=VALUE."""
    if as_json:
        typer.echo(json.dumps(MODEL_OPTIONS, default=dict, indent=2))
        return
    for kind, found in MODEL_OPTIONS.items():
        typer.echo(f"{kind}:")
        for name, about in found.items():
            typer.echo(f"  {name}: {about}")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help=f"A local model, with or without local/, or {' or '.join(LARGER)}.")],
    as_json: AsJson = False,
) -> None:
    """Show what a local model is, what it needs, and how good it is."""
    weights = _found(name)
    is_here = LARGER[name].is_here() if name in LARGER else _is_here(weights)
    if as_json:
        typer.echo(json.dumps({**asdict(weights), "here": is_here}, indent=2))
        return
    path = LARGER[name].place if name in LARGER else weights_folder() / weights.file
    typer.echo(weights.card())
    typer.echo(f"here: {path}" if is_here else "here: no; fetch it first")


@app.command("fetch")
def fetch_model(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="Local models, with or without local/; entailment-large, the larger judge and verifier; encoder-large,"
            " the larger detector. What larger models began as is fetched once for all that are named.",
        ),
    ],
) -> None:
    """Fetch the weights of models; resumes an interrupted download and checks every part."""
    downloads = {name: _found(name) for name in names}
    larger = [LARGER[name] for name in downloads if name in LARGER]
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    for name, weights in downloads.items():
        if name in LARGER and LARGER[name] is not larger[0]:
            continue  # made together with the first one
        with Progress(*columns, console=console, disable=not live(console)) as bar:
            task = bar.add_task(weights.name, total=weights.size)

            def shown(progress: WeightsProgress, bar: Progress = bar, task: TaskID = task) -> None:
                bar.update(task, completed=progress.n_bytes)

            paths = fetch_larger(*larger, progress=shown) if name in LARGER else (fetch(weights, progress=shown),)
        for path in paths:
            typer.echo(str(path))


@app.command()
def serve(
    name: Annotated[str, typer.Argument(help="A local model or a GGUF file, with or without local/.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any free port.")] = 8080,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    api_key: Annotated[
        str, typer.Option(envvar="FALLAX_SERVE_KEY", help="Bearer token that callers must send [a new one].")
    ] = "",
    allow_host: Annotated[
        list[str] | None, typer.Option("--allow-host", help="Another host name of this server; repeatable.")
    ] = None,
    model_option: ModelOptions = None,
) -> None:
    """Serve a local model as an OpenAI-compatible endpoint until Ctrl-C."""
    local = name.removeprefix("local/")
    options = EngineOptions.from_dict(parse_options(model_option or ()))
    key = api_key or secrets.token_urlsafe(24)
    if host not in ("127.0.0.1", "localhost", "::1"):
        note(
            f"{safe(host)} lets other machines connect: anyone with the key can use the model, and nothing is encrypted"
        )
    own = secrets.token_urlsafe(24)
    server = start_server(weights_path(local), options, host="127.0.0.1", port=0, alias=local, api_key=own)
    try:
        front = Front(host, port, target=server.listening_address, target_key=own, key=key, hosts=allow_host or ())
    except OSError as error:
        raise InputError(f"--host, --port: cannot listen at {safe(host)}:{port}: {error.strerror or error}") from None
    threading.Thread(target=front.serve_forever, name="fallax-front", daemon=True).start()
    typer.echo(f"{front.address}/v1 serves {local}; Ctrl-C stops it; to ask it in another shell:")
    given = "" if api_key else f"LLAMACPP_API_KEY={key} "
    typer.echo(f"{given}LLAMACPP_BASE_URL={front.address}/v1 fallax models ask llamacpp/{local} 'Are you there?'")
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        tell("ended")


@app.command()
def ask(
    model: Annotated[str, typer.Argument(help="PROVIDER/MODEL, recorded:PATH or scripted:PATH.")],
    prompt: Annotated[str, typer.Argument(help="The question; - reads standard input.")],
    system_message: Annotated[str | None, typer.Option(help="System message [none].")] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="Maximum tokens of the answer.")] = 256,
    temperature: Annotated[
        float | None, typer.Option(min=0.0, help="Sampling temperature; 0: the likeliest answer [the model's].")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of the model's sampling [the model's].")] = None,
    logprobs: Annotated[int | None, typer.Option(min=0, help="Print log-probabilities, with N alternatives.")] = None,
    timeout: Annotated[float, typer.Option(help="Seconds to wait for the answer.")] = 600.0,
    max_cost: MaxCost = None,
    cache: CachePath = None,
    model_option: ModelOptions = None,
    as_json: AsJson = False,
) -> None:
    """Ask a model one question, to check that it can be reached. Cached only with --cache."""
    text = typer.get_text_stream("stdin").read() if prompt == "-" else prompt
    messages = (
        (Message("user", text),)
        if system_message is None
        else (Message("system", system_message), Message("user", text))
    )
    request = Request(messages, temperature=temperature, max_tokens=max_tokens, seed=seed, logprobs=logprobs)
    opened = None if cache is None else Cache(cache)
    try:
        chat = load_model(
            model,
            options=parse_options(model_option or ()),
            cache=opened,
            limits=Limits(timeout=timeout),
            budget=Budget(max_cost=max_cost),
        )
        reply = asyncio.run(chat.generate(request))
    finally:
        if opened is not None:
            opened.close()
    if as_json:
        typer.echo(json.dumps(reply.to_dict(), ensure_ascii=False, indent=2))
        return
    typer.echo(reply.text)
    tell(_summary(reply))


def _summary(reply: Reply) -> str:
    usage = reply.usage
    cost = "" if usage.cost is None else f", {usage.cost:.6f} US dollars"
    return (
        f"[{reply.model or 'unnamed'}, {reply.stop_reason}, {usage.prompt_tokens} + {usage.completion_tokens} tokens"
        f"{f', {usage.reasoning_tokens} of them reasoning' if usage.reasoning_tokens else ''}{cost}]"
    )


def _existing(path: Path | None) -> Path:
    chosen = path or default_cache_path()
    if not chosen.exists():
        raise typer.BadParameter(f"there is no cache at {chosen}", param_hint="--cache")
    return chosen


@cache_app.command("info")
def cache_info(cache: KeptCachePath = None, as_json: AsJson = False) -> None:
    """Show how many answers of each model are stored."""
    with Cache(_existing(cache)) as opened:
        info: dict[str, Any] = asdict(opened.info())
    if as_json:
        typer.echo(json.dumps(info, indent=2))
        return
    typer.echo(f"{info['path']}: {info['n_calls']:,} calls, {info['n_bytes'] / 1e6:,.1f} MB")
    for model, n_calls in info["n_by_model"].items():
        typer.echo(f"  {model}: {n_calls:,}")


@cache_app.command("verify")
def cache_verify(cache: KeptCachePath = None) -> None:
    """Check every stored answer; exit code 1 if one is damaged."""
    path = _existing(cache)
    with Cache(path) as opened:
        found = opened.verify()
    _tell_check(path, found)
    if found.damaged:
        raise typer.Exit(1)


@cache_app.command("repair")
def cache_repair(cache: KeptCachePath = None) -> None:
    """Repair a damaged cache: keep intact answers; the old file stays beside it as .damaged."""
    path = _existing(cache)
    _tell_check(path, repair_cache(path))


def _tell_check(path: Path, found: CacheCheck) -> None:
    unchecked = f", {found.n_unchecked:,} of them without a checksum (an earlier release)" * bool(found.n_unchecked)
    typer.echo(f"{path}: {found.n_calls:,} sound calls{unchecked}")
    if found.damaged:
        typer.echo(f"{path}: {len(found.damaged):,} damaged calls, the first {found.damaged[0]}")


@cache_app.command("export")
def cache_export(
    path: Annotated[Path, typer.Argument(help="The JSONL file to write; recorded:PATH replays it.")],
    cache: KeptCachePath = None,
) -> None:
    """Write all answers as JSON lines."""
    with Cache(_existing(cache)) as opened:
        typer.echo(f"{path}: {opened.export_calls(path):,} calls")


@cache_app.command("import")
def cache_import(
    path: Annotated[Path, typer.Argument(help="A JSONL file that export wrote, or a folder of them.")],
    cache: KeptCachePath = None,
) -> None:
    """Import answers from JSON lines; existing answers stay."""
    with Cache(cache or default_cache_path()) as opened:
        typer.echo(f"{opened.path}: {opened.import_calls(path):,} new calls")
