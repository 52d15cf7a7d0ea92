"""The benchmark of why-claims on claims of our own: every task, what a system sees, and what is scored."""

import json
from pathlib import Path
from typing import Any

import pytest

from fallax.causality.benchmarks.causal import Causal
from fallax.causality.benchmarks.claims import claim_of, published_values, sample_of, stand_ins
from fallax.causality.benchmarks.tables import tables_of
from fallax.cli import main
from fallax.core.types import ArgumentStructure, CausalClaim, Evidence, Link, Score, Statement, Verdict
from fallax.data import CLAIM_SETS, data_root, write_claims
from fallax.errors import InputError, ModelError, UnknownNameError
from fallax.metrics import StructureSimilarity
from fallax.models.larger import ENTAILMENT_LARGE, LARGER
from fallax.runs.base import Row, SystemSpec
from fallax.runs.compare import compare_runs
from fallax.runs.report import build_report
from fallax.runs.runner import RunSpec, estimate_run, run_benchmark
from fallax.runs.scoring import score_run
from fallax.structures import parse_structure


def claim(id_: str, label: Verdict | None, *, n_distractors: int = 1) -> CausalClaim:
    nodes = (Statement("A", f"The pump of {id_} broke."), Statement("B", f"Cellar {id_} filled."))
    said = f"{id_} was flooded as the pump broke."
    gold = ArgumentStructure(Statement("Claim", said), nodes, (Link(("A",), ("B",)), Link(("B",), ("Claim",))))
    evidence = (
        Evidence("A", nodes[0].text, True, True),
        Evidence("B", nodes[1].text, True, False),
        *(Evidence(f"D{i}", f"Plum {i} is ripe.", False, True) for i in range(n_distractors)),
    )
    return CausalClaim(id_, said, evidence, label, None if label == "nei" else gold)


@pytest.fixture
def claims(tmp_path: Path) -> str:
    write_claims(
        [claim("a", "supports"), claim("b", "refutes", n_distractors=2), claim("c", "nei")], tmp_path / "c.jsonl"
    )
    return str(tmp_path / "c.jsonl")


def run(claims: str, folder: Path, system: SystemSpec, **more: Any) -> tuple[dict[str, Score], list[Row]]:
    spec = RunSpec("causal", system, options={"set": claims, **more})
    assert run_benchmark(spec, folder / "run", cache=None) is not None
    rows = [Row.from_dict(json.loads(x)) for x in (folder / "run" / "records.jsonl").read_text().splitlines()]
    return dict(score_run(folder / "run").scores), rows


