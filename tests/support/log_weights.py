"""The standard error of a mean of independent weights, as it is without any caution."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def plain_error(log_weights: ArrayLike) -> float:
    """Return the relative standard error of the mean of weights."""
    logs = np.asarray(log_weights, dtype=np.float64)
    weights = np.exp(logs - logs.max())
    return float(weights.std(ddof=1) / weights.mean() / np.sqrt(len(weights)))
