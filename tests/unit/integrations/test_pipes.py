"""An editor or an agent that sends anything at all: the servers go on, say a line, and end where the pipe ends."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from contextlib import suppress
from typing import IO, Any, cast

import pytest

pytest.importorskip("mcp", reason="needs the extra mcp")
pytest.importorskip("pygls", reason="needs the extra lsp: pip install 'fallax[lsp]'")

from fallax.integrations.pipes import MAX_MESSAGE, Answers, BoundedLines, FramedMessages, _Lines
from tests.support.fuzzing import run
from tests.support.pipes import AGENT, EDITOR, URI, Sent, answers, framed, lines, notice, request

LSP = ["lsp", "--system", "linear", "--delay", "0"]
DEEP = b'{"jsonrpc":"2.0","id":7,"method":"ping","params":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
#: What is said to either, as the content of a message: no JSON, no object, other types, other encodings, too deep.
CONTENT = {
    "nothing": b" ",
    "no JSON": b"{'jsonrpc': 2.0",
    "half": b'{"jsonrpc":"2.0","id":',
    "a number": b"7",
    "a list": json.dumps([request(5, "ping")]).encode(),
    "no method": b'{"jsonrpc":"2.0","id":5}',
    "another version": b'{"jsonrpc":"1.0","id":5,"method":"ping"}',
    "id is a list": b'{"jsonrpc":"2.0","id":[5],"method":"ping"}',
    "id is huge": b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}',
    "method is null": b'{"jsonrpc":"2.0","id":5,"method":null}',
    "params is a text": b'{"jsonrpc":"2.0","id":5,"method":"ping","params":"x"}',
    "unknown": b'{"jsonrpc":"2.0","id":5,"method":"\\u001b[2J","params":{}}',
    "an answer nobody asked for": b'{"jsonrpc":"2.0","id":5,"result":{}}',
    "an error nobody made": b'{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"\\u001b]0;x\\u0007"}}',
    "UTF-16": json.dumps(request(5, "ping")).encode("utf-16"),
    "no UTF-8": b'{"jsonrpc":"2.0","id":5,"method":"\xff\xfe\x00"}',
    "half a character": b'{"jsonrpc":"2.0","id":5,"method":"\\ud800","params":{"a":"\\udfff"}}',
    "not a number": b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"n":NaN,"m":1e999}}',
    "deep": DEEP,
    "long": b'{"jsonrpc":"2.0","id":5,"method":"ping","params":"' + b"x" * MAX_MESSAGE + b'"}',
}
#: What an editor says with parameters of other kinds, and what an agent does.
TO_EDITOR: dict[str, dict[str, Any]] = {
    "hover nowhere": request(5, "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": -(9**30)}}),
    "hover far": request(
        5, "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 10**30, "character": -(10**30)}}
    ),
    "hover of no address": request(
        5, "textDocument/hover", {"textDocument": {"uri": "file://[\0"}, "position": {"line": 0, "character": 0}}
    ),
    "change of a file that is not open": notice(
        "textDocument/didChange",
        {"textDocument": {"uri": "file:///dev/zero", "version": 1}, "contentChanges": [{"text": "x"}]},
    ),
    "change by a piece": notice(
        "textDocument/didChange",
        {
            "textDocument": {"uri": URI, "version": 3},
            "contentChanges": [{"range": {"start": {"line": 9, "character": 9}, "end": {"line": 0}}, "text": "x"}],
        },
    ),
    "close of nothing": notice("textDocument/didClose", {"textDocument": {"uri": "file:///none.md"}}),
    "open of a number": notice("textDocument/didOpen", {"textDocument": {"uri": 7, "languageId": [], "text": None}}),
    "unknown command": request(5, "workspace/executeCommand", {"command": "\x1b[2J", "arguments": [1]}),
    "command without words": request(5, "workspace/executeCommand", {"command": "fallax.dismiss", "arguments": []}),
    "command with nothing": request("x" * 500, "workspace/executeCommand", {"command": "fallax.explain"}),
    "command of nothing": request(5, "workspace/executeCommand", {"command": "fallax.dismiss"}),
    "command with others": request(
        5, "workspace/executeCommand", {"command": "fallax.explain", "arguments": [[], {}, "x", None, 5]}
    ),
    "cancel of nothing": notice("$/cancelRequest", {"id": [1]}),
    "cancel without params": notice("$/cancelRequest"),
    "initialize again": request(5, "initialize", {"processId": "x", "rootUri": 5, "capabilities": []}),
    "open of half a character": notice(
        "textDocument/didOpen",
        {
            "textDocument": {
                "uri": "file:///\ud800.md",
                "languageId": "markdown",
                "version": 1,
                "text": "\ud800 You lie.",
            }
        },
    ),
}
TO_AGENT: dict[str, dict[str, Any]] = {
    "unknown tool": request(5, "tools/call", {"name": "\x1b[2J", "arguments": {}}),
    "no arguments": request(5, "tools/call", {"name": "detect"}),
    "arguments of other types": request(5, "tools/call", {"name": "detect", "arguments": {"text": ["a"]}}),
    "arguments are a list": request(5, "tools/call", {"name": "detect", "arguments": [1]}),
    "half a character": request(5, "tools/call", {"name": "detect", "arguments": {"text": "\ud800 You lie."}}),
    "deep structure": request(5, "tools/call", {"name": "check_structure", "arguments": {"text": "[" * 99_000}}),
    "a cycle": request(5, "tools/call", {"name": "check_structure", "arguments": {"text": "A -> A\n" * 9_000}}),
    "evidence is a text": request(
        5, "tools/call", {"name": "verify_claim", "arguments": {"claim": "x", "evidence": "y"}}
    ),
    "seed is huge": request(5, "tools/call", {"name": "generate_pair", "arguments": {"fallacy": "FS", "seed": 10**40}}),
    "a path": request(5, "resources/read", {"uri": "fallax://card/../../etc/passwd"}),
    "no address": request(5, "resources/read", {"uri": "[\x00"}),
    "a cursor": request(5, "tools/list", {"cursor": {"a": 1}}),
    "cancel of nothing": notice("notifications/cancelled", {"requestId": [1]}),
    "initialize again": request(5, "initialize", {"protocolVersion": 7, "capabilities": [], "clientInfo": None}),
    "another protocol": request(5, "ping", {"_meta": {"io.modelcontextprotocol/protocolVersion": [2]}}),
}


def check(words: list[str], sent: bytes, *, last: bool = False) -> list[Any]:
    """The ids that were answered; the server ends by itself and says whole lines, none of them a traceback.

    ``last``: a sound request is sent at the end, and must be answered.
    """
    done = run(words, Sent(sent, last))
    assert not done.fault, done.fault
    assert done.code == 0, done.err
    for line in done.err.splitlines():
        assert line.startswith("fallax: "), line
        assert line.isprintable(), line
    return [m.get("id") for m in answers(words[0], done.out.encode()) if isinstance(m.get("id"), int)]


def test_an_editor_that_sends_anything_is_answered_afterwards() -> None:
    content = [*CONTENT.values(), *(json.dumps(message).encode() for message in TO_EDITOR.values())]
    hostile = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(c), c) for c in content)
    answered = check(LSP, framed(lines(EDITOR[:-1])) + hostile, last=True)
    assert {1, 2, 3, 4} <= set(answered)


def test_an_agent_that_sends_anything_is_answered_afterwards() -> None:
    sent = lines(AGENT) + b"\n".join(CONTENT.values()) + b"\n" + lines(TO_AGENT.values())
    assert set(range(1, 11)) <= set(check(["mcp"], sent, last=True))


@pytest.mark.parametrize("words", [LSP, ["mcp"]], ids=["lsp", "mcp"])
def test_what_is_said_before_all_else_stops_nothing(words: list[str]) -> None:
    """Before the handshake, and without one."""
    for sent in (b"", b"\n" * 50, b"\0" * 5000, b"x" * 100_000, DEEP, *CONTENT.values()):
        piped = sent if words == ["mcp"] else b"Content-Length: %d\r\n\r\n%b" % (len(sent), sent)
        check(words, piped)


HEADERS = {
    "no number": b"Content-Length: ten\r\n\r\n",
    "negative": b"Content-Length: -5\r\n\r\n",
    "a number of 5,000 digits": b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n",
    "20 digits": b"Content-Length: 99999999999999999999\r\n\r\n",
    "nothing": b"Content-Length: 0\r\n\r\n",
    "twice": b"Content-Length: 2\r\nContent-Length: 4\r\n\r\n{}",
    "many": b"X-Y: z\r\n" * 20_000 + b"\r\n",
    "long": b"X: " + b"y" * 5_000_000 + b"\r\n\r\n",
    "small letters": b"content-length: 2\n\n{}",
    "no UTF-8": b"\xff\xfe\r\n\x00\r\n\r\n",
    "HTTP": b"POST / HTTP/1.1\r\nHost: x\r\n\r\n",
}


def test_after_headers_of_any_kind_the_next_message_is_read() -> None:
    check(LSP, framed(lines(EDITOR[:2])) + b"".join(HEADERS.values()), last=True)


@pytest.mark.parametrize("length", [10**9, 10**18, MAX_MESSAGE])
def test_a_length_that_is_never_reached_ends_with_the_pipe(length: int) -> None:
    assert check(LSP, framed(lines(EDITOR[:1])) + b"Content-Length: %d\r\n\r\n{" % length) == [1]


def test_what_is_too_long_is_named_and_left_out() -> None:
    sent = io.BytesIO(b"Content-Length: %d\n\n" % (MAX_MESSAGE + 1) + b"x" * (MAX_MESSAGE + 1) + b"A\n")
    stream = FramedMessages(sent, Answers(io.BytesIO()))
    assert stream.readline() == b"Content-Length: %d\r\n" % (MAX_MESSAGE + 1)
    assert stream.readline() == b"\r\n"
    assert json.loads(stream.read(MAX_MESSAGE + 1))["method"] == "$/leftOut"
    assert stream.readline() == b"A\n"
    lines = BoundedLines(io.BytesIO(b"x" * 99 + b"\nA\n" + b"y" * 99), most=98)
    bounded = io.TextIOWrapper(cast(IO[bytes], lines))
    assert bounded.readlines() == ["\n", "A\n", "\n"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_line_of_the_greatest_length_is_read_whole(end: bytes) -> None:
    lines = BoundedLines(io.BytesIO(b"x" * 98 + end), most=98)
    assert lines.read1() == b"x" * 98 + end
    assert lines.read1() == b""
    longer = BoundedLines(io.BytesIO(b"x" * 99 + end), most=98)
    assert (longer.read1(), longer.read1()) == (b"\n", b"")


def test_what_cannot_be_logged_stops_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = logging.Logger("other")
    log.addHandler(_Lines())
    log.warning("%d pieces", "no")
    assert capsys.readouterr().err == ""
    log.warning("%d pieces", 2)
    assert capsys.readouterr().err == "fallax: 2 pieces\n"
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    log.warning("nobody reads it")


@pytest.mark.parametrize("words", [LSP, ["mcp"]], ids=["lsp", "mcp"])
def test_who_stops_listening_is_no_traceback(words: list[str]) -> None:
    """As an editor that was killed: nobody reads what is answered."""
    process = subprocess.Popen(
        [sys.executable, "-m", "fallax", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()
    sent = lines(AGENT) if words == ["mcp"] else framed(lines(EDITOR))
    assert process.stdin is not None
    assert process.stderr is not None
    with suppress(BrokenPipeError):
        process.stdin.write(sent)
        process.stdin.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    process.wait(100)
    assert process.returncode in (1, 141)  # as other commands
    assert not err
