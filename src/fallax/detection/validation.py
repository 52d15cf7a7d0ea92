"""Cross-validates detectors, by parts of the texts or by leaving out one set at a time."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from fallax.core.sink import foreign_folder, make_folder
from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import Table
from fallax.core.types.report import Cell
from fallax.core.whole import lines_of
from fallax.detection.train import training_sources
from fallax.errors import FormatError, InputError, MissingExtraError

if TYPE_CHECKING:
    from fallax.detection.training.examples import SentenceExample
    from fallax.detection.training.loop import DetectorSettings, Network, TrainingSource
    from fallax.encoders.training.base import Base

__all__ = [
    "HeldOut",
    "HeldOutPart",
    "folds_of",
    "leave_one_out",
    "make_validation_folder",
    "read_parts",
    "tables_of",
    "validate_part",
]

#: Called after each step with steps done, steps in all, and the name of the part.
Progress = Callable[[int, int, str], None]
_RESAMPLES = 500
#: How parts are named: their files, and the folders of interrupted trainings.
_PART = re.compile(r"fold-\d+-of-\d+|without-.+")
_RUN = re.compile(r"run-\d+")


@dataclass(frozen=True, slots=True)
class HeldOut:
    """One sentence of a held-out text, with its prediction.

    Parameters
    ----------
    source, text : where it is from, and the number of its text there.
    n_sentences : of the text.
    flagged : whether it is part of a fallacy.
    weight : how much that counts, in [0, 1].
    probability : of any fallacy, in [0, 1], not calibrated.
    candidates : labels one of which is right; empty where there is none, or none is known.
    ranked : the three likeliest labels.
    """

    source: str
    text: int
    n_sentences: int
    flagged: bool
    weight: float
    probability: float
    candidates: tuple[str, ...]
    ranked: tuple[str, ...]


@dataclass(frozen=True)
class HeldOutPart:
    """One training with its held-out texts.

    Parameters
    ----------
    name : of its file.
    train, test : sources; where they are the same, ``settings`` tells the fold apart.
    settings : of the training.
    """

    name: str
    train: Sequence[TrainingSource]
    test: Sequence[TrainingSource]
    settings: DetectorSettings

    def tested(self) -> Iterator[tuple[str, list[SentenceExample]]]:
        """The held-out examples by source."""
        from fallax.detection.training.examples import is_held_out

        folded = self.train is self.test
        for source in self.test:
            kept = [
                e for e in source.examples if not folded or is_held_out(e, self.settings.hold_out, self.settings.fold)
            ]
            yield source.name, kept


def folds_of(sources: Sequence[TrainingSource], settings: DetectorSettings, n: int) -> list[HeldOutPart]:
    """N folds of the texts; texts of one group or story stay together.

    Raises
    ------
    InputError
        If there are fewer than two.
    """
    if n < 2:
        raise InputError(f"folds: must be 2 or more, got {n}")
    return [
        HeldOutPart(f"fold-{i + 1}-of-{n}", sources, sources, replace(settings, hold_out=n, fold=i)) for i in range(n)
    ]


def leave_one_out(
    on: Sequence[str], settings: DetectorSettings, *, target: str = "mafalda", root: Path | None = None
) -> list[HeldOutPart]:
    """One training for each entry, on all others.

    Parameters
    ----------
    on : as for :func:`~fallax.detection.train.training_sources`; entries joined by ``+`` are left out together. Those
        without any fallacy are always trained on.

    Raises
    ------
    InputError
        If fewer than two entries hold fallacies.
    """
    entries = [(name, training_sources(name.split("+"), target=target, root=root)) for name in on]
    tried = [name for name, sources in entries if any(max(e.flagged) > 0.5 for s in sources for e in s.examples)]
    if len(tried) < 2:
        raise InputError(f"to leave one out there must be two sets with fallacies, got {len(tried)}")
    parts = []
    for name, sources in entries:
        if name in tried:
            others = [s for other, found in entries if other != name for s in found]
            label = "+".join(Path(x).name for x in name.split("+"))
            parts.append(HeldOutPart(f"without-{label}", others, sources, replace(settings, hold_out=0, fold=0)))
    return parts


def make_validation_folder(folder: Path) -> None:
    """Make the folder of a validation, unless it is there.

    Raises
    ------
    InputError
        If it holds something else than finished parts and what an interrupted training left. Hidden files do not count.
    """
    make_folder(folder)
    others = [p.name for p in folder.iterdir() if not p.name.startswith(".") and not _is_of_part(p)]
    if others:
        raise foreign_folder(folder, others, of="a validation")


def _is_of_part(path: Path) -> bool:
    """Whether it is a finished part, one that was being written, or the folder of an interrupted training."""
    if path.is_dir():
        return _PART.fullmatch(path.name) is not None and all(_RUN.fullmatch(p.name) for p in path.iterdir())
    if path.suffix == ".new":
        return _PART.fullmatch(path.stem) is not None
    return path.suffix == ".jsonl" and _part_of(path).get("part") == path.stem


def _part_of(path: Path) -> dict[str, Any]:
    """What the first line of a file says of its part; {} if it is none."""
    try:
        with path.open(encoding="utf-8") as file:
            found = json.loads(file.readline() or "{}")
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def validate_part(
    part: HeldOutPart, base: Path, folder: Path, *, taxonomy: str = "mafalda", progress: Progress | None = None
) -> Path:
    """Train and test one fold, unless that was done with the same settings and texts.

    Parameters
    ----------
    base : folder of the pretrained encoder.
    folder : a file of held-out sentences is written there; an interrupted training is resumed.

    Returns
    -------
    Path
        The file: a line about the training, then one :class:`HeldOut` a line.
    """
    from fallax.detection.training.loop import fit, mean_of, remove_checkpoint
    from fallax.encoders.training.base import load_base

    encoder = load_base(base)
    about = {"part": part.name, "settings": asdict(part.settings), "taxonomy": taxonomy, "key": _key(part, encoder)}
    path = folder / f"{part.name}.jsonl"
    if path.is_file() and _part_of(path) == about:
        return path
    labels = load_taxonomy(taxonomy).names
    runs, networks = part.settings.runs, []
    for run in range(runs):

        def shown(done: int, total: int, said: str, run: int = run) -> None:
            if progress:
                progress(run * total + done, runs * total, part.name)

        networks.append(
            fit(
                encoder, part.train, n_labels=len(labels), settings=part.settings,
                folder=folder / part.name / f"run-{run + 1}", run=run, progress=shown,
            )
        )  # fmt: skip
    network = mean_of(networks)
    lines = [about, *(asdict(row) for row in _rows(network, encoder, part, labels))]
    new = path.with_suffix(".new")
    new.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    new.replace(path)
    for run in range(runs):
        remove_checkpoint(folder / part.name / f"run-{run + 1}")
    remove_checkpoint(folder / part.name)
    return path


def _key(part: HeldOutPart, base: Base) -> str:
    told = [(s.name, s.share, s.examples) for found in (part.train, part.test) for s in found]
    return hashlib.sha256(repr((told, base.sha256)).encode("utf-8", "replace")).hexdigest()[:16]


def _rows(network: Network, base: Base, part: HeldOutPart, labels: Sequence[str]) -> Iterator[HeldOut]:
    from fallax.detection.training.loop import logits_of

    for source, examples in part.tested():
        for number, (example, logits) in enumerate(
            zip(examples, logits_of(network, base.tokenizer, examples), strict=True)
        ):
            for row, flagged, weight, candidates in zip(
                logits, example.flagged, example.weights, example.candidates, strict=True
            ):
                best = np.argsort(-row[1:], kind="stable")[:3]
                yield HeldOut(
                    source,
                    number,
                    len(logits),
                    flagged > 0.5,
                    weight,
                    round(float(1 / (1 + np.exp(-np.clip(row[0], -40, 40)))), 6),
                    tuple(labels[c] for c in candidates),
                    tuple(labels[b] for b in best),
                )


def read_parts(paths: Sequence[Path]) -> list[HeldOut]:
    """The held-out sentences of all files.

    Raises
    ------
    FormatError
        If a file is none of :func:`validate_part`.
    """
    found = []
    for part, path in enumerate(paths):
        for number, line in enumerate(lines_of(path.read_text(encoding="utf-8")), start=1):
            if number == 1:
                continue
            try:
                row = json.loads(line)
                row["candidates"], row["ranked"] = tuple(row["candidates"]), tuple(row["ranked"])
                held = HeldOut(**row)
            except (ValueError, KeyError, TypeError) as error:
                raise FormatError("must be a held-out sentence", path=path, line=number) from error
            # texts are numbered within a part
            found.append(replace(held, text=held.text * len(paths) + part))
    return found


def tables_of(rows: Sequence[HeldOut], *, seed: int = 0) -> tuple[Table, Table, Table]:
    """Results on held-out sentences: by source, by label, and by length of the text.

    "AUC" is the area under the ROC curve of "any fallacy" over sentences, 0.5 by chance, undefined where there is but
    one kind; "first" and "first three" are shares of fallacious sentences whose right label is the likeliest, or among
    the three likeliest. Intervals are 95 % bootstrap intervals over texts.
    """
    if not rows:
        raise InputError("rows: must hold at least one held-out sentence, got none")
    rng = np.random.default_rng(seed)
    sources = {name: [r for r in rows if r.source == name] for name in dict.fromkeys(r.source for r in rows)}
    heads = ("texts", "sentences", "fallacious", "AUC", "first", "first three")
    by_source = Table(
        "by source",
        ("source", *heads),
        tuple((n, *_cells(found, rng)) for n, found in [*sources.items(), ("all", list(rows))]),
    )
    cuts = {"1 sentence": (1, 1), "2-3": (2, 3), "4-6": (4, 6), "7 and more": (7, 10**9)}
    lengths = {name: [r for r in rows if low <= r.n_sentences <= high] for name, (low, high) in cuts.items()}
    by_length = Table(
        "by length", ("length", *heads), tuple((n, *_cells(found, rng)) for n, found in lengths.items() if found)
    )
    return by_source, _by_label(rows), by_length


def _by_label(rows: Sequence[HeldOut]) -> Table:
    known = [r for r in rows if r.candidates]
    lines = []
    for label in sorted({c for r in known for c in r.candidates if len(r.candidates) == 1}):
        of = [r for r in known if r.candidates == (label,)]
        said = [r for r in known if r.ranked[0] == label]
        recall = float(np.mean([r.ranked[0] == label for r in of]))
        three = float(np.mean([label in r.ranked for r in of]))
        precision = float(np.mean([label in r.candidates for r in said])) if said else None
        lines.append((label, len(of), _shown(precision), _shown(recall), _shown(three)))
    return Table("by label", ("label", "sentences", "precision", "first", "first three"), tuple(lines))


def _shown(value: float | None, interval: tuple[float, float] | None = None) -> str:
    if value is None:
        return "undefined"
    return f"{value:.3f}" + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "")


def _cells(rows: Sequence[HeldOut], rng: np.random.Generator) -> tuple[Cell, ...]:
    numbers = {key: i for i, key in enumerate(dict.fromkeys((r.source, r.text) for r in rows))}
    text = np.array([numbers[r.source, r.text] for r in rows])
    flagged = np.array([r.flagged for r in rows])
    weight = np.array([r.weight for r in rows])
    p = np.array([r.probability for r in rows])
    known = np.array([bool(r.candidates) for r in rows])
    right = np.array([bool(r.candidates) and r.ranked[0] in r.candidates for r in rows])
    three = np.array([any(x in r.candidates for x in r.ranked) for r in rows])

    def values(times: npt.NDArray[np.float64]) -> list[float | None]:
        w = times[text]
        n = float((w * known).sum())
        labels = [float((w * hits).sum()) / n if n else None for hits in (right, three)]
        return [area(p, flagged, weight * w), *labels]

    found = values(np.ones(len(numbers)))
    even = np.full(len(numbers), 1 / len(numbers))
    drawn = [values(rng.multinomial(len(numbers), even).astype(float)) for _ in range(_RESAMPLES)]
    cells = []
    for i, value in enumerate(found):
        kept = [x for d in drawn if (x := d[i]) is not None]
        low_high = (float(np.quantile(kept, 0.025)), float(np.quantile(kept, 0.975))) if kept else None
        cells.append(_shown(value, low_high if value is not None else None))
    return (len(numbers), len(rows), int(flagged.sum()), *cells)


def area(
    score: npt.NDArray[np.float64], positive: npt.NDArray[np.bool_], weight: npt.NDArray[np.float64]
) -> float | None:
    """The area under the ROC curve with weights, by scikit-learn; None where one of the kinds has no weight.

    Raises
    ------
    MissingExtraError
        If scikit-learn is not installed.

    Examples
    --------
    >>> area(np.array([0.9, 0.4, 0.4]), np.array([True, True, False]), np.ones(3))
    0.75
    """
    try:
        from sklearn.metrics import roc_auc_score
    except ImportError as error:
        raise MissingExtraError("scikit-learn", extra="train") from error
    if not weight[positive].any() or not weight[~positive].any():
        return None
    return float(roc_auc_score(positive, score, sample_weight=weight))
