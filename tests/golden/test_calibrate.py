"""``fallax calibrate``: every number of the report by a second path, on made-up people and on MADISSE's sentences."""

import csv
import json
import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.metrics import cohen_kappa_score

from fallax.annotation.calibration import calibration_report
from fallax.annotation.calibration_view import calibration_page, calibration_sections
from fallax.annotation.reading import Columns
from fallax.annotation.verdicts import AMBIGUOUS, Judged, Verdict, read_judged
from fallax.cli import main
from fallax.data import data_root, load_faithfulness
from fallax.errors import InputError

VERDICTS: dict[str, str] = json.loads(Path(__file__).with_name("madisse_verdicts.json").read_text(encoding="utf-8"))[
    "verdicts"
]
WORD = {"f": "faithful", "u": "unfaithful"}


def madisse(folder: Path) -> tuple[list[Path], Path, list[tuple[str, str, bool, str]]]:
    """Files of verdicts, a file of people's labels, and (id, label, ambiguous, document) of each sentence."""
    root = data_root()
    if root is None or not (root / "madisse_tofueval_meetingbank").is_dir():
        pytest.skip("the data set meetingbank is not here; set FALLAX_DATA")
    rows = [(r.id, str(r.label), bool(r.ambiguous), r.group) for r in load_faithfulness("meetingbank")]
    files = []
    for name, said in VERDICTS.items():
        files.append(folder / f"{name}.csv")
        with files[-1].open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(["item", "judge", "label", "document"])
            writer.writerows([i, name, WORD[v], d] for (i, _, _, d), v in zip(rows, said, strict=True))
    people = folder / "people.csv"
    with people.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["item", "annotator", "label", "document"])
        writer.writerows([i, "released", f"{label}|{AMBIGUOUS}" if a else label, d] for i, label, a, d in rows)
    return files, people, rows


def test_madisse_by_a_second_path(tmp_path: Path) -> None:
    files, people, rows = madisse(tmp_path)
    report = calibration_report(read_judged(files, people=[people]), labelled=60, seed=5)
    assert (report.n_items, report.n_groups, len(report.judges)) == (234, 5, 4)
    gold = [label for _, label, _, _ in rows]
    n_ambiguous = sum(a for _, _, a, _ in rows)
    assert report.alternatives_ceiling.value == pytest.approx(1 - n_ambiguous / 2 / 234)
    for judge in report.judges:
        said = [WORD[v] for v in VERDICTS[judge.name]]
        right = [a == b for a, b in zip(said, gold, strict=True)]
        assert judge.accuracy.value == pytest.approx(sum(right) / 234)
        assert judge.kappa.value == pytest.approx(cohen_kappa_score(said, gold))
        allowed = [ok or a for ok, (_, _, a, _) in zip(right, rows, strict=True)]
        assert judge.alternatives.value == pytest.approx(sum(allowed) / 234)
        plain = [ok for ok, (_, _, a, _) in zip(right, rows, strict=True) if not a]
        assert judge.by_agreement["one person"].value == pytest.approx(sum(plain) / len(plain))
        assert judge.ceiling is None
        assert judge.confusion == Counter(zip(gold, said, strict=True))
        known = sorted(np.random.default_rng(5).choice(np.arange(234), 60, replace=False).tolist())
        rest = [i for i in range(234) if i not in known]
        f = [float(v == "unfaithful") for v in said]
        y = [float(v == "unfaithful") for v in gold]
        rates = next(x for x in judge.rates if x.label == "unfaithful")
        rate = sum(f) / 234
        assert rates.judge.value == pytest.approx(rate)
        assert rates.people.value == pytest.approx(sum(y[i] for i in known) / 60)
        assert rates.bias.value == pytest.approx(sum(f[i] - y[i] for i in known) / 60)
        sensitivity = sum(f[i] for i in known if y[i]) / sum(y[i] for i in known)
        specificity = sum(1 - f[i] for i in known if not y[i]) / sum(1 - y[i] for i in known)
        if sensitivity + specificity > 1:
            corrected = (rate + specificity - 1) / (sensitivity + specificity - 1)
            assert rates.rogan_gladen.value == pytest.approx(min(1, max(0, corrected)))
        else:
            assert rates.rogan_gladen.value is None
        weight = 0.0
        if len(set(f)) > 1:
            together = np.mean([f[i] * y[i] for i in known]) - np.mean([f[i] for i in known]) * np.mean(
                [y[i] for i in known]
            )
            weight = min(1, max(0, together / ((1 + 60 / 174) * np.var(f))))
        powered = np.mean([y[i] - weight * f[i] for i in known]) + weight * np.mean([f[i] for i in rest])
        assert rates.weight == pytest.approx(weight)
        assert rates.prediction_powered.value == pytest.approx(powered)
        target = (0.05 / 1.959963984540054) ** 2
        assert rates.needed == math.ceil(np.var([y[i] for i in known]) / target)
        left = target - weight**2 * np.var(f) / 234
        assert rates.needed_with_judge == math.ceil(np.var([y[i] - weight * f[i] for i in known]) / left)
        low, high = rates.rogan_gladen.low, rates.rogan_gladen.high
        assert low is None or high is None or low <= sum(y) / 234 <= high


