"""Tells options that were given from options that were left out, without comparing values to defaults."""

from __future__ import annotations

import enum
import functools
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, ParamSpec, TypeVar

from fallax.errors import InputError

__all__ = ["NOT_GIVEN", "NotGiven", "given", "present_names", "refuse_unread", "renamed"]

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


def present_names(options: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The options by their present names.

    Parameters
    ----------
    options : what was given.
    names : old name -> new name.

    Raises
    ------
    InputError
        If one was given by both names.

    Examples
    --------
    >>> present_names({"detector": "linear", "level": 1}, {"detector": "system"})
    {'system': 'linear', 'level': 1}
    """
    found = {names.get(name, name): value for name, value in options.items()}
    if len(found) < len(options):
        both = next(f"{old}, {new}" for old, new in names.items() if old in options and new in options)
        raise InputError(f"{both}: are two names of one option; give the second")
    return found


def renamed(**names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator that takes keywords also by their old names, with a DeprecationWarning that gives the new one.

    Examples
    --------
    >>> import warnings
    >>> @renamed(colour="paint")
    ... def draw(*, paint: str) -> str:
    ...     return paint
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     draw(colour="red"), str(told[0].message)
    ('red', 'colour: is called paint now')
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            old = [name for name in names if name in kwargs]
            if not old:
                return function(*args, **kwargs)
            for name in old:
                warnings.warn(f"{name}: is called {names[name]} now", DeprecationWarning, stacklevel=2)
            return function(*args, **present_names(kwargs, names))

        return checked

    return decorate