def script(folder: Path, *rules: dict[str, Any]) -> str:
    (folder / "script.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rules))
    return f"scripted:{folder / 'script.jsonl'}"


def test_a_system_sees_no_label_no_flag_and_no_order_that_tells() -> None:
    sample = sample_of(claim("a", "supports", n_distractors=6))
    assert set(sample.input) == {"claim", "evidence", "source"}
    assert all(set(e) == {"id", "text", "leaf"} for e in sample.input["evidence"])
    ids = [e["id"] for e in sample.input["evidence"]]
    assert sorted(ids) != ids
    assert [e["id"] for e in sample_of(claim("a", "supports"), shuffled=False).input["evidence"]] == ["A", "B", "D0"]
    seen = claim_of(sample)
    assert (seen.label, seen.structure) == (None, None)
    assert {e.id for e in seen.leaf_evidence} == {"A", *(f"D{i}" for i in range(6))}
    assert all(e.useful is None for e in seen.evidence)


def test_gold_replies_score_one_everywhere_and_by_steps_and_distractors(claims: str, tmp_path: Path) -> None:
    reply = 'one_to_one_linking(Sentence{}, Sentence{})\none_to_one_linking(Sentence{}, Claim)\nprint("{}")'
    rules = []
    for id_, said in (("a", "SUPPORTS"), ("b", "REFUTES")):
        sample = next(s for s in Causal(options={"set": claims}).samples() if s.id == id_)
        at = {e["id"]: i for i, e in enumerate(sample.input["evidence"], start=1)}
        rules.append({"match": f'"{id_} was flooded', "reply": reply.format(at["A"], at["B"], at["B"], said)})
    system = SystemSpec(script(tmp_path, *rules, {"reply": 'print("NOT ENOUGH INFO")'}), "task-3")
    scores, rows = run(claims, tmp_path, system)
    assert list(scores) == ["verdict", "structure", "structure-exact", "tree"]
    assert scores["verdict"]["accuracy"] == scores["verdict"]["macro_f1"] == 1
    assert scores["structure-exact"]["f1"] == scores["tree"]["all_correct"] == 1
    assert scores["structure"].unscored == {"c": "not annotated"}
    assert {r.id: r.gold["steps"] for r in rows} == {"a": 2, "b": 2, "c": None}
    assert {kind: set(parts) for kind, parts in scores["verdict"].parts.items()} == {
        "steps": {"2"},
        "distractors": {"1", "2"},
    }


def test_task_1_scores_verdicts_alone_and_unreadable_replies_are_unscored(claims: str, tmp_path: Path) -> None:
    system = SystemSpec(script(tmp_path, {"match": '"a was', "reply": "Verdict: SUPPORTS"}, {"reply": "Hm."}), "task-1")
    scores, rows = run(claims, tmp_path, system)
    assert list(scores) == ["verdict"]
    assert scores["verdict"]["accuracy"] == 1
    assert set(scores["verdict"].unscored) == {"b", "c"}
    assert [(r.status, r.reason) for r in rows][1] == ("unreadable", "no verdict was found")
    assert scores["verdict"].unscored["b"] == "unreadable: no verdict was found"
    assert (scores["verdict"]["accuracy"], scores["verdict"].unreadable) == (1.0, "2/3, 2 unscored")
    assert scores["verdict"].values_with_unreadable["accuracy"] == pytest.approx(1 / 3)


def test_a_verdict_counts_where_the_structure_cannot_be_read(claims: str, tmp_path: Path) -> None:
    scores, rows = run(claims, tmp_path, SystemSpec(script(tmp_path, {"reply": 'print("SUPPORTS")'}), "task-4"))
    assert all(r.status == "ok" for r in rows)
    assert scores["verdict"]["accuracy"] == pytest.approx(1 / 3)
    assert scores["structure"].unscored["a"] == "unreadable: no linking call was found"


def test_task_2_gives_the_gold_structure_and_leaves_out_what_has_none(
    claims: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = {"regex": r"one_to_one_linking\(Sentence\d, Claim\)\n</input>.*Verdict: SUPP", "reply": "Verdict: SUPPORTS"}
    scores, rows = run(claims, tmp_path, SystemSpec(script(tmp_path, rule, {"reply": "lost"}), "task-2"))
    assert [r.status for r in rows] == ["ok", "ok", "not_asked"]
    assert rows[2].reason == "has no structure that task 2 could give"
    assert list(scores) == ["verdict"]
    counted = score_run(tmp_path / "run")
    assert (counted.counts.not_asked, counted.counts.unreadable, counted.is_complete) == (1, 0, True)
    (compared,) = compare_runs([tmp_path / "run"], n_resamples=10).runs
    assert (compared.n_unscored, compared.n_unreadable) == (1, 0)
    with pytest.raises(SystemExit):
        main(["bench", "score", str(tmp_path / "run")])
    assert "3 of 3 rows: 2 ok, 0 unreadable, 1 not asked, 0 failed" in capsys.readouterr().out


def test_the_pipeline_asks_twice(claims: str, tmp_path: Path) -> None:
    rules = (
        {"match": "Do not print a verdict", "reply": "one_to_one_linking(Sentence1, Claim)"},
        {"reply": "Verdict: SUPPORTS"},
    )
    _, rows = run(claims, tmp_path, SystemSpec(script(tmp_path, *rules), "pipeline-4"))
    assert [len(r.replies) for r in rows] == [2, 2, 2]


@pytest.mark.parametrize(("protocol", "calls"), [("task-4", 3), ("pipeline-4", 6), ("pipeline-3", 6)])
def test_a_dry_run_counts_both_questions_of_a_pipeline(claims: str, tmp_path: Path, protocol: str, calls: int) -> None:
    system = SystemSpec(script(tmp_path, {"reply": "?"}), protocol)
    (found,) = estimate_run(RunSpec("causal", system, options={"set": claims}), tmp_path / "run")
    assert found.n_calls == calls


@pytest.mark.parametrize("name", sorted(set(Causal.baselines) - set(LARGER)))  # it has to be fetched
def test_baselines_run_without_a_model(name: str, claims: str, tmp_path: Path) -> None:
    scores, rows = run(claims, tmp_path, SystemSpec(name))
    assert all(r.status == "ok" for r in rows)
    assert ("structure" in scores) == (name != "majority")
    assert scores["verdict"]["accuracy"] is not None


def test_the_larger_model_says_how_it_is_fetched(claims: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FALLAX_MODELS", str(tmp_path / "none"))
    with pytest.raises(ModelError, match="fallax models fetch entailment-large"):
        run(claims, tmp_path, SystemSpec(ENTAILMENT_LARGE.name))


def test_two_classes_leave_nei_out_and_the_embedder_scores_structures_too(claims: str, tmp_path: Path) -> None:
    scores, rows = run(
        claims,
        tmp_path,
        SystemSpec("similarity-chain"),
        classes=2,
        embedder="tests.unit.causality.test_benchmark:letters",
    )
    assert [r.id for r in rows] == ["a", "b"]
    assert "model:tests.unit.causality.test_benchmark:letters" in str(scores["structure-embedding"].signature)


def letters(texts: list[str]) -> list[list[float]]:
    """Vectors of a few letters."""
    return [[text.count(c) + 0.1 for c in "aeiou"] for text in texts]


def test_stand_ins_keep_pairs_together_and_never_use_their_own_evidence_as_distractor() -> None:
    pairs = [
        CausalClaim(f"p{i}", "", cause=f"Cause {i}", effect=f"Effect {i}", meta={"explanation": f"Step {i}. Then {i}."})
        for i in range(6)
    ]
    made = list(stand_ins(pairs, n_distractors=3, seed=1))
    assert made == list(stand_ins(pairs, n_distractors=3, seed=1))
    assert [c.label for c in made[:2]] == ["supports", "nei"]
    for c in made:
        own = {f"Step {c.group[1:]}.", f"Then {c.group[1:]}."}
        assert len(c.distractors) == (3 if c.label == "supports" else 5)
        assert not own & {e.text for e in c.distractors}
        assert c.claim == f"Effect {c.group[1:]}. This is because: Cause {c.group[1:]}"


def test_intervals_draw_the_claims_of_one_pair_together() -> None:
    pairs = [CausalClaim(f"p{i}", "", cause="C", effect="E", meta={"explanation": f"Step {i}."}) for i in range(6)]
    samples = [sample_of(c) for c in (*stand_ins(pairs, n_distractors=3, seed=1), claim("alone", "supports"))]
    groups = [Causal().group(Row(0, 0, s.id, dict(s.input), s.gold, "ok")) for s in samples]
    assert groups == [*(f"p{i}" for i in range(6) for _ in range(2)), "alone"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"set": "nowhere"}, UnknownNameError, "unknown set of claims, or file, 'nowhere'"),
        ({"classes": 4}, InputError, "option classes of benchmark 'causal': must be 2 or 3, got 4"),
        ({"distractors": 0}, InputError, "option distractors"),
        ({"order": "random"}, UnknownNameError, "unknown order"),
        ({"sett": "x"}, UnknownNameError, "unknown option of benchmark 'causal'"),
        (
            {"similarity": "bleurt"},
            InputError,
            "option similarity_model .* a folder with the model of bleurt, got None",
        ),
        ({"similarity": "bertscore", "similarity_model": "."}, InputError, "option threshold .* given with bertscore"),
        ({"similarity_layer": 3}, InputError, "option similarity_layer .* given with similarity=bertscore only, got 3"),
        (
            {"similarity_layer": "last"},
            InputError,
            "option similarity_layer .* a whole number of 1 or more, got 'last'",
        ),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        list(Causal(options=options).samples())


def test_published_values_are_shares_of_the_classes_asked_for() -> None:
    three, two = published_values(3), published_values(2)
    assert all(0 <= v.value <= 1 for v in (*three, *two))
    best = [v for v in two if (v.system, v.score, v.measure) == ("CodeT5+ (FT), task-3", "structure", "f1")]
    assert [(v.value, v.source) for v in best] == [(0.888, "Si et al. 2024, table 4")]
    assert best[0].note.endswith("; ours is by the words of the edges")
    assert "ours is by bertscore" in {v.score: v.note for v in published_values(2, similarity="bertscore")}["structure"]
    assert {v.score for v in three} == {"verdict"}
    assert Causal(options={"set": "e_care"}).published() == ()


@pytest.mark.parametrize("name", sorted(set(CLAIM_SETS) - {"checkwhy"}))
def test_every_set_gives_samples_that_can_be_asked(name: str) -> None:
    if not (data_root() / name).is_dir():
        pytest.skip(f"the data set {name} is not there")
    samples = Causal(options={"set": name}).samples()
    first = [next(samples) for _ in range(3)]
    assert len({s.id for s in first}) == 3
    assert all(s.input["claim"] and s.input["evidence"] for s in first)


def test_distractors_can_be_left_out_and_the_rest_stays(tmp_path: Path) -> None:
    write_claims([claim("a", "supports", n_distractors=6)], tmp_path / "c.jsonl")

    def shown(**more: Any) -> tuple[set[str], int]:
        (sample,) = Causal(options={"set": str(tmp_path / "c.jsonl"), **more}).samples()
        return {e["id"] for e in sample.input["evidence"]}, sample.gold["distractors"]

    one, two, four, whole = (shown(most_distractors=n) for n in (1, 2, 4, 9))
    assert len(one[0] - {"A", "B"}) == one[1] == 1
    assert one[0] < two[0] < four[0] < whole[0]
    assert (two[1], four[1], whole) == (2, 4, shown())
    with pytest.raises(
        InputError, match="option most_distractors of benchmark 'causal': must be a whole number of 1 or more"
    ):
        shown(most_distractors=0)


def test_parts_that_a_run_does_not_have_are_refused(
    claims: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(claims, tmp_path, SystemSpec("majority"))
    with pytest.raises(SystemExit):
        main(["bench", "score", str(tmp_path / "run"), "--by", "step"])
    said = capsys.readouterr().err
    assert "unknown value of --by 'step'; did you mean 'steps'? known: distractors, steps" in " ".join(said.split())


def test_a_report_counts_the_claims_and_breaks_scores_down_by_steps_and_distractors(
    claims: str, tmp_path: Path
) -> None:
    run(claims, tmp_path, SystemSpec("lexical-overlap"))
    report = build_report([tmp_path / "run"], n_resamples=20)
    tables = {t.title: t for t in report.tables}
    counted = {r[0]: r[1] for r in tables["Claims"].rows}
    assert counted.pop("mean words in a claim") == pytest.approx(
        sum(len(r.answers[0].view.fields[0][1].split()) for r in report.records) / 3
    )
    assert isinstance(counted.pop("mean words in a piece of evidence"), float)
    assert counted == {
        "claims": 3,
        "nei": 1,
        "refutes": 1,
        "supports": 1,
        "mean evidence": (3 + 4 + 3) / 3,
        "mean distractors": 1.5,
        "mean steps": 2.0,
    }
    assert [r[:2] for r in tables["Useful evidence"].rows] == [("2", 2)]
    assert [r[:2] for r in tables["Steps"].rows] == [("2", 2)]
    assert tables["Types of structure"].rows == (("serial", 2),)
    assert [r[0] for r in tables["By distractors"].rows] == ["1", "2"]
    assert tables["By steps"].columns == (
        *("steps", "claims", "accuracy", "F1", "structure similarity", "exact match"),
    )


def test_what_the_paper_prints_by_steps_and_distractors_stands_below_for_its_own_data() -> None:
    pairs = parse_structure("E1: a\nE1 -> Claim").structure
    assert pairs is not None
    groups = {"steps": {"0": "1"}, "distractors": {"0": "8"}}
    scores = {"structure": StructureSimilarity().corpus_score(pred=[pairs], gold=[pairs], groups=groups)}
    tables = {t.title: t for t in tables_of((), scores, printed=True)}
    assert tables["By steps"].rows[0] == ("1", 1, 1.0)
    assert tables["By steps"].rows[1] == ("1, task 4 in the paper", 40, 0.786)
    assert ("8, task 4 in the paper", None, 0.757) in tables["By distractors"].rows
    assert len(tables_of((), scores)[-1].rows) == 1
