"""Rewording: what a model may change in a world, what is refused and counted, and that the two texts stay a pair."""

import json
import re
from collections.abc import Callable

import pytest

from fallax.core.sync import run
from fallax.core.types import Request
from fallax.entailment import load_entailment
from fallax.generation.worlds import FreshPlan, Reworder, make_fresh
from fallax.generation.worlds.make import make_world
from fallax.generation.worlds.reword import refusal
from fallax.generation.worlds.world import KINDS, World
from fallax.models import ScriptedModel

NAMES = frozenset({"Anil", "Cora"})
WEEK = "Last week Anil cut the tape across the stairs to free a child, and Cora to impress a friend."
RULE = "Whenever the pump is running, the gate is open."


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Anil loses the pass for four weeks.", "Anil’s pass is lost for four weeks.", None),
        ("Anil loses the pass for four weeks.", "Anil loses the pass for five weeks.", "names, numbers"),
        ("Anil loses the pass for four weeks.", "Anil does not lose the pass for four weeks.", "names, numbers"),
        ("Anil loses the pass for four weeks.", "Anil gains the pass for four weeks.", "not entailed"),
        (WEEK, WEEK.replace("Anil", "X").replace("Cora", "Anil").replace("X", "Cora"), "names, numbers"),
        (RULE, "Whenever the gate is open, the pump is running.", "names, numbers"),
        (RULE, "The pump is running whenever the gate is open.", "names, numbers"),
        (RULE, "", "not one sentence"),
        (RULE, "Whenever it does, it is.", "terms of its facts"),
    ],
)
def test_what_changes_what_is_said_is_refused(old: str, new: str, why: str | None) -> None:
    terms = frozenset({"pump", "runni", "gate", "open"}) if old == RULE else frozenset()
    found = refusal(old, new, terms=terms, names=NAMES, entailment=load_entailment())
    assert found is None if why is None else found is not None and found.startswith(why)


class Model:
    """Rewords with a function, and reads back the conclusion that stands behind "Therefore"."""

    def __init__(self, reword: Callable[[str], str], *, blind: bool = False) -> None:
        self.reword, self.blind = reword, blind
        self.old: dict[str, str] = {}

    def __call__(self, request: Request) -> str:
        asked = request.messages[0].content
        if "<sentences>" in asked:
            rows = [(int(n), text) for n, text in re.findall(r"^(\d+): (.*)$", asked, re.M)]
            self.old |= {_clause(self.reword(t)): _clause(t) for _, t in rows}
            return json.dumps({"sentences": [{"n": n, "text": self.reword(t)} for n, t in rows]})
        drawn = re.findall(r"Therefore, (.*)\.$", asked, re.M)[-1]
        options = dict(re.findall(r"^([AB]): (.*)$", asked, re.M))
        right = next((k for k, v in options.items() if _clause(v) == self.old.get(_clause(drawn), _clause(drawn))), "N")
        return "A" if self.blind else right


def _earlier(text: str) -> str:
    return text.replace("Last week", "A week ago")


def _clause(text: str) -> str:
    return text.removesuffix(".").casefold()


def _world(model: Model, fallacy: str = "accident_fallacy") -> tuple[World, World, Reworder]:
    world = make_world(fallacy, "reword", 7)
    reworder = Reworder(ScriptedModel(model), load_entailment())
    return world, run(reworder.reword([world]))[0], reworder


def test_a_faithful_rewording_is_kept_with_facts_and_claims_as_they_were() -> None:
    world, new, reworder = _world(Model(_earlier))
    assert reworder.report()["worlds reworded"] == 1
    assert (new.facts, new.claims, new.core) == (world.facts, world.claims, world.core)
    assert [s.facts for s in new.premises["sound"]] == [s.facts for s in world.premises["sound"]]
    assert new.premises != world.premises
    assert new.premises["sound"] == new.premises["fallacy"]


def test_both_conclusions_are_reworded_or_neither() -> None:
    def one_of_two(text: str) -> str:
        return "nonsense" if text == ends[0] else text.replace("is struck", "gets struck")

    world = make_world("accident_fallacy", "reword", 7)
    ends = [f"{world.conclusions[k]}." for k in KINDS]
    _, new, reworder = _world(Model(one_of_two))
    assert new.conclusions == world.conclusions
    assert reworder.counts["not one sentence"] == 1
    assert not reworder.counts["not entailed both ways"]  # the other one would have been kept


def test_a_world_that_is_read_back_otherwise_keeps_its_words() -> None:
    world, new, reworder = _world(Model(_earlier, blind=True))
    assert new is world
    assert reworder.report() == {
        "worlds": 1, "reworded": reworder.counts["reworded"], "as they were": reworder.counts["as they were"],
        "read back as another conclusion": 1,
    }  # fmt: skip


def test_a_reply_that_cannot_be_read_is_counted() -> None:
    reworder = Reworder(ScriptedModel([{"reply": "I would rather not."}]), load_entailment())
    world = make_world("contextomy", "reword", 0)
    assert run(reworder.reword([world])) == [world]
    assert reworder.report() == {"worlds": 1, "no readable reply": 1}


def test_a_set_is_reworded_with_its_distractors_and_says_so() -> None:
    model = ScriptedModel(Model(lambda t: t.replace("has to", "must").replace("It is known that", "One knows that")))
    plan = FreshPlan(seed="r", n=1, fallacies=("false_dilemma",), points=3, evaluator="joins", reworded_by="scripted")
    made = make_fresh(plan, reworder=Reworder(model, load_entailment()))
    assert made.rewording["worlds"] == 1 + 3
    assert plan.settings()["reworded_by"] == "scripted"
