"""The language server, from outside over its pipes, and its parts."""

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("pygls", reason="needs the extra lsp: pip install 'fallax[lsp]'")

from fallax.core.types import Prediction, Record, Span
from fallax.errors import DetectorError, FormatError
from fallax.integrations.lsp.dismissed import DISMISSED, Dismissed
from fallax.integrations.lsp.paragraphs import ParagraphReader, sections_of
from fallax.integrations.lsp.places import Places
from tests.support.language_client import ROOT, LanguageClient

FALLACY = "Everyone says the new bridge is ugly, so it must be."
CODE = "```\nEveryone says the new bridge is ugly, so it must be.\n```\n"
#: A character of two UTF-16 units, and one that other libraries take for a line end.
TEXT = f"# Bridges\n\n{CODE}\n\U0001f600 Hm.\u2028Well. {FALLACY}\n"


class Shouts:
    """A detector for tests: sentences that end in "!" are fallacies; it counts what it reads."""

    name, taxonomy = "shouts@1", "mafalda"

    def __init__(self) -> None:
        self.read: list[str] = []

    def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        self.read.append(record.text)
        found, start = [], 0
        for sentence in record.text.split("!")[:-1]:
            first = start + len(sentence) - len(sentence.rsplit(".", 1)[-1].lstrip())
            start += len(sentence) + 1
            found.append(Span(first, start, "ad hominem", 0.9))
        return Prediction(record.id, tuple(found))

    def evidence(self, record: Record, span: Span, *, limit: int = 5) -> tuple[tuple[str, float], ...]:
        return ((record.text_of(span), 0.5),)

    def card(self) -> dict[str, Any]:
        return {}


def test_after_an_edit_only_what_is_near_is_read_again() -> None:
    paragraphs = [
        f"This is paragraph number {i} of the report. {'It goes on for long. ' * 20}".strip() for i in range(9)
    ]
    detector = Shouts()
    reader = ParagraphReader(detector)
    assert reader.read("\n\n".join(paragraphs)) == ()
    assert reader.n_read == 9
    paragraphs[4] = "He lies! " + paragraphs[4]
    text = "\n\n".join(paragraphs)
    found = reader.read(text)
    assert found is not None
    assert [text[s.start : s.end] for s in found] == ["He lies!"]
    assert reader.n_read == 11  # the paragraph, and the next, which is read behind it
    assert reader.read("Something in front.\n\n" + text) is not None
    assert reader.n_read == 13


def test_what_is_found_does_not_depend_on_the_edits_before() -> None:
    texts = ["A. B! C.\n\nD!\n\nE. F!", "A. B! C.\n\nD. G!\n\nE. F!", "D!\n\nE. F!"]
    reader = ParagraphReader(Shouts())
    assert [reader.read(t) for t in texts] == [ParagraphReader(Shouts()).read(t) for t in texts]


def test_a_reading_that_is_out_of_date_stops() -> None:
    assert ParagraphReader(Shouts()).read("One!", stop=lambda: True) is None


def test_long_lines_are_paragraphs() -> None:
    text = f"{'word ' * 40}end.\n{'more ' * 40}end.\nshort\nshort\n"
    assert [text[s.start : s.end].split()[0] for s in sections_of(text)] == ["word", "more", "short"]


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 5), ("utf-16", 3), ("utf-32", 2)])
def test_places_count_the_units_of_the_editor(encoding: str, character: int) -> None:
    text = "é\u2028b\r\na\U0001f600c"
    places = Places(text, encoding)
    assert places.place(7) == (1, character)
    assert places.offset(1, character) == 7
    assert places.offset(0, 99) == 3
    assert places.offset(9, 0) == len(text)


def test_a_damaged_file_of_dismissals_is_named(tmp_path: Path) -> None:
    (tmp_path / DISMISSED).write_text('{"finding": "a"}\nnot json\n')
    with pytest.raises(FormatError, match=r"dismissed\.jsonl:2: each line"):
        Dismissed(tmp_path / DISMISSED)


