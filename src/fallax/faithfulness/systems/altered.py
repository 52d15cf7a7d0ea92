"""Finds claims that repeat a sentence of a document but for one thing that turns it into something else.

"Not" added or left out, a word replaced by its opposite, another number of the same things, another name: what is left
has the same words, and so looks supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from itertools import pairwise

from fallax.errors import one_line
from fallax.faithfulness.systems.amounts import amount_in
from fallax.faithfulness.systems.compared import COMPARES, NEGATES, Word, stem_of, stems_of, word_set, words_of

__all__ = ["Altered", "altered_in", "condition_left_out"]


#: What has more characters is no claim that the model reads whole.
_LONGEST, _LONGEST_SENTENCE = 1000, 2000
#: A claim with fewer content words says too little to be told from another one.
_LEAST, _LEAST_DENIED = 3, 2
#: Words of the document that may stand between those of the claim, for each of these.
_SPREAD = 2
#: What changes the meaning of what is near it in more ways than yes and no: both must have the same of these.
_RESTRICTS = word_set(
    "only until unless if except but almost nearly hardly scarcely barely rarely seldom whether or instead rather "
    "although though despite could should would might may ever any longer just always all every both most "
    "than other others again enough half third thirds quarter out"
)
#: Where a clause has one of these, it denies something without a word for it.
_IMPLICIT = re.compile(
    r"\b(?:(?:decided|voted|warned|advised|argued|is|was|were|be|been) against|refus\w+|declin\w+|fail\w*|unable"
    r"|impossible|unknown|unclear|doubt\w*|den(?:y|ies|ied)|stop\w*|prevent\w*|avoid\w*|expected|supposed"
    r"|meant|planned|permit|known|true|unlike|mistake\w*|myths?|idea|drop\w*|left|instead)\b",
    re.IGNORECASE,
)
#: So does one of these before the end of what the claim repeats.
_IMPLICIT_BEFORE = re.compile(r"(?:lack\w*|without|little|few|least)", re.IGNORECASE)
#: Where something only may be, or some do it, it also may not, and others do not.
_OPEN = word_set("may might could possible possibly half part partly some many several few most")
_PRONOUNS = frozenset(("he", "she", "it", "they"))
#: With one of these a sentence says the same of somebody else.
_TOO = word_set("too also so likewise same both neither nor well")
#: Who stands first and who last does not matter where one of these is between them.
_EITHER_WAY = word_set("is are be same with and or each")
#: What is separated so is examined apart.
_PARTS = re.compile(r"(?<=[;:])\s|,\s(?=(?:and|but|while|whereas)\s)")
#: A name has at most so many words.
_MOST_MISSING = 3
#: A day or month is another one only where nothing reaches from one to the other.
_DATES = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august september "
    "october november december"
)
_REACHES = re.compile(
    r"\b(?:daily|weekly|every|each|except|since|from|until|till|through|between|by|before|after|than)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Altered:
    """What a claim changes of a sentence.

    Parameters
    ----------
    sentence : the number of the sentence.
    claimed : words of the claim.
    said : words of the document.
    """

    sentence: int
    claimed: str
    said: str


_END = Word("", "", "", False)


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    path = resources.files("fallax.faithfulness") / "systems" / "opposites.txt"
    for line in path.read_text(encoding="utf-8").lower().splitlines():
        if not line or line.startswith("#"):
            continue
        one, other = ([w for w in side.split() if stem_of(w)] for side in line.split("|"))  # "may" says little alone
        for a in one:
            for b in other:
                for x, y in ((stem_of(a), stem_of(b)), (stem_of(b), stem_of(a))):
                    found.setdefault(x, set()).add(y)
    return {word: frozenset(others) for word, others in found.items()}


def _negators(words: Sequence[Word]) -> list[int]:
    """Where a word denies what follows; a "no" before a comma answers, and one in capitals is a name."""
    after = [w.text for w in words[1:]]
    return [
        i
        for i, (w, following) in enumerate(zip(words, [*after, ""], strict=True))
        if (w.text in NEGATES and not (w.text == "no" and w.name) and following != ",") or w.text.endswith("n't")
    ]


def altered_in(claim: str, sentences: Sequence[str], among: Sequence[int]) -> Altered | None:
    """What a claim changes of a sentence whose words it repeats; None if nothing like that is found.

    Parameters
    ----------
    claim : one statement; nothing is found in one of more than 1,000 characters.
    sentences : of the document, in order.
    among : the numbers of those that bear on the claim; quantities are compared with those of all sentences.

    Examples
    --------
    >>> altered_in("The grant was paid in June.", ["The grant was not paid in June."], [0])
    Altered(sentence=0, claimed='paid', said='not paid')
    >>> altered_in("The accounts showed a deficit in May.", ["The accounts showed a surplus in May."], [0])
    Altered(sentence=0, claimed='deficit', said='surplus')
    >>> altered_in("Three swings were broken again.", ["Two swings were broken again."], [0])
    Altered(sentence=0, claimed='Three swings', said='Two swings')
    >>> altered_in("The grant was paid in June.", ["The grant was paid in June."], [0])
    """
    if len(claim) > _LONGEST:
        return None
    own = words_of(claim)
    wanted = stems_of(claim)
    if len(wanted) < _LEAST_DENIED:
        return None
    for number in among:
        parts = _PARTS.split(sentences[number][:_LONGEST_SENTENCE])
        for part in parts:
            theirs = words_of(part)
            missing = wanted - {w.stem for w in theirs}
            if len(missing) > _MOST_MISSING or (missing & _DATES and _REACHES.search(part)):
                continue
            same = _denials(part, theirs, wanted) == _denials(claim, own, wanted) and "?" not in part + claim
            if not missing & _DATES and not same:
                continue
            others = [s for i, s in enumerate(sentences) if i != number]
            beside = [words_of(other) for other in parts if other != part]
            for found in _changes(own, wanted, theirs, missing, [words_of(s) for s in others], beside):
                if not any(wanted <= stems_of(s) for s in others):
                    return Altered(number, *(one_line(x, 80) for x in found))
    amount = amount_in(claim, sentences)
    if amount is None or amount.verdict != "contradicted":
        return None
    return Altered(amount.sentence, amount.claimed, amount.said)


def _denials(text: str, words: Sequence[Word], wanted: Set[str]) -> list[str]:
    """The words by which a text denies something without "not", in what a claim repeats or in what is said of that."""
    last = max((i for i, w in enumerate(words) if w.stem in wanted), default=-1)
    near = [w.text for w in words[: last + 1] if _IMPLICIT_BEFORE.fullmatch(w.text)]
    return sorted((*near, *(m.group().lower() for m in _IMPLICIT.finditer(text))))


_IF = re.compile(
    r",?\s(?:(?:but )?only )?(?:if|unless|provided that|on (?:the )?condition that|as long as)\b", re.IGNORECASE
)
#: So many words of a sentence, none of which asks, may stand between those of a claim and a condition.
_BETWEEN, _ASKS = 4, re.compile(r"\b(?:ask\w*|wonder\w*|know|knew|see|saw|not|even)\W*$", re.IGNORECASE)


def condition_left_out(claim: str, sentence: str) -> str:
    """The condition that a sentence adds behind the words of a claim, which has none; empty without one.

    Examples
    --------
    >>> condition_left_out("Tan said that it will sail at Easter.", "She said that it would sail at Easter if paid.")
    'if paid'
    >>> condition_left_out("The ferry will sail at Easter if paid.", "The ferry will sail at Easter if paid.")
    ''
    """
    found = _IF.search(sentence[:_LONGEST_SENTENCE])
    if found is None or len(claim) > _LONGEST or _IF.search(claim) or _ASKS.search(sentence[: found.start()]):
        return ""
    own, theirs = words_of(claim), words_of(sentence[: found.start()])
    stems = {w.stem for w in theirs}
    wanted: Set[str] = stems_of(claim)
    if any(w.text in _PRONOUNS for w in theirs):
        wanted -= {w.stem for w in own if w.name or w is own[0]} - stems
    where = _window(wanted, theirs) if len(wanted) >= _LEAST else None
    if where is None or where[1] < len(theirs) - 1 - _BETWEEN or not _in_order(own, wanted, theirs):
        return ""
    return sentence[found.start() :].strip(" .,;\"'")


def _changes(
    own: Sequence[Word],
    wanted: Set[str],
    theirs: Sequence[Word],
    missing: Set[str],
    elsewhere: Sequence[Sequence[Word]],
    beside: Sequence[Sequence[Word]],
) -> Iterator[tuple[str, str]]:
    said_of = {w.stem for w in own if w.name or w is own[0]} & missing  # "Tan" may be who is "she" here
    if missing == said_of and (not missing or any(w.text in _PRONOUNS for w in theirs)):
        yield from _denied(own, wanted - missing, theirs)
    if len(wanted) < _LEAST:
        return
    if not missing:
        yield from _exchanged(own, wanted, theirs)
        return
    names = {w.stem for other in elsewhere for w in other if w.name}
    if any(missing <= {w.stem for w in other if w.name} for other in elsewhere):
        yield from _other_name(own, wanted, theirs, missing, names)
    for word in sorted(missing):
        added = missing - {word}
        if added and (len(wanted - missing) < _LEAST or not added <= {w.stem for other in elsewhere for w in other}):
            continue
        # what another sentence adds to what this one says, such as "of the mill"
        mine, less = [w for w in own if w.stem not in added], wanted - added
        others = (*elsewhere, *beside)
        if not word[0].isdigit() and not any(_says_too(word, wanted, other) for other in others):
            yield from _opposite(mine, less, theirs, word)


def _says(word: str, wanted: Set[str], other: Sequence[Word]) -> bool:
    """Whether another sentence or part has a word of the claim with one more."""
    stems = {w.stem for w in other}
    return word in stems and bool(stems & (wanted - {word}))


def _says_too(word: str, wanted: Set[str], other: Sequence[Word]) -> bool:
    """The same, or it says "too": "so was the wife"."""
    too = word not in COMPARES and any(w.text in _TOO for w in other)
    return _says(word, wanted, other) or (too and any(w.stem == word for w in other))


def _names(words: Sequence[Word], others: Sequence[Word], known: Set[str] = frozenset()) -> list[tuple[str, ...]]:
    """The names in a text; its first word is one if it is known to be, or the other text has it so, or one follows."""
    known = known | {w.stem for w in others if w.name}
    found: list[tuple[str, ...]] = []
    run: list[str] = []
    for i, w in enumerate((*words, _END)):
        first = i == 0 and w.stem and (w.stem in known or (len(words) > 1 and words[1].name and words[1].stem))
        if w.stem and (w.name or first):
            run.append(w.stem)
        elif run:
            found.append(tuple(run))
            run = []
    return found


def _exchanged(own: Sequence[Word], wanted: Set[str], theirs: Sequence[Word]) -> Iterator[tuple[str, str]]:
    """Two names of a clause have changed places, and all else is in the same order."""
    where = _window(wanted, theirs)
    if where is None:
        return
    part = _clause(theirs, *where)
    if _in_order(own, wanted, part) or _links(own) != _links(part) or _denied_stems(own) != _denied_stems(part):
        return
    if _restricted(own) != _restricted(part) or any(w.text in _EITHER_WAY for w in own):
        return
    names = [n for n in dict.fromkeys(_names(own, theirs)) if set(n) <= {w.stem for w in part}]
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            if set(one) & set(other) or not (_denies_after(own, one, other) and _denies_after(part, one, other)):
                continue
            if _in_order(_with({one: other, other: one}, own), wanted, part):
                a, b = _shown(own, one), _shown(own, other)
                yield f"{a} … {b}", f"{b} … {a}"


def _denied_stems(words: Sequence[Word]) -> list[str]:
    """What stands behind each word that denies."""
    return [next((w.stem for w in words[i + 1 :] if w.stem), "") for i in _negators(words)]


def _denies_after(words: Sequence[Word], one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether all that is denied stands behind two names: "Kell asked Brandt why nobody came"."""
    last = max((i for i, w in enumerate(words) if w.stem in one or w.stem in other), default=-1)
    return all(i > last for i in _negators(words))


