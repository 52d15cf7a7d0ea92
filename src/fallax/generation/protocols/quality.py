"""Protocol for rating how well sentences show their intended fallacy: 0 to 3, several runs, another model."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from fallax.core.prompts import hash_of, read_prompt
from fallax.core.replies import bounded, extract_json
from fallax.core.taxonomies import load_taxonomy
from fallax.core.texts import fence
from fallax.core.types import NO_FALLACY, ChatModel, Message, Rating, Record, Reply, Request, Taxonomy, Unreadable
from fallax.errors import InputError, ModelError

__all__ = ["QualityProtocol", "check_other_model", "rate_with_model"]

# An object, as some endpoints take no list at the top.
_SCHEMA = {
    "type": "object",
    "properties": {
        "scores": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "number": {"type": "integer"},
                    "score": {"type": "integer", "minimum": 0, "maximum": 3},
                },
                "required": ["number", "score"],
            },
        }
    },
    "required": ["scores"],
}
_LINE = re.compile(r"^\W*(?:sentence\s+)?(\d+)\W+(?:score\W+)?([0-3])\b", re.I | re.M)


def check_other_model(records: Sequence[Record], model: str) -> None:
    """Raise an error if a model would rate its own sentences.

    Models favour what they wrote; the paper has one model write and another rate. ``meta["model"]`` of a record says
    who wrote it; providers in front of a name are not compared.

    Examples
    --------
    >>> check_other_model([Record("1", "x", meta={"model": "a/writer"})], "b/writer")
    Traceback (most recent call last):
    fallax.errors.InputError: record '1': must be rated by another model than wrote it, got 'b/writer'; choose \
