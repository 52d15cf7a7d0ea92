"""What the judge learns from: a sentence beside a document, and which of its words the document does not carry."""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fallax.core.texts import sentence_spans

__all__ = ["Example", "changed_words", "made_examples", "pair_examples", "spoken"]

_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


@dataclass(frozen=True)
class Example:
    """A sentence with a document.

    Parameters
    ----------
    words : the sentence in words and marks.
    document : its sentences, in order.
    faithful : whether the document carries the sentence.
    wrong : for each word whether it is one that the document does not carry; None where nobody said which.
    group : examples of one group are trained on together or held out together.
    source : where it is from.
    weight : how much it counts.
    without : numbers of the document's sentences that may not be read.
    """

    words: tuple[str, ...]
    document: tuple[str, ...]
    faithful: bool
    wrong: tuple[bool, ...] | None
    group: str
    source: str
    weight: float = 1.0
    without: frozenset[int] = frozenset()


def words_in(text: str) -> tuple[str, ...]:
    """Words and marks, in order."""
    return tuple(_WORD.findall(text))


def changed_words(words: Sequence[str], original: Sequence[str]) -> list[bool]:
    """For each word whether it is not as in the original; where words were only left out, the one before is marked.

    Examples
    --------
    >>> changed_words("the cat sat there".split(), "the dog sat there".split())
    [False, True, False, False]
    """
    marked = [False] * len(words)
    matcher = difflib.SequenceMatcher(None, [w.lower() for w in original], [w.lower() for w in words], autojunk=False)
    for kind, _, _, start, end in matcher.get_opcodes():
        if kind == "delete" and words:
            marked[max(0, start - 1)] = True
        elif kind != "equal":
            marked[start:end] = [True] * (end - start)
    return marked


def pair_examples(
    summary: str, original: str, document: Sequence[str], *, faithful: bool, group: str, source: str
) -> list[Example]:
    """The sentences of an edited summary that differ from the original.

    Parameters
    ----------
    faithful : what people say of the edited summary; if not, the sentences that were changed are at fault.
    """
    words, marked = [], []
    for start, end in sentence_spans(summary):
        words.append(words_in(summary[start:end]))
    flags = changed_words([w for s in words for w in s], words_in(original))
    for sentence in words:
        marked.append(flags[: len(sentence)])
        flags = flags[len(sentence) :]
    touched = [(s, m) for s, m in zip(words, marked, strict=True) if any(m)]
    weight = 1.0 if faithful or len(touched) < 2 else 0.6
    return [
        Example(s, tuple(document), faithful, tuple(False if faithful else x for x in m), group, source, weight)
        for s, m in touched
    ]


_OPPOSITES = [
    line.split()
    for line in """
    increase decrease|increased decreased|rise fall|rose fell|more less|higher lower|above below|before after
    first last|won lost|accept reject|accepted rejected|approve oppose|approved denied|support oppose
    supported opposed|all none|many few|always never|begin end|began ended|open close|opened closed|new old
    large small|major minor|early late|agreed refused|agree disagree|allow forbid|allowed banned|public private
    north south|east west|male female|man woman|father mother|son daughter|he she|his her|day night|today yesterday
    next previous|best worst|good bad|important unimportant|likely unlikely|possible impossible|yes no|up down
    buy sell|bought sold|send receive|sent received|remove add|removed added|include exclude|includes excludes
    success failure|succeeded failed|passed failed|raise lower|raised lowered|gain loss|positive negative
    Monday Thursday|Tuesday Saturday|Wednesday Sunday|January August|February October|March November|April December
    May September|June July|million billion|hundred thousand|one three|two five|four six|seven nine|eight ten
    week month|year week|council committee|city county|mayor governor|police army|government company|chair clerk
    will may|must could|can cannot|is isn't|was wasn't|are aren't|were weren't|has hasn't|did didn't|would wouldn't
    """.replace("\n", "|").split("|")
    if line.strip()
]
_OPPOSITE: dict[str, list[str]] = {}
for _a, _b in _OPPOSITES:
    _OPPOSITE.setdefault(_a.lower(), []).append(_b)
    _OPPOSITE.setdefault(_b.lower(), []).append(_a)
_NUMBER = re.compile(r"\d+")
_FILLERS = ("uh", "um", "you know", "so", "and", "okay", "I think", "I mean", "well", "right", "again", "thank you")
#: How many documents are read as if they were said.
_SPOKEN = 0.3
_VERBS = frozenset("is was are were has have had will would can could should did does do".split())  # noqa: SIM905


def _cased(word: str, like: str) -> str:
    return word[:1].upper() + word[1:] if like[:1].isupper() else word


def _names(words: Sequence[str]) -> list[tuple[int, int]]:
    """Runs of capitalised words, but for the one that begins the sentence."""
    found = []
    i = 1
    while i < len(words):
        j = i
        while j < len(words) and words[j][:1].isupper() and words[j].isalpha() and len(words[j]) > 1:
            j += 1
        if j > i:
            found.append((i, j))
        i = max(j, i + 1)
    return found


