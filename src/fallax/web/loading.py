"""Tells faults of the server's own files from those of a request."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from fallax.errors import FormatError

__all__ = ["UnloadableError", "loading"]

_log = logging.getLogger(__name__)


class UnloadableError(Exception):
    """A system that cannot be loaded from the server's files."""


@contextmanager
def loading() -> Iterator[None]:
    """Where systems are loaded and used on values that are no files: a file in a wrong format is the server's own.

    Its path and fault go to the server's log.

    Raises
    ------
    UnloadableError
        In place of a FormatError.
    """
    try:
        yield
    except FormatError as error:
        _log.error("a system cannot be loaded: %s", error)
        raise UnloadableError from error
