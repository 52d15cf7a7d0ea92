"""Structures as other tools write them, and the refusal of what is no structure."""

import json
from pathlib import Path

import pytest

from fallax.core.types import ArgumentStructure
from fallax.errors import FormatError, InputError, UnknownNameError
from fallax.structures import (
    detect_structure_format,
    format_proof,
    format_structure,
    parse_proof,
    parse_structure,
    read_structure,
)


def links(text: str, format: str | None = None) -> list[tuple[str, str]]:
    found = parse_structure(text, format=format).structure
    assert found is not None
    return [(str(link), link.relation) for link in found.links]


def structure(text: str, format: str | None = None) -> ArgumentStructure:
    found = parse_structure(text, format=format).structure
    assert found is not None
    return found


XAIF = {
    "AIF": {
        "nodes": [
            {"nodeID": 1, "text": "It rained", "type": "I"},
            {"nodeID": 2, "text": "The field was wet", "type": "I"},
            {"nodeID": 3, "text": "No rain fell", "type": "I"},
            {"nodeID": 4, "text": "Default Inference", "type": "RA"},
            {"nodeID": 5, "text": "Argument From Sign", "type": "RA"},
            {"nodeID": 6, "text": "Default Conflict", "type": "CA"},
            {"nodeID": 7, "text": "Ann: it rained", "type": "L"},
            {"nodeID": 8, "text": "Asserting", "type": "YA"},
            {"nodeID": 9, "text": "The match was late", "type": "I"},
        ],
        "edges": [
            {"edgeID": 1, "fromID": 1, "toID": 4},
            {"edgeID": 2, "fromID": 4, "toID": 2},
            {"edgeID": 3, "fromID": 2, "toID": 5},
            {"edgeID": 4, "fromID": 5, "toID": 9},
            {"edgeID": 5, "fromID": 3, "toID": 6},
            {"edgeID": 6, "fromID": 6, "toID": 1},
            {"edgeID": 7, "fromID": 7, "toID": 8},
            {"edgeID": 8, "fromID": 8, "toID": 1},
        ],
    }
}


def test_xaif_with_locutions_and_conflicts() -> None:
    read = parse_structure(json.dumps(XAIF))
    assert links(json.dumps(XAIF)) == [("1 -> 2", ""), ("2 -> 9", "Argument From Sign"), ("3 -> 1", "attacks")]
    assert read.structure is not None
    assert read.structure.claim is not None
    assert read.structure.claim.text == "The match was late"
    assert read.notes == ("2 nodes are neither information nor schemes (locutions and the like); they are skipped",)


ARGDOWN = """===
title: A match
===

# The match

// a comment
[Late]: The match was late,
  as everybody saw. #claim
  + [Wet]: The field was wet.
    + <Rain>
    + [Rain]: It *rained*. /* hard */
  - [Early]: It began \\#early.

<Why>

(1) [Rain]
(2) Drains were blocked.
-- modus ponens --
(3) [Wet]
"""


def test_argdown_relations_and_arguments() -> None:
    assert links(ARGDOWN) == [
        ("Wet -> Late", ""),
        ("<Rain> -> Wet", ""),  # an argument has a name of its own beside the statement
        ("Rain -> Wet", ""),
        ("Early -> Late", "attacks"),
        ("(Rain, (2)) -> Wet", ""),
    ]
    found = structure(ARGDOWN)
    assert found.claim is not None
    assert found.claim.text == "The match was late, as everybody saw."
    assert found.by_id["(2)"].text == "Drains were blocked."
    assert found.by_id["Early"].text == "It began #early."
    assert parse_structure(ARGDOWN).notes == ()


DOT = """
/* drawn by hand */ strict digraph "g" {
  graph [rankdir=BT]; node [shape=box]; edge [color=red];
  rain [label=<It <b>rained</b>>, shape=oval]; wet [label="a \\"wet\\" field\\nindeed"]
  subgraph cluster_1 { label="first"; rain; -1.5; }
  {rain; "blocked drains"} -> wet -> late:n:w [label=shows]
  rain -> { wet late } // both
}
"""


def test_dot_groups_chains_ports_and_html() -> None:
    assert links(DOT) == [
        ("(rain, blocked drains) -> wet", "shows"),
        ("wet -> late", "shows"),
        ("rain -> (wet, late)", ""),
    ]
    found = parse_structure(DOT)
    assert found.structure is not None
    assert found.structure.by_id["rain"].text == "It rained"
    assert found.structure.by_id["wet"].text == 'a "wet" field\nindeed'
    assert found.structure.claim is not None
    assert found.structure.claim.id == "late"
    assert [n.id for n in found.unused] == ["-1.5"]


