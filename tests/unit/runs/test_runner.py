"""Runs: continued without doing anything twice, with the same bytes at the end."""

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types import Reply, Request, Usage
from fallax.errors import (
    AuthenticationError,
    BudgetError,
    ContentFilterError,
    ContextLengthError,
    DetectorError,
    EndpointError,
    FallaxError,
    InputError,
    MissingExtraError,
    ModelError,
    RunError,
    UnknownNameError,
)
from fallax.models import Budget, Cache, CachedModel, Limits, ScriptedModel, with_limits
from fallax.runs.base import Answer, Sample, SystemSpec
from fallax.runs.folder import read_rows
from fallax.runs.merge import merge_runs
from fallax.runs.runner import Progress, RunSpec, arun_benchmark, estimate_run, run_benchmark
from fallax.runs.scoring import score_run
from tests.unit.runs.toy import Asked, Said, Toy

FILES = ("run.json", "records.jsonl", "scores.json")
SPEC = RunSpec("toy", SystemSpec("scripted:toy"))


def content(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def answer(request: Request) -> Reply:
    """An answer that depends on the question alone, and costs something that does not add up evenly."""
    text = request.messages[-1].content
    number = sum(text.encode()) + request.epoch
    word = ("yes", "no", "?", "yes indeed")[number % 4]
    return Reply(word, "toy", usage=Usage(len(text), 2, calls=1, cost=0.1 * (number % 7)))


class Slow:
    """Answers in an order of its own."""

    name = "scripted:toy"

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.asked: list[Request] = []

    async def generate(self, request: Request) -> Reply:
        self.asked.append(request)
        await asyncio.sleep(self.draw.random() / 200)
        return answer(request)


class Breaking:
    """A system that is broken off after so many answers."""

    def __init__(self, inner: Asked, after: int) -> None:
        self.inner = inner
        self.identity, self.prompts = inner.identity, inner.prompts
        self.left = after

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return await self.inner.answer(sample, epoch=epoch)


def test_rows_stand_in_the_order_of_the_samples_whoever_answered_first(tmp_path: Path) -> None:
    for seed in (1, 2):
        run_benchmark(SPEC, tmp_path / str(seed), benchmark=Toy(), system=Asked(Slow(seed), 2), max_connections=8)
    assert content(tmp_path / "1") == content(tmp_path / "2")
    assert [row.position for row in read_rows(tmp_path / "1")] == list(range(20))


def test_a_broken_off_run_goes_on_and_ends_with_the_same_bytes(tmp_path: Path) -> None:
    whole = run_benchmark(SPEC, tmp_path / "whole", benchmark=Toy(), system=Asked(Slow(0), 2))
    model = Slow(3)
    seen: list[int] = []
    for after in (3, 0, 5, 1):
        with pytest.raises(KeyboardInterrupt):
            run_benchmark(SPEC, tmp_path / "run", benchmark=Toy(), system=Breaking(Asked(model, 2), after))
        seen.append((tmp_path / "run" / "records.jsonl").read_bytes().count(b"\n"))
        assert not (tmp_path / "run" / "scores.json").exists()
    result = run_benchmark(SPEC, tmp_path / "run", benchmark=Toy(), system=Asked(model, 2), max_connections=2)
    assert content(tmp_path / "run") == content(tmp_path / "whole")
    assert seen == sorted(seen)
    assert result.n_new == 20 - seen[-1]
    assert result.scores.to_dict() == whole.scores.to_dict()


def test_answers_in_the_cache_are_not_asked_for_again(tmp_path: Path) -> None:
    model = Slow(4)

    async def broken_off() -> None:
        with Cache(tmp_path / "calls.sqlite") as cache:
            system = Asked(CachedModel(model, cache), 2)
            job = asyncio.create_task(arun_benchmark(SPEC, tmp_path / "run", benchmark=Toy(), system=system))
            while len(model.asked) < 25:
                await asyncio.sleep(0.001)
            job.cancel()
            await asyncio.gather(job, return_exceptions=True)

    asyncio.run(broken_off())
    with Cache(tmp_path / "calls.sqlite") as cache:
        stored = {call.key for call in cache.calls()}
        n_asked = len(model.asked)
        run_benchmark(SPEC, tmp_path / "run", benchmark=Toy(), system=Asked(CachedModel(model, cache), 2))
        assert len(model.asked) - n_asked == 40 - len(stored)
    run_benchmark(SPEC, tmp_path / "whole", benchmark=Toy(), system=Asked(Slow(0), 2))
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_a_finished_run_answers_nothing_again(tmp_path: Path) -> None:
    run_benchmark(SPEC, tmp_path, benchmark=Toy(), system=Asked(Slow(0), 1))
    before = content(tmp_path)
    again = Said("yes")
    again.identity = Asked(Slow(0), 1).identity
    again.prompts = Asked.prompts
    assert run_benchmark(SPEC, tmp_path, benchmark=Toy(), system=again).n_new == 0
    assert (again.n_answers, content(tmp_path)) == (0, before)


def test_failed_samples_are_unscored_and_tried_again(tmp_path: Path) -> None:
    bad = {"question 3 0 ", "question 7 0 "}

    def flaky(request: Request) -> Reply | EndpointError:
        return EndpointError("gone") if request.messages[-1].content in bad else answer(request)

    first = run_benchmark(SPEC, tmp_path / "run", benchmark=Toy(), system=Asked(ScriptedModel(flaky), 1))
    assert (first.n_errors, first.scores.is_complete) == (2, False)
    score = first.scores.scores["right"]
    assert {"q3", "q7"} <= set(score.unscored)
    assert [r.reason for r in read_rows(tmp_path / "run") if r.status == "error"] == ["gone"] * 2
    bad.clear()
    second = run_benchmark(SPEC, tmp_path / "run", benchmark=Toy(), system=Asked(ScriptedModel(flaky), 1))
    assert (second.n_new, second.n_errors, second.scores.is_complete) == (2, 0, True)
    run_benchmark(SPEC, tmp_path / "whole", benchmark=Toy(), system=Asked(ScriptedModel(flaky), 1))
    assert content(tmp_path / "run") == content(tmp_path / "whole")


def test_unreadable_replies_are_kept_counted_and_unscored(tmp_path: Path) -> None:
    result = run_benchmark(SPEC, tmp_path, benchmark=Toy(), system=Asked(ScriptedModel(answer), 1))
    rows = [row for row in read_rows(tmp_path) if row.status == "unreadable"]
    assert len(rows) == result.scores.counts.unreadable > 0
    assert all(row.replies[0]["text"] == "?" and row.reason and row.usage.calls == 1 for row in rows)
    assert result.scores.scores["right"].n_scored == 20 - len(rows)


@pytest.mark.parametrize("error", [AuthenticationError("no"), BudgetError("spent")])
def test_what_will_not_pass_stops_the_run_and_keeps_what_is_done(tmp_path: Path, error: ModelError) -> None:
    def broke(request: Request) -> Reply | ModelError:
        return error if "question 9" in request.messages[-1].content else answer(request)

    with pytest.raises(type(error)):
        run_benchmark(SPEC, tmp_path, benchmark=Toy(), system=Asked(ScriptedModel(broke), 1), max_connections=1)
    assert 9 <= len(list(read_rows(tmp_path))) < 20


def test_a_prompt_that_is_refused_for_good_is_not_sent_again(tmp_path: Path) -> None:
    def picky(request: Request) -> Reply | ModelError:
        number = int(request.messages[-1].content.split()[1])
        return (ContentFilterError("filtered"), ContextLengthError("too long"), answer(request))[number % 3]

    model = ScriptedModel(picky)
    result = run_benchmark(SPEC, tmp_path, benchmark=Toy(options={"n": 90}), system=Asked(model, 1), max_connections=1)
    assert result.scores.is_complete
    assert {r.reason for r in read_rows(tmp_path) if r.position < 2} == {"filtered", "too long"}
    run_benchmark(SPEC, tmp_path, benchmark=Toy(options={"n": 90}), system=Asked(model, 1))
    assert len(model.requests) == 90


def test_an_endpoint_that_is_gone_stops_the_run(tmp_path: Path) -> None:
    model = ScriptedModel(lambda _: EndpointError("unreachable"))
    with pytest.raises(EndpointError, match="unreachable"):
        run_benchmark(SPEC, tmp_path, benchmark=Toy(options={"n": 500}), system=Asked(model, 1), max_connections=1)
    assert 20 <= len(model.requests) <= 22


def test_a_fault_of_a_system_is_no_wrong_answer(tmp_path: Path) -> None:
    class Faulty(Said):
        async def answer(self, sample: Sample, *, epoch: int) -> Answer:
            if sample.id == "q5":
                raise ZeroDivisionError
            return await super().answer(sample, epoch=epoch)

    with pytest.raises(ZeroDivisionError):
        run_benchmark(SPEC, tmp_path, benchmark=Toy(), system=Faulty("yes"))
    assert {row.id for row in read_rows(tmp_path)} >= {f"q{i}" for i in range(5)}
    assert "q5" not in {row.id for row in read_rows(tmp_path)}


class Local(Said):
    """Computes here, and fails on some samples."""

    concurrency = 1

    def __init__(self, error: Exception, failing: set[str]) -> None:
        super().__init__("yes")
        self.error, self.failing = error, failing

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        if sample.id in self.failing:
            raise self.error
        return await super().answer(sample, epoch=epoch)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (DetectorError("detector 'mine' failed: KeyError: 'x'", record="q5"), "detector 'mine' failed: KeyError: 'x'"),
        (ValueError("no weights"), "ValueError: no weights"),
    ],
)
def test_a_local_system_that_fails_on_one_text_answers_the_others(
    tmp_path: Path, error: Exception, reason: str
) -> None:
    result = run_benchmark(SPEC, tmp_path, benchmark=Toy(), system=Local(error, {"q5"}))
    assert (result.n_errors, result.n_new) == (1, 20)
    assert [(r.id, r.reason) for r in read_rows(tmp_path) if r.status != "ok"] == [("q5", reason)]
    assert run_benchmark(SPEC, tmp_path, benchmark=Toy(), system=Local(error, set())).n_new == 1


