"""The review file of claims: written, edited by people, read back with every fault at its line."""

from dataclasses import replace
from pathlib import Path

import pytest

from fallax.core.types import ArgumentStructure, CausalClaim, Evidence, Link, Statement
from fallax.data import append_claim_drafts, check_claim_review, decide_reviews, read_claim_review, read_pairs
from fallax.data.claim_review import ClaimReview
from fallax.errors import FormatError, InputError, UnknownNameError

NODES = (Statement("Sentence1", 'A "gull" took\nthe bread.'), Statement("Sentence2", "# No bread was left."))
CLAIM = "The gull left the picnic without bread."
DRAFT = CausalClaim(
    "p1-ref", CLAIM,
    (Evidence("Sentence1", NODES[0].text, True, True), Evidence("Sentence2", NODES[1].text, True, False)),
    "refutes",
    ArgumentStructure(
        Statement("Claim", CLAIM), NODES, (Link(("Sentence1",), ("Sentence2",)), Link(("Sentence2",), ("Claim",)))
    ),
    "A gull came.", "There was no bread.", "p1", "mine.csv", {"counterfactual": "Bread was there."},
)  # fmt: skip


@pytest.fixture
def review(tmp_path: Path) -> Path:
    path = tmp_path / "review.txt"
    append_claim_drafts(path, [DRAFT, replace(DRAFT, id="p1-sup", label="supports", meta={"checks": ["odd\nthing"]})])
    return path


def edit(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")


def test_what_is_written_comes_back(review: Path) -> None:
    first, second = read_claim_review(review)
    assert first == ClaimReview(DRAFT, "todo")
    assert second.claim == replace(DRAFT, id="p1-sup", label="supports", meta={})
    assert "# check: odd\\nthing" in review.read_text()


def test_more_drafts_are_put_behind_and_edits_stay(review: Path) -> None:
    edit(review, ("status: todo\n", "status: ok\n"))
    before = review.read_text()
    assert append_claim_drafts(review, [DRAFT, replace(DRAFT, id="p2-ref")]) == 1
    assert review.read_text().startswith(before)
    assert [r.status for r in read_claim_review(review)] == ["ok", "todo", "todo"]


def test_edits_are_read_back(review: Path) -> None:
    edit(
        review,
        ("status: todo\nreason:", "status: OK\nreason:".replace("OK", "ok")),
        ("evidence Sentence2: ", "evidence New: A crumb is no bread.\nevidence Sentence2: "),
        ("structure: Sentence1 -> Sentence2", "structure: (Sentence1, New) -> Sentence2\nnote: a crumb was missing"),
        ("status: todo\nreason:", "status: discard\nreason: not a cause"),
    )
    first, second = read_claim_review(review)
    assert [e.id for e in first.claim.evidence] == ["Sentence1", "New", "Sentence2"]
    assert first.claim.structure is not None
    assert [str(x) for x in first.claim.structure.links] == ["(Sentence1, New) -> Sentence2", "Sentence2 -> Claim"]
    assert [e.leaf for e in first.claim.evidence] == [True, True, False]
    assert first.note == "a crumb was missing"
    assert (second.status, second.reason) == ("discard", "not a cause")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("status: todo\n", "status: done\n", 16, "unknown status 'done'"),
        ("status: todo\n", "state: todo\n", 16, "unknown name 'state'; did you mean 'status'"),
        ("status: todo\n", "", 9, "must have 'status', it has none"),
        ("status: todo\n", "status: discard\n", 16, "that is discarded must have a reason"),
        ("label: refutes", "label: refuted", 10, "unknown label 'refuted'; did you mean 'refutes'"),
        ("claim: The", "claim: x\nclaim: The", 19, "'claim' must be given once in a block, it is in line 18 too"),
        ("evidence Sentence2", "evidence Sentence1", 20, "'Sentence1' is taken in line 19"),
        ("evidence Sentence2", "evidence Claim", 20, "'Claim' is the claim's"),
        ('evidence Sentence2: "# No bread was left."', "evidence Sentence2:", 20, "'Sentence2' must say something"),
        ("structure: Sentence1 -> Sentence2", "structure: Sentence1 ->", 21, "must be a chain such as (A, B) -> C"),
        ("structure: Sentence1 -> Sentence2", "structure: Sentence7 -> Sentence2", 21, "node 'Sentence7': must be"),
        ("structure: Sentence1 -> Sentence2", "structure: Sentence2 -> Sentence2", 21, "must be a chain"),
        ("cause: A gull came.", 'cause: "A gull', 13, "must be complete JSON"),
        ("cause: A gull came.", "A gull came.", 13, "must be NAME: VALUE"),
        ("== p1-sup", "== p1-ref", 24, "must have one block, 'p1-ref' has one in line 9"),
        ("== p1-ref", "==", 9, "must have the id of its claim behind =="),
        ("\n== p1-ref", "\nlost: x\n== p1-ref", 9, "must be below the id of its claim"),
    ],
)
def test_faults_are_named_with_their_line(review: Path, old: str, new: str, line: int, message: str) -> None:
    edit(review, (old, new))
    problems = check_claim_review(review)
    assert any(p.line == line and message in p.message for p in problems), [str(p) for p in problems]
    with pytest.raises(FormatError, match=r"review\.txt:\d+: "):
        read_claim_review(review)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("structure: Sentence2 -> Claim", "# gone", "must lead to the claim"),
        ("structure: Sentence1 -> Sentence2", "structure: Claim -> Sentence1", "must"),
        ("structure: Sentence1 -> Sentence2\n", "", "node 'Sentence1': must take part in a link"),
    ],
)
def test_what_is_ok_must_have_a_sound_structure(review: Path, old: str, new: str, message: str) -> None:
    edit(review, (old, new))
    assert not check_claim_review(review)  # still to do
    edit(review, ("status: todo\n", "status: ok\n"))
    assert any(message in p.message for p in check_claim_review(review))


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("# fallax review 1\n")
    for work in (check_claim_review, lambda p: append_claim_drafts(p, [DRAFT])):
        with pytest.raises(FormatError, match=r"x\.txt:1: must begin with '# fallax claim review 1'"):
            work(tmp_path / "x.txt")


