"""Rule bases: predicates, sorts, fallacies and rule files, loaded from package data."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from fallax.core.types.logic import (
    Argument,
    ArgumentSchema,
    Derivation,
    Fact,
    FallacySchema,
    Negation,
    Phrase,
    PredicateSchema,
    Quantity,
    format_argument,
    format_number,
)
from fallax.core.whole import packaged_toml, read_whole_toml
from fallax.errors import InputError, UnknownNameError, one_line

__all__ = ["RULE_BASES", "Phrases", "RuleBase", "data_file", "load_rule_base"]

#: The rule bases that ship: ours, and the schemas of Xu et al. 2025 as printed.
RULE_BASES = ("paper", "strict")


def data_file(name: str) -> Traversable:
    """A file of the package's data."""
    return resources.files("fallax.oracle").joinpath("data", name)


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")


@dataclass(frozen=True)
class RuleBase:
    """The facts that a rule base accepts and the fallacies it can derive.

    Parameters
    ----------
    name, version : "strict", "1".
    instances : True if every fact begins with an instance id and every statement ends in its truth.
    sorts : sort -> how its phrases must look; empty where atoms have no sorts.
    predicates : all predicates that facts may use, by name.
    schemas : what an instance of each fallacy is made of, by name.
    conclusions : "name/arity" of a conclusion -> how it reads.
    variants : schemas that are looked for only when asked for by name.
    file : the rule file of a rule base that does not ship.

    Examples
    --------
    >>> base = load_rule_base("strict")
    >>> len(base.schemas), base.schema("False Cause").abbreviation
    (14, 'FS')
    >>> print(base.predicates["covers"])
    covers(id, rule, case, truth)
    """

    name: str
    version: str
    instances: bool
    sorts: Mapping[str, str]
    predicates: Mapping[str, PredicateSchema]
    schemas: Mapping[str, FallacySchema]
    conclusions: Mapping[str, str]
    variants: frozenset[str] = frozenset()
    file: Path | None = None

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"

    @property
    def fallacies(self) -> tuple[str, ...]:
        """The names of the fallacies it has rules for, without variants."""
        return tuple(name for name in self.schemas if name not in self.variants)

    def resolve(self, fallacy: str) -> str:
        """The canonical name of a fallacy; case, blanks, underscores and two-letter codes are accepted.

        Raises
        ------
        UnknownNameError
            With the nearest name and all known ones with their codes.
        """
        wanted = _key(str(fallacy))
        for name, schema in self.schemas.items():
            if wanted in (name, _key(schema.abbreviation)):
                return name
        codes = {name: schema.abbreviation for name, schema in self.schemas.items()}
        raise UnknownNameError("fallacy", fallacy, self.schemas, where=f"rule base {self}", codes=codes)

    def schema(self, fallacy: str) -> FallacySchema:
        """The form of an instance of a fallacy."""
        return self.schemas[self.resolve(fallacy)]

    @functools.cached_property
    def rules(self) -> str:
        """The text of the rule file."""
        return self.source.read_text(encoding="utf-8")

    @property
    def source(self) -> Traversable:
        """The path of the rule file."""
        return self.file or data_file(f"{self.name}.pl")


@functools.cache
def load_rule_base(name: str | Path) -> RuleBase:
    """Load a rule base.

    Parameters
    ----------
    name : one that ships, or a folder of your own with ``rules.toml`` and ``rules.pl``; see ``docs/extend/rule.md``.

    Raises
    ------
    UnknownNameError
        If there is none of that name.
    InputError
        If ``rules.toml`` cannot be read, or lacks something.
    """
    folder = Path(name)
    if name not in RULE_BASES and not (folder / "rules.toml").is_file():
        raise UnknownNameError("rule base", name, RULE_BASES, where="no folder with rules.toml either")
    if name in RULE_BASES:
        return _rule_base(packaged_toml("fallax.oracle", "data", f"{name}.toml"))
    table = read_whole_toml(folder / "rules.toml")
    try:
        return _rule_base(table, folder / "rules.pl")
    except (KeyError, TypeError, ValueError) as error:
        said = f"{error} is missing" if isinstance(error, KeyError) else one_line(error)
        raise InputError(f"{folder / 'rules.toml'}: must be a table of rules, got an error: {said}") from error


def _rule_base(table: Mapping[str, Any], file: Path | None = None) -> RuleBase:
    instances: bool = table["instances"]
    head = (ArgumentSchema("id", "instance"),) if instances else ()
    tail = (ArgumentSchema("truth", "truth"),) if instances else ()
    predicates: dict[str, PredicateSchema] = {}
    if instances:
        predicates["instance"] = PredicateSchema(
            "instance",
            "instance",
            (*head, ArgumentSchema("fallacy", "fallacy"), ArgumentSchema("topic", "phrase")),
            meaning="opens an instance: its fallacy, and its topic in a few words",
        )
    for sort, meaning in table["sorts"].items():
        names = {"unit": ("one", "many"), "proposition": ("affirmed", "denied")}.get(sort, ("phrase",))
        places = (ArgumentSchema(sort, "name"), *(ArgumentSchema(n, "phrase") for n in names))
        predicates[sort] = PredicateSchema(sort, "declaration", (*head, *places), meaning=meaning)
    for predicate, row in table["predicates"].items():
        places = tuple(ArgumentSchema(*a.split(":")) for a in row["arguments"])
        predicates[predicate] = PredicateSchema(
            predicate,
            "statement",
            (*head, *places, *tail),
            reads=row.get("reads", ""),
            denies=row.get("denies", ""),
            distinct=tuple(tuple(group) for group in row.get("distinct", ())),
            explains=tuple(row.get("explains", ())),
            meaning=row["meaning"],
        )
    schemas = {
        fallacy: FallacySchema(
            fallacy,
            row["abbreviation"],
            tuple(predicates[p] for p in row["predicates"]),
            tuple(predicates[p] for p in row.get("declarations", ())),
            row["rules"],
            row["meaning"],
            row.get("twin", ""),
        )
        for fallacy, row in table["fallacies"].items()
    }
    variants = frozenset(name for name, row in table["fallacies"].items() if row.get("variant"))
    return RuleBase(
        table["name"],
        table["version"],
        instances,
        table["sorts"],
        predicates,
        schemas,
        table["conclusions"],
        variants,
        file,
    )


