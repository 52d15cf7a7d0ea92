"""A detector for any label set: logistic regression over n-grams and over encoder states, combined."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import content_words
from fallax.core.types import Prediction, Record, Span
from fallax.detection.systems.base import Parts, parts_of
from fallax.detection.systems.decoding import Decoding, spans_of
from fallax.detection.systems.encoder import EncoderScorer, load_encoder
from fallax.detection.systems.ngrams import Ngrams
from fallax.detection.systems.own_labels import keep_labels_of
from fallax.encoders import CARD, glanced_card
from fallax.encoders.embedder import load_mean_embedder
from fallax.errors import FormatError, InputError, one_line

__all__ = [
    "ENCODER",
    "HEADS",
    "KIND",
    "VOCABULARY",
    "DecisionUnit",
    "Heads",
    "StackedDetector",
    "is_stacked",
    "load_stacked",
    "read_units",
    "units_of",
]

_Floats = npt.NDArray[np.float64]
#: In the card of such a detector.
KIND = "stacked"
#: The folder, within the detector's, of the encoder it was trained on.
ENCODER = "encoder"
#: The files of the heads, within it.
HEADS, VOCABULARY = "heads.npz", "vocabulary.json"


@dataclass(frozen=True, slots=True)
class DecisionUnit:
    """The units of decision: sentences or whole texts.

    Parameters
    ----------
    start, end : its place in the text.
    text : what stands there.
    features : what encoders read there: state of the sentence and of [CLS] by the small detector that ships, their
        mean where the unit is a text; and the mean state by the embedder that ships.
    """

    start: int
    end: int
    text: str
    features: _Floats


def units_of(record: Record, unit: str) -> tuple[Parts, tuple[tuple[int, int], ...]]:
    """The sentences of a text, or the text from first to last sentence, and the text's parts."""
    parts = parts_of(record)
    if unit == "sentence" or not parts.places:
        return parts, parts.places
    return parts, ((parts.places[0][0], parts.places[-1][1]),)


def read_units(record: Record, unit: str, encoder: EncoderScorer) -> tuple[Parts, tuple[DecisionUnit, ...]]:
    """The units of a text with their encodings."""
    parts, places = units_of(record, unit)
    if not places:
        return parts, ()
    states = encoder.features(parts.sentences, title=parts.title)
    if unit == "text":
        states = states.mean(axis=0, keepdims=True)
    texts = [record.text[a:b] for a, b in places] if unit == "text" else list(parts.sentences)
    features = np.concatenate([states, load_mean_embedder()(texts)], axis=1)
    return parts, tuple(DecisionUnit(a, b, t, f) for (a, b), t, f in zip(places, texts, features, strict=True))


def softmax(logits: _Floats) -> _Floats:
    """Row by row."""
    found: _Floats = np.exp(logits - logits.max(axis=1, keepdims=True))
    found /= found.sum(axis=1, keepdims=True)
    return found


@dataclass(frozen=True)
class Heads:
    """Two linear classifiers and how they are combined.

    Parameters
    ----------
    ngrams : the vocabulary of the first.
    by_words, by_words_bias : shapes (n_columns, n_classes) and (n_classes,).
    mean, scale : of the features of the second, shape (n_features,) each; they are standardised by them.
    by_states, by_states_bias : shapes (n_features, n_classes) and (n_classes,).
    temperature : the mean of the log probabilities of both is divided by it.
    """

    ngrams: Ngrams
    by_words: _Floats
    by_words_bias: _Floats
    mean: _Floats
    scale: _Floats
    by_states: _Floats
    by_states_bias: _Floats
    temperature: float = 1.0

    def probabilities(self, texts: Sequence[str], features: _Floats) -> _Floats:
        """Probabilities of shape (n_texts, n_classes); rows sum to 1."""
        words = np.asarray(self.ngrams.matrix(texts) @ self.by_words) + self.by_words_bias
        states = (features - self.mean) / self.scale @ self.by_states + self.by_states_bias
        both = 0.5 * (_log_softmax(words) + _log_softmax(states))
        return softmax(both / self.temperature)


