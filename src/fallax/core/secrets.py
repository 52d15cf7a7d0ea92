"""Keeps credentials out of everything that is written: rows, caches, scores, reports, errors, logs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["is_secret_name", "public_headers", "redact", "redact_values", "remember_secrets", "secrets_in"]

HIDDEN = "***"
#: Shorter ones would take ordinary words out of texts.
_SHORTEST = 4
_NAME = re.compile(r"auth|key|token|secret|cookie|passw|signature|credential|^sig$|^code$", re.IGNORECASE)
#: Names that sound of credentials and count or choose something.
_NOT_SECRET = re.compile(
    r"^(?:(?:max|min|n|num|stop|prompt|completion|reasoning|thinking|budget|total|cached|output|input)_?.*tokens?(?:_\w+)?"
    r"|tokens|tokens_per_\w+|eos_token(?:_id)?|stop_token_ids|skip_special_tokens|prompt_cache_key|tokenizer|authors?|author_\w+)$",
    re.IGNORECASE,
)
_TEXT = re.compile(
    r"(?i)\b(bearer|basic)\s{1,9}[\w.~+/=-]{6,}|\b(sk|pk|gsk|hf|xai)[-_][\w-]{8,}|(?<=://)[^/\s@]{1,2000}@"
)
#: Headers whose values are settings, not credentials.
_PLAIN_HEADERS = frozenset(
    {"accept", "accept-language", "anthropic-beta", "anthropic-version", "api-version", "content-type", "http-referer"}
    | {"openai-beta", "openai-organization", "openai-project", "referer", "user-agent", "x-title"}
)
#: What this process was given as credentials.
_known: set[str] = set()


def is_secret_name(name: str) -> bool:
    """True if a header, option or field with this name holds a credential.

    Examples
    --------
    >>> is_secret_name("X-Api-Key"), is_secret_name("max_tokens"), is_secret_name("seed")
    (True, False, False)
    """
    return _NAME.search(name) is not None and _NOT_SECRET.match(name) is None


def remember_secrets(secrets: Iterable[str]) -> None:
    """Add secrets that :func:`redact` hides from now on."""
    _known.update(s for s in secrets if len(s) >= _SHORTEST)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """A text without known secrets and without what looks like a key, bearer token or password in a URL.

    Parameters
    ----------
    text : what is to be written or shown.
    secrets : what to hide besides what :func:`remember_secrets` was told.

    Examples
    --------
    >>> redact("key hunter2-abc at http://u:pw@host, Bearer abcdefgh", ["hunter2-abc"])
    'key *** at http://***host, ***'
    """
    return _TEXT.sub(HIDDEN, without_secrets(text, secrets))


def without_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """A text without known secrets; text that only looks like a key stays, since it may be data."""
    for secret in sorted({*_known, *secrets}, key=len, reverse=True):
        if len(secret) >= _SHORTEST and secret in text:
            text = text.replace(secret, HIDDEN)
    return text


def redact_values(value: Any) -> Any:
    """JSON values without fields of secret names, at any depth, and with secrets removed from texts.

    Examples
    --------
    >>> redact_values({"extra": {"api_key": "k-123456", "seed": 1}, "note": "Bearer abcdefgh"})
    {'extra': {'seed': 1}, 'note': '***'}
    """
    if isinstance(value, Mapping):
        return {redact(str(k)): redact_values(v) for k, v in value.items() if not is_secret_name(str(k))}
    if isinstance(value, (list, tuple)):
        return [redact_values(v) for v in value]
    return redact(value) if isinstance(value, str) else value


def secrets_in(value: Any, *, named: bool = False) -> list[str]:
    """The texts under secret names in JSON values, at any depth.

    Examples
    --------
    >>> secrets_in({"extra": {"api_key": ["k-1", "k-2"], "seed": "none"}})
    ['k-1', 'k-2']
    """
    if isinstance(value, Mapping):
        return [s for k, v in value.items() for s in secrets_in(v, named=named or is_secret_name(str(k)))]
    if isinstance(value, (list, tuple)):
        return [s for v in value for s in secrets_in(v, named=named)]
    return [str(value)] if named and value is not None and not isinstance(value, bool) else []


def public_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers that are safe to store: lower-case names, and values only of headers known to be harmless.

    Other values are replaced by a few digits of their SHA-256, so that two routes can be distinguished.

    Examples
    --------
    >>> public_headers({"X-Title": "my study", "X-Team": "t0p-s3cret", "X-Api-Key": "k"})
    {'x-team': '***e1f59f4c', 'x-title': 'my study'}
    """
    return {
        name.lower(): redact(value)
        if name.lower() in _PLAIN_HEADERS
        else HIDDEN + hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()[:8]
        for name, value in sorted(headers.items())
        if not is_secret_name(name)
    }
