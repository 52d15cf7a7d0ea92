"""Request and response bodies of the HTTP API: validated here, and documented in OpenAPI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from fallax.core.given import present_names

__all__ = [
    "AgreeRequest",
    "AgreeResponse",
    "CorrectionOut",
    "CorrectionRequest",
    "CorrectionsOut",
    "CorrectionsRequest",
    "DebateRequest",
    "DetectRequest",
    "DetectionOut",
    "ErrorOut",
    "ExportRequest",
    "GenerateRequest",
    "GenerationOut",
    "HealthOut",
    "KeepRequest",
    "KeptOut",
    "KeptValue",
    "RecordsOut",
    "RecordsRequest",
    "ReportOut",
    "ReportRequest",
    "RunsOut",
    "ScoreOut",
    "ScoreRequest",
    "StructureOut",
    "StructureRequest",
    "TaxonomiesOut",
    "TaxonomyOut",
    "TextCorrectionsOut",
    "TextOut",
    "UrlRequest",
    "VerdictOut",
    "VerificationOut",
    "VerifyRequest",
]

#: No text of a request is longer; a server may allow less (``Limits.text``).
MAX_TEXT = 2_000_000
Text = Annotated[str, Field(max_length=MAX_TEXT)]
Said = Annotated[str, Field(min_length=1, max_length=MAX_TEXT, pattern=r"\S")]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Seed = Annotated[int, Field(ge=0, le=2**53)]
#: What the description of an option says that only chat models read.
_ONLY_MODELS = "An error without a model."
Share = Annotated[float, Field(ge=0, le=1)]


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, protected_namespaces=())


class _Answering(_In):
    """A request that may name what answers, also by its former name."""

    former: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="before")
    @classmethod
    def _present_names(cls, given: Any) -> Any:
        return present_names(given, cls.former) if isinstance(given, dict) else given


class _Out(BaseModel):
    """Answers may gain fields in later versions."""

    model_config = ConfigDict(extra="allow", protected_namespaces=())


class ProblemOut(BaseModel):
    """An error: its kind, and one line that says where, what must hold and what was found."""

    kind: str
    message: str


class ErrorOut(BaseModel):
    """The response of every request with a status of 400 or more."""

    error: ProblemOut


class DetectRequest(_Answering):
    """Find passages of a text that look fallacious."""

    former = {"detector": "system"}

    text: Text | Annotated[list[Text], Field(max_length=1000)] = Field(
        description="A text, or a list of texts; a list is answered by a list.",
        examples=["Everyone knows it, so it must be true."],
    )
    system: Name | None = Field(None, description="The name of a detector; by default the best that ships.")
    model: Name | None = Field(None, description="A chat model that this server offers (see /v1/health).")
    protocol: Literal["sentence", "whole-document"] = Field(
        "sentence", description=f"How a model is asked. {_ONLY_MODELS}"
    )
    taxonomy: Name | None = Field(None, description="The label set of the answer (see /v1/taxonomies).")
    level: Annotated[int, Field(ge=0, le=9)] | None = Field(None, description="0 is the coarsest level.")
    min_confidence: Share | None = Field(None, description="Leave out what is less sure.")
    explain: bool = Field(False, description="Also say why; takes longer.")


class SpanOut(_Out):
    start: int = Field(description="Code points before the passage.")
    end: int
    label: str
    confidence: float | None = None
    text: str


class PredictionOut(_Out):
    id: str
    spans: list[SpanOut]


class DetectionOut(_Out):
    """The findings in one text."""

    record: dict[str, Any]
    prediction: PredictionOut
    system: str
    taxonomy: str
    level: int


class DebateRequest(_Answering):
    """Is a summary faithful to its document?"""

    former = {"local_judge": "system"}

    document: Said
    summary: Said
    model: Name | None = Field(None, description="Who debates; without one the local judge answers.")
    method: Name = Field("madisse", description=f"How models judge: zero-shot, madisse, ... {_ONLY_MODELS}")
    agents: Annotated[int, Field(ge=2, le=8)] = Field(4, description=_ONLY_MODELS)
    rounds: Annotated[int, Field(ge=1, le=6)] = Field(3, description=_ONLY_MODELS)
    sessions: Annotated[int, Field(ge=1, le=5)] = Field(1, description=_ONLY_MODELS)
    level: Literal["sentence", "summary"] = "sentence"
    ambiguity: Literal["arguments", "disagreement", "taxonomy", "variation", "none"] = Field(
        "arguments", description=_ONLY_MODELS
    )
    system: Name | None = Field(None, description="Which local judge, where there is no model.")
    seed: Seed = Field(0, description=_ONLY_MODELS)


class VerdictOut(_Out):
    """The verdict on a summary, sentence by sentence."""

    label: Literal["faithful", "unfaithful", "ambiguous"] | None
    probability: float | None
    judge: str
    units: list[dict[str, Any]]
    faults: list[dict[str, Any]]
    usage: dict[str, Any]


class EvidenceIn(_In):
    id: Name
    text: Said


class DocumentIn(_In):
    id: Name
    text: Text


class VerifyRequest(_Answering):
    """Does the evidence support a claim about cause and effect?"""

    former = {"baseline": "system"}

    claim: Said
    evidence: Annotated[list[Said | EvidenceIn], Field(max_length=200)] = Field(
        default_factory=list, description="Pieces of evidence; texts are named E1, E2, ..."
    )
    documents: Annotated[list[DocumentIn], Field(max_length=200)] = Field(
        default_factory=list, description="Where evidence is looked for. An error with evidence."
    )
    model: Name | None = None
    system: Name | None = Field(None, description="Which verifier, where there is no model.")
    protocol: Name = Field("task-4", description=f"How a model is asked. {_ONLY_MODELS}")
    classes: Literal[2, 3] = 3
    n_evidence: Annotated[int, Field(ge=1, le=100)] = Field(
        8, description="The most sentences found in documents. An error without documents."
    )


class VerificationOut(_Out):
    """The verdict on a claim, and the structure behind it."""

    claim: str
    label: Literal["supports", "refutes", "nei"] | None
    structure: dict[str, Any] | None
    chain: list[dict[str, Any]]
    missing: list[str]
    system: str


class StructureRequest(_In):
    """Check an argument structure, and convert it to a format."""

    structure: dict[str, Any] = Field(description="With claim, evidence and links, as /v1/verify gives it.")
    label: Literal["supports", "refutes", "nei", ""] = ""
    to: Name | None = Field(None, description="A format of `fallax structure`, or svg.")
    scores: bool = Field(False, description="Also how far each step follows from its premises.")


class StepOut(_Out):
    """A step with the probability in [0, 1] that its premises entail its conclusion (not calibrated)."""

    premises: list[str]
    conclusion: str
    score: float


class StructureOut(_Out):
    """The problems of a structure, and its text in the requested format."""

    problems: list[str]
    text: str | None
    losses: list[str]
    formats: list[str]
    steps: list[StepOut] = Field(description="Where scores were asked for: the first 50 steps.")


class GenerateRequest(_In):
    """Generate fallacies with proved labels, each with its sound twin."""

    fallacy: Annotated[list[Name], Field(max_length=20)] | Name | None = Field(None, description="None: all 14 types.")
    n: Annotated[int, Field(ge=1, le=50)] = Field(1, description="Items of each type.")
    seed: Seed = 0
    style: Literal["full", "bare"] = "full"
    model: Name | None = None


class GenerationOut(_Out):
    """The generated items."""

    items: list[dict[str, Any]]
    n_missing: int


class GoldIn(_In):
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    labels: Annotated[list[Name], Field(min_length=1, max_length=50)]


class RecordIn(_In):
    id: Name
    text: Text
    gold: Annotated[list[GoldIn], Field(max_length=2000)]


class SpanIn(_In):
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    label: Name
    confidence: Share | None = None


class PredictionIn(_In):
    id: Name
    spans: Annotated[list[SpanIn], Field(max_length=2000)]


class ScoreRequest(_In):
    """Score predictions against gold."""

    gold: Annotated[list[RecordIn], Field(min_length=1, max_length=10_000)]
    pred: Annotated[list[PredictionIn], Field(max_length=10_000)]
    metric: Name = Field("soft_span", description="soft_span, span_match, flc, or a spec such as span_match(level=1).")


class ScoreOut(_Out):
    """Values, counts and a signature."""

    metric: str
    n_scored: int
    n_unscored: int
    signature: str


class AgreeRequest(_In):
    """Measure inter-annotator agreement."""

    annotations: dict[Name, Annotated[list[RecordIn], Field(max_length=2000)] | dict[Name, Name | None]] = Field(
        min_length=2, max_length=20, description="Annotator -> annotated records, or item -> label (null: not seen)."
    )
    n_resamples: Annotated[int, Field(ge=0, le=2000)] = Field(200, description="For intervals.")
    seed: Seed = 0


class AgreeResponse(_Out):
    """Agreement on labels and, if spans were marked, on spans; disputed items."""

    labels: dict[str, Any]
    disputed: list[Any]


class TaxonomyLine(BaseModel):
    name: str
    title: str
    n_labels: int
    n_levels: int
    has_crosswalk: bool = Field(description="Whether findings can be given with its labels: it is a set of fallacies.")


class TaxonomiesOut(BaseModel):
    """The label sets."""

    taxonomies: list[TaxonomyLine]


class TaxonomyOut(_Out):
    """One label set with its labels."""

    name: str
    labels: list[dict[str, Any]]


class HealthOut(_Out):
    """Whether the server is ready, its features and its limits."""

    status: Literal["ok"]
    version: str
    models: list[str]
    detectors: list[str]
    limits: dict[str, float]


class TextOut(_Out):
    """The text of a file or of a page."""

    text: str
    title: str
    notes: list[str]


class UrlRequest(_In):
    """Read the text of a page on the web."""

    url: Annotated[str, Field(min_length=1, max_length=2000)]


class RunsOut(_Out):
    """A list of all run folders."""

    runs: list[dict[str, Any]]


class ReportRequest(_In):
    """Tables of one run, or of several of one benchmark."""

    runs: Annotated[list[Name], Field(min_length=1, max_length=8)]


class ReportOut(_Out):
    """Scores with intervals and paired tests, confusion, calibration, cost."""

    title: str
    tables: list[dict[str, Any]]


class RecordsRequest(_In):
    """Records with gold, prediction and raw replies."""

    runs: Annotated[list[Name], Field(min_length=1, max_length=8)]
    offset: Annotated[int, Field(ge=0, le=10_000_000)] = 0
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    only: Literal["all", "differs", "unreadable", "error"] = "all"
    find: str = Field("", max_length=200)
    id: str = Field("", max_length=1000)


class RecordsOut(_Out):
    """The total number of records, and the requested ones."""

    n: int
    records: list[dict[str, Any]]


class KeepRequest(_In):
    """Store a result under a link."""

    kind: Literal["examine", "faithful", "why"]
    value: dict[str, Any]


class KeptOut(BaseModel):
    """The address of a stored result."""

    id: str
    path: str


class KeptValue(_Out):
    """A stored result."""

    kind: str
    created: str
    value: dict[str, Any]


class ExportRequest(_In):
    """Export a detection from /v1/detect as a file."""

    detection: dict[str, Any]


class CorrectionOut(BaseModel):
    """The number of a correction, with which it can be undone."""

    number: int


class CorrectionsOut(BaseModel):
    """All corrections as annotated records."""

    records: list[dict[str, Any]]


class CorrectionRequest(_In):
    """A correction of a finding: no fallacy here, or another label."""

    text: Said
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    label: Name = Field(description="What the system had said.")
    corrected: Name | None = Field(description="The right label; null: no fallacy here.")
    taxonomy: Name = "mafalda"
    system: str = Field("", max_length=200)
    annotator: str = Field("", max_length=200)
    replace: bool = Field(True, description="Replace an earlier correction of the finding; false: status 409 instead.")


class CorrectionsRequest(_In):
    """Find the corrections of one text."""

    text: Text
    annotator: str = Field("", max_length=200)


class FoundCorrection(BaseModel):
    """A stored correction: its number, the finding it is about, and the right label (null: no fallacy here)."""

    number: int
    start: int
    end: int
    label: str
    corrected: str | None


class TextCorrectionsOut(BaseModel):
    """The corrections of one text."""

    corrections: list[FoundCorrection]
