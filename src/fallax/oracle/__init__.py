"""The oracle: proves by rules which fallacies a set of facts holds, each with its sound twin.

from fallax.oracle import Oracle, read_facts

reading = read_facts(text)          # facts accepted, and everything refused with line and column
for d in Oracle().check(reading):   # needs SWI-Prolog
    print(d.to_text())
"""

from fallax.oracle._joins import check_by_joins
from fallax.oracle._mutate import Mutant, audit, mutate, seed_facts
from fallax.oracle._oracle import Oracle
from fallax.oracle._process import OracleLimits
from fallax.oracle._reader import ReadLimits, read_facts
from fallax.oracle._rules import RULE_BASES, Phrases, RuleBase, load_rule_base
from fallax.oracle._synonyms import near_synonyms, same_meaning

__all__ = [
    "RULE_BASES",
    "Mutant",
    "Oracle",
    "OracleLimits",
    "Phrases",
    "ReadLimits",
    "RuleBase",
    "audit",
    "check_by_joins",
    "load_rule_base",
    "mutate",
    "near_synonyms",
    "read_facts",
    "same_meaning",
    "seed_facts",
]
