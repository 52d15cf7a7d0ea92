"""The methods with scripted models: facts read as data, refused once, texts repaired once, everything counted."""

import asyncio
import json
import re
from collections.abc import Callable

import pytest

from fallax.core.types import Derivation, Request
from fallax.errors import InputError, ModelError, UnknownNameError
from fallax.generation.generators import Generation, agenerate, make_plan, realise
from fallax.generation.generators.plan import Plan
from fallax.models import ScriptedModel
from fallax.oracle import check_by_joins, read_facts, seed_facts

GOOD = """
instance({id}, wrong_direction, "{topic}").
event({id}, effect, "the {topic} shakes").
event({id}, source, "a lorry passes the {topic}").
reason({id}, weight, "the ground trembles under the wheels, and on quiet days the {topic} stands still").
reason({id}, elsewhere, "lorries pass along roads without any {topic}").
together({id}, effect, source, true).
depends({id}, effect, source, weight, true).
depends({id}, source, effect, elsewhere, false).
"""


def facts(*topics: str, start: int = 1) -> str:
    return "\n".join(GOOD.format(id=f"n{k}", topic=t) for k, t in enumerate(topics, start=start))


def run(fallacy: str = "WD", *, model: ScriptedModel | None = None, **settings: object) -> Generation:
    method = settings.get("method", "template" if model is None else "smartypat")
    if method in ("template", "smartypat"):
        settings.setdefault("evaluator", "joins")
    if method == "smartypat":
        settings.setdefault("read_back", False)
    settings.setdefault("near", 1.0)  # the topics of GOOD differ in one word
    return asyncio.run(agenerate(fallacy, model=model, **settings))  # type: ignore[arg-type]


def written(request: Request, reword: Callable[[int, list[str]], str | None] = lambda n, said: None) -> str:
    """Answer a request for sentences with all phrases joined and the conclusion, or with what ``reword`` says."""
    rows = []
    shown = request.messages[0].content
    for number, block in re.findall(r"^argument (\d+)\n(.*?)(?=^argument |\n</arguments>)", shown, re.M | re.S):
        said = re.findall(r"^    - (.*)$", block, re.M)
        text = reword(int(number), said)
        conclusion = re.findall(r"^  therefore: .*?  % (.*)$", block, re.M)[0]
        rows.append({"n": int(number), "text": f"{'; '.join(said)}. So {conclusion}." if text is None else text})
    return json.dumps({"sentences": [r for r in rows if r["text"]]})


def asks_for_facts(request: Request) -> bool:
    return "Prolog knowledge combinations" in request.messages[0].content


def test_facts_are_proposed_derived_and_worded_with_twins() -> None:
    def answer(request: Request) -> str:
        return f"```prolog\n{facts('kettle', 'mirror', 'lamp')}\n```" if asks_for_facts(request) else written(request)

    made = run(model=ScriptedModel(answer, name="test/m"), n=3, seed=4)
    assert sorted(i.derivation.instance for i in made if i.derivation) == ["n1", "n2", "n3"]
    for item in made:
        assert (item.method, item.model, item.rules, item.evaluator) == ("smartypat", "test/m", "strict@1", "joins")
        assert item.labels == ("Wrong Direction",)
        assert item.structurally_valid is True
        assert item.claims_confirmed is None
        assert len(item.claims) == 3
        assert item.sound_twin is not None
        assert item.sound_twin.derivation.rule == "direction_kept"
        assert item.id.startswith("wd-smartypat-4-")
    assert made.n_missing == 0
    assert made.counts["wrong_direction"] == {"facts proposed": 24, "items": 3}


def test_the_same_replies_and_seed_give_the_same_items_and_other_seeds_another_order() -> None:
    def answer(request: Request) -> str:
        return facts(*"abcdefgh") if asks_for_facts(request) else written(request)

    one, same, other = (run(model=ScriptedModel(answer), n=8, seed=s) for s in (1, 1, 2))
    assert one.to_dict() == same.to_dict()
    assert [i.text for i in one] != [i.text for i in other]
    assert {i.text for i in one} == {i.text for i in other}


def test_what_is_refused_goes_back_once_with_the_reason() -> None:
    broken = facts("kettle").replace("true).", "maybe).") + facts("mirror", start=2)

    def answer(request: Request) -> str:
        if not asks_for_facts(request):
            return written(request)
        return broken if len(request.messages) == 1 else facts("kettle")

    model = ScriptedModel(answer)
    made = run(model=model, n=2)
    returned = model.requests[1].messages
    assert [m.role for m in returned] == ["user", "assistant", "user"]
    assert "together must end in true or false, found maybe" in returned[2].content
    assert "line 7, column " in returned[2].content
    assert {i.derivation.instance for i in made if i.derivation} == {"n1", "n2"}
    assert made.counts["wrong_direction"]["facts refused"] == 2
    assert made.counts["wrong_direction"]["facts repaired"] == 2


