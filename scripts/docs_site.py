"""What the documentation site has besides docs/: pages at the top of the repository, and the reference from the code.

MkDocs calls the functions whose names begin with ``on_`` (``mkdocs.yml`` names this file under ``hooks``).
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any

import fallax as fx
from fallax.core.registry import KINDS, registry

ROOT = Path(__file__).parents[1]
#: Pages that lie at the top of the repository.
TOP = ("CHANGELOG.md", "CONTRIBUTING.md", "DATASETS.md", "SECURITY.md")
#: What fills the registries.
_FILLING = (
    "fallax.causality.systems",
    "fallax.data",
    "fallax.detection.protocols",
    "fallax.detection.systems",
    "fallax.faithfulness.systems",
    "fallax.metrics",
    "fallax.models",
    "fallax.runs.registry",
)


def python_page() -> str:
    """The public names of ``fallax``: signature, docstring, and the methods of a class."""
    parts = ["# Python", "", "```python", "import fallax as fx", "```", ""]
    for name in fx.__all__:
        value = getattr(fx, name)
        if callable(value):
            parts += [f"## {name}", "", "```python", _signature(name, value), "```", "", docstring(value), ""]
            parts += [f"- `{n}`: {inline(first)}" for n, first in _members(value)]
            parts.append("")
    return "\n".join(parts)


def _signature(name: str, value: Any) -> str:
    """A line, or one parameter a line where it is long."""
    if isinstance(value, type) and issubclass(value, Exception):
        return f"{name}(message)"
    found = inspect.signature(value)
    returned = f" -> {found.return_annotation}" if not inspect.isclass(value) else ""
    whole = f"{name}({', '.join(map(_plain, found.parameters.values()))}){returned}"
    if len(whole) <= 88 and not any(p.kind is p.KEYWORD_ONLY for p in found.parameters.values()):
        return whole
    lines, starred = [], False
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            lines.append("    *,")
        lines.append(f"    {_plain(parameter)},")
    return "\n".join([f"{name}(", *lines, f"){returned}"])


def _plain(parameter: inspect.Parameter) -> str:
    """A parameter whose annotation is written without quotes."""
    return re.sub(r": '([^']*)'", r": \1", str(parameter))


def _members(value: Any) -> list[tuple[str, str]]:
    if not inspect.isclass(value):
        return []
    own = {n: m for n, m in vars(value).items() if not n.startswith("_") and (callable(m) or isinstance(m, property))}
    return [(n, (inspect.getdoc(m) or "").partition("\n")[0]) for n, m in own.items() if inspect.getdoc(m)]


def inline(text: str) -> str:
    """Code and names of reStructuredText as Markdown."""
    return re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text).replace("``", "`")


def docstring(value: Any) -> str:
    """A docstring in the style of NumPy as Markdown: lists of parameters, examples as code."""
    first, *rest = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.getdoc(value) or "", flags=re.MULTILINE)
    parts = [inline(first)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        parts += [f"**{title}**", ""]
        if title == "Examples":
            parts += ["```pycon", body.strip(), "```", ""]
        elif title in ("Notes", "References"):
            parts += [inline(body), ""]
        else:
            parts += [*(f"- {entry}" for entry in _entries(body)), ""]
    return "\n".join(parts)


def _entries(body: str) -> list[str]:
    """Each entry of a list of parameters, results or errors, on one line."""
    found: list[str] = []
    for line in body.splitlines():
        if line[:1].strip():
            name, colon, about = line.partition(" : ")
            found.append(f"`{name.strip()}`: {inline(about)}" if colon else f"`{name.strip()}`")
        elif line.strip() and found:
            found[-1] += (" " if ": " in found[-1] else ": ") + inline(line.strip())
    return found


def parts_page() -> str:
    """Every part that is asked for by name."""
    for module in _FILLING:
        importlib.import_module(module)
    parts = [
        "# Parts by name",
        "",
        "What ships under which name; [packages of your own](../extend/index.md) add to it.",
        "",
    ]
    for kind in KINDS:
        entries = registry(kind)
        if not entries:
            continue
        rows = [f"| `{name}` | {_cell(entries.about(name) or _first_line(entries[name]))} |" for name in entries]
        parts += [f"## {kind[0].upper()}{kind[1:]}", "", "| name | what it is |", "|---|---|", *rows, ""]
    return "\n".join(parts)


def _first_line(value: Any) -> str:
    return str(getattr(value, "about", "") or (value.__doc__ or "").partition("\n")[0])


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _from_docs(markdown: str) -> str:
    """Links of a page at the top of the repository, as they are from the top of the site."""
    return re.sub(r"\]\(docs/?([^)]*)\)", lambda m: f"]({m[1] or 'index.md'})", markdown)


def notebook_page() -> str:
    """The notebook, with what its cells print."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        from run_notebook import NOTEBOOK, markdown
    finally:
        sys.path.pop(0)
    return markdown(json.loads(NOTEBOOK.read_text(encoding="utf-8")))


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that do not lie in docs/."""
    from mkdocs.structure.files import File

    made = {name: _from_docs((ROOT / name).read_text(encoding="utf-8")) for name in TOP}
    made |= {"reference/python.md": python_page(), "reference/parts.md": parts_page()}
    made["tutorials/notebook.md"] = notebook_page()
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links from docs/ to pages at the top of the repository, as they are on the site."""
    names = "|".join(map(re.escape, TOP))
    return re.sub(rf"\]\(\.\./((?:\.\./)*(?:{names}))", r"](\1", markdown)
