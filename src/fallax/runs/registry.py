"""Benchmarks by name; the module of a benchmark is imported on first use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fallax.core.registry import Registry, registry
from fallax.runs.base import Benchmark

__all__ = ["BENCHMARKS", "benchmark_class", "load_benchmark"]

#: name -> class; imported when it is first used.
BENCHMARKS: Registry[type[Benchmark]] = registry("benchmark")
for _name, _target in {
    "causal": "fallax.causality.benchmarks.causal:Causal",
    "contrast": "fallax.faithfulness.benchmarks.contrast:Contrast",
    "faithfulness": "fallax.faithfulness.benchmarks.faithfulness:Faithfulness",
    "fallacies": "fallax.detection.benchmarks.fallacies:Fallacies",
    "mafalda": "fallax.detection.benchmarks.mafalda:Mafalda",
    "passages": "fallax.detection.benchmarks.passages:MarkedPassages",
    "propaganda": "fallax.detection.benchmarks.propaganda:Propaganda",
    "smartypat": "fallax.generation.benchmarks.smartypat:SmartyPat",
    "smartypat-quality": "fallax.generation.benchmarks.smartypat:SmartyPatQuality",
    "touche": "fallax.detection.benchmarks.touche:Touche",
}.items():
    BENCHMARKS.add(_name, _target)


def benchmark_class(name: str) -> type[Benchmark]:
    """The class of a benchmark.

    Examples
    --------
    >>> benchmark_class("mafalda").name
    'mafalda'
    """
    return BENCHMARKS.find(name)


def load_benchmark(name: str, *, data: str | Path | None = None, options: Mapping[str, Any] | None = None) -> Benchmark:
    """A benchmark by name, with its options; does not read data yet.

    Raises
    ------
    UnknownNameError
        If there is no such benchmark, or it has no such option.
    """
    return benchmark_class(name)(data=data, options=options)
