"""What the rules must derive, from the second evaluator, which shares no code with the rule file.

A rule file that has lost a condition, or names another slot, lists its facts in another order or takes a longer way,
derives
something else: :func:`disagreements` says so, whatever stands in the shipped file.
"""

import random
import re
from collections.abc import Iterator

from fallax.core.types.logic import Derivation, Fact
from fallax.errors import LogicError
from fallax.oracle._joins import _decided, _Instance
from fallax.oracle._oracle import _derivation
from tests.unit.oracle.conditions import BASE, RULES, conditions_of, corpus
from tests.unit.oracle.support import loose, solutions

#: What tells rule files apart that agree on the shipped instances and the cases of ``conditions``.
CASES = {
    "begging_the_question": """
        instance(own, begging_the_question). rests_on(own, c, a, true). rests_on(own, a, c, true).
        grounded(own, c, w, true).
        instance(two, begging_the_question). rests_on(two, c, a, true). rests_on(two, a, d, true). rests_on(two, a,
        b, true).
        rests_on(two, d, e, true). rests_on(two, e, f, true). grounded(two, f, w, true). grounded(two, b, v, true).
        instance(both, begging_the_question). rests_on(both, c, a, true). rests_on(both, a, d, true).
        rests_on(both, a, b, true). rests_on(both, d, e, true). rests_on(both, e, c, true). rests_on(both, b, c, true).
        grounded(both, a, w1, false). grounded(both, b, w2, false). grounded(both, d, w3, false). grounded(both, e,
        w4, false).
    """,
    "inverse_error": """
        instance(far, inverse_error). implies(far, a, b, true). implies(far, b, d, true). implies(far, d, e, true).
        implies(far, e, a, true). implies(far, b, f, true). implies(far, f, a, true).
        instance(two, inverse_error). implies(two, a, b, true). case(two, w, a, false). case(two, w, b, true).
        case(two, v, a, false). case(two, v, b, false).
    """,
    "improper_transposition": """
        instance(far, improper_transposition). implies(far, a, b, true). implies(far, b, d, true). implies(far, d, e,
        true).
        implies(far, e, a, true). implies(far, b, f, true). implies(far, f, a, true).
        instance(two, improper_transposition). implies(two, a, b, true). implies(two, x, b, true). implies(two, y, d,
        true).
        case(two, w, a, false). case(two, w, x, true). case(two, v, a, false). case(two, v, y, true). case(two, v, x,
        false).
        instance(one, improper_transposition). implies(one, a, b, true). implies(one, x, b, true). case(one, w, x,
        true).
        case(one, w, a, true).
    """,
    "nominal_fallacy": """
        instance(two, nominal_fallacy). literal(two, f, l, true). literal(two, g, l, true). meant(two, f, l, w, false).
        meant(two, g, l, v, true). figurative(two, f, m, true). figurative(two, g, n, true). meant(two, f, m, u, true).
        entails(two, l, c, true). entails(two, m, d, true). entails(two, n, e, true).
        instance(none, nominal_fallacy). literal(none, f, l, true). meant(none, f, l, w, false). entails(none, l, c,
        true).
        instance(half, nominal_fallacy). literal(half, f, l, true). figurative(half, f, m, true). meant(half, f, m,
        w, true).
        entails(half, m, c, true). entails(half, l, d, true).
        instance(figure, nominal_fallacy). literal(figure, f, l, true). meant(figure, g, l, w, true). entails(figure,
        l, c, true).
        instance(open, nominal_fallacy). literal(open, f, l, true). meant(open, f, l, w, false). figurative(open, f,
        m, true).
        meant(open, f, n, v, true). entails(open, m, c, true). entails(open, n, d, true). entails(open, l, e, true).
    """,
    "equivocation": """
        instance(two, equivocation). true_of(two, p, s, true). means(two, t, s, true). means(two, u, r, true).
        falls_under(two, a, s, w, false). falls_under(two, a, r, v, true). falls_under(two, b, s, z, true).
    """,
}


def facts_of(fallacy: str) -> list[Fact]:
    """The corpus of the conditions and the cases above."""
    return [*corpus(fallacy), *loose(CASES.get(fallacy, ""))]


