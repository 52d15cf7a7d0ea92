"""The shipped judge: an entailment model reads each claim of a summary with the relevant passages."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from fallax.core.texts import content_words, normal_form
from fallax.core.types import Ambiguity, Faithfulness, FaithfulnessVerdict, Fault, Stance, Support, UnitVerdict
from fallax.encoders.parallel import each_in_order
from fallax.entailment import EntailmentModel, PairReading, Passages, ReadPassages, foreign_to, load_entailment
from fallax.errors import FormatError, one_line
from fallax.faithfulness.systems.altered import Altered, altered_in, condition_left_out
from fallax.faithfulness.systems.amounts import amount_in
from fallax.faithfulness.systems.claims import (
    Clause,
    clauses_of,
    condition_in,
    said_by_the_way,
    said_word_for_word,
    split_claims,
)
from fallax.faithfulness.systems.doubted import reported_in, taken_back_in
from fallax.faithfulness.systems.dropped import change_in
from fallax.faithfulness.systems.monotone import natural_logic
from fallax.faithfulness.systems.outlook import outlook_of
from fallax.faithfulness.systems.reasons import adds, says, undecided
from fallax.faithfulness.systems.referents import named_later
from fallax.faithfulness.systems.surface import Surface, SurfaceReading
from fallax.faithfulness.systems.units import Unit, check_level, check_text, cut_summary
from fallax.faithfulness.systems.wordings import pulled_apart, worded_ambiguity

__all__ = ["FEATURES", "EntailmentJudge", "JudgeWeights", "features_of", "load_entailment_judge", "running_reading"]

#: What a probability is made of, see :func:`features_of`.
FEATURES = ("entailed", "contradicted", "more_entailed", "more_contradicted", "covered", "copied", "strangers")
#: Tokens of the document in the first and in the second reading.
FIRST, SECOND = 140, 90
#: A sentence that holds less than this share of what the best one holds of a claim is not read.
BEARING = 0.25
#: Running text is read from the first to the last sentence that holds this share.
RUNNING = 0.5
#: A word is shown as not supported from here on; at most so many words and passages are shown.
_WORD, _MOST_WORDS, _MOST_PASSAGES = 0.5, 8, 3
#: Words that are not shown as unsupported where others are: they say little alone.
_SAYS_LITTLE = frozenset({
    "a", "an", "the", "of", "to", "in", "into", "on", "onto", "at", "by", "for", "with", "from", "about", "as", "and",
    "or", "that", "this", "these", "those", "it", "its", "it's", "itself", "i", "me", "my", "you", "your", "we", "us",
    "our", "he", "she", "they", "his", "her", "hers", "their", "theirs", "him", "them", "himself", "herself",
    "themselves", "is", "was", "are", "were", "be", "been", "being", "am", "has", "have", "had", "having", "do", "does",
    "did", "who", "whom", "whose", "which", "what", "where", "how", "there", "here", "then", "such", "also", "so",
})  # fmt: skip
#: Words whose absence tells nothing, and words that say little but of how many something is said.
_LIGHT = frozenset({
    "take", "takes", "took", "taken", "make", "makes", "made", "get", "gets", "got", "give", "gives", "gave", "go",
    "goes", "went", "put", "use",
})  # fmt: skip
_OF_ALL = frozenset({
    "any", "every", "all", "each", "always", "never", "no", "nobody", "none", "only", "most", "both",
})  # fmt: skip
#: Beside the passage that decides most, others are shown that decide at least this share of it.
_NEAR = 0.7
#: Of several passages that contradict a claim together those are shown that do so alone with this probability.
_ALONE = 0.3
SURE = 4.0
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
class JudgeWeights:
    """The calibration of the judge: logistic factors, and how certain a verdict must be.

    Parameters
    ----------
    factors : of each of :data:`FEATURES`; the logit of "faithful" is their weighted sum and the offset.
    offset : what is added.
    low, high : a probability between them is "cannot tell".
    """

    factors: tuple[float, ...]
    offset: float
    low: float
    high: float

    def probability(self, features: Sequence[float]) -> float:
        """The probability that a claim is faithful.

        Examples
        --------
        >>> JudgeWeights((1.0,) + (0.0,) * 6, 0.0, 0.4, 0.6).probability((0.0,) + (1.0,) * 6)
        0.5
        """
        x = math.fsum(f * v for f, v in zip(self.factors, features, strict=True)) + self.offset
        return 1.0 / (1.0 + math.exp(-max(-40.0, min(40.0, x))))

    @classmethod
    def from_card(cls, about: Mapping[str, Any]) -> JudgeWeights:
        """Read ``calibration.faithfulness`` of a card."""
        try:
            said = about["calibration"]["faithfulness"]
            factors = tuple(float(said["factors"][name]) for name in FEATURES)
            return cls(factors, float(said["offset"]), float(said["low"]), float(said["high"]))
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(f"must hold calibration.faithfulness, got an error ({one_line(error)})") from error


def features_of(
    first: ReadPassages, second: ReadPassages | None, surface: SurfaceReading, running: PairReading | None = None
) -> tuple[float, ...]:
    """The :data:`FEATURES`: logits of the first reading, changes by the second, and features of the words.

    With a reading of running text besides, they are the mean of what both say.

    Logits are held within 6 of zero, so that no single reading outweighs all else; of names and numbers that the
    document does not have, two count as much as more.
    """

    def held(x: float) -> float:
        return max(-6.0, min(6.0, x))

    e, c = held(first.reading.entailed), held(first.reading.contradicted)
    more_e = more_c = 0.0
    if second is not None:
        more_e = max(0.0, held(second.reading.entailed) - e)
        more_c = max(0.0, held(second.reading.contradicted) - c)
    if running is not None:
        e, c = (e + held(running.entailed)) / 2, (c + held(running.contradicted)) / 2
        more_e, more_c = more_e / 2, more_c / 2
    return e, c, more_e, more_c, first.covered, surface.copied, float(min(2, len(surface.strangers)))


def running_reading(passages: Passages, text: str, first: ReadPassages) -> PairReading | None:
    """The reading of a claim with all that stands between the first and the last sentence that bear on it.

    None if that is too long, or is what the first reading had. What bears on nothing, such as irrelevant text before
    and after, is left out whatever its order.
    """
    shares = passages.shares(text)
    bearing = [i for i, share in enumerate(shares) if share > 0.0 and share >= RUNNING * max(shares)]
    pieces = tuple(range(bearing[0], bearing[-1] + 1)) if bearing else ()
    if not pieces or pieces == first.pieces or not passages.fits(pieces, text):
        return None
    return passages.model.read([passages.texts[i] for i in pieces], text)


@dataclass(frozen=True, slots=True)
class _Judged:
    """A claim with its readings."""

    start: int
    text: str
    probability: float
    first: ReadPassages
    second: ReadPassages | None
    strangers: tuple[tuple[int, int], ...] = ()
    said_in: int | None = None  # the sentence that says it word for word, or from which it follows by its form
    withheld: str = ""  # why its form rules out "faithful"
    altered: Altered | None = None  # what it turns of a sentence

    @property
    def readings(self) -> tuple[ReadPassages, ...]:
        return (self.first,) if self.second is None else (self.first, self.second)


class EntailmentJudge:
    """Faithful, unfaithful or cannot tell, with the passages and words behind the verdict.

    Each sentence is cut into the claims it makes. For each claim the sentences of the document that bear on it are
    found by words and by what words mean, and read together with it; where these do not settle it, the next ones
    are read too. What a sentence of the document says in the same words is faithful. A calibrated regression makes
    a probability of the readings; a sentence is as good as its worst claim.

    Parameters
    ----------
    model : reads.
    weights : by default those of the model's card.
    level : "sentence" gives a verdict for each; "summary" one, that of the least likely sentence.
    abstain : say "cannot tell" where the probability is not decisive, the language is not English, or a claim is longer
        than the model reads. False: always the likelier label.
    threshold : without abstaining, a probability below it is unfaithful.

    Examples
    --------
    >>> import asyncio
    >>> judge = load_entailment_judge()
    >>> text = "The board met in March. Reyes accused Tan of hiding the report."
    >>> found = asyncio.run(judge.judge(text, "The board met in March."))
    >>> found.label, found.units[0].evidence[0].text
    ('faithful', 'The board met in March.')
    """

    def __init__(
        self,
        model: EntailmentModel,
        *,
        weights: JudgeWeights | None = None,
        level: Literal["sentence", "summary"] = "sentence",
        abstain: bool = True,
        threshold: float = 0.5,
    ) -> None:
        check_level(level)
        self.model = model
        self.weights = JudgeWeights.from_card(model.about) if weights is None else weights
        self.level: Literal["sentence", "summary"] = level
        self.abstain = abstain
        self.threshold = threshold

    @property
    def name(self) -> str:
        """The name of the model, with its version."""
        return self.model.name

    def with_settings(
        self, *, level: Literal["sentence", "summary"], threshold: float | None, abstain: bool
    ) -> EntailmentJudge:
        """The same judge with other settings."""
        kept = self.threshold if threshold is None else threshold
        return EntailmentJudge(self.model, weights=self.weights, level=level, abstain=abstain, threshold=kept)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that verdicts depend on."""
        return {"level": self.level, "judge": self.name, "abstain": self.abstain, "threshold": self.threshold,
                "band": [self.weights.low, self.weights.high]}  # fmt: skip

    async def judge(self, document: str, summary: str) -> FaithfulnessVerdict:
        """Judge a summary.

        Raises
        ------
        UnjudgeableError : document or summary is empty.
        """
        document = check_text(document, "document")
        units = cut_summary(summary, "sentence")
        passages, surface = Passages(self.model, document), Surface(normal_form(document))
        foreign = foreign_to(document) or foreign_to(summary)
        before = ["", *(u.text for u in units[:-1])]
        clauses = clauses_of(passages.texts)

        def judge_unit(unit: tuple[Unit, str]) -> UnitVerdict:
            return self._unit(passages, surface, clauses, *unit, foreign)

        judged = list(each_in_order(judge_unit, list(zip(units, before, strict=True))))
        if self.level == "summary" and len(judged) > 1:
            judged = [_as_one(judged, summary)]
        notes = (f"{foreign}; probabilities mean little here",) if foreign else ()
        return FaithfulnessVerdict(self.name, tuple(judged), notes=notes, settings=self.settings)

    def read(self, passages: Passages, text: str) -> tuple[ReadPassages, ReadPassages | None]:
        """The readings behind the verdict on one claim."""
        first = passages.read(text, budget=FIRST, bearing=BEARING)
        second = None
        if first.reading.entailed < SURE and len(first.pieces) < len(passages):
            second = passages.read(text, budget=SECOND, without=frozenset(first.pieces), bearing=BEARING)
        return first, second

    def _unit(
        self, passages: Passages, surface: Surface, clauses: Sequence[Clause], unit: Unit, before: str, foreign: str
    ) -> UnitVerdict:
        claims = []
        for start, end in split_claims(unit.text):
            text = unit.text[start:end]
            first, second = self.read(passages, text)
            said = surface.of(normal_form(text))
            p = self.weights.probability(features_of(first, second, said, running_reading(passages, text, first)))
            said_in = said_word_for_word(text, clauses)
            read = (*first.pieces, *(second.pieces if second else ()))
            logic = natural_logic(text, passages.texts, read if said_in is None else (said_in,))
            follows_in, more = None, ""
            if logic is not None:
                follows_in, more = (logic[0], "") if logic[1].entailed else (None, logic[1].reason)
                said_in = None if more else said_in  # "nobody came" is not said by "nobody came late"
            p = max(p, 0.0 if follows_in is None else FOLLOWS, 0.0 if said_in is None else WORD_FOR_WORD)
            amount = None if said_in is not None else amount_in(text, passages.texts)
            if amount and amount.verdict == "supported" and amount.computed:
                p = max(p, COMPUTED)
            withheld, most = "", p
            if p > self.weights.low:  # else it is unfaithful anyway
                withheld, most = _withheld(passages, text, clauses, first, second, said_in)
                withheld, most = (more, min(most, CONDITIONED)) if more and not withheld else (withheld, most)
            altered = None
            if said_in is None:
                parts = (text, *said_by_the_way(normal_form(text)))
                altered = next(filter(None, (altered_in(part, passages.texts, read) for part in parts)), None)
                if amount and amount.verdict == "doubted" and not altered and most > CONDITIONED:
                    withheld, most = says(amount.said, amount.claimed), CONDITIONED
                most = min(most, ALTERED) if altered else most
            p = min(p, most)
            backed = said_in if follows_in is None or altered or withheld else follows_in
            claims.append(_Judged(start, text, p, first, second, said.strangers, backed, withheld, altered))
        worst = min(claims, key=lambda c: c.probability)
        return self._verdict(passages, unit, before, worst, claims, foreign)

    def _verdict(
        self, passages: Passages, unit: Unit, before: str, worst: _Judged, claims: Sequence[_Judged], foreign: str
    ) -> UnitVerdict:
        p = worst.probability
        words = _unsupported(passages, unit, worst)
        label: Faithfulness | None = "faithful" if p >= self.threshold else "unfaithful"
        unscored = ""
        ambiguity = None
        if self.abstain:
            ambiguity = self._ambiguity(passages, unit, worst, before)
            too_long = len(self.model.tokens(unit.text)) > 80 * len(claims)
            if foreign or too_long:
                label, unscored = None, f"cannot tell: {foreign or 'the sentence is longer than the model reads'}"
            elif self.weights.low < round(p, 2) < self.weights.high:  # as it is shown
                why = worst.withheld or f"{undecided(_lacking(passages, worst))} (probability {p:.2f})"
                label, unscored = None, f"cannot tell: {why}"
        shown = claims if label == "faithful" else [worst]
        evidence = _supports(passages, shown, label)
        # what one reading takes for support or a contradiction, all together may not
        if label == "faithful":
            evidence = tuple(e for e in evidence if e.stance == "supports") or _nearest(evidence, "contradicts")
        elif label == "unfaithful":
            evidence = _nearest(evidence, "supports")
        elif ambiguity is None:
            evidence = _nearest(evidence, "contradicts", "supports")
        if label == "unfaithful" and not words:
            words = _unsupported(passages, unit, worst, least=0.0)[:1]
        if label is not None and not evidence and not words:
            label, unscored = None, "cannot tell: no passage of the document bears on it"
        faults: tuple[Fault, ...] = ()
        if label == "unfaithful":
            faults = (Fault(unit.start, unit.end, unit.text, _reason(words, evidence, worst.altered)),)
        return UnitVerdict(
            unit.start, unit.end, unit.text, label, "", p, {}, faults, ambiguity, unscored, evidence,
            () if label == "faithful" else words,
        )  # fmt: skip

    def _ambiguity(self, passages: Passages, unit: Unit, worst: _Judged, before: str) -> Ambiguity | None:
        """The ambiguity of a sentence; none if the document contains the sentence literally."""
        if worst.said_in is not None:
            return None
        return _apart(passages, worst) or worded_ambiguity(
            self.model, [passages.texts[i] for i in worst.first.pieces], unit.text, before
        )


