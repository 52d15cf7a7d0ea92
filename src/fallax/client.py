"""A client of ``fallax serve``: the same functions, computed by a server."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, Literal, TypedDict, Unpack, overload
from urllib.parse import quote, urlsplit

from fallax.core.checked import checked, instances_of, refuse_table
from fallax.core.texts import whole_characters
from fallax.core.types import (
    Detection,
    Evidence,
    FaithfulnessVerdict,
    GeneratedItem,
    Prediction,
    Record,
    Score,
    Taxonomy,
    Verification,
)
from fallax.errors import AuthenticationError, EndpointError, FallaxError, InputError, ModelTimeoutError, one_line

__all__ = ["Client", "connect"]

#: Seconds, more than which a socket cannot wait: 23 days.
_LONGEST_WAIT = 2_000_000.0


class _DetectOptions(TypedDict, total=False):
    system: str
    model: str
    protocol: Literal["sentence", "whole-document"]
    taxonomy: str
    level: int
    min_confidence: float
    explain: bool


class _DebateOptions(TypedDict, total=False):
    model: str
    method: str
    agents: int
    rounds: int
    sessions: int
    level: Literal["sentence", "summary"]
    ambiguity: Literal["arguments", "disagreement", "taxonomy", "variation", "none"]
    system: str
    seed: int


class _VerifyOptions(TypedDict, total=False):
    model: str
    system: str
    protocol: str
    classes: Literal[2, 3]
    n_evidence: int


class _GenerateOptions(TypedDict, total=False):
    seed: int
    style: Literal["full", "bare"]
    model: str


class _AgreeOptions(TypedDict, total=False):
    n_resamples: int
    seed: int


@checked()
def connect(url: str, *, token: str = "", timeout: float = 300.0) -> Client:
    """Connect to a server that ``fallax serve`` started.

    Parameters
    ----------
    url : its address, such as ``http://127.0.0.1:8577``.
    token : what it asks for, where others than its own machine can reach it.
    timeout : seconds to wait for an answer; inf: as long as it takes.

    Raises
    ------
    InputError
        If the address is not one of http or https, or an option is not what it must be. Nothing is asked yet.

    Examples
    --------
    >>> connect("http://127.0.0.1:8577/").url
    'http://127.0.0.1:8577'
    """
    return Client(url, token=token, timeout=timeout)


class Client:
    """The verbs of one server. Errors of the server are raised as fallax errors.

    Raises
    ------
    InputError
        What was sent is not what it must be.
    AuthenticationError
        The token is missing or wrong.
    ModelTimeoutError
        It took too long, or too many requests wait.
    EndpointError
        There is no such server at the address, its answer broke off, or a chat model behind it did not answer.
    """

    def __init__(self, url: str, *, token: str = "", timeout: float = 300.0) -> None:
        if not _is_address(url):
            raise InputError(f"url: must be http://... or https://..., got {one_line(url, 100)!r}")
        if not timeout > 0:
            raise InputError(f"timeout: must be more than 0, got {timeout:g}")
        if not (token.isascii() and token.isprintable()):
            raise InputError("token: must be of printable ASCII characters; copy it again")
        self.url = url.rstrip("/")
        self.timeout = timeout
        self._headers = {"authorization": f"Bearer {token}"} if token else {}

    @overload
    def detect(self, text: str, **options: Unpack[_DetectOptions]) -> Detection: ...  # type: ignore[overload-overlap]  # a text is a sequence too

    @overload
    def detect(self, text: Sequence[str], **options: Unpack[_DetectOptions]) -> list[Detection]: ...

    def detect(self, text: str | Sequence[str], **options: Unpack[_DetectOptions]) -> Detection | list[Detection]:
        """Find passages that look fallacious, as :func:`fallax.detect`; a list of texts gives a list.

        Parameters
        ----------
        text : one text, or several.
        options : system, model, protocol, taxonomy, level, min_confidence, explain.
        """
        must = "text: must be a text or a list of texts"
        refuse_table(text, must)
        texts = text if isinstance(text, str) else instances_of(text, str, must)
        found = self._post("/v1/detect", {"text": texts, **options})
        return Detection.from_dict(found) if isinstance(text, str) else [Detection.from_dict(f) for f in found]

    def debate(
        self,
        document: str,
        summary: str,
        *,
        on_event: Callable[[dict[str, Any]], None] | None = None,
        **options: Unpack[_DebateOptions],
    ) -> FaithfulnessVerdict:
        """Judge whether a summary is faithful, as :func:`fallax.debate`.

        Parameters
        ----------
        document, summary : the texts.
        on_event : told what happens in a debate as it happens.
        options : model, method, agents, rounds, sessions, level, ambiguity, system, seed.
        """
        asked = {"document": document, "summary": summary, **options}
        if on_event is None:
            return FaithfulnessVerdict.from_dict(self._post("/v1/debate", asked))
        for event in self._events("/v1/debate", asked):
            if event["event"] == "verdict":
                return FaithfulnessVerdict.from_dict(event["verdict"])
            if event["event"] == "error":
                raise _error(event["kind"], event["message"])
            on_event(event)
        raise EndpointError("the debate ended without a verdict", provider=self.url)

    def verify(
        self,
        claim: str,
        evidence: Iterable[str | Evidence] | None = None,
        *,
        documents: Iterable[Record] | None = None,
        **options: Unpack[_VerifyOptions],
    ) -> Verification:
        """Verify whether evidence supports a why-claim, as :func:`fallax.verify`.

        Parameters
        ----------
        claim : its text.
        evidence : texts, or pieces with ids.
        documents : records to find evidence in where none is given.
        options : system, model, protocol, classes, n_evidence.
        """
        if isinstance(evidence, str):
            raise InputError("evidence: must be a list of texts, got one text; put it in a list")
        asked: dict[str, Any] = {"claim": claim, **options}
        if evidence is not None:
            pieces: list[Any] = instances_of(
                evidence, (str, Evidence), "evidence: each piece must be a text or an Evidence"
            )
            asked["evidence"] = [e if isinstance(e, str) else {"id": e.id, "text": e.text} for e in pieces]
        if documents is not None:
            records = instances_of(documents, Record, "documents: must be Records")
            asked["documents"] = [{"id": d.id, "text": d.text} for d in records]
        return Verification.from_dict(self._post("/v1/verify", asked))

    def generate(
        self, fallacy: str | Iterable[str] | None = None, *, n: int = 1, **options: Unpack[_GenerateOptions]
    ) -> tuple[GeneratedItem, ...]:
        """Generate fallacies with sound twins, as :func:`fallax.generate`; returns the items.

        Parameters
        ----------
        fallacy : one type or several; None: all.
        n : items of each type.
        options : seed, style, model.
        """
        wanted = fallacy if fallacy is None or isinstance(fallacy, str) else list(fallacy)
        made = self._post("/v1/generate", {"fallacy": wanted, "n": n, **options})
        return tuple(GeneratedItem.from_dict(item) for item in made["items"])

    def score(self, *, gold: Iterable[Record], pred: Iterable[Prediction], metric: str = "soft_span") -> Score:
        """Score predictions against gold, as :func:`fallax.score`; without the counts by record."""
        asked = {
            "metric": metric,
            "gold": [_annotated(r) for r in instances_of(gold, Record, "gold: must be annotated records")],
            "pred": [
                {"id": p.id, "spans": [s.to_dict() for s in p.spans]}
                for p in instances_of(pred, Prediction, "pred: must be predictions (of a Detection its .prediction)")
            ],
        }
        return Score.from_dict(self._post("/v1/score", asked))

    def agree(
        self, annotations: Mapping[str, Iterable[Record] | Mapping[str, str | None]], **options: Unpack[_AgreeOptions]
    ) -> dict[str, Any]:
        """Measure inter-annotator agreement, as :func:`fallax.agree`; returns JSON values.

        Parameters
        ----------
        annotations : annotator -> annotated records, or annotator -> item -> label.
        options : n_resamples, seed.
        """
        must = "annotations: must be annotator -> annotated records, or annotator -> item -> label"
        if not isinstance(annotations, Mapping):
            raise InputError(f"{must}, got {one_line(repr(annotations), 40)}")
        given = {
            name: dict(said) if isinstance(said, Mapping) else [_annotated(r) for r in instances_of(said, Record, must)]
            for name, said in annotations.items()
        }
        found: dict[str, Any] = self._post("/v1/agree", {"annotations": given, **options})
        return found

    def taxonomies(self) -> list[str]:
        """The names of the label sets."""
        return [t["name"] for t in self._get("/v1/taxonomies")["taxonomies"]]

    def taxonomy(self, name: str) -> Taxonomy:
        """One label set."""
        return Taxonomy.from_dict(self._get(f"/v1/taxonomies/{quote(name, safe='')}"))

    def health(self) -> dict[str, Any]:
        """The server's features and limits."""
        found: dict[str, Any] = self._get("/v1/health")
        return found

    def _get(self, path: str) -> Any:
        with self._errors_told(), self._open(path, None) as answer:
            return json.load(answer)

    def _post(self, path: str, value: Mapping[str, Any]) -> Any:
        with self._errors_told(), self._open(path, value) as answer:
            return json.load(answer)

    def _events(self, path: str, value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        with self._errors_told(), self._open(path, value, accept="text/event-stream") as answer:
            for line in answer:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])

    def _open(self, path: str, value: Mapping[str, Any] | None, *, accept: str = "application/json") -> Any:
        data = None if value is None else _json_of(value)
        headers = {"accept": accept, **self._headers} | ({} if data is None else {"content-type": "application/json"})
        request = urllib.request.Request(self.url + path, data, headers)
        try:
            return urllib.request.urlopen(request, timeout=min(self.timeout, _LONGEST_WAIT))
        except urllib.error.HTTPError as error:
            raise _said(error) from None
        except TimeoutError:
            raise
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            why = error.reason if isinstance(error, urllib.error.URLError) else error
            raise EndpointError(
                f"cannot be reached: {one_line(why, 100)}", provider=self.url, hint="is fallax serve running there?"
            ) from None

    @contextmanager
    def _errors_told(self) -> Iterator[None]:
        try:
            yield
        except FallaxError:
            raise
        except TimeoutError:
            raise ModelTimeoutError(f"no answer within {self.timeout:g} seconds", provider=self.url) from None
        except (OSError, http.client.HTTPException) as error:
            why = one_line(f"{type(error).__name__}: {error}", 100)
            raise EndpointError(f"the answer broke off ({why})", provider=self.url, hint="ask again") from None
        except ValueError:
            raise EndpointError(
                "the answer is no JSON", provider=self.url, hint="is fallax serve running there?"
            ) from None


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets that are not closed
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _json_of(value: Mapping[str, Any]) -> bytes:
    try:
        said = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_number)
    except (TypeError, ValueError) as error:
        raise InputError(f"what is sent must be JSON values: {one_line(error, 100)}") from None
    return whole_characters(said).encode("utf-8")


def _number(value: object) -> int | float:
    """A number of another class, such as numpy's, as Python's own."""
    if isinstance(value, Real):
        return int(value) if isinstance(value, Integral) else float(value)
    raise TypeError(f"got {one_line(repr(value), 60)}")


def _annotated(record: Record) -> dict[str, Any]:
    if record.gold is None:
        raise InputError(f"record {one_line(record.id, 60)!r}: must be annotated, it has no gold")
    return {"id": record.id, "text": record.text, "gold": [g.to_dict() for g in record.gold]}


def _said(error: urllib.error.HTTPError) -> FallaxError:
    try:
        problem = json.load(error)["error"]
        return _error(str(problem["kind"]), str(problem["message"]))
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        return EndpointError(f"answered with status {error.code}", provider="fallax serve")
    finally:
        error.close()


def _error(kind: str, message: str) -> FallaxError:
    if kind in ("input", "json", "media", "size", "error"):
        return InputError(message)
    if kind == "token":
        return AuthenticationError(message)
    if kind in ("busy", "timeout"):
        return ModelTimeoutError(message)
    return EndpointError(message)
