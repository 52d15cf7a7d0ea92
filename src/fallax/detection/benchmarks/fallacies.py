"""One label per text, on several corpora with their own label sets; a crosswalk maps predictions."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from fallax.core.taxonomies import load_taxonomy, map_label
from fallax.core.types import (
    NO_FALLACY,
    ChatModel,
    GoldSpan,
    Prediction,
    Record,
    Relation,
    Score,
    Table,
    Unreadable,
    View,
)
from fallax.data import DATASETS, load_dataset
from fallax.detection.benchmarks.annotated import DetectorSystem, KeywordSystem, LocalSystem, bad_spans_of
from fallax.detection.benchmarks.curves import calibration_table
from fallax.detection.benchmarks.printed import printed_for
from fallax.detection.protocols.classify import ClassifyProtocol
from fallax.errors import InputError, UnknownNameError
from fallax.metrics import Classification, FallacyDetection
from fallax.runs.asking import Recorder, ask_all
from fallax.runs.base import Answer, Benchmark, LoadModel, PublishedValue, Row, Sample, System

__all__ = ["ANOTHER", "OR_NONE", "SETS", "Fallacies", "detection_score", "label_score"]

#: data set -> whether it has texts without a fallacy.
SETS: dict[str, bool] = {
    "alhindi_climate_covid": True,
    "argotario": True,
    "cocolofa": True,
    "elecdeb60to20_fallacy": False,
    "fallacies_hong2024": True,
    "flicc": False,
    "lfud": False,
    "logic": False,
    "logicclimate": False,
    "missci": False,
    "reddit_informal_fallacies": False,
}

#: As :data:`SETS`, with the sets of benchmarks that ask in the same way.
OR_NONE: dict[str, bool] = {**SETS, "touche26_fallacy": True}

#: What a label of MAFALDA becomes that a set has no word for: wrong, and not "no fallacy".
ANOTHER = "another label"


def _record(sample: Sample) -> Record:
    return Record(sample.id, sample.input["text"], title=sample.input.get("title", ""))


class _Local:
    """A detector with MAFALDA's labels; its most confident (or first) span labels the text.

    On a set without texts that have no fallacy it must find one, as models there are offered no other answer.
    """

    prompts: ClassVar[Mapping[str, str]] = {}
    concurrency: ClassVar[int] = 1

    def __init__(self, system: LocalSystem, sets: Sequence[str], taxonomy: str = "mafalda") -> None:
        self._system = system
        self._taxonomy = taxonomy
        self.identity = dict(system.identity)
        own = load_taxonomy(taxonomy).names if system.labels is None else system.labels
        self.labels = {
            _in_set(name, carried, sets)
            for name in sets
            for label in own
            for carried in self._carried(label, DATASETS[name].taxonomy)
        }

    def _carried(self, label: str, target: str) -> Sequence[str]:
        """The labels of another taxonomy that a label stands for."""
        if target == self._taxonomy:
            return (label,)
        narrower: tuple[Relation, ...] = ("narrower",)
        return map_label(label, self._taxonomy, target) or map_label(label, self._taxonomy, target, allow=narrower)

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """The label of the surest span, in the words of the sample's set."""
        record, must = _record(sample), not OR_NONE[sample.input["set"]]
        spans = self._system.find(record, epoch, must=must).spans
        sure = spans if must else self._system.find(record, epoch, must=True).spans
        known = [s.confidence for s in sure if s.confidence is not None]
        said: dict[str, Any] = {"confidence": round(max(known), 4)} if known else {}
        if not spans:
            return Answer({"labels": [NO_FALLACY], **said})
        surest = max(spans, key=lambda s: (s.confidence or 0.0, -s.start))
        best = surest.label
        if surest.label_confidence is not None:
            said["label_confidence"] = round(surest.label_confidence, 4)
        labels = self._carried(best, _taxonomy(sample))
        return Answer({"labels": [*labels] or [ANOTHER], "found": best, **said})


class _Drawn:
    """A random label of the set (or "no fallacy", if the set has it); or always "no fallacy"."""

    prompts: ClassVar[Mapping[str, str]] = {}
    concurrency: ClassVar[int] = 1

    def __init__(self, name: str, seed: int) -> None:
        self._silent = name == "silent"
        self._seed = seed
        self.identity = {"system": name} if self._silent else {"system": name, "seed": seed}

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """A label that depends only on the seed, the id of the sample and the epoch."""
        if self._silent:
            return Answer({"labels": [NO_FALLACY]})
        draw = random.Random(f"{self._seed}:{epoch}:{sample.id}")
        return Answer({"labels": [draw.choice(_choices(sample))]})


