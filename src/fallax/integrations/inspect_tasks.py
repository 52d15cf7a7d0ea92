"""The benchmarks as tasks of Inspect AI: ``inspect eval fallax/mafalda --model PROVIDER/MODEL``.

Inspect finds them through the entry point of this package, which reads :data:`TASKS`; only then is Inspect AI imported.
A task asks with the same prompts, reads the replies in the same way and computes the same scores as ``fallax bench
run``; models, their settings, retries, limits and logs are Inspect's.
"""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from types import GenericAlias
from typing import Any

from fallax.core.types import ChatModel, Score, Usage
from fallax.errors import InputError, MissingExtraError, UnknownNameError, one_line
from fallax.models import ScriptedModel
from fallax.models.inspect_bridge import InspectModel
from fallax.runs.base import Answer, Benchmark, Row, Sample, System
from fallax.runs.registry import BENCHMARKS, benchmark_class, load_benchmark
from fallax.runs.scoring import score_epochs

__all__ = ["benchmark_task", "inspect_module", "measures_of", "sample_values", "shown_input", "tasks"]

#: Where a solver leaves the answer for the scorer, in the store of a sample.
STORE = "fallax"


def inspect_module(name: str = "") -> Any:
    """Import a module of Inspect AI (``"model"``, ``"scorer"``, ...).

    Raises
    ------
    MissingExtraError
        If Inspect AI is not installed.
    """
    try:
        return importlib.import_module(f"inspect_ai.{name}" if name else "inspect_ai")
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "inspect_ai":
            raise
        raise MissingExtraError("Inspect AI", extra="inspect") from None


def shown_input(sample: Sample | Row) -> str:
    """The displayed text of a sample; without one, its whole input as JSON.

    Examples
    --------
    >>> shown_input(Sample("a", {"text": "You lie.", "source": "letters"}))
    'You lie.'
    """
    text = sample.input.get("text")
    return text if isinstance(text, str) else _json(dict(sample.input), indent=2)


def measures_of(benchmark: Benchmark, scores: Mapping[str, Score]) -> dict[str, float]:
    """``SCORE/MEASURE`` -> value, the benchmark's main measure first; undefined values are left out.

    Examples
    --------
    >>> from fallax.core.types import Prediction
    >>> benchmark = load_benchmark("mafalda")
    >>> row = Row(0, 0, "a", {"text": "So it is."}, [], "ok", {"spans": []})
    >>> next(iter(measures_of(benchmark, benchmark.score([row])).items()))
    ('span-2/f1', 1.0)
    """
    found = {f"{name}/{m}": value for name, one in scores.items() for m, value in one.values.items()}
    first = "/".join(benchmark.primary)
    ordered = [first, *(name for name in found if name != first)] if first in found else list(found)
    return {name: value for name in ordered if (value := found[name]) is not None}


def sample_values(benchmark: Benchmark, row: Row) -> dict[str, float | None]:
    """The main score's measures for one row; None if one is undefined."""
    return dict(benchmark.score([row])[benchmark.primary[0]].values)


