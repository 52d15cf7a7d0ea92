"""The pages in a real browser, as a person goes through them: wide and narrow, light and dark, keyboard, hostile texts.

Needs Playwright for Python, a Chromium of the system and, for accessibility, the file of axe-core (``make axe``).
"""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright.sync_api")

from playwright import sync_api as playwright_api

import fallax as fx
from fallax.cli import main
from fallax.core.sealed import dump_sealed
from fallax.detection.view import detections_page
from fallax.models import ScriptedModel, load_model
from fallax.render.html import environment
from tests.support.browser import ARGS, AXE, CHROMIUM, violations
from tests.support.serving import Serving, serving
from tests.support.xss import PAYLOADS

ROOT = Path(__file__).parents[2]
SIZES = [(1280, 900), (400, 850)]
#: Presses the button as soon as the answer has begun, and lets nothing of it through.
STOP_AT_ONCE = """() => {
  const real = window.fetch;
  window.fetch = async (path, options) => {
    const answer = await real(path, options);
    if (path !== "/v1/debate") return answer;
    setTimeout(() => document.querySelector("#stop").click(), 0);
    return new Promise((_, fail) => {
      options.signal.addEventListener("abort", () => fail(new DOMException("", "AbortError")));
    });
  };
}"""
#: A debate of which one event arrives, and then nothing more.
CUT_OFF = r"""() => {
  const real = window.fetch;
  const session = { event: "session", unit: [0, 10], session: 1, text: "It rained.", stances: [] };
  const begun = new TextEncoder().encode(`event: session\ndata: ${JSON.stringify(session)}\n\n`);
  const start = (sender) => {
    sender.enqueue(begun);
    setTimeout(() => sender.error(new TypeError("network error")), 50);
  };
  const cut = () => new Response(new ReadableStream({ start }));
  window.fetch = async (path, options) => (path === "/v1/debate" ? cut() : real(path, options));
}"""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


