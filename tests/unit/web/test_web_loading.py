"""A fault of the server's own files is not blamed on the request, and its path stays in the server's log."""

import logging
from typing import Any

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from fallax import api
from fallax.errors import FormatError
from tests.support.serving import serving

FAULT = "an entailment model's folder must hold model.json"


def broken(*args: Any, **kwargs: Any) -> None:
    raise FormatError(FAULT, path="/opt/fallax/weights")


@pytest.mark.parametrize(
    ("verb", "asked"),
    [
        ("detection_system", ("/v1/detect", {"text": "You lie."})),
        ("debate", ("/v1/debate", {"document": "It rained.", "summary": "It rained."})),
        ("verify", ("/v1/verify", {"claim": "Rain made it wet.", "evidence": ["It rained."]})),
    ],
    ids=["detect", "debate", "verify"],
)
def test_a_system_that_cannot_be_loaded_is_a_fault_of_the_server(
    verb: str, asked: tuple[str, Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(api, verb, broken)
    with caplog.at_level(logging.ERROR, logger="fallax.web"), serving() as server:
        found = server.ask("POST", *asked)
    assert (found.status, found.json["error"]["kind"]) == (503, "system")
    assert found.json["error"]["message"].startswith("this system cannot be loaded on the server; ask who runs it")
    assert f"/opt/fallax/weights: {FAULT}" in caplog.text
