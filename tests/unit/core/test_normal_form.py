"""What a model reads is the same however a text is typed."""

import pytest

from fallax.core.texts import normal_form
from fallax.faithfulness.systems.claims import clauses_of, said_word_for_word, split_claims


@pytest.mark.parametrize("text", ["İstanbul’s ﬁrst “fair” — 5\u00a0km", "ẞTRASSE MIT ZWÖLF İİİ", "a\u200bb", ""])
def test_offsets_hold(text: str) -> None:
    assert len(normal_form(text)) == len(text)
    assert normal_form(normal_form(text)) == normal_form(text)


def test_one_form() -> None:
    forms = ('"It\'s 5 - 6," he said.', "“It’s 5 – 6,” he said.", "«It‘s\u00a05 — 6,» he said.")
    assert len({normal_form(f) for f in forms}) == 1
    assert normal_form("NATO met.") == "NATO met."


def test_claims_are_the_same_in_other_type() -> None:
    text = "The council's clerk met us on Monday, and the mayor was ill in his house."
    assert split_claims(text) == split_claims(text.upper()) == split_claims(text.replace("'", "’"))
    assert len(split_claims(text)) == 2
    assert said_word_for_word("It’s the roof that leaks.", clauses_of(["It's the roof that leaks."])) == 0
    assert said_word_for_word("THE ROOF OF THE HALL LEAKS.", clauses_of(["The roof of the hall leaks."])) == 0
