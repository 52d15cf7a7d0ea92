"""Prompts that build why-claims from causes and effects (Si et al. 2024, section 3.2, tables 11-14)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fallax.core.prompts import hash_of, read_prompt
from fallax.core.replies import bounded, without_think_blocks
from fallax.core.texts import fence
from fallax.core.types.messages import Message, Reply, Request
from fallax.core.types.structure import ArgumentStructure, Statement
from fallax.errors import ReplyError, one_line
from fallax.structures import fact_line, read_linking

__all__ = [
    "BUILD_PROMPTS",
    "MAX_EVIDENCE_WORDS",
    "claim_request",
    "evidence_request",
    "opposite_request",
    "prompt_hashes",
    "read_claim",
    "read_evidence_steps",
    "read_opposite",
    "read_structure_reply",
    "structure_request",
]

#: What each prompt is for.
BUILD_PROMPTS: Mapping[str, str] = {
    "build_claim.v1": "a claim from cause and effect",
    "build_evidence.v1": "evidence, step by step from cause to effect",
    "build_opposite.v1": "the counterfactual effect",
    "build_structure.v1": "the argument structure of the evidence",
}
#: The longest piece of evidence that is asked for, in words.
MAX_EVIDENCE_WORDS = 25
_GOALS = {
    True: "a claim that they support",
    False: "the refutation of a claim; the last piece of evidence on the way is linked into Claim all the same",
}


def prompt_hashes() -> dict[str, str]:
    """Name of each prompt -> twelve hex digits of its text."""
    return {name: hash_of(read_prompt("fallax.causality.protocols", name)) for name in BUILD_PROMPTS}


def _request(name: str, given: str, *, max_tokens: int, temperature: float, epoch: int, goal: str = "") -> Request:
    before, after = read_prompt("fallax.causality.protocols", name).split("{input}")
    content = before.replace("{goal}", goal) + given + after
    return Request((Message("user", content),), temperature=temperature, max_tokens=max_tokens, epoch=epoch)


_LEAD = r"\W*(?:(?:sure|ok(?:ay)?|well|regrettably|respectfully|unfortunately|however|but)\b[,.!:]*\s+)*"
#: How models say that they will not, at the start of what they say; and what they write in the place of an answer.
_REFUSAL = re.compile(
    _LEAD + r"(?:(?:i['’]?m|i am|we['’]re|we are) (?:(?:so|very|really|truly|deeply|just) )*"
    r"(?:sorry|afraid|unable|not able|not comfortable|an? (?:large |language )?(?:ai|language|model))\b"
    r"|sorry\b(?:[,.!]|,? (?:but|i|we|that|this)\b)|(?:my )?apologies\b|i apologi[sz]e\b"
    r"|(?:i|we) (?:can ?not|can['’]t|could not|couldn['’]t|won['’]t|will not)\b"
    r"|(?:i|we) (?:must |have to )?(?:respectfully )?(?:decline|refuse)\b"
    r"|(?:i|we)(?:['’]d| would) (?:rather|prefer) not\b|i (?:do not|don['’]t) (?:feel|think)\b"
    r"|it(?: is|['’]s) (?:not appropriate|inappropriate|not ethical|unethical|against my)\b"
    r"|it(?: is|['’]s) (?:not possible|impossible) to (?:write|generate|create|form|produce|make|give|answer)\b"
    r"|no (?:\w+ )?(?:claim|sentence|answer|opposite|inference) (?:is possible|(?:can|could) be "
    r"(?:written|generated|created|formed|produced|made|given|provided|found))\b"
    r"|my (?:guidelines|programming|instructions)\b|please (?:provide|give|share|supply|specify)\b"
    r"|as an? (?:ai|large language|language)\b"
    r"|(?:this|that|the|your) (?:request|content|prompt) (?:violates|goes against|is blocked)"
    r"|(?:this|that|the|your) request (?:can ?not|can['’]t|could not) be "
    r"(?:fulfilled|completed|processed|answered|granted)\b(?!.*\b(?:because|since|due|owing)\b)"
    r"|(?:the )?(?:content|response|output|completion|reply) (?:(?:is|was|has been) )?"
    r"(?:blocked|filtered|withheld|flagged|refused) (?:by|due|because|for)\b"
    r"|there (?:is|are) no (?:\w+ )?(?:claim|sentence|answer|inference)s? (?:that|which|to|for)\b|not applicable\b"
    r"|(?:es )?tut mir (?:sehr )?leid\b|entschuldigung\b|ich kann (?:das|dies\w*|ihnen|dir|hier|leider|dabei)\b"
    r"|lo siento\b|(?:je suis |nous sommes )?d[ée]sol[ée]e?s?\b|je ne (?:peux|puis) pas\b"
    r"|mi dispiace\b|(?:me )?desculpe\b|no puedo (?:ayudar|hacer|generar|escribir)\b"
    r"|(?:对不起|抱歉|很抱歉|我无法|我不能|申し訳|すみません|죄송)|извините\b"
    r"|error:|n/a\b|none\W*$|none of the (?:given|provided|above)\b"
    r"|[\[<]\s*(?:content |text )?(?:redacted|removed|withheld|omitted|blocked|filtered)\b"
    r"|[\[<]\s*(?:insert|write|add|put|enter|provide)\b[^\[\]<>]*?\b(?:claim|sentence|inference|answer|opposite|text)\b"
    r"|[\[<]\s*(?:(?:the|an?|my|your|no) (?:[\w-]+ )?)?(?:claim|sentence|inference|answer|opposite)"
    r"(?: (?:goes|comes|is|here|possible|removed|withheld|redacted))*\s*[.!]?[\]>]\W*$"
    r"|[\[{<\s]*(?:insert|your) (?:\w+ )?(?:claim|sentence|inference|answer) (?:goes )?here\b)",
    re.I,
)
#: Refusals too, unless the answer has its mark: a claim may well begin with "We can only".
_UNMARKED_REFUSAL = re.compile(_LEAD + r"(?:(?:i|we) can only|i (?:do not|don['’]t) (?:have|want|know))\b", re.I)
#: What a line without its mark may not have: it speaks of the task, or leads on to an answer that is not there.
_ABOUT_TASK = re.compile(
    r"^\W*(?:this|that|your|such an?) (?:request|claim|task|prompt)\b"
    r"|\b(?:i|we|as|one)\b(?:\W+\w+){0,8}?\W+(?:this|that|your|such an?) (?:request|claim|task|prompt)\b"
    r"|\b(?:your|such an?) (?:request|claim|prompt)\b|:\W*$",
    re.I,
)


def _said(reply: Reply) -> str:
    """A reply without its thinking; refusals and empty answers are errors, so that they are asked again."""
    if reply.stop_reason in ("refusal", "content_filter"):
        raise ReplyError(f"must be an answer, got a refusal ({reply.stop_reason})", raw=reply.text)
    text = bounded(without_think_blocks(reply.text))
    if not text.strip(" \t\n`*#.-"):
        raise ReplyError("must be an answer, got an empty one", raw=reply.text)
    return text


def _check_refusal(text: str, raw: str, *, marked: bool = False) -> None:
    """Raise ReplyError if a model refuses; ``marked`` where the text stood behind its mark, as ``Claim:``."""
    if _REFUSAL.match(text) or (not marked and _UNMARKED_REFUSAL.match(text)):
        raise ReplyError(f"must be an answer, got a refusal: {one_line(text, 60)!r}", raw=raw)


def _one_line(reply: Reply, name: str, max_words: int) -> str:
    text = _said(reply)
    lines = [x.strip() for x in text.splitlines() if x.strip(" \t`*#")]
    named = [m[1] for x in lines if (m := re.match(rf"\W*{name}(?: sentence)?\W*:\W*?\s*(\S.*)", x, re.I))]
    if len(set(named)) > 1:
        raise ReplyError(f"must have one line '{name}:', got {len(named)}", raw=reply.text)
    if not named:
        _check_refusal(text.strip(), reply.text)
        if len(lines) == 1 and _ABOUT_TASK.search(lines[0]):
            raise ReplyError(f"must be an answer, got a remark on the task: {one_line(lines[0], 60)!r}", raw=reply.text)
    if not named and len(lines) != 1:
        raise ReplyError(f"must have a line '{name}:', got {len(lines)} lines without it", raw=reply.text)
    found = " ".join((named or lines)[0].split()).strip("*`{} ")
    if re.fullmatch(r"\[[^\[\]]*\]|<[^<>]*>", found) and not _REFUSAL.match(found):
        found = found[1:-1].strip()
    if len(found) > 1 and found[0] in "\"'“" and found[-1] in "\"'”":
        found = found[1:-1].strip()
    _check_refusal(found, reply.text, marked=bool(named))
    n_words = len(found.split())
    if not 3 <= n_words <= max_words:
        raise ReplyError(f"must be a sentence of 3 to {max_words} words, got {n_words}", raw=reply.text)
    return found


def claim_request(cause: str, effect: str, *, temperature: float = 0.7, epoch: int = 0) -> Request:
    """Ask for a claim (table 11)."""
    given = fence(cause, "cause") + "\n" + fence(effect, "effect")
    return _request("build_claim.v1", given, max_tokens=120, temperature=temperature, epoch=epoch)


def read_claim(reply: Reply) -> str:
    """The claim of a reply.

    Raises
    ------
    ReplyError
        If there is none, several, or one of fewer than 3 or more than 80 words; or the model refused.

    Examples
    --------
    >>> read_claim(Reply('Claim: "Frost left the orchard bare."'))
    'Frost left the orchard bare.'
    """
    return _one_line(reply, "claim", 80)


def evidence_request(
    cause: str, effect: str, explanation: str = "", *, temperature: float = 0.7, epoch: int = 0
) -> Request:
    """Ask for evidence in steps of thought, action and inference (table 12)."""
    given = fence(cause, "cause") + "\n" + fence(effect, "effect")
    if explanation.strip():
        given += "\n" + fence(explanation, "explanation")
    return _request("build_evidence.v1", given, max_tokens=900, temperature=temperature, epoch=epoch)


_STEP = re.compile(r"[\s*#>-]*(thought|action|inference)\s*(\d*)[\s*]*[:.][\s*]*(.*)", re.I)


def read_evidence_steps(reply: Reply) -> list[dict[str, str]]:
    r"""The steps of a reply: "thought", "action" and "inference" of each, where it has them.

    Raises
    ------
    ReplyError
        If fewer than two steps have an inference, one is said twice, or one is longer than twice what was asked for.

    Examples
    --------
    >>> steps = read_evidence_steps(Reply("Thought1: x\nInference1: Frost fell.\n**Inference 2:** Blossom died."))
    >>> [s["inference"] for s in steps]
    ['Frost fell.', 'Blossom died.']
    """
    steps: list[dict[str, str]] = []
    at = ""
    text = _said(reply)
    for line in text.splitlines():
        found = _STEP.match(line)
        if found is None:
            if at and line.strip() and steps:
                steps[-1][at] = f"{steps[-1][at]} {line.strip()}".strip()
            elif not line.strip():
                at = ""
            continue
        at = found[1].lower()
        number = found[2]
        new = not steps or at in steps[-1] or (number and steps[-1].get("number", number) != number)
        if new:
            steps.append({})
        if number:
            steps[-1]["number"] = number
        steps[-1][at] = found[3].strip(" *")
    for step in steps:
        step.pop("number", None)
        if "finish" in step.get("action", "").lower():
            step.pop("inference", None)
    said = [s["inference"] for s in steps if s.get("inference")]
    if not said:
        _check_refusal(text.strip(), reply.text)
    for inference in said:
        _check_refusal(inference, reply.text, marked=True)
    if len(said) < 2:
        raise ReplyError(f"must have two inferences or more, got {len(said)}", raw=reply.text)
    if len({" ".join(x.lower().split()) for x in said}) < len(said):
        raise ReplyError("no inference may be said twice", raw=reply.text)
    for text in said:
        if len(text.split()) > 2 * MAX_EVIDENCE_WORDS:
            raise ReplyError(
                f"an inference must have at most {MAX_EVIDENCE_WORDS} words, got {len(text.split())}", raw=reply.text
            )
    return steps


def opposite_request(sentence: str, *, temperature: float = 0.7, epoch: int = 0) -> Request:
    """Ask for the counterfactual effect (table 13)."""
    return _request(
        "build_opposite.v1", fence(sentence, "sentence"), max_tokens=120, temperature=temperature, epoch=epoch
    )


def read_opposite(reply: Reply) -> str:
    """Read the counterfactual effect of a reply; as :func:`read_claim`."""
    return _one_line(reply, "opposite", 80)


def structure_request(claim: str, evidence: Sequence[Statement], *, supports: bool, epoch: int = 0) -> Request:
    """Ask for the structure (table 14); the evidence must be named as Python names things."""
    lines = [fact_line("Claim", claim), *(fact_line(e.id, e.text) for e in evidence)]
    return _request(
        "build_structure.v1", fence("\n".join(lines), "input"), max_tokens=500, temperature=0.0, epoch=epoch,
        goal=_GOALS[supports],
    )  # fmt: skip


def read_structure_reply(reply: Reply, claim: str, evidence: Sequence[Statement]) -> ArgumentStructure:
    """The structure of a reply.

    Raises
    ------
    ReplyError
        If there is none, it names evidence that was not given, or it has a problem (a cycle, a dead end, ...).
    """
    text = _said(reply)
    found = read_linking(reply.text, claim=claim, evidence=evidence)
    if found.structure is None:
        _check_refusal(text.strip(), reply.text)
        raise ReplyError(found.reason, raw=reply.text)
    given = {e.id for e in evidence}
    for n in found.structure.evidence:
        if n.id not in given:
            raise ReplyError(f"node {n.id[:60]!r}: must be given evidence", raw=reply.text)
    for problem in found.structure.problems:
        raise ReplyError(problem, raw=reply.text)
    return found.structure
