"""Corners of single formats: labels that a format reads differently, files that are nearly right."""
# ruff: noqa: E501 (tables of cases)

import io
import sys
from pathlib import Path

import pytest

from fallax.core.types import GoldSpan, Prediction, Record, Span
from fallax.data import detect_format, load_dataset, losses_of, read_corpus, read_predictions, write_corpus
from fallax.data import write_predictions as write_preds
from fallax.errors import FormatError, InputError, SpanError, UnknownNameError


@pytest.mark.parametrize(
    ("format", "label", "lost"),
    [
        ("mafalda", "nothing", True),
        ("mafalda", "To Clean", True),
        ("doccano", "No_Fallacy", True),
        ("doccano", "to clean", False),
        ("label-studio", "nothing", True),
        ("brat", "nothing", True),
        ("conll", "nothing", True),
        ("conll", " x", True),
        ("conll", "a\tb", True),
        ("propaganda", "a\tb", True),
        ("propaganda", "x ", True),
        ("propaganda", "to clean", False),
        ("fallax", "nothing", False),
    ],
)
def test_labels_that_would_be_read_as_something_else_are_not_written(
    tmp_path: Path, format: str, label: str, lost: bool
) -> None:
    gold = (GoldSpan(0, 3, (label,)), GoldSpan(4, 7, ("straw man",)))
    record = Record("r1", "You lie.", gold, meta={"same_span": "all"} if format == "propaganda" else {})
    losses = [x for x in losses_of([record], format) if x.kind not in ("meta",)]
    assert [x.kind for x in losses] == ["label"] * lost
    assert all(repr(label) in x.message for x in losses)
    write_corpus([record], tmp_path / "o", format=format, articles=tmp_path / "articles")
    back = read_corpus(tmp_path / "o", format=format, articles=tmp_path / "articles")[0]
    assert back.gold == gold[lost:]


@pytest.mark.parametrize("name", ["talk.task-FLC", "talk.task1-SI"])
def test_an_article_that_would_be_read_under_another_name_is_not_written(tmp_path: Path, name: str) -> None:
    record = Record(name, "You lie.", (GoldSpan(0, 3, ("straw man",)),))
    with pytest.raises(InputError, match=r"must not end like a file of labels, .* read as 'talk'; rename it"):
        write_corpus([record], tmp_path / "o.tsv", format="propaganda", articles=tmp_path / "articles")
    assert not (tmp_path / "o.tsv").exists()


@pytest.mark.parametrize("format", ["mafalda", "doccano", "label-studio"])
def test_meta_that_would_hide_a_field_is_listed(format: str) -> None:
    record = Record("r1", "x", (), meta={"text": "y", "comments": []})
    assert [str(x) for x in losses_of([record], format)] == [
        "record 'r1': meta 'text': the format has a field of that name"
    ]


@pytest.mark.parametrize(
    ("content", "text", "spans"),
    [
        ("The O\n#MeToo B-ad\nis I-ad\n# O\n1 O\n", "The #MeToo is # 1", [(4, 13)]),
        ("#MeToo O\n# O\nis B-ad\n", "#MeToo # is", [(9, 11)]),
        ("# all is O\nYou PRP O\n# said in B-1\n# # B-ad\nlie VBP O\n", "You # lie", [(4, 5)]),
        ("# a note\nYou\tO\n# kept as O\nlie\tB-ad\n", "You lie", [(4, 7)]),
        ("-DOCSTART- -X- -X- O\r\n\r\nEU NNP B-NP B-ORG\r\nlies VBZ B-VP O\r\n", "EU lies", [(0, 2)]),
    ],
)
def test_tokens_and_tags_with_spaces_between_are_all_read(
    tmp_path: Path, content: str, text: str, spans: list[tuple[int, int]]
) -> None:
    path = tmp_path / "a.conll"
    path.write_bytes(content.encode())
    corpus = read_corpus(path)
    assert (corpus.format, corpus[0].text) == ("conll", text)
    assert [(g.start, g.end) for g in corpus[0].gold or ()] == spans


