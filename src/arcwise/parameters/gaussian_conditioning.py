"""Conditioning of linear Gaussian networks by least squares over the unknown values.

The density of a row is the product over nodes of that of its noise, e_v = x_v - c_v - b_v' x_P,
with standard deviation s_v. With known values put in, the scaled noise is A u + r, linear in the
m unknown values u, and integrating these out is a least-squares problem of size m: it is small
when most values are known, and needs no covariance matrix of the known ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Of a Gram matrix of unit columns that rounding has made singular.
_JITTER = 1e-12


def integrated(slopes: Array, rest: Array) -> tuple[Array, Array, Array]:
    """Return mean and deviation of the last unknown value, and the log of the integral over all.

    The integral of exp(-|A u + r|^2 / 2) over u, up to a power of 2 pi.

    Parameters
    ----------
    slopes
        A, as [..., noise, unknown]; without unknown values, mean and deviation are 0.
    rest
        r, as [..., noise, row].

    Returns
    -------
    tuple of numpy.ndarray
        The mean, as [..., row], the deviation, as [...], and the log, as [..., row].
    """
    squares = np.square(rest).sum(axis=-2)
    if slopes.shape[-1] == 0:
        return np.zeros(squares.shape), np.zeros(squares.shape[:-1]), -0.5 * squares
    norms = np.sqrt(np.square(slopes).sum(axis=-2))
    unit = slopes / norms[..., np.newaxis, :]
    covered = np.swapaxes(unit, -1, -2) @ rest
    if slopes.shape[-1] == 1:
        squares = squares - np.square(covered[..., 0, :])
        found = -covered[..., 0, :] / norms
        return found, 1 / norms[..., 0], -0.5 * squares - np.log(norms)
    gram = np.swapaxes(unit, -1, -2) @ unit
    try:
        triangles = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        triangles = np.linalg.cholesky(gram + _JITTER * np.eye(gram.shape[-1]))
    solved = np.asarray(np.linalg.solve(triangles, covered))
    squares = squares - np.square(solved).sum(axis=-2)
    diagonal = np.einsum("...ii->...i", triangles) * norms
    last = diagonal[..., -1]
    found = -solved[..., -1, :] / last[..., np.newaxis]
    logs = -0.5 * squares - np.log(diagonal).sum(axis=-1)[..., np.newaxis]
    return found, 1 / last, logs
