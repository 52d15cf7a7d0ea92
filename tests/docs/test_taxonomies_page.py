"""The page on taxonomies says what the files say, and its examples run."""

import re
from pathlib import Path

import pytest

from fallax.core.taxonomies import list_taxonomies, load_taxonomy

PAGE = (Path(__file__).parents[2] / "docs" / "taxonomies.md").read_text(encoding="utf-8")


def cells(heading: str) -> list[list[str]]:
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def test_every_taxonomy_is_listed_with_its_number_of_labels() -> None:
    listed = {
        name: int(row[1].split()[0]) for row in cells("The taxonomies") for name in re.findall(r"`(\w+)`", row[0])
    }
    assert listed == {name: len(load_taxonomy(name).names) for name in list_taxonomies()}


def test_the_table_of_mafalda_shows_its_levels() -> None:
    shown = {label: (row[0], row[1]) for row in cells("The labels of mafalda") for label in row[2].split(", ")}
    assert shown == {label.name: label.groups for label in load_taxonomy("mafalda").labels}


def test_each_label_of_mafalda_has_the_definition_of_the_code_and_an_example() -> None:
    rows = cells("What the labels of mafalda mean")
    labels = load_taxonomy("mafalda").labels
    assert [(row[0], row[1], row[3]) for row in rows] == [(x.name, x.definition, x.sound_when) for x in labels]
    examples = [row[2] for row in rows]
    assert all(examples)
    assert len(set(examples)) == len(labels)


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL))
def test_examples_print_what_their_comments_say(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "docs/taxonomies.md", "exec"), {})
    printed = capsys.readouterr().out
    said = [c for c in re.findall(r"print\(.*\) +# (.*)", code) if c.startswith(("(", "straw", "logic"))]
    assert said
    for output in said:
        assert output in printed.splitlines()
