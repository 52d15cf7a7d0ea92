"""Claims that repeat a sentence but for one thing, and those that only look so."""

from __future__ import annotations

import asyncio

import pytest

from fallax.faithfulness.systems import load_local_judge
from fallax.faithfulness.systems.altered import altered_in, condition_left_out
from fallax.faithfulness.systems.claims import clauses_of, said_word_for_word

ALTERED = [
    ("The insurer agreed to pay the costs.", "The insurer has not agreed to pay the costs.", "agreed", "not agreed"),
    ("The insurer has not agreed to pay.", "On Friday the insurer agreed to pay.", "not agreed", "agreed"),
    ("The footpath grant has been paid.", "The clerk said that the grant for the footpath had not yet been paid.",
     "paid", "not paid"),
    ("Nobody signed the new lease.", "In May Reyes signed the new lease.", "Nobody signed", "signed"),
    ("The accounts showed a deficit of £4,200.", "The accounts, which showed a surplus of £4,200, were read.",
     "deficit", "surplus"),
    ("The rent of the shop will be lowered.", "The rent of the shop will be raised in July.", "lowered", "raised"),
    ("Nurses slept more on nights than on days.", "Nurses slept less on nights than on days.", "more", "less"),
    ("The court upheld the ruling on Friday.", "The court upheld the ruling on Thursday.", "Friday", "Thursday"),
    ("Three swings are out of use.", "In the park two swings are out of use.", "Three swings", "two swings"),
    ("The ship left with a crew of eighteen.", "The ship left with a crew of sixteen.",
     "crew of eighteen", "crew of sixteen"),
    ("The repair costs 18,000 kroner.", "The repair costs 80,000 kroner and takes weeks.", "18,000 kroner",
     "80,000 kroner"),
    ("Shares fell by forty per cent.", "Shares fell by 4% on Monday.", "forty per cent", "4%"),
    ("Haddad scored twice after half-time.", "Haddad scored twice before half-time.", "after", "before"),
    ("Whitlock ruled out further closures.", "She did not rule out further closures.", "ruled", "not rule"),
    ("Tan accused Reyes of the theft.", "On Monday Reyes accused Tan of the theft.", "Tan … Reyes", "Reyes … Tan"),
    ("Ivo Brandt asked Marta Kell why the lift had not been inspected.",
     "Marta Kell asked the caretaker, Ivo Brandt, why the lift had not been inspected since March.",
     "Ivo Brandt … Marta Kell", "Marta Kell … Ivo Brandt"),
    ("The court acquitted the banker.", "The court convicted the banker of fraud.", "acquitted", "convicted"),
    ("The match was cancelled because of snow.", "The match was postponed because of snow.", "cancelled", "postponed"),
    ("The mill cost £24m in all.", "The mill cost £2.4 million in all.", "£24m", "£2.4 million"),
    # a denial of something else behind it, and the same denial in both
    ("We got there before dawn.", "We got there before dusk, in a bus without a window.", "dawn", "dusk"),
    ("It took six hours by bus.", "It took nine hours by bus without a break.", "six hours", "nine hours"),
    ("The board refused to open the bath.", "The board refused to close the bath.", "open", "close"),
]  # fmt: skip

NOT_ALTERED = [
    # people in the same places, the passive, and a denial before one of them
    ("Marta Kell asked Ivo Brandt why the lift had not been inspected.",
     "Marta Kell asked the caretaker, Ivo Brandt, why the lift had not been inspected since March."),
    ("Reyes was told by Tan that the boat was not ready.", "Tan told Reyes that the boat was not ready."),
    ("Tan did not tell Reyes that the boat was late.", "Reyes did not tell Tan that the boat was late."),
    # what is said of both
    ("The wife was born in Rome.", "The husband was born in Rome, and so was the wife."),
    ("Brazil won against Chile.", "Brazil defeated Chile."),
    # it says the same
    ("The footpath grant has been paid.", "The grant for the footpath has been paid."),
    ("The insurer has not agreed to pay.", "The insurer has never agreed to pay."),
    ("Reyes was accused of the theft by Tan.", "On Monday Tan accused Reyes of the theft."),
    ("Graham was never on a magazine cover.", "She has never appeared on the cover of a magazine."),
    # another word, which is not the opposite
    ("Council plans seem different.", "Council plans seem the best now."),
    ("Tan fished lakes in January.", "Tan fished lakes in the north."),
    # both may be true
    ("Some of the pupils did not pass the exam.", "Some of the pupils passed the exam."),
    ("Most rooms do not face the river.", "Twelve rooms face the river."),
    ("The plan may not be approved.", "The plan may be approved by May."),
    ("The club has three houses.", "The club has two houses in Oslo and one in Bergen."),
    ("At least ten members came.", "Twelve members came."),
    ("The lake was frozen in January.", "The lake froze in December and has been frozen since."),
    ("The ferry runs on Tuesday.", "The ferry runs daily except on Monday."),
    ("Lam resigned before Petrovic.", "Petrovic resigned a day after Lam."),
    # what is denied or opposed is something else
    ("Novak did not raise his prices.", "Novak decided against raising his prices."),
    ("Eddy saw her as a person.", "Eddy saw her not as a queen but as a person."),
    ("Was the grant paid in June?", "The grant was not paid in June?"),
    ("They lost the final.", "With little luck and a weak side they won the final."),
    # another part of the sentence
    ("The mill was sold in May.", "The mill was not repaired; the farm was sold in May."),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "sentence", "claimed", "said"), ALTERED)
