"""Five data sets of documents with summaries and human labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from fallax.core.types import FAITHFUL, UNFAITHFUL, FaithfulnessRecord
from fallax.data._faithfulness_rows import kinds_of, label_of, need, unique, yes_or_no
from fallax.data._jsonl import json_lines
from fallax.data._source import Source
from fallax.data.datasets import Dataset, data_root
from fallax.errors import FormatError, InputError, UnknownNameError

__all__ = [
    "FAITHFULNESS_SETS",
    "Level",
    "iter_faithfulness",
    "join_sentences",
    "load_faithfulness",
]

Level: TypeAlias = Literal["sentence", "summary"]

_SUMMEDITS = ("news", "sales_call", "sales_email", "samsum", "scitldr", "podcast", "qmsumm", "ectsum")

#: name -> data set. Of each, the first split is the default and "all" is every one that is there.
FAITHFULNESS_SETS: dict[str, Dataset] = {
    d.name: d
    for d in (
        Dataset(
            "meetingbank", "TofuEval MeetingBank with ambiguity (MADISSE)",
            ("madisse_tofueval_meetingbank", "meetingbank"), {"dev": ("summary_sentences.jsonl",)}, "ambiguity", "text",
            "Apache-2.0 and MIT-0; transcripts CC BY-NC-SA 4.0", "never",
            "github.com/amazon-science/madisse and github.com/amazon-science/tofueval",
            "Sentences of summaries of council meetings; few documents, so intervals over sentences are too narrow.",
        ),
        Dataset(
            "frank", "FRANK", ("frank",), {"dev": ("summaries.jsonl",)}, "", "text",
            "MIT (annotations); articles of CNN/DailyMail and the BBC", "research", "github.com/artidoro/frank",
            "Summaries, tokenised and mostly in lower case. Faithful: no sentence has an error (Factuality 1).",
        ),
        Dataset(
            "summedits", "SummEdits", ("summedits",),
            {name: (f"{name}.items.jsonl",) for name in _SUMMEDITS}, "", "text", "Apache-2.0", "shipped",
            "github.com/salesforce/factualNLG",
            "Splits are domains. Summaries edited by a language model, labelled by people; few documents per domain.",
        ),
        Dataset(
            "wice", "WiCE", ("wice",), {"dev": ("claim_dev.jsonl",)}, "", "text",
            "ODC-BY (annotations); Wikipedia CC BY-SA", "shipped", "github.com/ryokamoi/wice",
            "Claims of Wikipedia against web pages, some long. Faithful: supported; partially supported is not.",
        ),
        Dataset(
            "fib", "FIB", ("fib",), {"dev": ("pairs.jsonl",)}, "", "text", "CC BY 4.0", "shipped",
            "github.com/r-three/fib",
            "Pairs of a summary that is consistent and one that is not. Not natural: one label is known to be there.",
        ),
    )
}  # fmt: skip


def _meetingbank(folder: Path, files: Iterable[Path]) -> Iterator[FaithfulnessRecord]:
    transcripts = folder / "transcripts.jsonl"
    documents = {row["doc_id"]: "\n".join(row["utterances"]) for _, row in json_lines(Source(transcripts))}
    for path in files:
        for line, row in json_lines(Source(path)):
            document = documents.get(need(row, ("doc_id",), path, line))
            if document is None:
                raise FormatError(f"document {row['doc_id']!r} must be in {transcripts.name}", path=path, line=line)
            ambiguous = yes_or_no(row, "ambiguity", path, line)
            yield FaithfulnessRecord(
                "/".join(str(row[k]) for k in ("doc_id", "topic", "model_name", "sent_idx")),
                document,
                row["summary"],
                label_of(row["faithful"], path, line),
                ambiguous,
                kinds_of(row["sub-category"], path, line) if ambiguous and row["sub-category"] else (),
                row["doc_id"],
                row["model_name"],
                {
                    "summary_id": "/".join(str(row[k]) for k in ("doc_id", "topic", "model_name")),
                    "sentence": int(row["sent_idx"]),
                    **{
                        k: row[k]
                        for k in ("topic", "error_type", "error_explanation", "ambiguity_explanation")
                        if row[k]
                    },
                },
            )


def _frank(folder: Path, files: Iterable[Path]) -> Iterator[FaithfulnessRecord]:
    articles = {row["hash"]: row["article"] for _, row in json_lines(Source(folder / "articles.jsonl"))}
    for path in files:
        for line, row in json_lines(Source(path)):
            yield FaithfulnessRecord(
                f"{row['hash']}/{row['model_name']}",
                articles[need(row, ("hash",), path, line)],
                row["summary"],
                FAITHFUL if float(row["Factuality"]) == 1 else UNFAITHFUL,
                group=row["hash"],
                source=row["dataset"],
                meta={"model_name": row["model_name"], "factuality": row["Factuality"]},
            )


def _summedits(folder: Path, files: Iterable[Path]) -> Iterator[FaithfulnessRecord]:
    for path in files:
        domain = path.name.split(".")[0]
        documents = {row["doc_key"]: row["doc"] for _, row in json_lines(Source(folder / f"{domain}.docs.jsonl"))}
        for line, row in json_lines(Source(path)):
            yield FaithfulnessRecord(
                f"{domain}/{row['id']}",
                documents[need(row, ("doc_key",), path, line)],
                row["summary"],
                label_of(row["label"], path, line),
                group=row["doc_key"],
                source=domain,
                meta={"edit_types": row["edit_types"]} if row.get("edit_types") else {},
            )


def _wice(folder: Path, files: Iterable[Path]) -> Iterator[FaithfulnessRecord]:
    for path in files:
        for line, row in json_lines(Source(path)):
            yield FaithfulnessRecord(
                row["meta"]["id"],
                "\n".join(need(row, ("evidence",), path, line)),
                row["claim"],
                FAITHFUL if row["label"] == "supported" else UNFAITHFUL,
                group=row["meta"].get("claim_title", ""),
                meta={"support": row["label"]},
            )


def _fib(folder: Path, files: Iterable[Path]) -> Iterator[FaithfulnessRecord]:
    documents = {row["id"]: row["input"] for _, row in json_lines(Source(folder / "documents.jsonl"))}
    for path in files:
        seen: set[tuple[str, str]] = set()
        for line, row in json_lines(Source(path)):
            for side, label in (("consistent", FAITHFUL), ("inconsistent", UNFAITHFUL)):
                summary = _untagged(need(row, (side,), path, line))
                if (row["id"], summary) in seen:
                    continue
                seen.add((row["id"], summary))
                yield FaithfulnessRecord(
                    f"{row['id']}/{line}/{side}",
                    documents[row["id"]],
                    summary,
                    label,
                    group=row["id"],
                    source=row["source"],
                    meta={"distractor_from": row["distractor_from"]} if label == UNFAITHFUL else {},
                )


def _untagged(text: str) -> str:
    """A summary without the file's markers around its sentences."""
    return " ".join(re.sub(r"</?t>", " ", text).split())


