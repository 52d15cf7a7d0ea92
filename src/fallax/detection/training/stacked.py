"""Trains the heads of :mod:`fallax.detection.systems.stacked` on annotated texts; needs no torch."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import NO_FALLACY, Prediction, Record
from fallax.detection.systems.base import Parts
from fallax.detection.systems.decoding import Decoding
from fallax.detection.systems.encoder import EncoderScorer, load_small_encoder
from fallax.detection.systems.ngrams import Ngrams
from fallax.detection.systems.own_labels import write_labels
from fallax.detection.systems.stacked import (
    ENCODER,
    HEADS,
    KIND,
    VOCABULARY,
    DecisionUnit,
    Heads,
    StackedDetector,
    read_units,
)
from fallax.encoders import CARD
from fallax.encoders.heads import fit_softmax, folds_of_groups
from fallax.errors import InputError, one_line
from fallax.metrics import FLC
from fallax.runs.drawing import FEW

__all__ = ["ReadText", "fit_stacked", "read_texts", "write_stacked"]

_Floats = npt.NDArray[np.float64]
Progress = Callable[[int, int, str], None]
#: Strengths (inverse of the ridge) that cross-validation chooses from.
_STRENGTHS = {"words": (3.0, 10.0, 30.0), "states": (1.0, 10.0, 100.0)}
_FOLDS = 3
#: A label whose fragments are this part of their sentences or more, at the median, flags whole sentences.
_WHOLE = 0.6
#: How many labels with few texts, and how many without one, are named.
_SHOWN = 5


@dataclass(frozen=True)
class ReadText:
    """An annotated text, its units, and the labels of each unit.

    Parameters
    ----------
    parts, units : as :func:`~fallax.detection.systems.stacked.read_units` gives them.
    labels : for each unit the labels that stand there; none for no fallacy.
    group : texts of one group are tried together.
    """

    record: Record
    parts: Parts
    units: tuple[DecisionUnit, ...]
    labels: tuple[tuple[str, ...], ...]
    group: str


def _labels_at(record: Record, start: int, end: int) -> tuple[str, ...]:
    found = []
    for span in record.gold or ():
        shared = min(end, span.end) - max(start, span.start)
        if shared > 0 and 2 * shared >= min(end - start, span.end - span.start):
            found += [label for label in span.labels if label != NO_FALLACY]
    return tuple(dict.fromkeys(found))


def read_texts(
    records: Sequence[Record], *, unit: str, encoder: EncoderScorer, progress: Progress | None = None
) -> list[ReadText]:
    """The encodings of annotated texts; texts without gold are left out.

    Parameters
    ----------
    unit : "text" or "sentence".

    Notes
    -----
    Texts of one title, or of one proposition, are one group. A sentence has the label of each fragment that covers half
    of it or has half of itself in it.
    """
    found = []
    for i, record in enumerate(records):
        if progress is not None:
            progress(i, len(records), "reading")
        if record.gold is None:
            continue
        parts, units = read_units(record, unit, encoder)
        labels = tuple(_labels_at(record, u.start, u.end) for u in units)
        group = record.title or str(record.meta.get("proposition", "")) or record.id
        if units:
            found.append(ReadText(record, parts, units, labels, group))
    return found


@dataclass(frozen=True)
class _Rows:
    """One row per unit and label: unit, class and weight."""

    unit: npt.NDArray[np.int64]
    y: npt.NDArray[np.int64]
    weight: _Floats


def _rows_of(labels: Sequence[tuple[str, ...]], names: Sequence[str], n_classes: int) -> _Rows:
    unit, y, weight = [], [], []
    for i, given in enumerate(labels):
        for number in [names.index(x) for x in given] or [len(names)]:
            unit.append(i)
            y.append(number)
            weight.append(1.0 / max(1, len(given)))
    counts = np.bincount(y, weights=weight, minlength=n_classes)
    # the rare labels count as much as the frequent ones, "none" as much as each
    balanced = np.array(weight) * (sum(weight) / (np.count_nonzero(counts) * np.maximum(counts, 1e-9)))[y]
    return _Rows(np.array(unit), np.array(y), balanced)


def _fit(x: Any, rows: _Rows, n_classes: int, strength: float, start: _Floats | None = None) -> tuple[_Floats, _Floats]:
    return fit_softmax(x[rows.unit], rows.y, rows.weight, n_classes, strength, start)


def _flat(weight: _Floats, bias: _Floats) -> _Floats:
    return np.concatenate([weight.ravel(), bias])


def _log_likely(x: Any, head: tuple[_Floats, _Floats]) -> _Floats:
    logits = np.asarray(x @ head[0]) + head[1]
    found: _Floats = logits - logsumexp(logits, axis=1, keepdims=True)
    return found


def _standard(features: _Floats, index: npt.NDArray[np.int64]) -> tuple[_Floats, _Floats]:
    mean = features[index].mean(axis=0)
    scale = (features[index].std(axis=0) + 1e-6) * np.sqrt(features.shape[1])
    return mean, scale


def _part(labels: Sequence[tuple[str, ...]], index: npt.NDArray[np.int64], names: Sequence[str], k: int) -> _Rows:
    rows = _rows_of([labels[i] for i in index.tolist()], names, k)
    return _Rows(index[rows.unit], rows.y, rows.weight)


def _held_out(
    texts: Sequence[str], features: _Floats, labels: Sequence[tuple[str, ...]], fold: npt.NDArray[np.int64],
    names: Sequence[str], k: int, progress: Progress | None,
) -> tuple[dict[str, float], _Floats]:  # fmt: skip
    """The best regularisation of each head, and the mean held-out log probabilities of both."""
    tried = {(head, s): np.zeros((len(texts), k)) for head, row in _STRENGTHS.items() for s in row}
    for number in range(_FOLDS):
        if progress is not None:
            progress(number, _FOLDS + 1, "cross-validating")
        inside, outside = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        rows = _part(labels, inside, names, k)
        mean, scale = _standard(features, inside)
        given = {
            "words": Ngrams.of([texts[i] for i in inside.tolist()]).matrix(texts),
            "states": (features - mean) / scale,
        }
        for head, strengths in _STRENGTHS.items():
            start = None
            for strength in strengths:
                fitted = _fit(given[head], rows, k, strength, start)
                start = _flat(*fitted)
                tried[head, strength][outside] = _log_likely(given[head][outside], fitted)
    rows = _rows_of(labels, names, k)
    best = {
        head: max(row, key=lambda s, head=head: float((rows.weight * tried[head, s][rows.unit, rows.y]).sum()))  # type: ignore[misc]
        for head, row in _STRENGTHS.items()
    }
    return best, 0.5 * sum(tried[head, s] for head, s in best.items())  # type: ignore[return-value]


def _tempered(both: _Floats, rows: _Rows, unweighted: _Floats) -> float:
    def loss(log_t: float) -> float:
        logits = both / np.exp(log_t)
        likely = logits - logsumexp(logits, axis=1, keepdims=True)
        return -float((unweighted * likely[rows.unit, rows.y]).sum())

    return float(np.exp(minimize_scalar(loss, bounds=(-3.0, 3.0), method="bounded").x))


def _lengths(texts: Sequence[ReadText], names: Sequence[str]) -> tuple[int, ...]:
    """For each label the median number of words of its fragments, 0 if these are whole sentences."""
    words, shares = defaultdict(list), defaultdict(list)
    for text in texts:
        for span in text.record.gold or ():
            sentence = next((u for u in text.units if u.start < span.end and span.start < u.end), None)
            if sentence is not None:
                n = len(text.record.text[span.start : span.end].split())
                for label in span.labels:
                    words[label].append(n)
                    shares[label].append(n / max(1, len(sentence.text.split())))
    return tuple(
        0 if not shares[x] or np.median(shares[x]) >= _WHOLE else max(1, round(float(np.median(words[x]))))
        for x in names
    )


def _macro_f1(gold: Sequence[tuple[str, ...]], said: Sequence[str]) -> float:
    hits, given, right = Counter[str](), Counter[str](said), Counter[str]()
    for labels, label in zip(gold, said, strict=True):
        right.update(labels or ("",))
        hits[label] += label in (labels or ("",))
    return float(np.mean([2 * hits[x] / (given[x] + right[x]) for x in right]))


def _choose_decoding(
    detector: StackedDetector, texts: Sequence[ReadText], likely: _Floats, lengths: tuple[int, ...]
) -> tuple[StackedDetector, float]:
    """The best threshold on held-out predictions, and for sentences whether to cut out fragments."""
    n = len(detector.labels)
    best = (-1.0, detector)
    grid = [x / 20 for x in range(2, 20)] if likely.shape[1] > n else [0.01]
    known: list[dict[tuple[int, int], tuple[int, int]]] = [{} for _ in texts]
    for cut in (lengths, (0,) * n) if any(lengths) else (lengths,):
        for threshold in grid:
            tried = detector.with_decoding(
                Decoding(threshold, relabel_cost=0.0, most_labels=2 if detector.unit == "sentence" else 1), cut
            )
            at, spans = 0, []
            for text, fragments in zip(texts, known, strict=True):
                spans.append(
                    tried.spans(text.parts, text.units, likely[at : at + len(text.units), :n], None, fragments)
                )
                at += len(text.units)
            if detector.unit == "text":
                score = _macro_f1([t.labels[0] for t in texts], [s[0].label if s else "" for s in spans])
            else:
                pred = [Prediction(t.record.id, s) for t, s in zip(texts, spans, strict=True)]
                metric = FLC(taxonomy=detector.taxonomy)
                score = metric.corpus_score(pred=pred, gold=[t.record for t in texts])["f1"] or 0.0
            best = max(best, (score, tried), key=lambda x: x[0])
    return best[1], best[0]


def _texts_by_label(texts: Sequence[ReadText], names: Sequence[str]) -> dict[str, int]:
    found = Counter(x for t in texts for x in {x for labels in t.labels for x in labels})
    return {x: found[x] for x in names}


def _weak_at(n_texts: int, by_label: Mapping[str, int]) -> str:
    """What labels with few texts, and labels without one, mean for a detector; "" if there are none."""

    def shown(said: Sequence[str]) -> str:
        more = f" and {len(said) - _SHOWN} more" * (len(said) > _SHOWN)
        return ", ".join(one_line(x, 60) for x in said[:_SHOWN]) + more

    rare = sorted((n, x) for x, n in by_label.items() if 0 < n < FEW)
    absent = [x for x, n in by_label.items() if n == 0]
    parts = []
    if rare:
        parts.append(
            f"labels in fewer than {FEW} texts are learned poorly, and the F1 is uncertain:"
            f" {shown([f'{x} ({n})' for n, x in rare])}"
        )
    if absent:
        parts.append(f"labels in no text are never found: {shown(absent)}")
    return "; ".join([f"trained on {n_texts} texts", *parts, "label more texts with them"]) if parts else ""


def fit_stacked(
    texts: Sequence[ReadText], *, taxonomy: str, unit: str, name: str, encoder: EncoderScorer | None = None,
    trained_on: Sequence[dict[str, Any]] = (), progress: Progress | None = None,
) -> StackedDetector:  # fmt: skip
    """Train both heads; grouped cross-validation chooses regularisation, temperature, threshold and cutting.

    Parameters
    ----------
    texts : from :func:`read_texts` with the same unit and encoder.
    taxonomy : the label set of the gold; labels that never occur are not given.
    trained_on : for the card.

    Returns
    -------
    StackedDetector
        Its card counts the texts of each label (``texts_by_label``). ``weak_at`` is there if a label is in fewer than
        20 texts or in none, and says what that means.

    Raises
    ------
    InputError
        If there are fewer than two classes, or fewer groups than folds.
    """
    by_label = _texts_by_label(texts, load_taxonomy(taxonomy).names)
    names = tuple(x for x, n in by_label.items() if n)
    labels = [x for t in texts for x in t.labels]
    k = len(names) + any(not x for x in labels)
    groups = sorted({t.group for t in texts})
    if k < 2 or len(groups) < _FOLDS:
        raise InputError(f"texts: must have two kinds of labels and {_FOLDS} groups, got {k} and {len(groups)}")
    fold = folds_of_groups((t.group for t in texts for _ in t.units), _FOLDS)
    words = [u.text for t in texts for u in t.units]
    features = np.array([u.features for t in texts for u in t.units])
    strengths, both = _held_out(words, features, labels, fold, names, k, progress)
    rows = _rows_of(labels, names, k)
    single = np.array([1.0 / max(1, len(labels[i])) for i in rows.unit])
    temperature = _tempered(both, rows, single)
    if progress is not None:
        progress(_FOLDS, _FOLDS + 1, "fitting")
    ngrams = Ngrams.of(words)
    mean, scale = _standard(features, np.arange(len(features)))
    by_words = _fit(ngrams.matrix(words), rows, k, strengths["words"])
    by_states = _fit((features - mean) / scale, rows, k, strengths["states"])
    heads = Heads(ngrams, *by_words, mean, scale, *by_states, temperature)
    reader = encoder or load_small_encoder().scorer
    if not isinstance(reader, EncoderScorer):
        raise InputError("the small detector must be an encoder, got another kind")
    about = {
        "name": name, "version": "1", "kind": KIND, "taxonomy": taxonomy, "language": "English",
        "labels": list(names), "unit": unit, "trained_on": list(trained_on),
        "texts_by_label": by_label, "strengths": strengths, "temperature": temperature,
    }  # fmt: skip
    if weak := _weak_at(len(texts), by_label):
        about["weak_at"] = weak
    made = StackedDetector(f"{name}@1", taxonomy, names, unit, heads, reader, Decoding(0.5), (0,) * len(names), about)
    likely = both / temperature
    likely = np.exp(likely - logsumexp(likely, axis=1, keepdims=True))
    lengths = _lengths(texts, names) if unit == "sentence" else (0,) * len(names)
    made, score = _choose_decoding(made, texts, likely, lengths)
    measure = "macro F1" if unit == "text" else "F1 of fragments (FLC)"
    about |= {
        "cross_validated": {"measure": measure, "value": round(score, 4), "folds": _FOLDS, "texts": len(texts)},
        "decoding": made.decoding.to_dict(), "lengths": list(made.lengths),
    }  # fmt: skip
    return made


def write_stacked(detector: StackedDetector, folder: Path) -> None:
    """Write a folder for :func:`~fallax.detection.systems.stacked.load_stacked`, with the small encoder that ships.

    The detector must have been fitted on that encoder. Numbers are kept as float32.
    """
    folder.mkdir(parents=True, exist_ok=True)
    heads = detector.heads
    with (folder / HEADS).open("wb") as file:
        np.savez_compressed(
            file, rarity=heads.ngrams.rarity.astype(np.float32),
            **{x: getattr(heads, x).astype(np.float32) for x in (
                "by_words", "by_words_bias", "mean", "scale", "by_states", "by_states_bias")},
        )  # fmt: skip
    (folder / VOCABULARY).write_text(json.dumps(heads.ngrams.vocabulary, ensure_ascii=False), encoding="utf-8")
    with resources.as_file(resources.files("fallax.detection") / "weights" / "encoder-small") as shipped:
        shutil.copytree(shipped, folder / ENCODER, dirs_exist_ok=True)
    write_labels(folder, detector.taxonomy)
    names = (HEADS, VOCABULARY)
    hashes = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    card = json.dumps({**detector.about, "files": hashes}, indent=2, ensure_ascii=False)
    (folder / CARD).write_text(card + "\n", encoding="utf-8")
