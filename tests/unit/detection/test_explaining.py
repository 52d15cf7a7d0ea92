"""What --explain says of the demo texts, and what it costs."""

from pathlib import Path

import pytest

import fallax as fx
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import content_words
from fallax.core.types import Record
from fallax.detection.systems import encoder as module
from fallax.detection.systems import load_encoder
from fallax.encoders import Model

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize("name", ["editorial.txt", "plain.txt", "review.txt"])
def test_a_template_is_half_filled_or_left_out_and_words_have_content(name: str) -> None:
    found = fx.detect((EXAMPLES / name).read_text(encoding="utf-8"), explain=True)
    for span, explanation in zip(found.spans, found.explanations, strict=True):
        template = load_taxonomy("mafalda")[span.label].template
        if explanation.template:
            assert template is not None
            assert 2 * len(explanation.slots) >= len(template.slots)
        assert all(content_words(word) and effect > 0 for word, effect in explanation.evidence)


def test_asking_why_reads_only_the_windows_of_the_span_again(monkeypatch: pytest.MonkeyPatch) -> None:
    detector = load_encoder()
    text = "Everybody says so, so it must be true. " + "The council met again and took no vote at all. " * 60
    record = Record("long", text)
    scorer = detector.scorer
    read: list[int] = []
    monkeypatch.setattr(module, "_KEPT_WINDOWS", 0)
    models = scorer._models  # type: ignore[attr-defined]
    monkeypatch.setattr(scorer, "_models", tuple(_Counting(m, read) for m in models))
    spans = detector.detect(record, min_confidence=0.01).spans
    windows = len(read)
    assert windows > 2
    first = next(s for s in spans)
    first = type(first)(0, 38, first.label, first.confidence)
    detector.evidence(record, first)
    assert len(read) == windows + len(models)
    monkeypatch.setattr(module, "_KEPT_WINDOWS", 64)
    detector.detect(Record("other", "It rained."))
    detector.detect(record)
    before = len(read)
    detector.evidence(record, first)
    assert len(read) == before


class _Counting:
    def __init__(self, model: Model, read: list[int]) -> None:
        self._model, self._read_ids = model, read
        self.tokenizer = model.tokenizer

    def hidden(self, ids):  # type: ignore[no-untyped-def]
        self._read_ids.append(len(ids))
        return self._model.hidden(ids)
