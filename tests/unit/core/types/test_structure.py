"""Argument structures as values: what they refuse, what they say of themselves, and what is wrong with them."""

import json
import re

import pytest
from hypothesis import given

from fallax.core.types import ArgumentStructure, CausalClaim, Evidence, Link, Statement, StructureReading, link_role
from fallax.errors import InputError, LogicError, UnknownNameError
from tests.support.structures import structures

CLAIM = Statement("Claim", "c")


def structure(*links: str, claim: Statement | None = CLAIM, also: str = "") -> ArgumentStructure:
    """From "A,B->C" and the like."""
    built = []
    for text in links:
        before, _, after = text.partition("->")
        built.append(Link(tuple(before.split(",")), tuple(after.split(","))))
    ids = dict.fromkeys([i for x in built for i in (*x.sources, *x.targets) if claim is None or i != claim.id])
    return ArgumentStructure(claim, tuple(map(Statement, (*ids, *also.split()))), tuple(built))


def test_kinds_leaves_intermediates_steps_and_depth() -> None:
    found = structure("A->B,C", "B,C,E->Claim", also="X")
    assert [link.kind for link in found.links] == ["one_to_many", "many_to_one"]
    assert [n.id for n in found.leaves] == ["A", "E"]
    assert [n.id for n in found.intermediates] == ["B", "C"]
    assert [found.kind_of(i) for i in ("Claim", "A", "B", "X")] == ["claim", "leaf", "intermediate", "unused"]
    assert [str(s) for s in found.steps] == ["A -> B", "A -> C", "(B, C, E) -> Claim"]
    assert (found.n_steps, found.depth) == (3, 2)
    assert found.leaves_under("Claim") == {"A", "E"}
    assert found.leaves_under("A") == {"A"}
    assert found.pairs == (("A", "B", ""), ("A", "C", ""), ("B", "Claim", ""), ("C", "Claim", ""), ("E", "Claim", ""))
    with pytest.raises(LogicError, match="node 'Z'"):
        found.kind_of("Z")


@pytest.mark.parametrize(
    ("links", "also", "problem"),
    [
        ((), "A", "structure: must have a link, got none"),
        (("A->B", "B->A", "B->Claim"), "", "node 'A': must not lead back to itself, got A -> B -> A"),
        (("A->Claim",), "X", "node 'X': must take part in a link, got none"),
        (("A->Claim", "B->C"), "", "node 'B': must lead to the claim 'Claim', got a dead end at 'C'"),
        (("A->Claim", "A->C"), "", "node 'C': must lead to the claim 'Claim', got no link from it"),
        (("A->Claim", "Claim->C"), "", "node 'Claim': the claim must lead nowhere, got a link to 'C'"),
        (("A->B", "B->C", "C->A"), "", "node 'A': must lead to the claim 'Claim', got a cycle"),
        (("A->B",), "", "node 'Claim': must take part in a link, got none"),
    ],
)
def test_problems_name_the_node(links: tuple[str, ...], also: str, problem: str) -> None:
    found = structure(*links, also=also)
    assert problem in found.problems
    with pytest.raises(LogicError, match=re.escape(found.problems[0])):
        found.check()


def test_without_a_claim_nodes_must_be_connected() -> None:
    assert structure("A->B", "C->B", claim=None).problems == ()
    assert structure("A->B", "C->D", claim=None).problems == (
        "node 'C': must be connected with node 'A', got no path",
        "node 'D': must be connected with node 'A', got no path",
    )


def test_depth_of_a_cycle_is_an_error_and_all_else_still_works() -> None:
    found = structure("A->B", "B->A", "B->Claim")
    with pytest.raises(LogicError, match="depth: node 'A': must not lead back to itself"):
        _ = found.depth
    assert sorted(str(s) for s in found.steps) == ["A -> B", "B -> A", "B -> Claim"]
    assert found.leaves_under("Claim") == frozenset()


@pytest.mark.parametrize(
    ("sources", "targets", "why"),
    [
        ((), ("A",), "must have sources, got none"),
        (("A",), (), "must have targets, got none"),
        (("A", "A"), ("B",), "node 'A' must be named once among its sources"),
        (("A",), ("A",), "node 'A' must not lead to itself"),
        (("A", "B"), ("C", "D"), "must have one source or one target, got 2 and 2"),
        (("",), ("C",), "must not be empty"),
        ((1,), ("C",), "must be a text, got 1"),
    ],
)
def test_impossible_links_are_refused(sources: tuple[str, ...], targets: tuple[str, ...], why: str) -> None:
    with pytest.raises(LogicError, match=why):
        Link(sources, targets)


