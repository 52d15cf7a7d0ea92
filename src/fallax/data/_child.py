"""Extracts the text of one file in a separate process with limited time and memory.

Run as ``python -P _child.py KIND`` with the file on standard input, so that nothing is imported before the limits are
set; writes one JSON object.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Callable

__all__ = ["KINDS", "main"]

#: Bytes of memory, seconds of processor time, bytes of a Word file when unpacked.
MEMORY = 1 << 30
SECONDS = 15
UNPACKED = 200_000_000


def _limit() -> None:
    """Limit the memory and processor time of this process; does nothing on systems without such limits."""
    try:
        import resource
    except ImportError:
        return
    for what, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_FSIZE, 0)):
        try:
            _, hard = resource.getrlimit(what)
            resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
        except (ValueError, OSError):
            continue


def _pdf(data: bytes) -> tuple[str, str, list[str]]:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise ValueError("the file is locked by a password")
    pages = [page.extract_text() or "" for page in reader.pages]
    title = str((reader.metadata.title if reader.metadata is not None else None) or "")
    empty = sum(not page.strip() for page in pages)
    notes = [f"{empty} of {len(pages)} pages hold no text: pictures of text are not read"] if empty else []
    return "\n\n".join(page.strip() for page in pages if page.strip()), title, notes


def _docx(data: bytes) -> tuple[str, str, list[str]]:
    import docx
    from docx.table import Table

    with zipfile.ZipFile(io.BytesIO(data)) as parts_of:
        if sum(part.file_size for part in parts_of.infolist()) > UNPACKED:
            raise ValueError(f"unpacked it has more than {UNPACKED:,} bytes")
    document = docx.Document(io.BytesIO(data))
    parts: list[str] = []
    for block in document.iter_inner_content():
        if isinstance(block, Table):
            parts += ["\t".join(cell.text for cell in row.cells) for row in block.rows]
        else:
            parts.append(block.text)
    return "\n\n".join(p for p in parts if p.strip()), document.core_properties.title or "", []


def _page(data: bytes) -> tuple[str, str, list[str]]:
    """The article of a web page; all visible text if no article is found."""
    try:
        import trafilatura

        found = trafilatura.bare_extraction(data, include_comments=False, include_tables=False)
        text = str(getattr(found, "text", "") or "")
        if text.strip():
            return text, str(getattr(found, "title", "") or ""), []
    except ImportError:
        pass
    shown, title, notes = _html(data)
    return shown, title, [*notes, "no article was found: this is all the page shows"]


def _html(data: bytes) -> tuple[str, str, list[str]]:
    from fallax.data._html import visible_text

    return visible_text(data.decode("utf-8", "replace")), "", []


def _plain(data: bytes) -> tuple[str, str, list[str]]:
    return data.decode("utf-8-sig", "strict"), "", []


def _mail(data: bytes) -> tuple[str, str, list[str]]:
    from fallax.data._mail import mail_text

    text, meta, subject = mail_text(data)
    return text, subject, meta.get("notes", [])


KINDS: dict[str, Callable[[bytes], tuple[str, str, list[str]]]] = {
    "pdf": _pdf,
    "docx": _docx,
    "mail": _mail,
    "html": _html,
    "page": _page,
    "text": _plain,
}
#: Kinds of files that a program lays out, so that their words may hold characters that nobody sees; the reader of HTML
#: drops them itself.
_LAID_OUT = ("pdf", "docx", "page")
#: What a file of each kind is, in an error.
_NAMES = {"pdf": "a PDF", "docx": "a Word document (.docx)", "mail": "a mail", "html": "a page of HTML"}


def main() -> None:
    """Read standard input as the given kind; errors become ``{"error": ...}``."""
    _limit()
    try:
        text, title, notes = KINDS[sys.argv[1]](sys.stdin.buffer.read())
        if sys.argv[1] in _LAID_OUT:
            from fallax.data._invisible import without_invisible

            text = without_invisible(text)
        found: dict[str, object] = {"text": text, "title": title.strip()[:300], "notes": notes}
    except ImportError as error:
        found = {"missing": str(error.name or error)}
    except UnicodeDecodeError:
        found = {"error": "must be text in UTF-8, got another encoding; save it as UTF-8, or paste its text"}
    except MemoryError:
        found = {"error": "the file needs too much memory to be read"}
    except Exception as error:
        kind = _NAMES.get(sys.argv[1], sys.argv[1])
        found = {
            "error": f"must be {kind}, but cannot be read as one ({type(error).__name__}: {error})"[:300]
            + "; save it again in that form, or as plain text (.txt)"
        }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
