"""The name of a system as its own results have it is accepted as its name; another version is not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fallax as fx
from fallax.api import verification_system, verify
from fallax.causality.systems import load_baseline, reads_embedder
from fallax.detection.systems import load_detector
from fallax.errors import FormatError, InputError, UnknownNameError
from fallax.faithfulness.systems import load_local_judge

WEIGHTS = Path(fx.__file__).parent
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


@pytest.mark.parametrize(
    "call",
    [
        lambda name: fx.detect("It rains.", system=name),
        lambda name: list(fx.detect_many(["It rains."], system=name)),
        lambda name: fx.debate("It rains.", "It rains.", system=name),
        lambda name: list(fx.debate_many([("It rains.", "It rains.")], system=name)),
        lambda name: verify("The rain made it wet.", EVIDENCE, system=name),
        lambda name: list(fx.verify_many([("The rain made it wet.", EVIDENCE)], system=name)),
    ],
)
def test_an_empty_name_is_not_the_default_and_a_path_is_a_folder(
    call: Callable[[Any], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown (detector|judge|verifier) ''"):
        call("")
    with pytest.raises(InputError, match=r"^system: a path must be the folder of a .*, got 'linear'; give names"):
        call(Path("linear"))
    monkeypatch.chdir(tmp_path)
    for name in ("linear", "lexical-overlap"):  # names of parts, which a path does not mean
        (tmp_path / name).mkdir()
        with pytest.raises(FormatError, match=f"{name}: .*card.json"):
            call(Path(name))


def test_a_path_loads_what_the_name_of_its_folder_loads() -> None:
    small, judge = WEIGHTS / "detection/weights/encoder-small", WEIGHTS / "entailment/weights"
    text = "Everyone says the new bridge is ugly, so it must be."
    assert fx.detect(text, system=small) == fx.detect(text, system=str(small))
    assert fx.debate("The ferry left.", "It left.", system=judge) == fx.debate("The ferry left.", "It left.")
    claim = "The wet field delayed the match."
    assert verify(claim, EVIDENCE, system=judge) == verify(claim, EVIDENCE, system=str(judge))


def test_what_a_folder_or_a_ready_verifier_does_not_read_is_refused() -> None:
    judge, claim = WEIGHTS / "entailment/weights", "The wet field delayed the match."
    for folder in (judge, str(judge)):
        with pytest.raises(InputError, match=r"^embedder: needs documents, or a system that compares texts"):
            verify(claim, EVIDENCE, system=folder, embedder="minilm")
        with pytest.raises(InputError, match=r"^embedder: is not read by this system"):
            verification_system(system=folder, embedder="minilm")
    with pytest.raises(InputError, match=r"^abstain: is not read where a ready verifier is given"):
        verify(claim, EVIDENCE, system=verification_system(system="majority"), abstain=False)
    with pytest.raises(InputError, match=r"^model: must be at least one model, got an empty list"):
        fx.debate("The ferry left.", "It left.", model=[])
