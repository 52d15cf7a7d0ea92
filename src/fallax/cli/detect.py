"""``fallax detect``: finds passages that look fallacious, with label and explanation."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from fallax.api import DetectionSystem, adetect, detection_system
from fallax.cli._console import Console
from fallax.cli._models import CONNECTIONS, CachePath, MaxConnections, MaxCost, ModelOptions, need_model, open_models
from fallax.cli._out import check_out, open_lines, write_out
from fallax.cli._progress import compute
from fallax.cli._terminal import detail_traceback, live, note, tell_error
from fallax.cli._texts import Encoding, note_left_out, note_reading
from fallax.core.ahead import in_order
from fallax.core.taxonomies import label_set, load_taxonomy
from fallax.core.texts import whole_characters
from fallax.core.types import Detection, Prediction, Record
from fallax.data import list_texts, may_hold_several, read_texts, write_predictions
from fallax.detection.protocols import PROTOCOLS
from fallax.detection.view import detection_text, detections_page, spans_table
from fallax.errors import DetectorError, FallaxError, InputError, UnknownNameError
from fallax.render import safe
from fallax.render.sarif import placed_findings, sarif_log

__all__ = ["app"]

app = typer.Typer(name="detect", pretty_exceptions_enable=False, add_completion=False)

#: form -> what it is.
OUTPUTS = {
    "text": "the text with its passages highlighted",
    "table": "one row per passage",
    "json": "one object, or a list of them for several paths, a folder, JSONL or a table",
    "jsonl": "one object per line, written as each text is done",
    "doccano": "Doccano's JSONL",
    "html": "one self-contained page",
    "sarif": "SARIF 2.1.0, for code hosts and editors",
}
#: Texts examined at a time when a model is asked; calls themselves are limited by --max-connections.
_AHEAD = 8


@dataclass
class _Failures:
    """Problems with inputs: reported at once, counted at the end."""

    exit_code: int = 0
    n: int = 0

    def tell(self, error: FallaxError | str, exit_code: int = 2) -> None:
        self.n += 1
        self.exit_code = self.exit_code or exit_code
        tell_error(error)


@dataclass
class _Asked:
    """The detection settings, the same for all texts."""

    system: DetectionSystem
    settings: dict[str, Any]
    failures: _Failures = field(default_factory=_Failures)

    async def one(self, record: Record) -> Detection:
        try:
            return await adetect(record, system=self.system, **self.settings)
        except DetectorError as error:  # the other texts may be fine
            detail_traceback(error)
            return self._not_examined(record, error.reason)

    def _not_examined(self, record: Record, reason: str) -> Detection:
        taxonomy, level = self.settings["taxonomy"] or self.system.taxonomy, self.settings["level"]
        finest = load_taxonomy(taxonomy).finest
        prediction = Prediction(record.id, unscored=reason)
        return Detection(record, prediction, self.system.name, taxonomy, finest if level is None else level)

    def all(self, records: Iterator[Record]) -> AsyncIterator[Detection]:
        """Detect in order, up to :data:`_AHEAD` texts at a time."""
        return in_order(records, self.one, ahead=_AHEAD)


def _files(paths: list[Path], text_field: str | None, failures: _Failures) -> list[Path]:
    """The files of all paths, each once; a missing one is reported and does not stop the others."""
    found: dict[Path, None] = {}
    for path in paths:
        try:
            found |= dict.fromkeys(list_texts([path], field=text_field))
        except FallaxError as error:
            failures.tell(error, error.exit_code)
        else:
            note_left_out(path, text_field)
    return list(found)


def _records(paths: list[Path], text_field: str | None, encoding: str, failures: _Failures) -> Iterator[Record]:
    """Every readable text; unreadable ones are reported and skipped."""
    seen: dict[str, Path] = {}
    for path in paths:
        try:
            for record in read_texts(path, field=text_field, encoding=encoding):
                if record.id in seen:
                    raise InputError(
                        f"{path}: each id must be given once, got {record.id[:60]!r} again (first in {seen[record.id]})"
                    )
                seen[record.id] = path
                note_reading(record)
                yield replace(record, text=whole_characters(record.text))
        except FallaxError as error:
            failures.tell(error, error.exit_code)
        except OSError as error:
            failures.tell(f"{path}: {error.strerror or error}")


@app.command()
def detect(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Texts (plain, Markdown, HTML, PDF, Word, mail, JSONL, CSV), folders of texts, or - (a pipe).",
        ),
    ],
    text_field: Annotated[
        str | None,
        typer.Option("--field", help="JSONL, CSV: the field with the text [text]; reads such files in folders too."),
    ] = None,
    encoding: Encoding = "utf-8",
    system: Annotated[
        str | None,
        typer.Option("--system", help="A detector by name (see `fallax detectors list`) or folder [encoder]."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="PROVIDER/MODEL", help="Ask a chat model instead; see `fallax models list`."),
    ] = None,
    model_option: ModelOptions = None,
    protocol: Annotated[
        str, typer.Option("--protocol", help=f"How a model is asked: {' or '.join(PROTOCOLS)}.")
    ] = "sentence",
    taxonomy: Annotated[
        str | None,
        typer.Option(
            "--taxonomy",
            callback=label_set,
            help="Label set of the answer, see `fallax data taxonomies`, or a TOML or JSON file [the detector's;"
            " mafalda with --model].",
        ),
    ] = None,
    level: Annotated[
        int | None, typer.Option("--level", help="Level of the labels, 0 the coarsest [the finest].")
    ] = None,
    min_confidence: Annotated[
        float | None, typer.Option("--min-confidence", help="Minimum confidence, 0 to 1 [the detector's threshold].")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why, and what would make each passage sound.")
    ] = False,
    format: Annotated[str, typer.Option("--format", help=f"One of {', '.join(OUTPUTS)}.")] = "text",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write here [standard output].")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    cache: CachePath = None,
    max_connections: MaxConnections = CONNECTIONS,
    max_cost: MaxCost = None,
) -> None:
    """Find passages that look fallacious: where, which fallacy, how sure, and why.

    A finding is a place to look, not a verdict. Confidences come from a statistical detector, or from the model asked.
    A text without findings is not proved sound.
    """
    form = "json" if as_json else format
    if form not in OUTPUTS:
        raise UnknownNameError("value of --format", form, OUTPUTS)
    out = check_out(output)
    if model is None:
        need_model(context, ["protocol"])
    settings = {"taxonomy": taxonomy, "level": level, "min_confidence": min_confidence, "explain": explain}
    failures = _Failures()
    files = _files(paths, text_field, failures)
    check_out(out, files)
    if not files:
        raise typer.Exit(failures.exit_code)
    several = len(paths) > 1 or text_field is not None or may_hold_several(paths[0])
    with open_models(model_option, cache=cache, max_connections=max_connections, max_cost=max_cost) as load:
        chat = None if model is None else load(model)
        asked_by = protocol if chat is not None else None
        used = detection_system(system=system, model=chat, protocol=asked_by, taxonomy=taxonomy)
        asked = _Asked(used, settings, failures)
        work = _write(asked, _records(files, text_field, encoding, asked.failures), form, out, several)
        (compute if chat is None else asyncio.run)(work)
    if asked.failures.exit_code:
        raise typer.Exit(asked.failures.exit_code)


async def _write(asked: _Asked, records: Iterator[Record], form: str, out: Path | None, several: bool) -> None:
    """Stream the formats that can be streamed; write others at the end, so that a file is never incomplete."""
    kept: list[Detection] = []
    streamed = form == "jsonl" or (form == "text" and out is None)
    done = 0
    with ExitStack() as stack:
        write = stack.enter_context(open_lines(out)) if form == "jsonl" else None
        console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
        stack.callback(_progress, None)
        async for found in asked.all(records):
            done += 1
            if found.prediction.unscored:
                asked.failures.tell(f"{found.record.id}: not examined: {found.prediction.unscored}", 1)
            for said in found.notes if form != "text" or out is not None else ():  # the text shows them
                note(f"{safe(found.record.id)}: {said}")
            if not streamed:
                kept.append(found)
            elif write is not None:
                write(json.dumps(found.to_dict(), ensure_ascii=False) + "\n")
            else:
                console.print(_shown(found, console, several))
                console.print()
            _progress(done)
    if not streamed:
        _write_kept(kept, form, out, several)
    if out is not None and done and asked.failures.n:
        note(f"{out}: without the texts that could not be examined")
    if not done and not asked.failures.n:
        raise InputError("there must be at least one text, got none")


def _shown(found: Detection, console: Console, several: bool) -> RenderableType:
    brackets = console.color_system is None or console.no_color
    return detection_text(found, title=found.record.id if several else "", brackets=brackets)


def _progress(done: int | None) -> None:
    """Show a count on the terminal while results go elsewhere; the only text needs none."""
    if live() and not sys.stdout.isatty() and done != 1:
        sys.stderr.write("\r\x1b[K" if done is None else f"\r{done} texts examined")
        sys.stderr.flush()


def _write_kept(kept: list[Detection], form: str, out: Path | None, several: bool) -> None:
    if not kept:
        return
    if form == "doccano":
        write_predictions([d.prediction for d in kept], out or "-", format="doccano", records=[d.record for d in kept])
        return
    if form == "json":
        values = [d.to_dict() for d in kept]
        shown = json.dumps(values if several or len(values) != 1 else values[0], ensure_ascii=False, indent=2) + "\n"
    elif form == "html":
        shown = detections_page(kept)
    elif form == "sarif":
        log = sarif_log((f for d in kept for f in placed_findings(d)), systems=sorted({d.system for d in kept}))
        shown = json.dumps(log, ensure_ascii=False, indent=2) + "\n"
    else:
        file = sys.stdout if out is None else io.StringIO()
        console = Console(file=file, highlight=False, width=None if out is None else 120)
        if form == "table":
            console.print(spans_table(kept))
        else:
            for found in kept:
                console.print(_shown(found, console, several))
        shown = file.getvalue() if isinstance(file, io.StringIO) else ""
    write_out(out, shown)
