"""Claims that say what something did, as headlines do."""

from __future__ import annotations

import pytest

from fallax.causality.systems.acting import _TOLD, _acts, acted_sides, sides_of
from fallax.causality.systems.clauses import CauseAndEffect


@pytest.mark.parametrize(
    ("claim", "cause", "effect"),
    [
        ("Road salt killed the maples along Route 9.", "Road salt", "the maples along Route 9 died"),
        ("The new bypass has cut accidents in Dornau", "The new bypass", "accidents in Dornau fell"),
        ("Magnesium reduces the number of attacks", "Magnesium", "the number of attacks falls"),
        ("Extra patrols drove crime up in Sarn", "Extra patrols", "crime in Sarn rose"),
        ("Sterile mosquitoes pushed down dengue in Lago Verde", "Sterile mosquitoes", "dengue in Lago Verde fell"),
        ("A spring frost wiped out the apricot crop.", "A spring frost", "the apricot crop was wiped out"),
        ("The lorry toll closed three bakeries in Ystad.", "The lorry toll", "three bakeries in Ystad closed"),
        ("Brexit drove the toy plant out of Wales.", "Brexit", "the toy plant left Wales"),
        ("Fluoride saves adults from tooth decay", "Fluoride", "adults are saved from tooth decay"),
        ("Coffee protects against dementia", "Coffee", "dementia is prevented"),
        ("Software failure more than doubled waiting times", "Software failure", "waiting times doubled"),
        ("The fall in the share price forced the director to resign.", "The fall in the share price",
         "the director had to resign"),
        ("Cash grants enabled girls in Zomba to go to school.", "Cash grants", "girls in Zomba could go to school"),
        ("Eggs from a farm made 41 guests ill", "Eggs from a farm", "41 guests became ill"),
        ("Waterlogged pitch cost Halden the title", "Waterlogged pitch", "Halden lost the title"),
        ("Fumes cost Ida Solheim her life.", "Fumes", "Ida Solheim lost her life"),
        ("The strike cost the port $4m.", "The strike", "the port lost $4m"),
        ("Clouds cost the club meteors in the second hour.", "Clouds", "the club meteors in the second hour"),
        ("Energy costs killed the chair factory", "Energy costs", "the chair factory died"),
        ("Faulty battery to blame for the fire", "Faulty battery", "the fire"),
        ("Old pipes are behind the anaemia of toddlers.", "Old pipes", "the anaemia of toddlers"),
        ("The May flood is the reason the bridge is closed", "The May flood", "the bridge is closed"),
        ("Stomach ulcers come from a stressful life.", "a stressful life", "Stomach ulcers"),
        ("It was the black ice that killed the driver.", "the black ice", "the driver died"),
        ("Black ice is what killed the driver.", "Black ice", "the driver died"),
        ("What killed the driver was black ice.", "black ice", "the driver died"),
        ("A burnt-out motor put off the opening.", "A burnt-out motor", "the opening was put off"),
        ("A wrongly set pump lay behind the infections", "A wrongly set pump", "the infections"),
        ("Gloves are to thank for the fall in accidents.", "Gloves", "the fall in accidents"),
        ("The flood was the fault of a broken dam.", "a broken dam", "The flood"),
        ("Village size accounts for the link.", "Village size", "the link"),
        # words that are verbs elsewhere, before the verb
        ("The power cut spoiled the milk.", "The power cut", "the milk was spoiled"),
        ("The spending freeze shut the pool.", "The spending freeze", "the pool closed"),
        ("A pay cut made Ana quit.", "A pay cut", "Ana quit"),
        ("The train delay cost Mia her job.", "The train delay", "Mia lost her job"),
        ("The price rise cut demand.", "The price rise", "demand fell"),
        ("The mayor cut taxes.", "The mayor", "taxes fell"),
        ("The cold snap burst the pipes.", "The cold snap", "the pipes were burst"),
        ("A blown fuse darkened the hall.", "A blown fuse", "the hall was darkened"),
        ("Missing oil melts 200 litres of ice cream", "Missing oil", "200 litres of ice cream melt"),
        # what something was made
        ("Noise made residents ill.", "Noise", "residents became ill"),
        ("The film makes them better at reading.", "The film", "they become better at reading"),
        ("Noise made it impossible to sleep.", "Noise", "it became impossible to sleep"),
        ("The prize made her famous.", "The prize", "she became famous"),
        ("The prize made her book famous.", "The prize", "her book became famous"),
        ("The frost made the harvest smaller than usual.", "The frost", "the harvest became smaller than usual"),
        ("Yoga has made the prison more peaceful.", "Yoga", "the prison became more peaceful"),
        ("Late lessons made pupils sleep longer.", "Late lessons", "pupils slept longer"),
        ("The rank made the flower shop close.", "The rank", "the flower shop close"),
        # by how much stands behind the verb
        ("Rain delayed the cup final by two hours.", "Rain", "the cup final was delayed by two hours"),
        ("The tax cut smoking by a third.", "The tax", "smoking fell by a third"),
        ("The strike stopped the trains until Friday.", "The strike", "the trains stopped until Friday"),
        # the passive
        ("The flight was delayed by fog.", "fog", "The flight was delayed"),
        ("The maples were killed by road salt.", "road salt", "The maples died"),
        ("The maples were killed by road salt on Monday.", "road salt", "The maples died on Monday"),
        ("Rents are pushed up by investors.", "investors", "Rents rise"),
        ("The village has been cut off by snow.", "snow", "The village was cut off"),
    ],
)  # fmt: skip
def test_cause_and_effect(claim: str, cause: str, effect: str) -> None:
    assert acted_sides(claim) == CauseAndEffect(cause, effect)


