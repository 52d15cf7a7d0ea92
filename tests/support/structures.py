"""Argument structures drawn at random, and what it means that two are the same."""

from hypothesis import strategies as st

from fallax.core.types import ArgumentStructure, Link, Statement

#: Words that formats of graphs give a meaning of their own, and characters that divide their parts.
AWKWARD = (
    "end", "graph", "Claim", "claim", "node", "FACT", "sent1", "int1", "hypothesis", "a -> b", "x; y", "(1)", "[E1]: b",
    "#claim", "<b>", '"', "\\", "\\n", "é ü", "日本", "&amp;", "#35;", "%%", "----", "a\nb", " x ", "{E1 E2}", "|x|",
    "`",
    "print", "None", "1", "1.5", "-->", "%", "=", "sent1: a sent2: b", "\t", "\r", "//c", "/*c*/", "'", "“q”", "a#b",
    "-",
    "+ [E1]", "S.1", "one_to_one_linking", "classDef", "class x", "subgraph",
)  # fmt: skip
plain_names = st.sampled_from([f"E{i}" for i in range(1, 9)])
names = st.one_of(plain_names, st.sampled_from(AWKWARD), st.text(min_size=1, max_size=6))
plain_texts = st.lists(st.sampled_from(("rain", "wet", "fields", "delay", "the", "match")), min_size=1, max_size=5).map(
    " ".join
)
texts = st.one_of(plain_texts, st.sampled_from(AWKWARD), st.text(max_size=12), st.just(""))


relations = st.sampled_from(
    ("", "", "attacks", "is a", '"|x', "undercuts", "rephrases", "contradicts", "attacks: From Bias", "undercuts: x")
)


@st.composite
def structures(
    draw: st.DrawFn,
    names: st.SearchStrategy[str] = names,
    texts: st.SearchStrategy[str] = texts,
    relations: st.SearchStrategy[str] = relations,
) -> tuple[ArgumentStructure, tuple[Statement, ...]]:
    """A structure with links of all kinds (cycles included), and up to two nodes that it does not use."""
    ids = draw(st.lists(names, min_size=2, max_size=6, unique=True))
    nodes = [Statement(i, draw(texts)) for i in ids]
    links: dict[Link, None] = {}
    for _ in range(draw(st.integers(1, 5))):
        many = draw(st.integers(1, max(1, len(ids) - 1)))
        chosen = draw(st.permutations(ids))[: many + 1]
        one, rest = chosen[:1], chosen[1:]
        sides = draw(st.sampled_from(((one, rest), (rest, one))))
        links[Link(tuple(sides[0]), tuple(sides[1]), draw(relations))] = None
    used = {i for link in links for i in (*link.sources, *link.targets)}
    linked = [n for n in nodes if n.id in used]
    root = linked.pop(draw(st.integers(0, len(linked) - 1))) if draw(st.booleans()) else None
    unused = tuple(n for n in nodes if n.id not in used)
    return ArgumentStructure(root, tuple(linked), tuple(links)), unused


def content(structure: ArgumentStructure) -> tuple[object, ...]:
    """Claim, nodes and links, whatever the order in which they are listed."""
    return structure.claim, frozenset(structure.evidence), frozenset(structure.links)


def drawing(structure: ArgumentStructure) -> tuple[object, ...]:
    """How many nodes there are, and how many arrows lead to and from each: what every format can say."""
    degrees = sorted((len(structure.premises_of(n.id)), len(structure.conclusions_of(n.id))) for n in structure.nodes)
    return len(structure.nodes), degrees
