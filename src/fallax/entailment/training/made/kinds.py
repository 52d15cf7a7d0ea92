"""All kinds of contrasts: each function draws one statement, passages that entail it and passages that do not."""

from __future__ import annotations

import random
from collections.abc import Callable

from fallax.entailment.training.made.grammar import MadeItem
from fallax.entailment.training.made.kinds_facts import (
    amounts,
    attribution,
    converses,
    dates,
    deed_negation,
    measures,
    modality,
    order,
    person_negation,
    roles,
)
from fallax.entailment.training.made.kinds_logic import (
    aspect,
    attributes,
    causes,
    comparisons,
    conditions,
    conjunctions,
    details,
    monotone,
    pronouns,
    quantifiers,
    synthesis,
)

__all__ = ["KINDS"]

_Draw = Callable[[random.Random], MadeItem]

#: Each kind with its relative frequency.
KINDS: tuple[tuple[_Draw, float], ...] = (
    (roles, 4.0), (converses, 1.5), (person_negation, 1.5), (deed_negation, 3.0), (modality, 1.2), (attribution, 1.5), (amounts, 3.0), (measures, 1.2),
    (order, 1.6), (dates, 0.8), (quantifiers, 1.2), (monotone, 2.0), (comparisons, 1.6), (causes, 2.5), (conditions, 0.8), (pronouns, 1.0),
    (attributes, 0.8), (conjunctions, 1.2), (aspect, 0.7), (details, 1.3), (synthesis, 0.8),
)  # fmt: skip
