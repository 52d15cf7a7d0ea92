"""A why-claim with its evidence: its sides, the order of the pieces, and what the model reads of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from fallax.causality.systems.acting import sides_of
from fallax.causality.systems.clauses import CauseAndEffect, is_thing
from fallax.causality.systems.contrasted import without_contrast
from fallax.causality.systems.stated import StatedDirections, claimed_sides, stated_directions
from fallax.causality.systems.supposed import supposed_sides
from fallax.core.texts.broader import is_broader, parts_of
from fallax.core.texts.ranking import content_words
from fallax.core.texts.verbs import AUXILIARIES, IRREGULAR_PASTS, base_form
from fallax.entailment import EntailmentModel, PairReading, Passages, ReadPassages

__all__ = ["Prepared", "as_sentence", "because", "inside", "reason", "with_name"]

#: Tokens of evidence that are read at once.
_BUDGET = 190
#: A piece that holds less than this share of what the best one holds of a claim is not read.
_BEARING = 0.35
#: So many pieces of evidence are read alone at most.
_MOST_ALONE = 10
#: What may stand for the subject of the other side, and the verb that such a subject stands before.
_PRONOUN = re.compile(r"\b(?:it|they|them|he|him|she)\b", re.IGNORECASE)
_FINITE = re.compile(rf"\b(?:{'|'.join((*AUXILIARIES, *IRREGULAR_PASTS))}|\w{{2,}}ed)\b")
_MOST_SUBJECT = 5
#: Words that begin a sentence with a capital letter and need none inside of one.
_COMMON_FIRST = frozenset(
    ("The", "A", "An", "It", "He", "She", "They", "We", "You", "This", "That", "These", "Those", "There", "No", "Some",
     "Many", "Most", "Few", "All", "Both", "Each", "Every", "Several", "His", "Her", "Its", "Their", "My", "Our",
     "Nobody", "Nothing", "None", "Everyone", "Everybody", "What", "When", "While", "After", "Before", "Since", "If",
     "As", "In", "On", "At", "By", "For", "From", "During", "With", "Without", "Because", "Due", "Not", "One", "Two",
     "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Hundreds", "Thousands", "Dozens", "Half", "Too",
     "More", "Less", "Fewer", "Other", "Another", "Any", "Nearly", "Almost", "About", "Over", "Under", "Only", "Who",
     "Rather", "Instead", "People", "So", "Such")
)  # fmt: skip
#: A noun of these kinds names no person, place or firm, and one with these endings does not either.
_KINDS = (
    "happening", "event", "activity", "phenomenon", "condition", "state", "process", "feeling", "attribute",
    "substance", "matter", "cost", "payment", "communication",
)  # fmt: skip
_BEFORE_SMALL = frozenset((
    "better", "worse", "higher", "lower", "rising", "falling", "poor", "low", "late", "early", "free", "new", "old",
    "social", "mobile", "phone", "budget", "traffic", "staff", "police", "cattle", "turnout", "revenue", "churn",
    "lorries", "pesticides", "rumours", "loss", "losing", "missing", "cheaper", "dearer", "longer", "fewer", "time",
    "children", "men", "women", "mice", "wolves",
))  # fmt: skip
_ENDINGS = ("tion", "sion", "ment", "ness", "ity", "ship", "ism", "ence", "ance", "ing", "age", "works")
#: Nouns that are names, too.
_ALSO_NAMES = frozenset((
    "grace", "hope", "faith", "joy", "rose", "china", "turkey", "jersey", "bath", "rugby", "deal",
    "sandwich", "barking", "chance", "chase", "grant", "page", "bishop", "sage", "wood", "orange", "apple", "alphabet",
    "visa", "twitter", "trump", "price", "bill", "pearl", "olive", "ginger", "storm", "paris", "florence", "constance",
    "prudence", "clarence", "terrence", "lawrence", "christian", "german", "french", "english", "spanish", "danish",
    "dutch", "polish", "swedish", "finnish", "irish", "welsh", "scots", "christmas", "easter", "ramadan", "mercy",
    "banks", "brooks", "rivers", "gates", "woods", "boots", "mills", "fields", "waters", "parks", "bells", "hayes",
    "wells", "stones", "peters", "edwards", "roberts", "williams", "andrews", "walters", "phillips", "marks",
    "matthews", "parsons", "masters", "waitrose", "nature", "science", "mercury", "shell", "japan", "amber", "guinness",
    "miles", "united", "rovers", "rangers", "wanderers", "saints", "spurs", "norwegians", "germans", "americans",
    "italians", "russians", "canadians", "australians", "texas", "halo", "manning", "browning", "fleming", "harding",
    "mark", "gap", "james", "hastings", "marseilles", "cox", "reed", "rush", "tan", "violet", "crystal", "harmony",
    "melody", "pepsi", "cork", "split", "greens", "jewish", "japanese",
))  # fmt: skip


class Prepared:
    """A claim with its evidence, prepared once: its two sides, the order of the pieces, and what was read of them.

    ``sides`` are those of a claim that gives a cause in words; ``claimed`` also those of a claim that only implies one
    ("The strike delayed it", "Had it not rained, ..."). ``stated`` is what the evidence states in words between the two
    sides, ``share`` how much of the claim the piece holds that holds most of it, and ``held`` the share of its content
    words that any piece has, both in [0, 1]. ``claim`` is what it says without the cause that it denies beside another
    one, and ``denied`` what it denies so.

    Parameters
    ----------
    model : reads sides, and single pieces.
    texts : the evidence. It is kept in one order, whatever order it is given in: from the piece nearest the cause to
        the one nearest the effect, or where the claim does not name both, from the piece that has least of the claim
        to the one that has most. ``order`` holds the given numbers of the pieces in that order.
    of_claims : reads claims about causes; by default ``model`` does.
    """

    def __init__(
        self, model: EntailmentModel, claim: str, texts: Sequence[str], *, of_claims: EntailmentModel | None = None
    ) -> None:
        self.claim, self.denied = without_contrast(claim)
        claim = self.claim
        self.of_claims = model if of_claims is None else of_claims
        self.sides = sides_of(claim)
        ends = list(itertools.accumulate(len(t) + 1 for t in texts))
        spans = [(end - 1 - len(t), end - 1) for t, end in zip(texts, ends, strict=True)]
        given = Passages(model, "\n".join(texts), spans)
        shares = given.shares(claim)
        near = shares if self.sides is None else _nearness(self.sides, texts)
        self.order = sorted(range(len(texts)), key=lambda i: (round(near[i], 4), texts[i]))
        self.texts = [texts[i] for i in self.order]
        self.near = [near[i] for i in self.order]
        self.passages = given.in_order(self.order)
        self._passages_of_claims = self.passages.read_by(self.of_claims)
        self.share = max(shares, default=0.0)
        own, said = set(content_words(claim)), set(content_words(" ".join(texts)))
        self.held = len(own & said) / max(1, len(own))
        claimed = self.sides or claimed_sides(claim)
        self.claimed = claimed or supposed_sides(claim)
        self.stated = StatedDirections() if claimed is None else stated_directions(claimed, self.texts)
        self._found: dict[tuple[str, bool], ReadPassages] = {}
        self._ordered: dict[tuple[tuple[int, ...], str], PairReading] = {}

    def read(self, statement: str) -> ReadPassages:
        """The reading of a statement with the relevant pieces of evidence; each statement is read once."""
        return self._read(statement, self.passages, of_claims=False)

    def reading(self, statement: str) -> PairReading:
        """The model's output for a statement."""
        return self.read(statement).reading

    def read_claim(self, claim: str) -> ReadPassages:
        """The same for a claim about causes, by the model for these."""
        return self._read(claim, self._passages_of_claims, of_claims=True)

    def _read(self, statement: str, passages: Passages, *, of_claims: bool) -> ReadPassages:
        if (statement, of_claims) not in self._found:
            self._found[statement, of_claims] = passages.read(statement, budget=_BUDGET, bearing=_BEARING)
        return self._found[statement, of_claims]

    def both_ways(self, pieces: Sequence[int], claim: str) -> list[PairReading]:
        """What the model for claims says of one beside pieces in their order and in the reverse order."""
        found = []
        for order in dict.fromkeys((tuple(pieces), tuple(reversed(pieces)))):
            known = self._found.get((claim, True))
            if known is not None and known.pieces == order:
                reading = known.reading
            elif (order, claim) in self._ordered:
                reading = self._ordered[order, claim]
            else:
                reading = self.of_claims.read([self.texts[i] for i in order], claim)
                self._ordered[order, claim] = reading
            found.append(reading)
        return found

    def all_that_fits(self, statement: str) -> tuple[int, ...]:
        """The pieces that the model can read at once beside a statement, in order: all of them where they are short."""
        return self.passages.choose(statement, budget=min(_BUDGET, self.passages.room(statement)))[0]

    def relevant(self) -> tuple[int, ...]:
        """The given numbers of the pieces that bear on the claim, in the order in which they are read."""
        return tuple(self.order[i] for i in self.passages.choose(self.claim, budget=_BUDGET, bearing=_BEARING)[0])

    def nearest(self, side: str) -> list[str]:
        """The pieces of evidence that bear most on a side of the claim, in order; all where they are few."""
        if len(self.texts) <= _MOST_ALONE:
            return self.texts
        pieces, _, shares = self.passages.choose(as_sentence(side), budget=_BUDGET, bearing=_BEARING)
        best = sorted(zip(shares, pieces, strict=True), key=lambda x: (-x[0], x[1]))[:_MOST_ALONE]
        return [self.texts[i] for i in sorted(i for _, i in best)]


