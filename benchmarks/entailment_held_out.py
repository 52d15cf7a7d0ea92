"""The entailment model on what was kept from its training: python benchmarks/entailment_held_out.py [FOLDER]

FOLDER holds other weights; default: those that ship. Tables: frames (facts that can be one of two ways) and frames of
evidence; plain statements, shortened sentences and claims made up by hand (data/plain_statements,
data/reworded_statements, and the claims of data/causal_claims and data/causal_reports that are kept aside); sentences
whose two people change places; passages and scenes of the corpora.
AUC is that of "entailed" by the logit of one reading; three labels are right where the greatest logit is. Probabilities
and verdicts are those of the judge and the verifier with the calibration of the weights' card; weights without one have
"-" there. Intervals resample frames, documents or verbs.

What no stage trained is not all unseen: passages and scenes held out here calibrate the probabilities, and the
parts "chosen" and "shortened" chose between weights. Confident wrong answers of "fresh" were known when checks were
written. Only the parts "aside" and "late" were counted alone: counts of "aside" were seen while features of the
verifier were chosen, and one of its limits was chosen with nine of its claims.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from fallax.causality.systems.entailed import EntailmentVerifier, load_entailment_verifier
from fallax.core.types import CausalClaim, Evidence
from fallax.entailment import EntailmentModel, Passages, load_entailment
from fallax.entailment.training.corpus import causal_examples, part_of, passage_examples, read_corpus
from fallax.entailment.training.frames import (
    Frame,
    frame_examples,
    frames_of_part,
    read_frames,
    read_scene_frames,
    scene_examples,
)
from fallax.entailment.training.made.relations import plain_relations
from fallax.entailment.training.made.turned import VERBS
from fallax.entailment.training.pairs import Example
from fallax.faithfulness.systems.entailed import EntailmentJudge

DATA = Path(__file__).parents[1] / "data"
#: Parts of data/plain_statements, and files of data/reworded_statements.
PLAIN = ("chosen", "seen", "fresh", "studied", "aside", "late")
REWORDED = ("paired", "reworded", "reworded-aside")
DRAWS = 300
LABELS = ("entailed", "contradicted", "neither")
VERDICTS = {"supports": "supports", "refutes": "refutes", "not_enough_info": "nei"}
#: Tokens of a passage that are read, and of the pieces of evidence, of which only what bears on a claim is.
PASSAGE, EVIDENCE, BEARING = 140, 190, 0.35
#: Verbs of which none is among those that roles were turned with in training; the participle where it is another word.
NEW_VERBS = (
    "overtook overtaken|outbid|tickled|photographed|insulted|rescued|chased|greeted|ignored|embraced|pushed|tripped"
    "|kicked|robbed|betrayed|trusted|envied|imitated|mocked|forgave forgiven|scolded|bribed|carried|followed"
    "|recognised|drugged|poisoned|cured|bandaged|adopted|evicted|sketched|startled|soothed|scared|woke woken|dragged"
    "|lifted|shielded"
)
PEOPLE = (("Tan", "Reyes"), ("Marta", "Ilse"), ("Mr Cole", "Ms Diaz"), ("the baker", "the tailor"))
FORMS = {"active": "{a} {v} {b}.", "passive": "{b} was {p} by {a}.", "cleft": "It was {a} who {v} {b}."}

Floats = npt.NDArray[np.float64]
Score = Callable[[Floats], float]


@dataclass(frozen=True)
class Models:
    """The model, and what judges with it; None where its card has no calibration."""

    model: EntailmentModel
    judge: EntailmentJudge | None
    decided: EntailmentJudge | None
    verifier: EntailmentVerifier | None
    forced: EntailmentVerifier | None


@dataclass(frozen=True)
class Row:
    """What was found for one item: its group, its kind, and numbers."""

    group: str
    kind: str
    values: tuple[float, ...]


def models_of(folder: str | None) -> Models:
    model = load_entailment(folder)
    if "calibration" not in model.about:
        return Models(model, None, None, None, None)
    judge = EntailmentJudge(model, level="summary")
    decided = judge.with_settings(level="summary", threshold=None, abstain=False)
    verifiers = (load_entailment_verifier(folder), load_entailment_verifier(folder, abstain=False))
    return Models(model, judge, decided, *verifiers)


def auc(values: Floats) -> float:
    """AUC of the second column for the first, yes or no; NaN where there is one class alone or a number is missing."""
    gold, scores = values[:, 0] > 0, values[:, 1]
    n, m = int(gold.sum()), int((~gold).sum())
    return float((rankdata(scores)[gold].sum() - n * (n + 1) / 2) / (n * m)) if n and m else float("nan")


def auc_of_pairs(values: Floats) -> float:
    """AUC of two columns: those of the first are entailed, those of the second are not."""
    n = len(values)
    return auc(np.column_stack([[1.0] * n + [0.0] * n, np.concatenate([values[:, 0], values[:, 1]])]))


def ordered(values: Floats) -> float:
    """The share of rows whose first number is greater; a tie is half."""
    return float((np.sign(values[:, 0] - values[:, 1]) / 2 + 0.5).mean())


def balanced(values: Floats) -> float:
    """Balanced accuracy of the second column, from 0 on a yes, for the first."""
    gold, said = values[:, 0] > 0, values[:, 1] >= 0
    if np.isnan(values).any():
        return float("nan")
    return float((said[gold].mean() + (~said[~gold]).mean()) / 2) if gold.any() and (~gold).any() else float("nan")


def share(values: Floats) -> float:
    """The mean of the first column."""
    return float(values[:, 0].mean())


def told(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3f}".removeprefix("0") if value < 1 else "1.000"


def with_interval(rows: Sequence[Row], score: Score, seed: int = 7) -> str:
    """A score with its 95 % interval over groups."""
    members: dict[str, list[tuple[float, ...]]] = {}
    for row in rows:
        members.setdefault(row.group, []).append(row.values)
    draw, groups = random.Random(seed), sorted(members)
    drawn = (draw.choices(groups, k=len(groups)) for _ in range(DRAWS))
    found = [score(np.array([v for group in own for v in members[group]])) for own in drawn]
    low, high = np.nanpercentile(found, [2.5, 97.5]) if not np.isnan(found).all() else (np.nan, np.nan)
    return f"{told(score(np.array([r.values for r in rows])))} [{told(float(low))}, {told(float(high))}]"


#: Of two logits, one beside the passage that entails the statement and one beside that which does not.
PAIRED: dict[str, Score] = {"AUC": auc_of_pairs, "pairs in the right order": ordered}


def table(title: str, columns: Sequence[str], lines: Sequence[Sequence[object]]) -> None:
    print(f"{title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for line in lines:
        print(f"| {' | '.join(map(str, line))} |")
    print(flush=True)


def by_kind(title: str, rows: Sequence[Row], scores: Mapping[str, Score], *, counted: str, head: str = "kind") -> None:
    """A line for each kind, and one with intervals for all."""
    lines: list[list[object]] = []
    if not rows:
        return
    for kind, found in groupby(sorted(rows, key=lambda r: r.kind), lambda r: r.kind):
        own = list(found)
        values = np.array([r.values for r in own])
        lines.append([kind, len({r.group for r in own}), len(own), *(told(s(values)) for s in scores.values())])
    groups = len({r.group for r in rows})
    lines.append(["**all**", groups, len(rows), *(with_interval(rows, s) for s in scores.values())])
    table(title, [head, counted, "items", *scores], lines)


def some(rows: Sequence[Any], n: int | None, seed: int = 3) -> list[Any]:
    return list(rows) if n is None else random.Random(seed).sample(list(rows), min(n, len(rows)))


def passages_of(model: EntailmentModel, pieces: Sequence[str]) -> Passages:
    """A passage whose sentences are known."""
    spans, at = [], 0
    for piece in pieces:
        spans.append((at, at + len(piece)))
        at += len(piece) + 1
    return Passages(model, "\n".join(pieces), spans)


def right_label(model: EntailmentModel, example: Example) -> float:
    read = passages_of(model, example.passage).read(example.statement, budget=EVIDENCE, bearing=BEARING)
    return float(LABELS[int(np.argmax(read.reading.logits))] == example.label)


def filled(use: Models, numbered: Sequence[tuple[int, Frame]], *, each: int, seed: int) -> Iterator[Row]:
    """Of each frame some statements: "entailed" beside the passage that entails it, and beside the one that does not.

    Statements that neither passage decides are left out.
    """
    for number, frame in numbered:
        examples = list(frame_examples([frame], each, (), seed + number))
        for pair in zip(examples[::2], examples[1::2], strict=True):
            if pair[0].label == "entailed":
                logits = (use.model.read(list(e.passage), e.statement).entailed for e in pair)
                yield Row(frame.identifier, frame.kind, tuple(logits))


def frames(use: Models, n: int | None) -> None:
    held = frames_of_part(read_frames(DATA / "entailment_frames"), "calibration")
    title = "Frames held out: each statement beside a passage that entails it and one that does not"
    by_kind(title, list(filled(use, some(list(enumerate(held)), n), each=3, seed=100)), PAIRED, counted="frames")


def causal_frames(use: Models, n: int | None) -> None:
    held = frames_of_part(read_scene_frames(DATA / "causal_frames"), "calibration")
    rows = [
        Row(frame.identifier, frame.kind, (right_label(use.model, example),))
        for number, frame in some(list(enumerate(held)), n)
        for example in scene_examples([frame], 4, (), 200 + number)
    ]
    by_kind("Frames of evidence held out: claims, three labels", rows, {"accuracy": share}, counted="frames")


def relations(use: Models, n: int | None) -> None:
    drawn = some(list(enumerate(plain_relations(330, 777))), n)
    title = "Plain relations by rules, drawn anew: their wordings were trained on"
    by_kind(title, list(filled(use, drawn, each=1, seed=900)), PAIRED, counted="relations")


def statements(part: str, n: int | None) -> list[dict[str, Any]]:
    if part in REWORDED:
        return some(
            [
                {"document": row["document"], "label": label, "kind": kind, "statement": statement}
                for row in read_corpus(DATA / "reworded_statements", f"{part}.jsonl")
                for label, kind, statement in row["statements"]
            ],
            n,
        )
    rows = read_corpus(DATA / "plain_statements", "statements*.jsonl")
    return some([r for r in rows if r["part"] == part], n)


def judged(use: Models, item: dict[str, Any]) -> tuple[float, ...]:
    """Entailed or not, logit of the whole text, the judge's probability - .5, verdict or not, and was it right."""
    gold = item["label"] == "entailed"
    logit = use.model.read(list(Passages(use.model, item["document"]).texts), item["statement"]).entailed
    if use.judge is None or use.decided is None:
        return gold, logit, float("nan"), float("nan"), float("nan")
    probability = asyncio.run(use.decided.judge(item["document"], item["statement"])).probability
    said = asyncio.run(use.judge.judge(item["document"], item["statement"])).label
    verdict = said in ("faithful", "unfaithful")
    right = said == ("faithful" if gold else "unfaithful")
    return gold, logit, (0.5 if probability is None else probability) - 0.5, verdict, right


