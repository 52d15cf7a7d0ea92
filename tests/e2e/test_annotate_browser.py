"""Annotation in the system's Chromium: keyboard alone, a reload, a killed server, adjudication, a score.

Needs Playwright for Python and a Chromium of the system. With FALLAX_SCREENSHOTS=docs/images the pictures of the docs
are made anew.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra serve")
pytest.importorskip("uvicorn", reason="needs the extra serve")
pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")

from fallax.core.types import NO_FALLACY, GoldSpan
from fallax.data import read_corpus
from tests.support.annotating import Server, chromium, expect, page_of, press, ready, saved, visit
from tests.support.browser import AXE, CHROMIUM, violations

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine")

FIRST = "You lie, so your plan is bad. Everybody knows it 🙂. The river rose by two metres in March."
TEXTS = [("t1", FIRST), ("t2", "The library opens at nine. It closes at six.")]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    lines = [json.dumps({"id": i, "text": text, "gold": None}) for i, text in TEXTS]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = Server(tmp_path)
    yield found
    found.kill()


@pytest.fixture
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def picture(page: Any, name: str) -> None:
    folder = os.environ.get("FALLAX_SCREENSHOTS")
    if folder:
        page.screenshot(path=ROOT / folder / f"{name}.jpg", type="jpeg", quality=60)


def test_from_texts_to_a_score_by_keyboard_through_a_reload_and_a_killed_server(server: Server, browser: Any) -> None:
    people = ("--annotator", "ann", "--annotator", "bob", "--adjudicator", "eve")
    server.start("texts.jsonl", *people)
    faults: list[str] = []

    # ann: the first sentence is ad hominem or no fallacy, by keys alone
    page = page_of(browser, faults)
    visit(page, server.links["ann"])
    page.keyboard.press("Tab")
    page.goto(f"http://127.0.0.1:{server.port}/annotate/text/1")
    ready(page)
    press(page, "ArrowDown", "Enter", "c", "a", "0", "1")
    press(page, "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Enter")  # the slot
    picture(page, "annotate")
    press(page, "Enter")
    saved(page)
    assert page.inner_text("#spans .labels") == "ad hominem or no fallacy"
    page.reload()
    ready(page)
    assert page.inner_text("#spans .labels") == "ad hominem or no fallacy"

    # the server is killed; what is done meanwhile is sent when it is there again
    server.kill()
    press(page, "ArrowDown", "ArrowDown", "Enter", "c", "d", "Enter")
    expect(page.locator("#saved")).to_contain_text("not saved yet")
    server.start("texts.sqlite")
    saved(page)
    page.reload()
    ready(page)
    assert page.locator("#spans > li").count() == 2

    # undo and redo, then a second tab that does not know of the change is told so
    press(page, "z")
    assert page.locator("#spans > li").count() == 2  # a reload forgets what could be undone
    press(page, "n", "x")
    assert page.locator("#spans > li").count() == 1
    press(page, "z")
    saved(page)
    other = page.context.new_page()
    other.goto(page.url)
    ready(other)
    press(page, "n", "Enter", "t", "Escape")
    press(page, "n", "Enter", "Backspace", "l", "t", "Enter")
    saved(page)
    press(other, "n", "n", "x")
    other.wait_for_selector("#conflict:not([hidden])")
    other.click("text=Take the other version")
    expect(other.locator("#spans .label")).to_have_count(4)
    other.close()
    press(page, "z")
    saved(page)

    # done goes on to the next text, in which there is nothing
    press(page, "d")
    page.wait_for_url("**/text/2")
    ready(page)
    press(page, "d")
    assert "press o" in page.inner_text("#said")
    press(page, "o", "d")
    page.wait_for_selector("text=All 2 are done.")

    # bob sees nothing of it, marks another passage with the mouse's own selection, and calls the first a straw man
    second = page_of(browser, faults)
    visit(second, server.links["bob"])
    second.goto(f"http://127.0.0.1:{server.port}/annotate/text/1")
    ready(second)
    assert second.locator("#spans > li").count() == 0
    assert second.goto(f"http://127.0.0.1:{server.port}/annotate/adjudicate/1").status == 403
    second.goto(f"http://127.0.0.1:{server.port}/annotate/text/1")
    ready(second)
    press(second, "ArrowDown", "Enter", "l", "t", "Enter")
    saved(second)
    press(second, "d")
    second.wait_for_url("**/text/2")

    # eve decides: both stand for the first passage, ann's for the second
    third = page_of(browser, faults, color_scheme="dark")
    visit(third, server.links["eve"])
    third.goto(f"http://127.0.0.1:{server.port}/annotate/adjudicate/1")
    ready(third)
    press(third, "b", "a", "ArrowDown", "1", "s")
    saved(third)
    picture(third, "adjudicate")
    press(third, "d")
    third.wait_for_selector("text=decided")
    third.goto(f"http://127.0.0.1:{server.port}/annotate/agreement")
    assert "gamma" in third.inner_text("main")
    assert faults == []

    # the gold in MAFALDA's format, and a score against it
    server.kill()
    run = [sys.executable, "-m", "fallax"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    gold = server.folder / "gold.jsonl"
    subprocess.run(
        [*run, "annotate", "texts.sqlite", "--export", str(gold), "--of", "adjudicated", "--to", "mafalda"],
        cwd=server.folder, env=environment, check=True, capture_output=True,
    )  # fmt: skip
    end = FIRST.index(" Everybody")
    start, stop = end + 1, FIRST.index(" The river")
    assert read_corpus(gold, format="mafalda")[0].gold == (
        GoldSpan(0, end, ("ad hominem", NO_FALLACY, "straw man")),
        GoldSpan(start, stop, ("ad populum",)),
    )
    spans = [{"start": 0, "end": end, "label": "straw man"}, {"start": start, "end": stop, "label": "ad populum"}]
    prediction = server.folder / "pred.jsonl"
    own_id = read_corpus(gold, format="mafalda")[0].id
    prediction.write_text(json.dumps({"id": own_id, "spans": spans}) + "\n", encoding="utf-8")
    done = subprocess.run(
        [*run, "score", "--gold", str(gold), "--pred", str(prediction), "--json"],
        cwd=server.folder, env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["f1"] == 1.0


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible_and_need_no_sideways_scrolling(
    server: Server, browser: Any, scheme: str, width: int
) -> None:
    server.start("texts.jsonl", "--annotator", "ann", "--annotator", "bob", "--adjudicator", "eve")
    faults: list[str] = []
    page = page_of(browser, faults, color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 850})
    visit(page, server.links["eve"])
    for path in ("", "/text/1", "/adjudicate", "/agreement"):
        page.goto(f"http://127.0.0.1:{server.port}/annotate{path}")
        if path == "/text/1":
            ready(page)
            press(page, "ArrowDown", "Enter", "l")
            page.wait_for_selector("#picker:not([hidden])")
            unnamed = (
                "[...document.querySelectorAll('button')].filter(b => !(b.innerText || b.ariaLabel).trim()).length"
            )
            assert page.evaluate(unnamed) == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        if AXE.is_file():
            assert violations(page, scheme) == [], path
    assert faults == []
    if not AXE.is_file():
        pytest.skip("all but accessibility holds, which needs axe-core: make axe")


def first_of_a_job(server: Server, browser: Any, job: str, rows: list[dict[str, str]], faults: list[str]) -> Any:
    """The page of the first item of a project with these rows, as ann sees it."""
    lines = "".join(json.dumps(r) + "\n" for r in rows)
    (server.folder / "rows.jsonl").write_text(lines, encoding="utf-8")
    server.start("rows.jsonl", "--job", job, "--annotator", "ann", "--annotator", "bob", "--adjudicator", "eve")
    page = page_of(browser, faults)
    visit(page, server.links["ann"])
    page.goto(f"http://127.0.0.1:{server.port}/annotate/text/1")
    ready(page)
    return page


def test_a_structure_is_drawn_where_it_is_reviewed(server: Server, browser: Any) -> None:
    rows = [
        {
            "id": "s1",
            "claim": "The valley was flooded.",
            "structure": "E1: It rained.\nE2: The dam leaked.\nE1 + E2 -> Claim",
        },
        {"id": "s2", "claim": "The valley was flooded.", "structure": "It rained, and so on."},
    ]
    faults: list[str] = []
    page = first_of_a_job(server, browser, "structure", rows, faults)
    assert page.locator(".drawing .node").all_inner_texts() == [
        "Claim\nThe valley was flooded.", "E1\nIt rained.", "E2\nThe dam leaked.",
    ]  # fmt: skip
    assert page.locator(".drawing path[marker-end]").count() == 1  # two premises meet in one step
    page.keyboard.press("y")
    expect(page.locator("#state")).to_have_text("open")
    assert page.locator(".drawing .node").count() == 3
    if AXE.is_file():
        assert violations(page, "light") == []
    page.goto(f"http://127.0.0.1:{server.port}/annotate/text/2")
    ready(page)
    assert page.locator(".drawing").count() == 0
    assert "It rained, and so on." in page.inner_text("#shown")
    assert faults == []
    if not AXE.is_file():
        pytest.skip("all but accessibility holds, which needs axe-core: make axe")


def test_words_are_marked_and_a_mark_removed_by_button_or_key_beside_questions(server: Server, browser: Any) -> None:
    row = {"id": "p1", "document": "It rained.", "summary": "It snowed hard. It was cold."}
    faults: list[str] = []
    page = first_of_a_job(server, browser, "faithfulness", [row], faults)
    select = "getSelection().selectAllChildren(document.querySelector('#text .piece'))"
    expect(page.locator("#unmark")).to_be_disabled()
    page.evaluate(select)
    page.click("#mark")
    expect(page.locator("#text .marked")).to_have_text("It snowed hard. It was cold.")
    page.click("#unmark")
    expect(page.locator("#text .marked")).to_have_count(0)
    page.evaluate(select)
    page.keyboard.press("m")
    expect(page.locator("#text .marked")).to_have_count(1)
    page.keyboard.press("x")
    expect(page.locator("#text .marked")).to_have_count(0)
    assert page.locator("#questions [aria-pressed=true]").count() == 0
    press(page, "u", "n")
    saved(page)
    page.reload()
    ready(page)
    assert page.locator("#questions [aria-pressed=true]").all_inner_texts() == ["u\nunfaithful", "n\nnot ambiguous"]
    assert faults == []
