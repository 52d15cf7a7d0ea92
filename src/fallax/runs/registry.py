"""Benchmarks by name; a benchmark's module is imported when it is first used."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fallax.errors import UnknownNameError
from fallax.runs.base import Benchmark

__all__ = ["BENCHMARKS", "benchmark_class", "load_benchmark"]

#: name -> module and class.
BENCHMARKS: dict[str, str] = {
    "causal": "fallax.causality.benchmarks.causal:Causal",
    "faithfulness": "fallax.faithfulness.benchmarks.faithfulness:Faithfulness",
    "fallacies": "fallax.detection.benchmarks.fallacies:Fallacies",
    "mafalda": "fallax.detection.benchmarks.mafalda:Mafalda",
    "propaganda": "fallax.detection.benchmarks.propaganda:Propaganda",
    "smartypat": "fallax.generation.benchmarks.smartypat:SmartyPat",
    "smartypat-quality": "fallax.generation.benchmarks.smartypat:SmartyPatQuality",
}


def benchmark_class(name: str) -> type[Benchmark]:
    """The class of a benchmark.

    Examples
    --------
    >>> benchmark_class("mafalda").name
    'mafalda'
    """
    if name not in BENCHMARKS:
        raise UnknownNameError("benchmark", name, BENCHMARKS)
    module, _, attribute = BENCHMARKS[name].partition(":")
    found: type[Benchmark] = getattr(importlib.import_module(module), attribute)
    return found


def load_benchmark(name: str, *, data: str | Path | None = None, options: Mapping[str, Any] | None = None) -> Benchmark:
    """A benchmark by name, with its options; reads no data yet.

    Raises
    ------
    UnknownNameError
        If there is no such benchmark, or it has no such option.
    """
    return benchmark_class(name)(data=data, options=options)
