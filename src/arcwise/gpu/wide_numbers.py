"""Numbers of nearly any size in 64 bits, as `core/arcwise/kernels/wide.hpp` has them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MANTISSA_BITS = 45
BIAS = 1 << 17
RELATIVE_ROUNDING = 2.0 ** -(MANTISSA_BITS + 1)


def wide_from_logs(logs: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return the numbers with these natural logarithms; too small ones become zero.

    Examples
    --------
    >>> logs_of_wide(wide_from_logs(np.array([0.0, -1000.0, -np.inf]))).round(9).tolist()
    [0.0, -1000.0, -inf]
    """
    finite = np.isfinite(logs)
    factor, exponent = factors_and_exponents(np.where(finite, logs, 0.0))
    mantissa = np.rint((factor - 1.0) * 2.0**MANTISSA_BITS).astype(np.int64)
    place = exponent.astype(np.int64) + BIAS
    # A mantissa that is rounded up to 2 goes into the exponent by itself.
    bits = (place << MANTISSA_BITS) + mantissa
    return np.where(finite & (place > 0), bits, 0).astype(np.uint64)


def factors_and_exponents(
    logs: NDArray[np.float64],
) -> tuple[NDArray[np.longdouble], NDArray[np.longdouble]]:
    """Return numbers, given as logarithms, as factors from 1 to 2 of powers of two."""
    # More digits than logarithms have: those of thousands of nats are left with few behind the
    # point, none of which should be lost.
    in_bits = logs.astype(np.longdouble) / np.log(np.longdouble(2.0))
    exponents = np.floor(in_bits)
    return np.exp2(in_bits - exponents), exponents


def logs_of_wide(bits: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return natural logarithms, minus infinity of zero."""
    whole = bits.astype(np.int64)
    exponent = (whole >> MANTISSA_BITS) - BIAS
    mantissa = 1.0 + (whole & ((1 << MANTISSA_BITS) - 1)) / 2.0**MANTISSA_BITS
    logs = exponent * np.log(2.0) + np.log(mantissa)
    return np.asarray(np.where(bits == 0, -np.inf, logs), dtype=np.float64)
