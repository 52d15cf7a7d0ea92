"""Hostile texts: nothing in them is executed, read or written, and each is refused with line and column in little time.

``@`` stands for a folder that no text may touch. It holds one file, ``secret``; both must be unchanged afterwards.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fallax.errors import LogicError
from fallax.oracle import Oracle, OracleLimits, read_facts
from fallax.oracle import _process as process
from fallax.oracle._rules import data_file
from tests.unit.oracle.support import needs_swipl

OPEN = 'instance(x, wrong_direction, "t").\n'

#: name -> (text, line and column of the first refusal).
HOSTILE: dict[str, tuple[str | bytes, int, int]] = {
    "directive": (":- shell('touch @/x').\n", 1, 1),
    "directive after a fact": (OPEN + ":- shell('touch @/x').\n", 2, 1),
    "question": ("?- shell('touch @/x').\n", 1, 1),
    "initialization": (":- initialization(shell('touch @/x')).\n", 1, 1),
    "initialization main": (OPEN + "\n  :- initialization(shell('touch @/x'), main).\n", 3, 3),
    "halt": (":- halt.\n", 1, 1),
    "halt as a fact": ("halt.\n", 1, 5),
    "shell as a fact": ("shell('touch @/x').\n", 1, 1),
    "rule": ("event(x, a, \"b\") :- shell('touch @/x').\n", 1, 18),
    "clause of the engine": ("derive(_, _, _, _, _, _, _) :- shell('touch @/x').\n", 1, 8),
    "new main": ("main :- shell('touch @/x').\n", 1, 6),
    "term expansion": ("term_expansion(X, Y) :- shell('touch @/x').\n", 1, 16),
    "goal expansion": ("goal_expansion(a, b) :- shell('touch @/x').\n", 1, 22),
    "grammar rule": ("a --> {shell('touch @/x')}.\n", 1, 3),
    "conditional compilation": (":- if(shell('touch @/x')).\n:- endif.\n", 1, 1),
    "message hook": ("user:message_hook(_, _, _) :- shell('touch @/x').\n", 1, 5),
    "portray hook": ("user:portray(_) :- shell('touch @/x').\n", 1, 5),
    "exception hook": ("prolog_exception_hook(_, _, _, _) :- shell('touch @/x').\n", 1, 23),
    "include": (":- include('@/secret').\n", 1, 1),
    "consult list": ("['@/secret'].\n", 1, 1),
    "load files": (":- load_files('@/secret', []).\n", 1, 1),
    "read a file": ("open(S, read, '@/secret').\n", 1, 6),
    "write a file": (":- open('@/x', write, S), write(S, a), close(S).\n", 1, 1),
    "tell": (":- tell('@/x'), write(a), told.\n", 1, 1),
    "delete a file": (":- delete_file('@/secret').\n", 1, 1),
    "operator": (":- op(1200, xfx, '=>').\na => b.\n", 1, 1),
    "flag": (":- set_prolog_flag(double_quotes, codes).\n", 1, 1),
    "character conversion": (":- char_conversion(a, b).\n", 1, 1),
    "module": (":- module(m, [event/3]).\n", 1, 1),
    "qualified fact": ("system:assertz(a).\n", 1, 7),
    "endless loop": (":- repeat, fail.\n", 1, 1),
    "endless recursion": ("p(X) :- p(f(X)).\n", 1, 3),
    "assert bomb": (":- repeat, assertz(a), fail.\n", 1, 1),
    "atom bomb": (":- between(1, inf, N), atom_number(A, N), assertz(b(A)), fail.\n", 1, 1),
    "end of file": (OPEN + "end_of_file.\nevent(x, a, 7).\n", 2, 12),
    "end of file as a term": ("end_of_file(a).\n", 1, 1),
    "huge number": ("case(x, w, " + "9" * 2_000_000 + ", true).\n", 1, 12),
    "huge decimal": ("case(x, w, 1." + "9" * 300_000 + ", true).\n", 1, 12),
    "huge exponent": ("case(x, w, 1e999999999, true).\n", 1, 12),
    "special float": ("case(x, w, 1.5NaN, true).\n", 1, 12),
    "radix number": ("case(x, w, 16'FF, true).\n", 1, 12),
    "character code": ("case(x, 0'a, b, true).\n", 1, 9),
    "character code of a quote": ("case(x, 0''', b, true).\n", 1, 9),
    "deep nesting": ("case(" + "f(" * 300_000 + "a" + ")" * 300_000 + ").\n", 1, 7),
    "deep brackets": ("(" * 300_000 + "\n", 1, 1),
    "deep lists": ("case(x, " + "[" * 300_000 + "\n", 1, 9),
    "many arguments": ("case(" + "a, " * 300_000 + "a).\n", 1, 42),
    "long atom": ("case(x, " + "a" * 500_000 + ", b, true).\n", 1, 9),
    "long line of dots": ("." * 500_000 + "\n", 1, 1),
    "unclosed quote": ("case(x, 'a, b, true).\n:- halt.\n", 1, 9),
    "unclosed phrase": ('event(x, a, "never ends).\n', 1, 13),
    "quote over lines": ("case(x, 'a\nb', c, true).\n", 1, 9),
    "line continuation": ("case(x, 'a\\\nb', c, true).\n", 1, 9),
    "hex escape": ("case(x, '\\x41\\', b, true).\n", 1, 9),
    "newline escape": ('event(x, a, "b\\n").\n', 1, 13),
    "control escape": ("case(x, '\\e[2J', b, true).\n", 1, 9),
    "block comment": ("/* :- halt. */\n", 1, 1),
    "unclosed block comment": (OPEN + "/* case(x, w, b, true).\n", 2, 1),
    "comment in a fact": ("case(x, /* hidden */ w, b, true).\n", 1, 9),
    "back quotes": ("case(x, `a`, b, true).\n", 1, 9),
    "curly term": ("{shell('touch @/x')}.\n", 1, 1),
    "call in an argument": ("case(x, shell('touch @/x'), b, true).\n", 1, 14),
    "variable": ("case(x, W, b, true).\n", 1, 9),
    "anonymous variable": ("case(x, _, b, true).\n", 1, 9),
    "negated fact": ("\\+ case(x, w, b, true).\n", 1, 1),
    "quoted predicate": ("'shell'('touch @/x').\n", 1, 1),
    "blank before the bracket": (OPEN + "case (x, w, b, true).\n", 2, 6),
    "utf-16": (OPEN.encode("utf-16"), 1, 1),
    "latin-1": (OPEN.encode() + b'event(x, caf\xe9, "a").\n', 2, 13),
    "truncated utf-8": (b'event(x, a, "\xe2\x82").\n', 1, 14),
    "overlong utf-8": (b"case(x, \xc0\xaf, b, true).\n", 1, 9),
    "nul byte": ("case(x, a\0, b, true).\n", 1, 10),
    "control character in a phrase": ('event(x, a, "b\x1b[2Jc").\n', 1, 13),
    "hidden direction": ('event(x, a, "b\u202ec").\n', 1, 13),
    "lone surrogate": ('event(x, a, "\ud800").\n', 1, 13),
    "look-alike letter": ("c\u0430se(x, w, b, true).\n", 1, 2),
    "no-break space": ("case(x,\u00a0w, b, true).\n", 1, 8),
    "megabytes": ("%" * 9_000_000, 1, 1),
    "many refusals": (":- a.\n" * 100_000, 1, 1),
    "many unknown predicates": ("".join(f"covered{n}(x).\n" for n in range(30_000)), 1, 1),
    "many unknown instances": ("".join(f'event(x{n}, a, "b").\n' for n in range(20_000)), 1, 7),
}


@pytest.fixture
def canary() -> Iterator[Path]:
    # A short path: inside a name, a long one would be refused for its length, not for what it does.
    with tempfile.TemporaryDirectory(prefix="c") as name:
        folder = Path(name)
        (folder / "secret").write_text("case(x, the_secret, b, true).\n", encoding="utf-8")
        yield folder


def state(folder: Path) -> list[tuple[str, str, int]]:
    """Names, contents and times of last access and change."""
    found = []
    for path in sorted(folder.iterdir()):
        stat = path.stat()
        found.append((path.name, str(stat.st_size), stat.st_mtime_ns))
        found.append((path.name, "read", stat.st_atime_ns))
    return found


def aimed(text: str | bytes, canary: Path) -> str | bytes:
    return text.replace("@", str(canary)) if isinstance(text, str) else text


def test_there_are_more_than_forty_of_them() -> None:
    assert len(HOSTILE) > 40


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_where_it_begins(name: str, canary: Path) -> None:
    text, line, column = HOSTILE[name]
    before, start = state(canary), time.process_time()
    reading = read_facts(aimed(text, canary))
    assert time.process_time() - start < 15
    assert state(canary) == before
    assert reading.n_refused >= 1
    assert len(reading.refused) <= 100
    assert (reading.refused[0].line, reading.refused[0].column) == (line, column)
    assert all(len(str(r)) < 600 and str(r).isprintable() for r in reading.refused)
    assert "the_secret" not in str(reading)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_raises_when_read_strictly(name: str, canary: Path) -> None:
    text, line, column = HOSTILE[name]
    with pytest.raises(LogicError) as caught:
        read_facts(aimed(text, canary), strict=True)
    assert (caught.value.line, caught.value.column) == (line, column)


@needs_swipl
@pytest.mark.parametrize("name", [n for n, (t, _, _) in HOSTILE.items() if len(t) < 10_000])
def test_the_engine_executes_nothing_even_when_hostile_text_is_sent_to_it_directly(
    name: str, canary: Path, tmp_path: Path
) -> None:
    text = aimed(HOSTILE[name][0], canary)
    sent = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    limits = OracleLimits(wall_seconds=10, cpu_seconds=5)
    before = state(canary)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        command = [process.find_swipl(), "-f", "none", "--no-packs", "-q", "-g", "main", "-t", "halt(1)"]
        command += [os.fspath(tmp_path / "engine.pl"), os.fspath(tmp_path / "strict.pl")]
        for rules in ("engine.pl", "strict.pl"):
            (tmp_path / rules).write_text(data_file(rules).read_text(encoding="utf-8"), encoding="utf-8")
        query = b"query(any,100,100000,derivations).\n"
        stdout, _, _ = process._run(process._fenced(command, limits), query + sent, os.fspath(tmp_path), limits)
    assert state(canary) == before
    assert b"the_secret" not in stdout
    assert stdout.startswith((b"error", b"done 0", b"resource"))


@needs_swipl
def test_what_is_left_of_a_hostile_text_is_checked_as_facts(canary: Path) -> None:
    text = """
    :- shell('touch @/x').
    instance(x, wrong_direction, "mills").
    event(x, mill, "the mill turns"). event(x, wind, "the wind blows").
    reason(x, push, "it pushes the sails"). reason(x, stop, "it blows on when the mill stands").
    together(x, mill, wind, true). depends(x, mill, wind, push, true). depends(x, wind, mill, stop, false).
    """.replace("@", str(canary))
    before = state(canary)
    reading = read_facts(text)
    assert (len(reading), reading.n_refused) == (8, 1)
    assert [d.kind for d in Oracle().check(reading)] == ["fallacy", "sound"]
    assert state(canary) == before