MERMAID = """%% made by hand
graph TD;
    A[It rained] --> B(The field was wet)
    B & C["drains &quot;#35; blocked"] ==> D{{late}}
    B -. so .-> E
    A -- because --> E([so it is]):::other
    E --- D
    subgraph one
    end
    classDef other fill:#f9f
    style A fill:#bbf
"""


def test_an_arrow_carries_its_relation() -> None:
    text = """E1 -[attacks]-> E2 -> Claim
(E3, E4)-[ undercuts ]->E2
E5 -["attacks: from \\"bias\\" [sic]"]-> Claim
E6 -[]-> E2
"""
    found = parse_structure(text, format="arrows").structure
    assert found is not None
    assert [(link.sources, link.targets, link.relation) for link in found.links] == [
        (("E1",), ("E2",), "attacks"),
        (("E2",), ("Claim",), ""),
        (("E3", "E4"), ("E2",), "undercuts"),
        (("E5",), ("Claim",), 'attacks: from "bias" [sic]'),
        (("E6",), ("E2",), ""),
    ]
    written = format_structure(found, format="arrows")
    assert "E1 -[attacks]-> E2\n" in written.text
    assert not written.losses
    assert parse_structure(written.text) == parse_structure(written.text, format="arrows")
    assert parse_structure(written.text).structure == found


def test_mermaid_arrows_boxes_and_texts() -> None:
    assert links(MERMAID) == [
        ("A -> B", ""),
        ("(B, C) -> D", ""),
        ("B -> E", "so"),
        ("A -> E", "because"),
        ("E -> D", ""),
    ]
    assert {n.id: n.text for n in structure(MERMAID).nodes} == {
        "A": "It rained",
        "B": "The field was wet",
        "C": "drains &quot;# blocked",
        "D": "late",
        "E": "so it is",
    }


GRAPHML = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="label" attr.type="string"/>
  <graph id="G" edgedefault="directed">
    <node id="n0"><data key="d0">It &lt;rained&gt;</data></node>
    <node id="n1"/><node id="n2"/><node id="n3"/>
    <edge source="n0" target="n1"/>
    <hyperedge>
      <endpoint node="n0" type="in"/><endpoint node="n1" type="in"/><endpoint node="n2" type="out"/>
    </hyperedge>
  </graph>
