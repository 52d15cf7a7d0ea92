"""What the verifier that ships does not call supported."""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Literal
from unittest.mock import patch

import pytest

import fallax as fx
from fallax.api import verification_system
from fallax.causality.systems.clauses import affirmed_link, cause_and_effect, opposite_of
from fallax.causality.systems.entailed import EntailmentVerifier, load_entailment_verifier
from fallax.causality.systems.prepared import Prepared, reason
from fallax.causality.systems.weights import CausalWeights
from fallax.core.types import VERDICTS, CausalClaim, Evidence, Record
from fallax.entailment import Passages, load_causes, load_entailment, shipped_entailment
from fallax.errors import FormatError

DAM = (
    "The dam above the valley had not been inspected for twenty years.",
    "Cracks that nobody inspects grow until a dam leaks.",
    "The leaking dam flooded the valley after the heavy rain.",
)


def verified(claim: str, *evidence: str) -> tuple[str | None, str]:
    verifier: EntailmentVerifier = load_entailment_verifier()
    pieces = tuple(Evidence(f"E{i}", text) for i, text in enumerate(evidence, start=1))
    found = asyncio.run(verifier.verify(CausalClaim("claim", claim, pieces)))
    return found.label, found.no_label


def withheld(claim: str, *evidence: str, label: Literal["supports", "refutes"] = "supports") -> str:
    """Why a claim would not be called supported, or refuted, whatever its probability."""
    verifier = load_entailment_verifier()
    return verifier._at_odds(verifier._prepared(claim, evidence), label)


