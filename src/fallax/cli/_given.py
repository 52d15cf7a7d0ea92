"""Which options of a command were given, and how they were typed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import typer

__all__ = ["as_typed", "given", "typed"]


def _source(context: typer.Context, name: str) -> str:
    found = context.get_parameter_source(name)
    return "DEFAULT" if found is None else found.name


def given(context: typer.Context, names: Iterable[str]) -> dict[str, Any]:
    """The values of parameters given on the command line or by the environment."""
    left_out = ("DEFAULT", "DEFAULT_MAP")
    return {name: context.params[name] for name in names if _source(context, name) not in left_out}


def typed(context: typer.Context, names: Iterable[str]) -> list[str]:
    """The options on the command line, as typed."""
    flags = _flags(context.command)
    return [flags[name] for name in names if name in context.params and _source(context, name) == "COMMANDLINE"]


def _flags(command: Any) -> dict[str, str]:
    """Parameter -> its option, without the negative form of options that are on by default."""
    return {p.name: p.opts[0] for p in command.params if p.param_type_name == "option"}


def as_typed(message: str, command: Any) -> str:
    """An error whose first words are parameter names, rewritten with the options of the command.

    Examples
    --------
    >>> class Option:
    ...     name, opts, param_type_name = "n_evidence", ["--n-evidence"], "option"
    >>> class Command:
    ...     params = [Option()]
    >>> as_typed("n_evidence: needs documents", Command())
    '--n-evidence: needs documents'
    """
    flags = _flags(command)
    found = re.match(r"([a-z_]+(?:, [a-z_]+)*)(?=:| must )", message)
    if found is None:
        return message
    names = found[1].split(", ")
    if not all(name in flags for name in names):
        return message
    return ", ".join(flags[name] for name in names) + message[found.end() :]
