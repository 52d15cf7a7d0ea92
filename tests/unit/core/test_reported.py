"""Who says it: the author, or somebody whom the author quotes."""

import pytest

from fallax.core.texts import reported_sentences, sentence_spans


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("“It must fall,” the mayor said. “Or the town dies. He is a fool.” The council votes.", [1, 1, 0]),
        ("We all heard him say: “Natural things cannot hurt you.” I doubt it.", [1, 0]),
        ('The baker wrote to us. "Everybody eats it, so it must be good." We eat it too.', [1, 1, 0]),
        ("She argued that if the library closes, it will stay closed. It will not.", [1, 0]),
        ("I say that everybody eats it, so it must be good.", [0]),
        ("The “so-called experts” are wrong, so do not listen.", [0]),
        ("“Everybody eats it, so it must be good.” That is our motto.", [0, 0]),
        ("“It never ends, and nobody stops it", [0]),
        ("Everybody says that the pool is a waste, so it must be one.", [0]),
        ("So Ramsay should write an Essay.", [0]),
        ("", []),
    ],
)
def test_sentences_of_others(text: str, reported: list[int]) -> None:
    places = sentence_spans(text)
    assert [int(x) for x in reported_sentences(text, places)] == reported


def test_a_quotation_ends_with_its_paragraph() -> None:
    text = "“It must fall, the mayor said.\n\nEverybody knows it, so it is true."
    assert reported_sentences(text, ((0, 30), (32, 66)), {1}) == (True, False)


def test_many_quotations_take_no_long_time() -> None:
    sentence = "“It must fall now,” she said. "
    places = [(i * 30, i * 30 + 29) for i in range(20_000)]
    assert all(reported_sentences(sentence * 20_000, places))
