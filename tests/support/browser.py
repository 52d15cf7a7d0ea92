"""A real browser, and axe-core in it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
#: Where ``make axe`` puts it; FALLAX_AXE names another file.
AXE = Path(
    os.environ.get(
        "FALLAX_AXE", Path(__file__).parents[2] / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
    )
)
#: All of WCAG 2 A and AA; in the dark again what depends on colours.
RULES = {
    "light": "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})",
    "dark": "axe.run({runOnly: {type: 'rule', values: ['color-contrast']}})",
}


def violations(page: Any, scheme: str) -> list[tuple[str, str, str]]:
    """What axe-core finds serious or critical on a page in light or dark colours: rule, element, why."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    page.emulate_media(color_scheme=scheme)
    found = page.evaluate(RULES[scheme])
    bad = [v for v in found["violations"] if v["impact"] in ("serious", "critical")]
    return [(v["id"], v["nodes"][0]["html"][:200], v["nodes"][0]["failureSummary"][:300]) for v in bad]
