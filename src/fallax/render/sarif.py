"""Findings with line and column, and as SARIF 2.1.0 for code hosts and editors."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from fallax._version import __version__
from fallax.core.json_value import JsonValue
from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import Detection
from fallax.render.labels import finding_message

__all__ = ["PlacedFinding", "finding_hash", "placed_findings", "sarif_log"]

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


@dataclass(frozen=True, slots=True)
class PlacedFinding(JsonValue):
    """The position of a finding in a text.

    Parameters
    ----------
    path : the text's id, for files their path.
    label, taxonomy : what it is.
    text : the passage.
    start, end : half-open code point offsets.
    line, column, end_line, end_column : from 1; the end column is that behind the last character.
    confidence, label_confidence : see :class:`fallax.core.types.Span`.
    hash : see :func:`finding_hash`.
    waived : why it is let pass, "" where it is not.
    """

    path: str
    label: str
    taxonomy: str
    text: str
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    confidence: float | None
    label_confidence: float | None
    hash: str
    waived: str = ""


def finding_hash(label: str, text: str) -> str:
    """The fingerprint of a finding: 12 hexadecimal digits of its label and words, independent of position.

    Examples
    --------
    >>> finding_hash("ad hominem", "You lie.") == finding_hash("ad hominem", "You  lie.")
    True
    """
    said = f"{label}\n{' '.join(text.split())}"
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:12]


def placed_findings(found: Detection) -> list[PlacedFinding]:
    r"""The findings of a text with lines and columns; a line ends with LF or CR LF.

    Examples
    --------
    >>> from fallax.core.types import Prediction, Record, Span
    >>> record = Record("a.md", "Hello.\nYou lie.")
    >>> one, = placed_findings(Detection(record, Prediction("a.md", (Span(7, 15, "ad hominem", 0.9),)), "demo"))
    >>> one.line, one.column, one.end_line, one.end_column
    (2, 1, 2, 9)
    """
    text = found.record.text
    starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def place(at: int) -> tuple[int, int]:
        line = bisect_right(starts, at)
        return line, at - starts[line - 1] + 1

    return [
        PlacedFinding(
            found.record.id,
            span.label,
            found.taxonomy,
            found.text_of(span),
            span.start,
            span.end,
            *place(span.start),
            *place(span.end),
            span.confidence,
            span.label_confidence,
            finding_hash(span.label, found.text_of(span)),
        )
        for span in found.spans
    ]


def sarif_log(findings: Iterable[PlacedFinding], *, systems: Sequence[str] = ()) -> dict[str, Any]:
    """Findings as a SARIF 2.1.0 log, all of level "note".

    Parameters
    ----------
    findings : in the order they are shown.
    systems : who found them; named in the log.

    Notes
    -----
    Columns count code points. ``rank`` is the confidence in percent. A waived finding is suppressed, not left out.
    Paths become relative addresses.
    """
    listed = list(findings)
    labels = sorted({(f.taxonomy, f.label) for f in listed})
    ids = {key: key[1] if sum(k[1] == key[1] for k in labels) == 1 else "/".join(key) for key in labels}
    rules = [{"id": ids[key], "shortDescription": {"text": key[1]}, **_help(*key)} for key in labels]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "fallax",
                        "semanticVersion": __version__,
                        "rules": rules,
                        "properties": {"systems": list(systems)},
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(f, ids[f.taxonomy, f.label], labels.index((f.taxonomy, f.label))) for f in listed],
            }
        ],
    }


def _help(taxonomy: str, label: str) -> dict[str, Any]:
    known = load_taxonomy(taxonomy)
    if label not in known or not known[label].definition:
        return {}
    return {"fullDescription": {"text": known[label].definition}}


def _result(finding: PlacedFinding, rule: str, index: int) -> dict[str, Any]:
    said = finding_message(finding.label, finding.confidence, finding.label_confidence)
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
        "charOffset": finding.start,
        "charLength": finding.end - finding.start,
        "snippet": {"text": finding.text},
    }
    place = {"artifactLocation": {"uri": quote(finding.path.replace("\\", "/"))}, "region": region}
    found: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": index,
        "level": "note",
        "message": {"text": f"{said}; finding {finding.hash}"},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"fallaxFinding/v1": finding.hash},
    }
    if finding.confidence is not None:
        found["rank"] = round(100 * finding.confidence, 1)
    if finding.waived:
        found["suppressions"] = [{"kind": "external", "justification": finding.waived}]
    return found
