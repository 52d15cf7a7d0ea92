"""Runs side by side."""

from collections.abc import Collection, Iterable
from pathlib import Path

import pytest

from fallax.cli._bench_tables import print_comparison
from fallax.core.types import Reply, Request, Score, Usage
from fallax.errors import InputError, RunError, UnknownNameError
from fallax.faithfulness.benchmarks.faithfulness import cost_score
from fallax.gate.runs import check_run
from fallax.metrics import TwoClass
from fallax.models import ScriptedModel
from fallax.runs.base import Answer, PublishedValue, Row, Sample, SystemSpec
from fallax.runs.compare import compare_runs
from fallax.runs.runner import RunSpec, run_benchmark
from fallax.runs.scoring import score_run
from tests.unit.runs.toy import Asked, Toy


class Printed(Toy):
    def published(self) -> tuple[PublishedValue, ...]:
        return (
            PublishedValue("someone", "right", "accuracy", 0.9, "A paper, table 1"),
            PublishedValue("someone", "other", "accuracy", 0.8, "A paper, table 2"),
        )


class InDocuments(Toy):
    drawn = "documents"

    def group(self, row: Row) -> str:
        return f"document {int(row.id[1:]) // 5}"


class OfFew(InDocuments):
    """Scores over all samples, the first five, which are of one document, the first ten, and none."""

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        found = list(rows)
        parts = {
            name: [r for r in found if int(r.id[1:]) < n]
            for name, n in (("right", 99), ("five", 5), ("ten", 10), ("none", 0))
        }
        return {name: super(OfFew, self).score(some)["right"] for name, some in parts.items()}


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    def answer(request: Request) -> Reply:
        number = int(request.messages[-1].content.split()[1])
        return Reply("?" if number == 4 else "yes" if number % 3 else "no", usage=Usage(100, 20, calls=1, cost=0.01))

    for name in ("yes", "no"):
        run_benchmark(RunSpec("toy", SystemSpec(name)), tmp_path / name, benchmark=Toy())
    for name, n_calls in (("once", 1), ("twice", 2)):
        system = Asked(ScriptedModel(answer), n_calls)
        spec = RunSpec("toy", SystemSpec("scripted:rules.json", "ask" if n_calls == 1 else "ask-twice"))
        run_benchmark(spec, tmp_path / name, benchmark=Toy(), system=system)
    return [tmp_path / name for name in ("once", "yes", "no", "twice")]


def test_a_run_that_stopped_in_its_second_epoch_first_draws_the_documents_of_all_its_rows(tmp_path: Path) -> None:
    run_benchmark(RunSpec("toy", SystemSpec("yes"), epochs=2), tmp_path / "run", benchmark=Toy())
    file = tmp_path / "run" / "records.jsonl"
    rows = file.read_text().splitlines(keepends=True)
    file.write_text("".join(row for row in rows if '"id":"q6"' not in row or '"epoch":0' not in row))
    assert len(file.read_text().splitlines()) == len(rows) - 1
    found = compare_runs([tmp_path / "run"], n_resamples=50, benchmark=InDocuments())
    assert found.runs[0].intervals["right", "accuracy"].n_records == 4