def _json(value: object, *, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _samples(benchmark: Benchmark) -> Any:
    """The samples as an Inspect data set; system input and gold are separate fields of the metadata."""
    dataset = inspect_module("dataset")
    return dataset.MemoryDataset(
        [
            dataset.Sample(
                input=shown_input(sample),
                target="" if sample.gold is None else _json(sample.gold),
                id=sample.id,
                metadata={"position": position, "input": dict(sample.input), "gold": sample.gold},
            )
            for position, sample in enumerate(benchmark.samples())
        ],
        name=benchmark.name,
    )


class _Choice:
    """A benchmark with the protocol and options of a task."""

    def __init__(
        self, name: str, protocol: str | None, data: str | None, seed: int, options: Mapping[str, Any]
    ) -> None:
        known = benchmark_class(name)
        if protocol is not None and protocol not in known.protocols:
            raise UnknownNameError("protocol", protocol, known.protocols, where=f"benchmark {name!r}")
        if type(seed) is not int or seed < 0:
            raise InputError(f"task parameter seed must be a whole number of 0 or more, got {seed!r}")
        self.protocol = protocol or next(iter(known.protocols))
        self.seed = seed
        given = {key: value for key, value in options.items() if key in known.options}
        self.protocol_options = {key: value for key, value in options.items() if key not in known.options}
        if data is not None and not Path(data).exists() and not Path(data).is_absolute():
            where = one_line(Path.cwd(), 200)
            raise InputError(
                f"task parameter data: must be a file or folder, got {data!r}, which is not in {where}; Inspect works"
                " in the folder of a task file, so give the whole path"
            )
        self.benchmark = load_benchmark(name, data=data, options=given)
        try:
            self.system(ScriptedModel([]), lambda other, _: ScriptedModel([], name=other))
        except UnknownNameError as error:
            if error.name not in self.protocol_options:
                raise
            parameters = [*known.options, *error.known, "data", "protocol", "seed"]
            raise UnknownNameError("task parameter", error.name, parameters, where=f"benchmark {name!r}") from None

    def system(self, model: ChatModel, load: Callable[[str, Mapping[str, Any]], ChatModel]) -> System:
        """The system of a task for a given model."""
        return self.benchmark.with_model(
            model, protocol=self.protocol, options=self.protocol_options, seed=self.seed, load=load
        )


def _load(name: str, options: Mapping[str, Any]) -> ChatModel:
    """Load a further model that a protocol names, from Inspect's providers."""
    return InspectModel.around(inspect_module("model").get_model(name.removeprefix("inspect/"), **options))


def _row(sample_id: object, metadata: Mapping[str, Any], answer: Mapping[str, Any]) -> Row:
    """Convert an Inspect sample and its stored answer to a row."""
    return Row(
        metadata["position"],
        answer["epoch"],
        str(sample_id),
        metadata["input"],
        metadata["gold"],
        answer["status"],
        answer["prediction"],
        answer["reason"],
        tuple(answer["replies"]),
        Usage.from_dict(answer["usage"]),
    )


def _epochs(rows: Iterable[Row]) -> list[list[Row]]:
    """The rows of each epoch, in the order of the samples."""
    found: dict[int, list[Row]] = {}
    for row in sorted(rows, key=lambda r: (r.epoch, r.position)):
        found.setdefault(row.epoch, []).append(row)
    return list(found.values())


def _stored(answer: Answer, choice: _Choice, epoch: int) -> dict[str, Any]:
    return {
        "benchmark": choice.benchmark.name,
        "options": choice.benchmark.settings(),
        "epoch": epoch,
        "status": answer.status,
        "reason": answer.reason,
        "prediction": answer.prediction,
        "replies": [dict(reply) for reply in answer.replies],
        "usage": answer.usage.to_dict(),
    }


@cache
def _parts() -> tuple[Any, Any]:
    """The solver and the scorer, registered with Inspect."""
    api, scoring, solving = inspect_module("model"), inspect_module("scorer"), inspect_module("solver")

    def ask(
        benchmark: str, protocol: str | None = None, data: str | None = None, seed: int = 0, options: Any = None
    ) -> Any:
        choice = _Choice(benchmark, protocol, data, seed, options or {})
        made: list[tuple[Any, System]] = []

        async def solve(state: Any, generate: Any) -> Any:
            active = api.get_model()
            if not made or made[-1][0] is not active:
                made.append((active, choice.system(InspectModel.around(active), _load)))
            sample = Sample(str(state.sample_id), state.metadata["input"], state.metadata["gold"])
            answer = await made[-1][1].answer(sample, epoch=state.epoch - 1)
            state.store.set(STORE, _stored(answer, choice, state.epoch - 1))
            said = _json(answer.prediction, indent=2) if answer.status == "ok" else f"{answer.status}: {answer.reason}"
            state.output = api.ModelOutput.from_content(str(active), said)
            state.messages.append(state.output.message)
            return state

        return solve

    def scores() -> Any:
        def compute(found: list[Any]) -> Any:
            if not found:
                return {}
            answers = [one.score.metadata[STORE] for one in found]
            benchmark = load_benchmark(answers[0]["benchmark"], options=answers[0]["options"])
            rows = [_row(one.sample_id, one.sample_metadata, a) for one, a in zip(found, answers, strict=True)]
            return measures_of(benchmark, score_epochs(benchmark, _epochs(rows)))

        compute.__annotations__ = {"found": GenericAlias(list, (scoring.SampleScore,)), "return": scoring.Value}
        return compute

    def score() -> Any:
        async def judge(state: Any, target: Any) -> Any:
            answer = state.store.get(STORE)
            if answer is None:
                return scoring.Score.unscored(reason="no answer", explanation="the sample ended before it was answered")
            benchmark = load_benchmark(answer["benchmark"], options=answer["options"])
            row = _row(state.sample_id, state.metadata, answer)
            return score_of(benchmark, row, metadata={STORE: answer})

        return judge

    metric = scoring.metric(name="fallax_scores", scores="unreduced")(scores)
    return (
        solving.solver(name="fallax_protocol")(ask),
        scoring.scorer(metrics=[metric()], name="fallax_score")(score),
    )


def score_of(benchmark: Benchmark, row: Row, *, metadata: Mapping[str, Any] | None = None) -> Any:
    """Inspect's score of one row: the main score's measures, or unscored with the reason."""
    scoring = inspect_module("scorer")
    more = dict(metadata or {})
    if row.status != "ok":
        return scoring.Score.unscored(reason=row.status, explanation=row.reason, metadata=more)
    values = {m: math.nan if v is None else v for m, v in sample_values(benchmark, row).items()}
    return scoring.Score(value=values, answer=_json(row.prediction), metadata=more)


def benchmark_task(
    name: str, *, protocol: str | None = None, data: str | None = None, seed: int = 0, **options: Any
) -> Any:
    """A benchmark as a task of Inspect AI.

    Parameters
    ----------
    name : of the benchmark.
    protocol : how the model is asked; by default the first that the benchmark has.
    data : the folder with the data; by default FALLAX_DATA, else the cache.
    seed : for all that is drawn.
    options : of the benchmark and of the protocol, as ``-B`` and ``-P`` of ``fallax bench run`` give them.

    Returns
    -------
    inspect_ai.Task
        Its one scorer computes the scores of the benchmark over all samples and epochs, named ``SCORE/MEASURE``.
        Replies that cannot be read leave a sample unscored with the reason.

    Raises
    ------
    UnknownNameError, InputError
        If there is no such benchmark, protocol or option, or the data are not there.
    MissingExtraError
        If Inspect AI is not installed.
    """
    choice = _Choice(name, protocol, data, seed, options)
    solver, scorer = _parts()
    return inspect_module().Task(
        dataset=_samples(choice.benchmark),
        solver=solver(name, choice.protocol, data, seed, options),
        scorer=scorer(),
        name=name,
        metadata={"protocol": choice.protocol, "seed": seed, **choice.benchmark.settings()},
    )


@cache
def tasks() -> dict[str, Callable[..., Any]]:
    """Name -> function that makes the task, for every benchmark that asks models; registered with Inspect."""
    decorate = inspect_module().task
    return {name: _task(name, decorate) for name in BENCHMARKS if benchmark_class(name).protocols}


def _task(name: str, decorate: Any) -> Callable[..., Any]:
    def make(protocol: str | None = None, data: str | None = None, seed: int = 0, **options: Any) -> Any:
        return benchmark_task(name, protocol=protocol, data=data, seed=seed, **options)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = benchmark_class(name).about
    registered: Callable[..., Any] = decorate(name=name)(make)
    return registered


def __getattr__(name: str) -> Any:
    """``TASKS`` is created on first access, which registers the tasks and keeps imports light."""
    if name == "TASKS":
        return tasks()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
