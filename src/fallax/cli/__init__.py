"""The command line: ``fallax COMMAND``. A command's module is imported only when it is called."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from fallax._version import __version__
from fallax.cli._config import defaults_for
from fallax.cli._examples import EXAMPLES
from fallax.cli._given import as_typed
from fallax.cli._renamed import old_names, option_names, rename_words
from fallax.cli._terminal import Told, detail, detail_traceback, guarded, note, set_told, tell_error
from fallax.errors import FallaxError

__all__ = ["COMMANDS", "command_of", "main"]

#: The folder of the package.
_PACKAGE = Path(__file__).parents[1]
#: How an item of a list begins.
_ITEM = re.compile(r"\s*(?:-|\d+[.)])\s")
#: what it is for -> command -> one line for the overview
_GROUPS: dict[str, dict[str, str]] = {
    "Examine texts": {
        "detect": "Find passages that look fallacious: which fallacy, how sure, and why.",
        "debate": "Judge whether a summary is faithful to its document, alone or in a debate of models.",
        "verify": "Verify a claim about cause and effect against evidence: the verdict, and the chain to it.",
        "structure": "Check, convert and draw argument structures.",
        "scan": "Examine many texts, pairs or claims, on one machine or many.",
        "serve": "Examine, debate, verify, generate and annotate in a browser; an HTTP API for programs.",
        "lsp": "Show findings in an editor, as you write: a language server.",
        "mcp": "Serve tools for agents, over the Model Context Protocol.",
    },
    "Measure": {
        "bench": "Run benchmarks with any system; resume, score and compare runs.",
        "score": "Score predictions against gold with any metric.",
        "report": "Report on runs as one page: scores, labels, calibration, cost, records.",
        "gate": "Check runs, texts and summaries against thresholds: pass, fail or undecided.",
        "reproduce": "Recompute the tables of a paper from recorded model outputs.",
    },
    "Work with people": {
        "annotate": "Annotate in the browser: spans with alternatives, ratings; adjudicate; export.",
        "agree": "Measure agreement of annotators; merge annotations into gold.",
        "calibrate": "Compare judges with people: quality, bias, corrected rates.",
    },
    "Make data": {
        "generate": "Generate fallacious arguments with known labels and sound twins.",
        "oracle": "Derive fallacies and sound arguments from facts, with proofs.",
        "build": "Build a set: select posts, review arguments and claims, draw benign sentences.",
    },
    "Look up and set up": {
        "data": "List label sets and data sets; count, convert and check annotated files.",
        "models": "List, fetch, serve and try models; look after the cache of answers.",
        "detectors": "Train, evaluate and describe detectors that need no chat model.",
        "config": "Show default values of options, and the files they come from.",
    },
}
#: name -> (module with ``app``, one line for the overview)
COMMANDS: dict[str, tuple[str, str]] = {
    name: (f"fallax.cli.{name}", about) for group in _GROUPS.values() for name, about in group.items()
}


def _version(value: bool) -> None:
    if value:
        typer.echo(f"fallax {__version__}")
        raise typer.Exit


def _quiet(value: bool) -> None:
    if value:
        set_told(Told.ERRORS)


def _verbose(value: bool) -> None:
    if value:
        set_told(Told.DETAILS)


#: Options that every command has.
_Quiet = Annotated[
    bool,
    typer.Option(
        "-q", "--quiet", callback=_quiet, is_eager=True, expose_value=False, help="Hide notes and progress, not errors."
    ),
]
_Verbose = Annotated[
    bool,
    typer.Option(
        "-v",
        "--verbose",
        callback=_verbose,
        is_eager=True,
        expose_value=False,
        help="Show more notes.",
    ),
]


def _everywhere() -> list[Any]:
    app = typer.Typer()

    @app.command()
    def _(quiet: _Quiet = False, verbose: _Verbose = False) -> None: ...

    return [p for p in typer.main.get_command(app).params if p.name in ("quiet", "verbose")]


def _overview() -> typer.Typer:
    """The root command, for the overview only; :func:`main` calls the commands themselves."""
    app = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Begin with: fallax detect --explain MY-TEXT.txt. Each command has --help.",
    )

    @app.callback()
    def root(
        version: Annotated[
            bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
        ] = False,
        quiet: _Quiet = False,
        verbose: _Verbose = False,
    ) -> None:
        """Find, debate, verify, generate and score flawed reasoning in natural language."""

    for group, commands in _GROUPS.items():
        for name, about in commands.items():
            app.command(name, help=about, rich_help_panel=group)(lambda: None)
    return app


def command_of(name: str) -> Any:
    """A command group as the shell calls it: with ``-h``, and examples at the end of each help.

    Parameters
    ----------
    name : a key of :data:`COMMANDS`.
    """
    command = typer.main.get_command(importlib.import_module(COMMANDS[name][0]).app)
    command.context_settings["help_option_names"] = ["-h", "--help"]
    _dress(command, name, _everywhere())
    return command


def _variable(name: str) -> str:
    return f"FALLAX_{name}".upper().replace(" ", "_").replace("-", "_")


def _joined(text: str) -> str:
    """Each paragraph as one line, each item of a list as a line of its own after a backspace, which tells click so."""
    paragraphs: list[str] = []
    for given in inspect.cleandoc(text).split("\n\n"):
        lines: list[str] = []
        for line in given.splitlines():
            if not lines or _ITEM.match(line):
                lines.append(" ".join(line.split()))
            else:
                lines[-1] += " " + " ".join(line.split())
        if lines and not _ITEM.match(lines[0]):
            paragraphs.append(lines.pop(0))
        if lines:
            paragraphs.append("\n".join(("\b", *lines)))
    return "\n\n".join(paragraphs)


def _dress(command: Any, name: str, everywhere: list[Any]) -> None:
    command.params += everywhere
    options = option_names(command)
    for parameter in command.params:
        if parameter.envvar is None and parameter.param_type_name == "option":
            typed = next((o[2:] for o in parameter.opts if o.startswith("--")), parameter.name)
            parameter.envvar = [_variable(f"{name} {t}") for t in (typed, *old_names(options, typed))]
        parameter.show_envvar = False  # docs/environment.md has them all
    command.rich_markup_mode = None  # boxes leave 20 of 80 columns for what an option does
    command.help = _joined(command.help or "")
    command.short_help = command.help.split("\n\n")[0]  # otherwise it is cut in the list of subcommands
    examples = EXAMPLES.get(name, ())
    if examples:
        command.epilog = "\n".join(("\b", "Examples:", *(f"  fallax {name} {e}".rstrip() for e in examples)))
    for child, below in getattr(command, "commands", {}).items():
        _dress(below, f"{name} {child}", _everywhere())
    if getattr(command, "invoke_without_command", False) and examples:
        _explain_texts(command, name, examples[0])


def _explain_texts(command: Any, name: str, example: str) -> None:
    """Say how a text is given to a command that takes options alone, where a file's name stands for a subcommand."""
    known = command.resolve_command

    def resolve(context: Any, words: list[str]) -> Any:
        if words[0] not in command.commands and not words[0].startswith("-"):
            below = ", ".join(sorted(command.commands))
            context.fail(
                f"{words[0]!r} is no subcommand (there are: {below}); give texts by options: fallax {name} {example}"
            )
        return known(context, words)

    command.resolve_command = resolve


