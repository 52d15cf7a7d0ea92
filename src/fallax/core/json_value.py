"""Values to and from JSON: written as their fields, read and checked by pydantic.

docs/design/json-values.md says why, and which values write their JSON by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import MISSING, Field, asdict, fields, is_dataclass
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from fallax.errors import FallaxError, InputError, one_line

if TYPE_CHECKING:
    from typing import Self

    from pydantic import GetCoreSchemaHandler, TypeAdapter, ValidationError

__all__ = ["JsonValue", "invalid_reason"]

_ATOMS = frozenset((str, int, float, bool, type(None)))
_ALWAYS = object()


class JsonValue:
    """A dataclass whose JSON is its fields.

    ``json_names`` changes that: the names in the order of the JSON. A name that ends in ``?`` is left out where it has
    its default; a property is written and not read back; a field that is not named is not written. A subclass with a
    ``to_dict`` or ``from_dict`` of its own is written or read by that wherever it stands.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, slots=True)
    ... class Mark(JsonValue):
    ...     start: int
    ...     labels: tuple[str, ...] = ()
    ...     note: str = ""
    ...     json_names = ("labels", "start", "note?")
    >>> Mark(3, ("straw man",)).to_dict()
    {'labels': ['straw man'], 'start': 3}
    >>> Mark.from_dict({"start": 3, "labels": ["straw man"]})
    Mark(start=3, labels=('straw man',), note='')
    >>> Mark.from_dict({"start": "three"})
    Traceback (most recent call last):
    fallax.errors.InputError: Mark: start: must be a valid integer, unable to parse string as an integer, got 'three'
    """

    __slots__ = ()
    json_names: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """The value as JSON values."""
        found: dict[str, Any] = {}
        for name, default in _layout(type(self)):  # type: ignore[arg-type]  # of mypy: a class is hashable
            value = getattr(self, name)
            if type(value) not in _ATOMS:
                value = _plain(value)
            if default is _ALWAYS or value != default:
                found[name] = value
        return found

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` gives; names that are no fields are skipped.

        Raises
        ------
        InputError
            If a field is missing or of another type.
        """
        from pydantic import ValidationError

        try:
            return _adapter(cls).validate_python(value)  # type: ignore[arg-type, no-any-return]
        except ValidationError as error:
            raise InputError(f"{cls.__name__}: {invalid_reason(error)}") from None

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> Any:
        if cls.from_dict.__func__ is JsonValue.from_dict.__func__:  # type: ignore[attr-defined]
            return handler(source)
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(cls.from_dict)


def invalid_reason(error: ValidationError) -> str:
    """The first thing that is wrong with a value: where, what must hold, what was found.

    An error of fallax that a value raised about itself is raised again.
    """
    first = error.errors(include_url=False)[0]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, FallaxError):
        raise cause from None
    where = "".join(f"{part}: " for part in (one_line(".".join(map(str, first["loc"]))),) if part)
    if first["type"] == "missing":
        return f"{where}is missing"
    reason = first["msg"].replace("Input should be", "must be", 1)
    if first["type"] == "dataclass_type":
        reason = "must be an object"
    return f"{where}{reason}, got {one_line(repr(first['input']), 60)}"


@cache
def _layout(cls: Any) -> tuple[tuple[str, Any], ...]:
    """Names in their order, each with the default that is left out."""
    known: dict[str, Field[Any]] = {f.name: f for f in fields(cls)}
    return tuple(
        (name.removesuffix("?"), _default(known[name[:-1]]) if name.endswith("?") else _ALWAYS)
        for name in cls.json_names or known
    )


def _default(field: Field[Any]) -> Any:
    return _plain(field.default if field.default_factory is MISSING else field.default_factory())


@cache
def _adapter(cls: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(cls)


def _plain(value: Any) -> Any:
    """JSON values of what a field holds."""
    if type(value) in _ATOMS:
        return value
    if isinstance(value, JsonValue):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value]
    if isinstance(value, Set):
        return sorted(value)
    if isinstance(value, PurePath):
        return str(value)
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