@pytest.mark.parametrize(
    ("claim", "cause", "effect"),
    [
        ("The reason the valley was flooded was that the dam leaked.", "the dam leaked", "the valley was flooded"),
        ("The reason for the delay was a strike.", "a strike", "the delay"),
        ("It was because the dam leaked that the valley was flooded.", "the dam leaked", "the valley was flooded"),
        ("It was because of the storm that the valley was flooded.", "the storm", "the valley was flooded"),
        ("What caused the flood was the leaking dam.", "the leaking dam", "the flood"),
        ("The dam leaked; therefore the valley was flooded.", "The dam leaked", "the valley was flooded"),
        ("The dam leaked. As a result, the valley was flooded.", "The dam leaked", "the valley was flooded"),
        ("The dam leaked, which is why it was flooded.", "The dam leaked", "it was flooded"),
        ("The dam leaked and so flooded the valley.", "The dam leaked", "flooded the valley"),
        ("On account of the wind, Lund fell.", "the wind", "Lund fell"),
        ("The flood was due to the dam.", "the dam", "The flood"),
        ("Video games cause violence.", "Video games", "violence"),
        ("Tides are caused mainly by the Moon.", "the Moon", "Tides"),
        ("It flooded, not because it rained but because the dam leaked.", "the dam leaked", "It flooded"),
        ("It flooded because of rain and because nobody came.", "rain and nobody came", "It flooded"),
        ("It flooded (because the dam leaked).", "the dam leaked", "It flooded"),
        ("They fell ill, since 22 people had eaten it.", "22 people had eaten it", "They fell ill"),
        ("Because the dam, which was old, broke, it flooded.", "the dam, which was old, broke", "it flooded"),
        ("Because Mr. Tan, the mayor, was ill, nobody voted.", "Mr. Tan, the mayor, was ill", "nobody voted"),
        ("Due to rain, fog and wind, the ship was late.", "rain, fog and wind", "the ship was late"),
        ("Because it rained, the match was off, and fans left.", "it rained", "the match was off, and fans left"),
        ("In 2010, because the dam broke, it flooded.", "the dam broke", "it flooded"),
        ("The delay was mainly due to a strike.", "a strike", "The delay"),
        ("The fire was probably caused by a candle.", "a candle", "The fire"),
        ("The fire may have been caused by a candle.", "a candle", "The fire"),
        ("A candle may have caused the fire.", "A candle", "the fire"),
        ("The storm, which was long, caused the flood.", "The storm, which was long", "the flood"),
        ("The dam broke, which led to a famine.", "The dam broke", "a famine"),
        ("The dam broke, leading to a famine.", "The dam broke", "a famine"),
        ("The dam broke. That’s why it flooded.", "The dam broke", "it flooded"),
        (
            "The rent rose because of the tax, so the shop closed.",
            "The rent rose because of the tax",
            "the shop closed",
        ),
        ("The road is bad because it is wet, and so slippery.", "it is wet, and so slippery", "The road is bad"),
        ("The shop made a loss, so it closed.", "The shop made a loss", "it closed"),
        ("The rent was one reason for the closure.", "The rent", "the closure"),
        ("The rent is why the shop closed.", "The rent", "the shop closed"),
        ("The reason the shop closed was the rent, which was high.", "the rent, which was high", "the shop closed"),
        ("The cause of the flood was a leak.", "a leak", "the flood"),
        ("A leak was the main cause of the flood.", "A leak", "the flood"),
        (
            "The flood was caused by the dam, which broke because of ice.",
            "the dam, which broke because of ice",
            "The flood",
        ),
        ("It closed because of rent, because of tax and because of theft.", "rent, tax and theft", "It closed"),
        ("The delay was due to ice, not because of snow.", "ice", "The delay"),
        ("The delay was not due to snow but to ice.", "ice", "The delay"),
        ("He was not chosen because of his age, but because of his views.", "his views", "He was chosen"),
        ("It closed not only because of rent but also because of tax.", "rent and tax", "It closed"),
        ("The ship is due to sail at noon because the fog rose.", "the fog rose", "The ship is due to sail at noon"),
        ("The team is old. It won because it trained.", "it trained", "It won"),
        ("“It flooded because the dam broke.”", "the dam broke", "It flooded"),
        ("So much snow fell that the roof broke.", "So much snow fell", "the roof broke"),
        ("Scurvy results from a lack of fruit.", "a lack of fruit", "Scurvy"),
        ("The fete was called off for fear of storms.", "fear of storms", "The fete was called off"),
        ("The tree was felled on the grounds that it was ill.", "it was ill", "The tree was felled"),
        ("Given that the well was dry, they had no water.", "the well was dry", "they had no water"),
        ("The strike meant that pupils came late.", "The strike", "pupils came late"),
        ("The fire grew as there was a wind.", "there was a wind", "The fire grew"),
        ("According to the mayor, it closed because it was old.", "it was old", "it closed"),
        ("It closed because it was old, according to the mayor.", "it was old", "It closed"),
    ],
)
def test_cause_and_effect_in_many_forms(claim: str, cause: str, effect: str) -> None:
    found = cause_and_effect(claim)
    assert found is not None
    assert (found.cause, found.effect) == (cause, effect)


@pytest.mark.parametrize(
    "claim",
    [
        "The flood was not caused by the dam.",
        "The dam didn’t lead to the flood.",
        "Since 1990, the valley has been dry.",
        "The valley has been dry since May.",
        "As expected, the dam held.",
        "It rained, so that the field was wet.",
        "It closed, but not because of the rent.",
        "The closure was never due to ice.",
        "Ice never caused the closure.",
        "Ice will not cause a closure.",
        "The reason the shop closed was not the rent.",
        "The delay was hardly due to snow.",
        "No frost caused the fire.",
        "The ferry is due to leave at noon.",
        "Deaths due to smoke fell in May.",
        "Since the war, prices have doubled.",
        "He has been ill since he returned.",
        "As mayor, Tan opened the school.",
        "As Tan said, the fees rose.",
        "He gave thanks to the nurses.",
        "She made a cake.",
        "The storm that led to the flood was long.",
        "The mayor, because she was ill, stayed at home.",
        "Ines said that the shop closed because of the rent.",
        "It closed because of the rent; it opened because the rent fell.",
        "Because of this, the shop closed.",
        "The question is why the shop closed.",
        "Just because it rains, nobody stays at home.",
        "It rained because " + "it rained " * 300,
    ],
)
def test_what_names_no_cause(claim: str) -> None:
    assert cause_and_effect(claim) is None


