"""fallax build: posts, forms, check, apply, benign, agree, diversity, end to end on files of our own."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from fallax.cli import main
from fallax.data import read_corpus, read_fallacies

POSTS = [
    {"id": "a", "title": "Why do ducks only swim where there is water?", "score": 40, "author": "x"},
    {"id": "b", "title": "If bread is square, why is the baker round?", "score": 30, "author": "y"},
    {"id": "c", "title": "Nice weather.", "score": 90, "author": "z"},
]


def lines(path: Path, rows: Sequence[Mapping[str, object]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def fallax(*args: object, code: int = 0) -> None:
    with pytest.raises(SystemExit) as done:
        main([str(a) for a in args])
    assert (done.value.code or 0) == code


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    found: dict[str, object] = json.loads(capsys.readouterr().err.splitlines()[-1])
    return found


@pytest.fixture
def posts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    out = tmp_path / "posts.jsonl"
    fallax(
        "build", "posts", lines(tmp_path / "raw.jsonl", POSTS), "--field", "title", "--keyword", "why", "--output", out
    )
    assert told(capsys) == {"n_read": 3, "n_chosen": 2, "left_out": {"no keyword": 1}}
    return out


def test_posts_forget_who_wrote_them(posts: Path) -> None:
    assert "author" not in posts.read_text()
    assert [r.id for r in read_corpus(posts)] == ["a", "b"]


def test_from_posts_to_records(posts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = lines(
        tmp_path / "script.jsonl",
        [
            {
                "match": "ducks",
                "reply": '{"premises": ["ducks swim only on water"], "conclusion": "ducks bring water"}',
            },
            {"reply": "I cannot."},
        ],
    )
    review, out = tmp_path / "review.txt", tmp_path / "bench.jsonl"
    fallax("build", "forms", posts, "--output", review, "--model", f"scripted:{script}")
    assert told(capsys) == {"n_here_already": 0, "n_written": 2, "n_empty": 1, "n_failed": 0}
    edited = review.read_text(encoding="utf-8").replace("\nstatus: todo", "\nstatus: ok", 1)
    review.write_text(edited.replace("\nlabels:", "\nlabels: wrong direction", 1), encoding="utf-8")
    fallax("build", "forms", posts, "--output", review)
    assert told(capsys) == {"n_here_already": 2, "n_written": 0, "n_empty": 0, "n_failed": 0}
    fallax("build", "check", review, "--posts", posts)
    assert capsys.readouterr().out == f"{review}: 1 ok, 1 todo\n"
    fallax("build", "apply", review, "--posts", posts, "--output", out, "--text", "declarative")
    assert told(capsys) == {"n_ok": 1, "n_todo": 1, "n_drop": 0, "n_without_labels": 0}
    (record,) = read_fallacies(out)
    assert record.text == "Since ducks swim only on water, therefore ducks bring water."
    assert record.gold is not None
    assert record.gold[0].labels == ("Wrong Direction",)


def test_a_failed_call_is_told_and_tried_again(posts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    review = tmp_path / "review.txt"
    failing = {"match": "ducks", "replies": [{"error": "endpoint", "message": "away", "retryable": False}]}
    script = lines(tmp_path / "script.jsonl", [failing, {"reply": '{"premises": ["p"], "conclusion": "q"}'}])
    fallax("build", "forms", posts, "--output", review, "--model", f"scripted:{script}", code=3)
    err = capsys.readouterr().err
    assert "post 'a': " in err
    assert json.loads(err.splitlines()[-1])["n_failed"] == 1
    fallax("build", "forms", posts, "--output", review)
    assert told(capsys)["n_here_already"] == 1
    assert review.read_text(encoding="utf-8").count("\n== ") == 2


def test_faults_are_listed_and_nothing_is_written(
    posts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    review, out = tmp_path / "review.txt", tmp_path / "bench.jsonl"
    fallax("build", "forms", posts, "--output", review)
    review.write_text(review.read_text(encoding="utf-8").replace("todo", "done"), encoding="utf-8")
    capsys.readouterr()
    fallax("build", "check", review, code=2)
    listed = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in listed] == [f"{review}:{n}" for n in (8, 15)]
    fallax("build", "check", review, "--json", code=2)
    assert [p["line"] for p in json.loads(capsys.readouterr().out)["problems"]] == [8, 15]
    fallax("build", "apply", review, "--output", out, code=2)
    assert "review.txt:8: unknown status 'done'" in capsys.readouterr().err
    assert not out.exists()


def test_benign_sentences_agreement_and_diversity(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentences = ["The river froze over night.", "A letter came in the morning.", "Nobody had seen the garden."]
    (tmp_path / "corpus.txt").write_text(" ".join(sentences), encoding="utf-8")
    rows = [{"id": str(i), "text": f"It is {i} so it is.", "labels": ["False Cause"]} for i in range(2)]
    like, out = lines(tmp_path / "like.jsonl", rows), tmp_path / "benign.jsonl"
    fallax("build", "benign", tmp_path / "corpus.txt", "--like", like, "--output", out, "--seed", 1)
    assert told(capsys)["n_chosen"] == 2
    assert all(r.gold == () for r in read_corpus(out))
    other = lines(tmp_path / "other.jsonl", [rows[0], {**rows[1], "labels": ["Equivocation"]}])
    fallax("build", "agree", like, other, "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["percent"]["value"] == 0.5
    assert set(found["by_label"]) == {"False Cause", "Equivocation"}
    fallax("build", "agree", like, other)
    assert "Fleiss' kappa: " in capsys.readouterr().out
    fallax("build", "diversity", like, out, "--json")
    found = json.loads(capsys.readouterr().out)
    assert found["within"]["like"] > found["within"]["benign"]
    fallax("build", "diversity", like, out, "--embedder", "fallax.metrics:hashed_ngrams")
    assert capsys.readouterr().out.startswith("within like (2): 0.")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("diversity", "{a}", "{a}"), "each set must have its own file name"),
        (("diversity", "{a}", "--embedder", "nowhere:f"), "--embedder: must be minilm or MODULE:FUNCTION"),
        (("diversity", "{a}", "--embedder", "json:nothing"), "--embedder: must be minilm or MODULE:FUNCTION"),
        (("diversity", "{a}", "--embedder", "json:__name__"), "--embedder: must be a function, got str"),
        (("agree", "{a}", "{a}"), "each annotator must have their own file"),
        (("agree", "{a}", "nowhere.txt"), "got nothing there"),
        (("agree", "{a}"), "at least two annotators"),
    ],
)
def test_bad_input_is_one_line(
    args: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = lines(tmp_path / "a.jsonl", [{"id": "1", "text": "One two three.", "labels": []}])
    fallax("build", *(x.format(a=a) for x in args), code=2)
    err = capsys.readouterr().err
    assert err.startswith("fallax: error: ")
    assert message in err
    assert err.count("\n") == 1
