"""What a verdict of the verifier is made of."""

import itertools

import pytest

from fallax.causality.systems.clauses import CauseAndEffect, affirmed_link
from fallax.causality.systems.entailed import load_entailment_verifier
from fallax.causality.systems.features import features_of, forms_of, side_readings
from fallax.causality.systems.prepared import Prepared
from fallax.causality.systems.stated import stated_links
from fallax.causality.systems.supposed import supposed_sides
from fallax.causality.systems.ways import WaysStated, ways_stated
from fallax.causality.systems.weights import FEATURES
from fallax.entailment import load_entailment
from fallax.entailment.training.corpus import part_of

PIECES = (
    "The dam broke because heavy rain fell.",
    "The valley was flooded because the dam broke.",
    "The valley grows plums.",
)


@pytest.mark.parametrize(
    ("claim", "cause", "effect"),
    [
        ("Had the dam not leaked, the valley would not have been flooded.",
         "the dam had leaked", "the valley had been flooded"),
        ("Had the lord lowered the rents, the farmers would have stayed.",
         "the lord had not lowered the rents", "the farmers had not stayed"),
        ("Had there been no frost, the harvest would not have failed.", "there was frost", "the harvest had failed"),
        ("If the door had not been open, the cat would not have left.", "the door had been open", "the cat had left"),
        ("The oven would not have stayed cold if its timer had worked.",
         "its timer had not worked", "The oven had stayed cold"),
        ("Without the wind, the boat would have sunk.", "the wind", "the boat had not sunk"),
        ("The lake would not be blue without the algae.", "the algae", "The lake is blue"),
    ],
)  # fmt: skip
def test_what_would_have_been_otherwise_names_a_cause(claim: str, cause: str, effect: str) -> None:
    assert supposed_sides(claim) == CauseAndEffect(cause, effect)


@pytest.mark.parametrize(
    "claim",
    [
        "Had the mouse left the cable alone, the fan would have stopped all the same.",
        "Had nobody said anything, the king would have borrowed more.",
        "The boat would have sunk even if the wind had not turned.",
        "The mayor would have been glad.",
        "The valley was flooded.",
    ],
)
def test_what_cannot_be_turned_into_a_cause_is_left(claim: str) -> None:
    assert supposed_sides(claim) is None


def test_ways_that_evidence_states_are_measured() -> None:
    sides = CauseAndEffect("heavy rain fell", "the valley was flooded")
    found = ways_stated(sides, PIECES)
    assert found.forward > 0.3
    assert found.explained == 1.0
    assert found.link is not None
    assert found.link.cause == "the dam broke"
    assert found.link.texts == (1,)
    other = ways_stated(CauseAndEffect("a cow sneezed", "the valley was flooded"), PIECES)
    assert (other.forward, other.otherwise) == (0.0, 1.0)
    back = ways_stated(CauseAndEffect("the valley was flooded", "the dam broke"), PIECES)
    assert back.forward < back.reverse
    assert ways_stated(sides, ("The valley grows plums.",)) == WaysStated()


def test_the_order_of_evidence_changes_no_feature() -> None:
    model = load_entailment()
    claim = "The valley was flooded because heavy rain fell."
    found = {features_of(Prepared(model, claim, pieces)) for pieces in itertools.permutations(PIECES)}
    assert len(found) == 1
    assert len(found.pop()) == len(FEATURES)


def test_a_claim_in_no_known_form_has_all_features_too() -> None:
    found = features_of(Prepared(load_entailment(), "The valley grows plums.", PIECES))
    assert len(found) == len(FEATURES)
    assert found[FEATURES.index("stated") :] == (0.0,) * 9


def test_trained_heads_are_given_eight_numbers() -> None:
    model = load_entailment()
    claims = ("The valley was flooded because the dam broke.", "The valley grows plums.")
    assert [len(side_readings(Prepared(model, c, PIECES))) for c in claims] == [8, 8]


@pytest.mark.parametrize(
    ("denied", "affirmed"),
    [
        ("Demand had nothing to do with the rents.", "Demand led to the rents."),
        ("The gale had no part in the fall.", "The gale led to the fall."),
        ("The glue was not what made the wheels come off.", "The glue was what made the wheels come off."),
        ("The slide was not what kept the son away.", "The slide was what kept the son away."),
        ("The heat was not what has killed the fish.", "The heat was what has killed the fish."),
        ("The float made no difference to the loans.", "The float led to the loans."),
        ("The repairs played no role in the leak.", "The repairs led to the leak."),
        ("The quarrel is not why the writer left.", "The quarrel is why the writer left."),
        ("The fountain was not to blame for the outbreak.", "The fountain was to blame for the outbreak."),
        ("It was not wine that made him fall.", "It was wine that made him fall."),
    ],
)
def test_more_forms_deny_a_cause(denied: str, affirmed: str) -> None:
    assert affirmed_link(denied) == affirmed


