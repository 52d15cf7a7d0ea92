"""What an annotator could lose without a word: other people and tabs, reloads, open labels, changed answers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra serve")
pytest.importorskip("uvicorn", reason="needs the extra serve")
pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")

from fallax.annotation.store import ADJUDICATOR, AnnotationStore
from tests.support.annotating import Server, chromium, expect, page_of, press, ready, saved, visit
from tests.support.browser import CHROMIUM

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine")

PEOPLE = ("--annotator", "ann", "--annotator", "bob", "--adjudicator", "eve")
FIRST = "You lie, so your plan is bad. Everybody knows it 🙂. The river rose by two metres in March."


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    lines = [json.dumps({"id": i, "text": text, "gold": None}) for i, text in (("t1", FIRST), ("t2", "It closes."))]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = Server(tmp_path)
    yield found
    found.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def page(server: Server, browser: Any) -> Iterator[Any]:
    """Ann's page of the first text."""
    server.start("texts.jsonl", *PEOPLE)
    faults: list[str] = []
    found = page_of(browser, faults)
    visit(found, server.links["ann"])
    to(found, server, "/text/1")
    yield found
    assert faults == []
    found.context.close()


def to(page: Any, server: Server, path: str) -> None:
    page.goto(f"http://127.0.0.1:{server.port}/annotate{path}")
    ready(page)


def stored(server: Server, name: str, number: int = 1) -> Any:
    """What the project holds of somebody's answer."""
    store = AnnotationStore(server.folder / "texts.sqlite")
    found = store.answer(number, name)
    store.close()
    return found


def select(page: Any, start: int, end: int) -> None:
    """Select characters of the text with the mouse."""
    corner = (
        "(at) => { const walk = document.createTreeWalker(document.querySelector('#text'), NodeFilter.SHOW_TEXT);"
        " let node; while ((node = walk.nextNode()) && !(at < node.length)) at -= node.length;"
        " const range = document.createRange(); range.setStart(node, at); range.setEnd(node, at + 1);"
        " const box = range.getBoundingClientRect(); return [box.left, box.right, (box.top + box.bottom) / 2]; }"
    )
    left, _, top = page.evaluate(corner, start)
    _, right, bottom = page.evaluate(corner, end - 1)
    page.mouse.move(left + 1, top)
    page.mouse.down()
    page.mouse.move(right - 1, bottom, steps=5)
    page.mouse.up()


#: Where words of the text begin: left, and the middle of their line.
_PLACE = (
    "(words) => { const walk = document.createTreeWalker(document.querySelector('#text'), NodeFilter.SHOW_TEXT);"
    " let node; while ((node = walk.nextNode()) && !node.data.includes(words));"
    " const at = node.data.indexOf(words); const range = document.createRange();"
    " range.setStart(node, at); range.setEnd(node, at + 1);"
    " const box = range.getBoundingClientRect(); return [box.left, (box.top + box.bottom) / 2]; }"
)


def marked(page: Any) -> list[str]:
    """Passages with their labels, as the page lists them."""
    return [" ".join(text.split()) for text in page.locator("#spans > li").all_inner_texts()]


def conflict(page: Any) -> Any:
    """Let ann change the text in another tab, and then in this one; returns the other tab."""
    other = page.context.new_page()
    other.goto(page.url)
    ready(other)
    press(other, "ArrowDown", "Enter", "c", "a", "Enter")
    saved(other)
    press(page, "o")
    page.wait_for_selector("#conflict:not([hidden])")
    return other


def test_a_page_saves_only_for_the_person_it_was_opened_for(server: Server, page: Any) -> None:
    second = page.context.new_page()
    second.goto(server.links["bob"])
    press(page, "ArrowDown", "Enter", "c", "a", "Enter")
    notice = page.locator("#conflict")
    expect(notice).to_contain_text("this page is ann's, but the link of bob was opened")
    assert (stored(server, "ann"), stored(server, "bob")) == (None, None)
    to(second, server, "/text/1")  # bob's page in the same browser takes nothing of what ann did
    assert marked(second) == []
    assert second.inner_text("#saved") == "saved"
    second.goto(server.links["ann"])
    page.click("#conflict button")
    saved(page)
    assert stored(server, "ann").value["spans"][0]["labels"] == ["ad hominem"]
    assert stored(server, "bob") is None