</graphml>"""


def test_graphml_of_other_tools() -> None:
    assert links(GRAPHML) == [("n0 -> n1", ""), ("(n0, n1) -> n2", "")]
    assert structure(GRAPHML).by_id["n0"].text == "It <rained>"
    assert [n.id for n in parse_structure(GRAPHML).unused] == ["n3"]


def test_explagraphs_line() -> None:
    read = parse_structure("Rain delays.\tIt is wet.\tcounter\t(rain; causes; mud)(mud; not capable of; speed)\n")
    assert read.label == "refutes"
    assert read.structure is not None
    assert read.structure.claim is None
    assert [link.relation for link in read.structure.links] == ["causes", "not capable of"]


def test_entailment_lines_and_faults() -> None:
    line = (
        "$proof$ ; $question$ = Why? ; $answer$ = Rain. ; $hypothesis$ = it was late ; $context$ = sent1: it rained"
        " sent2: rain wets fields\t$proof$ = sent1 & sent2 -> int1: wet; now; int1 -> hypothesis; nonsense; -> int2"
    )
    read = parse_structure(line)
    assert read.structure is not None
    assert read.structure.claim is not None
    assert read.structure.claim.text == "it was late"
    assert read.structure.by_id["int1"].text == "wet; now"
    assert read.structure.by_id["sent2"].text == "rain wets fields"
    assert len(read.notes) == 2
    assert format_proof(read.structure) == "sent1 & sent2 -> int1: wet, now; int1 -> hypothesis; "
    odd = parse_proof("sent1 & sent9 -> hypothesis;", context="sent1: a", hypothesis="h")
    assert odd.notes == ("node 'sent9': is named in the proof but declared nowhere; it is kept without text",)
    assert parse_proof("nothing").reason == "no step was found in the proof"


@pytest.mark.parametrize(
    ("format", "text", "why"),
    [
        ("aif", "[]", "AIF must be one JSON object"),
        ("aif", "{" * 100_000, "got an error"),
        ("aif", '{"nodes": [], "edges": [{"fromID": 1, "toID": 2}]}', "edge 1: must join nodes of the graph, got '1'"),
        ("aif", '{"nodes": [{"nodeID": 1}, {"nodeID": 1}], "edges": []}', "node '1': each nodeID must be used once"),
        ("json", "[" * 100_000, "got an error"),
        ("json", '{"claim": null, "links": [{"sources": ["A"], "targets": ["B"]}]}', "node 'A': must be the claim or"),
        ("json", '{"structure": 3}', "structure: must be an object, got 3"),
        ("graphml", '<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', "1: GraphML must not declare a document type"),
        ("graphml", "<a>" * 1000, "elements must be nested at most 60 deep"),
        ("graphml", "<graphml>", "must be well-formed XML, got an error"),
        ("graphml", "<graphml><edge source='a' target='b'/></graphml>", "edge 1: must join nodes of the graph"),
        ("dot", "digraph {" + "{" * 1000, "groups must be nested at most 50 deep"),
        ("dot", "digraph { a -> }", "1: DOT must have a node here, got '}'"),
        ("dot", "digraph { a [label=<x }", "a string in <> must be closed"),
        ("dot", "digraph { claim=x; a -> b }", "the claim must be a node of the graph, got 'x'"),
        ("mermaid", "flowchart TD\n A --> ", "2: an arrow must lead to a node"),
        ("mermaid", "flowchart TD\n A[x --> B", "a box must be closed"),
        ("mermaid", "sequenceDiagram", "1: Mermaid must begin with flowchart"),
        ("arrows", "(E1, E2 -> Claim", "1: each arrow and comma must be between names"),
        ("arrows", "E1 -> Claim\nE2 -> ", "2: a chain must end with a name"),
        ("argdown", "<Why>\n\n----\n(1) [A]", "4: a conclusion must have premises above it"),
        ("explagraphs", "(a; b; c) d", "must be triples"),
        ("explagraphs", "a\tb", "got 2 cells"),
        ("entailment_bank", '{"proof": 1}', "an item must have 'proof'"),
        ("json", "x" * 4_000_001, "one structure must have at most 4000000 characters"),
        (None, "Nothing to see here.", "the format of the structure cannot be detected"),
        (None, " \n", "must hold an argument structure, got no text"),
    ],
)
def test_faults_are_named(format: str | None, text: str, why: str) -> None:
    with pytest.raises(FormatError) as error:
        parse_structure(text, format=format)
    assert why in str(error.value)
    assert "\n" not in str(error.value)


def test_losses_name_what_a_format_cannot_say() -> None:
    found = structure('{"claim": {"id": "So", "text": "s"}, "evidence": [{"id": "A 1", "text": "x;y"}, {"id": "B"}],'
                      ' "links": [{"sources": ["A 1"], "targets": ["So", "B"], "relation": "attacks"}]}')  # fmt: skip
    assert format_structure(found, format="linking", label="nei").losses == (
        "node 'A 1': its name, written as Sentence1",
        "node 'So': its name, written as Claim",
        "link A 1 -> (So, B): the relation 'attacks'",
    )
    assert format_structure(found, format="arrows", label="nei").losses == (
        "node 'So': that it is the claim",
        "the verdict 'nei'",
    )
    assert format_structure(found, format="aif").losses == (
        "link A 1 -> (So, B): that its conclusions belong together, written as 2 inferences",
        "node 'So': that it is the claim",
    )
    for name in ("json", "graphml", "dot"):
        assert format_structure(found, format=name).losses == ()
    with pytest.raises(UnknownNameError, match="unknown format of structures 'doot'; did you mean 'dot'"):
        format_structure(found, format="doot")


def test_detection_by_content() -> None:
    for text, name in (
        (json.dumps(XAIF), "xaif"),
        (json.dumps(XAIF["AIF"]), "aif"),
        (ARGDOWN, "argdown"),
        (DOT, "dot"),
        (MERMAID, "mermaid"),
        (GRAPHML, "graphml"),
        ("sent1 & sent2 -> hypothesis;", "entailment_bank"),
        ('{"proof": "sent1 -> hypothesis", "context": ""}', "entailment_bank"),
        ('Claim = FACT("x")', "linking"),
        ("(a; causes; b)", "explagraphs"),
        ("a → b", "arrows"),
    ):
        assert detect_structure_format(text) == name


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "two.tsv"
    path.write_text("(a; causes; b)\n\n(b; causes; c)\n")
    with pytest.raises(InputError, match="has 2 structures, one on each line; choose one with --line"):
        read_structure(path)
    found = read_structure(path, line=2).structure
    assert found is not None
    assert str(found.links[0]) == "b -> c"
    with pytest.raises(InputError, match="must have a line 3, got 2 lines"):
        read_structure(path, line=3)
    with pytest.raises(InputError, match="must be a readable file"):
        read_structure(tmp_path / "none")
    (tmp_path / "bad").write_bytes(b"\xff")
    with pytest.raises(FormatError, match="bad:1: must be UTF-8, got byte 0xff at byte 0"):
        read_structure(tmp_path / "bad")
    pretty = tmp_path / "tree.json"
    pretty.write_text(json.dumps({"proof": "sent1 -> hypothesis;", "context": "sent1: a"}, indent=1))
    assert read_structure(pretty).structure is not None
    path.write_text("(a; b)")
    with pytest.raises(FormatError, match=r"two\.tsv: must be triples"):
        read_structure(path, format="explagraphs")


@pytest.mark.parametrize(
    ("format", "text"),
    [
        (None, "---\nx: y\n---\n" + "\n" * 3000 + "flow"),
        (None, "x" + "\n" * 300_000),
        (None, "<!---->" * 280 + "x"),
        (None, "/**/" * 400 + "x"),
        ("argdown", "[A]: a\n" + "b\n" * 75_000),
        ("argdown", "<!--" * 75_000),
        ("argdown", "/*" * 158_333),
        ("argdown", "===\n" * 75_000),
        ("mermaid", "flowchart TD\n" + "A & " * 75_000 + "B"),
        ("mermaid", "flowchart TD\nA" + " " * 325_000 + "x"),
        ("arrows", ", ".join(f"a{i}" for i in range(3000)) + " -> " + ", ".join(f"b{i}" for i in range(3000))),
        ("arrows", "a -> " * 58_333 + "b"),
        ("dot", "digraph {" + "a -> " * 58_333 + "b}"),
        ("dot", "digraph {" + "<" * 325_000),
        ("explagraphs", "(a;" * 108_333),
        ("entailment_bank", "sent1 -> int1: x" + "; y" * 108_333),
        ("entailment_bank", "sent1 -> " * 33_333),
        ("graphml", "<a>" + "x" * 325_000),
        ("json", '{"links": [' + "1," * 158_333),
        ("linking", 'A = FACT("' + " " * 75_000),
        ("linking", 'A = FACT("x"' + " " * 7_500 + "!\n" + ('A = FACT("x"' + " " * 7_500 + "!\n") * 60),
    ],
    ids=lambda value: str(value)[:20],
)
def test_long_texts_take_time_in_proportion(format: str | None, text: str) -> None:
    # Without bounds and single passes these would take hours.
    try:
        found = parse_structure(text, format=format)
    except FormatError as error:
        shown = str(error)
    else:
        shown = found.reason or str(found.structure)
    assert shown


def _notes(text: str, format: str) -> str:
    return "\n".join(parse_structure(text, format=format).notes)


@pytest.mark.parametrize(
    "relation", ["weakens", "counters", "Against", "does not support", "objects to", "disagrees with", "denies"]
)
def test_words_for_an_attack_attack(relation: str) -> None:
    found = parse_structure(
        f'flowchart TD\n  A["Rain fell"] -->|{relation}| B["It was dry"]', format="mermaid"
    ).structure
    assert found is not None
    assert ([x.role for x in found.links], found.n_steps) == (["attacks"], 0)


@pytest.mark.parametrize("relation", ["supported by", "is attacked by", "because", "was caused by"])
def test_a_relation_that_reads_backwards_is_named(relation: str) -> None:
    said = "may mean the other direction"
    assert said in _notes(f"flowchart TD\n  A -->|{relation}| B", "mermaid")
    assert said in _notes(f'digraph {{ a -> b [label="{relation}"] }}', "dot")
    assert said not in _notes("flowchart TD\n  A -->|supports| B", "mermaid")


WITH_MORE = """Text.

