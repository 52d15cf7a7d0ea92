"""The name of a system as its own results have it is accepted as its name; another version is not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fallax.api import verification_system, verify
from fallax.causality.systems import load_baseline, reads_embedder
from fallax.detection.systems import load_detector
from fallax.errors import InputError, UnknownNameError
from fallax.faithfulness.systems import load_local_judge

EVIDENCE = ["Rain left the field wet.", "The match began late because the field was wet."]


def test_the_verifier_that_ships_has_the_name_of_its_results() -> None:
    found = verify("The wet field delayed the match.", EVIDENCE)
    for name in (found.system, found.system.partition("@")[0], "entailment", f"verifier:{found.system}"):
        assert verify("The wet field delayed the match.", EVIDENCE, system=name) == found
        assert not reads_embedder(name)
    assert verification_system(system=found.system, abstain=False).abstain is False  # type: ignore[attr-defined]
    assert load_baseline(found.system).abstain is False  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("load", "name", "kind"),
    [
        (load_detector, "linear", "detector"),
        (load_detector, "encoder", "detector"),
        (load_local_judge, "entailment", "judge"),
        (load_baseline, "entailment-causes", "verifier"),
    ],
)
def test_a_version_must_be_the_one_that_is_installed(load: Callable[[str], Any], name: str, kind: str) -> None:
    installed = load(name).name
    assert installed.startswith(f"{name}@")
    assert load(installed).name == load(f"{kind}:{installed}").name == installed
    with pytest.raises(InputError, match=f"^{kind} '{name}@0': must be what is installed, which is '{installed}'"):
        load(f"{name}@0")
    with pytest.raises(UnknownNameError, match=f"unknown {kind} 'other@0'"):
        load("other@0")


def test_a_part_without_a_version_has_none() -> None:
    with pytest.raises(InputError, match="judge 'lexical-overlap@1': must be what is installed, which is 'lexical-ov"):
        load_local_judge("lexical-overlap@1")
    with pytest.raises(InputError, match="verifier 'entailment@8': must be what is installed"):
        load_baseline("entailment@8")  # of `debate`; `verify` reads claims with another model


def test_a_folder_may_have_such_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "linear@1").mkdir()
    with pytest.raises(Exception, match="linear@1"):  # it is read as the folder of a detector, and holds none
        load_detector("linear@1")


@pytest.mark.parametrize("load", [load_detector, load_local_judge, load_baseline])
def test_a_name_longer_than_that_of_a_file_is_unknown(load: Callable[[str], Any]) -> None:
    for name in ("It rains. " * 100, f"nobody@{'1' * 300}"):
        with pytest.raises(UnknownNameError, match="unknown"):
            load(name)
