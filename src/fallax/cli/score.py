"""``fallax score``: scores any predictions against gold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from fallax.cli._console import Console
from fallax.cli._tables import print_table
from fallax.core.types import Record, Score
from fallax.data import read_corpus, read_gold_structures, read_predicted_structures, read_predictions
from fallax.encoders.similarity import SIMILARITIES, load_similarity
from fallax.errors import InputError, UnknownNameError
from fallax.metrics import METRICS, Metric, bootstrap_interval, paired_test, parse_metric
from fallax.metrics.base import SpanMetric
from fallax.metrics.structure import StructureMetric

__all__ = ["app"]

app = typer.Typer(name="score", pretty_exceptions_enable=False, add_completion=False)

_OUTPUTS = ("table", "markdown", "latex")


def _metric(
    spec: str,
    level: int | None,
    unit: str | None,
    variant: str | None,
    merge: bool,
    taxonomy: str | None,
    more: Mapping[str, Any],
) -> Metric:
    settings = {"level": level, "unit": unit, "variant": variant, "taxonomy": taxonomy, **more}
    given = [f"{k}={json.dumps(v)}" for k, v in settings.items() if v is not None]
    if merge:
        given.append("merge_overlaps=true")
    spec = spec.replace("-", "_") if "(" not in spec else spec
    if given:
        name, _, inner = spec.partition("(")
        inner = inner.rstrip(")").strip()
        spec = f"{name}({', '.join(([inner] if inner else []) + given)})"
    return parse_metric(spec)


@app.command()
def score(
    gold: Annotated[Path, typer.Option("--gold", help="Gold file, or folder of label files, in any format.")],
    pred: Annotated[list[Path], typer.Option("--pred", help="Predictions; repeat for several systems.")],
    metric: Annotated[
        str,
        typer.Option(
            "--metric", help=f"One of {', '.join(METRICS)}, or one with settings, such as 'flc(variant=official)'."
        ),
    ] = "soft_span",
    level: Annotated[
        int | None, typer.Option("--level", help="Level of the taxonomy, 0 the coarsest [soft_span: 2].")
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option("--unit", help="soft_span: span or text [span]; sentence_detection: sentence or line [sentence]."),
    ] = None,
    variant: Annotated[
        str | None, typer.Option("--variant", help="A named variant of the metric [definition].")
    ] = None,
    taxonomy: Annotated[
        str | None, typer.Option("--taxonomy", help="Labels must be of this set [that of the metric].")
    ] = None,
    merge_overlaps: Annotated[
        bool, typer.Option("--merge-overlaps", help="flc, variant official: merge overlapping predictions.")
    ] = False,
    articles: Annotated[
        Path | None,
        typer.Option("--articles", help="propaganda: folder of the article texts [articles beside the file]."),
    ] = None,
    gold_format: Annotated[str | None, typer.Option("--gold-format", help="Format of --gold [detected].")] = None,
    pred_format: Annotated[str | None, typer.Option("--pred-format", help="Format of --pred [detected].")] = None,
    similarity: Annotated[
        str | None,
        typer.Option(
            "--similarity", help=f"Similarity of texts in structures: {', '.join(SIMILARITIES)} [the metric's]."
        ),
    ] = None,
    similarity_model: Annotated[
        Path | None, typer.Option("--similarity-model", help="Folder with the model of bertscore or bleurt.")
    ] = None,
    similarity_layer: Annotated[
        int | None,
        typer.Option("--similarity-layer", help="bertscore: layer of the model that is read [the last]."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            help="entailment_tree: least similarity of equal conclusions, 0 to 1 [depends on --similarity].",
        ),
    ] = None,
    on_bad_span: Annotated[
        str, typer.Option("--on-bad-span", help="raise, or report and leave out spans that cannot be used.")
    ] = "raise",
    by: Annotated[str | None, typer.Option("--by", help="Show parts too: label or source [none].")] = None,
    ci: Annotated[bool, typer.Option("--ci", help="95 % bootstrap intervals.")] = False,
    compare: Annotated[bool, typer.Option("--compare", help="Paired test of each system against the first.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of intervals and tests.")] = 0,
    resamples: Annotated[int, typer.Option("--resamples", help="Bootstrap resamples.")] = 10_000,
    format: Annotated[str, typer.Option("--format", help="table, markdown or latex.")] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score predictions against gold with any metric."""
    for name, value, known in (("--by", by, ("label", "source")), ("--format", format, _OUTPUTS)):
        if value is not None and value not in known:
            raise UnknownNameError(f"value of {name}", value, known)
    if on_bad_span not in ("raise", "report"):
        raise UnknownNameError("value of --on-bad-span", on_bad_span, ("raise", "report"))
    if (
        similarity == "bertscore"
        and threshold is None
        and metric.startswith("entailment_tree")
        and "threshold" not in metric
    ):
        raise InputError("--similarity bertscore: needs --threshold, from where on two conclusions are the same")
    if similarity_layer is not None and similarity != "bertscore":
        raise InputError(f"--similarity-layer: needs --similarity bertscore, got {similarity or 'none'}")
    scorer: str | None = None
    model: Any = None
    if similarity is not None:
        scorer, model = load_similarity(similarity, folder=similarity_model, similarity_layer=similarity_layer)
    configured = _metric(
        metric, level, unit, variant, merge_overlaps, taxonomy, {"scorer": scorer, "threshold": threshold}
    )
    if similarity_model is not None and similarity not in ("minilm", "bertscore", "bleurt"):
        raise InputError(
            f"--similarity-model: needs --similarity minilm, bertscore or bleurt, got {similarity or 'none'}"
        )
    if isinstance(configured, StructureMetric):
        if by is not None:
            raise InputError(f"--by: {configured.name} has no parts by {by} in files; use bench score --by steps")
        golds = read_gold_structures(gold, format=gold_format)
        drawn = {i: g.structure for i, g in golds.items()}
        found = [read_predicted_structures(path, gold=golds, format=pred_format) for path in pred]
        scores = [configured.corpus_score(pred=one, gold=drawn, model=model) for one in found]
    elif isinstance(configured, SpanMetric):
        records = read_corpus(
            gold,
            format=gold_format,
            articles=articles,
            taxonomy=configured.taxonomy,
            on_bad_span=on_bad_span,  # type: ignore[arg-type]
        )
        scores = [_score_file(configured, path, pred_format, records, on_bad_span) for path in pred]
    else:
        raise InputError(
            f"{configured.name}: must be a metric over spans, labels of texts or structures; use it from Python"
        )
    names = _names(pred)
    extra = _intervals(scores, ci, compare, seed, resamples)
    if as_json:
        shown = [_as_json(s, e) for s, e in zip(scores, extra, strict=True)]
        typer.echo(json.dumps(shown[0] if len(shown) == 1 else dict(zip(names, shown, strict=True))))
        return
    _print(names, scores, extra, by, format)


