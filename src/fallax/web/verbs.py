"""The verbs behind the HTTP API: validated requests in, JSON values out. Independent of HTTP.

What a request may name is closed: chat models that the server was started with, detectors and judges that ship, and the
larger entailment model where it was fetched. A name is never a path, a module or an address.
"""

from __future__ import annotations

import asyncio
import importlib
import shutil
import threading
from collections.abc import AsyncGenerator, Iterable, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, Literal

from pydantic import BaseModel

from fallax._version import __version__
from fallax.annotation.store import AnnotationStore
from fallax.core.stopping import stop_if_unwanted
from fallax.core.taxonomies import HUB, crosswalk, list_taxonomies, load_taxonomy
from fallax.core.types import ArgumentStructure, ChatModel, Evidence, Prediction, Record
from fallax.core.versions import listed_name
from fallax.errors import InputError, UnknownNameError, one_line
from fallax.web import schemas as s
from fallax.web.corrected import correct, withdraw
from fallax.web.loading import loading
from fallax.web.reading import fetch_page, read_file
from fallax.web.runs import Runs
from fallax.web.settings import ServerSettings
from fallax.web.store import CorrectedError, Store
from fallax.web.work import LoopWatch, Workers

__all__ = ["Service"]

#: The options of a debate that a request may give.
_OF_DEBATES = ("method", "agents", "rounds", "sessions", "level", "seed", "ambiguity")


