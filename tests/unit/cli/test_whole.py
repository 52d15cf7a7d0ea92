"""What is written is whole or not there; Ctrl-C stops at once; errors lead somewhere."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fallax.cli import main
from fallax.cli._out import open_lines
from fallax.cli._progress import compute, parts_shown
from fallax.core.progress import counted
from fallax.core.sink import open_folder, open_out
from fallax.core.types import Detection, Prediction, Record, Span
from fallax.data import write_corpus
from fallax.detection.view import detections_page
from fallax.errors import InputError


def stopped(*records: Record) -> Iterator[Record]:
    yield from records
    raise KeyboardInterrupt


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(words)
    return int(stop.value.code or 0), *capsys.readouterr()


@pytest.mark.parametrize("form", ["json", "html", "table", "doccano", "text"])
def test_an_interrupted_answer_leaves_no_file(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fallax.cli.detect._records", lambda *a: stopped(Record("a", "The kettle is on.")))
    monkeypatch.chdir(tmp_path)
    Path("t.txt").write_text("x")
    with pytest.raises(SystemExit) as stop:
        main(["detect", "t.txt", "--format", form, "--output", "found"])
    assert stop.value.code
    assert os.listdir() == ["t.txt"]


def test_interrupted_lines_stay_in_a_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fallax.cli.detect._AHEAD", 1)
    monkeypatch.setattr("fallax.cli.detect._records", lambda *a: stopped(Record("a", "The kettle is on.")))
    (tmp_path / "t.txt").write_text("x")
    out = tmp_path / "found.jsonl"
    out.write_text("before\n")
    code, _, err = run(capsys, "detect", str(tmp_path / "t.txt"), "--format", "jsonl", "-o", str(out))
    assert code
    assert "found.jsonl.part: what was done so far" in err
    assert out.read_text() == "before\n"
    assert json.loads((tmp_path / "found.jsonl.part").read_text())["record"]["id"] == "a"


def test_lines_through_a_link_and_to_a_device(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with open_lines(tmp_path / "link") as write:
        write("new\n")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new\n"
    with open_lines(Path(os.devnull)) as write:
        write("gone\n")
    assert not Path(os.devnull).is_file()


def test_a_folder_of_files_is_whole_or_as_before(tmp_path: Path) -> None:
    out = tmp_path / "brat"
    twice = [Record("a", "One."), Record("b", "Two."), Record("a", "One.")]
    with pytest.raises(InputError, match="written once"):
        write_corpus(twice, out, format="brat")
    assert list(tmp_path.iterdir()) == []
    write_corpus(twice[:1], out, format="brat")
    (out / "notes").write_text("mine")
    with pytest.raises(InputError, match="written once"):
        write_corpus([Record("c", "Three."), *twice], out, format="brat")
    assert sorted(os.listdir(out)) == ["a.txt", "notes"]
    write_corpus([Record("a", "New.")], out, format="brat")
    assert (out / "a.txt").read_text() == "New."
    assert os.listdir(tmp_path) == ["brat"]


def test_modes_are_those_of_the_umask_which_nobody_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").write_text("mine")
    (tmp_path / "old").chmod(0o640)
    before = os.umask(0o077)
    with monkeypatch.context() as patched:
        # it is one for all threads: who sets it for a moment changes the files that others write then
        patched.setattr(os, "umask", lambda mask: pytest.fail("the umask was set"))
        try:
            for name in ("new", "old"):
                with open_out(tmp_path / name) as write:
                    write("x")
            with open_folder(tmp_path / "folder") as folder:
                (folder / "x").write_text("1")
        finally:
            patched.undo()
            os.umask(before)
    modes = {p.name: oct(p.stat().st_mode & 0o777) for p in tmp_path.iterdir()}
    assert modes == {"new": "0o600", "old": "0o640", "folder": "0o700"}


@pytest.mark.parametrize("where", ["written", "there"])
def test_a_folder_among_the_files_is_refused_before_one_of_them_moves(tmp_path: Path, where: str) -> None:
    out = tmp_path / "out"

    def write_both() -> None:
        with open_folder(out) as folder:
            (folder / "a").write_text("new")
            (folder / "encoder").write_text("x") if where == "there" else (folder / "encoder").mkdir()

    out.mkdir()
    (out / "a").write_text("old")
    if where == "there":
        (out / "encoder").mkdir()
    with pytest.raises(InputError, match="must get files only, got the folder 'encoder'"):
        write_both()
    assert (out / "a").read_text() == "old"
    assert os.listdir(tmp_path) == ["out"]


def test_a_folder_is_no_device_and_a_link_stays(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must be a folder"), open_folder(os.devnull):
        pass
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with open_folder(tmp_path / "link") as folder:
        (folder / "x").write_text("1")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "x").read_text() == "1"


@pytest.mark.usefixtures("python_hears_ctrl_c")
def test_ctrl_c_stops_what_computes_at_once() -> None:
    went_on: list[int] = []

    async def work() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        while len(went_on) < 10_000:  # a signal is handled between two instructions, or a few
            went_on.append(1)

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        compute(work())
    assert len(went_on) < 10_000
    assert signal.getsignal(signal.SIGINT) is before


def test_ctrl_c_while_a_command_is_imported_ends_it_in_silence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def importing(name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fallax.cli.command_of", importing)
    with pytest.raises(SystemExit) as stop:
        main(["detect", "a.txt"])
    assert stop.value.code == 130
    assert capsys.readouterr() == ("", "")


def test_one_long_text_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    ticks = iter(range(100))
    for terminal in (True, False):
        monkeypatch.setattr("fallax.cli._progress.live", lambda terminal=terminal: terminal)
        with parts_shown(lambda: float(next(ticks))):
            assert list(counted("abcd")) == list("abcd")
        err = capsys.readouterr().err
        assert ("50 % of a text" in err) == terminal
        assert err.endswith("\r\x1b[K") == terminal


def test_errors_about_data_sets_do_not_lead_in_circles(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FALLAX_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert "fallax data fetch" not in run(capsys, "data", "path", "logic")[2]
    by_hand = run(capsys, "data", "fetch", "logic", "--yes")[2]
    assert "made by hand" in by_hand
    assert "put it into" in by_hand
    assert "fallax data fetch cocolofa gets it" in run(capsys, "data", "path", "cocolofa")[2]


@pytest.mark.parametrize(("command", "option"), [("debate", "-s "), ("verify", "--evidence ")])
def test_a_text_in_place_of_a_subcommand(command: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = run(capsys, command, "my\x1b[31m.txt", "other.txt")
    assert code == 2
    assert "is no subcommand" in said
    assert f"give texts by options: fallax {command} " in said
    assert option in said
    assert "\x1b" not in said


def test_two_footnotes_are_not_read_as_one_number() -> None:
    record = Record("r", "He lies and he cheats.")
    spans = (Span(0, 22, "ad hominem"), Span(12, 22, "false cause"))
    page = detections_page([Detection(record, Prediction("r", spans), "demo")])
    assert "[1][2]" in re.sub(r"<[^>]+>", "", page)


def test_the_list_of_data_sets_fits_eighty_columns_and_a_pipe_gets_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    piped = run(capsys, "data", "list")[1].splitlines()
    assert {line.count("\t") for line in piped[1:]} == {7}
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", run(capsys, "data", "list")[1])
    names: Any = [line.split("\t")[0] for line in piped[2:]]
    assert all(f"\n{name} " in shown for name in names)
    assert max(map(len, shown.splitlines())) <= 80
    assert "not shown for lack of space: licence, splits; --json has them" in shown
