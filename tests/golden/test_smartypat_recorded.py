"""The recorded answers of SmartyPat's nine judges, against numbers that were computed independently.

Source: `expected_dev.json` beside the data folder (computed by another program from the same files); half of the posts,
of the generated and of the benign sentences in `$FALLAX_DATA/smartypat_dev`. The rows below were copied from it on
2026-11-21, so that a change of both files at once is seen.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from fallax.cli import main
from fallax.generation.benchmarks.smartypat_tables import gold_label_counts, published_tables, read_recorded, reproduce
from fallax.metrics import RankedLabels

DATA = Path(os.environ.get("FALLAX_DATA", "/nonexistent"))
FOLDER = DATA / "smartypat_dev"
EXPECTED = DATA.parent / "reference" / "expected_dev.json"
KEYS = [
    *("n", "yes", "n_benign", "benign_yes", "fpr", "fnr", "precision", "recall", "f1", "f1_script"),
    *("label_count", "score_strict", "score_script"),
]
#: (set, model) -> yes, benign_yes, f1, published F1, label_count, score_strict, score_script.
COPIED = {
    ("SmartyPat", "gpt-4o"): (250, 93, 0.841751, 0.84, 685, -43.513, -46.473),
    ("SmartyPat", "claude-3-7-sonnet-20250219"): (251, 77, 0.867012, 0.867, 754, -40.833, -101.78),
    ("SmartyPat", "o3-mini"): (249, 69, 0.87522, 0.873, 574, 8.473, 1.659),
    ("SmartyPat_augmented", "gpt-4o"): (110, 93, 0.702875, 0.849, 267, -4.833, -8.818),
    ("SmartyPat_augmented", "deepseek-chat"): (110, 39, 0.849421, 0.944, 266, -37.0, -36.99),
}

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="needs smartypat_dev: set FALLAX_DATA")


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, str], dict[str, Any]]:
    return {(row.set, row.model): row.to_dict() for row in reproduce(FOLDER)}


@pytest.mark.skipif(not EXPECTED.is_file(), reason="needs reference/expected_dev.json beside FALLAX_DATA")
def test_every_number_of_every_recorded_model_is_that_of_the_reference(
    found: dict[tuple[str, str], dict[str, Any]],
) -> None:
    wanted = json.loads(EXPECTED.read_text(encoding="utf-8"))["smartypat"]
    named = {(s, m): row for s, models in wanted.items() for m, row in models.items() if isinstance(row, dict)}
    named = {key: row for key, row in named.items() if "score_strict" in row}
    assert found.keys() == named.keys()
    assert len(found) == 18
    for key, row in named.items():
        assert found[key] == {name: row[name] for name in KEYS}, key


def test_the_copied_rows_come_out(found: dict[tuple[str, str], dict[str, Any]]) -> None:
    for key, row in COPIED.items():
        d = found[key]
        got = (d["yes"], d["benign_yes"], d["f1"], d["f1_script"]["f1"], d["label_count"])
        assert (*got, d["score_strict"], d["score_script"]) == row


def test_gold_labels_are_those_of_the_reference_and_part_of_table_2() -> None:
    counts = gold_label_counts(FOLDER)
    printed = published_tables()["gold_labels"]
    # One post has "False Analogy" twice: 47 instances in the file, on 46 posts.
    wanted = {"False Premise": 113, "Equivocation": 94, "False Analogy": 47, "Nominal Fallacy": 21, "Contextomy": 17}
    assert {label: counts[label] for label in wanted} == wanted
    assert sum(counts.values()) == 321
    assert all(n <= printed[label] for label, n in counts.items())
    assert sum(printed[label] for label in counts) == 621


def test_accuracy_by_fallacy_counts_sentences() -> None:
    judged = read_recorded(FOLDER)["SmartyPat_augmented"]["gpt-4o"]
    parts = RankedLabels().corpus_score(pred=judged.pred, gold=judged.gold).parts["label"]
    assert all(parts[label].sums["n_gold"] == 10 for label in ("False Cause", "Contextomy", "Inverse Error"))
    assert parts["False Dilemma"]["recall"] is None


def test_the_command_prints_these_numbers_and_nothing_else(
    found: dict[tuple[str, str], dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as done:
        main(["reproduce", "smartypat", "--from", str(FOLDER), "--json"])
    assert done.value.code == 0
    out = capsys.readouterr()
    printed = json.loads(out.out)
    assert {(s, m): row for s, models in printed.items() for m, row in models.items()} == found
    assert all(list(row) == KEYS for models in printed.values() for row in models.values())
    assert out.err == ""
