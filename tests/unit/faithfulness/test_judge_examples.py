"""What the judge learns from: true and false sentences, and which words are at fault."""

from fallax.faithfulness.training.examples import changed_words, made_examples, pair_examples, words_in

DOCUMENT = (
    "The board of Lake Harbour raised the fees by 4 per cent in June.",
    "Ms Okafor asked the board for a second pilot in 2019, but the money was not there.",
    "Anna Berg said that the night boat will stay as it is for one more year.",
    "The council of Port Ellen has approved the budget of 20 million crowns on Monday.",
    "Mr Lund was at home because the ferry was late again in the evening.",
    "The mayor opened the new school (the largest of the county) last week.",
)


def test_changed_words_are_marked() -> None:
    assert changed_words(words_in("The fees fell by 4 per cent."), words_in("The fees rose by 4 per cent.")) == [
        False, False, True, False, False, False, False, False,
    ]  # fmt: skip
    assert changed_words(["a", "c"], ["a", "b", "c"]) == [True, False]
    assert changed_words([], ["a"]) == []


def test_only_sentences_that_were_edited_are_taken() -> None:
    original = "It rained on Monday. The ferry was late."
    wrong = pair_examples(
        "It rained on Monday. The ferry was early.", original, DOCUMENT, faithful=False, group="g", source="s"
    )
    assert [(e.words[-2], e.faithful, sum(e.wrong or ())) for e in wrong] == [("early", False, 1)]
    right = pair_examples(
        "It was raining on Monday. The ferry was late.", original, DOCUMENT, faithful=True, group="g", source="s"
    )
    assert [(e.words[1], e.faithful, sum(e.wrong or ())) for e in right] == [("was", True, 0)]


def test_where_several_sentences_were_edited_each_counts_less() -> None:
    found = pair_examples("It snowed. He left.", "It rained. He stayed.", DOCUMENT, faithful=False, group="", source="")
    assert [e.weight for e in found] == [0.6, 0.6]


def test_made_sentences_are_what_they_are_called() -> None:
    documents = [("a", DOCUMENT), ("b", tuple(s.replace("board", "team") for s in DOCUMENT[::-1]))] * 6
    found = made_examples(documents, per_document=6, seed=3)
    kinds = {e.source for e in found}
    assert kinds == {"made-true", "made-false", "made-gone", "made-other"}
    for example in found:
        assert example.faithful == (example.source == "made-true")
        if example.source == "made-true":
            assert example.wrong == (False,) * len(example.words)
        if example.source == "made-false":
            assert example.wrong is not None
            assert len(example.wrong) == len(example.words)
            assert 0 < sum(example.wrong) < len(example.words)
        if example.source == "made-gone":
            (gone,) = example.without
            assert 0 <= gone < len(example.document)


def test_same_seed_same_sentences() -> None:
    made = [made_examples([("a", DOCUMENT)], per_document=4, seed=seed) for seed in (1, 1, 2)]
    assert made[0] == made[1]
    assert made[0] != made[2]
