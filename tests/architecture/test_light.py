"""What is slow to import is imported where it is used: commands start without it."""

import subprocess
import sys

import pytest

HEAVY = ("scipy", "onnxruntime", "tokenizers", "sklearn", "torch", "pandas", "matplotlib", "openai", "xllamacpp")
VERBS = (
    "fallax.api, fallax.metrics, fallax.data, fallax.cli.detect, fallax.cli.score, fallax.cli.verify, fallax.cli.bench"
)


@pytest.mark.parametrize(
    ("modules", "heavy"),
    [("fallax", (*HEAVY, "numpy", "pydantic", "rich")), ("fallax.cli", (*HEAVY, "numpy")), (VERBS, HEAVY)],
)
def test_importing_is_light(modules: str, heavy: tuple[str, ...]) -> None:
    code = f"import sys, {modules}; print(*(m for m in {heavy!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
