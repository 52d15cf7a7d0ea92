"""The public data sets that fallax reads, with their sources and what they may be used for.

None of them is part of the package: they are read from a folder that ``FALLAX_DATA`` names, or from the cache.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from fallax.core.registry import Registry, registry
from fallax.core.types import Taxonomy
from fallax.core.whole import read_whole_toml
from fallax.data._dataset_readers import READERS
from fallax.data._options import Options
from fallax.data._rows import Builder, RawRecord
from fallax.data._source import Source
from fallax.data.corpus import Corpus
from fallax.errors import InputError, UnknownNameError

__all__ = [
    "DATASETS",
    "Dataset",
    "MayTrain",
    "cache_folder",
    "data_root",
    "dataset_path",
    "folder_of",
    "load_dataset",
    "size_of",
]

#: "shipped": weights trained on it may be given away, with attribution; "research": it may be used to develop and
#: test, and weights trained on it stay where they are; "never": test only.
MayTrain = Literal["shipped", "research", "never"]


@dataclass(frozen=True, slots=True)
class Dataset:
    """One data set.

    Parameters
    ----------
    name : as :func:`load_dataset` takes it.
    title : for people.
    folders : the names its folder may have.
    splits : split -> files or folders that hold it; the first split is the default.
    taxonomy : the label set of :mod:`fallax.core.taxonomies` that its labels belong to, "" where it has none.
    granularity : "span" where passages are marked, "claim" for claims with evidence, else "text".
    licence, may_train : what the licence is, and what may be trained on the set.
    source : where to get it.
    notes : what to know before using a number that comes from it.
    format : a name of :data:`fallax.data.FORMATS` that reads its files; "" for sets with a reader of their own.
    test : the files of the published test split, read as the split ``test``. It is no part of ``all``, nothing here is
        trained or tuned on it, and it may be absent.
    """

    name: str
    title: str
    folders: tuple[str, ...]
    splits: Mapping[str, tuple[str, ...]] = field(hash=False)
    taxonomy: str
    granularity: Literal["span", "text", "claim"]
    licence: str
    may_train: MayTrain
    source: str
    notes: str = ""
    format: str = ""
    test: tuple[str, ...] = ()

    @property
    def readable(self) -> Mapping[str, tuple[str, ...]]:
        """Split -> files, the test split included."""
        return {**self.splits, **({"test": self.test} if self.test else {})}

    @classmethod
    def from_toml(cls, path: str | Path) -> Dataset:
        """Read a data set's TOML file: the fields of this class, splits as a table.

        Raises
        ------
        InputError
            If the file cannot be read, or a field is missing, unknown or of another type.
        """
        from pydantic import TypeAdapter, ValidationError

        from fallax.core.json_value import invalid_reason

        try:
            return TypeAdapter(cls).validate_python(read_whole_toml(path))
        except ValidationError as error:
            raise InputError(f"{path}: {invalid_reason(error)}") from None

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "name": self.name,
            "title": self.title,
            "splits": list(self.readable),
            "taxonomy": self.taxonomy,
            "granularity": self.granularity,
            "licence": self.licence,
            "may_train": self.may_train,
            "source": self.source,
            "notes": self.notes,
        }


_NONE = "none stated"
_PTC = "none stated; the articles belong to their publishers"
_TEST = ("test.jsonl",)
_TRAIN_DEV = {"dev": ("dev.jsonl",), "train": ("train.jsonl",)}

#: name -> data set.
DATASETS: Registry[Dataset] = registry("data set")
# fmt: off
for _one in (
    Dataset(
        "mafalda", "MAFALDA gold standard", ("mafalda_dev", "mafalda"),
        {
            "dev": ("gold.jsonl",),
            "user_study": ("user_study/examples_with_labels.jsonl",),
            **{f"user{n}": (f"user_study/user{n}.jsonl",) for n in (1, 2, 4, 5)},
        },
        "mafalda", "span", "CC BY-SA 4.0", "never", "github.com/ChadiHelwe/MAFALDA",
        "Alternatives per passage. For tests and for choosing a threshold only. Splits user1 to user5: what four"
        " people said of the texts of user_study, with ids of their own.",
    ),
    Dataset(
        "logic", "LOGIC", ("logic",), _TRAIN_DEV, "logic", "text", _NONE, "research",
        "github.com/causalNLP/logical-fallacy", "Every text is fallacious; one of 13 coarse labels.",
        test=_TEST,
    ),
    Dataset(
        "logicclimate", "LogicClimate", ("logicclimate",), _TRAIN_DEV, "logicclimate", "text", _NONE, "research",
        "github.com/causalNLP/logical-fallacy",
        "Every text is fallacious; a text may stand in several rows with different labels; spaces stand before"
        " punctuation; rows without text are kept out.",
        test=_TEST,
    ),
    Dataset(
        "reddit_informal_fallacies", "Reddit informal fallacies", ("reddit_informal_fallacies",),
        {
            "dev": ("annotated.jsonl",),
            "train": ("annotated.jsonl",),
            "negative_dev": ("negative_samples.jsonl",),
            "negative_train": ("negative_samples.jsonl",),
        },
        "reddit", "span", "MIT", "shipped", "github.com/sahaisaumya/informal_fallacies",
        "Each comment was asked for one fallacy (meta 'asked'). Where it was not found the text is not annotated"
        " (gold None): others were not looked for. A passage that cannot be found again labels the whole comment.",
        test=("annotated.jsonl",),
    ),
    Dataset(
        "argotario", "Argotario", ("argotario",), {"dev": ("arguments_en.csv",)}, "argotario", "text", "CC0",
        "shipped", "github.com/UKPLab/argotario",
        "Gold is what the votes agree on, None where they do not; meta 'intended' is what the author meant.",
    ),
    Dataset(
        "cocolofa", "CoCoLoFa", ("cocolofa",), {"dev": ("dev.json",)}, "cocolofa", "text", _NONE, "research",
        "github.com/Crowd-AI-Lab/cocolofa", "Comments that crowd workers wrote with help of a language model.",
        test=("test.json",),
    ),
    Dataset(
        "flicc", "FLICC", ("flicc",), {"dev": ("fallacy_val.csv",), "train": ("fallacy_train.csv",)}, "flicc",
        "text", "MIT", "shipped", "github.com/fzanart/FLICC", "Every text is fallacious; climate only.",
        test=("fallacy_test.csv",),
    ),
    Dataset(
        "missci", "Missci", ("missci",), {"dev": ("dev.missci.jsonl",)}, "missci", "text", "Apache-2.0", "shipped",
        "github.com/UKPLab/acl2024-missci",
        "One record per fallacious step; its classes are alternatives. 30 arguments: too few to train on.",
        test=("test.missci.jsonl",),
    ),
    Dataset(
        "elecdeb60to20_fallacy", "ElecDeb60to20 fallacies", ("elecdeb60to20_fallacy",), _TRAIN_DEV, "elecdeb",
        "span", "CC BY-NC-SA 4.0", "research", "github.com/pierpaologoffredo/FallacyDetection",
        "Windows of debates; every window holds a fallacy; windows of one debate overlap.",
        test=_TEST,
    ),
    Dataset(
        "alhindi_climate_covid", "Climate and Covid fallacies", ("alhindi_climate_covid",), _TRAIN_DEV, "alhindi",
        "text", _NONE, "research", "github.com/Tariq60/fallacy-detection",
        "Shares sentences with logicclimate and flicc.",
        test=_TEST,
    ),
    Dataset(
        "fallacies_hong2024", "FALLACIES", ("fallacies_hong2024",), {"dev": ("step_fallacy_shared.jsonl",)},
        "hong2024", "text", "CC BY-NC-SA 4.0", "research", "github.com/aimfeld/fallacy-detection",
        "Fallacious and sound sentences in pairs, written by a language model.",
    ),
    Dataset(
        "lfud", "LFUD", ("lfud",), {"dev": ("lfud_sentences.csv",)}, "lfud", "text", _NONE, "research",
        "github.com/YandaGo/LFUD", "Every sentence is fallacious; written by a language model to a pattern.",
    ),
    Dataset(
        "ptc_nlp4if2019", "Propaganda Techniques Corpus, NLP4IF 2019", ("ptc_nlp4if2019",),
        {"dev": ("labels-FLC", "articles")}, "propaganda18", "span", _PTC, "research",
        "propaganda.qcri.org/nlp4if-shared-task",
        "18 techniques. Three gold spans run past the end of their article: they are kept out and listed. Articles"
        " repeat nearly; group them before splitting.",
    ),
    Dataset(
        "ptc_semeval2020", "Propaganda Techniques Corpus, SemEval 2020 task 11", ("ptc_semeval2020",),
        {"dev": ("labels", "articles")}, "propaganda14", "span", _PTC, "research",
        "propaganda.qcri.org/semeval2020-task11", "14 techniques.",
    ),
    Dataset(
        "semeval2021_task6", "SemEval 2021 task 6 (memes)", ("semeval2021_task6",),
        {"dev": ("dev_set_task2.txt",), "train": ("training_set_task2.txt",)}, "semeval2021_task6", "span",
        "free for research", "research", "github.com/di-dimitrov/SEMEVAL-2021-task6-corpus", "20 techniques.",
        test=("test_set_task2.txt",),
    ),
    Dataset(
        "touche26_fallacy", "Touché 2026 fallacy detection", ("touche26_fallacy",), {"train": ("train.jsonl",)},
        "touche26", "text", "terms of the Touché lab", "research", "zenodo.org/records/19925569",
        "Texts of reddit_informal_fallacies, annotated again, with near misses (meta 'resembles_fallacy').",
    ),
    Dataset(
        "smartypat", "SmartyPat-Bench", ("smartypat_dev", "smartypat"),
        {
            "posts": ("SmartyPat_label.csv",),
            "augmented": ("SmartyPat_augmented_label.csv",),
            "benign": ("SmartyPat_logic_sound.csv",),
        },
        "smartypat", "text", _NONE, "research", "github.com/ltroin/Smarty",
        "All labels of a post hold. Benign sentences are mostly no arguments: a weak test of false positives.",
    ),
    Dataset(
        "wikitext2", "WikiText-2", ("wikitext2",), {"dev": ("valid.txt",)}, "", "text", "CC BY-SA 3.0", "shipped",
        "github.com/pytorch/examples (word_language_model/data/wikitext-2)",
        "Ordinary text, not annotated; for counting false alarms. Rare words are <unk>.",
    ),
):
    DATASETS.add(_one.name, _one, about=_one.title)
# fmt: on


def cache_folder() -> Path:
    """The folder in the user's cache for downloaded data sets."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "fallax" / "data"


