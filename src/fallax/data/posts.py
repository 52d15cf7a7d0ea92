"""Selects posts for a benchmark, and benign sentences to match them."""

from __future__ import annotations

import heapq
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fallax.core.json_value import JsonValue
from fallax.core.texts import plain_text, sentence_spans
from fallax.core.types import NO_FALLACY, Record
from fallax.errors import InputError, one_line

__all__ = ["BenignSample", "Selection", "sample_benign", "select_posts"]

_END = re.compile(r"[.!?][\"'”’)\]]*$")
_URL = re.compile(r"https?://|www\.", re.IGNORECASE)
#: A benign sentence has no more words than this many times the longest that it is to match.
_TOO_LONG = 2


def _pattern(keywords: Sequence[str]) -> re.Pattern[str] | None:
    """A pattern for any of the keywords as whole words, ignoring case; None without keywords."""
    for keyword in keywords:
        if not keyword.strip():
            raise InputError("a keyword must have a visible character, got an empty one")
    parts = [
        (r"(?<!\w)" if k[0].isalnum() else "") + re.escape(k) + (r"(?!\w)" if k[-1].isalnum() else "") for k in keywords
    ]
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _check_range(name: str, low: int, high: int | None) -> None:
    if low < 0 or (high is not None and high < low):
        raise InputError(f"min_{name}, max_{name}: must be 0 or more, and the second not less, got {low} and {high}")


@dataclass(frozen=True, slots=True)
class Selection(JsonValue):
    """The selected posts.

    Parameters
    ----------
    records : in the order in which they were read; not annotated.
    n_read : how many were looked at.
    left_out : reason -> how many.
    """

    records: tuple[Record, ...]
    n_read: int
    left_out: Mapping[str, int]

    json_names = ("n_read", "n_chosen", "left_out")

    @property
    def n_chosen(self) -> int:
        """The number of records."""
        return len(self.records)


def select_posts(
    posts: Iterable[Record],
    *,
    keywords: Sequence[str] = (),
    without: Sequence[str] = (),
    score_field: str = "score",
    min_score: float | None = None,
    top: int | None = None,
    min_words: int = 1,
    max_words: int | None = None,
    keep: Sequence[str] = (),
) -> Selection:
    """Filter posts by keyword, length and score; optionally keep the best N.

    Memory holds the posts chosen, and a short key of each that was read.

    Parameters
    ----------
    posts : as :func:`fallax.data.read_texts` gives them, the other fields of a row in ``meta``.
    keywords : at least one must stand in the text, as whole words, whatever their case; without any, all posts pass.
    without : none of these may.
    score_field, min_score : the field with the score (upvotes, say), and the lowest that passes.
    top : keep this many posts with the highest scores; among equal scores, the first.
    min_words, max_words : length of the text in words (stretches without white space).
    keep : fields of ``meta`` that are kept beside the score; all others, such as who wrote it, are left behind.

    Returns
    -------
    Selection
        A text that differs from an earlier one in case, spaces and punctuation only is a repetition and left out.

    Raises
    ------
    InputError
        If a score that is needed is no number, with the id of the post.

    Examples
    --------
    >>> rows = [("1", "Why is ice cold?", 9), ("2", "why is ice  cold", 7), ("3", "Nice ice.", 8), ("4", "Why not?", 1)]
    >>> posts = [Record(i, text, meta={"score": n, "author": "x"}) for i, text, n in rows]
    >>> found = select_posts(posts, keywords=["why"], min_score=2)
    >>> [(r.id, dict(r.meta)) for r in found.records], dict(found.left_out)
    ([('1', {'score': 9})], {'repeats another': 1, 'no keyword': 1, 'low score': 1})
    """
    _check_range("words", min_words, max_words)
    if top is not None and top < 1:
        raise InputError(f"top: must be at least 1, got {top}")
    wanted, unwanted = _pattern(keywords), _pattern(without)
    needs_score = min_score is not None or top is not None
    left_out: Counter[str] = Counter()
    seen: set[str] = set()
    chosen: list[tuple[float, int, Record]] = []
    n_read = 0
    for n_read, post in enumerate(posts, start=1):
        key = plain_text(post.text)
        n_words = len(post.text.split())
        score = _score(post, score_field, needs_score)
        why = ""
        if wanted is not None and not wanted.search(post.text):
            why = "no keyword"
        elif unwanted is not None and unwanted.search(post.text):
            why = "unwanted keyword"
        elif n_words < min_words:
            why = "too short"
        elif max_words is not None and n_words > max_words:
            why = "too long"
        elif needs_score and score is None:
            why = "no score"
        elif min_score is not None and score is not None and score < min_score:
            why = "low score"
        elif key in seen:
            why = "repeats another"
        if why:
            left_out[why] += 1
            continue
        seen.add(key)
        meta = {k: post.meta[k] for k in (score_field, *keep) if k in post.meta}
        entry = (score or 0.0, -n_read, Record(post.id, post.text, None, post.source, meta=meta))
        if top is None:
            chosen.append(entry)
        elif len(chosen) < top:
            heapq.heappush(chosen, entry)
        else:
            heapq.heappushpop(chosen, entry)
            left_out["not among the best"] += 1
    return Selection(tuple(r for _, _, r in sorted(chosen, key=lambda e: -e[1])), n_read, dict(left_out))


