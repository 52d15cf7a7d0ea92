"""Task files for other tools, written beside a set: Inspect AI and lm-evaluation-harness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["QUESTION", "task_files"]

#: What a model is asked about a text that is fallacious or sound.
QUESTION = (
    "Read the text. Does every argument in it hold, taking what it says for true and common knowledge as"
    " given, or does one of"
    " them commit a fallacy? Answer with one word: sound or fallacious."
)

_INSPECT = '''"""Fallacies and their sound twins as tasks of Inspect AI. {canary}

    inspect eval inspect_task.py --model PROVIDER/MODEL
    inspect eval inspect_task.py@{first} --model PROVIDER/MODEL
"""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample, json_dataset
from inspect_ai.scorer import Score, Target, accuracy, grouped, scorer, stderr
from inspect_ai.solver import TaskState, generate, system_message

QUESTION = {question!r}


def sample(row: dict) -> Sample:
    known = {{"fallacy": row["fallacy"], "pair": row["pair"]}}
    return Sample(id=row["id"], input=row["text"], target=row["label"], metadata=known)


@scorer(metrics=[accuracy(), stderr(), grouped(accuracy(), "fallacy", all=False)])
def says():
    """Right if the last of the two words in the reply is the one wanted; no word at all is wrong and told."""

    async def score(state: TaskState, target: Target) -> Score:
        low = state.output.completion.lower()
        places = {{w: low.rfind(w) for w in ("sound", "fallacious")}}
        said = max(places, key=places.__getitem__) if max(places.values()) >= 0 else ""
        right = "C" if said == target.text else "I"
        return Score(value=right, answer=said or None, explanation=state.output.completion)

    return score


def made(style: str) -> Task:
    path = Path(__file__).resolve().parent / "data" / f"{{style}}.jsonl"
    return Task(dataset=json_dataset(str(path), sample), solver=[system_message(QUESTION), generate()], scorer=says())
'''

_INSPECT_TASK = """

@task
def {style}() -> Task:
    return made("{style}")
"""

_UTILS = '''"""Where the texts are. {canary}"""

from pathlib import Path

import datasets


def load(style="{first}", **kwargs):
    path = Path(__file__).resolve().parent.parent / "data" / f"{{style}}.jsonl"
    return {{"test": datasets.load_dataset("json", data_files=str(path), split="train")}}
'''

_HARNESS = """# {canary}
task: fallax_twins_{style}
custom_dataset: !function utils.load
dataset_kwargs:
  style: {style}
test_split: test
output_type: multiple_choice
doc_to_text: "{question}\\n\\nText: {{{{text}}}}\\n\\nAnswer:"
doc_to_choice: [sound, fallacious]
doc_to_target: "{{{{['sound', 'fallacious'].index(label)}}}}"
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""


def task_files(styles: Sequence[str], canary: str) -> Mapping[str, str]:
    """Path in the folder -> contents of the task file.

    Examples
    --------
    >>> sorted(task_files(("single",), "a canary"))
    ['inspect_task.py', 'lm_eval/fallax_twins_single.yaml', 'lm_eval/utils.py']
    """
    values = {"canary": canary, "question": QUESTION, "first": styles[0]}
    files = {"inspect_task.py": _INSPECT.format(**values) + "".join(_INSPECT_TASK.format(style=s) for s in styles)}
    files["lm_eval/utils.py"] = _UTILS.format(**values)
    for style in styles:
        files[f"lm_eval/fallax_twins_{style}.yaml"] = _HARNESS.format(style=style, **values)
    return files
