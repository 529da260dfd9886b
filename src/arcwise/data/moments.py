"""`Moments`: skewness and kurtosis of a column, and a test of normality by them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEWEST_ROWS = 20
"""The approximations behind the test hold from about so many rows on."""


@dataclass(frozen=True)
class Moments:
    """The shape of a column's distribution.

    Parameters
    ----------
    skewness, excess_kurtosis
        Both 0 for a normal distribution.
    p_value
        Of the test of D'Agostino and Pearson (1973): the probability of a skewness and kurtosis
        that far from those of a normal distribution, if the values are independent draws from
        one.

    Examples
    --------
    >>> import numpy as np
    >>> skewed = Moments.of(np.exp(np.random.default_rng(1).normal(size=500)))
    >>> skewed.skewness > 2, skewed.p_value < 1e-9
    (True, True)
    """

    skewness: float
    excess_kurtosis: float
    p_value: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Moments | None:
        """Return the shape of some values; None for fewer than 20, or equal ones."""
        n = len(values)
        shape = None if n < FEWEST_ROWS else skewness_and_kurtosis(values)
        if shape is None:
            return None
        skewness, kurtosis = shape
        statistic = _skewness_score(skewness, n) ** 2 + _kurtosis_score(kurtosis, n) ** 2
        # Chi-squared with two degrees of freedom.
        return cls(skewness, kurtosis - 3.0, math.exp(-statistic / 2.0))


def skewness_and_kurtosis(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return both, 0 and 3 of a normal distribution; None for values that are all equal."""
    centred = values - values.mean()
    largest = float(np.abs(centred).max())
    if not 0.0 < largest < math.inf:
        return None
    centred = centred / largest  # whose fourth powers neither overflow nor vanish
    second, third, fourth = (float((centred**power).mean()) for power in (2, 3, 4))
    return (third / second**1.5, fourth / second**2) if second > 0.0 else None


def _skewness_score(skewness: float, n: int) -> float:
    """Return the normal score of a skewness (D'Agostino 1970)."""
    y = skewness * math.sqrt((n + 1) * (n + 3) / (6.0 * (n - 2)))
    beta = 3.0 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3)
    beta /= (n - 2.0) * (n + 5) * (n + 7) * (n + 9)
    w_squared = math.sqrt(2.0 * (beta - 1.0)) - 1.0
    return math.asinh(y / math.sqrt(2.0 / (w_squared - 1.0))) / math.sqrt(0.5 * math.log(w_squared))


def _kurtosis_score(kurtosis: float, n: int) -> float:
    """Return the normal score of a kurtosis (Anscombe and Glynn 1983)."""
    mean = 3.0 * (n - 1) / (n + 1)
    variance = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3.0) * (n + 5))
    x = (kurtosis - mean) / math.sqrt(variance)
    root_beta = 6.0 * (n**2 - 5 * n + 2) / ((n + 7) * (n + 9))
    root_beta *= math.sqrt(6.0 * (n + 3) * (n + 5) / (n * (n - 2.0) * (n - 3)))
    a = 6.0 + 8.0 / root_beta * (2.0 / root_beta + math.sqrt(1.0 + 4.0 / root_beta**2))
    below = 1.0 + x * math.sqrt(2.0 / (a - 4.0))
    # Far below the mean the fraction has no real cube root of its own sign.
    cube_root = math.copysign(((1.0 - 2.0 / a) / max(abs(below), 1e-300)) ** (1.0 / 3.0), below)
    return (1.0 - 2.0 / (9.0 * a) - cube_root) / math.sqrt(2.0 / (9.0 * a))
