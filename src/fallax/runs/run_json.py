"""Validates ``run.json`` for all readers of runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from fallax.core.json_value import invalid_reason
from fallax.errors import InputError

__all__ = ["MAX_ROWS", "check_run_json"]

#: A run of more rows than this is a damaged ``run.json``; its index alone would take gigabytes.
MAX_ROWS = 100_000_000

_Count = Annotated[int, Field(ge=0, le=MAX_ROWS)]


class _Part(BaseModel):
    """Types as they stand, none made of another; what a later release adds is kept."""

    model_config = ConfigDict(strict=True, extra="allow")


class _Data(_Part):
    path: str | None
    hash: str
    n_samples: _Count
    n_bad_spans: _Count = 0
    own: bool = False


class _System(_Part):
    name: str
    protocol: str | None
    protocol_options: dict[str, Any]
    model_options: dict[str, Any]
    identity: dict[str, Any]
    labels: list[str] | None = None


class _Versions(_Part):
    fallax: str
    resumed: list[str] | None = None


class _RunJson(_Part):
    """Every name that any release wrote; those with a default came later."""

    format: str
    benchmark: str
    options: dict[str, Any]
    data: _Data
    system: _System
    prompts: dict[str, str]
    seed: int
    limit: _Count | None
    sample: _Count | None = None
    epochs: Annotated[int, Field(ge=1, le=MAX_ROWS)]
    shard: Annotated[str, Field(pattern=r"^[0-9]{1,9}/[0-9]{1,9}$")] | None
    versions: _Versions
    signature: str
    checksums: Literal["crc32"] | None = None

    @model_validator(mode="after")
    def _is_no_larger_than_a_run(self) -> _RunJson:
        if self.data.n_samples * self.epochs > MAX_ROWS:
            raise InputError(f"data.n_samples times epochs must be at most {MAX_ROWS:,}")
        return self


def check_run_json(found: object) -> None:
    """Raise an error if a value is not the content of a ``run.json``.

    Raises
    ------
    InputError
        At the first thing that is missing or of another type or size, which it names.

    Examples
    --------
    >>> check_run_json({"format": "fallax-run/1"})
    Traceback (most recent call last):
    fallax.errors.InputError: benchmark: is missing
    """
    try:
        _RunJson.model_validate(found)
    except ValidationError as error:
        raise InputError(invalid_reason(error)) from None
