"""Judges by name. A local judge is imported on first use."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from fallax.core.checked import is_part
from fallax.core.given import refuse_unread
from fallax.core.registry import Registry, registry
from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import ChatModel, Judge, SentenceScorer
from fallax.core.versions import check_version, folder_name, listed_name
from fallax.data.faithfulness import Level
from fallax.errors import InputError, JudgeError, UnknownNameError, one_line
from fallax.faithfulness.protocols.guidelines import Guidelines
from fallax.faithfulness.systems.ambiguity import (
    AMBIGUITY_DETECTORS,
    ArgumentsDetector,
    DisagreementDetector,
    TaxonomyDetector,
    VariationDetector,
)
from fallax.faithfulness.systems.baselines import AlwaysFaithful, LexicalOverlap, ScoringJudge
from fallax.faithfulness.systems.debate import DebateJudge
from fallax.faithfulness.systems.documents import DocumentLimit
from fallax.faithfulness.systems.odds import LogOddsJudge, read_calibration
from fallax.faithfulness.systems.settings import DebateSettings, check_count
from fallax.faithfulness.systems.single import PromptJudge
from fallax.faithfulness.systems.units import AmbiguityDetector

__all__ = [
    "DEFAULT_LOCAL_JUDGE",
    "LOCAL_JUDGES",
    "METHODS",
    "EvidenceJudge",
    "check_read",
    "load_ambiguity_detector",
    "load_local_judge",
    "load_method",
]

#: Judges that ask a chat model -> what they do (Koupaee et al. 2025, section 5.2).
METHODS: dict[str, str] = {
    "zero-shot": "one model, asked once",
    "chain-of-thought": "one model, asked to think first",
    "self-consistency": "one model, asked many times; the majority decides",
    "log-odds": "one model; the probabilities of yes and no, and no reply; for small models",
    "madisse-no-stances": "a debate without initial stances",
    "madisse": "a debate with initial stances",
    "madisse-sessions": "three independent debates; each has one vote",
    "madisse-sessions-agents": "three independent debates; each agent has one vote",
}

#: Debates -> what makes them what they are; and how many sessions they have where nobody says it.
_DEBATES: dict[str, dict[str, Any]] = {
    "madisse-no-stances": {"stances": "none"},
    "madisse": {},
    "madisse-sessions": {"vote": "debate"},
    "madisse-sessions-agents": {"vote": "agent"},
}
_SESSIONS = {"madisse-sessions": 3, "madisse-sessions-agents": 3}

#: What every method reads, and what only some do.
_READ_BY_ALL = ("level", "ambiguity", "context_tokens", "long_documents", "count_tokens", "max_tokens", "seed")
_READ_BY_SOME = {
    "zero-shot": ("guidelines", "temperature"),
    "chain-of-thought": ("guidelines", "temperature"),
    "self-consistency": ("guidelines", "temperature", "samples", "think"),
    "log-odds": ("calibration",),
}


def check_read(method: str, options: Iterable[str]) -> None:
    """Raise InputError if an option was given that a method does not read.

    Parameters
    ----------
    method : a key of :data:`METHODS`.
    options : the names of the options that were given.

    Examples
    --------
    >>> check_read("self-consistency", ["samples", "seed"])
    """
    if method in _DEBATES:
        for name in ("samples", "think", "calibration"):
            if name in options:
                reader = "log-odds" if name == "calibration" else "self-consistency"
                refuse_unread([name], f"is read by the method {reader} alone, not by {method}")
    else:
        read = (*_READ_BY_ALL, *_READ_BY_SOME[method])
        refuse_unread(options, f"is not read by the method {method}, which is no debate", read=read)


class EvidenceJudge(Judge, Protocol):
    """The port of a local judge that can show its evidence."""

    def with_settings(self, *, level: Level, threshold: float | None, abstain: bool) -> EvidenceJudge:
        """The same judge with other settings, see :func:`load_local_judge`."""


#: Judges without a chat model: name -> what makes the scorer, or the judge that shows its evidence.
LOCAL_JUDGES: Registry[Callable[[], SentenceScorer | EvidenceJudge]] = registry("judge")
LOCAL_JUDGES.add("always-faithful", AlwaysFaithful, about="calls everything faithful")
LOCAL_JUDGES.add(
    "embedding-similarity",
    "fallax.faithfulness.systems.baselines:embedding_similarity",
    about="the nearest sentence of the document, by an embedder",
)
LOCAL_JUDGES.add(
    "entailment",
    "fallax.faithfulness.systems.entailed:load_entailment_judge",
    about="a small model that reads each claim beside the passages that bear on it, and shows them; the default",
)
LOCAL_JUDGES.add(
    "entailment-large",
    "fallax.faithfulness.systems.entailed:load_large_judge",
    about="the same with a larger model, several times as slow; first: fallax models fetch entailment-large",
)
LOCAL_JUDGES.add("lexical-overlap", LexicalOverlap, about="the share of words that the document has too")
#: The local judge that is taken where none is named.
DEFAULT_LOCAL_JUDGE = "entailment"


def load_local_judge(
    name: str | Path | None = None, *, level: Level = "sentence", threshold: float | None = None, abstain: bool = True
) -> Judge:
    """A judge without a chat model.

    Parameters
    ----------
    name : a key of :data:`LOCAL_JUDGES`, also with the version that is installed, as results have it
        (``entailment@8``); or the folder of an entailment model that ``scripts/train_entailment.py`` wrote; None: the
        default. A path is always that of a folder.
    level, threshold : see :class:`fallax.faithfulness.systems.ScoringJudge`.
    abstain : let a judge that can say "cannot tell" say so. False: always the likelier label.

    Raises
    ------
    UnknownNameError : neither a judge nor a folder of that name.
    InputError : the name has another version than is installed, or a path is no folder.
    FormatError : the folder holds no entailment model, or a damaged one.
    ModelError : the larger entailment model was not fetched.
    JudgeError : what makes the judge gives none.

    Examples
    --------
    >>> load_local_judge("lexical-overlap").name
    'lexical-overlap'
    """
    name = DEFAULT_LOCAL_JUDGE if name is None else name
    if not isinstance(name, str):
        name = folder_name(name, kind="judge")
    listed = listed_name(name, LOCAL_JUDGES, kind="judge")
    if listed not in LOCAL_JUDGES and os.path.isdir(name):
        from fallax.faithfulness.systems.entailed import load_entailment_judge

        made: SentenceScorer | EvidenceJudge = load_entailment_judge(name)
    else:
        made = LOCAL_JUDGES.find(listed)()
    judge: Judge
    if not is_part(made, "score" if isinstance(made, SentenceScorer) else "with_settings", "name"):
        must = "must have a name, which is a text, a threshold, calibrated and score"
        raise JudgeError(f"judge {listed!r} {must}, got {one_line(repr(made), 60)}")
    if isinstance(made, SentenceScorer):
        judge = ScoringJudge(made, level=level, threshold=threshold)
    else:
        judge = made.with_settings(level=level, threshold=threshold, abstain=abstain)
    check_version(name, judge.name, LOCAL_JUDGES, kind="judge")
    return judge


def load_ambiguity_detector(
    name: str | None, *, model: ChatModel | None = None, guidelines: Guidelines | None = None, max_tokens: int = 1024
) -> AmbiguityDetector | None:
    """An ambiguity detector by name; None for None and "none".

    Raises
    ------
    UnknownNameError : no detector of that name.
    InputError : it needs a model and there is none.
    """
    if name is None or name == "none":
        return None
    if name == "variation":
        return VariationDetector()
    if name == "disagreement":
        return DisagreementDetector()
    if name not in AMBIGUITY_DETECTORS:
        raise UnknownNameError("detector of ambiguity", name, [*AMBIGUITY_DETECTORS, "none"])
    if model is None:
        raise InputError(f"detector {name!r} asks a model; give one")
    taxonomy = load_taxonomy("ambiguity_prompts") if name.endswith("-15") else None
    if name.startswith("taxonomy"):
        return TaxonomyDetector(model, max_tokens=max_tokens, taxonomy=taxonomy)
    return ArgumentsDetector(model, guidelines=guidelines, max_tokens=max_tokens, taxonomy=taxonomy)


def _debate_settings(method: str, settings: DebateSettings) -> DebateSettings:
    changes: dict[str, Any] = {}
    for key, value in _DEBATES[method].items():
        given = getattr(settings, key)
        if key in settings.given and given != value:
            raise InputError(f"{method}: {key} must be {value!r}, got {given!r}; leave it out or take another method")
        changes[key] = value
    if method in _SESSIONS and "sessions" not in settings.given:
        changes["sessions"] = _SESSIONS[method]
    return settings.changed(**changes)


def load_method(
    name: str,
    models: ChatModel | Sequence[ChatModel],
    *,
    settings: DebateSettings | None = None,
    n: int = 41,
    tokens: int | None = None,
    think: bool = False,
    temperature: float | None = None,
    calibration: str | None = None,
    adjudicators: Sequence[ChatModel] = (),
    limit: DocumentLimit | None = None,
    detector: AmbiguityDetector | None = None,
) -> Judge:
    """A judge that asks a chat model, by its name in :data:`METHODS`.

    Parameters
    ----------
    name : which one.
    models : the model, or for debates several that take turns; the others take the first.
    settings : of debates; level, seed and ``max_tokens`` hold for all, and so do guidelines that were set, but for
        ``log-odds``. What the name says must not contradict them.
    n, tokens : samples of ``self-consistency``, or how many tokens they may come to.
    think : let every sample of ``self-consistency`` think first, as the agents of a debate do.
    temperature : of those that are no debates; None: 0, and 0.7 for self-consistency.
    calibration : a file for ``log-odds``; None: that which ships for the model, if there is one.
    adjudicators, limit, detector : see :class:`fallax.faithfulness.systems.DebateJudge`.

    Raises
    ------
    UnknownNameError : no method of that name.
    InputError : a setting contradicts the method, or it has not the votes that a detector compares.
    """
    if name not in METHODS:
        raise UnknownNameError("judge", name, [*METHODS, *LOCAL_JUDGES])
    check_count(n, "n", least=1, where="self-consistency")
    if not isinstance(think, bool):
        raise InputError(f"self-consistency: think must be true or false, got {think!r}")
    base = settings if settings is not None else DebateSettings.of()
    several = name in _DEBATES or (name == "self-consistency" and (n > 1 or tokens is not None))
    if isinstance(detector, VariationDetector) and not several:
        raise InputError(
            f"{name}: must have several votes for the detector 'variation' to compare, has one; take 'taxonomy', a"
            " debate, or self-consistency with more samples"
        )
    if name in _DEBATES:
        debate = _debate_settings(name, base)
        return DebateJudge(models, debate, adjudicators=adjudicators, limit=limit, detector=detector, name=name)
    first = models[0] if isinstance(models, Sequence) else models
    guidelines = base.guidelines if "guidelines" in base.given else None
    if name == "log-odds":
        if guidelines is not None:
            raise InputError("log-odds: guidelines must be none, it asks for one word; leave them out")
        found = None if calibration is None else read_calibration(calibration)
        return LogOddsJudge(first, calibration=found, level=base.level, limit=limit, detector=detector)
    return PromptJudge(
        first,
        n=n if name == "self-consistency" else 1,
        tokens=tokens if name == "self-consistency" else None,
        think=name == "chain-of-thought" or (think and name == "self-consistency"),
        temperature=temperature,
        max_tokens=base.max_tokens,
        seed=base.seed,
        guidelines=guidelines,
        level=base.level,
        limit=limit,
        detector=detector,
    )
