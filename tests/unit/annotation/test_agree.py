"""Reading several annotators, the report of their agreement, and gold made from them."""

import json
import zipfile
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fallax as fx
from fallax.annotation import Annotations, agreement_report, merge_annotations, read_annotations
from fallax.annotation.view import agreement_sections
from fallax.cli import main
from fallax.core.types import NO_FALLACY, GoldSpan, Record
from fallax.data import read_corpus, write_corpus
from fallax.errors import InputError, UnknownNameError

TEXT = "You lie, so no. Everybody knows it."


def record(*spans: tuple[int, int, tuple[str, ...]], id: str = "1", text: str = TEXT) -> Record:
    return Record(id, text, tuple(GoldSpan(*s) for s in spans))


ANN = [record((0, 15, ("ad hominem",))), record(id="2", text="Nothing here.")]
BOB = [record((0, 14, ("straw man",)), (16, 35, ("ad populum",))), record(id="2", text="Nothing here.")]
CID = [record((0, 15, ("ad hominem", "straw man"))), record(id="2", text="Nothing here.")]


def shell(*words: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(list(words))
    assert left.value.code == 0


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = []
    for name, rows in (("ann", ANN), ("bob", BOB), ("cid", CID)):
        paths.append(tmp_path / f"{name}.jsonl")
        write_corpus(rows, paths[-1])
    return paths


def test_a_file_for_each_annotator(files: list[Path]) -> None:
    report = fx.agree(files)
    assert report.annotators == ("ann", "bob", "cid")
    assert report.spans is not None
    assert report.spans.by_document["2"] == 1.0
    assert report.spans.n_spans == {"ann": 1, "bob": 2, "cid": 1}
    # ann and bob share no label there; cid allows both
    first = report.disputed[0]
    assert (first.passage, first.said["ann"], first.said["cid"]) == ("Everybody knows it.", "(nothing)", "(nothing)")
    assert first.disagreement == pytest.approx(2 / 3)
    assert {d.passage for d in report.disputed} == {"Everybody knows it.", TEXT[:15]}


def test_a_bad_span_is_told_with_its_line_in_a_file_of_several_annotators(tmp_path: Path) -> None:
    rows = [(who, i, 99 if (who, i) == ("bob", 3) else 8) for who in ("ann", "bob") for i in (1, 2, 3)]
    lines = [
        json.dumps({
            "id": str(i), "text": "You lie.", "gold": [{"start": 0, "end": end, "labels": ["ad hominem"]}],
            "meta": {"annotator": who},
        })
        for who, i, end in rows
    ]  # fmt: skip
    path = tmp_path / "all.jsonl"
    path.write_text("\n".join(["", *lines]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"all\.jsonl:7, annotator 'bob': record '3', span 1: must lie inside"):
        read_annotations([path])
    (told,) = read_annotations([path], on_bad_span="report").problems
    assert told.startswith(f"{path}:7: record '3', span 1")


def test_a_bad_task_is_told_with_its_line_and_number_among_all(tmp_path: Path) -> None:
    def task(data: dict[str, str], *who: int) -> str:
        marked = [{"value": {"start": 0, "end": 3, "labels": ["ad hominem"]}}]
        return json.dumps({"data": data, "annotations": [{"completed_by": w, "result": marked} for w in who]})

    tasks = [task({"text": "You lie."}, 1), task({"text": "You cheat."}, 1, 2), task({}, 2)]
    path = tmp_path / "all.json"
    path.write_text("[\n" + ",\n".join(tasks[:2]) + "]", encoding="utf-8")
    assert {who: [r.id for r in rows] for who, rows in read_annotations([path]).records.items()} == {
        "1": ["1", "2"], "2": ["2"],
    }  # fmt: skip
    path.write_text("[\n" + ",\n".join(tasks) + "]", encoding="utf-8")
    with pytest.raises(InputError, match=r"all\.json:4, annotator '2': task 3: data must have one 'text'"):
        read_annotations([path])


def test_texts_of_one_annotator_alone_are_counted_in_a_note(tmp_path: Path) -> None:
    rows = [Record(str(n), f"You lie, {n}.", ()) for n in range(5)]
    half = [*rows[:2], *(Record(r.id, r.text) for r in rows[2:])]
    report = agreement_report(Annotations({"ann": rows, "bob": half}), n_resamples=0, with_gamma=False)
    assert list(report.problems) == ["3 of 5 texts were annotated by one person alone and do not count"]


def test_few_spans_per_text_are_told_beside_gamma() -> None:
    def note(n: int) -> str:
        spans = tuple(GoldSpan(2 * i, 2 * i + 1, ("ad hominem",)) for i in range(n))
        people = {name: [Record("1", "a b c d", spans)] for name in ("ann", "bob")}
        return agreement_sections(agreement_report(Annotations(people), samples=2, precision=None))[0].note

    assert "With fewer than two spans per text" in note(1)
    assert "fewer than" not in note(2)


def test_a_table_of_a_spreadsheet_may_be_divided_by_semicolons(tmp_path: Path) -> None:
    table = tmp_path / "ratings.csv"
    table.write_bytes(b"\xef\xbb\xbfitem;annotator;label\r\n1;ann;yes, mostly\r\n1;bob;no\r\n")
    assert read_annotations([table]).ratings == {"ann": {"1": "yes, mostly"}, "bob": {"1": "no"}}


def test_labels_that_differ_only_in_spelling_are_told(tmp_path: Path) -> None:
    table = tmp_path / "ratings.csv"
    table.write_text("item,annotator,label\n1,ann,yes\n1,bob,Yes\n2,ann,no+\n2,bob,no-\n", encoding="utf-8")
    told = agreement_report(read_annotations([table]), n_resamples=0).problems
    assert list(told) == ["labels that differ only in spelling count as different: 'Yes', 'yes'; use one spelling"]


def test_one_file_that_names_the_annotators(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    rows = [{**r.to_dict(), "meta": {"annotator": n}} for n, own in (("ann", ANN), ("bob", BOB)) for r in own]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    found = read_annotations([path])
    assert {name: len(own) for name, own in found.records.items()} == {"ann": 2, "bob": 2}
    assert found.records["bob"][0].gold == BOB[0].gold


def test_names_of_annotators_that_look_the_same_are_one_annotator(tmp_path: Path) -> None:
    rows = [
        {"id": str(n), "text": "You lie.", "gold": [], "meta": {"annotator": name}}
        for n, name in enumerate(("Zo\u00eb", "Zoe\u0308", " Zo\u00eb ", "bob"))
    ]
    both = tmp_path / "both.jsonl"
    both.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert {name: len(own) for name, own in read_annotations([both]).records.items()} == {"Zo\u00eb": 3, "bob": 1}


def test_label_studio_with_several_annotators(tmp_path: Path) -> None:
    def result(label: str) -> dict[str, object]:
        value = {"start": 0, "end": 8, "labels": [label]}
        return {"type": "labels", "from_name": "label", "to_name": "text", "value": value}

    task = {
        "data": {"id": "1", "text": TEXT},
        "annotations": [
            {"completed_by": {"id": 3, "email": "ann@x"}, "result": [result("ad hominem")]},
            {"completed_by": 4, "result": [result("straw man")]},
            {"completed_by": 5, "was_cancelled": True, "result": []},
        ],
    }
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task]), encoding="utf-8")
    found = read_annotations([path])
    assert {n: r[0].gold[0].labels for n, r in found.records.items() if r[0].gold} == {
        "ann@x": ("ad hominem",),
        "4": ("straw man",),
    }


