"""``fallax config``: default values of options, and the files they come from."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from fallax.cli._config import settings, user_config
from fallax.core.secrets import redact_values

__all__ = ["app"]

app = typer.Typer(
    name="config",
    help="Show default values of options, and the files they come from.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def config() -> None:
    """Show default values of options and the files they come from."""


@app.command()
def show(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Show all defaults set by files; the nearest file wins, and the command line overrides all."""
    found = sorted(settings().items())
    if as_json:
        values = {name: {"value": redact_values(s.value), "from": str(s.path)} for name, s in found}
        typer.echo(json.dumps(values, indent=2, default=str))
        return
    for name, setting in found:
        typer.echo(f"{name} = {json.dumps(redact_values(setting.value), default=str)}  # {setting.path}")
    if not found:
        typer.echo(
            f"nothing is set; your own defaults go into {user_config()}, a project's into fallax.toml, by command:\n"
            "[detect]\nexplain = true"
        )
