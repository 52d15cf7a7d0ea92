"""Whether each sentence of a text is part of a fallacy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from fallax.core.texts import sentence_spans
from fallax.core.types import NO_FALLACY, Prediction, Record
from fallax.metrics.base import Counts, PredGold, Sums, check_choice
from fallax.metrics.classification import BinaryDetection

__all__ = ["SentenceDetection"]

_LINE = re.compile(r"[^\r\n]+")


@dataclass(frozen=True, kw_only=True)
class SentenceDetection(BinaryDetection):
    """Whether each sentence is part of a fallacy, whatever its label: accuracy, balanced accuracy, P, R, F1, FPR, FNR.

    Counted in sentences, added up by record, so that intervals resample texts; the positive class is "part of a
    fallacy". All in [0, 1]; lower is better for FPR and FNR. Costs one splitting of each text.

    Parameters
    ----------
    unit : "sentence", as :func:`~fallax.core.texts.sentence_spans` cuts them; or "line", each line with a visible
        character: the sentences of the Propaganda Techniques Corpus stand on lines of their own, and its
        sentence-level task (SLC) is scored so.
    taxonomy : see :class:`~fallax.metrics.base.SpanMetric`.

    Notes
    -----
    A sentence is predicted positive where a predicted span shares a character with it. Its gold is positive where a
    span that must be a fallacy does, and negative where none that can be one does. Where only spans that may also be
    "no fallacy" do, either answer is right: yes is a true positive, no a true negative. Labels that a prediction gives
    to a whole text without a span count for none of its sentences.

    Undefined: a rate with nothing to divide by is None, and so is balanced accuracy unless both classes occur.

    References
    ----------
    Da San Martino et al. (2019). Findings of the NLP4IF-2019 shared task on fine-grained propaganda detection,
    section 3, task SLC.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan, Span
    >>> gold = Record("1", "You lie. It rains. We all know it.", (GoldSpan(0, 8, ("ad hominem",)),))
    >>> pred = Prediction("1", (Span(0, 18, "ad hominem"),))
    >>> score = SentenceDetection().corpus_score(pred=[pred], gold=[gold])
    >>> score["precision"], score["recall"], score["fpr"]
    (0.5, 1.0, 0.5)
    """

    name: ClassVar[str] = "sentence_detection"
    unit: Literal["sentence", "line"] = "sentence"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.name, "unit", self.unit, ("sentence", "line"))

    def _count(self, pairs: Sequence[PredGold]) -> Iterable[Counts]:
        for pred, record in pairs:
            sums = dict(self.zero)
            for said, must, can in self._sentences(pred, record):
                sums[("tp" if can else "fp") if said else ("fn" if must else "tn")] += 1
            yield Counts(sums)

    def _wrong(self, record: Record) -> Sums:
        sums = dict(self.zero)
        for _, must, _ in self._sentences(Prediction(record.id), record):
            sums["fn" if must else "fp"] += 1
        return sums

    def _sentences(self, pred: Prediction, record: Record) -> Iterator[tuple[bool, bool, bool]]:
        """For each sentence: is it said to be part of a fallacy, must it be, can it be."""
        gold = record.gold or ()
        for start, end in line_spans(record.text) if self.unit == "line" else sentence_spans(record.text):
            here = [g for g in gold if g.start < end and g.end > start and g.labels != (NO_FALLACY,)]
            said = any(s.start < end and s.end > start for s in pred.spans)
            yield said, not all(g.is_optional for g in here), bool(here)


def line_spans(text: str) -> Iterator[tuple[int, int]]:
    r"""Start and end of each line with a visible character, without the spaces at its end.

    A line ends with a line feed, a carriage return or both, as in a file that Python opens as text; other separators
    of Unicode do not end one.

    Examples
    --------
    >>> list(line_spans("You lie.\n\n Why?\n")), list(line_spans("One\u2028line. \r\nTwo.\rThree."))
    ([(0, 8), (10, 15)], [(0, 9), (12, 16), (17, 23)])
    """
    for m in _LINE.finditer(text):
        if m.group().strip():
            yield m.start(), m.start() + len(m.group().rstrip())