def plain(use: Models, n: int | None) -> None:
    lines: list[list[object]] = []
    late: list[Row] = []
    for part in (*PLAIN, *REWORDED):
        rows = [Row(item["document"], item["kind"], judged(use, item)) for item in statements(part, n)]
        late = rows if part == "late" else late
        line: list[object] = [part, len({r.group for r in rows}), len(rows)]
        for column in (1, 2):
            two = [Row(r.group, r.kind, (r.values[0], r.values[column])) for r in rows]
            line += [with_interval(two, auc), with_interval(two, balanced)]
        lines.append([*line, *(counted_in(rows, column) for column in (3, 4))])
    table(
        "Plain statements about short texts, made up by hand: one reading of the whole text (yes where entailed is"
        " likelier than not), and the judge (yes from probability .5 on)",
        ("part", "documents", "statements", "AUC, reading", "balanced accuracy, reading", "AUC, judge",
         "balanced accuracy, judge", "verdicts", "of them right"), lines,
    )  # fmt: skip
    lines = []
    for kind, found in groupby(sorted(late, key=lambda r: r.kind), lambda r: r.kind):
        own = list(found)
        right = [sum((r.values[0] > 0) == (r.values[column] >= 0) for r in own) for column in (1, 2)]
        lines.append([kind, len(own), right[0], right[1] if use.judge else "-", *(counted_in(own, c) for c in (3, 4))])
    columns = ("kind", "statements", "right, reading", "right, judge", "verdicts", "of them right")
    table('The part "late" by kind', columns, lines)


