"""Broken input by the thousand: each kind of file that a command reads, changed in one of many ways.

    python -m tests.support.fuzzing --n 2000 --seed 1      (make fuzz)

Whatever comes in, a command ends by itself, with an exit code, in a line and not in a traceback, and within 1 GB; and a
run folder with a flipped bit never gives other scores without saying so.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import logging
import os
import random
import resource
import shlex
import shutil
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from fallax.cli import main
from fallax.cli._terminal import Told, set_told
from tests.support.patience import TooSlow, patience
from tests.support.pipes import AGENT, EDITOR, LAST, Sent, answers, framed, lines

ROOT = Path(__file__).parents[2]
#: Far above what any of these takes on a busy machine.
PATIENCE = 60
#: Bytes by which one input may make the process grow.
GROWTH = 1 << 30


class Target(NamedTuple):
    """A file that is changed, and the commands that read it.

    Parameters
    ----------
    file : from the folder that :func:`prepare` fills; its name stays.
    words : after ``fallax``, each line a command; FILE stands for the changed file, FOLDER for a copy of its folder. A
        line that begins with PIPE is given the file on standard input, one with FRAMED each line of it behind a header.
    """

    file: str
    words: str


#: Name -> what is changed, and who reads it. A changed file keeps the folder that it lies in.
TARGETS: Mapping[str, Target] = {
    "stats": Target("examples/gold.jsonl", "data stats FILE"),
    "validate": Target("examples/gold.jsonl", "data validate FILE --taxonomy mafalda"),
    "convert": Target("examples/gold.jsonl", "data convert FILE OUT --to brat\ndata convert FILE - --to conll"),
    "conll": Target("gold.conll", "data stats FILE --from conll"),
    "csv": Target("examples/posts.csv", "build posts FILE --field title --output OUT"),
    "score gold": Target("examples/gold.jsonl", "score --gold FILE --pred examples/predictions.jsonl"),
    "score pred": Target("examples/predictions.jsonl", "score --gold examples/gold.jsonl --pred FILE"),
    "structure": Target("examples/structure.txt", "structure FILE"),
    "graphml": Target("structure.graphml", "structure FILE"),
    "aif": Target("structure.aif.json", "structure FILE"),
    "verify": Target("examples/verify/dam.txt", 'verify --claim "The valley was flooded." --evidence FILE'),
    "claims": Target("examples/why-claims.jsonl", "verify --claims FILE"),
    "pairs": Target("examples/pairs.jsonl", "debate --pairs FILE --quick --system lexical-overlap"),
    "detect": Target("examples/minutes.txt", "detect FILE --system linear --format json"),
    "page": Target("page.html", "detect FILE --system linear --explain"),
    "scan": Target("examples/gold.jsonl", "scan FILE --output OUT --system linear"),
    "scan part": Target("found/part-000000.json", "scan examples/gold.jsonl --output FOLDER --system linear"),
    "scan manifest": Target("found/manifest.json", "scan examples/gold.jsonl --output FOLDER --system linear"),
    "bench": Target("examples/gold.jsonl", "bench run mafalda --data FILE --system keywords --output OUT"),
    "records": Target(
        "run/records.jsonl", "bench score FOLDER\nbench verify FOLDER\nbench repair FOLDER\nreport FOLDER"
    ),
    "run.json": Target("run/run.json", "bench score FOLDER\nbench verify FOLDER\nbench resume FOLDER\nreport FOLDER"),
    "recorded": Target("calls.jsonl", "models cache import FILE --cache OUT"),
    "cache": Target(
        "calls.sqlite", "models cache verify --cache FILE\nmodels ask scripted:silent.json why --cache FILE"
    ),
    "cache repair": Target("calls.sqlite", "models cache repair --cache FILE"),
    "script": Target("examples/debate.json", "models ask scripted:FILE why"),
    "gate": Target("gate.toml", "gate FILE"),
    "config": Target("place/fallax.toml", "IN config show\nIN data taxonomies"),
    "annotators": Target("examples/annotators/bob.jsonl", "agree examples/annotators/ann.jsonl FILE --samples 3"),
    "ratings": Target("examples/ratings.csv", "calibrate FILE --judge model"),
    "label studio": Target("studio.json", "agree FILE"),
    "inspect log": Target("log.json", "agree FILE"),
    "inspect archive": Target("log.eval", "agree FILE"),
    "annotate": Target("examples/gold.jsonl", "annotate FILE --project OUT.sqlite --export OUT"),
    "suggest": Target(
        "examples/predictions.jsonl", "annotate examples/gold.jsonl --suggest FILE --project OUT.sqlite --export OUT"
    ),
    "project": Target("project.sqlite", "annotate FILE --export OUT"),
    "review": Target("examples/review.txt", "build check FILE\nbuild apply FILE --output -"),
    "claim review": Target("mill/review.txt", "build causal-check FILE\nbuild causal-apply FILE --output OUT"),
    "build": Target("mill/steps.jsonl", "build causal examples/verify/pairs.csv --model MILL --output FOLDER"),
    "build settings": Target("mill/build.json", "build causal examples/verify/pairs.csv --model MILL --output FOLDER"),
    "pairs of causes": Target("examples/verify/pairs.csv", "build causal FILE --model MILL --output OUT"),
    "facts": Target("facts.pl", "oracle check FILE --evaluator joins\ngenerate -n 1 --evaluator joins --facts FILE"),
    "set": Target("set/set.run.json", "generate --fallacy FS -n 1 --evaluator joins --output FOLDER/set.jsonl"),
    "set items": Target("set/set.jsonl", "generate --fallacy FS -n 1 --evaluator joins --output FOLDER/set.jsonl"),
    "style": Target("style.json", "generate --model scripted:silent.json --method direct -n 1 --examples FILE"),
    "guidelines": Target(
        "guidelines.txt",
        "debate --summary-text Yes. -d examples/plain.txt --model scripted:silent.json --guidelines FILE",
    ),
    "prompts": Target(
        "prompts/debate_agent.v1.txt",
        "debate --summary-text Yes. -d examples/plain.txt --model scripted:silent.json --prompts FOLDER",
    ),
    "calibration": Target(
        "odds.json",
        "debate --summary-text Yes. -d examples/plain.txt --model scripted:silent.json --method log-odds"
        " --calibration FILE",
    ),
    "answers": Target("examples/judges/model_outputs/SmartyPat/eager.json", "reproduce smartypat --from JUDGES"),
    "editor": Target("editor.jsonl", "FRAMED lsp --system linear --delay 0"),
    "editor's bytes": Target("editor.rpc", "PIPE lsp --system linear --delay 0"),
    "agent": Target("agent.jsonl", "PIPE mcp"),
    "detector": Target("detector/card.json", "detect examples/plain.txt --system FOLDER"),
}


@dataclass(frozen=True)
class Fault:
    """What must not happen: which target, which change, and what it was."""

    target: str
    change: str
    what: str


def _flip(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


def _repeat(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + data[at : at + draw.randrange(1, 40)] * draw.choice((2, 50, 2000)) + data[at:]


_PIECES = (
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"\x1b]0;x\x07",
    b"[/]",
    b"{" * 5000,
    b"[" * 5000,
    b" " * 20000,
    b"<!--" * 2000,
    b"NaN",
    b"1e999",
    b"-1",
    b"null",
    b"\r",
    b"\xe2\x80\xae",
    b'"id": ["a"], ',
    b"A -> A\n",
    b"->" * 500,
    b"a = " + b"[" * 2000,
    b"[[run]]\n",
    b"/dev/zero",
    b"9" * 5000,
    b"Content-Length: 99999999999999999999\r\n\r\n",
    b"content-length:-5\n\n",
)


def _insert(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data))
    return data[:at] + draw.choice(_PIECES) + data[at:]


def _value(data: bytes, draw: random.Random) -> bytes:
    """One value of JSON, at any depth, becomes another; texts that are no JSON lose a line."""
    lines = data.splitlines(keepends=True)
    at = draw.randrange(len(lines))
    try:
        value = json.loads(data)
        lines, at = [data], 0
    except ValueError:
        try:
            value = json.loads(lines[at])
        except ValueError:
            return b"".join(lines[:at] + lines[at + 1 :])
    node = value
    while isinstance(node, (dict, list)) and node:
        key = draw.choice(list(node) if isinstance(node, dict) else range(len(node)))
        if not isinstance(node[key], (dict, list)) or draw.random() < 0.4:
            node[key] = draw.choice(
                (None, True, -1, 10**30, 0.5, "", "x" * 500, [], {}, ["a"], {"a": 1}, [[1]], "\ud800", "[/]x\x1b[2J")
            )
            break
        node = node[key]
    return b"".join([*lines[:at], json.dumps(value).encode() + b"\n", *lines[at + 1 :]])


CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (_flip, _cut, _repeat, _insert, _value)


def _changed(data: bytes, draw: random.Random) -> tuple[bytes, str]:
    change = draw.choice(CHANGES)
    for _ in range(draw.choice((1, 1, 2, 5))):
        data = change(data, draw) or b" "
    return data, change.__name__[1:]


class Ran(NamedTuple):
    """What a command did: what went wrong, or "", its exit code, and what it printed on both streams."""

    fault: str
    code: int
    out: str
    err: str


#: What the libraries of pipes log when something of ours fell: not what an editor or an agent sent, but what read it.
_FELL = ("Exception occurred for message", "unexpected exception", "handler for", "never retrieved", "Failed to report")


def run(words: list[str], sent: Sent | None = None) -> Ran:
    """Run a command in this process, given what is sent over a pipe if anything."""
    raw = io.BytesIO()
    out, err, code, fault = io.TextIOWrapper(raw, "utf-8"), io.StringIO(), 0, ""
    pipe = sent.held(words[0], raw) if sent else None
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with patience(PATIENCE), _piped(pipe), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(words)
    except SystemExit as stop:
        code = int(stop.code or 0)
    except TooSlow:
        fault = f"more than {PATIENCE} s"
    except BaseException:
        fault = traceback.format_exc(limit=-4)
    finally:
        set_told(Told.NOTES)  # what "-q" set would hold for the next test of this process
    out.flush()
    printed, said = raw.getvalue(), err.getvalue()
    if not fault:
        fault = _told(code, printed, said) or (_answered(words[0], sent, printed, said) if sent else "")
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    if grown > GROWTH and not fault:
        fault = f"grew by {grown >> 20} MiB"
    return Ran(fault, code, printed.decode("utf-8", "replace"), said)


def _told(code: int, printed: bytes, said: str) -> str:
    """What is wrong with what a command said, or ""."""
    if code and not said.strip() and not printed.strip():
        return f"exit {code} without a word"
    if "Traceback" in said:
        return "a traceback on standard error"
    return said.strip() if "memory of this machine" in said else ""


def _answered(command: str, sent: Sent, printed: bytes, said: str) -> str:
    """What is wrong with what came back over a pipe, or ""."""
    try:
        found = answers(command, printed)
    except ValueError as error:
        return f"no whole message: {error}: {printed[-200:]!r}"
    lines_ = [line for line in said.splitlines() if "(JsonRpcInvalidParams" not in line]
    fell = [line for line in lines_ if any(part in line for part in _FELL)]
    if sent.last and all(message.get("id") != LAST for message in found):
        fell.append("a sound request at the end was not answered")
    return "\n".join(fell)


@contextlib.contextmanager
def _piped(pipe: io.BytesIO | None) -> Iterator[None]:
    """Another standard input, and the loggers as they were afterwards."""
    if pipe is None:
        yield
        return
    stdin, log = sys.stdin, logging.getLogger()
    handlers, level = log.handlers[:], log.level
    log.handlers.clear()
    sys.stdin = io.TextIOWrapper(pipe)
    try:
        yield
    finally:
        sys.stdin = stdin
        log.handlers[:] = handlers
        log.setLevel(level)


def prepare(folder: Path) -> None:
    """Fill a folder, which must be the current one, with the files that are changed."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "detector").mkdir()
    for file in (ROOT / "src/fallax/detection/weights/encoder").iterdir():
        (folder / "detector" / file.name).symlink_to(file)
    (folder / "editor.jsonl").write_bytes(lines(EDITOR))
    (folder / "editor.rpc").write_bytes(framed(lines(EDITOR)))
    (folder / "agent.jsonl").write_bytes(lines(AGENT))
    (folder / "silent.json").write_text('[{"reply": "I cannot say."}]')
    (folder / "style.json").write_text('{"False Cause": ["It rained, so he sang."]}')
    (folder / "guidelines.txt").write_text("1. A summary must not add facts.\n2. It may leave details out.\n")
    (folder / "odds.json").write_text('{"model": "m", "scale": 1.0, "offset": 0.1}')
    (folder / "page.html").write_text("<h1>Tea</h1><p>Everyone <b>says</b> so.<table><tr><td>1</table><!-- x -->")
    (folder / "gate.toml").write_text(
        f'[[run]]\npath = "{folder}/run"\nscore = "span-2"\nat_least = 0.1\n'
        f'[[texts]]\npaths = ["{folder}/examples/plain.txt"]\n'
    )
    (folder / "place").mkdir()
    (folder / "place" / "fallax.toml").write_text("quiet = false\n[detect]\nexplain = true\nmin_confidence = 0.5\n")
    choice = {"from_name": "rating", "to_name": "t", "type": "choices", "value": {"choices": ["good"]}}
    label = {
        "from_name": "l",
        "to_name": "t",
        "type": "labels",
        "value": {"start": 0, "end": 2, "labels": ["ad hominem"]},
    }
    tasks = [
        {
            "id": i,
            "data": {"text": "No tea."},
            "annotations": [{"completed_by": a, "result": [choice, label]} for a in (1, 2)],
        }
        for i in range(3)
    ]
    (folder / "studio.json").write_text(json.dumps(tasks, indent=1))
    samples = [
        {"id": str(i), "epoch": 1, "input": "No tea.", "scores": {s: {"value": i % 2} for s in ("a", "b")}}
        for i in range(4)
    ]
    (folder / "log.json").write_text(json.dumps({"eval": {"model": "m"}, "samples": samples}))
    with zipfile.ZipFile(folder / "log.eval", "w") as packed:
        packed.writestr("header.json", json.dumps({"eval": {"model": "m"}}))
        for sample in samples:
            packed.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    facts = ROOT / "src/fallax/oracle/data/instances/false_cause.facts"
    (folder / "facts.pl").write_text("".join(facts.read_text().splitlines(keepends=True)[:14]))
    for line in (
        "bench run mafalda --data examples/gold.jsonl --system keywords --output run",
        "bench run mafalda --data examples/gold.jsonl --system scripted:silent.json --output a --cache calls.sqlite",
        "models cache export calls.jsonl --cache calls.sqlite",
        "data convert examples/gold.jsonl gold.conll --to conll",
        "structure examples/structure.txt --to graphml --output structure.graphml",
        "structure examples/structure.txt --to aif --output structure.aif.json",
        "scan examples/gold.jsonl --output found --system linear",
        "annotate examples/gold.jsonl --project project.sqlite --export begun",
        "build causal examples/verify/pairs.csv --model scripted:examples/verify/builder.jsonl --output mill",
        "debate prompts --output prompts",
    ):
        done = run(shlex.split(line))
        assert not done.fault, (line, done.fault)
        assert done.code in (0, 1, 3), (line, done.err)
    (folder / "set").mkdir()
    run(shlex.split("generate --fallacy FS -n 1 --evaluator joins --output set/set.jsonl"))


