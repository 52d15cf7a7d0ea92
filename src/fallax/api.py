"""The verbs of fallax as Python functions; each has an async twin with an ``a`` in front."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from fallax.core.sync import sync_twin
from fallax.core.taxonomies import carry_spans, load_taxonomy
from fallax.core.texts import LANGUAGES, language_of, whole_characters
from fallax.core.types import CausalClaim, Detection, Evidence, Explanation, Prediction, Record, Span, Verification
from fallax.detection.systems import Detector, load_detector
from fallax.detection.systems.explain import explanation_of
from fallax.errors import InputError, ModelError, one_line

if TYPE_CHECKING:
    from fallax.annotation import AgreementReport
    from fallax.causality.systems import Verifier
    from fallax.core.texts import Embedder
    from fallax.core.types import ChatModel, FaithfulnessVerdict
    from fallax.generation.generators import Generation

__all__ = [
    "DetectionSystem",
    "adebate",
    "adetect",
    "agenerate",
    "agree",
    "averify",
    "debate",
    "detect",
    "detection_system",
    "generate",
    "verification_system",
    "verify",
]


class DetectionSystem(Protocol):
    """Finds labelled spans: a trained detector, or a protocol and the model that is asked."""

    name: str
    taxonomy: str

    async def predict(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        """What the system says of one text."""

    async def explain(self, record: Record, span: Span) -> Explanation:
        """Why a span of :meth:`predict` was found, as far as the system can say."""


class _TrainedSystem:
    def __init__(self, detector: Detector) -> None:
        self.detector = detector
        self.name = f"detector:{detector.name}"
        self.taxonomy = detector.taxonomy

    async def predict(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        if self.foreign(record.text):
            return Prediction(record.id)
        return self.detector.detect(record, min_confidence=min_confidence)

    def foreign(self, text: str) -> str:
        """What to say of a text in a language that the detector does not read; "" for one that it reads."""
        reads, code = str(self.detector.card().get("language", "English")), language_of(text)
        if not code or LANGUAGES[code] == reads:
            return ""
        return f"this looks like {LANGUAGES[code]}; the detector reads {reads} only, so nothing was examined"

    async def explain(self, record: Record, span: Span) -> Explanation:
        evidence = self.detector.evidence(record, span)
        return explanation_of(span.label, record.text_of(span), taxonomy=self.taxonomy, evidence=evidence)


class _AskedSystem:
    def __init__(self, model: ChatModel, protocol: str, taxonomy: str) -> None:
        from fallax.detection.protocols import PROTOCOLS

        self.protocol = PROTOCOLS.find(protocol)(taxonomy)
        self.model = model
        self.name = f"{self.protocol.name}:{model.name}"
        self.taxonomy = taxonomy

    async def predict(self, record: Record, *, min_confidence: float | None = None) -> Prediction:
        from fallax.detection.protocols import detect_with_model

        found = await detect_with_model(self.protocol, record, self.model)
        if min_confidence is None:
            return found
        # a span without a confidence says nothing about how sure the model is, so no threshold can drop it
        kept = tuple(s for s in found.spans if s.confidence is None or s.confidence >= min_confidence)
        return replace(found, spans=kept)

    async def explain(self, record: Record, span: Span) -> Explanation:
        from fallax.detection.protocols import read_slots, slots_request

        labels = load_taxonomy(self.taxonomy)
        slots: dict[str, str] = {}
        request = slots_request(record, span, labels[span.label]) if span.label in labels else None
        if request is not None:
            try:
                slots = read_slots(record, labels[span.label], await self.model.generate(request))
            except ModelError:
                slots = {}
        return explanation_of(span.label, record.text_of(span), taxonomy=self.taxonomy, slots=slots)


def detection_system(
    *,
    detector: str | Detector | None = None,
    model: str | ChatModel | None = None,
    protocol: str = "sentence",
    taxonomy: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> DetectionSystem:
    """What :func:`detect` uses: a trained detector, or a model asked by a protocol.

    Parameters
    ----------
    detector : a name (see ``fallax.detection.systems.DETECTORS``), a folder, or a detector; by default the
        embedded one.
    model : ``provider/model`` as :func:`fallax.models.load_model` takes it, or a model; excludes ``detector``.
    protocol : one of :data:`fallax.detection.protocols.PROTOCOLS`, for models.
    taxonomy : the label set a model is offered; by default ``mafalda``. A detector has its own.
    options : of the model.

    Raises
    ------
    InputError
        If both a detector and a model are named.
    """
    if detector is not None and model is not None:
        raise InputError("detector, model: must not both be given; a detector asks no model")
    if model is None:
        return _TrainedSystem(load_detector(detector) if isinstance(detector, str | None) else detector)
    if isinstance(model, str):
        from fallax.models import load_model

        model = load_model(model, options=options)
    return _AskedSystem(model, protocol, taxonomy or "mafalda")


def _relabelled(found: Prediction, source: str, target: str, level: int) -> tuple[Prediction, tuple[str, ...]]:
    """The prediction in another taxonomy and at a level, and what that lost."""
    labels = load_taxonomy(target)
    carried, lost = carry_spans(found.spans, source, target)
    spans: dict[tuple[int, int, str], Span] = {}
    for span in carried:
        there = replace(span, label=labels.at_level(span.label, level))
        same = spans.setdefault((there.start, there.end, there.label), there)
        if (there.confidence or 0) > (same.confidence or 0):
            spans[there.start, there.end, there.label] = there
    notes = tuple(
        f"{n} passage{'s' if n > 1 else ''} of {label!r} left out: {target!r} has no label that covers it"
        for label, n in lost.items()
    )
    return replace(found, spans=tuple(sorted(spans.values())), labels=None), notes


async def adetect(
    text: str | Record,
    *,
    detector: str | Detector | None = None,
    model: str | ChatModel | None = None,
    protocol: str = "sentence",
    taxonomy: str | None = None,
    level: int | None = None,
    min_confidence: float | None = None,
    explain: bool = False,
    system: DetectionSystem | None = None,
) -> Detection:
    """Find passages of a text that look fallacious.

    Parameters
    ----------
    text : any text, or a record with an id and a title.
    detector, model, protocol : who looks, see :func:`detection_system`. By default the embedded detector, which needs
        no key and no network.
    taxonomy : the label set of the answer. A detector's labels are carried over where an exact or a broader label
        exists; what has none is left out and named in ``notes``.
    level : of the taxonomy, 0 the coarsest; by default the finest.
    min_confidence : leave out what is less sure, in [0, 1]; by default the system's own threshold.
    explain : also say why: definition, template with the slots that could be filled, what would make it sound, and,
        for detectors, the words that moved the score.
    system : a ready :func:`detection_system`, for many texts.

    Returns
    -------
    Detection
        Spans are half-open code point offsets into the text as given. An empty text has no spans.

    Raises
    ------
    UnknownNameError
        A detector, model, protocol or taxonomy nobody knows.
    InputError
        A level or a confidence out of range.

    Examples
    --------
    >>> found = detect("The kettle is on the stove. It boils at seven.")
    >>> found.spans, found.taxonomy
    ((), 'mafalda')
    """
    if min_confidence is not None and not 0 <= min_confidence <= 1:
        raise InputError(f"min_confidence must be in [0, 1], got {min_confidence:g}")
    record = text if isinstance(text, Record) else Record("text", text)
    record = replace(record, text=whole_characters(record.text))
    system = system or detection_system(detector=detector, model=model, protocol=protocol, taxonomy=taxonomy)
    target = taxonomy or system.taxonomy
    labels = load_taxonomy(target)
    level = labels.finest if level is None else level
    labels.check_level(level)
    raw = await system.predict(record, min_confidence=min_confidence)
    found, notes = _relabelled(raw, system.taxonomy, target, level)
    explanations: tuple[Explanation, ...] = ()
    if explain:
        explanations = tuple([await _explained(record, span, raw, system, target) for span in found.spans])
    foreign = system.foreign(record.text) if isinstance(system, _TrainedSystem) else ""
    if foreign:
        notes = (*notes, foreign)
    return Detection(record, found, system.name, target, level, explanations, notes)


async def _explained(record: Record, span: Span, raw: Prediction, system: DetectionSystem, target: str) -> Explanation:
    """Explain a span by what the system itself had found at that place, in the words of the asked taxonomy."""
    at = next(s for s in raw.spans if (s.start, s.end) == (span.start, span.end))
    own = await system.explain(record, at)
    if at.label == span.label:
        return own
    return replace(explanation_of(span.label, record.text_of(span), taxonomy=target, slots={}), evidence=own.evidence)


detect = sync_twin(adetect)


def verification_system(
    *,
    model: str | ChatModel | None = None,
    baseline: str | None = None,
    protocol: str = "task-4",
    classes: int = 3,
    reasoning: bool = False,
    embedder: str | Embedder | None = None,
    options: Mapping[str, Any] | None = None,
) -> Verifier:
    """What :func:`verify` uses: a model asked by a protocol, or a baseline.

    Parameters
    ----------
    model : ``provider/model`` as :func:`fallax.models.load_model` takes it, or a model.
    baseline : a name of :data:`fallax.causality.systems.BASELINE_VERIFIERS`; excludes ``model``. With neither,
        "similarity-chain".
    protocol : a name of :data:`fallax.causality.protocols.VERIFY_PROTOCOLS`, for models.
    classes : 3 verdicts, or 2 without "not enough info".
    reasoning : let a model think aloud first.
    embedder : texts to vectors for the baseline, ``minilm`` or ``MODULE:FUNCTION``; by default tf-idf.
    options : of the model.

    Raises
    ------
    InputError
        If both a model and a baseline are named.
    """
    from fallax.causality.systems import AskedVerifier, load_baseline
    from fallax.core.texts import load_embedder

    if model is not None and baseline is not None:
        raise InputError("model, baseline: must not both be given; a baseline asks no model")
    if model is None:
        vectors = load_embedder(embedder) if isinstance(embedder, str | None) else embedder
        return load_baseline(baseline or "similarity-chain", classes=classes, embedder=vectors)
    from fallax.causality.protocols import verification_protocol

    asked = verification_protocol(protocol, classes=classes, reasoning=reasoning)
    if isinstance(model, str):
        from fallax.models import load_model

        model = load_model(model, options=options)
    return AskedVerifier(asked, model)


async def averify(
    claim: str | CausalClaim,
    evidence: Iterable[str | Evidence] | None = None,
    *,
    documents: str | Path | Iterable[Record] | None = None,
    model: str | ChatModel | None = None,
    baseline: str | None = None,
    protocol: str = "task-4",
    classes: int = 3,
    reasoning: bool = False,
    n_evidence: int = 8,
    embedder: str | Embedder | None = None,
    verifier: Verifier | None = None,
) -> Verification:
    """Does the evidence support the claim that something happened because of something, and by which steps?

    Parameters
    ----------
    claim : its text, or a claim with its evidence.
    evidence : texts, or pieces with ids; texts are named E1, E2, ...
    documents : a folder or file of texts, or records, to find evidence in where none is given.
    model, baseline, protocol, classes, reasoning : who verifies and how, see :func:`verification_system`. By default a
        baseline, which needs no key and no network, and whose verdict is a guess by shared words.
    n_evidence : at most so many sentences are retrieved.
    embedder : texts to vectors, for retrieval and for the baseline, ``minilm`` or ``MODULE:FUNCTION``; by default
        tf-idf.
    verifier : a ready :func:`verification_system`, for many claims.

    Returns
    -------
    Verification
        With ``label``, ``structure``, ``chain``, ``unused_evidence``, ``missing`` and, for retrieved evidence,
        ``citations``.

    Raises
    ------
    InputError
        If the claim or a piece of evidence is empty, or there is neither evidence nor a document.
    ModelError
        If a model did not answer.

    Examples
    --------
    >>> found = verify("The wet field delayed the match.", ["Rain left the field wet.", "A wet field delays a match."])
    >>> found.label, [str(step) for step in found.chain], found.system
    ('supports', ['E1 -> E2', 'E2 -> Claim'], 'similarity-chain:tf-idf')
    """
    from fallax.causality.systems import retrieve_evidence
    from fallax.core.texts import load_embedder

    asked = claim if isinstance(claim, CausalClaim) else CausalClaim("claim", claim)
    if not asked.claim.strip():
        raise InputError("claim: must not be empty")
    vectors = load_embedder(embedder) if isinstance(embedder, str | None) else embedder
    verifier = verifier or verification_system(
        model=model, baseline=baseline, protocol=protocol, classes=classes, reasoning=reasoning, embedder=vectors
    )
    if evidence is not None:
        asked = replace(asked, evidence=_pieces(evidence))
    if asked.evidence:
        return await verifier.verify(asked)
    if documents is None:
        raise InputError("evidence: must be given, or documents to find it in, got neither")
    from fallax.data import read_texts

    where = read_texts(documents) if isinstance(documents, str | Path) else documents
    pieces, citations = retrieve_evidence(
        asked.claim, where, n=n_evidence, candidates=max(100, n_evidence), embedder=vectors
    )
    if not pieces:
        missing = ("a sentence in the documents that shares a word with the claim",)
        return Verification(asked.claim, (), "nei", missing=missing, system="retrieval")
    return replace(await verifier.verify(replace(asked, evidence=pieces)), citations=citations)


def _pieces(evidence: Iterable[str | Evidence]) -> tuple[Evidence, ...]:
    found = tuple(
        e if isinstance(e, Evidence) else Evidence(f"E{i}", e) for i, e in enumerate(_listed(evidence), start=1)
    )
    for e in found:
        if not e.text.strip():
            raise InputError(f"evidence {one_line(e.id, 60)!r}: must not be empty")
    return found


def _listed(evidence: Iterable[str | Evidence]) -> list[str | Evidence]:
    if isinstance(evidence, str):
        raise InputError("evidence: must be a list of texts, got one text; put it in a list")
    return list(evidence)


verify = sync_twin(averify)


async def adebate(
    document: str,
    summary: str,
    *,
    model: str | ChatModel | Sequence[str | ChatModel] | None = None,
    on_event: Callable[[dict[str, Any]], None] | None = None,
    **options: Any,
) -> FaithfulnessVerdict:
    """Judge whether a summary is faithful, unfaithful or ambiguous, by a debate of agents with imposed stances.

    Parameters
    ----------
    document, summary : the texts.
    model : who debates, as names or models; several take turns. None: the local judge, which does not debate.
    on_event : told what happens in a debate as it happens: mappings of JSON values, of which ``event`` is "session",
        "round", "turn", "adjudicator" or "session_end".
    options : ``agents=4, rounds=3, sessions=1, seed=0, method="madisse", ambiguity="arguments"`` and the others of
        :func:`fallax.faithfulness.systems.judge_of`; ``adjudicator_models`` as names or models too.

    Returns
    -------
    FaithfulnessVerdict
        With ``label`` (None where it stayed undecided), ``faults``, ``ambiguity``, ``transcript`` and ``usage``.

    Raises
    ------
    InputError, UnknownNameError
        A text is empty, a setting cannot be, or the document is too long.
    ModelError
        A model did not answer.

    Examples
    --------
    >>> debate("The ferry left at nine.", "A ferry left at nine.").label
    'faithful'
    """
    from fallax.faithfulness.systems import adebate as judge
    from fallax.faithfulness.systems import watching
    from fallax.models.tokens import estimate_tokens

    options["adjudicator_models"] = _chat_models(options.get("adjudicator_models"))
    options.setdefault("count_tokens", estimate_tokens)
    with watching(on_event):
        return await judge(document, summary, model=_chat_models(model) or None, **options)


async def agenerate(
    fallacy: str | Iterable[str] | None = None, *, n: int = 20, model: str | ChatModel | None = None, **options: Any
) -> Generation:
    """Make fallacious arguments whose label an oracle has proved, each with its sound twin.

    Parameters
    ----------
    fallacy : one of SmartyPat's 14 types or several, by name or abbreviation; None: all.
    n : items of each type.
    model : who proposes facts and writes sentences, as a name or a model; None: frames over the shipped facts.
    options : ``method=..., seed=0, rules="strict"`` and the others of :func:`fallax.generation.generators.agenerate`.

    Returns
    -------
    Generation
        With ``items``, each with ``text``, ``labels``, ``derivation`` and ``sound_twin``, and ``counts``.

    Raises
    ------
    InputError, UnknownNameError
        A setting is out of range, or a type nobody knows.
    MissingExtraError
        SWI-Prolog is not installed; the message names its package. ``evaluator="joins"`` does without.

    Examples
    --------
    >>> made = generate("inverse error", n=2, seed=7, evaluator="joins")
    >>> len(made.items), made.items[0].sound_twin is not None
    (2, True)
    """
    from fallax.generation.generators import agenerate as make

    judge = options.pop("judge", None)
    return await make(
        fallacy,
        n=n,
        model=None if model is None else _chat_model(model),
        judge=None if judge is None else _chat_model(judge),
        **options,
    )


def _chat_model(model: str | ChatModel) -> ChatModel:
    if isinstance(model, str):
        from fallax.models import load_model

        return load_model(model)
    return model


def _chat_models(given: str | ChatModel | Sequence[str | ChatModel] | None) -> list[ChatModel]:
    many = [given] if isinstance(given, str) or not isinstance(given, Sequence) else given
    return [_chat_model(m) for m in many if m is not None]


debate = sync_twin(adebate)
generate = sync_twin(agenerate)


def agree(
    annotations: str | Path | Iterable[str | Path] | Mapping[str, Sequence[Record]] | Mapping[str, Mapping[str, Any]],
    **options: Any,
) -> AgreementReport:
    """How far annotators agree, and about what they do not.

    Parameters
    ----------
    annotations : files as :func:`fallax.annotation.read_annotations` takes them; or annotator -> annotated records; or
        annotator -> item -> label, number, or frozen set of labels.
    options : ``level=None, samples=30, precision=0.02, n_resamples=1000, seed=0, table2=False`` of
        :func:`fallax.annotation.agreement_report`.

    Returns
    -------
    AgreementReport
        With ``labels``, ``spans`` (gamma and others, where spans were marked), ``pairs``, ``by_label``, ``base_rates``,
        ``confusion`` and ``disputed``.

    Raises
    ------
    InputError
        If there are fewer than two annotators, or nothing that two of them saw.

    Examples
    --------
    >>> report = agree({"ann": {"1": "yes", "2": "no"}, "bob": {"1": "yes", "2": "no"}}, n_resamples=0)
    >>> report.labels["krippendorff_alpha"].value
    1.0
    """
    from fallax.annotation import Annotations, agreement_report, read_annotations

    if isinstance(annotations, Mapping):
        spans = any(not isinstance(v, Mapping) for v in annotations.values())
        given: dict[str, Any] = dict(annotations)
        return agreement_report(Annotations(records=given) if spans else Annotations(ratings=given), **options)
    files = [annotations] if isinstance(annotations, str | Path) else list(annotations)
    return agreement_report(read_annotations(files), **options)
