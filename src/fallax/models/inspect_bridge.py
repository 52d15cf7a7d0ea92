"""Models through the providers of Inspect AI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fallax.core.secrets import redact, redact_values, remember_secrets, secrets_in
from fallax.core.types.messages import Reply, Request, TokenLogprob, Usage
from fallax.errors import (
    ContentFilterError,
    ContextLengthError,
    EndpointError,
    MissingExtraError,
    ModelError,
    one_line,
)
from fallax.models.endpoint import refusal, retry_after_of
from fallax.models.tokens import estimate_prompt_tokens, estimate_tokens
from fallax.models.wire import split_reasoning

__all__ = ["InspectModel"]

MAX_CONNECTIONS = 1000  # Inspect's own bound, out of the way of ours


class InspectModel:
    """A model called through Inspect AI: ``inspect/PROVIDER/MODEL``.

    Keys and addresses are those of Inspect's provider. Its own retries are limited to none; ours do that.

    Parameters
    ----------
    model : Inspect's name.
    options : arguments for the provider (``base_url``, ``api_key`` and what else it takes).

    Raises
    ------
    MissingExtraError : Inspect or the provider's package is not installed.
    ModelError : Inspect does not know the model or lacks its key.
    """

    def __init__(self, model: str, *, options: Mapping[str, Any] | None = None) -> None:
        try:
            import inspect_ai.model as api
        except ImportError:
            raise MissingExtraError("Inspect AI", extra="inspect") from None
        given = dict(options or {})
        remember_secrets(secrets_in(given))

        def hide(error: object) -> str:
            return one_line(redact(str(error)), 300)

        self._name = f"inspect/{model}"
        self._api = api
        self._hide = hide
        self._shown = redact_values(dict(sorted(given.items())))
        failure: ModelError | None = None
        try:
            config = api.GenerateConfig(max_retries=0, max_connections=MAX_CONNECTIONS)
            self._model = api.get_model(model, config=config, memoize=False, **given)
        except Exception as error:
            failure = ModelError(
                f"Inspect AI cannot load it: {self._hide(error)}",
                provider=self._name,
                hint="check the name, the provider's package and its key",
                retryable=False,
            )
        if failure is not None:
            raise failure

    @classmethod
    def around(cls, model: Any) -> InspectModel:
        """The port over a model that Inspect has loaded, such as that of a running evaluation.

        Its settings, retries and limits stay what Inspect made them.
        """
        import inspect_ai.model as api

        made = cls.__new__(cls)
        made._name, made._api, made._model, made._shown = f"inspect/{model}", api, model, {}
        made._hide = lambda error: one_line(redact(str(error)), 300)
        return made

    def __repr__(self) -> str:
        return f"InspectModel({self._name.removeprefix('inspect/')!r})"

    @property
    def name(self) -> str:
        """``inspect/PROVIDER/MODEL``."""
        return self._name

    @property
    def identity(self) -> dict[str, Any]:
        """Name and the provider's arguments, without credentials."""
        return {"model": self._name, "options": self._shown}

    async def generate(self, request: Request) -> Reply:
        """Ask through Inspect AI."""
        if request.grammar is not None:
            raise ModelError(
                "Inspect AI takes no grammar", provider=self._name, hint="use a llamacpp/, vllm/ or local/ model"
            )
        messages = [self._message(m.role, m.content) for m in request.messages]
        failure: ModelError
        try:
            output = await self._model.generate(messages, config=self._config(request))
        except Exception as error:
            if type(error).__name__ == "LimitExceededError":  # Inspect's own way to end a sample
                raise
            failure = self._failure(error)
        else:
            return self._reply(output, request)
        raise failure

    def _message(self, role: str, content: str) -> Any:
        api = self._api
        kinds = {"system": api.ChatMessageSystem, "user": api.ChatMessageUser, "assistant": api.ChatMessageAssistant}
        return kinds[role](content=content)

    def _config(self, request: Request) -> Any:
        settings: dict[str, Any] = {
            name: getattr(request, name)
            for name in ("temperature", "top_p", "max_tokens", "seed")
            if getattr(request, name) is not None
        }
        if request.stop:
            settings["stop_seqs"] = list(request.stop)
        if request.logprobs is not None:
            settings |= {"logprobs": True, "top_logprobs": request.logprobs or None}
        if request.json_schema is not None:
            from inspect_ai.model import ResponseSchema
            from inspect_ai.util import JSONSchema

            schema = JSONSchema.model_validate(dict(request.json_schema))
            settings["response_schema"] = ResponseSchema(name="reply", json_schema=schema)
        return self._api.GenerateConfig(**settings)

    def _failure(self, error: Exception) -> ModelError:
        attempt = getattr(error, "last_attempt", None)  # its retrying wraps what the provider said
        cause = attempt.exception() if attempt is not None else None
        if isinstance(cause, Exception):
            return self._failure(cause)
        status = getattr(error, "status_code", None) or getattr(error, "status", None)
        shown = self._hide(error)
        if isinstance(status, int):
            return refusal(
                status,
                getattr(error, "body", None),
                shown,
                retry_after=retry_after_of(getattr(getattr(error, "response", None), "headers", {})),
                provider=self._name,
                where="the provider's address",
                key_hint="check the key of Inspect AI's provider",
                model=self._name,
            )
        retryable = isinstance(error, (TimeoutError, ConnectionError))
        return EndpointError(f"{type(error).__name__}: {shown}", provider=self._name, retryable=retryable)

    def _reply(self, output: Any, request: Request) -> Reply:
        if output.error:
            raise EndpointError(self._hide(output.error), provider=self._name)
        if output.empty:
            raise EndpointError("Inspect AI answered without a choice", provider=self._name)
        choice = output.choices[0]
        text, reasoning = _parts(choice.message.content)
        if not reasoning:
            reasoning, text = split_reasoning(text)
        stop = {"max_tokens": "length", "model_length": "length"}.get(choice.stop_reason, choice.stop_reason)
        if choice.stop_reason == "model_length" and not text:
            raise ContextLengthError("the prompt does not fit", provider=self._name, hint="shorten the input")
        if stop == "content_filter" and not text:
            raise ContentFilterError("the answer was withheld", provider=self._name, hint="leave this record out")
        return Reply(text, output.model or "", reasoning, stop, _usage(output.usage, request, text), _logprobs(choice))


def _parts(content: Any) -> tuple[str, str]:
    """Text and reasoning of a message's content: a string or a list of typed parts."""
    if isinstance(content, str):
        return content, ""
    text = "".join(p.text for p in content if p.type == "text")
    reasoning = "\n".join(p.reasoning for p in content if p.type == "reasoning")
    return text, reasoning


def _usage(usage: Any, request: Request, text: str) -> Usage:
    if usage is None:
        return Usage(estimate_prompt_tokens(request), estimate_tokens(text), calls=1)
    # Inspect counts what came from a prompt cache apart from the rest of the input; ours is the whole prompt.
    cached = usage.input_tokens_cache_read or 0
    prompt = usage.input_tokens + cached + (usage.input_tokens_cache_write or 0)
    return Usage(prompt, usage.output_tokens, usage.reasoning_tokens or 0, cached, 1)


def _logprobs(choice: Any) -> tuple[TokenLogprob, ...] | None:
    if choice.logprobs is None:
        return None
    return tuple(
        TokenLogprob(entry.token, entry.logprob, {top.token: top.logprob for top in entry.top_logprobs or ()})
        for entry in choice.logprobs.content
    )
