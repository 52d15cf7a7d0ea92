"""``fallax detectors``: train, evaluate and describe detectors that need no chat model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from fallax.cli._console import Console
from fallax.cli._given import typed
from fallax.cli._progress import training_shown
from fallax.cli._terminal import note, tell
from fallax.core.taxonomies import label_set
from fallax.data import dataset_path
from fallax.detection.systems import DETECTORS, guarded_detector, load_detector
from fallax.errors import InputError

__all__ = ["app"]

app = typer.Typer(
    name="detectors",
    help="Train, evaluate and describe detectors that need no chat model.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Root = Annotated[
    Path | None,
    typer.Option("--root", help="Folder that holds the data sets [$FALLAX_DATA, then your cache].", show_default=False),
]


@app.command("list")
def list_detectors(as_json: AsJson = False) -> None:
    """List the detectors that ship."""
    if as_json:
        typer.echo(json.dumps({name: DETECTORS.about(name) for name in DETECTORS}, indent=2))
        return
    for name, about in ((name, DETECTORS.about(name)) for name in DETECTORS):
        typer.echo(f"{name:14} {about}")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A detector's name or folder.")] = "encoder", as_json: AsJson = False
) -> None:
    """Show a detector's card: what it was trained on, how good it is, what it is bad at."""
    with guarded_detector(name):
        card = dict(load_detector(name).card())
    if as_json:
        typer.echo(json.dumps(card, indent=2, ensure_ascii=False))
        return
    from fallax.detection.measured import Measured

    tables = card.pop("measured", {})
    for line in _card_lines(card):
        typer.echo(line)
    for key, table in tables.items():
        typer.echo()
        for line in Measured.from_dict({"name": key, **table}).lines():
            typer.echo(line)


def _card_lines(card: dict[str, Any], indent: str = "") -> list[str]:
    lines = []
    for key, value in card.items():
        name = f"{indent}{key.replace('_', ' ')}"
        if isinstance(value, dict):
            lines += [f"{name}:", *_card_lines(value, indent + "  ")]
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            lines.append(f"{name}:")
            lines += [
                f"{indent}  - " + ", ".join(f"{k.replace('_', ' ')} {v}" for k, v in row.items()) for row in value
            ]
        elif isinstance(value, list):
            lines.append(f"{name}: {', '.join(str(v) for v in value)}")
        else:
            lines.append(f"{name}: {value}")
    return lines


