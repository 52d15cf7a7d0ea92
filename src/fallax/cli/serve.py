"""``fallax serve``: the verbs as pages in a browser and as an HTTP API."""

from __future__ import annotations

import secrets
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fallax.cli._models import CachePath, MaxCost, ModelOptions
from fallax.cli._terminal import tell
from fallax.errors import InputError, MissingExtraError, one_line

if TYPE_CHECKING:
    from fallax.web import ServerSettings

__all__ = ["app", "listen", "run_server", "serve_settings"]

app = typer.Typer(name="serve", pretty_exceptions_enable=False, add_completion=False)


@app.command()
def serve(
    host: Annotated[
        str, typer.Option("--host", help="Address to listen on; beyond this machine a token is needed.")
    ] = ("127.0.0.1"),
    port: Annotated[int, typer.Option("--port", help="Port to listen on; 0: any free port.", min=0, max=65535)] = 8577,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            envvar="FALLAX_SERVE_TOKEN",
            help="Bearer token that requests must send [generated if other hosts can connect].",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option("--allow-host", help="Another host name of this server; repeatable.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", metavar="PROVIDER/MODEL", help="Offer a chat model; repeatable; see `fallax models list` [none]."
        ),
    ] = None,
    model_option: ModelOptions = None,
    runs: Annotated[Path | None, typer.Option("--runs", help="Show the run folders in this folder [none].")] = None,
    store: Annotated[
        Path | None, typer.Option("--store", help="Keep results and corrections in this file [in your data folder].")
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option("--project", help="Annotation project of the page Annotate [annotations.sqlite beside --store]."),
    ] = None,
    fetch: Annotated[bool, typer.Option("--fetch/--no-fetch", help="Let users name public web pages to read.")] = True,
    max_cost: MaxCost = None,
    cache: CachePath = None,
) -> None:
    """Serve detect, debate, verify, generate and annotate as pages in a browser, and as an HTTP API.

    Needs no key and no internet. Chat models are offered only if --model names them; their keys stay on this machine.
    """
    from fallax.annotation.store import AnnotationStore
    from fallax.web.store import default_store_path

    if project is not None and project.exists():  # the page opens it when it is asked for
        AnnotationStore(project).close()
    with listen(host, port) as sock:
        settings = serve_settings(
            host=host,
            port=sock.getsockname()[1],
            token=token,
            allow_host=allow_host or [],
            models=_models(model or [], model_option or [], cache, max_cost),
            runs=runs,
            store=store or default_store_path(),
            project=project or (store or default_store_path()).with_name("annotations.sqlite"),
            fetch=fetch,
        )
        _serve(settings, sock, open_browser=open_browser)


def _models(names: list[str], options: list[str], cache: Path | None, max_cost: float | None) -> dict[str, Any]:
    if options and not names:
        raise InputError("-M needs --model")
    if not names:
        return {}
    from fallax.models import Budget, Cache, load_model, parse_options

    opened = None if cache is None else Cache(cache)
    budget = Budget(max_cost=max_cost)
    return {n: load_model(n, options=parse_options(options), cache=opened, budget=budget) for n in names}


def serve_settings(*, host: str, token: str | None, allow_host: list[str], **more: Any) -> ServerSettings:
    """The server settings from the command's options; a token is made if others can reach the server.

    Raises
    ------
    MissingExtraError
        If Starlette or uvicorn are not installed.
    """
    try:
        import uvicorn  # noqa: F401

        from fallax.web import ServerSettings
        from fallax.web.settings import is_loopback
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "fallax":
            raise
        raise MissingExtraError("the web server", extra="serve") from None
    if more.get("runs") is not None and not more["runs"].is_dir():
        raise InputError(f"--runs: must be a folder, got {one_line(more['runs'], 200)}")
    if not token and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    return ServerSettings(host=host, token=token or "", hosts=tuple(h.lower() for h in allow_host), **more)


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket, so that the port is known before the address is printed."""
    sock: socket.socket | None = None
    try:
        family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family, kind, number)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(256)
    except OSError as error:
        if sock is not None:
            sock.close()
        raise InputError(
            f"--host {one_line(host, 60)}, --port {port}: must be an address that is free, got"
            f" {one_line(error.strerror or error, 120)}; --port 0 takes any free port"
        ) from None
    return sock


def _serve(settings: ServerSettings, sock: socket.socket, *, open_browser: bool) -> None:
    from fallax.web import create_app

    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{settings.port}/" + (f"?token={settings.token}" if settings.token else "")
    with sock:
        typer.echo(f"fallax serve: {address}")
        tell("Ctrl-C stops the server.")
        run_server(create_app(settings), sock, address if open_browser else None)


def run_server(application: Any, sock: socket.socket, address: str | None) -> None:
    """Serve until Ctrl-C, and open the address in a browser if there is one."""
    import uvicorn

    config = uvicorn.Config(
        application, log_level="warning", server_header=False, ws="none", timeout_graceful_shutdown=3
    )
    if address is not None:
        import webbrowser

        threading.Timer(0.6, webbrowser.open, [address]).start()
    uvicorn.Server(config).run(sockets=[sock])
