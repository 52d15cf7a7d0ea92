"""Worlds: every argument is proved, a fallacy and its twin have the same words, and nothing is shared between seeds."""

import collections
import csv
import json
import re
from pathlib import Path

import pytest

from fallax.errors import InputError, UnknownNameError
from fallax.generation.worlds import CHAINS, FreshItem, FreshPlan, cue_share, make_fresh, overlap
from fallax.generation.worlds.contamination import published_texts
from fallax.generation.worlds.lexicon import lexicon, pair, rows
from fallax.generation.worlds.make import GRAMMARS, make_world
from fallax.generation.worlds.prove import prove
from fallax.oracle import load_rule_base, near_synonyms
from tests.unit.oracle.support import needs_swipl

TYPES = tuple(GRAMMARS)
SEEN = 12


def test_there_is_a_grammar_for_every_type() -> None:
    assert set(TYPES) == set(load_rule_base("strict").fallacies)


def test_articles_and_verbs_fit_the_words_of_amounts() -> None:
    words = lexicon("amounts_and_wholes")
    after_a = [row.split(":")[0].strip() for row in rows(words["analogy"]["kinds"])]
    after_a += [pair(row)[1] for row in rows(words["lengths"]["things"])]
    assert [noun for noun in after_a if noun[0] in "aeiou"] == []  # "has a {kind}", "a {thing} of this sort"
    assert [post for post in rows(words["watches"]["posts"]) if post.endswith("s")] == []  # "the {post} is guarded"


@pytest.mark.parametrize("fallacy", ["inverse_error", "improper_transposition"])
def test_a_rule_ties_a_sign_to_something_else_and_each_of_them_is_the_condition_at_times(fallacy: str) -> None:
    words = lexicon("conditions")
    signs, matters = ([t for g in words[kind] for t in rows(g["things"])] for kind in ("sign", "matter"))
    conditions = collections.Counter()
    for i in range(60):
        (text,) = (said.text for said in make_world(fallacy, "signs", i).premises["fallacy"])
        rules = re.findall(r"(?:whenever|when|if) (the .+?) is .+?, (the .+?) is ", text)
        assert len(rules) == (1 if fallacy == "inverse_error" else 2), text
        for condition, result in rules:
            assert (condition in signs) + (result in signs) == (condition in matters) + (result in matters) == 1, text
            conditions[condition in signs] += 1
    assert min(conditions[True], conditions[False]) > 15


def test_lots_are_drawn_by_people_and_a_rival_is_told_after_what_it_may_explain() -> None:
    for i in range(200):
        world = make_world("false_cause", "lots", i)
        told = [said.text for said in world.premises["fallacy"]]
        assert not re.search(r"(?:hives|hen houses|gardens)(?: in the district,)? (?:drew|half)", " ".join(told))
        assert not re.search(r" may do as much| bring that about", told[0])


def test_a_question_in_quotation_marks_goes_on_with_who_said_it() -> None:
    plan = FreshPlan(
        seed="asked", n=4, styles=("single",), register="dialogue", explicitness="suggested", evaluator="joins"
    )
    texts = " ".join(i.item.text for i in make_fresh(plan).items)
    assert "?” said " in texts
    assert not re.search(r"[”’] (?:Said|Asked) ", texts)


def test_a_law_about_a_class_is_a_sentence() -> None:
    laws = [
        premise.text
        for i in range(300)
        for premise in make_world("false_premise", "laws", i).premises["sound"]
        if " card" not in premise.text
    ]
    assert [law for law in laws if re.search(r"[Ee]very .* (?:has no|never) ", law)] == []
    assert any(re.search(r"(?:^No|that no) \w.* has \w", law) for law in laws)


