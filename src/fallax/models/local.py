"""Local models: any GGUF file, run in this process through llama.cpp."""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from fallax.core.types.messages import Reply, Request
from fallax.errors import (
    ContextLengthError,
    EndpointError,
    InputError,
    MissingExtraError,
    ModelError,
    UnknownNameError,
    one_line,
)
from fallax.models.weights import file_sha256, find_weights, known_weights, weights_folder
from fallax.models.wire import Dialect, body_of, reply_of

__all__ = ["EngineOptions", "LocalModel", "load_local", "start_server", "weights_path"]

DIALECT = Dialect(grammar="grammar")


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Options of the engine.

    Parameters
    ----------
    context : tokens of prompt and answer for each call; more takes more memory.
    threads : processor threads; 0: as many as this process may use.
    parallel : calls at a time, each with a context of its own.
    gpu_layers : layers to put on a GPU, where the engine was built for one; -1: all that fit.
    prefix_reuse : keep what was computed for a prompt and go on from there when the next begins alike. Much faster
        where the document comes first; the last digits of log-probabilities may then depend on what was asked before.
    """

    context: int = 8192
    threads: int = 0
    parallel: int = 1
    gpu_layers: int = 0
    prefix_reuse: bool = True

    def __post_init__(self) -> None:
        for name, least in (("context", 16), ("threads", 0), ("parallel", 1), ("gpu_layers", -1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(f"model option {name} must be a whole number of {least} or more, got {value!r}")
        if not isinstance(self.prefix_reuse, bool):
            raise InputError(f"model option prefix_reuse must be true or false, got {self.prefix_reuse!r}")

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> EngineOptions:
        """Read options as ``-M key=value`` gives them."""
        known = [f.name for f in fields(cls)]
        for name in value:
            if name not in known:
                raise UnknownNameError("option of local models", name, known)
        return cls(**value)


def weights_path(name: str) -> Path:
    """The file behind ``local/NAME`` or ``local/PATH.gguf``.

    Raises
    ------
    UnknownNameError : neither a known model nor a path.
    InputError : the file is not there, with the line that fetches it, or is not a whole GGUF file.
    """
    if name.lower().endswith(".gguf"):
        path = Path(name).expanduser()
        if not path.is_file():
            raise InputError(f"local/{name}: the weights must be a GGUF file, found none at {path}")
    else:
        weights = find_weights(name)
        path = weights_folder() / weights.file
        if not path.is_file():
            raise InputError(
                f"local/{name}: the weights are not here ({path}); get them ({weights.size / 1e6:,.0f} MB) with: "
                f"fallax models fetch {name}"
            )
        if path.stat().st_size != weights.size:
            raise InputError(
                f"{path}: must have {weights.size} bytes, found {path.stat().st_size}; delete it and fetch it again"
            )
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise InputError(f"{path}: weights must be a GGUF file, this begins with other bytes")
    return path


def _engine() -> Any:
    """The engine's module.

    Its threads wait for each other thousands of times a token. Told to spin they ruin it on cores that others use too,
    told to sleep they lose a third of its speed on free ones: they spin for a moment and then sleep, unless the
    environment says how they wait. ``benchmarks/local_waiting.py`` measures it.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "300")
    try:
        import xllamacpp
    except ImportError as error:
        if getattr(error, "name", None) == "xllamacpp":
            raise MissingExtraError("the engine for local models", extra="local") from None
        how = "apt-get install libgomp1 (or your system's package of the GNU OpenMP library)"
        raise MissingExtraError(f"a library the engine for local models needs ({one_line(error)})", how=how) from None
    return xllamacpp


