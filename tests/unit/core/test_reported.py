"""Who says it: the author, or somebody whom the author quotes."""

import pytest

from fallax.core.texts import is_reported, reported_sentences, sentence_spans


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("“It must fall,” the mayor said. “Or the town dies. He is a fool.” The council votes.", [1, 1, 0]),
        ("We all heard him say: “Natural things cannot hurt you.” I doubt it.", [1, 0]),
        ('The baker wrote to us. "Everybody eats it, so it must be good." We eat it too.', [1, 1, 0]),
        ("She argued that if the library closes, it will stay closed. It will not.", [1, 0]),
        ("I say that everybody eats it, so it must be good.", [0]),
        ("The “so-called experts” are wrong, so do not listen.", [0]),
        ("“Everybody eats it, so it must be good.” That is our motto.", [0, 0]),
        ("“It never ends, and nobody stops it", [0]),
        ("Everybody says that the pool is a waste, so it must be one.", [0]),
        ("So Ramsay should write an Essay.", [0]),
        ("ANN: Ben said I don't drive, so my view is worthless. That's an ad hominem.", [1, 1]),
        ("Ben said that nobody drives. That is a lie, so nobody should listen to him.", [1, 0]),
        ("Nobody drives here. That's an ad hominem.", [0, 0]),
        ("‘It must fall,’ she said. ‘Nobody likes it. It must go.’ We don’t.", [1, 1, 0]),
        ("", []),
    ],
)
def test_sentences_of_others(text: str, reported: list[int]) -> None:
    places = sentence_spans(text)
    assert [int(x) for x in reported_sentences(text, places)] == reported


@pytest.mark.parametrize(
    ("sentence", "reported"),
    [
        ("He said that everybody wants it, so it must be built.", True),
        ("She has always said that everybody wants it.", True),
        ("My neighbour told us everyone wants it.", True),
        ("A spokesman argued that if we allow this, chaos follows.", True),
        ("Smith believes that everyone wants it, and contends that it is safe.", True),
        ("The plan will fail, Smith claims.", True),
        ("Mr. Smith, the mayor, says that the plan will fail.", True),
        ("In the minister’s view, everybody wants it.", True),
        ("It was claimed that everybody wants it.", True),
        ("“You are a fool, so you are wrong,” he snapped.", True),
        ("“You are a fool, so you are wrong,” explains Anna.", True),
        ("'You are a fool, so you are wrong,' my father used to say.", True),
        ("„Everybody eats it, so it must be good,“ said the baker.", True),
        ("»Everybody eats it, so it must be good,« said the baker.", True),
        ("‹Everybody eats it, so it must be good›, said the baker.", True),
        ("``Everybody eats it, so it must be good,'' said the baker.", True),
        ("Mr. Finch (14 Mill Ln.) stated that we always had it, so closing it would be wrong.", True),
        ("The mayor [sic] said that everybody wants it.", True),
        ("Several farmers said that the road must not come.", True),
        ("The mayor, Ann Lee, who was elected in May, said that everybody wants it.", True),
        ("Theresa May said that everybody wants it.", True),
        ("“Nobody has ever complained about it,” so said the mayor.", True),
        ("According to our priest, it is true.", True),
        # the author's own words
        ("As Goethe wrote, „Man errs as long as he strives“ – so errors prove that we strive.", False),
        ("He said “nobody has ever complained about it,” so it must be perfect.", False),
        ("According to our priest, it is true, so it is true.", False),
        ("Those who say that the earth is flat are fools, so ignore them.", False),
        ("Anyone who says that the earth is flat is a fool.", False),
        ("Teachers who complain that they are tired are lazy liars.", False),
        ("Critics who think that the plan is bad are fools.", False),
        ("Scientists who say otherwise are paid by the bin lobby.", False),
        ("Any doctor who says that it is safe is paid for saying so.", False),
        ("The man who told us that is a crook.", False),
        ("Never trust a man who says that he needs nothing.", False),
        ("I know a man who told me that vaccines kill.", True),
        ("There was an old farmer who said that rain follows the plough.", True),
        ("Only a fool would claim that the earth is flat.", False),
        ("To say that he lies is unfair.", False),
        ("Don’t say that everybody wants it.", False),
        ("What the mayor said was stupid, so ignore it.", False),
        ("When the mayor says that she cares, she lies.", False),
        ("The mayor never said that everybody wants it.", False),
        ("Everybody according to whom we should build is a fool.", False),
        ("He told the truth, so he is right.", False),
        ("The senator says that we need taxes, but he is a fool, so he is wrong.", False),
        ("My opponent claims he wants peace, but really he wants us all dead.", False),
        ("She claims to care about children, yet she eats meat, so ignore her.", False),
        ("My doctor says it works, so it works.", False),
        ("A famous actor said this cream works, so it must work.", False),
        ("The Bible says it, so it must be true.", False),
        ("If the mayor says that it is safe, it is safe.", False),
        ("Since Ann, who knows him, said that he lies, and he is rich, therefore he lies.", False),
        # no words of saying
        ("The neighbours will complain, and the lake maintains a natural balance.", False),
        ("The United States is the best country, so it is right.", False),
        ("The so-called expert is called Bob, so he is wrong.", False),
        ("She is wrong because she called me a liar.", False),
        ("The new taxes add up, and the insurance claims are false.", False),
        ("He posted a photo; he is a fool, so he is wrong.", False),
    ],
)
def test_whose_words_a_sentence_says_it_is(sentence: str, reported: bool) -> None:
    assert is_reported(sentence) is reported


