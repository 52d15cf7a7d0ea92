"""fallax detectors: list, show, evaluate, and what a wrong word gets."""

import json
import os
from pathlib import Path

import pytest

from fallax.cli import main
from fallax.detection.validation import make_validation_folder

OWN = Path(__file__).parents[3] / "examples" / "own-labels.jsonl"
PLAIN = Path(__file__).parents[3] / "examples" / "plain.txt"
MAFALDA = Path(os.environ.get("FALLAX_DATA", "/nowhere")) / "mafalda_dev"


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = 0
    try:
        main([str(w) for w in words])
    except SystemExit as stop:
        code = int(stop.code or 0)
    out = capsys.readouterr()
    return code, out.out, out.err


def test_list_names_what_ships(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "detectors", "list", "--json")
    assert code == 0
    assert sorted(json.loads(out)) == ["encoder", "encoder-large", "encoder-small", "linear"]
    assert "linear" in run(capsys, "detectors", "list")[1]


@pytest.mark.parametrize("name", ["encoder", "encoder-small", "linear"])
def test_show_gives_the_card(capsys: pytest.CaptureFixture[str], name: str) -> None:
    code, out, _ = run(capsys, "detectors", "show", name)
    assert code == 0
    assert f"name: {name}" in out
    assert "trained on:" in out
    card = json.loads(run(capsys, "detectors", "show", name, "--json")[1])
    assert card["labels"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", "nope"), "unknown detector 'nope'"),
        (("evaluate", "linear", "linear"), "detectors must be named once each"),
        (("evaluate", "linear", "--on", "/nowhere"), "/nowhere: must hold gold.jsonl"),
    ],
)
def test_a_wrong_word_gets_one_line(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    code, _, err = run(capsys, "detectors", *words)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_training_without_torch_names_the_extra(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    try:
        import torch  # noqa: F401

        pytest.skip("torch is installed")
    except ImportError:
        pass
    words = ("train", "--on", "reddit", "--output", tmp_path / "d", "--base", tmp_path)
    code, _, err = run(capsys, "detectors", *words)
    assert code == 1
    assert "pip install 'fallax[train]'" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--on", "flicc", "--epochs", 2), "--epochs: needs --base"),
        (("--on", "flicc,reddit"), "must name sets of one label set"),
        (("--on", "mafalda"), "must not be trained on"),
        (("--on", "flicc", "--unit", "page"), "--unit: must be text or sentence"),
        (("--on", OWN, "--name", "reddit"), "label set 'reddit': has the name of another one"),
        (("--on", PLAIN), "plain.txt: must hold texts with labels, got none"),
        (("--on", OWN, "--taxonomy", "nowhere.toml"), "nowhere.toml: must be a readable file"),
    ],
)
def test_heads_refuse_what_they_would_not_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[object, ...], message: str
) -> None:
    if words[1] == "flicc,reddit" and not MAFALDA.is_dir():
        pytest.skip("flicc and reddit are not in FALLAX_DATA")
    code, _, err = run(capsys, "detectors", "train", "--output", tmp_path / "d", *words)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_training_on_a_handful_of_texts_says_what_that_means(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    herd, person = "All my colleagues do it, so it is right.", "You failed maths, so you are wrong."
    rows = [(herd, ["herd"]), ("The bus leaves at nine.", []), (person, ["person"]), ("It rained on Tuesday.", [])]
    texts = [
        {"id": str(i), "text": t, "gold": [{"start": 0, "end": len(t), "labels": x}] if x else []}
        for i, (t, x) in enumerate([*rows, (herd, ["herd"])])
    ]
    (tmp_path / "few.jsonl").write_text("".join(json.dumps(x) + "\n" for x in texts), encoding="utf-8")
    (tmp_path / "set.toml").write_text('name = "handful"\nlabels = ["herd", "person", "slope"]\n', encoding="utf-8")
    words = ("train", "--on", tmp_path / "few.jsonl", "--taxonomy", tmp_path / "set.toml", "-o", tmp_path / "d")
    code, _, err = run(capsys, "detectors", *words)
    assert code == 0
    (line,) = (x for x in err.splitlines() if x.startswith("fallax: note: "))
    assert "trained on 5 texts" in line
    assert "fewer than 20 texts are learned poorly, and the F1 is uncertain: person (1), herd (2)" in line
    assert "in no text are never found: slope" in line
    assert "weak at: trained on 5 texts" in run(capsys, "detectors", "show", tmp_path / "d")[1]


@pytest.mark.parametrize(
    ("words", "can"), [(("detectors", "train", "-o", "out", "--on"), False), (("data", "stats"), True)]
)
def test_only_commands_that_can_leave_out_bad_spans_say_so(
    words: tuple[str, ...],
    can: bool,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    row = {"id": "a", "text": "You lie.", "gold": [{"start": 0, "end": 8, "labels": [""]}]}
    Path("bad.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        main([*words, "bad.jsonl"])
    assert stop.value.code == 2
    err = capsys.readouterr().err
    assert ("--on-bad-span report" in err) == can
    assert "on_bad_span" not in err


@pytest.mark.skipif(not MAFALDA.is_dir(), reason="mafalda_dev is not in FALLAX_DATA")
def test_evaluate_puts_every_recorded_model_beside_the_detector(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "detectors", "evaluate", "linear", "--resamples", 100, "--json")
    assert code == 0, err
    rows = {row["system"]: row["cells"] for row in json.loads(out)}
    assert {"silent", "random", "keywords", "gpt-3.5"} < set(rows)
    assert len(rows) == 1 + 4 + 14
    found = {(c["unit"], c["level"]): round(c["f1"], 3) for c in rows["gpt-3.5"]}
    assert found[("span", 0)] == 0.618
    assert found[("text", 2)] == 0.5
    assert all("p_value" in c for c in rows["silent"])


def test_validation_is_of_one_kind(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("validate", "--on", "reddit", "--output", tmp_path / "v", "--base", tmp_path)
    for more in ((), ("--folds", "2", "--leave-one-out")):
        status, _, err = run(capsys, "detectors", *words, *more)
        assert status != 0
        assert "one of them" in err


@pytest.mark.parametrize("name", ["thesis.txt", "fold-1-of-3.jsonl", "without-flicc/notes.txt"])
def test_validation_writes_into_no_folder_of_something_else(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine\n")
    words = ("--on", "reddit", "--output", tmp_path, "--base", tmp_path, "--folds", 3)
    status, _, err = run(capsys, "detectors", "validate", *words)
    assert status != 0
    found = name.split("/", maxsplit=1)[0]
    assert f"{tmp_path}: must be a new folder or that of a validation, got one with {found} of something else" in err
    assert (tmp_path / name).read_text() == "mine\n"


def test_validation_goes_on_in_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "fold-1-of-3.jsonl").write_text('{"part": "fold-1-of-3"}\n')
    (tmp_path / "fold-2-of-3.new").write_text('{"part": "fo')
    (tmp_path / "fold-2-of-3" / "run-1").mkdir(parents=True)
    (tmp_path / ".DS_Store").write_text("")
    make_validation_folder(tmp_path)
