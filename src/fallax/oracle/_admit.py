"""Checks facts against a rule base: form, sorts, distinct arguments, repetitions, contradictions."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from fallax.core.texts import plain_words
from fallax.core.types.logic import Argument, Fact, Phrase, PredicateSchema, Quantity, Refusal
from fallax.errors import one_line
from fallax.oracle._rules import RuleBase

__all__ = ["Placed", "admit"]

#: No instance needs more; keeps every search inside one instance small.
MAX_FACTS_PER_INSTANCE = 300

#: Caps on facts that come as values; the reader has its own for text.
MAX_ATOM, MAX_PHRASE, MAX_NUMBER = 200, 1_000, 10**18

#: Refusals that offer the nearest known name.
MAX_HINTS = 100

_SHAPES = {
    "instance": (str, "a name"),
    "fallacy": (str, "the name of a fallacy"),
    "name": (str, "a name"),
    "atom": (str, "a name"),
    "phrase": (Phrase, "a phrase in double quotes"),
    "number": (Fraction, "a number"),
    "quantity": (Quantity, "a quantity q(Number, unit)"),
    "truth": (str, "true or false"),
}


@dataclass(frozen=True, slots=True)
class Placed:
    """A fact and its position; positions are zero and empty if it did not come from a text."""

    fact: Fact
    line: int = 0
    column: int = 0
    places: tuple[tuple[int, int], ...] = ()

    def refusal(self, reason: str, argument: int | None = None) -> Refusal:
        """The refusal of this fact, at one of its arguments or at its beginning."""
        line, column = (self.line, self.column) if argument is None or not self.places else self.places[argument]
        return Refusal(line, column, reason, one_line(self.fact, 80))


def admit(placed: Sequence[Placed], rule_base: RuleBase) -> tuple[tuple[Fact, ...], list[Refusal]]:
    """Split facts into those that the rule base accepts, in order, and refusals."""
    checker = _Checker(rule_base)
    for row, item in enumerate(placed):
        reason = checker.shape(item)
        if reason is not None:
            checker.refused[row] = reason
    if rule_base.instances:
        checker.headers(placed)
        checker.declarations(placed)
        checker.statements(placed)
    checker.repetitions(placed)
    facts = tuple(item.fact for row, item in enumerate(placed) if row not in checker.refused)
    return facts, [checker.refused[row] for row in sorted(checker.refused)]


class _Checker:
    def __init__(self, rule_base: RuleBase) -> None:
        self.base = rule_base
        self.refused: dict[int, Refusal] = {}
        self.fallacy_of: dict[str, str] = {}
        self.sort_of: dict[tuple[str, str], str] = {}
        self.counts: dict[str, int] = {}
        self.hints_left = MAX_HINTS
        self.named: dict[tuple[str, str, tuple[str, ...]], str] = {}

    def _near(self, name: str, known: Iterable[str]) -> str:
        """Suggest the nearest known name; only for the first few refusals, since the search is slow."""
        self.hints_left -= 1
        near = difflib.get_close_matches(name, list(known), n=1) if self.hints_left >= 0 else []
        return f"; did you mean {near[0]!r}?" if near else ""

    def shape(self, item: Placed) -> Refusal | None:
        """Name, number of arguments and the kind of each."""
        fact = item.fact
        schema = self.base.predicates.get(fact.predicate)
        if schema is None:
            hint = self._near(fact.predicate, self.base.predicates)
            return item.refusal(
                f"the predicate must be one of rule base {self.base}, found {one_line(fact.predicate, 40)!r}{hint}"
            )
        if len(fact.args) != schema.arity:
            return item.refusal(
                f"{schema.name} must have {schema.arity} arguments, as in {schema}; found {len(fact.args)}"
            )
        for place, (argument, value) in enumerate(zip(schema.arguments, fact.args, strict=True)):
            kind, words = _SHAPES.get(argument.sort, (str, f"the name of a {argument.sort}"))
            if not isinstance(value, kind):
                return item.refusal(f"{argument.name} of {schema.name} must be {words}, found {_shown(value)}", place)
            if not _plain(value):
                return item.refusal(
                    f"{argument.name} of {schema.name} must be short and printable, found {_shown(value)}", place
                )
            if argument.sort == "truth" and value not in ("true", "false"):
                return item.refusal(f"{schema.name} must end in true or false, found {_shown(value)}", place)
            if argument.sort == "fallacy" and value not in self.base.schemas:
                hint = self._near(str(value), self.base.schemas)
                return item.refusal(
                    f"the fallacy must be one of rule base {self.base}, found {_shown(value)}{hint}", place
                )
        return None

    def _rows(self, placed: Sequence[Placed], kind: str) -> Iterable[tuple[int, Placed, PredicateSchema]]:
        for row, item in enumerate(placed):
            if row not in self.refused:
                schema = self.base.predicates[item.fact.predicate]
                if schema.kind == kind:
                    yield row, item, schema

    def headers(self, placed: Sequence[Placed]) -> None:
        """Each instance is opened once."""
        for row, item, _ in self._rows(placed, "instance"):
            name = str(item.fact.args[0])
            if name in self.fallacy_of:
                self.refused[row] = item.refusal(f"an instance must be opened once, found {name!r} again", 0)
            else:
                self.fallacy_of[name] = str(item.fact.args[1])

    def _in_instance(self, item: Placed, schema: PredicateSchema) -> str | None:
        """Why a fact cannot belong to its instance, or None."""
        name = str(item.fact.args[0])
        fallacy = self.fallacy_of.get(name)
        if fallacy is None:
            return (
                f"the instance {one_line(name, 40)!r} must be opened by instance({one_line(name, 40)}, fallacy, topic)"
            )
        whole = self.base.schemas[fallacy]
        allowed = whole.predicates if schema.kind == "statement" else whole.declarations
        if schema not in allowed:
            words = ", ".join(p.name for p in allowed)
            return f"an instance of {fallacy} must hold only {schema.kind}s of: {words}; found {schema.name}"
        self.counts[name] = self.counts.get(name, 0) + 1
        if self.counts[name] > MAX_FACTS_PER_INSTANCE:
            return f"an instance must hold at most {MAX_FACTS_PER_INSTANCE} facts"
        return None

    def declarations(self, placed: Sequence[Placed]) -> None:
        """Each atom is declared once in its instance."""
        for row, item, schema in self._rows(placed, "declaration"):
            reason = self._in_instance(item, schema)
            key = (str(item.fact.args[0]), str(item.fact.args[1]))
            if reason is not None:
                self.refused[row] = item.refusal(reason, 0)
            elif key in self.sort_of:
                self.refused[row] = item.refusal(
                    f"{key[1]!r} must be declared once in {key[0]}, found it declared a {self.sort_of[key]} already", 1
                )
            elif (other := self._same_words(item, schema)) is not None:
                self.refused[row] = item.refusal(f"{key[1]!r} must differ in words from {other!r}, found the same", 2)
            else:
                self.sort_of[key] = schema.name

    def _same_words(self, item: Placed, schema: PredicateSchema) -> str | None:
        """The atom of the same sort and instance that has the same words, or None; keeps what it has seen."""
        instance, name, *phrases = item.fact.args
        words = tuple(_words(p.text) for p in phrases if isinstance(p, Phrase))
        first = self.named.setdefault((str(instance), schema.name, words), str(name))
        return None if first == name else first

    def statements(self, placed: Sequence[Placed]) -> None:
        """Every argument is declared, of the right sort, and different where it must be."""
        for row, item, schema in self._rows(placed, "statement"):
            reason = self._in_instance(item, schema)
            if reason is not None:
                self.refused[row] = item.refusal(reason, 0)
                continue
            found = self._sorts(item, schema) or self._distinct(item, schema)
            if found is not None:
                self.refused[row] = found

    def _sorts(self, item: Placed, schema: PredicateSchema) -> Refusal | None:
        instance = str(item.fact.args[0])
        for place, (argument, value) in enumerate(zip(schema.arguments, item.fact.args, strict=True)):
            wanted = "unit" if argument.sort == "quantity" else argument.sort
            if wanted in _SHAPES:
                continue
            name = value.unit if isinstance(value, Quantity) else str(value)
            sort = self.sort_of.get((instance, name))
            if sort is None:
                wanted_line = f"{wanted}({instance}, {one_line(name, 40)}, ...)"
                return item.refusal(f"{argument.name} of {schema.name} must be declared: {wanted_line}", place)
            if sort != wanted:
                return item.refusal(f"{argument.name} of {schema.name} must be a {wanted}, found a {sort}", place)
        return None

    @staticmethod
    def _distinct(item: Placed, schema: PredicateSchema) -> Refusal | None:
        names = [a.name for a in schema.arguments]
        for group in schema.distinct:
            places = [names.index(n) for n in group]
            seen: set[Argument] = set()
            for place in places:
                if item.fact.args[place] in seen:
                    words = " and ".join(group)
                    return item.refusal(
                        f"{words} of {schema.name} must differ, found {item.fact.args[place]} twice", place
                    )
                seen.add(item.fact.args[place])
        return None

    def repetitions(self, placed: Sequence[Placed]) -> None:
        """Nothing is said twice, and of two statements that contradict each other neither counts."""
        first: dict[tuple[object, ...], int] = {}
        for row, item in enumerate(placed):
            if row in self.refused:
                continue
            schema = self.base.predicates[item.fact.predicate]
            named = zip(schema.arguments, item.fact.args, strict=True)
            key = (schema.name, *(v for a, v in named if a.sort != "truth" and a.name not in schema.explains))
            other = first.setdefault(key, row)
            if other == row:
                continue
            where = f"line {placed[other].line}" if placed[other].line else "another fact"
            if placed[other].fact.truth == item.fact.truth:
                self.refused[row] = item.refusal(f"a fact must be stated once, found it already in {where}")
            else:
                self.refused[row] = item.refusal(
                    f"a fact must not be both true and false, found it contradicts {where}"
                )
                here = f"line {item.line}" if item.line else "another fact"
                self.refused.setdefault(
                    other,
                    placed[other].refusal(f"a fact must not be both true and false, found it contradicts {here}"),
                )


def _plain(value: Argument) -> bool:
    """Whether a value could have been written in the fact language, with its default limits."""
    if isinstance(value, Quantity):
        return _plain(value.number) and _plain(value.unit)
    if isinstance(value, Fraction):
        return abs(value.numerator) < MAX_NUMBER and value.denominator < MAX_NUMBER
    text = value.text if isinstance(value, Phrase) else str(value)
    return text.isprintable() and len(text) <= (MAX_PHRASE if isinstance(value, Phrase) else MAX_ATOM)


def _words(phrase: str) -> str:
    """A phrase without case, punctuation and articles: two atoms that read the same are not two things."""
    return " ".join(w for w in plain_words(phrase) if w not in ("a", "an", "the"))


def _shown(value: Argument) -> str:
    return one_line(f'"{value.text}"' if isinstance(value, Phrase) else value, 40)