@pytest.mark.parametrize("fallacy", TYPES)
def test_every_world_is_proved_the_twin_from_what_is_stated(fallacy: str) -> None:
    worlds = [make_world(fallacy, "test", i) for i in range(SEEN)]
    for world, proof in zip(worlds, prove(worlds, evaluator="joins"), strict=True):
        assert proof is not None, world.premises
        assert proof.fallacy is not None
        assert proof.fallacy.conclusion == world.claims["fallacy"]
        stated = {str(f.args[1:]) for f in world.stated("sound")}
        assert {str(f.args[1:]) for f in proof.twin.facts} <= stated
        assert not near_synonyms(world.facts["fallacy"])


@needs_swipl
def test_both_evaluators_prove_the_same() -> None:
    worlds = [make_world(f, "test", i) for f in TYPES for i in range(3)]
    shown = [
        [(p.fallacy.rule, p.twin.rule) if p and p.fallacy else None for p in prove(worlds, evaluator=e)]
        for e in ("swipl", "joins")
    ]
    assert shown[0] == shown[1]
    assert None not in shown[0]


def test_a_twin_is_not_proved_without_a_premise_that_its_text_lacks() -> None:
    world = make_world("false_cause", "test", 1)
    cut = {k: tuple(s for s in said if "persists" not in str(s.facts)) for k, said in world.premises.items()}
    lame = type(world)(
        world.id, world.fallacy, world.place, world.kind, world.facts, cut, world.conclusions, world.claims, world.core
    )
    assert prove([lame], evaluator="joins") == [None]


@pytest.mark.parametrize("fallacy", TYPES)
def test_fallacy_and_twin_have_the_same_premises_and_equally_long_conclusions(fallacy: str) -> None:
    lengths = []
    for number in range(SEEN):
        world = make_world(fallacy, "test", number)
        bags = [
            collections.Counter(re.findall(r"\w+", " ".join(s.text for s in world.premises[k])))
            for k in ("fallacy", "sound")
        ]
        assert bags[0] == bags[1]
        lengths.append(len(world.conclusions["fallacy"].split()) - len(world.conclusions["sound"].split()))
    assert abs(sum(lengths)) <= SEEN


def test_two_seeds_share_no_text_and_the_same_seed_gives_the_same() -> None:
    plan = FreshPlan(seed="one", n=1, points=3, evaluator="joins")
    one, again = make_fresh(plan), make_fresh(plan)
    two = make_fresh(FreshPlan(seed="two", n=1, points=3, evaluator="joins"))
    assert [i.to_dict() for i in one.items] == [i.to_dict() for i in again.items]
    assert not {i.item.text for i in one.items} & {i.item.text for i in two.items}
    assert plan.commitment != two.plan.commitment
    assert "seed" not in plan.settings()


def test_a_panel_differs_from_its_twin_in_one_conclusion() -> None:
    made = make_fresh(FreshPlan(seed="panel", n=1, fallacies=TYPES[:4], styles=("panel",), evaluator="joins"))
    for one in made.items:
        a, b = one.item.text.split("\n"), str(one.item.sound_twin).split("\n")
        assert len(a) == len(b) == 9 + 2
        assert sum(x != y for x, y in zip(a, b, strict=True)) == 1


def test_knobs_are_followed_and_checked() -> None:
    made = make_fresh(
        FreshPlan(
            seed="k", n=2, fallacies=("begging_the_question",), styles=("single",), register="quiz", distance=2,
            depth=5, evaluator="joins",
        )
    )  # fmt: skip
    for one in made.items:
        assert one.item.wording == "single quiz distance=2"
        assert one.proof.fallacy is not None
        assert sum(f.predicate == "rests_on" for f in one.proof.fallacy.facts) == 5
    with pytest.raises(InputError, match="seed: a fresh set needs a secret"):
        FreshPlan(seed=" ")
    with pytest.raises(UnknownNameError, match="unknown register 'song'"):
        FreshPlan(seed="k", register="song")
    with pytest.raises(InputError, match="points: must be 2 to 14, got 15"):
        FreshPlan(seed="k", points=15)


