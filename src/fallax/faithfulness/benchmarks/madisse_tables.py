"""MADISSE's tables 2 to 5, 24, 33 to 37 and figures 3, 5, 6 (Koupaee et al. 2025), beside recorded runs.

The paper's figures print no numbers, so those of runs are not compared with any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fallax.core.json_value import JsonValue
from fallax.core.types import UNFAITHFUL
from fallax.faithfulness.benchmarks.madisse_printed import published, share
from fallax.faithfulness.benchmarks.madisse_runs import RecordedRun, RecordedValue
from fallax.runs.base import Row

__all__ = ["COUNTED", "FIGURES", "TABLES", "PaperCell", "contradictions", "counts", "figures", "means", "tables"]

#: Tables of scores, and tables that count the data.
TABLES = ("3", "4", "33", "34", "35", "36", "37")
COUNTED = ("2", "5", "24")
FIGURES = ("3", "5", "6")

_SCORES_OF_FIGURES = {
    "3": ("balanced_accuracy", "krippendorff_alpha"),
    "5": ("balanced_accuracy", "krippendorff_alpha"),
    "6": ("fpr", "fnr"),
}
#: Kinds of ambiguity by the category that table 2 counts.
_CATEGORIES = {
    "Implicit reasoning ambiguities, %": ("Deduction", "Inference: ", "Other implicit"),
    "Meaning ambiguities, %": (
        "Semantic relations: ", "Linguistic ambiguity: ", "Vagueness", "Non-assertion", "Other meaning",
    ),
    "Context ambiguities, %": ("Decontextualization", "Conflation", "Other context"),
    "Other ambiguities, %": ("Other evaluability",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PaperCell(JsonValue):
    """One value of a table.

    Parameters
    ----------
    table, row : its number, and the method, judge or quantity.
    llm : the model of the paper; "" for counts and for judges that ask none.
    set, level, measure : what the column is of; rates and accuracies in [0, 1]. Of counts "", "" and "count".
    published : as printed, percentages divided by 100 (not those of counts); None where the paper prints none.
    recorded : what runs (or data) give, in the order of the runs.
    why : why nothing is recorded; "" where something is.
    """

    table: str
    row: str
    llm: str
    set: str
    level: str
    measure: str
    published: float | None
    recorded: tuple[RecordedValue, ...] = ()
    why: str = ""


def tables(runs: Sequence[RecordedRun] = (), *, n_resamples: int = 10_000) -> tuple[PaperCell, ...]:
    """All values of the score tables with those of runs; judges that are not in the paper come last.

    Parameters
    ----------
    runs : of :func:`~fallax.faithfulness.benchmarks.madisse_runs.read_runs`.
    n_resamples : of the intervals.

    Examples
    --------
    >>> cell = next(c for c in tables() if c.table == "3" and c.row == "madisse")
    >>> cell.set, cell.measure, cell.published, cell.why
    ('MeetingBank', 'balanced_accuracy', 0.751, 'no run is given')
    """
    cells: list[PaperCell] = []
    for number, table in published()["tables"].items():
        score = "ambiguity" if number == "4" else "verdict"
        trained = table.get("trained", ())
        rows = dict(table["rows"])
        if number == "33":  # the table of all judges takes those that the paper does not have
            rows |= {r.method: [None] * len(table["columns"]) for r in runs if not r.stances and r.method not in rows}
        for row, values in rows.items():
            wanted = [r for r in runs if _is_row(r, row, number)]
            for (set_, level, measure), value in zip(table["columns"], values, strict=True):
                found = tuple(
                    v
                    for r in wanted
                    if (v := r.value(set_, level, score, measure, n_resamples=n_resamples)) is not None
                )
                if value is None and not found:
                    continue
                why = "" if found else _why(runs, wanted, row, set_, level, score, row in trained)
                llm = "" if row in trained or value is None else table["llm"]
                cells.append(PaperCell(number, row, llm, set_, level, measure, share(value, measure), found, why))
    return tuple(cells)


def _is_row(run: RecordedRun, row: str, table: str) -> bool:
    if table == "4":
        return str(run.options.get("ambiguity") or "").removesuffix("-15") == row
    method, _, stances = row.partition(" ")
    if stances:
        return run.method == method and (run.stances or "2+/2-") == stances
    return run.method == method and not run.stances


def _why(
    runs: Sequence[RecordedRun],
    wanted: Sequence[RecordedRun],
    row: str,
    set_: str,
    level: str,
    score: str,
    trained: bool,
) -> str:
    if row == "random":
        return "chance"
    if trained:
        return "a trained judge that is not part of fallax"
    if not runs:
        return "no run is given"
    if not wanted:
        return f"no run {'with the detector' if score == 'ambiguity' else 'of'} {row}"
    if not any((set_, level) in r.rows for r in wanted):
        return f"no run over {set_} by {level}"
    return "the run has no record with both gold and an answer"


def counts(
    runs: Sequence[RecordedRun] = (), more: Mapping[tuple[str, str], Iterable[Row]] | None = None
) -> tuple[PaperCell, ...]:
    """Tables 2, 5 and 24 with the same counts over the records of runs.

    Each record counts once, however many runs have it. Kinds of one sentence ("a/b") count each. Table 2's categories
    are shares of these kinds; table 5's share of unfaithful records is of summaries.

    Parameters
    ----------
    runs : of :func:`~fallax.faithfulness.benchmarks.madisse_runs.read_runs`.
    more : (data set, level) -> further rows, such as those of the data set itself.
    """
    by: dict[tuple[str, str], dict[str, Row]] = {}
    for found in (*(run.rows for run in runs), more or {}):
        for key, rows in found.items():
            by.setdefault(key, {}).update({r.id: r for r in rows})
    return tuple(
        PaperCell(number, name, "", "", "", "count", float(value), *_recorded(_count(number, name, by)))
        for number, table in published()["counts"].items()
        for name, value in table["rows"].items()
    )


def _recorded(found: tuple[float, int] | None) -> tuple[tuple[RecordedValue, ...], str]:
    if found is None:
        return (), "no run over these records"
    return (RecordedValue(0, found[0], found[0], None, None, found[1], 0, 0),), ""


def _count(table: str, name: str, by: Mapping[tuple[str, str], Mapping[str, Row]]) -> tuple[float, int] | None:
    """A count, and its number of records."""
    if table == "5":
        set_, _, what = name.partition(" ")
        counted = list(by.get((set_, "sentence" if what == "sentences" else "summary"), {}).values())
        if not counted:
            return None
        n_wrong = sum(r.gold["label"] == UNFAITHFUL for r in counted)
        return (100 * n_wrong / len(counted) if what.startswith("%") else len(counted)), len(counted)
    rows = [r for r in by.get(("MeetingBank", "sentence"), {}).values() if r.gold["ambiguous"] is not None]
    if not rows:
        return None
    kinds = Counter(kind for r in rows if r.gold["ambiguous"] for kind in r.gold["types"])
    if table == "24":
        return kinds[name], len(rows)
    if name == "annotated sentences":
        return len(rows), len(rows)
    if name == "ambiguous sentences":
        return sum(r.gold["ambiguous"] for r in rows), len(rows)
    n = sum(v for k, v in kinds.items() if k.startswith(_CATEGORIES[name]))
    return (100 * n / kinds.total() if kinds else 0.0), len(rows)


def means(runs: Sequence[RecordedRun]) -> list[dict[str, Any]]:
    """Balanced accuracy over several data sets: the mean that weighs every set the same, as the leaderboard has it.

    Returns
    -------
    list
        For each run and level with two data sets or more: the sets, ``value`` over records with a verdict, ``strict``
        with unreadable replies as wrong, and the mean of the ``published`` values of that method over these sets, None
        where the paper lacks one. A mean is None where it is undefined in one of the sets.
    """
    about = published()["tables"]["33"]
    found: list[dict[str, Any]] = []
    for run in runs:
        for level in dict.fromkeys(level for _, level in run.rows):
            sets = [s for s, of in run.rows if of == level]
            if len(sets) < 2:
                continue
            values = [run.value(s, level, "verdict", "balanced_accuracy") for s in sets]
            columns = [about["columns"].index([s, level, "balanced_accuracy"]) for s in sets
                       if [s, level, "balanced_accuracy"] in about["columns"]]  # fmt: skip
            row = about["rows"].get(run.method) if not run.stances else None
            printed = [share(row[i], "balanced_accuracy") for i in columns] if row else []
            found.append(
                {
                    "run": run.number,
                    "method": run.method,
                    "level": level,
                    "sets": sets,
                    "value": _mean([None if v is None else v.value for v in values]),
                    "strict": _mean([None if v is None else v.strict for v in values]),
                    "published": _mean(printed) if len(printed) == len(sets) else None,
                }
            )
    return found


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def figures(runs: Sequence[RecordedRun], *, n_resamples: int = 10_000) -> dict[str, list[dict[str, Any]]]:
    """Data of figures 3 and 6 (without people's ambiguous records) and 5 (without a detector's).

    Figure 5 of the paper draws that pipeline and no values. Runs over MeetingBank alone, as in the paper.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for number in FIGURES:
        after = "verdict-kept" if number == "5" else "verdict-unambiguous"
        lines = found.setdefault(number, [])
        for run in runs:
            for set_, level in run.rows:
                if set_ != "MeetingBank":
                    continue
                for measure in _SCORES_OF_FIGURES[number]:
                    two = [run.value(set_, level, s, measure, n_resamples=n_resamples) for s in ("verdict", after)]
                    if None in two or two[1] is None or not two[1].n:
                        continue
                    lines.append(
                        {
                            "run": run.number,
                            "method": run.method,
                            "model": run.model,
                            "unfinished": run.unfinished,
                            "level": level,
                            "measure": measure,
                            "before": asdict(two[0]) if two[0] else None,
                            "after": asdict(two[1]),
                        }
                    )
    return found


