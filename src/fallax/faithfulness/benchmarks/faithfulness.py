"""The faithfulness benchmark: balanced accuracy, error rates, agreement with people, ambiguity, and cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from fallax.core.prompts import replace_prompts
from fallax.core.types import (
    AMBIGUOUS,
    Ambiguity,
    ChatModel,
    FaithfulnessRecord,
    FaithfulnessVerdict,
    Judge,
    Score,
    Transcript,
    View,
)
from fallax.data import FAITHFULNESS_SETS, iter_faithfulness, read_faithfulness
from fallax.errors import InputError, UnjudgeableError, UnknownNameError, one_line
from fallax.faithfulness.benchmarks.madisse_printed import published, share
from fallax.faithfulness.protocols.faithfulness import PROMPTS, prompt_hash
from fallax.faithfulness.systems import (
    METHODS,
    DebateSettings,
    document_limit,
    load_ambiguity_detector,
    load_local_judge,
    load_method,
)
from fallax.metrics import TwoClass
from fallax.metrics.base import Counts, build_score
from fallax.models.tokens import estimate_tokens
from fallax.runs.asking import Recorder, heard_by
from fallax.runs.base import Answer, Benchmark, LoadModel, PublishedValue, Row, Sample, System, check_options
from fallax.runs.folder import read_rows

__all__ = ["Faithfulness", "cost_score", "sample_of", "tokens_of_run", "verdict_score"]

_UNAMBIGUOUS = "unambiguous"
#: Options of a debate; other methods read some of them.
_DEBATE = {
    "agents": "agents in a session, at least 2 [4]",
    "stances": "initial stances: uniform, none, or numbers such as 2+/3- (faithful/unfaithful) [uniform]",
    "rounds": "maximum rounds of a session [3]",
    "sessions": "independent debates that vote [1; 3 with madisse-sessions]",
    "vote": "unit of the vote over sessions: debate or agent [as in the variant]",
    "adjudicators": "adjudicators after a debate without agreement [as in the variant]",
    "shuffle": "false: keep the order of the arguments; true: a new random order in each round [true]",
    "guidelines": "a shipped list, a file of your own, or none [madisse.v1 in a debate, else none]",
    "intervene_after": "after this round agents are told to be more open; null: never [2]",
    "intervention": "form of the intervention: goal or task [goal]",
    "level": "sentence: one verdict per sentence; summary: one for the whole summary [summary]",
    "temperature": "sampling temperature [0.7; 0 for a model asked once]",
    "max_tokens": "maximum tokens of a reply [1024]",
    "variant": "the rules of the debate: definition or authors [definition]",
    "top_p": "sampling top_p [as in the variant]",
}
_MORE = {
    "ambiguity": "detector of ambiguity: variation, taxonomy, disagreement, arguments; taxonomy-15, arguments-15",
    "models": "further models whose agents take turns with the first, separated by commas",
    "adjudicator_models": "models of the adjudicators, separated by commas",
    "n": "samples of self-consistency",
    "tokens": "self-consistency: take samples up to this many tokens for each summary",
    "like": "self-consistency: as many tokens for each summary as it took in this run folder",
    "think": "true: every sample of self-consistency thinks first, as the agents of a debate do",
    "calibration": "a file for log-odds",
    "context_tokens": "the context of the model; None: it says itself when it is exceeded",
    "long_documents": "refuse (the default), chunk, retrieve",
    "prompts": "a folder of prompts of your own, see `fallax debate prompts`",
}
#: Options that one method alone reads.
_ONLY = {**dict.fromkeys(("n", "tokens", "like", "think"), "self-consistency"), "calibration": "log-odds"}
#: Options that only a debate reads.
_OF_DEBATES = frozenset(
    ("agents", "stances", "rounds", "sessions", "vote", "adjudicators", "shuffle", "intervene_after", "intervention",
     "variant", "top_p", "models", "adjudicator_models")
)  # fmt: skip


def sample_of(record: FaithfulnessRecord) -> Sample:
    """A record as a sample; human labels are separate from the input of judges."""
    gold = {"label": record.label, "ambiguous": record.ambiguous, "types": list(record.ambiguity_types)}
    seen = {"document": record.document, "summary": record.summary, "source": record.source, "group": record.group}
    return Sample(record.id, seen, gold)


def answer_of(verdict: FaithfulnessVerdict, **more: Any) -> Answer:
    """A verdict as an answer; unreadable without a label. Raw replies are stored once, in the row."""
    said = verdict.to_dict()
    for debate in said.get("transcript", {}).get("debates", ()):
        for session in debate["sessions"]:
            for turn in [*(t for r in session["rounds"] for t in r["turns"]), *session["adjudications"]]:
                turn.pop("raw", None)
    for unreadable in said["unreadable"]:
        unreadable.pop("raw", None)
    if verdict.faithfulness is None:
        return Answer(said, "unreadable", verdict.unscored or "no label", **more)
    return Answer(said, **more)


async def _judged(judge: Judge, sample: Sample, recorders: Sequence[Recorder] = ()) -> Answer:
    """Judge a sample; input that cannot be judged gives an unreadable answer."""
    try:
        verdict = await judge.judge(sample.input["document"], sample.input["summary"])
    except UnjudgeableError as error:
        return Answer(status="unreadable", reason=one_line(error, 500))
    return answer_of(verdict, **heard_by(recorders))


class _LocalSystem:
    """A local judge, without a model."""

    prompts: ClassVar[Mapping[str, str]] = {}
    concurrency: ClassVar[int] = 1

    def __init__(self, judge: Judge, settings: Mapping[str, Any]) -> None:
        self._judge = judge
        self.identity = {"judge": judge.name, **settings}

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """Judge a sample."""
        return await _judged(self._judge, sample)


class _ModelSystem:
    """Models asked with one of the methods."""

    def __init__(
        self,
        method: str,
        models: Sequence[ChatModel],
        adjudicators: Sequence[ChatModel],
        *,
        settings: DebateSettings,
        options: Mapping[str, Any],
    ) -> None:
        self._method, self._models, self._adjudicators = method, tuple(models), tuple(adjudicators)
        self._settings, self._options = settings, dict(options)
        self._like = tokens_of_run(Path(str(options["like"]))) if options.get("like") else {}
        policy = options.get("long_documents", "refuse")
        self._limit = document_limit(options.get("context_tokens"), policy, estimate_tokens)
        judge = self._judge(self._models, self._adjudicators, None)
        found: dict[str, Any] = judge.settings  # type: ignore[attr-defined]
        self.identity = {
            "judge": method,
            "settings": found,
            "models": [Recorder(m).identity for m in self._models],
            "adjudicators": [Recorder(m).identity for m in self._adjudicators],
            "options": {k: v for k, v in self._options.items() if k in ("context_tokens", "long_documents", "like")},
        }
        # of log-odds its own prompt, which no other method reads
        self.prompts = {method: found["prompts"] if method == "log-odds" else prompt_hash(settings.guidelines)}

    def _judge(self, models: Sequence[ChatModel], adjudicators: Sequence[ChatModel], tokens: int | None) -> Judge:
        options, settings = self._options, self._settings
        detector = load_ambiguity_detector(
            options.get("ambiguity"),
            model=models[0],
            guidelines=settings.guidelines,
            max_tokens=settings.max_tokens,
        )
        return load_method(
            self._method,
            models,
            settings=settings,
            n=options.get("n", 41),
            tokens=options.get("tokens") if tokens is None else tokens,
            think=options.get("think", False),
            temperature=options.get("temperature"),
            calibration=options.get("calibration"),
            adjudicators=adjudicators,
            limit=self._limit,
            detector=detector,
        )

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """Judge a sample and record every reply."""
        if self._like and sample.id not in self._like:
            raise InputError(f"{self._options['like']}: the run must hold sample {sample.id!r}, found none")
        by_model = {id(m): Recorder(m, epoch=epoch) for m in (*self._models, *self._adjudicators)}
        judge = self._judge(
            [by_model[id(m)] for m in self._models],
            [by_model[id(m)] for m in self._adjudicators],
            self._like.get(sample.id),
        )
        return await _judged(judge, sample, list(by_model.values()))


def tokens_of_run(folder: Path) -> dict[str, int]:
    """Sample -> prompt and completion tokens in the first epoch of a run.

    Raises
    ------
    InputError
        If the run took none.
    """
    rows = [row for row in read_rows(folder, epoch=0) if row.status != "error"]
    found = {row.id: row.usage.prompt_tokens + row.usage.completion_tokens for row in rows}
    if not any(found.values()):
        raise InputError(f"{folder}: must be a run that took tokens, found none")
    return {id: max(1, n) for id, n in found.items()}


class Faithfulness(Benchmark):
    """Is a summary faithful to its document? The positive class is "unfaithful".

    Scores: ``verdict`` on all records; ``verdict-unambiguous`` on those that people did not call ambiguous;
    ``verdict-kept`` on those that the judge itself did not call ambiguous; ``ambiguity``; ``cost``, means per record.
    """

    name: ClassVar[str] = "faithfulness"
    about: ClassVar[str] = "is a summary faithful to its document, or ambiguous (Koupaee et al. 2025)"
    options: ClassVar[Mapping[str, str]] = {
        "set": f"{', '.join(FAITHFULNESS_SETS)} (default: meetingbank)",
        "split": "a split of the set, or all",
        "level": "meetingbank, TofuEval: sentence (the default) or summary",
        "file": "instead of a set: a file of your own, of LLM-AggreFact or TofuEval; as --data FILE",
        "documents": "the documents of a TofuEval file",
        "strata": "what --sample is even over: label (the default) or ambiguity",
    }
    baselines: ClassVar[Mapping[str, str]] = {
        "always-faithful": "calls everything faithful",
        "lexical-overlap": "shares of words, no model",
        "embedding-similarity": "the cosine with the nearest sentence of the document",
        "entailment": "the entailment model that ships, always the likelier label",
    }
    protocols: ClassVar[Mapping[str, str]] = METHODS
    detectors: ClassVar[bool] = True
    detector_word: ClassVar[str] = "judge"
    primary: ClassVar[tuple[str, str]] = ("verdict", "balanced_accuracy")
    drawn: ClassVar[str] = "documents"
    unranked: ClassVar[tuple[str, ...]] = ("cost",)
    file_option: ClassVar[str] = "file"
    needs: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("verdict-kept", "ambiguity"), "answers of a detector of ambiguity (-P ambiguity=NAME)"
    )

    @classmethod
    def protocol_options(cls, protocol: str) -> Mapping[str, str]:
        """What the method reads."""
        debates = protocol.startswith("madisse")
        found = {**_DEBATE, **_MORE}
        unread = {n for n, method in _ONLY.items() if method != protocol} | (set() if debates else _OF_DEBATES)
        unread |= {"guidelines", "temperature"} if protocol == "log-odds" else set()
        return {name: about for name, about in found.items() if name not in unread}

    def settings(self) -> dict[str, Any]:
        """The options with their defaults; a data file is described as a file.

        Raises
        ------
        InputError
            If an option is none of what it may be, or belongs to sets and there is a file, or the other way round.
        """
        given = {name: str(value) for name, value in self.given.items() if value not in (None, "")}
        if given.get("strata", "label") not in ("label", "ambiguity"):
            raise InputError(f"strata: must be label or ambiguity, got {given['strata']!r}")
        if given.get("level", "sentence") not in ("sentence", "summary"):
            raise UnknownNameError("level", given["level"], ("sentence", "summary"))
        for name in ("set", "split") if "file" in given else ("documents",):
            if name in given:
                where = "beside a file" if "file" in given else "without a file"
                raise InputError(f"{name}: must be left out {where}, got {given[name]!r}")
        if "file" not in given:
            given.setdefault("set", "meetingbank")
        return {name: given[name] for name in self.options if name in given}

    @property
    def is_own_data(self) -> bool:
        """Whether there is a file instead of a set."""
        return "file" in self.settings()

    def samples(self) -> Iterable[Sample]:
        """The records in file order."""
        options = self.settings()
        level = options.get("level")
        records: Iterable[FaithfulnessRecord]
        if "file" in options:
            records = read_faithfulness(options["file"], documents=options.get("documents"), level=level)
        else:
            records = iter_faithfulness(options["set"], split=options.get("split"), level=level, root=self.data)
        return (sample_of(r) for r in records)

    def baseline(self, name: str, *, seed: int) -> System:
        """A judge without a model."""
        return self.with_detector(name)

    def with_detector(self, name: str) -> System:
        """A local judge by name."""
        judge = load_local_judge(name, level="summary", abstain=False)
        return _LocalSystem(judge, judge.settings)  # type: ignore[attr-defined]

    def with_model(
        self, model: ChatModel, *, protocol: str, options: Mapping[str, Any], seed: int, load: LoadModel
    ) -> System:
        """A model asked with one of the methods; options are those of debating and judging."""
        check_options(options, [*_DEBATE, *_MORE], f"option of protocol {protocol!r}:")
        for name, method in _ONLY.items():
            if options.get(name) is not None and protocol != method:
                raise InputError(f"{name}: must be left out of protocol {protocol!r}, it is read by {method} alone")
        replace_prompts(PROMPTS, options.get("prompts"))
        made = {k: v for k, v in options.items() if k in _DEBATE}
        if made.get("temperature") is None:
            made.pop("temperature", None)
        settings = DebateSettings.of(seed=seed, **{"level": "summary", **made})
        if options.get("ambiguity") and options["ambiguity"] not in ("none", *_detectors(protocol)):
            raise UnknownNameError(
                "detector of ambiguity", options["ambiguity"], _detectors(protocol), where=f"protocol {protocol!r}"
            )
        others = [load(n, {}) for n in _names(options.get("models"))]
        court = [load(n, {}) for n in _names(options.get("adjudicator_models"))]
        return _ModelSystem(protocol, [model, *others], court, settings=settings, options=options)

    def view(self, row: Row) -> View:
        """Summary and document, with verdict, faulty sentences, ambiguity, and the debate."""
        gold, said = row.gold, row.prediction
        people = gold["label"] or ""
        fields = (("summary", row.input["summary"]), ("document", row.input["document"]))
        if said is None:
            return View(fields, gold_label=people)
        details = [("verdict", said["label"] or row.reason)]
        if gold["ambiguous"]:
            details.append(("people call it", "; ".join((AMBIGUOUS, *gold["types"]))))
        details += [("at fault", f"{fault['text']} ({fault['reason']})") for fault in said["faults"]]
        if said["ambiguity"] is not None:
            found = Ambiguity.from_dict(said["ambiguity"])
            readings = [f"{r.text} ({r.label or 'no label'})" for r in found.readings]
            shown = "; ".join([*found.types, *readings, found.explanation or found.unreadable])
            details.append((f"ambiguity, by {found.detector}", shown))
        if "transcript" in said:
            details.append(("debate", str(Transcript.from_dict(said["transcript"]))))
        return View(fields, gold_label=people, predicted_label=said["faithfulness"] or "", details=tuple(details))

    def stratum(self, sample: Sample) -> str:
        """The human label: faithful or unfaithful, or ambiguous or not."""
        return str(sample.gold["ambiguous" if self.settings().get("strata") == "ambiguity" else "label"])

    def group(self, row: Row) -> str:
        """The document; files without names of documents are told apart by text."""
        return row.input.get("group") or sha256(row.input["document"].encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        """See the class."""
        found = list(rows)
        verdict = TwoClass()
        scores = {"verdict": verdict_score(found, verdict)}
        if any(r.gold["ambiguous"] is not None for r in found):
            kept = [r for r in found if r.gold["ambiguous"] is False]
            scores["verdict-unambiguous"] = verdict_score(kept, verdict)
        asked = [r for r in found if _ambiguity(r) is not None]
        if asked:
            scores["verdict-kept"] = verdict_score([r for r in found if _ambiguity(r) != AMBIGUOUS], verdict)
            scores["ambiguity"] = _ambiguity_score(found)
        scores["cost"] = cost_score(found)
        return scores

    def published(self) -> tuple[PublishedValue, ...]:
        """Tables 4, 33 and 35, and table 3's debate without stances, for MeetingBank only."""
        options = self.settings()
        if options.get("set") not in ("meetingbank", "madisse_tofueval_meetingbank"):
            return ()
        printed = published()
        level = options.get("level", "sentence")
        names = {"33": "verdict", "3": "verdict", "35": "verdict", "4": "ambiguity"}
        found: dict[tuple[str, str, str], PublishedValue] = {}
        for table, score in names.items():
            about = printed["tables"][table]
            for row, values in about["rows"].items():
                system = row if row in (*about.get("trained", ()), "random") else f"{about['llm']} {row}"
                for (set_, of, measure), value in zip(about["columns"], values, strict=True):
                    scaled = share(value, measure)
                    if scaled is not None and (set_, of) == ("MeetingBank", level):
                        source = f"{printed['source']}, table {table}"
                        key = (system, score, measure)
                        found.setdefault(key, PublishedValue(*key, scaled, source, printed["data"]))
        return tuple(found.values())


