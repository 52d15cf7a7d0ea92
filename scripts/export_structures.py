"""Export one argument from the tools that people draw with, as the files of ``tests/golden/structures``.

    pip install networkx igraph pydot graphviz && apt-get install graphviz && npm install @argdown/cli
    python scripts/export_structures.py --out tests/golden/structures --argdown node_modules/.bin/argdown

It also has those tools read what fallax writes, and write it again (``back_*``). Files of tools that cannot be run
without a screen (yEd, Gephi) or without their server (AIFdb), and Mermaid's, which people write, are not made here:
they are written by hand, with the address of their schema in the file.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

NODES = {
    "Claim": "The late frost made apples dear.",
    "E1": "A frost came in May & killed <most> blossom.",
    "E2": "Trees without blossom bear no fruit.",
    "E3": "Few apples were grown.",
    "E4": 'Imports "were" cheap.',
    "E5": "It froze late in spring.",
    "E6": "Stores were still full.",
}
#: source, target, number of the link, relation.
EDGES = (
    ("E1", "E3", "1", ""),
    ("E2", "E3", "1", ""),
    ("E3", "Claim", "2", ""),
    ("E4", "Claim", "3", "attacks"),
    ("E5", "E1", "4", "rephrases"),
    ("E6", "Claim", "5", "undercuts"),
)


def export_networkx(out: Path) -> None:
    """GraphML, GEXF, node-link JSON, and DOT by way of pydot."""
    import networkx

    graph: Any = networkx.MultiDiGraph()
    for id_, text in NODES.items():
        graph.add_node(id_, text=text)
    for source, target, link, relation in EDGES:
        graph.add_edge(source, target, link=link, **({"relation": relation} if relation else {}))
    networkx.write_graphml(graph, out / "networkx.graphml")
    networkx.write_gexf(graph, out / "networkx.gexf")
    (out / "networkx.json").write_text(json.dumps(networkx.node_link_data(graph), indent=1) + "\n")
    (out / "networkx_links.json").write_text(json.dumps(networkx.node_link_data(graph, edges="links"), indent=1) + "\n")
    networkx.drawing.nx_pydot.write_dot(graph, out / "pydot.dot")


def export_igraph(out: Path) -> None:
    """GraphML and DOT; igraph numbers the nodes and keeps their names as an attribute."""
    import igraph

    graph = igraph.Graph(directed=True)
    for id_, text in NODES.items():
        graph.add_vertex(id_, text=text)
    for source, target, link, relation in EDGES:
        graph.add_edge(source, target, link=link, relation=relation)
    graph.write_graphml(str(out / "igraph.graphml"))
    graph.write_dot(str(out / "igraph.dot"))


def export_graphviz(out: Path) -> None:
    """Labels in HTML, records with ports, arrows that point back; as written, and as ``dot`` lays it out."""
    import graphviz

    graph = graphviz.Digraph("frost", node_attr={"shape": "record"})
    graph.node("Claim", label="<The late <b>frost</b> made<br/>apples dear.>", shape="box")
    graph.node("E1", label="{<f0> A frost came in May & killed \\<most\\> blossom. | {1891 | in \\{the\\} valley}}")
    graph.node("E2", label="Trees without blossom\\lbear no fruit.\\l")
    cells = "<td>Few apples</td><td>were grown.</td>"
    graph.node("E3", label=f"<<table><tr>{cells}</tr></table>>", shape="plain")
    graph.node("E4", NODES["E4"])
    graph.node("E5", NODES["E5"])
    graph.node("E6", NODES["E6"])
    graph.edge("E1:f0", "E3")
    graph.edge("E2", "E3")
    graph.edge("E3", "Claim")
    graph.edge("Claim", "E4", label="attacks", dir="back")
    graph.edge("E5", "E1", label="rephrases")
    graph.edge("E6", "Claim", xlabel="undercuts")
    graph.save(str(out / "graphviz.gv"))
    if shutil.which("dot"):
        laid = subprocess.run(["dot", "-Tdot", out / "graphviz.gv"], check=True, capture_output=True).stdout
        (out / "graphviz_layout.dot").write_bytes(laid)


def bring_back(out: Path) -> None:
    """What the tools write of the files that fallax writes: ``back_TOOL.*``, the verdict with them."""
    import igraph
    import networkx
    import pydot

    from fallax.structures import format_structure, read_structure

    found = read_structure(out / "networkx.json").structure
    if found is None:
        raise SystemExit("networkx.json: must hold the argument")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("graphml", "gexf", "dot"):
            Path(folder, f"ours.{name}").write_text(format_structure(found, format=name, label="supports").text)
        ours = str(Path(folder, "ours"))
        networkx.write_graphml(networkx.read_graphml(f"{ours}.graphml"), out / "back_networkx.graphml")
        networkx.write_gexf(networkx.read_gexf(f"{ours}.gexf"), out / "back_networkx.gexf")
        graph = igraph.Graph.Read_GraphML(f"{ours}.graphml")
        graph.write_graphml(str(out / "back_igraph.graphml"))
        graph.write_dot(str(out / "back_igraph.dot"))
        pydot.graph_from_dot_file(f"{ours}.dot")[0].write_raw(str(out / "back_pydot.dot"))
        if shutil.which("dot"):
            laid = subprocess.run(["dot", "-Tdot", f"{ours}.dot"], check=True, capture_output=True).stdout
            (out / "back_graphviz.dot").write_bytes(laid)


def export_argdown(out: Path, argdown: str) -> None:
    """What Argdown's own program reads in ``argdown.argdown``, and the maps that it draws of it."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "argdown.argdown")
        source.write_text((out / "argdown.argdown").read_text())
        for task in (["json"], ["map", "-f", "dot"], ["map", "-f", "graphml"]):
            subprocess.run([argdown, *task, str(source), folder], check=True, capture_output=True)
        read = json.loads(Path(folder, "argdown.json").read_text())
        kept = {key: read[key] for key in ("relations", "statements", "arguments")}
        (out / "argdown.json").write_text(json.dumps(kept, separators=(",", ":")) + "\n")
        for kind in ("dot", "graphml"):
            (out / f"argdown_map.{kind}").write_text(Path(folder, f"argdown.{kind}").read_text())


def read_argdown_cases(out: Path, argdown: str) -> None:
    """The relations that Argdown's own program finds in each text of ``argdown_cases.json``.

    An undercut meets an inference; it is written with the conclusion of that.
    """
    cases = json.loads((out / "argdown_cases.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            source = Path(folder, "case.argdown")
            source.write_text(case["text"])
            subprocess.run([argdown, "json", str(source), folder], check=True, capture_output=True)
            read = json.loads(Path(folder, "case.json").read_text())
            case["relations"] = []
            for one in read["relations"]:
                steps = read["arguments"].get(one["to"], {}).get("pcs") if one["toType"] == "inference" else None
                met = steps[one["conclusionIndex"]]["title"] if steps else one["to"]
                case["relations"].append([one["from"], one["relationType"], met])
    lines = ",\n".join(" " + json.dumps(case) for case in cases)
    (out / "argdown_cases.json").write_text(f"[\n{lines}\n]\n")


def main() -> int:
    """Write the files of every tool that is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--argdown", help="the program of @argdown/cli")
    given = parser.parse_args()
    export_networkx(given.out)
    export_igraph(given.out)
    export_graphviz(given.out)
    bring_back(given.out)
    if given.argdown:
        export_argdown(given.out, given.argdown)
        read_argdown_cases(given.out, given.argdown)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
