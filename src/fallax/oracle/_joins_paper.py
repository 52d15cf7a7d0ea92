"""The schemas of Xu et al. 2025 implemented again in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from fallax.core.types.logic import Derivation, Fact

__all__ = ["paper_derivations"]

Row: TypeAlias = tuple[str, ...]
#: Rule, conclusion arguments, slots, facts used.
Argued: TypeAlias = tuple[str, Row, dict[str, str], list[tuple[str, Row]]]


class _Table:
    def __init__(self, facts: Sequence[Fact]) -> None:
        self._rows: dict[str, dict[Row, None]] = {}
        for fact in facts:
            self._rows.setdefault(fact.predicate, {})[tuple(str(a) for a in fact.args)] = None

    def rows(self, predicate: str) -> dict[Row, None]:
        return self._rows.get(predicate, {})

    def starting(self, predicate: str, *prefix: str) -> Iterator[Row]:
        return (row for row in self.rows(predicate) if row[: len(prefix)] == prefix)


def _accident(t: _Table) -> Iterator[Argued]:
    for o, r in t.rows("has_rule"):
        for _, i in t.starting("rule_reasonable_interpretation", r):
            for _, k in t.starting("rule_unreasonable_interpretation", r):
                if i != k:
                    used: list[tuple[str, Row]] = [("has_rule", (o, r)), ("rule_reasonable_interpretation", (r, i))]
                    used.append(("rule_unreasonable_interpretation", (r, k)))
                    yield "R-AF", (o, r, i, k), {"object": o, "rule": r, "reasonable": i, "unreasonable": k}, used


def _distribution(t: _Table) -> Iterator[Argued]:
    sums = t.rows("valid_accumulate")
    for x, a, e in t.rows("has_effect"):
        for _, d, f in t.starting("has_effect", x):
            for _, r, d2 in t.starting("valid_accumulate", a):
                if d2 == d and (e, r, f) not in sums:
                    slots = {"action": x, "one": a, "sum": d, "effect": e, "sum_effect": f, "repetition": r}
                    used: list[tuple[str, Row]] = [
                        ("has_effect", (x, a, e)),
                        ("has_effect", (x, d, f)),
                        ("valid_accumulate", (a, r, d)),
                    ]
                    yield "R-ID", (a, d, e, f), slots, used


def _analogy(t: _Table) -> Iterator[Argued]:
    having = t.rows("has_property")
    for p, x in having:
        for q, x2 in having:
            for _, y in t.starting("has_property", p):
                if x2 == x and p != q and (q, y) not in having:
                    slots = {"source": p, "target": q, "shared": x, "inferred": y}
                    used: list[tuple[str, Row]] = [
                        ("has_property", (p, x)),
                        ("has_property", (q, x)),
                        ("has_property", (p, y)),
                    ]
                    yield "R-FA", (p, q, x, y), slots, used


def _premise(t: _Table) -> Iterator[Argued]:
    for x, f in t.rows("established_fact"):
        for _, p in t.starting("false_premise", f):
            for o, p2 in t.rows("plausible_observation"):
                for _, _, g in t.starting("false_premise_lead_conclusion", p, o) if p2 == p else ():
                    slots = {"condition": x, "fact": f, "premise": p, "observation": o, "conclusion": g}
                    used: list[tuple[str, Row]] = [
                        ("established_fact", (x, f)),
                        ("false_premise", (f, p)),
                        ("plausible_observation", (o, p)),
                    ]
                    used.append(("false_premise_lead_conclusion", (p, o, g)))
                    yield "R-FP", (x, f, p, o, g), slots, used


def _composition(t: _Table) -> Iterator[Argued]:
    for x, p in t.rows("has_property"):
        for _, w in t.starting("is_part_of", x):
            if (w, p) in t.rows("lacks_property"):
                used: list[tuple[str, Row]] = [
                    ("has_property", (x, p)),
                    ("is_part_of", (x, w)),
                    ("lacks_property", (w, p)),
                ]
                yield "R-FC", (x, p, w), {"part": x, "property": p, "whole": w}, used


def _question(t: _Table) -> Iterator[Argued]:
    for c, a in t.rows("claim_and_argument"):
        for _, e in t.starting("explicit_meaning_of_argument", a):
            if (e, c) in t.rows("explicit_meaning_rely_on_claim"):
                used: list[tuple[str, Row]] = [("claim_and_argument", (c, a)), ("explicit_meaning_of_argument", (a, e))]
                used.append(("explicit_meaning_rely_on_claim", (e, c)))
                yield "R-BQ", (c, a), {"claim": c, "argument": a, "meaning": e}, used


def _contextomy(t: _Table) -> Iterator[Argued]:
    for q, m in t.rows("quote_context"):
        for _, d in t.starting("quote_out_of_context", q):
            for _, f in t.starting("fact_related_out_of_context", d):
                for _, g in t.starting("improper_fact_quote_out_of_context", f):
                    slots = {"quote": q, "meaning": m, "misreading": d, "fact": f, "conclusion": g}
                    used: list[tuple[str, Row]] = [("quote_context", (q, m)), ("quote_out_of_context", (q, d))]
                    used += [("fact_related_out_of_context", (d, f)), ("improper_fact_quote_out_of_context", (f, g))]
                    yield "R-CT", (q, g), slots, used


def _inverse(t: _Table) -> Iterator[Argued]:
    for a, b in t.rows("implies"):
        if (b, a) in t.rows("implies"):
            continue
        for _, d in t.starting("complement_cases", a):
            for _, e in t.starting("complement_cases", b):
                slots = {"condition": a, "result": b, "other_condition": d, "other_result": e}
                used: list[tuple[str, Row]] = [
                    ("implies", (a, b)),
                    ("complement_cases", (a, d)),
                    ("complement_cases", (b, e)),
                ]
                yield "R-IE", (d, e), slots, used


def _closure(edges: Sequence[Row]) -> set[tuple[str, str]]:
    """All pairs connected by one or more edges (Warshall)."""
    nodes = sorted({n for edge in edges for n in edge})
    joined = {(a, b) for a, b in edges}
    for k in nodes:
        joined |= {(a, b) for a in nodes if (a, k) in joined for b in nodes if (k, b) in joined}
    return joined


def _transposition(t: _Table) -> Iterator[Argued]:
    edges = list(t.rows("implies"))
    joined = _closure(edges)
    for a, b in edges:
        for x, b2 in edges:
            if b2 == b and x != a and (a, x) not in joined and (x, a) not in joined:
                used: list[tuple[str, Row]] = [("implies", (a, b)), ("implies", (x, b))]
                yield "R-IT", (a, b), {"condition": a, "result": b, "rival": x}, used


def _direction(t: _Table) -> Iterator[Argued]:
    for x, p in t.rows("cause"):
        if (p, x) not in t.rows("cause") and all(z == x for z, p2 in t.rows("cause") if p2 == p):
            yield "R-WD", (p, x), {"cause": x, "effect": p}, [("cause", (x, p))]


def _false_cause(t: _Table, before: Callable[[int, int, str, str], bool], rule: str) -> Iterator[Argued]:
    rows = list(t.rows("happen_at"))
    for m, (s, a) in enumerate(rows):
        for n, (s2, e) in enumerate(rows):
            for x, e2 in t.rows("real_cause"):
                if s2 == s and e2 == e and x != a and before(m, n, a, e):
                    slots = {"earlier": a, "later": e, "scene": s, "real_cause": x}
                    used: list[tuple[str, Row]] = [("happen_at", (s, a)), ("happen_at", (s, e)), ("real_cause", (x, e))]
                    yield rule, (a, e), slots, used


def _by_place(t: _Table) -> Iterator[Argued]:
    return _false_cause(t, lambda m, n, a, e: m < n, "R-FS")


def _by_spelling(t: _Table) -> Iterator[Argued]:
    return _false_cause(t, lambda m, n, a, e: a < e, "R-FS-alphabetical")


_ARGUE: dict[str, Callable[[_Table], Iterator[Argued]]] = {
    "accident_fallacy": _accident,
    "improper_distribution_or_addition": _distribution,
    "false_analogy": _analogy,
    "false_premise": _premise,
    "fallacy_of_composition": _composition,
    "begging_the_question": _question,
    "contextomy": _contextomy,
    "inverse_error": _inverse,
    "improper_transposition": _transposition,
    "wrong_direction": _direction,
    "false_cause": _by_place,
    "false_cause_alphabetical": _by_spelling,
}


def paper_derivations(facts: Sequence[Fact], fallacy: str, rule_base: str) -> Iterator[Derivation]:
    """All derivations of one schema."""
    head = "false_cause" if fallacy == "false_cause_alphabetical" else fallacy
    for rule, args, slots, used in _ARGUE[fallacy](_Table(facts)):
        facts_used = tuple(Fact(name, row) for name, row in used)
        yield Derivation(fallacy, "fallacy", "", rule, Fact(head, args), facts_used, dict(slots), rule_base=rule_base)