def expected(fallacy: str, facts: list[Fact]) -> set[tuple[str, ...]]:
    """What the second evaluator derives, slots and facts included."""
    groups: dict[str, list[Fact]] = {}
    for fact in facts:
        groups.setdefault(str(fact.args[0]), []).append(fact)
    found = set()
    for name, group in groups.items():
        statements = [f for f in group if f.predicate != "instance"]
        for kind, rule, conclusion, slots, used in _decided(_Instance(name, fallacy, statements)):
            found.add(shown(Derivation(fallacy, kind, name, rule, conclusion, tuple(used), slots)))
    return found


def derived(fallacy: str, facts: list[Fact], rules: str | None = None) -> set[tuple[str, ...]]:
    """What a rule file derives; an error counts as something of its own."""
    try:
        found = [_derivation(term, BASE) for term in solutions(facts, fallacy, rules)]
    except LogicError as error:
        return {("error", str(error))}
    return {shown(d) for d in found}


def shown(d: Derivation) -> tuple[str, ...]:
    """All of a derivation as text."""
    slots = ", ".join(f"{k}={v}" for k, v in sorted(d.slots.items()))
    return (d.kind, d.instance, d.rule, str(d.conclusion), slots, " ".join(map(str, d.facts)))


def disagreements(fallacy: str, rules: str | None = None) -> list[tuple[str, ...]]:
    """What only the rule file or only the second evaluator derives."""
    facts = facts_of(fallacy)
    return sorted(derived(fallacy, facts, rules) ^ expected(fallacy, facts))


def mutants(n: int, seed: int = 0) -> Iterator[tuple[str, str, str]]:
    """Fallacy, what was changed, and a changed rule file: conditions dropped, slots and facts swapped, the search
    turned.

    The five that :data:`FIXED` lists come first, then ``n`` less five drawn from all the others.
    """
    yield from ((f, what, _replaced(old, new)) for f, what, old, new in FIXED[:n])
    others = [
        (name, f"{rule}: {what}", changed) for name, rule, head, body in RULES for what, changed in _of_rule(head, body)
    ]
    yield from random.Random(seed).sample(others, max(0, min(len(others), n - len(FIXED))))


#: Changes outside the rules: (fallacy that shows it, in words, what stands there, what it is changed to).
FIXED = [
    ("begging_the_question", "a ground through its own claim",
     "walk(I, ends, [[]-A], [A, C], Used)", "walk(I, ends, [[]-A], [A], Used)"),
    ("begging_the_question", "depth first", "append(Queue, New, Queue1)", "append(New, Queue, Queue1)"),
    ("inverse_error", "depth first", "append(Queue, New, Queue1)", "append(New, Queue, Queue1)"),
    ("begging_the_question", "a way backwards",
     "append(Last, Back, All), reverse(All, Used)", "append(Last, Back, Used)"),
    ("begging_the_question", "a circle through grounded claims", ", once(grounded(I, B, W, false))", ", W = w"),
    ("improper_transposition", "the veto on what is stated", "vetoed(_, I, C) :- stated(I, C, true).", ""),
]  # fmt: skip


def _replaced(old: str, new: str) -> str:
    assert old in BASE.rules, old
    return BASE.rules.replace(old, new)


def _of_rule(head: str, body: str) -> Iterator[tuple[str, str]]:
    conditions = conditions_of(body)
    for i, dropped in enumerate(conditions):
        yield (
            f"without {dropped}",
            BASE.rules.replace(head + body, head + ", ".join(conditions[:i] + conditions[i + 1 :] or ["{true}"])),
        )
    for i in range(len(conditions) - 1):
        if not any(c.startswith(("{", "via")) for c in conditions[i : i + 2]):
            turned = [*conditions[:i], conditions[i + 1], conditions[i], *conditions[i + 2 :]]
            yield f"{conditions[i]} after the next", BASE.rules.replace(head + body, head + ", ".join(turned))
    slots = re.search(r"\[(\w+, \w+), (\w+, \w+)", head)
    if slots:
        one, two = (s.split(", ") for s in slots.groups())
        swapped = head.replace(slots[0], f"[{one[0]}, {two[1]}, {two[0]}, {one[1]}")
        yield "slots swapped", BASE.rules.replace(head + body, swapped + body)
