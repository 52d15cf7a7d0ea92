"""The review file: what was written comes back, people's edits are read, every fault has its line."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fallax.core.types import ArgumentForm, Record
from fallax.data import append_forms, check_review, read_review, reviewed_records
from fallax.data.review import format_form
from fallax.errors import FormatError, InputError, UnknownNameError

DONE = ArgumentForm(
    "1", "Why is ice\nnever warm?", ("ice is cold",), "ice hates warmth", ("False Cause",), "ok", "fine"
)
texts = st.text(max_size=20)
forms = st.builds(
    ArgumentForm,
    st.text(min_size=1, max_size=8).filter(lambda x: x.strip() == x and x.isprintable()),
    texts,
    st.lists(texts, max_size=3).map(tuple),
    texts,
    st.lists(st.sampled_from(("False Cause", "Equivocation")), max_size=2, unique=True).map(tuple),
    st.sampled_from(("todo", "drop")),
    texts,
)


def write(path: Path, body: str) -> Path:
    path.write_text(f"# fallax review 1\n{body}", encoding="utf-8")
    return path


@given(st.lists(forms, max_size=4, unique_by=lambda f: f.id))
@settings(max_examples=30)
def test_what_is_written_comes_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, given_forms: list[ArgumentForm]
) -> None:
    path = tmp_path_factory.mktemp("review") / "r.txt"
    half = len(given_forms) // 2
    append_forms(path, given_forms[:half])
    append_forms(path, given_forms[half:])
    assert list(read_review(path)) == given_forms


def test_lone_surrogates_and_separators_survive(tmp_path: Path) -> None:
    form = ArgumentForm("x", "a\ud800b\u2028c\x85d\r\ne\x1b[0m", ("p\n1",), " q ", note="two\nlines")
    append_forms(tmp_path / "r.txt", [form])
    assert read_review(tmp_path / "r.txt") == (form,)
    assert "\x1b" not in (tmp_path / "r.txt").read_text(encoding="utf-8")


def test_edits_of_people_are_read(tmp_path: Path) -> None:
    body = (
        '\n== 1\npost: "Why?"\nstatus: ok\npremise:   ducks swim \npremise: water is wet.\nconclusion: "so: it is"\n'
        "labels: false_cause, FP,\n# mine\nnote: one\nNote: two\r\n\n"
    )
    (form,) = read_review(write(tmp_path / "r.txt", body))
    assert form.premises == ("ducks swim", "water is wet.")
    assert form.conclusion == "so: it is"
    assert form.labels == ("False Cause", "False Premise")
    assert form.note == "one\ntwo"
    assert form.sentence == "Since ducks swim and water is wet, therefore so: it is."


BLOCK = '\n== {id}\npost: "x"\nstatus: {status}\npremise: p\nconclusion: {q}\nlabels: {labels}\n'


def block(id: str = "1", status: str = "ok", q: str = "q", labels: str = "") -> str:
    return BLOCK.format(id=id, status=status, q=q, labels=labels)


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        (block(status="done"), 5, "unknown status 'done'; known: drop, ok, todo"),
        (block(labels="False Case"), 8, "unknown label 'False Case'; did you mean 'False Cause'?"),
        (block(q=""), 5, "a post that is ok must have a premise and a conclusion"),
        (block() + block(), 10, "each post must have one block, '1' has one in line 3"),
        (block() + "premises: q\n", 9, "unknown name 'premises'; did you mean 'premise'?"),
        (block() + "a remark\n", 9, "must be NAME: VALUE, got 'a remark'; put # before a remark of your own"),
        (block() + "status: todo\n", 9, "'status' must be given once in a block, it is in line 5 too"),
        (block() + 'note: "open\n', 9, "a text in quotation marks must be complete JSON"),
        ("premise: p\n", 2, "must be below the id of its post (== ID), got 'premise: p'"),
        (
            '\n==\npost: "x"\nstatus: todo\nconclusion:\nlabels:\n',
            3,
            "must have the id of its post behind ==, got none",
        ),
        ('\n== 1\npost: "x"\nconclusion:\nlabels:\n', 3, "the block of '1' must have 'status', it has none"),
    ],
)
def test_faults_have_their_line(body: str, line: int, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "r.txt", body)
    problems = check_review(path)
    assert [(p.line, p.message[: len(message)]) for p in problems] == [(line, message)]
    with pytest.raises(FormatError) as found:
        read_review(path)
    assert str(found.value).startswith(f"{path}:{line}: {message}")
    assert str(problems[0]).startswith(f"{path}:{line}: ")


def test_all_faults_are_listed_and_the_first_is_raised(tmp_path: Path) -> None:
    path = write(tmp_path / "r.txt", block(status="x") + block("2", labels="Nope, Never"))
    assert [p.line for p in check_review(path)] == [5, 15, 15]
    with pytest.raises(FormatError, match=r":5: .*\(and 2 more; fallax build check lists them\)"):
        read_review(path)


def test_other_files_are_no_review_files(tmp_path: Path) -> None:
    path = tmp_path / "r.txt"
    path.write_text("post: x\n")
    assert [p.line for p in check_review(path)] == [1]
    with pytest.raises(FormatError, match="must begin with '# fallax review 1', got 'post: x'"):
        read_review(path)
    with pytest.raises(InputError, match="got nothing there"):
        read_review(tmp_path / "none.txt")
    with pytest.raises(InputError, match="cannot be written"):
        append_forms(tmp_path / "no folder" / "r.txt", [DONE])


def test_nothing_may_be_lost_or_changed_on_the_way(tmp_path: Path) -> None:
    path = tmp_path / "r.txt"
    append_forms(path, [DONE, ArgumentForm("2", "It is."), ArgumentForm("9", "?")])
    path.write_text(path.read_text(encoding="utf-8").replace('post: "It is."', 'post: "It was."'), encoding="utf-8")
    posts = [Record("1", DONE.post), Record("2", "It is."), Record("3", "gone")]
    messages = [p.message for p in check_review(path, posts=posts)]
    assert [m.split(",")[0].split(";")[0] for m in messages] == [
        "must have a block for every post",
        "the post of '2' must stand as it was",
        "'9' is none of the posts",
    ]
    assert check_review(path) == ()


def test_records_are_those_that_are_ok(tmp_path: Path) -> None:
    unlabelled = ArgumentForm("2", "It is.", ("a", "b", "c"), "d", (), "ok")
    posts = reviewed_records([DONE, unlabelled, ArgumentForm("3", "?"), ArgumentForm("4", "!", status="drop")])
    assert [r.id for r in posts] == ["1", "2"]
    assert posts[0].gold is not None
    assert posts[0].text_of(posts[0].gold[0]) == DONE.post
    assert posts[0].meta["declarative"] == "Since ice is cold, therefore ice hates warmth."
    assert posts[1].gold is None
    assert posts[1].meta["formula"] == "(p1 ∧ p2 ∧ p3) → q"
    (first, _) = reviewed_records([DONE, unlabelled], text="declarative")
    assert (first.text, first.meta["post"]) == ("Since ice is cold, therefore ice hates warmth.", DONE.post)
    with pytest.raises(UnknownNameError, match="unknown text 'both'"):
        reviewed_records([], text="both")


def test_a_form_that_is_ok_is_complete() -> None:
    with pytest.raises(InputError, match="form '1': must have a premise and a conclusion to be ok"):
        ArgumentForm("1", "x", ("p",), " ", status="ok")
    assert ArgumentForm("1", "x").sentence == ArgumentForm("1", "x").formula == ""
    assert format_form(DONE).count("\n") == 7
    assert ArgumentForm("1", "x", ("p",), "q").to_dict()["sentence"] == "Since p, therefore q."
