"""``fallax data``: label sets, data sets, and files of annotated texts: fetch, count, convert, check."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from fallax.cli._given import typed
from fallax.cli._problems import list_on_stderr
from fallax.cli._terminal import live, tell
from fallax.core.taxonomies import crosswalk, label_set, list_taxonomies, load_taxonomy
from fallax.core.types import Label, Table, Taxonomy
from fallax.data import (
    DATASETS,
    FORMATS,
    Dataset,
    FetchedFile,
    FetchProgress,
    Loss,
    Problem,
    Published,
    cache_folder,
    data_root,
    fetch_dataset,
    iter_records,
    load_dataset,
    published_sources,
    read_corpus,
    read_predictions,
    stats,
    write_corpus,
    write_predictions,
)
from fallax.data.datasets import folder_of, size_of
from fallax.data.fetching import LOCK, all_datasets, find_dataset
from fallax.errors import InputError

__all__ = ["app"]

app = typer.Typer(
    name="data",
    help="List label sets and data sets; count, convert and check annotated files.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


class OnBad(StrEnum):
    """What to do with a span that cannot be used."""

    RAISE = "raise"
    REPORT = "report"


class Units(StrEnum):
    """The unit of the offsets in a file."""

    CODE_POINT = "code-point"
    UTF_16 = "utf-16"
    UTF_8 = "utf-8"


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
FormatName = Annotated[
    str | None,
    typer.Option("--from", help=f"Format of the input: {', '.join(FORMATS)} [detected]."),
]
TaxonomyName = Annotated[
    str | None,
    typer.Option(
        "--taxonomy",
        envvar="FALLAX_TAXONOMY",
        callback=label_set,
        help="Labels must be of this set, by name or as a TOML or JSON file, and get its spelling [as they are].",
    ),
]
Articles = Annotated[
    Path | None, typer.Option("--articles", help="propaganda: folder of the article texts [articles beside the file].")
]
Report = Annotated[
    OnBad, typer.Option("--on-bad-span", help="raise, or report and leave out spans that cannot be used.")
]
Counted = Annotated[
    Units, typer.Option("--offsets", help="What offsets in the input count: code-point, utf-16 or utf-8.")
]
Root = Annotated[
    Path | None,
    typer.Option("--root", help="Folder that holds the data sets [$FALLAX_DATA, then your cache].", show_default=False),
]


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _print_table(table: Table, *, may_go: Sequence[str] = ()) -> None:
    """Print a table on a terminal, tab-separated in a pipe.

    Where it is too wide for a terminal the columns ``may_go`` are left out, from the first to the last, and named.
    """
    from fallax.cli._console import Console  # slow to import and not needed for --json
    from fallax.cli._tables import print_table

    console = Console()
    if not console.is_terminal:  # a pipe gets columns that other programs can read
        typer.echo(f"# {table.title}")
        for line in (table.columns, *table.rows):
            typer.echo("\t".join(str(cell).replace("\t", " ").replace("\n", " ") for cell in line))
        return
    gone = list(may_go)
    while gone and _fits(console, table, gone[:-1]):
        gone.pop()
    kept = [i for i, column in enumerate(table.columns) if column not in gone]
    numbers = [k for k, i in enumerate(kept) if any(isinstance(row[i], (int, float)) for row in table.rows)]
    rows = [[str(row[i]) for i in kept] for row in table.rows]
    print_table(console, table.title, [table.columns[i] for i in kept], rows, numbers)
    if gone:
        console.print(f"not shown for lack of space: {', '.join(gone)}; --json has them", highlight=False)
    console.print()


def _fits(console: Any, table: Table, gone: Sequence[str]) -> bool:
    kept = [i for i, column in enumerate(table.columns) if column not in gone]
    widths = [max(len(str(line[i])) for line in (table.columns, *table.rows)) for i in kept]
    return bool(sum(widths) + 3 * (len(kept) - 1) <= console.width)


@app.command()
def taxonomies(
    name: Annotated[
        str | None, typer.Argument(help="Show the labels of this set, by name or as a TOML or JSON file.")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", help="Show how its labels relate to those of this other set.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the label sets, the labels of one set, or the crosswalk between two."""
    if name is None:
        if to is not None:
            raise InputError(
                "--to: must come with the name of a taxonomy, got none; write: fallax data taxonomies A --to B"
            )
        found = [load_taxonomy(n) for n in list_taxonomies()]
        if as_json:
            _print_json(
                [{"name": t.name, "title": t.title, "labels": len(t.labels), "version": t.version} for t in found]
            )
        else:
            rows = tuple((t.name, t.title, len(t.labels), t.finest + 1) for t in found)
            _print_table(Table("taxonomies", ("name", "title", "labels", "levels"), rows))
        return
    taxonomy = load_taxonomy(label_set(name) or name)
    if to is not None:
        mapped = crosswalk(taxonomy.name, to)
        if as_json:
            _print_json([m.to_dict() for m in mapped])
        else:
            pairs = tuple((m.label, m.relation, m.target or "", m.note) for m in mapped)
            _print_table(Table(f"from {name} to {to}", ("label", "relation", "target", "note"), pairs))
    elif as_json:
        _print_json(taxonomy.to_dict())
    else:
        columns = ("label", *(f"level {i}" for i in range(taxonomy.finest)), "definition")
        rows_of = tuple(_label_row(label) for label in taxonomy.labels)
        _print_table(Table(f"{taxonomy.name}: {taxonomy.title}", columns, rows_of))