def test_a_denied_cause_that_the_evidence_gives_is_not_supported() -> None:
    claim = "The dam did not cause the flood."
    assert affirmed_link(claim) == "The dam caused the flood."
    assert verified(claim, *DAM)[0] != "supports"
    assert withheld(claim, *DAM) == "the evidence rather says that the dam caused the flood"
    assert affirmed_link("Frost doesn't cause rust.") == "Frost causes rust."


@pytest.mark.parametrize("least", [0.0, 1.0])
def test_no_chain_is_shown_for_a_claim_that_the_evidence_denies(least: float) -> None:
    ships = load_entailment_verifier()
    verifier = EntailmentVerifier(
        ships.model, of_claims=ships.of_claims, weights=replace(ships.weights, least=(least, least, least))
    )
    pieces = tuple(Evidence(f"E{i}", text) for i, text in enumerate(DAM, start=1))
    claim = CausalClaim("claim", "The valley was not flooded because nobody inspected the dam.", pieces)
    found = asyncio.run(verifier.verify(claim))
    assert found.no_label == "the evidence rather says that the valley was flooded"
    assert (found.structure, found.no_structure) == (None, "no chain of evidence leads to the claim")


@pytest.mark.parametrize(
    ("denied", "affirmed"),
    [
        ("The delay was never due to snow.", "The delay was due to snow."),
        ("The delay was not really caused by snow.", "The delay was really caused by snow."),
        ("The delay was not a result of snow.", "The delay was a result of snow."),
        ("Snow never led to a delay.", "Snow led to a delay."),
        ("Snow has not caused a delay.", "Snow has caused a delay."),
        ("Snow won’t cause a delay.", "Snow will cause a delay."),
        ("Snow cannot have caused the delay.", "Snow can have caused the delay."),
        ("It closed, but not because of the rent.", "It closed because of the rent."),
        ("The reason it closed was not the rent.", "The reason it closed was the rent."),
        ("The delay was not solely due to snow.", None),
        ("The delay was not due to snow but to ice.", None),
        ("He was not chosen because of his age, but because of his views.", None),
        ("It closed because of the rent, not because of thefts.", None),
        ("He left because it was not due to him.", None),
    ],
)
def test_denied_causes_in_many_forms(denied: str, affirmed: str | None) -> None:
    assert affirmed_link(denied) == affirmed


def test_a_denied_cause_is_only_refuted_where_the_evidence_gives_it() -> None:
    claim, why = "The delay was not due to snow.", "the evidence does not clearly say that the delay was due to snow"
    ice = "The delay was due to ice on the rails."
    assert verified(claim, ice)[0] is None
    assert withheld(claim, ice, label="refutes") == why


@pytest.mark.parametrize(
    ("claim", "evidence", "cause"),
    [
        ("The noise was due to the mother.", "The father caused the noise.", "the father"),
        ("The delay was caused by snow.", "The delay was due to ice on the rails.", "ice on the rails"),
        ("Snow caused the delay.", "The delay was due to ice on the rails.", "ice on the rails"),
        ("The argument was caused by the aunt.", "The uncle caused the argument.", "the uncle"),
        (
            "The fire started because of the heater in the hall.",
            "The fire started because of the heater in the kitchen.",
            "the heater in the kitchen",
        ),
    ],
)
def test_a_cause_much_like_the_stated_one_is_another(claim: str, evidence: str, cause: str) -> None:
    assert verified(claim, evidence)[0] != "supports"
    assert withheld(claim, evidence) == f"the evidence gives another cause: {cause}"


