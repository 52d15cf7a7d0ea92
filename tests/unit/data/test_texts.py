"""Texts without annotation: offsets are those of the file, and what cannot be text is refused with its place."""

import base64
import csv
import io
import re
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fallax.data import read_corpus, read_texts
from fallax.data._extract import kind_of_document
from fallax.data._html import page_blocks, visible_text
from fallax.errors import FormatError, InputError, MissingExtraError, UnknownNameError


@pytest.mark.parametrize(
    "text",
    [
        "One.\r\nTwo.\rThree.\n",
        "cafe\u0301 👩‍👩‍👧 👍🏽 end",
        "שלום \u202bמרחבא\u202c ok",
        "\ufeffwith a byte order mark",
        "a\u2028b\x85c\x0cd\x1ee",
    ],
)
def test_plain_text_is_kept_exactly(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.txt", "a.md", "a"):
        (tmp_path / name).write_bytes(text.encode())
        assert [r.text for r in read_texts(tmp_path / name)] == [text]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    found = list(read_texts("-"))
    assert [(r.id, r.text, r.gold) for r in found] == [("stdin", text, None)]


@pytest.mark.parametrize(
    ("name", "content", "pattern"),
    [
        ("a.txt", b"", r"must hold text, got an empty file \(0 bytes\)"),
        ("a.txt", b" \n\t", r"must hold text, got nothing but white space"),
        (
            "a.txt",
            b"one\ntwo \xe9\n",
            r"2: must be UTF-8, got byte 0xe9 at byte 8 of the file; it looks like Windows-1252",
        ),
        (
            "a.txt",
            "Grüße aus Köln\n… fail.".encode() + b"\xc3",
            r"2: must be UTF-8, .* byte 27 .*; other bytes are UTF-8, so",
        ),
        ("a.txt", "Grüße".encode("utf-32"), r"1: must be UTF-8, .* byte 0 .*; it looks like UTF-32"),
        ("a.txt", "Grüße".encode("utf-16"), r"1: must be UTF-8, .* byte 0; it looks like UTF-16|looks like UTF-16"),
        (
            "a.txt",
            b"\x7fELF\x02\x01\x01\0\0\xc3\xa9 \xd0",
            r"1: must be text, got a NUL byte at byte 7 .*; is this a binary",
        ),
        (
            "a.jsonl",
            b"\x7fELF\x02\x01\x01\0\0\xc3\xa9 \xd0",
            r"1: must be text, got a NUL byte at byte 7 .*; is this a binary",
        ),
        (
            "a.md",
            b"\xc3\xa9\x13\xd0a\x05\x9b",
            r"1: must be text, got a control character, 0x13, at byte 2 of the file; is this",
        ),
        (
            "a.csv",
            b"text\n\x1a\x9d\xc3\xa9\x02",
            r"2: must be text, got a control character, 0x1a, at byte 5 of the file",
        ),
        ("a.txt", b"One \x0c page, " * 9 + b"\xc3\xa9\xc3", r"1: must be UTF-8, .*; other bytes are UTF-8, so"),
        ("a.txt", b"one\n\0two", r"2: must be text, got a NUL byte at byte 4 of the file"),
        ("a.txt", b"%PDF-1.7 rest", r"must be text, got a PDF \(byte 0\).* give it that suffix"),
        ("a.eml", b"Subject: No\n\n", r"the mail must hold text, got none"),
        ("a.odt", b"PK\x03\x04rest", r"must be text, got a ZIP archive \(docx, odt, epub, \.\.\.\) \(byte 0\)"),
        ("a.html", b"<script>x()</script>", r"the page must show text, got none"),
        ("a.jsonl", b"", r"must hold JSON, got an empty file"),
        ("a.jsonl", b'{"text": "x"}\n{"body": "y"}\n', r"2: each line must have the field 'text', got 'body'"),
        ("a.jsonl", b'{"text": 4}\n', r"1: the field 'text' must be a string, got 4"),
        (
            "a.jsonl",
            b'{"id": 1, "text": "x"}\n{"id": 1, "text": "y"}\n',
            r"2: each id must be given once, got '1' again",
        ),
        ("a.csv", b"", r"must hold text, got an empty file"),
        ("a.csv", b'text,n\n"a ""b""\nc",1\nd\n', r"4: each row must have 2 cells as the header has, got 1"),
        ("a.csv", b'text\n"open', r"must be a table with properly quoted cells"),
        ("a.csv", b"text,text\na,b\n", r"1: each column must have its own name"),
        ("a.csv", b"text\nab\xff\n", r"2: must be UTF-8, got byte 0xff at byte 7"),
    ],
)
def test_what_is_no_text_is_refused_with_its_place(tmp_path: Path, name: str, content: bytes, pattern: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FormatError, match=rf"^{re.escape(str(path))}:.*({pattern})"):
        list(read_texts(path))


MAIL = b"""Subject: =?utf-8?q?caf=C3=A9?=
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: text/%b; charset="utf-8"
Content-Transfer-Encoding: %b

%b
--x
Content-Type: application/pdf
Content-Disposition: attachment; filename=a.pdf

--x--
"""


@pytest.mark.parametrize(
    ("mail", "text"),
    [
        (MAIL % (b"plain", b"base64", base64.b64encode("Grüße, all.".encode())), "Grüße, all."),
        (MAIL % (b"plain", b"quoted-printable", b"Gr=C3=BC=C3=9Fe,=\n all."), "Grüße, all."),
        (MAIL % (b"html", b"8bit", "<h1>Oh</h1><p>Grüße, <b>all</b>.".encode()), "Oh\nGrüße, all."),
        (b"Subject: x\nContent-Type: text/plain; charset=nobody-knows\n\nAll.", "All."),
    ],
)
def test_a_mail_is_its_decoded_text(tmp_path: Path, mail: bytes, text: str) -> None:
    (tmp_path / "a.eml").write_bytes(mail)
    (found,) = read_texts(tmp_path / "a.eml")
    assert found.text.strip() == text
    assert bool(found.meta.get("blocks")) is (b"text/html" in mail)
    attached = ["attachments of the mail are not read: a.pdf"] if b"a.pdf" in mail else None
    assert found.meta.get("notes") == attached


def test_a_mail_is_told_by_its_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mail = MAIL % (b"plain", b"base64", base64.b64encode("Grüße, all.".encode()))
    folded = b"From ann Mon\r\nReceived: from a\r\n by b\r\nTo: Bo\r\n\r\nAll."
    for raw, text in ((mail, "Grüße, all."), (folded, "All.")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        (tmp_path / "a").write_bytes(raw)
        assert [r.text.strip() for r in read_texts(["-", tmp_path / "a"])] == [text, text]
    for plain in ("From: Ann\nTo: Bo\n\nAll.", "Date: May\nContent-Type: x", "So\n" + mail.decode()):
        (tmp_path / "a").write_text(plain)
        assert [r.text for r in read_texts(tmp_path / "a")] == [plain]
    (tmp_path / "a.txt").write_bytes(mail)
    assert [r.text for r in read_texts(tmp_path / "a.txt")] == [mail.decode()]


def test_a_document_is_the_text_that_fallax_serve_reads(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    for words in ("It rained.", "It snowed."):
        document.add_paragraph(words)
    document.save(str(tmp_path / "a.docx"))
    assert [r.text for r in read_texts(tmp_path / "a.docx")] == ["It rained.\n\nIt snowed."]
    assert kind_of_document("", (tmp_path / "a.docx").read_bytes(), known=False) == "docx"
    document.add_paragraph("The gov\u00adern\u00adment \u200bfell\ufeff.")
    document.save(str(tmp_path / "a.docx"))
    assert [r.text[-18:] for r in read_texts(tmp_path / "a.docx")] == ["government \u200bfell\ufeff."]
    (tmp_path / "b.docx").write_bytes(b"PK\x03\x04rest")
    with pytest.raises(InputError, match=r"b\.docx: must be a Word document .*; save it again"):
        list(read_texts(tmp_path / "b.docx"))


def test_without_what_reads_it_a_document_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "pypdf.py").write_text("raise ImportError(name='pypdf')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(MissingExtraError, match=r"pypdf is not installed; .*fallax\[read\]"):
        list(read_texts(tmp_path / "a.pdf"))


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "windows-1252", "UTF-8"])
def test_a_file_is_read_in_its_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes("Grüße\r\nan alle.".encode(encoding))
    (tmp_path / "a.csv").write_bytes("text\nGrüße\n".encode(encoding))
    names = [tmp_path / "a.txt", tmp_path / "a.csv"]
    assert [r.text for r in read_texts(names, encoding=encoding)] == ["Grüße\r\nan alle.", "Grüße"]
    (found,) = read_texts(tmp_path, encoding=encoding)
    assert found.text == "Grüße\r\nan alle."


def test_a_wrong_encoding_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a\xe9")
    for name in ("no-such", "hex", "base64", "rot13", "undefined", "a\0"):
        with pytest.raises(InputError, match=r"encoding: must be one of text that Python knows, .* got '"):
            list(read_texts(tmp_path / "a.txt", encoding=name))
    with pytest.raises(FormatError, match=r"a\.txt: must be ascii, got bytes at about byte 1"):
        list(read_texts(tmp_path / "a.txt", encoding="ascii"))
    with pytest.raises(FormatError, match=r"a\.txt: must be utf-16, got bytes at about byte 0"):
        list(read_texts(tmp_path / "a.txt", encoding="utf-16"))


def test_json_lines_that_are_read_as_prose_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = b'{"id": "a", "body": "You lie."}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    (found,) = read_texts("-")
    assert "looks like JSON Lines" in found.meta["notes"][0]
    assert found.meta["notes"][0].endswith("--field body")
    (tmp_path / "a").write_bytes(b"{not JSON}")
    assert [r.meta for r in read_texts(tmp_path / "a")] == [{}]


def test_folders_are_read_in_order_and_hidden_files_passed_over(tmp_path: Path) -> None:
    for name in ("b.md", "a.txt", "sub/c.HTML", ".hidden.txt", ".git/d.txt", "e.png", "f.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text('{"body": "J"}' if name == "f.jsonl" else f"<p>{name}")
    found = {r.id.removeprefix(f"{tmp_path.as_posix()}/"): r.text for r in read_texts(tmp_path)}
    assert found == {"a.txt": "<p>a.txt", "b.md": "<p>b.md", "sub/c.HTML": "sub/c.HTML"}
    assert list(found) == ["a.txt", "b.md", "sub/c.HTML"]
    assert [r.text for r in read_texts(tmp_path, field="body")][2] == "J"
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="the folder must hold texts"):
        list(read_texts(tmp_path / "none"))
    with pytest.raises(InputError, match="must name at least one file"):
        list(read_texts([]))


def test_a_file_named_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(FormatError, match=r"each id must be given once.*name each file once"):
        list(read_texts([tmp_path / "a.txt", tmp_path / "a.txt"]))


def test_fields_and_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "x", "body": "One\\r\\n", "n": 1}\n\n{"body": "Two"}\n')
    found = list(read_texts(tmp_path / "a.jsonl", field="body"))
    assert [(r.id, r.text, dict(r.meta)) for r in found] == [
        ("x", "One\r\n", {"n": 1}),
        (f"{(tmp_path / 'a.jsonl').as_posix()}:3", "Two", {}),
    ]
    (tmp_path / "a.csv").write_bytes('\ufeffid,body\r\n1,"a, ""b""\r\nc"\r\n2,é\r\n'.encode())
    assert [(r.id, r.text) for r in read_texts(tmp_path / "a.csv", field="body")] == [("1", 'a, "b"\r\nc'), ("2", "é")]
    (tmp_path / "a.tsv").write_text("text\tn\nx y\t1\n")
    assert [r.text for r in read_texts(tmp_path / "a.tsv")] == ["x y"]
    (tmp_path / "a.json").write_text('[{"body": "J1"},\n {"body": "J2"}]')
    assert [(r.text, r.id[-2:]) for r in read_texts(tmp_path / "a.json", field="body")] == [("J1", ":1"), ("J2", ":2")]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"body": "S"}\n')))
    assert [r.text for r in read_texts("-", field="body")] == ["S"]
    with pytest.raises(UnknownNameError, match=r"a\.csv:1: unknown column 'text'; .*known: body, id"):
        list(read_texts(tmp_path / "a.csv"))
    assert [r.text for r in read_corpus(tmp_path / "a.jsonl", field="body")] == ["One\r\n", "Two"]


