"""Claims built from pairs: steps that are kept, distractors, NEI, checks, splits."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fallax.causality.building import (
    BuildSettings,
    Built,
    StepLog,
    assemble,
    build_drafts,
    check_draft,
    check_pair,
    describe_claims,
    find_distractors,
    split_claims,
)
from fallax.causality.building.checks import same_text
from fallax.core.types import CausalClaim, Evidence, Reply, Request
from fallax.errors import AuthenticationError, FormatError, InputError, RateLimitError, RunError
from fallax.models import ScriptedModel
from tests.support.building import reply_to

SETTINGS = BuildSettings(attempts=2)


def pair(i: int) -> CausalClaim:
    return CausalClaim(
        f"p{i}", "", cause=f"The mill of town {i} lost its wheel.", effect=f"Bakers of town {i} had no flour.",
        meta={"explanation": f"Mill {i} ground all flour of the town. Without a wheel mill {i} grinds nothing."},
    )  # fmt: skip


def answered(request: Request) -> str:
    return reply_to(request.messages[-1].content)


async def built(pairs: list[CausalClaim], model: ScriptedModel, log: StepLog) -> list[Built]:
    return [b async for b in build_drafts(pairs, model, log, settings=SETTINGS)]


def drafts(n: int, folder: Path) -> list[CausalClaim]:
    with StepLog(folder, {}) as log:
        found = asyncio.run(built([pair(i) for i in range(n)], ScriptedModel(answered), log))
    return [d for b in found for d in b.drafts]


def test_a_pair_becomes_a_supported_and_a_refuted_claim_in_six_questions(tmp_path: Path) -> None:
    model = ScriptedModel(answered)
    with StepLog(tmp_path, {}) as log:
        (one,) = asyncio.run(built([pair(1)], model, log))
    assert len(model.requests) == 6
    sup, ref = one.drafts
    assert (sup.id, sup.label, ref.id, ref.label, sup.group) == ("p1-sup", "supports", "p1-ref", "refutes", "p1")
    assert sup.claim == ref.claim
    assert ref.meta["counterfactual"].startswith("It is far from true")
    assert {e.text for e in sup.evidence} != {e.text for e in ref.evidence}
    for d in one.drafts:
        assert d.structure is not None
        assert d.structure.problems == ()
        assert check_draft(d) == ()
        assert {e.id for e in d.evidence if e.leaf} == {n.id for n in d.structure.leaves}
    rows = [json.loads(line) for line in (tmp_path / "steps.jsonl").read_text().splitlines()]
    assert [r["step"] for r in rows] == [
        "claim", "support", "opposite", "refute", "structure of support", "structure of refutation",
    ]  # fmt: skip
    assert all(r["status"] == "ok" and r["reply"] for r in rows)


def test_what_is_in_the_log_is_not_asked_again_and_a_torn_line_is_cut(tmp_path: Path) -> None:
    whole = drafts(2, tmp_path / "whole")
    drafts(2, tmp_path / "torn")
    lines = (tmp_path / "torn" / "steps.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "torn" / "steps.jsonl").write_bytes(b"".join(lines[:7]) + lines[7][:20])
    model = ScriptedModel(answered)
    with StepLog(tmp_path / "torn", {}) as log:
        assert log.n_read == 7
        found = asyncio.run(built([pair(0), pair(1)], model, log))
    assert [d for b in found for d in b.drafts] == whole
    assert len(model.requests) == 5


def test_an_unreadable_step_is_asked_again_and_given_up_in_the_end(tmp_path: Path) -> None:
    def refuses(request: Request) -> str:
        if "begins with Opposite" in request.messages[0].content:
            return "No."
        return answered(request)

    model = ScriptedModel(refuses)
    with StepLog(tmp_path, {}) as log:
        (one,) = asyncio.run(built([pair(1)], model, log))
        assert (one.status, one.drafts) == ("unreadable", ())
        assert one.reason == "opposite: must be a sentence of 3 to 80 words, got 1"
        assert [r.epoch for r in model.requests if "begins with Opposite" in r.messages[0].content] == [0, 1]
        n = len(model.requests)
        asyncio.run(built([pair(1)], model, log))
        assert len(model.requests) == n  # given up is given up


def test_a_model_that_does_not_answer_fails_its_pair_alone_and_is_asked_again(tmp_path: Path) -> None:
    def ill(request: Request) -> Any:
        return RateLimitError("slow down") if "town 1" in request.messages[0].content else answered(request)

    with StepLog(tmp_path, {}) as log:
        found = asyncio.run(built([pair(0), pair(1)], ScriptedModel(ill), log))
        assert [b.status for b in found] == ["ok", "failed"]
        again = asyncio.run(built([pair(0), pair(1)], ScriptedModel(answered), log))
    assert [b.status for b in again] == ["ok", "ok"]


def test_a_model_that_will_answer_nobody_stops_the_build(tmp_path: Path) -> None:
    with StepLog(tmp_path, {}) as log, pytest.raises(AuthenticationError):
        asyncio.run(built([pair(0), pair(1)], ScriptedModel(lambda _: AuthenticationError("no key")), log))


def test_a_folder_holds_one_build_and_one_process(tmp_path: Path) -> None:
    with StepLog(tmp_path, {"attempts": 2}), pytest.raises(RunError, match="another process builds there"):
        StepLog(tmp_path, {"attempts": 2})
    with pytest.raises(RunError, match="holds a build with attempts = 2, asked for 3; give the same"):
        StepLog(tmp_path, {"attempts": 3})


def test_a_line_that_is_no_step_is_named(tmp_path: Path) -> None:
    with StepLog(tmp_path, {}) as log:
        log.add("p", "claim", Reply("x"), value="y")
    with (tmp_path / "steps.jsonl").open("a") as f:
        f.write("{}\n")
    with pytest.raises(FormatError, match=r"steps\.jsonl:2: each line must be a step"):
        StepLog(tmp_path, {})


def test_assembled_sets_have_three_verdicts_and_distractors_of_others_alone(tmp_path: Path) -> None:
    made = drafts(12, tmp_path)
    claims = assemble(made, seed=3)
    assert claims == assemble(made, seed=3)
    assert claims != assemble(made, seed=4)
    assert describe_claims(claims)["verdicts"] == {"nei": 12, "refutes": 12, "supports": 12}
    own: dict[str, set[str]] = {}
    for d in made:
        own.setdefault(d.group, set()).update(same_text(e.text) for e in d.evidence)
    by_group: dict[str, set[tuple[str, ...]]] = {}
    for c in claims:
        assert 8 <= c.n_distractors <= 12
        assert not own[c.group] & {same_text(e.text) for e in c.distractors}
        assert [e.id for e in c.evidence] == [f"Sentence{i}" for i in range(1, len(c.evidence) + 1)]
        by_group.setdefault(c.group, set()).add(tuple(sorted(e.text for e in c.distractors)))
        if c.structure is not None:
            assert c.structure.problems == ()
            assert all(c.structure.by_id[e.id].text == e.text for e in c.evidence if e.useful)
    assert all(len(x) == 1 for x in by_group.values())  # the same for SUP, REF and NEI


def test_nei_lacks_a_leaf_or_mixes_both_sides(tmp_path: Path) -> None:
    made = drafts(12, tmp_path)
    leaves = {(d.group, d.label): {same_text(e.text) for e in d.evidence if e.leaf} for d in made}
    seen = set()
    for c in (c for seed in range(5) for c in assemble(made, seed=seed)):
        if c.label != "nei":
            continue
        seen.add(c.meta["how"].split()[0])
        shown = {same_text(e.text) for e in c.evidence if e.useful is None}
        assert shown
        assert (leaves[c.group, "supports"] <= shown) == (leaves[c.group, "refutes"] <= shown)
        assert c.structure is None
    assert seen == {"removal", "mixing"}


def test_half_a_pair_still_gives_claims(tmp_path: Path) -> None:
    made = [d for d in drafts(3, tmp_path) if d.label == "supports"]
    assert [c.label for c in assemble(made)] == ["supports", "nei"] * 3
    assert assemble([]) == []


def test_distractors_may_come_from_elsewhere_and_the_embedder_orders_them(tmp_path: Path) -> None:
    class Chooses:
        name = "chooses"

        def __call__(self, texts: Any) -> list[list[float]]:
            return [[1.0, float("chance" in t)] for t in texts]

    made = drafts(1, tmp_path)
    assert find_distractors(made, n=(1, 1)) == {"p0": ()}
    more = ["A mill by choice.", "A mill by chance.", " ", made[0].evidence[0].text.upper()]
    assert find_distractors(made, more=more, n=(1, 1), embedder=Chooses()) == {"p0": ("A mill by choice.",)}
    with pytest.raises(InputError, match="from low to high"):
        find_distractors(made, n=(3, 2))


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"claim": "Nothing of the kind."}, "claim: must say the cause, got none of its words"),
        ({"structure": None}, "structure: must be there, got none"),
        ({"evidence": "x " * 30}, "Sentence1: must have at most 25 words, got 30"),
        ({"evidence": "Bakers of town 0 had no flour!"}, "Sentence1: must not repeat the effect"),
        ({"evidence": "By Inference 2 it holds."}, "Sentence1: must not speak of the task, got 'Inference 2'"),
        ({"meta": {"counterfactual": "bakers of town 0 had no flour"}}, "counterfactual effect: must differ"),
    ],
)
def test_checks_say_what_is_conspicuous(given: dict[str, Any], problem: str, tmp_path: Path) -> None:
    draft = drafts(1, tmp_path)[0]
    if isinstance(said := given.get("evidence"), str):
        given = {"evidence": (Evidence("Sentence1", said.strip()), *draft.evidence[1:])}
    assert any(p.startswith(problem) for p in check_draft(replace(draft, **given)))


def test_pairs_without_two_sides_are_left_out() -> None:
    assert check_pair(pair(1)) == ()
    assert check_pair(CausalClaim("x", "", cause="It rained a lot.", effect="it rained a LOT")) == (
        "cause and effect must differ, got the same",
    )


def test_splits_keep_pairs_together_and_follow_the_seed(tmp_path: Path) -> None:
    claims = assemble(drafts(10, tmp_path))
    found = split_claims(claims, {"train": 0.8, "dev": 0.1, "test": 0.1}, seed=2)
    assert {name: len(x) for name, x in found.items()} == {"train": 24, "dev": 3, "test": 3}
    groups = [{c.group for c in x} for x in found.values()]
    assert not groups[0] & groups[1] | groups[0] & groups[2] | groups[1] & groups[2]
    assert found == split_claims(claims, {"train": 0.8, "dev": 0.1, "test": 0.1}, seed=2)
    assert all(c.meta["split"] == "dev" for c in found["dev"])
    with pytest.raises(InputError, match=r"add up to 1, got train=0\.8"):
        split_claims(claims, {"train": 0.8})
