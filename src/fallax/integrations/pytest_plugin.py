"""A pytest plugin with assertions about texts.

In a test they are fixtures of the same names, or imported from here. What a system cannot tell is no failure: the test
is skipped, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fallax.core.types import Detection, FaithfulnessVerdict
else:  # the plugin is imported by every run of pytest, so nothing is imported before it is used
    Detection = FaithfulnessVerdict = Any

import pytest

__all__ = ["assert_faithful", "assert_no_fallacy"]


def assert_no_fallacy(
    text: str,
    *,
    max: int = 0,
    labels: Sequence[str] = (),
    min_confidence: float | None = None,
    system: str | None = None,
    waived: Sequence[str] = (),
) -> Detection:
    """Fail if a text has more findings than allowed; the message quotes them with their hashes.

    Parameters
    ----------
    text : what was written, by a program say.
    max : the most findings allowed.
    labels : count only these, by their names in the detector's taxonomy; by default all.
    min_confidence, system : see :func:`fallax.detect`.
    waived : hashes of findings that are let pass.

    Raises
    ------
    InputError
        If the text, a label or an option is not what it must be.

    Examples
    --------
    >>> assert_no_fallacy("The kettle boils at seven.").spans
    ()
    """
    from fallax.api import detect
    from fallax.core.taxonomies import load_taxonomy
    from fallax.errors import InputError
    from fallax.render.labels import said_label
    from fallax.render.sarif import placed_findings

    __tracebackhide__ = True
    for name, given in (("labels", labels), ("waived", waived)):
        if isinstance(given, str):
            raise InputError(f"{name}: must be a list of texts, got one text; put it in a list")
    found = detect(text, system=system, min_confidence=min_confidence)
    counted = {load_taxonomy(found.taxonomy).resolve(label, where="labels") for label in labels}
    findings = [f for f in placed_findings(found) if (not counted or f.label in counted) and f.hash not in waived]
    if len(findings) > max:
        said = "\n".join(
            f"  {said_label(f.label, f.label_confidence)} [{f.hash}]: {' '.join(f.text.split())}" for f in findings
        )
        pytest.fail(f"must have at most {max} findings, got {len(findings)} by {found.system}:\n{said}", pytrace=False)
    if found.notes:
        pytest.skip("; ".join(found.notes))
    return found


def assert_faithful(
    document: str, text: str, *, at_least: float = 0.5, system: str | None = None
) -> FaithfulnessVerdict:
    """Fail if a text is not faithful to a document.

    Parameters
    ----------
    document, text : such as a source and a summary of it.
    at_least : the probability that it is faithful, below which the test fails, in [0, 1].
    system : a local judge; by default the one that ships.

    Raises
    ------
    InputError
        If a text has no words to judge, or an option is not what it must be.

    Examples
    --------
    >>> assert_faithful("The board met in March.", "The board met in March.").label
    'faithful'
    """
    from fallax.errors import InputError
    from fallax.many import debate_many

    __tracebackhide__ = True
    if not 0 <= at_least <= 1:
        raise InputError(f"at_least: must be in [0, 1], got {at_least:g}")
    (verdict,) = debate_many([(document, text)], system=system)
    if verdict.label is None:
        pytest.skip(f"undecided: {verdict.judge} cannot tell: {verdict.unscored}")
    sure = verdict.probability
    if (sure is not None and sure < at_least) or (sure is None and verdict.label != "faithful"):
        shown = verdict.label if sure is None else f"{sure:.2f}"
        bad = [u for u in verdict.units if u.label == "unfaithful"]
        said = "\n".join(f"  unfaithful: {' '.join(u.text.split())}" for u in bad)
        pytest.fail(
            f"must be faithful with at least {at_least:g}, got {shown} by {verdict.judge}\n{said}", pytrace=False
        )
    return verdict


@pytest.fixture(name="assert_no_fallacy", scope="session")
def _no_fallacy() -> Callable[..., Detection]:
    """:func:`assert_no_fallacy`."""
    return assert_no_fallacy


@pytest.fixture(name="assert_faithful", scope="session")
def _faithful() -> Callable[..., FaithfulnessVerdict]:
    """:func:`assert_faithful`."""
    return assert_faithful