def counted_in(rows: Sequence[Row], column: int) -> int | str:
    """How many rows have a 1 in a column."""
    total = sum(r.values[column] for r in rows)
    return "-" if np.isnan(total) else int(total)


def shortened(use: Models, n: int | None) -> None:
    items = statements("shortened", n)
    found = [use.model.read([i["document"]], i["statement"]).probabilities[0] for i in items]
    least = items[int(np.argmin(found))]["statement"]
    table(
        "Shortened sentences: the probability that the reading gives to entailed, which all are",
        ("sentences", "lowest", "mean", "above .5", "the lowest"),
        [(len(found), told(min(found)), told(float(np.mean(found))), sum(p > 0.5 for p in found), least)],
    )


def turned(use: Models, n: int | None) -> None:
    """Columns of the rows: entailed from 0 on with the people as they are, and with their places changed."""
    rows = []
    verbs = [v.split() for v in NEW_VERBS.split("|") if v.split()[0] not in VERBS]
    for number, (verb, *others) in some(list(enumerate(verbs)), n):
        one, other = PEOPLE[number % len(PEOPLE)]
        words = {"v": verb, "p": others[0] if others else verb}
        passage = [_said(FORMS["active"], one, other, words)[:-1] + " on Monday."]
        for name, form in FORMS.items():
            both = (_said(form, one, other, words), _said(form, other, one, words))
            logits = [use.model.read(passage, said).entailed for said in both]
            rows.append(Row(verb, name, (*(float(x >= 0) for x in logits), *logits)))
    scores: dict[str, Score] = {
        "as they are": share,
        "changed": lambda v: share(v[:, 1:]),
        "pairs in the right order": lambda v: ordered(v[:, 2:]),
    }
    title = "People who change places, with verbs whose roles no training turned: the share called entailed"
    by_kind(title, rows, scores, counted="verbs", head="form")


