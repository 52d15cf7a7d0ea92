"""A detection reads its own JSON, and says in one line what is wrong with any other."""

import json
from typing import Any

import pytest

from fallax.core.types import Detection, Explanation, Prediction, Record, Span
from fallax.errors import FallaxError

FOUND = Detection(
    Record("r", "He lies. So it is."),
    Prediction("r", (Span(0, 8, "ad hominem", 0.9), Span(9, 18, "false causality"))),
    "demo@1",
    explanations=(Explanation("it attacks", slots={"A": "he"}, evidence=(("lies", 0.5),)), Explanation("a leap")),
    notes=("a note",),
)


def test_a_detection_reads_what_it_wrote() -> None:
    assert Detection.from_dict(json.loads(json.dumps(FOUND.to_dict()))) == FOUND


@pytest.mark.parametrize("value", [None, {}, [FOUND.to_dict()], json.dumps(FOUND.to_dict())], ids=repr)
def test_what_is_no_detection_is_named(value: Any) -> None:
    with pytest.raises(FallaxError, match=r"^Detection: "):
        Detection.from_dict(value)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("record",), None, "record: must be an object, got None"),
        (("level",), "fine", "level: must be a whole number, got 'fine'"),
        (("level",), True, "level: must be a whole number, got True"),
        (("taxonomy",), 3, "taxonomy: must be a text, got 3"),
        (("notes",), "one", "notes: must be a list of texts, got 'one'"),
        (("prediction", "spans"), None, "spans"),
        (("prediction", "spans", 0, "end"), 99, "0..99"),
        (("prediction", "spans", 0, "explanation"), 3, "Explanation: must have a definition"),
        (("prediction", "spans", 0, "explanation", "evidence"), [["lies", 0.5]], "Explanation: must have a definition"),
    ],
)
def test_a_wrong_value_in_a_detection_is_named(path: tuple[str | int, ...], value: Any, said: str) -> None:
    whole = json.loads(json.dumps(FOUND.to_dict()))
    place: Any = whole
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    with pytest.raises(FallaxError) as caught:
        Detection.from_dict(whole)
    assert said in str(caught.value)


def test_a_text_that_was_not_examined_is_not_shown_as_one_without_findings() -> None:
    silent = Detection(Record("r", "He lies."), Prediction("r", unscored="office: no answer\nwithin 5 s"), "demo")
    assert repr(silent) == r"<Detection of 'r': not examined, 8 characters: office: no answer\nwithin 5 s>"
    assert repr(Detection(silent.record, Prediction("r"), "demo")) == "<Detection of 'r': 0 spans in 8 characters>"


def test_one_explanation_of_two_is_refused() -> None:
    value = FOUND.to_dict()
    del value["prediction"]["spans"][1]["explanation"]  # the second span had the explanation of the first
    with pytest.raises(FallaxError, match="all spans or none must have an explanation, got 1 of 2"):
        Detection.from_dict(value)
