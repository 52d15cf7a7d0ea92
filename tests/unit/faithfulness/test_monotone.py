"""Natural logic: what follows if words are added, left out or replaced, and what the judge makes of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fallax.core.texts.broader import is_broader, is_compound
from fallax.core.types import UnitVerdict
from fallax.faithfulness.systems import load_local_judge
from fallax.faithfulness.systems.compared import words_of
from fallax.faithfulness.systems.edits import limit_left_out
from fallax.faithfulness.systems.monotone import follows_from, natural_logic
from fallax.faithfulness.systems.polarity import marks_of

FILE = Path(__file__).with_name("monotone_pairs.txt")
LINES = [line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
PAIRS = [tuple(part.strip() for part in line.split("|")) for line in LINES]
STUDIED = [(want, sentence, claim) for part, want, sentence, claim in PAIRS if part == "studied"]
ASIDE = [(want, sentence, claim) for part, want, sentence, claim in PAIRS if part == "aside"]


def found(claim: str, sentence: str) -> str:
    follows = follows_from(claim, sentence)
    return "unknown" if follows is None else "yes" if follows.entailed else "no"


@pytest.mark.parametrize(("want", "sentence", "claim"), STUDIED)
def test_what_follows_from_a_sentence(want: str, sentence: str, claim: str) -> None:
    assert found(claim, sentence) == want


@pytest.mark.parametrize(("want", "sentence", "claim"), ASIDE)
def test_pairs_put_aside_get_the_right_answer_or_none(want: str, sentence: str, claim: str) -> None:
    assert found(claim, sentence) in (want, "unknown")


def test_most_pairs_put_aside_get_an_answer() -> None:
    assert sum(found(claim, sentence) == want for want, sentence, claim in ASIDE) >= 36


@pytest.mark.parametrize(("sentence", "claim"), [(s, c) for want, s, c in STUDIED + ASIDE if want == "yes"])
def test_nothing_follows_both_ways(sentence: str, claim: str) -> None:
    assert found(sentence, claim) != "yes"


NOTHING = [
    # what is not what it is called, or did not happen
    ("The gun was found.", "The toy gun was found."),
    ("The park was closed.", "The car park was closed."),
    ("She was killed by a truck.", "She was almost killed by a truck."),
    ("The harbour was closed.", "The harbour was closed in a dream."),
    ("Tan drew the plan.", "It is a lie that Tan and Reyes drew the plan."),
    # all together, or with one thing for each
    ("The price of milk doubled.", "The price of bread and milk doubled."),
    ("Tan met Reyes.", "Tan met both Reyes and Okafor."),
    ("Tan went to Oslo.", "Tan and Reyes went to Oslo and Bergen."),
    # somewhere, for somebody, of a kind
    ("The museum is free.", "The museum is free for pupils."),
    ("The strike ended.", "The strike ended in the northern towns."),
    ("The drug worked.", "The drug worked in mice."),
    ("Children must wear helmets.", "Children under ten must wear helmets."),
    ("A small animal ran.", "A small elephant ran."),
    # measured, or possibly said of several
    ("The number of cases fell.", "The number of new cases fell."),
    ("The committee rejected all plans from Oslo.", "The committee rejected all plans."),
    ("You can take a train or a bus.", "You can take a train."),
    # words that stand elsewhere in the sentence
    ("A black dog barked at a cat.", "A dog barked at a black cat."),
    # it is not known where "not" ends
    ("Those who are not professionals play oboes here.", "Those who are not professionals play instruments here."),
    # questions, and what is too long
    ("Did every night ferry sail?", "Did every ferry sail?"),
    ("Every night ferry was late." + " It rained." * 60, "Every ferry was late."),
    ("", "Every ferry was late."),
]


@pytest.mark.parametrize(("claim", "sentence"), NOTHING)
def test_nothing_is_said_of_what_is_not_understood(claim: str, sentence: str) -> None:
    assert follows_from(claim, sentence) is None


REASONS = [
    ("Every member may vote.", "Every member with a card may vote.",
     "the document says this only of “member with a card”"),
    ("If it rains, the pier closes.", "If it rains before May, the pier closes.",
     "the document says this only with “before May”"),
    ("Tan did not buy a car.", "Tan did not buy a red car.", "the document says this only with “red”"),
    ("The clerk and the mayor resigned.", "The clerk resigned.", "the document does not say “and the mayor”"),
    ("Some ferry was late.", "Some vessel was late.", "the document says “vessel”, a broader word than “ferry”"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "sentence", "reason"), REASONS)
def test_the_reason_names_the_words(claim: str, sentence: str, reason: str) -> None:
    follows = follows_from(claim, sentence)
    assert follows is not None
    assert follows.reason == reason


def test_two_denials_point_up_again() -> None:
    words = words_of("Nobody left the hall without a coat.")
    assert [m.polarity for m in marks_of(words)][-1] == 1


def test_another_sentence_may_say_what_is_added() -> None:
    sentences = ["Some dogs barked.", "Every black dog in the street barked."]
    assert natural_logic("Some black dogs barked.", sentences, [0]) is None
    assert natural_logic("Some black dogs barked.", sentences[:1], [0]) is not None


def test_a_sentence_from_which_it_follows_counts_first() -> None:
    sentences = ["No senior member objected.", "No member objected."]
    found = natural_logic("No old member objected.", sentences, [0, 1])
    assert found is not None
    assert found[0] == 1
    assert found[1].entailed


def test_broader_words_are_of_nouns_or_verbs() -> None:
    assert is_broader("walked", "strolled")
    assert is_broader("women", "ladies")
    assert not is_broader("women", "ladies", least=2)
    assert not is_broader("carried", "lugged", parts="n")
    assert not is_broader("entity", "dog")
    assert not is_broader("dog", "dogs")
    assert is_compound("guinea", "pig")


def first_unit(document: str, claim: str) -> UnitVerdict:
    return asyncio.run(load_local_judge("entailment").judge(document, claim)).units[0]


def test_what_follows_is_faithful_with_its_sentence() -> None:
    unit = first_unit("It rained. At most five boats left the harbour.", "At most five red boats left the harbour.")
    assert unit.label == "faithful"
    assert unit.probability is not None
    assert unit.probability >= 0.9
    assert [(e.text, e.stance) for e in unit.evidence] == [("At most five boats left the harbour.", "supports")]


@pytest.mark.parametrize(
    ("document", "claim", "why"),
    [
        ("Nobody sold fruit at the gate.", "Nobody sold fruit.", "only with “at the gate”"),
        ("Exactly three boats sank at night.", "Exactly three boats sank.", "only with “at night”"),
        ("At most five red boats left the harbour.", "At most five boats left the harbour.", "only of “red boats”"),
    ],
)
def test_what_says_more_is_not_called_faithful(document: str, claim: str, why: str) -> None:
    unit = first_unit(document, claim)
    assert unit.label != "faithful"
    assert why in unit.unscored or unit.label == "unfaithful"


@pytest.mark.parametrize(
    ("claim", "sentence", "limit"),
    [
        ("The road was closed.", "The road was closed to lorries, and a sign was put up.", "to lorries"),
        ("The pool is open.", "The pool is open at weekends.", "at weekends"),
        ("Dogs are forbidden.", "Dogs are forbidden in the garden.", "in the garden"),
        ("The mill stopped.", "The mill stopped grinding rye.", "grinding rye"),
    ],
)
def test_the_same_words_with_a_limit_behind_them_do_not_say_it(claim: str, sentence: str, limit: str) -> None:
    unit = first_unit(sentence, claim)
    assert unit.label is None
    assert limit in unit.unscored


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The road was closed.", "The road was closed after the storm."),
        ("The hall was sold.", "The hall was sold to a bank for two million."),
        ("The mill was built.", "The mill was built in 1820 by monks."),
        ("The mill stopped.", "The mill stopped, grinding its last rye."),
    ],
)
def test_a_phrase_that_only_adds_leaves_the_same_words_faithful(claim: str, sentence: str) -> None:
    assert limit_left_out(claim, sentence) == ""
    assert first_unit(sentence, claim).label == "faithful"
