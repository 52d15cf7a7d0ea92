"""Crosswalks: total, pointing at labels that exist, the same seen from both ends, and composed only where sound."""

import itertools
from collections import Counter
from typing import Any, cast

import pytest

from fallax.core.taxonomies import HUB, carry_spans, crosswalk, list_taxonomies, load_taxonomy, map_label
from fallax.core.types import NO_FALLACY, Span
from fallax.errors import InputError, UnknownNameError

SETS = [name for name in list_taxonomies() if name not in ("ambiguity", "ambiguity_prompts")]
PAIRS = list(itertools.product(SETS, SETS))
INVERSE = {"exact": "exact", "broader": "narrower", "narrower": "broader"}


def relations(source: str, target: str) -> dict[tuple[str, str], str]:
    return {(row.label, row.target): row.relation for row in crosswalk(source, target) if row.target is not None}


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_every_label_appears_and_every_target_exists(source: str, target: str) -> None:
    rows = crosswalk(source, target)
    assert list(dict.fromkeys(row.label for row in rows)) == list(load_taxonomy(source).names)
    for row in rows:
        assert (row.target is None) == (row.relation == "none")
        assert row.target is None or row.target in load_taxonomy(target)
    assert max(Counter((row.label, row.target) for row in rows).values()) == 1
    alone = {row.label for row in rows if row.target is None}
    assert not alone & {row.label for row in rows if row.target is not None}


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_the_other_direction_is_the_inverse(source: str, target: str) -> None:
    forth = relations(source, target)
    back = relations(target, source)
    assert {(b, a): INVERSE[relation] for (a, b), relation in forth.items()} == back


@pytest.mark.parametrize("name", [name for name in SETS if name != HUB])
def test_exact_to_the_hub_is_one_to_one(name: str) -> None:
    exact = [pair for pair, relation in relations(name, HUB).items() if relation == "exact"]
    assert len({a for a, _ in exact}) == len(exact)
    assert len({b for _, b in exact}) == len(exact)


@pytest.mark.parametrize(("source", "target"), [pair for pair in PAIRS if pair[0] != pair[1]])
def test_what_follows_through_the_hub_is_never_contradicted(source: str, target: str) -> None:
    # a file written for a pair must agree with what the two files to the hub already imply
    direct = relations(source, target)
    onward = relations(HUB, target)
    for (label, middle), first in relations(source, HUB).items():
        for (start, end), second in onward.items():
            if start == middle and (first == second or "exact" in (first, second)):
                implied = second if first == "exact" else first
                assert direct[label, end] in (implied, "exact")


@pytest.mark.parametrize(
    ("source", "label", "target", "expected"),
    [
        # by hand, from the definitions of both sets
        ("propaganda18", "Bandwagon", "mafalda", {("ad populum", "exact")}),
        ("propaganda18", "Loaded_Language", "mafalda", {(None, "none")}),
        ("propaganda18", "Straw_Men", "propaganda14", {("Whataboutism,Straw_Men,Red_Herring", "broader")}),
        ("smartypat", "False Cause", "mafalda", {("false causality", "exact")}),
        ("smartypat", "Wrong Direction", "mafalda", {("false causality", "broader")}),
        ("smartypat", "False Premise", "mafalda", {(None, "none")}),
        ("mafalda", "fallacy of division", "missci", {("Fallacy of Division/Composition", "broader")}),
        ("mafalda", "false causality", "smartypat", {("False Cause", "exact"), ("Wrong Direction", "narrower")}),
        # through the hub: exact, exact
        ("reddit", "population", "cocolofa", {("appeal to majority", "exact")}),
        # broader, exact
        ("alhindi", "Post Hoc", "logic", {("false causality", "broader")}),
        # exact, broader
        ("reddit", "slippery_slope", "logic", {("faulty generalization", "broader")}),
        # narrower, exact; "hasty_generalization" and "slippery_slope" both lie within the class
        (
            "logic",
            "faulty generalization",
            "reddit",
            {("hasty_generalization", "narrower"), ("slippery_slope", "narrower")},
        ),
        # broader, exact; nothing is said about Wrong Direction, which also lies within false causality
        ("alhindi", "Post Hoc", "smartypat", {("False Cause", "broader")}),
        ("flicc", "anecdote", "alhindi", {("Hasty Generalization", "broader")}),
    ],
)
def test_known_rows(source: str, label: str, target: str, expected: set[tuple[str | None, str]]) -> None:
    assert {(row.target, row.relation) for row in crosswalk(source, target) if row.label == label} == expected