another, or allow it with same_model=True
    """
    for record in records:
        if str(record.meta.get("model") or "").rsplit("/", 1)[-1] == model.rsplit("/", 1)[-1]:
            raise InputError(
                f"record {record.id!r}: must be rated by another model than wrote it, got {model!r}; choose another,"
                " or allow it with same_model=True"
            )


class QualityProtocol:
    """Asks for ratings of up to twenty sentences at a time, with the same question in every run.

    Parameters
    ----------
    taxonomy : the fallacies, with their definitions.
    n_runs : how often each sentence is rated.
    batch_size : sentences in one question.
    max_tokens : the longest reply.

    Notes
    -----
    From the paper: the scoring guide, the instruction, the "type" field, 20 sentences, temperature 0 and three runs (Xu
    et al. 2025, table 10). Ours: the definitions, the numbers, the form of the answer, and the delimiters. With
    temperature 0 many models answer the same every time; ``stable`` of :class:`~fallax.metrics.Quality` shows it.

    Examples
    --------
    >>> from fallax.core.types import GoldSpan
    >>> record = Record("1", "It rained after I sang, so I make rain.", (GoldSpan(0, 39, ("False Cause",)),))
    >>> protocol = QualityProtocol(n_runs=2)
    >>> replies = [Reply('[{"number": 1, "score": 3}]'), Reply("1: 2")]
    >>> protocol.read((record,), replies)[0].scores
    (3, 2)
    """

    def __init__(
        self,
        taxonomy: Taxonomy | str = "smartypat",
        *,
        n_runs: int = 3,
        batch_size: int = 20,
        max_tokens: int = 2048,
    ) -> None:
        for name, value in (("n_runs", n_runs), ("batch_size", batch_size)):
            if value < 1:
                raise InputError(f"quality: {name} must be at least 1, got {value}")
        self.taxonomy = load_taxonomy(taxonomy) if isinstance(taxonomy, str) else taxonomy
        self.n_runs = n_runs
        self.batch_size = batch_size
        self.max_tokens = max_tokens
        labels = "\n".join(f"- {label.name}: {label.definition}" for label in self.taxonomy.labels)
        text = read_prompt("fallax.generation.protocols", "smartypat_quality.v1").replace("{{", "{").replace("}}", "}")
        self._prompt = text.replace("{labels}", labels)

    @property
    def name(self) -> str:
        """``smartypat-quality.v1``."""
        return "smartypat-quality.v1"

    @property
    def prompt_hash(self) -> str:
        """Twelve hex digits of the prompt with its labels and definitions."""
        return hash_of(self._prompt)

    def type_of(self, record: Record) -> str:
        """The intended fallacy of a record.

        Raises
        ------
        InputError
            If its gold does not name exactly one; sentences with several are rated once for each, as records of their
            own.
        """
        labels = sorted({x for g in record.gold or () for x in g.labels} - {NO_FALLACY})
        if len(labels) != 1:
            raise InputError(
                f"record {record.id!r}: must be meant to show one fallacy, its gold names {', '.join(labels) or 'none'}"
            )
        return self.taxonomy.resolve(labels[0], where=f"record {record.id!r}")

    def batches(self, records: Sequence[Record]) -> list[tuple[Record, ...]]:
        """The records of each question, in order."""
        size = self.batch_size
        return [tuple(records[i : i + size]) for i in range(0, len(records), size)]

    def requests(self, batch: Sequence[Record]) -> tuple[Request, ...]:
        """One request per run; they differ only in their epoch."""
        rows = [
            json.dumps({"number": i, "type": self.type_of(r), "sentence": r.text}, ensure_ascii=False)
            for i, r in enumerate(batch, start=1)
        ]
        before, after = self._prompt.replace("{count}", str(len(batch))).split("{sentences}")
        message = Message("user", before + fence("\n".join(rows), "sentences") + after)
        return tuple(
            Request((message,), temperature=0.0, max_tokens=self.max_tokens, json_schema=_SCHEMA, epoch=run)
            for run in range(self.n_runs)
        )

    def read(self, batch: Sequence[Record], replies: Sequence[Reply | str]) -> tuple[Rating, ...]:
        """Read the replies to :meth:`requests`; a text in place of a reply is the reason for its absence."""
        runs = [self._read_one(batch, reply) for reply in replies]
        n_replies = sum(isinstance(reply, Reply) for reply in replies)
        found = []
        for i, record in enumerate(batch):
            scores = tuple(x if isinstance(x, int) else None for x in (run[i] for run in runs))
            faults = tuple(x for x in (run[i] for run in runs) if isinstance(x, Unreadable))
            why = "" if any(s is not None for s in scores) else faults[0].reason
            # A reply that never came is no unreadable one.
            unreadable = tuple(x for x in faults if x.raw)
            found.append(Rating(record.id, self.type_of(record), scores, unreadable, n_replies, why))
        return tuple(found)

    def _read_one(self, batch: Sequence[Record], reply: Reply | str) -> list[int | Unreadable]:
        if isinstance(reply, str):
            return [Unreadable(reply)] * len(batch)
        by_number = _scores(reply.text)
        return [
            by_number.get(i, Unreadable(f"no score for sentence {i} of {len(batch)}", reply.text))
            for i in range(1, len(batch) + 1)
        ]


def _scores(text: str) -> dict[int, int | Unreadable]:
    """Sentence number -> score, from JSON or else lines such as ``3: 2``."""
    try:
        value = extract_json(text)
    except ValueError:
        value = [{"number": int(n), "score": int(s)} for n, s in _LINE.findall(bounded(text))]
    if isinstance(value, Mapping) and not {"number", "score"} <= value.keys():
        inner = [v for v in value.values() if isinstance(v, list)]
        value = inner[0] if inner else [{"number": k, "score": v} for k, v in value.items()]
    found: dict[int, int | Unreadable] = {}
    for position, item in enumerate(value if isinstance(value, list) else [value], start=1):
        number, score = _entry(item, position)
        if number is not None:
            fits = type(score) is int and 0 <= score <= 3
            twice = number in found and found[number] != score
            fault = "two scores for one sentence" if twice else f"the score must be 0, 1, 2 or 3, got {score!r}"
            found[number] = score if fits and not twice else Unreadable(fault, text)
    return found


def _entry(item: Any, position: int) -> tuple[int | None, Any]:
    """Number and score of one entry; a bare score belongs to the sentence at that position."""
    if not isinstance(item, Mapping):
        return position, _whole(item)
    number = next((item[k] for k in ("number", "id", "sentence", "index") if k in item), position)
    return _whole(number) if isinstance(_whole(number), int) else None, _whole(item.get("score"))


def _whole(value: Any) -> Any:
    """Parse a whole number from a text or a float."""
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,6}\s*", value):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


async def rate_with_model(
    protocol: QualityProtocol, records: Sequence[Record], model: ChatModel, *, same_model: bool = False
) -> tuple[Rating, ...]:
    """Rate sentences, every batch in every run at once.

    Parameters
    ----------
    records : each meant to show one fallacy.
    same_model : allow a model to rate what it wrote, see :func:`check_other_model`.

    Returns
    -------
    tuple of Rating
        One per record, in order. A call that failed leaves its runs without a score, and the reason.
    """
    if not same_model:
        check_other_model(records, model.name)

    async def ask(request: Request) -> Reply | str:
        try:
            return await model.generate(request)
        except ModelError as error:
            return str(error)

    batches = protocol.batches(records)
    asked = [protocol.requests(batch) for batch in batches]
    replies = await asyncio.gather(*(asyncio.gather(*(ask(r) for r in requests)) for requests in asked))
    return tuple(r for batch, got in zip(batches, replies, strict=True) for r in protocol.read(batch, got))
