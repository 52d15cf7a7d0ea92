"""Every place that a command writes to, found from the commands themselves: devices, links, folders, full disks."""

from __future__ import annotations

import io
import itertools
import os
import re
import shlex
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import pytest

from fallax.cli import COMMANDS, command_of, main
from tests.support.scripts import script

ROOT = Path(__file__).parents[3]
OUTPUTS = script("write_outputs_page")


class Target(NamedTuple):
    """How a command is called so that it writes to the place ``TARGET``.

    ``kind``: file, whole or not at all; lines, resumed where it broke off; card, lines with a card beside them; folder;
    base, a file of SQLite; new and new folder, which must not be there yet; early, a folder that is refused before what
    fills it, and that takes long to fill.
    """

    words: str
    kind: str = "file"


BENCH = "bench run mafalda --data examples/gold.jsonl --system"
CALLS = "models cache"
DEBATE = "debate -d examples/minutes.txt -s examples/minutes-summary.txt"
VERIFY = 'verify --claim "The valley was flooded." --evidence examples/verify/dam.txt'
JUDGED = "build judge-model run-c --model scripted:silent.json"
LEARN = "debate learn-guidelines --examples learn.jsonl --model scripted:teacher.json --passes 1"
METHODS = "build methods --model scripted:writer.json --rater-model RATER --fallacy FS --method direct -n 1"
GATE = "gate run-a --baseline run-a --margin 0.9"
POSTS = "examples/posts.csv --field title"