class Service:
    """The verbs of one server, with its threads and settings."""

    def __init__(self, settings: ServerSettings, project: AnnotationStore | None = None) -> None:
        self.settings = settings
        self.workers = Workers(settings.limits)
        self.watch = LoopWatch()
        self.store = Store(settings.store)
        self.project = project
        self.runs = Runs(settings.runs)
        self._loaded = False
        self._correcting = threading.RLock()  # a correction reads what is stored, and writes it in two files

    async def loaded(self) -> None:
        """Wait until the verbs are imported, which takes a second or two outside the event loop."""
        if not self._loaded:
            await asyncio.get_running_loop().run_in_executor(None, _offered)
            self._loaded = True

    # -- what may be named ---------------------------------------------------------------------------------------

    def _model(self, name: str) -> ChatModel:
        if name not in self.settings.models:
            raise UnknownNameError("model", name, self.settings.models, where="this server")
        return self.settings.models[name]

    def _check_text(self, *texts: str, where: str = "text") -> None:
        most = self.settings.limits.text
        for text in texts:
            if len(text) > most:
                raise InputError(f"{where}: must have at most {most:,} characters, got {len(text):,}")

    def _check_many(self, given: Sequence[object], where: str, most: int | None = None) -> None:
        most = most or self.settings.limits.batch
        if len(given) > most:
            raise InputError(f"{where}: must be at most {most:,} at a time, got {len(given):,}; send several requests")

    # -- the verbs -----------------------------------------------------------------------------------------------

    async def detect(self, asked: s.DetectRequest) -> Any:
        """One detection, or a list for a list."""
        texts = [asked.text] if isinstance(asked.text, str) else asked.text
        self._check_many(texts, "text")
        self._check_text(*texts)
        single = isinstance(asked.text, str)
        records = [Record("text" if single else f"text-{n}", text) for n, text in enumerate(texts, 1)]
        options: dict[str, Any] = {
            "taxonomy": asked.taxonomy,
            "level": asked.level,
            "min_confidence": asked.min_confidence,
            "explain": asked.explain,
        }
        if asked.model is not None:
            if asked.system is not None:
                raise InputError("system, model: must not both be given; a detector asks no model")
            system = _offered().api.detection_system(
                model=self._model(asked.model), protocol=asked.protocol, taxonomy=asked.taxonomy
            )
            found = [
                (await self.workers.ask(_offered().api.adetect(record, system=system, **options))).to_dict()
                for record in records
            ]
        else:
            kind = "slow" if asked.explain else _kind(_listed_detector(asked.system))
            found = await self.workers.run(self._detect, records, asked, options, kind=kind)
        return found[0] if single else found

    def _detect(self, records: Sequence[Record], asked: s.DetectRequest, options: dict[str, Any]) -> list[Any]:
        _check_here(asked.system, _listed_detector(asked.system), _offered().DETECTORS, kind="detector")
        with loading():
            system = _offered().api.detection_system(system=asked.system, **_given(asked, "protocol"))
            found = []
            for record in records:
                stop_if_unwanted()
                found.append(_offered().api.detect(record, system=system, **options).to_dict())
            return found

    async def debate(self, asked: s.DebateRequest) -> Any:
        """The verdict."""
        self._check_text(asked.document, where="document")
        self._check_text(asked.summary, where="summary")
        if asked.model is None:
            return await self.workers.run(self._judge, asked, kind=_kind(_listed_judge(asked.system)))
        async with self.workers.debate():
            return (
                await _offered().api.adebate(asked.document, asked.summary, **self._debate_options(asked))
            ).to_dict()

    def _judge(self, asked: s.DebateRequest) -> dict[str, Any]:
        _check_here(asked.system, _listed_judge(asked.system), _offered().LOCAL_JUDGES, kind="local judge")
        with loading():
            found = _offered().api.debate(
                asked.document, asked.summary, system=asked.system, **_given(asked, *_OF_DEBATES)
            )
        return dict(found.to_dict())

    def _debate_options(self, asked: s.DebateRequest) -> dict[str, Any]:
        if asked.method not in _offered().METHODS:
            raise UnknownNameError("method", asked.method, _offered().METHODS)
        return {"model": self._model(asked.model or ""), "system": asked.system, **_given(asked, *_OF_DEBATES)}

    async def debate_stream(self, asked: s.DebateRequest) -> AsyncGenerator[dict[str, Any], None]:
        """Stream the events of a debate, the verdict last; the debate stops if the client disconnects."""
        if asked.model is None:
            yield {"event": "verdict", "verdict": await self.debate(asked)}
            return
        events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        async with self.workers.debate():
            task = asyncio.create_task(
                _offered().api.adebate(
                    asked.document, asked.summary, on_event=events.put_nowait, **self._debate_options(asked)
                )
            )
            task.add_done_callback(lambda _: events.put_nowait(None))
            try:
                async with asyncio.timeout(self.settings.limits.debate_seconds):
                    while (event := await events.get()) is not None:
                        yield event
                yield {"event": "verdict", "verdict": (await task).to_dict()}
            finally:
                task.cancel()

    async def verify(self, asked: s.VerifyRequest) -> Any:
        """The verification."""
        texts = [e if isinstance(e, str) else e.text for e in asked.evidence]
        self._check_text(asked.claim, *texts, where="claim, evidence")
        self._check_text("".join(d.text for d in asked.documents), where="documents")
        ids = [e.id for e in asked.evidence if not isinstance(e, str)]
        if len(set(ids)) != len(ids):
            raise InputError("evidence: each id must be given once")
        if asked.protocol not in _offered().VERIFY_PROTOCOLS or asked.protocol == "task-2":
            raise UnknownNameError(
                "protocol", asked.protocol, [p for p in _offered().VERIFY_PROTOCOLS if p != "task-2"]
            )
        if asked.evidence and asked.documents:
            raise InputError("evidence, documents: must be given one at a time, got both")
        options: dict[str, Any] = {
            "evidence": [e if isinstance(e, str) else Evidence(e.id, e.text) for e in asked.evidence] or None,
            "documents": [Record(d.id, d.text) for d in asked.documents] or None,
            "classes": asked.classes,
            **_given(asked, "n_evidence"),
        }
        if asked.model is not None:
            if asked.system is not None:
                raise InputError("system, model: must not both be given; a system asks no model")
            options |= {"model": self._model(asked.model), "protocol": asked.protocol}
            return (await self.workers.ask(_offered().api.averify(asked.claim, **options))).to_dict()
        listed = _listed_verifier(asked.system)
        _check_here(asked.system, listed, _offered().BASELINE_VERIFIERS, kind="verifier")
        options |= {"system": asked.system, **_given(asked, "protocol")}
        return await self.workers.run(self._verify, asked.claim, options, kind=_kind(listed))

    def _verify(self, claim: str, options: dict[str, Any]) -> dict[str, Any]:
        with loading():
            return dict(_offered().api.verify(claim, **options).to_dict())

    async def structure(self, asked: s.StructureRequest) -> Any:
        """The problems of a structure, and its text in a format."""
        return await self.workers.run(self._structure, asked)

    def _structure(self, asked: s.StructureRequest) -> dict[str, Any]:
        found = ArgumentStructure.from_dict(asked.structure)
        formats = [*_offered().STRUCTURE_FORMATS, "svg"]
        text, losses = None, []
        if asked.to == "svg":
            text = _offered().structure_svg(found)
        elif asked.to is not None:
            if asked.to not in _offered().STRUCTURE_FORMATS:
                raise UnknownNameError("format", asked.to, formats)
            written = _offered().format_structure(found, format=asked.to, label=asked.label)
            text, losses = written.text, list(written.losses)
        steps = [
            {"premises": list(step.premises), "conclusion": step.conclusion, "score": round(score, 4)}
            for step, score in (_offered().step_scores(found) if asked.scores else ())
        ]
        return {"problems": list(found.problems), "text": text, "losses": losses, "formats": formats, "steps": steps}

    async def generate(self, asked: s.GenerateRequest) -> Any:
        """The items, and the number of those that could not be made."""
        options: dict[str, Any] = {"n": asked.n, "seed": asked.seed, "style": asked.style}
        if asked.model is not None:
            model = self._model(asked.model)
            made = await self.workers.ask(_offered().api.agenerate(asked.fallacy, model=model, **options))
        else:
            options["evaluator"] = self.evaluator
            made = await self.workers.run(lambda: _offered().api.generate(asked.fallacy, **options), kind="slow")
        return {
            "items": [item.to_dict() for item in made.items],
            "n_missing": made.n_missing,
            "evaluator": self.evaluator,
        }

    @cached_property
    def evaluator(self) -> str:
        """The default evaluator of rules: SWI-Prolog if it is installed."""
        return "swipl" if shutil.which("swipl") else "joins"

    async def score(self, asked: s.ScoreRequest) -> Any:
        """The score."""
        return await self.workers.run(self._score, asked)

    def _score(self, asked: s.ScoreRequest) -> dict[str, Any]:
        metric = _span_metric(asked.metric)
        gold = _records(asked.gold, "gold")
        pred = [Prediction.from_dict(p.model_dump(exclude_none=True)) for p in asked.pred]
        _each_once([p.id for p in pred], "pred")
        return dict(metric.corpus_score(pred=pred, gold=gold).to_dict())

    async def agree(self, asked: s.AgreeRequest) -> Any:
        """Agreement on the labels of texts and on spans."""
        return await self.workers.run(self._agree, asked, kind="slow")

    def _agree(self, asked: s.AgreeRequest) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for name, said in asked.annotations.items():
            given[name] = _records(said, f"annotations of {name!r}") if isinstance(said, list) else dict(said)
        if len({isinstance(said, list) for said in given.values()}) > 1:
            raise InputError("annotations: must all be records, or all labels of items, got both")
        return dict(_offered().api.agree(given, n_resamples=asked.n_resamples, seed=asked.seed).to_dict())

    async def read(self, name: str, data: bytes) -> Any:
        """The text of a file."""
        return await self.workers.run(lambda: read_file(name, data, most=self.settings.limits.text), kind="slow")

    async def fetch(self, asked: s.UrlRequest) -> Any:
        """The text of a page on the web."""
        if not self.settings.fetch:
            raise InputError("address: this server was started with --no-fetch; paste the text")
        return await self.workers.run(lambda: fetch_page(asked.url, most=self.settings.limits.text), kind="slow")

    async def list_runs(self) -> Any:
        """One line per run folder."""
        return await self.workers.run(self.runs.list)

    async def report(self, asked: s.ReportRequest) -> Any:
        """Tables of one run, or of several."""
        return await self.workers.run(self.runs.report, asked.runs, kind="slow")

    async def records(self, asked: s.RecordsRequest) -> Any:
        """Records with gold, and the answer of each run."""
        options = asked.model_dump(exclude={"runs"})
        return await self.workers.run(lambda: self.runs.records(asked.runs, **options), kind="slow")

    async def keep(self, asked: s.KeepRequest) -> Any:
        """Store a result under a link."""
        id_ = await self.workers.run(self.store.keep, asked.kind, asked.value)
        return {"id": id_, "path": f"/{asked.kind}/{id_}"}

    async def kept(self, id: str) -> Any:
        """A stored result."""
        return await self.workers.run(self.store.kept, id)

    async def correct(self, asked: s.CorrectionRequest) -> Any:
        """Store a correction of a finding."""
        labels = load_taxonomy(asked.taxonomy)
        corrected = None if asked.corrected is None else labels.resolve(asked.corrected)
        return {"number": await self.workers.run(self._correct, asked, corrected)}

    def _correct(self, asked: s.CorrectionRequest, corrected: str | None) -> int:
        with self._correcting:
            before = self.store.corrected(asked.text, asked.start, asked.end, asked.label, asked.annotator)
            if before is not None and not asked.replace:
                raise CorrectedError(
                    f"finding {one_line(asked.label, 60)!r} at {asked.start}..{asked.end}: has a correction already,"
                    f" number {before}; undo it first"
                )
            if before is not None:
                self._withdraw(before)
            number = self.store.correct(
                asked.text, asked.start, asked.end, asked.label, corrected,
                taxonomy=asked.taxonomy, system=asked.system, annotator=asked.annotator,
            )  # fmt: skip
            if self.project is not None:
                correct(
                    self.project, asked.text, asked.start, asked.end, corrected,
                    taxonomy=asked.taxonomy, annotator=asked.annotator,
                )  # fmt: skip
            return number

    async def withdraw(self, number: str) -> Any:
        """Undo a correction."""
        if not number.isdecimal() or len(number) > 15 or not await self.workers.run(self._withdraw, int(number)):
            raise InputError(f"correction {number[:20]!r}: must be one that is stored, found none")
        return {"number": int(number)}

    def _withdraw(self, number: int) -> bool:
        with self._correcting:
            said = self.store.withdraw(number)
            if said is not None and self.project is not None:
                withdraw(
                    self.project, said["text"], said["start"], said["end"], said["corrected"],
                    annotator=said["annotator"], done=bool(self.store.corrections(said["text"], said["annotator"])),
                )  # fmt: skip
            return said is not None

    async def corrections(self) -> Any:
        """All corrections as annotated records."""
        return {"records": await self.workers.run(self.store.records)}

    async def find_corrections(self, asked: s.CorrectionsRequest) -> Any:
        """The corrections of one text."""
        return {"corrections": await self.workers.run(self.store.corrections, asked.text, asked.annotator)}

    async def taxonomies(self) -> Any:
        """Names, titles and sizes."""
        found = [load_taxonomy(name) for name in list_taxonomies()]
        return {
            "taxonomies": [
                {
                    "name": t.name,
                    "title": t.title,
                    "n_labels": len(t.labels),
                    "n_levels": t.finest + 1,
                    "has_crosswalk": _has_crosswalk(t.name),
                }
                for t in found
            ]
        }

    async def taxonomy(self, name: str) -> Any:
        """One label set."""
        return load_taxonomy(name).to_dict()

    async def health(self) -> Any:
        """The server's features, limits, and the longest delay of its event loop."""
        limits = self.settings.limits
        return {
            "status": "ok",
            "version": __version__,
            "models": sorted(self.settings.models),
            "detectors": _here(_offered().DETECTORS),
            "judges": _here(_offered().LOCAL_JUDGES),
            "methods": list(_offered().METHODS),
            "baselines": _here(_offered().BASELINE_VERIFIERS),
            "evaluator": self.evaluator,
            "fetch": self.settings.fetch,
            "runs": self.settings.runs is not None,
            "limits": {
                "text": limits.text,
                "batch": limits.batch,
                "body": limits.body,
                "upload": limits.upload,
                "seconds": limits.seconds,
            },
            "waiting": self.workers.waiting,
            "loop_blocked_ms": round(self.watch.longest, 1),
        }


