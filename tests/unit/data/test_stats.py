"""Counts worked out by hand, and the counts of the paper's dev half."""

import json

import pytest

from fallax.core.types import NO_FALLACY, GoldSpan, Label, Record, Taxonomy
from fallax.data import stats
from fallax.errors import UnknownNameError

TINY = Taxonomy(
    "tiny",
    (
        Label("ad hominem", ("fallacy", "credibility")),
        Label("tu quoque", ("fallacy", "credibility")),
        Label("straw man", ("fallacy", "logic")),
    ),
)
RECORDS = [
    Record("1", "x" * 10, (GoldSpan(0, 4, ("ad hominem", "tu quoque")), GoldSpan(4, 6, ("ad hominem",))), "letters"),
    Record("2", "one two", (GoldSpan(0, 3, ("straw man", NO_FALLACY)),), "letters"),
    Record("3", "fine", (), "talks"),
    Record("4", "sure", (GoldSpan(0, 4, (NO_FALLACY,)),), "talks"),
    Record("5", "not read"),
]


def test_counts_by_hand() -> None:
    s = stats(RECORDS, TINY)
    assert (s.n_texts, s.n_annotated, s.n_with_fallacy, s.n_annotations, s.n_spans) == (5, 4, 2, 6, 4)
    assert s.sources == {"letters": 2, "talks": 2, "": 1}
    assert s.spans_per_text == {0: 1, 1: 1, 2: 1, 3: 1}
    assert s.unique_spans_per_text == {0: 1, 1: 2, 2: 1}
    assert s.alternatives == {1: 2, 2: 2}
    assert s.together == {}
    assert s.levels == {
        "level 2": {"ad hominem": 2, "no fallacy": 2, "tu quoque": 1, "straw man": 1},
        "level 1": {"credibility": 3, "no fallacy": 2, "logic": 1},
        "level 0": {"fallacy": 4, "no fallacy": 2},
    }
    assert s.cooccurrence_rate("ad hominem", "tu quoque") == 0.5
    assert s.cooccurrence_rate("tu quoque", "ad hominem") == 1.0
    assert s.cooccurrence_rate("straw man", "ad hominem") == 0.0
    assert s.cooccurrence_rate("unheard of", "ad hominem") is None
    assert s.lengths["text"] == {"min": 4, "median": 7, "mean": 33 / 5, "max": 10}
    assert s.lengths["span"] == {"min": 2, "median": 3.5, "mean": 13 / 4, "max": 4}
    assert s.lengths["words"]["max"] == 2


def test_labels_that_all_hold_are_no_alternatives() -> None:
    s = stats([Record("1", "abc", (GoldSpan(0, 3, ("a", "b")),), meta={"same_span": "all"})])
    assert (s.alternatives, s.together) == ({}, {2: 1})
    assert s.levels == {"labels": {"a": 1, "b": 1}}


def test_empty_and_unknown() -> None:
    s = stats([])
    assert (s.n_texts, s.lengths) == (0, {})
    assert [t.title for t in s.tables()] == ["summary"]
    with pytest.raises(UnknownNameError, match=r"record '1', gold span 1: unknown label 'a'"):
        stats([Record("1", "abc", (GoldSpan(0, 3, ("a",)),))], TINY)


def test_order_does_not_matter_and_all_is_json() -> None:
    a, b = stats(RECORDS, TINY), stats(RECORDS[::-1], TINY)
    assert a.n_with_label == b.n_with_label
    assert a.lengths == b.lengths
    assert json.loads(json.dumps(a.to_dict()))["alternatives"] == {"1": 2, "2": 2}
    for table in a.tables():
        assert all(len(row) == len(table.columns) for row in table.rows)
    pairs = next(t for t in a.tables() if t.title == "labels on one span")
    assert ("tu quoque", "ad hominem", 1, 1.0) in pairs.rows
    assert [r[3] for r in pairs.rows] == [1.0, 1.0, 0.5, 0.5]
