"""The figures of the detector in the docs are those of its card."""

from __future__ import annotations

from pathlib import Path

import pytest

from fallax.detection.systems import load_encoder

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def card() -> dict[str, object]:
    return load_encoder().card()


def test_scores_on_mafalda(card: dict) -> None:  # type: ignore[type-arg]
    rows = {(s["unit"], s["level"]): s for s in card["mafalda_development_texts"]["scores"]}
    cells = [
        f"{s['f1']:.3f} [{s['low']:.3f}, {s['high']:.3f}]".replace("0.", ".")
        for s in (rows[unit, level] for unit in ("span", "text") for level in (0, 1, 2))
    ]
    assert f"| `encoder` | {' | '.join(cells)} |" in (DOCS / "detectors.md").read_text(encoding="utf-8")


def test_false_alarms_and_calibration(card: dict) -> None:  # type: ignore[type-arg]
    page = " ".join((DOCS / "detectors.md").read_text(encoding="utf-8").split())
    alarms, errors = card["share_flagged"], card["calibration"]
    for said in (
        f"{100 * alarms['comments_of_cocolofa']:.1f} % of CoCoLoFa's",
        f"{100 * alarms['sentences_of_held_out_prose']:.2f} % of the sentences of held-out",
        f"{100 * alarms['sentences_of_wikitext2']:.2f} % of those of WikiText-2",
        f"{100 * alarms['benign_smartypat']:.1f} % of SmartyPat's",
        f"calibration error of {errors['part_of_a_fallacy']['expected_calibration_error']:.3f}",
        f"the label of {errors['label']['expected_calibration_error']:.3f}",
    ):
        assert said in page


def test_what_a_confidence_means(card: dict) -> None:  # type: ignore[type-arg]
    page = " ".join((DOCS / "detect.md").read_text(encoding="utf-8").split())
    any_, label = (card["calibration"][name]["bins"][-2] for name in ("part_of_a_fallacy", "label"))
    assert f"given {any_['said']:.2f} on average, {100 * any_['right']:.0f} % were part of a fallacy" in page
    assert f"labels given {label['said']:.2f}, {100 * label['right']:.0f} % were right" in page
