"""What --explain says of the demo texts, and what it costs."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import fallax as fx
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import content_words
from fallax.core.types import Prediction, Record, Span
from fallax.detection.systems import encoder as module
from fallax.detection.systems import load_encoder
from fallax.detection.view import detection_text, detections_page, spans_table
from fallax.encoders import Model
from fallax.render.sarif import placed_findings, sarif_log

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


SHARES = "Of course the dentist recommends the toothpaste: she owns shares in the company. So it cannot work."


class _Two:
    """Finds two labels in one passage, and gives each a word of its own."""

    name, taxonomy = "two@1", "mafalda"

    def __init__(self, sure: float) -> None:
        self.sure = sure

    def card(self) -> dict[str, Any]:
        return {}

    def detect(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        end = len(record.text)
        labels = ("appeal to (false) authority", "guilt by association")
        return Prediction(record.id, tuple(Span(0, end, label, 0.9, self.sure) for label in labels))

    def evidence(self, record: Record, span: Span, *, limit: int = 6) -> tuple[tuple[str, float], ...]:
        return ((span.label.split()[0], 0.1),)


def test_each_label_of_a_passage_is_explained_by_its_own_words() -> None:
    found = fx.detect(SHARES, system=_Two(0.9), explain=True)
    assert [e.evidence for e in found.explanations] == [(("appeal", 0.1),), (("guilt", 0.1),)]


@pytest.mark.parametrize(("sure", "form"), [(0.5, True), (0.49, False)])
def test_a_label_that_is_likelier_wrong_than_right_fills_no_form(sure: float, form: bool) -> None:
    found = fx.detect(SHARES, system=_Two(sure), explain=True)
    first = found.explanations[0]
    assert bool(first.template) is bool(first.slots) is form
    assert first.definition
    assert first.sound_when


def test_a_label_that_is_likelier_wrong_than_right_is_told_as_perhaps() -> None:
    found = fx.detect(SHARES, system=_Two(0.3))
    console = Console(width=80, file=io.StringIO())
    console.print(detection_text(found))
    assert "perhaps guilt by association" in console.file.getvalue()  # type: ignore[attr-defined]
    (label,) = spans_table([found]).columns[2].cells
    assert "30 % perhaps guilt by association" in str(label)
    assert detections_page([found]).count("perhaps guilt by association") == 2
    assert "looks like perhaps" not in json.dumps(sarif_log(placed_findings(found)))
    assert "perhaps" not in json.dumps(found.to_dict())
    assert "perhaps" not in detections_page([fx.detect(SHARES, system=_Two(0.9))])


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
