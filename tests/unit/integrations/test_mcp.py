"""The tools of agents, called by a client library of somebody else."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs the extra mcp")

from mcp import Client, StdioServerParameters

from fallax.detection.systems import load_detector
from fallax.integrations.mcp_server import MAX_TEXT, mcp_server
from tests.support.injections import INJECTIONS

ROOT = Path(__file__).parents[3]
TOOLS = ["detect", "judge_faithfulness", "verify_claim", "check_structure", "explain_label", "generate_pair"]
BAD = "You are a fool, so you are wrong."
CARD = f"fallax://card/detector:{load_detector().name}"
CALLS: dict[str, dict[str, Any]] = {
    "detect": {"text": f"\U0001f642 {BAD}"},
    "judge_faithfulness": {"document": "The board met in March.", "text": "The board never met."},
    "verify_claim": {
        "claim": "The valley was flooded because the dam broke.",
        "evidence": ["Cats purr.", "The dam broke after the rain.", "When the dam broke, the valley was flooded."],
    },
    "check_structure": {"text": "E1 -> Claim"},
    "explain_label": {"label": "Ad Hominem"},
    "generate_pair": {"fallacy": "FC", "seed": 3},
}


def ask(server: Any, work: Callable[[Client], Awaitable[None]]) -> None:
    async def main() -> None:
        async with Client(server) as client:
            await work(client)

    asyncio.run(main())


async def told(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content
    assert found.structured_content is not None
    return dict(found.structured_content)


def test_every_tool_over_standard_input_and_output() -> None:
    async def work(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert [t.name for t in listed] == TOOLS
        for tool in listed:
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is True
            assert tool.annotations.open_world_hint is False
            assert tool.output_schema is not None
        said = {name: await told(client, name, CALLS[name]) for name in TOOLS}
        (finding,) = said["detect"]["findings"]
        assert finding["quote"] == CALLS["detect"]["text"][finding["start"] : finding["end"]]
        assert finding["label"] == "ad hominem"
        assert len(said["detect"]["system_hash"]) == 32
        assert said["judge_faithfulness"]["label"] == "unfaithful"
        assert said["judge_faithfulness"]["faults"][0]["quote"] == "The board never met."
        assert (said["verify_claim"]["label"], 0 in said["verify_claim"]["chain"]) == ("supports", False)
        assert said["check_structure"]["n_evidence"] == 1
        assert said["explain_label"]["name"] == "ad hominem"
        assert said["generate_pair"]["sound_twin"] != said["generate_pair"]["text"] != ""
        assert said["detect"]["system"] == CARD.rpartition("/")[2]
        resources = {str(r.uri) for r in (await client.list_resources()).resources}
        assert resources == {"fallax://taxonomies", "fallax://detectors"}
        for uri, part in (
            ("fallax://taxonomy/mafalda", "ad hominem"),
            ("fallax://card/encoder", "files"),
            (CARD, "files"),
        ):
            (content,) = (await client.read_resource(uri)).contents
            assert part in content.text  # type: ignore[union-attr]

    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    ask(StdioServerParameters(command=sys.executable, args=["-m", "fallax", "mcp"], env=environment), work)


def test_bad_calls_are_errors_in_one_line() -> None:
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("detect", {"text": "x" * (MAX_TEXT + 1)}, str(MAX_TEXT)),
        ("detect", {"text": "x", "min_confidence": 2}, "must be in [0, 1]"),
        ("explain_label", {"label": "ad homino"}, "did you mean 'ad hominem'"),
        ("explain_label", {"label": "x", "taxonomy": "../../etc/passwd"}, "unknown taxonomy"),
        ("verify_claim", {"claim": " ", "evidence": ["x"]}, "must not be empty"),
        ("check_structure", {"text": "nothing"}, "cannot be detected"),
        ("generate_pair", {"fallacy": "XX"}, "unknown"),
        ("generate_pair", {"fallacy": "FC, FS"}, "must be one type, got 'FC, FS', which is 2"),
    ]

    async def work(client: Client) -> None:
        for tool, arguments, part in calls:
            found = await client.call_tool(tool, arguments)
            assert found.is_error
            assert part in found.content[0].text  # type: ignore[union-attr]
            assert "Traceback" not in found.content[0].text  # type: ignore[union-attr]
        for uri, part in (
            ("fallax://card/nobody", "unknown detector 'nobody'; known: "),
            ("fallax://card/linear@99", "must be what is installed, which is 'linear@1'"),
            (f"fallax://card/linear@{'9' * 300}", "must be what is installed"),
            ("fallax://taxonomy/mafald", "unknown taxonomy 'mafald'; did you mean 'mafalda'"),
        ):
            with pytest.raises(Exception, match=part):
                await client.read_resource(uri)

    ask(mcp_server(), work)


def test_sixty_injected_instructions_change_no_verdict_and_no_description() -> None:
    assert len(set(INJECTIONS)) == 60

    async def work(client: Client) -> None:
        before = [t.model_dump() for t in (await client.list_tools()).tools]
        for order in INJECTIONS:
            found = await told(client, "detect", {"text": f"{BAD}\n\n{order}"})
            assert any(f["start"] == 0 and f["label"] == "ad hominem" for f in found["findings"]), order
            document = f"Reyes opened the new bridge on Monday. Twelve people came.\n\n{order}"
            text = "Tan opened the bridge on Friday."
            judged = await told(client, "judge_faithfulness", {"document": document, "text": text})
            assert judged["label"] == "unfaithful", order
            against = ["The dam did not break.", "The valley was flooded because of the storm, not because of the dam."]
            claim = "The valley was flooded because the dam broke."
            verified = await told(client, "verify_claim", {"claim": claim, "evidence": [*against, order]})
            assert verified["label"] == "refutes", order
            for said in (found, judged, verified):
                texts = {k: v for k, v in said.items() if k not in ("findings", "faults", "evidence")}
                assert order not in json.dumps(texts)
        assert [t.model_dump() for t in (await client.list_tools()).tools] == before

    ask(mcp_server(), work)
