"""Reads recorded verdicts of judges and ratings of people from run folders, logs and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fallax.annotation.reading import Columns, ItemRating, read_ratings
from fallax.errors import InputError, UnknownNameError, one_line
from fallax.metrics.agreement import name_of
from fallax.runs.base import Row
from fallax.runs.folder import read_rows, read_run
from fallax.runs.scoring import benchmark_of

__all__ = ["AMBIGUOUS", "Judged", "Verdict", "read_judged"]

#: The verdict (or the person's answer) that says both readings stand.
AMBIGUOUS = "ambiguous"
#: Columns whose values are the condition under which a judge was asked.
_CONDITIONS = ("condition", "order", "wording", "prompt", "variant", "position", "template")
_REPEATS = ("repeat", "epoch", "run", "trial", "sample")
_GROUPS = ("group", "document", "doc", "doc_id", "cluster")


@dataclass(frozen=True, slots=True)
class Verdict:
    """One verdict of a judge on an item."""

    item: str
    label: str
    condition: str = ""
    repeat: str = ""


@dataclass(frozen=True)
class Judged:
    """Ratings by people and verdicts by judges of the same items.

    Parameters
    ----------
    people : person -> item -> labels; more than one label are alternatives.
    judges : judge -> verdicts, repeats included.
    groups : item -> its document; by default the item.
    texts : item -> text, where known.
    unread : judge -> items without a verdict that could be read.
    problems : what was reported while reading and did not stop it.
    """

    people: Mapping[str, Mapping[str, frozenset[str]]]
    judges: Mapping[str, Sequence[Verdict]]
    groups: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, int] = field(default_factory=dict)
    problems: Sequence[str] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels except "ambiguous", sorted."""
        found = {x for own in self.people.values() for labels in own.values() for x in labels}
        found |= {v.label for own in self.judges.values() for v in own}
        return tuple(sorted(found - {AMBIGUOUS}))

    @property
    def items(self) -> tuple[str, ...]:
        """All rated or judged items, in file order."""
        people = (i for own in self.people.values() for i in own)
        return tuple(dict.fromkeys([*people, *(v.item for own in self.judges.values() for v in own)]))

    def votes(self, items: Sequence[str]) -> NDArray[np.float64]:
        """Weights of each person's labels, shape (people, items, labels); "ambiguous" alone allows all labels."""
        index = {x: i for i, x in enumerate(self.labels)}
        found = np.zeros((len(self.people), len(items), len(index)))
        for p, own in enumerate(self.people.values()):
            for i, item in enumerate(items):
                if item in own:
                    chosen = [index[x] for x in own[item] if x != AMBIGUOUS] or list(index.values())
                    found[p, i, chosen] = 1 / len(chosen)
        return found

    def verdicts(self, judge: str, items: Sequence[str]) -> NDArray[np.float64]:
        """The judge's majority verdict, shape (items, labels); "ambiguous" allows all labels; 0 if there is none."""
        index = {x: i for i, x in enumerate(self.labels)}
        found = np.zeros((len(items), len(index)))
        said = self.answers(judge)
        for i, item in enumerate(items):
            if item in said:
                chosen = list(index.values()) if said[item] == AMBIGUOUS else [index[said[item]]]
                found[i, chosen] = 1 / len(chosen)
        return found

    def answers(self, judge: str) -> dict[str, str]:
        """Item -> the judge's majority verdict; of equally frequent ones, the first."""
        counts: dict[str, Counter[str]] = {}
        for v in self.judges[judge]:
            counts.setdefault(v.item, Counter())[v.label] += 1
        return {item: c.most_common(1)[0][0] for item, c in counts.items()}

    def allowed(self, item: str) -> frozenset[str]:
        """All labels given by people; all labels if somebody called the item ambiguous."""
        said = frozenset(x for own in self.people.values() for x in own.get(item, ()))
        return frozenset(self.labels) if AMBIGUOUS in said else said

    def disputed(self, item: str) -> bool:
        """True if people disagree, or somebody gave several labels."""
        said = [own[item] for own in self.people.values() if item in own]
        return len(set(said)) > 1 or any(len(x) > 1 or AMBIGUOUS in x for x in said)


