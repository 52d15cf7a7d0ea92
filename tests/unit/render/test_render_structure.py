"""Drawings of argument structures: everything is there, nothing is markup or a command."""

import itertools
import random
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from rich.console import Console

from fallax.core.types import ArgumentStructure, Link, Report, ReportAnswer, ReportRecord, Statement, View
from fallax.render import report_page, structure_svg, structure_tree
from fallax.render.structure import MAX_DRAWN, structure_difference
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


def lines_and_boxes(image: str) -> tuple[list[list[tuple[float, float]]], list[tuple[float, float, float, float]]]:
    """The points of every line, and left, top, right and bottom of every box."""
    root = ElementTree.fromstring(image.encode("utf-8"))
    lines = [
        [(float(x), float(y)) for x, _, y in (p.partition(",") for p in one.get("points", "").split())]
        for one in root.iter()
        if one.tag.endswith("polyline")
    ]
    boxes = []
    for one in root.iter():
        if one.tag.endswith("rect"):
            x, y, width, height = (float(one.get(k, "")) for k in ("x", "y", "width", "height"))
            boxes.append((x, y, x + width, y + height))
    return lines, boxes


def assert_readable(image: str, most: float) -> None:
    """No box on another, no line through a box, all within the image and its greatest width."""
    root = ElementTree.fromstring(image.encode("utf-8"))
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    assert width <= most
    lines, boxes = lines_and_boxes(image)
    for a, b in itertools.combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    assert all(a[0] >= 0 and a[1] >= 0 and a[2] <= width + 1 and a[3] <= height for a in boxes)
    for points in lines:
        assert all(-1 <= x <= width + 1 and 0 <= y <= height for x, y in points)
        for (x, y), (to_x, to_y) in itertools.pairwise(points):
            assert x == to_x or y == to_y  # lines run straight up or across
            left, right, top, bottom = min(x, to_x), max(x, to_x), min(y, to_y), max(y, to_y)
            for a in boxes:
                assert right <= a[0] or left >= a[2] or bottom <= a[1] + 0.2 or top >= a[3] - 0.2


