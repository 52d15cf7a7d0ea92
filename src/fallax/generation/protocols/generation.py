"""Protocols of generation: facts, sentences from derivations, free sentences, votes on claims.

Source: Xu et al. 2025 (arXiv:2504.12312), algorithm 1 and the prompts of tables 5 to 8: facts of one instance stand
together and comments explain each predicate. What a model writes is read as data; a program that it writes is kept as
text and never run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from fallax.core.prompts import hash_of, read_prompt
from fallax.core.replies import extract_json, without_think_blocks
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import fence
from fallax.core.types import Derivation, Fact, FactReading, Label, Message, Reply, Request
from fallax.core.whole import packaged_toml
from fallax.errors import ReplyError
from fallax.oracle import Phrases, ReadLimits, RuleBase, load_rule_base, read_facts

__all__ = [
    "NUMBERED_SCHEMA",
    "ArgumentToSay",
    "ConclusionProtocol",
    "DirectProtocol",
    "FactsProtocol",
    "ProgramProtocol",
    "SentencesProtocol",
    "VoteProtocol",
    "example_sentences",
    "numbered_sentences",
]

#: What a model may send as facts in one reply.
LIMITS = ReadLimits(max_bytes=400_000, max_facts=4_000)

#: Refusals that are returned to the model; all are counted.
MAX_RETURNED = 40

#: Topics already used that are named to the model; the latest.
MAX_TOPICS = 60

_SENTENCES_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"sentences": {"type": "array", "items": {"type": "string"}}},
    "required": ["sentences"],
}

NUMBERED_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"n": {"type": "integer"}, "text": {"type": "string"}},
                "required": ["n", "text"],
            },
        }
    },
    "required": ["sentences"],
}


@cache
def _examples() -> Mapping[str, Sequence[str]]:
    return packaged_toml("fallax.generation.protocols", "prompts", "generation_examples.v1.toml")


def example_sentences(fallacy: str) -> tuple[str, ...]:
    """Fallacious example sentences written for this project, as style examples for models.

    Examples
    --------
    >>> len(example_sentences("FS"))
    5
    """
    return tuple(_examples()[load_rule_base("strict").resolve(fallacy)])


def _label(fallacy: str) -> Label:
    taxonomy = load_taxonomy("smartypat")
    return taxonomy[taxonomy.resolve(fallacy)]


def _bullets(texts: Iterable[str]) -> str:
    return "\n".join(f"- {t}" for t in texts)


def _unthought(text: str) -> str:
    return without_think_blocks(text)


def _inside_fences(text: str) -> str:
    """The contents of code fences if there are any, else the whole text."""
    text = _unthought(text)
    blocks = re.findall(r"^```\w*[ \t]*\n(.*?)(?:^```|\Z)", text, re.DOTALL | re.MULTILINE)
    return "\n".join(blocks) if blocks else text


class FactsProtocol:
    r"""Asks for new facts of one fallacy, parses them as data, and sends refused facts back once (tables 3, 6).

    Parameters
    ----------
    fallacy : one type of the rule base.
    examples : facts of whole instances (of a rule base without instances: any facts) to learn from.
    rules : the rule base.
    n : combinations to ask for.

    Examples
    --------
    >>> from fallax.oracle import seed_facts
    >>> protocol = FactsProtocol("WD", [f for f in seed_facts("WD") if f.args[0] == "wd01"], n=5)
    >>> "Generate 5 new Wrong Direction" in protocol.request().messages[0].content
    True
    >>> protocol.read(Reply("instance(n1, wrong_direction, \"ducks\").\n:- halt.")).n_refused
    1
    """

    def __init__(self, fallacy: str, examples: Sequence[Fact], *, rules: str = "strict", n: int = 20) -> None:
        self.base = load_rule_base(rules)
        self.fallacy = self.base.resolve(fallacy)
        self.n = n
        schema = self.base.schemas[self.fallacy]
        label = _label(self.fallacy)
        self._prompt = (
            read_prompt("fallax.generation.protocols", "generation_facts.v1")
            .replace("{label}", label.name)
            .replace("{definition}", label.definition)
            .replace("{meaning}", schema.meaning)
            .replace("{twin}", f"The sound argument: {schema.twin}.\n" if schema.twin else "")
            .replace("{predicates}", _predicates(self.base, self.fallacy))
            .replace("{rules}", _rules(self.base, self.fallacy))
            .replace("{examples}", _commented(self.base, examples))
            .replace("{demands}", _demands(self.base))
            .replace("{n}", str(n))
        )
        self._refused = read_prompt("fallax.generation.protocols", "generation_refused.v1")

    @property
    def name(self) -> str:
        """``generation-facts.v1``."""
        return "generation-facts.v1"

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt with its examples."""
        return hash_of(self._prompt, self._refused)

    def request(self, topics: Sequence[str] = (), *, seed: int | None = None, epoch: int = 0) -> Request:
        """The request; ``topics`` are already used, ``epoch`` distinguishes repeated questions."""
        content = self._prompt.replace("{topics}", "; ".join(("those of the examples", *topics[-MAX_TOPICS:])))
        return Request((Message("user", content),), seed=seed, epoch=epoch)

    def read(self, reply: Reply) -> FactReading:
        """Parse the facts of a reply; returns also what was refused. Nothing is executed."""
        return read_facts(_inside_fences(reply.text), rule_base=self.base, limits=LIMITS)

    def returned(self, request: Request, reply: Reply, reading: FactReading) -> Request:
        """The request that returns refused facts with reasons."""
        more = reading.n_refused - len(reading.refused[:MAX_RETURNED])
        shown = [str(r) for r in reading.refused[:MAX_RETURNED]] + ([f"and {more} more"] if more > 0 else [])
        content = self._refused.replace("{refused}", fence(_bullets(shown), "refused"))
        return replace(
            request, messages=(*request.messages, Message("assistant", reply.text), Message("user", content))
        )

    def merge(self, first: FactReading, second: FactReading) -> tuple[Fact, ...]:
        """Merge the facts of both replies; a resent instance replaces the first."""
        if not self.base.instances:
            return tuple(dict.fromkeys((*first.facts, *second.facts)))
        again = {f.args[0] for f in second.facts}
        return (*(f for f in first.facts if f.args[0] not in again), *second.facts)


