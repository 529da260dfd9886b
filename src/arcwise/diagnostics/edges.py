"""`EdgeDiagnostics`: what the DAGs of several chains say about how each edge has mixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.diagnostics.convergence import effective_sample_size, largest_chain_difference

FEWEST_CHANGES = 10
_MOST_LAGS = 1000


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
        """
        parts = [np.ascontiguousarray(parents) for parents in chains]
        # One thread: it takes a moment, and whoever asked for few threads should not see more.
        rhat, effective, changes, shares = _core.edge_mixing(
            parts, FEWEST_CHANGES, _MOST_LAGS, threads=1
        )
        draws = min(len(parents) for parents in parts)
        # Edges with a long memory, of which there are few: all lags at once by a Fourier transform.
        for source, target in np.argwhere(effective < 0.0):
            edge = np.stack([parent_bits(part[:draws, target], nodes)[:, source] for part in parts])
            effective[source, target] = effective_sample_size(edge)
        return cls(rhat, effective, changes, shares, largest_chain_difference(shares))


def parent_bits(words: NDArray[np.uint64], nodes: int) -> NDArray[np.bool_]:
    """Return parents packed as bits, 64 to a word in the last dimension, as truth values."""
    little = np.ascontiguousarray(words).astype("<u8").view(np.uint8)
    return np.unpackbits(little, axis=-1, bitorder="little")[..., :nodes].view(np.bool_)
