"""Reads dates, years and times of day."""

from __future__ import annotations

import math
import re

from fallax.faithfulness.systems.measures import CURRENCIES, MONTHS, SIGNS, UNITS
from fallax.faithfulness.systems.numerals import NumberWords, word_set
from fallax.faithfulness.systems.surface import NUMBERS

__all__ = ["above", "below", "clock_at", "date_at", "year_at"]

#: The token behind it, the least and the greatest value, and what it is.
Moment = tuple[int, float, float, str]

_ENDINGS = ("st", "nd", "rd", "th")
_LEADS = word_set("in since by from to until till of during before after between early late mid")
_HALVES = {"morning": "am", "afternoon": "pm", "evening": "pm", "night": "pm"}
_CENTURY = ("century", "centuries")


def date_at(words: NumberWords, i: int) -> Moment | None:
    """A day of a month or a month, as 31 times the month and the day.

    Examples
    --------
    >>> date_at(NumberWords("12 March 2019"), 0), date_at(NumberWords("in June"), 1)
    ((2, 105.0, 105.0, ''), (2, 187.0, 217.0, ''))
    """
    day = words(i)
    if _is_day(day):
        k = i + 1
        k += words(k) in _ENDINGS and words.touches(k)
        k += words(k) == "of"
        if words(k) in MONTHS and words.tokens[k].capital:
            at = 31.0 * MONTHS[words(k)] + int(day)
            return k + 1, at, at, ""
    if day not in MONTHS or not words.tokens[i].capital or not (words(i - 1) in _LEADS or len(day) > 4):
        return None
    month, k = 31.0 * MONTHS[day], i + 1
    if not _is_day(words(k)):
        return k, month + 1, month + 31, ""
    at = month + int(words(k))
    return k + 1 + (words(k + 1) in _ENDINGS and words.touches(k + 1)), at, at, ""


def _is_day(word: str) -> bool:
    return word.isdecimal() and len(word) < 3 and 1 <= int(word) <= 31


def year_at(words: NumberWords, i: int) -> Moment | None:
    """A year, a decade or a century.

    Examples
    --------
    >>> year_at(NumberWords("in the 1990s"), 2), year_at(NumberWords("the 18th century"), 1)
    ((4, 1990.0, 1999.0, ''), (4, 1701.0, 1800.0, ''))
    """
    word, after = words(i), words(i + 1)
    if word.isdecimal() and len(word) < 3 and after in _ENDINGS and words(i + 2) in _CENTURY:
        return i + 3, 100.0 * int(word) - 99, 100.0 * int(word), ""
    if not (word.isdecimal() and len(word) == 4 and 1000 <= int(word) <= 2199) or words(i - 1) in SIGNS:
        return None
    year = float(word)
    apart = i + 1 + (after in ("'", "’"))
    if words(apart) == "s" and words.touches(apart):
        return apart + 1, year, year + (99 if word.endswith("00") else 9), ""
    if words.is_name(i - 1) and words(i - 1) not in MONTHS and words(i - 2) not in ("in", "on"):
        return None  # "Baja 1000"
    if after in UNITS or after in CURRENCIES or after in ("%", "per", "percent"):
        return None
    led = words(i - 1) in _LEADS or words(i - 1) in MONTHS or (_is_day(words(i - 1)) and words(i - 2) in MONTHS)
    many = after.endswith("s") or after in ("people", "men", "women", "children")
    if led and not (many and words(i - 1) in ("of", "to", "between", "from")):
        return i + 1, year, year, ""
    return (i + 1, year, year, "") if year >= 1500 and not many else None


def clock_at(words: NumberWords, i: int) -> Moment | None:
    """A time of day in minutes, and "am" or "pm" where that is known.

    Examples
    --------
    >>> clock_at(NumberWords("half past six"), 0), clock_at(NumberWords("6.15 pm"), 0)
    ((3, 390.0, 390.0, ''), (2, 1095.0, 1095.0, 'pm'))
    """
    word = words(i)
    if word in ("noon", "midday", "midnight"):
        at = 0.0 if word == "midnight" else 720.0
        return i + 1, at, at, "am" if word == "midnight" else "pm"
    minutes = 0
    if word in ("half", "quarter") and words(i + 1) in ("past", "to"):
        minutes, hour, k = (30 if word == "half" else 15), _hour(words(i + 2)), i + 3
        minutes = -minutes if words(i + 1) == "to" else minutes
    elif time := re.fullmatch(r"(\d\d?):([0-5]\d)", word):
        hour, minutes, k = int(time[1]), int(time[2]), i + 1
    elif time := re.fullmatch(r"(\d\d?)\.([0-5]\d)", word):
        hour, minutes, k = int(time[1]), int(time[2]), i + 1
        if not _half_day(words, k)[0]:
            return None
    else:
        hour, k = _hour(word), i + 1
        if not _half_day(words, k)[0] and words(k) not in ("o'clock", "oclock"):
            return None
    half, end = _half_day(words, k + (words(k) in ("o'clock", "oclock")))
    if not 0 <= hour <= 24 or (hour > 12 and half):
        return None
    hour = hour % 12 if half == "am" else hour % 12 + 12 if half == "pm" else hour
    at = float((60 * hour + minutes) % 1440)
    return end, at, at, half or ("pm" if hour > 12 else "")


def _hour(word: str) -> int:
    return int(word) if word.isdecimal() and len(word) < 3 else NUMBERS.get(word, -1)


def _half_day(words: NumberWords, i: int) -> tuple[str, int]:
    word = words(i)
    if word in ("am", "pm"):
        return word, i + 1
    if word in ("a", "p") and words(i + 1) == "." and words(i + 2) == "m":
        return f"{word}m", i + 3 + (words(i + 3) == ".")
    if word in ("in", "at"):
        half = _HALVES.get(words(i + 1 + (word == "in")), "")
        return (half, i + 2 + (word == "in")) if half else ("", i)
    return "", i


def led_by(word: str, low: float, high: float) -> tuple[float, float]:
    """The interval of a moment behind a word such as "before".

    Examples
    --------
    >>> led_by("after", 1990.0, 1999.0)
    (1999.001999, inf)
    """
    if word == "before":
        return -math.inf, below(low)
    if word == "after":
        return above(high), math.inf
    if word in ("by", "until", "till"):
        return -math.inf, high
    return low, high


def above(value: float) -> float:
    """The least value that counts as more.

    Examples
    --------
    >>> above(30.0) > 30.0 > below(30.0)
    True
    """
    return value + 1e-6 * max(1.0, abs(value))


def below(value: float) -> float:
    """The greatest value that counts as less."""
    return value - 1e-6 * max(1.0, abs(value))