def test_facts_that_stay_wrong_are_left_out_and_nothing_is_called() -> None:
    hostile = facts("kettle") + ":- shell('touch /tmp/pwned').\ninitialization(halt).\n"
    model = ScriptedModel(lambda request: hostile if asks_for_facts(request) else written(request))
    made = run(model=model, n=1)
    assert len(made) == 1
    assert made.counts["wrong_direction"]["facts refused"] == 2
    assert made.counts["wrong_direction"]["facts refused again"] == 2


def test_a_text_that_leaves_an_argument_out_is_repaired_once_else_dropped() -> None:
    def answer(request: Request) -> str:
        if asks_for_facts(request):
            return facts("kettle", "mirror") if request.epoch == 0 else "% no more"
        if len(request.messages) == 1:
            return written(request, lambda n, said: "Lorries make the world go round." if n < 3 else None)
        assert re.findall(r"^- (\d+): ", request.messages[2].content, re.M) == ["1", "2"]
        return written(request, lambda n, said: None if n == 1 else "Still nothing.")

    made = run(model=ScriptedModel(answer), n=2)
    counts = made.counts["wrong_direction"]
    assert counts["texts repaired or dropped"] == 2
    assert counts["texts that leave an argument out, dropped"] == 1
    assert all("lorry passes" in i.text for i in made)
    assert len(made) == 1
    assert made.n_missing == 1


def test_phrases_that_are_no_sentence_are_dropped() -> None:
    model = ScriptedModel(
        lambda r: (
            (facts("kettle") if r.epoch == 0 else "%") if asks_for_facts(r) else written(r, lambda n, s: " | ".join(s))
        )
    )
    made = run(model=model, n=1)
    assert len(made) == 0
    assert made.counts["wrong_direction"]["texts that leave an argument out, dropped"] == 2


def test_unreadable_replies_are_counted_and_end_the_search() -> None:
    model = ScriptedModel(lambda request: facts("kettle") if asks_for_facts(request) else "I would rather not.")
    made = run(model=model, n=2)
    assert len(made) == 0
    assert made.counts["wrong_direction"]["unreadable replies"] == 6  # asked twice in each of three batches
    assert made.counts["wrong_direction"]["texts that did not come, dropped"] == 6


def test_a_twin_that_cannot_be_worded_is_left_out_and_counted() -> None:
    def reword(n: int, said: list[str]) -> str | None:
        return "" if n == 2 else None

    model = ScriptedModel(lambda r: facts("kettle") if asks_for_facts(r) else written(r, reword))
    (item,) = run(model=model, n=1)
    assert item.sound_twin is None


def test_duplicates_and_near_duplicates_are_dropped() -> None:
    def answer(request: Request) -> str:
        return facts("kettle", "kettle", "mirror") if asks_for_facts(request) else written(request)

    made = run(model=ScriptedModel(answer), n=3)
    assert len(made) == 2
    assert made.counts["wrong_direction"]["duplicates dropped"] >= 1
    assert len(run(model=ScriptedModel(answer), n=3, near=0.5)) == 1


def test_topics_that_were_used_are_named_in_the_next_call() -> None:
    def answer(request: Request) -> str:
        return facts("kettle" if request.epoch == 0 else "mirror") if asks_for_facts(request) else written(request)

    model = ScriptedModel(answer)
    made = run(model=model, n=2, batch=1)
    asked = [r.messages[0].content for r in model.requests if asks_for_facts(r)]
    assert len(made) == 2
    assert "Generate 1 new Wrong Direction Prolog knowledge" in asked[0]
    assert "from: those of the examples; kettle." in asked[1]
    assert "% this means: " in asked[0]
    assert "direction_reversed" in asked[0]


def test_a_text_that_turns_cause_and_effect_round_is_dropped() -> None:
    """Every argument is said in both texts of the pair; only reading them back tells that the twin says the fallacy."""

    def answer(request: Request) -> str:
        content = request.messages[0].content
        if asks_for_facts(request):
            return facts("kettle") if request.epoch == 0 else "% no more"
        if "Which conclusion does" not in content:
            return written(request, lambda n, said: f"{'; '.join(said)}. So the kettle shaking makes the lorry pass.")
        a, b = re.findall(r"^[AB]: (.*)$", content, re.M)
        assert {a, b} == {
            "it is because the kettle shakes that a lorry passes the kettle",
            "it is because a lorry passes the kettle that the kettle shakes",
        }
        return "A" if a.startswith("it is because the kettle") else "B"

    model = ScriptedModel(answer)
    made = run(model=model, n=2, read_back=True)
    (item,) = made
    assert item.sound_twin is None
    counts = made.counts["wrong_direction"]
    assert counts["texts that draw another conclusion, dropped"] == 1
    assert counts["without a twin"] == 1
    asked = [r for r in model.requests if "Which conclusion does" in r.messages[0].content]
    assert len(asked) == 4
    assert all(r.temperature == 0 for r in asked)


