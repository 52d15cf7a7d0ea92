"""Values to and from JSON."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from fallax.core.json_value import JsonValue
from fallax.core.types import CausalClaim, Detection, Score
from fallax.core.types.spans import Prediction, Span
from fallax.errors import InputError, SpanError


@dataclass(frozen=True, slots=True)
class Inner(JsonValue):
    text: str
    weight: float | None = None

    json_names = ("text", "weight?")


@dataclass(frozen=True, slots=True)
class Odd(JsonValue):
    """Its JSON is no image of its field."""

    number: int

    def to_dict(self) -> dict[str, Any]:
        return {"#": self.number}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "Odd":
        return cls(value["#"])


@dataclass(frozen=True, slots=True)
class Outer(JsonValue):
    name: str
    inner: tuple[Inner, ...] = ()
    odd: Odd | None = None
    names: frozenset[str] = frozenset()
    counts: Mapping[int, int] = field(default_factory=dict)
    path: Path = Path()
    kind: Literal["a", "b"] = "a"
    hidden: int = 0

    json_names = ("kind", "name", "n_inner", "inner", "odd?", "names", "counts?", "path")

    @property
    def n_inner(self) -> int:
        return len(self.inner)


VALUE = Outer("x", (Inner("one"), Inner("two", 0.5)), Odd(3), frozenset("ba"), {1: 2}, Path("here"), "b", 7)


def test_json_has_the_named_fields_in_their_order() -> None:
    assert json.dumps(VALUE.to_dict()) == (
        '{"kind": "b", "name": "x", "n_inner": 2, "inner": [{"text": "one"}, {"text": "two", "weight": 0.5}],'
        ' "odd": {"#": 3}, "names": ["a", "b"], "counts": {"1": 2}, "path": "here"}'
    )
    assert list(Outer("x").to_dict()) == ["kind", "name", "n_inner", "inner", "names", "path"]


def test_json_reads_back() -> None:
    again = Outer.from_dict(json.loads(json.dumps(VALUE.to_dict())))
    assert again == Outer("x", VALUE.inner, Odd(3), frozenset("ab"), {1: 2}, Path("here"), "b")
    assert type(again.inner[1]) is Inner
    assert Outer.from_json(json.dumps(VALUE.to_dict())) == again


@dataclass(frozen=True, slots=True)
class Renamed(JsonValue):
    mine: Inner
    pairs: Mapping[tuple[str, str], Any] = field(default_factory=dict)

    json_names = ("theirs=mine", "pairs?")
    json_pairs = (("pairs", "one other", "n"),)


def test_a_field_may_have_another_name_in_json_wherever_its_value_is() -> None:
    value = Renamed(Inner("x"))
    assert value.to_dict() == {"theirs": {"text": "x"}}
    assert Renamed.from_dict(value.to_dict()) == Renamed.from_json('{"theirs": {"text": "x"}}') == value
    with pytest.raises(InputError, match="Renamed: mine: is missing"):
        Renamed.from_dict({})


def test_pairs_are_written_as_a_list_of_objects() -> None:
    value = Renamed(Inner("x"), {("a", "b"): 2, ("b", "c"): Inner("spread")})
    assert value.to_dict()["pairs"] == [
        {"one": "a", "other": "b", "n": 2},
        {"one": "b", "other": "c", "text": "spread"},
    ]
    again = Renamed.from_dict(value.to_dict())
    assert again.pairs == {("a", "b"): 2, ("b", "c"): {"text": "spread"}}
    assert Renamed.from_json(json.dumps(value.to_dict())) == again


@pytest.mark.parametrize("pairs", [[{"one": "a"}], ["a"], [{"one": [], "other": "b", "n": 1}]])
def test_a_list_that_is_not_of_pairs_is_an_error(pairs: list[Any]) -> None:
    with pytest.raises(InputError, match="Renamed: pairs: must be a valid dictionary"):
        Renamed.from_dict({"theirs": {"text": "x"}, "pairs": pairs})


def test_half_of_a_surrogate_pair_is_read_from_json() -> None:
    assert Inner.from_json('{"text": "\\ud800"}') == Inner("\ud800")


def test_text_that_is_no_value_is_told_in_the_same_words() -> None:
    with pytest.raises(InputError, match="Inner: text: must be a valid string, got 3"):
        Inner.from_json('{"text": 3}')
    with pytest.raises(ValueError, match="Expecting"):
        Inner.from_json("{")


def test_an_empty_list_in_the_place_of_an_empty_tuple_is_left_out() -> None:
    assert Prediction("a", unreadable=[]).to_dict() == {"id": "a", "spans": []}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({}, "Outer: name: is missing"),
        ([], "Outer: must be an object, got []"),
        ({"name": 3}, "Outer: name: must be a valid string, got 3"),
        ({"name": "x", "kind": "c"}, "Outer: kind: must be 'a' or 'b', got 'c'"),
        ({"name": "x", "inner": [{"text": "y"}, {}]}, "Outer: inner.1.text: is missing"),
        ({"name": "x", "inner": ["y\x1b"]}, r"Outer: inner.0: must be an object, got 'y\x1b'"),
    ],
)
def test_what_does_not_fit_is_told_in_one_line(value: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Outer.from_dict(value)
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["{", b"\xff", "[" * 100_000, ""])
def test_what_is_no_json_is_told_as_what_does_not_fit(text: str | bytes) -> None:
    for kind in (Outer, Detection):  # which reads its fields itself
        with pytest.raises(InputError, match=rf"^{kind.__name__}: must be JSON: "):
            kind.from_json(text)


@pytest.mark.parametrize("value", [{}, None, 3, "x", {"metric": "m", "formula": "f", "sums": 3}])
def test_what_is_no_score_is_told_in_one_line(value: Any) -> None:
    with pytest.raises(InputError, match=r"^Score: must be as to_dict gives it, got "):
        Score.from_dict(value)


def test_what_a_value_says_of_itself_stays_its_error() -> None:
    with pytest.raises(SpanError, match="end must be greater than start"):
        Span.from_dict({"start": 5, "end": 5, "label": "x"})
    with pytest.raises(SpanError, match="end must be greater than start"):
        Prediction.from_dict({"id": "p", "spans": [{"start": 5, "end": 5, "label": "x"}]})


def test_pydantic_is_imported_only_to_read() -> None:
    code = (
        "import sys; from fallax.core.types.spans import Span; value = Span(0, 1, 'x').to_dict()\n"
        "assert 'pydantic' not in sys.modules; Span.from_dict(value); assert 'pydantic' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_evidence_of_a_claim_is_evidence() -> None:
    with pytest.raises(InputError, match=r"^claim 'c': evidence must be of Evidence, got 'It rained.'"):
        CausalClaim("c", "It was wet because it rained.", ("It rained.",))  # type: ignore[arg-type]
