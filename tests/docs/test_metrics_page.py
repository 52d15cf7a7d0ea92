"""The page about metrics: its code runs and prints what it says, and it names everything there is."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

from fallax.metrics import METRICS

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")


def test_the_code_prints_what_the_page_says() -> None:
    blocks = re.findall(r"```python\n(.*?)```\n\n```output\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == PAGE.count("```python")
    names: dict[str, Any] = {}
    for code, expected in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, names)
        assert out.getvalue() == expected


def test_every_metric_and_measure_is_described() -> None:
    for name, metric in METRICS.items():
        assert f"## `{name}`" in PAGE
        for measure in metric.measures:
            assert re.search(rf"\b{measure}\b", PAGE.replace("balanced accuracy", "balanced_accuracy"), re.IGNORECASE)
