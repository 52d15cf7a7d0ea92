"""Reads annotations by several people from one or more files: spans in texts, or ratings of items."""

from __future__ import annotations

import itertools
import json
import re
import tempfile
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from fallax.annotation.values import first_infinite, missing_note, settled, value_of
from fallax.core.given import refuse_unread
from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import NO_FALLACY, Record
from fallax.core.whole import read_whole
from fallax.data import read_corpus
from fallax.data._csv import TABLES, csv_rows
from fallax.data._json_items import json_items
from fallax.data._jsonl import json_lines
from fallax.data._rows import OnBadSpan
from fallax.data._source import Source, parse_json
from fallax.errors import FormatError, InputError, UnknownNameError, one_line
from fallax.metrics.agreement import AnnotatedUnit, Continuum

__all__ = ["Annotations", "Columns", "ItemRating", "continua", "read_annotations", "read_ratings"]

#: Names of the columns (or keys) of a table of ratings, the first that is there.
ITEM = ("item", "item_id", "id", "record", "document", "doc_id", "unit", "question_id", "sample_id")
ANNOTATOR = ("annotator", "annotator_id", "coder", "rater", "worker", "user", "judge", "model", "system", "evaluator")
LABEL = ("label", "labels", "rating", "value", "verdict", "answer", "score", "code", "category")
TEXT = ("text", "sentence", "claim", "summary", "content")
#: Divides the labels of a set in one cell.
SET_SEPARATOR = "|"

#: Bytes of a log of Inspect AI once it is unpacked (256 MiB).
_MAX_UNPACKED = 256 << 20
#: What an annotated record may call the person.
_PERSON = ("annotator", "annotator_id", "user", "completed_by", "username", "coder")


@dataclass(frozen=True, slots=True)
class ItemRating:
    """One rating of an item.

    Parameters
    ----------
    item, annotator : who said it of what.
    value : a label, a number as a float, or a frozen set of labels; None for a missing rating.
    text : of the item, where the file has it.
    extra : other cells of the row.
    """

    item: str
    annotator: str
    value: Any
    text: str = ""
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of columns or keys that differ from the usual ones; "" to infer them from the header.

    Without a column of annotators, a table whose ``label`` is named is that of one annotator, called as its file.
    """

    item: str = ""
    annotator: str = ""
    label: str = ""


@dataclass(frozen=True)
class Annotations:
    """The annotations of several people.

    Parameters
    ----------
    records : annotator -> annotated texts, where spans were marked; else empty.
    ratings : annotator -> item -> value, where items were rated; else empty.
    texts : item -> its text, where known.
    sources : the files, for messages.
    problems : what was reported while reading and did not stop it.
    """

    records: Mapping[str, Sequence[Record]] = field(default_factory=dict)
    ratings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """``spans`` or ``ratings``."""
        return "spans" if self.records else "ratings"

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of the annotators, in file order."""
        return tuple(self.records or self.ratings)


def continua(records: Mapping[str, Sequence[Record]]) -> list[Continuum]:
    """One continuum per text with at least two annotators.

    A span whose only label is "no fallacy" is no unit; "no fallacy" beside others is dropped, so a span with
    alternatives is near to each of the fallacies.

    Raises
    ------
    InputError
        If there are fewer than two annotators, no text was annotated twice, or two of them had different texts of one
        id.
    """
    if len(records) < 2:
        got = ", ".join(map(repr, records)) or "none"
        raise InputError(f"agreement needs at least two annotators, got {got}; name a file of another one")
    units: dict[str, dict[str, list[AnnotatedUnit]]] = {}
    texts: dict[str, str] = {}
    for name, rows in records.items():
        for r in rows:
            if r.gold is None:
                continue
            if texts.setdefault(r.id, r.text) != r.text:
                raise InputError(
                    f"record {one_line(r.id, 60)!r}: all annotators must have annotated the same text,"
                    f" that of {one_line(name, 40)!r} is another, {differing(texts[r.id], r.text)}; leave out or"
                    " annotate again what was edited"
                )
            units.setdefault(r.id, {})[name] = [
                AnnotatedUnit(g.start, g.end, labels)
                for g in r.gold
                if (labels := tuple(x for x in g.labels if x != NO_FALLACY))
            ]
    found = [Continuum(own, len(texts[i]), i) for i, own in units.items() if len(own) > 1]
    if not found:
        raise InputError(
            "agreement needs texts that at least two annotators annotated, got none; are the ids the same?"
        )
    return found


