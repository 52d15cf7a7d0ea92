"""DATASETS.md names every data set, and its checksums are those of the files at hand."""

import os
from pathlib import Path

import pytest

from fallax.data import DATASETS, dataset_path
from fallax.errors import InputError
from tests.support.scripts import script

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "DATASETS.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(DATASETS))
def test_every_set_is_named_with_its_licence(name: str) -> None:
    dataset = DATASETS[name]
    assert f"| `{name}` {dataset.title} | {dataset.licence} | {dataset.may_train} |" in PAGE


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
