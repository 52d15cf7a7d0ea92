"""Runs SWI-Prolog as a sandboxed child process, one per check.

Around the process stand a cap on its input, limits on inferences and stack, resource limits on memory, processor
time, file size (none may be written), open files and core dumps, an empty working folder, an empty environment and a
wall clock that ends the whole process group.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from pathlib import Path
from typing import Literal, TypeAlias

from fallax.core.types.logic import Fact, Negation, Quantity
from fallax.errors import InputError, LogicError, MissingExtraError, one_line
from fallax.oracle._rules import RuleBase, data_file, facts_for_engine

__all__ = ["EngineAnswer", "OracleLimits", "Term", "ask", "find_swipl"]

_HOW = (
    "apt-get install swi-prolog-nox (Debian, Ubuntu), brew install swi-prolog (macOS)"
    ' or conda install -c conda-forge swi-prolog; or do without it: --evaluator joins (Python: evaluator="joins")'
)

#: What the shell sets before it becomes the engine; a limit that a system does not know is left out.
_FENCE = (
    'ulimit -c 0; ulimit -f 0; ulimit -n 32; ulimit -t {cpu} 2>/dev/null; ulimit -v {memory} 2>/dev/null; exec "$@"'
)

Term: TypeAlias = "str | Fraction | list[Term] | tuple[str, list[Term]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleLimits:
    """Limits of one check.

    Parameters
    ----------
    wall_seconds, cpu_seconds : until the process group is ended.
    memory_mb : address space of the process, in MiB (where the system can limit it).
    stack_mb : Prolog stacks, in MiB.
    inferences, inferences_per_fact : the budget of the query is the sum of the first and of the second times the
        number of facts. The rules need 10 to 100 per fact, and at most about 16,000 in an instance where every
        claim rests on every other.
    max_input_bytes : of the facts as sent.

    Raises
    ------
    InputError
        If one of them is not positive.
    """

    wall_seconds: float = 20.0
    cpu_seconds: int = 20
    memory_mb: int = 2048
    stack_mb: int = 512
    inferences: int = 1_000_000
    inferences_per_fact: int = 20_000
    max_input_bytes: int = 64_000_000

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise InputError(f"limits: {name} must be greater than 0, got {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """The engine's answer: solutions as terms, their number, and the resources used."""

    solutions: tuple[Term, ...]
    n_found: int
    milliseconds: float
    inferences: int


def find_swipl(path: str | Path | None = None) -> str:
    """The path of the SWI-Prolog program.

    Raises
    ------
    MissingExtraError
        If it is not installed; the message names the package, and what works without it.
    """
    found = shutil.which(path or "swipl")
    if found is None:
        raise MissingExtraError(f"SWI-Prolog ({path})" if path else "SWI-Prolog", how=_HOW)
    return os.path.abspath(found)


def ask(
    rule_base: RuleBase,
    facts: Sequence[Fact],
    *,
    fallacy: str | None,
    limit: int,
    limits: OracleLimits,
    swipl: str | Path | None = None,
    output: Literal["derivations", "count"] = "derivations",
    rules: str | Path | None = None,
) -> EngineAnswer:
    """Run the rules over admitted facts.

    Parameters
    ----------
    rules : another rule file instead of the rule base's own, for tests that change rules.

    Raises
    ------
    LogicError
        If a limit is reached or the engine refuses; the message says which and what to do.
    MissingExtraError
        If SWI-Prolog is not installed.
    """
    program = find_swipl(swipl)
    budget = limits.inferences + limits.inferences_per_fact * len(facts)
    query = f"query({fallacy or 'any'},{limit},{budget},{output}).\n"
    text = (query + "".join(facts_for_engine(facts))).encode("utf-8", "surrogatepass")
    if len(text) > limits.max_input_bytes:
        raise LogicError(
            f"facts: must be at most {limits.max_input_bytes} bytes for one check, got {len(text)};"
            " check fewer instances at a time or raise max_input_bytes"
        )
    with contextlib.ExitStack() as stack:
        engine = stack.enter_context(resources.as_file(data_file("engine.pl")))
        own = rules or stack.enter_context(resources.as_file(rule_base.source))
        command = [program, "-f", "none", "--no-packs", "--no-tty", "-q", f"--stack-limit={limits.stack_mb}M"]
        command += ["-g", "main", "-t", "halt(1)", str(engine), os.path.abspath(own)]
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="fallax-"))
        stdout, stderr, code = _run(_fenced(command, limits), text, folder, limits)
    return _read_answer(stdout, stderr, code, limits)


def _fenced(command: list[str], limits: OracleLimits) -> list[str]:
    if os.name != "posix":  # pragma: no cover  (Windows: no limits but the engine's own and the wall clock)
        return command
    fence = _FENCE.format(cpu=limits.cpu_seconds, memory=limits.memory_mb * 1024)
    return ["/bin/sh", "-c", fence, "fallax-oracle", *command]


