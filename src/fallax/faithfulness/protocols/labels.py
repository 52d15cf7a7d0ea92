"""Reads labels from replies: in tags, JSON, named lines or prose.

A reply is read if there is one thing it can mean, and is unreadable with a reason otherwise; nothing is guessed.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fallax.core.replies import bounded
from fallax.core.types import Faithfulness, Reply
from fallax.faithfulness.protocols.wording import CONSISTENCY, ModeWords

__all__ = ["LabelReply", "read_between", "read_binary", "read_label", "without_thinking"]

_THINKING = r"(?:ant|seed:)?(?:thinking|think|thoughts?|reasoning|scratchpad|reflection|analysis)"
_THINKING_TAG = re.compile(
    rf"[<\[◁]\s*(?P<end>/?)\s*{_THINKING}(?:\s[^<>\[\]◁▷]{{0,80}})?\s*[>\]▷]|<\|(?:begin|(?P<end2>end))_of_thought\|>",
    re.IGNORECASE,
)
_FINAL_CHANNEL = re.compile(r"<\|channel\|>\s*final\s*(?:<\|[a-z_]+\|>[^<]{0,40})?<\|message\|>", re.IGNORECASE)
_OUR_TAGS = r"(?:label|explanation|sentence|guideline|type|reading)s?"
_EXPLANATION = re.compile(r"<\s*explanations?\s*>(.*?)(?:<\s*/\s*explanations?\s*>|$)", re.DOTALL | re.IGNORECASE)
_REASONS = re.compile(
    r"<\s*(explanation|sentence|guideline|type|reading)s?\s*>.*?(?:<\s*/\s*\1s?\s*>|$)", re.DOTALL | re.IGNORECASE
)
_MARKUP = re.compile(r"<\s*/?\s*(?:b|i|u|em|strong|br|code|span|p)\s*/?\s*>", re.IGNORECASE)
#: A label with what stands after it; an end tag may be written as another start tag, and may be missing.
_LABEL = re.compile(r"<\s*labels?\b([^<>]{0,60})>([^<]*)(<\s*[/\\]?\s*labels?)?", re.IGNORECASE)
_END = re.compile(r"<\s*[/\\]")
_OTHER_TAG = re.compile(
    r"<\s*(verdict|answer|final_(?:label|answer)|evaluation)\s*>([^<]*)<\s*/\s*\1\s*>", re.IGNORECASE
)
_BOXED = re.compile(r"\\boxed\{([^{}]{1,60})\}")
#: What a reply repeats of the question: an empty place, or both labels to choose from.
_TEMPLATE = re.compile(
    r"\W*(?:and|tags?|label|verdict|your (?:label|verdict)|[01]\s*(?:or|/|\|)\s*[01])?\W*", re.IGNORECASE
)
_NAMES = r"label|verdict|classification|judge?ment|evaluation|assessment|rating"
_NAMED = re.compile(
    r"[\s*_#>\"'`|{,\d.)-]{0,16}(?:(?:so|thus|hence|therefore|in conclusion|here is)\b[,:]?\s{1,3})?"
    r"(?:(?:the|my|final|overall|new)\s{1,3}){0,3}"
    rf"(?P<name>{_NAMES}|answer|decision|conclusion|result|prediction)(?![a-z])[\s*_\"'`|)]{{0,8}}"
    r"(?P<sign>:|=|[-=]+>|→|(?:is(?:\s+now)?|remains|stays|should\s+be)\b|[-–—]|\s(?=[01]\b)|$)(?P<value>.*)",
    re.IGNORECASE,
)
#: A label that takes back what was said before, wherever it stands in a line.
_REVISED = re.compile(
    r"(?:\b(?:final|overall|revised|corrected|updated|correct)\s+|"
    r"\b(?:however|but|actually|wait|correction|on reflection)\b"
    rf"[^.\n]{{0,60}}?\b)(?:{_NAMES}|answer)\b[\s*_]{{0,4}}(?::|=|is|should be)[\s*_\"'`]{{0,4}}"
    r"(?=(?P<value>[^.;\n]{1,80}))",
    re.IGNORECASE,
)
#: The same in other words: "I change it to 0", "I meant 0", "Correction: 0". What a reason says a date or a count
#: should be is no label, and neither is a digit in the middle of a clause ("1 in 5").
_CHANGED = re.compile(
    r"(?:\bi(?:['’](?:ll|ve)|\s+(?:will|have|now|must|hereby|therefore|would)){0,3}\s+"
    r"(?:change|changed|revise|revised|switch|switched|correct|corrected|update|updated|amend)"
    rf"(?:\s+(?:it|(?:my|the)\s+(?:\w+\s+)?(?:{_NAMES}|answer|decision|stance|position|mind)))?"
    r"(?:\s+from\s+[^.;\n]{1,20}?)?\s+to\s+|"
    r"\bi\s+meant\s+|\b(?:correction|edit)\s*:\s*|"
    r"\b(?:however|wait|actually)\b(?:[^.;:\n]{0,40}\b(?:reconsider\w*|re-?think\w*|reflection|second\s+thoughts?))?\s*:\s*|"
    rf"\b(?:(?:the|my)\s+(?:\w+\s+)?(?:{_NAMES}|answer)|(?:wait|sorry)[,;:.\s]{{1,4}}(?:it|that|this))"
    r"\s+should\s+(?:have\s+been|be)\s+)"
    r"(?:label\s*[:=]?\s*)?[*_\"'`]{0,4}"
    r"(?=(?P<value>(?:[01](?=[*_\"'`)\]]{0,4}\s{0,4}(?:$|\n|[.;,!](?!\d)|\(|[-–—]\s|(?:because|since|as|instead)\b))|"
    r"(?:in|un|not )?(?:consistent|faithful)\b)[^.;\n]{0,60}))",
    re.IGNORECASE,
)
#: A cue that takes back, then little words alone, then the other value: "no wait, 0", "on second thought the label is
#: 0". Any other word in between may make it a number of something, so it does not count.
_TAKEN_BACK = re.compile(
    r"(?:\b(?:wait|sorry|oops|scratch\s+that|strike\s+that|typo|correction|update|edit|then\s+again|i\s+mean|"
    r"(?:on|upon|with|after)\s+(?:(?:second|further|more)\s+)?(?:thoughts?|reflection|consideration)|"
    r"re-?(?:consider|think|evaluat|assess)ing|(?:i|my\s+(?:label|verdict|answer))\s+now|(?<=[,;:–—-]\s)so|"
    r"read\s+(?:it|this|that)\s+as)|\(should|(?:^|[.;!?…–—-]\s*)no(?=[,;:–—-]))"
    r"[\s,;:.…–—-]{1,4}"
    rf"(?:(?:no|so|thus|then|therefore|after|re-?reading|it|that|this|i|the|my|now|new|final|right|correct|{_NAMES}|answer|decision|is|should|"
    r"must|has|have|to|be|been|read|mean|meant|say|vote|choose|go|with|for|instead|rather)[\s,:=]{1,3}){0,9}"
    r"[*_\"'`]{0,4}(?P<value>[01]|(?:in|un|not\s)?(?:consistent|faithful))"
    r"(?=[*_\"'`)\]]{0,4}\s{0,4}(?:$|\n|[.;,!](?!\d)|(?:because|since|as|instead)\b))",
    re.IGNORECASE | re.MULTILINE,
)
#: A value that follows the tag at once, alone in its line.
_BESIDE = re.compile(r"</\s*label\s*>[\s=>→/|,*-]{0,6}(?P<value>[01])[ \t]*(?:$|\n)", re.IGNORECASE)
#: What a line says of the labels in general: "Label 1 means consistent".
_LEGEND = re.compile(r"[01]\s+(?:means|stands\s+for|denotes|is\s+for|would\s+mean)\b", re.IGNORECASE)
#: A second label in a line, at the beginning of a sentence of its own.
_AGAIN = re.compile(
    rf"[.;!?…]\s+(?:(?:so|thus|hence|therefore)[,\s]\s*)?(?:(?:the|my)\s+)?(?:(?:final|new|correct)\s+)?(?:{_NAMES})"
    r"\s*(?:(?:[:=]|is\b)?\s*(?=[01]\b)|is\s+(?=(?:in|un|not\s)?(?:consistent|faithful)\b))(?=(?P<value>[^.;\n]{1,60}))",
    re.IGNORECASE,
)
_KEY = re.compile(r"[\"'](?:label|verdict)[\"']\s{0,4}:\s{0,4}[\"']?([^,\"'}\n]{1,60})", re.IGNORECASE)
_TURN = re.compile(r"^\W*agent \d+ \(label ([01])\b[^()\n]*\)", re.IGNORECASE | re.MULTILINE)
_REFUSAL = re.compile(
    r"\b(?:i(?:['’]m| am)\s+(?:sorry|unable|not able)|i\s+(?:can(?:not|['’]t)|won['’]t|will not)\s+(?:help|assist|"
    r"provide|comply|do|evaluate|determine|answer|continue|judge|engage|confirm|say|verify|conclude|tell|assess)|"
    r"as an ai\b|i must decline)",
    re.IGNORECASE,
)
_CUT = " (the reply was cut off at its token limit)"
_NEITHER = "the label is neither of the two"


@dataclass(frozen=True, slots=True)
class LabelReply:
    """A parsed reply: the label with its explanation, or why there is none.

    Parameters
    ----------
    label : faithful or unfaithful; None if ``reason`` says why it could not be read.
    explanation : the reasons given; if there is no such tag, the text outside all tags.
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
    r"""A reply without its thinking.

    Closed thinking is dropped, and so is everything before an end tag without a beginning. Of thinking that never ends
    the end is the answer, from its last label on, where nothing but reasons follows that label (the model forgot the
    tag); where the reply was ``cut`` there is none, for the model was still thinking.

    Examples
    --------
    >>> without_thinking("<thinking>maybe <label>0</label></thinking><label>1</label>")
    '<label>1</label>'
    >>> without_thinking("<think>maybe <label>0</label> or", cut=True)
    ''
    >>> without_thinking("<think>Agent 1 is wrong.\n<label>0</label><explanation>No vote.</explanation>")
    '<label>0</label><explanation>No vote.</explanation>'
    """
    text = _FINAL_CHANNEL.split(bounded(text))[-1]
    outside, depth, place, closed = "", 0, 0, False
    for tag in _THINKING_TAG.finditer(text):
        is_end = bool(tag["end"] or tag["end2"])
        if depth == 0:
            # an end without a beginning: all before it was thinking, unless thinking has ended before
            outside = "" if is_end and not closed else outside + text[place : tag.start()]
        depth = max(0, depth - 1) if is_end else depth + 1
        closed = closed or is_end
        place = tag.end()
    rest = text[place:]
    return outside + (rest if depth == 0 else "" if cut else _conclusion(rest))


