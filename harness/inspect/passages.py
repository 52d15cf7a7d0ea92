"""The benchmark passages for Inspect AI: inspect eval harness/inspect/passages.py --model PROVIDER/MODEL"""

from typing import Any

from inspect_ai import Task, task

from fallax.integrations.inspect_tasks import benchmark_task


@task(name="passages")
def passages(protocol: str | None = None, data: str | None = None, seed: int = 0, **options: Any) -> Task:
    """See docs/inspect.md; ``options`` are those of the benchmark and the protocol."""
    made: Task = benchmark_task("passages", protocol=protocol, data=data, seed=seed, **options)
    return made
