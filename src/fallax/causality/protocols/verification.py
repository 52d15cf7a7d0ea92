"""Protocols for verifying why-claims: the four tasks of CheckWhy (Si et al. 2024, section 5) and a pipeline."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from fallax.core.prompts import hash_of, read_prompt
from fallax.core.replies import bounded, without_think_blocks
from fallax.core.texts import fence
from fallax.core.types.causal import CausalClaim, Evidence, Verdict
from fallax.core.types.messages import ChatModel, Message, Reply, Request, Usage
from fallax.core.types.structure import ArgumentStructure, Link, Statement
from fallax.core.types.verification import Verification
from fallax.errors import InputError, UnknownNameError, one_line
from fallax.structures import fact_line, format_structure, parse_verdict, read_linking

__all__ = [
    "STAND_IN",
    "VERIFY_PROTOCOLS",
    "PipelineProtocol",
    "VerificationProtocol",
    "VerifyProtocol",
    "read_verdict",
    "rename_nodes",
    "verification_protocol",
]

#: name -> what a model is given and asked for.
VERIFY_PROTOCOLS: Mapping[str, str] = {
    "task-1": "claim and leaf evidence; the verdict",
    "task-2": "claim, leaf evidence and the structure; the verdict",
    "task-3": "claim and all evidence; the structure and the verdict",
    "task-4": "claim and leaf evidence; the structure with new intermediate evidence, and the verdict",
    "pipeline-3": "the structure as in task 3, then the verdict as in task 2 with that structure",
    "pipeline-4": "the structure as in task 4, then the verdict as in task 2 with that structure",
}
_PROMPTS = {
    "task-1": "verify_label.v2",
    "task-2": "verify_given_structure.v2",
    "task-3": "verify_link_all.v2",
    "task-4": "verify_link_leaves.v2",
}
_SAID: Mapping[Verdict, str] = {"supports": "SUPPORTS", "refutes": "REFUTES", "nei": "NOT ENOUGH INFO"}
_MEANS: Mapping[Verdict, str] = {
    "supports": "the cause it names leads to the effect it names",
    "refutes": "the cause it names leads to the opposite of that effect, or to something that rules it out",
    "nei": "neither can be concluded, or the evidence says both",
}
_THINK = "First reason step by step, in a few short sentences. "
_MISSING = (
    "If the verdict is NOT ENOUGH INFO, say what is missing, one line for each piece, each beginning with # MISSING: "
)
_MAX_MISSING = 20
#: A reply that every task can read, for dry runs: the second question of a pipeline needs a structure.
STAND_IN = 'def build_tree_proof():\n    one_to_one_linking(Sentence1, Claim)\n    print("SUPPORTS")'
#: The example of the third verdict, so that no verdict stands more often than another; its evidence breaks off.
_NEI_INPUT = """
<input>
Claim = FACT("The hotel closed in January because the ferry stopped running.")
Sentence1 = FACT("The hotel stands beside the pier.")
Sentence2 = FACT("The ferry stopped running in January.")
Sentence3 = FACT("The hotel has twelve rooms.")
"""


class VerificationProtocol(Protocol):
    """A protocol for verifying a claim."""

    @property
    def name(self) -> str:
        """The name in signatures, with the version of its prompt."""

    @property
    def prompt_hashes(self) -> Mapping[str, str]:
        """Prompt name -> hash (twelve hex digits) of all fixed text."""

    async def verify(self, claim: CausalClaim, model: ChatModel) -> Verification:
        """Ask the model and read its replies; model errors propagate."""


def verification_protocol(
    name: str, *, classes: int = 3, reasoning: bool = False, max_tokens: int | None = None
) -> VerificationProtocol:
    """A protocol of :data:`VERIFY_PROTOCOLS`.

    Parameters
    ----------
    classes : 3 verdicts, or 2 without "not enough info". The paper has 2 wherever there is a structure.
    reasoning : let the model think aloud first (chain of thought).
    max_tokens : the longest reply.

    Raises
    ------
    UnknownNameError
        If there is no such protocol.
    """
    if name not in VERIFY_PROTOCOLS:
        raise UnknownNameError("protocol", name, VERIFY_PROTOCOLS)
    if name.startswith("pipeline"):
        first = VerifyProtocol(
            f"task-{name[-1]}", classes=classes, reasoning=reasoning, max_tokens=max_tokens, label=False
        )
        return PipelineProtocol(first, VerifyProtocol("task-2", classes=classes, reasoning=reasoning))
    return VerifyProtocol(name, classes=classes, reasoning=reasoning, max_tokens=max_tokens)


def rename_nodes(structure: ArgumentStructure, names: Mapping[str, str]) -> ArgumentStructure:
    """Rename nodes; if two nodes would get the same id, the one not renamed gets a mark.

    Examples
    --------
    >>> chain = ArgumentStructure(Statement("Claim"), (Statement("A"),), (Link("A", "Claim"),))
    >>> str(rename_nodes(chain, {"A": "E1"}).links[0])
    'E1 -> Claim'
    """
    taken = {names[n.id] for n in structure.nodes if n.id in names}
    new = dict(names)
    for n in structure.nodes:
        if n.id not in names:
            name = n.id
            while name in taken:
                name += "_"
            taken.add(name)
            new[n.id] = name

    def node(n: Statement) -> Statement:
        return Statement(new[n.id], n.text)

    return ArgumentStructure(
        None if structure.claim is None else node(structure.claim),
        tuple(node(n) for n in structure.evidence),
        tuple(
            Link(tuple(new[i] for i in x.sources), tuple(new[i] for i in x.targets), x.relation)
            for x in structure.links
        ),
    )


_TIERS = (
    re.compile(r"print\(\s*[\"']([^\"'\n]{1,60})[\"']\s*\)"),
    re.compile(r"^[\s>*_#`-]*(?:final\s+)?(?:verdict|label|answer|result)\W*[:=]\s*(.{1,60}?)\s*$", re.I | re.M),
    re.compile(r"\"(?:verdict|label|answer)\"\s*:\s*\"([^\"\n]{1,60})\"", re.I),
    re.compile(r"\{([A-Za-z _]{3,30})\}"),
    re.compile(r"\A\s*(.{1,60}?)\s*\Z"),
    re.compile(r"(.{1,60}?)\s*\Z"),
    re.compile(r"\b(SUPPORTS|REFUTES|NOT ENOUGH INFO(?:RMATION)?)\b"),
)


def read_verdict(text: str, allowed: Sequence[Verdict]) -> tuple[Verdict | None, str]:
    r"""The verdict in a reply, or None and the reason.

    A printed verdict is looked for first, then a line ``Verdict: ...``, JSON, braces, a reply or a last line that is
    nothing else, and words in capitals anywhere. Different verdicts of one kind are not chosen from, and a verdict that
    was not offered is none.

    Examples
    --------
    >>> read_verdict("It all fits.\nVerdict: **Supports**.", ("supports", "refutes"))
    ('supports', '')
    >>> read_verdict("SUPPORTS, or perhaps REFUTES", ("supports", "refutes"))
    (None, 'several verdicts: REFUTES, SUPPORTS')
    """
    said = bounded(without_think_blocks(text[-20_000:]))
    lines = [line for line in said.splitlines() if line.strip(" \t`")]
    last = lines[-1] if lines else ""
    for tier, pattern in enumerate(_TIERS):
        where = last if tier == 5 else said
        found = sorted({v for m in pattern.findall(where) if (v := parse_verdict(m))})
        if len(found) > 1:
            return None, f"several verdicts: {', '.join(sorted(_SAID[cast('Verdict', v)] for v in found))}"
        if found:
            verdict = cast("Verdict", found[0])
            if verdict not in allowed:
                return None, f"the verdict {_SAID[verdict]} was not offered"
            return verdict, ""
    return None, "no verdict was found"


def _read_missing(text: str) -> tuple[str, ...]:
    found = re.findall(r"^[\s#*>-]*MISSING\s*:\s*(\S.*?)\s*$", bounded(text), re.I | re.M)
    return tuple(dict.fromkeys(one_line(x, 300) for x in found))[:_MAX_MISSING]


def _example_nei(task: str) -> str:
    """The prompt's example of a claim without enough evidence."""
    if task in ("task-1", "task-2"):
        drawn = "def build_tree_proof():\n    one_to_one_linking(Sentence2, Claim)\n" if task == "task-2" else ""
        answer = "# MISSING: whether guests had another way to the hotel\nVerdict: NOT ENOUGH INFO"
        return f"{_NEI_INPUT}{drawn}</input>\n\n{answer}\n"
    body = '    # MISSING: whether guests had another way to the hotel\n    print("NOT ENOUGH INFO")'
    return f"{_NEI_INPUT}</input>\n\n```python\ndef build_tree_proof():\n{body}\n```\n"


