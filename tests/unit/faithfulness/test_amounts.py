"""What a document says of the quantities of a claim."""

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from fallax.core.texts import sentence_spans
from fallax.faithfulness.systems.amounts import amount_in
from fallax.faithfulness.systems.entailed import load_entailment_judge

#: Twenty passages with five statements each, written for this project. The rules were finished with the part "seen";
#: the part "aside" chose nothing.
STATEMENTS = [json.loads(line) for line in Path(__file__).with_name("amounts.jsonl").read_text("utf-8").splitlines()]

HIVES = "The team tested 120 honey bees from 8 hives."
BRIDGE = "The bridge is 1.5 km long and opened on 12 March 2019 at 6 pm."
VOTE = "The plan was rejected by five votes to two."
WINDOWS = "12 of the 48 windows were damaged."
FAMILIES = "All but three of the 12 families had returned."
RISE = "Membership rose from 40 to 50."


@pytest.mark.parametrize(
    ("claim", "sentence", "claimed", "said"),
    [
        ("The team tested 120 hives.", HIVES, "120 hives", "8 hives"),
        ("The bridge is 1.6 km long.", BRIDGE, "1.6 km", "1.5 km"),
        ("The bridge opened in 2018.", BRIDGE, "2018", "2019"),
        ("The bridge opened on 13 March.", BRIDGE, "13 March", "12 March"),
        ("The bridge opened at seven in the evening.", BRIDGE, "seven in the evening", "6 pm"),
        ("Tan pays £50 a week.", "Tan, 52, pays £40 a week.", "£50 a week", "£40 a week"),
        ("Tan, 51, pays the rent.", "Tan, 52, pays the rent.", "51", "52"),
        ("They lost 3-2 to Ajax.", "They lost 3-1 to Ajax.", "3-2", "3-1"),
        ("Five members were in favour.", VOTE, "Five members", "five votes to two"),
        ("Two members voted against the plan.", VOTE, "Two members", "five votes to two"),
        ("Half of the windows were damaged.", WINDOWS, "Half of the windows", "12 of the 48 windows"),
        ("Three families had returned.", FAMILIES, "Three families", "three of the 12 families"),
        ("Membership rose by 20 per cent.", RISE, "20 per cent", "40 to 50"),
        (
            "A litre and a half of milk was spilled.",
            "Half a litre of milk was spilled.",
            "A litre and a half",
            "Half a",
        ),
    ],
)
def test_what_is_contradicted(claim: str, sentence: str, claimed: str, said: str) -> None:
    found = amount_in(claim, ["It rained.", sentence])
    assert found is not None
    assert (found.verdict, found.sentence, found.claimed) == ("contradicted", 1, claimed)
    assert found.said.startswith(said)


@pytest.mark.parametrize("bound", ["more than 20 hives", "fewer than six hives", "nine hives"])
def test_a_number_of_something_else_leaves_no_bound_open(bound: str) -> None:
    found = amount_in(
        f"The team tested bees from {bound}.", [HIVES, "Those that did not return were 1.2 times lighter."]
    )
    assert found is not None
    assert (found.verdict, found.claimed, found.said) == ("contradicted", bound, "8 hives")


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Three families had not returned.", FAMILIES),
        ("Nine families had returned.", FAMILIES),
        ("Two members were in favour.", VOTE),
        ("Five members voted against the plan.", VOTE),
        ("36 windows were not damaged.", WINDOWS),
        ("A quarter of the windows were damaged.", WINDOWS),
        ("25 per cent of the windows were damaged.", WINDOWS),
        ("Membership rose by 10.", RISE),
        ("Membership rose by a quarter.", RISE),
        ("Tan is 52 years old.", "Tan, 52, pays the rent."),
    ],
)
def test_what_is_computed(claim: str, sentence: str) -> None:
    found = amount_in(claim, ["It rained.", sentence])
    assert found is not None
    assert (found.verdict, found.sentence, found.computed) == ("supported", 1, True)


