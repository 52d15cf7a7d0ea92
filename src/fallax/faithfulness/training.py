"""Fits the calibration of the judge on held-out passages and documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.encoders.parallel import each_in_order
from fallax.entailment import Passages, load_entailment
from fallax.entailment.training.corpus import part_of, passage_examples, prose_statements
from fallax.entailment.training.documents import document_examples, for_calibration
from fallax.entailment.training.pairs import Example
from fallax.faithfulness.systems.surface import Surface
from fallax.faithfulness.systems.weights import FEATURES, both_readings, features_of, running_reading
from fallax.metrics.calibration import calibration_error

__all__ = ["band_of", "calibrate_faithfulness", "fit_weights", "readings_of"]

_Floats = npt.NDArray[np.float64]
#: What speaks for a statement never counts against it, whatever a small sample says, and the other way round.
_BOUNDS = ((0.0, None), (None, 0.0), (0.0, None), (None, 0.0), (0.0, None), (0.0, None), (None, 0.0))
#: What is believed of factors before anything is read, and how firmly. No open set has summaries as models of today
#: write them, in which what is copied is mostly right and a name from nowhere mostly wrong; the last three were chosen
#: on DeFacto's development part, which is not reported on.
_BELIEVED = (0.5, 0.0, 0.2, 0.0, 0.0, 1.0, -0.5, 0.0)
_FIRMLY = (0.002, 0.002, 0.002, 0.002, 0.002, 0.5, 0.5, 0.0)
#: Statements about prose are read in their passage, and in so many words of the document that it stands in.
_LONG = 1500
#: Statements that programs wrote count for the limits of verdicts and not for the factors: factors that were fitted
#: with them called fewer pairs and contrasts faithful, rightly or not.
_OUTPUTS = "corpus/outputs"
#: How many statements of each source are read.
_MOST = 250
#: Of the verdicts that are given so many are right, if a band can make it so, all taken together and with each source
#: counting the same: faithful, unfaithful.
#: Of what is held out less than half is faithful, of what people check most: there "faithful" is right more often, and
#: "unfaithful" less often, so that it must be surer.
_RIGHT = (0.8, 0.88)
_WIDEST = (0.1, 0.95)


def readings_of(folder: Path, examples: Sequence[Example]) -> _Floats:
    """The features of each statement, shape (n, number of features)."""
    model = load_entailment(str(folder))

    def read(example: Example) -> tuple[float, ...]:
        text = "\n".join(example.passage)
        spans, at = [], 0
        for sentence in example.passage:
            spans.append((at, at + len(sentence)))
            at += len(sentence) + 1
        passages = Passages(model, text, spans)
        first, second = both_readings(passages, example.statement)
        running = running_reading(passages, example.statement, first)
        return features_of(first, second, Surface(text).of(example.statement), running)

    return np.array(list(each_in_order(read, examples)))


def fit_weights(features: _Floats, faithful: Sequence[bool], sources: Sequence[str]) -> tuple[_Floats, float]:
    """Logistic regression with equal weight for all sources and labels: factors and offset.

    Examples
    --------
    >>> x = np.zeros((4, 7))
    >>> x[:, 0] = 2.0, -2.0, 1.0, -1.0
    >>> factors, offset = fit_weights(x, [True, False, True, False], ["a"] * 4)
    >>> bool(factors[0] > 0)
    True
    """
    from scipy.optimize import minimize

    good = np.array(faithful)
    weights = _alike([f"{s} {g}" for s, g in zip(sources, good, strict=True)])
    columns = np.column_stack([features, np.ones(len(good))])
    signs = np.where(good, 1.0, -1.0)
    believed, firmly = np.array(_BELIEVED), np.array(_FIRMLY)

    def loss(x: _Floats) -> tuple[float, _Floats]:
        z = np.clip(signs * (columns @ x), -40, 40)
        slope = -weights * signs / (1.0 + np.exp(z))
        off = x - believed
        return float(weights @ np.log1p(np.exp(-z)) + 0.5 * (firmly * off) @ off), slope @ columns + firmly * off

    found = minimize(loss, believed, jac=True, method="L-BFGS-B", bounds=(*_BOUNDS, (None, None))).x
    return found[:-1], float(found[-1])


def _alike(sources: Sequence[str]) -> _Floats:
    """Weights by which all sources count the same; they sum to 1."""
    names, which = np.unique(np.array(sources), return_inverse=True)
    weights: _Floats = 1.0 / (len(names) * np.bincount(which)[which])
    return weights


def band_of(
    probabilities: _Floats,
    faithful: Sequence[bool],
    sources: Sequence[str],
    *,
    right: tuple[float, float] = _RIGHT,
) -> tuple[float, float]:
    """The range of probabilities that means "cannot tell"; outside it, verdicts have the wanted precision.

    Parameters
    ----------
    sources : the source of each statement.
    right : the least share of verdicts "faithful" that are right, and of verdicts "unfaithful", of all and with each
        source counting the same.

    Examples
    --------
    >>> band_of(np.array([0.05, 0.1, 0.45, 0.55, 0.92, 0.95]), [False, False, True, False, True, True], ["a"] * 6)
    (0.44, 0.56)
    """
    good, weights = np.array(faithful), _alike(sources)

    def enough(told: npt.NDArray[np.bool_], wanted: npt.NDArray[np.bool_], least: float) -> bool:
        return bool(told.any() and min(wanted[told].mean(), np.average(wanted[told], weights=weights[told])) >= least)

    low, high = _WIDEST
    for x in np.arange(0.5, _WIDEST[1], 0.02):
        if enough(probabilities >= x, good, right[0]):
            high = float(x)
            break
    for x in np.arange(0.5, _WIDEST[0], -0.02):
        if enough(probabilities <= x, ~good, right[1]):
            low = float(x)
            break
    return round(low, 2), round(high, 2)


def calibrate_faithfulness(
    folder: Path, corpus: Path, prose: Path, root: Path, *, most: int | None = None
) -> dict[str, Any]:
    """The judge's part of the card of an entailment model.

    Parameters
    ----------
    folder : the model.
    corpus : the passages written for this project; one in ten is for calibration.
    prose : the statements about texts of open sets; of these, the statements about one document in ten are, each read
        in its passage, one in three also in its document. Those that programs wrote count for the limits of verdicts
        alone.
    root : the data sets; of SummEdits, WiCE and FIB one group of documents in ten is.
    most : statements of each source; None: all of the corpora, 250 of each data set.
    """
    examples = [e for identifier, _, e in passage_examples(corpus) if part_of(identifier) == "calibration"]
    for around, one_in, said in ((0, 1, ""), (_LONG, 3, ", in documents")):
        about_prose = prose_statements(prose, root, around=around)
        own = [e for identifier, _, e in about_prose if part_of(identifier) == "calibration"][::one_in]
        examples += [replace(e, source=f"{e.source}{said}") for e in own]
    held = [e for group, e in document_examples(root, 13) if for_calibration(group)]
    rng = np.random.default_rng(7)
    for source in sorted({e.source for e in held}):
        own = [e for e in held if e.source == source]
        examples += [own[i] for i in rng.permutation(len(own))[:_MOST]]
    if most is not None:
        examples = _some_of_each(examples, most)
    features = readings_of(folder, examples)
    faithful = [e.label == "entailed" for e in examples]
    sources = [e.source for e in examples]
    fitted = [i for i, source in enumerate(sources) if not source.startswith(_OUTPUTS)]
    factors, offset = fit_weights(features[fitted], [faithful[i] for i in fitted], [sources[i] for i in fitted])
    probabilities = 1.0 / (1.0 + np.exp(-(features @ factors + offset)))
    low, high = band_of(probabilities, faithful, sources)
    return {
        "factors": {name: round(float(f), 4) for name, f in zip(FEATURES, factors, strict=True)},
        "offset": round(offset, 4),
        "low": low,
        "high": high,
        "held_out": {s: _report(probabilities, faithful, sources, s, (low, high)) for s in sorted(set(sources))},
    }


def _some_of_each(examples: Sequence[Example], most: int) -> list[Example]:
    """At most so many examples of each source, drawn from all of them."""
    rng = np.random.default_rng(7)
    found = []
    for source in sorted({e.source for e in examples}):
        own = [e for e in examples if e.source == source]
        found += [own[i] for i in rng.permutation(len(own))[:most]]
    return found


def _report(
    p: _Floats, faithful: Sequence[bool], sources: Sequence[str], source: str, band: tuple[float, float]
) -> dict[str, Any]:
    here = np.array([s == source for s in sources])
    good = np.array(faithful)
    rates = [float((p[here & good] >= 0.5).mean()), float((p[here & ~good] < 0.5).mean())]
    told = here & ((p <= band[0]) | (p >= band[1]))
    return {
        "statements": int(here.sum()),
        "balanced_accuracy": round(sum(rates) / 2, 3),
        "told": round(float(told.sum() / here.sum()), 3),
        "right_where_told": round(float(((p[told] >= 0.5) == good[told]).mean()), 3) if told.any() else None,
        "calibration_error": round(
            calibration_error(p[here], good[here].astype(np.float64), bins=5, equal_mass=True), 3
        ),
    }
