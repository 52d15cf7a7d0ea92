"""``fallax build``: builds your own benchmark: posts, arguments, benign sentences, agreement, diversity."""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from fallax.cli._models import CONNECTIONS, CachePath, MaxConnections, MaxCost, ModelOptions, need_model, open_models
from fallax.cli._out import check_out
from fallax.cli._terminal import tell, tell_numbers
from fallax.cli.build_causal import causal, causal_apply, causal_check
from fallax.cli.build_judging import judge_model, judge_scores, judge_sheet
from fallax.cli.build_methods import methods
from fallax.core.texts import EMBEDDERS, load_embedder
from fallax.core.types import ArgumentForm, ChatModel, Record
from fallax.data import (
    append_forms,
    check_review,
    read_fallacies,
    read_review,
    read_texts,
    reviewed_records,
    sample_benign,
    select_posts,
    write_corpus,
)
from fallax.errors import FallaxError, InputError, ModelError
from fallax.metrics import Agreement, diversity, hashed_ngrams, label_agreement

__all__ = ["app"]

app = typer.Typer(
    name="build",
    help="Build a set: choose posts, turn them into arguments that people review; draft claims about causes.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

app.command("causal")(causal)
app.command("causal-check")(causal_check)
app.command("causal-apply")(causal_apply)
app.command("methods")(methods)
app.command("judge-sheet")(judge_sheet)
app.command("judge-model")(judge_model)
app.command("judge-scores")(judge_scores)

Field = Annotated[str, typer.Option("--field", help="Field or column that holds the text.")]
Keywords = Annotated[
    list[str] | None, typer.Option("--keyword", help="Texts must contain at least one of these words; repeatable.")
]
Without = Annotated[
    list[str] | None, typer.Option("--without", help="Texts must contain none of these words; repeatable.")
]
Out = Annotated[Path, typer.Option("--output", "-o", help="JSONL file to write; - for standard output.")]
TaxonomyName = Annotated[str, typer.Option("--taxonomy", help="Labels must be of this set.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def posts(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSONL, CSV, TSV or Parquet; - for JSONL.")],
    out: Out,
    field: Field = "text",
    keyword: Keywords = None,
    without: Without = None,
    score_field: Annotated[str, typer.Option("--score-field", help="Field with the score, such as upvotes.")] = "score",
    min_score: Annotated[float | None, typer.Option("--min-score", help="Minimum score [any].")] = None,
    top: Annotated[int | None, typer.Option("--top", help="Keep only the N highest scores [all].")] = None,
    min_words: Annotated[int, typer.Option("--min-words", help="Minimum words of a text.")] = 1,
    max_words: Annotated[int | None, typer.Option("--max-words", help="Maximum words of a text [any].")] = None,
    keep: Annotated[
        list[str] | None, typer.Option("--keep", help="Keep this field too; repeatable [only id, text and score].")
    ] = None,
) -> None:
    """Select posts by keyword, score and length; duplicates are left out."""
    check_out(out, files)
    found = select_posts(
        read_texts(files, field=field),
        keywords=keyword or (),
        without=without or (),
        score_field=score_field,
        min_score=min_score,
        top=top,
        min_words=min_words,
        max_words=max_words,
        keep=keep or (),
    )
    write_corpus(found.records, out)
    tell_numbers(found.to_dict())


