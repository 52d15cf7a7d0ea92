"""SmartyPat's tables of judges recomputed from recorded answers, with the printed values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import Judgement, Record, Score, Taxonomy
from fallax.core.whole import read_whole_json
from fallax.data import load_dataset
from fallax.errors import FormatError, InputError
from fallax.generation.protocols import judgement_from_answer
from fallax.metrics import FallacyDetection, RankedLabels, published_rates
from fallax.runs.base import check_options, choose_recorded

__all__ = [
    "BENIGN",
    "SETS",
    "JudgedSet",
    "RecordedRow",
    "Recording",
    "Recordings",
    "find_recording",
    "gold_label_counts",
    "published_tables",
    "read_answers",
    "read_folder",
    "read_recorded",
    "reproduce",
]

#: Name of a set of fallacious sentences in ``model_outputs`` -> the part of the data set that it judges.
SETS: Mapping[str, str] = {"SmartyPat": "posts", "SmartyPat_augmented": "augmented"}
#: The set of benign sentences there.
BENIGN = "SmartyPat_logic_sound"


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """The answers of one model about the sentences of one file.

    Parameters
    ----------
    gold : the records that were judged, in the order of their file.
    pred : one judgement per record, in the order of the model's file.
    n_absent : sentences that the model's file does not have; they are left out.
    skipped : why answers of the file were skipped -> how many.
    """

    gold: tuple[Record, ...]
    pred: tuple[Judgement, ...]
    n_absent: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordedRow:
    """One model on one set of fallacious sentences and on the benign ones.

    Parameters
    ----------
    set, model : as the folder names them.
    detection : the textbook rates over all fallacious and all benign sentences.
    published : "fp", "fn", "tp" and "f1" as the paper plots them, see :func:`fallax.metrics.published_rates`.
    strict, script : the ranked score by the definition, and as published.
    n_absent : sentences without an answer, fallacious or benign; they are left out.
    skipped : why answers were skipped -> how many, fallacious or benign.
    """

    set: str
    model: str
    detection: Score
    published: Mapping[str, float | None]
    strict: Score
    script: Score
    n_absent: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)

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


@dataclass(frozen=True, slots=True)
class Recording:
    """The parsed answers of one file.

    Parameters
    ----------
    answers : id of the sentence, without blanks around it -> the answer; of two with one id, the first.
    skipped : why answers were skipped -> how many.
    """

    answers: Mapping[str, Mapping[str, Any]]
    skipped: Mapping[str, int]


def read_answers(path: Path) -> Recording:
    """Read a file of recorded answers; invalid answers are counted and skipped.

    Raises
    ------
    FormatError
        If the file is no JSON list.
    """
    found = read_whole_json(path)
    if not isinstance(found, list):
        raise FormatError(f"must be one JSON list of answers, got {type(found).__name__}", path=path)
    answers: dict[str, Mapping[str, Any]] = {}
    skipped: Counter[str] = Counter()
    for answer in found:
        if not isinstance(answer, dict):
            skipped[f"{type(answer).__name__} instead of an answer"] += 1
        elif answer.get("id") is None or not str(answer["id"]).strip():
            skipped["without an id"] += 1
        elif (id_ := str(answer["id"]).strip()) in answers:
            skipped["a second answer to one sentence"] += 1
        else:
            answers[id_] = answer
    return Recording(answers, dict(skipped))


def find_recording(path: Path, options: Mapping[str, Any], part: str) -> Path | None:
    """The recorded answers for a path and ``-M model=NAME``; None if the path holds something else.

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
    return choose_recorded(files, options, path, "answers")


def _read_file(path: Path, records: Mapping[str, Record], taxonomy: Taxonomy) -> JudgedSet:
    """Match a file's answers with records by id; answers about other sentences are counted and skipped."""
    recording = read_answers(path)
    pred = {
        id_: judgement_from_answer(id_, answer, taxonomy=taxonomy)
        for id_, answer in recording.answers.items()
        if id_ in records
    }
    skipped = dict(recording.skipped)
    if len(pred) < len(recording.answers):
        skipped["about no sentence of the set"] = len(recording.answers) - len(pred)
    gold = tuple(r for r in records.values() if r.id in pred)
    return JudgedSet(gold, tuple(pred.values()), len(records) - len(pred), skipped)


@dataclass(frozen=True)
class Recordings:
    """The contents of a folder of recorded answers.

    Parameters
    ----------
    sets : set -> model -> what it answered. The benign set is ``SmartyPat_logic_sound``.
    problems : one line for each file that was left out, with the reason.
    """

    sets: Mapping[str, Mapping[str, JudgedSet]]
    problems: tuple[str, ...] = ()


