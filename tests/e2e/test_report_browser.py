"""The report of a run with hostile texts, in a real browser: nothing runs, is fetched or complains."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from fallax.cli import main
from fallax.render import report_page
from fallax.runs.report import build_report

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
HOSTILE = (
    '</pre></div><script>document.title = "owned"; fetch("http://127.0.0.1:9/x")</script>'
    '<img src="http://127.0.0.1:9/y" onerror="document.title=\'owned\'">'
)


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """A run over two texts, one of them hostile; the model repeats what it is shown."""
    gold = tmp_path / "gold.jsonl"
    rows: list[dict[str, object]] = [
        {"text": f"You lie. {HOSTILE} So you are wrong.", "labels": [[0, 8, "ad hominem"], [0, 8, "tu quoque"]]},
        {"text": "Fine weather today.", "labels": []},
    ]
    gold.write_text("".join(json.dumps({"comments": [], "sentences_with_labels": "{}", **r}) + "\n" for r in rows))
    quote = json.dumps({"fallacies": [{"quote": "You lie.", "label": "ad hominem", "confidence": 0.7}], "x": HOSTILE})
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"match": "You lie.", "reply": quote}, {"reply": f"{HOSTILE} no JSON"}]))
    out = tmp_path / "run"
    words = ["--protocol", "whole-document", "--data", str(gold), "--output", str(out)]
    main_ok("bench", "run", "mafalda", "--system", f"scripted:{script}", *words)
    return out


def main_ok(*words: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert not stop.value.code, words


def test_the_page_shows_everything_and_escapes_it(run_folder: Path) -> None:
    built = build_report([run_folder], n_resamples=50)
    page = report_page(built)
    assert "<script" not in page
    assert "credibility</span>" in page
    assert "<img" not in page
    assert page.count("&lt;script&gt;") >= 3  # the text twice, the reply, the reason
    assert {t.title.split(":")[0] for t in built.tables} >= {"Scores", "Confusion", "Calibration", "What it took"}
    (confusion,) = [t for t in built.tables if t.title.startswith("Confusion")]
    assert dict(zip(confusion.columns[1:], confusion.rows[0][1:], strict=True))["ad hominem"] == 1
    (together,) = [t for t in built.tables if t.title.startswith("Labels that go together")]
    assert together.rows[0] == ("ad hominem", None, 1.0)
    assert len(built.records) == 2
    assert build_report([run_folder], n_resamples=50, max_records=1).n_left_out == 1


def test_markdown_and_json_hold_the_same_tables(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    main_ok("report", str(run_folder), "--json", "--resamples", "50")
    found = json.loads(capsys.readouterr().out)
    main_ok("report", str(run_folder), "--format", "markdown", "--resamples", "50")
    shown = capsys.readouterr().out
    for table in found["tables"]:
        assert f"## {table['title']}" in shown


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_the_page_opens_in_a_browser_without_error_request_or_script(run_folder: Path, tmp_path: Path) -> None:
    page, net = tmp_path / "report.html", tmp_path / "net.json"
    page.write_text(report_page(build_report([run_folder], n_resamples=50)), encoding="utf-8")
    done = subprocess.run(
        [
            str(CHROMIUM),
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            *("--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}", f"--log-net-log={net}"),
            *("--virtual-time-budget=3000", "--dump-dom", page.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "<title>mafalda: " in done.stdout
    assert "owned</title>" not in done.stdout
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    requested = net.read_text(encoding="utf-8", errors="replace")
    assert "127.0.0.1:9" not in requested