def test_tables_of_ratings_numbers_words_and_sets(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("id,rater,score\n1,ann,3\n1,bob,2\n2,ann,0\n2,bob,\n", encoding="utf-8")
    found = read_annotations([path])
    assert found.ratings == {"ann": {"1": 3.0, "2": 0.0}, "bob": {"1": 2.0}}
    path.write_text("item\tannotator\tlabel\n1\tann\ta|b\n1\tbob\ta\n".replace("\t", ","), encoding="utf-8")
    assert read_annotations([path]).ratings["bob"] == {"1": frozenset("a")}
    assert fx.agree(path).level == "masi"


RATED = "item,annotator,label\n1,ann,3\n1,bob,3\n2,ann,2\n2,bob,1\n3,ann,{}\n3,bob,1\n4,ann,1\n4,bob,1\n"


def test_numbers_are_compared_in_python_as_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(RATED.format(2), encoding="utf-8")
    given: dict[str, dict[object, object]] = {
        "ann": {1: 3, 2: 2, 3: 2, 4: 1},
        "bob": {"1": 3.0, "2": "1", "3": Fraction(2, 2), "4": 1},
    }
    report = fx.agree(given)
    assert report.level == "interval"
    assert report == fx.agree(path)


def test_truth_values_of_numpy_and_decimals_are_ratings() -> None:
    def alike(*values: Any) -> Any:
        return fx.agree({"ann": {"1": values[0], "2": values[1]}, "bob": {"1": values[2], "2": values[3]}})

    said = alike(np.bool_(True), np.False_, True, False)
    assert (said.labels["percent"].value, sorted(said.base_rates)) == (1, ["no", "yes"])
    number = alike(Decimal("1.5"), Decimal(2), 1.5, np.int64(2))
    assert (number.level, number.labels["percent"].value) == ("interval", 1)
    assert alike(Decimal("nan"), Decimal(2), 1, 2).problems


@pytest.mark.parametrize("cell", ["", "NA", "n/a", "nan", "NULL", "None"])
def test_missing_ratings_among_numbers_are_left_out_and_counted(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(RATED.format(cell), encoding="utf-8")
    report = fx.agree(path, n_resamples=0)
    assert (report.level, report.n_items) == ("interval", 3)
    assert report.labels["percent"].value == pytest.approx(2 / 3)
    assert [p.partition(" left out")[0] for p in report.problems] == [f"{path}: 1 of 8 ratings"]
    known = {"ann": {"1": 3, "2": 2, "3": cell, "4": 1}, "bob": {"1": 3, "2": 1, "3": 1, "4": 1}}
    assert fx.agree(known, n_resamples=0).labels == report.labels


def test_the_words_for_missing_are_labels_among_words(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("item,annotator,label\n1,ann,none\n1,bob,none\n2,ann,ad hominem\n2,bob,NA\n", encoding="utf-8")
    assert set(fx.agree(path).base_rates) == {"none", "ad hominem", "NA"}
    assert fx.agree({"ann": {1: "x", 2: float("nan")}, "bob": {1: "x", 2: "y"}}).n_items == 1


@pytest.mark.parametrize("number", ["inf", "1e999", "1e+200"])
def test_a_rating_too_large_to_compare_is_refused_with_its_line(tmp_path: Path, number: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(RATED.format(number), encoding="utf-8")
    with pytest.raises(
        InputError, match=r"ratings\.csv:6: item '3': a number must be within ±1e150, got (inf|1e999|1e\+200)"
    ):
        fx.agree(path)
    with pytest.raises(InputError, match=r"'ann', '1': a number must be within ±1e150, got (-inf|-1e\+200)"):
        fx.agree({"ann": {"1": -float(number)}, "bob": {"1": 2}})


def test_the_shell_notes_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(RATED.format("NA"), encoding="utf-8")
    for more in ((), ("--format", "markdown"), ("--merge", "majority")):
        shell("agree", str(path), *more)
        assert "1 of 8 ratings left out as missing" in capsys.readouterr().err


def test_columns_are_named_in_the_shell_and_in_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("which,who,said\n1,ann,x\n1,bob,x\n2,ann,x\n2,bob,y\n", encoding="utf-8")
    with pytest.raises(InputError, match="name them with --item, --annotator and --label"):
        fx.agree(path)
    shell("agree", str(path), "--item", "which", "--annotator", "who", "--label", "said", "--json")
    report = fx.agree(path, item="which", annotator="who", label="said")
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(report.to_dict()))
    with pytest.raises(UnknownNameError, match="unknown column 'whom'; did you mean 'who'"):
        fx.agree(path, annotator="whom")


def test_options_that_nothing_reads_are_refused(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["agree", *map(str, files), "--item", "id"])
    assert "--item: needs a table of ratings; leave it out" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["agree", *map(str, files), "--json", "--format", "markdown"])
    assert "error: --format: has no use with --json; leave one of them out" in capsys.readouterr().err
    with pytest.raises(InputError, match="label: needs files; leave it out"):
        fx.agree({"ann": {"1": "x"}, "bob": {"1": "x"}}, label="said")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": "ordnal"}, "unknown level 'ordnal'; did you mean 'ordinal'"),
        ({"level": "Ordinal"}, "unknown level 'Ordinal'; did you mean 'ordinal'"),
        ({"n_resamples": -3}, "n_resamples must be a whole number of at least 0, got -3"),
        ({"n_resamples": 2.5}, "n_resamples: must be a whole number, got 2.5"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fx.agree({"ann": {"1": 1, "2": 2}, "bob": {"1": 1, "2": 3}}, **options)


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        (None, "must be files, annotator -> records, or annotator -> item -> label, got None"),
        (3, "must be files, .*, got 3"),
        (b"a.csv", "must be files, .*, got b'a.csv'"),
        ([1, 2], "must be files, .*, got 1"),
        ({"a": ["x", "y"], "b": ["x", "z"]}, "annotations of 'a': must be annotated records, .*, got 'x'"),
        ({"a": None, "b": None}, "annotations of 'a': must be annotated records, .*, got None"),
        ({"a": {"1": "x"}, "b": ANN}, "must all be records, or all item -> label, .*'a' and others of 'b'"),
        ({"a": {"1": object()}, "b": {"1": "x"}}, "of 'a', '1': a rating must be a label, .*, got <object"),
    ],
)
def test_what_is_no_annotation_is_refused(annotations: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fx.agree(annotations)


def test_logs_of_inspect(tmp_path: Path) -> None:
    sample = {"id": 1, "epoch": 1, "input": "a text", "scores": {"judge": {"value": "C"}, "person": {"value": "I"}}}
    log = {"version": 2, "eval": {"model": "m"}, "samples": [sample]}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log), encoding="utf-8")
    assert read_annotations([path]).ratings == {"m/judge": {"1": "C"}, "m/person": {"1": "I"}}
    packed = tmp_path / "log.eval"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "m"}}))
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample))
    assert read_annotations([packed]).ratings == read_annotations([path]).ratings


