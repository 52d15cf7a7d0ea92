"""Files of documents and summaries: LLM-AggreFact, TofuEval, and the format of fallax."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from fallax.core.texts import whole_characters
from fallax.core.types import FaithfulnessRecord
from fallax.data._faithfulness_rows import kinds_of, label_of, need, need_text, unique, yes_or_no
from fallax.data._file_rows import file_rows
from fallax.data._source import Source, parse_json, read_text_file
from fallax.data.faithfulness import Level, check_level, join_sentences
from fallax.errors import FormatError, InputError, one_line

__all__ = ["read_faithfulness"]

#: Names of the document's id and of its text, in the files that TofuEval's documents are published in.
_IDS = ("doc_id", "meeting_id", "uid", "id")
_TEXTS = ("document", "transcript", "text", "utterances", "utt", "source")


def read_faithfulness(
    path: str | Path, *, documents: str | Path | None = None, level: Level | None = None
) -> tuple[FaithfulnessRecord, ...]:
    r"""Read your own documents and summaries: JSON, JSON lines, CSV, TSV or Parquet, recognised by their fields.

    Parameters
    ----------
    path : one of

        - fallax's own, with ``document``, ``summary``, and where there are any ``id``, ``label``, ``ambiguous``,
          ``ambiguity_types``, ``group``, ``source``, ``meta``;
        - LLM-AggreFact: ``dataset``, ``doc``, ``claim``, ``label`` (1: supported);
        - TofuEval: ``doc_id``, ``summ_sent`` (or ``summary``), ``sent_label`` (or ``faithful``; yes or no), and
          ``topic``, ``annotation_id``, ``model_name``, ``sent_idx``; the documents are in files of their own.
    documents : for TofuEval, a folder of ``DOC_ID.txt``, one JSON object from id to text, or a file of rows with
        ``doc_id``, ``meeting_id``, ``uid`` or ``id``, and ``document``, ``transcript``, ``text``, ``utterances``,
        ``utt`` (with ``speaker``, if there is one for each utterance) or ``source``.
    level : "summary" joins the sentences of TofuEval.

    Raises
    ------
    FormatError
        If the file is in none of these shapes, or a line is not what it should be.
    InputError
        If the documents are missing.
    UnknownNameError
        If there is no such level.
    MissingExtraError
        For Parquet without pyarrow (extra ``parquet``).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "aggrefact.csv")
    ...     _ = file.write_text("dataset,doc,claim,label\nWice,It rained.,Rain fell.,1\n")
    ...     [(r.id, r.summary, r.label) for r in read_faithfulness(file)]
    [('Wice/2', 'Rain fell.', 'faithful')]
    """
    source = Path(path)
    check_level(level, str(source))
    if not source.is_file():
        raise InputError(f"{source}: must be a file, got {'a folder' if source.is_dir() else 'nothing there'}")
    rows = list(file_rows(source))
    if not rows:
        raise FormatError("must hold at least one record, found none", path=source)
    first = rows[0][1]
    read: Callable[[Mapping[str, Any], Path, int, int], FaithfulnessRecord]
    if "doc" in first and "claim" in first:
        read = _aggrefact
    elif "document" in first and "summary" in first:
        read = _own
    elif "doc_id" in first:
        read = _TofuEval(_documents(documents, source, {str(row.get("doc_id")) for _, row in rows}))
    else:
        raise FormatError(
            "must hold 'document' and 'summary', or 'doc' and 'claim' (LLM-AggreFact), or 'doc_id' and 'summ_sent'"
            f" (TofuEval), got {one_line(sorted(first), 100)}",
            path=source,
            line=rows[0][0],
        )
    lines = [line for line, _ in rows]
    numbers = lines if len(set(lines)) == len(lines) else range(1, len(lines) + 1)  # a list may stand on one line
    found = unique((read(row, source, line, n) for n, (line, row) in zip(numbers, rows, strict=True)), str(source))
    return join_sentences(found) if level == "summary" else found


def _own(row: Mapping[str, Any], path: Path, line: int, number: int) -> FaithfulnessRecord:
    id_, kinds, meta = row.get("id"), row.get("ambiguity_types") or (), row.get("meta") or {}
    if type(id_) not in (str, int, type(None)):
        raise FormatError(f"'id' must be a text or a whole number, got {one_line(repr(id_), 40)}", path=path, line=line)
    if isinstance(kinds, str):
        kinds = (kinds,)
    if not isinstance(kinds, (list, tuple)) or not all(isinstance(k, str) for k in kinds):
        raise FormatError(
            f"'ambiguity_types' must be a list of names, got {one_line(repr(kinds), 40)}", path=path, line=line
        )
    if not isinstance(meta, Mapping):
        raise FormatError(f"'meta' must be an object, got {one_line(repr(meta), 40)}", path=path, line=line)
    return FaithfulnessRecord(
        str(number) if id_ in (None, "") else str(id_),
        need_text(row, ("document",), path, line),
        need_text(row, ("summary",), path, line),
        label_of(row.get("label"), path, line),
        yes_or_no(row, "ambiguous", path, line),
        tuple(dict.fromkeys(label for k in kinds for label in kinds_of(k, path, line))),
        _name(row, "group"),
        _name(row, "source"),
        meta,
    )


def _name(row: Mapping[str, Any], field: str) -> str:
    return "" if row.get(field) is None else str(row[field])


def _aggrefact(row: Mapping[str, Any], path: Path, line: int, number: int) -> FaithfulnessRecord:
    source = _name(row, "dataset")
    return FaithfulnessRecord(
        f"{source or 'llm-aggrefact'}/{number}",
        need_text(row, ("doc",), path, line),
        need_text(row, ("claim",), path, line),
        label_of(need(row, ("label",), path, line), path, line),
        source=source,
    )


class _TofuEval:
    """Rows of TofuEval, with the documents that they name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def __call__(self, row: Mapping[str, Any], path: Path, line: int, number: int) -> FaithfulnessRecord:
        doc_id = str(need(row, ("doc_id",), path, line))
        if doc_id not in self.texts:
            raise FormatError(
                f"document {one_line(doc_id, 60)!r} must be among the documents given", path=path, line=line
            )
        names = ("doc_id", "annotation_id", "topic", "model_name")
        summary_id = "/".join(str(row[k]) for k in names if row.get(k) not in (None, ""))
        sentence = row.get("sent_idx", row.get("summ_sent_idx"))
        place = number if sentence in (None, "") else _whole(sentence, path, line)
        return FaithfulnessRecord(
            f"{summary_id}/{place}",
            self.texts[doc_id],
            need_text(row, ("summ_sent", "summary_sentence", "sentence", "summary"), path, line),
            label_of(need(row, ("sent_label", "label", "faithful"), path, line), path, line),
            yes_or_no(row, "ambiguity", path, line),
            group=doc_id,
            source=_name(row, "model_name"),
            meta={"summary_id": summary_id, "sentence": place},
        )


