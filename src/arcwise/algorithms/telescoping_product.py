"""The ratio of two normalising constants as a product over a ladder of temperatures.

For adjacent temperatures, the mean over the hotter chain of (colder density / hotter
density) is the ratio of their constants; the product of all ratios leads from the uniform
distribution to the posterior (section 4.5 of Niinimäki, Parviainen and Koivisto 2016).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.statistics.convergence import weighted_standard_error
from arcwise.statistics.log_estimate import LogEstimate
from arcwise.support.log_space import relative_weights

Ratio = tuple[NDArray[np.float64], int, int]
"""The log sums of the batches of one ratio along one chain, the count, and the batch size."""


def telescoped(chains: Sequence[Sequence[Ratio]], *, same_temperatures: bool = True) -> LogEstimate:
    """Return the log of the product of all ratios.

    Parameters
    ----------
    chains
        For each chain and each pair of adjacent temperatures, the batches.
    same_temperatures
        Whether all chains have the same ladder; otherwise their ratios are between
        different constants, and only the products can be averaged.

    Notes
    -----
    All ratios of a chain have batches over the same steps. The relative deviation of a
    batch, summed over the ladder, is to first order its contribution to the log of the
    product. This accounts for the correlation between temperatures; the correlation of
    batches along a chain is estimated from the batches. What a chain never saw does not show
    there, but in the products of the chains, each by itself: where these vary more than that,
    their variance counts.
    """
    each = [_product([chain]) for chain in chains if chain[0][1] > 0]
    if not each:
        return LogEstimate(-np.inf, np.inf)  # nothing is known yet
    values, variances = np.array(each).T
    with np.errstate(invalid="ignore"):  # a chain that saw only weights of zero knows nothing
        between = float(values.var(ddof=1)) / len(each) if len(each) > 1 else 0.0
    if same_temperatures:
        value, within = _product(chains)
    else:
        value, within = float(values.mean()), float(variances.sum()) / len(each) ** 2
    return LogEstimate(value, max(within, between if np.isfinite(between) else np.inf))


def _product(chains: Sequence[Sequence[Ratio]]) -> tuple[float, float]:
    """Return the log of the product of ratios over all chains, and its variance along them."""
    pairs = len(chains[0])
    total = 0.0
    deviations: list[NDArray[np.float64]] = [np.zeros(0) for _ in chains]
    for pair in range(pairs):
        sums = [chain[pair] for chain in chains]
        top = max(float(log_sums.max(initial=-np.inf)) for log_sums, _, _ in sums)
        if top == -np.inf:
            return -np.inf, np.inf
        plain = sum(float(relative_weights(log_sums, top).sum()) for log_sums, _, _ in sums)
        mean = plain / sum(count for _, count, _ in sums)
        if not mean > 0.0:  # as damaged files may have it
            return -np.inf, np.inf
        total += top + math.log(mean)
        for chain, (log_sums, count, size) in enumerate(sums):
            whole = relative_weights(log_sums[: count // size], top) / size
            relative = whole / mean - 1.0
            deviations[chain] = relative if pair == 0 else deviations[chain] + relative
    sizes = [np.full(len(own), chain[0][2]) for own, chain in zip(deviations, chains, strict=True)]
    numbers = np.repeat(np.arange(len(chains)), [len(own) for own in deviations])
    error = float(
        weighted_standard_error(np.concatenate(deviations), np.concatenate(sizes), numbers)
    )
    return total, float("inf") if np.isnan(error) else error**2
