"""The OpenAPI document, generated from the endpoints and their body types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic.json_schema import models_json_schema

from fallax._version import __version__
from fallax.web.http import STATUSES, Endpoint
from fallax.web.schemas import ErrorOut

__all__ = ["openapi_document"]

_REF = "#/components/schemas/{model}"


def _ref(name: str, *, many: bool = False) -> dict[str, Any]:
    ref = {"$ref": _REF.format(model=name)}
    return {"anyOf": [ref, {"type": "array", "items": ref}]} if many else ref


def openapi_document(endpoints: Sequence[Endpoint], *, token: bool = False) -> dict[str, Any]:
    """The OpenAPI document, version 3.1.

    Parameters
    ----------
    endpoints : what there is.
    token : True if requests must bring one.
    """
    inputs = {e.request for e in endpoints if e.request is not None}
    outputs = {e.response for e in endpoints} | {ErrorOut}
    asked: list[Any] = [(m, "validation") for m in sorted(inputs, key=lambda m: m.__name__)]
    asked += [(m, "serialization") for m in sorted(outputs, key=lambda m: m.__name__)]
    _, schemas = models_json_schema(asked, ref_template=_REF)
    paths: dict[str, dict[str, Any]] = {}
    for one in endpoints:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, token=token)
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "fallax",
            "version": __version__,
            "description": "Find, debate, verify, generate and score flawed reasoning.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {"schemas": schemas["$defs"]},
    }
    if token:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _operation(one: Endpoint, *, token: bool) -> dict[str, Any]:
    names = re.findall(r"{(\w+)}", one.path)
    found: dict[str, Any] = {
        "operationId": "_".join([one.method.lower(), *re.findall(r"\w+", one.path.removeprefix("/v1/"))]),
        "summary": one.summary,
        "responses": {"200": {"description": "Done.", "content": _content(one)}},
    }
    if names:
        found["parameters"] = [
            {"name": n, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}} for n in names
        ]
    if one.upload:
        query = {"name": "name", "in": "query", "required": True, "schema": {"type": "string", "minLength": 1}}
        found["parameters"] = [{**query, "description": "The name of the file; its suffix says what it is."}]
        found["requestBody"] = {"required": True, "content": {"application/octet-stream": {"schema": {}}}}
    statuses = {400, 403, 429, 504, *one.statuses}
    statuses |= {404, 422} if names else set()
    statuses |= {413, 422} if one.upload else set()
    statuses |= {401} if token else set()
    if one.request is not None:
        statuses |= {413, 415, 422}
        body: dict[str, Any] = {"schema": _ref(one.request.__name__)}
        if one.example is not None:
            body["example"] = one.example
        found["requestBody"] = {"required": True, "content": {"application/json": body}}
    for status in sorted(statuses):
        error = {"application/json": {"schema": _ref(ErrorOut.__name__)}}
        found["responses"][str(status)] = {"description": STATUSES[status], "content": error}
    return found


def _content(one: Endpoint) -> dict[str, Any]:
    content: dict[str, Any] = {"application/json": {"schema": _ref(one.response.__name__, many=one.response_list)}}
    if one.stream:
        content[one.stream] = {"schema": {"type": "string"}}
    return content
