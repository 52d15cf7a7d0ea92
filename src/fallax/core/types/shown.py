"""Values that display themselves in a notebook and as a table; ``fallax.notebook`` defines how."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["Shown"]

#: Named here and imported only when a value is shown: views rank above values.
_VIEWS = "fallax.notebook"


class Shown:
    """A value that can be displayed."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """HTML for a notebook: no script, all text escaped."""
        return str(importlib.import_module(_VIEWS).html_of(self))

    def to_pandas(self) -> Any:
        """The value as a ``pandas.DataFrame``, one row per part.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        return importlib.import_module(_VIEWS).frame_of(self)
