"""``fallax serve`` from the shell: it comes up, says where it is, and what is wrong is one line."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from fallax.cli import main

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from fallax.cli.serve import serve_settings
from fallax.errors import MissingExtraError


def test_it_comes_up_on_a_free_port_and_answers(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "fallax",
        "serve",
        "--port",
        "0",
        "--no-open",
        "--store",
        str(tmp_path / "s.sqlite"),
    ]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        assert line.startswith("fallax serve: http://127.0.0.1:")
        with urllib.request.urlopen(line.split()[-1] + "v1/health", timeout=60) as answer:
            assert json.load(answer)["status"] == "ok"
    finally:
        server.terminate()
        server.communicate(timeout=60)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--runs", "/no/such/folder"], "--runs: must be a folder"),
        (["-M", "seed=1"], "-M needs --model"),
        (["--model", "nonsense"], "PROVIDER/MODEL"),
        (["--host", "256.0.0.1"], "must be an address that is free"),
        (["--token", "short"], "token: must have 16"),
    ],
)
def test_what_is_wrong_is_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["serve", "--port", "0", "--no-open", *words])
    assert stop.value.code == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_others_than_this_machine_get_a_token_of_their_own() -> None:
    made = serve_settings(host="0.0.0.0", token=None, allow_host=["News.example"], port=1)
    assert len(made.token) >= 32
    assert made.hosts == ("news.example",)
    assert not serve_settings(host="127.0.0.1", token=None, allow_host=[], port=1).token


def test_a_missing_package_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'fallax\[serve\]'"):
        serve_settings(host="127.0.0.1", token=None, allow_host=[])


def test_a_port_that_is_taken_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(SystemExit):
            main(["serve", "--no-open", "--port", str(taken.getsockname()[1])])
    assert "--port 0 takes any free port" in capsys.readouterr().err