def test_a_narrow_window_shows_whose_page_it_is(page: Any) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    expect(page.locator(".who")).to_be_visible()
    assert page.inner_text(".who") == "ann"


def test_open_labels_move_to_a_passage_chosen_with_the_mouse(server: Server, page: Any) -> None:
    press(page, "ArrowDown", "Enter", "c")
    second = FIRST.index("Everybody")
    select(page, second, FIRST.index(" it "))
    expect(page.locator("#picker-title")).to_contain_text("“Everybody knows”")
    press(page, "c", "a", "Enter")
    saved(page)
    assert [(s["start"], s["labels"]) for s in stored(server, "ann").value["spans"]] == [(second, ["ad hominem"])]


def test_undo_and_redo_reach_open_labels(server: Server, page: Any) -> None:
    press(page, "ArrowDown", "Enter", "c", "a", "d")
    assert page.inner_text("#picker .labels") == "ad hominem or ad populum"
    press(page, "z")
    assert page.inner_text("#picker .labels") == "ad hominem"
    press(page, "y")
    assert page.inner_text("#picker .labels") == "ad hominem or ad populum"
    press(page, "Control+z", "e")  # the next label does not bring the undone one back
    assert page.inner_text("#picker .labels") == "ad hominem or appeal to nature"
    press(page, "Control+z")
    page.click("#undo")
    assert page.locator("#picker").is_hidden()
    press(page, "l")  # a key of the closed labels does nothing
    saved(page)
    assert stored(server, "ann").value["spans"] == []


def test_undo_takes_back_each_filled_slot(page: Any) -> None:
    press(page, "ArrowDown", "Enter", "c", "a", "1", "ArrowLeft", "Enter", "1", "ArrowLeft", "ArrowLeft", "Enter")
    filled = page.locator("#picker .slotbutton.filled").first
    last = filled.inner_text()
    press(page, "z")
    assert filled.inner_text() != last
    press(page, "z")
    assert filled.count() == 0


def test_a_label_chosen_with_tab_and_space_keeps_the_focus(page: Any) -> None:
    press(page, "ArrowDown", "Enter", "c")
    page.focus("#picker button >> nth=1")
    press(page, "Space")
    assert page.inner_text("#picker .labels") == "ad populum"
    assert "ad populum" in page.evaluate("document.activeElement.innerText")


