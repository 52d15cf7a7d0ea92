"""The addresses of the HTTP API: one table, from which routes and documentation are made."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from fallax.web import schemas as s
from fallax.web.http import Endpoint, event_stream
from fallax.web.verbs import Service

__all__ = ["endpoints_of"]

_MODEL = (501, 502)


def endpoints_of(service: Service) -> list[Endpoint]:
    """The endpoints of a server's verbs."""

    async def debate(asked: s.DebateRequest, stream: Request | None = None) -> Any:
        return await service.debate(asked) if stream is None else await event_stream(service.debate_stream(asked))

    return [
        Endpoint(
            "POST", "/v1/detect", "Find passages that look fallacious.", service.detect, s.DetectionOut,
            s.DetectRequest, response_list=True, statuses=_MODEL,
            example={"text": "Everyone in town knows it is a mistake, so it must be one."},
        ),
        Endpoint(
            "POST", "/v1/debate", "Is a summary faithful to its document?", debate, s.VerdictOut,
            s.DebateRequest, stream="text/event-stream", statuses=_MODEL,
            example={"document": "The ferry left at nine.", "summary": "A ferry left at nine."},
        ),
        Endpoint(
            "POST", "/v1/verify", "Does the evidence support a why-claim, and by which steps?", service.verify,
            s.VerificationOut, s.VerifyRequest, statuses=_MODEL,
            example={
                "claim": "The wet field delayed the match.",
                "evidence": ["Rain left the field wet.", "A wet field delays a match."],
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
        Endpoint("GET", "/v1/taxonomies", "The label sets.", service.taxonomies, s.TaxonomiesOut),
        Endpoint("GET", "/v1/taxonomies/{name}", "One label set.", service.taxonomy, s.TaxonomyOut),
        Endpoint("GET", "/v1/health", "Whether the server is ready, and what it offers.", service.health, s.HealthOut),
    ]  # fmt: skip
