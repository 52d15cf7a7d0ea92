"""Writes a fresh set as a folder: items, proofs, card, metadata, tasks for other tools, checksums."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fallax._version import __version__
from fallax.core.texts import Embedder
from fallax.core.whole import read_whole_json
from fallax.errors import InputError, RunError
from fallax.generation.worlds.contamination import overlap
from fallax.generation.worlds.cues import CUES, cue_share
from fallax.generation.worlds.fresh import FreshItem, FreshSet
from fallax.generation.worlds.page import card, croissant
from fallax.generation.worlds.tasks import task_files

__all__ = ["EDITION", "LICENCE", "cue_figures", "flat_rows", "write_fresh"]

#: The public edition and its published seed.
EDITION = "fallax-twins-2026"

LICENCE = "CC-BY-4.0"


def flat_rows(made: FreshSet, style: str) -> list[dict[str, Any]]:
    """One row per text, fallacies and twins shuffled, in the form that other tools read."""
    rows = []
    for one in made.of(style):
        for text, kind in ((one.item.text, "fallacious"), (str(one.item.sound_twin), "sound")):
            name = hashlib.sha256(f"{one.item.id}{kind}".encode()).hexdigest()[:12]
            label = one.item.labels[0] if kind == "fallacious" else "none"
            rows.append(
                {
                    "id": name, "text": text, "label": kind, "fallacy": label, "pair": one.item.id, "style": style,
                    "canary": made.plan.canary,
                }
            )  # fmt: skip
    return sorted(rows, key=lambda r: r["id"])


def _proof(one: FreshItem) -> dict[str, Any]:
    """The stated facts, background facts and derivations of a pair, as text."""
    world = one.world
    found: dict[str, Any] = {"id": one.item.id, "style": one.style, "fallacy": world.fallacy}
    for kind, derivation in (("fallacy", one.proof.fallacy), ("sound", one.proof.twin)):
        stated = world.stated(kind)  # type: ignore[arg-type]
        found[kind] = {
            "conclusion": world.conclusions[kind],  # type: ignore[index]
            "claim": str(world.claims[kind]),  # type: ignore[index]
            "derivation": derivation.to_text() if derivation else "",
            "premises": [{"text": s.text, "states": [str(f) for f in s.facts]} for s in world.premises[kind]],  # type: ignore[index]
            "not_stated": [
                str(f) for f in world.facts[kind]  # type: ignore[index]
                if f not in stated and f not in world.declarations(kind)  # type: ignore[arg-type]
            ],
        }  # fmt: skip
    return found


def cue_figures(made: FreshSet) -> dict[str, Any]:
    """Cue accuracy by style: the share of texts separated, fallacy from twin and type from type."""
    found: dict[str, Any] = {}
    for style in made.plan.styles:
        items = made.of(style)
        texts = [t for i in items for t in (i.item.text, str(i.item.sound_twin))]
        kinds = [k for _ in items for k in ("fallacious", "sound")]
        groups = [i.item.id for i in items for _ in range(2)]
        types = len({i.item.fallacy for i in items})
        found[style] = {
            name: {
                "fallacy or twin": round(cue_share(texts, kinds, groups, cues=cues), 3),
                "guessing": 0.5,
                "type": round(
                    cue_share([i.item.text for i in items], [i.item.fallacy for i in items], groups[::2], cues=cues), 3
                ),
                "guessing type": round(1 / types, 3),
            }
            for name, cues in CUES.items()
        }
    return found


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def write_fresh(
    made: FreshSet,
    folder: Path,
    *,
    name: str,
    command: str,
    published: Iterable[tuple[str, str]] = (),
    embedder: Embedder | None = None,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Write a fresh set as a folder.

    Parameters
    ----------
    folder : made if it is not there; it must be empty, or hold a set of the same seed and settings.
    name, command : for the card; the command must not hold the seed of a private set.
    published : texts to look for overlap with.
    embedder : for the nearness of texts.

    Returns
    -------
    dict
        The figures of the card: ``cues`` and ``contamination``.

    Raises
    ------
    RunError
        If the folder holds something else and ``overwrite`` is not set.
    """
    settings = {
        "fallax": __version__,
        "name": name,
        "licence": LICENCE,
        "canary": made.plan.canary,
        **made.plan.settings(),
    }
    known = folder / "settings.json"
    if folder.exists() and any(folder.iterdir()) and not overwrite:
        try:
            same = known.is_file() and read_whole_json(known) == settings
        except InputError:
            same = False
        if not same:
            raise RunError(f"{folder}: must be empty or hold the same set, found something else; use --overwrite")
    texts = [t for i in made.items for t in (i.item.text, str(i.item.sound_twin))]
    figures = {"cues": cue_figures(made), "contamination": overlap(texts, published, embedder=embedder)}
    files: dict[str, str] = {"settings.json": _json(settings), "cues.json": _json(figures["cues"])}
    files["contamination.json"] = _json(figures["contamination"])
    for style in made.plan.styles:
        files[f"{style}.jsonl"] = _lines({**i.to_dict(), "canary": made.plan.canary} for i in made.of(style))
        files[f"data/{style}.jsonl"] = _lines(flat_rows(made, style))
    files["proofs.jsonl"] = _lines({**_proof(i), "canary": made.plan.canary} for i in made.items)
    files.update(task_files(made.plan.styles, made.plan.canary))
    files["README.md"] = card(made, figures, name=name, command=command, licence=LICENCE)
    sums = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in sorted(files.items())}
    files["croissant.json"] = _json(croissant(made, sums, name=name, licence=LICENCE))
    sums["croissant.json"] = hashlib.sha256(files["croissant.json"].encode()).hexdigest()
    files["SHA256SUMS"] = "".join(f"{digest}  {path}\n" for path, digest in sorted(sums.items()))
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return figures
