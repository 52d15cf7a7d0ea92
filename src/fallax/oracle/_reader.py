"""Parses the fact language: ground facts and nothing else. It never calls or consults anything.

The language::

    text   = { fact | "%" comment to the end of the line }
    fact   = name "(" arg { "," arg } ")" "."
    arg    = atom | "phrase" | number | "q" "(" number "," atom ")"
    atom   = a-z followed by letters, digits and underscores, or printable characters in single quotes

One pass over the text; what is wrong is refused with its place, and reading goes on after the next full stop.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from fallax.core.types.logic import Argument, Fact, FactReading, Phrase, Quantity, Refusal
from fallax.errors import LogicError, one_line
from fallax.oracle._admit import Placed, admit
from fallax.oracle._rules import RuleBase, load_rule_base

__all__ = ["ReadLimits", "read_facts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """Limits on a text of facts; a larger text is refused before it is parsed.

    Parameters
    ----------
    max_bytes : of the whole text in UTF-8.
    max_facts : in the whole text.
    max_arguments : of one fact.
    max_atom, max_phrase : characters of one atom, of one phrase.
    max_digits : digits of one number, before and after the point together.
    max_refused : refusals that are kept; all are counted.
    """

    max_bytes: int = 8_000_000
    max_facts: int = 200_000
    max_arguments: int = 12
    max_atom: int = 80
    max_phrase: int = 400
    max_digits: int = 15
    max_refused: int = 100


_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n]+)
  | (?P<comment>%[^\n]*)
  | (?P<block>/\*(?s:.*?)(?:\*/|\Z))
  | (?P<end>\.(?=[ \t\r\n%]|\Z))
  | (?P<number>-?[0-9]+(?:\.[0-9]+)?(?![A-Za-z0-9_']|\.[0-9]))
  | (?P<badnumber>-?[0-9][A-Za-z0-9_'.]*)
  | (?P<name>[a-z][A-Za-z0-9_]*)
  | (?P<variable>[A-Z_][A-Za-z0-9_]*)
  | (?P<quoted>'(?:[^'\\\n]|\\[^\n])*')
  | (?P<phrase>"(?:[^"\\\n]|\\[^\n])*")
  | (?P<unclosed>['"][^\n]*)
  | (?P<mark>[(),])
  | (?P<neck>:-|\?-|-->)
  | (?P<other>(?s:.))
    """,
    re.VERBOSE | re.ASCII,
)

#: A fact as it looks inside a quoted text or a comment that should have ended before it.
_FACT = re.compile(r"(?<![\w\"])[a-z][A-Za-z0-9_]*\(\s*[a-z]\w*\s*,[^()\n]*", re.ASCII)

_HINTS = {
    "block": "a comment must begin with % and end with its line, found /* ... */",
    "badnumber": "a number must be decimal digits with at most one point",
    "variable": "a fact must be ground, found a variable; a name begins with a small letter",
    "unclosed": "a quoted text must end on its line",
    "neck": "only facts are read, found a rule or a directive",
}

#: Quotation marks that word processors put in the place of straight ones.
_CURLY = frozenset("“”„«»‘’‚")


@dataclass(slots=True)
class _Token:
    kind: str
    text: str
    line: int
    column: int


class _Refused(Exception):
    """Carries position and reason of a refusal to the end of the fact."""

    def __init__(self, token: _Token, reason: str) -> None:
        self.token = token
        self.reason = reason


