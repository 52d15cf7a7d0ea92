"""What reaches a terminal, and what happens to output that cannot be written."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.table import Table

from fallax.cli._console import Console
from fallax.cli._terminal import _Filtered

SRC = str(Path(__file__).parents[3] / "src")
#: Sets the title, fills the clipboard, links, hides, rings, turns the text, 8-bit control, closes markup.
HOSTILE = "[/]x\x1b]0;title\x07\x1b]52;c;aGk=\x07\x1b]8;;http://evil\x1b\\[removed]\x07\x9b2J\u202e[bold]y"


def fallax(*words: str, stdout: int | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fallax", *words],
        input=stdin,
        stdout=subprocess.PIPE if stdout is None else stdout,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        cwd=Path(SRC).parent,
        env={**os.environ, "PYTHONPATH": SRC},
    )


def in_terminal(*words: str) -> str:
    """What a command writes to a terminal of its own, both streams."""
    pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
    main_end, other_end = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "fallax", *words],
            stdin=subprocess.DEVNULL,
            stdout=other_end,
            stderr=other_end,
            env={**os.environ, "PYTHONPATH": SRC, "COLUMNS": "80", "TERM": "xterm-256color"},
        )
        os.close(other_end)
        found = b""
        try:
            while block := os.read(main_end, 65536):
                found += block
        except OSError:  # the other end was closed
            pass
        process.wait()
    finally:
        os.close(main_end)
    return found.decode("utf-8", "replace")


def assert_commands_nothing(shown: str) -> None:
    for command in ("\x1b]", "\x07", "\x9b", "\u202e", "\x1b\\"):
        assert command not in shown, repr(shown)


def test_console_shows_brackets_and_controls_as_text() -> None:
    file = io.StringIO()
    Console(file=file, force_terminal=True, width=200, highlight=False).print(HOSTILE, style="bold")
    assert_commands_nothing(file.getvalue())
    assert "[/]x" in file.getvalue()
    assert "[removed]" in file.getvalue()
    assert "[bold]y" in file.getvalue()
    assert "\x1b[1m" in file.getvalue()


def test_a_filtered_stream_keeps_colours_and_progress() -> None:
    inner = io.StringIO()
    stream = _Filtered(inner)
    own = "\r\x1b[K3 texts examined\x1b[1;31mred\x1b[0m\x1b[2K\x1b[1A\x1b[?25l\x1b[?25h\n\ttab é"
    assert stream.write(own) == len(own)
    assert inner.getvalue() == own
    stream.write(HOSTILE)
    assert_commands_nothing(inner.getvalue())


def test_hostile_names_texts_and_labels_reach_no_terminal(tmp_path: Path) -> None:
    data = tmp_path / "in.jsonl"
    texts = [{"id": "[/]x", "text": f"Everybody knows it, so it is true. {HOSTILE}"}, {"id": HOSTILE, "text": "No."}]
    data.write_text("".join(json.dumps(t) + "\n" for t in texts))
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"reply": HOSTILE}]))
    gold = tmp_path / "gold.jsonl"
    label = {"start": 0, "end": 2, "label": HOSTILE}
    gold.write_text(json.dumps({"id": HOSTILE, "text": "No.", "gold": [label], "taxonomy": "other"}) + "\n")
    for words in (
        ("detect", "--field", "text", str(data)),
        ("detect", str(tmp_path / HOSTILE.replace("/", ""))),
        ("models", "ask", f"scripted:{script}", "?"),
        ("data", "stats", str(gold)),
        (HOSTILE,),
    ):
        shown = in_terminal(*words)
        assert shown.strip()
        assert "Traceback" not in shown, shown
        assert_commands_nothing(shown)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    "words",
    [("data", "taxonomies", "mafalda"), ("--help",)],
    ids=lambda words: words[0],
)
def test_a_full_disk_is_one_line(words: tuple[str, ...]) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        done = fallax(*words, stdout=full)
    finally:
        os.close(full)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("fallax: error: ")
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "words",
    [("data", "taxonomies", "mafalda"), ("detect", "--system", "linear", "examples/plain.txt"), ("--help",)],
    ids=lambda words: words[0],
)
def test_a_closed_pipe_ends_in_silence(
    words: tuple[str, ...], unbuffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = fallax(*words, stdout=write_end)
    finally:
        os.close(write_end)
    assert (done.returncode, done.stderr) == (141, "")


def test_an_error_shows_no_key_and_no_control(tmp_path: Path) -> None:
    done = fallax("detect", str(tmp_path / f"sk-abcdefghijkl{HOSTILE.replace('/', '')}"))
    assert done.returncode == 2
    assert "sk-abcdefghijkl" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert_commands_nothing(done.stderr)


@pytest.mark.parametrize("width", [34, 50, 80])
def test_no_word_and_no_number_of_a_table_is_cut(width: int) -> None:
    table = Table(title="spans", show_edge=False)
    table.add_column("start", justify="right", no_wrap=True)
    table.add_column("label")
    table.add_column("confidence", justify="right")
    table.add_column("passage", overflow="fold")
    rows = [("198", "causal oversimplification", "95 %, label 32 %", "It rained; so it flooded."), ("7", "x", "-", "y")]
    for row in rows:
        table.add_row(*row)
    out = io.StringIO()
    Console(file=out, width=width).print(table)
    shown = out.getvalue()
    assert "…" not in shown
    assert {w for row in rows for cell in row for w in cell.split()} <= set(shown.split())
    assert max(map(len, shown.splitlines())) <= width
