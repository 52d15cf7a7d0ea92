"""What a passage itself announces: its conclusion, whose claim it is, its alternatives."""

import pytest

from fallax.core.texts import alternatives_of, conclusion_of, reported_claim_of
from tests.support.patience import patience


@pytest.mark.parametrize(
    ("passage", "conclusion"),
    [
        ("‘We farm here, so the road must not come,’ one farmer said.", "the road must not come"),
        ('"We farm here, so the road must not come," he said.', "the road must not come"),
        ("“It is old, therefore it is good” is what she wrote.", "it is good"),
        ("They work, so the workers’ pay must rise.", "the workers’ pay must rise"),
        ("It’s old, so it’s good.", "it’s good"),
    ],
)  # fmt: skip
def test_a_conclusion_ends_with_its_quotation(passage: str, conclusion: str) -> None:
    assert conclusion_of(passage) == conclusion


@pytest.mark.parametrize("piece", ["A", "A ", "The ", "a' ", " ", "either ", "either a", ", so ", "Ann says ", "’s "])
def test_pieces_without_end_take_no_long_time(piece: str) -> None:
    text = piece * (40_000 // len(piece))
    for read in (conclusion_of, reported_claim_of, alternatives_of):
        with patience(20):  # each takes below a second; in quadratic time minutes
            read(text)
            read(f"The mayor says {text}")
