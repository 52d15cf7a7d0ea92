"""Open sets of human prose for training: ordinary argument and talk, and labelled comments.

Every set here may train weights that are given away; its licence stands in :data:`PROSE`. They are read from the folder
that ``FALLAX_DATA`` names.
"""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import sentence_spans
from fallax.core.whole import lines_of
from fallax.data.open_texts import group_of, prose_rows
from fallax.detection.training.examples import SentenceExample, parts_of_example, plain_example
from fallax.errors import FormatError, one_line

__all__ = ["PROSE", "Prose", "prose_examples", "written_examples"]

#: Comments labelled as a whole are trained on only up to this many sentences: in longer ones the label is somewhere.
_MOST_LABELLED = 4


@dataclass(frozen=True, slots=True)
class Prose:
    """One set.

    Parameters
    ----------
    licence : of the texts.
    draw : how often its ordinary texts are drawn, beside those of other sets; 0 never.
    weight : how surely its texts are ordinary, in (0, 1].
    labelled : how often its labelled texts are drawn; 0 where it has none.
    """

    licence: str
    draw: float
    weight: float = 1.0
    labelled: float = 0.0


#: name -> set; the folder has that name.
PROSE: Mapping[str, Prose] = {
    "plain_arct": Prose("Apache-2.0", 0.3, 0.6),
    "plain_classic_essays": Prose("public domain", 0.25, 0.6),
    "plain_court": Prose("public domain", 0.08),
    "plain_europarl": Prose("European Parliament, reuse with source", 0.4, 0.7),
    "plain_ewt": Prose("CC BY-SA 4.0", 0.7, 0.9),
    "plain_global_voices": Prose("CC BY 3.0", 0.6, 0.9),
    "plain_goemotions": Prose("Apache-2.0", 1.3, 0.85),
    "plain_gum": Prose("CC BY 4.0, CC BY 2.5, CC BY-SA 3.0", 0.35),
    "plain_ibm_evidence": Prose("CC BY-SA 3.0", 0.4),
    "plain_minutes": Prose("public domain, MIT", 0.4),
    "plain_negotiation": Prose("CC BY 4.0", 0.2),
    "plain_nltk_reviews": Prose("CC BY 4.0", 0.4, 0.9),
    "plain_nltk_speeches": Prose("public domain", 0.3, 0.5),
    "plain_openstax": Prose("CC BY 4.0", 0.5),
    "plain_podcasts": Prose("CC BY-SA 4.0", 0.5, 0.9),
    "plain_proposals": Prose("public domain, CC0, MIT or Apache-2.0", 0.3),
    "plain_pud": Prose("CC BY-SA 3.0", 0.25),
    "plain_qmsum": Prose("MIT, CC BY 4.0", 0.6),
    "plain_skeptics": Prose("CC BY-SA", 0.4),
    "plain_tech_talks": Prose("MIT", 0.3),
    "plain_ukpconvarg": Prose("CC BY 4.0", 0.25, 0.3),
    "cmv_ad_hominem": Prose("Apache-2.0", 1.5, 0.75, 0.35),
    "whataboutism_yt": Prose("MIT", 0.5, 0.6, 0.15),
    "persuasion_for_good": Prose("Apache-2.0", 0.3, 0.7, 0.12),
}

#: Set -> its label -> labels of ours of which one is meant, how surely, and how often sentences under it are drawn.
_LABELS: Mapping[str, Mapping[str, tuple[tuple[str, ...], float]]] = {
    "cmv_ad_hominem": {"ad hominem": (("ad hominem",), 0.5)},
    "whataboutism_yt": {"whataboutism": (("tu quoque", "appeal to worse problems"), 0.6)},
    "persuasion_for_good": {"emotion-appeal": (("appeal to pity", "appeal to positive emotion"), 0.4)},
}
#: Comments just before an insult are often heated: weaker evidence of ordinary argument.
_WEAKER = {"none_ah_thread": 0.6}


def prose_examples(
    name: str, root: Path, *, without: Container[str] = ()
) -> tuple[list[SentenceExample], list[SentenceExample]]:
    """The ordinary and the labelled texts of one set; long texts are cut into pieces.

    Parameters
    ----------
    name : of :data:`PROSE`.
    root : folder of data sets.
    without : ids of texts to leave out, since they are annotated sentence by sentence.

    Returns
    -------
    (list of SentenceExample, list of SentenceExample)
        Texts of one document or thread form one group, and are held out of training together.
    """
    about, numbers = PROSE[name], {label: i for i, label in enumerate(load_taxonomy("mafalda").names)}
    ordinary: list[SentenceExample] = []
    labelled: list[SentenceExample] = []
    for row in prose_rows(root / name):
        if str(row["id"]) in without:
            continue
        given = row.get("labels") or ["none"]
        group = group_of(name, row)
        meant = _LABELS.get(name, {}).get(given[0])
        weight = about.weight * _WEAKER.get(given[0], 1.0)
        example = plain_example(row["text"], group=group, title=row.get("title") or "", weight=weight)
        if example is None:
            continue
        if meant is None:
            ordinary += parts_of_example(example)
        elif len(example.sentences) <= _MOST_LABELLED:
            n, (labels, sure) = len(example.sentences), meant
            candidates = (tuple(sorted(numbers[x] for x in labels)),) * n
            labelled.append(
                replace(
                    example, flagged=(1.0,) * n, weights=(sure,) * n, candidates=candidates, label_weight=sure
                )
            )  # fmt: skip
    return ordinary, labelled


def written_examples(folder: Path) -> list[SentenceExample]:
    """Passages labelled sentence by sentence, in the format of ``data/passages_prose``.

    Those with the same ``group`` are held out together; without one each is a group of its own.

    Raises
    ------
    FormatError
        If a line is no such passage, or a label is none of MAFALDA's.
    """
    numbers = {label: i for i, label in enumerate(load_taxonomy("mafalda").names)}
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(lines_of(path.read_text(encoding="utf-8")), start=1):
            try:
                row = json.loads(line)
                # what was written as one unit may be several sentences
                pairs = [(text[a:b], label) for text, label in row["sentences"] for a, b in sentence_spans(text)]
                candidates = tuple(() if label is None else (numbers[label],) for _, label in pairs)
                name = str(row.get("group", row["id"]))
            except (ValueError, KeyError, TypeError) as error:
                raise FormatError(
                    f"must be a passage with an id and labelled sentences, got an error ({one_line(error)})",
                    path=path, line=number,
                ) from error  # fmt: skip
            flagged = tuple(float(label is not None) for _, label in pairs)
            sentences = tuple(text for text, _ in pairs)
            found.append(SentenceExample(name, "", sentences, flagged, (1.0,) * len(pairs), candidates))
    return found