def _other_name(
    own: Sequence[Word], wanted: Set[str], theirs: Sequence[Word], missing: Set[str], known: Set[str]
) -> Iterator[tuple[str, str]]:
    """The claim has another name in the place of one in a clause that has all its other words."""
    mine = next((n for n in _names(own, theirs, missing) if missing <= set(n) and not set(n) - missing), None)
    if mine is None or _negators(own) or _pronouns(own) != _pronouns(theirs):
        return
    for said in dict.fromkeys(_names(theirs, own, known)):
        if set(said) & wanted:
            continue
        replaced = (wanted - set(mine)) | set(said)
        where = _window(replaced, theirs)
        if where is None:
            continue
        part = theirs[where[0] : where[1] + 1]
        turned = _with({mine: said}, own)
        if (
            not _negators(part)
            and len(_names(part, own, known)) == len(_names(turned, part, missing | known))
            and _links(own) == _links(part)
            and _in_order(turned, replaced, part)
        ):
            yield _shown(own, mine), _shown(theirs, said)


def _shown(words: Sequence[Word], name: tuple[str, ...]) -> str:
    """A name as a text writes it."""
    starts = (i for i in range(len(words)) if tuple(w.stem for w in words[i : i + len(name)]) == name)
    at = next(starts)
    return " ".join(w.shown for w in words[at : at + len(name)])


