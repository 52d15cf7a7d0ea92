"""``fallax generate --fresh``: an unpublished test set, and a public edition made in the same way."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fallax.cli._terminal import live, tell
from fallax.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from fallax.core.types import ChatModel

__all__ = ["write_set"]


def write_set(
    *,
    fallacy: str,
    n: int,
    seed: str,
    edition: str | None,
    out: Path | None,
    style: str | None,
    register: str | None,
    distance: int | None,
    depth: int | None,
    distractors: int | None,
    explicitness: str | None,
    points: int | None,
    evaluator: str,
    embedder: str | None,
    overwrite: bool,
    model: str,
    asking: Mapping[str, ChatModel],
) -> None:
    """Make the set, prove it, compare it with published texts, and write the folder."""
    from fallax.cli._console import Console
    from fallax.core.texts import load_embedder
    from fallax.generation.generators import resolve_fallacies
    from fallax.generation.worlds import (
        EDITION,
        POINTS,
        STYLES,
        FreshPlan,
        Reworder,
        make_fresh,
        published_texts,
        write_fresh,
    )

    if out is None:
        raise InputError("--output: a fresh set is a folder, got none; name one")
    if edition is not None:
        if edition != EDITION:
            raise UnknownNameError("edition", edition, (EDITION,))
        if seed != "0":
            raise InputError("--seed: an edition has its own published seed; leave --seed out")
        seed = EDITION
    elif seed == "0":
        raise InputError("--seed: a fresh set needs your own secret, got none; give any text")
    if out.is_file():
        raise InputError(f"{out}: must be a folder, or not be there yet; found a file")
    plan = FreshPlan(
        seed=seed, n=n, fallacies=resolve_fallacies(fallacy), styles=STYLES if style in (None, "both") else
        (str(style),),
        register=register, distance=distance, depth=depth, distractors=distractors or 0, explicitness=explicitness,
        points=POINTS if points is None else points, reworded_by=model,
        evaluator=evaluator,  # type: ignore[arg-type]
    )  # fmt: skip
    data = os.environ.get("FALLAX_DATA")
    published = published_texts(Path(data)) if data else ()
    with Console(stderr=True, quiet=not live()).status("making and proving worlds"):
        reworder = None
        if asking:
            from fallax.entailment import load_entailment

            reworder = Reworder(asking["model"], load_entailment(), asking["reader"])
        made = make_fresh(plan, reworder=reworder)
        figures = write_fresh(
            made,
            out,
            name=edition or "fallax-twins-private",
            command=_command(edition),
            published=published,
            embedder=None if embedder is None else load_embedder(embedder),
            overwrite=overwrite,
        )
    _tell(made, figures, out)


def _command(edition: str | None) -> str:
    """The command line, without the secret."""
    words = ["fallax", *sys.argv[1:]] if sys.argv[1:2] == ["generate"] else ["fallax", "generate", "--fresh"]
    for place, word in enumerate(words):
        if edition is None and word == "--seed" and place + 1 < len(words):
            words[place + 1] = "SECRET"
        elif edition is None and word.startswith("--seed="):
            words[place] = "--seed=SECRET"
    return shlex.join(words)


def _tell(made: Any, figures: dict[str, Any], out: Path) -> None:
    shares = [
        f"{style}: fallacy or twin {max(v['fallacy or twin'] for v in by.values()):.3f}, type"
        f" {max(v['type'] for v in by.values()):.3f}"
        for style, by in figures["cues"].items()
    ]
    found = figures["contamination"]
    same = f"{found['exact']} exact, {found['eight_words']['n']} by eight words" if found["sets"] else "not compared"
    tell(f"{out}: {len(made.items)} pairs, every argument proved; by words alone: {'; '.join(shares)}")
    if made.rewording:
        said = ", ".join(f"{count} {what}" for what, count in made.rewording.items())
        tell(f"{out}: rewording by {made.plan.reworded_by}: {said}")
    tell(f"{out}: in common with published texts: {same}; commitment {made.plan.commitment}")
