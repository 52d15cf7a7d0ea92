"""Every label that occurs in a data set resolves in the set's taxonomy (needs the data folder)."""

import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fallax.core.taxonomies import load_taxonomy


@pytest.fixture(scope="module")
def data() -> Path:
    folder = os.environ.get("FALLAX_DATA")
    if not folder:
        pytest.skip("FALLAX_DATA is not set")
    return Path(folder)


def jsonl(*paths: Path) -> Iterator[dict[str, Any]]:
    for path in paths:
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines)


def rows(*paths: Path) -> Iterator[dict[str, str]]:
    for path in paths:
        with path.open(encoding="utf-8", newline="") as lines:
            yield from csv.DictReader(lines)


def column(paths: Iterable[Path], index: int, delimiter: str) -> Iterator[str]:
    for path in paths:
        with path.open(encoding="utf-8", newline="") as lines:
            yield from (row[index] for row in csv.reader(lines, delimiter=delimiter) if row)


def mafalda(d: Path) -> Iterable[str]:
    return (name for record in jsonl(d / "gold.jsonl") for _, _, name in record["labels"])


def logic(d: Path) -> Iterable[str]:
    return (r["label"] for r in jsonl(d / "train.jsonl", d / "dev.jsonl"))


def reddit(d: Path) -> Iterable[str]:
    return (r["fallacy_class"] for r in jsonl(d / "annotated.jsonl", d / "negative_samples.jsonl"))


def touche(d: Path) -> Iterable[str]:
    return (r[key] for r in jsonl(d / "train.jsonl") for key in ("fallacy_type", "resembles_fallacy") if r[key])


def argotario(d: Path) -> Iterable[str]:
    return (r[key] for r in rows(d / "arguments_en.csv") for key in ("Intended Fallacy", "Voted Fallacy"))


def cocolofa(d: Path) -> Iterable[str]:
    articles = json.loads((d / "dev.json").read_text(encoding="utf-8"))
    return (comment["fallacy"] for article in articles for comment in article["comments"])


def flicc(d: Path) -> Iterable[str]:
    return (r["label"] for r in rows(d / "fallacy_train.csv", d / "fallacy_val.csv"))


def missci(d: Path) -> Iterable[str]:
    steps = (x for r in jsonl(d / "dev.missci.jsonl", d / "dev.missciplus.jsonl") for x in r["argument"]["fallacies"])
    return (choice["class"] for step in steps for choice in step["interchangeable_fallacies"])


def elecdeb(d: Path) -> Iterable[str]:
    tags = (tag for r in jsonl(d / "train.jsonl", d / "dev.jsonl") for tag in r["tags"])
    return (tag.removeprefix("B-").removeprefix("I-") for tag in tags)


def lfud(d: Path) -> Iterable[str]:
    return (r["fallacy_type"] for r in rows(d / "lfud_sentences.csv"))


def hong(d: Path) -> Iterable[str]:
    taxonomy = json.loads((d / "fallacy_taxonomy.json").read_text(encoding="utf-8"))
    return [*taxonomy["all"], *(r["fallacy"] for r in jsonl(d / "step_fallacy_shared.jsonl"))]


def memes(d: Path) -> Iterable[str]:
    listed = (d / "techniques_list_task1-2.txt").read_text(encoding="utf-8").splitlines()
    spans = json.loads((d / "training_set_task2.txt").read_text(encoding="utf-8"))
    return [*(name.strip() for name in listed), *(span["technique"] for r in spans for span in r["labels"])]


def ptc19(d: Path) -> Iterable[str]:
    names = (d / "scorer_samples" / "propaganda-techniques-names.txt").read_text(encoding="utf-8").split()
    return [*names, *column(sorted((d / "labels-FLC").iterdir()), 1, "\t")]


def ptc20(d: Path) -> Iterable[str]:
    return column(sorted((d / "labels").glob("*task2-TC.labels")), 1, "\t")


def smartypat(d: Path) -> Iterable[str]:
    gold = column([d / "SmartyPat_label.csv", d / "SmartyPat_augmented_label.csv"], 2, ",")
    return (part for cell in gold for part in cell.split(","))


def madisse(d: Path) -> Iterable[str]:
    single = (r["sub-category"] for r in jsonl(d / "summary_sentences.jsonl"))
    return (part for cell in single for part in cell.split("/"))


READERS: dict[str, tuple[str, Callable[[Path], Iterable[str]]]] = {
    "mafalda": ("mafalda_dev", mafalda),
    "logic": ("logic", logic),
    "logicclimate": ("logicclimate", logic),
    "reddit": ("reddit_informal_fallacies", reddit),
    "touche26": ("touche26_fallacy", touche),
    "argotario": ("argotario", argotario),
    "cocolofa": ("cocolofa", cocolofa),
    "flicc": ("flicc", flicc),
    "missci": ("missci", missci),
    "elecdeb": ("elecdeb60to20_fallacy", elecdeb),
    "alhindi": ("alhindi_climate_covid", logic),
    "lfud": ("lfud", lfud),
    "hong2024": ("fallacies_hong2024", hong),
    "semeval2021_task6": ("semeval2021_task6", memes),
    "propaganda18": ("ptc_nlp4if2019", ptc19),
    "propaganda14": ("ptc_semeval2020", ptc20),
    "smartypat": ("smartypat_dev", smartypat),
    "ambiguity": ("madisse_tofueval_meetingbank", madisse),
}

#: What the files write where there is no label: negative classes, undecided votes, MAFALDA's own two marks.
NO_LABEL = {"", "-", "O", "none", "No Fallacy", "nothing", "to clean"}

#: Sets whose files hold every label of the taxonomy, in its spelling; the files of the others are halves or samples.
COMPLETE = sorted(READERS.keys() - {"ambiguity", "mafalda", "smartypat"})


def occurring(name: str, data: Path) -> set[str]:
    folder, read = READERS[name]
    if not (data / folder).is_dir():
        pytest.skip(f"{folder} is not in FALLAX_DATA")
    return {label.strip() for label in read(data / folder)} - NO_LABEL


@pytest.mark.parametrize("name", sorted(READERS))
def test_every_label_of_the_data_resolves(name: str, data: Path) -> None:
    labels = occurring(name, data)
    assert labels
    taxonomy = load_taxonomy(name)
    assert {taxonomy.resolve(label) for label in labels} <= set(taxonomy.names)


@pytest.mark.parametrize("name", COMPLETE)
def test_the_taxonomy_has_the_labels_of_the_data_as_they_are_spelled(name: str, data: Path) -> None:
    assert occurring(name, data) == set(load_taxonomy(name).names)
