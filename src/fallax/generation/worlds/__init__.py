"""Grammars that generate worlds from a private seed: arguments about invented facts.

from fallax.generation.worlds import FreshPlan, make_fresh

made = make_fresh(FreshPlan(seed="a secret", n=50))     # pairs, each proved by the oracle
for one in made.of("single"):
    print(one.item.text, one.item.sound_twin, one.proof.twin.to_text())
"""

from fallax.generation.worlds.contamination import overlap, published_texts
from fallax.generation.worlds.cues import CUES, cue_share
from fallax.generation.worlds.folder import EDITION, cue_figures, write_fresh
from fallax.generation.worlds.fresh import FreshItem, FreshPlan, FreshSet, make_fresh
from fallax.generation.worlds.make import CHAINS
from fallax.generation.worlds.reword import REFUSALS, Reworder
from fallax.generation.worlds.wording import EXPLICITNESS, POINTS, REGISTERS, STYLES
from fallax.generation.worlds.world import Said, World

__all__ = [
    "CHAINS",
    "CUES",
    "EDITION",
    "EXPLICITNESS",
    "POINTS",
    "REFUSALS",
    "REGISTERS",
    "STYLES",
    "FreshItem",
    "FreshPlan",
    "FreshSet",
    "Reworder",
    "Said",
    "World",
    "cue_figures",
    "cue_share",
    "make_fresh",
    "overlap",
    "published_texts",
    "write_fresh",
]
