"""The Python-like code of Si et al. 2024 (tables 14 to 18): FACT objects and calls that link them.

Code is what models write, so nothing here trusts it: each statement is parsed alone with :mod:`ast`, looked at, and
never run; everything that is not a FACT, a linking call or a printed verdict is skipped.
"""

from __future__ import annotations

import ast
import json
import keyword
import re
import warnings
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError, one_line
from fallax.structures._sketch import MAX_LINKS, Sketch, Written, all_nodes, fresh_names, parse_verdict

__all__ = ["format_linking", "parse_linking", "read_linking"]

#: A reply longer than this is not read.
MAX_REPLY = 1_000_000
#: One statement may have this many characters and lines.
_MAX_STATEMENT, _MAX_LINES = 20_000, 200
#: After this many statements that cannot be read, the reply is given up.
_MAX_FAULTS = 200

_FENCE = re.compile(r"\s*(?:`{3,}|~{3,}|['‘’“”`]{2,3}(?=\s*(?:python)?\s*$))")
_BULLET = re.compile(r"(?:>>>|\.\.\.|[-*•]|\d+[.)])\s+")
_DEF = re.compile(r"def\s+\w+\s*\([^()]*\)\s*(?:->\s*[\w.\[\], ]+)?:\s*")
_LINK = re.compile(r"(one|many|multiple)_to_(one|many|multiple)(?:_link(?:ing)?)?", re.I)
_STATEMENT = re.compile(r"(?:(?P<name>[^\W\d]\w*)\s*(?::\s*\w+\s*)?=\s*)?(?P<call>[^\W\d]\w*)\s*\(|return\b")
_LOOSE_FACT = re.compile(
    r"([^\W\d]\w*)\s*=\s*FACT\s*\(\s*[\"'“”‘’](.*)[\"'“”‘’]\s*(?:,\s*)?\)\s*(?:;\s*)?(?:#.*)?", re.I
)
_ANSWER = re.compile(
    r"(?:(?:final\s+)?(?:label|output|answer|verdict|result)\s*[:=])?([\s\"'`{*]*[A-Za-z_ ]+[\s\"'`}*.]*)", re.I
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_TAKEN = {*keyword.kwlist, *keyword.softkwlist, "Claim", "FACT", "print", "build_tree_proof"}


class _Call(NamedTuple):
    """A linking call: the names on both sides, and its line number."""

    sources: list[str]
    targets: list[str]
    line: int


class _Code:
    """The parsed statements of a reply; ``blocks`` are the linking calls of each code block."""

    def __init__(self) -> None:
        self.facts: list[tuple[str, str, int]] = []
        self.blocks: list[tuple[bool, list[_Call]]] = [(False, [])]
        self.printed: list[str] = []
        self.bare: list[str] = []
        self.notes: list[str] = []
        self.n_faults = 0
        self.n_calls = 0

    def begin(self, fenced: bool) -> None:
        self.blocks.append((fenced, []))

    def add(self, call: _Call) -> None:
        self.blocks[-1][1].append(call)
        self.n_calls += 1
        if self.n_calls > MAX_LINKS:
            raise FormatError(f"a reply must have at most {MAX_LINKS} linking calls, got more", line=call.line)

    def fault(self, line: int, text: str, why: str) -> None:
        self.n_faults += 1
        if self.n_faults <= 20:
            self.notes.append(f"line {line}: {why}, got {one_line(text.strip(), 60)!r}; it is skipped")
        if self.n_faults > _MAX_FAULTS:
            raise FormatError(f"more than {_MAX_FAULTS} statements cannot be read", line=line)


def read_linking(
    text: str, *, claim: str | None = None, evidence: Iterable[Statement] | Mapping[str, str] = ()
) -> StructureReading:
    r"""Parse linking code written by a model; nothing in it is run, and nothing raises.

    Parameters
    ----------
    text : the reply: declarations ``Name = FACT("...")``, calls of ``one_to_one_linking(A, B)``,
        ``one_to_multiple_linking(A, [B, C])`` and ``multiple_to_one_linking([A, B], C)``, and ``print("SUPPORTS")``.
        Fences, comments, prose, ``def`` lines and broken statements around them are skipped. Of several structures
        the last is read, and a fenced one before one that is not.
    claim : the claim's text where the model was given it; by default a node named ``Claim`` is the claim.
    evidence : nodes that the model was given, by name; their texts stand whatever the reply declares.

    Returns
    -------
    StructureReading
        With the structure as it was drawn (see its ``problems``), or the reason why there is none. Names that nobody
        declared are nodes without text, and noted.

    Examples
    --------
    >>> reply = '```python\none_to_one_linking(S1, Claim)\nprint("SUPPORTS")\n```'
    >>> found = read_linking(reply, evidence={"S1": "It rained."})
    >>> [str(link) for link in found.structure.links], found.label
    (['S1 -> Claim'], 'supports')
    >>> read_linking("I cannot say.").reason
    'no linking call was found'
    """
    given = evidence if isinstance(evidence, Mapping) else {s.id: s.text for s in evidence}
    if len(text) > MAX_REPLY:
        return StructureReading(None, reason=f"a reply must have at most {MAX_REPLY} characters, got {len(text)}")
    code = _Code()
    try:
        _scan(_SURROGATE.sub("\ufffd", text), code)
        return _reading(code, claim, given)
    except FormatError as error:
        return StructureReading(None, _label(code), notes=tuple(code.notes), reason=str(error))


def parse_linking(text: str) -> StructureReading:
    """Read a file of linking code; as :func:`read_linking` without anything given."""
    return read_linking(text)


def _scan(text: str, code: _Code) -> None:
    lines = text.replace("\r\n", "\n").split("\n")
    fenced = False
    at = 0
    while at < len(lines):
        raw = lines[at]
        line = raw.strip()
        if _FENCE.match(raw):
            fenced = not fenced
            code.begin(fenced)
            line = re.sub(r"^[`~'‘’“”]+\s*(?:python3?|py)?\b", "", line, flags=re.I).strip(" `~")
        if found := _BULLET.match(line):
            line = line[found.end() :]
        if found := _DEF.match(line):
            code.begin(fenced)
            line = line[found.end() :]
        line = line.rstrip("`")
        start = _STATEMENT.match(line)
        if start is None or not _wanted(start):
            _bare_answer(line, code)
            at += 1
            continue
        used = _statement(line, lines, at, code)
        at += used


def _wanted(start: re.Match[str]) -> bool:
    call = start["call"]
    return call is None or call.upper() == "FACT" or call == "print" or _LINK.fullmatch(call) is not None


def _bare_answer(line: str, code: _Code) -> None:
    if line and len(line) < 80 and (found := _ANSWER.fullmatch(line)) and (verdict := parse_verdict(found[1])):
        code.bare.append(verdict)


def _statement(line: str, lines: list[str], at: int, code: _Code) -> int:
    """Read the statement that begins with ``line``; how many lines it took."""
    text, used = _whole(line, lines, at)
    if used > 1 and not (tree := _parsed(text)):
        text, used = line, 1  # an open bracket must not swallow what follows
    tree = _parsed(text)
    if tree is None:
        if len(line) <= _MAX_STATEMENT and (found := _LOOSE_FACT.fullmatch(line)):
            code.facts.append((found[1], found[2], at + 1))
            code.notes.append(f"line {at + 1}: the quotes around the text of {one_line(found[1], 40)} are put right")
        else:
            code.fault(at + 1, line, "a statement must be a FACT, a linking call or a printed verdict")
        return 1
    for node in tree:
        _look(node, at + node.lineno, text, code)
    return used


def _whole(line: str, lines: list[str], at: int) -> tuple[str, int]:
    """The statement with the lines after it for as long as a bracket or a long string is open."""
    state = _Brackets()
    text = ""
    for used in range(1, _MAX_LINES + 1):
        piece = line if used == 1 else lines[at + used - 1]
        text += ("\n" if text else "") + piece
        if len(text) > _MAX_STATEMENT:
            break
        if state.closed_after(piece):
            return text, used
        if at + used >= len(lines):
            break
    return line[: _MAX_STATEMENT + 1], 1


class _Brackets:
    """How many brackets are open, and which quote."""

    _TOKEN = re.compile(r"\\.|\"\"\"|'''|[\"'()\[\]{}#]", re.S)

    def __init__(self) -> None:
        self.depth = 0
        self.quote = ""

    def closed_after(self, line: str) -> bool:
        for token in self._TOKEN.findall(line):
            if self.quote:
                if token == self.quote or (len(self.quote) == 1 and token == self.quote * 3):
                    self.quote = ""
            elif token[0] in "\"'":
                self.quote = token
            elif token == "#":
                break
            elif token in "([{":
                self.depth += 1
            elif token in ")]}":
                self.depth -= 1
        if len(self.quote) == 1:
            self.quote = ""  # a short string ends with its line
        return self.depth <= 0 and not self.quote


def _parsed(text: str) -> list[ast.stmt] | None:
    if len(text) > _MAX_STATEMENT:
        return None
    try:
        with warnings.catch_warnings():  # odd escapes in what a model wrote are no business of ours
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _look(node: ast.stmt, line: int, text: str, code: _Code) -> None:
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        said = _fact(node.value)
        if said is not None and len(targets) == 1 and isinstance(targets[0], ast.Name):
            code.facts.append((targets[0].id, said, line))
        else:
            code.fault(line, text, 'a declaration must be Name = FACT("text")')
        return
    value = node.value if isinstance(node, ast.Expr | ast.Return) else None
    if isinstance(node, ast.Return) or _called(value) == "print":
        shown = value.args[0] if isinstance(value, ast.Call) and len(value.args) == 1 else value
        if (said := _string(shown)) is not None and (verdict := parse_verdict(said)):
            code.printed.append(verdict)
        return
    if isinstance(value, ast.Call) and (kind := _LINK.fullmatch(_called(value))) is not None:
        sides = [_names(a) for a in (*value.args, *(k.value for k in value.keywords))]
        if len(sides) == 2 and sides[0] and sides[1]:
            if (kind[1].lower() == "one") != (len(sides[0]) == 1) or (kind[2].lower() == "one") != (len(sides[1]) == 1):
                code.notes.append(
                    f"line {line}: {kind[0]} has {len(sides[0])} and {len(sides[1])} nodes; taken as written"
                )
            code.add(_Call(sides[0], sides[1], line))
        else:
            code.fault(line, text, "a linking call must name nodes on two sides")
        return
    code.fault(line, text, "a statement must be a FACT, a linking call or a printed verdict")


def _called(value: ast.expr | None) -> str:
    return value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""


def _string(value: ast.expr | None) -> str | None:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return _SURROGATE.sub("\ufffd", value.value)
    if isinstance(value, ast.JoinedStr):
        parts = [p.value for p in value.values if isinstance(p, ast.Constant) and isinstance(p.value, str)]
        return "".join(parts) if len(parts) == len(value.values) else None
    return None


def _fact(value: ast.expr | None) -> str | None:
    if not isinstance(value, ast.Call) or _called(value).upper() != "FACT":
        return None
    given = [*value.args, *(k.value for k in value.keywords)]
    return _string(given[0]) if len(given) == 1 else None


def _names(value: ast.expr) -> list[str] | None:
    """The nodes that an argument names; None where it is anything else."""
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        found = [_names(x) if isinstance(x, ast.Name | ast.Constant) else None for x in value.elts]
        return [x[0] for x in found if x] if all(found) else None
    if isinstance(value, ast.Name):
        return [value.id]
    said = _string(value) if isinstance(value, ast.Constant) else None
    return [said.strip()] if said is not None and 0 < len(said.strip()) <= 100 else None


def _label(code: _Code) -> str:
    said = set(code.printed) or set(code.bare)
    return said.pop() if len(said) == 1 else ""


def _reading(code: _Code, claim: str | None, given: Mapping[str, str]) -> StructureReading:
    sketch = Sketch()
    for note in code.notes:
        sketch.note(note)
    if len(set(code.printed) or set(code.bare)) > 1:
        sketch.note(f"several verdicts are given: {', '.join(code.printed or code.bare)[:80]}; none is taken")
    known_given = {name.lower(): name for name in given}
    known = dict(known_given)
    for id_, said in given.items():
        sketch.node(id_, said)
    has_claim = claim is not None

    def name(id_: str) -> str:
        nonlocal has_claim
        if id_.lower() == "claim" and id_ not in given:
            has_claim = True
            return "Claim"
        if id_ in sketch.texts:
            return id_
        return known.get(id_.lower(), id_)

    if claim is not None:
        sketch.node("Claim", claim)
    for id_, said, line in code.facts:
        own = name(id_) if id_.lower() == "claim" else known_given.get(id_.lower(), id_)
        if own in given or (own == "Claim" and claim is not None):
            if sketch.texts[own] != said and said:
                sketch.note(f"line {line}: {own} is given; its new text is ignored")
        else:
            sketch.node(own, said)
            known.setdefault(own.lower(), own)
    blocks = [calls for fenced, calls in code.blocks if calls and fenced] or [c for _, c in code.blocks if c]
    if len([c for _, c in code.blocks if c]) > 1:
        sketch.note("several structures are given; the last is taken")
    for call in blocks[-1] if blocks else ():
        sketch.link([name(i) for i in call.sources], [name(i) for i in call.targets], where=f"line {call.line}")
    for id_, said in sketch.texts.items():
        if not said and not (id_ == "Claim" and claim is None and has_claim):
            sketch.note(f"node {one_line(id_, 60)!r}: is linked but declared nowhere; it is kept without text")
    if has_claim:
        sketch.node("Claim")
        sketch.claim = "Claim"
    reason = "no linking call was found"
    if code.n_faults:
        reason += f"; {code.n_faults} statements could not be read, first: {code.notes[0]}"
    return sketch.reading(label=_label(code), missing=reason)


_SAID = {"supports": "SUPPORTS", "refutes": "REFUTES", "nei": "NOT ENOUGH INFO"}


def fact_line(name: str, text: str) -> str:
    r"""A line of linking code that gives a statement its name.

    Examples
    --------
    >>> fact_line("Sentence1", 'He said "no".')
    'Sentence1 = FACT("He said \\"no\\".")'
    """
    said = json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
    return f"{name} = FACT({said})"


def format_linking(structure: ArgumentStructure, *, unused: Iterable[Statement] = (), label: str = "") -> Written:
    """The structure as linking code; relations are lost, and names must be Python names.

    Examples
    --------
    >>> from fallax.core.types import Link
    >>> links = (Link(("S1",), ("Claim",)),)
    >>> print(format_linking(ArgumentStructure(Statement("Claim", "B."), (Statement("S1", "A."),), links)).text)
    Claim = FACT("B.")
    S1 = FACT("A.")
    def build_tree_proof():
        one_to_one_linking(S1, Claim)
    <BLANKLINE>
    """
    root = structure.claim
    nodes = [n for n in all_nodes(structure, unused) if root is None or n.id != root.id]
    lowered = {"claim"}
    awkward = {n.id for n in nodes if n.id.lower() in lowered or _LINK.fullmatch(n.id) or n.id.upper() == "FACT"}
    names, losses = fresh_names(nodes, _NAME, "Sentence", _TAKEN | awkward)
    lines = []
    if root is not None:
        names[root.id] = "Claim"
        if root.id != "Claim":
            losses.append(f"node {one_line(root.id, 60)!r}: its name, written as Claim")
        lines.append(fact_line("Claim", root.text))
    lines.extend(fact_line(names[n.id], n.text) for n in nodes)
    lines.append("def build_tree_proof():")
    for link in structure.links:
        sources, targets = ([names[i] for i in side] for side in (link.sources, link.targets))
        call = {"one_to_one": "one_to_one", "one_to_many": "one_to_multiple", "many_to_one": "multiple_to_one"}[
            link.kind
        ]
        shown = (f"[{', '.join(x)}]" if len(x) > 1 else x[0] for x in (sources, targets))
        lines.append(f"    {call}_linking({', '.join(shown)})")
        if link.relation:
            losses.append(f"link {link}: the relation {one_line(link.relation, 60)!r}")
    if not structure.links:
        lines.append("    pass")
    if label:
        lines.append(f'    print("{_SAID.get(label, label)}")')
    return Written("\n".join(lines) + "\n", tuple(losses))