@pytest.mark.parametrize(
    "content", ["My blood is O\n", "Type O\nVitamin B-12\nWhat else?\n", "I am O\nSo are you all O\n"]
)
def test_a_text_that_ends_in_a_tag_is_a_text(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.txt").write_text(content)
    assert detect_format(tmp_path / "a.txt") == "text"


#: (name, format, files, first file is read, pattern)
FILES = [
    ("brat without text", "brat", {"a.ann": ""}, r"a\.ann: needs its text beside it, found no a\.txt"),
    ("empty brat folder", "brat", {"b/": ""}, r"must hold \.txt and \.ann files, got none"),
    ("label folder without files", "propaganda", {"b/": ""}, r"must hold label files .*, got none"),
    ("conll id twice", "conll", {"a": "# id = a\n# text = x\n# text = y\nx\tO\n"}, r":3: 'text' must be given once"),
    ("conll meta", "conll", {"a": "# id = a\n# meta = [1]\nx\tO\n"}, r":1: meta must be a JSON object, got \[1\]"),
    ("list: bytes", "label-studio", {"a": b'[\n{"data": {"text": "\xff"}}]'}, r":2: .*byte 0xff at byte 21 of the file"),
    ("list: trailing comma", "label-studio", {"a": '[{"data": {"text": "a"}},'}, r":1: the list must end with '\]'"),
    ("list: key twice", "label-studio", {"a": '[{"data": {}, "data": {}}]'}, r":1: each item .*'data' twice"),
    ("task: no text", "label-studio", {"a": '[{"data": {"a": "x", "b": "y"}}]'}, r":1: task 1: data must have one 'text'"),
    ("task: list", "label-studio", {"a": '[{"data": {"text": "x"}, "annotations": {"a": 1}}]'}, r"must be a list of objects"),
    ("task: result", "label-studio", {"a": '[{"data": {"text": "x"}, "annotations": [{"result": 1}]}]'}, r"'result' must be a list"),
    ("task: number", "label-studio", {"a": "[4]"}, r":1: task 1: each task must be an object with 'data', got 4"),
    ("gold span field", "fallax", {"a": '{"id": "a", "text": "x", "gold": [{"start": 0, "end": 1, "labels": ["x"], "l": 1}]}'}, r":1: gold span 1: may have start, end, labels; got 'l'"),
    ("meta", "fallax", {"a": '{"id": "a", "text": "x", "meta": 1}'}, r":1: 'meta' must be an object, got 1"),
    ("source", "fallax", {"a": '{"id": "a", "text": "x", "source": 1}'}, r":1: record 'a': source must be a string, got 1"),
    ("labels no list", "mafalda", {"a": '{"text": "x", "labels": {"a": 1}}'}, r":1: 'labels' must be a list of \[start"),
    ("no article id", "propaganda", {"a.tsv": "\tDoubt\t0\t3\n", "article1.txt": "abc"}, r":1: the article id must not be empty"),
]  # fmt: skip


@pytest.mark.parametrize(("format", "files", "pattern"), [c[1:] for c in FILES], ids=[c[0] for c in FILES])
def test_nearly_right_files(tmp_path: Path, format: str, files: dict[str, str | bytes], pattern: str) -> None:
    for name, content in files.items():
        if name.endswith("/"):
            (tmp_path / name).mkdir()
        else:
            (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(FormatError, match=pattern):
        read_corpus(tmp_path / next(iter(files)), format=format)


def test_an_item_over_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"data": {"text": "a"}},\n{"data": {"text": "' + "x" * 2_000_000)
    with pytest.raises(FormatError, match=r":2: an item must be readable JSON of at most 1000000 bytes"):
        read_corpus(path, max_line_bytes=1_000_000)
    with pytest.raises(FormatError, match=r":2: each item .*cut short"):
        read_corpus(path)


def test_items_larger_than_a_chunk_and_characters_on_its_edge(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    texts = ["é" * 300_000, "x", "👍" * 200_001]
    path.write_text("[" + ",\n".join(f'{{"data": {{"text": "{t}"}}}}' for t in texts) + "\n]\n", encoding="utf-8")
    assert [r.text for r in read_corpus(path)] == texts


def test_one_json_value_a_line_and_other_fields_of_tasks(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id": 1, "data": {"text": "abc"}, "predictions": [{"result": [{"value": {"start": 0, "end": 3, "labels": ["x"]},'
        ' "score": 0.5}]}]}\n{"id": 2, "data": {"text": "abc", "k": 1}, "predictions": []}\n'
    )
    assert detect_format(path) == "label-studio"
    assert [p.spans for p in read_predictions(path)] == [(Span(0, 3, "x", 0.5),), ()]
    assert [r.gold for r in read_corpus(path)] == [None, None]
    assert read_corpus(path)[1].meta == {"k": 1}
    with pytest.raises(FormatError, match=r"annotation must be 1 to 1, got 2"):
        read_predictions(path, annotation=2)


def test_a_region_without_label_is_a_bad_span(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        '[{"data": {"text": "abc"}, "annotations": [{"result": [{"value": {"start": 0, "end": 3, "labels": []}}]}]}]'
    )
    with pytest.raises(SpanError, match=r"record '1', span 1: must have a label, got None"):
        read_corpus(path)
    assert read_corpus(path, on_bad_span="report")[0].gold == ()


def test_line_breaks_as_the_editor_repeats_them(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(
        '[{"data": {"text": "a\\nb c"}, "annotations":'
        ' [{"result": [{"value": {"start": 0, "end": 3, "text": "a\\\\nb", "labels": ["x"]}}]}]}]'
    )
    assert read_corpus(path)[0].gold == (GoldSpan(0, 3, ("x",)),)


def test_brat_files_of_others(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a b.txt").write_text("You lie.")
    (tmp_path / "sub" / "a b.ann").write_text(
        'T1\tX 0 3\n\nT2\tnothing 4 7\tlie\r\n#1\tAnnotatorNotes T1\tfallax label: "other"\n'
    )
    (tmp_path / "c.txt").write_text("Fine.")
    corpus = read_corpus(tmp_path)
    assert [r.id for r in corpus] == ["c", "sub/a b"]
    assert corpus[0].gold is None
    assert corpus[1].gold == (GoldSpan(0, 3, ("X",)), GoldSpan(4, 7, ("no fallacy",)))
    assert corpus[1].meta["brat"]["lines"] == ['#1\tAnnotatorNotes T1\tfallax label: "other"']
    with pytest.raises(InputError, match="must be a folder, got a file"):
        write_corpus(corpus, tmp_path / "c.txt", format="brat")
    with pytest.raises(InputError, match=r"record '\.\./x': an article id becomes a file name"):
        write_corpus([Record("../x", "t", ())], tmp_path / "o", format="propaganda", articles=tmp_path / "art")
    assert write_corpus([Record("../x", "t", ())], tmp_path / "out", format="brat") == []
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["%2E.%2Fx.ann", "%2E.%2Fx.txt"]
    with pytest.raises(InputError, match="its id must make a file name"):
        write_corpus([Record("x" * 300, "t", ())], tmp_path / "out", format="brat")
    with pytest.raises(InputError, match="an article id must hold no tab"):
        write_corpus([Record("a\tb", "t", ())], tmp_path / "o", format="propaganda")


def test_predictions_need_the_texts_where_the_format_repeats_them(tmp_path: Path) -> None:
    pred = [Prediction("r1", (Span(0, 3, "x"),), unscored="timeout")]
    with pytest.raises(InputError, match=r"record 'r1': format 'doccano' repeats the text, got no record"):
        write_preds(pred, tmp_path / "o", format="doccano")
    losses = write_preds(pred, tmp_path / "o", format="propaganda")
    assert [str(x) for x in losses] == ["record 'r1': the field 'unscored' of the prediction"]
    assert (tmp_path / "o").read_text() == "r1\tx\t0\t3\n"


def test_articles_must_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text("1\tDoubt\t0\t3\n")
    with pytest.raises(InputError, match=r"articles must be a folder of article files, got nothing there"):
        read_corpus(tmp_path / "gold.tsv", articles=tmp_path / "none")


def test_own_data_in_the_shape_of_the_sets(tmp_path: Path) -> None:
    (tmp_path / "cocolofa").mkdir()
    path = tmp_path / "cocolofa" / "dev.json"
    path.write_text('[{"title": "T", "comments": [{"id": 1, "fallacy": "none", "comment": "Fine."}]}]')
    assert [(r.id, r.gold, r.title) for r in load_dataset("cocolofa", root=tmp_path)] == [("1", (), "T")]
    path.write_text("{}")
    with pytest.raises(FormatError, match=r"dev\.json: must be one JSON list"):
        load_dataset("cocolofa", root=tmp_path)
    path.write_text("[")
    with pytest.raises(FormatError, match=r"dev\.json: must be one JSON list, got an error"):
        load_dataset("cocolofa", root=tmp_path)
    (tmp_path / "lfud").mkdir()
    (tmp_path / "lfud" / "lfud_sentences.csv").write_text("index,proposition,sentence,fallacy_type\n0,p,s\n")
    with pytest.raises(FormatError, match=r"lfud_sentences\.csv:2: each row must have 4 cells, got 3"):
        load_dataset("lfud", root=tmp_path)
    with pytest.raises(UnknownNameError, match="unknown taxonomy 'nope'"):
        load_dataset("lfud", root=tmp_path, taxonomy="nope")


def test_offsets_in_other_units(tmp_path: Path) -> None:
    text = "é👍 You lie."  # "You" is 3..6 in code points, 4..7 in UTF-16, 7..10 in UTF-8
    assert (text[3:6], text.encode("utf-16-le")[8:14].decode("utf-16-le"), text.encode()[7:10]) == (
        "You",
        "You",
        b"You",
    )
    path = tmp_path / "a.jsonl"
    for units, start, end in (("code-point", 3, 6), ("utf-16", 4, 7), ("utf-8", 7, 10)):
        path.write_text(f'{{"text": "{text}", "labels": [[{start}, {end}, "x"]], "comments": []}}\n', encoding="utf-8")
        assert read_corpus(path, offsets=units)[0].gold == (GoldSpan(3, 6, ("x",)),)  # type: ignore[arg-type]
    path.write_text(f'{{"text": "{text}", "labels": [[2, 7, "x"], [4, 99, "x"]], "comments": []}}\n', encoding="utf-8")
    with pytest.raises(
        SpanError, match=r":1: record '1', span 1: offsets must fall between characters, got 2\.\.7 in utf-16"
    ):
        read_corpus(path, offsets="utf-16")
    found = read_corpus(path, offsets="utf-16", on_bad_span="report")
    assert [(p.kind, p.kept) for p in found.problems] == [("bad-offsets", False), ("past-end", False)]
    with pytest.raises(UnknownNameError, match="unknown offsets 'bytes'"):
        read_corpus(path, offsets="bytes")  # type: ignore[arg-type]
    tsv = tmp_path / "p.tsv"
    tsv.write_text("1\tDoubt\t4\t7\n")
    with pytest.raises(FormatError, match="offsets='utf-16': the texts must be given"):
        read_predictions(tsv, offsets="utf-16")
    pred = read_predictions(tsv, offsets="utf-16", records=[Record("1", text, ())])
    assert pred[0].spans == (Span(3, 6, "Doubt"),)


@pytest.mark.parametrize(
    ("content", "format", "line"),
    [
        ("1\tDoubt\t0\t3\n1\tDoubt\t0\n1\tDoubt\t4\t7\n", "propaganda", 2),
        ("T1\tx 0 3\tYou\nT2 x 4 7\nT3\tx 4 7\tlie\n", "brat", 2),
        ("You\tO\nlie\n.\tO\n", "conll", 2),
    ],
)
def test_a_bad_line_does_not_make_a_plain_text(tmp_path: Path, content: str, format: str, line: int) -> None:
    path = tmp_path / "a.ann"
    path.write_text(content)
    (tmp_path / "a.txt").write_text("You lie.")
    assert detect_format(path) == format
    with pytest.raises(FormatError, match=rf"a\.ann:{line}: "):
        read_predictions(path)


def test_what_holds_no_predictions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("You lie.")
    with pytest.raises(FormatError, match="must hold predictions, got a text without any"):
        read_predictions(tmp_path / "a.txt")
    with pytest.raises(FormatError, match="record 'a': must have predictions"):
        read_predictions(tmp_path / "a.txt", format="brat")
    (tmp_path / "m.jsonl").write_text('{"text": "You lie.", "labels": null, "comments": []}\n')
    with pytest.raises(FormatError, match=r"m\.jsonl:1: record '1': must have predictions"):
        read_predictions(tmp_path / "m.jsonl")


def test_a_first_line_longer_than_what_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = '{"text": "' + "x y " * 50_000 + '", "labels": [[0, 3, "a"]], "comments": []}\n'
    path = tmp_path / "m.jsonl"
    path.write_text(line + '{"text": "y", "labels": [], "comments": []}\n')
    assert read_corpus(path).format == "mafalda"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert [len(r.text) for r in read_corpus("-")] == [200_000, 1]
