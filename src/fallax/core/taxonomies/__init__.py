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
from fallax.core.taxonomies._load import list_taxonomies, load_taxonomy

__all__ = ["HUB", "carry_spans", "crosswalk", "list_taxonomies", "load_taxonomy", "map_label"]
