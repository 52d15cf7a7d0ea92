"""Checks every request: host, origin, token and size; sets the security headers of every response."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

from fallax.web.settings import ServerSettings

__all__ = ["COOKIE", "HEADERS", "Guard"]

#: Beginning of the name of the cookie that holds the token.
COOKIE = "fallax_token"

#: No script but our own files, none inline, none made of text (Trusted Types); no frame, no form elsewhere.
CSP = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)

HEADERS: Mapping[str, str] = {
    "content-security-policy": CSP,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_OWN = [(name.encode("ascii"), value.encode("ascii")) for name, value in HEADERS.items()]
_SAFE = ("GET", "HEAD", "OPTIONS")


class _TooLarge(Exception):
    """A body over the size limit."""


class Guard:
    """Middleware: refuses foreign hosts and origins, checks the token, limits bodies, sets security headers.

    Parameters
    ----------
    app : what comes after.
    settings : of the server.

    Notes
    -----
    A browser sends ``Origin`` with every request that another page could make it send and that changes something, and
    ``Sec-Fetch-Site`` with all; a program sends neither.
    """

    def __init__(self, app: Any, settings: ServerSettings) -> None:
        self.app = app
        self.settings = settings
        # all ports of a host share their cookies, and another server may be there
        self.cookie = f"{COOKIE}_{hashlib.sha256(settings.token.encode()).hexdigest()[:12]}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Refuse one request, or pass it on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        refused = self._refusal(scope, headers)
        if refused is not None:
            await _answer(send, *refused, html=_wants_html(scope, headers))
            return
        if self.settings.token and (redirect := self._entrance(scope)) is not None:
            await _redirect(send, *redirect)
            return
        await self._limited(scope, receive, send, headers)

    def _refusal(self, scope: Any, headers: Mapping[str, str]) -> tuple[int, str, str] | None:
        """Status, kind and message if the request must be refused."""
        host = headers.get("host", "")
        if not self.settings.allows_host(host):
            return 403, "host", "host: must be this server's own address; allow another with --allow-host NAME"
        own = {f"http://{host}", f"https://{host}"}
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {o.lower() for o in own}:
            return 403, "origin", "origin: must be this server's own page"
        site = headers.get("sec-fetch-site", "none")
        navigates = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
        if site not in ("none", "same-origin") and not navigates:
            return 403, "origin", "origin: must be this server's own page"
        if self.settings.token and not self._has_token(scope, headers):
            return 401, "token", "token: must be given, as the header 'Authorization: Bearer TOKEN' or once as ?token="
        return None

    def _has_token(self, scope: Any, headers: Mapping[str, str]) -> bool:
        kind, _, value = headers.get("authorization", "").partition(" ")
        given = [value.strip()] if kind.lower() == "bearer" else []
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            cookie = None
        given += [cookie.value] if cookie is not None else []
        given += [_asked(scope)] if scope["method"] == "GET" else []
        token = self.settings.token.encode()
        return any(hmac.compare_digest(g.encode("utf-8", "replace"), token) for g in given)

    def _entrance(self, scope: Any) -> tuple[str, str] | None:
        """Redirect to the address without the token, which moves into a cookie."""
        if scope["method"] != "GET" or not _asked(scope):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        query.pop("token", None)
        path = quote("/" + scope["path"].lstrip("/\\"))
        rest = urlencode(query, doseq=True)
        cookie = f"{self.cookie}={self.settings.token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
        return path + (f"?{rest}" if rest else ""), cookie

    async def _limited(self, scope: Any, receive: Any, send: Any, headers: Mapping[str, str]) -> None:
        limits = self.settings.limits
        most = limits.upload if scope["path"].startswith("/v1/read") else limits.body
        begun = False
        taken = 0

        async def counted() -> Any:
            nonlocal taken
            message = await receive()
            if message["type"] == "http.request":
                taken += len(message.get("body", b""))
                if taken > most:
                    raise _TooLarge
            return message

        async def marked(message: Any) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                names = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(h for h in _OWN if h[0] not in names)]
            await send(message)

        length = headers.get("content-length", "0")
        try:
            if not length.isdecimal() or len(length) > 18 or int(length) > most:
                raise _TooLarge
            await self.app(scope, counted, marked)
        except _TooLarge:
            if begun:
                raise
            await _answer(send, 413, "size", f"the request must have at most {most:,} bytes; send less at a time")


def _asked(scope: Any) -> str:
    values = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
    return values[0] if values else ""


def _wants_html(scope: Any, headers: Mapping[str, str]) -> bool:
    return scope["method"] in _SAFE and "text/html" in headers.get("accept", "")


async def _answer(send: Any, status: int, kind: str, message: str, *, html: bool = False) -> None:
    if html:
        body, form = f"{status}. {message}\n".encode(), b"text/plain; charset=utf-8"
    else:
        body, form = json.dumps({"error": {"kind": kind, "message": message}}).encode(), b"application/json"
    more = [(b"www-authenticate", b"Bearer")] if status == 401 else []
    headers = [(b"content-type", form), (b"content-length", str(len(body)).encode()), *_OWN, *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _redirect(send: Any, path: str, cookie: str) -> None:
    headers = [(b"location", path.encode("ascii")), (b"set-cookie", cookie.encode("ascii")), *_OWN]
    await send({"type": "http.response.start", "status": 303, "headers": [*headers, (b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})
