"""Debate values: they survive JSON, refuse the impossible, and say of themselves what they are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fallax.core.types import (
    Ambiguity,
    Debate,
    FaithfulnessRecord,
    FaithfulnessVerdict,
    Fault,
    Reading,
    Round,
    Session,
    Transcript,
    Turn,
    UnitVerdict,
    Unreadable,
    Usage,
    majority,
)
from fallax.errors import InputError, UnknownNameError

texts = st.text(max_size=8)
labels = st.sampled_from(["faithful", "unfaithful", None])
orders = st.lists(st.integers(1, 9), max_size=3).map(tuple)
usages = st.builds(Usage, st.integers(0, 9), st.integers(0, 9), calls=st.integers(0, 9))
several = st.lists(texts, max_size=2).map(tuple)
turns = st.builds(
    Turn, st.integers(1, 9), labels, texts, texts, texts, st.booleans(), st.integers(1, 2), several, several, orders,
    texts, usages,
)  # fmt: skip
some_turns = st.lists(turns, max_size=3).map(tuple)
rounds = st.builds(Round, some_turns, orders, st.booleans())
ends = st.sampled_from(["agreement", "adjudication", "majority", "undecided"])
sessions = st.builds(
    Session, st.lists(labels, max_size=3).map(tuple), st.lists(rounds, max_size=2).map(tuple), some_turns, labels, ends,
    texts,
)  # fmt: skip
votes = st.sampled_from(["debate", "agent"])
debates = st.builds(
    Debate, st.just(0), st.just(3), texts, st.lists(sessions, max_size=2).map(tuple), labels, votes, texts
)
transcripts = st.builds(
    Transcript, st.lists(debates, max_size=2).map(tuple), st.dictionaries(texts, st.integers(), max_size=2)
)
ambiguities = st.builds(
    Ambiguity, st.sampled_from([True, False, None]), texts, several,
    st.lists(st.builds(Reading, texts, labels), max_size=2).map(tuple), texts, texts, texts, usages,
)  # fmt: skip
units = st.builds(
    UnitVerdict, st.just(0), st.just(3), texts, labels, texts, st.none() | st.floats(0, 1),
    st.dictionaries(texts, st.integers(), max_size=2),
    st.lists(st.builds(Fault, st.integers(), st.integers(), texts, texts), max_size=2).map(tuple),
    st.none() | ambiguities, st.text(min_size=1, max_size=5),
)  # fmt: skip
verdicts = st.builds(
    FaithfulnessVerdict, texts, st.lists(units, min_size=1, max_size=2).map(tuple), st.none() | transcripts, usages,
    st.integers(0, 9), st.lists(st.builds(Unreadable, texts, texts, texts), max_size=2).map(tuple), several,
    st.dictionaries(texts, st.integers(), max_size=2),
)  # fmt: skip
records = st.builds(
    FaithfulnessRecord, st.text(min_size=1, max_size=5), texts, texts, labels, st.sampled_from([True, False, None]),
    several, texts, texts, st.dictionaries(texts, texts, max_size=2),
)  # fmt: skip


@settings(max_examples=15)
@given(verdicts)
def test_a_verdict_survives_json(verdict: FaithfulnessVerdict) -> None:
    assert FaithfulnessVerdict.from_dict(json.loads(json.dumps(verdict.to_dict()))) == verdict


@settings(max_examples=30)
@given(records)
def test_a_record_survives_json(record: FaithfulnessRecord) -> None:
    assert FaithfulnessRecord.from_dict(json.loads(json.dumps(record.to_dict()))) == record


@given(st.lists(labels, max_size=9))
def test_majority_is_more_than_half_of_those_who_vote(given_labels: list[str | None]) -> None:
    found = majority(given_labels)  # type: ignore[arg-type]
    counts = {x: given_labels.count(x) for x in ("faithful", "unfaithful")}
    best = max(counts.values())
    assert found == (None if min(counts.values()) == best else next(k for k, v in counts.items() if v == best))


AMBIGUOUS = Ambiguity(True, "taxonomy")


@pytest.mark.parametrize(
    ("given_units", "label", "faithfulness"),
    [
        ([("faithful", None)], "faithful", "faithful"),
        ([("faithful", None), ("unfaithful", None)], "unfaithful", "unfaithful"),
        ([("faithful", AMBIGUOUS), ("unfaithful", None)], "unfaithful", "unfaithful"),
        ([("faithful", AMBIGUOUS), ("faithful", None)], "ambiguous", "faithful"),
        ([("unfaithful", AMBIGUOUS), ("faithful", None)], "ambiguous", "unfaithful"),
        ([(None, None), ("unfaithful", None)], "unfaithful", "unfaithful"),
        ([(None, None), ("faithful", None)], None, None),
        ([(None, AMBIGUOUS), ("faithful", None)], "ambiguous", None),
    ],
)
def test_what_a_summary_is_follows_from_its_sentences(
    given_units: list[tuple[str | None, Ambiguity | None]], label: str | None, faithfulness: str | None
) -> None:
    verdict = FaithfulnessVerdict(
        "j",
        tuple(
            UnitVerdict(0, 1, "x", one, ambiguity=a, unscored="" if one else "why")  # type: ignore[arg-type]
            for one, a in given_units
        ),
    )
    assert (verdict.label, verdict.faithfulness) == (label, faithfulness)
    assert bool(verdict.unscored) == (faithfulness is None)


def test_values_refuse_the_impossible() -> None:
    with pytest.raises(InputError, match="must say why"):
        UnitVerdict(0, 1, "x", None)
    with pytest.raises(InputError, match=r"probability must be in \[0, 1\]"):
        UnitVerdict(0, 1, "x", "faithful", probability=1.5)
    with pytest.raises(UnknownNameError):
        UnitVerdict(0, 1, "x", "ambiguous")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="record 'r'"):
        FaithfulnessRecord("r", "d", "s", "yes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at least one unit"):
        FaithfulnessVerdict("j", ())


def test_a_round_agrees_only_if_all_do() -> None:
    assert Round((Turn(1, "faithful"), Turn(2, "faithful"))).agreement == "faithful"
    assert Round((Turn(1, "faithful"), Turn(2, "unfaithful"))).agreement is None
    assert Round((Turn(1, "faithful"), Turn(2, None))).agreement is None
    assert Round((Turn(1, None), Turn(2, None))).agreement is None