_READERS: dict[str, Callable[[Path, Iterable[Path]], Iterator[FaithfulnessRecord]]] = {
    "meetingbank": _meetingbank,
    "frank": _frank,
    "summedits": _summedits,
    "wice": _wice,
    "fib": _fib,
}


def check_level(level: str | None, where: str) -> None:
    """Refuse an unknown level."""
    if level not in (None, "sentence", "summary"):
        raise UnknownNameError("level", level, ("sentence", "summary"), where=where)


def iter_faithfulness(
    name: str, *, split: str | None = None, level: Level | None = None, root: str | Path | None = None
) -> Iterator[FaithfulnessRecord]:
    """Iterate over the records of a data set; see :func:`load_faithfulness`."""
    found = next((d for d in FAITHFULNESS_SETS.values() if name == d.name or name in d.folders), None)
    if found is None:
        raise UnknownNameError("data set of faithfulness", name, FAITHFULNESS_SETS)
    check_level(level, name)
    if level == "sentence" and found.name != "meetingbank":
        raise InputError(f"data set {name!r}: has labels of whole summaries only; level 'sentence' is not available")
    base = data_root(root)
    places = [*(base / f for f in found.folders), *([base] if base.absolute().name in found.folders else [])]
    folder = next((place for place in places if place.is_dir()), None)
    if folder is None:
        raise InputError(
            f"data set {found.name!r}: must be in {base / found.folders[0]}, got nothing there; set FALLAX_DATA to the"
            f" folder that holds it, or get it from {found.source}"
        )
    if split is not None and split != "all" and split not in found.splits:
        raise UnknownNameError("split", split, [*found.splits, "all"], where=f"data set {found.name!r}")
    wanted = list(found.splits) if split == "all" else [split or next(iter(found.splits))]
    files = [folder / f for one in wanted for f in found.splits[one]]
    there = [f for f in files if f.is_file()]
    if not there or (split != "all" and len(there) < len(files)):
        raise InputError(f"data set {found.name!r}: must hold {files[0].name}, found no such file in {folder}")
    records = _READERS[found.name](folder, there)
    return iter(join_sentences(records)) if level == "summary" and found.name == "meetingbank" else records


