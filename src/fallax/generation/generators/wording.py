"""Words derivations without a model: sentence frames filled with the phrases of the facts."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from fallax.core.types.logic import Argument, Derivation, Fact, Negation, Quantity, format_number
from fallax.core.whole import packaged_toml
from fallax.errors import InputError, UnknownNameError
from fallax.oracle import Phrases, load_rule_base

__all__ = ["STYLES", "Style", "argument_phrases", "n_frames", "realise"]

Style: TypeAlias = Literal["full", "bare"]

#: ``full`` says every argument of the derivation, ``bare`` the premises and the conclusion alone.
STYLES: tuple[Style, ...] = ("full", "bare")

_SLOT = re.compile(r"\{(\w+)(?:\|(\w+))?\}")
_SENTENCE_START = re.compile(r"(?:\A|[.?!:]\s)[“(]?\Z")
_ENDS = (".", "!", "?", "…")


@dataclass(frozen=True, slots=True)
class _Frames:
    """The frames of one rule."""

    full: tuple[Any, ...]
    bare: tuple[Any, ...]
    more: Mapping[str, tuple[int, str]]

    def of(self, style: Style) -> tuple[Any, ...]:
        return self.full if style == "full" else self.bare


@functools.cache
def _frames(fallacy: str, rule: str) -> _Frames:
    table = _table()
    if rule not in table.get(fallacy, {}):
        known = [f"{f}.{r}" for f, rules in table.items() for r in rules]
        raise UnknownNameError("rule", f"{fallacy}.{rule}", known, where="template realiser")
    row = table[fallacy][rule]
    if "as" in row:
        return _frames(fallacy, row["as"])
    full = tuple(row["full"])
    more = {name: (int(place), str(argument)) for name, (place, argument) in row.get("more", {}).items()}
    return _Frames(full, tuple(row.get("bare", full)), more)


@functools.cache
def word_lists() -> dict[str, Any]:
    """Lists of English words: units that take "for", function words, numbers, irregular forms."""
    return packaged_toml("fallax.generation.generators", "data", "words.toml")


@functools.cache
def _table() -> dict[str, dict[str, Any]]:
    return packaged_toml("fallax.generation.generators", "data", "frames.toml")


def n_frames(fallacy: str, rule: str, style: Style = "full") -> int:
    """The number of frames for a rule.

    Raises
    ------
    UnknownNameError
        If it has none for that rule: it knows those of the strict rule base.

    Examples
    --------
    >>> n_frames("false_cause", "third_event_ignored")
    4
    """
    return len(_frames(fallacy, rule).of(style))


def realise(derivation: Derivation, *, frame: int = 0, style: Style = "full") -> str:
    """Word an argument in English, premises and conclusion, as a person would say it.

    The text takes no side: it does not say whether the step is valid. A fallacy and its sound twin of the same frame
    and style differ in what they say only.

    Parameters
    ----------
    derivation : of the strict rule base, with its phrases.
    frame : which wording, counted from 0; any whole number, taken modulo :func:`n_frames`.
    style : ``full`` says every argument of every fact the rule used; ``bare`` leaves out the reasons and witnesses
        that show whether the step holds, where the argument is complete without them.

    Raises
    ------
    UnknownNameError
        If the derivation is of another rule base, or there is no such style.
    InputError
        If the derivation carries no phrases.

    Examples
    --------
    >>> from fallax.oracle import check_by_joins, seed_facts
    >>> facts = [f for f in seed_facts("wrong direction") if f.args[0] == "wd01"]
    >>> fallacy, twin = check_by_joins(facts)
    >>> print(realise(fallacy, frame=1, style="bare"))
    When the windmill turns, the wind blows. Therefore, it must be because the windmill turns that the wind blows.
    >>> print(realise(twin, frame=1, style="bare"))
    When the windmill turns, the wind blows. Therefore, it must be because the wind blows that the windmill turns.
    """
    said, chosen = _prepared(derivation, frame, style)
    return said.chain(chosen) if isinstance(chosen, Mapping) else said.fill(chosen)


def argument_phrases(derivation: Derivation, *, style: Style = "full") -> dict[str, str]:
    """The words of all arguments that a style contains, by slot; a negated proposition is ``slot|not``.

    Parameters
    ----------
    derivation, style : as for :func:`realise`.

    Examples
    --------
    >>> from fallax.oracle import check_by_joins, seed_facts
    >>> fallacy = check_by_joins([f for f in seed_facts("inverse error") if f.args[0] == "ie01"])[0]
    >>> argument_phrases(fallacy, style="bare")["antecedent|not"]
    'the pet is not a dog'
    """
    said, chosen = _prepared(derivation, 0, style)
    found: dict[str, str] = {}
    for fact in derivation.facts:
        if isinstance(chosen, Mapping) or "{chain}" in chosen:
            schema = load_rule_base("strict").predicates[fact.predicate]
            for argument, value in zip(schema.arguments, fact.args, strict=True):
                if argument.sort in ("claim", "proposition") or (argument.sort == "reason" and "reason" in chosen):
                    found.setdefault(f"{argument.name} {value}", said.words(value))
    if isinstance(chosen, str):
        for match in _SLOT.finditer(chosen):
            name, how = match[1], match[2]
            if name != "chain":
                found[f"{name}|not" if how == "not" else name] = said.slot(name, "not" if how == "not" else None)
    return found


def _prepared(derivation: Derivation, frame: int, style: Style) -> tuple[_Said, str | Mapping[str, str]]:
    """The words of a derivation and its frame."""
    if style not in STYLES:
        raise UnknownNameError("style", style, STYLES)
    frames = _frames(derivation.fallacy, derivation.rule)
    if not derivation.phrases:
        raise InputError(f"derivation {derivation}: must carry phrases to be said, found none; derive it from facts")
    chosen = frames.of(style)[frame % len(frames.of(style))]
    said = _Said(derivation)
    for name, (place, argument) in frames.more.items():
        said.values[name] = _argument(derivation.facts[place], argument)
    return said, chosen


def _argument(fact: Fact, name: str) -> Argument:
    schema = load_rule_base("strict").predicates[fact.predicate]
    return dict(zip((a.name for a in schema.arguments), fact.args, strict=True))[name]


class _Said:
    """The words of a derivation's arguments."""

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self.phrases = Phrases.of_derivation(load_rule_base("strict"), derivation)
        self.values: dict[str, Argument] = dict(derivation.slots)
        for place, value in enumerate(derivation.conclusion.args, start=1):
            self.values[f"c{place}"] = value

    def words(self, value: Argument) -> str:
        if isinstance(value, Quantity):
            return self.quantity(value)
        return self.phrases.of(self.derivation.instance, value)

    def quantity(self, value: Quantity) -> str:
        """A number with its unit; a number without an exact decimal becomes a fraction.

        "3 1/3 litres", "1/3 of an hour", "2,000 euros".
        """
        one = self.one(value.unit)
        shown = format_number(value.number)
        if "/" in shown:
            whole, rest = divmod(value.number, 1)
            if not whole:
                return f"{shown} of {_article(one)} {one}"
            return self.phrases.of(self.derivation.instance, value).replace(shown, f"{whole} {rest}", 1)
        digits, _, decimals = shown.partition(".")
        if len(digits) > 3:
            grouped = f"{int(digits):,}" + (f".{decimals}" if decimals else "")
            return self.phrases.of(self.derivation.instance, value).replace(shown, grouped, 1)
        return self.phrases.of(self.derivation.instance, value)

    def one(self, unit: str) -> str:
        """A unit in the singular, without a number."""
        return self.phrases.of(self.derivation.instance, Quantity(Fraction(1), unit)).removeprefix("1 ")

    def slot(self, name: str, how: str | None) -> str:
        if name == "chain":
            return self.implications()
        value = self.values[name]
        if how == "not" and isinstance(value, str):
            return self.words(Negation(value))
        if how == "for" and isinstance(value, Quantity):
            return f"{_preposition(self.one(value.unit))} {self.words(value)}"
        if how == "a":
            return self.any(self.words(value))
        if how == "times":
            return "twice" if self.words(value) == "2" else f"{self.words(value)} times"
        return self.words(value)

    def any(self, word: str) -> str:
        """Whatever has a word as its name, in no sense in particular: "a bolt", "what is called “light”"."""
        return f"{_article(word)} {word}" if word in word_lists()["counted"].split() else f"what is called “{word}”"

    def implications(self) -> str:
        """The implications of a derivation as clauses."""
        pairs = [f.args[1:3] for f in self.derivation.facts if f.predicate == "implies"]
        return ", and that ".join(f"if {self.words(a)}, then {self.words(b)}" for a, b in pairs)

    def fill(self, frame: str, **values: str) -> str:
        """Fill the slots of a frame, with capitals at sentence starts and without double full stops."""
        out = ""
        at = 0
        for match in _SLOT.finditer(frame):
            out = _joined(out, frame[at : match.start()])
            text = values.get(match[1]) or self.slot(match[1], match[2])
            start = _SENTENCE_START.search(out)
            begins = start is not None and not start[0].startswith(":")
            out += capitalised(text) if begins else text
            at = match.end()
        return capitalised(_joined(out, frame[at:]))

    def chain(self, frame: Mapping[str, str]) -> str:
        """Claims that rest on one another, link by link, with what is said of a ground for each."""
        sentences: list[str] = []
        for fact in self.derivation.facts:
            if fact.predicate == "rests_on":
                a, b = (self.words(v) for v in fact.args[1:3])
                sentences.append(self.fill(frame["link"], a=a, b=b))
            elif "reason" in frame:
                sentences.append(self.fill(frame["reason"], reason=self.words(fact.args[2])))
        sentences.append(self.fill(frame["end"]))
        return " ".join(sentences)


