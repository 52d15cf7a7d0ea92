"""Ambiguity that words show: how a sentence can be read, and when readings differ."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import Ambiguity, FaithfulnessVerdict, Fault, UnitVerdict
from fallax.faithfulness.systems.wordings import pulled_apart, ways_to_read, worded_ambiguity
from fallax.faithfulness.view import verdict_page


def reader(entailed: Mapping[str, float]) -> Any:
    """A model that finds sentences entailed as told; others not."""

    def read(passage: Sequence[str], sentence: str) -> SimpleNamespace:
        p = entailed.get(sentence, 0.1)
        return SimpleNamespace(probabilities=(p, 0.0, 1 - p))

    return SimpleNamespace(read=read)


@pytest.mark.parametrize(
    ("sentence", "before", "kind", "readings"),
    [
        ("Reyes told Tan that she had won.", "", "Other meaning phenomenon",
         ("Reyes told Tan that Reyes had won.", "Reyes told Tan that Tan had won.")),
        ("Later she left.", "Reyes met Ines Tan.", "Other meaning phenomenon",
         ("Later Reyes left.", "Later Ines Tan left.")),
        ("Every lift was not repaired.", "", "Linguistic ambiguity: Structural",
         ("None of the lifts was repaired.", "Some but not all lifts were repaired.")),
        ("Each of the members did not vote.", "", "Linguistic ambiguity: Structural",
         ("None of the members did vote.", "Some but not all members did vote.")),
        ("Every city has not paid.", "", "Linguistic ambiguity: Structural",
         ("None of the cities has paid.", "Some but not all cities have paid.")),
        ("Each bus on the route doesn’t stop.", "", "Linguistic ambiguity: Structural",
         ("None of the buses on the route does stop.", "Some but not all buses on the route do stop.")),
        ("Every tax is not fair.", "", "Linguistic ambiguity: Structural",
         ("None of the taxes is fair.", "Some but not all taxes are fair.")),
        ("Every child was not there.", "", "Linguistic ambiguity: Structural",
         ("None of the children was there.", "Some but not all children were there.")),
        ("All of us were not told.", "", "Linguistic ambiguity: Structural",
         ("None of us were told.", "Some but not all of us were told.")),
        ("Every one of my days was not lost.", "", "Linguistic ambiguity: Structural",
         ("None of my days was lost.", "Some but not all of my days were lost.")),
        ("All water was not clean.", "", "Linguistic ambiguity: Structural",
         ("None of the water was clean.", "Some but not all water was clean.")),
        ("She had won.", "Reyes told Tan.", "Other meaning phenomenon", ("Reyes had won.", "Tan had won.")),
        ("“He had won.”", "Reyes told Tan.", "Other meaning phenomenon", ("“Reyes had won.”", "“Tan had won.”")),
        ("You may see it.", "", "Linguistic ambiguity: Lexical",
         ("You are allowed to see it.", "You will perhaps see it.")),
        ("I may not go.", "", "Linguistic ambiguity: Lexical",
         ("I am not allowed to go.", "I will perhaps not go.")),
        ("Tan and I may go.", "", "Linguistic ambiguity: Lexical",
         ("Tan and I are allowed to go.", "Tan and I will perhaps go.")),
        ("They say that we may go.", "", "Linguistic ambiguity: Lexical",
         ("They say that we are allowed to go.", "They say that we will perhaps go.")),
        ("This may help.", "", "Linguistic ambiguity: Lexical",
         ("This is allowed to help.", "This will perhaps help.")),
        ("The mayor did not leave because it rained.", "", "Linguistic ambiguity: Structural",
         ("The mayor did not leave. The reason is that it rained.",
          "The mayor did leave, but not because it rained.")),
        ("Members may park here.", "", "Linguistic ambiguity: Lexical",
         ("Members are allowed to park here.", "Members will perhaps park here.")),
    ],
)  # fmt: skip
def test_ways_to_read(sentence: str, before: str, kind: str, readings: tuple[str, ...]) -> None:
    (found,) = ways_to_read(sentence, before)
    assert (found.kind, found.readings) == (kind, readings)
    assert found.kind in load_taxonomy("ambiguity").names
    said = worded_ambiguity(reader({readings[0]: 0.9}), [], sentence, before)
    assert said is not None
    assert said.types == (kind,)
    assert [r.label for r in said.readings] == ["faithful", "unfaithful"]
    for alike in ({}, dict.fromkeys(readings, 0.9), {readings[0]: 0.5}):
        assert worded_ambiguity(reader(alike), [], sentence, before) is None


@pytest.mark.parametrize(
    "plain",
    [
        "Reyes said that she won.",
        "The fees rose in May.",
        "No member voted.",
        "It may have rained.",
        "Anyone can use the gym.",
        "In May the board met.",
        "(",
        "…",
        "May",
        "Every man and woman did not vote.",
        "Every member who came did not vote.",
    ],
)
def test_what_is_plain(plain: str) -> None:
    assert list(ways_to_read(plain)) == []


def test_a_question_asserts_nothing() -> None:
    found = worded_ambiguity(reader({}), [], "Did “it” rain?”")
    assert found is not None
    assert found.types == ("Non-assertion",)


def test_passages_that_pull_apart() -> None:
    yes, no = (SimpleNamespace(probabilities=p) for p in ((0.9, 0.0, 0.1), (0.0, 0.9, 0.1)))
    for pair in ((yes, no), (no, yes)):
        found = pulled_apart(*pair)  # type: ignore[arg-type]
        assert found is not None
        assert found.types[0] in load_taxonomy("ambiguity").names
    assert pulled_apart(yes, yes) is None  # type: ignore[arg-type]
    assert pulled_apart(yes, None) is None  # type: ignore[arg-type]


def test_what_is_ambiguous_is_nowhere_marked_as_unfaithful() -> None:
    summary = "Members may park here."
    found = worded_ambiguity(reader({"Members are allowed to park here.": 0.9}), [], summary)
    assert isinstance(found, Ambiguity)
    fault = Fault(0, len(summary), summary, "not supported")
    unit = UnitVerdict(0, len(summary), summary, "unfaithful", "", 0.2, {}, (fault,), found, "", (), (fault,))
    verdict = FaithfulnessVerdict("entailment", (unit,))
    page = verdict_page(verdict, summary=summary, document="Parking is allowed.")
    assert 'class="unfaithful"' not in page
    assert "Linguistic ambiguity: Lexical" in page
    assert "Reading, faithful" in page
    assert verdict.to_dict()["faults"] == []