class _Asked:
    """A model that chooses from the labels of the sample's set."""

    def __init__(self, model: ChatModel, sets: Iterable[str], options: Mapping[str, Any]) -> None:
        self._model = model
        self._protocols = {
            name: ClassifyProtocol(DATASETS[name].taxonomy, or_none=OR_NONE[name], **options) for name in sets
        }
        self.identity = {"protocol": "classify.v1", "model": Recorder(model).identity}
        self.prompts = {f"{p.name} {name}": p.prompt_hash for name, p in self._protocols.items()}

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """Ask once."""
        model = Recorder(self._model, epoch=epoch)
        protocol = self._protocols[sample.input["set"]]
        record = _record(sample)
        requests = protocol.requests(record)
        found = protocol.read(record, await ask_all(model, requests))
        rows, usage = model.replies_to(requests), model.usage
        if found.unreadable:
            return Answer(None, "unreadable", found.unreadable[0].reason, rows, usage)
        return Answer({"labels": [next(iter(found.text_labels), NO_FALLACY)]}, replies=rows, usage=usage)


def _taxonomy(sample: Sample) -> str:
    return DATASETS[sample.input["set"]].taxonomy


def _in_set(name: str, label: str, sets: Sequence[str]) -> str:
    """A label of a set, after the name of the set where there are several."""
    return f"{name}: {label}" if len(sets) > 1 else label


def _choices(sample: Sample) -> list[str]:
    names = load_taxonomy(_taxonomy(sample)).names
    return [*names, *([NO_FALLACY] if OR_NONE[sample.input["set"]] else [])]


class Fallacies(Benchmark):
    """A label for each text. Scores: ``all``, one for each set, and ``detection`` where texts may have no fallacy.

    Where people gave a text several labels, any of them is right; rows of one text are one sample. Predictions in
    MAFALDA's labels are taken over through the crosswalk: one that the set has a word for, or a broader one, is that;
    one that the set has only narrower words for counts as any of them; and all others are "another label", which is
    wrong.
    """

    name: ClassVar[str] = "fallacies"
    about: ClassVar[str] = (
        "a label for a text on LOGIC, LogicClimate, Reddit, Argotario, CoCoLoFa, FLICC, LFUD, Missci, ElecDeb60to20,"
        " Climate and Covid, FALLACIES, each with its own labels"
    )
    options: ClassVar[Mapping[str, str]] = {
        "set": f"one of {', '.join(SETS)}, several with commas, or all (the default)",
        "split": "dev (the default), train, or test: the published one, where its file is there",
    }
    baselines: ClassVar[Mapping[str, str]] = {
        "keywords": "rules of our own: words and phrases that often go with a fallacy",
        "random": "a random label of the set",
        "silent": "always says that there is no fallacy",
    }
    protocols: ClassVar[Mapping[str, str]] = {"classify": "one question for each text: which of these labels?"}
    detectors: ClassVar[bool] = True
    gold_unit: ClassVar[str] = "texts"
    primary: ClassVar[tuple[str, str]] = ("all", "balanced_accuracy")

    @classmethod
    def protocol_options(cls, protocol: str) -> Mapping[str, str]:
        """Those of the one protocol."""
        return {"max_tokens": "maximum tokens of a reply [128]"}

    def settings(self) -> dict[str, Any]:
        """The sets and the split."""
        return {"set": ",".join(self._sets()), "split": self.given.get("split", "dev")}

    def _sets(self) -> list[str]:
        given = self.given.get("set", "all")
        if not isinstance(given, str):
            raise InputError(f"option set of benchmark {self.name!r}: must be names of sets, got {given!r}")
        names = list(SETS) if given == "all" else [name.strip() for name in given.split(",")]
        for name in names:
            if name not in SETS:
                raise UnknownNameError("set", name, [*SETS, "all"], where=f"benchmark {self.name!r}")
        return names

    def samples(self) -> Iterator[Sample]:
        """All annotated texts of the sets; the annotators' instructions are not shown."""
        self.refuse_file()
        settings = self.settings()
        for name in self._sets():
            taxonomy = DATASETS[name].taxonomy
            texts: dict[tuple[str, str], tuple[str, set[str], list[str]]] = {}
            found = load_dataset(name, split=settings["split"], root=self.data, taxonomy=taxonomy)
            bad_spans = bad_spans_of(found)
            for record in found:
                if record.gold is not None:
                    _, labels, bad = texts.setdefault((record.title or "", record.text), (record.id, set(), []))
                    labels.update(label for span in record.gold for label in span.labels)
                    bad += bad_spans.get(record.id, ())
            for (title, text), (id, labels, bad) in texts.items():
                given = {"title": title} if title else {}
                gold = sorted(labels - {NO_FALLACY})
                yield Sample(f"{name}/{id}", {"text": text, **given, "set": name}, gold, tuple(bad))

    def view(self, row: Row) -> View:
        """The text, its gold label and the predicted label."""
        said = row.prediction["labels"] if row.status == "ok" else []
        fields = tuple((n, row.input[n]) for n in ("text", "title", "set") if n in row.input)
        return View(
            fields,
            gold_label="" if row.gold is None else " or ".join(row.gold) or NO_FALLACY,
            predicted_label=" or ".join(said),
        )

    def gold_labels(self, row: Row) -> Sequence[Sequence[str]]:
        """The labels of the text, or that it has no fallacy; of several sets, each label with its set."""
        if row.gold is None:
            return ()
        return [[_in_set(row.input["set"], label, self._sets()) for label in row.gold] or [NO_FALLACY]]

    def baseline(self, name: str, *, seed: int) -> System:
        """``keywords``, ``random`` or ``silent``."""
        if name == "keywords":
            return _Local(KeywordSystem("mafalda", seed=seed), self._sets())
        return _Drawn(name, seed)

    def with_detector(self, name: str) -> System:
        """A detector by name, with its own label set."""
        from fallax.detection.systems import load_detector

        taxonomy = load_detector(name).taxonomy
        return _Local(DetectorSystem(name, taxonomy), self._sets(), taxonomy)

    def with_model(
        self, model: ChatModel, *, protocol: str, options: Mapping[str, Any], seed: int, load: LoadModel
    ) -> System:
        """A model that is asked to choose."""
        self.check_protocol_options(protocol, options)
        return _Asked(model, self._sets(), options)

    def stratum(self, sample: Sample) -> str:
        """The labels of the text, or that it has none."""
        return ", ".join(sample.gold or ())

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        """Classification over all sets together and each alone, and detection."""
        found = list(rows)
        by_set: dict[str, list[Row]] = {}
        for row in found:
            by_set.setdefault(row.input["set"], []).append(row)
        scores = {"all": label_score(found, prefix=True)}
        scores |= {name: label_score(members) for name, members in by_set.items()}
        mixed = [row for name, members in by_set.items() if SETS[name] for row in members]
        if mixed:
            scores["detection"] = detection_score(mixed)
        return scores

    def published(self) -> tuple[PublishedValue, ...]:
        """What papers printed for the test splits of the sets."""
        return tuple(value for name in self._sets() for value in printed_for(name))

    def tables(self, rows: Iterable[Row], scores: Mapping[str, Score]) -> tuple[Table, ...]:
        """The calibration curves of a detector: "has a fallacy" where a set has both kinds of texts, and labels."""
        anything: list[tuple[float, bool]] = []
        labels: list[tuple[float, bool]] = []
        for row in rows:
            said = row.prediction if row.status == "ok" else {}
            if row.gold is not None and "confidence" in said and OR_NONE[row.input["set"]]:
                anything.append((said["confidence"], bool(row.gold)))
            if row.gold and "label_confidence" in said:
                labels.append((said["label_confidence"], bool({*row.gold} & {*said["labels"]})))
        found = (
            calibration_table("the text has a fallacy", "texts", anything),
            calibration_table("the label of a fallacious text in which something was found", "texts", labels),
        )
        return tuple(table for table in found if table is not None)


