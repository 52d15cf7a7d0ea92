"""How sides of claims stand inside a sentence."""

import pytest

from fallax.causality.systems.prepared import because, inside
from fallax.causality.systems.told import told_cause


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Noise", "noise"),
        ("Wages rose faster than prices", "wages rose faster than prices"),
        ("Salt on the ice", "salt on the ice"),
        ("Three hundred people left", "three hundred people left"),
        ("Late frost", "late frost"),
        ("Teenagers sleep longer", "teenagers sleep longer"),
        ("Farmers' blockade of the port", "farmers' blockade of the port"),
        ("Drought, in some places", "drought, in some places"),
        ("Baker's shop", "Baker's shop"),
        ("Reading aloud", "reading aloud"),
        ("Children's teeth", "children's teeth"),
        ("It's the noise", "it's the noise"),
        ("Lower Wendle was flooded", "Lower Wendle was flooded"),
        ("Frank resigned", "Frank resigned"),
        ("Baker plans to stay", "Baker plans to stay"),
        ("Banks left the club", "Banks left the club"),
        ("Reading Festival was cancelled", "Reading Festival was cancelled"),
        ("Okafor", "Okafor"),
        ("BBC cuts", "BBC cuts"),
        ("I was ill", "I was ill"),
        ("March rain", "March rain"),
        ("Polish workers left", "Polish workers left"),
        ("Greek debts", "Greek debts"),
        ("Cox resigned", "Cox resigned"),
    ],
)
def test_only_names_keep_their_capital_letter(text: str, said: str) -> None:
    assert inside(text) == said


def test_a_cause_of_one_word_has_a_small_letter_behind_because() -> None:
    assert because("the residents left", "Noise") == "The residents left because of noise."


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Reason: because it rained", "This happened because it rained."),
        ("Reason for the delay: Because of fog.", "The delay happened because of fog."),
        ("Cause of the fire: due to a faulty heater", "The fire happened because of a faulty heater."),
        ("Reasons: fog and ice", "This happened because of fog and ice."),
        ("Cause: under investigation", "Cause: under investigation"),
        ("What was the cause: fog?", "What was the cause: fog?"),
    ],
)
def test_a_line_that_gives_a_cause_as_its_value_is_a_sentence(line: str, told: str) -> None:
    assert told_cause(line) == told