def test_a_pair_of_equal_texts_is_dropped() -> None:
    def answer(request: Request) -> str:
        if asks_for_facts(request):
            return facts("kettle") if request.epoch == 0 else "% no more"
        shared = (
            "A lorry passes the kettle, the kettle shakes; the ground trembles under the wheels, and on quiet days the"
        )
        return written(
            request, lambda n, said: f"{shared} kettle stands still; lorries pass along roads without any kettle."
        )

    made = run(model=ScriptedModel(answer), n=1)
    assert len(made) == 0
    assert made.counts["wrong_direction"]["texts alike for fallacy and twin, dropped"] == 2


def test_copies_of_the_examples_are_left_out() -> None:
    shipped = [f for f in seed_facts("WD") if f.args[0] == "wd03"]
    copy = "\n".join(f"{f}." for f in shipped).replace("wd03", "n9").replace("gets warmer", "is getting warmer")
    model = ScriptedModel(lambda r: facts("kettle") + copy if asks_for_facts(r) else written(r))
    made = run(model=model, n=1, near=0.8)
    assert [i.derivation.instance for i in made if i.derivation] == ["n1"]
    assert made.counts["wrong_direction"]["combinations copied from the examples"] == 1
    paper = "happen_at(room_event, lightbulb_switch).\nhappen_at(room_event, darkness_emission).\n"
    model = ScriptedModel(lambda r: paper if asks_for_facts(r) else written(r))
    assert run("FS", model=model, n=1, rules="paper").counts["false_cause"]["facts copied from the examples"] == 6


def test_given_facts_are_worded_by_the_model() -> None:
    given = read_facts(facts("kettle", "mirror")).facts
    model = ScriptedModel(written)
    made = run(model=model, n=5, facts=given)
    assert len(made) == 2
    assert not any(asks_for_facts(r) for r in model.requests)


def test_the_papers_rules_have_no_twins() -> None:
    proposed = "happen_at(party, toast).\nhappen_at(party, thunder).\nreal_cause(storm, thunder).\n"
    model = ScriptedModel(lambda request: proposed if asks_for_facts(request) else written(request))
    made = run("FS", model=model, n=1, rules="paper")
    assert made[0].rules == "paper@1"
    assert made[0].text == "toast; thunder. So false_cause(toast, thunder)."
    assert made[0].sound_twin is None
    assert made[0].claims == ()
    with pytest.raises(InputError, match="rule base 'paper' has no rules for equivocation"):
        run("EC", model=model, rules="paper")
    with pytest.raises(InputError, match="only the method smartypat"):
        run("FS", rules="paper")
    with pytest.raises(InputError, match="has a sound twin"):
        run("FS", model=model, rules="paper", twins=True)


def test_direct_asks_for_sentences_until_there_are_enough() -> None:
    batches = [["Mills make wind.", "Ducks make ponds."], ["Ducks make ponds.", "Bells make noon."]]
    model = ScriptedModel(lambda request: json.dumps({"sentences": batches[request.epoch]}))
    made = run(model=model, method="direct", n=3, batch=2)
    assert [i.text for i in made] == ["Mills make wind.", "Ducks make ponds.", "Bells make noon."]
    assert all(i.derivation is None and i.structurally_valid is None and i.sound_twin is None for i in made)
    assert made.counts["wrong_direction"]["sentences of the examples or made before"] == 1
    prompt = model.requests[1].messages[0].content
    assert "Generate 2 new" not in prompt
    assert "generate 2 new sentences similar to the Wrong Direction fallacy" in prompt
    assert "- Mills make wind." in prompt
    with pytest.raises(InputError, match="twins: only a derivation"):
        run(model=model, method="direct", twins=True)
    with pytest.raises(InputError, match="confirm: only a derivation"):
        run(model=model, method="direct", confirm=1)


def test_prolog_keeps_the_program_as_text() -> None:
    program = "% essence\n:- shell('touch /tmp/pwned').\nwrong(X) :- x(X)."

    def answer(request: Request) -> str:
        return f"```prolog\n{program}\n```" if len(request.messages) == 1 else '{"sentences": ["Mills make wind."]}'

    model = ScriptedModel(answer)
    (item,) = run(model=model, method="prolog", n=1)
    assert item.program == program
    assert "Group related entities" in model.requests[0].messages[0].content


