"""The entailment engine: readings, passages, and examples made by rules."""

import hashlib
import json
import math
import random
import shutil
from collections import Counter
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from fallax.core.texts import sentence_spans
from fallax.encoders import CARD
from fallax.encoders.files import npz_bytes
from fallax.entailment import EntailmentModel, JoinedModel, Passages, load_entailment, shipped_entailment
from fallax.errors import FormatError

DOCUMENT = (
    "The board met on 3 March. Reyes accused Tan of hiding the report. The board raised the fees to 40 euros, because"
    " the roof had to be repaired. Nobody from the union was present. The garden was closed for the winter."
)


@pytest.fixture(scope="module")
def model() -> EntailmentModel:
    return load_entailment()


def test_a_reading_has_a_score_for_each_word_and_sentence(model: EntailmentModel) -> None:
    passage = [DOCUMENT[a:b] for a, b in sentence_spans(DOCUMENT)]
    reading = model.read(passage, "The board raised the fees.")
    assert sum(reading.probabilities) == pytest.approx(1.0)
    assert [w.text for w in reading.words] == ["The", "board", "raised", "the", "fees"]
    assert len(reading.sentences) == len(passage)
    assert model.read(passage, "The board raised the fees.") == reading


def test_a_token_that_stands_for_no_letter_is_empty(model: EntailmentModel) -> None:
    class Tokens:
        ids = (7, 8, 9)
        offsets = ((0, 0), (0, 4), (6, 6))

    class Tokenizer:
        def encode(self, text: str, *, add_special_tokens: bool) -> Tokens:
            return Tokens()

    class Encoder:
        heads = model._model.heads
        words = model._model.words
        tokenizer = Tokenizer()

    own = EntailmentModel(Encoder(), name="own@1", about={})  # type: ignore[arg-type]
    assert own._encode("o\ufb03ce")[1] == ((0, 0), (0, 2), (4, 4))


