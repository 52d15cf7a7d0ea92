"""Checks what a public function is called with, from the annotations of its parameters."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeAlias, TypeVar

from fallax.core.given import NotGiven
from fallax.errors import CallError, InputError, UnknownNameError, one_line

__all__ = ["checked", "instances_of", "is_part", "is_truth_value", "plain", "refuse_table"]

P = ParamSpec("P")
T = TypeVar("T")

#: Whether a value is allowed, and what must be given: one, and several.
_Kind: TypeAlias = tuple[Callable[[Any], bool], str, str]


def is_truth_value(value: object) -> bool:
    """Whether a value is True or False, numpy's too.

    Examples
    --------
    >>> is_truth_value(True), is_truth_value(1)
    (True, False)
    """
    return type(value).__name__ in ("bool", "bool_")


def is_part(value: object, method: str, *texts: str) -> bool:
    """Whether a value has a method and attributes that are texts, as what is called in place of a class needs them.

    Examples
    --------
    >>> from pathlib import Path
    >>> is_part(Path("a.txt"), "open", "name"), is_part(Path, "open"), is_part(Path("a.txt"), "open", "parent")
    (True, False, False)
    """
    if isinstance(value, type) or not callable(getattr(value, method, None)):
        return False
    return all(isinstance(getattr(value, name, None), str) for name in texts)


def _is_bool(value: object) -> bool:
    return value is None or (isinstance(value, int) and value in (0, 1)) or is_truth_value(value)


_KINDS: dict[str, _Kind] = {
    "None": (lambda v: v is None, "", ""),
    "NotGiven": (lambda v: isinstance(v, NotGiven), "", ""),
    "str": (lambda v: isinstance(v, str), "a text", "texts"),
    "int": (lambda v: isinstance(v, Integral) and not isinstance(v, bool), "a whole number", "whole numbers"),
    "float": (lambda v: isinstance(v, Real) and not isinstance(v, bool), "a number", "numbers"),
    "bool": (_is_bool, "True or False", "truth values"),
    "Path": (lambda v: isinstance(v, os.PathLike), "a path", "paths"),
    # what may be given for these has no class of its own: what is read of it
    "ChatModel": (lambda v: is_part(v, "generate", "name"), "a chat model (name, generate)", "chat models"),
    "Detector": (
        lambda v: is_part(v, "detect", "name", "taxonomy"),
        "a detector (name, taxonomy, detect)",
        "detectors",
    ),
    "DetectionSystem": (lambda v: is_part(v, "predict", "name", "taxonomy"), "a ready system", "ready systems"),
    "Embedder": (callable, "an embedder", "embedders"),
    "Verifier": (lambda v: is_part(v, "verify"), "a verifier", "verifiers"),
    "Callable": (callable, "a function", "functions"),
}


def checked(*elsewhere: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator that refuses arguments that a function does not have, and values of another type than annotated.

    Texts and whole numbers of other classes, such as numpy's, reach the function as Python's own.

    Parameters
    ----------
    elsewhere : parameters whose values the function checks itself. What is annotated with other types than plain ones,
        the values of :mod:`fallax.core.types` and the ports above is checked there too.

    Raises
    ------
    CallError
        When called with an unknown keyword, or too few or too many arguments.
    InputError
        When called with a value of another type.

    Examples
    --------
    >>> @checked()
    ... def draw(text: str, *, width: int | None = None) -> str:
    ...     return text
    >>> draw("a", width=3)
    'a'
    >>> draw("a", width="3")
    Traceback (most recent call last):
    fallax.errors.InputError: width: must be a whole number, got '3'
    >>> draw("a", size=3)
    Traceback (most recent call last):
    fallax.errors.CallError: draw(): unknown keyword argument 'size'; known: text, width
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                given = signature.bind(*args, **kwargs)
            except TypeError as error:
                raise CallError(function.__name__, _reason(error, kwargs, signature)) from None
            for name, value in given.arguments.items():
                if name not in elsewhere:
                    _check(name, value, str(signature.parameters[name].annotation))
                given.arguments[name] = plain(value)
            return function(*given.args, **given.kwargs)

        return called

    return decorate


def plain(value: Any) -> Any:
    """A text or a whole number of another class as Python's own, also in a list or tuple; anything else as it is.

    Examples
    --------
    >>> class Name(str): ...
    >>> type(plain(Name("a"))).__name__, type(plain([Name("a")])[0]).__name__, plain(None)
    ('str', 'str', None)
    """
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if type(value) in (list, tuple):
        held = [plain(one) for one in value]
        return value if all(a is b for a, b in zip(held, value, strict=True)) else type(value)(held)
    return value


def instances_of(given: object, kind: type[T] | tuple[type[T], ...], must: str) -> list[T]:
    """What is given, one or an iterable, as a list of values of one class.

    Parameters
    ----------
    given : a value, or an iterable of values.
    kind : their class, or several.
    must : how an error begins, before what was found.

    Raises
    ------
    InputError
        If one is of another class.

    Examples
    --------
    >>> instances_of([1, 2], int, "numbers: must be whole")
    [1, 2]
    """
    held: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]
    for one in held:
        if not isinstance(one, kind):
            raise InputError(f"{must}, got {one_line(repr(one), 40)}")
    return held


def refuse_table(given: object, must: str, give: str = "a column, such as table[NAME]") -> None:
    """Refuse a data frame, of which a loop gets the names of the columns.

    Parameters
    ----------
    given : any value.
    must : how the error begins, before what was found.
    give : what to give instead.

    Raises
    ------
    InputError
        If it is the data frame of a library, such as pandas.

    Examples
    --------
    >>> refuse_table(["a text"], "texts must be a list of texts")
    """
    columns = getattr(given, "columns", None)
    if isinstance(columns, Iterable) and isinstance(given, Iterable):
        names = ", ".join(repr(str(name)) for name in columns)
        raise InputError(f"{must}, got a table with the columns {one_line(names, 80)}; give {give}")


def _reason(error: TypeError, options: Iterable[str], signature: inspect.Signature) -> str:
    unknown = next((name for name in options if name not in signature.parameters), None)
    return str(error if unknown is None else UnknownNameError("keyword argument", unknown, signature.parameters))


def _check(name: str, value: object, annotation: str) -> None:
    kinds = _kinds(annotation)
    if kinds is None or any(fits(value) for fits, _, _ in kinds):
        return
    words = [one for _, one, _ in kinds if one]
    raise InputError(f"{name}: must be {_listed(words)}, got {one_line(repr(value), 60)}")


def _listed(words: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


@functools.cache
def _kinds(annotation: str) -> tuple[_Kind, ...] | None:
    """What an annotation allows; None if it is not only of types that are checked here."""
    found = [_kind(part) for part in _alternatives(annotation)]
    return None if None in found else tuple(k for k in found if k is not None)


def _alternatives(annotation: str) -> list[str]:
    """The parts between the bars that stand in no brackets."""
    parts, depth = [""], 0
    for c in annotation:
        depth += (c == "[") - (c == "]")
        if c == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def _kind(part: str) -> _Kind | None:
    name, _, inner = part.partition("[")
    if name in _KINDS:
        return _KINDS[name]
    if name in ("Iterable", "Sequence"):
        return _list(inner.removesuffix("]"), Iterable if name == "Iterable" else Sequence)
    if name == "Mapping":
        return lambda v: isinstance(v, Mapping), "a mapping", "mappings"
    from fallax.core import types

    known = getattr(types, name, None)
    if not isinstance(known, type):
        return None
    return lambda v: isinstance(v, known), f"a{'n' if name[0] in 'AEIOU' else ''} {name}", f"{name}s"


def _list(inner: str, container: type) -> _Kind | None:
    kinds = _kinds(inner)
    if kinds is None:
        return None

    def fits(value: object) -> bool:
        if not isinstance(value, container) or isinstance(value, str | bytes | Mapping):
            return False
        return not isinstance(value, list | tuple) or all(any(k[0](one) for k in kinds) for one in value)

    several = _listed([k[2] for k in kinds])
    return fits, f"a list of {several}", f"lists of {several}"
