"""Shared code of benchmarks over annotated texts: samples, and systems that find spans."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from fallax.core.registry import Registry, registry
from fallax.core.taxonomies import carry_spans, load_taxonomy
from fallax.core.texts import sentence_spans
from fallax.core.types import NO_FALLACY, ChatModel, Prediction, Record, Score, Span, Table, View
from fallax.data import Corpus, read_corpus
from fallax.detection.benchmarks.curves import passage_tables
from fallax.detection.protocols import PROTOCOLS, DetectionProtocol, SentenceProtocol
from fallax.detection.systems.cues import CUES, find_cues
from fallax.errors import InputError
from fallax.metrics import FallacyDetection, SentenceDetection
from fallax.runs.asking import Recorder, ask_all
from fallax.runs.base import Answer, Benchmark, LoadModel, Row, Sample, System

if TYPE_CHECKING:
    from fallax.detection.systems.base import Detector

__all__ = [
    "OWN_DATA",
    "SYSTEMS",
    "DetectorSystem",
    "KeywordSystem",
    "LocalSystem",
    "ProtocolSystem",
    "RandomSystem",
    "SilentSystem",
    "TextBenchmark",
    "bad_spans_of",
    "detection_scores",
    "prediction_of",
    "read_records",
    "record_of",
    "sample_of",
]

#: What a system may see of a record's ``meta``: how its annotation is to be read, not what it says.
_META = ("same_span",)


#: Options of benchmarks whose data may be the user's own.
OWN_DATA: Mapping[str, str] = {
    "on_bad_span": "raise (the default for a file), or report: leave out and count gold spans that cannot be used",
    "offsets": "what offsets in the data count: code-point (the default), utf-16 or utf-8",
}


def sample_of(record: Record, bad_spans: tuple[str, ...] = ()) -> Sample:
    """A record as a sample; its gold is separate from the input of systems."""
    seen = record.to_dict()
    gold, id = seen.pop("gold"), seen.pop("id")
    # what annotators noted beside a text often says what is wrong with it
    meta = {name: value for name, value in seen.pop("meta", {}).items() if name in _META}
    return Sample(id, seen | ({"meta": meta} if meta else {}), gold, bad_spans)


def bad_spans_of(corpus: Corpus) -> dict[str, tuple[str, ...]]:
    """Record -> a line for each of its gold spans that could not be used."""
    found: dict[str, tuple[str, ...]] = {}
    for problem in corpus.problems:
        if problem.loses_span:
            found[problem.record] = (*found.get(problem.record, ()), problem.message)
    return found


def record_of(sample: Sample | Row, *, gold: bool = False) -> Record:
    """The record of a sample, by default without its gold.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan
    >>> record = Record("r", "You lie.", (GoldSpan(0, 8, ("ad hominem",)),), source="letters")
    >>> record_of(sample_of(record), gold=True) == record
    True
    """
    return Record.from_dict({"id": sample.id, **sample.input, "gold": sample.gold if gold else None})


def prediction_of(row: Row) -> Prediction:
    """The prediction of a row; unscored with its reason if the row is not ok."""
    if row.status != "ok" and row.prediction is None:
        return Prediction(row.id, unscored=row.reason, unreadable=row.unreadable, n_replies=row.n_replies)
    return Prediction.from_dict({"id": row.id, **row.prediction, "unscored": row.reason})


def detection_scores(
    pred: Sequence[Prediction], gold: Sequence[Record], unit: Literal["sentence", "line"] = "sentence"
) -> dict[str, Score]:
    """Whether each sentence is part of a fallacy, and whether each text has one, whatever the label."""
    return {
        "sentence-detection": SentenceDetection(unit=unit).corpus_score(pred=pred, gold=gold),
        "text-detection": FallacyDetection().corpus_score(pred=pred, gold=gold),
    }


def _answer(prediction: Prediction, **more: Any) -> Answer:
    said = prediction.to_dict()
    del said["id"]
    return Answer(said, **more)


def runs_of_sentences(places: Sequence[tuple[int, int]], labels: Sequence[str | None]) -> tuple[Span, ...]:
    """Labelled sentences as spans; adjacent sentences with the same label become one span."""
    spans = []
    for label, run in itertools.groupby(zip(places, labels, strict=True), key=lambda x: x[1]):
        if label is not None:
            members = [place for place, _ in run]
            spans.append(Span(members[0][0], members[-1][1], label))
    return tuple(spans)


def _carried_labels(labels: Iterable[str], source: str, target: str) -> frozenset[str]:
    """The labels that spans with these labels get in another taxonomy."""
    spans, _ = carry_spans([Span(0, 1, label) for label in labels], source, target)
    return frozenset(span.label for span in spans)


def _labels_of(detector: Detector) -> Collection[str]:
    """The labels on the card of a detector; all of its taxonomy where the card has none."""
    names = load_taxonomy(detector.taxonomy)
    try:
        found = detector.card().get("labels")
    except Exception:  # a plugin's card may be anything, and its passages can be scored without it
        found = None
    return [x for x in found if x in names] if isinstance(found, list | tuple) else names.names


class LocalSystem:
    """A system that runs locally, without a model or network."""

    prompts: ClassVar[Mapping[str, str]] = {}
    concurrency: ClassVar[int] = 1
    identity: Mapping[str, Any]
    #: The labels that it can name; None: all.
    labels: Collection[str] | None = None

    def find(self, record: Record, epoch: int, *, must: bool = False) -> Prediction:
        """Predict a text; with ``must``, make the best guess for a text that surely has a fallacy."""
        raise NotImplementedError

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """Answer a sample."""
        return _answer(self.find(record_of(sample), epoch))


class SilentSystem(LocalSystem):
    """Finds nothing (a baseline of Helwe et al. 2024)."""

    def __init__(self, taxonomy: str, *, seed: int) -> None:
        self.identity = {"system": "silent"}

    def find(self, record: Record, epoch: int, *, must: bool = False) -> Prediction:
        """Nothing."""
        return Prediction(record.id)


class RandomSystem(LocalSystem):
    """Gives one sentence in three a random label.

    The share is that of the random baseline in the recordings of Helwe et al. 2024 (161 of 470 sentences have a label
    there); the paper itself says only that labels are random.
    """

    def __init__(self, taxonomy: str, *, seed: int) -> None:
        self.identity = {"system": "random", "seed": seed, "taxonomy": taxonomy}
        self._names = load_taxonomy(taxonomy).names
        self._seed = seed

    def find(self, record: Record, epoch: int, *, must: bool = False) -> Prediction:
        """Labels that depend only on the seed, the id of the record and the epoch."""
        draw = random.Random(f"{self._seed}:{epoch}:{record.id}")
        places = sentence_spans(record.text)
        labels = [draw.choice(self._names) if draw.random() < 1 / 3 else None for _ in places]
        return Prediction(record.id, runs_of_sentences(places, labels))


class KeywordSystem(LocalSystem):
    """Labels a sentence by its first cue phrase.

    See :mod:`fallax.detection.systems.cues`.
    """

    def __init__(self, taxonomy: str, *, seed: int) -> None:
        self.identity = {"system": "keywords", "version": 1, "taxonomy": taxonomy}
        self._taxonomy = taxonomy
        self.labels = _carried_labels(CUES, "mafalda", taxonomy)

    def find(self, record: Record, epoch: int, *, must: bool = False) -> Prediction:
        """Adjacent sentences with a cue phrase of the same label."""
        places = sentence_spans(record.text)
        labels = [next(iter(find_cues(record.text[a:b])), None) for a, b in places]
        return Prediction(record.id, carry_spans(runs_of_sentences(places, labels), "mafalda", self._taxonomy)[0])


#: Systems that ask nobody: name -> what makes one, given a taxonomy and a seed.
SYSTEMS: Registry[Callable[..., LocalSystem]] = registry("system")
SYSTEMS.add("keywords", KeywordSystem, about="rules of our own: words and phrases that often go with a fallacy")
SYSTEMS.add("random", RandomSystem, about="one sentence in three gets a random label")
SYSTEMS.add("silent", SilentSystem, about="finds nothing")


class DetectorSystem(LocalSystem):
    """A detector; a crosswalk maps its labels."""

    def __init__(self, name: str, taxonomy: str) -> None:
        from fallax.detection.systems import load_detector  # weights are read only where they are used

        self._detector = load_detector(name)
        self._taxonomy = taxonomy
        self.identity = {"detector": self._detector.name, "taxonomy": taxonomy}
        self.labels = _carried_labels(_labels_of(self._detector), self._detector.taxonomy, taxonomy)

    def find(self, record: Record, epoch: int, *, must: bool = False) -> Prediction:
        """The detector's spans, however unsure, if there must be one."""
        from fallax.detection.systems import predict_with

        spans = predict_with(self._detector, record, min_confidence=0.0 if must else None).spans
        return Prediction(record.id, carry_spans(spans, self._detector.taxonomy, self._taxonomy)[0])


