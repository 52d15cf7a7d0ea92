"""The shipped verifier: an entailment model reads the claim with its evidence."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from fallax.causality.systems.base import root_of
from fallax.causality.systems.clauses import (
    affirmed_link,
    cause_and_effect,
    has_denial,
    is_named,
    is_thing,
    names_link,
    opposite_of,
)
from fallax.causality.systems.features import explained, features_of
from fallax.causality.systems.prepared import Prepared, as_sentence, because, inside, with_name
from fallax.causality.systems.stated import (
    StatedWay,
    claims_change,
    goes_together,
    names_again,
    same_cause,
    share_of,
)
from fallax.causality.systems.told import told_cause
from fallax.causality.systems.ways import ways_stated
from fallax.causality.systems.weights import CausalWeights
from fallax.core.texts import without_hidden
from fallax.core.texts.ranking import content_words
from fallax.core.texts.verbs import particle_nouns
from fallax.core.types.causal import VERDICTS, CausalClaim, Evidence, Verdict
from fallax.core.types.structure import ArgumentStructure, Link
from fallax.core.types.verification import Verification
from fallax.encoders import glanced_card
from fallax.entailment import MAX_STATEMENT, EntailmentModel, foreign_to, load_entailment, load_for_claims
from fallax.models.larger import ENTAILMENT_LARGE

__all__ = [
    "EntailmentVerifier",
    "holds_entailment",
    "large_verifier",
    "load_entailment_verifier",
    "shipped_verifier",
]

#: A piece joins the chain if it raises the logit of the verdict by so much; at most so many join.
_GAIN, _MOST = 0.35, 5
#: A piece of evidence that names all that a side names denies it if the opposite has at least this logit, and the side
#: at most the negative of it; half of that is enough of the opposite where all the evidence, read together, denies it.
_AT_ODDS = 2.0
#: A cause is another one if neither follows from the other with at least this logit.
_STRANGE = 0.0
#: Where no piece holds so much of a claim, and all of them have less than this share of its words, a verdict for or
#: against it needs this probability. Where they have more, 15 of 17 less likely ones were right on held-out claims.
_FAR, _FAR_WORDS, _FAR_SURE = 0.2, 0.4, 0.9
#: Where the evidence has less than this share of a claim's words, but some, it may say the same in others.
_OTHER_WORDS = 0.25
#: Where a piece names a cause, and neither side of the claim is said, "not enough information" needs this probability:
#: of held-out claims of this kind 11 of 18 less likely ones were right, and 146 of 159 others.
_NAMED_SURE = 0.9
#: Another cause is a step on the way from the claimed one only if another piece has so much of its words.
_STEP = 1 / 3
#: From this value of the feature "other_cause" on, a claim is not supported.
_OTHER = 0.5
#: A piece denies a side only if it has this share of its words; one that it does not say, it may say in others.
_NAMED = 0.5
#: Years, and other numbers of four digits in their range.
_YEAR = re.compile(r"(?<![\d.,])(?:1\d|20)\d\d(?![\d.,]*\d)")
#: How likely support is, at least, to speak against a denial of it, or to make of another cause a step on the way.
_LIKELY = 0.64
#: How likely a claim is refuted whose reverse the evidence states, at least.
_REVERSED = 0.9


class EntailmentVerifier:
    """Supported if the evidence entails the claim; refuted if it contradicts it or shows another cause.

    The claim is read beside the evidence that bears on it, and so are its reverse, cause and effect exchanged, and
    either side alone; a calibrated regression makes probabilities of these. The chain holds the pieces without which
    the verdict would weaken, from those nearest the cause to those nearest the effect; all others are not used. Where
    there is not enough, what is missing is named.

    Parameters
    ----------
    model : reads sides of claims, and single pieces of evidence.
    of_claims : reads claims about causes; by default ``model`` does.
    weights : by default those of the card of the model that reads claims.
    classes : with 2, there is always a verdict for or against.
    abstain : give no verdict where none is likely enough. False: always the likeliest.

    Examples
    --------
    >>> import asyncio
    >>> said = ("Cats purr.", "The dam broke after the rain.", "When the dam broke, the valley was flooded.")
    >>> evidence = tuple(Evidence(f"E{i}", t) for i, t in enumerate(said, start=1))
    >>> claim = CausalClaim("c", "The valley was flooded because the dam broke.", evidence)
    >>> found = asyncio.run(load_entailment_verifier().verify(claim))
    >>> found.label, "E1" in [e.id for e in found.unused_evidence]
    ('supports', True)
    """

    def __init__(
        self,
        model: EntailmentModel,
        *,
        of_claims: EntailmentModel | None = None,
        weights: CausalWeights | None = None,
        classes: int = 3,
        abstain: bool = True,
    ) -> None:
        self.model = model
        self.of_claims = model if of_claims is None else of_claims
        self.weights = CausalWeights.from_card(self.of_claims.about) if weights is None else weights
        self.classes = classes
        self.abstain = abstain

    @property
    def name(self) -> str:
        """The name of the model that reads claims, with its version."""
        return self.of_claims.name

    @property
    def identity(self) -> Mapping[str, Any]:
        """The settings and the model."""
        return {"system": self.name, "classes": self.classes, "abstain": self.abstain}

    def features(self, claim: str, evidence: Sequence[str]) -> tuple[float, ...]:
        """The :data:`~fallax.causality.systems.weights.FEATURES` of a claim with its evidence.

        The evidence is read in one order, whatever order it is given in.
        """
        return features_of(self._prepared(claim, evidence))

    def probabilities(self, claim: str, evidence: Sequence[str]) -> tuple[float, float, float]:
        """The probabilities of supports, refutes and not enough info."""
        return self._weighed(self._prepared(claim, evidence))[0]

    def _prepared(self, claim: str, evidence: Sequence[str]) -> Prepared:
        texts = [told_cause(without_hidden(text)) for text in evidence]
        return Prepared(self.model, without_hidden(claim), texts, of_claims=self.of_claims)

    def _weighed(self, prepared: Prepared) -> tuple[tuple[float, float, float], tuple[int, ...]]:
        """The probabilities, and the pieces that decide where these state the link or its reverse.

        A claim whose reverse is stated is refuted. One whose link a piece states as a cause, and which is not refuted,
        is supported if the model says so beside this link alone, in the words "because": whatever stands beside it.
        """
        given = self.weights.probabilities(features_of(prepared))
        if way := prepared.stated.reversed:
            refuted = max(given[1], _REVERSED)
            rest = (1.0 - refuted) / max(given[0] + given[2], 1e-9)
            return (given[0] * rest, refuted, given[2] * rest), way.texts
        way = prepared.stated.plain
        if way and given[0] < self.weights.least[0] and given[1] < max(given[0], given[2]):
            alone = self._beside(prepared.claim, way)
            if alone[0] >= self.weights.least[0]:
                return alone, way.texts
        return given, ()

    def _beside(self, claim: str, way: StatedWay) -> tuple[float, float, float]:
        """The probabilities beside a stated link alone."""
        said = self._prepared(claim, [because(way.effect, way.cause)])
        return self.weights.probabilities(features_of(said))

    async def verify(self, claim: CausalClaim) -> Verification:
        """The verdict, the chain it rests on, and the missing steps."""
        evidence = claim.leaf_evidence or claim.evidence
        if not evidence:
            if self.abstain and self.classes == 3 and (why := self._unreadable(claim.claim, ())):
                return Verification(
                    claim.claim, (), None, missing=("any evidence",), system=self.name,
                    notes=(_likelihoods((0.0, 0.0, 1.0)),), no_label=why,
                    no_structure="there is no evidence", probability=1.0,
                )  # fmt: skip
            return Verification(
                claim.claim, (), "nei" if self.classes == 3 else "refutes", missing=("any evidence",), system=self.name,
                no_structure="there is no evidence", probability=1.0 if self.classes == 3 else None,
            )  # fmt: skip
        evidence = tuple(sorted(evidence, key=lambda e: e.id))
        prepared = self._prepared(claim.claim, [e.text for e in evidence])
        evidence = tuple(evidence[i] for i in prepared.order)
        given, decisive_pieces = self._weighed(prepared)
        label = VERDICTS[int(np.argmax(given[: self.classes]))]
        probability = given[VERDICTS.index(label)] / math.fsum(given[: self.classes])
        ordered = [evidence[i] for i in decisive_pieces or self._chain(prepared, label)]
        structure = _structure(claim, ordered)
        missing, notes = _missing(prepared, label), _notes(prepared, ordered, label)
        if self.abstain and self.classes == 3:
            unreadable = self._unreadable(prepared.claim, prepared.texts)
            decisive = probability >= self.weights.least[VERDICTS.index(label)]
            why = at_odds = self._at_odds(prepared, label, ordered)
            far = prepared.share < _FAR and prepared.held < _FAR_WORDS
            if not why and label != "nei" and probability < _FAR_SURE and far:
                why = "the evidence says little about what the claim is about"
            if not why and label == "nei" and 0.0 < prepared.held < _OTHER_WORDS:
                why = "the evidence has few of the claim's words, and may say it in others"
            unsaid = prepared.sides is not None and len(missing) > 1
            if not why and unsaid and probability < _NAMED_SURE and any(map(names_link, prepared.texts)):
                why = "the evidence names a cause or reason, and may say this in other words"
            why = why or ("" if decisive else "the evidence is not decisive")
            why = unreadable or why
            if why:
                # no chain leads to what the evidence denies or does not say
                structure, no_structure = (
                    (None, "no chain of evidence leads to the claim")
                    if decisive or unreadable or at_odds
                    else (structure, "")
                )
                shown = _likelihoods(given)
                return Verification(
                    claim.claim, claim.evidence, None, structure, missing, self.name, notes=(shown, *notes),
                    no_label=why, no_structure=no_structure, probability=probability,
                )  # fmt: skip
        return Verification(
            claim.claim, claim.evidence, label, structure, missing, self.name, notes=notes,
            no_structure="" if structure else "no evidence decides", probability=probability,
        )  # fmt: skip

    def _unreadable(self, claim: str, texts: Sequence[str]) -> str:
        """Why the model cannot judge a claim, whatever the evidence says; empty if it can."""
        if _asks(claim):
            return "a question claims nothing"
        if len(self.model.tokens(claim)) > MAX_STATEMENT:
            return "the claim is longer than the model reads"
        return foreign_to(claim) or foreign_to(" ".join(texts))

    def _at_odds(self, prepared: Prepared, label: Verdict, chain: Sequence[Evidence] = ()) -> str:
        """Why a claim is not supported: the evidence denies a side, gives another cause, or says what goes together.

        Also why it is not refuted: the very evidence for that states its link, or the claim denies a cause that the
        evidence does not support.
        """
        sides, way = prepared.sides, prepared.stated.affirmed
        affirmed = affirmed_link(prepared.claim)
        if label == "nei":
            return self._denies_a_side(prepared) or self._may_deny(prepared, affirmed)
        if affirmed is not None:
            return self._denied_at_odds(prepared, affirmed, label)
        if label == "refutes" and way and {prepared.texts[i] for i in way.texts} >= {e.text for e in chain}:
            supports, refutes, _ = self._beside(prepared.claim, way)
            # "a leak made the stairs wet" gives no other cause than the wet stairs, whatever the model says
            named = set(content_words(sides.cause)) if sides else set()
            same = bool(named) and named <= set(content_words(way.cause))
            return f"it seems refuted, but the evidence says: {_shown(way)}" if same or supports >= refutes else ""
        if (
            label == "refutes"
            and sides
            and not prepared.stated.reversed
            and (other := same_cause(sides, prepared.texts))
        ):
            return f"the evidence gives a cause that may be the claimed one: {inside(other)}"
        if label != "supports":
            return ""
        if (
            (sides or claims_change(prepared.claim))
            and any(goes_together(e.text) for e in chain)
            and not any(names_link(e.text) for e in chain)
        ):
            return "the evidence says that they go together, not that one leads to the other"
        if year := _other_year(prepared):
            return f"the evidence names other years or numbers than {year}"
        if sides is None:
            return ""
        for side in (sides.effect, sides.cause):
            opposite = opposite_of(as_sentence(side))
            if opposite is None:
                continue
            reading = prepared.reading(as_sentence(side))
            denied = reading.contradicted >= _AT_ODDS and reading.entailed <= -_AT_ODDS
            named = set(content_words(side)) - {"not"}
            least = _AT_ODDS / 2 if denied else _AT_ODDS
            for text in prepared.nearest(side):
                if not named or not named <= set(content_words(text)):
                    continue
                if self.model.read([text], opposite).entailed < least:
                    continue
                if self.model.read([text], as_sentence(side)).entailed <= -_AT_ODDS:
                    return f"the evidence rather says that {inside(opposite)}"
        effect = prepared.reading(as_sentence(sides.effect))
        if has_denial(sides.effect) and effect.contradicted > max(0.0, effect.entailed):
            return f"the evidence does not say that {inside(sides.effect)}"
        if own := prepared.stated.plain:
            return "" if self._may_be(own.cause, sides.cause) else _another(own, sides.cause)
        for text in prepared.nearest(sides.effect):
            given = cause_and_effect(text)
            if given is None or self._follows(given.effect, sides.effect) <= 0:
                continue
            if names_again(given.cause, sides.cause, prepared.texts) or self._alike(given.cause, sides.cause):
                continue
            if not self._leads_to(prepared, sides.cause, given.cause, text):
                return _another(StatedWay(given.cause, given.effect), sides.cause)
        ways = ways_stated(sides, prepared.texts)
        if ways.link and explained(prepared, sides, ways)[0] >= _OTHER:
            text = prepared.texts[ways.link.texts[0]]
            same = _in_one_word(ways.link.cause, sides.cause) or names_again(
                ways.link.cause, sides.cause, prepared.texts
            )
            if not same and not self._leads_to(prepared, sides.cause, ways.link.cause, text):
                return _another(ways.link, sides.cause)
        return ""

    def _denies_a_side(self, prepared: Prepared) -> str:
        """Why there may be enough evidence: a piece with half of the words of a side contradicts it."""
        for side in () if prepared.claimed is None else (prepared.claimed.effect, prepared.claimed.cause):
            own = set(content_words(side))
            near = [text for text in prepared.nearest(side) if share_of(own, set(content_words(text))) >= _NAMED]
            if any(self._says(text, side) for text in near):
                continue  # what speaks against it in another piece is about something else
            for text in near:
                if self.model.read([text], as_sentence(side)).contradicted >= _AT_ODDS / 2:
                    return f"the evidence rather speaks against this: {inside(side)}"
        return ""

    def _says(self, text: str, side: str) -> bool:
        """Whether a piece has all the words of a side, and entails it."""
        every = share_of(set(content_words(side)), set(content_words(text))) == 1.0
        return every and self.model.read([text], as_sentence(side)).entailed >= _AT_ODDS

    def _denied_at_odds(self, prepared: Prepared, affirmed: str, label: Verdict) -> str:
        """The same for a claim that denies a cause, by what the evidence says of the claim without the denial."""
        other = self._prepared(affirmed, prepared.texts)
        supported = self.weights.probabilities(features_of(other))[0] >= _LIKELY
        supported = supported and not self._at_odds(other, "supports")
        if label == "refutes":
            return "" if supported else f"the evidence does not clearly say that {inside(affirmed)}"
        if supported:
            return f"the evidence rather says that {inside(affirmed)}"
        against = int(np.argmax(self.weights.probabilities(features_of(other)))) == VERDICTS.index("refutes")
        return "" if against else f"the evidence does not clearly deny that {inside(affirmed)}"

    def _may_deny(self, prepared: Prepared, affirmed: str | None) -> str:
        """Why there may be enough evidence for a claim that denies a cause: what it denies is likeliest refuted."""
        if affirmed is None:
            return ""
        given = self.weights.probabilities(features_of(self._prepared(affirmed, prepared.texts)))
        refuted = int(np.argmax(given)) == VERDICTS.index("refutes")
        return f"the evidence may deny that {inside(affirmed)}" if refuted else ""

    def _leads_to(self, prepared: Prepared, cause: str, step: str, text: str) -> bool:
        """Whether what a text gives as another cause is a step on the way from a cause, as other evidence has it.

        Another piece must have a part of its words, and the model must find that the one led to the other.
        """
        words = set(content_words(step))
        rest = [set(content_words(other)) for other in prepared.texts if other != text]
        if not any(share_of(words, own) >= _STEP for own in rest):
            return False
        given = self._prepared(because(step, cause), prepared.texts)
        stated = given.stated.affirmed is not None
        return stated or self.weights.probabilities(features_of(given))[0] >= _LIKELY

    def _may_be(self, stated: str, claimed: str) -> bool:
        """Whether a stated cause may be the claimed one: not if each has words of its own and neither follows."""
        one, other = set(content_words(stated)), set(content_words(claimed))
        return not (one - other and other - one) or self._alike(stated, claimed)

    def _alike(self, one: str, other: str) -> bool:
        """Whether one of two causes follows from the other, or is one word for it: "the breakdown", "it broke down"."""
        if _in_one_word(one, other) or _in_one_word(other, one):
            return True
        return max(self._follows(one, other), self._follows(other, one)) >= _STRANGE

    def _follows(self, one: str, other: str) -> float:
        """The entailment logit from one side of a claim to another."""
        return self.model.read([as_sentence(one)], as_sentence(other)).entailed

    def _logit(self, claim: str, texts: Sequence[str], label: Verdict) -> float:
        if not texts:
            return -4.0
        reading = self.model.read(list(texts), claim)
        return reading.entailed if label == "supports" else reading.contradicted

    def _chain(self, prepared: Prepared, label: Verdict) -> list[int]:
        """A minimal set of evidence for a verdict: the best piece, then each that raises its logit enough.

        A further piece must also have a word of the claim that the others lack, or share one with them that the claim
        lacks; no word lacking, none joins. Ordered from the piece nearest the cause to the one nearest the effect.
        """
        if label == "nei":
            return []
        claim, texts = prepared.claim, prepared.texts
        near = prepared.read(claim).pieces
        words = {i: set(content_words(texts[i])) for i in near}
        claimed = set(content_words(claim))
        chosen: list[int] = []
        best = -math.inf
        while len(chosen) < _MOST:
            told = set().union(*(words[i] for i in chosen))
            if chosen and claimed <= told:
                break
            tried = {
                i: self._logit(claim, [texts[j] for j in sorted([*chosen, i])], label)
                for i in near
                if i not in chosen and (not chosen or words[i] & ((claimed - told) | (told - claimed)))
            }
            if not tried:
                break
            i = max(tried, key=lambda k: (tried[k], -k))
            if tried[i] < best + _GAIN:
                break
            best = tried[i]
            chosen.append(i)
        return sorted(chosen) if prepared.sides is None else sorted(chosen, key=lambda i: (prepared.near[i], i))


def _missing(prepared: Prepared, label: Verdict) -> tuple[str, ...]:
    """The missing evidence, if the claim is not supported because of it."""
    if label != "nei":
        return ()
    sides = prepared.claimed
    if sides is None:
        return (f"nothing {_clearly(prepared, prepared.claim)}says that {inside(prepared.claim)}",)
    others = ((sides.effect, sides.cause), (sides.cause, sides.effect))
    unsaid = [side for side, other in others if _unsaid(prepared, side) and _unsaid(prepared, with_name(side, other))]
    if unsaid:
        happened = ("this happened: " if is_thing(side) else "" for side in unsaid)
        return tuple(
            f"nothing {_clearly(prepared, side)}says that {how}{inside(side)}"
            for side, how in zip(unsaid, happened, strict=True)
        )
    return (f"nothing says that this led to it: {inside(sides.cause)} → {inside(sides.effect)}",)


def _clearly(prepared: Prepared, said: str) -> str:
    """A piece with half of the words may say it in others."""
    named = set(content_words(said))
    return "clearly " if any(share_of(named, set(content_words(text))) >= _NAMED for text in prepared.texts) else ""


def _unsaid(prepared: Prepared, side: str) -> bool:
    """Whether the evidence does not say a side of the claim; of one that is only named, does not name most of it."""
    named = set(content_words(side))
    if is_named(side):
        return not any(2 * len(named & set(content_words(text))) > len(named) for text in prepared.texts)
    said = as_sentence(side)
    if prepared.reading(said).entailed >= 0.0:
        return False
    alone = (text for text in prepared.texts if share_of(named, set(content_words(text))) == 1.0)
    return not any(prepared.passages.model.read([text], said).entailed >= 0.0 for text in alone)


def _other_year(prepared: Prepared) -> str:
    """A year that the claim names and the evidence does not, which names others."""
    named, said = _YEAR.findall(prepared.claim), set(_YEAR.findall(" ".join(prepared.texts)))
    return next((year for year in named if said and year not in said), "")


def _another(way: StatedWay, claimed: str) -> str:
    """That the evidence gives another cause; one with most of the claimed words may be the same, and a time is none."""
    what = "gives another cause"
    if way.timed:
        what = "says what else came before"
    elif share_of(set(content_words(claimed)), set(content_words(way.cause))) > _NAMED:
        what = "gives a cause that may be another"
    return f"the evidence {what}: {inside(way.cause)}"


def _asks(claim: str) -> bool:
    return claim.rstrip("\"'”’) ").endswith("?")


def _shown(way: StatedWay) -> str:
    return f"{inside(way.cause)} → {inside(way.effect)}"


def _likelihoods(given: Sequence[float]) -> str:
    """The three probabilities as a note."""
    said = ("not enough information" if v == "nei" else v for v in VERDICTS)
    return ", ".join(f"{v} {p:.2f}" for v, p in zip(said, given, strict=True))


def _in_one_word(phrase: str, clause: str) -> bool:
    """Whether a phrase has a noun for what a clause says with verb and particle, and nothing else."""
    words = [w for w in content_words(phrase) if w not in set(content_words(clause))]
    return len(words) == 1 and any(words == content_words(noun) for noun in particle_nouns(clause))


def _notes(prepared: Prepared, chain: Sequence[Evidence], label: Verdict) -> tuple[str, ...]:
    found = []
    if label == "refutes" and chain:
        found.append("against the claim: " + ", ".join(e.id for e in chain))
    if label == "refutes" and (way := prepared.stated.reversed):
        found.append(f"the evidence says the reverse: {_shown(way)}")
    if prepared.denied:
        found.append(f"not checked: what the claim denies (“{inside(prepared.denied)}”)")
    if prepared.claimed is None and not _asks(prepared.claim):
        unsplit = "does not say what caused what in a form that is known"
        if affirmed_link(prepared.claim) is not None:
            unsplit = "denies a cause"
        found.append(f"the claim {unsplit}; it was read as a whole")
    if foreign := foreign_to(prepared.claim) or foreign_to(" ".join(prepared.texts)):
        found.append(f"{foreign}; probabilities mean little here")
    return tuple(found)


def _structure(claim: CausalClaim, chain: Sequence[Evidence]) -> ArgumentStructure | None:
    if not chain:
        return None
    root = root_of(claim)
    names = [*(e.id for e in chain), root.id]
    links = tuple(Link((a,), (b,)) for a, b in itertools.pairwise(names))
    return ArgumentStructure(root, tuple(e.statement for e in chain), links)


def holds_entailment(folder: str | Path) -> bool:
    """Whether a folder holds an entailment model that is calibrated for claims, according to its card."""
    calibration = glanced_card(folder).get("calibration")
    return isinstance(calibration, dict) and "causality" in calibration


@cache
def load_entailment_verifier(
    folder: str | None = None, *, classes: int = 3, abstain: bool = True
) -> EntailmentVerifier:
    """The verifier with the shipped models, or with an entailment model in a folder, which reads claims, too."""
    of_claims = load_for_claims(folder)
    return EntailmentVerifier(load_entailment(folder), of_claims=of_claims, classes=classes, abstain=abstain)


def shipped_verifier(*, classes: int = 3, embedder: Any = None, abstain: bool = False) -> EntailmentVerifier:
    """The verifier with the shipped models, by default without "cannot tell", for comparisons; ignores the embedder."""
    return load_entailment_verifier(classes=classes, abstain=abstain)


def large_verifier(*, classes: int = 3, embedder: Any = None, abstain: bool = False) -> EntailmentVerifier:
    """The verifier with the larger model, which :func:`fallax.models.larger.fetch_larger` puts on this machine.

    Raises
    ------
    ModelError
        If it was not fetched.
    """
    return load_entailment_verifier(str(ENTAILMENT_LARGE.folder()), classes=classes, abstain=abstain)
