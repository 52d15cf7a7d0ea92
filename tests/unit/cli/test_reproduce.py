"""``fallax reproduce mafalda`` and ``smartypat``: single tables, and intervals."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fallax.cli.reproduce import app
from fallax.errors import FallaxError, InputError, UnknownNameError

ROOT = Path(__file__).parents[3]
JUDGES = str(ROOT / "examples" / "judges")
#: Each text is one sentence: whether it has the fallacy, and what the model says of it.
TEXTS = [
    ("It rained after I sang, so I made the rain.", True, "false causality"),
    ("You sing badly, so the rain is your fault.", True, "no fallacy"),
    ("It rains.", False, "no fallacy"),
    ("It rained after she sang, so she made the rain.", True, "false causality"),
]


@pytest.fixture
def recordings(tmp_path: Path) -> str:
    gold, outputs = [], []
    for text, has, reply in TEXTS:
        labels = [[0, len(text), "false causality"]] if has else []
        gold.append({"text": text, "labels": labels, "comments": [], "sentences_with_labels": "{}"})
        outputs.append({"text": text, "prediction": {text: f"Output: {reply}"}})
    (tmp_path / "model_outputs").mkdir()
    for path, rows in (("gold.jsonl", gold), ("model_outputs/gpt-3.5_level_2_results.jsonl", outputs)):
        (tmp_path / path).write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return str(tmp_path)


def reproduce(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def titles(text: str) -> list[str]:
    return [line.split(":")[0].strip() for line in text.splitlines() if line.lstrip().startswith(("Table", "Figure"))]


def test_mafalda_prints_all_tables_or_those_that_are_wanted(recordings: str) -> None:
    every = reproduce("mafalda", "--from", recordings)
    assert titles(every) == [f"Table {n}" for n in range(9, 15)]
    assert titles(reproduce("mafalda", "--from", recordings, "--table", "13", "--table", "9")) == [
        "Table 9",
        "Table 13",
    ]
    cells = json.loads(reproduce("mafalda", "--from", recordings, "--table", "11", "--json"))["cells"]
    assert {(c["unit"], c["level"]) for c in cells} == {("span", 2)}
    assert all("interval" not in c for c in cells)


def test_intervals_of_mafalda_draw_texts_and_are_repeated_by_the_seed(recordings: str) -> None:
    asked = ("mafalda", "--from", recordings, "--table", "9", "--ci", "--resamples", "300")
    cells: list[dict[str, Any]] = json.loads(reproduce(*asked, "--json"))["cells"]
    recall = next(c for c in cells if (c["measure"], c["variant"]) == ("recall", "definition"))
    assert recall["value"] == 0.75
    interval = recall["interval"]
    assert (interval["n_records"], interval["n_resamples"], interval["level"]) == (4, 300, 0.95)
    assert interval["low"] < 0.75 < interval["high"] == 1.0
    text = reproduce(*asked)
    assert f"0.750* [{interval['low']:.3f}, 1.000]" in text
    assert text == reproduce(*asked)
    assert text != reproduce(*asked, "--seed", "1")
    assert max(map(len, text.splitlines())) <= 80


def test_smartypat_prints_and_writes_the_tables_that_are_wanted(tmp_path: Path) -> None:
    assert {"Table 2", "Table 11", "Figure 3"} <= set(titles(reproduce("smartypat", "--from", JUDGES)))
    one = reproduce("smartypat", "--from", JUDGES, "--table", "2")
    assert titles(one) == ["Table 2"]
    assert "sentences" not in one  # no table of judges
    file = tmp_path / "tables.json"
    reproduce("smartypat", "--from", JUDGES, "--table", "2", "--table", "13", "--tables", str(file))
    assert list(json.loads(file.read_text(encoding="utf-8"))) == ["table 2", "table 13"]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (["mafalda", "--table", "7"], UnknownNameError, "unknown table '7'"),
        (["mafalda", "--seed", "1"], InputError, "--seed: needs --ci"),
        (["smartypat", "--table", "3"], UnknownNameError, "unknown table '3'"),
        (["smartypat", "--table", "2", "--json"], InputError, "--json: has no use with --table 2"),
        (["smartypat", "--table", "2", "--ratings", "r"], InputError, "--ratings: has no use with --table 2"),
        (["smartypat", "--table", "2", "--embedder", "minilm"], InputError, "--embedder: has no use"),
        (["smartypat", "--table", "11", "--people", "p"], InputError, "--people: has no use with --table 11"),
    ],
)
def test_bad_input_is_told(arguments: list[str], error: type[FallaxError], words: str) -> None:
    with pytest.raises(error, match=words):
        reproduce(arguments[0], "--from", JUDGES, *arguments[1:])