#: Command and parameter -> how it is called; every parameter that takes a path is here or in READS.
WRITES: Mapping[str, Target] = {
    "agree --output": Target("agree examples/annotators/ann.jsonl examples/annotators/bob.jsonl -o TARGET"),
    "annotate --project": Target("annotate examples/gold.jsonl --project TARGET --export answers", "base"),
    "annotate --export": Target("annotate project.sqlite --export TARGET", "folder"),
    "bench run --output": Target(f"{BENCH} keywords --output TARGET", "folder"),
    "bench run --cache": Target(f"{BENCH} scripted:silent.json --output FRESH --cache TARGET", "base"),
    "bench resume --cache": Target("bench resume run-m --cache TARGET", "base"),
    "bench merge out": Target("bench merge TARGET part-1 part-2", "folder"),
    "build causal --output": Target("build causal examples/verify/pairs.csv --model MILL -o TARGET", "folder"),
    "build causal --cache": Target(
        "build causal examples/verify/pairs.csv --model MILL -o FRESH --cache TARGET", "base"
    ),
    "build causal-apply --output": Target("build causal-apply mill/review.txt -o TARGET"),
    "build methods --output": Target(f"{METHODS} -o TARGET"),
    "build judge-sheet --output": Target("build judge-sheet run-c -o TARGET", "new"),
    "build judge-model --output": Target(f"{JUDGED} -o TARGET"),
    "build posts --output": Target(f"build posts {POSTS} -o TARGET"),
    "build methods --cache": Target(f"{METHODS} -o FRESH --cache TARGET", "base"),
    "build judge-model --cache": Target(f"{JUDGED} -o FRESH --cache TARGET", "base"),
    "build forms --output": Target("build forms posts.jsonl -o TARGET", "lines"),
    "build forms --cache": Target(
        "build forms posts.jsonl --model scripted:examples/drafter.jsonl -o FRESH --cache TARGET", "base"
    ),
    "build apply --output": Target("build apply examples/review.txt -o TARGET"),
    "build benign --output": Target("build benign examples/plain.txt --like examples/fallacies.jsonl -o TARGET"),
    "calibrate --output": Target("calibrate examples/ratings.csv --judge model -o TARGET"),
    "data convert out": Target("data convert examples/gold.jsonl TARGET --to conll"),
    "data convert --out-articles": Target(
        "data convert examples/gold.jsonl FRESH --to propaganda --out-articles TARGET", "folder"
    ),
    "data export --hf": Target("data export examples/gold.jsonl --licence MIT --hf TARGET", "folder"),
    "data fetch --output": Target("data fetch cocolofa --yes --output TARGET", "early"),
    "debate --output": Target("debate --pairs examples/pairs.jsonl --quick -o TARGET", "lines"),
    "debate --html": Target(f"{DEBATE} --quick --system lexical-overlap --html TARGET"),
    "debate --cache": Target(f"{DEBATE} --model scripted:examples/debate.json --cache TARGET", "base"),
    "debate prompts --output": Target("debate prompts -o TARGET", "new folder"),
    "debate learn-guidelines --output": Target(f"{LEARN} -o TARGET"),
    "debate learn-guidelines --cache": Target(f"{LEARN} -o FRESH --cache TARGET", "base"),
    "detect --output": Target("detect examples/minutes.txt --system linear --format json -o TARGET"),
    "detect --cache": Target("detect examples/plain.txt --model scripted:silent.json --cache TARGET", "base"),
    "detectors train --output": Target("detectors train --on flicc --output TARGET", "early"),
    "detectors validate --output": Target(
        "detectors validate --on flicc --base encoder --folds 3 --output TARGET", "early"
    ),
    "gate --junit": Target(f"{GATE} --junit TARGET"),
    "gate --sarif": Target(f"{GATE} --sarif TARGET"),
    "gate --markdown": Target(f"{GATE} --markdown TARGET"),
    "generate --output": Target("generate --fallacy FS -n 1 --evaluator joins -o TARGET", "card"),
    "generate --cache": Target(
        "generate --model scripted:silent.json --method direct --fallacy FS -n 1 -o FRESH.jsonl --cache TARGET", "base"
    ),
    "models ask --cache": Target("models ask scripted:silent.json why --cache TARGET", "base"),
    "models cache export path": Target(f"{CALLS} export TARGET --cache calls.sqlite"),
    "models cache export --cache": Target(f"{CALLS} export FRESH --cache TARGET", "base"),
    "models cache info --cache": Target(f"{CALLS} info --cache TARGET", "base"),
    "models cache repair --cache": Target(f"{CALLS} repair --cache TARGET", "base"),
    "models cache verify --cache": Target(f"{CALLS} verify --cache TARGET", "base"),
    "models cache import --cache": Target(f"{CALLS} import calls.jsonl --cache TARGET", "base"),
    "report --output": Target("report run-a -o TARGET"),
    "reproduce smartypat --tables": Target("reproduce smartypat --from examples/judges --tables TARGET"),
    "scan --output": Target("scan examples/gold.jsonl -o TARGET --system linear", "folder"),
    "serve --store": Target("serve --port 0 --no-open --store TARGET --project kept", "base"),
    "serve --cache": Target(
        "serve --port 0 --no-open --store kept.sqlite --model scripted:silent.json --cache TARGET", "base"
    ),
    "serve --project": Target("serve --port 0 --no-open --store kept.sqlite --project TARGET", "base"),
    "structure --output": Target("structure examples/structure.txt -o TARGET"),
    "verify --output": Target("verify --claims examples/why-claims.jsonl -o TARGET", "lines"),
    "verify --svg": Target(f"{VERIFY} --svg TARGET"),
    "verify --cache": Target(f"{VERIFY} --model scripted:silent.json --cache TARGET", "base"),
    "verify train --output": Target("verify train --on examples/verify/claims.jsonl --output TARGET", "folder"),
}
#: Parameters that name what is read, and writing ones whose place is tried elsewhere.
READS = frozenset(
    """
    agree files/annotate source/annotate --guidelines/annotate --suggest/bench resume path/bench verify path
    bench repair path/bench score path/bench compare paths/bench merge shards/bench export path/build causal --corpus
    build causal-check reviews/build causal-apply reviews/build causal-apply --corpus/build causal-apply --build
    build judge-sheet run/build judge-model run/build judge-scores run/build judge-scores --review
    build judge-scores --judged/build posts files/build forms posts/build check review/build check --posts
    build apply review/build apply --posts/build benign corpus/build benign --like/build agree files
    build diversity files/calibrate verdicts/calibrate --people/data stats --articles/data stats --root
    data convert --articles/data convert --records/data export --articles/data validate --articles/data list --root
    data path --root/debate learn-guidelines --documents/debate --pairs/debate --document/debate --summary
    debate --calibration/detectors train --base/detectors train --root/detectors validate --base
    detectors validate --root
    verify train --base/verify train --documents/verify train --root
    detectors evaluate --on/detectors evaluate --passages/detectors evaluate --run/detectors evaluate --root
    detect paths/gate what/gate --baseline/generate --facts/generate --examples/models cache import path/report runs
    reproduce mafalda --from/reproduce smartypat --from/reproduce smartypat --ratings/reproduce smartypat --people
    reproduce madisse --from/score --gold/score --pred/score --articles/score --similarity-model/serve --runs
    debate --prompts/verify --claims/verify --evidence/verify --documents
    """.replace("\n", "/").split("/")
)
#: Writing parameters that need weights, a network or an extra: (parameter, where their place is tried).
ELSEWHERE: Mapping[str, str] = {
    "bench export --output": "tests/unit/integrations/test_inspect.py",
    "bench export --cache": "tests/unit/integrations/test_inspect.py",
    "reproduce madisse --plots": "tests/unit/cli/test_reproduce_madisse.py",
}


