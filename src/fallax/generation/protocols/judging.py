"""Protocol for judging sentences: fallacious or not, and ranked fallacies; for live and recorded replies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from fallax.core.prompts import hash_of, read_prompt
from fallax.core.replies import bounded
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import fence
from fallax.core.types import ChatModel, Judgement, Message, Record, Reply, Request, Taxonomy, Unreadable
from fallax.errors import ModelError, UnknownNameError

__all__ = [
    "JudgeProtocol",
    "clean_labels",
    "judge_with_model",
    "judgement_from_answer",
    "read_judgement",
    "read_verdict",
    "split_labels",
]

_FIELDS: dict[str, Any] = {
    "sentence": {"type": "string"},
    "logic_error": {"type": "string", "enum": ["yes", "no"]},
    "logic_fallacies": {"type": "array", "items": {"type": "string"}},
    "details": {"type": "string"},
}
#: prompt -> its file, and its fields in the order in which a constrained model writes them.
_PROMPTS = {
    "paper": ("smartypat_judge.v1", ("sentence", "logic_error", "logic_fallacies", "details")),
    "neutral": ("neutral_judge.v1", ("details", "logic_error", "logic_fallacies")),
}
_NUMBER = re.compile(r"^[\s*_\"'\[•–-]*#?\(?\d{1,2}\s*[.):-]\s*")
_SEPARATORS = re.compile(r"[,;>|\n]|→|\s(?=\d{1,2}[.)]\s)")
_REMARK = re.compile(r"(?<=\w)\s*\([^()\n]*\)")
#: "none of these", "N/A - sound", "no logical fallacy"; but "no true Scotsman" is a name.
_NO_LABEL = re.compile(r"(?:none|n ?a|not applicable)(?: .*)?|no|nil|null|nothing|no (?:logical )?(?:fallac|error).*")
#: Brackets that may open an answer and are tried; a bound, as a text of brackets that never close would take forever.
_MAX_OBJECTS = 512
_MAX_NAME = 120


def split_labels(value: Any) -> tuple[str, ...]:
    """The labels of an answer: a list unchanged, a text split at commas; only blanks are trimmed.

    Parameters
    ----------
    value : the value of ``logic_fallacies``: a list of texts, or of objects with a name, or one text; None is
        an empty list.

    Raises
    ------
    ValueError
        If it is none of these.

    Examples
    --------
    >>> split_labels("1. Equivocation, 2. False Premise"), split_labels(["a, b", {"name": "c", "rank": 2}])
    (('1. Equivocation', '2. False Premise'), ('a, b', 'c'))
    """
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(x.strip() for x in value.split(","))
    if not isinstance(value, list):
        raise ValueError(f"the fallacies must be a list or a text, got {type(value).__name__}")
    return tuple(_name(x) for x in value)


def _name(item: Any) -> str:
    if isinstance(item, Mapping):
        for key in ("name", "fallacy", "category", "label", "type", "logic_fallacy"):
            if isinstance(item.get(key), str):
                return str(item[key]).strip()
    if not isinstance(item, str):
        raise ValueError(f"a fallacy must be a text, got {type(item).__name__}")
    return item.strip()


def clean_labels(given: Sequence[str], taxonomy: Taxonomy) -> tuple[str, ...]:
    """A judge's labels in the taxonomy's spelling, in the same order.

    Remarks in parentheses are taken out; the rest is cut at commas, semicolons, ``>``, bars and lines; numbers,
    bullets, quotes, brackets, underscores and case are taken off; what is left must be a name of the taxonomy exactly,
    or be one before a colon or a dash. A name that is not in it stays, in lower case: it was said, and it is wrong.
    Names that stand for nothing ("none of these", "n/a") are left out. A label said twice stays twice.

    Examples
    --------
    >>> from fallax.core.taxonomies import load_taxonomy
    >>> labels = load_taxonomy("smartypat")
    >>> clean_labels(["equivocation > 2. false_analogy", "False Cause: one follows the other"], labels)
    ('Equivocation', 'False Analogy', 'False Cause')
    >>> clean_labels(["Hasty Generalization (not listed)", "None of the listed fallacies", ""], labels)
    ('hasty generalization',)
    """
    listed = _REMARK.sub("", ", ".join(_whole(entry, taxonomy) for entry in given))
    parts = _SEPARATORS.split(listed)
    cleaned = {part: _clean(part, taxonomy) for part in dict.fromkeys(parts)}
    return tuple(cleaned[part] for part in parts if cleaned[part])


def _known(name: str, taxonomy: Taxonomy) -> str:
    """The label for a name, or ""; a text as long as a paragraph is no name."""
    if not 0 < len(name.strip()) <= _MAX_NAME:
        return ""
    try:
        return taxonomy.resolve(name)
    except UnknownNameError:
        return ""


def _whole(entry: str, taxonomy: Taxonomy) -> str:
    """The label that matches a whole entry ("Improper Distribution (or Addition)"), else the entry."""
    return _known(_NUMBER.sub("", entry), taxonomy) or entry


def _clean(part: str, taxonomy: Taxonomy) -> str:
    bare = _NUMBER.sub("", part)
    head = re.split(r":|\s[-–—]\s", bare, maxsplit=1)[0]
    name = re.sub(r"[\W_]+", " ", bare.lower()).strip()
    if not name:
        return ""
    return _known(bare, taxonomy) or _known(head, taxonomy) or ("" if _NO_LABEL.fullmatch(name) else name)


def read_verdict(value: Any) -> bool:
    """Parse a yes or a no.

    Parameters
    ----------
    value : a text that begins with yes, no, true or false, or a bool.

    Raises
    ------
    ValueError
        If it says neither, or both.

    Examples
    --------
    >>> read_verdict("Yes."), read_verdict(False), read_verdict("no - it makes no argument")
    (True, False, False)
    >>> read_verdict("yes or no")
    Traceback (most recent call last):
    ValueError: says both yes and no
    """
    if isinstance(value, bool):
        return value
    match = re.match(r"\W{0,200}(yes|no|true|false)\b(?!\s*(?:or|/|\|)\s*(?:yes|no|true|false)\b)", str(value), re.I)
    if match is None:
        both = re.match(r"\W{0,200}(?:yes|no|true|false)\b", str(value), re.I)
        raise ValueError("says both yes and no" if both else "says neither yes nor no")
    return match[1].lower() in ("yes", "true")


def judgement_from_answer(id: str, answer: Mapping[str, Any], *, taxonomy: Taxonomy, n_replies: int = 1) -> Judgement:
    """Make a judgement from the fields ``logic_error``, ``logic_fallacies`` and ``details``.

    An answer whose yes or no, or whose list, cannot be read is unscored with the reason.

    Examples
    --------
    >>> from fallax.core.taxonomies import load_taxonomy
    >>> answer = {"logic_error": "yes", "logic_fallacies": "1. Equivocation, 2. false_premise"}
    >>> judgement_from_answer("7", answer, taxonomy=load_taxonomy("smartypat")).labels
    ('Equivocation', 'False Premise')
    """
    try:
        if "logic_error" not in answer:
            raise ValueError("has no 'logic_error'")
        fallacious = read_verdict(answer["logic_error"])
        given = split_labels(answer.get("logic_fallacies"))
    except ValueError as error:
        raw = json.dumps(dict(answer), ensure_ascii=False, default=str)
        return _unreadable(id, f"the answer {error}" if "must" not in str(error) else str(error), raw, n_replies)
    details = answer.get("details")
    return Judgement(
        id,
        fallacious,
        clean_labels(given, taxonomy),
        given,
        details if isinstance(details, str) else "",
        n_replies=n_replies,
    )


def _unreadable(id: str, reason: str, raw: str, n_replies: int) -> Judgement:
    return Judgement(id, None, unreadable=(Unreadable(reason, raw),), n_replies=n_replies, unscored=reason)


def _objects(text: str) -> Iterator[Mapping[str, Any]]:
    """The JSON objects of a text that have ``logic_error``, items of lists included."""
    decoder = json.JSONDecoder(strict=False)
    at = 0
    for _ in range(_MAX_OBJECTS):
        match = re.compile(r"[\[{]").search(text, at)
        if match is None:
            return
        try:
            value, at = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at = match.end()
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, Mapping) and "logic_error" in item:
                yield item


_FIELD = r"{name}[\"'*_]*\s*[:=]\s*"
_VERDICT_FIELD = re.compile(_FIELD.format(name=r"logic[_ ]error") + r"[\"'*_]*(\w+(?:\s+or\s+\w+)?)", re.I)
_LABELS_FIELD = re.compile(
    _FIELD.format(name=r"logic[_ ]fallac(?:ies|y)") + r"(?:\[([^\]]*)(\]?)|\"([^\"]*)\"|([^\n]*))", re.I
)


def _from_fields(text: str) -> dict[str, Any] | None:
    """Find the two fields by name in broken JSON; contradicting verdicts are both returned."""
    verdicts = dict.fromkeys(v.lower() for v in _VERDICT_FIELD.findall(text))
    if not verdicts:
        return None
    labels = _LABELS_FIELD.search(text)
    listed: str | list[str] = ""
    if labels is not None and labels[1] is not None:
        quoted = re.findall(r"\"([^\"]*)\"", labels[1])
        listed = quoted if quoted or not labels[2] else labels[1]
    elif labels is not None:
        listed = labels[3] if labels[3] is not None else labels[4].strip("\"'*_ ")
    return {"logic_error": " or ".join(verdicts), "logic_fallacies": listed}


def read_judgement(id: str, reply: Reply, *, taxonomy: Taxonomy) -> Judgement:
    r"""Read a judge's reply: JSON alone or in prose, or the two fields by name if the JSON is broken.

    Of several JSON answers in one reply the ones that can be read must agree on yes or no, and the last one counts.

    Returns
    -------
    Judgement
        Unscored with a reason if the reply cannot be read.

    Examples
    --------
    >>> from fallax.core.taxonomies import load_taxonomy
    >>> labels = load_taxonomy("smartypat")
    >>> reply = Reply('Sure.\n```json\n{"logic_error": "Yes", "logic_fallacies": ["false_cause"]}\n```')
    >>> read_judgement("1", reply, taxonomy=labels).labels
    ('False Cause',)
    >>> read_judgement("1", Reply("I would rather not say."), taxonomy=labels).unscored
    'no JSON with logic_error, and no field of that name'
    """
    text = bounded(reply.text.rpartition("</think>")[2])
    found = [judgement_from_answer(id, answer, taxonomy=taxonomy) for answer in _objects(text)]
    readable = [j for j in found if not j.unscored]
    if len({j.fallacious for j in readable}) > 1:
        return _unreadable(id, "says yes and no in one reply", reply.text, 1)
    if readable:
        return readable[-1]
    if not found and (fields := _from_fields(text)) is not None:
        found = [judgement_from_answer(id, fields, taxonomy=taxonomy)]
        if not found[0].unscored:
            return found[0]
    reason = found[-1].unscored if found else "no JSON with logic_error, and no field of that name"
    return _unreadable(id, reason + reply.cut_note, reply.text, 1)


class JudgeProtocol:
    """Asks whether one sentence is fallacious, and for its ranked fallacies.

    Parameters
    ----------
    taxonomy : the fallacies offered, with their definitions.
    prompt : "paper", the content of the paper's judging prompt (table 9), which presents its sentences as "sentences
        with logical errors"; or "neutral", which says that some are sound and asks for the reason first.
    max_tokens : the longest reply.

    Notes
    -----
    From the paper: the role, the presupposition, "judge the following element", and the four fields with what they
    hold (Xu et al. 2025, table 9). Ours: the definitions, the delimiters around the sentence and what is said of
    them.

    Examples
    --------
    >>> protocol = JudgeProtocol()
    >>> (request,) = protocol.requests(Record("1", "It rained after I sang, so I make rain."))
    >>> reply = Reply('{"logic_error": "yes", "logic_fallacies": ["false cause", "false premise"]}')
    >>> protocol.read(Record("1", "It rained after I sang, so I make rain."), (reply,)).labels
    ('False Cause', 'False Premise')
    """

    def __init__(
        self,
        taxonomy: Taxonomy | str = "smartypat",
        *,
        prompt: Literal["paper", "neutral"] = "paper",
        max_tokens: int = 2048,
    ) -> None:
        if prompt not in _PROMPTS:
            raise UnknownNameError("prompt", prompt, _PROMPTS, where="judge")
        self.taxonomy = load_taxonomy(taxonomy) if isinstance(taxonomy, str) else taxonomy
        self.max_tokens = max_tokens
        self._file, fields = _PROMPTS[prompt]
        self._schema = {
            "type": "object",
            "properties": {name: _FIELDS[name] for name in fields},
            "required": ["logic_error", "logic_fallacies"],
        }
        labels = "\n".join(f"- {label.name}: {label.definition}" for label in self.taxonomy.labels)
        text = read_prompt("fallax.generation.protocols", self._file).replace("{{", "{").replace("}}", "}")
        self._prompt = text.replace("{labels}", labels).replace("{n}", str(len(self.taxonomy.labels)))

    @property
    def name(self) -> str:
        """The file of the prompt, with its version."""
        return self._file.replace("_", "-")

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt with its labels and definitions."""
        return hash_of(self._prompt)

    def requests(self, record: Record) -> tuple[Request, ...]:
        """One request."""
        before, after = self._prompt.split("{sentence}")
        content = before + fence(record.text, "sentence") + after
        return (
            Request((Message("user", content),), temperature=0.0, max_tokens=self.max_tokens, json_schema=self._schema),
        )

    def read(self, record: Record, replies: Sequence[Reply]) -> Judgement:
        """Read the reply."""
        (reply,) = replies
        return read_judgement(record.id, reply, taxonomy=self.taxonomy)


async def judge_with_model(protocol: JudgeProtocol, record: Record, model: ChatModel) -> Judgement:
    """Ask about a record and read the reply; a failed call gives an unscored judgement."""
    try:
        replies = [await model.generate(r) for r in protocol.requests(record)]
    except ModelError as error:
        return Judgement(record.id, None, unscored=str(error))
    return protocol.read(record, replies)
