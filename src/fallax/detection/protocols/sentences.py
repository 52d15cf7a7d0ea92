"""Protocol of MAFALDA: one question per sentence, labels read by keyword, adjacent sentences joined.

Source: Helwe et al. 2024, appendix C (the prompt) and the recorded outputs published with the paper (the reading).
Live and recorded replies go through the same functions here.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fallax.core.prompts import hash_of, read_prompt
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import sentence_spans
from fallax.core.types import Message, Prediction, Record, Reply, Request, Span, Taxonomy, Unreadable
from fallax.errors import UnknownNameError

__all__ = [
    "KEYWORDS",
    "UNKNOWN",
    "SentenceAnswer",
    "SentenceProtocol",
    "SentenceReply",
    "keywords_for",
    "locate_sentences",
    "predict_from_replies",
    "read_answer",
]

#: label -> the substrings that name it in a lower-cased answer without punctuation, in the order they are looked for.
KEYWORDS: dict[str, tuple[str, ...]] = {
    "appeal to positive emotion": ("emotion",),
    "appeal to anger": ("anger",),
    "appeal to fear": ("fear",),
    "appeal to pity": ("pity",),
    "appeal to ridicule": ("ridicule",),
    "appeal to worse problems": ("worse", "problems"),
    "causal oversimplification": ("oversimplification",),
    "circular reasoning": ("circular",),
    "equivocation": ("equivocation",),
    "false analogy": ("analogy",),
    "false causality": ("causality",),
    "false dilemma": ("dilemma",),
    "hasty generalization": ("generalization",),
    "slippery slope": ("slippery", "slope"),
    "straw man": ("straw",),
    "fallacy of division": ("division",),
    "ad hominem": ("hominem",),
    "ad populum": ("populum",),
    "appeal to (false) authority": ("authority",),
    "appeal to nature": ("nature",),
    "appeal to tradition": ("tradition",),
    "guilt by association": ("association",),
    "tu quoque": ("quoque",),
}

#: What an answer without a readable label becomes in the variant ``published``: a wrong label of its own.
UNKNOWN = "unknown"

_NO_WORDS = frozenset({"no", "none", "not", "false", "nothing", "isnt", "doesnt", "cannot"})
_NO_PHRASES = ("does not contain", "is not part", "isn t", "doesn t")
_PUNCTUATION = str.maketrans({c: " " for c in string.punctuation + "‘’“”"})


@dataclass(frozen=True, slots=True)
class SentenceAnswer:
    """A parsed reply: ``labels`` named, none but ``says_no``, or neither (unreadable)."""

    labels: tuple[str, ...]
    says_no: bool

    @property
    def is_readable(self) -> bool:
        """True if the reply names a fallacy or says that there is none."""
        return bool(self.labels) or self.says_no


@dataclass(frozen=True, slots=True)
class SentenceReply:
    """A sentence with the raw reply about it."""

    sentence: str
    reply: str


def keywords_for(taxonomy: Taxonomy) -> Mapping[str, tuple[str, ...]]:
    """The keywords of a taxonomy: MAFALDA's as published, else the names of each label."""
    if taxonomy.name == "mafalda":
        return KEYWORDS
    return {
        label.name: tuple(
            " ".join(name.lower().translate(_PUNCTUATION).split()) for name in (label.name, *label.aliases)
        )
        for label in taxonomy.labels
    }


