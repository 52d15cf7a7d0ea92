"""fallax: find, debate, verify, generate and score flawed reasoning in natural language.

Examples
--------
>>> import fallax as fx
>>> found = fx.detect("Nothing here argues for anything.")
>>> [(span.label, found.text_of(span)) for span in found.spans]
[]
"""

from typing import TYPE_CHECKING, Any

from fallax._version import __version__

if TYPE_CHECKING:
    from fallax import metrics
    from fallax.api import (
        adebate,
        adetect,
        agenerate,
        agree,
        averify,
        debate,
        detect,
        generate,
        verify,
    )
    from fallax.client import connect
    from fallax.many import debate_many, verify_many

__all__ = [
    "__version__",
    "adebate",
    "adetect",
    "agenerate",
    "agree",
    "averify",
    "connect",
    "debate",
    "debate_many",
    "detect",
    "generate",
    "metrics",
    "verify",
    "verify_many",
]

_FROM_API = ("adebate", "adetect", "agenerate", "agree", "averify", "debate", "detect", "generate", "verify")
_MANY = ("debate_many", "verify_many")
_MODULES = ("metrics",)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import fallax`` stays quick."""
    import importlib

    if name in _FROM_API:
        return getattr(importlib.import_module("fallax.api"), name)
    if name in _MANY:
        return getattr(importlib.import_module("fallax.many"), name)
    if name == "connect":
        return importlib.import_module("fallax.client").connect
    if name in _MODULES:
        return importlib.import_module(f"fallax.{name}")
    raise AttributeError(f"module 'fallax' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
