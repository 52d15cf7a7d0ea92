"""What a larger detector says of training texts: a smaller one learns from it as well as from the labels.

Hinton, Vinyals and Dean (2015), "Distilling the Knowledge in a Neural Network".
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional as F

from fallax.core.journal import write_whole
from fallax.detection.training.examples import SentenceExample
from fallax.encoders.files import npz_bytes
from fallax.encoders.parallel import each_in_order
from fallax.errors import FormatError, one_line

__all__ = ["Taught", "taught_loss"]

#: Logits of labels are divided by it on both sides, so that what is unlikely counts as well.
_TEMPERATURE = 2.0


@dataclass(frozen=True)
class Taught:
    """The logits of a larger detector, kept on disk chunk by chunk: an interrupted training does not ask again.

    Parameters
    ----------
    logits : text -> its logits, shape (n_sentences, 1 + n_labels). It is called in several threads at the same time.
    folder : where they are kept, one file for each chunk.
    """

    logits: Callable[[SentenceExample], npt.NDArray[np.float64]]
    folder: Path

    def of(self, name: str, texts: Sequence[SentenceExample]) -> list[npt.NDArray[np.float32]]:
        """The logits of each text of a chunk.

        Parameters
        ----------
        name : of the chunk.

        Raises
        ------
        FormatError
            If what is kept under that name is damaged, or of other texts.
        """
        path = self.folder / f"taught-{name}.npz"
        about = np.frombuffer(hashlib.sha256(repr([(t.title, t.sentences) for t in texts]).encode()).digest(), np.uint8)
        if path.is_file():
            try:
                with np.load(path, allow_pickle=False) as stored:
                    rows, known = stored["logits"].astype(np.float32), stored["about"]
            except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
                raise FormatError(
                    f"must hold arrays 'logits' and 'about', got an error ({one_line(error)}); remove it",
                    path=str(path),
                ) from error
            if not np.array_equal(known, about):
                raise FormatError("must be of the texts of this training, got other texts; remove it", path=str(path))
        else:
            found = np.concatenate(list(each_in_order(self.logits, texts))).astype(np.float16)
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(path, [npz_bytes({"logits": found, "about": about})])
            rows = found.astype(np.float32)
        return np.split(rows, np.cumsum([len(t.sentences) for t in texts])[:-1])


def taught_loss(logits: torch.Tensor, taught: torch.Tensor) -> torch.Tensor:
    """How far a detector's logits are from those of a larger one.

    Parameters
    ----------
    logits, taught : shape (n_sentences, 1 + n_labels); the first column is "any fallacy".

    Returns
    -------
    Tensor
        Cross entropy of "any fallacy", plus that of the labels: each sentence counts as likely as the larger one finds
        it to be part of a fallacy.

    Examples
    --------
    >>> sure = torch.tensor([[4.0, 6.0, -6.0]])
    >>> bool(taught_loss(sure, sure) < taught_loss(-sure, sure))
    True
    """
    likely = torch.sigmoid(taught[:, 0])
    anything = F.binary_cross_entropy_with_logits(logits[:, 0], likely)
    wanted = F.softmax(taught[:, 1:] / _TEMPERATURE, 1)
    label = -(wanted * F.log_softmax(logits[:, 1:] / _TEMPERATURE, 1)).sum(1)
    return anything + _TEMPERATURE * (label * likely).sum() / likely.sum().clamp(min=1.0)
