"""The SmartyPat benchmark: judges of fallacies, sound twins and benign sentences, and raters of fallacies."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from fallax.core.taxonomies import load_taxonomy
from fallax.core.types import GoldSpan, Judgement, Rating, Record, Reply, Score
from fallax.data import load_dataset, read_fallacies, read_texts
from fallax.errors import InputError, ModelError, UnknownNameError
from fallax.generation.benchmarks.smartypat_tables import BENIGN, SETS, find_recording, published_tables, read_answers
from fallax.generation.protocols import JudgeProtocol, QualityProtocol, check_other_model, judgement_from_answer
from fallax.metrics import FallacyDetection, Quality, RankedLabels, TwinDiscrimination
from fallax.runs.asking import Recorder, ask_all
from fallax.runs.base import Answer, Benchmark, LoadModel, PublishedValue, Row, Sample, System

__all__ = ["SmartyPat", "SmartyPatQuality", "record_of"]

_PARTS = ("posts", "augmented")


#: Styles of a folder that ``fallax generate --fresh`` wrote.
_STYLES = ("single", "panel")


def _is_fresh(data: Path | None) -> bool:
    """Whether ``fallax generate --fresh`` wrote a folder."""
    return data is not None and (data / "proofs.jsonl").is_file()


def _fallacies(given: str, data: Path | None) -> Iterable[Record]:
    """The sentences of a part of SmartyPat-Bench, of a style of a fresh set, or of a file."""
    if given in _STYLES and data is not None and _is_fresh(data):
        return read_fallacies(data / f"{given}.jsonl", taxonomy="smartypat")
    return _part(given, data) if given in _PARTS else read_fallacies(given, taxonomy="smartypat")


def _part(split: str, data: Path | None) -> Iterable[Record]:
    """A part of SmartyPat-Bench, from ``data`` if its files are there, else from a folder of data sets."""
    own = data is not None and any((data / f"SmartyPat_{x}.csv").exists() for x in ("label", "augmented_label"))
    return load_dataset(
        "smartypat", split=split, root=None if own else data, folder=data if own else None, taxonomy="smartypat"
    )


def _sample(record: Record, kind: str) -> Sample:
    labels = [x for g in record.gold or () for x in g.labels]
    gold: dict[str, Any] = {"kind": kind, "labels": labels, "source": record.source}
    for name in ("labels", "twin_of"):
        if name in record.meta:
            gold["line" if name == "labels" else name] = record.meta[name]
    return Sample(record.id, {"text": record.text}, gold)


def record_of(row: Row | Sample) -> Record:
    """The sentence of a row with its gold; no span for benign sentences and sound twins."""
    gold, text = row.gold, row.input["text"]
    meta = {new: gold[old] for old, new in (("line", "labels"), ("twin_of", "twin_of")) if old in gold}
    spans = (GoldSpan(0, len(text), tuple(gold["labels"])),) if gold["labels"] else ()
    return Record(row.id, text, spans, gold["source"], meta=meta)


def _judgement(row: Row) -> Judgement:
    if row.status != "ok":
        return Judgement(row.id, None, unscored=row.reason, unreadable=row.unreadable, n_replies=row.n_replies)
    return Judgement.from_dict({"id": row.id, **row.prediction})


def _answer(judged: Judgement, **more: Any) -> Answer:
    if judged.unscored:
        return Answer(None, "unreadable", judged.unscored, **more)
    said = judged.to_dict()
    del said["id"]
    return Answer(said, **more)


class _Constant:
    """A baseline: the same answer for every sentence, or a random one."""

    prompts: ClassVar[Mapping[str, str]] = {}
    concurrency: ClassVar[int] = 1

    def __init__(self, name: str, *, seed: int) -> None:
        self.identity = {"system": name, **({"seed": seed} if name == "random" else {})}
        self._name, self._seed = name, seed
        self._labels = load_taxonomy("smartypat").names

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """An answer that depends only on the name, the seed, the id of the sample and the epoch."""
        draw = random.Random(f"{self._seed}:{epoch}:{sample.id}")
        fallacious = draw.random() < 0.5 if self._name == "random" else self._name == "all-fallacious"
        labels = (draw.choice(self._labels),) if self._name == "random" and fallacious else ()
        return _answer(Judgement(sample.id, fallacious, labels, labels))


class _Recording:
    """Replays answers published with the paper."""

    prompts: ClassVar[Mapping[str, str]] = {}
    concurrency: ClassVar[int] = 1

    def __init__(self, path: Path) -> None:
        self._path = path
        benign = path.parent.parent / BENIGN / path.name
        self._answers = {**_recorded(path, ""), **(_recorded(benign, "benign-") if benign.is_file() else {})}
        self._taxonomy = load_taxonomy("smartypat")
        self.identity = {"recording": f"{path.parent.name}/{path.name}"}

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """The recorded answer about a sentence."""
        found = self._answers.get(sample.id)
        if found is None:
            raise ModelError(f"nothing recorded about sentence {sample.id!r}", provider=str(self._path))
        return _answer(judgement_from_answer(sample.id, found, taxonomy=self._taxonomy))


def _recorded(path: Path, prefix: str) -> dict[str, dict[str, Any]]:
    return {f"{prefix}{id_}": dict(answer) for id_, answer in read_answers(path).answers.items()}


class _Judge:
    """A model asked about each sentence."""

    def __init__(self, protocol: JudgeProtocol, model: Any) -> None:
        self._protocol, self._model = protocol, model
        self.identity = {"protocol": protocol.name, "model": Recorder(model).identity}
        self.prompts = {protocol.name: protocol.prompt_hash}

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """Ask the model and read the reply."""
        record = Record(sample.id, sample.input["text"])
        model = Recorder(self._model, epoch=epoch)
        requests = self._protocol.requests(record)
        judged = self._protocol.read(record, await ask_all(model, requests))
        return _answer(judged, replies=model.replies_to(requests), usage=model.usage)


class SmartyPat(Benchmark):
    """Xu et al. 2025: detection, ranked labels (as defined and as published), and twins if there are any."""

    name: ClassVar[str] = "smartypat"
    about: ClassVar[str] = "sentences, 14 fallacies, sound twins, benign sentences: detect and rank (Xu et al. 2025)"
    options: ClassVar[Mapping[str, str]] = {
        "set": "posts (the default) or augmented of SmartyPat-Bench; single (the default) or panel, where --data is a"
        " folder of fallax generate --fresh; or a JSONL file of fallacies, generated or not; as --data FILE",
        "benign": "own, the benign sentences of SmartyPat-Bench; none; or a file of sentences",
        "twins": "yes (the default): the sound twins of a file are asked about too; no",
    }
    baselines: ClassVar[Mapping[str, str]] = {
        "all-fallacious": "calls every sentence fallacious, and names no fallacy",
        "all-sound": "calls every sentence sound",
        "random": "calls half of the sentences fallacious, with a random label",
    }
    protocols: ClassVar[Mapping[str, str]] = {
        "judge": "the paper's judging prompt (table 9), which presents its sentences as sentences with logical errors",
        "neutral": "says that some are sound, and asks for the reason before the answer",
    }
    primary: ClassVar[tuple[str, str]] = ("detection", "f1")
    drawn: ClassVar[str] = "sentences with their twins"
    file_option: ClassVar[str] = "set"

    def settings(self) -> dict[str, Any]:
        """Set, benign sentences and twins."""
        fresh = _is_fresh(self.data)
        given = str(self.given.get("set", _STYLES[0] if fresh else "posts"))
        found = {
            "set": given,
            "benign": str(self.given.get("benign", "own" if given in _PARTS else "none")),
            "twins": str(self.given.get("twins", "yes")),
        }
        if found["twins"] not in ("yes", "no"):
            raise UnknownNameError("value of twins", found["twins"], ("yes", "no"), where=f"benchmark {self.name!r}")
        return found

    @property
    def is_own_data(self) -> bool:
        """Whether ``-B set=`` names no part of SmartyPat-Bench."""
        return self.settings()["set"] not in _PARTS

    def samples(self) -> Iterator[Sample]:
        """Fallacies in file order, each followed by its twin, then the benign sentences."""
        settings = self.settings()
        for record in _fallacies(settings["set"], self.data):
            twin = record.meta.get("twin_of") is not None
            if not twin or settings["twins"] == "yes":
                yield _sample(record, "twin" if twin else "fallacy" if record.gold else "benign")
        if settings["benign"] == "own":
            for record in _part("benign", self.data):
                yield _sample(replace(record, id=f"benign-{record.id}"), "benign")
        elif settings["benign"] != "none":
            for record in read_texts(settings["benign"]):
                yield _sample(Record(f"benign-{record.id}", record.text, ()), "benign")

    @classmethod
    def protocol_options(cls, protocol: str) -> Mapping[str, str]:
        """Those of both prompts."""
        return {"max_tokens": "maximum tokens of a reply [2048]"}

    def baseline(self, name: str, *, seed: int) -> System:
        """``all-fallacious``, ``all-sound`` or ``random``."""
        return _Constant(name, seed=seed)

    def with_model(
        self, model: Any, *, protocol: str, options: Mapping[str, Any], seed: int, load: LoadModel
    ) -> System:
        """A model asked with the paper's prompt or the neutral one; ``-P max_tokens=...``."""
        self.check_protocol_options(protocol, options)
        return _Judge(JudgeProtocol(prompt="paper" if protocol == "judge" else "neutral", **options), model)

    def with_recording(self, path: Path, *, options: Mapping[str, Any]) -> System | None:
        """A file of recorded answers, or a folder with ``-M model=NAME``; benign answers beside it are found."""
        part = self.settings()["set"]
        names = [name for name, split in SETS.items() if split == part]
        found = find_recording(path, options, names[0] if names else "")
        return None if found is None else _Recording(found)

    def stratum(self, sample: Sample) -> str:
        """The first label of the text, or "no fallacy"."""
        return next(iter(sample.gold["labels"]), "")

    def group(self, row: Row) -> str:
        """A fallacy and its sound twin belong together."""
        return str(row.gold.get("twin_of") or row.id)

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        """``detection`` over all, ``labels`` and ``labels-published`` over fallacies, ``twins`` over pairs."""
        found = list(rows)
        gold, pred = [record_of(row) for row in found], [_judgement(row) for row in found]
        fallacies = [(j, r) for j, r in zip(pred, gold, strict=True) if r.gold]
        named, labelled = [j for j, _ in fallacies], [r for _, r in fallacies]
        scores = {
            "detection": FallacyDetection().corpus_score(pred=[j.prediction for j in pred], gold=gold),
            "labels": RankedLabels().corpus_score(pred=named, gold=labelled),
            "labels-published": RankedLabels(variant="published").corpus_score(pred=named, gold=labelled),
        }
        pairs = {r.meta["twin_of"]: r.id for r in gold if "twin_of" in r.meta}
        if pairs:
            # Some rows may be of another shard or not done yet: a pair is scored where both halves are here.
            here = {r.id for r in gold}
            inside = {i for pair in pairs.items() if here.issuperset(pair) for i in pair}
            scores["twins"] = TwinDiscrimination().corpus_score(
                pred=[j for j in pred if j.id in inside], gold=[r for r in gold if r.id in inside]
            )
        return scores

    def published(self) -> tuple[PublishedValue, ...]:
        """Table 12, for the two parts of SmartyPat-Bench."""
        tables = published_tables()
        names = {file: name for name, file in tables["models"].items()}
        return tuple(
            PublishedValue(
                names[model], "labels-published", "label_count", count, "Xu et al. 2025, table 12", _WHOLE[SETS[part]]
            )
            for (part, model), count in tables["label_counts"].items()
            if SETS[part] == self.settings()["set"]
        )