def _log_softmax(logits: _Floats) -> _Floats:
    top = logits.max(axis=1, keepdims=True)
    found: _Floats = logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
    return found


@dataclass(frozen=True)
class StackedDetector:
    """A detector that gives each text or sentence its most likely label.

    Parameters
    ----------
    name, taxonomy : see :class:`~fallax.detection.systems.base.Detector`.
    labels : the labels it gives, one a class of the heads; where the heads have one class more, that is "none".
    unit : "text" or "sentence".
    heads : the classifiers.
    encoder : what reads.
    decoding : how probabilities of sentences become spans; of a text, only the threshold counts.
    lengths : how many words a fragment of each label has; 0 for whole sentences. Such a fragment is cut out of its
        sentence where the words speak most for the label.
    about : the card.
    """

    name: str
    taxonomy: str
    labels: tuple[str, ...]
    unit: str
    heads: Heads
    encoder: EncoderScorer
    decoding: Decoding
    lengths: tuple[int, ...]
    about: dict[str, Any]

    def card(self) -> dict[str, Any]:
        """The card: training data and quality."""
        return self.about

    def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        """The spans of one text; see :class:`~fallax.detection.systems.base.Detector`."""
        parts, units = read_units(record, self.unit, self.encoder)
        if not units:
            return Prediction(record.id)
        found = self.heads.probabilities([u.text for u in units], np.array([u.features for u in units]))
        return Prediction(record.id, self.spans(parts, units, found[:, : len(self.labels)], min_confidence))

    def spans(
        self,
        parts: Parts,
        units: Sequence[DecisionUnit],
        probabilities: _Floats,
        min_confidence: float | None = None,
        known: dict[tuple[int, int], tuple[int, int]] | None = None,
    ) -> tuple[Span, ...]:
        """The spans of units with known probabilities, shape (n_units, n_labels).

        ``known`` keeps the fragments of (unit, label), for whoever asks again about the same units.
        """
        fragments = {} if known is None else known
        least = self.decoding.threshold if min_confidence is None else min_confidence
        lower = min(least, self.decoding.threshold)
        if self.unit == "text":
            total, best = float(probabilities[0].sum()), int(probabilities[0].argmax())
            if total < least or total <= 0.0:
                return ()
            share = min(1.0, float(probabilities[0, best]) / total)
            return (Span(units[0].start, units[0].end, self.labels[best], min(1.0, total), share),)
        runs = spans_of(probabilities, self.decoding, threshold=lower, breaks=parts.breaks, silent=parts.silent)
        spans = []
        for run in runs:
            if not self.lengths[run.label]:
                place = units[run.first].start, units[run.end - 1].end
                spans.append(Span(*place, self.labels[run.label], run.confidence, run.label_confidence))
                continue
            for i in range(run.first, run.end):
                total = max(float(probabilities[i].sum()), 1e-9)
                share = min(1.0, float(probabilities[i, run.label]) / total)
                if (i, run.label) not in fragments:
                    fragments[i, run.label] = self._fragment(units[i], run.label)
                place = fragments[i, run.label]
                spans.append(Span(*place, self.labels[run.label], min(1.0, total), share))
        return tuple(s for s in sorted(spans) if (s.confidence or 0.0) >= (min_confidence or 0.0))

    @cached_property
    def _contrasts(self) -> _Floats:
        """The weight of each n-gram for each label, relative to the mean over classes."""
        weight = self.heads.by_words
        found: _Floats = weight - weight.mean(axis=1, keepdims=True)
        return found

    def _fragment(self, unit: DecisionUnit, label: int) -> tuple[int, int]:
        """The word sequence, as long as typical fragments of the label, with the largest weight for it."""
        scores = self.heads.ngrams.word_scores(unit.text, self._contrasts[:, label])
        length = min(self.lengths[label], len(scores))
        if not length:
            return unit.start, unit.end
        sums = np.convolve([s for _, _, s in scores], np.ones(length), mode="valid")
        first = int(sums.argmax())
        return unit.start + scores[first][0], unit.start + scores[first + length - 1][1]

    def evidence(self, record: Record, span: Span, *, limit: int = 5) -> tuple[tuple[str, float], ...]:
        """The content words with the largest weight for a span's label, and their part of its log odds."""
        if span.label not in self.labels:
            raise InputError(f"span: must have a label of {self.name}, got {span.label!r}")
        text = record.text[span.start : span.end]
        weight = self._contrasts[:, self.labels.index(span.label)]
        found: dict[str, float] = {}
        for a, b, score in self.heads.ngrams.word_scores(text, weight):
            if score > 0.001 and content_words(text[a:b]):
                found[text[a:b]] = max(round(score, 4), found.get(text[a:b], 0.0))
        return tuple(sorted(found.items(), key=lambda e: (-e[1], e[0]))[:limit])

    def with_decoding(self, decoding: Decoding, lengths: Sequence[int] | None = None) -> StackedDetector:
        """The same detector with another decoding."""
        return replace(self, decoding=decoding, lengths=self.lengths if lengths is None else tuple(lengths))


