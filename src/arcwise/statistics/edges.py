"""`EdgeDiagnostics`: what the DAGs of several chains say about how each edge has mixed."""

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
# Lags one by one are the fastest way for edges that soon forget, and the slowest for others.
_MOST_LAGS, _FEWEST_LAGS, _MOST_PRODUCTS = 1000, 64, 2**26
_MOST_POINTS = 10_000


@dataclass(frozen=True, eq=False)
class EdgeDiagnostics:
    """Numbers of each edge as matrices [source, target], every draw counted the same.

    Parameters
    ----------
    rhat
        Rank-normalised split R-hat; infinite where the edge is always there in some
        chains and never in others, NaN where it never changed at all, which may be
        certain or may be stuck.
    effective_samples
        The bulk effective sample size; NaN where the edge changed fewer than 10
        times, as autocorrelation is not to be seen from that.
    changes
        How often the edge came or went from one draw to the next, over all chains.
    chain_edges
        The share of draws with the edge in each chain, as [chain, source, target].
    differences
        The largest difference of these between two chains; NaN with one chain.
    """

    rhat: NDArray[np.float64]
    effective_samples: NDArray[np.float64]
    changes: NDArray[np.int64]
    chain_edges: NDArray[np.float64]
    differences: NDArray[np.float64]

    @classmethod
    def of(cls, chains: Sequence[NDArray[np.uint64]], nodes: int) -> EdgeDiagnostics:
        """Return them for the packed parents of each chain, (draws, nodes, words).

        R-hat and effective sample sizes are of as many draws as the shortest chain has.
        The effective sample size of an edge that remembers more draws than are worth
        going through one by one is by the means of batches if a chain has more than
        10,000 draws: at most so many batches, with their own autocorrelation.
        """
        parts = [np.ascontiguousarray(parents) for parents in chains]
        draws = min(len(parents) for parents in parts)
        lags = _MOST_PRODUCTS // max(1, len(parts) * draws)
        lags = min(_MOST_LAGS, max(_FEWEST_LAGS, lags))
        # One thread: it takes a moment, and whoever asked for few threads should not see more.
        rhat, effective, changes, shares = _core.edge_mixing(parts, FEWEST_CHANGES, lags, threads=1)
        for target in np.flatnonzero((effective < 0.0).any(axis=0)):
            words = [np.ascontiguousarray(part[:draws, target]) for part in parts]
            for source in np.flatnonzero(effective[:, target] < 0.0):
                effective[source, target] = _effective_with_long_memory(
                    np.stack([_bit(own, int(source)) for own in words])
                )
        return cls(rhat, effective, changes, shares, largest_chain_difference(shares))


def _effective_with_long_memory(edge: NDArray[np.bool_]) -> float:
    """Return the effective sample size of an edge, (chains, draws), all lags at once."""
    chains, draws = edge.shape
    size = -(-draws // _MOST_POINTS)
    if size == 1:
        return float(effective_sample_size(edge))
    batches = edge[:, draws % size :].reshape(chains, -1, size)
    # The error of the mean of all draws is that of the mean of their batches; so many independent
    # draws have the same.
    error = float(standard_error(batches.mean(axis=2)))
    share = np.count_nonzero(edge) / edge.size
    return share * (1.0 - share) / error**2


def _bit(words: NDArray[np.uint64], place: int) -> NDArray[np.bool_]:
    """Return one bit of each row of packed parents."""
    return np.asarray(words[:, place // 64] & np.uint64(1 << place % 64) != 0)


def parent_bits(words: NDArray[np.uint64], nodes: int) -> NDArray[np.bool_]:
    """Return parents packed as bits, 64 to a word in the last dimension, as truth values."""
    little = np.ascontiguousarray(words).astype("<u8").view(np.uint8)
    return np.unpackbits(little, axis=-1, bitorder="little")[..., :nodes].view(np.bool_)