def _predicates(base: RuleBase, fallacy: str) -> str:
    schema = base.schemas[fallacy]
    rows = []
    if base.instances:
        rows.append('instance(id, fallacy, "topic")  % opens a combination; the id comes first in all of its facts')
        for d in schema.declarations:
            phrases = ", ".join(f'"{a.name}"' for a in d.arguments[2:])
            rows.append(f"{d.name}(id, atom, {phrases})  % names a {d.name}; its words: {d.meaning}")
    rows += [f"{p}  % {p.meaning}" for p in schema.predicates]
    return "\n".join(rows)


def _rules(base: RuleBase, fallacy: str) -> str:
    """The rules of one fallacy, as in the rule file."""
    clauses = re.findall(rf"^argue\({fallacy}, .*?\.$", base.rules, re.MULTILINE | re.DOTALL)
    return "\n".join(clauses)


def _demands(base: RuleBase) -> str:
    if not base.instances:
        return (
            "- Write only facts of these predicates; arguments are lower-case atoms of words joined by underscores.\n"
            "- Put the facts of one combination together, each with a comment (%) that says what it means."
        )
    return _bullets(
        (
            "One combination is one block. It begins with its instance fact; ids are n1, n2, n3 and so on.",
            "Declare every atom once in its combination, before it is used; phrases stand in mid-sentence, without a"
            " capital unless a name has one, and without a full stop.",
            "State everything that the rules need for the fallacy and for its sound twin; every statement ends in true"
            " or false. Never state the conclusion.",
            "State only what is true in the world, and reasons that settle the matter for any reader.",
        )
    )


def _commented(base: RuleBase, facts: Sequence[Fact]) -> str:
    """Facts by instance, each statement with an English comment."""
    said = Phrases(base, facts)
    rows: list[str] = []
    for fact in facts:
        kind = base.predicates[fact.predicate].kind
        if kind == "instance" and rows:
            rows.append("")
        if kind == "statement":
            words = said.reading(fact) if base.instances else _as_words(base, fact)
            rows.append(f"{fact}.  % this means: {words}")
        else:
            rows.append(f"{fact}.")
    return "\n".join(rows)


def _as_words(base: RuleBase, fact: Fact) -> str:
    schema = base.predicates[fact.predicate]
    said = Phrases(base, ())
    places = ", ".join(f"{a.name}: {said.of('', v)}" for a, v in zip(schema.arguments, fact.args, strict=True))
    return f"{schema.meaning.partition(': ')[2] or schema.meaning} ({places})"


@dataclass(frozen=True, slots=True)
class ArgumentToSay:
    """An argument to word.

    Parameters
    ----------
    derivation : its premises and its conclusion.
    phrases : what the text must say.
    """

    derivation: Derivation
    phrases: tuple[str, ...]

    def shown(self, n: int) -> str:
        """The argument in the form shown to the model."""
        d = self.derivation
        readings = d.readings if any(d.readings) else tuple(str(f) for f in d.facts)
        rows = [f"argument {n}", *(f"  {f}.  % {r}" for f, r in zip(d.facts, readings, strict=True))]
        rows.append(f"  therefore: {d.conclusion}  % {d.conclusion_reading or d.conclusion}")
        rows.append("  say:")
        rows += [f"    - {phrase}" for phrase in self.phrases]
        return "\n".join(rows)


