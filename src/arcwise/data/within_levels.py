"""Numbers less their mean, and divided by their deviation, within levels of discrete columns.

A column that is normal within groups need not be normal as a whole. Which discrete columns
matter is found by adding one after the other, as long as separate means and variances pay for
themselves by the Bayesian information criterion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FEWEST_IN_GROUP = 10
"""The rows of smaller groups are left out: what is left of so few tells little of a shape."""


def standardized_within_levels(
    values: NDArray[np.float64], levels: Sequence[NDArray[np.int64]]
) -> NDArray[np.float64]:
    """Return numbers standardised within the groups that explain them best.

    Parameters
    ----------
    values
        One number for each row.
    levels
        The codes of each discrete column.

    Examples
    --------
    >>> random = np.random.default_rng(1)
    >>> group = random.integers(0, 2, 500)
    >>> values = random.normal(size=500) + 10 * group
    >>> found = standardized_within_levels(values, [group])
    >>> bool(np.abs(found).max() < 4)
    True
    """
    groups = np.zeros(len(values), dtype=np.int64)
    best = _criterion(values, groups)
    waiting = list(levels)
    while waiting:
        finer = [_numbered(groups, codes) for codes in waiting]
        gains = [_criterion(values, each) - best for each in finer]
        chosen = int(np.argmax(gains))
        if not gains[chosen] > 0.0:
            break
        groups, best = finer[chosen], best + gains[chosen]
        waiting.pop(chosen)
    sizes, means, deviations = _moments(values, groups)
    kept = (sizes >= FEWEST_IN_GROUP) & (deviations > 0.0)
    of_row = kept[groups]
    found: NDArray[np.float64] = (values - means[groups])[of_row] / deviations[groups][of_row]
    return found


def _numbered(groups: NDArray[np.int64], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    both = groups * (int(codes.max(initial=0)) + 1) + codes
    numbers: NDArray[np.int64] = np.unique(both, return_inverse=True)[1].reshape(-1)
    return numbers.astype(np.int64)


def _moments(
    values: NDArray[np.float64], groups: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    sizes = np.bincount(groups).astype(np.float64)
    means = np.bincount(groups, weights=values) / np.maximum(sizes, 1.0)
    squares = np.bincount(groups, weights=np.square(values - means[groups]))
    return sizes, means, np.sqrt(squares / np.maximum(sizes, 1.0))


def _criterion(values: NDArray[np.float64], groups: NDArray[np.int64]) -> float:
    """Return the log likelihood with a mean and a variance for each group, less their price."""
    sizes, _, deviations = _moments(values, groups)
    # A group of one value has no deviation; with that of all values it gains nothing by it.
    floor = 1e-3 * max(float(values.std()), np.finfo(np.float64).tiny)
    logs = np.log(np.maximum(deviations, floor))
    return float(-(sizes * logs).sum()) - len(sizes) * math.log(max(len(values), 2))