def _apart(passages: Passages, claim: _Judged) -> Ambiguity | None:
    """Ambiguous if two passages pull apart, of which each has half of the claim's words: others say something else."""
    if claim.second is None or (found := pulled_apart(claim.first.reading, claim.second.reading)) is None:
        return None
    wanted = set(content_words(claim.text))
    best = (max(zip(s.weights, s.pieces, strict=True))[1] for s in claim.readings)
    return found if all(2 * len(wanted & set(content_words(passages.texts[i]))) >= len(wanted) for i in best) else None


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
    if condition := condition_left_out(text, sentence):
        return adds(condition), CONDITIONED
    if found := outlook_of(text, sentence, others):
        return says(found.said, found.claimed), CONDITIONED
    if said := reported_in(text, sentence):
        return adds(said), CHANGED
    if who := named_later(text, passages.texts, nearest):
        return f"the document says this before it names “{who}”", CHANGED
    changed = change_in(text, sentence, others)
    return changed, CHANGED if changed else 1.0


def _said(passages: Passages, claim: _Judged) -> set[str]:
    """The words of the passages that were read for a claim."""
    return {w for reading in claim.readings for i in reading.pieces for w in content_words(passages.texts[i])}


def _lacking(passages: Passages, claim: _Judged) -> list[str]:
    """The words of a claim that none of the passages has, in order, each once."""
    said = _said(passages, claim)
    plain = {w for reading in claim.readings for i in reading.pieces for w in passages.texts[i].lower().split()}
    words = (re.sub(r"['’]s?$", "", w.text) for w in claim.first.reading.words if w.text.lower() not in _LIGHT)
    return list(dict.fromkeys(w for w in words if set(content_words(w)) - said or w.lower() in _OF_ALL - plain))


