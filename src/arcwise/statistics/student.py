"""Student's t distribution: its 97.5 % quantile, and the degrees of freedom of summed variances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

_TAILS = 0.05
# The difference from a normal quantile is below the last digit, and squares are still numbers.
_NORMAL_BEYOND = 1e16


def t_quantile(degrees: float) -> float:
    """Return the 97.5 % quantile of Student's t distribution.

    By algorithm 396 of Hill (1970), "Student's t-quantiles", to about six digits.

    Parameters
    ----------
    degrees
        The degrees of freedom, 1 or more, possibly infinite.

    Examples
    --------
    >>> round(t_quantile(3), 4), round(t_quantile(float("inf")), 4)
    (3.1824, 1.96)
    """
    normal = NormalDist().inv_cdf(1.0 - _TAILS / 2)
    if degrees > _NORMAL_BEYOND:
        return normal
    if degrees <= 1.0:
        return 1.0 / math.tan(_TAILS * math.pi / 2)
    if degrees == 2.0:
        return math.sqrt(2.0 / (_TAILS * (2.0 - _TAILS)) - 2.0)
    a = 1.0 / (degrees - 0.5)
    b = 48.0 / a**2
    c = ((20700.0 * a / b - 98.0) * a - 16.0) * a + 96.36
    d = ((94.5 / (b + c) - 3.0) / b + 1.0) * math.sqrt(a * math.pi / 2.0) * degrees
    y = (d * _TAILS) ** (2.0 / degrees)
    if y > 0.05 + a:
        x = -normal
        y = x**2
        if degrees < 5.0:
            c += 0.3 * (degrees - 4.5) * (x + 0.6)
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x
        y = math.expm1(a * y**2)
    else:
        tail = ((degrees + 6.0) / (degrees * y) - 0.089 * d - 0.822) * (degrees + 2.0) * 3.0
        y = ((1.0 / tail + 0.5 / (degrees + 4.0)) * y - 1.0) * (degrees + 1.0) / (
            degrees + 2.0
        ) + 1.0 / y
    return math.sqrt(degrees * y)


def summed_degrees(variances: Sequence[float], degrees: Sequence[float]) -> float:
    """Return the degrees of freedom of a sum of estimated variances, by Welch and Satterthwaite.

    Examples
    --------
    >>> summed_degrees([1.0, 1.0], [3.0, 3.0]), summed_degrees([1.0, 0.0], [3.0, 1.0])
    (6.0, 3.0)
    """
    # Relative to the largest, whose square may be too large for a number, or too small.
    largest = max(variances, default=0.0)
    if not 0.0 < largest < float("inf"):
        return float("inf") if largest == 0.0 else min(degrees)
    shares = [variance / largest for variance in variances]
    squares = sum(share**2 / df for share, df in zip(shares, degrees, strict=True))
    return float("inf") if squares == 0.0 else sum(shares) ** 2 / squares
