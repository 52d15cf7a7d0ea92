"""Learns guidelines from labelled examples (Koupaee et al. 2025, appendix A.1.1).

Agents debate one example after another and say which general rules they judged by. The rules of those who were right
are collected, those of the others negated, near-duplicates merged; the next debate is given what there is so far. The
phase ends when no new rule has come for a while. The result is a file for a person to read and edit.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fallax.core.texts import plain_text
from fallax.core.types import ChatModel, FaithfulnessRecord, Transcript, Usage
from fallax.errors import InputError, one_line
from fallax.faithfulness.protocols.faithfulness import negation_prompt
from fallax.faithfulness.protocols.guidelines import Guidelines
from fallax.faithfulness.protocols.labels import read_between, without_thinking
from fallax.faithfulness.systems.debate import DebateJudge
from fallax.faithfulness.systems.settings import DebateSettings, check_count
from fallax.faithfulness.systems.units import ask

__all__ = ["Learned", "LearnedRule", "format_learned", "learn_guidelines"]

_LONGEST = 400


@dataclass(slots=True)
class LearnedRule:
    """A rule that agents cited, with its near-duplicates.

    Parameters
    ----------
    text : as it was first stated.
    right, wrong : how often an agent that used it was right, and wrong.
    records : ids of the examples it was used on.
    negated : the opposite, once it was asked for; it is what counts while ``wrong`` exceeds ``right``.
    asked : True once the opposite was asked for, whether or not it could be read.
    """

    text: str
    right: int = 0
    wrong: int = 0
    records: list[str] = field(default_factory=list)
    negated: str = ""
    asked: bool = False

    @property
    def misleads(self) -> bool:
        """True if the rule was cited by wrong answers more often than by right ones."""
        return self.wrong > self.right

    @property
    def current(self) -> str:
        """The rule, or its opposite if it misleads; "" if it misleads and has no opposite."""
        return self.negated if self.misleads else self.text


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of learning.

    Parameters
    ----------
    rules : all that were stated, in the order they came.
    n_examples : debates held, repeats included.
    stopped : "no new rule", "all passes done" or "enough rules".
    usage : what it cost.
    unreadable : negations that could not be read; their rules are left out.
    settings : what it depended on.
    """

    rules: tuple[LearnedRule, ...]
    n_examples: int
    stopped: str
    usage: Usage
    unreadable: tuple[str, ...]
    settings: dict[str, Any]

    @property
    def guidelines(self) -> Guidelines | None:
        """The guidelines after negation, without repeats; None if none is left."""
        items = tuple(dict.fromkeys(r.current for r in self.rules if r.current))
        return Guidelines(items, name="learned") if items else None


def _similarity(a: str, b: str) -> float:
    """The similarity of two rules, in [0, 1]: shared words in any order; 0 if only one is negated."""
    from rapidfuzz import fuzz

    denies = [bool(re.search(r"\b(?:not|no|never|without|cannot|n['’]t)\b|n['’]t\b", x, re.IGNORECASE)) for x in (a, b)]
    if denies[0] != denies[1]:
        return 0.0
    plain = [plain_text(x) for x in (a, b)]
    return float(fuzz.token_sort_ratio(*plain)) / 100