def test_a_short_name_for_the_claimed_cause_is_no_other_cause() -> None:
    claim = "The pool was closed because chlorine had leaked from a tank."
    leak = "Because of the leak the council closed the pool."
    assert verified(claim, "A tank of chlorine leaked on Monday.", leak)[0] == "supports"
    assert verified(claim, "A tank of oil leaked on Monday.", leak)[0] != "supports"


@pytest.mark.parametrize(
    ("side", "said"),
    [
        ("spoiled meat", "of spoiled meat"),
        ("Badly spaced sleepers", "of badly spaced sleepers"),
        ("a lack of trained staff", "of a lack of trained staff"),
        ("both speed and alcohol", "of both speed and alcohol"),
        ("the meat spoiled", "the meat spoiled"),
        ("hungry pupils now come", "hungry pupils now come"),
        ("Kidneys fail", "kidneys fail"),
        ("sales staff", "of sales staff"),
        ("the eggs that they eat", "of the eggs that they eat"),
        ("bored pupils left", "bored pupils left"),
        ("the shop in Minsted closed early", "the shop in Minsted closed early"),
    ],
)
def test_what_a_participle_describes_is_a_thing(side: str, said: str) -> None:
    assert reason(side) == said


def test_another_year_is_not_supported() -> None:
    evidence = "The 2018 storm destroyed the pier."
    assert verified("The 2019 storm destroyed the pier.", evidence) == (
        None,
        "the evidence names other years or numbers than 2019",
    )
    assert verified("The 2018 storm destroyed the pier.", evidence)[0] == "supports"
    assert verified("A storm destroyed the pier.", evidence)[0] == "supports"


def test_a_denied_cause_is_not_refuted_by_its_effect() -> None:
    label, reason = verified(
        "The dam did not cause the flood.", "The flood was caused by a storm surge.", "The dam held."
    )
    assert label != "refutes"
    assert "rather says" not in reason
    assert verified("The fire was never caused by a cable.", "The fire was caused by a cable.")[0] == "refutes"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The mill did not burn because of a candle.", "A candle burned the mill down."),
        ("The shop was not closed because of the rent.", "The shop was closed because of the rent."),
        ("The boat did not sink because of a leak.", "A leak sank the boat."),
    ],
)
def test_an_effect_that_the_evidence_contradicts_is_not_supported(claim: str, evidence: str) -> None:
    assert verified(claim, evidence)[0] != "supports"
    assert withheld(claim, evidence)


def test_without_evidence_two_classes_have_no_probability() -> None:
    found = asyncio.run(
        load_entailment_verifier(classes=2).verify(CausalClaim("claim", "It was late because of rain."))
    )
    assert (found.label, found.probability, found.missing) == ("refutes", None, ("any evidence",))


def test_a_question_claims_nothing() -> None:
    for claim in ("Why was the valley flooded?", "Was the valley flooded because nobody inspected the dam?”"):
        assert verified(claim, *DAM) == (None, "a question claims nothing")


@pytest.mark.parametrize(
    ("claim", "evidence", "why"),
    [
        ("Der Damm brach, weil es in der Nacht geregnet hat.", "Es hat in der Nacht geregnet.", "as English"),
        ("大坝因为下雨而决堤。", "昨晚下雨了。", "as English"),
        (
            "It flooded because it rained" + " and rained" * 60 + ".",
            "It rained all week.",
            "longer than the model reads",
        ),
    ],
)
def test_what_the_model_was_not_trained_on_gets_no_verdict(claim: str, evidence: str, why: str) -> None:
    label, reason = verified(claim, evidence)
    assert label is None
    assert why in reason
    assert why in verified(claim)[1]
    found = fx.verify(claim, documents=[Record("a", "Chess 象 Schach.")])
    assert found.label is None
    assert why in found.no_label
    (found,) = fx.verify_many([(claim, [evidence])], abstain=False)
    assert found.label is not None
    assert why != "as English" or any("probabilities mean little" in note for note in found.notes)


