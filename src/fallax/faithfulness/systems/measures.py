"""Units with their kinds and sizes, currencies, months, and the words that stand around a number."""

from __future__ import annotations

import re

from fallax.faithfulness.systems.numerals import word_set

__all__ = [
    "ABOUT",
    "AFTER",
    "BEFORE",
    "BETWEEN",
    "COMPARED",
    "CURRENCIES",
    "FUNCTION",
    "ITS",
    "LABELS",
    "LEFT_OUT",
    "MONTHS",
    "PER",
    "PLURALS",
    "SIGNS",
    "UNITS",
    "VERBS",
    "VOTED",
    "WHOLE",
]

_DAY = 86_400.0
_SIZES = {
    "time": {
        "second seconds sec secs": 1, "minute minutes min mins": 60, "hour hours hr hrs": 3600, "day days": _DAY,
        "week weeks": 7 * _DAY, "fortnight fortnights": 14 * _DAY, "month months": 30.44 * _DAY,
        "year years yr yrs": 365.25 * _DAY, "decade decades": 3652.5 * _DAY,
    },
    "length": {
        "mm millimetre millimetres millimeter millimeters": 0.001, "cm centimetre centimetres centimeter "
        "centimeters": 0.01, "m metre metres meter meters": 1, "km kilometre kilometres kilometer kilometers": 1000,
        "inch inches": 0.0254, "foot feet ft": 0.3048, "yard yards": 0.9144, "mile miles": 1609.344,
    },
    "mass": {
        "mg milligram milligrams": 1e-6, "g gram grams gramme grammes": 0.001, "kg kilo kilos kilogram kilograms "
        "kilogramme kilogrammes": 1, "tonne tonnes ton tons": 1000, "lb lbs": 0.4536, "ounce ounces oz": 0.02835,
    },
    "volume": {
        "ml millilitre millilitres milliliter milliliters": 0.001, "cl centilitre centilitres": 0.01,
        "litre litres liter liters": 1, "pint pints": 0.568, "gallon gallons": 4.546,
    },
    "area": {"hectare hectares ha": 10_000, "acre acres": 4046.86},
    "power": {"watt watts": 1, "kw kilowatt kilowatts": 1000, "mw megawatt megawatts": 1e6},
    "speed": {"mph": 1.609344, "kph": 1, "knot knots": 1.852},
}  # fmt: skip
#: A unit -> its kind and its size in the base unit of the kind (seconds, metres, kilograms, litres ...).
UNITS = {
    word: (kind, float(size))
    for kind, sizes in _SIZES.items()
    for words, size in sizes.items()
    for word in words.split()
}
CURRENCIES = {
    "dollar": "$", "dollars": "$", "pound": "£", "pounds": "£", "euro": "€", "euros": "€", "yen": "¥", "cents": "c",
    "pence": "p", "francs": "francs", "crowns": "crowns", "pesos": "pesos", "rupees": "rupees", "roubles": "roubles",
}  # fmt: skip
SIGNS = {"$": "$", "£": "£", "€": "€", "¥": "¥"}
_MONTHS = (
    "january february march april may june july august september october november december jan feb mar apr may jun jul "
    "aug sep oct nov dec"
)
MONTHS = {word: i % 12 + 1 for i, word in enumerate(_MONTHS.split())} | {"sept": 9}