def differing(text: str, other: str) -> str:
    """Where a text differs from another, for messages.

    Examples
    --------
    >>> differing("I asked at four doors.", "I asked at five doors.")
    "got 'ive doors.' instead of 'our doors.' from character 12 on"
    """
    at = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    got, wanted = (repr(one_line(x[at : at + 24])) for x in (other, text))
    return f"got {got} instead of {wanted} from character {at} on"


def read_annotations(
    paths: Iterable[str | Path],
    *,
    format: str | None = None,
    taxonomy: str | None = None,
    on_bad_span: OnBadSpan = "raise",
    columns: Columns | None = None,
) -> Annotations:
    """Read annotations.

    Parameters
    ----------
    paths : a project of ``fallax annotate`` (.sqlite); a file (or folder) for each annotator, named by its stem; or
        files that name the annotator of each row:
        tables (CSV, TSV, JSONL) with the columns item, annotator and label; annotated texts in JSONL with ``annotator``
        (or in ``meta``); Label Studio with ``completed_by``; logs of Inspect AI, where a scorer of a model is an
        annotator.
    format, taxonomy, on_bad_span : as in :func:`fallax.data.read_corpus`.
    columns : of tables; refused where no file is one.

    Raises
    ------
    InputError
        If files of spans and tables of ratings are mixed, one annotator annotated an item twice, or a rating is a
        number of 1e150 or more.
    """
    found_records: dict[str, list[Record]] = {}
    ratings: dict[str, dict[str, Any]] = {}
    texts: dict[str, str] = {}
    problems: list[str] = []
    names = [Path(p) for p in paths]
    if not names:
        raise InputError("files of annotators: at least one must be given, got none")
    for path in names:
        if path.suffix == ".sqlite":
            project = _project(path)
            for person, annotated in project.records.items():
                if taxonomy is not None:
                    _check_labels(annotated, taxonomy, f"{path}: {one_line(person, 40)!r}")
                found_records.setdefault(person, []).extend(annotated)
            for person, values in project.ratings.items():
                for item, value in values.items():
                    _rate(ratings, path, person, item, value)
            continue
        rows = None if format is not None else _ratings_in(path, columns)
        if rows is not None:
            note_missing(path, rows, problems)
            for rating in rows:
                if rating.value is None:
                    continue
                _rate(ratings, path, rating.annotator, rating.item, rating.value)
                if rating.text:
                    texts[rating.item] = rating.text
            continue
        for person, records, found in _annotated(path, names, format, taxonomy, on_bad_span):
            found_records.setdefault(person, []).extend(records)
            problems.extend(found)
    if found_records and ratings:
        raise InputError(
            "files of annotators: must all hold spans or all hold ratings, got both; compare them separately"
        )
    if found_records and columns is not None:
        refuse_unread([name for name, column in asdict(columns).items() if column], "needs a table of ratings")
    _align_texts(found_records, problems)
    for person, records in found_records.items():
        twice = [i for i, n in Counter(r.id for r in records).items() if n > 1]
        if twice:
            raise InputError(
                f"{one_line(person, 40)!r} must annotate a text once, got {one_line(twice[0], 60)!r} again; give each"
                " annotator a name of their own"
            )
        texts.update((r.id, r.text) for r in records)
    return Annotations(found_records, ratings, texts, tuple(map(str, names)), tuple(problems))


def _check_labels(records: Iterable[Record], taxonomy: str, where: str) -> None:
    """Raise UnknownNameError if a label is not of the label set."""
    for r in records:
        for label in sorted({x for g in r.gold or () for x in g.labels} - {NO_FALLACY}):
            load_taxonomy(taxonomy).resolve(label, where=f"{where}, record {one_line(r.id, 60)!r}")


def _rate(ratings: dict[str, dict[str, Any]], path: Path, person: str, item: str, value: Any) -> None:
    """Keep a rating; an error if its annotator has rated the item before."""
    given = ratings.setdefault(person, {})
    if item in given:
        raise InputError(
            f"{path}: {one_line(person, 40)!r} must rate an item once, got {one_line(item, 60)!r} again; give each"
            " annotator a name of their own, and for repeated verdicts of one use fallax calibrate"
        )
    given[item] = value


def _project(path: Path) -> Annotations:
    """Read a project of fallax; see :mod:`fallax.annotation.store`."""
    from fallax.annotation.project import annotations_of
    from fallax.annotation.store import AnnotationStore

    if not path.is_file():
        raise InputError(f"{path}: must be an annotation project, found no file")
    store = AnnotationStore(path, read_only=True)
    try:
        return annotations_of(store)
    finally:
        store.close()


