"""How far surface cues tell a fresh fallacy from its twin, and its type, in both styles.

    python benchmarks/worlds_cues.py [-n 40] [--seed cues] [--json]

Classifiers (scikit-learn, from ``fallax[stats]``) are trained on four fifths of the worlds and tried on the rest, five
times: logistic regressions on tf-idf of words and word pairs, on tf-idf of runs of 3 to 5 letters, and a forest on
position and length alone. Guessing is .5 for fallacy or twin and 1/14 = .071 for the type. Fallacy or twin should be at
most .55 in both styles; the type at most twice guessing (.143) in the panel style, which hides it. In the single style
the type shows in the words, and the figure says so.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from fallax.generation.worlds import STYLES, FreshPlan, make_fresh


def shape(texts: Sequence[str]) -> np.ndarray:
    """Length of the text and its parts, and where the names of the last sentence stood before."""
    rows = []
    for text in texts:
        sentences = text.replace("?", ".").split(".")
        last = next((s for s in reversed(sentences) if s.strip()), "")
        words = [w.strip("“”‘’,:;") for w in last.split() if w[:1].isupper()]
        places = [text.find(w) / len(text) for w in words if w and text.find(w) >= 0]
        rows.append(
            [
                len(text), len(text.split()), len(sentences), len(last), text.count("\n"), text.count(","),
                text.count("“"),
                float(np.mean(places)) if places else -1.0, float(min(places)) if places else -1.0, len(words),
            ]
        )  # fmt: skip
    return np.array(rows, dtype=float)


def classifiers() -> dict[str, Any]:
    """Name -> a new classifier."""
    return {
        "words and pairs": make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(max_iter=300)),
        "3 to 5 letters": make_pipeline(
            TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), max_features=50_000),
            LogisticRegression(max_iter=300),
        ),
        "position and length": make_pipeline(
            FunctionTransformer(shape), RandomForestClassifier(200, min_samples_leaf=5, random_state=0)
        ),
    }


def share(model: Any, texts: Sequence[str], labels: Sequence[str], groups: Sequence[str]) -> float:
    """Of the texts, the share that is told right by a model that has not seen their worlds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = cross_val_predict(model, list(texts), list(labels), groups=list(groups), cv=GroupKFold(5))
    return float((told == np.array(labels)).mean())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=40, help="pairs of each type and style")
    parser.add_argument("--seed", default="cues")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    made = make_fresh(FreshPlan(seed=args.seed, n=args.n, evaluator="joins"))
    rows = []
    for style in STYLES:
        items = made.of(style)
        texts = [t for i in items for t in (i.item.text, str(i.item.sound_twin))]
        kinds = ["fallacy", "twin"] * len(items)
        groups = [i.item.id for i in items for _ in range(2)]
        for name, model in classifiers().items():
            pair = share(model, texts, kinds, groups)
            type_ = share(model, texts[::2], [i.item.fallacy for i in items], groups[::2])
            rows.append({"style": style, "cues": name, "fallacy or twin": round(pair, 3), "type": round(type_, 3)})
            if not args.json:
                print(f"{style:7} {name:20} fallacy or twin {pair:.3f} (.500)  type {type_:.3f} (.071)", flush=True)
    if args.json:
        print(json.dumps({"n": args.n, "seed": args.seed, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
