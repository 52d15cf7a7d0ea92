"""Log-odds of yes against no."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fallax.core.types import FaithfulnessVerdict, Reply, TokenLogprob
from fallax.errors import FormatError, InputError, ModelError
from fallax.faithfulness.systems import (
    Calibration,
    LogOddsJudge,
    fit_calibration,
    load_calibration,
    load_method,
    read_calibration,
)
from fallax.faithfulness.systems.odds import log_odds
from fallax.models import ScriptedModel
from tests.unit.faithfulness.cast import DOCUMENT, SUMMARY


def token(**chances: float) -> TokenLogprob:
    top = {t.replace("_", " "): math.log(p) for t, p in chances.items()}
    first = max(top, key=lambda t: top[t])
    return TokenLogprob(first, top[first], top)


def judge(model: ScriptedModel, **options: object) -> FaithfulnessVerdict:
    return asyncio.run(LogOddsJudge(model, **options).judge(DOCUMENT, SUMMARY))  # type: ignore[arg-type]


def answering(**chances: float) -> ScriptedModel:
    return ScriptedModel(lambda _: Reply("Yes", logprobs=(token(**chances),)))


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([token(Yes=0.8, No=0.2)], math.log(4)),
        ([token(Yes=0.5, _yes=0.3, No=0.1, no=0.1)], math.log(4)),
        ([token(Yes=0.9, Maybe=0.1)], math.log(9)),
        ([token(Perhaps=0.9, Maybe=0.1)], None),
        ([TokenLogprob("\n", -0.1), token(No=0.9, Yes=0.1)], -math.log(9)),
        ([token(Perhaps=0.9), token(Yes=0.9, No=0.1)], None),
        (None, None),
    ],
)
def test_odds_are_those_of_the_first_word(tokens: list[TokenLogprob] | None, expected: float | None) -> None:
    assert log_odds(tokens) == (None if expected is None else pytest.approx(expected))


def test_a_judge_of_odds_asks_for_one_word_with_the_document_first() -> None:
    model = answering(Yes=0.8, No=0.2)
    verdict = judge(model)
    (request,) = model.requests
    assert (request.max_tokens, request.logprobs, request.temperature) == (1, 20, 0.0)
    assert request.messages[0].content.startswith("<doc>\n")
    assert verdict.label == "faithful"
    assert verdict.probability == pytest.approx(0.8)


def test_a_calibration_moves_the_border() -> None:
    verdict = judge(answering(Yes=0.8, No=0.2), calibration=Calibration(offset=-2.0))
    assert verdict.label == "unfaithful"
    assert "probability 0.35" in verdict.faults[0].reason


def test_an_answer_that_is_neither_is_unscored() -> None:
    verdict = judge(answering(Perhaps=1.0))
    assert (verdict.label, len(verdict.unreadable)) == (None, 1)


def test_a_model_without_log_probabilities_is_an_error() -> None:
    with pytest.raises(ModelError, match="no log-probabilities"):
        judge(ScriptedModel([{"reply": "Yes"}]))


@settings(max_examples=20)
@given(st.lists(st.tuples(st.floats(-9, 9), st.booleans()), min_size=2, max_size=30))
def test_a_fit_is_a_calibration_and_never_turns_the_order(rows: list[tuple[float, bool]]) -> None:
    labels = ["faithful" if yes else "unfaithful" for _, yes in rows]
    if len(set(labels)) < 2:
        with pytest.raises(InputError):
            fit_calibration([x for x, _ in rows], labels)  # type: ignore[arg-type]
        return
    found = fit_calibration([x for x, _ in rows], labels)  # type: ignore[arg-type]
    assert found.probability(-1.0) <= found.probability(1.0)
    assert all(0 <= found.probability(x) <= 1 for x in (-99.0, 0.0, 99.0))


def test_a_calibration_comes_from_a_file_or_with_the_package(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(Calibration(2.0, -1.0, "m", "x", 9).to_dict()))
    assert read_calibration(path) == Calibration(2.0, -1.0, "m", "x", 9)
    path.write_text("[]")
    with pytest.raises(FormatError, match="must be a calibration"):
        read_calibration(path)
    with pytest.raises(FormatError, match=r"missing\.cal: must be a readable file, got No such file"):
        read_calibration(tmp_path / "missing.cal")
    assert load_calibration("nobody/nothing") is None
    assert load_calibration("local/qwen2.5-coder-1.5b") is not None
    with pytest.raises(InputError, match="scale must be above 0"):
        Calibration(0.0)


def test_a_model_named_like_a_file_has_no_calibration() -> None:
    model = ScriptedModel(lambda _: Reply("Yes", logprobs=(token(Yes=0.8, No=0.2),)), name="scripted:odd.json")
    assert judge(model).label == "faithful"


def test_a_calibration_that_is_not_there_is_told_whatever_its_name() -> None:
    with pytest.raises(FormatError, match=r"missing\.cal"):
        load_method("log-odds", answering(Yes=0.8, No=0.2), calibration="missing.cal")


def test_it_is_a_method_by_name(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(Calibration(offset=-5.0).to_dict()))
    found = asyncio.run(
        load_method("log-odds", answering(Yes=0.8, No=0.2), calibration=str(path)).judge(DOCUMENT, SUMMARY)
    )
    assert (found.judge, found.label) == ("log-odds", "unfaithful")