def _align_texts(records: dict[str, list[Record]], problems: list[str]) -> None:
    """Give equal texts equal ids if the files share none, since some tools number each person's texts."""
    people = [{(r.id, r.text) for r in rows} for rows in records.values()]
    if len(people) < 2 or any(not a.isdisjoint(b) for a, b in itertools.combinations(people, 2)):
        return
    first: dict[str, str] = {}
    for name, rows in records.items():
        own = {r.text for r in rows}
        if len(own) < len(rows):
            return
        records[name] = [
            replace(r, id=first.setdefault(r.text, f"{name}/{r.id}" if name != next(iter(records)) else r.id))
            for r in rows
        ]
    problems.append("the files share no ids: texts were matched by their words and have the ids of the first file")


def note_missing(path: str | Path, rows: Sequence[ItemRating], problems: list[str]) -> None:
    """Report how many ratings of a file are missing."""
    n_missing = sum(r.value is None for r in rows)
    if n_missing:
        problems.append(f"{path}: {missing_note(n_missing, len(rows))}")


def read_ratings(
    path: str | Path, *, columns: Columns | None = None, problems: list[str] | None = None
) -> list[ItemRating]:
    """The rows of a table of ratings, repeated verdicts included; see :func:`read_annotations`.

    Parameters
    ----------
    path, columns : of the table.
    problems : gets a line if ratings are missing; their rows are left out.

    Raises
    ------
    FormatError
        If it is no table with an item, an annotator and a label, or a number is 1e150 or more.
    """
    rows = _ratings_in(Path(path), columns)
    if rows is None:
        raise FormatError(
            "must be a table with the columns item, annotator and label, a log of Inspect AI, or a run folder",
            path=path,
        )
    note_missing(path, rows, [] if problems is None else problems)
    return [r for r in rows if r.value is not None]


def _ratings_in(path: Path, columns: Columns | None) -> list[ItemRating] | None:
    """The ratings of a file, those that are missing with the value None; or None if it is no file of ratings."""
    if path.is_dir():
        return None
    source = Source(path)
    suffix = path.suffix.lower()
    if suffix in TABLES:
        rows = list(csv_rows(source))
        if not rows:
            raise FormatError("must have ratings below its header, got no row", path=path)
        keys = _keys(rows[0][1], columns)
        if keys is None:
            got = ", ".join(rows[0][1])
            raise FormatError(
                f"must have one row for each rating, with the columns item, annotator and label, got {one_line(got)};"
                " name them with --item, --annotator and --label (in Python item, annotator and label)",
                path=path,
            )
        return _settled([_rating(row, keys, path, line) for line, row in rows], path, [line for line, _ in rows])
    if suffix == ".eval":
        return _inspect_archive(path)
    head = source.head().lstrip()
    if suffix == ".json" and head[:1] == b"{" and b'"eval"' in head:
        return _inspect_rows(parse_json(read_whole(path), name=str(path), line=1), path)
    if suffix == ".json" and head[:1] == b"[" and b'"data"' in head:
        return _label_studio(path)
    if suffix == ".jsonl" and head[:1] == b"{":
        first = next(iter(json_lines(source)))[1]
        keys = _keys(first, columns)
        if (
            keys is not None
            and not {"gold", "spans", "start"} & set(first)
            and not isinstance(first.get("labels"), list)
        ):
            read = [(line, _rating(row, keys, path, line)) for line, row in json_lines(Source(path))]
            return _settled([r for _, r in read], path, [line for line, _ in read])
    return None


def _keys(row: Mapping[str, Any], columns: Columns | None) -> tuple[str, str, str] | None:
    """The columns of item, annotator ("" for the file name) and label; None if there are none."""
    lower = {k.strip().lower(): k for k in row}
    asked = columns or Columns()
    found = []
    for names, name in ((ITEM, asked.item), (ANNOTATOR, asked.annotator), (LABEL, asked.label)):
        key = name if name in row else lower.get(name.lower()) if name else None
        if name and key is None:
            raise UnknownNameError("column", name, row)
        found.append(key if name else next((lower[n] for n in names if n in lower), None))
    item, annotator, label = found
    if item is None or label is None or (annotator is None and not asked.label):
        return None
    return item, annotator or "", label


