"""Write DATASETS.md from the registry of data sets and FALLAX_DATA: python scripts/write_datasets_page.py"""

from __future__ import annotations

import hashlib
from pathlib import Path

from fallax.data import CLAIM_SETS, DATASETS, FAITHFULNESS_SETS, Dataset, published_sources
from fallax.data.datasets import folder_of
from fallax.errors import InputError

PAGE = Path(__file__).parents[1] / "DATASETS.md"
MEANING = {
    "shipped": "may train weights that are given away, with attribution",
    "research": "may be used to develop and test; weights trained on it must not be given away",
    "never": "test only: never used for training, at most for choosing a threshold",
}


def files_of(dataset: Dataset) -> list[tuple[str, str]]:
    """Name and SHA-256 of each file that the splits of a set name; a folder counts as its files together."""
    try:
        folder = folder_of(dataset)
    except InputError:
        return []  # not everybody may have every set
    found = []
    for name in dict.fromkeys(n for names in dataset.splits.values() for n in names):
        path = folder / name
        if not path.exists():
            continue
        paths = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        digest = hashlib.sha256()
        for p in paths:
            digest.update(p.read_bytes())
        found.append((name + ("/" if path.is_dir() else ""), digest.hexdigest()))
    return found


def fetch_of(dataset: Dataset) -> str:
    """What ``fallax data fetch`` does for a set."""
    published = published_sources()[dataset.name]
    if not published.files:
        return f"by hand: {published.by_hand}"
    known = "checksums pinned" if all(f.sha256 for f in published.files) else "trusted on first use"
    size = "" if published.size is None else f", {published.size:,} bytes"
    return f"{len(published.files)} files, {known}{size}{f'; {published.note}' if published.note else ''}".replace(
        "1 files", "1 file"
    )


def about_texts() -> list[str]:
    """The folders of ``data`` whose lines are about texts that are read from FALLAX_DATA."""
    readmes = sorted((PAGE.parent / "data").glob("*/README.md"))
    return [f"`{p.parent.name}`" for p in readmes if "the texts stay in their sets" in p.read_text(encoding="utf-8")]


def _and(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def page() -> str:
    """The whole page."""
    sets = list({**DATASETS, **CLAIM_SETS, **FAITHFULNESS_SETS}.values())
    lines = [
        "# Data sets",
        "",
        "None of these is part of fallax or of its repository. They are read from the folder that `FALLAX_DATA`",
        "names (a folder per set); `fallax data list` says which are there.",
        "",
        "What is in the repository was written for this project: the folders of `data` and `examples`, Apache-2.0 like",
        f"the code. {_and(about_texts())} of `data` are about texts by people. They hold only",
        "marks, sentences and statements, each with the id of its text and where it stands in it. The texts themselves",
        "are not there: they are read from `FALLAX_DATA`, under the licences of their sets. From others are a part of",
        "WordNet 3.0, `src/fallax/core/texts/wordnet.txt.gz` (WordNet licence), and the encoder that the weights began",
        "as, all-MiniLM-L6-v2 (Apache-2.0).",
        "",
        "| set | licence | may train | source |",
        "|---|---|---|---|",
        *(f"| `{d.name}` {d.title} | {d.licence} | {d.may_train} | {d.source} |" for d in sets),
        "",
        *(f"- **{name}**: {meaning}." for name, meaning in MEANING.items()),
        "",
        "## How to get each set",
        "",
        "`fallax data fetch NAME` downloads a set from its publisher, at a fixed commit."
        " *Trusted on first use*: we have",
        "only a part of the published file, so its checksum is not known in advance. The first download records it",
        "with the size beside the data (`fetched.json`), and later downloads must match.",
        "",
        "| set | fetch |",
        "|---|---|",
        *(f"| `{d.name}` | {fetch_of(d)} |" for d in sets),
        "",
        "## What is trained on what",
        "",
        "The shipped weights are trained only on the folders of `data` and on sets marked *shipped*. The card of each",
        "detector (`fallax.detection.systems.load_detector().card()`) names its training data.",
        "",
        "## Checksums",
        "",
        "SHA-256 of the files that fallax is developed and tested with. Most are development splits, so the complete",
        "published file has another checksum.",
        "",
        "| set | file | SHA-256 |",
        "|---|---|---|",
        *(f"| `{d.name}` | {name} | `{digest}` |" for d in sets for name, digest in files_of(d)),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
