"""A judge from a model's log-odds of "yes" against "no".

The generated answers of small models say yes to nearly everything; the probability they give to the first word still
orders sentences. Shifted and scaled on labelled examples it becomes a probability.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from fallax.core.json_value import JsonValue
from fallax.core.prompts import hash_of, read_prompt
from fallax.core.texts import fence
from fallax.core.types import (
    FAITHFUL,
    UNFAITHFUL,
    ChatModel,
    Faithfulness,
    Message,
    Reply,
    Request,
    TokenLogprob,
    Unreadable,
)
from fallax.core.whole import read_whole_json
from fallax.errors import FormatError, InputError, ModelError
from fallax.faithfulness.protocols.faithfulness import fill
from fallax.faithfulness.systems.documents import DocumentLimit, Passage
from fallax.faithfulness.systems.units import AmbiguityDetector, Extent, Finding, Unit, UnitJudge, faults_in, reserve_of

__all__ = ["Calibration", "LogOddsJudge", "fit_calibration", "load_calibration", "log_odds", "read_calibration"]

PROMPT = "faithfulness_log_odds.v1"
_YES = frozenset(("yes", "y"))
_NO = frozenset(("no", "n"))


@dataclass(frozen=True, slots=True)
class Calibration(JsonValue):
    """A calibration of log-odds: ``1 / (1 + exp(-(scale * odds + offset)))``.

    Parameters
    ----------
    scale, offset : above 0, and any number.
    model, examples : what it was fitted for and on; n : on how many.
    """

    scale: float = 1.0
    offset: float = 0.0
    model: str = ""
    examples: str = ""
    n: int = 0

    def __post_init__(self) -> None:
        if not self.scale > 0:
            raise InputError(f"calibration: scale must be above 0, got {self.scale!r}")

    def probability(self, odds: float) -> float:
        """The probability for given log-odds.

        Examples
        --------
        >>> Calibration(offset=-2.0).probability(2.0)
        0.5
        """
        x = self.scale * odds + self.offset
        return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def read_calibration(path: str | Path) -> Calibration:
    """Read a calibration from a file.

    Raises
    ------
    FormatError
        If there is none, or it is no calibration.
    """
    said = read_whole_json(path)
    try:
        return Calibration(**said)
    except (ValueError, TypeError) as error:
        raise FormatError(f"must be a calibration, as the script writes it: {error}", path=path) from error


def load_calibration(model: str) -> Calibration | None:
    """The calibration shipped for a model, by name; None if there is none.

    Examples
    --------
    >>> load_calibration("scripted:nobody.json") is None
    True
    """
    file = resources.files("fallax.faithfulness") / "calibrations" / f"{model.replace('/', '--')}.json"
    return Calibration(**json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None


def fit_calibration(
    odds: Sequence[float], labels: Sequence[Faithfulness], *, model: str = "", examples: str = ""
) -> Calibration:
    """Fit scale and offset by logistic regression with equal weight for both classes.

    Parameters
    ----------
    odds, labels : of the examples; both labels must occur.
    model, examples : for the record.

    Notes
    -----
    A weak penalty (0.01 on the squared scale of standardised odds) keeps the scale finite where the classes do not
    overlap. If the odds run the wrong way, the scale is made small and positive: they then say nothing.

    Examples
    --------
    >>> found = fit_calibration([3.0, 4.0, 1.0, 2.0], ["faithful", "faithful", "unfaithful", "unfaithful"])
    >>> round(found.probability(2.5), 2), found.probability(4.0) > 0.8
    (0.5, True)
    """
    import numpy as np
    from scipy.optimize import minimize

    if len(odds) != len(labels) or len(set(labels)) != 2:
        raise InputError("calibration needs as many odds as labels, and labels of both kinds")
    x = np.asarray(odds, dtype=np.float64)
    y = np.asarray([label == FAITHFUL for label in labels], dtype=np.float64)
    middle, width = float(x.mean()), float(x.std()) or 1.0
    z = (x - middle) / width
    weights = np.where(y == 1, 0.5 / y.sum(), 0.5 / (len(y) - y.sum()))

    def loss(at: Any) -> float:
        a, b = at
        return float((weights * np.logaddexp(0, np.where(y == 1, -1, 1) * (a * z + b))).sum() + 0.01 * a * a)

    a, b = minimize(loss, np.zeros(2), method="BFGS").x.tolist()
    scale = max(a, 1e-3) / width
    return Calibration(scale, b - scale * middle, model, examples, len(y))


def log_odds(tokens: Sequence[TokenLogprob] | None) -> float | None:
    """The log-odds of "yes" against "no" as the first token; None if neither is among the alternatives.

    Where one of the two is not reported, it counts as likely as the least likely alternative that is.

    Examples
    --------
    >>> round(log_odds([TokenLogprob("Yes", -0.1, {"Yes": -0.1, " no": -3.1})]), 1)
    3.0
    """
    for token in tokens or ():
        top = {token.token: token.logprob, **token.top}
        sums = [
            sum(math.exp(p) for t, p in top.items() if t.strip().lower().strip(".,\"'*") in words)
            for words in (_YES, _NO)
        ]
        if any(sums):
            least = math.exp(min(top.values()))
            yes, no = (max(s, least) for s in sums)
            return math.log(yes) - math.log(no)
        if token.token.strip():
            return None
    return None


class LogOddsJudge(UnitJudge):
    """Judges by a model's odds of "yes" against "no", see the module.

    Parameters
    ----------
    model : must give log-probabilities.
    calibration : None: that which ships for the model, else none (0 is the border).
    threshold : a probability below it is unfaithful.
    level, limit, detector : see :class:`fallax.faithfulness.systems.UnitJudge`.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        calibration: Calibration | None = None,
        threshold: float = 0.5,
        level: Literal["sentence", "summary"] = "sentence",
        limit: DocumentLimit | None = None,
        detector: AmbiguityDetector | None = None,
    ) -> None:
        super().__init__(level=level, limit=limit, detector=detector)
        self.model = model
        self.calibration = calibration or load_calibration(model.name) or Calibration()
        self.threshold = threshold

    @property
    def name(self) -> str:
        """``log-odds``."""
        return "log-odds"

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that verdicts depend on."""
        return {
            "level": self.level,
            "threshold": self.threshold,
            "calibration": self.calibration.to_dict(),
            "models": [self.model.name],
            "prompts": hash_of(read_prompt("fallax.faithfulness.protocols", PROMPT)),
            "ambiguity": None if self.detector is None else self.detector.name,
        }

    def _reserve(self, unit: Unit, count_tokens: Callable[[str], int]) -> int:
        return reserve_of(count_tokens, unit, None, 16)

    async def odds(self, document: str, summary: str) -> tuple[float | None, Reply]:
        """The uncalibrated log-odds and the reply; None if the model offers neither answer."""
        prompt = fill(
            read_prompt("fallax.faithfulness.protocols", PROMPT),
            document=fence(document, "doc"),
            summary=fence(summary, "summary"),
        )
        request = Request((Message("user", prompt),), temperature=0.0, max_tokens=1, logprobs=20)
        reply = await self.model.generate(request)
        if reply.logprobs is None:
            raise ModelError(
                "it gave no log-probabilities", provider=self.model.name, hint="take a model or a server that does"
            )
        return log_odds(reply.logprobs), reply

    async def _find(self, passage: Passage, unit: Unit, extent: Extent) -> Finding:
        odds, reply = await self.odds(passage.text, unit.text)
        if odds is None:
            reason = "neither yes nor no is among the likeliest answers"
            bad = Unreadable(reason, reply.text, repr(unit.text[:60]))
            return Finding(None, unscored=reason, n_replies=1, unreadable=(bad,), usage=reply.usage)
        p = self.calibration.probability(odds)
        label: Faithfulness = UNFAITHFUL if p < self.threshold else FAITHFUL
        why = f"log-odds of yes against no {odds:.2f}, probability {p:.2f}"
        faults = faults_in(unit, [((), why)]) if label == UNFAITHFUL else ()
        return Finding(label, why, p, faults=faults, n_replies=1, usage=reply.usage)
