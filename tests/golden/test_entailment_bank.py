"""EntailmentBank's development proofs all parse and print back.

Source: Dalvi et al. 2021, github.com/allenai/entailment_bank at daac2fdb7ab5.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

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