def test_a_score_over_samples_of_one_document_says_why_its_interval_is_undefined(
    runs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    found = compare_runs([runs[1]], scores=("all",), n_resamples=50, benchmark=OfFew())
    assert found.runs[0].intervals["five", "accuracy"].low is None
    assert found.notes == (
        "intervals draw 4 documents, not the 20 samples from them; 4 are few, so that intervals are rough and rather"
        " too narrow",
        "five: intervals are undefined, since all 5 samples are of one of the documents that they would draw",
        "ten: intervals draw 2 documents, not the 10 samples from them; 2 are few, so that intervals are rough and"
        " rather too narrow",
        "none of yes: undefined, since none of the samples at hand is scored",
    )
    print_comparison(found, matrix=None, published=False)
    assert "five (20 samples, 5 scored)" in capsys.readouterr().out
    both = compare_runs([runs[0], runs[1]], scores=("all",), n_resamples=50, benchmark=OfFew())
    assert "five: intervals and tests are undefined, since all 4 samples are of one of the documents" in str(both.notes)


def test_only_samples_that_all_answered_are_compared(runs: list[Path]) -> None:
    found = compare_runs(runs, n_resamples=200, benchmark=Printed())
    assert found.n_samples == 19  # one reply could not be read
    once, yes, no, twice = found.runs
    assert [run.name for run in found.runs] == [
        "scripted:rules.json (ask)",
        "yes",
        "no",
        "scripted:rules.json (ask-twice)",
    ]
    assert once.result.scores["right"]["accuracy"] == 1.0
    assert yes.result.scores["right"]["accuracy"] == pytest.approx(12 / 19)
    assert (once.n_unscored, yes.n_unscored) == (1, 0)
    assert once.against_first == {}
    test = yes.against_first["right", "accuracy"]
    assert test.difference == pytest.approx(12 / 19 - 1)
    assert test.p_value is not None
    assert test.p_value < 0.05
    interval = no.intervals["right", "accuracy"]
    assert interval.low is not None
    assert interval.high is not None
    assert interval.low < 7 / 19 < interval.high
    assert twice.against_first["right", "accuracy"].difference == 0


class Counted(InDocuments):
    """Replies that could not be read count as wrong."""

    drawn = ""

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        found = list(rows)
        metric = TwoClass(positive="yes", negative="no")
        return {
            "right": metric.corpus_score(
                pred={r.id: r.prediction["label"] if r.status == "ok" else None for r in found},
                gold={r.id: r.gold for r in found},
                unreadable={r.id for r in found if r.status == "unreadable"},
            )
        }


class InCountedDocuments(Counted):
    drawn = "documents"


@pytest.fixture
def mute(tmp_path: Path) -> list[Path]:
    """Three runs that are right wherever they can be read: everywhere, up to q8, and from q6 on."""

    def answering(numbers: Collection[int]) -> ScriptedModel:
        def answer(request: Request) -> Reply:
            number = int(request.messages[-1].content.split()[1])
            word = "?" if number not in numbers else "yes" if number % 3 else "no"
            return Reply(word, usage=Usage(100, 20, calls=1, cost=0.01))

        return ScriptedModel(answer)

    for name, numbers in (("all", range(20)), ("begin", range(9)), ("end", range(6, 20))):
        system = Asked(answering(numbers), 1)
        run_benchmark(
            RunSpec("toy", SystemSpec("scripted:x.json", "ask")), tmp_path / name, benchmark=Toy(), system=system
        )
    return [tmp_path / name for name in ("all", "begin", "end")]


def test_the_value_that_ranks_has_an_interval_and_a_test(mute: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    found = compare_runs(mute[:2], n_resamples=500, benchmark=Counted())
    whole, begin = found.runs
    key = ("right", "accuracy")
    assert begin.result.scores["right"]["accuracy"] == begin.intervals[key].value == 1.0  # of what it could be read in
    interval, test = begin.intervals_as_wrong[key], begin.against_first_as_wrong[key]
    assert interval.low is not None
    assert interval.high is not None
    assert interval.value == 9 / 20
    assert interval.low < 9 / 20 < interval.high < 1
    assert (test.a, test.b, test.n_records) == (9 / 20, 1.0, 20)
    assert test.p_value is not None
    assert test.p_value < 0.01
    assert (begin.against_first[key].p_value, begin.against_first[key].n_records) == (1.0, 9)
    assert (begin.n_tested, begin.n_tested_as_wrong, whole.n_tested) == (9, 20, 0)
    said = found.to_dict()["runs"][1]["scores"]["right"]["accuracy"]
    assert said["with_unreadable_as_wrong"] == said["interval_as_wrong"]["value"] == 9 / 20
    assert said["against_first_as_wrong"]["p_value"] == test.p_value
    print_comparison(found, matrix=None, published=False)
    lines = [x for x in capsys.readouterr().out.splitlines() if "as wrong" in x]
    assert f"0.450 [{interval.low:.3f}, {interval.high:.3f}] │ {test.p_value:.4f}" in lines[1]
    assert [x.split("│")[-2].strip() for x in lines[:2]] == ["20", "20"]


def test_a_further_run_does_not_change_the_tests_of_the_others(mute: list[Path]) -> None:
    two, three = (compare_runs(paths, n_resamples=500, benchmark=Counted()) for paths in (mute[:2], mute))
    assert three.n_samples == 3
    assert three.runs[1].against_first == two.runs[1].against_first
    assert three.runs[1].against_first_as_wrong == two.runs[1].against_first_as_wrong
    assert three.notes == (
        "intervals draw 3 samples; 3 are few, so that intervals are rough and rather too narrow",
        "scripted:x.json (ask) (begin): tests are over the 9 samples that it and the first run answered, those with"
        " unreadable replies as wrong over 20",
        "scripted:x.json (ask) (end): tests are over the 14 samples that it and the first run answered, those with"
        " unreadable replies as wrong over 20",
    )
    assert two.notes == ("intervals draw 9 samples; 9 are few, so that intervals are rough and rather too narrow",)
    drawn = compare_runs(mute, n_resamples=500, benchmark=InCountedDocuments())
    assert drawn.notes[0].startswith("intervals draw 1") or "intervals are undefined" in drawn.notes[0]
    assert drawn.notes[1].endswith("they draw 2 documents and 4 documents, so that no p-value can be below 0.1250")
    least = min(t.p_value for run in drawn.runs for t in run.against_first_as_wrong.values() if t.p_value is not None)
    assert least >= 0.125


def test_the_lowest_error_rate_ranks_first(runs: list[Path]) -> None:
    class ByErrors(Toy):
        primary = ("right", "fpr")

        def score(self, rows: Iterable[Row]) -> dict[str, Score]:
            found = [r for r in rows if r.status == "ok"]
            said = {r.id: r.prediction["label"] for r in found}
            return {
                "right": TwoClass(positive="yes", negative="no").corpus_score(
                    pred=said, gold={r.id: r.gold for r in found}
                )
            }

    found = compare_runs(runs[:3], benchmark=ByErrors(), n_resamples=50)
    assert [run.ranks["right"] for run in found.runs] == [1, 3, 1]  # "yes" to all calls every "no" wrong


def test_what_each_run_took_is_told(runs: list[Path]) -> None:
    found = compare_runs(runs, n_resamples=50, benchmark=Printed()).to_dict()
    once, yes, _, twice = found["runs"]
    assert (once["tokens"], twice["tokens"], yes["tokens"]) == (20 * 120, 40 * 120, 0)
    assert (once["tokens_per_row"], twice["tokens_to_first"], yes["tokens_to_first"]) == (120, 2.0, 0.0)
    assert (once["n_rows"], once["usage"]["calls"]) == (20, 20)  # the unreadable one is paid for, too
    assert once["usage"]["cost"] == pytest.approx(0.2)
    assert [value["system"] for value in found["published"]] == ["someone"]


def test_the_score_of_what_was_spent_is_over_all_samples_asked(mute: list[Path]) -> None:
    class Spending(Counted):
        unranked = ("cost",)

        def score(self, rows: Iterable[Row]) -> dict[str, Score]:
            found = list(rows)
            return {**super().score(found), "cost": cost_score(found)}

    found = compare_runs(mute, scores=("all",), n_resamples=50, benchmark=Spending())
    assert found.n_samples == 3
    for run in found.runs:
        assert run.result.scores["cost"].n_scored == run.intervals["cost", "calls"].n_records == 20
    assert found.runs[1].against_first["cost", "calls"].n_records == 20


def test_scores_are_chosen_by_name(runs: list[Path]) -> None:
    found = compare_runs(runs[:1], scores=["all"], n_resamples=10, benchmark=Printed())
    assert list(found.measures) == ["right"]
    with pytest.raises(UnknownNameError, match="unknown score 'wrong'"):
        compare_runs(runs, scores=["wrong"], n_resamples=10, benchmark=Printed())


def test_runs_that_cannot_be_compared_say_why(runs: list[Path], tmp_path: Path) -> None:
    with pytest.raises(RunError, match="runs to compare must be named"):
        compare_runs([], benchmark=Toy())
    run_benchmark(RunSpec("toy", SystemSpec("yes"), options={"n": 5}), tmp_path / "n5", benchmark=Toy(options={"n": 5}))
    with pytest.raises(RunError, match=r"must have the same options, got \{'n': 5\} here and \{'n': 20\}"):
        compare_runs([runs[0], tmp_path / "n5"], benchmark=Toy())
    for shard in ("1/2", "2/2"):
        run_benchmark(RunSpec("toy", SystemSpec("yes"), shard=shard), tmp_path / shard[0], benchmark=Toy())
    with pytest.raises(RunError, match="must have answered samples in common"):
        compare_runs([tmp_path / "1", tmp_path / "2"], benchmark=Toy())


def test_a_sample_is_answered_if_it_was_in_one_epoch(tmp_path: Path, runs: list[Path]) -> None:
    """In scores, comparisons and gates; single answers are counted apart from samples."""

    class Once(Asked):
        """Cannot be read in one of two epochs, and of the first sample in both."""

        async def answer(self, sample: Sample, *, epoch: int) -> Answer:
            number = int(sample.id[1:])
            if number == 0 or number % 2 == epoch:
                return Answer(None, "unreadable", "says nothing", usage=Usage(100, 20, calls=1))
            return Answer({"label": sample.gold}, usage=Usage(100, 20, calls=1))

    spec = RunSpec("toy", SystemSpec("scripted:x.json", "ask"), epochs=2)
    run_benchmark(spec, tmp_path / "run", benchmark=Toy(), system=Once(ScriptedModel(lambda _: Reply("")), 1))
    score = score_run(tmp_path / "run", benchmark=Counted()).scores["right"]
    assert (score.n_scored, score.n_unscored, score.n_wrong, score.n_unscored_answers) == (19, 1, 1, 21)
    assert list(score.unscored) == ["q0"]
    assert {"q0 (epoch 0)", "q0 (epoch 1)", "q2 (epoch 0)", "q3 (epoch 1)"} < score.unscored_answers.keys()
    assert (score["accuracy"], score.values_with_unreadable["accuracy"]) == (1.0, pytest.approx(9.5 / 20))
    assert Score.from_dict(score.to_dict(records=True)) == score
    found = compare_runs([runs[1], tmp_path / "run"], n_resamples=200, benchmark=Counted())
    one = found.runs[1]
    assert (found.n_samples, one.n_unscored, one.n_unreadable) == (19, 1, 1)
    assert (one.n_unscored_answers, one.n_unreadable_answers, one.took.usage.calls) == (21, 21, 40)
    assert one.against_first["right", "accuracy"].n_records == 19
    strict = one.against_first_as_wrong["right", "accuracy"]
    assert (strict.n_records, strict.a) == (20, pytest.approx(9.5 / 20))
    assert one.to_dict(found.runs[0])["n_unscored_answers"] == 21
    (held,) = check_run(tmp_path / "run", at_least=0.6, measure="accuracy", n_resamples=200, benchmark=Counted())
    assert held.outcome == "undecided"
    assert held.notes == ("1 samples without a scored answer; with them counted as wrong the run would not pass",)


def test_epochs_of_one_run_do_not_hinder_a_test_against_another(tmp_path: Path, runs: list[Path]) -> None:
    run_benchmark(RunSpec("toy", SystemSpec("yes"), epochs=3), tmp_path / "three", benchmark=Toy())
    found = compare_runs([runs[1], tmp_path / "three"], n_resamples=100, benchmark=Toy())
    test = found.runs[1].against_first["right", "accuracy"]
    assert (test.difference, test.p_value) == (0.0, 1.0)


def test_other_gold_is_noticed(tmp_path: Path, runs: list[Path]) -> None:
    class Other(Toy):
        def samples(self):  # type: ignore[no-untyped-def]
            for sample in super().samples():
                yield type(sample)(sample.id, sample.input, "no")

    run_benchmark(RunSpec("toy", SystemSpec("yes")), tmp_path / "other", benchmark=Other())
    with pytest.raises(InputError, match="same texts and gold"):
        compare_runs([runs[1], tmp_path / "other"], n_resamples=10, benchmark=Toy())


def test_at_80_columns_no_name_is_cut_and_published_rows_without_a_value_are_left_out(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    long = tmp_path / "a-folder-with-a-name-that-is-longer-than-the-column-has-room-for"
    run_benchmark(RunSpec("toy", SystemSpec("yes")), long, benchmark=Toy())
    found = compare_runs([runs[1], long], scores=("all",), n_resamples=50, benchmark=Printed())
    print_comparison(found, matrix=None, published=True)
    out = capsys.readouterr().out
    assert "…" not in out
    tables = out.split("right (20 samples)")[1:]
    assert len(tables) > 1
    assert [("someone *" in table) for table in tables] == [("0.900" in table) for table in tables]
    assert out.count("someone *") == 1


def test_an_undefined_value_has_no_interval(runs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    found = compare_runs([runs[1]], scores=("all",), n_resamples=50, benchmark=OfFew())
    print_comparison(found, matrix=None, published=False)
    out = capsys.readouterr().out
    assert "undefined" in out
    assert "undefined [" not in out
