"""EntailmentBank's development proofs all parse and print back.

Source: Dalvi et al. 2021, github.com/allenai/entailment_bank at daac2fdb7ab5.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fallax.cli.score import app
from fallax.render import structure_svg
from fallax.structures import format_proof, format_structure, parse_proof, parse_structure

FOLDER = Path(os.environ.get("FALLAX_DATA", "/nowhere"), "entailment_bank")


def items(task: int) -> list[dict[str, Any]]:
    path = FOLDER / f"task_{task}_dev.jsonl"
    if not path.exists():
        pytest.skip("the data set entailment_bank is not there")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("task", [1, 2])
def test_all_proofs_parse_and_print_back(task: int) -> None:
    found = items(task)
    assert len(found) == 187
    n_deeper = 0
    for item in found:
        read = parse_structure(json.dumps(item), format="entailment_bank")
        assert read.structure is not None
        assert format_proof(read.structure) == item["proof"]
        assert read.structure.problems == read.notes == ()
        assert read.structure.n_steps == item["length_of_proof"]
        n_deeper += read.structure.depth != item["depth_of_proof"]
        assert {n.id for n in read.unused} == set(item["meta"]["distractors"])
        alone = parse_proof(item["proof"], context=item["context"], hypothesis=item["hypothesis"])
        assert alone.structure is not None
        assert set(alone.structure.nodes) == set(read.structure.nodes)
        assert alone.unused == read.unused
    assert n_deeper == 5  # the file counts one level more or less where a leaf or a lone premise is used twice


@pytest.mark.parametrize("task", [1, 2])
@pytest.mark.parametrize("name", ["linking", "arrows", "aif", "argdown", "graphml", "dot", "mermaid", "json"])
def test_every_tree_survives_every_other_format(task: int, name: str) -> None:
    for item in items(task):
        read = parse_structure(json.dumps(item))
        assert read.structure is not None
        written = format_structure(read.structure, format=name, unused=read.unused)
        again = parse_structure(written.text, format=name)
        assert again.structure is not None
        renamed = ["node 'hypothesis': its name, written as Claim"] if name == "linking" else []
        assert [loss for loss in written.losses if "spaces of its text" not in loss] == renamed
        texts = {n.id: " ".join(n.text.split()) for n in again.structure.nodes}
        told = {n.id: " ".join(n.text.split()) for n in read.structure.nodes}
        assert sorted(texts.values()) == sorted(told.values())
        assert {(texts[s], texts[t]) for s, t, _ in again.structure.pairs} == {
            (told[s], told[t]) for s, t, _ in read.structure.pairs
        }
        assert len(again.unused) == len(read.unused)


def proofs_file(path: Path, task: int, change: Any, *, ids: bool) -> Path:
    """Predictions as EntailmentBank's scorer reads them: one proof a line, in the order of the gold or with ids."""
    lines = [
        (f"{item['id']}\t" if ids else "") + f"$proof$ = {change(item)}\n"
        for item in (items(task)[::-1] if ids else items(task))
    ]
    path.write_text(("id\tprediction\n" if ids else "") + "".join(lines), encoding="utf-8")
    return path


def official(task: int, path: Path) -> dict[str, float]:
    given = ["--gold", str(FOLDER / f"task_{task}_dev.jsonl"), "--pred", str(path), "--json"]
    found = CliRunner().invoke(app, ["--metric", "entailment_tree", "--variant", "official", *given])
    assert found.exit_code == 0, found.output
    values: dict[str, float] = json.loads(found.stdout)
    return values


def leaves(item: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(re.findall(r"sent\d+", "".join(s.split("->")[0] for s in item["proof"].split(";")))))


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


MEASURES = ("leaves", "steps", "intermediates")


@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("task", [1, 2])
def test_the_gold_proofs_score_one_in_the_order_of_the_gold_and_with_ids(task: int, ids: bool, tmp_path: Path) -> None:
    found = official(task, proofs_file(tmp_path / "pred.tsv", task, lambda item: item["proof"], ids=ids))
    assert [found[f"{m}_{k}"] for m in MEASURES for k in ("f1", "all_correct")] + [found["all_correct"]] == [1.0] * 7


@pytest.mark.parametrize("task", [1, 2])
def test_all_leaves_in_one_step_give_the_values_worked_out_from_the_lengths(task: int, tmp_path: Path) -> None:
    """Leaves are right; the step where the tree has but one; of n conclusions, the claim is one: F1 2 / (1 + n)."""
    path = proofs_file(
        tmp_path / "pred.tsv", task, lambda item: f"{' & '.join(leaves(item))} -> hypothesis;", ids=False
    )
    found = official(task, path)
    lengths = [item["length_of_proof"] for item in items(task)]
    assert found["leaves_f1"] == found["leaves_all_correct"] == 1
    assert found["steps_f1"] == pytest.approx(mean([float(n == 1) for n in lengths]))
    assert found["steps_all_correct"] == found["steps_f1"]
    assert found["intermediates_f1"] == pytest.approx(mean([2 / (1 + n) for n in lengths]))
    assert found["intermediates_all_correct"] == found["all_correct"] == pytest.approx(found["steps_f1"])


def test_a_distractor_in_the_place_of_a_leaf_costs_that_leaf_and_its_steps(tmp_path: Path) -> None:
    """Of L leaves, L - 1 are right in both. A tree with one step and two leaves or more keeps its claim aligned."""

    def swapped(item: dict[str, Any]) -> str:
        wrong = item["meta"]["distractors"][0]
        return re.sub(rf"\b{leaves(item)[0]}\b", wrong, item["proof"])

    trees = [item for item in items(2) if item["meta"]["distractors"]]
    assert len(trees) == 187
    found = official(2, proofs_file(tmp_path / "pred.tsv", 2, swapped, ids=False))
    assert found["leaves_f1"] == pytest.approx(mean([(len(leaves(x)) - 1) / len(leaves(x)) for x in trees]))
    assert found["leaves_all_correct"] == found["steps_all_correct"] == found["all_correct"] == 0


def test_unreadable_lines_count_as_wrong(tmp_path: Path) -> None:
    path = proofs_file(
        tmp_path / "pred.tsv",
        1,
        lambda item: item["proof"] if item["length_of_proof"] > 1 else "I cannot prove it",
        ids=False,
    )
    n_short = sum(item["length_of_proof"] == 1 for item in items(1))
    found = official(1, path)
    assert 0 < n_short < 187
    assert [found[f"{m}_f1"] for m in MEASURES] == [pytest.approx(1 - n_short / 187)] * 3


def test_no_drawing_with_distractors_is_wider_than_the_page_says() -> None:
    widths = []
    for item in items(2):
        read = parse_structure(json.dumps(item))
        assert read.structure is not None
        image = structure_svg(read.structure, unused=read.unused)
        widths.append(int(image.partition('width="')[2].partition('"')[0]))
    assert max(widths) == 1_322
