"""What evidence says in words about what led to what."""

import pytest

from fallax.causality.systems.clauses import CauseAndEffect, cause_and_effect
from fallax.causality.systems.stated import (
    StatedDirections,
    claimed_sides,
    claims_change,
    goes_together,
    names_again,
    same_cause,
    stated_directions,
    stated_links,
)


def directions(claim: str, *evidence: str) -> StatedDirections:
    sides = claimed_sides(claim)
    assert sides is not None
    return stated_directions(sides, evidence)


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("When the dam broke, the valley was flooded.", "the dam broke", "the valley was flooded"),
        ("The valley was flooded after the dam had broken.", "the dam had broken", "The valley was flooded"),
        ("The school shut on 3 May after its roof fell.", "its roof fell", "The school shut on 3 May"),
        ("The dam broke, and so the valley was flooded.", "The dam broke", "the valley was flooded"),
        ("The dam broke, and because of that the valley was flooded.", "The dam broke", "the valley was flooded"),
        ("The dam broke, which led to a flood.", "The dam broke", "a flood"),
        ("It rained so hard that the dam broke.", "It rained so hard", "the dam broke"),
        ("He was so tired and so cold that he slept.", "He was so tired and so cold", "he slept"),
        ("Without the fan the mixer overheated.", "Without the fan", "the mixer overheated"),
        ("Because of the flood the road was closed.", "the flood", "the road was closed"),
        ("The mill was delayed by the strike.", "the strike", "The mill"),
        ("The strike delayed the mill.", "The strike", "the mill"),
        ("The belt tore. So the mixer stopped.", "The belt tore", "the mixer stopped"),
        ("Therefore the bank asked.", "", "the bank asked"),
        ("The boiler failed, which left the rooms cold.", "The boiler failed", "the rooms cold"),
        ("The clock stopped because its battery was flat.", "its battery was flat", "The clock stopped"),
    ],
)
def test_links_in_many_forms(text: str, cause: str, effect: str) -> None:
    (found,) = stated_links(text)
    assert (found.cause, found.effect) == (cause, effect)


@pytest.mark.parametrize(
    "text",
    [
        "The fog did not cause the collision.",
        "The cold had nothing to do with it, and so the mayor went home.",
        "The owner thought that the dog stopped because of a hole.",
        "If the dam breaks, the valley is flooded because it lies low.",
        "The plums were ripe.",
        "In a dry cave none turns blue, so the damp does it.",
        "It is not known when or why the willow fell.",
        "Because it rained, " + "it did not stop by " * 5_000,  # too long to say what led to what, and read at once
    ],
)
def test_what_states_no_link(text: str) -> None:
    assert stated_links(text) == []


def test_an_owner_named_in_the_same_sentence_is_in_no_other_text() -> None:
    texts = ("Omar's office was moved in May.", "Omar missed the meeting because his alarm clock had stopped.")
    found = directions("Omar's office was moved because he missed the meeting.", *texts)
    assert (found.forward, found.reverse) == (None, None)


REVERSED = (
    ("The dam broke because the valley was flooded.", ("Heavy rain broke the dam and then the valley flooded.",)),
    ("The dam broke because the valley was flooded.", ("Rain broke the dam.", "The water then flooded the valley.")),
    ("The lorry stopped because the tram was late.", ("The lorry stopped in the road.", "Thus the tram was late.")),
    ("The fuse blew because of the dark.", ("The fuse blew, so it was dark in the shop.",)),
    (
        "The belt tore because the mixer overheated.",
        ("As the belt was torn, the fan stood still.", "Since the fan stood still, the mixer overheated."),
    ),
    ("The coach left because of the sad players.", ("The coach left in May.", "His leaving made the players sad.")),
    ("The mice vanished because the owls left.", ("Because the mice had vanished, the owls left the wood.",)),
    ("There was no rain because the apples stayed small.", ("Without rain the apples stayed small.",)),
    ("The leak led to the fall of the price.", ("The fall of the price led to a leak in the budget.",)),
    ("The crew jumped because the ship sank.", ("The ship sank after the crew had jumped.", "The crew was wet.")),
    ("The quartet had stopped playing, so the string snapped.", ("The string snapped, so the quartet had to stop.",)),
)


@pytest.mark.parametrize(("claim", "evidence"), REVERSED)
def test_a_reverse_way(claim: str, evidence: tuple[str, ...]) -> None:
    found = directions(claim, *evidence)
    assert found.reversed is not None
    assert found.affirmed is None


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The valley was flooded because the dam broke.", REVERSED[0][1]),
        ("The tram was late because the lorry stopped.", REVERSED[2][1]),
        ("The mixer overheated because the belt tore.", REVERSED[4][1]),
        ("The owls left because the mice vanished.", REVERSED[6][1]),
        ("The strike delayed the opening.", ("The strike stopped the stone.", "Without stone the opening was late.")),
    ],
)
def test_a_way_forward(claim: str, evidence: tuple[str, ...]) -> None:
    found = directions(claim, *evidence)
    assert found.affirmed is not None
    assert found.reversed is None


