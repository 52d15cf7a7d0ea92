"""The component in pipelines of spaCy."""

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of spaCy's own parts, on import
    spacy = pytest.importorskip("spacy", reason="needs spaCy: pip install spacy")
    from spacy.tokens import Doc, DocBin

import fallax as fx
import fallax.integrations.spacy_component
from fallax.errors import InputError

TEXT = "\U0001f600 Hm.  Well.\nEveryone says the new bridge is ugly, so it must be.\n"
PASSAGE = "Everyone says the new bridge is ugly, so it must be."


def test_findings_are_those_of_detect_in_characters_and_tokens() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("fallax")
    doc = nlp(TEXT)
    assert doc._.fallax == fx.detect(TEXT).spans
    assert [TEXT[s.start : s.end] for s in doc._.fallax] == [PASSAGE]
    assert [(s.text, s.label_) for s in doc.spans["fallax"]] == [(PASSAGE, "ad populum")]


def test_findings_are_stored_with_the_document() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("fallax")
    assert nlp.make_doc(TEXT)._.fallax == ()
    doc = nlp(TEXT)
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    (binned,) = DocBin(docs=[doc], store_user_data=True).get_docs(nlp.vocab)
    for stored in (again, binned, doc.copy()):
        assert stored._.fallax == doc._.fallax != ()
        assert [(s.text, s.label_) for s in stored.spans["fallax"]] == [(PASSAGE, "ad populum")]


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_offsets_are_right_on_any_tokenizer(size: int) -> None:
    def cut(text: str) -> Any:
        pieces = [text[i : i + size] for i in range(0, len(text), size)]
        return Doc(nlp.vocab, words=pieces, spaces=[False] * len(pieces))

    nlp = spacy.blank("en")
    nlp.tokenizer = cut
    nlp.add_pipe("fallax")
    doc = nlp(TEXT)
    (exact,), (tokens,) = doc._.fallax, doc.spans["fallax"]
    assert doc.text[exact.start : exact.end] == PASSAGE
    assert 0 <= exact.start - tokens.start_char < size
    assert 0 <= tokens.end_char - exact.end < size


def test_a_threshold_and_a_language_leave_nothing() -> None:
    strict, plain = spacy.blank("en"), spacy.blank("de")
    strict.add_pipe("fallax", config={"min_confidence": 0.99})
    plain.add_pipe("fallax")
    assert strict(TEXT)._.fallax == ()
    assert not plain("Alle sagen, dass die neue Brücke nicht schön ist, also muss es wohl so sein.").spans["fallax"]
    mixed = f"{TEXT}\nAlle sagen, dass die neue Brücke nicht schön ist, also muss es wohl so sein."
    plain.get_pipe("fallax")._min_confidence = 0.01
    assert plain(mixed)._.fallax == fx.detect(mixed, min_confidence=0.01).spans
    with pytest.raises(InputError, match="min_confidence must be in"):
        spacy.blank("en").add_pipe("fallax", config={"min_confidence": 2.0})


def test_a_pipeline_is_pickled_and_copied_as_for_several_processes() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("fallax", config={"detector": "linear", "min_confidence": 0.01})
    expected = fx.detect(TEXT, system="linear", min_confidence=0.01).spans
    for again in (pickle.loads(pickle.dumps(nlp)), copy.deepcopy(nlp)):
        assert again(TEXT)._.fallax == expected != ()
    default = spacy.blank("en")
    default.add_pipe("fallax")
    assert pickle.loads(pickle.dumps(default))(TEXT)._.fallax == fx.detect(TEXT).spans


def test_a_pipeline_is_written_to_a_folder_and_read_again(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("fallax", config={"min_confidence": 0.99})
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again.pipe_names == ["fallax"]
    assert again(TEXT)._.fallax == ()
    again.get_pipe("fallax")._min_confidence = None
    assert again(TEXT)._.fallax == fx.detect(TEXT).spans
