"""The shipped JSON Schemas say what the reader takes."""

import pytest

from fallax.core.types import GoldSpan, Prediction, Record, Span, Unreadable
from fallax.data import FORMATS, json_schema
from fallax.data._jsonl import PREDICTION_FIELDS, RECORD_FIELDS
from fallax.errors import UnknownNameError


def test_schemas_name_the_fields_that_are_read_and_written() -> None:
    record = json_schema("record")
    full = Record("r", "text", (GoldSpan(0, 1, ("x",)),), "s", "t", {"k": 1}).to_dict()
    assert tuple(record["properties"]) == RECORD_FIELDS
    assert set(full) == set(RECORD_FIELDS)
    assert set(full["gold"][0]) == set(record["$defs"]["gold_span"]["properties"])
    prediction = json_schema("prediction")
    said = Prediction(
        "r",
        (Span(0, 1, "x", 0.5, 0.5, reported=True),),
        frozenset({"x"}),
        (Unreadable("why", "raw", "s1"),),
        1,
        "timeout",
        "published",
    ).to_dict()
    assert tuple(prediction["properties"]) == PREDICTION_FIELDS
    assert set(said) == {*PREDICTION_FIELDS} - {"text"}  # it is read, not written
    assert set(said["spans"][0]) == set(prediction["$defs"]["span"]["properties"])
    assert set(said["unreadable"][0]) == set(prediction["$defs"]["unreadable"]["properties"])


def test_unknown_schema() -> None:
    with pytest.raises(UnknownNameError, match="unknown schema 'gold'; known: prediction, record"):
        json_schema("gold")


def test_formats_know_their_names() -> None:
    assert all(name == form.name for name, form in FORMATS.items())
    assert {name for name, form in FORMATS.items() if form.write is None} == {"text"}
