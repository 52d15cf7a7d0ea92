"""An editor as far as the protocol goes: JSON-RPC over the pipes of `fallax lsp`, written without any library."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


class LanguageClient:
    """Starts the server, sends messages, and keeps what comes in between."""

    def __init__(
        self, *options: str, folder: Path | None = None, env: dict[str, str] | None = None, **given: Any
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fallax", "lsp", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
        )
        self.came: list[dict[str, Any]] = []
        self._last = 0
        uri = None if folder is None else folder.as_uri()
        folders = None if uri is None else [{"uri": uri, "name": "work"}]
        about = {"processId": None, "rootUri": uri, "workspaceFolders": folders, "capabilities": {}} | given
        self.about = self.ask("initialize", about)
        self.tell("initialized", {})

    def _send(self, message: dict[str, Any]) -> None:
        raw = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(raw), raw))
        self.process.stdin.flush()

    def _next(self) -> dict[str, Any]:
        out = self.process.stdout
        assert out is not None
        length = 0
        while (line := out.readline().strip()) or not length:
            assert line, "the server ended"
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        found: dict[str, Any] = json.loads(out.read(length))
        return found

    def tell(self, method: str, params: Any) -> None:
        """A notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        """A request and its answer."""
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        found = self.wait(lambda m: m.get("id") == self._last and "method" not in m)
        assert "error" not in found, found
        return found["result"]

    def wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message of a kind; those before it are kept in ``came``."""
        while not wanted(message := self._next()):
            self.came.append(message)
        return message

    def open(self, uri: str, language: str, text: str) -> None:
        self.tell(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}},
        )

    def change(self, uri: str, version: int, text: str) -> None:
        self.tell(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]},
        )

    def diagnostics(self, version: int | None) -> list[dict[str, Any]]:
        """What is shown of this version of a document."""
        found = self.wait(
            lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"].get("version") == version
        )
        shown: list[dict[str, Any]] = found["params"]["diagnostics"]
        return shown

    def end(self) -> int:
        self.ask("shutdown", None)
        self.tell("exit", None)
        code = self.process.wait(60)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        return code
