"""Train the small detector that ships: python scripts/train_encoder.py BASE --start FOLDER [--out FOLDER]

BASE is a folder with config.json, model.safetensors and tokenizer.json of all-MiniLM-L6-v2; --start a detector's folder
whose weights training goes on from (for version 15 those of version 14). The sets are read from FALLAX_DATA; only
openly licensed ones and the texts of this repository are trained on. Training is resumed at the batch where it
stopped. The confidences are calibrated, and the threshold is chosen, on texts held out of training and on comments of
CoCoLoFa, by the rule in `choose`; MAFALDA's development texts choose nothing. Same seed, same machine, one thread: same
bytes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import NO_FALLACY, Record
from fallax.data import DATASETS, data_root, load_dataset
from fallax.detection.comparison import compare, share_flagged
from fallax.detection.systems import SentenceDetector, load_encoder
from fallax.detection.systems.decoding import Decoding
from fallax.detection.systems.encoder import EncoderScorer
from fallax.detection.train import training_sources
from fallax.detection.training.annotated import annotated_examples, annotated_ids
from fallax.detection.training.beside import put_heads
from fallax.detection.training.confidence import (
    HeldOutTexts,
    bins_of,
    calibrated,
    calibration_rows,
    fit_passages,
    held_out_of,
)
from fallax.detection.training.examples import SentenceExample, example_of, is_held_out
from fallax.detection.training.finish import write_card, write_folder
from fallax.detection.training.inserted import inserted_examples
from fallax.detection.training.loop import Network, between
from fallax.detection.training.mixing import Draws
from fallax.detection.training.passages import passage_rows
from fallax.detection.training.prose import PROSE, prose_examples, written_examples
from fallax.detection.training.stream import StreamSettings, fit_stream
from fallax.encoders import FILES
from fallax.encoders.training.base import Base, load_base
from fallax.encoders.training.reopen import exported_state

ROOT = Path(__file__).parents[1]
#: The small detector.
SMALL = ROOT / "src" / "fallax" / "detection" / "weights" / "encoder-small"
#: Another one for weights that say something else: it stands in every prediction's record.
VERSION = "15"
#: One group of texts in so many is kept out of training, as for the weights it starts from.
HOLD_OUT = 12
#: TrainingSource -> how often its fallacious and its ordinary texts are drawn.
DRAWN = {
    "passages": (1.6, 1.4), "passages_posts": (1.2, 1.0), "passages_topics": (0.3, 0.3),
    "reddit_informal_fallacies": (3.0, 0.0), "reddit-negative": (0.0, 0.7), "argotario": (1.4, 0.6),
    "flicc": (0.7, 0.0), "everyday.txt": (0.0, 0.2), "plain.txt": (0.0, 0.6), "passages_prose": (3.0, 2.5),
    "annotated_prose": (6.0, 8.0), "inserted_sentences": (5.0, 4.0), "passages_short": (4.0, 5.5),
    "passages_contrast": (4.0, 6.0),
}  # fmt: skip
#: Texts of this repository in which each sentence has its own label.
LABELLED_BY_SENTENCE = ("passages_prose", "passages_short", "passages_contrast")
#: Texts of open sets whose sentences were annotated for this project.
ANNOTATED = ROOT / "data" / "annotated_prose"
#: Sentences written into parts of these that hold no fallacy.
INSERTED = ROOT / "data" / "inserted_sentences"
#: Marked texts with a label that fewer of them have are drawn once more, so often.
RARE, RARE_DRAWN = 600, 4.0
#: How surely a comment is ordinary in which one fallacy was looked for and not found.
UNSURE = 0.4
#: How far the weights go back towards those that training started from (Wortsman et al. 2022, "Robust fine-tuning"). Of
#: 0, .25 and .5 for version 15 the one that found and named most on CoCoLoFa, LOGIC, LFUD and held-out marked parts.
EARLIER = 0.25
#: How much a sentence counts of a set without ordinary texts.
FALLACIOUS_ONLY = 0.15
SETTINGS = StreamSettings()
#: Costs and weights were chosen on CoCoLoFa's development comments and held-out texts at equal false alarms.
DECODING = Decoding(
    0.5, change_cost=1.0, relabel_cost=0.5, label_weight=1.0, group_weight=0.1, most_labels=3, threshold_alone=0.95,
    between=0.3,
)  # fmt: skip
#: At most so many comments without a fallacy may be flagged, and so many sentences of held-out ordinary prose.
MOST_COMMENTS, MOST_SENTENCES = 0.14, 0.01
#: What the card says of MAFALDA's development texts.
NOTE = (
    "These texts chose nothing of this version but what it began as: the weights of version 2, whose thresholds they"
    " chose; and the rule for the threshold was mended after a result on them had been seen."
)
WEAK_AT = (
    "Reasoning that no turn of phrase gives away: equivocation, circularity and straw men that need knowledge of what"
    " was really said. Dry fallacies in one short statement are often missed, and insults in heated comments are often"
    " taken for ad hominem. The label is right less often than the passage: see the scores by level. English only."
)


def sources() -> dict[str, list[SentenceExample]]:
    """The examples by source; those of a set of comments labelled as a whole stand under its name with " labelled"."""
    names = ["reddit", "argotario", "flicc", *(str(ROOT / "data" / n) for n in DRAWN if n.startswith("passages"))]
    for name in LABELLED_BY_SENTENCE:
        names.remove(str(ROOT / "data" / name))
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.txt"
        subprocess.run([sys.executable, str(ROOT / "scripts" / "plain_texts.py"), str(plain)], check=True)
        everyday = str(ROOT / "data" / "passages_topics" / "everyday.txt")
        found = {s.name: list(s.examples) for s in training_sources([*names, everyday, str(plain)])}
    found["reddit-negative"] = [replace(e, weights=(UNSURE,) * len(e.weights)) for e in found["reddit-negative"]]
    # every text of FLICC is fallacious and about the climate: it must not teach that talk of the climate is
    found["flicc"] = [replace(e, weights=(FALLACIOUS_ONLY,) * len(e.weights)) for e in found["flicc"]]
    for name in LABELLED_BY_SENTENCE:
        found[name] = written_examples(ROOT / "data" / name)
    annotated = annotated_ids(ANNOTATED)
    for name in PROSE:
        found[name], labelled = prose_examples(name, data_root(), without=annotated.get(name, ()))
        if labelled:
            found[f"{name} labelled"] = labelled
    found["annotated_prose"] = [e for own in annotated_examples(ANNOTATED, data_root()).values() for e in own]
    found["inserted_sentences"] = inserted_examples(INSERTED, data_root())
    return found


def rare_of(marked: Sequence[SentenceExample]) -> list[SentenceExample]:
    """Those with a label that fewer than :data:`RARE` texts have."""
    labels = [{label for each in e.candidates for label in each} for e in marked]
    often = Counter(label for own in labels for label in own)
    return [e for e, own in zip(marked, labels, strict=True) if any(often[label] < RARE for label in own)]


def draws_of(found: dict[str, list[SentenceExample]]) -> Draws:
    """What training draws from: held-out groups are not among it."""
    fallacious: list[tuple[float, Sequence[SentenceExample]]] = []
    ordinary: list[tuple[float, Sequence[SentenceExample]]] = []
    for name, examples in found.items():
        kept = [e for e in examples if not is_held_out(e, HOLD_OUT)]
        prose = PROSE.get(name.removesuffix(" labelled"))
        often = DRAWN[name] if prose is None else (prose.labelled, prose.draw)
        for drawn, how, wanted in ((fallacious, often[0], True), (ordinary, often[1], False)):
            these = [e for e in kept if (max(e.flagged) > 0.5) == wanted]
            if how and these:
                drawn.append((how, these))
        if name == "annotated_prose":
            fallacious.append((RARE_DRAWN, rare_of(kept)))
    return Draws(fallacious, ordinary)


def reopened(network: Network, folder: Path, base: Base) -> None:
    """Put the weights of an earlier detector into a network."""
    network.bert.load_state_dict(exported_state(folder / FILES[0], base))
    with np.load(folder / FILES[1]) as heads:
        put_heads(network, heads)
    with torch.no_grad():
        network.head.weight[1:, network.head.in_features // 2 :] = 0.0


def shown_each(tokens: int, settings: StreamSettings) -> Callable[[int, int, str], None]:
    """Prints a line about the training each time so many tokens are done."""

    def progress(done: int, total: int, said: str) -> None:
        if done // tokens != (done - settings.budget) // tokens:
            print(f"{done}/{total} tokens, {said}", flush=True)

    return progress


def train(
    base: Base, start: Path, found: dict[str, list[SentenceExample]], settings: StreamSettings, work: Path
) -> Network:
    """The network, started from the weights of an earlier detector."""

    def from_earlier(network: Network) -> None:
        reopened(network, start, base)

    n_labels = len(load_taxonomy("mafalda").names)
    trained = fit_stream(
        base,
        draws_of(found),
        n_labels=n_labels,
        settings=settings,
        folder=work,
        start=from_earlier,
        progress=shown_each(100_000, settings),
    )
    earlier = Network(base, n_labels, 0.0)
    from_earlier(earlier)
    return between(trained, earlier, EARLIER)


def ordinary_of(held: HeldOutTexts) -> list[Record]:
    """Held-out ordinary prose: near misses and comments that may hold a fallacy are not among it."""
    names = ("plain.txt", *(name for name in held.sources if name.startswith("plain_") and PROSE[name].weight >= 0.9))
    return [
        Record(f"{name}-{i}", " ".join(e.sentences), title=e.title)
        for name in names
        for i, e in enumerate(held.sources.get(name, ()))
    ]


def comments_without_fallacy() -> list[Record]:
    """Of CoCoLoFa's development comments, which nothing is trained on, those without a fallacy."""
    return [r for r in load_dataset("cocolofa", split="dev") if all(g.labels == (NO_FALLACY,) for g in r.gold or ())]