def _conclusion(thoughts: str) -> str:
    """The end of unclosed thinking: from its last label or last line with a label; else nothing."""
    tags = list(_LABEL.finditer(thoughts))
    if tags:
        after = thoughts[tags[-1].end() :] if tags[-1][3] else ""
        rest = _REASONS.sub("", after[after.find(">") + 1 :])
        if not rest.strip():
            return thoughts[tags[-1].start() :]
    start = 0
    found = None
    for line in thoughts.splitlines(keepends=True):
        if _NAMED.fullmatch(line.rstrip()):
            found = start
        start += len(line)
    return "" if found is None else thoughts[found:]


def read_between(text: str, tag: str) -> tuple[str, ...]:
    """The non-empty texts between ``<tag>`` and ``</tag>``.

    A missing end tag is assumed before the next known tag or at the end of the text.

    Examples
    --------
    >>> read_between("<type>Vagueness</type> <type> </type><type>Deduction", "type")
    ('Vagueness', 'Deduction')
    """
    pattern = rf"<\s*{tag}\s*>(.*?)(?=<\s*/?\s*(?:{tag}|{_OUR_TAGS}|{_THINKING})\s*>|$)"
    found = re.findall(pattern, text, flags=re.DOTALL | re.IGNORECASE)
    return tuple(t for piece in found if (t := piece.strip()))


