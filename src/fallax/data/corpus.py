"""Reads and writes annotated texts and predictions in any format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, overload

from fallax.core.json_value import JsonValue
from fallax.core.types import Prediction, Record, Taxonomy
from fallax.data._detect import detect
from fallax.data._formats import FORMATS
from fallax.data._options import Format, Options
from fallax.data._rows import Builder, Loss, Mark, Offsets, OnBadSpan, Problem, RawRecord
from fallax.data._source import MAX_LINE_BYTES, Source
from fallax.errors import FormatError, InputError, UnknownNameError, one_line

__all__ = [
    "Corpus",
    "Predictions",
    "RecordStream",
    "convert",
    "detect_format",
    "iter_records",
    "losses_of",
    "read_corpus",
    "read_predictions",
    "write_corpus",
    "write_predictions",
]


@dataclass(frozen=True)
class Corpus(JsonValue, Sequence[Record]):
    """Records from one file or folder, with the problems found in it.

    Parameters
    ----------
    records : in the order of the file.
    path, format : where they come from and how they were read.
    problems : everything that was reported and did not stop the reading, in order.

    Examples
    --------
    >>> corpus = Corpus((Record("r1", "A text."),))
    >>> len(corpus), corpus[0].id, corpus.by_id["r1"].text
    (1, 'r1', 'A text.')
    """

    records: tuple[Record, ...]
    path: str = ""
    format: str = ""
    problems: tuple[Problem, ...] = ()

    json_names = ("path", "format", "records", "problems")

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Record, ...]: ...
    def __getitem__(self, at: int | slice) -> Record | tuple[Record, ...]:
        return self.records[at]

    @property
    def by_id(self) -> dict[str, Record]:
        """The records by their ids."""
        return {r.id: r for r in self.records}

    @property
    def n_kept_out(self) -> int:
        """The number of spans in the file that are missing from the records."""
        return sum(not p.kept for p in self.problems)


class Predictions(list[Prediction]):
    """A list of predictions with the problems of its file.

    Parameters
    ----------
    found : the predictions.
    problems : as those of :class:`Corpus`.
    kept_out : record -> the labels of its predicted spans that could not be used, for metrics to count as wrong. A span
        that was given twice is not among them.
    """

    def __init__(
        self,
        found: Iterable[Prediction] = (),
        *,
        problems: Sequence[Problem] = (),
        kept_out: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        super().__init__(found)
        self.problems = tuple(problems)
        self.kept_out = dict(kept_out or {})


@dataclass
class RecordStream(Iterator[Record]):
    """An iterator of records; ``problems`` grows while they are read."""

    format: str
    problems: list[Problem]
    _records: Iterator[Record] = field(repr=False)

    def __next__(self) -> Record:
        return next(self._records)


def detect_format(path: str | Path) -> str:
    """Detect the format of a file or folder from its content.

    Raises
    ------
    FormatError
        If nothing known fits; the message lists the formats.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.jsonl")
    ...     _ = path.write_text('{"text": "You lie.", "labels": [[0, 8, "ad hominem"]], "comments": []}')
    ...     detect_format(path)
    'mafalda'
    """
    return detect(Source(path))


def _options(
    taxonomy: str | Taxonomy | None,
    articles: str | Path | None,
    field: str | None,
    on_bad_span: OnBadSpan,
    max_line_bytes: int,
    annotation: int | None,
    offsets: Offsets,
) -> Options:
    if isinstance(taxonomy, str):
        from fallax.core.taxonomies import load_taxonomy  # loaded only where labels are to be resolved

        taxonomy = load_taxonomy(taxonomy)
    folder = Path(articles) if articles else None
    return Options(taxonomy, folder, field, on_bad_span, max_line_bytes, annotation, offsets)


def _format(name: str | None, source: Source, options: Options) -> Format:
    if name is None:
        name = "text" if options.field is not None else detect(source)
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS)
    found = FORMATS[name]
    if source.is_dir and not found.folder:
        raise InputError(f"{source.name}: format {name!r} must be one file, got a folder; name a file in it")
    return found


def _builder(source: Source, form: Format, options: Options) -> Builder:
    return Builder(
        source.name,
        taxonomy=options.taxonomy,
        on_bad_span=options.on_bad_span,
        own=form.own,
        not_labels=form.not_labels,
        repeats=form.repeats,
        offsets=options.offsets,
    )


def iter_records(
    path: str | Path,
    *,
    format: str | None = None,
    taxonomy: str | Taxonomy | None = None,
    articles: str | Path | None = None,
    field: str | None = None,
    on_bad_span: OnBadSpan = "raise",
    max_line_bytes: int = MAX_LINE_BYTES,
    annotation: int | None = None,
    offsets: Offsets = "code-point",
) -> RecordStream:
    """Read records one at a time; memory holds one record and all ids.

    Parameters and errors are those of :func:`read_corpus`; errors come when their line is reached.
    """
    options = _options(taxonomy, articles, field, on_bad_span, max_line_bytes, annotation, offsets)
    source = Source(path, max_line_bytes=max_line_bytes)
    form = _format(format, source, options)
    builder = _builder(source, form, options)
    return RecordStream(form.name, builder.problems, (builder.record(row) for row in form.rows(source, options)))


def read_corpus(
    path: str | Path,
    *,
    format: str | None = None,
    taxonomy: str | Taxonomy | None = None,
    articles: str | Path | None = None,
    field: str | None = None,
    on_bad_span: OnBadSpan = "raise",
    max_line_bytes: int = MAX_LINE_BYTES,
    annotation: int | None = None,
    offsets: Offsets = "code-point",
) -> Corpus:
    """Read annotated texts.

    Parameters
    ----------
    path : a file, a folder (formats ``propaganda``, ``brat``, ``text``), or ``-`` for standard input.
    format : a name of ``FORMATS``; by default told from the content.
    taxonomy : a taxonomy or its name; labels must resolve in it and get its spelling. By default labels stay as they
        are written.
    articles : the folder of article texts (format ``propaganda``); by default looked for beside the labels.
    field : the field of JSONL or column of CSV that holds the text (format ``text``).
    on_bad_span : what to do with a span that leaves its text, has no known label, stands there twice, or cannot be
        said here: ``"raise"``, or ``"report"``: keep it out and list it in ``problems``. It is never moved. (In
        ``mafalda`` and ``doccano`` a row that is given twice is only listed.)
    max_line_bytes : lines longer than this are refused.
    annotation : which of several annotations of a task to read, from 1 (format ``label-studio``).
    offsets : what the file's offsets count: ``"code-point"``, ``"utf-16"`` (tools in JavaScript or Java) or ``"utf-8"``
        (bytes). They become code points.

    Returns
    -------
    Corpus
        The records in file order, and the problems. A span that begins or ends inside a word or at white space is
        kept as it is and listed.

    Raises
    ------
    FormatError
        If the file is not in its format: ``path:line: what must hold, got what; what to do``.
    SpanError, UnknownNameError
        At the first bad span or unknown label, unless ``on_bad_span="report"``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.jsonl")
    ...     _ = path.write_text('{"text": "You lie.", "labels": [[0, 7, "ad hominem"], [0, 7, "nothing"]]}')
    ...     corpus = read_corpus(path, format="mafalda")
    >>> corpus[0].gold
    (GoldSpan(start=0, end=7, labels=('ad hominem', 'no fallacy')),)
    """
    stream = iter_records(
        path,
        format=format,
        taxonomy=taxonomy,
        articles=articles,
        field=field,
        on_bad_span=on_bad_span,
        max_line_bytes=max_line_bytes,
        annotation=annotation,
        offsets=offsets,
    )
    records = tuple(stream)
    return Corpus(records, Source(path).name, stream.format, tuple(stream.problems))


def read_predictions(
    path: str | Path,
    *,
    format: str | None = None,
    records: Iterable[Record] | None = None,
    taxonomy: str | Taxonomy | None = None,
    on_bad_span: OnBadSpan = "raise",
    max_line_bytes: int = MAX_LINE_BYTES,
    annotation: int | None = None,
    offsets: Offsets = "code-point",
    align: Literal["id", "text"] = "id",
    missing: Literal["error", "unscored"] = "error",
) -> Predictions:
    """Read the predictions of a system.

    Parameters
    ----------
    path, format, taxonomy, on_bad_span, max_line_bytes, annotation, offsets : as in :func:`read_corpus`.
    records : the texts that the predictions are about. Where they are given, ids must be theirs, offsets must lie
        inside their texts and a text repeated in the file must be equal to theirs. A record without a line in a
        ``propaganda`` file gets a prediction without spans (the format cannot say it otherwise); in other formats
        nothing is added.
    align : ``"text"`` finds the record of each prediction by its text instead of its id, for files of several people
        with ids of their own (MAFALDA's user study). The predictions get the ids of the records.
    missing : what to do with a text for which the file has no labels, not even an empty list, as doccano and Label
        Studio write it for texts that nobody annotated: ``"error"``, or ``"unscored"``: it gets no prediction.

    Returns
    -------
    Predictions
        A list in file order, with ``problems`` and ``kept_out``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "pred.tsv")
    ...     _ = path.write_text(chr(9).join(["7", "Doubt", "0", "5"]))
    ...     read_predictions(path)[0].spans
    (Span(start=0, end=5, label='Doubt', confidence=None),)
    """
    known = None if records is None else {r.id: r for r in records}
    options = replace(
        _options(taxonomy, None, None, on_bad_span, max_line_bytes, annotation, offsets),
        predictions=True,
        ids=None if known is None else tuple(known),
    )
    source = Source(path, max_line_bytes=max_line_bytes)
    form = _format(format, source, options)
    if form.name == "text":
        raise FormatError(
            "must hold predictions, got a text without any; name the format if it is one of the others",
            path=source.name,
        )
    builder = _builder(source, form, options)
    for name, value, choices in (("align", align, ["id", "text"]), ("missing", missing, ["error", "unscored"])):
        if value not in choices:
            raise UnknownNameError(name, value, choices)
    if align == "text" and known is None:
        raise InputError("align='text': the texts must be given, got none; pass records=")
    ids_of_texts: dict[str | None, list[str]] = {}
    for record in (known or {}).values():
        ids_of_texts.setdefault(record.text, []).append(record.id)
    found = []
    for row in form.rows(source, options):
        if not isinstance(row.id, str):
            got = one_line(repr(row.id), 40)
            raise FormatError(f"the id of a prediction must be a text, got {got}", path=source.name, line=row.line)
        where = source.name if row.line is None else f"{source.name}:{row.line}"
        same = ids_of_texts.get(row.text, [])
        if align == "text":
            row.id = _id_by_text(row, same, where, form.name)
        if known is not None and row.id not in known:
            if len(same) == 1:
                raise InputError(
                    f"{where}: the id must be that of a record, got {one_line(row.id, 60)!r} with the text of"
                    f" {one_line(same[0], 60)!r}; correct it, or find records by their texts: align='text'"
                )
            raise UnknownNameError("record", row.id, _some(known), where=where)
        if row.marks is None and missing == "unscored":
            builder.id_of(row)
        else:
            found.append(builder.prediction(row, None if known is None else known[row.id]))
    return Predictions(found, problems=builder.problems, kept_out=builder.kept_out)


def _id_by_text(row: RawRecord, same: Sequence[str], where: str, form: str) -> str:
    """The id of the only record with the text of a prediction, given the ids of all that have it."""
    if len(same) == 1:
        return same[0]
    if same:
        raise InputError(
            f"{where}: the texts of records {one_line(same[0], 60)!r} and {one_line(same[1], 60)!r} are the same, so"
            " align='text' cannot tell them apart; give predictions the ids of the records"
        )
    got = "another; check the file"
    if row.text is None:
        got = "none; write it into the line as 'text'"
        if form != "fallax":
            got = f"none, as the format {form} has no texts; use fallax with 'text', mafalda, doccano or label-studio"
    raise InputError(f"{where}: the text of {one_line(row.id, 60)!r} must be that of a record, got {got}")


def _some(known: Iterable[str], limit: int = 20) -> list[str]:
    names = list(known)
    return names if len(names) <= limit else [*names[:limit], f"and {len(names) - limit} more"]


def _record_row(record: Record) -> RawRecord:
    marks = None
    if record.gold is not None:
        marks = [Mark(g.start, g.end, label) for g in record.gold for label in g.labels]
    return RawRecord(record.id, record.text, marks, None, record.source, record.title, record.meta, origin=record)


def _prediction_row(prediction: Prediction, record: Record | None, losses: list[Loss], *, own: bool) -> RawRecord:
    p = prediction
    if not own:
        for name, value in (
            ("labels", p.labels),
            ("unreadable", p.unreadable),
            ("n_replies", p.n_replies),
            ("unscored", p.unscored),
            ("variant", "" if p.variant == "definition" else p.variant),
        ):
            if value or (name == "labels" and value is not None):
                losses.append(Loss(p.id, name, f"the field {name!r} of the prediction"))
    marks = [Mark(s.start, s.end, s.label, s.confidence) for s in p.spans]
    return RawRecord(p.id, None if record is None else record.text, marks, origin=p)


def _writer(format: str) -> Format:
    if format not in FORMATS:
        raise UnknownNameError("format", format, FORMATS)
    if FORMATS[format].write is None:
        known = [name for name, f in FORMATS.items() if f.write is not None]
        raise InputError(f"format {format!r} can only be read; write one of: {', '.join(known)}")
    return FORMATS[format]


def write_corpus(
    records: Iterable[Record], path: str | Path, *, format: str = "fallax", articles: str | Path | None = None
) -> list[Loss]:
    """Write records; the file appears only when it is complete.

    Parameters
    ----------
    records : what to write; read one at a time.
    path : a file (for ``brat`` a folder), or ``-`` for standard output.
    format : a name of ``FORMATS`` that can be written.
    articles : the folder that gets the texts (format ``propaganda``).

    Returns
    -------
    list of Loss
        Everything that the format cannot say and that was therefore not written.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan
    >>> gold = (GoldSpan(0, 7, ("ad hominem", "straw man")),)
    >>> write_corpus([Record("r1", "You lie.", gold)], "-", format="doccano")
    {"id": "r1", "text": "You lie.", "label": [[0, 7, "ad hominem"], [0, 7, "straw man"]]}
    []
    """
    form = _writer(format)
    losses: list[Loss] = []
    options = Options(articles=Path(articles) if articles else None)
    if form.write is not None:
        form.write(map(_record_row, _each_once(records)), path, options, losses)
    return losses


def _each_once(records: Iterable[Record]) -> Iterator[Record]:
    seen: set[str] = set()
    for record in records:
        if record.id in seen:
            raise InputError(f"record {record.id!r}: each id must be written once, got it again; rename one")
        seen.add(record.id)
        yield record


def write_predictions(
    predictions: Iterable[Prediction],
    path: str | Path,
    *,
    format: str = "fallax",
    records: Iterable[Record] | None = None,
) -> list[Loss]:
    """Write predictions; returns the losses of the format.

    ``records`` gives the texts, which all formats but ``fallax`` and ``propaganda`` repeat.

    Raises
    ------
    InputError
        If the format needs a text that ``records`` does not have.
    """
    form = _writer(format)
    known = {r.id: r for r in records or ()}
    losses: list[Loss] = []

    def rows() -> Iterator[RawRecord]:
        for p in predictions:
            record = known.get(p.id)
            if record is None and form.name not in ("fallax", "propaganda"):
                raise InputError(
                    f"record {p.id!r}: format {form.name!r} repeats the text, got no record of that id; pass records="
                )
            yield _prediction_row(p, record, losses, own=form.own)

    if form.write is not None:
        form.write(rows(), path, Options(predictions=True), losses)
    return losses


def losses_of(records: Iterable[Record], format: str, *, articles: bool = True) -> list[Loss]:
    """What a format would lose of ``records``; writes nothing.

    Examples
    --------
    >>> [str(loss) for loss in losses_of([Record("r1", "A text.", (), source="letters")], "propaganda")]
    ["record 'r1': the source 'letters'"]
    """
    import tempfile  # only needed here

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        return write_corpus(records, place / "out", format=format, articles=place / "articles" if articles else None)


def convert(
    path: str | Path,
    out: str | Path,
    *,
    to: str,
    format: str | None = None,
    taxonomy: str | Taxonomy | None = None,
    articles: str | Path | None = None,
    out_articles: str | Path | None = None,
    on_bad_span: OnBadSpan = "raise",
    offsets: Offsets = "code-point",
) -> tuple[list[Loss], list[Problem]]:
    """Convert a file to another format, record by record.

    Returns
    -------
    tuple
        What the target format cannot say, and the problems of the source.
    """
    stream = iter_records(
        path, format=format, taxonomy=taxonomy, articles=articles, on_bad_span=on_bad_span, offsets=offsets
    )
    losses = write_corpus(stream, out, format=to, articles=out_articles)
    return losses, stream.problems
