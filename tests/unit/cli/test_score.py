"""``fallax score`` over spans and labels: what is kept out, unscored, misspelt or not comparable is said."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fallax.cli import main
from fallax.cli._score_tables import Drawn, uncertainty
from fallax.core.types import Prediction, Record, Span
from fallax.data import read_corpus, write_predictions
from fallax.metrics import METRICS, SpanMatch
from fallax.scoring import gold_groups

EXAMPLES = Path(__file__).parents[3] / "examples"
GOLD, PRED, OTHER = (str(EXAMPLES / f"{n}.jsonl") for n in ("gold", "predictions", "other_predictions"))
Shell = Callable[..., tuple[int, str, str]]


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setenv("COLUMNS", "200")

    def run(*words: object) -> tuple[int, str, str]:
        code = 0
        try:
            main(["score", *map(str, words)])
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, *capsys.readouterr()

    return run


def score(shell: Shell, *words: object) -> dict[str, Any]:
    code, out, err = shell(*words, "--json")
    assert code == 0, err
    return dict(json.loads(out))


def lines(path: str | Path) -> list[dict[str, Any]]:
    return [json.loads(x) for x in Path(path).read_text().splitlines()]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(x) + "\n" for x in rows))
    return path


def with_spans(path: Path, *spans: tuple[Any, Any, str]) -> Path:
    """The predictions of the examples, with one more span each."""
    rows = lines(PRED)
    for row, (start, end, label) in zip(rows, spans, strict=True):
        row["spans"].append({"start": start, "end": end, "label": label})
    return write(path, rows)


MADE_UP = [(0, 10, f"made up {i}") for i in range(3)]
NOWHERE = [(0, 1000, "ad hominem"), (9, 3, "ad hominem"), (0.5, 3, "ad hominem")]


@pytest.mark.parametrize("spans", [MADE_UP, NOWHERE], ids=["labels", "offsets"])
def test_spans_that_cannot_be_used_are_listed_and_wrong(spans: Any, shell: Shell, tmp_path: Path) -> None:
    pred = with_spans(tmp_path / "pred.jsonl", *spans)
    words = ("--gold", GOLD, "--pred", pred, "--on-bad-span", "report")
    code, out, err = shell(*words)
    assert code == 0
    assert "cannot be used, counted as predictions that match nothing: 3" in out
    assert [f"{pred}:{i}: record" in err for i in (1, 2, 3)] == [True] * 3
    found, clean = score(shell, *words), score(shell, "--gold", GOLD, "--pred", PRED)
    assert (found["precision"], clean["precision"]) == (pytest.approx(1 / 3), 1)
    assert found["bad_spans"] == {"as_wrong": 3, "labels_only": 0, "left_out": 0, "gold_records": 0}
    assert [(p["path"], p["line"], p["kept"]) for p in found["problems"]] == [(str(pred), i, False) for i in (1, 2, 3)]
    assert clean["problems"] == []


@pytest.mark.parametrize("metric", ["detection", "multi_label", "soft_span(unit=text)"])
def test_only_the_labels_of_such_spans_count_where_positions_do_not(metric: str, shell: Shell, tmp_path: Path) -> None:
    pred = with_spans(tmp_path / "pred.jsonl", *NOWHERE)
    words = ("--gold", GOLD, "--pred", pred, "--metric", metric, "--on-bad-span", "report")
    assert "cannot be used, of which only the labels count: 3" in shell(*words)[1]
    assert score(shell, *words)["bad_spans"] == {"as_wrong": 0, "labels_only": 3, "left_out": 0, "gold_records": 0}


@pytest.mark.parametrize("span", [{"end": 1000}, {"labels": ["ad homenem"]}, {"start": 99, "end": 38}])
def test_gold_spans_that_cannot_be_used_are_said_beside_the_score(
    span: dict[str, Any], shell: Shell, tmp_path: Path
) -> None:
    rows = lines(GOLD)
    rows[0]["gold"][0] |= span
    words = ("--gold", write(tmp_path / "gold.jsonl", rows), "--pred", PRED, "--on-bad-span", "report")
    said = "gold spans that cannot be used, scored without these, so that right predictions may count as wrong: 1"
    assert said in shell(*words)[1]
    found = score(shell, *words)
    assert found["precision"] == pytest.approx(2 / 3)
    assert found["bad_spans"] == {"as_wrong": 0, "labels_only": 0, "left_out": 0, "gold_records": 1}
    assert said not in shell("--gold", GOLD, "--pred", PRED)[1]


def test_a_taxonomy_does_not_change_how_many_spans_were_predicted(shell: Shell, tmp_path: Path) -> None:
    pred = with_spans(tmp_path / "pred.jsonl", *MADE_UP)
    words = ("--gold", GOLD, "--pred", pred, "--metric", "span_match")
    assert score(shell, *words)["precision"] == 0.2
    assert score(shell, *words, "--taxonomy", "mafalda", "--on-bad-span", "report")["precision"] == 0.2
    by_sentence = ("--gold", GOLD, "--pred", pred, "--metric", "sentence_detection", "--taxonomy", "mafalda")
    assert "left out of the score: 3" in shell(*by_sentence, "--on-bad-span", "report")[1]


def test_labels_of_a_set_of_ones_own_are_scored(shell: Shell, tmp_path: Path) -> None:
    own = tmp_path / "scored-labels.toml"
    own.write_text('labels = ["crowd", "insult"]', encoding="utf-8")
    said = {"id": "1", "text": "All sign. So sign.", "gold": [{"start": 0, "end": 18, "labels": ["crowd"]}]}
    gold = write(tmp_path / "gold.jsonl", [said])
    pred = write(tmp_path / "pred.jsonl", [{"id": "1", "spans": [{"start": 0, "end": 18, "label": "Crowd"}]}])
    words = ("--gold", gold, "--pred", pred, "--taxonomy", own)
    assert score(shell, *words, "--level", "0")["f1"] == 1
    assert "must be 0 to 0, got 2; 0 is the finest" in shell(*words)[2]


def test_a_third_label_is_no_answer_to_a_question_of_two(shell: Shell, tmp_path: Path) -> None:
    said = ["supports", "nei", "refutes", "supports", "refutes"]
    gold = write(
        tmp_path / "gold.jsonl",
        [{"id": str(i), "label": x} for i, x in enumerate(["supports", "refutes", "refutes", "refutes", "nei"])],
    )
    pred = write(tmp_path / "pred.jsonl", [{"id": str(i), "label": x} for i, x in enumerate(said)])
    files = ("--gold", gold, "--pred", pred)
    words = (*files, "--metric", "two_class(positive=refutes, negative=supports)")
    found = score(shell, *words)
    assert (found["recall"], found["fpr"], found["n_scored"]) == (0.5, 0, 3)
    assert (found["share_unanswered"], found["other_gold"]) == (0.25, 1)
    assert found["unscored"] == {"1": "answered 'not_enough_info'"}
    out = shell(*words)[1]
    assert "records left out, with another gold label than the two: 1" in out
    assert "25.0% of the records with a gold label are unanswered" in out
    code, _, err = shell(*files, "--metric", "two_class")
    assert (code, "unknown label 'supports'" in err) == (2, True)


def test_a_file_whose_format_cannot_be_detected_is_led_to_its_option(shell: Shell, tmp_path: Path) -> None:
    empty, odd = tmp_path / "empty.tsv", tmp_path / "odd.txt"
    empty.write_text("")
    odd.write_text("Nothing to see here.\n")
    words = ("--gold", GOLD, "--pred", empty, "--metric", "flc")
    code, _, err = shell(*words)
    assert (code, "or name its format (--pred-format propaganda)" in err) == (2, True)
    assert score(shell, *words, "--pred-format", "propaganda")["f1"] == 0
    err = shell("--gold", empty, "--pred", PRED)[2]
    assert "or name its format (--gold-format)" in err
    err = shell("--gold", odd, "--pred", odd, "--metric", "entailment_tree")[2]
    assert "name it (--gold-format or --pred-format): json" in err


def test_labels_of_ones_own_are_led_to_their_label_set(shell: Shell, tmp_path: Path) -> None:
    gold = write(
        tmp_path / "gold.jsonl",
        [{"id": "a", "text": "All do it.", "gold": [{"start": 0, "end": 10, "labels": ["herd"]}]}],
    )
    pred = write(tmp_path / "pred.jsonl", [{"id": "a", "spans": [{"start": 0, "end": 10, "label": "herd"}]}])
    (tmp_path / "set.toml").write_text('name = "herds"\nlabels = ["herd", "slope"]\n')
    words = ("--gold", gold, "--pred", pred)
    code, _, err = shell(*words)
    assert (code, err.count("\n")) == (2, 1)
    assert "unknown label 'herd'" in err
    assert "these are the labels of mafalda: name the set of yours with --taxonomy" in err
    assert "--metric span_match" in err
    assert score(shell, *words, "--metric", "span_match")["f1"] == 1
    words = (*words, "--taxonomy", tmp_path / "set.toml")
    code, _, err = shell(*words)
    assert (code, "level must be 0 to 0, got 2" in err, "name one with --level" in err) == (2, True, True)
    assert score(shell, *words, "--level", 0)["f1"] == 1
    assert "with --taxonomy" not in shell("--gold", gold, "--pred", pred, "--taxonomy", "mafalda")[2]


def test_offsets_that_count_something_else_and_texts_instead_of_ids(shell: Shell, tmp_path: Path) -> None:
    rows = lines(GOLD)
    for row in rows:
        row["text"] = "\U0001f600" + row["text"]
    gold = tmp_path / "gold.jsonl"
    by_text = [
        {"text": r["text"], "labels": [[g["start"], g["end"], *g["labels"][:1]] for g in r["gold"]]} for r in rows
    ]
    write(gold, rows)
    pred = write(tmp_path / "pred.jsonl", by_text)
    for row in rows:  # the same passages in code points: the first character counts twice in the predictions
        for g in row["gold"]:
            g["start"], g["end"] = max(0, g["start"] - 1), g["end"] - 1
    write(gold, rows)
    words = ("--gold", gold, "--pred", pred, "--pred-offsets", "utf-16")
    code, _, err = shell(*words)
    assert code == 2
    assert "pred.jsonl:1: the id must be that of a record, got '1' with the text of 'ferry'" in err
    assert "--align text" in err
    assert score(shell, *words, "--align", "text")["precision"] == 1
    code, _, err = shell("--gold", gold, "--pred", pred, "--offsets", "utf-32")
    assert code == 2


def test_records_without_a_prediction_are_an_error_unless_they_are_left_out(shell: Shell, tmp_path: Path) -> None:
    structures = [{"id": i, "structure": "A -> Claim"} for i in ("a", "b")]
    of_structures = write(tmp_path / "gold.jsonl", structures)
    cases = (
        ("span_match", GOLD, write(tmp_path / "spans.jsonl", lines(PRED)[:1]), 2),
        ("structure_similarity", of_structures, write(tmp_path / "one.jsonl", structures[:1]), 1),
    )
    for metric, gold, pred, n in cases:
        words = ("--metric", metric, "--gold", gold, "--pred", pred)
        code, _, err = shell(*words)
        assert code == 2
        assert "every record must have a prediction" in err
        assert "--missing unscored" in err
        assert f"{n} unscored: no prediction ({n})" in shell(*words, "--missing", "unscored")[1]


def test_intervals_over_few_records_say_so(shell: Shell, tmp_path: Path) -> None:
    rows = [{"id": str(i), "text": "You lie.", "gold": []} for i in range(20)]
    said = [{"id": str(i), "spans": []} for i in range(20)]
    other = [{"id": str(i), "spans": [{"start": 0, "end": 3, "label": "ad hominem"}] * (i == 0)} for i in range(20)]
    few = "intervals and tests draw 4 samples; 4 are few, so that intervals are rough and rather too narrow, and no"
    for n, note in (
        (1, "intervals and tests are undefined, since there is one sample alone"),
        (4, f"{few} p-value can be below 0.1250"),
        (20, ""),
    ):
        gold, pred, more = (
            write(tmp_path / f"{name}.jsonl", found[:n]) for name, found in (("g", rows), ("p", said), ("m", other))
        )
        out = shell("--gold", gold, "--pred", pred, "--pred", more, "--ci", "--compare", "--resamples", "40")[1]
        assert [line for line in out.splitlines() if line.startswith("intervals")] == [note] * bool(note)
    assert "intervals" not in shell("--gold", GOLD, "--pred", PRED)[1]


def test_gold_labels_that_are_never_predicted_are_told(shell: Shell, tmp_path: Path) -> None:
    spans = [(0, 3, ["a"]), (4, 7, ["b"]), (8, 11, ["a", "c"]), (8, 9, ["no fallacy", "c"])]
    row = {"id": "x", "text": "one two six", "gold": [{"start": s, "end": e, "labels": x} for s, e, x in spans]}
    gold = write(tmp_path / "gold.jsonl", [row, {"id": "y", "text": "one", "gold": [{**row["gold"][0]}]}])
    pred = write(
        tmp_path / "pred.jsonl",
        [{"id": "x", "spans": [{"start": 0, "end": 3, "label": "a"}]}, {"id": "y", "unscored": "timeout"}],
    )
    words = ("--gold", gold, "--pred", pred, "--metric")
    told = "pred: labels in gold that are never predicted: 'c' (2), 'b' (1); {} have only such labels"
    for metric, counts in (("span_match", "1 of 4 gold passages"), ("flc", "3 of 5 gold passages")):
        assert told.format(counts) in shell(*words, metric)[1]
        assert score(shell, *words, metric)["never_predicted"]["labels"] == {"c": 2, "b": 1}
    for metric in ("detection", "sentence_detection"):
        assert "never_predicted" not in score(shell, *words, metric)
    assert "never_predicted" not in score(shell, "--gold", GOLD, "--pred", PRED, "--level", "1")
    labels = [{"id": str(i), "label": label} for i, label in enumerate("aab")]
    right = write(tmp_path / "right.jsonl", labels)
    wrong = write(tmp_path / "wrong.jsonl", [{**one, "label": "a"} for one in labels])
    found = score(shell, "--gold", right, "--pred", wrong, "--metric", "classification")["never_predicted"]
    assert (found["labels"], found["n_missed"], found["n_gold"], found["unit"]) == ({"b": 1}, 1, 3, "records")


@pytest.mark.parametrize("form", ["doccano", "label-studio"])
def test_texts_that_nobody_labelled_in_a_file_of_predictions(shell: Shell, tmp_path: Path, form: str) -> None:
    texts = ["You lie, so no.", "Trains run daily.", "Buses run daily."]
    gold = write(tmp_path / "gold.jsonl", [{"id": str(i), "text": text, "gold": []} for i, text in enumerate(texts)])
    pred = tmp_path / "pred.jsonl"
    if form == "doccano":
        write(pred, [{"id": i, "text": text, **({} if i == 1 else {"label": []})} for i, text in enumerate(texts)])
    else:
        tasks = [
            {"id": i, "data": {"text": text}, "annotations": [] if i == 1 else [{"result": []}]}
            for i, text in enumerate(texts)
        ]
        pred.write_text("[" + ",\n".join(map(json.dumps, tasks)) + "]")
    words = ("--gold", gold, "--pred", pred)
    code, _, err = shell(*words)
    assert code == 2
    assert "pred.jsonl:2: record '1': must have predictions" in err
    assert err.endswith("or leave it out of the score with --missing unscored\n")
    found = score(shell, *words, "--missing", "unscored")
    assert (found["n_scored"], found["unscored"]) == (2, {"1": "no prediction"})


VERDICTS = [("a", "faithful"), ("b", "faithful"), ("c", "cannot_tell"), ("d", "not_enough_info")]


def test_verdicts_are_scored_against_labels(shell: Shell, tmp_path: Path) -> None:
    pred = write(tmp_path / "said.jsonl", [{"id": i, "label": x, "probability": 0.5} for i, x in VERDICTS])
    right = [("a", "faithful"), ("b", "unfaithful"), ("c", "unfaithful"), ("d", "nei")]
    gold = write(tmp_path / "gold.jsonl", [{"id": i, "claim": "x", "label": x} for i, x in right])
    words = ("--metric", "classification", "--gold", gold, "--pred", pred)
    found = score(shell, *words)
    assert found["accuracy"] == pytest.approx(2 / 3)
    assert (found["share_unanswered"], found["unscored"]) == (0.25, {"c": "no answer"})
    assert "25.0% of the records with a gold label are unanswered" in shell(*words)[1]
    two = ("--metric", "two_class", "--gold", gold, "--pred", pred)
    assert "records left out, with another gold label than the two: 1" in shell(*two)[1]
    for option in (("--gold-format", "fallax"), ("--by", "label"), ("--on-bad-span", "report")):
        code, _, err = shell(*words, *option)
        assert (code, option[0] in err) == (2, True)


def test_only_metrics_that_take_files_are_offered(shell: Shell) -> None:
    offered = " ".join(shell("--help")[1].replace("│", " ").split())
    for name in METRICS:
        code, _, err = shell("--metric", name, "--gold", GOLD, "--pred", PRED)
        if "use it from Python" in err:
            assert code == 2
            assert name not in offered
        else:
            assert name in offered


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--similarity", "token-f1"], "--similarity: soft_span has no such setting; leave it out"),
        (["--metric", "span_match", "--level", "1"], "--level: span_match has no such setting"),
        (["--metric", "multi_label", "--level", "1"], "give --taxonomy"),
        (["--level", "7"], "--level must be 0 to 2, got 7"),
        (["--variant", "printed"], "unknown value of --variant 'printed'; known: definition, published"),
        (["--metric", "flc", "--merge-overlaps"], "flc: --merge-overlaps belongs to --variant official"),
        (["--compare"], "--compare: needs --pred at least twice"),
        (["--pred", PRED], "--pred: each file must be given once"),
        (["--format", "latex", "--json"], "--format: has no use with --json"),
        (["--seed", "3"], "--seed: needs --ci or --compare"),
        (["--ci", "--seed", "-1"], "'--seed'"),
        (["--ci", "--resamples", "1"], "'--resamples'"),
        (["--metric", "structure_similarity", "--align", "text"], "--align: has no use with --metric structure_sim"),
    ],
)
def test_errors_name_options_as_typed(words: list[str], said: str, shell: Shell) -> None:
    code, out, err = shell("--gold", GOLD, "--pred", PRED, *words)
    assert (code, out) == (2, "")
    assert said in err


def test_settings_come_from_options_and_from_the_name(shell: Shell) -> None:
    words = ("--gold", GOLD, "--pred", PRED, "--metric")
    found = score(shell, *words, "soft-span", "--level", "0", "--unit", "text")
    assert found["metric"] == "soft_span(level=0, unit=text)"
    assert score(shell, *words, "soft_span(unit=text)", "--level", "0") == found
    assert "settings must be separated by commas" in shell(*words, "flc(variant=official merge_overlaps=true)")[2]


def test_overlaps_and_bad_spans_are_mended_with_options(shell: Shell, tmp_path: Path) -> None:
    doubled = with_spans(tmp_path / "pred.jsonl", (40, 80, "ad hominem"), (0, 5, "x"), (0, 1, "x"))
    words = ("--metric", "flc", "--variant", "official", "--gold", GOLD, "--pred", doubled)
    assert "merge them with --merge-overlaps" in shell(*words)[2]
    assert shell(*words, "--merge-overlaps")[0] == 0
    bad = with_spans(tmp_path / "bad.jsonl", *NOWHERE)
    assert "have it kept out and listed: --on-bad-span report" in shell("--gold", GOLD, "--pred", bad)[2]


def test_systems_are_compared_over_what_all_of_them_scored(shell: Shell, tmp_path: Path) -> None:
    rows = lines(PRED)
    rows[1] = {"id": rows[1]["id"], "unscored": "endpoint failed"}
    some = write(tmp_path / "some.jsonl", rows)
    words = ("--gold", GOLD, "--pred", some, "--pred", OTHER, "--compare", "--resamples", 100)
    code, out, err = shell(*words)
    assert (code, err) == (0, "")
    assert "over the 2 records that every system has a score for" in out
    assert "some: 1 unscored: endpoint failed (1)" in out
    found = score(shell, *words)
    assert {name: one["n_scored"] for name, one in found.items()} == {"some": 2, "other_predictions": 2}
    assert found["other_predictions"]["unscored"] == {"bridge": "not scored in every system"}
    test = found["other_predictions"]["against_first"]["f1"]
    assert (test["n_records"], test["a"], test["b"]) == (2, found["other_predictions"]["f1"], found["some"]["f1"])
    none = write(tmp_path / "none.jsonl", [{"id": r["id"], "unscored": "no key"} for r in rows])
    assert "--compare: systems must have scored records in common" in shell(*words, "--pred", none)[2]


def test_an_unreadable_reply_counts_as_wrong_over_the_same_records_for_both(shell: Shell, tmp_path: Path) -> None:
    rows = lines(PRED)
    rows[1] = {"id": "bridge", "unscored": "unreadable", "unreadable": [{"reason": "no list"}], "n_replies": 1}
    some = write(tmp_path / "some.jsonl", rows)
    words = ("--metric", "span_match", "--gold", GOLD)
    found = score(shell, *words, "--pred", some, "--pred", PRED, "--compare", "--resamples", 100)
    alone = {name: score(shell, *words, "--pred", path) for name, path in (("some", some), ("predictions", PRED))}
    for name, one in found.items():
        assert (one["n_scored"], one["n_wrong"]) == (2, 1)
        assert one["with_unreadable_as_wrong"] == alone[name]["with_unreadable_as_wrong"]


def test_reasons_of_unscored_records_are_counted(shell: Shell, tmp_path: Path) -> None:
    records = [Record(f"r{i}", "You lie.", ()) for i in range(20)]
    reasons = [f"reason {min(i, 7)}" for i in range(19)]
    preds = [Prediction(f"r{i}", unscored=why) for i, why in enumerate(reasons)]
    write_predictions([*preds, Prediction("r19")], tmp_path / "pred.jsonl")
    write(tmp_path / "gold.jsonl", [r.to_dict() for r in records])
    out = shell("--gold", tmp_path / "gold.jsonl", "--pred", tmp_path / "pred.jsonl")[1]
    assert "pred: 19 unscored: reason 7 (12), reason 0 (1), reason 1 (1), reason 2 (1), reason 3 (1)" in out
    assert "and 3 more reasons" in out


def test_labels_that_gold_never_has_are_named(shell: Shell, tmp_path: Path) -> None:
    rows = lines(PRED)
    rows[0]["spans"][0]["label"] = "made up"
    rows[1]["spans"][0]["label"] = "Slippery_Slope"
    pred = write(tmp_path / "pred.jsonl", rows)
    words = ("--gold", GOLD, "--pred", pred, "--metric", "span_match")
    said = f"{pred}: predicted labels that gold never has: 'Slippery_Slope' (gold has 'slippery slope'), 'made up'"
    assert said in shell(*words)[2]
    assert score(shell, *words)["labels_not_in_gold"] == {"Slippery_Slope": "slippery slope", "made up": None}
    assert shell("--gold", GOLD, "--pred", PRED, "--metric", "span_match")[2] == ""


def test_intervals_and_tests_of_parts(shell: Shell, tmp_path: Path) -> None:
    gold, pred, other = (
        write(
            tmp_path / Path(path).name, [{**row, "id": row["id"] + more} for more in ("", "2") for row in lines(path)]
        )
        for path in (GOLD, PRED, OTHER)
    )
    more = ("--metric", "span_match", "--by", "label")
    alone = score(shell, "--gold", GOLD, "--pred", PRED, *more, "--ci", "--resamples", 100)
    # the label is in one record
    assert alone["parts"]["label"]["slippery slope"]["intervals"]["recall"]["low"] is None
    words = ("--gold", gold, "--pred", pred, "--pred", other, *more)
    found = score(shell, *words, "--ci", "--compare", "--resamples", 100)
    part = found["predictions"]["parts"]["label"]["slippery slope"]
    assert part["intervals"]["recall"]["low"] is not None
    assert any("p_value" in t for p in found["other_predictions"]["parts"]["label"].values() for t in _tests(p))
    rows = [x for x in shell(*words, "--ci", "--resamples", 100)[1].splitlines() if "slippery slope" in x]
    assert "[" in rows[0]


def _tests(part: dict[str, Any]) -> list[dict[str, Any]]:
    return list(part["against_first"].values())


def verdicts(folder: Path, name: str, *, right: Callable[[int], bool], **more: Callable[[int], Any]) -> Path:
    """Forty verdicts from eight documents; ``more``: further fields, from the document."""
    other = {"yes": "no", "no": "yes"}
    rows = []
    for i in range(40):
        gold = "yes" if i % 2 else "no"
        label = gold if right(i // 5) else other[gold]
        rows.append({"id": str(i), "label": label, **{field: of(i // 5) for field, of in more.items()}})
    return write(folder / f"{name}.jsonl", rows)


def test_intervals_and_tests_draw_the_documents_that_gold_names(shell: Shell, tmp_path: Path) -> None:
    one, two = (verdicts(tmp_path, n, right=lambda d, k=k: d >= k) for n, k in (("one", 0), ("two", 3)))
    preds = ("--metric", "classification", "--pred", one, "--pred", two, "--ci", "--compare", "--resamples", 300)

    def test_of(*words: object, **more: Callable[[int], Any]) -> dict[str, Any]:
        gold = verdicts(tmp_path, "gold", right=lambda _: True, **more)
        found = score(shell, "--gold", gold, *preds, *words)["two"]
        assert found["intervals"]["accuracy"]["n_records"] == found["against_first"]["accuracy"]["n_records"]
        return {**found["against_first"]["accuracy"], "group": found["settings"]["settings"].get("group")}

    alone = test_of()
    assert (alone["n_records"], alone["group"]) == (40, None)
    assert alone["p_value"] < 0.01
    for more, name in (({"document": str}, "document"), ({"document": str, "group": lambda d: d}, "group"),
                       ({"meta": lambda d: {"document": d}}, "document")):  # fmt: skip
        drawn = test_of(**more)
        # three of eight documents differ: as large a difference has every swap that turns all of them alike
        assert (drawn["n_records"], drawn["group"], drawn["p_value"]) == (8, name, 0.25)
    assert test_of("--group", "scene", meta=lambda d: {"scene": d // 4}, document=str)["n_records"] == 2
    gold = verdicts(tmp_path, "gold", right=lambda _: True, document=lambda d: d or None)
    out = shell("--gold", gold, *preds)[1]
    assert "intervals and tests draw 12 documents, not the 40 samples from them; 12 are few" in out
    assert "unknown field of --group 'dokument'" in shell("--gold", gold, *preds, "--group", "dokument")[2]
    assert shell("--gold", gold, "--pred", one, "--metric", "classification")[1].count("document") == 0
    assert "--group: needs --ci or --compare" in shell("--gold", gold, "--pred", one, "--group", "document")[2]
    odd = verdicts(tmp_path, "odd", right=lambda _: True, document=lambda d: [d])
    said = shell("--gold", odd, *preds)[2]
    assert "record '0': 'document' must be a text or a whole number, got [0]; name another field with --group" in said


def test_annotated_texts_name_their_document_in_meta(shell: Shell, tmp_path: Path) -> None:
    rows = [{**row, "meta": {"document": min(i, 1)}} for i, row in enumerate(lines(GOLD))]
    gold = write(tmp_path / "gold.jsonl", rows)
    found = score(shell, "--gold", gold, "--pred", PRED, "--ci", "--resamples", 50)
    assert found["intervals"]["f1"]["n_records"] == 2
    assert (
        gold_groups(read_corpus(gold))
        == gold_groups(gold)
        == (
            "document",
            {r["id"]: str(min(i, 1)) for i, r in enumerate(rows)},
        )
    )


def test_a_label_named_as_the_whole_is_not_confused_with_it() -> None:
    gold = read_corpus(GOLD)
    preds = [Prediction(r.id, (Span(0, 3, "all"),) if r.gold else ()) for r in gold]
    (found,) = uncertainty([SpanMatch().corpus_score(pred=preds, gold=gold)], "label", Drawn(True, False, 0, 50))
    assert set(found) == {None, "all", "slippery slope"}
    assert found["all"]["intervals"].keys() == {"precision", "f1"}
