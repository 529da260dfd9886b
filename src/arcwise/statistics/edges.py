"""`EdgeDiagnostics`: how well each edge has mixed, from the DAGs of several chains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.statistics.convergence import (
    effective_sample_size,
    largest_chain_difference,
    standard_error,
)

FEWEST_CHANGES = 10
# Summing lag by lag is fastest for edges with short autocorrelation and slowest for the others.
_MOST_LAGS, _FEWEST_LAGS, _MOST_PRODUCTS = 1000, 64, 2**26
_MOST_POINTS = 10_000


@dataclass(frozen=True, eq=False)
class EdgeDiagnostics:
    """Diagnostics of each edge as matrices [source, target], from unweighted draws.

    Parameters
    ----------
    rhat
        Rank-normalised split R-hat; infinite if the edge is always present in some chains
        and never in others, NaN if it never changed at all, and so may be certain or
        stuck.
    effective_samples
        The bulk effective sample size; NaN if the edge changed fewer than 10 times, which
        is too few to estimate its autocorrelation.
    changes
        The number of times the edge appeared or disappeared between consecutive draws,
        over all chains.
    chain_edges
        The fraction of draws with the edge in each chain, as [chain, source, target].
    differences
        The largest difference of these between two chains; NaN with a single chain.
    """

    rhat: NDArray[np.float64]
    effective_samples: NDArray[np.float64]
    changes: NDArray[np.int64]
    chain_edges: NDArray[np.float64]
    differences: NDArray[np.float64]

    @classmethod
    def of(cls, chains: Sequence[NDArray[np.uint64]], nodes: int) -> EdgeDiagnostics:
        """Return the diagnostics for the packed parents of each chain, (draws, nodes, words).

        R-hat and effective sample sizes use as many draws as the shortest chain has. For
        an edge with long autocorrelation, in chains of more than 10,000 draws, the
        effective sample size is estimated from batch means: at most 10,000 batches,
        allowing for their autocorrelation.
        """
        parts = [np.ascontiguousarray(parents) for parents in chains]
        draws = min(len(parents) for parents in parts)
        lags = _MOST_PRODUCTS // max(1, len(parts) * draws)
        lags = min(_MOST_LAGS, max(_FEWEST_LAGS, lags))
        # One thread: it takes a moment, and must not exceed the number the user asked for.
        rhat, effective, changes, shares = _core.edge_mixing(parts, FEWEST_CHANGES, lags, threads=1)
        for target in np.flatnonzero((effective < 0.0).any(axis=0)):
            words = [np.ascontiguousarray(part[:draws, target]) for part in parts]
            for source in np.flatnonzero(effective[:, target] < 0.0):
                effective[source, target] = _effective_with_long_memory(
                    np.stack([_bit(own, int(source)) for own in words])
                )
        return cls(rhat, effective, changes, shares, largest_chain_difference(shares))


def _effective_with_long_memory(edge: NDArray[np.bool_]) -> float:
    """Return the effective sample size of an edge, (chains, draws), by Fourier transform."""
    chains, draws = edge.shape
    size = -(-draws // _MOST_POINTS)
    if size == 1:
        return float(effective_sample_size(edge))
    batches = edge[:, draws % size :].reshape(chains, -1, size)
    # The mean of all draws is the mean of the batch means; the effective sample size is the number
    # of independent draws with the same standard error.
    error = float(standard_error(batches.mean(axis=2)))
    share = np.count_nonzero(edge) / edge.size
    return share * (1.0 - share) / error**2


def _bit(words: NDArray[np.uint64], place: int) -> NDArray[np.bool_]:
    """Return one bit of each row of packed parents."""
    return np.asarray(words[:, place // 64] & np.uint64(1 << place % 64) != 0)