def test_the_majority_decides_and_the_first_of_it_words() -> None:
    def said(status: str, text: str = "x y z") -> ClaimReview:
        return ClaimReview(replace(DRAFT, claim=text), status)  # type: ignore[arg-type]

    decided, undecided = decide_reviews({"a": [said("discard")], "b": [said("ok", "b")], "c": [said("ok", "c")]})
    assert ([r.claim.claim for r in decided], undecided) == (["b"], ())
    assert decide_reviews({"a": [said("todo")], "b": [said("todo")]}) == ((), ("p1-ref",))
    assert decide_reviews({"a": [said("todo")], "b": [said("ok", "b")]})[0][0].claim.claim == "b"


def test_pairs_come_from_tables(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("cause,effect,explanation\nIt rained.,It was wet.,Rain wets.\nB c d,e f g,\n")
    first, second = read_pairs(tmp_path / "p.csv")
    assert (first.id, first.cause, first.effect, first.meta) == (
        "row-1", "It rained.", "It was wet.", {"explanation": "Rain wets."},
    )  # fmt: skip
    assert (second.id, second.meta, second.source) == ("row-2", {}, "p.csv")
    (tmp_path / "p.jsonl").write_text('{"id": "a", "cause": "b", "effect": 3}\n')
    with pytest.raises(InputError, match="pair 'a': the effect must be a text, got 3"):
        read_pairs(tmp_path / "p.jsonl")
    (tmp_path / "q.csv").write_text("caus,effect\n1,2\n")
    with pytest.raises(UnknownNameError, match="unknown column 'cause'; did you mean 'caus'"):
        read_pairs(tmp_path / "q.csv")
