"""Reading and writing values as JSON: written field by field, read and validated by pydantic.

docs/design/json-values.md says why, and which values write their JSON by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence, Set
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
    """A dataclass whose JSON consists of its fields.

    ``json_names`` changes that: the names in the order of the JSON. ``name?`` is left out if the field has its default;
    ``name=field`` gives a field another name; a property is written and not read back; a field that is not named is not
    written. ``json_pairs`` names the fields that map pairs, which JSON objects cannot have as keys: they are written as
    a list of objects. A subclass with its own ``to_dict`` or ``from_dict`` is written or read by that wherever it is.

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
    >>> @dataclass(frozen=True)
    ... class Confused(JsonValue):
    ...     labels: dict[tuple[str, str], int]
    ...     json_names = ("confusion=labels",)
    ...     json_pairs = (("labels", "pair", "n"),)
    >>> Confused({("yes", "no"): 2}).to_dict()
    {'confusion': [{'pair': ['yes', 'no'], 'n': 2}]}
    >>> Confused.from_dict({"confusion": [{"pair": ["yes", "no"], "n": 2}]})
    Confused(labels={('yes', 'no'): 2})
    """

    __slots__ = ()
    json_names: ClassVar[tuple[str, ...]] = ()
    #: (field, name of the pair or of its two halves, name of the value); a value that is an object is spread
    json_pairs: ClassVar[tuple[tuple[str, str, str], ...]] = ()

    def to_dict(self) -> dict[str, Any]:
        """The value as JSON values."""
        found: dict[str, Any] = {}
        for name, field, default, pairs in _layout(type(self)):  # type: ignore[arg-type]  # of mypy: it is hashable
            value = getattr(self, field)
            if type(value) not in _ATOMS:
                value = _plain(value) if pairs is None else _listed(value, *pairs)
            if default is _ALWAYS or value != default:
                found[name] = value
        return found

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Read what :meth:`to_dict` gives; unknown names are ignored.

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
    def from_json(cls, text: bytes | str) -> Self:
        """Read a value from JSON text; half the time of ``from_dict(json.loads(text))``, with the same errors.

        Examples
        --------
        >>> from fallax.core.types import Usage
        >>> Usage.from_json('{"calls": 2}').calls
        2
        """
        from pydantic import ValidationError

        if cls.from_dict.__func__ is JsonValue.from_dict.__func__:  # type: ignore[attr-defined]
            try:
                return _adapter(cls).validate_json(text)  # type: ignore[arg-type, no-any-return]
            except ValidationError:  # wrong, or JSON that only Python reads: half of a surrogate pair
                pass
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{cls.__name__}: must be JSON: {one_line(error, 100)}") from None
        return cls.from_dict(value)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> Any:
        from pydantic_core import core_schema

        if cls.from_dict.__func__ is not JsonValue.from_dict.__func__:  # type: ignore[attr-defined]
            return core_schema.no_info_plain_validator_function(cls.from_dict)
        fields_of = dict(n.removesuffix("?").split("=") for n in cls.json_names if "=" in n)
        if not (fields_of or cls.json_pairs):
            return handler(source)

        def renamed(value: Any) -> Any:
            if not isinstance(value, Mapping):
                return value
            found = {fields_of.get(k, k): v for k, v in value.items()}
            for field, names, value_name in cls.json_pairs:
                if isinstance(found.get(field), (list, tuple)):
                    found[field] = _paired(found[field], names.split(), value_name)
            return found

        return core_schema.no_info_before_validator_function(renamed, handler(source))


def invalid_reason(error: ValidationError) -> str:
    """The first validation error in one line: where, what must hold, what was found.

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
def _layout(cls: Any) -> tuple[tuple[str, str, Any, tuple[str, str] | None], ...]:
    """JSON name, field, the default at which it is left out, and the names of its pairs, in order."""
    known: dict[str, Field[Any]] = {f.name: f for f in fields(cls)}
    pairs = {field: (names, value) for field, names, value in cls.json_pairs}
    found = []
    for given in cls.json_names or known:
        name, _, field = given.removesuffix("?").partition("=")
        field = field or name
        default = _default(known[field]) if given.endswith("?") else _ALWAYS
        found.append((name, field, [] if field in pairs and default == {} else default, pairs.get(field)))
    return tuple(found)


def _default(field: Field[Any]) -> Any:
    return _plain(field.default if field.default_factory is MISSING else field.default_factory())


@cache
def _adapter(cls: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(cls)


def _listed(pairs: Mapping[tuple[Any, Any], Any], names: str, value_name: str) -> list[dict[str, Any]]:
    """A mapping from pairs as a list of objects."""
    found = []
    for pair, value in pairs.items():
        halves = names.split()
        head = {names: list(pair)} if len(halves) == 1 else dict(zip(halves, pair, strict=True))
        plain = _plain(value)
        found.append({**head, **(plain if isinstance(plain, dict) else {value_name: plain})})
    return found


def _paired(listed: Sequence[Any], halves: list[str], value_name: str) -> Any:
    """The mapping from pairs that :func:`_listed` wrote; what it cannot have written is left for the error to show."""
    found: dict[Any, Any] = {}
    for given in listed:
        if not isinstance(given, Mapping) or not set(halves) <= given.keys():
            return listed
        pair = given[halves[0]] if len(halves) == 1 else [given[h] for h in halves]
        if not (isinstance(pair, (list, tuple)) and all(type(half) in _ATOMS for half in pair)):
            return listed
        value = {k: v for k, v in given.items() if k not in halves}
        found[tuple(pair)] = value[value_name] if value.keys() == {value_name} else value
    return found


def _plain(value: Any) -> Any:
    """A field's value as JSON values."""
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
