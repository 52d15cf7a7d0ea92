"""Metrics by name, and parsing of their specs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from fallax.core.checked import checked
from fallax.core.registry import Registry, registry
from fallax.core.types import Taxonomy
from fallax.errors import InputError, UnknownNameError, one_line
from fallax.metrics.base import Metric
from fallax.metrics.classification import Classification, FallacyDetection, MultiLabel
from fallax.metrics.flc import FLC
from fallax.metrics.judging import RankedLabels, TwinDiscrimination
from fallax.metrics.quality import Quality
from fallax.metrics.sentences import SentenceDetection
from fallax.metrics.soft_span import SoftSpan
from fallax.metrics.span_match import SpanMatch
from fallax.metrics.structure import EntailmentTree, StructureSimilarity
from fallax.metrics.two_class import TwoClass

__all__ = ["METRICS", "parse_metric"]

_CLASSES: tuple[type[Metric], ...] = (
    Classification,
    FallacyDetection,
    EntailmentTree,
    FLC,
    MultiLabel,
    Quality,
    RankedLabels,
    SentenceDetection,
    SoftSpan,
    SpanMatch,
    StructureSimilarity,
    TwinDiscrimination,
    TwoClass,
)

#: name -> class of every metric.
METRICS: Registry[type[Metric]] = registry("metric")
for _class in _CLASSES:
    METRICS.add(_class.name, _class, about=(_class.__doc__ or "").partition("\n")[0])

_SPEC = re.compile(r"\s*([\w.-]+)\s*(?:\((.*)\)\s*)?", re.DOTALL)
_SETTING = re.compile(r"\s*(\w+)\s*=\s*")
_WORD = re.compile(r"[A-Za-z_][\w.+-]*", re.ASCII)
_CONSTANTS = {"true": True, "false": False, "null": None}


@checked()
def parse_metric(spec: str, *, taxonomies: Iterable[Taxonomy] = ()) -> Metric:
    """Parse a spec into a metric; ``parse_metric(str(m)) == m``.

    Parameters
    ----------
    spec : ``name`` or ``name(setting=value, ...)``; a value is a plain word or JSON.
    taxonomies : taxonomies that are not registered but may be named in the spec.

    Raises
    ------
    UnknownNameError
        If there is no such metric, setting or value.
    InputError
        If the spec cannot be read.

    Examples
    --------
    >>> parse_metric("flc(variant=official)")
    FLC(taxonomy=None, variant='official', merge_overlaps=False)
    >>> parse_metric("flc(varant=official)")
    Traceback (most recent call last):
    fallax.errors.UnknownNameError: flc: unknown setting 'varant'; did you mean 'variant'? known: merge_overlaps, \
taxonomy, variant
    """
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise InputError(f"metric {one_line(spec, 60)!r}: must be a name or name(setting=value, ...)")
    name, inner = match[1], match[2] or ""
    metric = METRICS.find(name)
    known = {f.name for f in fields(metric)}
    own = {t.name: t for t in taxonomies}
    settings: dict[str, Any] = {}
    at = 0
    while inner[at:].strip():
        found = _SETTING.match(inner, at)
        if found is None:
            raise InputError(f"metric {name}: must be setting=value at {one_line(inner[at:], 40)!r}")
        key = found[1]
        if key not in known:
            raise UnknownNameError("setting", key, known, where=name)
        if key in settings:
            raise InputError(f"metric {name}: setting {key!r} is given twice; give it once")
        value, at = _value(inner, found.end(), f"{name}, {key}")
        settings[key] = own.get(value, value) if key == "taxonomy" and isinstance(value, str) else value
        rest = inner[at:].lstrip()
        if rest and not rest.startswith(","):
            raise InputError(f"metric {name}: settings must be separated by commas, got {one_line(rest, 40)!r}")
        at = len(inner) - len(rest) + 1 if rest else len(inner)
    return metric(**settings)


def _value(text: str, at: int, where: str) -> tuple[Any, int]:
    word = _WORD.match(text, at)
    if word is not None:
        return _CONSTANTS.get(word[0], word[0]), word.end()
    try:
        value, end = json.JSONDecoder().raw_decode(text, at)
    except json.JSONDecodeError:
        raise InputError(
            f"metric {where}: the value must be a plain word or JSON, got {one_line(text[at:], 40)!r}"
        ) from None
    return (tuple(value) if isinstance(value, list) else value), end
