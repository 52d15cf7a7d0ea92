"""``fallax mcp``: the verbs as tools for agents."""

from __future__ import annotations

import typer

from fallax.integrations.mcp_server import mcp_server

__all__ = ["app"]

app = typer.Typer(name="mcp", pretty_exceptions_enable=False, add_completion=False)


@app.command()
def mcp() -> None:
    """Serve the verbs as Model Context Protocol tools on standard input and output; agents start this command.

    Tools: detect, judge_faithfulness, verify_claim, check_structure, explain_label, generate_pair. Read-only, offline.
    """
    mcp_server().run()
