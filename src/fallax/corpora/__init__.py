"""Readers and writers of annotated texts and predictions; data sets for development; what is in a corpus."""

from fallax.corpora._formats import FORMATS
from fallax.corpora._options import Format
from fallax.corpora._rows import Loss, Problem
from fallax.corpora._schemas import json_schema
from fallax.corpora.corpus import (
    Corpus,
    Predictions,
    RecordStream,
    convert,
    detect_format,
    iter_records,
    losses_of,
    read_corpus,
    read_predictions,
    write_corpus,
    write_predictions,
)
from fallax.corpora.datasets import DATASETS, Dataset, cache_folder, data_root, dataset_path, find_dataset, load_dataset
from fallax.corpora.fetching import FetchedFile, FetchProgress, Published, fetch_dataset, published_sources
from fallax.corpora.stats import CorpusStats, stats
from fallax.corpora.texts import list_texts, read_texts

__all__ = [
    "DATASETS",
    "FORMATS",
    "Corpus",
    "CorpusStats",
    "Dataset",
    "FetchProgress",
    "FetchedFile",
    "Format",
    "Loss",
    "Predictions",
    "Problem",
    "Published",
    "RecordStream",
    "cache_folder",
    "convert",
    "data_root",
    "dataset_path",
    "detect_format",
    "fetch_dataset",
    "find_dataset",
    "iter_records",
    "json_schema",
    "list_texts",
    "load_dataset",
    "losses_of",
    "published_sources",
    "read_corpus",
    "read_predictions",
    "read_texts",
    "stats",
    "write_corpus",
    "write_predictions",
]
