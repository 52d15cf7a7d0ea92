"""Runs a benchmark: each answer is stored when it arrives, and stored answers are not asked again."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fallax._version import __version__
from fallax.core.secrets import is_secret_name, public_headers, redact, redact_values
from fallax.core.sync import sync_twin
from fallax.core.types import ChatModel
from fallax.errors import (
    AuthenticationError,
    BudgetError,
    ContentFilterError,
    ContextLengthError,
    DetectorError,
    FallaxError,
    InputError,
    MissingExtraError,
    ModelError,
    RunError,
    one_line,
)
from fallax.models import (
    Budget,
    Cache,
    DryRunModel,
    Estimate,
    Limits,
    RecordedModel,
    load_model,
    release,
)
from fallax.runs.asking import heard_by, recorders
from fallax.runs.base import Answer, Benchmark, Row, Sample, System, SystemSpec
from fallax.runs.folder import FORMAT, RunFolder, read_rows
from fallax.runs.registry import load_benchmark
from fallax.runs.sampling import draw_places
from fallax.runs.scoring import RunScores, expected_rows, hash_of_options, parse_shard, score_run

__all__ = [
    "Progress",
    "RunResult",
    "RunSpec",
    "arun_benchmark",
    "default_folder",
    "estimate_run",
    "options_of",
    "run_benchmark",
]

#: A run stops when this many samples in a row failed: the endpoint is down, or the system is broken.
MAX_ERRORS_IN_A_ROW = 20
_SORTED = json.JSONEncoder(sort_keys=True, default=dict)


@dataclass(frozen=True, slots=True)
class RunSpec:
    """The definition of a run; equal specs produce equal rows.

    Parameters
    ----------
    benchmark : by name.
    system : see :class:`~fallax.runs.base.SystemSpec`.
    data, options : see :class:`~fallax.runs.base.Benchmark`.
    limit : only the first N samples.
    sample : a random sample of N of these, as even over the gold classes as possible; see
        :func:`~fallax.runs.sampling.draw_places`.
    epochs : how often every sample is asked.
    shard : ``"i/n"``: of every n samples only the i-th.
    seed : for all that is drawn.
    """

    benchmark: str
    system: SystemSpec
    data: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    epochs: int = 1
    shard: str | None = None
    seed: int = 0
    sample: int | None = None

    def __post_init__(self) -> None:
        whole = ("limit", self.limit, 1), ("sample", self.sample, 1), ("epochs", self.epochs, 1), ("seed", self.seed, 0)
        for name, value, least in whole:
            if value is not None and (type(value) is not int or value < least):
                raise InputError(f"{name} must be a whole number of {least} or more, got {value!r}")
        if self.shard is not None:
            parse_shard(self.shard)


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    Parameters
    ----------
    n_done, n_total : rows that need not be tried again, and all; n_before of them were there at the start.
    n_errors : rows that failed.
    budget : what was spent by this process.
    n_finishing : after an interrupt, how many samples are still being finished; else None.
    """

    n_done: int
    n_before: int
    n_total: int
    n_errors: int
    budget: Budget
    n_finishing: int | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """A finished run.

    Parameters
    ----------
    path : its folder.
    scores : what it comes to.
    n_new : rows that this process made.
    """

    path: Path
    scores: RunScores
    n_new: int

    @property
    def n_errors(self) -> int:
        """The number of failed samples; running again retries them."""
        return self.scores.counts.error


class _Models:
    """Loads the models of a run with shared cache, limits and budget, and keeps track of them."""

    def __init__(self, *, cache: Cache | str | Path | None, limits: Limits, budget: Budget, dry: bool = False) -> None:
        self._cache, self._limits, self._budget, self._dry = cache, limits, budget, dry
        self._opened: Cache | None = None
        self.loaded: list[ChatModel] = []

    def __call__(self, name: str, options: Mapping[str, Any]) -> ChatModel:
        cache = None if name.startswith("recorded:") else self._open()
        model = load_model(name, options=options, cache=cache, limits=self._limits, budget=self._budget, dry=self._dry)
        if self._dry and not isinstance(model, RecordedModel):
            model = DryRunModel(model, cache=cache)
        self.loaded.append(model)
        return model

    def _open(self) -> Cache | None:
        """The cache, opened when the first model needs it; a dry run creates no file."""
        if self._cache is None or isinstance(self._cache, Cache):
            return self._cache
        if self._opened is None and not (self._dry and not Path(self._cache).exists()):
            self._opened = Cache(self._cache)
        return self._opened

    def stand_in(self, text: str) -> None:
        """What the stand-in models of a dry run answer where no schema says it; "" leaves it to them."""
        for model in self.loaded:
            if text and isinstance(model, DryRunModel):
                model.text = text

    def estimates(self) -> list[Estimate]:
        """The estimates of the stand-in models of a dry run."""
        return [m.estimate for m in self.loaded if isinstance(m, DryRunModel)]

    async def release(self) -> None:
        """Close connections, and the cache if it was opened here."""
        for model in self.loaded:
            await release(model)
        self.close()

    def close(self) -> None:
        """Close the cache if this object opened it."""
        if self._opened is not None:
            self._opened.close()