def run_bench(*words: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["bench", "run", "mafalda", *words])
    assert not stop.value.code, words


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two plain runs, and one whose gold, system and replies are hostile."""
    root = tmp_path_factory.mktemp("runs")
    for system in ("keywords", "random"):
        run_bench("--data", str(ROOT / "examples" / "gold.jsonl"), "--system", system, "--output", str(root / system))
    gold = root / "gold.jsonl"
    rows = [
        {
            "id": p,
            "text": f"You lie. {p}",
            "labels": [[0, 8, "ad hominem"]],
            "comments": [],
            "sentences_with_labels": "{}",
        }
        for p in PAYLOADS
    ]
    gold.write_text("".join(json.dumps(r) + "\n" for r in rows))
    script = root / "script.json"
    script.write_text(json.dumps([{"reply": "\n".join(PAYLOADS)}]))
    run_bench(
        "--data",
        str(gold),
        "--system",
        f"scripted:{script}",
        "--protocol",
        "whole-document",
        "--output",
        str(root / "hostile"),
    )
    run_file = root / "hostile" / "run.json"
    run = json.loads(run_file.read_text())
    run["system"]["name"] = PAYLOADS[10]
    run["signature"] = PAYLOADS[12]
    run_file.write_bytes(dump_sealed(run))
    return root


@pytest.fixture(scope="module")
def server(runs: Path) -> Iterator[Serving]:
    hostile = "".join(f"<label>0</label><explanation>{p}</explanation>" for p in PAYLOADS[:1])
    models = {
        "demo": load_model(f"scripted:{ROOT / 'examples' / 'debate.json'}"),
        PAYLOADS[15]: ScriptedModel([{"reply": hostile + "\n".join(PAYLOADS)}], name=PAYLOADS[15]),
    }
    with serving(models=models, runs=runs) as running:
        yield running


@pytest.fixture(scope="module")
def browser(server: Serving) -> Iterator[Any]:
    # begun after the runs are made: inside, a loop runs in this thread
    with playwright_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield opened
        opened.close()


class Visit:
    """A page that notes everything that must not happen."""

    def __init__(self, browser: Any, server: Serving, width: int, height: int) -> None:
        self.server = server
        self.wide = width > 1000
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme="light")
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda e: self.wrong.append(f"error: {e}"))
        self.page.on("console", lambda m: self._logged(m))
        self.page.on("response", lambda r: self.wrong.append(f"status {r.status}") if r.status >= 500 else None)
        self.page.on("dialog", lambda d: self._opened(d))
        self.page.on("request", lambda r: self._asked(r.url))

    def _opened(self, dialog: Any) -> None:
        self.wrong.append("a dialog")
        dialog.dismiss()

    def _logged(self, message: Any) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:  # a 4xx is an answer
            self.wrong.append(message.text)

    def _asked(self, url: str) -> None:
        if not url.startswith((self.server.url, "blob:" + self.server.url)):
            self.wrong.append(f"a request to {url[:80]}")

    def open(self, path: str) -> Any:
        self.page.goto(self.server.url + path)
        return self.page

    def check(self, where: str) -> None:
        """Nothing went wrong, nothing overflows, and axe-core finds no serious violation."""
        assert not self.wrong, (where, self.wrong)
        assert self.page.evaluate("window.__owned") is None, where
        wide = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{where}: {wide} pixels too wide"
        if not AXE.is_file() or (where.startswith("empty") and not self.wide):
            return
        for scheme in ("light", "dark"):
            said = violations(self.page, scheme)
            assert not said, (where, scheme, said)
        self.page.emulate_media(color_scheme="light")

    def close(self) -> None:
        self.context.close()


@pytest.fixture(params=SIZES, ids=lambda v: str(v[0]))
def visit(request: pytest.FixtureRequest, browser: Any, server: Serving) -> Iterator[Visit]:
    made = Visit(browser, server, *request.param)
    yield made
    made.close()


@pytest.fixture
def wide(browser: Any, server: Serving) -> Iterator[Visit]:
    made = Visit(browser, server, *SIZES[0])
    yield made
    made.close()


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core here: make axe fetches it")
def test_accessibility_is_checked_here() -> None:
    assert "axe.run" in AXE.read_text(encoding="utf-8")


def test_a_text_is_examined(visit: Visit) -> None:
    page = visit.open("/examine")
    visit.check("empty page")
    page.click("#example")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".finding")
    page.keyboard.press("j")
    assert page.locator("mark.on").count() >= 1
    assert page.locator(".finding.on").count() == 1
    visit.check("with findings")
    page.click(".finding >> nth=0 >> text=Not a fallacy here")
    page.wait_for_selector(".finding.corrected")
    assert page.locator(".finding.corrected >> text=no fallacy here").count() == 1
    page.click("text=Undo")
    page.wait_for_selector(".finding.corrected", state="detached")


def test_findings_are_filtered_relabelled_linked_and_exported(wide: Visit) -> None:
    page = wide.open("/examine")
    page.click("#example")
    page.click("#compose .primary")
    page.wait_for_selector(".finding")
    page.wait_for_selector("dt:has-text('Words that moved it')")
    before = page.locator(".finding").count()
    page.click("#labels")
    assert page.locator(".tag").count() == 0
    page.locator("#sure").fill("0.99")
    playwright_api.expect(page.locator(".finding")).not_to_have_count(before, timeout=120_000)
    page.locator("#sure").fill("0.5")
    playwright_api.expect(page.locator(".finding")).to_have_count(before, timeout=120_000)
    page.click(".finding >> nth=0 >> text=Another label")
    wide.check("the dialog")
    page.select_option("#relabel-label", "straw man")
    page.click("text=Store the correction")
    page.wait_for_selector("text=Corrected: straw man")
    for kind in ("html", "docx", "json", "csv", "corrections"):
        page.click(".menu summary")
        with page.expect_download() as download:
            page.click(f"[data-export={kind}]")
        assert Path(download.value.path()).stat().st_size > 100, kind
    page.click("#link")
    page.wait_for_url(re.compile("/examine/[0-9a-f]{16}$"))
    page.reload()
    page.wait_for_selector(".finding")
    assert page.locator(".finding").count() == before
    page.wait_for_selector("text=Corrected: straw man")
    page.click("text=Undo")
    page.wait_for_selector(".finding.corrected", state="detached")


def test_findings_are_shown_with_the_labels_of_every_set_that_is_offered(wide: Visit) -> None:
    page = wide.open("/examine")
    page.wait_for_selector("#taxonomy option:nth-child(3)", state="attached")
    names = page.evaluate("[...document.querySelectorAll('#taxonomy option')].map((one) => one.value)")
    assert {"mafalda", "logic", "propaganda14"} < set(names)
    assert "ambiguity" not in names
    page.fill("#text", "Everyone says the new bridge is ugly, so it must be. He is a liar and a fool, so he is wrong.")
    page.click("#compose summary")
    for name in names:
        page.select_option("#taxonomy", name)
        with page.expect_response("**/v1/detect") as answered:
            page.click("#compose .primary")
        page.wait_for_selector("#result:not([hidden])")
        n = len(answered.value.json()["prediction"]["spans"])
        playwright_api.expect(page.locator(".finding")).to_have_count(n)
        page.click("#edit")
    wide.check("every label set")


BRIDGE = "Everyone says the new bridge is ugly, so it must be. I had lunch."
TUNNEL = "Everyone says the old tunnel is ugly, so it must be. A different text altogether."


def examine(page: Any, text: str) -> None:
    page.fill("#text", text)
    page.click("#compose .primary")
    page.wait_for_selector("#result:not([hidden])")


def test_an_export_says_that_corrections_are_elsewhere_and_escape_leaves_its_menu(wide: Visit) -> None:
    page = wide.open("/examine")
    examine(page, BRIDGE)
    page.focus(".menu summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED) == "Page (HTML)"
    page.keyboard.press("Escape")
    assert page.evaluate(FOCUSED) == "Export"
    for said in (False, True):
        page.click(".menu summary")
        with page.expect_download():
            page.click("[data-export=json]")
        assert page.locator("#notices >> text=as the system made them").count() == said
        if not said:
            page.click("text=Not a fallacy here")
            page.wait_for_selector(".finding.corrected")
    page.click("text=Undo")
    page.wait_for_selector(".finding.corrected", state="detached")


def test_a_correction_is_shown_on_its_own_text_only(wide: Visit) -> None:
    page = wide.open("/examine")
    examine(page, BRIDGE)
    page.click("text=Not a fallacy here")
    page.wait_for_selector(".finding.corrected")
    page.click("#edit")
    examine(page, TUNNEL)
    assert page.locator(".finding").count() == 1
    assert page.locator(".finding.corrected").count() == 0
    page.click("#edit")
    examine(page, BRIDGE)
    assert page.locator(".finding.corrected").count() == 1
    page.click("text=Undo")
    page.wait_for_selector(".finding.corrected", state="detached")


def test_corrections_are_shown_again_and_undone_after_a_reload(wide: Visit) -> None:
    def kept() -> int:
        return len(wide.server.ask("POST", "/v1/corrections/find", {"text": BRIDGE}).json["corrections"])

    page = wide.open("/examine")
    examine(page, BRIDGE)
    page.click("text=Not a fallacy here")
    page.wait_for_selector(".finding.corrected")
    page.reload()
    examine(page, BRIDGE)
    assert page.locator("text=Corrected: no fallacy here").count() == 1
    assert page.locator("text=Another label").count() == 0
    assert kept() == 1
    page.click("text=Undo")
    page.wait_for_selector(".finding.corrected", state="detached")
    assert kept() == 0


def test_two_open_pages_do_not_replace_each_others_corrections(wide: Visit) -> None:
    page = wide.open("/examine")
    other = wide.context.new_page()
    other.goto(page.url)
    for one in (page, other):
        examine(one, BRIDGE)
    page.click("text=Not a fallacy here")
    page.wait_for_selector("text=Corrected: no fallacy here")
    other.click("text=Another label")
    other.select_option("#relabel-label", "straw man")
    other.click("text=Store the correction")
    other.wait_for_selector("#notices >> text=in another window")
    assert other.locator("text=Corrected: no fallacy here").count() == 1
    other.click("text=Undo")
    other.wait_for_selector(".finding.corrected", state="detached")
    page.click("text=Undo")  # undone already
    page.wait_for_selector("#notices >> text=in another window")
    assert page.locator(".finding.corrected").count() == 0
    wide.check("after two pages")


def test_a_failed_undo_is_not_shown_as_undone(wide: Visit) -> None:
    page = wide.open("/examine")
    examine(page, BRIDGE)
    page.click("text=Not a fallacy here")
    page.wait_for_selector(".finding.corrected")
    page.route("**/v1/corrections/*", lambda route: route.abort())
    page.click("text=Undo")
    page.wait_for_selector("#notices >> text=The server does not answer")
    assert page.locator(".finding.corrected").count() == 1
    page.unroute("**/v1/corrections/*")
    page.click("text=Undo")
    page.wait_for_selector(".finding.corrected", state="detached")


@pytest.mark.parametrize(
    ("text", "summary", "card"),
    [
        (
            "Alle sagen, dass die neue Brücke hässlich ist, also muss sie es sein.",
            "This text was not examined: this looks like German; the detector reads English only · ",
            "This text was not examined: this looks like German; the detector reads English only.",
        ),
        ("# A heading", "This text was not examined: there is nothing but headings", "This text was not examined: "),
        (
            "I had lunch at noon.\n\nDas ist nicht wahr, und wir wissen es.",
            "Nothing found · ",
            "There is nothing to show. 1 of 2 paragraphs looks like German",
        ),
        ("I had lunch at noon.", "Nothing found · ", "No passage of this text looks fallacious"),
    ],
    ids=["german", "heading", "half", "sound"],
)
def test_a_text_that_was_not_examined_does_not_pass_for_sound(wide: Visit, text: str, summary: str, card: str) -> None:
    page = wide.open("/examine")
    examine(page, text)
    assert page.inner_text("#summary").startswith(summary)
    assert page.inner_text("#findings").startswith(card)


def kept(visit: Visit, found: Any) -> str:
    """The address of a result that is kept."""
    path: str = visit.server.ask("POST", "/v1/keep", {"kind": "examine", "value": found}).json["path"]
    return path


def test_the_slider_of_a_linked_result_asks_the_system_that_made_it(wide: Visit) -> None:
    asked = {"text": BRIDGE, "system": "linear", "level": 1}
    page = wide.open(kept(wide, wide.server.ask("POST", "/v1/detect", asked).json))
    page.wait_for_selector("#result:not([hidden])")
    with page.expect_request("**/v1/detect") as sent:
        page.locator("#sure").fill("0.05")
    body = sent.value.post_data_json
    assert {name: body[name] for name in ("system", "taxonomy", "level")} == {
        "system": "linear",
        "taxonomy": "mafalda",
        "level": 1,
    }
    playwright_api.expect(page.locator("#summary")).to_contain_text("detector:linear@")
    found = wide.server.ask("POST", "/v1/detect", {"text": BRIDGE}).json
    page = wide.open(kept(wide, {**found, "system": "detector:no-more@1"}))
    page.wait_for_selector(".finding")
    assert float(page.get_attribute("#sure", "min")) == 0.5
    page.click("#edit")
    page.click("#compose .primary")
    playwright_api.expect(page.locator("#summary")).to_contain_text("detector:encoder@")
    assert float(page.get_attribute("#sure", "min")) == 0.05


def test_replies_that_could_not_be_read_do_not_pass_for_nothing_found(wide: Visit) -> None:
    page = wide.open("/examine")
    page.wait_for_selector("#system option[value='model:demo']", state="attached")
    page.click("#compose summary")
    page.select_option("#system", "model:demo")
    examine(page, "All agree. So it is true.")
    said = "Nothing found in what could be read"
    assert page.inner_text("#summary").startswith(f"{said} · 2 of 2 replies or parts of them could not be read · ")
    assert page.inner_text("#findings").startswith(f"{said}: 2 of 2 replies or parts of them could not be read (")
    assert page.inner_text("#findings").endswith("This does not say that the text is sound.")


def test_findings_that_the_slider_hides_are_said(wide: Visit) -> None:
    page = wide.open("/examine")
    examine(page, BRIDGE)
    assert page.inner_text("#summary").startswith("1 passage")
    page.locator("#sure").fill("0.99")
    assert page.inner_text("#summary").startswith("One passage is less sure than 99 % · ")
    assert page.inner_text("#findings") == "One passage is less sure than 99 %."


def test_the_slider_goes_back_where_the_server_does_not_answer(wide: Visit) -> None:
    page = wide.open("/examine")
    examine(page, BRIDGE)
    page.wait_for_selector("dt:has-text('Words that moved it')")
    page.locator("#sure").fill("0.6")
    page.route("**/v1/detect", lambda route: route.abort())
    page.locator("#sure").fill("0.2")
    page.wait_for_selector("#notices p")
    assert page.inner_text("#notices").strip() == "The server does not answer; is fallax serve still running?"
    assert (page.inner_text("#sure-said"), page.input_value("#sure")) == ("60 %", "0.6")
    page.locator("#sure").fill("0.99")
    assert page.inner_text("#summary").startswith("One passage is less sure than 99 % · ")


def test_two_labels_of_a_passage_count_as_one_passage(wide: Visit) -> None:
    page = wide.open("/examine")
    text = (Path(__file__).parents[2] / "examples" / "editorial.txt").read_text(encoding="utf-8")
    spans = fx.detect(text).spans
    n = len({(span.start, span.end) for span in spans})
    assert n < len(spans)
    examine(page, text)
    assert page.inner_text("#summary").startswith(f"{n} passages · ")


def test_an_unsure_label_is_perhaps_and_a_form_names_its_slots(wide: Visit) -> None:
    found = wide.server.ask("POST", "/v1/detect", {"text": "All agree. So it is true."}).json
    sure = {"start": 0, "end": 10, "label": "straw man", "confidence": 0.9, "text": "All agree."}
    sure["label_confidence"] = 0.8
    unsure = {**sure, "start": 11, "end": 25, "label_confidence": 0.3, "text": "So it is true."}
    found["prediction"]["spans"] = [sure, unsure]
    page = wide.open(kept(wide, found))
    page.wait_for_selector(".finding >> nth=1")
    first, second = page.locator(".finding").all_inner_texts()
    assert "{" not in first
    assert "perhaps" not in first
    assert "Its form" in first
    assert "perhaps straw man" in second
    assert "Its form" not in second
    page.click(".finding >> nth=1 >> text=Another label")
    assert page.inner_text("#relabel-said").endswith("was called perhaps straw man.")
    page.keyboard.press("Escape")
    page.click(".menu summary")
    with page.expect_download() as download:
        page.click("[data-export=csv]")
    data = Path(download.value.path()).read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")  # else spreadsheets take it for another encoding
    lines = data.decode("utf-8-sig").splitlines()
    assert lines[0] == "start,end,label,confidence,label_confidence,text"
    assert lines[2] == "11,25,straw man,0.9,0.3,So it is true."


def test_from_where_on_a_label_is_sure_stands_in_python_alone(wide: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    found = wide.server.ask("POST", "/v1/detect", {"text": "All agree. So it is true."}).json
    span = {"start": 0, "end": 10, "label": "straw man", "confidence": 0.9, "text": "All agree."}
    found["prediction"]["spans"] = [{**span, "label_confidence": 0.6}]
    address = kept(wide, found)
    monkeypatch.setitem(environment().globals, "label_unsure", 0.7)
    page = wide.open(address)
    page.wait_for_selector(".finding")
    assert "perhaps straw man" in page.inner_text(".finding")


def test_an_unsure_label_is_perhaps_in_the_records_of_a_run(wide: Visit) -> None:
    def unsure(route: Any) -> None:
        answered = route.fetch()
        found = answered.json()
        span = {"start": 0, "end": 3, "label": "straw man", "confidence": 0.9, "label_confidence": 0.3}
        found["records"][0]["answers"][0]["predicted"] = [span]
        route.fulfill(response=answered, json=found)

    wide.page.route("**/v1/runs/records", unsure)
    page = wide.open("/runs/view?run=random#records")
    page.wait_for_selector(".record >> nth=0")
    assert "perhaps straw man 90 %" in page.inner_text(".record >> nth=0")


FOCUSED = "document.activeElement.innerText"


def test_what_is_open_and_focused_stays_when_the_explanation_arrives(visit: Visit) -> None:
    page = visit.open("/examine")
    held: list[Any] = []
    page.route("**/v1/detect", lambda r: held.append(r) if r.request.post_data_json.get("explain") else r.continue_())
    with page.expect_request(lambda r: r.url.endswith("/v1/detect") and r.post_data_json.get("explain")):
        examine(page, BRIDGE)
    page.focus(".finding h3 button" if visit.wide else ".finding summary")
    page.keyboard.press("Enter")
    held[0].continue_()
    page.wait_for_selector("dt:has-text('Words that moved it')", state="attached")
    assert page.locator(".finding details[open]").count() == 1
    assert page.evaluate(FOCUSED) == ("ad populum" if visit.wide else "Why")


def test_a_text_can_be_examined_while_the_explanation_of_the_last_one_is_not_there_yet(wide: Visit) -> None:
    page = wide.open("/examine")
    held: list[Any] = []
    page.route("**/v1/detect", lambda r: held.append(r) if r.request.post_data_json.get("explain") else r.continue_())
    with page.expect_request(lambda r: r.url.endswith("/v1/detect") and r.post_data_json.get("explain")):
        examine(page, BRIDGE)
    with page.expect_event("requestfailed") as failed:  # the server need not go on
        page.click("#edit")
    assert failed.value.post_data_json["text"] == BRIDGE
    page.fill("#text", TUNNEL)
    page.keyboard.press("Control+Enter")
    playwright_api.expect(page.locator("#shown")).to_contain_text("A different text altogether.")
    assert page.locator("#notices p").count() == 0


@pytest.mark.parametrize(
    ("path", "fields"),
    [("/examine", ["#text"]), ("/faithful", ["#document", "#summary"]), ("/why", ["#claim", "#evidence"])],
)
def test_what_was_typed_is_there_again_after_a_reload(wide: Visit, path: str, fields: list[str]) -> None:
    page = wide.open(path)
    for field in fields:
        page.fill(field, f"{BRIDGE} {field}")
    page.reload()
    for field in fields:
        playwright_api.expect(page.locator(field)).to_have_value(f"{BRIDGE} {field}")
    page.click("#compose .primary")
    page.wait_for_selector("#link:not([hidden])")
    page.click("#link")
    page.wait_for_url(re.compile(f"{path}/[0-9a-f]{{16}}$"))
    other = wide.context.new_page()
    other.goto(wide.server.url + path)
    assert other.input_value(fields[0]) == ""
    wide.check("typed texts")


def test_the_slider_stays_with_the_text_that_is_shown(wide: Visit) -> None:
    page = wide.open("/examine")
    held: list[Any] = []
    page.route("**/v1/detect", lambda route: route.continue_() if held else held.append(route))
    page.fill("#text", BRIDGE)
    with page.expect_request("**/v1/detect"):
        page.keyboard.press("Control+Enter")
    page.fill("#text", TUNNEL)  # while the first one is examined
    held[0].continue_()
    page.wait_for_selector(".finding")
    with page.expect_request(lambda r: "min_confidence" in (r.post_data or "")) as sent:
        page.locator("#sure").fill("0.1")
    assert sent.value.post_data_json["text"] == BRIDGE
    page.click("#edit")
    assert page.input_value("#text") == TUNNEL


def test_the_focus_stays_where_a_finding_is_corrected(wide: Visit) -> None:
    page = wide.open("/examine")
    examine(page, BRIDGE)
    page.wait_for_selector("dt:has-text('Words that moved it')")
    page.focus("text=Not a fallacy here")
    page.keyboard.press("Enter")
    page.wait_for_selector(".finding.corrected")
    assert page.evaluate(FOCUSED) == "Undo"
    page.keyboard.press("Enter")
    page.wait_for_selector(".finding.corrected", state="detached")
    assert page.evaluate(FOCUSED) == "Not a fallacy here"
    page.focus("text=Another label")
    page.keyboard.press("Enter")
    page.focus("text=Store the correction")
    page.keyboard.press("Enter")
    page.wait_for_selector(".finding.corrected")
    assert page.evaluate(FOCUSED) == "Undo"
    page.keyboard.press("Enter")
    page.wait_for_selector(".finding.corrected", state="detached")


def test_a_summary_is_judged_and_debated(visit: Visit) -> None:
    page = visit.open("/faithful")
    visit.check("empty page")
    page.click("#example")
    page.click("#compose .primary")
    page.wait_for_selector(".unit")
    page.click("#edit")
    page.select_option("#judge", "demo")
    page.click("#compose .primary")
    page.wait_for_selector("#cost:has-text('calls')")
    page.wait_for_selector("#verdict .unfaithful")
    assert page.locator(".debate").count() == 3
    assert page.locator("text=Changed its mind from faithful to unfaithful").count() == 2
    page.focus(".unit.ambiguous")
    page.keyboard.press("Enter")
    assert "Decontextualization" in page.inner_text("#why")
    visit.check("a debate")


def test_the_verdict_is_in_view_when_it_comes(visit: Visit) -> None:
    page = visit.open("/faithful")
    page.click("#example")
    page.click("#compose .primary")
    page.wait_for_selector("#verdict .unfaithful")
    verdict, header = (page.locator(name).bounding_box() for name in ("#verdict", ".top"))
    assert verdict["y"] >= header["y"] + header["height"]


def test_what_is_not_judged_and_what_a_verdict_needs_are_said(visit: Visit) -> None:
    page = visit.open("/faithful")
    page.fill(
        "#document",
        "Lena Fischer, a supporter, warned that the city would now have to raise waste fees by about 15 per"
        " cent from 2027, unless the region pays.",
    )
    page.fill("#summary", "# Fees\n\nWaste fees will rise by 15 per cent.")
    page.click("#compose .primary")
    page.wait_for_selector(".unit.unclear")
    assert page.locator(".unit").count() == 1
    assert "headings, code and tables are not judged: “# Fees”" in page.inner_text("#verdict")
    page.click(".unit.unclear")
    assert re.search(r"\d\d %; \d\d % or more is faithful, \d\d % or less unfaithful", page.inner_text("#why"))
    page = visit.open("/why")
    page.fill("#claim", "The road was closed because a tree fell on it.")
    page.fill("#evidence", "A storm blew a tree onto the road.\nThe road was closed until the tree had been removed.")
    page.click("#compose .primary")
    page.wait_for_selector("#verdict .unclear")
    assert re.search(r"likeliest: (supports|refutes|not enough information) \d\d %", page.inner_text("#verdict"))


def test_a_claim_is_verified_and_its_structure_edited(visit: Visit) -> None:
    page = visit.open("/why")
    visit.check("empty page")
    page.click("#example")
    page.select_option("#system", "system:similarity-chain")
    page.click("#compose .primary")
    page.wait_for_selector(".graph .node")
    page.wait_for_selector(".step:has-text('check this step first')")
    n = page.locator(".step").count()
    page.click("#change")
    page.check(".choices input >> nth=1")
    page.click("text=Add the step")
    assert page.locator(".step").count() == n + 1
    visit.check("the editor")
    page.click(".step:has-text('E2 → Claim') >> text=Remove")
    page.wait_for_selector(".problem")
    page.click("text=Undo")
    page.wait_for_selector(".problem", state="detached")
    page.click(".menu summary")
    with page.expect_download() as download:
        page.click("#formats >> text=svg")
    assert Path(download.value.path()).read_text().startswith("<svg")


def test_the_step_that_follows_least_is_marked_and_a_step_alone_is_not(wide: Visit) -> None:
    page = wide.open("/why")
    page.click("#example")
    page.click("#compose .primary")
    with page.expect_response("**/v1/structure") as answered:
        page.wait_for_selector(".graph .node")
    scores = {"".join(s["premises"]): s["score"] for s in answered.value.json()["steps"]}
    assert len(scores) > 1
    marked = page.locator(".step:has-text('check this step first') b")
    assert marked.all_inner_texts()[0].split(" → ")[0] == min(scores, key=lambda premises: scores[premises])
    assert marked.count() == 1
    assert "0.0" not in page.inner_text("#steps")
    page.click("#change")
    page.click(".step >> nth=0 >> text=Remove")
    page.click("#change")
    assert page.locator(".step").count() == 1
    assert page.locator("text=check this step first").count() == 0


def judged(visit: Visit, summary: str, **labels: str | None) -> Any:
    """The page of a linked verdict, with labels of our own for the sentences with a word."""
    document = "The ferry left at nine. " * 60
    verdict = visit.server.ask("POST", "/v1/debate", {"document": document, "summary": summary}).json
    for unit in verdict["units"]:
        unit["ambiguity"] = None
        unit["label"] = next((label for word, label in labels.items() if word in unit["text"]), None)
    value = {"document": document, "summary": summary, "verdict": verdict}
    page = visit.open(visit.server.ask("POST", "/v1/keep", {"kind": "faithful", "value": value}).json["path"])
    page.wait_for_selector(".unit")
    return page


def test_the_worst_sentence_is_explained_first_and_a_chosen_one_where_it_can_be_seen(visit: Visit) -> None:
    many = " ".join(f"Ferry number {n} left at nine with all of its passengers." for n in range(30))
    page = judged(visit, f"A boat came. The train left. {many}", train="unfaithful", number="faithful")
    assert page.inner_text("#why blockquote >> nth=0") == "The train left."
    page.click(".unit >> nth=4")
    page.wait_for_function(
        "() => { const at = document.querySelector('#why').getBoundingClientRect();"
        " return at.top >= 0 && at.top < innerHeight; }"
    )
    assert page.inner_text("#why blockquote >> nth=0").startswith("Ferry number 2 left")


def test_a_debate_that_is_cut_off_says_that_the_server_does_not_answer(wide: Visit) -> None:
    page = wide.open("/faithful")
    page.evaluate(CUT_OFF)
    page.fill("#document", "It rained.")
    page.fill("#summary", "It rained.")
    page.click("#compose .primary")
    said = "The server does not answer; is fallax serve still running?"
    page.wait_for_selector(f"#notices >> text={said}")
    assert page.inner_text("#verdict") == f"no verdict {said} What was said so far stands below."


def test_print_has_the_whole_document_and_no_buttons(wide: Visit) -> None:
    page = judged(wide, "A boat came.")
    page.emulate_media(media="print")
    assert page.evaluate("(e => e.scrollHeight - e.clientHeight)(document.querySelector('#source'))") == 0
    page.emulate_media(media="screen")
    page = edited(wide)
    page.click("#change")
    page.emulate_media(media="print")
    assert page.locator("button:visible, summary:visible").count() == 0
    page.emulate_media(media="screen")
    page = wide.open("/make")
    page.click("#compose .primary")
    page.wait_for_selector(".pair")
    page.emulate_media(media="print")
    assert page.locator("button:visible, select:visible").count() == 0


def test_a_linked_claim_can_be_changed_and_verified_again(wide: Visit) -> None:
    page = edited(wide)
    page.click("#again")
    assert page.input_value("#claim") == "It flooded."
    assert page.input_value("#evidence") == "It rained.\nThe dam broke."
    page.fill("#claim", "The dam broke because it rained.")
    page.click("#compose .primary")
    playwright_api.expect(page.locator("#said")).to_contain_text("The dam broke because it rained.")


def test_evidence_that_was_not_used_can_become_a_premise(visit: Visit) -> None:
    page = visit.open("/why")
    page.fill("#claim", "The wet field delayed the match.")
    address = "https://news.example/" + "rain-" * 60
    page.fill("#evidence", f"Rain left the field wet. {address}\nThe match began late because the field was wet.")
    page.click("#compose .primary")
    page.wait_for_selector("#rest li:has-text('E1: Rain left the field wet.')")
    page.click("#change")
    page.check(".choices input[value=E1]")
    page.select_option("[aria-label=Conclusion]", "E2")
    page.click("text=Add the step")
    assert page.locator(".step b").all_inner_texts() == ["E2 → Claim", "E1 → E2"]
    page.click("#change")
    playwright_api.expect(page.locator("#drawing")).to_contain_text(address)
    assert page.locator("#rest >> text=Not used").count() == 0
    page.click("#change")
    page.click(".step:has-text('E2 → Claim') >> text=Remove")
    page.click(".step:has-text('E1 → E2') >> text=Remove")
    assert page.locator("#rest li").count() == 2
    page.click("text=Undo")
    page.click("text=Undo")
    page.click("#change")
    visit.check("long addresses")


def test_arrows_do_not_run_behind_boxes_that_they_do_not_come_from(visit: Visit) -> None:
    evidence = [{"id": f"E{n}", "text": f"It rained for {n} days in the hills above the town."} for n in (1, 2, 3)]
    structure = {
        "claim": {"id": "Claim", "text": "It flooded."},
        "evidence": evidence,
        "links": [{"sources": ["E1", "E2", "E3"], "targets": ["Claim"]}],
    }
    value = {"claim": "It flooded.", "evidence": evidence, "label": None, "structure": structure, "system": "demo"}
    page = visit.open(visit.server.ask("POST", "/v1/keep", {"kind": "why", "value": value}).json["path"])
    page.wait_for_selector(".arrows circle", state="attached")
    around = [
        d for d in page.eval_on_selector_all(".arrows path", "all => all.map((p) => p.getAttribute('d'))") if "H" in d
    ]
    assert len(around) == (0 if visit.wide else 2)  # on a phone one box stands below the other
    left = page.evaluate("document.querySelector('.layer:last-of-type .node').offsetLeft")
    assert all(float(re.findall(r"H([\d.]+)", d)[0]) < left for d in around)


def edited(wide: Visit, label: str | None = None) -> Any:
    """The page of a verification whose structure is being edited."""
    evidence = [{"id": "E1", "text": "It rained."}, {"id": "E2", "text": "The dam broke."}]
    links = [{"sources": [one["id"]], "targets": ["Claim"]} for one in evidence]
    structure = {"claim": {"id": "Claim", "text": "It flooded."}, "evidence": evidence, "links": links}
    value = {"claim": "It flooded.", "evidence": evidence, "label": label, "structure": structure, "system": "demo"}
    page = wide.open(wide.server.ask("POST", "/v1/keep", {"kind": "why", "value": value}).json["path"])
    page.wait_for_selector("#formats button", state="attached")
    page.click("#change")
    return page


def test_a_statement_is_changed_without_losing_a_click_the_focus_or_a_choice(wide: Visit) -> None:
    page = edited(wide)
    page.check(".choices input[value=E1]")
    page.select_option("[aria-label=Conclusion]", "E2")
    page.fill("[aria-label='A new statement']", "The river rose.")
    page.fill(".editing label:has-text('E1') textarea", "It rained for a week.")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.ariaLabel") == "Remove E1"
    assert page.input_value("[aria-label='A new statement']") == "The river rose."
    page.fill(".editing label:has-text('E2') textarea", "The old dam broke.")
    page.click("text=Add the step")
    assert page.locator(".step b").all_inner_texts() == ["E1 → Claim", "E2 → Claim", "E1 → E2"]
    assert page.evaluate(FOCUSED) == "Add the step"
    playwright_api.expect(page.locator("#drawing")).to_contain_text("It rained for a week.")
    for said in ("The old dam broke.", "The dam broke."):
        assert page.input_value(".editing label:has-text('E2') textarea") == said
        page.click(".editing >> text=Undo")
        if said == "The old dam broke.":
            page.click(".editing >> text=Undo")


def test_the_edited_structure_of_a_refuted_claim_is_linked_as_it_is(wide: Visit) -> None:
    page = edited(wide, "refutes")
    assert page.locator(".step:has-text('attacks')").count() == 2
    page.click(".step >> nth=0 >> text=Remove")
    page.check(".choices input[value=E1]")
    page.select_option("[aria-label=Conclusion]", "E2")
    page.click("text=Add the step")
    before = page.url
    page.click("#link")
    page.wait_for_url(lambda url: url != before)
    page.reload()
    page.wait_for_selector("#formats button", state="attached")
    assert page.locator(".step b").all_inner_texts() == ["E2 → Claim", "E1 → E2"]


def fills(page: Any) -> set[bytes]:
    """The colours that areas and words have in print, as a browser prints by default: without backgrounds."""
    pypdf = pytest.importorskip("pypdf")
    content = b"".join(one.get_contents().get_data() for one in pypdf.PdfReader(io.BytesIO(page.pdf())).pages)
    return set(re.findall(rb"([\d.]+ [\d.]+ [\d.]+) rg", content))


def test_marks_are_printed_in_light_colours(wide: Visit, tmp_path: Path) -> None:
    page = wide.open("/examine")
    examine(page, BRIDGE)
    page.wait_for_selector("mark")
    page.click("#scheme")
    page.click("#scheme")
    assert page.get_attribute("html", "data-scheme") == "dark"
    assert b".7882 .902 .9569" in fills(page)  # --credibility in light colours
    (tmp_path / "found.html").write_text(detections_page([fx.detect(BRIDGE)]), encoding="utf-8")
    page = wide.context.new_page()
    page.emulate_media(color_scheme="dark")
    page.goto((tmp_path / "found.html").as_uri())
    assert b".7059 .8902 .9608" in fills(page)


def test_pairs_are_made_and_asked(visit: Visit) -> None:
    page = visit.open("/make")
    page.wait_for_selector("#fallacy option:nth-child(3)", state="attached")
    page.select_option("#fallacy", index=1)
    page.click("#compose .primary")
    page.wait_for_selector(".pair")
    page.click("text=Show the proof")
    page.wait_for_selector(".proof .node")
    visit.check("pairs")
    page.click("#quiz")
    page.click(".choice >> nth=0")
    page.click(".answers button >> nth=0")
    page.click("#results summary")
    assert page.locator("#scores tbody tr").count() == 1
    visit.check("a quiz")


def test_runs_are_listed_compared_and_read(visit: Visit) -> None:
    page = visit.open("/runs")
    page.wait_for_selector("#runs tbody tr >> nth=2")
    visit.check("empty of choices")
    page.fill("#find", "keywords")
    assert page.locator("#runs tbody tr").count() == 1
    page.check("#runs tbody input")
    page.fill("#find", "random")
    page.check("#runs tbody input")
    page.click("#compare")
    page.wait_for_selector(".table:has-text('Confusion')")
    assert "paired test" in page.inner_text("#tables")
    visit.check("tables")
    page.click("#tab-records")
    page.wait_for_selector(".record >> nth=2")
    visit.check("records")
    page.click(".record >> nth=0 >> text=This record alone")
    page.wait_for_selector("#count:has-text('One record')")
    assert page.locator(".record").count() == 1


def test_the_api_page_and_the_colour_scheme(visit: Visit) -> None:
    page = visit.open("/api")
    visit.check("the API")
    page.click("#scheme")
    assert page.evaluate("document.documentElement.dataset.scheme") == "light"
    page.click("#scheme")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"


def kept_examine() -> dict[str, Any]:
    """A result whose text, title, labels, slots and notes are all hostile."""
    text, spans = "", []
    for p in PAYLOADS:
        start = len(text)
        text += p
        why = {
            "definition": p,
            "template": f"[{p}] {p}",
            "slots": {p: p},
            "sound_when": p,
            "evidence": [{"words": p, "effect": 0.1}],
        }
        spans.append({"start": start, "end": len(text), "label": p, "confidence": 0.9, "text": p, "explanation": why})
        text += " "
    record = {"id": PAYLOADS[0], "title": PAYLOADS[1], "text": text, "gold": None}
    prediction = {"id": "x", "spans": spans}
    return {
        "record": record,
        "prediction": prediction,
        "system": PAYLOADS[2],
        "taxonomy": "mafalda",
        "level": 2,
        "notes": PAYLOADS,
    }


def kept_faithful() -> dict[str, Any]:
    summary, units = "", []
    for p in PAYLOADS:
        start = len(summary)
        summary += p
        reading = {"text": p, "label": p}
        units.append(
            {
                "start": start,
                "end": len(summary),
                "text": p,
                "label": p,
                "explanation": p,
                "faults": [{"reason": p}],
                "ambiguity": {
                    "is_ambiguous": True,
                    "types": [p],
                    "readings": [reading],
                    "explanation": p,
                    "detector": p,
                },
                "votes": {p: 1},
                "evidence": [{"start": 0, "end": 3, "text": p}],
                "unsupported": [p],
            }
        )
    turns = [{"agent": 1, "label": p, "explanation": p, "unreadable": p} for p in PAYLOADS]
    session = {
        "label": PAYLOADS[3],
        "decided": PAYLOADS[4],
        "stances": [PAYLOADS[5]],
        "rounds": [{"turns": turns}],
        "adjudications": turns,
    }
    verdict = {
        "label": PAYLOADS[6],
        "judge": PAYLOADS[7],
        "units": units,
        "notes": PAYLOADS,
        "usage": {"calls": 0},
        "transcript": {"debates": [{"start": 0, "end": 1, "text": PAYLOADS[8], "sessions": [session]}]},
    }
    return {"document": "\n".join(PAYLOADS), "summary": summary, "verdict": verdict}


def kept_why() -> dict[str, Any]:
    evidence = [{"id": f"{i} {p}", "text": p} for i, p in enumerate(PAYLOADS)]
    links = [{"sources": [e["id"]], "targets": ["Claim"], "relation": e["text"]} for e in evidence]
    return {
        "claim": PAYLOADS[0],
        "label": None,
        "no_label": PAYLOADS[1],
        "evidence": evidence,
        "system": PAYLOADS[2],
        "structure": {"claim": {"id": "Claim", "text": PAYLOADS[3]}, "evidence": evidence, "links": links},
        "missing": PAYLOADS,
        "notes": PAYLOADS,
        "citations": [{"evidence": p, "document": p, "start": 0, "end": 1} for p in PAYLOADS],
        "unused_evidence": PAYLOADS,
        "concluded": [e["id"] for e in evidence],
        "chain": [],
    }


def test_sixty_hostile_texts_run_nowhere(wide: Visit, tmp_path: Path) -> None:
    assert len(set(PAYLOADS)) == 60
    page = wide.page
    for kind, value, seen in (
        ("examine", kept_examine(), ".finding"),
        ("faithful", kept_faithful(), ".unit"),
        ("why", kept_why(), ".node"),
    ):
        kept = wide.server.ask("POST", "/v1/keep", {"kind": kind, "value": value})
        assert kept.status == 200, kept.body
        wide.open(kept.json["path"])
        page.wait_for_selector(f"{seen} >> nth=59")
        page.wait_for_timeout(300)
        assert not wide.wrong, (kind, wide.wrong)
    wide.open("/examine")
    page.fill("#text", "Everybody knows it. You lie. ".join(PAYLOADS))
    page.click("#compose .primary")
    page.wait_for_selector("#result:not([hidden])")
    wide.open(f"/examine?x={PAYLOADS[10]}#{PAYLOADS[10]}")
    for name in (PAYLOADS[11].replace("/", "") + ".exe", PAYLOADS[15].replace("/", "") + ".txt"):
        page.set_input_files("#compose input[type=file]", {"name": name, "mimeType": "text/plain", "buffer": b""})
        page.wait_for_selector("#notices p")
    wide.open("/faithful")
    page.fill("#document", "\n".join(PAYLOADS))
    page.fill("#summary", PAYLOADS[0])
    page.wait_for_selector("#judge option:nth-child(3)", state="attached")
    page.select_option("#judge", PAYLOADS[15])
    page.click("#compose .primary")
    page.wait_for_selector("#verdict .badge")
    wide.open("/runs")
    page.wait_for_selector("#runs tbody tr >> nth=2")
    wide.open("/runs/view?run=hostile")
    page.wait_for_selector(".table")
    page.click("#tab-records")
    page.wait_for_selector(".record >> nth=19")
    page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    page.wait_for_timeout(300)
    assert not wide.wrong, wide.wrong
    assert page.evaluate("window.__owned") is None
    said = {
        "text": PAYLOADS[0],
        "start": 0,
        "end": 3,
        "label": PAYLOADS[1],
        "corrected": None,
        "annotator": PAYLOADS[2],
    }
    assert wide.server.ask("POST", "/v1/corrections", said).status == 200
    found = wide.server.ask(
        "POST",
        "/v1/export/html",
        {"detection": wide.server.ask("POST", "/v1/detect", {"text": "\n".join(PAYLOADS)}).json},
    )
    out = tmp_path / "export.html"
    out.write_bytes(found.body)
    page.goto(out.as_uri())
    wide.wrong = [w for w in wide.wrong if not f"a request to {out.as_uri()}".startswith(w)]
    assert not wide.wrong
    assert page.evaluate("window.__owned") is None


def test_a_debate_is_stopped_by_its_button(wide: Visit) -> None:
    page = wide.open("/faithful")
    page.click("#example")
    page.evaluate(STOP_AT_ONCE)
    page.select_option("#judge", "demo")
    page.click("#compose .primary")
    page.wait_for_selector("#verdict:has-text('Stopped')")
    assert page.locator("#stop").is_hidden()