def _unsupported(passages: Passages, unit: Unit, claim: _Judged, *, least: float = _WORD) -> tuple[Fault, ...]:
    """The words that no reading supports, in order; the most certain ones if there are too many.

    Words that say little alone are left out, unless the claim has no others, and so are words that the passages have,
    unless they have all of them. Of a claim that alters a sentence they are the words that do.
    """
    said = _said(passages, claim)
    at = unit.start + claim.start
    if claim.altered is not None:
        first = max(0, claim.text.find(claim.altered.claimed))
        said_of = claim.altered.claimed.split()
        said_of = [w for w in said_of if w.lower() not in _SAYS_LITTLE] or said_of
        places = (re.compile(rf"(?<!\w){re.escape(w)}(?!\w)").search(claim.text, first) for w in said_of)
        return tuple(Fault(at + m.start(), at + m.end(), m.group()) for m in places if m)
    scores = [[w.unsupported for w in s.reading.words] for s in claim.readings]
    words = claim.first.reading.words
    both = [min(each) for each in zip(*scores, strict=True)]
    for i, word in enumerate(words):
        if any(a < word.end and word.start < b for a, b in claim.strangers):
            both[i] = 1.0
    telling = [i for i, word in enumerate(words) if word.text.lower() not in _SAYS_LITTLE] or range(len(words))
    kept = sorted((i for i in telling if both[i] >= least), key=lambda i: -both[i])
    stems = {i: set(content_words(words[i].text)) for i in kept}
    if any(stems[i] - said for i in kept):
        kept = [i for i in kept if not stems[i] or stems[i] - said]
    kept = kept[:_MOST_WORDS]
    order = kept[:1] if least == 0.0 else sorted(kept)
    return tuple(Fault(at + words[i].start, at + words[i].end, words[i].text) for i in order)