def test_a_local_system_that_always_fails_stops_the_run(tmp_path: Path) -> None:
    bench = Toy(options={"n": 50})
    with pytest.raises(FallaxError, match="sample 'q19': the system failed: ValueError: boom"):
        run_benchmark(SPEC, tmp_path, benchmark=bench, system=Local(ValueError("boom"), {f"q{i}" for i in range(50)}))
    assert len(list(read_rows(tmp_path))) == 20


def test_an_extra_that_is_missing_stops_the_run_at_once(tmp_path: Path) -> None:
    missing = MissingExtraError("a part", extra="part")
    with pytest.raises(MissingExtraError):
        run_benchmark(SPEC, tmp_path, benchmark=Toy(), system=Local(missing, {"q0"}))


def test_epochs_ask_anew_and_count_a_sample_once(tmp_path: Path) -> None:
    model = ScriptedModel(answer)
    with Cache(tmp_path / "calls.sqlite") as cache:
        spec = RunSpec("toy", SystemSpec("scripted:toy"), epochs=3)
        result = run_benchmark(spec, tmp_path / "run", benchmark=Toy(), system=Asked(CachedModel(model, cache), 1))
    assert {request.epoch for request in model.requests} == {0, 1_000_000, 2_000_000}
    assert (result.scores.counts.n, len(model.requests)) == (60, 60)
    one = [score_run_of_epoch(tmp_path / "run", epoch) for epoch in range(3)]
    scored = {id: [s for s in one if id in s] for id in set().union(*one)}
    expected = sum(sum(s[id] for s in scores) / len(scores) for id, scores in scored.items()) / len(scored)
    pooled = result.scores.scores["right"]
    assert pooled["accuracy"] == pytest.approx(expected)
    assert pooled.n_scored == len(pooled.records) == len(scored)
    assert pooled.signature.settings["epochs"] == "3"


