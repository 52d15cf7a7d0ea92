"""Tells options that were given from options that were left out, without comparing values to defaults."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, ParamSpec, TypeVar

from fallax.errors import InputError

__all__ = ["NOT_GIVEN", "NotGiven", "given", "refuse_renamed", "refuse_unread", "renamed"]

P = ParamSpec("P")
T = TypeVar("T")


class NotGiven(enum.Enum):
    """The type of :data:`NOT_GIVEN`."""

    NOT_GIVEN = "not given"

    def __repr__(self) -> str:
        return "NOT_GIVEN"


#: The default of an option for which None means something.
NOT_GIVEN: Final = NotGiven.NOT_GIVEN


def given(**options: object) -> dict[str, Any]:
    """The options that were given, that is, neither None nor :data:`NOT_GIVEN`.

    Examples
    --------
    >>> given(rounds=3, agents=None, guidelines=NOT_GIVEN)
    {'rounds': 3}
    """
    return {name: value for name, value in options.items() if value is not None and value is not NOT_GIVEN}


def refuse_unread(options: Mapping[str, object] | Iterable[str], why: str, *, read: Iterable[str] = ()) -> None:
    """An InputError that names the first given option that has no effect.

    Parameters
    ----------
    options : those that were given.
    why : what the option needs or what does not read it.
    read : the options that are read.

    Examples
    --------
    >>> refuse_unread({"rounds": 3}, "only a debate has rounds", read=["rounds"])
    """
    allowed = set(read)
    for name in options:
        if name not in allowed:
            raise InputError(f"{name}: {why}; leave it out")


def refuse_renamed(options: Iterable[str], names: Mapping[str, str]) -> None:
    """An InputError that gives the new name of the first option that has its old one.

    Parameters
    ----------
    options : the names that were given.
    names : old name -> new name.

    Examples
    --------
    >>> refuse_renamed(["system"], {"detector": "system"})
    """
    for name in options:
        if name in names:
            raise InputError(f"{name}: is called {names[name]} now")


def renamed(**names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator that refuses keywords by their old names, with the new ones.

    Examples
    --------
    >>> @renamed(colour="paint")
    ... def draw(*, paint: str) -> str:
    ...     return paint
    >>> draw(colour="red")
    Traceback (most recent call last):
    fallax.errors.InputError: colour: is called paint now
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            refuse_renamed(kwargs, names)
            return function(*args, **kwargs)

        return checked

    return decorate
