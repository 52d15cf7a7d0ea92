"""``fallax annotate``: annotation in the browser, by one local process over one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import typer

from fallax.annotation.jobs import JOBS, set_taxonomy, taxonomy_of
from fallax.annotation.project import export_project, export_table, import_answers, read_items
from fallax.annotation.store import ADJUDICATOR, AnnotationStore
from fallax.cli._out import check_out, write_out
from fallax.cli._terminal import note, tell
from fallax.core.taxonomies import label_set, load_taxonomy
from fallax.core.whole import read_whole
from fallax.data import FORMATS, read_corpus, read_predictions
from fallax.errors import InputError, UnknownNameError, one_line

__all__ = ["app"]

app = typer.Typer(name="annotate", pretty_exceptions_enable=False, add_completion=False)


@app.command()
def annotate(
    source: Annotated[
        Path, typer.Argument(help="Texts (file or folder, any format), or an existing project (.sqlite).")
    ],
    job: Annotated[str | None, typer.Option("--job", help=f"One of {', '.join(JOBS)} [spans].")] = None,
    annotator: Annotated[
        list[str] | None, typer.Option("--annotator", help="Name of an annotator, who gets a link; repeatable [me].")
    ] = None,
    adjudicator: Annotated[
        list[str] | None,
        typer.Option("--adjudicator", help="Name of an adjudicator, who sees all answers; repeatable."),
    ] = None,
    taxonomy: Annotated[
        str | None,
        typer.Option(
            "--taxonomy",
            callback=label_set,
            help="Labels of spans: a label set by name, or as a TOML or JSON file [mafalda].",
        ),
    ] = None,
    guidelines: Annotated[
        Path | None, typer.Option("--guidelines", help="Guidelines for annotators: a Markdown file.")
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="Title of the project.")] = None,
    suggest: Annotated[
        Path | None, typer.Option("--suggest", help="Predictions, shown to annotators after their own pass.")
    ] = None,
    begun: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="NAME=FILE", help="Import an annotator's file, in any format; repeatable."),
    ] = None,
    unfinished: Annotated[bool, typer.Option("--unfinished", help="Imported texts count as not finished yet.")] = False,
    project: Annotated[Path | None, typer.Option("--project", help="The project file [beside the texts].")] = None,
    export: Annotated[
        Path | None, typer.Option("--export", help="Export the annotations to this folder (or file), and exit.")
    ] = None,
    to: Annotated[str, typer.Option("--to", help="Format of the export.")] = "fallax",
    of: Annotated[
        str | None,
        typer.Option("--of", help="Export only this annotator, or adjudicated, to a file [all, to a folder]."),
    ] = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="Port to listen on; 0: any free port.", min=0, max=65535)] = 8578,
    allow_host: Annotated[
        list[str] | None, typer.Option("--allow-host", help="Another host name of this server; repeatable.")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
) -> None:
    """Annotate in the browser: spans with alternatives, faithfulness, ratings, structures; adjudicate; export.

    Every change is saved at once in the project file. Annotators do not see each other's work.
    """
    twice = next((name for name in annotator or () if (annotator or []).count(name) > 1), None)
    if twice is not None:
        raise InputError(f"--annotator: two people need two names, got {one_line(twice, 40)!r} twice")
    store = _project(source, project, job, taxonomy, title, guidelines, suggest)
    try:
        names = annotator or ([] if store.annotators() else ["me"])
        for name in names:
            store.add_annotator(name)
        for name in adjudicator or []:
            store.add_annotator(name, adjudicates=True)
        for entry in begun or []:
            _import(store, entry, done=not unfinished)
        if export is not None:
            _export(store, export, to, of)
            return
        _serve(store, host, port, allow_host or [], open_browser=open_browser)
    finally:
        store.close()


def _project(
    source: Path,
    project: Path | None,
    job: str | None,
    taxonomy: str | None,
    title: str | None,
    guidelines: Path | None,
    suggest: Path | None,
) -> AnnotationStore:
    begun = source.suffix == ".sqlite"
    if begun and not source.is_file():
        raise InputError(f"{source}: must be an existing project, found no file; name texts to create one")
    if not begun and not source.exists():
        raise InputError(f"{source}: must be a file or folder of texts, found nothing")
    if job is not None and job not in JOBS:
        raise UnknownNameError("job", job, JOBS)
    path = source if begun else project or source.with_suffix(".sqlite")
    new = None if begun else read_items(source, job or "spans")
    if begun:
        AnnotationStore(path, read_only=True).close()
    if taxonomy is not None:
        load_taxonomy(taxonomy)
    store = AnnotationStore(path)
    try:
        _set_up(store, job or store.setting("job") or "spans", taxonomy, title, guidelines, suggest, new)
    except BaseException:
        store.close()
        raise
    return store


def _set_up(
    store: AnnotationStore,
    job: str,
    taxonomy: str | None,
    title: str | None,
    guidelines: Path | None,
    suggest: Path | None,
    new: list[tuple[str, dict[str, Any]]] | None,
) -> None:
    """Store the settings and new items of a project."""
    settings: dict[str, Any] = {} if title is None else {"title": title}
    if taxonomy is not None or store.setting("taxonomy") is None:
        settings |= set_taxonomy(store, taxonomy or "mafalda")
    if guidelines is not None:
        settings["guidelines"] = read_whole(guidelines)
    store.create(job, settings)
    predictions = {}
    if suggest is not None:
        if job != "spans":
            raise InputError("--suggest: is for the job spans")
        found = read_predictions(suggest, taxonomy=taxonomy_of(store))
        predictions = {p.id: [s.to_dict() for s in p.spans] for p in found}
    if new is not None:
        store.add_items(new, suggestions=predictions)
    elif predictions:
        store.add_suggestions(predictions)


def _import(store: AnnotationStore, entry: str, *, done: bool) -> None:
    name, _, file = entry.partition("=")
    if not name or not file:
        raise InputError(f"--import: must be NAME=FILE, got {entry!r}")
    if store.setting("job") != "spans":
        raise InputError("--import: is for the job spans")
    corpus = read_corpus(file, taxonomy=taxonomy_of(store))
    for problem in corpus.problems:
        note(str(problem))
    counts = import_answers(store, corpus.records, name, done=done)
    tell(f"{counts.pop('imported')} texts of {name} from {file}")
    for why, n in counts.items():
        note(f"{file}: {n} texts left out: {why}")


def _export(store: AnnotationStore, out: Path, to: str, of: str | None) -> None:
    if to not in FORMATS:
        raise UnknownNameError("format", to, FORMATS)
    if of not in (None, ADJUDICATOR, *store.annotators()):
        raise UnknownNameError("annotator of --of", of, [*store.annotators(), ADJUDICATOR])
    if not any(of in (None, a.annotator) for a in store.answers(done=True)):
        who = "nobody has marked an item as done"
        if of is not None:
            who = "nothing is adjudicated" if of == ADJUDICATOR else f"{one_line(of, 40)!r} has no finished item"
        note(f"{store.path}: there is nothing to export yet: {who}")
    outdated = len(store.outdated()) if of in (None, ADJUDICATOR) else 0
    if outdated:
        note(
            f"{store.path}: left out of {ADJUDICATOR}, since answers changed after the decision: {outdated} of the"
            " texts; the page Adjudicate lists them as open"
        )
    if of is not None and store.setting("job") != "spans":
        target = check_out(out)
        write_out(target, export_table(store, annotator=of))
        return
    for name, losses in export_project(store, out, format=to, annotator=of).items():
        for loss in losses:
            typer.echo(f"{name}: {loss}", err=True)


def _serve(store: AnnotationStore, host: str, port: int, allow_host: list[str], *, open_browser: bool) -> None:
    from fallax.cli.serve import listen, run_server, serve_settings

    sock = listen(host, port)
    settings = serve_settings(host=host, port=sock.getsockname()[1], token=None, allow_host=allow_host)
    from fallax.web.annotate import annotate_app

    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    base = f"http://[{shown}]" if ":" in shown else f"http://{shown}"
    links = {
        name: f"{base}:{settings.port}/annotate/enter?"
        + urlencode(
            {"name": name, "key": store.token_of(name) or "", **({"token": settings.token} if settings.token else {})}
        )
        for name in store.annotators()
    }
    with sock:
        for name, link in links.items():
            typer.echo(f"{name}: {link}")
        tell(f"The project is {store.path}. Ctrl-C stops the server; nothing is lost.")
        run_server(annotate_app(store, settings), sock, next(iter(links.values())) if open_browser else None)
