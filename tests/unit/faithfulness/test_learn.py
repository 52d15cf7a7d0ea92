"""Learning guidelines."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fallax.core.types import FaithfulnessRecord, Request
from fallax.errors import FormatError, InputError, UnknownNameError
from fallax.faithfulness.protocols.guidelines import Guidelines, load_guidelines, parse_guidelines
from fallax.faithfulness.systems import DebateSettings, Learned, format_learned, learn_guidelines
from fallax.models import ScriptedModel, load_model
from fallax.models.cache import Cache
from tests.unit.faithfulness.cast import DOCUMENT

RECORDS = [
    FaithfulnessRecord("good", DOCUMENT, "The council met.", "faithful"),
    FaithfulnessRecord("bad", DOCUMENT, "The mayor spoke.", "unfaithful"),
]
RIGHT = "A summary must not add facts that the document does not give."
RIGHT_AGAIN = "A summary must not add facts that the document does not give!"
WRONG = "A summary should be short and cover the main points."
OPPOSITE = "A summary need not be short or cover the main points."


def answer(request: Request) -> str:
    text = request.messages[0].content
    if "<negated>" in text:
        return f"<negated>{OPPOSITE}</negated>"
    good = "The council met.\n</summary>" in text
    stated = f"<guideline>{RIGHT}</guideline>" if good else f"<guideline>{RIGHT_AGAIN}</guideline>"
    if "You are Agent 1." in text:  # always wrong
        return f"<label>{int(not good)}</label><guideline>{WRONG}</guideline>"
    return f"<label>{int(good)}</label>{stated}"


def learn(model: ScriptedModel, **options: object) -> Learned:
    settings = DebateSettings(level="summary", rounds=1, adjudicators=0)
    return asyncio.run(learn_guidelines(RECORDS, model, settings=settings, **options))  # type: ignore[arg-type]


def test_right_ones_are_collected_wrong_ones_negated_and_near_duplicates_merged() -> None:
    learned = learn(ScriptedModel(answer))
    assert learned.guidelines is not None
    assert set(learned.guidelines.items) in ({RIGHT, OPPOSITE}, {RIGHT_AGAIN, OPPOSITE})
    by_text = {r.text: r for r in learned.rules}
    assert (by_text[WRONG].right, by_text[WRONG].wrong, by_text[WRONG].negated) == (0, 3, OPPOSITE)
    (other,) = [r for r in learned.rules if r.text != WRONG]
    assert (other.right, other.wrong, sorted(other.records)) == (9, 0, ["bad", "good"])


def test_agents_are_asked_for_their_rules_and_given_those_known() -> None:
    model = ScriptedModel(answer)
    learn(model)
    debates = [r.messages[0].content for r in model.requests if "You are Agent" in r.messages[0].content]
    assert all("between <guideline> and </guideline>" in text for text in debates)
    assert "<guidelines>" not in debates[0]
    assert all(OPPOSITE in text and WRONG not in text for text in debates[4:])


def test_learning_ends_when_no_new_rule_comes() -> None:
    learned = learn(ScriptedModel(answer), passes=10)
    assert (learned.n_examples, learned.stopped) == (3, "no new rule")
    assert learn(ScriptedModel(answer), passes=1, patience=9).stopped == "all passes done"
    assert learn(ScriptedModel(answer), most=2).stopped == "enough rules"


def test_a_rule_without_a_readable_opposite_is_left_out_and_reported() -> None:
    learned = learn(ScriptedModel(lambda r: "no." if "<negated>" in r.messages[0].content else answer(r)))
    assert learned.unreadable == (WRONG,)
    assert learned.guidelines is not None
    assert WRONG not in learned.guidelines.items
    assert f"left out, it misleads and has no opposite: {WRONG}" in format_learned(learned)


def test_the_file_can_be_read_back_and_shows_what_a_rule_rests_on() -> None:
    learned = learn(ScriptedModel(answer))
    text = format_learned(learned, name="council")
    assert "# source: learned from 3 debates of scripted:rules; ended: no new rule" in text
    assert "right 0, wrong 3; used on " in text
    assert f"; opposite of: {WRONG}" in text
    read = parse_guidelines(text)
    assert learned.guidelines is not None
    assert (read.name, read.items) == ("council", learned.guidelines.items)


def test_a_phase_that_was_broken_off_goes_on_from_the_cache(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(f'[{{"reply": "<label>1</label><guideline>{RIGHT}</guideline>"}}]', encoding="utf-8")
    with Cache(tmp_path / "calls.sqlite") as cache:

        def run(passes: int) -> Learned:
            model = load_model(f"scripted:{script}", cache=cache)
            settings = DebateSettings(level="summary", rounds=1)
            return asyncio.run(learn_guidelines(RECORDS, model, settings=settings, passes=passes, patience=99))

        run(1)
        n_first = cache.info().n_calls
        run(2)
        n_second = cache.info().n_calls
        assert run(2).n_examples == 4
        assert (n_first > 0, cache.info().n_calls) == (True, n_second)


def test_examples_must_be_labelled_with_both() -> None:
    for records in (RECORDS[:1], [FaithfulnessRecord("x", "a", "b")]):
        with pytest.raises(InputError, match="labels of both kinds"):
            asyncio.run(learn_guidelines(records, ScriptedModel(answer)))
    with pytest.raises(InputError, match="passes must be"):
        learn(ScriptedModel(answer), passes=0)


def test_the_thirteen_of_the_paper_ship() -> None:
    rules = load_guidelines()
    assert (len(rules.items), rules.id) == (13, "madisse@1")
    assert load_guidelines().hash == rules.hash


def test_own_guidelines_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("# version: 3\n\n- Judge facts.\n2) Ignore style.\n", encoding="utf-8")
    rules = load_guidelines(path)
    assert (rules.items, rules.id) == (("Judge facts.", "Ignore style."), "mine@3")
    path.write_text("# nothing\n", encoding="utf-8")
    with pytest.raises(FormatError, match="at least one guideline"):
        load_guidelines(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match="must be UTF-8"):
        load_guidelines(path)
    with pytest.raises(UnknownNameError, match="madisse"):
        load_guidelines("madiss.v1")
    with pytest.raises(InputError, match="at least one"):
        Guidelines(())