def read_answer(reply: str, *, keywords: Mapping[str, tuple[str, ...]] = KEYWORDS) -> SentenceAnswer:
    """Read the fallacies named in a reply.

    A prompt that the model repeats is cut away (everything before the first ``Output:``; everything from a repeated
    question on). What is left is lower-cased, its punctuation becomes blanks, and a label is named if one of its
    :data:`KEYWORDS` occurs as a substring. A negative word means "no fallacy" unless a label is named.

    Parameters
    ----------
    reply : the raw reply; any text.
    keywords : label -> substrings that name it, see :func:`keywords_for`.

    Returns
    -------
    SentenceAnswer

    Examples
    --------
    >>> read_answer("It is a Slippery-Slope.").labels
    ('slippery slope',)
    >>> read_answer("Not a fallacious argument.")
    SentenceAnswer(labels=(), says_no=True)
    >>> read_answer("Hmm.").is_readable
    False
    """
    text = reply
    if "Output:" in text:
        text = text[text.index("Output:") :]
    if (again := text.find("Based on the above text, determine")) >= 0:
        text = text[:again]
    text = text.lower().translate(_PUNCTUATION)
    if (again := text.find("based on the above")) >= 0:
        text = text[:again]
    spaced = " ".join(text.split())
    labels = tuple(label for label, keys in keywords.items() if any(k in spaced for k in keys))
    says_no = not _NO_WORDS.isdisjoint(spaced.split()) or any(p in spaced for p in _NO_PHRASES)
    return SentenceAnswer(labels, says_no)


def locate_sentences(text: str, sentences: Sequence[str]) -> list[tuple[int, int] | None]:
    """The positions of recorded sentences in their text.

    Sentences may repeat or overlap (they were cut at gold boundaries). Each is taken to be its occurrence nearest to
    the running position, which is the end of the previous sentence + 1; a sentence that does not occur gives None.

    Examples
    --------
    >>> locate_sentences("No. Why? No.", ["No.", "Why?", "No."])
    [(0, 3), (4, 8), (9, 12)]
    """
    found: list[tuple[int, int] | None] = []
    position = 0
    for sentence in sentences:
        if not sentence:
            found.append(None)
            continue
        starts = [m.start() for m in re.finditer(f"(?={re.escape(sentence)})", text)]
        if not starts:
            found.append(None)
            continue
        start = min(starts, key=lambda s: (abs(s - position), s))
        found.append((start, start + len(sentence)))
        position = start + len(sentence) + 1
    return found


def predict_from_replies(
    id: str,
    text: str,
    replies: Iterable[SentenceReply],
    *,
    variant: Literal["definition", "published"] = "definition",
    offsets: Sequence[tuple[int, int]] | None = None,
    keywords: Mapping[str, tuple[str, ...]] = KEYWORDS,
) -> Prediction:
    """Turn the replies about a text's sentences into labelled spans.

    For each label, a span is a run of consecutive sentences (in the order asked) that carry it.

    Parameters
    ----------
    id, text : the record's.
    replies : one per sentence, in order.
    variant : ``definition`` uses the sentences' true offsets; an answer that names no fallacy predicts nothing, and an
        unreadable one is counted. ``published`` does what the paper's tables did: offsets are the running sum of
        sentence lengths without what stands between them, a run is one longer per sentence joined, and an answer
        without a label becomes the label "unknown", which is wrong wherever it stands.
    offsets : the sentences' offsets where they are known (a live protocol split the text itself).
    keywords : label -> substrings that name it.

    Returns
    -------
    Prediction
        ``unreadable`` lists the unreadable replies and the sentences that do not stand in the text.
    """
    if variant not in ("definition", "published"):
        raise UnknownNameError("variant", variant, ("definition", "published"))
    asked = list(replies)
    answers = [read_answer(a.reply, keywords=keywords) for a in asked]
    unreadable = [
        Unreadable("names no known fallacy and does not say that there is none", a.reply, a.sentence)
        for a, answer in zip(asked, answers, strict=True)
        if not answer.is_readable
    ]
    if variant == "published":
        spans: Iterable[Span] = _published_runs(asked, answers, keywords)
    else:
        places: Sequence[tuple[int, int] | None] = (
            offsets if offsets is not None else locate_sentences(text, [a.sentence for a in asked])
        )
        unreadable += [
            Unreadable("the sentence is not in the text", a.reply, a.sentence)
            for a, answer, place in zip(asked, answers, places, strict=True)
            if place is None and answer.labels
        ]
        spans = _true_runs(answers, places, keywords)
    labels = frozenset(label for answer in answers for label in answer.labels)
    return Prediction(id, tuple(sorted(spans)), labels, tuple(unreadable), n_replies=len(asked), variant=variant)


