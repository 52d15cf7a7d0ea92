"""The strict rules implemented again in Python, as a check that shares no code with the rule file.

Inverse and converse errors are decided here by trying every truth assignment, where the rule file propagates.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Literal, TypeAlias

from fallax.core.types.logic import Argument, Derivation, Fact, Negation, Quantity
from fallax.errors import LogicError
from fallax.oracle._joins_paper import paper_derivations
from fallax.oracle._oracle import admitted, dress
from fallax.oracle._rules import Phrases, load_rule_base

__all__ = ["check_by_joins"]

Kind: TypeAlias = Literal["fallacy", "sound"]
Argued: TypeAlias = tuple[Kind, str, Fact, dict[str, Argument], list[Fact]]
Row: TypeAlias = tuple[str, ...]

#: Trying all assignments of more propositions than this takes too long.
MAX_PROPOSITIONS = 16


class _Instance:
    """The statements of one instance, by predicate and truth, without id and truth."""

    def __init__(self, name: str, fallacy: str, facts: Iterable[Fact]) -> None:
        self.name = name
        self.fallacy = fallacy
        self._rows: dict[tuple[str, str], list[tuple[Argument, ...]]] = {}
        for fact in facts:
            self._rows.setdefault((fact.predicate, str(fact.args[-1])), []).append(fact.args[1:-1])

    def rows(self, predicate: str, truth: bool = True) -> list[tuple[Argument, ...]]:
        return self._rows.get((predicate, "true" if truth else "false"), [])

    def atoms(self, predicate: str, truth: bool = True) -> list[Row]:
        """Rows of a predicate that has atoms only."""
        return [tuple(str(a) for a in row) for row in self.rows(predicate, truth)]

    def fact(self, predicate: str, *args: Argument, truth: bool = True) -> Fact:
        return Fact(predicate, (self.name, *args, "true" if truth else "false"))


def _both() -> Iterator[tuple[Kind, bool]]:
    yield "fallacy", False
    yield "sound", True


def _accident(i: _Instance) -> Iterator[Argued]:
    for kind, free in _both():
        rule = "rule_applied" if free else "exception_ignored"
        for r, p in i.atoms("demands"):
            for r2, c in i.atoms("covers"):
                for r3, c2, w in i.atoms("excepted", not free):
                    if r == r2 == r3 and c == c2:
                        used = [i.fact("demands", r, p), i.fact("covers", r, c)]
                        used.append(i.fact("excepted", r, c, w, truth=not free))
                        yield kind, rule, Fact("has", (c, p)), {"rule": r, "demand": p, "case": c, "reason": w}, used


def _times(dose: Argument, n: Argument, total: Argument) -> Fraction | None:
    """How many times the dose is the total, if that is n, whole, and two or more."""
    if isinstance(n, Fraction) and n >= 2 and n.denominator == 1 and isinstance(dose, Quantity):
        return n if total == Quantity(dose.number * n, dose.unit) else None
    return None


def _distribution(i: _Instance) -> Iterator[Argued]:
    names = {
        ("pooled", "fallacy"): "doses_pooled",
        ("pooled", "sound"): "doses_added",
        ("shared_out", "fallacy"): "total_shared_out",
        ("shared_out", "sound"): "total_divided",
    }
    for (kind, adds), way in itertools.product(_both(), ("pooled", "shared_out")):
        for row in i.rows(way):
            a, first, n, second = row
            dose, total = (first, second) if way == "pooled" else (second, first)
            times = _times(dose, n, total)
            if times is None:
                continue
            for a2, given, effect, m in i.rows("gives"):
                if a2 != a or given != first or not isinstance(effect, Quantity):
                    continue
                for a3, m2, w in i.rows("adds_up", adds):
                    if (a3, m2) != (a, m):
                        continue
                    number = effect.number * times if way == "pooled" else effect.number / times
                    made = Fact("gives", (a, second, Quantity(number, effect.unit), m))
                    slots = {"action": a, "dose": dose, "n": n, "total": total, "measure": m}
                    slots |= {"effect": effect, "reason": w}
                    used = [i.fact(way, *row), i.fact("gives", a, first, effect, m)]
                    used.append(i.fact("adds_up", a, m, w, truth=adds))
                    yield kind, names[way, kind], made, slots, used


def _false_cause(i: _Instance) -> Iterator[Argued]:
    for kind, stays in _both():
        rule = "link_survives_control" if stays else "third_event_ignored"
        for a, b in i.atoms("follows"):
            for c, b2, v in i.atoms("causes"):
                for a3, b3, c3, w in i.atoms("persists", stays):
                    if b2 == b and (a3, b3, c3) == (a, b, c):
                        slots = {"earlier": a, "later": b, "fixed": c, "mechanism": v, "reason": w}
                        used = [i.fact("follows", a, b), i.fact("causes", c, b, v)]
                        used.append(i.fact("persists", a, b, c, w, truth=stays))
                        yield kind, rule, Fact("causes", (a, b)), dict(slots), used


def _analogy(i: _Instance) -> Iterator[Argued]:
    having = set(i.atoms("has"))
    for kind, relevant in _both():
        rule = "shared_property_relevant" if relevant else "shared_property_irrelevant"
        for x, y, w in i.atoms("bears_on", relevant):
            for p, q in itertools.product(sorted({thing for thing, _ in having}), repeat=2):
                if {(p, x), (p, y), (q, x)} <= having:
                    slots = {"source": p, "target": q, "shared": x, "inferred": y, "reason": w}
                    used = [i.fact("bears_on", x, y, w, truth=relevant), i.fact("has", p, x), i.fact("has", p, y)]
                    used.append(i.fact("has", q, x))
                    yield kind, rule, Fact("has", (q, y)), dict(slots), used


def _premise(i: _Instance) -> Iterator[Argued]:
    for kind, true in _both():
        rule = "premise_true" if true else "premise_false"
        for p, o, g in i.atoms("licenses"):
            for o2, v in i.atoms("holds"):
                for p2, w in i.atoms("holds", true):
                    if o2 == o and p2 == p:
                        slots = {"premise": p, "observation": o, "conclusion": g, "seen": v, "reason": w}
                        used = [i.fact("licenses", p, o, g), i.fact("holds", o, v), i.fact("holds", p, w, truth=true)]
                        yield kind, rule, Fact("holds", (g,)), dict(slots), used


def _composition(i: _Instance) -> Iterator[Argued]:
    for kind, carries in _both():
        rule = "property_carries_over" if carries else "property_does_not_carry_over"
        for part, whole in i.atoms("part_of"):
            for thing, prop in i.atoms("has"):
                for prop2, part2, whole2, w in i.atoms("carries_over", carries):
                    if thing == part and (prop2, part2, whole2) == (prop, part, whole):
                        slots = {"part": part, "whole": whole, "property": prop, "reason": w}
                        used = [i.fact("part_of", part, whole), i.fact("has", part, prop)]
                        used.append(i.fact("carries_over", prop, part, whole, w, truth=carries))
                        yield kind, rule, Fact("has", (whole, prop)), dict(slots), used


def _ways(edges: list[Row], start: str, closed: set[str]) -> Iterator[list[Row]]:
    """Paths from a node along edges, shortest first; each node once, without the closed ones."""
    queue: list[tuple[str, list[Row]]] = [(start, [])]
    seen = {start, *closed}
    for node, way in queue:
        yield way
        for edge in edges:
            if edge[0] == node and edge[1] not in seen:
                seen.add(edge[1])
                queue.append((edge[1], [*way, edge]))


def _question(i: _Instance) -> Iterator[Argued]:
    edges = i.atoms("rests_on")
    groundless = {claim: w for claim, w in i.atoms("grounded", False)}
    ground = {claim: w for claim, w in i.atoms("grounded")}
    for c, a in edges:
        first = i.fact("rests_on", c, a)
        bare = [e for e in edges if e[0] in groundless and (e[1] in groundless)]
        for way in _ways(bare, a, {c}) if a in groundless else ():
            last = way[-1][1] if way else a
            if (last, c) in edges:
                used = [first, i.fact("grounded", a, groundless[a], truth=False)]
                for x, y in way:
                    used += [i.fact("rests_on", x, y), i.fact("grounded", y, groundless[y], truth=False)]
                used.append(i.fact("rests_on", last, c))
                yield "fallacy", "support_rests_on_claim", Fact("holds", (c,)), {"claim": c, "support": a}, used
                break
        for way in _ways(edges, a, {c}):
            last = way[-1][1] if way else a
            if last in ground:
                used = [first, *(i.fact("rests_on", x, y) for x, y in way), i.fact("grounded", last, ground[last])]
                yield "sound", "support_grounded", Fact("holds", (c,)), {"claim": c, "support": a}, used
                break


def _contextomy(i: _Instance) -> Iterator[Argued]:
    for kind, kept in _both():
        rule = "quote_kept" if kept else "quote_distorted"
        for (q, m), (q2, d) in itertools.product(i.atoms("says"), i.atoms("taken_as")):
            for (m3, d3, w), (d4, g) in itertools.product(i.atoms("faithful", kept), i.atoms("entails")):
                if q == q2 and (m3, d3, d4) == (m, d, d):
                    slots = {"quote": q, "meaning": m, "reading": d, "conclusion": g, "reason": w}
                    used = [i.fact("says", q, m), i.fact("taken_as", q, d)]
                    used += [i.fact("faithful", m, d, w, truth=kept), i.fact("entails", d, g)]
                    yield kind, rule, Fact("holds", (g,)), dict(slots), used


def _models(i: _Instance) -> list[dict[str, bool]]:
    """Every truth assignment to the propositions of an instance that satisfies its implications."""
    edges, named = i.atoms("implies"), [*i.atoms("implies"), *i.atoms("implies", False)]
    cases = [*i.atoms("case"), *i.atoms("case", False)]
    propositions = sorted({p for e in named for p in e} | {p for _, p in cases})
    if len(propositions) > MAX_PROPOSITIONS:
        raise LogicError(
            f"instance {i.name}: must have at most {MAX_PROPOSITIONS} propositions to be decided by trying all"
            f" assignments, got {len(propositions)}; use Oracle"
        )
    tried = (
        dict(zip(propositions, v, strict=True)) for v in itertools.product((False, True), repeat=len(propositions))
    )
    return [v for v in tried if all(v[b] or not v[a] for a, b in edges)]


def _implication(i: _Instance) -> Iterator[Argued]:
    edges = i.atoms("implies")
    models = _models(i)
    known: dict[str, dict[str, bool]] = {}
    for truth in (True, False):
        for w, p in i.atoms("case", truth):
            known.setdefault(w, {})[p] = truth
    of = {w: [v for v in models if all(v[p] == t for p, t in facts.items())] for w, facts in known.items()}
    if not all(of.values()) or not all(any(v[a] and not v[b] for v in models) for a, b in i.atoms("implies", False)):
        return
    inverse = i.fallacy == "inverse_error"
    for a, b in edges:
        plain = {"antecedent": a, "consequent": b}
        first = i.fact("implies", a, b)
        turned = Fact("implies", (Negation(a), Negation(b)) if inverse else (b, a))
        yield "sound", "contrapositive", Fact("implies", (Negation(b), Negation(a))), dict(plain), [first]
        for way in _ways(edges, b, set()):
            last = way[-1][1] if way else b
            if (last, a) in edges:
                used = [first, *(i.fact("implies", x, y) for x, y in way), i.fact("implies", last, a)]
                yield "sound", "equivalence", turned, dict(plain), used
                break
        for w, facts in known.items():
            if not any(v[b] and not v[a] for v in of[w]) or facts.get(a) is not False:
                continue
            slots: dict[str, Argument] = {**plain, "witness": w}
            if inverse and facts.get(b):
                used = [first, i.fact("case", w, a, truth=False), i.fact("case", w, b)]
                yield "fallacy", "inverse", turned, slots, used
            for x, b2 in edges if not inverse else ():
                if b2 == b and facts.get(x):
                    used = [first, i.fact("implies", x, b), i.fact("case", w, a, truth=False), i.fact("case", w, x)]
                    yield "fallacy", "converse", turned, {**slots, "rival": x}, used


def _direction(i: _Instance) -> Iterator[Argued]:
    for a, b in i.atoms("together"):
        for (a2, b2, v), (b3, a3, w) in itertools.product(i.atoms("depends"), i.atoms("depends", False)):
            if (a2, b2) == (a3, b3) == (a, b):
                slots: dict[str, Argument] = {"dependent": a, "source": b, "mechanism": v, "reason": w}
                used = [i.fact("together", a, b), i.fact("depends", a, b, v), i.fact("depends", b, a, w, truth=False)]
                yield "fallacy", "direction_reversed", Fact("causes", (a, b)), slots, used
                yield "sound", "direction_kept", Fact("causes", (b, a)), slots, used


def _equivocation(i: _Instance) -> Iterator[Argued]:
    for (p, s), (t, s1) in itertools.product(i.atoms("true_of"), i.atoms("means")):
        if s != s1:
            continue
        base = [i.fact("true_of", p, s), i.fact("means", t, s)]
        slots: dict[str, Argument] = {"word": t, "premise_sense": s, "property": p}
        for x, s2, w in i.atoms("falls_under"):
            if s2 == s:
                full = {**slots, "thing_sense": s, "thing": x, "reason": w}
                yield "sound", "sense_kept", Fact("has", (x, p)), full, [*base, i.fact("falls_under", x, s, w)]
        for (x, s2, w), (t3, s3), (x4, s4, v) in itertools.product(
            i.atoms("falls_under", False), i.atoms("means"), i.atoms("falls_under")
        ):
            if s2 == s and t3 == t and x4 == x and s4 == s3:
                full = {**slots, "thing_sense": s3, "thing": x, "reason": w}
                used = [*base, i.fact("falls_under", x, s, w, truth=False), i.fact("means", t, s3)]
                used.append(i.fact("falls_under", x, s3, v))
                yield "fallacy", "sense_shifted", Fact("has", (x, p)), full, used


def _nominal(i: _Instance) -> Iterator[Argued]:
    for (f, word), (f2, stands, w), (r, g) in itertools.product(
        i.atoms("literal"), i.atoms("meant"), i.atoms("entails")
    ):
        if f == f2 and word == stands == r:
            used = [i.fact("literal", f, word), i.fact("meant", f, word, w), i.fact("entails", word, g)]
            plain: dict[str, Argument] = {"figure": f, "literal": word, "conclusion": g, "reason": w}
            yield "sound", "words_meant_as_they_stand", Fact("holds", (g,)), plain, used
    readings = itertools.product(i.atoms("literal"), i.atoms("figurative"))
    meanings = list(itertools.product(i.atoms("meant", False), i.atoms("meant")))
    for (f, word), (f2, sense) in readings:
        for (f3, not_meant, w), (f4, meant, v) in meanings:
            if f == f2 == f3 == f4 and (not_meant, meant) == (word, sense):
                base = [i.fact("literal", f, word), i.fact("meant", f, word, w, truth=False)]
                base += [i.fact("figurative", f, sense), i.fact("meant", f, sense, v)]
                slots: dict[str, Argument] = {"figure": f, "literal": word, "figurative": sense}
                for r, g in i.atoms("entails"):
                    used = [*base, i.fact("entails", r, g)]
                    if r == word:
                        full = {**slots, "conclusion": g, "reason": w}
                        yield "fallacy", "figure_taken_literally", Fact("holds", (g,)), full, used
                    if r == sense:
                        full = {**slots, "conclusion": g, "reason": v}
                        yield "sound", "figure_understood", Fact("holds", (g,)), full, used


def _dilemma(i: _Instance) -> Iterator[Argued]:
    for (a, b), (a2, u) in itertools.product(i.atoms("offered"), i.atoms("ruled_out")):
        if a2 != a:
            continue
        base = [i.fact("offered", a, b), i.fact("ruled_out", a, u)]
        thirds = [(c, v) for a3, b3, c, v in i.atoms("third") if (a3, b3) == (a, b)]
        for kind, closed in _both():
            for a4, b4, w in i.atoms("exhaustive", closed):
                if (a4, b4) != (a, b):
                    continue
                used = [*base, i.fact("exhaustive", a, b, w, truth=closed)]
                slots: dict[str, Argument] = {"out": a, "left": b, "reason": w}
                if closed and not thirds:
                    yield kind, "disjunctive_syllogism", Fact("holds", (b,)), slots, used
                for c, v in thirds if not closed else ():
                    full = {**slots, "third": c, "witness": v}
                    full_used = [*used, i.fact("third", a, b, c, v)]
                    yield kind, "third_option_ignored", Fact("holds", (b,)), full, full_used


_ARGUE: dict[str, Callable[[_Instance], Iterator[Argued]]] = {
    "accident_fallacy": _accident,
    "improper_distribution_or_addition": _distribution,
    "false_cause": _false_cause,
    "false_analogy": _analogy,
    "false_premise": _premise,
    "fallacy_of_composition": _composition,
    "begging_the_question": _question,
    "contextomy": _contextomy,
    "inverse_error": _implication,
    "improper_transposition": _implication,
    "wrong_direction": _direction,
    "equivocation": _equivocation,
    "nominal_fallacy": _nominal,
    "false_dilemma": _dilemma,
}


def _stated(i: _Instance, conclusion: Fact, truth: bool) -> bool:
    """Whether an instance states the conclusion of an argument as a fact."""
    args = conclusion.args
    width = {"has": 2, "causes": 2, "holds": 1, "gives": 4}.get(conclusion.predicate)
    if width is None:
        return False
    if any(row[:width] == args for row in i.rows(conclusion.predicate, truth)):
        return True
    if truth:
        return False
    if conclusion.predicate == "holds":
        return any(row[0] == args[0] for row in i.rows("ruled_out"))
    if conclusion.predicate == "gives":
        return any((r[0], r[1], r[3]) == (args[0], args[1], args[3]) and r[2] != args[2] for r in i.rows("gives"))
    return False


def check_by_joins(
    facts: str | Iterable[Fact], fallacy: str | None = None, *, rule_base: str = "strict"
) -> tuple[Derivation, ...]:
    """The same result as :meth:`Oracle.check`, computed without Prolog by an independent program.

    Slower on large sets; meant as a second opinion, and for looking at a few instances where SWI-Prolog is missing.

    Parameters
    ----------
    facts : facts, or a text of facts (read strictly).
    fallacy : one type only; all by default.
    rule_base : "strict" or "paper".

    Returns
    -------
    tuple of Derivation : the same derivations as the oracle's; their order may differ.

    Raises
    ------
    LogicError
        If a fact is not admitted, or an instance has more propositions than can be tried.

    Examples
    --------
    >>> from fallax.oracle import seed_facts
    >>> sorted({d.kind for d in check_by_joins(seed_facts("inverse error"))})
    ['fallacy', 'sound']
    """
    base = load_rule_base(rule_base)
    wanted = None if fallacy is None else base.resolve(fallacy)
    found = admitted(facts, base)
    if not base.instances:
        names = base.fallacies if wanted is None else (wanted,)
        return tuple(dict.fromkeys(d for name in names for d in paper_derivations(found, name, str(base))))
    headers = {str(f.args[0]): str(f.args[1]) for f in found if f.predicate == "instance"}
    groups: dict[str, list[Fact]] = {name: [] for name in headers}
    for fact in found:
        if base.predicates[fact.predicate].kind == "statement":
            groups[str(fact.args[0])].append(fact)
    phrases = Phrases(base, found)
    derived: dict[Derivation, None] = {}
    for name, group in groups.items():
        if wanted is None or headers[name] == wanted:
            for kind, rule, conclusion, slots, used in _decided(_Instance(name, headers[name], group)):
                d = Derivation(headers[name], kind, name, rule, conclusion, tuple(used), slots, rule_base=str(base))
                derived.setdefault(dress(d, phrases))
    return tuple(derived)


def _decided(i: _Instance) -> Iterator[Argued]:
    """The arguments of an instance, without the vetoed and the undecided ones."""
    argued = list(_ARGUE[i.fallacy](i))
    reached = {(kind, conclusion) for kind, _, conclusion, _, _ in argued}
    for one in argued:
        kind, conclusion = one[0], one[2]
        other: Kind = "sound" if kind == "fallacy" else "fallacy"
        if (other, conclusion) in reached or _stated(i, conclusion, True):
            continue
        if kind == "sound" and _stated(i, conclusion, False):
            continue
        if conclusion.predicate == "implies" and conclusion.args in i.rows("implies"):
            continue
        yield one
