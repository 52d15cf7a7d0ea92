"""The options of the client are those that the server's requests have."""

import pytest

pytest.importorskip("starlette", reason="needs the extra serve")

from fallax import client
from fallax.web import schemas


@pytest.mark.parametrize("verb", ["Detect", "Debate", "Verify", "Generate", "Agree"])
def test_the_options_of_the_client_are_those_of_the_request(verb: str) -> None:
    fields = set(getattr(schemas, f"{verb}Request").model_fields)
    texts = {"text", "document", "summary", "claim", "evidence", "documents", "fallacy", "n", "annotations"}
    assert set(getattr(client, f"_{verb}Options").__annotations__) == fields - texts