@pytest.mark.parametrize("share", [None, 0.75])
def test_joined_models_say_the_mean_of_both(share: float | None, model: EntailmentModel, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    with resources.as_file(shipped_entailment()) as shipped:
        shutil.copytree(shipped, folder)
    with np.load(folder / "head.npz") as stored:
        heads = {name: stored[name] for name in stored.files}
    heads["label"][0, -1] += 2.0  # the bias of "entailed"
    heads["token"][:, -1] += 1.0
    (folder / "head.npz").write_bytes(npz_bytes(heads))
    card = json.loads((folder / CARD).read_text())
    card["files"]["head.npz"] = hashlib.sha256((folder / "head.npz").read_bytes()).hexdigest()
    card |= {"name": "own", "version": 1, "beside": model.name} | ({} if share is None else {"share": share})
    (folder / CARD).write_text(json.dumps(card))
    joined = load_entailment(str(folder))
    assert isinstance(joined, JoinedModel)
    assert joined.name == "own@1"
    passage, statement = ["The board raised the fees to 40 euros."], "The fees rose."
    ours, theirs = joined.read(passage, statement), model.read(passage, statement)
    moved = EntailmentModel.read(joined, passage, statement)
    assert moved.logits[0] > theirs.logits[0]
    own = 0.5 if share is None else share
    both = [own * a + (1 - own) * b for a, b in zip(moved.logits, theirs.logits, strict=True)]
    assert ours.logits == pytest.approx(both)
    assert [w.text for w in ours.words] == [w.text for w in theirs.words]
    for mean, word, other in zip(ours.words, moved.words, theirs.words, strict=True):
        assert mean.unsupported == pytest.approx(own * word.unsupported + (1 - own) * other.unsupported)
    assert ours.sentences[0] == pytest.approx(own * moved.sentences[0] + (1 - own) * theirs.sentences[0])

    (folder / CARD).write_text(json.dumps(card | {"share": "much"}))
    load_entailment.cache_clear()
    with pytest.raises(FormatError, match=r"share must be a number in \[0, 1\], got 'much'"):
        load_entailment(str(folder))

    card["beside"] = "entailment@1"
    (folder / CARD).write_text(json.dumps(card))
    load_entailment.cache_clear()
    with pytest.raises(FormatError, match=f"beside entailment@1, and this fallax has {model.name}"):
        load_entailment(str(folder))


def test_a_dropped_and_an_added_negation_are_noticed(model: EntailmentModel) -> None:
    passages = Passages(model, DOCUMENT)

    def entailed(statement: str) -> float:
        return passages.read(statement, budget=140).reading.entailed

    assert entailed("The board raised the fees.") > entailed("The board did not raise the fees.") + 1
    assert entailed("No one from the union was present.") > entailed("The union was present.")


def test_the_passages_that_bear_on_a_statement_are_chosen_in_their_order(model: EntailmentModel) -> None:
    passages = Passages(model, DOCUMENT)
    chosen, covered, shares = passages.choose("The garden was shut, and the fees rose.", budget=40)
    assert list(chosen) == sorted(chosen)
    assert {2, 4} <= set(chosen)
    assert 0 < covered <= 1
    assert len(shares) == len(chosen)
    assert passages.choose("Camels.", budget=1)[0]
    assert Passages(model, "").choose("Camels.", budget=10)[0] == ()


def test_passages_in_another_order_are_those_of_a_document_in_that_order(model: EntailmentModel) -> None:
    said = [DOCUMENT[a:b] for a, b in sentence_spans(DOCUMENT)]
    order = [3, 1, 4, 0, 2]
    passages = Passages(model, DOCUMENT)
    before = passages.read("The garden was shut.", budget=40)
    turned, anew = passages.in_order(order), Passages(model, " ".join(said[i] for i in order))
    assert turned.texts == anew.texts
    assert [DOCUMENT[a:b] for a, b in turned.spans] == [said[i] for i in order]
    assert turned.read("The garden was shut.", budget=40) == anew.read("The garden was shut.", budget=40)
    assert passages.read("The garden was shut.", budget=40) == before
    assert Passages(model, "").in_order([]).shares("Camels.") == ()


def test_what_is_read_next_was_not_read(model: EntailmentModel) -> None:
    text = "The mayor opened the bridge in May. Camels are patient. The bridge cost a million. The mayor smiled."
    statement = "The mayor opened the bridge in May at a cost of a million."
    passages = Passages(model, text)
    first = passages.read(statement, budget=12, bearing=0.25)
    assert first.pieces == (0,)
    following = passages.read_next(statement, first, budget=90, bearing=0.25)
    assert following is not None
    assert following.pieces == (2, 3)
    whole = passages.read(statement, budget=90)
    assert whole.pieces == (0, 1, 2, 3)
    assert passages.read_next(statement, whole, budget=90, bearing=0.25) is None


def test_the_share_of_a_statement_that_each_sentence_holds(model: EntailmentModel) -> None:
    passages = Passages(model, "The mayor dances. The mayor sings. Camels are patient.")
    common, rare = math.log(4 / 2.5), math.log(4 / 1.5)  # "mayor" is in two of three sentences, "dances" in one
    assert passages.shares("mayor dances") == pytest.approx((1.0, common / (common + rare), 0.0))
    assert max(passages.shares("mayor dances")) <= 1.0
    assert passages.shares("a mayor danced")[0] > passages.shares("a mayor danced")[1]  # similar words count
    assert passages.shares("mayor dances") == pytest.approx(passages.choose("mayor dances", budget=40)[2])
    assert passages.shares("") == (0.0, 0.0, 0.0)
    assert Passages(model, "").shares("mayor") == ()


def test_a_statement_longer_than_is_read_and_none_at_all(model: EntailmentModel) -> None:
    reading = model.read([DOCUMENT], "word " * 400)
    assert len(reading.words) == 80
    assert model.read([], "Anything.").sentences == ()
    assert model.read([DOCUMENT], "").words == ()


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(str(shipped_entailment()), folder)
    about = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps({**about, "name": None} | {"version": 1}))
    del about["version"]
    (folder / CARD).write_text(json.dumps(about))
    with pytest.raises(FormatError, match="must be an entailment model's card"):
        load_entailment(str(folder))
    (folder / "head.npz").write_bytes(b"x")
    (folder / CARD).write_text(json.dumps({**about, "version": 1}))
    with pytest.raises(FormatError, match="SHA-256"):
        load_entailment(str(folder))


