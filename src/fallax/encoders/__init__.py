"""Trained encoders as files: checked on load, run by onnxruntime, without torch."""

from fallax.encoders.embedder import MeanEmbedder, load_mean_embedder
from fallax.encoders.files import CARD, FILES, Model, open_model, read_card, read_checked

__all__ = ["CARD", "FILES", "MeanEmbedder", "Model", "load_mean_embedder", "open_model", "read_card", "read_checked"]
