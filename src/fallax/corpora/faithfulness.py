"""Documents with their summaries and what people say of them: five data sets, and files in the shapes of two more."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

from fallax.corpora._source import Source, parse_json, read_text_file
from fallax.corpora.datasets import Dataset, data_root
from fallax.errors import FormatError, InputError, UnknownNameError, one_line
from fallax.taxonomies import load_taxonomy
from fallax.types import FAITHFUL, UNFAITHFUL, Faithfulness, FaithfulnessRecord

__all__ = [
    "FAITHFULNESS_SETS",
    "Level",
    "iter_faithfulness",
    "join_sentences",
    "load_faithfulness",
    "read_faithfulness",
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

_YES = frozenset(("1", "1.0", "yes", "true", "faithful", "consistent", "supported"))
_NO = frozenset(("0", "0.0", "no", "false", "unfaithful", "inconsistent", "not_supported", "unsupported"))


def _label(value: object, path: Path, line: int) -> Faithfulness | None:
    """Faithful or unfaithful from what files write; None for an empty field."""
    text = str(value).strip().lower() if value is not None else ""
    if text in ("", "none", "null", "nan"):
        return None
    if text in _YES:
        return FAITHFUL
    if text in _NO:
        return UNFAITHFUL
    raise FormatError(f"a label must be 1 or 0, yes or no, got {one_line(text, 40)!r}", path=path, line=line)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, text, ended in Source(path).lines():
        if text.strip():
            value = parse_json(text, name=str(path), line=number, ended=ended)
            if not isinstance(value, dict):
                raise FormatError(
                    f"each line must be one JSON object, got {one_line(text, 40)!r}", path=path, line=number
                )
            yield number, value


def _need(row: Mapping[str, Any], names: tuple[str, ...], path: Path, line: int) -> Any:
    for name in names:
        if row.get(name) is not None:
            return row[name]
    raise FormatError(f"must hold {' or '.join(map(repr, names))}, got {one_line(list(row), 80)}", path=path, line=line)


def _kinds(text: str, path: Path, line: int) -> tuple[str, ...]:
    """Labels of the taxonomy ambiguity; compound ones ("a/b") count for each part."""
    taxonomy = load_taxonomy("ambiguity")
    found: list[str] = []
    for piece in [text] if _resolves(text) else text.split("/"):
        name = re.sub(r"phenomena$|phenoma$", "phenomenon", re.sub(r":(?=\S)", ": ", piece.strip()))
        try:
            label = taxonomy.resolve(piece if _resolves(piece) else name)
        except UnknownNameError as error:
            raise FormatError(str(error), path=path, line=line) from error
        if label not in found:
            found.append(label)
    return tuple(found)


def _resolves(name: str) -> bool:
    try:
        load_taxonomy("ambiguity").resolve(name)
    except UnknownNameError:
        return False
    return True


def _meetingbank(folder: Path, files: Iterable[Path]) -> Iterator[FaithfulnessRecord]:
    transcripts = folder / "transcripts.jsonl"
    documents = {row["doc_id"]: "\n".join(row["utterances"]) for _, row in _rows(transcripts)}
    for path in files:
        for line, row in _rows(path):
            document = documents.get(_need(row, ("doc_id",), path, line))
            if document is None:
                raise FormatError(f"document {row['doc_id']!r} must be in {transcripts.name}", path=path, line=line)
            ambiguous = bool(int(row["ambiguity"]))
            yield FaithfulnessRecord(
                "/".join(str(row[k]) for k in ("doc_id", "topic", "model_name", "sent_idx")),
                document,
                row["summary"],
                _label(row["faithful"], path, line),
                ambiguous,
                _kinds(row["sub-category"], path, line) if ambiguous and row["sub-category"] else (),
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
    articles = {row["hash"]: row["article"] for _, row in _rows(folder / "articles.jsonl")}
    for path in files:
        for line, row in _rows(path):
            yield FaithfulnessRecord(
                f"{row['hash']}/{row['model_name']}",
                articles[_need(row, ("hash",), path, line)],
                row["summary"],
                FAITHFUL if float(row["Factuality"]) == 1 else UNFAITHFUL,
                group=row["hash"],
                source=row["dataset"],
                meta={"model_name": row["model_name"], "factuality": row["Factuality"]},
            )


def _summedits(folder: Path, files: Iterable[Path]) -> Iterator[FaithfulnessRecord]:
    for path in files:
        domain = path.name.split(".")[0]
        documents = {row["doc_key"]: row["doc"] for _, row in _rows(folder / f"{domain}.docs.jsonl")}
        for line, row in _rows(path):
            yield FaithfulnessRecord(
                f"{domain}/{row['id']}",
                documents[_need(row, ("doc_key",), path, line)],
                row["summary"],
                _label(row["label"], path, line),
                group=row["doc_key"],
                source=domain,
                meta={"edit_types": row["edit_types"]} if row.get("edit_types") else {},
            )


def _wice(folder: Path, files: Iterable[Path]) -> Iterator[FaithfulnessRecord]:
    for path in files:
        for line, row in _rows(path):
            yield FaithfulnessRecord(
                row["meta"]["id"],
                "\n".join(_need(row, ("evidence",), path, line)),
                row["claim"],
                FAITHFUL if row["label"] == "supported" else UNFAITHFUL,
                group=row["meta"].get("claim_title", ""),
                meta={"support": row["label"]},
            )


def _fib(folder: Path, files: Iterable[Path]) -> Iterator[FaithfulnessRecord]:
    documents = {row["id"]: row["input"] for _, row in _rows(folder / "documents.jsonl")}
    for path in files:
        seen: set[tuple[str, str]] = set()
        for line, row in _rows(path):
            for side, label in (("consistent", FAITHFUL), ("inconsistent", UNFAITHFUL)):
                summary = _untagged(_need(row, (side,), path, line))
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
    """A summary without the marks that the file puts around its sentences."""
    return " ".join(re.sub(r"</?t>", " ", text).split())


_READERS: dict[str, Callable[[Path, Iterable[Path]], Iterator[FaithfulnessRecord]]] = {
    "meetingbank": _meetingbank,
    "frank": _frank,
    "summedits": _summedits,
    "wice": _wice,
    "fib": _fib,
}


def iter_faithfulness(
    name: str, *, split: str | None = None, level: Level | None = None, root: str | Path | None = None
) -> Iterator[FaithfulnessRecord]:
    """The records of a data set, one after another; see :func:`load_faithfulness`."""
    found = next((d for d in FAITHFULNESS_SETS.values() if name == d.name or name in d.folders), None)
    if found is None:
        raise UnknownNameError("data set of faithfulness", name, FAITHFULNESS_SETS)
    if level not in (None, "sentence", "summary"):
        raise UnknownNameError("level", level, ("sentence", "summary"), where=name)
    if level == "sentence" and found.name != "meetingbank":
        raise InputError(f"data set {name!r}: labels are those of whole summaries; level 'sentence' is not to be had")
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
    return _unique(iter_faithfulness(name, split=split, level=level, root=root), name)


def _unique(records: Iterable[FaithfulnessRecord], where: str) -> tuple[FaithfulnessRecord, ...]:
    found: dict[str, FaithfulnessRecord] = {}
    for record in records:
        if record.id in found:
            raise InputError(f"{where}: ids must be unique, found twice: {one_line(record.id, 60)!r}")
        found[record.id] = record
    return tuple(found.values())


def join_sentences(records: Iterable[FaithfulnessRecord]) -> tuple[FaithfulnessRecord, ...]:
    """Sentences of one summary (``meta["summary_id"]``) as one record, in the order of ``meta["sentence"]``.

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


