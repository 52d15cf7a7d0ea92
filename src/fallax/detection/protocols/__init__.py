"""How a model is asked for fallacies in a text, and how its replies are read."""

from fallax.detection.protocols.base import DetectionProtocol, detect_with_model
from fallax.detection.protocols.classify import ClassifyProtocol
from fallax.detection.protocols.sentences import SentenceProtocol, SentenceReply, predict_from_replies, read_answer
from fallax.detection.protocols.slots import read_slots, slots_request
from fallax.detection.protocols.whole_document import WholeDocumentProtocol

__all__ = [
    "ClassifyProtocol",
    "DetectionProtocol",
    "SentenceProtocol",
    "SentenceReply",
    "WholeDocumentProtocol",
    "detect_with_model",
    "predict_from_replies",
    "read_answer",
    "read_slots",
    "slots_request",
]
