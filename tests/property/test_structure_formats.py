"""Every format of argument structures: what it can say comes back, what it cannot is listed, other text is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fallax.core.types import ArgumentStructure, Statement, StructureReading
from fallax.errors import FormatError
from fallax.structures import STRUCTURE_FORMATS, detect_structure_format, format_structure, parse_structure
from tests.support.structures import content, drawing, plain_names, plain_texts, structures

#: Formats whose nodes are their texts: two nodes with one text are one node.
MERGES = {"explagraphs"}
Drawn = tuple[ArgumentStructure, tuple[Statement, ...]]


@pytest.mark.parametrize("name", STRUCTURE_FORMATS)
@given(structures(), st.sampled_from(("", "supports", "refutes", "nei")))
@settings(max_examples=50)
def test_a_structure_comes_back_or_its_losses_are_listed(name: str, drawn: Drawn, label: str) -> None:
    structure, unused = drawn
    written = format_structure(structure, format=name, unused=unused, label=label)
    read = parse_structure(written.text, format=name)
    if name in MERGES and written.losses:
        return
    assert read.structure is not None
    if name not in MERGES:
        assert drawing(read.structure) == drawing(structure)
    if not written.losses:
        assert content(read.structure) == content(structure)
        assert set(read.unused) == set(unused)
        assert read.label == label


@pytest.mark.parametrize("name", [n for n in STRUCTURE_FORMATS if n not in ("explagraphs", "entailment_bank")])
@given(structures(plain_names, plain_texts, st.just("")))
@settings(max_examples=20)
def test_plain_structures_lose_nothing_but_what_the_page_says(name: str, drawn: Drawn) -> None:
    structure, unused = drawn
    written = format_structure(structure, format=name, unused=unused)
    known = ("that it is the claim", "no node is the claim", "its conclusions belong together", "written as Claim")
    assert all(any(k in loss for k in known) for loss in written.losses)
    read = parse_structure(written.text, format=name).structure
    assert read is not None
    assert set(read.pairs) == set(structure.pairs) or "written as Claim" in " ".join(written.losses)


def read_or_refused(text: str, format: str | None) -> str:
    """What came out, in words: never empty, and no other error than ours."""
    try:
        read = parse_structure(text, format=format)
    except FormatError as error:
        return str(error)
    return read.reason or repr(read.structure)


@pytest.mark.parametrize("name", STRUCTURE_FORMATS)
@given(structures(), st.data())
@settings(max_examples=20)
def test_damaged_files_are_read_or_refused_with_a_reason(name: str, drawn: Drawn, data: st.DataObject) -> None:
    text = format_structure(drawn[0], format=name).text
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 20)))
    damaged = (
        text[:start]
        + data.draw(st.text(max_size=4) | st.sampled_from(("{", "}", '"', "->", "]", "&", "<")))
        + text[end:]
    )
    assert read_or_refused(damaged, name)


@pytest.mark.parametrize("name", STRUCTURE_FORMATS)
@given(st.text(max_size=80))
@settings(max_examples=20)
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    assert read_or_refused(text, name)
    assert read_or_refused(text, None)


@pytest.mark.parametrize("name", STRUCTURE_FORMATS)
@given(structures(plain_names, plain_texts, st.just("")))
@settings(max_examples=20)
def test_what_is_written_is_told_by_its_content(name: str, drawn: Drawn) -> None:
    assert detect_structure_format(format_structure(drawn[0], format=name).text) == name


@given(structures())
def test_json_and_the_reading_of_it_lose_nothing(drawn: Drawn) -> None:
    structure, unused = drawn
    assert ArgumentStructure.from_dict(structure.to_dict()) == structure
    reading = StructureReading(structure, "nei", unused, ("a note",))
    assert StructureReading.from_dict(reading.to_dict()) == reading
