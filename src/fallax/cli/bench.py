"""``fallax bench``: runs benchmarks with any system, resumes, scores and compares runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from fallax.cli._bench_tables import Bootstrap, print_comparison, show_scores
from fallax.cli._console import Console
from fallax.cli._models import CONNECTIONS, KeptCachePath, MaxConnections, MaxCost, ModelOptions
from fallax.cli._problems import list_on_stderr
from fallax.cli._terminal import live, note
from fallax.cli.data import OnBad, Units
from fallax.data import write_predictions
from fallax.errors import InputError, UnknownNameError
from fallax.models import Limits, default_cache_path, parse_options
from fallax.runs.base import Benchmark, SystemSpec
from fallax.runs.checking import RunCheck, repair_run, verify_run
from fallax.runs.compare import compare_runs
from fallax.runs.folder import read_rows, read_run
from fallax.runs.merge import merge_runs
from fallax.runs.registry import BENCHMARKS, benchmark_class
from fallax.runs.runner import Progress, RunSpec, default_folder, estimate_run, run_benchmark
from fallax.runs.scoring import benchmark_of, groups_of, score_run

__all__ = ["app"]

# Pretty exceptions would print local variables, keys among them.
app = typer.Typer(
    name="bench",
    help="Run a benchmark with any system, resume it, score it again, compare runs.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")]
Timeout = Annotated[float, typer.Option(help="Seconds to wait for an answer.")]
MaxRetries = Annotated[int, typer.Option(min=0, help="Retries of a failed call.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Count calls, tokens and cost; send and write nothing.")]


@app.command()
def run(
    benchmark: Annotated[str, typer.Argument(help=f"One of {', '.join(BENCHMARKS)}.")],
    system: Annotated[
        str,
        typer.Option(
            "--system",
            "--model",
            help="random, silent, ..., detector:NAME, judge:NAME, verifier:FOLDER, PROVIDER/MODEL, recorded:PATH,"
            " scripted:PATH; see `fallax bench list BENCHMARK`.",
        ),
    ],
    protocol: Annotated[
        str | None, typer.Option(help="How a model is asked; see `fallax bench list BENCHMARK` [the first there].")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--output", "-o", help="The run folder [below runs/, named after the command].")
    ] = None,
    data: Annotated[str | None, typer.Option(help="Folder or file with the data [$FALLAX_DATA].")] = None,
    benchmark_option: Annotated[
        list[str] | None,
        typer.Option(
            "-B",
            "--benchmark-option",
            metavar="KEY=VALUE",
            help="Option of the benchmark, such as set=wice; see `fallax bench list BENCHMARK`; repeatable.",
        ),
    ] = None,
    protocol_option: Annotated[
        list[str] | None,
        typer.Option(
            "-P",
            "--protocol-option",
            metavar="KEY=VALUE",
            help="Option of the protocol, such as max_tokens=64; see `fallax bench list BENCHMARK`; repeatable.",
        ),
    ] = None,
    on_bad_span: Annotated[
        OnBad | None,
        typer.Option(
            "--on-bad-span",
            help="Data of your own: raise, or report and leave out gold spans that cannot be used [a file: raise].",
        ),
    ] = None,
    offsets: Annotated[
        Units | None,
        typer.Option(
            "--offsets", help="What offsets in data of your own count: code-point, utf-16 or utf-8 [code-point]."
        ),
    ] = None,
    model_option: ModelOptions = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N samples [all].")] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="Only a random sample of N, balanced over the gold classes [all].")
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="How often each sample is asked.")] = 1,
    shard: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Only the I-th of every N samples, such as 1/4; see `fallax bench merge`."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    max_connections: MaxConnections = CONNECTIONS,
    max_cost: MaxCost = None,
    timeout: Timeout = 600.0,
    max_retries: MaxRetries = 8,
    cache: KeptCachePath = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Run a benchmark; the same command resumes an interrupted run."""
    options = parse_options(benchmark_option or (), what="benchmark option")
    for name, value in (("on_bad_span", on_bad_span), ("offsets", offsets)):
        if value is not None:
            if name not in benchmark_class(benchmark).options:
                flag = "--" + name.replace("_", "-")
                raise InputError(f"{flag}: benchmark {benchmark!r} reads no spans of your own; leave it out")
            options[name] = value.value
    spec = RunSpec(
        benchmark,
        SystemSpec(
            system,
            protocol,
            parse_options(protocol_option or (), what="protocol option"),
            parse_options(model_option or ()),
        ),
        data,
        options,
        limit,
        epochs,
        shard,
        seed,
        sample,
    )
    limits = Limits(timeout=timeout, max_retries=max_retries)
    _run(spec, out, cache, max_connections, max_cost, limits, dry_run, as_json)


