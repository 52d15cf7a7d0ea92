"""``fallax build causal``, ``causal-check``, ``causal-apply``: why-claims from pairs of cause and effect."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from fallax.causality.building import (
    BuildSettings,
    Built,
    StepLog,
    assemble,
    build_drafts,
    check_draft,
    check_pair,
    describe_claims,
    split_claims,
)
from fallax.cli._models import CONNECTIONS, MaxConnections, MaxCost, ModelOptions, open_models
from fallax.cli._out import check_out, make_folder
from fallax.cli._terminal import live, tell_numbers
from fallax.core.texts import load_embedder, sentence_spans
from fallax.core.types import CausalClaim, ChatModel
from fallax.core.whole import lines_of, read_whole
from fallax.data import (
    append_claim_drafts,
    check_claim_review,
    decide_reviews,
    read_claim_review,
    read_pairs,
    read_texts,
    write_claims,
)
from fallax.errors import FormatError, InputError, ModelError
from fallax.metrics import label_agreement

__all__ = ["causal", "causal_apply", "causal_check"]

Seed = Annotated[int, typer.Option("--seed", help="Random seed.")]
Distractors = Annotated[str, typer.Option("--distractors", help="How many distractors: LEAST-MOST.")]
Candidates = Annotated[int, typer.Option("--candidates", help="How many of them BM25 finds first.")]
Corpus = Annotated[
    list[Path] | None, typer.Option("--corpus", help="Texts whose sentences may be distractors too; repeatable.")
]
EmbedderName = Annotated[
    str | None,
    typer.Option(
        "--embedder", metavar="NAME", help="For distractors: minilm, or MODULE:FUNCTION, texts to vectors [tf-idf]."
    ),
]


def _range(text: str) -> tuple[int, int]:
    least, _, most = text.partition("-")
    try:
        return int(least), int(most or least)
    except ValueError:
        raise InputError(f"--distractors: must be LEAST-MOST, such as 8-12, got {text!r}") from None


def _sentences(paths: list[Path] | None) -> list[str]:
    return [r.text[a:b] for r in read_texts(paths) for a, b in sentence_spans(r.text)] if paths else []


#: What a build leaves for `causal-apply`: sentences that may be distractors, one JSON text a line.
_SENTENCES = "sentences.jsonl"


def _keep_sentences(folder: Path, sentences: Sequence[str]) -> None:
    lines = [json.dumps(s, ensure_ascii=True) + "\n" for s in dict.fromkeys(sentences)]
    (folder / _SENTENCES).write_text("".join(lines), encoding="utf-8")


def _kept_sentences(build: Path | None, reviews: Sequence[Path]) -> list[str]:
    """The sentences of the named build, else of all builds whose folders contain a review."""
    folders = [build] if build is not None else list(dict.fromkeys(r.parent for r in reviews))
    if build is not None and not (build / _SENTENCES).is_file():
        raise InputError(f"--build: must be a folder of `fallax build causal`, found no {_SENTENCES} in {build}")
    found: list[str] = []
    for path in (f / _SENTENCES for f in folders):
        if not path.is_file():
            continue
        for number, line in enumerate(lines_of(read_whole(path)), start=1):
            try:
                text = json.loads(line)
            except (ValueError, RecursionError):
                text = None
            if not isinstance(text, str):
                raise FormatError("must be a JSON text", path=path, line=number)
            found.append(text)
    return found


def _few(claims: Sequence[CausalClaim], span: tuple[int, int], n_more: int) -> dict[str, Any]:
    """Why claims have fewer distractors than requested; {} if none has."""
    few = [c.n_distractors for c in claims if c.n_distractors < span[0]]
    if not few:
        return {}
    why = (
        f"no more sentences share a word with these claims, of the other pairs' evidence and {n_more} further ones;"
        " give more with --corpus, or those of the build with --build"
    )
    return {"fewer distractors than asked for": {"claims": len(few), "fewest": min(few), "why": why}}


def _hash(pairs: Iterable[CausalClaim]) -> str:
    digest = hashlib.sha256()
    for p in pairs:
        said = [p.id, p.cause, p.effect, p.meta.get("explanation", "")]
        digest.update(json.dumps(said).encode() + b"\n")
    return digest.hexdigest()[:16]


def causal(
    pairs: Annotated[
        str, typer.Argument(metavar="PAIRS", help="wikiwhy, or a CSV, TSV or JSONL file with cause and effect.")
    ],
    out: Annotated[Path, typer.Option("--output", "-o", help="Folder of the build; an existing build is resumed.")],
    model: Annotated[str, typer.Option("--model", metavar="PROVIDER/MODEL", help="The model that drafts.")],
    model_option: ModelOptions = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Use only the first N usable pairs [all].")] = None,
    attempts: Annotated[int, typer.Option("--attempts", help="Maximum attempts until a reply can be read.")] = 3,
    temperature: Annotated[
        float, typer.Option("--temperature", help="Sampling temperature of all steps except the structure.")
    ] = 0.7,
    min_words: Annotated[
        int, typer.Option("--min-words", help="Leave out pairs whose cause or effect has fewer words.")
    ] = 3,
    seed: Seed = 0,
    distractors: Distractors = "8-12",
    candidates: Candidates = 300,
    corpus: Corpus = None,
    explanations: Annotated[bool, typer.Option(help="Explanations of unused pairs may be distractors too.")] = True,
    embedder: EmbedderName = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache", envvar="FALLAX_CACHE", help="File that keeps the model's answers [calls.sqlite in the build]."
        ),
    ] = None,
    max_connections: MaxConnections = CONNECTIONS,
    max_cost: MaxCost = None,
) -> None:
    """Draft claims with evidence from pairs of cause and effect; also refuted claims, structures and distractors.

    Writes steps.jsonl (every reply, as it arrives), review.txt (for people) and claims.jsonl (the drafted set). The
    same command resumes an interrupted build.
    """
    span = _range(distractors)
    if limit is not None and limit < 1:
        raise InputError(f"--limit: must be 1 or more, got {limit}")
    settings = BuildSettings(attempts=attempts, temperature=temperature, min_words=min_words)
    found = read_pairs(pairs)
    kept, left_out = _chosen(found, settings, limit)
    more = _sentences(corpus)
    if explanations:
        asked = {p.id for p in kept}
        others = [str(p.meta.get("explanation", "")) for p in found if p.id not in asked]
        more += [text[a:b] for text in others for a, b in sentence_spans(text)]
    vectors = load_embedder(embedder)
    named = {
        **settings.to_dict(),
        "model": model,
        "model_options": sorted(_shown(model_option)),
        "pairs": _hash(found),
    }
    kept_in = cache or out / "calls.sqlite"
    with (
        StepLog(out, named) as log,
        open_models(model_option, cache=kept_in, max_connections=max_connections, max_cost=max_cost) as load,
    ):
        built = asyncio.run(_drafted(kept, load(model), log, settings))
        drafts = [d for b in built for d in b.drafts]
        append_claim_drafts(out / "review.txt", drafts)
        _keep_sentences(out, more)
        claims = assemble(drafts, n_distractors=span, candidates=candidates, embedder=vectors, more=more, seed=seed)
        write_claims(claims, out / "claims.jsonl")
        counts = {status: sum(b.status == status for b in built) for status in ("ok", "unreadable", "failed")}
        tell_numbers(
            {
                "pairs": {**counts, "left out": left_out},
                "steps": {"there": log.n_read, "added": log.n_added},
                "checks": sum(len(check_draft(d)) for d in drafts),
                "claims": describe_claims(claims),
                **_few(claims, span, len(more)),
            }
        )
    for b in built:
        if b.status != "ok":
            typer.echo(f"fallax: error: pair {b.pair.id!r}: {b.status}: {b.reason}", err=True)
    if counts["failed"]:  # the same command tries them again
        raise typer.Exit(ModelError.exit_code)


def _shown(options: list[str] | None) -> list[str]:
    """The options that can change an answer; keys and addresses are not written to files."""
    return sorted(o for o in options or [] if o.partition("=")[0].strip() not in ("api_key", "base_url"))


def _chosen(pairs: Sequence[CausalClaim], settings: BuildSettings, limit: int | None) -> tuple[list[CausalClaim], int]:
    """The first usable pairs, and how many unusable ones precede them."""
    kept: list[CausalClaim] = []
    left_out = 0
    for pair in pairs:
        if len(kept) == limit:
            break
        if check_pair(pair, min_words=settings.min_words):
            left_out += 1
        else:
            kept.append(pair)
    return kept, left_out


async def _drafted(
    pairs: Sequence[CausalClaim], model: ChatModel, log: StepLog, settings: BuildSettings
) -> list[Built]:
    import sys

    built: list[Built] = []
    try:
        async for one in build_drafts(pairs, model, log, settings=settings):
            built.append(one)
            if live():
                sys.stderr.write(f"\r\x1b[K{len(built)} of {len(pairs)} pairs")
    finally:
        if live():
            sys.stderr.write("\r\x1b[K")
    return built


def causal_check(
    reviews: Annotated[list[Path], typer.Argument(metavar="REVIEW...", help="Review files of `build causal`.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List problems in review files of claims by line, remaining work, and the agreement of reviewers."""
    problems = [p for path in reviews for p in check_claim_review(path)]
    summary: dict[str, Any] = {"problems": [{"path": p.path, "line": p.line, "message": p.message} for p in problems]}
    if not problems:
        read = {str(path): read_claim_review(path) for path in reviews}
        summary["counts"] = {
            name: {s: sum(r.status == s for r in listed) for s in ("ok", "discard", "todo")}
            for name, listed in read.items()
        }
        if len(read) > 1:
            said = {
                name: {r.claim.id: None if r.status == "todo" else frozenset({r.status}) for r in listed}
                for name, listed in read.items()
            }
            found = label_agreement(said)
            summary["agreement"] = {
                "percent": found.percent.value,
                "krippendorff_alpha": found.alpha.value,
                "fleiss_kappa": None if found.fleiss is None else found.fleiss.value,
            }
    if as_json:
        typer.echo(json.dumps(summary, ensure_ascii=False))
    else:
        for problem in problems:
            typer.echo(str(problem))
        for name, counts in summary.get("counts", {}).items():
            typer.echo(f"{name}: {', '.join(f'{n} {status}' for status, n in counts.items())}")
        for name, value in summary.get("agreement", {}).items():
            typer.echo(f"{name}: {'undefined' if value is None else f'{value:.3f}'}")
    if problems:
        raise typer.Exit(2)


