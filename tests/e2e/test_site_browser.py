"""The documentation site: it builds without a warning, asks nobody, its links lead somewhere, axe-core is content."""

from __future__ import annotations

import functools
import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("material", reason="needs the extra docs")

from tests.support.browser import ARGS, AXE, CHROMIUM, violations

ROOT = Path(__file__).parents[2]
#: A page of words, one of outputs and one that is made from the code.
PAGES = ("tutorials/examine.html", "outputs.html", "reference/python.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as ``make docs`` builds it; a warning (a link to nowhere, a page outside the navigation) is an error."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "WARNING" not in done.stderr
    return folder


def test_the_site_has_every_page_and_a_search(site: Path) -> None:
    built = {p.relative_to(site).with_suffix(".md") for p in site.rglob("*.html")}
    assert {p.relative_to(ROOT / "docs") for p in (ROOT / "docs").rglob("*.md")} <= built
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    places = {entry["location"] for entry in index["docs"] if "slippery slope" in entry["text"].lower()}
    assert any(place.startswith("taxonomies.html") for place in places)
    python = (site / "reference" / "python.html").read_text(encoding="utf-8")
    assert "min_confidence" in python
    assert "soft_span" in (site / "reference" / "parts.html").read_text(encoding="utf-8")


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=site)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.skipif(CHROMIUM is None or not AXE.is_file(), reason="needs Chromium and axe-core: make axe")
def test_pages_are_accessible_and_ask_nobody_else(address: str) -> None:
    playwright_api = pytest.importorskip("playwright.sync_api")
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        asked: list[str] = []
        for scheme in ("light", "dark"):
            page = browser.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 900}).new_page()
            page.set_default_timeout(120_000)
            page.on("request", lambda r: asked.append(r.url))
            for name in PAGES:
                page.goto(f"{address}/{name}")
                assert violations(page, scheme) == [], (name, scheme)
        browser.close()
        assert all(url.startswith(address) for url in asked)