def _supports(passages: Passages, claims: Sequence[_Judged], label: Faithfulness | None) -> tuple[Support, ...]:
    """The sentences that bear on the claims, without repeats, in document order; the label is that of the verdict."""
    found: dict[int, Support] = {}
    for claim in claims:
        for stance, weight, i in _bearing(passages, claim, label):
            start, end = passages.spans[i]
            found.setdefault(i, Support(start, end, passages.document[start:end], stance, round(weight, 3)))
    order = {"supports": 0, "contradicts": 0, "nearest": 1}
    chosen = sorted(found.values(), key=lambda s: (order[s.stance], -s.weight))[: _MOST_PASSAGES * len(claims)]
    return tuple(sorted(chosen, key=lambda s: s.start))


def _bearing(passages: Passages, claim: _Judged, label: Faithfulness | None) -> list[tuple[Stance, float, int]]:
    """The stance, weight and number of the sentences that bear on a claim.

    Sentences are read together, so where several contradict a claim some may only stand beside the one that does. Under
    "unfaithful" each of them is read alone and must contradict it alone; without a verdict they are only what comes
    nearest. Where the readings pull apart, the weightiest of either is kept.
    """
    if claim.said_in is not None:
        return [("supports", 1.0, claim.said_in)]
    if claim.altered is not None:
        return [("contradicts", 1.0, claim.altered.sentence)]
    found: list[tuple[Stance, float, int]] = []
    for selection in claim.readings:
        e, c, _ = selection.reading.probabilities
        stance: Stance = "supports" if e >= 0.5 else "contradicts" if c >= 0.5 else "nearest"
        if selection is claim.second and stance == "nearest":
            continue
        scored = sorted(zip(selection.weights, selection.pieces, strict=True), reverse=True)
        most = 1 if stance == "nearest" else _MOST_PASSAGES
        found += [(stance, weight, i) for weight, i in scored[:most] if weight >= _NEAR * scored[0][0]]
    if _apart(passages, claim):
        return [next(f for f in found if f[0] == stance) for stance in ("supports", "contradicts")]
    weightiest = max(found, key=lambda f: f[1])
    found = [f for f in found if f[2] in claim.first.pieces or f[1] >= _NEAR * weightiest[1]]
    if label == "faithful" or sum(stance == "contradicts" for stance, _, _ in found) < 2:
        return found
    if label is None:
        return [("nearest" if stance == "contradicts" else stance, weight, i) for stance, weight, i in found]
    kept = [
        (stance, weight, i)
        for stance, weight, i in found
        if stance != "contradicts" or passages.model.read([passages.texts[i]], claim.text).probabilities[1] >= _ALONE
    ]
    return kept or [("nearest", *weightiest[1:])]


