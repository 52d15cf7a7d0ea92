"""What the page on benchmarks says of gold labels to which none of MAFALDA's labels leads."""

from fallax.core.taxonomies import load_taxonomy, map_label
from fallax.core.types import Relation

NARROWER: tuple[Relation, ...] = ("narrower",)


def unreached(target: str) -> set[str]:
    reached: set[str] = set()
    for label in load_taxonomy("mafalda").names:
        reached |= {*(map_label(label, "mafalda", target) or map_label(label, "mafalda", target, allow=NARROWER))}
    return {*load_taxonomy(target).names} - reached


def test_labels_that_no_label_of_mafalda_leads_to_are_those_that_the_page_names() -> None:
    assert unreached("logic") == {"intentional"}
    assert unreached("logicclimate") == {"intentional"}
    assert len(unreached("hong2024")) > len(load_taxonomy("hong2024").names) / 2
