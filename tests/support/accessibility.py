"""axe-core in a page of a test, where ``make axe`` has fetched it."""

import os
from pathlib import Path
from typing import Any

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


def serious_violations(page: Any, scheme: str) -> list[tuple[str, str, str]]:
    """What axe-core calls serious or critical: rule, element, what to do. Empty where there is no axe-core."""
    if not AXE.is_file():
        return []
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(RULES[scheme])
    bad = [v for v in found["violations"] if v["impact"] in ("serious", "critical")]
    return [(v["id"], v["nodes"][0]["html"][:200], v["nodes"][0]["failureSummary"][:300]) for v in bad]
