"""Notes on what intervals and tests draw: records, or groups of them, and whether these are few."""

from __future__ import annotations

from collections.abc import Collection, Mapping

__all__ = ["FEW", "drawn_note", "fewer_notes", "n_groups"]

#: Below so many records or groups a bootstrap interval is rough.
FEW = 20


def drawn_note(drawn: str, groups: Mapping[str, str] | None, ids: Collection[str], *, tested: bool) -> str:
    """What intervals (and tests) draw, and what follows where there are few; "" for records that are not few.

    Parameters
    ----------
    drawn : what the groups are, in the plural.
    groups : record -> group; None: no groups.
    ids : the records at hand.
    tested : whether there are tests too.

    Examples
    --------
    >>> drawn_note("documents", {"a": "d1", "b": "d1"}, ["a", "b"], tested=False)
    'intervals are undefined, since all 2 samples are of one of the documents that they would draw'
    """
    n = n_groups(groups, ids) or len(ids)
    are_records = n == len(ids)
    if n == 0 or (are_records and n >= FEW):
        return ""
    what = f"intervals{' and tests' if tested else ''}"
    if are_records and n == 1:
        return f"{what} are undefined, since there is one sample alone"
    if n == 1:
        return f"{what} are undefined, since all {len(ids)} samples are of one of the {drawn} that they would draw"
    note = f"{what} draw {n} {'samples' if are_records else f'{drawn}, not the {len(ids)} samples from them'}"
    if n < FEW:
        note += f"; {n} are few, so that intervals are rough and rather too narrow"
        if tested:
            note += f", and no p-value can be below {min(1.0, 2 / 2**n):.4f}"
    return note


def n_groups(groups: Mapping[str, str] | None, ids: Collection[str]) -> int:
    """How many groups are drawn; a record without one is drawn alone. 0 where records are drawn."""
    return 0 if groups is None else len({("group", groups[i]) if i in groups else ("record", i) for i in ids})


def fewer_notes(
    drawn: str,
    groups: Mapping[str, str] | None,
    ids: Collection[str],
    scored: Mapping[str, Collection[str]],
    *,
    tested: bool,
) -> dict[str, str]:
    """What :func:`drawn_note` says of each score over so few of the groups that it is not what it says of all.

    Parameters
    ----------
    drawn, groups, tested : as there.
    ids : all records at hand.
    scored : score -> the records that it is over.

    Examples
    --------
    >>> groups = {"a": "d1", "b": "d1", "c": "d2"}
    >>> fewer_notes("documents", groups, "abc", {"verdict": "abc", "tree": "ab"}, tested=False)
    {'tree': 'intervals are undefined, since all 2 samples are of one of the documents that they would draw'}
    """
    n = n_groups(groups, ids) or len(ids)
    own = {name: n_groups(groups, records) or len(records) for name, records in scored.items()}
    notes = {
        name: drawn_note(drawn, groups, records, tested=tested)
        for name, records in scored.items()
        if own[name] < min(n, FEW)
    }
    return {name: note for name, note in notes.items() if note}
