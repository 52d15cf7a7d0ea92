"""A proxy before a served local model: checks token, host and size, then forwards."""

from __future__ import annotations

import hmac
import http.client
import ipaddress
import json
import socket
from collections.abc import Collection, Mapping
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

__all__ = ["Front", "refusal"]

#: Bytes of a request's body.
MAX_BODY = 8_000_000
#: Seconds in which a request must have come whole, and in which a model must begin to answer.
_PATIENCE, _ANSWER = 60.0, 3600.0


def refusal(
    path: str, headers: Message | Mapping[str, str], *, key: str, hosts: Collection[str] = ()
) -> tuple[int, str] | None:
    """Status and reason if a request must be refused.

    Parameters
    ----------
    path, headers : of the request.
    key : what callers must send as a bearer token.
    hosts : names of this server besides ``localhost`` and addresses in numbers, which no web page can take on.

    Examples
    --------
    >>> refusal("/v1/models", {"Host": "127.0.0.1:8080", "Authorization": "Bearer k"}, key="k")
    >>> refusal("/v1/models", {"Host": "evil.example", "Authorization": "Bearer k"}, key="k")
    (403, 'Host must be this server')
    """
    name = urlsplit(f"//{headers.get('Host') or ''}").hostname or ""
    if name != "localhost" and name not in hosts and not _is_address(name):
        return 403, "Host must be this server"
    if headers.get("Origin") is not None or headers.get("Sec-Fetch-Site", "none") != "none":
        return 403, "Origin must be none: this is for programs, not for web pages"
    kind, _, given = (headers.get("Authorization") or "").partition(" ")
    if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), key.encode()):
        return 401, "Authorization must be: Bearer KEY"
    if path != "/health" and not path.startswith("/v1/"):
        return 404, "path must be /health or below /v1/"
    if headers.get("Transfer-Encoding"):
        return 411, "Content-Length must be given"
    length = headers.get("Content-Length") or "0"
    if not length.isascii() or not length.isdigit():
        return 400, "Content-Length must be a number"
    if len(length) > 12 or int(length) > MAX_BODY:
        return 413, f"a request must have {MAX_BODY:,} bytes at most"
    return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Front(ThreadingHTTPServer):
    """A proxy that forwards to a model's server the requests that :func:`refusal` accepts; streams answers.

    Parameters
    ----------
    host, port : where it listens; port 0 takes a free one.
    target : address of the model's server, such as ``http://127.0.0.1:5123``.
    target_key : what that server demands.
    key, hosts : see :func:`refusal`.
    """

    daemon_threads = True

    def __init__(
        self, host: str, port: int, *, target: str, target_key: str, key: str, hosts: Collection[str] = ()
    ) -> None:
        self.target = urlsplit(target)
        self.target_key = target_key
        self.key = key
        self.hosts = frozenset(hosts)
        if ":" in host:
            self.address_family = socket.AF_INET6
        super().__init__((host, port), _Handler)

    @property
    def address(self) -> str:
        """The address for callers."""
        host = str(self.server_address[0])
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Front
    timeout = _PATIENCE

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self._pass_on(b"")

    def do_POST(self) -> None:
        self._pass_on(None)

    def _pass_on(self, body: bytes | None) -> None:
        self.close_connection = True
        refused = refusal(self.path, self.headers, key=self.server.key, hosts=self.server.hosts)
        if refused is not None:
            self._say(*refused)
            return
        if body is None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        target = self.server.target
        begun = False
        connection = http.client.HTTPConnection(str(target.hostname), target.port, timeout=_ANSWER)
        try:
            headers = {"Authorization": f"Bearer {self.server.target_key}", "Content-Type": "application/json"}
            connection.request(self.command, self.path, body=body or None, headers=headers)
            answer = connection.getresponse()
            begun = True
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.getheader("Content-Type") or "application/json")
            self.send_header("Connection", "close")
            self.end_headers()
            while piece := answer.read1(65536):
                self.wfile.write(piece)
                self.wfile.flush()
        except (ConnectionError, TimeoutError, http.client.HTTPException):
            if not begun:
                self._say(502, "the model's server did not answer")
        finally:
            connection.close()

    def _say(self, status: int, message: str) -> None:
        said = json.dumps({"error": {"message": message, "type": "invalid_request_error", "code": status}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(said)