def test_union_keeps_everything_as_alternatives_and_says_where_somebody_marked_nothing(files: list[Path]) -> None:
    merged = merge_annotations(read_annotations(files), "union")
    assert merged.records[0].gold == (
        GoldSpan(0, 15, ("ad hominem", "straw man")),
        GoldSpan(16, 35, ("ad populum", NO_FALLACY)),
    )
    assert merged.records[1].gold == ()
    assert merged.losses == {"spans whose ends were moved": 1}


def test_majority_keeps_what_more_than_half_said_and_counts_the_rest(files: list[Path]) -> None:
    merged = merge_annotations(read_annotations(files), "majority")
    assert merged.records[0].gold == (GoldSpan(0, 15, ("ad hominem", "straw man")),)
    assert merged.losses == {
        "labels that the gold does not have there": 1,
        "passages that no majority marked": 1,
        "spans whose ends were moved": 1,
    }


@pytest.mark.parametrize("to", ["fallax", "mafalda", "doccano", "label-studio", "brat", "propaganda", "conll"])
def test_gold_is_written_and_read_back(files: list[Path], tmp_path: Path, to: str) -> None:
    out = tmp_path / "gold"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        shell("agree", *map(str, files), "--merge", "majority", "--to", to, "--output", str(out))
    if to in ("fallax", "mafalda", "doccano", "label-studio"):
        assert read_corpus(out, format=to)[0].gold == (GoldSpan(0, 15, ("ad hominem", "straw man")),)
    else:
        assert out.exists()


