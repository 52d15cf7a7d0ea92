"""The checks of the form of a claim, together: what they allow and what they rule out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fallax.core.texts import normal_form
from fallax.entailment import Passages, ReadPassages
from fallax.errors import one_line
from fallax.faithfulness.systems.altered import Altered, altered_in, condition_left_out
from fallax.faithfulness.systems.amounts import amount_in
from fallax.faithfulness.systems.attributed import other_speaker
from fallax.faithfulness.systems.claims import Clause, condition_in, said_by_the_way, said_word_for_word
from fallax.faithfulness.systems.doubted import reported_in, taken_back_in
from fallax.faithfulness.systems.dropped import change_in
from fallax.faithfulness.systems.edits import limit_left_out
from fallax.faithfulness.systems.hedged import hedged_in
from fallax.faithfulness.systems.monotone import natural_logic
from fallax.faithfulness.systems.outlook import outlook_of
from fallax.faithfulness.systems.reasons import adds, says
from fallax.faithfulness.systems.referents import named_later
from fallax.faithfulness.systems.turned import turned_in

__all__ = ["Checked", "checked"]

#: The least probability of a claim that a sentence of the document makes in the same words.
WORD_FOR_WORD = 0.98
#: The least probability of a claim that follows from a sentence by the rules of natural logic.
FOLLOWS = 0.9
#: The greatest probability of a claim whose form, beside that of the nearest sentence, rules out "faithful".
CONDITIONED = 0.45
#: The same where it drops or changes a word of it. People often call such claims faithful all the same, so it is the
#: likelier label without abstaining.
CHANGED = 0.6
#: The same where it repeats a sentence but for one thing that turns it into something else.
ALTERED = 0.1
#: The least probability of a claim whose quantity follows from a sentence that has all its other words.
COMPUTED = 0.8


@dataclass(frozen=True, slots=True)
class Checked:
    """What the form of a claim, beside the sentences of a document, says of its probability.

    Parameters
    ----------
    probability : of "faithful", as the form allows it.
    backed_by : the number of the sentence that says the claim word for word, or from which it follows by its form.
    withheld : why its form rules out "faithful"; else "".
    altered : what it turns of a sentence.
    """

    probability: float
    backed_by: int | None
    withheld: str
    altered: Altered | None


def checked(
    passages: Passages,
    text: str,
    clauses: Sequence[Clause],
    first: ReadPassages,
    second: ReadPassages | None,
    p: float,
    low: float,
) -> Checked:
    """Check the form of a claim.

    Parameters
    ----------
    clauses : of the document.
    first, second : the readings of the claim.
    p : the probability that the readings give.
    low : at this probability or less the claim is unfaithful in any case.
    """
    said_in = said_word_for_word(text, clauses)
    read = (*first.pieces, *(second.pieces if second else ()))
    logic = natural_logic(text, passages.texts, read if said_in is None else (said_in,))
    follows_in, more = None, ""
    if logic is not None:
        follows_in, more = (logic[0], "") if logic[1].entailed else (None, logic[1].reason)
        said_in = None if more else said_in  # "nobody came" is not said by "nobody came late"
    nearest = max(zip(first.weights, first.pieces, strict=True), default=(0.0, None))[1]
    source = next((i for i in (said_in, follows_in, nearest) if i is not None), None)
    if limit := "" if source is None else limit_left_out(text, passages.texts[source]):
        said_in = follows_in = None  # "it is closed" is not said by "it is closed on Mondays"
    p = max(p, 0.0 if follows_in is None else FOLLOWS, 0.0 if said_in is None else WORD_FOR_WORD)
    amount = None if said_in is not None else amount_in(text, passages.texts)
    if amount and amount.verdict == "supported" and amount.computed:
        p = max(p, COMPUTED)
    withheld, most = "", p
    if p > low:  # else it is unfaithful anyway
        withheld, most = _withheld(passages, text, clauses, first, second, said_in)
        withheld, most = (more, min(most, CONDITIONED)) if more and not withheld else (withheld, most)
        withheld, most = (adds(limit), min(most, CHANGED)) if limit and not withheld else (withheld, most)
    altered = None
    if said_in is None:
        parts = (text, *said_by_the_way(normal_form(text)))
        altered = next(filter(None, (altered_in(part, passages.texts, read) for part in parts)), None)
        if amount and amount.verdict == "doubted" and not altered and most > CONDITIONED:
            withheld, most = says(amount.said, amount.claimed), CONDITIONED
        most = min(most, ALTERED) if altered else most
    backed = said_in if follows_in is None or altered or withheld else follows_in
    return Checked(min(p, most), backed, withheld, altered)


def _withheld(
    passages: Passages,
    text: str,
    clauses: Sequence[Clause],
    first: ReadPassages,
    second: ReadPassages | None,
    said_in: int | None,
) -> tuple[str, float]:
    """Why the form of a claim and of the sentences nearest to it rules out "faithful", and how likely it is at most.

    The reason is empty where it does not. Where a sentence says the same words, only a later one can.
    """
    read = (*first.pieces, *(second.pieces if second else ()))
    if said_in is None and (condition := condition_in(text, clauses)):
        return adds(condition), CONDITIONED
    if not read:
        return "", 1.0
    nearest = max(zip(first.weights, first.pieces, strict=True))[1] if said_in is None else said_in
    sentence, others = passages.texts[nearest], [passages.texts[i] for i in read if i != nearest]
    if back := taken_back_in(text, sentence, passages.texts[nearest + 1 : nearest + 3]):
        return f"the document later says “{one_line(back, 80)}”", CONDITIONED
    if said_in is not None:
        return "", 1.0
    if speaker := other_speaker(text, passages.texts, passages.speakers):
        return f"in the document {one_line(speaker, 40)} says this", CONDITIONED
    if condition := condition_left_out(text, sentence):
        return adds(condition), CONDITIONED
    if hedged := hedged_in(text, sentence, others):
        return adds(hedged), CONDITIONED
    if turned := turned_in(text, (sentence, *others)):
        return says(*turned), CONDITIONED
    if found := outlook_of(text, sentence, others):
        return says(found.said, found.claimed), CONDITIONED
    if said := reported_in(text, sentence):
        return adds(said), CHANGED
    if who := named_later(text, passages.texts, nearest):
        return f"the document says this before it names “{who}”", CHANGED
    changed = change_in(text, sentence, others)
    return changed, CHANGED if changed else 1.0
