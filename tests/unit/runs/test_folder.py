"""A run folder: locked, repaired, refused where it belongs to something else."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types import Usage
from fallax.errors import FormatError, RunError
from fallax.runs.base import Row
from fallax.runs.folder import RunFolder, read_rows, read_run
from tests.support.killing import ROOT

RUN: dict[str, Any] = {
    "format": "fallax-run/1",
    "benchmark": "toy",
    "data": {"n_samples": 4, "hash": "0", "path": None},
    "epochs": 2,
    "system": {"name": "yes", "protocol": None, "protocol_options": {}, "model_options": {}, "identity": {}},
    "options": {},
    "prompts": {},
    "versions": {"fallax": "0"},
    "seed": 0,
    "limit": None,
    "shard": None,
    "signature": "",
}


def row(position: int, epoch: int = 0, status: Any = "ok", **more: Any) -> Row:
    reason = "" if status == "ok" else "no luck"
    return Row(position, epoch, f"q{position}", {"text": "é\n\ud800{}"}, None, status, {"label": "x"}, reason, **more)


def test_rows_come_back_as_they_were(tmp_path: Path) -> None:
    rows = [row(2), row(0, 1, replies=({"text": "\u2028"},)), row(1, usage=Usage(3, 4, calls=1, cost=0.5))]
    with RunFolder(tmp_path, RUN) as folder:
        for one in rows:
            folder.append(one)
        assert (folder.counts.n, folder.counts.usage.cost) == (3, 0.5)
        assert [folder.is_done(p, 0) for p in range(4)] == [False, True, True, False]
    assert list(read_rows(tmp_path)) == sorted(rows, key=lambda r: (r.position, r.epoch))
    assert [r.position for r in read_rows(tmp_path, epoch=1)] == [0]


def test_a_torn_last_line_is_cut_off_wherever_it_was_torn(tmp_path: Path) -> None:
    with RunFolder(tmp_path, RUN) as folder:
        folder.append(row(0))
        folder.append(row(1))
    records = tmp_path / "records.jsonl"
    whole = records.read_bytes()
    first = whole.index(b"\n") + 1
    for cut in (*range(0, len(whole), 17), first - 1, first, first + 1, len(whole) - 1):
        records.write_bytes(whole[:cut])
        assert len(list(read_rows(tmp_path))) == (cut >= first)  # reading leaves the file alone
        with RunFolder(tmp_path, RUN) as folder:
            assert folder.counts.n == (cut >= first)
            assert records.read_bytes() == (whole[:first] if cut >= first else b"")
            folder.append(row(1))
        assert records.read_bytes().endswith(whole[first:])


@pytest.mark.parametrize(
    "line", [b"nonsense\n", b"{}\n", b'{"position":9,"epoch":0,"status":"ok","usage":{},"id":1}\n']
)
def test_a_damaged_line_is_named(tmp_path: Path, line: bytes) -> None:
    with RunFolder(tmp_path, RUN) as folder:
        folder.append(row(0))
    records = tmp_path / "records.jsonl"
    records.write_bytes(line + records.read_bytes())
    with pytest.raises(FormatError, match=r"records\.jsonl:1: must be a row of this run"):
        RunFolder(tmp_path, RUN)
    records.write_bytes(b'{"position":0,"epoch":0,"status":"ok","usage":{},"broken":}\n')
    with pytest.raises(FormatError, match=r"edited or damaged"):
        list(read_rows(tmp_path))


def test_a_failed_row_is_tried_again_and_the_newest_counts(tmp_path: Path) -> None:
    with RunFolder(tmp_path, RUN) as folder:
        folder.append(row(1))
        folder.append(row(0, status="error"))
        assert not folder.is_done(0, 0)
        folder.append(row(0))
        assert folder.counts.to_dict()["error"] == 0
    with RunFolder(tmp_path, RUN) as folder:
        assert (folder.counts.ok, folder.counts.error) == (2, 0)
        folder.sort()
    lines = (tmp_path / "records.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["position"] for line in lines] == [0, 1]
    assert not (tmp_path / "records.jsonl.partial").exists()


def test_sorting_goes_on_with_what_is_appended_later(tmp_path: Path) -> None:
    with RunFolder(tmp_path, RUN) as folder:
        for one in (row(2), row(1), row(0)):
            folder.append(one)
        folder.sort()
        folder.append(row(3))
    assert [r.position for r in read_rows(tmp_path)] == [0, 1, 2, 3]


def test_a_second_process_is_refused_and_a_dead_one_is_no_obstacle(tmp_path: Path) -> None:
    code = (
        "import json, sys; from fallax.runs.folder import RunFolder\n"
        "folder = RunFolder(sys.argv[1], json.loads(sys.argv[2])); print('held', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path), json.dumps(RUN)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert process.stdout is not None
    assert process.stdin is not None
    with process.stdin, process.stdout:
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(RunError, match=rf"another process is using this run folder \(process {process.pid}\)"):
            RunFolder(tmp_path, RUN)
        process.kill()
        process.wait()
    with RunFolder(tmp_path, RUN):
        assert (tmp_path / "run.lock").read_text() == str(os.getpid())


def test_another_command_is_refused_and_says_in_what_it_differs(tmp_path: Path) -> None:
    RunFolder(tmp_path, RUN).close()
    with pytest.raises(RunError, match=r"started with data.n_samples = 4, now it is 5; give the same"):
        RunFolder(tmp_path, {**RUN, "data": {**RUN["data"], "n_samples": 5}})
    RunFolder(tmp_path, RUN).close()  # the lock was given back


def test_a_folder_that_is_no_run_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"must be a run folder, found no run\.json"):
        read_run(tmp_path)
    (tmp_path / "run.json").write_text('{"format": "other"}')
    with pytest.raises(RunError, match="must have the format 'fallax-run/1', got 'other'"):
        read_run(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(RunError, match="must be what fallax wrote"):
        read_run(tmp_path)
    (tmp_path / "run.json").unlink()
    (tmp_path / "records.jsonl").touch()
    with pytest.raises(RunError, match=r"has a records\.jsonl but no run\.json"):
        RunFolder(tmp_path, RUN)
    with pytest.raises(RunError, match="must be a folder that can be written"):
        RunFolder(tmp_path / "run.lock" / "below", RUN)


def test_a_full_disk_keeps_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunFolder(tmp_path, RUN) as folder:
        folder.append(row(0))
        before = (tmp_path / "records.jsonl").read_bytes()
        write = os.write

        def half(fd: int, data: Any) -> int:
            if len(data) > 20:
                return write(fd, data[:20])
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", lambda fd, data: half(fd, data[: max(20, len(data) // 9)]))
        with pytest.raises(RunError, match=r"No space left on device; what was written stays"):
            folder.append(row(1))
        monkeypatch.undo()
        assert (tmp_path / "records.jsonl").read_bytes() == before
        folder.append(row(1))
    assert len(list(read_rows(tmp_path))) == 2


def test_a_patch_release_resumes_a_run_and_is_named(tmp_path: Path) -> None:
    def run(version: str, **more: Any) -> dict[str, Any]:
        return {**RUN, "versions": {"fallax": version}, "signature": f"n:4|fallax:{version}", **more}

    with RunFolder(tmp_path, run("1.2.0")) as folder:
        folder.append(row(0))
    for version in ("1.2.1", "1.2.1", "1.2.0"):
        with RunFolder(tmp_path, run(version)) as folder:
            assert folder.is_done(0, 0)
            assert folder.run["signature"] == "n:4|fallax:1.2.0+1.2.1"
    before = (tmp_path / "run.json").read_bytes()
    assert read_run(tmp_path)["versions"] == {"fallax": "1.2.0", "resumed": ["1.2.1"]}
    with pytest.raises(RunError, match=r'versions.fallax = "1.2.0", now it is "1.3.0"'):
        RunFolder(tmp_path, run("1.3.0"))
    with pytest.raises(RunError, match="started with prompts = "):
        RunFolder(tmp_path, run("1.2.2", prompts={"ask": "another"}))
    assert (tmp_path / "run.json").read_bytes() == before
