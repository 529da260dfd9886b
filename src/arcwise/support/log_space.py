"""Exponentials and logarithms of arrays, the same to the last bit on every processor.

NumPy's own depend on the vector instructions of the processor, so that weights of one run would
have other last bits on another machine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise import _core


def relative_weights(
    log_weights: NDArray[np.float64], top: float | None = None
) -> NDArray[np.float64]:
    """Return weights, given as logarithms, as multiples of e^`top`, by default of the largest.

    Weights below e^-700 of it are zero. No log weight may be NaN, or more than 600 above `top`.

    Examples
    --------
    >>> relative_weights(np.array([-1000.0, -1000.0, -np.inf])).tolist()
    [1.0, 1.0, 0.0]
    """
    logs = np.ascontiguousarray(log_weights, dtype=np.float64)
    result = np.empty(logs.size)
    scale = float(logs.max()) if top is None else top
    _core.scaled_exp(result, logs.reshape(-1), scale)
    return result.reshape(logs.shape)


def logarithms(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return the natural logarithms of numbers that are zero or normal (2.2e-308 and above).

    Examples
    --------
    >>> logarithms(np.array([0, 1])).tolist()
    [-inf, 0.0]
    """
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    result = np.zeros(numbers.size)
    _core.add_logarithms(result, numbers.reshape(-1))
    return result.reshape(numbers.shape)