def test_each_made_statement_stands_beside_a_passage_of_either_kind() -> None:
    from fallax.entailment.training.made.build import made_contrasts
    from fallax.entailment.training.made.edits import edited_passages

    made = made_contrasts(300, ["The sky was grey."], 5)
    by_statement = Counter((e.statement, e.label == "entailed") for e in made)
    assert all(by_statement[s, True] == by_statement[s, False] for s, _ in by_statement)
    assert len({e.source for e in made}) >= 15
    document = tuple(DOCUMENT[a:b] for a, b in sentence_spans(DOCUMENT))
    edited = [e for e in edited_passages([document] * 3, 60, 3) if e.label != "neither"]
    for four in (edited[i : i + 4] for i in range(0, 40, 4)):
        assert Counter(e.label == "entailed" for e in four) == {True: 2, False: 2}
        assert len({e.statement for e in four}) == 2


def test_the_words_of_a_made_statement_do_not_give_its_label_away() -> None:
    from fallax.entailment.training.made.build import made_contrasts

    made = made_contrasts(400, [], 6)
    words: dict[str, list[int]] = {}
    for e in made:
        for w in set(e.statement.lower().split()):
            words.setdefault(w, [0, 0])[e.label == "entailed"] += 1
    assert all(abs(no - yes) == 0 for no, yes in words.values())


def test_what_is_for_tests_is_in_no_training_file() -> None:
    from fallax.entailment.training.corpus import part_of, read_corpus

    root = Path(__file__).parents[3]
    for folder, held in (
        ("entailment", "faithfulness/benchmarks/contrast.jsonl"),
        ("causal_scenes", "causality/benchmarks/scenes.jsonl"),
    ):
        rows = read_corpus(root / "data" / folder, "*.jsonl")
        assert rows
        assert {part_of(r["id"]) for r in rows} == {"train", "calibration"}
        held_out = [json.loads(line) for line in (root / "src" / "fallax" / held).read_text().splitlines()]
        assert {part_of(r["id"]) for r in held_out} == {"test"}
        assert not {r["id"] for r in rows} & {r["id"] for r in held_out}


def test_edits_are_the_same_with_the_same_seed() -> None:
    from fallax.entailment.training.made.edits import reworded

    text = "The company bought 1,200 seats because it needed them."
    assert reworded(text, random.Random(4), n=3) == reworded(text, random.Random(4), n=3)


def test_claims_for_calibration_are_not_those_that_are_only_counted() -> None:
    from collections import Counter

    from fallax.entailment.training.corpus import causal_examples, read_corpus

    folder = Path(__file__).parents[3] / "data" / "causal_claims"
    parts = {path.stem: read_corpus(folder, path.name) for path in folder.glob("*.jsonl")}
    assert set(parts) == {"shared", "shared-aside", "reworded", "reworded-aside"}
    for kind in ("shared", "reworded"):
        used, aside = ({tuple(r["evidence"]) for r in parts[name]} for name in (kind, f"{kind}-aside"))
        assert not used & aside
    for name in parts:
        examples = [e for _, _, e in causal_examples(folder, f"{name}.jsonl")]
        assert len(set(Counter(e.label for e in examples).values())) == 1, "all labels are equally frequent"
        assert all(e.statement.strip() and e.passage for e in examples)


def test_reworded_statements_are_right_and_wrong_alike_and_those_aside_stand_nowhere_else() -> None:
    from collections import Counter

    from fallax.entailment.training.corpus import read_corpus

    folder = Path(__file__).parents[3] / "data" / "reworded_statements"
    parts = {path.stem: read_corpus(folder, path.name) for path in folder.glob("*.jsonl")}
    assert set(parts) == {"paired", "reworded", "reworded-aside"}
    for rows in parts.values():
        for row in rows:
            counts = Counter(label for label, _, _ in row["statements"])
            assert counts == {"entailed": len(row["statements"]) // 2, "not_entailed": len(row["statements"]) // 2}
    read = {row["document"] for name in ("paired", "reworded") for row in parts[name]}
    assert not read & {row["document"] for row in parts["reworded-aside"]}
