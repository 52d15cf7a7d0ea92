"""Which measure of a score counts first, and which way round a measure is read."""

from __future__ import annotations

from collections.abc import Sequence

from fallax.core.types import Score
from fallax.metrics.base import Measure
from fallax.metrics.registry import METRICS
from fallax.runs.base import Benchmark

__all__ = ["main_measure", "measure_of"]

_SHARES = ("precision", "recall", "f1")


def main_measure(benchmark: Benchmark, measures: Sequence[str]) -> str:
    """The measure by which a score is ranked: the benchmark's main one; the first, where a score lacks it.

    Parameters
    ----------
    measures : of the score, at least one.

    Examples
    --------
    >>> from fallax.runs.registry import load_benchmark
    >>> main_measure(load_benchmark("propaganda"), ("precision", "recall", "f1"))
    'f1'
    """
    return benchmark.primary[1] if benchmark.primary[1] in measures else measures[0]


def measure_of(benchmark: Benchmark, name: str, score: Score, measure: str) -> Measure:
    """The range of a measure, and whether higher is better.

    Precision, recall and F1 end at 1 here, although overlapping passages can lift some of them above it.

    Parameters
    ----------
    name : of the score in the benchmark; of one that ranks nobody, such as tokens, less is better.
    score : a score whose metric nobody registered has measures from 0, of which more is better.

    Examples
    --------
    >>> from fallax.metrics import FallacyDetection
    >>> from fallax.runs.registry import load_benchmark
    >>> score = FallacyDetection().corpus_score(pred=(), gold=())
    >>> measure_of(load_benchmark("mafalda"), "text-detection", score, "fpr").higher_is_better
    False
    """
    known = METRICS.get(score.metric.partition("(")[0])
    if known is not None and measure in known.measures:
        found = known.measures[measure]
        return found._replace(high=1.0) if found.high is None and measure in _SHARES else found
    return Measure("", high=None, higher_is_better=name not in benchmark.unranked)
