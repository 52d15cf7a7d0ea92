"""fallax: find, debate, verify, generate and score flawed reasoning in natural language.

Examples
--------
>>> import fallax as fx
>>> found = fx.detect("The library opens at nine and closes at five.")
>>> [(span.label, found.text_of(span)) for span in found.spans]
[]
"""

from typing import TYPE_CHECKING, Any

from fallax._version import __version__

if TYPE_CHECKING:
    from fallax import metrics
    from fallax.api import adebate, adetect, agenerate, agree, averify, debate, detect, generate, verify
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
    from fallax.many import debate_many, detect_many, verify_many
    from fallax.scoring import score

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
    "debate_many",
    "detect",
    "detect_many",
    "generate",
    "metrics",
    "score",
    "verify",
    "verify_many",
]

#: module -> the public names that come from it.
_HOMES = {
    "fallax.api": (
        "adebate",
        "adetect",
        "agenerate",
        "agree",
        "averify",
        "debate",
        "detect",
        "generate",
        "verify",
    ),
    "fallax.client": ("connect",),
    "fallax.core.types": (
        "Detection",
        "FaithfulnessVerdict",
        "GoldSpan",
        "Prediction",
        "Record",
        "Score",
        "Span",
        "Taxonomy",
        "Verification",
    ),
    "fallax.errors": ("FallaxError", "InputError"),
    "fallax.many": ("debate_many", "detect_many", "verify_many"),
    "fallax.scoring": ("score",),
}
_MODULES = ("metrics",)


def __getattr__(name: str) -> Any:
    """Import a public name on first use, to keep ``import fallax`` fast."""
    import importlib

    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    if name in _MODULES:
        return importlib.import_module(f"fallax.{name}")
    raise AttributeError(f"module 'fallax' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
