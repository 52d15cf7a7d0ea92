"""Data sets and files of documents with summaries."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types import FaithfulnessRecord
from fallax.data import FAITHFULNESS_SETS, data_root, load_faithfulness, read_faithfulness
from fallax.errors import FormatError, InputError, MissingExtraError, UnknownNameError


def needs(name: str) -> Path:
    for folder in FAITHFULNESS_SETS[name].folders:
        if (data_root() / folder).is_dir():
            return data_root() / folder
    pytest.skip(f"data set {name!r} is not in {data_root()}")


@pytest.mark.parametrize(
    ("name", "split", "counts"),
    [
        ("meetingbank", None, {"faithful": 189, "unfaithful": 45}),
        ("frank", None, {"unfaithful": 410, "faithful": 228}),
        ("summedits", "news", {"unfaithful": 498, "faithful": 321}),
        ("wice", None, {"unfaithful": 234, "faithful": 115}),
        ("fib", None, {"unfaithful": 3720, "faithful": 561}),
    ],
)
def test_data_sets_have_the_labels_that_they_should(name: str, split: str | None, counts: dict[str, int]) -> None:
    needs(name)
    records = load_faithfulness(name, split=split)
    assert Counter(r.label for r in records) == counts
    assert all(r.document.strip() and r.summary.strip() and r.group for r in records)


def test_meetingbank_has_ambiguity_and_joins_to_summaries() -> None:
    needs("meetingbank")
    sentences = load_faithfulness("meetingbank")
    assert Counter(r.ambiguous for r in sentences) == {False: 211, True: 23}
    kinds = Counter(t for r in sentences for t in r.ambiguity_types)
    assert (kinds["Deduction"], kinds["Semantic relations: Synonymy/Paraphrasing"], kinds.total()) == (6, 1, 24)
    summaries = load_faithfulness("meetingbank", level="summary")
    assert (len(summaries), Counter(r.label for r in summaries)) == (90, {"faithful": 62, "unfaithful": 28})
    first = [r for r in sentences if r.meta["summary_id"] == summaries[0].id]
    assert summaries[0].summary.startswith(min(first, key=lambda r: r.meta["sentence"]).summary.strip())


def test_names_and_levels_are_known(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        load_faithfulness("frankk")
    with pytest.raises(InputError, match="must be in"):
        load_faithfulness("frank", root=tmp_path)
    with pytest.raises(InputError, match="whole summaries"):
        load_faithfulness("frank", level="sentence")
    (tmp_path / "frank").mkdir()
    with pytest.raises(InputError, match=r"must hold summaries\.jsonl"):
        load_faithfulness("frank", root=tmp_path)
    with pytest.raises(UnknownNameError):
        load_faithfulness("frank", split="test", root=tmp_path)


Write = Callable[[str, object], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def made(name: str, value: object) -> Path:
        path = tmp_path / name
        if isinstance(value, str):
            path.write_text(value, encoding="utf-8")
        elif isinstance(value, list):
            path.write_text("".join(json.dumps(v) + "\n" for v in value), encoding="utf-8")
        else:
            path.write_text(json.dumps(value), encoding="utf-8")
        return path

    return made


def test_own_records_survive(write: Write) -> None:
    record = FaithfulnessRecord("r1", "It rained.", "Rain.", "faithful", True, ("Vagueness",), "d", "s", {"x": 1})
    assert read_faithfulness(write("own.jsonl", [record.to_dict()])) == (record,)


def test_llm_aggrefact(write: Write) -> None:
    rows = [
        {"dataset": "AggreFact-CNN", "doc": "It rained.", "claim": "Rain fell.", "label": 1},
        {"dataset": "RAGTruth", "doc": "It rained.", "claim": "Snow fell.", "label": 0},
    ]
    for path in (
        write("a.jsonl", rows),
        write(
            "a.csv",
            "dataset,doc,claim,label\nAggreFact-CNN,It rained.,Rain fell.,1\nRAGTruth,It rained.,Snow fell.,0\n",
        ),
    ):
        found = read_faithfulness(path)
        assert [(r.summary, r.label, r.source) for r in found] == [
            ("Rain fell.", "faithful", "AggreFact-CNN"),
            ("Snow fell.", "unfaithful", "RAGTruth"),
        ]


TOFU = (
    "doc_id,annotation_id,topic,model_name,sent_idx,summ_sent,sent_label\n"
    "d1,7,rain,m,1,It rained.,yes\nd1,7,rain,m,2,It snowed.,no\n"
)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("docs.jsonl", [{"doc_id": "d1", "utterances": ["Ann: It rained.", "Bob: Yes."]}]),
        ("docs.json", {"d1": "Ann: It rained.\nBob: Yes."}),
        ("d1.txt", "Ann: It rained.\nBob: Yes."),
    ],
)
def test_tofueval(write: Write, name: str, value: Any) -> None:
    documents = write(name, value)
    found = read_faithfulness(
        write("tofu.csv", TOFU), documents=documents.parent if name.endswith(".txt") else documents
    )
    assert [(r.document, r.summary, r.label) for r in found] == [
        ("Ann: It rained.\nBob: Yes.", "It rained.", "faithful"),
        ("Ann: It rained.\nBob: Yes.", "It snowed.", "unfaithful"),
    ]
    (joined,) = read_faithfulness(
        write("tofu.csv", TOFU), documents=documents.parent if name.endswith(".txt") else documents, level="summary"
    )
    assert (joined.summary, joined.label) == ("It rained. It snowed.", "unfaithful")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.jsonl", "", "at least one record"),
        ("x.jsonl", "[1]\n", "must be one JSON object"),
        ("x.jsonl", '{"a": 1}\n', "must hold 'document' and 'summary'"),
        ("x.jsonl", '{"doc": "d", "claim": "c", "label": "maybe"}\n', "x.jsonl:1: a label must be one of faithful, "),
        ("x.jsonl", '{"doc": "d", "claim": "c"}\n', "must hold 'label'"),
        ("x.jsonl", '{"document": "d", "summary": null}\n', "must hold 'summary'"),
        ("x.jsonl", '{"id": "1", "document": "d", "summary": "s"}\n' * 2, "ids must be unique"),
        ("x.csv", TOFU, "give the documents too"),
    ],
)
def test_files_that_are_not_what_they_should_be(write: Write, name: str, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_faithfulness(write(name, content))


def test_documents_that_are_missing(write: Write, tmp_path: Path) -> None:
    path = write("tofu.csv", TOFU)
    with pytest.raises(FormatError, match=r"tofu\.csv:2: document 'd1' must be among the documents given"):
        read_faithfulness(path, documents=write("docs.json", {"d2": "x"}))
    with pytest.raises(InputError, match="nothing there"):
        read_faithfulness(path, documents=tmp_path / "absent.json")
    with pytest.raises(InputError, match="must be a file"):
        read_faithfulness(tmp_path)


AGGREFACT = {"dataset": "RAGTruth", "doc": "It rained.", "claim": "Rain fell.", "label": 1}


def test_llm_aggrefact_as_it_is_published_is_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test.PARQUET").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pyarrow is not installed; .*fallax\[parquet\]"):
        read_faithfulness(tmp_path / "test.PARQUET")


def test_rows_of_parquet_are_records(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'fallax[parquet]'")
    from pyarrow import parquet

    path = tmp_path / "test.parquet"
    parquet.write_table(pyarrow.Table.from_pylist([AGGREFACT, {**AGGREFACT, "label": 0}]), path)
    assert [r.label for r in read_faithfulness(path)] == ["faithful", "unfaithful"]
    path.write_bytes(b"PAR1 and then nothing")
    with pytest.raises(FormatError, match="must be Parquet"):
        read_faithfulness(path)


def test_tables_and_lists_are_read_whatever_their_size_and_spelling(write: Write) -> None:
    long = "It rained. " * 20_000
    (one,) = read_faithfulness(write("long.csv", f"doc,claim,label\n{long},Rain.,1\n"))
    assert one.document == long
    for name in ("a.TSV", "a.tsv"):
        (one,) = read_faithfulness(write(name, "doc\tclaim\tlabel\nIt rained, hard.\tRain.\t1\n"))
        assert one.document == "It rained, hard."
    (one,) = read_faithfulness(write("a.json", json.dumps([AGGREFACT], indent=1)))
    assert one.id == "RAGTruth/2"
    found = read_faithfulness(write("a.json", json.dumps([AGGREFACT, AGGREFACT])))
    assert [r.id for r in found] == ["RAGTruth/1", "RAGTruth/2"]


OWN = {"id": "a", "document": "It rained.", "summary": "Rain.", "label": "faithful"}


def test_ids_may_be_numbers(write: Write) -> None:
    found = read_faithfulness(write("own.jsonl", [{**OWN, "id": 0}, {**OWN, "id": 1}, {**OWN, "id": ""}]))
    assert [r.id for r in found] == ["0", "1", "3"]


@pytest.mark.parametrize(
    ("value", "ambiguous"),
    [
        *((value, True) for value in (True, 1, 1.0, "1.0", "Yes", "true")),
        *((value, False) for value in (False, 0, "0.0", "No")),
        *((value, None) for value in (None, "", float("nan"))),
    ],
)
def test_yes_and_no_are_read_alike_everywhere(write: Write, value: Any, ambiguous: bool | None) -> None:
    (own,) = read_faithfulness(write("own.csv", f"document,summary,ambiguous\nd,s,{'' if value is None else value}\n"))
    row = f"d1,s,yes,{'' if value is None else value}\n"
    (tofu,) = read_faithfulness(
        write("tofu.csv", "doc_id,summ_sent,sent_label,ambiguity\n" + row), documents=write("docs.json", {"d1": "d"})
    )
    assert own.ambiguous is tofu.ambiguous is ambiguous


def test_kinds_of_ambiguity_are_names_alone_or_in_a_list(write: Write) -> None:
    for given in ("vagueness", ["Vagueness"], ["Vagueness", "vagueness"]):
        (found,) = read_faithfulness(write("own.jsonl", [{**OWN, "ambiguity_types": given}]))
        assert found.ambiguity_types == ("Vagueness",)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**OWN, "id": 1.5}, "'id' must be a text or a whole number, got 1.5"),
        ({**OWN, "id": True}, "'id' must be a text or a whole number, got True"),
        (
            {**OWN, "label": "unfaithfull"},
            "a label must be one of faithful, consistent, supported, 1, 1.0, yes, true, or one of unfaithful,"
            " inconsistent, not_supported, unsupported, 0, 0.0, no, false; got 'unfaithfull'",
        ),
        ({**OWN, "ambiguous": "maybe"}, "'ambiguous' must be 1 or 0, yes or no, got 'maybe'"),
        ({**OWN, "ambiguity_types": "wet"}, "unknown label 'wet'"),
        ({**OWN, "ambiguity_types": [1]}, r"'ambiguity_types' must be a list of names, got \[1\]"),
        ({**OWN, "meta": "x"}, "'meta' must be an object, got 'x'"),
        ({**OWN, "document": 5}, "'document' must be a text, got 5"),
        ({**AGGREFACT, "doc": 123}, "'doc' must be a text, got 123"),
        ({**AGGREFACT, "claim": ["a"]}, r"'claim' must be a text, got \['a'\]"),
        ({"doc_id": "d1", "summ_sent": "s", "sent_label": "yes", "sent_idx": "abc"}, "'sent_idx' must be a whole"),
        ({"doc_id": "d1", "summ_sent": "s", "sent_label": "yes", "ambiguity": "?"}, "'ambiguity' must be 1 or 0"),
    ],
)
def test_fields_that_are_not_what_they_should_be(write: Write, row: dict[str, Any], message: str) -> None:
    documents = write("docs.json", {"d1": "d"})
    with pytest.raises(FormatError, match=r"x\.jsonl:1: .*" + message):
        read_faithfulness(write("x.jsonl", [row]), documents=documents)


def test_halves_of_surrogate_pairs_become_replacement_characters(write: Write) -> None:
    (own,) = read_faithfulness(write("own.jsonl", [{**OWN, "document": "a \ud800", "summary": "\udfff"}]))
    assert (own.document, own.summary) == ("a \ufffd", "\ufffd")
    (tofu,) = read_faithfulness(
        write("tofu.csv", "doc_id,summ_sent,sent_label\nd1,s,yes\n"), documents=write("docs.json", {"d1": "a \ud800"})
    )
    assert tofu.document == "a \ufffd"


def test_a_level_is_known_in_files_too(write: Write) -> None:
    with pytest.raises(UnknownNameError, match="unknown level 'sumary'; did you mean 'summary'"):
        read_faithfulness(write("own.jsonl", [OWN]), level="sumary")  # type: ignore[arg-type]


def test_records_with_one_id_are_refused_before_sentences_are_joined(write: Write) -> None:
    with pytest.raises(InputError, match="ids must be unique"):
        read_faithfulness(write("own.jsonl", [OWN, OWN]), level="summary")


RAIN = "Ann: It rained.\nBob: Yes."


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("docs.jsonl", [{"meeting_id": "d1", "source": RAIN}]),
        ("docs.jsonl", [{"summary": "x", "uid": "d1", "id": 0, "transcript": RAIN}]),
        ("docs.csv", f'uid,transcript\nd1,"{RAIN}"\n'),
        ("docs.json", '[{"id": "d1", "utt": ["It rained.", "Yes."], "speaker": ["Ann", "Bob"]}, {"id": 2}]'),
        ("docs.json", '[{"id": "d1", "utt": ["Ann: It rained.", "Bob: Yes."]}]'),
        ("docs.json", '{"d1": {"text": "Ann: It rained.\\nBob: Yes."}, "d2": null}'),
    ],
)  # fmt: skip
def test_documents_of_tofueval_as_they_are_published(write: Write, name: str, value: Any) -> None:
    found = read_faithfulness(write("tofu.csv", TOFU), documents=write(name, value))
    assert {r.document for r in found} == {RAIN}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("docs.json", "[1, 2]", "each item must be one JSON object, got 1"),
        ("docs.json", '{"d1": 5}', "a document must be a text or a list of texts, got 5"),
        ("docs.json", '{"d1"', "docs.json:1"),
        ("docs.jsonl", [{"doc_id": "d1", "text": [5]}], "a document must be a text or a list of texts"),
        ("docs.jsonl", [{"doc_id": "d1"}], "must hold 'document' or 'transcript'"),
        ("docs.jsonl", [{"name": "d1", "text": "x"}], "must hold 'doc_id' or 'meeting_id'"),
        ("docs.jsonl", [{"doc_id": "d1", "text": "x"}, {"doc_id": "d1", "text": "y"}], "docs.jsonl:2: .*one text"),
    ],
)
def test_documents_that_are_not_what_they_should_be(write: Write, name: str, value: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_faithfulness(write("tofu.csv", TOFU), documents=write(name, value))
