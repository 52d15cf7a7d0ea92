"""The parts of a benchmark: samples, systems, stored rows, and scores computed from rows alone."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from fallax.core.json_value import JsonValue
from fallax.core.types import ChatModel, Prediction, Record, Score, Table, Unreadable, Usage, View
from fallax.errors import InputError, UnknownNameError

__all__ = [
    "Answer",
    "Benchmark",
    "LoadModel",
    "PublishedValue",
    "Row",
    "Sample",
    "Status",
    "System",
    "SystemSpec",
    "check_options",
    "choose_recorded",
]

#: "ok"; "unreadable", there is no answer that could be read, nor will there be (so is a prompt that is too long or that
#: the endpoint refuses, and a text that is empty), and the sample is unscored; "not_asked", the sample lacks what the
#: system would be given: unscored, never counted as wrong; "error", a model, an endpoint or a system that computes
#: here failed: never scored, and tried again when the run is continued.
Status: TypeAlias = Literal["ok", "unreadable", "not_asked", "error"]

#: (name, options) -> a model with cache, limits and budget of the run around it.
LoadModel: TypeAlias = Callable[[str, Mapping[str, Any]], ChatModel]


@dataclass(frozen=True, slots=True)
class Sample:
    """One item of a benchmark.

    Parameters
    ----------
    id : unique in its benchmark.
    input : what a system sees, as JSON values.
    gold : what is right, as a JSON value; None where nobody looked.
    bad_spans : a line for each gold span of the data that could not be used, and is not in ``gold``.
    """

    id: str
    input: Mapping[str, Any]
    gold: Any = None
    bad_spans: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a system to one sample.

    Parameters
    ----------
    prediction : a JSON value that the benchmark's ``score`` understands; None where there is none.
    status, reason : see :data:`Status`; a reason wherever the status is not "ok".
    replies : the raw replies, as :func:`fallax.runs.asking.reply_row` gives them, in an order that does not depend on
        which came first.
    usage : what it took.
    """

    prediction: Any = None
    status: Status = "ok"
    reason: str = ""
    replies: tuple[Mapping[str, Any], ...] = ()
    usage: Usage = field(default_factory=Usage)

    def __post_init__(self) -> None:
        if self.status not in get_args(Status):
            raise UnknownNameError("status", self.status, get_args(Status))
        if (self.status == "ok") != (not self.reason):
            raise InputError(f"an answer must have a reason unless it is ok, got {self.status!r} and {self.reason!r}")


