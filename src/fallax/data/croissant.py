"""Croissant 1.0 metadata (MLCommons) of data sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["TERMS", "dataset", "field", "file_object", "record_set", "source"]

#: What the words of a file mean (JSON-LD); the whole of version 1.0.
TERMS: Mapping[str, Any] = {
    "@language": "en", "@vocab": "https://schema.org/", "citeAs": "cr:citeAs", "column": "cr:column",
    "conformsTo": "dct:conformsTo", "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"}, "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/", "examples": {"@id": "cr:examples", "@type": "@json"}, "extract": "cr:extract",
    "field": "cr:field", "fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject", "fileSet": "cr:fileSet",
    "format": "cr:format", "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath",
    "key": "cr:key", "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path", "recordSet": "cr:recordSet",
    "references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated", "replace": "cr:replace",
    "sc": "https://schema.org/", "separator": "cr:separator", "source": "cr:source", "subField": "cr:subField",
    "transform": "cr:transform",
}  # fmt: skip


def file_object(id: str, path: str, **properties: str) -> dict[str, Any]:
    """A file of the data set.

    Parameters
    ----------
    id : by which :func:`source` names it.
    path : relative to the metadata.
    properties : such as ``sha256`` and ``encodingFormat``, in the order in which they are written.
    """
    return {"@type": "cr:FileObject", "@id": id, "name": id, "contentUrl": path, **properties}


def source(file: str, column: str, *, path: str = "") -> dict[str, Any]:
    """Where the values of a field are: a column of a file, or a path in its JSON."""
    found: dict[str, Any] = {"fileObject": {"@id": file}, "extract": {"column": column}}
    return found | ({"transform": {"jsonPath": path}} if path else {})


def field(id: str, kind: str = "sc:Text", *, name: str = "", **properties: Any) -> dict[str, Any]:
    """A column of a record set.

    Parameters
    ----------
    id : its own, with that of the set before a slash.
    kind : the type of its values; "" where its parts have types.
    name : for people; left out where it is empty.
    properties : such as ``source``, ``repeated`` and ``subField``, in the order in which they are written.

    Examples
    --------
    >>> field("default/text", source=source("lines", "text"))["source"]["extract"]
    {'column': 'text'}
    """
    given = {"name": name, "dataType": kind}
    return {"@type": "cr:Field", "@id": id, **{k: v for k, v in given.items() if v}, **properties}


def record_set(id: str, fields: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Records with the same fields."""
    return {"@type": "cr:RecordSet", "@id": id, "name": id, "field": list(fields)}


def dataset(
    name: str,
    description: str,
    *,
    licence: str,
    files: Iterable[Mapping[str, Any]],
    record_sets: Iterable[Mapping[str, Any]],
    terms: Sequence[str] = tuple(TERMS),
    about: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The metadata of a data set, as JSON values.

    Parameters
    ----------
    licence : an SPDX identifier or an address.
    files, record_sets : what :func:`file_object` and :func:`record_set` give.
    terms : keys of :data:`TERMS` that are explained, in the order in which they are written.
    about : further properties of the data set, such as ``version`` and ``datePublished``.

    Examples
    --------
    >>> dataset("ours", "Two texts.", licence="CC-BY-4.0", files=[], record_sets=[])["conformsTo"]
    'http://mlcommons.org/croissant/1.0'
    """
    return {
        "@context": {term: TERMS[term] for term in terms},
        "@type": "sc:Dataset",
        "name": name,
        "description": description,
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "license": licence,
        **(about or {}),
        "distribution": list(files),
        "recordSet": list(record_sets),
    }
