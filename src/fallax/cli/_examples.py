"""Examples at the end of each command's help."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["EXAMPLES"]

#: Command -> what stands behind ``fallax COMMAND``; a test reads each by the command's own options.
EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "agree": ("ann.jsonl bob.jsonl", "ann.jsonl bob.jsonl --merge majority --out gold.jsonl"),
    "bench compare": ("run-a run-b --score all",),
    "bench export": ("run --to inspect --out run.eval",),
    "bench list": ("",),
    "bench merge": ("whole part-1 part-2 part-3",),
    "bench resume": ("run --max-cost 2",),
    "bench run": (
        "mafalda --data examples/gold.jsonl --system keywords --out run",
        "mafalda --system openai/gpt-5-mini --protocol sentence --sample 50 --dry-run",
    ),
    "bench score": ("run --by label --ci",),
    "build agree": ("ann.txt bob.txt",),
    "build apply": ("review.txt --out arguments.jsonl",),
    "build benign": ("posts.jsonl --like arguments.jsonl --out benign.jsonl -n 100",),
    "build causal": ("pairs.csv --out build --model openai/gpt-5-mini --limit 20 --max-cost 1",),
    "build causal-apply": ("build --out claims.jsonl",),
    "build causal-check": ("build",),
    "build check": ("review.txt --posts posts.jsonl",),
    "build diversity": ("arguments.jsonl",),
    "build forms": ("posts.jsonl --out review.txt", "posts.jsonl --out review.txt --model openai/gpt-5-mini"),
    "build judge-model": ("run --out judged.jsonl --model openai/gpt-5-mini",),
    "build judge-scores": ("run --review review.txt --judged judged.jsonl",),
    "build judge-sheet": ("run --out review.txt -n 50",),
    "build posts": ("posts.csv --out chosen.jsonl --keyword therefore --min-words 10",),
    "data convert": ("examples/gold.jsonl gold.conll --to conll",),
    "data fetch": ("reddit",),
    "data list": ("",),
    "data path": ("reddit",),
    "data stats": ("examples/gold.jsonl",),
    "data taxonomies": ("", "mafalda"),
    "data validate": ("examples/gold.jsonl --taxonomy mafalda",),
    "debate": (
        "-d examples/minutes.txt -s examples/minutes-summary.txt --quick",
        "-d examples/minutes.txt -s examples/minutes-summary.txt --model openai/gpt-5-mini --sessions 3",
    ),
    "debate judges": ("",),
    "debate learn-guidelines": ("--examples labelled.jsonl --out rules.txt --model openai/gpt-5-mini",),
    "detect": (
        "--explain examples/editorial.txt",
        "--output html --out page.html examples/editorial.txt",
        "--model openai/gpt-5-mini --protocol sentence examples/editorial.txt",
    ),
    "detectors evaluate": ("base --on FOLDER",),
    "detectors list": ("",),
    "detectors show": ("base",),
    "detectors train": ("--on reddit,argotario --base encoder --out my-detector",),
    "detectors validate": ("--on reddit,argotario --base encoder --out held-out --leave-one-out",),
    "generate": ("--fallacy FS,IE -n 2 --seed 7 --evaluator joins", "--model openai/gpt-5-mini -n 20 --out set.jsonl"),
    "models ask": ('openai/gpt-5-mini "Is the sky blue?"',),
    "models cache export": ("calls.jsonl",),
    "models cache import": ("calls.jsonl",),
    "models cache info": ("",),
    "models fetch": ("qwen2.5-1.5b",),
    "models list": ("",),
    "models serve": ("qwen2.5-1.5b --port 8080",),
    "models show": ("qwen2.5-1.5b",),
    "report": ("run-a run-b --out report.html",),
    "reproduce mafalda": ("--from FOLDER",),
    "reproduce smartypat": ("--from FOLDER",),
    "score": (
        "--gold examples/gold.jsonl --pred examples/predictions.jsonl",
        "--gold examples/gold.jsonl --pred examples/predictions.jsonl --metric span_match --by label",
    ),
    "serve": ("", "--port 8000 --no-open --model openai/gpt-5-mini"),
    "structure": ("examples/structure.txt",),
    "verify": (
        '--claim "The valley was flooded because nobody inspected the dam." --evidence examples/verify/dam.txt',
        '--claim "The valley was flooded because nobody inspected the dam." --documents examples/verify',
    ),
}
