"""Passages under other names, and with two names or two numbers exchanged."""

from __future__ import annotations

import random

from fallax.entailment.training.pairs import Example
from fallax.entailment.training.renaming import Names, exchanged_names, exchanged_numbers, renamed

PASSAGE = ("At noon Marta phoned Ilse about the 14 crates.", "Later the 12 boxes came, and Ilse thanked Marta.")
EXAMPLE = Example(PASSAGE, "It was Marta who phoned.", "entailed", "corpus/passages", ())
NAMES = Names([*PASSAGE, EXAMPLE.statement, "He and Priya saw Wanda, and Nadia saw Greta."])


def test_names_are_what_stands_in_capitals_within_a_sentence() -> None:
    assert NAMES.of("At noon Marta phoned Ilse.") == ["Marta", "Ilse"]
    assert Names(["We went in May to Mars."]).of("in May to Mars") == []


def test_the_same_name_becomes_the_same_other_name() -> None:
    other = renamed(EXAMPLE, NAMES, random.Random(2))
    assert other.label == "entailed"
    assert not {"Marta", "Ilse"} & set(" ".join((*other.passage, other.statement)).replace(".", "").split())
    name = other.statement.split()[2]
    assert other.passage[0].startswith(f"At noon {name} phoned ")
    assert other.passage[1].endswith(f"thanked {name}.")


def test_two_names_exchanged_make_an_entailed_statement_false() -> None:
    said = Example(PASSAGE, "It was Marta who phoned, and Ilse answered.", "entailed", "corpus/passages", ())
    other = exchanged_names(said, NAMES, random.Random(1))
    assert other is not None
    assert other.passage[0] == "At noon Ilse phoned Marta about the 14 crates."
    assert other.label == "not_entailed"


def test_two_numbers_exchanged_make_an_entailed_statement_false() -> None:
    said = Example(PASSAGE, "There were 14 crates.", "entailed", "corpus/passages", ())
    other = exchanged_numbers(said, random.Random(1))
    assert other is not None
    assert other.passage == (PASSAGE[0].replace("14", "12"), PASSAGE[1].replace("12", "14"))
    assert (other.statement, other.label) == (said.statement, "not_entailed")


def test_what_has_nothing_to_exchange_gives_nothing() -> None:
    bare = Example(("It rained.",), "It rained.", "entailed", "corpus/passages", ())
    assert exchanged_names(bare, NAMES, random.Random(1)) is None
    assert exchanged_numbers(bare, random.Random(1)) is None
    false = Example(PASSAGE, "There were 14 crates.", "contradicted", "corpus/passages")
    assert exchanged_numbers(false, random.Random(1)) is None
