"""SmartyPat's figures 1 to 4 and 8, tables 11 and 13, and agreement with people.

The paper's figures print no numbers, so ours are compared only with what its text says.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import Embedder
from fallax.core.whole import lines_of, read_whole, read_whole_json
from fallax.data import load_dataset
from fallax.errors import FormatError, InputError, one_line
from fallax.generation.benchmarks.smartypat_tables import SETS, RecordedRow, Recordings, published_tables
from fallax.metrics import RankedLabels, diversity, enhancement, hashed_ngrams, kappa_with_people

__all__ = [
    "METHODS",
    "SCALE",
    "People",
    "Rated",
    "detection_order",
    "fallacy_matrix",
    "label_score_order",
    "quality_table",
    "rated_of",
    "read_people",
    "read_rated",
    "score_counts",
    "similarity",
]

#: The three ways of generating that the paper compares.
METHODS = ("direct", "prolog", "smartypat")
SCALE = (0, 1, 2, 3)

#: What table 13 calls its three rows: our name of the comparison -> its name in the published table.
_COMPARISONS = {
    "posts": "within posts",
    "augmented": "within generated",
    "both": "posts against generated",
}


def fallacy_matrix(recordings: Recordings) -> dict[str, dict[str, dict[str, tuple[int, int]]]]:
    """Figure 3: set -> model -> fallacy -> (sentences whose gold label is named, sentences with that label)."""
    found: dict[str, dict[str, dict[str, tuple[int, int]]]] = {}
    for name in SETS:
        for model, judged in recordings.sets.get(name, {}).items():
            parts = RankedLabels().corpus_score(pred=judged.pred, gold=judged.gold).parts["label"]
            found.setdefault(name, {})[model] = {
                label: (round((part["recall"] or 0) * part.sums["n_gold"]), round(part.sums["n_gold"]))
                for label, part in parts.items()
                if part.sums["n_gold"]
            }
    return found


def detection_order(rows: Sequence[RecordedRow]) -> dict[str, list[RecordedRow]]:
    """Figures 2 and 8: the rows of each set, by the F1 that the paper plots, highest first."""
    return {
        name: sorted((r for r in rows if r.set == name), key=lambda r: -(r.published["f1"] or 0))
        for name in SETS
        if any(r.set == name for r in rows)
    }


def label_score_order(rows: Sequence[RecordedRow]) -> dict[str, list[RecordedRow]]:
    """Figure 4: the rows of each set, by the ranked score as published, highest first."""
    return {
        name: sorted((r for r in rows if r.set == name), key=lambda r: -(r.script["score"] or 0))
        for name in SETS
        if any(r.set == name for r in rows)
    }


@dataclass(frozen=True, slots=True)
class Rated:
    """A generated sentence with its ratings (0 to 3), one per run."""

    fallacy: str
    method: str
    scores: tuple[int, ...]


def rated_of(row: Mapping[str, Any]) -> Rated:
    """A rated sentence from its JSON: ``fallacy`` (or ``type``), ``method`` (one of :data:`METHODS`) and ``scores``.

    Raises
    ------
    ValueError, KeyError, TypeError
        If it is something else.
    """
    scores = row["scores"] if isinstance(row["scores"], list) else [row["scores"]]
    if row["method"] not in METHODS or not scores or any(type(s) is not int or s not in SCALE for s in scores):
        raise ValueError(f"method must be of {', '.join(METHODS)}, scores whole numbers of 0 to 3")
    named = load_taxonomy("smartypat").resolve(row.get("fallacy") or row["type"])
    return Rated(named, row["method"], tuple(scores))


def read_rated(path: Path) -> tuple[Rated, ...]:
    """Read ratings: JSONL of :func:`rated_of`.

    Raises
    ------
    FormatError
        With the line, if one is something else.
    """
    found = []
    for number, line in enumerate(lines_of(read_whole(path)), start=1):
        if not line.strip():
            continue
        try:
            found.append(rated_of(json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(
                f"must be a rated sentence, found {one_line(error, 100)}", path=path, line=number
            ) from None
    return tuple(found)


def score_counts(rated: Sequence[Rated]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Figure 1: fallacy -> method -> counts of 0, 1, 2 and 3 over all runs.

    Examples
    --------
    >>> score_counts([Rated("False Cause", "direct", (3, 3, 1))])
    {'False Cause': {'direct': (0, 1, 0, 2)}}
    """
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0, 0, 0]))
    for one in rated:
        for score in one.scores:
            found[one.fallacy][one.method][score] += 1
    return {f: {m: tuple(c) for m, c in sorted(by.items())} for f, by in sorted(found.items())}


def quality_table(rated: Sequence[Rated]) -> list[dict[str, Any]]:
    """Table 11: mean rating of each method by fallacy, the enhancement, and the printed values.

    Rows are those of the paper and those of the ratings; a value that is not there is None.
    """
    counts = score_counts(rated)
    printed = {row["fallacy"]: row for row in published_tables()["quality"]}
    rows = []
    for fallacy in dict.fromkeys([*printed, *counts]):
        means = {m: _mean(counts.get(fallacy, {}).get(m)) for m in METHODS}
        ours, baseline = means["smartypat"], means["direct"]
        better = None if ours is None or baseline is None else enhancement(ours=ours, baseline=baseline)
        paper = {k: v for k, v in printed.get(fallacy, {}).items() if k not in ("table", "fallacy")}
        rows.append({"fallacy": fallacy, **means, "enhancement": better, "paper": paper})
    return rows


def _mean(counts: Sequence[int] | None) -> float | None:
    return sum(s * n for s, n in enumerate(counts)) / sum(counts) if counts else None


def similarity(folder: str | Path, embedder: Embedder | None = None) -> list[dict[str, Any]]:
    """Table 13: mean cosines within posts, within generated sentences and between them, with printed values.

    Parameters
    ----------
    embedder : texts to vectors; by default words and spelling only, which cannot be compared with published numbers.
    """
    texts = {}
    for part in ("posts", "augmented"):
        try:
            found = load_dataset("smartypat", split=part, folder=folder, taxonomy=load_taxonomy("smartypat"))
            texts[part] = [r.text for r in found]
        except (InputError, FormatError, OSError):
            continue
    made = diversity(texts, embed=embedder or hashed_ngrams, embedder=embedder.name if embedder else "")
    printed = {row["comparison"]: row["mean_cosine"] for row in published_tables()["diversity"]}
    values = {**made.within, "both": made.across.get(("posts", "augmented"))}
    return [
        {"comparison": name, "here": values.get(key), "paper": printed[name], "embedder": made.embedder}
        for key, name in _COMPARISONS.items()
    ]


@dataclass(frozen=True, slots=True)
class People:
    """Ratings by a model and by people, with their agreement.

    Parameters
    ----------
    n : sentences.
    mean, each : Cohen's kappa of the model with the people, in the mean and with each of them.
    """

    n: int
    mean: float | None
    each: Mapping[str, float | None]


def read_people(path: Path) -> People:
    """Read ``{"model": [ratings], "people": {name: [ratings]}}`` and compute the agreement (0.7699 in the paper).

    Raises
    ------
    FormatError
        If the file is something else.
    """
    try:
        found = read_whole_json(path)
        model, people = found["model"], dict(found["people"])
    except InputError:
        raise
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(
            f'must be {{"model": [ratings], "people": {{name: [ratings]}}}}, found {one_line(error, 60)}', path=path
        ) from None
    mean, each = kappa_with_people(model, people)
    return People(len(model), mean, each)