def _samples(benchmark: Benchmark, spec: RunSpec) -> Iterator[Sample]:
    found = itertools.islice(benchmark.samples(), spec.limit)
    if spec.sample is None:
        return iter(found)
    drawn = draw_places(map(benchmark.stratum, found), spec.sample, seed=spec.seed)
    again = itertools.islice(benchmark.samples(), spec.limit)
    return (sample for place, sample in enumerate(again) if place in drawn)


def _described_data(benchmark: Benchmark, spec: RunSpec) -> dict[str, Any]:
    """What ``run.json`` says of the data, with a hash (sixteen hex digits) of all samples in order."""
    digest = hashlib.sha256()
    ids: set[bytes] = set()
    own = benchmark.is_own_data
    n = n_bad_spans = 0
    for sample in _samples(benchmark, spec):
        key = hashlib.blake2b(sample.id.encode("utf-8", "surrogatepass"), digest_size=12).digest()
        if key in ids:
            raise InputError(f"benchmark {benchmark.name!r}: ids of samples must be unique, got {sample.id!r} twice")
        ids.add(key)
        # gold that was left out of a file of the user's makes it another file than one without that gold
        left_out = [sample.bad_spans] if own and sample.bad_spans else []
        digest.update(_SORTED.encode([sample.id, sample.input, sample.gold, *left_out]).encode("ascii") + b"\n")
        n += 1
        n_bad_spans += len(sample.bad_spans)
    if not n:
        raise InputError(f"benchmark {benchmark.name!r}: must have samples, found none; check its data and options")
    found: dict[str, Any] = {"path": spec.data, "hash": digest.hexdigest()[:16], "n_samples": n}
    if n_bad_spans:
        found["n_bad_spans"] = n_bad_spans
    return found | ({"own": True} if own else {})


def _public(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options without credentials."""
    return {
        name: redact_values(value)
        for name, value in sorted(options.items())
        if not is_secret_name(name)
        and not (
            name.startswith("header.") and public_headers({name[7:]: str(value)}) != {name[7:].lower(): str(value)}
        )
        and redact(shown := json.dumps(value)) == shown
    }


def _describe(spec: RunSpec, benchmark: Benchmark, system: System) -> dict[str, Any]:
    """The contents of ``run.json``."""
    asked = spec.system.name not in benchmark.baselines and bool(system.prompts)
    protocol = (spec.system.protocol or next(iter(benchmark.protocols), None)) if asked else None
    labels: Collection[str] | None = getattr(system, "labels", None)
    found: dict[str, Any] = {
        "format": FORMAT,
        "benchmark": spec.benchmark,
        "options": benchmark.settings(),
        "data": _described_data(benchmark, spec),
        "system": {
            "name": spec.system.name,
            "protocol": protocol,
            "protocol_options": dict(spec.system.protocol_options),
            "model_options": _public(spec.system.model_options),
            "identity": redact_values(dict(system.identity)),
            **({"labels": sorted(labels)} if labels is not None else {}),
        },
        "prompts": dict(system.prompts),
        "seed": spec.seed,
        "limit": spec.limit,
        "sample": spec.sample,
        "epochs": spec.epochs,
        "shard": spec.shard,
        "versions": {"fallax": __version__},
    }
    found["signature"] = signature_of(found)
    return found


def options_of(run: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a run's benchmark that say something: those with a value; data of the user's own have no split."""
    own = run["data"].get("own")
    return {name: value for name, value in run["options"].items() if not (value is None or (own and name == "split"))}


def signature_of(run: Mapping[str, Any]) -> str:
    """The signature: one line with everything the answers of a run depend on."""
    own = run["data"].get("own")
    parts = {
        "benchmark": run["benchmark"],
        **options_of(run),
        "system": run["system"]["name"],
        "protocol": run["system"]["protocol"],
        **hash_of_options(run),
        "prompt": "+".join(sorted(run["prompts"].values())),
        "seed": run["seed"],
        "epochs": run["epochs"],
        "limit": run["limit"],
        "sample": run.get("sample"),
        "shard": run["shard"],
        "n": run["data"]["n_samples"],
        "data": f"own-{run['data']['hash']}" if own else run["data"]["hash"],
        "fallax": run["versions"]["fallax"],
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items() if value not in (None, ""))


def default_folder(spec: RunSpec) -> Path:
    """The default folder of a run; the same command gives the same folder.

    Examples
    --------
    >>> default_folder(RunSpec("mafalda", SystemSpec("openai/gpt-4o"))).as_posix()
    'runs/mafalda-openai-gpt-4o-a70c50f9'
    """
    system = spec.system
    told = [
        spec.benchmark, spec.data, dict(spec.options), system.name, system.protocol, dict(system.protocol_options),
        _public(system.model_options), spec.limit, spec.epochs, spec.shard, spec.seed,
        *([] if spec.sample is None else [spec.sample]),  # a run of all samples keeps the name it always had
    ]  # fmt: skip
    digest = hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:8]
    kind, _, rest = system.name.partition(":")
    name = f"{kind}-{Path(rest).stem}" if kind in ("recorded", "scripted") else system.name
    slug = "".join(c if c.isalnum() or c in "._" else "-" for c in name).strip("-.")[:60]
    return Path("runs") / f"{spec.benchmark}-{slug}-{digest}"


