"""What holds a file open until it is closed."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

__all__ = ["Closing"]


class Closing:
    """Something to use with ``with``, which closes it at the end."""

    @abstractmethod
    def close(self) -> None:
        """Release what is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()
