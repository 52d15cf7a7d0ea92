"""Where a detector may be written: a new folder, that of a detector, or what an interrupted training left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fallax.cli import main
from fallax.detection.train_stacked import train_stacked
from fallax.detection.training.folder import CHECKPOINT, make_detector_folder
from fallax.errors import InputError

OWN = Path(__file__).parents[3] / "examples" / "own-labels.jsonl"
CARD = json.dumps({"name": "mine", "taxonomy": "mafalda", "labels": ["ad hominem"], "decoding": {"threshold": 0.5}})


def write_files(folder: Path, *names: str) -> dict[str, str]:
    """Write files, each with its own name; ``card.json`` is a card of an entailment model."""
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"name": "other"}' if name == "card.json" else name)
    return contents(folder)


def contents(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("thesis.txt", "heads.npz"), "thesis.txt"),
        (("labels.json",), "labels.json"),
        (("tokenizer.json", "config.json"), "config.json"),
        (("card.json", "encoder.onnx", "head.npz", "tokenizer.json"), "card.json"),
        (("run-1/records.jsonl", "run-1/run.json"), "run-1"),
        (("run-1/checkpoint.pt", "thesis.txt"), "thesis.txt"),
    ],
)
def test_a_folder_of_something_else_is_refused_and_stays_as_it_is(
    names: tuple[str, ...], found: str, tmp_path: Path
) -> None:
    before = write_files(tmp_path, *names)
    with pytest.raises(InputError) as raised:
        train_stacked([str(OWN)], tmp_path, name="mine")
    assert str(raised.value) == (
        f"{tmp_path}: must be a new folder or that of a detector, got one with {found} of something else;"
        " name another folder"
    )
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "names",
    [
        (),
        (".gitignore",),
        (f"run-1/{CHECKPOINT}",),
        (f"run-1/{CHECKPOINT}", f"run-2/{CHECKPOINT}.new"),
        (f"run-1/{CHECKPOINT}", "labels.json", "encoder.onnx", "head.npz"),
        ("heads.npz", "vocabulary.json", "encoder/card.json"),
    ],
)
def test_what_an_interrupted_training_left_is_used_again(names: tuple[str, ...], tmp_path: Path) -> None:
    write_files(tmp_path, *names)
    make_detector_folder(tmp_path)


def test_a_detector_is_replaced_whatever_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text(CARD)
    (tmp_path / "README.md").write_text("My detector.")
    make_detector_folder(tmp_path)


def test_the_same_command_replaces_its_detector_and_no_other_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["detectors", "train", "--on", str(OWN), "--output"]
    for _ in range(2):
        with pytest.raises(SystemExit) as stop:
            main([*words, "twice"])
        assert not stop.value.code
    assert {p.name for p in Path("twice").iterdir()} >= {"card.json", "heads.npz", "labels.json"}
    capsys.readouterr()
    write_files(Path("notes"), "thesis.txt")
    with pytest.raises(SystemExit) as stop:
        main([*words, "notes"])
    assert stop.value.code == 2
    assert capsys.readouterr().err == (
        "fallax: error: notes: must be a new folder or that of a detector, got one with thesis.txt of something else;"
        " name another folder\n"
    )


def test_fine_tuning_refuses_before_it_reads_the_encoder(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from fallax.detection.train import train_detector
    from fallax.detection.training.loop import DetectorSettings

    write_files(tmp_path, "thesis.txt")
    with pytest.raises(InputError, match=r"got one with thesis\.txt of something else"):
        train_detector([], tmp_path / "no-base", tmp_path, settings=DetectorSettings(), name="mine")
