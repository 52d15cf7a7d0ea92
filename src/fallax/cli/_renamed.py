"""Accepts options by their names in earlier releases, with a note."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from fallax.cli._terminal import note

__all__ = ["new_name", "old_names", "option_names", "rename_words"]

#: What ``--output`` took when it named the form and not the file.
_FORMS = frozenset({"text", "table", "json", "jsonl", "doccano", "html", "markdown", "latex", "sarif"})
#: Options of what answers: old name -> the new ones; a command has one of them.
_ROLES: Mapping[str, tuple[str, ...]] = {
    "detector": ("system",),
    "local-judge": ("system",),
    "baseline": ("system",),
    "judge": ("rater-model", "checker-model"),
    "system": ("system-message",),
}
#: Names that were given up, or whose meaning changed.
_OLD = ("out", "output", "format", "to", *_ROLES)


def option_names(command: Any) -> frozenset[str]:
    """The long options of a command, without their dashes."""
    return frozenset(o[2:] for p in command.params for o in (*p.opts, *p.secondary_opts) if o.startswith("--"))


def new_name(options: Collection[str], option: str, value: object) -> str:
    """The current name of an option.

    Parameters
    ----------
    options : those of the command, without dashes.
    option, value : as they were given.

    Examples
    --------
    >>> new_name({"format", "output"}, "output", "html"), new_name({"format", "output"}, "output", "page.html")
    ('format', 'output')
    >>> new_name({"format", "output"}, "out", "page.html"), new_name({"from", "to"}, "format", "conll")
    ('output', 'from')
    >>> new_name({"system"}, "detector", "linear"), new_name({"baseline"}, "baseline", "run-a")
    ('system', 'baseline')
    """
    if option == "output" and "format" in options and value in _FORMS:
        return "format"
    if option == "format" and "from" in options and value not in _FORMS:
        return "from"
    if option in ("out", "to") and option not in options and "output" in options:
        return "output"
    if option in _ROLES and option not in options:
        return next((new for new in _ROLES[option] if new in options), option)
    return option


def old_names(options: Collection[str], option: str) -> list[str]:
    """The earlier names of an option of a command, for variables of the environment.

    Examples
    --------
    >>> old_names({"system", "output"}, "system"), old_names({"system", "output"}, "output")
    (['detector', 'local-judge', 'baseline'], ['out'])
    """
    return [old for old in ("out", *_ROLES) if old not in options and new_name(options, old, "") == option]


def rename_words(command: Any, words: Sequence[str]) -> list[str]:
    """A command line with options renamed to their current names, and a note for each renamed one."""
    options = option_names(command)
    found = list(words)
    for i, word in enumerate(words):
        if word == "--":
            break
        option, given, value = word[2:].partition("=") if word.startswith("--") else ("", "", "")
        if option not in _OLD:
            continue
        new = new_name(options, option, value if given else " ".join(words[i + 1 : i + 2]))
        if new != option:
            _tell(option, new)
            found[i] = f"--{new}{given}{value}"
    return found


def _tell(option: str, new: str) -> None:
    more = "; --output names the file" if option == "output" else ""
    note(f"--{option} is called --{new} now{more}")
