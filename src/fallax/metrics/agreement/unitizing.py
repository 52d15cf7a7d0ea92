"""Krippendorff's alpha for unitizing: chance-corrected agreement on the positions of units, by label."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fallax.core.json_value import JsonValue
from fallax.errors import InputError
from fallax.metrics.agreement.gamma import Continuum

__all__ = ["UnitizingAlpha", "unitizing_alpha"]


@dataclass(frozen=True, slots=True)
class UnitizingAlpha(JsonValue):
    """The alpha for unitizing over one or more documents.

    Parameters
    ----------
    value : 1 - sum of observed / sum of expected disagreement over labels; None where nothing was expected.
    by_label : label -> its own alpha.
    n_dropped : units left out because the same annotator marked an overlapping one with the same label; alpha of
        unitizing is not defined for them.
    """

    value: float | None
    by_label: Mapping[str, float | None]
    n_dropped: int


def unitizing_alpha(documents: Sequence[Continuum]) -> UnitizingAlpha:
    """Krippendorff's alpha for unitizing continuous data (alpha-U).

    The documents are laid end to end, each annotator's units and the gaps between them are compared for each label,
    and both disagreements are summed over labels. Documents must have the same annotators.

    Parameters
    ----------
    documents : each with its ``length`` (by default the end of its last unit). A unit with several labels is a unit of
        each of them.

    Raises
    ------
    InputError
        If the documents have different annotators.

    References
    ----------
    Krippendorff (1995). On the reliability of unitizing continuous data. Sociological Methodology 25, equations 1-5.

    Examples
    --------
    >>> from fallax.metrics.agreement import AnnotatedUnit
    >>> ann, bob = [AnnotatedUnit(0, 10, ("A",))], [AnnotatedUnit(0, 10, ("A",))]
    >>> unitizing_alpha([Continuum({"ann": ann, "bob": bob}, length=50)]).value
    1.0
    """
    names = list(documents[0].units) if documents else []
    by_label: dict[str, list[list[tuple[int, int]]]] = {}
    offset = n_dropped = 0
    for document in documents:
        if sorted(document.units) != sorted(names):
            raise InputError(
                f"unitizing alpha: every document must have the same annotators, {document.id!r} has"
                f" {', '.join(sorted(document.units))} instead of {', '.join(sorted(names))}"
            )
        for row, name in enumerate(names):
            for unit in sorted(document.units[name]):
                for label in unit.labels:
                    rows = by_label.setdefault(label, [[] for _ in names])
                    start, end = int(unit.start) + offset, int(unit.end) + offset
                    if rows[row] and start < rows[row][-1][1]:
                        n_dropped += 1
                    else:
                        rows[row].append((start, end))
        last = max((int(u.end) for units in document.units.values() for u in units), default=0)
        offset += max(last, int(document.length or 0))
    observed = {label: _observed(rows, offset) for label, rows in by_label.items()}
    expected = {label: _expected(rows, offset) for label, rows in by_label.items()}
    return UnitizingAlpha(
        _alpha(math.fsum(observed.values()), math.fsum(expected.values())),
        {label: _alpha(observed[label], expected[label]) for label in sorted(by_label)},
        n_dropped,
    )


def _alpha(observed: float, expected: float) -> float | None:
    if expected == 0:
        return None
    return 1 - observed / expected


def _sections(units: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int, bool]]:
    """Start, length and "is a unit" of the units and of the gaps between them."""
    found, at = [], 0
    for start, end in units:
        if start > at:
            found.append((at, start - at, False))
        found.append((start, end - start, True))
        at = end
    if at < length:
        found.append((at, length - at, False))
    return found


def _difference(a: tuple[int, int, bool], b: tuple[int, int, bool]) -> int:
    """Equation 1: the disagreement of two sections."""
    (start, size, unit), (other_start, other_size, other_unit) = a, b
    apart = start - other_start
    if unit and other_unit and -size < apart < other_size:
        return apart**2 + (apart + size - other_size) ** 2
    if unit and not other_unit and other_size - size >= apart >= 0:
        return size**2
    if not unit and other_unit and other_size - size <= apart <= 0:
        return other_size**2
    return 0


def _observed(rows: Sequence[Sequence[tuple[int, int]]], length: int) -> float:
    """Equation 3; sections that do not touch add nothing, so two rows are walked together."""
    total, m = 0, len(rows)
    sections = [_sections(row, length) for row in rows]
    for one, two in itertools.combinations(sections, 2):
        j = 0
        for a in one:
            while j < len(two) and two[j][0] + two[j][1] <= a[0]:
                j += 1
            k = j
            while k < len(two) and two[k][0] < a[0] + a[1]:
                total += 2 * _difference(a, two[k])
                k += 1
    return total / (m * (m - 1) * length**2) if length else 0.0


def _expected(rows: Sequence[Sequence[tuple[int, int]]], length: int) -> float:
    """Equation 4: expected disagreement of randomly placed units."""
    m = len(rows)
    units = [end - start for row in rows for start, end in row]
    gaps = sorted(size for row in rows for _, size, is_unit in _sections(row, length) if not is_unit)
    total = 0.0
    for size in units:
        total += (len(units) - 1) / 3 * (2 * size**3 - 3 * size**2 + size)
        total += size**2 * sum(gap - size + 1 for gap in gaps if gap >= size)
    below = m * length * (m * length - 1) - sum(size * (size - 1) for size in units)
    return 2 / length * total / below if length and below else 0.0
