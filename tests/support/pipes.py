"""What an editor and an agent say over a pipe, as bytes that can be changed, and what comes back."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

FALLACY = "Everyone says the new bridge is ugly, so it must be."
URI = "file:///nowhere/bridge.md"
_HERE = {"textDocument": {"uri": URI}}
_RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 60}}


def request(number: int | str, method: str, params: Any = None) -> dict[str, Any]:
    """A request of JSON-RPC."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def notice(method: str, params: Any = None) -> dict[str, Any]:
    """A notification of JSON-RPC."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


#: An editor opens a text, looks at a finding and edits.
EDITOR = (
    request(
        1, "initialize", {"processId": None, "rootUri": "file:///nowhere", "workspaceFolders": None, "capabilities": {}}
    ),
    notice("initialized", {}),
    notice(
        "textDocument/didOpen",
        {"textDocument": {"uri": URI, "languageId": "markdown", "version": 1, "text": FALLACY}},
    ),
    request(2, "textDocument/hover", {**_HERE, "position": {"line": 0, "character": 9}}),
    request(3, "textDocument/codeAction", {**_HERE, "range": _RANGE, "context": {"diagnostics": []}}),
    request(
        4,
        "workspace/executeCommand",
        {"command": "fallax.explain", "arguments": [URI, "ad populum", 0, len(FALLACY), FALLACY]},
    ),
    notice(
        "textDocument/didChange",
        {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": f"No.\n\n{FALLACY}"}]},
    ),
    request(5, "textDocument/hover", {**_HERE, "position": {"line": 2, "character": 9}}),
    notice("textDocument/didClose", _HERE),
)
#: An agent asks what there is, and each tool once.
AGENT = (
    request(
        1,
        "initialize",
        {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
    ),
    notice("notifications/initialized", {}),
    request(2, "tools/list", {}),
    request(3, "tools/call", {"name": "explain_label", "arguments": {"label": "ad hominem"}}),
    request(4, "tools/call", {"name": "check_structure", "arguments": {"text": "E1 -> Claim"}}),
    request(5, "tools/call", {"name": "detect", "arguments": {"text": FALLACY, "min_confidence": 0.5}}),
    request(
        6,
        "tools/call",
        {"name": "judge_faithfulness", "arguments": {"document": "They met in May.", "text": "They never met."}},
    ),
    request(
        7,
        "tools/call",
        {"name": "verify_claim", "arguments": {"claim": "It flooded because it rained.", "evidence": ["It rained."]}},
    ),
    request(8, "tools/call", {"name": "generate_pair", "arguments": {"fallacy": "FS", "seed": 3}}),
    request(9, "resources/read", {"uri": "fallax://taxonomy/mafalda"}),
    request(10, "ping"),
)


def lines(messages: Iterable[Mapping[str, Any]]) -> bytes:
    """A message on each line."""
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def framed(data: bytes) -> bytes:
    """Each line behind a header that says its length."""
    return b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(line), line) for line in data.split(b"\n") if line)


class Sent(NamedTuple):
    """What is sent over a pipe, and whether a sound request ends it, which must be answered before the pipe ends."""

    data: bytes
    last: bool

    def held(self, command: str, answered: io.BytesIO) -> io.BytesIO:
        """The pipe as the command reads it."""
        if not self.last:
            return io.BytesIO(self.data)
        end = lines([{"jsonrpc": "2.0", "id": LAST, "method": "ping" if command == "mcp" else "shutdown"}])
        return _Held(self.data + (b"\n" + end if command == "mcp" else framed(end)), answered)


#: The id of the request that ends what is sent.
LAST = "sent-at-the-very-end"


class _Held(io.BytesIO):
    """Does not end before the last request was answered, or half a minute has passed without."""

    def __init__(self, data: bytes, answered: io.BytesIO) -> None:
        super().__init__(data)
        self._answered = answered

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(-1 if size is None else size)
        for _ in range(0 if line else 3000):
            if LAST.encode() in self._answered.getvalue():
                break
            time.sleep(0.01)
        return line


def answers(command: str, out: bytes) -> list[dict[str, Any]]:
    """What came back; it must be whole messages and nothing else.

    Raises
    ------
    ValueError
        If it is not.
    """
    if command == "mcp":
        return [json.loads(line) for line in out.splitlines()]
    found = []
    while out:
        head, _, out = out.partition(b"\r\n\r\n")
        length = int(head.partition(b"Content-Length: ")[2].split(b"\r\n")[0])
        found.append(json.loads(out[:length]))
        out = out[length:]
    return found