def fuzz(n: int, seed: int, folder: Path) -> tuple[list[Fault], Counter[str]]:
    """Run ``n`` changed inputs in a prepared folder; what went wrong, and how many each target had."""
    draw = random.Random(seed)
    faults: list[Fault] = []
    counts: Counter[str] = Counter()
    names = sorted(TARGETS)
    for i in range(n):
        name = names[i % len(names)]
        source = folder / TARGETS[name].file
        data, change = _changed(source.read_bytes(), draw)
        with tempfile.TemporaryDirectory(dir=folder) as place:
            beside = Path(place, "x")
            if source.parent == folder:
                beside.mkdir()
            else:
                shutil.copytree(source.parent, beside, symlinks=True)
            path = beside / source.name
            path.unlink(missing_ok=True)
            path.write_bytes(data)
            for line in TARGETS[name].words.splitlines():
                counts[name] += 1
                done = run(_words(line, path, Path(place)), _sent(line, path))
                if done.fault:
                    faults.append(Fault(f"{name}: {line}", f"{change} (number {i} of seed {seed})", done.fault))
                    break
        os.chdir(folder)
    return faults, counts


def _sent(line: str, path: Path) -> Sent | None:
    if line.startswith("PIPE "):  # after bytes that are no frame, what follows may be lost
        return Sent(path.read_bytes(), last=line == "PIPE mcp")
    return Sent(framed(path.read_bytes()), last=True) if line.startswith("FRAMED ") else None


