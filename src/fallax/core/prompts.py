"""Prompt texts: those that ship, replacements for them, and their hashes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from fallax.core.whole import read_whole
from fallax.errors import FormatError, InputError, UnknownNameError

__all__ = ["hash_of", "prompt_slots", "read_prompt", "replace_prompts"]

_SLOT = re.compile(r"\{(\w+)\}")
#: (package, name) -> the text that stands in the place of the one that ships.
_REPLACED: dict[tuple[str, str], str] = {}


@cache
def _shipped(package: str, name: str) -> str:
    return (resources.files(package) / "prompts" / f"{name}.txt").read_text(encoding="utf-8").strip()


def read_prompt(package: str, name: str) -> str:
    """A prompt text: the shipped one, or its replacement by :func:`replace_prompts`.

    Parameters
    ----------
    package : the package whose ``prompts`` folder holds it, such as ``fallax.detection.protocols``.
    name : its file name without ``.txt``; the name carries the version.
    """
    own = _REPLACED.get((package, name))
    return _shipped(package, name) if own is None else own


def prompt_slots(package: str) -> dict[str, tuple[str, ...]]:
    """The prompts of a package by name, each with its required slots, in alphabetical order.

    Examples
    --------
    >>> prompt_slots("fallax.faithfulness.protocols")["debate_hold_stance.v1"]
    ('stance', 'value')
    """
    files = sorted(p.name for p in (resources.files(package) / "prompts").iterdir() if p.name.endswith(".txt"))
    names = [f.removesuffix(".txt") for f in files]
    return {name: tuple(sorted(set(_SLOT.findall(_shipped(package, name))))) for name in names}


def replace_prompts(package: str, folder: str | Path | None) -> Mapping[str, str]:
    """Replace shipped prompts with your own texts, for the rest of this process.

    Parameters
    ----------
    package : see :func:`read_prompt`.
    folder : holds ``NAME.txt`` for every prompt to be replaced; None takes back what was replaced.

    Returns
    -------
    mapping
        Name -> text of what was replaced. Hashes of prompts, and with them signatures, change.

    Raises
    ------
    InputError
        If the folder is not there or holds no prompt, or one in a file with another ending.
    UnknownNameError
        If a file has the name of no prompt.
    FormatError
        If a text lacks a slot, or has one that is never filled.
    """
    for key in [k for k in _REPLACED if k[0] == package]:
        del _REPLACED[key]
    if folder is None:
        return {}
    found = {}
    slots = prompt_slots(package)
    paths = sorted(Path(folder).glob("*.txt"))
    names = {name.lower() for name in slots}
    for path in sorted(Path(folder).glob("*")):
        if path.suffix != ".txt" and names & {path.name.lower(), path.stem.lower()}:
            raise InputError(f"{path}: a prompt must be in a file NAME.txt, got another ending; rename it")
    if not paths:
        raise InputError(f"{folder}: must be a folder with files NAME.txt of prompts, got none")
    for path in paths:
        if path.stem not in slots:
            raise UnknownNameError("prompt", path.stem, slots, where=str(folder))
        text = read_whole(path).strip()
        own = tuple(sorted(set(_SLOT.findall(text))))
        if own != slots[path.stem]:
            more = [f"{{{name}}}" for name in own if name not in slots[path.stem]]
            raise FormatError(
                f"must have the slots {', '.join(slots[path.stem]) or '(none)'}, got {', '.join(own) or '(none)'}"
                + (f"; nothing fills {', '.join(more)}: write other words without braces" if more else ""),
                path=path,
            )
        found[path.stem] = text
    _REPLACED.update({(package, name): text for name, text in found.items()})
    return found


def hash_of(*texts: str) -> str:
    """The first twelve hex digits of the SHA-256 of some texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
