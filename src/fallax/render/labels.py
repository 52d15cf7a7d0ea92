"""Says a predicted label as surely as it is known."""

from __future__ import annotations

from fallax.core.types.spans import label_is_unsure

__all__ = ["finding_message", "said_label"]


def said_label(label: str, label_confidence: float | None) -> str:
    """The label as a reader is told it: with "perhaps" if it is likelier wrong than right.

    Parameters
    ----------
    label, label_confidence : see :class:`fallax.core.types.Span`.

    Examples
    --------
    >>> said_label("straw man", 0.31), said_label("straw man", 0.5), said_label("straw man", None)
    ('perhaps straw man', 'straw man', 'straw man')
    """
    return f"perhaps {label}" if label_is_unsure(label_confidence) else label


def finding_message(label: str, confidence: float | None, label_confidence: float | None) -> str:
    """A finding in one line, for editors and code hosts.

    Parameters
    ----------
    label, confidence, label_confidence : see :class:`fallax.core.types.Span`.

    Examples
    --------
    >>> finding_message("straw man", 0.9, 0.8)
    'looks like straw man (90 % likely part of a fallacy)'
    >>> finding_message("straw man", 0.9, 0.3)
    'looks like a fallacy, perhaps straw man (90 % likely part of a fallacy)'
    """
    said = said_label(label, label_confidence)
    sure = "" if confidence is None else f" ({100 * confidence:.0f} % likely part of a fallacy)"
    return f"looks like {'' if said == label else 'a fallacy, '}{said}{sure}"
