"""The results of a scan as a page and as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fallax._version import __version__
from fallax.errors import one_line
from fallax.render.html import environment

if TYPE_CHECKING:
    from fallax.scan.parts import ScanCounts
    from fallax.scan.run import Scan

__all__ = ["statistics_lines", "statistics_page"]

#: Sources that the page shows; ``statistics.json`` has all that were counted.
_SHOWN = 100
#: Sources that a terminal shows, and labels of each.
_LINES, _MOST = 5, 2
#: Of a longer name of a source the beginning is shown; files have it whole.
_WIDE = 200


def _share(n: int, of: int) -> str:
    return f"{100 * n / of:.1f} %" if of else "–"


def statistics_lines(found: Scan) -> Iterator[str]:
    """The results in a few lines for a terminal."""
    counts = found.counts
    n_good = counts.n_examined
    yield f"{counts.n_records:,} records, {n_good:,} examined by {found.system}"
    if counts.n_bad:
        yield f"{counts.n_bad:,} could not be examined, see {found.folder / 'bad-*.jsonl'}; the first:"
        yield f"  {found.first_reason}"
    if counts.n_empty:
        yield f"{counts.n_empty:,} without text"
    if counts.n_unread:
        yield f"{counts.n_unread:,} in a language that it does not read"
    for label, (n, n_records) in _labels(counts):
        several = f" ({n:,} findings)" if n != n_records else ""
        yield f"{n_records:10,}  {_share(n_records, n_good):>7}  {label}{several}"
    sources = [(name, there) for name, there in _sources(counts) if name]
    if found.by is not None and not sources and n_good:
        yield f"no record has anything in {found.by!r}, so there is nothing to count by"
    elif found.by is not None and sources:
        yield f"by {found.by}:"
        for name, there in sources[:_LINES]:
            most = sorted(there["labels"].items(), key=lambda item: (-item[1], item[0]))[:_MOST]
            said = ", ".join(f"{label} {_share(n, there['n_records'])}" for label, n in most)
            yield f"{there['n_records']:10,}  {one_line(name, _WIDE)}: {said or 'nothing found'}"
        if len(sources) > _LINES:
            yield f"{'':12}and {len(sources) - _LINES:,} more"
    if not found.is_whole:
        yield f"{found.n_there:,} of {found.n_parts:,} parts are in {found.folder}"


def _labels(counts: ScanCounts) -> list[tuple[str, list[int]]]:
    """The labels, most frequent first."""
    return sorted(counts.labels.items(), key=lambda item: (-item[1][1], item[0]))


def _sources(counts: ScanCounts) -> list[tuple[str, dict[str, Any]]]:
    """The sources, those with the most records first."""
    return sorted(counts.sources.items(), key=lambda item: (-item[1]["n_records"], item[0]))


def statistics_page(found: Scan) -> str:
    """An HTML page with the labels and their counts by source. No script, no network; all text is escaped.

    Examples
    --------
    >>> from pathlib import Path
    >>> from fallax.scan.parts import ScanCounts
    >>> from fallax.scan.run import Scan
    >>> counts = ScanCounts()
    >>> counts.add("<b>", ["ad hominem"], is_found=True, is_unread=False)
    >>> page = statistics_page(Scan(Path("scan"), "demo", counts, 1, 1, 1))
    >>> "<b>" in page, "&lt;b&gt;" in page
    (False, True)
    """
    counts = found.counts
    n_good = counts.n_examined
    labels, sources = _labels(counts), _sources(counts)
    by_source: list[dict[str, Any]] = [
        {
            "name": one_line(name, _WIDE) or "(none)",
            "n": f"{there['n_records']:,}",
            "cells": [_share(there["labels"].get(label, 0), there["n_records"]) for label, _ in labels],
        }
        for name, there in sources[:_SHOWN]
    ]
    return (
        environment()
        .get_template("scan.html")
        .render(
            title="fallax: what a scan found",
            system=found.system,
            counts=counts,
            n_good=f"{n_good:,}",
            n_records=f"{counts.n_records:,}",
            labels=[
                {
                    "name": name,
                    "n": f"{n:,}",
                    "n_records": f"{k:,}",
                    "share": _share(k, n_good),
                    "bar": 100 * k / n_good,
                }
                for name, (n, k) in labels
            ],
            sources=by_source if list(counts.sources) != [""] else [],
            n_hidden=max(0, len(sources) - _SHOWN),
            version=__version__,
        )
    )