def _whole(value: object, path: Path, line: int) -> int:
    """Parse the number of a sentence; spreadsheet programs may write 3 as 3.0."""
    try:
        return int(str(value).removesuffix(".0"))
    except ValueError:
        raise FormatError(
            f"'sent_idx' must be a whole number, got {one_line(value, 40)!r}", path=path, line=line
        ) from None


def _documents(given: str | Path | None, path: Path, wanted: Collection[str]) -> dict[str, str]:
    """The wanted documents only; files of others may be large."""
    if given is None:
        raise InputError(f"{path}: names documents by 'doc_id'; give the documents too")
    place = Path(given)
    if place.is_dir():
        return {f.stem: read_text_file(f) for f in sorted(place.glob("*.txt")) if f.stem in wanted}
    if not place.is_file():
        raise InputError(f"{place}: must be a folder of DOC_ID.txt, or a file of documents, got nothing there")
    if place.suffix.lower() == ".json" and Source(place).head().lstrip().startswith(b"{"):
        value = parse_json(read_text_file(place), name=str(place), line=1)
        return {k: _text(v if isinstance(v, dict) else {"text": v}, place, 1) for k, v in value.items() if k in wanted}
    found: dict[str, str] = {}
    for line, row in file_rows(place):
        name = str(need(row, _IDS, place, line))
        if name not in wanted:
            continue
        text = _text(row, place, line)
        if found.setdefault(name, text) != text:
            raise FormatError(
                f"document {one_line(name, 60)!r} must have one text, got another one", path=place, line=line
            )
    return found


def _text(row: Mapping[str, Any], path: Path, line: int) -> str:
    value = need(row, _TEXTS, path, line)
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        speakers = row.get("speaker")
        if isinstance(speakers, list) and len(speakers) == len(value):
            value = [f"{speaker}: {said}" for speaker, said in zip(speakers, value, strict=True)]
        value = "\n".join(value)
    if not isinstance(value, str):
        raise FormatError(
            f"a document must be a text or a list of texts, got {one_line(repr(value), 40)}", path=path, line=line
        )
    return whole_characters(value)
