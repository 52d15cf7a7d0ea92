"""The page on labels of one's own: its commands run, one after the other, and find what they learned."""

import re
import shlex
from pathlib import Path

import pytest

from fallax.cli import main
from fallax.core.taxonomies import read_taxonomy
from fallax.core.types import Taxonomy

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "own-labels.md").read_text(encoding="utf-8")


def shell(*words: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    assert left.value.code == 0, words


def test_the_commands_train_detectors_that_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    block = re.search(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert block is not None
    for line in block[1].splitlines():
        shell(*shlex.split(line)[1:])
    ((said, shown),) = re.findall(
        r"^\$ echo \"(.*)\" \| fallax detect --system mine -\n(.*?)^```", PAGE, re.DOTALL | re.M
    )
    (tmp_path / "said.txt").write_text(f"{said}\n", encoding="utf-8")
    capsys.readouterr()
    shell("detect", "--system", "mine", "said.txt")
    assert capsys.readouterr().out.strip() == shown.strip()
    (tmp_path / "fool.txt").write_text("Only a fool would trust them.\n", encoding="utf-8")
    for name, definition in (("mine", ""), ("forum", "It speaks of the person")):
        capsys.readouterr()
        shell("detect", "--system", name, "--explain", "fool.txt")
        told = " ".join(capsys.readouterr().out.split())
        assert "insult" in told
        assert definition in told


def test_the_shown_label_set_is_that_of_the_example(tmp_path: Path) -> None:
    block = re.search(r"^```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert block is not None
    path = tmp_path / "shown.toml"
    path.write_text(block[1], encoding="utf-8")
    example = read_taxonomy(ROOT / "examples" / "own-labels.toml")
    assert read_taxonomy(path) == Taxonomy(example.name, example.labels)
