"""``fallax verify train``: trains a verifier, or a builder of argument structures, on claims."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from fallax.cli._given import typed
from fallax.cli._progress import training_shown
from fallax.cli._terminal import note, tell
from fallax.errors import InputError

__all__ = ["train"]

_TUNING = ["epochs", "learning_rate", "threads"]
#: From fewer claims than this a note says that little can be learnt.
_FEW = 100


def train(
    context: typer.Context,
    on: Annotated[
        str,
        typer.Option(
            "--on",
            help="What to train on, separated by commas: sets (checkwhy, wikiwhy, e_care, entailment_bank,"
            " explagraphs), or files of claims, such as `fallax build causal` writes.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Folder of the new verifier, for --system: a new one, or a verifier's to replace."
        ),
    ],
    task: Annotated[
        int,
        typer.Option(
            help="1: verdict from claim and leaf evidence; 2: from the argument structure too; 3: structure over all"
            " evidence; 4: structure over leaf evidence."
        ),
    ] = 1,
    split: Annotated[
        str | None, typer.Option(help="Of sets: the split to train on, several with commas [their training part].")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=2, help="Random sample of N claims, whole groups [all].")] = None,
    fused: Annotated[
        bool,
        typer.Option(
            "--fused", help="Read each piece of evidence alone, and combine the results by trained attention."
        ),
    ] = False,
    documents: Annotated[
        Path | None,
        typer.Option(
            "--documents", help="With --fused: retrieve each claim's evidence from this file or folder of texts."
        ),
    ] = None,
    n_evidence: Annotated[int, typer.Option(min=1, help="With --fused: pieces of evidence for a claim.")] = 8,
    base: Annotated[
        Path | None,
        typer.Option(
            "--base",
            help="Folder with config.json, model.safetensors, tokenizer.json of an encoder to fine-tune (needs torch)"
            " [default: fit heads over the unchanged shipped encoder].",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 7,
    epochs: Annotated[int, typer.Option(min=1, help="With --base: passes over the claims.")] = 3,
    learning_rate: Annotated[float, typer.Option(min=0.0, help="With --base: learning rate.")] = 1e-4,
    threads: Annotated[
        int, typer.Option(min=1, help="With --base: threads of torch; results repeat only with the same number.")
    ] = 1,
    name: Annotated[str | None, typer.Option("--name", help="Name in the card [default: the folder's name].")] = None,
    root: Annotated[
        Path | None,
        typer.Option(
            "--root", help="Folder that holds the data sets [$FALLAX_DATA, then your cache].", show_default=False
        ),
    ] = None,
) -> None:
    """Train a verifier on claims: heads in minutes on one core, or with --base fine-tune an encoder.

    Tasks 3 and 4 learn to build structures. They write no new sentences: an intermediate conclusion of task 4 is its
    premises, joined. The same command resumes an interrupted fine-tuning.
    """
    if base is None and (unread := typed(context, _TUNING)):
        raise InputError(f"{', '.join(unread)}: needs --base, the encoder to fine-tune")
    if not fused and (unread := typed(context, ["documents", "n_evidence"])):
        raise InputError(f"{', '.join(unread)}: needs --fused")
    if task in (3, 4) and (unread := typed(context, ["fused", "base"])):
        raise InputError(f"{', '.join(unread)}: is read by tasks 1 and 2; tasks 3 and 4 learn which links to draw")
    if documents is not None and task != 1:
        raise InputError("--documents: is read by task 1 alone; retrieved evidence has no structure")
    from fallax.causality.training.claims import chosen_groups, needs_of, training_claims
    from fallax.causality.training.train import (
        FineTuning,
        TrainingSettings,
        make_verifier_folder,
        train_verifier,
        with_retrieved,
    )
    from fallax.data import CLAIM_SETS, read_texts

    names = [x.strip() for x in on.split(",") if x.strip()]
    claims = chosen_groups(needs_of(task, training_claims(names, split=split, root=root)), limit, seed)
    if documents is not None:
        claims = with_retrieved(claims, list(read_texts(documents)), n_evidence)
    about: list[dict[str, Any]] = [
        {"name": n, "licence": CLAIM_SETS[n].licence if n in CLAIM_SETS else "", "use": _use(n)} for n in names
    ]
    about.append({"name": "claims in all", "claims": len(claims), **({"split": split} if split else {})})
    make_verifier_folder(out)
    tuning = None if base is None else FineTuning(base, epochs, learning_rate, threads)
    settings = TrainingSettings(task, fused, n_evidence, seed, tuning)
    tell(f"{', '.join(names)}: {len(claims)} claims")
    if len(claims) < _FEW:
        note(f"from fewer than {_FEW} claims little can be learnt; use the result to try the commands, not to verify")
    with training_shown() as shown:
        made = train_verifier(claims, out, settings, name=name or out.name, trained_on=about, progress=shown)
    report = made.about.get("cross_validated")
    if report is None:
        typer.echo(f"{out}: learnt from {made.about['structures']} structures")
    elif report["accuracy"] is None:
        typer.echo(f"{out}: learnt from {report['claims']} claims of one group; nothing to cross-validate")
    else:
        typer.echo(
            f"{out}: accuracy {report['accuracy']:.3f}, {report['folds']}-fold, on {report['claims']} claims of"
            f" {report['groups']} groups"
        )


def _use(name: str) -> str:
    from fallax.data import CLAIM_SETS

    return CLAIM_SETS[name].may_train if name in CLAIM_SETS else ""
