"""What each condition of each strict rule excludes: drop it and see what the rule file then derives.

``python -m tests.unit.oracle.conditions`` writes the table in docs/design/oracle-conditions.md.
"""

import collections
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from fallax.core.types.logic import Fact
from fallax.oracle import load_rule_base, mutate, seed_facts
from fallax.oracle._oracle import statements
from tests.unit.oracle.support import loose, verdicts

PAGE = Path(__file__).parents[3] / "docs" / "design" / "oracle-conditions.md"
BASE = load_rule_base("strict")

#: What the shipped instances and their mutants do not show: per fallacy, instances (by their first argument).
CASES = {
    "accident_fallacy": """
        instance(x, accident_fallacy). demands(x, r, p, true). covers(x, r, c, true). excepted(x, r, c, w, true).
        demands(x, s, p, true). covers(x, s, c, true). excepted(x, s, c, w, false).
    """,
    "improper_distribution_or_addition": """
        instance(one, improper_distribution_or_addition). pooled(one, a, q(2, u), 1, q(2, u), true).
        gives(one, a, q(2, u), q(1, v), m, true). adds_up(one, a, m, w, false).
        instance(none, improper_distribution_or_addition). pooled(none, a, q(2, u), 0, q(0, u), true).
        gives(none, a, q(2, u), q(1, v), m, true). adds_up(none, a, m, w, false).
        instance(half, improper_distribution_or_addition). pooled(half, a, q(2, u), 2.5, q(5, u), true).
        gives(half, a, q(2, u), q(1, v), m, true). adds_up(half, a, m, w, false).
        instance(wrong, improper_distribution_or_addition). pooled(wrong, a, q(2, u), 7, q(15, u), true).
        gives(wrong, a, q(2, u), q(1, v), m, true). adds_up(wrong, a, m, w, false).
        gives(wrong, a, q(2, u), q(1, v), k, true). adds_up(wrong, a, k, w, true).
        shared_out(wrong, a, q(30, u), 7, q(4, u), true). gives(wrong, a, q(30, u), q(1, v), m, true).
        gives(wrong, a, q(30, u), q(1, v), k, true).
        instance(units, improper_distribution_or_addition). pooled(units, a, q(2, u), 7, q(14, other), true).
        gives(units, a, q(2, u), q(1, v), m, true). adds_up(units, a, m, w, false).
        instance(share, improper_distribution_or_addition). shared_out(share, a, q(9, u), 3, q(3, u), true).
        gives(share, a, q(9, u), q(1, v), m, true). adds_up(share, a, m, w, false).
        gives(share, a, q(9, u), q(1, v), k, true). adds_up(share, a, k, w, true).
        instance(known, improper_distribution_or_addition). pooled(known, a, q(2, u), 7, q(14, u), true).
        gives(known, a, q(2, u), q(1, v), m, true). adds_up(known, a, m, w, true).
        gives(known, a, q(14, u), q(3, v), m, true).
        instance(said, improper_distribution_or_addition). pooled(said, a, q(2, u), 7, q(14, u), true).
        gives(said, a, q(2, u), q(1, v), m, true). adds_up(said, a, m, w, false).
        gives(said, a, q(14, u), q(7, v), m, true).
        instance(denied, improper_distribution_or_addition). pooled(denied, a, q(2, u), 7, q(14, u), true).
        gives(denied, a, q(2, u), q(1, v), m, true). adds_up(denied, a, m, w, true).
        gives(denied, a, q(14, u), q(7, v), m, false).
    """,
    "false_cause": """
        instance(x, false_cause). follows(x, a, b, true). causes(x, a, b, v, true). causes(x, c, b, v, true).
        persists(x, a, b, c, w, false).
        instance(y, false_cause). follows(y, a, b, true). causes(y, a, b, v, false). causes(y, c, b, v, true).
        persists(y, a, b, c, w, true).
        instance(z, false_cause). follows(z, a, b, true). causes(z, c, b, v, true). causes(z, d, b, v, true).
        persists(z, a, b, c, w, true). persists(z, a, b, d, w, false).
    """,
    "false_analogy": """
        instance(x, false_analogy). bears_on(x, p, q, w, true). has(x, a, p, true). has(x, a, q, true).
        instance(y, false_analogy). bears_on(y, p, q, w, true). has(y, a, p, true). has(y, a, q, true).
        has(y, b, p, true). has(y, b, q, false).
        instance(z, false_analogy). bears_on(z, p, q, w, false). has(z, a, p, true). has(z, a, q, true).
        has(z, b, p, true). has(z, b, q, false).
    """,
    "false_premise": """
        instance(x, false_premise). licenses(x, p, o, g, true). holds(x, o, v, true). holds(x, p, w, false).
        holds(x, g, w, true).
        instance(y, false_premise). licenses(y, p, o, g, true). holds(y, o, v, true). holds(y, p, w, true).
        holds(y, g, w, false).
    """,
    "begging_the_question": """
        instance(way, begging_the_question). rests_on(way, c, a, true). rests_on(way, a, b, true).
        rests_on(way, b, c, true). grounded(way, a, w, false). grounded(way, b, w, true).
        instance(open, begging_the_question). rests_on(open, c, a, true). rests_on(open, a, b, true).
        rests_on(open, b, c, true). grounded(open, a, w, false).
        instance(long, begging_the_question). rests_on(long, c, a, true). rests_on(long, a, b, true).
        grounded(long, b, w, true).
        instance(loop, begging_the_question). rests_on(loop, c, a, true). rests_on(loop, a, b, true).
        rests_on(loop, b, a, true). grounded(loop, a, w, false). grounded(loop, b, w, false).
    """,
    "inverse_error": """
        instance(x, inverse_error). implies(x, a, b, true). implies(x, b, c, true). implies(x, c, a, true).
        instance(y, inverse_error). implies(y, a, b, true). implies(y, b, c, true). implies(y, c, a, true).
        case(y, w, a, false). case(y, w, b, true).
        instance(z, inverse_error). implies(z, a, b, true). implies(z, b, c, true). implies(z, a, c, false).
        instance(v, inverse_error). implies(v, a, b, true). case(v, w, a, false). case(v, w, b, true).
        case(v, u, a, true). case(v, u, b, false).
        instance(u, inverse_error). implies(u, a, b, true). implies(u, b, a, true).
    """,
    "improper_transposition": """
        instance(x, improper_transposition). implies(x, a, b, true). implies(x, b, c, true). implies(x, c, a, true).
        instance(y, improper_transposition). implies(y, a, b, true). implies(y, r, b, true). implies(y, b, a, true).
        case(y, w, a, false). case(y, w, r, true).
        instance(t, improper_transposition). implies(t, a, b, true). implies(t, r, b, true). implies(t, b, c, true).
        implies(t, c, a, true). case(t, w, a, false). case(t, w, r, true).
        instance(z, improper_transposition). implies(z, a, b, true). implies(z, b, c, true). implies(z, a, c, false).
        instance(u, improper_transposition). implies(u, a, b, true). implies(u, b, a, true).
    """,
    "equivocation": """
        instance(x, equivocation). true_of(x, p, s, true). means(x, t, s, true). means(x, t, r, true).
        falls_under(x, a, s, w, false). falls_under(x, a, q, w, true).
    """,
    "false_dilemma": """
        instance(x, false_dilemma). offered(x, a, b, true). ruled_out(x, a, u, true).
        exhaustive(x, a, b, w, true). third(x, a, b, c, v, true).
        instance(y, false_dilemma). offered(y, a, b, true). ruled_out(y, a, u, true). ruled_out(y, b, u, true).
        exhaustive(y, a, b, w, true).
    """,
}


