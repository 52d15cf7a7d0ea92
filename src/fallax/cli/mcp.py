"""``fallax mcp``: the verbs as tools for agents."""

from __future__ import annotations

import io
import sys

import typer

from fallax.integrations.mcp_server import mcp_server
from fallax.integrations.pipes import BoundedLines, log_in_lines

__all__ = ["app"]

app = typer.Typer(name="mcp", pretty_exceptions_enable=False, add_completion=False)


@app.command()
def mcp() -> None:
    """Serve tools to agents on standard input and output (Model Context Protocol); agents start this command.

    Tools: detect, judge_faithfulness, verify_claim, check_structure, explain_label, generate_pair. Read-only, offline.
    """
    log_in_lines()  # first, since the library logs in its own way where nothing else was chosen
    server = mcp_server()
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(BoundedLines(before.buffer))
    try:
        server.run()
    except BaseExceptionGroup as group:
        raise _first(group) from None
    finally:
        sys.stdin = before


def _first(error: BaseException) -> BaseException:
    """What fell first in a group of errors."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error
