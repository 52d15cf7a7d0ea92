"""The entailment model: one encoder that reads a statement and a passage together."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.core.texts import MARKS, composed, normal_form
from fallax.encoders import CARD, FILES, Model, open_model, read_card, shared_words, shipped_folder
from fallax.encoders.products import product
from fallax.errors import FormatError, one_line

__all__ = [
    "MAX_PASSAGE",
    "MAX_STATEMENT",
    "EntailmentModel",
    "JoinedModel",
    "PairReading",
    "WordScore",
    "load_entailment",
    "model_with_card",
    "shipped_entailment",
]

#: Most tokens read of a statement, and of a statement with its passage. Training used the same limits.
MAX_STATEMENT, MAX_PASSAGE = 80, 240
_CLS, _SEP = 101, 102
_WORD = re.compile(rf"\d+(?:[.,]\d+)+|[\w{MARKS}]+(?:['’]\w+)*")
_LIGATURE = re.compile("[\ufb00-\ufb06]")
_REMEMBERED = 4096

_Floats = npt.NDArray[np.float64]


def _sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-min(max(x, -40.0), 40.0)))


@dataclass(frozen=True, slots=True)
class WordScore:
    """A word of a statement and its score.

    Parameters
    ----------
    start, end : half-open code point offsets into the statement.
    text : the word.
    unsupported : score in [0, 1]; higher means less supported by the passage. Ranks words; not calibrated.
    """

    start: int
    end: int
    text: str
    unsupported: float


@dataclass(frozen=True, slots=True)
class PairReading:
    """The model's output for one statement and one passage.

    Parameters
    ----------
    logits : of entailed, contradicted and neither.
    words : one score for each word of the statement that was read.
    sentences : for each sentence of the passage, how strongly it decides the answer, in [0, 1]; 0.0 if it did not fit.
    """

    logits: tuple[float, float, float]
    words: tuple[WordScore, ...]
    sentences: tuple[float, ...]

    @property
    def probabilities(self) -> tuple[float, float, float]:
        """Of entailed, contradicted, neither; sums to 1. Not calibrated: each job calibrates on its own inputs."""
        x = np.exp(np.array(self.logits) - max(self.logits))
        x /= x.sum()
        return float(x[0]), float(x[1]), float(x[2])

    @property
    def entailed(self) -> float:
        """The logit of "entailed" against the other two classes together."""
        e, c, n = self.logits
        return float(e - np.logaddexp(c, n))

    @property
    def contradicted(self) -> float:
        """The logit of "contradicted" against the other two classes together."""
        e, c, n = self.logits
        return float(c - np.logaddexp(e, n))


class EntailmentModel:
    """Classifies a statement against a passage: entailed, contradicted or neither.

    Parameters
    ----------
    model : the encoder. Its heads are "label", shape (3, 2 d + 2), and "token", shape (2, d + 1); the last column of
        each is the bias. The input of the label head is the hidden state of [CLS], the mean hidden state of the
        statement, and the highest "not supported" logit among the statement's tokens.
    name : name and version, as ``NAME@VERSION``.
    about : the content of the model's card.
    """

    def __init__(self, model: Model, *, name: str, about: dict[str, Any]) -> None:
        self._model = model
        self.name = name
        self.about = about
        self._label = model.heads["label"].astype(np.float64)
        self._token = model.heads["token"].astype(np.float64)
        self._tokens = lru_cache(_REMEMBERED)(self._encode)
        shared = read_card(shipped_folder(), what="an embedder")["files"][FILES[2]]
        alike = about.get("files", {}).get(FILES[2]) == shared
        self._compared = shared_words() if alike else model.words

    def _encode(self, text: str) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
        plain = normal_form(text)
        if not _LIGATURE.search(plain):
            found = self._model.tokenizer.encode(plain, add_special_tokens=False)
            return tuple(found.ids), tuple(found.offsets)
        letters = [composed(c) if _LIGATURE.match(c) else c for c in plain]
        starts = [i for i, c in enumerate(letters) for _ in c]
        ends = [0, *(i + 1 for i in starts)]
        found = self._model.tokenizer.encode("".join(letters), add_special_tokens=False)
        # a token that stands for no letter, as some tokenizers put before a text, is empty
        return tuple(found.ids), tuple((starts[a] if a < b else ends[b], ends[b]) for a, b in found.offsets)

    def tokens(self, text: str) -> tuple[int, ...]:
        """The token ids of a text."""
        return self._tokens(text)[0]

    def vectors(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        """The vectors of tokens, without context, scaled to length 1; shape (n, d).

        All models with the same tokenizer take the shared ones, so that they read the same sentences.
        """
        found = self._compared.of(np.asarray(tokens, dtype=np.int64))
        length = np.linalg.norm(found, axis=1, keepdims=True)
        scaled: npt.NDArray[np.float32] = found / np.maximum(length, 1e-9)
        return scaled

    def states(self, passage: Sequence[str], statement: str) -> _Floats:
        """The input of the label head for a statement and a passage, shape (2 d + 1,): what further heads can use.

        Examples
        --------
        >>> load_entailment().states(["The council approved the budget."], "The budget was approved.").shape
        (769,)
        """
        return self._run(passage, self.tokens(statement)[:MAX_STATEMENT])[0]

    def logits(self, states: _Floats) -> _Floats:
        """The logits of entailed, contradicted and neither for :meth:`states`."""
        found: _Floats = product(self._label[:, :-1], states) + self._label[:, -1]
        return found

    def _run(self, passage: Sequence[str], own: Sequence[int]) -> tuple[_Floats, _Floats, list[int]]:
        """The input of the label head, the scores of all tokens, and where each sentence ends in the passage."""
        room = MAX_PASSAGE - len(own) - 3
        ids: list[int] = []
        ends: list[int] = []
        for sentence in passage:
            ids += self.tokens(sentence)[: max(0, room - len(ids))]
            ends.append(len(ids))
        hidden = self._model.hidden(np.array([_CLS, *own, _SEP, *ids, _SEP], dtype=np.int64))
        scores: _Floats = product(hidden, self._token[:, :-1].T) + self._token[:, -1]
        first = slice(1, 1 + len(own)) if own else slice(0, 1)
        return np.concatenate([hidden[0], hidden[first].mean(axis=0), [scores[first, 0].max()]]), scores, ends

    def read(self, passage: Sequence[str], statement: str) -> PairReading:
        """Classify a statement against a passage, given as a list of sentences.

        Text beyond :data:`MAX_PASSAGE` tokens is not read; use :class:`Passages` for long documents.

        Examples
        --------
        >>> model = load_entailment()
        >>> said = ["The council approved the budget."]
        >>> yes, no = model.read(said, "The budget was approved."), model.read(said, "The council rejected the budget.")
        >>> yes.entailed > no.entailed
        True
        """
        own, offsets = self._tokens(statement)
        own, offsets = own[:MAX_STATEMENT], offsets[:MAX_STATEMENT]
        features, scores, ends = self._run(passage, own)
        logits = self.logits(features)
        at = 2 + len(own)
        sentences, begin = [], 0
        for end in ends:
            decides = scores[at + begin : at + end, 1]
            sentences.append(_sigmoid(float(decides.mean())) if len(decides) else 0.0)
            begin = end
        words = _words(statement, offsets, scores[1 : 1 + len(own), 0])
        return PairReading((float(logits[0]), float(logits[1]), float(logits[2])), words, tuple(sentences))


class JoinedModel(EntailmentModel):
    """Two models that read the same: logits, and the scores of words and sentences, are weighted means of both.

    Parameters
    ----------
    own : the model that name, card and :meth:`states` are of. Its card's ``share``, in [0, 1], says how much it
        counts; the other one counts the rest. Default: a half.
    other : with the same tokenizer.
    """

    def __init__(self, own: EntailmentModel, other: EntailmentModel) -> None:
        super().__init__(own._model, name=own.name, about=own.about)
        self._other = other
        self._share = float(own.about.get("share", 0.5))

    def read(self, passage: Sequence[str], statement: str) -> PairReading:
        """The mean of what both models say."""
        own, other = super().read(passage, statement), self._other.read(passage, statement)
        e, c, n = (self._mean(a, b) for a, b in zip(own.logits, other.logits, strict=True))
        words = tuple(
            replace(a, unsupported=self._mean(a.unsupported, b.unsupported))
            for a, b in zip(own.words, other.words, strict=True)
        )
        sentences = tuple(self._mean(a, b) for a, b in zip(own.sentences, other.sentences, strict=True))
        return PairReading((e, c, n), words, sentences)

    def _mean(self, own: float, other: float) -> float:
        return self._share * own + (1.0 - self._share) * other


def _words(statement: str, offsets: Sequence[tuple[int, int]], scores: _Floats) -> tuple[WordScore, ...]:
    """Each word with the highest score of its tokens; words that were not read are left out."""
    found = []
    read, first = scores.tolist(), 0
    for m in _WORD.finditer(statement):
        start, end = m.span()
        while first < len(read) and offsets[first][1] <= start:
            first += 1
        own = [s for (a, b), s in zip(offsets[first:], read[first:], strict=True) if a < end and start < b]
        if own:
            found.append(WordScore(start, end, m.group(), _sigmoid(max(own))))
    return tuple(found)


def shipped_entailment() -> Any:
    """The folder of the shipped model."""
    return resources.files("fallax.entailment") / "weights"


@cache
def load_entailment(folder: str | None = None) -> EntailmentModel:
    """Load the shipped model, or one from a folder that ``scripts/train_entailment.py`` wrote.

    One whose card says ``beside`` reads together with the shipped model, see :class:`JoinedModel`.

    Raises
    ------
    FormatError
        If a file is missing or damaged, or does not match the card.
    """
    base: Any = shipped_entailment() if folder is None else Path(folder)
    about = read_card(base, what="an entailment model")
    own = model_with_card(open_model(base, about, what="an entailment model"), about, base)
    if folder is None or "beside" not in about:
        return own
    share = about.get("share", 0.5)
    if not isinstance(share, int | float) or not 0.0 <= share <= 1.0:
        raise FormatError(f"share must be a number in [0, 1], got {one_line(repr(share), 40)}", path=str(base / CARD))
    shipped = load_entailment()
    if about["beside"] != shipped.name:
        raise FormatError(
            f"belongs beside {about['beside']}, and this fallax has {shipped.name}; fetch or train it again",
            path=str(base / CARD),
        )
    return JoinedModel(own, shipped)


def model_with_card(model: Model, about: dict[str, Any], base: Any) -> EntailmentModel:
    """An entailment model of an encoder and the content of a card.

    Parameters
    ----------
    base : the folder they are from, for errors.

    Raises
    ------
    FormatError
        If the card has no name and version, or the heads are not those of an entailment model.
    """
    try:
        name = f"{about['name']}@{about['version']}"
    except (KeyError, TypeError) as error:
        raise FormatError(
            f"must be an entailment model's card, got an error ({one_line(error)})", path=str(base / CARD)
        ) from error
    d = model.words.values.shape[1]
    shapes = {n: model.heads[n].shape for n in ("label", "token") if n in model.heads}
    if shapes != {"label": (3, 2 * d + 2), "token": (2, d + 1)}:
        raise FormatError(
            f"must hold heads 'label', shape {(3, 2 * d + 2)}, and 'token', shape {(2, d + 1)}, got {shapes}",
            path=str(base / "head.npz"),
        )
    return EntailmentModel(model, name=name, about=about)
