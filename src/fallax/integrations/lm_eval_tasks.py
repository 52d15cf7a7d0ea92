"""Benchmarks as tasks of lm-evaluation-harness, whose YAML files are in ``harness/lm_eval``.

The harness asks and this module does the rest: what stands in a prompt, how a reply is read and how all are scored is
what ``fallax bench run`` does. Needs nothing of the harness itself.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fallax.core.types import Reply, Request
from fallax.errors import InputError, UnknownNameError
from fallax.generation.worlds.tasks import QUESTION
from fallax.models import ScriptedModel
from fallax.runs.base import Answer, Benchmark, Row, Sample, System
from fallax.runs.registry import load_benchmark

__all__ = ["EVAL_TASKS", "EvalTask", "aggregation", "documents", "results", "unreadable_share"]

_CHOICES = {"supports": "SUPPORTS", "refutes": "REFUTES", "nei": "NOT ENOUGH INFO"}


@dataclass(frozen=True, slots=True)
class EvalTask:
    """A benchmark as a task of the harness.

    Parameters
    ----------
    benchmark : its name.
    protocol : how a model is asked; "" where the question is :data:`fallax.generation.worlds.tasks.QUESTION`.
    ending : what is added to the prompt, for the choices to go on from.
    choices : answer -> the words whose likelihood is compared; empty where a reply is generated.
    """

    benchmark: str
    protocol: str = ""
    ending: str = ""
    choices: Mapping[str, str] | None = None


#: name -> task, each with a YAML file of the same name.
EVAL_TASKS: Mapping[str, EvalTask] = {
    "fallax_twins": EvalTask("smartypat", choices={"sound": "sound", "fallacious": "fallacious"}),
    "fallax_mafalda": EvalTask("mafalda", "whole-document"),
    "fallax_causal": EvalTask("causal", "task-1", "\n\nVerdict:", _CHOICES),
}


class _Asked:
    """A model that records requests and returns a given reply."""

    name = "asked/harness"

    def __init__(self, reply: str = "") -> None:
        self._reply = reply
        self.requests: list[Request] = []

    async def generate(self, request: Request) -> Reply:
        """Return the given reply."""
        self.requests.append(request)
        return Reply(self._reply)


def _task(name: str) -> EvalTask:
    if name not in EVAL_TASKS:
        raise UnknownNameError("task", name, EVAL_TASKS)
    return EVAL_TASKS[name]


def _system(benchmark: Benchmark, task: EvalTask, model: _Asked) -> System:
    return benchmark.with_model(
        model, protocol=task.protocol, options={}, seed=0, load=lambda name, _: ScriptedModel([], name=name)
    )


def documents(
    name: str, *, data: str | None = None, options: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """The documents of a task, as flat rows.

    Parameters
    ----------
    name : a key of :data:`EVAL_TASKS`.
    data : a folder or file, as ``--data`` of ``fallax bench run`` has it; by default FALLAX_DATA, else the cache.
    options : of the benchmark, as ``-B`` gives them.

    Yields
    ------
    dict
        ``prompt``; ``choices`` and ``target``, the position of the right one (-1 where nobody knows), where there are
        some; ``sample``, JSON that :func:`results` reads.

    Raises
    ------
    UnknownNameError, InputError
        If there is no such task or option, or the data are not there.

    Examples
    --------
    >>> found = next(documents("fallax_twins", options={"set": "examples/fallacies.jsonl"}))
    >>> found["choices"][found["target"]], found["prompt"][-7:]
    ('fallacious', 'Answer:')
    """
    task = _task(name)
    benchmark = load_benchmark(task.benchmark, data=data, options=options)
    about = {"task": name, "options": benchmark.settings()}
    n = 0
    for n, sample in enumerate(benchmark.samples(), start=1):
        row: dict[str, Any] = {"id": sample.id, "prompt": _prompt(benchmark, task, sample)}
        if task.choices is not None:
            answers = _answers(benchmark, task)
            right = _right(sample)
            row["choices"] = [task.choices[a] for a in answers]
            row["target"] = answers.index(right) if right in answers else -1
        kept = {"id": sample.id, "position": n - 1, "input": dict(sample.input), "gold": sample.gold}
        yield {**row, "sample": json.dumps({**about, **kept}, ensure_ascii=False)}
    if not n:
        raise InputError(f"task {name!r}: the benchmark must have samples, got none")


def _answers(benchmark: Benchmark, task: EvalTask) -> list[str]:
    known = list(task.choices or ())
    return known[: benchmark.settings()["classes"]] if task.benchmark == "causal" else known


def _right(sample: Sample) -> str:
    if "kind" in sample.gold:
        return "fallacious" if sample.gold["labels"] else "sound"
    return str(sample.gold["label"])


def _prompt(benchmark: Benchmark, task: EvalTask, sample: Sample) -> str:
    if not task.protocol:
        return f"{QUESTION}\n\nText: {sample.input['text']}\n\nAnswer:"
    model = _Asked()
    asyncio.run(_system(benchmark, task, model).answer(sample, epoch=0))
    if not model.requests:  # nothing is asked about an empty text
        return "Say nothing."
    if len(model.requests) > 1 or len(model.requests[0].messages) > 1:
        raise InputError(f"sample {sample.id!r}: must be one question, got {len(model.requests)}")
    return model.requests[0].messages[0].content + task.ending


def results(document: Mapping[str, Any], replies: Sequence[Any]) -> str:
    """The harness's output for a document, as a JSON text for :func:`aggregation`.

    Parameters
    ----------
    document : of :func:`documents`.
    replies : the one generated reply; or (log-likelihood, whether it is the likeliest) of each choice.
    """
    about = json.loads(document["sample"])
    task = _task(about["task"])
    sample = Sample(about["id"], about["input"], about["gold"])
    benchmark = load_benchmark(task.benchmark, options=about["options"])
    if task.choices is None:
        answer = asyncio.run(_system(benchmark, task, _Asked(str(replies[0]))).answer(sample, epoch=0))
    else:
        likelihoods = [float(r[0]) for r in replies]
        said = _answers(benchmark, task)[likelihoods.index(max(likelihoods))]
        answer = Answer(_prediction(task, said))
    row = Row.of(sample, answer, position=about["position"], epoch=0)
    return json.dumps({**about, "row": row.to_dict()}, ensure_ascii=False)


def _prediction(task: EvalTask, said: str) -> dict[str, Any]:
    if task.benchmark == "causal":
        return {"label": said, "no_label": "", "missing": []}
    return {"fallacious": said == "fallacious", "labels": [], "given": []}


def aggregation(score: str, measure: str) -> Callable[[Sequence[str]], float]:
    """Aggregates all :func:`results` into one measure of a score; NaN if it is undefined.

    Examples
    --------
    >>> docs = documents("fallax_twins", options={"set": "examples/fallacies.jsonl"})
    >>> sure = [results(d, [(-1.0, True), (-2.0, False)]) for d in docs]  # "sound" is always likelier
    >>> aggregation("twins", "discrimination")(sure)
    0.0
    """

    def compute(found: Sequence[str]) -> float:
        rows = [json.loads(one) for one in found]
        task = _task(rows[0]["task"])
        benchmark = load_benchmark(task.benchmark, options=rows[0]["options"])
        scores = benchmark.score(Row.from_dict(r["row"]) for r in sorted(rows, key=lambda r: int(r["position"])))
        value = scores[score].values.get(measure) if score in scores else None
        return float("nan") if value is None else float(value)

    return compute


def unreadable_share(found: Sequence[str]) -> float:
    """The share of :func:`results` with an unreadable reply, in [0, 1]; other measures leave them out."""
    n = sum(1 for one in found if json.loads(one)["row"]["status"] != "ok")
    return n / max(1, len(found))