def score_run_of_epoch(path: Path, epoch: int) -> dict[str, bool]:
    rows = read_rows(path, epoch=epoch)
    return {r.id: r.prediction["label"] == r.gold for r in rows if r.status == "ok"}


def test_shards_merge_to_the_bytes_of_the_whole(tmp_path: Path) -> None:
    for shard in (None, "1/3", "2/3", "3/3"):
        spec = RunSpec("toy", SystemSpec("scripted:toy"), epochs=2, limit=17, shard=shard)
        system = Asked(ScriptedModel(answer), 2)
        run_benchmark(spec, tmp_path / (shard or "whole").replace("/", "-"), benchmark=Toy(), system=system)
    shards = [tmp_path / f"{i}-3" for i in (3, 1, 2)]
    merge_runs(tmp_path / "merged", shards, benchmark=Toy())
    assert content(tmp_path / "merged") == content(tmp_path / "whole")
    merge_runs(tmp_path / "merged", shards, benchmark=Toy())
    assert content(tmp_path / "merged") == content(tmp_path / "whole")
    for paths, message in (
        (shards[:2], r"all shards must be given, missing of 3: 2"),
        ([*shards, tmp_path / "whole"], "must be a shard, got a whole run"),
        ([*shards[:2], shards[0]], r"missing of 3: 2"),
        ([], "shards to merge must be named"),
    ):
        with pytest.raises(RunError, match=message):
            merge_runs(tmp_path / "other", paths, benchmark=Toy())
    records = tmp_path / "1-3" / "records.jsonl"
    records.write_bytes(b"".join(records.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(RunError, match=r"has 11 of 12 rows; continue it first with: fallax bench resume"):
        merge_runs(tmp_path / "other", shards, benchmark=Toy())


def test_a_drawn_part_holds_every_class_and_repeats_with_the_seed(tmp_path: Path) -> None:
    class Classes(Toy):
        def stratum(self, sample: Sample) -> str:
            return "rare" if sample.id.endswith(("3", "7")) else "common"

    def ids(folder: str, **change: Any) -> list[str]:
        spec = replace(SPEC, sample=6, **change)
        run_benchmark(spec, tmp_path / folder, benchmark=Classes(), system=Asked(ScriptedModel(answer), 1))
        return [row.id for row in read_rows(tmp_path / folder)]

    first, again, other = ids("a"), ids("b"), ids("c", seed=5)
    assert first == again == sorted(first, key=[s.id for s in Toy().samples()].index) != other
    assert sum(id.endswith(("3", "7")) for id in first) == 3
    assert "|sample:6|" in (tmp_path / "a" / "run.json").read_text()


def test_shards_of_different_runs_do_not_merge(tmp_path: Path) -> None:
    for seed, shard in ((0, "1/2"), (1, "2/2")):
        spec = RunSpec("toy", SystemSpec("yes"), shard=shard, seed=seed)
        run_benchmark(spec, tmp_path / shard[0], benchmark=Toy())
    with pytest.raises(RunError, match="started with seed = 0, now it is 1; shards of one run must agree"):
        merge_runs(tmp_path / "merged", [tmp_path / "1", tmp_path / "2"], benchmark=Toy())


def test_a_dry_run_counts_and_writes_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('[{"reply": "yes"}]')
    spec = RunSpec("toy", SystemSpec(f"scripted:{script}", "ask-twice"), limit=10, epochs=2)
    cache = tmp_path / "calls.sqlite"
    (found,) = estimate_run(spec, tmp_path / "run", cache=cache, benchmark=Toy())
    assert (found.n_calls, found.n_cached) == (40, 0)
    assert not (tmp_path / "run").exists()
    assert not cache.exists()
    run_benchmark(RunSpec("toy", spec.system, limit=4, epochs=2), tmp_path / "other", cache=cache, benchmark=Toy())
    (found,) = estimate_run(spec, tmp_path / "run", cache=cache, benchmark=Toy())
    assert (found.n_calls, found.n_cached) == (24, 16)
    assert estimate_run(RunSpec("toy", SystemSpec("yes")), tmp_path / "run", benchmark=Toy()) == []
    run_benchmark(spec, tmp_path / "run", cache=cache, benchmark=Toy())
    (found,) = estimate_run(spec, tmp_path / "run", benchmark=Toy())
    assert found.n_calls == 0


def test_run_json_holds_no_credential(tmp_path: Path) -> None:
    options = {
        "base_url": "http://me:hunter2-pw@127.0.0.1:9/v1",
        "api_key": "sk-hunter2-abcdef",
        "header.X-Auth": "hunter2-h",
        "body.user": "Bearer hunter2-tok",
        "max_tokens": 5,
        "temperature": 0.5,
    }
    spec = RunSpec("toy", SystemSpec("openai/x", model_options=options), limit=1)
    result = run_benchmark(spec, tmp_path / "run", benchmark=Toy(), max_connections=1, limits=Limits(max_retries=0))
    assert result.n_errors == 1
    for name in ("run.json", "records.jsonl", "scores.json"):
        assert "hunter2" not in (tmp_path / "run" / name).read_text(), name
    stored = json.loads((tmp_path / "run" / "run.json").read_text())["system"]
    assert stored["model_options"] == {"max_tokens": 5, "temperature": 0.5}


def test_progress_tells_how_far_it_is(tmp_path: Path) -> None:
    states: list[Progress] = []
    model = with_limits(ScriptedModel(answer, name="scripted:toy"), budget=Budget())
    run_benchmark(SPEC, tmp_path, benchmark=Toy(), system=Asked(model, 1), on_progress=states.append)
    assert (states[0].n_done, states[-1].n_done, states[-1].n_total) == (0, 20, 20)
    assert [s.n_done for s in states] == sorted(s.n_done for s in states)


def test_an_interrupt_lets_what_is_under_way_finish(tmp_path: Path) -> None:
    states: list[Progress] = []

    async def interrupted() -> None:
        job = asyncio.create_task(
            arun_benchmark(
                SPEC, tmp_path, benchmark=Toy(), system=Asked(Slow(1), 2), on_progress=states.append,
                finish_on_interrupt=True, max_connections=2,
            )
        )  # fmt: skip
        while not any(s.n_done for s in states):
            await asyncio.sleep(0.001)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job

    asyncio.run(interrupted())
    finishing = next(s.n_finishing for s in states if s.n_finishing is not None)
    before = next(s.n_done for s in states if s.n_finishing is not None)
    assert states[-1].n_done == before + finishing < 20


def test_a_run_can_be_scored_while_it_is_not_finished(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_benchmark(SPEC, tmp_path, benchmark=Toy(), system=Breaking(Asked(ScriptedModel(answer), 1), 6))
    found = score_run(tmp_path, benchmark=Toy())
    assert (found.counts.n, found.n_expected, found.is_complete) == (6, 20, False)
    (tmp_path / "records.jsonl").write_bytes(b"")
    with pytest.raises(RunError, match="has no rows to score; continue the run"):
        score_run(tmp_path, benchmark=Toy())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"limit": 0}, "limit must be"),
        ({"sample": 0}, "sample must be"),
        ({"epochs": 0}, "epochs must be"),
        ({"shard": "3/2"}, "a shard must be I/N"),
    ],
)
def test_bad_settings_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        RunSpec("toy", SystemSpec("yes"), **change)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (SystemSpec("yess"), r"unknown system 'yess'; did you mean 'yes'\?"),
        (SystemSpec("yes", "ask"), "asks no model: leave the protocol"),
        (SystemSpec("detector:linear"), "detectors cannot be tried here"),
        (SystemSpec("scripted:x", "tell"), "unknown protocol 'tell'"),
    ],
)
def test_bad_systems_are_named(tmp_path: Path, spec: SystemSpec, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_benchmark(RunSpec("toy", spec), tmp_path / "run", benchmark=Toy())
    assert not (tmp_path / "run").exists()


def test_unknown_options_and_double_ids_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown option of benchmark 'toy': 'm'"):
        Toy(options={"m": 1})

    class Double(Toy):
        def samples(self) -> list[Sample]:
            return [Sample("a", {"text": "x"}), Sample("a", {"text": "y"})]

    with pytest.raises(InputError, match="ids of samples must be unique, got 'a' twice"):
        run_benchmark(RunSpec("toy", SystemSpec("yes")), tmp_path, benchmark=Double())
    with pytest.raises(InputError, match="must have samples, found none"):
        run_benchmark(RunSpec("toy", SystemSpec("yes")), tmp_path, benchmark=Toy(options={"n": 0}))


def test_signatures_tell_options_apart_that_can_change_answers(tmp_path: Path) -> None:
    def signature(protocol_options: dict[str, Any], model_options: dict[str, Any]) -> str:
        system = SystemSpec("scripted:toy", "ask", protocol_options, model_options)
        place = tmp_path / str(len(list(tmp_path.iterdir())))
        found = run_benchmark(
            RunSpec("toy", system, limit=1), place, benchmark=Toy(), system=Asked(ScriptedModel(answer), 1)
        )
        return str(found.scores.run["signature"])

    plain = signature({}, {})
    assert "options:" not in plain
    assert signature({}, {"api_key": "sk-12345678", "threads": 2, "prefix_reuse": False}) == plain
    told = [signature({"agents": 2}, {}), signature({"agents": 3}, {}), signature({}, {"temperature": 0.7})]
    assert len({*told, plain}) == 4
    assert signature({"agents": 2}, {"api_key": "sk-12345678"}) == told[0]
    assert plain.replace("|prompt:", f"|{told[0].split('|')[4]}|prompt:") == told[0]