def test_evidence_that_adds_nothing_stays_out_of_the_chain() -> None:
    evidence = (*DAM, "The valley grows plums.")
    for claim in (
        "Because of the leaking dam the valley was flooded.",
        "The valley was flooded because the dam leaked.",
    ):
        (found,) = fx.verify_many([(claim, evidence)])
        assert "E4" in [e.id for e in found.unused_evidence], claim
    (found,) = fx.verify_many([("The valley grows plums.", evidence)])
    assert [str(step) for step in found.chain] == ["E4 -> Claim"]
    assert any("does not say what caused what" in note for note in found.notes)


def test_what_is_missing_is_said_in_english() -> None:
    (found,) = fx.verify_many([("The strike was due to the frost.", ("Plums ripen in August.",))], abstain=False)
    assert set(found.missing) <= {
        "nothing says that this happened: the strike",
        "nothing says that this happened: the frost",
    }
    (found,) = fx.verify_many([("The train was late because of strong winds.", ("Plums ripen.",))], abstain=False)
    assert "nothing says that this happened: strong winds" in found.missing
    (found,) = fx.verify_many([("The dam did not cause the flood.", ("Plums ripen.",))], abstain=False)
    assert "the claim denies a cause; it was read as a whole" in found.notes
    (found,) = fx.verify_many([("Since May the mill has been shut because he left.", ("Plums ripen.",))], abstain=False)
    assert found.missing == ("nothing says that since May the mill has been shut", "nothing says that he left")


def test_a_claim_about_what_would_have_been_is_said_to_be_in_a_known_form() -> None:
    evidence = ["Plums grow in the valley.", "The hotel is new."]
    found = fx.verify("Had the alarm worked, the guests would have got out.", evidence)
    assert not any("form that is known" in note for note in found.notes)
    assert "nothing says that the alarm had not worked" in found.missing


def test_evidence_that_names_a_reason_in_other_words() -> None:
    evidence = (
        "Prices rose by a third in January.",
        "Sales fell by a fifth in the same month.",
        "In a survey, most former customers named the price as the reason for staying away.",
    )
    (found,) = fx.verify_many([("Ticket sales fell because the prices went up.", evidence)])
    assert found.label is None
    assert found.no_label == "the evidence names a cause or reason, and may say this in other words"
    assert found.missing[0] == "nothing clearly says that ticket sales fell"
    (found,) = fx.verify_many([("Ticket sales fell because the prices went up.", evidence)], abstain=False)
    assert found.label == "nei"


def test_what_a_piece_says_in_the_active_is_not_missing_in_the_passive() -> None:
    evidence = (
        "The canteen was painted in April.",
        "In May the company dismissed 40 workers.",
        "Parts came from Japan.",
    )
    (found,) = fx.verify_many([("40 workers were dismissed because the canteen was painted.", evidence)])
    assert found.label == "nei"
    assert found.missing == ("nothing says that this led to it: the canteen was painted → 40 workers were dismissed",)


def test_an_effect_that_the_evidence_denies() -> None:
    assert verified("The valley was not flooded because nobody inspected the dam.", *DAM)[0] != "supports"
    claim = "The train was not delayed because the signal worked."
    evidence = ("The signal worked.", "The train was delayed by an hour.")
    assert verified(claim, *evidence)[0] in (None, "refutes")
    assert withheld(claim, *evidence) == "the evidence rather says that the train was delayed"


@pytest.mark.parametrize("place", range(3))
def test_each_verdict_needs_a_probability_of_its_own(place: int) -> None:
    claim = CausalClaim("c", "The mill burned because of a candle.", (Evidence("E1", "A spark burned the mill down."),))
    verifier = EntailmentVerifier(load_entailment(), of_claims=load_causes())
    least = verifier.weights.least[place]
    for probability, label in ((least - 0.01, None), (least + 0.01, VERDICTS[place])):
        said = [(1.0 - probability) / 2.0] * 3
        said[place] = probability
        with (
            patch.object(CausalWeights, "probabilities", return_value=tuple(said)),
            patch.object(verifier, "_at_odds", return_value=""),
        ):
            assert asyncio.run(verifier.verify(claim)).label == label


