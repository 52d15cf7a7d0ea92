"""What is shown for the verdict on a claim: passages, words that are not supported, and reasons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fallax.core.texts import content_words
from fallax.core.texts.verbs import base_form
from fallax.core.types import Ambiguity, Faithfulness, Fault, Stance, Support, UnitVerdict
from fallax.entailment import Passages, ReadPassages
from fallax.errors import one_line
from fallax.faithfulness.systems.altered import Altered
from fallax.faithfulness.systems.checks import Checked
from fallax.faithfulness.systems.reasons import says
from fallax.faithfulness.systems.rewritten import Rewritten
from fallax.faithfulness.systems.surface import same_form
from fallax.faithfulness.systems.units import Unit
from fallax.faithfulness.systems.wordings import pulled_apart

__all__ = [
    "JudgedClaim",
    "apart",
    "as_one",
    "only_nearest",
    "passages_shown",
    "reason_of",
    "unsupported_words",
    "words_lacking",
]

#: A word is shown as not supported from here on; at most so many words and passages are shown.
_WORD, _MOST_WORDS, _MOST_PASSAGES = 0.5, 8, 3
#: Words that are not shown as unsupported where others are: they say little alone.
_SAYS_LITTLE = frozenset({
    "a", "an", "the", "of", "to", "in", "into", "on", "onto", "at", "by", "for", "with", "from", "about", "as", "and",
    "or", "that", "this", "these", "those", "it", "its", "it's", "itself", "i", "me", "my", "you", "your", "we", "us",
    "our", "he", "she", "they", "his", "her", "hers", "their", "theirs", "him", "them", "himself", "herself",
    "themselves", "is", "was", "are", "were", "be", "been", "being", "am", "has", "have", "had", "having", "do", "does",
    "did", "who", "whom", "whose", "which", "what", "where", "how", "there", "here", "then", "such", "also", "so",
    "mr", "mrs", "ms",
})  # fmt: skip
#: Words whose absence tells nothing, and words that say little but of how many something is said.
_LIGHT = frozenset({
    "take", "takes", "took", "taken", "make", "makes", "made", "get", "gets", "got", "give", "gives", "gave", "go",
    "goes", "went", "put", "use", "say", "says", "said",
})  # fmt: skip
_OF_ALL = frozenset({
    "any", "every", "all", "each", "always", "never", "no", "nobody", "none", "only", "most", "both",
})  # fmt: skip
#: Endings of nouns that verbs make, and of verbs; shorter stems may be of other words.
_DERIVED = re.compile(r"(?:(?:at)?(?:ions?|ors?|e[ds]?|ing)|e?ments?|als?|ances?|ences?|ers?|s)\Z")
_LEAST_STEM = 5
#: Beside the passage that decides most, others are shown that decide at least this share of it.
_NEAR = 0.7
#: Of several passages that contradict a claim together those are shown that do so alone with this probability.
_ALONE = 0.3


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim with its readings and what the checks of its form say.

    Parameters
    ----------
    start : where it begins in its sentence.
    written : what was read, and where its words stand in the claim.
    strangers : half-open offsets into the claim of names and numbers that the document nowhere has.
    """

    start: int
    written: Rewritten
    first: ReadPassages
    second: ReadPassages | None
    strangers: tuple[tuple[int, int], ...]
    form: Checked

    @property
    def text(self) -> str:
        """What was read."""
        return self.written.text

    def fault(self, unit: Unit, start: int, end: int) -> Fault:
        """Words of what was read, as the sentence has them."""
        start, end = (self.start + at for at in self.written.place(start, end))
        return Fault(unit.start + start, unit.start + end, unit.text[start:end])

    @property
    def readings(self) -> tuple[ReadPassages, ...]:
        """The first reading, and the second if there is one."""
        return (self.first,) if self.second is None else (self.first, self.second)


def apart(passages: Passages, claim: JudgedClaim) -> Ambiguity | None:
    """Ambiguous if two passages pull apart, of which each has half of the claim's words: others say something else."""
    if claim.second is None or (found := pulled_apart(claim.first.reading, claim.second.reading)) is None:
        return None
    wanted = set(content_words(claim.text))
    best = (max(zip(s.weights, s.pieces, strict=True))[1] for s in claim.readings)
    return found if all(2 * len(wanted & set(content_words(passages.texts[i]))) >= len(wanted) for i in best) else None


def _said(passages: Passages, claim: JudgedClaim) -> set[str]:
    """The words of the passages that were read for a claim."""
    return {w for reading in claim.readings for i in reading.pieces for w in content_words(passages.texts[i])}


def _stem(word: str) -> str:
    """A long word without the endings that make nouns of verbs and forms of both; empty for a short one."""
    stem = _DERIVED.sub("", word)
    return stem if len(stem) >= _LEAST_STEM else ""


