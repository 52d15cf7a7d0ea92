"""Registries: find detectors, judges, metrics, formats, benchmarks and other parts by name, plugins included.

Each kind of part has one :class:`Registry`. A package of your own adds parts through an entry point of the group
``fallax.plugins``: a function that is called once with :func:`add`.

    [project.entry-points."fallax.plugins"]
    my-parts = "my_package.parts:register"

    def register(add):
        add("metric", "my-metric", "my_package.parts:MyMetric", about="what it measures")

Plugins are loaded when a name is unknown or when the names are listed, so they cost nothing until then.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from fallax.errors import FallaxError, InputError, UnknownNameError, one_line

__all__ = ["GROUP", "KINDS", "Option", "Registry", "add", "registry"]

T = TypeVar("T")

#: The group of entry points that add parts.
GROUP = "fallax.plugins"

#: kind -> what a part of it is.
KINDS: Mapping[str, str] = {
    "benchmark": "a subclass of fallax.runs.base.Benchmark",
    "data set": "a fallax.data.Dataset",
    "detector": "a function () -> Detector",
    "format": "a fallax.data.Format",
    "judge": "a function () -> SentenceScorer",
    "metric": "a subclass of fallax.metrics.Metric",
    "protocol": "a function (taxonomy, **options) -> DetectionProtocol",
    "provider": "a fallax.models.Provider, or a function (model, options) -> ChatModel",
    "system": "a function (taxonomy, *, seed) -> LocalSystem",
    "verifier": "a function (*, classes, embedder) -> Verifier",
}


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a registered part.

    Parameters
    ----------
    name : as people give it.
    type : for people: "int", "text", "one of a, b".
    about : one line.
    default : None where there is none.
    """

    name: str
    type: str
    about: str
    default: Any = None


@dataclass(frozen=True, slots=True)
class _Entry:
    value: Any
    about: str
    options: tuple[Option, ...]


class Registry(Mapping[str, T], Generic[T]):
    """Parts of one kind by name, in the order they were added; plugins come last.

    A value that was added as ``"module:attribute"`` is imported when it is first asked for.

    Parameters
    ----------
    kind : a key of :data:`KINDS`.

    Examples
    --------
    >>> shelf: Registry[int] = Registry("metric")
    >>> shelf.add("answer", 42, about="of everything")
    >>> shelf["answer"], shelf.about("answer"), "question" in shelf
    (42, 'of everything', False)
    """

    def __init__(self, kind: str) -> None:
        if kind not in KINDS:
            raise UnknownNameError("kind of part", kind, KINDS)
        self.kind = kind
        self._entries: dict[str, _Entry] = {}

    def add(self, name: str, value: T | str, *, about: str = "", options: tuple[Option, ...] = ()) -> None:
        """Register a part.

        Parameters
        ----------
        name : not taken yet.
        value : the part, or ``"module:attribute"``.
        about : one line for lists and help.
        options : what it takes.

        Raises
        ------
        InputError
            If the name is taken or empty, or a text is no ``"module:attribute"``.
        """
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"{self.kind}: the name must be a text, got {name!r}")
        if name in self._entries:
            raise InputError(f"{self.kind} {name!r}: must be added only once, it exists already")
        if isinstance(value, str) and (not all(value.partition(":")) or value.count(":") != 1):
            raise InputError(f"{self.kind} {name!r}: a text must be 'module:attribute', got {value!r}")
        self._entries[name] = _Entry(value, about, options)

    def about(self, name: str) -> str:
        """A one-line description of a part."""
        return self._entry(name).about

    @property
    def abouts(self) -> Mapping[str, str]:
        """Name -> one-line description; shows parts that are added later, too."""
        return _Abouts(self)

    def options(self, name: str) -> tuple[Option, ...]:
        """The options of a part."""
        return self._entry(name).options

    def find(self, name: str, *, where: str = "") -> T:
        """Find a part by its name.

        Raises
        ------
        UnknownNameError
            If there is none; it names those that are near.
        InputError
            If a part that was given as text cannot be imported.
        """
        if name not in self:
            raise UnknownNameError(self.kind, name, list(self), where=where)
        return self[name]

    def _entry(self, name: str) -> _Entry:
        if name not in self._entries:
            _load_plugins()
        return self._entries[name]

    def __getitem__(self, name: str) -> T:
        entry = self._entry(name)
        if isinstance(entry.value, str):
            module, _, attribute = entry.value.partition(":")
            try:
                value = getattr(importlib.import_module(module), attribute)
            except FallaxError:
                raise
            except (ImportError, AttributeError) as error:
                raise InputError(
                    f"{self.kind} {name!r} ({entry.value}): cannot be imported: {one_line(error, 160)}"
                ) from error
            entry = _Entry(value, entry.about, entry.options)
            self._entries[name] = entry
        found: T = entry.value
        return found

    def __contains__(self, name: object) -> bool:
        if name not in self._entries:
            _load_plugins()
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        _load_plugins()
        return iter(self._entries)

    def __len__(self) -> int:
        _load_plugins()
        return len(self._entries)


class _Abouts(Mapping[str, str]):
    """A live view of a registry as a mapping."""

    def __init__(self, of: Registry[Any]) -> None:
        self._of = of

    def __getitem__(self, name: str) -> str:
        return self._of.about(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)


_REGISTRIES: dict[str, Registry[Any]] = {}
_LOADED: list[bool] = []


def registry(kind: str) -> Registry[Any]:
    """The registry of one kind; the same object on each call.

    Raises
    ------
    UnknownNameError
        If there is no such kind; :data:`KINDS` has them.
    """
    if kind not in _REGISTRIES:
        _REGISTRIES[kind] = Registry(kind)
    return _REGISTRIES[kind]


def add(kind: str, name: str, value: Any, *, about: str = "", options: tuple[Option, ...] = ()) -> None:
    """Register a part; the function that plugins receive.

    Parameters
    ----------
    kind : a key of :data:`KINDS`, which says what the value must be.
    name, value, about, options : see :meth:`Registry.add`.

    Raises
    ------
    UnknownNameError, InputError
        A kind nobody knows, or a name that is taken.
    """
    registry(kind).add(name, value, about=about, options=options)


def _load_plugins() -> None:
    """Call every plugin once; a plugin that fails causes a warning and does not stop the others."""
    if _LOADED:
        return
    _LOADED.append(True)
    for point in entry_points(group=GROUP):
        try:
            register: Callable[[Callable[..., None]], None] = point.load()
            register(add)
        except Exception as error:
            said = one_line(f"{type(error).__name__}: {error}", 160)
            warnings.warn(f"plugin {point.name!r} ({point.value}) could not be loaded: {said}", stacklevel=2)
