"""One argument as the tools write it that people draw with: read alike by every reader, and back through every format.

Source: ``scripts/export_structures.py`` (networkx 3.6.1, igraph 1.0.0, pydot 4.0.1, graphviz 0.21 with Graphviz 2.42.2,
@argdown/cli 2.0.0, made 2026-11-22); the files of Gephi, yEd, AIFdb, xAIF and Mermaid are written by hand, with the
address of their schema in the file.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types import ArgumentStructure, StructureReading
from fallax.metrics import EntailmentTree, StructureSimilarity
from fallax.structures import (
    STRUCTURE_FORMATS,
    detect_structure_format,
    format_structure,
    parse_structure,
    read_structure,
)

FOLDER = Path(__file__).parent / "structures"
FROST = {
    ("A frost came in May & killed <most> blossom.", "Few apples were grown.", ""),
    ("Trees without blossom bear no fruit.", "Few apples were grown.", ""),
    ("Few apples were grown.", "The late frost made apples dear.", ""),
    ('Imports "were" cheap.', "The late frost made apples dear.", "attacks"),
    ("It froze late in spring.", "A frost came in May & killed <most> blossom.", "rephrases"),
    ("Stores were still full.", "The late frost made apples dear.", "undercuts"),
}
#: file -> its format, and pieces of what must be named as passed over.
FILES = {
    "aifdb.json": ("aif", ("5 nodes are neither information nor schemes",)),
    "xaif.json": ("xaif", ("5 nodes are neither information nor schemes",)),
    "gephi.gexf": ("gexf", ("modularity class, weight",)),
    "gephi.graphml": ("graphml", ("weight",)),
    "graphviz.gv": ("dot", ("3 labels in HTML or of records", "1 arrows touch a part")),
    "graphviz_layout.dot": ("dot", ("3 labels in HTML or of records", "1 arrows touch a part")),
    "igraph.dot": ("dot", ()),
    "igraph.graphml": ("graphml", ()),
    "mermaid.md": ("mermaid", ("accTitle, style", "1 group of nodes is dropped")),
    "networkx.gexf": ("gexf", ()),
    "networkx.graphml": ("graphml", ()),
    "networkx.json": ("node_link", ()),
    "networkx_links.json": ("node_link", ()),
    "pydot.dot": ("dot", ()),
    "yed.graphml": ("graphml", ("1 groups of nodes",)),
}
ALL = {"attacks", "undercuts", "rephrases"}
#: Format -> relations that it cannot say; their links come back as supports.
UNSAID = {"linking": ALL, "entailment_bank": ALL, "argdown": {"rephrases"}}


def said(structure: ArgumentStructure) -> set[tuple[str, str, str]]:
    """Every arrow by what its ends say; the scheme of an inference and the form of a label left aside."""

    def text(id_: str) -> str:
        line = " ".join(structure.by_id[id_].shown.split())
        return line.removesuffix(" | 1891 | in {the} valley")

    links = {link.relation: link.role for link in structure.links}
    return {(text(s), text(t), "" if links[r] == "supports" else r) for s, t, r in structure.pairs}


def read(name: str) -> tuple[StructureReading, ArgumentStructure]:
    found = read_structure(FOLDER / name)
    assert found.structure is not None
    return found, found.structure


@pytest.mark.parametrize("name", FILES)
def test_every_reader_reads_the_same_argument(name: str) -> None:
    form, named = FILES[name]
    assert detect_structure_format((FOLDER / name).read_text(encoding="utf-8")) == form
    found, structure = read(name)
    assert said(structure) == FROST
    assert structure.claim is not None
    assert structure.claim.shown.startswith("The late frost")
    assert structure.n_steps == 2  # what attacks, undercuts or rephrases is no step
    assert len(structure.leaves) == 5
    assert len(structure.intermediates) == 1
    assert not structure.problems
    assert not found.unused
    assert len(found.notes) == len(named)
    assert all(any(piece in note for note in found.notes) for piece in named)


@pytest.mark.parametrize("form", STRUCTURE_FORMATS)
@pytest.mark.parametrize("name", ["yed.graphml", "graphviz.gv", "aifdb.json", "mermaid.md", "gephi.gexf"])
def test_it_goes_through_every_format_and_back_or_the_loss_is_named(name: str, form: str) -> None:
    _, structure = read(name)
    written = format_structure(structure, format=form)
    again = parse_structure(written.text, format=form).structure
    assert again is not None
    lost = " ".join(written.losses)
    unsaid = UNSAID.get(form, set())
    assert said(again) == {(s, t, "" if r in unsaid else r) for s, t, r in FROST} or form == "explagraphs"
    assert all(f"the relation {relation!r}" in lost for relation in unsaid)


def test_argdown_is_read_as_its_own_program_reads_it() -> None:
    found, structure = read("argdown.argdown")
    theirs = json.loads((FOLDER / "argdown.json").read_text(encoding="utf-8"))
    names = {"attack": "attacks", "undercut": "undercuts", "contradictory": "contradicts", "support": ""}
    pairs = {(frozenset((s, t)), r) for s, t, r in structure.pairs}
    for one in theirs["relations"]:
        assert (frozenset((one["from"], one["to"])), names[one["relationType"]]) in pairs
    assert len([1 for link in structure.links if link.role != "supports"]) == len(theirs["relations"])
    for title, group in theirs["statements"].items():
        texts = [m["text"].replace("#claim", "").strip() for m in group["members"] if m.get("text", "").strip()]
        assert structure.by_id[title].text == texts[0]
    used = {tuple(step.premises): step.conclusion for step in structure.steps}
    assert used == {("Frost", "Bloom"): "Few", ("Few", "Rule"): "Scarcity", ("Scarcity",): "Claim"}
    assert any("market report" in note for note in found.notes)


#: What Argdown calls relations; in its strict mode supports entail, and attacks are contraries.
ARGDOWN = {
    "attack": "attacks",
    "contrary": "attacks",
    "undercut": "undercuts",
    "contradictory": "contradicts",
    "support": "",
    "entails": "",
}


@pytest.mark.parametrize("case", json.loads((FOLDER / "argdown_cases.json").read_text(encoding="utf-8")))
def test_relations_of_argdown_are_those_that_its_program_finds(case: dict[str, Any]) -> None:
    found = parse_structure(case["text"], format="argdown").structure
    assert found is not None
    theirs = {(s, t, ARGDOWN[kind]) for s, kind, t in case["relations"]}
    steps = {(p, step.conclusion, "") for step in found.steps for p in step.premises}
    assert theirs <= set(found.pairs)
    assert set(found.pairs) - theirs <= steps  # only the steps of arguments are no relations there
    assert len(case["relations"]) == len(theirs)


def test_maps_that_argdown_draws_keep_attacks_apart_or_say_that_they_cannot() -> None:
    _, drawn = read("argdown_map.dot")
    assert sorted(link.relation for link in drawn.links if link.relation) == [
        "attacks", "attacks", "attacks", "contradicts", "undercuts",
    ]  # fmt: skip
    assert "Claim\nThe late frost made apples dear. #claim" in {n.text for n in drawn.nodes}
    coloured, same = read("argdown_map.graphml")
    assert {(s, t) for s, t, _ in same.pairs} == {(s, t) for s, t, _ in drawn.pairs}
    assert any("3 colours" in note for note in coloured.notes)


def test_support_attack_undercut_and_rephrase_are_never_alike() -> None:
    _, gold = read("networkx.json")
    flipped = parse_structure((FOLDER / "networkx.json").read_text().replace("attacks", "supports")).structure
    assert flipped is not None
    for scorer in ("exact", "token_f1"):
        score = StructureSimilarity(scorer=scorer).record_score(pred=flipped, gold=gold)
        assert score["f1"] == pytest.approx(5 / 6)
    tree = EntailmentTree()
    assert tree.record_score(pred=gold.inferences, gold=gold)["all_correct"] == 1
    assert tree.record_score(pred=flipped, gold=gold)["steps_f1"] == 0.5


@pytest.mark.parametrize(
    "name",
    ["networkx.graphml", "networkx.gexf", "igraph.graphml", "igraph.dot", "pydot.dot", "graphviz.dot"],
)
def test_what_we_write_and_a_tool_writes_again_is_the_same_structure(name: str) -> None:
    _, given = read("networkx.json")
    found, back = read(f"back_{name}")
    assert back.claim == given.claim
    assert set(back.evidence) == set(given.evidence)
    assert set(back.links) == set(given.links)
    assert found.label == ("" if name.endswith("gexf") else "supports")
    assert found.notes == ()


def test_what_we_write_goes_through_networkx_and_comes_back() -> None:
    networkx = pytest.importorskip("networkx")
    _, structure = read("networkx.json")
    text = format_structure(structure, format="node_link", label="refutes").text
    graph = networkx.node_link_graph(json.loads(text))
    back = parse_structure(json.dumps(networkx.node_link_data(graph)))
    assert back.label == "refutes"
    assert back.structure is not None
    assert {str(link) for link in back.structure.links} == {str(link) for link in structure.links}
    text = format_structure(structure, format="graphml", label="refutes").text
    xml = "\n".join(networkx.generate_graphml(networkx.parse_graphml(text)))
    back = parse_structure(xml)
    assert back.label == "refutes"
    assert back.structure == structure
    assert back.notes == ()
