"""Cross-validation: every text is tried once by a detector that has not seen it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fallax.detection import validation
from fallax.detection.validation import HeldOut, area, read_parts, tables_of
from fallax.errors import FormatError, InputError
from tests.support.tiny_base import write_tiny_base


@pytest.fixture(scope="module")
def tiny_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_base(tmp_path_factory.mktemp("base"))


ROW = HeldOut("a", 0, 1, True, 1.0, 0.9, ("ad hominem",), ("ad hominem", "straw man", "tu quoque"))


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.booleans(), st.sampled_from([0.0, 0.2, 1.0, 2.0])), min_size=2, max_size=30
    )
)
def test_the_area_is_the_share_of_pairs_in_the_right_order(rows: list[tuple[int, bool, float]]) -> None:
    pytest.importorskip("sklearn.metrics")
    score, positive, weight = (np.array(x) for x in zip(*rows, strict=True))
    pairs = [(a, b, v * w) for a, yes, v in rows if yes for b, no, w in rows if not no]
    found = area(score.astype(float), positive, weight)
    if not sum(w for *_, w in pairs):
        assert found is None
    else:
        right = sum(w * ((a > b) + (a == b) / 2) for a, b, w in pairs)
        assert found == pytest.approx(right / sum(w for *_, w in pairs))


def test_the_tables_say_what_the_sentences_come_to() -> None:
    rows = [
        ROW,
        replace(ROW, text=1, ranked=("straw man", "ad hominem", "tu quoque"), n_sentences=2),
        replace(ROW, text=1, flagged=False, candidates=(), probability=0.1, n_sentences=2),
        replace(ROW, source="b", text=0, flagged=False, candidates=(), probability=0.95),
    ]
    by_source, by_label, by_length = tables_of(rows)
    assert [r[:4] for r in by_source.rows] == [("a", 2, 3, 2), ("b", 1, 1, 0), ("all", 3, 4, 2)]
    assert str(by_source.rows[0][4]).startswith("1.000 [")
    assert [by_source.rows[1][i] for i in (4, 5, 6)] == ["undefined"] * 3
    assert str(by_source.rows[2][4]).startswith("0.500 [")
    assert str(by_source.rows[2][5]).startswith("0.500 [")
    assert str(by_source.rows[2][6]).startswith("1.000 [")
    assert by_label.rows == (("ad hominem", 2, "1.000", "0.500", "1.000"),)
    assert [r[:3] for r in by_length.rows] == [("1 sentence", 2, 2), ("2-3", 1, 2)]
    assert tables_of(rows) == (by_source, by_label, by_length)
    with pytest.raises(InputError, match="at least one held-out sentence"):
        tables_of([])


def test_what_is_no_held_out_sentence_is_told(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{}\n{"source": "a"}\n')
    with pytest.raises(FormatError, match="held-out sentence"):
        read_parts([tmp_path / "x.jsonl"])


def _passages(path: Path, labels: list[str], n: int) -> Path:
    path.mkdir()
    words = {"appeal to fear": "fear", "appeal to positive emotion": "hope", "": "lamp"}
    rows = []
    for i in range(n):
        label = labels[i % len(labels)]
        text = f"{words[label]} {words[label]} w{i} {words[label]}."
        rows.append(
            {
                "id": f"{path.name}{i}", "label": label, "kind": "fallacy" if label else "near_miss", "style": "x",
                "text": f"⟦{text}⟧" if label else text,
            }
        )  # fmt: skip
    (path / "all.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


@pytest.fixture
def on(tmp_path: Path) -> list[str]:
    labels = ["appeal to fear", "appeal to positive emotion", ""]
    (tmp_path / "plain.txt").write_text("lamp w1 lamp.\nlamp w2 lamp w3.\n")
    return [
        str(_passages(tmp_path / "one", labels, 30)),
        str(_passages(tmp_path / "two", labels, 24)),
        str(tmp_path / "plain.txt"),
    ]


def test_every_text_is_tried_once_and_nothing_is_trained_twice(
    tiny_base: Path, on: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fallax.detection.train import training_sources
    from fallax.detection.training import loop

    settings = loop.DetectorSettings(epochs=6, batch_size=8, learning_rate=3e-3, dropout=0.0)
    parts = validation.folds_of(training_sources(on), settings, 3)
    tested = [(name, e.sentences) for part in parts for name, examples in part.tested() for e in examples]
    assert sorted(tested) == sorted((s.name, e.sentences) for s in training_sources(on) for e in s.examples)
    done: list[tuple[int, int, str]] = []
    paths = [validation.validate_part(p, tiny_base, tmp_path, progress=lambda *said: done.append(said)) for p in parts]
    assert done[-1][0] == done[-1][1] > 0
    assert {name for _, _, name in done} == {p.name for p in parts}
    assert [p.name for p in paths] == [f"fold-{i}-of-3.jsonl" for i in (1, 2, 3)]
    assert not [p for p in tmp_path.iterdir() if p.is_dir() and p.name.startswith("fold")]
    rows = read_parts(paths)
    assert len({(r.source, r.text) for r in rows}) == len(tested)
    by_source = tables_of(rows)[0]
    assert float(str(by_source.rows[-1][5]).split()[0]) > 0.8
    monkeypatch.setattr(loop, "fit", lambda *a, **k: pytest.fail("trained again"))
    before = [p.read_bytes() for p in paths]
    assert [validation.validate_part(p, tiny_base, tmp_path).read_bytes() for p in parts] == before
    with pytest.raises(InputError, match="folds: must be 2 or more"):
        validation.folds_of([], settings, 1)


def test_a_set_that_is_left_out_is_not_trained_on(tiny_base: Path, on: list[str]) -> None:
    from fallax.detection.training.loop import DetectorSettings

    first, second = validation.leave_one_out(on, DetectorSettings())
    assert (first.name, second.name) == ("without-one", "without-two")
    assert [s.name for s in first.train] == ["two", "plain.txt"]
    assert [s.name for s in first.test] == ["one"]
    assert sum(len(examples) for _, examples in first.tested()) == 30
    (joined,) = (p.name for p in validation.leave_one_out([f"{on[0]}+{on[1]}", on[0]], DetectorSettings())[:1])
    assert joined == "without-one+two"
    with pytest.raises(InputError, match="two sets with fallacies, got 1"):
        validation.leave_one_out(on[1:], DetectorSettings())


def test_the_mean_of_runs_is_one_network(tiny_base: Path, on: list[str], tmp_path: Path) -> None:
    from fallax.detection.train import train_detector, training_sources
    from fallax.detection.training import loop
    from fallax.encoders.training.base import load_base

    settings = loop.DetectorSettings(epochs=2, batch_size=8, learning_rate=3e-3, hold_out=5, runs=2)
    base, sources = load_base(tiny_base), training_sources(on)
    networks: list[Any] = [
        loop.fit(base, sources, n_labels=23, settings=settings, folder=tmp_path / f"{i}", run=i) for i in (0, 1)
    ]
    states = [{k: v.clone() for k, v in n.state_dict().items()} for n in networks]
    assert not states[0]["head.weight"].equal(states[1]["head.weight"])
    mean = loop.mean_of(networks).state_dict()
    assert mean["head.weight"].equal((states[0]["head.weight"] + states[1]["head.weight"]) / 2)
    words = loop.mean_of([networks[0], networks[1], networks[1]]).state_dict()["bert.words.weight"]
    assert words.equal(states[0]["bert.words.weight"])
    cards = [train_detector(sources, tiny_base, tmp_path / x, settings=settings, name="mean") for x in ("a", "b")]
    assert cards[0] == cards[1]
    assert cards[0]["settings"]["runs"] == 2
    assert not [p for p in (tmp_path / "a").iterdir() if p.is_dir()]
    for bad in ({"runs": 0}, {"fold": 5, "hold_out": 5}):
        with pytest.raises(InputError):
            loop.DetectorSettings(**bad)
    with pytest.raises(InputError, match="at least one"):
        loop.mean_of([])