def _score_file(metric: SpanMetric, path: Path, format: str | None, records: Sequence[Record], on_bad: str) -> Score:
    found = read_predictions(
        path,
        format=format,
        records=records,
        taxonomy=metric.taxonomy,
        on_bad_span=on_bad,  # type: ignore[arg-type]
    )
    return metric.corpus_score(pred=found, gold=records)


def _names(paths: Sequence[Path]) -> list[str]:
    stems = [p.stem for p in paths]
    return stems if len(set(stems)) == len(stems) else [str(p) for p in paths]


def _intervals(scores: Sequence[Score], ci: bool, compare: bool, seed: int, n: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for i, one in enumerate(scores):
        extra: dict[str, Any] = {}
        defined = [m for m, v in one.values.items() if v is not None]
        if ci:
            extra["intervals"] = {m: bootstrap_interval(one, m, n_resamples=n, seed=seed).to_dict() for m in defined}
        if compare and i:
            extra["against_first"] = {
                m: paired_test(one, scores[0], m, n_resamples=n, seed=seed).to_dict()
                for m in defined
                if scores[0][m] is not None
            }
        found.append(extra)
    return found


def _as_json(score: Score, extra: dict[str, Any]) -> dict[str, Any]:
    found = {**score.to_dict(), **extra}
    found["per_label"] = {name: part.values for name, part in score.parts.get("label", {}).items()}
    return found


def _cell(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _rows(
    names: Sequence[str], scores: Sequence[Score], extra: Sequence[dict[str, Any]], by: str | None
) -> list[list[str]]:
    measures = list(scores[0].values)
    rows = [["system", *([by] if by else []), *measures, "n", "unscored", "unreadable"]]
    for name, score, more in zip(names, scores, extra, strict=True):
        parts = [("all", score), *score.parts.get(by, {}).items()] if by else [("", score)]
        for part_name, part in parts:
            cells = []
            for m in measures:
                cell = _cell(part.values.get(m))
                if part is score and m in more.get("intervals", {}):
                    interval = more["intervals"][m]
                    cell += f" [{_cell(interval['low'])}, {_cell(interval['high'])}]"
                if part is score and m in more.get("against_first", {}):
                    cell += f" p={more['against_first'][m]['p_value']:.3g}"
                cells.append(cell)
            counts = [str(part.n_scored), str(part.n_unscored), part.unreadable]
            rows.append([name, *([part_name] if by else []), *cells, *counts])
            if part.n_wrong:
                strict = [_cell(part.values_with_unreadable.get(m)) for m in measures]
                counts = [str(part.n_scored + part.n_wrong), str(part.n_unscored - part.n_wrong), "as wrong"]
                rows.append([f"{name}, unreadable as wrong", *([part_name] if by else []), *strict, *counts])
    return rows


def _print(
    names: Sequence[str], scores: Sequence[Score], extra: Sequence[dict[str, Any]], by: str | None, output: str
) -> None:
    head, *rows = _rows(names, scores, extra, by)
    if output == "markdown":
        typer.echo("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
        for row in rows:
            typer.echo("| " + " | ".join(row) + " |")
    elif output == "latex":
        typer.echo("\\begin{tabular}{l" + "r" * (len(head) - 1) + "}\n" + " & ".join(head) + " \\\\ \\hline")
        for row in rows:
            typer.echo(" & ".join(c.replace("_", "\\_") for c in row) + " \\\\")
        typer.echo("\\end{tabular}")
    else:
        print_table(Console(), "", head, rows, range(2 if by else 1, len(head)))
    for score in scores:
        typer.echo(str(score.signature))
