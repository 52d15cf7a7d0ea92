"""Structure similarity and EntailmentBank's metrics: values worked out by hand, optimal alignment, refused input."""

import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from fallax.core.types import ArgumentStructure, Unreadable
from fallax.errors import InputError, UnknownNameError
from fallax.metrics import Classification, EntailmentTree, StructureSimilarity, number_groups
from fallax.metrics.structure import align_edges
from fallax.metrics.text_similarity import similarity_matrices, token_f1
from fallax.structures import parse_proof, parse_structure

CONTEXT = {f"sent{i}": f"fact {i}" for i in range(1, 7)}
GOLD = "sent1 & sent2 -> int1: wet field; int1 & sent3 -> int2: slow game; int2 & sent4 -> hypothesis; "


def tree(proof: str) -> ArgumentStructure:
    found = parse_proof(proof, context=CONTEXT, hypothesis="the game was late").structure
    assert found is not None
    return found


def values(pred: str, gold: str = GOLD, metric: EntailmentTree | None = None) -> tuple[float | None, ...]:
    score = (metric or EntailmentTree()).record_score(pred=tree(pred), gold=tree(gold))
    assert score["leaves_all_correct"] == (score["leaves_f1"] == 1)
    assert score["steps_all_correct"] == (score["steps_f1"] == 1)
    assert score["intermediates_all_correct"] == (score["intermediates_f1"] == 1)
    found = (score["leaves_f1"], score["steps_f1"], score["intermediates_f1"], score["all_correct"])
    return tuple(None if v is None else round(v, 6) for v in found)


OFFICIAL = EntailmentTree(variant="official")


@pytest.mark.parametrize(
    ("pred", "gold", "defined", "official"),
    [
        (GOLD, GOLD, (1, 1, 1, 1), (1, 1, 1, 1)),
        # the claim is one more conclusion: 1 of 1 and 2 is 2/3 as defined, 2 of 2 and 3 is 4/5 in the scorer
        (
            "sent1 & sent2 -> int1: wet field; int1 & sent3 & sent4 -> hypothesis;",
            GOLD,
            (1, 0.4, 0.666667, 0),
            (1, 0.4, 0.8, 0),
        ),
        # int2 covers all leaves of the gold claim {1,2,3} and is aligned to it: its step is right in the scorer, while
        # as defined it can only be int1 (Jaccard 2/3), whose step it is not. Leaves 3 right of 4 and 3: 6/7.
        # Steps: 1 of 3 and 2 is 2/5, 2 of 3 and 2 is 4/5. Conclusions: int1 is said right; the claim has its text.
        (
            "sent1 & sent2 -> int1: wet field; int1 & sent3 -> int2: late; int2 & sent4 -> hypothesis;",
            "sent1 & sent2 -> int1: wet field; int1 & sent3 -> hypothesis;",
            (0.857143, 0.4, 0.666667, 0),
            (0.857143, 0.8, 0.8, 0),
        ),
        # a single step has no intermediate as defined and one conclusion in the scorer
        (
            "sent1 & sent2 -> hypothesis;",
            "sent1 & sent2 -> hypothesis;",
            (1, 1, 1, 1),
            (1, 1, 1, 1),
        ),
    ],
)
def test_the_scorer_counts_the_claim_among_the_conclusions(
    pred: str, gold: str, defined: tuple[float, ...], official: tuple[float, ...]
) -> None:
    assert values(pred, gold) == defined
    assert values(pred, gold, OFFICIAL) == official
    assert "variant:official" in str(OFFICIAL.record_score(pred=tree(pred), gold=tree(gold)).signature)