@app.command()
def forms(
    context: typer.Context,
    posts: Annotated[Path, typer.Argument(metavar="POSTS", help="Posts, as `fallax build posts` writes them.")],
    out: Annotated[Path, typer.Option("--output", "-o", help="Review file; existing blocks are kept.")],
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="PROVIDER/MODEL", help="The model that drafts; without it the forms are empty."
        ),
    ] = None,
    model_option: ModelOptions = None,
    field: Field = "text",
    taxonomy: TaxonomyName = "smartypat",
    cache: CachePath = None,
    max_connections: MaxConnections = CONNECTIONS,
    max_cost: MaxCost = None,
) -> None:
    """Draft "Since p1 and p2, therefore q" for each post that is not in the review file yet, for people to edit."""
    check_out(out, [posts])
    if model is None:
        need_model(context)
    done = {f.id for f in read_review(out, taxonomy=taxonomy)} if out.is_file() else set()
    todo = [r for r in read_texts(posts, field=field) if r.id not in done]
    counts = {"n_here_already": len(done), "n_written": 0, "n_empty": 0, "n_failed": 0}

    def counted(drafted: Iterable[ArgumentForm]) -> Iterator[ArgumentForm]:
        for form in drafted:
            counts["n_empty"] += not form.is_complete
            yield form

    if model is None:
        counts["n_written"] = append_forms(out, counted(ArgumentForm(r.id, r.text) for r in todo))
    else:
        with open_models(model_option, cache=cache, max_connections=max_connections, max_cost=max_cost) as load:
            asyncio.run(_draft(todo, out, load(model), counts))
    tell_numbers(counts)
    if counts["n_failed"]:  # the same command tries them again
        raise typer.Exit(ModelError.exit_code)


async def _draft(todo: Sequence[Record], review: Path, chat: ChatModel, counts: dict[str, int]) -> None:
    from fallax.generation.protocols import FormProtocol, draft_forms

    async for record, found in draft_forms(FormProtocol(), todo, chat):
        if isinstance(found, ArgumentForm):
            counts["n_written"] += append_forms(review, [found])
            counts["n_empty"] += not found.is_complete
        else:
            counts["n_failed"] += 1
            typer.echo(f"fallax: error: post {record.id!r}: {found}", err=True)


@app.command()
def check(
    review: Annotated[Path, typer.Argument(metavar="REVIEW", help="Review file.")],
    posts: Annotated[
        Path | None, typer.Option("--posts", help="The posts it was made from; none may be missing or changed.")
    ] = None,
    field: Field = "text",
    taxonomy: TaxonomyName = "smartypat",
    as_json: AsJson = False,
) -> None:
    """List problems in a review file by line, and the remaining work. Exit code 2 if there are problems."""
    given = None if posts is None else read_texts(posts, field=field)
    problems = check_review(review, taxonomy=taxonomy, posts=given)
    counts: dict[str, int] = {}
    if not problems:
        for form in read_review(review, taxonomy=taxonomy):
            counts[form.status] = counts.get(form.status, 0) + 1
    if as_json:
        listed = [{"line": p.line, "message": p.message} for p in problems]
        typer.echo(json.dumps({"problems": listed, "counts": counts}, ensure_ascii=False))
    else:
        for problem in problems:
            typer.echo(str(problem))
        if not problems:
            typer.echo(f"{review}: {', '.join(f'{n} {status}' for status, n in sorted(counts.items())) or 'empty'}")
    if problems:
        raise typer.Exit(2)


@app.command("apply")
def apply_review(
    review: Annotated[Path, typer.Argument(metavar="REVIEW", help="Review file.")],
    out: Out,
    posts: Annotated[
        Path | None, typer.Option("--posts", help="The posts it was made from; none may be missing or changed.")
    ] = None,
    text: Annotated[str, typer.Option("--text", help="What becomes the text: post or declarative.")] = "post",
    field: Field = "text",
    taxonomy: TaxonomyName = "smartypat",
) -> None:
    """Write the accepted posts as annotated records with argument, formula and labels."""
    check_out(out, [review, posts])
    given = None if posts is None else read_texts(posts, field=field)
    found = read_review(review, taxonomy=taxonomy, posts=given)
    records = reviewed_records(found, text=text)
    write_corpus(records, out)
    numbers = {f"n_{status}": sum(f.status == status for f in found) for status in ("ok", "todo", "drop")}
    tell_numbers({**numbers, "n_without_labels": sum(r.gold is None for r in records)})


