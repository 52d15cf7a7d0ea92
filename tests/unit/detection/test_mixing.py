"""Texts of several fallacies, ordinary prose, and the calibration of confidences."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fallax.core.types import Record
from fallax.detection.systems import load_encoder
from fallax.errors import FormatError, InputError

pytest.importorskip("torch")

from fallax.detection.training.confidence import HeldOutTexts, calibrated, fit_passages, kind_of
from fallax.detection.training.examples import SentenceExample
from fallax.detection.training.mixing import CHUNK, Draws, chunk_of, mixed
from fallax.detection.training.prose import PROSE, prose_examples, written_examples

DATA = Path(__file__).parents[3] / "data" / "passages_prose"


def text(name: str, label: int | None, n: int = 1) -> SentenceExample:
    flagged = float(label is not None)
    candidates: tuple[int, ...] = () if label is None else (label,)
    return SentenceExample(
        name, "", tuple(f"{name} {i}." for i in range(n)), (flagged,) * n, (1.0,) * n, (candidates,) * n
    )


DRAWS = Draws([(1.0, [text("a", 0, 2), text("b", 1)])], [(1.0, [text("plain", None, 5)])])


def test_each_sentence_of_a_mixed_text_keeps_its_own_label() -> None:
    seen = set()
    for seed in range(200):
        found = mixed(DRAWS, random.Random(seed))
        wanted = {"a": (0,), "b": (1,), "p": ()}
        assert all(c == wanted[s[0]] for s, c in zip(found.sentences, found.candidates, strict=True))
        assert len(found.sentences) == len(found.flagged) == len(found.weights)
        seen.add(len({c for c in found.candidates}))
    assert seen == {1, 2, 3}


def test_a_chunk_is_the_same_for_the_same_seed() -> None:
    first = chunk_of(DRAWS, 1, 0)
    assert len(first) == CHUNK
    assert first == chunk_of(DRAWS, 1, 0) != chunk_of(DRAWS, 1, 1)


def test_the_passages_of_this_project_can_be_read() -> None:
    found = written_examples(DATA)
    assert len(found) == 4728
    assert any(len({c for c in e.candidates if c}) > 1 for e in found)


def test_a_passage_with_an_unknown_label_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"id": "1", "sentences": [["You lie.", "lying"]]}) + "\n")
    with pytest.raises(FormatError, match=r"x\.jsonl.*1.*labelled sentences"):
        written_examples(tmp_path)


def test_a_sentence_may_hold_other_line_ends(tmp_path: Path) -> None:
    rows = [{"id": str(i), "sentences": [[f"It is{end}so.", None]]} for i, end in enumerate("\u2028\u2029\x85")]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "x.jsonl").write_text(lines, encoding="utf-8")
    assert [e.group for e in written_examples(tmp_path)] == ["0", "1", "2"]


def test_texts_about_one_matter_are_held_out_together(tmp_path: Path) -> None:
    rows = [{"id": f"m-{i}", "group": "m", "sentences": [["So it is.", None]]} for i in range(3)]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert [e.group for e in written_examples(tmp_path)] == ["m"] * 3


def test_ordinary_prose_and_comments_labelled_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "cmv_ad_hominem"
    folder.mkdir()
    rows = [("You fool.", "ad hominem"), ("One. Two. Three. Four. Five. Six.", "ad hominem"), ("I see.", "delta")]
    lines = [json.dumps({"id": str(i), "text": t, "labels": [x]}) for i, (t, x) in enumerate(rows)]
    (folder / "train.jsonl").write_text("\n".join(lines))
    ordinary, labelled = prose_examples("cmv_ad_hominem", tmp_path)
    assert [e.sentences for e in ordinary] == [("I see.",)]
    assert [e.sentences for e in labelled] == [("You fool.",)]  # in the long one the insult is somewhere
    assert all(0 < p.weight <= 1 and p.licence for p in PROSE.values())


def test_weights_of_kinds() -> None:
    assert [kind_of(n) for n in (1, 2, 5, 6, 90)] == [0, 1, 1, 2, 2]
    held = HeldOutTexts({"x": [text("a", 0), text("b", 1)], "y": [text("p", None)], "z": [text("q", None)]})
    weights = {e.group: w for e, w in held.weighted()}
    # in each kind fallacious and ordinary texts weigh the same
    assert weights["a"] + weights["b"] == pytest.approx(weights["p"] + weights["q"])


HOMINEM = "You are a drunk and a fool, so nobody should listen to your plan for the schools."


def test_labels_are_calibrated_on_unseen_texts_where_they_are_given(tmp_path: Path) -> None:
    folder = tmp_path / "detector"
    shutil.copytree(str(resources.files("fallax.detection") / "weights" / "encoder"), folder)

    def labelled(label: int | None) -> SentenceExample:
        return SentenceExample("g", "", (HOMINEM,), (1.0,), (1.0,), (() if label is None else (label,),))

    def scale(held: SentenceExample, *unseen: Sequence[SentenceExample]) -> float:
        found = calibrated(folder, HeldOutTexts({"x": [held]}), unseen=unseen or None)
        return float(found.card()["confidence"]["label_scale"])

    without = calibrated(folder, HeldOutTexts({}))
    assert without.card()["confidence"]["label_scale"] == 1.0, "no label: not scaled"
    p = without.scorer.probabilities([HOMINEM])[0]
    said = int(p.argmax())
    right, wrong = labelled(said), labelled(int(said == 0))
    # where it is nearly sure already, the loss is flat before the limit of 3
    assert scale(right) > 2.0, "the label is right: much surer"
    assert scale(right, [wrong]) < 0.2, "labels of held-out texts do not count"
    logits = np.log(p / p.max())
    shown = 1.0 / np.exp(scale(right, [right], [wrong] * 3) * logits).sum()
    assert shown == pytest.approx(0.5, abs=0.01), "right half the time; each set counts the same"
    before = (folder / "card.json").read_bytes()
    cases: tuple[list[Any], ...] = ([], [[]], [[labelled(None)]], [[right], [labelled(None)]])
    for unseen in cases:
        with pytest.raises(InputError, match=rf"unseen must hold sets with .*, got {len(unseen)} sets"):
            calibrated(folder, HeldOutTexts({"x": [right]}), unseen=unseen)
    assert (folder / "card.json").read_bytes() == before


def test_the_confidence_of_passages_is_fitted_on_passages(tmp_path: Path) -> None:
    folder = tmp_path / "detector"
    shutil.copytree(str(resources.files("fallax.detection") / "weights" / "encoder"), folder)
    slope = "If we let them close one street, next they will close two, and then the whole town will be shut for ever."

    def example(sentence: str, flagged: float) -> SentenceExample:
        return SentenceExample(sentence, "", (sentence,), (flagged,), (1.0,), ((),))

    told = [(HOMINEM, 1.0), *[(HOMINEM, 0.0)] * 3, *[(slope, 1.0)] * 3, (slope, 0.0)]
    sets: dict[str, list[SentenceExample]] = {"four of eight are right": [example(*x) for x in told], "no text": []}
    fitted = fit_passages(folder, sets)
    (span,) = fitted.detect(Record("r", HOMINEM)).spans
    assert span.confidence == pytest.approx(0.25, abs=0.02), "a quarter of such passages is right"
    assert json.loads((folder / "card.json").read_text())["confidence"]["passages"]["offset"] == fitted.scale.offset
    assert load_encoder(str(folder)).detect(Record("r", HOMINEM)).spans == (span,)