@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        (GOLD, (1, 1, 1, 1)),
        # the same tree with other names for the intermediates, and its steps in another order
        (
            "int9 & sent4 -> hypothesis; int5 & sent3 -> int9: slow game; sent2 & sent1 -> int5: wet field;",
            (1, 1, 1, 1),
        ),
        # the middle step left out: its leaf goes to the last step. Steps {1,2}->int1 right; 1 of 2 and 3: F1 2/5.
        # Intermediates: 1 right of 1 and 2.
        ("sent1 & sent2 -> int1: wet field; int1 & sent3 & sent4 -> hypothesis;", (1, 0.4, 0.666667, 0)),
        # the middle step left out with its leaf: leaves 3 right of 3 and 4: 6/7
        ("sent1 & sent2 -> int1: wet field; int1 & sent4 -> hypothesis;", (0.857143, 0.4, 0.666667, 0)),
        # one leaf swapped for another: leaves 3 right of 4 and 4. int1 {1,5} has Jaccard 1/3 with gold int1 {1,2} and
        # 1/4 with int2 {1,2,3}; int2 {1,5,3}: 1/4 with int1, 2/4 with int2. First step wrong, the others right.
        (
            "sent1 & sent5 -> int1: wet field; int1 & sent3 -> int2: slow game; int2 & sent4 -> hypothesis;",
            (0.75, 0.666667, 1, 0),
        ),
        # leaves of two steps exchanged: int1 {1,3} has Jaccard 1/3 with gold int1 and 2/3 with gold int2, and int2
        # {1,2,3} is gold int2 too. Both become int2: only the last step is right, and only int2 said.
        (
            "sent1 & sent3 -> int1: wet field; int1 & sent2 -> int2: slow game; int2 & sent4 -> hypothesis;",
            (1, 0.333333, 0.5, 0),
        ),
        # one conclusion says something else
        (
            "sent1 & sent2 -> int1: dry field; int1 & sent3 -> int2: slow game; int2 & sent4 -> hypothesis;",
            (1, 1, 0.5, 0),
        ),
        # all in one step
        ("sent1 & sent2 & sent3 & sent4 -> hypothesis;", (1, 0, 0, 0)),
        # nothing in common
        ("sent5 & sent6 -> int1: wet field; int1 -> hypothesis;", (0, 0, 0, 0)),
        # a leaf too many in the last step
        (
            "sent1 & sent2 -> int1: wet field; int1 & sent3 -> int2: slow game; int2 & sent4 & sent5 -> hypothesis;",
            (0.888889, 0.666667, 1, 0),
        ),
    ],
)  # fmt: skip
def test_perturbed_trees(pred: str, expected: tuple[float, ...]) -> None:
    assert values(pred) == expected


def test_conclusions_are_compared_by_the_scorer() -> None:
    pred = GOLD.replace("wet field", "the wet field")
    assert values(pred) == (1, 1, 0.5, 0)
    assert values(pred, metric=EntailmentTree(scorer="token_f1", threshold=0.8)) == (1, 1, 1, 1)
    assert values(pred, metric=EntailmentTree(scorer="token_f1", threshold=0.81)) == (1, 1, 0.5, 0)


def test_no_intermediates_on_either_side_is_right() -> None:
    assert values("sent1 -> hypothesis;", "sent1 -> hypothesis;") == (1, 1, 1, 1)


def test_chains_are_aligned_by_what_they_say_then_by_depth() -> None:
    gold = "sent1 -> int1: a; int1 -> int2: b; int2 -> int3: c; int3 -> hypothesis;"
    assert values(gold.replace("int2", "int7"), gold) == (1, 1, 1, 1)
    # b left out: a and c stay themselves; steps sent1->a and c->hypothesis are right: 2 of 3 and 4
    assert values("sent1 -> int1: a; int1 -> int3: c; int3 -> hypothesis;", gold) == (1, 0.571429, 0.8, 0)
    # other words: depth decides, so all steps are right
    assert values("sent1 -> int1: x; int1 -> int2: y; int2 -> int3: z; int3 -> hypothesis;", gold) == (1, 1, 0, 0)


def test_leaves_by_text() -> None:
    gold, pred = (
        tree("sent1 & sent2 -> hypothesis;"),
        parse_structure("A: fact 2\nB: fact 1\n(A, B) -> Claim").structure,
    )
    assert EntailmentTree().record_score(pred=pred, gold=gold)["leaves_f1"] == 0
    assert EntailmentTree(leaves="text").record_score(pred=pred, gold=gold)["all_correct"] == 1


def test_a_cycle_in_a_prediction_is_scored() -> None:
    assert values("int1 -> int2: slow game; int2 -> int1: wet field; int2 & sent4 -> hypothesis;")[:3] == (0.4, 0, 0)


def chain(text: str) -> ArgumentStructure:
    found = parse_structure(text, format="arrows").structure
    assert found is not None
    return found


def test_edges_by_hand() -> None:
    gold = chain("a b -> c d -> e f")
    pred = chain("a b -> c d -> x y")
    exact = StructureSimilarity(scorer="exact").record_score(pred=pred, gold=gold)
    assert (exact["precision"], exact["recall"], exact["f1"], exact["all_correct"]) == (0.5, 0.5, 0.5, 0)
    # edges "a b c d" (equal) and "c d x y" against "c d e f": 2 of 4 words
    assert StructureSimilarity().record_score(pred=pred, gold=gold)["f1"] == 0.75
    more = StructureSimilarity(scorer="exact").record_score(pred=chain("a b -> c d -> e f\nq -> e f"), gold=gold)
    assert more["precision"] == pytest.approx(2 / 3)
    assert more["recall"] == 1
    assert more["f1"] == pytest.approx(0.8)


