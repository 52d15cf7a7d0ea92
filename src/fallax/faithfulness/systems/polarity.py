"""Marks where a sentence stays true with a broader, a narrower, or neither expression (monotonicity).

"Every" points down for what is counted and up for what is said of it, "no" down for both, "most" up for what is said
only (van Benthem 1986; MacCartney and Manning 2007). The scope of such a word is found by the form of the sentence:
without a parser it is left open where a sentence may be read in two ways.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fallax.core.texts.broader import parts_of
from fallax.core.texts.verbs import AUXILIARIES, IRREGULAR_PARTICIPLES, IRREGULAR_PASTS
from fallax.faithfulness.systems.compared import Word, word_set

__all__ = [
    "DETERMINERS",
    "PREPOSITIONS",
    "RELATIVES",
    "Monotonicity",
    "is_noun",
    "is_plural",
    "is_verb",
    "kind_spoken_of",
    "marks_of",
]


DETERMINERS = word_set("a an the this that these those my your his her its our their some any no every each all both")
PREPOSITIONS = word_set(
    "of in on at by for with from about into onto over under near during between among against across along around "
    "behind beside beyond inside outside through throughout toward towards within without above below after before "
    "until till since upon to off via per down up past amid opposite"
)
RELATIVES = word_set("who whom whose which that where")
_AUXILIARIES = frozenset((*AUXILIARIES, "am", "be", "been", "being", "shall", "need", "dare", "ought"))
_STOPS = word_set("; : – — ( ) but although though while whereas because unless so yet")
_PRONOUNS = word_set("he she it they we i you there")
#: What is denied stands behind these.
_DENIES = word_set("not never nobody nothing none neither nor hardly scarcely rarely seldom without nowhere")
_VERBS_DENY = word_set(
    "doubt doubts doubted deny denies denied refuse refuses refused decline declines declined fail fails failed forbid "
    "forbids forbade forbidden prohibit prohibits prohibited ban bans banned prevent prevents prevented avoid avoids "
    "avoided lack lacks lacked unable unlikely impossible reluctant neglected hesitated"
)
_ALL = word_set("every each all everyone everybody everything anyone anybody anything whoever any")
_EVERYBODY = word_set("everyone everybody everything anyone anybody anything whoever")
#: Behind one of these nothing follows from a broader or a narrower word.
_NEITHER = word_set(
    "only exactly precisely just than whether unless because like as except besides instead until before even"
)
_SUMS = word_set(
    "number numbers total majority minority rate rates share average level levels risk chance odds proportion "
    "percentage percent amount cost population half third "
    "quarter thirds quarters median maximum minimum sum price size"
)
_SUPERLATIVES = word_set("first last best worst least next second third main final sole same other")
_ASKS = word_set(
    "ask asks asked wonder wonders wondered know knows knew see sees saw check checks checked as even "
    "decide find out unclear unknown"
)
_COUNTS = word_set("most many")
_HARDLY = word_set("hardly scarcely barely")
#: The factor of a place where nothing follows with a broader and nothing with a narrower expression.
_NO_WAY = 2
#: Where a sentence has one of these, what it says may be denied as a whole.
_FALSE = word_set(
    "stop stops stopped stopping quit cease ceased lie lies false falsity falsehood untrue myth incorrect wrong "
)


@dataclass(frozen=True, slots=True)
class Monotonicity:
    """How the truth of a sentence depends on the expression at one of its words.

    Parameters
    ----------
    polarity : 1, it stays true with a broader one; -1, with a narrower one; 0, neither is known.
    counted : whether the word stands in what "every", "no" or the like counts.
    neither : whether it is known to stay true with neither, as what "most" counts.
    """

    polarity: int
    counted: bool
    neither: bool = False


def is_noun(word: Word) -> bool:
    """Whether a word can be a noun: words that no dictionary has are."""
    parts = parts_of(word.text)
    return bool(word.stem) and word.text not in PREPOSITIONS and (not parts or "n" in parts)


def is_verb(words: Sequence[Word], i: int) -> bool:
    """Whether the form of a word and of those beside it makes it a finite verb."""
    word, before = words[i].text, words[i - 1] if i else None
    after = words[i + 1] if i + 1 < len(words) else None
    if word in _AUXILIARIES:
        return True
    parts = parts_of(word)
    if words[i].name or "v" not in parts or before is None:
        return False
    if before.text in DETERMINERS or before.text in PREPOSITIONS:
        return False
    past = word in IRREGULAR_PASTS or (word.endswith("ed") and len(word) > 3)
    if past:
        return after is None or after.text != "by" or before.text in RELATIVES or before.text in _PRONOUNS
    if before.text in _PRONOUNS or before.text in RELATIVES:
        return not word.endswith("ing")
    if word in IRREGULAR_PARTICIPLES or word.endswith("ing"):
        return False
    if not is_noun(before):  # "who sings likes"
        said_of = i > 1 and (words[i - 2].text in _AUXILIARIES or words[i - 2].text == "not")  # "who is not ill likes"
        return word.endswith("s") and (said_of or parts_of(before.text) == {"v"})
    plural = is_plural(before.text)
    if word.endswith("s") and not word.endswith("ss"):
        return not plural and ("n" not in parts or after is None or not after.stem or not is_noun(after))
    return plural


def _may_be_verb(words: Sequence[Word], i: int) -> bool:
    """Whether a word behind a noun can be a verb in its base form, and what follows cannot be a noun with it."""
    word, after = words[i].text, words[i + 1].text if i + 1 < len(words) else ""
    if "v" not in parts_of(word) or word.endswith(("s", "ing", "ed")) or not is_noun(words[i - 1]):
        return False
    return not after or after in DETERMINERS or (after.endswith("ly") and "r" in parts_of(after))


def is_plural(word: str) -> bool:
    """Whether a noun is a plural by its form."""
    return (word.endswith("s") and not word.endswith("ss")) or word in ("men", "women", "children", "people", "mice")


def marks_of(words: Sequence[Word]) -> tuple[Monotonicity, ...]:
    """The mark of each word of a sentence.

    Examples
    --------
    >>> from fallax.faithfulness.systems.compared import words_of
    >>> [m.polarity for m in marks_of(words_of("Every ferry was late."))]
    [1, -1, 1, 1]
    >>> [m.polarity for m in marks_of(words_of("Nobody in the hall sang a hymn."))]
    [1, -1, -1, -1, -1, -1, -1]
    >>> [m.polarity for m in marks_of(words_of("Most ferries were late."))]
    [1, 0, 1, 1]
    """
    polarity = [1] * len(words)
    counted, neither = [False] * len(words), [False] * len(words)
    for start, end, factor, counts in _scopes(words):
        for i in range(start, min(end, len(words))):
            neither[i] = factor == _NO_WAY and polarity[i] != 0
            polarity[i] *= 0 if factor == _NO_WAY else factor
            counted[i] = counted[i] or counts
    return tuple(Monotonicity(*each) for each in zip(polarity, counted, neither, strict=True))


#: The first word of a scope, the one behind it, -1, 0 or no way, and whether what stands there is counted.
_Scope: TypeAlias = tuple[int, int, int, bool]


def _scopes(words: Sequence[Word]) -> Iterator[_Scope]:
    texts = [w.text for w in words]
    if (of_kind := kind_spoken_of(words)) is not None:
        yield 0, of_kind, 0, False
    for i, text in enumerate(texts):
        before, behind = texts[i - 1] if i else "", texts[i + 1 : i + 4]
        if length := _nobody(texts, i):
            end = _clause_end(words, i + 1)
            said_of = _noun_end(words, i + length, end, i)[0]
            yield i + length, said_of, -1, True
            yield said_of, end, -1, False
        elif text in _DENIES or text in _VERBS_DENY:
            yield from _denied(words, i, _clause_end(words, i + 1))
        elif text == "lack" or text in _FALSE or (text == "little" and before != "a"):
            yield 0, len(words), 0, False
        elif text in _ALL or text in _COUNTS:
            yield from _all_or_most(words, texts, i)
        elif text in ("exactly", "precisely") and _is_count(behind):
            yield i + 1, _clause_end(words, i + 1), _NO_WAY, False
        elif text == "more" and "than" in texts[i + 2 :] and not (before in ("no", "not") and _is_count(behind[1:])):
            yield i + 1, len(words), 0, False
        elif text == "if":
            stop = next((k for k in range(i + 1, len(words)) if texts[k] in (",", "then", ";")), len(words))
            yield i + 1, stop, 0 if any(t in _ASKS for t in texts[:i]) else -1, False
        elif text in _NEITHER and not (text == "as" and i == 0) and texts[i - 1 : i + 1] != ["not", "only"]:
            counts = text == "than" and before in ("more", "fewer", "less") and _is_count(behind)
            if not counts and not (text == "than" and behind[:1] in (["any"], ["every"], ["all"])):
                yield i + 1 - (text == "only"), _clause_end(words, i + 1), 0, False
        elif text in _SUMS or (text in _SUPERLATIVES and before == "the") or _is_superlative(texts, i):
            yield i, _noun_end(words, i + 1, _clause_end(words, i + 1), i)[1], 0, False


def kind_spoken_of(words: Sequence[Word]) -> int | None:
    """Where the verb of a sentence is that speaks of a kind: "Black dogs bark", not "Black dogs are barking".

    None if a determiner, a number or a name begins it, or its subject is no plural; the end if no verb is found.
    """
    head = next((i for i, w in enumerate(words) if is_noun(w)), None)
    if head is None or any(not w.stem or w.stem[0].isdigit() for w in words[: head + 1]):
        return None
    verb = _main_verb(words, 0, len(words)) or len(words)
    plurals = [i for i in range(head, verb) if is_plural(words[i].text)]
    named = any(w.text in PREPOSITIONS or w.name for w in words[: plurals[0]]) if plurals else True
    doing = any(w.text.endswith("ing") for w in words[verb + 1 : verb + 3])
    return None if named or (doing and words[verb].text in ("are", "were")) else verb


def _all_or_most(words: Sequence[Word], texts: Sequence[str], i: int) -> Iterator[_Scope]:
    """What "every" or "most" counts; its place is open where it may end sooner or later."""
    before, after = texts[i - 1] if i else "", texts[i + 1] if i + 1 < len(texts) else ""
    certain, open_ = _noun_end(words, i + 1, _clause_end(words, i + 1), i)
    if texts[i] in _COUNTS:
        if texts[i] == "most" and before in ("the", "at", "his", "her", "its", "their"):
            return
        factor = _NO_WAY if texts[i] == "most" and before not in ("almost", "nearly") else 0
    else:
        existential = texts[i].startswith("any") and any(t in _DENIES or t in ("no", "if") for t in texts[:i])
        if existential or after in ("but", "day", "over", "other") or before in ("at", "after"):
            return
        factor = 0 if before in ("nearly", "almost", "virtually") else -1
    yield i + 1, certain, factor, True
    yield certain, open_, 0, True


def _nobody(texts: Sequence[str], i: int) -> int:
    """How many words "no", "nobody", "few", "at most five" or "hardly any" has, which deny both; 0 if it is none."""
    text, after = texts[i], texts[i + 1] if i + 1 < len(texts) else ""
    if text in _HARDLY and after in ("any", "a"):
        return 2
    if text == "no" and after == "1":  # "no one"
        return 2
    if text in ("nobody", "none", "nothing") or (text == "neither" and "nor" not in texts):
        return 1
    if text in ("few", "fewer") and i and texts[i - 1] == "a":
        return 0
    return _at_most(texts, i) or int(text in ("no", "few", "fewer"))


def _denied(words: Sequence[Word], i: int, end: int) -> Iterator[_Scope]:
    """What "not" or a verb like it denies: up to the next finite verb, which may be that of another clause."""
    if i + 1 < len(words) and words[i + 1].text in _ALL:  # "not every dog barked"
        yield i + 1, end, -1, False
        return
    if i and words[i - 1].text in DETERMINERS:  # "a not very new boat"
        yield i + 1, _noun_end(words, i + 1, end, i)[1], 0, False
        return
    verbs = [k for k in range(i + 2, end) if is_verb(words, k) and not is_verb(words, k - 1)]
    embedded = words[i].text in _VERBS_DENY  # "doubts that he left": one verb is denied
    verb = verbs[embedded] if len(verbs) > embedded else end
    when = next((k for k in range(i + 1, verb) if words[k].text in ("when", "if", "and") or _goes_on(words, k)), verb)
    start = _clause_start(words, i)
    of_clause = any(w.text in RELATIVES for w in words[start:i]) or (
        words[i].text == "not" and i > 0 and words[i - 1].text not in _AUXILIARIES
    )
    if of_clause and verb == end:  # where it ends is not known
        yield i + 1, end, 0, False
        return
    yield i + 1, when, -1, False
    if not of_clause:
        yield when, end, 0, False


def _goes_on(words: Sequence[Word], i: int) -> bool:
    """Whether a participle behind an adverb says what somebody does besides: "not walking slowly carrying a bag"."""
    return words[i].text.endswith("ing") and "v" in parts_of(words[i].text) and words[i - 1].text.endswith("ly")


def _is_count(texts: Sequence[str]) -> bool:
    return bool(texts) and (texts[0][0].isdigit() or texts[0] in ("half", "a", "one", "two"))


def _at_most(texts: Sequence[str], i: int) -> int:
    """How many words "at most five", "no more than five", "fewer than five" or "up to five" has; 0 if it is none."""
    for form in (("at", "most"), ("no", "more", "than"), ("not", "more", "than"), ("fewer", "than"), ("less", "than"),
                 ("up", "to")):  # fmt: skip
        if tuple(texts[i : i + len(form)]) == form and _is_count(texts[i + len(form) :]):
            return len(form) + 1
    return 0


def _is_superlative(texts: Sequence[str], i: int) -> bool:
    if i == 0 or texts[i - 1] not in ("the", "his", "her", "its", "their", "my", "our"):
        return False
    text = texts[i]
    return text == "most" or (text.endswith("est") and "a" in parts_of(text[:-3]) | parts_of(f"{text[:-3]}y"))


def _clause_end(words: Sequence[Word], start: int) -> int:
    """Where the clause ends in which a word stands."""
    has_verb = False
    for j in range(start, len(words)):
        text = words[j].text
        if text in _STOPS:
            return j
        has_verb = has_verb or is_verb(words, j)
        after = [w.text for w in words[j + 1 : j + 6]]
        if text == "," and (after[:1] == ["which"] or not {"and", "or"} & set(after)):
            return j
        if text == "," and after[:1] == ["and"] and ({*after[1:2]} & (_PRONOUNS | DETERMINERS)):
            return j
        if text in ("and", "or", ",") and has_verb and after and (after[0] in _PRONOUNS or words[j + 1].name):
            return j
        clause = text == "and" and has_verb and after and after[0] in DETERMINERS
        if clause and any(is_verb(words, k) for k in range(j + 2, min(j + 6, len(words)))):
            return j
    return len(words)


def _noun_end(words: Sequence[Word], start: int, end: int, operator: int) -> tuple[int, int]:
    """Where what an operator counts ends at least, and where at most."""
    subject = not any(is_verb(words, k) for k in range(_clause_start(words, operator), operator))
    certain = start
    while certain < end and (words[certain].stem or words[certain].text in DETERMINERS or words[certain].text == "of"):
        if certain > start and is_verb(words, certain):
            break
        if words[certain].text in PREPOSITIONS and words[certain].text != "of":
            break
        certain += 1
    if not subject:
        follows = certain < end and (words[certain].text in PREPOSITIONS or words[certain].text in RELATIVES)
        return certain, end if follows else certain
    verb = _main_verb(words, start, end)
    return (verb, verb) if verb is not None else (certain, end)


def _clause_start(words: Sequence[Word], i: int) -> int:
    stops = (*_STOPS, ",", "that", "if", "and", "or")
    return next((k + 1 for k in range(i - 1, -1, -1) if words[k].text in stops), 0)


def _main_verb(words: Sequence[Word], start: int, end: int) -> int | None:
    """The verb that is said of what is counted: not one of a relative clause."""
    pending = 0
    j = start
    head = next((w for w in words[start:end] if is_noun(w)), None)
    many = head is not None and is_plural(head.text)
    while j < end:
        if words[j].text in RELATIVES and not (words[j].text == "that" and j == start):
            pending += 1
        elif j > start and (is_verb(words, j) or (many and _may_be_verb(words, j))):
            if not pending:
                return j
            pending -= 1
            if words[j].text in _AUXILIARIES:
                while j + 1 < end and (words[j + 1].text in _AUXILIARIES or words[j + 1].text in ("not", "never")):
                    j += 1
                if j + 1 < end and "v" in parts_of(words[j + 1].text):
                    j += 1
            if j + 2 < end and words[j + 1].text in ("and", "or") and "v" in parts_of(words[j + 2].text):
                j += 2
        j += 1
    return None
