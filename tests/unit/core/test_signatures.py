"""The verbs have complete signatures; an option that nothing would read is refused."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import fallax as fx
from fallax.errors import InputError
from fallax.models import ScriptedModel
from tests.unit.faithfulness.cast import Cast, says

VERBS = ("detect", "debate", "verify", "generate")


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_names_every_option_and_has_those_of_its_twin(name: str) -> None:
    signature = inspect.signature(getattr(fx, name))
    assert not [p for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD]
    assert signature.parameters == inspect.signature(getattr(fx, f"a{name}")).parameters
    documented = inspect.getdoc(getattr(fx, name)) or ""
    assert [p for p in signature.parameters if p not in documented] == []


def test_type_checkers_know_the_options_of_a_verb() -> None:
    # mypy fails on this file if one of these comments is not needed
    with pytest.raises(InputError):
        fx.debate("A.", "A.", model=ScriptedModel([]), sessions="3")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        fx.debate("A.", "A.", session=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        fx.generate("FC", number=3)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fx.detect("A.", protocol="sentence"), "protocol: needs a model; leave it out"),
        (lambda: fx.debate("A.", "A.", sessions=3), "sessions: needs a model"),
        (lambda: fx.debate("A.", "A.", seed=0), "seed: needs a model"),
        (lambda: fx.debate("A.", "A.", ambiguity="taxonomy"), "ambiguity: needs a model"),
        (lambda: fx.debate("A.", "A.", model=ScriptedModel([]), local_judge="encoder"), "local_judge: must not come"),
        (lambda: fx.verify("A.", ["A."], reasoning=False), "reasoning: needs a model"),
        (lambda: fx.verify("A.", ["A."], n_evidence=8), "n_evidence: needs documents"),
        (lambda: fx.verify("A.", ["A."], model=ScriptedModel([]), embedder="minilm"), "embedder: needs documents"),
        (lambda: fx.generate("FC", batch=20), "batch: is read by smartypat and direct and prolog, not by the method"),
        (lambda: fx.generate("FC", judge=ScriptedModel([])), "judge: needs confirm"),
        (lambda: fx.generate("FC", method="direct", model=ScriptedModel([]), style="full"), "style: is read by templ"),
    ],
)
def test_an_option_that_nothing_would_read_is_refused(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_an_option_that_was_given_counts_though_it_is_the_default() -> None:
    cast = Cast(lambda *_: says(1))
    for sessions, n in ((None, 3), (1, 1), (2, 2)):
        verdict = fx.debate(
            "It rained.", "It rained.", model=cast, method="madisse-sessions", ambiguity=None, sessions=sessions
        )
        assert verdict.transcript is not None
        assert len(verdict.transcript.sessions) == n
    with pytest.raises(InputError, match="stances must be 'none', got 'uniform'"):
        fx.debate("A.", "A.", model=cast, method="madisse-no-stances", stances="uniform")