def test_an_adjudicated_file_decides(files: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    decided = tmp_path / "decided.jsonl"
    write_corpus([record((0, 15, ("straw man",)))], decided)
    shell("agree", *map(str, files), "--merge", f"adjudicated={decided}", "--output", str(tmp_path / "gold.jsonl"))
    told = capsys.readouterr().err
    assert "1 texts by the rule adjudicated" in told
    assert "lost: 1 texts that nobody adjudicated" in told
    assert read_corpus(tmp_path / "gold.jsonl")[0].gold == (GoldSpan(0, 15, ("straw man",)),)


def test_an_adjudicated_file_with_another_text_is_refused() -> None:
    edited = [Record(r.id, r.text + "!", r.gold) for r in ANN]
    with pytest.raises(
        InputError, match=r"that of 'ann' differs from that of the adjudicated file, got .* instead of '!'"
    ):
        merge_annotations(Annotations({"ann": ANN, "bob": BOB}), "adjudicated", adjudicated=edited)


def test_a_file_that_a_rule_does_not_read_is_refused(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["agree", *map(str, files), "--merge", "majority=decided.jsonl"])
    assert stop.value.code == 2
    assert "--merge majority: takes no file, got 'decided.jsonl'; leave it out" in capsys.readouterr().err


def test_the_shell_says_the_same_as_python(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    shell("agree", *map(str, files), "--json")
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads(json.dumps(fx.agree(files).to_dict()))
    shell("agree", *map(str, files), "--format", "markdown")
    page = capsys.readouterr().out
    assert "| gamma |" in page
    assert "## Most disputed" in page


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("item,annotator,label\n1,ann,x\n", r"at least two annotators, got 1 \('ann'\)"),
        ("item,annotator,label\n1,ann,x\n2,bob,x\n", "items that at least two annotators rated, got none"),
        ("item,annotator,label\n1,ann,x\n1,ann,y\n", "'ann' must rate an item once, got '1' again"),
        (
            "item,label\n1,x\n",
            "must have one row for each rating, with the columns item, annotator and label, got item, label",
        ),
    ],
)
def test_bad_tables_are_one_clear_line(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        fx.agree(path)


def test_what_looks_the_same_in_a_table_is_the_same(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    rows = ["1 ,ann,caf\u00e9", "2,ann , bar", "1,bob,cafe\u0301", "2,bob,bar", "1,Jos\u00e9,bar", "2,Jose\u0301,bar"]
    table.write_text("\n".join(["item,annotator,label", *rows]) + "\n", encoding="utf-8")
    found = read_annotations([table])
    assert found.ratings == {
        "ann": {"1": "caf\u00e9", "2": "bar"},
        "bob": {"1": "caf\u00e9", "2": "bar"},
        "Jos\u00e9": {"1": "bar", "2": "bar"},
    }
    report = fx.agree({"ann": {"1": "caf\u00e9", "2": "x"}, "bob": {"1": "cafe\u0301", "2": "x"}}, n_resamples=0)
    assert report.labels["percent"].value == 1.0
    table.write_text("item,annotator,label\n1,ann,yes\n1,ann ,yes\n")  # one annotator, not two who agree
    with pytest.raises(InputError, match="'ann' must rate an item once, got '1' again"):
        read_annotations([table])


def test_a_table_without_rows_is_told_as_that(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("item,annotator,label\n")
    with pytest.raises(InputError, match="must have ratings below its header, got no row"):
        read_annotations([tmp_path / "t.csv"])


def test_files_without_shared_ids_are_matched_by_their_texts(tmp_path: Path) -> None:
    for name, number in (("ann", "7"), ("bob", "70")):
        write_corpus([record((0, 8, ("ad hominem",)), id=number)], tmp_path / f"{name}.jsonl")
    found = read_annotations([tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"])
    assert [r.id for own in found.records.values() for r in own] == ["7", "7"]
    assert "matched by their words" in found.problems[-1]


def test_a_report_reads_what_it_wrote() -> None:
    labels = fx.agree({"ann": {"1": "yes", "2": "no"}, "bob": {"1": "yes", "2": None}}, n_resamples=0)
    spans = fx.agree({"ann": ANN, "bob": BOB}, n_resamples=0, samples=10)
    for report in (labels, spans):
        assert type(report).from_dict(json.loads(json.dumps(report.to_dict()))) == report
    table = fx.agree({"ann": ANN, "bob": BOB}, n_resamples=0, samples=10, table2=True).to_dict()
    assert type(spans).from_dict(table).to_dict() == table