def _pronouns(words: Sequence[Word]) -> list[str]:
    return sorted(w.text for w in words if w.text in _PRONOUNS)


def _links(words: Sequence[Word]) -> list[str]:
    """The words that say who does what to whom."""
    return sorted(w.text for w in words if w.text in ("by", "from", "to", "and", "or", "was", "were", "been", "being"))


def _is_passive(words: Sequence[Word]) -> bool:
    return any(w.text == "by" for w in words)


def _with(names: dict[tuple[str, ...], tuple[str, ...]], words: Sequence[Word]) -> list[Word]:
    """The same words with names in the place of others."""
    found: list[Word] = []
    at = 0
    while at < len(words):
        for old, new in names.items():
            if tuple(w.stem for w in words[at : at + len(old)]) == old:
                found += [Word(stem, stem, stem, True) for stem in new]
                at += len(old)
                break
        else:
            found.append(words[at])
            at += 1
    return found


def _window(wanted: Set[str], theirs: Sequence[Word]) -> tuple[int, int] | None:
    """The shortest part of a sentence with all wanted words; None if they stand too far apart."""
    best: tuple[int, int] | None = None
    where = [(i, w.stem) for i, w in enumerate(theirs) if w.stem in wanted]
    for k, (start, _) in enumerate(where):
        left = set(wanted)
        for end, stem in where[k:]:
            left.discard(stem)
            if not left:
                if best is None or end - start < best[1] - best[0]:
                    best = start, end
                break
        if left:
            break
    if best is None or best[1] - best[0] + 1 > len(wanted) * (1 + _SPREAD):
        return None
    return best