def test_cues_are_found_where_there_are_some_and_not_where_there_are_none() -> None:
    texts = [f"{w} {n}" for n in range(20) for w in ("red", "blue")]
    labels = ["a", "b"] * 20
    groups = [str(n) for n in range(20) for _ in range(2)]
    assert cue_share(texts, labels, groups) == 1
    made = make_fresh(FreshPlan(seed="cues", n=10, styles=("single",), evaluator="joins"))
    texts = [t for i in made.items for t in (i.item.text, str(i.item.sound_twin))]
    assert cue_share(texts, ["a", "b"] * len(made.items), [i.item.id for i in made.items for _ in (0, 1)]) < 0.62


def test_published_texts_may_hold_other_line_ends(tmp_path: Path) -> None:
    texts = [f"The cat sat on the mat.{end}It rained all day long." for end in "\u2028\u2029\x85"]
    (tmp_path / "lfud").mkdir()
    lines = "".join(json.dumps({"text": t}, ensure_ascii=False) + "\n" for t in texts)
    (tmp_path / "lfud" / "x.jsonl").write_text(lines, encoding="utf-8")
    assert [text for _, text in published_texts(tmp_path)] == texts


def test_published_cells_keep_quoted_line_ends(tmp_path: Path) -> None:
    text = 'The cat sat on "the" mat.\r\nIt rained\nall\u2028day long.'
    (tmp_path / "lfud").mkdir()
    with (tmp_path / "lfud" / "x.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["id", "text"], ["1", text]])
    assert [found for _, found in published_texts(tmp_path)] == [text]


def test_overlap_is_found() -> None:
    ours = ["The cat sat on the mat while it rained outside all day.", "Nothing of the kind."]
    found = overlap(ours, [("x", ours[0].upper()), ("y", "so the cat sat on the mat while it rained, and more")])
    assert (found["exact"], found["eight_words"]) == (1, {"n": 1, "sets": {"x": 1, "y": 1}})


@pytest.mark.parametrize("fallacy", sorted(CHAINS))
@pytest.mark.parametrize("depth", [2, 6])
def test_a_chain_is_as_deep_as_asked_for_and_the_twin_needs_all_of_it(fallacy: str, depth: int) -> None:
    worlds = [make_world(fallacy, "deep", i, depth=depth) for i in range(4)]
    for proof in prove(worlds, evaluator="joins"):
        assert proof is not None
        assert proof.fallacy is not None
        chain = proof.fallacy if fallacy == "begging_the_question" else proof.twin
        links = sum(f.predicate in ("rests_on", "implies") for f in chain.facts)
        assert links == depth + (fallacy != "begging_the_question")  # the rule itself, and the way back


def test_distractors_and_explicitness_are_the_same_for_both_texts() -> None:
    plan = {"seed": "d", "n": 2, "fallacies": TYPES[:5], "styles": ("single",), "evaluator": "joins"}
    bare = make_fresh(FreshPlan(**plan))  # type: ignore[arg-type]
    for how, sign in (("marked", "."), ("unmarked", "."), ("suggested", "?")):
        made = make_fresh(FreshPlan(**plan, distractors=2, explicitness=how))  # type: ignore[arg-type]
        for one, short in zip(made.items, bare.items, strict=True):
            assert one.item.wording.endswith(f"distractors=2 {how}")
            assert one.world == short.world
            assert len(one.item.text) > len(short.item.text) + 80
            end = one.world.conclusions["fallacy"][1:]
            assert one.item.text.replace("‘", "“").replace("’", "”").partition(end.replace("’", "”"))[2][:1] in (
                sign,
                ",",
            )
            own = [
                len(t) - len(end)
                for t, end in zip(
                    _texts(one), (one.world.conclusions["fallacy"], one.world.conclusions["sound"]), strict=True
                )
            ]
            assert own[0] == own[1]
    with pytest.raises(UnknownNameError, match="unknown explicitness 'loud'"):
        FreshPlan(seed="d", explicitness="loud")


def _texts(one: FreshItem) -> tuple[str, str]:
    return one.item.text, str(one.item.sound_twin)
