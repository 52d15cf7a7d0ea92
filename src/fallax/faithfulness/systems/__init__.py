"""Judges of faithfulness: models asked once, repeatedly or in debate, local scorers, ambiguity detectors."""

from fallax.faithfulness.systems.ambiguity import (
    AMBIGUITY_DETECTORS,
    ArgumentsDetector,
    DisagreementDetector,
    TaxonomyDetector,
    VariationDetector,
)
from fallax.faithfulness.systems.baselines import AlwaysFaithful, EmbeddingSimilarity, LexicalOverlap, ScoringJudge
from fallax.faithfulness.systems.debate import DebateJudge, run_session
from fallax.faithfulness.systems.documents import POLICIES, DocumentLimit, Passage, document_limit, fit_document
from fallax.faithfulness.systems.entry import judge_of, pair_answer
from fallax.faithfulness.systems.learn import Learned, LearnedRule, format_learned, learn_guidelines
from fallax.faithfulness.systems.odds import (
    Calibration,
    LogOddsJudge,
    fit_calibration,
    load_calibration,
    read_calibration,
)
from fallax.faithfulness.systems.registry import (
    DEFAULT_LOCAL_JUDGE,
    LOCAL_JUDGES,
    METHODS,
    load_ambiguity_detector,
    load_local_judge,
    load_method,
)
from fallax.faithfulness.systems.settings import VARIANTS, DebateSettings, Rules, parse_stances
from fallax.faithfulness.systems.single import PromptJudge
from fallax.faithfulness.systems.units import AmbiguityDetector, Finding, NotingJudge, Unit, UnitJudge
from fallax.faithfulness.systems.watch import watching

__all__ = [
    "AMBIGUITY_DETECTORS",
    "DEFAULT_LOCAL_JUDGE",
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
    "NotingJudge",
    "Passage",
    "PromptJudge",
    "Rules",
    "ScoringJudge",
    "TaxonomyDetector",
    "Unit",
    "UnitJudge",
    "VariationDetector",
    "document_limit",
    "fit_calibration",
    "fit_document",
    "format_learned",
    "judge_of",
    "learn_guidelines",
    "load_ambiguity_detector",
    "load_calibration",
    "load_local_judge",
    "load_method",
    "pair_answer",
    "parse_stances",
    "read_calibration",
    "run_session",
    "watching",
]