def _run(command: list[str], text: bytes, folder: str, limits: OracleLimits) -> tuple[bytes, bytes, int]:
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", **kept},
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(text, timeout=limits.wall_seconds)
    except subprocess.TimeoutExpired:
        raise LogicError(
            f"the check must end within {limits.wall_seconds:g} s and was stopped;"
            " check fewer instances at a time or raise wall_seconds"
        ) from None
    finally:
        _end(process)
    return stdout, stderr, process.returncode


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        else:  # pragma: no cover  (Windows has no process groups to signal)
            process.kill()
        if process.stdin is not None:  # what was not yet written stays unwritten, and nobody else closes the pipe
            with contextlib.suppress(OSError):
                process.stdin.close()
        process.communicate()


def _read_answer(stdout: bytes, stderr: bytes, code: int, limits: OracleLimits) -> EngineAnswer:
    *rows, last = stdout.decode("utf-8", "replace").splitlines() or [""]
    status, _, rest = last.partition(" ")
    if code == 0 and status == "done":
        found, milliseconds, inferences = rest.split()
        return EngineAnswer(tuple(read_term(row) for row in rows), int(found), float(milliseconds), int(inferences))
    if status == "inferences":
        raise LogicError(
            "the check reached its budget of inferences; check fewer instances at a time or raise inferences"
        )
    if status == "resource":
        raise LogicError(
            f"the check ran out of {one_line(rest, 60)}; check fewer instances at a time or raise the limit"
        )
    if code in (-24, -9):  # SIGXCPU or, where soft and hard limit are one, SIGKILL
        raise LogicError(
            f"the check must take at most {limits.cpu_seconds} s of processor time and was stopped;"
            " check fewer instances at a time or raise cpu_seconds"
        )
    said = one_line(rest or stderr.decode("utf-8", "replace").strip() or "nothing", 200)
    raise LogicError(f"SWI-Prolog ended with status {code} and no answer; it said: {said}")


_TERM_TOKEN = re.compile(
    r"\s*(?:(?P<number>-?[0-9]+(?:r[0-9]+)?)|(?P<quoted>'(?:[^'\\]|\\.|'')*')|(?P<name>\w+)|(?P<mark>[(),\[\]])"
    r"|(?P<symbol>[^\s\w'(),\[\]]+))"
)


def _term_tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text.rstrip()):
        match = _TERM_TOKEN.match(text, at)
        if match is None:
            raise LogicError(f"the engine's answer cannot be read: {one_line(text[at:], 60)}")
        yield str(match.lastgroup), match[str(match.lastgroup)]
        at = match.end()
    yield "end", ""


def read_term(text: str) -> Term:
    """Parse one quoted, operator-free term of the engine: atoms, numbers, lists, compounds.

    Examples
    --------
    >>> read_term("d('A b',[x,q(5r2,km)])")
    ('d', ['A b', ['x', ('q', [Fraction(5, 2), 'km'])]])
    """
    tokens = list(_term_tokens(text))
    place = 0

    def sequence(closing: str) -> list[Term]:
        nonlocal place
        found: list[Term] = []
        if tokens[place][1] == closing and tokens[place][0] == "mark":
            place += 1
            return found
        while True:
            found.append(term())
            place += 1
            if tokens[place - 1][1] == closing:
                return found
            if tokens[place - 1][1] != ",":
                raise LogicError(f"the engine's answer cannot be read: {one_line(text, 60)}")

    def term() -> Term:
        nonlocal place
        kind, piece = tokens[place]
        place += 1
        if kind == "number":
            return Fraction(piece.replace("r", "/"))
        if kind == "mark" and piece == "[":
            return sequence("]")
        if kind not in ("name", "quoted", "symbol"):
            raise LogicError(f"the engine's answer cannot be read: {one_line(text, 60)}")
        if kind == "quoted":
            piece = re.sub(r"\\(.)", r"\1", piece[1:-1].replace("''", "'"))
        if tokens[place] == ("mark", "("):
            place += 1
            return piece, sequence(")")
        return piece

    return term()


def to_fact(term: Term) -> Fact:
    """Convert a term of the engine to a fact or a conclusion."""
    if not isinstance(term, tuple):
        raise LogicError(f"the engine's answer holds no fact: {one_line(term, 60)}")
    return Fact(term[0], tuple(to_argument(a) for a in term[1]))


def to_argument(term: Term) -> str | Fraction | Quantity | Negation:
    """Convert a term of the engine to an argument."""
    if isinstance(term, str | Fraction):
        return term
    if isinstance(term, tuple):
        match term:
            case ("not", [str(atom)]):
                return Negation(atom)
            case ("q", [Fraction() as number, str(unit)]):
                return Quantity(number, unit)
    raise LogicError(f"the engine's answer holds no argument: {one_line(term, 60)}")