def read_faithfulness(
    path: str | Path, *, documents: str | Path | None = None, level: Level | None = None
) -> tuple[FaithfulnessRecord, ...]:
    """Read a file of documents and summaries that you have: JSON lines or CSV, told by its fields.

    Parameters
    ----------
    path : one of

        - fallax's own JSON lines, with ``id``, ``document``, ``summary``, ``label``;
        - LLM-AggreFact: ``dataset``, ``doc``, ``claim``, ``label`` (1: supported);
        - TofuEval: ``doc_id``, ``summ_sent`` (or ``summary``), ``sent_label`` (or ``faithful``; yes or no), and
          ``topic``, ``annotation_id``, ``model_name``, ``sent_idx``; the documents are in files of their own.
    documents : for TofuEval, a folder of ``DOC_ID.txt``, or JSON or JSON lines with ``doc_id`` and ``document``,
        ``transcript``, ``text`` or ``utterances``.
    level : "summary" joins the sentences of TofuEval.

    Raises
    ------
    FormatError
        If the file is in none of these shapes, or a line is not what it should be.
    InputError
        If the documents are missing.
    """
    source = Path(path)
    if not source.is_file():
        raise InputError(f"{source}: must be a file, got {'a folder' if source.is_dir() else 'nothing there'}")
    if source.suffix.lower() in (".parquet", ".arrow"):
        raise FormatError("must be JSON lines or CSV; save the table as one of these", path=source)
    rows = list(_csv(source) if source.suffix.lower() in (".csv", ".tsv") else _rows(source))
    if not rows:
        raise FormatError("must hold at least one record, found none", path=source)
    first = rows[0][1]
    if "doc" in first and "claim" in first:
        found: Iterable[FaithfulnessRecord] = (_aggrefact(row, source, line) for line, row in rows)
    elif "document" in first and "summary" in first:
        found = (_own(row, source, line) for line, row in rows)
    elif "doc_id" in first:
        texts = _documents(documents, source)
        found = (_tofueval(row, texts, source, line) for line, row in rows)
    else:
        raise FormatError(
            "must hold 'document' and 'summary', or 'doc' and 'claim' (LLM-AggreFact), or 'doc_id' and 'summ_sent'"
            f" (TofuEval), got {one_line(sorted(first), 100)}",
            path=source,
            line=rows[0][0],
        )
    return join_sentences(found) if level == "summary" else _unique(found, str(source))


