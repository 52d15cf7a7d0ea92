"""Values that others printed for the sets of these benchmarks, with sources; all on the published test splits.

Only figures whose measure is one of ours stand here; LOGIC's paper, for one, prints another mean of F1.
"""

from __future__ import annotations

from fallax.runs.base import PublishedValue

__all__ = ["printed_for"]

_NOTE = "published test split; quoted, not checked against the paper here"
_YEH = "Yeh et al. 2024, CoCoLoFa, EMNLP, abstract"
_FLICC = "Zanartu et al. 2024, Detecting fallacies in climate misinformation (FLICC), results on the test set"
_NLP4IF = "Da San Martino et al. 2019, Findings of the NLP4IF-2019 shared task, official results"
_MEMES = "Dimitrov et al. 2021, SemEval-2021 task 6, subtask 2, official results"

#: set -> (system, score, measure, value, source, note).
_PRINTED: dict[str, tuple[tuple[str, str, str, float, str, str], ...]] = {
    "cocolofa": (
        ("best BERT fine-tuned, fallacious or not", "detection", "f1", 0.86, _YEH, _NOTE),
        ("best BERT fine-tuned, eight labels", "cocolofa", "macro_f1", 0.87, _YEH, f"{_NOTE}; fallacious texts only"),
    ),
    "flicc": (("DeBERTa-v2-xlarge fine-tuned", "flicc", "macro_f1", 0.73, _FLICC, _NOTE),),
    "ptc_nlp4if2019": (
        ("newspeak (first at FLC)", "flc-official", "precision", 0.2863, _NLP4IF, _NOTE),
        ("newspeak (first at FLC)", "flc-official", "recall", 0.2200, _NLP4IF, _NOTE),
        ("newspeak (first at FLC)", "flc-official", "f1", 0.2488, _NLP4IF, _NOTE),
        ("ltuorp (first at SLC)", "sentence-detection", "precision", 0.6028, _NLP4IF, _NOTE),
        ("ltuorp (first at SLC)", "sentence-detection", "recall", 0.6648, _NLP4IF, _NOTE),
        ("ltuorp (first at SLC)", "sentence-detection", "f1", 0.6323, _NLP4IF, _NOTE),
    ),
    "semeval2021_task6": (
        ("Volta (first)", "flc-official", "precision", 0.501, _MEMES, _NOTE),
        ("Volta (first)", "flc-official", "recall", 0.464, _MEMES, _NOTE),
        ("Volta (first)", "flc-official", "f1", 0.482, _MEMES, _NOTE),
    ),
}


def printed_for(name: str) -> tuple[PublishedValue, ...]:
    """The published values of a set; none where no comparable one is known here.

    Examples
    --------
    >>> [v.value for v in printed_for("flicc")], printed_for("argotario")
    ([0.73], ())
    """
    return tuple(PublishedValue(*row) for row in _PRINTED.get(name, ()))
