"""The server as one ASGI application: pages, static files, HTTP API, and mounted parts."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from fallax.web.corrected import open_project, project_part
from fallax.web.endpoints import endpoints_of
from fallax.web.http import error_response, json_response, route_of
from fallax.web.openapi import openapi_document
from fallax.web.pages import Pages, page_routes
from fallax.web.security import Guard
from fallax.web.settings import Part, ServerSettings
from fallax.web.verbs import Service

__all__ = ["create_app"]

_HERE = Path(__file__).parent


class _Files(StaticFiles):
    """The server's scripts and styles; browsers revalidate them on each use."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


def create_app(settings: ServerSettings | None = None, parts: Sequence[Part] = ()) -> Starlette:
    """The application.

    Parameters
    ----------
    settings : how the server was started.
    parts : further pages; each may bring routes, templates that extend ``base.html``, and static files. A route finds
        :class:`~fallax.web.pages.Pages` in ``request.app.state.pages``, for ``pages.show(request, "x.html", ...)``,
        and the verbs in ``request.app.state.service``.

    Examples
    --------
    >>> app = create_app(ServerSettings(port=8577))
    >>> any(route.path == "/v1/detect" for route in app.routes)
    True
    """
    settings = settings or ServerSettings()
    project = None if settings.project is None else open_project(settings.project)
    if project is not None:
        parts = (*parts, project_part(project))
    service = Service(settings, project)
    endpoints = endpoints_of(service)
    document = openapi_document(endpoints, token=bool(settings.token))
    pages = Pages(settings, parts)

    async def openapi(request: Request) -> Response:
        return json_response(document)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(service.watch.watch())
        warming = asyncio.get_running_loop().run_in_executor(None, _warm)
        yield
        watching.cancel()
        service.workers.close()
        service.store.close()
        if project is not None:
            project.close()
        with contextlib.suppress(Exception):
            await warming

    routes: list[BaseRoute] = [
        *page_routes(pages, endpoints),
        *(route_of(endpoint, service.loaded) for endpoint in endpoints),
        Route("/v1/openapi.json", openapi),
        *(route for part in parts for route in part.routes),
        *(
            Mount(f"/static/{part.name}", _Files(directory=part.folder / "static"), name=f"static-{part.name}")
            for part in parts
            if part.folder is not None and (part.folder / "static").is_dir()
        ),
        Mount("/static", _Files(directory=_HERE / "static"), name="static"),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, settings=settings)],
        exception_handlers={HTTPException: partial(_http_error, pages), 500: _fault},
        lifespan=lifespan,
    )
    app.state.settings, app.state.service, app.state.pages = settings, service, pages
    app.state.openapi = document
    return app


def _warm() -> None:
    """Load what most requests need, so that the first one is fast."""
    from fallax.web.offered import api

    api.detect("A first text is examined, so that the second need not wait.")


async def _http_error(pages: Pages, request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):  # only these come here
        raise error
    message = {404: "there is nothing at this address", 405: "the method is not allowed here"}.get(
        error.status_code, str(error.detail)
    )
    if request.url.path.startswith("/v1/") or "text/html" not in request.headers.get("accept", ""):
        answer = error_response(error.status_code, "http", message)
    else:
        answer = pages.show(request, "error.html", status=error.status_code, message=message)
        answer.status_code = error.status_code
    answer.headers.update(error.headers or {})
    return answer


async def _fault(request: Request, error: Exception) -> Response:
    return error_response(500, "fault", "a fault of fallax; the server's log says more")
