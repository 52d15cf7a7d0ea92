"""The console of all commands, which filters control characters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import rich.console
from rich.segment import Segment

from fallax.render import safe

__all__ = ["Console"]


class Console(rich.console.Console):
    """A console that prints square brackets literally and replaces control characters by U+FFFD."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, **options})

    def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
        """Segments without control characters, except those of the console itself."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(safe(segment.text), segment.style)