class ProtocolSystem:
    """A model asked about a text with a detection protocol.

    A text is unscored if nothing at all could be read of any reply about it. Where a text has a reply for each
    sentence and others can be read, one that cannot be read predicts nothing and is counted.
    """

    def __init__(self, protocol: DetectionProtocol, model: ChatModel) -> None:
        self._protocol, self._model = protocol, model
        self.identity = {"protocol": protocol.name, "model": Recorder(model).identity}
        self.prompts = {protocol.name: protocol.prompt_hash}

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """Send all requests at once, and read the replies."""
        record = record_of(sample)
        model = Recorder(self._model, epoch=epoch)
        requests = self._protocol.requests(record)
        replies = await ask_all(model, requests)
        found = self._protocol.read(record, replies)
        where: Sequence[str] = ()
        if isinstance(self._protocol, SentenceProtocol):
            where = [record.text[a:b] for a, b in sentence_spans(record.text)]
        rows = model.replies_to(requests, where=where)
        lost = {u.raw: u.reason for u in reversed(found.unreadable)}
        if not replies or any(reply.text not in lost for reply in replies):
            return _answer(found, replies=rows, usage=model.usage)
        why = lost[replies[0].text]
        if not where:
            return Answer(None, "unreadable", why, rows, model.usage)
        return _answer(found, status="unreadable", reason=why, replies=rows, usage=model.usage)


