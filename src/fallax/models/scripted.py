"""A model that answers by rules, for tests, examples, and trying a protocol without a model."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from fallax.core.types.messages import Reply, Request, TokenLogprob, Usage
from fallax.core.whole import lines_of, read_whole
from fallax.errors import (
    AuthenticationError,
    BudgetError,
    ContentFilterError,
    ContextLengthError,
    EndpointError,
    FormatError,
    InputError,
    MissingExtraError,
    ModelError,
    ModelTimeoutError,
    RateLimitError,
    UnknownNameError,
    one_line,
)
from fallax.models.tokens import estimate_prompt_tokens, estimate_tokens

__all__ = ["Rule", "ScriptStep", "ScriptedModel", "read_rules"]

Answer = str | Reply | ModelError
Answerer = Callable[[Request], Answer | Awaitable[Answer]]

ERRORS: dict[str, type[ModelError]] = {
    "authentication": AuthenticationError,
    "budget": BudgetError,
    "content_filter": ContentFilterError,
    "context_length": ContextLengthError,
    "endpoint": EndpointError,
    "model": ModelError,
    "rate_limit": RateLimitError,
    "timeout": ModelTimeoutError,
}


_KINDS: dict[str, tuple[type, ...]] = {
    "a text": (str,),
    "a number": (int, float),
    "a whole number": (int,),
    "true or false": (bool,),
    "an object": (Mapping,),
    "a list": (list, tuple),
}


def _check_kinds(value: Mapping[str, Any], kinds: Mapping[str, str], of: str = "") -> None:
    """Check the type of a field; "or none" allows None."""
    for name in kinds.keys() & value.keys():
        kind = kinds[name].removesuffix(" or none")
        if value[name] is None and kind != kinds[name]:
            continue
        if not isinstance(value[name], _KINDS[kind]) or (isinstance(value[name], bool) and bool not in _KINDS[kind]):
            raise InputError(f"{name!r}{of} must be {kind}, got {one_line(repr(value[name]), 40)}")


_OF_STEP = {
    **dict.fromkeys(("reply", "reasoning", "stop_reason", "message"), "a text"),
    "error": "a text or none",
    "latency": "a number",
    "retry_after": "a number or none",
    "retryable": "true or false or none",
    "usage": "an object or none",
    "logprobs": "a list or none",
}
_OF_USAGE = {name: "a number or none" if name == "cost" else "a whole number" for name in Usage.__dataclass_fields__}
_OF_TOKEN = {"token": "a text", "logprob": "a number", "top": "an object"}


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """One step of a rule: an answer or an error, optionally after a delay.

    Parameters
    ----------
    reply : the text of the answer.
    reasoning, stop_reason, logprobs : as in :class:`fallax.core.types.messages.Reply`.
    latency : seconds to wait first, 0 or more.
    error : raise this instead: one of the names in ``ERRORS``.
    message : the text of the error.
    retry_after : seconds, for ``rate_limit``.
    retryable : for an error, whether the same call may succeed later; None leaves the kind's own default.
    usage : what the answer costs; None: one call and the tokens of :func:`fallax.models.tokens.estimate_tokens`.
    """

    reply: str = ""
    reasoning: str = ""
    stop_reason: str = "stop"
    logprobs: tuple[TokenLogprob, ...] | None = None
    latency: float = 0.0
    error: str | None = None
    message: str = "scripted error"
    retry_after: float | None = None
    retryable: bool | None = None
    usage: Usage | None = None

    def __post_init__(self) -> None:
        if self.error is not None and self.error not in ERRORS:
            raise UnknownNameError("scripted error", self.error, ERRORS)
        if not self.latency >= 0:
            raise InputError(f"latency must be 0 or more seconds, got {self.latency!r}")

    @classmethod
    def from_value(cls, value: object) -> ScriptStep:
        """A step from a text (the reply) or a mapping of the fields."""
        if isinstance(value, ScriptStep):
            return value
        if isinstance(value, str):
            return cls(reply=value)
        if not isinstance(value, Mapping):
            raise InputError(f"a reply must be a text or a mapping, got {one_line(repr(value), 60)}")
        known = dict(value)
        unknown = known.keys() - set(cls.__dataclass_fields__)
        if unknown:
            raise UnknownNameError("key of a scripted reply", sorted(unknown)[0], cls.__dataclass_fields__)
        given = known.get("usage")
        _check_kinds({**known, "usage": None} if isinstance(given, Usage) else known, _OF_STEP, " of a scripted reply")
        try:
            if isinstance(given, Mapping):
                _check_kinds(given, _OF_USAGE, " of usage")
                known["usage"] = Usage(**{"calls": 1, **given})
            if known.get("logprobs") is not None:
                known["logprobs"] = tuple(_token(token) for token in known["logprobs"])
        except TypeError as error:
            raise InputError(
                f"usage and logprobs of a scripted reply must have the fields of theirs: {error}"
            ) from None
        return cls(**known)

    def exception(self, provider: str) -> ModelError:
        """The error to raise."""
        kind = ERRORS[self.error or "model"]
        if issubclass(kind, RateLimitError):
            return kind(self.message, provider=provider, retry_after=self.retry_after)
        return kind(self.message, provider=provider, retryable=self.retryable)


def _token(value: object) -> TokenLogprob:
    if isinstance(value, TokenLogprob):
        return value
    if not isinstance(value, Mapping):
        raise InputError(f"'logprobs' of a scripted reply must be a list of objects, got {one_line(repr(value), 40)}")
    _check_kinds(value, _OF_TOKEN, " of logprobs")
    return TokenLogprob(**value)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: if a request matches, give this answer.

    Parameters
    ----------
    steps : what happens at the first match, the second, ...; at least one.
    match : a text that must occur; regex : a pattern that must be found. Both given: both must hold; none: all match.
    where : look in the ``last`` message or in ``any``.
    then : after the last step ``repeat`` it, ``cycle`` from the first, or raise an ``error``.
    by : steps are taken by ``call``, in the order in which they come, or by the request's ``epoch``, whatever the
        order.
    """

    steps: tuple[ScriptStep, ...]
    match: str | None = None
    regex: str | None = None
    where: Literal["last", "any"] = "last"
    then: Literal["repeat", "cycle", "error"] = "repeat"
    by: Literal["call", "epoch"] = "call"
    _pattern: re.Pattern[str] | None = field(init=False, repr=False, compare=False, default=None)

    def __post_init__(self) -> None:
        if not self.steps:
            raise InputError("a rule must have a reply, replies or an error, got none")
        for name, allowed in (("where", ("last", "any")), ("then", ("repeat", "cycle", "error")), ("by", _BY)):
            if getattr(self, name) not in allowed:
                raise UnknownNameError(f"value of {name!r}", getattr(self, name), allowed)
        if self.regex is not None:
            try:
                object.__setattr__(self, "_pattern", re.compile(self.regex, re.DOTALL))
            except re.error as error:
                raise InputError(f"regex must be a regular expression, got {self.regex!r}: {error}") from None

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Rule:
        """Read a rule: ``match``, ``regex``, ``where``, ``then``, ``by`` and ``replies`` or the fields of one step.

        Examples
        --------
        >>> Rule.from_dict({"match": "capital", "reply": "Paris"}).steps[0].reply
        'Paris'
        """
        if not isinstance(value, Mapping):
            raise InputError(f"a rule must be a mapping, got {one_line(repr(value), 60)}")
        _check_kinds(value, {"match": "a text or none", "regex": "a text or none"})
        own = {k: value[k] for k in ("match", "regex", "where", "then", "by") if k in value}
        rest = {k: v for k, v in value.items() if k not in own}
        if "replies" in rest:
            if len(rest) > 1 or not isinstance(rest["replies"], (list, tuple)):
                raise InputError("a rule must have either a list of 'replies' or the keys of a single reply, not both")
            return cls(tuple(ScriptStep.from_value(step) for step in rest["replies"]), **own)
        return cls((ScriptStep.from_value(rest),) if rest else (), **own)

    def matches(self, request: Request) -> bool:
        """True if a request matches this rule."""
        messages = request.messages[-1:] if self.where == "last" else request.messages
        texts = [m.content for m in messages]
        if self.match is not None and not any(self.match in text for text in texts):
            return False
        return self._pattern is None or any(self._pattern.search(text) for text in texts)


