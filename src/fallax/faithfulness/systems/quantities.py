"""Reads the quantities of a sentence: counts, sums, measures, shares, ages, years, dates and times, as intervals."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from fallax.core.texts import content_words
from fallax.faithfulness.systems.measures import ABOUT, AFTER, BEFORE, CURRENCIES, MONTHS, SIGNS, UNITS
from fallax.faithfulness.systems.surface import NUMBERS

__all__ = ["NEGATES", "Quantity", "Token", "quantities_of", "same_word", "tokens_of"]

#: What is longer is read up to here.
_LONGEST = 2000
#: A number of more digits is none that anybody counts with.
_DIGITS = 20
_TOKEN = re.compile(
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.:]\d+)?|[^\W\d_]+(?:['’][^\W\d_]+)*|[½¼¾]|[$€£¥%°+]|[-–—−/]|[^\s\w]"
)
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0}
_LETTERS = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "tn": 1e12, "trn": 1e12}
_VAGUE = {"dozens": 24.0, "scores": 40.0, "hundreds": 200.0, "thousands": 2e3, "millions": 2e6, "billions": 2e9}
_SHARES = {"half": 1 / 2, "halves": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fifth": 1 / 5, "sixth": 1 / 6,
           "eighth": 1 / 8, "tenth": 1 / 10}  # fmt: skip
_SHARES |= {f"{word}s": share for word, share in _SHARES.items() if word not in ("half", "halves")}
_SIGNS_OF_HALVES = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_ORDINALS = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
]  # fmt: skip
_ORDINAL = {word: i for i, word in enumerate(_ORDINALS, start=1)}
#: Words that end the noun that is counted.
_FUNCTION = frozenset(
    "a an the of to in into on onto at by for with from about as and or but nor that this these those it its he she we "
    "they you i his her their our my your him them us who whom whose which what where when while if than then so not "
    "no is was are were be been being has have had having do does did will would can could may might must should after "
    "before because until since during between against over under near also each per all both only just more less "
    "fewer most out up down off through within without ago later earlier old there here too either neither never ever "
    "still already yet again together altogether alone every".split()
)
_PEOPLE = frozenset(
    "people children men women mice feet teeth geese police cattle sheep fish deer aircraft staff crew salmon trout "
    "fishermen firemen policemen gentlemen workmen freshmen chairmen oxen lice species series headquarters".split()
)
NEGATES = frozenset("not never no nobody none nothing neither nor cannot without".split())
#: Irregular plurals and words for the same counted thing.
_SAME = {
    "person": "people", "persons": "people", "man": "men", "woman": "women", "child": "children", "mouse": "mice",
    "foot": "feet", "kids": "children", "kid": "children", "votes": "vote", "lives": "life", "families": "family",
    "wives": "wife", "knives": "knife", "leaves": "leaf", "fishermen": "fisherman", "firemen": "fireman",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign of a text, in small letters, with half-open offsets."""

    text: str
    start: int
    end: int
    capital: bool


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity of a text, as an interval.

    Parameters
    ----------
    start, end : half-open offsets of its words, with the unit or the counted noun.
    low, high : the least and the greatest value, in the base unit of its kind; -inf and inf where it has no bound.
    kind : "count", "money", "percent", "points", "share" (of something), "times", "age", "year", "month", "day" (of a
        month), "clock", "ordinal", or what is measured, such as "length".
    thing : what is counted, or the unit; "" if nothing is named.
    about : whether the text says that it is not exact.
    per : for each of what, "" without.
    whole : of how many; 0 if this is not said.
    but : whether it is what is left out of all: "all but three".
    """

    start: int
    end: int
    low: float
    high: float
    kind: str
    thing: str = ""
    about: bool = False
    per: str = ""
    whole: float = 0.0
    but: bool = False

    @property
    def exact(self) -> bool:
        """Whether it is a single value."""
        return self.low == self.high and not self.about


@lru_cache(maxsize=4_096)
def tokens_of(text: str) -> tuple[Token, ...]:
    """The words, numbers and signs of a text; the first 2,000 characters are read.

    Examples
    --------
    >>> [t.text for t in tokens_of("£2.4m, or 1,200 in all")]
    ['£', '2.4', 'm', ',', 'or', '1,200', 'in', 'all']
    """
    found = _TOKEN.finditer(text[:_LONGEST])
    return tuple(Token(m.group().lower().replace("’", "'"), *m.span(), m.group()[0].isupper()) for m in found)


@lru_cache(maxsize=20_000)
def same_word(word: str) -> str:
    """One form for a counted noun in the singular and the plural.

    Examples
    --------
    >>> same_word("hives") == same_word("hive"), same_word("person") == same_word("people")
    (True, True)
    """
    low = word.lower().removesuffix("'s")
    low = _SAME.get(low, low)
    stem = (content_words(low) or [low])[0]
    if stem.endswith("s") and not stem.endswith("ss") and len(stem) > 3:
        stem = stem[:-1]
    return stem.removesuffix("e")


class _Reader:
    """Reads the quantities of one text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text[:_LONGEST]
        self.tokens = tokens_of(text)
        self.found: list[Quantity] = []
        self.places: list[tuple[int, int]] = []

    def word(self, i: int) -> str:
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def touches(self, i: int) -> bool:
        """Whether a token follows the one before it without a blank."""
        return 0 < i < len(self.tokens) and self.tokens[i - 1].end == self.tokens[i].start

    def read(self) -> tuple[Quantity, ...]:
        i = 0
        while i < len(self.tokens):
            end = self._at(i)
            i = end if end > i else i + 1
        bounded = [self._bounded(q) for q in self._joined()]
        return tuple(q for i, q in enumerate(bounded) if not (i and q.start < bounded[i - 1].end))

    def _add(self, first: int, end: int, low: float, high: float, kind: str, thing: str = "") -> int:
        start, last = self.tokens[first].start, self.tokens[min(end, len(self.tokens)) - 1].end
        self.found.append(Quantity(start, last, low, high, kind, thing))
        return end

    def _at(self, i: int) -> int:
        for read in (self._date, self._clock, self._and_a_half, self._share, self._vague, self._ordinal, self._amount):
            if (end := read(i)) > i:
                return end
        return i

    # numbers

    def number(self, i: int) -> tuple[float, int] | None:
        """The number that begins at a token, and the token behind it."""
        word, after = self.word(i), self.word(i + 1)
        if word[:1].isdecimal() and ":" not in word and len(word) <= _DIGITS:
            value, i = float(word.replace(",", "")), i + 1
            if self.word(i) in _SIGNS_OF_HALVES:
                value, i = value + _SIGNS_OF_HALVES[self.word(i)], i + 1
        elif word in _SIGNS_OF_HALVES:
            value, i = _SIGNS_OF_HALVES[word], i + 1
        elif word in NUMBERS:
            value, i = float(NUMBERS[word]), i + 1
            if value >= 20 and NUMBERS.get(self.word(i + (self.word(i) == "-")), 0) in range(1, 10):
                i += self.word(i) == "-"
                value, i = value + NUMBERS[self.word(i)], i + 1
        elif word in ("a", "an") and (after in _SCALES or after in ("couple", "pair")):
            value, i = 1.0, i + 1
        elif word == "half" and after in ("a", "an") and self.word(i + 2) in _SCALES:
            value, i = 0.5, i + 2
        elif word == "both":
            return (2.0, i + 1) if after not in ("and", "of") else None
        else:
            return None
        return self._scaled(value, i)

    def _scaled(self, value: float, i: int) -> tuple[float, int]:
        if self.word(i) in ("couple", "pair"):
            return 2 * value, i + 1
        total = 0.0
        if self.word(i) == "and" and self.word(i + 1) == "a" and self.word(i + 2) in ("half", "quarter"):
            value, i = value + _SHARES[self.word(i + 2)], i + 3
        while self.word(i + (self.word(i) == "-")) in _SCALES:
            i += self.word(i) == "-"
            scale = _SCALES[self.word(i)]
            value, i = value * scale, i + 1
            if scale >= 1e3:
                total, value = total + value, 0.0
            nxt = i + (self.word(i) == "and")
            more = self._plain(nxt)
            if scale < 1e6 and more is not None and more[0] < scale and self.word(nxt)[:1].isalpha():
                value, i = value + more[0], more[1]
        return total + value, i

    def _plain(self, i: int) -> tuple[float, int] | None:
        """A number below a hundred in words."""
        if self.word(i) not in NUMBERS:
            return None
        value, i = float(NUMBERS[self.word(i)]), i + 1
        if value >= 20 and self.word(i) == "-" and NUMBERS.get(self.word(i + 1), 0) in range(1, 10):
            return value + NUMBERS[self.word(i + 1)], i + 2
        return value, i

    def _amount(self, i: int) -> int:
        first = i
        sign = ""
        if self.word(i) in SIGNS:
            sign, i = SIGNS[self.word(i)], i + 1
        read = self.number(i)
        if read is None:
            return first
        value, end = read
        if sign and self.word(end) in _LETTERS and self.touches(end):
            value, end = value * _LETTERS[self.word(end)], end + 1
        elif self.word(end) in ("k", "bn") and self.touches(end):
            value, end = value * _LETTERS[self.word(end)], end + 1
        if self.word(first - 1) in ("-", "−", "–") and not self.touches(first - 1) and self.touches(first):
            value, first = -value, first - 1
        elif self.word(first - 1) == "minus":
            value, first = -value, first - 1
        if sign:
            return self._add(first, end, value, value, "money", sign)
        return self._named(first, i, end, value)

    def _named(self, first: int, at: int, end: int, value: float) -> int:
        """A number with its unit or noun behind it."""
        digits = self.word(at)
        if self.word(end) == "of" and self.word(end - 1) in ("couple", "pair") and self.word(end + 1) in UNITS:
            end += 1
        if self._is_year(at, end):
            return self._add(first, end, value, value, "year")
        if digits.isdecimal() and len(digits) == 4 and self.word(end) == "s" and self.touches(end):
            return self._add(first, end + 1, value, value + (99 if digits.endswith("00") else 9), "year")
        if digits.isdecimal() and self.word(end) in ("st", "nd", "rd", "th") and self.touches(end):
            if self.word(end + 1) in ("century", "centuries"):
                return self._add(first, end + 2, 100 * value - 100, 100 * value, "year")
            return self._add(first, end + 1, value, value, "ordinal", self._noun(end + 1, many=False)[0])
        hyphen = self.word(end) == "-" and self.touches(end)
        unit = end + hyphen
        square = self.word(unit) in ("square", "sq")
        unit += square
        name = self.word(unit)
        if name == "per" and self.word(unit + 1) == "cent":
            name, unit = "percent", unit + 1
        if name in ("percentage", "percent", "%") and self.word(unit + 1) in ("point", "points"):
            return self._add(first, unit + 2, value, value, "points")
        if name in ("percent", "%"):
            return self._add(first, unit + 1, value, value, "percent")
        if name in CURRENCIES:
            return self._add(first, unit + 1, value, value, "money", CURRENCIES[name])
        if name == "°" or (name in ("degree", "degrees")):
            scale = self.word(unit + 1)[:1]
            known = scale in ("c", "f") and self.word(unit + 1) in ("c", "f", "celsius", "fahrenheit", "centigrade")
            return self._add(first, unit + 1 + known, value, value, "degree", scale if known else "")
        if name in UNITS:
            kind, factor = UNITS[name]
            kind, factor = ("area", factor * factor) if square and kind == "length" else (kind, factor)
            end = unit + 1
            if self.word(end) == "and" and self.word(end + 1) == "a" and self.word(end + 2) in ("half", "quarter"):
                value, end = value + _SHARES[self.word(end + 2)], end + 3
            if kind == "time" and self.word(end + (self.word(end) == "-")) in ("old", "olds"):
                return self._add(first, end + 1 + (self.word(end) == "-"), value * factor, value * factor, "age", "")
            return self._add(first, end, value * factor, value * factor, kind, name)
        if self.word(first - 1) in ("aged", "age") or (
            self.word(first - 1) == "," and self.word(end) == "," and 1 < value < 110 and self.tokens[first - 2].capital
        ):
            years = value * UNITS["years"][1]
            return self._add(first, end, years, years, "age")
        if end == at + 1 and self.word(end) in ("time", "day") and self.word(at) == "one":
            return first
        if self.word(at) == "one" and (self.word(at - 1) in ("no", "the", "this", "that") or not self._noun(end)[0]):
            return first if self.word(end) != "of" else self._add(first, end, 1.0, 1.0, "count")
        many = value != 1
        noun, last = self._noun(unit if hyphen else end, many=many)
        if hyphen and not noun:
            last = end
        return self._add(first, max(last, end), value, value, "count", noun)

    def _is_year(self, at: int, end: int) -> bool:
        word = self.word(at)
        if not (word.isdecimal() and len(word) == 4 and 1000 <= int(word) <= 2199 and end == at + 1):
            return False
        if self.word(at - 1) in SIGNS or self.word(end) in UNITS or self.word(end) in CURRENCIES:
            return False
        if self.word(end) == "s" and self.touches(end):
            return False
        before = self.word(at - 1)
        if before in MONTHS or before in ("in", "since", "by", "from", "until", "year"):
            return True
        return not self.word(end)[:1].isalpha() or self.word(end) in _FUNCTION

    def _noun(self, i: int, *, many: bool = True) -> tuple[str, int]:
        """What is counted from a token on, in one form, and the token behind it; "" if no noun follows."""
        first = i
        if self.word(i) == "of" and self.word(i + 1) in _ITS:
            i += 2
        elif self.word(i) == "of" and self.word(i + 1)[:1].isalpha() and self.word(i + 1) not in _FUNCTION:
            i += 1
        run = []
        for k in range(i, min(i + 4, len(self.tokens))):
            word = self.word(k)
            if not word[:1].isalpha() or word in _FUNCTION or word in NUMBERS or word.endswith("ly"):
                break
            if run and (word.endswith("ed") or word in _VERBS):
                break
            run.append(k)
        if not run:
            return "", first
        plural = [k for k in run if self._is_plural(k)]
        last = (plural[-1] if plural and not self._is_verb_like(plural, run) else plural[0]) if plural else run[0]
        if not many and not plural:
            last = run[-1] if len(run) < 3 else run[0]
        return same_word(self.word(last)), last + 1

    def _is_plural(self, k: int) -> bool:
        word = self.word(k)
        return word in _PEOPLE or (word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2)

    def _is_verb_like(self, plural: Sequence[int], run: Sequence[int]) -> bool:
        """Whether the last of several plurals may be a verb: "two boys plays"."""
        return len(plural) > 1 and plural[-1] != plural[0] + 1

    def _and_a_half(self, i: int) -> int:
        """A unit and a half of it: "a litre and a half"."""
        unit, part = self.word(i + 1), self.word(i + 4)
        if self.word(i) in ("a", "an", "one", "the") and unit in UNITS and part in ("half", "quarter"):
            if self.word(i + 2) == "and" and self.word(i + 3) == "a":
                kind, factor = UNITS[unit]
                value = factor * (1 + _SHARES[part])
                return self._add(i, i + 5, value, value, kind, unit)
        return i

    # shares, vague numbers, ordinals

    def _share(self, i: int) -> int:
        """A share of something: "a third of the shops", "half a litre", "two thirds", "half the tickets"."""
        word, first = self.word(i), i
        if word in ("a", "one", "the") and self.word(i + 1) in _SHARES:
            count, i = 1.0, i + 1
        elif word == "half" and self.word(i - 1) not in ("a", "first", "second", "the", "and"):
            count = 1.0
        elif word in NUMBERS and self.word(i + 1 + (self.word(i + 1) == "-")) in _SHARES:
            count, i = float(NUMBERS[word]), i + 1 + (self.word(i + 1) == "-")
            if not self.word(i).endswith("s"):
                return first
        else:
            return first
        value, end = count * _SHARES[self.word(i)], i + 1
        unit = end + (self.word(end) == "of")
        unit += self.word(unit) in ("a", "an")
        if unit > end or word == "half":
            if self.word(unit) in UNITS and (self.word(unit - 1) in ("a", "an")):
                kind, factor = UNITS[self.word(unit)]
                return self._add(first, unit + 1, value * factor, value * factor, kind, self.word(unit))
            if self.word(unit) in _SCALES:
                return first
        if word == "the" or (self.word(i) in _ORDINAL and self.word(end) != "of" and word in ("a", "one")):
            return first
        if self.word(i) in ("quarter", "half") and self.word(end) in ("past", "to", "hour"):
            return first
        noun, last = self._noun(end) if self.word(end) == "of" or word == "half" else ("", end)
        if word == "half" and self.word(end) in _ITS and not noun:
            noun, last = self._noun(end + 1)
        end = self._add(first, max(end, last), value, value, "share", noun)
        whole = self.number(unit + (self.word(unit) in _ITS))
        if self.word(unit - 1) == "of" and whole is not None:
            noun, last = self._noun(whole[1])
            self.found[-1] = replace(self.found[-1], kind="count", thing=noun, whole=whole[0], low=value * whole[0],
                                     high=value * whole[0], end=self.tokens[max(last, whole[1]) - 1].end)  # fmt: skip
            return max(last, whole[1])
        return end

    def _vague(self, i: int) -> int:
        word = self.word(i)
        if word in _VAGUE and self.word(i + 1) == "of":
            noun, last = self._noun(i + 1)
            return self._add(i, max(i + 1, last), _VAGUE[word], math.inf, "count", noun)
        if word in ("twice", "thrice", "double", "triple", "treble"):
            value = 2.0 if word in ("twice", "double") else 3.0
            if self.word(i + 1) in ("as", "the"):
                return self._add(i, i + 1, value, value, "times")
        read = self.number(i)
        if read is not None and self.word(read[1]) == "times":
            comparing = self.word(read[1] + 1) in ("as", "the", "more", "larger", "higher", "bigger")
            return self._add(i, read[1] + 1, read[0], read[0], "times" if comparing else "count", "time")
        return i

    def _ordinal(self, i: int) -> int:
        word = self.word(i)
        if word not in _ORDINAL or (word == "second" and self.word(i - 1) in ("a", "per", "one")):
            return i
        noun, last = self._noun(i + 1, many=False)
        if noun in ("century", "centuri"):
            return self._add(i, last, 100.0 * _ORDINAL[word] - 100, 100.0 * _ORDINAL[word], "year")
        return self._add(i, i + 1, float(_ORDINAL[word]), float(_ORDINAL[word]), "ordinal", noun)

    # dates and times

    def _date(self, i: int) -> int:
        """A day of a month, or a month, as 31 times the month and the day."""
        day = self.word(i)
        if day.isdecimal() and 1 <= int(day) <= 31:
            k = i + 1
            k += self.word(k) in ("st", "nd", "rd", "th") and self.touches(k)
            k += self.word(k) == "of"
            if self.word(k) in MONTHS and self.tokens[k].capital:
                at = 31.0 * MONTHS[self.word(k)] + int(day)
                return self._add(i, k + 1, at, at, "date")
        if day in MONTHS and self.tokens[i].capital and (self.word(i - 1) in _YEARS_LED or len(day) > 4):
            month, k = MONTHS[day], i + 1
            if self.word(k).isdecimal() and 1 <= int(self.word(k)) <= 31:
                at = 31.0 * month + int(self.word(k))
                k += 1
                k += self.word(k) in ("st", "nd", "rd", "th") and self.touches(k)
                return self._add(i, k, at, at, "date")
            return self._add(i, k, 31.0 * month + 1, 31.0 * month + 31, "date")
        return i

    def _clock(self, i: int) -> int:
        """A time of day in minutes; its thing is "am" or "pm", or "" where that is open."""
        word = self.word(i)
        if word in ("noon", "midday", "midnight"):
            at = 0.0 if word == "midnight" else 720.0
            return self._add(i, i + 1, at, at, "clock", "am" if word == "midnight" else "pm")
        minutes, k = 0, i
        if word in ("half", "quarter") and self.word(i + 1) in ("past", "to"):
            minutes, k = (30 if word == "half" else 15), i + 2
            minutes = -minutes if self.word(i + 1) == "to" else minutes
            hour = self._hour(k)
            k += 1
        elif re.fullmatch(r"\d\d?:\d\d", word) and self.word(i + 1) not in ("seconds", "minutes"):
            hour, minutes, k = int(word.split(":")[0]), int(word.split(":")[1]), i + 1
        else:
            digits = re.fullmatch(r"(\d\d?)(?:\.([0-5]\d))?", word)
            hour, k = (int(digits[1]) if digits else self._hour(i)), i + 1
            minutes = int(digits[2]) if digits and digits[2] else 0
            if not self._half_day(k)[0] and self.word(k) not in ("o'clock", "oclock"):
                return i
        if not 0 <= hour <= 24 or not abs(minutes) < 60 or (hour > 12 and self._half_day(k)[0]):
            return i
        half, end = self._half_day(k + (self.word(k) in ("o'clock", "oclock")))
        hour = hour % 12 if half == "am" else hour % 12 + 12 if half == "pm" else hour
        at = float((60 * hour + minutes) % 1440)
        return self._add(i, end, at, at, "clock", half or ("pm" if hour > 12 else ""))

    def _hour(self, i: int) -> int:
        word = self.word(i)
        return int(word) if word.isdecimal() and len(word) < 3 else NUMBERS.get(word, -1)

    def _half_day(self, i: int) -> tuple[str, int]:
        word = self.word(i)
        if word in ("am", "pm"):
            return word, i + 1
        if word in ("a", "p") and self.word(i + 1) == "." and self.word(i + 2) == "m":
            return f"{word}m", i + 3 + (self.word(i + 3) == ".")
        if word in ("in", "at"):
            last = self.word(i + 1 + (self.word(i + 1) == "the"))
            half = {"morning": "am", "afternoon": "pm", "evening": "pm", "night": "pm"}.get(last, "")
            return (half, i + 2 + (word == "in")) if half else ("", i)
        return "", i

    # what stands around a number

    def _joined(self) -> list[Quantity]:
        """The quantities, with ranges ("3 to 5 days"), wholes ("2 of the 9 days") and scores ("5 votes to 2") as one."""
        found: list[Quantity] = []
        for q in self.found:
            before = found[-1] if found else None
            gap = self.text[before.end : q.start].lower() if before else "\n"
            if before is None or len(gap) > 30:
                found.append(q)
                continue
            led = self.text[max(0, before.start - 16) : before.start].lower()
            gap = re.sub(r"\s+", " ", gap).strip()
            alike = before.kind == q.kind or (before.kind == "count" and not before.thing)
            if q.kind == "count" and before.kind == "count" and gap in ("of", "of the", "out of", "out of the", "of a"):
                found[-1] = replace(q, start=before.start, low=before.low, high=before.high, whole=q.low)
                continue
            if q.kind == before.kind == "count" and gap in ("to", "-", "–", "—") and not q.thing and (
                _VOTED.search(led) or before.thing == "vot" or before.low > q.low
            ):  # fmt: skip
                found[-1] = replace(before, end=q.end, kind="score", whole=q.low)
                continue
            if alike and gap in ("to", "-", "–", "—", "and", "or") and (gap != "and" or _BETWEEN.search(led)):
                factor = q.low / self._bare(q) if before.kind == "count" and q.kind not in ("count", "year") else 1.0
                if before.low * factor <= q.high and (gap != "to" or q.kind != "year" or True):
                    found[-1] = replace(q, start=before.start, low=before.low * factor)
                    continue
            found.append(q)
        return found

    def _bare(self, q: Quantity) -> float:
        """The number of a quantity without its unit."""
        at = next(i for i, t in enumerate(self.tokens) if t.start >= q.start)
        read = self.number(at + (self.word(at) in SIGNS))
        return read[0] if read and read[0] else q.low or 1.0

    def _bounded(self, q: Quantity) -> Quantity:
        """A quantity with the words that bound it, and what it is for each of."""
        before = BEFORE.search(self.text[max(0, q.start - 30) : q.start])
        after = AFTER.match(self.text, q.end)
        low, high, about = q.low, q.high, False
        start, end = q.start, q.end
        if q.kind in ("ordinal", "date", "score") or (q.kind in ("year", "clock") and before and not before["about"]):
            before = after = None
        how = (before.lastgroup if before else "") or ""
        if how:
            start -= len(before.group()) if before else 0
        elif after:
            how, end = after.lastgroup or "", after.end()
        if how == "least":
            high = math.inf
        elif how == "more":
            low, high = math.nextafter(high, math.inf), math.inf
        elif how == "most":
            low = -math.inf
        elif how == "less":
            low, high = -math.inf, math.nextafter(low, -math.inf)
        elif how == "over":
            low, high = math.nextafter(low, math.inf), high * (1 + ABOUT)
        elif how == "nearly":
            low, high = low * (1 - ABOUT), math.nextafter(high, -math.inf)
        elif how == "about" and q.kind not in ("year",):
            low, high, about = low * (1 - ABOUT), high * (1 + ABOUT), True
        but = re.search(r"\b(?:all|everyone|everybody|none|every one) (?:but|except)(?: for)? $", self.text[: q.start])
        whole = _WHOLE.search(self.text[max(0, q.start - 14) : q.start])
        if q.kind == "count" and q.exact and whole and not q.whole and not how:
            q = replace(q, whole=q.low)
            if whole["none"]:
                low = high = 0.0
        rate = _RATE.match(self.text, end)
        per = same_word(rate["per"]) if rate else ""
        return replace(q, start=start, end=rate.end() if rate else end, low=low, high=high, about=about, per=per,
                       but=but is not None)  # fmt: skip


