"""The table of HTTP endpoints, from which routes and documentation are made."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from fallax.web import schemas as s
from fallax.web.exports import detection_docx, detection_html, read_detection
from fallax.web.http import Endpoint, event_stream
from fallax.web.verbs import Service

__all__ = ["endpoints_of"]

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

_MODEL = (501, 502)
_SYSTEM = (*_MODEL, 503)


def endpoints_of(service: Service) -> list[Endpoint]:
    """The endpoints of a server's verbs."""

    async def debate(asked: s.DebateRequest, stream: Request | None = None) -> Any:
        return await service.debate(asked) if stream is None else await event_stream(service.debate_stream(asked))

    async def export_html(asked: s.ExportRequest) -> Response:
        page = await service.workers.run(lambda: detection_html(read_detection(asked.detection)))
        return _file(page.encode("utf-8", "replace"), "text/html; charset=utf-8", "fallax.html")

    async def export_docx(asked: s.ExportRequest) -> Response:
        data = await service.workers.run(lambda: detection_docx(read_detection(asked.detection)), kind="slow")
        return _file(data, DOCX, "fallax.docx")

    return [
        Endpoint(
            "POST", "/v1/detect", "Find passages that look fallacious.", service.detect, s.DetectionOut,
            s.DetectRequest, response_list=True, statuses=_SYSTEM,
            example={"text": "Everyone in town knows it is a mistake, so it must be one."},
        ),
        Endpoint(
            "POST", "/v1/debate", "Is a summary faithful to its document?", debate, s.VerdictOut,
            s.DebateRequest, stream="text/event-stream", statuses=_SYSTEM,
            example={"document": "The ferry left at nine.", "summary": "A ferry left at nine."},
        ),
        Endpoint(
            "POST", "/v1/verify", "Does the evidence support a why-claim, and by which steps?", service.verify,
            s.VerificationOut, s.VerifyRequest, statuses=_SYSTEM,
            example={
                "claim": "The wet field delayed the match.",
                "evidence": ["Rain left the field wet.", "The match began late because the field was wet."],
            },
        ),
        Endpoint(
            "POST", "/v1/structure", "Check an argument structure, and write it in a format.", service.structure,
            s.StructureOut, s.StructureRequest,
            example={
                "structure": {
                    "claim": {"id": "Claim", "text": "The match was late."},
                    "evidence": [{"id": "E1", "text": "It rained."}],
                    "links": [{"sources": ["E1"], "targets": ["Claim"]}],
                },
                "to": "mermaid",
            },
        ),
        Endpoint(
            "POST", "/v1/generate", "Make fallacies whose label is proved, each with its sound twin.",
            service.generate, s.GenerationOut, s.GenerateRequest, statuses=_MODEL,
            example={"fallacy": "false cause", "n": 1, "seed": 7},
        ),
        Endpoint(
            "POST", "/v1/score", "Score predictions against gold.", service.score, s.ScoreOut, s.ScoreRequest,
            example={
                "metric": "span_match",
                "gold": [
                    {"id": "a", "text": "You lie.", "gold": [{"start": 0, "end": 8, "labels": ["ad hominem"]}]}
                ],
                "pred": [{"id": "a", "spans": [{"start": 0, "end": 8, "label": "ad hominem"}]}],
            },
        ),
        Endpoint(
            "POST", "/v1/agree", "How far do annotators agree?", service.agree, s.AgreeResponse, s.AgreeRequest,
            statuses=(501,),
            example={
                "annotations": {
                    "ann": [
                        {"id": "a", "text": "You lie.", "gold": [{"start": 0, "end": 8, "labels": ["ad hominem"]}]}
                    ],
                    "bob": [{"id": "a", "text": "You lie.", "gold": []}],
                },
            },
        ),
        Endpoint(
            "POST", "/v1/read", "The text of a file: text, Markdown, HTML, PDF or DOCX.", service.read, s.TextOut,
            upload=True, statuses=(501,),
        ),
        Endpoint(
            "POST", "/v1/fetch", "The text of a page on the public web.", service.fetch, s.TextOut, s.UrlRequest,
            statuses=(501,), example={"url": "https://example.org/"},
        ),
        Endpoint(
            "POST", "/v1/export/html", "A detection as a page.", export_html, s.DetectionOut, s.ExportRequest,
            media="text/html",
        ),
        Endpoint(
            "POST", "/v1/export/docx", "A detection as a Word document with comments.", export_docx, s.DetectionOut,
            s.ExportRequest, media=DOCX, statuses=(501,),
        ),
        Endpoint("POST", "/v1/keep", "Keep a result under a link.", service.keep, s.KeptOut, s.KeepRequest),
        Endpoint("GET", "/v1/kept/{id}", "A kept result.", service.kept, s.KeptValue),
        Endpoint(
            "POST", "/v1/corrections", "Say of a finding that it is no fallacy, or another one.", service.correct,
            s.CorrectionOut, s.CorrectionRequest, statuses=(409,),
            example={"text": "You lie.", "start": 0, "end": 8, "label": "ad hominem", "corrected": None},
        ),
        Endpoint("GET", "/v1/corrections", "All corrections as annotated records.", service.corrections,
                 s.CorrectionsOut),
        Endpoint(
            "POST", "/v1/corrections/find", "The corrections of one text, with their numbers.",
            service.find_corrections, s.TextCorrectionsOut, s.CorrectionsRequest, example={"text": "You lie."},
        ),
        Endpoint("DELETE", "/v1/corrections/{number}", "Take a correction back.", service.withdraw, s.CorrectionOut),
        Endpoint("GET", "/v1/runs", "The run folders of this server.", service.list_runs, s.RunsOut),
        Endpoint(
            "POST", "/v1/runs/report", "Tables of one run, or of several with paired tests.", service.report,
            s.ReportOut, s.ReportRequest,
        ),
        Endpoint(
            "POST", "/v1/runs/records", "Records with gold, predictions and raw replies.", service.records,
            s.RecordsOut, s.RecordsRequest,
        ),
        Endpoint("GET", "/v1/taxonomies", "The label sets.", service.taxonomies, s.TaxonomiesOut),
        Endpoint("GET", "/v1/taxonomies/{name}", "One label set.", service.taxonomy, s.TaxonomyOut),
        Endpoint("GET", "/v1/health", "Whether the server is ready, and what it offers.", service.health, s.HealthOut),
    ]  # fmt: skip


def _file(data: bytes, media: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
    return Response(data, 200, headers, media)