def contradictions() -> tuple[str, ...]:
    """Contradictions between the paper's tables beyond rounding.

    A balanced accuracy must be 1 - (FPR + FNR) / 2 of the rates printed for it, and a value the same in two tables.

    Examples
    --------
    >>> [line for line in contradictions() if "MediaSum" in line][0]
    'madisse, MediaSum: balanced accuracy 66.6 in table 3, 68.06 in table 33'
    """
    at = {
        (c.table, c.row, c.set, c.measure): c.published
        for c in tables()
        if c.llm == "Llama3-70B" and c.level == "summary" and c.published is not None
    }
    found: list[str] = []
    for (table, row, set_, measure), value in at.items():
        other = at.get(("33", row, set_, measure))
        if table == "3" and other is not None and abs(value - other) > 0.00051 and "alpha" not in measure:
            found.append(
                f"{row}, {set_}: balanced accuracy {100 * value:.1f} in table 3, {100 * other:.2f} in table 33"
            )
    for (table, row, set_, measure), value in at.items():
        fnr = at.get((table, row, set_, "fnr"))
        printed = at.get(("3" if table == "35" else table, row, set_, "balanced_accuracy"))
        if measure == "fpr" and fnr is not None and printed is not None:
            implied = 1 - (value + fnr) / 2
            if abs(implied - printed) > 0.0006:
                found.append(
                    f"{row}, {set_}: the rates of table {table} give {100 * implied:.2f},"
                    f" table {'3' if table == '35' else table} prints {100 * printed:.1f}"
                )
    n_kinds = sum(published()["counts"]["24"]["rows"].values())
    for name, starts in _CATEGORIES.items():
        n = sum(v for k, v in published()["counts"]["24"]["rows"].items() if k.startswith(starts))
        value = published()["counts"]["2"]["rows"][name]
        if abs(100 * n / n_kinds - value) > 0.51:
            found.append(
                f"{name.rstrip(', %')}: {n} of {n_kinds} in table 24 is {100 * n / n_kinds:.0f} %, table 2 {value} %"
            )
    return tuple(found)
