"""Many records into a folder: every input, bad records, shards, workers, kills."""

from __future__ import annotations

import functools
import gzip
import json
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fallax as fx
from fallax.cli import main
from fallax.data import read_texts
from fallax.errors import InputError
from fallax.scan import Scan, ScanJob, batch, scan, statistics_lines
from fallax.scan import parts as scan_parts
from fallax.scan import workers as scan_workers
from fallax.scan.records import MAX_SOURCE, RecordReader, found_files

ROOT = Path(__file__).parents[3]
FALLACY = "You are a fool, so you are wrong about plan {i}. Everyone agrees, so it must be right."
LINEAR = ScanJob(system="linear", min_confidence=0.05)


def write_lines(path: Path, n: int) -> Path:
    rows = [
        {"id": i, "text": FALLACY.format(i=i) if i % 3 else f"The kettle boils at {i}.", "forum": f"f{i % 2}"}
        for i in range(n)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def content(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for p in sorted(folder.glob("part-*.jsonl")) for line in p.read_text().splitlines()]


def bad_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for p in sorted(folder.glob("bad-*.jsonl")) for line in p.read_text().splitlines()]


def test_every_kind_of_input_gives_the_same_findings(tmp_path: Path) -> None:
    text = FALLACY.format(i=1)
    line = json.dumps({"id": "a", "text": text}) + "\n"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(line)
    (tmp_path / "in" / "b.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    (tmp_path / "in" / "c.csv").write_text(f'id,text\na,"{text}"\n')
    (tmp_path / "in" / "d.json").write_text(json.dumps([{"id": "a", "text": text}]))
    (tmp_path / "in" / "e.txt").write_text(text)
    (tmp_path / "in" / "f.html").write_text(f"<p>{text}</p>")
    (tmp_path / "in" / ".hidden.txt").write_text(text)
    found = scan([tmp_path / "in"], out=tmp_path / "out", job=LINEAR)
    rows = rows_of(tmp_path / "out")
    assert found.counts.n_records == 6
    assert found.counts.n_bad == 0
    assert len({json.dumps(r["spans"]) for r in rows}) == 1
    assert rows[0]["spans"][0]["text"] in text
    assert rows[0]["key"] == rows[1]["key"] != rows[4]["key"]  # the same id and content


def test_a_table_of_a_spreadsheet_may_be_divided_by_semicolons(tmp_path: Path) -> None:
    text = FALLACY.format(i=1)
    (tmp_path / "a.csv").write_text(f'id;text;price\n1;"{text}; or so";1,50\n2;{text};2\n3;{text}\n')
    (tmp_path / "b.csv").write_text(f'id,text\n4,"{text}"\n5,"no end\n')
    found = scan([tmp_path / "a.csv", tmp_path / "b.csv"], out=tmp_path / "out", job=LINEAR)
    assert [r["id"] for r in rows_of(tmp_path / "out")] == ["1", "2", "4"]
    assert found.counts.n_bad == 2
    (bad,) = (tmp_path / "out").glob("bad-*.jsonl")
    three, torn = map(json.loads, bad.read_text().splitlines())
    assert (three["place"], three["reason"]) == (
        f"{tmp_path / 'a.csv'}:4", "each row must have 3 cells as the header has, got 2"
    )  # fmt: skip
    assert torn["place"] == f"{tmp_path / 'b.csv'}:3"
    assert "nothing more of the file can be read: must be a table with properly quoted cells" in torn["reason"]


def test_files_are_read_in_their_form(tmp_path: Path) -> None:
    text = FALLACY.format(i=1)
    (tmp_path / "a.md").write_text(f"# {text}\n\n**{text}** [It](http://a.b) rains.\n")
    (tmp_path / "b.txt").write_text(f"<!doctype html><h1>{text}</h1><p>{text}")
    scan([tmp_path / "a.md", tmp_path / "b.txt"], out=tmp_path / "out", job=LINEAR)
    for row, path in zip(rows_of(tmp_path / "out"), ("a.md", "b.txt"), strict=True):
        (record,) = read_texts(tmp_path / path)
        found = fx.detect(record, system="linear", min_confidence=0.05)
        assert row["spans"] == [{**s.to_dict(), "text": found.text_of(s)} for s in found.spans]
        assert all(s.start > 3 for s in found.spans)


def test_packed_and_parquet_and_web_archives(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    text = FALLACY.format(i=1)
    parquet.write_table(pa.table({"id": ["a"], "body": [text]}), tmp_path / "in.parquet")
    job = {"job": LINEAR, "columns": {"text": "body"}}
    scan([str(tmp_path / "*.parquet")], out=tmp_path / "a", format="parquet", **job)  # type: ignore[arg-type]
    whole = parquet.read_table(tmp_path / "a" / "part-000000.parquet")
    assert whole.schema.metadata[b"fallax.system"] == b"detector:linear@1"
    assert whole["spans"][0].as_py()[0]["label"]
    scan([tmp_path / "in.parquet"], out=tmp_path / "b", format="parquet", rows="findings", **job)  # type: ignore[arg-type]
    findings = parquet.read_table(tmp_path / "b" / "part-000000.parquet").to_pylist()
    assert [f["label"] for f in findings] == [s["label"] for s in whole["spans"][0].as_py()]
    zstandard = pytest.importorskip("zstandard")
    (tmp_path / "in.jsonl.zst").write_bytes(zstandard.compress(json.dumps({"id": "a", "body": text}).encode()))
    scan([tmp_path / "in.jsonl.zst"], out=tmp_path / "c", **job)  # type: ignore[arg-type]
    assert [s["label"] for s in rows_of(tmp_path / "c")[0]["spans"]] == [f["label"] for f in findings]


def _archive(path: Path, content_type: str, body: str, charsets: Sequence[str] = ("utf-8",)) -> None:
    """A web archive of one response, or of one for each charset that it says it is in."""
    path.write_bytes(b"".join(_response(f"{content_type}; charset={name}", body) for name in charsets))


def _response(content_type: str, body: str) -> bytes:
    http = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n{body}".encode()
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: http://example.org/a\r\n"
        f"WARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + http + b"\r\n\r\n")


def test_web_archive(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc")
    pytest.importorskip("trafilatura")
    text = " ".join(FALLACY.format(i=i) for i in range(4))
    body = f"<html><head><title>t</title></head><body><article><p>{text}</p></article></body></html>"
    _archive(tmp_path / "in.warc.gz", "text/html", body)
    scan([tmp_path / "in.warc.gz"], out=tmp_path / "out", job=LINEAR)
    (row,) = rows_of(tmp_path / "out")
    assert row["id"] == "http://example.org/a"
    assert row["n_findings"] > 0


def test_a_page_of_a_web_archive_that_is_too_long_is_a_bad_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastwarc")
    pytest.importorskip("trafilatura")
    monkeypatch.setattr("fallax.scan.records.MAX_TEXT_BYTES", 1 << 20)
    _archive(tmp_path / "in.warc.gz", "text/plain", "long " * (1 << 18))
    scan([tmp_path / "in.warc.gz"], out=tmp_path / "out", job=LINEAR)
    assert [b["reason"] for b in bad_of(tmp_path / "out")] == ["a text must be at most 1 MiB long, got more"]


def test_pages_of_a_web_archive_in_an_unknown_charset_are_read_as_utf_8(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc")
    pytest.importorskip("trafilatura")
    _archive(tmp_path / "in.warc.gz", "text/plain", "The café is shut.", ["foo", "hex", "base64", "idna", "latin-1"])
    reader = RecordReader([tmp_path / "in.warc.gz"], "detection")
    assert [(f.values, f.reason) for f in reader] == [
        *[({"text": "The café is shut."}, "")] * 4,
        ({"text": "The cafÃ© is shut."}, ""),
    ]


def test_bad_records_stand_in_a_file_of_their_own_and_stop_nothing(tmp_path: Path) -> None:
    good = json.dumps({"id": "good", "text": "The kettle is on."}).encode()
    lines = [b'{"id": "cut", "te', b'{"id": "n", "text": 3}', b"[1]", b'{"id": "f"}', b'{"text": "\xff"}', good]
    (tmp_path / "in.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    (tmp_path / "wrong.csv").write_text("id,text\na,b,c\nd,e\n")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(good * 3000)[:60])
    (tmp_path / "binary.txt").write_bytes(b"\x00\x01")
    names = ("in.jsonl", "wrong.csv", "cut.jsonl.gz", "binary.txt")
    found = scan([tmp_path / n for n in names], out=tmp_path / "out", job=LINEAR, part_size=4)
    bad = bad_of(tmp_path / "out")
    assert [r["id"] for r in rows_of(tmp_path / "out")] == ["good", "d"]
    assert found.counts.n_records == 10
    assert found.counts.n_bad == len(bad) == 8
    reasons = " | ".join(b["reason"] for b in bad)
    for part in ("one JSON object", "a string, got 3", "the field 'text'", "UTF-8", "2 cells", "nothing more", "NUL"):
        assert part in reasons
    assert bad[0]["place"].endswith("in.jsonl:1")
    numbers = sorted(r["number"] for r in (*bad, *rows_of(tmp_path / "out")))
    assert numbers == list(range(1, 11))


def test_a_part_of_a_changed_input_is_not_counted_until_its_shard_is_scanned_again(tmp_path: Path) -> None:
    path, out = tmp_path / "in.jsonl", tmp_path / "out"

    def scan_of(shard: int) -> Scan:
        return scan([path], out=out, job=LINEAR, part_size=2, shard=(shard, 2))

    lines = [json.dumps({"id": i, "text": "The kettle boils."}) + "\n" for i in range(4)]
    path.write_text("".join(lines))
    assert [scan_of(1).is_whole, scan_of(2).is_whole] == [False, True]
    path.write_text("".join(json.dumps({"id": i, "text": FALLACY.format(i=i)}) + "\n" for i in range(4)))
    first = scan_of(1)
    assert (first.is_whole, first.n_there, first.counts.n_records, first.counts.n_found) == (False, 1, 2, 2)
    assert not [p.name for p in out.glob("statistics.*")]
    assert (scan_of(2).counts.n_found, scan_of(1).is_whole) == (4, True)
    assert json.loads((out / "statistics.json").read_text())["n_found"] == 4


@pytest.mark.parametrize("shard", [(0, 0), (3, 2), (0, 2), (-1, 2)])
def test_a_shard_that_is_none_is_refused(tmp_path: Path, shard: tuple[int, int]) -> None:
    path = write_lines(tmp_path / "in.jsonl", 2)
    with pytest.raises(InputError, match=r"shard: must be \(k, n\) with k from 1 to n"):
        scan([path], out=tmp_path / "out", job=LINEAR, shard=shard)


def test_shards_and_workers_give_the_same_bytes_as_one_process(tmp_path: Path) -> None:
    lines = write_lines(tmp_path / "in.jsonl", 50)
    whole = scan([lines], out=tmp_path / "whole", job=LINEAR, by="forum", part_size=7)
    assert whole.is_whole
    assert whole.counts.sources["f1"]["n_records"] == 25
    first = scan([lines], out=tmp_path / "shards", job=LINEAR, by="forum", part_size=7, shard=(1, 2))
    assert not first.is_whole
    assert first.n_there == 4
    second = scan([lines], out=tmp_path / "shards", job=LINEAR, by="forum", part_size=7, shard=(2, 2), workers=2)
    assert second.is_whole
    assert second.n_examined + first.n_examined == 50
    assert content(tmp_path / "shards") == content(tmp_path / "whole")
    again = scan([lines], out=tmp_path / "shards", job=LINEAR, by="forum", part_size=7)
    assert again.n_examined == 0
    assert "f1" in (tmp_path / "shards" / "statistics.html").read_text()


def test_only_what_changed_is_examined_again(tmp_path: Path) -> None:
    lines = write_lines(tmp_path / "in.jsonl", 40)
    scan([lines], out=tmp_path / "out", job=LINEAR, part_size=10)
    lines.write_text(lines.read_text().replace("boils at 12.", "boils at noon."))
    assert scan([lines], out=tmp_path / "out", job=LINEAR, part_size=10).n_examined == 10
    (tmp_path / "out" / "part-000003.jsonl").write_text("damaged")
    assert scan([lines], out=tmp_path / "out", job=LINEAR, part_size=10).n_examined == 10
    write_lines(lines, 15)
    short = scan([lines], out=tmp_path / "out", job=LINEAR, part_size=10)
    scan([lines], out=tmp_path / "new", job=LINEAR, part_size=10)
    assert short.counts.n_records == 15
    assert content(tmp_path / "out") == content(tmp_path / "new")
    with pytest.raises(InputError, match=r"holds a scan whose min_confidence is 0\.05, not None"):
        scan([lines], out=tmp_path / "out", job=ScanJob(system="linear"), part_size=10)


def test_interrupted_between_any_two_files_of_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = write_lines(tmp_path / "in.jsonl", 12)
    lines.write_text(lines.read_text() + "broken\n")
    scan([lines], out=tmp_path / "whole", job=LINEAR, part_size=5)
    real = os.replace
    for stop in range(1, 8):
        left = [stop]

        def replace(old: Any, new: Any, left: list[int] = left) -> None:
            if str(new).startswith(str(tmp_path / "cut")) and Path(new).name[:4] in ("part", "bad-"):
                left[0] -= 1
                if left[0] == 0:
                    raise KeyboardInterrupt
            real(old, new)

        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", replace)
            with pytest.raises(KeyboardInterrupt):
                scan([lines], out=tmp_path / f"cut{stop}", job=LINEAR, part_size=5)
        (tmp_path / f"cut{stop}" / ".part-000001-left").write_text("what SIGKILL leaves")
        (tmp_path / f"cut{stop}" / "part-000002.json").write_text('{"input": ')  # a disk that lost power
        scan([lines], out=tmp_path / f"cut{stop}", job=LINEAR, part_size=5)
        there = content(tmp_path / f"cut{stop}")
        if stop > 4:  # its part was done before
            there.pop(".part-000001-left")
        assert there == content(tmp_path / "whole"), stop


def test_killed_at_random_moments(tmp_path: Path) -> None:
    lines = write_lines(tmp_path / "in.jsonl", 300)
    draw = random.Random(5)
    words = [sys.executable, "-m", "fallax", "scan", str(lines), "--system", "linear", "--min-confidence", ".05"]
    words += ["--part-size", "3", "--output", str(tmp_path / "killed")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    to_kill = ["2", "1"]
    while to_kill:
        process = subprocess.Popen([*words, "--workers", to_kill[0]], env=environment, stdout=subprocess.DEVNULL)
        enough = len(list(tmp_path.glob("killed/part-*.json"))) + draw.randint(1, 8)
        while process.poll() is None and len(list(tmp_path.glob("killed/part-*.json"))) < enough:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        if process.wait() == -signal.SIGKILL:
            del to_kill[0]
        else:  # this process was held up, and the other one ended first: begin anew
            assert process.returncode == 0
            shutil.rmtree(tmp_path / "killed")
            to_kill = ["2", "1"]
    scan([lines], out=tmp_path / "killed", job=LINEAR, part_size=3)
    found = scan([lines], out=tmp_path / "whole", job=LINEAR, part_size=3)
    assert found.counts.n_records == 300
    left = {name: c for name, c in content(tmp_path / "killed").items() if not name.startswith(".")}
    assert left == content(tmp_path / "whole")
    assert sorted(r["id"] for r in rows_of(tmp_path / "killed")) == sorted(str(i) for i in range(300))


def test_a_killed_worker_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = write_lines(tmp_path / "in.jsonl", 30)
    real = scan_workers._ask
    killed: list[int] = []

    def ask(process: Any, block: Any) -> Any:
        if block["number"] in (1, 4) and block["number"] not in killed:
            killed.append(block["number"])
            process.kill()
            process.wait()
        return real(process, block)

    monkeypatch.setattr(scan_workers, "_ask", ask)
    scan([lines], out=tmp_path / "killed", job=LINEAR, part_size=5, workers=2)
    scan([lines], out=tmp_path / "whole", job=LINEAR, part_size=5)
    assert sorted(killed) == [1, 4]
    assert content(tmp_path / "killed") == content(tmp_path / "whole")
    monkeypatch.setattr(scan_workers, "_ask", lambda process, block: None)
    with pytest.raises(Exception, match="fewer --workers"):
        scan([lines], out=tmp_path / "never", job=LINEAR, part_size=5, workers=2)


def test_pairs_and_claims(tmp_path: Path) -> None:
    pairs = [{"id": 1, "article": "The board met in March.", "summary": "The board met in March."}]
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pairs[0]) + "\n")
    job = ScanJob("faithfulness", "lexical-overlap")
    found = scan([tmp_path / "pairs.jsonl"], out=tmp_path / "a", job=job, columns={"document": "article"})
    assert found.counts.labels == {"faithful": [1, 1]}
    (tmp_path / "claims.csv").write_text('id,claim,evidence\nc,The frost ruined the crop.,"Frost ruined the crop.\n"\n')
    found = scan([tmp_path / "claims.csv"], out=tmp_path / "b", job=ScanJob("verification", "lexical-overlap"))
    assert found.counts.labels == {"supports": [1, 1]}
    pieces = [{"text": "Frost ruined the crop."}, {"text": "Cats purr.", "leaf": False}]
    row = {"claim": "The frost ruined the crop.", "evidence": pieces}
    (tmp_path / "claims.jsonl").write_text(json.dumps(row) + "\n")
    found = scan([tmp_path / "claims.jsonl"], out=tmp_path / "d", job=ScanJob("verification", "lexical-overlap"))
    assert found.counts.labels == {"supports": [1, 1]}
    with pytest.raises(InputError, match="findings are what detection gives"):
        scan([tmp_path / "pairs.jsonl"], out=tmp_path / "c", job=job, rows="findings")


def test_no_more_than_a_few_parts_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = 0
    done = 0
    most = 0

    class Counted(scan_workers.Writing):
        def part(self, block: Any) -> Any:
            nonlocal done, most
            most = max(most, read - done)
            done += len(block.records)
            return super().part(block)

    from fallax.scan import run
    from fallax.scan.records import RecordReader

    real = RecordReader.__iter__

    def counted(self: Any) -> Iterator[Any]:
        nonlocal read
        for one in real(self):
            read += 1
            yield one

    monkeypatch.setattr(run, "Writing", Counted)
    monkeypatch.setattr(RecordReader, "__iter__", counted)
    scan([write_lines(tmp_path / "in.jsonl", 100)], out=tmp_path / "out", job=LINEAR, part_size=5)
    assert done == 100
    assert most <= 5


def test_long_texts_make_short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from fallax.scan.records import Found

    monkeypatch.setattr(scan_parts, "_MAX_CHARACTERS", 100)
    records = [Found(i, str(i), "x", {"text": "a" * 40}) for i in range(1, 8)]
    assert [len(b.records) for b in scan_parts.blocks_of(records, size=5)] == [3, 3, 1]


def test_sources_are_counted_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_parts, "MAX_SOURCES", 2)
    whole = scan_parts.ScanCounts()
    for name in ("a", "b", "c", "a", "d"):
        part = scan_parts.ScanCounts()
        part.add(name, ["x"], is_found=True, is_unread=False)
        whole.merge(part)
    assert {n: s["n_records"] for n, s in whole.sources.items()} == {"a": 2, "b": 1, "(other)": 2}


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines(Path("in.jsonl"), 5)
    with Path("in.jsonl").open("a") as f:
        f.write("broken\n")
    words = ["scan", "in.jsonl", "--output", "out", "--system", "linear", "--by", "forum", "--json"]
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["n_records"], said["n_bad"]) == (6, 1)
    for more in (["--shard", "3/2"], ["--job", "reading"], ["--workers", "0"], ["--rows", "words"]):
        with pytest.raises(SystemExit) as stop:
            main([*words, *more])
        assert stop.value.code == 2
        assert "fallax: error: " in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore")
def test_tables_of_pandas_and_dask() -> None:
    pd = pytest.importorskip("pandas")
    text = FALLACY.format(i=1)
    examine = functools.partial(batch, job=LINEAR, columns={"text": "body"})
    frame = pd.DataFrame({"body": [text, "The kettle boils."], "n": [1, 2]}, index=[7, 9])
    found = examine(frame)
    assert list(found.index) == [7, 9]
    assert found["fallax_labels"].tolist()[1] == []
    assert found["fallax_labels"].tolist()[0]
    dask = pytest.importorskip("dask.dataframe")
    done = dask.from_pandas(frame, npartitions=2).map_partitions(examine, meta=found).compute(scheduler="synchronous")
    assert done["fallax_findings"].tolist() == found["fallax_findings"].tolist()


def test_a_part_of_a_table_without_rows_has_the_types_of_the_others() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"text": [FALLACY]})
    full, empty = batch(table), batch(table.iloc[:0])
    assert list(empty.columns) == list(full.columns)
    assert len(empty) == 0
    assert [empty[c].dtype.kind for c in empty.columns] == ["O"] * 5


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: batch({"text": FALLACY}), "table: the column 'text' must be a list, got 'You are"),
        (lambda: batch({"text": [FALLACY]}, job="detection"), r"job: must be a ScanJob, such as .*, got 'detection'"),  # type: ignore[arg-type]
        (lambda: batch({"text": [FALLACY]}, job=ScanJob(taxonomy="")), "unknown taxonomy ''"),
        (lambda: batch({"text": [FALLACY]}, job=ScanJob(level=9)), "level must be 0 to 2, got 9"),
        (lambda: ScanJob(min_confidence="0.5"), "min_confidence: must be a number, got '0.5'"),  # type: ignore[arg-type]
        (lambda: ScanJob(level=True), "level: must be a whole number, got True"),
        (lambda: ScanJob(system=Path("linear")), "system: a path must be the folder of a detector, got 'linear'"),
        (lambda: ScanJob(system=3), "system: must be a text or a path, got 3"),  # type: ignore[arg-type]
        (lambda: scan([], out="never", workers="2"), "workers: must be a whole number, got '2'"),  # type: ignore[arg-type]
        (lambda: scan([], out="never", job="detection"), "job: must be a ScanJob"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_job_and_no_table_is_named(call: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


def test_settings_of_a_job_are_json_values_whatever_they_were() -> None:
    job = ScanJob(min_confidence=np.float32(0.5), level=np.int64(0), taxonomy=np.str_("mafalda"))  # type: ignore[arg-type]
    assert json.loads(json.dumps(job.settings())) == ScanJob(min_confidence=0.5, level=0, taxonomy="mafalda").settings()


def test_one_input_is_not_read_letter_by_letter(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FALLACY)
    one = scan(str(tmp_path / "a.txt"), out=tmp_path / "one")
    assert one.counts == scan([tmp_path / "a.txt"], out=tmp_path / "two").counts
    assert one.counts.n_records == 1


def test_tables_of_other_engines() -> None:
    examine = pickle.loads(pickle.dumps(functools.partial(batch, job=LINEAR)))
    text = FALLACY.format(i=1)
    found = examine({"text": [text, "The kettle boils.", 3], "n": [1, 2, 3]})
    assert found["n"] == [1, 2, 3]
    assert found["fallax_labels"][0]
    assert found["fallax_labels"][1:] == [[], []]
    assert found["fallax_problem"][2] == "text must be a text, got 3"
    with pytest.raises(InputError, match="must have the column 'text'"):
        batch({"words": [text]}, job=LINEAR)
    pa = pytest.importorskip("pyarrow")
    table = examine(pa.table({"text": [text], "n": [1]}))
    assert table["fallax_labels"].to_pylist() == [found["fallax_labels"][0]]
    part = examine(pa.record_batch({"text": [text], "n": [1]}))
    assert part.schema.names[:2] == ["text", "n"]


def test_results_inside_the_input_are_not_read_again(tmp_path: Path) -> None:
    write_lines(tmp_path / "in.jsonl", 6)
    first = scan([tmp_path], out=tmp_path / "found", job=LINEAR, part_size=4)
    before = content(tmp_path / "found")
    again = scan([tmp_path], out=tmp_path / "found", job=LINEAR, part_size=4)
    assert (first.counts.n_records, again.counts.n_records, again.n_examined) == (6, 6, 0)
    assert content(tmp_path / "found") == before
    (tmp_path / "part-000001.jsonl").write_text('{"text": "The kettle is on."}\n')  # a name that anybody may give
    assert scan([tmp_path], out=tmp_path / "other", job=LINEAR).counts.n_records == 7


def test_the_summary_says_what_went_wrong_and_counts_by_source(tmp_path: Path) -> None:
    lines = write_lines(tmp_path / "in.jsonl", 6)
    said = list(statistics_lines(scan([lines], out=tmp_path / "a", job=LINEAR, columns={"text": "body"})))
    assert said[:2] == [
        "6 records, 0 examined by detector:linear@1",
        f"6 could not be examined, see {tmp_path / 'a' / 'bad-*.jsonl'}; the first:",
    ]
    assert "must have the field 'body', got 'id', 'text', 'forum'" in said[2]
    said = list(statistics_lines(scan([lines], out=tmp_path / "b", job=LINEAR, by="forum")))
    assert said[-3] == "by forum:"
    assert said[-2].startswith("         3  f0: ")
    assert " %" in said[-2]
    said = list(statistics_lines(scan([lines], out=tmp_path / "c", job=LINEAR, by="forums")))
    assert said[-1] == "no record has anything in 'forums', so there is nothing to count by"


def test_long_sources_are_kept_whole_and_told_apart(tmp_path: Path) -> None:
    urls = [f"https://news.example/{'archive/' * 60}{n}.html" for n in (1, 2)]
    rows = [{"text": "The kettle boils at seven.", "url": url} for url in (*urls, "x" * (MAX_SOURCE + 9))]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = scan([tmp_path / "in.jsonl"], out=tmp_path / "out", job=LINEAR, by="url")
    *whole, cut = [row["source"] for row in rows_of(tmp_path / "out")]
    assert whole == urls
    assert cut == "x" * (MAX_SOURCE - 1) + "…"
    assert all(found.counts.sources[url]["n_records"] == 1 for url in urls)
    assert max(map(len, statistics_lines(found))) < 300


def test_records_without_text_are_counted_apart_from_other_languages(tmp_path: Path) -> None:
    german = "Die Fähre verlässt um sieben Uhr den Hafen, und wir frühstücken danach in der alten Mühle am See."
    rows = [{"text": t, "forum": "f"} for t in ("", " \n", german, "The kettle boils at seven.")]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = scan([tmp_path / "in.jsonl"], out=tmp_path / "out", job=LINEAR, by="forum", part_size=2)
    counts = found.counts
    assert (counts.n_records, counts.n_examined, counts.n_empty, counts.n_unread) == (4, 2, 2, 1)
    assert counts.sources["f"]["n_records"] == 2
    said = list(statistics_lines(found))
    assert said[:3] == [
        "4 records, 2 examined by detector:linear@1",
        "2 without text",
        "1 in a language that it does not read",
    ]
    assert "2 without text." in (tmp_path / "out" / "statistics.html").read_text()
    assert len((tmp_path / "out" / "part-000000.jsonl").read_text().splitlines()) == 2


def test_files_that_a_scan_does_not_read_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(FALLACY)
    (tmp_path / "in" / ".hidden.docx").write_bytes(b"PK")
    word = tmp_path / "in" / "b.docx"
    word.write_bytes(b"PK\x03\x04 word/document.xml")
    for _ in range(2):  # the results are in the folder, and no input
        with pytest.raises(SystemExit):
            main(["scan", str(tmp_path / "in"), "--system", "linear", "--output", str(tmp_path / "in" / "out")])
        assert "1 file of another kind left out: b.docx; name text files" in capsys.readouterr().err
    scan([word], out=tmp_path / "named", job=LINEAR)
    assert "no PDF and no Word file" in bad_of(tmp_path / "named")[0]["reason"]


def test_files_in_another_encoding(tmp_path: Path) -> None:
    said = "Caf\u00e9 prices rose because the r\u00f4ti was late."
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_bytes(said.encode("windows-1252"))
    (tmp_path / "in" / "b.jsonl").write_bytes(json.dumps({"text": said}, ensure_ascii=False).encode("windows-1252"))
    (tmp_path / "in" / "c.csv").write_bytes(f'id,text\n1,"{said}"\n'.encode("windows-1252"))
    (tmp_path / "in" / "d.jsonl.gz").write_bytes(gzip.compress(f'{{"text": "{said}"}}\n'.encode("windows-1252")))
    (tmp_path / "in" / "e.json").write_bytes(f'[{{"text": "{said}"}}]'.encode("windows-1252"))
    read = list(RecordReader(found_files([tmp_path / "in"]), "detection", encoding="cp1252"))
    assert [(f.values.get("text"), f.reason) for f in read] == [(said, "")] * 5
    unread = list(RecordReader(found_files([tmp_path / "in"]), "detection"))
    assert len(unread) == 5
    assert all("must be UTF-8" in f.reason for f in unread)
    assert all("--encoding" in f.reason for f in unread)
    wrong = list(RecordReader([tmp_path / "in" / "a.txt"], "detection", encoding="ascii"))
    assert "must be ascii" in wrong[0].reason


#: Two records as a list over several lines, as a list on one, as JSON Lines, and as a table.
SHAPES = {
    "a.json": '[\n{"text": "Caf\u00e9."},\n{"text": "R\u00f4ti."}]',
    "b.json": '[{"text": "Caf\u00e9."}, {"text": "R\u00f4ti."}]',
    "c.jsonl": '{"text": "Caf\u00e9."}\n{"text": "R\u00f4ti."}\n',
    "d.csv": "n,text\n1,Caf\u00e9.\n2,R\u00f4ti.\n",
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_a_file_of_wide_characters_is_read_or_one_bad_record_that_says_how(
    name: str, encoding: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(SHAPES[name].encode(encoding))
    (bad,) = RecordReader([path], "detection")
    assert bad.place == f"{path}:1"
    assert bad.reason.startswith("nothing more of the file can be read: must be UTF-8, got ")
    said = f"it looks like {encoding[:6].upper()}; save it as UTF-8, or name its encoding (--encoding {encoding})"
    assert bad.reason.endswith(said)
    found = list(RecordReader([path], "detection", encoding=encoding))
    assert [(f.values["text"], f.reason) for f in found] == [("Caf\u00e9.", ""), ("R\u00f4ti.", "")]


@pytest.mark.parametrize("name", SHAPES)
def test_a_byte_order_mark_is_skipped_in_every_shape(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(SHAPES[name].encode("utf-8-sig"))
    assert [f.values.get("text") for f in RecordReader([path], "detection")] == ["Caf\u00e9.", "R\u00f4ti."]


def test_the_place_of_bytes_that_are_no_utf8_is_their_line_in_a_list(tmp_path: Path) -> None:
    path = tmp_path / "in.json"
    long = '{"text": "' + "It rains. " * 30_000 + '"}'
    path.write_bytes(f'[\n{long},\n{{"text": "Caf\u00e9."}}\n]'.encode("latin-1"))
    (bad,) = RecordReader([path], "detection")
    assert bad.place == f"{path}:3"
    assert bad.reason == (
        f"nothing more of the file can be read: must be UTF-8, got byte 0xe9 at byte {len(long) + 17} of the file; it"
        " looks like Windows-1252 (Western European); save it as UTF-8, or name its encoding (--encoding windows-1252)"
    )


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_place_of_a_byte_that_is_no_utf8_counts_from_the_start_of_the_file(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(mark + '{"text": "It rains."}\n{"text": "Rôti: '.encode() + b'\xff"}\n')
    _, bad = RecordReader([path], "detection")
    assert bad.place == f"{path}:2"
    at = path.read_bytes().index(b"\xff")
    assert f"got byte 0xff at byte {at} of the file" in bad.reason


def test_a_scan_in_another_encoding_is_another_scan(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("The kettle boils at seven.")
    scan([tmp_path / "in.txt"], out=tmp_path / "out", job=ScanJob(system="linear"))
    with pytest.raises(InputError, match="encoding is 'utf-8', not 'cp1252'"):
        scan([tmp_path / "in.txt"], out=tmp_path / "out", job=ScanJob(system="linear"), encoding="windows-1252")


def test_a_folder_with_files_that_a_scan_would_replace_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("The kettle boils at seven.")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "part-000001.json").write_text("mine")
    with pytest.raises(InputError, match=r"part-000001.json of something else"):
        scan([tmp_path / "in.txt"], out=tmp_path / "out", job=ScanJob(system="linear"))
    assert (tmp_path / "out" / "part-000001.json").read_text() == "mine"
