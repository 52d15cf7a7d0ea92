"""``fallax score``: scores any predictions against gold."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from fallax.cli._given import typed
from fallax.cli._problems import list_on_stderr
from fallax.cli._score_tables import LEAST_RESAMPLES, Drawn, json_of, print_scored, uncertainty
from fallax.cli._scored import Scored, over_common_records, score_labels, score_spans, score_structures
from fallax.cli._terminal import note
from fallax.cli.data import OnBad, Units
from fallax.core.taxonomies import label_set
from fallax.encoders.similarity import SIMILARITIES, load_similarity
from fallax.errors import FormatError, InputError, UnknownNameError, one_line
from fallax.metrics import METRICS, Classification, Metric, TwoClass, parse_metric
from fallax.metrics.base import SpanMetric, taxonomy_of
from fallax.metrics.structure import StructureMetric
from fallax.scoring import gold_groups

__all__ = ["app"]

app = typer.Typer(name="score", pretty_exceptions_enable=False, add_completion=False)

_OUTPUTS = ("table", "markdown", "latex")
#: Metrics over judgements and ratings, which no file of predictions holds.
_PYTHON_ONLY = ("quality", "ranked_labels", "twin_discrimination")
_OFFERED = [name for name in METRICS if name not in _PYTHON_ONLY]
#: How many labels are named in a note.
_SHOWN = 5

#: Parameter -> the setting of a metric that it gives.
_SETTINGS = {
    **{name: name for name in ("level", "unit", "variant", "taxonomy", "threshold", "merge_overlaps")},
    "similarity": "scorer",
}
_FORMATS = ("gold_format", "pred_format")
_SPANS = ("articles", "on_bad_span", "offsets", "pred_offsets", "align")
_STRUCTURES = ("similarity_model", "similarity_layer")


class Missing(StrEnum):
    """What to do with a record without a prediction."""

    ERROR = "error"
    UNSCORED = "unscored"


class Align(StrEnum):
    """How a prediction finds its record."""

    ID = "id"
    TEXT = "text"


def _metric(context: typer.Context, spec: str, given: Mapping[str, Any]) -> Metric:
    """The metric with the settings that options give; errors name the option."""
    spec = spec if "(" in spec else spec.replace("-", "_")
    name = spec.partition("(")[0].strip()
    if name in _PYTHON_ONLY:
        raise InputError(f"--metric {name}: takes no files of predictions; use it from Python")
    known = {f.name for f in fields(METRICS.find(name))}
    flags: dict[str, str] = {}
    settings = []
    for parameter, value in given.items():
        setting = _SETTINGS[parameter]
        if setting not in known and (flag := typed(context, [parameter])):
            raise InputError(f"{flag[0]}: {name} has no such setting; leave it out")
        if setting in known and value is not None and value is not False:
            flags[setting] = f"--{parameter.replace('_', '-')}"
            settings.append(f"{setting}={json.dumps(value)}")
    if settings:
        inner = spec.partition("(")[2].rstrip().removesuffix(")").strip()
        spec = f"{name}({', '.join(([inner] if inner else []) + settings)})"
    try:
        return parse_metric(spec)
    except UnknownNameError as error:
        if error.kind not in flags:
            raise
        raise UnknownNameError(f"value of {flags[error.kind]}", error.name, error.known) from None
    except InputError as error:
        said = str(error)
        for setting, option in flags.items():
            said = said.replace(f": {setting} must be ", f": {option} must be ")
        if "level" not in flags and ": level must be 0 to " in said:
            said += "; name one with --level"
        raise InputError(said) from None


def _check_read(context: typer.Context, metric: Metric) -> None:
    """Raise InputError for options that scoring with this metric would not read."""
    unread: list[str] = []
    if not isinstance(metric, SpanMetric):
        unread += typed(context, _SPANS)
    if not isinstance(metric, StructureMetric):
        unread += typed(context, _STRUCTURES)
    if isinstance(metric, Classification | TwoClass):
        unread += typed(context, _FORMATS)
    if unread:
        raise InputError(f"{unread[0]}: has no use with --metric {metric.name}; leave it out")


def _check_shown(context: typer.Context, preds: Sequence[Path], *, ci: bool, compare: bool, as_json: bool) -> None:
    """Raise InputError for options of the output that do not fit together."""
    for path in preds:
        run = path.parent if path.name == "records.jsonl" else path
        if (run / "run.json").is_file():
            raise InputError(
                f"--pred: must be a file of predictions, got the run {run}; `fallax bench export {run} --to fallax"
                " --output FILE` writes one, and `fallax bench score` scores the run"
            )
    if twice := [path for path, n in Counter(preds).items() if n > 1]:
        raise InputError(f"--pred: each file must be given once, got {twice[0]} again; leave it out")
    if compare and len(preds) < 2:
        raise InputError("--compare: needs --pred at least twice, got one file; name the other system's")
    if as_json and typed(context, ["format"]):
        raise InputError("--format: has no use with --json; leave one of them out")
    if not ci and not compare and (unread := typed(context, ["group", "seed", "resamples"])):
        raise InputError(f"{unread[0]}: needs --ci or --compare")


@app.command()
def score(
    context: typer.Context,
    gold: Annotated[Path, typer.Option("--gold", help="Gold file, or folder of label files, in any format.")],
    pred: Annotated[list[Path], typer.Option("--pred", help="Predictions; repeat for several systems.")],
    metric: Annotated[
        str,
        typer.Option(
            "--metric", help=f"One of {', '.join(_OFFERED)}, or one with settings, such as 'flc(variant=official)'."
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
        str | None,
        typer.Option(
            "--taxonomy",
            callback=label_set,
            help="Labels must be of this set, by name or as a TOML or JSON file [that of the metric].",
        ),
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
        OnBad,
        typer.Option(
            "--on-bad-span", help="raise, or report spans that cannot be used; predicted ones count as wrong."
        ),
    ] = OnBad.RAISE,
    offsets: Annotated[
        Units, typer.Option("--offsets", help="What offsets in the files count: code-point, utf-16 or utf-8.")
    ] = Units.CODE_POINT,
    pred_offsets: Annotated[
        Units | None, typer.Option("--pred-offsets", help="The same for --pred alone [as --offsets].")
    ] = None,
    align: Annotated[
        Align, typer.Option("--align", help="Predictions find their records by id, or by text where ids differ.")
    ] = Align.ID,
    missing: Annotated[
        Missing, typer.Option("--missing", help="Records without a prediction: error, or unscored to leave them out.")
    ] = Missing.ERROR,
    by: Annotated[str | None, typer.Option("--by", help="Show parts too: label or source [none].")] = None,
    ci: Annotated[bool, typer.Option("--ci", help="95 % bootstrap intervals.")] = False,
    compare: Annotated[bool, typer.Option("--compare", help="Paired test of each system against the first.")] = False,
    group: Annotated[
        str | None,
        typer.Option(
            "--group", help="Field of gold, or of its meta, that names the document; drawn as one [group, document]."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Random seed of intervals and tests.")] = 0,
    resamples: Annotated[int, typer.Option("--resamples", min=LEAST_RESAMPLES, help="Bootstrap resamples.")] = 10_000,
    format: Annotated[str, typer.Option("--format", help="table, markdown or latex.")] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score predictions against gold with any metric."""
    for name, value, known in (("--by", by, ("label", "source")), ("--format", format, _OUTPUTS)):
        if value is not None and value not in known:
            raise UnknownNameError(f"value of {name}", value, known)
    _check_shown(context, pred, ci=ci, compare=compare, as_json=as_json)
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
    settings = {
        "level": level,
        "unit": unit,
        "variant": variant,
        "taxonomy": taxonomy,
        "similarity": scorer,
        "threshold": threshold,
        "merge_overlaps": merge_overlaps,
    }
    configured = _metric(context, metric, settings)
    if similarity_model is not None and similarity not in ("minilm", "bertscore", "bleurt"):
        raise InputError(
            f"--similarity-model: needs --similarity minilm, bertscore or bleurt, got {similarity or 'none'}"
        )
    _check_read(context, configured)
    if by is not None and not isinstance(configured, SpanMetric):
        steps = "; use bench score --by steps" if isinstance(configured, StructureMetric) else ""
        raise InputError(f"--by: {configured.name} has no parts by {by} in files{steps}")
    if isinstance(configured, StructureMetric):
        formats = {"gold_format": gold_format, "pred_format": pred_format}
        with _formats_named(gold):
            found = score_structures(configured, gold, pred, missing=missing.value, model=model, **formats)
    elif isinstance(configured, SpanMetric):
        of_gold = {"format": gold_format, "articles": articles, "offsets": offsets.value}
        of_pred = {
            "format": pred_format, "offsets": (pred_offsets or offsets).value, "align": align.value,
            "missing": missing.value,
        }  # fmt: skip
        both = {"on_bad_span": on_bad_span.value}
        try:
            with _formats_named(gold):
                found = score_spans(
                    configured, gold, pred, missing=missing.value, of_gold={**of_gold, **both},
                    of_pred={**of_pred, **both},
                )  # fmt: skip
        except UnknownNameError as error:
            of = taxonomy_of(configured.taxonomy)
            if error.kind != "label" or of is None or taxonomy is not None or "taxonomy" in metric:
                raise
            raise InputError(
                f"{error}; these are the labels of {of.name}: name the set of yours with --taxonomy, or"
                " use a metric that takes any labels, such as --metric span_match"
            ) from None
    elif isinstance(configured, Classification | TwoClass):
        found = score_labels(configured, gold, pred, missing=missing.value)
    else:
        raise InputError(
            f"--metric {configured.name}: must be a metric over spans, labels or structures; use it from Python"
        )
    _tell(found, configured)
    of_all = []
    if compare:
        n_all = max(one.score.n_scored for one in found)
        found = over_common_records(found)
        n = found[0].score.n_scored
        if n < n_all:
            of_all.append(f"scores and tests are over the {n} records that every system has a score for")
    names = _names(pred)
    drawn = Drawn(ci, compare, seed, resamples, *_grouped(found[0], gold, group)) if ci or compare else Drawn()
    found = [replace(one, score=drawn.signed(one.score)) for one in found]
    uncertain = uncertainty([one.score for one in found], by, drawn)
    of_all += drawn.notes([one.score for one in found])
    if as_json:
        shown = [json_of(one, more, by) for one, more in zip(found, uncertain, strict=True)]
        typer.echo(json.dumps(shown[0] if len(shown) == 1 else dict(zip(names, shown, strict=True))))
        return
    print_scored(names, found, uncertain, by, format, of_all)