def test_a_dismissal_is_added_behind_a_last_line_without_an_end(tmp_path: Path) -> None:
    path = tmp_path / DISMISSED
    Dismissed(path).add("ad hominem", "You lie.", file="a.md")
    Dismissed(path).add("ad populum", "All say so.", file="a.md")
    path.write_text(path.read_text().rstrip("\n"))  # as an editor leaves it, when a line is deleted by hand
    Dismissed(path).add("ad hominem", "You are a fool.", file="b.md")
    again = Dismissed(path)
    assert again.has("ad hominem", "You lie.")
    assert again.has("ad hominem", "You are a fool.")
    assert len(path.read_bytes().splitlines()) == 3


class NoCard(Shouts):
    def card(self) -> dict[str, Any]:
        raise KeyError("language")

    def evidence(self, record: Record, span: Span, *, limit: int = 5) -> tuple[tuple[str, float], ...]:
        raise KeyError("words")


def test_a_detector_that_fails_is_named() -> None:
    reader = ParagraphReader(NoCard())
    with pytest.raises(DetectorError, match="detector 'shouts@1' failed: KeyError: 'language'"):
        reader.read("You lie!")
    with pytest.raises(DetectorError, match="detector 'shouts@1' failed: KeyError: 'words'"):
        reader.explain("You lie!", Span(0, 8, "ad hominem"))


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LanguageClient, Path]]:
    folder = tmp_path_factory.mktemp("work")
    client = LanguageClient("--delay", "0", folder=folder, initializationOptions={"showsAnswers": True})
    yield client, folder
    assert client.end() == 0


def test_an_editor_opens_hovers_explains_dismisses_and_edits(editor: tuple[LanguageClient, Path]) -> None:
    client, folder = editor
    about = client.about["capabilities"]
    assert about["hoverProvider"]
    assert set(about["executeCommandProvider"]["commands"]) == {"fallax.dismiss", "fallax.explain"}
    uri = (folder / "bridge.md").as_uri()
    client.open(uri, "markdown", TEXT)
    (found,) = client.diagnostics(1)
    line = TEXT[: TEXT.index("\U0001f600")].count("\n")
    start = len("\U0001f600 Hm.\u2028Well. ".encode("utf-16-le")) // 2
    assert found["range"]["start"] == {"line": line, "character": start}
    assert found["range"]["end"] == {"line": line, "character": start + len(FALLACY)}
    assert found["source"] == "fallax"
    assert found["code"] == "ad populum"

    where = {"textDocument": {"uri": uri}, "position": {"line": line, "character": start + 5}}
    hover = client.ask("textDocument/hover", where)
    assert hover["contents"]["value"].startswith("**ad populum**\n\n")
    assert client.ask("textDocument/hover", {**where, "position": {"line": 3, "character": 5}}) is None

    asked = {"textDocument": {"uri": uri}, "range": found["range"], "context": {"diagnostics": [found]}}
    dismiss, explain = client.ask("textDocument/codeAction", asked)
    said = client.ask("workspace/executeCommand", {k: explain["command"][k] for k in ("command", "arguments")})
    assert said.startswith(f"ad populum: “{FALLACY}”\nwhat it is: ")

    client.ask("workspace/executeCommand", {k: dismiss["command"][k] for k in ("command", "arguments")})
    kept = (folder / DISMISSED).read_text().splitlines()
    assert [json.loads(k)["text"] for k in kept] == [FALLACY]
    client.change(uri, 2, "One more line.\n\n" + TEXT)
    assert client.diagnostics(2) == []
    client.change(uri, 3, TEXT.replace("bridge", "tower"))
    assert len(client.diagnostics(3)) == 1
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert client.diagnostics(None) == []