@app.command()
def resume(
    path: RunPath,
    model_option: ModelOptions = None,
    max_connections: MaxConnections = CONNECTIONS,
    max_cost: MaxCost = None,
    timeout: Timeout = 600.0,
    max_retries: MaxRetries = 8,
    cache: KeptCachePath = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Resume an interrupted run; credentials are not stored and must be given again."""
    found = read_run(path)
    system = found["system"]
    options = {**system["model_options"], **parse_options(model_option or ())}
    spec = RunSpec(
        found["benchmark"],
        SystemSpec(system["name"], system["protocol"], system["protocol_options"], options),
        found["data"]["path"],
        found["options"],
        found["limit"],
        found["epochs"],
        found["shard"],
        found["seed"],
        found.get("sample"),
    )
    limits = Limits(timeout=timeout, max_retries=max_retries)
    _run(spec, path, cache, max_connections, max_cost, limits, dry_run, as_json)


@app.command()
def verify(path: RunPath, as_json: AsJson = False) -> None:
    """Check every row of a recorded run; exit code 1 if something is damaged."""
    found = verify_run(path)
    _tell_check(path, found, as_json)
    if found.damaged:
        if not as_json:
            typer.echo(_mended(path, found))
        raise typer.Exit(1)


def _mended(path: Path, found: RunCheck) -> str:
    """Which command mends damaged rows: an incomplete last line needs no repair."""
    if len(found.damaged) == 1 and found.is_cut_off:
        return (
            f"line {found.damaged[0]} was cut off, as a killed run leaves it; fallax bench resume {path} removes it and"
            " asks again"
        )
    return f"fallax bench repair {path} keeps the sound rows"


@app.command()
def repair(path: RunPath, as_json: AsJson = False) -> None:
    """Repair a damaged run: keep the intact rows; the others are set aside and asked again on resume."""
    found = repair_run(path)
    _tell_check(path, found, as_json)
    if found.damaged and not as_json:
        typer.echo(f"damaged rows are in {path}/records.damaged.jsonl; now: fallax bench resume {path}")


def _tell_check(path: Path, found: RunCheck, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"path": str(path), **found.to_dict()}))
        return
    unchecked = f", {found.n_unchecked:,} of them without a checksum (an earlier release)" * bool(found.n_unchecked)
    typer.echo(f"{path}: {found.n_rows:,} sound rows of {found.n_expected:,}{unchecked}")
    if found.damaged:
        lines = ", ".join(map(str, found.damaged[:20])) + ", ..." * (len(found.damaged) > 20)
        typer.echo(f"{path}: {len(found.damaged):,} damaged rows: lines {lines}")


def _run(
    spec: RunSpec,
    out: Path | None,
    cache: Path | None,
    max_connections: int,
    max_cost: float | None,
    limits: Limits,
    dry_run: bool,
    as_json: bool,
) -> None:
    path = out or default_folder(spec)
    kept = cache or default_cache_path()
    if dry_run:
        estimates = estimate_run(spec, path, cache=kept)
        if as_json:
            typer.echo(json.dumps({"path": str(path), "estimates": [e.to_dict() for e in estimates]}))
        else:
            typer.echo("\n".join(map(str, estimates)) or f"{spec.system.name}: asks no model, costs nothing")
        return
    done: list[Progress] = []
    try:
        with _progress(spec.system.name, done) as on_progress:
            result = run_benchmark(
                spec,
                path,
                cache=kept,
                max_connections=max_connections,
                max_cost=max_cost,
                limits=limits,
                on_progress=on_progress,
                finish_on_interrupt=True,
            )
    except KeyboardInterrupt:
        kept_rows = f"{done[-1].n_done} of {done[-1].n_total} rows are kept in {path}" if done else "nothing was done"
        typer.echo(f"fallax: interrupted: {kept_rows}; the same command resumes it", err=True)
        raise typer.Exit(130) from None
    show_scores(result.scores, path, as_json)
    if result.n_errors:
        first = next((row.reason for row in read_rows(path) if row.status == "error"), "")
        typer.echo(
            f"fallax: error: {result.n_errors} of {result.scores.n_expected} rows failed and are unscored; the same"
            f" command tries them again; the first: {first}",
            err=True,
        )
        raise typer.Exit(3)


@contextmanager
def _progress(name: str, done: list[Progress]) -> Iterator[Callable[[Progress], None]]:
    """Show a progress bar on a terminal; the latest state is stored in ``done``."""
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[cost]}"),
        TextColumn("{task.fields[errors]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, disable=not live(console)) as bar:
        task = bar.add_task(name, total=None, rate="", cost="", errors="")

        def show(state: Progress) -> None:
            done[:] = [state]
            if bar.disable:
                return
            spent = state.budget.spent
            elapsed = bar.tasks[task].elapsed or 0.0
            rate = (state.n_done - state.n_before) / elapsed if elapsed > 0.5 else 0.0
            bar.update(
                task,
                total=state.n_total,
                completed=state.n_done,
                rate=f"{rate:.1f}/s" if rate else "",
                cost=f"{spent.prompt_tokens + spent.completion_tokens:,} tokens"
                + ("" if spent.cost is None else f", ${spent.cost:.4f}"),
                errors=f"{state.n_errors} failed" if state.n_errors else "",
            )
            if state.n_finishing is not None:
                bar.console.print(f"finishing {state.n_finishing} samples in progress; Ctrl-C again cancels them")

        yield show


@app.command()
def score(
    path: RunPath,
    by: Annotated[
        str | None,
        typer.Option("--by", help="Show parts too: label, source, steps, distractors; what the benchmark has [none]."),
    ] = None,
    ci: Annotated[bool, typer.Option("--ci", help="95 % bootstrap intervals.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of intervals.")] = 0,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 10_000,
    tables: Annotated[
        bool, typer.Option("--tables", help="Show the other tables of the report too: calibration curves.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Score a run again from its rows, finished or not; asks no model and needs no data."""
    result = score_run(path)
    known = sorted({kind for one in result.scores.values() for kind in one.parts})
    if by is not None and by not in known:
        raise UnknownNameError("value of --by", by, known)
    further = benchmark_of(result.run).tables(read_rows(path, epoch=0), result.scores) if tables else ()
    groups = groups_of(benchmark_of(result.run), path) if ci else None
    show_scores(result, path, as_json, by=by, ci=Bootstrap(resamples, seed, groups) if ci else None, tables=further)


@app.command()
def compare(
    paths: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run folders; each is tested against the first.")
    ],
    score: Annotated[
        list[str] | None, typer.Option("--score", help="A score of the benchmark, repeatable, or all [the main one].")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of intervals and tests.")] = 0,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap resamples.")] = 10_000,
    published: Annotated[bool, typer.Option(help="Show published numbers too.")] = True,
    matrix: Annotated[
        str | None,
        typer.Option("--matrix", metavar="MEASURE", help="Show this measure, such as recall, for each label and run."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare runs of one benchmark: intervals, paired tests, tokens and calls, published numbers."""
    found = compare_runs(paths, scores=score or (), n_resamples=resamples, seed=seed)
    if as_json:
        typer.echo(json.dumps(found.to_dict()))
        return
    print_comparison(found, matrix=matrix, published=published)


@app.command("list")
def list_benchmarks(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[BENCHMARK]", help="Describe this one, with the options of its protocols [list all]."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the benchmarks with their systems, protocols and options; or describe one in full."""
    classes = [benchmark_class(name) for name in (BENCHMARKS if name is None else (name,))]
    if as_json:
        fields = ("name", "about", "options", "baselines", "protocols", "detectors", "primary")
        found = [{field: getattr(c, field) for field in fields} for c in classes]
        if name is not None:
            found[0]["protocol_options"] = {p: classes[0].protocol_options(p) for p in classes[0].protocols}
        typer.echo(json.dumps(found, default=dict))
        return
    if name is not None:
        _describe(classes[0])
        return
    for c in classes:
        typer.echo(f"{c.name}: {c.about}")
        systems = [*c.baselines, *c.trained(), *(["any model"] if c.protocols else [])]
        typer.echo(f"  systems: {', '.join(systems)}")
        for title, table in (("protocol", c.protocols), ("option", c.options)):
            for name, what in table.items():
                typer.echo(f"  {title} {name}: {what}")


#: How trained systems are named -> what they are.
_TRAINED = {
    "detector:NAME": "a detector, by name or folder; see `fallax detectors list`",
    "judge:NAME": "a local judge, by name or folder; see `fallax debate judges`",
    "verifier:FOLDER": "a verifier that `fallax verify train` wrote",
}


def _describe(found: type[Benchmark]) -> None:
    """Print systems, protocols and options of a benchmark, one on each line with what it does."""
    typer.echo(f"{found.name}: {found.about}")
    systems = dict(found.baselines) | {form: _TRAINED[form] for form in found.trained()}
    if found.protocols:
        systems["PROVIDER/MODEL"] = "a chat model, asked with --protocol; see `fallax models list`"
    _titled("systems (--system)", systems)
    _titled("options of the benchmark (-B)", found.options)
    _titled("protocols (--protocol); the first is the default", found.protocols)
    same: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for protocol in found.protocols:
        same.setdefault(tuple(found.protocol_options(protocol).items()), []).append(protocol)
    for options, protocols in same.items():
        which = "" if len(same) == 1 else f" {', '.join(protocols)}"
        _titled(f"options of the protocol{'s' * (len(protocols) > 1)}{which} (-P)", dict(options))
    if found.protocols:
        typer.echo("options of the model (-M): see `fallax models options`")


def _titled(title: str, lines: Mapping[str, str]) -> None:
    if lines:
        typer.echo(f"{title}:")
    for name, about in lines.items():
        typer.echo(f"  {name}: {about}")


@app.command()
def merge(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The run folder to write.")],
    shards: Annotated[list[Path], typer.Argument(metavar="SHARD...", help="The folders of all shards.")],
    as_json: AsJson = False,
) -> None:
    """Merge all shards of a run into the bytes of a single run."""
    show_scores(merge_runs(out, shards), out, as_json)


class Target(StrEnum):
    """Export formats of a run."""

    FALLAX = "fallax"
    INSPECT = "inspect"
    MAFALDA = "mafalda"
    PROPAGANDA = "propaganda"
    TOUCHE = "touche"


@app.command()
def export(
    path: RunPath,
    out: Annotated[Path, typer.Option("--output", "-o", help="The file to write; inspect: .eval or .json.")],
    to: Annotated[
        Target,
        typer.Option(
            "--to",
            help="fallax, mafalda or propaganda: predicted passages, which `fallax score --pred` reads; inspect: a log"
            " for Inspect AI; touche: a submission, one line per text.",
        ),
    ],
    cache: KeptCachePath = None,
    fields: Annotated[
        list[str] | None,
        typer.Option("--field", help="touche: rename id, exists or type, such as type=label; repeatable."),
    ] = None,
) -> None:
    """Export a run: its predictions, a log with replies and, from the cache, questions, or a submission."""
    if to is Target.TOUCHE:
        from fallax.detection.benchmarks.touche import write_submission

        names = {name: str(value) for name, value in parse_options(fields or [], what="field").items()}
        n_left_out = write_submission(read_rows(path), out, fields=names)
        typer.echo(f"{out}: {n_left_out} texts without an answer are left out" if n_left_out else str(out))
        return
    if fields:
        raise InputError("--field: is read with --to touche only")
    if to is not Target.INSPECT:
        _export_predictions(path, out, to.value)
        return
    from fallax.integrations.inspect_log import export_run  # needs an extra

    typer.echo(str(export_run(path, out, cache=cache or default_cache_path())))


def _export_predictions(path: Path, out: Path, to: str) -> None:
    """Write the predicted passages of a run's first epoch in a format of predictions."""
    run = read_run(path)
    benchmark = benchmark_of(run)
    predictions, records = [], []
    for row in read_rows(path, epoch=0):
        prediction, record = benchmark.predicted(row), benchmark.gold_record(row)
        if prediction is None or record is None:
            raise InputError(f"--to {to}: benchmark {benchmark.name!r} predicts no passages; use --to inspect")
        predictions.append(prediction)
        records.append(record)
    # the fragments of propaganda stand beside their articles and repeat no text
    texts = None if to == "propaganda" else records
    list_on_stderr("lost", write_predictions(predictions, out, format=to, records=texts))
    if run["epochs"] > 1:
        note(f"only the first of {run['epochs']} epochs is exported")
    typer.echo(f"{out}: {len(predictions)} predictions")
