"""Connects HTTP to the verbs: bodies are parsed and validated, errors become one line and a status."""

from __future__ import annotations

import asyncio
import codecs
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from fallax.errors import (
    BudgetError,
    DetectorError,
    FallaxError,
    InputError,
    JudgeError,
    LogicError,
    MissingExtraError,
    ModelError,
    ModelTimeoutError,
    VerifierError,
    one_line,
)
from fallax.web.loading import UnloadableError
from fallax.web.store import CorrectedError
from fallax.web.work import BusyError

__all__ = ["Endpoint", "error_response", "event_stream", "json_response", "problem_of", "read_body", "route_of"]

#: Statuses of errors, with what they mean; they stand in the OpenAPI document.
STATUSES: Mapping[int, str] = {
    400: "The request is no HTTP request with a JSON body.",
    401: "The token is missing or wrong.",
    403: "The request comes from elsewhere.",
    404: "There is no such address.",
    409: "There is one already, and it must not be replaced.",
    413: "The request is too large.",
    415: "The body must be application/json, and not compressed.",
    422: "A value is not what it must be; the message names it.",
    429: "Too many requests wait; try again after the seconds of Retry-After.",
    501: "A part that this needs is not installed on the server.",
    502: "A chat model did not answer.",
    503: "A system cannot be loaded on the server; the server's log says why.",
    504: "It took too long.",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint of the HTTP API.

    Parameters
    ----------
    method, path : of the request; names in braces become arguments of ``call``.
    summary : one line for the documentation.
    call : gets the checked body (if there is one) and the names of the path; returns JSON values or a Response.
    request, response : types of the bodies.
    stream : a media type that is answered instead where it is asked for.
    media : the media type of the answer, where it is a file.
    upload : True if the body is a file, and ``?name=`` its name.
    example : a body, for the documentation.
    """

    method: str
    path: str
    summary: str
    call: Callable[..., Awaitable[Any]]
    response: type[BaseModel]
    request: type[BaseModel] | None = None
    response_list: bool = False
    stream: str = ""
    media: str = "application/json"
    upload: bool = False
    example: Mapping[str, Any] | None = None
    statuses: Sequence[int] = field(default=())

    @property
    def shown_example(self) -> str:
        """The example body as JSON for single quotes in a shell."""
        return json.dumps(self.example).replace("'", "\\u0027")


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """JSON with unpaired surrogates escaped, since UTF-8 cannot encode them."""
    try:
        body = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        body = json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")
    return Response(body, status, {"cache-control": "no-store", **(headers or {})}, "application/json")


def error_response(status: int, kind: str, message: str) -> Response:
    """An error in the API's format."""
    headers = {"retry-after": "2"} if status == 429 else {}
    return json_response({"error": {"kind": kind, "message": message}}, status, headers)


def problem_of(error: BaseException) -> tuple[int, str, str] | None:
    """Status, kind and message of an error that a request may cause; None for a bug of the server or of a system."""
    if isinstance(error, DetectorError | JudgeError | VerifierError):
        return None
    if isinstance(error, BusyError):
        return 429, "busy", "too many requests wait; try again in a moment"
    if isinstance(error, UnloadableError):
        return 503, "system", "this system cannot be loaded on the server; ask who runs it, whose log says why"
    if isinstance(error, ModelTimeoutError | TimeoutError):
        return 504, "timeout", one_line(error, 500) or "it took too long"
    if isinstance(error, MissingExtraError):
        return 501, "missing", one_line(error, 500)
    if isinstance(error, BudgetError):
        return 429, "budget", one_line(error, 500)
    if isinstance(error, ModelError):
        return 502, "model", one_line(error, 500)
    if isinstance(error, CorrectedError):
        return 409, "corrected", one_line(error, 500)
    if isinstance(error, InputError | LogicError):
        return 422, "input", one_line(error, 500)
    if isinstance(error, FallaxError):
        return 422, "error", one_line(error, 500)
    return None


#: An escape in JSON; the group ``half`` is half a surrogate pair without the other one.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\.",
    re.DOTALL,
)
#: How pydantic begins the name of one alternative of several, which stands between the names of the fields.
_ALTERNATIVES = ("constrained-", "dict[", "function-", "list[")


