"""Protocols for finding fallacies with a model: prompts, and reading of replies."""

from collections.abc import Callable

from fallax.core.registry import Option, Registry, registry
from fallax.detection.protocols.base import DetectionProtocol, detect_with_model
from fallax.detection.protocols.classify import ClassifyProtocol
from fallax.detection.protocols.sentences import SentenceProtocol, SentenceReply, predict_from_replies, read_answer
from fallax.detection.protocols.slots import read_slots, slots_request
from fallax.detection.protocols.whole_document import WholeDocumentProtocol

__all__ = [
    "PROTOCOLS",
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

#: How a model is asked: name -> what makes the protocol, given a taxonomy and options.
PROTOCOLS: Registry[Callable[..., DetectionProtocol]] = registry("protocol")
_MAX_TOKENS = Option("max_tokens", "whole number", "maximum tokens of a reply")
PROTOCOLS.add(
    "sentence",
    SentenceProtocol,
    about="each sentence in its text, as MAFALDA asks; consecutive sentences of one label form a span",
    options=(_MAX_TOKENS,),
)
PROTOCOLS.add(
    "whole-document",
    WholeDocumentProtocol,
    about="the whole text once; the model quotes passages, which are located in it",
    options=(_MAX_TOKENS,),
)
