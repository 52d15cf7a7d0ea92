"""Judges of faithfulness: models asked once, many times or in debate, local scorers, and detectors of ambiguity."""

from fallax.judges.ambiguity import (
    DETECTORS,
    ArgumentsDetector,
    DisagreementDetector,
    TaxonomyDetector,
    VariationDetector,
)
from fallax.judges.baselines import AlwaysFaithful, EmbeddingSimilarity, LexicalOverlap, ScoringJudge
from fallax.judges.debate import DebateJudge, run_session
from fallax.judges.documents import POLICIES, DocumentLimit, Passage, document_limit, fit_document
from fallax.judges.entry import adebate, judge_of
from fallax.judges.learn import Learned, LearnedRule, format_learned, learn_guidelines
from fallax.judges.odds import Calibration, LogOddsJudge, fit_calibration, load_calibration, read_calibration
from fallax.judges.registry import (
    LOCAL_JUDGES,
    METHODS,
    default_local_judge,
    load_detector,
    load_local_judge,
    load_method,
    register_local_judge,
)
from fallax.judges.settings import VARIANTS, DebateSettings, Rules, parse_stances
from fallax.judges.single import PromptJudge
from fallax.judges.units import AmbiguityDetector, Finding, Unit, UnitJudge
from fallax.judges.watch import watching

__all__ = [
    "DETECTORS",
    "LOCAL_JUDGES",
    "METHODS",
    "POLICIES",
    "VARIANTS",
    "AlwaysFaithful",
    "AmbiguityDetector",
    "ArgumentsDetector",
    "Calibration",
    "DebateJudge",
    "DebateSettings",
    "DisagreementDetector",
    "DocumentLimit",
    "EmbeddingSimilarity",
    "Finding",
    "Learned",
    "LearnedRule",
    "LexicalOverlap",
    "LogOddsJudge",
    "Passage",
    "PromptJudge",
    "Rules",
    "ScoringJudge",
    "TaxonomyDetector",
    "Unit",
    "UnitJudge",
    "VariationDetector",
    "adebate",
    "default_local_judge",
    "document_limit",
    "fit_calibration",
    "fit_document",
    "format_learned",
    "judge_of",
    "learn_guidelines",
    "load_calibration",
    "load_detector",
    "load_local_judge",
    "load_method",
    "parse_stances",
    "read_calibration",
    "register_local_judge",
    "run_session",
    "watching",
]