def read_folder(folder: str | Path) -> Recordings:
    """Read the sentences of a folder and every ``model_outputs/<set>/<model>.json``.

    A file that cannot be read, or that is none of these, is left out and named; it never takes the others with it.

    Parameters
    ----------
    folder : holds ``SmartyPat_label.csv``, ``SmartyPat_augmented_label.csv`` and ``SmartyPat_logic_sound.csv`` (those
        whose answers are there) in any number of rows; answers find their sentence by id.

    Raises
    ------
    InputError
        If there is no file of answers that can be read.
    """
    root = Path(folder)
    taxonomy = load_taxonomy("smartypat")
    found: dict[str, dict[str, JudgedSet]] = {}
    problems: list[str] = []
    known = {**SETS, BENIGN: "benign"}
    strays = [p for p in sorted((root / "model_outputs").glob("*")) if p.name not in known]
    problems += [f"{p}: is no set of {', '.join(known)}; left out" for p in strays]
    for name, split in known.items():
        paths = sorted((root / "model_outputs" / name).glob("*"))
        files = [p for p in paths if p.suffix == ".json" and p.is_file() and not p.name.startswith(".")]
        problems += [f"{p}: is no file of answers (MODEL.json); left out" for p in paths if p not in files]
        if not files:
            continue
        corpus = load_dataset("smartypat", split=split, folder=root, taxonomy=taxonomy)
        records = {r.id.strip(): replace(r, id=r.id.strip()) for r in corpus}
        for path in files:
            try:
                judged = _read_file(path, records, taxonomy)
            except (FormatError, InputError) as error:
                problems.append(f"{error}; left out")
                continue
            if judged.pred:
                found.setdefault(name, {})[path.stem] = judged
            else:
                problems.append(f"{path}: none of its answers is about a sentence of the set; left out")
    if not found.keys() & SETS.keys():
        why = f" ({problems[0]})" if problems else ""
        raise InputError(f"{root}: must hold model_outputs/{{{','.join(SETS)}}}/<model>.json, found no such file{why}")
    return Recordings(found, tuple(problems))


def read_recorded(folder: str | Path) -> Mapping[str, Mapping[str, JudgedSet]]:
    """The sets of :func:`read_folder`."""
    return read_folder(folder).sets


def published_tables() -> dict[str, Any]:
    """The printed values: "gold_labels" (table 2), "label_counts" (12), "quality" (11), "diversity" (13)."""
    text = (resources.files("fallax.generation.benchmarks") / "published" / "smartypat.json").read_text(
        encoding="utf-8"
    )
    found: dict[str, Any] = json.loads(text)
    files = found["models"]
    found["label_counts"] = {(name, files[row["model"]]): row[name] for row in found["label_counts"] for name in SETS}
    return found


def reproduce(folder: str | Path | Recordings) -> tuple[RecordedRow, ...]:
    """All numbers from a folder's recordings: detection and ranked labels, as defined and as published.

    Examples
    --------
    >>> reproduce("/nowhere")
    Traceback (most recent call last):
    fallax.errors.InputError: /nowhere: must hold model_outputs/{SmartyPat,SmartyPat_augmented}/<model>.json, \
found no such file
    """
    found = (folder if isinstance(folder, Recordings) else read_folder(folder)).sets
    rows = []
    for name in SETS:
        for model, judged in found.get(name, {}).items():
            benign = found.get(BENIGN, {}).get(model, JudgedSet((), ()))
            rows.append(_row(name, model, judged, benign))
    return tuple(rows)


def gold_label_counts(folder: str | Path) -> dict[str, int]:
    """Counts of each fallacy in the gold of the posts (table 2), in the order of the taxonomy.

    Counted as the file writes them: a label that stands twice beside one post counts twice, as in the paper's table.
    """
    taxonomy = load_taxonomy("smartypat")
    posts = load_dataset("smartypat", split="posts", folder=folder, taxonomy=taxonomy)
    found = Counter(taxonomy.resolve(x) for r in posts for x in r.meta["labels"].split(",") if x.strip())
    return {label: found[label] for label in taxonomy.names}


def _row(name: str, model: str, judged: JudgedSet, benign: JudgedSet) -> RecordedRow:
    # The same number may stand for a sentence in both files.
    pred = [replace(j, id=f"{kind}/{j.id}") for kind, x in (("s", judged), ("b", benign)) for j in x.pred]
    gold = [replace(r, id=f"{kind}/{r.id}") for kind, x in (("s", judged), ("b", benign)) for r in x.gold]
    return RecordedRow(
        name,
        model,
        FallacyDetection().corpus_score(pred=[j.prediction for j in pred], gold=gold),
        published_rates(
            fallacious=[bool(j.fallacious) for j in judged.pred if not j.unscored],
            benign=[bool(j.fallacious) for j in benign.pred if not j.unscored],
        ),
        RankedLabels().corpus_score(pred=judged.pred, gold=judged.gold),
        RankedLabels(variant="published").corpus_score(pred=judged.pred, gold=judged.gold),
        judged.n_absent + benign.n_absent,
        dict(Counter(judged.skipped) + Counter(benign.skipped)),
    )
