"""Statements about texts that stay in their open sets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fallax.data.open_texts import digest_of
from fallax.entailment.training.corpus import part_of, prose_statements
from fallax.errors import FormatError

TEXT = "The dam was built in 1931. It holds no water today. Nobody has said why."


def _sets(tmp_path: Path, **changed: object) -> tuple[Path, Path]:
    root, marks = tmp_path / "sets", tmp_path / "marks"
    (root / "plain_gum").mkdir(parents=True)
    marks.mkdir()
    (root / "plain_gum" / "docs.jsonl").write_text(json.dumps({"id": "a", "text": TEXT, "doc": "d"}) + "\n")
    statements = [
        ["entailed", "negation", "The dam is empty now."],
        ["contradicted", "negation", "The dam is full now."],
    ]
    row = {"id": "a", "start": 0, "end": 51, "sha256": digest_of(TEXT[:51]), "statements": statements}
    (marks / "plain_gum.jsonl").write_text(json.dumps(row | changed) + "\n")
    return marks, root


def test_statements_are_read_beside_the_part_they_are_about(tmp_path: Path) -> None:
    (name, kind, first), (_, _, second) = prose_statements(*_sets(tmp_path))
    assert first.passage == second.passage == ("The dam was built in 1931.", "It holds no water today.")
    assert (first.label, second.label, kind) == ("entailed", "contradicted", "negation")
    assert part_of(name) in ("train", "calibration"), "none is kept for a benchmark"


def test_a_part_can_be_read_in_its_document(tmp_path: Path) -> None:
    marks, root = _sets(tmp_path)
    others = [
        {"id": "b", "text": "It leaks. It is ugly.", "doc": "d"},
        {"id": "c", "text": "A mill stood.", "doc": "e"},
    ]
    with (root / "plain_gum" / "docs.jsonl").open("a") as file:
        file.writelines(json.dumps(row) + "\n" for row in others)
    found = {around: next(iter(prose_statements(marks, root, around=around)))[2].passage for around in (10, 13, 99)}
    assert found[10] == ("The dam was built in 1931.", "It holds no water today."), "it has eleven words"
    assert found[13] == (*found[10], "Nobody has said why.")
    assert found[99] == (*found[13], "It leaks.", "It is ugly."), "and nothing of another document"


def test_sentences_of_summaries_are_told_apart(tmp_path: Path) -> None:
    found = [e.source for _, _, e in prose_statements(*_sets(tmp_path, summary_sentences=1))]
    assert found == ["corpus/summaries", "corpus/prose"]


def test_what_a_program_wrote_is_a_source_of_its_own(tmp_path: Path) -> None:
    statements = [["contradicted", "output", "The dam is full."], ["entailed", "corrected", "The dam is empty."]]
    found = [e.source for _, _, e in prose_statements(*_sets(tmp_path, model="small-1b", statements=statements))]
    assert found == ["corpus/outputs", "corpus/summaries"], "a correction was not written by the program"


def test_named_words_are_where_the_passage_does_not_support_a_statement(tmp_path: Path) -> None:
    statement = "Nobody says that the dam is full, or full of boats."
    marked = ["contradicted", "output", statement, ["Nobody", "full of boats"]]
    (found,) = prose_statements(*_sets(tmp_path, statements=[marked]))
    assert [statement[a:b] for a, b in found[2].wrong or ()] == ["Nobody", "full of boats"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"sha256": "0" * 12}, "another one"),
        ({"id": "b"}, "'b'"),
        ({"statements": [["true", "negation", "The dam is empty."]]}, "'true'"),
        ({"statements": [["entailed", "The dam is empty."]]}, "statements of label"),
        ({"statements": [["neutral", "output", "It leaks.", ["often"]]]}, "statements of label"),
    ],
)
def test_a_line_about_nothing_is_named(tmp_path: Path, changed: dict[str, object], said: str) -> None:
    with pytest.raises(FormatError, match=said) as caught:
        list(prose_statements(*_sets(tmp_path, **changed)))
    assert "plain_gum.jsonl:1: " in str(caught.value)
