"""Values that show themselves in a notebook and as a table; how they look is said in ``fallax.notebook``."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["Shown"]

#: Named here and imported only when a value is shown: views rank above values.
_VIEWS = "fallax.notebook"


class Shown:
    """A value with a view."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """What a notebook shows: HTML without script, every text escaped."""
        return str(importlib.import_module(_VIEWS).html_of(self))

    def to_pandas(self) -> Any:
        """The value as a ``pandas.DataFrame``, one row for each part.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        return importlib.import_module(_VIEWS).frame_of(self)
