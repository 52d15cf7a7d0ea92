"""Bad input: each fault gives one line that names file and line, what must hold, what was found and what to do."""
# ruff: noqa: E501 (a table of cases)

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fallax.core.types import Detection, Explanation, GoldSpan, Label, Prediction, Record, Span, Taxonomy
from fallax.data import detect_format, read_corpus, read_predictions, read_texts, write_corpus
from fallax.errors import FormatError, InputError, SpanError, UnknownNameError

TINY = Taxonomy("tiny", (Label("ad hominem", aliases=("personal attack",)), Label("straw man")))
GOOD = '{"id": "r1", "text": "You lie, friend.", "gold": []}\n'


def own(gold: object, text: str = "You lie, friend.") -> str:
    return json.dumps({"id": "r2", "text": text, "gold": gold})


def span(start: object, end: object, *labels: object) -> dict[str, object]:
    return {"start": start, "end": end, "labels": list(labels)}


#: (name, format, content, line, pattern after "path:line")
CASES = [
    ("truncated", "fallax", GOOD + '{"id": "r2", "text": "You l', 2, r"the last line must be complete JSON, got one that stops after 27.*cut short"),
    ("no json", "fallax", GOOD + "hello\n", 2, r"1: each line must be one JSON object, got 'hello'"),
    ("a list", "fallax", GOOD + "[1]\n", 2, r"each line must be one JSON object, got '\[1\]'"),
    ("no utf-8", "fallax", GOOD.encode() + b'{"id": "r\xff"}\n', 2, r"must be UTF-8, got byte 0xff at byte 62 of the file"),
    ("utf-16", "fallax", GOOD.encode("utf-16"), 1, r"must be UTF-8, got byte 0xff at byte 0 of the file; it looks like UTF-16"),
    ("utf-32", "fallax", GOOD.encode("utf-32"), 1, r"must be UTF-8, got byte 0xff at byte 0 of the file; it looks like UTF-32"),
    ("utf-32, no mark", "fallax", GOOD.encode("utf-32-le"), 1, r"must be UTF-8, got three zero bytes beside each character; it looks like UTF-32"),
    ("utf-16, no mark", "fallax", GOOD.encode("utf-16-le"), 1, r"must be UTF-8, got a zero byte beside each character; it looks like UTF-16"),
    ("key twice", "fallax", '{"id": "a", "id": "b", "text": ""}\n', 1, r"each key must be given once, got 'id' twice"),
    ("nan", "fallax", '{"id": "a", "text": "", "meta": {"x": NaN}}\n', 1, r"numbers must be finite, got NaN"),
    ("deep", "fallax", '{"id": "a", "text": "", "meta": ' + '{"x":' * 20000 + "1" + "}" * 20001 + "\n", 1, r"must not be nested this deep"),
    ("huge number", "fallax", '{"id": "a", "text": "", "meta": {"x": ' + "1" * 5000 + "}}\n", 1, r"must be JSON that fits here"),
    ("no id", "fallax", '{"text": "a"}\n', 1, r"a record must have an 'id', got 'text'"),
    ("no text", "fallax", '{"id": "a"}\n', 1, r"a record must have a 'text', got 'id'"),
    ("empty id", "fallax", '{"id": "", "text": "a"}\n', 1, r"the id must be a text of at least one character, got ''"),
    ("number id", "fallax", '{"id": 4, "text": "a"}\n', 1, r"the id must be a text of at least one character, got 4"),
    ("text is null", "fallax", '{"id": "a", "text": null}\n', 1, r"record 'a': the text must be a string, got None"),
    ("typo", "fallax", '{"id": "a", "text": "", "golds": []}\n', 1, r"may have id, text, gold, source, title, meta; got 'golds'; move it"),
    ("prediction", "fallax", '{"id": "a", "spans": []}\n', 1, r"must be a record, got a prediction"),
    ("id twice", "fallax", GOOD + GOOD, 2, r"each id must be given once, got 'r1' again \(first in line 1\); rename one"),
    ("gold no list", "fallax", own({"start": 1}), 1, r"'gold' must be a list of objects"),
    ("gold no labels", "fallax", own([{"start": 0, "end": 3}]), 1, r"'gold', item 1: must have 'labels'"),
    ("labels a text", "fallax", own([{"start": 0, "end": 3, "labels": "x"}]), 1, r"gold span 1: labels must be a list"),
    ("passage twice", "fallax", own([span(0, 3, "a"), span(0, 3, "b")]), 1, r"gold span 2: each passage must be given once .*0\.\.3 again"),
    ("label twice", "fallax", own([span(0, 3, "ad hominem", "ad hominem")]), 1, r"record 'r2', span 2: each label must be given once per passage"),
    ("past the end", "fallax", own([span(0, 99, "ad hominem")]), 1, r"record 'r2', span 1: must lie inside its text of 16 characters, got 0\.\.99; .*on_bad_span='report'"),
    ("negative", "fallax", own([span(-1, 3, "ad hominem")]), 1, r"start must be 0 or more, got -1\.\.3"),
    ("empty span", "fallax", own([span(3, 3, "ad hominem")]), 1, r"end must be greater than start, got 3\.\.3"),
    ("backwards", "fallax", own([span(5, 3, "ad hominem")]), 1, r"end must be greater than start, got 5\.\.3"),
    ("float offset", "fallax", own([span(0.0, 3, "ad hominem")]), 1, r"offsets must be integers, got 0\.0\.\.3"),
    ("bool offset", "fallax", own([span(False, 3, "ad hominem")]), 1, r"offsets must be integers, got False\.\.3"),
    ("text offset", "fallax", own([span("0", 3, "ad hominem")]), 1, r"offsets must be integers, got '0'\.\.3"),
    ("unknown label", "fallax", own([span(0, 3, "ad hominen")]), 1, r"record 'r2', span 1: unknown label 'ad hominen'; did you mean 'ad hominem'\? known: ad hominem, straw man"),
    ("no label", "fallax", own([span(0, 3, "")]), 1, r"must have a label, got ''"),
    ("escape in id", "fallax", '{"id": "a\\u001b[2J", "text": 1}\n', 1, r"record 'a\\x1b\[2J'"),
    ("mafalda: typo", "mafalda", '{"text": "abc", "lables": []}\n', 1, r"each line must have 'labels' \(null where a text is not annotated\), got 'text', 'lables'"),
    ("mafalda: shape", "mafalda", '{"text": "abc", "labels": [[0, 1]]}\n', 1, r"'labels', item 1: must be \[start, end, label\], got \[0, 1\]"),
    ("UTF-16 units", "mafalda", '{"text": "\U0001f600 abc", "labels": [[3, 6, "straw man"]]}\n', 1, r"inside its text of 5 characters, got 3\.\.6 \(in UTF-16 units, .* with offsets utf-16\)"),
    ("past UTF-16 units", "mafalda", '{"text": "\U0001f600 abc", "labels": [[3, 7, "straw man"]]}\n', 1, r"inside its text of 5 characters, got 3\.\.7; correct it"),
    ("mafalda: past the end", "mafalda", '{"text": "abc", "labels": [[0, 4, "straw man"]]}\n', 1, r"record '1', span 1: must lie inside its text of 3 characters, got 0\.\.4"),
    ("doccano: two lists", "doccano", '{"text": "abc", "label": [], "labels": []}\n', 1, r"must have one list of labels, got 'labels' and 'label'"),
    ("doccano: no text", "doccano", '{"label": []}\n', 1, r"each line must have a 'text', got 'label'"),
    ("label-studio: cut", "label-studio", '[{"data": {"text": "a"}},\n{"data": {"text": "b"', 2, r"each item must be one JSON object.*cut short"),
    ("label-studio: no end", "label-studio", '[{"data": {"text": "a"}}\n', 2, r"the list must end with '\]', got the end of the file"),
    ("label-studio: after", "label-studio", '[{"data": {"text": "a"}}]\nx', 2, r"nothing may follow the list, got 'x'"),
    ("label-studio: no comma", "label-studio", '[{"data": {"text": "a"}}\n{"data": {"text": "b"}}]', 2, r"items must be divided by a comma"),
    ("label-studio: no data", "label-studio", '[{"text": "a"}]', 1, r"task 1: each task must be an object with 'data', got 'text'"),
    ("label-studio: other units", "label-studio", '[{"data": {"id": "a", "text": "👍 You lie"}, "annotations": [{"result": [{"value": {"start": 3, "end": 6, "text": "You", "labels": ["straw man"]}}]}]}]', 1, r"record 'a', span 1: the text at 3\.\.6 must be what the annotation repeats, got 'ou ' instead of 'You'"),
    ("propaganda: columns", "propaganda-pred", "1\tDoubt\t0\t5\n1\tDoubt 0 5\n", 2, r"each line must be article id, technique, begin and end with tabs between, got 2 columns"),
    ("propaganda: number", "propaganda-pred", "1\tDoubt\t0\tx\n", 1, r"begin and end must be whole numbers, got 'x'"),
    ("propaganda: backwards", "propaganda-pred", "1\tDoubt\t0\t5\n1\tDoubt\t7\t7\n", 2, r"record '1', span 2: end must be greater than start, got 7\.\.7"),
    ("propaganda: twice", "propaganda-pred", "1\tDoubt\t0\t5\n1\tDoubt\t0\t5\n", 2, r"span 2: each label must be given once per passage"),
    ("conll: tag", "conll", "You\tO\nlie\tX-doubt\n", 2, r"a tag must be O, or B-, I-, E-, S- with a label, got 'X-doubt'"),
    ("conll: one column", "conll", "You\tO\nlie\n", 2, r"each line must be a token, a tab and a tag, got 'lie'"),
    ("conll: end of nothing", "conll", "You\tO\nlie\tE-doubt\n", 2, r"'E-doubt' must end a passage of its label, got none"),
    ("conll: other text", "conll", '# id = a\n# text = "You lie"\nYou\tO\nlied\tO\n', 4, r"tokens must be those of the text, in order, got 'lied' at character 3"),
    ("brat: discontinuous", "brat", "T1\tstraw_man 0 3;4 7\tYou lie\n", 1, r"T1: a passage must be in one piece, got '0 3;4 7'; make one passage for each piece"),
    ("brat: other text", "brat", "T1\tstraw_man 0 3\tlie\n", 1, r"the text at 0\.\.3 must be what the annotation repeats, got 'You' instead of 'lie'"),
    ("brat: id twice", "brat", "T1\tstraw_man 0 3\tYou\nT1\tstraw_man 4 7\tlie\n", 2, r"each id must be given once, got T1 again"),
    ("brat: no line of brat", "brat", "straw man 0 3\n", 1, r"each line must be brat stand-off"),
    ("predictions: record", "fallax-pred", GOOD, 1, r"must be a prediction, got a record"),
    ("predictions: confidence", "fallax-pred", '{"id": "a", "spans": [{"start": 0, "end": 1, "label": "straw man", "confidence": 2}]}\n', 1, r"confidence must be in \[0, 1\], got 2"),
    ("predictions: label", "fallax-pred", '{"id": "a", "spans": [], "labels": ["strawman"]}\n', 1, r".*unknown label 'strawman'"),
    ("predictions: span twice", "fallax-pred", '{"id": "a", "spans": [{"start": 0, "end": 1, "label": "straw man"}, {"start": 0, "end": 1, "label": "straw man"}]}\n', 1, r"span 2: each label must be given once per passage"),
]  # fmt: skip


