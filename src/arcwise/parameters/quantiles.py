"""Quantiles of weighted draws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import ArgumentError
from arcwise.support.checks import real_numbers
from arcwise.support.words import shown


def checked_probabilities(probabilities: float | Sequence[float]) -> NDArray[np.float64]:
    """Return the probabilities as an array, or refuse them."""
    given = real_numbers(probabilities, "probabilities")
    if given.ndim > 1 or not ((given >= 0) & (given <= 1)).all():
        raise ArgumentError(
            f"probabilities is {shown(probabilities)}; give one number from 0 to 1 or a list of "
            "them"
        )
    return given


def weighted_quantiles(
    values: ArrayLike, shares: NDArray[np.float64], probabilities: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the smallest values whose cumulative weights reach the probabilities.

    Values are never averaged: effects have a point mass at 0, and a quantile that falls
    on it is 0.

    Parameters
    ----------
    values
        One for each draw.
    shares
        Their weights, which sum to 1.
    probabilities
        From 0 to 1.
    """
    array = np.asarray(values)
    kept = np.flatnonzero(shares > 0)
    order = kept[np.argsort(array[kept], kind="stable")]
    reached = np.cumsum(shares[order])
    # The sum of many weights is close to 1; the rounding error must not shift a quantile.
    places = np.searchsorted(reached, probabilities * reached[-1] * (1 - 1e-12))
    found: NDArray[np.float64] = array[order[np.minimum(places, len(order) - 1)]].astype(np.float64)
    return found
