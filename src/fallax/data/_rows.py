"""Shared code of all readers: raw rows, their validation into records, and the problems found."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fallax.core.json_value import JsonValue
from fallax.core.types import NO_FALLACY, GoldSpan, Prediction, Record, Span, Taxonomy, Unreadable
from fallax.errors import FormatError, InputError, SpanError, UnknownNameError, one_line

__all__ = ["Builder", "Loss", "Mark", "Offsets", "OnBadSpan", "Problem", "RawRecord", "extends", "is_no_fallacy"]

OnBadSpan = Literal["raise", "report"]
#: What the offsets of a file count: Unicode code points, UTF-16 units (JavaScript, Java), or UTF-8 bytes.
Offsets = Literal["code-point", "utf-16", "utf-8"]


@dataclass(frozen=True, slots=True)
class Problem(JsonValue):
    """A problem in a file that did not stop the reading.

    Parameters
    ----------
    path, line : where (line None: the whole file).
    record : the record's id.
    kind : "past-end", "bad-offsets", "unknown-label", "duplicate-span", "not-a-label", "cut-word", "white-space",
        "text-differs", "unsupported", "no-fallacy" or "no-text".
    message : what must hold, what was found.
    kept : True where the span is in the records all the same; False where it was kept out.
    """

    path: str
    line: int | None
    record: str
    kind: str
    message: str
    kept: bool

    @property
    def loses_span(self) -> bool:
        """Whether a passage that somebody marked is missing from the record."""
        return not self.kept and self.kind in ("past-end", "bad-offsets", "unknown-label", "text-differs")

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.message} ({'kept' if self.kept else 'kept out'})"


@dataclass(frozen=True, slots=True)
class Loss(JsonValue):
    """Information that a format cannot represent and that was therefore not written.

    Parameters
    ----------
    record : the record's id ("" for the whole file).
    kind : a short name, the same for all losses of one sort.
    message : what was lost, in words.
    """

    record: str
    kind: str
    message: str

    def __str__(self) -> str:
        return f"record {self.record!r}: {self.message}" if self.record else self.message


def put_about(row: RawRecord, to: dict[str, Any], reserved: Collection[str], losses: list[Loss]) -> None:
    """Copy source, title and ``meta`` of a row into a mapping; reserved names in ``meta`` are lost."""
    for name in ("source", "title"):
        if getattr(row, name):
            to[name] = getattr(row, name)
    for name, value in row.meta.items():
        if name in reserved:
            losses.append(Loss(row.id, "meta", f"meta {name!r}: the format has a field of that name"))
        else:
            to[name] = value


@dataclass(slots=True)
class Mark:
    """One label on one passage as a file gives it, not yet validated.

    ``shown`` is the passage as the file repeats it, where it does; ``line`` where the mark has a line of its own;
    ``more`` holds what else a predicted span has, as :class:`~fallax.core.types.Span` names it.
    """

    start: Any
    end: Any
    label: Any
    confidence: Any = None
    line: int | None = None
    shown: str | None = None
    path: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class RawRecord:
    """One text with its marks, as a file gives it.

    ``marks`` is None where the text is not annotated; ``text`` is None where the file holds predictions alone.
    ``origin`` is the value that a row to be written was made from. ``unsupported`` holds what a record cannot say:
    whether it is a passage, its line, and a message.
    """

    id: Any
    text: Any
    marks: list[Mark] | None
    line: int | None = None
    source: str = ""
    title: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    origin: Record | Prediction | None = None
    path: str | None = None
    unsupported: list[tuple[bool, int | None, str]] = field(default_factory=list)


_NO_FALLACY_KEYS = frozenset({"no fallacy", "nothing"})


def is_no_fallacy(label: str) -> bool:
    """True for the names that annotation files use for "no fallacy".

    Examples
    --------
    >>> is_no_fallacy("nothing"), is_no_fallacy("No_Fallacy"), is_no_fallacy("false analogy")
    (True, True, False)
    """
    return label == NO_FALLACY or re.sub(r"[\W_]+", " ", label.casefold()).strip() in _NO_FALLACY_KEYS


def _unspaced(char: str) -> bool:
    """Scripts written without spaces between words, where a span may begin anywhere."""
    o = ord(char)
    return (
        0x0E00 <= o <= 0x0EFF or 0x1000 <= o <= 0x109F or 0x1780 <= o <= 0x17FF or 0x2E80 <= o <= 0xDFFF or o > 0x1FFFF
    )


def extends(char: str) -> bool:
    """Characters that combine with the previous one: combining marks, joiners, skin tones."""
    return unicodedata.category(char)[0] == "M" or char == "\u200d" or "\U0001f3fb" <= char <= "\U0001f3ff"


def _cuts(text: str, at: int) -> bool:
    """True if position ``at`` is inside a word, a character with its marks, or a CRLF."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if extends(after) or before == "\u200d" or (before, after) == ("\r", "\n"):
        return True
    return before.isalnum() and after.isalnum() and not (_unspaced(before) or _unspaced(after))


