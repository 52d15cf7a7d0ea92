"""The shipped judge: an entailment model reads each claim of a summary with the relevant passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal

from fallax.core.texts import normal_form, without_hidden
from fallax.core.types import Ambiguity, Faithfulness, FaithfulnessVerdict, Fault, UnitVerdict
from fallax.encoders.parallel import each_in_order, meanwhile
from fallax.entailment import EntailmentModel, Passages, foreign_to, load_entailment
from fallax.faithfulness.systems.backing import (
    JudgedClaim,
    apart,
    as_one,
    only_nearest,
    passages_shown,
    reason_of,
    unsupported_words,
    words_lacking,
)
from fallax.faithfulness.systems.checks import checked
from fallax.faithfulness.systems.claims import Clause, clauses_of, split_claims
from fallax.faithfulness.systems.reasons import undecided
from fallax.faithfulness.systems.rewritten import rewritten_as_in
from fallax.faithfulness.systems.surface import Surface
from fallax.faithfulness.systems.units import Unit, check_level, check_text, cut_summary
from fallax.faithfulness.systems.weights import JudgeWeights, both_readings, features_of, running_reading
from fallax.faithfulness.systems.wordings import worded_ambiguity
from fallax.models.larger import ENTAILMENT_LARGE

__all__ = ["EntailmentJudge", "load_entailment_judge", "load_large_judge"]


@dataclass(frozen=True, slots=True)
class _Words:
    """What is compared word for word, and why a text is outside the model's training data, else ""."""

    surface: Surface
    clauses: Sequence[Clause]
    foreign: str


def _words_of(passages: Passages, summary: str) -> _Words:
    document = passages.document
    foreign = foreign_to(document) or foreign_to(summary)
    return _Words(Surface(normal_form(without_hidden(document))), clauses_of(passages.texts), foreign)


