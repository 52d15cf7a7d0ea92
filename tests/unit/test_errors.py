"""Errors go through pickle and copy, as those of a function in a pool of processes do."""

import copy
import inspect
import pickle

import pytest

from fallax import errors
from fallax.errors import FallaxError

MADE = [
    errors.CallError("detect", "missing a required argument: 'text'"),
    errors.DetectorError("detector 'mine' failed", record="r"),
    errors.FormatError("must be JSON", path="a.json", line=3, column=2),
    errors.LogicError("must be a fact", line=2),
    errors.MetricError("mine", "on 3 records", KeyError("weights")),
    errors.MissingExtraError("mcp", extra="mcp"),
    errors.ModelError("no answer", provider="office", hint="wait", retryable=True),
    errors.RateLimitError("too many calls", provider="office", retry_after=2.0),
    errors.ReplyError("no label", raw="Well."),
    errors.UnknownNameError("taxonomy", "mafald", ["mafalda"], where="--taxonomy"),
]


def test_each_error_with_parameters_of_its_own_is_tried() -> None:
    with_own = {e for _, e in inspect.getmembers(errors, inspect.isclass) if "__init__" in vars(e)}
    assert with_own == {type(e) for e in MADE}


@pytest.mark.parametrize("error", MADE, ids=lambda e: type(e).__name__)
def test_an_error_comes_back_as_it_was(error: FallaxError) -> None:
    error.add_note("of the second text")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(again), str(again), again.args, vars(again)) == (
            type(error),
            str(error),
            error.args,
            vars(error),
        )