def test_a_quotation_goes_on_where_a_paragraph_opens_it_again() -> None:
    text = "“It must fall, the mayor said.\n\n“Everybody knows it, so it is true.”\n\nWe do not."
    assert reported_sentences(text, ((0, 30), (32, 68), (70, 80)), {1, 2}) == (True, True, False)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("[quote=moss]You are a fool.[/quote]\nNo, I am not. [QUOTE]So you say.[/QUOTE]", [1, 0, 1, 1]),
        ("[quote]You are a fool.\nSo you are wrong.", [0, 0]),
        ("[/quote] You are a fool.", [0]),
        ("I doubt it.\n\n-----Original Message-----\nEverybody wants it. It is so.", [0, 1, 1]),
        ("See below.\n\nBegin forwarded message:\n\nEverybody wants it.", [0, 1, 1]),
        ("Do you read the original message -- or not? I do.", [0, 0]),
    ],
)
def test_what_is_passed_on_is_of_others(text: str, reported: list[int]) -> None:
    breaks = {i for i, (a, _) in enumerate(sentence_spans(text)) if i and text[a - 1] == "\n"}
    assert [int(x) for x in reported_sentences(text, sentence_spans(text), breaks)] == reported


def test_a_quotation_ends_with_its_paragraph() -> None:
    text = "“It must fall, the mayor said.\n\nEverybody knows it, so it is true."
    assert reported_sentences(text, ((0, 30), (32, 66)), {1}) == (True, False)


@pytest.mark.parametrize(("opening", "closing"), ["“”", "„“", "„”", "«»", "»«", "‹›", '""', "‘’", "''"])
def test_a_quotation_in_any_marks_is_its_speakers_to_its_end(opening: str, closing: str) -> None:
    text = f"{opening}It must fall,{closing} she said. {opening}Nobody likes it at all. It must go.{closing} We do."
    first, *others, last = reported_sentences(text, sentence_spans(text))
    assert (first, set(others), last) == (True, {True}, False)


@pytest.mark.parametrize(
    "text",
    [
        "„a " * 20_000,
        "[quote" * 9000,
        "[quote]" * 9000,
        "----" * 9000,
        "``" * 20_000,
        "'a " * 20_000,
        "‘a " * 20_000,
        "the a " * 9000,
        "x, " * 30_000,
    ],
)
def test_marks_and_nouns_without_end_take_no_long_time(text: str) -> None:
    assert reported_sentences(text, [(0, len(text))]) == (False,)


def test_many_quotations_take_no_long_time() -> None:
    sentence = "“It must fall now,” she said. "
    places = [(i * 30, i * 30 + 29) for i in range(20_000)]
    assert all(reported_sentences(sentence * 20_000, places))
