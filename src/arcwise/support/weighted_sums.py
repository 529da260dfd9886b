"""`weighted_sum`: sums by weights, the same to the last bit on every processor.

NumPy's products of vectors and matrices are those of a BLAS library, which adds in another order
with 512-bit instructions than without them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def weighted_sum(weights: ArrayLike, values: ArrayLike) -> NDArray[np.float64]:
    """Return the sum of numbers or arrays, along the first axis, each times its weight.

    Examples
    --------
    >>> weighted_sum([0.25, 0.75], [[0.0, 4.0], [8.0, 4.0]]).tolist()
    [6.0, 4.0]
    """
    numbers = np.asarray(values, dtype=np.float64)
    factors = np.asarray(weights, dtype=np.float64)
    each = factors.reshape(-1, *(1 for _ in numbers.shape[1:])) * numbers
    return np.asarray(each.sum(axis=0))
