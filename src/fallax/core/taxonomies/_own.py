"""Label sets of one's own: from a TOML or JSON file, or from the labels of annotated texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from fallax.core.taxonomies._load import keep_taxonomy
from fallax.core.types.spans import NO_FALLACY
from fallax.core.types.taxonomy import Label, Taxonomy
from fallax.core.whole import read_whole_json, read_whole_toml
from fallax.errors import FormatError, InputError, UnknownNameError, one_line

__all__ = ["LABEL_SET_SUFFIXES", "flat_taxonomy", "label_set", "read_taxonomy"]

#: How the names of files of label sets end.
LABEL_SET_SUFFIXES = (".toml", ".json")


def flat_taxonomy(name: str, labels: Iterable[str], *, title: str = "") -> Taxonomy:
    """A label set of one level, sorted; "no fallacy" is no label.

    Raises
    ------
    InputError
        If there is no label, or two differ only in case, hyphens or underscores.

    Examples
    --------
    >>> flat_taxonomy("mine", ["insult", "crowd", "insult"]).names
    ('crowd', 'insult')
    """
    names = sorted(set(labels) - {NO_FALLACY})
    if not names:
        raise InputError(f"label set {name!r}: must have at least one label, got none")
    return Taxonomy(name, tuple(map(Label, names)), title)


def read_taxonomy(path: str | Path) -> Taxonomy:
    """Read a label set from a TOML or JSON file.

    Parameters
    ----------
    path : a file with ``labels``, a list of names, or of tables with ``name`` and, where wanted, ``definition``,
        ``groups`` (coarsest first, the same number for each label), ``aliases``, ``sound_when`` and ``template``; and,
        where wanted, ``name`` (by default the file's), ``title``, ``source``, ``version`` and ``level_names``.

    Raises
    ------
    FormatError
        If the file is not that.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "forum.toml")
    ...     _ = path.write_text('labels = ["crowd", "insult"]')
    ...     read_taxonomy(path).names
    ('crowd', 'insult')
    """
    path = Path(path)
    if path.suffix not in LABEL_SET_SUFFIXES:
        raise FormatError(f"a label set must be a file that ends in {' or '.join(LABEL_SET_SUFFIXES)}", path=path)
    value = read_whole_toml(path) if path.suffix == ".toml" else read_whole_json(path)
    if not isinstance(value, Mapping) or not isinstance(value.get("labels"), list) or not value["labels"]:
        raise FormatError("a label set must have labels, a list of at least one", path=path)
    labels = [{"name": x} if isinstance(x, str) else x for x in value["labels"]]
    try:
        _check_keys(value, Taxonomy, "label set")
        for x in labels:
            _check_keys(x, Label, "label")
        found = Taxonomy.from_dict({"name": path.stem, **value, "labels": labels})
    except InputError as error:
        raise FormatError(str(error), path=path) from None
    names = [x.name for x in found.labels]
    wrong = next((n for n in names if not n or n == NO_FALLACY or names.count(n) > 1), None)
    if wrong is not None:
        why = "given twice; give it once" if names.count(wrong) > 1 else "no label"
        raise FormatError(f"label {one_line(wrong, 60)!r}: is {why}", path=path)
    return found


def _check_keys(value: Any, kind: type[Any], what: str) -> None:
    for key in value if isinstance(value, Mapping) else ():
        if key not in (known := {f.name for f in fields(kind)}):
            raise UnknownNameError(f"key of a {what}", key, known)


def label_set(given: str | None) -> str | None:
    """The name of a label set that was given by name or as a file, which is then known by its name.

    Raises
    ------
    InputError
        As :func:`read_taxonomy` and :func:`keep_taxonomy`.

    Examples
    --------
    >>> label_set("mafalda")
    'mafalda'
    """
    if given is None or not given.endswith(LABEL_SET_SUFFIXES):
        return given
    return keep_taxonomy(read_taxonomy(given))