def test_impossible_structures_are_refused() -> None:
    a, link = Statement("A"), Link(("A",), ("Claim",))
    with pytest.raises(LogicError, match=r"node 'B': must be the claim or a piece of evidence.*\(A, B\) -> Claim"):
        ArgumentStructure(CLAIM, (a,), (Link(("A", "B"), ("Claim",)),))
    with pytest.raises(LogicError, match="node 'A': each name must be used once"):
        ArgumentStructure(CLAIM, (a, Statement("A", "x")), ())
    with pytest.raises(LogicError, match="link A -> Claim: must be given once"):
        ArgumentStructure(CLAIM, (a,), (link, link))
    with pytest.raises(LogicError, match="the name must not be empty"):
        Statement("")
    with pytest.raises(LogicError, match="reading: must have either"):
        StructureReading(None)


@pytest.mark.parametrize(
    "value", [[], {"links": {}}, {"evidence": ["A"]}, {"claim": "c"}, {"links": [{"sources": "A"}]}, {"claim": {}}]
)
def test_from_dict_refuses_other_shapes(value: object) -> None:
    with pytest.raises(LogicError, match=r"must be (a text|an object|a list)"):
        ArgumentStructure.from_dict(value)  # type: ignore[arg-type]


@given(structures())
def test_every_structure_can_be_asked_everything(drawn: tuple[ArgumentStructure, tuple[Statement, ...]]) -> None:
    found = drawn[0]
    assert found.n_steps == len(found.steps) == len({t for _, t, r in found.pairs if link_role(r) == "supports"})
    assert set(found.inferences.steps) == set(found.steps)
    assert found.inferences.n_steps == found.n_steps
    assert len(found.leaves) + len(found.intermediates) <= len(found.evidence)
    assert hash(found) == hash(ArgumentStructure.from_dict(json.loads(json.dumps(found.to_dict()))))
    cyclic = any("back to itself" in p for p in found.problems)
    assert cyclic == (len(found.depths) < len(found.nodes))
    order = [s.conclusion for s in found.steps]
    if not cyclic:
        assert found.depth <= found.n_steps
        assert all(order.index(p) < i for i, s in enumerate(found.steps) for p in s.premises if p in order)


def test_a_long_chain_needs_no_recursion() -> None:
    n = 10_000
    ids = [f"E{i}" for i in range(n)]
    links = tuple(Link((a,), (b,)) for a, b in zip(ids, [*ids[1:], "Claim"], strict=True))
    found = ArgumentStructure(CLAIM, tuple(map(Statement, ids)), links)
    assert (found.depth, found.problems, found.leaves_under("Claim")) == (n, (), frozenset({"E0"}))


def test_a_causal_claim_knows_leaves_and_distractors() -> None:
    gold = structure("A->B", "B->Claim")
    evidence = (
        Evidence("A", "a", True, True),
        Evidence("B", "b", True, False),
        Evidence("D", "d", False, True),
        Evidence("X", "x", False, False),
    )
    claim = CausalClaim("1", "c", evidence, "supports", gold, "x", "y", meta={"k": 1})
    assert [e.id for e in claim.leaf_evidence] == ["A", "D", "X"]
    assert [e.id for e in claim.distractors] == ["D", "X"]
    assert (claim.n_distractors, claim.n_steps, claim.group) == (2, 2, "1")
    assert CausalClaim.from_dict(json.loads(json.dumps(claim.to_dict()))) == claim
    assert CausalClaim("2", "c").n_steps is None
    with pytest.raises(InputError, match="claim '1': each piece of evidence must have its own id, got 'A' twice"):
        CausalClaim("1", "c", (evidence[0], evidence[0]))
    with pytest.raises(UnknownNameError, match="claim '1': unknown verdict 'SUPPORTS'; did you mean 'supports'"):
        CausalClaim("1", "c", label="SUPPORTS")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the id must be a text"):
        CausalClaim("", "c")


def test_what_attacks_undercuts_or_rephrases_is_no_step() -> None:
    links = (
        Link(("A",), ("B",)),
        Link(("B",), ("Claim",)),
        Link(("C",), ("A",), "attacks"),
        Link(("D",), ("C",), "undercuts"),
        Link(("E",), ("B",), "rephrases"),
    )
    found = ArgumentStructure(CLAIM, tuple(map(Statement, "ABCDE")), links)
    assert [str(s) for s in found.steps] == ["A -> B", "B -> Claim"]
    assert (found.n_steps, found.depth, found.problems) == (2, 2, ())
    assert [n.id for n in found.leaves] == ["A", "C", "D", "E"]
    assert [n.id for n in found.intermediates] == ["B"]
    assert found.leaves_under("Claim") == {"A"}
    assert found.premises_of("B") == ("A", "E")
