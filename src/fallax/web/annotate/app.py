"""The annotation pages as routes, for their own server or as a part of ``fallax serve``."""

from __future__ import annotations

import asyncio
import hmac
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from jinja2 import FileSystemLoader
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from fallax.annotation.jobs import check_answer, job_of, label_tree, taxonomy_of
from fallax.annotation.store import ADJUDICATOR, AnnotationStore, ConflictError
from fallax.core.texts import sentence_spans
from fallax.errors import FallaxError, InputError, UnknownNameError, one_line
from fallax.render.html import environment
from fallax.web.security import Guard
from fallax.web.settings import Part, ServerSettings

if TYPE_CHECKING:
    from fallax.annotation.view import Section

__all__ = ["annotate_app", "annotate_part"]

_HERE = Path(__file__).parent
#: For whom a page was opened, percent-encoded.
_FOR = "x-fallax-annotator"
#: Items on one page of a list.
_ON_PAGE = 100
#: What the page of agreement looks at: texts at most, texts times pairs of annotators, annotators for gamma.
_LIVE, _LIVE_WORK, _LIVE_GAMMA = 100, 4_000, 4
_WORD = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")


class _Refused(Exception):
    """A refused request: status and message."""

    def __init__(self, status: int, message: str) -> None:
        self.status, self.message = status, message
        super().__init__(message)


def annotate_part(store: AnnotationStore, *, home: str = "") -> Part:
    """The pages of a project as a part of another server, whose first page is ``home``."""
    return Part("annotate", "Annotate", "/annotate", _Pages(store, home).routes(), _HERE)


def annotate_app(store: AnnotationStore, settings: ServerSettings | None = None) -> Starlette:
    """A server for the annotation pages of one project.

    Parameters
    ----------
    store : the project.
    settings : host, port and further names; see :class:`fallax.web.settings.ServerSettings`.
    """

    async def home(request: Request) -> Response:
        return RedirectResponse("/annotate", 303)

    return Starlette(
        routes=[
            Route("/", home),
            *_Pages(store).routes(),
            Mount("/static/annotate", StaticFiles(directory=_HERE / "static")),
            Mount("/static", StaticFiles(directory=_HERE.parent / "static")),
        ],
        middleware=[Middleware(Guard, settings=settings or ServerSettings())],
    )


_Call = Callable[[Request, str], Awaitable[Response]]