def _label_row(label: Label) -> tuple[str, ...]:
    return (label.name, *label.groups, label.definition)


@app.command("stats")
def stats_command(
    file: Annotated[
        str, typer.Argument(help="File, folder, run folder, - for standard input, or the name of a data set.")
    ],
    format: FormatName = None,
    taxonomy: TaxonomyName = None,
    articles: Articles = None,
    split: Annotated[str | None, typer.Option(help="Split of a data set, or all.")] = None,
    on_bad_span: Report = OnBad.RAISE,
    offsets: Counted = Units.CODE_POINT,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Count texts, spans, labels at each level, alternatives, co-occurring labels, and lengths.

    For a folder that `fallax bench run` wrote, or a folder with several of them: rows, replies, tokens and labels.
    """
    from fallax.runs.counting import count_run, run_folders, run_tables  # slow to import

    if folders := run_folders(file):
        counted = [count_run(folder) for folder in folders]
        if as_json:
            _print_json({"runs": [c.to_dict() for c in counted]})
            return
        for table in run_tables(counted):
            _print_table(table)
        return
    levels: Taxonomy | None = None if taxonomy is None else load_taxonomy(taxonomy)
    if file in DATASETS and not Path(file).exists():
        corpus = load_dataset(file, split=split, root=root, taxonomy=levels)
        found, problems = stats(corpus, levels), list(corpus.problems)
    else:
        if split is not None:
            raise InputError(f"--split: must come with the name of a data set, got {file!r}; leave it out")
        stream = iter_records(
            file,
            format=format,
            taxonomy=levels,
            articles=articles,
            on_bad_span=on_bad_span.value,
            offsets=offsets.value,
        )
        found, problems = stats(stream, levels), stream.problems
    if as_json:
        _print_json({**found.to_dict(), "problems": [p.to_dict() for p in problems]})
        return
    for table in found.tables():
        _print_table(table)
    list_on_stderr("problem", problems)


@app.command()
def convert(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="IN", help="File, folder, or - for standard input.")],
    out: Annotated[
        str, typer.Argument(metavar="OUT", help="File (folder for brat), IN itself, or - for standard output.")
    ],
    to: Annotated[str, typer.Option("--to", help="Format of OUT.")],
    format: FormatName = None,
    taxonomy: TaxonomyName = None,
    articles: Articles = None,
    out_articles: Annotated[
        Path | None, typer.Option("--out-articles", help="--to propaganda: folder that gets the texts.")
    ] = None,
    predictions: Annotated[bool, typer.Option("--predictions", help="IN holds predictions, not gold.")] = False,
    records: Annotated[
        Path | None,
        typer.Option("--records", help="--predictions: annotated texts they are about; formats with texts need them."),
    ] = None,
    on_bad_span: Report = OnBad.RAISE,
    offsets: Counted = Units.CODE_POINT,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if something was lost.")] = False,
    as_json: AsJson = False,
) -> None:
    """Convert a file to another format. Lists what the target format cannot represent."""
    if records is not None and not predictions:
        raise InputError("--records: needs --predictions")
    if predictions and (unread := typed(context, ["articles", "out_articles"])):
        raise InputError(f"{unread[0]}: has no use with --predictions; leave it out")
    losses: Sequence[Loss]
    problems: Sequence[Problem]
    if predictions:
        about = None if records is None else read_corpus(records)
        found = read_predictions(
            file,
            format=format,
            records=about,
            taxonomy=taxonomy,
            on_bad_span=on_bad_span.value,
            offsets=offsets.value,
        )
        losses = write_predictions(found, out, format=to, records=about)
        problems = found.problems
    else:
        stream = iter_records(
            file,
            format=format,
            taxonomy=taxonomy,
            articles=articles,
            on_bad_span=on_bad_span.value,
            offsets=offsets.value,
        )
        losses = write_corpus(stream, out, format=to, articles=out_articles)
        problems = stream.problems
    if as_json:
        report = {"losses": [x.to_dict() for x in losses], "problems": [p.to_dict() for p in problems]}
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2), err=out == "-")
    else:
        list_on_stderr("problem", problems)
        list_on_stderr("lost", losses)
    if strict and losses:
        raise typer.Exit(1)


@app.command()
def export(
    file: Annotated[str, typer.Argument(metavar="IN", help="File, folder, or - for standard input.")],
    hf: Annotated[Path, typer.Option("--hf", help="Write a folder for the Hugging Face hub here (extra: parquet).")],
    licence: Annotated[str, typer.Option("--licence", help="Licence of the texts, as SPDX names it.")],
    name: Annotated[str | None, typer.Option("--name", help="Name on the card [that of the folder].")] = None,
    format: FormatName = None,
    taxonomy: TaxonomyName = None,
    articles: Articles = None,
    on_bad_span: Report = OnBad.RAISE,
    offsets: Counted = Units.CODE_POINT,
    as_json: AsJson = False,
) -> None:
    """Write annotated texts as Parquet with a card and Croissant metadata, as `datasets.load_dataset` reads them."""
    from fallax.data.hub import write_hub_folder

    stream = iter_records(
        file, format=format, taxonomy=taxonomy, articles=articles, on_bad_span=on_bad_span.value, offsets=offsets.value
    )
    found = write_hub_folder(stream, hf, name=name or hf.resolve().name, licence=licence, taxonomy=taxonomy or "")
    list_on_stderr("problem", stream.problems)
    if as_json:
        _print_json(found)
    else:
        typer.echo(f"{hf}: {found['n']} texts, {found['annotated']} annotated, {found['spans']} spans")


@app.command()
def validate(
    file: Annotated[str, typer.Argument(help="File, folder, or - for standard input.")],
    format: FormatName = None,
    taxonomy: TaxonomyName = None,
    articles: Articles = None,
    offsets: Counted = Units.CODE_POINT,
    as_json: AsJson = False,
) -> None:
    """Check a file of annotated texts. Exit code: 0 no problems, 1 problems listed, 2 unreadable."""
    stream = iter_records(
        file, format=format, taxonomy=taxonomy, articles=articles, on_bad_span="report", offsets=offsets.value
    )
    n = n_annotated = 0
    for record in stream:
        n += 1
        n_annotated += record.gold is not None
    problems = stream.problems
    n_out = sum(not p.kept for p in problems)
    if as_json:
        _print_json(
            {
                "format": stream.format,
                "n_records": n,
                "n_annotated": n_annotated,
                "n_kept_out": n_out,
                "problems": [p.to_dict() for p in problems],
            }
        )
    else:
        for problem in problems:
            typer.echo(str(problem))
        tell(
            f"{file}: {stream.format}, {n} records, {n_annotated} annotated, {len(problems)} problems,"
            f" {n_out} spans kept out"
        )
    if problems:
        raise typer.Exit(1)


@app.command("list")
def list_command(root: Root = None, as_json: AsJson = False) -> None:
    """List the data sets, what may be trained on them, which are here, and download sizes."""
    rows = []
    values = []
    for info in all_datasets().values():
        published = published_sources()[info.name]
        try:
            place, size = str(folder_of(info, root=root)), size_of(info, root=root)
        except InputError:
            place, size = "", None
        values.append({**info.to_dict(), "path": place or None, "size": size, "published": published.to_dict()})
        rows.append(
            (
                info.name,
                info.granularity,
                ", ".join(info.readable),
                info.may_train,
                info.licence,
                "yes" if place else "no",
                _megabytes(size),
                (_megabytes(published.size) or "size unknown") if published.files else "by hand",
            )
        )
    if as_json:
        _print_json(values)
        return
    columns = ("name", "labels on", "splits", "may train", "licence", "here", "size", "fetch")
    _print_table(
        Table(f"data sets in {data_root(root)}", columns, tuple(rows)), may_go=("licence", "splits", "labels on")
    )


def _megabytes(size: int | None) -> str:
    return "" if size is None else f"{size / 1e6:.1f} MB"


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help="Name of the data set.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask to confirm the licence.")] = False,
    out: Annotated[Path | None, typer.Option("--output", "-o", help="Folder to download into [your cache].")] = None,
    timeout: Annotated[float, typer.Option(min=1.0, help="Seconds to wait for data.")] = 30.0,
    as_json: AsJson = False,
) -> None:
    """Download a data set from its publisher; resumes an interrupted download and checks every file."""
    info = find_dataset(name)
    published = published_sources()[info.name]
    home = (out or cache_folder()) / info.name
    try:
        here = folder_of(info, root=out)
    except InputError:
        here = home
    if here != home:
        _fetched(here, [], as_json)
        tell(f"{info.name} is here already; nothing was fetched")
        return
    if published.files:
        typer.echo(_terms(info, published), err=True)
        if not yes and not home.exists():
            if not sys.stdin.isatty():
                raise InputError("the licence must be accepted, and there is no terminal to ask; read it and add --yes")
            typer.confirm("Fetch it?", abort=True, err=True)
    with _bar() as show:
        found = fetch_dataset(info.name, folder=out, progress=show, timeout=timeout)
    _fetched(home, found, as_json)
    unknown = [f.path.name for f in found if f.checked == "first fetch"]
    if unknown:
        typer.echo(
            f"no checksum is known for {', '.join(unknown)}: this download is trusted; {home / LOCK} records SHA-256"
            " and size, and later downloads must match",
            err=True,
        )


def _terms(info: Dataset, published: Published) -> str:
    known = {"shipped": "weights trained on it may be given away, with attribution"}
    known |= {"research": "weights trained on it must stay where they are", "never": "for tests; never train on it"}
    lines = [
        f"{info.name}: {info.title}",
        f"licence: {info.licence}; {known[info.may_train]}",
        f"source: {info.source}{f' ({published.note})' if published.note else ''}",
    ]
    for file in published.files:
        size = "" if file.size is None else f", {file.size:,} bytes"
        lines.append(f"  {file.url} ({'checksum pinned' if file.sha256 else 'no checksum known'}{size})")
    return "\n".join(lines)


def _fetched(home: Path, found: Sequence[FetchedFile], as_json: bool) -> None:
    if as_json:
        _print_json({"path": str(home), "files": [f.to_dict() for f in found]})
    else:
        typer.echo(str(home))


@contextmanager
def _bar() -> Iterator[Callable[[FetchProgress], None]]:
    """Show a progress bar per file on a terminal; nothing in a pipe."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    from fallax.cli._console import Console  # slow to import, and needed here alone

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not live(console)) as bar:
        files: dict[str, TaskID] = {}

        def show(state: FetchProgress) -> None:
            if state.name not in files:
                files[state.name] = bar.add_task(state.name)
            bar.update(files[state.name], completed=state.n_bytes, total=state.total)

        yield show


@app.command()
def path(
    name: Annotated[str | None, typer.Argument(help="Name of a data set [the folder of all].")] = None,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Print the folder of a data set."""
    found = data_root(root) if name is None else folder_of(find_dataset(name), root=root)
    if as_json:
        _print_json({"name": name, "path": str(found)})
    else:
        typer.echo(str(found))
