"""Sentences written for this project into texts of open sets: fallacies, and what only looks like one."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import Record
from fallax.data.open_texts import marked_rows
from fallax.detection.systems.base import parts_of
from fallax.detection.training.annotated import annotated_texts
from fallax.detection.training.examples import SentenceExample
from fallax.errors import FormatError, one_line

__all__ = ["inserted_examples"]


def inserted_examples(folder: Path, root: Path) -> list[SentenceExample]:
    """The texts with what was written into them, in all ways: at each place the fallacy, or the sentence beside it.

    Parameters
    ----------
    folder : a file for each set, ``SET.jsonl``, in the format of ``data/inserted_sentences``.
    root : folder of data sets.

    Raises
    ------
    FormatError
        If a line is not about a text of its set, has no such sentences, or a label is none of MAFALDA's.
    """
    numbers = {label: i for i, label in enumerate(load_taxonomy("mafalda").names)}
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        texts = annotated_texts(path, root)
        for line, row in marked_rows(path, texts):
            text, title, group = texts[str(row["id"])]
            try:
                ways = itertools.product(("fallacy", "near"), repeat=len(row["put"]))
                found += [_example(row, way, text, title, group, numbers) for way in ways]
            except (ValueError, KeyError, TypeError) as error:
                raise FormatError(
                    "must put in sentences with at, label, fallacy and near, where the part has a sentence's end, got"
                    f" an error ({one_line(error)})", path=path, line=line,
                ) from error  # fmt: skip
    return found


def _example(
    row: Mapping[str, Any], way: Sequence[str], text: str, title: str, group: str, numbers: Mapping[str, int]
) -> SentenceExample:
    start, end = int(row["start"]), int(row["end"])
    places = [(a, b) for a, b in parts_of(Record("inserted", text)).places if start <= a and b <= end]
    units: list[tuple[str, tuple[int, ...]]] = [(text[a:b], ()) for a, b in places]
    ends = [start, *(b for _, b in places)]
    for put, kind in reversed(list(zip(row["put"], way, strict=True))):
        labels = (numbers[put["label"]],) if kind == "fallacy" else ()
        said: str = put[kind]
        own = [(said[a:b], labels) for a, b in parts_of(Record("inserted", said)).places]
        at = ends.index(int(put["at"]))
        units[at:at] = own
    flagged = tuple(float(bool(labels)) for _, labels in units)
    sentences = tuple(sentence for sentence, _ in units)
    return SentenceExample(group, title, sentences, flagged, (1.0,) * len(units), tuple(x for _, x in units))