@pytest.mark.parametrize(
    ("claim", "effect"),
    [
        ("The new coach made the team win.", "the team won"),
        ("The offer made the firm change its mind.", "the firm changed its mind"),
        ("The coach has made the teams win more games.", "the teams won more games"),
        ("Worry makes the council act.", "the council acts"),
        ("Salt makes the beams rust.", "the beams rust"),
        ("The new timetable will make the trains run late.", "the trains run late"),
        ("The drug made her sleep.", "she slept"),
        ("The bypass caused the shops to be closed.", "the shops were closed"),
        ("Heat causes the metal to expand.", "the metal expands"),
        ("The scandal led the minister to carry on.", "the minister carried on"),
        ("The works made the car park full.", "the car park became full"),
        ("The storm made the park a desert.", "the park a desert"),
        ("Dust has jammed the printers.", "the printers were jammed"),
    ],
)
def test_what_somebody_was_made_to_do(claim: str, effect: str) -> None:
    sides = acted_sides(claim)
    assert sides is not None
    assert sides.effect == effect


@pytest.mark.parametrize(
    ("claim", "cause", "effect"),
    [
        ("A late start makes teenagers sleep longer.", "A late start", "teenagers sleep longer"),
        ("A price increase hurt sales.", "A price increase", "sales were hurt"),
        ("A power cut spoils food.", "A power cut", "food is spoiled"),
        ("The tax break boosts jobs.", "The tax break", "jobs rise"),
        ("Delays increase costs.", "Delays", "costs rise"),
        ("Wind and rain spread fungi.", "Wind and rain", "fungi spread"),
        ("More police cut crime.", "More police", "crime fell"),
        ("Salt on the ice made it melt.", "Salt on the ice", "it melted"),
        ("Snow brought trains to a halt.", "Snow", "trains came to a halt"),
        ("The bank raised rates, which slowed the economy.", "The bank raised rates", "the economy slowed down"),
        ("Councillor Webb resigned over unpaid fines.", "unpaid fines", "Councillor Webb resigned"),
        ("The manager was sacked over a tweet.", "a tweet", "The manager was sacked"),
        ("Shares fell as profits missed forecasts.", "profits missed forecasts", "Shares fell"),
        ("Low water caused steel prices to rise.", "Low water", "steel prices rose"),
        ("The new LED lamps caused the number of moths to fall.", "The new LED lamps", "the number of moths to fall"),
        ("Rising rents are pushing families out of Ulm.", "Rising rents", "families left Ulm"),
        ("Goods were held up by a customs dispute.", "a customs dispute", "Goods were held up"),
        ("The bees died of a mite.", "a mite", "The bees died"),
        ("Spoiled feed sickened the goats.", "Spoiled feed", "the goats were sickened"),
        ("The ban contributed to the recovery of bees.", "The ban", "the recovery of bees"),
    ],
)
def test_nouns_that_are_verbs_too_and_forms_of_the_news(claim: str, cause: str, effect: str) -> None:
    assert sides_of(claim) == CauseAndEffect(cause, effect)


@pytest.mark.parametrize(
    "claim",
    [
        "The economy slowed once rates rose.",
        "The bridge gave way under the weight of snow.",
        "He was sacked over the weekend.",
        "It was as cold as ice had been.",
        "She left as she had promised.",
        "Without mirrors the guests would have been as patient.",
    ],
)
def test_what_is_no_form_of_the_news(claim: str) -> None:
    assert sides_of(claim) is None


@pytest.mark.parametrize(
    "claim",
    [
        "Road salt did not kill the maples.",
        "Road salt never killed anything.",
        "The valley grows plums.",
        "Did road salt kill the maples?",
        "Volcano stops cyclists: eruption delays the tour",
        "The committee met on Monday and read the report.",
        "He who killed the maples left.",
        "Killed the maples.",
        "The road was closed three days.",
        "",
    ],
)
def test_other_claims_have_none(claim: str) -> None:
    assert acted_sides(claim) is None


def test_a_link_in_words_comes_first() -> None:
    claim = "The bakery cut its hours because the oven broke the floor."
    assert sides_of(claim) == CauseAndEffect("the oven broke the floor", "The bakery cut its hours")


def test_long_claims_are_not_searched() -> None:
    assert acted_sides("Salt killed " + "the maples and " * 30 + "the oaks.") is None


def test_each_verb_has_its_effect() -> None:
    assert {act.told for _, act in _acts()} <= {"=", *_TOLD}


@pytest.mark.parametrize(
    "claim",
    [
        "The flight was delayed by two hours.",
        "The road was blocked by Friday.",
        "The bridge was not damaged by the ship.",
        "The roof, which was damaged by hail, leaks.",
        "The letter was written by Anna.",
    ],
)
def test_a_passive_without_what_acts_has_no_sides(claim: str) -> None:
    assert acted_sides(claim) is None


def test_what_something_was_made_is_told_alike_however_the_claim_is_split() -> None:
    assert sides_of("The new coach made the team win.") == CauseAndEffect("The new coach", "the team won")
    assert sides_of("A wet cellar made the house damp.") == CauseAndEffect("A wet cellar", "the house became damp")
