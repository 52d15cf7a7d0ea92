"""fallax detect: what a person gets for a text, and what a bad text gets."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from fallax.cli import main
from fallax.core.types import Detection, Explanation, Prediction, Record, Span
from fallax.data import read_predictions
from fallax.detection.view import detection_text, detections_page

SLOPE = "If we let them close one street, next they will close two, and then the whole town will be shut for ever."


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = 0
    try:
        main([str(w) for w in words])
    except SystemExit as stop:
        code = int(stop.code or 0)
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A model that quotes one passage, then fills its slots."""
    path = tmp_path / "script.json"
    quote = json.dumps({"fallacies": [{"quote": SLOPE, "label": "slippery slope", "confidence": 0.5}]})
    slots = json.dumps({"first_step": "close one street", "steps": "not in the text", "outcome": "the whole town"})
    rules = [
        {"match": "These are its slots", "reply": slots},
        {"reply": quote},
    ]
    path.write_text(json.dumps(rules))
    return path


def test_json_is_a_detection_that_reads_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.txt"
    path.write_text(SLOPE)
    code, out, _ = run(capsys, "detect", path, "--json", "--min-confidence", "0.2")
    found = Detection.from_dict(json.loads(out))
    assert code == 0
    assert found.record.text == SLOPE
    assert found.spans
    assert found.text_of(found.spans[0]) == SLOPE
    assert found.to_dict() == json.loads(out)


def test_asked_model_quotes_and_fills_only_slots_that_stand_in_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], script: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(f"Good morning.\r\n{SLOPE} Good night.")
    words = ("--model", f"scripted:{script}", "--protocol", "whole-document", "--explain", "--json")
    code, out, err = run(capsys, "detect", path, *words)
    assert code == 0, err
    (span,) = json.loads(out)["prediction"]["spans"]
    assert span["text"] == SLOPE
    assert span["label"] == "slippery slope"
    assert span["explanation"]["slots"] == {"first_step": "close one street", "outcome": "the whole town"}
    assert "close one street leads to [" in span["explanation"]["template"]
    shown = " ".join(run(capsys, "detect", path, *words[:-1])[1].split())
    page = run(capsys, "detect", path, *words[:-1], "--format", "html")[1]
    for out in (shown, page):
        assert "first step: close one street; outcome: the whole town" in out


def test_words_that_move_little_are_left_out_for_people() -> None:
    prediction = Prediction("r", (Span(0, 8, "ad hominem", 0.9),))
    words = (("lie", 0.2), ("word", 0.016), ("you", 0.01), ("of", 0.004))
    found = Detection(Record("r", "You lie."), prediction, "demo", explanations=(Explanation("A.", evidence=words),))
    out = io.StringIO()
    Console(file=out, width=80).print(detection_text(found))
    for shown in (out.getvalue(), detections_page([found])):
        assert "“lie” (+0.20), “word” (+0.02)" in shown
        assert "“you”" not in shown


@pytest.mark.parametrize(("level", "label"), [(0, "fallacy"), (1, "logic"), (2, "slippery slope")])
def test_level_names_the_group(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], script: Path, level: int, label: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_text(SLOPE)
    words = ("--model", f"scripted:{script}", "--protocol", "whole-document", "--level", level, "--json")
    _, out, _ = run(capsys, "detect", path, *words)
    assert [s["label"] for s in json.loads(out)["prediction"]["spans"]] == [label]


