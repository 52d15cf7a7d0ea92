"""Reports of a gate: JUnit XML for build servers, Markdown for pull requests, SARIF for code hosts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as XML

from fallax.core.xml_characters import xml_characters
from fallax.gate.checks import CheckResult, worst_of
from fallax.render.sarif import sarif_log

__all__ = ["gate_junit", "gate_markdown", "gate_sarif"]

_SIGNS = {"pass": "✅ pass", "fail": "❌ fail", "undecided": "❔ undecided"}
#: Findings that a comment shows.
_SHOWN = 20


def gate_junit(results: Sequence[CheckResult]) -> str:
    """One test case per check; an undecided one is skipped, with its reason.

    Examples
    --------
    >>> print(gate_junit([CheckResult("a", "pass", 0.5, 0.4, 0.6, "at least 0.3")]).splitlines()[1])
    <testsuites name="fallax gate" tests="1" failures="0" errors="0">
    """
    outcomes = [r.outcome for r in results]
    counts = {"tests": str(len(results)), "failures": str(outcomes.count("fail")), "errors": "0"}
    top = XML.Element("testsuites", {"name": "fallax gate", **counts})
    suite = XML.SubElement(
        top, "testsuite", {"name": "fallax gate", **counts, "skipped": str(outcomes.count("undecided"))}
    )
    for result in results:
        case = XML.SubElement(suite, "testcase", {"name": xml_characters(result.name), "classname": "fallax.gate"})
        said = xml_characters(f"{result.figure}; must be {result.threshold}")
        if result.outcome == "fail":
            XML.SubElement(case, "failure", {"message": said, "type": "threshold"}).text = xml_characters(
                _details(result)
            )
        elif result.outcome == "undecided":
            XML.SubElement(case, "skipped", {"message": f"undecided: {said}"})
        XML.SubElement(case, "system-out").text = xml_characters(_details(result))
    XML.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + XML.tostring(top, encoding="unicode") + "\n"


def _details(result: CheckResult) -> str:
    lines = [str(result), *result.notes]
    lines += [
        f"{f.path}:{f.line}:{f.column}: {f.label}: {' '.join(f.text.split())} ({f.hash}"
        f"{f', waived: {f.waived}' if f.waived else ''})"
        for f in result.findings
    ]
    return "\n".join(lines)


def gate_markdown(results: Sequence[CheckResult]) -> str:
    """A pull request comment: the outcome, a table of the checks, the first findings.

    Texts under examination are shown as code, so that nothing in them is read as Markdown, HTML or a mention.
    """
    lines = [
        f"## fallax gate: {_SIGNS[worst_of(results)]}",
        "",
        "| check | outcome | value | must be |",
        "|---|---|---|---|",
    ]
    lines += [f"| {_code(r.name)} | {_SIGNS[r.outcome]} | {r.figure} | {r.threshold} |" for r in results]
    for note in dict.fromkeys(note for r in results for note in r.notes):
        lines += ["", f"- {_code(note)}"]
    findings = [f for r in results for f in r.findings]
    if findings:
        lines += ["", "| where | looks like | passage | finding |", "|---|---|---|---|"]
        for f in findings[:_SHOWN]:
            passage = " ".join(f.text.split())
            shown = passage if len(passage) <= 200 else passage[:199] + "…"
            waived = f", waived: {_code(f.waived)}" if f.waived else ""
            lines.append(f"| {_code(f'{f.path}:{f.line}')} | {f.label} | {_code(shown)} | `{f.hash}`{waived} |")
        if len(findings) > _SHOWN:
            lines += ["", f"{len(findings) - _SHOWN} more are in the SARIF file."]
    lines += ["", "A finding is a place to look, not a verdict. Undecided: the interval holds the threshold."]
    return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    """A text as inline code in a Markdown table cell."""
    plain = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split())).replace("|", "\\|")
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", plain)), default=0))
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{ticks}{pad}{plain}{pad}{ticks}"


def gate_sarif(results: Sequence[CheckResult]) -> dict[str, Any]:
    """The findings of all checks, see :func:`fallax.render.sarif.sarif_log`."""
    return sarif_log(f for r in results for f in r.findings)
