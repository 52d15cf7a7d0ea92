"""Writes output: a file appears whole or not at all; ``-`` is standard output."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from fallax.errors import InputError, one_line

__all__ = [
    "Write", "check_target", "dump_json", "encode", "foreign_folder", "make_folder", "open_folder", "open_out",
    "refuse_inputs",
]  # fmt: skip

Write = Callable[[str], None]


def encode(text: str, where: str) -> bytes:
    """Text as UTF-8; an InputError for unpaired surrogates, which UTF-8 cannot encode."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{where}: must be Unicode text, got half a surrogate pair at character {error.start}; write it as JSON"
            " (format 'fallax')"
        ) from error


def dump_json(value: Mapping[str, Any] | list[Any], where: str, indent: int | None = None) -> str:
    """One JSON value: plain text where UTF-8 can encode it, escapes elsewhere.

    Raises
    ------
    InputError
        If a value (in ``meta``, say) has no JSON.
    """
    try:
        found = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
        try:
            found.encode("utf-8")
        except UnicodeEncodeError:
            found = json.dumps(value, allow_nan=False, indent=indent)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{where}: must hold JSON values only, got {one_line(error)}") from error
    return found


def check_target(path: str | Path, inputs: Iterable[str | Path] = ()) -> None:
    """Raise an error if no file can be written to a path, or it is an input or in one; ``-`` is standard output."""
    if str(path) == "-":
        return
    target = Path(os.path.realpath(path))  # a link keeps pointing where it points
    if target.is_dir():
        raise InputError(f"{target}: must be a file to write to, got a folder; name a file in it")
    if not target.parent.is_dir():
        raise InputError(f"{target}: its folder must exist, got none at {target.parent}; make it first")
    is_device = target.exists() and not target.is_file()
    if not os.access(target if is_device else target.parent, os.W_OK):
        raise InputError(f"{target}: must be a place to write to, got no permission to")
    refuse_inputs(path, inputs)


def refuse_inputs(path: str | Path, inputs: Iterable[str | Path]) -> None:
    """Raise an error if an output is one of the inputs, whatever its name, or lies in a folder of them."""
    target = Path(os.path.realpath(path))
    if target.exists() and not (target.is_file() or target.is_dir()):  # a device
        return
    for one in inputs:
        if os.path.exists(one) and target.exists() and os.path.samefile(one, target):
            raise InputError(f"{path}: must not be what the command reads, got an input as the output; name another")
        if os.path.isdir(one) and Path(os.path.realpath(one)) in target.parents:
            raise InputError(f"{path}: must not lie in a folder that the command reads, got {one}; name another place")


def make_folder(path: Path) -> None:
    """Create the output folder if it does not exist."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: must be a folder that can be written, got {error.strerror or error}") from None


def foreign_folder(path: Path, names: Iterable[str], *, of: str) -> InputError:
    """The error for an output folder that holds files of something else, of which the first name is said.

    Examples
    --------
    >>> print(foreign_folder(Path("out"), ["notes.txt"], of="a detector"))
    out: must be a new folder or that of a detector, got one with notes.txt of something else; name another folder
    """
    found = one_line(min(names), 60)
    return InputError(
        f"{path}: must be a new folder or that of {of}, got one with {found} of something else; name another folder"
    )


@contextmanager
def open_out(path: str | Path) -> Iterator[Write]:
    """A function that writes text as UTF-8, newlines untouched.

    A file takes its name only once it is whole, so a file may be converted onto itself and an error leaves the old
    one in place. ``-`` is standard output.
    """
    if str(path) == "-":
        out = getattr(sys.stdout, "buffer", None)  # a notebook has text only
        if out is None:
            yield lambda text: (sys.stdout.write(text), None)[1]
        else:
            sys.stdout.flush()
            yield lambda text: (out.write(encode(text, "<stdout>")), None)[1]
        sys.stdout.flush()
        return
    check_target(path)
    target = Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as f:
                yield lambda text: (f.write(encode(text, str(path))), None)[1]
            return
        mode = target.stat().st_mode & 0o777 if target.exists() else None
        name = _hidden(target)
        out_file = open(name, "xb", opener=partial(os.open, mode=0o666 if mode is None else mode))  # noqa: SIM115
    except OSError as error:
        raise InputError(f"{target}: must be a place to write to, got {error.strerror or error}") from error
    try:
        with out_file as f:
            yield lambda text: (f.write(encode(text, str(path))), None)[1]
        if mode is not None:  # whatever the umask says
            os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


@contextmanager
def open_folder(path: str | Path) -> Iterator[Path]:
    """A temporary folder whose files move to ``path`` only when all of them are written.

    A folder that is there keeps its other files; a link keeps pointing where it points.

    Raises
    ------
    InputError
        If there is something else than a folder, or none can be made there; and if a folder was written into it or
        stands where a file must, and then no file has moved.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_dir():
        raise InputError(f"{path}: must be a folder, got a file; name another")
    make_folder(target.parent)
    try:
        staging = _hidden(target)
        staging.mkdir()
    except OSError as error:
        raise InputError(f"{path}: must be a folder that can be written, got {error.strerror or error}") from None
    try:
        yield staging
        folders = [f.name for f in staging.iterdir() if f.is_dir() or (target / f.name).is_dir()]
        if folders:
            raise InputError(
                f"{path}: must get files only, got the folder {one_line(min(folders), 60)!r}; move it away"
            )
        if not target.exists():
            staging.rename(target)
        else:
            for file in staging.iterdir():
                file.replace(target / file.name)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _hidden(target: Path) -> Path:
    """A new name beside the target, for what is not whole yet."""
    return target.parent / f".{secrets.token_hex(8)}.part"
