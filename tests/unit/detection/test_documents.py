"""What of a document is examined: each block by itself; headings, code, tables, quotations and navigation are not."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from fallax.core.types import Record
from fallax.data import read_texts
from fallax.detection.systems import load_detector
from fallax.detection.systems.base import SentenceDetector, parts_of
from fallax.detection.systems.decoding import Decoding

FOOL = "You are a fool, so you are wrong."
PAGE = f"""<html><head><title>{FOOL}</title></head><body>
<nav><a href="/">Home</a> <a href="/x">{FOOL}</a></nav><header>{FOOL}</header><h1>{FOOL}</h1>
<p>One.</p><p>Two.</p><p>Three, with <a href="x">a link</a> inside.</p>
<blockquote><p>{FOOL}</p></blockquote><pre>{FOOL}</pre><table><tr><td>{FOOL}</td></tr></table>
<div><a href="a">{FOOL}</a> | <a href="b">Weather</a></div>
<ul><li><a href="a">{FOOL}</a></li><li><a href="b">Sport</a></li></ul>
<ul><li>Four.</li><li>Five, and no link.</li></ul><p><a href="x">Six, a link alone.</a></p>
<footer>{FOOL}</footer></body></html>"""
NOTES = f"""---
title: {FOOL}
---

# {FOOL}

[Home](/) | [{FOOL}](/x)

One.

> {FOOL}

{FOOL}
======

```
{FOOL}
```

| who | says |
|---|---|
| Ann | {FOOL} |

- Two.

    Two more, in the list.

Three.

    {FOOL}

    {FOOL}