def _places(text: str, offsets: Offsets) -> dict[int, int]:
    """Map offsets in other units to code points, for every position between two characters."""
    found = {0: 0}
    at = 0
    for i, char in enumerate(text, start=1):
        at += len(char.encode("utf-16-le" if offsets == "utf-16" else "utf-8", "surrogatepass"))
        found[at // 2 if offsets == "utf-16" else at] = i
    return found


def _repeats(shown: str, found: str) -> bool:
    """True if a file's passage matches its text; some editors write line breaks as backslash and n."""
    return found in (shown, shown.replace("\\n", "\n"))


class Builder:
    """Converts rows into validated records or predictions.

    Parameters
    ----------
    name : the file, for messages.
    taxonomy : labels must resolve in it and are kept in its spelling; None keeps labels as they stand.
    on_bad_span : "raise" stops at a span that cannot be used; "report" keeps it out and lists it.
    own : True for fallax's own format, where only ``"no fallacy"`` says "no fallacy".
    not_labels : lower-case names that stand where a label stands but are none; always kept out and listed.
    repeats : a row that says again what another has said is listed, and never stops the reading.
    offsets : what the offsets of the file count; they become code points.
    """

    def __init__(
        self,
        name: str,
        *,
        taxonomy: Taxonomy | None,
        on_bad_span: OnBadSpan,
        own: bool = False,
        not_labels: frozenset[str] = frozenset(),
        repeats: bool = False,
        offsets: Offsets = "code-point",
    ) -> None:
        if on_bad_span not in ("raise", "report"):
            raise UnknownNameError("on_bad_span", on_bad_span, ["raise", "report"])
        if offsets not in ("code-point", "utf-16", "utf-8"):
            raise UnknownNameError("offsets", offsets, ["code-point", "utf-16", "utf-8"])
        self.offsets = offsets
        self.name = name
        self.taxonomy = taxonomy
        self.on_bad_span = on_bad_span
        self.own = own
        self.not_labels = not_labels
        self.repeats = repeats
        self.problems: list[Problem] = []
        #: record -> the labels of the spans that could not be used; a span given twice is not among them
        self.kept_out: dict[str, list[str]] = {}
        self._ids: dict[str, int | None] = {}
        self._labels: dict[str, str] = {}

    def id_of(self, row: RawRecord) -> str:
        """The validated id of a row: not empty, and unique."""
        if type(row.id) is not str or not row.id:
            raise self._error(row, f"the id must be a text of at least one character, got {one_line(repr(row.id), 40)}")
        if row.id in self._ids:
            first = self._ids[row.id]
            where = f" (first in line {first})" if first is not None else ""
            raise self._error(row, f"each id must be given once, got {one_line(row.id, 60)!r} again{where}; rename one")
        self._ids[row.id] = row.line
        return row.id

    def record(self, row: RawRecord) -> Record:
        """The row as a record."""
        id_ = self.id_of(row)
        if type(row.text) is not str:
            raise self._error(row, f"record {id_!r}: the text must be a string, got {one_line(repr(row.text), 40)}")
        gold = None
        if row.marks is not None:
            grouped: dict[tuple[int, int], list[str]] = {}
            if any(m.confidence is not None for m in row.marks):
                self.report(row, "unsupported", f"record {id_!r}: gold has no confidence, which is left out", kept=True)
            for mark, label in self._good(row, row.text, id_, allow_none=True):
                grouped.setdefault((mark.start, mark.end), []).append(label)
            gold = tuple(GoldSpan(s, e, tuple(labels)) for (s, e), labels in grouped.items())
        for what, value in (("source", row.source), ("title", row.title)):
            if type(value) is not str:
                raise self._error(row, f"record {id_!r}: {what} must be a string, got {one_line(repr(value), 40)}")
        return Record(id_, row.text, gold, row.source, row.title, row.meta)

    def prediction(self, row: RawRecord, record: Record | None) -> Prediction:
        """The row as a prediction; ``record`` is its text, if known."""
        id_ = self.id_of(row)
        if row.marks is None:
            raise self._error(
                row,
                f"record {id_!r}: must have predictions (an empty list for none), got no labels at all; correct it, or"
                " leave it out of the score with missing='unscored'",
            )
        text = row.text if record is None else record.text
        if record is not None and row.text is not None and row.text != record.text:
            at = next(
                (i for i, (a, b) in enumerate(zip(row.text, record.text, strict=False)) if a != b),
                min(len(row.text), len(record.text)),
            )
            raise self._error(
                row,
                f"record {id_!r}: the text must be the one that was annotated, got another from character {at} on;"
                " offsets would not fit: predict on the same file",
            )
        spans = tuple(
            Span(m.start, m.end, label, m.confidence, **m.more)
            for m, label in self._good(row, text, id_, allow_none=False)
        )
        e = row.extra
        labels = e.get("labels")
        where = f"{self._at(row)}: record {id_!r}"
        wrong = f"record {id_!r}: must be a prediction, got a wrong field"
        try:
            unreadable = tuple(Unreadable.from_dict(u) for u in e.get("unreadable", ()))
        except (TypeError, InputError) as error:
            raise self._error(row, f"{wrong} ({error})") from None
        try:
            return Prediction(
                id_,
                spans,
                None if labels is None else frozenset(self._label(row, x, where) for x in labels),
                unreadable,
                e.get("n_replies", 0),
                e.get("unscored", ""),
                e.get("variant", "definition"),
            )
        except (TypeError, KeyError, AttributeError) as error:
            raise self._error(row, f"{wrong} ({error})") from error

    def report(self, row: RawRecord, kind: str, message: str, *, mark: Mark | None = None, kept: bool) -> None:
        """Add a problem to the list."""
        path, line = self._place(row, mark)
        self.problems.append(Problem(path, line, str(row.id), kind, message, kept))

    def bad(self, row: RawRecord, kind: str, message: str, *, mark: Mark | None = None) -> None:
        """Handle a span that cannot be used: raise or report, as the options say."""
        if self.on_bad_span == "raise":
            raise SpanError(
                f"{self._at(row, mark)}: {message}; correct it, or have it kept out and listed: on_bad_span='report'"
            )
        self.report(row, kind, message, mark=mark, kept=False)
        if kind != "duplicate-span":
            self._keep_out(row, mark)

    def _keep_out(self, row: RawRecord, mark: Mark | None) -> None:
        label = mark.label if mark is not None and type(mark.label) is str else ""
        if label != NO_FALLACY and self._labels.get(label) != NO_FALLACY:
            self.kept_out.setdefault(str(row.id), []).append(self._labels.get(label, label.strip()) or "unknown")

    def _good(self, row: RawRecord, text: str | None, id_: str, *, allow_none: bool) -> Iterator[tuple[Mark, str]]:
        seen: set[tuple[int, int, str]] = set()
        places: set[tuple[int, int]] = set()
        for is_span, line, message in row.unsupported:
            place = Mark(0, 0, "", line=line)
            if is_span:
                self.bad(row, "unsupported", f"record {id_!r}: {message}", mark=place)
            else:
                self.report(row, "unsupported", f"record {id_!r}: {message}", mark=place, kept=False)
        may_repeat = row.extra.get("variant", "definition") != "definition"
        places_of = None
        if self.offsets != "code-point" and row.marks:
            if text is None:
                raise self._error(row, f"offsets={self.offsets!r}: the texts must be given, got none; pass records=")
            places_of = _places(text, self.offsets)
        for i, mark in enumerate(row.marks or (), start=1):
            what = f"record {id_!r}, span {i}"
            if places_of is not None and not self._counted_again(row, mark, places_of, what):
                continue
            label = self._checked_label(row, mark, what)
            if label is None or not self._offsets_ok(row, mark, text, what):
                continue
            if label == NO_FALLACY and not allow_none:
                self.report(
                    row, "no-fallacy", f"{what}: says 'no fallacy', which predicts nothing", mark=mark, kept=False
                )
                continue
            key = (mark.start, mark.end, label)
            if key in seen and not may_repeat:
                got = f"got {label!r} at {mark.start}..{mark.end} again"
                again = f"{what}: each label must be given once per passage, {got}"
                if self.repeats:
                    self.report(row, "duplicate-span", again, mark=mark, kept=False)
                else:
                    self.bad(row, "duplicate-span", again, mark=mark)
                continue
            seen.add(key)
            c = mark.confidence
            if c is not None and not (type(c) in (int, float) and 0 <= c <= 1):
                raise self._error(row, f"{what}: confidence must be in [0, 1], got {one_line(repr(c), 40)}", mark)
            if text is not None and row.meta.get("granularity") != "text" and (mark.start, mark.end) not in places:
                self._boundaries(row, mark, text, what)
            places.add((mark.start, mark.end))
            yield mark, label

    def _checked_label(self, row: RawRecord, mark: Mark, what: str) -> str | None:
        if type(mark.label) is not str or not mark.label.strip():
            self.bad(
                row, "unknown-label", f"{what}: must have a label, got {one_line(repr(mark.label), 40)}", mark=mark
            )
            return None
        if mark.label.strip().casefold() in self.not_labels:
            self.report(
                row, "not-a-label", f"{what}: {mark.label!r} is an annotator's note, no label", mark=mark, kept=False
            )
            return None
        place = self._at(row, mark)
        try:
            return self._label(row, mark.label, f"{place}: {what}")
        except UnknownNameError as error:
            if self.on_bad_span == "raise":
                raise
            self.report(row, "unknown-label", str(error).removeprefix(f"{place}: "), mark=mark, kept=False)
            self._keep_out(row, mark)
            return None

    def _label(self, row: RawRecord, label: object, where: str) -> str:
        if type(label) is not str:
            raise self._error(row, f"a label must be a string, got {one_line(repr(label), 40)}")
        known = self._labels.get(label)
        if known is None:
            if label == NO_FALLACY or (not self.own and is_no_fallacy(label)):
                known = NO_FALLACY
            elif self.taxonomy is None:
                known = label
            else:
                known = self.taxonomy.resolve(label, where=where)
            self._labels[label] = known
        return known

    def _offsets_ok(self, row: RawRecord, mark: Mark, text: str | None, what: str) -> bool:
        start, end = mark.start, mark.end
        got = f"{one_line(repr(start), 20)}..{one_line(repr(end), 20)}"
        if type(start) is not int or type(end) is not int:
            self.bad(row, "bad-offsets", f"{what}: offsets must be integers, got {got}", mark=mark)
        elif start < 0:
            self.bad(row, "bad-offsets", f"{what}: start must be 0 or more, got {got}", mark=mark)
        elif end <= start:
            self.bad(row, "bad-offsets", f"{what}: end must be greater than start, got {got}", mark=mark)
        elif text is not None and end > len(text):
            self.bad(
                row,
                "past-end",
                f"{what}: must lie inside its text of {len(text)} characters, got {got}{self._counted(text, end)}",
                mark=mark,
            )
        elif text is not None and mark.shown is not None and not _repeats(mark.shown, text[start:end]):
            found, shown = one_line(text[start:end], 40), one_line(mark.shown, 40)
            self.bad(
                row,
                "text-differs",
                f"{what}: the text at {got} must be what the annotation repeats, got {found!r} instead of {shown!r};"
                " offsets count Unicode code points unless offsets= says otherwise",
                mark=mark,
            )
        else:
            return True
        return False

    def _counted(self, text: str, end: int) -> str:
        """What offsets beyond the text seem to count, for messages; "" if that is not known."""
        if self.offsets != "code-point" or end > len(text.encode("utf-16-le", "surrogatepass")) // 2:
            return ""
        return " (in UTF-16 units, as JavaScript counts, it would: read or convert it with offsets utf-16)"

    def _counted_again(self, row: RawRecord, mark: Mark, places: dict[int, int], what: str) -> bool:
        """Convert the mark's offsets to code points; False if one is inside a character."""
        for offset in (mark.start, mark.end):
            if type(offset) is int and 0 <= offset <= max(places) and offset not in places:
                got = f"got {mark.start}..{mark.end} in {self.offsets} units"
                self.bad(row, "bad-offsets", f"{what}: offsets must fall between characters, {got}", mark=mark)
                return False
        if type(mark.start) is int and type(mark.end) is int:
            mark.start, mark.end = places.get(mark.start, mark.start), places.get(mark.end, mark.end)
        return True

    def _boundaries(self, row: RawRecord, mark: Mark, text: str, what: str) -> None:
        found = text[mark.start : mark.end]
        got = f"got {mark.start}..{mark.end} {one_line(found, 40)!r}"
        if found[0].isspace() or found[-1].isspace():
            self.report(
                row,
                "white-space",
                f"{what}: should begin and end with a visible character, {got}",
                mark=mark,
                kept=True,
            )
        if _cuts(text, mark.start) or _cuts(text, mark.end):
            self.report(row, "cut-word", f"{what}: should begin and end between words, {got}", mark=mark, kept=True)

    def _at(self, row: RawRecord, mark: Mark | None = None) -> str:
        path, line = self._place(row, mark)
        return path if line is None else f"{path}:{line}"

    def _place(self, row: RawRecord, mark: Mark | None) -> tuple[str, int | None]:
        line = row.line if mark is None or mark.line is None else mark.line
        return (mark.path if mark and mark.path else None) or row.path or self.name, line

    def _error(self, row: RawRecord, message: str, mark: Mark | None = None) -> InputError:
        path, line = self._place(row, mark)
        return FormatError(message, path=path, line=line)