def _clause(theirs: Sequence[Word], start: int, end: int) -> Sequence[Word]:
    """A part of a sentence with what stands before it in the same clause, three words at most."""
    first = start
    while first > max(0, start - 3) and theirs[first - 1].text not in (",", ";", ":", "that", "–", "—", "(", ")"):
        first -= 1
    return theirs[first : end + 1]


def _restricted(words: Sequence[Word]) -> Set[str]:
    return {w.text for w in words if w.text in _RESTRICTS and not w.name}


def _in_order(own: Sequence[Word], wanted: Set[str], part: Sequence[Word]) -> bool:
    """Whether the words that both have stand in the same order, so that nobody has changed places.

    "The grant for the footpath" is in the order of "the footpath grant".
    """
    mine = [w.stem for w in own if w.stem in wanted]
    places = [i for i, w in enumerate(part) if w.stem in wanted]
    said = [part[i].stem for i in places]
    if _holds(said, mine):
        return True
    for k, (i, j) in enumerate(pairwise(places)):
        if any(w.text in ("of", "for") for w in part[i + 1 : j]):
            turned = [*said[:k], said[k + 1], said[k], *said[k + 2 :]]
            if _holds(turned, mine):
                return True
    return False


def _holds(said: Sequence[str], mine: Sequence[str]) -> bool:
    """Whether the one has all of the other in its order, perhaps with more between."""
    left = iter(said)
    return all(stem in left for stem in mine)


def _denied(own: Sequence[Word], wanted: Set[str], theirs: Sequence[Word]) -> Iterator[tuple[str, str]]:
    """The claim denies what a clause asserts in the same words, or the other way round."""
    where = _window(wanted, theirs) if len(wanted) >= _LEAST_DENIED else None
    if where is None or len(_negators(own)) + len(_negators(theirs)) > 1:
        return
    part = _clause(theirs, *where)
    mine, said = _negators(own), _negators(part)
    if len(mine) + len(said) != 1 or _restricted(own) != _restricted(part) or not _in_order(own, wanted, part):
        return
    if any(w.text in _OPEN and not w.name for w in (*own, *theirs)) or _is_passive(own) != _is_passive(part):
        return
    words = own if mine else part
    (at,) = mine or said
    following = next((w for w in words[at + 1 :] if w.stem), None)
    if following is None or following.stem not in wanted or sum(w.stem == following.stem for w in theirs) > 1:
        return
    denied = f"{words[at].shown} {following.shown}"
    plain = next(w.shown for w in (part if mine else own) if w.stem == following.stem)
    yield (denied, plain) if mine else (plain, denied)


def _opposite(own: Sequence[Word], wanted: Set[str], theirs: Sequence[Word], word: str) -> Iterator[tuple[str, str]]:
    """The claim has the opposite of a word of a clause that has all its other words."""
    stems = {w.stem for w in theirs}
    for other in sorted(_opposites().get(word, frozenset()) & stems):
        if other in wanted or (word in _DATES and len(stems & _DATES) > 1):
            continue
        replaced = (wanted - {word}) | {other}
        where = _window(replaced, theirs)
        if where is None:
            continue
        part = _clause(theirs, *where)
        turned = [replace(w, stem=other) if w.stem == word else w for w in own]
        if (
            not _negators(own)
            and not _negators(part)
            and _restricted(own) == _restricted(part)
            and _in_order(turned, replaced, part)
        ):
            yield next(w.shown for w in own if w.stem == word), next(w.shown for w in part if w.stem == other)