Four.
"""


def examined(path: Path) -> list[str]:
    (record,) = read_texts(path)
    parts = parts_of(record)
    said = [record.text[a:b] for i, (a, b) in enumerate(parts.places) if i not in parts.silent]
    assert len(parts.breaks) >= len(said) - 1  # each block is a paragraph of its own
    return said


@pytest.mark.parametrize(
    ("name", "text", "prose"),
    [
        (
            "page.html", PAGE,
            ["One.", "Two.", "Three, with a link inside.", "Four.", "Five, and no link.", "Six, a link alone."],
        ),
        ("notes.md", NOTES, ["One.", "Two.", "Two more, in the list.", "Three.", "Four."]),
        # a plain text may indent its paragraphs
        ("letter.txt", "Dear all,\n\n    Four spaces begin this.\n", ["Four spaces begin this."]),
        (
            "mail.txt", f"On Monday Ann wrote:\n> {FOOL}\n> > {FOOL}\nI doubt it.\n",
            ["I doubt it."],
        ),
    ],
)  # fmt: skip
def test_prose_alone_is_examined(name: str, text: str, prose: list[str], tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert examined(tmp_path / name) == prose


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        (f"who | says\n--- | ---\nAnn | {FOOL}\nBob | no\n\nMine.\n", ["Mine."]),
        (f"<!--\n{FOOL}\n\n# no\n-->\n\nMine. <!-- {FOOL} -->\n", ["Mine."]),
        (f"<h1 align=center>{FOOL}</h1>\n<table>\n\n<tr><td>{FOOL}\n\n</table>\nMine.\n", ["Mine."]),
        (f"<details><summary>{FOOL}</summary>\n\nMine.\n\n</details>\n", ["Mine."]),
        ("```\n<!--\n```\nMine.\n", ["Mine."]),
        (f"+++\ntitle = '{FOOL}'\n+++\nMine.\n", ["Mine."]),
        (f"\ufeff---\ntitle: {FOOL}\n---\nMine.\n", ["Mine."]),
        (f"\ufeff# {FOOL}\n\nMine.\n", ["Mine."]),
        (f"> {FOOL}\n{FOOL}\n\nMine.\n", ["Mine."]),
        (f"A long title\n{FOOL}\n====\nMine.\n", ["Mine."]),
        (f"- One.\n\n    - Two.\n\n      ```\n      {FOOL}\n      ```\n", ["One.", "Two."]),
        (f"[Home][1] | [{FOOL}][2]\n\n[1]: /x '{FOOL}'\n\nMine.\n", ["Mine."]),
        ("One.[^1]\n\n[^1]: Two.\n", ["One.", "Two."]),
        (f"![{FOOL}](x.png) Mine.\n\n$$\nx = y\n$$\n", ["Mine."]),
        ("1. One.\n2. [ ] Two.\n\n---\n\n_Three_, `x()` and **more.**\n",
         ["One.", "Two.", "_Three_, `x()` and **more.**"]),
    ],
)  # fmt: skip
def test_prose_of_markdown(text: str, prose: list[str], tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(text, encoding="utf-8")
    assert examined(tmp_path / "notes.md") == prose


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        (f"\ufeff> {FOOL}\nMine.\n", ["Mine."]),
        ("\ufeffMine.\n", ["Mine."]),
        ("Mine!\n-- \nBob\n", ["Mine!"]),
        ("TOWN OF ELM\nMINUTES OF MAY\nMine.\n\n2. PUBLIC COMMENT\nMine.\n\nIT IS SO, AND WE ALL KNOW IT\n\nMine.\n",
         ["Mine.", "Mine.", "IT IS SO, AND WE ALL KNOW IT", "Mine."]),
        (f"From: Ann\r\nSent: Monday\r\nSubject: {FOOL}\r\nMine.\r\n\r\nTo: us it is.\r\n", ["Mine.", "To: us it is."]),
        ("Mine.\n- fast\n- not slow\n- It is mine\n- Shame!\n\nAnn Lee\n", ["Mine.", "It is mine", "Shame!"]),
        ("You idiot\n", ["You idiot"]),
        ("YOU ARE A LIAR\n", ["YOU ARE A LIAR"]),
        ("ANN: YOU LIE\nBOB: NO\n", ["ANN: YOU LIE", "BOB: NO"]),
        # a paragraph of few words that greets or leads to what follows says nothing by itself
        ("Dear colleagues,\n\nMine.\n\nWhy not:\n- It is,\n- We are.\n\nSo,\nhere I am,\nand it is all mine,\n",
         ["Mine.", "It is,", "We are.", "So,\nhere I am,\nand it is all mine,"]),
        ("Mine.\r\r1) Yours.\r• Ours.\r", ["Mine.", "Yours.", "Ours."]),
        (f"who | says\n----|----\nAnn | {FOOL}\n", []),
    ],
)  # fmt: skip
def test_prose_of_plain_text(text: str, prose: list[str], tmp_path: Path) -> None:
    (tmp_path / "mail.txt").write_bytes(text.encode())
    assert examined(tmp_path / "mail.txt") == prose


@pytest.mark.parametrize(
    ("page", "prose"),
    [
        (f"\ufeff<p>{FOOL}</p>", [FOOL]),
        # a table that holds another, or says so, only places things on the page
        (f"<table><td><a href=x>Home</a><a href=y>{FOOL}</a><td><table><td>{FOOL}</table><p>One.</table>", ["One."]),
        ("<table role=presentation><tr><td>One.</table>", ["One."]),
        (f"<div><a href=x>Home</a><a href=y>{FOOL}</a></div><div role=navigation>{FOOL}</div><p>One.", ["One."]),
        (f"<p><code>{FOOL}</code></p><p>Use <code>rm</code> now.", ["Use rm now."]),
        ("<p>One is one <a href=x><img></a></p><p>Two.", ["One is one", "Two."]),
    ],
)  # fmt: skip
def test_prose_of_a_page(page: str, prose: list[str], tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    assert examined(tmp_path / "page.html") == prose


def test_a_page_is_one_whatever_its_file_is_called(tmp_path: Path) -> None:
    (tmp_path / "page.php").write_text(f"\n<!DOCTYPE html>\n<h1>{FOOL}</h1><p>One.", encoding="utf-8")
    assert examined(tmp_path / "page.php") == ["One."]
    (tmp_path / "page.txt").write_text("<html> is a tag.", encoding="utf-8")
    assert examined(tmp_path / "page.txt") == ["<html> is a tag."]
    for name in ("page.txt", "page.md", "page"):
        (tmp_path / name).write_text(f"<!-- saved -->\r\n<!DOCTYPE html>\n<h1>{FOOL}</h1><p>One.", encoding="utf-8")
        assert examined(tmp_path / name) == ["One."]


def test_a_page_from_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    page = f"\n<html><body><h1>{FOOL}</h1><p>One.".encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(page)))
    assert examined(Path("-")) == ["One."]


@pytest.mark.parametrize("between", [" ", "\n", ", "])
def test_a_text_without_full_stops_is_read_to_its_end(between: str) -> None:
    text = between.join(["so we went on and on about the weather and the bus"] * 60) + "x" * 2000
    parts = parts_of(Record("captions", text))
    assert "".join("".join(parts.sentences).split()) == "".join(text.split())
    assert max(map(len, parts.sentences)) <= 800
    assert all(text[a:b] == s == s.strip() for (a, b), s in zip(parts.places, parts.sentences, strict=True))


def test_marks_of_lists_and_emphasis_change_no_label(tmp_path: Path) -> None:
    sentences = [
        "My uncle ate bacon every morning and lived to ninety-four.",
        "So all this talk about fat and the heart is nonsense.",
        "The hospital published its leaflet in March.",
        "Either you enjoy your food or you live on carrots like a rabbit.",
    ]
    found = []
    for name, text in {
        "a.txt": " ".join(sentences),
        "b.txt": "".join(f"- {s}\n" for s in sentences),
        "c.txt": "\n\n".join(f"{i}. {s}" for i, s in enumerate(sentences, 1)),
        "d.md": " ".join(f"**{s}**" for s in sentences),
        "e.md": "\n".join(f"* [{s}](http://a.b) x.".removesuffix(" x.") + " <br>" for s in sentences),
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (record,) = read_texts(tmp_path / name)
        spans = load_detector().detect(record).spans
        at = [record.text.index(s) for s in sentences]
        found.append(
            [{s.label for s in spans if s.start < i + len(t) and s.end > i} for i, t in zip(at, sentences, strict=True)]
        )
        assert all(record.text[s.start] in "MSTE" for s in spans)
    assert any(found[0])
    assert found == [found[0]] * len(found)


class Flagging:
    """Finds a fallacy in every sentence."""

    labels: tuple[str, ...] = ("ad hominem",)

    def probabilities(self, sentences: Sequence[str], *, title: str = "") -> npt.NDArray[np.float64]:
        return np.ones((len(sentences), 1))


def test_a_quotation_of_a_page_is_reported_whoever_said_it(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"<p><q>{FOOL}</q></p><p>{FOOL}</p><p>A <q>fool</q>, so he is wrong.</p>", encoding="utf-8")
    (record,) = read_texts(path)
    detector = SentenceDetector("flagging", "mafalda", Flagging(), Decoding(threshold=0.5), {})
    found = detector.detect(record).spans
    assert [(record.text[s.start : s.end], s.reported) for s in found] == [
        (f"“{FOOL}”", True), (FOOL, False), ("A “fool”, so he is wrong.", False),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["post.txt", "post.md"])
@pytest.mark.parametrize("end", ["", "."])
@pytest.mark.parametrize("between", ["", "\n"])
def test_the_tags_of_a_forum_end_passages_and_belong_to_none(name: str, end: str, between: str, tmp_path: Path) -> None:
    quoted = f"Everyone takes it, so it must be safe{end}"
    text = (
        f'[quote=dave77][QUOTE="Al, post: 4"]{FOOL}[/quote]{between}{quoted}[/QUOTE]\n{FOOL}\n[quote]{quoted}[/quote]'
    )
    (tmp_path / name).write_text(text, encoding="utf-8")
    (record,) = read_texts(tmp_path / name)
    detector = SentenceDetector("flagging", "mafalda", Flagging(), Decoding(threshold=0.5), {})
    found = [(record.text[s.start : s.end], s.reported) for s in detector.detect(record).spans]
    assert found == [(FOOL, True), (quoted, True), (FOOL, False), (quoted, True)]


def flaggable(record: Record) -> list[str]:
    parts = parts_of(record)
    return [record.text[a:b] for i, (a, b) in enumerate(parts.places) if i not in parts.silent]


@pytest.mark.parametrize(
    "greeting",
    ["Bob,", "Dear all,", "Hi Anna,", "hello everybody out there,", "Mr. Tan and Mrs. Lee,", "Good morning,"],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", " \n  ", "\n\n"])
def test_a_line_that_greets_somebody_is_never_flagged(greeting: str, end: str) -> None:
    text = f"{greeting}{end}you're wrong,\nas you are a fool.\nBob,\nyou lie."
    assert flaggable(Record("letter", text)) == ["you're wrong,\nas you are a fool.", "Bob,\nyou lie."]
    assert flaggable(Record("letter", f"[quote]{greeting}{end}You lie.[/quote]")) == ["You lie."]


@pytest.mark.parametrize(
    "line",
    [
        "However,",
        "Sadly,",
        "In Paris,",
        "If taxes rise,",
        "The mayor,",
        "Yesterday,",
        "When Bob came,",
        "You lie,",
        "So,",
    ],
)
def test_a_line_that_begins_a_sentence_greets_nobody(line: str) -> None:
    text = f"{line}\nwe all lost our heads."
    assert flaggable(Record("letter", text)) == [text]
    assert flaggable(Record("letter", f"{line}")) == [line]


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        (
            "**School uniforms** have a cost. So *they* must go.",
            ["**School uniforms** have a cost.", "So *they* must go."],
        ),
        ("You are ***wrong***", ["You are ***wrong***"]),
        ("_You_ are __wrong__", ["_You_ are __wrong__"]),
        ("- **You** lie", ["**You** lie"]),
        ("**You lie.** *So there.*", ["You lie.", "So there."]),
        ("**You lie. You stole.**", ["You lie.", "You stole."]),
        ("*You are **wrong** here.*", ["You are **wrong** here."]),
    ],
)
def test_a_passage_has_both_marks_of_an_emphasis_or_none(text: str, passages: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"{text}\n", encoding="utf-8")
    (record,) = read_texts(tmp_path / "a.md")
    assert flaggable(record) == passages


def test_a_turn_and_an_item_begin_a_paragraph() -> None:
    text = "Ann: It is late.\nBob Lee: It is not.\nSo there.\n- One.\n- Two.\n"
    parts = parts_of(Record("talk", text))
    said = [text[a:b] for a, b in parts.places]
    assert [said[i] for i in sorted(parts.breaks)] == ["Bob Lee: It is not.", "One.", "Two."]


def test_a_post_without_end_takes_no_long_time() -> None:
    for mark in (" ", "POST:", "\n", "TITLE: "):
        text = "TITLE: " + mark * (20_000 // len(mark))
        assert parts_of(Record("post", text)).title == ""
