"""Shows verdicts on summaries, and debates, on a terminal and as a page."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.text import Text

from fallax._version import __version__
from fallax.core.types import (
    Ambiguity,
    Debate,
    Faithfulness,
    FaithfulnessVerdict,
    Fault,
    Session,
    Turn,
    UnitVerdict,
    majority,
)
from fallax.render.html import environment
from fallax.render.terminal import safe

__all__ = ["verdict_page", "verdict_text"]

_STYLES = {
    "faithful": "bold green",
    "unfaithful": "bold red",
    "ambiguous": "bold yellow",
    None: "bold",
}


#: The probability at the end of a local judge's reason.
_OF_SENTENCE = re.compile(r" \(probability \d\.\d+\)$")
#: What notes of the parts of a long document hold.
_OF_DOCUMENT = re.compile(r"\bof the document\b")


class _Indented:
    """Indented text; lines stay whole if the console does not wrap."""

    def __init__(self, inner: RenderableType, by: int) -> None:
        self.inner = inner
        self.by = by

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if console.soft_wrap and isinstance(self.inner, Text):
            for line in self.inner.split("\n"):
                yield Text(" " * self.by) + line
        elif console.soft_wrap and isinstance(self.inner, Group):
            for part in self.inner.renderables:
                more = part.by if isinstance(part, _Indented) else 0
                yield _Indented(part.inner if isinstance(part, _Indented) else part, self.by + more)
        else:
            yield Padding(self.inner, (0, 0, 0, self.by))


def _numbered(verdict: FaithfulnessVerdict) -> list[tuple[int, Fault]]:
    """The faults, each with the number of its sentence; those of one unit are counted."""
    if len(verdict.units) == 1:
        return list(enumerate(verdict.faults, start=1))
    units = [(n, u) for n, u in enumerate(verdict.units, start=1) if not u.is_ambiguous]
    return [(n, f) for n, u in units for f in u.faults]


def _cut(verdict: FaithfulnessVerdict, summary: str) -> list[tuple[str, int | None]]:
    """The summary as (piece, number of its fault); faults do not overlap."""
    pieces: list[tuple[str, int | None]] = []
    at = 0
    for number, fault in _numbered(verdict):
        start = max(at, fault.start)
        pieces += [(summary[at:start], None), (summary[start : fault.end], number)]
        at = max(at, fault.end)
    pieces.append((summary[at:], None))
    return [(text, number) for text, number in pieces if text]


def _passages(verdict: FaithfulnessVerdict, document: str) -> list[tuple[str, int, tuple[tuple[int, str], ...]]]:
    """The document as (piece, number of the passage or 0, ((number of the sentence, stance), ...)).

    Passages that verdicts rest on are numbered from 1; of two that overlap the later is cut.
    """
    said: dict[tuple[int, int], list[tuple[int, str]]] = {}
    for number, unit in enumerate(verdict.units, start=1):
        for e in unit.evidence:
            if 0 <= e.start < e.end <= len(document):
                said.setdefault((e.start, e.end), []).append((number, e.stance))
    pieces: list[tuple[str, int, tuple[tuple[int, str], ...]]] = []
    at = 0
    for number, ((start, end), units) in enumerate(sorted(said.items()), start=1):
        start = max(at, start)
        pieces += [(document[at:start], 0, ()), (document[start:end], number, tuple(units))]
        at = max(at, end)
    pieces.append((document[at:], 0, ()))
    return [p for p in pieces if p[0]]


def _marked(verdict: FaithfulnessVerdict, summary: str, document: str) -> list[tuple[str, int, str, int]]:
    """The summary as (piece, number of the sentence or 0, style, number of its first passage or 0)."""
    first: dict[int, int] = {}
    for _, number, units in _passages(verdict, document):
        for place, _ in units:
            first.setdefault(place, number)
    pieces: list[tuple[str, int, str, int]] = []
    at = 0
    for number, unit in enumerate(verdict.units, start=1):
        start = max(at, unit.start)
        shown = "ambiguous" if unit.is_ambiguous else unit.label or "undecided"
        pieces += [(summary[at:start], 0, "", 0), (summary[start : unit.end], number, shown, first.get(number, 0))]
        at = max(at, unit.end)
    pieces.append((summary[at:], 0, "", 0))
    return [p for p in pieces if p[0]]


def _called(verdict: FaithfulnessVerdict) -> str:
    """The verdict in a word; "cannot tell" for a local judge, "undecided" for a debate."""
    return verdict.label or _no_label(verdict)


def _no_label(verdict: FaithfulnessVerdict) -> str:
    return "undecided" if verdict.n_replies else "cannot tell"


def _unit_called(verdict: FaithfulnessVerdict, unit: UnitVerdict) -> str:
    return "ambiguous" if unit.is_ambiguous else unit.label or _no_label(verdict)


def _why(verdict: FaithfulnessVerdict) -> str:
    """Why there is no verdict, without the words "cannot tell", which are the verdict.

    A local judge gives the reason of one sentence with that sentence's probability, which is left out: it stands beside
    the sentence.
    """
    if verdict.n_replies:
        return verdict.unscored
    return _reason(verdict.unscored)


def _reason(unscored: str) -> str:
    return _OF_SENTENCE.sub("", unscored).removeprefix("cannot tell: ")


def _why_not(verdict: FaithfulnessVerdict, unit: UnitVerdict) -> str:
    """Why one of several sentences has no verdict, without its probability, which stands beside it; else ""."""
    if unit.label is not None or len(verdict.units) == 1:
        return ""
    return unit.unscored if verdict.n_replies else _reason(unit.unscored)


def _band(verdict: FaithfulnessVerdict) -> str:
    """Which probabilities are a verdict, where a sentence has one in between; else ""."""
    low, high = verdict.settings.get("band") or (1.0, 0.0)
    if not any(u.label is None and u.probability is not None and low < u.probability < high for u in verdict.units):
        return ""
    return f"{high:.2f} or more is faithful, {low:.2f} or less unfaithful, between them: cannot tell"


def _evidence(verdict: FaithfulnessVerdict) -> list[RenderableType]:
    """What each verdict rests on: passages with offsets, unsupported words, and why it cannot be told."""
    parts: list[RenderableType] = []
    shown_units = [
        (n, u) for n, u in enumerate(verdict.units, start=1) if u.evidence or u.unsupported or _why_not(verdict, u)
    ]
    if any(u.probability is not None for _, u in shown_units):
        parts.append(Text("\nEach sentence, with the probability that it is faithful:", style="dim"))
        if band := _band(verdict):
            parts.append(Text(band, style="dim"))
    for number, unit in shown_units:
        line = Text("\n")
        if len(verdict.units) > 1:
            line.append(f"[{number}] ", style="bold")
        line.append(_unit_called(verdict, unit), style=_STYLES["ambiguous" if unit.is_ambiguous else unit.label])
        if unit.probability is not None:
            line.append(f" {unit.probability:.2f}", style="dim")
        line.append(f"  {' '.join(safe(unit.text).split())}", style="italic")
        more = Text()
        if why := _why_not(verdict, unit):
            more.append(f"why: {safe(why)}\n")
        if unit.unsupported:
            more.append("not supported: " + ", ".join(safe(w.text) for w in unit.unsupported) + "\n")
        for e in unit.evidence:
            more.append(f"{e.stance} ", style="bold")
            more.append(f"{' '.join(safe(e.text).split())}")
            more.append(f"  [{e.start}:{e.end}]\n", style="dim")
        more.rstrip()
        parts += [line, _Indented(more, 4)]
    return parts


def _note(said: str) -> str:
    """A note as a line of its own; which parts of a document were read follows "Read"."""
    return f"Read: {said}" if _OF_DOCUMENT.search(said) else f"Note: {said}"


def _cost(verdict: FaithfulnessVerdict) -> str:
    usage = verdict.usage
    if not usage.calls:
        return ""
    cost = "" if not usage.cost else f", {usage.cost:.4f} US dollars"
    return f"{usage.calls} calls, {usage.prompt_tokens:,} + {usage.completion_tokens:,} tokens{cost}"


def _bad(verdict: FaithfulnessVerdict) -> str:
    n = len(verdict.unreadable)
    return f"{n} of {verdict.n_replies} replies could not be read." if n else ""


def verdict_text(
    verdict: FaithfulnessVerdict, *, summary: str, transcript: bool = True, brackets: bool = False
) -> RenderableType:
    """The verdict, faulty sentences with reasons, ambiguity, and the debate.

    Parameters
    ----------
    verdict : what a judge said.
    summary : what it was said of.
    transcript : also show the debate, where there was one.
    brackets : also put each sentence at fault between ⟦ and ⟧, for where colours cannot be seen.
    """
    head = Text()
    head.append(_called(verdict), style=_STYLES[verdict.label])
    if verdict.probability is not None:
        head.append(f"  probability {verdict.probability:.2f} that the whole summary is faithful", style="dim")
    head.append(f"  ({safe(verdict.judge)})", style="dim")
    if why := _why(verdict):
        head.append(f"\n{safe(why)}")
    body = Text("\n")
    for text, number in _cut(verdict, summary):
        if number is None:
            body.append(safe(text))
        else:
            body.append(f"⟦{safe(text)}⟧" if brackets else safe(text), style="underline red")
            body.append(f"[{number}]", style="bold")
    body.rstrip()
    parts: list[RenderableType] = [head, body]
    for number, fault in _numbered(verdict):
        line = Text()
        line.append(f"\n[{number}] ", style="bold")
        line.append(safe(fault.text), style="italic")
        parts += [line, _Indented(Text(safe(fault.reason) or "(no reason given)"), 4)]
    parts += _evidence(verdict)
    parts += [_ambiguity(u.ambiguity, u.text) for u in verdict.units if u.ambiguity is not None and u.is_ambiguous]
    parts += [Text(f"\n{safe(_note(note))}", style="dim") for note in verdict.notes]
    parts += [Text(f"\n{line}", style="dim") for line in (_bad(verdict), _cost(verdict)) if line]
    if transcript and verdict.transcript is not None:
        parts += [_debate(d) for d in verdict.transcript.debates]
    return Group(*parts)


def _ambiguity(found: Ambiguity, text: str) -> RenderableType:
    line = Text()
    line.append("\nambiguous ", style=_STYLES["ambiguous"])
    line.append(safe(text), style="italic")
    more = Text()
    more.append("; ".join(found.types), style="bold")
    for reading in found.readings:
        more.append(f"\n- {safe(reading.text)}")
        more.append(f"  ({reading.label})" if reading.label else "", style="dim")
    if found.explanation:
        more.append(f"\n{safe(found.explanation)}")
    return Group(line, _Indented(more, 4))


def _debate(debate: Debate) -> RenderableType:
    head = Text()
    head.append("\nDebate: ", style="bold")
    head.append(safe(debate.text), style="italic")
    if debate.part:
        head.append(f"  [{safe(debate.part)}]", style="dim")
    parts: list[RenderableType] = [head]
    for number, session in enumerate(debate.sessions, start=1):
        name = f"session {number} of {len(debate.sessions)}, " if len(debate.sessions) > 1 else ""
        parts.append(_Indented(_session(session, name), 2))
    if vote := _vote(debate):
        end = Text("together ", style="dim")
        end.append(debate.label or "undecided", style=_STYLES[debate.label])
        end.append(f" ({vote})", style="dim")
        parts.append(_Indented(end, 2))
    return Group(*parts)


def _vote(debate: Debate) -> str:
    """The votes of sessions or agents, and of adjudicators after a tie; "" without a vote."""
    if len(debate.sessions) == 1 and debate.sessions[0].label == debate.label:
        return ""
    labels: dict[str, list[Faithfulness | None]] = {
        "sessions": [s.label for s in debate.sessions],
        "agents": [label for s in debate.sessions for label in s.rounds[-1].labels],
    }
    first, second = ("sessions", "agents") if debate.vote == "debate" else ("agents", "sessions")
    asked = [first] if majority(labels[first]) else [first, second]
    return "; ".join(f"vote of {kind}: {_counted(labels[kind])}" for kind in asked)


def _counted(labels: list[Faithfulness | None]) -> str:
    counts = Counter(label or "undecided" for label in labels)
    return ", ".join(f"{n} {label}" for label, n in counts.most_common())


def _session(session: Session, name: str) -> Group:
    parts: list[RenderableType] = []
    for number, a_round in enumerate(session.rounds, start=1):
        asked = " (asked to be more open to each other)" if a_round.intervened else ""
        parts.append(Text(f"{name}round {number}{asked}", style="dim"))
        for turn, stance in zip(a_round.turns, session.stances, strict=True):
            starts = f"starts {stance}, " if number == 1 and stance else ""
            parts += _turn(turn, f"agent {turn.agent}: {starts}says ")
    if session.adjudications:
        parts.append(Text(f"{name}adjudication", style="dim"))
    for turn in session.adjudications:
        parts += _turn(turn, f"adjudicator {turn.agent}: ")
    end = Text(f"{name}ends ", style="dim")
    end.append(session.label or "undecided", style=_STYLES[session.label])
    if session.label:
        end.append(f" by {session.decided}", style="dim")
    return Group(*parts, end)


def _turn(turn: Turn, before: str) -> list[RenderableType]:
    line = Text(before)
    line.append(turn.label or "nothing that could be read", style=_STYLES[turn.label])
    if turn.unreadable:
        line.append(f" ({safe(turn.unreadable)}{'; its last label is kept' if turn.carried else ''})", style="dim")
    said = Text(" ".join(safe(turn.explanation).split()))
    return [line, _Indented(said, 4)] if turn.explanation else [line]


def verdict_page(
    verdict: FaithfulnessVerdict, *, summary: str, document: str = "", title: str = "fallax: is it faithful?"
) -> str:
    """An HTML page with the verdict and the debate.

    Parameters
    ----------
    verdict, summary : what was said, and of what.
    document : shown below, where it is given.
    title : the page's heading.

    Returns
    -------
    str
        HTML with its style inside, without script, and with a content security policy that forbids both script and
        network. All texts are escaped.

    Examples
    --------
    >>> from fallax.core.types import UnitVerdict
    >>> page = verdict_page(FaithfulnessVerdict("j", (UnitVerdict(0, 3, "<b>", "faithful"),)), summary="<b>")
    >>> "<b>" in page, "&lt;b&gt;" in page
    (False, True)
    """
    values: dict[str, Any] = {
        "title": title,
        "version": __version__,
        "verdict": verdict,
        "called": _called(verdict),
        "why": _why(verdict),
        "pieces": _cut(verdict, summary),
        "faults": _numbered(verdict),
        "band": _band(verdict),
        "no_label": _no_label(verdict),
        "reasons": [_why_not(verdict, u) for u in verdict.units],
        "notes": [_note(n) for n in verdict.notes],
        "evidence": any(u.evidence or u.unsupported for u in verdict.units),
        "sentences": _marked(verdict, summary, document) if len(verdict.units) > 1 or len(verdict.faults) < 2 else [],
        "passages": _passages(verdict, document),
        "document": document,
        "cost": _cost(verdict),
        "bad": _bad(verdict),
        "debates": [] if verdict.transcript is None else [(d, _vote(d)) for d in verdict.transcript.debates],
    }
    return environment().get_template("verdict.html").render(**values)
