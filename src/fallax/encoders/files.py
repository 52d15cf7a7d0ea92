"""A folder with a quantised encoder, its heads, its tokenizer, and a card with their SHA-256.

Encoders that began as one another share their word vectors, which are half of a file: those of the encoder that ships
with this package are read once, however many encoders go by them. A folder with other words holds them itself.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.core.stopping import stop_if_unwanted
from fallax.errors import FormatError, one_line

__all__ = [
    "CARD",
    "FILES",
    "WORDS",
    "Model",
    "Words",
    "glanced_card",
    "model_of",
    "npz_bytes",
    "open_model",
    "read_card",
    "read_checked",
    "shared_hash",
    "shared_words",
    "shipped_folder",
]

#: The file that describes a folder.
CARD = "card.json"
#: The other files of the folder; the card holds their SHA-256.
FILES = ("encoder.onnx", "head.npz", "tokenizer.json")
#: The file with the word vectors. The card holds its SHA-256 too; the file itself is there only if it is not the shared
#: one.
WORDS = "words.npz"
#: onnxruntime joins the sum before each layer norm with it, and the joined operation takes longer than both.
_SLOW = "SkipLayerNormFusion"


@dataclass(frozen=True, slots=True)
class Words:
    """Word vectors as 8-bit numbers.

    Parameters
    ----------
    values : int8 of shape (n_words, d).
    scale : what the numbers of each word are multiplied by, float32 of shape (n_words, 1).
    """

    values: npt.NDArray[np.int8]
    scale: npt.NDArray[np.float32]

    def of(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The embeddings of tokens, shape (n, d).

        Examples
        --------
        >>> words = Words(np.array([[1, 2], [4, 6]], dtype=np.int8), np.array([[1.0], [0.5]], dtype=np.float32))
        >>> words.of(np.array([1, 0, 1])).tolist()
        [[2.0, 3.0], [1.0, 2.0], [2.0, 3.0]]
        """
        return self.values[ids].astype(np.float32) * self.scale[ids]


@dataclass(frozen=True, slots=True)
class Model:
    """An encoder folder, loaded and ready to run.

    Parameters
    ----------
    session : an ``onnxruntime.InferenceSession`` from vectors, float32 of shape (n, d), to hidden states of the same
        shape; one that tells a text from the text behind it takes ids too, int64 of shape (n,).
    tokenizer : a ``tokenizers.Tokenizer`` that neither cuts nor pads.
    heads : the arrays of ``head.npz``.
    words : the vectors of tokens.
    paired : whether the session takes ids too.
    """

    session: Any
    tokenizer: Any
    heads: Mapping[str, npt.NDArray[np.float32]]
    words: Words
    paired: bool = False

    def hidden(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The hidden states of one window, shape (n, d).

        Raises
        ------
        StoppedEarly
            If the result is unwanted (see :mod:`fallax.core.stopping`).
        """
        stop_if_unwanted()
        given: dict[str, Any] = {"vectors": self.words.of(ids)}
        if self.paired:
            given["ids"] = ids
        states: npt.NDArray[np.float64] = self.session.run(None, given)[0].astype(np.float64)
        return states

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each text, without special tokens."""
        return [list(e.ids) for e in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]


def read_card(base: Any, *, what: str) -> dict[str, Any]:
    """Read the card of a folder.

    Parameters
    ----------
    base : the folder, a path or a resource of a package.
    what : what is described there, for errors: "a detector".

    Raises
    ------
    FormatError
        If there is none, it is damaged, or it does not name the files.
    """
    try:
        about = json.loads((base / CARD).read_text(encoding="utf-8"))
        for name in FILES:
            str(about["files"][name])
        is_old = WORDS not in about["files"]
    except OSError as error:
        raise FormatError(f"{what}'s folder must hold {CARD}: {error.strerror or error}", path=str(base)) from error
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"must be {what}'s card, got an error ({one_line(error)})", path=str(base / CARD)) from error
    if is_old:
        raise FormatError(
            f"must name the SHA-256 of {WORDS}, found none: the folder was written by an older fallax; write it again",
            path=str(base / CARD),
        )
    found: dict[str, Any] = about
    return found


