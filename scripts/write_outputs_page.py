"""Write docs/outputs.md, what each command prints on a terminal of 80 columns: python scripts/write_outputs_page.py"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from unittest import mock

from fallax.cli import main as fallax

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "outputs.md"

#: Command -> lines that show its normal output, in the order in which they are run: later ones use what earlier wrote.
SHOWN: Mapping[str, tuple[str, ...]] = {
    "detect": ("examples/editorial.txt --explain", "examples/editorial.txt --format table"),
    "scan": ("examples/gold.jsonl --output found",),
    "debate": (
        "-d examples/minutes.txt -s examples/minutes-summary.txt --quick",
        "-d examples/minutes.txt -s examples/minutes-summary.txt --model scripted:examples/debate.json",
        "--pairs examples/pairs.jsonl --quick",
    ),
    "debate judges": ("",),
    "debate prompts": ("",),
    "verify": (
        '--claim "The valley was flooded because nobody inspected the dam." --evidence examples/verify/dam.txt',
        "--claims examples/why-claims.jsonl",
    ),
    "structure": ("examples/structure.txt", "examples/structure.txt --draw terminal"),
    "score": (
        "--gold examples/gold.jsonl --pred examples/predictions.jsonl --pred examples/other_predictions.jsonl"
        " --compare",
        "--gold examples/gold.jsonl --pred examples/predictions.jsonl --metric span_match --by label --ci",
    ),
    "agree": ("examples/annotators/ann.jsonl examples/annotators/bob.jsonl examples/annotators/cid.jsonl",),
    "calibrate": ("examples/ratings.csv --judge model",),
    "bench list": ("", "mafalda"),
    "bench run": (
        "mafalda --data examples/gold.jsonl --system keywords --output run-a",
        "mafalda --data examples/gold.jsonl --system random --seed 7 --output run-b",
        "mafalda --data examples/gold.jsonl --system random --seed 7 --shard 1/2 --output part-1",
        "mafalda --data examples/gold.jsonl --system random --seed 7 --shard 2/2 --output part-2",
        "mafalda --data examples/gold.jsonl --system openai/gpt-5-mini --dry-run",
        "causal -B set=examples/verify/claims.jsonl --system scripted:chains.jsonl --protocol task-3 --output run-c",
    ),
    "bench score": ("run-a --by label --ci",),
    "bench compare": ("run-a run-b",),
    "bench merge": ("whole part-1 part-2",),
    "bench resume": ("run-b",),
    "bench verify": ("run-a",),
    "bench repair": ("run-a",),
    "gate": ("run-a --score sentence-detection --measure accuracy --at-least 0.3",),
    "report": ("run-a --output report.html",),
    "generate": ("--fallacy FS,IE -n 1 --seed 7 --evaluator joins --output set.jsonl",),
    "oracle rules": ("",),
    "oracle check": ("facts.pl --evaluator joins",),
    "oracle explain": ("facts.pl --evaluator joins",),
    "data list": ("",),
    "data taxonomies": ("", "mafalda", "mafalda --to logic"),
    "data stats": ("examples/gold.jsonl",),
    "data validate": ("examples/gold.jsonl --taxonomy mafalda",),
    "data convert": ("examples/gold.jsonl - --to conll", "examples/gold.jsonl recorded/gold.jsonl --to mafalda"),
    "data export": ("examples/gold.jsonl --hf gold-hf --licence Apache-2.0",),
    "data path": ("",),
    "models list": ("",),
    "models options": ("",),
    "models show": ("qwen2.5-coder-1.5b",),
    "models ask": ('scripted:replies.json "Is the sky blue?" --cache calls.sqlite',),
    "models cache info": ("--cache calls.sqlite",),
    "models cache verify": ("--cache calls.sqlite",),
    "models cache repair": ("--cache calls.sqlite",),
    "models cache export": ("calls.jsonl --cache calls.sqlite",),
    "models cache import": ("calls.jsonl --cache calls.sqlite",),
    "detectors list": ("",),
    "detectors show": ("encoder",),
    "config show": ("",),
    "build posts": (
        "examples/posts.csv --field title --keyword why --min-score 50 --max-words 30 --output posts.jsonl",
    ),
    "build forms": ("examples/posts.csv --field title --model scripted:examples/drafter.jsonl --output review.txt",),
    "build check": ("examples/review.txt",),
    "build apply": ("examples/review.txt --output arguments.jsonl",),
    "build agree": ("examples/review.txt examples/review_b.txt",),
    "build benign": ("examples/plain.txt --like examples/fallacies.jsonl --seed 7 --output benign.jsonl",),
    "build diversity": ("examples/fallacies.jsonl",),
    "build causal": ("examples/verify/pairs.csv --model scripted:examples/verify/builder.jsonl --output mill",),
    "build causal-check": ("mill/review.txt",),
    "build causal-apply": ("mill/review.txt --output claims.jsonl",),
    "build judge-sheet": ("run-c --output sheet.txt",),
    "build judge-model": ("run-c --model scripted:judge.json --output judged.jsonl",),
    "build judge-scores": ("run-c --review sheet.txt --judged judged.jsonl",),
    "build methods": (
        "--model scripted:writer.json --rater-model scripted:examples/rater.jsonl --fallacy FS --method direct -n 1"
        " --output methods.jsonl",
    ),
    "debate learn-guidelines": ("--examples learn.jsonl --model scripted:teacher.json --passes 1 --output rules.txt",),
    "reproduce smartypat": ("--from examples/judges",),
    "reproduce mafalda": ("--from recorded",),
    "reproduce madisse": ("--table 33",),
    "annotate": ("examples/gold.jsonl --annotator ann --annotator bob --port 0 --no-open",),
    "serve": ("--port 0 --no-open",),
}
#: Commands whose output is not shown, and why.
NOT_SHOWN: Mapping[str, str] = {
    "lsp": "speaks to an editor until it closes",
    "mcp": "speaks to an agent until it closes",
    "models serve": "serves a model until Ctrl-C",
    "models fetch": "fetches weights",
    "data fetch": "fetches data",
    "detectors train": "trains for minutes; with --base, for hours",
    "verify train": "trains for minutes",
    "detectors validate": "trains for hours",
    "detectors evaluate": "needs data sets that are not in the repository",
    "bench export": "needs the extra inspect",
}
_RULE = "<label>0</label><guideline>A summary must not add facts that the document does not give.</guideline>"
_SIDE = {"valid": True, "steps": ["event", "rule"]}
#: What commands read that is no example of the repository.
_MADE = {
    "replies.json": '[{"reply": "Yes, on a clear day."}]',
    "judge.json": json.dumps([{"reply": json.dumps({**dict.fromkeys("AB", _SIDE), "better": "A"})}]),
    "teacher.json": json.dumps([{"match": "<negated>", "reply": "Hm."}, {"reply": _RULE}]),
    "writer.json": json.dumps([{"reply": '{"sentences": ["Ducks make ponds."]}'}]),
    "learn.jsonl": '{"id": "a", "document": "The council met.", "summary": "The council met.", "label": "faithful"}\n'
    '{"id": "b", "document": "The council met.", "summary": "The mayor spoke.", "label": "unfaithful"}\n',
}
#: Lines of one output that are shown.
_MOST = 45


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(words: list[str]) -> str:
    """What a person sees, both streams together, without colours."""
    out = _Terminal()
    err = io.StringIO()
    err.write = out.write  # type: ignore[method-assign]  # where the lines stand is what a person sees
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            fallax(words)
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
    found = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue())
    lines = [line.rstrip() for line in found.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    if len(lines) > _MOST:
        lines = [*lines[:_MOST], f"[{len(lines) - _MOST} more lines]"]
    return "\n".join([*lines, *([f"[exit status {code}]"] if code else [])])


def _recorded(folder: Path) -> None:
    """What a model said of each sentence of the examples, as MAFALDA's authors recorded it."""
    lines = []
    for line in (folder / "examples" / "gold.jsonl").read_text(encoding="utf-8").splitlines():
        text = json.loads(line)["text"]
        said = {s.strip(): f"Output: {'slippery slope' if 'If' in s else 'No fallacy'}" for s in text.split(". ")}
        lines.append(json.dumps({"text": text, "prediction": said}) + "\n")
    outputs = folder / "recorded" / "model_outputs"
    outputs.mkdir(parents=True)
    (outputs / "gpt-3.5_level_2_results.jsonl").write_text("".join(lines), encoding="utf-8")


