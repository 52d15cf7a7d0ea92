"""``fallax debate``: judges whether a summary is faithful to its document; learns guidelines."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from fallax.cli._console import Console
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
)
from fallax.cli._out import check_out, write_out
from fallax.cli._terminal import live, note
from fallax.cli._texts import Encoding, note_reading
from fallax.core.prompts import prompt_slots, read_prompt, replace_prompts
from fallax.core.sink import open_folder
from fallax.core.texts import whole_characters
from fallax.core.types import FaithfulnessRecord, FaithfulnessVerdict
from fallax.data import FAITHFULNESS_SETS, load_faithfulness, read_faithfulness, read_texts
from fallax.errors import InputError, JudgeError, UnknownNameError
from fallax.faithfulness.protocols.faithfulness import PROMPTS
from fallax.faithfulness.systems import (
    AMBIGUITY_DETECTORS,
    DEFAULT_LOCAL_JUDGE,
    LOCAL_JUDGES,
    METHODS,
    POLICIES,
    VARIANTS,
    DebateSettings,
    NotingJudge,
    format_learned,
    judge_of,
    learn_guidelines,
)

__all__ = ["app"]

app = typer.Typer(
    name="debate",
    help="Judge whether a summary is faithful, unfaithful or ambiguous; show where, why, and the debate.",
    pretty_exceptions_enable=False,
    add_completion=False,
)

Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model", metavar="PROVIDER/MODEL", help="The model that debates; with several, agents take turns; repeatable."
    ),
]
Agents = Annotated[int, typer.Option(help="Agents in a session.")]
Stances = Annotated[
    str, typer.Option(help="Initial stances: uniform, none, or numbers such as 2+/3- (faithful/unfaithful).")
]
Rounds = Annotated[int, typer.Option(help="Maximum rounds of a session.")]
GuidelinesOption = Annotated[
    str | None,
    typer.Option(
        "--guidelines",
        help="A shipped list, your own file, or none [madisse.v1 in a debate, else none].",
    ),
]
Temperature = Annotated[float | None, typer.Option(help="Sampling temperature [0.7; 0 for a model asked once].")]
MaxTokens = Annotated[int, typer.Option(help="Maximum tokens of a reply.")]
Seed = Annotated[int, typer.Option(help="Random seed of stances, orders and sampling.")]


def _one_text(path: Path, what: str, encoding: str) -> str:
    if path.is_dir():
        raise InputError(f"{what}: must be one text, got the folder {path}; name a file in it")
    found = list(read_texts(path, encoding=encoding))
    if len(found) != 1:
        raise InputError(f"{what}: must be one text, got {len(found)} in {path}")
    note_reading(found[0])
    return whole_characters(found[0].text)


#: Options of the debate that only a model reads, named as :func:`judge_of` names them.
_OF_DEBATES = (
    "method", "agents", "stances", "rounds", "sessions", "vote", "adjudicators", "shuffle", "guidelines",
    "intervene_after", "intervention", "samples", "think", "calibration", "variant", "ambiguity", "temperature",
    "max_tokens", "seed", "context_tokens", "long_documents",
)  # fmt: skip


@app.callback(invoke_without_command=True)
def debate(
    context: typer.Context,
    pairs: Annotated[
        Path | None,
        typer.Option(help='Many at once, by the local judge: JSON Lines of {"id", "document", "summary"}.'),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="With --pairs: output file, JSON Lines; an existing one is resumed."),
    ] = None,
    document: Annotated[
        Path | None,
        typer.Option("--document", "-d", help="The document: a text file, Markdown, HTML, PDF, Word, a mail, or -."),
    ] = None,
    summary: Annotated[Path | None, typer.Option("--summary", "-s", help="The summary: a file, or -.")] = None,
    summary_text: Annotated[
        str | None, typer.Option("--summary-text", help="The summary itself, instead of a file.")
    ] = None,
    encoding: Encoding = "utf-8",
    model: Models = None,
    quick: Annotated[bool, typer.Option("--quick", help="No debate: the local judge, without model or key.")] = False,
    system: Annotated[
        str | None,
        typer.Option(
            "--system",
            help="A local judge by name (see `fallax debate judges`), or the folder of an entailment model"
            f" [{DEFAULT_LOCAL_JUDGE}].",
        ),
    ] = None,
    abstain: Annotated[
        bool,
        typer.Option(help="Let the local judge say that it cannot tell; otherwise it always gives the likelier label."),
    ] = True,
    method: Annotated[
        str, typer.Option("--method", help=f"One of {', '.join(METHODS)}; see `fallax debate judges`.")
    ] = "madisse",
    agents: Agents = 4,
    stances: Stances = "uniform",
    rounds: Rounds = 3,
    sessions: Annotated[
        int, typer.Option(help="Independent debates that vote; 3 with madisse-sessions, unless given.")
    ] = 1,
    vote: Annotated[
        str | None, typer.Option(help="Who has one vote over sessions: debate or agent [as in --method and --variant].")
    ] = None,
    adjudicators: Annotated[
        int | None, typer.Option(help="Adjudicators after a debate without agreement [as in --variant].")
    ] = None,
    adjudicator_model: Annotated[
        list[str] | None,
        typer.Option(metavar="PROVIDER/MODEL", help="The model that adjudicates; repeatable [the agents' models]."),
    ] = None,
    shuffle: Annotated[bool, typer.Option(help="Show arguments in a new random order in each round.")] = True,
    guidelines: GuidelinesOption = None,
    intervene_after: Annotated[int, typer.Option(help="After round N, tell agents to be more open; 0: never.")] = 2,
    intervention: Annotated[
        str, typer.Option(help="Form of the intervention: a new goal (goal) or another task (task).")
    ] = "goal",
    level: Annotated[
        str, typer.Option(help="sentence: one debate per sentence; summary: one for the whole summary.")
    ] = "sentence",
    samples: Annotated[int, typer.Option(help="Samples per sentence for self-consistency.")] = 41,
    think: Annotated[
        bool, typer.Option("--think", help="self-consistency: let every sample reason first, as agents in a debate do.")
    ] = False,
    calibration: Annotated[
        Path | None, typer.Option(help="log-odds: calibration of the model [the shipped one, if any].")
    ] = None,
    variant: Annotated[str, typer.Option(help=f"The rules of the debate: {', '.join(VARIANTS)}.")] = "definition",
    ambiguity: Annotated[
        str,
        typer.Option(
            help=f"Detector of ambiguity: {', '.join(AMBIGUITY_DETECTORS)}, or none; see `fallax debate judges`."
        ),
    ] = "arguments",
    temperature: Temperature = None,
    max_tokens: MaxTokens = 1024,
    seed: Seed = 0,
    context_tokens: Annotated[
        int | None, typer.Option(help="Context of the model, in tokens, for --long-documents [unlimited].")
    ] = None,
    long_documents: Annotated[str, typer.Option(help=f"Documents that do not fit: {', '.join(POLICIES)}.")] = "refuse",
    prompts: Annotated[
        Path | None,
        typer.Option(
            "--prompts", help="Folder with prompts of your own; see `fallax debate prompts` [those that ship]."
        ),
    ] = None,
    transcript: Annotated[bool, typer.Option(help="Show the debate.")] = True,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with verdict and debate here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    model_option: ModelOptions = None,
    cache: CachePath = None,
    max_connections: MaxConnections = CONNECTIONS,
    max_cost: MaxCost = None,
) -> None:
    """Judge whether a summary is faithful to its document, unfaithful or ambiguous: where, why, and the debate.

    With a model, agents that start from opposite stances debate each sentence. Without one, or with --quick, a local
    judge answers.
    """
    if context.invoked_subcommand is not None:
        return
    if pairs is not None:
        if model or document is not None or summary is not None or summary_text is not None:
            raise InputError("--pairs: holds documents and summaries; leave --model, --document and --summary out")
        for option in typed(context, [*_OF_DEBATES, "adjudicator_model", "prompts", "transcript", "html", "encoding"]):
            raise InputError(f"{option}: is not read with --pairs; leave it out")
        need_model(context)
        _judge_pairs(pairs, out, system, level, abstain, as_json)
        return
    if out is not None:
        raise InputError("--output needs --pairs")
    if summary is not None and summary_text is not None:
        raise InputError("--summary and --summary-text: must be given one at a time, got both")
    no_summary = summary is None and summary_text is None
    if document is None:
        also = " and --summary or --summary-text" if no_summary else ""
        raise InputError(f"--document{also}: must be given")
    if no_summary:
        raise InputError("--summary or --summary-text: must be given, got neither")
    if str(document) == "-" and str(summary) == "-":
        raise InputError("standard input can be the document or the summary, not both")
    if quick and model:
        raise InputError("--quick asks no model; leave --model out")
    if model and system is not None:
        raise InputError("--system: must come without --model, which judges instead; leave one out")
    if method not in METHODS:
        raise UnknownNameError("value of --method", method, METHODS)
    check_out(html, [document, summary])
    text = _one_text(document, "--document", encoding)
    said = whole_characters(summary_text or "") if summary is None else _one_text(summary, "--summary", encoding)
    if not model and not quick and system is None:
        note(f"no --model, so no debate; judged by the local judge {DEFAULT_LOCAL_JUDGE}")
    if not model:
        need_model(context, [*_OF_DEBATES, "adjudicator_model", "prompts", "transcript"])
    else:
        no_model(context, ["abstain"])
        abstain = True  # whatever a configuration file says of local judges
    replace_prompts(PROMPTS, prompts)
    settings = given(context, _OF_DEBATES)
    if "intervene_after" in settings:
        settings["intervene_after"] = intervene_after or None
    if "calibration" in settings:
        settings["calibration"] = str(calibration)
    with open_models(model_option, cache=cache, max_connections=max_connections, max_cost=max_cost) as load:
        from fallax.models.tokens import estimate_tokens

        judge = judge_of(
            [load(n) for n in model] if model else None,
            adjudicator_models=[load(n) for n in adjudicator_model or []],
            system=system,
            abstain=abstain,
            count_tokens=estimate_tokens,
            level=given(context, ["level"]).get("level"),
            **settings,
        )
        verdict = asyncio.run(NotingJudge(judge).judge(text, said))
    _show(verdict, said, text, as_json, html, transcript)
    n_open = sum(unit.label is None for unit in verdict.units)
    if n_open and not model and not as_json and (system or DEFAULT_LOCAL_JUDGE) == DEFAULT_LOCAL_JUDGE:
        note_larger(f"cannot tell of {n_open} of {len(verdict.units)} sentences")
    if verdict.label is None and verdict.n_replies:
        raise typer.Exit(1)


def _judge_pairs(pairs: Path, out: Path | None, system: str | None, level: str, abstain: bool, as_json: bool) -> None:
    from fallax.cli._many import Short, answer_lines, settings_of
    from fallax.faithfulness.systems import load_local_judge, pair_answer

    judge = load_local_judge(system, level=level, abstain=abstain)  # type: ignore[arg-type]
    noting = NotingJudge(judge)

    def check(row: Mapping[str, Any]) -> str:
        wrong = [n for n in ("document", "summary") if not isinstance(row.get(n), str)]
        return f"must have a text {wrong[0]!r}" if wrong else ""

    n_failed = answer_lines(
        pairs,
        lambda row: pair_answer(noting, row["document"], row["summary"]),
        check=check,
        settings=settings_of(judge, level=level, abstain=abstain),
        out=out,
        short=None if as_json else Short("faithful", _noted),
    )
    if n_failed:
        raise typer.Exit(JudgeError.exit_code)


def _noted(said: Mapping[str, Any]) -> str:
    """The probability that a summary is faithful, with the notes of the verdict."""
    sure = "" if said["probability"] is None else f"{said['probability']:.2f}"
    return f"{sure} ({'; '.join(said['notes'])})".lstrip() if said.get("notes") else sure


def _show(
    verdict: FaithfulnessVerdict, summary: str, document: str, as_json: bool, html: Path | None, transcript: bool
) -> None:
    from fallax.faithfulness.view import verdict_page, verdict_text

    if as_json:
        sys.stdout.write(json.dumps(verdict.to_dict(), ensure_ascii=False, indent=2) + "\n")
    else:
        console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
        brackets = console.color_system is None or console.no_color
        console.print(verdict_text(verdict, summary=summary, transcript=transcript, brackets=brackets))
    if html is not None:
        write_out(html, verdict_page(verdict, summary=summary, document=document))


@app.command("judges")
def list_judges(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the methods, the local judges and the ambiguity detectors."""
    local = {name: LOCAL_JUDGES.about(name) for name in sorted(LOCAL_JUDGES)}
    groups = {"methods": METHODS, "local judges": local, "detectors of ambiguity": AMBIGUITY_DETECTORS}
    if as_json:
        typer.echo(json.dumps(groups, indent=2))
        return
    for title, names in groups.items():
        typer.echo(f"{title}:")
        for name, about in names.items():
            typer.echo(f"  {name}: {about}")


