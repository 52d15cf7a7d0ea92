"""Prompt texts that ship with fallax, and their hashes."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import resources

__all__ = ["hash_of", "read_prompt"]


@cache
def read_prompt(package: str, name: str) -> str:
    """A prompt text that ships with fallax.

    Parameters
    ----------
    package : the package whose ``prompts`` folder holds it, such as ``fallax.detection.protocols``.
    name : its file name without ``.txt``; the name carries the version.
    """
    return (resources.files(package) / "prompts" / f"{name}.txt").read_text(encoding="utf-8").strip()


def hash_of(*texts: str) -> str:
    """Twelve hex digits of some texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
