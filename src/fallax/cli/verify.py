"""``fallax verify``: does the evidence support a why-claim, by which steps, and what is missing?"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fallax.api import averify, verification_system
from fallax.causality.protocols import VERIFY_PROTOCOLS
from fallax.causality.systems import BASELINE_VERIFIERS, reads_embedder
from fallax.cli._given import given, typed
from fallax.cli._models import (
    CONNECTIONS,
    CachePath,
    MaxConnections,
    MaxCost,
    ModelOptions,
    need_model,
    no_model,
    note_larger,
    open_models,
    without_secrets,
)
from fallax.cli._out import check_out, write_out
from fallax.cli._terminal import note
from fallax.cli._texts import Encoding, note_left_out, note_reading
from fallax.cli.verify_train import train
from fallax.core.types import Record, Verification
from fallax.data import list_texts, read_evidence, read_texts
from fallax.errors import InputError, ModelError, VerifierError
from fallax.models.keys import identity_of

if TYPE_CHECKING:
    from fallax.causality.systems import Verifier

__all__ = ["app"]

app = typer.Typer(name="verify", pretty_exceptions_enable=False, add_completion=False)
app.command("train")(train)


@app.callback(invoke_without_command=True)
def verify(
    context: typer.Context,
    claim: Annotated[
        str | None, typer.Option("--claim", help="The claim: something happened because of something.")
    ] = None,
    claims: Annotated[
        Path | None, typer.Option(help='Many at once: JSON Lines of {"id", "claim", "evidence": [...]}.')
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="With --claims: output file, JSON Lines; an existing one is resumed."),
    ] = None,
    abstain: Annotated[
        bool,
        typer.Option(
            help="Let the default system say that it cannot tell; otherwise it always gives the likeliest verdict."
        ),
    ] = True,
    evidence: Annotated[
        Path | None,
        typer.Option("--evidence", help="Evidence, one piece per line, or JSONL with id and text; - for a pipe."),
    ] = None,
    documents: Annotated[
        Path | None, typer.Option("--documents", help="Find evidence in this file or folder of texts.")
    ] = None,
    encoding: Encoding = "utf-8",
    n_evidence: Annotated[int, typer.Option("--n-evidence", help="Maximum sentences to find.")] = 8,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="PROVIDER/MODEL", help="Ask a chat model instead; see `fallax models list`."),
    ] = None,
    model_option: ModelOptions = None,
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            help=f"How a model is asked: {', '.join(p for p in VERIFY_PROTOCOLS if p != 'task-2')};"
            " see `fallax bench list`.",
        ),
    ] = "task-4",
    reasoning: Annotated[bool, typer.Option("--reasoning", help="Let the model reason before it answers.")] = False,
    system: Annotated[
        str | None,
        typer.Option(
            "--system",
            help=f"A verifier by name: {', '.join(BASELINE_VERIFIERS)}; or the folder of a trained verifier or of an"
            " entailment model [entailment, also named entailment-causes, as in results].",
        ),
    ] = None,
    classes: Annotated[int, typer.Option("--classes", help='3 verdicts; or 2, without "not enough information".')] = 3,
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            metavar="NAME",
            help="How texts are compared: minilm, or MODULE:FUNCTION of your own, from texts to vectors [tf-idf].",
        ),
    ] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw the structure into this file too.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    cache: CachePath = None,
    max_connections: MaxConnections = CONNECTIONS,
    max_cost: MaxCost = None,
) -> None:
    """Verify a claim of the form "this because of that" against evidence.

    Prints the verdict, the chain from evidence to claim, the unused evidence, and what is missing. Without
    --model, the shipped entailment model decides. The verdict is about the given evidence, not about the world.
    """
    if context.invoked_subcommand is not None:
        return
    if claim is None and claims is None:
        raise InputError("--claim: must be given, or --claims with a file of many, got neither")
    if claim is not None and claims is not None:
        raise InputError("--claim and --claims: must be given one at a time, got both")
    if claims is not None and (evidence is not None or documents is not None or svg is not None):
        raise InputError("--claims: each line has its evidence; leave --evidence, --documents and --svg out")
    if out is not None and claims is None:
        raise InputError("--output needs --claims")
    if claims is not None:
        pass
    elif evidence is not None and documents is not None:
        raise InputError("--evidence and --documents: must be given one at a time, got both")
    elif evidence is None and documents is None:
        raise InputError("--evidence or --documents: must be given, got neither")
    if protocol == "task-2":
        raise InputError("--protocol: task-2 is given a structure and cannot be used here; take task-4 or pipeline-4")
    check_out(svg, [evidence])
    pieces = None if evidence is None else read_evidence(evidence)
    if model is None:
        need_model(context, ["protocol", "reasoning"])
    else:
        no_model(context, ["abstain"])
        abstain = True
    if documents is None and not (model is None and reads_embedder(system)) and not given(context, ["embedder"]):
        embedder = None  # of a configuration file, for calls that read it
    for option in typed(context, ["n_evidence", "encoding"] if documents is None else []):
        raise InputError(f"{option} needs --documents")
    if svg is not None and documents is not None:
        check_out(svg, list_texts(documents))
    texts = None if documents is None else _texts(documents, encoding)
    settings = given(context, ["protocol", "reasoning", "classes", "n_evidence"])
    with open_models(model_option, cache=cache, max_connections=max_connections, max_cost=max_cost) as load:
        chat = None if model is None else load(model)
        if claims is not None or claim is None:
            asked = {name: value for name, value in settings.items() if name != "n_evidence"}
            verifier = verification_system(system=system, model=chat, embedder=embedder, abstain=abstain, **asked)
            options = {
                name: context.params[name] for name in ("abstain", "classes", "embedder", "protocol", "reasoning")
            }
            options["model_options"] = without_secrets(model_option)
            if chat is not None:
                options |= {"model": identity_of(chat), "prompts": verifier.identity["prompts"]}
            ahead = 1 if chat is None else max_connections
            if _verify_claims(claims or Path("-"), out, verifier, as_json, options, ahead):
                raise typer.Exit((VerifierError if chat is None else ModelError).exit_code)
            return
        found = asyncio.run(
            averify(
                claim, pieces, documents=texts, system=system, model=chat, embedder=embedder, abstain=abstain,
                **settings,
            )
        )  # fmt: skip
    if as_json:
        typer.echo(json.dumps(found.to_dict(), ensure_ascii=False, indent=2))
    else:
        _show(found)
        if found.label is None and model is None and system in (None, "entailment"):
            note_larger("cannot tell")
    if svg is not None:
        _draw(found, svg)
    if model is not None and found.label is None and found.probability is None:
        raise typer.Exit(1)


def _texts(documents: Path, encoding: str) -> Iterator[Record]:
    note_left_out(documents)
    for record in read_texts(documents, encoding=encoding):
        note_reading(record)
        yield record


def _verify_claims(
    claims: Path, out: Path | None, verifier: Verifier, as_json: bool, options: Mapping[str, Any], ahead: int
) -> int:
    """Verify each line, so many at a time; returns how many the model did not answer."""
    from fallax.causality.systems import check_evidence, claim_answer
    from fallax.causality.view import likeliest
    from fallax.cli._many import Short, answer_lines, settings_of
    from fallax.data.evidence import evidence_text

    def check(row: Mapping[str, Any]) -> str:
        if not isinstance(row.get("claim"), str) or not row["claim"].strip():
            return "must have a 'claim', a text that is not empty"
        evidence = row.get("evidence")
        texts = [evidence_text(e) for e in evidence] if isinstance(evidence, list) else None
        if texts is None or not all(isinstance(text, str) for text in texts):
            return "must have 'evidence', a list of texts, or of objects with a 'text'"
        try:
            check_evidence([str(text) for text in texts])
        except InputError as error:
            return str(error)
        return ""

    def likeliest_of(said: Mapping[str, Any]) -> str:
        return likeliest(said.get("notes", ())) if said["label"] == "cannot_tell" else ""

    return answer_lines(
        claims,
        lambda row: claim_answer(verifier, row["claim"], [str(evidence_text(e)) for e in row["evidence"]]),
        check=check,
        settings=settings_of(verifier, **options),
        out=out,
        short=None if as_json else Short("the verdict", likeliest_of),
        ahead=ahead,
    )


def _draw(found: Verification, path: Path) -> None:
    from fallax.render.structure import structure_svg

    if found.structure is None:
        note(f"nothing to draw: {found.no_structure}")
        return
    write_out(path, structure_svg(found.structure))


def _show(found: Verification) -> None:
    from fallax.causality.view import verification_text
    from fallax.cli._console import Console

    width = None if sys.stdout.isatty() else 100
    Console(highlight=False, width=width).print(verification_text(found), crop=False)
