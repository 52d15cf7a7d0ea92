"""Files that commands write where a person says: refused before anything is loaded, asked or read."""

from __future__ import annotations

from pathlib import Path

import pytest

from fallax.cli import main
from fallax.cli._out import check_out, make_folder, write_out
from fallax.errors import InputError

#: Words up to the option that names the file; all other files and models that they name are absent.
COMMANDS = [
    "report absent --output",
    "detect absent.txt --output",
    "detect absent.txt --format jsonl --output",
    "structure absent.json --output",
    "verify --claim c --evidence absent.txt --svg",
    "debate -d absent.txt -s absent.txt --html",
    "debate learn-guidelines --examples absent.jsonl --model scripted:absent.json --output",
    "build posts absent.jsonl --output",
    "build forms absent.jsonl --output",
    "build apply absent.txt --output",
    "build benign absent.txt --like absent.jsonl --output",
    "build causal-apply absent.txt --output",
    "build judge-sheet absent --output",
    "build judge-model absent --model scripted:absent.json --output",
]


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize(
    ("place", "message"), [(".", "must be a file to write to, got a folder"), ("gone/x", "its folder must exist")]
)
def test_a_place_that_cannot_be_written_is_told_first(
    words: str,
    place: str,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main([*words.split(), place])
    printed = capsys.readouterr()
    assert (stop.value.code, printed.out) == (2, "")
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


#: Words of commands whose output is their own input.
SAME = [
    "detect a.txt --output a.txt",
    "detect . --format html --output ./a.txt",
    "detect a.txt --format jsonl --output link.txt",
    "detect a.txt --format doccano --output a.txt",
    "structure a.txt --output a.txt",
    "verify --claim c --evidence a.txt --svg a.txt",
    "verify --claim c --documents . --svg a.txt",
    "verify --claims a.txt --output a.txt",
    "debate -d a.txt --summary-text x --html a.txt",
    "debate -d b.txt -s a.txt --html a.txt",
    "debate --pairs a.txt --quick --output a.txt",
    "debate learn-guidelines --examples a.txt --model scripted:absent.json --output a.txt",
    "agree a.txt b.txt --output a.txt",
    "agree a.txt b.txt --merge union --output b.txt",
    "agree b.txt b.txt --merge adjudicated=a.txt --output a.txt",
    "agree folder b.txt --merge union --to brat --output folder",
    "calibrate a.txt --output a.txt",
    "report folder --output folder/run.json",
    "gate a.txt --junit a.txt",
    "build posts a.txt --output a.txt",
    "build forms a.txt --output a.txt",
    "build apply a.txt --output a.txt",
    "build benign b.txt --like a.txt --output a.txt",
    "build causal-apply a.txt --output a.txt",
]


@pytest.mark.parametrize("words", SAME)
def test_an_input_is_never_the_output(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    files = [Path("a.txt"), Path("b.txt"), Path("folder/run.json")]
    for file in files:
        file.write_text("You lie.\n", encoding="utf-8")
    Path("link.txt").symlink_to("a.txt")
    with pytest.raises(SystemExit) as stop:
        main(words.split())
    printed = capsys.readouterr()
    assert (stop.value.code, printed.out) == (2, "")
    assert printed.err.endswith("must not be what the command reads, got an input as the output; name another\n")
    assert printed.err.count("fallax: error: ") == 1
    assert [file.read_text(encoding="utf-8") for file in files] == ["You lie.\n"] * 3


#: Words of commands whose output lies in a folder that they read.
INSIDE = [
    "build posts folder --output folder/b.jsonl",
    "build posts link --output folder/new.jsonl",
    "build benign folder --like a.txt --output folder/b.jsonl",
    "build benign folder --like a.txt --output link/below/new.jsonl",
    "build causal-apply a.txt --corpus folder --output folder/new.jsonl",
]


@pytest.mark.parametrize("words", INSIDE)
def test_an_output_never_lies_in_a_folder_that_is_read(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder/below").mkdir(parents=True)
    Path("link").symlink_to("folder")
    Path("a.txt").write_text("You lie.\n", encoding="utf-8")
    Path("folder/b.jsonl").write_text('{"text": "You lie."}\n', encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        main(words.split())
    printed = capsys.readouterr()
    assert (stop.value.code, printed.out) == (2, "")
    assert "must not lie in a folder that the command reads, got " in printed.err
    assert printed.err.count("\n") == 1
    assert sorted(p.name for p in Path("folder").iterdir()) == ["b.jsonl", "below"]
    assert Path("folder/b.jsonl").read_text(encoding="utf-8") == '{"text": "You lie."}\n'


def test_a_fault_of_the_disk_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No space left on device"):
        write_out(Path("/dev/full"), "x" * 100_000)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="must be a folder that can be written, got "):
        make_folder(tmp_path / "file" / "x")


@pytest.mark.parametrize("words", ["{file}/x --to brat", "- --to propaganda --out-articles {file}/x"])
def test_a_folder_that_cannot_be_made_is_one_line(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a", "text": "You lie.", "gold": []}\n', encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        main(["data", "convert", str(tmp_path / "a.jsonl"), *words.format(file=tmp_path / "a.jsonl").split()])
    assert stop.value.code == 2
    assert "must be a folder that can be written" in capsys.readouterr().err


def test_a_set_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        main(["generate", "-n", "1", "--fallacy", "FS", "--output", str(tmp_path / "file" / "x.jsonl")])
    assert stop.value.code == 2
    assert "must be a file that can be written" in capsys.readouterr().err


def test_a_place_without_permission_is_told_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != tmp_path)
    with pytest.raises(InputError, match="must be a place to write to, got no permission"):
        check_out(tmp_path / "x")
    assert check_out(Path("/dev/null")) == Path("/dev/null")


def test_standard_output_has_two_names(tmp_path: Path) -> None:
    assert check_out(None) is check_out(Path("-")) is None
    assert check_out(tmp_path / "x") == tmp_path / "x"