def _said(form: str, one: str, other: str, words: dict[str, str]) -> str:
    text = form.format(a=one, b=other, **words)
    return text[:1].upper() + text[1:]


def corpora_of(folder: Path) -> list[str]:
    """The corpora whose files stand in a folder: "a" of passages-a-01.jsonl."""
    return sorted({path.stem.split("-")[1] for path in folder.glob("*.jsonl")})


def passages(use: Models, n: int | None) -> None:
    """Columns of the rows: entailed, its logit."""
    rows: list[tuple[str, Row]] = []
    for corpus in corpora_of(DATA / "entailment"):
        found = passage_examples(DATA / "entailment", f"passages-{corpus}-*.jsonl")
        for identifier, kind, e in some([x for x in found if part_of(x[0]) == "calibration"], n):
            logit = passages_of(use.model, e.passage).read(e.statement, budget=PASSAGE).reading.entailed
            rows.append((corpus, Row(identifier, kind, (e.label == "entailed", logit))))
    by_corpus = [Row(r.group, corpus, r.values) for corpus, r in rows]
    own = [np.array([r.values for r in by_corpus if r.kind == c]) for c in sorted({r.kind for r in by_corpus})]
    mean = np.mean([auc(v) for v in own])
    scores = {"AUC": auc, "balanced accuracy": balanced}
    by_kind(
        f"Passages held out, by corpus; the mean AUC of the corpora is {told(float(mean))}",
        by_corpus, scores, counted="passages", head="corpus",
    )  # fmt: skip
    by_kind("Passages held out, by kind", [r for _, r in rows], scores, counted="passages")