def load_faithfulness(
    name: str, *, split: str | None = None, level: Level | None = None, root: str | Path | None = None
) -> tuple[FaithfulnessRecord, ...]:
    """Read one split of a data set of documents and summaries.

    Parameters
    ----------
    name : a key of :data:`FAITHFULNESS_SETS`, or the name of its folder.
    split : one of its splits, or "all"; by default the first.
    level : "summary" joins the sentences of ``meetingbank`` to summaries; the others are summaries or claims as they
        are.
    root : the folder that holds the data sets, or the one of this set; by default FALLAX_DATA, else the cache.

    Raises
    ------
    UnknownNameError
        If there is no such data set, split or level.
    InputError
        If its files are not there.
    FormatError
        If a line is not what it should be.
    """
    return unique(iter_faithfulness(name, split=split, level=level, root=root), name)


def join_sentences(records: Iterable[FaithfulnessRecord]) -> tuple[FaithfulnessRecord, ...]:
    """Join the sentences of one summary (``meta["summary_id"]``) into one record, by ``meta["sentence"]``.

    A summary is unfaithful if one of its sentences is, and ambiguous if one is; without a label if one has none.

    Examples
    --------
    >>> sentences = [
    ...     FaithfulnessRecord(f"s{i}", "It rained.", text, label, meta={"summary_id": "s", "sentence": i})
    ...     for i, (text, label) in enumerate([("It rained.", "faithful"), ("It snowed.", "unfaithful")])
    ... ]
    >>> [(r.id, r.summary, r.label) for r in join_sentences(sentences)]
    [('s', 'It rained. It snowed.', 'unfaithful')]
    """
    groups: dict[str, list[FaithfulnessRecord]] = {}
    for record in records:
        groups.setdefault(str(record.meta.get("summary_id", record.id)), []).append(record)
    joined = []
    for id, members in groups.items():
        members.sort(key=lambda r: int(r.meta.get("sentence", 0)))
        labels = {r.label for r in members}
        asked = [r.ambiguous for r in members if r.ambiguous is not None]
        joined.append(
            FaithfulnessRecord(
                id,
                members[0].document,
                " ".join(r.summary.strip() for r in members),
                UNFAITHFUL if UNFAITHFUL in labels else None if None in labels else FAITHFUL,
                any(asked) if asked else None,
                tuple(dict.fromkeys(t for r in members for t in r.ambiguity_types)),
                members[0].group,
                members[0].source,
                {"n_sentences": len(members)},
            )
        )
    return tuple(joined)
