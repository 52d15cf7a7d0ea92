"""Values of numpy, as a loop over a table gives them, are Python's own in spans."""

import json

import numpy as np
import pytest

from fallax.core.types import GoldSpan, Prediction, Record, Span
from fallax.errors import SpanError


def test_offsets_labels_and_confidences_of_numpy_are_read() -> None:
    span = Span(np.int64(0), np.int32(3), np.str_("doubt"), np.float32(0.5), np.float16(0.25))  # type: ignore[arg-type]
    assert span == Span(0, 3, "doubt", 0.5, 0.25)
    assert type(Span(0, 3, "doubt", 0.5, np.float32(0.25)).label_confidence) is float  # type: ignore[arg-type]
    gold = GoldSpan(np.int64(0), np.int64(3), (np.str_("doubt"),))  # type: ignore[arg-type]
    found = Prediction(np.str_("a"), (span,))
    for value in (span, found, Record("a", "No.", (gold,))):
        assert type(value).from_dict(json.loads(json.dumps(value.to_dict()))) == value
    assert (type(span.start), type(span.label), type(gold.end), type(gold.labels[0])) == (int, str, int, str)


def test_a_confidence_of_1_is_written_as_it_was_given() -> None:
    assert json.dumps(Span(0, 3, "doubt", 1).to_dict()["confidence"]) == "1"


@pytest.mark.parametrize("start", [np.float64(0), np.bool_(False), "0", None])
def test_what_is_no_whole_number_is_no_offset(start: object) -> None:
    with pytest.raises(SpanError, match="offsets must be integers"):
        Span(start, 3, "doubt")  # type: ignore[arg-type]