@app.command()
def train(
    context: typer.Context,
    on: Annotated[
        str,
        typer.Option(
            "--on",
            help="What to train on, separated by commas: data sets (reddit, argotario, …), folders of passages,"
            " .txt files with one ordinary text per line, files of annotated texts.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the new detector: a new one, or a detector's to replace.")
    ],
    base: Annotated[
        Path | None,
        typer.Option(
            "--base",
            help="Folder with config.json, model.safetensors, tokenizer.json of an encoder to fine-tune (needs torch)"
            " [default: fit heads over the unchanged shipped encoder and over n-grams].",
        ),
    ] = None,
    taxonomy: Annotated[
        str | None,
        typer.Option(
            "--taxonomy",
            callback=label_set,
            help="The label set of the detector, by name or as a TOML or JSON file"
            " [default: mafalda; without --base the set's, or the labels of the files].",
        ),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit",
            help="Without --base: one decision for each text or sentence [default: sentence if passages are marked].",
        ),
    ] = None,
    threshold_on: Annotated[
        str | None,
        typer.Option("--threshold-on", help="Data set for choosing the threshold [default: held-out texts]."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 7,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over the training texts.")] = 5,
    batch_size: Annotated[int, typer.Option("--batch-size", min=1, help="Texts in a batch.")] = 32,
    learning_rate: Annotated[float, typer.Option("--learning-rate", help="Learning rate.")] = 1.5e-4,
    hold_out: Annotated[
        int, typer.Option("--hold-out", min=0, help="Hold out one group of texts in N, for calibration; 0: none.")
    ] = 10,
    runs: Annotated[int, typer.Option("--runs", min=1, help="Trainings whose weights are averaged.")] = 1,
    threads: Annotated[
        int, typer.Option("--threads", min=1, help="Threads of torch; results repeat only with the same number.")
    ] = 2,
    name: Annotated[str | None, typer.Option("--name", help="Name in the card [default: the folder's name].")] = None,
    root: Root = None,
) -> None:
    """Train a detector: heads for a set's own labels in minutes, or with --base fine-tune an encoder.

    The same command resumes an interrupted fine-tuning.
    """
    names = [x.strip() for x in on.split(",") if x.strip()]
    if base is None:
        _train_heads(context, names, out, taxonomy=taxonomy, unit=unit, name=name or out.name, root=root)
        return
    if unit is not None:
        raise InputError("--unit: is read without --base only; leave it out")
    taxonomy = taxonomy or "mafalda"
    from fallax.detection.train import describe_sources, train_detector, training_sources

    sources = training_sources(names, target=taxonomy, root=root)
    import torch

    from fallax.detection.training.loop import DetectorSettings

    torch.set_num_threads(threads)
    settings = DetectorSettings(
        seed=seed, epochs=epochs, batch_size=batch_size, learning_rate=learning_rate, hold_out=hold_out,
        runs=runs,
    )  # fmt: skip
    for row in describe_sources(sources):
        tell(f"{row['name']}: {row['texts']} texts, {row['with_fallacy']} with a fallacy")
    with training_shown() as shown:
        card = train_detector(
            sources, base, out, taxonomy=taxonomy, settings=settings, name=name or out.name,
            threshold_on=threshold_on, root=root, progress=shown,
        )  # fmt: skip
    typer.echo(f"{out}: threshold {card['decoding']['threshold']}")


def _train_heads(
    context: typer.Context, on: list[str], out: Path, *, taxonomy: str | None, unit: str | None, name: str,
    root: Path | None,
) -> None:  # fmt: skip
    unread = typed(
        context, ["threshold_on", "seed", "epochs", "batch_size", "learning_rate", "hold_out", "runs", "threads"]
    )
    if unread:
        raise InputError(f"{', '.join(unread)}: needs --base, the encoder to fine-tune")
    from fallax.detection.train_stacked import train_stacked

    with training_shown() as shown:
        made = train_stacked(on, out, taxonomy=taxonomy, unit=unit, name=name, root=root, progress=shown)
    found = made.about["cross_validated"]
    typer.echo(f"{out}: {found['measure']} {found['value']:.3f}, {found['folds']}-fold, on {found['texts']} texts")
    if "weak_at" in made.about:
        note(f"{out}: {made.about['weak_at']}")


@app.command()
def validate(
    on: Annotated[
        str,
        typer.Option("--on", help="As in train; with --leave-one-out, entries joined by + are left out together."),
    ],
    out: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of the held-out sentences; finished parts are not repeated.")
    ],
    base: Annotated[
        Path, typer.Option("--base", help="Folder with config.json, model.safetensors, tokenizer.json of an encoder.")
    ],
    folds: Annotated[
        int | None, typer.Option("--folds", min=2, help="Number of folds; or give --leave-one-out.")
    ] = None,
    leave: Annotated[
        bool, typer.Option("--leave-one-out", help="Leave out each entry of --on once, instead of --folds.")
    ] = False,
    only: Annotated[int | None, typer.Option("--only", min=1, help="Run only the K-th training, from 1 [all].")] = None,
    taxonomy: Annotated[
        str, typer.Option("--taxonomy", callback=label_set, help="The label set of the detector.")
    ] = "mafalda",
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 7,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Passes over the training texts.")] = 5,
    batch_size: Annotated[int, typer.Option("--batch-size", min=1, help="Texts in a batch.")] = 32,
    learning_rate: Annotated[float, typer.Option("--learning-rate", help="Learning rate.")] = 1.5e-4,
    runs: Annotated[int, typer.Option("--runs", min=1, help="Trainings whose weights are averaged.")] = 1,
    threads: Annotated[
        int, typer.Option("--threads", min=1, help="Threads of torch; results repeat only with the same number.")
    ] = 2,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Cross-validate training, or leave out one set at a time: results by source, label and text length."""
    if (folds is None) != leave:
        raise InputError("--folds N or --leave-one-out must be given, one of them")
    from fallax.detection.train import training_sources
    from fallax.detection.validation import (
        folds_of,
        leave_one_out,
        make_validation_folder,
        read_parts,
        tables_of,
        validate_part,
    )

    make_validation_folder(out)
    names = [x.strip() for x in on.split(",") if x.strip()]
    sources = [] if leave else training_sources([x for n in names for x in n.split("+")], target=taxonomy, root=root)
    import torch

    from fallax.detection.training.loop import DetectorSettings

    torch.set_num_threads(threads)
    settings = DetectorSettings(seed=seed, epochs=epochs, batch_size=batch_size, learning_rate=learning_rate, runs=runs)
    if leave:
        parts = leave_one_out(names, settings, target=taxonomy, root=root)
    else:
        parts = folds_of(sources, settings, folds or 2)
    if only is not None and only > len(parts):
        raise InputError(f"--only: must be from 1 to {len(parts)}, got {only}")
    with training_shown() as shown:
        paths = [
            validate_part(part, base, out, taxonomy=taxonomy, progress=shown)
            for number, part in enumerate(parts, start=1)
            if only in (None, number)
        ]
    tables = tables_of(read_parts(paths), seed=seed)
    if as_json:
        typer.echo(json.dumps([t.to_dict() for t in tables], indent=2))
        return
    wide = Console(width=None if Console().is_terminal else 160)
    for found in tables:
        table = Table(title=found.title, title_justify="left", box=None, pad_edge=False, header_style="bold")
        for i, column in enumerate(found.columns):
            table.add_column(column, justify="right" if i else "left")
        for row in found.rows:
            table.add_row(*map(str, row))
        wide.print(table)
    typer.echo(
        f"{len(paths)} trainings of {epochs} epochs, seed {seed}; AUC of any fallacy over sentences, shares of"
        " fallacious sentences whose label is the likeliest and among the three likeliest"
    )


@app.command()
def evaluate(
    detector: Annotated[
        list[str] | None,
        typer.Argument(help="Names or folders; the others are compared with the first [encoder linear]."),
    ] = None,
    on: Annotated[
        Path | None, typer.Option("--on", help="Folder of MAFALDA's gold and recorded replies [in --root].")
    ] = None,
    passages: Annotated[
        Path | None, typer.Option("--passages", help="Passages to train a TF-IDF baseline on [without that baseline].")
    ] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option("--run", help="Run folder of the benchmark mafalda to compare with; repeatable."),
    ] = None,
    resamples: Annotated[int, typer.Option("--resamples", min=100, help="Bootstrap resamples.")] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of intervals, tests and the random system.")] = 0,
    root: Root = None,
    as_json: AsJson = False,
) -> None:
    """Compare detectors with simple systems and all recorded models: F1, intervals, paired tests."""
    from fallax.detection.comparison import compare, recorded_predictions

    names = detector or ["encoder", "linear"]
    if len(set(names)) != len(names):
        raise InputError(f"detectors must be named once each, got {', '.join(names)}")
    folder = on or dataset_path("mafalda", root=root)
    gold, found = recorded_predictions(folder, names, passages=passages, runs=run or (), seed=seed)
    rows = compare(gold, found, n_resamples=resamples, seed=seed)
    if as_json:
        typer.echo(json.dumps([r.to_dict() for r in rows], indent=2))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("system")
    cells = list(rows[0].f1)
    for unit, level in cells:
        table.add_column(f"{unit} {level}", justify="right")
    for row in rows:
        shown = []
        for cell in cells:
            value, low, high = row.f1[cell]
            text = f"{value:.3f} [{low:.3f}, {high:.3f}]"
            shown.append(text + (f" p={row.test[cell][1]:.3g}" if cell in row.test else ""))
        table.add_row(row.system, *shown)
    Console(width=None if Console().is_terminal else 200).print(table)
    typer.echo(f"{len(gold)} texts, soft_span f1, variant definition, {resamples} resamples, seed {seed}")
