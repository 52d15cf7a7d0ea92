"""The probability that each step of an argument structure follows from its premises."""

from __future__ import annotations

from fallax.core.types.structure import ArgumentStructure, Step
from fallax.entailment import EntailmentModel, load_entailment

__all__ = ["step_scores"]

#: Steps that are scored; a structure that somebody drew may have any number.
_MOST = 50


def step_scores(structure: ArgumentStructure, *, model: EntailmentModel | None = None) -> list[tuple[Step, float]]:
    """Each step with the probability that its premises, read together, entail its conclusion.

    Parameters
    ----------
    model : by default the one that ships.

    Returns
    -------
    list
        (step, score) for the first 50 steps; scores in [0, 1], not calibrated: they rank steps and do not judge them.

    Examples
    --------
    >>> from fallax.core.types.structure import Link, Statement
    >>> nodes = (Statement("E1", "The dam broke after a week of rain."), Statement("E2", "Plums are ripe in autumn."))
    >>> claim = Statement("Claim", "The dam broke.")
    >>> drawn = [ArgumentStructure(claim, nodes, (Link(e, "Claim"),)) for e in ("E1", "E2")]
    >>> follows, does_not = (step_scores(d)[0][1] for d in drawn)
    >>> follows > 0.5 > does_not
    True
    """
    reader = model or load_entailment()
    texts = {n.id: n.text for n in (structure.claim, *structure.evidence) if n is not None}
    return [
        (step, reader.read([texts[p] for p in step.premises], texts[step.conclusion]).probabilities[0])
        for step in structure.steps[:_MOST]
    ]