def test_links_or_arrows() -> None:
    gold, pred = chain("(a, b) -> c"), chain("a -> c\nb -> c")
    assert StructureSimilarity(scorer="exact").record_score(pred=pred, gold=gold)["f1"] == 1
    by_link = StructureSimilarity(scorer="exact", edges="link").record_score(pred=pred, gold=gold)
    assert by_link["f1"] == 0
    reordered = StructureSimilarity(scorer="exact", edges="link").record_score(pred=chain("(b, a) -> c"), gold=gold)
    assert reordered["f1"] == 1


def test_exact_does_not_confuse_where_a_text_ends() -> None:
    assert StructureSimilarity(scorer="exact").record_score(pred=chain("a b -> c"), gold=chain("a -> b c"))["f1"] == 0
    assert StructureSimilarity().record_score(pred=chain("a b -> c"), gold=chain("a -> b c"))["f1"] == 1


def test_alignment_is_optimal() -> None:
    rng = random.Random(6)
    for _ in range(300):
        n, m = rng.randint(1, 6), rng.randint(1, 6)
        alike = np.array([[rng.choice((0, 0.25, rng.random())) for _ in range(m)] for _ in range(n)])
        small, large = (alike, m) if n <= m else (alike.T, n)
        rows = range(len(small))
        best = max(
            sum(small[i, j] for i, j in zip(rows, p, strict=True))
            for p in itertools.permutations(range(large), len(small))
        )
        assert align_edges(alike) == pytest.approx(best, abs=1e-12)
    assert align_edges(np.zeros((0, 3))) == 0


class Model:
    """A model of the test's own: counts letters, and how often it is asked."""

    name = "letters@1"

    def __init__(self, answer: Callable[[Sequence[Any]], Any]) -> None:
        self.answer = answer
        self.asked: list[list[Any]] = []

    def __call__(self, texts: Sequence[Any], /) -> Any:
        self.asked.append(list(texts))
        return self.answer(texts)


def letters(texts: Sequence[str]) -> list[list[float]]:
    return [[float(t.count(c)) for c in "abcdefxy"] for t in texts]


def test_each_distinct_edge_is_embedded_once() -> None:
    model = Model(letters)
    gold = [chain("a -> b -> c"), chain("a -> b"), chain("a -> b -> d")]
    pred = [chain("a -> b -> c"), chain("a -> d"), chain("a -> b -> c")]
    score = StructureSimilarity(scorer="embedding").corpus_score(pred=pred, gold=gold, model=model)
    (asked,) = model.asked
    assert sorted(asked) == ["a b", "a d", "b c", "b d"]
    # record 2: "a d" against "a b": cosine 1/2; record 3: 1 and "b c" against "b d": 1/2
    assert score["f1"] == pytest.approx((1 + 0.5 + 0.75) / 3)
    assert "model:letters@1" in str(score.signature)
    assert "scorer:embedding" in str(score.signature)


def test_token_vectors_and_pairs() -> None:
    tokens = Model(lambda texts: [np.array(letters(t.split())) for t in texts])
    table = similarity_matrices([(["a b"], ["a c", "b a", "a b"])], scorer="bertscore", model=tokens)
    assert table[0].tolist() == [[0.5, 1.0, 1.0]]
    marked = Model(lambda texts: [(np.array(letters(("x " + t).split())), np.array([0, 1, 1])) for t in texts])
    table = similarity_matrices([(["a b"], ["a c", "b x"])], scorer="bertscore", model=marked)
    # "a" meets "a", "b" meets nothing; the word "x" meets the mark "x", which is itself not counted
    assert table[0].tolist() == [[0.5, pytest.approx(2 / 3)]]
    pairs = Model(lambda pairs: [0.3 if gold == "c" else -2.0 for gold, pred in pairs])
    assert similarity_matrices([(["a"], ["c", "b", "a"])], scorer="bleurt", model=pairs)[0].tolist() == [
        [0.3, 0.0, 1.0]
    ]


