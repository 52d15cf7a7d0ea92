"""Claims with evidence and structures: CheckWhy's shape on records of our own, our JSONL, and the public sets."""

import json
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types import ArgumentStructure, CausalClaim, Link, Statement
from fallax.data import CLAIM_SETS, load_claims, read_claims, write_claims
from fallax.errors import FormatError, InputError, UnknownNameError
from fallax.metrics import EntailmentTree, StructureSimilarity, number_groups

#: A record of our own in the shape of the authors' files.
RECORD: dict[str, Any] = {
    "checkwhy-id": "41_sup",
    "claim": "Hail in June ruined the cherry fair.",
    "label": "SUPPORTS",
    "evidences": [
        {"evidence_id": 1, "evidence": "Hail fell on the orchards in June.", "useful": 1, "leaf": 1},
        {"evidence_id": 2, "evidence": "Ripe cherries burst under hail.", "useful": 1, "leaf": 1},
        {"evidence_id": 3, "evidence": "Most cherries were lost.", "useful": 1, "leaf": 0},
        {"evidence_id": 4, "evidence": "The fair sells cherries only.", "useful": True, "leaf": True},
        {"evidence_id": 5, "evidence": "Plums keep longer than cherries.", "useful": 0, "leaf": 1},
    ],
    "argument_structure": "multiple_to_one_linking([Sentence1, Sentence2], Sentence3)\n"
    "multiple_to_one_linking([Sentence3, Sentence4], Claim)\nprint('SUPPORTS')",
    "code_out": 'Sentence3 = FACT("Most cherries were lost.")\n'
    "multiple_to_one_linking([Sentence1, Sentence2], Sentence3)\n"
    "multiple_to_one_linking([Sentence3, Sentence4], Claim)\nprint('SUPPORTS')",
}


def written(folder: Path, *records: dict[str, Any], name: str = "dev.json") -> Path:
    (folder / name).write_text(json.dumps(records))
    return folder / name


def test_a_record_of_checkwhy(tmp_path: Path) -> None:
    (claim,) = read_claims(written(tmp_path, RECORD))
    assert (claim.id, claim.group, claim.label, claim.source) == ("41_sup", "41", "supports", "checkwhy")
    assert [e.id for e in claim.leaf_evidence] == ["Sentence1", "Sentence2", "Sentence4", "Sentence5"]
    assert (claim.n_distractors, claim.n_steps) == (1, 2)
    assert claim.structure is not None
    assert claim.structure.claim == Statement("Claim", RECORD["claim"])
    assert [str(x) for x in claim.structure.links] == [
        "(Sentence1, Sentence2) -> Sentence3",
        "(Sentence3, Sentence4) -> Claim",
    ]
    assert claim.structure.by_id["Sentence3"].text == "Most cherries were lost."
    assert claim.structure.problems == ()
    assert set(claim.meta) == {"argument_structure", "code_out"}


def test_records_without_flags_structure_or_label(tmp_path: Path) -> None:
    bare = {**RECORD, "checkwhy-id": 42, "evidences": [{"text": e["evidence"]} for e in RECORD["evidences"]]}
    nei = {"checkwhy-id": "43", "claim": "c", "label": "NOT ENOUGH INFO", "evidences": []}
    odd = {**nei, "checkwhy-id": "44", "label": "?", "argument_structure": "none", "evidences": [3, {"evidence_id": 1}]}
    found = read_claims(written(tmp_path, bare, nei, odd))
    assert [e.useful for e in found[0].evidence] == [True, True, True, True, False]
    assert [e.leaf for e in found[0].evidence] == [True, True, False, True, None]
    assert found.by_id["43"].label == "nei"
    assert found.by_id["43"].structure is None
    assert [p.message for p in found.problems] == [
        "record '44': evidence 1: must have a text, got 3",
        "record '44': evidence 2: must have a text, got {'evidence_id': 1}",
        "record '44': its argument structure cannot be read: no linking call was found",
        "record '44': the label must be SUPPORTS, REFUTES or NOT ENOUGH INFO, got '?'",
    ]