#: Shipped instances per type whose mutants are run; more of them would show the same.
N_INSTANCES = 4


def corpus(fallacy: str) -> list[Fact]:
    """Shipped instances, their mutants and the cases above, each under an id of its own."""
    return [fact for group in named_corpus(fallacy).values() for fact in group]


def named_corpus(fallacy: str) -> dict[str, list[Fact]]:
    """The corpus by what each instance is: "af01", "af01, flip covers(..)", "case x"."""
    found: dict[str, list[Fact]] = {}
    for fact in loose(CASES.get(fallacy, "")):
        found.setdefault(f"case `{fact.args[0]}`", []).append(fact)
    groups = collections.defaultdict(list)
    for fact in statements(seed_facts(fallacy), BASE):
        groups[fact.args[0]].append(fact)
    for name, group in list(groups.items())[:N_INSTANCES]:
        found[f"`{name}`"] = group
        for n, mutant in enumerate(mutate(group)):
            facts = [Fact(f.predicate, (f"{name}_{n}", *f.args[1:])) for f in mutant.facts]
            found[f"`{name}` after {mutant.how} `{mutant.fact}`"] = facts
    return found


def rules_of(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Fallacy, rule name, head and conditions of every rule in a rule file."""
    for match in re.finditer(r"^argue\((\w+), (\w+), (\w+),(.*?)\) if\n(.*?)\.$", text, re.MULTILINE | re.DOTALL):
        yield match[1], match[3], match[0][: match.start(5) - match.start()], match[5]


def conditions_of(body: str) -> list[str]:
    """The conditions of a rule: split at commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for place, c in enumerate(body):
        depth += (c in "({[") - (c in ")}]")
        if c == "," and not depth:
            parts.append(body[start:place].strip())
            start = place + 1
    return [*parts, body[start:].strip()]


RULES = list(rules_of(BASE.rules))


def changed_rules(fallacy: str, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Rule, dropped condition and a rule file without it, for every condition of every rule of a fallacy."""
    for name, rule, head, body in RULES:
        conditions = conditions_of(body) if name == fallacy else []
        for n, dropped in enumerate(conditions):
            left = conditions[:n] + conditions[n + 1 :] or ["{true}"]
            changed = BASE.rules.replace(head + body, head + ", ".join(left))
            if changed == BASE.rules:
                raise ValueError(f"{rule} stands in the rule file in another way")
            path = folder / "changed.pl"
            path.write_text(changed, encoding="utf-8")
            yield rule, dropped, str(path)


def table(fallacy: str) -> list[str]:
    """One row per condition: what comes in without it."""
    label = {str(group[0].args[0]): name for name, group in named_corpus(fallacy).items()}
    facts = corpus(fallacy)
    right = verdicts(facts, fallacy)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for rule, dropped, path in changed_rules(fallacy, Path(folder)):
            now = verdicts(facts, fallacy, path)
            wrong, lost = sorted(now - right), sorted(right - now)
            if any(kind == "error" for kind, _, _ in wrong):
                shown = "the rule cannot run without it |"
            else:
                where = label[(wrong or lost)[0][1]]
                shown = f"{len(wrong)} come in, {len(lost)} are lost | {where}"
            rows.append(f"| {rule} | `{' '.join(dropped.split())}` | {shown} |")
    return rows


def page() -> str:
    """The whole page."""
    parts = [
        "# What each condition of the strict rules excludes",
        "One row per condition of each rule. The rules were run without this condition over some shipped instances, all"
        " their mutants (each statement dropped, each truth reversed) and some cases written for this page. Conclusions"
        ' that "come in" are wrong: the complete rule rightly refuses them. Conclusions that "are lost" were right,'
        " but a wrong one now contradicts them. The last column names an instance where this happens. Every condition"
        " excludes something.",
        "`python -m tests.unit.oracle.conditions` writes this page; the cases are in that file.",
    ]
    for fallacy in BASE.fallacies:
        parts.append(f"## {fallacy.replace('_', ' ').capitalize()}")
        parts.append(
            "\n".join(
                ["| rule | condition | without it | for example in |", "| --- | --- | --- | --- |", *table(fallacy)]
            )
        )
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE}\n")
