"""Annotated texts as a folder for the hub."""

import hashlib
import json
from pathlib import Path

import pytest

from fallax.cli import main
from fallax.core.types import GoldSpan, Record
from fallax.data.hub import write_hub_folder
from fallax.errors import InputError, RunError

pytest.importorskip("pyarrow", reason="needs the extra parquet: pip install 'fallax[parquet]'")

ROOT = Path(__file__).parents[3]
RECORDS = [
    Record("a", "\U0001f600 You lie.", (GoldSpan(2, 10, ("ad hominem", "no fallacy")),), meta={"year": 2026}),
    Record("b", "So it is.", ()),
    Record("c", "Nobody looked.", None),
]


def test_rows_keep_offsets_alternatives_and_what_nobody_annotated(tmp_path: Path) -> None:
    from pyarrow import parquet

    figures = write_hub_folder(iter(RECORDS), tmp_path / "hf", name='It\'s "ours"', licence="CC-BY-4.0")
    assert figures == {"n": 3, "annotated": 2, "spans": 1, "labels": {"ad hominem": 1, "no fallacy": 1}}
    file = tmp_path / "hf" / "data" / "train-00000-of-00001.parquet"
    rows = parquet.read_table(file).to_pylist()
    assert [r["gold"] for r in rows] == [[{"start": 2, "end": 10, "labels": ["ad hominem", "no fallacy"]}], [], None]
    assert rows[0]["text"][2:10] == "You lie."
    assert json.loads(rows[0]["meta"]) == {"year": 2026}
    about = json.loads((tmp_path / "hf" / "croissant.json").read_text())
    assert about["distribution"][0]["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    (shown,) = about["recordSet"]
    assert {f["@id"] for f in shown["field"]} == {f"default/{column}" for column in rows[0]}


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_hub_folder(RECORDS, tmp_path / name, name="ours", licence="CC-BY-4.0")
    for file in (tmp_path / "one").rglob("*.*"):
        assert file.read_bytes() == (tmp_path / "two" / file.relative_to(tmp_path / "one")).read_bytes()


def test_a_folder_with_something_in_it_and_no_records_are_refused(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")
    with pytest.raises(RunError, match="must be an empty folder"):
        write_hub_folder(RECORDS, tmp_path, name="ours", licence="CC-BY-4.0")
    with pytest.raises(InputError, match="at least one record"):
        write_hub_folder([], tmp_path / "new", name="ours", licence="CC-BY-4.0")
    assert not (tmp_path / "new").exists()


def test_the_command_writes_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["data", "export", str(ROOT / "examples/gold.jsonl"), "--hf", str(tmp_path / "hf"), "--licence", "MIT"])
    assert not stop.value.code
    assert "3 texts" in capsys.readouterr().out
    assert 'license: "mit"' in (tmp_path / "hf" / "README.md").read_text()


@pytest.mark.filterwarnings("ignore")
def test_croissant_validates_and_its_records_are_read(tmp_path: Path) -> None:
    reason = "needs mlcroissant: pip install mlcroissant; scripts/check_harnesses.sh does the same"
    croissant = pytest.importorskip("mlcroissant", reason=reason)
    write_hub_folder(RECORDS, tmp_path / "hf", name="ours", licence="CC-BY-4.0")
    dataset = croissant.Dataset(str(tmp_path / "hf" / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    rows = list(dataset.records("default"))
    assert [row["default/text"].decode() for row in rows] == [r.text for r in RECORDS]