def _nearness(sides: CauseAndEffect, texts: Sequence[str]) -> list[float]:
    """How much nearer each text is to the effect than to the cause: the difference of the shares of their words."""
    cause, effect = set(content_words(sides.cause)), set(content_words(sides.effect))
    found = [set(content_words(text)) for text in texts]
    return [len(w & effect) / max(1, len(effect)) - len(w & cause) / max(1, len(cause)) for w in found]


def because(effect: str, cause: str) -> str:
    """A claim of two sides, in plain words."""
    return f"{as_sentence(effect)[:-1]} because {reason(cause)}."


def reason(cause: str) -> str:
    """A cause as it stands behind "because".

    Examples
    --------
    >>> reason("The dam broke"), reason("The broken dam")
    ('the dam broke', 'of the broken dam')
    """
    return f"of {inside(cause)}" if is_thing(cause) else inside(cause)


def as_sentence(text: str) -> str:
    """A side of a claim as a sentence of its own."""
    return text[:1].upper() + text[1:].rstrip(" .") + "."


def with_name(side: str, other: str) -> str:
    """A side with the subject of the other side in the place of its pronoun; as it stands where that is not plain.

    Examples
    --------
    >>> with_name("nobody watered them", "The plants died"), with_name("it leaked", "The tank was empty")
    ('nobody watered the plants', 'the tank leaked')
    >>> with_name("nobody watered it", "The plants died"), with_name("nobody watered them", "They died")
    ('nobody watered it', 'nobody watered them')
    """
    pronouns = list(_PRONOUN.finditer(side))
    verb = _FINITE.search(other)
    subject = inside(other[: verb.start()]) if verb else ""
    if len(pronouns) != 1 or not 0 < len(subject.split()) <= _MOST_SUBJECT or _PRONOUN.search(subject):
        return side
    found = pronouns[0]
    several = subject.endswith(("s", "people", "children", "men", "women")) and not subject.endswith("ss")
    if several != (found[0].lower() in ("they", "them")):
        return side
    return f"{side[: found.start()]}{subject}{side[found.end() :]}"


