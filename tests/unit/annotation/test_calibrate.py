"""What ``fallax calibrate`` writes."""

import json
from pathlib import Path
from typing import Any

import pytest

from fallax.annotation.calibration import calibration_report
from fallax.annotation.verdicts import Judged, Verdict, read_judged
from fallax.cli import main
from fallax.core.types import FaithfulnessRecord
from fallax.errors import InputError, UnknownNameError
from fallax.runs.base import SystemSpec
from fallax.runs.runner import RunSpec, run_benchmark
from tests.unit.runs.toy import Said, Toy


@pytest.mark.parametrize("width", ["0", "-1", "0.5", "5", "nan", "inf"])
def test_a_half_width_that_no_rate_has_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], width: str
) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("item,annotator,label\n1,ann,yes\n1,model,yes\n2,ann,no\n2,model,yes\n", encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        main(["calibrate", str(path), "--judge", "model", "--resamples", "10", f"--half-width={width}"])
    assert left.value.code == 2
    assert "error: --half-width: must be above 0 and below 0.5, got" in capsys.readouterr().err


@pytest.mark.parametrize("options", [{"epsilon": 2.0}, {"epsilon": float("nan")}, {"n_resamples": -3}, {"seed": -1}])
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    judged = Judged({"ann": {"1": frozenset(["yes"])}}, {"model": [Verdict("1", "yes")]})
    with pytest.raises(InputError, match=f"{next(iter(options))}:? must be"):
        calibration_report(judged, **options)


def test_missing_verdicts_are_left_out_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("item,annotator,label\n1,ann,1\n1,model,1\n2,ann,2\n2,model,NA\n", encoding="utf-8")
    judged = read_judged([path], names=["model"])
    assert judged.judges["model"] == [Verdict("1", "1")]
    with pytest.raises(SystemExit):
        main(["calibrate", str(path), "--judge", "model", "--resamples", "0"])
    assert "1 of 4 ratings left out as missing" in capsys.readouterr().err


def test_a_report_is_written_as_json_with_its_pairs_as_lists() -> None:
    people = {p: {"1": frozenset(["yes"]), "2": frozenset(["no"])} for p in ("ann", "bob")}
    judge = [Verdict("1", "yes"), Verdict("2", "yes")]
    report = json.loads(json.dumps(calibration_report(Judged(people, {"model": judge}), n_resamples=0).to_dict()))
    (one,) = report["judges"]
    assert one["accuracy"]["value"] == 0.5
    assert one["confusion"] == [{"people": "no", "judge": "yes", "n": 1}, {"people": "yes", "judge": "yes", "n": 1}]
    assert one["flips"] == []


def test_intervals_draw_what_the_benchmark_draws(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    rows = [
        FaithfulnessRecord(f"{d}{i}", f"It rained in {d}.", f"It rained {i} times.", "unfaithful")
        for d in ("Ayr", "Bonn")
        for i in range(3)
    ]
    file.write_text("".join(json.dumps(r.to_dict()) + "\n" for r in rows), encoding="utf-8")
    run_benchmark(
        RunSpec("faithfulness", SystemSpec("lexical-overlap"), options={"file": str(file)}), tmp_path / "known"
    )
    groups = read_judged([tmp_path / "known"]).groups
    assert [len({groups[f"{d}{i}"] for i in range(3)}) for d in ("Ayr", "Bonn")] == [1, 1]
    assert len(set(groups.values())) == 2


def test_a_run_of_a_benchmark_that_is_not_installed_draws_records(tmp_path: Path) -> None:
    run_benchmark(RunSpec("toy", SystemSpec("yes")), tmp_path / "run", benchmark=Toy(), system=Said("yes"))
    judged = read_judged([tmp_path / "run"])
    assert dict(judged.groups) == {item: item for item in judged.items}


def test_an_unknown_judge_is_named_also_where_a_judge_repeats(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("item,annotator,label\n1,ann,yes\n1,model,yes\n1,model,no\n", encoding="utf-8")
    with pytest.raises(UnknownNameError, match="unknown judge 'modle'; did you mean 'model'"):
        read_judged([path], names=["modle"])


def test_a_format_beside_json_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("item,annotator,label\n1,ann,yes\n1,model,yes\n", encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        main(["calibrate", str(path), "--judge", "model", "--json", "--format", "html"])
    assert left.value.code == 2
    assert "error: --format: has no use with --json; leave one of them out" in capsys.readouterr().err