def data_root(root: str | Path | None = None) -> Path:
    """The folder of the data sets: ``root``, else the environment variable FALLAX_DATA, else the user's cache."""
    return _roots(root)[0]


def _roots(root: str | Path | None) -> list[Path]:
    """The folders where data sets are looked for, in order."""
    if root is not None:
        return [Path(root)]
    given = os.environ.get("FALLAX_DATA")
    return [*([Path(given)] if given else []), cache_folder()]


def _dataset(name: str) -> Dataset:
    for found in DATASETS.values():
        if name == found.name or name in found.folders:
            return found
    raise UnknownNameError("data set", name, DATASETS)


def dataset_path(name: str, *, root: str | Path | None = None) -> Path:
    """The folder of one data set.

    Parameters
    ----------
    name : of the data set.
    root : the folder that holds it; by default FALLAX_DATA, then the cache, where ``fallax data fetch`` puts it.

    Raises
    ------
    UnknownNameError
        If there is no data set of that name.
    InputError
        If it is not there; the message says where to get it.
    """
    return folder_of(_dataset(name), root=root)


def folder_of(info: Dataset, *, root: str | Path | None = None) -> Path:
    """The folder of a set, or an InputError that says where to get it."""
    roots = _roots(root)
    for base in roots:
        for folder in info.folders:
            if (base / folder).is_dir():
                return base / folder
    from fallax.data.fetching import published_sources  # which reads data sets

    published = published_sources()[info.name]
    get = f"fallax data fetch {info.name} gets it" if published.files else f"it is made by hand: {published.by_hand}"
    raise InputError(
        f"data set {info.name!r}: must be in {roots[0] / info.folders[0]}, got nothing there; set FALLAX_DATA to the"
        f" folder that holds the sets; {get} (from {info.source})"
    )


