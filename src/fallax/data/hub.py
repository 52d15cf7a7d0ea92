"""Writes annotated texts as a folder for the Hugging Face hub: Parquet, a card, Croissant metadata."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fallax.core.types import Record
from fallax.data import croissant
from fallax.errors import InputError, MissingExtraError, RunError, one_line

__all__ = ["write_hub_folder"]

_DATA = "data/train-00000-of-00001.parquet"
#: Column -> its data type in Croissant; ``gold`` has three below it.
_TEXTS = ("id", "text", "title", "source", "meta")


def _row(record: Record) -> dict[str, Any]:
    spans = [{"start": g.start, "end": g.end, "labels": list(g.labels)} for g in record.gold or ()]
    return {
        "id": record.id,
        "text": record.text,
        "title": record.title or "",
        "source": record.source or "",
        "gold": None if record.gold is None else spans,
        "meta": json.dumps(dict(record.meta), ensure_ascii=False, sort_keys=True, default=str),
    }


def write_hub_folder(
    records: Iterable[Record], folder: str | Path, *, name: str, licence: str, taxonomy: str = ""
) -> dict[str, Any]:
    """Write records as a folder for the hub that ``datasets.load_dataset(FOLDER)`` reads.

    Columns are ``id``, ``text``, ``title``, ``source``, ``gold`` (null where nobody annotated, else a list of
    ``start``, ``end``, ``labels``: code point offsets, and labels that are equally right) and ``meta`` (JSON). The same
    records give the same bytes with the same pyarrow.

    Parameters
    ----------
    records : held in memory as a whole.
    folder : made if it is not there; must be empty.
    name : of the data set, on its card.
    licence : an SPDX identifier of the texts' licence, such as "CC-BY-4.0"; on the card as it is given.
    taxonomy : the name of the label set, for the card.

    Returns
    -------
    dict
        ``n`` records, ``annotated`` of them, ``spans``, and ``labels``: how often each occurs, alternatives included.

    Raises
    ------
    MissingExtraError
        Without pyarrow (extra ``parquet``).
    RunError
        If the folder holds something.
    InputError
        If there are no records.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", extra="parquet") from None
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise RunError(f"{target}: must be an empty folder or a new one, found something else; name another folder")
    rows = [_row(r) for r in records]
    if not rows:
        raise InputError("there must be at least one record, got none")
    span = pa.struct([("start", pa.int64()), ("end", pa.int64()), ("labels", pa.list_(pa.string()))])
    schema = pa.schema([(c, pa.list_(span) if c == "gold" else pa.string()) for c in rows[0]])
    (target / _DATA).parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.Table.from_pylist(rows, schema=schema), target / _DATA, compression="zstd")
    gold = [row["gold"] for row in rows if row["gold"] is not None]
    figures = {
        "n": len(rows),
        "annotated": len(gold),
        "spans": sum(map(len, gold)),
        "labels": dict(sorted(Counter(label for spans in gold for s in spans for label in s["labels"]).items())),
    }
    digest = hashlib.sha256((target / _DATA).read_bytes()).hexdigest()
    about = _croissant(name, licence, digest)
    (target / "croissant.json").write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (target / "README.md").write_text(_card(name, licence, taxonomy, figures), encoding="utf-8")
    return figures


def _card(name: str, licence: str, taxonomy: str, figures: Mapping[str, Any]) -> str:
    given = {"license": licence.lower(), "pretty_name": name}
    front = "\n".join(f"{k}: {json.dumps(v, ensure_ascii=False)}" for k, v in given.items())
    labels = "\n".join(f"| {one_line(label)} | {n} |" for label, n in figures["labels"].items())
    table = f"\n| label | spans |\n|---|---|\n{labels}\n" if labels else ""
    known = f" Labels are those of the taxonomy `{taxonomy}`." if taxonomy else ""
    return f"""---
{front}
configs:
- config_name: default
  data_files:
  - split: train
    path: {_DATA}
---

# {one_line(name)}

{figures["n"]} texts, {figures["annotated"]} of them annotated, with {figures["spans"]} spans.{known}

`gold` is null where nobody annotated, and an empty list where somebody looked and found nothing. A span is `start`,
`end` (half-open, Unicode code points of `text`) and `labels`: alternatives that are equally right; "no fallacy" among
them means that the span may as well be read as sound. `meta` is JSON.
{table}"""


def _croissant(name: str, licence: str, digest: str) -> dict[str, Any]:
    below = {"start": "sc:Integer", "end": "sc:Integer", "labels": "sc:Text"}
    parts = [
        croissant.field(f"default/gold/{k}", kind, source=croissant.source("parquet", "gold", path=k))
        | ({"repeated": True} if k == "labels" else {})
        for k, kind in below.items()
    ]
    texts = [croissant.field(f"default/{c}", source=croissant.source("parquet", c)) for c in _TEXTS]
    gold = croissant.field("default/gold", "", repeated=True, subField=parts)
    return croissant.dataset(
        name,
        f"{name}: texts with annotated passages.",
        licence=licence,
        files=[croissant.file_object("parquet", _DATA, sha256=digest, encodingFormat="application/x-parquet")],
        record_sets=[croissant.record_set("default", [*texts, gold])],
    )