def test_other_languages_are_left_alone(editor: tuple[LanguageClient, Path]) -> None:
    client, folder = editor
    code, german = (folder / "a.py").as_uri(), (folder / "a.txt").as_uri()
    client.open(code, "python", f"# {FALLACY}")
    assert (
        client.ask("textDocument/hover", {"textDocument": {"uri": code}, "position": {"line": 0, "character": 9}})
        is None
    )
    client.open(german, "plaintext", "Alle sagen, dass die neue Brücke nicht schön ist, also muss es wohl so sein.")
    assert client.diagnostics(1) == []


def test_half_an_emoji_hides_no_finding(editor: tuple[LanguageClient, Path]) -> None:
    client, folder = editor
    uri = (folder / "half.txt").as_uri()
    client.open(uri, "plaintext", f"Well \ud83d. {FALLACY}")
    place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 20}}
    assert client.ask("textDocument/hover", place) is not None
    (shown,) = [m["params"]["diagnostics"] for m in client.came if m.get("params", {}).get("uri") == uri][-1]
    assert shown["range"]["end"] == {"line": 0, "character": len("Well \ud83d. " + FALLACY)}
    client.change(uri, 2, f"\ude00 {FALLACY}")
    assert client.ask("textDocument/hover", place) is not None


@pytest.mark.parametrize(
    ("only", "titles"),
    [
        (None, ["Not a fallacy here (ad populum)", "Explain: ad populum"]),
        ([], ["Not a fallacy here (ad populum)", "Explain: ad populum"]),
        (["refactor", "quickfix"], ["Not a fallacy here (ad populum)", "Explain: ad populum"]),
        ([""], ["Not a fallacy here (ad populum)", "Explain: ad populum"]),
        (["source.organizeImports"], []),
        (["quickfix.spelling"], []),
    ],
)
def test_code_actions_are_of_the_kinds_that_the_editor_asks_for(
    editor: tuple[LanguageClient, Path], only: list[str] | None, titles: list[str]
) -> None:
    client, folder = editor
    uri = (folder / "kinds.txt").as_uri()
    client.open(uri, "plaintext", FALLACY.replace("bridge", "quay"))
    context = {"diagnostics": []} if only is None else {"diagnostics": [], "only": only}
    place = {"line": 0, "character": 3}
    asked = {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": context}
    assert [a["title"] for a in client.ask("textDocument/codeAction", asked)] == titles
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_vscode_extension_shows_explains_and_dismisses(tmp_path: Path) -> None:
    """Under a stub of the editor; the server and the extension are the real ones."""
    (tmp_path / "bridge.md").write_text(FALLACY)
    stub = Path(__file__).parent / "vscode_stub.js"
    command = tmp_path / "fallax"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fallax "$@"\n')
    command.chmod(0o755)
    done = subprocess.run(
        ["node", stub, ROOT / "editors" / "vscode", command, tmp_path / "bridge.md", "--min-confidence", "0.7"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert seen["found"]["range"]["end"] == {"line": 0, "character": len(FALLACY)}
    assert seen["hover"].startswith("**ad populum**")
    assert seen["titles"] == ["Not a fallacy here (ad populum)", "Explain: ad populum"]
    assert seen["lines"][0].startswith(f"ad populum: “{FALLACY}”")
    assert seen["left"] == []


def test_the_vscode_extension_is_packaged_the_same_each_time(tmp_path: Path) -> None:
    files = [tmp_path / "a.vsix", tmp_path / "b.vsix"]
    for file in files:
        subprocess.run([sys.executable, ROOT / "scripts" / "package_vscode.py", file], check=True, capture_output=True)
    assert files[0].read_bytes() == files[1].read_bytes()
    with zipfile.ZipFile(files[0]) as packed:
        ElementTree.fromstring(packed.read("extension.vsixmanifest"))
        assert json.loads(packed.read("extension/package.json"))["main"] == "./extension.js"
        assert {"extension/extension.js", "extension/client.js", "extension/LICENSE.txt"} <= set(packed.namelist())
