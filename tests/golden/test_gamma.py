"""Gamma against pygamma-agreement on the files of its own tests, and against an exhaustive search."""

import importlib
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fallax.errors import InputError
from fallax.metrics.agreement import AnnotatedUnit, Continuum, Layout, best_alignments, gamma
from fallax.metrics.agreement.gamma import layout_of

engine = importlib.import_module("fallax.metrics.agreement.gamma")  # the package exports a function of that name

PEER: dict[str, Any] = json.loads(Path(__file__).with_name("gamma_pygamma.json").read_text(encoding="utf-8"))["files"]


def continuum(units: dict[str, list[tuple[float, float, str]]]) -> Continuum:
    return Continuum({name: [AnnotatedUnit(s, e, (label,)) for s, e, label in rows] for name, rows in units.items()})


def peer_shifts(layout: Layout, length: float | None, samples: int, rng: np.random.Generator) -> Layout:
    """Samples as pygamma-agreement draws them: cutting a range out also gives back what was cut out before.

    So only the last shift is sure to be avoided, while the paper wants all of them apart.
    """
    _, n, _ = layout.shape
    start, end, unit = layout.start[0], layout.end[0], layout.unit[0]
    whole, apart = float(end[unit >= 0].max()), float((end - start)[unit >= 0].mean()) / 2
    shift = np.empty((samples, n))
    for row in shift:
        free = [(0.0, whole)]
        for a in range(n):
            weights = np.array([e - s for s, e in free])
            if free and (weights >= 0).all():
                s, e = free[rng.choice(len(free), p=weights / weights.sum())]
                row[a] = int(rng.uniform(s, e))
            else:  # their draw fails on a negative length and falls back to 1; with nothing left, to anywhere
                row[a] = 1.0 if free else rng.uniform(0.0, whole)
            cut = []
            for s, e in reversed(free):
                if s >= row[a] - apart:
                    cut += [] if e <= row[a] + apart else [(row[a] + apart, e)]
                elif e > row[a] + apart:
                    cut += [(s, row[a] - apart), (row[a] + apart, e)]
                else:
                    cut += [(s, row[a] - apart)]
            free = cut
    who = rng.integers(n, size=(samples, n))
    moved = start[who] + shift[:, :, None]
    back = np.where(moved > whole, whole, 0.0)
    return Layout(moved - back, end[who] + shift[:, :, None] - back, unit[who])


@pytest.mark.parametrize("name", PEER)
def test_gamma_equals_pygamma_agreement_within_its_sampling_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    peer = PEER[name]
    monkeypatch.setattr(engine, "_shuffled", peer_shifts)
    found = gamma([continuum(peer["units"])], samples=300, precision=None)
    assert found.observed["0"] == pytest.approx(peer["observed"], abs=1e-5)
    error = 2**0.5 * peer["std"] / 300**0.5
    assert found.expected["0"] == pytest.approx(peer["expected"], abs=3 * error)
    assert found.value == pytest.approx(peer["gamma"], abs=3 * error * peer["observed"] / peer["expected"] ** 2)
    assert found.n_exact == found.n_alignments == 301


@pytest.mark.parametrize("name", [n for n in PEER if len(PEER[n]["units"]) < 4])
def test_shifts_that_all_lie_apart_change_little_with_few_annotators(name: str) -> None:
    peer = PEER[name]
    found = gamma([continuum(peer["units"])], samples=300, precision=None)
    assert found.expected["0"] == pytest.approx(peer["expected"], rel=0.1)


@pytest.mark.parametrize("name", PEER)
def test_gamma_cat_equals_pygamma_agreement_on_what_is_not_sampled(name: str) -> None:
    peer = PEER[name]
    found = gamma([continuum(peer["units"])], samples=300, precision=None)
    own, theirs = found.cat(unaligned=True), peer["gamma_cat"]
    assert own == pytest.approx(theirs, abs=0.12 if len(peer["units"]) < 5 else 0.05)
    assert (own == 1) == (theirs == 1)


def exhaustive(units: list[list[AnnotatedUnit]]) -> float:
    """The least cost over all partitions of the units into groups with one unit of each annotator at most."""
    n = len(units)
    pairs = n * (n - 1) / 2
    flat = [(a, u) for a, row in enumerate(units) for u in row]

    def apart(x: AnnotatedUnit, y: AnnotatedUnit) -> float:
        position = (abs(x.start - y.start) + abs(x.end - y.end)) / (x.end - x.start + y.end - y.start)
        return position**2 + float(set(x.labels).isdisjoint(y.labels))

    def cost(group: tuple[tuple[int, AnnotatedUnit], ...]) -> float:
        known = [apart(x, y) for (_, x), (_, y) in itertools.combinations(group, 2)]
        return (sum(known) + pairs - len(known)) / pairs

    def best(left: tuple[tuple[int, AnnotatedUnit], ...]) -> float:
        if not left:
            return 0.0
        first, rest = left[0], left[1:]
        found = float("inf")
        for k in range(n):
            for others in itertools.combinations(rest, k):
                group = (first, *others)
                if len({a for a, _ in group}) == len(group):
                    found = min(found, cost(group) + best(tuple(x for x in rest if x not in others)))
        return found

    return best(tuple(flat))