_WHOLE = {"posts": "all 502 posts", "augmented": "all 220 sentences"}


class _Rater:
    """A model that rates each sentence in several runs."""

    def __init__(self, protocol: QualityProtocol, model: Any, *, same_model: bool) -> None:
        self._protocol, self._model, self._same = protocol, model, same_model
        self.identity = {
            "protocol": protocol.name,
            "runs": protocol.n_runs,
            "model": Recorder(model).identity,
        }
        self.prompts = {protocol.name: protocol.prompt_hash}

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """Ask in every run at once, and read the replies."""
        label, text = sample.input["type"], sample.input["text"]
        record = Record(
            sample.id, text, (GoldSpan(0, len(text), (label,)),), meta={"model": sample.input.get("written_by", "")}
        )
        if not self._same:
            check_other_model([record], self._model.name)
        model = Recorder(self._model, epoch=epoch)
        requests = self._protocol.requests((record,))
        replies: list[Reply] = await ask_all(model, requests)
        (rating,) = self._protocol.read((record,), replies)
        more: dict[str, Any] = {"replies": model.replies_to(requests), "usage": model.usage}
        if rating.unscored:
            return Answer(None, "unreadable", rating.unscored, **more)
        said = rating.to_dict()
        del said["id"]
        return Answer(said, **more)