def size_of(info: Dataset, *, root: str | Path | None = None) -> int:
    """The total size in bytes of the local files of a data set."""
    folder = folder_of(info, root=root)
    paths = {folder / file for files in info.splits.values() for file in files}
    files = {f for path in paths for f in (path.rglob("*") if path.is_dir() else [path]) if f.is_file()}
    return sum(f.stat().st_size for f in files)


def load_dataset(
    name: str,
    *,
    split: str | None = None,
    root: str | Path | None = None,
    folder: str | Path | None = None,
    taxonomy: str | Taxonomy | None = None,
    natural: bool = True,
) -> Corpus:
    """Read one split of a data set.

    Parameters
    ----------
    name : a name of ``DATASETS``.
    split : one of its splits, ``"all"`` of them but the test split, or ``"test"``, the published test split, where the
        set has one. By default the first one (``dev`` in most).
    root : the folder that holds the data sets; by default FALLAX_DATA, else the cache.
    folder : the folder with the files of this set, whatever it is called; then ``root`` is not looked at.
    taxonomy : labels are given its spelling; by default they stay in the set's own.
    natural : undo marks that only the file has: the tokenisation of ``wikitext2``, the brackets of
        ``fallacies_hong2024``. False gives the text as the file has it.

    Returns
    -------
    Corpus
        A label without a passage stands on the whole text, with ``meta["granularity"] = "text"``. Spans that cannot
        be used are kept out and listed in ``problems``, never moved. Where several labels of one passage hold
        together and are no alternatives, ``meta["same_span"]`` is ``"all"``.

    Raises
    ------
    UnknownNameError
        If there is no such data set or split.
    InputError
        If its files are not there.
    """
    info = _dataset(name)
    folder = dataset_path(name, root=root) if folder is None else Path(folder)
    wanted = tuple(info.splits) if split == "all" else (split or next(iter(info.splits)),)
    if isinstance(taxonomy, str):
        from fallax.core.taxonomies import load_taxonomy  # loaded only where labels are to be resolved

        taxonomy = load_taxonomy(taxonomy)
    builder = Builder(
        str(folder), taxonomy=taxonomy, on_bad_span="report", not_labels=frozenset({"to clean"}), own=False
    )
    records = []
    seen: Counter[str] = Counter()
    for one in wanted:
        if one not in info.readable:
            raise UnknownNameError("split", one, [*info.readable, "all"], where=f"data set {info.name!r}")
        for row in _rows(info, folder, one, natural):
            if not row.text.strip():
                builder.report(row, "no-text", f"record {row.id!r}: must have a text, got none", kept=False)
                continue
            seen[row.id] += 1
            if seen[row.id] > 1:  # some sets judge one text several times
                row.id = f"{row.id}#{seen[row.id]}"
            row.meta = {**row.meta, "split": one} if len(wanted) > 1 else row.meta
            records.append(builder.record(row))
    return Corpus(tuple(records), str(folder), info.name, tuple(builder.problems))


def _rows(info: Dataset, folder: Path, split: str, natural: bool) -> Iterator[RawRecord]:
    paths = tuple(folder / p for p in info.readable[split])
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: must be a part of {info.name!r}, got nothing there; get it from {info.source}")
    name = split.removeprefix("negative_")
    for row in _read(info, paths, name, natural):
        row.path = row.path or str(paths[0])
        yield row


def _read(info: Dataset, paths: tuple[Path, ...], split: str, natural: bool) -> Iterator[RawRecord]:
    if not info.format:
        yield from READERS[info.name](paths, split, natural)
        return
    from fallax.data._formats import FORMATS

    for path in paths:
        yield from FORMATS.find(info.format, where=f"data set {info.name!r}").rows(Source(path), Options())