@pytest.mark.parametrize(("format", "content", "line", "pattern"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_bad_input_names_file_and_line(
    tmp_path: Path, format: str, content: str | bytes, line: int, pattern: str
) -> None:
    path = tmp_path / ("a.ann" if format == "brat" else "a.data")
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "a.txt").write_text("You lie, friend.")
    name = format.removesuffix("-pred")
    taxonomy = None if name == "propaganda" else TINY
    read = read_predictions if name != format else read_corpus
    with pytest.raises(InputError) as caught:
        read(path, format=name, taxonomy=taxonomy)
    message = str(caught.value)
    assert re.match(rf"{re.escape(str(path))}:{line}:(\d+: )? ?(.*?){pattern}", message), message
    assert "\n" not in message
    assert "\x1b" not in message


REPORTED = {
    "past-end": '[[0, 4, "straw man"]]',
    "bad-offsets": '[[2, 2, "straw man"]]',
    "unknown-label": '[[0, 3, "straw mann"]]',
    "duplicate-span": '[[0, 3, "straw man"], [0, 3, "straw man"]]',
}


@pytest.mark.parametrize("kind", REPORTED)
def test_report_keeps_out_and_lists(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text('{"text": "ok", "labels": []}\n{"text": "abc", "labels": ' + REPORTED[kind] + "}\n")
    corpus = read_corpus(path, format="mafalda", taxonomy=TINY, on_bad_span="report")
    assert [(p.kind, p.line, p.record, p.kept) for p in corpus.problems] == [(kind, 2, "2", False)]
    assert str(corpus.problems[0]).startswith(f"{path}:2: record '2', span ")
    wanted = (GoldSpan(0, 3, ("straw man",)),) if kind == "duplicate-span" else ()
    assert corpus[1].gold == wanted


def test_on_bad_span_must_be_known(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(GOOD)
    with pytest.raises(UnknownNameError, match="unknown on_bad_span 'ignore'"):
        read_corpus(tmp_path / "a", on_bad_span="ignore")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "start", "end", "kinds"),
    [
        ("You lie, friend.", 0, 3, []),
        ("You lie, friend.", 0, 2, ["cut-word"]),
        ("You lie, friend.", 1, 7, ["cut-word"]),
        ("You lie, friend.", 3, 7, ["white-space"]),
        ("You lie, friend.", 0, 4, ["white-space"]),
        ("You lie, friend.", 4, 16, []),
        ("cafe\u0301 ole", 0, 4, ["cut-word"]),  # between a letter and its accent
        ("👍🏽 ok", 0, 1, ["cut-word"]),  # between a thumb and its colour
        ("👩‍👩‍👧 ok", 0, 3, ["cut-word"]),  # inside a joined family
        ("a\r\nb", 0, 2, ["white-space", "cut-word"]),  # inside CRLF
        ("漢字文", 1, 2, []),  # written without spaces
        ("שלום לך", 0, 4, []),
        ("שלום לך", 0, 3, ["cut-word"]),
    ],
)
def test_boundaries_are_reported_and_kept(tmp_path: Path, text: str, start: int, end: int, kinds: list[str]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(GOOD + own([span(start, end, "straw man")], text) + "\n", encoding="utf-8")
    corpus = read_corpus(path)
    assert corpus[1].gold == (GoldSpan(start, end, ("straw man",)),)
    assert [(p.kind, p.kept, p.line) for p in corpus.problems] == [(k, True, 2) for k in kinds]


def test_a_line_over_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    path.write_text(GOOD + '{"id": "r2", "text": "' + "x" * 50_000_000 + '"}\n')
    with pytest.raises(FormatError, match=rf"^{re.escape(str(path))}:2: a line must be at most 16777216 bytes"):
        read_corpus(path)
    assert len(read_corpus(path, max_line_bytes=60_000_000)[1].text) == 50_000_000


def test_labels_get_the_spelling_of_the_taxonomy(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "You lie.", "labels": [[0, 3, "Ad_Hominem"], [4, 7, "personal attack"]]}\n')
    gold = read_corpus(path, format="mafalda", taxonomy=TINY)[0].gold
    assert gold == (GoldSpan(0, 3, ("ad hominem",)), GoldSpan(4, 7, ("ad hominem",)))


def test_predictions_must_be_about_the_records(tmp_path: Path) -> None:
    records = [Record("a", "You lie.", ())]
    path = tmp_path / "p"
    path.write_text('{"id": "b", "spans": []}\n')
    with pytest.raises(UnknownNameError, match=rf"^{re.escape(str(path))}:1: unknown record 'b'"):
        read_predictions(path, records=records)
    path.write_text('{"id": "a", "spans": [{"start": 0, "end": 9, "label": "x"}]}\n')
    with pytest.raises(
        SpanError, match=r":1: record 'a', span 1: must lie inside its text of 8 characters, got 0\.\.9"
    ):
        read_predictions(path, records=records)
    path.write_text('{"id": "a", "text": "You lied.", "labels": [[0, 3, "x"]]}\n')
    with pytest.raises(
        FormatError, match=r":1: record 'a': the text must be the one that was annotated, .*character 7"
    ):
        read_predictions(path, format="mafalda", records=records)


def test_an_empty_submission_predicts_nothing_for_every_article(tmp_path: Path) -> None:
    path = tmp_path / "empty.tsv"
    path.write_text("")
    found = read_predictions(path, format="propaganda", records=[Record("1", "x", ()), Record("2", "y", ())])
    assert [(p.id, p.spans) for p in found] == [("1", ()), ("2", ())]
    with pytest.raises(FormatError, match="must hold records, got an empty file"):
        read_predictions(path)


def test_no_fallacy_in_a_prediction_predicts_nothing_and_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"text": "You lie.", "labels": [[0, 3, "nothing"]], "comments": []}\n')
    found = read_predictions(path)
    assert found[0].spans == ()
    assert [p.kind for p in found.problems] == ["no-fallacy"]


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (GOOD, "fallax"),
        ('{"id": "a", "spans": []}\n', "fallax"),
        ('{"text": "a", "labels": [], "comments": []}', "mafalda"),
        ('{"text": "a", "labels": []}\n{"text": "a", "labels": [[0, 1, "x"]]}', "mafalda"),
        ('{"id": 1, "text": "a", "label": [[0, 1, "x"]], "Comments": []}', "mafalda"),
        ('{"id": 1, "text": "a", "label": [[0, 1, "x"]]}', "doccano"),
        ('{"id": 1, "text": "a", "entities": []}', "doccano"),
        ('[\n {"id": 1, "data": {"text": "a"}, "annotations": []}]', "label-studio"),
        ('{"id": 1, "data": {"text": "a"}, "annotations": []}\n', "label-studio"),
        ("1\tDoubt\t0\t5\r\n1\tLoaded_Language\t2\t9\r\n", "propaganda"),
        ("1\t0\t5\n", "propaganda"),
        ("T1\tx 0 5\twords\n", "brat"),
        ("You\tO\nlie\tB-x\n\n", "conll"),
        ("# id = 1\nYou\tPRP\tO\n", "conll"),
        ("Just words.\n", "text"),
        ("T1\tis not an annotation\nas this shows", "text"),
    ],
)
def test_format_is_told_from_the_content(
    tmp_path: Path, content: str, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data.bin"
    path.write_bytes(content.encode())
    assert detect_format(path) == format
    stdin = io.TextIOWrapper(io.BytesIO(content.encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert detect_format("-") == format


def test_stdin_is_read_once_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((GOOD * 1).encode())))
    assert [r.id for r in read_corpus("-")] == ["r1"]
    long = "".join(json.dumps({"id": str(i), "text": "é" * 1000, "gold": []}) + "\n" for i in range(200))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(long.encode())))
    assert len(read_corpus("-")) == 200
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{broken")))
    with pytest.raises(FormatError, match=r"^<stdin>:1: the last line must be complete JSON"):
        read_corpus("-", format="fallax")


def test_unknown_names_and_places(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(GOOD)
    with pytest.raises(UnknownNameError, match=r"unknown format 'jsonl';.* known: brat, conll, doccano, fallax"):
        read_corpus(tmp_path / "a", format="jsonl")
    with pytest.raises(InputError, match="must be a file or folder, got nothing there"):
        read_corpus(tmp_path / "b")
    with pytest.raises(InputError, match="format 'fallax' must be one file, got a folder"):
        read_corpus(tmp_path, format="fallax")
    with pytest.raises(InputError, match="format 'text' can only be read"):
        write_corpus([], tmp_path / "o", format="text")
    with pytest.raises(InputError, match="its folder must exist"):
        write_corpus([], tmp_path / "no" / "o")
    with pytest.raises(InputError, match="got a folder; name a file in it"):
        write_corpus([], tmp_path)
    with pytest.raises(InputError, match="each id must be written once"):
        write_corpus([Record("a", ""), Record("a", "")], tmp_path / "o")
    with pytest.raises(FormatError, match="got none of them"):
        detect_format(tmp_path)
    (tmp_path / "pred.jsonl").write_text('{"text": "a", "prediction": {}}\n')
    with pytest.raises(FormatError, match="got recorded answers of a model"):
        detect_format(tmp_path / "pred.jsonl")


def test_propaganda_needs_its_articles(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text("12\tDoubt\t0\t3\n13\tDoubt\t0\t3\n")
    with pytest.raises(InputError, match="the articles' texts must be in a folder beside the labels"):
        read_corpus(tmp_path / "gold.tsv")
    (tmp_path / "articles").mkdir()
    (tmp_path / "articles" / "article12.txt").write_bytes(b"You\r\nlie.")
    with pytest.raises(FormatError, match=r"gold\.tsv:2: article '13' must have its text as article13\.txt"):
        read_corpus(tmp_path / "gold.tsv")
    (tmp_path / "articles" / "article13.txt").write_text("No.")
    (tmp_path / "articles" / "article14.txt").write_text("Fine.")
    corpus = read_corpus(tmp_path / "gold.tsv")
    assert {r.id: r.gold for r in corpus} == {
        "12": (GoldSpan(0, 3, ("Doubt",)),),
        "13": (GoldSpan(0, 3, ("Doubt",)),),
        "14": (),
    }
    assert corpus[0].text == "You\r\nlie."


def test_propaganda_folder_of_files_prefers_techniques_and_knows_unannotated(tmp_path: Path) -> None:
    for name, content in {
        "labels/article1.task1-SI.labels": "1\t0\t3\n",
        "labels/article1.task2-TC.labels": "1\tDoubt\t0\t3\n",
        "labels/article2.task1-SI.labels": "",
        "labels/article2.task2-TC.labels": "",
        "articles/article1.txt": "You lie.",
        "articles/article2.txt": "Fine.",
        "articles/article3.txt": "Unread.",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    corpus = read_corpus(tmp_path / "labels")
    assert [r.gold for r in corpus] == [(GoldSpan(0, 3, ("Doubt",)),), (), None]
    one = read_corpus(tmp_path / "labels" / "article1.task1-SI.labels", articles=tmp_path / "articles")
    assert one[0].gold == (GoldSpan(0, 3, ("propaganda",)),)


def test_texts_of_a_corpus_are_records_without_gold(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("You lie.")
    assert [r.gold for r in read_corpus(tmp_path)] == [None]
    assert [r.text for r in read_texts(tmp_path / "a.txt")] == ["You lie."]


def test_a_row_given_twice_in_mafalda_is_listed_and_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text('{"text": "abc", "labels": [[0, 3, "straw man"], [0, 3, "Straw_Man"]]}\n')
    corpus = read_corpus(path, format="mafalda", taxonomy=TINY)
    assert corpus[0].gold == (GoldSpan(0, 3, ("straw man",)),)
    assert [(p.kind, p.line, p.kept) for p in corpus.problems] == [("duplicate-span", 1, False)]
    assert "each label must be given once per passage, got 'straw man' at 0..3 again" in str(corpus.problems[0])


def test_confidence_of_gold_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text('{"text": "abc", "labels": [[0, 3, "straw man", 0.5]], "comments": []}\n')
    corpus = read_corpus(path)
    assert [(p.kind, p.kept) for p in corpus.problems] == [("unsupported", True)]
    assert read_predictions(path)[0].spans == (Span(0, 3, "straw man", 0.5),)


def test_a_named_pipe_is_read_once(tmp_path: Path) -> None:
    import os
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(GOOD))
    writer.start()
    try:
        assert [r.id for r in read_corpus(pipe)] == ["r1"]
    finally:
        writer.join(timeout=10)


def test_a_byte_order_mark_is_no_part_of_the_data(tmp_path: Path) -> None:
    path = tmp_path / "gold"
    for content in (GOOD, '[{"id": "r1", "data": {"text": "You lie, friend."}}]', "# id = r1\nYou\tO\nlie\tO\n"):
        path.write_text("\ufeff" + content, encoding="utf-8")
        assert [r.id for r in read_corpus(path)] == ["r1"]


def test_the_format_of_predictions_does_not_depend_on_their_order(tmp_path: Path) -> None:
    path = tmp_path / "pred.jsonl"
    lines = ['{"id": "a", "unscored": "endpoint failed"}', '{"id": "b", "labels": ["x"]}', '{"id": "c", "spans": []}']
    for shown in (lines, lines[::-1], lines[:1]):
        path.write_text("\n".join(shown) + "\n")
        assert detect_format(path) == "fallax"
        assert len(read_predictions(path)) == len(shown)


def test_what_looks_like_another_format_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pred"
    path.write_bytes(GOOD.encode("utf-16"))
    with pytest.raises(FormatError, match=r"pred:1: must be UTF-8, .* it looks like UTF-16"):
        read_predictions(path)
    path.write_text('[{"id": "a", "spans": []}]')
    with pytest.raises(FormatError, match="must have one record or prediction on each line, got a JSON list"):
        read_predictions(path)


def test_predicted_spans_that_cannot_be_used_are_named_with_their_labels(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    spans = [(0, 3, "ad hominem"), (0, 99, "Ad_Hominem"), (3, 1, "straw man"), (0.5, 3, "straw man"), (0, 3, "odd")]
    twice = [(0, 3, "ad hominem"), (0, 3, "no fallacy"), (0, 99, "no fallacy")]
    shown = [{"start": s, "end": e, "label": label} for s, e, label in spans + twice]
    path.write_text(json.dumps({"id": "r1", "spans": shown}) + "\n")
    found = read_predictions(path, records=[Record("r1", "You lie.")], taxonomy=TINY, on_bad_span="report")
    assert found.kept_out == {"r1": ["ad hominem", "straw man", "straw man", "odd"]}
    assert sum(not p.kept for p in found.problems) == 7
    assert found[0].spans == (Span(0, 3, "ad hominem"),)


def test_predictions_are_found_by_their_text(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": 4642, "text": "You lie.", "label": [[0, 3, "x"]], "Comments": []}\n')
    records = [Record("1", "Fine.", ()), Record("2", "You lie.", ())]
    assert [p.id for p in read_predictions(path, records=records, align="text")] == ["2"]
    with pytest.raises(InputError, match=r"p\.jsonl:1: the text of '4642' must be that of a record, got another"):
        read_predictions(path, records=records[:1], align="text")
    with pytest.raises(InputError, match=r"p\.jsonl:1: .* got '4642' with the text of '2'; .*align='text'"):
        read_predictions(path, records=records)
    with pytest.raises(InputError, match="align='text': the texts must be given"):
        read_predictions(path, align="text")
    own = tmp_path / "own.jsonl"
    own.write_text('{"id": "x", "text": "You lie.", "spans": [{"start": 0, "end": 3, "label": "x"}]}\n')
    assert [p.id for p in read_predictions(own, records=records, align="text")] == ["2"]
    own.write_text('{"id": "x", "spans": []}\n')
    with pytest.raises(
        InputError, match=r"own\.jsonl:1: the text of 'x' must .* got none; write it into the line as 'te"
    ):
        read_predictions(own, records=records, align="text")
    own.write_text("x\tDoubt\t0\t3\n")
    with pytest.raises(
        InputError, match=r"format propaganda has no texts; use fallax with 'text', mafalda, doccano or l"
    ):
        read_predictions(own, records=records, align="text")
    with pytest.raises(UnknownNameError, match="unknown align 'order'"):
        read_predictions(path, records=records, align="order")  # type: ignore[arg-type]


def test_records_of_one_text_cannot_be_told_apart_by_it(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "a", "text": "You lie.", "label": [[0, 3, "x"]]}\n')
    records = [Record("1", "You lie.", ()), Record("2", "You lie.", ()), Record("3", "Fine.", ())]
    with pytest.raises(
        InputError, match=r"p\.jsonl:1: the texts of records '1' and '2' are the same, so align='text' c"
    ):
        read_predictions(path, records=records, align="text")
    with pytest.raises(UnknownNameError, match="unknown record 'a'"):
        read_predictions(path, records=records)


@pytest.mark.parametrize(
    "line",
    [
        '"text": "You lie.", "spans": 3',
        '"text": 3, "spans": []',
        '"text": "You", "spans": []',
        '"spans": [{"start": 0, "end": 3, "label": "x", "label_confidence": 1.5}]',
        '"spans": [{"start": 0, "end": 3, "label": "x", "reported": 1}]',
    ],
)
def test_what_a_prediction_says_besides_its_labels_is_checked(tmp_path: Path, line: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(f'{{"id": "1", {line}}}\n')
    with pytest.raises(FormatError, match=r"p\.jsonl:1: .*must be"):
        read_predictions(path, records=[Record("1", "You lie.", ())])


def test_what_detect_wrote_is_read_as_predictions(tmp_path: Path) -> None:
    record = Record("r1", "You lie.", ())
    prediction = Prediction("r1", (Span(0, 3, "ad hominem", 0.9, 0.8, reported=True),))
    found = Detection(record, prediction, "demo", explanations=(Explanation("An attack."),), notes=("a note",))
    path = tmp_path / "found.jsonl"
    path.write_text(json.dumps(found.to_dict()) + "\n")
    assert list(read_predictions(path)) == list(read_predictions(path, records=[record])) == [prediction]
    (other,) = read_predictions(path, records=[replace(record, id="x")], align="text")
    assert other == replace(prediction, id="x")
    with pytest.raises(FormatError, match=r"found\.jsonl:1: must be a record, got what fallax detect wrote"):
        read_corpus(path)
