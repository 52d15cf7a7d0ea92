"""The verbs that need no model, for many inputs at once: what computes is loaded once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from fallax.api import verification_system, verify
from fallax.core.types import CausalClaim, Verification

if TYPE_CHECKING:
    from fallax.core.types import FaithfulnessVerdict
    from fallax.faithfulness.systems.settings import Level

__all__ = ["debate_many", "verify_many"]


def debate_many(
    pairs: Iterable[Mapping[str, Any] | tuple[str, str]],
    *,
    local_judge: str | None = None,
    level: Level = "sentence",
    abstain: bool = True,
) -> Iterator[FaithfulnessVerdict]:
    """Judge many summaries without a model, one after another; the judge is loaded once.

    Parameters
    ----------
    pairs : each with ``document`` and ``summary``, or a tuple of the two.
    local_judge : a name of :data:`fallax.faithfulness.systems.LOCAL_JUDGES`; None: the default.
    level : a verdict for each sentence, or one for the whole summary.
    abstain : let the judge say that it cannot tell. False: always the likelier label.

    Raises
    ------
    UnjudgeableError
        A document or a summary is empty.

    Examples
    --------
    >>> [v.judge for v in debate_many([("The ferry left.", "The ferry left.")], local_judge="lexical-overlap")]
    ['lexical-overlap']
    """
    from fallax.core.sync import run
    from fallax.faithfulness.systems import load_local_judge

    judge = load_local_judge(local_judge, level=level, abstain=abstain)
    for pair in pairs:
        document, summary = pair if isinstance(pair, tuple) else (pair["document"], pair["summary"])
        yield run(judge.judge(document, summary))


def verify_many(
    claims: Iterable[Mapping[str, Any] | CausalClaim],
    *,
    baseline: str | None = None,
    classes: int = 3,
    abstain: bool = True,
) -> Iterator[Verification]:
    """Verify many claims without a model, one after another; the verifier is loaded once.

    Parameters
    ----------
    claims : each with ``claim`` and ``evidence``, a list of texts; or a claim with its evidence.
    baseline, classes, abstain : see :func:`verification_system`.

    Raises
    ------
    InputError
        A claim or a piece of evidence is empty.

    Examples
    --------
    >>> claim = {"claim": "The frost ruined the crop.", "evidence": ["Frost ruined the crop."]}
    >>> [found.label for found in verify_many([claim], baseline="lexical-overlap")]
    ['supports']
    """
    verifier = verification_system(baseline=baseline, classes=classes, abstain=abstain)
    for one in claims:
        if isinstance(one, CausalClaim):
            yield verify(one, verifier=verifier)
        else:
            yield verify(one["claim"], one["evidence"], verifier=verifier)