@app.command("prompts")
def list_prompts(
    out: Annotated[Path | None, typer.Option("--output", "-o", help="Write the texts into a new folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the prompts that --prompts FOLDER can replace, with their required slots."""
    slots = prompt_slots(PROMPTS)
    if out is not None:
        if out.exists():
            raise InputError(f"{out}: must not be there yet")
        with open_folder(out) as folder:
            for name in slots:
                (folder / f"{name}.txt").write_text(read_prompt(PROMPTS, name) + "\n", encoding="utf-8")
    if as_json:
        typer.echo(json.dumps({n: {"slots": s, "text": read_prompt(PROMPTS, n)} for n, s in slots.items()}, indent=2))
        return
    for name, found in slots.items():
        typer.echo(f"{name}: {', '.join(found) or '(no slots)'}")


def _examples(examples: str, split: str | None, documents: Path | None) -> tuple[FaithfulnessRecord, ...]:
    if examples in FAITHFULNESS_SETS:
        if FAITHFULNESS_SETS[examples].may_train == "never":
            raise InputError(f"data set {examples!r} is for tests alone; guidelines must not be learned from it")
        return load_faithfulness(examples, split=split)
    return read_faithfulness(examples, documents=documents)


@app.command("learn-guidelines")
def learn(
    examples: Annotated[str, typer.Option(help="Labelled examples: a data set's name, or a file (see docs/data.md).")],
    out: Annotated[Path, typer.Option("--output", "-o", help="The file to write, for a person to review.")],
    model: Models = None,
    split: Annotated[str | None, typer.Option(help="A split of the data set [the first].")] = None,
    documents: Annotated[Path | None, typer.Option(help="The documents of a TofuEval file.")] = None,
    n: Annotated[int, typer.Option(min=2, help="Number of examples, half of each label if possible.")] = 12,
    passes: Annotated[int, typer.Option(help="Maximum passes over the examples.")] = 3,
    patience: Annotated[
        int | None, typer.Option(help="Stop after N debates without a new rule [all examples].")
    ] = None,
    start: Annotated[str, typer.Option("--start", help="Guidelines to start from: a name, a file, or none.")] = "none",
    agents: Agents = 4,
    stances: Stances = "uniform",
    rounds: Rounds = 3,
    temperature: Annotated[float, typer.Option(help="Sampling temperature.")] = 0.7,
    max_tokens: MaxTokens = 1024,
    seed: Seed = 0,
    model_option: ModelOptions = None,
    cache: CachePath = None,
    max_connections: MaxConnections = CONNECTIONS,
    max_cost: MaxCost = None,
) -> None:
    """Learn guidelines from labelled examples: keep rules of agents that were right, reverse those of others.

    With --cache, the same command resumes an interrupted session.
    """
    if not model:
        raise InputError("learning needs a model; give --model")
    check_out(out, [examples, documents, start])
    chosen = _chosen(_examples(examples, split, documents), n, seed)
    settings = DebateSettings.of(
        guidelines=start,
        agents=agents,
        stances=stances,
        rounds=rounds,
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
        level="summary",
    )

    def progress(n_debates: int, n_rules: int) -> None:
        if live():
            sys.stderr.write(f"\r{n_debates} debates, {n_rules} rules")

    with open_models(model_option, cache=cache, max_connections=max_connections, max_cost=max_cost) as load:
        learned = asyncio.run(
            learn_guidelines(
                chosen,
                [load(name) for name in model],
                settings=settings,
                passes=passes,
                patience=patience,
                progress=progress,
            )
        )
    if live():
        sys.stderr.write("\n")
    found = format_learned(learned, name=out.stem)
    try:
        write_out(out, found)
    except InputError:
        typer.echo(found)  # it was paid for
        raise
    kept = 0 if learned.guidelines is None else len(learned.guidelines.items)
    typer.echo(f"{out}: {kept} guidelines from {learned.n_examples} debates ({learned.stopped}); read them before use")
    if learned.unreadable:
        typer.echo(f"{len(learned.unreadable)} rules mislead and have no readable opposite; left out", err=True)
    if not kept:
        raise typer.Exit(1)


def _chosen(records: tuple[FaithfulnessRecord, ...], n: int, seed: int) -> list[FaithfulnessRecord]:
    """A random sample of ``n`` examples, half of each label if possible."""
    import random

    order = random.Random(f"{seed}|examples")
    labels = {label: [r for r in records if r.label == label] for label in ("faithful", "unfaithful")}
    drawn = {label: order.sample(found, min(len(found), (n + 1) // 2)) for label, found in labels.items()}
    both = [r for pair in zip(drawn["faithful"], drawn["unfaithful"], strict=False) for r in pair]
    return both[:n]