def glanced_card(folder: str | Path) -> dict[str, Any]:
    """The content of a folder's card, unchecked; {} if there is none or it is not JSON. Tells kinds of folders apart.

    Examples
    --------
    >>> glanced_card("no-such-folder")
    {}
    """
    try:
        found = json.loads(Path(folder, CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def read_checked(base: Any, name: str, expected: str, *, what: str) -> bytes:
    """Read a file and check its SHA-256.

    Raises
    ------
    FormatError
        If it is missing or has another.
    """
    try:
        content: bytes = (base / name).read_bytes()
    except OSError as error:
        raise FormatError(f"{what}'s folder must hold {name}: {error.strerror or error}", path=str(base)) from error
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise FormatError(
            f"must have the SHA-256 that {CARD} names ({expected[:12]}…), got {found[:12]}…; the file is damaged or was"
            f" replaced: install fallax again, or train {what} again",
            path=str(base / name),
        )
    return content


def npz_bytes(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """A reproducible npz file: the same arrays give the same bytes, as its entries have a fixed date.

    Examples
    --------
    >>> npz_bytes({"a": np.zeros(2)}) == npz_bytes({"a": np.zeros(2)})
    True
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3  # on every system, so that the bytes are the same
            archive.writestr(entry, content.getvalue())
    return buffer.getvalue()


def _session(content: bytes) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # a window is too short for several threads to read it faster; several windows are read at the same time instead
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        content, options, providers=["CPUExecutionProvider"], disabled_optimizers=[_SLOW]
    )


def open_model(base: Any, about: Mapping[str, Any], *, what: str) -> Model:
    """Load and verify the files of a folder whose card is known.

    Raises
    ------
    FormatError
        If a file is missing, damaged, or not what the card says.
    """
    content = {name: read_checked(base, name, str(about["files"][name]), what=what) for name in FILES}
    return model_of(content, _words_of(base, str(about["files"][WORDS]), what=what), path=str(base / FILES[0]))


def model_of(content: Mapping[str, bytes], words: Words, *, path: str) -> Model:
    """A model of the content of the files of a folder.

    Parameters
    ----------
    content : of each of :data:`FILES`.
    words : that the encoder goes by.
    path : of the encoder, for errors.

    Raises
    ------
    FormatError
        If the encoder does not take such words.
    """
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(content["tokenizer.json"])
    tokenizer.no_truncation()
    tokenizer.no_padding()
    with np.load(io.BytesIO(content["head.npz"]), allow_pickle=False) as stored:
        heads = {name: stored[name] for name in stored.files}
    session = _session(content["encoder.onnx"])
    inputs = {i.name: i.shape for i in session.get_inputs()}
    if inputs.get("vectors", [0])[-1] != words.values.shape[1] or inputs.keys() - {"vectors", "ids"}:
        raise FormatError(
            f"must take vectors of {words.values.shape[1]} numbers, those of its {WORDS}, got inputs {inputs}",
            path=path,
        )
    return Model(session, tokenizer, heads, words, "ids" in inputs)


def shipped_folder() -> Any:
    """The shipped encoder for sentence embeddings, which also holds the word vectors that encoders share."""
    return resources.files("fallax.encoders") / "weights"


@cache
def shared_hash() -> str:
    """The SHA-256 of the shared word vectors."""
    return str(read_card(shipped_folder(), what="an embedder")["files"][WORDS])


@cache
def shared_words() -> Words:
    """The shared word vectors, read once.

    Examples
    --------
    >>> shared_words().values.shape
    (30522, 384)
    """
    base = shipped_folder()
    return _read_words(read_checked(base, WORDS, shared_hash(), what="an embedder"), base)


def _words_of(base: Any, expected: str, *, what: str) -> Words:
    if expected == shared_hash():
        return shared_words()
    return _read_words(read_checked(base, WORDS, expected, what=what), base)


def _read_words(content: bytes, base: Any) -> Words:
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            values, scale = stored["words"], stored["scale"]
    except Exception as error:
        raise FormatError(
            f"must hold arrays 'words' and 'scale', got an error ({one_line(error)})", path=str(base / WORDS)
        ) from error
    kinds = f"{values.dtype} {values.shape}, {scale.dtype} {scale.shape}"
    if values.ndim != 2 or kinds != f"int8 {values.shape}, float32 {(len(values), 1)}":
        raise FormatError(
            f"must hold 'words', int8 of shape (n, d), and 'scale', float32 of shape (n, 1), got {kinds}",
            path=str(base / WORDS),
        )
    return Words(values, scale)
