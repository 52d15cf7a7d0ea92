"""Corrections made on Examine land in the annotation project that the server shows, and are exported from it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from fallax.cli import main
from tests.support.serving import Serving, serving

TEXT = "You would say so, you are a thief. Everybody knows that the mill is haunted."


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Serving]:
    with serving(store=tmp_path / "serve.sqlite", project=tmp_path / "annotations.sqlite") as running:
        yield running


def export(folder: Path) -> list[dict[str, object]]:
    with pytest.raises(SystemExit) as done:
        main(["annotate", str(folder / "annotations.sqlite"), "--export", str(folder / "out")])
    assert not done.value.code
    found = folder / "out" / "me.jsonl"
    return [json.loads(line) for line in found.read_text().splitlines()] if found.is_file() else []


def test_a_correction_is_in_the_project_and_taken_back_again(server: Serving, tmp_path: Path) -> None:
    said = {"text": TEXT, "start": 0, "end": 34, "label": "ad hominem", "system": "words"}
    first = server.ask("POST", "/v1/corrections", {**said, "corrected": None})
    other = {**said, "start": 35, "end": len(TEXT), "corrected": "ad populum"}
    assert export(tmp_path)[0]["gold"] == []  # nothing here
    second = server.ask("POST", "/v1/corrections", other)
    assert (first.status, second.status) == (200, 200), (first.body, second.body)
    (record,) = export(tmp_path)
    assert record["text"] == TEXT
    gold = [(g["start"], g["end"], g["labels"]) for g in record["gold"]]  # type: ignore[attr-defined]
    assert gold == [(35, len(TEXT), ["ad populum"])]
    # said anew of the same finding: it replaces what was said before
    again = server.ask("POST", "/v1/corrections", {**said, "corrected": "tu quoque"})
    assert [g["labels"] for g in export(tmp_path)[0]["gold"]] == [["tu quoque"], ["ad populum"]]  # type: ignore[attr-defined]
    assert server.ask("DELETE", f"/v1/corrections/{again.json['number']}").status == 200
    assert [g["start"] for g in export(tmp_path)[0]["gold"]] == [35]  # type: ignore[attr-defined]


def test_the_page_is_in_the_navigation_and_is_entered_without_a_link_from_elsewhere(server: Serving) -> None:
    server.ask("POST", "/v1/corrections", {"text": TEXT, "start": 0, "end": 9, "label": "x", "corrected": "ad_hominem"})
    shown = server.ask("GET", "/examine", headers={"accept": "text/html"}).body.decode()
    address = shown.partition('href="/annotate/enter')[2].partition('"')[0].replace("&amp;", "&")
    entered = server.ask("GET", f"/annotate/enter{address}")
    assert entered.status == 303
    cookie = entered.headers["set-cookie"].partition(";")[0]
    overview = server.ask("GET", "/annotate", headers={"cookie": cookie}).body.decode()
    assert "You would say so" in overview
    assert 'href="/examine"' in overview
    assert server.ask("GET", "/annotate").status == 401
