"""A short seeded part of ``make fuzz``, and what it found before."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from fallax.cli import main
from fallax.core.types.messages import Message, Reply, Request
from fallax.data import read_predictions, read_texts
from fallax.data._html import visible_text
from fallax.data.texts import MAX_TEXT_BYTES
from fallax.errors import FallaxError, FormatError, ModelError
from fallax.models import Cache, Call, read_rules
from tests.support.fuzzing import TARGETS, flips, fuzz, prepare


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder, before = tmp_path_factory.mktemp("fuzz"), Path.cwd()
    os.chdir(folder)
    try:
        prepare(folder)
        yield folder
    finally:
        os.chdir(before)


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs alarms of the system")
def test_changed_inputs_end_in_a_line(place: Path) -> None:
    faults, counts = fuzz(2 * len(TARGETS), 20, place)
    assert not faults
    assert counts.keys() == TARGETS.keys()


def test_no_flipped_bit_of_a_run_changes_a_score_in_silence(place: Path) -> None:
    faults, said = flips(60, 20, place)
    assert not faults
    assert said["refused"] > 30


@pytest.mark.parametrize("id_", [["a"], {"a": 1}, None, 3, True])
def test_ids_that_are_no_text_are_one_line(tmp_path: Path, id_: object) -> None:
    path = tmp_path / "pred.jsonl"
    path.write_text(json.dumps({"id": id_, "spans": []}) + "\n")
    with pytest.raises(FormatError, match=r"pred.jsonl:1: .*id"):
        read_predictions(path)


@pytest.mark.parametrize(
    "piece", ["<!--", "<", "<a ", "<!--->", "<![", "<!", "<?", "</", "<script>", "<a b='", "<!DOCTYPE [", "&#"]
)
def test_hostile_pages_are_read_once(piece: str) -> None:
    for end in ("", ">", "-->", "]]>"):
        assert isinstance(visible_text(f"<p>seen</p>{piece * 60_000}{end}"), str)


def test_a_marked_section_is_a_comment() -> None:
    assert visible_text("<p>a<![if IE]>b<![endif]>c<![x[<![y]></p>") == "abc\n"


def test_deep_pages_are_read_once() -> None:
    assert visible_text("<b>so " * 100_000).startswith("so so so")


@pytest.mark.parametrize("change", [{"key": True}, {"model": 3}, {"identity": [1]}, {"key": None}])
def test_recorded_calls_of_other_types_are_one_line(
    change: dict[str, object], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    value = json.loads((place / "calls.jsonl").read_text().splitlines()[0]) | change
    (place / "odd.jsonl").write_text(json.dumps(value) + "\n")
    with pytest.raises(SystemExit):
        main(["models", "cache", "import", "odd.jsonl", "--cache", "odd.sqlite"])
    assert "odd.jsonl:1: a line must be a call" in capsys.readouterr().err


def test_who_waits_for_a_cache_hears_of_any_fault(tmp_path: Path) -> None:
    with Cache(tmp_path / "c.sqlite") as cache, pytest.raises(ModelError, match="could not be stored"):
        cache.put_all([Call("k", Request((Message("user", "?"),)), Reply("!"), model=3)])  # type: ignore[arg-type]


SET = "generate --fallacy FS -n 1 --evaluator joins --output set/set.jsonl"
#: A file that a command reads -> the command, what of it becomes what (None: all of it), and what is said.
ODD: dict[str, tuple[str, bytes | None, bytes, str]] = {
    "gate.toml": ("gate FILE", None, b'[[texts]]\npaths = ["/etc/*"]\n', "must be a pattern that begins at the folder"),
    "set/set.run.json": (SET, None, b'{"settings": [1]}', "must be the record of a run"),
    "set/set.jsonl": (SET, None, b"\xa0\n", "must be UTF-8, got byte 0xa0"),
    "project.sqlite": ("annotate FILE --export out", b"You", b"\xff\xff", "must be an annotation project, got"),
    "detector/card.json": (
        "detect examples/plain.txt --system detector",
        b"appeal to worse",
        b"appexl to worse",
        "unknown label 'appexl to worse",
    ),
    "run/run.json": ("bench score run", b'"seed": 0', b'"seed": 1', "its checksum does not match"),
    "studio.json": (
        "agree FILE",
        None,
        b'[{"id": 1, "data": {"text": "x"}, "annotations": [{"completed_by": 1, "result": 7}]}]',
        "studio.json: result must be a list, got 7",
    ),
    "log.json": (
        "agree FILE",
        None,
        b'{"eval": [], "samples": [{"scores": [1]}]}',
        "each sample must be an object with its scores",
    ),
    "log.eval": ("agree FILE", b"No tea.", b"No TEA.", "must be a log of Inspect AI that can be opened here"),
    "mill/steps.jsonl": (
        "build causal examples/verify/pairs.csv --model scripted:examples/verify/builder.jsonl --output mill",
        None,
        b'{"pair": "mill", "step": "claim", "status": "ok", "reason": "", "value": ["x"]}\n',
        "each line must be a step of a build, got an error (the value of 'claim' is a list)",
    ),
    "found/manifest.json": (
        "scan examples/gold.jsonl -o found --system linear",
        None,
        b'{"settings": 3}',
        "must be the manifest of a scan",
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_what_the_fuzzer_found_is_one_line(name: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, old, new, message = ODD[name]
    path = place / name
    before = path.read_bytes()
    after = new if old is None else before.replace(old, new)
    if path.suffix == ".sqlite":  # the pages beyond the first
        after = before[:4096] + bytes(len(before) - 4096)
    assert after != before
    path.unlink()
    path.write_bytes(after)
    try:
        with pytest.raises(SystemExit) as stop:
            main(words.replace("FILE", name).split())
    finally:
        path.write_bytes(before)
    err = capsys.readouterr().err
    assert stop.value.code in (1, 2)
    assert message in err
    assert err.count("fallax: error: ") == 1
    assert "Traceback" not in err


def test_an_id_of_half_a_character_begins_no_project(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "half.jsonl").write_text('{"id": "\\ud800", "text": "You lie.", "gold": []}\n')
    with pytest.raises(SystemExit):
        main(["annotate", "half.jsonl", "--export", "half"])
    assert "ids and names must be Unicode text, got half a surrogate pair" in capsys.readouterr().err


def test_a_text_beyond_the_limit_is_refused_with_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"a " * (MAX_TEXT_BYTES // 2) + b"!")
    with pytest.raises(FormatError, match="at most 16 MiB long"):
        list(read_texts(path))


def test_long_cells_of_a_table_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('id,text\na,"' + "word " * 60_000 + '"\n')
    assert len(next(read_texts(path, field="text")).text) == 300_000


@pytest.mark.parametrize("name", ["deep.json", "deep.jsonl"])
def test_deep_scripts_and_recorded_calls_are_one_line(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_text('{"a":' * 100_000 + "\n")
    with pytest.raises(FallaxError, match="nested too deep"):
        read_rules(path)
    with pytest.raises(SystemExit):
        main(["models", "ask", f"recorded:{path}", "?"])
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("<p>a</p><!--b<p>c</p>", "a\n"),
        ("<p>a<script>x<!--y</script>b", "ab"),
        ("<title><!--</title><p>x", "x"),
        ("<p a='<!--'>b</p>c", "b\nc"),
        ("<!--" * 60_000, ""),
    ],
)
def test_a_comment_that_never_ends_hides_the_rest_as_in_a_browser(page: str, shown: str) -> None:
    assert visible_text(page) == shown


LIMITS = {
    "detect big.txt": "big.txt: a text must be at most 16 MiB long",
    "detect big.html": "big.html: a text must be at most 16 MiB long",
    "debate --quick -d big.txt -s small.txt": "big.txt: a text must be at most 16 MiB long",
    "debate --quick -d small.txt -s big.txt": "big.txt: a text must be at most 16 MiB long",
    "debate --quick -d long.txt -s small.txt": "the document must have at most 1,000,000 characters, got 1,200,000",
    "debate --quick -d small.txt -s long.txt": "the summary must have at most 100,000 characters, got 1,200,000",
    "verify --claim x --evidence long.txt": "at most 2,000 pieces of 1,000,000 characters together, got 200,000 of",
    "verify --claim x --documents big.txt": "big.txt: a text must be at most 16 MiB long",
    "verify --claims claims.jsonl": "claims.jsonl:1: evidence: must be at most 2,000 pieces",
    "data stats big.txt": "big.txt: a text must be at most 16 MiB long",
    "annotate big.txt --project p.sqlite --export out": "big.txt: a text must be at most 16 MiB long",
    "structure big.txt": "must be at most 64 MiB long",
    "gate big.txt": "must be at most 64 MiB long",
    "models ask scripted:big.txt why": "must be at most 64 MiB long",
}


@pytest.fixture(scope="module")
def long_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    with (folder / "big.txt").open("wb") as file:  # 65 MiB of letters, most of them a hole in the file
        file.write(b"All say so. " * 100)
        file.seek(65 << 20)
        file.write(b"x")
    (folder / "big.html").hardlink_to(folder / "big.txt")
    (folder / "long.txt").write_text("word.\n" * 200_000)
    (folder / "small.txt").write_text("The board met in March.")
    (folder / "claims.jsonl").write_text(
        json.dumps({"id": "a", "claim": "x", "evidence": ["It rained."] * 3_000}) + "\n"
    )
    return folder


@pytest.mark.parametrize("words", LIMITS)
def test_what_is_too_long_is_refused_with_the_limit(
    words: str, long_files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(long_files)
    with pytest.raises(SystemExit) as stop:
        main(words.split())
    err = capsys.readouterr().err
    assert stop.value.code == 2
    assert LIMITS[words] in err
    assert err.count("fallax: error: ") == 1


def test_half_a_character_in_examples_of_a_style_is_replaced(place: Path) -> None:
    (place / "odd.json").write_text('{"False Cause": ["\\ud800 It rained."]}')
    with pytest.raises(SystemExit) as stop:
        main(["generate", "--model", "scripted:silent.json", "--method", "direct", "-n", "1", "--examples", "odd.json"])
    assert stop.value.code == 1  # the model says nothing that can be read
