"""Loads models by name: ``provider/model``, ``recorded:PATH``, ``scripted:PATH``."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fallax.core.checked import is_part
from fallax.core.registry import Registry, registry
from fallax.core.secrets import redact
from fallax.core.types.messages import ChatModel, Reply, Request
from fallax.errors import AuthenticationError, InputError, UnknownNameError, one_line
from fallax.models.budget import Budget, MeteredModel, Prices, load_prices
from fallax.models.cache import Cache
from fallax.models.cached import CachedModel
from fallax.models.endpoint import EndpointModel
from fallax.models.layers import Layer
from fallax.models.limits import AdaptiveGate, GatedModel, Limits, RetryingModel, TimedModel
from fallax.models.recorded import RecordedModel
from fallax.models.scripted import ScriptedModel, read_rules
from fallax.models.wire import GRAMMAR_STYLES, JSON_STYLES, TOKENS_STYLES, Dialect

__all__ = ["MODEL_OPTIONS", "PROVIDERS", "Provider", "SamplingModel", "load_model", "parse_options", "with_limits"]

SAMPLING = ("temperature", "top_p", "max_tokens", "seed")
_SERVERS, _LOCAL = "servers, such as openai/ and ollama/", "models in this process, local/"
#: Kind of model -> option -> what it does; :func:`load_model` takes them, and ``-M`` in the shell.
MODEL_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "all but recorded replies": {
        "temperature": "sampling temperature, where a question sets none",
        "top_p": "sampling top_p, where a question sets none",
        "max_tokens": "maximum tokens of a reply, where a question sets none",
        "seed": "random seed of the sampling, where a question sets none",
    },
    _SERVERS: {
        "base_url": "address of the server [NAME_BASE_URL]",
        "api_key": "key; others can see it on a command line, so prefer the variable [NAME_API_KEY]",
        "grammar": f"field that takes a grammar: {', '.join(GRAMMAR_STYLES)}",
        "json": f"how a JSON schema is asked for: {', '.join(JSON_STYLES)}",
        "tokens": f"field of the maximum tokens: {', '.join(TOKENS_STYLES)}",
        "think_tags": "false: <think>...</think> at the beginning of a reply belongs to it [true]",
        "body.FIELD": "any further field of the request, such as body.reasoning_effort=low",
        "header.NAME": "any further header",
    },
    _LOCAL: {
        "context": "tokens of prompt and reply together; more takes more memory [8192]",
        "threads": "processor threads; 0: as many as this process may use [0]",
        "parallel": "calls at a time [1]",
        "gpu_layers": "layers on a GPU; -1: all that fit [0]",
        "prefix_reuse": "false: compute each prompt anew, also where two begin alike [true]",
    },
    "recorded replies": {"model": "replay only what this model answered"},
    "providers of Inspect AI, inspect/": {"any": "goes to Inspect's provider"},
}


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider: its default address and field names.

    Parameters
    ----------
    about : one line for people.
    base_url : where its API begins by default; None: it must be given.
    needs_key : True if the default address answers nobody without a key.
    """

    about: str
    base_url: str | None = None
    needs_key: bool = False
    dialect: Dialect = field(default_factory=Dialect)


#: name -> what is behind ``NAME/MODEL``: a server, or a function of (model, options) that gives a chat model.
PROVIDERS: Registry[Provider | Callable[[str, dict[str, Any]], ChatModel]] = registry("provider")
for _name, _provider in {
    "llamacpp": Provider("llama.cpp's server", "http://localhost:8080/v1", dialect=Dialect(grammar="grammar")),
    "lmstudio": Provider("LM Studio's server", "http://localhost:1234/v1"),
    "ollama": Provider("Ollama", "http://localhost:11434/v1"),
    "openai": Provider(
        "OpenAI, or any endpoint that speaks its chat completions (OPENAI_BASE_URL)",
        "https://api.openai.com/v1",
        needs_key=True,
        dialect=Dialect(tokens="max_completion_tokens"),
    ),
    "vllm": Provider("vLLM's server", "http://localhost:8000/v1", dialect=Dialect(grammar="structured_outputs")),
}.items():
    PROVIDERS.add(_name, _provider, about=_provider.about)


def parse_options(pairs: Iterable[str], *, what: str = "model option") -> dict[str, Any]:
    """Parse ``key=value`` options: values are JSON if they parse as JSON, else text.

    Parameters
    ----------
    what : whose options they are, for errors.

    Raises
    ------
    InputError : a text without ``=``, or a key given twice.

    Examples
    --------
    >>> parse_options(["seed=7", "think_tags=false", "base_url=http://localhost:8000/v1"])
    {'seed': 7, 'think_tags': False, 'base_url': 'http://localhost:8000/v1'}
    """
    options: dict[str, Any] = {}
    for pair in pairs:
        key, separator, text = pair.partition("=")
        key = key.strip()
        if not separator or not key:
            raise InputError(f"a {what} must be key=value, got {one_line(redact(pair), 20)!r}")
        if key in options:
            raise InputError(f"{what} {key!r} must be given once, found it twice")
        try:
            options[key] = json.loads(text, parse_constant=str)
        except ValueError:
            options[key] = text
    return options


