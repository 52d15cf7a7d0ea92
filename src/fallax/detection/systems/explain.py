"""Explains why a passage was reported."""

from __future__ import annotations

from collections.abc import Mapping

from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import alternatives_of, conclusion_of, reported_claim_of
from fallax.core.types import Explanation, Label

__all__ = ["announced_slots", "explanation_of"]


def announced_slots(label: Label, passage: str) -> dict[str, str]:
    """The slots of a label's template that the passage fills literally: "X says ...", "therefore ...".

    Only what is announced is taken; slots that would need understanding stay empty.

    Examples
    --------
    >>> label = load_taxonomy("mafalda")["appeal to (false) authority"]
    >>> announced_slots(label, "Doctor Bray says that the moon is hollow. So the moon must be hollow.")
    {'authority': 'Doctor Bray', 'claim': 'the moon is hollow'}
    """
    if label.template is None:
        return {}
    slots = label.template.slots
    found: dict[str, str] = {}
    who, said = reported_claim_of(passage)
    if said and "claim" in slots:
        found |= {name: who for name in ("entity", "entity_1", "authority") if name in slots} | {"claim": said}
    concluded = conclusion_of(passage)
    if concluded:
        # where the template ends in "claim is false", what is concluded is not the claim
        denies = any("{claim} is false" in form or "{claim} is wrong" in form for form in label.template.forms)
        for name in ("conclusion", "claim"):
            if name in slots and name not in found and not (name == "claim" and denies):
                found[name] = concluded
    one, other = alternatives_of(passage)
    if one and "option_1" in slots:
        found |= {"option_1": one, "option_2": other}
    return {name: found[name] for name in slots if name in found}


def explanation_of(
    name: str,
    passage: str,
    *,
    taxonomy: str = "mafalda",
    slots: Mapping[str, str] | None = None,
    unsure: bool = False,
    evidence: tuple[tuple[str, float], ...] = (),
) -> Explanation:
    """The explanation of a label at a passage.

    Parameters
    ----------
    name : a label of the finest level of the taxonomy; a group of a coarser level is explained by its name alone.
    passage : the words under the span.
    slots : what fills the template; by default :func:`announced_slots`.
    unsure : whether the label is likelier wrong than right; then nothing fills its template by default.
    evidence : as in :class:`~fallax.core.types.Explanation`.
    """
    labels = load_taxonomy(taxonomy)
    if name not in labels:
        members = [x.name for x in labels.labels if name in x.groups]
        return Explanation(f"A group of {len(members)} labels: {', '.join(members)}.", evidence=evidence)
    label = labels[name]
    if slots is None:
        slots = {} if unsure else announced_slots(label, passage)
    filled = dict(slots)
    # a form with most of its slots open says nothing of this passage
    shown = label.template is not None and 2 * len(filled) >= len(label.template.slots)
    return Explanation(
        label.definition,
        label.template.fill(filled) if label.template is not None and shown else "",
        filled,
        label.sound_when,
        evidence,
    )
