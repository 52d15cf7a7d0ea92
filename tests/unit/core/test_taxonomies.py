"""The taxonomy files: what they hold, what readers accept, and how they relate."""

import json
from typing import Any

import pytest

from fallax.core.taxonomies import list_taxonomies, load_taxonomy
from fallax.core.types import Taxonomy
from fallax.errors import InputError, UnknownNameError

#: Helwe et al. 2024, section 4 and the grouping behind the published scores.
MAFALDA = {
    "emotion": "appeal to positive emotion; appeal to anger; appeal to fear; appeal to pity; appeal to ridicule;"
    " appeal to worse problems",
    "logic": "causal oversimplification; circular reasoning; equivocation; false analogy; false causality;"
    " false dilemma; hasty generalization; slippery slope; straw man; fallacy of division",
    "credibility": "ad hominem; ad populum; appeal to (false) authority; appeal to nature; appeal to tradition;"
    " guilt by association; tu quoque",
}

#: The slots that other parts (prompts, generators, explanations) rely on.
MAFALDA_SLOTS = {
    "ad hominem": "entity claim attack",
    "guilt by association": "entity_1 claim entity_2",
    "tu quoque": "entity claim inconsistency",
    "appeal to anger": "entity claim outrage",
    "appeal to (false) authority": "authority claim",
    "ad populum": "people claim",
    "appeal to fear": "claim threat",
    "appeal to nature": "natural unnatural conclusion",
    "appeal to pity": "pitiable conclusion",
    "appeal to tradition": "practice conclusion",
    "causal oversimplification": "cause effect other_causes",
    "circular reasoning": "conclusion premise",
    "equivocation": "term sense_1 sense_2 conclusion",
    "false dilemma": "option_1 option_2 other_option",
    "hasty generalization": "sample population conclusion",
    "false causality": "cause effect association",
    "appeal to worse problems": "problem comparison conclusion",
    "slippery slope": "first_step steps outcome",
    "straw man": "entity_1 claim distorted_claim",
    "appeal to positive emotion": "emotion conclusion",
    "false analogy": "entity_1 entity_2 property",
    "appeal to ridicule": "entity claim ridicule",
    "fallacy of division": "whole part property",
}


@pytest.mark.parametrize("name", list_taxonomies())
def test_taxonomy_file_is_complete(name: str) -> None:
    taxonomy = load_taxonomy(name)
    assert taxonomy.name == name
    assert all((taxonomy.title, taxonomy.source, taxonomy.version))
    assert len(taxonomy.level_names) == taxonomy.finest + 1
    assert len(set(taxonomy.names)) == len(taxonomy.names)
    for label in taxonomy.labels:
        assert label.definition.endswith("."), label.name
        assert all(label.groups), label.name


@pytest.mark.parametrize("name", list_taxonomies())
def test_taxonomy_survives_json(name: str) -> None:
    taxonomy = load_taxonomy(name)
    assert Taxonomy.from_dict(json.loads(json.dumps(taxonomy.to_dict()))) == taxonomy


@pytest.mark.parametrize("name", list_taxonomies())
def test_every_name_and_alias_resolves_to_its_label(name: str) -> None:
    taxonomy = load_taxonomy(name)
    for label in taxonomy.labels:
        for spelling in (label.name, *label.aliases):
            assert taxonomy.resolve(spelling.upper().replace(" ", "_")) == label.name


@pytest.mark.parametrize("name", list_taxonomies())
def test_a_group_has_one_parent(name: str) -> None:
    taxonomy = load_taxonomy(name)
    for level in range(1, taxonomy.finest):
        parents: dict[str, set[str]] = {}
        for label in taxonomy.labels:
            parents.setdefault(label.groups[level], set()).add(label.groups[level - 1])
        assert all(len(above) == 1 for above in parents.values())


def test_load_returns_the_same_object() -> None:
    assert load_taxonomy("mafalda") is load_taxonomy("mafalda")


def test_unknown_taxonomy_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'mafalda'"):
        load_taxonomy("mafald")


def test_a_path_is_no_taxonomy_name() -> None:
    with pytest.raises(UnknownNameError):
        load_taxonomy("../data/mafalda")


def test_mafalda_levels() -> None:
    taxonomy = load_taxonomy("mafalda")
    expected = {label: group for group, labels in MAFALDA.items() for label in labels.split("; ")}
    assert len(expected) == 23
    assert {label.name: label.groups for label in taxonomy.labels} == {
        label: ("fallacy", group) for label, group in expected.items()
    }
    assert taxonomy.labels_at(0) == ("fallacy",)
    assert taxonomy.labels_at(1) == ("emotion", "logic", "credibility")


