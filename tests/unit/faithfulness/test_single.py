"""Zero-shot, chain of thought and self-consistency; detectors of ambiguity; local judges; the registry."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types import (
    Ambiguity,
    FaithfulnessVerdict,
    Fault,
    Judge,
    Reply,
    SentenceScorer,
    UnitVerdict,
    Usage,
)
from fallax.errors import InputError, JudgeError, UnknownNameError
from fallax.faithfulness.protocols.guidelines import Guidelines
from fallax.faithfulness.systems import (
    METHODS,
    DebateJudge,
    DebateSettings,
    EmbeddingSimilarity,
    Finding,
    LexicalOverlap,
    PromptJudge,
    ScoringJudge,
    Unit,
    VariationDetector,
    judge_of,
    load_ambiguity_detector,
    load_local_judge,
    load_method,
)
from fallax.faithfulness.systems.documents import Bags, words_of
from fallax.models import ScriptedModel
from tests.unit.faithfulness.cast import DOCUMENT, SUMMARY, Cast, says


def judge(the_judge: Judge, summary: str = SUMMARY) -> FaithfulnessVerdict:
    return asyncio.run(the_judge.judge(DOCUMENT, summary))


def samples(*labels: object) -> ScriptedModel:
    return ScriptedModel([{"replies": [says(str(x), f"reason {i}") for i, x in enumerate(labels)], "by": "epoch"}])


# ------------------------------------------------------------------------------------------------------------ prompts


def test_zero_shot_asks_once_and_coldly() -> None:
    model = samples(0)
    verdict = judge(PromptJudge(model))
    (request,) = model.requests
    assert (request.temperature, request.seed, verdict.judge) == (0.0, None, "zero-shot")
    assert "<thinking>" not in request.messages[0].content
    assert (verdict.label, verdict.faults[0].reason) == ("unfaithful", "reason 0")


def test_chain_of_thought_asks_for_thinking() -> None:
    model = samples(1)
    assert judge(PromptJudge(model, think=True)).judge == "chain-of-thought"
    assert "between <thinking> and </thinking>" in model.requests[0].messages[0].content


def test_self_consistency_may_think_as_debaters_do() -> None:
    for think in (False, True):
        model = samples(1, 1, 0)
        assert judge(load_method("self-consistency", model, n=3, think=think)).judge == "self-consistency"
        asked = {"between <thinking> and </thinking>" in r.messages[0].content for r in model.requests}
        assert asked == {think}
    with pytest.raises(InputError, match="think must be true or false, got 'maybe'"):
        load_method("self-consistency", samples(1), think="maybe")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="think: is not read by the method zero-shot"):
        judge_of(samples(1), method="zero-shot", think=True)


def test_self_consistency_asks_n_times_and_the_majority_decides() -> None:
    model = samples(1, 0, 0, 1, 0)
    verdict = judge(PromptJudge(model, n=5))
    assert [r.epoch for r in model.requests] == [0, 1, 2, 3, 4]
    assert len({r.seed for r in model.requests}) == 5
    assert {r.temperature for r in model.requests} == {0.7}
    found = verdict.units[0]
    assert (verdict.label, dict(found.votes), found.probability) == (
        "unfaithful",
        {"faithful": 2, "unfaithful": 3},
        0.4,
    )


def test_more_samples_repeat_the_first_ones() -> None:
    few, many = samples(1, 1, 1), samples(*[1] * 9)
    judge(PromptJudge(few, n=3))
    judge(PromptJudge(many, n=9))
    assert many.requests[:3] == few.requests


def test_self_consistency_may_spend_as_many_tokens_as_a_debate() -> None:
    def answer(request: Any) -> Reply:
        return Reply(says(1), usage=Usage(prompt_tokens=90, completion_tokens=10, calls=1))

    for tokens, n in ((1000, 10), (149, 1), (151, 2), (10, 1)):
        verdict = judge(PromptJudge(ScriptedModel(answer), tokens=tokens))
        assert (verdict.usage.calls, verdict.judge) == (n, "self-consistency")
    with pytest.raises(InputError, match="tokens must be"):
        PromptJudge(samples(1), tokens=0)


@pytest.mark.parametrize("detector", [None, "variation", "taxonomy"])
@pytest.mark.parametrize("level", ["summary", "sentence"])
def test_the_tokens_are_those_of_the_whole_summary(level: Any, detector: str | None) -> None:
    model = ScriptedModel(lambda _: Reply(says(1), usage=Usage(prompt_tokens=90, completion_tokens=10, calls=1)))
    found = load_ambiguity_detector(detector, model=model)
    verdict = judge(PromptJudge(model, tokens=2000, level=level, detector=found), "The council met. The mayor spoke.")
    assert verdict.usage.calls == 20


def test_unreadable_samples_do_not_vote_and_are_counted() -> None:
    verdict = judge(PromptJudge(samples("x", 1, "y"), n=3))
    assert (verdict.label, verdict.n_replies, len(verdict.unreadable)) == ("faithful", 3, 2)


def test_a_tie_is_no_answer() -> None:
    verdict = judge(PromptJudge(samples(0, 1), n=2))
    assert (verdict.label, verdict.unscored) == (None, "as many samples on one side as on the other")


def test_an_unreadable_reply_is_no_answer_with_its_reason() -> None:
    verdict = judge(PromptJudge(ScriptedModel([{"reply": "I cannot judge this."}])))
    assert (verdict.label, verdict.unscored) == (None, "a refusal")
    assert verdict.unreadable[0].raw == "I cannot judge this."


def test_one_unfaithful_sentence_makes_the_summary_unfaithful() -> None:
    def answer(request: Any) -> str:
        return says(
            int("The mayor" not in request.messages[0].content.split("<summary>\n")[1].split("\n</summary>")[0])
        )

    verdict = judge(PromptJudge(ScriptedModel(answer)), "The council met. The mayor spoke.")
    assert [j.label for j in verdict.units] == ["faithful", "unfaithful"]
    assert (verdict.label, [f.text for f in verdict.faults]) == ("unfaithful", ["The mayor spoke."])


# ---------------------------------------------------------------------------------------------------------- ambiguity


@pytest.mark.parametrize(
    ("votes", "expected"),
    [((21, 20), True), ((24, 17), True), ((25, 16), False), ((0, 41), False), ((0, 0), None)],
)
def test_variation_of_votes(votes: tuple[int, int], expected: bool | None) -> None:
    finding = Finding("faithful", votes={"faithful": votes[0], "unfaithful": votes[1]})
    found = asyncio.run(VariationDetector().detect(DOCUMENT, Unit(0, 1, "x"), finding))
    assert found.is_ambiguous is expected


def test_variation_with_self_consistency() -> None:
    verdict = judge(PromptJudge(samples(0, 1, 0, 1, 0), n=5, detector=VariationDetector(0.3)))
    assert (verdict.label, verdict.faithfulness) == ("ambiguous", "unfaithful")


@pytest.mark.parametrize(("sessions", "said"), [(1, "2 of 4"), (3, "6 of 12")])
def test_variation_with_a_debate_is_that_of_its_agents_at_the_end(sessions: int, said: str) -> None:
    even, _ = debate_with("variation", lambda _s, r, agent: says(0 if r == 0 else agent % 2), sessions=sessions)
    assert even.ambiguity == Ambiguity(True, "variation", explanation=f"{said} votes say faithful")
    three, _ = debate_with("variation", lambda _s, r, agent: says(0 if r == 0 else int(agent < 4)), sessions=sessions)
    assert three.ambiguity is not None
    assert three.ambiguity.is_ambiguous is False


def test_variation_cannot_tell_from_one_vote() -> None:
    found = judge(PromptJudge(samples("x", 1), n=2, detector=VariationDetector())).ambiguity
    assert found == Ambiguity(None, "variation", unreadable="there were no two readable votes")


def debate_with(detector: str, answer: Any, **settings: Any) -> tuple[FaithfulnessVerdict, Cast]:
    cast = Cast(answer)
    made = DebateSettings.of(**settings)
    found = load_ambiguity_detector(detector, model=cast, guidelines=made.guidelines)
    return judge(DebateJudge(cast, made, detector=found)), cast


def loyal(cast_stances: dict[int, int]) -> Any:
    return lambda _s, a_round, agent: says(0 if a_round == 0 else cast_stances[agent])


def stances_of(**settings: Any) -> dict[int, int]:
    verdict = judge(DebateJudge(Cast(lambda *_: says(1)), DebateSettings.of(**settings)))
    assert verdict.transcript is not None
    return {i: int(s == "faithful") for i, s in enumerate(verdict.transcript.sessions[0].stances, start=1)}


def test_disagreement_is_nobody_leaving_its_stance() -> None:
    stances = stances_of(seed=3)
    kept, _ = debate_with("disagreement", loyal(stances), seed=3)
    assert kept.ambiguity == Ambiguity(True, "disagreement", explanation="in 1 of 1 sessions no agent left its stance")
    moved, _ = debate_with("disagreement", loyal({**stances, 1: 1 - stances[1]}), seed=3)
    assert moved.ambiguity is not None
    assert moved.ambiguity.is_ambiguous is False


def test_disagreement_does_not_take_silence_for_loyalty() -> None:
    stances = stances_of(seed=3)

    def answer(_session: int, a_round: int, agent: int) -> str:
        return "?" if (a_round, agent) == (2, 4) else says(0 if a_round == 0 else stances[agent])

    verdict, _ = debate_with("disagreement", answer, seed=3)
    assert verdict.ambiguity is not None
    assert verdict.ambiguity.is_ambiguous is False


def test_disagreement_cannot_tell_without_both_stances() -> None:
    verdict, _ = debate_with("disagreement", lambda *_: says(1), stances="none")
    assert verdict.ambiguity is not None
    assert verdict.ambiguity.is_ambiguous is None


AMBIGUOUS = (
    "<label>1</label><type>Vagueness</type><reading>consistent: most approved</reading>"
    "<reading>inconsistent: all approved</reading><explanation>Who approved?</explanation>"
)


def test_arguments_are_given_with_guidelines_and_taxonomy_and_kind_and_readings_come_back() -> None:
    def answer(_session: int, a_round: int, agent: int) -> str:
        return says(agent % 2, f"voice {agent} of {a_round}") if a_round or agent <= 3 else AMBIGUOUS

    verdict, cast = debate_with("arguments", answer)
    prompt = cast.requests[-1].messages[0].content
    for expected in (
        "<arguments>\nRound 1\n",
        "voice 3 of 3",
        "13. If any single part",
        "16. Other evaluability issue",
    ):
        assert expected in prompt
    found = verdict.ambiguity
    assert found is not None
    assert (verdict.label, found.types) == ("ambiguous", ("Vagueness",))
    assert [(r.label, r.text) for r in found.readings] == [
        ("faithful", "most approved"),
        ("unfaithful", "all approved"),
    ]
    assert verdict.usage.calls == len(cast.requests) == verdict.n_replies


def test_the_taxonomy_detector_needs_no_debate() -> None:
    model = ScriptedModel([{"match": "<taxonomy>", "reply": AMBIGUOUS}, {"reply": says(1)}])
    verdict = judge(PromptJudge(model, detector=load_ambiguity_detector("taxonomy", model=model)))
    assert (verdict.label, verdict.faithfulness) == ("ambiguous", "faithful")


def test_an_ambiguity_that_cannot_be_read_is_counted_and_leaves_the_verdict() -> None:
    model = ScriptedModel([{"match": "<taxonomy>", "reply": "Hm."}, {"reply": says(1)}])
    verdict = judge(PromptJudge(model, detector=load_ambiguity_detector("taxonomy", model=model)))
    assert (verdict.label, [u.where for u in verdict.unreadable]) == ("faithful", ["ambiguity (taxonomy)"])


def test_an_unfaithful_sentence_decides_over_an_ambiguous_one() -> None:
    def answer(request: Any) -> str:
        text = request.messages[0].content
        first = "The council met." in text.split("<summary>\n")[1].split("\n</summary>")[0]
        return says(int(first))

    model = ScriptedModel(answer)
    detector = load_ambiguity_detector("taxonomy", model=model)
    verdict = judge(PromptJudge(model, detector=detector), "The council met. The mayor spoke.")
    assert [j.is_ambiguous for j in verdict.units] == [True, False]
    assert verdict.label == "unfaithful"


# -------------------------------------------------------------------------------------------------------- local judges


def test_lexical_overlap_misses_what_the_document_does_not_hold() -> None:
    scores = LexicalOverlap().score(DOCUMENT, ["The council voted for the bridge.", "Frogs sang in the swamp."])
    assert scores[0] > 0.8
    assert scores[1] == 0


def test_embedding_similarity_takes_the_nearest_sentence() -> None:
    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [[float("bridge" in t), float("mayor" in t), 0.0] for t in texts]

    assert EmbeddingSimilarity(embed).score(DOCUMENT, ["a bridge", "bridge and mayor", "frogs"]) == pytest.approx(
        [1.0, 0.5**0.5, 0.0]
    )
    with pytest.raises(InputError, match="one vector for each text"):
        EmbeddingSimilarity(lambda texts: [[1.0]]).score(DOCUMENT, ["a"])


def test_a_scorer_becomes_a_judge_of_sentences_or_of_the_whole() -> None:
    class Scorer:
        name = "by-hand"
        threshold = 0.5
        calibrated = True

        def score(self, document: str, sentences: Sequence[str]) -> list[float]:
            return [0.9, 0.2][: len(sentences)]

    assert isinstance(Scorer(), SentenceScorer)
    text = "The council met. The mayor spoke."
    by_sentence = judge(ScoringJudge(Scorer()), text)
    assert [(j.label, j.probability) for j in by_sentence.units] == [("faithful", 0.9), ("unfaithful", 0.2)]
    whole = judge(ScoringJudge(Scorer(), level="summary"), text)
    assert [(j.label, j.probability, j.text) for j in whole.units] == [("unfaithful", 0.2, text)]
    assert [f.text for f in whole.faults] == ["The mayor spoke."]
    assert judge(ScoringJudge(Scorer(), threshold=0.1), text).label == "faithful"


class Given:
    """Scores that were given to it."""

    name, threshold = "given", 0.5

    def __init__(self, *scores: float, calibrated: bool) -> None:
        self.scores, self.calibrated = scores, calibrated

    def score(self, document: str, sentences: Sequence[str]) -> list[float]:
        return list(self.scores)


@pytest.mark.parametrize(
    ("scores", "calibrated", "message"),
    [
        ((math.nan, 1.0), False, "given: a score must be a finite number, got nan"),
        ((1.0, math.nan), True, r"given: a score must be a number in \[0, 1\], got nan"),
        ((1.0, 1.5), True, r"a number in \[0, 1\], got 1.5"),
        ((1.0,), False, "given: must give one score a sentence, got 1 for 2"),
    ],
)
def test_scores_that_are_none_are_told(scores: tuple[float, ...], calibrated: bool, message: str) -> None:
    with pytest.raises(JudgeError, match=message):
        judge(ScoringJudge(Given(*scores, calibrated=calibrated)), "It rained. It snowed.")


@pytest.mark.parametrize(
    ("calibrated", "threshold"), [(True, 7), (True, -0.1), (True, math.nan), (False, math.inf), (False, "x")]
)
def test_a_threshold_that_cannot_be_is_refused(calibrated: bool, threshold: Any) -> None:
    with pytest.raises(InputError, match="given: threshold must be a"):
        ScoringJudge(Given(1.0, calibrated=calibrated), threshold=threshold)
    assert ScoringJudge(Given(1.0, calibrated=False), threshold=-7).threshold == -7


def test_a_level_nobody_knows_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown level 'nonsense'"):
        load_local_judge("lexical-overlap", level="nonsense")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [None, b"It rained.", Path("d.txt"), 5])
def test_what_is_no_text_is_refused(text: Any) -> None:
    for the_judge in (load_local_judge("lexical-overlap"), PromptJudge(samples(1))):
        for texts, name in (((text, "It rained."), "document"), (("It rained.", text), "summary")):
            with pytest.raises(InputError, match=f"the {name} must be a text, got {type(text).__name__}"):
                asyncio.run(the_judge.judge(*texts))


def test_words_are_weighted_by_how_rare_they_are_and_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["The vote was on Monday.", "The vote failed.", "Frogs sang, and frogs slept.", ""]
    weight = {"vote": math.log(1 + 4 / 3), "failed": math.log(1 + 4 / 2), "dogs": math.log(1 + 4)}
    all_of_it = math.fsum(weight.values())
    bags = Bags(texts)
    for _ in range(2):
        assert bags.scores("The vote: dogs failed. Vote!") == [
            weight["vote"] / all_of_it, math.fsum([weight["vote"], weight["failed"]]) / all_of_it, 0.0, 0.0,
        ]  # fmt: skip
    assert bags.scores("?") == [0.0] * 4
    assert Bags([]).scores("vote") == []
    read: list[str] = []

    def counted(text: str) -> list[str]:
        read.append(text)
        return words_of(text)

    monkeypatch.setattr("fallax.faithfulness.systems.documents.words_of", counted)
    LexicalOverlap(window=1).score(DOCUMENT, ["The mayor sang."] * 9)
    assert len(read) == 3 + 9


def test_what_is_not_calibrated_is_not_shown_as_a_probability() -> None:
    verdict = judge(ScoringJudge(LexicalOverlap()), "Frogs sang.")
    assert (verdict.label, verdict.probability) == ("unfaithful", None)
    assert verdict.faults[0].reason == "lexical-overlap: 0.00, below 0.60"


def test_a_local_judge_nobody_knows_is_told() -> None:
    with pytest.raises(UnknownNameError, match="unknown judge 'entailmen'; did you mean 'entailment'"):
        load_local_judge("entailmen")


@pytest.mark.parametrize("name", [name for name in METHODS if name != "log-odds"])
def test_every_method_judges(name: str) -> None:
    verdict = judge(load_method(name, Cast(lambda *_: says(1)), n=3))
    calls = {"zero-shot": 1, "chain-of-thought": 1, "self-consistency": 3}
    sessions = 3 if "sessions" in name else 1
    assert (verdict.judge, verdict.label) == (name, "faithful")
    assert verdict.usage.calls == calls.get(name, 4 * sessions)


def settings_of(made: Judge) -> dict[str, Any]:
    return made.settings  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize(
    ("method", "settings", "expected"),
    [
        ("madisse-sessions", {"sessions": 5}, {"sessions": 5, "vote": "debate"}),
        ("madisse-sessions", {"sessions": 1}, {"sessions": 1, "vote": "debate"}),
        ("madisse-sessions", {"vote": "debate"}, {"sessions": 3, "vote": "debate"}),
        ("madisse-sessions", {"variant": "authors"}, {"sessions": 3, "vote": "debate", "adjudicators": 1}),
        ("madisse-sessions-agents", {"sessions": 2}, {"sessions": 2, "vote": "agent"}),
        ("madisse-no-stances", {"rounds": 2}, {"sessions": 1, "stances": "none", "rounds": 2}),
    ],
)
def test_a_method_leaves_what_was_set(method: str, settings: dict[str, Any], expected: dict[str, Any]) -> None:
    for made in (
        load_method(method, samples(1), settings=DebateSettings.of(**settings)),
        judge_of(samples(1), method=method, **settings),
    ):
        assert {k: settings_of(made)[k] for k in expected} == expected


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("madisse-no-stances", {"stances": "3+/1-"}, r"madisse-no-stances: stances must be 'none', got '3\+/1-'"),
        ("madisse-sessions", {"vote": "agent"}, "madisse-sessions: vote must be 'debate', got 'agent'"),
        ("log-odds", {"guidelines": "madisse.v1"}, "guidelines: is not read by the method log-odds"),
        ("zero-shot", {"rounds": 3}, "rounds: is not read by the method zero-shot, which is no debate; leave it out"),
        ("madisse", {"samples": 41}, "samples: is read by the method self-consistency alone, not by madisse"),
        ("zero-shot", {"ambiguity": "variation"}, "zero-shot: must have several votes for the detector 'variation'"),
        ("self-consistency", {"ambiguity": "variation", "samples": 1}, "must have several votes"),
        ("self-consistency", {"samples": 2.5}, "n must be a whole number of at least 1, got 2.5"),
        ("madisse", {"long_documents": "foo"}, "unknown policy for long documents 'foo'"),
        ("madisse", {"long_documents": "chunk"}, "long_documents: 'chunk' must come with context_tokens"),
    ],
)
def test_what_contradicts_a_method_is_refused(method: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        judge_of(samples(1), method=method, **options)


@pytest.mark.parametrize("method", ["zero-shot", "chain-of-thought", "self-consistency"])
def test_a_model_asked_directly_has_the_guidelines_that_were_set_and_else_none(method: str) -> None:
    own = Guidelines(("Only numbers matter.",))
    for options, shown in (
        ({}, ()),
        ({"guidelines": None}, ()),
        ({"guidelines": "none"}, ()),
        ({"guidelines": "madisse.v1"}, ("13. If any single part",)),
        ({"guidelines": own}, ("1. Only numbers matter.",)),
    ):
        model = samples(1, 1, 1)
        n: dict[str, Any] = {"samples": 3} if method == "self-consistency" else {}
        judge(judge_of(model, method=method, ambiguity=None, **n, **options))
        prompt = model.requests[0].messages[0].content
        assert ("<guidelines>" in prompt) is bool(shown)
        assert all(text in prompt for text in shown)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError):
        load_method("debate", Cast(lambda *_: says(1)))
    with pytest.raises(UnknownNameError):
        load_ambiguity_detector("x", model=Cast(lambda *_: says(1)))
    with pytest.raises(InputError, match="give one"):
        load_ambiguity_detector("arguments")
    assert load_ambiguity_detector("none") is None


def test_an_ambiguous_sentence_is_no_fault() -> None:
    fault = Fault(0, 9, "It rained", "No rain.")
    vague = Ambiguity(True, "taxonomy", ("Vagueness",))
    unit = UnitVerdict(0, 9, "It rained", "unfaithful", "No rain.", None, {}, (fault,))
    assert FaithfulnessVerdict("judge", (unit,)).faults == (fault,)
    assert FaithfulnessVerdict("judge", (replace(unit, ambiguity=vague),)).faults == ()


def test_the_kinds_of_the_papers_prompts_are_a_variant_of_the_detectors() -> None:
    asked: list[str] = []

    def reply(request: Any) -> str:
        asked.append(request.messages[-1].content)
        return "<label>1</label><type>Other ambiguity phenomenon</type><type>Non-assertion</type>"

    detector = load_ambiguity_detector("taxonomy-15", model=ScriptedModel(reply))
    assert detector is not None
    assert detector.name == "taxonomy-15"
    unit = Unit(0, 10, "It rained.")
    found = asyncio.run(detector.detect("It rained.", unit, Finding(None)))
    assert found.types == ("Other ambiguity phenomenon",)
    assert "Non-assertion" in found.unreadable
    assert "15. Other context phenomenon" in asked[0]
    assert "16." not in asked[0]