def _todo(spec: RunSpec, benchmark: Benchmark, folder: RunFolder | None) -> Iterator[tuple[int, int, Sample]]:
    """The samples that are still to be answered: (position, epoch, sample)."""
    number, of = parse_shard(spec.shard) if spec.shard else (1, 1)
    for position, sample in enumerate(_samples(benchmark, spec)):
        if position % of == number - 1:
            for epoch in range(spec.epochs):
                if folder is None or not folder.is_done(position, epoch):
                    yield position, epoch, sample


class _Run:
    """The workers of one run."""

    def __init__(
        self,
        system: System,
        todo: Iterator[tuple[int, int, Sample]],
        on_answer: Callable[[int, int, Sample, Answer], None],
    ) -> None:
        self._system, self._todo, self._on_answer = system, todo, on_answer
        self._is_local = getattr(system, "concurrency", None) == 1
        self._failure: Exception | None = None
        self._stopped = False
        self._errors_in_a_row = 0
        self.n_under_way = 0

    async def work(self) -> None:
        """Answer samples until none are left, or a non-retryable error occurs."""
        while not self._stopped:
            try:
                job = next(self._todo, None)
                if job is None:
                    return
                position, epoch, sample = job
                self.n_under_way += 1
                try:
                    answer = await self._answer(sample, epoch)
                finally:
                    self.n_under_way -= 1
                if answer is not None:
                    self._on_answer(position, epoch, sample, answer)
            except Exception as error:
                self.stop(error)
            await asyncio.sleep(0)  # a system that answers at once must not keep an interrupt waiting

    async def _answer(self, sample: Sample, epoch: int) -> Answer | None:
        try:
            with recorders() as made:
                answer = await self._system.answer(sample, epoch=epoch)
        except (AuthenticationError, BudgetError) as error:
            self.stop(error)
            return None
        except (ContentFilterError, ContextLengthError) as error:  # asking again would change nothing
            return Answer(status="unreadable", reason=one_line(error, 500), **heard_by(made))
        except MissingExtraError:
            raise
        except Exception as error:
            # a detector, judge or verifier that fails on one text must not keep the others from theirs
            if not isinstance(error, ModelError) and not self._is_local:
                raise
            return self._failed(error, sample)
        self._errors_in_a_row = 0
        return answer

    def _failed(self, error: Exception, sample: Sample) -> Answer:
        """The answer of a system that failed; after too many in a row, the run stops."""
        told = isinstance(error, FallaxError)
        reason = error.reason if isinstance(error, DetectorError) else str(error)
        reason = one_line(reason if told else f"{type(error).__name__}: {error}", 500)
        self._errors_in_a_row += 1
        if self._errors_in_a_row >= MAX_ERRORS_IN_A_ROW:
            if not told:
                cause, error = error, FallaxError(f"sample {sample.id!r}: the system failed: {reason}")
                error.__cause__ = cause
            error.add_note(f"{self._errors_in_a_row} samples in a row failed")
            self.stop(error)
        return Answer(status="error", reason=reason)

    def stop(self, failure: Exception | None = None) -> None:
        """Start nothing new; samples in progress are finished."""
        self._stopped = True
        if self._failure is None:
            self._failure = failure

    async def run(self, n_workers: int, on_interrupt: Callable[[int], None] | None) -> None:
        """Work until all is done; after an interrupt, finish samples in progress if ``on_interrupt`` is given."""
        workers = [asyncio.create_task(self.work()) for _ in range(n_workers)]
        try:
            await asyncio.wait(workers)
        except asyncio.CancelledError:
            if on_interrupt is not None:
                self.stop()
                on_interrupt(self.n_under_way)
                await asyncio.wait(workers)
            raise
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        if self._failure is not None:
            raise self._failure