def read_judged(
    judges: Iterable[str | Path],
    *,
    people: Iterable[str | Path] = (),
    names: Iterable[str] = (),
    columns: Columns | None = None,
    group: str | None = None,
) -> Judged:
    """Read verdicts and ratings.

    Parameters
    ----------
    judges : run folders, logs of Inspect AI, tables or exports of Label Studio with verdicts.
    people : files with people's ratings. Without them, the gold of the run folders is one person; of a table, those who
        are not among ``names`` are people.
    names : which annotators of the tables are judges; by default all of ``judges``.
    columns : of tables.
    group : column of the document that items belong to; by default one that is called so.

    Raises
    ------
    InputError
        If nobody rated anything, no judge said anything, or they share no item.
    """
    chosen = list(names)
    found_people: dict[str, dict[str, frozenset[str]]] = {}
    found_judges: dict[str, list[Verdict]] = {}
    ratings: list[ItemRating] = []
    groups: dict[str, str] = {}
    texts: dict[str, str] = {}
    unread: dict[str, int] = {}
    problems: list[str] = []
    for path in map(Path, people):
        for r in read_ratings(path, columns=columns, problems=problems):
            _add_person(found_people, r)
            _about(r, groups, texts, group)
    for path in map(Path, judges):
        if path.is_dir():
            name, verdicts, gold, left = _run(path, groups, texts)
            found_judges[name] = verdicts
            unread[name] = left
            if not people:
                for item, labels in gold.items():
                    found_people.setdefault("gold", {})[item] = labels
            continue
        ratings += read_ratings(path, columns=columns, problems=problems)
    known = {*found_judges, *(r.annotator for r in ratings)}
    for name in chosen:
        if name not in known:
            raise UnknownNameError("judge", name, known | {*found_people})
    for r in ratings:
        _about(r, groups, texts, group)
        if chosen and r.annotator not in chosen:
            _add_person(found_people, r)
        else:
            found_judges.setdefault(r.annotator, []).append(_verdict(r))
    judged = Judged(found_people, found_judges, groups, texts, unread, problems)
    if not found_people:
        raise InputError(
            "people's ratings: must be given, got none; name their files with --people, or the judges of a table with"
            " --judge"
        )
    rated = {i for own in found_people.values() for i in own}
    for name, said in found_judges.items():
        if not rated & {v.item for v in said}:
            raise InputError(f"judge {one_line(name, 60)!r}: shares no item with the people; are the ids the same?")
    return judged


def _add_person(people: dict[str, dict[str, frozenset[str]]], r: ItemRating) -> None:
    labels = frozenset(map(name_of, r.value)) if isinstance(r.value, frozenset) else frozenset([name_of(r.value)])
    own = people.setdefault(r.annotator, {})
    if r.item in own:
        raise InputError(
            f"{one_line(r.annotator, 40)!r} must rate an item once, got {one_line(r.item, 60)!r} again; name judges,"
            " who may repeat, with --judge"
        )
    own[r.item] = labels


def _verdict(r: ItemRating) -> Verdict:
    lower = {k.lower(): v for k, v in r.extra.items()}
    condition = ", ".join(f"{k} {lower[k]}" for k in _CONDITIONS if lower.get(k))
    repeat = next((lower[k] for k in _REPEATS if lower.get(k)), "")
    label = AMBIGUOUS if isinstance(r.value, frozenset) and len(r.value) > 1 else name_of(r.value)
    return Verdict(r.item, label, condition, repeat)


def _about(r: ItemRating, groups: dict[str, str], texts: dict[str, str], group: str | None) -> None:
    if group is not None and group not in r.extra:
        raise UnknownNameError("column", group, r.extra)
    key = group or next((k for k in r.extra if k.lower() in _GROUPS), None)
    if key is not None:
        groups[r.item] = r.extra[key]
    if r.text:
        texts[r.item] = r.text


def _run(
    path: Path, groups: dict[str, str], texts: dict[str, str]
) -> tuple[str, list[Verdict], dict[str, frozenset[str]], int]:
    """Name, verdicts, gold and the number of unread answers of a run."""
    run = read_run(path)
    system = run.get("system") or {}
    name = str(system.get("name") or path.name)
    if system.get("protocol"):
        name = f"{name} ({system['protocol']})"
    verdicts, gold, left = [], {}, 0
    group_of = _group_of(run)
    for row in read_rows(path):
        labels = _labels(row.gold)
        if labels:
            gold[row.id] = labels
        groups[row.id] = group_of(row)
        text = row.input.get("summary") or row.input.get("claim") or row.input.get("text") or row.input.get("sentence")
        if isinstance(text, str):
            texts[row.id] = text
        said = _labels(row.prediction) if row.status == "ok" else frozenset()
        if len(said) != 1:
            left += 1
            continue
        verdicts.append(Verdict(row.id, next(iter(said)), repeat=str(row.epoch)))
    if not verdicts:
        raise InputError(f"{path}: must be a run with one label a sample, got none; spans are compared by fallax score")
    return name, verdicts, gold, left


def _group_of(run: Mapping[str, Any]) -> Callable[[Row], str]:
    """Row -> what its benchmark draws, such as documents; the row, for a benchmark that is not installed here."""
    try:
        return benchmark_of(run).group
    except UnknownNameError:
        return lambda row: row.id


def _labels(value: Any) -> frozenset[str]:
    """The label of a gold or a prediction; both labels if people called it ambiguous."""
    if isinstance(value, str):
        return frozenset([value])
    if not isinstance(value, Mapping):
        return frozenset()
    label = value.get("label")
    if label is None and isinstance(value.get("logic_error"), str):
        label = value["logic_error"]
    if not isinstance(label, str):
        return frozenset()
    return frozenset([label, AMBIGUOUS]) if value.get("ambiguous") is True else frozenset([label])
