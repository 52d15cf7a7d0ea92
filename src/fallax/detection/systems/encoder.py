"""A fine-tuned, quantised sentence encoder that scores every sentence in its context."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.core.progress import counted
from fallax.core.taxonomies import load_taxonomy
from fallax.detection.measured import measured_of
from fallax.detection.systems.base import WORD, Decoding, SentenceDetector
from fallax.detection.systems.own_labels import keep_labels_of
from fallax.detection.systems.shown import PassageScale
from fallax.detection.systems.windows import Window, as_read, pieces_of, windows_of
from fallax.encoders import CARD, Model, open_model, read_card
from fallax.encoders.parallel import divided, each_in_order
from fallax.encoders.products import product
from fallax.errors import FormatError, one_line

__all__ = ["Confidence", "EncoderScorer", "JoinedStates", "load_encoder", "load_large_encoder", "load_small_encoder"]

_Floats = npt.NDArray[np.float64]
#: The detector that others are read beside.
_SMALL = "encoder-small"
#: The states of so many windows of a text are kept.
_KEPT_WINDOWS = 64
#: The number of a window, and that of the encoder that reads it.
_Asked = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Confidence:
    """Calibration of logits by kind of text.

    Parameters
    ----------
    any : (most sentences of a text of this kind, slope, offset) of "any fallacy"; None for no bound.
    label_scale : what the logits of labels are multiplied by.

    Examples
    --------
    >>> Confidence(((1, 2.0, 0.5), (None, 1.0, 0.0)), 0.5).scaled(np.array([[1.0, 2.0]]), 1).tolist()
    [[2.5, 1.0]]
    """

    any: tuple[tuple[int | None, float, float], ...] = ((None, 1.0, 0.0),)
    label_scale: float = 1.0

    def scaled(self, logits: _Floats, n_sentences: int) -> _Floats:
        """Calibrate logits of sentences in a text with N sentences."""
        slope, offset = next((a, b) for most, a, b in self.any if most is None or n_sentences <= most)
        found: _Floats = np.concatenate([slope * logits[:, :1] + offset, self.label_scale * logits[:, 1:]], axis=1)
        return found

    @classmethod
    def from_card(cls, about: Mapping[str, Any]) -> Confidence:
        """Read the calibration of a card; without one, logits are not changed."""
        if "confidence" not in about:
            return cls()
        rows = tuple(
            (row["sentences"], float(row["slope"]), float(row["offset"])) for row in about["confidence"]["any"]
        )
        return cls(rows, float(about["confidence"]["label_scale"]))


@dataclass(frozen=True, slots=True)
class JoinedStates:
    """Two encoders with one tokenizer that read the same window.

    Parameters
    ----------
    first, second : each state of a window is that of the first one, then that of the second.
    """

    first: Model
    second: Model

    @property
    def tokenizer(self) -> Any:
        """The one that both have."""
        return self.first.tokenizer


class EncoderScorer:
    """A sentence scorer over the hidden states of an encoder that reads sentences in their text.

    A sentence is described by the mean of its tokens' states and by the state of [CLS]. One linear head gives how
    likely it is part of any fallacy, another which label it then has.

    Parameters
    ----------
    labels : names of the columns.
    model : the encoder, or two of them that are read beside each other.
    weight, bias : shapes (2 d, 1 + n_labels) and (1 + n_labels,); the first column is "any fallacy".
    confidence : how logits become confidences; by default as they are.

    Notes
    -----
    Each window of a text is read alone: the 8-bit numbers of a window are scaled by what is in it, so that what is
    found in a text never depends on which other texts are examined.
    """

    def __init__(
        self,
        labels: tuple[str, ...],
        model: Model | JoinedStates,
        weight: npt.NDArray[np.float32],
        bias: npt.NDArray[np.float32],
        confidence: Confidence | None = None,
    ) -> None:
        self.labels = labels
        self.model = model
        self._weight = weight.astype(np.float64)
        self._bias = bias.astype(np.float64)
        self._confidence = confidence or Confidence()
        self._models = (model.first, model.second) if isinstance(model, JoinedStates) else (model,)
        ends = np.cumsum([m.words.values.shape[1] for m in self._models]).tolist()
        #: Where the state that each encoder gives stands in that of all.
        self._columns = tuple(slice(a, b) for a, b in zip([0, *ends], ends, strict=False))
        #: Whether the first encoder alone says what is part of any fallacy.
        self._first_decides = not any(self._weight[a + ends[0] : a + ends[-1], 0].any() for a in (0, ends[-1]))
        #: The last text and the last sentence read alone: a sentence that is read again for itself displaces no text.
        self._last: dict[bool, tuple[tuple[str, ...], Sequence[Window], dict[_Asked, _Floats]]] = {}

    def features(self, sentences: Sequence[str], *, title: str = "") -> _Floats:
        """The input of the heads, shape (n_sentences, 2 d): mean of the sentence's states, and the state of [CLS]."""
        features = np.zeros((len(sentences), len(self._weight)))
        windows, _ = self._windows(sentences, title)
        asked = [(n, m) for n in range(len(windows)) for m in range(len(self._models))]
        self._fill(features, sentences, title, asked, told=True)
        return features

    def _fill(
        self, features: _Floats, sentences: Sequence[str], title: str, asked: Sequence[_Asked], *, told: bool = False
    ) -> None:
        """Read windows, each by one encoder, and put what describes their sentences into its columns."""
        windows, _ = self._windows(sentences, title)
        d = features.shape[1] // 2
        read = self._hidden(sentences, title, asked)
        for (number, m), hidden in zip(counted(asked) if told else asked, read, strict=True):
            own = self._columns[m]
            for i, start, end in windows[number].places:
                features[i, own] = hidden[start:end].mean(axis=0)
                features[i, d:][own] = hidden[0]

    def _windows(self, sentences: Sequence[str], title: str) -> tuple[Sequence[Window], dict[_Asked, _Floats]]:
        """The windows of a text, and the states that are kept of them.

        Those of the last text are kept, as many states as memory allows, for whoever asks why.
        """
        key, slot = (title, *sentences), len(sentences) > 1
        last = self._last.get(slot)
        if last is None or last[0] != key:
            head, *pieces = pieces_of(self.model.tokenizer, [title, *sentences])
            last = self._last[slot] = key, windows_of(pieces, head) if sentences else (), {}
        return last[1:]

    def _hidden(self, sentences: Sequence[str], title: str, asked: Sequence[_Asked]) -> Iterator[_Floats]:
        """The states of windows, each by one encoder."""
        windows, states = self._windows(sentences, title)
        fresh = each_in_order(
            lambda x: self._models[x[1]].hidden(windows[x[0]].ids), [x for x in asked if x not in states]
        )
        for x in asked:
            hidden = states.get(x)
            if hidden is None:
                hidden = next(fresh)
                if len(states) < _KEPT_WINDOWS * len(self._models):
                    states[x] = hidden
            yield hidden

    def word_effects(
        self, sentences: Sequence[str], wanted: Sequence[int], *, title: str = ""
    ) -> Iterator[tuple[str, _Floats]]:
        """See :class:`~fallax.detection.systems.base.ReadsWords`.

        A word's tokens are left out of the mean that describes its sentence; their states stay what they were.
        """
        n = len(sentences)
        windows = [
            (number, window)
            for number, window in enumerate(self._windows(sentences, title)[0])
            if any(i in wanted for i, _, _ in window.places)
        ]
        read = self._hidden(sentences, title, [(n, m) for n, _ in windows for m in range(len(self._models))])
        for _, window in windows:
            hidden = np.concatenate([next(read) for _ in self._models], axis=1)
            for i, start, end in window.places:
                if i not in wanted:
                    continue
                states = hidden[start:end]
                before = self._probabilities(np.concatenate([states.mean(axis=0), hidden[0]])[None], n)[0]
                encoded = self.model.tokenizer.encode(as_read(sentences[i]), add_special_tokens=False)
                offsets = encoded.offsets[: len(states)]
                for found in WORD.finditer(sentences[i]):
                    stays = [k for k, (a, b) in enumerate(offsets) if b <= found.start() or a >= found.end()]
                    if 0 < len(stays) < len(offsets):
                        mean = states[stays].mean(axis=0)
                        yield found[0], before - self._probabilities(np.concatenate([mean, hidden[0]])[None], n)[0]

    def logits(self, sentences: Sequence[str], *, title: str = "") -> _Floats:
        """The uncalibrated logits of the heads, shape (n_sentences, 1 + n_labels)."""
        found: _Floats = product(self.features(sentences, title=title), self._weight) + self._bias
        return found

    def probabilities(self, sentences: Sequence[str], *, title: str = "") -> _Floats:
        """Probabilities of shape (n_sentences, n_labels); a row sums to the probability of any fallacy."""
        if not sentences:
            return np.zeros((0, len(self.labels)))
        return self._probabilities(self.features(sentences, title=title), len(sentences))

    def probabilities_where(
        self, wanted: Callable[[_Floats], npt.NDArray[np.bool_]], sentences: Sequence[str], *, title: str = ""
    ) -> _Floats:
        """See :class:`~fallax.detection.systems.base.ReadsInSteps`.

        Where the first of two encoders says what is part of any fallacy, the second one reads the windows with wanted
        sentences alone. A text of one window is read by both at once if a thread is free.
        """
        windows, _ = self._windows(sentences, title)
        if not self._first_decides or len(self._models) == 1 or (len(windows) == 1 and divided()):
            return self.probabilities(sentences, title=title)
        features = np.zeros((len(sentences), len(self._weight)))
        self._fill(features, sentences, title, [(n, 0) for n in range(len(windows))], told=True)
        asked = wanted(self._probabilities(features, len(sentences)).sum(axis=1))
        again = [(n, 1) for n, window in enumerate(windows) if any(asked[i] for i, _, _ in window.places)]
        self._fill(features, sentences, title, again)
        return self._probabilities(features, len(sentences))

    def _probabilities(self, features: _Floats, n_sentences: int) -> _Floats:
        """Of what describes some of the sentences of a text of so many."""
        logits = self._confidence.scaled(product(features, self._weight) + self._bias, n_sentences)
        anything = 1.0 / (1.0 + np.exp(-logits[:, :1]))
        which = np.exp(logits[:, 1:] - logits[:, 1:].max(axis=1, keepdims=True))
        found: _Floats = anything * which / which.sum(axis=1, keepdims=True)
        return found


