"""What ``fallax calibrate`` writes."""

import json

from fallax.annotation.calibration import calibration_report
from fallax.annotation.verdicts import Judged, Verdict


def test_a_report_is_written_as_json_with_its_pairs_as_lists() -> None:
    people = {p: {"1": frozenset(["yes"]), "2": frozenset(["no"])} for p in ("ann", "bob")}
    judge = [Verdict("1", "yes"), Verdict("2", "yes")]
    report = json.loads(json.dumps(calibration_report(Judged(people, {"model": judge}), n_resamples=0).to_dict()))
    (one,) = report["judges"]
    assert one["accuracy"]["value"] == 0.5
    assert one["confusion"] == [{"people": "no", "judge": "yes", "n": 1}, {"people": "yes", "judge": "yes", "n": 1}]
    assert one["flips"] == []
