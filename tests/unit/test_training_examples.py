"""The examples in the docstrings of the training code run; what needs torch is skipped without it."""

import doctest
import importlib
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src"
#: Modules with examples: pytest does not collect these folders, since most of what is there needs torch.
MODULES = [
    ".".join(path.relative_to(SRC).with_suffix("").parts)
    for path in sorted(SRC.glob("fallax/*/training/**/*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
#: Packages of the extra ``train``.
EXTRA = ("torch", "safetensors", "onnx")


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_docstrings_run(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in EXTRA:
            raise
        pytest.skip(f"needs {error.name}")
    done = doctest.testmod(module)
    assert done.attempted
    assert not done.failed


def test_examples_are_found_in_every_job_that_trains() -> None:
    assert {name.split(".")[1] for name in MODULES} == {"causality", "detection", "encoders", "entailment"}
