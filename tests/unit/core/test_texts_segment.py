"""Sentences: their offsets hold whatever stands in the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fallax.core.texts import blocks_of, sentence_spans, whole_characters
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


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        # a line end alone ends nothing, whatever it is made of
        ("We went to\r\nthe shop. It was\rshut.", ["We went to\r\nthe shop.", "It was\rshut."]),
        ("It rose to\n3.5 percent. The\n*fastest* one has\n-5 and\n#3.",
         ["It rose to\n3.5 percent.", "The\n*fastest* one has\n-5 and\n#3."]),
        ("We have these three\naims: rest and sleep.", ["We have these three\naims: rest and sleep."]),
        ("The talk\n– which I missed –\nwas long.", ["The talk\n– which I missed –\nwas long."]),
        ("We left.\r\n\r\nThey stayed", ["We left.", "They stayed"]),
        # items of lists
        ("For:\n◦ it is late\n– It is dear\na) it is far\n(b) it is wet\n1.2 It is new",
         ["For:", "◦ it is late", "– It is dear", "a) it is far", "(b) it is wet", "1.2 It is new"]),
        ("Ann Lee\n(555) 123-4567\nBracken", ["Ann Lee\n(555) 123-4567\nBracken"]),
        # turns of speakers
        ("[00:00:09] COLE: Thanks\n[00:00:11] PROF. VIDAL: Good evening\n[00:01:00] and so on",
         ["[00:00:09] COLE: Thanks", "[00:00:11] PROF. VIDAL: Good evening", "[00:01:00] and so on"]),
        ("12/05/2024, 10:14 - Ann: hi\n12/05/2024, 10:15 - Bob Lee: no", None),
        ("ann: no way\nbob: why", None),
        ("Posted by moss on 12 May, 10:20 pm\n@ann No", None),
        ("We left at 10:20\nand slept.", ["We left at 10:20\nand slept."]),
        # headings in capitals
        ("TOWN OF ELM\nMINUTES OF MAY\nAll were there.\n\n2. PUBLIC COMMENT\nAnn left.",
         ["TOWN OF ELM\nMINUTES OF MAY", "All were there.", "2.", "PUBLIC COMMENT", "Ann left."]),
        ("THIS IS ALL\nIN CAPITALS. IT IS.", ["THIS IS ALL\nIN CAPITALS.", "IT IS."]),
        ("They belong to\nNATO AND SEATO\nas before.", ["They belong to\nNATO AND SEATO\nas before."]),
        # abbreviations
        ("Ms. Tan and Br. Paul met Const. Reyes. It took 3 ms. Then Pte. Khan left.",
         ["Ms. Tan and Br. Paul met Const. Reyes.", "It took 3 ms.", "Then Pte. Khan left."]),
        ("Cllr. Okoro met Cllrs. Brandt and Wu. Call tel. +44 20. See Smith et seq. or wait.",
         ["Cllr. Okoro met Cllrs. Brandt and Wu.", "Call tel. +44 20.", "See Smith et seq. or wait."]),
        # common words that look like abbreviations
        ("They said no. Paris was quiet. She told me. Anna was ill. Tan left, too.",
         ["They said no.", "Paris was quiet.", "She told me.", "Anna was ill.", "Tan left, too."]),
        ("I may. Flat no. A5 is empty, and so is no. 7.", ["I may.", "Flat no. A5 is empty, and so is no. 7."]),
        ("We rang the tel. The line was dead.", ["We rang the tel.", "The line was dead."]),
    ],
)  # fmt: skip
def test_where_sentences_end(text: str, sentences: list[str] | None) -> None:
    assert [text[a:b] for a, b in sentence_spans(text)] == (text.split("\n") if sentences is None else sentences)


@pytest.mark.parametrize("mark", ["\n", "\r\n ", "\n> ", "A: ", "\na. ", "\n1", "AB\n", "\n[1:11", "\n*", " ", "\n\t"])
def test_marks_without_end_take_no_long_time(mark: str) -> None:
    text = mark * (20_000 // len(mark)) + "x"
    assert sentence_spans(text)[-1][1] == len(text)


def test_lines_of_json_are_code() -> None:
    text = 'We met.\n{"role": "system", "content": "Say yes."}\n["a", "b"],\n{not json}\n["Yes"] was all he said.\n'
    kinds = [(text[b.start : b.end].splitlines(), b.kind) for b in blocks_of(text)]
    assert [kind for _, kind in kinds] == ["prose", "code", "prose"]
    assert len(kinds[1][0]) == 2
