"""The mean and the variance of columns, from which scores of continuous data take their prior."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def column_moments(
    values: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    intervened: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean and the variance of each column; 1 for the variance of a constant one.

    Of the rows in which it was not intervened on: what was set tells nothing.

    Parameters
    ----------
    values
        Rows by columns.
    weights
        How often each row counts, or None.
    intervened
        Where a column was intervened on, rows by columns, or None.
    """
    counted = np.ones(values.shape)
    if weights is not None:
        counted *= weights[:, np.newaxis]
    if intervened is not None:
        counted[intervened] = 0.0
    counted[:, counted.sum(axis=0) == 0.0] = 1.0
    with np.errstate(over="ignore", invalid="ignore"):  # refused where the variance is needed
        means = np.average(values, axis=0, weights=counted)
        variances = np.average((values - means) ** 2, axis=0, weights=counted)
    # Rounding leaves a little variance in a column of one value.
    known = np.where(counted > 0.0, values, values[counted.argmax(axis=0), range(len(means))])
    return means, np.where(np.ptp(known, axis=0) > 0.0, variances, 1.0)
