"""Data sets and files of documents with summaries."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fallax.corpora import FAITHFULNESS_SETS, data_root, load_faithfulness, read_faithfulness
from fallax.errors import FormatError, InputError, UnknownNameError
from fallax.types import FaithfulnessRecord


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
        ("x.jsonl", '{"doc": "d", "claim": "c", "label": "maybe"}\n', "x.jsonl:1: a label must be 1 or 0"),
        ("x.jsonl", '{"doc": "d", "claim": "c"}\n', "must hold 'label'"),
        ("x.jsonl", '{"document": "d", "summary": null}\n', "must hold 'summary'"),
        ("x.jsonl", '{"id": "1", "document": "d", "summary": "s"}\n' * 2, "ids must be unique"),
        ("x.parquet", "x", "save the table"),
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