def test_the_order_in_which_evidence_is_given_changes_nothing() -> None:
    claim = "The valley was flooded because nobody inspected the dam."
    evidence = (*DAM, "The valley grows plums.", "The mayor of the valley plays chess.", "Plums ripen in August.")
    verifier = load_entailment_verifier()
    given = verifier.probabilities(claim, evidence)
    numbered = [Evidence(f"E{i}", text) for i, text in enumerate(evidence)]

    def found(pieces: list[Evidence]) -> tuple[list[str], set[str], object]:
        """The texts of the chain in its order and of the unused evidence in any, and the verdict."""
        said = asyncio.run(verifier.verify(CausalClaim("claim", claim, tuple(pieces))))
        assert said.structure is not None
        chain, unused = [s.text for s in said.structure.evidence], {e.text for e in said.unused_evidence}
        return chain, unused, (said.label, said.probability, said.missing)

    chain, unused, verdict = found(numbered)
    assert len(chain) > 1, "with one piece there is no order"
    assert unused == set(evidence) - set(chain)
    for order in ((5, 4, 3, 2, 1, 0), (3, 0, 4, 1, 5, 2)):
        assert verifier.probabilities(claim, [evidence[i] for i in order]) == given
        assert found([numbered[i] for i in order]) == (chain, unused, verdict)
        renumbered = [Evidence(f"E{k}", evidence[i]) for k, i in enumerate(order)]
        assert found(renumbered) == (chain, unused, verdict)


def test_evidence_is_prepared_once_and_no_statement_is_read_twice_beside_it() -> None:
    claims = (
        ("The valley was not flooded because nobody inspected the dam.", DAM),
        ("The train was not delayed because the signal worked.", ("The signal worked.", "The train ran late.")),
        ("The valley is flooded.", DAM),
    )
    for claim, evidence in claims:
        with (
            patch.object(Passages, "read", autospec=True, side_effect=Passages.read) as read,
            patch.object(Passages, "__init__", autospec=True, side_effect=Passages.__init__) as built,
        ):
            verified(claim, *evidence)
        assert built.call_count == 1
        statements = [(c.args[0].model, c.args[1]) for c in read.call_args_list]
        assert len(statements) == len(set(statements)) > 0


def test_another_cause_for_the_effect() -> None:
    claim = "The train was late because of snow."
    evidence = ("The train was late because a signal had failed.", "It snowed up north.")
    assert verified(claim, *evidence)[0] != "supports"
    assert withheld(claim, *evidence) == "the evidence gives another cause: a signal had failed"


def test_what_is_given_as_another_cause_may_be_a_step_of_the_chain() -> None:
    steps = ("The monks left because the well had run dry.", "The well ran dry since the quarry drained the spring.")
    claim = "The draining of the spring by the quarry led to the departure of the monks."
    assert verified(claim, *steps)[0] == "supports"
    alone = ("The monks left because the well had run dry.", "The quarry drained the spring in 1880.")
    assert verified(claim, *alone)[0] != "supports"


def test_a_piece_may_tell_what_led_to_what_without_a_word_for_it() -> None:
    claim = "The fish died because of a leak at the plant."
    assert verified(claim, "A leak at the plant killed the fish.")[0] == "supports"


def test_evidence_about_something_else_decides_nothing() -> None:
    evidence = ("The paper praised the mayor.", "The market hall reopened on Friday.")
    (found,) = fx.verify_many([("A leak killed it.", evidence)])
    assert found.label in (None, "nei")


def test_short_evidence_that_has_the_words_of_the_claim_says_something_about_it() -> None:
    evidence = ("The cook forgot the oil, and it grew so hot that it burst into flames.", "He threw in water.")
    label, why = verified("The pan caught fire because the oil was too hot.", *evidence, "He never found the lid.")
    assert label == "supports" or why == "the evidence is not decisive"