@dataclass(frozen=True, slots=True)
class Row(JsonValue):
    """One line of ``records.jsonl``: a sample, the answer of the system, and what it took.

    Parameters
    ----------
    position : the place of the sample in the benchmark, from 0.
    epoch : which repetition, from 0.
    id, input, gold : the sample.
    status, reason, prediction, replies, usage : the answer.

    Examples
    --------
    >>> row = Row(0, 0, "a", {"text": "You lie."}, None, "ok", {"spans": []})
    >>> Row.from_dict(row.to_dict()) == row
    True
    """

    position: int
    epoch: int
    id: str
    input: dict[str, Any]
    gold: Any
    status: Status
    prediction: Any = None
    reason: str = ""
    replies: tuple[dict[str, Any], ...] = ()
    usage: Usage = field(default_factory=Usage)

    @property
    def unreadable(self) -> tuple[Unreadable, ...]:
        """Why no answer could be read; empty if there is one, or if an endpoint failed."""
        return (Unreadable(self.reason),) if self.status == "unreadable" else ()

    @property
    def n_replies(self) -> int:
        """The number of replies that were parsed or tried."""
        return max(len(self.replies), len(self.unreadable))

    @classmethod
    def of(cls, sample: Sample, answer: Answer, *, position: int, epoch: int) -> Row:
        """The row for a sample and its answer."""
        return cls(
            position,
            epoch,
            sample.id,
            dict(sample.input),
            sample.gold,
            answer.status,
            answer.prediction,
            answer.reason,
            tuple(map(dict, answer.replies)),
            answer.usage,
        )

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON values."""
        return {
            "position": self.position,
            "epoch": self.epoch,
            "status": self.status,
            "usage": self.usage.to_dict(),
            "id": self.id,
            "reason": self.reason,
            "input": self.input,
            "gold": self.gold,
            "prediction": self.prediction,
            "replies": self.replies,
        }


@dataclass(frozen=True, slots=True)
class PublishedValue(JsonValue):
    """A published value to compare with.

    Parameters
    ----------
    system : who, as the source calls it.
    score, measure : the score of the benchmark, and the measure of it, that it is to be compared with.
    value : as printed.
    source : paper and table.
    note : why it may not be comparable, such as other data.
    """

    system: str
    score: str
    measure: str
    value: float
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class SystemSpec:
    """A system as named on the command line.

    Parameters
    ----------
    name : a system of the benchmark that needs no model, ``detector:NAME``, ``verifier:FOLDER``, or a model
        (``openai/gpt-4o``, ``recorded:PATH``, ...) that is asked with a protocol.
    protocol : how a model is asked; None: the first that the benchmark has.
    protocol_options, model_options : what ``-P`` and ``-M`` give.
    """

    name: str
    protocol: str | None = None
    protocol_options: Mapping[str, Any] = field(default_factory=dict)
    model_options: Mapping[str, Any] = field(default_factory=dict)


@runtime_checkable
class System(Protocol):
    """A system that answers the samples of a benchmark.

    A system may have an attribute ``concurrency``: how many samples to give it at a time (1 where it computes here);
    ``labels``: the labels of the benchmark that it can name, if these are not all; and ``stand_in``: a reply that a dry
    run takes for any question, where a later question depends on an earlier reply.
    """

    @property
    def identity(self) -> Mapping[str, Any]:
        """Everything that can change an answer, as JSON values without credentials; stored in ``run.json``."""

    @property
    def prompts(self) -> Mapping[str, str]:
        """Prompt name -> hash; empty if no model is asked."""

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        """Answer a sample.

        The same sample and epoch give the same answer, whatever else runs. A
        :class:`~fallax.errors.ModelError` that is raised becomes a row with the status "error", as does any exception
        of a system whose ``concurrency`` is 1.
        """


def choose_recorded(files: Mapping[str, Path], options: Mapping[str, Any], path: Path, what: str) -> Path | None:
    """The recorded file for ``options["model"]``; None if nothing is recorded.

    Parameters
    ----------
    files : by the names of the models.
    path : the folder, for errors.
    what : what is recorded: "outputs".

    Raises
    ------
    InputError, UnknownNameError
        If no model is named, or one that is not recorded, or another option is given.
    """
    if not files:
        return None
    check_options(options, ("model",), f"option of recorded {what}:")
    model = options.get("model")
    if model is None:
        raise InputError(f"{path}: holds {what} of {len(files)} models; choose with -M model=NAME: {', '.join(files)}")
    if model not in files:
        raise UnknownNameError("recorded model", model, files, where=str(path))
    return files[model]


def check_options(given: Mapping[str, Any], known: Iterable[str], what: str) -> None:
    """Raise UnknownNameError for the first unknown option."""
    names = list(known)
    for name in given:
        if name not in names:
            raise UnknownNameError(what, name, names)


def _short(value: Any) -> str:
    """A JSON value in a short form for people."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


