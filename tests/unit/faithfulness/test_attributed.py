"""Claims about what somebody says that another speaker says."""

import pytest

import fallax as fx
from fallax.faithfulness.systems.attributed import other_speaker

SAID = ["Lee: We lost nine hives.", "Cox: Was it the cold?", "Lee: It was a mite.", "Cox: I met a farmer."]
WHO = ["Lee", "Cox", "Lee", "Cox"]


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("According to Cox, nine hives were lost.", "Lee"),
        ("Nine hives were lost, according to Mr Cox.", "Lee"),
        ("Cox said that nine hives were lost.", "Lee"),
        ("Lee said that nine hives were lost.", ""),
        ("Cox asked whether it was the cold.", ""),
        ("Cox does not believe that nine hives were lost.", ""),
        ("Cox said that Lee lost nine hives.", ""),  # he tells of the other
        ("Roy said that nine hives were lost.", ""),  # who is not there
        ("Cox said so.", ""),
        ("According to Cox,\n  nine hives were lost.", "Lee"),  # broken into lines
        (" " * 100_000 + "Nine hives were lost,", ""),  # takes no time
    ],
)
def test_a_claim_about_what_somebody_says_belongs_to_who_says_it(claim: str, other: str) -> None:
    assert other_speaker(claim, SAID, WHO) == other


INTERVIEW = """Host: Our guest is the beekeeper Ines Moreau. How did the winter go?
Moreau: Badly. We lost nine of our twenty hives. Most years it is two or three.
Host: Was it the cold?
Moreau: No, the cold does not kill them. It was a mite that came in with bees from the south.
Host: Will you buy new hives?
Moreau: Not this year. My son wants to keep goats instead.
"""


@pytest.mark.parametrize(
    ("summary", "label"),
    [
        ("Moreau lost nine hives.", "faithful"),
        ("According to Moreau, the mite came with bees from the south.", "faithful"),
        ("The host lost nine hives.", None),
        ("According to the host, the mite came with bees from the south.", None),
        ("Moreau will buy new hives this year.", "unfaithful"),
    ],
)
def test_the_judge_knows_who_says_what(summary: str, label: str | None) -> None:
    (unit,) = fx.debate(INTERVIEW, summary).units
    assert unit.label == label, unit.probability
    assert all(INTERVIEW[e.start : e.end] == e.text for e in unit.evidence)


def test_the_reason_names_the_speaker() -> None:
    (unit,) = fx.debate(INTERVIEW, "According to the host, the mite came with bees from the south.").units
    assert "in the document Moreau says this" in unit.unscored
