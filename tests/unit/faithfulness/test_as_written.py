"""Marks of lists, and quantities, titles and words that a summary writes in another way than its document."""

import pytest

import fallax as fx
from fallax.core.types import FaithfulnessVerdict, UnitVerdict
from fallax.errors import InputError

MINUTES = (
    "The council met on Monday. The mayor spoke about the new bridge. The company earned 1.5 million euros in the first"
    " half of the year. The motion to close the pool was agreed by 3 votes to 1. The coach will leave at 8:15 a.m. on"
    " Friday. Cllr Corrigan said that nobody uses the shelter. The tower by the pool was built in the 1990s. The vote"
    " began at 14:30."
)


def judged(summary: str, document: str = MINUTES) -> FaithfulnessVerdict:
    found = fx.debate(document, summary)
    for unit in found.units:
        assert unit.text == summary[unit.start : unit.end]
        for word in unit.unsupported:
            assert word.text == summary[word.start : word.end]
    return found


def only(summary: str, document: str = MINUTES) -> UnitVerdict:
    (unit,) = judged(summary, document).units
    return unit


@pytest.mark.parametrize("mark", ["1. ", "1) ", "- ", "* ", "• ", "- [x] "])
def test_the_mark_of_an_item_is_no_part_of_what_is_judged(mark: str) -> None:
    unit = only(f"{mark}The mayor spoke about the new bridge.")
    assert (unit.start, unit.label, unit.text) == (len(mark), "faithful", "The mayor spoke about the new bridge.")


def test_what_has_no_words_is_not_judged() -> None:
    summary = "1. The mayor spoke about the new bridge. 🎉\n---\n2. The council met on Monday.\n3.\n"
    assert [u.text for u in judged(summary).units][:2] == [
        "The mayor spoke about the new bridge.",
        "The council met on Monday.",
    ]
    assert judged(summary[: summary.index("3.")]).label == "faithful"


@pytest.mark.parametrize("text", ["🎉", "---", "\ufeff", " \n"])
def test_a_text_without_words_gets_one_line(text: str) -> None:
    with pytest.raises(InputError, match="document must hold at least one word"):
        fx.debate(text, "It rained.")
    with pytest.raises(InputError, match="summary must hold at least one word"):
        fx.debate("It rained.", text)
    with pytest.raises(InputError, match="claim: must hold at least one word"):
        fx.verify(text, ["It rained."])
    with pytest.raises(InputError, match="'E1': must hold at least one word"):
        fx.verify("It rained because it did.", [text])
    assert fx.detect(text).notes == ("there is no text, so nothing was examined",)


@pytest.mark.parametrize(
    "summary",
    [
        "The company earned 1,500,000 euros in the first half of the year.",
        "The company earned €1.5 million in the first half of the year.",
        "The motion to close the pool was agreed by three votes to one.",
        "The coach will leave at quarter past eight on Friday.",
        "Councillor Corrigan said that nobody uses the shelter.",
        "The tower by the pool was built in the nineties.",
        "The vote began at half past two.",
    ],
)
def test_the_same_written_in_another_way_is_faithful(summary: str) -> None:
    assert only(summary).label == "faithful"


@pytest.mark.parametrize(
    ("summary", "word"),
    [
        ("The company earned 1,600,000 euros in the first half of the year.", "1,600,000"),
        ("The company lost 1,500,000 euros in the first half of the year.", "lost"),
    ],
)
def test_what_differs_besides_is_unfaithful_and_shown_as_it_is_written(summary: str, word: str) -> None:
    unit = only(summary)
    assert unit.label == "unfaithful"
    assert word in [w.text for w in unit.unsupported]


def test_no_number_is_called_missing_that_the_document_writes_in_digits() -> None:
    unit = only("The motion to close the pool was agreed by four votes to one.")
    assert unit.label != "faithful"
    assert "“one”" not in unit.unscored


def test_what_stands_unseen_inside_of_words_changes_nothing() -> None:
    hyphened = "The gov\u00adern\u00adment an\u00adnounced a new bud\u00adget on Mon\u200bday."
    plain = "The government announced a new budget on Monday."
    assert only(plain, hyphened).probability == only(plain, plain).probability
    assert only(hyphened, plain).probability == only(plain, plain).probability
    unit = only(hyphened.replace("Mon\u200bday", "Tues\u00adday"), plain)
    assert unit.label == "unfaithful"
    assert [w.text for w in unit.unsupported] == ["Tues\u00adday"]
    claim, evidence = "The fair was called off because it rained.", "Rain had the fair called off."
    split = evidence.replace("called", "cal\u00adled")
    assert fx.verify(claim, [split]).probability == fx.verify(claim, [evidence]).probability


NOTICE = (
    "Minutes of the fair committee. Date: Tuesday 14 May. Venue: Town Hall, Room 4. Present: Ama Boateng, Rhys Price."
    " Next meeting: 11 June."
)


@pytest.mark.parametrize(
    ("summary", "label"),
    [
        ("The next meeting is in June.", "faithful"),
        ("The next meeting is on 11 June.", "faithful"),
        ("Next meeting: 11 June.", "faithful"),
        ("Ama Boateng was present.", "faithful"),
        ("The next meeting is on 12 June.", "unfaithful"),
        ("Next meeting: 18 June.", "unfaithful"),
        ("Venue: Town Hall, Room 5.", "unfaithful"),
    ],
)
def test_a_line_with_a_name_and_its_value_says_something(summary: str, label: str) -> None:
    unit = only(summary, NOTICE)
    assert unit.label == label
    assert all(NOTICE[e.start : e.end] == e.text for e in unit.evidence)


MINUTES = (
    "Minutes of the forum. Present: Dr Amina Yusuf (chair), Tom Parry, Sunil Rao. Apologies: Grace Holt.\n"
    "Action: Tom Parry to write to the council by Friday.\n"
)


@pytest.mark.parametrize(
    ("summary", "label"),
    [
        ("Dr Yusuf chaired the meeting.", "faithful"),
        ("Tom Parry chaired the meeting.", "unfaithful"),
        ("Sunil Rao attended.", None),
        ("Grace Holt was present.", "unfaithful"),
        ("Amina Yusuf sent her apologies.", "unfaithful"),
        ("Tom Parry is to write to the council by Friday.", "faithful"),
        ("Tom Parry has written to the council.", None),
        ("Action: Tom Parry to write to the council by Monday.", "unfaithful"),
    ],
)
def test_lines_of_minutes_say_who_came_and_who_is_to_do_what(summary: str, label: str | None) -> None:
    unit = only(summary, MINUTES)
    assert unit.label == label, unit.probability
    assert all(MINUTES[e.start : e.end] == e.text for e in unit.evidence)


def test_marks_of_emphasis_change_nothing_and_tables_are_not_judged() -> None:
    plain = only("The mayor spoke about the new bridge.").probability
    summary = "- **The mayor** spoke about the *new bridge*.\n\n| item | cost |\n|---|---|\n| bridge | £3 |\n"
    found = judged(summary)
    assert [u.probability for u in found.units] == [plain]
    assert "headings, code and tables are not judged: “| item | cost |”" in found.notes[0]