def test_what_is_not_what_was_expected_denies_no_cause() -> None:
    assert affirmed_link("The result was not what we expected.") is None
    assert affirmed_link("It was not clear that the dam would hold.") is None


def test_a_claim_is_read_in_plain_forms_that_fit_a_noun_or_a_clause() -> None:
    because, so, *_ = forms_of(CauseAndEffect("the old dam", "the valley flooded"))
    assert (because, so) == (
        "The valley flooded because of the old dam.",
        "The old dam led to this: the valley flooded.",
    )
    because, so, *_ = forms_of(CauseAndEffect("the dam broke", "the valley flooded"))
    assert (because, so) == ("The valley flooded because the dam broke.", "The dam broke, so the valley flooded.")


def test_what_could_no_longer_be_is_a_stated_cause() -> None:
    (link,) = stated_links("The bridge was closed because the cables could no longer carry lorries.")
    assert link.effect == "The bridge was closed"
    assert stated_links("The bridge was closed because the cables could break.") == []


def test_scenes_written_for_the_calibration_train_nothing() -> None:
    assert {part_of(f"cal-{i:02d}-mill-{v}") for i in range(50) for v in "abc"} == {"calibration"}


def test_evidence_that_speaks_against_a_side_is_not_too_little() -> None:
    verifier = load_entailment_verifier()
    claim = "Accidents rose because the town put in humps."
    against = Prepared(verifier.model, claim, ("The town put in humps in 2020.", "Accidents did not rise."))
    assert verifier._at_odds(against, "nei") == "the evidence rather speaks against this: accidents rose"
    assert verifier._at_odds(Prepared(verifier.model, claim, ("The town put in humps in 2020.",)), "nei") == ""


def test_a_piece_about_something_else_speaks_against_no_side_that_is_said() -> None:
    verifier = load_entailment_verifier()
    claim = "The year 9 trip was cancelled because too few parents had signed the form."
    other = "The year 8 trip will go ahead as planned."
    said = Prepared(verifier.model, claim, ("The year 9 trip to the coast was cancelled on Thursday.", other))
    assert verifier._at_odds(said, "nei") == ""


def test_a_cause_with_most_of_the_claimed_words_may_be_another_or_the_same() -> None:
    verifier = load_entailment_verifier()
    said = ("Councillor Webb resigned because the unpaid fines had come to light.",)
    beside = Prepared(verifier.model, "Councillor Webb resigned over unpaid parking fines.", said)
    why = "the evidence gives a cause that may be another: the unpaid fines had come to light"
    assert verifier._at_odds(beside, "supports") == why


def test_what_came_before_is_not_called_a_cause() -> None:
    verifier = load_entailment_verifier()
    said = (
        "A water main under the High Street burst at 6 a.m. on Tuesday.",
        "Police closed the High Street when water flooded the road.",
    )
    beside = verifier._prepared("The High Street was closed because a water main had burst.", said)
    assert verifier._at_odds(beside, "supports") == "the evidence says what else came before: water flooded the road"


def test_a_cause_as_the_value_of_a_line_is_read_as_a_sentence() -> None:
    verifier = load_entailment_verifier()
    beside = verifier._prepared(
        "A faulty heater caused the fire.", ("Injured: 0", "Cause of the fire: a faulty heater")
    )
    assert "The fire happened because of a faulty heater." in beside.texts
    assert beside.stated.forward is not None


def test_a_line_with_a_cause_beside_what_it_is_about_does_not_refute() -> None:
    verifier = load_entailment_verifier()
    said = ("Incident: server crash", "Root cause: The disk was full.")
    beside = verifier._prepared("The server crashed because its disk was full.", said)
    assert verifier._weighed(beside)[0][0] > 0.8


def test_a_cause_that_is_like_the_stated_one_is_another_one() -> None:
    verifier = load_entailment_verifier()
    beside = Prepared(verifier.model, "The delay was due to snow.", ("The delay was due to ice on the rails.",))
    assert verifier._at_odds(beside, "supports") == "the evidence gives another cause: ice on the rails"