@contextmanager
def _formats_named(gold: Path) -> Iterator[None]:
    """Errors about a format that cannot be detected name the option of the file."""
    try:
        yield
    except FormatError as error:
        option = "--gold-format" if error.path == str(gold) else "--pred-format"
        if error.path is None:
            option = "--gold-format or --pred-format"
        elif option == "--pred-format" and error.path.endswith(".tsv"):
            option += " propaganda"
        said = str(error).replace("(format=)", f"({option})")
        raise InputError(re.sub(r"\bname (its|the) format\b", rf"\g<0> ({option})", said)) from error


def _grouped(one: Scored, gold: Path, group: str | None) -> tuple[str, dict[str, str]]:
    """The field that names what intervals draw, and record -> its value; errors name the option."""
    try:
        return gold_groups(one.records or gold, group=group)
    except UnknownNameError as error:
        raise UnknownNameError("field of --group", error.name, error.known, where=str(gold)) from None
    except InputError as error:
        raise InputError(f"{gold}: {error}" + "; name another field with --group" * (group is None)) from None


def _tell(found: Sequence[Scored], metric: Metric) -> None:
    """List what was kept out of the files, and predicted labels that no gold has, on standard error."""
    problems = dict.fromkeys(p for one in found for p in one.problems if not p.kept)
    list_on_stderr("problem", list(problems))
    if isinstance(metric, SpanMetric) and (metric.ignores_labels or metric.taxonomy is not None):
        return  # labels do not matter, or their spelling was checked
    for one in found:
        odd = sorted(one.odd_labels.items(), key=lambda item: item[1] is None)
        said = [
            f"{one_line(label, 60)!r}" + (f" (gold has {one_line(near, 60)!r})" if near is not None else "")
            for label, near in odd[:_SHOWN]
        ]
        if said:
            more = f" and {len(odd) - _SHOWN} more" * (len(odd) > _SHOWN)
            note(f"{one.path}: predicted labels that gold never has: {', '.join(said)}{more}")


def _names(paths: Sequence[Path]) -> list[str]:
    stems = [p.stem for p in paths]
    return stems if len(set(stems)) == len(stems) else [str(p) for p in paths]