class SamplingModel(Layer):
    """A model with defaults for temperature, top_p, max_tokens and seed."""

    def __init__(self, inner: ChatModel, settings: Mapping[str, Any]) -> None:
        super().__init__(inner)
        self.settings = dict(settings)

    def asked(self, request: Request) -> Request:
        """The request with the defaults filled in."""
        missing = {name: value for name, value in self.settings.items() if getattr(request, name) is None}
        return replace(request, **missing) if missing else request

    async def generate(self, request: Request) -> Reply:
        """Call the model with the defaults filled in."""
        return await self.inner.generate(self.asked(request))


class _FileModel(Layer):
    """A scripted model whose identity includes its script, so that a changed script is not served from a cache."""

    def __init__(self, inner: ChatModel, path: Path) -> None:
        super().__init__(inner)
        self._digest = hashlib.sha256(path.read_bytes()).hexdigest()

    @property
    def identity(self) -> dict[str, Any]:
        """Name and the SHA-256 of the script."""
        return {"model": self.name, "script": self._digest}


def with_limits(
    model: ChatModel,
    *,
    limits: Limits | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    cache: Cache | str | Path | None = None,
    gate: AdaptiveGate | None = None,
) -> ChatModel:
    """Wrap a model with cache, retries, gate, budget and timeout, from the outside in.

    Parameters
    ----------
    model : who is asked in the end; any :class:`~fallax.core.types.messages.ChatModel`.
    limits : concurrency, timeouts and retries.
    budget : what may be spent; share one object between models to let them share the money.
    prices : by default :func:`fallax.models.budget.load_prices`.
    cache : where answers are kept; None: nowhere, and every call is made.
    gate : how many calls at a time; by default one of this model's own, after ``limits``.

    Examples
    --------
    >>> import asyncio
    >>> from fallax.core.types.messages import Message
    >>> flaky = ScriptedModel([{"replies": [{"error": "rate_limit"}, "fine"]}])
    >>> model = with_limits(flaky, limits=Limits(backoff=0.001))
    >>> asyncio.run(model.generate(Request((Message("user", "?"),)))).text
    'fine'
    """
    limits = limits or Limits()
    prices = prices or load_prices()
    gate = gate or AdaptiveGate(maximum=limits.max_connections, start=limits.start_connections)
    wrapped: ChatModel = TimedModel(model, limits.timeout)
    wrapped = MeteredModel(wrapped, budget or Budget(), prices.find(model.name))
    wrapped = RetryingModel(GatedModel(wrapped, gate), limits)
    if cache is None:
        return wrapped
    return CachedModel(wrapped, cache if isinstance(cache, Cache) else Cache(cache))


def load_model(
    name: str,
    *,
    options: Mapping[str, Any] | None = None,
    cache: Cache | str | Path | None = None,
    limits: Limits | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    dry: bool = False,
) -> ChatModel:
    """Load a model by name.

    Parameters
    ----------
    name : ``openai/MODEL``, ``vllm/MODEL``, ``llamacpp/MODEL``, ``ollama/MODEL``, ``lmstudio/MODEL``, any other
        ``NAME/MODEL`` whose ``NAME_BASE_URL`` is set, ``inspect/PROVIDER/MODEL``, ``local/NAME`` or
        ``local/PATH.gguf``, ``recorded:PATH``, ``scripted:PATH``.
    options : what ``-M key=value`` gives, see :func:`parse_options`; which there are depends on the kind of model.
    cache, limits, budget, prices : see :func:`with_limits`. Recorded replies have none of these around them.
    dry : True if it will not be asked, but stood in for, and so needs no key.

    Raises
    ------
    UnknownNameError : a provider or an option nobody knows.
    AuthenticationError : a hosted model without its key.
    InputError, FormatError, MissingExtraError : an option, a file or a package that is not as it must be.
    """
    given = dict(options or {})
    kind, separator, rest = name.partition(":")
    if separator and kind in ("recorded", "scripted"):
        return _load_file(kind, rest, name, given, cache=cache, limits=limits, budget=budget, prices=prices)
    provider, separator, model = name.partition("/")
    if not separator or not provider or not model:
        near = f"; did you mean 'openai/{name}'?" if re.fullmatch(r"[\w.-]+", name) else ""
        raise InputError(
            f"a model must be named PROVIDER/MODEL, recorded:PATH or scripted:PATH, got {one_line(name, 60)!r}{near}"
        )
    sampling = {key: given.pop(key) for key in SAMPLING if key in given}
    limits = limits or Limits()
    gate = AdaptiveGate(maximum=limits.max_connections, start=limits.start_connections)
    base: ChatModel
    if provider == "local":
        from fallax.models.local import load_local

        for option in given:
            if option not in MODEL_OPTIONS[_LOCAL]:
                raise UnknownNameError("option of local models", option, [*MODEL_OPTIONS[_LOCAL], *SAMPLING])
        base, parallel = load_local(model, given)
        gate = AdaptiveGate(maximum=parallel)
    elif provider == "inspect":
        from fallax.models.inspect_bridge import InspectModel

        base = InspectModel(model, options=given)
    elif provider in PROVIDERS and not isinstance(found := PROVIDERS[provider], Provider):
        base = found(model, given)
        if not is_part(base, "generate", "name"):
            must = "must give a chat model with a name, which is a text, and generate"
            raise InputError(f"provider {provider!r}: {must}, got {one_line(repr(base), 60)}")
    else:
        base = _endpoint(provider, model, given, gate.quota, dry=dry)
    loaded = with_limits(base, limits=limits, budget=budget, prices=prices, cache=cache, gate=gate)
    return SamplingModel(loaded, _check_sampling(sampling)) if sampling else loaded