#: The arrays of ``heads.npz``.
_ARRAYS = ("rarity", "by_words", "by_words_bias", "mean", "scale", "by_states", "by_states_bias")


def is_stacked(folder: str | Path) -> bool:
    """Whether a folder holds such a detector, according to its card."""
    return glanced_card(folder).get("kind") == KIND


@cache
def load_stacked(folder: str) -> StackedDetector:
    """Load a detector that ``fallax detectors train`` wrote without ``--base``.

    Raises
    ------
    FormatError
        If a file is missing, is not what the card says, or is damaged.
    InputError
        If its label set has the name of another one.
    """
    base = Path(folder)
    keep_labels_of(base)
    try:
        about = json.loads((base / CARD).read_text(encoding="utf-8"))
        content = {name: (base / name).read_bytes() for name in (HEADS, VOCABULARY)}
        for name, bytes_ in content.items():
            if hashlib.sha256(bytes_).hexdigest() != about["files"][name]:
                raise FormatError(
                    f"must have the SHA-256 that {CARD} names, got another; train it again", path=str(base / name)
                )
        with np.load(io.BytesIO(content[HEADS]), allow_pickle=False) as stored:
            arrays = {name: stored[name].astype(np.float64) for name in _ARRAYS}
        ngrams = Ngrams(json.loads(content[VOCABULARY]), arrays.pop("rarity"))
        heads = Heads(ngrams, **arrays, temperature=float(about["temperature"]))
        labels = tuple(load_taxonomy(str(about["taxonomy"])).resolve(str(x)) for x in about["labels"])
        decoding = Decoding.from_dict(about["decoding"])
        lengths = tuple(map(int, about["lengths"]))
        name, taxonomy, unit = f"{about['name']}@{about['version']}", str(about["taxonomy"]), str(about["unit"])
    except OSError as error:
        raise FormatError(f"a detector's folder must hold {error.filename}: {error.strerror}", path=folder) from error
    except (ValueError, KeyError, TypeError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(
            f"must be the card of a detector, got an error ({one_line(error)})", path=str(base / CARD)
        ) from error
    if heads.by_words.shape[0] != len(ngrams.vocabulary) or heads.by_words.shape[1] - len(labels) not in (0, 1):
        raise FormatError(
            f"must have a row for each of {len(ngrams.vocabulary)} n-grams and a column for each of {len(labels)}"
            f" labels, got shape {heads.by_words.shape}",
            path=str(base / HEADS),
        )
    encoder = load_encoder(str(base / ENCODER)).scorer
    if not isinstance(encoder, EncoderScorer):
        raise FormatError("must hold an encoder, got another detector", path=str(base / ENCODER))
    return StackedDetector(name, taxonomy, labels, unit, heads, encoder, decoding, lengths, about)
