"""Exports a run as a log of Inspect AI."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fallax._version import __version__
from fallax.core.types import Message, Usage
from fallax.errors import InputError
from fallax.integrations.inspect_tasks import inspect_module, measures_of, score_of, shown_input
from fallax.models import Cache
from fallax.runs.base import Benchmark, Row
from fallax.runs.folder import read_rows, read_run
from fallax.runs.scoring import RunScores, benchmark_of, expected_rows, score_run

__all__ = ["export_run", "inspect_log"]

_SCORER = "fallax_score"


def export_run(
    path: str | Path, out: str | Path, *, cache: str | Path | None = None, benchmark: Benchmark | None = None
) -> Path:
    """Write a run as a log for Inspect AI.

    Parameters
    ----------
    path : the run folder, finished or not.
    out : the file: ``.eval`` or ``.json``; one that is there is replaced.
    cache : where the questions are; without it the log has the replies alone.
    benchmark : by default the one that the run names.

    Raises
    ------
    InputError
        If ``out`` has another ending or cannot be written.
    RunError
        If the run folder has nothing to show.
    MissingExtraError
        If Inspect AI is not installed.
    """
    target = Path(out)
    if target.suffix not in (".eval", ".json"):
        raise InputError(f"{out}: a log of Inspect AI must end in .eval or .json; give it another name")
    logs = inspect_module("log")
    log = inspect_log(path, cache=cache, benchmark=benchmark)
    partial = target.with_name(f"partial-{target.name}")
    try:
        logs.write_eval_log(log, str(partial))
        partial.replace(target)
    except OSError as error:
        raise InputError(f"{out}: must be a file that can be written: {error}") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    return target


def inspect_log(path: str | Path, *, cache: str | Path | None = None, benchmark: Benchmark | None = None) -> Any:
    """A run as an ``inspect_ai.log.EvalLog``; see :func:`export_run`.

    Its scores are those that ``fallax bench score`` prints, named ``SCORE/MEASURE``. A sample whose replies could not
    be read is unscored with the reason, one that failed has the error.
    """
    logs = inspect_module("log")
    folder = Path(path)
    run = read_run(folder)
    benchmark = benchmark or benchmark_of(run)
    scored = score_run(folder, benchmark=benchmark)
    questions = _questions(folder, cache)
    samples = [_sample(row, run, benchmark, questions) for row in read_rows(folder)]
    begun = datetime.fromtimestamp((folder / "run.json").stat().st_mtime, UTC).isoformat()
    ended = datetime.fromtimestamp((folder / "records.jsonl").stat().st_mtime, UTC).isoformat()
    return logs.EvalLog(
        status="success" if scored.counts.n >= expected_rows(run) else "cancelled",
        eval=_spec(run, begun),
        plan=_plan(run),
        results=_results(scored, benchmark, len(samples)),
        stats=logs.EvalStats(
            started_at=begun, completed_at=ended, model_usage={_model(run): _usage(scored.counts.usage)}
        ),
        samples=samples,
    )


def _model(run: Mapping[str, Any]) -> str:
    return str(run["system"]["name"])


def _id(*parts: object) -> str:
    """An id made from words, so that exporting a run again gives the same log."""
    return hashlib.sha256("\n".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:22]


def _spec(run: Mapping[str, Any], created: str) -> Any:
    logs = inspect_module("log")
    system = run["system"]
    return logs.EvalSpec(
        eval_id=_id("eval", run["signature"]),
        run_id=_id("run", run["signature"]),
        task_id=_id("task", run["benchmark"], run["options"]),
        created=created,
        task=f"fallax/{run['benchmark']}",
        task_display_name=run["benchmark"],
        task_args={"protocol": system["protocol"], "seed": run["seed"], **run["options"], **system["protocol_options"]},
        dataset=logs.EvalDataset(
            name=run["benchmark"], location=run["data"]["path"], samples=expected_rows(run) // run["epochs"]
        ),
        model=_model(run),
        model_args=system["model_options"],
        config=logs.EvalConfig(epochs=run["epochs"], limit=run["limit"]),
        packages={"fallax": run["versions"]["fallax"]},
        metadata={"signature": run["signature"], "exported_by": f"fallax {__version__}", "prompts": run["prompts"]},
        scorers=[{"name": _SCORER}],
    )


def _plan(run: Mapping[str, Any]) -> Any:
    logs = inspect_module("log")
    how = run["system"]["protocol"] or run["system"]["name"]
    return logs.EvalPlan(steps=[logs.EvalPlanStep(solver=how, params=run["system"]["protocol_options"])])


def _results(scored: RunScores, benchmark: Benchmark, n_rows: int) -> Any:
    logs = inspect_module("log")
    counts = scored.counts
    metrics = {name: logs.EvalMetric(name=name, value=v) for name, v in measures_of(benchmark, scored.scores).items()}
    signatures = {name: str(score.signature) for name, score in scored.scores.items()}
    score = logs.EvalScore(
        name=_SCORER,
        scorer=_SCORER,
        metrics=metrics,
        scored_samples=counts.ok,
        unscored_samples=counts.unreadable + counts.not_asked,
        metadata={"signatures": signatures},
    )
    return logs.EvalResults(total_samples=scored.n_expected, completed_samples=n_rows - counts.error, scores=[score])


def _sample(
    row: Row, run: Mapping[str, Any], benchmark: Benchmark, questions: Mapping[str, tuple[Message, ...]]
) -> Any:
    logs, api = inspect_module("log"), inspect_module("model")
    output = api.ModelOutput.from_content(_model(run), _answer(row))
    output.choices[0].message.id = _id("output", row.id, row.epoch)
    failure = _tidy(row.reason) if row.status == "error" else None
    return logs.EvalSample(
        id=row.id,
        epoch=row.epoch + 1,
        input=_tidy(shown_input(row)),
        target="" if row.gold is None else _text(row.gold),
        messages=list(_messages(row, questions)),
        output=output,
        scores=None if failure else {_SCORER: _tidied(score_of(benchmark, row))},
        metadata=_tidy({"input": row.input, "gold": row.gold, "status": row.status}),
        model_usage={_model(run): _usage(row.usage)},
        uuid=_id("sample", run["signature"], row.id, row.epoch),
        error=failure and logs.EvalError(message=failure, traceback=failure, traceback_ansi=failure),
    )


def _text(value: object) -> str:
    return str(_tidy(json.dumps(value, ensure_ascii=False, indent=2)))


def _tidy(value: Any) -> Any:
    """A value with unpaired surrogates, which UTF-8 cannot encode, replaced by question marks."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {_tidy(name): _tidy(inner) for name, inner in value.items()}
    return [_tidy(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _tidied(score: Any) -> Any:
    return score.model_copy(update={"answer": _tidy(score.answer), "explanation": _tidy(score.explanation)})


def _answer(row: Row) -> str:
    return _text(row.prediction) if row.status == "ok" else str(_tidy(f"{row.status}: {row.reason}"))


def _messages(row: Row, questions: Mapping[str, tuple[Message, ...]]) -> Iterator[Any]:
    """The messages of a call; without a recorded call, the sample and its answer."""
    api = inspect_module("model")
    kinds = {"system": api.ChatMessageSystem, "user": api.ChatMessageUser, "assistant": api.ChatMessageAssistant}
    asked: list[tuple[str, str]] = []
    for reply in row.replies:
        turns = questions.get(reply.get("call", ""))
        if turns is not None:
            asked += [(turn.role, turn.content) for turn in turns]
        elif reply.get("where"):
            asked.append(("user", reply["where"]))
        asked.append(("assistant", reply["text"]))
    if not asked:
        asked = [("user", shown_input(row)), ("assistant", _answer(row))]
    for number, (role, content) in enumerate(asked):
        yield kinds[role](content=_tidy(content), id=_id("message", row.id, row.epoch, number))


def _questions(folder: Path, cache: str | Path | None) -> dict[str, tuple[Message, ...]]:
    """Call key -> messages, for the calls of a run that the cache contains."""
    if cache is None or not Path(cache).exists():
        return {}
    wanted = {reply["call"] for row in read_rows(folder) for reply in row.replies if "call" in reply}
    with Cache(cache) as opened:
        return {call.key: call.request.messages for call in opened.calls() if call.key in wanted}


def _usage(usage: Usage) -> Any:
    return inspect_module("model").ModelUsage(
        input_tokens=usage.prompt_tokens - usage.cached_tokens,  # Inspect counts what came from a prompt cache apart
        output_tokens=usage.completion_tokens,
        total_tokens=usage.prompt_tokens + usage.completion_tokens,
        input_tokens_cache_read=usage.cached_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        total_cost=usage.cost,
    )
