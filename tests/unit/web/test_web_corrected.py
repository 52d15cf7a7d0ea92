"""Corrections made on Examine land in the annotation project that the server shows, and are exported from it."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from fallax.cli import main
from fallax.web import corrected
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


def test_what_another_page_corrected_is_replaced_only_where_it_is_asked_for(server: Serving) -> None:
    said = {"text": TEXT, "start": 0, "end": 34, "label": "ad hominem", "corrected": None}
    first = server.ask("POST", "/v1/corrections", {**said, "replace": False})
    refused = server.ask("POST", "/v1/corrections", {**said, "corrected": "tu quoque", "replace": False})
    assert refused.status == 409
    assert refused.json["error"]["message"] == (
        "finding 'ad hominem' at 0..34: has a correction already, number 1; undo it first"
    )
    (kept,) = server.ask("POST", "/v1/corrections/find", {"text": TEXT}).json["corrections"]
    assert (kept["number"], kept["corrected"]) == (first.json["number"], None)
    assert server.ask("POST", "/v1/corrections", {**said, "corrected": "tu quoque"}).status == 200


def test_corrections_at_the_same_time_are_all_in_the_project(
    server: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = corrected._save

    def slow(*given: object, **more: object) -> None:
        time.sleep(0.05)
        save(*given, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(corrected, "_save", slow)

    def correct(start: int) -> int:
        said = {"text": TEXT, "start": start, "end": start + 1, "label": "ad hominem", "corrected": "ad populum"}
        return server.ask("POST", "/v1/corrections", said).status

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(correct, range(8))) == {200}
    assert len(export(tmp_path)[0]["gold"]) == 8  # type: ignore[arg-type]


def test_nothing_here_stays_while_another_correction_says_so(server: Serving, tmp_path: Path) -> None:
    said = {"text": TEXT, "label": "ad hominem", "corrected": None}
    numbers = [
        server.ask("POST", "/v1/corrections", {**said, "start": start, "end": 34}).json["number"] for start in (0, 5)
    ]
    server.ask("DELETE", f"/v1/corrections/{numbers[0]}")
    assert export(tmp_path)[0]["gold"] == []
    server.ask("DELETE", f"/v1/corrections/{numbers[1]}")
    (tmp_path / "out" / "me.jsonl").unlink()
    assert export(tmp_path) == []
