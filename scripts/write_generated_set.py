"""Write docs/sets/template-14x20.md, the texts of the set of docs/generate.md: python scripts/write_generated_set.py"""

from __future__ import annotations

import asyncio
from pathlib import Path

from fallax.generation.generators import agenerate

PAGE = Path(__file__).parents[1] / "docs" / "sets" / "template-14x20.md"

HEAD = """# 14 x 20 fallacies with their sound twins

The texts that `fallax generate -n 20 --seed 7` writes, without a model. With derivations, claims and card:
`fallax generate -n 20 --seed 7 --output set.jsonl`. This page is written by `python scripts/write_generated_set.py`.
[generate](../generate.md) says how it was read and what was found.
"""


def page() -> str:
    """The page as text."""
    made = asyncio.run(agenerate(None, n=20, seed=7, evaluator="joins"))
    parts = [HEAD]
    label = ""
    for item in made:
        if item.labels[0] != label:
            label = item.labels[0]
            parts.append(f"## {label}\n")
        instance = item.derivation.instance if item.derivation else ""
        parts.append(f"`{item.id[-4:]}` ({instance})\n\n- fallacy: {item.text}\n- twin: {item.sound_twin}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