def commands() -> Iterator[tuple[str, Any]]:
    def below(command: Any, name: str) -> Iterator[tuple[str, Any]]:
        children = getattr(command, "commands", {})
        for child, found in children.items():
            yield from below(found, f"{name} {child}")
        if not children or command.invoke_without_command:
            yield name, command

    for name in COMMANDS:
        yield from below(command_of(name), name)


def test_every_path_of_every_command_is_known() -> None:
    paths = {
        f"{name} {p.opts[0]}"
        for name, command in commands()
        for p in command.params
        if "Path" in str(getattr(getattr(p, "type_descriptor", None), "annotation", ""))
    }
    reads = {" ".join(r.split()) for r in READS if r.strip()}
    assert paths | {"data convert out"} == reads | set(WRITES) | set(ELSEWHERE)


_NUMBERS = itertools.count()


def run(words: str, target: object = "") -> tuple[int, str]:
    """The exit code, and what was printed on standard error."""
    words = words.replace("MILL", "scripted:examples/verify/builder.jsonl")
    words = words.replace("RATER", "scripted:examples/rater.jsonl").replace("TARGET", str(target))
    words = words.replace("FRESH", f"fresh-{next(_NUMBERS)}")
    err = io.StringIO()
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(err):
            main(shlex.split(words))
    except SystemExit as stop:
        return int(stop.code or 0), err.getvalue()
    return 0, err.getvalue()


@pytest.fixture(scope="module")
def _made() -> Iterator[Path]:
    """A folder with what the commands read, made by the commands that make it."""
    with OUTPUTS.place() as folder:
        (folder / "silent.json").write_text('[{"reply": "I cannot say."}]')
        for words in (
            f"{BENCH} keywords --output run-a",
            f"{BENCH} random --shard 1/2 --output part-1",
            f"{BENCH} random --shard 2/2 --output part-2",
            f"{BENCH} scripted:silent.json --output run-m --cache calls.sqlite",
            "bench run causal -B set=examples/verify/claims.jsonl --system scripted:examples/verify/script.jsonl"
            " --protocol task-3 --output run-c",
            "annotate examples/gold.jsonl --project project.sqlite --export begun",
            f"{CALLS} export calls.jsonl --cache calls.sqlite",
            "build causal examples/verify/pairs.csv --model MILL -o mill",
            f"build posts {POSTS} -o posts.jsonl",
        ):
            code, err = run(words)
            assert code in (0, 1, 3), (words, err)
        review = folder / "mill" / "review.txt"
        review.write_text(re.sub("(?m)^status:.*", "status: ok", review.read_text()))
        yield folder


