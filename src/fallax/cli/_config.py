"""Default values of options from files: the user's and the project's."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from fallax.cli._renamed import new_name
from fallax.cli._terminal import detail, note
from fallax.core.whole import read_whole_toml
from fallax.errors import FormatError, InputError, UnknownNameError

__all__ = ["ConfigSetting", "defaults_for", "settings", "user_config"]

#: What a file that lies in a project may not set: a folder from somebody else must not choose where texts and keys go.
_NOT_IN_PROJECTS = frozenset(
    {"model", "adjudicator-model", "checker-model", "rater-model", "model-option", "api-key", "cache"}
)
#: The one system that may be a chat model, and options that name one, by their earlier names too.
_ASKED = frozenset(
    {f"bench.run.{name}" for name in ("system", "detector", "local-judge", "baseline")}
    | {"generate.judge", "build.methods.judge"}
)
#: Options that decide from where a page or a served model can be reached.
_REACHED = frozenset({"host", "allow-host", "token"})
#: A function that is imported and called; of a benchmark, it is an option of ``-B``.
_CODE = "embedder"


@dataclass(frozen=True, slots=True)
class ConfigSetting:
    """One default: ``detect.explain``, its value, and the file that sets it."""

    name: str
    value: Any
    path: Path


def user_config() -> Path:
    """The user's file: ``$XDG_CONFIG_HOME/fallax/config.toml``."""
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "fallax" / "config.toml"


def _read(path: Path) -> dict[str, Any]:
    try:
        return read_whole_toml(path)
    except FormatError as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            return {}
        raise


def _flat(table: Mapping[str, Any], path: Path, *, prefix: str = "") -> Iterator[ConfigSetting]:
    for key, value in table.items():
        name = f"{prefix}{str(key).replace('_', '-')}"
        if isinstance(value, Mapping):
            yield from _flat(value, path, prefix=f"{name}.")
        else:
            yield ConfigSetting(name, value, path)


def settings() -> dict[str, ConfigSetting]:
    """All defaults by name; the project's file overrides the user's.

    A project's are read in the current folder: ``fallax.toml``, and ``[tool.fallax]`` of ``pyproject.toml``.

    Raises
    ------
    InputError : a file that is not TOML, a setting of no command, or one that a project's file must not set.
    """
    found = {s.name: s for s in _flat(_read(user_config()), user_config())}
    project = Path("pyproject.toml")
    tables = [
        (project, _read(project).get("tool", {}).get("fallax", {})),
        (Path("fallax.toml"), _read(Path("fallax.toml"))),
    ]
    for path, table in tables:
        if not isinstance(table, Mapping):
            raise FormatError("[tool.fallax] must be a table", path=path)
        for setting in _flat(table, path):
            if decides := _decides(setting):
                raise InputError(
                    f"{path}: a project's file must not set {setting.name}, which decides {decides};"
                    f" set it in {user_config()}"
                )
            found[setting.name] = setting
    for s in found.values():
        _check_command(s)
        detail(f"{s.path}: {s.name} = {s.value}")
    return found


def _check_command(setting: ConfigSetting) -> None:
    from fallax.cli import COMMANDS  # which imports this module

    name, dot, _ = setting.name.partition(".")
    if not dot:
        raise InputError(f"{setting.path}: {name} must be in the table of a command, such as [detect]")
    if name not in COMMANDS:
        raise UnknownNameError("command", name, COMMANDS, where=f"{setting.path}: {setting.name}")


def _decides(setting: ConfigSetting) -> str:
    """What a setting decides that a project's file must not; "" if it may set it."""
    option = setting.name.rpartition(".")[2]
    if setting.name in _ASKED or option in _NOT_IN_PROJECTS:
        return "where texts go"
    if option in _REACHED:
        return "who can reach the page"
    given = setting.value if isinstance(setting.value, list) else [setting.value]
    of_benchmark = option == "benchmark-option" and any(str(v).partition("=")[0].strip() == _CODE for v in given)
    return "which code runs" if option == _CODE or of_benchmark else ""


def defaults_for(command: Any, name: str) -> dict[str, Any]:
    """The defaults for a command, in the form of the command line parser.

    Raises
    ------
    UnknownNameError : an option or a subcommand that the command does not have.
    InputError : a value that the option cannot have.
    """
    own = {n.removeprefix(f"{name}."): s for n, s in settings().items() if n.startswith(f"{name}.")}
    found: dict[str, Any] = {}
    for path, setting in own.items():
        _put(command, found, path.split("."), setting)
    return found


def _put(command: Any, into: dict[str, Any], path: list[str], setting: ConfigSetting) -> None:
    below = getattr(command, "commands", {})
    if len(path) > 1 and path[0] in below:
        _put(below[path[0]], into.setdefault(path[0], {}), path[1:], setting)
        return
    options = {o.lstrip("-"): p for p in command.params for o in p.opts if o.startswith("--")}
    new = new_name(options, path[0], setting.value)
    if len(path) == 1 and new != path[0]:
        note(f"{setting.path}: {setting.name}: {path[0]!r} is called {new!r} now")
        path = [new]
    if len(path) > 1 or path[0] not in options:
        where = f"{setting.path}: {setting.name}"
        raise UnknownNameError("setting", path[0], [*options, *below], where=where)
    parameter = options[path[0]]
    many = parameter.multiple
    value = setting.value if many == isinstance(setting.value, list) else [setting.value]
    try:
        parameter.process_value(typer.Context(command), value)
    except typer.BadParameter as error:  # the parser says this without naming the file
        raise InputError(f"{setting.path}: {setting.name} is {setting.value!r}: {error.message}") from error
    into[parameter.name] = value
