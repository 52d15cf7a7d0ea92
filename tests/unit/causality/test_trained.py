"""Verifiers that are trained on claims: verdicts from what an encoder reads, structures from learnt choices."""

import asyncio
import hashlib
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fallax as fx
from fallax.causality.systems import TrainedVerifier, load_trained_verifier
from fallax.causality.training import tuning
from fallax.causality.training.claims import chosen_groups, needs_of, training_claims
from fallax.causality.training.train import FineTuning, TrainingSettings, train_verifier, with_retrieved
from fallax.cli import main
from fallax.core.types import ArgumentStructure, CausalClaim, Evidence, Link, Record, Statement
from fallax.data import write_claims
from fallax.encoders.files import npz_bytes
from fallax.errors import FormatError, InputError, UnknownNameError
from tests.support.shell import shell
from tests.support.tiny_base import write_tiny_base

PAIRS = (
    ("the road was closed", "a tree fell across it"), ("the cake burned", "the oven was too hot"),
    ("the match ended early", "the lights failed"), ("the river turned brown", "a bank collapsed upstream"),
    ("the choir sang badly", "the pianist was ill"), ("the shop ran out of bread", "the baker overslept"),
    ("the plane landed late", "a storm blew over the airport"), ("the garden flooded", "a pipe burst"),
)  # fmt: skip


def claims_of(pairs: Any = PAIRS) -> list[CausalClaim]:
    """Each pair twice: beside what says so, and beside what another pair says."""
    found = []
    for i, (effect, cause) in enumerate(pairs):
        for label, (e, c) in (("supports", (effect, cause)), ("nei", PAIRS[(i + 3) % len(PAIRS)])):
            said = (f"{c.capitalize()}, and because of that {e}.", "Plums ripen in August.")
            evidence = tuple(Evidence(f"E{n}", t, leaf=True) for n, t in enumerate(said, start=1))
            claim = f"{effect.capitalize()} because {cause}."
            found.append(CausalClaim(f"{i}-{label}", claim, evidence, label, group=str(i)))  # type: ignore[arg-type]
    return found


def chain(number: int) -> CausalClaim:
    """Three leaves that share a word with the next, two distractors; the first two give an intermediate."""
    a, b, c, d, e, x, y = (f"w{number}{n}" for n in random.Random(number).sample(range(10, 99), 7))
    texts = {
        "A": f"{a} makes {b}",
        "B": f"{b} makes {c}",
        "C": f"{c} makes {d} {e}",
        "X": f"{x} is {y}",
        "Y": f"{y} sees {x}",
    }
    made = Statement("I", f"{a} makes {c}")
    root = Statement("Claim", f"{a} makes {d} {e}")
    nodes = (*(Statement(i, texts[i]) for i in "ABC"), made)
    structure = ArgumentStructure(root, nodes, (Link(("A", "B"), ("I",)), Link(("I", "C"), ("Claim",))))
    evidence = [Evidence(i, t, i in "ABC", True) for i, t in texts.items()] + [Evidence("I", made.text, True, False)]
    return CausalClaim(f"c{number}", root.text, tuple(evidence), "supports", structure)


def label_of(verifier: TrainedVerifier, claim: CausalClaim) -> str | None:
    return asyncio.run(verifier.verify(claim)).label


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained")
    train_verifier(claims_of(PAIRS[:6]), out, TrainingSettings(), name="pairs")
    return out


def test_a_head_tells_own_evidence_from_that_of_others(trained: Path) -> None:
    unseen = claims_of()[12:]
    verifier = load_trained_verifier(str(trained))
    assert [label_of(verifier, c) for c in unseen] == [c.label for c in unseen]
    # the folder is a system wherever one is named
    found = fx.verify(unseen[0].claim, [e.text for e in unseen[0].evidence], system=str(trained))
    assert (found.label, found.system) == ("supports", "pairs@1")
    assert found.probability is not None
    assert found.probability > 0.5


def test_the_same_claims_give_the_same_bytes(trained: Path, tmp_path: Path) -> None:
    train_verifier(claims_of(PAIRS[:6]), tmp_path, TrainingSettings(), name="pairs")
    assert (tmp_path / "card.json").read_bytes() == (trained / "card.json").read_bytes()


def test_fused_readings_rest_on_the_piece_that_decides(tmp_path: Path) -> None:
    verifier = train_verifier(claims_of(PAIRS[:6]), tmp_path, TrainingSettings(fused=True), name="fused")
    found = asyncio.run(verifier.verify(claims_of()[12]))
    assert found.label == "supports"
    assert found.structure is not None
    assert [n.id for n in found.structure.evidence] == ["E1"]
    assert found.notes[0].startswith("attention: E1 ")


