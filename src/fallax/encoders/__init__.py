"""Trained encoders as files: verified on load, run by onnxruntime, without torch."""

from fallax.encoders.embedder import MeanEmbedder, load_mean_embedder
from fallax.encoders.files import (
    CARD,
    FILES,
    WORDS,
    Model,
    Words,
    glanced_card,
    model_of,
    open_model,
    read_card,
    read_checked,
    shared_hash,
    shared_words,
    shipped_folder,
)

__all__ = [
    "CARD",
    "FILES",
    "WORDS",
    "MeanEmbedder",
    "Model",
    "Words",
    "glanced_card",
    "load_mean_embedder",
    "model_of",
    "open_model",
    "read_card",
    "read_checked",
    "shared_hash",
    "shared_words",
    "shipped_folder",
]
