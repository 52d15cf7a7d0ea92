"""Generates arguments with known labels: derived by rules, put into words, each with a sound twin.

from fallax.generation.generators import agenerate

made = await agenerate("false cause", n=20, seed=7)
for item in made:
    print(item.text, item.sound_twin, item.derivation.to_text())
"""

from fallax.generation.generators.card import dataset_card
from fallax.generation.generators.derive import TwinPair, claims_of, derive_pairs
from fallax.generation.generators.files import SetFile, card_path, read_items, run_path
from fallax.generation.generators.near import Seen
from fallax.generation.generators.plan import METHODS, Plan, Tally, resolve_fallacies
from fallax.generation.generators.run import Generation, agenerate, iter_generated, make_plan
from fallax.generation.generators.said import is_said, missing_arguments, phrases_to_say
from fallax.generation.generators.wording import STYLES, argument_phrases, n_frames, realise

__all__ = [
    "METHODS",
    "STYLES",
    "Generation",
    "Plan",
    "Seen",
    "SetFile",
    "Tally",
    "TwinPair",
    "agenerate",
    "argument_phrases",
    "card_path",
    "claims_of",
    "dataset_card",
    "derive_pairs",
    "is_said",
    "iter_generated",
    "make_plan",
    "missing_arguments",
    "n_frames",
    "phrases_to_say",
    "read_items",
    "realise",
    "resolve_fallacies",
    "run_path",
]
