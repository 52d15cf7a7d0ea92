"""Reads pairs of cause and effect from a data set or your own table."""

from __future__ import annotations

from pathlib import Path

from fallax.core.types import CausalClaim
from fallax.data.claims import load_claims
from fallax.data.texts import read_texts
from fallax.errors import InputError, one_line

__all__ = ["read_pairs"]


def read_pairs(source: str | Path, *, root: str | Path | None = None) -> tuple[CausalClaim, ...]:
    """Read pairs of cause and effect.

    Parameters
    ----------
    source : "wikiwhy", or a CSV, TSV or JSONL file with the columns ``cause`` and ``effect``, and where there are any
        ``id`` and ``explanation``.
    root : the folder that holds the data sets; by default FALLAX_DATA, else the cache.

    Returns
    -------
    tuple of CausalClaim
        Without claim and evidence; the explanation is ``meta["explanation"]``. Rows without an id are named by line.

    Raises
    ------
    InputError, FormatError
        If the file cannot be read, a column is missing, or an id is given twice: file and line.
    """
    if str(source) == "wikiwhy" and not Path(source).exists():
        return load_claims("wikiwhy", root=root).claims
    found = []
    for number, record in enumerate(read_texts(source, field="cause"), start=1):
        effect, explanation = record.meta.get("effect"), record.meta.get("explanation") or ""
        if not isinstance(effect, str) or not isinstance(explanation, str):
            named = "effect" if not isinstance(effect, str) else "explanation"
            raise InputError(
                f"{source}: pair {one_line(record.id, 60)!r}: the {named} must be a text, got"
                f" {one_line(repr(record.meta.get(named)), 40)}"
            )
        unnamed = record.id.startswith(f"{Path(source).as_posix()}:")
        meta = {"explanation": explanation} if explanation.strip() else {}
        id_ = f"row-{number}" if unnamed else record.id
        found.append(CausalClaim(id_, "", cause=record.text, effect=effect, source=Path(source).name, meta=meta))
    seen: set[str] = set()
    for pair in found:
        if pair.id in seen:
            raise InputError(f"{source}: each pair must have its own id, got {one_line(pair.id, 60)!r} twice")
        seen.add(pair.id)
    return tuple(found)
