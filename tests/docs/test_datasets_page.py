"""DATASETS.md names every data set, and its checksums are those of the files at hand."""

import json
import os
from pathlib import Path

import pytest

from fallax.data import CLAIM_SETS, DATASETS, FAITHFULNESS_SETS, dataset_path, published_sources
from fallax.errors import InputError
from tests.support.scripts import script

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "DATASETS.md").read_text(encoding="utf-8")
ALL = {**FAITHFULNESS_SETS, **CLAIM_SETS, **DATASETS}


@pytest.mark.parametrize("name", sorted(ALL))
def test_every_set_is_named_with_its_licence(name: str) -> None:
    dataset = ALL[name]
    assert f"| `{name}` {dataset.title} | {dataset.licence} | {dataset.may_train} |" in PAGE


@pytest.mark.parametrize("name", sorted(FAITHFULNESS_SETS))
def test_sets_of_summaries_are_on_the_page_of_data(name: str) -> None:
    dataset, get = FAITHFULNESS_SETS[name], published_sources()[name].by_hand
    page = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    assert f"| {dataset.licence} | {dataset.may_train} | {get} ({dataset.source}) |" in page


def test_folders_about_texts_of_others_hold_no_texts() -> None:
    folders = script("write_datasets_page").about_texts()
    assert folders
    for folder in folders:
        assert folder in PAGE
        for path in (ROOT / "data" / folder.strip("`")).glob("*.jsonl"):
            for line in path.read_text(encoding="utf-8").splitlines():
                assert {"id", "start", "end"} <= (row := json.loads(line)).keys(), path
                assert not {"text", "document", "passage"} & row.keys(), path


@pytest.mark.skipif("FALLAX_DATA" not in os.environ, reason="FALLAX_DATA is not set")
@pytest.mark.parametrize("name", sorted(DATASETS))
def test_checksums_are_those_of_the_files(name: str) -> None:
    write_datasets_page = script("write_datasets_page")
    try:
        dataset_path(name)
    except InputError as error:
        pytest.skip(str(error))
    for file, digest in write_datasets_page.files_of(DATASETS[name]):
        assert f"| `{name}` | {file} | `{digest}` |" in PAGE
