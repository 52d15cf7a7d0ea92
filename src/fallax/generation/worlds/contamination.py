"""Compares a set with published texts: exact matches, shared eight-word sequences, similarity of words."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fallax.core.texts import Embedder, cosines, plain_text, plain_words
from fallax.core.whole import lines_of

__all__ = ["PUBLISHED", "overlap", "published_texts"]

#: Folders of fallacies and arguments that were published, where a data folder has them.
PUBLISHED = (
    "smartypat_dev", "smartypat", "logic", "logicclimate", "lfud", "mafalda_dev", "mafalda", "argotario",
    "bigbench_reasoning",
    "fallacies_hong2024", "fallacyes", "reddit_informal_fallacies", "openstax_fallacies", "cocolofa",
    "elecdeb60to20_fallacy", "missci",
)  # fmt: skip

_RUN = 8
_LONGEST = 200_000
_SHORTEST = 30

#: Texts of each side that are embedded, drawn evenly.
_EMBEDDED = 200


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def _of_file(path: Path) -> Iterator[str]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            for row in csv.reader(file):
                yield from row
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".json":
        yield from _strings(json.loads(text))
    else:
        for line in lines_of(text):
            yield from _strings(json.loads(line)) if path.suffix == ".jsonl" else line.split("\t")


def published_texts(root: Path) -> Iterator[tuple[str, str]]:
    """Set name and text for every string of 30 or more characters in the published sets below a folder.

    Files that cannot be read are skipped.
    """
    for name in PUBLISHED:
        for path in sorted((root / name).rglob("*")):
            if path.suffix not in (".csv", ".json", ".jsonl", ".tsv", ".txt") or not path.is_file():
                continue
            if "model_outputs" in path.parts:
                continue
            try:
                for text in _of_file(path):
                    if _SHORTEST <= len(text) <= _LONGEST:
                        yield name, text
            except (ValueError, csv.Error, OSError, RecursionError):
                continue


def _runs(words: Sequence[str]) -> set[str]:
    return {" ".join(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1)}


def overlap(
    texts: Sequence[str], published: Iterable[tuple[str, str]], *, embedder: Embedder | None = None
) -> dict[str, Any]:
    """How much of some texts occurs in published ones.

    Parameters
    ----------
    texts : of a set.
    published : name of a set and text.
    embedder : for the third measure, over an even sample of both sides; left out if None.

    Returns
    -------
    dict
        ``sets`` (texts of each), ``n``, ``exact`` (texts that are published word for word), ``eight_words`` (texts that
        share a run of eight words with a published one, and with which sets) and ``nearest`` (mean and highest
        cosine of a
        text with its nearest published one).

    Examples
    --------
    >>> published = [("a", "Two three four five six seven eight nine!")]
    >>> found = overlap(["one two three four five six seven eight nine"], published)
    >>> found["exact"], found["eight_words"]["n"], found["eight_words"]["sets"]
    (0, 1, {'a': 1})
    """
    known: dict[str, int] = {}
    whole = {plain_text(t) for t in texts}
    runs: dict[str, set[int]] = {}
    for place, text in enumerate(texts):
        for run in _runs(plain_words(text)):
            runs.setdefault(run, set()).add(place)
    exact: set[str] = set()
    sharing: dict[str, set[int]] = {}
    kept: list[str] = []
    for name, text in published:
        known[name] = known.get(name, 0) + 1
        words = plain_words(text)
        said = " ".join(words)
        if said in whole:
            exact.add(said)
        for run in _runs(words) & runs.keys():
            sharing.setdefault(name, set()).update(runs[run])
        kept.append(text)
    report: dict[str, Any] = {
        "n": len(texts),
        "sets": known,
        "exact": len(exact),
        "eight_words": {
            "n": len(set().union(*sharing.values())) if sharing else 0,
            "sets": {name: len(s) for name, s in sorted(sharing.items())},
        },
        "nearest": None,
    }
    if embedder is not None and kept and texts:
        ours = [texts[i] for i in np.linspace(0, len(texts) - 1, min(len(texts), _EMBEDDED)).astype(int)]
        theirs = [kept[i][:1000] for i in np.linspace(0, len(kept) - 1, min(len(kept), 5 * _EMBEDDED)).astype(int)]
        best = np.asarray(cosines([*ours, *theirs], embedder))[: len(ours), len(ours) :].max(axis=1)
        report["nearest"] = {
            "embedder": embedder.name, "n": len(ours), "of": len(theirs),
            "mean": round(float(best.mean()), 3), "highest": round(float(best.max()), 3),
        }  # fmt: skip
    return report