class SmartyPatQuality(Benchmark):
    """The rating benchmark: how well generated sentences show their fallacy, 0 to 3 (Xu et al. 2025, table 10)."""

    name: ClassVar[str] = "smartypat-quality"
    about: ClassVar[str] = "how well sentences show their fallacy, rated 0-3 by a model that did not write them"
    options: ClassVar[Mapping[str, str]] = {
        "set": "posts or augmented (the default) of SmartyPat-Bench, or a JSONL file of fallacies; as --data FILE",
    }
    protocols: ClassVar[Mapping[str, str]] = {
        "rate": "the paper's scoring prompt, one sentence a question; -P runs=3, -P same_model=true",
    }
    primary: ClassVar[tuple[str, str]] = ("quality", "mean")
    drawn: ClassVar[str] = "sentences"
    file_option: ClassVar[str] = "set"

    @classmethod
    def protocol_options(cls, protocol: str) -> Mapping[str, str]:
        """Those of the rating prompt."""
        return {
            "runs": "ratings of each sentence [3]",
            "same_model": "true: a model may rate what it wrote itself [false]",
            "max_tokens": "maximum tokens of a reply [2048]",
        }

    def settings(self) -> dict[str, Any]:
        """The set."""
        return {"set": str(self.given.get("set", "augmented"))}

    @property
    def is_own_data(self) -> bool:
        """As for :class:`SmartyPat`."""
        return self.settings()["set"] not in _PARTS

    def samples(self) -> Iterator[Sample]:
        """One sample per sentence and fallacy it shows; twins are left out."""
        for record in _fallacies(self.settings()["set"], self.data):
            labels = [x for g in record.gold or () for x in g.labels]
            for label in labels:
                seen = {"text": record.text, "type": label}
                if record.meta.get("model"):
                    seen["written_by"] = str(record.meta["model"])
                id_ = record.id if len(labels) == 1 else f"{record.id} {label}"
                yield Sample(id_, seen, {"kind": "fallacy", "labels": [label], "source": record.source})

    def with_model(
        self, model: Any, *, protocol: str, options: Mapping[str, Any], seed: int, load: LoadModel
    ) -> System:
        """A model that rates."""
        self.check_protocol_options(protocol, options)
        runs, tokens = options.get("runs", 3), options.get("max_tokens", 2048)
        if type(runs) is not int or type(tokens) is not int:
            found = f"{runs!r} and {tokens!r}"
            raise InputError(f"protocol {protocol!r}: runs and max_tokens must be whole numbers, got {found}")
        made = QualityProtocol(n_runs=runs, batch_size=1, max_tokens=tokens)
        return _Rater(made, model, same_model=bool(options.get("same_model", False)))

    def stratum(self, sample: Sample) -> str:
        """The first label of the text, or "no fallacy"."""
        return next(iter(sample.gold["labels"]), "")

    def group(self, row: Row) -> str:
        """The sentence, which is there once for each fallacy that it shows."""
        return str(row.input["text"])

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        """``quality``, with parts by fallacy and by method."""
        found = list(rows)
        pred = [
            Rating.from_dict({"id": row.id, **row.prediction})
            if row.status == "ok"
            else Rating(
                row.id,
                row.gold["labels"][0],
                (),
                unreadable=row.unreadable,
                n_replies=row.n_replies,
                unscored=row.reason,
            )
            for row in found
        ]
        return {"quality": Quality().corpus_score(pred=pred, gold=[record_of(row) for row in found])}