_LEAST = r"at least|no fewer than|no less than|not less than|not fewer than|a minimum of|upwards? of|at the least"
_MORE = (
    r"(?:more|greater|higher|larger|longer|older|heavier|later|better|faster|taller|bigger|warmer|deeper|wider) than|"
    r"over|above|in excess of|exceed(?:s|ed|ing)?|beyond|past"
)
_MOST = r"at most|up to|no more than|not more than|a maximum of|as many as|as much as|within|no later than"
_LESS = r"(?:fewer|less|lower|smaller|shorter|younger|lighter|slower|cheaper|earlier) than|under|below|short of"
_ABOUT = r"about|around|roughly|approximately|approx|some|circa|close to|in the region of|an estimated|an average of"
_NEARLY = r"nearly|almost|just under|just short of|not quite|just below"
_JUST_OVER = r"just over|a little over|slightly more than|a little more than|just above|slightly over"
#: What may stand right before a number, the longest first.
BEFORE = re.compile(
    rf"(?<!\w)(?:(?P<over>{_JUST_OVER})|(?P<nearly>{_NEARLY})|(?P<least>{_LEAST})|(?P<most>{_MOST})|(?P<more>{_MORE})"
    rf"|(?P<less>{_LESS})|(?P<about>{_ABOUT}))(?: the)? (?:US)?$",
    re.IGNORECASE,
)
#: What may stand behind a number and its unit.
AFTER = re.compile(
    r"\s?(?:(?P<least>\+|or (?:more|over|older|above|longer|later)\b|and (?:over|older|above)\b|upwards\b)"
    r"|(?P<most>or (?:less|fewer|under|younger|below)\b|at (?:the )?most\b|and under\b)"
    r"|(?P<about>or so\b|or thereabouts\b))",
    re.IGNORECASE,
)
#: How far from a number what is only about as much may be.
ABOUT = 0.2
#: What is left out of all: "all but three".
LEFT_OUT = re.compile(
    r"\b(?:all|every\w*|everybody|no|none|nobody|no one) (?:\w+ )?(?:but|except|save)(?: for)? $", re.IGNORECASE
)
#: A number behind one of these is the whole: "all 12", "none of the 12".
WHOLE = re.compile(
    r"\b(?:(?P<none>none|not one)(?: of)?|all(?: of)?|each of)(?: the| his| her| its| their)? $", re.IGNORECASE
)
#: For each of what a number holds.
PER = re.compile(
    r"(?:\s(?:an?|per|each|every)\s|\s?/\s?)"
    r"(?P<per>second|minute|hour|day|night|week|month|year|person|head|litre|mile|h)\b",
    re.IGNORECASE,
)
#: Two numbers behind one of these are a score or a range.
VOTED = re.compile(r"\b(?:by|vot\w+|won|lost|beat|draw|drew|score[ds]?|win|defeat\w*|against|carried|passed)\s$")
BETWEEN = re.compile(r"\bbetween (?:the )?$")
#: A number with one of these behind it says how far two others are apart.
COMPARED = word_set(
    "more less fewer ahead behind above below under over longer shorter later earlier higher lower short better "
    "worse older younger taller heavier lighter faster slower cheaper dearer clear up down farther further before "
    "after beyond past away apart"
)
ITS = word_set("the his her its their our my your these those all them")
#: A number behind one of these is a name.
LABELS = word_set(
    "season room lot number no nos chapter page pages route line table figure version type phase level part "
    "volume item section article apollo channel platform gate ward zone grade class category question step unit "
    "bus flight episode series group paragraph rule appendix fig track size top model terminal"
)
#: Words that end the noun that is counted.
FUNCTION = word_set(
    "a an the of to in into on onto at by for with from about as and or but nor that this these those it its he "
    "she we they you i his her their our my your him them us who whom whose which what where when while if than "
    "then so not no is was are were be been being has have had having do does did will would can could may might "
    "must should after before because until since during between against over under near also each per all both "
    "only just more less fewer most out up down off through within without ago later earlier old there here too "
    "either neither never ever still already yet again together altogether alone every around along across among "
    "above below although though unlike like despite except instead"
)
#: Verbs that are not taken for what is counted.
VERBS = word_set(
    "left made found took came went gave got kept paid said told won lost sold sent spent stood held ran saw sat "
    "rose fell began became put cut let read hit set"
)
#: Plurals without an "s".
PLURALS = word_set(
    "people children men women mice feet teeth geese police cattle sheep fish deer aircraft staff crew salmon "
    "trout fishermen firemen policemen gentlemen workmen oxen lice species series headquarters"
)
