"""Makes a judge of summaries from named settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fallax.core.given import NOT_GIVEN, NotGiven, given, refuse_unread
from fallax.core.types import ChatModel, Judge
from fallax.data.faithfulness import Level
from fallax.errors import InputError, UnjudgeableError, UnknownNameError
from fallax.faithfulness.protocols.guidelines import Guidelines
from fallax.faithfulness.systems.documents import Policy, document_limit
from fallax.faithfulness.systems.registry import (
    LOCAL_JUDGES,
    METHODS,
    check_read,
    load_ambiguity_detector,
    load_local_judge,
    load_method,
)
from fallax.faithfulness.systems.settings import DebateSettings, Vote

__all__ = ["judge_of", "pair_answer"]


def judge_of(
    model: ChatModel | Sequence[ChatModel] | None = None,
    *,
    system: str | Path | None = None,
    method: str | None = None,
    agents: int | None = None,
    stances: str | None = None,
    rounds: int | None = None,
    sessions: int | None = None,
    vote: Vote | None = None,
    adjudicators: int | None = None,
    adjudicator_models: Sequence[ChatModel] = (),
    shuffle: bool | None = None,
    guidelines: str | Path | Guidelines | NotGiven | None = NOT_GIVEN,
    intervene_after: int | NotGiven | None = NOT_GIVEN,
    intervention: str | None = None,
    level: Level | None = None,
    samples: int | None = None,
    think: bool | None = None,
    calibration: str | None = None,
    variant: str | None = None,
    ambiguity: str | NotGiven | None = NOT_GIVEN,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    context_tokens: int | None = None,
    long_documents: Policy | None = None,
    count_tokens: Callable[[str], int] | None = None,
    abstain: bool = True,
) -> Judge:
    """The judge of summaries for these settings; each has a default.

    Parameters
    ----------
    model : who debates; several take turns. None: a local judge, no debate.
    system : which local judge, where there is no model.
    method : a key of :data:`fallax.faithfulness.systems.METHODS`; "madisse".
    agents, stances, rounds, sessions, vote, adjudicators, shuffle, guidelines, intervene_after, intervention, level,
    temperature, max_tokens, seed, variant : see :class:`fallax.faithfulness.systems.DebateSettings`; guidelines also by
        name or path, "none" or None for none.
    adjudicator_models : who adjudicates; by default the agents' models.
    samples : of self-consistency; 41.
    think : let each of them think first; False.
    calibration : a file, for log-odds.
    ambiguity : a detector of ambiguity, or None; "arguments". With a method that is no debate, "arguments" and
        "disagreement" become "taxonomy", as there is no debate to look at.
    context_tokens, long_documents, count_tokens : see :class:`fallax.faithfulness.systems.DocumentLimit`.
    abstain : let a local judge say that it cannot tell.

    Raises
    ------
    UnknownNameError : a name nobody knows.
    InputError : a setting out of range, or one that this judge would not read.

    Examples
    --------
    >>> judge_of(system="lexical-overlap").name
    'lexical-overlap'
    """
    settings = given(
        agents=agents, stances=stances, rounds=rounds, sessions=sessions, vote=vote, adjudicators=adjudicators,
        shuffle=shuffle, intervention=intervention, level=level, temperature=temperature, max_tokens=max_tokens,
        seed=seed, variant=variant,
    )  # fmt: skip
    if guidelines is not NOT_GIVEN:
        settings["guidelines"] = guidelines
    if intervene_after is not NOT_GIVEN:
        settings["intervene_after"] = intervene_after
    options = given(
        method=method, samples=samples, think=think, calibration=calibration, ambiguity=ambiguity,
        adjudicator_models=adjudicator_models or None, context_tokens=context_tokens, long_documents=long_documents,
    )  # fmt: skip
    if model is None:
        refuse_unread({**settings, **options}, "needs a model, the local judge does not read it", read=["level"])
        return load_local_judge(system, level=level or "sentence", abstain=abstain)
    if system is not None:
        raise InputError("system: must not come with a model, which judges instead; leave one out")
    refuse_unread([] if abstain else ["abstain"], "is not read where a model judges")
    models = tuple(model) if isinstance(model, Sequence) else (model,)
    if not models:
        raise InputError("model: must be at least one model, got an empty list; leave it out for a local judge")
    method = "madisse" if method is None else method
    if method not in METHODS:
        raise UnknownNameError("judge", method, [*METHODS, *LOCAL_JUDGES])
    check_read(method, [n for n, v in {**settings, **options}.items() if n != "method" and v not in (None, "none")])
    made = DebateSettings.of(**settings)
    detector = "arguments" if ambiguity is NOT_GIVEN else ambiguity
    if detector in ("arguments", "arguments-15", "disagreement") and not method.startswith("madisse"):
        detector = "taxonomy"
    return load_method(
        method,
        models,
        settings=made,
        n=41 if samples is None else samples,
        think=think or False,
        temperature=temperature,
        calibration=calibration,
        adjudicators=adjudicator_models,
        limit=document_limit(context_tokens, long_documents or "refuse", count_tokens),
        detector=load_ambiguity_detector(
            detector, model=models[0], guidelines=made.guidelines, max_tokens=made.max_tokens
        ),
    )


async def pair_answer(judge: Judge, document: str, summary: str) -> dict[str, Any]:
    """A verdict as one line of many: label, probability, faults, evidence, unsupported words, ambiguity.

    Returns
    -------
    dict
        ``label`` is one of faithful, unfaithful, ambiguous, cannot_tell; ``probability`` that the summary is faithful;
        ``reason`` why it cannot be told. A pair without a document or summary to read cannot be told either.
    """
    try:
        verdict = await judge.judge(document, summary)
    except UnjudgeableError as error:
        return {"label": "cannot_tell", "probability": None, "reason": str(error)}
    found: dict[str, Any] = {"label": verdict.label or "cannot_tell", "probability": verdict.probability}
    if verdict.label is None:
        found["reason"] = verdict.unscored
    found["faults"] = [f.to_dict() for f in verdict.faults]
    found["evidence"] = [e.to_dict() for u in verdict.units for e in u.evidence]
    found["unsupported"] = [w.to_dict() for u in verdict.units for w in u.unsupported]
    if (ambiguity := verdict.ambiguity) is not None and ambiguity.is_ambiguous:
        found["ambiguity"] = ambiguity.to_dict()
    if verdict.notes:
        found["notes"] = list(verdict.notes)
    return found
