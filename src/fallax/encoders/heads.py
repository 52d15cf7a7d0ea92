"""Linear heads over what an encoder read: softmax regression, and attention over several readings of one item."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["attended", "fit_attention", "fit_choices", "fit_softmax", "folds_of_groups"]

_Floats = npt.NDArray[np.float64]
_Whole = npt.NDArray[np.int64]


def folds_of_groups(groups: Iterable[str], folds: int) -> _Whole:
    """The fold of each item: items of one group share a fold, whatever their order.

    Examples
    --------
    >>> found = folds_of_groups(["a", "b", "a", "c"], 3)
    >>> bool(found[0] == found[2]), sorted(set(found.tolist()))
    (True, [0, 1, 2])
    """
    given = list(groups)
    order = sorted(set(given), key=lambda g: (zlib.crc32(g.encode()), g))
    number = {g: i % folds for i, g in enumerate(order)}
    return np.array([number[g] for g in given], dtype=np.int64)


def _off(logits: _Floats, y: _Whole, weight: _Floats, strength: float) -> tuple[float, _Floats]:
    """The weighted loss of logits, and its gradient."""
    from scipy.special import logsumexp

    likely = logits - logsumexp(logits, axis=1, keepdims=True)
    at = np.arange(len(y))
    off = np.exp(likely)
    off[at, y] -= 1.0
    return -strength * float((weight * likely[at, y]).sum()), strength * weight[:, None] * off


def _minimum(value: Any, first: _Floats) -> _Floats:
    from scipy.optimize import minimize  # slow to import, and needed for training alone

    options = {"maxiter": 80, "maxcor": 8, "ftol": 1e-6}
    found: _Floats = minimize(value, first, jac=True, method="L-BFGS-B", options=options).x
    return found


def fit_softmax(
    x: Any, y: _Whole, weight: _Floats, n_classes: int, strength: float, start: _Floats | None = None
) -> tuple[_Floats, _Floats]:
    """Ridge-regularised softmax regression: weights of shape (n_columns, n_classes), and biases.

    Minimises ``strength * sum_i w_i loss_i + |W|^2 / 2`` by L-BFGS; biases cost nothing. Deterministic.

    Parameters
    ----------
    x : shape (n, n_columns), dense or sparse.
    y, weight : class and weight of each row.
    start : where to begin, weights and biases one after the other; by default zeros.

    Examples
    --------
    >>> x, y = np.array([[-1.0], [1.0]]), np.array([0, 1])
    >>> weight, bias = fit_softmax(x, y, np.ones(2), 2, 10.0)
    >>> (x @ weight + bias).argmax(axis=1).tolist()
    [0, 1]
    """
    d = x.shape[1]

    def value(flat: _Floats) -> tuple[float, _Floats]:
        w, bias = flat[: d * n_classes].reshape(d, n_classes), flat[d * n_classes :]
        loss, off = _off(np.asarray(x @ w) + bias, y, weight, strength)
        slope = np.concatenate([(np.asarray(x.T @ off) + w).ravel(), off.sum(axis=0)])
        return loss + 0.5 * float((w**2).sum()), slope

    found = _minimum(value, np.zeros(d * n_classes + n_classes) if start is None else start)
    return found[: d * n_classes].reshape(d, n_classes), found[d * n_classes :]


def attended(rows: _Floats, starts: _Whole, attention: _Floats) -> tuple[_Floats, _Floats]:
    """The mean of the readings of each item, weighted by their attention, and the weight of each reading.

    Parameters
    ----------
    rows : all readings, shape (n_rows, d), those of an item one after the other.
    starts : the first reading of each item, shape (n_items,); each has at least one.
    attention : shape (d,); a reading's weight is the softmax, over its item, of its product with this.

    Examples
    --------
    >>> mean, share = attended(np.array([[0.0], [1.0], [5.0]]), np.array([0, 2]), np.array([0.0]))
    >>> mean.tolist(), share.tolist()
    ([[0.5], [5.0]], [0.5, 0.5, 1.0])
    """
    sizes = np.diff(np.append(starts, len(rows)))
    scores = rows @ attention
    share = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
    share /= np.repeat(np.add.reduceat(share, starts), sizes)
    return np.add.reduceat(rows * share[:, None], starts, axis=0), share


def fit_attention(
    rows: _Floats, starts: _Whole, more: _Floats, y: _Whole, n_classes: int, strength: float
) -> tuple[_Floats, _Floats, _Floats]:
    """Softmax regression over attended readings: attention (d,), weights (d + g, n_classes), and biases.

    With one reading an item this is :func:`fit_softmax`. Begins with equal attention, so it is deterministic.

    Parameters
    ----------
    rows, starts : as :func:`attended` takes them.
    more : what else is known of each item, shape (n_items, g).

    Examples
    --------
    >>> rows = np.array([[1.0, 3.0], [0.0, 0.0], [0.0, 0.0], [-1.0, 3.0]])
    >>> found = fit_attention(rows, np.array([0, 2]), np.zeros((2, 0)), np.array([0, 1]), 2, 10.0)
    >>> share = attended(rows, np.array([0, 2]), found[0])[1]
    >>> bool(share[0] > share[1] and share[3] > share[2])
    True
    """
    d, n_columns = rows.shape[1], rows.shape[1] + more.shape[1]
    sizes = np.diff(np.append(starts, len(rows)))
    weight = np.ones(len(starts))

    def value(flat: _Floats) -> tuple[float, _Floats]:
        attention, w = flat[:d], flat[d : d + n_columns * n_classes].reshape(n_columns, n_classes)
        mean, share = attended(rows, starts, attention)
        x = np.concatenate([mean, more], axis=1)
        loss, off = _off(x @ w + flat[d + n_columns * n_classes :], y, weight, strength)
        back = np.repeat(off @ w[:d].T, sizes, axis=0)
        moved = share * ((rows - np.repeat(mean, sizes, axis=0)) * back).sum(axis=1)
        slope = np.concatenate([rows.T @ moved + attention, (x.T @ off + w).ravel(), off.sum(axis=0)])
        return loss + 0.5 * float((w**2).sum() + (attention**2).sum()), slope

    # at zero weights no attention has a slope: first the weights for equal attention
    mean, _ = attended(rows, starts, np.zeros(d))
    w, bias = fit_softmax(np.concatenate([mean, more], axis=1), y, weight, n_classes, strength)
    first = np.concatenate([np.zeros(d), w.ravel(), bias])
    found = first if len(rows) == len(starts) else _minimum(value, first)
    return found[:d], found[d : d + n_columns * n_classes].reshape(n_columns, n_classes), found[d + w.size :]


def fit_choices(x: _Floats, starts: _Whole, right: npt.NDArray[np.bool_], strength: float) -> _Floats:
    """Conditional logit: weights (d,) that make a right option of each set the likeliest.

    Minimises ``-strength * sum log P(a right option) + |w|^2 / 2``, features scaled to one deviation; the weights are
    for the features as given.

    Parameters
    ----------
    x : the options of all sets, shape (n_options, d), those of a set one after the other.
    starts : the first option of each set.
    right : which options are right; each set has at least one.

    Examples
    --------
    >>> x = np.array([[1.0], [0.0], [0.2], [0.9], [0.1]])
    >>> right = np.array([True, False, False, True, False])
    >>> bool(fit_choices(x, np.array([0, 2]), right, 1.0)[0] > 0)
    True
    """
    scale = x.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)
    given, sizes = x / scale, np.diff(np.append(starts, len(x)))

    def value(w: _Floats) -> tuple[float, _Floats]:
        scores = given @ w
        scores -= np.repeat(np.maximum.reduceat(scores, starts), sizes)
        all_ = np.exp(scores)
        good = np.where(right, all_, 0.0)
        total, held = np.add.reduceat(all_, starts), np.add.reduceat(good, starts) + 1e-300
        off = all_ / np.repeat(total, sizes) - good / np.repeat(held, sizes)
        loss = strength * float(np.log(total / held).sum()) + 0.5 * float(w @ w)
        return loss, strength * (given.T @ off) + w

    return _minimum(value, np.zeros(x.shape[1])) / scale
