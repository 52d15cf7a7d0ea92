"""The benchmark touche for Inspect AI: inspect eval harness/inspect/touche.py --model PROVIDER/MODEL"""

from typing import Any

from inspect_ai import Task, task

from fallax.integrations.inspect_tasks import benchmark_task


@task(name="touche")
def touche(protocol: str | None = None, data: str | None = None, seed: int = 0, **options: Any) -> Task:
    """See docs/inspect.md; ``options`` are those of the benchmark and the protocol."""
    made: Task = benchmark_task("touche", protocol=protocol, data=data, seed=seed, **options)
    return made