def test_a_line_that_is_too_long_leaves_the_limit_of_csv_as_it_was(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    (tmp_path / "a.csv").write_text("x" * 300_000 + "\n")
    with pytest.raises(FormatError, match="a line must be at most 200000 bytes"):
        list(read_texts(tmp_path / "a.csv", max_line_bytes=200_000))
    assert csv.field_size_limit() == before


def test_large_csv_cell(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text\n" + "x" * 300_000 + "\n")
    assert [len(r.text) for r in read_texts(tmp_path / "a.csv")] == [300_000]


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        ("plain", "plain"),
        ("<p>One</p><p>Two</p>", "One\nTwo\n"),
        ("<p>One<p>Two", "One\nTwo"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("<head><title>T</title></head><body>B</body>", "B\n"),
        ("x<script>if (a < b) { '</p>' }</script>y<style>p{}</style>z", "xyz"),
        ("a<!-- <p>no</p> -->b", "ab"),
        ("<q>He said <q>no</q></q><q hidden>x</q>, once", "“He said ‘no’”, once"),
        ("<p><q>never ended<p>next", "“never ended”\nnext"),
        ("<div hidden><p>no</p></div>yes", "yes"),
        ('<p style="color:red; display: none">no</p><p>yes</p>', "yes\n"),
        ('<span style="visibility:hidden">no</span>yes', "yes"),
        ("<p hidden>no<p>yes", "yes"),
        ("<ul><li hidden>no<li>yes</ul>", "yes\n"),
        ("&lt;doc&gt; &amp; &#233; &eacute;", "<doc> & é é"),
        ("  a \n  b\t c  ", "a b c "),
        ("a <b> b</b> c", "a b c"),
        ("a &nbsp; b", "a \u00a0 b"),
        ("<pre>a\n  b</pre>c", "a\n  b\nc"),
        ("<table><tr><td>1<td>2<tr><td>3</table>", "1\t2\n3\n"),
        ("<p>👍🏽 שלום</p>", "👍🏽 שלום\n"),
        ("</p></div>odd", "odd"),
        ("<p>a </p>b", "a\nb"),
        ("<p>1 < 2 <!-- and 3 <b", "1 < 2 "),
        ("<!-- no --> yes <!-- no -->", "yes "),
    ],
)
def test_visible_text_of_a_page(page: str, shown: str) -> None:
    assert visible_text(page) == shown


def test_characters_inside_words_that_a_page_does_not_show_are_dropped(tmp_path: Path) -> None:
    persian = "\u0645\u06cc\u200c\u062e\u0648"  # where the mark changes how letters look
    page = f"<p>The gov&shy;ern&#x200b;<wbr>ment <b>l&#8205;ie</b>d &shy;.</p><pre>It&#xfeff;self</pre><p>{persian}</p>"
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    (record,) = read_texts(tmp_path / "a.html")
    assert record.text.split() == ["The", "government", "lied", "\u00ad.", "Itself", persian]
    code = [record.text[a:b].split() for a, b, kind in record.meta["blocks"] if kind == "code"]
    assert code == [["Itself"]]


@pytest.mark.parametrize(
    ("page", "shown", "quoted"),
    [
        ("<q><p>One.</p><p>Two.</p></q>after", "“One.\nTwo.”\nafter", ["“One.\nTwo.”"]),
        ("<p>a</p><q>\n<div>b </div>\n</q><p>c", "a\n“b”\nc", ["“b”"]),
        ("Ann: <q> a </q>b", "Ann: “a” b", ["“a”"]),
        ("<p>a <q>b<br></q></p>c", "a “b”\nc", ["“b”"]),
        ("<q>open<p>next</p><p>so <q>x</q></p>", "“open”\nnext\nso “x”\n", ["“open”", "“x”"]),
        ("<q>a <q>b</q> c<p>d", "“a ‘b’ c”\nd", ["“a ‘b’ c”"]),
        ("<q>a <q>b<p>c</p></q>d<p>e", "“a ‘b\nc’”\nd\ne", ["“a ‘b\nc’”"]),
        ("x<q> </q><q><q hidden>y</q></q>z", "x z", []),
        ("“<q>No.</q>” he said", "“No.” he said", ["“No.”"]),
        ("<q>“No.”</q><q>So.</q>", "“No.”“So.”", ["“No.”", "“So.”"]),
        ('"<q>No</q>," she', '"No," she', ['"No,"']),
        ("«&nbsp;<q>Non</q>&nbsp;»", "«\u00a0Non\u00a0»", ["«\u00a0Non\u00a0»"]),
        ("<q>'I don't know'</q>", "'I don't know'", ["'I don't know'"]),
        ('<q>"Yes" or "no"</q>', '“"Yes" or "no"”', ['“"Yes" or "no"”']),
    ],
)
def test_quotation_marks_stand_beside_the_words_of_a_quotation(page: str, shown: str, quoted: list[str]) -> None:
    text, blocks = page_blocks(page)
    assert (text, [text[a:b] for a, b, kind in blocks if kind == "quotation"]) == (shown, quoted)


MARKUP = st.sampled_from(
    [*"ab <>/&;!-\"'=\n", "<q>", "</q>", "“", "<p>", "</p>", "<script>", "<b hidden>", "<td>", "<!--", "é"]
)


@given(st.lists(MARKUP, max_size=60).map("".join))
def test_any_page_can_be_read(page: str) -> None:
    text, blocks = page_blocks(page)
    plain = page_blocks(page.replace("<q>", "<i>").replace("</q>", "</i>"))
    assert len(text) - len(plain[0]) in range(0, 2 * page.count("<q>") + 1, 2)  # marks come in pairs
    others = [(a, b, kind) for a, b, kind in blocks if kind != "quotation"]
    assert [kind for _, _, kind in others] == [kind for _, _, kind in plain[1]]
    assert [_without_marks(text[a:b]) for a, b, _ in others] == [_without_marks(plain[0][a:b]) for a, b, _ in plain[1]]


def _without_marks(text: str) -> str:
    return text.translate(dict.fromkeys(map(ord, "“”‘’")))


@pytest.mark.parametrize("part", ["<!--", '<a href="', "<", "<b>", "</", "<![CDATA[", "<p>", "<a href=\"'>", "<q>a"])
def test_broken_pages_take_time_in_proportion(part: str) -> None:
    start = time.process_time()
    visible_text(part * (150_000 // len(part)))
    assert time.process_time() - start < 20  # some took minutes, growing with the square
