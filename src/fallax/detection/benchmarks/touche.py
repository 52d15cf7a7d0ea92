"""The fallacy benchmark of Touché 2026: comments with one of eight fallacies, or that only resemble one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from fallax.core.sink import open_out
from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import NO_FALLACY, Score, Taxonomy, Unreadable
from fallax.data import dataset_path
from fallax.data._jsonl import json_lines
from fallax.data._source import Source
from fallax.detection.benchmarks.fallacies import ANOTHER, Fallacies, detection_score, label_score
from fallax.errors import FormatError, InputError, ModelError, UnknownNameError, one_line
from fallax.metrics import Classification
from fallax.runs.base import Answer, Row, Sample, System, check_options

__all__ = ["SUBMISSION", "Touche", "read_submission", "write_submission"]

_SET = "touche26_fallacy"
_TEXTS = {"raw": "text_raw", "base": "text_base"}
#: What a line of a submission says -> the field that says it: by default as in the training file.
SUBMISSION: Mapping[str, str] = {"id": "id", "exists": "fallacy_exists", "type": "fallacy_type"}


class _Submission:
    """The answers of a submission."""

    prompts: ClassVar[Mapping[str, str]] = {}
    concurrency: ClassVar[int] = 1

    def __init__(self, path: Path, fields: Mapping[str, str]) -> None:
        self._path = path
        self._answers = read_submission(path, fields=fields)
        self.identity = {"submission": path.name, "fields": {**SUBMISSION, **fields}}

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """The answer about a text."""
        if sample.id not in self._answers:
            raise ModelError(f"nothing submitted about the text {sample.id!r}", provider=str(self._path))
        return Answer(self._answers[sample.id])


class Touche(Fallacies):
    """Touché 2026. Scores: ``all`` (nine labels), ``exists``, ``type`` (of texts with a fallacy), ``detection``.

    Every text without a fallacy resembles one, so the false positive rate of ``detection`` is that on near misses.
    """

    name: ClassVar[str] = "touche"
    about: ClassVar[str] = "Reddit comments with one of eight fallacies, or that only resemble one (Touché 2026)"
    options: ClassVar[Mapping[str, str]] = {"text": "raw (the default), or base, as rewritten by a machine"}
    primary: ClassVar[tuple[str, str]] = ("all", "macro_f1")

    def settings(self) -> dict[str, Any]:
        """The field of the text."""
        text = self.given.get("text", "raw")
        if text not in _TEXTS:
            raise UnknownNameError("text", str(text), _TEXTS, where=f"benchmark {self.name!r}")
        return {"text": text}

    def _sets(self) -> list[str]:
        return [_SET]

    def samples(self) -> Iterator[Sample]:
        """The comments of ``data`` (a file, its folder, or a folder of data sets); gold is None if unknown."""
        column = _TEXTS[self.settings()["text"]]
        path = self.data if self.data is not None and self.data.is_file() else None
        if path is None:
            own = self.data is not None and (self.data / "train.jsonl").is_file()
            path = (self.data if own and self.data else dataset_path(_SET, root=self.data)) / "train.jsonl"
        labels = load_taxonomy("touche26")
        seen: set[str] = set()
        for line, value in json_lines(Source(path)):
            for name in ("id", column):
                if not isinstance(value.get(name), str) or not value[name].strip():
                    raise FormatError(f"each line must have the text {name!r}, got none", path=path, line=line)
            if value["id"] in seen:
                raise FormatError(
                    f"each text must have its own id, got {value['id']!r:.60} twice", path=path, line=line
                )
            seen.add(value["id"])
            gold = None
            if value.get("fallacy_exists") is not None:
                gold = _gold(value, labels, path, line)
            title = {"title": value["text_raw_title"]} if value.get("text_raw_title") else {}
            yield Sample(value["id"], {"text": value[column], **title, "set": _SET}, gold)

    def with_recording(self, path: Path, *, options: Mapping[str, Any]) -> System | None:
        """A submission; ``-M id=...``, ``-M exists=...`` and ``-M type=...`` name its fields if they differ."""
        if not path.is_file() or path.suffix != ".jsonl":
            return None
        first = next((value for _, value in json_lines(Source(path))), {})
        if (options.get("id") or SUBMISSION["id"]) not in first:
            return None
        check_options(options, SUBMISSION, "option of a submission:")
        return _Submission(path, {name: str(value) for name, value in options.items()})

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        """The scores over the texts with a known label."""
        found = [row for row in rows if row.gold is not None]
        return {
            "all": label_score(found),
            "exists": _exists(found),
            "type": _types([row for row in found if row.gold]),
            "detection": detection_score(found),
        }


def _gold(value: Mapping[str, Any], labels: Taxonomy, path: Path, line: int) -> list[str]:
    """The label of a text that somebody looked at; none where it has no fallacy."""
    exists, kind = value["fallacy_exists"], value.get("fallacy_type")
    where = f"text {value['id']!r:.60}:"
    if exists not in (0, 1):
        raise FormatError(f"{where} 'fallacy_exists' must be 0 or 1, got {exists!r:.40}", path=path, line=line)
    if not exists:
        return []
    if not isinstance(kind, str):
        said = f"'fallacy_type' must be a label of touche26, got {kind!r:.40}"
        raise FormatError(f"{where} {said}", path=path, line=line)
    try:
        return [labels.resolve(kind)]
    except UnknownNameError as error:
        raise FormatError(f"{where} {error}", path=path, line=line) from None


def _exists(rows: Iterable[Row]) -> Score:
    found = list(rows)
    gold = {row.id: "fallacy" if row.gold else NO_FALLACY for row in found}
    pred = {row.id: _said(row, "fallacy" if _labels(row) != [NO_FALLACY] else NO_FALLACY) for row in found}
    return Classification(labels=("fallacy", NO_FALLACY)).corpus_score(pred=pred, gold=gold)


def _types(rows: Iterable[Row]) -> Score:
    """Scores over texts with a fallacy; finding none is wrong unless a submission names a type anyway."""
    gold, pred = {}, {}
    for row in rows:
        labels = [row.prediction["type"]] if row.status == "ok" and row.prediction.get("type") else _labels(row)
        right = row.gold[0]
        gold[row.id] = right
        said = right if right in labels else (labels or [ANOTHER])[0]
        pred[row.id] = _said(row, ANOTHER if said == NO_FALLACY else said)
    return Classification(other=ANOTHER).corpus_score(pred=pred, gold=gold)


def _labels(row: Row) -> list[str]:
    return list(row.prediction["labels"]) if row.status == "ok" else []


def _said(row: Row, label: str) -> str | Unreadable | None:
    return label if row.status == "ok" else next(iter(row.unreadable), None)


def read_submission(path: str | Path, *, fields: Mapping[str, str] | None = None) -> dict[str, dict[str, Any]]:
    """The answers of a submission: a line of JSON for each text.

    Parameters
    ----------
    fields : a key of :data:`SUBMISSION` -> the field of the file that says it, where it is another.

    Returns
    -------
    dict
        id -> ``labels`` (one, or "no fallacy") and ``type`` (the type that was named, or None).

    Raises
    ------
    FormatError
        File and line, if a line has no id or no answer, an answer is no yes or no or an unknown type, or an id occurs
        twice.
    """
    names = {**SUBMISSION, **(fields or {})}
    labels = load_taxonomy("touche26")
    found: dict[str, dict[str, Any]] = {}
    for line, value in json_lines(Source(path)):
        id_, exists, kind = (value.get(names[name]) for name in SUBMISSION)
        if not isinstance(id_, str) or not id_:
            raise FormatError(f"each line must have the text {names['id']!r}, got {id_!r:.40}", path=path, line=line)
        if id_ in found:
            raise FormatError(f"each text must be answered once, got {id_!r:.60} twice", path=path, line=line)
        if exists not in (None, 0, 1) or (exists is None and names["type"] not in value):
            said = f"{names['exists']!r} must be 0 or 1, got {exists!r:.40}"
            raise FormatError(f"text {id_!r:.60}: {said}", path=path, line=line)
        if kind is not None:
            try:
                kind = labels.resolve(str(kind))
            except UnknownNameError as error:
                raise FormatError(f"text {id_!r:.60}: {error}", path=path, line=line) from None
        is_there = kind is not None if exists is None else bool(exists)
        found[id_] = {"labels": [(kind or ANOTHER) if is_there else NO_FALLACY], "type": kind}
    return found


def write_submission(rows: Iterable[Row], path: str | Path, *, fields: Mapping[str, str] | None = None) -> int:
    """Write the answers of a run's first epoch as a submission; texts without an answer are left out.

    Parameters
    ----------
    rows : of a run of ``touche``.
    fields : as in :func:`read_submission`.

    Examples
    --------
    >>> from fallax.runs.base import Row
    >>> row = Row(0, 0, "a", {"text": "x", "set": "touche26_fallacy"}, None, "ok", {"labels": ["natural"]})
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write_submission([row], Path(folder, "s.jsonl"))
    ...     print(Path(folder, "s.jsonl").read_text().strip())
    {"id": "a", "fallacy_exists": 1, "fallacy_type": "natural"}

    Returns
    -------
    int
        How many texts were left out.

    Raises
    ------
    InputError
        If the rows are of another benchmark, or ``fields`` names none of a submission's.
    """
    check_options(fields or {}, SUBMISSION, "field of a submission:")
    names = {**SUBMISSION, **(fields or {})}
    n_left_out = 0
    with open_out(path) as write:
        for row in rows:
            if row.input.get("set") != _SET:
                raise InputError(f"row {one_line(row.id, 60)!r}: must be of the benchmark 'touche', got another")
            if row.epoch or row.status != "ok":
                n_left_out += row.epoch == 0
                continue
            (label, *_) = _labels(row)
            is_there = label != NO_FALLACY
            said = {"id": row.id, "exists": int(is_there), "type": label if is_there and label != ANOTHER else None}
            write(json.dumps({names[name]: value for name, value in said.items()}, ensure_ascii=False) + "\n")
    return n_left_out
