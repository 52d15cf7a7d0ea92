"""Writes the card and the machine-readable metadata of a fresh set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from fallax.data import croissant as metadata
from fallax.errors import one_line
from fallax.generation.worlds.fresh import FreshPlan, FreshSet
from fallax.generation.worlds.make import CHAINS
from fallax.generation.worlds.wording import EXPLICITNESS, REGISTERS

__all__ = ["card", "croissant"]

_FILES = {
    "single.jsonl, panel.jsonl": "pairs: a fallacy with its derivation, and its sound twin; for"
    " `fallax bench run smartypat --data FOLDER`",
    "data/*.jsonl": "the same texts, one a line, in an order that tells nothing; for"
    " `datasets.load_dataset(FOLDER, STYLE)`",
    "proofs.jsonl": "what every sentence states, what is so in its world and not stated, both derivations",
    "inspect_task.py": "a task for Inspect AI: `inspect eval FOLDER/inspect_task.py --model PROVIDER/MODEL`",
    "lm_eval/": "for lm-evaluation-harness: `lm_eval --include_path FOLDER/lm_eval --tasks fallax_twins_single`",
    "contamination.json, cues.json": "the figures below, whole",
    "croissant.json, SHA256SUMS, settings.json": "metadata, checksums, and how it was made but for the seed",
}


_FIELDS = ("id", "text", "label", "fallacy", "pair", "style")
#: The terms of its metadata; their order is part of the bytes of a set.
_TERMS = (
    "@language", "@vocab", "sc", "cr", "dct", "citeAs", "column", "conformsTo", "data", "dataType", "extract", "field",
    "fileObject", "fileProperty", "format", "jsonPath", "recordSet", "source",
)  # fmt: skip


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(["| " + " | ".join(r) + " |" for r in (head, ["---"] * len(head), *rows)])


def card(made: FreshSet, figures: Mapping[str, Any], *, name: str, command: str, licence: str) -> str:
    """The card as Markdown, with the header for dataset hubs.

    Parameters
    ----------
    figures : ``cues`` and ``contamination``.
    """
    plan = made.plan
    head = ["---", f"pretty_name: {one_line(name, 60)}", f"license: {licence.lower()}", "language: [en]"]
    head += ["task_categories: [text-classification]", "tags: [logical-fallacies, synthetic, reasoning]"]
    head += ["annotations_creators: [machine-generated]", "configs:"]
    for style in plan.styles:
        head += [
            f"  - config_name: {style}",
            "    data_files:",
            "      - split: test",
            f"        path: data/{style}.jsonl",
        ]
        head += ["    default: true"] if style == plan.styles[0] else []
    head.append("---")
    n = len(made.items)
    parts = [
        "\n".join(head),
        f"# {one_line(name, 60)}",
        f"{n} pairs of texts, {plan.n} of each of {len(plan.fallacies)} types and each style: an argument"
        f" that commits a known"
        " fallacy, and a sound twin that has the same premises, the same connective and the same length."
        " Both are about a small"
        " world that was made up for them.",
        f"`{plan.canary}`: please keep this line with the texts, so that training data can be searched for"
        f" it. The set is a test"
        " set; nothing should be trained on it.",
        f"```sh\n{command}\n```",
        f"Commitment to the seed: `{plan.commitment}` (the first 16 digits of the SHA-256 of `fallax fresh SEED`).",
        "## Two styles",
        "- `single`: one argument a text. Its type can be told by its words; whether it holds cannot.\n"
        f"- `panel`: {plan.points} people make a point each, about different things. In the one text all"
        f" points hold; in the other"
        " one of them is a fallacy, and its type is the label. Neither the type nor whether there is a"
        " fallacy shows in the words.",
        "## How hard it was made",
        _table(["setting", "value", "what it makes harder"], _knobs(plan)),
        *_rewording(made),
        "## What is known of it",
        f"- Every fallacy is derived by the oracle (rules `{plan.settings()['rules']}`) from the facts of"
        f" its world, and every twin,"
        " those in panels included, from the facts that its own text states and from nothing else: `proofs.jsonl`.",
        f"- Tried on the way: {_counts(made.counts)}.",
        "- Words alone: the share that a naive Bayes classifier gets right when the pair is held out.",
        _cues(figures["cues"]),
        "- `python benchmarks/worlds_cues.py` repeats this with other classifiers, and with position and length.",
        *_overlap(figures["contamination"]),
        "## Files",
        _table(["file", "holds"], [[f"`{k}`", v] for k, v in _FILES.items()]),
        "## What it is not",
        "- Not a sample of how people argue: topics, lengths and wordings are those of its grammars, and"
        " stiff in places.\n"
        "- Equivocation and nominal fallacy are bounded by the words that the grammars know: two sets share"
        " the words and idioms,"
        " not the people, places and texts.\n"
        "- The twins of false cause rest on a comparison by lot: strong evidence, not a deduction.",
        f"Licence: {licence}.",
    ]
    return "\n\n".join(parts) + "\n"


def _knobs(plan: FreshPlan) -> list[list[str]]:
    """Setting, value and meaning of everything that controls difficulty."""
    chains = ", ".join(name.replace("_", " ") for name in sorted(CHAINS))
    drawn = "drawn for each text"
    return [
        ["register", plan.register or drawn, f"the kind of text: {', '.join(REGISTERS)}"],
        ["distance", drawn if plan.distance is None else str(plan.distance), "sentences before the conclusion"],
        ["depth", "as the type has it" if plan.depth is None else str(plan.depth), f"links of the chains of {chains}"],
        ["distractors", str(plan.distractors), "other matters that a single text tells of, without a conclusion"],
        ["explicitness", plan.explicitness or "as the register has it", f"of conclusions: {', '.join(EXPLICITNESS)}"],
        ["points", str(plan.points), "points of a panel, all but one sound in both texts"],
    ]


def _rewording(made: FreshSet) -> list[str]:
    """Which model reworded the set, and how many sentences were kept and refused."""
    if not made.plan.reworded_by:
        return []
    said = ", ".join(f"{n} {what}" for what, n in made.rewording.items())
    return [
        f"Reworded by `{one_line(made.plan.reworded_by, 80)}`: {said}. A sentence is kept in the model's words only if"
        " names, numbers, quoted and logical words are the same in the same order, half of the terms of its facts are"
        " still there, and the entailment model finds either entailed by the other; a pair, only if a model reads both"
        " conclusions back from it, in both orders. Everything else has the words of the grammar."
    ]


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{n} {what}" for what, n in sorted(counts.items())) or "nothing"


def _cues(cues: Mapping[str, Any]) -> str:
    rows = [
        [
            style,
            name,
            f"{v['fallacy or twin']:.3f}",
            f"{v['guessing']:.3f}",
            f"{v['type']:.3f}",
            f"{v['guessing type']:.3f}",
        ]
        for style, by_name in cues.items()
        for name, v in by_name.items()
    ]
    return _table(["style", "cues", "fallacy or twin", "guessing", "type", "guessing"], rows)


def _overlap(found: Mapping[str, Any]) -> list[str]:
    if not found["sets"]:
        return ["- Overlap with published sets: none was at hand to compare with (set `FALLAX_DATA`)."]
    known = ", ".join(f"{name} {n}" for name, n in found["sets"].items())
    runs = found["eight_words"]
    rows = [
        f"- Overlap with published sets ({sum(found['sets'].values())} texts: {known}): {found['exact']} of"
        f" {found['n']} texts"
        f" exactly; {runs['n']} share a run of eight words"
        + (f" ({', '.join(f'{k} {v}' for k, v in runs['sets'].items())})." if runs["n"] else ".")
    ]
    if found["nearest"]:
        near = found["nearest"]
        rows.append(
            f"- Nearest published text by `{near['embedder']}` (an even sample, {near['n']} against"
            f" {near['of']}): cosine"
            f" {near['mean']:.3f} in the mean, {near['highest']:.3f} at most."
        )
    else:
        rows.append("- Nearest published text by vectors: not looked for (`--embedder minilm` does).")
    return rows


def croissant(made: FreshSet, sums: Mapping[str, str], *, name: str, licence: str) -> dict[str, Any]:
    """Croissant metadata (MLCommons, version 1.0).

    Parameters
    ----------
    sums : path -> SHA-256 of the files.
    """
    styles = made.plan.styles
    return metadata.dataset(
        name,
        "Arguments that commit a known fallacy, each with a sound twin. " + made.plan.canary,
        licence=f"https://spdx.org/licenses/{licence}.html",
        files=[
            metadata.file_object(
                f"{style}-file",
                f"data/{style}.jsonl",
                encodingFormat="application/jsonlines",
                sha256=sums[f"data/{style}.jsonl"],
            )
            for style in styles
        ],
        record_sets=[
            metadata.record_set(
                style,
                (
                    metadata.field(f"{style}/{f}", name=f"{style}/{f}", source=metadata.source(f"{style}-file", f))
                    for f in _FIELDS
                ),
            )
            for style in styles
        ],
        terms=_TERMS,
        about={
            "url": "https://example.invalid/" + name,
            "version": "1.0.0",
            "datePublished": "2026-01-01",
            "citeAs": name,
        },
    )
