"""Duplicates, and the names of fallacies."""

import pytest

import fallax as fx
from fallax.errors import InputError, UnknownNameError
from fallax.generation.generators import Seen, Tally, resolve_fallacies


def test_equal_texts_are_duplicates_whatever_their_fallacy() -> None:
    seen = Seen()
    assert seen.take("a", "Wind turns the mill.") is None
    assert seen.take("b", "wind turns - the MILL") == "duplicate"


def test_texts_with_most_words_in_common_are_near_duplicates_within_a_fallacy() -> None:
    seen = Seen(0.6)
    assert seen.take("a", "The strong wind turns the old mill.") is None
    assert seen.take("a", "The strong wind turned an old mill quickly.") == "near-duplicate"
    assert seen.take("b", "The strong wind turned an old mill quickly.") is None
    assert seen.take("a", "The strong sun dries the old mill.") is None


def test_two_wordings_of_one_source_are_no_near_duplicates_but_may_be_duplicates() -> None:
    seen = Seen()
    assert seen.take("a", "Wind turns the mill.", "d1") is None
    assert seen.take("a", "So the wind, it turns the mill!", "d1") is None
    assert seen.take("a", "Wind turns the mill", "d1") == "duplicate"
    assert seen.take("a", "The mill turns. Wind!", "d2") == "near-duplicate"


def test_the_share_must_be_one() -> None:
    with pytest.raises(InputError, match=r"near: must be in \(0, 1\], got 0"):
        Seen(0)


@pytest.mark.parametrize("given", [None, "all", "ALL", ["all"]])
def test_all_are_fourteen(given: str | list[str] | None) -> None:
    assert len(resolve_fallacies(given)) == 14


@pytest.mark.parametrize("given", [[], "", " , ", [""]])
def test_no_type_is_not_all_types(given: str | list[str]) -> None:
    with pytest.raises(InputError, match="fallacy: at least one type must be named, got none"):
        fx.generate(given)


def test_names_are_resolved_once_each() -> None:
    assert resolve_fallacies("FS, false cause,WD") == ("false_cause", "wrong_direction")
    assert resolve_fallacies(["IE", "Accident Fallacy"]) == ("inverse_error", "accident_fallacy")
    with pytest.raises(UnknownNameError, match="unknown fallacy 'straw man'"):
        resolve_fallacies("straw man")


def test_a_tally_counts_by_fallacy() -> None:
    tally = Tally()
    tally.add("b", "items")
    tally.add("a", "items", 2)
    tally.add("a", "nothing", 0)
    assert tally.to_dict() == {"a": {"items": 2}, "b": {"items": 1}}
    assert tally.total()["items"] == 3
