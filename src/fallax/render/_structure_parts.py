"""The parts of a drawn structure, with their places in pixels."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DrawnLink", "NodeBox", "Point"]

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class NodeBox:
    """The position of a node: centre, size, lines of text."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DrawnLink:
    """The path of each arrow of a link, the point where several meet, and where its relation begins (baseline)."""

    ways: tuple[tuple[tuple[str, str], tuple[Point, ...]], ...]
    joint: Point
    word: Point | None = None
