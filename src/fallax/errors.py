"""All errors that fallax raises on purpose.

The tree::

    FallaxError
    ├── InputError (also ValueError)      what a person or a file gave is not what it must be
    │   ├── SpanError                     a span that cannot exist in its text
    │   ├── UnknownNameError              a label, taxonomy, metric, format, ... nobody registered
    │   ├── FormatError                   a file that is not in its format: path, line, column
    │   ├── CallError (also TypeError)    a function called with arguments that it does not have
    │   ├── UnjudgeableError              a document or summary that is empty or too long to be judged
    │   └── RunError                      a run folder that cannot be used as asked
    ├── ReplyError                        a model's reply that could not be read; keeps the raw text
    ├── ModelError                        a model that did not answer: provider, hint, retryable
    │   ├── AuthenticationError
    │   ├── RateLimitError
    │   ├── ContextLengthError
    │   ├── ContentFilterError
    │   ├── EndpointError
    │   ├── ModelTimeoutError
    │   └── BudgetError
    ├── DetectorError                     a detector that failed, such as one of a plugin: reason, record
    ├── JudgeError                        a judge that failed, such as one of a plugin
    ├── VerifierError                     a verifier that failed, such as one of a plugin
    ├── DownloadError                     a file that cannot be downloaded
    ├── LogicError                        facts, rules or structures that do not hold: line, column
    └── MissingExtraError (also ImportError)   an optional part that is not installed

Every message is one line that says where, what must hold, what was found and what to do. The shell prints it
after ``fallax: error:`` and exits with 2 (input), 3 (model) or 1 (anything else of ours).
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = [
    "AuthenticationError",
    "BudgetError",
    "CallError",
    "ContentFilterError",
    "ContextLengthError",
    "DetectorError",
    "DownloadError",
    "EndpointError",
    "FallaxError",
    "FormatError",
    "InputError",
    "JudgeError",
    "LogicError",
    "MetricError",
    "MissingExtraError",
    "ModelError",
    "ModelTimeoutError",
    "RateLimitError",
    "ReplyError",
    "RunError",
    "SpanError",
    "UnjudgeableError",
    "UnknownNameError",
    "VerifierError",
    "one_line",
    "printable",
]


def one_line(text: object, limit: int = 120) -> str:
    r"""Shorten foreign text to one printable line for an error message.

    Control characters (escape sequences of terminals included) are shown escaped.

    Examples
    --------
    >>> one_line("a\nb" + "c" * 200, limit=10)
    'a\\nbccccc…'
    """
    shown = printable(str(text)[: limit + 1])
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def printable(text: object) -> str:
    r"""Foreign text on one printable line, with control characters escaped and nothing cut, for names in tables.

    Examples
    --------
    >>> printable("forum\x1b[31m"), printable("forum\nnews")
    ('forum\\x1b[31m', 'forum\\nnews')
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode("ascii") for c in str(text)
    )


class FallaxError(Exception):
    """Base class of all errors that fallax raises on purpose; they can be pickled, so they come back from processes."""

    exit_code = 1

    def __reduce__(self) -> tuple[Any, ...]:
        # what Python does by itself calls the class with the message alone, and its parameters are others
        return _again, (type(self), self.args), self.__dict__


def _again(kind: type[FallaxError], args: tuple[Any, ...]) -> FallaxError:
    return kind.__new__(kind, *args)


class InputError(FallaxError, ValueError):
    """Invalid input from a person or a file."""

    exit_code = 2


class SpanError(InputError):
    """An invalid span: ``end <= start``, outside its text, or repeated."""


class UnknownNameError(InputError):
    """An unknown name; the message suggests the most similar known one.

    Examples
    --------
    >>> print(UnknownNameError("taxonomy", "mafald", ["mafalda", "smartypat"]))
    unknown taxonomy 'mafald'; did you mean 'mafalda'? known: mafalda, smartypat
    >>> print(UnknownNameError("fallacy", "XX", ["false_cause"], codes={"false_cause": "FS"}))
    unknown fallacy 'XX'; known: false_cause (FS)
    """

    def __init__(
        self, kind: str, name: object, known: Iterable[str], where: str = "", codes: Mapping[str, str] | None = None
    ) -> None:
        self.kind = kind
        self.name = str(name)
        self.known = sorted(known)
        lowered = {k.lower(): k for k in self.known}
        near = difflib.get_close_matches(self.name.lower(), lowered, n=1)
        hint = f"; did you mean {lowered[near[0]]!r}?" if near else ";"
        prefix = f"{where}: " if where else ""
        coded = [f"{name} ({codes[name]})" if codes else name for name in self.known]
        super().__init__(
            f"{prefix}unknown {kind} {one_line(self.name, 60)!r}{hint} known: {', '.join(coded) or 'none'}"
        )


class CallError(InputError, TypeError):
    """A public function that was called with unknown, too few or too many arguments.

    Parameters
    ----------
    function : its name.
    reason : what is wrong with the arguments.
    """

    def __init__(self, function: str, reason: str) -> None:
        self.reason = reason
        super().__init__(f"{function}(): {reason}")