def test_evidence_in_other_words_than_the_claim_may_be_enough() -> None:
    claim = "Late frost is to blame for the cider drought in the inns of Merse."
    label, reason = verified(
        claim,
        "In the night of 24 April minus five degrees destroyed the blossom of nine in ten orchards.",
        "Without apples the presses supplied publicans with a tenth of what they had ordered.",
        "Beer sales in Merse stayed the same.",
    )
    assert label is None
    assert reason == "the evidence has few of the claim's words, and may say it in others"


def test_a_claim_that_says_what_something_did_is_read_as_one_about_a_cause() -> None:
    verifier = load_entailment_verifier()
    evidence = ("The maples along Route 9 died because road salt had got into the ground.", "It snowed in March.")
    prepared = Prepared(verifier.model, "Road salt killed the maples along Route 9.", evidence)
    assert prepared.sides is not None
    assert prepared.sides.effect == "the maples along Route 9 died"
    assert verified("Road salt killed the maples along Route 9.", *evidence)[0] == "supports"
    assert verified("The maples along Route 9 killed the road salt.", *evidence)[0] != "supports"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The dam broke because the valley was flooded.", ("Heavy rain broke the dam and then the valley flooded.",)),
        (
            "The dam broke because the valley was flooded.",
            ("Heavy rain broke the dam.", "After the dam broke, the valley was flooded.", "Plums grow in the valley."),
        ),
        (
            "The dam broke because the valley was flooded.",
            ("Rain broke the dam.", "The water then flooded the valley."),
        ),
        (
            "The shops closed because the street was empty.",
            ("The shops in Dock Street closed.", "After the shops had closed, the street was empty in the evenings."),
        ),
        (
            "The river burst its banks because the cellars were full of water.",
            ("The river burst its banks at night.", "As a result the cellars filled with water."),
        ),
    ],
)
def test_a_claim_whose_reverse_the_evidence_states_is_refuted(claim: str, evidence: tuple[str, ...]) -> None:
    for pieces in (evidence, evidence[::-1]):
        (found,) = fx.verify_many([(claim, pieces)])
        assert found.label == "refutes"
        assert found.probability is not None
        assert found.probability >= 0.9
        assert any(note.startswith("the evidence says the reverse: ") for note in found.notes)
        assert found.structure is not None
    assert load_entailment_verifier().probabilities(claim, evidence)[1] >= 0.9


@pytest.mark.parametrize(
    ("claim", "evidence", "why"),
    [
        (
            "The valley was flooded because the dam broke.",
            ("Heavy rain broke the dam.", "Because of that the valley flooded.", "Plums are ripe in the valley."),
            "the evidence says: heavy rain broke the dam",
        ),
        (
            "The valley was flooded because the dam broke.",
            ("Heavy rain broke the dam and then the valley flooded.", "The valley grows plums."),
            "the evidence says: heavy rain broke the dam",
        ),
    ],
)
def test_a_claim_whose_link_the_evidence_states_is_not_refuted(claim: str, evidence: tuple[str, ...], why: str) -> None:
    label, reason = verified(claim, *evidence)
    assert label is None
    assert why in reason


def test_a_cause_named_in_a_stated_link_is_not_refuted_by_that_link() -> None:
    label, reason = verified(
        "Tom fell because the stairs were wet.", "A leak made the stairs wet.", "Because of that Tom fell."
    )
    assert label is None
    assert reason == "it seems refuted, but the evidence says: a leak made the stairs wet → Tom fell"


def test_what_came_after_the_cause_does_not_refute_a_claim() -> None:
    evidence = ("After the shops had closed, the street was empty in the evenings.", "A statue stands at the corner.")
    assert verified("The street was empty in the evenings because the shops had closed.", *evidence)[0] != "refutes"


