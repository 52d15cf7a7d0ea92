import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fallax.cli import main
from fallax.data import cache_folder, dataset_path, load_dataset
from fallax.data.fetching import (
    LOCK,
    FetchProgress,
    Published,
    PublishedFile,
    all_datasets,
    fetch_dataset,
    published_sources,
)
from fallax.errors import DownloadError, InputError, UnknownNameError
from tests.support.file_server import FileServer, file_server

VAL = b"text,label,Claim,Source\nIt was cold in May. So nothing warms.,cherry picking,1.1,mine\n"
TRAIN = b"text,label,Claim,Source\nA cat is no dog.,red herring,1.2,mine\nAll say so.,ad populum,1.3,mine\n"


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server({"/val.csv": VAL, "/train.csv": TRAIN}) as served:
        yield served


def flicc(server: FileServer, *, pin: str | None = None) -> Published:
    return Published(
        (
            PublishedFile(f"{server.url}/val.csv", "fallacy_val.csv", len(VAL), pin),
            PublishedFile(f"{server.url}/train.csv", "fallacy_train.csv"),
        )
    )


def test_fetched_set_is_read_and_its_checksums_are_written_down(server: FileServer, tmp_path: Path) -> None:
    told: list[FetchProgress] = []
    found = fetch_dataset("flicc", folder=tmp_path, published=flicc(server, pin=sha(VAL)), progress=told.append)
    assert [(f.path, f.checked) for f in found] == [
        (tmp_path / "flicc" / "fallacy_val.csv", "pinned"),
        (tmp_path / "flicc" / "fallacy_train.csv", "first fetch"),
    ]
    assert len(load_dataset("flicc", split="all", root=tmp_path)) == 3
    assert told[-1] == FetchProgress("fallacy_train.csv", len(TRAIN), len(TRAIN))
    lock = json.loads((tmp_path / "flicc" / LOCK).read_text(encoding="utf-8"))["files"]
    pin = {"url": f"{server.url}/train.csv", "size": len(TRAIN), "sha256": sha(TRAIN), "pinned": False}
    assert lock["fallacy_train.csv"] == pin
    assert lock["fallacy_val.csv"]["pinned"]
    assert [p.name for p in tmp_path.iterdir()] == ["flicc"]


def test_second_fetch_asks_nobody_and_checks_what_is_here(server: FileServer, tmp_path: Path) -> None:
    fetch_dataset("flicc", folder=tmp_path, published=flicc(server))
    n = len(server.asked)
    again = fetch_dataset("flicc", folder=tmp_path, published=flicc(server))
    assert [f.checked for f in again] == ["lock", "lock"]
    assert len(server.asked) == n
    (tmp_path / "flicc" / "fallacy_val.csv").write_bytes(VAL + b"x")
    with pytest.raises(InputError, match="it is not the published file"):
        fetch_dataset("flicc", folder=tmp_path, published=flicc(server))


def test_what_was_trusted_first_must_come_again(server: FileServer, tmp_path: Path) -> None:
    fetch_dataset("flicc", folder=tmp_path, published=flicc(server))
    (tmp_path / "flicc" / "fallacy_train.csv").unlink()
    server.files["/train.csv"] = TRAIN + b"Other,red herring,1.1,mine\n"
    with pytest.raises(DownloadError, match=f"must have at most {len(TRAIN)} bytes, got more.*nothing was kept"):
        fetch_dataset("flicc", folder=tmp_path, published=flicc(server))
    server.files["/train.csv"] = TRAIN.replace(b"cat", b"cow")
    with pytest.raises(DownloadError, match=f"must have SHA-256 {sha(TRAIN)}, found"):
        fetch_dataset("flicc", folder=tmp_path, published=flicc(server))
    assert not (tmp_path / "flicc" / "fallacy_train.csv").exists()
    server.files["/train.csv"] = TRAIN
    fetch_dataset("flicc", folder=tmp_path, published=flicc(server))
    assert (tmp_path / "flicc" / "fallacy_train.csv").read_bytes() == TRAIN