def comments() -> list[SentenceExample]:
    """CoCoLoFa's development comments."""
    found = (example_of(r, taxonomy="cocolofa") for r in load_dataset("cocolofa", split="dev"))
    return [e for e in found if e is not None]


def comments_with_fallacy() -> list[SentenceExample]:
    """Of CoCoLoFa's development comments those whose fallacy has a label."""
    return [e for e in comments() if any(e.candidates)]


def logic_texts() -> list[SentenceExample]:
    """LOGIC's development texts that have a label of ours; nothing is trained on this set."""
    found = (example_of(r, taxonomy="logic") for r in load_dataset("logic", split="dev"))
    return [e for e in found if e is not None and any(e.candidates)]


def share_of_texts(detector: SentenceDetector, records: Sequence[Record]) -> float:
    """The share of texts in which something is flagged."""
    return sum(bool(detector.detect(r).spans) for r in records) / len(records)


def choose(detector: SentenceDetector, held: HeldOutTexts) -> float:
    """The lowest threshold at which ordinary texts are flagged no more often than the bounds allow."""
    comments, ordinary = comments_without_fallacy(), ordinary_of(held)
    for step in range(30, 96, 2):
        tried = replace(detector, decoding=replace(detector.decoding, threshold=step / 100))
        if share_of_texts(tried, comments) <= MOST_COMMENTS and share_flagged(tried, ordinary) <= MOST_SENTENCES:
            return step / 100
    return 0.95


