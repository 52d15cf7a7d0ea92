"""Shows values in a notebook and as tables, with the same views as pages and terminal.

Examples
--------
>>> from fallax.core.types import Detection, Prediction, Record
>>> found = Detection(Record("r", "<script>x</script>"), Prediction("r"), "demo")
>>> "<script>" in found._repr_html_()
False
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from fallax.causality.view import VERDICT_WORDS, verification_sections
from fallax.core.types import ArgumentStructure, Detection, FaithfulnessVerdict, Score, Verification
from fallax.detection.view import detections_page
from fallax.errors import InputError, MissingExtraError
from fallax.faithfulness.view import verdict_page
from fallax.render import structure_svg

__all__ = ["frame_of", "html_of"]

Rows = list[dict[str, Any]]


def html_of(value: object) -> str:
    """A value as HTML for a notebook.

    Whole pages stand in a frame without script, so that their style and the notebook's do not mix.

    Raises
    ------
    InputError
        If there is no view of such a value.
    """
    for kind, view in _VIEWS.items():
        if isinstance(value, kind):
            return view(value)
    raise InputError(f"html_of: must be a value with a view, got {type(value).__name__}")


def frame_of(value: object) -> Any:
    """A value as a ``pandas.DataFrame``.

    Raises
    ------
    InputError
        If such a value is no table.
    MissingExtraError
        If pandas is not installed.
    """
    for kind, table in _TABLES.items():
        if isinstance(value, kind):
            try:
                import pandas
            except ImportError:
                raise MissingExtraError("pandas", extra="notebook") from None
            columns, rows = table(value)
            return pandas.DataFrame(rows, columns=columns)
    raise InputError(f"to_pandas: must be a value that is a table, got {type(value).__name__}")


def _framed(page: str, lines: int) -> str:
    height = min(40, 12 + 2 * lines)
    style = f"width:100%;height:{height}rem;border:1px solid #8884;border-radius:.4rem;resize:vertical"
    return f'<iframe sandbox="" style="{style}" srcdoc="{escape(page)}"></iframe>'


def _detection(found: Detection) -> str:
    return _framed(detections_page([found]), len(found.record.text) // 90 + 3 * len(found.spans))


def _summary_of(verdict: FaithfulnessVerdict) -> str:
    """The summary, joined from its units and the white space between them."""
    text = ""
    for unit in verdict.units:
        text = text.ljust(unit.start) + unit.text
    return text


def _verdict(verdict: FaithfulnessVerdict) -> str:
    return _framed(verdict_page(verdict, summary=_summary_of(verdict)), 4 * len(verdict.units))


def _structure(structure: ArgumentStructure) -> str:
    problems = "".join(f"<li>{escape(p)}</li>" for p in structure.problems)
    return structure_svg(structure) + (f"<ul>{problems}</ul>" if problems else "")


def _verification(found: Verification) -> str:
    drawn = "" if found.structure is None else structure_svg(found.structure, unused=_unused(found))
    said = VERDICT_WORDS[found.label] if found.label else f"no verdict: {found.no_label}"
    rows: list[tuple[Any, ...]] = [("claim", found.claim), ("verdict", said), ("by", found.system)]
    rows += [(title, "; ".join(lines)) for title, lines in verification_sections(found) if lines]
    return _table(("", ""), rows) + drawn


def _unused(found: Verification) -> list[Any]:
    return [e.statement for e in found.unused_evidence]


def _shown(value: object) -> str:
    if value is None:
        return "undefined"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _table(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    head = "".join(f"<th>{escape(c)}</th>" for c in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(_shown(v))}</td>" for v in row) + "</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if any(columns) else ''}<tbody>{body}</tbody></table>"


def _score(score: Score) -> str:
    rows: list[tuple[Any, ...]] = [(name, value) for name, value in score.values.items()]
    rows += [("scored", score.n_scored), ("unscored", score.n_unscored)]
    return f"{_table(('measure', 'value'), rows)}<code>{escape(str(score.signature))}</code>"


_VIEWS: Mapping[type, Callable[[Any], str]] = {
    Detection: _detection,
    FaithfulnessVerdict: _verdict,
    Verification: _verification,
    ArgumentStructure: _structure,
    Score: _score,
}


def _spans(found: Detection) -> tuple[list[str], Rows]:
    columns = ["start", "end", "label", "confidence", "label_confidence", "reported", "text"]
    return columns, [
        {**{name: getattr(s, name) for name in columns[:-1]}, "text": found.text_of(s)} for s in found.spans
    ]


def _units(verdict: FaithfulnessVerdict) -> tuple[list[str], Rows]:
    columns = ["start", "end", "text", "label", "ambiguous", "probability", "explanation", "unscored"]
    return columns, [
        {
            "start": u.start,
            "end": u.end,
            "text": u.text,
            "label": u.label,
            "ambiguous": u.is_ambiguous,
            "probability": u.probability,
            "explanation": u.explanation,
            "unscored": u.unscored,
        }
        for u in verdict.units
    ]


def _steps(found: Verification | ArgumentStructure) -> tuple[list[str], Rows]:
    steps = found.chain if isinstance(found, Verification) else found.steps
    return ["premises", "conclusion"], [{"premises": ", ".join(s.premises), "conclusion": s.conclusion} for s in steps]


def _parts(score: Score) -> tuple[list[str], Rows]:
    columns = ["part", *score.values, "n_scored", "n_unscored"]
    parts = {"all": score} | {name: part for kind in score.parts.values() for name, part in kind.items()}
    return columns, [
        {"part": name, **p.values, "n_scored": p.n_scored, "n_unscored": p.n_unscored} for name, p in parts.items()
    ]


_TABLES: Mapping[type, Callable[[Any], tuple[list[str], Rows]]] = {
    Detection: _spans,
    FaithfulnessVerdict: _units,
    Verification: _steps,
    ArgumentStructure: _steps,
    Score: _parts,
}
