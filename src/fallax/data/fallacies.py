"""Sets of fallacious sentences: generated ones with their sound twins, and any other JSONL of sentences with labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import GoldSpan, Record, Taxonomy
from fallax.data._jsonl import json_lines
from fallax.data._source import Source
from fallax.errors import FormatError, one_line

__all__ = ["read_fallacies"]


def read_fallacies(path: str | Path, *, taxonomy: str | Taxonomy = "smartypat") -> Iterator[Record]:
    """Read sentences with the fallacies they commit, and their sound twins.

    Parameters
    ----------
    path : JSONL, or ``-`` for standard input. ``text`` (or ``sentence``); ``labels`` (a list, or one text cut at
        commas), ``label``, or the ``gold`` of a record, [] for a benign sentence; where there are any, ``id``, ``twin``
        (its text, or an object that holds it), ``method``, ``model`` and ``seed``.
    taxonomy : labels are given its spelling.

    Yields
    ------
    Record
        The labels hold for the whole text, all of them. ``source`` is the method; ``meta`` has model and seed. A twin
        follows its fallacy: no gold spans, the id with ``-twin`` behind it, ``meta["twin_of"]`` the id of the fallacy.

    Raises
    ------
    FormatError, UnknownNameError
        With path and line: no text, no labels, an id given twice, a label that is not in the taxonomy.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> row = '{"id": "1", "text": "I sang; it rained.", "labels": "false cause", "twin": "It rained; it is wet."}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "a.jsonl")
    ...     _ = file.write_text(row + chr(10))
    ...     [(r.id, r.gold[0].labels if r.gold else ()) for r in read_fallacies(file)]
    [('1', ('False Cause',)), ('1-twin', ())]
    """
    known = load_taxonomy(taxonomy) if isinstance(taxonomy, str) else taxonomy
    source = Source(path)
    seen: dict[str, int] = {}
    for line, value in json_lines(source):
        for record in _records(source.name, line, value, known):
            if record.id in seen:
                raise FormatError(
                    f"each id must be given once, got {one_line(record.id, 60)!r} again (first in line"
                    f" {seen[record.id]}); rename one",
                    path=source.name,
                    line=line,
                )
            seen[record.id] = line
            yield record


def _records(path: str, line: int, value: Mapping[str, Any], taxonomy: Taxonomy) -> Iterator[Record]:
    text = value.get("text", value.get("sentence"))
    if not isinstance(text, str) or not text.strip():
        raise FormatError(f"must have a text, got {one_line(repr(text), 40)}", path=path, line=line)
    given = value.get("id")
    id_ = str(given) if isinstance(given, (str, int)) and given != "" else f"{path}:{line}"
    labels = tuple(
        dict.fromkeys(taxonomy.resolve(label, where=f"{path}:{line}") for label in _labels(path, line, value))
    )
    meta = {"same_span": "all", **{k: value[k] for k in ("model", "seed") if value.get(k) not in (None, "")}}
    method = str(value.get("method") or value.get("source") or "")
    yield Record(id_, text, (GoldSpan(0, len(text), labels),) if labels else (), method, meta=meta)
    twin = value.get("twin")
    if isinstance(twin, Mapping):
        twin = twin.get("text")
    if twin is None:
        return
    if not isinstance(twin, str) or not twin.strip():
        raise FormatError(f"the twin must be a text, got {one_line(repr(twin), 40)}", path=path, line=line)
    yield Record(f"{id_}-twin", twin, (), method, meta={**meta, "twin_of": id_})


def _labels(path: str, line: int, value: Mapping[str, Any]) -> list[str]:
    found: Any = value.get("labels", value.get("label"))
    if found is None and isinstance(value.get("gold"), list):
        found = [x for g in value["gold"] if isinstance(g, Mapping) for x in g.get("labels", ())]
    if isinstance(found, str):
        found = [x.strip() for x in found.split(",") if x.strip()]
    if not isinstance(found, list) or not all(isinstance(x, str) for x in found):
        raise FormatError(
            f"must have labels (a list of texts, [] for none), got {one_line(repr(found), 40)}", path=path, line=line
        )
    return found
