"""The options of models and of the cache, declared once, and the models made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from fallax.cli._given import typed
from fallax.cli._terminal import live, note
from fallax.errors import InputError

if TYPE_CHECKING:
    from fallax.core.types import ChatModel

__all__ = [
    "CONNECTIONS",
    "CachePath",
    "KeptCachePath",
    "MaxConnections",
    "MaxCost",
    "ModelOptions",
    "need_model",
    "no_model",
    "note_larger",
    "open_models",
    "without_secrets",
]

ModelOptions: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "-M",
        "--model-option",
        metavar="KEY=VALUE",
        help="Option of the model, such as temperature=0; see `fallax models options`; repeatable.",
    ),
]
CachePath: TypeAlias = Annotated[
    Path | None, typer.Option("--cache", envvar="FALLAX_CACHE", help="File that keeps the model's answers [none].")
]
#: Of commands that keep the answers also where no file is named.
KeptCachePath: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--cache", envvar="FALLAX_CACHE", help="File that keeps the model's answers [one in your cache folder]."
    ),
]
MaxConnections: TypeAlias = Annotated[
    int, typer.Option("--max-connections", min=1, help="Maximum calls at the same time.")
]
MaxCost: TypeAlias = Annotated[
    float | None,
    typer.Option("--max-cost", min=0.0, envvar="FALLAX_MAX_COST", help="Stop at this many US dollars [no limit]."),
]
#: The default of --max-connections, that of :class:`fallax.models.Limits`.
CONNECTIONS = 64

#: Options that only a model reads.
_OF_MODELS = ("model_option", "cache", "max_connections", "max_cost")


def need_model(context: typer.Context, more: Sequence[str] = ()) -> None:
    """Raise InputError if a model option was given to a command without a model.

    Parameters
    ----------
    context : of the command.
    more : names of parameters that only a model reads, besides those declared here.
    """
    for option in typed(context, [*more, *_OF_MODELS]):
        raise InputError(f"{option} needs --model")


def no_model(context: typer.Context, names: Sequence[str]) -> None:
    """Raise InputError if an option that only a local system reads was given to a command with a model."""
    for option in typed(context, names):
        raise InputError(f"{option}: is not read with --model; leave it out")


def note_larger(open_ones: str) -> None:
    """Say to a person at a terminal that the larger entailment model decides more, and how to get it.

    Parameters
    ----------
    open_ones : what the default one cannot tell.
    """
    if not live():
        return
    from fallax.models.larger import ENTAILMENT_LARGE

    size = ENTAILMENT_LARGE.base.size / 1e6
    first = "" if ENTAILMENT_LARGE.is_here() else f" (first: fallax models fetch entailment-large, {size:.0f} MB)"
    note(f"{open_ones}; a larger, slower model decides more: --system entailment-large{first}")


def without_secrets(options: Sequence[str] | None) -> list[str]:
    """The options of a model, sorted, as a record may hold them: without keys and headers.

    Examples
    --------
    >>> without_secrets(["temperature=0", "api_key=x", "header.X-Key=y"])
    ['temperature=0']
    """
    return sorted(o for o in options or () if not o.startswith(("api_key", "header.")))


@contextmanager
def open_models(
    options: Sequence[str] | None = None,
    *,
    cache: Path | None = None,
    max_connections: int = CONNECTIONS,
    max_cost: float | None = None,
) -> Iterator[Callable[[str], ChatModel]]:
    """Loads models by name, each once, with one budget and one cache, which is closed at the end."""
    from fallax.models import Budget, Cache, Limits, load_model, parse_options

    opened = None if cache is None else Cache(cache)
    budget = Budget(max_cost=max_cost)
    known: dict[str, ChatModel] = {}

    def load(name: str) -> ChatModel:
        if name not in known:
            known[name] = load_model(
                name,
                options=parse_options(options or ()),
                cache=opened,
                limits=Limits(max_connections=max_connections),
                budget=budget,
            )
        return known[name]

    try:
        yield load
    finally:
        if opened is not None:
            opened.close()
