"""A folder with a quantised encoder, its heads, its tokenizer, and a card that holds their SHA-256."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fallax.errors import FormatError, one_line

__all__ = ["CARD", "FILES", "Model", "open_model", "read_card", "read_checked"]

#: The file that describes a folder.
CARD = "card.json"
#: The other files of the folder; the card holds their SHA-256.
FILES = ("encoder.onnx", "head.npz", "tokenizer.json")


@dataclass(frozen=True, slots=True)
class Model:
    """What stands in a folder, ready to run.

    Parameters
    ----------
    session : an ``onnxruntime.InferenceSession`` from ids, shape (n,), to hidden states, shape (n, d).
    tokenizer : a ``tokenizers.Tokenizer`` that neither cuts nor pads.
    heads : the arrays of ``head.npz``.
    """

    session: Any
    tokenizer: Any
    heads: Mapping[str, npt.NDArray[np.float32]]

    def hidden(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The states of one window, shape (n, d)."""
        states: npt.NDArray[np.float64] = self.session.run(None, {"ids": ids})[0].astype(np.float64)
        return states

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """The token numbers of each text, without special tokens."""
        return [list(e.ids) for e in self.tokenizer.encode_batch(list(texts), add_special_tokens=False)]


def read_card(base: Any, *, what: str) -> dict[str, Any]:
    """The card of a folder.

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
    except OSError as error:
        raise FormatError(f"{what}'s folder must hold {CARD}: {error.strerror or error}", path=str(base)) from error
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"must be {what}'s card, got a fault ({one_line(error)})", path=str(base / CARD)) from error
    found: dict[str, Any] = about
    return found


def read_checked(base: Any, name: str, expected: str, *, what: str) -> bytes:
    """The bytes of a file that must have a SHA-256.

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


def _session(content: bytes) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # waiting threads would otherwise spin, and take time from whatever else runs
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def open_model(base: Any, about: Mapping[str, Any], *, what: str) -> Model:
    """Read and check the files of a folder whose card is known.

    Raises
    ------
    FormatError
        If a file is missing, damaged, or not what the card says.
    """
    content = {name: read_checked(base, name, str(about["files"][name]), what=what) for name in FILES}
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(content["tokenizer.json"])
    tokenizer.no_truncation()
    tokenizer.no_padding()
    with np.load(io.BytesIO(content["head.npz"]), allow_pickle=False) as stored:
        heads = {name: stored[name] for name in stored.files}
    return Model(_session(content["encoder.onnx"]), tokenizer, heads)
