"""The label set of one's own in the folder of a detector."""

from __future__ import annotations

import json
from pathlib import Path

from fallax.core.taxonomies import keep_taxonomy, list_taxonomies, load_taxonomy, read_taxonomy

__all__ = ["LABELS", "keep_labels_of", "write_labels"]

#: The file, within the detector's folder, of a label set that does not ship.
LABELS = "labels.json"


def write_labels(folder: Path, taxonomy: str) -> None:
    """Write the label set into a detector's folder, unless it ships."""
    (folder / LABELS).unlink(missing_ok=True)
    if taxonomy not in list_taxonomies():
        text = json.dumps(load_taxonomy(taxonomy).to_dict(), indent=2, ensure_ascii=False)
        (folder / LABELS).write_text(text + "\n", encoding="utf-8")


def keep_labels_of(folder: Path) -> None:
    """Make the label set in a detector's folder known by its name, where there is one.

    Raises
    ------
    InputError
        If it cannot be read, or another set has its name.
    """
    if (folder / LABELS).is_file():
        keep_taxonomy(read_taxonomy(folder / LABELS))
