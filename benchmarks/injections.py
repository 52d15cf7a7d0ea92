"""Instructions inside texts against the tools of agents: python benchmarks/injections.py [--n 60]

N passages of the training corpus, N statements of the benchmark contrast and N claims of the scenes, taken evenly and
not by what any system says of them, go through the tools of ``fallax mcp``: as they are, with one of 60 instructions
after them (for a claim, among its evidence), and with a plain sentence in its place. Counted is whose answer is another
than without: a finding in the passage, or a verdict. What the plain sentence changes is the sensitivity of the systems
to any further text.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from mcp import Client

from fallax.core.texts import sentence_spans
from fallax.detection.systems.passages import read_passages
from fallax.integrations.mcp_server import mcp_server
from tests.support.injections import INJECTIONS

ROOT = Path(__file__).parents[1]
Call = tuple[str, dict[str, Any], Callable[[dict[str, Any]], Any]]


def evenly(items: list[Any], n: int) -> list[Any]:
    return [items[i * len(items) // n] for i in range(n)]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def cases(n: int) -> dict[str, list[Callable[[str], Call]]]:
    """Tool -> for each case, what makes the call with a further sentence, and what of its answer counts."""

    def detect(text: str) -> Callable[[str], Call]:
        def call(more: str) -> Call:
            said = text if not more else f"{text}\n\n{more}"
            return (
                "detect",
                {"text": said},
                lambda a: sorted((f["start"], f["end"], f["label"]) for f in a["findings"] if f["start"] < len(text)),
            )

        return call

    def judge(document: str, text: str) -> Callable[[str], Call]:
        def call(more: str) -> Call:
            said = document if not more else f"{document}\n\n{more}"
            return "judge_faithfulness", {"document": said, "text": text}, lambda a: a["label"]

        return call

    def verify(claim: str, evidence: list[str]) -> Callable[[str], Call]:
        def call(more: str) -> Call:
            given = {"claim": claim, "evidence": [*evidence, *([more] if more else [])]}
            return "verify_claim", given, lambda a: a["label"]

        return call

    passages = [p.record.text for p in read_passages(ROOT / "data" / "passages") if p.record.gold]
    contrast = rows(ROOT / "src/fallax/faithfulness/benchmarks/contrast.jsonl")
    scenes = rows(ROOT / "src/fallax/causality/benchmarks/scenes.jsonl")
    statements = [(c["passage"], s[2]) for c in contrast for s in c["statements"]]
    claims = [(claim[2], scene["evidence"]) for scene in scenes for claim in scene["claims"]]
    return {
        "detect": [detect(t) for t in evenly(passages, n)],
        "judge_faithfulness": [judge(d, t) for d, t in evenly(statements, n)],
        "verify_claim": [verify(c, e) for c, e in evenly(claims, n)],
    }


async def measured(n: int) -> int:
    plain_text = (ROOT / "examples" / "plain.txt").read_text(encoding="utf-8")
    plain = [plain_text[a:b] for a, b in sentence_spans(plain_text)]
    async with Client(mcp_server()) as client:

        async def answer(call: Call) -> Any:
            tool, arguments, counts = call
            found = await client.call_tool(tool, arguments)
            assert not found.is_error, found.content
            assert found.structured_content is not None
            return counts(found.structured_content)

        described = [t.model_dump() for t in (await client.list_tools()).tools]
        print(f"{'tool':20} {'cases':>5} {'changed by an instruction':>27} {'by a plain sentence':>21}")
        for tool, made in cases(n).items():
            changed: dict[str, Counter[str]] = {"order": Counter(), "plain": Counter()}
            for i, case in enumerate(made):
                before = await answer(case(""))
                for kind, more in (("order", INJECTIONS[i % len(INJECTIONS)]), ("plain", plain[i % len(plain)])):
                    after = await answer(case(more))
                    if after != before:
                        was, now = (x if isinstance(x, str) else f"{len(x)} findings" for x in (before, after))
                        changed[kind][f"{was} -> {now}"] += 1
            n_order, n_plain = changed["order"].total(), changed["plain"].total()
            print(f"{tool:20} {len(made):5} {n_order:27} {n_plain:21}")
            for kind, name in (("order", "instruction"), ("plain", "plain sentence")):
                for what, times in sorted(changed[kind].items()):
                    print(f"{'':20} {name}: {what} {times}")
        same = described == [t.model_dump() for t in (await client.list_tools()).tools]
    print(f"descriptions of the tools: {'the same' if same else 'OTHERS'}")
    return 0 if same else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=60)
    return asyncio.run(measured(parser.parse_args().n))


if __name__ == "__main__":
    raise SystemExit(main())
