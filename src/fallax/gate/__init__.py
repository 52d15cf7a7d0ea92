"""Gates for builds: runs, texts and summaries against thresholds; the outcome may be "undecided"."""

from fallax.gate.checks import CheckResult, Outcome, Waiver, check_pairs, check_texts, worst_of
from fallax.gate.config import GateConfig, read_config
from fallax.gate.reports import gate_junit, gate_markdown, gate_sarif
from fallax.gate.runs import check_run

__all__ = [
    "CheckResult",
    "GateConfig",
    "Outcome",
    "Waiver",
    "check_pairs",
    "check_run",
    "check_texts",
    "gate_junit",
    "gate_markdown",
    "gate_sarif",
    "read_config",
    "worst_of",
]
