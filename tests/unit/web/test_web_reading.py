"""Files and pages become text; what is locked, broken, too large or on the local network is refused in one line."""

import base64
import io
import socket
import subprocess
import sys
import threading
import time
import zipfile
from typing import Any

import pytest

pytest.importorskip("starlette")

from fallax.errors import InputError
from fallax.web import reading
from fallax.web.reading import fetch_page, is_public, read_file
from tests.support.file_server import file_server


def pdf(text: str) -> bytes:
    """A PDF of one page, written by hand."""
    stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length " + str(len(stream)).encode() + b" >>\nstream\n" + stream + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + one + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{p:010d} 00000 n \n".encode() for p in places)
    return out + f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF".encode()


def docx_of(*paragraphs: str) -> bytes:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    for p in paragraphs:
        document.add_paragraph(p)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def read(name: str, data: bytes, most: int = 10_000) -> dict[str, Any]:
    return read_file(name, data, most=most)


def test_text_markdown_and_html_are_read() -> None:
    assert read("a.txt", "Ä\r\nb".encode())["text"] == "Ä\r\nb"
    found = read("A.HTML", b"<title>t</title><p>One <b>two</b>.</p><script>no()</script>")
    assert "One two." in found["text"]
    assert "no()" not in found["text"]


def test_pdf_and_word_are_read() -> None:
    pytest.importorskip("pypdf")
    assert read("a.pdf", pdf("So it is."))["text"] == "So it is."
    assert read("a.docx", docx_of("One.", "Two."))["text"] == "One.\n\nTwo."


