"""The review file: posts with the arguments drafted for them, as text that people edit and that is read back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import ArgumentForm, GoldSpan, Record, Taxonomy
from fallax.data._source import read_text_file
from fallax.errors import FormatError, InputError, UnknownNameError, one_line

__all__ = [
    "ReviewProblem",
    "append_forms",
    "check_review",
    "escaped",
    "format_form",
    "quoted",
    "read_review",
    "reviewed_records",
    "unquoted",
]

_HEADER = "# fallax review 1"
_HELP = f"""{_HEADER}
# One block a post. Edit what stands behind the colons; leave "post" and the line with == as they are.
# status: todo, ok (it is right now) or drop (leave it out). premise: one clause a line, one line a premise.
# labels: the fallacies, with commas between them. note: whatever you like. Lines that begin with # are for you alone.
"""
_STATUSES = ("todo", "ok", "drop")
_KEYS = ("post", "status", "premise", "conclusion", "labels", "note")
_ONCE = ("post", "status", "conclusion", "labels")


@dataclass(frozen=True, slots=True)
class ReviewProblem:
    """A line of a review file that is not as it must be."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def quoted(value: str) -> str:
    r"""A value on one line: plain where that says it exactly, else as JSON.

    Examples
    --------
    >>> quoted("ice is cold"), quoted(" two\nlines")
    ('ice is cold', '" two\\nlines"')
    """
    plain = value == value.strip() and not value.startswith(('"', "#")) and all(c.isprintable() for c in value)
    return value if plain and value else escaped(value)


def unquoted(text: str) -> str:
    """The value that :func:`quoted` wrote.

    Raises
    ------
    ValueError
        If it begins with a quotation mark and is no JSON.
    """
    stripped = text.strip()
    return str(json.loads(stripped)) if stripped.startswith('"') else stripped


