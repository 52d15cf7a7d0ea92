"""Chat models behind one port, with caching, limits, budgets and retries.

:func:`load_model` gives a model by name. Everything here answers a :class:`~fallax.core.types.messages.Request` with a
:class:`~fallax.core.types.messages.Reply` or raises a :class:`~fallax.errors.ModelError`, and what wraps a model looks
like one, so the parts combine freely.
"""

from fallax.models.budget import Budget, MeteredModel, Price, Prices, load_prices
from fallax.models.cache import Cache, CacheInfo, default_cache_path
from fallax.models.cached import CachedModel
from fallax.models.calls import Call, read_calls, write_calls
from fallax.models.estimate import DryRunModel, Estimate, estimate_requests
from fallax.models.keys import call_key, identity_of, request_key
from fallax.models.layers import Layer, layers, release
from fallax.models.limits import AdaptiveGate, GatedModel, Limits, RetryingModel, TimedModel
from fallax.models.loading import PROVIDERS, Provider, load_model, parse_options, with_limits
from fallax.models.recorded import RecordedModel
from fallax.models.scripted import Rule, ScriptedModel, ScriptStep, read_rules
from fallax.models.structured import Structured, generate_structured, parse_structured
from fallax.models.tokens import estimate_prompt_tokens, estimate_tokens
from fallax.models.weights import fetch, known_weights

__all__ = [
    "PROVIDERS",
    "AdaptiveGate",
    "Budget",
    "Cache",
    "CacheInfo",
    "CachedModel",
    "Call",
    "DryRunModel",
    "Estimate",
    "GatedModel",
    "Layer",
    "Limits",
    "MeteredModel",
    "Price",
    "Prices",
    "Provider",
    "RecordedModel",
    "RetryingModel",
    "Rule",
    "ScriptStep",
    "ScriptedModel",
    "Structured",
    "TimedModel",
    "call_key",
    "default_cache_path",
    "estimate_prompt_tokens",
    "estimate_requests",
    "estimate_tokens",
    "fetch",
    "generate_structured",
    "identity_of",
    "known_weights",
    "layers",
    "load_model",
    "load_prices",
    "parse_options",
    "parse_structured",
    "read_calls",
    "read_rules",
    "release",
    "request_key",
    "with_limits",
    "write_calls",
]