def scenes(use: Models, n: int | None) -> None:
    rows: list[tuple[str, Row]] = []
    for corpus in corpora_of(DATA / "causal_scenes"):
        found = causal_examples(DATA / "causal_scenes", f"scenes-{corpus}-*.jsonl")
        for identifier, kind, e in some([x for x in found if part_of(x[0]) == "calibration"], n):
            rows.append((corpus, Row(identifier, kind, (right_label(use.model, e),))))
    by_corpus = [Row(r.group, corpus, r.values) for corpus, r in rows]
    by_kind("Scenes held out, by corpus: claims, three labels", by_corpus, {"accuracy": share}, counted="scenes",
            head="corpus")  # fmt: skip
    by_kind("Scenes held out, by kind", [r for _, r in rows], {"accuracy": share}, counted="scenes")


def _claims_by_part() -> dict[str, list[dict[str, Any]]]:
    """Part -> its claims, with id, claim, evidence and label."""
    plain = read_corpus(DATA / "plain_statements", "claims*.jsonl")
    found = {part: [r for r in plain if r["part"] == part] for part in ("seen", "fresh", "studied", "aside", "late")}
    apart = {
        "shared-aside": "causal_claims",
        "reworded-aside": "causal_claims",
        "aside-h3": "causal_reports",
        "aside-n7": "causal_reports",
        "aside-p8": "causal_reports",
        "aside-q7": "causal_reports",
        "aside-r5": "causal_reports",
        "aside-s4": "causal_reports",
    }
    for part, folder in apart.items():
        found[part] = [
            {
                "id": f"{row['id']}{row.get('set', '')}-{i}", "scene": row["id"], "claim": claim,
                "evidence": row["evidence"], "label": label,
            }
            for row in read_corpus(DATA / folder, f"{part}.jsonl")
            for i, (label, _, claim, _) in enumerate(row["claims"])
        ]  # fmt: skip
    return found


def claims(use: Models, n: int | None) -> None:
    if use.verifier is None or use.forced is None:
        return
    lines: list[list[object]] = []
    for part, own_items in _claims_by_part().items():
        rows = []
        for item in some(own_items, n):
            evidence = tuple(Evidence(f"E{i}", e) for i, e in enumerate(item["evidence"], start=1))
            claim = CausalClaim(item["id"], item["claim"], evidence)
            forced, said = (asyncio.run(v.verify(claim)).label for v in (use.forced, use.verifier))
            gold = VERDICTS[item["label"]]
            scene = item.get("scene") or " ".join(item["evidence"])
            rows.append(Row(scene, gold, (forced == gold, said is not None, said == gold)))
        for gold in VERDICTS.values():
            own = [r for r in rows if r.kind == gold]
            lines.append([f"{part}, {gold}", len(own), *(counted_in(own, column) for column in range(3))])
        lines.append([f"**{part}**", len(rows), with_interval(rows, share), *(counted_in(rows, c) for c in (1, 2))])
    table(
        f"Claims about causes, made up by hand, by {use.verifier.name}: right without abstaining (three labels), and"
        " the verifier's verdicts; the labels in the first column are the right ones",
        ("part", "claims", "right", "verdicts", "of them right"), lines,
    )  # fmt: skip


PARTS = {
    "frames": frames, "causal_frames": causal_frames, "relations": relations, "plain": plain, "shortened": shortened,
    "turned": turned, "passages": passages, "scenes": scenes, "claims": claims,
}  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="other weights")
    parser.add_argument("-n", type=int, help="frames, verbs, or statements of each corpus at most; default all")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS), help="only these tables")
    args = parser.parse_args(argv)
    if args.n is not None and args.n < 1:
        parser.error(f"argument -n: must be 1 or more, got {args.n}; leave it out for all")
    use = models_of(args.folder)
    print(f"{use.model.name}\n")
    for name in args.parts:
        PARTS[name](use, args.n)


if __name__ == "__main__":
    main()