class SentencesProtocol:
    """Asks to word derivations in the style of examples; asks once more for omitted arguments (table 7).

    Parameters
    ----------
    fallacy : one type.
    examples : sentences whose style is to be followed; by default :func:`example_sentences`.
    """

    def __init__(self, fallacy: str, examples: Sequence[str] | None = None) -> None:
        self.fallacy = load_rule_base("strict").resolve(fallacy)
        texts = example_sentences(self.fallacy) if examples is None else examples
        self._prompt = read_prompt("fallax.generation.protocols", "generation_sentences.v1").replace(
            "{examples}", _bullets(texts)
        )
        self._missing = read_prompt("fallax.generation.protocols", "generation_missing.v1")

    @property
    def name(self) -> str:
        """``generation-sentences.v1``."""
        return "generation-sentences.v1"

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt with its examples."""
        return hash_of(self._prompt, self._missing)

    def request(self, arguments: Sequence[ArgumentToSay], *, seed: int | None = None) -> Request:
        """The request for one text per argument, numbered from 1."""
        shown = fence("\n\n".join(a.shown(n) for n, a in enumerate(arguments, start=1)), "arguments")
        content = self._prompt.replace("{arguments}", shown)
        return Request((Message("user", content),), seed=seed, json_schema=NUMBERED_SCHEMA)

    def read(self, reply: Reply) -> dict[int, str]:
        """The texts by number.

        Raises
        ------
        ReplyError
            If there is no JSON of the asked shape in the reply.
        """
        return numbered_sentences(reply)

    def repair(self, request: Request, reply: Reply, missing: Mapping[int, Sequence[str]]) -> Request:
        """The request to repeat texts that omit something or are missing."""
        rows = [f"{n}: " + "; ".join(f'"{p}"' for p in phrases) for n, phrases in sorted(missing.items())]
        content = self._missing.replace("{missing}", fence(_bullets(rows), "missing"))
        return replace(
            request, messages=(*request.messages, Message("assistant", reply.text), Message("user", content))
        )


def numbered_sentences(reply: Reply) -> dict[int, str]:
    """The texts of a reply by number, with single blanks between words.

    Raises
    ------
    ReplyError
        If there is no JSON of the shape of :data:`NUMBERED_SCHEMA` in the reply.
    """
    found: dict[int, str] = {}
    for item in _sentences_in(reply):
        if isinstance(item, Mapping) and isinstance(item.get("text"), str) and type(item.get("n")) is int:
            found[item["n"]] = " ".join(item["text"].split())
    return found


def _sentences_in(reply: Reply) -> list[Any]:
    try:
        value = extract_json(reply.text)
    except ValueError as error:
        raise ReplyError(f"{error}{reply.cut_note}", raw=reply.text) from None
    items = value.get("sentences") if isinstance(value, Mapping) else value
    if not isinstance(items, list):
        raise ReplyError("the JSON must hold a list named 'sentences'", raw=reply.text)
    return items


def _plain_sentences(reply: Reply) -> tuple[str, ...]:
    texts = (" ".join(s.split()) for s in _sentences_in(reply) if isinstance(s, str))
    return tuple(t for t in texts if t)


class DirectProtocol:
    """Asks for new sentences from a fallacy's definition and examples: FallacyGen-Direct (table 5).

    Parameters
    ----------
    fallacy : one type.
    examples : sentences that commit it; by default :func:`example_sentences`.
    n : sentences to ask for.
    """

    name = "generation-direct.v1"
    _file = "generation_direct.v1"

    def __init__(self, fallacy: str, examples: Sequence[str] | None = None, *, n: int = 20) -> None:
        self.fallacy = load_rule_base("strict").resolve(fallacy)
        self.n = n
        self.examples = tuple(example_sentences(self.fallacy) if examples is None else examples)
        label = _label(self.fallacy)
        self._label_name = label.name
        self._prompt = (
            read_prompt("fallax.generation.protocols", self._file)
            .replace("{examples}", _bullets(self.examples))
            .replace("{label}", label.name)
            .replace("{definition}", label.definition)
            .replace("{n}", str(n))
        )

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt with its examples."""
        return hash_of(self._prompt)

    def request(self, used: Sequence[str] = (), *, seed: int | None = None, epoch: int = 0) -> Request:
        """The request; ``used`` are earlier sentences."""
        more = " and of these: " + fence(_bullets(used[-MAX_TOPICS:]), "made") if used else ""
        content = self._prompt.replace("{topics}", more)
        return Request((Message("user", content),), seed=seed, epoch=epoch, json_schema=_SENTENCES_SCHEMA)

    def read(self, reply: Reply) -> tuple[str, ...]:
        """Read the sentences.

        Raises
        ------
        ReplyError
            If there is no JSON of the asked shape in the reply.
        """
        return _plain_sentences(reply)