def _words(line: str, path: Path, place: Path) -> list[str]:
    line = line.removeprefix("PIPE ").removeprefix("FRAMED ")
    if line.startswith("IN "):
        os.chdir(path.parent)
        line = line[3:]
    judges = place / "judges"
    if "JUDGES" in line:
        shutil.copytree(ROOT / "examples" / "judges", judges)
        shutil.copy(path, judges / "model_outputs" / "SmartyPat" / path.name)
    given = {"FILE": path, "FOLDER": path.parent, "OUT": place / "out", "JUDGES": judges}
    line = line.replace("MILL", "scripted:examples/verify/builder.jsonl")
    for word, value in given.items():
        line = line.replace(word, str(value))
    return shlex.split(line)


def flips(n: int, seed: int, folder: Path) -> tuple[list[Fault], Counter[str]]:
    """Flip one bit of a run folder, ``n`` times; a score that changes without a word is a fault."""
    draw = random.Random(seed)
    sound = json.loads(run(["bench", "score", str(folder / "run"), "--json"]).out)
    faults: list[Fault] = []
    said: Counter[str] = Counter()
    for i in range(n):
        name = draw.choice(("run.json", "records.jsonl", "records.jsonl", "scores.json"))
        with tempfile.TemporaryDirectory(dir=folder) as place:
            copy = shutil.copytree(folder / "run", Path(place, "run"))
            (copy / name).write_bytes(_flip((copy / name).read_bytes(), draw))
            done = run(["bench", "score", str(copy), "--json"])
        if done.fault:
            faults.append(Fault("flipped bit", f"{name} (number {i} of seed {seed})", done.fault))
        elif done.code:
            said["refused"] += 1
        elif (found := json.loads(done.out))["scores"] == sound["scores"]:
            said["same scores"] += 1
        elif found["n_rows"] < found["n_expected"]:
            said["fewer rows, told"] += 1
        else:
            faults.append(Fault("flipped bit", f"{name} (number {i} of seed {seed})", "other scores in silence"))
    return faults, said


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))  # what eats all memory must not take the machine along
    with tempfile.TemporaryDirectory() as where:
        os.chdir(where)
        prepare(Path(where))
        found, n_of = fuzz(given.n, given.seed, Path(where))
        flipped, said_of = flips(max(given.n // 5, 1), given.seed, Path(where))
        os.chdir(ROOT)
    for fault in found + flipped:
        print(f"{fault.target}: {fault.change}: {fault.what}")  # noqa: T201
    told = dict(sorted(said_of.items()))
    print(f"seed {given.seed}: {given.n} inputs, {sum(n_of.values())} commands, {len(found)} faults")  # noqa: T201
    print(f"{sum(said_of.values())} flipped bits of a run, {len(flipped)} faults: {told}")  # noqa: T201
    raise SystemExit(bool(found + flipped))
