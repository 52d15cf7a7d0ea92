"""Examines one record with a detector, a judge of summaries or a verifier, loaded once per process."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from fallax.api import adetect, detection_system, verification_system
from fallax.core.checked import is_truth_value, plain
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import whole_characters
from fallax.core.types import Record
from fallax.core.versions import folder_name
from fallax.detection.systems import guarded_detector
from fallax.errors import DetectorError, FallaxError, InputError, UnknownNameError, one_line

__all__ = ["FIELDS", "JOBS", "Examiner", "ScanJob", "card_hash", "examiner_of", "job_of"]

#: job -> what it says of a record.
JOBS: Mapping[str, str] = {
    "detection": "fallacies as spans of a text",
    "faithfulness": "is a summary faithful to its document?",
    "verification": "does evidence support a claim?",
}
#: job -> the fields of a record that it reads, the first of them first.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "detection": ("text",),
    "faithfulness": ("document", "summary"),
    "verification": ("claim", "evidence"),
}


#: job -> what its system is called.
_SYSTEMS: Mapping[str, str] = {"detection": "detector", "faithfulness": "judge", "verification": "verifier"}
#: Settings, their types, and what they must be.
_SETTINGS: tuple[tuple[str, type, str], ...] = (
    ("system", str, "a text or a path"),
    ("taxonomy", str, "a text"),
    ("level", Integral, "a whole number"),
    ("min_confidence", Real, "a number"),
)


@dataclass(frozen=True, slots=True)
class ScanJob:
    """What to examine each record for, and with which system.

    Parameters
    ----------
    kind : a key of :data:`JOBS`.
    system : a detector, a judge or a verifier by name, or its folder; None: the one that ships.
    taxonomy, level, min_confidence : of detection, see :func:`fallax.detect`.
    abstain : of faithfulness and verification: "cannot tell" is an answer.

    Raises
    ------
    UnknownNameError, InputError
        A job nobody knows, a setting that it does not read, or a value of another type.

    Examples
    --------
    >>> ScanJob("detection", min_confidence=0.5).settings()["min_confidence"]
    0.5
    """

    kind: str = "detection"
    system: str | Path | None = None
    taxonomy: str | None = None
    level: int | None = None
    min_confidence: float | None = None
    abstain: bool = True

    def __post_init__(self) -> None:
        if self.kind not in JOBS:
            raise UnknownNameError("job", self.kind, JOBS)
        if isinstance(self.system, os.PathLike):
            object.__setattr__(self, "system", folder_name(self.system, kind=_SYSTEMS[self.kind]))
        for name, kind, must in _SETTINGS:
            value = getattr(self, name)
            if value is not None:
                if not isinstance(value, kind) or is_truth_value(value):
                    raise InputError(f"{name}: must be {must}, got {one_line(repr(value), 60)}")
                object.__setattr__(self, name, float(getattr(self, name)) if kind is Real else plain(value))
        if self.min_confidence is not None and not 0 <= self.min_confidence <= 1:
            raise InputError(f"min_confidence must be in [0, 1], got {self.min_confidence:g}")
        unread = [n for n in ("taxonomy", "level", "min_confidence") if getattr(self, n) is not None]
        if self.kind != "detection" and unread:
            raise InputError(f"{unread[0]}: is read by detection only, not by {self.kind}")
        if self.kind == "detection" and not self.abstain:
            raise InputError("abstain: is read by faithfulness and verification, not by detection")

    def settings(self) -> dict[str, Any]:
        """The job as JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Examiner:
    """A loaded job.

    Parameters
    ----------
    job : a key of :data:`JOBS`.
    name : of the detector, judge or verifier, with its version.
    hash : the first half of the SHA-256 of its card, which holds those of its files; of its name where it has none.
    answer : from the fields of a record to what is said of it, as JSON values.
    """

    job: str
    name: str
    hash: str
    answer: Callable[[Mapping[str, Any]], Coroutine[Any, Any, dict[str, Any]]]

    def answers(self, records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any] | str]:
        """The answer for each record, or why it could not be examined; a bad record does not stop the others."""

        async def all_of_them() -> list[dict[str, Any] | str]:
            return [await self._one(values) for values in records]

        return asyncio.run(all_of_them())

    async def _one(self, values: Mapping[str, Any]) -> dict[str, Any] | str:
        try:
            return await self.answer(values)
        except DetectorError as error:  # the place of the record is said beside it
            return one_line(error.reason, 400)
        except FallaxError as error:
            return one_line(error, 400)
        except Exception as error:
            return one_line(f"could not be examined: {type(error).__name__}: {error}", 400)


