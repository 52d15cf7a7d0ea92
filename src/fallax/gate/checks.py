"""Checks that pass, fail or are undecided, by comparing an interval with a threshold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from fallax.core.json_value import JsonValue
from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import FaithfulnessVerdict, Record
from fallax.detection.systems.entry import NO_PROSE
from fallax.errors import InputError
from fallax.gate.intervals import wilson
from fallax.many import debate_many, detect_many
from fallax.render.sarif import PlacedFinding, placed_findings

__all__ = ["CheckResult", "Outcome", "Waiver", "against", "check_pairs", "check_texts", "worst_of"]

Outcome = Literal["pass", "fail", "undecided"]
#: What a check that rests on a system's own judgement says where nobody has checked that system.
ADVISORY = "advisory: nobody has checked this system against people on texts like these (fallax calibrate)"


@dataclass(frozen=True, slots=True)
class Waiver:
    """A finding that is allowed until a date.

    Parameters
    ----------
    finding : its hash, see :func:`fallax.render.sarif.finding_hash`.
    until : the last day on which it holds.
    why : in words; must not be empty.
    """

    finding: str
    until: date
    why: str


@dataclass(frozen=True, slots=True)
class CheckResult(JsonValue):
    """The outcome of a check.

    Parameters
    ----------
    name : of the check.
    outcome : "fail" only where the whole interval is on the wrong side of the threshold, "pass" only where all of it is
        on the right one.
    value, low, high : the figure and its interval; None where there is none.
    threshold : in words.
    notes : what a reader must know.
    findings : what was found, the waived ones among them.
    is_advisory : whether the check rests on a system that was not checked against people.
    """

    name: str
    outcome: Outcome
    value: float | None
    low: float | None
    high: float | None
    threshold: str
    notes: tuple[str, ...] = ()
    findings: tuple[PlacedFinding, ...] = ()
    is_advisory: bool = False

    json_names = ("name", "outcome", "value", "low", "high", "threshold", "is_advisory", "notes", "findings")

    def __str__(self) -> str:
        return f"{self.outcome}: {self.name}: {self.figure}; must be {self.threshold}"

    @property
    def figure(self) -> str:
        """The value with its interval."""
        if self.value is None:
            return "no value"
        if self.low is None or self.high is None or self.low == self.high == self.value:
            return f"{self.value:.3g}"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def worst_of(results: Iterable[CheckResult]) -> Outcome:
    """The worst outcome: fail before undecided before pass.

    Examples
    --------
    >>> results = [CheckResult("a", o, 1, 1, 1, "") for o in ("pass", "undecided")]
    >>> worst_of(results)
    'undecided'
    """
    outcomes = [r.outcome for r in results]
    return "fail" if "fail" in outcomes else "undecided" if "undecided" in outcomes else "pass"


def against(low: float | None, high: float | None, threshold: float, *, at_least: bool) -> Outcome:
    """Compare an interval with a threshold; undecided where there is no interval."""
    if low is None or high is None:
        return "undecided"
    if at_least:
        return "pass" if low >= threshold else "fail" if high < threshold else "undecided"
    return "pass" if high <= threshold else "fail" if low > threshold else "undecided"


def check_texts(
    texts: Iterable[Record],
    *,
    name: str = "texts",
    max_findings: int | None = None,
    max_share: float | None = None,
    labels: Sequence[str] = (),
    min_confidence: float | None = None,
    system: str | None = None,
    waivers: Sequence[Waiver] = (),
    today: date,
    is_calibrated: bool = False,
) -> CheckResult:
    """Check texts for fallacies.

    Parameters
    ----------
    texts : each with the path or the name under which findings are shown.
    max_findings : the most findings allowed in all of them together; a plain count, 0 where neither is given.
    max_share : the most allowed share of texts with a finding, in [0, 1]; held against a 95 % interval, for the texts
        are taken as a sample of more.
    labels : count only these, by their names in the detector's taxonomy; by default all.
    min_confidence, system : see :func:`fallax.detect`.
    waivers : findings that are not counted until a day.
    today : the day by which waivers expire.
    is_calibrated : people have checked this detector on such texts.

    Raises
    ------
    InputError, UnknownNameError
        If there is no text, there are two thresholds, one is out of its range, or the taxonomy has no such label.

    Notes
    -----
    Texts that the detector does not read, in another language for instance, leave a check undecided that would pass.
    """
    if max_findings is not None and max_share is not None:
        raise InputError(f"{name}: must have one threshold, got max_findings and max_share")
    if max_findings is not None and max_findings < 0:
        raise InputError(f"{name}: max_findings must be 0 or more, got {max_findings}")
    _check_share(name, "max_share", max_share)
    held = {w.finding: w for w in waivers}
    findings: list[PlacedFinding] = []
    unread: list[str] = []
    n = n_with = 0
    for found in detect_many(texts, system=system, min_confidence=min_confidence):
        n += 1
        unread += [f"{found.record.id}: {note}" for note in found.notes if note != NO_PROSE]
        counted = {load_taxonomy(found.taxonomy).resolve(label, where=f"{name}: labels") for label in labels}
        here = [f for f in placed_findings(found) if not counted or f.label in counted]
        here = [
            replace(f, waived=held[f.hash].why) if f.hash in held and held[f.hash].until >= today else f for f in here
        ]
        n_with += any(not f.waived for f in here)
        findings += here
    if not n:
        raise InputError(f"{name}: must hold at least one text, got none")
    expired = [w for w in waivers if w.until < today and any(f.hash == w.finding for f in findings)]
    notes = tuple(f"waiver of {w.finding} expired on {w.until.isoformat()}: {w.why}" for w in expired)
    notes = (*((ADVISORY,) if not is_calibrated else ()), *notes, *unread)
    n_open = sum(not f.waived for f in findings)
    value: float = n_open
    low, high = value, value
    said = f"at most {max_findings or 0} findings"
    if max_share is not None:
        value, (low, high) = n_with / n, wilson(n_with, n)
        said = f"at most {max_share:g} of texts with a finding"
    outcome = against(low, high, (max_findings or 0) if max_share is None else max_share, at_least=False)
    outcome = "undecided" if outcome == "pass" and unread else outcome
    return CheckResult(name, outcome, value, low, high, said, notes, tuple(findings), not is_calibrated)


def check_pairs(
    pairs: Iterable[tuple[str, str] | Mapping[str, str]],
    *,
    name: str = "pairs",
    at_least: float,
    system: str | None = None,
    is_calibrated: bool = False,
) -> CheckResult:
    """Check that summaries are faithful to their documents.

    Parameters
    ----------
    pairs : document and summary, as :func:`fallax.debate_many` takes them.
    at_least : the share of summaries that must be faithful, in [0, 1].
    system : a local judge; by default the one that ships.
    is_calibrated : people have checked this judge on such pairs.

    Notes
    -----
    The interval is a 95 % Wilson interval; its lower end takes every pair that the judge cannot tell as unfaithful, its
    upper end as faithful.
    """
    _check_share(name, "at_least", at_least)
    verdicts: list[FaithfulnessVerdict] = list(debate_many(pairs, system=system))
    if not verdicts:
        raise InputError(f"{name}: must hold at least one pair, got none")
    n = len(verdicts)
    n_faithful = sum(v.label == "faithful" for v in verdicts)
    n_open = sum(v.label in (None, "ambiguous") for v in verdicts)
    low, high = wilson(n_faithful, n)[0], wilson(n_faithful + n_open, n)[1]
    notes = (f"{n_open} of {n} cannot be decided",) if n_open else ()
    outcome = against(low, high, at_least, at_least=True)
    said = f"at least {at_least:g} faithful"
    notes = notes if is_calibrated else (ADVISORY, *notes)
    return CheckResult(name, outcome, n_faithful / n, low, high, said, notes, is_advisory=not is_calibrated)


def _check_share(name: str, key: str, value: float | None) -> None:
    if value is not None and not 0 <= value <= 1:
        raise InputError(f"{name}: {key} must be a share in [0, 1], got {value:g}")
