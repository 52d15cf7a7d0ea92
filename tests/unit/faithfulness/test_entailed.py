"""The judge on entailment: verdicts with evidence, what cannot be told, and what may not change a verdict."""

import asyncio
import json
import re
import shutil
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fallax.core.types import FaithfulnessVerdict
from fallax.entailment import PairReading, WordScore, foreign_to, load_entailment, shipped_entailment
from fallax.errors import FormatError, UnjudgeableError, UnknownNameError
from fallax.faithfulness.systems import load_local_judge
from fallax.faithfulness.systems.claims import clauses_of, said_word_for_word
from fallax.faithfulness.systems.entailed import EntailmentJudge, load_entailment_judge
from fallax.faithfulness.systems.outlook import outlook_of
from fallax.faithfulness.systems.weights import FEATURES, JudgeWeights
from fallax.faithfulness.view import verdict_page, verdict_text

DOCUMENT = (
    "The board met on 3 March. Reyes accused Tan of hiding the report. The board raised the fees to 40 euros, because"
    " the roof had to be repaired. Nobody from the union was present."
)
FILLER = ("The ferry was late.", "Camels are patient.", "It rained all week.", "Prices rose in May.", "The choir sang.")


@pytest.fixture(scope="module")
def judge() -> EntailmentJudge:
    return load_entailment_judge()


def judged(judge: object, document: str, summary: str) -> FaithfulnessVerdict:
    return asyncio.run(judge.judge(document, summary))  # type: ignore[attr-defined, no-any-return]


def test_offsets_are_those_of_the_texts(judge: EntailmentJudge) -> None:
    summary = "The board met in Oslo.  The board did not raise the fees."
    verdict = judged(judge, DOCUMENT, summary)
    assert verdict.label == "unfaithful"
    for unit in verdict.units:
        assert all(DOCUMENT[e.start : e.end] == e.text for e in unit.evidence)
        assert all(summary[w.start : w.end] == w.text for w in unit.unsupported)
    assert FaithfulnessVerdict.from_dict(verdict.to_dict()) == verdict


def test_without_abstaining_there_is_always_a_label(judge: EntailmentJudge) -> None:
    sure = load_local_judge("entailment", abstain=False)
    for summary in (
        "Tan accused Reyes.",
        "The board met.",
        "Der Rat hat die Gebühren im März erhöht.",
    ):
        assert judged(sure, DOCUMENT, summary).label in ("faithful", "unfaithful")


