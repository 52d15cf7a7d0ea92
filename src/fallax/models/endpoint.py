"""Any OpenAI-compatible endpoint, through the ``openai`` client."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import email.utils
import functools
import logging
import os
import re
import ssl
import time
import urllib.parse
import weakref
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from fallax.core.secrets import (
    is_secret_name,
    public_headers,
    redact,
    redact_values,
    remember_secrets,
    secrets_in,
    without_secrets,
)
from fallax.core.types.messages import Reply, Request
from fallax.errors import (
    AuthenticationError,
    ContentFilterError,
    ContextLengthError,
    EndpointError,
    InputError,
    MissingExtraError,
    ModelError,
    ModelTimeoutError,
    RateLimitError,
    one_line,
)
from fallax.models.capped import ReplyTooLargeError, read_capped
from fallax.models.wire import Dialect, body_of, reply_of

__all__ = ["EndpointModel", "parse_duration", "split_credentials"]

CALLS_PER_CLIENT = 8
_CONTEXT = re.compile(
    r"context[ _-]?(length|size|window)|maximum context|exceed_context|too many (input )?tokens|prompt is too long",
    re.I,
)
_FILTER = re.compile(r"content[ _-]?(filter|management|policy)|safety (system|policy)|moderation", re.I)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class _HideSecrets(logging.Filter):
    """A logging filter that removes secrets from what the client logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = redact(record.getMessage()), ()
        return True


_hide_secrets = _HideSecrets()


def split_credentials(url: str) -> tuple[str, str | None]:
    """A base URL without credentials, and the ``user:password`` it contained.

    Raises
    ------
    InputError : not an http(s) URL, or one with a credential in its query.

    Examples
    --------
    >>> split_credentials("http://me:pw@localhost:8000/v1/")
    ('http://localhost:8000/v1', 'me:pw')
    """
    try:
        parts = urllib.parse.urlsplit(url.strip())
        port = parts.port
    except ValueError:
        parts, port = urllib.parse.urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        shown = one_line(redact(url), 80)
        raise InputError(f"base_url must be an http or https address such as http://localhost:8000/v1, got {shown!r}")
    if any(is_secret_name(name) for name, _ in urllib.parse.parse_qsl(parts.query, keep_blank_values=True)):
        raise InputError(
            "base_url must hold no credential in its query, where logs would show it; use the API key, or -M header.X="
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = host if port is None else f"{host}:{port}"
    user = None
    if parts.username is not None:
        user = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
    return urllib.parse.urlunsplit((parts.scheme, place, parts.path.rstrip("/"), parts.query, "")), user


def parse_duration(text: str | None) -> float | None:
    """Seconds in a ``Retry-After`` or reset header: a number, ``6m0s``, ``20ms`` or a date; else None.

    Examples
    --------
    >>> parse_duration("1.5"), parse_duration("6m1s"), parse_duration("20ms"), parse_duration("soon")
    (1.5, 361.0, 0.02, None)
    """
    if not text:
        return None
    value = text.strip()
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value)
    found = _DURATION.findall(value)
    if found and "".join(n + u for n, u in found) == value:
        return sum(float(number) * _SECONDS[unit] for number, unit in found)
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(0.0, moment.timestamp() - time.time())