def read_binary(text: str, words: ModeWords, *, cut: bool = False) -> tuple[int | None, str]:
    """The 1 or 0 that a reply decides, or None and the reason.

    Looked for in this order; the first place where anything is found decides: ``<label>`` tags outside of thinking and
    explanation; a JSON object with a label; a line such as ``Label: 1``; one word, alone or as the first line; plain
    sentences that say so; the same places inside the explanation. Values that differ are a reason, and so is a value
    that means neither. Of a reply that was ``cut`` off plain sentences and what stands in the explanation do not count:
    the sentence that takes them back may be missing.

    Examples
    --------
    >>> read_binary("Verdict: **consistent**", CONSISTENCY)
    (1, '')
    >>> read_binary("<label>1</label> or rather <label>0</label>", CONSISTENCY)
    (None, 'two labels that differ')
    >>> read_binary("I can't say that the summary is consistent.", CONSISTENCY)
    (None, 'a refusal')
    """
    if not text.strip():
        return None, "the reply is empty" + _CUT * cut
    answer = _plain(without_thinking(text, cut=cut))
    if not answer.strip():
        return None, "nothing but thinking" + _CUT * cut
    bare = _EXPLANATION.sub(" ", answer)
    found = _decided(bare, words, cut=cut)
    if found is None and _REFUSAL.search(answer):
        found = None, "a refusal"
    if found is None and not cut:
        said = words.said(bare)
        inside = " ".join(_EXPLANATION.findall(answer))
        found = _agreed(said) or _decided(_conclusion(inside), words, cut=cut) or _agreed(words.said(inside))
    return found or (None, "no label" + _CUT * cut)