def test_a_model_that_brings_nothing_new_ends_the_search() -> None:
    model = ScriptedModel(lambda request: '{"sentences": ["Mills make wind."]}')
    made = run(model=model, method="direct", n=3)
    assert len(made) == 1
    assert len(model.requests) == 4


def test_a_model_that_does_not_answer_ends_the_run() -> None:
    with pytest.raises(ModelError, match="scripted error"):
        run(model=ScriptedModel([{"error": "authentication"}]), n=1)


@pytest.mark.parametrize(
    ("forward", "denied", "confirmed", "votes"),
    [
        ("yes", "no", True, {"yes": 3, "denied no": 3}),
        ("yes", "yes", False, {"yes": 3, "denied yes": 3}),
        ("no", "no", False, {"no": 3, "denied no": 3}),
        ("unsure", "no", False, {"unsure": 3, "denied no": 3}),
        ("yes", "hm", None, {"yes": 3, "denied unreadable": 3}),
    ],
)
def test_claims_are_put_to_the_vote_as_they_stand_and_denied(
    forward: str, denied: str, confirmed: bool | None, votes: dict[str, int]
) -> None:
    def answer(request: Request) -> str:
        content = request.messages[-1].content
        return (
            denied
            if re.search(r"does not depend on this: a|depends on this: the|not seen together", content)
            else forward
        )

    judge = ScriptedModel(answer)
    given = read_facts(facts("kettle")).facts
    made = run(facts=given, method="template", checker_model=judge, confirm=3, n=1)
    (item,) = made
    assert [c.votes for c in item.claims] == [votes] * 3
    assert {c.confirmed for c in item.claims} == {confirmed}
    assert item.claims_confirmed is confirmed
    assert item.structurally_valid is True
    assert item.sound_twin is not None
    assert item.sound_twin.claims == item.claims
    assert len(judge.requests) == 3 * 2 * 3  # claims are shared between item and twin, and asked once


def test_wordings_say_a_derivation_again_in_other_frames() -> None:
    given = read_facts(facts("kettle", "mirror")).facts
    once, often = (run(facts=given, n=9, wordings=w) for w in (1, 9))
    assert (len(once), len(often)) == (2, 8)
    assert len({i.text for i in often}) == 8
    for item in often:
        assert item.derivation is not None
        assert item.sound_twin is not None
        style, _, frame = item.wording.partition(" ")
        assert style == "full"
        assert item.text == realise(item.derivation, frame=int(frame))
        assert item.sound_twin.text == realise(item.sound_twin.derivation, frame=int(frame))


def test_records_carry_the_label_over_the_whole_text_and_none_for_the_twin() -> None:
    made = run("IE", n=2)
    first, twin, *_ = made.to_records()
    assert first.gold is not None
    assert [(g.start, g.end, g.labels) for g in first.gold] == [(0, len(first.text), ("Inverse Error",))]
    assert twin.gold == ()
    assert twin.id == f"{first.id}-twin"


def test_all_types_come_in_order_with_a_model_too() -> None:
    derivations: dict[str, Derivation] = {}
    for d in check_by_joins(seed_facts()):
        derivations.setdefault(d.fallacy, d)
    model = ScriptedModel(written)
    made = run("all", model=model, n=1, facts=seed_facts())
    assert [i.fallacy for i in made] == sorted(derivations)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n": 0}, "n: must be a whole number of 1 or more, got 0"),
        ({"near": 0.0}, r"near: must be in \(0, 1\]"),
        ({"seed": 1.5}, "seed: must be a whole number"),
        ({"method": "smartypat"}, "the method 'smartypat' needs one"),
        ({"confirm": 1}, "a model must vote, got none"),
        ({"fallacy": ","}, "at least one type must be named"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(**settings)  # type: ignore[arg-type]


def test_unknown_names_are_refused() -> None:
    for settings, message in (
        ({"method": "magic"}, "unknown method 'magic'"),
        ({"style": "long"}, "unknown style 'long'"),
        ({"evaluator": "clingo"}, "unknown evaluator 'clingo'"),
        ({"fallacy": "ad hominem"}, "unknown fallacy 'ad hominem'"),
    ):
        with pytest.raises(UnknownNameError, match=message):
            run(model=ScriptedModel([{"reply": "x"}]) if "method" in settings else None, **settings)


def test_a_template_asks_no_model() -> None:
    model = ScriptedModel([{"reply": "x"}])
    with pytest.raises(InputError, match="the method template asks no model"):
        run(model=model, method="template")


def test_a_plan_knows_its_defaults() -> None:
    plan = make_plan("FS")
    assert plan == Plan(fallacies=("false_cause",))
    assert plan.to_dict()["fallacies"] == ["false_cause"]
