"""Computes the scores of a run from its rows alone."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fallax.core.types import Score, Signature
from fallax.errors import InputError, RunError
from fallax.metrics.base import add_up
from fallax.runs.base import Benchmark, Row
from fallax.runs.folder import RowCounts, read_rows, read_run
from fallax.runs.naming import CannotName, count_unnameable
from fallax.runs.registry import load_benchmark

__all__ = ["RunScores", "benchmark_of", "groups_of", "hash_of_options", "pool_epochs", "score_epochs", "score_run"]

#: Options of models that change how fast an answer comes, and not the answer.
_SPEED = frozenset({"gpu_layers", "parallel", "prefix_reuse", "threads"})


@dataclass(frozen=True, slots=True)
class RunScores:
    """The scores of a run.

    Parameters
    ----------
    run : what ``run.json`` says.
    scores : name -> score over all rows there are.
    counts : rows by status, and what they took.
    n_expected : rows that the finished run has.
    cannot_name : gold labels of the answered samples that the system cannot name; None where that is not known, and
        for systems that can name all, such as chat models.
    n_replies, n_unread : replies about answered samples, and those of them that could not be read.
    """

    run: Mapping[str, Any]
    scores: Mapping[str, Score]
    counts: RowCounts
    n_expected: int
    cannot_name: CannotName | None = None
    n_replies: int = 0
    n_unread: int = 0

    @property
    def n_bad_spans(self) -> int:
        """The number of gold spans of the data that could not be used and are left out."""
        return int(self.run["data"].get("n_bad_spans", 0))

    @property
    def bad_spans_note(self) -> str:
        """A line that says so; "" if there are none."""
        if not self.n_bad_spans:
            return ""
        return (
            f"gold spans that cannot be used, left out of the data, so that right predictions may count as wrong:"
            f" {self.n_bad_spans}"
        )

    @property
    def cannot_name_note(self) -> str:
        """What the system cannot name, as the rest of a line that begins with its name; "" for nothing."""
        return "" if self.cannot_name is None else self.cannot_name.note

    @property
    def is_complete(self) -> bool:
        """True if every sample has a row without an error."""
        return self.counts.n - self.counts.error == self.n_expected

    def to_dict(self) -> dict[str, Any]:
        """The contents of ``scores.json``."""
        return {
            "benchmark": self.run["benchmark"],
            "system": self.run["system"]["name"],
            "signature": self.run["signature"],
            "n_rows": self.counts.n,
            "n_expected": self.n_expected,
            **({"n_bad_spans": self.n_bad_spans} if self.n_bad_spans else {}),
            **({"cannot_name": self.cannot_name.to_dict()} if self.cannot_name is not None else {}),
            "rows": self.counts.to_dict(),
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
        }


def benchmark_of(run: Mapping[str, Any]) -> Benchmark:
    """The benchmark that a ``run.json`` names, with its options."""
    return load_benchmark(run["benchmark"], data=run["data"]["path"], options=run["options"])


def hash_of_options(run: Mapping[str, Any]) -> dict[str, str]:
    """``options``: a hash (eight hex digits) of protocol and model options in a ``run.json``; {} for none.

    Examples
    --------
    >>> run = {"system": {"protocol_options": {"agents": 2}, "model_options": {"threads": 4}}}
    >>> len(hash_of_options(run)["options"])
    8
    >>> hash_of_options({"system": {"protocol_options": {}, "model_options": {"threads": 4}}})
    {}
    """
    system = run["system"]
    given = [system["protocol_options"], {k: v for k, v in system["model_options"].items() if k not in _SPEED}]
    text = json.dumps(given, sort_keys=True, default=dict)
    return {"options": hashlib.sha256(text.encode("ascii")).hexdigest()[:8]} if any(given) else {}


def pool_epochs(scores: Sequence[Score]) -> Score:
    """Combine scores over the same records, asked several times, into one.

    The sums of a record are the means over the epochs in which it was scored, so that every record weighs the same,
    and an interval draws records and not answers. A record counts as scored if one of its epochs was;
    the answers that were not are in ``unscored_answers``.

    Examples
    --------
    >>> from fallax.metrics import Classification
    >>> gold = {"a": "yes", "b": "no"}
    >>> epochs = [Classification().corpus_score(pred={"a": x, "b": "no"}, gold=gold) for x in ("yes", "no")]
    >>> pooled = pool_epochs(epochs)
    >>> pooled["accuracy"], pooled.n_scored
    (0.75, 2)
    """
    if len(scores) == 1:
        return scores[0]
    n_scored = Counter(id for score in scores for id in score.records)
    n_wrong = Counter(id for score in scores for id in score.wrong_records)
    return _pooled(scores, n_scored, n_wrong, len(scores))


def _pooled(scores: Sequence[Score], n_scored: Mapping[str, int], n_wrong: Mapping[str, int], n_epochs: int) -> Score:
    first = scores[0]
    records: dict[str, dict[str, float]] = {}
    unscored: dict[str, str] = {}
    answers: dict[str, str] = {}
    for epoch, score in enumerate(scores):
        for id, sums in score.records.items():
            into = records.setdefault(id, {})
            for name, value in sums.items():
                into[name] = into.get(name, 0) + value / n_scored[id]
        for id, why in score.unscored.items():
            answers[f"{id} (epoch {epoch})"] = why
            if id not in n_scored:
                unscored[id] = why
    most = max(scores, key=lambda s: s.n_scored)
    sums = add_up((dict.fromkeys(first.sums, 0.0), *records.values()))
    wrong = _wrong(scores, records, {id: n_scored.get(id, 0) + n for id, n in n_wrong.items()})
    kinds: dict[str, dict[str, list[Score]]] = {}
    for score in scores:
        for kind, parts in score.parts.items():
            for name, part in parts.items():
                kinds.setdefault(kind, {}).setdefault(name, []).append(part)
    return replace(
        first,
        sums=sums,
        records=records,
        unscored=unscored,
        signature=Signature({**first.signature.settings, "epochs": str(n_epochs)}, len(records), most.signature.data),
        parts={
            kind: {name: _pooled(found, n_scored, n_wrong, n_epochs) for name, found in sorted(parts.items())}
            for kind, parts in kinds.items()
        },
        n_replies=sum(s.n_replies for s in scores),
        n_unreadable=sum(s.n_unreadable for s in scores),
        wrong=add_up(wrong.values()),
        n_wrong=len(wrong.keys() - n_scored.keys()),
        wrong_records=wrong,
        unscored_answers=answers,
    )


def _wrong(
    scores: Sequence[Score], records: Mapping[str, Mapping[str, float]], n_counted: Mapping[str, int]
) -> dict[str, dict[str, float]]:
    """What records with an unreadable reply add to their pooled sums if it counts as wrong.

    Their sums are then the means over the epochs in which they were scored or unreadable (``n_counted``).
    """
    found: dict[str, dict[str, float]] = {}
    for id in dict.fromkeys(id for score in scores for id in score.wrong_records):
        total = add_up(s[id] for score in scores for s in (score.records, score.wrong_records) if id in s)
        pooled = records.get(id, {})
        found[id] = {name: value / n_counted[id] - pooled.get(name, 0) for name, value in total.items()}
    return found


def score_epochs(benchmark: Benchmark, epochs: Iterable[Iterable[Row]]) -> dict[str, Score]:
    """All scores of a benchmark, from the rows of each epoch in the order of the samples."""
    by_epoch = [benchmark.score(rows) for rows in epochs]
    names = list(dict.fromkeys(name for scores in by_epoch for name in scores))
    return {name: pool_epochs([scores[name] for scores in by_epoch if name in scores]) for name in names}


def _with_run(score: Score, run: Mapping[str, Any]) -> Score:
    """The score with the run's settings added to its signature."""
    system = run["system"]
    more = {
        "benchmark": run["benchmark"],
        "system": system["name"],
        **({"protocol": system["protocol"]} if system["protocol"] else {}),
        **hash_of_options(run),
        **({"prompt": "+".join(sorted(run["prompts"].values()))} if run["prompts"] else {}),
        "seed": str(run["seed"]),
    }
    return replace(
        score, signature=Signature({**score.signature.settings, **more}, score.signature.n, score.signature.data)
    )