def _preposition(unit: str) -> str:
    """The preposition of a quantity: "for" 2 minutes, "at" 50 kilometres per hour, "with" 40 singers.

    >>> [_preposition(u) for u in ("minute", "kilometre per hour", "euro a year", "metre of wire", "singer")]
    ['for', 'at', 'for', 'with', 'with']
    """
    words = unit.split()
    lists = word_lists()
    if "per" in words[1:] or words[0] in lists["at_units"].split():
        return "at"
    lasting = words[-1] in lists["for_units"].split() and "of" not in words
    return "for" if lasting else "with"


def _article(noun: str) -> str:
    sounded = re.match(r"(?:hour|honest|heir)|(?!uni|eu|one\b|us[ei])[aeiou]", noun.lower())
    return "an" if sounded else "a"


def capitalised(text: str) -> str:
    """Capitalise the first letter, after an opening quotation mark or bracket.

    Examples
    --------
    >>> capitalised("“light” is a word"), capitalised("7 times")
    ('“Light” is a word', '7 times')
    """
    match = re.match(r"[“(\"‘']*", text)
    at = match.end() if match else 0
    return text[:at] + text[at : at + 1].upper() + text[at + 1 :]


def _joined(text: str, literal: str) -> str:
    """Join two texts without a double sentence end."""
    if text.endswith(_ENDS):
        if literal.startswith("."):
            return text + literal[1:]
        if literal.startswith("”."):
            return text + "”" + literal[2:]
    return text + literal