class ProgramProtocol(DirectProtocol):
    """Asks for a Prolog program, then for sentences from it: FallacyGen-Prolog (table 8).

    As in the paper, nothing constrains or checks the program. It is kept as text and never run.
    """

    name = "generation-program.v1"
    _file = "generation_program.v1"

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompts with their examples."""
        return hash_of(self._prompt, read_prompt("fallax.generation.protocols", "generation_program_sentences.v1"))

    def request(self, used: Sequence[str] = (), *, seed: int | None = None, epoch: int = 0) -> Request:
        """The request for the program; ``used`` are earlier sentences."""
        more = "3. Choose topics other than those of: " + fence(_bullets(used[-MAX_TOPICS:]), "made") if used else ""
        content = self._prompt.replace("{topics}", more)
        return Request((Message("user", content),), seed=seed, epoch=epoch)

    def read_program(self, reply: Reply) -> str:
        """The program as text."""
        return _inside_fences(reply.text).strip()

    def sentences(self, request: Request, reply: Reply) -> Request:
        """The request for sentences from the program."""
        content = read_prompt("fallax.generation.protocols", "generation_program_sentences.v1").replace(
            "{n}", str(self.n)
        )
        content = content.replace("{label}", self._label_name)
        messages = (*request.messages, Message("assistant", reply.text), Message("user", content))
        return replace(request, messages=messages, json_schema=_SENTENCES_SCHEMA)


class ConclusionProtocol:
    """Asks which of two conclusions a text draws, in both orders, so that guesses seldom pass.

    That a text says all arguments does not show that it puts them in their places: a model may turn a cause and its
    effect round because that is truer. The other conclusion is that of the twin, or of the fallacy.

    Examples
    --------
    >>> protocol = ConclusionProtocol()
    >>> len(protocol.requests("Mills make wind.", "mills make wind", "wind turns mills"))
    2
    >>> [protocol.read([Reply(a), Reply(b)]) for a, b in (("A", "B."), ("A", "A"), ("N", "B"), ("?", "B"))]
    [True, False, False, False]
    """

    name = "generation-conclusion.v1"

    def __init__(self) -> None:
        self._prompt = read_prompt("fallax.generation.protocols", "generation_conclusion.v1")

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt."""
        return hash_of(self._prompt)

    def requests(self, text: str, right: str, other: str, *, seed: int | None = None) -> tuple[Request, Request]:
        """The two requests: the right conclusion first, then second."""
        shown = self._prompt.replace("{text}", fence(text, "text"))
        first, second = (
            Request((Message("user", shown.replace("{first}", a).replace("{second}", b)),), temperature=0.0, seed=seed)
            for a, b in ((right, other), (other, right))
        )
        return first, second

    def read(self, replies: Sequence[Reply]) -> bool:
        """True if both replies name the right conclusion; unreadable replies do not."""
        said = [re.findall(r"\b([ABN])\b", _unthought(r.text)) for r in replies]
        return [set(s) for s in said] == [{"A"}, {"B"}]


class VoteProtocol:
    """Asks whether a statement is true; for a claim and for its negation.

    Examples
    --------
    >>> protocol = VoteProtocol()
    >>> [protocol.read(Reply(t)) for t in ("Yes.", "NO", "unsure", "<think>no?</think> yes", "perhaps")]
    ['yes', 'no', 'unsure', 'yes', None]
    """

    name = "generation-vote.v1"

    def __init__(self) -> None:
        self._prompt = read_prompt("fallax.generation.protocols", "generation_vote.v1")

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt."""
        return hash_of(self._prompt)

    def request(self, statement: str, *, epoch: int = 0, seed: int | None = None) -> Request:
        """The request for one vote; ``epoch`` distinguishes repeated ones."""
        content = self._prompt.replace("{statement}", fence(statement, "statement"))
        return Request((Message("user", content),), epoch=epoch, seed=seed)

    def read(self, reply: Reply) -> str | None:
        """Read ``yes``, ``no``, ``unsure``; None if the reply contains none or several of them."""
        said = set(re.findall(r"\b(yes|no|unsure)\b", _unthought(reply.text).lower()))
        return said.pop() if len(said) == 1 else None