def _true_runs(
    answers: Sequence[SentenceAnswer], places: Sequence[tuple[int, int] | None], labels: Iterable[str]
) -> set[Span]:
    spans = set()
    for label in labels:
        run: tuple[int, int] | None = None
        for answer, place in [*zip(answers, places, strict=True), (SentenceAnswer((), True), None)]:
            if place is not None and label in answer.labels:
                run = (run[0], max(run[1], place[1])) if run else place
            elif run:
                spans.add(Span(*run, label))
                run = None
    return spans


def _published_runs(
    asked: Sequence[SentenceReply], answers: Sequence[SentenceAnswer], labels: Iterable[str]
) -> list[Span]:
    spans = []
    for label in [*labels, UNKNOWN]:
        position, run = 0, None
        for item, answer in zip(asked, answers, strict=True):
            length = len(item.sentence)
            if label in (answer.labels or (UNKNOWN,)):
                run = (run[0], run[1] + 1 + length) if run else (position, position + length)
            elif run:
                spans.append(Span(*run, label))
                run = None
            position += length
        if run:
            spans.append(Span(*run, label))
    return [s for s in spans if s.end > s.start]


class SentenceProtocol:
    """Asks about every sentence of a text, with the text before it (Helwe et al. 2024, appendix C).

    The text is split here, so that results are not comparable with the recorded outputs, whose sentences were cut at
    gold boundaries.

    Parameters
    ----------
    taxonomy : the labels offered; the prompt lists their names.
    max_tokens : the longest reply.

    Examples
    --------
    >>> protocol = SentenceProtocol()
    >>> record = Record("r", "He is a fool. So he is wrong.")
    >>> [r.messages[-1].content.splitlines()[-3] for r in protocol.requests(record)]
    ['Sentence: "He is a fool."', 'Sentence: "So he is wrong."']
    >>> protocol.read(record, [Reply("no"), Reply("ad hominem")]).spans
    (Span(start=14, end=29, label='ad hominem', confidence=None),)
    """

    def __init__(self, taxonomy: Taxonomy | str = "mafalda", *, max_tokens: int = 128) -> None:
        self.taxonomy = load_taxonomy(taxonomy) if isinstance(taxonomy, str) else taxonomy
        self.max_tokens = max_tokens
        self._keywords = keywords_for(self.taxonomy)
        self._prompt = read_prompt("fallax.detection.protocols", "mafalda_sentence.v1").replace(
            "{labels}", "\n".join(f"- {name}" for name in self.taxonomy.names)
        )

    @property
    def name(self) -> str:
        """``sentence.v1``."""
        return "sentence.v1"

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt with its labels."""
        return hash_of(self._prompt)

    def requests(self, record: Record) -> tuple[Request, ...]:
        """One request per sentence; their common part comes first."""
        before, middle, after = re.split(r"\{text\}|\{sentence\}", self._prompt)
        shared = before + record.text.strip().replace('"', "'") + middle
        return tuple(
            Request(
                (Message("user", shared + record.text[start:end].replace('"', "'") + after),),
                temperature=0.0,
                max_tokens=self.max_tokens,
            )
            for start, end in sentence_spans(record.text)
        )

    def read(self, record: Record, replies: Sequence[Reply]) -> Prediction:
        """Read the replies and join adjacent labelled sentences into spans."""
        places = sentence_spans(record.text)
        asked = [
            SentenceReply(record.text[start:end], reply.text)
            for (start, end), reply in zip(places, replies, strict=True)
        ]
        return predict_from_replies(record.id, record.text, asked, offsets=places, keywords=self._keywords)