def _rating(row: Mapping[str, Any], keys: tuple[str, str, str], path: Path, line: int) -> ItemRating:
    item, label = row.get(keys[0]), row.get(keys[2])
    annotator = row.get(keys[1]) if keys[1] else path.stem
    for key, value in zip(keys[:2], (item, annotator), strict=True):
        if value is None or str(value).strip() == "":
            raise FormatError(f"{key!r} must be given, got nothing", path=path, line=line)
    text = next((str(row[k]) for k in TEXT if row.get(k)), "")
    rest = {k: str(v) for k, v in row.items() if k not in keys and v is not None}
    return ItemRating(str(item).strip(), _name(annotator), _value(label, path, line), text, rest)


def _name(annotator: object) -> str:
    """The name of an annotator, the same for all ways to write it that look the same."""
    return unicodedata.normalize("NFC", str(annotator).strip())


def _value(label: object, path: Path, line: int | None = None) -> Any:
    """Parse a cell: nothing, a set of values, or a word."""
    try:
        value = value_of(label)
    except InputError as error:
        raise FormatError(str(error), path=path, line=line) from None
    if isinstance(value, str) and SET_SEPARATOR in value:
        return frozenset(x.strip() for x in value.split(SET_SEPARATOR) if x.strip())
    return value


def _settled(rows: list[ItemRating], path: Path, lines: Sequence[int] = ()) -> list[ItemRating]:
    """The ratings of one file with their values settled together."""
    values = settled([r.value for r in rows])
    bad = first_infinite(values)
    if bad is not None:
        raise FormatError(
            f"item {one_line(rows[bad].item, 40)!r}: a number must be within ±1e150, got {rows[bad].value}; leave the"
            " cell empty if the rating is missing",
            path=path,
            line=lines[bad] if lines else None,
        )
    return [replace(r, value=v) for r, v in zip(rows, values, strict=True)]


def _inspect_archive(path: Path) -> list[ItemRating]:
    """The samples of an ``.eval`` log, which is a ZIP of JSON files."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if sum(info.file_size for info in archive.infolist()) > _MAX_UNPACKED:
                raise ValueError(f"more than {_MAX_UNPACKED >> 20} MiB")
            header = json.loads(archive.read("header.json")) if "header.json" in names else {}
            if not isinstance(header, dict):
                raise ValueError("a header that is no object")
            log = header | {
                "samples": [
                    json.loads(archive.read(n))
                    for n in sorted(names)
                    if n.startswith("samples/") and n.endswith(".json")
                ]
            }
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError) as error:
        raise FormatError(
            f"must be a log of Inspect AI that can be opened here, got {one_line(error)}; turn it into JSON with"
            " inspect log convert --to json",
            path=path,
        ) from error
    return _inspect_rows(log, path)


def _inspect_rows(log: Any, path: Path) -> list[ItemRating]:
    """A rating for each score of each sample: who is the scorer, of the model where there are several epochs."""
    if not isinstance(log, dict) or not isinstance(log.get("samples"), list):
        raise FormatError("must be a log of Inspect AI with its samples, got none", path=path)
    about = log.get("eval")
    model = str(about.get("model", "")) if isinstance(about, dict) else ""
    found = []
    for sample in log["samples"]:
        if not isinstance(sample, dict) or not isinstance(scores := sample.get("scores") or {}, dict):
            raise FormatError("each sample must be an object with its scores, got another value", path=path)
        for scorer, score in scores.items():
            value = score.get("value") if isinstance(score, dict) else None
            if isinstance(value, dict | list) or value is None:
                continue
            who = f"{model}/{scorer}" if model else scorer
            text = sample.get("input")
            extra = {"repeat": str(sample.get("epoch", 1))}
            found.append(
                ItemRating(
                    str(sample.get("id")), who, _value(value, path), text if isinstance(text, str) else "", extra
                )
            )
    if not found:
        raise FormatError("must have samples with scores, got none; score the log first", path=path)
    return _settled(found, path)


def _listed(holder: Mapping[str, Any], name: str, path: Path) -> list[Any]:
    """What a name holds; nothing where it is left out."""
    found = holder.get(name) or []
    if not isinstance(found, list):
        raise FormatError(f"{name} must be a list, got {one_line(repr(found), 40)}", path=path)
    return found


def _label_studio(path: Path) -> list[ItemRating] | None:
    """Choices and ratings of whole tasks in a Label Studio export; None if it has none.

    A prediction is a rating by its ``model_version``, an annotation one by ``completed_by``.
    """
    tasks = parse_json(read_whole(path), name=str(path), line=1)
    found = []
    for n, task in enumerate(tasks if isinstance(tasks, list) else [], start=1):
        if not isinstance(task, dict):
            continue
        data: dict[str, Any] = found_data if isinstance(found_data := task.get("data"), dict) else {}
        item = str(data.get("id", task.get("id", n)))
        text = next((str(data[k]) for k in TEXT if isinstance(data.get(k), str)), "")
        for kind in ("annotations", "predictions"):
            for one in _listed(task, kind, path):
                if not isinstance(one, dict) or one.get("was_cancelled"):
                    continue
                who = _person(one) or str(one.get("model_version") or kind.rstrip("s"))
                for result in _listed(one, "result", path):
                    value = result.get("value") if isinstance(result, dict) else None
                    if not isinstance(value, dict) or "start" in value:
                        continue
                    label = value.get("choices") or value.get("rating")
                    if label is not None:
                        one_label = label[0] if isinstance(label, list) and len(label) == 1 else label
                        found.append(ItemRating(item, who, _value(one_label, path), text))
    return _settled(found, path) or None


def _annotated(
    path: Path, paths: Sequence[Path], format: str | None, taxonomy: str | None, on_bad_span: OnBadSpan
) -> Iterator[tuple[str, Sequence[Record], list[str]]]:
    """Annotator, records, problems of each annotator of a file of annotated texts."""
    options: dict[str, Any] = {"taxonomy": taxonomy, "on_bad_span": on_bad_span}
    people = None if path.is_dir() else _people(path)
    if people is None:
        corpus = read_corpus(path, format=format, **options)
        stems = [p.stem for p in paths]
        name = _name(path.stem if stems.count(path.stem) == 1 else path)
        yield name, corpus.records, [str(p) for p in corpus.problems]
        return
    with tempfile.TemporaryDirectory() as folder:
        for i, (person, rows) in enumerate(people.items()):
            part = Path(folder, f"{i}{path.suffix}")
            begin, between, end = ("[", ",\n", "]") if path.suffix.lower() == ".json" else ("", "\n", "\n")
            part.write_text(begin + between.join(row.text for row in rows) + end, encoding="utf-8")
            try:
                corpus = read_corpus(part, format=format, **options)
            except InputError as error:
                raise InputError(_placed(str(error), part, path, rows, f", annotator {person!r}")) from None
            yield person, corpus.records, [_placed(str(p), part, path, rows) for p in corpus.problems]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row or task of one annotator (JSON in one line), its line in the file of all, and its place among all."""

    line: int
    number: int
    text: str