def test_a_file_that_does_not_end_is_stopped(
    server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fallax.data.fetching.MAX_UNKNOWN", 1 << 16)
    server.files["/train.csv"] = b"x" * (1 << 20)
    with pytest.raises(DownloadError, match="must have at most 65,536 bytes, got more"):
        fetch_dataset("flicc", folder=tmp_path, published=flicc(server))
    assert not list(tmp_path.rglob("*train.csv*"))


def test_wrong_checksum_leaves_no_set_behind(server: FileServer, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=f"must have SHA-256 {'0' * 64}, found {sha(VAL)}"):
        fetch_dataset("flicc", folder=tmp_path, published=flicc(server, pin="0" * 64))
    with pytest.raises(InputError, match="fallax data fetch flicc"):
        dataset_path("flicc", root=tmp_path)


def test_fetch_goes_on_with_the_file_that_broke_off(server: FileServer, tmp_path: Path) -> None:
    server.break_after["/train.csv"] = 10
    server.etags["/train.csv"] = '"1"'
    with pytest.raises(DownloadError, match="50 bytes are kept"):
        fetch_dataset("flicc", folder=tmp_path, published=flicc(server))
    assert not (tmp_path / "flicc").exists()
    del server.break_after["/train.csv"]
    server.asked.clear()
    fetch_dataset("flicc", folder=tmp_path, published=flicc(server))
    assert server.asked == [("/train.csv", "bytes=50-")]
    assert (tmp_path / "flicc" / "fallacy_train.csv").read_bytes() == TRAIN


@pytest.mark.parametrize(
    ("body", "why"),
    [(b"<html>Not here</html>", "KeyError"), (b"text,label,Claim,Source\n", "no text"), (b"a,b\n1,2,3\n", "2 cells")],
)
def test_what_is_not_this_set_is_not_kept(body: bytes, why: str, server: FileServer, tmp_path: Path) -> None:
    server.files["/val.csv"] = body + (b"\n1" if b"html" in body else b"")
    with pytest.raises(DownloadError, match=f"cannot be read as it .*{why}.*nothing was kept") as error:
        fetch_dataset("flicc", folder=tmp_path, published=flicc(server))
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_set_that_a_person_must_get_says_where(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"after registration.*propaganda\.qcri\.org/nlp4if-shared-task"):
        fetch_dataset("ptc_nlp4if2019", folder=tmp_path)
    with pytest.raises(UnknownNameError, match="did you mean 'flicc'"):
        fetch_dataset("flic", folder=tmp_path)


def test_damaged_lock_is_one_line(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "flicc").mkdir()
    (tmp_path / "flicc" / LOCK).write_text("[]")
    with pytest.raises(InputError, match="must be what fallax wrote"):
        fetch_dataset("flicc", folder=tmp_path, published=flicc(server))


@pytest.mark.parametrize("name", sorted(all_datasets()))
def test_every_set_is_fetched_or_says_how_it_is_had(name: str) -> None:
    published = published_sources()[name]
    assert bool(published.files) != bool(published.by_hand)
    wanted = {file for files in all_datasets()[name].readable.values() for file in files}
    for file in published.files:
        assert file.url.startswith("https://")
        assert file.name in wanted
        assert (file.sha256 is None) == (file.size is None)


@pytest.mark.parametrize("name", [n for n, p in published_sources().items() if any(f.sha256 for f in p.files)])
def test_pinned_checksums_are_those_of_the_files_at_hand(name: str) -> None:
    if not os.environ.get("FALLAX_DATA"):
        pytest.skip(f"needs {name}: set FALLAX_DATA")
    try:
        folder = dataset_path(name, root=os.environ["FALLAX_DATA"])
    except InputError as error:
        pytest.skip(str(error))
    for file in published_sources()[name].files:
        if file.sha256 is None:
            continue  # trusted on first use; test splits are not at hand
        data = (folder / file.name).read_bytes()
        assert (len(data), sha(data)) == (file.size, file.sha256)


def shell(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["data", *words])
    return int(stop.value.code or 0)


@pytest.fixture
def home(server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of a user who has nothing yet; the one set that is published is on this machine."""
    monkeypatch.delenv("FALLAX_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    sources = dict(published_sources()) | {"flicc": flicc(server, pin=sha(VAL))}
    for module in ("fallax.data.fetching", "fallax.cli.data"):
        monkeypatch.setattr(f"{module}.published_sources", lambda: sources)
    return tmp_path / "cache" / "fallax" / "data"


def test_shell_shows_the_licence_and_asks_first(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell("fetch", "flicc") == 2
    err = capsys.readouterr().err
    assert "licence: MIT" in err
    assert "read it and add --yes" in err
    assert not home.exists()


def test_shell_fetches_and_says_what_is_trusted(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shell("fetch", "flicc", "--yes") == 0
    out, err = capsys.readouterr()
    assert out == f"{home / 'flicc'}\n"
    assert "no checksum is known for fallacy_train.csv: this download is trusted" in err
    assert shell("path", "flicc") == 0
    assert capsys.readouterr().out == out
    assert shell("fetch", "flicc", "--json") == 0
    assert {f["checked"] for f in json.loads(capsys.readouterr().out)["files"]} == {"pinned", "lock"}
    assert shell("list") == 0
    assert "flicc\ttext\tdev, train, test\tshipped\tMIT\tyes\t0.0 MB\tsize unknown" in capsys.readouterr().out


def test_folder_of_an_offline_machine_wins(
    home: Path, server: FileServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine" / "flicc").mkdir(parents=True)
    monkeypatch.setenv("FALLAX_DATA", str(tmp_path / "mine"))
    assert shell("fetch", "flicc", "--yes") == 0
    assert capsys.readouterr().out == f"{tmp_path / 'mine' / 'flicc'}\n"
    assert not server.asked
    (tmp_path / "mine" / "flicc").rmdir()
    assert shell("fetch", "flicc", "--yes") == 0
    assert dataset_path("flicc") == home / "flicc"


def test_shell_says_in_one_line_that_there_is_no_network(
    home: Path, server: FileServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = Published((PublishedFile("http://127.0.0.1:9/val.csv", "fallacy_val.csv"),))
    monkeypatch.setattr("fallax.data.fetching.published_sources", lambda: {"flicc": gone})
    assert shell("fetch", "flicc", "--yes") == 1
    assert "cannot be reached" in capsys.readouterr().err.splitlines()[-1]
    assert cache_folder() == home