def _detectors(protocol: str) -> tuple[str, ...]:
    """The ambiguity detectors that work with a method."""
    if protocol in ("zero-shot", "chain-of-thought", "log-odds"):
        return ("taxonomy", "taxonomy-15")
    if protocol == "self-consistency":
        return ("taxonomy", "taxonomy-15", "variation")
    return ("arguments", "arguments-15", "disagreement", "taxonomy", "taxonomy-15", "variation")


def _names(text: object) -> list[str]:
    return [n for part in str(text or "").split(",") if (n := part.strip())]


def verdict_score(rows: Sequence[Row], metric: TwoClass) -> Score:
    """A metric of the labels of rows."""
    return metric.corpus_score(
        pred={r.id: r.prediction["faithfulness"] if r.status == "ok" else None for r in rows},
        gold={r.id: r.gold["label"] for r in rows},
        reasons={r.id: r.reason for r in rows if r.status != "ok"},
        unreadable={r.id for r in rows if r.unreadable},
        sources={r.id: r.input.get("source", "") for r in rows},
        replies=_replies(rows),
    )


def _replies(rows: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Counts of replies that were parsed or tried, and of unreadable ones."""
    said = [(r, r.prediction or {}) for r in rows]
    return {
        r.id: (p.get("n_replies", r.n_replies), max(len(p.get("unreadable", ())), len(r.unreadable))) for r, p in said
    }


def _ambiguity(row: Row) -> str | None:
    """The judge's answer on ambiguity; None if it was not asked or could not tell."""
    found = (row.prediction or {}).get("ambiguity") if row.status != "error" else None
    if found is None or found["is_ambiguous"] is None:
        return None
    return AMBIGUOUS if found["is_ambiguous"] else _UNAMBIGUOUS


def _ambiguity_score(rows: Sequence[Row]) -> Score:
    gold: dict[str, str | None] = {}
    reasons: dict[str, str] = {}
    failed = {row.id for row in rows if row.status == "error"}
    for row in rows:
        said = row.gold["ambiguous"]
        gold[row.id] = None if said is None else AMBIGUOUS if said else _UNAMBIGUOUS
        found = (row.prediction or {}).get("ambiguity") or {}
        reasons[row.id] = row.reason if row.status == "error" else found.get("unreadable", "")
    return TwoClass(positive=AMBIGUOUS, negative=_UNAMBIGUOUS).corpus_score(
        pred={r.id: _ambiguity(r) for r in rows},
        gold=gold,
        reasons=reasons,
        unreadable={i for i, why in reasons.items() if why and i not in failed},
        sources={r.id: r.input.get("source", "") for r in rows},
        replies=_replies(rows),
    )


def cost_score(rows: Sequence[Row]) -> Score:
    """Mean prompt tokens, completion tokens and calls per record, as a score; without rows with an error."""
    names = ("prompt_tokens", "completion_tokens", "calls")
    done = [r for r in rows if r.status != "error"]
    return build_score(
        metric="cost",
        formula="mean",
        zero={**dict.fromkeys(names, 0), "n": 0},
        settings={"metric": "cost"},
        counts={r.id: Counts({**{n: getattr(r.usage, n) for n in names}, "n": 1}) for r in done},
        hashes={r.id: sha256(r.id.encode("utf-8", "surrogatepass")).hexdigest()[:16] for r in done},
        sources={r.id: r.input.get("source", "") for r in rows},
        replies={},
        unscored={r.id: r.reason for r in rows if r.status == "error"},
    )