async def arun_benchmark(
    spec: RunSpec,
    folder: str | Path | None = None,
    *,
    cache: Cache | str | Path | None = None,
    max_connections: int = 64,
    max_cost: float | None = None,
    limits: Limits | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    finish_on_interrupt: bool = False,
    benchmark: Benchmark | None = None,
    system: System | None = None,
) -> RunResult:
    """Run a benchmark, or resume an interrupted run.

    Every answer of a model is stored in the cache before it is used, every row is written as soon as it is there, and
    the rows stand in the order of the samples at the end. So a run that was killed at any moment and is run again ends
    with the same bytes as one that was not.

    Parameters
    ----------
    spec : what is run.
    folder : the run folder; by default :func:`default_folder`.
    cache : where answers of models are kept; None: nowhere, and a killed run asks again what had no row yet.
    max_connections : calls in flight at most.
    max_cost : US dollars at most, for this process.
    limits : timeouts and retries; ``max_connections`` is taken over into them.
    on_progress : called after every row.
    finish_on_interrupt : on the first cancellation, finish the samples in progress instead of dropping them.
    benchmark, system : in place of those that ``spec`` names, which must still name them.

    Raises
    ------
    RunError
        If another process is at work in the folder, or the folder belongs to another command.
    ModelError
        If a key is refused, the budget is spent, or 20 samples in a row failed. What was done stays.
    FallaxError
        If a system that computes here failed on 20 samples in a row.

    Examples
    --------
    >>> run_benchmark(RunSpec("mafalda", SystemSpec("silent"), data="/nowhere"))
    Traceback (most recent call last):
    fallax.errors.InputError: /nowhere: must be a folder or a file with data, found nothing there
    """
    path = Path(folder) if folder is not None else default_folder(spec)
    limits = _limits(limits, max_connections)
    budget = Budget(max_cost=max_cost)
    models = _Models(cache=cache, limits=limits, budget=budget)
    try:
        bench = benchmark or load_benchmark(spec.benchmark, data=spec.data, options=spec.options)
        system = system or bench.system(spec.system, seed=spec.seed, load=models)
        with RunFolder(path, _describe(spec, bench, system)) as held:
            n_total = expected_rows(held.run)
            n_before = held.counts.n - held.counts.error
            n_new = 0

            def progress(n_finishing: int | None = None) -> None:
                if on_progress is not None:
                    done = held.counts.n - held.counts.error
                    on_progress(Progress(done, n_before, n_total, held.counts.error, budget, n_finishing))

            def keep(position: int, epoch: int, sample: Sample, answer: Answer) -> None:
                nonlocal n_new
                if not n_new:
                    held.remove_scores()
                held.append(Row.of(sample, answer, position=position, epoch=epoch))
                n_new += 1
                progress()

            progress()
            if n_before < n_total:
                work = _Run(system, _todo(spec, bench, held), keep)
                n_workers = min(getattr(system, "concurrency", 2 * max_connections), n_total - n_before)
                await work.run(n_workers, progress if finish_on_interrupt else None)
            held.sort()
            scores = score_run(path, benchmark=bench)
            held.write_scores(scores.to_dict())
            return RunResult(path, scores, n_new)
    finally:
        await models.release()


def _limits(limits: Limits | None, max_connections: int) -> Limits:
    limits = replace(limits or Limits(), max_connections=max_connections)
    return replace(limits, start_connections=min(limits.start_connections, max_connections))


run_benchmark = sync_twin(arun_benchmark, at_once=False)


def estimate_run(
    spec: RunSpec,
    folder: str | Path | None = None,
    *,
    cache: Cache | str | Path | None = None,
    benchmark: Benchmark | None = None,
) -> list[Estimate]:
    """Estimate the remaining cost of a run, one estimate per model; sends and writes nothing.

    Parameters
    ----------
    spec : what would be run.
    folder : the run folder; rows that it has already cost nothing. By default :func:`default_folder`.
    cache : answers that it has cost nothing.
    """
    path = Path(folder) if folder is not None else default_folder(spec)
    models = _Models(cache=cache, limits=Limits(), budget=Budget(), dry=True)
    bench = benchmark or load_benchmark(spec.benchmark, data=spec.data, options=spec.options)
    system = bench.system(spec.system, seed=spec.seed, load=models)
    models.stand_in(getattr(system, "stand_in", ""))
    done = _done_places(path)

    async def count() -> None:
        for position, epoch, sample in _todo(spec, bench, None):
            if (position, epoch) not in done:
                await system.answer(sample, epoch=epoch)

    try:
        if models.loaded:
            asyncio.run(count())
        return models.estimates()
    finally:
        models.close()


def _done_places(path: Path) -> set[tuple[int, int]]:
    try:
        return {(r.position, r.epoch) for r in read_rows(path) if r.status != "error"}
    except RunError:
        return set()
