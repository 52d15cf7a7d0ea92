"""Counts the gold that a system cannot name, since its label set lacks the labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from fallax.core.json_value import JsonValue
from fallax.core.types import NO_FALLACY
from fallax.errors import one_line

__all__ = ["CannotName", "count_unnameable"]

#: How many labels a note names.
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class CannotName(JsonValue):
    r"""Gold labels that are none of a system's.

    Parameters
    ----------
    labels : such a label -> how many gold passages or texts have it, the most frequent first.
    n_labels : the number of different labels in gold.
    n_missed : gold passages or texts with no label that the system can name.
    n_gold : all of them.
    unit : "passages" or "texts".

    Examples
    --------
    >>> found = count_unnameable([("doubt",), ("doubt", "slogan"), ("slogan",)], {"slogan"}, "passages")
    >>> print(found.note.replace("; ", "\n"))
    cannot name 1 of the 2 labels in gold: 'doubt' (2)
    so it misses 1 of the 3 gold passages wherever these labels count
    """

    labels: Mapping[str, int]
    n_labels: int
    n_missed: int
    n_gold: int
    unit: str

    @property
    def shown(self) -> str:
        """The most frequent of the labels with their numbers, and how many more there are."""
        shown = ", ".join(f"{one_line(label, 60)!r} ({n})" for label, n in list(self.labels.items())[:_SHOWN])
        return shown + f" and {len(self.labels) - _SHOWN} more" * (len(self.labels) > _SHOWN)

    @property
    def note(self) -> str:
        """The rest of a line that begins with the name of the system; "" if it can name every label."""
        if not self.labels:
            return ""
        return (
            f"cannot name {len(self.labels)} of the {self.n_labels} labels in gold: {self.shown}; so it misses"
            f" {self.n_missed} of the {self.n_gold} gold {self.unit} wherever these labels count"
        )


def count_unnameable(gold: Iterable[Sequence[str]], labels: Collection[str], unit: str) -> CannotName:
    """Count what cannot be named with these labels.

    Parameters
    ----------
    gold : for each passage or text its labels, one of which is right.
    labels : those that the system can give; "no fallacy" needs none.
    unit : what ``gold`` holds: "passages" or "texts".
    """
    known = {*labels, NO_FALLACY}
    n_gold = n_missed = 0
    counts: Counter[str] = Counter()
    for alternatives in gold:
        n_gold += 1
        n_missed += known.isdisjoint(alternatives)
        counts.update({*alternatives} - {NO_FALLACY})
    lacking = sorted((label for label in counts if label not in known), key=lambda x: (-counts[x], x))
    return CannotName({label: counts[label] for label in lacking}, len(counts), n_missed, n_gold, unit)