_BY = ("call", "epoch")


class ScriptedModel:
    """A model that answers by the first matching rule or by a function; ``requests`` keeps what was asked.

    Parameters
    ----------
    rules : rules, mappings that :meth:`Rule.from_dict` reads, or a function (async or not) from a request to a text,
        a :class:`Reply` or an error to raise.
    name : its name in records.
    keep_requests : False keeps nothing in ``requests``, for runs of any length.

    Examples
    --------
    >>> import asyncio
    >>> from fallax.core.types.messages import Message
    >>> model = ScriptedModel([{"match": "France", "reply": "Paris"}, {"reply": "I do not know"}])
    >>> ask = lambda text: asyncio.run(model.generate(Request((Message("user", text),)))).text
    >>> ask("The capital of France?"), ask("The capital of Atlantis?")
    ('Paris', 'I do not know')
    """

    def __init__(
        self,
        rules: Iterable[Rule | Mapping[str, Any]] | Answerer,
        *,
        name: str = "scripted:rules",
        keep_requests: bool = True,
    ) -> None:
        self._name = name
        self._keep_requests = keep_requests
        self._answer: Answerer | None = rules if callable(rules) else None
        self.rules: tuple[Rule, ...] = (
            () if callable(rules) else tuple(r if isinstance(r, Rule) else Rule.from_dict(r) for r in rules)
        )
        self.requests: list[Request] = []
        self._n_matches = [0] * len(self.rules)
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"ScriptedModel(name={self._name!r})"

    @property
    def name(self) -> str:
        """``scripted:PATH``, or the given name."""
        return self._name

    async def generate(self, request: Request) -> Reply:
        """The scripted answer.

        Raises
        ------
        ModelError : what the script says, or: no rule matches, or a rule with ``then: error`` has no reply left.
        """
        if self._keep_requests:
            self.requests.append(request)
        if self._answer is not None:
            answer = self._answer(request)
            given = await answer if inspect.isawaitable(answer) else answer
            if isinstance(given, ModelError):
                raise given
            return given if isinstance(given, Reply) else self._reply(ScriptStep(reply=given), request)
        step = self._next_step(request)
        if step.latency:
            await asyncio.sleep(step.latency)
        if step.error is not None:
            raise step.exception(self._name)
        return self._reply(step, request)

    def _next_step(self, request: Request) -> ScriptStep:
        for index, rule in enumerate(self.rules):
            if rule.matches(request):
                with self._lock:
                    position = request.epoch if rule.by == "epoch" else self._n_matches[index]
                    self._n_matches[index] += 1
                if position < len(rule.steps):
                    return rule.steps[position]
                if rule.then == "error":
                    raise ModelError(
                        f"rule {index + 1} has {len(rule.steps)} replies and was asked for number {position + 1}",
                        provider=self._name,
                        hint="add replies, or let it repeat or cycle",
                    )
                return rule.steps[-1 if rule.then == "repeat" else position % len(rule.steps)]
        last = request.messages[-1].content if request.messages else ""
        raise ModelError(
            f"none of {len(self.rules)} rules matches the request whose last message begins {one_line(last, 60)!r}",
            provider=self._name,
            hint="add a rule, or a last rule without 'match' for everything else",
        )

    def _reply(self, step: ScriptStep, request: Request) -> Reply:
        usage = step.usage or Usage(
            prompt_tokens=estimate_prompt_tokens(request),
            completion_tokens=estimate_tokens(step.reply) + estimate_tokens(step.reasoning),
            reasoning_tokens=estimate_tokens(step.reasoning),
            calls=1,
        )
        return Reply(step.reply, self._name, step.reasoning, step.stop_reason, usage, step.logprobs)


