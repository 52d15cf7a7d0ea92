"""The counts and breakdowns of CheckWhy's paper (tables 1, 5, 6, figures 3 to 5; Si et al. 2024) for any run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from fallax.core.types import ArgumentStructure, Score, Table
from fallax.runs.base import Row

__all__ = ["tables_of"]

_KINDS = {"one_to_one": "serial", "one_to_many": "divergent", "many_to_one": "combined"}
#: Columns of tables 5 and 6: heading, score and measure.
_MEASURES = (
    ("accuracy", "verdict", "accuracy"),
    ("F1", "verdict", "macro_f1"),
    ("structure similarity", "structure", "f1"),
    ("exact match", "structure-exact", "f1"),
)
_NOTE_5 = (
    "By how many a claim has. Table 5 of Si et al. 2024 is of all claims with that many on average; option"
    " most_distractors leaves some out of each."
)
#: Task 4 in the paper, in percent: group -> accuracy, F1, structure similarity, exact match. Table 5 is of CodeT5.
_TABLE_5: Mapping[str, tuple[float, ...]] = {
    "6": (67.6, 66.8, 72.3, 1.3),
    "8": (69.3, 69.1, 75.7, 2.5),
    "10": (65.4, 63.9, 71.9, 1.0),
    "12": (62.3, 60.0, 71.0, 1.5),
}
_TABLE_6: Mapping[str, tuple[float, ...]] = {
    "1": (80.0, 80.0, 78.6, 8.6),
    "2": (74.3, 72.0, 77.4, 2.6),
    "3": (68.9, 66.4, 73.3, 0.7),
    "4": (65.7, 65.4, 70.4, 0.1),
    "5": (64.9, 59.6, 64.6, 0.3),
    "6+": (58.3, 49.6, 62.7, 0.0),
}
#: How many claims of each number of steps the paper has.
_N_6 = {"1": 40, "2": 273, "3": 734, "4": 464, "5": 77, "6+": 12}


def tables_of(rows: Iterable[Row], scores: Mapping[str, Score], *, printed: bool = False) -> tuple[Table, ...]:
    """Counts of the claims of a run, and its scores by distractors and by steps.

    Parameters
    ----------
    rows : of one epoch.
    scores : of the benchmark ``causal`` over the run.
    printed : add what the paper prints for its own data.
    """
    found = list(rows)
    structures = [ArgumentStructure.from_dict(r.gold["structure"]) for r in found if r.gold["structure"]]
    useful = Counter(len(s.leaves) + len(s.intermediates) for s in structures)
    steps = Counter(s.n_steps for s in structures)
    tables = [_counts(found, structures)]
    if structures:
        tables += [
            _histogram("Useful evidence", "pieces of evidence", useful, "As figure 3 of Si et al. 2024."),
            _histogram("Steps", "steps", steps, "As figure 4 of Si et al. 2024."),
            _shapes(structures),
        ]
    tables += [
        _by(scores, "distractors", "By distractors", _NOTE_5, _TABLE_5 if printed else {}),
        _by(scores, "steps", "By steps", "As table 6 of Si et al. 2024.", _TABLE_6 if printed else {}),
    ]
    return tuple(t for t in tables if t.rows)


def _counts(rows: Sequence[Row], structures: Sequence[ArgumentStructure]) -> Table:
    labels = Counter(str(r.gold["label"] or "no verdict") for r in rows)
    shown: list[tuple[str, int | float | None]] = [("claims", len(rows)), *sorted(labels.items())]
    shown += [
        ("mean evidence", _mean([len(r.input["evidence"]) for r in rows])),
        ("mean distractors", _mean([r.gold["distractors"] for r in rows if r.gold["structure"]])),
        ("mean steps", _mean([s.n_steps for s in structures])),
        ("mean words in a claim", _mean([len(str(r.input["claim"]).split()) for r in rows])),
        (
            "mean words in a piece of evidence",
            _mean([len(e["text"].split()) for r in rows for e in r.input["evidence"]]),
        ),
    ]
    note = (
        "As table 1 of Si et al. 2024, with words in the place of its tokens; distractors and steps of claims with a"
        " structure."
    )
    return Table("Claims", ("", "value"), tuple(shown), note)


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None


def _histogram(title: str, unit: str, counts: Mapping[int, int], note: str) -> Table:
    total = sum(counts.values())
    rows = tuple((str(k), n, "█" * max(1, round(30 * n / total))) for k, n in sorted(counts.items()))
    return Table(title, (unit, "claims", ""), rows, note)


def _shapes(structures: Sequence[ArgumentStructure]) -> Table:
    """The number of structures by kinds of links."""
    made = Counter(" and ".join(sorted({_KINDS[link.kind] for link in s.links})) or "no link" for s in structures)
    note = (
        "Serial: one premise, one conclusion; divergent: one premise, several conclusions; combined: several premises."
    )
    return Table(
        "Types of structure", ("links", "claims"), tuple(made.most_common()), f"{note} As figure 5 of Si et al. 2024."
    )


def _by(
    scores: Mapping[str, Score], kind: str, title: str, note: str, printed: Mapping[str, tuple[float, ...]]
) -> Table:
    parts = {name: score.parts.get(kind, {}) for name, score in scores.items()}
    shown = [m for m in _MEASURES if m[1] in scores]
    keys = list(dict.fromkeys(key for _, name, _ in shown for key in parts[name]))
    rows: list[tuple[str | int | float | None, ...]] = []
    for key in sorted(keys, key=lambda k: (len(k.lstrip("≥>= ")), k)):
        own = [parts[name].get(key) for _, name, _ in shown]
        n = max((s.n_scored + s.n_unscored for s in own if s is not None), default=0)
        values = [None if s is None else s.values.get(m) for s, (_, _, m) in zip(own, shown, strict=True)]
        strict = [
            None if s is None else s.values_with_unreadable.get(m) for s, (_, _, m) in zip(own, shown, strict=True)
        ]
        rows.append((key, n, *values))
        if any(s is not None and s.wrong_records for s in own):
            rows.append((f"{key}, unreadable as wrong", n, *strict))
    if rows:
        for key, said in printed.items():
            values = [round(said[_MEASURES.index(m)] / 100, 5) for m in shown]
            rows.append((f"{key}, task 4 in the paper", _N_6.get(key) if kind == "steps" else None, *values))
    return Table(title, (kind, "claims", *(h for h, _, _ in shown)), tuple(rows), note)
