"""A writer of why-claims that needs no model, behind an endpoint; and a build that is killed and continued."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

from fallax.core.texts import sentence_spans
from tests.support.stub_endpoint import Answer, Seen, StubEndpoint, completion

ROOT = Path(__file__).parents[2]
FILES = ("claims.jsonl", "review.txt")


def _between(content: str, tag: str) -> str:
    """What stands in the last element of this name: the one under examination, not the example."""
    found = re.findall(rf"<{tag}>\n(.*?)\n</{tag}>", content, re.DOTALL)
    return " ".join(found[-1].split()) if found else ""


def _short(text: str, n: int = 14) -> str:
    return " ".join(text.split()[:n]).rstrip(".!?,;")


def reply_to(content: str) -> str:
    """A reply in the shape that each prompt asks for, made of the words of the question."""
    if "Answer with one line that begins with Claim:" in content:
        return f"Claim: {_between(content, 'effect').rstrip('.')} because {_between(content, 'cause')}"
    if "Answer with one line that begins with Opposite:" in content:
        return f"Opposite: It is far from true that {_between(content, 'sentence')}"
    if "Write Thought, Action and Inference" in content:
        cause, effect = _short(_between(content, "cause")), _short(_between(content, "effect"))
        explanation = _between(content, "explanation")
        said = [_short(explanation[a:b], 20) + "." for a, b in sentence_spans(explanation)][:3]
        steps = list(dict.fromkeys([f"It is known that {cause}.", *said, f"This brings about that {effect}."]))
        shape = "Thought{0}: So far.\nAction{0}: Further Reasoning\nInference{0}: {1}\n"
        written = "".join(shape.format(i, x) for i, x in enumerate(steps, start=1))
        return written + f"Thought{len(steps) + 1}: Done.\nAction{len(steps) + 1}: Finish"
    names = list(dict.fromkeys(re.findall(r"^(Sentence\d+) = ", content.rsplit("<input>", 1)[1], re.M)))
    *before, last = names
    joined = ", ".join(before)
    first = (
        f"multiple_to_one_linking([{joined}], {last})" if len(before) > 1 else f"one_to_one_linking({joined}, {last})"
    )
    links = [first, f"one_to_one_linking({last}, Claim)"]
    return "```python\ndef build_tree_proof():\n    " + "\n    ".join(links) + "\n```"


def script(body: Any, number: int) -> Answer:
    """An answer that depends on the question alone; about one claim in eight is never written."""
    content = body["messages"][-1]["content"]
    if "begins with Opposite" in content and zlib.crc32(_between(content, "sentence").encode()) % 8 == 0:
        return Answer(completion("I would rather not.\nThis is hard."))
    return Answer(completion(reply_to(content)))


class Build:
    """The command that is run, killed and run again."""

    def __init__(self, stub: StubEndpoint, pairs: str, folder: Path, *words: str) -> None:
        self.stub = stub
        self.out = folder / "build"
        self.arguments = [
            sys.executable, "-m", "fallax", "build", "causal", pairs, "--output", str(self.out),
            "--model", "openai/stub", "-M", f"base_url={stub.base_url}", *words,
        ]  # fmt: skip
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OPENAI_API_KEY": "unused"}

    def start(self) -> subprocess.Popen[bytes]:
        """Start it."""
        return subprocess.Popen(
            self.arguments, cwd=ROOT, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )

    def finish(self) -> dict[str, Any]:
        """Run it to its end; the numbers it tells."""
        process = self.start()
        _, errors = process.communicate()
        assert process.returncode == 0, errors.decode()
        found: dict[str, Any] = json.loads(errors.decode().splitlines()[0])
        return found

    def kill_after(self, n_answers: int) -> None:
        """Start it and kill it once it got so many answers, and no more, and stored some."""
        goal = self.stub.hold_after = self.stub.n_answered + n_answers
        steps = self.out / "steps.jsonl"
        process = self.start()
        try:
            while process.poll() is None:
                if self.stub.n_answered >= goal and steps.exists() and steps.stat().st_size:
                    break
                time.sleep(0.005)
            assert process.poll() is None, "it ended before it could be killed"
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            self.stub.hold_after = None

    def content(self) -> dict[str, bytes]:
        """The files that must come out the same."""
        return {name: (self.out / name).read_bytes() for name in FILES}


def asked_twice(seen: list[Seen]) -> int:
    """How many questions were asked again."""
    bodies = [json.dumps(one.body, sort_keys=True) for one in seen]
    return len(bodies) - len(set(bodies))


def write_pairs(path: Path, n: int) -> None:
    """Made-up pairs of cause and effect with explanations, in CSV."""
    draw = random.Random(5)
    things = ("bridge", "market", "harbour", "mill", "school", "orchard", "ferry", "tower", "library", "well")
    events = ("flooded", "closed early", "lost its roof", "froze over", "ran out of salt", "drew a crowd", "burnt down")
    lines = ["id,cause,effect,explanation"]
    for i in range(n):
        a, b = draw.sample(things, 2)
        what, then = draw.sample(events, 2)
        why = f"The {b} depends on the {a}. When the {a} {what} nobody could reach the {b} on day {i}."
        lines.append(f"p{i},The {a} of district {i} {what}.,The {b} of district {i} {then}.,{why}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
