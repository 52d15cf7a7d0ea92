"""Is this summary faithful? One call, from settings by name to the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fallax.core.types import ChatModel, FaithfulnessVerdict, Judge
from fallax.errors import InputError
from fallax.faithfulness.systems.documents import Policy, document_limit
from fallax.faithfulness.systems.registry import METHODS, load_detector, load_local_judge, load_method
from fallax.faithfulness.systems.settings import DebateSettings

__all__ = ["adebate", "judge_of"]


def judge_of(
    model: ChatModel | Sequence[ChatModel] | None = None,
    *,
    method: str = "madisse",
    ambiguity: str | None = "arguments",
    adjudicator_models: Sequence[ChatModel] = (),
    samples: int = 41,
    calibration: str | None = None,
    local_judge: str | None = None,
    context_tokens: int | None = None,
    long_documents: Policy = "refuse",
    count_tokens: Callable[[str], int] | None = None,
    **settings: Any,
) -> Judge:
    """The judge that :func:`adebate` asks.

    Parameters
    ----------
    model : who debates; several take turns. None: a local judge, no debate.
    method : a key of :data:`fallax.faithfulness.systems.METHODS`.
    ambiguity : a detector of ambiguity, or None. With a method that is no debate, "arguments" and "disagreement" become
        "taxonomy", as there is no debate to look at.
    adjudicator_models : None: the agents judge.
    samples : of self-consistency.
    calibration : a file, for log-odds.
    local_judge : which one, where there is no model.
    context_tokens, long_documents, count_tokens : see :class:`fallax.faithfulness.systems.DocumentLimit`.
    settings : of :meth:`fallax.faithfulness.systems.DebateSettings.of`: agents, stances, rounds, sessions, vote,
        adjudicators, shuffle, guidelines, intervene_after, intervention, level, temperature, max_tokens, seed, variant.

    Raises
    ------
    UnknownNameError, InputError : a name nobody knows, a setting that cannot be.
    """
    made = DebateSettings.of(**settings)
    limit = document_limit(context_tokens, long_documents, count_tokens)
    if model is None:
        if adjudicator_models:
            raise InputError("adjudicators need a model to debate; give one")
        return load_local_judge(local_judge, level=made.level)
    models = tuple(model) if isinstance(model, Sequence) else (model,)
    if not models:
        raise InputError("a debate needs at least one model, got none")
    if ambiguity in ("arguments", "disagreement") and not method.startswith("madisse") and method in METHODS:
        ambiguity = "taxonomy"
    return load_method(
        method,
        models,
        settings=made,
        n=samples,
        temperature=settings.get("temperature"),
        calibration=calibration,
        adjudicators=adjudicator_models,
        limit=limit,
        detector=load_detector(ambiguity, model=models[0], guidelines=made.guidelines, max_tokens=made.max_tokens),
    )


async def adebate(
    document: str,
    summary: str,
    *,
    model: ChatModel | Sequence[ChatModel] | None = None,
    **options: Any,
) -> FaithfulnessVerdict:
    """Judge whether a summary is faithful to its document, by a debate if there is a model.

    Parameters
    ----------
    document, summary : the texts, as they are.
    model : who debates; several take turns. None: the local judge, which needs no model and does not debate.
    options : see :func:`judge_of`: ``agents=4, rounds=3, sessions=1, seed=0, ambiguity="arguments"`` and so on.

    Returns
    -------
    FaithfulnessVerdict
        With ``label`` (faithful, unfaithful, ambiguous; None where it stayed undecided), ``faults``, ``ambiguity``,
        ``transcript`` and ``usage``.

    Raises
    ------
    InputError : a text is empty, a setting cannot be, or the document is too long.
    ModelError : a model did not answer.

    Examples
    --------
    >>> import asyncio
    >>> from fallax.core.types import Reply
    >>> class Sure:
    ...     name = "sure"
    ...     async def generate(self, request):
    ...         return Reply("<label>0</label><explanation>It rained.</explanation>")
    >>> work = adebate("It rained.", "It snowed.", model=Sure(), agents=4, rounds=3, ambiguity=None, seed=7)
    >>> verdict = asyncio.run(work)
    >>> verdict.label, verdict.faults[0].reason, len(verdict.transcript.sessions)
    ('unfaithful', 'It rained.', 1)
    """
    return await judge_of(model, **options).judge(document, summary)
