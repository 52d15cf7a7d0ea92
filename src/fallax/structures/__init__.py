"""Reads and writes argument structures in the formats of people, tools and models; never runs what it reads."""

from fallax.structures._entailment_bank import format_proof, parse_proof
from fallax.structures._explagraphs import format_triples
from fallax.structures._linking import fact_line, read_linking
from fallax.structures._sketch import Written, parse_verdict
from fallax.structures.formats import (
    STRUCTURE_FORMATS,
    StructureFormat,
    detect_structure_format,
    format_structure,
    parse_structure,
    read_structure,
)

__all__ = [
    "STRUCTURE_FORMATS",
    "StructureFormat",
    "Written",
    "detect_structure_format",
    "fact_line",
    "format_proof",
    "format_structure",
    "format_triples",
    "parse_proof",
    "parse_structure",
    "parse_verdict",
    "read_linking",
    "read_structure",
]
