"""``fallax score`` over argument structures: gold and predictions from files of every shape, with and without ids."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fallax.cli.score import app
from fallax.errors import FallaxError
from fallax.structures import STRUCTURE_FORMATS, format_structure, parse_structure

ITEMS = [
    {
        "id": "rain",
        "context": "sent1: it rained sent2: rain makes fields wet sent3: cats purr",
        "hypothesis": "the match was late",
        "proof": "sent1 & sent2 -> int1: the field was wet; int1 -> hypothesis; ",
    },
    {
        "id": "frost",
        "context": "sent1: there was frost sent2: frost kills blossom",
        "hypothesis": "there was no fruit",
        "proof": "sent1 & sent2 -> hypothesis; ",
    },
]
#: One leaf of two, one right step of two, no intermediate; and everything right.
PROOFS = ["sent3 & sent2 -> int1: the field was wet; int1 -> hypothesis; ", ITEMS[1]["proof"]]


def score(*arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*arguments, "--json"])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return dict(json.loads(done.stdout))


@pytest.fixture
def gold(tmp_path: Path) -> str:
    path = tmp_path / "task_2_test.jsonl"
    path.write_text("".join(json.dumps(x) + "\n" for x in ITEMS))
    return str(path)


SHAPES = {
    "proofs in order": lambda: "".join(f"{p}\n" for p in PROOFS),
    "with the mark of the field": lambda: "".join(f"$proof$ = {p}\n" for p in PROOFS),
    "ids before, another order": lambda: f"frost\t{PROOFS[1]}\nrain\t$proof$ = {PROOFS[0]}\n",
    "ids behind, a head": lambda: f"prediction\tid\n{PROOFS[0]}\train\n{PROOFS[1]}\tfrost\n",
    "JSON lines": lambda: "".join(
        json.dumps({"id": x["id"], "proof": p}) + "\n" for x, p in zip(ITEMS, PROOFS, strict=True)
    ),
    "JSON lines in order": lambda: "".join(json.dumps({"prediction": p}) + "\n" for p in PROOFS),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_of_predictions_of_any_shape_scores_the_same(shape: str, gold: str, tmp_path: Path) -> None:
    pred = tmp_path / "pred.txt"
    pred.write_text(SHAPES[shape]())
    found = score("--metric", "entailment_tree", "--gold", gold, "--pred", str(pred))
    expected = {"leaves_f1": 0.75, "leaves_all_correct": 0.5, "steps_f1": 0.75, "all_correct": 0.5}
    assert {k: found[k] for k in expected} == expected
    assert found["intermediates_all_correct"] == 1
    assert found["n_scored"] == 2


def test_the_similarity_and_the_variant_are_chosen_and_stand_in_the_signature(gold: str, tmp_path: Path) -> None:
    pred = tmp_path / "pred.tsv"
    pred.write_text("".join(f"{p.replace('field was', 'pitch was')}\n" for p in PROOFS))
    common = ("--metric", "entailment_tree", "--gold", gold, "--pred", str(pred), "--variant", "official")
    assert score(*common)["intermediates_f1"] == 0.75
    near = score(*common, "--similarity", "token-f1")
    assert near["intermediates_f1"] == 1
    assert "scorer:token_f1|threshold:0.5|leaves:id|variant:official" in near["signature"]
    with pytest.raises(FallaxError, match="similarity bleurt needs a folder with a model"):
        score(*common, "--similarity", "bleurt")


def test_a_prediction_without_a_structure_is_counted_with_its_reason(
    gold: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "220")
    pred = tmp_path / "pred.tsv"
    pred.write_text(f"{ITEMS[0]['proof']}\nI do not know\n")
    found = score("--metric", "entailment_tree", "--gold", gold, "--pred", str(pred))
    assert (found["leaves_f1"], found["with_unreadable_as_wrong"]["leaves_f1"]) == (1, 0.5)
    assert found["unscored"] == {"frost": "unreadable: no step was found in the proof"}
    official = score("--metric", "entailment_tree", "--variant", "official", "--gold", gold, "--pred", str(pred))
    assert (official["leaves_f1"], official["n_unreadable"]) == (0.5, 1)
    table = CliRunner().invoke(app, ["--metric", "entailment_tree", "--gold", gold, "--pred", str(pred)]).stdout
    assert "unreadable as wrong" in " ".join(table.split())


def test_any_format_of_structures_can_be_gold_or_prediction(tmp_path: Path) -> None:
    (tmp_path / "gold.argdown").write_text("[A]: it rained\n  +> [B]: wet\n[B]\n  +> [C]: late\n")
    (tmp_path / "pred.mmd").write_text('flowchart TD\n  a["it rained"] --> b["wet"]\n  b --> c["late"]\n')
    common = ("--metric", "structure_similarity", "--similarity", "exact")
    found = score(*common, "--gold", str(tmp_path / "gold.argdown"), "--pred", str(tmp_path / "pred.mmd"))
    assert found["f1"] == 1


def test_what_does_not_fit_together_is_one_line(gold: str, tmp_path: Path) -> None:
    pred = tmp_path / "pred.tsv"
    pred.write_text(f"{PROOFS[0]}\n")
    with pytest.raises(FallaxError, match="one structure for each of the 2 gold items, got 1; add an id column"):
        score("--metric", "entailment_tree", "--gold", gold, "--pred", str(pred))
    pred.write_text(f"rain\t{PROOFS[0]}\nrain\t{PROOFS[0]}\n")
    with pytest.raises(FallaxError, match="each id must be given once, got 'rain' again"):
        score("--metric", "entailment_tree", "--gold", gold, "--pred", str(pred))


def test_an_unreadable_first_line_does_not_change_how_the_others_are_read(gold: str, tmp_path: Path) -> None:
    pred = tmp_path / "pred.tsv"
    pred.write_text(f"I cannot say.\n{ITEMS[1]['proof']}\n")
    found = score("--metric", "entailment_tree", "--variant", "official", "--gold", gold, "--pred", str(pred))
    assert (found["leaves_f1"], found["intermediates_f1"], found["n_unreadable"]) == (0.5, 0.5, 1)
    pred.write_text(f"I cannot say.\n{ITEMS[0]['proof']}\n")
    other = tmp_path / "other.jsonl"
    other.write_text("".join(json.dumps(x) + "\n" for x in reversed(ITEMS)))
    found = score("--metric", "entailment_tree", "--variant", "official", "--gold", str(other), "--pred", str(pred))
    assert (found["steps_f1"], found["intermediates_f1"], found["n_unreadable"]) == (0.5, 0.5, 1)


def test_options_that_nothing_would_read_are_refused(gold: str) -> None:
    common = ("--metric", "structure_similarity", "--gold", gold, "--pred", gold)
    with pytest.raises(
        FallaxError, match="--similarity-model: needs --similarity minilm, bertscore or bleurt, got none"
    ):
        score(*common, "--similarity-model", ".")
    with pytest.raises(FallaxError, match="--similarity-layer: needs --similarity bertscore, got minilm"):
        score(*common, "--similarity", "minilm", "--similarity-layer", "3")
    tree = ("--metric", "entailment_tree", "--gold", gold, "--pred", gold)
    with pytest.raises(FallaxError, match="--similarity bertscore: needs --threshold"):
        score(*tree, "--similarity", "bertscore", "--similarity-model", ".")
    with pytest.raises(FallaxError, match="--by: structure_similarity has no parts by label"):
        score(*common, "--by", "label")


@pytest.mark.parametrize(
    "reply",
    [
        "multiple_to_one_linking([A, B], C)\none_to_one_linking(C, Claim)\nprint('SUPPORTS')",
        "(A, B) -> C -> Claim",
        "flowchart TD\nA & B --> C --> Claim",
    ],
)
def test_replies_that_only_name_the_evidence_are_scored_with_its_texts(reply: str, tmp_path: Path) -> None:
    (tmp_path / "pred.jsonl").write_text(json.dumps({"id": "ferry", "prediction": reply}) + "\n")
    claims = (Path(__file__).parents[3] / "examples/verify/claims.jsonl").read_text().splitlines()
    (tmp_path / "gold.jsonl").write_text(next(x for x in claims if '"ferry"' in x) + "\n")
    (tmp_path / "replies").mkdir()
    for path in (tmp_path / "replies" / "ferry.txt", tmp_path / "reply.txt"):
        path.write_text(reply)
        alone = ("--gold", str(tmp_path / "gold.jsonl"), "--pred", str(path if path.stem == "reply" else path.parent))
        assert score("--metric", "structure_similarity", *alone)["f1"] == 1
    given = ("--gold", str(tmp_path / "gold.jsonl"), "--pred", str(tmp_path / "pred.jsonl"))
    assert score("--metric", "structure_similarity", *given)["f1"] == 1
    assert score("--metric", "entailment_tree", *given)["all_correct"] == 1


def test_a_torn_first_line_of_json_lines_is_an_error(gold: str, tmp_path: Path) -> None:
    pred = tmp_path / "pred.jsonl"
    pred.write_text('{"id": "rain", "proof": "sent1 -> \n' + json.dumps({"id": "frost", "proof": PROOFS[1]}) + "\n")
    with pytest.raises(FallaxError, match=r"pred\.jsonl:1: must be one JSON object a line"):
        score("--metric", "entailment_tree", "--gold", gold, "--pred", str(pred))


STORY = (
    "E1: it rained\nE2: rain makes fields wet\nE3: the field was wet\nE4: cats purr\nClaim: the match was late\n"
    "(E1, E2) -> E3 -> Claim\n"
)


@pytest.mark.parametrize("format", STRUCTURE_FORMATS)
@pytest.mark.parametrize("metric", ["entailment_tree", "entailment_tree(variant=official)", "structure_similarity"])
def test_a_format_that_renames_evidence_scores_as_one_that_does_not(metric: str, format: str, tmp_path: Path) -> None:
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    read = parse_structure(STORY)
    assert read.structure is not None
    for folder, text in ((gold, STORY), (pred, format_structure(read.structure, format=format).text)):
        folder.mkdir()
        (folder / "rain.txt").write_text(text)
    found = score("--metric", metric, "--gold", str(gold), "--pred", str(pred))
    # a triple of ExplaGraphs names its relation, so the words of its edges differ
    assert found["leaves_f1" if "tree" in metric else "f1"] == pytest.approx(1, abs=0.15)
    assert found["all_correct"] == (0 if (format, metric) == ("explagraphs", "structure_similarity") else 1)


def test_evidence_of_the_same_name_that_says_something_else_is_not_taken_for_it(tmp_path: Path) -> None:
    gold, pred = tmp_path / "gold.txt", tmp_path / "pred.txt"
    gold.write_text(STORY)
    # the tool numbered in another order, and one leaf is not of the gold
    pred.write_text(
        "E1: rain makes fields wet\nE2: it rained\nE4: dogs bark\nE3: mice sing\nClaim: the match was late\n"
        "(E1, E2, E4, E3) -> Claim"
    )
    found = score("--metric", "entailment_tree", "--gold", str(gold), "--pred", str(pred))
    assert found["leaves_f1"] == pytest.approx(2 * 2 / (4 + 2))
    # a name that is free again goes to who says what was given under it; another keeps none
    pred.write_text("E1: dogs bark\nE7: it rained\nClaim: the match was late\n(E1, E7) -> Claim")
    found = score("--metric", "entailment_tree", "--gold", str(gold), "--pred", str(pred))
    assert found["leaves_f1"] == pytest.approx(2 * 1 / (2 + 2))
