"""Review files of posts with drafted arguments, which people edit as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import ArgumentForm, FormStatus, GoldSpan, Record, Taxonomy
from fallax.data.review_blocks import ReviewBlock, ReviewFile, ReviewProblem, escaped, quoted, raise_first
from fallax.errors import InputError, UnknownNameError, one_line

__all__ = ["append_forms", "check_review", "format_form", "read_review", "reviewed_records"]

_HEADER = "# fallax review 1"
_HELP = f"""{_HEADER}
# One block a post. Edit what stands behind the colons; leave "post" and the line with == as they are.
# status: todo, ok (it is right now) or drop (leave it out). premise: one clause a line, one line a premise.
# labels: the fallacies, with commas between them. note: whatever you like. Lines that begin with # are for you alone.
"""
_STATUSES = ("todo", "ok", "drop")
_KEYS = ("post", "status", "premise", "conclusion", "labels", "note")
_ONCE = ("post", "status", "conclusion", "labels")


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


def append_forms(path: str | Path, forms: Iterable[ArgumentForm]) -> int:
    """Append forms to a review file, one by one; a new file gets its header first.

    The existing content of the file is not changed. Each form is on the disk before the next is asked for.

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


class _Reader:
    """Parse the forms of a review file; problems are kept with their line."""

    def __init__(self, path: str | Path, taxonomy: Taxonomy) -> None:
        self.file = ReviewFile(path, header=_HEADER, of="post")
        self.taxonomy = taxonomy
        self.forms: dict[str, ArgumentForm] = {}
        for block in self.file.blocks:
            self._take(block)

    def _labels(self, block: ReviewBlock) -> tuple[str, ...]:
        number, value = block.values.get("labels", (block.line, ""))
        found = []
        for name in filter(None, (x.strip() for x in value.split(","))):
            try:
                found.append(self.taxonomy.resolve(name))
            except UnknownNameError as error:
                self.file.fault(number, str(error))
        return tuple(dict.fromkeys(found))

    def _take(self, block: ReviewBlock) -> None:
        file, many = self.file, {"premise": list[str](), "note": list[str]()}
        for line in block.lines:
            key = line.name.lower()
            if key not in _KEYS:
                file.fault(line.number, str(UnknownNameError("name", line.name, _KEYS)))
            elif key not in many:
                file.keep(block, key, line)
            elif not line.is_blank:
                many[key].append(line.value)
        file.need(block, _ONCE)
        number, status = block.values.get("status", (block.line, "todo"))
        labels = self._labels(block)
        if status not in _STATUSES:
            file.fault(number, str(UnknownNameError("status", status, _STATUSES)))
            return
        post, conclusion, note = block.text("post"), block.text("conclusion"), "\n".join(many["note"])
        form = ArgumentForm(block.id, post, tuple(many["premise"]), conclusion, labels, "todo", note)
        if status == "ok" and not form.is_complete:
            how = "write them, or say todo or drop"
            file.fault(number, f"a post that is ok must have a premise and a conclusion; {how}")
            return
        self.forms.setdefault(block.id, replace(form, status=cast("FormStatus", status)))

    def compare(self, posts: Mapping[str, str]) -> None:
        """Check that every post is present and unchanged."""
        file = self.file
        for id_, post in posts.items():
            if id_ not in file.places:
                said = f"{one_line(id_, 40)!r} has none; say drop to leave it out"
                file.fault(1, f"must have a block for every post, {said}")
            elif id_ in self.forms and self.forms[id_].post != post:
                said = "must stand as it was; only its parts change"
                file.fault(file.places[id_], f"the post of {one_line(id_, 40)!r} {said}")
        for id_ in file.places:
            if id_ not in posts:
                file.fault(file.places[id_], f"{one_line(id_, 40)!r} is none of the posts")


def _read(path: str | Path, taxonomy: str | Taxonomy, posts: Iterable[Record] | None) -> _Reader:
    reader = _Reader(path, load_taxonomy(taxonomy) if isinstance(taxonomy, str) else taxonomy)
    if posts is not None and reader.file.is_review:
        reader.compare({r.id: r.text for r in posts})
    return reader


def check_review(
    path: str | Path, *, taxonomy: str | Taxonomy = "smartypat", posts: Iterable[Record] | None = None
) -> tuple[ReviewProblem, ...]:
    """All problems of a review file, by line.

    Parameters
    ----------
    path : the file.
    taxonomy : labels must be in it.
    posts : what was to be reviewed; with it, a block that is gone and a post that was changed are problems too.
    """
    return _read(path, taxonomy, posts).file.sorted_problems()


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
    raise_first(found.file.sorted_problems(), "fallax build check")
    return tuple(found.forms.values())


def reviewed_records(forms: Iterable[ArgumentForm], *, text: str = "post") -> list[Record]:
    """The accepted forms as records, in the format of SmartyPat-Bench.

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
