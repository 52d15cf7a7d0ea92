"""Baselines, retrieval, and the verb that puts them together."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

import fallax as fx
from fallax.causality.systems import Majority, OverlapVerifier, SimilarityChain, load_baseline, retrieve_evidence
from fallax.core.texts import Bm25, cosines, load_embedder
from fallax.core.types import CausalClaim, Evidence, Record, Verification
from fallax.errors import InputError, UnknownNameError
from fallax.models import ScriptedModel

FOR = ("The frost killed the blossom.", "Without blossom an orchard bears no apples.", "The mayor likes chess.")


def claim(text: str, *said: str) -> CausalClaim:
    return CausalClaim("c", text, tuple(Evidence(f"E{i}", t) for i, t in enumerate(said, start=1)))


def verdict_of(verifier: object, *given: str) -> Verification:
    return asyncio.run(verifier.verify(claim(*given)))  # type: ignore[attr-defined,no-any-return]


def test_overlap_tells_support_denial_and_silence_apart() -> None:
    verifier = OverlapVerifier()
    said = "The frost killed the blossom of the orchard."
    assert verdict_of(verifier, said, FOR[0], "The orchard lost its blossom.").label == "supports"
    assert verdict_of(verifier, said, "The frost never killed the blossom of the orchard.").label == "refutes"
    silent = verdict_of(verifier, said, "The mayor likes chess.")
    assert silent.label == "nei"
    assert silent.structure is None
    assert silent.missing == tuple(f"evidence that says {w!r}" for w in ("frost", "killed", "blossom", "orchard"))


def test_two_classes_always_have_a_verdict() -> None:
    for name in ("lexical-overlap", "similarity-chain"):
        assert verdict_of(load_baseline(name, classes=2), "The frost came.", "Chess is played.").label == "supports"


def test_chain_is_a_path_of_sound_structure_that_leaves_the_unlike_out() -> None:
    found = verdict_of(SimilarityChain(), "The frost left the orchard without apples.", *FOR)
    assert found.structure is not None
    assert not found.structure.problems
    assert {e.id for e in found.unused_evidence} == {"E3"}
    assert all(link.kind == "one_to_one" for link in found.structure.links)


def test_chain_follows_the_embedder_it_is_given() -> None:
    class Places:
        name = "places"

        def __call__(self, texts: object) -> object:
            return np.array([[1, 0, 0.5], [0, 1, 0], [0, 0, 1]])

    found = verdict_of(SimilarityChain(Places()), "z", "x", "y")
    assert [str(s) for s in found.chain] == ["E1 -> Claim"]
    assert found.system == "similarity-chain:places"


@pytest.mark.parametrize("given", [np.zeros((1, 2)), np.array([[np.nan], [1.0], [1.0]])])
def test_an_embedder_that_gives_something_else_is_named(given: object) -> None:
    class Wrong:
        name = "wrong"

        def __call__(self, texts: object) -> object:
            return given

    with pytest.raises(InputError, match="embedder 'wrong': must give one finite vector for each of 3 texts"):
        cosines(["a", "b", "c"], Wrong())


def test_majority_takes_the_commonest_and_the_first_of_equals() -> None:
    assert Majority.of(["nei", "refutes", "nei"]).label == "nei"
    assert Majority.of(["refutes", "supports"]).label == "supports"


def test_verifier_is_deterministic_in_the_order_of_its_evidence() -> None:
    a, b = (verdict_of(SimilarityChain(), "Frost took the apples.", *FOR) for _ in range(2))
    assert a == b


def test_retrieval_cites_what_stands_there(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Chess is slow.\n\nThe frost killed the blossom. Cats purr.", encoding="utf-8")
    (tmp_path / "b.md").write_text("The frost killed the blossom. No blossom, no apples.", encoding="utf-8")
    found = fx.verify("The frost took the apples and the blossom.", documents=tmp_path)
    texts = {e.id: e.text for e in found.evidence}
    assert set(texts.values()) == {"The frost killed the blossom.", "No blossom, no apples."}
    for c in found.citations:
        assert Path(c.document).read_text(encoding="utf-8")[c.start : c.end] == texts[c.evidence]
    assert [c.document for c in found.citations if texts[c.evidence].startswith("The")] == [str(tmp_path / "a.txt")]


def test_retrieval_that_finds_nothing_says_so() -> None:
    found = fx.verify("The frost took the apples.", documents=[Record("a", "Chess is slow.")])
    assert (found.label, found.evidence, found.system) == ("nei", (), "retrieval")
    assert found.missing


def test_retrieval_takes_no_more_than_asked_and_breaks_ties_by_place() -> None:
    documents = [Record("a", " ".join(f"Frost came on day {d}." for d in ("one", "two", "three")))]
    evidence, _ = retrieve_evidence("Why the frost?", documents, n=2)
    assert [e.text for e in evidence] == ["Frost came on day one.", "Frost came on day two."]
    with pytest.raises(InputError, match="n must be 1 or more"):
        retrieve_evidence("x", documents, n=0)


def test_bm25_of_nothing_and_of_unknown_words_is_nothing() -> None:
    assert Bm25([]).nearest("frost", 3) == []
    assert Bm25(["the of"]).nearest("frost", 3) == []
    assert Bm25(["frost", "frost"]).nearest("frost", 3, without=frozenset({0})) == [1]


@pytest.mark.parametrize("name", ["nothing.here:f", "json:nothing", "json:__name__", "json", ":", "..x:y"])
def test_an_embedder_that_is_not_there_is_one_line(name: str) -> None:
    with pytest.raises(InputError, match=r"^embedder: must be"):
        load_embedder(name)


def test_verify_with_a_model_and_back_from_json() -> None:
    model = ScriptedModel([{"reply": 'one_to_one_linking(Sentence1, Claim)\nprint("SUPPORTS")'}])
    found = fx.verify("The frost took the apples.", FOR, model=model)
    assert (found.label, found.system) == ("supports", "verify-task-4.v2:scripted:rules")
    assert [e.id for e in found.unused_evidence] == ["E2", "E3"]
    assert Verification.from_dict(found.to_dict()) == found


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"claim": " "}, "claim: must hold at least one word"),
        ({"evidence": None}, "evidence: must be given, or documents"),
        ({"evidence": "one text"}, "evidence: must be a list of texts"),
        ({"evidence": ["a", " "]}, "evidence 'E2': must hold at least one word"),
        ({"model": "openai/x", "system": "majority"}, "system, model: must not both"),
        ({"model": "scripted:x.json", "abstain": False}, "abstain: is not read where a model verifies"),
        ({"classes": 4}, "classes: must be 2 or 3, got 4"),
        ({"system": "majority", "embedder": "minilm"}, "embedder: needs documents, or a system that compares texts"),
        ({"evidence": None, "documents": "notes.txt", "n_evidence": 0}, "n_evidence: must be 1 or more, got 0"),
    ],
)
def test_bad_input_is_one_line(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fx.verify(**{"claim": "x", "evidence": ["y"], **given})  # type: ignore[arg-type]


def test_unknown_baseline_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'majority'"):
        fx.verify("x", ["y"], system="majorety")