def _csv(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(
        io.StringIO(read_text_file(path).removeprefix("\ufeff")), delimiter="\t" if path.suffix == ".tsv" else ","
    )
    try:
        for row in reader:
            yield reader.line_num, {k: v for k, v in row.items() if k}
    except csv.Error as error:
        raise FormatError(f"must be CSV: {error}", path=path, line=reader.line_num) from error


def _own(row: Mapping[str, Any], path: Path, line: int) -> FaithfulnessRecord:
    document, summary = _need(row, ("document",), path, line), _need(row, ("summary",), path, line)
    ambiguous = row.get("ambiguous")
    return FaithfulnessRecord(
        str(row.get("id") or line),
        document,
        summary,
        _label(row.get("label"), path, line),
        None if ambiguous in (None, "") else str(ambiguous).lower() in ("1", "true", "yes"),
        tuple(row.get("ambiguity_types") or ()),
        str(row.get("group") or ""),
        str(row.get("source") or ""),
        row.get("meta") or {},
    )


def _aggrefact(row: Mapping[str, Any], path: Path, line: int) -> FaithfulnessRecord:
    source = str(row.get("dataset") or "")
    return FaithfulnessRecord(
        f"{source or 'llm-aggrefact'}/{line}",
        _need(row, ("doc",), path, line),
        _need(row, ("claim",), path, line),
        _label(_need(row, ("label",), path, line), path, line),
        source=source,
    )


def _tofueval(row: Mapping[str, Any], texts: Mapping[str, str], path: Path, line: int) -> FaithfulnessRecord:
    doc_id = str(_need(row, ("doc_id",), path, line))
    if doc_id not in texts:
        raise FormatError(f"document {one_line(doc_id, 60)!r} must be among the documents given", path=path, line=line)
    names = ("doc_id", "annotation_id", "topic", "model_name")
    summary_id = "/".join(str(row[k]) for k in names if row.get(k) not in (None, ""))
    sentence = row.get("sent_idx", row.get("summ_sent_idx"))
    ambiguous = row.get("ambiguity")
    return FaithfulnessRecord(
        f"{summary_id}/{line if sentence in (None, '') else sentence}",
        texts[doc_id],
        _need(row, ("summ_sent", "summary_sentence", "sentence", "summary"), path, line),
        _label(_need(row, ("sent_label", "label", "faithful"), path, line), path, line),
        None if ambiguous in (None, "") else str(ambiguous) in ("1", "1.0", "yes"),
        group=doc_id,
        source=str(row.get("model_name") or ""),
        meta={"summary_id": summary_id, "sentence": line if sentence in (None, "") else int(float(str(sentence)))},
    )


def _documents(given: str | Path | None, path: Path) -> dict[str, str]:
    if given is None:
        raise InputError(f"{path}: names documents by 'doc_id'; give the documents too")
    place = Path(given)
    if place.is_dir():
        return {f.stem: read_text_file(f) for f in sorted(place.glob("*.txt"))}
    if not place.is_file():
        raise InputError(f"{place}: must be a folder of DOC_ID.txt, or a JSON file, got nothing there")
    if place.suffix.lower() == ".json":
        try:
            value = json.loads(read_text_file(place))
        except ValueError as error:
            raise FormatError(f"must be JSON: {error}", path=place) from error
        if isinstance(value, dict):
            return {str(k): _text(v, place, 1) for k, v in value.items()}
        raise FormatError("must be one object from doc_id to the text", path=place)
    return {str(_need(r, ("doc_id", "id"), place, n)): _text(r, place, n) for n, r in _rows(place)}


def _text(value: Any, path: Path, line: int) -> str:
    if isinstance(value, dict):
        value = _need(value, ("document", "transcript", "text", "utterances", "source"), path, line)
    if isinstance(value, list):
        value = "\n".join(map(str, value))
    if not isinstance(value, str):
        raise FormatError(f"a document must be a text, got {type(value).__name__}", path=path, line=line)
    return value