def test_madisse_in_the_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, people, _ = madisse(tmp_path)
    page = tmp_path / "page.html"
    with pytest.raises(SystemExit) as left:
        main(["calibrate", *map(str, files), "--people", str(people), "--format", "html", "--output", str(page)])
    assert left.value.code == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 3
    assert "0.951" in text
    assert "<script" not in text


def people_of(rows: Mapping[str, str]) -> dict[str, dict[str, frozenset[str]]]:
    return {p: {str(i): frozenset([v]) for i, v in enumerate(said) if v != "-"} for p, said in rows.items()}


def made_up() -> Judged:
    rng = np.random.default_rng(2)
    truth = rng.integers(2, size=120)
    people = {
        p: "".join("yn"[int(v)] for v in np.where(rng.random(120) < e, 1 - truth, truth))
        for p, e in (("ann", 0.1), ("bob", 0.15), ("cid", 0.2), ("dot", 0.25))
    }
    judge = np.where(rng.random(120) < 0.12, 1 - truth, truth)
    verdicts = [
        Verdict(str(i), "yn"[int(v if rng.random() > 0.1 else 1 - v)], order, str(k))
        for i, v in enumerate(judge)
        for order in ("first", "second")
        for k in range(3)
    ]
    groups = {str(i): f"d{i // 10}" for i in range(120)}
    return Judged(people_of(people), {"model": verdicts}, groups)


def test_the_ceiling_and_the_alternative_annotator_test_by_loops() -> None:
    judged = made_up()
    report = calibration_report(judged, epsilon=0.15, n_resamples=200)
    judge, said = report.judges[0], judged.answers("model")
    people = {p: {i: next(iter(x)) for i, x in own.items()} for p, own in judged.people.items()}
    own_hits, judge_hits = [], []
    p_values, advantages = {}, []
    for p, own in people.items():
        others = [o for name, o in people.items() if name != p]
        d, wins = [], []
        for i, v in own.items():
            votes = Counter(o[i] for o in others)
            top = [k for k, n in votes.items() if n == max(votes.values())]
            own_hits.append((v in top) / len(top))
            judge_hits.append((said[i] in top) / len(top))
            f, h = (sum(o[i] == x for o in others) / len(others) for x in (said[i], v))
            wins.append(f >= h)
            d.append((h >= f) - (f >= h))
        mean, deviation = np.mean(d), np.std(d, ddof=1)
        p_values[p] = student.cdf((mean - 0.15) / (deviation / len(d) ** 0.5), len(d) - 1)
        advantages.append(np.mean(wins))
    assert judge.ceiling is not None
    assert judge.leave_one_out is not None
    assert judge.alt_test is not None
    assert judge.ceiling.value == pytest.approx(np.mean(own_hits))
    assert judge.leave_one_out.value == pytest.approx(np.mean(judge_hits))
    assert judge.alt_test.p_values == pytest.approx(p_values)
    assert judge.alt_test.advantage == pytest.approx(np.mean(advantages))
    ordered = sorted(p_values.values())
    bound = [k * 0.05 / (4 * (1 + 1 / 2 + 1 / 3 + 1 / 4)) for k in (1, 2, 3, 4)]
    n_rejected = max((k for k in (1, 2, 3, 4) if ordered[k - 1] <= bound[k - 1]), default=0)
    assert judge.alt_test.winning_rate == n_rejected / 4