def test_evidence_is_retrieved_from_a_pool() -> None:
    pytest.importorskip("bm25s")
    pool = [Record(f"d{i}", f"{c.capitalize()}, and because of that {e}.") for i, (e, c) in enumerate(PAIRS)]
    given = [c for c in claims_of() if c.label == "supports"]
    found = with_retrieved(given, pool, 2)
    assert [c.evidence[0].text for c in found] == [c.evidence[0].text for c in given]
    with pytest.raises(InputError, match="--documents: must hold sentences that share a word"):
        with_retrieved(given, [Record("d", "Xyzzy.")], 2)


def test_task_2_reads_the_structure_and_needs_one(tmp_path: Path) -> None:
    def with_steps(c: CausalClaim) -> CausalClaim:
        links = (Link(("E1",), ("Claim",)),)
        return replace(c, structure=ArgumentStructure(Statement("Claim", c.claim), (c.evidence[0].statement,), links))

    given = [with_steps(c) for c in claims_of()]
    verifier = train_verifier(given[:12], tmp_path, TrainingSettings(2), name="two")
    assert [label_of(verifier, c) for c in given[12:]] == [c.label for c in given[12:]]
    with pytest.raises(InputError, match="task 2 reads the argument structure, got a claim without one"):
        label_of(verifier, claims_of()[0])


@pytest.mark.parametrize("task", [3, 4])
def test_structures_are_built_without_the_distractors(task: int, tmp_path: Path) -> None:
    verifier = train_verifier([chain(i) for i in range(25)], tmp_path, TrainingSettings(task), name="links")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["card.json", "links.npz"]
    right = 0
    for number in range(100, 110):
        found = asyncio.run(verifier.verify(chain(number)))
        assert found.label is None
        assert "one verdict" in found.no_label
        assert found.structure is not None
        assert found.structure.problems == ()
        assert {e.id for e in found.unused_evidence if e.leaf} == {"X", "Y"}
        steps = {frozenset(s.premises) for s in found.structure.steps}
        right += steps == (
            {frozenset("AB"), frozenset("IC")} if task == 3 else {frozenset("AB"), frozenset(("int1", "C"))}
        )
    assert right >= 8
    if task == 4:
        (made,) = found.concluded
        assert all(t.rstrip(".") in made.text for t in (e.text for e in chain(109).evidence if e.id in "AB"))


def damaged(folder: Path, tmp_path: Path, content: bytes, *, hashed: bool) -> Path:
    """A copy with other heads, and with their hash in the card if asked for."""
    about = json.loads((folder / "card.json").read_text())
    if hashed:
        about["files"]["heads.npz"] = hashlib.sha256(content).hexdigest()
    (tmp_path / "card.json").write_text(json.dumps(about))
    (tmp_path / "heads.npz").write_bytes(content)
    return tmp_path


def test_a_damaged_folder_is_refused(trained: Path, tmp_path: Path) -> None:
    content = (trained / "heads.npz").read_bytes()
    with pytest.raises(FormatError, match="must have the SHA-256 that"):
        load_trained_verifier(str(damaged(trained, tmp_path, content[:-500] + b"\0" * 500, hashed=False)))
    with pytest.raises(FormatError, match="must be the card of a trained verifier"):
        load_trained_verifier(str(damaged(trained, tmp_path, npz_bytes({"mean": np.zeros(2)}), hashed=True)))


def test_heads_of_other_shapes_are_refused(trained: Path, tmp_path: Path) -> None:
    with np.load(trained / "heads.npz") as stored:
        arrays = {name: stored[name] for name in stored.files}
    arrays["weight"] = arrays["weight"][:-1]
    with pytest.raises(FormatError, match=r"heads\.npz: the shapes of"):
        load_trained_verifier(str(damaged(trained, tmp_path, npz_bytes(arrays), hashed=True)))


def test_pickled_heads_are_refused(trained: Path, tmp_path: Path) -> None:
    with (tmp_path / "evil.npz").open("wb") as file:
        np.savez(file, mean=np.array([{"a": 1}], dtype=object))
    folder = damaged(trained, tmp_path, (tmp_path / "evil.npz").read_bytes(), hashed=True)
    with pytest.raises(FormatError, match="allow_pickle=False"):
        load_trained_verifier(str(folder))


def test_a_folder_that_is_no_trained_verifier(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="must be a trained verifier's folder"):
        fx.verify("It broke because it fell.", ["It fell."], system=str(tmp_path))
    with pytest.raises(UnknownNameError):
        fx.verify("It broke because it fell.", ["It fell."], system=str(tmp_path / "nothing"))