@pytest.mark.parametrize(
    ("n", "m", "seed"), [(2, 4, 0), (3, 3, 1), (3, 3, 2), (3, 3, 3), (4, 2, 4), (4, 2, 5), (5, 2, 6)]
)
def test_best_alignment_equals_an_exhaustive_search(n: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    units = [
        [AnnotatedUnit(int(s), int(s + w), (str(k),)) for s, w, k in zip(
            rng.choice(60, m, replace=False), rng.integers(5, 30, m), rng.integers(3, size=m), strict=True)]
        for _ in range(n)
    ]  # fmt: skip
    layout, _, distance = layout_of(Continuum({str(a): row for a, row in enumerate(units)}))
    found = best_alignments([(layout, distance)])[0][0]
    assert found.cost == pytest.approx(exhaustive(units), abs=1e-9)
    assert found.is_exact
    assert sorted(layout.unit[0][a, p] for row in found.groups for a, p in enumerate(row) if p >= 0) == list(
        range(n * m)
    )


def test_too_many_groups_give_an_alignment_with_a_true_bound() -> None:
    rng = np.random.default_rng(7)
    units = {
        str(a): [AnnotatedUnit(int(s), int(s) + 20, ("x",)) for s in sorted(rng.choice(200, 8, replace=False))]
        for a in range(4)
    }
    layout, _, distance = layout_of(Continuum(units))
    exact = best_alignments([(layout, distance)])[0][0]
    bounded = best_alignments([(layout, distance)], max_groups=10)[0][0]
    assert bounded.bound <= exact.cost + 1e-9 <= bounded.cost + 1e-8
    assert not bounded.is_exact
    assert sorted(layout.unit[0][a, p] for row in bounded.groups for a, p in enumerate(row) if p >= 0) == list(
        range(32)
    )


def test_the_integer_program_finds_what_the_line_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    units = PEER["annotation_paul_suzann_alex"]["units"]
    line = gamma([continuum(units)], precision=None)
    monkeypatch.setattr("fallax.metrics.agreement.packing._WIDEST", -1)
    program = gamma([continuum(units)], precision=None)
    assert program.expected["0"] == pytest.approx(line.expected["0"], abs=1e-9)
    assert program.n_exact == program.n_alignments


def test_perfect_agreement_is_one_and_an_alternative_agrees_with_each() -> None:
    ann = [AnnotatedUnit(0, 10, ("A",)), AnnotatedUnit(20, 30, ("B",))]
    either = [AnnotatedUnit(0, 10, ("A", "C")), AnnotatedUnit(20, 30, ("B", "A"))]
    other = [AnnotatedUnit(0, 10, ("C",)), AnnotatedUnit(20, 30, ("A",))]
    assert gamma([Continuum({"ann": ann, "bob": ann, "cid": ann})]).value == 1.0
    assert gamma([Continuum({"ann": ann, "bob": either})]).value == 1.0
    assert gamma([Continuum({"ann": other, "bob": either})]).value == 1.0
    assert gamma([Continuum({"ann": ann, "bob": other}, length=100)]).value < 0.9


def test_documents_without_units_count_as_agreement_and_do_not_change_the_sum() -> None:
    ann, bob = [AnnotatedUnit(0, 10, ("A",))], [AnnotatedUnit(4, 16, ("B",))]
    one = Continuum({"ann": ann, "bob": bob}, 60, "1")
    empty = Continuum({"ann": [], "bob": []}, 60, "2")
    alone, both = gamma([one]), gamma([one, empty])
    assert both.value == alone.value
    assert both.by_document["2"] == 1.0
    assert both.mean == pytest.approx((alone.value + 1) / 2)
    assert gamma([empty]).value == 1.0


def test_one_annotator_is_a_clear_error() -> None:
    with pytest.raises(InputError, match="gamma needs at least two annotators, got 1"):
        Continuum({"ann": []})


def test_the_same_seed_gives_the_same_value_and_precision_draws_more() -> None:
    one = continuum(PEER["example_figure10"]["units"])
    first, again = gamma([one], seed=3), gamma([one], seed=3)
    assert first == again
    assert first.n_samples > 30
    assert first.standard_error / (1 - first.value) < 0.02


def test_position_alone_ignores_labels() -> None:
    ann, bob = (
        [AnnotatedUnit(0, 10, ("A",)), AnnotatedUnit(20, 30, ("B",))],
        [AnnotatedUnit(0, 10, ("C",)), AnnotatedUnit(20, 30, ("D",))],
    )
    both = Continuum({"ann": ann, "bob": bob}, 100)
    assert gamma([both], beta=0.0).value == 1.0
    assert gamma([both]).value < 1.0