async def learn_guidelines(
    records: Sequence[FaithfulnessRecord],
    models: ChatModel | Sequence[ChatModel],
    *,
    settings: DebateSettings | None = None,
    passes: int = 3,
    patience: int | None = None,
    most: int = 50,
    min_similarity: float = 0.85,
    similarity: Callable[[str, str], float] = _similarity,
    progress: Callable[[int, int], None] | None = None,
) -> Learned:
    """Debate labelled examples one by one and collect the rules that agents cite.

    Parameters
    ----------
    records : labelled; both labels must occur.
    models : as for :class:`fallax.faithfulness.systems.DebateJudge`.
    settings : of the debates; their guidelines are what learning starts from (None: from nothing).
    passes : how often all examples may be gone through, each time in an order drawn again.
    patience : end after so many debates in a row without a new rule; None: as many as there are examples.
    most : end when so many rules are known.
    min_similarity, similarity : two rules are near-duplicates if their similarity, in [0, 1], is at least this. By
        default it is that of their words; rules of which only one denies are never near-duplicates.
    progress : called with (debates held, rules known).

    Returns
    -------
    Learned
        An interrupted session resumes from the cache of answers: the same records, models and settings ask the
        same questions.

    Raises
    ------
    InputError
        If the examples are not labelled or all have one label.
    ModelError
        If a model did not answer.
    """
    if not all(r.label for r in records) or len({r.label for r in records}) < 2:
        raise InputError("learning needs examples with labels of both kinds, faithful and unfaithful")
    for name, value in (("passes", passes), ("most", most), ("patience", 1 if patience is None else patience)):
        check_count(value, name, least=1, where="learning")
    base = settings if settings is not None else DebateSettings(level="summary")
    wait = len(records) if patience is None else patience
    order = random.Random(f"{base.seed}|learn")
    rules = [LearnedRule(item) for item in (base.guidelines.items if base.guidelines else ())]
    first = models[0] if isinstance(models, Sequence) else models
    usage, n_held, since_new = Usage(), 0, 0
    unreadable: list[str] = []
    used: dict[str, Any] = {}
    stopped = "all passes done"
    todo = [r for _ in range(passes) for r in order.sample(list(records), len(records))]
    for record in todo:
        known = tuple(dict.fromkeys(r.current for r in rules if r.current))
        given = Guidelines(known, name="learning") if known else None
        judge = DebateJudge(models, base.changed(guidelines=given, learn=True, level="summary"))
        used = judge.settings
        verdict = await judge.judge(record.document, record.summary)
        usage, n_held = usage + verdict.usage, n_held + 1
        n_before = len(rules)
        if verdict.transcript is not None:
            _collect(verdict.transcript, record, rules, similarity, min_similarity)
        for rule in rules:
            if rule.misleads and not rule.asked:
                rule.negated, cost = await _negate(rule.text, first, base)
                rule.asked, usage = True, usage + cost
                if not rule.negated:
                    unreadable.append(rule.text)
        since_new = 0 if len(rules) > n_before else since_new + 1
        if progress is not None:
            progress(n_held, len(rules))
        if len(rules) >= most or since_new >= wait:
            stopped = "enough rules" if len(rules) >= most else "no new rule"
            break
    return Learned(tuple(rules), n_held, stopped, usage, tuple(unreadable), used)


def _collect(
    transcript: Transcript,
    record: FaithfulnessRecord,
    rules: list[LearnedRule],
    similarity: Callable[[str, str], float],
    least: float,
) -> None:
    """Count the rules each agent cites in its last turn; agents without a label are ignored."""
    for session in transcript.sessions:
        for turn in session.rounds[-1].turns:
            if turn.label is None or turn.carried:
                continue
            for stated in turn.guidelines:
                text = " ".join(stated.split())
                if not 10 <= len(text) <= _LONGEST:
                    continue
                rule = next((r for r in rules if similarity(r.text, text) >= least), None)
                if rule is None and any(r.misleads and similarity(r.current, text) >= least for r in rules):
                    continue  # the opposite of a rule that misleads is known already
                if rule is None:
                    rule = LearnedRule(text)
                    rules.append(rule)
                if turn.label == record.label:
                    rule.right += 1
                else:
                    rule.wrong += 1
                if record.id not in rule.records:
                    rule.records.append(record.id)


async def _negate(text: str, model: ChatModel, settings: DebateSettings) -> tuple[str, Usage]:
    reply = await ask(model, negation_prompt(text), temperature=0.0, max_tokens=settings.max_tokens)
    answer = without_thinking(reply.text, cut=reply.stop_reason == "length")
    found = read_between(answer, "negated")
    text = " ".join(found[0].split()) if found else ""
    return (text if 10 <= len(text) <= _LONGEST else ""), reply.usage


def format_learned(learned: Learned, *, name: str = "learned") -> str:
    """The guidelines as a file for people: one rule a line, with its evidence in comments below.

    :func:`fallax.faithfulness.protocols.guidelines.load_guidelines` reads it; lines that are deleted or
    changed by hand count as they stand.
    """
    models = ", ".join(learned.settings.get("models", ()))
    lines = [
        f"# name: {one_line(name, 60)}",
        "# version: 1",
        f"# source: learned from {learned.n_examples} debates of {one_line(models, 200)}; ended: {learned.stopped}",
        "# Read every rule before it is used: strike out what is wrong, join what says the same.",
        "",
    ]
    number = 0
    for rule in learned.rules:
        where = ", ".join(one_line(i, 60) for i in rule.records[:5]) + (", …" if len(rule.records) > 5 else "")
        said = f"right {rule.right}, wrong {rule.wrong}" + (f"; used on {where}" if where else "; given at the start")
        if rule.current:
            number += 1
            lines.append(f"{number}. {one_line(rule.current, _LONGEST)}")
            lines.append(f"#    {said}" + (f"; opposite of: {one_line(rule.text, _LONGEST)}" if rule.misleads else ""))
        else:
            lines.append(f"# left out, it misleads and has no opposite: {one_line(rule.text, _LONGEST)} ({said})")
    return "\n".join(lines) + "\n"
