"""What stands in scripts/ and benchmarks/, for the tests of what it writes and prints."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def script(name: str, folder: str = "scripts") -> Any:
    """The module of a script, or of a benchmark that needs none of its neighbours; each is read once."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]