def _score(post: Record, field: str, needed: bool) -> float | None:
    value = post.meta.get(field)
    if not needed or value is None or value == "":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if isinstance(value, bool) or number != number:
        raise InputError(f"post {post.id!r}: {field!r} must be a number, got {one_line(repr(value), 40)}")
    return number


@dataclass(frozen=True, slots=True)
class BenignSample(JsonValue):
    """Sentences presumed free of fallacies, matched in length.

    Parameters
    ----------
    records : with gold ``()``, ``meta["from"]`` (the text each stands in) and ``meta["checked"]`` False: nobody has
        read them.
    seed : of the draw.
    n_candidates : sentences that could be drawn.
    left_out : reason -> sentences or texts that could not.
    gap : mean difference in words between a sentence and the one it was matched with; None without any.
    """

    records: tuple[Record, ...]
    seed: int
    n_candidates: int
    left_out: Mapping[str, int]
    gap: float | None

    json_names = ("n_chosen", "seed", "n_candidates", "left_out", "mean_word_gap=gap")

    @property
    def n_chosen(self) -> int:
        """The number of records."""
        return len(self.records)


def sample_benign(
    corpus: Iterable[Record],
    *,
    like: Sequence[str],
    n: int | None = None,
    seed: int = 0,
    whole: bool = False,
    keywords: Sequence[str] = (),
    without: Sequence[str] = (),
) -> BenignSample:
    """Draw sentences from any corpus with the lengths of given ones.

    Memory holds at most ``n`` sentences of each length, however large the corpus.

    Parameters
    ----------
    corpus : texts; one that gold calls fallacious is left out, and so is what is no whole, plain sentence.
    like : the sentences whose lengths in words are to be matched.
    n : how many; by default as many as ``like``. More or fewer draw from its lengths.
    seed : the same corpus and seed give the same sentences.
    whole : take each text as it is and do not split it into sentences.
    keywords, without : as in :func:`select_posts`.

    Returns
    -------
    BenignSample
        Each length asked for gets the nearest length that is left (of two the longer); there are fewer than asked for
        only where the corpus ran out. A sentence that was drawn is not thereby sound: have people look, or a judge.

    Notes
    -----
    The paper drew 502 such sentences from C4 and FineWeb (Xu et al. 2025, Benign-Bench); most of them are no arguments,
    so they test false alarms only weakly. ``keywords=["therefore", "so", "because"]`` draws sentences that argue.

    Examples
    --------
    >>> corpus = [Record("a", "Snow fell. The road was closed for a day. Nobody came. It was cold on the hill.")]
    >>> found = sample_benign(corpus, like=["This one has six words inside.", "This one has one word more inside."])
    >>> [len(r.text.split()) for r in found.records], found.gap, dict(found.left_out)
    ([6, 7], 0.0, {'too short': 2})
    """
    if not like:
        raise InputError("like: must hold at least one sentence to match in length, got none")
    if n is not None and n < 1:
        raise InputError(f"n: must be at least 1, got {n}")
    draw = random.Random(seed)
    lengths = [len(text.split()) for text in like]
    targets = lengths if n is None else _drawn(lengths, n, draw)
    wanted, unwanted = _pattern(keywords), _pattern(without)
    left_out: Counter[str] = Counter()
    buckets: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    counts: Counter[int] = Counter()
    seen: set[str] = set()
    for id_, text in _sentences(corpus, whole, left_out):
        words, key = len(text.split()), plain_text(text)
        why = _unfit(text, wanted, unwanted)
        if not why and words > _TOO_LONG * max(lengths):
            why = "too long"
        elif not why and key in seen:
            why = "repeats another"
        if why:
            left_out[why] += 1
            continue
        seen.add(key)
        counts[words] += 1
        if len(buckets[words]) < len(targets):
            buckets[words].append((id_, text))
        elif (place := draw.randrange(counts[words])) < len(targets):
            buckets[words][place] = (id_, text)
    found = list(_matched(targets, buckets, draw))
    gap = sum(abs(a - len(text.split())) for a, _, text in found) / len(found) if found else None
    records = tuple(
        Record(f"benign-{i}", text, (), meta={"from": id_, "checked": False})
        for i, (_, id_, text) in enumerate(found, start=1)
    )
    return BenignSample(records, seed, counts.total(), dict(left_out), gap)


