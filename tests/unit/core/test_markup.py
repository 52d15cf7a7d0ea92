import pytest
from hypothesis import given
from hypothesis import strategies as st

from fallax.core.texts import MARKUPS, prose_of


@pytest.mark.parametrize(
    ("markup", "text", "stays", "goes"),
    [
        ("text", "We pay.\n> You lie.\n", ["We pay."], ["lie"]),
        ("markdown", "---\ntitle: Fees\n---\nWe pay.\n", ["We pay."], ["Fees"]),
        ("markdown", "# Fees\n\nCall `rm x` *now*.\n\n```\ncode\n```\n", ["Call", "now"], ["Fees", "rm", "code", "*"]),
        (
            "markdown",
            "See [the page](http://a.b) <!-- not this\nnor this --> here.",
            ["the page", "here"],
            ["http", "this"],
        ),
        ("markdown", "It costs $5 and $6, a snake_case.", ["$5 and $6", "snake_case"], []),
        ("latex", "\\documentclass{a}\nno\n\\begin{document}\nYes.\n\\end{document}\njunk", ["Yes."], ["no", "junk"]),
        (
            "latex",
            "\\section{Fees}\nWe \\emph{pay} \\cite[p. 2]{wu}, 5\\%. % not sure",
            ["pay", "5 %"],
            ["Fees", "wu", "sure"],
        ),
        (
            "latex",
            "\\begin{quote}He lies.\\end{quote} It is \\verb|x y| and $a$.",
            ["It is", "and"],
            ["lies", "x y", "a$"],
        ),
        ("latex", "\\begin{itemize}\n\\item One.\n\\end{itemize}", ["\n-     One."], ["item"]),
        ("rst", "Fees\n====\n\nWe *pay* ``rm``.\n\n    He lies.\n", ["We", "pay"], ["Fees", "=", "rm", "lies"]),
        ("rst", "Run::\n\n    rm x\n\n    rm y\n\nThen wait.\n", ["Run", "Then wait."], ["rm", "::"]),
        (
            "rst",
            "- one\n\n  its body\n\n.. note::\n\n   A note.\n\n.. code-block:: sh\n\n   rm\n",
            ["its body", "A note."],
            ["rm"],
        ),
        ("rst", "Term\n   What it is.\n\n====  ====\na     b\n====  ====\n", ["What it is."], ["=", "a     b"]),
    ],
)
def test_prose_of_a_markup(markup: str, text: str, stays: list[str], goes: list[str]) -> None:
    prose = prose_of(text, markup)
    assert all(piece in prose for piece in stays), prose
    assert not any(piece in prose for piece in goes), prose


@given(st.text(alphabet="ab \n\r`*_[]()<>!-#$%\\{}|=+:.>~\"'“\u2028\t", max_size=200), st.sampled_from(sorted(MARKUPS)))
def test_offsets_and_line_ends_stay(text: str, markup: str) -> None:
    prose = prose_of(text, markup)
    assert len(prose) == len(text)
    assert [i for i, c in enumerate(prose) if c in "\r\n"] == [i for i, c in enumerate(text) if c in "\r\n"]


@pytest.mark.parametrize("markup", sorted(MARKUPS))
def test_long_unclosed_marks_are_read_in_linear_time(markup: str) -> None:
    for mark in ("`", "$", "[", "<!--", "\\begin{quote}", "*a ", "``a`", "\\verb|", "\\[", "<a", "\\begin{equation*}"):
        assert len(prose_of(mark * 3000, markup)) == 3000 * len(mark)