@cache
def load_encoder(folder: str | None = None) -> SentenceDetector:
    """Load the default detector, or one that ``fallax detectors train`` wrote to a folder.

    One whose card says ``beside`` reads together with the small one that ships, see :class:`JoinedStates`: so does the
    default.

    Raises
    ------
    FormatError
        If a file is missing, is not what the card says, or is damaged, or belongs beside another version of the small
        one.
    """
    base: Any = _shipped("encoder") if folder is None else Path(folder)
    about = read_card(base, what="a detector")
    if folder is not None:
        keep_labels_of(base)
    try:
        taxonomy = str(about["taxonomy"])
        labels = tuple(load_taxonomy(taxonomy).resolve(str(x)) for x in about["labels"])
        decoding = Decoding.from_dict(about["decoding"])
        named = f"{about['name']}@{about['version']}"
        confidence = Confidence.from_card(about)
        scale = PassageScale.from_card(about)
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(
            f"must be a detector's card, got an error ({one_line(error)})", path=str(base / CARD)
        ) from error
    model, heads = _model_of(base, about)
    weight, bias = heads["weight"], heads["bias"]
    if weight.ndim != 2 or bias.shape != (len(labels) + 1,) or weight.shape[1] != len(labels) + 1:
        raise FormatError(
            f"must hold a head for {len(labels)} labels and one more, got shapes {weight.shape} and {bias.shape}",
            path=str(base / "head.npz"),
        )
    scorer = EncoderScorer(labels, model, weight, bias, confidence)
    if folder is None:
        about = {**about, "measured": measured_of(str(about["name"]))}
    return SentenceDetector(named, taxonomy, scorer, decoding, about, scale)