def _called(command: Any, words: Sequence[str]) -> Any:
    """The subcommand named by the words, or the command itself."""
    for i, word in enumerate(words):
        below = getattr(command, "commands", {}).get(word)
        if below is not None:
            return _called(below, words[i + 1 :])
    return command


def _complete_below(overview: Any) -> None:
    """Import the command that is being completed; the others are not imported, to be fast."""
    typed = " ".join(os.environ.get(name, "") for name in ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")).split()
    for name in COMMANDS.keys() & set(typed):
        overview.commands[name] = command_of(name)


def main(args: Sequence[str] | None = None) -> None:
    """Run ``fallax``; fallax errors become one line on standard error and an exit code.

    Parameters
    ----------
    args : the words after ``fallax``; by default those of the process.
    """
    words = list(sys.argv[1:] if args is None else args)
    set_told(Told.NOTES)
    with guarded(), warnings.catch_warnings():
        warnings.showwarning = _note_warning(warnings.showwarning)
        _run(words)


def _note_warning(other: Callable[..., None]) -> Callable[..., None]:
    """Shows what fallax warns of, such as a plugin that cannot be loaded, as a note; any other warning as before."""

    def show(message: Warning | str, category: type[Warning], filename: str, *args: Any, **options: Any) -> None:
        if category is UserWarning and Path(filename).is_relative_to(_PACKAGE):
            note(message)
        else:
            other(message, category, filename, *args, **options)

    return show


def _run(words: list[str]) -> None:
    called, begun = None, time.monotonic()
    for word in words:
        if word in ("-q", "--quiet", "-v", "--verbose"):  # before the first note, wherever they stand
            (_quiet if word in ("-q", "--quiet") else _verbose)(True)
    first = next((i for i, w in enumerate(words) if w not in ("-q", "--quiet", "-v", "--verbose")), len(words))
    try:
        if first < len(words) and words[first] in COMMANDS:
            name = words[first]
            command = command_of(name)
            called = _called(command, words[first + 1 :])
            rest = rename_words(called, words[first + 1 :])
            defaults = defaults_for(command, name)
            command(rest, prog_name=f"fallax {name}", auto_envvar_prefix=_variable(name), default_map=defaults)
        else:
            overview = typer.main.get_command(_overview())
            if "_FALLAX_COMPLETE" in os.environ:
                _complete_below(overview)
            overview(words, prog_name="fallax")
    except FallaxError as error:
        said = str(error) if called is None else as_typed(str(error), called)
        tell_error(said)
        detail_traceback(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:  # while a command is imported; later, typer ends it in the same way
        sys.exit(130)
    finally:
        detail(f"fallax {__version__}, Python {sys.version.split()[0]}, {time.monotonic() - begun:.2f} s")
