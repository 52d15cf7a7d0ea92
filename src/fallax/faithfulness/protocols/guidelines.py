"""Guidelines for judging: lists of rules in text files, from the paper or your own."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from fallax.core.whole import read_whole
from fallax.errors import FormatError, InputError, UnknownNameError

__all__ = ["Guidelines", "list_guidelines", "load_guidelines", "parse_guidelines"]

_NUMBER = re.compile(r"^(?:\d+[.)]|[-*•])\s+")
_FIELD = re.compile(r"^#\s*(name|version|source)\s*:\s*(.+)$")


@dataclass(frozen=True, slots=True)
class Guidelines:
    """Numbered rules for judges; agents cite them by number.

    Parameters
    ----------
    items : one rule each; at least one.
    name, version, source : from the head of the file.

    Examples
    --------
    >>> rules = Guidelines(("Judge accuracy.", "Ignore style."), name="mine")
    >>> print(rules.text)
    1. Judge accuracy.
    2. Ignore style.
    >>> rules.id
    'mine@1'
    """

    items: tuple[str, ...]
    name: str = "own"
    version: str = "1"
    source: str = ""

    def __post_init__(self) -> None:
        if not self.items:
            raise InputError(f"guidelines {self.name!r}: at least one must be given, got none")

    @property
    def text(self) -> str:
        """The rules, numbered from 1, one a line."""
        return "\n".join(f"{i}. {item}" for i, item in enumerate(self.items, start=1))

    @property
    def id(self) -> str:
        """``name@version``, as in settings and signatures."""
        return f"{self.name}@{self.version}"

    @property
    def hash(self) -> str:
        """A hash (twelve hex digits) of the rules."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


def parse_guidelines(text: str, *, name: str = "own", path: str | Path | None = None) -> Guidelines:
    r"""Parse guidelines: one a line, numbers and bullets ignored, ``#`` starts a comment.

    Comment lines ``# name: ...``, ``# version: ...`` and ``# source: ...`` say what the list is.

    Raises
    ------
    FormatError
        If there is none.

    Examples
    --------
    >>> parse_guidelines("# name: mine\n1. Judge accuracy.\n- Ignore style.").items
    ('Judge accuracy.', 'Ignore style.')
    """
    fields = {"name": name}
    items = []
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("#"):
            if match := _FIELD.match(line):
                fields[match[1]] = match[2].strip()
        elif line:
            items.append(_NUMBER.sub("", line))
    if not items:
        raise FormatError("must hold at least one guideline, one a line; found none", path=path)
    return Guidelines(tuple(items), **fields)


def list_guidelines() -> tuple[str, ...]:
    """The names and versions of the lists that ship with fallax.

    Examples
    --------
    >>> list_guidelines()
    ('madisse.v1',)
    """
    folder = resources.files("fallax.faithfulness.protocols") / "guidelines"
    return tuple(sorted(f.name.removesuffix(".txt") for f in folder.iterdir() if f.name.endswith(".txt")))


def load_guidelines(name: str | Path = "madisse.v1") -> Guidelines:
    """Load guidelines: a list that ships with fallax, by name, or a file.

    Parameters
    ----------
    name : ``madisse.v1`` (the 13 of Koupaee et al. 2025), or a path.

    Raises
    ------
    UnknownNameError
        If it is neither.
    FormatError
        If the file holds none or cannot be read.

    Examples
    --------
    >>> len(load_guidelines().items)
    13
    """
    if isinstance(name, str) and name in list_guidelines():
        text = (resources.files("fallax.faithfulness.protocols") / "guidelines" / f"{name}.txt").read_text(
            encoding="utf-8"
        )
        return parse_guidelines(text, name=name)
    path = Path(name)
    if not path.is_file():
        raise UnknownNameError("list of guidelines (or file)", name, list_guidelines())
    return parse_guidelines(read_whole(path), name=path.stem, path=path)
