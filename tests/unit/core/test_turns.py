"""Who says which sentence of a transcript."""

import pytest

from fallax.core.texts import behind_speaker, speakers_of

CHAT = [
    "Moderator: Who should pay?",
    "Farid: The county.",
    "It promised half in June.",
    "Moderator: And you?",
    "He left.",
]


def test_a_turn_goes_on_to_the_end_of_its_line() -> None:
    goes_on = [False, False, True, False, False]
    assert speakers_of(CHAT, goes_on) == ("Moderator", "Farid", "Farid", "Moderator", "")
    assert speakers_of(CHAT) == ("Moderator", "Farid", "", "Moderator", "")


def test_a_chat_may_have_times() -> None:
    chat = ["[10:02] Jonas: Who fed her?", "[10:03] Mira: I did.", "She ate.", "10:05 - Jonas: Thanks."]
    assert speakers_of(chat, [False, False, True, False]) == ("Jonas", "Mira", "Mira", "Jonas")


@pytest.mark.parametrize(
    "texts",
    [
        ["Lee: No.", "Lee: Yes.", "Lee: Perhaps."],  # one name alone
        ["Lee: No.", "Cox: Yes.", "Roy: Perhaps."],  # none comes back
        ["Lee: No.", "Lee: Yes.", "The end."],
        ["Note: Doors close at ten.", "Note: No dogs.", "Date: 14 May", "Date: 15 May"],
        ["Speaker 0: No.", "Speaker 1: Yes.", "Speaker 0: Why?"],  # nobody could say so of them
        ["He said: no.", "She said: yes.", "He said: why?"],
        [],
    ],
)
def test_other_texts_have_no_speakers(texts: list[str]) -> None:
    assert speakers_of(texts) == ("",) * len(texts)


@pytest.mark.parametrize(
    ("line", "start"),
    [("PhD C: It is bent.", 7), ("anna42: hi", 8), ("The beam: a report", 0), ("It is 10:30 now", 0)],
)
def test_what_is_said_begins_behind_the_name(line: str, start: int) -> None:
    assert behind_speaker(line) == start
