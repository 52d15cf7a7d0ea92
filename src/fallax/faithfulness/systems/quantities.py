"""Reads the quantities of a sentence: counts, sums, measures, shares, ages, years, dates and times, as intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

from fallax.faithfulness.systems.intervals import TextQuantity, bounded, joined
from fallax.faithfulness.systems.measures import (
    COMPARED,
    CURRENCIES,
    FUNCTION,
    ITS,
    LABELS,
    PLURALS,
    SIGNS,
    UNITS,
    VERBS,
)
from fallax.faithfulness.systems.moments import clock_at, date_at, led_by, year_at
from fallax.faithfulness.systems.numerals import PARTS, SCALES, NumberWords, same_word
from fallax.faithfulness.systems.surface import NUMBERS

__all__ = ["TextQuantity", "quantities_of"]

_VAGUE = {"dozens": 24.0, "scores": 40.0, "hundreds": 200.0, "thousands": 2e3, "millions": 2e6, "billions": 2e9}
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()  # noqa: SIM905
_ORDINAL = {word: float(i) for i, word in enumerate(_ORDINALS, start=1)}
_MOMENTS = {"date": date_at, "year": year_at, "clock": clock_at}


@lru_cache(maxsize=4_096)
def quantities_of(text: str) -> tuple[TextQuantity, ...]:
    """The quantities of a text in order, up to 2,000 characters.

    Measures are in the base unit of their kind (seconds, metres, kilograms, litres), dates are 31 times the month and
    the day, times of day minutes. Numbers that belong to a name ("Lot 12", "Cars 3") are none.

    Examples
    --------
    >>> [(q.low, q.kind, q.thing) for q in quantities_of("Half of the 12 shops paid £2.4m in 1998.")]
    [(6.0, 'count', 'shop'), (2400000.0, 'money', '£'), (1998.0, 'year', '')]
    >>> [(q.low, q.high, q.thing) for q in quantities_of("120 honey bees from at least 8 boxes")]
    [(120.0, 120.0, 'be'), (8.0, inf, 'box')]
    """
    reader = _Reader(text)
    i = 0
    while i < len(reader.words.tokens):
        i = max(i + 1, reader.at(i))
    return tuple(bounded(reader.words, q) for q in joined(reader.words, reader.found))


class _Reader:
    """Reads the quantities of one text from left to right."""

    def __init__(self, text: str) -> None:
        self.words = NumberWords(text)
        self.found: list[TextQuantity] = []

    def _add(self, first: int, end: int, value: float, kind: str, thing: str = "", high: float | None = None) -> int:
        tokens = self.words.tokens
        start, last = tokens[first].start, tokens[min(end, len(tokens)) - 1].end
        self.found.append(TextQuantity(start, last, value, value if high is None else high, kind, thing))
        return end

    def at(self, i: int) -> int:
        """Read what begins at a token; the token behind it."""
        for kind, read in _MOMENTS.items():
            if moment := read(self.words, i):
                end, low, high, half = moment
                low, high = led_by(self.words(i - 1), low, high) if kind != "clock" else (low, high)
                return self._add(i, end, low, kind, half, high)
        for reader in (self._and_a_half, self._share, self._vague, self._ordinal, self._amount):
            if (end := reader(i)) > i:
                return end
        return i

    def _and_a_half(self, i: int) -> int:
        """A unit and a half of it: "a litre and a half"."""
        word = self.words
        half = word(i + 2) == "and" and word(i + 3) == "a" and word(i + 4) in ("half", "quarter")
        if half and word(i) in ("a", "an", "one", "the") and word(i + 1) in UNITS:
            kind, size = UNITS[word(i + 1)]
            return self._add(i, i + 5, size * (1 + PARTS[word(i + 4)]), kind, word(i + 1))
        return i

    def _share(self, i: int) -> int:
        """A share: "a third of the shops", "half a litre", "two thirds", "half of the 12 shops"."""
        word, k = self.words, i
        if word(i) in ("a", "one") and word(i + 1) in PARTS:
            count, k = 1.0, i + 1
        elif word(i) == "half" and word(i - 1) not in ("a", "first", "second", "the", "and"):
            count = 1.0
        elif word(i) in NUMBERS and word(i + 1 + (word(i + 1) == "-")) in PARTS:
            count, k = float(NUMBERS[word(i)]), i + 1 + (word(i + 1) == "-")
            if not word(k).endswith("s"):
                return i
        else:
            return i
        share, end = count * PARTS[word(k)], k + 1
        of = end + (word(end) == "of")
        article = word(of) in ("a", "an")
        if word(of + article) in UNITS and (article or word(end) == "of"):
            kind, size = UNITS[word(of + article)]
            return self._add(i, of + article + 1, share * size, kind, word(of + article))
        if word(of + article) in SCALES or word(end) in ("past", "to", "hour"):
            return i
        if of == end and word(k) in _ORDINAL:
            return i  # "a third attempt"
        of += word(of) in ITS
        if whole := word.number(of):
            noun, last = self._noun(whole[1])
            end = self._add(i, max(last, whole[1]), share * whole[0], "count", noun)
            self.found[-1] = replace(self.found[-1], whole=whole[0])
            return end
        noun, last = self._noun(of)
        return self._add(i, max(end, last if noun else end), share, "share", noun)

    def _vague(self, i: int) -> int:
        word = self.words
        if word(i) in _VAGUE and word(i + 1) == "of":
            noun, last = self._noun(i + 1)
            return self._add(i, max(i + 1, last), _VAGUE[word(i)], "count", noun, math.inf)
        if word(i) in ("twice", "thrice", "double", "triple") and word(i + 1) in ("as", "the"):
            return self._add(i, i + 1, 2.0 if word(i) in ("twice", "double") else 3.0, "times")
        read = word.number(i)
        if read is not None and word(read[1]) == "times":
            compares = word(read[1] + 1) in ("as", "the", "more", "larger", "higher", "bigger")
            return self._add(i, read[1] + 1, read[0], "times" if compares else "count", "" if compares else "time")
        return i

    def _ordinal(self, i: int) -> int:
        word = self.words
        digits = word(i).isdecimal() and word(i + 1) in ("st", "nd", "rd", "th") and word.touches(i + 1)
        if digits and len(word(i)) < 4:
            return self._add(i, i + 2, float(word(i)), "ordinal", self._noun(i + 2, many=False)[0])
        if word(i) not in _ORDINAL or (word(i) == "second" and word(i - 1) in ("a", "per", "one", "each")):
            return i
        if word(i + 1) in ("century", "centuries"):
            return self._add(i, i + 2, 100 * _ORDINAL[word(i)] - 99, "year", "", 100 * _ORDINAL[word(i)])
        if word(i) == "first" and not self._noun(i + 1, many=False)[0]:
            return i
        return self._add(i, i + 1, _ORDINAL[word(i)], "ordinal", self._noun(i + 1, many=False)[0])

    def _amount(self, i: int) -> int:
        word, first = self.words, i
        sign = SIGNS.get(word(i), "")
        i += bool(sign)
        read = word.number(i)
        if read is None:
            return first
        value, end = read
        if word(end) in ("bc", "bce") and not sign:
            return self._add(first, end + 1, -value, "year")
        minus = word(first - 1) in ("-", "−", "–") and word.touches(first) and not word.touches(first - 1)
        if minus or word(first - 1) == "minus":
            value, first = -value, first - 1
        if sign:
            millions = word.millions(end)
            return self._add(first, end + (millions > 1), value * millions, "money", sign)
        if self._is_label(i, end, sign):
            return end
        return self._measure(first, end, value) or self._age(first, end, value) or self._count(first, i, end, value)

    def _is_label(self, i: int, end: int, sign: str) -> bool:
        """Whether a number belongs to a name: "Lot 12", "Cars 3", "Fantastic Four"."""
        word = self.words
        if word.touches(i) and word(i - 1)[-1:].isalpha() and not sign:
            return True
        joined = word.touches(i) and word.touches(i - 1) and word(i - 1) in (".", "-", "–")
        if joined and word(i)[0].isdecimal() and (word(i - 1) == "." or word(i - 2)[:1].isalpha()) and not sign:
            return True  # "A380", "B.1.529", "COVID-19"
        if word(i - 1) in LABELS or (word(i)[0].isalpha() and word.is_name(i) and word(i - 1)[:1].isalpha()):
            return True
        return word(i)[0].isdecimal() and word.is_name(i - 1) and end == i + 1 and not self._noun(end)[0]

    def _measure(self, first: int, end: int, value: float) -> int:
        """A number with its unit; 0 without one."""
        word = self.words
        unit = end + (word(end) == "-" and word.touches(end))
        if word(end) == "of" and word(end - 1) in ("couple", "pair"):
            unit = end + 1
        square = word(unit) in ("square", "sq")
        unit += square
        name = word(unit)
        if name == "per" and word(unit + 1) == "cent":
            name, unit = "percent", unit + 1
        if name in ("percentage", "percent", "%") and word(unit + 1) in ("point", "points"):
            return self._add(first, unit + 2, value, "points")
        if name in ("percent", "%"):
            return self._add(first, unit + 1, value, "percent")
        if name in CURRENCIES:
            return self._add(first, unit + 1, value, "money", CURRENCIES[name])
        if name in ("°", "degree", "degrees"):
            known = word(unit + 1) in ("c", "f", "celsius", "fahrenheit", "centigrade")
            return self._add(first, unit + 1 + known, value, "degree", word(unit + 1)[:1] if known else "")
        if name not in UNITS:
            return 0
        kind, size = UNITS[name]
        kind, size = ("area", size * size) if square and kind == "length" else (kind, size)
        end = unit + 1
        if word(end) == "and" and word(end + 1) == "a" and word(end + 2) in ("half", "quarter"):
            value, end = value + PARTS[word(end + 2)], end + 3
        old = end + (word(end) == "-")
        if kind == "time" and word(old) in ("old", "olds"):
            return self._add(first, old + 1, value * size, "age")
        return self._add(first, end, value * size, kind, name)

    def _age(self, first: int, end: int, value: float) -> int:
        """The age of somebody: "aged 34", "Tan, 52, said"; 0 if it is none."""
        word = self.words
        beside = word(first - 1) == "," and word(end) == "," and 1 < value < 110 and word.tokens[first - 2].capital
        of_age = word(first - 1) == "of" and word(first - 2) in ("age", "ages")
        if word(first - 1) in ("aged", "age") or beside or of_age:
            return self._add(first, end, value * UNITS["years"][1], "age")
        return 0

    def _count(self, first: int, at: int, end: int, value: float) -> int:
        word = self.words
        votes = word(at - 1) == "to" and word(at - 2).startswith("vote")
        if word(at) == "one" and end == at + 1 and word(end) not in COMPARED and not votes:
            if word(at - 1) in ("no", "the", "this", "that", "any", "every") or word(end) in ("time", "day", "another"):
                return end
            if word(end) != "of" and not self._noun(end, many=False)[0]:
                return end
        noun, last = self._noun(end, many=value != 1)
        holder = word(first - 2) if word(first - 1) == "of" else ""
        if not noun and holder[:1].isalpha() and holder not in FUNCTION and not word.is_name(first - 2):
            return self._add(first - 2, end, value, "count", same_word(holder))  # "a crew of sixteen"
        return self._add(first, max(last, end), value, "count", noun)

    def _noun(self, i: int, *, many: bool = True) -> tuple[str, int]:
        """What is counted from a token on, in one form, and the token behind it; "" if no noun follows."""
        word, first = self.words, i
        i += word(i) == "-"
        if word(i) == "of":
            i += 1 + (word(i + 1) in ITS)
        run: list[int] = []
        for k in range(i, min(i + 4, len(word.tokens))):
            text = word(k)
            if not text[0].isalpha() or text in FUNCTION or text in NUMBERS or (text.endswith("ly") and len(text) > 5):
                break
            if text.endswith("n't") or (run and (text.endswith("ed") or text in VERBS)):
                break
            run.append(k)
        plural = [k for k in run if _is_plural(word(k))]
        if not run:
            return "", first
        if plural:
            two = len(plural) > 1 and plural[1] == plural[0] + 1  # "two boys plays": the second may be a verb
            last = plural[0] if two else plural[-1]
        else:
            last = run[-1] if not many and len(run) < 3 else run[0]
        return same_word(word(last)), last + 1


def _is_plural(word: str) -> bool:
    return word in PLURALS or (word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2)