def test_what_is_altered(claim: str, sentence: str, claimed: str, said: str) -> None:
    found = altered_in(claim, ["It rained.", sentence], [0, 1])
    assert found is not None
    assert (found.sentence, found.claimed, found.said) == (1, claimed, said)


@pytest.mark.parametrize(("claim", "sentence"), NOT_ALTERED)
def test_what_only_looks_altered(claim: str, sentence: str) -> None:
    assert altered_in(claim, [sentence], [0]) is None


def test_a_name_counts_only_if_the_document_has_it() -> None:
    sentences = ["Ayesha Malik, who chairs the finance group, spoke.", "Then Peter Drummond disagreed."]
    found = altered_in("Peter Drummond chairs the finance group.", sentences, [0])
    assert found is not None
    assert (found.claimed, found.said) == ("Peter Drummond", "Ayesha Malik")
    assert altered_in("Lena Brandt chairs the finance group.", sentences, [0]) is None, "perhaps another name of hers"
    assert (
        altered_in("Peter Drummond chairs the finance group.", ["She chairs the finance group.", *sentences[1:]], [0])
        is None
    )


def test_a_name_may_be_changed_beside_a_pronoun() -> None:
    sentences = ["Ruth Chebet won.", "Second was Alem Desta.", "Desta had led until mile nine, when she fell."]
    found = altered_in("Chebet had led until mile nine, when she fell.", sentences, [2])
    assert found is not None
    assert (found.claimed, found.said) == ("Chebet", "Desta")
    assert altered_in("Chebet had led until mile nine.", [*sentences[:2], "She had led until mile nine."], [2]) is None


def test_what_another_sentence_adds_hides_no_change() -> None:
    sentences = ["The Orr mill dates from 1786.", "A fire in 1862 destroyed the upper floors."]
    found = altered_in("A fire in 1847 destroyed the upper floors of the Orr mill.", sentences, [1])
    assert found is not None
    assert found.said.startswith("1862")
    assert altered_in("A fire in 1862 destroyed the upper floors of the Orr mill.", sentences, [1]) is None
    again = [*sentences, "A second fire in 1847 was put out."]
    assert altered_in("A fire in 1847 destroyed the upper floors of the Orr mill.", again, [1]) is None


def test_a_word_elsewhere_hides_no_change() -> None:
    sentences = ["Fish in warm tanks weighed less than others.", "They also ate more."]
    found = altered_in("Fish in warm tanks weighed more than others.", sentences, [0])
    assert found is not None
    assert found.said == "less"


def test_another_sentence_that_says_so_settles_it() -> None:
    sentences = ["In May the grant was not paid.", "The grant was paid in June."]
    assert altered_in("The grant was paid.", sentences, [0, 1]) is None


def test_conditions_that_are_left_out() -> None:
    claim = "Ms Okafor said the ferry will be back in service by Easter."
    told = "She said that the ferry would be back in service by Easter if the inspectors come in March."
    assert condition_left_out(claim, told) == "if the inspectors come in March"
    judge = load_local_judge("entailment", level="sentence")
    found = asyncio.run(judge.judge(f"Ms Okafor reported on the ferry. {told}", claim))
    assert found.units[0].label is None
    assert "the document adds “if the inspectors come in March”" in found.units[0].unscored
    for other in (
        "She asked about the ferry that was back in service by Easter, and wondered if it was safe.",
        "The ferry said by Ms Okafor to be slow will be back in service by Easter.",
        "If it rains, the ferry will be back in service by Easter, Ms Okafor said.",
    ):
        assert condition_left_out(claim, other) == ""