def score_run(
    path: str | Path,
    *,
    ids: Collection[str] | None = None,
    benchmark: Benchmark | None = None,
    failed_as_unreadable: bool = False,
) -> RunScores:
    """Score a run folder from its rows; needs no model and no data.

    Parameters
    ----------
    path : the run folder; where it is not finished, the rows that there are.
    ids : only these samples, for a comparison over what all systems answered.
    benchmark : by default the one that ``run.json`` names.
    failed_as_unreadable : take rows whose model failed as unreadable, so that ``values_with_unreadable`` counts them as
        wrong too.

    Raises
    ------
    RunError
        If there is no row to score, although some are wanted.
    """
    run = read_run(path)
    benchmark = benchmark or benchmark_of(run)
    counts = RowCounts()
    labels = run["system"].get("labels")
    gold: list[Sequence[str]] = []
    n_replies = n_unread = 0

    def rows(epoch: int) -> Iterable[Row]:
        nonlocal n_replies, n_unread
        for row in read_rows(path, epoch=epoch):
            if ids is None or row.id in ids:
                counts.add(row.status, row.usage)
                if row.status == "ok" and isinstance(row.prediction, Mapping):
                    n_replies += len(row.replies)
                    n_unread += len(row.prediction.get("unreadable") or ())
                if labels is not None and row.status == "ok" and epoch == 0:
                    gold.extend(benchmark.gold_labels(row))
                failed = failed_as_unreadable and row.status == "error"
                yield replace(row, status="unreadable") if failed else row

    pooled = score_epochs(benchmark, map(rows, range(run["epochs"])))
    if not counts.n and (ids is None or ids):
        raise RunError(f"{path}: has no rows to score; continue the run with: fallax bench resume {path}")
    cannot_name = None if labels is None else count_unnameable(gold, labels, benchmark.gold_unit)
    scores = {name: _with_run(s, run) for name, s in pooled.items()}
    return RunScores(run, scores, counts, expected_rows(run), cannot_name, n_replies, n_unread)


def groups_of(benchmark: Benchmark, *paths: str | Path) -> dict[str, str] | None:
    """Record -> group that intervals and tests of these runs draw; None if they draw records."""
    if not benchmark.drawn:
        return None
    return {row.id: benchmark.group(row) for path in paths for row in read_rows(path)}


def expected_rows(run: Mapping[str, Any]) -> int:
    """The number of rows of the finished run."""
    n, shard = run["data"]["n_samples"], run["shard"]
    if shard is not None:
        number, of = parse_shard(shard)
        n = len(range(number - 1, n, of))
    return int(n) * int(run["epochs"])


def parse_shard(text: str) -> tuple[int, int]:
    """Parse ``i/n``.

    Examples
    --------
    >>> parse_shard("2/8")
    (2, 8)
    >>> parse_shard("9/8")
    Traceback (most recent call last):
    fallax.errors.InputError: a shard must be I/N with I from 1 to N, such as 2/8, got '9/8'
    """
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise InputError(f"a shard must be I/N with I from 1 to N, such as 2/8, got {text!r}")
    return int(number), int(of)
