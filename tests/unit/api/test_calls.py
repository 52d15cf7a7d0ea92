"""Wrong calls of the public functions: one clear line, whatever was given."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import fallax as fx
from fallax.core.registry import _Entry, registry
from fallax.detection.systems import load_detector
from fallax.errors import CallError, DetectorError, FallaxError, JudgeError, VerifierError
from fallax.metrics import parse_metric
from fallax.models import ScriptedModel

GOOD: dict[str, tuple[Any, ...]] = {
    "agree": ({"ann": {"1": "x"}, "bob": {"1": "x"}},),
    "connect": ("http://127.0.0.1:8577",),
    "debate": ("The ferry left at nine.", "A ferry left."),
    "debate_many": ([("The ferry left.", "The ferry left.")],),
    "detect": ("One. Two.",),
    "detect_many": (["One.", "Two."],),
    "generate": (),
    "score": (),
    "verify": ("The wet field delayed the match.", ["Rain left the field wet."]),
    "verify_many": ([("The frost ruined the crop.", ["Frost ruined it."])],),
}
WRONG = [3, 2.5, [3], b"x", object()]


def run(name: str, *args: Any, **options: Any) -> Any:
    found = getattr(fx, name)(*args, **options)
    return list(found) if isinstance(found, Iterator) else found


def test_every_verb_is_tried() -> None:
    functions = {n for n in fx.__all__ if inspect.isfunction(getattr(fx, n))}
    assert functions == set(GOOD) | {f"a{n}" for n in GOOD if f"a{n}" in functions}


@pytest.mark.parametrize("name", GOOD)
def test_a_wrong_keyword_names_the_function_and_its_keywords(name: str) -> None:
    first = next(iter(inspect.signature(getattr(fx, name)).parameters))
    with pytest.raises(
        CallError, match=rf"^{name}\(\): unknown keyword argument 'nonsense'; known: .*{first}"
    ) as caught:
        run(name, *GOOD[name], nonsense=1)
    assert isinstance(caught.value, TypeError)


def test_the_nearest_keyword_is_suggested_and_too_few_or_many_arguments_are_named() -> None:
    with pytest.raises(CallError, match="'mincofidence'; did you mean 'min_confidence'"):
        run("detect", "One.", mincofidence=0.5)
    with pytest.raises(CallError, match=r"^detect\(\): missing a required argument: 'text'"):
        run("detect")
    with pytest.raises(CallError, match=r"^verify\(\): too many positional arguments"):
        run("verify", "It rained.", ["Rain."], "entailment")


@pytest.mark.parametrize("name", sorted(GOOD.keys() - {"score"}))  # whose arguments all have names: test_score
@pytest.mark.parametrize("wrong", WRONG, ids=lambda x: type(x).__name__)
def test_no_value_leaks_an_error_of_python(name: str, wrong: Any) -> None:
    parameters = list(inspect.signature(getattr(fx, name)).parameters)
    for position in range(max(1, len(GOOD[name]))):
        with pytest.raises(FallaxError, match=f"{parameters[position].rstrip('s')}.* must be "):
            run(name, *GOOD[name][:position], wrong, *GOOD[name][position + 1 :])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fx.detect("One.", level="1"), "level: must be a whole number, got '1'"),  # type: ignore[arg-type]
        (lambda: fx.detect("One.", min_confidence="x"), "min_confidence: must be a number, got 'x'"),  # type: ignore[arg-type]
        (lambda: fx.detect("One.", system=3), "system: must be a text, a path, a detector .* or a ready system, got 3"),  # type: ignore[arg-type]
        (lambda: fx.detect("One.", model=3), r"model: must be a text or a chat model \(name, generate\), got 3"),  # type: ignore[arg-type]
        (lambda: fx.debate("One.", "One.", model=[3]), r"model: must be a text, a chat model \(.*\) or a list of"),  # type: ignore[list-item]
        (lambda: fx.verify(None, ["a"]), "claim: must be a text or a CausalClaim, got None"),  # type: ignore[arg-type]
        (lambda: fx.verify("It rained.", [3]), "evidence: each piece must be a text or an Evidence, got 3"),  # type: ignore[list-item]
        (lambda: fx.verify("It rained.", ["a"], classes=[]), "classes: must be a whole number"),  # type: ignore[arg-type]
        (lambda: fx.generate(3), "fallacy: must be a text or a list of texts, got 3"),  # type: ignore[arg-type]
        (lambda: fx.generate(facts=["a"], evaluator="joins"), "facts: must be a list of Facts"),  # type: ignore[list-item]
        (lambda: fx.detect(None), "^text must be a text or a Record, got None$"),  # type: ignore[arg-type]
        (lambda: fx.detect(["a"]), r"got \['a'\]; many texts go to detect_many$"),  # type: ignore[arg-type]
        (
            lambda: list(fx.detect_many(["a", None])),  # type: ignore[list-item]
            r"^texts: text 2 must be a text or a Record, got None; leave it out, as table\[NAME\].dropna\(\) does$",
        ),
        (lambda: list(fx.detect_many([float("nan")])), "text 1 must be a text or a Record, got nan; leave it out"),  # type: ignore[list-item]
        (lambda: list(fx.detect_many([3])), "text 1 must be a text or a Record, got 3$"),  # type: ignore[list-item]
        (lambda: parse_metric(None), "spec: must be a text, got None"),  # type: ignore[arg-type]
        (lambda: fx.Span(0, 3, "a", confidence="x"), r"span 0..3: confidence must be in \[0, 1\], got 'x'"),  # type: ignore[arg-type]
        (lambda: fx.GoldSpan(0, 3, None), "gold span 0..3: labels must be texts, got None"),  # type: ignore[arg-type]
        (lambda: fx.GoldSpan(0, 3, (1,)), r"gold span 0..3: labels must be texts, got \(1,\)"),  # type: ignore[arg-type]
        (lambda: fx.Record("r", None), "record 'r': the text must be a text, got None"),  # type: ignore[arg-type]
        (lambda: fx.Record("r", "a", gold=("a",)), "record 'r', span 1: must be a GoldSpan, got 'a'"),  # type: ignore[arg-type]
        (lambda: fx.Prediction("r", None), "record 'r', span 1: must be a Span, got None"),  # type: ignore[arg-type]
        (
            lambda: fx.score(pred=[fx.Detection(fx.Record("r", "a"), fx.Prediction("r"), "d")], gold=[]),  # type: ignore[list-item]
            r"pred: must be a file or predictions \(of a Detection its .prediction\), got <Detection",
        ),
        (lambda: fx.Prediction(3), "prediction: the id must be a text, got 3"),  # type: ignore[arg-type]
    ],
)
def test_what_was_found_is_said(call: Callable[[], object], message: str) -> None:
    with pytest.raises(FallaxError, match=message):
        call()


def test_texts_and_whole_numbers_of_other_classes_are_taken_as_those_of_python() -> None:
    class Name(str):
        __slots__ = ()

    claim, evidence = "Rain caused the flood.", ["Rain caused the flood."]
    expected = fx.verify(claim, evidence)
    assert fx.verify(np.str_(claim), [np.str_(evidence[0])]) == expected
    assert fx.verify(Name(claim), np.array(evidence)) == expected
    assert next(fx.verify_many([{"claim": Name(claim), "evidence": [Name(evidence[0])]}])) == expected
    made = fx.generate([Name("inverse error")], n=np.int64(2), seed=np.int64(7), evaluator="joins")  # type: ignore[arg-type]
    assert made.items == fx.generate("inverse error", n=2, seed=7, evaluator="joins").items


class Table:
    """As a data frame of pandas: it has columns, and a loop over it gives their names."""

    columns = ("text", "author")

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)


def test_an_empty_text_is_not_the_default_and_no_document_is_no_evidence() -> None:
    with pytest.raises(fx.InputError, match=r"^unknown taxonomy ''"):
        fx.detect("One.", taxonomy="")
    for call in (
        lambda: fx.detect("One.", model=ScriptedModel([]), protocol=""),
        lambda: fx.verify("It rained.", ["Rain."], model=ScriptedModel([]), protocol=""),
        lambda: fx.debate("One.", "One.", model=ScriptedModel([]), method=""),
        lambda: fx.generate(method="", evaluator="joins"),
    ):
        with pytest.raises(fx.InputError, match=r"^unknown .* ''"):
            call()
    with pytest.raises(fx.InputError, match=r"^documents: must be at least one, got none"):
        fx.verify("It was wet because it rained.", documents=[])


def test_a_table_is_not_read_as_the_names_of_its_columns() -> None:
    said = "got a table with the columns 'text', 'author'; give "
    calls: list[Callable[[Any], Any]] = [
        lambda table: list(fx.detect_many(table)),
        lambda table: list(fx.debate_many(table)),
        lambda table: list(fx.verify_many(table)),
        lambda table: fx.verify("Rain delayed the match.", table),
        lambda table: fx.agree(table),
    ]
    for call in calls:
        with pytest.raises(FallaxError, match=said):
            call(Table())


class Nameless:
    """Has what each kind of part must have, but for its name and the other texts."""

    threshold, calibrated = 0.5, False

    def detect(self, record: fx.Record, *, min_confidence: float | None = None) -> fx.Prediction:
        return fx.Prediction(record.id)

    def score(self, document: str, sentences: list[str]) -> list[float]:
        return [1.0] * len(sentences)

    async def generate(self, request: object) -> object:
        return request


class Numbered(Nameless):
    name, taxonomy = 3, "mafalda"


@pytest.mark.parametrize("part", [Nameless(), Numbered()], ids=["nameless", "numbered"])
def test_a_part_without_a_name_is_named_as_what_it_is(part: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(fx.InputError, match=r"^system: must be .* a detector \(name, taxonomy, detect\) or .*, got <"):
        fx.detect("One.", system=part)
    for ask in (lambda m: fx.detect("One.", model=m), lambda m: fx.debate("One.", "One.", model=m)):
        with pytest.raises(fx.InputError, match=r"^model: must be .* a chat model \(name, generate\).*, got <"):
            ask(part)
    for kind in ("detector", "judge", "provider", "verifier"):
        made = {f"{kind}-{type(part).__name__}": _Entry(lambda *_, **__: part, "", ())}
        monkeypatch.setattr(registry(kind), "_entries", {**registry(kind)._entries, **made})
    name = type(part).__name__
    with pytest.raises(DetectorError, match=f"^detector 'detector-{name}' must have a name and a taxonomy"):
        fx.detect("One.", system=f"detector-{name}")
    with pytest.raises(JudgeError, match=f"^judge 'judge-{name}' must have a name, which is a text"):
        fx.debate("One.", "One.", system=f"judge-{name}")
    with pytest.raises(VerifierError, match=f"^verifier 'verifier-{name}' must have a name, which is a text, and ver"):
        fx.verify("It rained.", ["Rain."], system=f"verifier-{name}")
    with pytest.raises(fx.InputError, match=f"^provider 'provider-{name}': must give a chat model with a name"):
        fx.detect("One.", model=f"provider-{name}/x")


def test_a_class_is_no_detector() -> None:
    with pytest.raises(fx.InputError, match=r"^system: must be .*, got <class "):
        fx.detect("One.", system=type(load_detector("linear")))  # type: ignore[arg-type]


class Absent:
    name, identity = "absent", {"name": "absent"}

    async def verify(self, claim: object) -> Any:
        if "storm" in str(claim):
            raise KeyError("weights")
        return "supports"


@pytest.mark.parametrize(
    ("what", "said"), [("storm", "failed: KeyError: 'weights'"), ("sun", "must give a Verification, got 'supports'")]
)
def test_a_verifier_that_fails_is_named(what: str, said: str) -> None:
    claim, evidence = f"It was wet because of the {what}.", [f"The {what} made it wet."]
    for call in (
        lambda: fx.verify(claim, evidence, system=Absent()),
        lambda: fx.verify(claim, system=Absent(), documents=[fx.Record("d", evidence[0])]),
        lambda: list(fx.verify_many([(claim, evidence)], system=Absent())),
    ):
        with pytest.raises(VerifierError, match=f"^verifier 'absent' {said}"):
            call()
