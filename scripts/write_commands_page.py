"""Write docs/commands.md, the reference of every command and option: python scripts/write_commands_page.py [--check]"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fallax.cli import COMMANDS, command_of
from fallax.cli._examples import EXAMPLES

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """A command and everything below it, by full name."""
    if hasattr(command, "commands"):
        if getattr(command, "invoke_without_command", False):
            yield name, command
        for child, below in sorted(command.commands.items()):
            yield from commands(below, f"{name} {child}")
    else:
        yield name, command


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _default(parameter: Any, about: str) -> str:
    """The default in brackets, where there is one and the help does not say it."""
    default = parameter.default
    if default in (None, (), [], "") or callable(default) or "default:" in about:
        return ""
    if not isinstance(default, bool):
        return f" [default: {default}]"
    if not parameter.secondary_opts:  # a plain flag is off
        return ""
    return f" [default: {(parameter.opts if default else parameter.secondary_opts)[0].removeprefix('--')}]"


def _section(name: str, command: Any) -> str:
    lines = [
        f"## `{name}`",
        "",
        "\n".join(textwrap.fill(p, 115) for p in (command.help or "").replace("\b\n", "").split("\n")),
        "",
    ]
    rows = []
    for parameter in command.params:
        if parameter.param_type_name == "option":
            shown = ", ".join(f"`{o}`" for o in (*parameter.opts, *parameter.secondary_opts))
            if parameter.hidden or parameter.name in ("help", "quiet", "verbose"):
                continue
        else:
            shown = f"`{parameter.metavar or str(parameter.name).upper()}`"
            if "|" in shown:  # in backticks, a bar ends the cell on GitHub and an escaped one shows its backslash here
                shown = f"<code>{shown.strip('`').replace('|', '&#124;')}</code>"
        about = getattr(parameter, "help", None) or ""
        about += _default(parameter, about)
        rows.append(f"| {shown} | {_cell(about)} |")
    if rows:
        lines += ["| | |", "|---|---|", *rows, ""]
    examples = EXAMPLES.get(name.removeprefix("fallax "), ())
    if examples:
        lines += ["```sh", *(f"{name} {e}".rstrip() for e in examples), "```", ""]
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    parts = [
        "# Commands",
        "",
        "`python scripts/write_commands_page.py` writes this page from the `--help` of each command. Every option can",
        "also be set by an environment variable, see [environment](environment.md). `--format` is the form of what is",
        "printed, `--output` (`-o`) a file or folder. Every command also has `-h`, `-q` (`--quiet`: show errors and",
        "losses, but no notes and no progress) and `-v` (`--verbose`: also show what is read and done, and the time).",
        "`-q` and `-v` can also come before the command: `fallax -q COMMAND`.",
        "",
    ]
    for name in sorted(COMMANDS):
        parts += [_section(full, command) for full, command in commands(command_of(name), f"fallax {name}")]
    return "\n".join(parts).rstrip() + "\n"


def main() -> None:
    """Write the page, or with ``--check`` say whether it is up to date."""
    if "--check" in sys.argv[1:]:
        sys.exit(PAGE.read_text(encoding="utf-8") != page() and f"{PAGE} is out of date: python {sys.argv[0]}")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
