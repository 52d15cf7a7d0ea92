"""What of a document is read beside a sentence."""

from hypothesis import given
from hypothesis import strategies as st

from fallax.faithfulness.systems.evidence import cut_pieces, evidence_of, rarity_of
from fallax.faithfulness.systems.local import pair_ids

TOKENS = st.lists(st.integers(0, 30), min_size=1, max_size=12)


@given(pieces=st.lists(TOKENS, max_size=20), sentence=TOKENS, budget=st.integers(1, 40), data=st.data())
def test_what_is_chosen_fits_and_stands_in_the_order_of_the_document(
    pieces: list[list[int]], sentence: list[int], budget: int, data: st.DataObject
) -> None:
    without = frozenset(data.draw(st.sets(st.integers(0, 20))))
    chosen = evidence_of(sentence, pieces, rarity=rarity_of(pieces), budget=budget, without=without)
    assert chosen == sorted(set(chosen))
    assert not without.intersection(chosen)
    assert bool(chosen) == bool(set(range(len(pieces))) - without)
    assert len(chosen) <= 1 or sum(len(pieces[i]) for i in chosen) <= budget


@given(sentences=st.lists(st.lists(st.integers(0, 9), max_size=30)), most=st.integers(1, 9))
def test_pieces_hold_every_token_once(sentences: list[list[int]], most: int) -> None:
    pieces = cut_pieces(sentences, most=most)
    assert [t for p in pieces for t in p] == [t for s in sentences for t in s]
    assert all(0 < len(p) <= most for p in pieces)


def test_a_sentence_that_joins_two_facts_finds_both() -> None:
    pieces = [[1, 2, 3], [1, 2, 4], [5, 6, 7], [8, 9, 10]]
    assert evidence_of([1, 2, 3, 9], pieces, rarity=rarity_of(pieces), budget=6) == [0, 3]


def test_what_stands_beside_a_good_piece_comes_before_what_stands_alone() -> None:
    pieces = [[10], [11], [1, 2], [12], [13]]
    assert evidence_of([1, 2], pieces, rarity=rarity_of(pieces), budget=2) == [2]
    assert evidence_of([1, 2], [[10], [11], [12, 14], [1], [13]], rarity={1: 1.0}, budget=3)[-1] == 3


def test_a_piece_longer_than_the_budget_is_cut_at_its_end() -> None:
    assert pair_ids([7], [[1, 2, 3]], 2).tolist() == [101, 7, 102, 1, 2, 102]
