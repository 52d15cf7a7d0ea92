"""The pages of the server: templates without request data, and scripts that fill them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, FileSystemLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from fallax._version import __version__
from fallax.render.html import environment
from fallax.web.http import Endpoint
from fallax.web.settings import Part, ServerSettings

__all__ = ["Pages", "page_routes"]

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of the navigation."""

    path: str
    title: str


class Pages:
    """Renders templates with the common parts of every page: navigation, title, version.

    Parameters
    ----------
    settings : of the server.
    parts : whose templates and entries in the navigation there are too.
    """

    def __init__(self, settings: ServerSettings, parts: Sequence[Part] = ()) -> None:
        self._settings = settings
        folders = [_TEMPLATES, *(part.folder / "templates" for part in parts if part.folder is not None)]
        self._environment = environment().overlay(loader=ChoiceLoader([FileSystemLoader(f) for f in folders]))
        self.navigation = [
            _Entry("/examine", "Examine"),
            _Entry("/faithful", "Faithful?"),
            _Entry("/why", "Why?"),
            _Entry("/make", "Make"),
            _Entry("/runs", "Runs"),
            *(_Entry(part.path, part.title) for part in parts if part.title),
        ]

    @property
    def token(self) -> str:
        """The authentication that requests must carry, if any."""
        return self._settings.token

    def show(self, request: Request, template: str, **values: Any) -> Response:
        """A page; ``values`` are escaped where the template shows them."""
        shown = self._environment.get_template(template).render(
            navigation=self.navigation,
            path=request.url.path,
            version=__version__,
            models=sorted(self._settings.models),
            fetch=self._settings.fetch,
            runs="" if self._settings.runs is None else self._settings.runs.name,
            **values,
        )
        return HTMLResponse(shown, headers={"cache-control": "no-cache"})


def page_routes(pages: Pages, endpoints: Sequence[Endpoint]) -> list[BaseRoute]:
    """The routes of our own pages."""

    async def home(request: Request) -> Response:
        return RedirectResponse("/examine", 303)

    async def documentation(request: Request) -> Response:
        host = request.headers.get("host", "127.0.0.1:8577")
        return pages.show(request, "api.html", endpoints=endpoints, host=host, token=bool(pages.token))

    def page(name: str, path: str = "") -> Route:
        async def shown(request: Request) -> Response:
            return pages.show(request, f"{name}.html")

        return Route(path or f"/{name}", shown)

    return [
        Route("/", home),
        *(page(name) for name in ("examine", "faithful", "why", "make", "runs")),
        *(page(name, f"/{name}/{{id}}") for name in ("examine", "faithful", "why")),
        page("run", "/runs/view"),
        Route("/api", documentation),
    ]
