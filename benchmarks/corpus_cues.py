"""Cues in the corpora written for this project: python benchmarks/corpus_cues.py

What a statement's words alone, and what the share of its words that stand in the passage, tell of whether it is
entailed. Words: logistic regression over words and pairs of words, five folds by passage, balanced accuracy. Overlap:
AUC of "more of its words stand in the passage" for "entailed", by phenomenon. Both are .5 where they tell nothing.
Last, what the words of the sentences of data/inserted_sentences, and of the texts of data/passages_short and
data/passages_contrast, tell of whether they commit a fallacy.
Needs FALLAX_DATA for the texts of data/entailment_prose.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from fallax.entailment.training.corpus import causal_examples, passage_examples, prose_statements
from fallax.entailment.training.frames import frame_examples, read_frames, read_scene_frames, scene_examples
from fallax.entailment.training.pairs import Example

ROOT = Path(__file__).parents[1] / "data"
_WORD = re.compile(r"\w+")


def words_alone(texts: list[str], entailed: np.ndarray, groups: list[str]) -> float:
    """Balanced accuracy of a bag of words and pairs of words on statements of passages it has not seen."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import balanced_accuracy_score
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True),
        LogisticRegression(C=1.0, class_weight="balanced", max_iter=500),
    )
    said = cross_val_predict(model, texts, entailed, groups=groups, cv=GroupKFold(5))
    return float(balanced_accuracy_score(entailed, said))


def overlap(statement: str, passage: tuple[str, ...]) -> float:
    """The share of a statement's words that stand in the passage."""
    seen = set(_WORD.findall(" ".join(passage).lower()))
    own = _WORD.findall(statement.lower())
    return sum(w in seen for w in own) / max(1, len(own))


def framed(seed: int = 1, each: int = 6) -> list[tuple[str, str, Example]]:
    """(id, kind, example) of some statements of each frame, filled anew."""
    found: list[tuple[str, str, Example]] = []
    for frame in read_frames(ROOT / "entailment_frames"):
        found += [(frame.identifier, frame.kind, e) for e in frame_examples([frame], each, (), seed)]
    return found


def framed_scenes(seed: int = 1, each: int = 6) -> list[tuple[str, str, Example]]:
    """(id, kind, example) of some claims of each frame about causes, filled anew."""
    found: list[tuple[str, str, Example]] = []
    for frame in read_scene_frames(ROOT / "causal_frames"):
        found += [(frame.identifier, frame.kind, e) for e in scene_examples([frame], each, (), seed)]
    return found


def inserted() -> tuple[list[str], np.ndarray, list[str]]:
    """The sentences, whether each commits a fallacy, and the text that it was written for."""
    texts, fallacies, groups = [], [], []
    for path in sorted((ROOT / "inserted_sentences").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            for put in row["put"]:
                texts += [put["fallacy"], put["near"]]
                fallacies += [True, False]
                groups += [f"{path.stem}-{row['id']}"] * 2
    return texts, np.array(fallacies), groups


def in_threes(folder: str) -> tuple[list[str], np.ndarray, list[str]]:
    """The texts of a folder, whether each commits a fallacy, and the matter that it is about."""
    texts, fallacies, groups = [], [], []
    for path in sorted((ROOT / folder).rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            texts.append(" ".join(text for text, _ in row["sentences"]))
            fallacies.append(any(label for _, label in row["sentences"]))
            groups.append(row["group"])
    return texts, np.array(fallacies), groups


def main() -> None:
    from sklearn.metrics import roc_auc_score

    from fallax.data import data_root

    for name, rows in (
        ("data/entailment", list(passage_examples(ROOT / "entailment"))),
        ("data/entailment_prose", list(prose_statements(ROOT / "entailment_prose", data_root()))),
        ("data/causal_scenes", list(causal_examples(ROOT / "causal_scenes"))),
        ("data/causal_reports", list(causal_examples(ROOT / "causal_reports"))),
        ("data/entailment_frames", framed()),
        ("data/causal_frames", framed_scenes()),
    ):
        entailed = np.array([e.label == "entailed" for _, _, e in rows])
        alone = words_alone([e.statement for _, _, e in rows], entailed, [i for i, _, _ in rows])
        shares = np.array([overlap(e.statement, e.passage) for _, _, e in rows])
        print(f"{name}: {len(rows)} statements; words alone {alone:.3f}; overlap {roc_auc_score(entailed, shares):.3f}")
        by: dict[str, list[int]] = defaultdict(list)
        for n, (_, kind, _) in enumerate(rows):
            by[kind].append(n)
        for kind, found in sorted(by.items()):
            own = entailed[found]
            if len(found) >= 40 and 0 < own.sum() < len(own):
                print(f"  {kind:<18}{len(found):>6}  overlap {roc_auc_score(own, shares[found]):.3f}")
    threes = {name: in_threes(name) for name in ("passages_short", "passages_contrast")}
    for name, (texts, fallacies, groups) in {"inserted_sentences": inserted(), **threes}.items():
        print(f"data/{name}: {len(texts)} texts; words alone {words_alone(texts, fallacies, groups):.3f}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
