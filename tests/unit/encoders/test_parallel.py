"""Texts that are read at the same time come back in order, and say what they say alone."""

from __future__ import annotations

import asyncio
import threading

import pytest

import fallax as fx
from fallax.core.stopping import StoppedEarly, unwanted_if
from fallax.core.types import Record
from fallax.detection.systems import load_encoder
from fallax.encoders.parallel import divided, each_in_order, threads
from fallax.errors import InputError
from fallax.faithfulness.systems import load_local_judge

DOCUMENT = "The board met in March. It rejected the plan for the harbour. Tan asked Reyes to wait. The vote was secret."
SUMMARY = "The board met in March. Reyes asked Tan to wait. The plan was approved. Nobody saw who voted for what."


def test_results_come_in_the_order_of_the_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FALLAX_THREADS", "3")
    later = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            assert later.wait(10), "the second item is worked on while the first one waits"
        later.set()
        return item * item

    assert list(each_in_order(work, range(20))) == [i * i for i in range(20)]


@pytest.mark.parametrize(("n", "several"), [("2", True), ("1", False)])
def test_work_is_not_divided_twice(n: str, several: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FALLAX_THREADS", n)
    assert divided() == several
    # within work that is done in parallel already
    assert list(each_in_order(lambda _: divided(), range(4))) == [False] * 4


def test_an_error_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FALLAX_THREADS", "2")
    with pytest.raises(ZeroDivisionError):
        list(each_in_order(lambda x: 1 // x, [2, 1, 0, 1]))


@pytest.mark.parametrize("n", ["1", "2"])
def test_unwanted_work_ends_after_the_item_at_work(n: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FALLAX_THREADS", n)
    begun: list[int] = []
    stopped = threading.Event()

    def work(item: int) -> int:
        begun.append(item)
        if item:
            stopped.wait(10)
        return item

    results = each_in_order(work, range(20))
    try:
        with unwanted_if(lambda: True):
            assert next(results) == 0
            with pytest.raises(StoppedEarly):
                next(results)
    finally:
        stopped.set()
    assert len(begun) <= int(n) + 1  # each thread may have begun one more


@pytest.mark.parametrize("said", ["0", "-1", "two", "1.5"])
def test_bad_numbers_of_threads(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FALLAX_THREADS", said)
    with pytest.raises(InputError, match="FALLAX_THREADS must be a whole number of at least 1"):
        threads()


def test_what_is_found_does_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = load_local_judge("entailment", level="sentence")
    text = " ".join([*["The council met on Monday and the minutes are long."] * 40, "You are a fool, so it is false."])
    found = []
    for n in ("1", "5"):
        monkeypatch.setenv("FALLAX_THREADS", n)
        load_encoder.cache_clear()
        found.append((asyncio.run(judge.judge(DOCUMENT, SUMMARY)), load_encoder().detect(Record("r", text))))
    assert found[0] == found[1]
    assert len(found[0][0].units) == 4
    monkeypatch.setenv("FALLAX_THREADS", "x")
    load_encoder.cache_clear()
    with pytest.raises(InputError, match="FALLAX_THREADS"):
        fx.detect(text)
