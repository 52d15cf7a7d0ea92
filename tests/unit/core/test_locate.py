"""Where a quote stands in a text."""

import pytest

from fallax.core.texts import locate_quote


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("He drank a cafe\u0301 today", "a caf\u00e9", "a cafe\u0301"),
        ("He drank a cafe\u0301", "A CAFE", "a cafe\u0301"),
        ("He drank a cafe\u0301 today", "a cafe", "a cafe\u0301"),
        (
            "We all drank one more cafe\u0301\u0323 at noon",
            "we all drink one more caf\u00e9",
            "We all drank one more cafe\u0301\u0323",
        ),
        ("The gov\u00adern\u00adment fell.", "government", "gov\u00adern\u00adment"),
        (
            "The gov\u200bern\u200c\u200d\u2060\ufeffment fell.",
            "the government fell",
            "The gov\u200bern\u200c\u200d\u2060\ufeffment fell",
        ),
        ("The government fell.", "gov\u00adern\u00adment", "government"),
    ],
)
def test_accents_are_whole_and_what_nobody_sees_divides_no_word(text: str, quote: str, found: str) -> None:
    place = locate_quote(text, quote)
    assert place is not None
    assert text[place.start : place.end] == found


@pytest.mark.parametrize(
    ("text", "quote", "near", "start"),
    [
        ("We know nothing, so no.", "no", 0, 20),
        ("We know nothing. No, we do.", "no", 0, 17),
        ("I know no one, no.", "no", 16, 15),
        ("The cathedral cat, the cat.", "the cat", 0, 19),
        ("The gov\u00adern ern.", "ern", 0, 12),
        ("This thesis is nothing.", "no", 0, 15),  # it stands nowhere else
        ("This thesis is NOTHING.", "no", 0, 15),
        ("\u4ed6\u4eec\u90fd\u8bf4\u8c0e", "\u90fd\u8bf4", 0, 2),
        ("nono no one", "no one or", 0, None),
        ("It was another matter, so he said.", "other matter, so", 0, 9),  # more than two words
    ],
)
def test_one_or_two_words_are_whole_words_where_they_stand_as_such(
    text: str, quote: str, near: int, start: int | None
) -> None:
    place = locate_quote(text, quote, near=near)
    assert (None if place is None else place.start) == start