def _placed(said: str, part: Path, path: Path, rows: Sequence[_Row], of: str = "") -> str:
    """A message about the rows of one annotator, with the place in the file of all."""

    def placed(match: re.Match[str]) -> str:
        row = rows[int(match[1]) - 1]
        return f"{path}:{row.line}{of}" + (f": task {row.number}" if match[2] else "")

    said = re.sub(rf"{re.escape(str(part))}:(\d+)(: task \d+)?", placed, said)
    return said.replace(str(part), f"{path}{of}")


def _people(path: Path) -> dict[str, list[_Row]] | None:
    """Annotator -> what that person annotated, for a file of several; None for a file of one."""
    head = Source(path).head().lstrip()
    if path.suffix.lower() == ".jsonl" and head[:1] == b"{":
        found: dict[str, list[_Row]] = {}
        for number, (line, row) in enumerate(json_lines(Source(path)), start=1):
            person = _person(row)
            if person is None:
                if found:
                    raise FormatError(
                        "every row must name its annotator, or none, got one without", path=path, line=line
                    )
                return None
            found.setdefault(person, []).append(_Row(line, number, json.dumps(row)))
        return found
    if path.suffix.lower() == ".json" and head[:1] == b"[":
        own: dict[str, list[_Row]] = {}
        for number, (line, task) in enumerate(json_items(Source(path)), start=1):
            for annotation in _listed(task, "annotations", path) if isinstance(task, dict) else []:
                person = _person(annotation) if isinstance(annotation, dict) else None
                if person is None:
                    return None
                if not annotation.get("was_cancelled"):
                    # a task without an id is known by its place among all
                    alone = {"id": number, **task, "annotations": [annotation], "predictions": []}
                    own.setdefault(person, []).append(_Row(line, number, json.dumps(alone)))
        return own or None
    return None


def _person(row: Mapping[str, Any]) -> str | None:
    for holder in (row, row.get("meta")):
        if isinstance(holder, Mapping):
            for key in _PERSON:
                value = holder.get(key)
                if isinstance(value, Mapping):
                    value = value.get("email") or value.get("username") or value.get("id")
                if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
                    return _name(value)
    return None
