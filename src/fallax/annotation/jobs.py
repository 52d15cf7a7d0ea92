"""The four annotation jobs: what is shown, what is asked, and which answers are valid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fallax.annotation.store import AnnotationStore, Item
from fallax.core.json_value import JsonValue
from fallax.core.taxonomies import keep_taxonomy, list_taxonomies, load_taxonomy
from fallax.core.types import NO_FALLACY
from fallax.core.types.taxonomy import Taxonomy
from fallax.errors import InputError, UnknownNameError, one_line

__all__ = [
    "JOBS",
    "Choice",
    "Job",
    "Question",
    "check_answer",
    "job_of",
    "label_tree",
    "set_taxonomy",
    "taxonomy_of",
]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer to a question, and its keyboard key."""

    value: str
    title: str
    key: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with fixed answers.

    Parameters
    ----------
    name : key of the answer.
    title : what is asked.
    choices : the answers; with ``many``, any number of them.
    required : an answer is needed before the item is done.
    """

    name: str
    title: str
    choices: tuple[Choice, ...]
    many: bool = False
    required: bool = True


@dataclass(frozen=True, slots=True)
class Job(JsonValue):
    """One kind of annotation.

    Parameters
    ----------
    name, title : of the job.
    about : what it is for, in a sentence.
    shows : fields of the item that are shown, each with its heading.
    marks : the field in which passages can be marked, or "".
    questions : empty for spans, whose labels come from a taxonomy.
    """

    name: str
    title: str
    about: str
    shows: tuple[tuple[str, str], ...]
    marks: str
    questions: tuple[Question, ...] = ()


def _choices(*pairs: tuple[str, str], keys: str = "") -> tuple[Choice, ...]:
    return tuple(Choice(v, t, keys[i] if keys else v[0]) for i, (v, t) in enumerate(pairs))


def _ambiguities() -> tuple[Choice, ...]:
    labels = list(load_taxonomy("ambiguity").labels)
    return tuple(Choice(x.name, x.name, k) for x, k in zip(labels, "bcdghijklopqrstvwz", strict=False))


def _jobs() -> dict[str, Job]:
    summary = (("document", "Document"), ("summary", "Summary"))
    return {
        job.name: job
        for job in (
            Job(
                "spans",
                "Fallacies in a text",
                "Mark passages; several labels of one passage mean any of these.",
                (("text", "Text"),),
                "text",
            ),
            Job(
                "faithfulness",
                "Faithfulness and ambiguity of a summary",
                "Does the document carry the summary? Can the summary be understood in several ways?",
                summary,
                "summary",
                (
                    Question(
                        "label", "Is it faithful?", _choices(("faithful", "faithful"), ("unfaithful", "unfaithful"))
                    ),
                    Question(
                        "ambiguous",
                        "Can it rightly be read both ways?",
                        _choices(("yes", "ambiguous"), ("no", "not ambiguous"), keys="yn"),
                    ),
                    Question("types", "Why is it ambiguous?", _ambiguities(), many=True, required=False),
                ),
            ),
            Job(
                "rating",
                "Rating from 0 to 3",
                "How well does the sentence show its fallacy?",
                (("text", "Sentence"), ("label", "Fallacy")),
                "",
                (
                    Question(
                        "rating",
                        "How good an example is it?",
                        _choices(
                            ("0", "0: not an example"),
                            ("1", "1: a weak one"),
                            ("2", "2: a clear one"),
                            ("3", "3: a very good one"),
                        ),
                    ),
                ),
            ),
            Job(
                "structure",
                "Review of an argument structure",
                "Does each step follow, and does the whole support the claim?",
                (("claim", "Claim"), ("structure", "Structure")),
                "",
                (
                    Question("valid", "Is the structure valid?", _choices(("yes", "valid"), ("no", "not valid"))),
                    Question(
                        "fault",
                        "What is wrong?",
                        _choices(
                            ("irrelevant", "a step is irrelevant"),
                            ("missing", "a step is missing"),
                            ("wrong", "a step is wrong"),
                            ("order", "the order is wrong"),
                            keys="imwo",
                        ),
                        many=True,
                        required=False,
                    ),
                ),
            ),
        )
    }


JOBS: Mapping[str, Job] = _jobs()


def job_of(store: AnnotationStore) -> Job:
    """What the annotators of a project are asked.

    Raises
    ------
    InputError
        If the project has no job yet, or one that this release does not know.
    """
    name = store.setting("job")
    if name not in JOBS:
        got = "none" if name is None else repr(one_line(name, 40))
        raise InputError(f"{store.path}: must be a project with a job ({', '.join(JOBS)}), got {got}")
    return JOBS[name]


def set_taxonomy(store: AnnotationStore, taxonomy: str) -> dict[str, Any]:
    """The settings that make a label set that of a project, which keeps one of your own with its labels.

    Raises
    ------
    InputError
        If an answer in the project has a label that the set has not.
    """
    labels = load_taxonomy(taxonomy)
    known = {x.name for x in labels.labels} | {NO_FALLACY}
    for answer in store.answers():
        used = {x for span in answer.value.get("spans", []) for x in span.get("labels", ())}
        if used - known:
            raise InputError(
                f"{store.path}: the label set {taxonomy!r} must have all labels of the answers in the project,"
                f" {one_line(answer.annotator, 40)!r} used {one_line(min(used - known), 60)!r}; add it to the set"
            )
    own = None if taxonomy in list_taxonomies() else labels.to_dict()
    return {"taxonomy": taxonomy, "label_set": own}


def taxonomy_of(store: AnnotationStore) -> str:
    """The label set of a project, by a name that :func:`fallax.core.taxonomies.load_taxonomy` knows.

    Raises
    ------
    InputError
        If another label set that is in use has its name.
    """
    own = store.setting("label_set")
    return str(store.setting("taxonomy", "mafalda")) if own is None else keep_taxonomy(Taxonomy.from_dict(own))


def label_tree(taxonomy: str) -> list[dict[str, Any]]:
    """The labels as a two-step menu: groups with a letter each, and labels with a letter each.

    Examples
    --------
    >>> tree = label_tree("mafalda")
    >>> [(g["name"], g["key"]) for g in tree]
    [('credibility', 'c'), ('emotion', 'e'), ('logic', 'l')]
    >>> tree[0]["labels"][0]["name"], tree[0]["labels"][0]["key"]
    ('ad hominem', 'a')
    """
    groups: dict[str, list[Any]] = {}
    for label in load_taxonomy(taxonomy).labels:
        groups.setdefault(label.groups[-1] if label.groups else "labels", []).append(label)
    names = _keyed(sorted(groups))
    found = []
    for group, key in names.items():
        own = {x.name: x for x in groups[group]}
        labels = [
            {"key": letter, "group": group, **own[name].to_dict()} for name, letter in _keyed(sorted(own)).items()
        ]
        found.append({"name": group, "key": key, "labels": labels})
    return found


def _keyed(names: Sequence[str]) -> dict[str, str]:
    """A distinct letter or digit for each name, from its own letters if possible; "" where all are taken."""
    used: set[str] = set()
    found = {}
    for name in names:
        letters = [*(c for c in name.lower() if c in _LETTERS), *_LETTERS, *"123456789"]
        found[name] = next((c for c in letters if c not in used), "")
        used.add(found[name])
    return found


def check_answer(job: Job, value: Any, item: Item, *, taxonomy: str, done: bool) -> dict[str, Any]:
    """Validate an answer: only fields and values that the job knows.

    Raises
    ------
    InputError, UnknownNameError
        If a span leaves its text, a label is not of the taxonomy, or an answer that is needed is missing.
    """
    if not isinstance(value, Mapping):
        raise InputError("value: must be an object")
    found: dict[str, Any] = {}
    if job.marks:
        found["spans"] = _spans(value.get("spans", []), str(item.payload.get(job.marks, "")), job, taxonomy)
    if job.name == "spans":
        found["nothing"] = bool(value.get("nothing", False))
        if found["nothing"] and found["spans"]:
            raise InputError(
                "nothing: a text with spans must not be marked as having none; remove the spans or the mark"
            )
        if done and not found["spans"] and not found["nothing"]:
            raise InputError("done: a text without spans must be marked as having none; press o (nothing here) first")
    for q in job.questions:
        given = value.get(q.name)
        known = {c.value for c in q.choices}
        chosen = [] if given is None else given if q.many else [given]
        if not isinstance(chosen, list) or not all(isinstance(x, str) and x in known for x in chosen):
            raise UnknownNameError(f"answer to {q.name}", one_line(given, 40), known)
        if done and q.required and not chosen:
            raise InputError(f"done: {q.title} must be answered")
        found[q.name] = sorted(set(chosen)) if q.many else (chosen[0] if chosen else None)
    for name in ("note", "reason"):
        text = value.get(name)
        if text:
            if not isinstance(text, str) or len(text) > 10_000:
                raise InputError(f"{name}: must be a text of at most 10,000 characters")
            found[name] = text
    decided = value.get("decisions")
    if isinstance(decided, Mapping):
        found["decisions"] = {
            str(k): {"rule": None if v.get("rule") is None else str(v["rule"]), "reason": v.get("reason")}
            for k, v in decided.items()
        }
    return found


def _spans(spans: Any, text: str, job: Job, taxonomy: str) -> list[dict[str, Any]]:
    if not isinstance(spans, list) or len(spans) > 2_000:
        raise InputError("spans: must be a list of at most 2,000 spans")
    known = {x.name for x in load_taxonomy(taxonomy).labels} | {NO_FALLACY} if job.name == "spans" else set()
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for i, span in enumerate(spans, start=1):
        if not isinstance(span, Mapping):
            raise InputError(f"span {i}: must be an object")
        start, end = span.get("start"), span.get("end")
        if type(start) is not int or type(end) is not int or not 0 <= start < end <= len(text):
            raise InputError(f"span {i}: must lie inside its text of {len(text)} characters, got {start!r}..{end!r}")
        if (start, end) in found:
            raise InputError(f"span {i}: is at {start}..{end}, like another one; add labels to that one instead")
        one: dict[str, Any] = {"start": start, "end": end}
        if job.name == "spans":
            labels = span.get("labels", [])
            if not isinstance(labels, list) or not labels:
                raise InputError(f"span {i}: must have at least one label, got none")
            for label in labels:
                if label not in known:
                    raise UnknownNameError("label", one_line(label, 60), known, where=f"span {i}")
            if set(labels) == {NO_FALLACY}:
                raise InputError(f"span {i}: {NO_FALLACY!r} needs a fallacy as an alternative; remove the span instead")
            one["labels"] = sorted(set(labels))
            one["slots"] = _slots(span.get("slots"), len(text))
        found[start, end] = one
    return [found[place] for place in sorted(found)]


def _slots(slots: Any, length: int) -> dict[str, dict[str, list[int]]]:
    """Label -> slot -> [start, end] of the words in the slot."""
    found: dict[str, dict[str, list[int]]] = {}
    for label, own in (slots or {}).items() if isinstance(slots, Mapping) else ():
        for slot, place in own.items() if isinstance(own, Mapping) else ():
            if (
                isinstance(place, list)
                and len(place) == 2
                and all(type(x) is int for x in place)
                and 0 <= place[0] < place[1] <= length
            ):
                found.setdefault(str(label), {})[str(slot)] = place
    return found
