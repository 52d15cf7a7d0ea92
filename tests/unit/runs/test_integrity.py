"""Bit flips, cut files and earlier runs: what is damaged is named and never scored; what is sound is kept."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fallax.cli import main
from fallax.core.types.messages import Message, Reply, Request
from fallax.errors import FallaxError, InputError, RunError
from fallax.models import Cache, Call, call_key
from fallax.models.cache import repair_cache
from fallax.runs.base import Row
from fallax.runs.checking import repair_run, verify_run
from fallax.runs.folder import RunFolder, read_rows, read_run, read_scores

RUN: dict[str, Any] = {
    "format": "fallax-run/1",
    "benchmark": "toy",
    "data": {"n_samples": 6, "hash": "0", "path": None},
    "epochs": 1,
    "system": {"name": "yes", "protocol": None, "protocol_options": {}, "model_options": {}, "identity": {}},
    "options": {},
    "prompts": {},
    "versions": {"fallax": "0"},
    "seed": 0,
    "limit": None,
    "shard": None,
    "signature": "",
}


def recorded(folder: Path) -> list[Row]:
    rows = [Row(i, 0, f"q{i}", {"text": f"é {i}"}, None, "ok", {"label": "ab"[i % 2]}) for i in range(6)]
    with RunFolder(folder, RUN) as held:
        for row in rows:
            held.append(row)
    return rows


def test_no_flipped_bit_goes_unseen(tmp_path: Path) -> None:
    rows = recorded(tmp_path)
    records = tmp_path / "records.jsonl"
    whole = records.read_bytes()
    draw = random.Random(5)
    for _ in range(400):
        at, bit = draw.randrange(len(whole)), draw.randrange(8)
        records.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
        try:
            found = list(read_rows(tmp_path))
        except FallaxError:
            pass
        else:  # the end of the last line: it counts as not written
            assert found == rows[:5]
        assert verify_run(tmp_path).damaged


def test_repair_keeps_what_is_sound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = recorded(tmp_path)
    records = tmp_path / "records.jsonl"
    (tmp_path / "scores.json").write_text("{}")
    lines = records.read_bytes().splitlines(keepends=True)
    bad = lines[2].replace(b'"label":"a"', b'"label":"b"')
    records.write_bytes(b"".join([*lines[:2], bad, *lines[3:5], lines[5][:30]]))
    with pytest.raises(SystemExit) as stop:
        main(["bench", "verify", str(tmp_path)])
    assert stop.value.code == 1
    assert "4 sound rows of 6" in (out := capsys.readouterr().out)
    assert "2 damaged rows: lines 3, 6" in out
    assert f"fallax bench repair {tmp_path} keeps the sound rows" in out
    assert repair_run(tmp_path).damaged == (3, 6)
    assert list(read_rows(tmp_path)) == [rows[0], rows[1], rows[3], rows[4]]
    assert (tmp_path / "records.damaged.jsonl").read_bytes().startswith(bad)
    assert not (tmp_path / "scores.json").exists()
    assert not verify_run(tmp_path).damaged
    with RunFolder(tmp_path, RUN) as held:
        assert [held.is_done(i, 0) for i in range(6)] == [True, True, False, True, True, False]
        held.append(rows[2])
        held.append(rows[5])
        held.sort()
    assert list(read_rows(tmp_path)) == rows


def test_a_line_that_a_killed_run_left_is_mended_by_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = recorded(tmp_path)
    records = tmp_path / "records.jsonl"
    whole = records.read_bytes()
    records.write_bytes(whole[:-20])
    with pytest.raises(SystemExit) as stop:
        main(["bench", "verify", str(tmp_path)])
    assert stop.value.code == 1
    out = capsys.readouterr().out
    assert f"line 6 was cut off, as a killed run leaves it; fallax bench resume {tmp_path} removes it" in out
    assert "repair" not in out
    assert verify_run(tmp_path).is_cut_off
    with RunFolder(tmp_path, RUN) as held:
        held.append(rows[5])
    assert records.read_bytes() == whole
    assert not verify_run(tmp_path).is_cut_off
    records.write_bytes(whole[:-20] + b"\n")
    found = verify_run(tmp_path)
    assert (found.damaged, found.is_cut_off) == ((6,), False)


def test_a_run_of_an_earlier_release_opens_and_goes_on(tmp_path: Path) -> None:
    rows = recorded(tmp_path)
    records, run = tmp_path / "records.jsonl", tmp_path / "run.json"
    old = [line[:-19] + b"}\n" for line in records.read_bytes().splitlines(keepends=True)]
    records.write_bytes(b"".join(old[:5]))
    run.write_text(json.dumps(RUN))
    assert list(read_rows(tmp_path)) == rows[:5]
    with RunFolder(tmp_path, RUN) as held:
        held.append(rows[5])
    assert list(read_rows(tmp_path)) == rows
    found = verify_run(tmp_path)
    assert (found.n_rows, found.n_unchecked, found.damaged) == (6, 5, ())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("epochs", 10**12),
        ("epochs", "2"),
        ("epochs", 0),
        ("epochs", True),
        ("data", {"n_samples": -1}),
        ("data", {"n_samples": 10**15}),
        ("data", []),
        ("system", "yes"),
        ("system", {}),
        ("benchmark", None),
        ("shard", 3),
        ("shard", "a/b"),
        ("options", None),
        ("limit", -1),
        ("seed", "0"),
        ("signature", None),
        ("prompts", {"\x1b[2J\n": 1}),
        ("versions", {}),
        ("versions", {"fallax": "0", "resumed": "1"}),
        ("checksums", "md5"),
        ("system", {"name": "yes", "protocol": None, "protocol_options": [], "model_options": {}, "identity": {}}),
    ],
)
def test_a_damaged_run_json_is_one_line(tmp_path: Path, field: str, value: object) -> None:
    recorded(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({**RUN, field: value}))
    with pytest.raises(RunError, match=rf"run\.json: {field}.*; the file was edited or damaged$") as caught:
        read_run(tmp_path)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("name", [name for name in RUN if name != "format"])
def test_a_run_json_without_a_name_that_all_have_is_one_line(tmp_path: Path, name: str) -> None:
    recorded(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({k: v for k, v in RUN.items() if k != name}))
    with pytest.raises(RunError, match=rf"run\.json: {name}: is missing; the file was edited or damaged$"):
        read_run(tmp_path)


def test_what_a_later_release_adds_to_a_run_json_is_kept(tmp_path: Path) -> None:
    recorded(tmp_path)
    (tmp_path / "run.json").write_text(json.dumps({**RUN, "colour": "red"}))
    assert read_run(tmp_path) == {**RUN, "colour": "red"}


def test_a_deep_run_json_is_one_line(tmp_path: Path) -> None:
    recorded(tmp_path)
    (tmp_path / "run.json").write_text("[" * 100_000)
    with pytest.raises(RunError, match="must be what fallax wrote"):
        read_run(tmp_path)


def calls(n: int) -> list[Call]:
    requests = [Request((Message("user", f"question {i}"),)) for i in range(n)]
    return [
        Call(call_key({"model": "m"}, r), r, Reply(f"answer {i}"), "m", {"model": "m"}) for i, r in enumerate(requests)
    ]


def test_a_changed_answer_in_the_cache_is_not_given_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "calls.sqlite"
    stored = calls(3)
    with Cache(path) as cache:
        assert cache.put_all(stored) == 3
        assert cache.verify().damaged == ()
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE calls SET reply = replace(reply, 'answer 1', 'answer 7')")
        other.commit()
    with Cache(path) as cache:
        assert (cache.get(stored[0].key) or Reply("")).text == "answer 0"
        with pytest.raises(InputError, match=r"is damaged: .* fallax models cache repair"):
            cache.get(stored[1].key)
    with pytest.raises(SystemExit) as stop:
        main(["models", "cache", "verify", "--cache", str(path)])
    assert stop.value.code == 1
    assert "1 damaged calls" in capsys.readouterr().out
    found = repair_cache(path)
    assert (found.n_calls, found.damaged) == (2, (stored[1].key,))
    with Cache(path) as cache:
        assert {c.reply.text for c in cache.calls()} == {"answer 0", "answer 2"}
        assert cache.get(stored[1].key) is None


def test_a_cache_of_an_earlier_release_opens(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with Cache(path) as cache:
        cache.put_all(calls(2))
    with closing(sqlite3.connect(path)) as other:
        other.execute("DROP TABLE sums")
        other.commit()
    with Cache(path) as cache:
        assert cache.put_all(calls(3)) == 1
        assert [c.reply.text for c in cache.calls()]
        found = cache.verify()
    assert (found.n_calls, found.n_unchecked) == (3, 2)


def test_a_cache_with_damaged_pages_is_one_line_and_keeps_what_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "calls.sqlite"
    with Cache(path) as cache:
        cache.put_all(calls(400))
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw = bytearray(path.read_bytes())
    middle = len(raw) // 2 // 4096 * 4096
    raw[middle : middle + 8192] = bytes(8192)
    path.write_bytes(raw)
    with Cache(path) as cache, pytest.raises(InputError, match="damaged"):
        list(cache.calls())
    assert repair_cache(path).n_calls > 50
    with Cache(path) as cache:
        assert all(c.reply.text.startswith("answer ") for c in cache.calls())


def test_export_never_replaces_a_device_or_a_link(tmp_path: Path) -> None:
    link, real = tmp_path / "link.jsonl", tmp_path / "real.jsonl"
    real.write_text("before")
    link.symlink_to(real)
    with Cache(tmp_path / "calls.sqlite") as cache:
        cache.put_all(calls(2))
        assert cache.export_calls(link) == 2
        if Path("/dev/full").exists():
            with pytest.raises(InputError, match="No space left"):
                cache.export_calls("/dev/full")
            assert Path("/dev/full").is_char_device()
    assert link.is_symlink()
    assert len(real.read_text().splitlines()) == 2


def test_no_flipped_bit_of_run_json_or_scores_json_goes_unseen(tmp_path: Path) -> None:
    with RunFolder(tmp_path, RUN) as held:
        held.write_scores({"scores": {"f1": {"f1": 0.5}}, "rows": {"ok": 6}})
    for name, read in (("run.json", read_run), ("scores.json", read_scores)):
        sound, whole = read(tmp_path), (tmp_path / name).read_bytes()
        n_refused = 0
        for at in range(0, len(whole), 3):
            for bit in range(8):
                (tmp_path / name).write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
                try:
                    found = read(tmp_path)
                except RunError:
                    n_refused += 1
                else:  # white space between values, or the name of the checksum itself
                    assert {k: v for k, v in (found or {}).items() if k in (sound or {})} == sound
        assert n_refused > 7 * len(whole) / 3
        (tmp_path / name).write_bytes(whole)


@pytest.mark.parametrize("content", [b"mine", b"", b"SQLite no", b'{"a": 1}\n' * 20])
def test_repair_leaves_a_file_that_is_no_cache_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(InputError, match="must be a call cache, got another file; nothing was changed"):
        repair_cache(path)
    assert path.read_bytes() == content
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