def test_mafalda_templates_have_the_agreed_slots() -> None:
    templates = {label.name: label.template for label in load_taxonomy("mafalda").labels}
    assert {name: set(t.slots) for name, t in templates.items() if t} == {
        name: set(slots.split()) for name, slots in MAFALDA_SLOTS.items()
    }


@pytest.mark.parametrize("name", ["mafalda", "smartypat"])
def test_full_taxonomies_say_when_the_reasoning_is_sound(name: str) -> None:
    for label in load_taxonomy(name).labels:
        assert label.template is not None, label.name
        assert label.sound_when.endswith("."), label.name
        assert label.aliases, label.name
        for form in range(len(label.template.forms)):
            assert "{" not in label.template.fill({}, form)


@pytest.mark.parametrize(
    ("spelling", "label"),
    [
        ("Appeal to Ridicule", "appeal to ridicule"),
        ("false_cause", "false causality"),
        ("Strawman", "straw man"),
        ("appeal to authority", "appeal to (false) authority"),
        ("appeal to false authority", "appeal to (false) authority"),
        ("post hoc", "false causality"),
        ("begging the question", "circular reasoning"),
        ("black-and-white fallacy", "false dilemma"),
        ("bandwagon", "ad populum"),
    ],
)
def test_mafalda_accepts_common_spellings(spelling: str, label: str) -> None:
    assert load_taxonomy("mafalda").resolve(spelling) == label


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        # labels per level, coarsest first; the counts are those of the papers and task descriptions
        ("mafalda", [1, 3, 23]),
        ("propaganda18", [1, 18]),
        ("propaganda14", [1, 14]),
        ("smartypat", [1, 14]),
        ("ambiguity", [1, 4, 16]),
        ("logic", [1, 13]),
        ("logicclimate", [1, 13]),
        ("reddit", [1, 8]),
        ("touche26", [1, 8]),
        ("argotario", [1, 5]),
        ("cocolofa", [1, 8]),
        ("flicc", [1, 12]),
        ("missci", [1, 9]),
        ("elecdeb", [1, 6]),
        ("alhindi", [1, 10]),
        ("lfud", [1, 12]),
        ("semeval2021_task6", [1, 20]),
        ("hong2024", [1, 2, 9, 232]),
    ],
)
def test_number_of_labels(name: str, levels: list[int]) -> None:
    taxonomy = load_taxonomy(name)
    assert [len(taxonomy.labels_at(level)) for level in range(taxonomy.finest + 1)] == levels


@pytest.mark.parametrize("spelling", ["false_premise", "FALSE PREMISE", "False premise", "FP", "false-premise"])
def test_smartypat_accepts_the_spellings_of_its_files(spelling: str) -> None:
    assert load_taxonomy("smartypat").resolve(spelling) == "False Premise"


def test_smartypat_synonyms_are_not_spellings() -> None:
    # a judge that answers with another taxonomy's name has not given one of the fourteen
    with pytest.raises(UnknownNameError):
        load_taxonomy("smartypat").resolve("circular reasoning")


def test_smartypat_rules_are_given_for_the_eleven_that_have_one() -> None:
    labels = load_taxonomy("smartypat").labels
    without = {label.name for label in labels if label.template and len(label.template.forms) == 1}
    assert without == {"False Dilemma", "Equivocation", "Nominal Fallacy"}


def test_merged_propaganda_names_resolve_by_their_parts() -> None:
    taxonomy = load_taxonomy("propaganda14")
    assert taxonomy.resolve("Straw Men") == "Whataboutism,Straw_Men,Red_Herring"
    assert taxonomy.resolve("reductio ad hitlerum") == "Bandwagon,Reductio_ad_hitlerum"


@pytest.mark.parametrize("level", [-1, 3])
def test_a_level_that_is_not_there_is_refused(level: int) -> None:
    with pytest.raises(InputError, match=rf"taxonomy 'mafalda': level must be 0 to 2, got {level}"):
        load_taxonomy("mafalda").at_level("ad hominem", level)


@pytest.mark.parametrize("name", [None, 3, "no such label"])
def test_a_label_that_is_not_there_is_refused(name: Any) -> None:
    with pytest.raises(UnknownNameError, match=rf"unknown label '{name}'"):
        load_taxonomy("mafalda")[name]