def _plain(answer: str) -> str:
    """The answer reduced to label characters, without emphasis."""
    answer = unicodedata.normalize("NFKC", answer)
    if "&lt;" in answer and not _LABEL.search(answer):
        answer = html.unescape(answer)
    return _MARKUP.sub("", answer)


def _decided(place: str, words: ModeWords, *, cut: bool) -> tuple[int | None, str] | None:
    """The decision in tags, JSON, named lines or a single word; None if there is none of these."""
    stated, around = _from_json(place)
    tags = _tags(around, words, cut=cut)
    lines, idle = _named(around, words, cut=cut)
    revised = {
        v
        for pattern in (_REVISED, _CHANGED, _TAKEN_BACK, _BESIDE, _AGAIN)
        for m in pattern.finditer(around)
        if (v := words.value(m["value"])) is not None
    }
    if tags or stated:
        values = {words.value(t) for t in (*tags, *stated)}
        if None in values:
            return None, _NEITHER
        return _agreed(values | lines | revised, "two labels that differ")
    if lines or idle:
        return _agreed(lines | revised) or (None, _NEITHER)
    lone = _lone(place, words, cut=cut)
    if lone is not None:
        return _agreed({lone} | words.said(place) | revised)
    turns = _TURN.findall(place)
    return (int(turns[0]), "") if len(turns) == 1 and _TURN.match(place) else None


def _lone(place: str, words: ModeWords, *, cut: bool) -> int | None:
    """The value of a one-line answer, or of a first line or sentence of one word."""
    first, _, more = place.strip().partition("\n")
    if not more and not cut:
        whole = words.value(first)
        if whole is not None:
            return whole
    word = (first if first[:1].isdigit() else re.split(r"[.!]\s", first, maxsplit=1)[0]).strip(" *_`\"'.!").lower()
    if word in ("yes", "no", "true", "false", "correct", "incorrect") or word not in words.one | words.zero:
        return None
    if re.search(r"^\W*2\W*$", more, re.MULTILINE):  # the number of a list
        return None
    return int(word in words.one)


def _agreed(values: set[int] | set[int | None], differ: str = "it says both") -> tuple[int | None, str] | None:
    if not values:
        return None
    return (next(iter(values)), "") if len(values) == 1 else (None, differ)


