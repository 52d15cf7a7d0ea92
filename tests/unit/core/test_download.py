import hashlib
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from fallax.core.download import download
from fallax.errors import DownloadError
from tests.support.file_server import FileServer, file_server

BODY = bytes(range(256)) * 1000
SHA = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def server() -> Iterator[FileServer]:
    with file_server({"/f": BODY}) as served:
        yield served


def fails(url: str, target: Path, sha256: str | None = None) -> str:
    with pytest.raises(DownloadError) as error:
        download(url, target, sha256=sha256, timeout=60)
    assert "\n" not in str(error.value)
    assert not target.exists()
    return str(error.value)


def test_download_brings_the_file_and_tells_how_far_it_is(server: FileServer, tmp_path: Path) -> None:
    told: list[tuple[int, int | None]] = []
    target = tmp_path / "new" / "f"
    assert download(f"{server.url}/f", target, sha256=SHA, progress=lambda n, of: told.append((n, of))) == SHA
    assert target.read_bytes() == BODY
    assert (told[0], told[-1]) == ((0, len(BODY)), (len(BODY), len(BODY)))
    assert [p.name for p in target.parent.iterdir()] == ["f"]


def test_broken_transfer_is_taken_up_where_it_broke_off(server: FileServer, tmp_path: Path) -> None:
    server.break_after["/f"] = 100_000
    assert download(f"{server.url}/f", tmp_path / "f", sha256=SHA) == SHA
    assert server.asked == [("/f", ""), ("/f", "bytes=100000-"), ("/f", "bytes=200000-")]


def test_next_call_goes_on_where_the_last_was_broken_off(server: FileServer, tmp_path: Path) -> None:
    server.break_after["/f"] = 10_000
    message = fails(f"{server.url}/f", tmp_path / "f", SHA)
    assert "the connection broke off" in message
    assert "50,000 bytes are kept, the same command resumes there" in message
    del server.break_after["/f"]
    assert download(f"{server.url}/f", tmp_path / "f", sha256=SHA) == SHA
    assert server.asked[-1] == ("/f", "bytes=50000-")


def test_part_of_another_version_is_not_gone_on_with(server: FileServer, tmp_path: Path) -> None:
    server.break_after["/f"] = 10_000
    fails(f"{server.url}/f", tmp_path / "f")
    del server.break_after["/f"]
    server.files["/f"] = new = b"another" * 50_000
    assert download(f"{server.url}/f", tmp_path / "f") == hashlib.sha256(new).hexdigest()
    assert (tmp_path / "f").read_bytes() == new


@pytest.mark.parametrize("how", ["no ranges", "weak"])
def test_server_that_cannot_resume_starts_over(how: str, server: FileServer, tmp_path: Path) -> None:
    server.ranges = how != "no ranges"
    if how == "weak":
        server.etags["/f"] = 'W/"1"'
    server.break_after["/f"] = 200_000
    fails(f"{server.url}/f", tmp_path / "f", SHA)
    del server.break_after["/f"]
    assert download(f"{server.url}/f", tmp_path / "f", sha256=SHA) == SHA


def test_part_that_is_whole_already_is_checked_anew(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "f.partial").write_bytes(BODY)
    (tmp_path / "f.partial.etag").write_text(server.etag("/f"))
    assert download(f"{server.url}/f", tmp_path / "f", sha256=SHA) == SHA


def test_wrong_checksum_keeps_nothing(server: FileServer, tmp_path: Path) -> None:
    message = fails(f"{server.url}/f", tmp_path / "f", "0" * 64)
    assert f"must have SHA-256 {'0' * 64}, found {SHA}" in message
    assert list(tmp_path.iterdir()) == []


def test_nothing_there(server: FileServer, tmp_path: Path) -> None:
    assert "the server answered 404" in fails(f"{server.url}/g", tmp_path / "f")


def test_no_server(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    message = fails(f"http://127.0.0.1:{port}/f", tmp_path / "f")
    assert "cannot be reached" in message
    assert "check the network" in message


def test_only_the_web_is_asked(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s")
    assert "must be an http or https address" in fails(f"file://{tmp_path / 'secret'}", tmp_path / "f")


def test_place_that_cannot_be_written(server: FileServer, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DownloadError, match="cannot be written"):
        download(f"{server.url}/f", tmp_path / "file" / "f")
