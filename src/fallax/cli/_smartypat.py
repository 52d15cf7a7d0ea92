"""Output of ``fallax reproduce smartypat``: every table and figure of the paper, 80 columns wide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from fallax.cli._console import Console
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import Embedder
from fallax.errors import FormatError, InputError
from fallax.generation.benchmarks import smartypat_figures as figures
from fallax.generation.benchmarks.smartypat_tables import RecordedRow, Recordings, gold_label_counts, published_tables

__all__ = ["TABLES", "everything", "print_tables"]

#: The numbers of the paper's tables of results.
TABLES = ("2", "11", "12", "13")
_TITLES = {"SmartyPat": "posts", "SmartyPat_augmented": "generated sentences"}


def everything(
    folder: Path,
    recordings: Recordings,
    rows: Sequence[RecordedRow],
    *,
    ratings: Path | None,
    people: Path | None,
    embedder: Embedder | None,
    wanted: Sequence[str] = (),
) -> dict[str, Any]:
    """All tables and figures as JSON values, with the printed values; if tables are wanted, only these."""
    printed = published_tables()
    rated = () if ratings is None else figures.read_rated(ratings)
    found: dict[str, Any] = {
        "judges": {f"{r.set}/{r.model}": r.to_dict() for r in rows},
        "table 2": _gold(folder, printed),
        "table 11": figures.quality_table(rated),
        "table 12": [
            {"set": s, "model": m, "here": _labels(rows, s, m), "paper": n}
            for (s, m), n in printed["label_counts"].items()
        ],
        "table 13": figures.similarity(folder, embedder),
        "figure 1": figures.score_counts(rated),
        "figures 2 and 8": {
            s: [{"model": r.model, **r.published} for r in ordered]
            for s, ordered in figures.detection_order(rows).items()
        },
        "figure 3": figures.fallacy_matrix(recordings),
        "figure 4": {
            s: [{"model": r.model, "score": r.script["score"]} for r in ordered]
            for s, ordered in figures.label_score_order(rows).items()
        },
        "expert agreement": {"paper": 0.7699, "here": None},
        "left out": list(recordings.problems),
        "skipped": {f"{r.set}/{r.model}": dict(r.skipped) for r in rows if r.skipped},
    }
    if people is not None:
        agreed = figures.read_people(people)
        found["expert agreement"] |= {"here": agreed.mean, "n": agreed.n, "each": dict(agreed.each)}
    return {key: value for key, value in found.items() if not wanted or key in {f"table {n}" for n in wanted}}


def _gold(folder: Path, printed: Mapping[str, Any]) -> list[dict[str, Any]]:
    try:
        counts: Mapping[str, int | None] = gold_label_counts(folder)
    except (InputError, FormatError):
        counts = dict.fromkeys(printed["gold_labels"])
    return [
        {"fallacy": k, "here": counts.get(k), "paper": n} for k, n in printed["gold_labels"].items() if k != "table"
    ]


def _labels(rows: Sequence[RecordedRow], set_: str, model: str) -> int | None:
    return next((round(r.script["label_count"] or 0) for r in rows if (r.set, r.model) == (set_, model)), None)


def print_tables(console: Console, found: Mapping[str, Any]) -> None:
    """Print the result of :func:`everything` in the paper's order, except the table of judges."""
    names = {file: name for name, file in published_tables()["models"].items()}
    rows: list[list[Any]]
    if "table 2" in found:
        rows = [list(r.values()) for r in found["table 2"]]
        console.print(_plain("Table 2: labels of the posts", ("fallacy", "here", "paper"), rows))
    if "table 11" in found:
        columns = (*figures.METHODS, "enhancement")
        rows = [
            [row["fallacy"], *(f"{_number(row[m])} ({_number(row['paper'].get(m))})" for m in columns)]
            for row in found["table 11"]
        ]
        heads = ("fallacy", "direct", "prolog", "smartypat", "better by %")
        console.print(_plain("Table 11: mean ratings here (and in the paper)", heads, rows))
    for set_, title in _TITLES.items() if "table 12" in found else ():
        rows = [
            [names.get(r["model"], r["model"]), r["here"], r["paper"]] for r in found["table 12"] if r["set"] == set_
        ]
        console.print(_plain(f"Table 12: labels that were named, {title}", ("model", "here", "paper"), rows))
    if "table 13" in found:
        rows = [[r["comparison"], _number(r["here"], 4), _number(r["paper"], 4)] for r in found["table 13"]]
        title = f"Table 13: mean cosine, here by {found['table 13'][0]['embedder']}"
        console.print(_plain(title, ("", "here", "paper"), rows))
    if "expert agreement" in found:
        _print_figures(console, found, names)


def _print_figures(console: Console, found: Mapping[str, Any], names: Mapping[str, str]) -> None:
    """Print the figures, and the agreement with people."""
    if found["figure 1"]:
        rows = [[f, m, *counts] for f, by in found["figure 1"].items() for m, counts in by.items()]
        console.print(
            _plain("Figure 1: how often each rating was given", ("fallacy", "method", "0", "1", "2", "3"), rows)
        )
    for set_, ordered in found["figures 2 and 8"].items():
        rows = [[names.get(r["model"], r["model"]), *(_number(r[k]) for k in ("fp", "fn", "f1"))] for r in ordered]
        console.print(_plain(f"Figures 2 and 8: as plotted, {_TITLES[set_]}", ("model", "FP", "FN", "F1"), rows))
    for set_, by_model in found["figure 3"].items():
        console.print(_matrix(f"Figure 3: % of {_TITLES[set_]} whose label is named", by_model, names))
    for set_, ordered in found["figure 4"].items():
        rows = [[names.get(r["model"], r["model"]), _number(r["score"], 1)] for r in ordered]
        console.print(_plain(f"Figure 4: ranked score as published, {_TITLES[set_]}", ("model", "score"), rows))
    agreed = found["expert agreement"]
    console.print(
        f"Agreement of the rater with people (Cohen's kappa, mean): {_number(agreed['here'], 4)}; paper"
        f" {agreed['paper']}"
    )


def _plain(title: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    table = Table(title=title, show_edge=False, padding=(0, 1), header_style="bold", title_justify="left")
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if place else "left", overflow="fold")
    for row in rows:
        table.add_row(*("–" if c is None else str(c) for c in row))
    return table


def _matrix(title: str, by_model: Mapping[str, Mapping[str, Sequence[int]]], names: Mapping[str, str]) -> Table:
    """Fallacies as rows, models as numbered columns so that nine fit; a legend follows."""
    taxonomy = load_taxonomy("smartypat")
    models = list(by_model)
    legend = ", ".join(f"{i} {names.get(m, m)}" for i, m in enumerate(models, start=1))
    table = Table(
        title=title, show_edge=False, padding=(0, 1), header_style="bold", title_justify="left", caption=legend
    )
    table.add_column("fallacy", overflow="fold")
    table.add_column("n", justify="right")
    for i, _ in enumerate(models, start=1):
        table.add_column(str(i), justify="right")
    for label in taxonomy.names:
        cells = [by_model[m].get(label) for m in models]
        if any(cells):
            n = max(c[1] for c in cells if c)
            table.add_row(label, str(n), *("–" if not c else f"{100 * c[0] / c[1]:.0f}" for c in cells))
    return table


def _number(value: float | None, digits: int = 2) -> str:
    return "–" if value is None else f"{value:.{digits}f}"