@pytest.mark.parametrize(
    ("scorer", "answer", "why"),
    [
        ("embedding", lambda texts: [[1.0]], "must give one finite vector for each of 2 texts"),
        ("embedding", lambda texts: [[float("nan")]] * 2, "must give one finite vector"),
        ("bertscore", lambda texts: [[[1.0]]], "must give token vectors for 2 texts, got 1"),
        ("bertscore", lambda texts: [[1.0], [1.0]], "a finite vector for each token"),
        ("bertscore", lambda texts: [([[1.0]], [1, 1])] * 2, "must mark each of 1 tokens, got 2 marks"),
        ("bleurt", lambda pairs: [1.0, 2.0], "one finite number for each of 1 pairs"),
    ],
)
def test_models_that_answer_something_else(scorer: str, answer: Callable[[Any], Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        similarity_matrices([(["a"], ["b"])], scorer=scorer, model=Model(answer))


def test_a_scorer_without_its_model_is_one_clear_line() -> None:
    for scorer in ("embedding", "bertscore", "bleurt"):
        with pytest.raises(InputError) as error:
            StructureSimilarity(scorer=scorer).corpus_score(pred=[], gold=[])
        assert str(error.value).startswith(f"structure_similarity: scorer '{scorer}' needs a model that gives one ")
    with pytest.raises(UnknownNameError, match="unknown scorer 'bert'"):
        StructureSimilarity(scorer="bert")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="entailment_tree: scorer 'bertscore' has no usual threshold"):
        EntailmentTree(scorer="bertscore")
    with pytest.raises(InputError, match="threshold must be above 0 and at most 1, got 0"):
        EntailmentTree(threshold=0)
    assert "threshold:0.28" in "|".join(f"{k}:{v}" for k, v in EntailmentTree(scorer="bleurt").settings().items())


def test_what_cannot_be_scored_is_said() -> None:
    one = chain("a -> b")
    score = StructureSimilarity().corpus_score(
        pred={"1": one, "2": None, "3": Unreadable("no link"), "4": one}, gold={"1": one, "2": one, "3": one, "4": None}
    )
    assert score.unscored == {"2": "no answer", "3": "unreadable: no link", "4": "not annotated"}
    assert (score["f1"], score.n_scored, score.n_replies, score.n_unreadable) == (1, 1, 3, 1)
    fewer = StructureSimilarity().corpus_score(pred={"1": one}, gold={"1": one, "2": one}, missing="unscored")
    assert (dict(fewer.unscored), fewer.n_scored) == ({"2": "no prediction"}, 1)
    empty = StructureSimilarity().corpus_score(pred=[], gold=[])
    assert empty["f1"] is None
    with pytest.raises(InputError, match="must have a prediction, without one: '2'"):
        StructureSimilarity().corpus_score(pred={"1": one}, gold={"1": one, "2": one})
    with pytest.raises(InputError, match="must have a gold structure, without one: '2'"):
        StructureSimilarity().corpus_score(pred={"1": one, "2": one}, gold={"1": one})
    with pytest.raises(InputError, match="record '0': must be a structure or None, got str"):
        StructureSimilarity().corpus_score(pred=["x"], gold=[one])  # type: ignore[list-item]
    with pytest.raises(InputError, match="must be structures by id"):
        StructureSimilarity().corpus_score(pred=3, gold=[one])  # type: ignore[arg-type]


def test_no_edges_and_word_similarity() -> None:
    none = ArgumentStructure(None)
    assert StructureSimilarity().record_score(pred=none, gold=chain("a -> b"))["f1"] == 0
    assert StructureSimilarity().record_score(pred=none, gold=none)["f1"] == 1
    assert token_f1("?", "?") == 1
    assert token_f1("?", "!") == 0
    assert token_f1("a a b", "A") == 0.5


def test_breakdowns_by_steps_and_distractors() -> None:
    gold = {"1": chain("a -> b"), "2": chain("a -> b -> c"), "10": chain("a -> b -> c"), "3": chain("a -> b -> c -> d")}
    pred = {**gold, "2": chain("x -> y"), "10": None}
    steps = number_groups({i: s.n_steps for i, s in gold.items()}, top=3)
    groups = {"steps": steps, "distractors": number_groups({"1": 10, "2": 9, "3": 9})}
    score = StructureSimilarity(scorer="exact").corpus_score(pred=pred, gold=gold, groups=groups)
    assert {k: v["f1"] for k, v in score.parts["steps"].items()} == {"1": 1, "2": 0, "3+": 1}
    assert score.parts["steps"]["2"].unscored == {"10": "no answer"}
    assert list(score.parts["distractors"]) == ["9", "10"]
    assert score.parts["distractors"]["9"]["f1"] == 0.5
    assert "steps:2" in str(score.parts["steps"]["2"].signature)
    labels = Classification().corpus_score(
        pred=dict.fromkeys(gold, "supports"), gold={**dict.fromkeys(gold, "supports"), "2": "refutes"}, groups=groups
    )
    assert {k: v["accuracy"] for k, v in labels.parts["steps"].items()} == {"1": 1, "2": 0.5, "3+": 1}