def test_a_mail_is_decoded() -> None:
    coded = base64.b64encode("Ein Café.".encode())
    mail = b"Subject: Tea\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n" + coded
    assert read("a.eml", mail) == {"text": "Ein Café.", "title": "Tea", "notes": []}


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.exe", b"x", "must be one of"),
        ("", b"x", "must be one of"),
        ("a.txt", b"\xff\xfe\x00", "save it as UTF-8, or paste its text"),
        ("a.txt", b"  \n", "must hold text"),
        ("a.txt", b"x" * 20_000, "at most 10,000 characters"),
        ("a.pdf", b"no pdf", "cannot be read"),
        ("a.docx", b"PK\x03\x04broken", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_one_line(name: str, data: bytes, said: str) -> None:
    if name.endswith(("pdf", "docx")):
        pytest.importorskip("pypdf")
        pytest.importorskip("docx")
    with pytest.raises(InputError, match=said) as error:
        read(name, data)
    assert "\n" not in str(error.value)


def test_a_word_file_that_grows_when_unpacked_is_not_unpacked() -> None:
    good = zipfile.ZipFile(io.BytesIO(docx_of("x")))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bomb:
        for item in good.infolist():
            if item.filename != "word/document.xml":
                bomb.writestr(item, good.read(item.filename))
        with bomb.open("word/document.xml", "w") as part:
            for _ in range(200):
                part.write(b" " * (1 << 20))
    with pytest.raises(InputError, match="unpacked it has more than"):
        read("a.docx", out.getvalue())


@pytest.mark.skipif(sys.platform != "linux", reason="the system has no limit on the memory of a process")
def test_what_reads_gets_so_much_memory_and_no_more() -> None:
    program = (
        "import sys; from fallax.data import _child as child; child.KINDS['text'] = lambda data: bytearray(2 << 30);"
        "sys.argv = ['', 'text']; child.main()"
    )
    done = subprocess.run([sys.executable, "-c", program], input=b"", capture_output=True, check=True, timeout=60)
    assert b"too much memory" in done.stdout


def test_the_process_that_reads_sees_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    seen: list[dict[str, str]] = []
    run = subprocess.run

    def noted(*given: Any, **more: Any) -> Any:
        seen.append(more["env"])
        return run(*given, **more)

    monkeypatch.setattr(subprocess, "run", noted)
    read("a.txt", b"x")
    assert seen
    assert all("secret" not in value for value in seen[0].values())


PRIVATE = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.0.0.1",
    "172.16.3.4",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fc00::1",
    "fd12::1",
    "ff02::1",
    "::ffff:10.0.0.1",
    "::ffff:127.0.0.1",
    "2002:7f00:1::",
    "64:ff9b::7f00:1",
    "::127.0.0.1",
    "2001:0:7f00:1::",
    "nonsense",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_inside_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://[::1]/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://0/",
        "https://169.254.169.254/latest",
        "http://[::ffff:127.0.0.1]/",
        "http://192.168.1.1/",
        "file:///etc/passwd",
        "ftp://example.org/",
        "gopher://127.0.0.1/",
        "javascript:alert(1)",
        "//example.org/",
        "example.org",
        "http://user:pass@example.org/",
        "http://example.org:22/",
        "https://example.org:80/",
        "http://",
        "http://[bad/",
        "",
    ],
)
def test_an_address_that_must_not_be_asked_is_not_asked(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        pytest.fail("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    with pytest.raises(InputError, match="address"):
        fetch_page(url, most=1000)


@pytest.fixture
def local(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Names that stand for the test's own server, on the port that is asked there."""
    known: dict[str, int] = {}
    real = socket.getaddrinfo

    def resolve(host: str, port: int, **more: Any) -> list[Any]:
        if host in known:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", known[host]))]
        return list(real(host, port, **more))

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return known


def test_a_page_is_fetched_and_a_redirect_inside_is_not_followed(local: dict[str, int]) -> None:
    page = "<html><body><article><p>" + "A page about bread and its price. " * 20 + "</p></article></body></html>"
    with file_server({"/a.html": page.encode()}) as server:
        local["news.example"] = int(server.url.rsplit(":", 1)[1])
        found = fetch_page("http://news.example/a.html", most=10_000, allowed=lambda a: True)
        assert "bread" in found["text"]
        with pytest.raises(InputError, match="on this machine or network"):
            fetch_page("http://news.example/a.html", most=10_000)


@pytest.mark.parametrize("head", ["HTTP/1.1 200 OK\r\nX-Slow: ", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"])
def test_a_page_that_comes_byte_by_byte_is_broken_off(
    local: dict[str, int], monkeypatch: pytest.MonkeyPatch, head: str
) -> None:
    monkeypatch.setattr(reading, "_SECONDS", 0.3)
    broken_off: list[bool] = []

    def drip(listening: socket.socket) -> None:
        with listening.accept()[0] as client:
            client.recv(65536)
            client.sendall(head.encode())
            try:
                for _ in range(100):  # five seconds, if nobody breaks it off
                    time.sleep(0.05)
                    client.sendall(b"x")
                broken_off.append(False)
            except OSError:
                broken_off.append(True)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(60)
        local["slow.example"] = listening.getsockname()[1]
        server = threading.Thread(target=drip, args=(listening,))
        server.start()
        with pytest.raises(InputError, match=r"'slow\.example' must answer within 0\.3 seconds"):
            fetch_page("http://slow.example/", most=1000, allowed=lambda a: True)
        server.join()
    assert broken_off == [True]


def test_redirects_are_checked_like_the_first_address(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(url: str, allowed: Any, until: float) -> tuple[str | None, str, bytes]:
        asked.append(url)
        reading._checked(url)
        if "start" in url:
            return "http://127.0.0.1/secret", "", b""
        return real(url, allowed, until)

    real = reading._get
    monkeypatch.setattr(reading, "_get", answer)
    with pytest.raises(InputError, match="on this machine or network"):
        fetch_page("http://example.org/start", most=1000)
    assert asked == ["http://example.org/start", "http://127.0.0.1/secret"]
    for target in ("file:///etc/passwd", "http://example.org:22/", "//user:x@example.org/"):
        monkeypatch.setattr(
            reading, "_get", lambda url, a, u, target=target: reading._checked(url) and (target, "", b"")
        )
        with pytest.raises(InputError):
            fetch_page("http://example.org/start", most=1000)


def test_a_name_with_one_inner_address_among_others_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, 80)) for a in ("93.184.215.14", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: both)
    with pytest.raises(InputError, match="on this machine or network"):
        fetch_page("http://twofold.example/", most=1000)