def test_task_4_code_declares_its_intermediates(tmp_path: Path) -> None:
    leaves = [e for e in RECORD["evidences"] if e["leaf"]]
    (claim,) = read_claims(written(tmp_path, {**RECORD, "evidences": leaves, "argument_structure": ""}))
    assert claim.evidence[-1].id == "Sentence3"
    assert (claim.evidence[-1].useful, claim.evidence[-1].leaf) == (True, False)


def test_the_set_is_read_by_split_and_scored_by_steps_and_distractors(tmp_path: Path) -> None:
    (tmp_path / "checkwhy").mkdir()
    chain = {
        **RECORD,
        "checkwhy-id": "50_ref",
        "label": "REFUTES",
        "argument_structure": "one_to_one_linking(Sentence1, Claim)",
    }
    written(tmp_path / "checkwhy", RECORD, chain)
    claims = load_claims("checkwhy", root=tmp_path)
    gold = {c.id: c.structure for c in claims}
    pred = {"41_sup": gold["41_sup"], "50_ref": gold["41_sup"]}
    groups = {
        "steps": number_groups({c.id: c.n_steps or 0 for c in claims}, top=6),
        "distractors": number_groups({c.id: c.n_distractors for c in claims}),
    }
    score = StructureSimilarity(scorer="exact").corpus_score(pred=pred, gold=gold, groups=groups)
    assert {k: v["f1"] for k, v in score.parts["steps"].items()} == {"1": 0, "2": 1}
    assert list(score.parts["distractors"]) == ["1"]
    with pytest.raises(InputError, match=r"test\.json: must be a part of 'checkwhy', got nothing there"):
        load_claims("checkwhy", split="test", root=tmp_path)
    with pytest.raises(UnknownNameError, match="unknown split 'tset'; did you mean 'test'"):
        load_claims("checkwhy", split="tset", root=tmp_path)
    with pytest.raises(UnknownNameError, match="unknown set of claims"):
        load_claims("chekwhy", root=tmp_path)


