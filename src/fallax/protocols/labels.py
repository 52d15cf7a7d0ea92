"""Reading what a model decided: labels between tags, and what replies hold instead of them.

A reply is read if there is one thing it can mean, and is unreadable with a reason otherwise; nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fallax.types import Faithfulness, Reply

__all__ = ["CONSISTENCY", "LabelReply", "Words", "read_between", "read_binary", "read_label", "without_thinking"]

_THINKING = r"(?:thinking|think|thought|thoughts|reasoning|scratchpad)"
_CLOSED_THINKING = re.compile(rf"<\s*{_THINKING}\s*>.*?<\s*/\s*{_THINKING}\s*>", re.DOTALL | re.IGNORECASE)
_END_THINKING = re.compile(rf"<\s*/\s*{_THINKING}\s*>", re.IGNORECASE)
_OPEN_THINKING = re.compile(rf"<\s*{_THINKING}\s*>", re.IGNORECASE)
_EXPLANATION = re.compile(r"<\s*explanations?\s*>.*?(?:<\s*/\s*explanations?\s*>|$)", re.DOTALL | re.IGNORECASE)
#: A label with or without its end tag; an end tag may be written as another start tag.
_LABEL = re.compile(r"<\s*label\s*>\s*:?\s*([^<>]{0,80}?)\s*(?:<\s*/?\s*label\s*/?\s*>|<|\n|$)", re.IGNORECASE)
_LABEL_INSIDE = re.compile(r"<\s*label\s*[:=]?\s*[\"']?\s*([\w -]{1,40}?)\s*[\"']?\s*/?\s*>", re.IGNORECASE)
_NAMED = re.compile(
    r"(?:^|[\n{,])[\s*_#>\"'-]*(?:final\s+|my\s+|overall\s+)*(?:label|verdict|evaluation|answer|decision|judge?ment|rating)"
    r"[\s*_\"']*(?::|=|\bis\b)[\s*_\"'`]*([\w -]{1,60})",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:i(?:['’]m| am)\s+(?:sorry|unable|not able)|i\s+(?:can(?:not|['’]t)|won['’]t|will not)\s+(?:help|assist|"
    r"provide|comply|do|evaluate|determine|answer|continue|judge|engage)|as an ai\b|i must decline)",
    re.IGNORECASE,
)
_CUT = " (the reply was cut off at its token limit)"


@dataclass(frozen=True, slots=True)
class Words:
    """How the two answers to a question are written.

    Parameters
    ----------
    one, zero : lower-case words and phrases that mean 1 and 0.
    statement : words of a plain sentence that says so, such as "consistent" in "the summary is consistent"; each
        stands for 1, and for 0 after a negation or with one of ``prefixes`` before it.
    prefixes : what turns a word into its opposite.
    """

    one: frozenset[str]
    zero: frozenset[str]
    statement: tuple[str, ...]
    prefixes: tuple[str, ...] = ("in", "un", "non-", "non ", "non")

    def value(self, text: str) -> int | None:
        """1, 0, or None for what is neither.

        Examples
        --------
        >>> [CONSISTENCY.value(t) for t in ("1", "Not consistent", "1 (consistent)", "0.5", "partly consistent")]
        [1, 0, 1, None, None]
        """
        plain = re.sub(r"\s*\([^()]*\)\s*$", "", text.strip()).strip(" .*_`\"'!:;,").lower()
        plain = re.sub(r"\s+", " ", plain)
        if plain in self.one:
            return 1
        if plain in self.zero:
            return 0
        inside = re.fullmatch(r"([01])\s*[-–:=,]\s*(.+)", plain)
        if inside is not None:
            rest = self.value(inside[2])
            return int(inside[1]) if rest is None or rest == int(inside[1]) else None
        return None

    def said(self, text: str) -> set[int]:
        """What plain sentences about the summary say: a set of 1 and 0, both if they contradict each other."""
        words = "|".join(map(re.escape, self.statement))
        prefixes = "|".join(map(re.escape, self.prefixes))
        pattern = re.compile(
            r"(?P<doubt>\b(?:if|whether|unless|not clear that|cannot say that)\b[^.!?\n]{0,40})?"
            r"\b(?:summary|sentence|claim|it)\b[^.!?\n,;]{0,30}?\b(?:is|was|seems|appears|remains)(?P<nt>n['’]t)?\b(?:\s+to\s+be)?"
            r"(?P<no>\s+(?:not|never|neither))?"
            r"(?:\s+(?:therefore|thus|indeed|still|entirely|fully|completely|wholly|factually|mostly))*"
            r"(?P<no2>\s+not)?(?:\s+factually)?\s+"
            rf"(?P<prefix>{prefixes})?(?:{words})\b",
            re.IGNORECASE,
        )
        found = set()
        for match in pattern.finditer(text):
            if match["doubt"]:
                continue
            negated = bool(match["nt"] or match["no"] or match["no2"]) != bool(match["prefix"])
            found.add(0 if negated else 1)
        return found


_ONE = "1|1.0|one|consistent|factually consistent|faithful|factual|yes|true|correct|supported|entailed"
_ZERO = (
    "0|0.0|zero|inconsistent|factually inconsistent|not consistent|not factually consistent|unfaithful|not faithful|"
    "non-factual|nonfactual|not factual|no|false|incorrect|unsupported|not supported|not entailed|contradicted"
)
CONSISTENCY = Words(
    one=frozenset(re.split(r"\|", _ONE)),
    zero=frozenset(re.split(r"\|", _ZERO)),
    statement=("consistent", "faithful", "factual", "supported", "entailed"),
)


@dataclass(frozen=True, slots=True)
class LabelReply:
    """A reply that was read: the label with its reasons, or why there is none.

    Parameters
    ----------
    label : faithful or unfaithful; None if ``reason`` says why it could not be read.
    explanation : the reasons given; what stands outside all tags where there is no such tag.
    reason : why there is no label, else "".
    quotes : what stood between ``<sentence>`` tags.
    guidelines : what stood between ``<guideline>`` tags.
    """

    label: Faithfulness | None
    explanation: str = ""
    reason: str = ""
    quotes: tuple[str, ...] = ()
    guidelines: tuple[str, ...] = ()


def without_thinking(text: str, *, cut: bool = False) -> str:
    """A reply without what it says to itself.

    Closed thinking is dropped, and so is everything before an end tag without a beginning. Thinking that never ends
    is the answer where the model stopped by itself (it forgot the tag); where the reply was ``cut`` it is dropped, for
    the model was still thinking.

    Examples
    --------
    >>> without_thinking("<thinking>maybe <label>0</label></thinking><label>1</label>")
    '<label>1</label>'
    >>> without_thinking("<think>maybe <label>0</label> or", cut=True)
    ''
    """
    text = _CLOSED_THINKING.sub("", text)
    ends = [m.end() for m in _END_THINKING.finditer(text)]
    if ends:
        text = text[ends[-1] :]
    begins = _OPEN_THINKING.search(text)
    if begins is not None:
        text = text[: begins.start()] + ("" if cut else text[begins.end() :])
    return text


def read_between(text: str, tag: str) -> tuple[str, ...]:
    """What stands between ``<tag>`` and ``</tag>``, each occurrence, without what is empty; a missing end is the next
    tag or the end of the text.

    Examples
    --------
    >>> read_between("<type>Vagueness</type> <type> </type><type>Deduction", "type")
    ('Vagueness', 'Deduction')
    """
    found = re.findall(rf"<\s*{tag}\s*>(.*?)(?=<\s*/?\s*[A-Za-z_]+\s*>|$)", text, flags=re.DOTALL | re.IGNORECASE)
    return tuple(t for piece in found if (t := piece.strip()))


def read_binary(text: str, words: Words, *, cut: bool = False) -> tuple[int | None, str]:
    """The 1 or 0 that a reply decides for, or None and why there is none.

    Looked for in this order; the first place where anything is found decides: ``<label>`` tags outside of thinking and
    explanation; the same inside the explanation; a line such as ``Label: 1``; the whole answer being one word; plain
    sentences that say so. Values that differ are a reason, and so is a value that means neither.

    Examples
    --------
    >>> read_binary("Verdict: **consistent**", CONSISTENCY)
    (1, '')
    >>> read_binary("<label>1</label> or rather <label>0</label>", CONSISTENCY)
    (None, 'two labels that differ')
    """
    if not text.strip():
        return None, "the reply is empty"
    answer = without_thinking(text, cut=cut)
    if not answer.strip():
        return None, "nothing but thinking" + _CUT * cut
    bare = _EXPLANATION.sub(" ", answer)
    for place in (bare, answer):
        found = [m for m in _LABEL.findall(place) if m.strip()] or _LABEL_INSIDE.findall(place)
        if found:
            return _one_value(found, words)
    named = [m for m in _NAMED.findall(bare) if m.strip()]
    values = {v for m in named if (v := words.value(m)) is not None}
    if not values:
        whole = words.value(bare)
        values = {whole} if whole is not None else words.said(bare) or words.said(answer)
    if len(values) == 1:
        return values.pop(), ""
    if values:
        return None, "it says both"
    if _REFUSAL.search(answer):
        return None, "a refusal"
    return None, "no label" + _CUT * cut


def _one_value(found: list[str], words: Words) -> tuple[int | None, str]:
    values = {words.value(m) for m in found}
    if None in values:
        return None, "the label is neither of the two"
    return (values.pop(), "") if len(values) == 1 else (None, "two labels that differ")


def read_label(reply: Reply) -> LabelReply:
    """Read the reply of a zero-shot judge, an agent or an adjudicator.

    See :func:`read_binary` for where the label is looked for. Labels inside the thinking never count.

    Examples
    --------
    >>> read_label(Reply("<label>Consistent</label><explanation>It says so.</explanation>"))
    LabelReply(label='faithful', explanation='It says so.', reason='', quotes=(), guidelines=())
    >>> read_label(Reply("<thinking>It may be <label>1</label>", stop_reason="length")).reason
    'nothing but thinking (the reply was cut off at its token limit)'
    """
    cut = reply.stop_reason == "length"
    if reply.stop_reason == "content_filter":
        return LabelReply(None, reason="the endpoint withheld the reply")
    value, reason = read_binary(reply.text, CONSISTENCY, cut=cut)
    answer = without_thinking(reply.text, cut=cut)
    labels: Mapping[int | None, Faithfulness | None] = {1: "faithful", 0: "unfaithful", None: None}
    return LabelReply(
        labels[value],
        explanation_of(answer),
        reason,
        read_between(answer, "sentence"),
        read_between(answer, "guideline"),
    )


def explanation_of(answer: str) -> str:
    """The explanation in an answer without thinking: what its tags hold, else everything outside of tags."""
    found = re.findall(
        r"<\s*explanations?\s*>(.*?)(?:<\s*/\s*explanations?\s*>|$)", answer, flags=re.DOTALL | re.IGNORECASE
    )
    text = " ".join(t for piece in found if (t := piece.strip()))
    if text:
        return text
    text = re.sub(
        r"<\s*(label|sentence|guideline|type|reading)\s*>.*?(?:<\s*/\s*\1\s*>|$)", " ", answer,
        flags=re.DOTALL | re.IGNORECASE,
    )  # fmt: skip
    return re.sub(r"<\s*/?\s*[A-Za-z_]+\s*>", " ", text).strip()