def passage_sets(held: HeldOutTexts) -> dict[str, Sequence[SentenceExample]]:
    """What the confidence of passages is fitted on: held-out texts, and comments that training saw nothing of.

    Without those of which half and more were made to look like a fallacy, more than anywhere else.
    """
    made_to_mislead = ("inserted_sentences", "passages_short", "passages_contrast")
    held_out = {name: own for name, own in held.sources.items() if name not in made_to_mislead}
    return {**held_out, "cocolofa": comments()}


def measure(folder: Path, found: dict[str, list[SentenceExample]], *, version: str, note: str) -> None:
    """Calibrate a detector, choose its threshold, and write its card, with what it says of MAFALDA's texts."""
    remember_features()
    held = held_out_of(found, HOLD_OUT)
    detector = calibrated(folder, held, unseen=(comments_with_fallacy(), logic_texts()))
    about = {k: v for k, v in detector.about.items() if k not in ("decoding", "files")} | {"version": version}
    threshold = choose(replace(detector, decoding=DECODING), held)
    write_card(folder, about, replace(DECODING, threshold=threshold))
    fit_passages(folder, passage_sets(held))
    describe(folder, held, note)


def remember_features() -> None:
    """Read each text once: thresholds, confidences and the card are made from the same texts, which takes minutes."""
    known: dict[tuple[str, ...], npt.NDArray[np.float32]] = {}
    read = EncoderScorer.features

    def remembered(self: EncoderScorer, sentences: Sequence[str], *, title: str = "") -> npt.NDArray[np.float64]:
        key = (type(self.model).__name__, title, *sentences)
        if key not in known:
            known[key] = read(self, sentences, title=title).astype(np.float32)
        return known[key].astype(np.float64)

    def whole(self: EncoderScorer, wanted: Any, sentences: Any, *, title: str = "") -> npt.NDArray[np.float64]:
        return self.probabilities(sentences, title=title)

    EncoderScorer.features = remembered  # type: ignore[method-assign]
    EncoderScorer.probabilities_where = whole  # type: ignore[method-assign]