def inside(text: str) -> str:
    """A text for use inside a sentence: a first word that is no name gets a small letter.

    One that may be a name keeps its capital letter: one of a person, place or firm that is a noun, too, and an unknown
    word.

    Examples
    --------
    >>> [inside(text) for text in ("Ticket sales fell.", "Heavy rain fell.", "Baker plans to stay.", "Rose left.")]
    ['ticket sales fell', 'heavy rain fell', 'Baker plans to stay', 'Rose left']
    >>> [inside(text) for text in ("Noise", "Wages rose.", "Salt on the ice", "Vaccination", "Noise Abatement Society")]
    ['noise', 'wages rose', 'salt on the ice', 'vaccination', 'Noise Abatement Society']
    >>> inside("Spoiled meat"), inside("Badly spaced sleepers"), inside("Ted Baker")
    ('spoiled meat', 'badly spaced sleepers', 'Ted Baker')
    """
    text = text.strip().rstrip(".")
    first, _, rest = text.partition(" ")
    word = re.sub(r"(?:['’]s?)?[,;:]?$", "", first)
    common, low = word in _COMMON_FIRST, word.lower()
    if word.istitle() and (not rest or not rest[0].isupper()) and not _may_be_name(low):
        common = common or low in _BEFORE_SMALL or _is_no_name(low)
        common = common or (rest[:1].islower() and _describes(low, rest.partition(" ")[0]))
        common = common or (rest[:1].islower() and is_thing(text) and _is_form(low))
    return f"{first.lower()}{text[len(first) :]}" if common else text


def _may_be_name(low: str) -> bool:
    """Whether a word is known as a name, too: a letter ("I"), a month, a language. Verbs in "ing" begin clauses."""
    if len(low) == 1 or low.endswith("ing"):
        return len(low) == 1
    return low in _ALSO_NAMES or any(is_broader(kind, low, parts="n") for kind in ("month", "language"))


def _is_no_name(low: str) -> bool:
    """Whether a word is a noun and hardly ever a name: of what happens, of what things are made of, of several."""
    if low in _ALSO_NAMES:
        return False
    known = "n" in parts_of(low)
    if known and any(is_broader(kind, low, parts="n") for kind in _KINDS):
        return True
    ends = low.endswith(_ENDINGS) and len(low) > 7
    return ends or (known and "n" in parts_of(_singular(low)))


def _singular(low: str) -> str:
    """The singular of a regular plural, "" for any other word."""
    if low.endswith("ies"):
        return f"{low[:-3]}y"
    if low.endswith(("ches", "shes", "sses", "xes", "oes")):
        return low[:-2]
    return low[:-1] if low.endswith("s") and not low.endswith(("ss", "us", "is")) else ""


def _is_form(first: str) -> bool:
    """Whether a word is the past of a verb or the adverb of an adjective, which no name is."""
    base = base_form(first)
    return (first.endswith("ed") and base != first and "v" in parts_of(base)) or (
        first.endswith("ly") and "a" in parts_of(first.removesuffix("ly"))
    )


def _describes(first: str, second: str) -> bool:
    """Whether two words are an adjective or noun and its noun: before a verb the first may be a name."""
    one, other = parts_of(first), parts_of(second)
    if not one or base_form(second) != second.lower():
        return False
    return (one == {"a"} and ("n" in other or not other)) or ("n" in other and other == {"n"})
