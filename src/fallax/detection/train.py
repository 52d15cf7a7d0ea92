"""Training data of detectors: data sets by name, folders of passages, files of ordinary text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import GoldSpan, Record
from fallax.data import DATASETS, load_dataset, read_corpus
from fallax.detection.systems import Detector
from fallax.detection.systems.decoding import Decoding
from fallax.detection.systems.own_labels import write_labels
from fallax.detection.systems.passages import read_passages
from fallax.errors import InputError, MissingExtraError, UnknownNameError
from fallax.metrics import SoftSpan

if TYPE_CHECKING:
    from fallax.detection.training.examples import SentenceExample
    from fallax.detection.training.loop import DetectorSettings, Network, Progress, TrainingSource
    from fallax.encoders.training.base import Base

__all__ = ["SHORT_NAMES", "describe_sources", "mean_f1", "train_detector", "training_sources"]

#: Weighs neighbours and labels when spans are cut; of a handful that were tried, one that did well everywhere.
DECODING = Decoding(0.5, change_cost=1.0, relabel_cost=4.0, label_weight=1.0, group_weight=0.5, most_labels=3)

#: Short names of data sets for the shell.
SHORT_NAMES = {
    "reddit": "reddit_informal_fallacies",
    "elecdeb": "elecdeb60to20_fallacy",
    "alhindi": "alhindi_climate_covid",
    "hong": "fallacies_hong2024",
    "touche26": "touche26_fallacy",
}
#: The part of a set that an epoch sees, where all of it would drown the others.
_SHARES = {
    "reddit-negative": 0.19, "flicc": 0.25, "passages_topics": 2.0, "passages_posts": 1.5, "plain.txt": 0.4,
    "everyday.txt": 2.0,
}  # fmt: skip
#: Of a set's splits those that hold annotated texts to learn from; by default all but those named "dev" and "test".
_SPLITS = {
    "reddit_informal_fallacies": ("train", "dev"),
    "argotario": ("dev",),
    "cocolofa": ("dev",),
    "fallacies_hong2024": ("dev",),
    "lfud": ("dev",),
    "ptc_nlp4if2019": ("dev",),
    "ptc_semeval2020": ("dev",),
    "missci": ("dev",),
    "smartypat": ("posts", "augmented", "benign"),
}
#: How much a set counts beside one that experts annotated passage by passage: positive, negative, label.
_TRUST = {"flicc": (0.5, 0.5, 0.5), "argotario": (1.0, 0.5, 1.0)}
_INTENDED = (0.6, 0.3, 0.6)
#: How much it counts that one fallacy was looked for in a text and not found: others were not looked for.
_UNSURE = 0.2
#: How much a near miss counts beside a fallacy.
_NEAR_MISS = 0.7


def _need_torch() -> None:
    try:
        import onnx  # noqa: F401
        import safetensors  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("what training needs (torch, safetensors, onnx)", extra="train") from error


def _intended(record: Record) -> Record | None:
    """The label that an Argotario author intended, where players did not agree."""
    label = record.meta.get("intended")
    if record.gold is not None or not label:
        return None
    gold = () if label == "No Fallacy" else (GoldSpan(0, len(record.text), (label,)),)
    return replace(record, gold=gold)


def _of_dataset(name: str, target: str, root: Path | None) -> list[TrainingSource]:
    from fallax.detection.training.examples import LossWeights, examples_of
    from fallax.detection.training.loop import TrainingSource

    info = DATASETS[name]
    if info.may_train == "never":
        raise InputError(f"data set {name!r}: must not be trained on; its gold is kept for evaluation")
    positive, negative, label = _TRUST.get(name, (1.0, 1.0, 1.0))
    splits = _SPLITS.get(name, ("train",))
    records = [r for split in splits for r in load_dataset(name, split=split, root=root, taxonomy=info.taxonomy)]
    weights = LossWeights(positive, negative, _UNSURE, label)
    examples = examples_of(records, taxonomy=info.taxonomy, target=target, weights=weights)
    if name == "argotario":
        positive, negative, label = _INTENDED
        meant = [r for r in map(_intended, records) if r is not None]
        weights = LossWeights(positive, negative, _UNSURE, label)
        examples += examples_of(meant, taxonomy="argotario", target=target, weights=weights)
    found = [TrainingSource(name, examples, _SHARES.get(name, 1.0))]
    if name == "reddit_informal_fallacies":
        others = load_dataset(name, split="negative_train", root=root)
        unsure = examples_of(others, taxonomy=info.taxonomy, target=target, weights=LossWeights(unsure=_UNSURE))
        found.append(TrainingSource("reddit-negative", unsure, _SHARES["reddit-negative"], beside=True))
    return found


def _of_path(path: Path, target: str) -> TrainingSource:
    from fallax.detection.training.examples import LossWeights, examples_of, plain_example
    from fallax.detection.training.loop import TrainingSource

    if path.is_dir():
        records = [p.record for p in read_passages(path)]
        examples = examples_of(records, taxonomy="mafalda", target=target, weights=LossWeights(negative=_NEAR_MISS))
        return TrainingSource(path.name, examples, _SHARES.get(path.name, 1.0), beside=True)
    if path.suffix == ".txt":
        lines = path.read_text(encoding="utf-8").splitlines()
        # the first words stand in for a title: having one must not be a sign of anything
        plain = [
            plain_example(line, group=f"{path.name}-{i // 8}", title=" ".join(line.split()[:4]))
            for i, line in enumerate(lines)
            if line.strip()
        ]
        return TrainingSource(path.name, [e for e in plain if e is not None], _SHARES.get(path.name, 1.0))
    records = list(read_corpus(path, taxonomy=target))
    return TrainingSource(path.name, examples_of(records, taxonomy=target, target=target), 1.0)


def training_sources(on: Sequence[str], *, target: str = "mafalda", root: Path | None = None) -> list[TrainingSource]:
    """The sources for names and paths.

    Parameters
    ----------
    on : names of data sets (:data:`SHORT_NAMES` or as in ``fallax data list``), folders of passages, ``.txt`` files
        with one ordinary text a line, or files of annotated texts in any format that can be read.
    target : the label set of the detector; labels of other sets are carried over by the crosswalk.

    Raises
    ------
    UnknownNameError, InputError
        If something is no data set and no path, or must not be trained on.
    MissingExtraError
        If torch is not installed.
    """
    _need_torch()
    found: list[TrainingSource] = []
    for name in on:
        known = SHORT_NAMES.get(name, name)
        if known in DATASETS:
            found += _of_dataset(known, target, root)
        elif Path(name).exists():
            found.append(_of_path(Path(name), target))
        else:
            raise UnknownNameError("data set or path", name, [*DATASETS, *SHORT_NAMES])
    if not found:
        raise InputError("--on: must name at least one data set or path, got none")
    return found


def describe_sources(sources: Sequence[TrainingSource]) -> list[dict[str, Any]]:
    """The description of a source in a card: name, licence, texts, and texts with a fallacy."""
    rows = []
    for source in sources:
        info = DATASETS.get("reddit_informal_fallacies" if source.name == "reddit-negative" else source.name)
        rows.append(
            {
                "name": source.name,
                "licence": info.licence if info else "",
                "shippable": bool(info and info.may_train == "shipped") or info is None,
                "texts": len(source.examples),
                "with_fallacy": sum(max(e.flagged) > 0.5 for e in source.examples),
                "share_per_epoch": source.share,
            }
        )
    return rows


def mean_f1(detector: Detector, records: Sequence[Record], taxonomy: str) -> float:
    """Mean soft F1 over units and levels, variant "definition"; used to choose a threshold."""
    pred = [detector.detect(r) for r in records]
    found = []
    for level in range(load_taxonomy(taxonomy).finest + 1):
        for unit in ("span", "text"):
            metric = SoftSpan(level=level, unit=unit, taxonomy=taxonomy)
            found.append(metric.corpus_score(pred=pred, gold=list(records))["f1"] or 0.0)
    return float(np.mean(found))


def _held_out_threshold(probabilities: Sequence[np.ndarray[Any, Any]], examples: Sequence[SentenceExample]) -> float:
    """The threshold with the best sentence F1, in steps of 0.02."""
    p = np.concatenate([x.sum(axis=1) for x in probabilities])
    flagged = np.concatenate([np.array(e.flagged) for e in examples]) > 0.5
    best = (0.0, 0.5)
    for step in range(5, 49):
        said = p >= step / 50
        hits = float((said & flagged).sum())
        best = max(best, (2 * hits / max(1.0, float(said.sum() + flagged.sum())), step / 50))
    return best[1]


def train_detector(
    sources: Sequence[TrainingSource],
    base: Path,
    out: Path,
    *,
    taxonomy: str = "mafalda",
    settings: DetectorSettings,
    name: str,
    threshold_on: str | None = None,
    root: Path | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train a detector and write its folder.

    Parameters
    ----------
    sources : from :func:`training_sources`.
    base : folder of the pretrained encoder.
    out : a new folder or that of a detector; an interrupted training resumes from checkpoints in it, one folder a run,
        removed at the end.
    threshold_on : a data set in the detector's label set; by default the held-out texts choose.

    Returns
    -------
    dict
        The card that was written.

    Raises
    ------
    InputError
        If the folder holds something else.
    """
    from fallax.detection.systems.encoder import load_encoder
    from fallax.detection.training.examples import is_held_out
    from fallax.detection.training.finish import calibrate, choose_threshold, write_folder
    from fallax.detection.training.folder import make_detector_folder, run_folders
    from fallax.detection.training.loop import remove_checkpoint
    from fallax.encoders.training.base import load_base

    make_detector_folder(out)
    labels = load_taxonomy(taxonomy).names
    encoder = load_base(base)
    network = _fit_runs(encoder, sources, len(labels), settings, out, progress)
    held = [e for s in sources for e in s.examples if is_held_out(e, settings.hold_out, settings.fold)]
    slope, offset, scale, report = calibrate(network, encoder, held)
    about: dict[str, Any] = {
        "name": name, "version": "1", "taxonomy": taxonomy, "language": "English", "labels": list(labels),
        "base": {"sha256": encoder.sha256}, "trained_on": describe_sources(sources), "settings": asdict(settings),
        "held_out": report,
    }  # fmt: skip
    write_labels(out, taxonomy)
    write_folder(network, encoder, out, about=about, decoding=DECODING, calibration=(slope, offset, scale))
    if threshold_on is not None:
        records = list(load_dataset(threshold_on, root=root, taxonomy=taxonomy))
        choose_threshold(out, lambda detector: mean_f1(detector, records, taxonomy))
    elif held:
        scorer = load_encoder(str(out)).scorer
        probabilities = [scorer.probabilities(list(e.sentences), title=e.title) for e in held]
        choose_threshold(out, lambda _: 0.0, thresholds=(_held_out_threshold(probabilities, held),))
    for folder in run_folders(out, settings.runs):
        remove_checkpoint(folder)
    return load_encoder(str(out)).card()


def _fit_runs(
    base: Base,
    sources: Sequence[TrainingSource],
    n_labels: int,
    settings: DetectorSettings,
    out: Path,
    progress: Progress | None,
) -> Network:
    from fallax.detection.training.folder import run_folders
    from fallax.detection.training.loop import fit, mean_of

    def shown(run: int) -> Progress | None:
        if progress is None:
            return None
        return lambda done, total, said: progress(run * total + done, settings.runs * total, said)

    folders = run_folders(out, settings.runs)
    return mean_of(
        [
            fit(base, sources, n_labels=n_labels, settings=settings, folder=folder, run=run, progress=shown(run))
            for run, folder in enumerate(folders)
        ]
    )