def start_server(
    path: Path, options: EngineOptions, *, host: str = "127.0.0.1", port: int = 0, alias: str = "", api_key: str = ""
) -> Any:
    """Load a model and serve it: in this process, and as an OpenAI-compatible endpoint.

    Parameters
    ----------
    path : the weights.
    host, port : where the endpoint listens; port 0 takes a free one.
    alias : the name under which it is offered.
    api_key : what the endpoint demands as a bearer token; empty: nothing.

    Raises
    ------
    ModelError : the engine cannot load the file.
    """
    engine = _engine()
    parameters = engine.CommonParams()
    parameters.model.path = str(path)
    parameters.model_alias = {alias} if alias else set()
    parameters.n_parallel = options.parallel
    parameters.n_ctx = options.context * options.parallel
    threads = options.threads or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else [0] * 4)
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.n_gpu_layers = options.gpu_layers
    parameters.cache_prompt = options.prefix_reuse
    parameters.warmup = False
    parameters.verbosity = -1
    parameters.hostnames = [host]
    parameters.port = port
    parameters.endpoint_slots = parameters.endpoint_props = False  # they show what others asked, and change settings
    if api_key:
        parameters.api_keys = [api_key]
    try:
        return engine.Server(parameters)
    except Exception as error:
        raise ModelError(
            f"the engine cannot load {path}: {one_line(error)}",
            provider="local",
            hint="check that it is a chat model that this engine knows, and that there is memory for it",
        ) from error


class LocalModel:
    """A model that runs in this process.

    Loaded when it is asked for the first time. Calls beyond ``parallel`` wait for each other. A call that was given up
    (timeout, cancelled) runs to its end in the background before the next one starts.

    Parameters
    ----------
    path : a GGUF file.
    name : the name in records; ``local/FILE`` by default.
    sha256 : of the file, where it is known; otherwise it is computed when a cache asks who answers.
    options : how the engine runs.
    """

    def __init__(
        self, path: str | Path, *, name: str = "", sha256: str = "", options: EngineOptions | None = None
    ) -> None:
        self.path = Path(path)
        self.options = options or EngineOptions()
        self._name = name or f"local/{self.path.name}"
        self._sha256 = sha256
        self._server: Any = None
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(self.options.parallel, thread_name_prefix="fallax-local")

    def __repr__(self) -> str:
        return f"LocalModel({str(self.path)!r})"

    @property
    def name(self) -> str:
        """``local/NAME``."""
        return self._name

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that can change an answer: name, SHA-256 of the weights, and options."""
        if not self._sha256:
            self._sha256 = file_sha256(self.path)
        return {"model": self.name, "weights": self._sha256, "context": self.options.context}

    def load(self) -> Any:
        """Load the weights if they are not loaded; returns the engine's server."""
        with self._lock:
            if self._server is None:
                # The engine opens a local port of its own; nobody but this process knows its key.
                self._server = start_server(self.path, self.options, alias=self._name, api_key=secrets.token_hex(16))
            return self._server

    def close(self) -> None:
        """Free the memory; the next call loads the model again."""
        with self._lock:
            self._server = None

    async def generate(self, request: Request) -> Reply:
        """Answer a request.

        Raises
        ------
        ContextLengthError : prompt and answer do not fit; see the option ``context``.
        ModelError : the engine cannot load or cannot answer, for one because a grammar or a schema is malformed.
        """
        body = body_of(request, model=self._name, dialect=DIALECT, provider=self._name)
        body["cache_prompt"] = self.options.prefix_reuse
        answer = await asyncio.get_running_loop().run_in_executor(self._pool, self._ask, body)
        error = answer.get("error") if isinstance(answer, Mapping) else None
        if isinstance(error, Mapping):
            raise self._refusal(error)
        return reply_of(answer, request, provider=self._name, dialect=DIALECT)

    def _ask(self, body: dict[str, Any]) -> Any:
        server = self.load()
        try:
            return server.handle_chat_completions(body)
        except (RuntimeError, ValueError, TypeError) as error:
            raise EndpointError(f"the engine failed: {one_line(error)}", provider=self._name) from error

    def _refusal(self, error: Mapping[str, Any]) -> ModelError:
        told = one_line(error.get("message", error), 300)
        if error.get("type") == "exceed_context_size_error":
            hint = f"shorten the input, or give it more than {self.options.context} tokens: -M context="
            return ContextLengthError(told, provider=self._name, hint=hint)
        return EndpointError(told, provider=self._name, hint="check the grammar or the schema of the request")


def load_local(name: str, options: Mapping[str, Any]) -> tuple[LocalModel, int]:
    """The model of ``local/NAME`` or ``local/PATH.gguf``, and how many calls it handles at a time."""
    engine_options = EngineOptions.from_dict(options)
    path = weights_path(name)
    known = known_weights().get(name)
    sha256 = known.sha256 if known is not None else ""
    return LocalModel(path, name=f"local/{name}", sha256=sha256, options=engine_options), engine_options.parallel