@pytest.mark.parametrize(
    ("claim", "sentences"),
    [
        ("The bridge is 1,500 metres long.", [BRIDGE]),
        ("The team tested more than 100 bees.", [HIVES]),
        ("The bridge opened at 18:00.", [BRIDGE]),
        ("The bridge opened before 2020.", [BRIDGE]),
        ("500 ml of milk was spilled.", ["Half a litre of milk was spilled."]),
    ],
)
def test_what_is_supported_alone_is_not_computed(claim: str, sentences: list[str]) -> None:
    found = amount_in(claim, sentences)
    assert found is not None
    assert (found.verdict, found.computed) == ("supported", False)


@pytest.mark.parametrize(
    ("claim", "sentences"),
    [
        ("The target is 70 kg.", ["She weighs 71 kg, one more than the target."]),  # a difference
        ("In 2022 the unit treated 674 patients.", ["In 2023 the unit treated 732 patients, 58 more than in 2022."]),
        ("Twelve players met.", ["Eight players in red met four players in blue."]),  # a sum
        ("The yacht drifted four miles.", ["The yacht drifted eight miles, twice as far as they thought."]),
        ("The lamps fail at 20 degrees.", ["The lamps work at 6 degrees but fail at 20."]),  # a number without its unit
        ("Tan pays £40.", ["Tan pays £30 a week."]),  # a rate
        ("The farm bought 120 hives.", ["The team, which meets on Mondays, has 8 hives."]),  # other words
        ("Did the team test 120 hives?", [HIVES]),
        ("If it tested 120 hives, the team was busy.", [HIVES]),
        ("Snow is expected above 600 metres.", ["Snow is expected above 800 metres."]),
        ("The team tested bees.", [HIVES]),
        ("", [HIVES]),
    ],
)
def test_what_proves_nothing(claim: str, sentences: list[str]) -> None:
    found = amount_in(claim, sentences)
    assert found is None or (found.verdict == "supported" and not found.computed)


def test_another_value_for_the_same_thing_is_doubted() -> None:
    found = amount_in("Reyes said that the team tested 120 hives.", [HIVES])
    assert found is not None
    assert (found.verdict, found.said) == ("doubted", "8 hives")


def test_a_value_elsewhere_settles_it() -> None:
    sentences = ["In May the team tested 8 hives.", "In June it tested 120 hives."]
    found = amount_in("The team tested 120 hives.", sentences)
    assert found is None or found.verdict == "supported"


@pytest.mark.parametrize(("part", "contradicted", "computed"), [("seen", 19, 7), ("aside", 18, 5)])
def test_statements_by_hand(part: str, contradicted: int, computed: int) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for row in STATEMENTS:
        passage = row["passage"]
        sentences = [passage[a:b] for a, b in sentence_spans(passage)]
        for label, statement in row["statements"] if row["part"] == part else ():
            if (found := amount_in(statement, sentences)) is None:
                continue
            if found.verdict == "contradicted":
                counts["contradicted", label] += 1
            elif found.computed:
                counts["computed", label] += 1
    assert counts == {("contradicted", "contradicted"): contradicted, ("computed", "entailed"): computed}


def test_the_judge_names_both_amounts() -> None:
    judge = load_entailment_judge()
    document = "The researchers collected 120 honey bees from 8 hives in June. They were back by noon."
    unit = asyncio.run(judge.judge(document, "The researchers collected bees from 120 hives in June.")).units[0]
    assert unit.label == "unfaithful"
    assert unit.faults[0].reason == "the document says “8 hives”, this says “120 hives”"
    assert [w.text for w in unit.unsupported] == ["120", "hives"]
    assert [e.stance for e in unit.evidence] == ["contradicts"]


def test_the_judge_computes() -> None:
    judge = load_entailment_judge()
    unit = asyncio.run(judge.judge(f"{FAMILIES} It rained.", "Three families had not returned.")).units[0]
    assert unit.label == "faithful"
    assert [e.text for e in unit.evidence] == [FAMILIES]