def load_small_encoder() -> SentenceDetector:
    """The small detector that ships: the default and the larger one read beside it."""
    return load_encoder(str(_shipped(_SMALL)))


def load_large_encoder() -> SentenceDetector:
    """The larger detector, which :func:`fallax.models.larger.fetch_larger` puts on this machine.

    Raises
    ------
    ModelError
        If it was not fetched.
    """
    from fallax.models.larger import ENCODER_LARGE  # loaded only where it is asked for

    found = load_encoder(str(ENCODER_LARGE.folder()))
    return replace(found, about={**found.about, "measured": measured_of(ENCODER_LARGE.name)})


def _model_of(
    base: Any, about: Mapping[str, Any]
) -> tuple[Model | JoinedStates, Mapping[str, npt.NDArray[np.float32]]]:
    """The encoder of a folder, beside the small one if its card says so, and its heads."""
    own = open_model(base, about, what="a detector")
    if "beside" not in about:
        return own, own.heads
    small = read_card(_shipped(_SMALL), what="a detector")
    if about["beside"] != (here := f"{small['name']}@{small['version']}"):
        raise FormatError(
            f"belongs beside {about['beside']}, and this fallax has {here}; fetch or train it again",
            path=str(base / CARD),
        )
    return JoinedStates(open_model(_shipped(_SMALL), small, what="a detector"), own), own.heads


def _shipped(name: str) -> Any:
    return resources.files("fallax.detection") / "weights" / name