def grown(n: int, seed: int, *, tree: bool) -> ArgumentStructure:
    """A structure of n nodes; each leads to an earlier one, or to two."""
    draw = random.Random(seed)
    ids = ["Claim", *(f"E{i}" for i in range(1, n))]
    links: dict[Link, None] = {}
    for i in range(1, n):
        for _ in range(1 if tree else draw.choice((1, 1, 2)) if len(links) < 290 else 1):
            before = (
                draw.randrange(max(0, i // 4 - 3), max(1, i // 3 + 1)) if tree else draw.randrange(max(0, i - 9), i)
            )
            links[Link((ids[i],), (ids[before],), draw.choice(("", "", "attacks", "undercuts", "rephrases")))] = None
    texts = [Statement(i, f"{i} says something about frost, apples and their price") for i in ids]
    return ArgumentStructure(texts[0], tuple(texts[1:]), tuple(links)[:MAX_DRAWN])


@pytest.mark.parametrize("n", [9, 40, 299])
def test_many_premises_of_one_claim_share_a_track(n: int) -> None:
    ids = [f"E{i}" for i in range(n)]
    links = [Link((x,), ("Claim",), "attacks" if i % 3 else "") for i, x in enumerate(ids)]
    star = ArgumentStructure(Statement("Claim"), tuple(map(Statement, ids)), tuple(links))
    image = structure_svg(star)
    assert_readable(image, most=1_330)
    lines, boxes = lines_and_boxes(image)
    assert len(lines) == n
    assert "<circle" not in image  # a dot would say that they are joined
    assert max(b[3] for b in boxes) < 150 + 60 * -(-n // 6) * 1.6


@pytest.mark.parametrize("tree", [True, False])
def test_300_nodes_stay_readable(tree: bool) -> None:
    large = grown(300 if tree else 200, 1, tree=tree)
    assert_readable(structure_svg(large), most=2_000)
    assert_readable(structure_svg(large, columns=3), most=1_400)


@given(structures())
@settings(max_examples=30)
def test_no_line_crosses_a_box(drawn: tuple[ArgumentStructure, tuple[Statement, ...]]) -> None:
    structure, unused = drawn
    assert_readable(structure_svg(structure, unused=unused), most=1_400)


def test_unused_evidence_wraps_so_that_the_width_is_bounded() -> None:
    read = parse_structure("E1 -> Claim\n" + "\n".join(f"D{i}: cats purr" for i in range(25)))
    assert read.structure is not None
    image = structure_svg(read.structure, unused=read.unused)
    assert_readable(image, most=1_322)
    assert image.count("stroke-dasharray") == 25
    assert "not used: 25" in image


def test_attacks_undercuts_and_rephrases_look_different() -> None:
    def drawn(relation: str) -> tuple[str, str, str]:
        nodes = (Statement("E1"),)
        image = structure_svg(ArgumentStructure(Statement("Claim"), nodes, (Link(("E1",), ("Claim",), relation),)))
        line = next(x for x in image.splitlines() if x.startswith("<polyline"))
        tip = next(x for x in image.splitlines() if x.startswith("<path"))
        return line.partition("stroke=")[2][:9], str("stroke-dasharray" in line), tip.split('"')[3]

    looks = [drawn(r) for r in ("", "attacks", "undercuts", "rephrases")]
    assert len({colour for colour, _, _ in looks}) == len({tip for _, _, tip in looks}) == 4
    assert drawn("attacks: From Bias") == drawn("contradicts") == drawn("attacks")


def test_what_the_other_structure_lacks_is_marked_and_said() -> None:
    gold = parse_structure("E1: rain\nE2: wet\nE1 -> E2 -> Claim").structure
    pred = parse_structure("E1: rain\nE2: wet\nE1 -> Claim\nE2 -> Claim").structure
    assert gold is not None
    assert pred is not None
    assert structure_difference(gold, pred) == ("E1 -> E2",)
    assert structure_difference(pred, gold) == ("E1 -> Claim",)
    assert structure_svg(gold, other=pred).count("#f59e0b") == 1
    assert structure_svg(gold, other=gold).count("#f59e0b") == 0


def test_a_report_shows_gold_and_predicted_structure_and_the_difference() -> None:
    gold = parse_structure("E1: <b>rain</b>\nE2: wet\nE1 -> E2 -> Claim").structure
    pred = parse_structure("E1: <b>rain</b>\nE2: wet\nE1 -> Claim\nE2 -> Claim").structure
    view = View((("claim", "late"),), gold_structure=gold, predicted_structure=pred)
    record = ReportRecord("r1", (ReportAnswer("run", view, "ok"),))
    page = report_page(Report("t", "", (), (), (record,)))
    assert page.count("<svg") == 2
    assert "&lt;b&gt;rain" in page
    assert "<b>rain" not in page
    assert "in gold alone</b> E1 -&gt; E2" in page
    assert "predicted alone</b> E1 -&gt; Claim" in page
    assert "<svg" not in report_page(
        Report("t", "", (), (), (ReportRecord("r", (ReportAnswer("run", View(()), "ok"),)),))
    )


def attacked(seed: int) -> ArgumentStructure:
    """A structure of two to seven pieces of evidence, most of which attack, undercut or rephrase something."""
    draw = random.Random(seed)
    ids = [f"E{i}" for i in range(1, draw.randint(3, 8))]
    links = []
    for i, source in enumerate(ids):
        targets = dict.fromkeys(draw.choices([*ids[i + 1 :], "Claim", "Claim"], k=draw.choice([1, 1, 1, 2])))
        links += [Link((source,), (t,), draw.choice(["", "attacks", "undercuts", "rephrases"])) for t in targets]
    if draw.random() < 0.5:
        links.append(Link(tuple(ids[:2]), ("Claim",), "attacks"))
    said = tuple(Statement(i, f"Evidence {i} that takes two lines of its box") for i in ids)
    return ArgumentStructure(Statement("Claim", "The ferry stopped."), said, tuple(dict.fromkeys(links)))


def taken(image: str) -> tuple[list[tuple[float, ...]], list[tuple[float, ...]]]:
    """The areas of the relations, and those of lines and boxes: left, top, right, bottom."""
    words: list[tuple[float, ...]] = []
    others: list[tuple[float, ...]] = []
    for e in ElementTree.fromstring(image):
        if e.get("font-size") == "11":
            x, y = float(e.attrib["x"]), float(e.attrib["y"])
            words.append((x, y - 9, x + 6 * len(e.text or ""), y + 2))
        elif points := e.get("points"):
            way = [tuple(map(float, p.split(","))) for p in points.split()]
            for (a, b), (c, d) in itertools.pairwise(way):
                others.append((min(a, c), min(b, d), max(a, c), max(b, d)))
        elif (rect := e.find("{http://www.w3.org/2000/svg}rect")) is not None:
            x, y, width, height = (float(rect.attrib[k]) for k in ("x", "y", "width", "height"))
            others.append((x, y, x + width, y + height))
    return words, others


@pytest.mark.parametrize("columns", [3, 6])
def test_no_line_or_box_or_other_word_crosses_a_relation(columns: int) -> None:
    n_words = 0
    for seed in range(40):
        words, others = taken(structure_svg(attacked(seed), columns=columns))
        n_words += len(words)
        for i, (left, top, right, bottom) in enumerate(words):
            for a, b, c, d in (*others, *words[i + 1 :]):
                assert not (a < right and left < c and b < bottom and top < d), f"seed {seed}"
    assert n_words > 100


def test_the_relation_of_many_arrows_to_one_box_is_written_once() -> None:
    said = [Statement(f"E{i}", f"Evidence {i}") for i in range(12)]
    links = tuple(Link((n.id,), ("Claim",), "attacks") for n in said)
    assert len(taken(structure_svg(ArgumentStructure(Statement("Claim"), tuple(said), links)))[0]) == 1