def test_the_judge_says_what_the_document_says() -> None:
    judge = load_local_judge("entailment", level="sentence")
    document = "The board met in Oslo. The accounts showed a surplus of £4,200. The lease was not signed by Tan."
    found = asyncio.run(judge.judge(document, "The accounts showed a deficit of £4,200. The lease was signed by Tan."))
    assert [u.label for u in found.units] == ["unfaithful", "unfaithful"]
    assert "the document says “surplus”, this says “deficit”" in found.units[0].faults[0].reason
    assert [[w.text for w in u.unsupported] for u in found.units] == [["deficit"], ["signed"]]
    (support,) = found.units[1].evidence
    assert (support.stance, support.text) == ("contradicts", "The lease was not signed by Tan.")


HELD = [
    ("Joan Reid is the clerk.", "The clerk, Joan Reid, said that the grant was late."),
    ("The clerk is Joan Reid.", "In May the clerk, Joan Reid, said that the grant was late."),
    ("Ayesha Malik chairs the finance group.", "Councillor Ayesha Malik, who chairs the finance group, spoke."),
    ("Ayesha Malik spoke.", "Ayesha Malik, who chairs the finance group, spoke."),
    ("The clerk said that the grant was late.", "The clerk, Joan Reid, said that the grant was late."),
    ("The board met in Oslo.", "In March 2019, the board met in Oslo."),
    ("Turnout was the lowest since 1998.", "Turnout was 41 percent, the lowest since 1998."),
]
NOT_HELD = [
    ("Joan Reid is the clerk.", "If the clerk, Joan Reid, resigns, we wait."),
    ("The king was dead.", "In the novel, the king was dead."),
    ("Patients died of it.", "In some cases, patients died of it."),
    ("Ayesha Malik is the chair.", "The chair, Ayesha Malik said, was broken."),
    ("Turnout was the lowest since 1998.", "Turnout was not 41 percent, the lowest since 1998."),
    ("The guests were a nurse and Bo.", "The guests were Ann, a nurse and Bo."),
]


@pytest.mark.parametrize(("claim", "sentence"), HELD)
def test_clauses_that_a_sentence_holds(claim: str, sentence: str) -> None:
    clauses = clauses_of(["It rained.", sentence])
    assert said_word_for_word(claim, clauses) == 1
    judge = load_local_judge("entailment", level="sentence")
    found = asyncio.run(judge.judge(f"It rained. {sentence}", claim))
    assert found.label == "faithful"
    assert [e.text for e in found.units[0].evidence] == [sentence]


@pytest.mark.parametrize(("claim", "sentence"), NOT_HELD)
def test_clauses_that_a_sentence_does_not_hold(claim: str, sentence: str) -> None:
    assert said_word_for_word(claim, clauses_of(["It rained.", sentence])) is None


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("Mayor Brandt, who opposed the plan, respects the decision.", "unfaithful"),
        ("Mayor Brandt, who supported the plan, respects the decision.", "faithful"),
    ],
)
def test_what_a_claim_says_by_the_way_may_be_altered(claim: str, label: str) -> None:
    document = "Mayor Brandt, who supported the plan, respects the decision. In 2000 the deficit was 2.2 percent."
    judge = load_local_judge("entailment", level="sentence")
    assert asyncio.run(judge.judge(document, claim)).label == label
    boards = "Ann Lee joined the Parks Board, Tom Saxby the Art Commission, and Bo Diaz the Health Board."
    listed = asyncio.run(
        judge.judge(boards, "Members joined boards, including the Parks Board, Art Commission, and Health Board.")
    )
    assert "the document says" not in (listed.units[0].unscored or str(listed.units[0].faults))
    later = asyncio.run(judge.judge(document, "In 2001, the deficit was 3.1 percent."))
    assert "the document says" not in (later.units[0].unscored or later.units[0].faults[0].reason)


def test_a_number_is_one_word() -> None:
    judge = load_local_judge("entailment", level="sentence")
    found = asyncio.run(
        judge.judge("Diallo will receive 12,000 euros, Holt 7,000.", "Diallo will receive 7,000 euros.")
    )
    assert "7,000" in [w.text for w in found.units[0].unsupported]
