"""Cache keys: what makes two calls the same call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from fallax.core.types.messages import ChatModel, Message, Reply, Request, TokenLogprob, Usage
from fallax.errors import InputError

__all__ = ["call_key", "canonical_json", "identity_of", "request_differences", "request_key"]

_REQUEST_FIELDS = tuple(sorted(f.name for f in fields(Request)))
_VALUES = (Message, Request, Reply, Usage, TokenLogprob)
_FLOATS = frozenset({"temperature", "top_p"})


def _plain(value: object) -> object:
    if isinstance(value, _VALUES):  # shallow, for speed: what is inside comes here in its turn
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _request_items(request: Request) -> Iterator[tuple[str, object]]:
    for name in _REQUEST_FIELDS:
        value = getattr(request, name)
        yield name, float(value) if name in _FLOATS and value is not None else value


def canonical_json(value: object) -> str:
    r"""Canonical JSON text: equal values give equal text on every machine; ASCII only, no spaces.

    The order of keys is kept, because the order of the properties of a schema can change an answer.

    Raises
    ------
    InputError : the value holds something JSON has no word for (NaN, infinity, an object).

    Examples
    --------
    >>> print(canonical_json({"b": "é", "a": (1, 2)}))
    {"b":"\u00e9","a":[1,2]}
    """
    try:
        return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=_plain)
    except (TypeError, ValueError) as error:
        raise InputError(f"a request and the options of a model must be plain JSON values: {error}") from None


def request_key(request: Request) -> str:
    """SHA-256 (hexadecimal) of all fields of a request, independent of the model.

    Examples
    --------
    >>> question = Request((Message("user", "Is it so?"),), temperature=0)
    >>> request_key(question) == request_key(Request((Message("user", "Is it so?"),), temperature=0.0))
    True
    >>> request_key(question) == request_key(Request((Message("user", "Is it so?"),), temperature=0, epoch=1))
    False
    """
    return hashlib.sha256(canonical_json(list(_request_items(request))).encode("ascii")).hexdigest()


def call_key(identity: Mapping[str, Any], request: Request) -> str:
    """SHA-256 (hexadecimal) of everything that can change an answer: model and request.

    Parameters
    ----------
    identity : who answers, as :func:`identity_of` gives it: model name, base URL without credentials, options.
    request : what is asked, all fields, the epoch included.

    Examples
    --------
    >>> question = Request((Message("user", "Is it so?"),))
    >>> call_key({"model": "a"}, question) == call_key({"model": "b"}, question)
    False
    """
    text = canonical_json(["fallax-call/1", sorted(identity.items()), list(_request_items(request))])
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def identity_of(model: ChatModel) -> dict[str, Any]:
    """The identity of a model: its ``identity`` if it has one, else its name.

    An identity holds what can change an answer and never a credential.
    """
    identity = getattr(model, "identity", None)
    return dict(identity) if isinstance(identity, Mapping) else {"model": model.name}


def request_differences(asked: Request, recorded: Request) -> list[str]:
    """Fields in which two requests differ, each as ``name (asked ..., recorded ...)``.

    Examples
    --------
    >>> q = (Message("user", "?"),)
    >>> request_differences(Request(q, seed=1), Request(q, seed=2))
    ['seed (asked 1, recorded 2)']
    """
    there = dict(_request_items(recorded))
    return [
        f"{name} (asked {value!r}, recorded {there[name]!r})"
        for name, value in _request_items(asked)
        if canonical_json(value) != canonical_json(there[name])
    ]
