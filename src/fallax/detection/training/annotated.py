"""Marks of this project on texts of open sets, sentence by sentence; the texts stay in their sets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import Record
from fallax.core.whole import lines_of
from fallax.data import load_dataset
from fallax.data.open_texts import marked_rows, texts_by_id
from fallax.detection.systems.base import parts_of
from fallax.detection.training.examples import SentenceExample
from fallax.detection.training.prose import PROSE
from fallax.errors import FormatError, one_line

__all__ = ["annotated_examples", "annotated_ids", "annotated_texts"]

#: How much a sentence counts whose annotator was in doubt.
_IN_DOUBT = 0.35
#: The set of annotated posts, and its splits that may train.
_REDDIT, _SPLITS = "reddit_informal_fallacies", ("train", "dev", "negative_train")


def annotated_ids(folder: Path) -> dict[str, set[str]]:
    """Set -> the ids of its texts of which a part is annotated."""
    return {
        path.stem: {str(json.loads(line)["id"]) for line in lines_of(path.read_text(encoding="utf-8"))}
        for path in sorted(folder.glob("*.jsonl"))
    }


def annotated_texts(path: Path, root: Path) -> Mapping[str, tuple[str, str, str]]:
    """Id -> text, title (empty for none) and group of the texts of the set that a file is named after.

    Parameters
    ----------
    path : ``SET.jsonl``.
    root : folder of data sets.

    Raises
    ------
    FormatError
        If there is no such set.
    """
    name = path.stem
    if name == _REDDIT:
        records = [r for split in _SPLITS for r in load_dataset(name, split=split, root=root)]
        return {r.id: (r.text, r.title, r.title or r.id) for r in records}
    if name not in PROSE:
        raise FormatError(f"must be named after a set of prose, got {one_line(name, 60)!r}", path=path)
    return texts_by_id(name, root)


def _example(row: Mapping[str, Any], text: str, title: str, group: str, numbers: Mapping[str, int]) -> SentenceExample:
    start, end = int(row["start"]), int(row["end"])
    places = [(a, b) for a, b in parts_of(Record("annotated", text)).places if start <= a and b <= end]
    flagged, weights, candidates = [], [], []
    for a, b in places:
        marks = [m for m in row["spans"] if 2 * (min(b, m[1]) - max(a, m[0])) >= b - a]
        flagged.append(float(bool(marks)))
        weights.append(_IN_DOUBT if marks and not any(m[3] for m in marks) else 1.0)
        candidates.append(tuple(sorted({numbers[label] for m in marks for label in m[2]})))
    sentences = tuple(text[a:b] for a, b in places)
    return SentenceExample(group, title, sentences, tuple(flagged), tuple(weights), tuple(candidates))


def annotated_examples(folder: Path, root: Path) -> dict[str, list[SentenceExample]]:
    """Set -> the examples of its annotated texts.

    Parameters
    ----------
    folder : a file for each set, ``SET.jsonl``, in the format of ``data/annotated_prose``.
    root : folder of data sets.

    Raises
    ------
    FormatError
        If a line is no annotation of a text of its set, or a label is none of MAFALDA's.
    """
    numbers = {label: i for i, label in enumerate(load_taxonomy("mafalda").names)}
    found: dict[str, list[SentenceExample]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        texts = annotated_texts(path, root)
        examples = []
        for number, row in marked_rows(path, texts):
            try:
                examples.append(_example(row, *texts[str(row["id"])], numbers))
            except (ValueError, KeyError, TypeError, IndexError) as error:
                raise FormatError(
                    f"must have spans of start, end, labels and whether they are sure, got an error"
                    f" ({one_line(error)})", path=path, line=number,
                ) from error  # fmt: skip
        # what was a sentence may be a part of one for another version of the splitter
        found[path.stem] = [e for e in examples if e.sentences]
    return found