class EntailmentJudge:
    """Faithful, unfaithful or cannot tell, with the passages and words behind the verdict.

    Each sentence is cut into the claims it makes. For each claim the sentences of the document that bear on it are
    found by words and by what words mean, and read together with it; where these do not settle it, the next ones are
    read too. What a sentence of the document says in the same words is faithful. A calibrated
    regression makes a probability of the readings; a sentence is as good as its worst claim.

    Parameters
    ----------
    model : reads.
    weights : by default those of the model's card.
    level : "sentence" gives a verdict for each; "summary" one, that of the least likely sentence.
    abstain : say "cannot tell" where the probability is not decisive, the language is not English, or a claim is longer
        than the model reads. False: always the likelier label.
    threshold : without abstaining, a probability below it is unfaithful.

    Examples
    --------
    >>> import asyncio
    >>> judge = load_entailment_judge()
    >>> text = "The board met in March. Reyes accused Tan of hiding the report."
    >>> found = asyncio.run(judge.judge(text, "The board met in March."))
    >>> found.label, found.units[0].evidence[0].text
    ('faithful', 'The board met in March.')
    """

    def __init__(
        self,
        model: EntailmentModel,
        *,
        weights: JudgeWeights | None = None,
        level: Literal["sentence", "summary"] = "sentence",
        abstain: bool = True,
        threshold: float = 0.5,
    ) -> None:
        check_level(level)
        self.model = model
        self.weights = JudgeWeights.from_card(model.about) if weights is None else weights
        self.level: Literal["sentence", "summary"] = level
        self.abstain = abstain
        self.threshold = threshold

    @property
    def name(self) -> str:
        """The name of the model, with its version."""
        return self.model.name

    def with_settings(
        self, *, level: Literal["sentence", "summary"], threshold: float | None, abstain: bool
    ) -> EntailmentJudge:
        """The same judge with other settings."""
        kept = self.threshold if threshold is None else threshold
        return EntailmentJudge(self.model, weights=self.weights, level=level, abstain=abstain, threshold=kept)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that verdicts depend on."""
        return {"level": self.level, "judge": self.name, "abstain": self.abstain, "threshold": self.threshold,
                "band": [self.weights.low, self.weights.high]}  # fmt: skip

    async def judge(self, document: str, summary: str) -> FaithfulnessVerdict:
        """Judge a summary.

        Raises
        ------
        UnjudgeableError : document or summary is empty.
        """
        document = check_text(document, "document")
        units = cut_summary(summary, "sentence")
        passages = Passages(self.model, document)
        before = ["", *(u.text for u in units[:-1])]
        # the first sentences are read meanwhile
        words = meanwhile(partial(_words_of, passages), summary)

        def judge_unit(unit: tuple[Unit, str]) -> UnitVerdict:
            return self._unit(passages, words.result, *unit)

        judged = list(each_in_order(judge_unit, list(zip(units, before, strict=True))))
        if self.level == "summary" and len(judged) > 1:
            judged = [as_one(judged, summary)]
        foreign = words.result().foreign
        notes = (f"{foreign}; probabilities mean little here",) if foreign else ()
        return FaithfulnessVerdict(self.name, tuple(judged), notes=notes, settings=self.settings)

    def _unit(self, passages: Passages, words: Callable[[], _Words], unit: Unit, before: str) -> UnitVerdict:
        claims = []
        for start, end in split_claims(unit.text):
            written = rewritten_as_in(unit.text[start:end], passages.texts)
            text = written.text
            first, second = both_readings(passages, text)
            running = running_reading(passages, text, first)
            said = words().surface.of(normal_form(text))
            p = self.weights.probability(features_of(first, second, said, running))
            form = checked(passages, text, words().clauses, first, second, p, self.weights.low)
            claims.append(JudgedClaim(start, written, first, second, said.strangers, form))
        worst = min(claims, key=lambda c: c.form.probability)
        return self._verdict(passages, unit, before, worst, claims, words().foreign)

    def _verdict(
        self,
        passages: Passages,
        unit: Unit,
        before: str,
        worst: JudgedClaim,
        claims: Sequence[JudgedClaim],
        foreign: str,
    ) -> UnitVerdict:
        p = worst.form.probability
        words = unsupported_words(passages, unit, worst)
        label: Faithfulness | None = "faithful" if p >= self.threshold else "unfaithful"
        unscored = ""
        ambiguity = None
        if self.abstain:
            ambiguity = self._ambiguity(passages, unit, worst, before)
            too_long = len(self.model.tokens(unit.text)) > 80 * len(claims)
            if foreign or too_long:
                label, unscored = None, f"cannot tell: {foreign or 'the sentence is longer than the model reads'}"
            elif self.weights.low < round(p, 2) < self.weights.high:  # as it is shown
                why = worst.form.withheld or f"{undecided(words_lacking(passages, worst))} (probability {p:.2f})"
                label, unscored = None, f"cannot tell: {why}"
        shown = claims if label == "faithful" else [worst]
        evidence = passages_shown(passages, shown, label)
        # what one reading takes for support or a contradiction, all together may not
        if label == "faithful":
            evidence = tuple(e for e in evidence if e.stance == "supports") or only_nearest(evidence, "contradicts")
        elif label == "unfaithful":
            evidence = only_nearest(evidence, "supports")
        elif ambiguity is None:
            evidence = only_nearest(evidence, "contradicts", "supports")
        if label == "unfaithful" and not words:
            words = unsupported_words(passages, unit, worst, least=0.0)[:1]
        if label is not None and not evidence and not words:
            label, unscored = None, "cannot tell: no passage of the document bears on it"
        faults: tuple[Fault, ...] = ()
        if label == "unfaithful":
            faults = (Fault(unit.start, unit.end, unit.text, reason_of(words, evidence, worst.form.altered)),)
        return UnitVerdict(
            unit.start, unit.end, unit.text, label, "", p, {}, faults, ambiguity, unscored, evidence,
            () if label == "faithful" else words,
        )  # fmt: skip

    def _ambiguity(self, passages: Passages, unit: Unit, worst: JudgedClaim, before: str) -> Ambiguity | None:
        """The ambiguity of a sentence; none if the document contains the sentence literally."""
        if worst.form.backed_by is not None:
            return None
        return apart(passages, worst) or worded_ambiguity(
            self.model, [passages.texts[i] for i in worst.first.pieces], unit.text, before
        )


@cache
def load_entailment_judge(folder: str | None = None) -> EntailmentJudge:
    """The judge with the shipped model, or with one in a folder."""
    return EntailmentJudge(load_entailment(folder))


def load_large_judge() -> EntailmentJudge:
    """The judge with the larger model, which :func:`fallax.models.larger.fetch_larger` puts on this machine.

    Raises
    ------
    ModelError
        If it was not fetched.
    """
    return load_entailment_judge(str(ENTAILMENT_LARGE.folder()))
