"""Reads and writes annotated texts and predictions; data sets; corpus statistics."""

from fallax.core.sink import open_out
from fallax.data._formats import FORMATS
from fallax.data._markdown import markdown_prose
from fallax.data._options import Format
from fallax.data._rows import Loss, Mark, Problem, RawRecord
from fallax.data._schemas import json_schema
from fallax.data.claim_review import (
    ClaimReview,
    append_claim_drafts,
    check_claim_review,
    decide_reviews,
    read_claim_review,
)
from fallax.data.claims import CLAIM_SETS, Claims, load_claims, read_claims, write_claims
from fallax.data.corpus import (
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
from fallax.data.datasets import DATASETS, Dataset, cache_folder, data_root, dataset_path, load_dataset
from fallax.data.evidence import read_evidence
from fallax.data.faithfulness import (
    FAITHFULNESS_SETS,
    iter_faithfulness,
    join_sentences,
    load_faithfulness,
)
from fallax.data.faithfulness_files import read_faithfulness
from fallax.data.fallacies import read_fallacies
from fallax.data.fetching import FetchedFile, FetchProgress, Published, fetch_dataset, published_sources
from fallax.data.labels import read_labels
from fallax.data.pairs import read_pairs
from fallax.data.posts import BenignSample, Selection, sample_benign, select_posts
from fallax.data.review import append_forms, check_review, read_review, reviewed_records
from fallax.data.review_blocks import ReviewProblem
from fallax.data.stats import CorpusStats, stats
from fallax.data.structure_sets import read_gold_structures, read_predicted_structures
from fallax.data.texts import list_texts, may_hold_several, other_files, read_texts

__all__ = [
    "CLAIM_SETS",
    "DATASETS",
    "FAITHFULNESS_SETS",
    "FORMATS",
    "BenignSample",
    "ClaimReview",
    "Claims",
    "Corpus",
    "CorpusStats",
    "Dataset",
    "FetchProgress",
    "FetchedFile",
    "Format",
    "Loss",
    "Mark",
    "Predictions",
    "Problem",
    "Published",
    "RawRecord",
    "RecordStream",
    "ReviewProblem",
    "Selection",
    "append_claim_drafts",
    "append_forms",
    "cache_folder",
    "check_claim_review",
    "check_review",
    "convert",
    "data_root",
    "dataset_path",
    "decide_reviews",
    "detect_format",
    "fetch_dataset",
    "iter_faithfulness",
    "iter_records",
    "join_sentences",
    "json_schema",
    "list_texts",
    "load_claims",
    "load_dataset",
    "load_faithfulness",
    "losses_of",
    "markdown_prose",
    "may_hold_several",
    "open_out",
    "other_files",
    "published_sources",
    "read_claim_review",
    "read_claims",
    "read_corpus",
    "read_evidence",
    "read_faithfulness",
    "read_fallacies",
    "read_gold_structures",
    "read_labels",
    "read_pairs",
    "read_predicted_structures",
    "read_predictions",
    "read_review",
    "read_texts",
    "reviewed_records",
    "sample_benign",
    "select_posts",
    "stats",
    "write_claims",
    "write_corpus",
    "write_predictions",
]
