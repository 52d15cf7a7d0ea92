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
    """The options on the command line; those that switch something off in their negative form."""
    flags = _flags(context.command)
    off = {p.name: p.secondary_opts[0] for p in context.command.params if p.secondary_opts}
    found = [name for name in names if name in context.params and _source(context, name) == "COMMANDLINE"]
    return [off[name] if name in off and not context.params[name] else flags[name] for name in found]


def _flags(command: Any) -> dict[str, str]:
    """Parameter -> its option, without the negative form of options that are on by default."""
    return {p.name: p.opts[0] for p in command.params if p.param_type_name == "option"}


#: A parameter with its value as Python writes it; without a value at the end of a sentence or of its part.
_AS_PYTHON = re.compile(r"(?<=[ (])([a-z_]+)=(?:'([\w-]+)'|(True)|(?=[;,.)]|$))(?![\w'])")
#: What may be done instead, at the end of an error, with a parameter as Python writes it.
_WAY_OUT = re.compile(r", or [^;,]*[ (]([a-z_]+)='[\w-]+'$")


def as_typed(message: str, command: Any) -> str:
    """An error that names parameters as Python does, rewritten with the options of the command.

    Its first words may be parameters, and a parameter may stand anywhere with a value. A last way out (", or ...") that
    needs a parameter which the command lacks is left out.

    Examples
    --------
    >>> class Option:
    ...     name, opts, param_type_name = "n_evidence", ["--n-evidence"], "option"
    >>> class Command:
    ...     params = [Option()]
    >>> as_typed("n_evidence: needs documents", Command())
    '--n-evidence: needs documents'
    >>> as_typed("a claim: must have evidence; give n_evidence='all' to find it", Command())
    'a claim: must have evidence; give --n-evidence all to find it'
    >>> as_typed("span 2..1: correct it, or have it kept out: on_bad_span='report'", Command())
    'span 2..1: correct it'
    """
    flags = _flags(command)
    way_out = _WAY_OUT.search(message)
    if way_out is not None and way_out[1] not in flags:
        message = message[: way_out.start()]

    def option(found: re.Match[str]) -> str:
        if found[1] not in flags:
            return found[0]
        return flags[found[1]] + (f" {found[2]}" if found[2] else "")

    message = _AS_PYTHON.sub(option, message)
    found = re.match(r"([a-z_]+(?:, [a-z_]+)*)(?=:| must )", message)
    if found is None:
        return message
    names = found[1].split(", ")
    if not all(name in flags for name in names):
        return message
    return ", ".join(flags[name] for name in names) + message[found.end() :]
