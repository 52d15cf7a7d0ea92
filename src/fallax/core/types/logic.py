"""Facts, the schemas they must fit, and the derivations that rules make from them.

A fact is data: a predicate with atoms, phrases, numbers and quantities. Nothing here runs anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from fallax.core.json_value import JsonValue
from fallax.errors import InputError, LogicError, one_line

__all__ = [
    "ArgumentSchema",
    "Derivation",
    "Fact",
    "FactReading",
    "FallacySchema",
    "Negation",
    "Phrase",
    "PredicateSchema",
    "Quantity",
    "Refusal",
]

#: Numbers in facts stay below this, so that they can always be printed.
_TOO_LARGE = 10**100

_PLAIN_ATOM = re.compile(r"[a-z][A-Za-z0-9_]*\Z", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class Phrase:
    """Words for people, in double quotes; rules ignore them."""

    text: str

    def __str__(self) -> str:
        return f'"{_escaped(self.text, chr(34))}"'


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """A number with its unit, written ``q(14, minute)``.

    Examples
    --------
    >>> print(Quantity(Fraction(5, 2), "litre"))
    q(2.5, litre)
    """

    number: Fraction
    unit: str

    def __str__(self) -> str:
        return f"q({format_number(self.number)}, {format_atom(self.unit)})"


@dataclass(frozen=True, slots=True, order=True)
class Negation:
    """A negated proposition, written ``not(rain)``; only in conclusions."""

    atom: str

    def __str__(self) -> str:
        return f"not({format_atom(self.atom)})"


Argument: TypeAlias = str | Phrase | Fraction | Quantity | Negation


def _escaped(text: str, quote: str) -> str:
    text = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return "".join(c if c.isprintable() else f"\\x{ord(c):x}\\" for c in text)


def format_atom(name: str) -> str:
    """An atom in the syntax of the fact language, quoted if necessary.

    Examples
    --------
    >>> format_atom("guide_dog"), format_atom("2_mins")
    ('guide_dog', "'2_mins'")
    """
    return name if _PLAIN_ATOM.match(name) else f"'{_escaped(name, chr(39))}'"


def format_number(number: Fraction) -> str:
    """A number as an integer if possible, else as an exact decimal, else as a fraction.

    Examples
    --------
    >>> [format_number(Fraction(n)) for n in ("7", "2.50", "1/3", "-1/8")]
    ['7', '2.5', '1/3', '-0.125']
    """
    if number.denominator == 1:
        return str(number.numerator)
    rest, places = number.denominator, 0
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
            places += 1
    if rest != 1:
        return f"{number.numerator}/{number.denominator}"
    digits = str(abs(number.numerator) * 10**places // number.denominator).rjust(places + 1, "0")
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}".rstrip("0")


def _argument_to_json(value: Argument) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, Phrase):
        return {"text": value.text}
    if isinstance(value, Quantity):
        return {"number": str(value.number), "unit": value.unit}
    if isinstance(value, Negation):
        return {"not": value.atom}
    return {"number": str(value)}


def _argument_from_json(value: Any) -> Argument:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        keys = set(value)
        if keys == {"text"}:
            return Phrase(value["text"])
        if keys == {"not"}:
            return Negation(value["not"])
        if keys in ({"number"}, {"number", "unit"}):
            try:
                number = Fraction(value["number"])
            except (ValueError, TypeError, ZeroDivisionError):
                raise InputError(
                    f"fact: a number must be written 7 or 7/2, got {one_line(value['number'], 60)!r}"
                ) from None
            return Quantity(number, value["unit"]) if "unit" in value else number
    raise InputError(f"fact: an argument must be a name, a text, a number or a quantity, got {one_line(value, 60)!r}")


@dataclass(frozen=True, slots=True)
class Fact(JsonValue):
    """One ground fact.

    Parameters
    ----------
    predicate : its name.
    args : atoms are ``str``; phrases, numbers and quantities are values of their own; whole numbers may be given
        as ``int``; truth is the atom ``"true"`` or ``"false"``, last.

    Raises
    ------
    LogicError
        If the predicate or an argument is none of these.

    Examples
    --------
    >>> fact = Fact("covers", ("af01", "no_dogs", "guide_dog", "true"))
    >>> print(fact, fact.truth, fact.flipped())
    covers(af01, no_dogs, guide_dog, true) True covers(af01, no_dogs, guide_dog, false)
    >>> Fact.from_dict(fact.to_dict()) == fact
    True
    """

    predicate: str
    args: tuple[Argument, ...] = ()

    def __post_init__(self) -> None:
        if type(self.predicate) is not str or not self.predicate:
            raise LogicError(f"fact: the predicate must be a name, got {one_line(self.predicate, 60)!r}")
        given: tuple[Any, ...] = self.args
        args: tuple[Any, ...] = tuple(Fraction(a) if type(a) is int else a for a in given)
        for place, value in enumerate(args, start=1):
            if not isinstance(value, str | Phrase | Fraction | Quantity | Negation) or value == "":
                raise LogicError(
                    f"fact {one_line(self.predicate, 60)}: argument {place} must be a name, a phrase, a number or a"
                    f" quantity, got {one_line(value, 60)!r}"
                )
            number = value.number if isinstance(value, Quantity) else value
            if isinstance(number, Fraction) and max(abs(number.numerator), number.denominator) >= _TOO_LARGE:
                raise LogicError(
                    f"fact {one_line(self.predicate, 60)}: argument {place} must be a number of at most 100 digits"
                )
        object.__setattr__(self, "args", args)

    def __str__(self) -> str:
        inside = ", ".join(format_argument(a) for a in self.args)
        return f"{format_atom(self.predicate)}({inside})" if self.args else format_atom(self.predicate)

    @property
    def truth(self) -> bool | None:
        """The truth value that ends the fact, or None if it has none."""
        return (
            {"true": True, "false": False}.get(self.args[-1]) if self.args and isinstance(self.args[-1], str) else None
        )

    def flipped(self) -> Fact:
        """The same fact with the opposite truth value.

        Raises
        ------
        LogicError
            If the fact states no truth.
        """
        if self.truth is None:
            raise LogicError(f"fact {one_line(self)}: only a fact that ends in true or false can be flipped")
        return Fact(self.predicate, (*self.args[:-1], "false" if self.truth else "true"))

    def to_dict(self) -> dict[str, Any]:
        """Predicate and arguments as JSON values."""
        return {"predicate": self.predicate, "args": [_argument_to_json(a) for a in self.args]}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Fact:
        """Read what :meth:`to_dict` gives."""
        return cls(value["predicate"], tuple(_argument_from_json(a) for a in value["args"]))


def format_argument(value: Argument) -> str:
    """One argument in the syntax of the fact language."""
    if isinstance(value, str):
        return format_atom(value)
    return format_number(value) if isinstance(value, Fraction) else str(value)


@dataclass(frozen=True, slots=True, order=True)
class Refusal(JsonValue):
    """A piece of a fact file that was refused.

    Parameters
    ----------
    line, column : from 1, in code points; 0 where the fact came as a value and not as text.
    reason : what must hold and what was found.
    text : the refused piece, shortened to one printable line.
    """

    line: int
    column: int
    reason: str
    text: str = ""

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}: " if self.line else ""
        return f"{place}{self.reason}" + (f" (in: {self.text})" if self.text else "")


@dataclass(frozen=True, slots=True)
class FactReading(JsonValue):
    """The result of reading facts: those accepted, in order, and those refused, by position.

    ``n_refused`` counts all refusals; ``refused`` keeps the first of them (as many as the reader's limit allows).
    """

    facts: tuple[Fact, ...]
    refused: tuple[Refusal, ...] = ()
    n_refused: int = 0

    def __iter__(self) -> Iterator[Fact]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)


@dataclass(frozen=True, slots=True)
class ArgumentSchema:
    """One argument position of a predicate: its role and the sort it must have."""

    name: str
    sort: str


@dataclass(frozen=True, slots=True)
class PredicateSchema:
    """The form that facts of one predicate must have.

    Parameters
    ----------
    name : of the predicate.
    kind : "instance" (opens an instance), "declaration" (names an atom, its sort and its phrases) or "statement".
    arguments : all places in order, instance id and truth included.
    reads, denies : how a true and a false statement reads; ``{name}`` stands for the phrase of an argument.
    distinct : groups of argument names that must differ from each other.
    explains : arguments that give the reason or the witness; two facts that differ only here and in truth contradict.
    meaning : for the manual.
    """

    name: str
    kind: Literal["instance", "declaration", "statement"]
    arguments: tuple[ArgumentSchema, ...]
    reads: str = ""
    denies: str = ""
    distinct: tuple[tuple[str, ...], ...] = ()
    explains: tuple[str, ...] = ()
    meaning: str = ""

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return len(self.arguments)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(a.name for a in self.arguments)})"


@dataclass(frozen=True, slots=True)
class FallacySchema:
    """The parts of an instance of one fallacy.

    Parameters
    ----------
    name : as rules write it ("false_cause"); label sets resolve it.
    abbreviation : the paper's two letters.
    predicates : the statements that may occur in an instance.
    declarations : the sorts that may be declared in an instance.
    rules : rule name -> "fallacy" or "sound".
    meaning, twin : for the manual: the mistake, and what makes the same form valid.
    """

    name: str
    abbreviation: str
    predicates: tuple[PredicateSchema, ...]
    declarations: tuple[PredicateSchema, ...]
    rules: Mapping[str, str]
    meaning: str = ""
    twin: str = ""

    def __str__(self) -> str:
        rows = [f"{self.name} ({self.abbreviation}): {self.meaning}"]
        rows += [f"  {p}" for p in (*self.declarations, *self.predicates)]
        return "\n".join(rows)


@dataclass(frozen=True, slots=True)
class Derivation(JsonValue):
    """A conclusion with the rule and the facts that prove it.

    Parameters
    ----------
    fallacy : the type ("false_cause").
    kind : "fallacy", or "sound" for the valid twin of the same form.
    instance : the instance id; "" in a rule base without instances.
    rule : the name of the rule.
    conclusion : what the argument concludes, made by the rule.
    facts : the statements it used, in the order of the rule's conditions.
    slots : slot name -> argument.
    readings : one English sentence per fact, same order; () where the rule base has no phrases.
    conclusion_reading : the conclusion in English, or "".
    phrases : atom -> its phrase, for every atom with a phrase; of two phrases, the second is under ``not(atom)`` (a
        proposition denied) or ``many(atom)`` (more than one of a unit).
    rule_base : name and version, "strict@1".

    Examples
    --------
    >>> d = Derivation("false_cause", "sound", "x1", "cause_survives_control", Fact("causes", ("rain", "flood")),
    ...                (Fact("follows", ("x1", "rain", "flood", "true")),), {"cause": "rain"})
    >>> Derivation.from_dict(d.to_dict()) == d
    True
    >>> print(d)
    sound false_cause x1: causes(rain, flood)
    """

    fallacy: str
    kind: Literal["fallacy", "sound"]
    instance: str
    rule: str
    conclusion: Fact
    facts: tuple[Fact, ...]
    slots: Mapping[str, Argument] = field(default_factory=dict)
    readings: tuple[str, ...] = ()
    conclusion_reading: str = ""
    phrases: Mapping[str, str] = field(default_factory=dict)
    rule_base: str = ""

    def __hash__(self) -> int:
        return hash((self.fallacy, self.kind, self.instance, self.rule, self.conclusion, self.facts))

    def __str__(self) -> str:
        head = f"{self.kind} {self.fallacy}" + (f" {self.instance}" if self.instance else "")
        return f"{head}: {self.conclusion}"

    def _lines(self) -> tuple[list[str], str]:
        facts = [f"{fact}" + (f"  -- {self.readings[i]}" if self.readings else "") for i, fact in enumerate(self.facts)]
        said = f"{self.conclusion}" + (f"  -- {self.conclusion_reading}" if self.conclusion_reading else "")
        return facts, said

    def to_text(self) -> str:
        """The proof as numbered lines, premises first.

        Examples
        --------
        >>> facts = (Fact("follows", ("a", "b")),)
        >>> d = Derivation("false_cause", "fallacy", "x1", "r", Fact("causes", ("a", "b")), facts)
        >>> print(d.to_text())
        fallacy false_cause, instance x1
          1. follows(a, b)
          therefore, by rule r from 1 (not valid):
          2. causes(a, b)
        """
        facts, said = self._lines()
        rows = [f"{self.kind} {self.fallacy}" + (f", instance {self.instance}" if self.instance else "")]
        rows += [f"  {n}. {line}" for n, line in enumerate(facts, start=1)]
        used = ", ".join(str(n) for n in range(1, len(facts) + 1))
        verdict = "not valid" if self.kind == "fallacy" else "valid"
        rows.append(f"  therefore, by rule {self.rule} from {used} ({verdict}):")
        rows.append(f"  {len(facts) + 1}. {said}")
        return "\n".join(rows)

    def _nodes(self) -> tuple[Sequence[str], str]:
        facts = [self.readings[i] if self.readings else str(f) for i, f in enumerate(self.facts)]
        return facts, self.conclusion_reading or str(self.conclusion)

    def to_dot(self) -> str:
        """The proof as a Graphviz graph: facts -> rule -> conclusion; the fallacious step is dashed."""
        facts, said = self._nodes()
        style = "dashed" if self.kind == "fallacy" else "solid"
        rows = ["digraph derivation {", "  rankdir=TB;", '  node [shape=box, fontname="sans-serif"];']
        rows += [f"  f{n} [label={_dot(text)}];" for n, text in enumerate(facts, start=1)]
        rows.append(f"  rule [shape=ellipse, label={_dot(f'{self.kind}: {self.rule}')}];")
        rows.append(f"  conclusion [label={_dot(said)}, style={style}];")
        rows += [f"  f{n} -> rule;" for n in range(1, len(facts) + 1)]
        rows += [f"  rule -> conclusion [style={style}];", "}"]
        return "\n".join(rows)

    def to_mermaid(self) -> str:
        """The proof as a Mermaid flowchart; the fallacious step is dotted."""
        facts, said = self._nodes()
        arrow = "-.->" if self.kind == "fallacy" else "-->"
        rows = ["flowchart TD"]
        rows += [f'  f{n}["{_mermaid(text)}"]' for n, text in enumerate(facts, start=1)]
        rows.append(f'  rule(["{_mermaid(f"{self.kind}: {self.rule}")}"])')
        rows.append(f'  conclusion["{_mermaid(said)}"]')
        rows += [f"  f{n} --> rule" for n in range(1, len(facts) + 1)]
        rows.append(f"  rule {arrow} conclusion")
        return "\n".join(rows)

    def to_dict(self) -> dict[str, Any]:
        """The derivation as JSON values."""
        return {
            "fallacy": self.fallacy,
            "kind": self.kind,
            "instance": self.instance,
            "rule": self.rule,
            "conclusion": self.conclusion.to_dict(),
            "facts": [f.to_dict() for f in self.facts],
            "slots": {name: _argument_to_json(a) for name, a in self.slots.items()},
            "readings": list(self.readings),
            "conclusion_reading": self.conclusion_reading,
            "phrases": dict(self.phrases),
            "rule_base": self.rule_base,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Derivation:
        """Read what :meth:`to_dict` gives."""
        if value["kind"] not in ("fallacy", "sound"):
            raise InputError(f"derivation: kind must be fallacy or sound, got {one_line(value['kind'], 40)!r}")
        return cls(
            value["fallacy"],
            value["kind"],
            value["instance"],
            value["rule"],
            Fact.from_dict(value["conclusion"]),
            tuple(Fact.from_dict(f) for f in value["facts"]),
            {name: _argument_from_json(a) for name, a in value.get("slots", {}).items()},
            tuple(value.get("readings", ())),
            value.get("conclusion_reading", ""),
            dict(value.get("phrases", {})),
            value.get("rule_base", ""),
        )

    def to_json(self) -> str:
        """The derivation as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: bytes | str) -> Derivation:
        """Read what :meth:`to_json` gives."""
        return cls.from_dict(json.loads(text))


def _dot(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def _mermaid(text: str) -> str:
    return (
        text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", " ")
    )