@pytest.fixture
def made(_made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(_made)
    return _made


def of_kind(*kinds: str) -> list[Any]:
    return [pytest.param(t, id=name) for name, t in WRITES.items() if t.kind in kinds]


def one_error(err: str, name: str) -> None:
    """One line of an error that names the place, and no traceback."""
    lines = [line for line in err.splitlines() if line.startswith("fallax: error: ")]
    assert len(lines) == 1, err
    assert name in lines[0] or "No space left" in lines[0], err
    assert "Traceback" not in err, err


@pytest.mark.parametrize("target", of_kind("file", "lines", "card", "new"))
def test_a_file_that_cannot_be_written_is_one_line_and_a_device_stays_one(target: Target, made: Path) -> None:
    (made / "there.jsonl").mkdir(exist_ok=True)
    code, err = run(target.words, "there.jsonl")
    assert code == 2
    one_error(err, "there.jsonl")
    assert not os.listdir("there.jsonl")
    code, err = run(target.words, "/dev/full")
    assert code in (1, 2)
    one_error(err, "/dev/full")
    if target.kind in ("file", "lines"):
        _, err = run(target.words, os.devnull)
        assert "error" not in err
    for device in ("/dev/full", os.devnull):
        assert stat.S_ISCHR(os.stat(device).st_mode), device


@pytest.mark.parametrize("target", of_kind("file", "lines", "card"))
def test_a_link_stays_a_link_and_what_it_names_is_written(target: Target, made: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to("real.jsonl")
    _, err = run(target.words, link)
    assert "error" not in err
    assert link.is_symlink()
    assert {p.name for p in tmp_path.iterdir()} - {
        "link.md",
        "link.run.json",
        "link.jsonl.run.json",
        "sentences.jsonl",
    } == {
        "link.jsonl",
        "real.jsonl",
    }
    assert (tmp_path / "real.jsonl").stat().st_size


@pytest.mark.parametrize("target", of_kind("file"))
def test_an_interrupted_command_leaves_the_old_file(
    target: Target, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "old").write_text("old")
    monkeypatch.setattr("fallax.core.sink.encode", interrupted)
    code, err = run(target.words, tmp_path / "old")
    assert code
    assert "Traceback" not in err
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_text() == "old"


@pytest.mark.parametrize("target", of_kind("folder", "new folder", "early"))
def test_a_folder_is_no_file_and_no_device(target: Target, made: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for there in (tmp_path / "file", Path(os.devnull), tmp_path / "file" / "below"):
        code, err = run(target.words, there)
        assert code in (1, 2)
        one_error(err, "file" if "file" in there.parts else "null")
    assert (tmp_path / "file").read_text() == "mine"
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    if target.kind != "folder":
        return
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    code, err = run(target.words, tmp_path / "link")
    assert code == 0, err
    assert (tmp_path / "link").is_symlink()
    assert os.listdir(tmp_path / "real")


@pytest.mark.parametrize("target", of_kind("base"))
def test_a_base_is_no_device_no_folder_and_no_text(target: Target, made: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("mine, and no base at all")
    (tmp_path / "there").mkdir()
    for there in (tmp_path / "text", tmp_path / "there", Path("/dev/full"), Path(os.devnull)):
        code, err = run(target.words, there)
        assert code in (1, 2), there
        one_error(err, there.name)
    assert (tmp_path / "text").read_text() == "mine, and no base at all"
    assert sorted(os.listdir(tmp_path)) == ["text", "there"]
    for device in ("/dev/full", os.devnull):
        assert stat.S_ISCHR(os.stat(device).st_mode), device


#: Lines that print nothing to standard output: what they make goes to a file, and what they say to standard error.
SILENT = (
    "report run-a --output", "generate --fallacy", "data validate examples/gold.jsonl",
    "data convert examples/gold.jsonl recorded/", "build posts ", "build forms ", "build apply ", "build benign ",
    "build causal ", "build causal-apply ", "build judge-sheet ", "build judge-model ",
)  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("stream", ["full", "pipe"])
def test_every_command_ends_in_a_line_where_its_output_is_full_and_in_silence_where_it_is_closed(
    stream: str,
) -> None:
    said: dict[str, tuple[int, str]] = {}
    with OUTPUTS.place():
        for name, lines in OUTPUTS.SHOWN.items():
            needed = name in ("bench run", "data convert")  # what others read
            for line in [w for w in lines if "--dry-run" not in w] if needed else lines[:1]:
                err = io.StringIO()
                with _broken(stream) as out, redirect_stdout(out), redirect_stderr(err):
                    try:
                        main([*name.split(), *shlex.split(line)])
                        code = 0
                    except SystemExit as stop:
                        code = int(stop.code or 0)
                said[f"{name} {line}"] = code, err.getvalue()
    for words, (code, told) in said.items():
        errors = [e for e in told.splitlines() if e.startswith("fallax: error: ")]
        assert "Traceback" not in told, words
        if stream == "full":
            silent = words.startswith(SILENT)
            assert bool(code) != silent, (words, code, told)
            assert silent or "No space left on device" in errors[-1], (words, code, told)
        else:
            assert code in (0, 1, 141), (words, code, told)
            assert not errors or code == 1, (words, told)
    wrote = [words for words, (code, _) in said.items() if code]
    assert len(wrote) > 30


@contextmanager
def _broken(stream: str) -> Iterator[TextIO]:
    """A stream to a full device, or to a pipe that nobody reads."""
    if stream == "full":
        out = open("/dev/full", "w", encoding="utf-8")  # noqa: SIM115
    else:
        read_end, write_end = os.pipe()
        os.close(read_end)
        out = os.fdopen(write_end, "w", encoding="utf-8")
    try:
        yield out
    finally:
        with suppress(OSError):
            out.close()
