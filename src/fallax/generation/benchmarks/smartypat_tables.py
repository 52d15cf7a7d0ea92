"""SmartyPat: judges of fallacious and benign sentences, recomputed from recorded answers and put beside the tables."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import Judgement, Record, Score, Taxonomy
from fallax.data import load_dataset
from fallax.errors import FormatError, InputError, UnknownNameError, one_line
from fallax.generation.protocols import judgement_from_answer
from fallax.metrics import Detection, RankedLabels, published_rates
from fallax.runs.base import check_options

__all__ = [
    "BENIGN",
    "SETS",
    "JudgedSet",
    "Row",
    "find_recording",
    "gold_label_counts",
    "published_tables",
    "read_answers",
    "read_recorded",
    "reproduce",
]

#: Name of a set of fallacious sentences in ``model_outputs`` -> the part of the data set that it judges.
SETS: Mapping[str, str] = {"SmartyPat": "posts", "SmartyPat_augmented": "augmented"}
#: The set of benign sentences there.
BENIGN = "SmartyPat_logic_sound"


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """What one model answered about the sentences of one file.

    Parameters
    ----------
    gold : the records that were judged, in the order of their file.
    pred : one judgement per record, in the order of the model's file.
    n_absent : sentences that the model's file does not have; they are left out.
    """

    gold: tuple[Record, ...]
    pred: tuple[Judgement, ...]
    n_absent: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One model on one set of fallacious sentences, together with its answers about the benign ones.

    Parameters
    ----------
    set, model : as the folder names them.
    detection : the textbook rates over all fallacious and all benign sentences.
    published : "fp", "fn", "tp" and "f1" as the paper plots them, see :func:`fallax.metrics.published_rates`.
    strict, script : the ranked score by the definition, and as published.
    n_absent : sentences without an answer, fallacious or benign; they are left out.
    """

    set: str
    model: str
    detection: Score
    published: Mapping[str, float | None]
    strict: Score
    script: Score
    n_absent: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The thirteen numbers; rates to six decimals, scores to three."""
        sums = self.detection.sums
        return {
            "n": round(sums["tp"] + sums["fn"]),
            "yes": round(sums["tp"]),
            "n_benign": round(sums["fp"] + sums["tn"]),
            "benign_yes": round(sums["fp"]),
            **{name: _rounded(self.detection[name], 6) for name in ("fpr", "fnr", "precision", "recall", "f1")},
            "f1_script": dict(self.published),
            "label_count": round(self.script["label_count"] or 0),
            "score_strict": _rounded(self.strict["score"], 3),
            "score_script": _rounded(self.script["score"], 3),
        }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def read_answers(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The answers of a file of recorded answers, each with the id of its sentence.

    Raises
    ------
    FormatError
        If the file is no JSON list of objects with an id, or has an id twice.
    """
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"must be one JSON list of answers: {one_line(error)}", path=path) from error
    if not isinstance(found, list):
        raise FormatError(f"must be one JSON list of answers, got {type(found).__name__}", path=path)
    seen: set[str] = set()
    for number, answer in enumerate(found, start=1):
        if not isinstance(answer, dict) or "id" not in answer:
            raise FormatError(f"answer {number}: must be an object with 'id'", path=path)
        id_ = str(answer["id"])
        if id_ in seen:
            raise FormatError(
                f"answer {number}: each sentence must be answered once, got id {one_line(id_, 40)!r} again", path=path
            )
        seen.add(id_)
        yield id_, answer


def find_recording(path: Path, options: Mapping[str, Any], part: str) -> Path | None:
    """The file of recorded answers that a path and ``-M model=NAME`` name; None if there are other things at the path.

    Parameters
    ----------
    path : such a file, or a folder with ``model_outputs/<set>/<model>.json``.
    options : ``model`` chooses in a folder.
    part : the set that is asked for in a folder, a key of :data:`SETS`.
    """
    if path.is_file():
        if path.suffix != ".json" or path.parent.name not in SETS:
            return None
        check_options(options, (), "option of recorded answers:")
        return path
    files = {p.stem: p for p in sorted((path / "model_outputs" / part).glob("*.json"))} if part else {}
    if not files:
        return None
    check_options(options, ("model",), "option of recorded answers:")
    model = options.get("model")
    if model is None:
        raise InputError(f"{path}: holds answers of {len(files)} models; choose with -M model=NAME: {', '.join(files)}")
    if model not in files:
        raise UnknownNameError("recorded model", model, files, where=str(path))
    return files[model]


