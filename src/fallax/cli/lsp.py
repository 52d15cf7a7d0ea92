"""``fallax lsp``: findings in an editor."""

from __future__ import annotations

import sys
from functools import partial
from typing import Annotated, BinaryIO, cast

import typer

from fallax.integrations.lsp import DELAY

__all__ = ["app"]

app = typer.Typer(name="lsp", pretty_exceptions_enable=False, add_completion=False)


@app.command()
def lsp(
    system: Annotated[
        str | None,
        typer.Option("--system", help="A detector by name (see `fallax detectors list`) or folder [encoder]."),
    ] = None,
    min_confidence: Annotated[
        float | None,
        typer.Option("--min-confidence", help="Minimum confidence [the detector's threshold].", min=0.0, max=1.0),
    ] = None,
    delay: Annotated[float, typer.Option("--delay", help="Seconds to wait after an edit.", min=0.0, max=10.0)] = DELAY,
) -> None:
    """Serve findings to an editor: a language server on standard input and output; editors start this command.

    Reads Markdown, plain text, LaTeX and reStructuredText; code, quotes and commands are left out. Asks no chat model
    and opens no connection.
    """
    from fallax.detection.systems import load_detector
    from fallax.integrations.lsp.server import language_server
    from fallax.integrations.pipes import Answers, FramedMessages, log_in_lines

    server = language_server(partial(load_detector, system), min_confidence=min_confidence, delay=delay)
    if system is not None:
        load_detector(system)  # a wrong name fails here, not in the editor
    log_in_lines()
    answers = Answers(sys.stdout.buffer)
    server.start_io(cast(BinaryIO, FramedMessages(sys.stdin.buffer, answers)), cast(BinaryIO, answers))
    if answers.fault is not None:
        raise answers.fault