def _check_sampling(settings: dict[str, Any]) -> dict[str, Any]:
    for name, value in settings.items():
        whole = name in ("max_tokens", "seed")
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            raise InputError(f"model option {name} must be a {'whole ' * whole}number, got {value!r}")
    return settings


def _load_file(kind: str, path: str, name: str, options: dict[str, Any], **shared: Any) -> ChatModel:
    if not path:
        raise InputError(f"{name!r} must name a file: {kind}:PATH")
    known = ("model",) if kind == "recorded" else SAMPLING
    for option in options:
        if option not in known:
            raise UnknownNameError(f"option of {kind}: models", option, known)
    if kind == "recorded":
        return RecordedModel(path, name=name, model=options.get("model"))
    scripted = ScriptedModel(read_rules(path), name=name, keep_requests=False)
    loaded = with_limits(_FileModel(scripted, Path(path)), **shared)
    return SamplingModel(loaded, _check_sampling(options)) if options else loaded


def _endpoint(
    name: str, model: str, options: dict[str, Any], on_quota: Callable[..., None], *, dry: bool
) -> EndpointModel:
    variable = re.sub(r"\W", "_", name).upper()
    base_url = options.pop("base_url", None) or os.environ.get(f"{variable}_BASE_URL")
    provider = PROVIDERS.get(name)
    if not isinstance(provider, Provider):
        if base_url is None:
            raise UnknownNameError(
                "model provider", name, [*PROVIDERS, "inspect", "local"], where=f"{variable}_BASE_URL is not set"
            )
        provider = Provider(name)
    api_key = options.pop("api_key", None) or os.environ.get(f"{variable}_API_KEY") or None
    if api_key is None and provider.needs_key and base_url is None and not dry:
        raise AuthenticationError(
            "there is no API key", provider=f"{name}/{model}", hint=f"set {variable}_API_KEY, or {variable}_BASE_URL"
        )
    dialect = provider.dialect
    if name == "openai" and base_url is not None and "//api.openai.com/" not in f"{base_url}/":
        dialect = replace(dialect, tokens="max_tokens")  # the name that servers other than OpenAI's own know
    body = {k.removeprefix("body."): options.pop(k) for k in list(options) if k.startswith("body.")}
    headers = {k.removeprefix("header."): str(options.pop(k)) for k in list(options) if k.startswith("header.")}
    return EndpointModel(
        provider=name,
        model=model,
        base_url=str(base_url or provider.base_url),
        api_key=None if api_key is None else str(api_key),
        key_variable=f"{variable}_API_KEY",
        dialect=_dialect(dialect, options),
        extra_body=body,
        extra_headers=headers,
        on_quota=on_quota,
    )


def _dialect(dialect: Dialect, options: dict[str, Any]) -> Dialect:
    choices = {"grammar": GRAMMAR_STYLES, "json": JSON_STYLES, "tokens": TOKENS_STYLES}
    for name, value in options.items():
        if name == "think_tags":
            if not isinstance(value, bool):
                raise InputError(f"model option think_tags must be true or false, got {value!r}")
        elif name in choices:
            if value not in choices[name]:
                raise UnknownNameError(f"value of model option {name!r}", value, choices[name])
        else:
            known = [*MODEL_OPTIONS[_SERVERS], *SAMPLING]
            raise UnknownNameError("model option", name, known)
    return replace(dialect, **options)
