"""The pages: commands run, Python prints what is said, links lead somewhere, --help is documented."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fallax.cli import COMMANDS, command_of, main
from fallax.core.registry import KINDS, registry
from fallax.errors import FallaxError, InputError, ModelError
from tests.support.scripts import script

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: Pages whose ``sh`` blocks hold only commands that run as they stand, from the top of the repository.
RUNNING = [
    ROOT / "README.md",
    *(
        ROOT / "docs" / f"{name}.md"
        for name in (
            "agree",
            "calibrate",
            "debate",
            "detect",
            "detectors",
            "judge",
            "scan",
            "score",
            "smartypat",
            "structures",
            "verify",
            "verify-benchmark",
        )
    ),
]
#: Started by these words, a line is not run here: a target that runs the tests would run itself.
NOT_HERE = ("make ", "pipx ", "python benchmarks/")


def commands_of(page: Path) -> list[str]:
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith(NOT_HERE)]


def run_line(line: str, folder: Path, *, clean: bool = False) -> tuple[int, str]:
    """One line of a page: ``fallax ...``, perhaps fed by ``cat`` or ``echo``; files go to a folder of the test.

    ``clean``: in a shell that knows nothing of this one, with an empty home.
    """
    given, _, command = line.rpartition(" | ")
    words = shlex.split(command)
    fed = shlex.split(given)
    assert not fed or fed[0] in ("cat", "echo"), line
    assert words[0] == "fallax", line
    for i, word in enumerate(words):
        if word in ("--output", "-o", "--runs"):
            words[i + 1] = str(folder / words[i + 1])
    done = subprocess.run(
        [sys.executable, "-m", "fallax", *words[1:]],
        input=b"" if not fed else (ROOT / fed[1]).read_bytes() if fed[0] == "cat" else fed[1].encode() + b"\n",
        capture_output=True,
        cwd=ROOT,
        check=False,
        env={**({"PATH": os.defpath, "HOME": str(folder)} if clean else os.environ), "PYTHONPATH": str(ROOT / "src")},
    )
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize(
    ("page", "line"),
    [(page, line) for page in RUNNING for line in commands_of(page)],
    ids=lambda value: value.name if isinstance(value, Path) else value[:60],
)
def test_commands_of_a_page_run(page: Path, line: str, tmp_path: Path) -> None:
    code, err = run_line(line, tmp_path, clean=page.name == "README.md")
    assert code == 0, err


def test_the_make_targets_of_the_readme_exist() -> None:
    targets = re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert {"demo", "test"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.fixture
def parts_forgotten() -> Iterator[None]:
    """What a page adds to the registries is gone after it, so that lists in later tests are those of fallax alone."""
    yield
    for kind in KINDS:
        entries = registry(kind)._entries
        for name, entry in list(entries.items()):
            where = entry.value if isinstance(entry.value, str) else getattr(entry.value, "__module__", "fallax")
            if not where.startswith("fallax"):
                del entries[name]


@pytest.mark.parametrize("page", RUNNING, ids=lambda p: p.name)
@pytest.mark.usefixtures("parts_forgotten")
def test_python_of_a_page_prints_what_it_says(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    text = page.read_text(encoding="utf-8")
    for code, expected in re.findall(r"```python\n(.*?)```(?:\n\n```output\n(.*?)```)?", text, re.DOTALL):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code.replace('open("examples/editorial.txt").read()', "TEXT"), names | {"TEXT": "So it is."}, names)
        assert not expected or out.getvalue() == expected


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", prose_of(page)):
        if "://" not in target:
            to = page.parent / target if target else page
            assert to.exists(), f"{page.name}: {target}"
            assert not anchor or to.suffix != ".md" or anchor in anchors_of(to), f"{page.name}: {target}#{anchor}"


@pytest.mark.parametrize("name", ["agree", "calibrate", "scan", "score"])
def test_the_first_output_that_a_page_shows_is_that_of_its_first_command(name: str, tmp_path: Path) -> None:
    page = ROOT / "docs" / f"{name}.md"
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(commands_of(page)[0])], capture_output=True, text=True, cwd=tmp_path,
        check=True, env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "100"},
    )  # fmt: skip
    shown = re.findall(r"```text\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[0]
    if name == "calibrate":  # a cell of a table, which breaks its lines
        shown, done.stdout = " ".join(shown.split()), " ".join(done.stdout.replace("│", " ").split())
    assert shown in done.stdout


def test_no_two_pages_use_one_run_folder_for_different_runs() -> None:
    # whoever follows both pages would be told that the folder holds another run
    runs: dict[str, set[str]] = {}
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "tutorials").glob("*.md")):
        if page.stem not in ("commands", "outputs", "installed"):
            for line in re.findall(
                r"^(?:\$ | {4})?(fallax bench run .*)$", page.read_text(encoding="utf-8"), re.MULTILINE
            ):
                command = " ".join(line.split("  #")[0].split())
                for folder in re.findall(r"--output (\S+)", command):
                    runs.setdefault(folder, set()).add(command)
    assert len(runs) > 10
    assert {folder: lines for folder, lines in runs.items() if len(lines) > 1} == {}


def prose_of(page: Path) -> str:
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip()) for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_rows_of_a_table_have_the_cells_of_its_head(page: Path) -> None:
    # GitHub ends a cell at a bar in backticks, and the site shows the backslash of an escaped one there
    for table in re.findall(r"(?:^ *\|.*\|\n)+", prose_of(page), re.MULTILINE):
        cells = [len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()]
        assert set(cells) == {cells[0]}, table[:200]
        assert not re.search(r"`[^`|]*\\\|[^`]*`", table), table[:200]


def test_every_command_and_option_is_documented() -> None:
    write_commands_page = script("write_commands_page")
    expected = write_commands_page.page()
    assert (ROOT / "docs" / "commands.md").read_text(encoding="utf-8") == expected, (
        "docs/commands.md is out of date: python scripts/write_commands_page.py"
    )


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_of_a_command_is_short_and_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert not stop.value.code
    assert f"fallax {name}" in capsys.readouterr().out


def test_the_page_of_exit_codes_names_commands_that_exist() -> None:
    text = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    listed = text.split("By command:")[1]
    commands = {full.removeprefix("fallax ") for name in COMMANDS for full, _ in _below(name)}
    named = {name for row in listed.splitlines()[4:] for name in re.findall(r"`([a-z][a-z -]*)`", row.split("|")[1])}
    assert named
    assert named <= commands | set(COMMANDS)
    for error in (FallaxError, InputError, ModelError):
        assert f"| {error.exit_code} |" in text


def _below(name: str) -> Iterator[tuple[str, Any]]:
    found: Iterator[tuple[str, Any]] = script("write_commands_page").commands(command_of(name), f"fallax {name}")
    return found
