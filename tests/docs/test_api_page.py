"""The page of the HTTP API: each curl line runs as it stands and is answered; every endpoint is named."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.support.serving import Serving, serving

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
LINES = [x for block in re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE) for x in block.splitlines()]


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    with serving() as running:
        yield running


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
@pytest.mark.parametrize("line", LINES, ids=lambda x: re.findall(r"/v1/[\w/]+", x)[0])
def test_a_curl_line_is_answered(server: Serving, line: str) -> None:
    words = shlex.split(line.replace("http://127.0.0.1:8577", server.url))
    done = subprocess.run([*words, "--fail-with-body"], capture_output=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout
    assert "error" not in json.loads(done.stdout)


def test_every_endpoint_is_named(server: Serving) -> None:
    for path in server.app.state.openapi["paths"]:
        assert path in PAGE, path


def test_the_limits_are_those_of_the_server(server: Serving) -> None:
    limits = server.ask("GET", "/v1/health").json["limits"]
    assert f"{limits['text']:,} characters a text, {limits['batch']} texts a request" in PAGE
