"""fx.debate: what it takes by name, and how it counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fallax as fx
from fallax.core.types import FaithfulnessVerdict
from fallax.errors import InputError
from fallax.models import ScriptedModel, load_model
from tests.unit.faithfulness.cast import DOCUMENT, SUMMARY, place, says


def test_adjudicators_are_taken_by_name_or_as_models(tmp_path: Path) -> None:
    rules = [{"match": "You are the adjudicator", "reply": says(0, "the court")}, {"reply": says(1)}]
    (tmp_path / "court.json").write_text(json.dumps(rules), encoding="utf-8")
    name = f"scripted:{tmp_path / 'court.json'}"
    agents = ScriptedModel(lambda request: says(place(request)[2] % 2))
    for court in (name, [name], load_model(name), [load_model(name)]):
        verdict = fx.debate(DOCUMENT, SUMMARY, model=agents, adjudicator_models=court, ambiguity=None)
        assert (verdict.label, verdict.faults[0].reason) == ("unfaithful", "the court")


def test_tokens_are_counted_as_on_the_command_line() -> None:
    model = ScriptedModel([{"reply": says(1)}])

    def asked(**options: Any) -> FaithfulnessVerdict:
        asking: dict[str, Any] = {"model": model, "method": "zero-shot", "ambiguity": None, "context_tokens": 4000}
        return fx.debate("橋について話した。" * 400, "橋の話。", **asking, **options)

    with pytest.raises(InputError, match="about 3,600 tokens"):
        asked()
    assert model.requests == []
    assert asked(count_tokens=lambda text: len(text) // 4).label == "faithful"


@pytest.mark.parametrize("document", [None, b"It rained.", Path("d.txt")])
def test_what_is_no_text_is_refused(document: Any) -> None:
    with pytest.raises(InputError, match="the document must be a text, got"):
        fx.debate(document, SUMMARY, system="lexical-overlap")


def test_abstaining_is_refused_where_a_model_judges() -> None:
    with pytest.raises(InputError, match="abstain: is not read where a model judges"):
        fx.debate("It rained.", SUMMARY, model=ScriptedModel([{"reply": says(1)}]), abstain=False)


def test_halves_of_surrogate_pairs_are_read_as_one_unknown_character() -> None:
    found = fx.debate("It rained \ud800 in May.", "It rained \udc00.")
    assert found.label is not None
    assert fx.detect("You are a fool \ud800, so you are wrong.").record.text[15] == "\ufffd"