```mermaid
pie
  "a": 3
```

```mermaid
flowchart TD
  A["`**Frost** came *early*, snake_case stayed`"] --> B[Fruit was dear]
  C --x B
  subgraph reasons [Reasons of the market]
    D --> B
  end
  reasons --> B
  style A fill:#fff
  click A "https://example.org"
```

```mermaid
flowchart TD
  X --> Y
```
"""


def test_what_mermaid_draws_and_a_structure_cannot_hold_is_named() -> None:
    read = parse_structure(WITH_MORE, format="mermaid")
    assert read.structure is not None
    texts = {n.id: n.text for n in read.structure.nodes}
    assert texts["A"] == "Frost came early, snake_case stayed"
    assert texts["reasons"] == "Reasons of the market"
    notes = "\n".join(read.notes)
    for said in (
        "only the first of 2 flowcharts is read",
        "line 11: an arrow ends in a cross",
        "is skipped: style, click",
        "1 group of nodes",
        "'reasons': an arrow meets a group",
    ):
        assert said in notes, notes


def test_a_second_graph_of_a_dot_file_is_named() -> None:
    assert _notes("digraph { a -> b }\ndigraph { c -> d }", "dot") == "only the first graph of the text is read"
    assert _notes("digraph { a -> b }\n// end\n", "dot") == ""


def test_tags_and_data_of_argdown_are_named_with_their_line() -> None:
    text = '[A]: wet #x\n  - It rained. #y\n\n(1) One #z\n(2) [B]: Two {a: "b"}\n-----\n(3) [A]\n'
    assert [x.split(":")[0] for x in parse_structure(text, format="argdown").notes] == [
        f"line {n}" for n in (1, 2, 4, 5)
    ]
