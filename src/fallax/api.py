"""The verbs as Python functions; each has an async version with an ``a`` in front."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fallax.core.checked import checked, instances_of, plain, refuse_table
from fallax.core.given import NOT_GIVEN, NotGiven, given, refuse_unread, renamed
from fallax.core.sync import sync_twin
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import has_words, whole_characters
from fallax.core.types import (
    CausalClaim,
    Detection,
    Evidence,
    Explanation,
    Record,
    Verification,
)
from fallax.detection.systems import Detector
from fallax.detection.systems.entry import DetectionSystem, detection_system, explained_as, relabelled
from fallax.errors import InputError, one_line

if TYPE_CHECKING:
    from fallax.annotation import AgreementReport
    from fallax.causality.systems import Verifier
    from fallax.core.texts import Embedder
    from fallax.core.types import ChatModel, Fact, FaithfulnessVerdict
    from fallax.data.faithfulness import Level
    from fallax.faithfulness.protocols.guidelines import Guidelines
    from fallax.faithfulness.systems.documents import Policy
    from fallax.faithfulness.systems.settings import Vote
    from fallax.generation.generators import Generation
    from fallax.generation.generators.derive import Evaluator
    from fallax.generation.generators.wording import Style
    from fallax.metrics.agreement import Level as MeasurementLevel

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


@renamed(detector="system")
@checked("text")
async def adetect(
    text: str | Record,
    *,
    system: str | Path | Detector | DetectionSystem | None = None,
    model: str | ChatModel | None = None,
    protocol: str | None = None,
    taxonomy: str | None = None,
    level: int | None = None,
    min_confidence: float | None = None,
    explain: bool = False,
) -> Detection:
    """Find passages of a text that look fallacious.

    Parameters
    ----------
    text : any text, or a record with an id and a title.
    system, model, protocol : what looks, see :func:`detection_system`. By default the detector that ships, which needs
        no key and no network. For many texts, give a ready :func:`detection_system`.
    taxonomy : the label set of the answer. A detector's labels are carried over where an exact or a broader label
        exists; what has none is left out and named in ``notes``.
    level : of the taxonomy, 0 the coarsest; by default the finest.
    min_confidence : leave out what is less sure, in [0, 1]; by default the system's own threshold.
    explain : also say why: definition, template with the slots that could be filled, what would make it sound, and,
        for detectors, the words that moved the score.

    Returns
    -------
    Detection
        Spans are half-open code point offsets into the text as given. An empty text has no spans. Nor has one that a
        chat model did not answer: ``prediction.unscored`` then says why, and is "" otherwise.

    Raises
    ------
    UnknownNameError
        A detector, model, protocol or taxonomy that does not exist.
    InputError
        A level or a confidence out of range.
    DetectorError
        A detector, such as one of a plugin, raised an exception.

    Examples
    --------
    >>> found = detect("The kettle is on the stove. It boils at seven.")
    >>> found.spans, found.taxonomy
    ((), 'mafalda')
    """
    if min_confidence is not None and not 0 <= min_confidence <= 1:
        raise InputError(f"min_confidence must be in [0, 1], got {min_confidence:g}")
    if not isinstance(text, (str, Record)):
        raise InputError(
            f"text must be a text or a Record, got {one_line(repr(text), 40)}"
            + "; many texts go to detect_many" * (isinstance(text, Iterable) and not isinstance(text, bytes))
        )
    record = text if isinstance(text, Record) else Record("text", text)
    record = replace(record, text=whole_characters(record.text))
    used = detection_system(system=system, model=model, protocol=protocol, taxonomy=taxonomy)
    target = used.taxonomy if taxonomy is None else taxonomy
    labels = load_taxonomy(target)
    level = labels.finest if level is None else level
    labels.check_level(level)
    raw = await used.predict(record, min_confidence=min_confidence)
    found, notes = relabelled(raw, used.taxonomy, target, level)
    explanations: tuple[Explanation, ...] = ()
    if explain:
        explanations = tuple([await explained_as(target, record, span, raw, used) for span in found.spans])
    unread = used.unread(record)
    if unread:
        notes = (*notes, unread)
    return Detection(record, found, used.name, target, level, explanations, notes)


detect = sync_twin(adetect)


@renamed(baseline="system")
@checked()
def verification_system(
    *,
    system: str | Path | Verifier | None = None,
    model: str | ChatModel | None = None,
    protocol: str | None = None,
    classes: int | None = None,
    reasoning: bool | None = None,
    embedder: str | Embedder | None = None,
    options: Mapping[str, Any] | None = None,
    abstain: bool = True,
) -> Verifier:
    """The verifier for :func:`verify`: a model asked with a protocol, or a system that asks none.

    Parameters
    ----------
    system : a name of :data:`fallax.causality.systems.BASELINE_VERIFIERS`, also as results have it
        (``entailment-causes@4``); the folder of a trained verifier or of an entailment model, or a verifier; excludes
        ``model``. With neither, "entailment".
    model : ``provider/model`` as :func:`fallax.models.load_model` takes it, or a model.
    protocol : a name of :data:`fallax.causality.protocols.VERIFY_PROTOCOLS`, for models; "task-4".
    classes : 3 verdicts, or 2 without "not enough info"; 3.
    reasoning : let a model think aloud first; False.
    embedder : texts to vectors for a system that compares texts, ``minilm`` or ``MODULE:FUNCTION``; by default tf-idf.
    options : of the model.
    abstain : let the entailment model give no verdict where none is likely enough.

    Raises
    ------
    InputError
        If both a system and a model are named, an option that would not be read, or another number of classes.
    """
    from fallax.causality.systems import AskedVerifier, load_baseline, reads_embedder
    from fallax.core.texts import load_embedder

    if model is not None and system is not None:
        raise InputError("system, model: must not both be given; a system asks no model")
    if classes not in (None, 2, 3):
        raise InputError(f"classes: must be 2 or 3, got {one_line(repr(classes), 40)}")
    if not isinstance(system, str | os.PathLike | None):
        unread = given(protocol=protocol, reasoning=reasoning, options=options or None, classes=classes)
        unread |= given(embedder=embedder, abstain=None if abstain else False)
        refuse_unread(unread, "is not read where a ready verifier is given")
        return system
    classes = 3 if classes is None else classes
    if model is None:
        refuse_unread(given(protocol=protocol, reasoning=reasoning, options=options or None), "needs a model")
        if not reads_embedder(system):
            refuse_unread(given(embedder=embedder), "is not read by this system")
        vectors = load_embedder(embedder) if isinstance(embedder, str | None) else embedder
        return load_baseline(system, classes=classes, embedder=vectors, abstain=abstain)
    from fallax.causality.protocols import verification_protocol

    refuse_unread(given(embedder=embedder, abstain=None if abstain else False), "is not read where a model verifies")
    protocol = "task-4" if protocol is None else protocol
    asked = verification_protocol(protocol, classes=classes, reasoning=bool(reasoning))
    return AskedVerifier(asked, _chat_model(model, options))


@renamed(baseline="system", verifier="system")
@checked("evidence")
async def averify(
    claim: str | CausalClaim,
    evidence: Iterable[str | Evidence] | None = None,
    *,
    documents: str | Path | Iterable[Record] | None = None,
    system: str | Path | Verifier | None = None,
    model: str | ChatModel | None = None,
    protocol: str | None = None,
    classes: int | None = None,
    reasoning: bool | None = None,
    n_evidence: int | None = None,
    embedder: str | Embedder | None = None,
    abstain: bool = True,
) -> Verification:
    """Verify whether evidence supports a claim that something happened because of something, and by which steps.

    Parameters
    ----------
    claim : its text, or a claim with its evidence.
    evidence : texts, or pieces with ids; texts are named E1, E2, ...
    documents : a folder or file of texts, or records, to find evidence in where none is given.
    system, model, protocol, classes, reasoning : what verifies and how, see :func:`verification_system`. By default
        the entailment model that ships, which needs no key and no network. For many claims, give a ready
        :func:`verification_system`.
    n_evidence : the most sentences that are retrieved from documents; 8.
    embedder : texts to vectors, for retrieval and for a system that compares texts, ``minilm`` or ``MODULE:FUNCTION``;
        by default tf-idf.
    abstain : let the model that ships say that it cannot tell.

    Returns
    -------
    Verification
        With ``label``, ``structure``, ``chain``, ``unused_evidence``, ``missing`` and, for retrieved evidence,
        ``citations``.

    Raises
    ------
    InputError
        If the claim or a piece of evidence is empty, or there is neither evidence nor a document.
    ModelError, VerifierError
        If a model did not answer, or a verifier of your own raised an exception.

    Examples
    --------
    >>> evidence = ["Rain left the field wet.", "The match began late because the field was wet."]
    >>> found = verify("The wet field delayed the match.", evidence)
    >>> found.label, found.system
    ('supports', 'entailment-causes@4')
    """
    from fallax.causality.systems import EntailmentVerifier, reads_embedder, retrieve_evidence
    from fallax.causality.systems.base import check_evidence, verify_with
    from fallax.core.texts import load_embedder

    asked = claim if isinstance(claim, CausalClaim) else CausalClaim("claim", claim)
    if not has_words(asked.claim):
        raise InputError("claim: must hold at least one word, got none")
    compares = model is None and isinstance(system, str) and reads_embedder(system)
    if documents is None:
        refuse_unread(given(n_evidence=n_evidence), "needs documents")
        if not compares:
            refuse_unread(given(embedder=embedder), "needs documents, or a system that compares texts")
    if n_evidence is not None and n_evidence < 1:
        raise InputError(f"n_evidence: must be 1 or more, got {n_evidence}")
    vectors = load_embedder(embedder) if isinstance(embedder, str | None) else embedder
    verifier = verification_system(
        system=system, model=model, protocol=protocol, classes=classes, reasoning=reasoning,
        embedder=vectors if compares else None, abstain=abstain,
    )  # fmt: skip
    if evidence is not None:
        asked = replace(asked, evidence=_pieces(evidence))
    if asked.evidence:
        check_evidence([e.text for e in asked.evidence])
        return await verify_with(verifier, asked)
    if documents is None:
        raise InputError("evidence: must be given, or documents to find it in, got neither")
    from fallax.data import read_texts

    where = read_texts(documents) if isinstance(documents, str | Path) else documents
    n_evidence = 8 if n_evidence is None else n_evidence
    pieces, citations = retrieve_evidence(
        asked.claim, where, n=n_evidence, candidates=max(100, n_evidence), embedder=vectors
    )
    if not pieces:
        if isinstance(verifier, EntailmentVerifier) and (found := await verify_with(verifier, asked)).label is None:
            return found
        missing = ("a sentence in the documents that shares a word with the claim",)
        return Verification(asked.claim, (), "nei", missing=missing, system="retrieval")
    return replace(await verify_with(verifier, replace(asked, evidence=pieces)), citations=citations)


def _pieces(evidence: Iterable[str | Evidence]) -> tuple[Evidence, ...]:
    if isinstance(evidence, str):
        raise InputError("evidence: must be a list of texts, got one text; put it in a list")
    if not isinstance(evidence, Iterable) or isinstance(evidence, bytes | Mapping):
        raise InputError(f"evidence: must be a list of texts, got {one_line(repr(evidence), 40)}")
    refuse_table(evidence, "evidence: must be a list of texts")
    given = plain(list(evidence))
    for e in given:
        if not isinstance(e, str | Evidence):
            raise InputError(f"evidence: each piece must be a text or an Evidence, got {one_line(repr(e), 40)}")
    found = tuple(e if isinstance(e, Evidence) else Evidence(f"E{i}", e) for i, e in enumerate(given, start=1))
    for e in found:
        if not has_words(e.text):
            raise InputError(f"evidence {one_line(e.id, 60)!r}: must hold at least one word, got none")
    return found


verify = sync_twin(averify)


@renamed(local_judge="system")
@checked("document", "summary")
async def adebate(
    document: str,
    summary: str,
    *,
    system: str | Path | None = None,
    model: str | ChatModel | Sequence[str | ChatModel] | None = None,
    method: str | None = None,
    agents: int | None = None,
    stances: str | None = None,
    rounds: int | None = None,
    sessions: int | None = None,
    vote: Vote | None = None,
    adjudicators: int | None = None,
    adjudicator_models: str | ChatModel | Sequence[str | ChatModel] | None = None,
    shuffle: bool | None = None,
    guidelines: str | Path | Guidelines | NotGiven | None = NOT_GIVEN,
    intervene_after: int | NotGiven | None = NOT_GIVEN,
    intervention: str | None = None,
    level: Level | None = None,
    samples: int | None = None,
    think: bool | None = None,
    calibration: str | None = None,
    variant: str | None = None,
    ambiguity: str | NotGiven | None = NOT_GIVEN,
    temperature: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    context_tokens: int | None = None,
    long_documents: Policy | None = None,
    count_tokens: Callable[[str], int] | None = None,
    abstain: bool = True,
    on_event: Callable[[dict[str, Any]], None] | None = None,
) -> FaithfulnessVerdict:
    """Judge whether a summary is faithful, unfaithful or ambiguous, by a debate of agents with imposed stances.

    What is left out has its default; what is given and would not be read is refused.

    Parameters
    ----------
    document, summary : the texts.
    system : a local judge, which does not debate: a key of :data:`fallax.faithfulness.systems.LOCAL_JUDGES`, or the
        folder of an entailment model; excludes ``model``. With neither, "entailment".
    model : who debates, as names or models; several take turns.
    method : a key of :data:`fallax.faithfulness.systems.METHODS`; "madisse".
    agents : of a session, at least 2; 4.
    stances : initial ones: "uniform", "none", or numbers such as "2+/3-"; "uniform".
    rounds : of a session at most; 3.
    sessions : independent debates about the same thing; 1, or as the method does.
    vote : how sessions come to one label, "debate" or "agent"; as the variant does.
    adjudicators : how many judge what is left undecided; as the variant does.
    adjudicator_models : who they are, as names or models; the agents' models.
    shuffle : show arguments in an order drawn for each round; True.
    guidelines : a shipped list by name, a file or a list; "none" or None for none. A debate has "madisse.v1", other
        methods none.
    intervene_after : from the round after this one on, agents are asked to be more open; 2. None: never.
    intervention : what they are told, "goal" or "task"; "goal".
    level : "sentence" (a debate per sentence) or "summary"; "sentence".
    samples : of the method "self-consistency"; 41.
    think : let each of these samples think first, as the agents of a debate do; False.
    calibration : a file, for the method "log-odds"; that which ships for the model.
    variant : the rules, "definition" (the paper's text) or "authors"; "definition".
    ambiguity : a detector of ambiguity, or None; "arguments".
    temperature : of replies; 0.7, and 0 for a model asked once.
    max_tokens : the longest reply; 1024.
    seed : of stances, orders and draws; 0.
    context_tokens : what fits into the model's context; no limit.
    long_documents : documents that do not fit: "refuse", "chunk" or "retrieve"; "refuse".
    count_tokens : how many tokens a text has; by default an estimate.
    abstain : let the local judge say that it cannot tell; False: always the likelier label.
    on_event : told what happens in a debate as it happens: mappings of JSON values, of which ``event`` is "session",
        "round", "turn", "adjudicator" or "session_end".

    Returns
    -------
    FaithfulnessVerdict
        With ``label`` (None where it stayed undecided), ``faults``, ``ambiguity``, ``transcript`` and ``usage``.

    Raises
    ------
    InputError, UnknownNameError
        A text is empty, an option is out of range or would not be read, or the document is too long.
    ModelError
        A model did not answer.

    Examples
    --------
    >>> debate("The ferry left at nine.", "A ferry left at nine.").label
    'faithful'
    """
    from fallax.faithfulness.systems import NotingJudge, judge_of, watching
    from fallax.models.tokens import estimate_tokens

    judge = judge_of(
        None if model is None else _chat_models(model),
        method=method,
        agents=agents,
        stances=stances,
        rounds=rounds,
        sessions=sessions,
        vote=vote,
        adjudicators=adjudicators,
        adjudicator_models=_chat_models(adjudicator_models),
        shuffle=shuffle,
        guidelines=guidelines,
        intervene_after=intervene_after,
        intervention=intervention,
        level=level,
        samples=samples,
        think=think,
        calibration=calibration,
        variant=variant,
        ambiguity=ambiguity,
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
        context_tokens=context_tokens,
        long_documents=long_documents,
        count_tokens=count_tokens or estimate_tokens,
        system=system,
        abstain=abstain,
    )
    with watching(on_event):
        return await NotingJudge(judge).judge(document, summary)


@renamed(judge="checker_model")
@checked()
async def agenerate(
    fallacy: str | Iterable[str] | None = None,
    *,
    n: int = 20,
    model: str | ChatModel | None = None,
    method: str | None = None,
    seed: int = 0,
    facts: Iterable[Fact] | None = None,
    rules: str | None = None,
    style: Style | None = None,
    twins: bool | None = None,
    confirm: int = 0,
    checker_model: str | ChatModel | None = None,
    examples: Mapping[str, Sequence[str]] | None = None,
    wordings: int | None = None,
    evaluator: Evaluator | None = None,
    batch: int | None = None,
    limit: int | None = None,
    near: float | None = None,
    read_back: bool | None = None,
) -> Generation:
    """Generate fallacious arguments whose label an oracle has proved, each with its sound twin.

    What is left out has its default; what is given and would not be read is refused.

    Parameters
    ----------
    fallacy : one of SmartyPat's 14 types or several, by name or abbreviation; None: all.
    n : items of each type.
    model : who proposes facts and writes sentences, as a name or a model; None: frames over the shipped facts.
    checker_model : who votes on claims, as a name or a model; by default ``model``.
    method, seed, facts, rules, style, twins, confirm, examples, wordings, evaluator, batch, limit, near,
    read_back : see :func:`fallax.generation.generators.agenerate`.

    Returns
    -------
    Generation
        With ``items``, each with ``text``, ``labels``, ``derivation`` and ``sound_twin``, and ``counts``.

    Raises
    ------
    InputError, UnknownNameError
        An option is out of range or would not be read, or a type nobody knows.
    MissingExtraError
        SWI-Prolog is not installed; the message names its package. ``evaluator="joins"`` does without.

    Examples
    --------
    >>> made = generate("inverse error", n=2, seed=7, evaluator="joins")
    >>> len(made.items), made.items[0].sound_twin is not None
    (2, True)
    """
    from fallax.generation.generators import agenerate as make

    return await make(
        fallacy,
        n=n,
        model=None if model is None else _chat_model(model),
        method=method,
        seed=seed,
        facts=facts,
        rules=rules,
        style=style,
        twins=twins,
        confirm=confirm,
        checker_model=None if checker_model is None else _chat_model(checker_model),
        examples=examples,
        wordings=wordings,
        evaluator=evaluator,
        batch=batch,
        limit=limit,
        near=near,
        read_back=read_back,
    )


def _chat_model(model: str | ChatModel, options: Mapping[str, Any] | None = None) -> ChatModel:
    if isinstance(model, str):
        from fallax.models import load_model

        return load_model(model, options=options)
    return model


def _chat_models(given: str | ChatModel | Sequence[str | ChatModel] | None) -> list[ChatModel]:
    many = [given] if isinstance(given, str) or not isinstance(given, Sequence) else given
    return [_chat_model(m) for m in many if m is not None]


debate = sync_twin(adebate)
generate = sync_twin(agenerate)


@checked("annotations")
def agree(
    annotations: str | Path | Iterable[str | Path] | Mapping[str, Sequence[Record]] | Mapping[str, Mapping[str, Any]],
    *,
    level: MeasurementLevel | None = None,
    samples: int = 30,
    precision: float | None = 0.02,
    n_resamples: int = 1_000,
    seed: int = 0,
    table2: bool = False,
    item: str = "",
    annotator: str = "",
    label: str = "",
) -> AgreementReport:
    """Measure inter-annotator agreement, and list what annotators dispute.

    Parameters
    ----------
    annotations : files as :func:`fallax.annotation.read_annotations` takes them; or annotator -> annotated records; or
        annotator -> item -> label, number, or set of labels; None or NaN is a missing rating.
    level, samples, precision, n_resamples, seed, table2 : see :func:`fallax.annotation.agreement_report`.
    item, annotator, label : names of the columns of tables; by default inferred from the header.

    Returns
    -------
    AgreementReport
        With ``labels``, ``spans`` (gamma and others, where spans were marked), ``pairs``, ``by_label``, ``base_rates``,
        ``confusion`` and ``disputed``.

    Raises
    ------
    InputError
        If there are fewer than two annotators, nothing that two of them saw, a rating that is no label, or an option
        out of its range.

    Examples
    --------
    >>> report = agree({"ann": {"1": "yes", "2": "no"}, "bob": {"1": "yes", "2": "no"}}, n_resamples=0)
    >>> report.labels["krippendorff_alpha"].value
    1.0
    """
    from fallax.annotation import Annotations, agreement_report, read_annotations
    from fallax.annotation.reading import Columns

    if isinstance(annotations, Mapping):
        refuse_unread([k for k, v in (("item", item), ("annotator", annotator), ("label", label)) if v], "needs files")
        ratings = [name for name, said in annotations.items() if isinstance(said, Mapping)]
        if ratings and len(ratings) < len(annotations):
            other = next(name for name in annotations if name not in ratings)
            raise InputError(
                "annotations: must all be records, or all item -> label,"
                f" got item -> label of {one_line(repr(ratings[0]), 40)} and others of {one_line(repr(other), 40)}"
            )
        held: dict[str, Any] = (
            dict(annotations)
            if ratings
            else {
                k: instances_of(
                    v, Record, f"annotations of {one_line(k, 40)!r}: must be annotated records, or item -> label"
                )
                for k, v in annotations.items()
            }
        )
        found = Annotations(ratings=held) if ratings else Annotations(records=held)
    else:
        must = "annotations: must be files, annotator -> records, or annotator -> item -> label"
        refuse_table(annotations, must, "table.to_dict()")
        paths: list[Any] = instances_of(annotations, (str, Path), must)
        found = read_annotations(paths, columns=Columns(item, annotator, label))
    return agreement_report(
        found, level=level, samples=samples, precision=precision, n_resamples=n_resamples, seed=seed, table2=table2
    )
