"""Reads the answer to a two-way question from a word, phrase or sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["CONSISTENCY", "ModeWords"]

_WRAPPED = re.compile(r"\\boxed\{(.*)|\((.*)\)", re.DOTALL)
_EDGES = " \t\n\r.*_`\"'“”‘’!:;,=$#|[]{}\u200b\ufeff"
_PARENTHESIS = re.compile(r"([^()]+?)\s*\(([^()]*)\)")
_JOINED = re.compile(r"([01]|[a-z][a-z -]*?)\s*(?:[-=]+>|[-–—:=,/→|]|\s(?=[\w(]))\s*(.+)", re.DOTALL)
#: What says that the value before it is not meant as it stands: near its beginning, and anywhere.
_HEDGE = re.compile(
    r"(?:\S+\s+){0,3}?(?:partial\w*|partly|mostly|largely|somewhat|nearly|almost|or|maybe|perhaps|unsure|uncertain|but|in\s+part|"
    r"with\s+(?!no\b|out\b)(?:\w+\s+)?(?:reservations?|caveats?|doubts?|hesitations?)|except|out\s+of|not\s+(?:sure|certain|entirely|fully|completely|wholly))\b|\s*[\d%?]"
)
#: What may follow a label after nothing but a space, see also ``_ALL``, ``_NONE`` and ``_ALONE``. Anything else is
#: counted ("1 error") or denied ("1 is wrong").
_AFTER_SPACE = re.compile(
    r"(?:because|since|as|for|due|the|this|it|its|i|my|we|both|means?|meaning|with|based|after|in(?!\s+\d)|"
    r"there\s+(?:is|are|was|were)|summary\s+(?:is|was))\b|\W"
)
#: Reasons that follow the same way: of everything, after 1; that something is missing, after 0.
_ALL = re.compile(r"(?:all|every|everything|each)\b")
_NONE = re.compile(r"(?:no|not|never|nowhere)\b")
_WRONG = (
    r"(?:errors?|mistakes?|inconsisten\w+|contradict\w*|discrepanc\w+|hallucinat\w*|issues?|problems?|wrong|false|"
    r"incorrect|inaccura\w+|unfaithful|unsupported|fabricat\w*)\b"
)
_DENIES = re.compile(rf"\b(?:but|except|apart|other|save|not|cannot|no|none|missing|lacks?|{_WRONG})\b|n['’]t\b")
_NO_FAULT = re.compile(rf"no\s+(?:\w+\s+)?{_WRONG}")
#: Reasons that contradict the label before them: a fault after 1, that there is none after 0.
_FAULT = re.compile(
    rf"(?:(?:an?|one|some|several|many|minor|[1-9]\d*)\s+(?:\w+\s+){{0,2}}{_WRONG}|"
    rf"(?:the|its|an?|one|some|this)\s+(?:\w+\s+){{1,3}}(?:is|are|was|were)\s+(?:\w+ly\s+)?{_WRONG})"
)
_FAULTLESS = re.compile(rf"(?:no|zero|0|without(?:\s+any)?|free\s+of)\s+(?:\w+\s+){{0,2}}{_WRONG}")
_ANOTHER = re.compile(r"(?<!agent )(?<!guideline )\b[01](?:\s*[:=(]|\s+(?:for|if)\b)")
#: How a reason begins; what is said of everything is said of the summary.
_REASON = re.compile(
    r"^(?:(?:because|since|as)\s+)?(?:(everything|(?:every|each)\s+\w+|"
    r"all(?:\s+(?:the\s+|its\s+)?(?:claims|statements|facts|details|sentences)\s+are)?)\b)?"
)
_OTHERS = re.compile(r"\s*agents?\s+[\d\s,and]+")
_LONGEST = 300
_DOCUMENT = (
    r"(?:the\s+|its\s+)?(?:given\s+|original\s+|source\s+)?(?:document|source|text|transcript|minutes|article|it)\b"
)
_CLAUSE = re.compile(rf"(?:(?:with|to|by)\s+{_DOCUMENT}|(?:because|since|as)\b)")
#: What may follow a word that repeats the label, so that it describes no noun ("0 inconsistent sentences").
_ALONE = re.compile(
    rf"$|[^\w\s]|\s(?:[-–—:=(]|summary\b|in\b(?!\s+\d)|{_CLAUSE.pattern}|"
    rf"and\s+[\w-]+(?:$|[^\w\s]|\s+{_CLAUSE.pattern}))"
)
_FULLY = re.compile(r"(?:fully|entirely|completely|wholly|factually|clearly)\s+")
_SENTENCE = re.compile(r"(?<=[.!?\n])\s*|[,;]\s+(?=(?:so|thus|hence|therefore)\b)", re.IGNORECASE)
_LEAD = (
    r"\W*(?:(?:and|so|thus|hence|therefore|overall|yes|no|finally|in\s+(?:conclusion|summary|short)|to\s+conclude|"
    r"i\s+(?:still\s+)?(?:conclude|find|think|believe|maintain|agree(?:\s+with\s+agents?\s+[\d\s,and]+)?)(?:\s+that)?|"
    r"my\s+(?:\w+\s+)?(?:verdict|conclusion|answer)\s+is\s+that)\W+)*"
)
_SUBJECT = r"(?:(?:the|this)\s+)?(?:(?:given|provided)\s+)?(?:summary|sentence|claim|statement|it)(?:\s+sentence)?"
_ADVERBS = r"(?:\s+(?:therefore|thus|indeed|still|entirely|fully|completely|wholly|factually))*"
_REST = re.compile(
    rf"(?:,?\s*(?:with|to|by)\s+{_DOCUMENT}(?:\s+(?:above|provided))?)?\W*(?:(?:because|since|as)\b.*)?", re.DOTALL
)
_BUT = re.compile(
    r"\b(?:but|however|except|although|though|yet|nevertheless|nonetheless|that said|apart from)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ModeWords:
    """The wordings of the two answers to a question.

    Parameters
    ----------
    one, zero : lower-case words and phrases that mean 1 and 0.
    statement : words of a plain sentence that says so, such as "consistent" in "the summary is consistent"; each
        stands for 1, and for 0 after a negation or with one of ``prefixes`` before it.
    prefixes : what turns a word into its opposite.
    """

    one: frozenset[str]
    zero: frozenset[str]
    statement: tuple[str, ...]
    prefixes: tuple[str, ...] = ("in", "un", "non-", "non ", "non", "in-", "un-")

    def value(self, text: str) -> int | None:
        """1, 0, or None if the text hedges or says both.

        Examples
        --------
        >>> [CONSISTENCY.value(t) for t in ("1", "Not consistent", "1 (consistent)", "0: the date is wrong")]
        [1, 0, 1, 0]
        >>> [CONSISTENCY.value(t) for t in ("0.5", "partly consistent", "1 (inconsistent)", "0 or 1")]
        [None, None, None, None]
        >>> [CONSISTENCY.value(t) for t in ("0 inconsistencies found", "1 unsupported claim", "no contradiction")]
        [None, None, None]
        """
        plain = re.sub(r"^([01])\s*\n", r"\1: ", text.strip(_EDGES)[:_LONGEST])
        plain = re.sub(r"\s+", " ", plain.lower())
        wrapped = _WRAPPED.fullmatch(plain)
        if wrapped is not None:
            return self.value(next(part for part in wrapped.groups() if part is not None))
        plain = re.sub(r"^labels?\s*[:=]\s*|^(?:fully|entirely|completely|wholly)\s+", "", plain)
        if plain in self.one | self.zero:
            return int(plain in self.one)
        aside = _PARENTHESIS.fullmatch(plain)
        if aside is not None:
            if _OTHERS.fullmatch(aside[2]):  # the label that somebody else holds
                return None
            return self._agreed(self.value(aside[1]), aside[2], reasons=True)
        joined = _JOINED.fullmatch(plain)
        if joined is not None:
            for head, rest in ((joined[1], joined[2]), *self._longer_heads(plain)):
                if self._is_counted(head, rest, plain) or self._is_key(head, rest, plain):
                    return None
                if head in self.one | self.zero:
                    reasons = head in ("0", "1") or _CLAUSE.match(rest) is not None
                    return self._agreed(int(head in self.one), rest, reasons=reasons)
        said = self.said(plain)
        return said.pop() if len(said) == 1 else None

    def _is_counted(self, head: str, rest: str, plain: str) -> bool:
        """Whether the head is a number, or "no", of what the rest names, and so no label."""
        if plain[len(head) : len(head) + 1] != " " or not plain[len(head) + 1 :].startswith(rest):
            return False
        if head == "no":
            return rest in self.one | self.zero
        if head not in ("0", "1") or _AFTER_SPACE.match(rest):
            return False
        if head == "1" and (_NO_FAULT.match(rest) or (_ALL.match(rest) and not _DENIES.search(rest))):
            return False
        if head == "0" and (_ALL.match(rest) or (_NONE.match(rest) and not re.search(rf"\b{_WRONG}", rest))):
            return False
        same = self.one if head == "1" else self.zero
        return not any(
            text.startswith(word) and _ALONE.match(text[len(word) :])
            for text in (rest, _FULLY.sub("", rest, count=1) if _FULLY.match(rest) else rest)
            for word in same
        )

    def _is_key(self, head: str, rest: str, plain: str) -> bool:
        """Whether the head names what the rest counts or denies: "hallucinated: no" is no label."""
        sign = plain[len(head) :].strip()[:1]
        return sign in (":", "=") and head in self.zero and head != "0" and rest in ("0", "no", "none", "false", "zero")

    def _longer_heads(self, plain: str) -> list[tuple[str, str]]:
        """Phrases of several words with which the text begins, the longest first."""
        heads = sorted((p for p in self.one | self.zero if " " in p or "-" in p), key=len, reverse=True)
        return [
            (h, plain[len(h) :].lstrip(" -–—:=,/→|")) for h in heads if plain.startswith((f"{h} ", f"{h},", f"{h}:"))
        ]

    def _agreed(self, value: int | None, more: str, *, reasons: bool) -> int | None:
        """The value, unless the rest retracts it; with ``reasons`` the rest may be anything else."""
        other = self.value(more)
        if value is None or other is not None:
            return value if other == value else None
        if _HEDGE.match(more) or _ANOTHER.search(more) or (_FAULT if value else _FAULTLESS).match(more):
            return None
        said = self.said(_REASON.sub(lambda m: ("it is" if m[1].endswith(" are") else "it") if m[1] else "", more))
        return value if said <= {value} and (said or reasons) else None

    def said(self, text: str) -> set[int]:
        """The answers in plain sentences about the summary: a set of 1 and 0, both if they contradict each other.

        Only a sentence that says just that counts, with the document and a reason at most: no question, no condition,
        nothing that is reported, denied or hedged. Where a "but" follows, nothing was said.

        Examples
        --------
        >>> CONSISTENCY.said("Therefore, the summary is not consistent with the document.")
        {0}
        >>> CONSISTENCY.said("Agent 1 says the summary is consistent. I don't think it is faithful.")
        set()
        """
        words = "|".join(map(re.escape, self.statement))
        prefixes = "|".join(map(re.escape, sorted(self.prefixes, key=len, reverse=True)))
        pattern = re.compile(
            rf"{_LEAD}{_SUBJECT}\s*\b(?:is|was|seems|appears|remains)(?P<nt>n['’]t)?(?:\s+to\s+be)?{_ADVERBS}(?P<no>\s+not)?"
            rf"(?:\s+factually)?\s+(?P<prefix>{prefixes})?(?:{words})\b(?P<rest>.*)",
            re.IGNORECASE | re.DOTALL,
        )
        found = set()
        for sentence in _SENTENCE.split(text):
            match = pattern.fullmatch(sentence.strip())
            if match is not None and not sentence.rstrip().endswith("?") and _REST.fullmatch(match["rest"].strip()):
                found.add(0 if bool(match["nt"] or match["no"]) != bool(match["prefix"]) else 1)
            elif found and _BUT.search(sentence):
                return set()
        return found


_ONE = (
    "1|1.0|one|consistent|factually consistent|faithful|factual|accurate|yes|true|correct|supported|entailed|entailment"
)
_ZERO = (
    "0|0.0|zero|inconsistent|factually inconsistent|not consistent|not factually consistent|in-consistent|"
    "non-consistent|nonconsistent|unfaithful|not faithful|non-faithful|nonfaithful|non-factual|nonfactual|not factual|"
    "inaccurate|not accurate|no|false|incorrect|factually incorrect|not correct|hallucinated|unsupported|not supported|"
    "not entailed|contradicted|contradiction|contradictory"
)
CONSISTENCY = ModeWords(
    one=frozenset(_ONE.split("|")),
    zero=frozenset(_ZERO.split("|")),
    statement=("consistent", "faithful", "factual", "supported", "entailed"),
)
