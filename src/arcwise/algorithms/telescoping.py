"""The ratio of two normalising constants as a product over a ladder of temperatures.

Between neighbours, the mean over the hotter chain of (colder density / hotter
density) is the ratio of their constants; the product of all leads from the
uniform distribution to the posterior (section 4.5 of Niinimäki, Parviainen and
Koivisto 2016).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ratio = tuple[NDArray[np.float64], int, int]
"""The log sums of batches of one ratio along one chain, the count, and the batch size."""


def telescoped(chains: Sequence[Sequence[Ratio]]) -> tuple[float, float]:
    """Return the log of the product of all ratios, and the variance of that.

    Parameters
    ----------
    chains
        For each chain, for each pair of neighbouring temperatures, its batches.

    Notes
    -----
    All ratios of a chain have batches of the same steps. The relative deviation
    of a batch, added up over the ladder, is what the batch does to the log of the
    product to first order; so the correlation between levels is accounted for.
    """
    pairs = len(chains[0])
    total = 0.0
    deviations: list[NDArray[np.float64]] = [np.zeros(0) for _ in chains]
    for pair in range(pairs):
        sums = [chain[pair] for chain in chains]
        top = max(float(log_sums.max(initial=-np.inf)) for log_sums, _, _ in sums)
        if top == -np.inf:
            return -np.inf, np.inf
        plain = sum(float(np.exp(log_sums - top).sum()) for log_sums, _, _ in sums)
        mean = plain / sum(count for _, count, _ in sums)
        total += top + float(np.log(mean))
        for chain, (log_sums, count, size) in enumerate(sums):
            whole = np.exp(log_sums[: count // size] - top) / size
            relative = whole / mean - 1.0
            deviations[chain] = relative if pair == 0 else deviations[chain] + relative
    together = np.concatenate(deviations)
    if len(together) < 2:
        return total, float("inf")
    return total, float(together.var(ddof=1) / len(together))
