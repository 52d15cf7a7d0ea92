"""The values of ratings: labels, numbers, sets of labels, and what is missing."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from fallax.core.checked import is_truth_value
from fallax.errors import InputError, one_line

__all__ = ["MISSING", "first_infinite", "missing_note", "ratings_of", "settled", "value_of"]

#: Words for a missing rating where the other values are numbers; nothing at all is missing everywhere.
MISSING = ("NA", "N/A", "nan", "null", "none")
#: Numbers from here on have squares that no float can hold; distances of ratings are squared.
_TOO_LARGE = 1e150
_MISSING = frozenset(word.lower() for word in MISSING)


def value_of(label: object) -> Any:
    """One rating as a word, a frozen set of words, or None for a missing one.

    Words are in the composed form of Unicode (NFC), without white space around them, so that words that look the same
    are the same.

    Raises
    ------
    InputError
        If it is no text, number, truth value, or list or set of them.

    Examples
    --------
    >>> value_of(" yes "), value_of(3), value_of(True), value_of(float("nan")), value_of(["a"])
    ('yes', '3', 'yes', None, frozenset({'a'}))
    """
    if label is None or (isinstance(label, float | Decimal) and math.isnan(label)):
        return None
    if is_truth_value(label):
        return "yes" if label else "no"
    if isinstance(label, set | frozenset | list | tuple):
        return frozenset(unicodedata.normalize("NFC", str(x)) for x in label)
    if isinstance(label, Real | Decimal):
        return str(label) if isinstance(label, Integral) else repr(float(label))
    if not isinstance(label, str):
        raise InputError(f"a rating must be a label, a number or a set of labels, got {one_line(repr(label), 40)}")
    return unicodedata.normalize("NFC", label.strip()) or None


def settled(values: Sequence[Any]) -> list[Any]:
    """The values of one table: sets if one is a set, numbers if all are numbers, else words.

    Parameters
    ----------
    values : as :func:`value_of` gives them, or numbers.

    Returns
    -------
    list
        Frozen sets, floats or words; None for a missing rating, which where the others are numbers a word of
        :data:`MISSING` is too.

    Examples
    --------
    >>> settled(["3", "NA", None]), settled(["yes", "NA"]), settled([frozenset("a"), "b"])[1]
    ([3.0, None, None], ['yes', 'NA'], frozenset({'b'}))
    """
    if any(isinstance(v, frozenset) for v in values):
        return [v if v is None or isinstance(v, frozenset) else frozenset([v]) for v in values]
    missing = [v is None or str(v).lower() in _MISSING for v in values]
    if all(missing):
        return list(values)
    try:
        return [None if gone else float(v) for v, gone in zip(values, missing, strict=True)]
    except ValueError:
        return list(values)


def first_infinite(values: Iterable[Any]) -> int | None:
    """Where the first number stands that is infinite, or so large that its square is; None without any.

    Examples
    --------
    >>> first_infinite([1.0, "inf", float("inf")]), first_infinite([1.0, -1e200])
    (2, 1)
    """
    return next((i for i, v in enumerate(values) if isinstance(v, float) and abs(v) >= _TOO_LARGE), None)


def missing_note(n_missing: int, n: int) -> str:
    """What is said about missing ratings.

    Examples
    --------
    >>> missing_note(1, 8)
    '1 of 8 ratings left out as missing: nothing, or NA, N/A, nan, null, none among numbers'
    """
    return f"{n_missing:,} of {n:,} ratings left out as missing: nothing, or {', '.join(MISSING)} among numbers"


def ratings_of(annotations: Mapping[str, Mapping[Any, Any]]) -> tuple[dict[str, dict[str, Any]], int]:
    """Ratings by annotator and item, as :func:`settled` makes them, without those that are missing; and their number.

    Raises
    ------
    InputError
        If an annotator has no items with values, or a value is no rating, or a number of 1e150 or more.

    Examples
    --------
    >>> ratings_of({"ann": {1: 3, 2: None}, "bob": {1: 2, 2: 4}})
    ({'ann': {'1': 3.0}, 'bob': {'1': 2.0, '2': 4.0}}, 1)
    """
    places, values = [], []
    for name, own in annotations.items():
        if not isinstance(own, Mapping):
            raise InputError(
                f"annotations of {one_line(name, 40)!r}: must be records, or item -> label,"
                f" got {one_line(repr(own), 40)}"
            )
        for item, label in own.items():
            places.append((str(name), str(item)))
            try:
                values.append(value_of(label))
            except InputError as error:
                raise InputError(f"annotations of {one_line(name, 40)!r}, {one_line(item, 40)!r}: {error}") from None
    values = settled(values)
    bad = first_infinite(values)
    if bad is not None:
        name, item = places[bad]
        raise InputError(
            f"annotations of {one_line(name, 40)!r}, {one_line(item, 40)!r}: a number must be within ±1e150, got"
            f" {values[bad]}"
        )
    found: dict[str, dict[str, Any]] = {str(name): {} for name in annotations}
    for (name, item), value in zip(places, values, strict=True):
        if value is not None:
            found[name][item] = value
    return found, values.count(None)
