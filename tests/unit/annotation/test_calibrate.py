"""What ``fallax calibrate`` writes."""

import json
from pathlib import Path

from fallax.annotation.calibration import calibration_report
from fallax.annotation.verdicts import Judged, Verdict, read_judged
from fallax.core.types import FaithfulnessRecord
from fallax.runs.base import SystemSpec
from fallax.runs.runner import RunSpec, run_benchmark
from tests.unit.runs.toy import Said, Toy


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
