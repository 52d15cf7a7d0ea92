"""Tells options that were given from options that were left out, without comparing values to defaults."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import Any, Final

from fallax.errors import InputError

__all__ = ["NOT_GIVEN", "NotGiven", "given", "refuse_unread"]


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
