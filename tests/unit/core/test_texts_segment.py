"""Sentences: their offsets hold whatever stands in the text."""

from hypothesis import given
from hypothesis import strategies as st

from fallax.core.texts import sentence_spans, whole_characters
from fallax.data import markdown_prose


@given(st.text(st.characters(categories=["L", "P", "Z", "Cs"]), max_size=60))
def test_halves_of_surrogate_pairs_count_as_characters(text: str) -> None:
    shown = whole_characters(text)
    assert len(shown) == len(text)
    shown.encode("utf-8")
    assert sentence_spans(text) == sentence_spans(shown)


@given(st.text("# =`~\r\na", max_size=40))
def test_prose_of_markdown_keeps_every_place(text: str) -> None:
    prose = markdown_prose(text)
    assert len(prose) == len(text)
    assert all(a in (b, " ") for a, b in zip(prose, text, strict=True))


def test_only_headings_and_fences_are_left_out() -> None:
    for kept in (
        "#1 is up\n#hash\n    # indented",
        "- # item\n===\n",
        "text\n\n===\n",
        "Two lines\nof prose\n==\n",
        "```x``` y\n",
    ):
        assert markdown_prose(kept) == kept
    for gone in (
        "# A\n",
        "### A ###\r\n",
        "#\n",
        "Title\n=====\n",
        "~~~\na ```\n~~~\n",
        "````\n```\n````\n",
        "```\nopen",
    ):
        assert not markdown_prose(gone).strip(), gone