def test_two_parts_of_one_label_are_not_related() -> None:
    # anecdote and cherry picking each lie within hasty generalization; so nothing follows about the two
    assert ("anecdote", "Cherry Picking") not in relations("flicc", "alhindi")
    # the two classes of emotional appeals share all their mafalda labels, but each may hold more than those
    assert ("appeal to emotion", "Appeal to Emotion") not in relations("logic", "argotario")


def test_derived_rows_say_so() -> None:
    rows = {row.label: row.note for row in crosswalk("reddit", "cocolofa")}
    assert rows["population"] == "through ad populum"
    notes = {row.label: row.note for row in crosswalk("smartypat", "reddit")}
    assert "no counterpart in mafalda" in notes["Fallacy of Composition"]
    assert "nothing follows" in notes["Equivocation"]


def test_ambiguity_is_no_fallacy_set() -> None:
    with pytest.raises(InputError, match="'ambiguity' is not one"):
        crosswalk("ambiguity", "mafalda")
    with pytest.raises(InputError, match="'ambiguity' is not one"):
        crosswalk("logic", "ambiguity")
    assert all(row.relation == "exact" for row in crosswalk("ambiguity", "ambiguity"))


def test_map_label_takes_what_is_allowed() -> None:
    assert map_label("wrong direction", "smartypat", "mafalda") == ("false causality",)
    assert map_label("wrong direction", "smartypat", "mafalda", allow={"exact"}) == ()
    assert map_label("false causality", "mafalda", "smartypat") == ("False Cause",)
    assert map_label("false causality", "mafalda", "smartypat", allow=("exact", "narrower")) == (
        "False Cause",
        "Wrong Direction",
    )
    assert map_label("tu quoque", "mafalda", "mafalda") == ("tu quoque",)
    assert map_label("false premise", "smartypat", "mafalda") == ()


def test_map_label_keeps_no_fallacy() -> None:
    assert map_label(NO_FALLACY, "cocolofa", "mafalda") == (NO_FALLACY,)


def test_map_label_refuses_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="label"):
        map_label("nonsense", "logic", "mafalda")
    with pytest.raises(UnknownNameError, match="taxonomy"):
        map_label("ad hominem", "logic", "mafald")
    with pytest.raises(UnknownNameError, match="taxonomy"):
        map_label(NO_FALLACY, "logik", "mafalda")
    with pytest.raises(UnknownNameError, match="relation"):
        map_label("ad hominem", "logic", "mafalda", allow=cast(Any, ("wider",)))


def test_carried_spans_keep_the_surest_of_equal_ones() -> None:
    spans = [Span(0, 5, "appeal to fear", 0.2), Span(0, 5, "appeal to anger", 0.6), Span(0, 5, "equivocation", 0.9)]
    assert carry_spans(spans, "mafalda", "logic") == (
        (Span(0, 5, "appeal to emotion", 0.6), Span(0, 5, "equivocation", 0.9)),
        {},
    )
    assert carry_spans(spans, "mafalda", "mafalda") == (tuple(spans), {})


def test_a_carried_label_is_one_label_and_an_exact_one_comes_first() -> None:
    spans = [Span(0, 5, "appeal to anger", 0.6), Span(6, 9, "causal oversimplification", 0.5)]
    assert carry_spans(spans, "mafalda", "hong2024")[0][0] == Span(0, 5, "Appeal to Anger", 0.6)
    assert len(carry_spans(spans, "mafalda", "flicc")[0]) == 1