def test_claims_that_a_task_cannot_learn_from() -> None:
    given = claims_of()
    for task, claims, said in (
        (1, [c for c in given if c.label == "nei"], "needs claims of two verdicts or more, got nei alone"),
        (1, [replace(c, label=None) for c in given], "needs claims with a verdict, got none"),
        (2, given, "needs claims with an argument structure"),
        (4, given, "learns argument structures that lead to a claim, got none"),
        (5, given, "must be 1, 2, 3 or 4, got 5"),
    ):
        with pytest.raises(InputError, match=said):
            needs_of(task, claims)


def test_a_limit_keeps_groups_whole() -> None:
    found = chosen_groups(claims_of(), 7, 3)
    assert len(found) == 6
    assert all(sum(d.group == c.group for d in found) == 2 for c in found)


def test_the_command_trains_on_a_file_and_the_benchmark_runs_it(tmp_path: Path) -> None:
    given, out = tmp_path / "claims.jsonl", tmp_path / "builder"
    write_claims([chain(i) for i in range(12)], given)
    assert "learnt from 12 structures" in shell("verify", "train", "--on", given, "--task", "4", "--output", out)
    ran = shell("bench", "run", "causal", "--system", f"verifier:{out}", "-B", f"set={given}", "-o", tmp_path / "run")
    assert "tree" in ran
    card = json.loads((out / "card.json").read_text())
    assert card["trained_on"][-1] == {"name": "claims in all", "claims": 12}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--fused", "--task", "3"), "--fused: is read by tasks 1 and 2"),
        (("--epochs", "2"), "--epochs: needs --base"),
        (("--n-evidence", "2"), "--n-evidence: needs --fused"),
        (("--task", "1"), "must hold claims with evidence to train on, got none"),
    ],
)
def test_bad_options_are_one_line(
    options: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(SystemExit) as stop:
        main(["verify", "train", "--on", str(tmp_path / "empty.jsonl"), "--output", str(tmp_path / "out"), *options])
    shown = capsys.readouterr().err
    assert stop.value.code
    assert said in shown
    assert len(shown.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_evaluation_parts_are_not_trained_on(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must not be trained on; it is for evaluation"):
        training_claims(["entailment_bank"], split="task_2_dev", root=tmp_path)
    with pytest.raises(UnknownNameError):
        training_claims(["nothing"], root=tmp_path)


def test_fine_tuning_resumes_where_it_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "base").mkdir()
    write_tiny_base(tmp_path / "base")
    from fallax.entailment.training import loop

    rows = [(tuple(e.text for e in c.evidence), c) for c in claims_of()] * 10
    settings = FineTuning(tmp_path / "base", epochs=2, save_every=0.0)

    def tuned(name: str) -> bytes:
        out = tmp_path / name
        tuning.fine_tune(rows, out / "encoder", out, settings, seed=7, name="x")
        return (out / "encoder" / "head.npz").read_bytes()

    whole = tuned("whole")
    real, calls = loop._loss, []

    def interrupted(*given: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(*given)

    monkeypatch.setattr(loop, "_loss", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tuned("cut")
    assert tuned("cut") == whole
    assert len(calls) > 3


def test_few_claims_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for n, told in ((12, True), (100, False)):
        write_claims([chain(i) for i in range(n)], tmp_path / "claims.jsonl")
        words = ["verify", "train", "--on", str(tmp_path / "claims.jsonl"), "--task", "4"]
        with pytest.raises(SystemExit) as stop:
            main([*words, "--output", str(tmp_path / f"out{n}")])
        assert not stop.value.code
        assert ("from fewer than 100 claims little can be learnt" in capsys.readouterr().err) is told


@pytest.mark.parametrize(
    ("there", "named"), [({"notes.txt": "mine"}, "notes.txt"), ({"card.json": '{"taxonomy": "mafalda"}'}, "card.json")]
)
def test_a_folder_of_something_else_is_left_alone(there: dict[str, str], named: str, tmp_path: Path) -> None:
    for name, content in there.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=f"new folder or that of a verifier, got one with {named} of something else"):
        train_verifier(claims_of(PAIRS[:6]), tmp_path, TrainingSettings(), name="mine")
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == there


def test_a_verifier_and_what_was_interrupted_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / ".hidden").write_text("")
    train_verifier(claims_of(PAIRS[:6]), tmp_path, TrainingSettings(), name="first")
    assert train_verifier(claims_of(PAIRS[:6]), tmp_path, TrainingSettings(), name="second").name == "second@1"