@app.command()
def benign(
    corpus: Annotated[
        list[Path], typer.Argument(metavar="CORPUS...", help="Texts, JSONL, CSV, TSV, Parquet or folders of them.")
    ],
    like: Annotated[
        Path, typer.Option("--like", help="Sentences to match in length: JSONL, CSV or Parquet with a text.")
    ],
    out: Out,
    n: Annotated[int | None, typer.Option("--n", "-n", help="Number of sentences [as many as in --like].")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 0,
    field: Annotated[str | None, typer.Option("--field", help="Field or column that holds the text.")] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Do not split texts into sentences.")] = False,
    keyword: Keywords = None,
    without: Without = None,
) -> None:
    """Draw sentences from any corpus, matched in length with given ones. Nobody has checked that they are sound."""
    check_out(out, [*corpus, like])
    lengths = [r.text for r in read_texts(like, field="text")]
    texts = read_texts(corpus, field=field)
    found = sample_benign(
        texts, like=lengths, n=n, seed=seed, whole=whole, keywords=keyword or (), without=without or ()
    )
    write_corpus(found.records, out)
    tell_numbers(found.to_dict())


@app.command()
def agree(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="A file for each annotator: JSONL with labels, or a review file."),
    ],
    taxonomy: TaxonomyName = "smartypat",
    as_json: AsJson = False,
) -> None:
    """Measure the agreement of several annotators: on the whole set of labels, and label by label."""
    names = [str(f) if [g.stem for g in files].count(f.stem) > 1 else f.stem for f in files]
    if len(set(names)) < len(names):
        raise InputError(f"each annotator must have their own file, got {', '.join(map(str, files))}")
    annotations = {name: _labels(path, taxonomy) for name, path in zip(names, files, strict=True)}
    found = label_agreement(annotations)
    if as_json:
        typer.echo(json.dumps(found.to_dict(), ensure_ascii=False))
        return
    typer.echo(f"{len(files)} annotators, {found.percent.n_items} items, {found.percent.n_pairable} labelled by two")
    rows = [("all labels alike, share of pairs", found.percent), ("all labels, Krippendorff's alpha", found.alpha)]
    rows += [("all labels, Fleiss' kappa", found.fleiss)] if found.fleiss is not None else []
    rows += [(f"{label}, alpha", one) for label, one in found.by_label.items()]
    for name, one in rows:
        typer.echo(f"{name}: {_number(one)}")


def _number(found: Agreement) -> str:
    return "undefined" if found.value is None else f"{found.value:.3f}"


def _labels(path: Path, taxonomy: str) -> dict[str, frozenset[str] | None]:
    if path.suffix.lower() not in (".jsonl", ".ndjson"):
        # Posts that are to do or to drop were not labelled.
        return {
            form.id: frozenset(form.labels) if form.status == "ok" else None
            for form in read_review(path, taxonomy=taxonomy)
        }
    return {
        r.id: frozenset(x for g in r.gold or () for x in g.labels)
        for r in read_fallacies(path, taxonomy=taxonomy)
        if "twin_of" not in r.meta
    }


@app.command("diversity")
def diversity_command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="A file for each set: JSONL, CSV, TSV or Parquet.")
    ],
    field: Field = "text",
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            metavar="NAME",
            help="How texts are compared: minilm, or MODULE:FUNCTION, from texts to vectors [word and letter counts].",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure diversity: mean cosine similarity within each file and between files; lower is more diverse."""
    sets = {path.stem: [r.text for r in read_texts(path, field=field)] for path in files}
    if len(sets) < len(files):
        raise InputError(f"each set must have its own file name, got {', '.join(map(str, files))}")
    found = diversity(sets, embed=hashed_ngrams if embedder is None else _embedder(embedder), embedder=embedder or "")
    if as_json:
        typer.echo(json.dumps(found.to_dict(), ensure_ascii=False))
        return
    for name, value in found.within.items():
        typer.echo(f"within {name} ({found.n[name]}): {'undefined' if value is None else f'{value:.4f}'}")
    for (a, b), value in found.across.items():
        typer.echo(f"{a} against {b}: {'undefined' if value is None else f'{value:.4f}'}")
    if embedder is None:
        tell("by words and spelling alone: not comparable with published numbers")


def _embedder(name: str) -> Any:
    if name in EMBEDDERS:
        return load_embedder(name)
    module, _, function = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        if isinstance(error, FallaxError):
            raise
        raise InputError(
            f"--embedder: must be minilm or MODULE:FUNCTION that can be imported, got {name!r} ({error})"
        ) from error
    if not callable(found):
        raise InputError(f"--embedder: must be a function, got {type(found).__name__} {name!r}")
    return found