def card_hash(name: str, system: Any) -> str:
    """The identity of a detector, judge or verifier: half of the SHA-256 of its card.

    Parameters
    ----------
    name : with its version; what is hashed where there is no card.
    system : a detector, or what reads with a model that has a card.

    Examples
    --------
    >>> len(card_hash("demo", None))
    32
    """
    said = name
    owners = ((system, "card"), (getattr(system, "detector", None), "card"), (getattr(system, "model", None), "about"))
    for owner, field in owners:
        found = getattr(owner, field, None)
        if found is not None:
            said = json.dumps(found() if callable(found) else found, sort_keys=True, ensure_ascii=False)
            break
    return hashlib.sha256(said.encode("utf-8")).hexdigest()[:32]


def job_of(job: ScanJob | None) -> ScanJob:
    """A job; by default the detection of fallacies by the detector that ships.

    Raises
    ------
    InputError
        If it is something else.
    """
    if not isinstance(job, ScanJob | None):
        raise InputError(f"job: must be a ScanJob, such as ScanJob('detection'), got {one_line(repr(job), 40)}")
    return ScanJob() if job is None else job


@cache
def examiner_of(job: ScanJob) -> Examiner:
    """The examiner of a job, loaded once per process.

    Raises
    ------
    UnknownNameError, FormatError, InputError
        A system, a label set or a level nobody knows, or a system that is damaged.
    """
    return {"detection": _detection, "faithfulness": _faithfulness, "verification": _verification}[job.kind](job)


def _detection(job: ScanJob) -> Examiner:
    system = detection_system(system=job.system)
    taxonomy = system.taxonomy if job.taxonomy is None else job.taxonomy
    labels = load_taxonomy(taxonomy)
    labels.check_level(labels.finest if job.level is None else job.level)
    with guarded_detector(job.system or system.name):
        digest = card_hash(system.name, system)

    async def answer(values: Mapping[str, Any]) -> dict[str, Any]:
        record = Record("text", values["text"], None, meta={k: values[k] for k in ("form", "blocks") if k in values})
        found = await adetect(
            record, system=system, taxonomy=taxonomy, level=job.level, min_confidence=job.min_confidence
        )
        said: dict[str, Any] = {
            "n_findings": len(found.spans),
            "spans": [{**s.to_dict(), "text": found.text_of(s)} for s in found.spans],
        }
        if found.notes:
            said["notes"] = list(found.notes)
        return said

    return Examiner(job.kind, system.name, digest, answer)


def _faithfulness(job: ScanJob) -> Examiner:
    from fallax.faithfulness.systems import load_local_judge, pair_answer

    judge = load_local_judge(job.system, abstain=job.abstain)

    async def answer(values: Mapping[str, Any]) -> dict[str, Any]:
        return await pair_answer(judge, whole_characters(values["document"]), whole_characters(values["summary"]))

    return Examiner(job.kind, judge.name, card_hash(judge.name, judge), answer)


def _verification(job: ScanJob) -> Examiner:
    from fallax.causality.systems import claim_answer

    verifier = verification_system(system=job.system, abstain=job.abstain)
    name = str(getattr(verifier, "name", job.system or "entailment"))

    async def answer(values: Mapping[str, Any]) -> dict[str, Any]:
        evidence = [whole_characters(e) for e in values["evidence"]]
        return await claim_answer(verifier, whole_characters(values["claim"]), evidence)

    return Examiner(job.kind, name, card_hash(name, verifier), answer)
