"""The heads of a detector that is read beside the small one that ships: the logits of both, as weighted means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from fallax.detection.training.loop import Network

__all__ = ["joined_heads", "own_heads", "put_heads"]

_Floats = npt.NDArray[np.float64]
#: ``weight``, shape (2 d, 1 + n_labels), for the mean of a sentence's states, then the state of [CLS]; and ``bias``.
Heads = Mapping[str, npt.NDArray[Any]]


def joined_heads(small: Heads, own: Network, share: float | _Floats) -> dict[str, _Floats]:
    """The heads of both as one, for the states of the small one followed by those of the other.

    Parameters
    ----------
    small : the heads of the small one.
    own : the network of the other.
    share : how much the other counts, in [0, 1], or so for each logit, shape (1 + n_labels,); the small one counts the
        rest.
    """
    mean, cls = np.split(small["weight"].astype(np.float64) * (1.0 - share), 2)
    own_mean, own_cls = np.split(own.head.weight.detach().numpy().T.astype(np.float64) * share, 2)
    bias = (1.0 - share) * small["bias"].astype(np.float64)
    return {
        "weight": np.concatenate([mean, own_mean, cls, own_cls]),
        "bias": bias + share * own.head.bias.detach().numpy().astype(np.float64),
    }


def own_heads(both: Heads, small: Heads, share: float) -> dict[str, _Floats]:
    """The heads of the other one alone: the inverse of :func:`joined_heads`.

    Examples
    --------
    >>> small = {"weight": np.ones((2, 1)), "bias": np.zeros(1)}
    >>> both = {"weight": np.array([[0.5], [1.0], [0.5], [2.0]]), "bias": np.ones(1)}
    >>> found = own_heads(both, small, 0.5)
    >>> found["weight"].ravel().tolist(), found["bias"].tolist()
    ([2.0, 4.0], [2.0])
    """
    d = len(small["weight"]) // 2
    mean, cls = np.split(both["weight"].astype(np.float64), 2)
    rest = both["bias"].astype(np.float64) - (1.0 - share) * small["bias"].astype(np.float64)
    return {"weight": np.concatenate([mean[d:], cls[d:]]) / share, "bias": rest / share}


def put_heads(network: Network, heads: Heads) -> None:
    """Put heads into a network."""
    with torch.no_grad():
        network.head.weight.copy_(torch.from_numpy(heads["weight"].T.copy()))
        network.head.bias.copy_(torch.from_numpy(heads["bias"].copy()))