def _tags(place: str, words: ModeWords, *, cut: bool) -> list[str]:
    """The contents of label tags, without repetitions of the question."""
    found, start = [], 0
    while (match := _LABEL.search(place, start)) is not None:
        inside = match[2].strip(" \t\n:`")
        start = match.end()
        if not match[3]:
            inside = inside.split("\n", 1)[0]
            if cut and start == len(place) and words.value(inside) is None:
                break
        elif _TEMPLATE.fullmatch(inside) and not _END.match(match[3]):
            start = match.start(3)
        found.append(inside or re.sub(r"^(?:\s*\w+)?\s*[:=]\s*|[\"'/]", "", match[1]))
    found = found or [m[2] for m in _OTHER_TAG.finditer(place) if len(m[2]) <= 40] or _BOXED.findall(place)
    return [t for t in found if not _TEMPLATE.fullmatch(t)] or [t for t in found if re.search(r"\d", t)]


def _from_json(place: str) -> tuple[list[str], str]:
    """The label in a (nested) JSON object, the final ones beside it, and the text around it."""
    begin, end = place.find("{"), place.rfind("}") + 1
    if 0 <= begin < end:
        try:
            value = json.loads(place[begin:end])
        except (ValueError, RecursionError):
            return [], place
        for labels in _labels_in(value):
            return [json.dumps(label).strip('"') for label in labels], place[:begin] + place[end:]
    return [], place


def _labels_in(value: Any, depth: int = 0) -> Iterator[list[Any]]:
    if not isinstance(value, dict) or depth > 3:
        return
    for name in ("label", "verdict", "answer"):
        names = [n for n in (name, f"final_{name}") if n in value and not isinstance(value[n], dict | list)]
        if names:
            # a place left empty beside one that is filled says nothing
            yield [value[n] for n in names if value[n] is not None] or [None]
    for inner in value.values():
        yield from _labels_in(inner, depth + 1)


def _named(place: str, words: ModeWords, *, cut: bool) -> tuple[set[int], bool]:
    """The values of lines that name a label, and whether a line has no valid value."""
    found: set[int] = set()
    idle = False
    lines = [line.strip() for line in place.split("\n") if line.strip()]
    for number, line in enumerate(lines):
        match = _NAMED.fullmatch(line)
        if match is None or (match["sign"].isspace() and _LEGEND.match(match["value"])):
            found |= {v for m in _KEY.findall(line) if (v := words.value(m)) is not None}
            continue
        value = match["value"].strip(" *_")
        below = lines[number + 1] if not value and number + 1 < len(lines) else ""
        meant = _line_value(value or below, words, cut=cut)
        found |= meant
        idle = idle or bool(not meant and value and match["sign"] in (":", "=") and _is_label(match["name"]))
    return found, idle and not found


def _is_label(name: str) -> bool:
    return re.fullmatch(_NAMES, name, re.IGNORECASE) is not None


def _line_value(text: str, words: ModeWords, *, cut: bool) -> set[int]:
    value = words.value(text)
    if value is None:
        head = re.split(r"[.;!](?:\s|$)", text.strip(), maxsplit=1)[0]
        value = words.value(head)
    if value is None and not cut:
        return words.said(text)
    return set() if value is None else {value}


def read_label(reply: Reply) -> LabelReply:
    """Read the reply of a zero-shot judge, an agent or an adjudicator.

    See :func:`read_binary` for where the label is looked for. Labels inside the thinking never count, unless it never
    ends (:func:`without_thinking`).

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
    if reply.stop_reason == "refusal":
        return LabelReply(None, explanation_of(reply.text), "a refusal")
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
    """The explanation in an answer without thinking: the text in its tags, else all text outside tags."""
    text = " ".join(t for piece in _EXPLANATION.findall(answer) if (t := piece.strip()))
    if text:
        return text
    text = re.sub(
        r"<\s*(label|sentence|guideline|type|reading)\s*>.*?(?:<\s*/\s*\1\s*>|$)", " ", answer,
        flags=re.DOTALL | re.IGNORECASE,
    )  # fmt: skip
    return re.sub(r"<\s*/?\s*[A-Za-z_]+\s*>", " ", text).strip()
