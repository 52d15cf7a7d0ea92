"""Human annotation: reading, agreement, merging into gold, and comparison with judges."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fallax.annotation.agreement import AgreementReport, Dispute, SpanReport, agreement_report
    from fallax.annotation.merging import RULES, Merged, merge_annotations
    from fallax.annotation.reading import Annotations, ItemRating, continua, read_annotations, read_ratings

__all__ = [
    "RULES",
    "AgreementReport",
    "Annotations",
    "Dispute",
    "ItemRating",
    "Merged",
    "SpanReport",
    "agreement_report",
    "continua",
    "merge_annotations",
    "read_annotations",
    "read_ratings",
]

#: Where each name is; imported when it is first used, as agreement needs scipy and the store of annotations does not.
_HOME = {
    **dict.fromkeys(("AgreementReport", "Dispute", "SpanReport", "agreement_report"), "agreement"),
    **dict.fromkeys(("RULES", "Merged", "merge_annotations"), "merging"),
    **dict.fromkeys(("Annotations", "ItemRating", "continua", "read_annotations", "read_ratings"), "reading"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
