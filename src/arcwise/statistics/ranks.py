"""Ranks of the draws of several chains, by which one sees whether they tell the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_MOST_BINS = 20
_DRAWS_PER_BIN = 5


def rank_shares(chains: Sequence[NDArray[np.float64]]) -> NDArray[np.float64] | None:
    """Return how often each chain is in each range of ranks, relative to all chains together.

    The draws of all chains are ranked together and their ranks divided into ranges of equal
    size (Vehtari, Gelman, Simpson, Carpenter and Bürkner 2021). Chains of one distribution are in
    each range as often as the others: all numbers are then near 1. Draws that are equal share
    their mean rank, in all chains alike.

    Parameters
    ----------
    chains
        The draws of each chain.

    Returns
    -------
    numpy.ndarray or None
        An array [chain, range]; None for fewer than two chains, or too few draws.

    Examples
    --------
    >>> rank_shares([np.arange(20.0), np.arange(20.0)]).tolist()
    [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]
    """
    finite = [row[np.isfinite(row)] for row in chains]
    bins = min(_MOST_BINS, min((len(row) for row in finite), default=0) // _DRAWS_PER_BIN)
    if len(finite) < 2 or bins < 2:
        return None
    pooled = np.concatenate(finite)
    _, inverse, counts = np.unique(pooled, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean_ranks = (last - (counts + 1) / 2)[inverse]  # from 0
    chosen = np.minimum((mean_ranks * bins / len(pooled)).astype(np.int64), bins - 1)
    everywhere = np.bincount(chosen, minlength=bins) / len(pooled)
    shares = np.empty((len(finite), bins))
    start = 0
    for number, row in enumerate(finite):
        own = np.bincount(chosen[start : start + len(row)], minlength=bins) / len(row)
        # A range that ties have left empty tells nothing.
        shares[number] = np.divide(own, everywhere, out=np.ones(bins), where=everywhere > 0)
        start += len(row)
    return shares