def format_form(form: ArgumentForm) -> str:
    """One block of a review file.

    Examples
    --------
    >>> print(format_form(ArgumentForm("1", "Why is ice never warm?", ("ice is cold",), "ice hates warmth")), end="")
    == 1
    post: "Why is ice never warm?"
    status: todo
    premise: ice is cold
    conclusion: ice hates warmth
    labels:
    """
    lines = [f"== {quoted(form.id)}", f"post: {escaped(form.post)}", f"status: {form.status}"]
    lines += [f"premise: {quoted(p)}" for p in form.premises] or ["premise:"]
    lines.append(f"conclusion: {quoted(form.conclusion)}" if form.conclusion else "conclusion:")
    lines.append(f"labels: {', '.join(form.labels)}".rstrip())
    if form.note:
        lines.append(f"note: {quoted(form.note)}")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A text as JSON on one line, with everything escaped that some editor takes for the end of one."""
    shown = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in shown)


def append_forms(path: str | Path, forms: Iterable[ArgumentForm]) -> int:
    """Write forms behind what a review file holds already, one by one; a file that is not there gets its header.

    Nothing that stands in the file is changed. Each form is on the disk before the next is asked for.

    Returns
    -------
    int
        How many were written.
    """
    target = Path(path)
    n = 0
    try:
        new = not target.exists() or target.stat().st_size == 0
        with target.open("a", encoding="utf-8", newline="\n") as f:
            f.write(_HELP if new else "")
            for form in forms:
                f.write("\n" + format_form(form))
                f.flush()
                n += 1
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from error
    return n


@dataclass(slots=True)
class _Block:
    line: int
    id: str
    values: dict[str, tuple[int, str]] = field(default_factory=dict)
    premises: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Reader:
    def __init__(self, path: str | Path, taxonomy: Taxonomy) -> None:
        self.path = str(path)
        self.taxonomy = taxonomy
        self.problems: list[ReviewProblem] = []
        self.forms: dict[str, ArgumentForm] = {}
        self.lines: dict[str, int] = {}

    def fault(self, line: int, message: str) -> None:
        self.problems.append(ReviewProblem(self.path, line, message))

    def read(self, text: str) -> None:
        """Go through the lines; only a line feed ends one, as some posts hold other separators."""
        lines = [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]
        if lines[0].strip() != _HEADER:
            self.fault(1, f"must begin with {_HEADER!r}, got {one_line(lines[0], 40)!r}; is this a review file?")
            return
        block: _Block | None = None
        for number, line in enumerate(lines, start=1):
            if not line.strip() or line.startswith("#"):
                continue
            if line.startswith("=="):
                self.close(block)
                block = self.open(number, line)
            elif block is None:
                self.fault(number, f"must stand below the id of its post (== ID), got {one_line(line, 40)!r}")
            else:
                self.pair(block, number, line)
        self.close(block)

    def open(self, number: int, line: str) -> _Block:
        id_ = self.value(number, line[2:])
        if not id_:
            self.fault(number, "must have the id of its post behind ==, got none")
        elif id_ in self.lines:
            self.fault(
                number, f"each post must have one block, {one_line(id_, 40)!r} has one in line {self.lines[id_]}"
            )
        self.lines.setdefault(id_, number)
        return _Block(number, id_)

    def value(self, number: int, text: str) -> str:
        try:
            return unquoted(text)
        except ValueError as error:
            self.fault(number, f"a text in quotation marks must be complete JSON: {one_line(error)}")
            return text.strip()

    def pair(self, block: _Block, number: int, line: str) -> None:
        match = re.fullmatch(r"\s*(\w+)\s*:(.*)", line)
        if match is None:
            self.fault(number, f"must be NAME: VALUE, got {one_line(line, 40)!r}; put # before a remark of your own")
            return
        key, value = match[1].lower(), self.value(number, match[2])
        if key not in _KEYS:
            self.fault(number, str(UnknownNameError("name", match[1], _KEYS)))
        elif key == "premise":
            block.premises += [value] if match[2].strip() else []
        elif key == "note":
            block.notes += [value] if match[2].strip() else []
        elif key in block.values:
            self.fault(number, f"{key!r} must stand once in a block, it stands in line {block.values[key][0]} too")
        else:
            block.values[key] = (number, value)

    def labels(self, block: _Block) -> tuple[str, ...]:
        number, value = block.values.get("labels", (block.line, ""))
        found = []
        for name in filter(None, (x.strip() for x in value.split(","))):
            try:
                found.append(self.taxonomy.resolve(name))
            except UnknownNameError as error:
                self.fault(number, str(error))
        return tuple(dict.fromkeys(found))

    def close(self, block: _Block | None) -> None:
        if block is None:
            return
        for key in _ONCE:
            if key not in block.values:
                self.fault(block.line, f"the block of {one_line(block.id, 40)!r} must have {key!r}, it has none")
        number, status = block.values.get("status", (block.line, "todo"))
        labels = self.labels(block)
        if status not in _STATUSES:
            self.fault(number, str(UnknownNameError("status", status, _STATUSES)))
            return
        post, conclusion = (block.values.get(key, (0, ""))[1] for key in ("post", "conclusion"))
        form = ArgumentForm(block.id, post, tuple(block.premises), conclusion, labels, "todo", "\n".join(block.notes))
        if status == "ok" and not form.is_complete:
            self.fault(
                number, "a post that is ok must have a premise and a conclusion; write them, or say todo or drop"
            )
            return
        done = ArgumentForm(form.id, post, form.premises, conclusion, labels, status, form.note)  # type: ignore[arg-type]
        self.forms.setdefault(block.id, done)

    def compare(self, posts: Mapping[str, str]) -> None:
        """Every post must be there, as it was."""
        for id_, post in posts.items():
            if id_ not in self.lines:
                self.fault(
                    1, f"must have a block for every post, {one_line(id_, 40)!r} has none; say drop to leave it out"
                )
            elif id_ in self.forms and self.forms[id_].post != post:
                self.fault(
                    self.lines[id_], f"the post of {one_line(id_, 40)!r} must stand as it was; only its parts change"
                )
        for id_ in self.lines:
            if id_ not in posts:
                self.fault(self.lines[id_], f"{one_line(id_, 40)!r} is none of the posts")


def _read(path: str | Path, taxonomy: str | Taxonomy, posts: Iterable[Record] | None) -> _Reader:
    known = load_taxonomy(taxonomy) if isinstance(taxonomy, str) else taxonomy
    reader = _Reader(path, known)
    reader.read(read_text_file(Path(path)))
    if posts is not None and not any(p.line == 1 for p in reader.problems):
        reader.compare({r.id: r.text for r in posts})
    reader.problems.sort(key=lambda p: p.line)
    return reader


def check_review(
    path: str | Path, *, taxonomy: str | Taxonomy = "smartypat", posts: Iterable[Record] | None = None
) -> tuple[ReviewProblem, ...]:
    """Everything that is wrong in a review file, by line.

    Parameters
    ----------
    path : the file.
    taxonomy : labels must be in it.
    posts : what was to be reviewed; with it, a block that is gone and a post that was changed are problems too.
    """
    return tuple(_read(path, taxonomy, posts).problems)


def read_review(
    path: str | Path, *, taxonomy: str | Taxonomy = "smartypat", posts: Iterable[Record] | None = None
) -> tuple[ArgumentForm, ...]:
    r"""Read a review file back.

    Parameters
    ----------
    path, taxonomy, posts : as in :func:`check_review`.

    Returns
    -------
    tuple of ArgumentForm
        In the order of the file, those to do and those to drop included. What :func:`append_forms` wrote comes back
        exactly; several notes become lines of one.

    Raises
    ------
    FormatError
        At the first problem, with path and line, and how many there are.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "review.txt")
    ...     _ = append_forms(file, [ArgumentForm("1", "Why\nis ice cold?")])
    ...     read_review(file)[0].post
    'Why\nis ice cold?'
    """
    found = _read(path, taxonomy, posts)
    if found.problems:
        first, *more = found.problems
        rest = f" (and {len(more)} more; fallax build check lists them)" if more else ""
        raise FormatError(first.message + rest, path=first.path, line=first.line)
    return tuple(found.forms.values())


def reviewed_records(forms: Iterable[ArgumentForm], *, text: str = "post") -> list[Record]:
    """The forms that are ok as records, as SmartyPat-Bench has them.

    Parameters
    ----------
    forms : those to do and to drop are left out.
    text : "post", the text is the post and ``meta["declarative"]`` the sentence; or "declarative", the reverse, with
        the post under ``meta["post"]``.

    Returns
    -------
    list of Record
        Labels hold for the whole text, all of them; without labels the record is not annotated.

    Examples
    --------
    >>> form = ArgumentForm("1", "Why is ice cold?", ("it is ice",), "it is cold", ("Begging the Question",), "ok")
    >>> record = reviewed_records([form])[0]
    >>> record.meta["declarative"], record.meta["formula"]
    ('Since it is ice, therefore it is cold.', 'p1 → q')
    """
    if text not in ("post", "declarative"):
        raise UnknownNameError("text", text, ("post", "declarative"))
    found = []
    for form in forms:
        if form.status == "ok":
            shown = form.post if text == "post" else form.sentence
            other = {"declarative": form.sentence} if text == "post" else {"post": form.post}
            meta = {**other, "formula": form.formula, "premises": list(form.premises), "conclusion": form.conclusion}
            gold = (GoldSpan(0, len(shown), form.labels),) if form.labels else None
            found.append(Record(form.id, shown, gold, meta={"same_span": "all", "granularity": "text", **meta}))
    return found