def test_our_own_lines_come_back(tmp_path: Path) -> None:
    claims = [*read_claims(written(tmp_path, RECORD)), CausalClaim("2", "c", cause="a", effect="b", meta={"x": [1]})]
    write_claims(claims, tmp_path / "claims.jsonl")
    again = read_claims(tmp_path / "claims.jsonl")
    assert list(again) == claims
    assert again[0:1] == (claims[0],)
    assert again.format == "fallax"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"id": "1", "claim": "c", "label": "maybe"}', "1: each line must be a claim: CausalClaim: label: must be"),
        ('{"id": "1"}', "1: each line must be a claim: CausalClaim: claim: is missing"),
        (
            '{"id": "1", "claim": "c", "evidence": [{"id": "a"}]}',
            "1: each line must be a claim: CausalClaim: evidence.0.text: is missing",
        ),
        ("[3]", "item 1: must be an object, got 3"),
        ("[", "must be JSON, got an error"),
        ('[{"claim": "c"}]', "a claim must have 'checkwhy-id', 'claim' and 'evidences', got 'claim'"),
        (
            '{"id": "1", "claim": "c"}\n{"id": "1", "claim": "c"}',
            "each claim must have its own id, got '1' twice",
        ),
    ],
)
def test_faults_are_named(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_claims(path)
    assert why in str(error.value)
    assert str(error.value).startswith(str(path))


def test_standard_input_and_faulty_code_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must come from a file"):
        read_claims("-")
    folder = tmp_path / "explagraphs"
    folder.mkdir()
    (folder / "train.tsv").write_text("a\tb\tsupport\t(a; causes)\n")
    with pytest.raises(FormatError, match=r"train\.tsv:1: must be triples"):
        load_claims("explagraphs", root=tmp_path)
    folder = tmp_path / "wikiwhy"
    folder.mkdir()
    for name in ("cause", "effect", "question", "explanation"):
        (folder / f"{name}.json").write_text(json.dumps({name: {"1": name}} | ({"x": 0} if name == "cause" else {})))
    (claim,) = load_claims("wikiwhy", root=tmp_path)
    assert (claim.cause, claim.effect, claim.meta) == (
        "cause",
        "effect",
        {"question": "question", "explanation": "explanation"},
    )


#: (set, split, claims, with a structure, structures with a problem)
SIZES = [
    ("entailment_bank", "task_1_dev", 187, 187, 0),
    ("entailment_bank", "task_2_dev", 187, 187, 0),
    ("entailment_bank", "task_2_train", 1313, 1313, None),
    ("explagraphs", "train", 2368, 2368, 0),
    ("wikiwhy", "dev", 7994, 0, 0),
    ("e_care", "train", 26692, 0, 0),
    ("missci", "dev", 30, 30, 0),
]


@pytest.mark.parametrize(("name", "split", "n", "n_structures", "n_problems"), SIZES)
def test_public_sets(name: str, split: str, n: int, n_structures: int, n_problems: int | None) -> None:
    try:
        claims = load_claims(name, split=split)
    except InputError as error:
        pytest.skip(str(error))
    assert len(claims) == n
    assert sum(c.structure is not None for c in claims) == n_structures
    if n_problems is not None:
        assert len(claims.problems) == n_problems
    for c in claims:
        if c.structure is not None and name != "explagraphs":
            known = {e.id: e.text for e in c.evidence}
            assert all(known[node.id] == node.text for node in c.structure.evidence)
    assert all(c.source == name for c in claims)


@pytest.mark.parametrize("split", ["task_1_dev", "task_2_dev"])
def test_gold_against_gold_is_one_everywhere(split: str) -> None:
    try:
        claims = load_claims("entailment_bank", split=split)
    except InputError as error:
        pytest.skip(str(error))
    gold = {c.id: c.structure for c in claims}
    metrics = (
        EntailmentTree(),
        EntailmentTree(leaves="text"),
        StructureSimilarity(),
        StructureSimilarity(scorer="exact", edges="link"),
    )
    for metric in metrics:
        score = metric.corpus_score(pred=gold, gold=gold)
        assert set(score.values.values()) == {1.0}, metric
        assert score.n_scored == 187


def renamed(structure: ArgumentStructure, names: dict[str, str]) -> ArgumentStructure:
    """The structure with other names, texts kept."""
    evidence = tuple(Statement(names.get(n.id, n.id), n.text) for n in structure.evidence)
    links = tuple(
        Link(tuple(names.get(i, i) for i in x.sources), tuple(names.get(i, i) for i in x.targets))
        for x in structure.links
    )
    return ArgumentStructure(structure.claim, evidence, links)


def test_development_trees_perturbed_in_known_ways() -> None:
    try:
        claims = load_claims("entailment_bank", split="task_2_dev")
    except InputError as error:
        pytest.skip(str(error))
    gold = {c.id: c.structure for c in claims if c.structure is not None}
    others = {i: renamed(s, {n.id: f"int{90 - k}" for k, n in enumerate(s.intermediates)}) for i, s in gold.items()}
    assert set(EntailmentTree().corpus_score(pred=others, gold=gold).values.values()) == {1.0}
    distractor = {c.id: c.distractors[0].id for c in claims}
    swapped = {i: renamed(s, {s.leaves[0].id: distractor[i]}) for i, s in gold.items()}
    score = EntailmentTree().corpus_score(pred=swapped, gold=gold)
    # one of n leaves is wrong: F1 (n - 1) / n
    expected = sum((len(s.leaves) - 1) / len(s.leaves) for s in gold.values()) / len(gold)
    assert score["leaves_f1"] == pytest.approx(expected, abs=1e-12)
    assert score["leaves_all_correct"] == score["all_correct"] == 0
    flat = {
        i: ArgumentStructure(s.claim, s.leaves, (Link(tuple(n.id for n in s.leaves), (s.claim.id,)),))
        for i, s in gold.items()
        if s.claim is not None
    }
    score = EntailmentTree().corpus_score(pred=flat, gold=gold)
    one_step = sum(s.n_steps == 1 for s in gold.values()) / len(gold)  # all other trees lose every step
    assert score["leaves_all_correct"] == 1
    assert score["steps_f1"] == score["intermediates_f1"] == score["all_correct"] == pytest.approx(one_step, abs=1e-12)


def test_every_set_has_its_reader_and_splits() -> None:
    assert all(info.granularity == "claim" and info.splits for info in CLAIM_SETS.values())
