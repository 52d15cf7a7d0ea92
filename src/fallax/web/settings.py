"""The settings of a server: address, features and limits."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fallax.errors import InputError, one_line

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from fallax.core.types import ChatModel

__all__ = ["Part", "ServerLimits", "ServerSettings", "is_loopback"]


def is_loopback(host: str) -> bool:
    """True for hosts that only this machine can reach.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits on one request, and on concurrent ones.

    Parameters
    ----------
    text : characters of one text.
    batch : texts, claims or records in one request.
    body : bytes of a JSON request.
    upload : bytes of a file to be read.
    seconds : time for one request; a debate may take ``debate_seconds``.
    workers : threads that compute.
    waiting : requests that may wait for a thread; more are refused with status 429.
    debates : debates at the same time.
    """

    text: int = 200_000
    batch: int = 64
    body: int = 8_000_000
    upload: int = 20_000_000
    seconds: float = 60.0
    debate_seconds: float = 1800.0
    workers: int = 2
    waiting: int = 256
    debates: int = 8


@dataclass(frozen=True, slots=True)
class Part:
    """Additional pages of the same server.

    Parameters
    ----------
    name : of its folder of static files, ``/static/NAME/``.
    title, path : its entry in the navigation; no entry without a title.
    routes : Starlette routes.
    folder : holds ``templates/`` and ``static/``; templates extend ``base.html``.
    """

    name: str
    title: str = ""
    path: str = ""
    routes: Sequence[BaseRoute] = ()
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server was started.

    Parameters
    ----------
    host, port : where it listens.
    hosts : further names that a request may give as its host, such as one behind a proxy.
    token : what a request must bring where others than this machine can reach the server.
    models : name -> chat model that pages and programs may choose; no other can be asked.
    runs : a folder with run folders, or None.
    store : the file of kept results and corrections; None: in memory, until the server ends.
    project : the file of the annotation project whose pages are mounted and where corrections land too, or None.
    fetch : whether addresses may be read from the web.
    limits : see :class:`ServerLimits`.

    Raises
    ------
    InputError
        If others can reach the server and there is no token.
    """

    host: str = "127.0.0.1"
    port: int = 8577
    hosts: Sequence[str] = ()
    token: str = ""
    models: dict[str, ChatModel] = field(default_factory=dict)
    runs: Path | None = None
    store: Path | None = None
    project: Path | None = None
    fetch: bool = True
    limits: ServerLimits = field(default_factory=ServerLimits)

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and not self.token:
            raise InputError(f"host {one_line(self.host, 60)!r}: others can reach it, so there must be a token")
        if self.token and not re.fullmatch(r"[\w.~+/=-]{16,200}", self.token, re.ASCII):
            raise InputError("token: must have 16 to 200 letters, digits or any of . _ ~ + / = -")

    def allows_host(self, value: str) -> bool:
        """Whether a request may name this host: the server's own address, or an allowed one.

        A page elsewhere whose name was made to point at this machine names its own host (DNS rebinding).

        Examples
        --------
        >>> ServerSettings(port=80).allows_host("127.0.0.1:80"), ServerSettings(port=80).allows_host("evil.example")
        (True, False)
        """
        name, port = _split(value.lower())
        if value.lower() in self.hosts or (name in self.hosts and port in ("", str(self.port))):
            return True
        if port not in ("", str(self.port)):
            return False
        if is_loopback(self.host):
            return name in ("127.0.0.1", "localhost", "[::1]")
        if self.host in ("0.0.0.0", "::"):
            return is_loopback(name) or _is_address(name)  # a name would have to be allowed: it may be anyone's
        return name == self.host or name == f"[{self.host}]"


def _split(value: str) -> tuple[str, str]:
    found = re.fullmatch(r"(\[[0-9a-f:.]+\]|[^:\[\]@/?#\s]+)(?::(\d{1,5}))?", value)
    return (found[1], found[2] or "") if found else ("", "?")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
