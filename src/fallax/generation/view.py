"""Shows generated items: on a terminal, as Markdown, and as a worksheet for a class."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import Derivation, GeneratedItem
from fallax.generation.generators.wording import capitalised
from fallax.render.terminal import safe

__all__ = ["item_markdown", "item_text", "worksheet"]

#: What Markdown would take for markup.
_MARKUP = re.compile(r"([\\`*_\[\]<>|&~#])")
#: Rule -> why its conclusions follow, for twins that take no fact of their own.
_SOUND = {
    "contrapositive": "If the first always brings the second, then without the second there is no first.",
    "sense_kept": "The word has the same sense in both places.",
    "premise_true": "The premises are true, and the conclusion follows from them.",
}
#: The head of a worksheet.
_ASKED = ("# Sound, or a fallacy?", "", "Which of these arguments are sound? Which fallacy do the others commit?", "")
_ASKED_WITHOUT_TWINS = ("# Which fallacy?", "", "Each of these arguments commits a fallacy. Which one?", "")
#: Begins a page in print.
_NEW_PAGE = '<div style="page-break-before: always"></div>'


def _sentence(said: str) -> str:
    return capitalised(said) + ("" if said.endswith((".", "!", "?")) else ".")


def _markdown(text: str) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(safe(text).split()))


def _own_facts(derivation: Derivation | None, other: Derivation | None) -> str:
    """What one derivation takes from its facts and its counterpart does not; "" if facts have no truth."""
    if derivation is None:
        return ""
    shared = set() if other is None else {fact.predicate for fact in other.facts if fact.truth}
    told: list[str] = []
    of_case = ""  # how the last reading begins if it is about a named case
    for fact, said in zip(derivation.facts, derivation.readings, strict=True):
        if not (fact.truth is False or (fact.truth and other is not None and fact.predicate not in shared)):
            continue
        if of_case and said.startswith(of_case):
            told[-1] += f", and {said.removeprefix(of_case)}"
            continue
        told.append(said)
        witness = derivation.phrases.get(str(fact.args[1])) if fact.predicate == "case" else None
        of_case = f"in the case of {witness}, " if witness else ""
    return " ".join(map(_sentence, told))


@dataclass(frozen=True, slots=True)
class _Parts:
    """What is shown of an item; "" where nothing is known.

    ``wrong`` and ``sound`` say what makes the difference in this item, ``definition`` what the fallacy is in general.
    """

    name: str
    definition: str
    text: str
    wrong: str
    twin: str
    sound: str


def _parts(item: GeneratedItem) -> _Parts:
    taxonomy = load_taxonomy(item.taxonomy)
    definition = " ".join(taxonomy[label].definition for label in item.labels if label in taxonomy)
    own, other = item.derivation, None if item.sound_twin is None else item.sound_twin.derivation
    twin = "" if item.sound_twin is None else item.sound_twin.text
    sound = _own_facts(other, own) or ("" if other is None else _SOUND.get(other.rule, ""))
    return _Parts(", ".join(item.labels), definition, item.text, _own_facts(own, other), twin, sound)


def item_text(item: GeneratedItem, number: int) -> RenderableType:
    """An item for a terminal: the fallacy and its sound twin side by side, and what makes the difference.

    Parameters
    ----------
    item : a generated argument.
    number : shown before the fallacy's name.
    """
    parts = _parts(item)
    table = Table(show_edge=False, pad_edge=False, header_style="bold")
    table.add_column("fallacy", ratio=1)
    rows = [(parts.text, parts.wrong and f"Wrong: {parts.wrong}")]
    if parts.twin:
        table.add_column("sound twin", ratio=1)
        rows.append((parts.twin, parts.sound and f"Sound: {parts.sound}"))
    for cells in zip(*rows, strict=True):
        if any(cells):
            table.add_row(*(Text(safe(f"{cell}\n")) for cell in cells))
    head = Text.assemble((f"{number}. {parts.name}", "bold"), f"\n{parts.definition}\n")
    return Group(head, table)


def item_markdown(item: GeneratedItem, number: int) -> str:
    r"""An item as Markdown: a heading, the definition, and a table of two columns.

    Parameters
    ----------
    item : a generated argument.
    number : shown before the fallacy's name.

    Examples
    --------
    >>> item = GeneratedItem("a1", "Frogs croak *and* it rains.", ("False Cause",), "false_cause", "direct", 7)
    >>> print(item_markdown(item, 1))
    ## 1. False Cause
    <BLANKLINE>
    Of two things that occur together or in turn, one is taken for the cause of the other.
    <BLANKLINE>
    | fallacy |
    |---|
    | Frogs croak \*and\* it rains. |
    <BLANKLINE>
    """
    parts = _parts(item)
    columns = [("fallacy", parts.text, "Wrong", parts.wrong)]
    if parts.twin:
        columns.append(("sound twin", parts.twin, "Sound", parts.sound))
    rows = [
        [_markdown(text) for _, text, _, _ in columns],
        [f"**{word}:** {_markdown(why)}" if why else "" for _, _, word, why in columns],
    ]
    table = [[head for head, *_ in columns], ["---"] * len(columns), *(row for row in rows if any(row))]
    lines = [f"## {number}. {_markdown(parts.name)}", "", _markdown(parts.definition), ""]
    lines += ["|---" * len(row) + "|" if row[0] == "---" else f"| {' | '.join(row)} |" for row in table]
    return "\n".join(lines) + "\n"


def worksheet(items: Sequence[GeneratedItem], *, seed: int = 0) -> str:
    """A worksheet for a class as Markdown: all fallacies and twins in random order, and a key on a page of its own.

    Parameters
    ----------
    items : generated arguments.
    seed : of the order.

    Examples
    --------
    >>> item = GeneratedItem("a1", "Frogs croak, so it rains.", ("False Cause",), "false_cause", "direct", 7)
    >>> print(worksheet([item]))
    # Which fallacy?
    <BLANKLINE>
    Each of these arguments commits a fallacy. Which one?
    <BLANKLINE>
    - **False Cause**: Of two things that occur together or in turn, one is taken for the cause of the other.
    <BLANKLINE>
    ## Arguments
    <BLANKLINE>
    1. Frogs croak, so it rains.
    <BLANKLINE>
    <div style="page-break-before: always"></div>
    <BLANKLINE>
    ## Key
    <BLANKLINE>
    1. False Cause.
    <BLANKLINE>
    """
    shown = [_parts(item) for item in items]
    arguments = [(n, False) for n in range(len(shown))] + [(n, True) for n, parts in enumerate(shown) if parts.twin]
    random.Random(seed).shuffle(arguments)
    place = {argument: number for number, argument in enumerate(arguments, start=1)}
    texts, key = [], []
    for (n, is_twin), number in place.items():
        parts = shown[n]
        texts += [f"{number}. {_markdown(parts.twin if is_twin else parts.text)}", ""]
        said = f"Sound; compare {place[n, False]}." if is_twin else f"{_markdown(parts.name)}."
        key.append(f"{number}. {said} {_markdown(parts.sound if is_twin else parts.wrong)}".rstrip())
    types = {parts.name: parts.definition for parts in shown}
    lines = [
        *(_ASKED if len(arguments) > len(shown) else _ASKED_WITHOUT_TWINS),
        *(f"- **{_markdown(name)}**: {_markdown(definition)}" for name, definition in sorted(types.items())),
        "", "## Arguments", "", *texts, _NEW_PAGE, "", "## Key", "", *key,
    ]  # fmt: skip
    return "\n".join(lines) + "\n"
