"""The verbs in a browser and over HTTP: ``fallax serve``. Needs the extra ``serve``.

Imports nothing before it is used, since the process that reads uploaded files lives in this package too.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fallax.web.app import create_app
    from fallax.web.settings import Part, ServerLimits, ServerSettings

__all__ = ["Part", "ServerLimits", "ServerSettings", "create_app"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    import importlib

    if name == "create_app":
        return importlib.import_module("fallax.web.app").create_app
    if name in __all__:
        return getattr(importlib.import_module("fallax.web.settings"), name)
    raise AttributeError(f"module 'fallax.web' has no attribute {name!r}")
