"""Text tools: sentences with offsets, conclusions, quote search, delimiters, similarity."""

from fallax.core.texts.blocks import Block, BlockKind, blocks_of
from fallax.core.texts.cues import alternatives_of, conclusion_of, reported_claim_of
from fallax.core.texts.delimiters import BLANK, fence
from fallax.core.texts.headings import PARAGRAPH, greeting_end, headings_in, is_heading, is_name, only_leads
from fallax.core.texts.language import LANGUAGES, language_of
from fallax.core.texts.lines import ITEM, TURN, behind_item
from fallax.core.texts.locate import Located, locate_quote
from fallax.core.texts.markup import MARKUPS, prose_of, unmarked
from fallax.core.texts.normal import MARKS, composed, hidden_in, normal_form, without_hidden
from fallax.core.texts.notices import told_edits, told_lines
from fallax.core.texts.ranking import EMBEDDERS, Bm25, Embedder, TfIdf, content_words, cosines, load_embedder
from fallax.core.texts.reported import QUOTE_TAG, is_reported, reported_sentences
from fallax.core.texts.segment import has_words, sentence_spans, whole_characters, worded_spans
from fallax.core.texts.turns import behind_speaker, speakers_of
from fallax.core.texts.words import plain_text, plain_words

__all__ = [
    "BLANK",
    "EMBEDDERS",
    "ITEM",
    "LANGUAGES",
    "MARKS",
    "MARKUPS",
    "PARAGRAPH",
    "QUOTE_TAG",
    "TURN",
    "Block",
    "BlockKind",
    "Bm25",
    "Embedder",
    "Located",
    "TfIdf",
    "alternatives_of",
    "behind_item",
    "behind_speaker",
    "blocks_of",
    "composed",
    "conclusion_of",
    "content_words",
    "cosines",
    "fence",
    "greeting_end",
    "has_words",
    "headings_in",
    "hidden_in",
    "is_heading",
    "is_name",
    "is_reported",
    "language_of",
    "load_embedder",
    "locate_quote",
    "normal_form",
    "only_leads",
    "plain_text",
    "plain_words",
    "prose_of",
    "reported_claim_of",
    "reported_sentences",
    "sentence_spans",
    "speakers_of",
    "told_edits",
    "told_lines",
    "unmarked",
    "whole_characters",
    "without_hidden",
    "worded_spans",
]
