"""Inter-annotator agreement on labels and spans, corrected for chance."""

from fallax.metrics.agreement.alignment import Alignment, Layout, best_alignments
from fallax.metrics.agreement.basic import (
    Agreement,
    LabelAgreement,
    SpanAgreement,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    label_agreement,
    percent_agreement,
    span_agreement,
)
from fallax.metrics.agreement.gamma import AnnotatedUnit, Continuum, Gamma, gamma
from fallax.metrics.agreement.pairwise import (
    NOTHING,
    PairAgreement,
    TableRow,
    label_confusion,
    mafalda_table,
    pair_agreement,
    pair_counts,
)
from fallax.metrics.agreement.ratings import (
    COEFFICIENTS,
    LEVELS,
    Coefficient,
    Level,
    RatingTable,
    agreement_of,
    distance_matrix,
    name_of,
)
from fallax.metrics.agreement.unitizing import UnitizingAlpha, unitizing_alpha

__all__ = [
    "COEFFICIENTS",
    "LEVELS",
    "NOTHING",
    "Agreement",
    "Alignment",
    "AnnotatedUnit",
    "Coefficient",
    "Continuum",
    "Gamma",
    "LabelAgreement",
    "Layout",
    "Level",
    "PairAgreement",
    "RatingTable",
    "SpanAgreement",
    "TableRow",
    "UnitizingAlpha",
    "agreement_of",
    "best_alignments",
    "cohen_kappa",
    "distance_matrix",
    "fleiss_kappa",
    "gamma",
    "krippendorff_alpha",
    "label_agreement",
    "label_confusion",
    "mafalda_table",
    "name_of",
    "pair_agreement",
    "pair_counts",
    "percent_agreement",
    "span_agreement",
    "unitizing_alpha",
]