def words_lacking(passages: Passages, claim: JudgedClaim) -> list[str]:
    """The words of a claim that none of the passages has in any form, in order, each once.

    "Inspected" is a form of "inspection", too.
    """
    said = _said(passages, claim)
    texts = (passages.texts[i] for reading in claim.readings for i in reading.pieces)
    written = {w for text in texts for w in re.findall(r"\w+(?:[.,:]\d+)*", text.lower())}
    plain = {*map(base_form, written), *map(same_form, written)}
    words = (re.sub(r"['’]s?$", "", w.text) for w in claim.first.reading.words if w.text.lower() not in _LIGHT)
    stems = {stem for w in written if (stem := _stem(w))}
    unsaid = (w for w in words if not {base_form(w.lower()), same_form(w)} & plain and _stem(w.lower()) not in stems)
    return list(dict.fromkeys(w for w in unsaid if set(content_words(w)) - said or w.lower() in _OF_ALL))


def unsupported_words(passages: Passages, unit: Unit, claim: JudgedClaim, *, least: float = _WORD) -> tuple[Fault, ...]:
    """The words that no reading supports, in order; the most certain ones if there are too many.

    Words that say little alone are left out, unless the claim has no others, and so are words that the passages have,
    unless they have all of them. Of a claim that alters a sentence they are the words that do.
    """
    said = _said(passages, claim)
    if claim.form.altered is not None:
        first = max(0, claim.text.find(claim.form.altered.claimed))
        said_of = claim.form.altered.claimed.split()
        said_of = [w for w in said_of if w.lower() not in _SAYS_LITTLE] or said_of
        places = (re.compile(rf"(?<!\w){re.escape(w)}(?!\w)").search(claim.text, first) for w in said_of)
        return tuple(dict.fromkeys(claim.fault(unit, m.start(), m.end()) for m in places if m))
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
    return tuple(dict.fromkeys(claim.fault(unit, words[i].start, words[i].end) for i in order))


def passages_shown(
    passages: Passages, claims: Sequence[JudgedClaim], label: Faithfulness | None
) -> tuple[Support, ...]:
    """The sentences that bear on the claims, without repeats, in document order; the label is that of the verdict."""
    found: dict[int, Support] = {}
    for claim in claims:
        for stance, weight, i in _bearing(passages, claim, label):
            start, end = passages.spans[i]
            found.setdefault(i, Support(start, end, passages.document[start:end], stance, round(weight, 3)))
    order = {"supports": 0, "contradicts": 0, "nearest": 1}
    chosen = sorted(found.values(), key=lambda s: (order[s.stance], -s.weight))[: _MOST_PASSAGES * len(claims)]
    return tuple(sorted(chosen, key=lambda s: s.start))


def _bearing(passages: Passages, claim: JudgedClaim, label: Faithfulness | None) -> list[tuple[Stance, float, int]]:
    """The stance, weight and number of the sentences that bear on a claim.

    Sentences are read together, so where several contradict a claim some may only stand beside the one that does. Under
    "unfaithful" each of them is read alone and must contradict it alone; without a verdict they are only what comes
    nearest. Where the readings pull apart, the weightiest of either is kept.
    """
    if claim.form.backed_by is not None:
        return [("supports", 1.0, claim.form.backed_by)]
    if claim.form.altered is not None:
        return [("contradicts", 1.0, claim.form.altered.sentence)]
    found: list[tuple[Stance, float, int]] = []
    for selection in claim.readings:
        e, c, _ = selection.reading.probabilities
        stance: Stance = "supports" if e >= 0.5 else "contradicts" if c >= 0.5 else "nearest"
        if selection is claim.second and stance == "nearest":
            continue
        scored = sorted(zip(selection.weights, selection.pieces, strict=True), reverse=True)
        most = 1 if stance == "nearest" else _MOST_PASSAGES
        found += [(stance, weight, i) for weight, i in scored[:most] if weight >= _NEAR * scored[0][0]]
    if apart(passages, claim):
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
        if stance != "contradicts" or passages.model.read(passages.said([i]), claim.text).probabilities[1] >= _ALONE
    ]
    return kept or [("nearest", *weightiest[1:])]


def only_nearest(evidence: Sequence[Support], *stances: Stance) -> tuple[Support, ...]:
    """Evidence whose passages of these stances are only called the nearest."""
    return tuple(replace(e, stance="nearest") if e.stance in stances else e for e in evidence)


def reason_of(words: Sequence[Fault], evidence: Sequence[Support], altered: Altered | None) -> str:
    """Why a claim is unfaithful."""
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


def as_one(units: Sequence[UnitVerdict], summary: str) -> UnitVerdict:
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
