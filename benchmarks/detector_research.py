"""What more data would bring: python benchmarks/detector_research.py [--detector NAME]

Keeps the encoder of a detector as it is, and trains its two heads anew on what its states say of texts: once of the
open sets, once with the sets added that may be used but not shipped. Prints the mean soft F1 of both on MAFALDA's
development texts, each at the threshold that suits it best, and the six F1. Nothing is written.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from fallax.bench.training import training_sources
from fallax.corpora import load_dataset
from fallax.detectors import SentenceDetector, load_detector
from fallax.detectors.encoder import EncoderScorer
from fallax.metrics import SoftSpan

ROOT = Path(__file__).parents[1]
OPEN = ["reddit", "argotario", "flicc", str(ROOT / "data" / "passages"), str(ROOT / "data" / "passages_topics")]
RESEARCH = ["logic", "cocolofa", "elecdeb", "alhindi", "hong", "lfud"]


class Rows:
    """Features of sentences with what is known of them."""

    def __init__(self, scorer: EncoderScorer, names: list[str], limit: int) -> None:
        features, flagged, weights, labels = [], [], [], []
        for source in training_sources(names):
            step = max(1, len(source.examples) // limit)
            for example in list(source.examples)[::step]:
                found = scorer.features(example.sentences, title=example.title)
                for row, f, w, c in zip(found, example.flagged, example.weights, example.candidates, strict=True):
                    features.append(row)
                    flagged.append(f)
                    weights.append(w)
                    labels.append(c)
        self.features = np.array(features, dtype=np.float32)
        self.flagged = np.array(flagged) > 0.5
        self.weights = np.array(weights)
        self.labels = labels


def heads(parts: list[Rows], n_labels: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    x = np.concatenate([p.features for p in parts])
    flagged = np.concatenate([p.flagged for p in parts])
    weights = np.concatenate([p.weights for p in parts])
    labels = [c for p in parts for c in p.labels]
    anything = LogisticRegression(C=0.02, max_iter=300).fit(x, flagged, sample_weight=weights)
    pairs = [(i, label, 1 / len(c)) for i, c in enumerate(labels) for label in c]
    rows = np.array([i for i, _, _ in pairs])
    names = np.array([label for _, label, _ in pairs])
    which = LogisticRegression(C=0.02, max_iter=300).fit(x[rows], names, sample_weight=[w for _, _, w in pairs])
    weight = np.zeros((x.shape[1], 1 + n_labels))
    bias = np.full(1 + n_labels, -30.0)
    weight[:, 0], bias[0] = anything.coef_[0], anything.intercept_[0]
    for row, label in enumerate(which.classes_):
        weight[:, 1 + label], bias[1 + label] = which.coef_[row], which.intercept_[row]
    return weight, bias


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--detector", default="encoder")
    parser.add_argument("--limit", type=int, default=1200, help="texts of each source")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    detector = load_detector(args.detector)
    assert isinstance(detector, SentenceDetector)
    assert isinstance(detector.scorer, EncoderScorer)
    scorer = detector.scorer
    gold = list(load_dataset("mafalda", taxonomy="mafalda"))
    open_rows, research_rows = Rows(scorer, OPEN, args.limit), Rows(scorer, RESEARCH, args.limit)
    for name, parts in (("open sets", [open_rows]), ("open and research sets", [open_rows, research_rows])):
        trained = replace(detector, scorer=scorer.with_heads(*heads(parts, len(scorer.labels))))
        best: tuple[float, list[float], float] = (0.0, [], 0.0)
        for step in range(5, 40):
            decoding = replace(detector.decoding, threshold=step / 50)
            pred = [replace(trained, decoding=decoding).detect(r) for r in gold]
            f1 = [
                SoftSpan(level=level, unit=unit).corpus_score(pred=pred, gold=gold)["f1"] or 0.0
                for unit in ("span", "text")
                for level in (0, 1, 2)
            ]
            best = max(best, (float(np.mean(f1)), f1, step / 50))
        print(f"{name}: mean {best[0]:.3f} at {best[2]}: " + " ".join(f"{x:.3f}" for x in best[1]), flush=True)


if __name__ == "__main__":
    main()