def test_min_confidence_keeps_less(tmp_path: Path, capsys: pytest.CaptureFixture[str], script: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(SLOPE)
    words = ("--model", f"scripted:{script}", "--protocol", "whole-document", "--json", "--min-confidence")
    assert json.loads(run(capsys, "detect", path, *words, "0.4")[1])["prediction"]["spans"]
    assert not json.loads(run(capsys, "detect", path, *words, "0.6")[1])["prediction"]["spans"]


def test_every_output_names_the_passage(tmp_path: Path, capsys: pytest.CaptureFixture[str], script: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(SLOPE + " <script>alert(1)</script>")
    words = ("--model", f"scripted:{script}", "--protocol", "whole-document")
    for form in ("text", "table", "jsonl", "html"):
        code, out, _ = run(capsys, "detect", path, *words, "--output", form)
        assert code == 0
        assert "slippery slope" in out, form
        assert form != "html" or "<script>" not in out
    target = tmp_path / "out.jsonl"
    run(capsys, "detect", path, *words, "--format", "doccano", "--output", target)
    (read,) = read_predictions(target, format="doccano", records=None)
    assert [(s.start, s.end, s.label) for s in read.spans] == [(0, len(SLOPE), "slippery slope")]


BAD: list[tuple[str, bytes, str]] = [
    ("empty.txt", b"", "empty.txt: must hold text, got an empty file"),
    ("binary.txt", b"\x7fELF\x00\x01\xd0", "binary.txt:1: must be text, got a NUL byte at byte 4"),
    ("nul.txt", b"abc\x00def", "nul.txt:1: must be text, got a NUL byte"),
    ("invalid.txt", b"good\nbad \xff\xfe", "invalid.txt:2: must be UTF-8, got byte 0xff"),
    ("cut.jsonl", b'{"text": "Fine."}\n{"text": "Al', "cut.jsonl:2: the last line must be complete JSON"),
    ("twice.jsonl", b'{"id": 1, "text": "A."}\n{"id": 1, "text": "B."}\n', "twice.jsonl:2: each id must be given once"),
    ("field.jsonl", b'{"id": 1, "body": "A."}\n', "field.jsonl:1: each line must have the field 'text'"),
    ("long.jsonl", b'{"text": "Fine."}\n{"text": "' + b"x" * 17_000_000 + b'"}\n', "long.jsonl:2: a line must be at"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD, ids=[b[0] for b in BAD])
def test_bad_text_gets_one_line_and_the_others_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    good = [tmp_path / "a.txt", tmp_path / "z.txt"]
    for path in good:
        path.write_text("A kettle stands on the stove.")
    words: list[Any] = ["--field", "text"] if name.endswith("jsonl") else []
    code, out, err = run(capsys, "detect", good[0], tmp_path / name, good[1], "--format", "jsonl", *words)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
    done = [json.loads(line)["record"]["id"] for line in out.splitlines()]
    assert done[0] == str(good[0])
    assert done[-1] == str(good[1])


def test_files_of_other_kinds_in_a_folder_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.txt", "b.csv", "c.docx", "d.eml", "e.pdf", ".hidden.csv"):
        (tmp_path / name).write_text("A kettle stands on the stove.")
    _, _, err = run(capsys, "detect", tmp_path)
    assert err == (
        f"fallax: note: {tmp_path}: 4 files of other kinds left out: b.csv, c.docx, d.eml, ...; name files to read"
        " them\n"
    )
    (tmp_path / "b.csv").write_text("text\nA kettle.\n")
    assert "3 files of other kinds left out: c.docx" in run(capsys, "detect", tmp_path, "--field", "text")[2]


def test_what_holds_no_text_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_text('text\n" "\nA kettle stands on the stove.\n')
    code, out, _ = run(capsys, "detect", tmp_path / "a.csv")
    assert (code, out.count("there is no text, so nothing was examined"), out.count("Nothing found.")) == (0, 1, 1)
    (tmp_path / "blank.txt").write_text(" \n")
    (tmp_path / "empty.txt").write_text("")
    for name in ("blank.txt", "empty.txt"):
        code, out, err = run(capsys, "detect", tmp_path / name)
        assert (code, out) == (2, "")
        assert "must hold text, got" in err


def test_how_a_text_was_read_is_noted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"id": "a", "text": "You lie."}\n')))
    assert "looks like JSON Lines" in run(capsys, "detect", "-")[2]
    (tmp_path / "a.txt").write_bytes("Grüße".encode("utf-16"))
    assert "(--encoding utf-16)" in run(capsys, "detect", tmp_path / "a.txt")[2]
    assert "Grüße" in run(capsys, "detect", tmp_path / "a.txt", "--encoding", "utf-16")[1]
    assert "--encoding: must be one of text" in run(capsys, "detect", tmp_path / "a.txt", "--encoding", "x")[2]


@pytest.mark.parametrize(
    "text",
    [
        "One.\r\nHe lies, so he is wrong.\r\n",
        "Tous 👩‍👩‍👧 le savent: e\u0301te\u0301. Donc c'est vrai.",
        "כולם יודעים. You know that this is what they all say, so it is true.",
    ],
    ids=["crlf", "emoji", "rtl"],
)
def test_unusual_texts_keep_their_offsets(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode())
    code, out, err = run(capsys, "detect", path, "--json", "--min-confidence", "0.0001")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["record"]["text"] == text
    assert found["prediction"]["spans"]
    for span in found["prediction"]["spans"]:
        assert text[span["start"] : span["end"]] == span["text"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--taxonomy", "nope"), "unknown taxonomy 'nope'"),
        (("--level", "7"), "level must be 0 to 2, got 7"),
        (("--min-confidence", "1.5"), "--min-confidence must be in [0, 1], got 1.5"),
        (("--format", "pdf"), "unknown value of --format 'pdf'"),
        (("--system", "nope"), "unknown detector 'nope'"),
        (("--model", "nope"), "a model must be named"),
        (("-M", "seed=1"), "-M needs --model"),
    ],
)
def test_bad_option_gets_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("A text.")
    code, _, err = run(capsys, "detect", path, *words)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_a_model_that_fails_is_not_a_text_without_fallacies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"replies": [{"error": "authentication"}]}]))
    path = tmp_path / "a.txt"
    path.write_text("A text.")
    code, out, err = run(capsys, "detect", path, "--model", f"scripted:{script}", "--json")
    assert code == 1
    assert "not examined" in err
    assert json.loads(out)["prediction"]["unscored"]


def test_half_of_a_surrogate_pair_is_read_as_a_replacement_character(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": f"It rained \ud800 hard. {SLOPE}"}) + "\n", encoding="utf-8")
    code, out, _ = run(capsys, "detect", tmp_path / "a.jsonl", "--field", "text", "--json", "--min-confidence", "0.2")
    (found,) = (Detection.from_dict(v) for v in json.loads(out))
    assert code == 0
    assert found.record.text == f"It rained \ufffd hard. {SLOPE}"
    assert found.text_of(found.spans[0]).endswith(SLOPE)


def test_lines_of_a_file_are_told_apart_without_a_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"id": i, "text": SLOPE}) + "\n" for i in ("one", "two")))
    code, out, _ = run(capsys, "detect", path, "--system", "linear")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines() if "──" in line] == ["one", "two"]
    path.write_text(json.dumps({"id": "one", "text": SLOPE}) + "\n")
    assert [found["record"]["id"] for found in json.loads(run(capsys, "detect", path, "--json")[1])] == ["one"]
    assert len(json.loads(run(capsys, "detect", tmp_path, "--field", "text", "--json")[1])) == 1


def test_a_document_whose_reader_is_not_installed_ends_as_the_page_of_exit_codes_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "pypdf.py").write_text("raise ImportError(name='pypdf')")
    monkeypatch.syspath_prepend(str(tmp_path))
    code, _, err = run(capsys, "detect", tmp_path / "a.pdf")
    assert code == 1
    assert "pypdf is not installed" in err