@dataclass
class _Parser:
    text: str
    limits: ReadLimits
    placed: list[Placed] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    n_refused: int = 0

    def __post_init__(self) -> None:
        self._tokens = self._scan()
        self._token = next(self._tokens)
        self._piece: list[_Token] = []

    def _scan(self) -> Iterator[_Token]:
        line, start = 1, 0
        for match in _TOKEN.finditer(self.text):
            kind, piece = str(match.lastgroup), match[0]
            if kind not in ("space", "comment"):
                yield _Token(kind, piece, line, match.start() - start + 1)
            newlines = piece.count("\n")
            if newlines:
                line += newlines
                start = match.start() + piece.rindex("\n") + 1
        yield _Token("eof", "", line, len(self.text) - start + 1)

    def _next(self) -> _Token:
        token = self._token
        self._piece.append(token)
        if token.kind != "eof":
            self._token = next(self._tokens)
        return token

    def refuse(self, line: int, column: int, reason: str, text: str) -> None:
        self.n_refused += 1
        if len(self.refused) < self.limits.max_refused:
            self.refused.append(Refusal(line, column, reason, one_line(text, 60)))

    def run(self) -> None:
        while self._token.kind != "eof":
            first = self._token
            self._piece = []
            try:
                self.placed.append(self._fact())
            except _Refused as e:
                self.refuse(e.token.line, e.token.column, e.reason, e.token.text or first.text)
                if e.token.kind != "end" and not (e.token is first and first.kind == "block"):
                    self._skip(resume=e.token.kind == "unclosed")
                self._swallowed()
            if len(self.placed) > self.limits.max_facts:
                self.placed.pop()
                self.refuse(first.line, first.column, f"a text must hold at most {self.limits.max_facts} facts", "")
                return

    def _skip(self, *, resume: bool) -> None:
        """Continue after the full stop of the refused piece; after an open quote, at a fact that begins a line."""
        line = self._piece[-1].line
        while self._token.kind not in ("eof", "end"):
            if resume and self._token.kind == "name" and self._token.line > line:
                return
            resume = resume or self._token.kind == "unclosed"
            line = self._token.line
            self._next()
        self._next()

    def _swallowed(self) -> None:
        """Refuse, by name, every fact inside a quoted text or comment of the refused piece."""
        for token in self._piece:
            if token.kind not in ("block", "unclosed", "phrase", "quoted"):
                continue
            what = "comment" if token.kind == "block" else "quoted text"
            for match in _FACT.finditer(token.text):
                before = token.text[: match.start()]
                line = token.line + before.count("\n")
                column = match.start() - before.rfind("\n") if "\n" in before else token.column + match.start()
                reason = f"the fact was not read: it is inside a {what} that line {token.line} opens"
                self.refuse(line, column, reason, match[0])

    def _opens(self, name: _Token) -> bool:
        """Whether an opening parenthesis directly follows a name."""
        place = (name.line, name.column + len(name.text))
        return self._token.text == "(" and (self._token.line, self._token.column) == place

    def _expect(self, text: str, what: str) -> None:
        token = self._next()
        if token.text != text or token.kind not in ("mark", "end"):
            raise _Refused(token, self._unexpected(token, what))

    @staticmethod
    def _unexpected(token: _Token, what: str) -> str:
        if token.kind in _HINTS:
            return _HINTS[token.kind]
        if token.text == ".":
            return "a full stop must end a fact, and must be followed by a blank or the end of the line"
        if token.text[:1] in _CURLY:
            return f'a phrase must have straight quotation marks ("), found {token.text[:1]!r}'
        if token.kind == "eof":
            return f"expected {what}, found the end of the text"
        return f"expected {what}, found {one_line(token.text, 40)!r}"

    def _fact(self) -> Placed:
        name = self._next()
        if name.kind != "name":
            raise _Refused(name, self._unexpected(name, "the name of a predicate"))
        self._check_length(name, name.text, self.limits.max_atom, "a name")
        if not self._opens(name):
            raise _Refused(
                self._token, self._unexpected(self._token, "an opening parenthesis right after the predicate")
            )
        self._next()
        args: list[Argument] = []
        places: list[tuple[int, int]] = []
        while True:
            if len(args) == self.limits.max_arguments:
                raise _Refused(self._token, f"a fact must have at most {self.limits.max_arguments} arguments")
            places.append((self._token.line, self._token.column))
            args.append(self._argument())
            token = self._next()
            if token.kind != "mark" or token.text not in ",)":
                raise _Refused(token, self._unexpected(token, "a comma or a closing parenthesis"))
            if token.text == ")":
                break
        self._expect(".", "a full stop after the fact")
        return Placed(Fact(name.text, tuple(args)), name.line, name.column, tuple(places))

    def _argument(self) -> Argument:
        token = self._next()
        if token.kind == "phrase":
            text = self._unescape(token)
            self._check_length(token, text, self.limits.max_phrase, "a phrase")
            return Phrase(text)
        if token.kind == "number":
            return self._number(token)
        if token.text == "q" and self._opens(token):
            self._next()
            number = self._next()
            if number.kind != "number":
                raise _Refused(number, self._unexpected(number, "the number of a quantity"))
            self._expect(",", "a comma between number and unit")
            unit = self._atom(self._next(), "the unit of a quantity")
            self._expect(")", "the closing parenthesis of a quantity")
            return Quantity(self._number(number), unit)
        atom = self._atom(token, "an argument (a name, a phrase, a number or a quantity)")
        if self._token.text == "(" and self._token.kind == "mark":
            raise _Refused(self._token, f"an argument must not have arguments, found {one_line(token.text, 40)}(")
        return atom

    def _atom(self, token: _Token, what: str) -> str:
        if token.kind == "quoted":
            name = self._unescape(token)
        elif token.kind == "name":
            name = token.text
        else:
            raise _Refused(token, self._unexpected(token, what))
        self._check_length(token, name, self.limits.max_atom, "a name")
        return name

    def _number(self, token: _Token) -> Fraction:
        if sum(c.isdigit() for c in token.text[: self.limits.max_digits + 3]) > self.limits.max_digits:
            raise _Refused(token, f"a number must have at most {self.limits.max_digits} digits")
        return Fraction(token.text)

    @staticmethod
    def _check_length(token: _Token, text: str, most: int, what: str) -> None:
        if not text.strip():
            raise _Refused(token, f"{what} must have at least one character that is no blank")
        if len(text) > most:
            raise _Refused(token, f"{what} must have at most {most} characters, found {len(text)}")

    @staticmethod
    def _unescape(token: _Token) -> str:
        quote, inside = token.text[0], token.text[1:-1]
        for match in re.finditer(r"\\(.)", inside):
            if match[1] not in ("\\", quote):
                shown = one_line(match[0], 8)
                raise _Refused(token, f"the only escapes are \\\\ and \\{quote}, found {shown}")
        text = re.sub(r"\\(.)", r"\1", inside)
        if not text.isprintable():
            bad = next(c for c in text if not c.isprintable())
            raise _Refused(token, f"a quoted text must hold printable characters only, found U+{ord(bad):04X}")
        return text