def retry_after_of(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait according to the headers of a refusal; None if they do not say."""
    milliseconds = parse_duration(headers.get("retry-after-ms"))
    return milliseconds / 1000 if milliseconds is not None else parse_duration(headers.get("retry-after"))


@functools.cache
def _tls() -> ssl.SSLContext:
    """The trusted certificates, read once because reading them is slow."""
    try:
        import certifi

        bundle: str | None = certifi.where()
    except ImportError:
        bundle = None
    given = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    return ssl.create_default_context(cafile=given[0] or (None if given[1] else bundle), capath=given[1])


class _Clients:
    """The HTTP clients of one event loop, each for a few calls at a time.

    A client looks through all of its connections at every call; many small ones cost less than a large one.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._clients: list[Any] = []
        self._n_calls: list[int] = []

    @contextlib.contextmanager
    def one(self) -> Iterator[Any]:
        """The first client with a free slot."""
        place = next((i for i, n in enumerate(self._n_calls) if n < CALLS_PER_CLIENT), len(self._n_calls))
        if place == len(self._clients):
            self._clients.append(self._make())
            self._n_calls.append(0)
        self._n_calls[place] += 1
        try:
            yield self._clients[place]
        finally:
            self._n_calls[place] -= 1

    async def aclose(self) -> None:
        for client in self._clients:
            await client.close()


class EndpointModel:
    """A model behind an OpenAI-compatible endpoint.

    Connections belong to the event loop that opened them and are closed with it, or by :meth:`aclose`; the model can
    be used from several loops and threads. The client's own retries and timeouts are off: see
    :mod:`fallax.models.limits`.

    Parameters
    ----------
    provider, model : the two halves of the name; ``model`` is what the endpoint is asked for.
    base_url : where the API begins, without credentials.
    api_key : sent as a bearer token; it is in no record, error, log or ``repr``.
    key_variable : the environment variable to name when the key is refused; by default ``PROVIDER_API_KEY``.
    dialect : what this server calls things.
    extra_body : further fields of every request's body; they override those that follow from the request.
    extra_headers : further headers; those whose names sound of credentials stay out of the identity.
    on_quota : told ``remaining=, reset=`` when an answer carries rate-limit headers.

    Raises
    ------
    MissingExtraError : the client is not installed.
    """

    def __init__(
        self,
        *,
        provider: str,
        model: str,
        base_url: str,
        api_key: str | None = None,
        key_variable: str = "",
        dialect: Dialect | None = None,
        extra_body: Mapping[str, Any] | None = None,
        extra_headers: Mapping[str, str] | None = None,
        on_quota: Callable[..., None] | None = None,
    ) -> None:
        try:
            import openai
        except ImportError:
            raise MissingExtraError("the client for OpenAI-compatible endpoints", extra="openai") from None
        url, user = split_credentials(base_url)
        headers = dict(extra_headers or {})
        shown_headers = public_headers(headers)
        secrets = [value for name, value in headers.items() if shown_headers.get(name.lower()) != value]
        secrets += secrets_in(extra_body or {})
        if user is not None:
            secrets += [user, user.partition(":")[2]]
            if api_key is None:
                headers["Authorization"] = "Basic " + base64.b64encode(user.encode()).decode("ascii")
                secrets.append(headers["Authorization"])
        if api_key is not None:
            secrets.append(api_key)
        remember_secrets(secrets)
        logging.getLogger("openai._base_client").addFilter(_hide_secrets)  # a second time does nothing
        self.provider = provider
        self.model = model
        self.base_url = url
        self.key_variable = key_variable or re.sub(r"\W", "_", provider).upper() + "_API_KEY"
        self.dialect = dialect or Dialect()
        self.extra_body = dict(extra_body or {})
        self.on_quota = on_quota
        self._shown_headers = public_headers(headers)
        self._has_answered = False
        self._has_key = api_key is not None or user is not None
        place = urllib.parse.urlsplit(url)

        def make_client() -> openai.AsyncOpenAI:
            return openai.AsyncOpenAI(
                api_key=api_key or "none",
                base_url=urllib.parse.urlunsplit((place.scheme, place.netloc, place.path, "", "")),
                default_query=dict(urllib.parse.parse_qsl(place.query)) or None,
                default_headers={"Accept-Encoding": "gzip, deflate", **headers},
                max_retries=0,
                timeout=None,
                # A redirect would carry the prompt, and a key in a header of its own, to whatever host it names.
                http_client=openai.DefaultAsyncHttpxClient(
                    verify=_tls(), follow_redirects=False, event_hooks={"response": [self._look, read_capped]}
                ),
            )

        self._openai = openai
        self._make_client = make_client
        self._lifetimes: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[_Clients, None]]
        self._lifetimes = weakref.WeakKeyDictionary()
        self._clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Clients] = weakref.WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"EndpointModel({self.name!r}, base_url={self.base_url!r})"

    @property
    def name(self) -> str:
        """``provider/model``."""
        return f"{self.provider}/{self.model}"

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that can change an answer: name, address, dialect and extra fields; no credential."""
        return {
            "model": self.name,
            "base_url": self.base_url,
            "dialect": [self.dialect.grammar, self.dialect.json, self.dialect.tokens, self.dialect.think_tags],
            "body": redact_values(self.extra_body),
            "headers": self._shown_headers,
        }

    async def _clients_here(self) -> _Clients:
        """The clients of this event loop; they are closed when the loop shuts down."""
        loop = asyncio.get_running_loop()
        clients = self._clients.get(loop)
        if clients is None:
            lifetime = self._lifetime(loop)
            clients = await anext(lifetime)
            self._lifetimes[loop], self._clients[loop] = lifetime, clients
        return clients

    async def _lifetime(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[_Clients, None]:
        clients = _Clients(self._make_client)
        try:
            yield clients
        finally:
            self._clients.pop(loop, None)
            self._lifetimes.pop(loop, None)
            await clients.aclose()

    async def aclose(self) -> None:
        """Close the connections of this event loop; the next call opens new ones."""
        lifetime = self._lifetimes.get(asyncio.get_running_loop())
        if lifetime is not None:
            await lifetime.aclose()

    async def generate(self, request: Request) -> Reply:
        """Send one request to the endpoint.

        Raises
        ------
        ModelError : one of its kinds, with what to do; never with a credential in it, and without the client's own
            error as its cause, which holds the request with its headers.
        """
        body = body_of(request, model=self.model, dialect=self.dialect, provider=self.name)
        clients = await self._clients_here()
        failure: ModelError
        try:
            with clients.one() as client:
                # Not chat.completions.create: checking the body against its types takes as long as all the rest.
                answer = await client.post("/chat/completions", body={**body, **self.extra_body}, cast_to=object)
        except ReplyTooLargeError as error:
            failure = EndpointError(str(error), provider=self.name, hint=self._where())
        except self._openai.APIStatusError as error:
            self._has_answered = True
            failure = self._refusal(error.status_code, error.body, error.message, error.response.headers)
        except self._openai.APITimeoutError:
            failure = ModelTimeoutError("the connection timed out", provider=self.name, hint=self._where())
        except self._openai.APIConnectionError as error:
            failure = self._unreachable(error)
        except (self._openai.OpenAIError, ValueError, RecursionError) as error:
            deep = "nested too deep" if isinstance(error, RecursionError) else self._shown(error)
            failure = EndpointError(
                f"the endpoint answered something that is no JSON: {deep}",
                provider=self.name,
                hint=self._where(),
            )
        else:
            self._has_answered = True
            return self._read(answer, request)
        raise failure

    def _read(self, answer: object, request: Request) -> Reply:
        if isinstance(answer, Mapping) and "error" in answer and not answer.get("choices"):
            raise self._refusal(_code_of(answer["error"]), answer["error"], str(answer["error"]), {})
        reply = reply_of(answer, request, provider=self.name, dialect=self.dialect)
        return replace(
            reply,
            text=without_secrets(reply.text),
            reasoning=without_secrets(reply.reasoning),
            model=without_secrets(reply.model),
        )

    async def _look(self, response: Any) -> None:
        """Read the rate-limit headers of every response."""
        headers = response.headers
        for kind in ("requests", "tokens"):
            remaining = headers.get(f"x-ratelimit-remaining-{kind}")
            if remaining is not None and remaining.strip() == "0" and self.on_quota is not None:
                self.on_quota(remaining=0, reset=parse_duration(headers.get(f"x-ratelimit-reset-{kind}")))

    def _where(self) -> str:
        return f"check the base URL {self.base_url} and that the server runs there"

    def _shown(self, error: object) -> str:
        return one_line(redact(str(error)), 300)

    def _unreachable(self, error: BaseException) -> EndpointError:
        cause = error.__cause__
        if isinstance(cause, ReplyTooLargeError):
            return EndpointError(str(cause), provider=self.name, hint=self._where())
        reason = self._shown(cause if cause is not None and str(cause) else error)
        # Before the first answer this is a wrong address or a server that is not up: trying again only hides it.
        hopeless = type(cause).__name__.startswith("Connect") and not self._has_answered
        return EndpointError(
            f"cannot be reached: {reason}", provider=self.name, hint=self._where(), retryable=not hopeless
        )

    def _refusal(self, status: int, body: object, message: str, headers: Mapping[str, str]) -> ModelError:
        """The fallax error for an HTTP status and body."""
        if 300 <= status < 400:
            to = one_line(redact(headers.get("location", "nowhere")), 100)
            return EndpointError(
                f"HTTP {status}: the endpoint redirects to {to}, which is not followed: it would be sent the prompt",
                provider=self.name,
                hint="give that address as base_url if you trust it",
            )
        told = body.get("message") if isinstance(body, Mapping) else None
        return refusal(
            status,
            body,
            self._shown(told if isinstance(told, str) and told else message),
            retry_after=retry_after_of(headers),
            provider=self.name,
            where=self._where(),
            key_hint=self._key_hint(),
            model=self.model,
        )

    def _key_hint(self) -> str:
        return f"check the key in {self.key_variable}" if self._has_key else f"set {self.key_variable} to your key"


def _code_of(error: object) -> int:
    code = error.get("code") if isinstance(error, Mapping) else None
    return code if isinstance(code, int) else 400


def refusal(
    status: int,
    body: object,
    shown: str,
    *,
    provider: str,
    where: str,
    key_hint: str,
    model: str,
    retry_after: float | None = None,
) -> ModelError:
    """The fallax error for a refused request, with what to do about it.

    Parameters
    ----------
    status : the HTTP status, or the code of an error object.
    body : the error object, which may name a ``code`` and a ``type``.
    shown : its message, free of credentials.
    """
    told = f"{body.get('code', '')} {body.get('type', '')} {shown}" if isinstance(body, Mapping) else shown
    text = f"HTTP {status}: {shown}"
    if status in (401, 403):
        return AuthenticationError(text, provider=provider, hint=key_hint)
    if status == 429 and "insufficient_quota" in told:
        return EndpointError(text, provider=provider, hint="the account has no credit left: top it up", retryable=False)
    if status in (429, 503, 529):
        hint = "ask fewer at a time (max_connections), or later"
        return RateLimitError(text, provider=provider, hint=hint, retry_after=retry_after)
    if status in (408, 504):
        return ModelTimeoutError(text, provider=provider, hint="ask fewer at a time or for fewer tokens")
    if status == 404:
        return EndpointError(text, provider=provider, hint=f"check the model name {model!r}, and {where}")
    if status == 413 or (400 <= status < 500 and _CONTEXT.search(told)):
        return ContextLengthError(
            text, provider=provider, hint="shorten the input or use a model with a longer context"
        )
    if 400 <= status < 500 and _FILTER.search(told):
        return ContentFilterError(text, provider=provider, hint="leave this record out, or ask another model")
    if status == 409 or (status >= 500 and status not in (501, 505)):
        return EndpointError(text, provider=provider, hint="the server failed; see its log", retryable=True)
    return EndpointError(text, provider=provider, hint="the endpoint does not take this request; see docs/models.md")