def _nearest(evidence: Sequence[Support], *stances: Stance) -> tuple[Support, ...]:
    """Evidence whose passages of these stances are only called the nearest."""
    return tuple(replace(e, stance="nearest") if e.stance in stances else e for e in evidence)


def _reason(words: Sequence[Fault], evidence: Sequence[Support], altered: Altered | None) -> str:
    if altered is not None:
        return says(altered.said, altered.claimed)
    against = [e for e in evidence if e.stance == "contradicts"]
    said = ", ".join(f"“{w.text}”" for w in words)
    if against:
        best = max(against, key=lambda e: e.weight)
        return f"contradicted: “{one_line(best.text, 200)}”" + (f"; at odds: {said}" if said else "")
    if words and {x for w in words for x in content_words(w.text)} <= {
        x for e in evidence for x in content_words(e.text)
    }:
        return f"no passage says this; most doubtful: {said}"
    return f"not supported: {said}" if said else "no passage supports it"


def _as_one(units: Sequence[UnitVerdict], summary: str) -> UnitVerdict:
    """Combine the verdicts of sentences: the least likely one decides, with the faults of all."""
    least = min(units, key=lambda u: (u.probability or 0.0, u.start))
    start, end = units[0].start, units[-1].end
    return replace(
        least,
        start=start,
        end=end,
        text=summary[start:end],
        faults=tuple(f for u in units for f in u.faults),
        evidence=tuple(e for u in units for e in u.evidence),
        unsupported=tuple(w for u in units for w in u.unsupported),
    )


@cache
def load_entailment_judge(folder: str | None = None) -> EntailmentJudge:
    """The judge with the shipped model, or with one in a folder."""
    return EntailmentJudge(load_entailment(folder))
