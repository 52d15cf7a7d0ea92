"""How far words alone tell a generated fallacy from its sound twin.

    python benchmarks/generate_cues.py [--json]

A logistic regression on words and word pairs (scikit-learn, from ``fallax[stats]``) is trained on the fallacies and
twins of four fifths of the shipped instances of one type and tried on the rest, five times. The share it gets right is
printed for the full and the bare style, and its ratio to guessing (0.5). It should be near 1: what is above comes from
wording, not from reasoning. Six of the types put one premise more into a full fallacy than into its twin.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import warnings

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from fallax.generation.generators import agenerate, resolve_fallacies


def share_right(fallacy: str, style: str) -> float:
    """Of the texts of one type, the share that is told right without having seen its instance."""
    made = asyncio.run(agenerate(fallacy, n=100, seed=7, style=style))  # type: ignore[arg-type]
    texts, kinds, groups = [], [], []
    for item in made:
        if item.derivation is not None and item.sound_twin is not None:
            texts += [item.text, item.sound_twin.text]
            kinds += [1, 0]
            groups += [item.derivation.instance] * 2
    model = make_pipeline(CountVectorizer(ngram_range=(1, 2)), LogisticRegression(max_iter=2000))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = cross_val_predict(model, texts, kinds, groups=groups, cv=GroupKFold(5))
    return float((told == kinds).mean())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = []
    for fallacy in resolve_fallacies("all"):
        row = {"fallacy": fallacy, **{style: round(share_right(fallacy, style), 2) for style in ("full", "bare")}}
        rows.append(row)
        if not args.json:
            ratios = "  ".join(f"{s} {row[s]:.2f} (x{float(str(row[s])) / 0.5:.2f})" for s in ("full", "bare"))
            print(f"{fallacy:36} {ratios}", flush=True)
    mean = {s: round(sum(float(str(r[s])) for r in rows) / len(rows), 2) for s in ("full", "bare")}
    print(json.dumps(rows, indent=1) if args.json else f"{'mean':36} full {mean['full']:.2f}  bare {mean['bare']:.2f}")


if __name__ == "__main__":
    main()
