"""Draws the pictures of docs/serve.md from a server that runs: python scripts/serve_screenshots.py ADDRESS [FOLDER]

Start it with the examples first:
fallax bench run mafalda --data examples/gold.jsonl --system keywords --output /tmp/runs/keywords (and random beside it)
fallax serve --no-open --model scripted:examples/debate.json --runs /tmp/runs
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]


def examine(page: Any) -> None:
    page.click("#example")
    page.click("#compose .primary")
    page.wait_for_selector("dt:has-text('Words that moved it')", state="attached")
    page.click("mark >> nth=2")
    page.evaluate("scrollTo(0, 0)")


def faithful(page: Any) -> None:
    page.click("#example")
    page.wait_for_selector("#judge option:nth-child(2)", state="attached")
    page.select_option("#judge", index=1)
    page.click("#compose .primary")
    page.wait_for_selector("#verdict .unfaithful")
    page.locator(".debate >> nth=2").scroll_into_view_if_needed()


def make(page: Any) -> None:
    page.wait_for_selector("#fallacy option:nth-child(3)", state="attached")
    page.select_option("#fallacy", index=1)
    page.click("#compose .primary")
    page.click("text=Show the proof")
    page.wait_for_selector(".proof .node")


def runs(page: Any) -> None:
    page.wait_for_selector("#runs tbody tr >> nth=1")
    page.check("#runs tbody input >> nth=0")
    page.check("#runs tbody input >> nth=1")
    page.click("#compare")
    page.click("#tab-records")
    page.wait_for_selector(".record >> nth=2")


PICTURES = (
    ("examine", examine, 1280, 900, "light"),
    ("examine-phone", examine, 400, 850, "dark"),
    ("faithful", faithful, 1280, 900, "dark"),
    ("make", make, 1280, 900, "light"),
    ("runs", runs, 1280, 900, "light"),
)


def main() -> None:
    address, folder = sys.argv[1].rstrip("/"), Path(sys.argv[2] if len(sys.argv) > 2 else "docs/serve")
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGS)
        for name, steps, width, height, scheme in PICTURES:
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            page.set_default_timeout(120_000)
            page.goto(f"{address}/{name.partition('-')[0]}")
            steps(page)
            page.wait_for_timeout(700)
            out = folder / f"{name}.png"
            page.screenshot(path=out)
            Image.open(out).convert("RGB").quantize(64).save(out, optimize=True)
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