def test_repeats_and_flips_by_loops() -> None:
    judged = made_up()
    judge = calibration_report(judged, n_resamples=0).judges[0]
    verdicts = judged.judges["model"]
    same = pairs = 0
    majority: dict[tuple[str, str], str] = {}
    for i in range(120):
        for order in ("first", "second"):
            own = [v.label for v in verdicts if (v.item, v.condition) == (str(i), order)]
            majority[str(i), order] = Counter(own).most_common(1)[0][0]
            for a in range(3):
                for b in range(a):
                    pairs += 1
                    same += own[a] == own[b]
    assert judge.consistency is not None
    assert judge.consistency.value == pytest.approx(same / pairs)
    changed = sum(majority[str(i), "first"] != majority[str(i), "second"] for i in range(120))
    assert judge.flips["first", "second"].value == pytest.approx(changed / 120)


def test_ambiguous_is_right_where_people_differ() -> None:
    people = people_of({"ann": "yyyn", "bob": "yynn", "cid": "yynn"})
    said = [Verdict("0", AMBIGUOUS), Verdict("1", "y"), Verdict("2", AMBIGUOUS), Verdict("3", "y")]
    judge = calibration_report(Judged(people, {"m": said}), n_resamples=0).judges[0]
    assert judge.alternatives.value == 0.5  # 1 and 2: nobody differs on 0, nobody says y of 3
    assert (judge.ambiguous["precision"].value, judge.ambiguous["recall"].value) == (0.5, 1.0)
    assert judge.by_agreement["all people agree"].n == 3
    assert judge.by_agreement["a majority"].n == 1


def test_anybodys_table_with_people_and_judges_in_it(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(
        "claim_id,who,grade,order\n"
        + "".join(f"{i},{p},{g},\n" for i, gs in enumerate(["33", "30", "12"]) for p, g in zip("ab", gs, strict=True))
        + "0,m,3,AB\n0,m,3,BA\n1,m,3,AB\n1,m,0,BA\n2,m,1,AB\n2,m,1,BA\n",
        encoding="utf-8",
    )
    judged = read_judged([path], names=["m"], columns=Columns("claim_id", "who", "grade"))
    assert judged.people["a"] == {"0": frozenset("3"), "1": frozenset("3"), "2": frozenset("1")}
    judge = calibration_report(judged, n_resamples=0).judges[0]
    assert judge.flips["order AB", "order BA"].value == pytest.approx(1 / 3)
    assert "alternative annotator test" in " ".join(judge.words)


def test_pages_show_hostile_names_as_text() -> None:
    people = {"<script>alert(1)</script>": {"1": frozenset(["<b>x"]), "2": frozenset(["y"])}}
    page = calibration_page(calibration_report(Judged(people, {"<i>": [Verdict("1", "y")]}), n_resamples=0))
    assert "<script" not in page
    assert "<b>x" not in page
    assert calibration_sections(calibration_report(Judged(people, {"m": [Verdict("1", "y")]}), n_resamples=0))


def test_no_people_and_no_shared_item_are_clear_errors(tmp_path: Path) -> None:
    path = tmp_path / "v.csv"
    path.write_text("item,judge,label\n1,m,yes\n", encoding="utf-8")
    with pytest.raises(InputError, match="people's ratings: must be given, got none"):
        read_judged([path])
    other = tmp_path / "p.csv"
    other.write_text("item,annotator,label\n2,ann,yes\n", encoding="utf-8")
    with pytest.raises(InputError, match="'m': shares no item with the people"):
        read_judged([path], people=[other])