class FormatError(InputError):
    """A file that does not have the expected format.

    Parameters
    ----------
    message : what must hold and what was found.
    path, line, column : where; lines and columns count from 1.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.path = str(path) if path is not None else None
        self.line = line
        self.column = column
        place = ":".join(str(p) for p in (self.path, line, column) if p is not None)
        super().__init__(f"{place}: {message}" if place else message)


class UnjudgeableError(InputError):
    """A document or summary that cannot be judged: empty, or longer than the model can read."""


class RunError(InputError):
    """A run folder that is in use, belongs to another command, or is damaged."""


class ReplyError(FallaxError):
    """An unreadable reply of a model. ``raw`` keeps the reply."""

    def __init__(self, reason: str, *, raw: str) -> None:
        self.reason = reason
        self.raw = raw
        super().__init__(f"unreadable reply: {reason}; the reply begins {one_line(raw, 60)!r}")


class ModelError(FallaxError):
    """A failed call of a model.

    Parameters
    ----------
    message : what happened.
    provider : who was asked.
    hint : what to do about it.
    retryable : True if the same call may succeed later.
    """

    exit_code = 3
    retryable = False

    def __init__(self, message: str, *, provider: str = "", hint: str = "", retryable: bool | None = None) -> None:
        self.provider = provider
        self.hint = hint
        if retryable is not None:
            self.retryable = retryable
        text = f"{provider}: {message}" if provider else message
        super().__init__(f"{text}; {hint}" if hint else text)


class AuthenticationError(ModelError):
    """The endpoint rejected the key, or there is none."""


class RateLimitError(ModelError):
    """The endpoint's rate limit is exceeded; ``retry_after`` is in seconds, if given."""

    retryable = True

    def __init__(self, message: str, *, provider: str = "", hint: str = "", retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message, provider=provider, hint=hint)


class ContextLengthError(ModelError):
    """The prompt exceeds the model's context."""


class ContentFilterError(ModelError):
    """The endpoint refused the prompt or withheld its reply."""


class EndpointError(ModelError):
    """The endpoint cannot be reached, or its response is no reply."""


class ModelTimeoutError(ModelError):
    """No answer within the time limit."""

    retryable = True


class BudgetError(ModelError):
    """The next call would exceed the budget."""


class DetectorError(FallaxError):
    """A detector that raised an exception, or gave something that is no prediction.

    Parameters
    ----------
    reason : the detector, and what happened.
    record : id of the text that it was given, if it was given one.
    """

    def __init__(self, reason: str, *, record: str = "") -> None:
        self.reason = reason
        super().__init__(f"record {one_line(record, 60)!r}: {reason}" if record else reason)


class DownloadError(FallaxError):
    """A failed download: no network, file missing, transfer broken, or wrong checksum."""


class JudgeError(FallaxError):
    """A judge of summaries that raised an exception, or gave something that is no score of its sentences."""


class VerifierError(FallaxError):
    """A verifier that raised an exception, or gave something that is no verification."""


class LogicError(FallaxError):
    """Invalid facts, rules or argument structures.

    Parameters
    ----------
    message : what must hold and what was found.
    line, column : where in the text, from 1, where there is a text.
    """

    exit_code = 2

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        self.line = line
        self.column = column
        place = ", ".join(
            f"{name} {value}" for name, value in (("line", line), ("column", column)) if value is not None
        )
        super().__init__(f"{place}: {message}" if place else message)


class MetricError(FallaxError):
    """A metric, or its formula, that raised an exception.

    Examples
    --------
    >>> print(MetricError("mine(level=2)", "on 3 records", KeyError("weights")))
    metric 'mine(level=2)' failed on 3 records: KeyError: 'weights'
    """

    def __init__(self, metric: str, where: str, error: Exception) -> None:
        said = one_line(f"{type(error).__name__}: {error}", 300)
        super().__init__(f"metric {one_line(metric, 60)!r} failed {where}: {said}")


class MissingExtraError(FallaxError, ImportError):
    """An optional dependency is not installed.

    Examples
    --------
    >>> print(MissingExtraError("the OpenAI client", extra="openai"))
    the OpenAI client is not installed; install it with: pip install 'fallax[openai]'
    """

    def __init__(self, what: str, *, extra: str = "", how: str = "") -> None:
        command = how or _install(f"'fallax[{extra}]'")
        super().__init__(f"{what} is not installed; install it with: {command}")


def _install(package: str) -> str:
    """The command that installs here: pipx and uv give each tool an environment that plain pip does not reach."""
    here = Path(sys.prefix)
    if (here / "pipx_metadata.json").is_file():
        return f"pipx runpip {here.name} install {package}"
    if (here / "uv-receipt.toml").is_file():
        return f"uv pip install --python '{here}' {package}"
    return f"pip install {package}"
