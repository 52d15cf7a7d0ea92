"""Lists on standard error what was found in files and did not stop the reading, or what a format cannot say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import typer

from fallax.data import Loss, Problem

__all__ = ["list_on_stderr"]

#: How many lines are printed before the rest is only counted.
_SHOWN = 20


def list_on_stderr(what: str, found: Sequence[Problem] | Sequence[Loss]) -> None:
    """Print the first of them, each on a line that begins with ``what``, and count the rest by kind."""
    for one in found[:_SHOWN]:
        typer.echo(f"{what}: {one}", err=True)
    if len(found) > _SHOWN:
        counts = ", ".join(f"{k} {n}" for k, n in Counter(x.kind for x in found).most_common())
        typer.echo(f"{what}: {len(found) - _SHOWN} more; by kind: {counts}", err=True)