def read_records(
    data: Path | None, *, files: Sequence[str], format: str, taxonomy: str, given: Mapping[str, Any]
) -> Corpus | None:
    """Records of a file in any format, or of the first of ``files`` in a folder; None for a folder of data sets.

    A gold span that cannot be used stops the reading of a file, and is left out of a folder, unless :data:`OWN_DATA`
    among the options of the benchmark that were ``given`` say otherwise.
    """
    own = {name: given[name] for name in OWN_DATA if name in given}
    if data is not None and not data.exists():
        raise InputError(f"{data}: must be a folder or a file with data, found nothing there")
    if data is not None and data.is_file():
        return read_corpus(data, taxonomy=taxonomy, **own)
    paths = [] if data is None else [data / name for name in files if (data / name).exists()]
    if paths:
        return read_corpus(paths[0], format=format, taxonomy=taxonomy, **{"on_bad_span": "report", **own})
    if own:
        raise InputError(f"{next(iter(own))}: needs data of your own, got a data set; leave it out, or name your file")
    return None


class TextBenchmark(Benchmark):
    """A benchmark over annotated texts whose systems find spans."""

    baselines: ClassVar[Mapping[str, str]] = SYSTEMS.abouts
    protocols: ClassVar[Mapping[str, str]] = PROTOCOLS.abouts
    detectors: ClassVar[bool] = True

    @classmethod
    def protocol_options(cls, protocol: str) -> Mapping[str, str]:
        """Those with which the protocol was registered."""
        return {o.name: f"{o.about} ({o.type})" for o in PROTOCOLS.options(protocol)}

    @property
    def taxonomy(self) -> str:
        """The label set of predictions."""
        raise NotImplementedError

    def records(self) -> Corpus:
        """The annotated texts, in order."""
        raise NotImplementedError

    def samples(self) -> Iterator[Sample]:
        """The records as samples."""
        found = self.records()
        bad_spans = bad_spans_of(found)
        return (sample_of(record, bad_spans.get(record.id, ())) for record in found)

    def view(self, row: Row) -> View:
        """The text with gold and predicted passages."""
        record, said = record_of(row, gold=True), prediction_of(row)
        titled = (("title", record.title),) if record.title else ()
        return View((("text", record.text), *titled), record.gold, said.spans, taxonomy=self.taxonomy)

    def gold_record(self, row: Row) -> Record:
        """The annotated text."""
        return record_of(row, gold=True)

    def gold_labels(self, row: Row) -> Sequence[Sequence[str]]:
        """The labels of each gold passage; labels that all hold there are passages of their own."""
        record = record_of(row, gold=True)
        if record.meta.get("same_span") == "all":
            return [(label,) for g in record.gold or () for label in g.labels if label != NO_FALLACY]
        return [g.labels for g in record.gold or ()]

    def predicted(self, row: Row) -> Prediction:
        """The predicted passages; unscored with its reason where there is no answer."""
        return prediction_of(row)

    def tables(self, rows: Iterable[Row], scores: Mapping[str, Score]) -> tuple[Table, ...]:
        """The calibration curves of the passages that were found."""
        found = list(rows)
        return passage_tables([prediction_of(row) for row in found], [record_of(row, gold=True) for row in found])

    def baseline(self, name: str, *, seed: int) -> System:
        """One of :data:`SYSTEMS`."""
        return SYSTEMS[name](self.taxonomy, seed=seed)

    def with_detector(self, name: str) -> System:
        """A trained local detector by name."""
        return DetectorSystem(name, self.taxonomy)

    def with_model(
        self, model: ChatModel, *, protocol: str, options: Mapping[str, Any], seed: int, load: LoadModel
    ) -> System:
        """A model asked sentence by sentence or about the whole document."""
        self.check_protocol_options(protocol, options)
        return ProtocolSystem(PROTOCOLS[protocol](self.taxonomy, **options), model)