def _drawn(lengths: Sequence[int], n: int, draw: random.Random) -> list[int]:
    """N lengths: every given length equally often as far as possible, the rest drawn at random."""
    return [*(list(lengths) * (n // len(lengths))), *draw.sample(list(lengths), n % len(lengths))]


def _sentences(corpus: Iterable[Record], whole: bool, left_out: Counter[str]) -> Iterator[tuple[str, str]]:
    for record in corpus:
        if any(x != NO_FALLACY for g in record.gold or () for x in g.labels):
            left_out["text with a fallacy in gold"] += 1
        elif whole:
            yield record.id, record.text.strip()
        else:
            yield from ((record.id, record.text[a:b]) for a, b in sentence_spans(record.text))


def _unfit(text: str, wanted: re.Pattern[str] | None, unwanted: re.Pattern[str] | None) -> str:
    """Why a sentence cannot be used, or ""."""
    letters = sum(c.isalpha() or c.isspace() for c in text)
    if len(text.split()) < 3:
        return "too short"
    if not text[0].isupper() or not _END.search(text) or any(not c.isprintable() for c in text):
        return "no whole sentence"
    if _URL.search(text) or "<unk>" in text or letters < 0.75 * len(text):
        return "no plain text"
    if wanted is not None and not wanted.search(text):
        return "no keyword"
    return "unwanted keyword" if unwanted is not None and unwanted.search(text) else ""


def _matched(
    targets: Sequence[int], buckets: Mapping[int, list[tuple[str, str]]], draw: random.Random
) -> Iterator[tuple[int, str, str]]:
    """For each wanted length, the nearest sentence left; exact matches are assigned first."""
    given: dict[int, tuple[str, str]] = {}
    for exact in (True, False):
        for i in draw.sample(range(len(targets)), len(targets)):
            if i in given:
                continue
            left = [words for words, bucket in buckets.items() if bucket]
            if not left:
                break
            nearest = min(left, key=lambda words: (abs(words - targets[i]), -words))
            if not exact or nearest == targets[i]:
                bucket = buckets[nearest]
                given[i] = bucket.pop(draw.randrange(len(bucket)))
    for i in sorted(given):
        yield targets[i], *given[i]
