"""``fallax annotate`` as a process, and a browser on its pages. Needs Playwright for Python."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright import sync_api as playwright_api

from tests.support.browser import CHROMIUM

ROOT = Path(__file__).parents[2]
expect = playwright_api.expect
expect.set_options(timeout=120_000)


class Server:
    """``fallax annotate`` as a process of its own, on one port, so that it can be killed and begun again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.links: dict[str, str] = {}
        self.process: subprocess.Popen[str] | None = None

    def start(self, *words: str) -> None:
        command = [sys.executable, "-m", "fallax", "annotate", *words, "--no-open", "--port", str(self.port)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stderr.readline()  # "The project is ...", written after all links
        for _ in range(3):
            name, _, link = self.process.stdout.readline().strip().partition(": ")
            self.links[name] = link

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.communicate()
            self.process = None


@contextmanager
def chromium() -> Iterator[Any]:
    """The system's Chromium."""
    with playwright_api.sync_playwright() as engine:
        found = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


def page_of(browser: Any, faults: list[str], **options: Any) -> Any:
    page = browser.new_context(viewport={"width": 1280, "height": 900}, **options).new_page()
    page.set_default_timeout(120_000)
    page.on("pageerror", lambda error: faults.append(str(error)))
    return page


def visit(page: Any, address: str) -> None:
    """Open an address of a server that has just been started and may not listen yet."""
    for _ in range(200):
        try:
            page.goto(address)
            return
        except playwright_api.Error as error:
            if "ERR_CONNECTION" not in str(error):
                raise
            page.wait_for_timeout(100)
    raise AssertionError("the server did not answer")


def ready(page: Any) -> None:
    page.wait_for_selector("html[data-ready]")


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def saved(page: Any) -> None:
    expect(page.locator("#saved")).to_have_text("saved")
