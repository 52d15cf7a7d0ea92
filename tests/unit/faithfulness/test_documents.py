"""Documents that do not fit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fallax.core.texts import sentence_spans
from fallax.core.types import Reply, Request, Usage
from fallax.errors import InputError, UnknownNameError
from fallax.faithfulness.systems import (
    DebateJudge,
    DebateSettings,
    DocumentLimit,
    PromptJudge,
    TaxonomyDetector,
    fit_document,
    load_ambiguity_detector,
)
from fallax.models import ScriptedModel
from fallax.models.tokens import estimate_prompt_tokens, estimate_tokens
from tests.unit.faithfulness.cast import place, says

WORDS = ("Ann", "Bob", "the mayor", "the bridge", "a vote", "rain", "the road", "a school", "Monday", "tax")
LONG = " ".join(f"Item {i} of the list is about {WORDS[i % 10]} and takes some room." for i in range(60))


def words(text: str) -> int:
    return len(text.split())


def limit(n: int, policy: str) -> DocumentLimit:
    return DocumentLimit(n, policy, words)  # type: ignore[arg-type]


def test_what_fits_is_read_whole() -> None:
    (passage,) = fit_document(LONG, "x", limit=limit(10_000, "refuse"), reserve=100)
    assert (passage.text, passage.note) == (LONG, "")
    assert fit_document(LONG, "x", limit=None, reserve=0)[0].text == LONG


def test_too_long_is_refused_with_numbers() -> None:
    with pytest.raises(InputError, match=r"about 750 tokens, and of 500 there is room for 400"):
        fit_document(LONG, "x", limit=limit(500, "refuse"), reserve=100)


@settings(max_examples=12)
@given(st.integers(20, 400))
def test_chunks_lose_nothing_and_fit(room: int) -> None:
    passages = fit_document(LONG, "x", limit=limit(room + 50, "chunk"), reserve=50)
    sentences = [LONG[a:b] for a, b in sentence_spans(LONG)]
    assert [s for s in sentences if not any(s in p.text for p in passages)] == []
    assert all(words(p.text) <= room for p in passages)
    assert all(p.note == f"part {i} of {len(passages)} of the document" for i, p in enumerate(passages, start=1))


def test_retrieval_keeps_what_is_alike_in_its_order_and_marks_the_gaps() -> None:
    (passage,) = fit_document(LONG, "Rain, rain.", limit=limit(150, "retrieve"), reserve=50)
    assert words(passage.text) <= 100
    lines = passage.text.splitlines()
    numbers = [int(line.split()[1]) for line in lines if line != "[…]"]
    assert numbers == sorted(numbers)
    assert {i for i in range(60) if i % 10 == 5} <= set(numbers)
    assert passage.note == f"{len(numbers)} of the document's 60 sentences"
    assert "[…]" in lines


def test_a_sentence_that_fits_nowhere_is_refused() -> None:
    with pytest.raises(InputError, match="cannot be read in pieces"):
        fit_document("word " * 500, "x", limit=limit(100, "chunk"), reserve=10)


def test_policies_are_known() -> None:
    with pytest.raises(UnknownNameError):
        DocumentLimit(10, "cut")  # type: ignore[arg-type]


def test_a_sentence_is_faithful_if_it_is_to_one_piece() -> None:
    model = ScriptedModel(lambda r: says(int("Item 59" in r.messages[0].content)))
    verdict = asyncio.run(PromptJudge(model, limit=limit(800, "chunk"), max_tokens=10).judge(LONG, "The tax is there."))
    assert len(model.requests) > 1
    assert verdict.label == "faithful"
    assert verdict.notes[0].startswith("part 1 of ")


def test_a_debate_says_which_part_it_was_about() -> None:
    model = ScriptedModel(lambda r: says(0))
    judge = DebateJudge(model, DebateSettings(max_tokens=10), limit=limit(900, "chunk"))
    verdict = asyncio.run(judge.judge(LONG, "The tax is there."))
    assert verdict.transcript is not None
    assert [d.part for d in verdict.transcript.debates] == list(verdict.notes)
    assert "[part 2 of " in str(verdict.transcript)
    assert verdict.label == "unfaithful"


WORDY = "word " * 235


def wordy(request: Request) -> str:
    """All rounds are held, and every argument is as long as is expected."""
    _, a_round, agent = place(request)
    return says(0 if a_round == 0 else agent % 2, WORDY)


@pytest.mark.parametrize(
    ("detector", "settings"),
    [
        (None, {}),
        (None, {"rounds": 1}),
        ("arguments", {}),
        ("arguments", {"sessions": 3}),
        ("taxonomy", {"sessions": 3}),
        ("variation", {"sessions": 3}),
    ],
)
def test_what_is_accepted_fits_with_everything_that_is_asked(detector: str | None, settings: dict[str, Any]) -> None:
    def asked(context: int) -> list[Request]:
        model = ScriptedModel(wordy)
        made = DebateSettings.of(**settings)
        found = load_ambiguity_detector(detector, model=model, guidelines=made.guidelines)
        fits = DocumentLimit(context, "refuse", estimate_tokens)
        try:
            asyncio.run(DebateJudge(model, made, limit=fits, detector=found).judge(LONG, "The tax is there."))
        except InputError:
            assert model.requests == []
        return model.requests

    low, high = 1_000, 40_000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if asked(middle) else (middle, high)
    largest = max(estimate_prompt_tokens(r) + (r.max_tokens or 0) for r in asked(high))
    assert 0.7 * high < largest <= high


def test_a_question_asked_once_leaves_room_for_the_one_about_ambiguity() -> None:
    model = ScriptedModel([{"reply": says(1)}])
    detector = TaxonomyDetector(model, max_tokens=500)
    judge = PromptJudge(model, limit=DocumentLimit(1_800, "chunk", estimate_tokens), max_tokens=500, detector=detector)
    asyncio.run(judge.judge(LONG, "The tax is there."))
    assert len(model.requests) > 2
    assert max(estimate_prompt_tokens(r) + (r.max_tokens or 0) for r in model.requests) <= 1_800


@pytest.mark.parametrize("detector", [None, "taxonomy"])
def test_pieces_of_a_document_share_the_tokens_of_a_summary(detector: str | None) -> None:
    model = ScriptedModel(lambda _: Reply(says(1), usage=Usage(prompt_tokens=90, completion_tokens=10, calls=1)))
    found = load_ambiguity_detector(detector, model=model, max_tokens=10)
    judge = PromptJudge(model, tokens=4000, limit=limit(900, "chunk"), max_tokens=10, detector=found)
    verdict = asyncio.run(judge.judge(LONG, "The tax is there. It rains."))
    assert len(verdict.notes) > 1
    assert verdict.usage.calls == pytest.approx(40, abs=2)


def test_a_judge_refuses_before_anything_is_asked() -> None:
    model = ScriptedModel([{"reply": says(1)}])
    with pytest.raises(InputError, match="must fit into the model's context"):
        asyncio.run(DebateJudge(model, limit=limit(900, "refuse")).judge(LONG, "Tax. Rain."))
    assert model.requests == []
