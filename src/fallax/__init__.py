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
    from fallax.api import adebate, adetect, agenerate, agree, averify, debate, detect, detect_many, generate, verify
    from fallax.client import connect
    from fallax.core.types import (
        Detection,
        FaithfulnessVerdict,
        GoldSpan,
        Prediction,
        Record,
        Score,
        Span,
        Taxonomy,
        Verification,
    )
    from fallax.errors import FallaxError, InputError

__all__ = [
    "Detection",
    "FaithfulnessVerdict",
    "FallaxError",
    "GoldSpan",
    "InputError",
    "Prediction",
    "Record",
    "Score",
    "Span",
    "Taxonomy",
    "Verification",
    "__version__",
    "adebate",
    "adetect",
    "agenerate",
    "agree",
    "averify",
    "connect",
    "debate",
    "detect",
    "detect_many",
    "generate",
    "metrics",
    "verify",
]

_FROM_API = (
    "adebate",
    "adetect",
    "agenerate",
    "agree",
    "averify",
    "debate",
    "detect",
    "detect_many",
    "generate",
    "verify",
)
_TYPES = (
    "Detection",
    "FaithfulnessVerdict",
    "GoldSpan",
    "Prediction",
    "Record",
    "Score",
    "Span",
    "Taxonomy",
    "Verification",
)
_MODULES = ("metrics",)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import fallax`` stays quick."""
    import importlib

    if name in _FROM_API:
        return getattr(importlib.import_module("fallax.api"), name)
    if name in _TYPES:
        return getattr(importlib.import_module("fallax.core.types"), name)
    if name in ("FallaxError", "InputError"):
        return getattr(importlib.import_module("fallax.errors"), name)
    if name == "connect":
        return importlib.import_module("fallax.client").connect
    if name in _MODULES:
        return importlib.import_module(f"fallax.{name}")
    raise AttributeError(f"module 'fallax' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
