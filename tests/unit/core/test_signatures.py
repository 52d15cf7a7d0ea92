"""The verbs have complete signatures; an option that nothing would read is refused."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import Any

import pytest

import fallax as fx
from fallax import api, many
from fallax.errors import FallaxError, InputError
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
        (lambda: fx.debate("A.", "A.", model=ScriptedModel([]), system="encoder"), "system: must not come"),
        (lambda: fx.verify("A.", ["A."], reasoning=False), "reasoning: needs a model"),
        (lambda: fx.verify("A.", ["A."], n_evidence=8), "n_evidence: needs documents"),
        (lambda: fx.verify("A.", ["A."], model=ScriptedModel([]), embedder="minilm"), "embedder: needs documents"),
        (lambda: fx.generate("FC", batch=20), "batch: is read by smartypat and direct and prolog, not by the method"),
        (lambda: fx.generate("FC", checker_model=ScriptedModel([])), "checker_model: needs confirm"),
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


@pytest.mark.parametrize(
    ("name", "given", "old", "new"),
    [
        ("detect", ("A.",), "detector", "system"),
        ("detect_many", (["A."],), "detector", "system"),
        ("detection_system", (), "detector", "system"),
        ("debate", ("A.", "A."), "local_judge", "system"),
        ("debate_many", ([("A.", "A.")],), "local_judge", "system"),
        ("verify", ("A.", ["A."]), "baseline", "system"),
        ("verify", ("A.", ["A."]), "verifier", "system"),
        ("verification_system", (), "baseline", "system"),
        ("verify_many", ([],), "baseline", "system"),
        ("generate", ("FC",), "judge", "checker_model"),
    ],
)
def test_an_old_keyword_is_read_with_a_warning(name: str, given: tuple[Any, ...], old: str, new: str) -> None:
    function = getattr(many if name.endswith("_many") else api, name)
    assert new in inspect.signature(function).parameters
    with pytest.warns(DeprecationWarning, match=f"^{old}: is called {new} now$"), suppress(FallaxError):
        function(*given, **{old: "linear"})
    with (
        pytest.warns(DeprecationWarning, match=old),
        pytest.raises(InputError, match=f"^{old}, {new}: are two names of one option; give the second$"),
    ):
        function(*given, **{old: "linear", new: "linear"})


def test_a_ready_system_is_given_where_its_name_is() -> None:
    text = "Everyone says so, so it is true."
    assert fx.detect(text, system=api.detection_system(system="linear")) == fx.detect(text, system="linear")
    claim, evidence = "Frost ruined the crop.", ["Frost ruined the crop."]
    ready = api.verification_system(system="lexical-overlap")
    assert fx.verify(claim, evidence, system=ready) == fx.verify(claim, evidence, system="lexical-overlap")
    with pytest.raises(InputError, match="classes: is not read where a ready verifier is given"):
        fx.verify(claim, evidence, system=ready, classes=2)
