"""What a document only reports, and what it takes back later."""

import asyncio

import pytest

from fallax.faithfulness.systems.doubted import reported_in, taken_back_in
from fallax.faithfulness.systems.entailed import load_entailment_judge

SAID = "The Gazette wrote that the mill burnt 40 sacks."


@pytest.mark.parametrize(
    "later",
    [
        "The paper later retracted the figure.",
        "That turned out to be wrong.",
        "The police now say that the sacks were saved.",
        "The report was false.",
        "An inquiry found no sign of a burnt mill.",
        "The editor has since admitted that no sacks were lost.",
        "The owners could not confirm this.",
        "The miller denied it.",
        "The miller says otherwise.",
        "Two days later it withdrew the claim.",
        "The miller took back her statement.",
        "In fact it was 4.",
    ],
)
def test_what_a_later_sentence_takes_back(later: str) -> None:
    claim = "The mill burnt 40 sacks."
    assert taken_back_in(claim, SAID, [later]) == later
    assert taken_back_in("The Gazette wrote that the mill burnt 40 sacks.", SAID, [later]) == ""


@pytest.mark.parametrize(
    "later",
    [
        "The owners did not dispute the figure.",
        "It was wrong to build it there.",
        "The miller withdrew his offer.",
        "The miller took back the empty sacks.",
        "The police now patrol the road.",
        "The miller denied that his lamp was to blame.",
        "The town has since grown.",
        "The inquiry found no sign of poison.",
        "The baker confirmed the figure.",
    ],
)
def test_what_takes_nothing_back(later: str) -> None:
    assert taken_back_in("The mill burnt 40 sacks.", SAID, [later]) == ""


def test_only_the_next_two_sentences_take_back() -> None:
    later = ["It was a dry year.", "The sacks held rye.", "The paper retracted the figure."]
    assert taken_back_in("The mill burnt 40 sacks.", SAID, later) == ""


@pytest.mark.parametrize(
    ("claim", "sentence", "said"),
    [
        ("The tower leans.", "Many believe that the tower leans.", "Many believe that"),
        ("The lift broke on 3 May.", "Tenants claim that the lift broke on 3 May.", "Tenants claim that"),
        (
            "Ines stole the ring.",
            "Her aunt accused Ines of stealing the ring, which Ines stole.",
            "Her aunt accused Ines of",
        ),
        ("Bo is asleep.", "Bo pretended to be asleep.", "Bo pretended to"),
        ("The ship sank.", "It is not true that the ship sank.", "It is not true that"),
        ("Bo sold the farm.", "Bo is said to have sold the farm.", "Bo is said to"),
        ("The bus was late.", "They asked whether the bus was late.", "They asked whether"),
        ("The gun was a toy.", "According to the accused, the gun was a toy.", "According to the accused"),
        ("The gun was a toy.", "The gun was a toy, the accused said.", "the accused said"),
        ("The paint is harmless.", "The paint is harmless, according to its maker.", "according to its maker"),
        ("The bus was late.", "Her lawyer said that the bus was late.", "Her lawyer said that"),
    ],
)
def test_what_is_only_reported(claim: str, sentence: str, said: str) -> None:
    assert reported_in(claim, sentence) == said


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Many believe that the tower leans.", "Many believe that the tower leans."),
        ("The tower leans.", "The tower leans, and many believe that it will fall."),
        ("The board met.", "The board met, and Tan claimed that it was late."),
        ("The ship may have sunk.", "Some fear that the ship may have sunk."),
        ("The tower leans.", "I can't believe that the tower leans."),
        ("The mayor said it.", "The mayor said that the road was closed."),
        ("The road was closed.", "The mayor said that the road was closed."),
        ("Nine people died.", "According to the police, nine people died."),
        ("The probe landed.", "According to NASA, the probe landed."),
        ("The friends met at noon.", "The friends met at noon, according to custom."),
        ("Nine people died.", "Nine people died, the coroner said."),
        ("The accused said that the gun was a toy.", "According to the accused, the gun was a toy."),
    ],
)
def test_what_is_not_only_reported(claim: str, sentence: str) -> None:
    assert reported_in(claim, sentence) == ""


def test_the_judge_cannot_tell_what_is_taken_back_even_if_said_in_the_same_words() -> None:
    document = "The mill burnt 40 sacks on Sunday. The paper later retracted the figure."
    verdict = asyncio.run(load_entailment_judge().judge(document, "The mill burnt 40 sacks on Sunday."))
    (unit,) = verdict.units
    assert unit.label is None
    assert unit.unscored == "cannot tell: the document later says “The paper later retracted the figure.”"
    assert {e.stance for e in unit.evidence} == {"nearest"}


@pytest.mark.parametrize(
    ("claim", "sentence", "following", "found"),
    [
        (
            "Twelve boats sank.",
            "The Herald wrote that twelve boats sank; it later retracted the figure.",
            (),
            "it later retracted the figure.",
        ),
        ("The bridge is safe.", "The bridge is safe, but engineers dispute this.", (), "but engineers dispute this."),
        # the later sentence takes back a statement of its own
        (
            "The board met on Tuesday.",
            "The board met on Tuesday.",
            ("The Herald wrote that twelve boats sank; it later retracted the figure.",),
            "",
        ),
        # nobody takes it back
        ("Twelve boats sank.", "Twelve boats sank.", ("The Herald did not retract the figure.",), ""),
        ("Twelve boats sank.", "Twelve boats sank.", ("The Herald refused to retract the figure.",), ""),
        ("Twelve boats sank, and nobody doubted it.", "Twelve boats sank, and nobody doubted it.", (), ""),
    ],
)
def test_who_takes_back_what(claim: str, sentence: str, following: tuple[str, ...], found: str) -> None:
    assert taken_back_in(claim, sentence, following) == found