def causal_apply(
    reviews: Annotated[
        list[Path], typer.Argument(metavar="REVIEW...", help="A review file of each reviewer; the majority decides.")
    ],
    out: Annotated[Path, typer.Option("--output", "-o", help="JSONL file of claims, or with --split a folder.")],
    keep: Annotated[
        str, typer.Option("--keep", help="sets: keep a pair if both claims are ok; each: keep every ok claim.")
    ] = "sets",
    split: Annotated[
        list[str] | None,
        typer.Option(
            "--split", metavar="NAME=SHARE", help="A split and its share, such as train=0.8; repeatable [no splits]."
        ),
    ] = None,
    seed: Seed = 0,
    distractors: Distractors = "8-12",
    candidates: Candidates = 300,
    corpus: Corpus = None,
    build: Annotated[
        Path | None,
        typer.Option("--build", help="Folder of the build, to read its distractors [the folder of the reviews]."),
    ] = None,
    embedder: EmbedderName = None,
) -> None:
    """Make the set from accepted claims: apply edits; add claims without enough evidence, distractors and splits."""
    if keep not in ("sets", "each"):
        raise InputError(f"--keep: must be sets or each, got {keep!r}")
    shares = _shares(split)
    if shares:
        make_folder(out)
    else:
        check_out(out, [*reviews, *(corpus or ())])
    span = _range(distractors)
    if len({p.resolve() for p in reviews}) < len(reviews):
        raise InputError(f"each reviewer must have their own file, got {', '.join(map(str, reviews))}")
    decided, undecided = decide_reviews({str(path): read_claim_review(path) for path in reviews})
    drafts = [r.claim for r in decided if r.status == "ok"]
    if keep == "sets":
        labels: dict[str, set[str | None]] = {}
        for d in drafts:
            labels.setdefault(d.group, set()).add(d.label)
        drafts = [d for d in drafts if {"supports", "refutes"} <= labels[d.group]]
    more = [*_sentences(corpus), *_kept_sentences(build, reviews)]
    claims = assemble(
        drafts, n_distractors=span, candidates=candidates, embedder=load_embedder(embedder), more=more, seed=seed
    )
    if shares:
        for name, members in split_claims(claims, shares, seed=seed).items():
            write_claims(members, out / f"{name}.jsonl")
    else:
        write_claims(claims, out)
    reasons: dict[str, int] = {}
    for r in decided:
        if r.status == "discard":
            reasons[r.reason] = reasons.get(r.reason, 0) + 1
    described = describe_claims(claims)
    tell_numbers(
        {"undecided": list(undecided), "discarded": reasons, "claims": described, **_few(claims, span, len(more))}
    )


def _shares(given: list[str] | None) -> dict[str, float]:
    shares: dict[str, float] = {}
    for one in given or []:
        name, _, share = one.partition("=")
        try:
            shares[name] = float(share)
        except ValueError:
            raise InputError(f"--split: must be NAME=SHARE, such as train=0.8, got {one!r}") from None
        if not name or not name.replace("_", "").replace("-", "").isalnum():
            raise InputError(f"--split: a name must be letters and digits, as it becomes a file, got {one!r}")
    return shares
