"""Extracts the text of documents and pages in a child process with limits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from fallax.data._mail import is_mail
from fallax.errors import InputError, MissingExtraError, one_line

__all__ = ["DOCUMENTS", "extracted", "kind_of_document"]

#: Suffix -> what it is read as.
DOCUMENTS = {".pdf": "pdf", ".docx": "docx", ".eml": "mail"}
_SECONDS = 20
_PACKAGES = {"pypdf": "pypdf", "docx": "python-docx", "trafilatura": "trafilatura"}
_CHILD = Path(__file__).with_name("_child.py")


def kind_of_document(suffix: str, raw: bytes, *, known: bool) -> str:
    """What a file is read as that is no plain text, by its suffix, or by its content if the suffix is not known.

    Examples
    --------
    >>> kind_of_document(".docx", b"", known=True), kind_of_document("", b"%PDF-1.7", known=False)
    ('docx', 'pdf')
    >>> kind_of_document(".txt", b"%PDF-1.7", known=True)
    ''
    """
    if suffix in DOCUMENTS:
        return DOCUMENTS[suffix]
    if known:
        return ""
    if raw.startswith(b"%PDF"):
        return "pdf"
    if raw.startswith(b"PK\x03\x04") and b"word/document.xml" in raw:
        return "docx"
    return "mail" if is_mail(raw) else ""


def extracted(kind: str, data: bytes, name: str) -> dict[str, Any]:
    """The text of a file.

    Parameters
    ----------
    kind : a key of ``KINDS`` in ``_child.py``.
    data : its bytes.
    name : as messages write it.

    Returns
    -------
    dict
        ``text``, ``title`` and ``notes``.

    Raises
    ------
    InputError
        If it holds no text, or cannot be read in time.
    MissingExtraError
        If the package that reads it is not installed.

    Notes
    -----
    The child process gets no environment variables that could hold keys, and little time and memory.
    """
    env = {k: os.environ[k] for k in ("PATH", "SYSTEMROOT", "LANG") if k in os.environ}
    env["PYTHONPATH"] = os.pathsep.join(str(Path(p).absolute()) for p in sys.path if p)
    command = [sys.executable, "-P", str(_CHILD), kind]  # -P: its folder is no place of modules
    try:
        done = subprocess.run(
            command,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=env,
            timeout=_SECONDS,
            cwd=os.sep,
            check=False,
        )
        found = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise InputError(f"{name}: must be read within {_SECONDS} seconds, it takes longer") from None
    except ValueError:
        raise InputError(f"{name}: cannot be read within the memory and time that a file gets") from None
    if "missing" in found:
        package = found["missing"].partition(".")[0]
        raise MissingExtraError(_PACKAGES.get(package, package), extra="read")
    if "error" in found:
        raise InputError(f"{name}: {one_line(found['error'], 300)}")
    if not found["text"].strip():
        raise InputError(f"{name}: must hold text, found none")
    return dict(found)