_ITS = ("the", "his", "her", "its", "their", "our", "my", "your", "these", "those", "all", "them")
_YEARS_LED = ("in", "since", "by", "from", "to", "until", "till", "of", "during", "before", "after", "between", "early",
              "late", "mid", "for", "than", "year", "on", "last", "and")  # fmt: skip
_VERBS = frozenset("left made found took came went gave got kept paid said told won lost sold sent spent stood".split())
_VOTED = re.compile(r"\b(?:by|vot\w+|won|lost|beat|draw|drew|score[ds]?|win|defeat\w*|against|carried|passed)\s$")
_BETWEEN = re.compile(r"\bbetween (?:the )?$")
_WHOLE = re.compile(r"\b(?:(?P<none>none)(?: of)?|all(?: of)?)(?: the| his| her| its| their)? $", re.IGNORECASE)
_RATE = re.compile(
    r"(?:\s(?:an?|per|each|every)\s|\s?/\s?)(?P<per>second|minute|hour|day|night|week|month|year|person|head|litre|mile)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4_096)
def quantities_of(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text in order, up to 2,000 characters.

    Measures are in the base unit of their kind (seconds, metres, kilograms, litres), dates are 31 times the month and
    the day, times of day minutes.

    Examples
    --------
    >>> [(q.low, q.kind, q.thing) for q in quantities_of("Half of the 12 shops paid £2.4m in 1998.")]
    [(6.0, 'count', 'shop'), (2400000.0, 'money', '£'), (1998.0, 'year', '')]
    >>> [(q.low, q.high, q.thing) for q in quantities_of("120 honey bees from at least 8 hives")]
    [(120.0, 120.0, 'be'), (8.0, inf, 'hiv')]
    """
    return _Reader(text).read()