class Phrases:
    """The phrases that a set of facts declares, and sentences made from them.

    Examples
    --------
    >>> base = load_rule_base("strict")
    >>> said = Phrases(base, [Fact("thing", ("x", "cork", Phrase("a cork"))),
    ...                       Fact("property", ("x", "floats", Phrase("floats on water")))])
    >>> said.reading(Fact("has", ("x", "cork", "floats", "true")))
    'a cork floats on water'
    >>> said.conclusion("x", Fact("has", ("cork", "floats")))
    'a cork floats on water'
    """

    def __init__(self, rule_base: RuleBase, facts: Iterable[Fact]) -> None:
        self._rule_base = rule_base
        self._phrases: dict[tuple[str, str], tuple[str, ...]] = {}
        for fact in facts:
            schema = rule_base.predicates.get(fact.predicate)
            if schema is not None and schema.kind == "declaration":
                texts = tuple(a.text for a in fact.args[2:] if isinstance(a, Phrase))
                self._phrases[str(fact.args[0]), str(fact.args[1])] = texts

    def of(self, instance: str, value: Argument) -> str:
        """The phrase of one argument; an atom without a phrase is shown by its name, with blanks."""
        if isinstance(value, Quantity):
            one, many = self._phrases.get((instance, value.unit), (value.unit, value.unit))
            return f"{format_number(value.number)} {one if value.number == 1 else many}"
        if isinstance(value, Fraction):
            return format_number(value)
        if isinstance(value, Negation):
            phrases = self._phrases.get((instance, value.atom), ())
            return phrases[1] if len(phrases) > 1 else f"not: {value.atom.replace('_', ' ')}"
        if isinstance(value, str):
            return self._phrases.get((instance, value), (value.replace("_", " "),))[0]
        return value.text

    def reading(self, fact: Fact) -> str:
        """A statement as a sentence."""
        schema = self._rule_base.predicates[fact.predicate]
        template = schema.denies if fact.truth is False else schema.reads
        values = dict(zip((a.name for a in schema.arguments), fact.args, strict=True))
        instance = str(fact.args[0]) if self._rule_base.instances else ""

        def fill(match: re.Match[str]) -> str:
            value = values[match[2]]
            return self.of(instance, Negation(str(value)) if match[1] else value)

        return re.sub(r"\{(not )?(\w+)\}", fill, template)

    def conclusion(self, instance: str, conclusion: Fact) -> str:
        """A conclusion as a sentence."""
        template = self._rule_base.conclusions[f"{conclusion.predicate}/{len(conclusion.args)}"]
        return re.sub(r"\{(\d)\}", lambda m: self.of(instance, conclusion.args[int(m[1]) - 1]), template)

    def used(self, instance: str, facts: Iterable[Fact]) -> dict[str, str]:
        """Atom -> phrase for every atom with a phrase in some statements of an instance.

        An atom declared with two phrases has its second one under ``not(atom)`` or, for a unit, ``many(atom)``.
        """
        found: dict[str, str] = {}
        for fact in facts:
            for value in fact.args:
                name = value.unit if isinstance(value, Quantity) else value
                if isinstance(name, str) and (instance, name) in self._phrases:
                    first, *second = self._phrases[instance, name]
                    found[name] = first
                    if second:
                        found[f"many({name})" if isinstance(value, Quantity) else str(Negation(name))] = second[0]
        return found

    @classmethod
    def of_derivation(cls, rule_base: RuleBase, derivation: Derivation) -> Phrases:
        """The phrases of a derivation, so that it can be put into words without its facts."""
        said = cls(rule_base, ())
        for name, phrase in derivation.phrases.items():
            second = (derivation.phrases.get(key) for key in (str(Negation(name)), f"many({name})"))
            said._phrases[derivation.instance, name] = (phrase, *(s for s in second if s is not None))
        return said


def facts_for_engine(facts: Iterable[Fact]) -> Iterable[str]:
    """The statements as quoted terms, one a line; phrases and declarations are left out."""
    for fact in facts:
        yield f"{fact.predicate}({','.join(_engine_argument(a) for a in fact.args if not isinstance(a, Phrase))}).\n"


def _engine_argument(value: Argument) -> str:
    if isinstance(value, Fraction):
        return f"{value.numerator}r{value.denominator}" if value.denominator != 1 else str(value.numerator)
    if isinstance(value, Quantity):
        return f"q({_engine_argument(value.number)},{_engine_argument(value.unit)})"
    return format_argument(value)
