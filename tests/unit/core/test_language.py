"""Which language a text is in, and what the detector says of one that it does not read."""

from __future__ import annotations

from pathlib import Path

import pytest

import fallax as fx
from fallax.core.texts import LANGUAGES, language_of
from fallax.core.types import Record
from fallax.detection.systems import load_detector
from fallax.detection.systems.entry import unread_by
from fallax.detection.systems.passages import read_passages
from fallax.detection.view import detections_page


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Wer das nicht sieht, ist ein Idiot, und wir wissen alle, dass er lügt.", "de"),
        ("Tout le monde le dit, donc ce n'est pas faux, et vous le savez.", "fr"),
        ("Todos lo dicen, así que no es mentira y usted lo sabe.", "es"),
        ("Lo dicono tutti, quindi è vero e non si può negare che sono ladri.", "it"),
        ("Todo mundo diz isso, então não é mentira e você sabe.", "pt"),
        ("Iedereen zegt het, dus het is niet waar dat wij liegen.", "nl"),
        ("Все так говорят, значит это правда.", "ru"),
        ("みんなそう言っている。", "ja"),
        ("Everybody says so, therefore it must be true.", "en"),
        ("The word Schadenfreude is German for joy at the misfortune of others.", "en"),
        ("Alle sagen das, also stimmt es.", "de"),
        ("A tanács be akarja zárni az uszodát, mert mindenki ezt mondja, tehát igaznak kell lennie.", "und"),
        ("Semua orang mengatakan itu, jadi pasti benar, kata menteri kemarin di televisi nasional.", ""),
        ("Trump slams Fed rate cut plan, calls Powell loser", ""),
        ("Die hard fans war over Star Wars canon.", ""),
        ("Inflation is a general rise in prices over time.", ""),
        ("Imagine losing to a team whose mascot is a salad.", ""),
        ("Los Angeles, La Jolla", ""),
        ("Maria de la Cruz", ""),
        ("DE LA SOUL", ""),
        ("Müller, Özil, Gündoğan, Çelik, Åberg, Jönsson, Nuñez, Peña, Łukasz, Šimić, Kovačević, Dvořák", ""),
        ("ALLE SAGEN DAS, ALSO STIMMT ES.", "de"),
        ("https://zeit.example/die-welt-und-das-ende www.der-die-das.example hans@die-und-das.example", ""),
        ("OK", ""),
        ("12:30 – 14:00", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_the_language_of_a_text(text: str, code: str) -> None:
    assert language_of(text) == code
    assert code in LANGUAGES or code == ""


def test_another_language_is_said_and_not_examined() -> None:
    found = fx.detect("Wer das nicht sieht, ist ein Idiot, und wir wissen alle, dass er lügt.")
    assert found.spans == ()
    assert found.notes == ("this looks like German; the detector reads English only, so nothing was examined",)
    assert fx.detect("You idiot, so the plan is bad.").notes == ()
    finnish = "Kaikki sanovat, että uusi silta on ruma, joten sen täytyy olla ruma. Eri mieltä on vain hölmö."
    assert fx.detect(finnish).spans == ()
    assert "a language other than English" in fx.detect(finnish).notes[0]


def test_paragraphs_of_another_language_are_left_out_of_an_english_text() -> None:
    english = "Everyone says the bridge is ugly, so it must be ugly."
    german = "Wer das nicht sieht, ist ein Idiot, und wir wissen alle, dass er lügt."
    for text in (f"{english}\n\n{german}\n\n{english}", f"{german}\r\n\r\n{english}\r\n\r\nKurz.\r\n\r\n{german}"):
        found = fx.detect(text, min_confidence=0.01)
        assert {found.text_of(s) for s in found.spans} == {english}
        assert "looks like German" in found.notes[0] or "look like German" in found.notes[0]
    assert fx.detect(f"{english}\r\r{german}").notes == fx.detect(f"{english}\n\n{german}").notes
    french = "Tout le monde le dit, donc ce n'est pas faux, et vous le savez."
    assert fx.detect(f"{german}\n\n{french}").notes[0].endswith("nothing was examined")


def test_what_is_not_read_changes_nothing_beside_it() -> None:
    english = "Everyone in the office prefers the old form, so the old form must be better."
    german = "Alle im Büro mögen das alte Formular lieber, also muss es besser sein."
    (alone,) = fx.detect(english, explain=True).spans
    found = fx.detect(f"Dear colleagues,\n\n{english}\n\n{german}\n\n{german}", explain=True)
    assert [(found.text_of(s), s.label) for s in found.spans] == [(english, alone.label)]
    (split,) = fx.detect(
        Record("page", f"{german}\n{english}", meta={"form": "html", "blocks": [(0, 147, "prose")]})
    ).spans
    assert (split.start, split.end, split.confidence) == (71, 147, alone.confidence)


def test_a_text_without_prose_is_not_said_to_be_free_of_findings() -> None:
    assert "nothing was flagged" in fx.detect("# Everyone says so, so it is true\n\n> You fool.\n").notes[0]
    assert fx.detect(" \n").notes == ("there is no text, so nothing was examined",)
    assert fx.detect("It rains.").notes == ()


def test_a_page_says_what_was_not_examined() -> None:
    page = detections_page([fx.detect("Wer das nicht sieht, ist ein Idiot, und wir wissen alle, dass er lügt.")])
    assert "looks like German" in page
    assert "Nothing found" not in page
    assert "Nothing found" in detections_page([fx.detect("It rains.")])


def test_english_without_common_words_is_examined() -> None:
    headline = "Crooked senator caught lying again, voters furious, party leaders silent, everybody knows why."
    assert language_of(headline) == ""
    assert fx.detect(headline).notes == ()


@pytest.mark.parametrize("folder", ["passages", "passages_posts", "passages_topics"])
def test_no_english_passage_is_refused(folder: str) -> None:
    detector = load_detector("linear")
    found = read_passages(Path(__file__).parents[3] / "data" / folder)
    assert [p.record.text for p in found if unread_by(detector, p.record.text)] == []