def test_the_order_of_texts_changes_no_direction() -> None:
    for claim, evidence in REVERSED:
        one, other = directions(claim, *evidence), directions(claim, *evidence[::-1])
        assert (one.forward is None, one.reverse is None) == (other.forward is None, other.reverse is None)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The dam broke because the valley was flooded.", "The dam broke, and the valley grows plums."),
        ("Rex fell because of the ice.", "Luna fell because of the ice on the road."),
        ("The red lamp failed because of the frost.", "The frost did not cause the failure of the red lamp."),
        ("The gate was open because nobody came.", "Somebody came because the gate was open."),
        ("It rained because it rained.", "It rained because it rained."),
    ],
)
def test_what_states_no_way(claim: str, evidence: str) -> None:
    found = directions(claim, evidence)
    assert found.reverse is None


def test_since_and_the_perfect_tell_a_time() -> None:
    (found,) = stated_links("Since the move to the new office, mistakes have become more frequent.")
    assert (found.cause, found.timed) == ("the move to the new office", True)
    (found,) = stated_links("Since the meeting ended late, she came after the bus had gone.")
    assert not found.timed


def test_what_went_on_when_something_happened_has_another_cause() -> None:
    assert stated_links("The cook was on holiday when the fire started.") == []
    assert stated_links("The storm arrived at 6 p.m., when the power was back.") == []
    (found,) = stated_links("The card was lost when two firms merged.")
    assert found.cause == "two firms merged"


def test_a_pronoun_alone_is_no_cause() -> None:
    assert stated_links("Hospitals treated 112 people in that year, and 58 after it.") == []


def test_speakers_and_quotes_are_no_part_of_a_link() -> None:
    (found,) = stated_links('Head teacher: "We closed the gym because the roof leaked."')
    assert (found.cause, found.effect) == ("the roof leaked", "We closed the gym")
    (found,) = stated_links("'We left because it rained.'")
    assert (found.cause, found.effect) == ("it rained", "We left")


def test_what_is_felt_about_the_claimed_cause_is_no_other_cause() -> None:
    texts = ["Poison was found in the park.", "Dog owners avoid the park for fear of poison."]
    assert names_again("fear of poison", "the poison was found", texts)
    assert not names_again("fear of dogs", "the poison was found", texts)


def test_a_way_round_states_both_and_so_neither() -> None:
    evidence = ("The prices rose because wages rose.", "Wages rose because the prices rose.")
    found = directions("Wages rose because the prices rose.", *evidence)
    assert (found.affirmed, found.reversed) == (None, None)
    assert found.forward is not None
    assert found.reverse is not None


def test_many_links_end() -> None:
    evidence = [f"The wheel {i} turned because the wheel {i + 1} turned." for i in range(300)]
    assert directions("The owl slept because it snowed.", *evidence) == StatedDirections()


def test_only_order_in_time_is_no_cause() -> None:
    found = directions("The team won because the captain shaved.", "The team won after the captain had shaved.")
    assert found.affirmed is not None
    assert found.affirmed.timed
    assert found.plain is None


def test_what_only_goes_together() -> None:
    together = (
        "In villages with many storks more babies are born.",
        "Pupils who eat breakfast have better marks.",
        "Coffee was associated with longer lives.",
        "Houses in streets with trees cost more.",
        "Regions with more storks have more births.",
        "In months when more ice is sold, more people drown.",
    )
    for text in together:
        assert goes_together(text), text
        assert not claims_change(text), text
    for text in ("Storks bring more babies.", "Breakfast improves marks.", "Coffee lengthens lives."):
        assert claims_change(text), text
        assert not goes_together(text), text
    assert not goes_together("Pupils who slept had better marks because they were awake.")
    assert cause_and_effect("Breakfast improves marks.") is None


def test_a_cause_in_other_words_may_be_the_same() -> None:
    claimed = CauseAndEffect("the singer was ill", "the concert was cancelled")
    said = "The singer had a cough, so the concert was cancelled."
    assert same_cause(claimed, ["It rained.", said]) == "The singer had a cough"
    assert same_cause(claimed, ["The singer was ill, so the concert was cancelled."]) == "", "it says so"
    assert same_cause(claimed, ["The hall had burnt down, so the concert was cancelled."]) == "", "another cause"
    assert same_cause(claimed, ["The singer was not well, so the concert was cancelled."]) == "", "denied in one"