def _read_file(path: Path, records: Mapping[str, Record], taxonomy: Taxonomy) -> JudgedSet:
    """One file of answers, put beside the records by id."""
    pred: dict[str, Judgement] = {}
    for id_, answer in read_answers(path):
        if id_ not in records:
            raise FormatError(
                f"answer {len(pred) + 1}: must be about a sentence of the set, got id {one_line(id_, 40)!r}", path=path
            )
        pred[id_] = judgement_from_answer(id_, answer, taxonomy=taxonomy)
    gold = tuple(r for r in records.values() if r.id in pred)
    return JudgedSet(gold, tuple(pred.values()), len(records) - len(pred))


def read_recorded(folder: str | Path) -> dict[str, dict[str, JudgedSet]]:
    """Read the sentences of a folder and every ``model_outputs/<set>/<model>.json``.

    Parameters
    ----------
    folder : holds ``SmartyPat_label.csv``, ``SmartyPat_augmented_label.csv`` and ``SmartyPat_logic_sound.csv`` (those
        whose answers are there) in any number of rows; answers find their sentence by id.

    Returns
    -------
    dict
        Set -> model -> what it answered. The benign set is ``SmartyPat_logic_sound``.

    Raises
    ------
    InputError
        If there are no answers, or an answer is about no sentence of its set.
    """
    root = Path(folder)
    taxonomy = load_taxonomy("smartypat")
    found: dict[str, dict[str, JudgedSet]] = {}
    for name, split in {**SETS, BENIGN: "benign"}.items():
        files = sorted((root / "model_outputs" / name).glob("*.json"))
        if files:
            corpus = load_dataset("smartypat", split=split, folder=root, taxonomy=taxonomy)
            records = {r.id: r for r in corpus}
            found[name] = {path.stem: _read_file(path, records, taxonomy) for path in files}
    if not found.keys() & SETS.keys():
        raise InputError(f"{root}: must hold model_outputs/{{{','.join(SETS)}}}/<model>.json, found no such file")
    return found


def published_tables() -> dict[str, Any]:
    """What the paper prints: "gold_labels" (table 2), "label_counts" (12), "quality" (11) and "diversity" (13)."""
    text = (resources.files("fallax.generation.benchmarks") / "published" / "smartypat.json").read_text(
        encoding="utf-8"
    )
    found: dict[str, Any] = json.loads(text)
    files = found["models"]
    found["label_counts"] = {(name, files[row["model"]]): row[name] for row in found["label_counts"] for name in SETS}
    return found


def reproduce(folder: str | Path) -> tuple[Row, ...]:
    """Every number that a folder's recordings give: detection and ranked labels, by the definition and as published.

    Examples
    --------
    >>> reproduce("/nowhere")
    Traceback (most recent call last):
    fallax.errors.InputError: /nowhere: must hold model_outputs/{SmartyPat,SmartyPat_augmented}/<model>.json, \
found no such file
    """
    found = read_recorded(folder)
    rows = []
    for name in SETS:
        for model, judged in found.get(name, {}).items():
            benign = found.get(BENIGN, {}).get(model, JudgedSet((), ()))
            rows.append(_row(name, model, judged, benign))
    return tuple(rows)


def gold_label_counts(folder: str | Path) -> dict[str, int]:
    """How often each fallacy stands in the gold of the posts (table 2), in the order of the taxonomy.

    Counted as the file writes them: a label that stands twice beside one post counts twice, as in the paper's table.
    """
    taxonomy = load_taxonomy("smartypat")
    posts = load_dataset("smartypat", split="posts", folder=folder, taxonomy=taxonomy)
    found = Counter(taxonomy.resolve(x) for r in posts for x in r.meta["labels"].split(",") if x.strip())
    return {label: found[label] for label in taxonomy.names}


def _row(name: str, model: str, judged: JudgedSet, benign: JudgedSet) -> Row:
    # The same number may stand for a sentence in both files.
    pred = [replace(j, id=f"{kind}/{j.id}") for kind, x in (("s", judged), ("b", benign)) for j in x.pred]
    gold = [replace(r, id=f"{kind}/{r.id}") for kind, x in (("s", judged), ("b", benign)) for r in x.gold]
    return Row(
        name,
        model,
        Detection().corpus_score(pred=[j.prediction for j in pred], gold=gold),
        published_rates(
            fallacious=[bool(j.fallacious) for j in judged.pred if not j.unscored],
            benign=[bool(j.fallacious) for j in benign.pred if not j.unscored],
        ),
        RankedLabels().corpus_score(pred=judged.pred, gold=judged.gold),
        RankedLabels(variant="published").corpus_score(pred=judged.pred, gold=judged.gold),
        judged.n_absent + benign.n_absent,
    )