class _Pages:
    """The routes over one project."""

    def __init__(self, store: AnnotationStore, home: str = "") -> None:
        self.store = store
        self.home = home
        # all ports of a host share their cookies, and other projects may be there
        self.cookie = f"fallax_annotator_{store.key()}"
        self.job = job_of(store)
        self.taxonomy = taxonomy_of(store)
        self.templates = environment().overlay(
            loader=FileSystemLoader([_HERE / "templates", _HERE.parent / "templates"])
        )

    def routes(self) -> list[BaseRoute]:
        """All addresses under ``/annotate``."""
        page, call = self._page, self._call
        return [
            Route("/annotate", page(self.overview)),
            Route("/annotate/enter", self.enter),
            Route("/annotate/text/{number:int}", page(self.work)),
            Route("/annotate/guidelines", page(self.guidelines)),
            Route("/annotate/adjudicate", page(self.adjudication_list)),
            Route("/annotate/adjudicate/{number:int}", page(self.adjudicate)),
            Route("/annotate/agreement", page(self.agreement)),
            Route("/annotate/v1/items/{number:int}", call(self.read), methods=["GET"]),
            Route("/annotate/v1/items/{number:int}", call(self.write), methods=["PUT"]),
            Route("/annotate/v1/items/{number:int}/suggestions", call(self.suggest), methods=["POST"]),
            Route("/annotate/v1/decisions/{number:int}", call(self.read_decision), methods=["GET"]),
            Route("/annotate/v1/decisions/{number:int}", call(self.write_decision), methods=["PUT"]),
        ]

    # who asks

    def _person(self, request: Request) -> str:
        """The annotator who owns the request's token."""
        people = self.store.annotators()
        try:
            cookie = SimpleCookie(request.headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            cookie = None
        name, _, token = (cookie.value if cookie is not None else "").rpartition(":")
        name = unquote(name)
        known = self.store.token_of(name) if name in people else None
        if known is not None and hmac.compare_digest(known.encode(), token.encode()):
            meant = one_line(unquote(request.headers.get(_FOR, name)), 60)
            if meant != one_line(name, 60):
                raise _Refused(
                    401,
                    f"this page is {meant}'s, but the link of {name} was opened in this browser since; open the link of"
                    f" {meant} again in another tab",
                )
            return name
        raise _Refused(401, "open the link that was given to you; it holds your name and your token")

    async def enter(self, request: Request) -> Response:
        """Move name and key from the link into a cookie."""
        name, token = request.query_params.get("name", ""), request.query_params.get("key", "")
        known = self.store.token_of(name)
        if known is None or not hmac.compare_digest(known.encode(), token.encode()):
            return self._error(401, "this link is not valid; ask for a new one")
        response = RedirectResponse("/annotate", 303)
        value = f"{quote(name, safe='')}:{token}"
        response.set_cookie(self.cookie, value, max_age=90 * 86400, httponly=True, samesite="strict", path="/annotate")
        return response

    def _page(self, show: _Call) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            try:
                return await show(request, self._person(request))
            except _Refused as refused:
                return self._error(refused.status, refused.message)
            except UnknownNameError as error:
                return self._error(404, str(error))

        return answered

    def _call(self, answer: _Call) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            try:
                return await answer(request, self._person(request))
            except _Refused as refused:
                return JSONResponse({"error": refused.message}, refused.status)
            except ConflictError as conflict:
                return JSONResponse({"error": str(conflict), "current": conflict.current.to_dict()}, 409)
            except UnknownNameError as error:
                return JSONResponse({"error": str(error)}, 404 if error.kind == "item" else 422)
            except FallaxError as error:
                return JSONResponse({"error": str(error)}, 422)

        return answered

    def _show(self, template: str, person: str, status: int = 200, **values: Any) -> Response:
        adjudicates = self.store.annotators().get(person, False)
        shown = self.templates.get_template(template).render(
            person=person,
            project=self.store.key(),
            home=self.home,
            job=self.job,
            title=self.store.setting("title") or self.job.title,
            adjudicates=adjudicates,
            guidelines=bool(self.store.setting("guidelines")),
            **values,
        )
        return HTMLResponse(shown, status, headers={"cache-control": "no-store"})

    def _error(self, status: int, message: str) -> Response:
        return self._show("annotate_error.html", "", status, message=message)

    def _must_adjudicate(self, person: str) -> None:
        if not self.store.annotators().get(person):
            raise _Refused(403, "only adjudicators see what others said")

    # pages

    async def overview(self, request: Request, person: str) -> Response:
        """The page with progress and the list of items."""
        states = self.store.states(person)
        shown = "summary" if self.job.name == "faithfulness" else self.job.shows[0][0]
        first = self.store.next_after(0, person)
        n_items = self.store.n_items()
        page = _page_of(request, first or 1, n_items)
        items = [(n, text, states.get(n, "")) for n, text in self.store.titles(shown, page)]
        progress = self.store.progress()
        seen = progress if self.store.annotators().get(person) else {person: progress[person]}
        if ADJUDICATOR in seen:
            n_outdated = len(self.store.outdated())
            seen[ADJUDICATOR]["done"] -= n_outdated
            seen[ADJUDICATOR]["open"] += n_outdated
        return self._show(
            "annotate_overview.html", person, items=items, progress=seen, first=first, n_items=n_items, page=page
        )

    async def work(self, request: Request, person: str) -> Response:
        """The page of one item; its script loads the data."""
        number = int(request.path_params["number"])
        item = self.store.item(number)
        template = "annotate_spans.html" if self.job.name == "spans" else "annotate_form.html"
        return self._show(template, person, number=number, item=item, n_items=self.store.n_items())

    async def guidelines(self, request: Request, person: str) -> Response:
        """The guidelines in Markdown."""
        return self._show("annotate_guidelines.html", person, html=_markdown(self.store.setting("guidelines", "")))

    async def adjudication_list(self, request: Request, person: str) -> Response:
        """The items that two or more annotators finished, and all with a decision."""
        self._must_adjudicate(person)
        if self.job.name != "spans":
            raise _Refused(404, "adjudication is there for spans; export the others and merge them with fallax agree")
        through = self.store.through()
        outdated = self.store.outdated()
        decided = {n for n, own in through.items() if ADJUDICATOR in own} - outdated
        people = {n: [p for p in own if p != ADJUDICATOR] for n, own in through.items()}
        listed = [n for n, own in through.items() if len(people[n]) > 1 or ADJUDICATOR in own]
        first = next((n for n in listed if n not in decided), 1)
        n_items = self.store.n_items()
        page = _page_of(request, first, n_items)
        rows = [
            (n, text, people[n], "decided" if n in decided else "changed" if n in outdated else "open")
            for n, text in self.store.titles("text", sorted(set(page) & set(listed)))
        ]
        return self._show("annotate_adjudications.html", person, rows=rows, page=page, n_items=n_items)

    async def adjudicate(self, request: Request, person: str) -> Response:
        """The page that shows all answers to one item side by side."""
        self._must_adjudicate(person)
        number = int(request.path_params["number"])
        return self._show("annotate_adjudicate.html", person, number=number, item=self.store.item(number))

    async def agreement(self, request: Request, person: str) -> Response:
        """Agreement on all finished items."""
        self._must_adjudicate(person)
        message = "No text is done by two annotators yet, so there is nothing to measure."
        sections: list[Section] = []
        try:
            if any(len({*own} - {ADJUDICATOR}) > 1 for own in self.store.through().values()):
                message, sections = "", await asyncio.to_thread(self._sections)
        except InputError as error:
            message = str(error)
        return self._show("annotate_agreement.html", person, sections=sections, message=message)

    def _sections(self) -> list[Section]:
        """Agreement tables, on a sample if there are many texts; gamma only if it is fast."""
        n_people = len(self.store.annotators())
        n_pairs = max(1, n_people * (n_people - 1) // 2)
        from fallax.annotation.agreement import agreement_report  # needs scipy, which other pages need not wait for
        from fallax.annotation.project import annotations_of
        from fallax.annotation.view import agreement_sections

        said = annotations_of(self.store, most=max(20, min(_LIVE, _LIVE_WORK // n_pairs)))
        few = len(said.annotators) <= _LIVE_GAMMA
        report = agreement_report(said, n_resamples=100, precision=None, samples=10, with_gamma=few)
        return agreement_sections(report)

    # what the scripts ask

    async def read(self, request: Request, person: str) -> Response:
        """Everything that an item's page shows, with the annotator's answer."""
        number = int(request.path_params["number"])
        item = self.store.item(number)
        self.store.opened(number, person)
        answer = self.store.answer(number, person)
        text = str(item.payload.get(self.job.marks, "")) if self.job.marks else ""
        found: dict[str, Any] = {
            "number": number,
            "id": item.id,
            "payload": {name: item.payload.get(name, "") for name, _ in self.job.shows},
            "title": item.payload.get("title", ""),
            "job": self.job.to_dict(),
            "sentences": list(sentence_spans(text)) if text else [],
            "words": [m.span() for m in _WORD.finditer(text)],
            "answer": None if answer is None else answer.to_dict(),
            "next": self.store.next_after(number, person),
            "n_items": self.store.n_items(),
            "suggestions": self.store.has_suggestions(),
        }
        if self.job.name == "spans":
            found["labels"] = label_tree(self.taxonomy)
        return JSONResponse(found, headers={"cache-control": "no-store"})

    async def write(self, request: Request, person: str) -> Response:
        """Save the annotator's answer."""
        number = int(request.path_params["number"])
        body = await _body(request)
        item = self.store.item(number)
        done = bool(body.get("done"))
        value = check_answer(self.job, body.get("value"), item, taxonomy=self.taxonomy, done=done)
        return self._kept(number, person, value, body, done)

    def _kept(self, number: int, person: str, value: dict[str, Any], body: Mapping[str, Any], done: bool) -> Response:
        revision = body.get("revision")
        if type(revision) is not int:
            raise InputError("revision: must be the number of the answer that was changed, 0 for the first")
        answer = self.store.save(number, person, value, done=done, revision=revision, force=body.get("force") is True)
        return JSONResponse({**answer.to_dict(), "next": self.store.next_after(number, person)})

    async def suggest(self, request: Request, person: str) -> Response:
        """The detector's suggestions, available after the annotator's own pass."""
        return JSONResponse({"suggestions": self.store.suggestions(int(request.path_params["number"]), person)})

    async def read_decision(self, request: Request, person: str) -> Response:
        """All answers to an item, and the adjudicator's decision."""
        self._must_adjudicate(person)
        number = int(request.path_params["number"])
        item = self.store.item(number)
        made_on = self.store.made_on([number]).get(number, "")  # before the answers: they may be newer, never older
        answers = self.store.answers(numbers=[number], done=True)
        decided = next((a for a in answers if a.annotator == ADJUDICATOR), None)
        open_decision = decided or self.store.answer(number, ADJUDICATOR)
        return JSONResponse(
            {
                "number": number,
                "id": item.id,
                "text": item.payload["text"],
                "made_on": made_on,
                "outdated": bool(self.store.outdated(numbers=[number])),
                "answers": {a.annotator: a.value for a in answers if a.annotator != ADJUDICATOR},
                "decision": None if open_decision is None else open_decision.to_dict(),
                "n_items": self.store.n_items(),
            },
            headers={"cache-control": "no-store"},
        )

    async def write_decision(self, request: Request, person: str) -> Response:
        """Save the adjudicator's decision."""
        self._must_adjudicate(person)
        number = int(request.path_params["number"])
        body = await _body(request)
        value = check_answer(self.job, body.get("value"), self.store.item(number), taxonomy=self.taxonomy, done=False)
        made_on = str(body["value"].get("made_on") or self.store.made_on([number]).get(number, ""))
        return self._kept(
            number, ADJUDICATOR, {**value, "by": person, "made_on": made_on}, body, bool(body.get("done"))
        )


async def _body(request: Request) -> dict[str, Any]:
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise InputError("body: must be application/json")
    try:
        found = json.loads(await request.body())
    except ValueError as error:
        raise InputError("body: must be JSON") from error
    if not isinstance(found, dict):
        raise InputError("body: must be a JSON object")
    return found


def _page_of(request: Request, near: int, n_items: int) -> range:
    """The item numbers on one page of the list: the requested page, else the page of an item."""
    try:
        at = max(1, min(int(request.query_params["from"]), n_items))
    except (KeyError, ValueError):
        at = near
    first = (at - 1) // _ON_PAGE * _ON_PAGE + 1
    return range(first, min(n_items, first + _ON_PAGE - 1) + 1)


def _markdown(text: str) -> str:
    """Markdown as HTML; raw HTML is shown as text, and only web links are kept."""
    from markdown_it import MarkdownIt

    return str(MarkdownIt("js-default", {"html": False, "linkify": False}).disable("image").render(text))