def read_rules(path: str | Path) -> tuple[Rule, ...]:
    """Rules from a file: JSON or YAML (a list, or ``{rules: [...]}``) or JSONL (one rule a line), by its suffix.

    Raises
    ------
    FormatError : the file cannot be read or a rule is not one, with path and place.
    MissingExtraError : YAML without a YAML reader installed.
    """
    source = Path(path)
    text = read_whole(source)
    if source.suffix.lower() == ".jsonl":
        return tuple(
            _read_rule(_read_json(line, source, number), source, number)
            for number, line in enumerate(lines_of(text), 1)
            if line.strip()
        )
    value = _read_yaml(text, source) if source.suffix.lower() in {".yaml", ".yml"} else _read_json(text, source, None)
    rules = value.get("rules") if isinstance(value, dict) else value
    if not isinstance(rules, list) or not rules:
        raise FormatError("a script must be a list of rules, or {rules: [...]}, with at least one rule", path=source)
    return tuple(_read_rule(rule, source, number, "rule ") for number, rule in enumerate(rules, 1))


def _read_json(text: str, path: Path, line: int | None) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise FormatError("must be JSON of no great depth, got values nested too deep", path=path, line=line) from None
    except ValueError as error:
        place = (
            (error.lineno, error.colno) if line is None and isinstance(error, json.JSONDecodeError) else (line, None)
        )
        raise FormatError(f"must be JSON: {error}", path=path, line=place[0], column=place[1]) from error


def _read_yaml(text: str, path: Path) -> Any:
    try:
        import yaml
    except ImportError:
        raise MissingExtraError("a reader for YAML scripts", extra="yaml") from None
    try:
        return yaml.safe_load(text)
    except RecursionError:
        raise FormatError("must be YAML of no great depth, got values nested too deep", path=path) from None
    except yaml.YAMLError as error:
        raise FormatError(f"must be YAML: {one_line(error, 200)}", path=path) from error


def _read_rule(value: Any, path: Path, number: int, unit: str = "") -> Rule:
    try:
        return Rule.from_dict(value)
    except (InputError, TypeError) as error:
        if unit:
            raise FormatError(f"{unit}{number}: {error}", path=path) from error
        raise FormatError(str(error), path=path, line=number) from error
