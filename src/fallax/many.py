"""The verbs for many inputs; local models are loaded once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fallax.api import DetectionSystem, detect, detection_system, verification_system, verify
from fallax.core.checked import checked, refuse_table
from fallax.core.given import renamed
from fallax.core.types import CausalClaim, Detection, Record, Verification
from fallax.errors import InputError, one_line

if TYPE_CHECKING:
    from fallax.causality.systems import Verifier
    from fallax.core.types import ChatModel, FaithfulnessVerdict
    from fallax.data.faithfulness import Level
    from fallax.detection.systems import Detector

__all__ = ["debate_many", "detect_many", "verify_many"]


@renamed(detector="system")
@checked("texts")
def detect_many(
    texts: Iterable[str | Record],
    *,
    progress: Callable[[int], None] | bool = False,
    system: str | Path | Detector | DetectionSystem | None = None,
    model: str | ChatModel | None = None,
    protocol: str | None = None,
    taxonomy: str | None = None,
    level: int | None = None,
    min_confidence: float | None = None,
    explain: bool = False,
) -> Iterator[Detection]:
    """Find passages in many texts one by one: the detector is loaded once, and texts are read lazily.

    Parameters
    ----------
    texts : texts or records; texts are named ``text-1``, ``text-2``, ...
    progress : True shows a count on a terminal (standard error); a function gets the number of finished texts.
    system, model, protocol, taxonomy, level, min_confidence, explain : as in :func:`detect`.

    Yields
    ------
    Detection
        One for each text, in order.

    Raises
    ------
    InputError
        As :func:`detect`, or if ``texts`` is one text.

    Examples
    --------
    >>> [found.record.id for found in detect_many(["The kettle is on.", "It boils at seven."])]
    ['text-1', 'text-2']
    """
    if isinstance(texts, (str, Record)):
        raise InputError("texts must be a list of texts, got one text; give it to detect, or put it in a list")
    _check_list(texts, "texts", "texts", "a column, such as table[NAME]")
    tell = _count_on_terminal if progress is True else progress or None
    used = detection_system(system=system, model=model, protocol=protocol, taxonomy=taxonomy)
    for number, text in enumerate(texts, 1):
        if not isinstance(text, str | Record):
            raise InputError(f"texts: text {number} must be a text or a Record, got {_found(text)}")
        record = Record(f"text-{number}", text) if isinstance(text, str) else text
        yield detect(
            record, system=used, taxonomy=taxonomy, level=level, min_confidence=min_confidence, explain=explain
        )
        if tell:
            tell(number)


def _found(value: object) -> str:
    said = repr(value)
    hint = "; leave it out, as table[NAME].dropna() does" if said in ("None", "nan", "<NA>", "NaT") else ""
    return one_line(said, 40) + hint


def _check_list(given: object, name: str, what: str, give: str = 'table.to_dict("records")') -> None:
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping):
        raise InputError(f"{name} must be a list of {what}, got {one_line(repr(given), 40)}")
    refuse_table(given, f"{name} must be a list of {what}", give)


def _count_on_terminal(n: int) -> None:
    import sys

    if sys.stderr.isatty():
        sys.stderr.write(f"\r{n:,} texts examined")
        sys.stderr.flush()


@renamed(local_judge="system")
@checked("pairs")
def debate_many(
    pairs: Iterable[Mapping[str, Any] | tuple[str, str]],
    *,
    system: str | Path | None = None,
    level: Level = "sentence",
    abstain: bool = True,
) -> Iterator[FaithfulnessVerdict]:
    """Judge many summaries one by one without a chat model; the judge is loaded once.

    Parameters
    ----------
    pairs : each with ``document`` and ``summary``, or a tuple of the two.
    system : a name of :data:`fallax.faithfulness.systems.LOCAL_JUDGES`, or the folder of an entailment model;
        None: the default.
    level : a verdict for each sentence, or one for the whole summary.
    abstain : let the judge say that it cannot tell. False: always the likelier label.

    Raises
    ------
    UnjudgeableError
        A document or a summary is empty.
    InputError
        A pair is neither of these.

    Examples
    --------
    >>> [v.judge for v in debate_many([("The ferry left.", "The ferry left.")], system="lexical-overlap")]
    ['lexical-overlap']
    """
    from fallax.core.sync import run
    from fallax.faithfulness.systems import NotingJudge, load_local_judge

    _check_list(pairs, "pairs", "pairs of a document and a summary")
    judge = NotingJudge(load_local_judge(system, level=level, abstain=abstain))
    for number, pair in enumerate(pairs, 1):
        document, summary = _two_of(pair, "pair", number, "document", "summary")
        yield run(judge.judge(document, summary))


def _two_of(one: object, what: str, number: int, first: str, second: str) -> tuple[Any, Any]:
    """The two parts of an item, which is a mapping with both or a tuple of both."""
    if isinstance(one, tuple) and len(one) == 2:
        return one[0], one[1]
    if isinstance(one, Mapping) and first in one and second in one:
        return one[first], one[second]
    got = f"keys {', '.join(map(repr, one))}" if isinstance(one, Mapping) else type(one).__name__
    raise InputError(f"{what} {number}: must be a mapping with {first!r} and {second!r}, or a tuple of both, got {got}")


@renamed(baseline="system")
@checked("claims")
def verify_many(
    claims: Iterable[Mapping[str, Any] | tuple[str, Sequence[str]] | CausalClaim],
    *,
    system: str | Path | Verifier | None = None,
    classes: int | None = None,
    abstain: bool = True,
) -> Iterator[Verification]:
    """Verify many claims one by one without a chat model; the verifier is loaded once.

    Parameters
    ----------
    claims : each with ``claim`` and ``evidence``, a list of texts; a tuple of the two; or a claim with its evidence.
    system, classes, abstain : see :func:`verification_system`.

    Raises
    ------
    InputError
        A claim or a piece of evidence is empty, or an item is none of these.

    Examples
    --------
    >>> claim = {"claim": "The frost ruined the crop.", "evidence": ["Frost ruined the crop."]}
    >>> [found.label for found in verify_many([claim], system="lexical-overlap")]
    ['supports']
    """
    _check_list(claims, "claims", "claims with evidence")
    verifier = verification_system(system=system, classes=classes, abstain=abstain)
    for number, one in enumerate(claims, 1):
        if isinstance(one, CausalClaim):
            yield verify(one, system=verifier)
        else:
            claim, evidence = _two_of(one, "claim", number, "claim", "evidence")
            yield verify(claim, evidence, system=verifier)
