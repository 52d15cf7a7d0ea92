"""Lines of notices and minutes, told as sentences."""

import pytest

import fallax as fx
from fallax.core.texts import told_edits, told_lines
from fallax.entailment import Passages, load_entailment


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "Present: Dr Amina Yusuf (chair), Tom Parry and Sunil Rao.",
            "Dr Amina Yusuf chaired the meeting. Dr Amina Yusuf was present at this meeting. Tom Parry was present"
            " at this meeting. Sunil Rao was present at this meeting.",
        ),
        (
            "In attendance: Jane Wu (clerk), two members of the public",
            "Jane Wu (clerk) was present at this meeting. Two members of the public were present at this meeting.",
        ),
        ("Present: Mr James Roberts", "Mr James Roberts was present at this meeting."),
        ("Apologies for absence: Cllr G. Holt", "Cllr G. Holt sent apologies and was not present at this meeting."),
        ("Absent: Tom Cox; Ann Lee", "Tom Cox was absent from this meeting. Ann Lee was absent from this meeting."),
        ("Action: Tom Parry to write to the council.", "Tom Parry is to write to the council."),
        ("Decision: Repairs to be paid from reserves.", "Repairs are to be paid from reserves."),
        ("Council to close library", "Council is to close library"),
        ("Farmers to be paid for hedges", "Farmers are to be paid for hedges"),
        ("Action: Mr Rao and the clerk to meet the supplier.", "Mr Rao and the clerk are to meet the supplier."),
        ("The clerk to order paint.", "The clerk is to order paint."),
        ("TP to ask the supplier", "TP is to ask the supplier"),
        ("Tom Parry to write to the council.", "Tom Parry is to write to the council."),
    ],
)
def test_minutes_and_headlines_are_told_as_sentences(line: str, told: str) -> None:
    assert told_lines([line]) == (told,)


@pytest.mark.parametrize(
    "line",
    [
        "Present: Everyone who came was happy.",
        "Tom Parry wants to write to the council.",
        "According to plan",
        "Right to buy",
        "How to cook rice",
        "A teacher to remember",
        "People to call when it rains",
        "Prior to launch",
        "Plan to close library",
        "The committee voted to close it.",
        "Parry: To be honest I was late.",
        "The men to be seen were many",
        "New York to Boston by rail",
        "Rule 14 obliges a branch to wait.",
        "Many charities ask donors to pledge a small sum.",
        "And to be successful, you need time.",
        "Visit Befrienders.org to find help.",
        "Took the children to see the whale.",
    ],
)
def test_other_lines_stay_as_they_are(line: str) -> None:
    assert told_lines([line]) == (line,)
    assert told_edits(line) == ()


def test_names_in_the_lines_behind_a_heading_belong_to_it() -> None:
    lines = ["Apologies:", "Eva Roy", "Tom Cox", "The roof leaks.", "Ann Lee"]
    told = told_lines(lines)
    assert told[1:3] == tuple(f"{name} sent apologies and was not present at this meeting." for name in lines[1:3])
    assert told[3:] == ("The roof leaks.", "Ann Lee")


@pytest.mark.parametrize(
    "text",
    [
        "Present:\nAnn Lee\nTom Cox",
        "Present:\n Ann Lee,\n Tom Cox",
        "Present: Ann Lee,\nTom Cox",
        "Present:\nAnn Lee\nand Tom Cox",
    ],
)
def test_names_in_lines_of_their_own_are_several(text: str) -> None:
    assert told_lines([text]) == ("Ann Lee was present at this meeting. Tom Cox was present at this meeting.",)


def test_many_names_are_told_in_one_sentence() -> None:
    names = [f"Ann {letter}. Lee" for letter in "ABCDEFGHIJKLM"]
    (told,) = told_lines([f"Present: {', '.join(names)}"])
    assert told == f"{', '.join(names[:-1])} and {names[-1]} were present at this meeting."


@pytest.mark.parametrize("names", ["Ann Lee, Tom Cox, Eva Roy", "\nAnn Lee\nTom Cox\nEva Roy"])
def test_the_judge_finds_who_came(names: str) -> None:
    minutes = f"Minutes of the club\n\nPresent: {names}\n\nMatters Arising\n\nThe roof leaks.\n"
    said = fx.debate(minutes, "Tom Cox was present. Eva Roy was present at the meeting. Ann Lee was absent.")
    assert [unit.label for unit in said.units] == ["faithful", "faithful", "unfaithful"]


def test_a_heading_behind_names_was_not_present() -> None:
    assert "present" not in told_lines(["Apologies: Ann Lee\nMatters Arising\nRoof."])[0]
    document = "Present:\n\n- Ann Lee\n- Tom Cox\n\nMatters Arising\n\nThe roof leaks."
    assert Passages(load_entailment(), document).texts == (
        "Present:",
        "Ann Lee was present at this meeting.",
        "Tom Cox was present at this meeting.",
        "Matters Arising",
        "The roof leaks.",
    )


def test_actions_that_stand_in_several_lines_are_no_turns_of_a_speaker() -> None:
    told = told_lines(["Action: Tom Cox to write.", "Action: Eva Roy to call.", "Cox: Town Hall.", "Cox: Room 4."])
    assert told == ("Tom Cox is to write.", "Eva Roy is to call.", "Cox: Town Hall.", "Cox: Room 4.")