def test_a_link_that_a_piece_states_holds_beside_other_links() -> None:
    claim = "The upper town stayed dry because a wall held the water back."
    evidence = (
        "The lower town was flooded because a culvert was blocked.",
        "The upper town stayed dry, because a wall built in May held the water back.",
    )
    assert verified(claim, *evidence)[0] == "supports"
    claim = "The failure of the cooling led to the loss of the data."
    evidence = (
        "The cooling failed.",
        "The heat after the failure of the cooling ruined the disks, and all data was lost.",
    )
    assert verified(claim, *evidence)[0] == "supports"


def test_what_only_goes_together_leads_to_nothing() -> None:
    for claim, text in (
        ("Longer sentences reduced thefts.", "In the years with longer sentences there were fewer thefts."),
        ("The storks bring more babies to the villages.", "In villages with many storks more babies are born."),
    ):
        label, reason = verified(claim, text)
        assert (label, reason) == (None, "the evidence says that they go together, not that one leads to the other")


def test_a_cause_in_other_words_refutes_nothing() -> None:
    claim = "The concert was cancelled because the singer was ill."
    evidence = (
        "The singer had caught laryngitis, so the organisers called the concert off.",
        "Tickets will be refunded.",
    )
    assert verified(claim, *evidence)[0] != "refutes"
    why = withheld(claim, *evidence, label="refutes")
    assert why == "the evidence gives a cause that may be the claimed one: the singer had caught laryngitis"


def test_what_merely_happened_at_the_same_time() -> None:
    claim = "The quay was closed because the tug hit it."
    evidence = ("The quay was closed on Monday.", "A tug hit the quay on Monday evening.")
    assert verified(claim, *evidence)[0] == "nei"


def test_a_cause_that_is_told_without_a_word_such_as_because() -> None:
    told = (
        ("The harvest was ruined because of the hail.", "Hail ruined the harvest."),
        ("The valley was flooded because the dam leaked.", "The leaking dam flooded the valley."),
        ("The roof collapsed because of the snow.", "The roof collapsed under the weight of the snow."),
    )
    for claim, evidence in told:
        assert withheld(claim, evidence) == ""
        assert verified(claim, evidence)[0] == "supports"


def test_of_much_evidence_only_what_bears_on_the_claim_is_read_alone() -> None:
    claim = "The train was not delayed because the signal worked."
    others = [f"Ship {i} carried {i + 7} crates of pears to the northern harbour." for i in range(2_000)]
    evidence = (*others, "The signal worked.", "The train was delayed by an hour.")
    model = load_entailment_verifier().model
    with patch.object(model, "read", wraps=model.read) as read:
        assert withheld(claim, *evidence) == "the evidence rather says that the train was delayed"
        assert withheld("The pears were eaten because the crates were open.", *evidence) == ""
    assert read.call_count <= 100


def test_two_denials_have_no_plain_opposite() -> None:
    assert opposite_of("Nobody did not come.") is None
    assert opposite_of("The roof hasn’t leaked.") == "The roof has leaked."


def test_a_folder_with_an_entailment_model_is_a_verifier(tmp_path: Path) -> None:
    own = tmp_path / "own"
    shutil.copytree(str(shipped_entailment()), own)
    claim, shipped = "The valley was flooded because nobody inspected the dam.", load_entailment()
    found = verification_system(system=str(own))
    for abstain in (True, False):
        of_folder = verification_system(system=str(own), abstain=abstain)
        given = EntailmentVerifier(load_entailment(), abstain=abstain)
        for pieces in (DAM, DAM[:1], ("Camels are patient.",)):
            assert fx.verify(claim, pieces, system=of_folder) == fx.verify(claim, pieces, system=given)
    assert found.name == shipped.name
    (own / "card.json").write_text("{}")
    with pytest.raises(FormatError, match="must be a trained verifier's folder"):
        verification_system(system=str(own))


def test_a_pronoun_does_not_hide_what_a_piece_says() -> None:
    evidence = ["Nobody watered the plants.", "It rained every day in August.", "A fungus grew."]
    found = fx.verify("The plants died because nobody watered them.", evidence, abstain=False)
    assert not any("nobody watered" in m and "led to it" not in m for m in found.missing)