class VerifyProtocol:
    r"""One of the tasks 1 to 4, in one question.

    Parameters
    ----------
    task : "task-1" to "task-4", see :data:`VERIFY_PROTOCOLS`.
    classes : 3 verdicts, or 2 without "not enough info".
    reasoning : let the model think aloud first.
    max_tokens : the longest reply; by default 64 for tasks 1 and 2, or 512 with reasoning, and 1024 for 3 and 4.
    label : False asks tasks 3 and 4 for the structure alone.

    Notes
    -----
    What a model sees of a piece of evidence is a number and its text, so its id gives nothing away. Evidence stands in
    the order of the claim. Where the reply is about a structure, whatever it declares anew for evidence that was given
    is skipped.

    Examples
    --------
    >>> claim = CausalClaim("c", "Rain made it late.", (Evidence("rain", "It rained."),))
    >>> protocol = VerifyProtocol("task-3", classes=2)
    >>> reply = Reply('one_to_one_linking(Sentence1, Claim)\nprint("SUPPORTS")')
    >>> found = protocol.read(claim, reply)
    >>> found.label, [str(link) for link in found.structure.links]
    ('supports', ['rain -> Claim'])
    """

    def __init__(
        self,
        task: str = "task-4",
        *,
        classes: int = 3,
        reasoning: bool = False,
        max_tokens: int | None = None,
        label: bool = True,
    ) -> None:
        if task not in _PROMPTS:
            raise UnknownNameError("task", task, _PROMPTS)
        if classes not in (2, 3):
            raise InputError(f"classes must be 2 or 3, got {classes!r}")
        if not label and task in ("task-1", "task-2"):
            raise InputError(f"{task}: must ask for a verdict, as it asks for nothing else")
        self.task = task
        self.label = label
        self.draws = task in ("task-3", "task-4")
        self.verdicts: tuple[Verdict, ...] = ("supports", "refutes") if classes == 2 else ("supports", "refutes", "nei")
        self.max_tokens = max_tokens or (1024 if self.draws else 512 if reasoning or classes == 3 else 64)
        names = ", ".join(_SAID[v] for v in self.verdicts[:-1]) + f" or {_SAID[self.verdicts[-1]]}"
        filled = {
            "verdicts": "\n".join(f"- {_SAID[v]}: {_MEANS[v]}" for v in self.verdicts),
            "names": names,
            "thinking": _THINK if reasoning else "",
            "missing": _MISSING.strip() + "\n" if classes == 3 and label else "",
            "example_end": '    print("SUPPORTS")' if label else "",
            "example_refuted_end": '    print("REFUTES")' if label else "",
            "example_nei": _example_nei(task) if classes == 3 and label else "",
            "ending": f'End it with print("...") of the verdict: {names}.' if label else "Do not print a verdict.",
        }
        before, after = read_prompt("fallax.causality.protocols", _PROMPTS[task]).split("{input}")
        self._before, self._after = (re.sub(r"\{(\w+)\}", lambda m: filled[m[1]], part) for part in (before, after))

    @property
    def name(self) -> str:
        """``verify-task-4.v2`` and the like."""
        return f"verify-{self.task}.v2"

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt."""
        return hash_of(self._before, self._after)

    @property
    def prompt_hashes(self) -> Mapping[str, str]:
        """The one prompt."""
        return {_PROMPTS[self.task]: self.prompt_hash}

    def shown(self, claim: CausalClaim) -> tuple[Evidence, ...]:
        """The evidence that the task gives: all in task 3, else everything except intermediates."""
        return claim.evidence if self.task == "task-3" else claim.leaf_evidence

    def request(self, claim: CausalClaim, structure: ArgumentStructure | None = None) -> Request:
        """The request to the model.

        Parameters
        ----------
        structure : for task 2, what the model is given; by default the claim's own.

        Raises
        ------
        InputError
            If task 2 has no structure, or there is no evidence.
        """
        shown = self.shown(claim)
        if not shown:
            raise InputError(f"claim {one_line(claim.id, 60)!r}: must have evidence, got none")
        names = {e.id: f"Sentence{i}" for i, e in enumerate(shown, start=1)}
        lines = [fact_line("Claim", claim.claim)]
        lines += [fact_line(names[e.id], e.text) for e in shown]
        if self.task == "task-2":
            given = structure or claim.structure
            if given is None:
                raise InputError(f"claim {one_line(claim.id, 60)!r}: must have a structure for task 2, got none")
            lines += _drawn(given, names)
        content = self._before + fence("\n".join(lines), "input") + self._after
        return Request((Message("user", content),), temperature=0.0, max_tokens=self.max_tokens)

    def read(self, claim: CausalClaim, reply: Reply) -> Verification:
        """Read the reply; unreadable parts get a reason."""
        shown = self.shown(claim)
        cut = " (the reply was cut at its token limit)" if reply.stop_reason == "length" else ""
        structure, reason, label, no_label = None, "", None, "no verdict was asked for"
        notes: tuple[str, ...] = ()
        if self.draws:
            given = {f"Sentence{i}": e.text for i, e in enumerate(shown, start=1)}
            reading = read_linking(reply.text, claim=claim.claim, evidence=given)
            structure, notes = reading.structure, reading.notes
            reason = reading.reason + cut if structure is None else ""
            if structure is not None:
                structure = rename_nodes(structure, {f"Sentence{i}": e.id for i, e in enumerate(shown, start=1)})
        if self.label:
            label, no_label = read_verdict(reply.text, self.verdicts)
            no_label += cut if no_label else ""
        return Verification(
            claim.claim, shown, label, structure, _read_missing(reply.text), self.name, notes=notes,
            no_label=no_label, no_structure=reason, usage=reply.usage,
        )  # fmt: skip

    async def verify(self, claim: CausalClaim, model: ChatModel) -> Verification:
        """Ask once."""
        return self.read(claim, await model.generate(self.request(claim)))


def _drawn(structure: ArgumentStructure, names: Mapping[str, str]) -> list[str]:
    """A structure as code: first the declarations not yet shown, then the links."""
    number = len(names)
    new = {n.id: names[n.id] for n in structure.nodes if n.id in names}
    lines = []
    for n in structure.evidence:
        if n.id not in new:
            number += 1
            new[n.id] = f"Sentence{number}"
            lines.append(fact_line(new[n.id], n.text))
    if structure.claim is not None:
        new[structure.claim.id] = "Claim"
    code = format_structure(rename_nodes(structure, new), format="linking").text.splitlines()
    at = next(i for i, line in enumerate(code) if line.startswith("def "))
    return [*lines, *code[at:]]


class PipelineProtocol:
    """First the structure, then the verdict with that structure (Si et al. 2024, appendix B, table 7).

    Parameters
    ----------
    first : task 3 or 4 without its verdict.
    second : task 2.

    Notes
    -----
    Where the first reply has no structure, the second question is not asked and there is no verdict, with that reason.
    """

    def __init__(self, first: VerifyProtocol, second: VerifyProtocol) -> None:
        self.first = first
        self.second = second

    @property
    def name(self) -> str:
        """``verify-pipeline-4.v2`` and the like."""
        return f"verify-pipeline-{self.first.task[-1]}.v2"

    @property
    def prompt_hashes(self) -> Mapping[str, str]:
        """Both prompts."""
        return {**self.first.prompt_hashes, **self.second.prompt_hashes}

    async def verify(self, claim: CausalClaim, model: ChatModel) -> Verification:
        """Ask for the structure, then for the verdict."""
        drawn = self.first.read(claim, await model.generate(self.first.request(claim)))
        if drawn.structure is None:
            reason = f"first question: {drawn.no_structure}"
            return _stage(drawn, None, reason, (), self.name, drawn.usage)
        reply = await model.generate(self.second.request(claim, drawn.structure))
        judged = self.second.read(claim, reply)
        usage = drawn.usage + judged.usage
        return _stage(drawn, judged.label, judged.no_label, judged.missing, self.name, usage)


def _stage(
    drawn: Verification, label: Verdict | None, no_label: str, missing: tuple[str, ...], name: str, usage: Usage
) -> Verification:
    return Verification(
        drawn.claim, drawn.evidence, label, drawn.structure, missing, name, notes=drawn.notes, no_label=no_label,
        no_structure=drawn.no_structure, usage=usage,
    )  # fmt: skip