def _said(error: ValidationError) -> str:
    """The first validation error of a body: where, what must hold, what was found."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(x) for x in first["loc"] if not (isinstance(x, str) and x.startswith(_ALTERNATIVES)))
    found = first.get("input")
    got = f", got {one_line(found, 60)!r}" if isinstance(found, str) else ""
    if isinstance(found, int | float):
        got = f", got {one_line(json.dumps(found), 60)}"
    message = first["msg"][:1].lower() + first["msg"][1:]
    return one_line(f"{where}: {message}{got}" if where else f"{message}{got}", 500)


async def event_stream(events: AsyncGenerator[dict[str, Any], None]) -> Response:
    """Server-sent events, one per mapping; errors in the request are raised before the stream starts.

    Later errors are an event "error" with kind and message.
    """
    first = await anext(events)

    async def lines() -> AsyncIterator[bytes]:
        try:
            yield _event(first)
            async for event in events:
                yield _event(event)
        except Exception as error:
            problem = problem_of(error) or (500, "fault", "a fault of fallax; the server's log says more")
            yield _event({"event": "error", "kind": problem[1], "message": problem[2]})
            if problem[0] == 500:
                raise
        finally:
            await events.aclose()

    return StreamingResponse(lines(), 200, {"cache-control": "no-store"}, "text/event-stream")


def _event(event: Mapping[str, Any]) -> bytes:
    return f"event: {event['event']}\ndata: {json.dumps(event)}\n\n".encode("ascii")


async def read_body(request: Request, form: type[BaseModel]) -> BaseModel | Response:
    """The validated body, or the error response.

    A byte order mark is skipped, and half a surrogate pair is read as U+FFFD, of the same length.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        return error_response(415, "media", f"content-type: must be application/json, got {one_line(kind, 60)!r}")
    packed = request.headers.get("content-encoding", "identity").strip().lower()
    if packed != "identity":
        return error_response(415, "media", f"content-encoding: must be left out, got {one_line(packed, 60)!r}")
    body = (await request.body()).removeprefix(codecs.BOM_UTF8)
    try:
        return _validated(body, form)
    except ValidationError as error:
        if _is_bad_json(error):
            return error_response(400, "json", _said_of_json(error, body))
        return error_response(422, "input", _said(error))


def _validated(body: bytes, form: type[BaseModel]) -> BaseModel:
    try:
        return form.model_validate_json(body)
    except ValidationError as error:
        whole = _ESCAPE.sub(lambda found: rb"\ufffd" if found["half"] else found[0], body)
        if not _is_bad_json(error) or whole == body:
            raise
    return form.model_validate_json(whole)


def _is_bad_json(error: ValidationError) -> bool:
    return error.errors(include_url=False)[0]["type"] == "json_invalid"


def _said_of_json(error: ValidationError, body: bytes) -> str:
    """Why a body is no JSON."""
    if body[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or b"\0" in body[:2]:
        return "body: must be JSON in UTF-8, got UTF-16 or UTF-32"
    try:
        body.decode()
    except UnicodeDecodeError as wrong:
        return f"body: must be JSON in UTF-8, got the byte 0x{body[wrong.start]:02x} at position {wrong.start:,}"
    return f"body: must be JSON, got {_said(error)}"


def route_of(endpoint: Endpoint, ready: Callable[[], Awaitable[None]]) -> Route:
    """The Starlette route of an endpoint; ``ready`` is awaited before its verb is called."""

    async def answer(request: Request) -> Response:
        try:
            return await answered(request)
        except ClientDisconnect:  # nobody reads the answer, and it is no fault of the server
            return error_response(400, "gone", "the client closed the connection")

    async def answered(request: Request) -> Response:
        given: list[Any] = list(request.path_params.values())
        if endpoint.request is not None:
            body = await read_body(request, endpoint.request)
            if isinstance(body, Response):
                return body
            given.insert(0, body)
        if endpoint.upload:
            name = request.query_params.get("name", "")
            given += [name, await request.body()]
        if endpoint.stream and endpoint.stream in request.headers.get("accept", ""):
            given.append(request)
        try:
            await ready()
            found = await _unless_gone(request, endpoint.call(*given))
        except Exception as error:
            problem = problem_of(error)
            if problem is None:
                raise
            return error_response(*problem)
        return found if isinstance(found, Response) else json_response(found)

    return Route(endpoint.path, answer, methods=[endpoint.method])


async def _unless_gone(request: Request, work: Awaitable[Any]) -> Any:
    """Await the work; cancel it if the client disconnects, so that no model is asked in vain."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        gone.cancel()
        if not task.done():
            task.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