def _given(asked: BaseModel, *names: str) -> dict[str, Any]:
    """The options that a request gave: the functions refuse what they would not read."""
    return {name: getattr(asked, name) for name in names if name in asked.model_fields_set}


def _listed_detector(name: str | None) -> str | None:
    """The name without its version; so of judges and verifiers."""
    return None if name is None else listed_name(name, _offered().DETECTORS, kind="detector")


def _listed_judge(name: str | None) -> str | None:
    return None if name is None else listed_name(name, _offered().LOCAL_JUDGES, kind="judge")


def _listed_verifier(name: str | None) -> str | None:
    return None if name is None else str(_offered().listed_verifier(name))


def _check_here(name: str | None, listed: str | None, offered: Iterable[str], *, kind: str) -> None:
    """Refuse a system that this server does not offer; its version is checked where it is loaded."""
    if listed is not None and listed not in (here := _here(offered)):
        raise UnknownNameError(kind, name, here)


def _kind(listed: str | None) -> Literal["quick", "slow"]:
    """The threads that a detector, judge or verifier without a chat model runs in."""
    return "slow" if listed in ("entailment-large", "encoder-large") else "quick"


def _here(names: Iterable[str]) -> list[str]:
    """Those that this machine can run: all but larger models that were not fetched."""
    larger = _offered().LARGER
    return [n for n in names if n not in larger or larger[n].is_here()]


def _offered() -> ModuleType:
    """The verbs and the names of their options."""
    return importlib.import_module("fallax.web.offered")


def _span_metric(spec: str) -> Any:
    metric = _offered().parse_metric(spec)
    if not isinstance(metric, _offered().SpanMetric):
        raise InputError(f"metric {metric.name}: must be a metric over spans or labels of texts")
    return metric


def _records(given: Sequence[s.RecordIn], where: str) -> list[Record]:
    _each_once([r.id for r in given], where)
    return [Record.from_dict(r.model_dump()) for r in given]


def _has_crosswalk(taxonomy: str) -> bool:
    try:
        crosswalk(taxonomy, HUB)
    except InputError:
        return False
    return True


def _each_once(ids: Sequence[str], where: str) -> None:
    if len(set(ids)) != len(ids):
        raise InputError(f"{where}: each id must be given once")
