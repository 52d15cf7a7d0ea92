"""Names of parts as results have them: ``NAME@VERSION`` is accepted where NAME is, if that version is installed."""

from __future__ import annotations

import os.path
from collections.abc import Collection

from fallax.errors import InputError, one_line

__all__ = ["check_version", "folder_name", "listed_name"]


def listed_name(name: str, known: Collection[str], *, kind: str) -> str:
    """The name of a part without kind and version; every other name, and that of a folder, as it is.

    Parameters
    ----------
    name : as somebody typed it, or as a result has it.
    known : names of parts.
    kind : of part, which may stand before the name: ``detector:NAME``.

    Examples
    --------
    >>> [listed_name(n, ["linear"], kind="detector") for n in ("linear", "linear@1", "detector:linear@1", "cubic@1")]
    ['linear', 'linear', 'linear', 'cubic@1']
    """
    bare, at, _ = name.removeprefix(f"{kind}:").rpartition("@")
    return bare if at and name not in known and bare in known and not os.path.isdir(name) else name


def folder_name(folder: os.PathLike[str], *, kind: str) -> str:
    """The name under which a part is loaded from a folder that is given as a path, whatever parts are called so.

    Raises
    ------
    InputError
        If there is no such folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> folder_name(Path("linear"), kind="detector")
    Traceback (most recent call last):
    fallax.errors.InputError: system: a path must be the folder of a detector, got 'linear'; give names as texts
    """
    if not os.path.isdir(folder):
        got = one_line(os.fspath(folder), 200)
        raise InputError(f"system: a path must be the folder of a {kind}, got {got!r}; give names as texts")
    return os.path.join(os.curdir, folder)


def check_version(name: str, installed: str, known: Collection[str], *, kind: str) -> None:
    """Check that a name with a version, as for :func:`listed_name`, is the name of what was loaded.

    Raises
    ------
    InputError
        If another version is installed, or a model of another name reads there.

    Examples
    --------
    >>> check_version("linear@1", "linear@1", ["linear"], kind="detector")
    >>> check_version("linear@2", "linear@1", ["linear"], kind="detector")
    Traceback (most recent call last):
    fallax.errors.InputError: detector 'linear@2': must be what is installed, which is 'linear@1'; leave the version out
    """
    if listed_name(name, known, kind=kind) != name and name.removeprefix(f"{kind}:") != installed:
        raise InputError(
            f"{kind} {one_line(name, 60)!r}: must be what is installed, which is {one_line(installed, 60)!r}; leave the"
            " version out"
        )