@contextlib.contextmanager
def place() -> Iterator[Path]:
    """A folder with the demo texts and nothing else: no configuration, no cache, no data, no keys.

    Whoever serves pages there stops at once, as after Ctrl-C.
    """
    before, here = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        shutil.copytree(ROOT / "examples", folder / "examples")
        for file, content in _MADE.items():
            (folder / file).write_text(content, encoding="utf-8")
        chains = (folder / "examples" / "verify" / "script.jsonl").read_text("utf-8")
        (folder / "chains.jsonl").write_text(chains + json.dumps({"reply": "I cannot say."}) + "\n", "utf-8")
        _recorded(folder)
        facts = ROOT / "src" / "fallax" / "oracle" / "data" / "instances" / "false_cause.facts"
        (folder / "facts.pl").write_text("".join(facts.read_text("utf-8").splitlines(keepends=True)[:14]), "utf-8")
        for variable in [v for v in os.environ if v.startswith(("FALLAX_", "OPENAI_", "LLAMACPP_"))]:
            del os.environ[variable]
        os.environ |= {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "xterm", "HOME": name}
        os.environ |= {"XDG_CACHE_HOME": f"{folder}/.cache", "XDG_CONFIG_HOME": f"{folder}/.config"}
        os.chdir(folder)
        try:
            with mock.patch("fallax.cli.serve.run_server", lambda _, sock, __: sock.close()):
                yield folder
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ |= before


def outputs() -> Iterator[tuple[str, str]]:
    """Each command line, and what it prints."""
    with place() as folder:
        for name, lines in SHOWN.items():
            for line in lines:
                full = f"fallax {name} {line}".strip()
                shown = printed(shlex.split(full)[1:]).replace(str(folder), "~")
                yield full, re.sub(r"(?<=&key=)[\w-]+", "...", re.sub(r"(?<=127\.0\.0\.1:)\d+", "8000", shown))


def page() -> str:
    """The whole page."""
    parts = [
        "# What commands print",
        "",
        "Written by `python scripts/write_outputs_page.py`, and held equal by a test: each command on the texts in",
        "`examples/`, on a terminal of 80 columns without colours (`NO_COLOR`), where ⟦ and ⟧ are put around passages.",
        "Percentages of detectors and judges may differ by a point on other processors.",
        "",
    ]
    for line, printed in outputs():
        parts += ["```console", f"$ {line}", *([printed] if printed else []), "```", ""]
    parts += ["Not shown:", "", *(f"- `fallax {name}`: {why}" for name, why in NOT_SHOWN.items()), ""]
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.exit(0)