def test_an_answer_keeps_the_focus_and_the_place_in_a_long_text(server: Server, browser: Any) -> None:
    line = {"id": "f1", "document": "The river rose by two metres. " * 400, "summary": "It rose."}
    (server.folder / "texts.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    server.start("texts.jsonl", "--job", "faithfulness", *PEOPLE)
    page = page_of(browser, [])
    visit(page, server.links["ann"])
    to(page, server, "/text/1")
    page.evaluate("document.querySelector('.field.document .text').scrollTop = 300")
    page.focus("#questions button >> nth=0")
    press(page, "Space")
    assert page.get_attribute("#questions button >> nth=0", "aria-pressed") == "true"
    assert page.evaluate("document.querySelector('.field.document .text').scrollTop") == 300
    assert page.evaluate("document.activeElement === document.querySelector('#questions button')")
    page.context.close()


@pytest.mark.parametrize("job", ["spans", "rating"])
def test_a_note_outlives_a_reload_while_the_cursor_is_in_it(server: Server, browser: Any, job: str) -> None:
    server.start("texts.jsonl", "--job", job, *PEOPLE)
    page = page_of(browser, [])
    visit(page, server.links["ann"])
    to(page, server, "/text/1")
    page.click("#note")
    page.keyboard.type("odd")
    page.reload()
    ready(page)
    expect(page.locator("#note")).to_have_value("odd")
    page.click("#note")
    page.keyboard.press("End")
    page.keyboard.type(" one")
    saved(page)
    assert stored(server, "ann").value["note"] == "odd one"
    page.click("#undo")  # all that was typed at once
    expect(page.locator("#note")).to_have_value("odd")
    page.context.close()


def test_a_conflict_is_offered_again_after_a_reload(server: Server, page: Any) -> None:
    other = conflict(page)
    press(other, "x")  # another change there does not replace what waits here
    saved(other)
    page.reload()
    ready(page)
    page.wait_for_selector("#conflict:not([hidden])")
    assert page.get_attribute("#nothing", "aria-pressed") == "true"
    page.click("text=Keep what is here")
    saved(page)
    assert stored(server, "ann").value["nothing"]
    page.reload()
    ready(page)
    assert page.locator("#conflict").is_hidden()


def test_done_in_a_conflict_is_done_only_when_it_is_saved(server: Server, page: Any) -> None:
    conflict(page)
    page.click("#done")
    page.wait_for_timeout(300)
    expect(page.locator("#conflict")).to_be_visible()
    assert page.inner_text("#state") == "open"
    assert not stored(server, "ann").done
    page.click("text=Keep what is here")
    expect(page.locator("#state")).to_have_text("done")
    assert stored(server, "ann").done


def test_keys_meant_for_the_text_do_not_answer_a_conflict(server: Server, page: Any) -> None:
    conflict(page)
    press(page, "Enter", "Space", "ArrowDown")
    expect(page.locator("#conflict")).to_be_visible()
    press(page, "Tab")
    assert page.evaluate("document.activeElement.innerText") == "Keep what is here"
    press(page, "Tab", "Enter")
    expect(page.locator("#conflict")).to_be_hidden()
    saved(page)
    assert marked(page) == ["You lie, so your plan is bad.ad hominem×"]
    assert page.evaluate("document.activeElement.id") == "text"
    assert not stored(server, "ann").value["nothing"]


def test_a_conflict_leaves_the_cursor_in_the_note(page: Any) -> None:
    other = page.context.new_page()
    other.goto(page.url)
    ready(other)
    press(other, "o")
    saved(other)
    page.click("#note")
    page.keyboard.type("odd")
    page.wait_for_selector("#conflict:not([hidden])")
    page.keyboard.type(" one")
    assert page.input_value("#note") == "odd one"
    page.click("text=Keep what is here")
    saved(page)
    assert page.evaluate("document.activeElement.id") == "note"


def test_a_reason_alone_leaves_the_passage_open(server: Server, page: Any) -> None:
    decide_between_ann_and_bob(page, server)
    page.focus("text=ambiguous")
    press(page, "Space")
    assert "ambiguous" in page.evaluate("document.activeElement.innerText")
    expect(page.locator(".passage-row")).to_contain_text("ambiguous")
    saved(page)
    press(page, "d")
    assert page.inner_text("#said") == "this passage is not decided yet"
    decision = stored(server, ADJUDICATOR)
    assert decision.value["spans"] == []
    assert list(decision.value["decisions"].values()) == [{"rule": None, "reason": "ambiguous"}]
    press(page, "b", "d")
    page.wait_for_url("**/adjudicate")
    assert page.inner_text(".items .state") == "decided"
    assert list(stored(server, ADJUDICATOR).value["decisions"].values()) == [{"rule": "both", "reason": "ambiguous"}]


def test_a_decision_is_open_again_when_an_answer_changes(server: Server, page: Any) -> None:
    decide_between_ann_and_bob(page, server)
    press(page, "1", "d")
    page.wait_for_url("**/adjudicate")
    assert page.inner_text(".items .state") == "decided"
    page.goto(server.links["ann"])
    to(page, server, "/text/1")
    press(page, "n", "Enter", "c", "d", "a", "Enter", "d")
    page.wait_for_url("**/text/2")
    ready(page)
    page.goto(server.links["eve"])
    page.goto(f"http://127.0.0.1:{server.port}/annotate/adjudicate")
    changed = "open: answers changed since the decision"
    assert page.inner_text(".items .state") == changed
    to(page, server, "/adjudicate/1")
    assert page.inner_text("#state") == changed
    press(page, "1", "d")
    page.wait_for_url("**/adjudicate")
    assert page.inner_text(".items .state") == "decided"
    assert stored(server, ADJUDICATOR).value["spans"][0]["labels"] == ["ad populum"]


def decide_between_ann_and_bob(page: Any, server: Server) -> None:
    """Ann and bob finish the first text with different labels; eve opens it."""
    for name, label in (("ann", "a"), ("bob", "d")):
        page.goto(server.links[name])
        to(page, server, "/text/1")
        press(page, "ArrowDown", "Enter", "c", label, "Enter", "d")
        page.wait_for_url("**/text/2")
        ready(page)
    page.goto(server.links["eve"])
    to(page, server, "/adjudicate/1")


def test_a_suggested_label_that_is_unsure_is_perhaps(server: Server, browser: Any) -> None:
    spans = [
        {"start": 0, "end": 29, "label": "ad hominem", "confidence": 0.9, "label_confidence": 0.3},
        {"start": 30, "end": 50, "label": "ad populum", "confidence": 0.8, "label_confidence": 0.7},
    ]
    (server.folder / "found.jsonl").write_text(json.dumps({"id": "t1", "spans": spans}) + "\n", encoding="utf-8")
    server.start("texts.jsonl", *PEOPLE, "--suggest", "found.jsonl")
    page = page_of(browser, [])
    visit(page, server.links["ann"])
    to(page, server, "/text/1")
    press(page, "o", "d")
    expect(page.locator("#said")).to_contain_text("s shows suggestions")
    press(page, "s")
    expect(page.locator("#suggestions .label")).to_have_text(["perhaps ad hominem 90 %", "ad populum 80 %"])
    page.context.close()


def drag(page: Any, words: str, x: float, y: float) -> None:
    """Drag the mouse from words of the text to a place of the page."""
    left, middle = page.evaluate(_PLACE, words)
    page.mouse.move(left + 1, middle)
    page.mouse.down()
    page.mouse.move(x, y, steps=5)
    page.mouse.up()


def test_a_selection_beyond_the_text_or_into_a_number_ends_there(page: Any) -> None:
    press(page, "ArrowDown", "Enter", "c", "a", "Enter")  # a number stands after the first sentence
    saved(page)
    count = page.locator("#text sup").bounding_box()
    drag(page, "your plan", count["x"] + count["width"] - 1, count["y"] + count["height"] / 2)
    expect(page.locator("#said")).to_have_text("chosen: “your plan is bad.”")
    box = page.locator("#text").bounding_box()
    drag(page, "two metres", box["x"] + box["width"] + 30, box["y"] + box["height"] + 30)
    expect(page.locator("#said")).to_have_text("chosen: “two metres in March.”")


def test_a_passage_chosen_by_keys_is_not_under_the_header_of_a_narrow_page(server: Server, browser: Any) -> None:
    row = {"id": "t1", "text": "\n\n".join(f"Line {n} says that it rained." for n in range(40)), "gold": None}
    (server.folder / "long.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    server.start("long.jsonl", *PEOPLE)
    page = browser.new_context(viewport={"width": 400, "height": 600}).new_page()
    visit(page, server.links["ann"])
    to(page, server, "/text/1")
    press(page, *["ArrowDown"] * 30, *["ArrowUp"] * 15)
    chosen, header = (page.locator(name).bounding_box() for name in (".chosen", ".top"))
    assert chosen["y"] >= header["y"] + header["height"]
    page.context.close()


def test_what_a_finger_selects_is_labelled_by_the_button(server: Server, browser: Any) -> None:
    server.start("texts.jsonl", *PEOPLE)
    page = browser.new_context(viewport={"width": 400, "height": 850}, has_touch=True).new_page()
    visit(page, server.links["ann"])
    to(page, server, "/text/1")
    words = "document.querySelector('#text .piece').firstChild"
    page.evaluate(f"getSelection().setBaseAndExtent({words}, 0, {words}, 8)")  # as a long press does, without a mouse
    page.tap("#label")
    expect(page.locator("#picker-title")).to_have_text("Any of these, for “You lie,”")
    page.context.close()
