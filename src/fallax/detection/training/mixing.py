"""Makes training texts with several fallacies: random sequences of passages and ordinary sentences."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fallax.detection.systems.windows import TokenizerPort
from fallax.detection.training.batches import Tokens, tokens_of
from fallax.detection.training.examples import SentenceExample
from fallax.detection.training.taught import Taught

__all__ = ["Draws", "batches_of_chunk", "chunk_of", "mixed"]

#: Texts made at once; within a chunk, texts of one length stand in one batch.
CHUNK = 2048
#: Shares of texts that are one fallacious text, one ordinary text; the others are joined from several.
_ONE_FALLACIOUS, _ONE_ORDINARY = 0.33, 0.22
#: The pieces of a joined text are fallacious one of these times, drawn for each text: there are reports, comments, and
#: speeches that hold hardly anything else. Then only the marked sentences of a piece are kept this often.
_FALLACIOUS, _MARKED_ONLY = (0.2, 0.45, 0.85), 0.5
_TITLED, _DAMAGED = 0.5, 0.15
#: As long as what is read at once.
_MOST_WORDS = 180


@dataclass(frozen=True)
class Draws:
    """The sources of mixed texts.

    Parameters
    ----------
    fallacious, ordinary : (how often, examples) for each source; examples of held-out groups are not among them.
    """

    fallacious: Sequence[tuple[float, Sequence[SentenceExample]]]
    ordinary: Sequence[tuple[float, Sequence[SentenceExample]]]

    def one(self, kind: str, rng: random.Random) -> SentenceExample:
        """An example of ``"fallacious"`` or ``"ordinary"`` texts."""
        sources = self.fallacious if kind == "fallacious" else self.ordinary
        (drawn,) = rng.choices([examples for _, examples in sources], weights=[often for often, _ in sources])
        return rng.choice(drawn)


def _cut(example: SentenceExample, start: int, end: int) -> SentenceExample:
    return replace(
        example,
        sentences=example.sentences[start:end],
        flagged=example.flagged[start:end],
        weights=example.weights[start:end],
        candidates=example.candidates[start:end],
    )


def _marked(example: SentenceExample) -> SentenceExample:
    places = [i for i, f in enumerate(example.flagged) if f > 0.5]
    return _cut(example, places[0], places[-1] + 1)


def _shortened(example: SentenceExample) -> SentenceExample:
    """At most :data:`_MOST_WORDS` words, unmarked ones dropped first."""
    while len(example.sentences) > 1 and sum(len(s.split()) for s in example.sentences) > _MOST_WORDS:
        n = len(example.sentences)
        from_front = example.flagged[0] < 0.5 or example.flagged[-1] > 0.5
        example = _cut(example, 1, n) if from_front else _cut(example, 0, n - 1)
    return example


def mixed(draws: Draws, rng: random.Random) -> SentenceExample:
    """One training text: unchanged, or two to five pieces in a row, each sentence with its own label.

    Examples
    --------
    >>> from fallax.detection.training.examples import plain_example
    >>> plain = plain_example("It rained.", group="g")
    >>> fallacy = SentenceExample("h", "", ("You lie.",), (1.0,), (1.0,), ((16,),))
    >>> draws = Draws([(1.0, [fallacy])], [(1.0, [plain])])
    >>> texts = [mixed(draws, random.Random(n)) for n in range(50)]
    >>> sorted({len(text.sentences) for text in texts}), sorted({flag for text in texts for flag in text.flagged})
    ([1, 2, 3, 4, 5], [0.0, 1.0])
    """
    chance = rng.random()
    if chance < _ONE_FALLACIOUS + _ONE_ORDINARY:
        found = draws.one("fallacious" if chance < _ONE_FALLACIOUS else "ordinary", rng)
        if any(f > 0.5 for f in found.flagged) and rng.random() < 0.15:
            found = _marked(found)
    else:
        pieces, fallacious = [], rng.choice(_FALLACIOUS)
        for _ in range(rng.choice((2, 2, 3, 3, 4, 5))):
            if rng.random() < fallacious:
                piece = draws.one("fallacious", rng)
                if any(f > 0.5 for f in piece.flagged) and rng.random() < _MARKED_ONLY:
                    piece = _marked(piece)
            else:
                piece = draws.one("ordinary", rng)
                n = min(rng.choice((1, 1, 2, 3)), len(piece.sentences))
                start = rng.randint(0, len(piece.sentences) - n)
                piece = _cut(piece, start, start + n)
            pieces.append(piece)
        found = replace(
            pieces[0],
            sentences=tuple(s for p in pieces for s in p.sentences),
            flagged=tuple(f for p in pieces for f in p.flagged),
            # how surely a label is known counts sentence by sentence
            weights=tuple(w for p in pieces for w in p.weights),
            candidates=tuple(c for p in pieces for c in p.candidates),
            label_weight=min((p.label_weight for p in pieces if any(p.candidates)), default=1.0),
        )
    if rng.random() >= _TITLED:
        found = replace(found, title="")
    found = _shortened(found)
    if rng.random() < _DAMAGED:
        found = replace(found, sentences=tuple(_damaged(s, rng) for s in found.sentences))
    return found


def _typo(word: str, rng: random.Random) -> str:
    if len(word) < 4 or not word.isalpha():
        return word
    k = rng.randint(1, len(word) - 2)
    return word[:k] + (word[k + 1] + word[k] + word[k + 2 :] if rng.random() < 0.5 else word[k + 1 :])


def _damaged(sentence: str, rng: random.Random) -> str:
    """A sentence as typed in a hurry: no end mark, no commas, no quotes, or a typo."""
    kind = rng.randrange(4)
    if kind == 0:
        found = sentence.rstrip(".!?…")
    elif kind == 1:
        found = re.sub(r"[\"“”'‘’]", "", sentence)
    elif kind == 2:
        found = re.sub(r"[,;:]", "", sentence)
    else:
        found = " ".join(_typo(w, rng) if rng.random() < 0.06 else w for w in sentence.split())
    return found if found.strip() else sentence


def chunk_of(draws: Draws, seed: int, number: int) -> list[SentenceExample]:
    """The :data:`CHUNK` texts of one chunk; the same for the same seed and number."""
    rng = random.Random(f"{seed}-{number}")
    return [mixed(draws, rng) for _ in range(CHUNK)]


def batches_of_chunk(
    draws: Draws,
    tokenizer: TokenizerPort,
    *,
    seed: int,
    number: int,
    budget: int,
    taught: Taught | None = None,
    chunks: int = 0,
) -> Iterator[list[Tokens]]:
    """Batches of texts of similar length, at most ``budget`` tokens each with padding.

    Parameters
    ----------
    taught : gives each text the logits of a larger detector.
    chunks : so many chunks come again and again, in other batches; 0: each has new texts.
    """  # fmt: skip
    which = number % chunks if chunks else number
    drawn = chunk_of(draws, seed, which)
    texts = tokens_of(tokenizer, drawn)
    if taught is not None:
        for text, rows in zip(texts, taught.of(f"{seed}-{which}", drawn), strict=True):
            text.taught = rows
    shuffle = random.Random(f"{seed}-{number}-order")
    # texts that come again stand beside others of their length
    order = sorted(range(len(texts)), key=lambda i: texts[i].n + (4 * shuffle.random() if number != which else 0))
    batches: list[list[Tokens]] = [[]]
    for i in order:
        longest = texts[i].n + len(texts[i].title) + 3
        if batches[-1] and (len(batches[-1]) + 1) * longest > budget:
            batches.append([])
        batches[-1].append(texts[i])
    shuffle.shuffle(batches)
    yield from batches