class Benchmark(ABC):
    """A corpus, the systems that can be run on it, and how they are scored.

    Making one reads no data, so that a run can be scored where the data are not. A subclass sets the class variables
    and writes :meth:`samples`, :meth:`score` and, for what it has, :meth:`baseline`, :meth:`with_model`,
    :meth:`protocol_options`, :meth:`with_detector`, :meth:`with_verifier`, :meth:`with_recording` and
    :meth:`published`.

    Parameters
    ----------
    data : the folder with the data, or a file of the user's; None: where :func:`fallax.data.data_root` says.
    options : the benchmark's own options, names as in :attr:`options`.

    Raises
    ------
    UnknownNameError
        For an option that the benchmark does not have.
    InputError
        If ``data`` and an option name two files.
    """

    #: As registered.
    name: ClassVar[str]
    #: One line for people.
    about: ClassVar[str]
    #: option -> what it does.
    options: ClassVar[Mapping[str, str]] = {}
    #: system that needs no model -> what it does.
    baselines: ClassVar[Mapping[str, str]] = {}
    #: protocol -> how a model is asked; the first is used unless another is named. Empty: no model can be asked.
    protocols: ClassVar[Mapping[str, str]] = {}
    #: True if ``detector:NAME`` can be tried.
    detectors: ClassVar[bool] = False
    #: What such a system is called here, before the colon.
    detector_word: ClassVar[str] = "detector"
    #: True if ``verifier:FOLDER`` can be tried.
    verifiers: ClassVar[bool] = False
    #: The score and its measure that comes first in a comparison.
    primary: ClassVar[tuple[str, str]]
    #: What intervals and tests draw, in the plural, where :meth:`group` names it; "" where they draw records.
    drawn: ClassVar[str] = ""
    #: What :meth:`gold_labels` gives the labels of: passages or texts.
    gold_unit: ClassVar[str] = "passages"
    #: Scores in which more is not better, such as tokens; they rank nobody.
    unranked: ClassVar[tuple[str, ...]] = ()
    #: The option that names a file of the user's, for which a file as ``data`` stands too; "" if none does.
    file_option: ClassVar[str] = ""
    #: score that not every run has -> what in its rows it is made of.
    needs: ClassVar[Mapping[str, str]] = {}

    def __init__(self, *, data: str | Path | None = None, options: Mapping[str, Any] | None = None) -> None:
        self.data = None if data is None else Path(data)
        check_options(options or {}, self.options, f"option of benchmark {self.name!r}:")
        self.given = dict(options or {})
        if self.file_option and self.data is not None and self.data.is_file():
            named, self.data = str(self.data), None
            if str(self.given.setdefault(self.file_option, named)) != named:
                got = f"got {self.given[self.file_option]} and {named}"
                raise InputError(f"-B {self.file_option} and --data must name one file, {got}; leave one of them out")

    def settings(self) -> dict[str, Any]:
        """The options with their defaults, for ``run.json``; they recreate the same benchmark."""
        return dict(self.given)

    @property
    def is_own_data(self) -> bool:
        """Whether the samples are from a file of the user's, so that the published values are of other texts."""
        return self.data is not None and self.data.is_file()

    def refuse_file(self) -> None:
        """Raise InputError if ``data`` is a file, for a benchmark that reads data sets alone."""
        if self.data is not None and self.data.is_file():
            raise InputError(
                f"data: must be a folder of data sets for benchmark {self.name!r}, got the file {self.data}; for texts"
                " of your own, use benchmark mafalda or propaganda"
            )

    @abstractmethod
    def samples(self) -> Iterable[Sample]:
        """The samples, always in the same order; read lazily."""

    def stratum(self, sample: Sample) -> str:
        """The class of a sample for stratified sampling; by default all samples are in one."""
        return ""

    @abstractmethod
    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        """All scores of the rows of one epoch, in the order of the tables.

        Needs no model and no data. Rows whose status is not "ok" are unscored with their reason. Every score keeps
        the sums of its records under the ids of the samples.
        """

    def group(self, row: Row) -> str:
        """What was drawn when the data were made, and holds the row: intervals resample these. By default the row."""
        return row.id

    def published(self) -> tuple[PublishedValue, ...]:
        """Published values for this benchmark with these options."""
        return ()

    def tables(self, rows: Iterable[Row], scores: Mapping[str, Score]) -> tuple[Table, ...]:
        """Further tables of a report, from the rows of one epoch and the scores of the run."""
        return ()

    def view(self, row: Row) -> View:
        """How a report shows a row; by default the input texts, and gold and prediction in short form."""
        fields = tuple((name, value) for name, value in row.input.items() if isinstance(value, str) and value)
        return View(fields, gold_label=_short(row.gold), predicted_label=_short(row.prediction))

    def gold_record(self, row: Row) -> Record | None:
        """The annotated text of a row, for label counts; None if the benchmark has none."""
        return None

    def gold_labels(self, row: Row) -> Sequence[Sequence[str]]:
        """For each gold passage of a row (or for its text) the labels one of which is right; by default nothing."""
        return ()

    def predicted(self, row: Row) -> Prediction | None:
        """The predicted passages of a row, for export; None if the benchmark has none."""
        return None

    def baseline(self, name: str, *, seed: int) -> System:
        """A system of :attr:`baselines`."""
        raise NotImplementedError(name)

    def with_detector(self, name: str) -> System:
        """A trained local detector by name."""
        raise NotImplementedError(name)

    def with_verifier(self, folder: str) -> System:
        """A trained verifier by its folder."""
        raise NotImplementedError(folder)

    @classmethod
    def protocol_options(cls, protocol: str) -> Mapping[str, str]:
        """The options of one of :attr:`protocols`, which ``-P`` gives: option -> what it does."""
        return {}

    def check_protocol_options(self, protocol: str, given: Mapping[str, Any]) -> None:
        """Raise UnknownNameError for the first option that is not in :meth:`protocol_options`."""
        check_options(given, self.protocol_options(protocol), f"option of protocol {protocol!r}:")

    @classmethod
    def trained(cls) -> list[str]:
        """The forms in which trained systems are named here."""
        return [
            *([f"{cls.detector_word}:NAME"] if cls.detectors else []),
            *(["verifier:FOLDER"] if cls.verifiers else []),
        ]

    def with_recording(self, path: Path, *, options: Mapping[str, Any]) -> System | None:
        """A system that replays a benchmark's own file format; None if the file holds calls of fallax."""
        return None

    def with_model(
        self, model: ChatModel, *, protocol: str, options: Mapping[str, Any], seed: int, load: LoadModel
    ) -> System:
        """A model asked with one of :attr:`protocols`; ``load`` loads further models if needed."""
        raise NotImplementedError(protocol)

    def system(self, spec: SystemSpec, *, seed: int, load: LoadModel) -> System:
        """The system with a given name.

        Raises
        ------
        UnknownNameError, InputError
            If the benchmark has no such system or protocol, or options are given that nothing reads.
        """
        if spec.name in self.baselines:
            self._plain(spec)
            return self.baseline(spec.name, seed=seed)
        kind, separator, rest = spec.name.partition(":")
        if kind in ("detector", self.detector_word, "verifier") and separator:
            if not (self.verifiers if kind == "verifier" else self.detectors):
                raise InputError(f"benchmark {self.name!r}: {kind}s cannot be tried here; {self._known()}")
            self._plain(spec)
            return self.with_verifier(rest) if kind == "verifier" else self.with_detector(rest)
        if "/" not in spec.name and kind not in ("recorded", "scripted"):
            known = [*self.baselines, *self.trained(), "PROVIDER/MODEL", "recorded:PATH"]
            raise UnknownNameError("system", spec.name, known, where=f"benchmark {self.name!r}")
        if kind == "recorded":
            replayed = self.with_recording(Path(rest), options=spec.model_options)
            if replayed is not None:
                if spec.protocol is not None or spec.protocol_options:
                    raise InputError(f"{spec.name}: raw outputs are read as they were asked for; leave --protocol out")
                return replayed
        if not self.protocols:
            raise InputError(f"benchmark {self.name!r}: no model can be asked here; {self._known()}")
        protocol = spec.protocol or next(iter(self.protocols))
        if protocol not in self.protocols:
            raise UnknownNameError("protocol", protocol, self.protocols, where=f"benchmark {self.name!r}")
        model = load(spec.name, spec.model_options)
        return self.with_model(model, protocol=protocol, options=spec.protocol_options, seed=seed, load=load)

    def _known(self) -> str:
        return f"known systems: {', '.join([*self.baselines, *self.protocols])}"

    def _plain(self, spec: SystemSpec) -> None:
        if spec.protocol is not None or spec.protocol_options or spec.model_options:
            raise InputError(f"system {spec.name!r} asks no model: leave the protocol and -M and -P options out")