def test_what_cannot_be_told_names_the_words_that_no_passage_has(
    judge: EntailmentJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(JudgeWeights, "probability", lambda self, features: 0.5)
    document = (
        "The clinic closed after its lease ran out. A free bus runs on Tuesdays and Thursdays. An inspection followed."
    )
    whys = [
        judged(judge, document, s).unscored
        for s in (
            "The clinic on the hill shut when its lease had run out early.",
            "The clinic's visitors can take a free bus any time.",
            "It was inspected by a doctor.",
        )
    ]
    assert [why.split(" (")[0] for why in whys] == [
        "cannot tell: no passage has “hill”, “shut”, “early”",
        "cannot tell: no passage has “visitors”, “any”, “time”",
        "cannot tell: no passage has “doctor”",
    ]


@pytest.mark.parametrize(
    ("probability", "label"), [(0.264, "unfaithful"), (0.266, None), (0.774, None), (0.776, "faithful")]
)
def test_a_verdict_fits_the_probability_as_it_is_shown(
    judge: EntailmentJudge, monkeypatch: pytest.MonkeyPatch, probability: float, label: str | None
) -> None:
    monkeypatch.setattr(JudgeWeights, "probability", lambda self, features: probability)
    assert (judge.weights.low, judge.weights.high) == (0.26, 0.78)
    assert judged(judge, "Diesel was cheap. The harbour is old.", "The old harbour has a crane.").label == label


def test_other_languages_are_not_judged(judge: EntailmentJudge) -> None:
    german = "Der Rat hat die Gebühren im März erhöht, weil das Dach repariert werden musste."
    verdict = judged(judge, german, german)
    assert verdict.label is None
    assert "English" in verdict.unscored
    assert verdict.notes
    assert foreign_to("理事会は三月に料金を引き上げた。")
    assert not foreign_to("Yes. 1,200 seats.")
    assert not foreign_to("Without trees, soil holds less water. When soil holds less water, rivers flood.")
    assert foreign_to("Pemerintah menaikkan harga bahan bakar mulai bulan depan karena subsidi dicabut.")


def test_case_quotes_and_spaces_change_no_verdict(judge: EntailmentJudge) -> None:
    statements = ("The board raised the fees.", "The board met in Oslo.", "Nobody from the union was present.")
    for s in statements:
        label = judged(judge, DOCUMENT, s).label
        changed = (DOCUMENT.replace(". ", ".  "), DOCUMENT.replace("board", "BOARD"), f"{DOCUMENT} {FILLER[1]}")
        assert [judged(judge, d, s).label for d in changed].count(label) >= 2
        assert judged(judge, DOCUMENT, s.upper()).label == label


def test_empty_texts_are_refused(judge: EntailmentJudge) -> None:
    with pytest.raises(UnjudgeableError):
        judged(judge, " ", "Something.")


def test_the_page_links_sentences_to_passages(judge: EntailmentJudge) -> None:
    summary = "The board raised the fees. The board met in <b>Oslo</b>."
    verdict = judged(judge, DOCUMENT, summary)
    page = verdict_page(verdict, summary=summary, document=DOCUMENT)
    assert 'href="#passage-' in page
    assert 'id="passage-1"' in page
    assert "<b>Oslo" not in page
    from rich.console import Console

    console = Console(width=100)
    with console.capture() as shown:
        console.print(verdict_text(verdict, summary=summary))
    assert "supports The board raised the fees" in shown.get()


@pytest.mark.parametrize(
    ("claim", "sentence", "said"),
    [
        ("The board met on 3 March.", "The board met on 3 March.", True),
        ("Board met on 3 March", "The board met on 3 March, in the old hall.", True),
        ("Reyes accused Tan of hiding it.", "Minutes, 4 May. Councillor Reyes accused Mr Tan of hiding it.", True),
        ("Tan accused Reyes of hiding it.", "Reyes accused Tan of hiding it.", False),
        ("Reyes accused Tan of hiding it.", "He denied that Reyes accused Tan of hiding it.", False),
        ("The board voted 7 to 4.", "The board voted 7 to 4 not to raise the fees.", False),
        ("The fees will rise.", "The fees will rise if the roof leaks.", False),
        ("Did the fees rise?", "Did the fees rise?", False),
        ("Reyes accused Tan of it.", "Reyes accused Tan of it, which was false.", False),
        ("The mayor resigned on Monday.", "The mayor resigned on Monday, according to a rumour.", False),
        ("It rained.", "It rained.", False),
        ("The fine is $12 million.", "The fine is €12 million.", False),
        ("It was 5 degrees on Monday.", "It was -5 degrees on Monday.", False),
        (
            "The mayor praised the minister on Monday at noon.",
            "The minister praised the mayor on Monday at noon.",
            False,
        ),
        ("The captain met the minister at noon.", "The captain met at noon.", False),
        ("Judge Wu hired Ms Li.", "Mayor Wu hired Ms Li.", False),
        ("Professor Wu hired Li.", "Prof. Wu hired Ms Li.", True),
        ("Few members came to it.", "A few members came to it.", False),
        ("The bridge is safe.", "The bridge is safe, the company claimed.", False),
        ("The plan was approved.", "The plan was approved in part.", False),
        ("Mu\u0308ller resigned in May.", "Müller resigned in May.", True),
        ("The o\ufb03ce was sold.", "The office was sold.", True),
    ],
)
def test_what_is_said_word_for_word(claim: str, sentence: str, said: bool) -> None:
    assert said_word_for_word(claim, clauses_of([sentence])) == (0 if said else None)


def test_a_sentence_of_the_document_is_faithful_with_itself_as_evidence(judge: EntailmentJudge) -> None:
    (unit,) = judged(judge, DOCUMENT, "Reyes accused Tan of hiding the report.").units
    assert unit.label == "faithful"
    assert [e.text for e in unit.evidence] == ["Reyes accused Tan of hiding the report."]


def test_a_condition_behind_the_same_words_is_named(judge: EntailmentJudge) -> None:
    document = "The society pays the grant in June, unless the accounts are late. Members vote in May."
    (unit,) = judged(judge, document, "The society pays the grant in June.").units
    assert unit.label is None
    assert unit.unscored == "cannot tell: the document adds “unless the accounts are late”"


@pytest.mark.parametrize(
    ("document", "summary", "why"),
    [
        (
            "The parish council met in the hall. A new survey of the roof is expected in January.",
            "A survey of the roof was carried out in January.",
            "the document says “is expected”, this says “was carried out”",
        ),
        (
            "The council met. A new survey of the roof is expected in January; the last one found no damage.",
            "A survey of the roof was carried out in January.",
            "the document says “is expected”, this says “was carried out”",
        ),
        (
            "The school plans to open a new library in 2026. Parents welcomed the plan.",
            "The school opened a new library in 2026.",
            "the document says “plans to open”, this says “opened”",
        ),
        (
            "The bridge is safe, the company claimed. It rained.",
            "The bridge is safe.",
            "the document adds “the company claimed”",
        ),
    ],
)
def test_what_is_only_expected_or_claimed_is_not_called_faithful(
    judge: EntailmentJudge, document: str, summary: str, why: str
) -> None:
    high = EntailmentJudge(judge.model, weights=JudgeWeights((0.0,) * len(FEATURES), 5.0, 0.3, 0.7))
    (unit,) = judged(high, document, summary).units
    assert (unit.label, unit.unscored) == (None, f"cannot tell: {why}")
    assert {e.stance for e in unit.evidence} == {"nearest"}


@pytest.mark.parametrize(
    ("claim", "nearest"),
    [
        ("Mensah bought a flat.", "Mensah bought a flat, and hopes to buy another."),
        ("The fair was held in May.", "The fair was held in May."),
        ("Mensah plans to buy a flat.", "Mensah plans to buy a flat."),
        ("Vatu scored three tries.", "Vatu, released by Toulon in May, scored three tries."),
        ("The survey was expected in May.", "The survey is expected in May."),
        ("The fair was held before the survey is due.", "The fair will be held before the survey."),
        ("The plan was dropped.", "The roof was mended in May, and a survey is expected."),
        ("Lund resigned in March.", "Lund was expected to resign, and in March she did."),
        ("Lund resigned in March.", "Lund was expected to resign in March; she did."),
        ("Mensah bought a flat.", "Mensah wanted to buy a flat, and did so in May."),
        ("Will met Tan in Oslo.", "In May Will met Tan in Oslo."),
        ("Lund sank the boat.", "Lund is known to have sunk the boat."),
        ("Reyes paid the fine.", "Reyes, who can sing, paid the fine."),
        ("A rise was announced.", "The mayor announced a rise, which is expected to help."),
    ],
)
def test_what_has_happened_is_no_outlook(claim: str, nearest: str) -> None:
    assert outlook_of(claim, nearest) is None


@pytest.mark.parametrize(
    ("claim", "nearest", "said"),
    [
        ("The council made a loan.", "The council plans to make a loan.", "plans to make"),
        ("The council left the scheme.", "The council will leave the scheme.", "will leave"),
        ("The pier was rebuilt.", "There are plans to rebuild the pier.", "plans to rebuild"),
        ("The court fined the firm.", "The court can fine the firm.", "can fine"),
        ("The report was published.", "The report could be published.", "could be published"),
        ("Reyes found the key.", "Reyes could not find the key.", "could not find"),
        ("They repaired the roof.", "They must repair the roof by June.", "must repair"),
        ("Mensah bought a flat.", "Mensah is going to buy a flat.", "going to buy"),
        ("Mensah bought a flat.", "Mensah tried to buy a flat.", "tried to buy"),
        ("Mensah bought a flat.", "Mensah is said to have bought a flat.", "said to have bought"),
        ("The retired judge bought a flat.", "The retired judge hopes to buy a flat.", "hopes to buy"),
        ("The firm closed the plant.", "The firm threatens to close the plant.", "threatens to close"),
        ("The board voted on the plan.", "The board may vote on the plan.", "may vote"),
        ("The roof was mended.", "The mayor said that mending the roof is planned.", "is planned"),
    ],
)
def test_what_is_open_is_found_in_many_forms(claim: str, nearest: str, said: str) -> None:
    found = outlook_of(claim, nearest)
    assert found is not None
    assert found.said == said


def test_another_sentence_may_say_that_it_was_done() -> None:
    claim, ahead = "The roof was repaired in May.", "The roof will be repaired in May."
    assert outlook_of(claim, ahead) is not None
    assert outlook_of(claim, ahead, ["The builders repaired the roof."]) is None


def test_accents_and_ligatures_are_the_same_in_any_form(judge: EntailmentJudge) -> None:
    document, summary = (
        "The café in Orléans was sold to Zoë Brönte. A ﬁre at the oﬃce broke out.",
        "Zoë Brönte bought it.",
    )
    forms = [unicodedata.normalize(form, summary) for form in ("NFC", "NFD")]
    one, other = (judged(judge, unicodedata.normalize("NFC", document), s).probability for s in forms)
    assert one == other
    decomposed = "Zoe\u0308 Bru\u0308ck paid nine euros."
    (unit,) = judged(judge, document, decomposed).units
    assert [decomposed[w.start : w.end] for w in unit.unsupported] == [w.text for w in unit.unsupported]
    assert "Bru\u0308ck" in [w.text for w in unit.unsupported]
    assert judged(judge, document, "A fire at the office broke out.").label == "faithful"


@pytest.mark.parametrize(
    ("document", "false", "true"),
    [
        (
            "Reyes accused Tan of hiding the report.",
            "Tan accused Reyes of hiding the report.",
            "Tan was accused by Reyes.",
        ),
        (
            "The baker photographed the tailor.",
            "The tailor photographed the baker.",
            "The tailor was photographed by the baker.",
        ),
    ],
)
def test_who_did_what_to_whom(judge: EntailmentJudge, document: str, false: str, true: str) -> None:
    wrong, right = (judge.model.read([document], text).entailed for text in (false, true))
    assert wrong < 0.0 < right


class _Scripted:
    """Stands in for the model: the first reading of a claim entails it, the next one contradicts it."""

    def __init__(self, judge: EntailmentJudge, words: dict[str, float]) -> None:
        self.about: dict[str, Any] = {}
        self.name, self.tokens, self.vectors = "s@1", judge.model.tokens, judge.model.vectors
        self._words, self._sign = words, -1.0

    def read(self, passage: Sequence[str], statement: str) -> PairReading:
        found = [(m.start(), m.end(), m.group()) for m in re.finditer(r"\w+", statement)]
        words = tuple(WordScore(a, b, text, self._words.get(text, 0.1)) for a, b, text in found)
        self._sign = -self._sign
        return PairReading((3.0 * self._sign, -3.0 * self._sign, 0.0), words, (0.5, *[0.1] * (len(passage) - 1)))


def scripted(judge: EntailmentJudge, words: dict[str, float], offset: float) -> EntailmentJudge:
    model = _Scripted(judge, words)
    return EntailmentJudge(model, weights=JudgeWeights((0.0,) * len(FEATURES), offset, 0.3, 0.7))  # type: ignore[arg-type]


def test_words_that_say_little_are_not_shown_as_unsupported(judge: EntailmentJudge) -> None:
    (unit,) = judged(scripted(judge, {"be": 0.99, "by": 0.9, "not": 0.8, "June": 0.7}, -5.0), DOCUMENT,
                     "It will not be done by June.").units  # fmt: skip
    assert [w.text for w in unit.unsupported] == ["not", "June"]
    assert "“not”, “June”" in unit.faults[0].reason
    (unit,) = judged(scripted(judge, {"She": 0.9}, -5.0), DOCUMENT, "She has it.").units
    assert [w.text for w in unit.unsupported] == ["She"]


def test_words_that_the_passages_have_are_not_shown_as_unsupported_if_others_are(judge: EntailmentJudge) -> None:
    told = scripted(judge, {"asthma": 0.9, "cause": 0.8}, -5.0)
    document = "Such plants were linked to asthma. The report is long."
    (unit,) = judged(told, document, "Such plants cause asthma.").units
    assert [w.text for w in unit.unsupported] == ["cause"]
    (unit,) = judged(scripted(judge, {"asthma": 0.9}, -5.0), document, "Asthma is such plants' asthma.").units
    assert unit.faults[0].reason.endswith("most doubtful: “asthma”")


def test_under_a_faithful_sentence_only_what_supports_is_shown(judge: EntailmentJudge) -> None:
    document = " ".join(f"The board raised the fees of block {i}, said Reyes." for i in range(40))
    (unit,) = judged(scripted(judge, {}, 5.0), document, "Reyes spoke of higher fees.").units
    assert unit.label == "faithful"
    assert {e.stance for e in unit.evidence} == {"supports"}


SOCIETY = (
    "The garden society met on Sunday in the village hall. The chair, Mrs Abel, said that the society would not drain"
    " the pond this year. Members voted to raise the fee to 12 euros. Mr Boll had suggested a fence."
)


@pytest.mark.parametrize(
    ("document", "summary", "shown"),
    [
        (
            "The society met on Sunday. The committee did not approve the new rules. Members paid their fees in May.",
            "The society met on Sunday and the committee approved the new rules.",
            ["The committee did not approve the new rules."],
        ),
        (
            "The garden society met on Sunday. The chair said that the pond would not be drained this year. Ten came.",
            "The pond will be drained this year.",
            ["The chair said that the pond would not be drained this year."],
        ),
    ],
)
def test_what_only_stands_beside_a_contradiction_is_not_shown(
    judge: EntailmentJudge, document: str, summary: str, shown: list[str]
) -> None:
    (unit,) = judged(judge, document, summary).units
    assert unit.label == "unfaithful"
    assert [(e.stance, e.text) for e in unit.evidence] == [("contradicts", text) for text in shown]


def test_where_it_cannot_tell_no_sentence_is_accused_for_its_neighbours(judge: EntailmentJudge) -> None:
    (unit,) = judged(judge, SOCIETY, "On Sunday the society approved a fence.").units
    assert unit.label is None
    assert {e.stance for e in unit.evidence} == {"nearest"}


def test_under_an_unfaithful_sentence_nothing_supports(judge: EntailmentJudge) -> None:
    low = JudgeWeights((0.0,) * len(FEATURES), -5.0, 0.3, 0.7)
    (unit,) = judged(EntailmentJudge(judge.model, weights=low), DOCUMENT, "The board has raised its fees.").units
    assert unit.label == "unfaithful"
    assert {e.stance for e in unit.evidence} == {"nearest"}


def test_a_folder_with_an_entailment_model_is_a_judge(judge: EntailmentJudge, tmp_path: Path) -> None:
    own = tmp_path / "own"
    shutil.copytree(str(shipped_entailment()), own)
    about = json.loads((own / "card.json").read_text())
    (own / "card.json").write_text(json.dumps({**about, "name": "mine"}))
    found = load_local_judge(str(own))
    assert getattr(found, "name", "") == f"mine@{about['version']}"
    summary = "The board met in Oslo."
    assert judged(found, DOCUMENT, summary).units == judged(judge, DOCUMENT, summary).units
    (own / "head.npz").write_bytes(b"damaged")
    load_entailment_judge.cache_clear()
    load_entailment.cache_clear()
    with pytest.raises(FormatError, match="must have the SHA-256"):
        load_local_judge(str(own))
    with pytest.raises(UnknownNameError, match="entailment"):
        load_local_judge(str(tmp_path / "nothing"))


@pytest.mark.parametrize("offset", [0.2, -0.2])
def test_without_a_verdict_nothing_is_said_to_support_or_contradict(judge: EntailmentJudge, offset: float) -> None:
    document = " ".join(f"The board raised the fees of block {i}, said Reyes." for i in range(40))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EntailmentJudge, "_ambiguity", lambda *_: None)
        (unit,) = judged(scripted(judge, {}, offset), document, "Reyes spoke of higher fees.").units
    assert unit.label is None
    assert {e.stance for e in unit.evidence} == {"nearest"}


def test_a_pronoun_stands_for_nobody_who_is_named_later() -> None:
    judge = load_local_judge("entailment", level="sentence")
    text = "I wrote to the company, and they blamed the roadworks at the bridge. Jo says there are too few drivers."
    found = asyncio.run(judge.judge(text, "Jo blamed the roadworks at the bridge.")).units[0]
    assert found.label is None
    assert "the document says this before it names “Jo”" in found.unscored


def test_a_sentence_about_something_else_makes_nothing_ambiguous() -> None:
    judge = load_local_judge("entailment", level="sentence")
    text = (
        "A 34-year-old plumber was fined 900 pounds on Tuesday for driving without insurance. Stuart Venn admitted it. "
        "Sheriff Keane also gave Venn six penalty points. Venn has three months to pay."
    )
    claim = "Stuart Venn, a plumber, was fined 900 pounds and given six penalty points for driving without insurance."
    found = asyncio.run(judge.judge(text, claim)).units[0]
    assert found.ambiguity is None
    assert all(e.stance != "contradicts" for e in found.evidence)
