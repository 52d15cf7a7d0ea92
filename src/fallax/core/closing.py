"""Base class for objects that hold a file open."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

__all__ = ["Closing"]


class Closing:
    """A context manager that calls ``close`` at the end."""

    @abstractmethod
    def close(self) -> None:
        """Release the file."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()
