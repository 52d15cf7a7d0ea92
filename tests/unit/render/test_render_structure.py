"""Drawings of argument structures: everything is there, nothing is markup or a command."""

import itertools
from xml.etree import ElementTree

from hypothesis import given, settings
from rich.console import Console

from fallax.core.types import ArgumentStructure, Link, Statement
from fallax.render import structure_svg, structure_tree
from fallax.structures import parse_structure
from tests.support.structures import structures

TAGS = ("svg", "title", "defs", "marker", "path", "g", "rect", "text", "polyline", "circle")


def shown(structure: ArgumentStructure, unused: tuple[Statement, ...] = (), width: int = 100) -> str:
    console = Console(width=width, no_color=True, file=None)
    with console.capture() as drawn:
        console.print(structure_tree(structure, unused=unused))
    return drawn.get()


def test_the_tree_of_table_10() -> None:
    read = parse_structure("E1: Lakes leave mud.\n(E1, E2) → E3 → E4 → E6\n(E5, E6) → Claim\nE9: Cats purr.")
    assert read.structure is not None
    assert shown(read.structure, read.unused).splitlines() == [
        "Claim",
        "├── a) E5",
        "└── a) E6",
        "    └── E4",
        "        └── E3",
        "            ├── a) E1  Lakes leave mud.",
        "            └── a) E2",
        "not used",
        "└── E9  Cats purr.",
    ]


def test_a_node_that_leads_to_two_is_written_out_once() -> None:
    read = parse_structure("X -> A -> (B, C)\n(B, C) -> Claim")
    assert read.structure is not None
    lines = shown(read.structure).splitlines()
    assert sum("(above)" in x for x in lines) == 1
    assert sum("X" in x for x in lines) == 1


def test_problems_and_cycles_are_shown() -> None:
    nodes = (Statement("A"), Statement("B"))
    cyclic = ArgumentStructure(Statement("Claim"), nodes, (Link(("A",), ("B",)), Link(("B",), ("A",))))
    text = shown(cyclic)
    assert "! node 'A': must not lead back to itself" in text
    assert structure_svg(cyclic).count("<rect") == 3


def test_terminal_commands_and_markup_stay_text() -> None:
    bad = ArgumentStructure(
        Statement("Claim", "a\x1b[31m [bold]b[/bold]"), (Statement("E1"),), (Link(("E1",), ("Claim",)),)
    )
    assert "\x1b" not in shown(bad)
    assert "[bold]b[/bold]" in shown(bad)


@given(structures())
@settings(max_examples=30)
def test_every_structure_can_be_drawn(drawn: tuple[ArgumentStructure, tuple[Statement, ...]]) -> None:
    structure, unused = drawn
    image = structure_svg(structure, unused=unused)
    root = ElementTree.fromstring(image.encode("utf-8"))
    boxes = [x for x in root.iter() if x.tag.endswith("rect")]
    assert len(boxes) == len(structure.nodes) + len(unused)
    places = sorted((float(b.get("y", "")), float(b.get("x", "")), float(b.get("width", ""))) for b in boxes)
    for (y, x, width), (other_y, other_x, _) in itertools.pairwise(places):
        assert y != other_y or x + width < other_x  # boxes of a layer do not overlap
    assert {x.tag.rpartition("}")[2] for x in root.iter()} <= {*TAGS}
    assert shown(structure, unused)


def test_large_structures_are_not_drawn() -> None:
    ids = [f"E{i}" for i in range(400)]
    large = ArgumentStructure(
        None, tuple(map(Statement, ids)), tuple(Link((a,), (b,)) for a, b in itertools.pairwise(ids))
    )
    assert "400 nodes and 399 arrows are too many to draw." in structure_svg(large)
    assert "400 nodes and 399 arrows are too many to draw." in shown(large)


def test_long_and_wide_texts_are_cut_in_the_box_and_whole_in_the_tooltip() -> None:
    text = "word " * 100 + "x" * 200 + "日本語" * 30
    image = structure_svg(ArgumentStructure(Statement("Claim", text), (Statement("E1"),), (Link(("E1",), ("Claim",)),)))
    assert "…" in image
    assert "日本語" * 30 in image
