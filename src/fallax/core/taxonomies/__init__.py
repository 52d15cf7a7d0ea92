"""Label sets (taxonomies) as data files, and crosswalks between them.

One JSON file per taxonomy under ``data/``; :func:`load_taxonomy` reads one into a
:class:`~fallax.core.types.Taxonomy` and keeps it.

Examples
--------
>>> mafalda = load_taxonomy("mafalda")
>>> len(mafalda.names), mafalda.labels_at(1)
(23, ('emotion', 'logic', 'credibility'))
>>> mafalda.resolve("Strawman")
'straw man'
>>> map_label("false_cause", "smartypat", "mafalda")
('false causality',)
"""

from fallax.core.taxonomies._crosswalk import HUB, carry_spans, crosswalk, map_label
from fallax.core.taxonomies._load import keep_taxonomy, list_taxonomies, load_taxonomy
from fallax.core.taxonomies._own import LABEL_SET_SUFFIXES, flat_taxonomy, label_set, read_taxonomy

__all__ = [
    "HUB",
    "LABEL_SET_SUFFIXES",
    "carry_spans",
    "crosswalk",
    "flat_taxonomy",
    "keep_taxonomy",
    "label_set",
    "list_taxonomies",
    "load_taxonomy",
    "map_label",
    "read_taxonomy",
]
