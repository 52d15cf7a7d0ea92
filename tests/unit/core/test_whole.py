"""Files that are read as one: a limit, UTF-8, depth; each complaint names the file."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from fallax.core.whole import read_whole, read_whole_bytes, read_whole_json, read_whole_toml
from fallax.data import read_corpus
from fallax.data.datasets import Dataset
from fallax.errors import FormatError, InputError
from fallax.oracle import load_rule_base
from fallax.structures import read_structure


def test_a_file_that_never_ends_is_too_long() -> None:
    with pytest.raises(FormatError, match=r"/dev/zero: must be at most 1 MiB long, got more"):
        read_whole_bytes("/dev/zero", most=1 << 20)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "must be UTF-8, got byte 0xff at byte 0"),
        (b"{", "must be JSON, got ''"),
        (b"[" * 100_000, "nested too deep"),
        (b"9" * 5_000, "must be JSON that fits here"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_its_place(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=message) as error:
        read_whole_json(path)
    assert str(error.value).startswith(f"{path}:")
    assert "\n" not in str(error.value)
    with pytest.raises(FormatError):
        read_whole_toml(path)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(FormatError, match=f"must be a readable file, got {why}"):
            read_whole(path)
    with pytest.raises(FormatError, match="must be a readable file"):
        read_whole("a\0b")


@pytest.mark.parametrize(("content", "at"), [(b"ab\n\xff", 3), (b"\xef\xbb\xbfab\n\xff", 6)])
def test_the_byte_that_is_no_utf_8_is_named(content: bytes, at: int, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    for read in (read_whole, read_structure):
        with pytest.raises(FormatError, match=rf"a\.txt:2: must be UTF-8, got byte 0xff at byte {at} "):
            read(path)


@pytest.mark.parametrize("content", [b"\xff", b"{"])
def test_standard_input_has_one_name(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    for read in (read_whole_json, read_whole_toml, read_structure, read_corpus):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        with pytest.raises(InputError, match="<stdin>"):
            read("-")


def test_a_data_set_and_rules_that_are_nested_too_deep_are_told_in_a_line(tmp_path: Path) -> None:
    for name in ("set.toml", "rules.toml"):
        (tmp_path / name).write_text("a = " + "[" * 5_000)
    with pytest.raises(FormatError, match=r"set\.toml: must be TOML, got tables nested too deep"):
        Dataset.from_toml(tmp_path / "set.toml")
    with pytest.raises(FormatError, match=r"rules\.toml: must be TOML, got tables nested too deep"):
        load_rule_base(tmp_path)


def test_standard_input_is_a_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfOne.\rTwo.")))
    assert read_whole("-") == "One.\nTwo."
