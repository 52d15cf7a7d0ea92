"""Examples from the corpora written for this project: passages with statements, scenes with claims about causes."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from fallax.core.texts import sentence_spans
from fallax.data.open_texts import marked_rows, texts_by_id
from fallax.entailment.training.pairs import Example, Label
from fallax.errors import FormatError, one_line

__all__ = [
    "Part", "causal_examples", "part_of", "passage_examples", "prose_statements", "read_corpus", "sentences_of",
]  # fmt: skip

Part: TypeAlias = Literal["train", "calibration", "test"]
_PASSAGE_LABELS: dict[str, Label] = {"entailed": "entailed", "contradicted": "contradicted", "neutral": "neither"}
_CLAIM_LABELS: dict[str, Label] = {"supports": "entailed", "refutes": "contradicted", "not_enough_info": "neither"}
_LATER = re.compile(r"[e-z]\d-")


def part_of(identifier: str) -> Part:
    """The split of a passage or scene, from a hash of its id.

    One in ten is for calibration, and all those are whose ids begin with "cal-". Of those written first, one in five is
    for tests and is used in the benchmarks; ids of later ones begin with a letter from "e" to "z" and a digit.

    Examples
    --------
    >>> from collections import Counter
    >>> sorted(Counter(part_of(f"minutes-{i}") for i in range(1000)).items())
    [('calibration', 108), ('test', 195), ('train', 697)]
    """
    if identifier.startswith("cal-"):
        return "calibration"
    place = hashlib.sha256(identifier.encode()).digest()
    if place[0] % 5 == 0:
        return "train" if _LATER.match(identifier) else "test"
    return "calibration" if place[1] % 8 == 0 else "train"


def read_corpus(folder: Path, pattern: str) -> list[dict[str, Any]]:
    """All JSON objects from the matching files of a folder, one per line, with the files sorted by name."""
    found = []
    for path in sorted(folder.glob(pattern)):
        with path.open(encoding="utf-8") as file:
            found += [json.loads(line) for line in file if line.strip()]
    return found


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text, with runs of white space as single blanks."""
    return tuple(" ".join(text[start:end].split()) for start, end in sentence_spans(text))


_kept = lru_cache(50_000)(sentences_of)


def passage_examples(folder: Path, pattern: str = "*.jsonl") -> Iterator[tuple[str, str, Example]]:
    """For each statement: the id of its passage, its kind, and the example."""
    for row in read_corpus(folder, pattern):
        passage = sentences_of(row["passage"])
        for label, kind, statement in row["statements"]:
            said = _PASSAGE_LABELS[label]
            wrong = () if said == "entailed" else None
            yield row["id"], kind, Example(passage, statement, said, "corpus/passages", wrong)


def prose_statements(folder: Path, root: Path, *, around: int = 0) -> Iterator[tuple[str, str, Example]]:
    """For each statement about a text of an open set: an id of its document, its kind, and the example.

    The source of an example is "corpus/outputs" if a program wrote its statement, "corpus/summaries" if it is written
    as a sentence of a summary or corrects one that a program wrote, and "corpus/prose" otherwise. The words of a
    statement that the passage does not support are known if none are, or if they are named.

    Parameters
    ----------
    folder : a file for each set, ``SET.jsonl``, in the format of ``data/entailment_prose``.
    root : folder of data sets.
    around : the passage is read in its document: with the texts before and after it, in turn, up to so many words.

    Raises
    ------
    FormatError
        If a line is not about a text of its set, or has no statements.
    """
    for path in sorted(folder.glob("*.jsonl")):
        texts = texts_by_id(path.stem, root)
        documents: dict[str, list[str]] = {}
        for identifier, (_, _, document) in texts.items():
            documents.setdefault(document, []).append(identifier)
        for number, row in marked_rows(path, texts):
            text, _, document = texts[str(row["id"])]
            passage = sentences_of(text[row["start"] : row["end"]])
            if around:
                own = documents[document]
                place = own.index(str(row["id"])), row["start"], row["end"]
                before, after = _beside([texts[i][0] for i in own], *place, around)
                passage = (*before, *passage, *after)
            try:
                summaries = int(row.get("summary_sentences", 0))
                for i, (label, kind, statement, *words) in enumerate(row["statements"]):
                    said = _PASSAGE_LABELS[label]
                    wrong = () if said == "entailed" else _spans_of(words[0], statement) if words else None
                    source = "corpus/summaries" if i < summaries else "corpus/prose"
                    if "model" in row:
                        source = "corpus/summaries" if kind == "corrected" else "corpus/outputs"
                    yield f"p1-{document}", kind, Example(passage, str(statement), said, source, wrong)
            except (KeyError, TypeError, ValueError) as error:
                raise FormatError(
                    f"must have statements of label, kind and text, got an error ({one_line(error)})", path=path,
                    line=number,
                ) from error  # fmt: skip


def _spans_of(words: Sequence[str], statement: str) -> tuple[tuple[int, int], ...]:
    """Where the first of each of some words stands in a statement.

    Raises
    ------
    ValueError
        If a word is not there.
    """
    return tuple((at, at + len(word)) for word in words for at in (statement.index(word),))


def _beside(texts: Sequence[str], at: int, start: int, end: int, most: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sentences before and after a part of one of the texts of a document, so many words in all or a few more."""
    before = [s for t in (*texts[:at], texts[at][:start]) for s in _kept(t)]
    after = [s for t in (texts[at][end:], *texts[at + 1 :]) for s in _kept(t)]
    n = len(texts[at][start:end].split())
    first, last = len(before), 0
    while n < most and (first or last < len(after)):
        if first:
            first -= 1
            n += len(before[first].split())
        if last < len(after) and n < most:
            n += len(after[last].split())
            last += 1
    return tuple(before[first:]), tuple(after[:last])


def causal_examples(folder: Path, pattern: str = "*.jsonl") -> Iterator[tuple[str, str, Example]]:
    """For each claim: the id of its scene, its kind, and the example."""
    for row in read_corpus(folder, pattern):
        evidence = tuple(" ".join(e.split()) for e in row["evidence"])
        for label, kind, claim, used in row["claims"]:
            said = _CLAIM_LABELS[label]
            wrong = () if said == "entailed" else None
            yield row["id"], kind, Example(evidence, claim, said, "corpus/causes", wrong, tuple(used) if used else None)
