"""What tools write beyond the plain examples of their pages: arguments as targets, tags, front matter, Markdown."""

import json

import pytest

from fallax.errors import FormatError
from fallax.structures import detect_structure_format, format_structure, parse_structure

ARGDOWN = """===
title: Paint
===
[Claim]: The wall is damp. #claim #room(2)
  <_ <Doubt>

<Repaint>: An argument. {weight: 2}
  - [Photo]

(1) [Stain]: There is a stain.
(2) [Rule]: Stains mean damp.
-- Induction {uses: [1, 2]} --
(3) [Claim]
"""


def test_argdown_arguments_are_targets_and_what_is_passed_over_is_named() -> None:
    found = parse_structure(ARGDOWN)
    assert found.structure is not None
    assert found.structure.claim is not None
    assert found.structure.claim.text == "The wall is damp."
    assert {(str(x), x.relation) for x in found.structure.links} == {
        ("Doubt -> Claim", "undercuts"),
        ("Photo -> Repaint", "attacks"),
        ("(Stain, Rule) -> Repaint", ""),
        ("Repaint -> Claim", ""),
    }
    assert any("#room" in note and "skipped" in note for note in found.notes)
    assert any("{weight: 2}" in note for note in found.notes)


@pytest.mark.parametrize("lead", ["+ <A>", "<+ <A>"])
def test_argdown_arguments_support(lead: str) -> None:
    found = parse_structure(f"[C]: late\n  {lead}: as it rained\n").structure
    assert found is not None
    assert [(str(x), x.relation) for x in found.links] == [("A -> C", "")]
    assert found.by_id["A"].text == "as it rained"


def test_argdown_keeps_attack_undercut_and_contradiction_apart() -> None:
    found = parse_structure("[C]: late\n  - [A]: no\n  _ [B]: so what\n  >< [D]: early\n").structure
    assert found is not None
    assert [x.relation for x in found.links] == ["attacks", "undercuts", "contradicts"]
    written = format_structure(found, format="argdown")
    assert not [loss for loss in written.losses if "relation" in loss]
    again = parse_structure(written.text, format="argdown").structure
    assert again is not None
    assert {(str(x), x.relation) for x in again.links} == {(str(x), x.relation) for x in found.links}


MERMAID = """---
title: Late
config:
  theme: dark
---
flowchart BT
  a@{ shape: rounded, label: "it rained" } --> b
  b@{ shape: rect, label: 'wet' } --> c["late"]
"""


@pytest.mark.parametrize(
    "text", [MERMAID, f"# A page\n\nE1 -> no arrow of ours\n\n```mermaid\n{MERMAID}```\n\nMore.\n"]
)
def test_mermaid_with_front_matter_and_inside_markdown(text: str) -> None:
    assert detect_structure_format(text) == "mermaid"
    found = parse_structure(text).structure
    assert found is not None
    assert [str(x) for x in found.links] == ["a -> b", "b -> c"]
    assert [n.text for n in found.nodes] == ["it rained", "wet", "late"]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("%%{init: {'theme': 'dark'}}%%\ngraph\nA[one]-->B[two]\n", ["A -> B"]),
        ("flowchart-elk TD\nA[one]-->B[two]\n", ["A -> B"]),
        ("graph >;A[one]-->B[two]\n", ["A -> B"]),
        ("Text.\n\n:::mermaid\ngraph TD\nA[one]-->B[two]\n:::\n", ["A -> B"]),
        ("Text.\n\n```{mermaid}\ngraph TD\nA[one]-->B[two]\n```\n", ["A -> B"]),
        ('flowchart TD\nC[a 5" pipe]-->B\nA["one"]-->B\nE[a 6" pipe]-->B', ["C -> B", "A -> B", "E -> B"]),
        ('flowchart TD\nC[a 5" pipe] --> D["a\nb"]\nA["one"] -- "so\nit is" --> D', ["C -> D", "A -> D"]),
    ],
)
def test_mermaid_without_direction_and_in_other_fences(text: str, pairs: list[str]) -> None:
    found = parse_structure(text).structure
    assert found is not None
    assert [str(x) for x in found.links] == pairs
    assert found.by_id["A"].text == "one"


