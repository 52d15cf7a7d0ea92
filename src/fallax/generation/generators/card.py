"""Writes dataset cards: contents, method and limits of a generated set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import GeneratedItem, WorldClaim
from fallax.errors import one_line
from fallax.generation.generators.plan import METHODS

__all__ = ["dataset_card"]

_FIELDS = {
    "id": "unique in the set",
    "text": "the fallacious argument",
    "labels": "the fallacies it commits, as `taxonomy` spells them",
    "twin": "the sound argument of the same form: its text, derivation and claims; null where there is none",
    "derivation": "facts, rule and conclusion; null where a model made the text without rules",
    "structurally_valid": "true if the rules derive the argument from its facts; null if no rules were asked",
    "claims": "what the facts say about the world, each with its denial and the votes on both",
    "claims_confirmed": "true if the votes confirm every claim, false if not, null if not all were asked",
    "method, model, seed, rules, evaluator, wording": "how it was made",
}


def dataset_card(
    items: Sequence[GeneratedItem],
    settings: Mapping[str, Any],
    counts: Mapping[str, Mapping[str, int]],
    *,
    name: str = "set",
    command: str = "",
) -> str:
    """The dataset card as Markdown, with the header for dataset hubs.

    Parameters
    ----------
    items : of the set.
    settings : of the run.
    counts : by fallacy, what became of everything that was tried.
    name : of the set. command : what made it, "" if no command did.
    """
    n_twins = sum(i.sound_twin is not None for i in items)
    method = str(settings.get("method", ""))
    model = settings.get("model") or ""
    parts = [
        _header(name, len(items)),
        f"# {one_line(name, 80)}",
        f"{len(items)} fallacious arguments of {len({i.fallacy for i in items})} types, {n_twins} of them with a sound"
        " argument of the same form (the twin). Made by a program, not collected: nobody has argued like this.",
        "## How it was made",
        f"Method `{method}`: {METHODS.get(method, 'unknown')}."
        + (f" Model: `{one_line(model, 80)}`." if model else ""),
    ]
    if command:
        parts.append(f"```sh\n{command}\n```")
    shown = {k: v for k, v in settings.items() if k not in ("fallacies", "method", "model")}
    parts.append("Settings: " + ", ".join(f"{k} `{one_line(v, 60)}`" for k, v in shown.items()) + ".")
    parts += ["## What is in it", _by_fallacy(items), _fields(), "## What is known of it", _known(items)]
    parts += ["## What became of what was tried", _tried(counts), "## What it is not", _limits(method)]
    return "\n\n".join(parts) + "\n"


def _header(name: str, n: int) -> str:
    size = "n<1K" if n < 1000 else "1K<n<10K" if n < 10_000 else "10K<n<100K"
    rows = ["---", f"pretty_name: {one_line(name, 80)}", "language: [en]", "task_categories: [text-classification]"]
    rows += ["tags: [logical-fallacies, synthetic]", f"size_categories: [{size}]", "annotations_creators:"]
    return "\n".join([*rows, "  - machine-generated", "---"])


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |" for row in rows]
    return "\n".join(lines)


def _by_fallacy(items: Sequence[GeneratedItem]) -> str:
    groups: dict[str, list[GeneratedItem]] = {}
    for item in items:
        groups.setdefault(item.labels[0], []).append(item)
    rows = []
    for label, group in groups.items():
        words = sum(len(i.text.split()) for i in group) / len(group)
        twins = sum(i.sound_twin is not None for i in group)
        rows.append((label, len(group), twins, f"{words:.0f}"))
    return _table(("fallacy", "items", "with twin", "words, mean"), rows)


def _fields() -> str:
    return "One JSON object a line:\n\n" + _table(("field", "meaning"), [(f"`{k}`", v) for k, v in _FIELDS.items()])


def _share(n: int, of: int) -> str:
    return f"{n} of {of}"


def _known(items: Sequence[GeneratedItem]) -> str:
    valid = sum(i.structurally_valid is True for i in items)
    claims = [c for i in items for c in (*i.claims, *(i.sound_twin.claims if i.sound_twin else ()))]
    unique: dict[str, WorldClaim] = {c.text: c for c in claims}
    answers = Counter(c.confirmed for c in unique.values())
    rows = [f"- Structurally valid (the rules derive the argument from its facts): {_share(valid, len(items))} items."]
    if not unique:
        rows.append("- Claims about the world: none listed, since there are no derivations.")
    elif answers[None] == len(unique):
        rows.append(f"- Claims about the world: {len(unique)} listed, none put to the vote.")
    else:
        whole = sum(i.claims_confirmed is True for i in items)
        rows.append(
            f"- Claims about the world: {len(unique)} listed; confirmed by votes {answers[True]}, not confirmed"
            f" {answers[False]}, no answer {answers[None]}. All claims confirmed: {_share(whole, len(items))} items."
        )
    rows.append("- The two are apart: a derivation can be right and a fact behind it wrong, and the other way round.")
    return "\n".join(rows)


def _tried(counts: Mapping[str, Mapping[str, int]]) -> str:
    names = sorted({what for c in counts.values() for what in c})
    if not names:
        return "Nothing was counted."
    labels = load_taxonomy("smartypat")
    rows = [(labels.resolve(f), *(c.get(name, 0) for name in names)) for f, c in counts.items()]
    return _table(("fallacy", *names), rows)


def _limits(method: str) -> str:
    rows = ["- Not a sample of how people argue: topics, lengths and wordings are those of its makers."]
    if method == "template":
        rows.append("- The wordings are few; a classifier trained on it may learn them. Fallacy and twin share theirs.")
        rows.append("- The facts are written by hand and reviewed by people; a mistake among them is a mistake here.")
    elif method == "smartypat":
        rows.append("- The facts are a model's; what was not confirmed may be wrong.")
    else:
        rows.append("- Nothing checks that a sentence commits the fallacy it was asked for: the label is the request.")
    return "\n".join(rows)
