"""A short seeded part of ``make fuzz``, and what it found before."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from fallax.cli import main
from fallax.data import read_predictions, read_texts
from fallax.data._html import visible_text
from fallax.data.texts import MAX_TEXT_BYTES
from fallax.errors import FallaxError, FormatError
from fallax.models import read_rules
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