def test_long_arrows_are_arrows_and_leave_no_dash_in_a_name() -> None:
    found = parse_structure("E1-->E2 ==> Claim\nE3 -> Claim\n", format="arrows").structure
    assert found is not None
    assert [str(x) for x in found.links] == ["E1 -> E2", "E2 -> Claim", "E3 -> Claim"]


def test_argdown_keeps_numbers_and_stars_inside_a_statement() -> None:
    found = parse_structure("[C]: The mill closed in 1984. The *big* wheel broke.\n  1. + [A]: It was old.\n").structure
    assert found is not None
    assert found.by_id["C"].text == "The mill closed in 1984. The big wheel broke."


@pytest.mark.parametrize("key", ["type", "kind", "role", "label", "relation"])
def test_an_edge_that_attacks_is_no_support_wherever_a_tool_says_it(key: str) -> None:
    graph = {"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b", key: "attack"}]}
    found = parse_structure(json.dumps({"directed": True, **graph}))
    assert found.structure is not None
    assert [x.role for x in found.structure.links] == ["attacks"]


def test_a_kind_of_edge_that_cannot_be_read_is_named() -> None:
    edge = {"source": "a", "target": "b", "kind": "smoothstep"}
    found = parse_structure(json.dumps({"directed": True, "nodes": [{"id": "a"}, {"id": "b"}], "links": [edge]}))
    assert found.notes == ("data of nodes and edges that a structure cannot represent, skipped: kind",)


@pytest.mark.parametrize("word", ["attack", "Contradicts", "conflict", "con", "rebuttal", "opposes", "refute"])
def test_words_for_an_attack_on_an_arrow(word: str) -> None:
    found = parse_structure(f"flowchart TD\na -->|{word}| b\nc --> b\n").structure
    assert found is not None
    assert [x.role for x in found.links] == ["attacks", "supports"]
    assert [str(s) for s in found.steps] == ["c -> b"]


def test_invisible_edges_of_graphviz_place_nodes_and_looks_alone_are_named() -> None:
    text = 'digraph { a -> c\nb -> c [color=red, arrowhead=tee]\na -> b -> d [style="invis"]\ne -> c [headlabel="no"] }'
    found = parse_structure(text)
    assert found.structure is not None
    assert [str(x) for x in found.structure.links] == ["a -> c", "b -> c", "e -> c"]
    assert found.notes == (
        "2 invisible edges only place nodes; they are skipped",
        "2 looks of edges without labels (colour, head); what they mean is not read, so all are supports",
        "data of nodes and edges that a structure cannot represent, skipped: headlabel",
    )


def test_the_kind_of_an_edge_in_gexf() -> None:
    edge = '<edge id="0" source="a" target="b" kind="attack"/>'
    text = (
        '<gexf version="1.3"><graph defaultedgetype="directed"><nodes><node id="a" label="A"/><node id="b" label="B"/>'
        f"</nodes><edges>{edge}</edges></graph></gexf>"
    )
    found = parse_structure(text).structure
    assert found is not None
    assert [x.role for x in found.links] == ["attacks"]


def test_argdown_data_may_stand_before_tags() -> None:
    found = parse_structure(
        '[C]: We {may} repaint. {source: "Minutes, p. 3", on: [a]} #policy #(the city)\n  + [A]: Rust.\n'
    )
    assert found.structure is not None
    assert found.structure.by_id["C"].text == "We {may} repaint."
    assert "{source:" in found.notes[0]


def test_mermaid_texts_and_data_over_several_lines() -> None:
    text = """flowchart TD
    A["It rained
    all day"] --> C
    B@{
      shape: doc
      label: "Wet, with {braces}"
    }
    B --> C@{ shape: rect, label: "late: {x}" }
    """
    found = parse_structure(text).structure
    assert found is not None
    assert {n.id: n.text for n in found.nodes} == {
        "A": "It rained\nall day", "B": "Wet, with {braces}", "C": "late: {x}",
    }  # fmt: skip
    assert [str(x) for x in found.links] == ["A -> C", "B -> C"]
    with pytest.raises(FormatError, match="2: a box must be closed"):
        parse_structure('flowchart TD\nA["never --> B\nC --> D\n')