def detection_score(rows: Iterable[Row]) -> Score:
    """Whether a text has a fallacy at all."""
    found = list(rows)
    return FallacyDetection().corpus_score(pred=[_prediction(row) for row in found], gold=[_gold(row) for row in found])


def label_score(rows: Iterable[Row], *, prefix: bool = False) -> Score:
    """Whether the label of each text is right; with several possible labels on a side, one match is enough."""
    gold: dict[str, str | None] = {}
    pred: dict[str, str | Unreadable | None] = {}
    for row in rows:
        before = f"{row.input['set']}: " if prefix else ""
        labels = row.prediction["labels"] if row.status == "ok" else []
        right = next((x for x in row.gold if x in labels), next(iter(row.gold), NO_FALLACY))
        gold[row.id] = before + right
        if labels:
            said = right if right in labels else labels[0]
            # what the set has no word for is wrong, and no class that macro means run over
            known = said != ANOTHER and (said != NO_FALLACY or OR_NONE[row.input["set"]])
            pred[row.id] = before + said if known else ANOTHER
        else:
            pred[row.id] = next(iter(row.unreadable), None)
    return Classification(other=ANOTHER).corpus_score(pred=pred, gold=gold)


def _prediction(row: Row) -> Prediction:
    if row.status != "ok":
        return Prediction(row.id, unscored=row.reason, unreadable=row.unreadable, n_replies=row.n_replies)
    return Prediction(row.id, labels=frozenset(row.prediction["labels"]) - {NO_FALLACY}, n_replies=len(row.replies))


def _gold(row: Row) -> Record:
    text = row.input["text"]
    return Record(row.id, text, (GoldSpan(0, len(text), tuple(row.gold)),) if row.gold else (), source=row.input["set"])
