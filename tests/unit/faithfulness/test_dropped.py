"""Claims that repeat a sentence but drop or change a word that decides what it says."""

import pytest

from fallax.faithfulness.systems.dropped import change_in


@pytest.mark.parametrize(
    ("claim", "sentence", "why"),
    [
        ("Ruiz sued Cole.", "Ruiz sued Cole's cousin.", "the document says “Cole's cousin”, this says “Cole”"),
        ("Cole wept.", "Cole's lawyer wept in court.", "the document says “Cole's lawyer”, this says “Cole”"),
        ("The judge dropped the clerk.", "The judge dropped the clerk's plan.", "the document says “clerk's plan”"),
        ("Ada runs the inn.", "Ada, whose husband runs the inn, sings.", "the document says “Ada, whose husband”"),
        ("The bishop paid.", "A friend of the bishop paid.", "the document says “friend of the bishop”"),
        ("The editor resigned.", "The deputy editor resigned.", "the document says “deputy editor”"),
        ("The president left.", "The vice-president left.", "the document says “vice-president”"),
        ("They found a gun.", "They found a fake gun.", "the document says “fake gun”, this says “gun”"),
        ("Ole drowned when he was six.", "Ole almost drowned when he was six.", "the document says “almost drowned”"),
        ("The road is 7 miles long.", "The road is 7 kilometres long.", "the document says “7 kilometres”"),
        ("The flat costs $300.", "The flat costs 300 euros.", "the document says “300 euros”, this says “$300”"),
        ("It costs 2 billion euros.", "It costs 2 million euros.", "the document says “2 million euros”"),
        ("Rent is 9 euros a week.", "Rent is 9 euros a month.", "the document says “9 euros a month”"),
        ("All shops closed.", "Several shops closed.", "the document says “Several shops”, this says “All shops”"),
        ("The lifts were mended.", "Two of the four lifts were mended.", "the document says “Two of the four lifts”"),
        ("The zoo is free.", "The zoo is free on Mondays only.", "the document adds “on Mondays only”"),
        ("Guests must leave.", "Unless they pay, the guests must leave.", "the document adds “Unless they pay”"),
        ("The fair moves indoors.", "In case of rain the fair moves indoors.", "the document adds “In case of rain”"),
        ("The pilots will strike.", "The pilots will strike if talks fail.", "the document adds “if talks fail”"),
        ("The inn will shut in May.", "The inn will shut in May if talks fail.", "the document adds “if talks fail”"),
        ("A cook kills the duke.", "In his novel, a cook killed the duke.", "the document adds “In his novel”"),
        (
            "They sell tea and beer.",
            "They sell tea but not beer.",
            "the document says “but not beer”, this says “beer”",
        ),
        ("The chair and the clerk sign.", "The chair or the clerk signs.", "the document says “chair or the clerk”"),
        ("Ann, Bo and Cy won.", "Ann and Bo won.", "the document says “Ann and Bo”, this says “Ann, Bo and Cy”"),
        ("At least 30 people came.", "Up to 30 people came.", "the document says “Up to 30”, this says “At least 30”"),
        ("They need less than 9 days.", "They need at least 9 days.", "the document says “at least 9”"),
        ("30 people came.", "Up to 30 people came.", "the document says “Up to 30”, this says “30”"),
        ("It fell by 6 per cent.", "It fell by 6 percentage points.", "the document says “6 percentage points”"),
        ("The drug halved deaths.", "In a trial the drug halved deaths in mice.", "the document adds “in mice”"),
        ("Ada never sang.", "Ada never sang after the war.", "the document adds “after the war”"),
        ("Nobody may enter.", "Nobody may enter without a ticket.", "the document adds “without a ticket”"),
        ("Every member may vote.", "Every member who has paid may vote.", "the document adds “member who has paid"),
        ("All pupils swim.", "All the pupils over ten swim.", "the document adds “pupils over ten”"),
    ],
)
def test_what_is_dropped_is_named(claim: str, sentence: str, why: str) -> None:
    assert change_in(claim, sentence).startswith(why)
    assert change_in(sentence, sentence) == ""


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("Ruiz sued the cousin of Cole.", "Ruiz sued Cole's cousin."),
        ("Ruiz criticised Tan.", "Ruiz's speech criticised Tan."),
        ("They spoke about the paint shop.", "They spoke about the paint shop's roof."),
        ("Ole once worked as an editor.", "Ole is a former editor."),
        ("Cole's lawyer wept.", "Cole's lawyer wept in court."),
        ("Cole wept.", "Cole wept, and Cole's lawyer left."),
        ("The mayor spoke.", "The deputy mayor introduced the mayor, who spoke."),
        ("The former editor resigned.", "The former editor of the paper resigned."),
        ("The road is 7 km long.", "The road is 7 kilometres long."),
        ("The plant cost £2.4m.", "The plant cost 2.4 million pounds."),
        ("30 people came.", "At least 30 people came."),
        ("About 30 people came.", "Up to 30 people came."),
        ("Up to 30 people came.", "At most 30 people came."),
        ("The drug halved deaths in rodents such as mice.", "The drug halved deaths in mice."),
        ("The drug halved deaths.", "The drug halved deaths in mice and in people."),
        ("It took 3 days.", "It took 3 days and 4 nights."),
        ("Three boats came on 3 May.", "Three boats came in 3 hours on 3 May."),
        ("Rent is 9 euros.", "Rent is 9 euros a month."),
        ("Most shops closed.", "Most of the shops closed."),
        ("The lifts were all mended.", "Two of the lifts were mended in May, and in June all lifts."),
        ("The zoo is free on Mondays.", "The zoo is free on Mondays only."),
        ("If talks fail, the pilots will strike.", "The pilots will strike if talks fail."),
        ("The clerk asked the pilots.", "The clerk asked the pilots if talks had failed."),
        ("In the novel a cook kills the duke.", "In his novel, a cook killed the duke."),
        ("They sell tea.", "They sell tea but not beer."),
        ("They sell tea, not beer.", "They sell tea but not beer."),
        ("Ann and Bo won.", "Ann, Bo and Cy won."),
        ("Nobody was hurt.", "Nobody was hurt when the roof fell in."),
        ("After 1945 Ada never sang.", "Ada never sang after 1945."),
        ("Ada sang.", "Ada sang before the war and never after the war."),
        ("All pupils over ten swim.", "All the pupils over ten swim."),
    ],
)
def test_where_nothing_is_dropped(claim: str, sentence: str) -> None:
    assert change_in(claim, sentence) == ""


def test_another_sentence_may_say_it_in_full() -> None:
    claim, sentence = "The editor resigned.", "The deputy editor resigned."
    assert change_in(claim, sentence, ["It rained."])
    assert not change_in(claim, sentence, ["The editor resigned in May."])