def _number(word: str, rng: random.Random) -> str:
    value = int(word) if len(word) < 10 else 7
    if 1900 <= value <= 2030:
        return str(value + rng.choice((-3, -2, -1, 1, 2, 4)))
    return str(max(1, rng.choice((value + 1, value * 2, value + 10, value // 2, value + 3)))) if value else "2"


def _falsified(
    words: Sequence[str], names: Sequence[tuple[str, ...]], rng: random.Random
) -> tuple[list[str], list[bool]]:
    """The sentence with one or two things changed, and which; unchanged if nothing can be."""
    out, wrong = list(words), [False] * len(words)
    ways = ["name", "number", "opposite", "not", "insert", "word"]
    rng.shuffle(ways)
    for way in ways:
        if way == "name" and names:
            runs = _names(out)
            if runs:
                start, end = rng.choice(runs)
                others = [n for n in names if not set(map(str.lower, n)) & set(map(str.lower, out))]
                if others:
                    new = rng.choice(others)
                    return out[:start] + list(new) + out[end:], wrong[:start] + [True] * len(new) + wrong[end:]
        elif way == "number":
            at = [i for i, w in enumerate(out) if _NUMBER.fullmatch(w)]
            if at:
                i = rng.choice(at)
                new_number = _number(out[i], rng)
                if new_number != out[i]:
                    out[i], wrong[i] = new_number, True
                    return out, wrong
        elif way == "opposite":
            at = [i for i, w in enumerate(out) if w.lower() in _OPPOSITE]
            if at:
                i = rng.choice(at)
                out[i], wrong[i] = _cased(rng.choice(_OPPOSITE[out[i].lower()]), out[i]), True
                return out, wrong
        elif way == "not":
            at = [i for i, w in enumerate(out) if w.lower() in _VERBS]
            if at:
                i = rng.choice(at) + 1
                return [*out[:i], "not", *out[i:]], [*wrong[:i], True, *wrong[i:]]
        elif way == "insert" and names and rng.random() < 0.7:
            new = rng.choice(names)
            if not set(map(str.lower, new)) & set(map(str.lower, out)):
                lead = rng.choice((["in"], ["by"], ["with"], ["for"], ["according", "to"], ["and"], ["led", "by"]))
                at_end = len(out) - 1 if out and out[-1] in ".!?" else len(out)
                put = [*lead, *new]
                return out[:at_end] + put + out[at_end:], wrong[:at_end] + [True] * len(put) + wrong[at_end:]
    return list(words), [False] * len(words)


def _clause(words: Sequence[str], rng: random.Random) -> list[str]:
    """The sentence without what stands in brackets, between commas or behind a comma."""
    text = " ".join(words)
    shorter = re.sub(r" \([^()]*\)", "", text)
    if rng.random() < 0.6:
        shorter = re.sub(
            r" , (?:which|who|where|although|while|because|with|including|as|but|and) [^,]*?(?= [.!?]?$| , )",
            "",
            shorter,
            count=1,
        )
    shorter = re.sub(r"^(?:However|Meanwhile|But|And|So|Also|In addition|Of course|Well) (?:, )?", "", shorter)
    if rng.random() < 0.5:
        shorter = re.sub(
            r" (?:very|really|just|also|already|quickly|recently|currently|still|actually|only)\b", "", shorter
        )
    found = shorter.split()
    return found if len(found) >= 5 else list(words)


def spoken(sentences: Sequence[str], rng: random.Random) -> tuple[str, ...]:
    """The sentences as if they were said: fillers between and within them."""
    found = []
    for sentence in sentences:
        words = sentence.split()
        for _ in range(rng.randint(0, 2)):
            words.insert(rng.randint(0, len(words)), rng.choice(_FILLERS) + rng.choice((",", "")))
        found.append(" ".join(words))
    return tuple(found)


def _usable(sentence: str) -> bool:
    n = len(sentence.split())
    return 8 <= n <= 38 and "http" not in sentence and "|" not in sentence and sentence.rstrip()[-1:] in '.!?"”'


def made_examples(documents: Iterable[tuple[str, Sequence[str]]], *, per_document: int, seed: int) -> list[Example]:
    """Examples made from documents alone.

    Of sentences of a document, in turn: the sentence, shortened, is faithful; with a name, number or word changed it is
    not, in those words; where the document no longer holds it, it is not. A sentence of another document is not either.

    Parameters
    ----------
    documents : (group, sentences) of each.
    per_document : sentences taken of each, at most.
    """
    rng = random.Random(seed)
    found: list[Example] = []
    known = [(g, tuple(s)) for g, s in documents]
    for group, sentences in known:
        usable = [i for i, s in enumerate(sentences) if _usable(s)]
        names = list({tuple(words[a:b]) for s in sentences for words in [words_in(s)] for a, b in _names(words)})
        names.sort()
        shown = spoken(sentences, rng) if rng.random() < _SPOKEN else sentences
        for k, i in enumerate(rng.sample(usable, min(per_document, len(usable))), start=rng.randrange(6)):
            words = words_in(sentences[i])
            short = _clause(words, rng)
            kind = ("true", "false", "gone", "false", "true", "other")[k % 6]
            if kind == "true":
                found.append(Example(tuple(short), shown, True, (False,) * len(short), group, "made-true"))
            elif kind == "false":
                changed, wrong = _falsified(short, names, rng)
                if any(wrong):
                    found.append(Example(tuple(changed), shown, False, tuple(wrong), group, "made-false"))
                    if rng.random() < 0.5:
                        found.append(Example(tuple(short), shown, True, (False,) * len(short), group, "made-true"))
            elif kind == "gone":
                found.append(Example(words, shown, False, None, group, "made-gone", 0.8, frozenset((i,))))
            else:
                other = rng.choice(known)
                at = [s for s in other[1] if _usable(s)]
                if at and other[0] != group:
                    alien = words_in(rng.choice(at))
                    found.append(Example(alien, shown, False, None, group, "made-other"))
    return found
