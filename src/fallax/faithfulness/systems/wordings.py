"""Detects ambiguity without a chat model: rewrites a sentence into its readings and judges each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fallax.core.texts.verbs import AUXILIARIES
from fallax.core.types import Ambiguity, Faithfulness, Reading
from fallax.entailment import EntailmentModel, PairReading

__all__ = ["DETECTOR", "Wordings", "pulled_apart", "ways_to_read", "worded_ambiguity"]

#: The name that these findings carry.
DETECTOR = "entailment"
#: Two ways to read a sentence differ if one is entailed at least so surely, and another at most so.
_IS, _IS_NOT = 0.75, 0.25
#: Two passages pull apart if one entails and the other contradicts at least so surely.
_APART = 0.85
_MOST_NAMES = 3
_NAME = re.compile(r"\b[A-Z][a-z]+(?:[ -][A-Z][a-z]+)*\b")
_PRONOUN = re.compile(r"\b(?:[Hh]e|[Ss]he)\b")
#: Capitalised words that name nobody, at the beginning of a sentence above all.
_NOBODY = frozenset(
    re.findall(
        r"\w+",
        "A After All Also An And April As At August Because Before Both But By December Each Every February "
        "First For Friday From He Her Here His How However I If In It Its January July June Last Later Many "
        "March May Monday Most Next No Nobody Not November Now October Of On Once Only Saturday September She "
        "Since Some Still Sunday That The Their Then There They This Thursday To Today Tuesday We Wednesday "
        "What When Where While Who Why With Yesterday You Mr Mrs Ms Dr ",
    )
)
_ALL_NOT = re.compile(
    r"^(?P<all>all(?: of)?|each of|(?:every|each)(?: one of)?)(?P<who> [\w' -]+?) "
    rf"(?P<aux>{'|'.join(AUXILIARIES)})(?: not|n['’]t) (?P<rest>.+)$",
    re.IGNORECASE,
)
#: A subject that begins so has no article.
_OURS = frozenset(("us", "them", "you", "my", "our", "your", "his", "her", "its", "their", "these", "those"))
_PLURALS = {"child": "children", "man": "men", "person": "people", "woman": "women"}
_PLURAL_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}
_MORE_THAN_A_NOUN = re.compile(r"\b(?:and|or|who|that|which|whose)\b", re.IGNORECASE)
_AFTER_A_NOUN = re.compile(r"(?= (?:of|in|on|at|from|with|for|to|by|under|near|between)\b)", re.IGNORECASE)
_NOT_BECAUSE = re.compile(
    r"^(?P<who>.+?) (?P<aux>is|are|was|were|did|does|do|has|have|had)(?: not|n['’]t) (?P<what>[^,;]+?) "
    r"because (?P<why>.+)$",
    re.IGNORECASE,
)
#: "Can" allows or enables and hardly ever supposes; "May" is a month.
_MAY = re.compile(r"\bmay(?P<no> not)? (?!have\b)")


class Wordings(NamedTuple):
    """The readings of a sentence.

    Parameters
    ----------
    kind : a label of the taxonomy ``ambiguity``.
    why : what makes it ambiguous, as the end of an explanation.
    readings : the sentence put so that each can be meant only in one way; two or more.
    """

    kind: str
    why: str
    readings: tuple[str, ...]


def ways_to_read(sentence: str, before: str = "") -> Iterator[Wordings]:
    """What a sentence leaves open: the referent of a pronoun, the scope of "not", the meaning of "may".

    Parameters
    ----------
    before : the sentence before it, in which a pronoun may find whom it means.

    Examples
    --------
    >>> for found in ways_to_read("All members did not vote."):
    ...     found.kind, found.readings
    ('Linguistic ambiguity: Structural', ('None of the members did vote.', 'Some but not all members did vote.'))
    >>> [w.readings for w in ways_to_read("Reyes told Tan that she had won.")]
    [('Reyes told Tan that Reyes had won.', 'Reyes told Tan that Tan had won.')]
    >>> list(ways_to_read("Reyes said that she had won."))
    []
    """
    if (found := _PRONOUN.search(sentence)) is not None:
        names = _names(sentence[: found.start()])
        if not names:
            names = _names(before)
        if 2 <= len(names) <= _MOST_NAMES:
            readings = tuple(f"{sentence[: found.start()]}{n}{sentence[found.end() :]}" for n in names)
            yield Wordings("Other meaning phenomenon", f"“{found[0]}” may be {' or '.join(names)}", readings)
    if (found := _ALL_NOT.match(sentence)) is not None:
        readings = _none_or_some(found)
        if readings:
            yield Wordings(
                "Linguistic ambiguity: Structural", "“not” may deny it of all or only that it is all", readings
            )
    if (found := _NOT_BECAUSE.match(sentence)) is not None:
        who, aux, what, why = (found[n] for n in ("who", "aux", "what", "why"))
        denied = f"{who} {aux} not {what}. The reason is that {why}"
        other = f"{who} {aux} {what}, but not because {why}"
        yield Wordings("Linguistic ambiguity: Structural", "“not” may deny the fact or only its cause", (denied, other))
    if (found := _MAY.search(sentence)) is not None:
        no = "not " if found["no"] else ""
        allowed = f"{sentence[: found.start()]}{_be(sentence[: found.start()])} {no}allowed to "
        possible = f"{sentence[: found.start()]}will perhaps {no}"
        readings = (allowed + sentence[found.end() :], possible + sentence[found.end() :])
        yield Wordings("Linguistic ambiguity: Lexical", "“may” may allow or suppose", readings)


def worded_ambiguity(
    model: EntailmentModel, passage: Sequence[str], sentence: str, before: str = ""
) -> Ambiguity | None:
    """Ambiguous if a passage entails one reading of a sentence and clearly not another.

    Parameters
    ----------
    passage : the sentences of the document that bear on it.
    before : the sentence of the summary before it.

    Notes
    -----
    A question is ambiguous as a non-assertion. Kinds are those of the taxonomy ``ambiguity`` (Koupaee et al. 2025,
    table 6) that words alone can show; the others need a chat model.

    Examples
    --------
    >>> from fallax.entailment import load_entailment
    >>> worded_ambiguity(load_entailment(), ["The vote was lost."], "Why was the vote lost?").types
    ('Non-assertion',)
    """
    if sentence.rstrip("\"'”’) ").endswith("?"):
        return Ambiguity(True, DETECTOR, ("Non-assertion",), explanation="a question asserts nothing")
    for wording in ways_to_read(sentence, before):
        said = [model.read(list(passage), reading).probabilities[0] for reading in wording.readings]
        if max(said) >= _IS and min(said) <= _IS_NOT:
            readings = tuple(Reading(t, _label(p)) for t, p in zip(wording.readings, said, strict=True))
            return Ambiguity(True, DETECTOR, (wording.kind,), readings, wording.why)
    return None


def pulled_apart(first: PairReading, second: PairReading | None) -> Ambiguity | None:
    """Ambiguous if one part of the document entails a sentence and another contradicts it.

    Parameters
    ----------
    first, second : the sentence beside either part.
    """
    if second is None:
        return None
    (e1, c1, _), (e2, c2, _) = first.probabilities, second.probabilities
    if max(min(e1, c2), min(e2, c1)) < _APART:
        return None
    why = "one passage of the document supports this, another contradicts it"
    return Ambiguity(True, DETECTOR, ("Other evaluability issue",), explanation=why)


def _label(probability: float) -> Faithfulness | None:
    return "faithful" if probability >= _IS else "unfaithful" if probability <= _IS_NOT else None


def _names(text: str) -> list[str]:
    """Names in order of first occurrence, without words that are capitalised only at the start of a sentence."""
    found = []
    for m in _NAME.finditer(text):
        words = m.group().split()
        while words and words[0] in _NOBODY:
            del words[0]
        found.append(" ".join(words))
    return [n for n in dict.fromkeys(found) if n]


def _none_or_some(found: re.Match[str]) -> tuple[str, ...]:
    """The readings of "all ... not", or none where the subject is more than a noun that can be put in the plural."""
    every, who, aux, rest = found["all"].lower(), found["who"].strip().removeprefix("the "), found["aux"], found["rest"]
    several = aux if every.startswith("all") else _PLURAL_VERBS.get(aux.lower(), aux)
    if who.split()[0].lower() in _OURS:
        return f"None of {who} {aux} {rest}", f"Some but not all of {who} {several} {rest}"
    if every in ("every", "each"):
        if _MORE_THAN_A_NOUN.search(who):
            return ()
        noun, *more = _AFTER_A_NOUN.split(who, maxsplit=1)
        who = _plural(noun) + "".join(more)
    return f"None of the {who} {aux} {rest}", f"Some but not all {who} {several} {rest}"


def _plural(noun: str) -> str:
    """A noun with regular endings, or a frequent one, in the plural.

    Examples
    --------
    >>> [_plural(n) for n in ("lift", "city", "boy", "bus", "tax", "branch", "woman")]
    ['lifts', 'cities', 'boys', 'buses', 'taxes', 'branches', 'women']
    """
    before, space, last = noun.rpartition(" ")
    if (known := _PLURALS.get(last.lower())) is not None:
        return f"{before}{space}{known}"
    if re.search(r"[^aeiou]y$", last):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if re.search(r"(?:[sxz]|ch|sh)$", last) else f"{noun}s"


def _be(subject: str) -> str:
    """The form of "be" that probably goes with what stands before it."""
    words = subject.split()
    last = words[-1].lower() if words else ""
    if last == "i":
        return "are" if words[-2:-1] == ["and"] else "am"
    if last in ("you", "we", "they", *_PLURALS.values()):
        return "are"
    return "are" if last.endswith("s") and not last.endswith(("ss", "us", "is")) else "is"
