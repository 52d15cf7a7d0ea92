"""A benchmark that is asked a question a sample and scored by what it says; used by the tests of the runner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from fallax.core.types import ChatModel, Message, Request, Score
from fallax.metrics import Classification
from fallax.runs.asking import Recorder
from fallax.runs.base import Answer, Benchmark, LoadModel, Row, Sample, System


class Said:
    """Says what it is told to."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.identity: dict[str, object] = {"system": word}
        self.prompts: dict[str, str] = {}
        self.n_answers = 0

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        self.n_answers += 1
        return Answer({"label": self.word})


class Asked:
    """Asks the model for a word."""

    prompts: ClassVar[dict[str, str]] = {"toy.v1": "abc123"}

    def __init__(self, model: ChatModel, n_calls: int) -> None:
        self.model = model
        self.n_calls = n_calls
        self.identity: dict[str, object] = {"model": model.name, "calls": n_calls}

    async def answer(self, sample: Sample, *, epoch: int) -> Answer:
        model = Recorder(self.model, epoch=epoch)
        word = ""
        for i in range(self.n_calls):
            reply = await model.generate(Request((Message("user", f"{sample.input['text']} {i} {word}"),)))
            word = reply.text
        if "?" in word:
            return Answer(None, "unreadable", "says it does not know", model.replies(), model.usage)
        return Answer({"label": "yes" if "yes" in word else "no"}, replies=model.replies(), usage=model.usage)


class Toy(Benchmark):
    name = "toy"
    about = "Questions that are right if they are answered with yes."
    options: ClassVar[Mapping[str, str]] = {"n": "how many samples"}
    baselines: ClassVar[Mapping[str, str]] = {"yes": "always yes", "no": "always no"}
    protocols: ClassVar[Mapping[str, str]] = {"ask": "asks", "ask-twice": "asks again"}
    primary = ("right", "accuracy")

    def settings(self) -> dict[str, Any]:
        return {"n": self.given.get("n", 20)}

    def samples(self) -> Iterable[Sample]:
        for i in range(self.settings()["n"]):
            yield Sample(f"q{i}", {"text": f"question {i}"}, "yes" if i % 3 else "no")

    def baseline(self, name: str, *, seed: int) -> System:
        return Said(name)

    def with_model(
        self, model: ChatModel, *, protocol: str, options: Mapping[str, Any], seed: int, load: LoadModel
    ) -> System:
        return Asked(model, 2 if protocol == "ask-twice" else 1)

    def score(self, rows: Iterable[Row]) -> dict[str, Score]:
        found = list(rows)
        gold = {r.id: r.gold if r.status == "ok" else None for r in found}
        pred = {r.id: r.prediction["label"] if r.status == "ok" else None for r in found}
        return {"right": Classification().corpus_score(pred=pred, gold=gold)}