def _decode(text: str | bytes) -> tuple[str, Refusal | None]:
    if isinstance(text, str):
        return text.removeprefix("\ufeff"), None
    try:
        return text.decode("utf-8").removeprefix("\ufeff"), None
    except UnicodeDecodeError as e:
        before = text[: e.start].decode("utf-8")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        return "", Refusal(line, column, f"the text must be UTF-8, found the byte 0x{text[e.start]:02x}; save it so")


def read_facts(
    text: str | bytes,
    *,
    rule_base: str | RuleBase = "strict",
    strict: bool = False,
    limits: ReadLimits | None = None,
) -> FactReading:
    """Parse a text of facts as data.

    Accepted are ground facts whose name, number of arguments and sorts are in the rule base, each once, without
    contradiction; everything else is refused with line and column, all of it and not only the first.

    Parameters
    ----------
    text : the facts, as text or as UTF-8 bytes.
    rule_base : whose schemas the facts must fit.
    strict : raise at the first refusal (by place) instead of handing them back.
    limits : caps on size; the defaults fit files written by people and models.

    Returns
    -------
    FactReading : the facts in order, the refusals by place.

    Raises
    ------
    LogicError
        With ``strict``, for the first refusal; line and column are in the error.

    Examples
    --------
    >>> reading = read_facts('''
    ... instance(x, fallacy_of_composition, "corks and bottles").
    ... thing(x, cork, "a cork").
    ... thing(x, bottle, "a bottle of wine").
    ... part_of(x, cork, bottle, true).
    ... part_of(x, cork, Bottle, true).
    ... ''')
    >>> len(reading)
    4
    >>> print(reading.refused[0])
    line 6, column 18: a fact must be ground, found a variable; a name begins with a small letter (in: Bottle)
    """
    base = rule_base if isinstance(rule_base, RuleBase) else load_rule_base(rule_base)
    limits = limits or ReadLimits()
    reading = _read(text, base, limits)
    if strict and reading.refused:
        first = reading.refused[0]
        more = f"; {reading.n_refused - 1} more refused" if reading.n_refused > 1 else ""
        shown = f" (in: {first.text})" if first.text else ""
        raise LogicError(f"{first.reason}{shown}{more}", line=first.line, column=first.column)
    return reading


def _read(text: str | bytes, base: RuleBase, limits: ReadLimits) -> FactReading:
    size = len(text) if isinstance(text, bytes) or len(text) > limits.max_bytes else _utf8_size(text)
    if size > limits.max_bytes:
        refusal = Refusal(1, 1, f"a text of facts must be at most {limits.max_bytes} bytes, found {size} or more")
        return FactReading((), (refusal,), 1)
    decoded, bad = _decode(text)
    if bad is not None:
        return FactReading((), (bad,), 1)
    parser = _Parser(decoded, limits)
    parser.run()
    facts, refused = admit(parser.placed, base)
    every = sorted(itertools.chain(parser.refused, refused))
    return FactReading(facts, tuple(every[: limits.max_refused]), parser.n_refused + len(refused))


def _utf8_size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