def describe(folder: Path, held: HeldOutTexts, note: str) -> None:
    """Write what it is worth into the card: scores with intervals, calibration, false alarms, faults."""
    load_encoder.cache_clear()
    detector = load_encoder(str(folder))
    sets = passage_sets(held)
    gold = list(load_dataset("mafalda", taxonomy="mafalda"))
    (row,) = compare(gold, {"this": [detector.detect(r) for r in gold]})
    scores = [
        {"unit": unit, "level": level, "f1": round(f1, 3), "low": round(low, 3), "high": round(high, 3)}
        for (unit, level), (f1, low, high) in row.f1.items()
    ]
    about = {k: v for k, v in detector.about.items() if k not in ("decoding", "files")}
    about |= {
        "mafalda_development_texts": {
            "metric": "soft_span f1, variant definition, 100 texts, 95 % intervals",
            "note": note,
            "scores": scores,
        },
        "calibration": {
            "passage": bins_of([(detector.scale.shown(p), right, w) for p, right, w in passage_rows(detector, sets)]),
            **calibration_rows(detector, held),
        },
        "share_flagged": {
            "sentences_of_wikitext2": round(share_flagged(detector, list(load_dataset("wikitext2"))), 4),
            "benign_smartypat": round(share_flagged(detector, list(load_dataset("smartypat", split="benign"))), 4),
            "comments_of_cocolofa": round(share_of_texts(detector, comments_without_fallacy()), 4),
            "sentences_of_held_out_prose": round(share_flagged(detector, ordinary_of(held)), 4),
        },
        "weak_at": WEAK_AT,
    }
    write_card(folder, about, detector.decoding)


def card_of(
    base: Base, found: dict[str, list[SentenceExample]], settings: StreamSettings, start: str
) -> dict[str, Any]:
    """What is known before anything is measured."""
    own = "Apache-2.0, this project"
    licences = dict.fromkeys((*DRAWN, "everyday.txt"), own)
    licences |= {"reddit_informal_fallacies": "MIT", "reddit-negative": "MIT"}
    licences["inserted_sentences"] = "sentences Apache-2.0, this project; texts as their sets, named here"
    licences["annotated_prose"] = "marks Apache-2.0, this project; texts as their sets, named here"
    licences["plain.txt"] = (
        "WiCE claims CC BY-SA, SummEdits Apache-2.0, WikiWhy MIT, e-CARE MIT, EntailmentBank Apache-2.0"
    )
    rows = []
    for name, examples in found.items():
        plain = name.removesuffix(" labelled")
        prose = PROSE.get(plain)
        licence = prose.licence if prose else DATASETS[name].licence if name in DATASETS else licences[name]
        rows.append(
            {
                "name": name,
                "licence": licence,
                "shippable": True,
                "texts": len(examples),
                "with_fallacy": sum(max(e.flagged) > 0.5 for e in examples),
            }
        )
    return {
        "name": "encoder-small",
        "version": VERSION,
        "taxonomy": "mafalda",
        "language": "English",
        "labels": list(load_taxonomy("mafalda").names),
        "base": {"name": "all-MiniLM-L6-v2", "licence": "Apache-2.0", "sha256": base.sha256, "started_from": start},
        "licence": "Apache-2.0; see the licences of what it was trained on",
        "trained_on": rows,
        "settings": asdict(settings) | {"hold_out": HOLD_OUT},
    }


def parser_of(doc: str | None, settings: StreamSettings, work: str) -> argparse.ArgumentParser:
    """A parser with the options that all trainings of detectors on a stream have."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("--work", type=Path, default=Path(work), help="checkpoints are kept here")
    parser.add_argument("--tokens", type=int, default=settings.tokens)
    parser.add_argument("--cooldown", type=float, default=settings.cooldown)
    parser.add_argument("--seed", type=int, default=settings.seed)
    parser.add_argument("--threads", type=int, default=1, help="more than one are faster, and change the last digits")
    parser.add_argument("--card-only", action="store_true", help="choose the threshold and write the card again")
    return parser


def read_options(
    parser: argparse.ArgumentParser, settings: StreamSettings
) -> tuple[argparse.Namespace, StreamSettings, dict[str, list[SentenceExample]]]:
    """What was typed, the settings with it, and the texts; torch takes as many threads as were named."""
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    return args, replace(settings, seed=args.seed, tokens=args.tokens, cooldown=args.cooldown), sources()


def main() -> None:
    parser = parser_of(__doc__, SETTINGS, "detector-training")
    parser.add_argument("--start", type=Path, default=SMALL, help="folder of the detector it goes on from")
    parser.add_argument("--out", type=Path, default=SMALL)
    args, settings, found = read_options(parser, SETTINGS)
    if not args.card_only:
        base = load_base(args.base)
        started = load_encoder(str(args.start)).name
        network = train(base, args.start, found, settings, args.work)
        about = card_of(base, found, settings, started)
        write_folder(network, base, args.out, about=about, decoding=DECODING)
    measure(args.out, found, version=VERSION, note=NOTE)


if __name__ == "__main__":
    main()
